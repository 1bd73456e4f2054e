use super::*;
use eval::{AnyEvaluator, AnyWeights, Material, PIECE_VALUES};
use rules::{Game, Move, Shogi};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};
use think::{Answer, Best, Clocks, Info, ManualTime, MateAnswer, PonderHit, Score, WallTime};

mod lines;
mod mates;
mod numbers;

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
