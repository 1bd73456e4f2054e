//! Small tables, several threads, little time: the answer may be missing, never wrong.

use crate::brute;
use crate::random;
use mate::{Bounds, Memory, Solver, Unknown, Verdict, answer, solve};
use rules::{AnyPosition, Game, Kings, Minishogi, Position, Shogi, Variant};
use seed::Rng;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use think::{Control, Limits, ManualTime, MateAnswer, MateLimit, TimeSource, WallTime};

fn shogi(sfen: &str) -> Position<Shogi> {
    Position::from_sfen_with(sfen, Kings::Any).unwrap()
}

fn verdict<V: Variant>(pos: &Position<V>, bounds: &Bounds) -> Verdict {
    let s = solve(pos, bounds, &Control::new(false), &WallTime::start());
    if s.verdict == Verdict::Mate {
        let mut end = pos.clone();
        for &m in &s.line {
            assert!(end.is_legal(m));
            end.play(m);
        }
        assert!(end.in_check() && end.is_mated());
    }
    s.verdict
}

/// Everything in hand against a king in the open: thousands of nodes, a mate.
const RICH: &str = "9/9/9/9/4k4/9/9/9/9 b 2R2B4G4S4N4L18P 1";
/// The same with half of everything: no end in sight.
const HARD: &str = "9/9/9/9/4k4/9/9/9/9 b RB2G2S2N2L9Prb2g2s2n2l9p 1";

/// A mate of eleven plies found in a thousand nodes; that none is shorter takes ten thousand.
const LONG: &str = "4k4/9/PPPPPPPPP/9/9/9/9/9/9 b B4L2rb4g4s4n9p 1";

const SETTLED: [(&str, Verdict); 4] = [
    (RICH, Verdict::Mate),
    ("7nl/7k1/6p2/6S1p/9/9/9/9/9 b GS2r2b3g2s3n3l16p 1", Verdict::Mate),
    ("7nl/7k1/6p2/6S1p/9/9/9/9/9 b S2r2b4g2s3n3l16p 1", Verdict::NoMate),
    ("4k4/9/9/9/9/9/9/9/4K4 b RBrb4g4s4n4l18p 1", Verdict::NoMate),
];

/// The same for minishogi, a thousand nodes or two each.
const SETTLED_MINI: [(&str, Verdict); 4] = [
    ("5/2k2/G4/S4/5 b RBS 1", Verdict::Mate),
    ("2gs1/5/5/k2K1/2R2 b BSP 1", Verdict::Mate),
    ("g2R1/1k3/P4/5/2K2 b s 1", Verdict::NoMate),
    ("K+P3/3k1/3+r1/5/5 b RB 1", Verdict::NoMate),
];

/// The expected verdict of every settled position with these bounds.
fn all_as_expected(bounds: &Bounds) {
    for (sfen, expected) in SETTLED {
        assert_eq!(verdict(&shogi(sfen), bounds), expected, "{sfen} with {bounds:?}");
    }
    for (sfen, expected) in SETTLED_MINI {
        let pos = Position::<Minishogi>::from_sfen_with(sfen, Kings::Any).unwrap();
        assert_eq!(verdict(&pos, bounds), expected, "{sfen} with {bounds:?}");
    }
}

#[test]
fn the_size_of_the_table_does_not_change_the_answer() {
    for hash in [1 << 20, 4 << 20, 64 << 20, 1 << 30] {
        all_as_expected(&Bounds { hash, ..Bounds::default() });
    }
}

#[test]
fn the_number_of_threads_does_not_change_the_answer() {
    for threads in [1, 2, 3, 8] {
        all_as_expected(&Bounds { hash: 16 << 20, threads, ..Bounds::default() });
    }
}

/// A table of a few kilobytes forgets most of what it knew.
fn tiny<V: Variant>(seed: u64) {
    let mut rng = Rng::new(seed);
    let bounds = Bounds { hash: 8 << 10, nodes: Some(30_000), ..Bounds::default() };
    let mut settled = 0;
    for _ in 0..200 {
        let mut pos = random::small::<V>(&mut rng);
        let truth = brute::within(&mut pos, 5);
        match verdict(&pos, &bounds) {
            Verdict::Mate => settled += 1,
            Verdict::NoMate => {
                assert_eq!(truth, None, "{pos:?}");
                settled += 1;
            }
            Verdict::Unknown(_) => {}
        }
    }
    assert!(settled > 100, "{settled}");
}

#[test]
fn a_tiny_table_is_never_wrong() {
    tiny::<Shogi>(31);
    tiny::<Minishogi>(32);
}

#[test]
fn a_table_too_small_says_so() {
    let bounds = Bounds { hash: 1, ..Bounds::default() };
    assert_eq!(verdict(&shogi(HARD), &bounds), Verdict::Unknown(Unknown::Memory));
}

#[test]
fn nodes_bound_the_search() {
    for threads in [1, 2] {
        let bounds = Bounds { hash: 1 << 20, nodes: Some(1000), threads, ..Bounds::default() };
        let s = solve(&shogi(HARD), &bounds, &Control::new(false), &WallTime::start());
        assert_eq!(s.verdict, Verdict::Unknown(Unknown::Nodes));
        assert!(s.nodes < 1200, "{}", s.nodes);
    }
}

#[test]
fn solvers_with_one_memory_go_on_where_the_last_one_ended() {
    let (control, time, memory) = (Control::new(false), WallTime::start(), Memory::new(16 << 20));
    let (pos, bounds) = (shogi(LONG), Bounds { hash: 16 << 20, ..Bounds::default() });
    let whole = solve(&pos, &bounds, &control, &time);
    let slice = Bounds { nodes: Some(200), ..Bounds::default() };
    let (mut steps, mut nodes) = (0, 0);
    let solution = loop {
        let mut solver = Solver::remembering(&pos, &slice, &control, &time, &memory);
        let solution = solver.solve();
        (steps, nodes) = (steps + 1, nodes + solution.nodes);
        match solution.verdict {
            Verdict::Unknown(why) => assert_eq!(why, Unknown::Nodes),
            _ => break solution,
        }
        let (pn, dn) = solver.numbers().expect("what was read is remembered");
        assert!(pn > 0 && dn > 0, "{pn} {dn}");
    };
    assert_eq!((solution.verdict, whole.verdict), (Verdict::Mate, Verdict::Mate));
    // In several steps, none of which began anew.
    assert!(steps > 1 && 2 * nodes < 3 * whole.nodes, "{steps}: {nodes} of {}", whole.nodes);
    // What is known of the first position answers a question about a later one.
    let mut later = pos.clone();
    for &m in &solution.line[..2] {
        later.play(m);
    }
    let rest = Solver::remembering(&later, &slice, &control, &time, &memory).solve();
    assert_eq!(rest.verdict, Verdict::Mate);
    assert!(rest.line.len() < solution.line.len());
    // It is as well known to a larger memory.
    let larger = memory.grown(64 << 20);
    let known = Solver::remembering(&pos, &slice, &control, &time, &larger).solve();
    assert_eq!((known.verdict, known.line.len()), (Verdict::Mate, solution.line.len()));
    // One that remembers nothing has no numbers.
    let other = Memory::new(64 << 10);
    assert_eq!(Solver::remembering(&pos, &slice, &control, &time, &other).numbers(), None);
    assert!(!other.is_crowded());
    let much = Bounds { nodes: Some(5000), ..Bounds::default() };
    Solver::remembering(&shogi(HARD), &much, &control, &time, &other).solve();
    assert!(other.is_crowded() && !other.grown(1 << 20).is_crowded());
}

#[test]
fn a_stop_ends_the_search_at_once() {
    for threads in [1, 2] {
        let control = Control::new(false);
        let bounds = Bounds { hash: 64 << 20, threads, ..Bounds::default() };
        let searching = control.clone();
        let search = std::thread::spawn(move || {
            solve(&shogi(HARD), &bounds, &searching, &WallTime::start()).verdict
        });
        std::thread::sleep(Duration::from_millis(100));
        let asked = Instant::now();
        control.stop();
        assert_eq!(search.join().unwrap(), Verdict::Unknown(Unknown::Stopped));
        // Less than a millisecond on a quiet machine; tests run on busy ones.
        assert!(asked.elapsed() < Duration::from_secs(10), "{:?}", asked.elapsed());
    }
}

/// A clock that moves on by a millisecond whenever somebody looks.
#[derive(Default)]
struct Looks(AtomicU64);

impl TimeSource for Looks {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

/// Nodes searched while the clock is looked at that many times.
fn nodes_for(looks: u64, sfen: &str, shortest: bool) -> u64 {
    let time = Some(Duration::from_millis(looks));
    let bounds = Bounds { hash: 1 << 20, time, shortest, ..Bounds::default() };
    let clock = Looks::default();
    let s = solve(&shogi(sfen), &bounds, &Control::new(false), &clock);
    assert!(s.verdict == Verdict::Unknown(Unknown::Time) || shortest, "{:?}", s.verdict);
    assert!(!s.is_shortest && clock.0.load(Ordering::Relaxed) >= looks);
    s.nodes
}

/// Whether to stop is asked so often that what lies between takes a fraction of a millisecond: a
/// node takes some microseconds.
#[test]
fn whether_to_stop_is_asked_every_few_nodes() {
    let nodes = nodes_for(500, HARD, false);
    assert!(nodes > 500 && nodes <= 500 * 16 + 16, "{nodes}");
    // Near the end of a limited search a node may look at all checks and their replies.
    let nodes = nodes_for(100, LONG, true);
    assert!(nodes > 924 && nodes <= 100 * 120, "{nodes}");
}

#[test]
fn go_mate_is_answered_in_its_own_terms() {
    let any = |game, sfen| AnyPosition::from_sfen_with(game, sfen, Kings::Any).unwrap();
    let ask = |position: &AnyPosition, limit| {
        let limits = Limits { mate: Some(limit), ..Limits::default() };
        let bounds = Bounds { hash: 1 << 20, nodes: Some(100_000), ..Bounds::default() };
        let (control, time) = (Control::new(false), ManualTime::new());
        match position {
            AnyPosition::Shogi(p) => answer(p, &limits, &bounds, &control, &time),
            AnyPosition::Minishogi(p) => answer(p, &limits, &bounds, &control, &time),
        }
    };
    let mate = any(Game::Shogi, "4k4/9/4P4/9/9/9/9/9/9 b G 1");
    let expected = MateAnswer::Mate(vec![mate.parse_usi("G*5b").unwrap()]);
    assert_eq!(ask(&mate, MateLimit::Infinite), expected);
    let mini = any(Game::Minishogi, "4k/5/4G/5/K4 b G 1");
    assert!(matches!(ask(&mini, MateLimit::Infinite), MateAnswer::Mate(line) if line.len() == 1));
    let none = any(Game::Shogi, "4k4/9/9/9/9/9/9/9/4K4 b - 1");
    assert_eq!(ask(&none, MateLimit::Infinite), MateAnswer::NoMate);
    let nobody = any(Game::Shogi, "9/9/9/9/9/9/9/9/4K4 b G 1");
    assert_eq!(ask(&nobody, MateLimit::Infinite), MateAnswer::NoMate);
    let hard = any(Game::Shogi, HARD);
    assert_eq!(ask(&hard, MateLimit::Time(Duration::ZERO)), MateAnswer::Timeout);
}

/// A search of a few nodes before every move of a game would spend its time on clearing memory.
#[test]
fn a_table_is_no_larger_than_the_nodes_can_fill() {
    const MIB: usize = 1 << 20;
    let bytes = |nodes, hash| Bounds { nodes, hash, ..Bounds::default() }.table_bytes();
    assert_eq!(bytes(Some(1), 8 * MIB), MIB / 4);
    assert_eq!(bytes(Some(100), 8 * MIB), (100 * 8) << 10);
    for nodes in [Some(1024), Some(u64::MAX), None] {
        assert_eq!(bytes(nodes, 8 * MIB), 8 * MIB, "{nodes:?}");
    }
    assert_eq!(bytes(Some(1), 1000), 1000, "never more than was asked for");
}
