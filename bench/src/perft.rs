//! Perft of Nue and of rsshogi: both make real lists of legal moves, every legal move included.
//!
//! *bulk*: the length of the list is the count at depth 1, nothing is played there. *leaves*:
//! every last move is played and taken back. For bulk rsshogi runs its own `compute_perft` (a loop
//! over its public functions with 16-bit lists was tried and is not faster). What each library
//! keeps up to date while playing (keys, checkers, repetition) is its own affair.

use crate::rounds::{Times, alternate};
use rsshogi::board::{self, Move32List, movegen};
use rules::{Minishogi, Position, Shogi, Variant};

const START: &str = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
const TACTICAL: &str = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";

struct Case {
    name: &'static str,
    sfen: &'static str,
    depth: usize,
    bulk: bool,
    nodes: u64,
    /// Nodes a second to aim at: the best leaf-counting figures seen on a machine of this class.
    aim: Option<f64>,
}

const CASES: &[Case] = &[
    Case { name: "start", sfen: START, depth: 5, bulk: true, nodes: 19_861_490, aim: Some(137e6) },
    Case {
        name: "tactical",
        sfen: TACTICAL,
        depth: 4,
        bulk: true,
        nodes: 516_925_165,
        aim: Some(401e6),
    },
    Case { name: "start", sfen: START, depth: 5, bulk: false, nodes: 19_861_490, aim: None },
    Case { name: "tactical", sfen: TACTICAL, depth: 3, bulk: false, nodes: 4_809_015, aim: None },
];

/// How many times rsshogi's speed is wanted.
const WANTED: f64 = 1.2;

/// Prints the table; false if a count was wrong.
pub fn run(rounds: usize) -> bool {
    println!("perft, million nodes a second, {rounds} alternating rounds, one thread");
    println!(
        "{:10}{:>6} {:7}{:>12}  {:>16}  {:>16}  {:>7}",
        "position", "depth", "method", "nodes", "nue best/median", "rsshogi b./m.", "ratio"
    );
    let mut right = true;
    for case in CASES {
        right &= compare(case, rounds);
    }
    for (bulk, depth, nodes) in [(true, 6, 8_276_188), (false, 6, 8_276_188)] {
        right &= minishogi(depth, bulk, nodes, rounds);
    }
    println!();
    right
}

fn method(bulk: bool) -> &'static str {
    if bulk { "bulk" } else { "leaves" }
}

fn speeds(nodes: u64, times: &Times) -> String {
    let million = nodes as f64 / 1e6;
    format!("{:.1} / {:.1}", million / times.best(), million / times.median())
}

fn compare(case: &Case, rounds: usize) -> bool {
    let mut ours = Position::<Shogi>::from_sfen(case.sfen).expect("a known position");
    let mut theirs = board::position_from_sfen(case.sfen).expect("a known position");
    theirs.init_stack();
    let depth = case.depth as u8;
    let result = alternate(
        rounds,
        &mut [&mut || rules::perft(&mut ours, case.depth, case.bulk), &mut || {
            if case.bulk {
                board::perft::compute_perft(&mut theirs, depth)
            } else {
                rs_leaves(&mut theirs, depth)
            }
        }],
    );
    if result.iter().any(|(count, _)| *count != Some(case.nodes)) {
        println!("{} depth {}: WRONG COUNT, {} expected", case.name, case.depth, case.nodes);
        return false;
    }
    let (count, ours, theirs) = (case.nodes, &result[0].1, &result[1].1);
    let ratio = theirs.best() / ours.best();
    let mut note = format!(" (median {:.2}, wanted {WANTED})", theirs.median() / ours.median());
    if let Some(aim) = case.aim {
        note +=
            &format!(" {:.0} % of {:.0} M", count as f64 / ours.best() / aim * 100.0, aim / 1e6);
    }
    println!(
        "{:10}{:>6} {:7}{count:>12}  {:>16}  {:>16}  {ratio:>6.2}x{note}",
        case.name,
        case.depth,
        method(case.bulk),
        speeds(count, ours),
        speeds(count, theirs),
    );
    true
}

fn minishogi(depth: usize, bulk: bool, nodes: u64, rounds: usize) -> bool {
    let mut position = Position::<Minishogi>::from_sfen(Minishogi::START).expect("the start");
    let result = alternate(rounds, &mut [&mut || rules::perft(&mut position, depth, bulk)]);
    if result[0].0 != Some(nodes) {
        println!("minishogi depth {depth}: WRONG COUNT, {nodes} expected");
        return false;
    }
    let (method, speeds) = (method(bulk), speeds(nodes, &result[0].1));
    println!("{:10}{depth:>6} {method:7}{nodes:>12}  {speeds:>16}", "minishogi");
    true
}

/// rsshogi has no such count of its own: its public functions in the shape of its perft.
fn rs_leaves(position: &mut board::Position, depth: u8) -> u64 {
    let mut lists = vec![Move32List::new(); usize::from(depth) + 1];
    rs_leaves_with(position, depth, &mut lists)
}

fn rs_leaves_with(position: &mut board::Position, depth: u8, lists: &mut [Move32List]) -> u64 {
    if depth == 0 {
        return 1;
    }
    let (moves, rest) = lists.split_last_mut().expect("one list a ply");
    movegen::generate_legal_all_move32(position, moves);
    let mut nodes = 0;
    for &m in moves.iter() {
        position.apply_move32(m);
        nodes += rs_leaves_with(position, depth - 1, rest);
        // SAFETY: `m` was played just before and nothing since.
        unsafe { position.undo_move32_unchecked(m) };
    }
    nodes
}
