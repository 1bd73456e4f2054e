//! Lines that are told, and analyses that go on where they ended or begin anew.

use super::*;

/// Answers and node counts of three searches in a row, the third after a new game.
fn three_searches(options: &[(&str, &str)]) -> Vec<(Answer, u64)> {
    let mut engine = engine::<Shogi>(wall());
    for (name, value) in options {
        engine.set_option(name, value).unwrap();
    }
    let sfen = "ln1gk2nl/1r1s2gb1/p1pp1pspp/4p1p2/1p5P1/2P1P1P2/PPSP1PS1P/1BG2G1R1/LN2K2NL b - 25";
    let mut found = Vec::new();
    for again in [false, false, true] {
        if again {
            engine.new_game();
        }
        let said = start(&mut engine, sfen, Limits::to_depth(8));
        let (before, best) = listen(&said);
        let Some(Message::Info(last)) = before.last() else { panic!("{before:?}") };
        found.push((best.answer, last.nodes.unwrap()));
    }
    found
}

#[test]
fn the_same_search_reads_the_same_nodes_and_a_new_game_forgets() {
    let first = three_searches(&[]);
    assert_eq!(first, three_searches(&[]));
    assert_ne!(first[0].1, first[1].1, "the table helps the second time");
    assert_eq!(first[0], first[2], "a new game starts from nothing");
}

/// An engine for analysis with a table that one search does not fill.
fn analyst() -> AlphaBeta<Shogi, AnyEvaluator<Shogi>> {
    let mut engine = engine::<Shogi>(wall());
    for (name, value) in [HASH.to(16), options::ANALYSIS_MODE.to(true)] {
        engine.set_option(name, &value).unwrap();
    }
    engine
}

/// The last line of a search from the start position and these moves, and its answer.
fn analyse(engine: &mut dyn Engine, moves: &str, limits: Limits) -> (Info, Answer) {
    let mut position = AnyPosition::startpos(Game::Shogi);
    for text in moves.split_ascii_whitespace() {
        let m = position.parse_usi(text).unwrap();
        position.play(m);
    }
    engine.set_position(position).unwrap();
    let (sender, said) = channel();
    engine.go(limits, Box::new(Listener(sender)));
    let (before, best) = listen(&said);
    let Some(Message::Info(last)) = before.last() else { panic!("{before:?}") };
    (Info { time: None, nps: None, hashfull: None, ..last.clone() }, best.answer)
}

#[test]
fn analysis_does_not_depend_on_what_came_before() {
    let first = three_searches(&[("AnalysisMode", "true")]);
    assert_eq!(first[0], first[1]);
    // Nor on the way to the position.
    let ways =
        ["7g7f 3c3d 2g2f 8c8d", "2g2f 8c8d 7g7f 3c3d", "7g7f 3c3d 5i5h 5a5b 5h5i 5b5a 2g2f 8c8d"];
    let direct = analyse(&mut analyst(), ways[0], Limits::to_depth(8));
    for way in ways {
        assert_eq!(direct, analyse(&mut analyst(), way, Limits::to_depth(8)), "{way}");
        // Nor on positions analysed on the way there, nor on how often it was analysed.
        let mut engine = analyst();
        let words: Vec<&str> = way.split(' ').collect();
        for moves in 0..words.len() {
            analyse(&mut engine, &words[..moves].join(" "), Limits::to_depth(7));
        }
        for again in 0..2 {
            let found = analyse(&mut engine, way, Limits::to_depth(8));
            assert_eq!(direct, found, "{way}, {again}");
        }
    }
}

#[test]
fn analysis_goes_on_where_it_ended() {
    let mut engine = analyst();
    let by_nodes = |nodes| Limits { nodes: Some(nodes), ..Limits::default() };
    // The count of nodes may differ by the few a limit is overstepped by.
    let uncounted = |(info, answer): (Info, Answer)| (Info { nodes: None, ..info }, answer);
    let first = uncounted(analyse(&mut engine, "7g7f", by_nodes(30_000)));
    analyse(&mut engine, "2g2f", by_nodes(30_000));
    // Asked for no more than is known, it repeats what it found.
    assert_eq!(first, uncounted(analyse(&mut engine, "7g7f", by_nodes(30_000))));
    let shallow = analyse(&mut engine, "7g7f", Limits::to_depth(3));
    assert_eq!(shallow.0.depth, Some(3));
    assert_eq!(shallow, analyse(&mut analyst(), "7g7f", Limits::to_depth(3)));
    // Asked for more, it does not begin anew.
    let depth = first.0.depth.unwrap();
    let (sender, said) = channel();
    engine.go(Limits::to_depth(depth + 2), Box::new(Listener(sender)));
    let (before, _) = listen(&said);
    let depths: Vec<u32> = before
        .iter()
        .map(|said| match said {
            Message::Info(info) => info.depth.unwrap(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(depths[0] >= depth - 1 && depths.is_sorted(), "{depths:?} after {depth}");
    assert_eq!(depths.last(), Some(&(depth + 2)));
    // Another rule may mean another value.
    engine.set_option("DrawValueBlack", "-50").unwrap();
    assert!(analyse(&mut engine, "7g7f", Limits::to_depth(1)).0.nodes.unwrap() < 5000);
}

#[test]
fn several_lines_are_reported_in_order() {
    let mut engine = engine::<Shogi>(wall());
    engine.set_option("MultiPV", "4").unwrap();
    let (before, best) = listen(&start(&mut engine, "startpos", Limits::to_depth(5)));
    let last: Vec<&Info> = before[before.len() - 4..]
        .iter()
        .map(|s| match s {
            Message::Info(info) => info,
            other => panic!("{other:?}"),
        })
        .collect();
    for (i, info) in last.iter().enumerate() {
        assert_eq!((info.depth, info.multipv), (Some(5), Some(i as u32 + 1)));
    }
    let firsts: std::collections::BTreeSet<Move> = last.iter().map(|i| i.pv[0]).collect();
    assert_eq!(firsts.len(), 4);
    assert_eq!(best.answer, Answer::Move(last[0].pv[0]));
}

#[test]
fn the_line_told_last_is_the_one_played_whichever_thread_found_it() {
    let sfen = "l4gsnl/4g1kb1/2s1pp1pp/p2p2p2/1pr6/3PP1P1P/PP3P1P1/1S1RGK1S1/LN1G3NL b Nb2p 35";
    let mut engine = engine::<Shogi>(wall());
    engine.set_option("Threads", "4").unwrap();
    for nodes in [300, 3000, 10_000, 30_000] {
        let limits = Limits { nodes: Some(nodes), ..Limits::default() };
        let (before, best) = listen(&start(&mut engine, sfen, limits));
        let Some(Message::Info(last)) = before.last() else { panic!("{before:?}") };
        assert_eq!(best.answer, Answer::Move(last.pv[0]), "{nodes}");
        assert!(last.nps.is_some() && last.hashfull.is_some() && last.score.is_some(), "{last:?}");
    }
}

/// Whether a line says all that is expected of one, and begins with that move.
fn is_whole(said: &Message, m: Move) -> bool {
    let Message::Info(info) = said else { return false };
    let figures = info.nodes.is_some() && info.nps.is_some() && info.hashfull.is_some();
    figures
        && info.depth.is_some()
        && info.score.is_some()
        && info.time.is_some()
        && info.pv.first() == Some(&m)
}

#[test]
fn a_whole_line_comes_before_every_move() {
    let stopped = Limits { ponder: true, ..Limits::default() };
    let clock = Clocks { byoyomi: Duration::from_millis(1), ..Clocks::default() };
    let hurried = Limits { clocks: Some(clock), ..Limits::default() };
    let (mate, only_move) = ("4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "k8/9/9/9/9/9/9/7r1/8K b - 1");
    let cases = [
        ("stopped at once", "startpos", stopped),
        ("no time at all", "startpos", hurried.clone()),
        ("one node", "startpos", Limits { nodes: Some(1), ..Limits::default() }),
        ("a mate", mate, Limits::to_depth(3)),
        ("one legal move", only_move, hurried),
        ("a king that tries", "9/4K4/9/9/9/9/9/9/k8 b - 1", Limits::to_depth(3)),
    ];
    for (interval, solver) in [("0", "20000"), ("100000", "20000"), ("100000", "0")] {
        for (case, sfen, limits) in &cases {
            // The clock stands still but where it must not.
            let time: Arc<dyn TimeSource> =
                if limits.clocks.is_some() { wall() } else { Arc::new(ManualTime::new()) };
            let mut engine = engine::<Shogi>(time);
            for (name, value) in [
                ("PvInterval", interval),
                ("RootMateNodes", solver),
                ("EnteringKingRule", "TryRule"),
            ] {
                engine.set_option(name, value).unwrap();
            }
            let said = start(&mut engine, sfen, limits.clone());
            if limits.ponder {
                engine.control().stop();
            }
            let (before, best) = listen(&said);
            let Answer::Move(m) = best.answer else { panic!("{case}: {best:?}") };
            let last = before.iter().rfind(|said| matches!(said, Message::Info(_)));
            assert!(last.is_some_and(|line| is_whole(line, m)), "{case}, {interval}: {before:?}");
        }
    }
}
