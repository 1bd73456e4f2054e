//! Mates: asked for, found beside the search, proven and played.

use super::*;
use crate::beside::Share;
use crate::root::RootMove;
use crate::values::{INFINITE, SUPERIOR};
use std::sync::atomic::Ordering;

#[test]
fn mates_are_found_and_a_mated_side_resigns() {
    let mut engine = engine::<Shogi>(wall());
    let sfen = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    let (before, best) = listen(&start(&mut engine, sfen, Limits::default()));
    assert_eq!(usi(best.answer), "G*5b");
    let Some(Message::Info(last)) = before.last() else { panic!() };
    assert_eq!(last.score.unwrap().0, Score::Mate(Some(1)));
    assert_eq!(answer("4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1", &[]), Answer::Resign);
}

#[test]
fn a_search_for_a_mate_answers_with_the_line() {
    let mut engine = engine::<Shogi>(wall());
    let limits = Limits { mate: Some(think::MateLimit::Infinite), ..Limits::default() };
    let said = start(&mut engine, "startpos", limits.clone());
    assert_eq!(said.recv().unwrap(), Message::Mate(MateAnswer::NoMate));
    // Mate in three: a gold is dropped, taken or not, and another follows.
    let said = start(&mut engine, "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", limits);
    let mate = Move::from_usi(Game::Shogi, "G*5b").unwrap();
    assert_eq!(said.recv().unwrap(), Message::Mate(MateAnswer::Mate(vec![mate])));
}

#[test]
fn a_proven_mate_is_played_at_once_unless_the_game_ends_before_it() {
    let sfen = "n+B1sS4/1R1g5/1Ls6/2k6/2n6/3L5/R8/9/8K b B2P3gs2n2l16p 100";
    let mut engine = engine::<Shogi>(wall());
    // Bounded by nodes alone: other work on the machine must not matter.
    let limits = Limits { nodes: Some(40_000_000), ..Limits::default() };
    engine.set_option("RootMateNodes", "2000000").unwrap();
    let (before, best) = listen(&start(&mut engine, sfen, limits));
    let [Message::Info(only)] = &before[..] else { panic!("{before:?}") };
    let (Score::Mate(Some(plies)), _) = only.score.unwrap() else { panic!("{only:?}") };
    assert!(plies >= 21 && plies as usize == only.pv.len(), "{only:?}");
    assert!(only.nps.is_some_and(|n| n > 0) && only.hashfull.is_some(), "{only:?}");
    assert_eq!(best.answer, Answer::Move(only.pv[0]));
    let mut position = Position::<Shogi>::from_sfen(sfen).unwrap();
    for &m in &only.pv {
        assert!(position.is_legal(m));
        position.play(m);
    }
    assert!(position.in_check() && position.is_mated());
    // Drawn after ten more moves: there is no mate to play.
    engine.set_option("MaxMovesToDraw", "110").unwrap();
    engine.set_option("RootMateNodes", "20000").unwrap();
    let (before, _) = listen(&start(&mut engine, sfen, Limits::to_depth(3)));
    assert!(before.len() > 1, "{before:?}");
}

/// The loser gives a piece away with check, and again: each time the position comes back, and the winner has more
/// in hand. That is no way out of the mate.
#[test]
fn a_mate_is_found_behind_sacrifices_that_bring_the_position_back() {
    let sfen = "l3BSgnl/5+R1k1/p1n+SGp1pp/2pp2s2/P2P5/2P1PPP1P/K1+ngp4/4+r4/LN1b4L w S4Pg 126";
    let mut engine = engine::<Shogi>(wall());
    engine.set_option("RootMateNodes", "0").unwrap();
    let limits = Limits { nodes: Some(20_000), ..Limits::default() };
    let (before, _) = listen(&start(&mut engine, sfen, limits));
    let Some(Message::Info(last)) = before.last() else { panic!("{before:?}") };
    let (Score::Mate(Some(plies)), _) = last.score.unwrap() else { panic!("{last:?}") };
    assert!(plies > 0, "{last:?}");
}

#[test]
fn more_in_hand_than_before_cuts_and_is_no_value() {
    let ended = |sfen: &str, moves: &str, alpha: i32, beta: i32| {
        let mut engine = engine::<Shogi>(wall());
        let mut read = worker(&mut engine, sfen);
        for usi in moves.split(' ') {
            read.pos.play(Move::from_usi(Game::Shogi, usi).unwrap());
        }
        read.shared.ended(&read.pos, moves.split(' ').count(), alpha, beta)
    };
    // White gives a pawn, the rook takes it, and all stand where they stood before.
    let superior = |alpha, beta| {
        let moves = "5i5h P*1h 1i1h 5a4a 1h1i 4a5b 5h5i 5b5a";
        ended("4k4/9/9/9/9/9/9/9/4K3R b 9p 1", moves, alpha, beta)
    };
    assert_eq!(superior(-100, 100), Some(SUPERIOR));
    assert_eq!(superior(SUPERIOR - 1, SUPERIOR), Some(SUPERIOR));
    assert_eq!(superior(-INFINITE, INFINITE), None);
    let inferior = |alpha, beta| {
        let moves = "P*1h 1i1h 5a4a 1h1g 4a5a 1g1i";
        ended("4k4/9/9/9/9/9/9/9/4K3R w 9p 1", moves, alpha, beta)
    };
    assert_eq!(inferior(-100, 100), Some(-SUPERIOR));
    assert_eq!(inferior(-SUPERIOR, 100), Some(-SUPERIOR));
    assert_eq!(inferior(-INFINITE, INFINITE), None);
}

#[test]
fn a_mate_in_one_stays_no_longer_than_what_was_read() {
    let sfen = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    let (mut first, mut second) = (engine::<Shogi>(wall()), engine::<Shogi>(wall()));
    let mut read = worker(&mut first, sfen);
    let mate = values::mate_in(2);
    assert_eq!(read.search::<crate::node::Cut>(1, -1, 0, 5, true), mate);
    assert_eq!(read.shared.table.get(read.pos.key()).map(|e| e.depth), Some(11));
    let mut quiet = worker(&mut second, sfen);
    assert_eq!(quiet.quiesce::<crate::node::Cut>(1, -1, 0, 0), mate);
    assert_eq!(quiet.shared.table.get(quiet.pos.key()).map(|e| e.depth), Some(0));
    // Found in quiescence, it ends a node of any depth.
    let nodes = quiet.nodes;
    assert_eq!(quiet.search::<crate::node::Cut>(1, -1, 0, 9, true), mate);
    assert_eq!(quiet.nodes, nodes + 1);
}

#[test]
fn an_analysis_announces_a_mate_and_goes_on() {
    let sfen = "n+B1sS4/1R1g5/1Ls6/2k6/2n6/3L5/R8/9/8K b B2P3gs2n2l16p 100";
    for threads in ["1", "2"] {
        let mut engine = engine::<Shogi>(wall());
        for (name, value) in [("Threads", threads), ("MultiPV", "2"), ("Param.mate_share", "2")] {
            engine.set_option(name, value).unwrap();
        }
        let limits = Limits { infinite: true, ..Limits::default() };
        let said = start(&mut engine, sfen, limits);
        let is_mate = |said: &Message| match said {
            Message::Info(info) => matches!(info.score, Some((Score::Mate(_), _))),
            _ => false,
        };
        let announced = loop {
            match said.recv_timeout(Duration::from_secs(120)).unwrap() {
                line if is_mate(&line) => break line,
                Message::Info(_) => {}
                other => panic!("{other:?}"),
            }
        };
        // It is told in the next iteration again, and played when the analysis is ended.
        let again = said.recv_timeout(Duration::from_secs(120)).unwrap();
        assert!(matches!(again, Message::Info(_)), "{again:?}");
        engine.control().stop();
        let Message::Info(line) = announced else { unreachable!() };
        assert_eq!(line.multipv, Some(1), "{line:?}");
        let mut position = Position::<Shogi>::from_sfen(sfen).unwrap();
        for &m in &line.pv {
            assert!(position.is_legal(m));
            position.play(m);
        }
        assert!(position.is_mated(), "{line:?}");
        assert_eq!(listen(&said).1.answer, Answer::Move(line.pv[0]), "{threads}");
    }
}

#[test]
fn a_mate_along_the_expected_line_enters_the_table() {
    let mut engine = engine::<Shogi>(wall());
    // Whatever Black does far away, White mates at once.
    let sfen = "4k4/9/9/9/9/9/4p4/9/4K4 b Pg 1";
    let (root, shared) = (Position::<Shogi>::from_sfen(sfen).unwrap(), engine.shared());
    let m = Move::from_usi(Game::Shogi, "P*9e").unwrap();
    let mut after = root.clone();
    after.play(m);
    let mut prover = crate::prove::Prover::new(&root, &shared);
    prover.look_along(&[m], 1000, None, 5);
    let entry = shared.table.get(after.key()).unwrap();
    assert_eq!((entry.value, entry.depth), (values::mate_in(1), 11));
    assert_eq!(entry.best.usi(Game::Shogi), "G*5h");
    assert!(entry.bound == crate::table::Bound::Lower && shared.proven().is_none());
    // Nor is it asked about again.
    let nodes = prover.along;
    prover.look_along(&[m], 1000, None, 6);
    assert_eq!(prover.along, nodes);
    // A game that is drawn before knows no mate.
    engine.set_option("MaxMovesToDraw", "1").unwrap();
    engine.new_game();
    let shared = engine.shared();
    crate::prove::Prover::new(&root, &shared).look_along(&[m], 1000, None, 5);
    assert_eq!(shared.table.get(after.key()), None);
}

#[test]
fn all_lines_that_are_shown_are_looked_along() {
    // White threatens mate: every line in which Black plays far away is lost.
    let sfen = "4k4/9/9/9/9/9/4p4/9/4K4 b 2Pg 1";
    for (lines, found) in [(1, [true, false]), (2, [true, true])] {
        let mut engine = engine::<Shogi>(wall());
        let mut worker = worker(&mut engine, sfen);
        let moves = ["P*9e", "P*1e"].map(|usi| worker.pos.parse_usi(usi).unwrap());
        worker.root_moves = moves.map(RootMove::new).to_vec();
        worker.nodes = 10_000_000;
        worker.begin_beside(Share { alone: 64, beside: 16, likely: 2, most: 1_000_000 }, false);
        worker.look_along(5, lines);
        let known = moves.map(|m| worker.shared.table.get(worker.pos.key_after(m)).is_some());
        assert_eq!(known, found);
    }
}

#[test]
fn a_mate_proven_beside_a_game_is_played_with_its_line() {
    let sfen = "n+B1sS4/1R1g5/1Ls6/2k6/2n6/3L5/R8/9/8K b B2P3gs2n2l16p 100";
    for threads in ["1", "2"] {
        let mut engine = engine::<Shogi>(wall());
        for (name, value) in [
            ("Threads", threads),
            // The look before the search is too short to find it.
            ("RootMateNodes", "1"),
            ("Param.mate_play", "2"),
            ("Param.mate_play_beside", "1"),
        ] {
            engine.set_option(name, value).unwrap();
        }
        let most = 4_000_000;
        let limits = Limits { nodes: Some(most), ..Limits::default() };
        let (before, best) = listen(&start(&mut engine, sfen, limits));
        let Some(Message::Info(last)) = before.last() else { panic!("{before:?}") };
        let (Score::Mate(Some(plies)), _) = last.score.unwrap() else { panic!("{last:?}") };
        assert_eq!(plies as usize, last.pv.len(), "{threads}");
        // Proven is proven: nothing more is read.
        assert!(last.nodes.unwrap() < most / 2, "{threads}: {last:?}");
        assert_eq!(best.answer, Answer::Move(last.pv[0]));
        let mut position = Position::<Shogi>::from_sfen(sfen).unwrap();
        for &m in &last.pv {
            position.play(m);
        }
        assert!(position.is_mated(), "{threads}: {last:?}");
    }
}

/// Nodes of a game's search until it announced the mate of 21 plies, the look before it being too short.
fn nodes_until_mate(options: &[(&str, &str)]) -> u64 {
    let sfen = "n+B1sS4/1R1g5/1Ls6/2k6/2n6/3L5/R8/9/8K b B2P3gs2n2l16p 100";
    let mut engine = engine::<Shogi>(wall());
    engine.set_option("RootMateNodes", "1").unwrap();
    for (name, value) in options {
        engine.set_option(name, value).unwrap();
    }
    let limits = Limits { nodes: Some(3_000_000), ..Limits::default() };
    let (before, _) = listen(&start(&mut engine, sfen, limits));
    let Some(Message::Info(last)) = before.last() else { panic!("{before:?}") };
    assert!(matches!(last.score, Some((Score::Mate(Some(21..)), _))), "{last:?}");
    last.nodes.unwrap()
}

#[test]
fn a_likely_mate_gets_more_of_the_solver() {
    // Nothing is ever likely where the usual odds are that high.
    let [likely, unlikely] =
        [10, 1000].map(|odds| nodes_until_mate(&[("Param.mate_odds", &odds.to_string())]));
    assert!(3 * likely < 2 * unlikely, "{likely} {unlikely}");
    // And the same search finds it at the same node.
    assert_eq!(nodes_until_mate(&[]), likely);
}

#[test]
fn what_the_solver_has_read_is_kept_through_a_game() {
    let mut engine = engine::<Shogi>(wall());
    engine.set_option("RootMateNodes", "3000").unwrap();
    let sfen = "n+B1sS4/1R1g5/1Ls6/2k6/2n6/3L5/R8/9/8K b B2P3gs2n2l16p 100";
    let first = engine.shared();
    // Looks of a hundred nodes find it in the end, because each goes on where the last one ended.
    let mut looks = 0;
    let found = loop {
        looks += 1;
        let limits = Limits { nodes: Some(2000), ..Limits::default() };
        let (before, _) = listen(&start(&mut engine, sfen, limits));
        let Some(Message::Info(last)) = before.last() else { panic!("{before:?}") };
        if matches!(last.score, Some((Score::Mate(Some(21..)), _))) {
            break last.nodes.unwrap();
        }
        assert!(looks < 1000);
    };
    assert!(looks > 1 && found <= 2000, "{looks} {found}");
    assert!(Arc::ptr_eq(&first.mates, &engine.shared().mates));
    engine.new_game();
    assert!(!Arc::ptr_eq(&first.mates, &engine.shared().mates));
}

/// A clock that goes on a millisecond whenever somebody looks at it: every 512 nodes of the search, every 16 of
/// the solver.
#[derive(Default)]
struct Ticking(AtomicU64);

impl Ticking {
    fn ticks(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

impl TimeSource for Ticking {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.fetch_add(1, Ordering::SeqCst))
    }
}

/// Where a mate has just become likely all that was read counts at the new rate, so that many looks are due at once.
#[test]
fn looks_that_are_due_at_once_end_with_the_move_s_time() {
    let time = Arc::new(Ticking::default());
    let mut engine = engine::<Shogi>(time.clone());
    for (name, value) in [("Param.mate_play", "64"), ("Param.mate_odds_from", "500")] {
        engine.set_option(name, value).unwrap();
    }
    let sfen = "l8/5k3/4p4/p1pN2gpL/1P4p2/P3R1P2/5P3/5S3/L3NK2L w 3S2Pr2b3g2n7p 220";
    let begun = time.ticks();
    let (start_of_move, movetime) = (Duration::from_millis(begun), Duration::from_millis(600));
    let limits = Limits { movetime: Some(movetime), start: start_of_move, ..Limits::default() };
    listen(&start(&mut engine, sfen, limits));
    let taken = time.ticks() - begun;
    assert!((590..620).contains(&taken), "{taken} ms");
}
