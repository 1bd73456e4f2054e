use super::*;
use eval::{AnyEvaluator, AnyWeights, Material, PIECE_VALUES};
use rules::{Game, Move, Shogi};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use think::{Answer, Best, Clocks, Info, ManualTime, MateAnswer, PonderHit, Score, WallTime};

#[derive(Debug, PartialEq)]
enum Message {
    Info(Info),
    Note(String),
    Best(Best),
    Mate(MateAnswer),
}

struct Listener(Sender<Message>);

impl Report for Listener {
    fn info(&mut self, info: &Info) {
        self.0.send(Message::Info(info.clone())).unwrap();
    }
    fn note(&mut self, text: &str) {
        self.0.send(Message::Note(text.to_owned())).unwrap();
    }
    fn best(&mut self, best: &Best) {
        self.0.send(Message::Best(*best)).unwrap();
    }
    fn mate(&mut self, answer: &MateAnswer) {
        self.0.send(Message::Mate(answer.clone())).unwrap();
    }
}

fn start_in(engine: &mut dyn Engine, game: Game, sfen: &str, limits: Limits) -> Receiver<Message> {
    let position = match sfen {
        "startpos" => AnyPosition::startpos(game),
        _ => AnyPosition::from_sfen(game, sfen).unwrap(),
    };
    engine.set_position(position).unwrap();
    let (sender, said) = channel();
    engine.go(limits, Box::new(Listener(sender)));
    said
}

fn start(engine: &mut dyn Engine, sfen: &str, limits: Limits) -> Receiver<Message> {
    start_in(engine, Game::Shogi, sfen, limits)
}

/// A small engine that counts material.
fn engine<V: Variant>(time: Arc<dyn TimeSource>) -> AlphaBeta<V, AnyEvaluator<V>> {
    let weights = AnyWeights::of::<Material>(Arc::new(PIECE_VALUES));
    let mut engine = AlphaBeta::new(time, weights);
    for (name, value) in [HASH.to(4), options::PV_INTERVAL.to(0)] {
        engine.set_option(name, &value).unwrap();
    }
    engine
}

fn wall() -> Arc<dyn TimeSource> {
    Arc::new(WallTime::start())
}

/// Everything said up to the answer, and the answer.
fn listen(said: &Receiver<Message>) -> (Vec<Message>, Best) {
    let mut before = Vec::new();
    loop {
        match said.recv_timeout(Duration::from_secs(60)).unwrap() {
            Message::Best(best) => return (before, best),
            other => before.push(other),
        }
    }
}

/// The answer of shogi at a small depth.
fn answer(sfen: &str, options: &[(&str, &str)]) -> Answer {
    let mut engine = engine::<Shogi>(wall());
    for (name, value) in options {
        engine.set_option(name, value).unwrap();
    }
    let said = start(&mut engine, sfen, Limits::to_depth(2));
    listen(&said).1.answer
}

fn usi(answer: Answer) -> String {
    match answer {
        Answer::Move(m) => m.usi(Game::Shogi),
        other => format!("{other:?}"),
    }
}

#[test]
fn both_games_are_searched_to_the_depth_asked_for() {
    fn check<V: Variant>() {
        let mut engine = engine::<V>(wall());
        engine.set_option("USI_Ponder", "true").unwrap();
        let (before, best) =
            listen(&start_in(&mut engine, V::GAME, "startpos", Limits::to_depth(7)));
        let depths: Vec<_> = before
            .iter()
            .map(|s| match s {
                Message::Info(info) => info.depth.unwrap(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(depths, [1, 2, 3, 4, 5, 6, 7]);
        let mut position = Position::<V>::startpos();
        let Answer::Move(m) = best.answer else { panic!("{best:?}") };
        assert!(position.is_legal(m));
        position.play(m);
        assert!(position.is_legal(best.ponder.unwrap()));
    }
    check::<Shogi>();
    check::<rules::Minishogi>();
}

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
fn a_hopeless_game_is_resigned_when_the_option_says_so() {
    let sfen = "4k4/9/9/9/9/9/9/9/R3K3R w - 1";
    assert!(matches!(answer(sfen, &[]), Answer::Move(_)));
    assert_eq!(answer(sfen, &[("ResignValue", "500")]), Answer::Resign);
}

#[test]
fn an_entered_king_declares_by_the_rule_set() {
    let sfen = "K1+P+P+P+P+P+P+P/+P+P+P+P5/9/9/9/9/9/9/4k4 b 2R2B 1";
    assert_eq!(answer(sfen, &[]), Answer::Win);
    assert!(matches!(answer(sfen, &[("EnteringKingRule", "NoEnteringKing")]), Answer::Move(_)));
    let sfen = "9/4K4/9/9/9/9/9/9/k8 b - 1";
    assert_eq!(usi(answer(sfen, &[("EnteringKingRule", "TryRule")])), "5b5a");
}

#[test]
fn only_the_moves_asked_for_are_considered() {
    let mut engine = engine::<Shogi>(wall());
    let only = Move::from_usi(Game::Shogi, "9i9h").unwrap();
    let limits = Limits { searchmoves: vec![only], ..Limits::to_depth(3) };
    let (_, best) = listen(&start(&mut engine, "startpos", limits));
    assert_eq!(best.answer, Answer::Move(only));
}

#[test]
fn nodes_are_limited() {
    let mut engine = engine::<Shogi>(wall());
    // Wherever the limit falls: after a null move, in a search that confirms another.
    for limit in 5000..5040 {
        let limits = Limits { nodes: Some(limit), ..Limits::default() };
        let (before, best) = listen(&start(&mut engine, "startpos", limits));
        assert!(matches!(best.answer, Answer::Move(_)));
        let nodes = before.iter().map(|said| match said {
            Message::Info(info) => info.nodes.unwrap(),
            other => panic!("{other:?}"),
        });
        assert_eq!(nodes.max(), Some(limit));
    }
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
fn stop_is_answered_at_once() {
    let mut engine = engine::<Shogi>(wall());
    // The best of a few tries: other work on the machine is not what is being measured.
    let quickest = (0..5)
        .map(|_| {
            let limits = Limits { infinite: true, ..Limits::default() };
            let said = start(&mut engine, "startpos", limits);
            thread::sleep(Duration::from_millis(30));
            let asked = Instant::now();
            engine.control().stop();
            listen(&said);
            asked.elapsed()
        })
        .min();
    assert!(quickest.unwrap() < Duration::from_millis(20), "{quickest:?}");
}

#[test]
fn a_finished_search_holds_its_answer_until_it_is_asked_for() {
    let mut engine = engine::<Shogi>(wall());
    let mate = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    for (infinite, ponder) in [(true, false), (false, true)] {
        let limits = Limits { infinite, ponder, ..Limits::to_depth(1) };
        let said = start(&mut engine, mate, limits);
        assert!(matches!(said.recv().unwrap(), Message::Info(_)));
        assert!(said.recv_timeout(Duration::from_millis(50)).is_err());
        if ponder {
            engine.control().ponderhit(PonderHit { at: Duration::ZERO, clocks: None });
        } else {
            engine.control().stop();
        }
        assert_eq!(usi(listen(&said).1.answer), "G*5b");
    }
}

#[test]
fn after_a_ponder_hit_the_clock_told_last_counts() {
    let time = wall();
    let mut engine = engine::<Shogi>(Arc::clone(&time));
    let long = Clocks { time: [Duration::from_secs(36_000); 2], ..Clocks::default() };
    let short = Clocks { byoyomi: Duration::from_millis(200), ..Clocks::default() };
    let limits = Limits { ponder: true, clocks: Some(long), ..Limits::default() };
    let said = start(&mut engine, "startpos", limits);
    let asked = Instant::now();
    engine.control().ponderhit(PonderHit { at: time.now(), clocks: Some(short) });
    listen(&said);
    // By the clock told first it would think for minutes.
    assert!(asked.elapsed() < Duration::from_secs(20), "{:?}", asked.elapsed());
}

#[test]
fn time_is_read_only_from_the_source() {
    // Virtual time stands still: a millisecond lasts as long as the search wants it to.
    let time = Arc::new(ManualTime::new());
    let mut engine = engine::<Shogi>(time.clone());
    let limits = Limits { movetime: Some(Duration::from_millis(1)), ..Limits::default() };
    let said = start(&mut engine, "startpos", limits);
    assert!(matches!(said.recv().unwrap(), Message::Info(_)));
    time.advance(Duration::from_secs(1));
    listen(&said);
}

#[test]
fn a_failing_search_still_plays_a_legal_move() {
    /// Fails on the third ply.
    struct Broken;
    impl Evaluator<Shogi> for Broken {
        type Weights = ();
        fn new(_: Arc<()>) -> Self {
            Self
        }
        fn refresh(&mut self, _: &Position<Shogi>) {}
        fn push(&mut self, _: &rules::Delta) {}
        fn pop(&mut self) {}
        fn evaluate(&mut self, position: &Position<Shogi>) -> i32 {
            assert!(position.ply() < 4, "broken on purpose");
            0
        }
    }
    let weights = AnyWeights::of::<Broken>(Arc::new(()));
    let mut engine = AlphaBeta::<Shogi, AnyEvaluator<_>>::new(wall(), weights);
    engine.set_option("Threads", "2").unwrap();
    let (before, best) = listen(&start(&mut engine, "startpos", Limits::default()));
    assert!(before.iter().any(|said| matches!(said, Message::Note(_))));
    let Answer::Move(m) = best.answer else { panic!("{best:?}") };
    assert!(Position::<Shogi>::startpos().is_legal(m));
    engine.wait();
    // And the next search is not affected.
    assert!(matches!(
        listen(&start(&mut engine, "startpos", Limits::to_depth(1))).1.answer,
        Answer::Move(_)
    ));
}

#[test]
fn a_position_of_the_other_game_is_refused() {
    let mut engine = engine::<Shogi>(wall());
    let error = engine.set_position(AnyPosition::startpos(Game::Minishogi)).unwrap_err();
    assert_eq!(error.to_string(), "this engine plays shogi, the position is one of minishogi");
}

#[test]
fn options_are_typed() {
    let mut engine = engine::<Shogi>(wall());
    assert!(engine.set_option("usi_hash", "1024").is_ok());
    assert!(engine.set_option("USI_Hash", "-1").unwrap_err().to_string().contains("\"-1\""));
    assert!(engine.set_option("Nonsense", "1").is_err());
    assert!(engine.set_option("Param.rfp_margin", "100").is_ok());
    assert!(engine.set_option("Param.rfp_margin", "100000").is_err());
    assert!(engine.set_option("Param.nothing", "1").is_err());
    for spec in engine.options() {
        assert!(spec.parse(&spec.default).is_ok(), "{spec:?}");
        assert!(!spec.name.contains(' ') && !spec.help.is_empty(), "{spec:?}");
    }
}

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
fn forgetting_takes_no_time_whatever_the_size() {
    let mut engine = engine::<Shogi>(wall());
    // As much as the machine lets us have without touching it.
    engine.set_option("USI_Hash", "32768").unwrap();
    let quickest = (0..5)
        .map(|_| {
            listen(&start(&mut engine, "startpos", Limits::to_depth(3)));
            let asked = Instant::now();
            engine.new_game();
            engine.set_option("Clear_Hash", "").unwrap();
            let said = start(&mut engine, "startpos", Limits::to_depth(1));
            said.recv().unwrap();
            let waited = asked.elapsed();
            listen(&said);
            waited
        })
        .min();
    assert!(quickest.unwrap() < Duration::from_millis(10), "{quickest:?}");
    // Not even where nobody says `isready` for a thousand games.
    for _ in 0..1000 {
        engine.new_game();
    }
    listen(&start(&mut engine, "startpos", Limits::to_depth(3)));
}

#[test]
fn the_table_is_touched_before_the_game() {
    let mut engine = engine::<Shogi>(wall());
    let mut notes = Vec::new();
    engine.is_ready(&mut |text| notes.push(text.to_owned()));
    assert!(!engine.table().needs_sweep() && notes.is_empty(), "{notes:?}");
    // More than there is free is said, and not touched.
    engine.free_mib = || Some(100);
    engine.set_option("USI_Hash", "101").unwrap();
    engine.is_ready(&mut |text| notes.push(text.to_owned()));
    assert!(notes[0].starts_with("USI_Hash: 101 MiB, but only 100 are free"), "{notes:?}");
    assert!(engine.table().needs_sweep());
    engine.free_mib = || Some(101);
    engine.is_ready(&mut |_| ());
    assert!(!engine.table().needs_sweep());
}

#[test]
fn a_search_whose_time_is_over_has_read_its_move() {
    let time = Arc::new(ManualTime::new());
    let mut engine = engine::<Shogi>(time.clone());
    time.advance(Duration::from_secs(5));
    let limits = Limits { movetime: Some(Duration::from_millis(1)), ..Limits::default() };
    // A rook can be taken: the move that looks best at a glance is another.
    let sfen = "4k4/9/9/4r4/9/4L4/9/9/4K4 b - 1";
    let (before, best) = listen(&start(&mut engine, sfen, limits));
    assert!(before.iter().any(|said| matches!(said, Message::Info(_))), "{before:?}");
    assert_eq!(usi(best.answer), "5f5d");
    // Told to stop before it began, it answers with something it has read too.
    let limits = Limits { infinite: true, ..Limits::default() };
    let said = start(&mut engine, "startpos", limits);
    engine.control().stop();
    assert!(listen(&said).0.iter().any(|said| matches!(said, Message::Info(_))));
}

#[test]
fn more_threads_than_the_machine_can_bear_are_not_started() {
    let mut engine = engine::<Shogi>(wall());
    engine.processors = 2;
    engine.set_option("Threads", "1024").unwrap();
    let mut notes = Vec::new();
    engine.is_ready(&mut |text| notes.push(text.to_owned()));
    assert_eq!(notes, ["Threads: 1024 on 2 processors would answer late, searching with 8"]);
    assert_eq!(lock(&engine.idle_workers).len(), 8, "no more are made");
    let (_, best) = listen(&start(&mut engine, "startpos", Limits::to_depth(3)));
    assert!(matches!(best.answer, Answer::Move(_)), "{best:?}");
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
fn threads_share_the_work() {
    let mut engine = engine::<Shogi>(wall());
    engine.set_option("Threads", "3").unwrap();
    for _ in 0..3 {
        let limits = Limits { nodes: Some(20_000), ..Limits::default() };
        let (_, best) = listen(&start(&mut engine, "startpos", limits));
        assert!(matches!(best.answer, Answer::Move(_)));
    }
    engine.set_option("Threads", "1").unwrap();
    engine.is_ready(&mut |_| ());
    let (_, best) = listen(&start(&mut engine, "startpos", Limits::to_depth(2)));
    assert!(matches!(best.answer, Answer::Move(_)));
}

#[test]
fn a_beginner_plays_legal_and_varied_moves() {
    let mut engine = engine::<Shogi>(wall());
    engine.set_option("SkillLevel", "0").unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..12 {
        let (_, best) = listen(&start(&mut engine, "startpos", Limits::default()));
        let Answer::Move(m) = best.answer else { panic!("{best:?}") };
        assert!(Position::<Shogi>::startpos().is_legal(m));
        seen.insert(m);
    }
    assert!(seen.len() > 1, "{seen:?}");
    // But a mate in one is not missed.
    let sfen = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    assert_eq!(usi(listen(&start(&mut engine, sfen, Limits::default())).1.answer), "G*5b");
}

#[test]
fn the_move_limit_is_a_draw() {
    // Black is far ahead, but the game is over after this move.
    let sfen = "4k4/9/9/9/9/9/9/9/R3K3R b - 100";
    let mut engine = engine::<Shogi>(wall());
    engine.set_option("MaxMovesToDraw", "100").unwrap();
    engine.set_option("DrawValueBlack", "-40").unwrap();
    let (before, _) = listen(&start(&mut engine, sfen, Limits::to_depth(4)));
    let Some(Message::Info(last)) = before.last() else { panic!() };
    assert_eq!(last.score.unwrap().0, Score::Cp(-40));
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

#[test]
fn a_search_stopped_at_once_still_keeps_to_the_moves_asked_for() {
    let mut engine = engine::<Shogi>(wall());
    let only = Move::from_usi(Game::Shogi, "9i9h").unwrap();
    let limits =
        Limits { searchmoves: vec![only], nodes: Some(1), ponder: true, ..Limits::default() };
    let said = start(&mut engine, "startpos", limits);
    engine.control().stop();
    let (before, best) = listen(&said);
    assert_eq!(best.answer, Answer::Move(only));
    // Though nothing was read, a whole line comes before the answer.
    let [Message::Info(line)] = &before[..] else { panic!("{before:?}") };
    assert!(line.pv == [only] && line.nps.is_some() && line.hashfull.is_some(), "{line:?}");
}

/// One thread of a search at a position, with nothing read.
fn worker(
    engine: &mut AlphaBeta<Shogi, AnyEvaluator<Shogi>>,
    sfen: &str,
) -> Worker<Shogi, AnyEvaluator<Shogi>> {
    engine.position = Position::from_sfen(sfen).unwrap();
    let shared = engine.shared();
    let eval = AnyEvaluator::new(Arc::clone(&engine.weights));
    let mut worker = Worker::new(0, eval, Arc::clone(&shared));
    worker.begin(shared, engine.position.clone(), Vec::new());
    worker
}

#[test]
fn probcut_leaves_the_evaluation_uncorrected_in_the_table() {
    let mut engine = engine::<Shogi>(wall());
    let mut worker = worker(&mut engine, "4k4/9/9/9/4r4/4P4/9/9/4K4 b - 1");
    let (raw, pawns) = (worker.evaluate(), worker.pawns());
    let slots = worker.correction_slots(1, pawns);
    for _ in 0..50 {
        let params = &worker.params;
        worker.history.update_correction(&slots, 90, 10, true, params);
    }
    assert!(worker.corrected(raw, &slots) > raw + 20);
    let value = worker.search::<crate::node::Cut>(1, -1, 0, 5, true);
    let entry = worker.shared.table.get(worker.pos.key()).unwrap();
    assert!(value >= 0 && entry.depth == 5 - worker.params.probcut_table, "{value} {entry:?}");
    assert_eq!(entry.eval, raw);
}

#[test]
fn killers_come_in_their_order_if_asked_to() {
    let mut engine = engine::<Shogi>(wall());
    let mut worker = worker(&mut engine, <Shogi as Variant>::START);
    let m = worker.pos.parse_usi("7g7f").unwrap();
    worker.reward_quiet(1, m, 100);
    let first = |worker: &Worker<Shogi, AnyEvaluator<Shogi>>| {
        let hints = worker.hints(1, Move::NONE, 0);
        (hints.killers[0], hints.counter)
    };
    assert_eq!(first(&worker), (m, m));
    worker.params.refutations = 0;
    assert_eq!(first(&worker), (Move::NONE, Move::NONE));
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

/// Nodes of three searches one after the other, the last of them of a position with threats of mate.
fn nodes_with(options: &[(&str, i32)]) -> u64 {
    let mut engine = engine::<Shogi>(wall());
    engine.set_option("RootMateNodes", "0").unwrap();
    for (name, value) in options {
        engine.set_option(&format!("Param.{name}"), &value.to_string()).unwrap();
    }
    let middle = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
    let ending = "l1S3snl/1RGnk4/3gpn1+Pp/pP3pB2/9/P2P5/1S2PPP1P/3+p1K3/L1r2GSNL w G5Pb 86";
    let searches = [(middle, 9), (middle, 11), (ending, 12)].map(|(sfen, depth)| {
        let (said, _) = listen(&start(&mut engine, sfen, Limits::to_depth(depth)));
        let nodes = |message: &Message| match message {
            Message::Info(info) => info.nodes,
            _ => None,
        };
        said.iter().filter_map(nodes).max().unwrap()
    });
    searches.iter().sum()
}

/// Numbers that are off unless somebody asks for them make another search of it, and so do those that are on.
#[test]
fn numbers_that_are_off_change_the_search_when_on() {
    let usual = nodes_with(&[]);
    assert_eq!(usual, nodes_with(&[]));
    let on: &[&[(&str, i32)]] = &[
        &[("threat_margin", 400)],
        &[("lmr_threat", 1024)],
        &[("order_parry", 12_000)],
        &[("danger_margin", 200)],
        &[("lmr_danger", 1024)],
        &[("lmr_attack", 1024)],
        &[("history_kept", 71)],
        &[("stat_tried", 4)],
        &[("stat_malus_kept", 95)],
        &[("stat_capture_malus", 140)],
        &[("stat_refuted", 60)],
        &[("null_surplus", 50)],
        &[("probcut_reduction_improving", 1)],
        &[("table_blocked", 1)],
        &[("lmr_singular", 1024)],
        &[("line_followed", 1), ("iir_pv", 3)],
        &[("line_followed", 2)],
        &[("aspiration_squared", 9000)],
        &[("lmr_worsening_share", 40)],
        &[("lmr_number", 40)],
        &[("lmr_correction", 5)],
        &[("lmr_cut_unknown", 1024)],
        &[("lmr_all", 273)],
        &[("lmr_deepest", 2)],
        &[("triple_margin", 60)],
        &[("double_pv", 60)],
        &[("singular_deeper", 14)],
        &[("rfp_opponent", 30)],
        &[("rfp_unknown", 20)],
        &[("iir_reduced", 1)],
        &[("lmp_growth", 150)],
        &[("futility_unfound", 100)],
        &[("stat_table", 300)],
        &[("pawn_bits", 11)],
        &[("order_near", 8)],
        &[("heed_attacked", 0)],
        &[("heed_attacked", 1)],
        &[("heed_attacked", 2)],
        &[("futility_floor", -1)],
        &[("probcut_return", 0)],
    ];
    let same: Vec<_> = on.iter().filter(|options| nodes_with(options) == usual).collect();
    assert!(same.is_empty(), "{usual} nodes with {same:?} too");
}
