use super::*;
use crate::tree::Tree;
use infer::{Hashed, Shape, Uniform};
use rules::{Color, Game, Minishogi, Move, Shogi};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;
use think::{
    Answer, Best, Clocks, Info, ManualTime, MateAnswer, MateLimit, PonderHit, Score, WallTime,
};

mod backends;
mod endurance;
mod reports;
use backends::{Broken, Habit, Later, Lying};

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

fn shape(game: Game) -> Shape {
    use features::{Labels, Planes};
    match game {
        Game::Shogi => Shape { game, planes: Planes::Dlshogi, labels: Labels::Dlshogi },
        Game::Minishogi => Shape { game, planes: Planes::Minishogi, labels: Labels::Minishogi },
    }
}

fn wall() -> Arc<dyn TimeSource> {
    Arc::new(WallTime::start())
}

/// A small engine with one thread that does not look for mates by itself.
fn engine_with<V: Variant>(backend: Arc<dyn Backend>, options: &[(&str, &str)]) -> Puct<V> {
    let mut engine = Puct::new(wall(), backend);
    let usual = [("USI_Hash", "16"), ("UCT_Threads", "1"), ("RootMateNodes", "0")];
    for (name, value) in usual.iter().chain(options) {
        engine.set_option(name, value).unwrap();
    }
    engine
}

fn engine<V: Variant>(options: &[(&str, &str)]) -> Puct<V> {
    engine_with(Arc::new(Hashed::new(shape(V::GAME), 1)), options)
}

fn position<V: Variant>(sfen: &str, moves: &str) -> AnyPosition {
    let mut position = match sfen {
        "startpos" => AnyPosition::startpos(V::GAME),
        _ => AnyPosition::from_sfen(V::GAME, sfen).unwrap(),
    };
    for text in moves.split_whitespace() {
        let m = position.parse_usi(text).unwrap();
        position.play(m);
    }
    position
}

fn nodes(nodes: u64) -> Limits {
    Limits { nodes: Some(nodes), ..Limits::default() }
}

fn start<V: Variant>(engine: &mut Puct<V>, sfen: &str, limits: Limits) -> Receiver<Message> {
    engine.set_position(position::<V>(sfen, "")).unwrap();
    go(engine, limits)
}

fn go<V: Variant>(engine: &mut Puct<V>, limits: Limits) -> Receiver<Message> {
    let (sender, said) = channel();
    engine.go(limits, Box::new(Listener(sender)));
    said
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

fn last_info(said: &[Message]) -> &Info {
    let info = |said: &Message| matches!(said, Message::Info(_));
    match said.iter().rfind(|said| info(said)) {
        Some(Message::Info(info)) => info,
        _ => panic!("no line in {said:?}"),
    }
}

fn usi(answer: Answer) -> String {
    match answer {
        Answer::Move(m) => m.usi(Game::Shogi),
        other => format!("{other:?}"),
    }
}

/// The tree after the search has come to rest, found sound.
fn sound_tree<V: Variant>(engine: &mut Puct<V>) -> Arc<Tree> {
    engine.wait();
    let memory = engine.memory.clone().unwrap();
    let tree = memory.tree;
    let nodes = tree.check().unwrap_or_else(|wrong| panic!("{wrong}"));
    let mib = engine.settings.get(&HASH);
    let kept = memory.cache.map_or(0, |cache| cache.usage().bytes);
    let bytes = tree.arena.bytes() + kept;
    assert!(bytes <= mib << 20, "{bytes} bytes of {mib} MiB, {kept} of them answers");
    assert!(nodes > 0);
    tree
}

/// Every number of the tree.
fn fingerprint(tree: &Tree) -> u64 {
    let mut open = vec![(0, tree.root())];
    let mut hash = 0u64;
    while let Some((number, index)) = open.pop() {
        let node = tree.node(index);
        let stats = node.stats();
        let numbers = [stats.visits, stats.wins as u64, stats.squares as u64, number as u64];
        hash = seed::Rng::for_purpose(hash, &numbers).bits();
        open.extend(tree.arena.children(node));
    }
    hash
}

#[test]
fn one_thread_grows_the_same_tree_every_time() {
    fn check<V: Variant>(options: &[(&str, &str)]) {
        let grow = || {
            let mut engine = engine::<V>(options);
            let (before, best) = listen(&start(&mut engine, "startpos", nodes(1500)));
            assert_eq!(last_info(&before).nodes, Some(1500));
            let tree = sound_tree(&mut engine);
            assert_eq!(tree.node(tree.root()).visits(), 1500);
            (fingerprint(&tree), best)
        };
        assert_eq!(grow(), grow());
    }
    check::<Shogi>(&[]);
    check::<Shogi>(&[("PUCT_Constants", "lc0")]);
    check::<Shogi>(&[("PUCT_Constants", "AlphaZero"), ("DNN_Batch_Size", "5")]);
    check::<Shogi>(&[("Dirichlet_Noise", "25"), ("Edge_Noise", "3"), ("Noise_Seed", "9")]);
    check::<Minishogi>(&[]);
}

#[test]
fn what_was_read_is_forgotten_when_somebody_asks_for_it() {
    let mut engine = engine::<Shogi>(&[]);
    listen(&start(&mut engine, "startpos", nodes(300)));
    engine.wait();
    let kept = engine.memory_of_position().tree;
    assert_eq!(kept.node(kept.root()).visits(), 300, "the same position again goes on");
    engine.set_option(CLEAR_HASH.name(), "").unwrap();
    assert_eq!(engine.memory_of_position().tree.root(), 0);
}

#[test]
fn many_threads_leave_a_sound_tree() {
    for (threads, limit) in [("4", 4000), ("7", 300)] {
        let mut engine = engine::<Shogi>(&[("UCT_Threads", threads)]);
        let (before, _) = listen(&start(&mut engine, "startpos", nodes(limit)));
        let tree = sound_tree(&mut engine);
        assert_eq!(tree.node(tree.root()).visits(), limit);
        assert_eq!(last_info(&before).nodes, Some(limit));
    }
}

/// A cap of one MiB holds some 2,000 nodes: the search goes on far beyond, and stays under it.
#[test]
fn a_tiny_cap_is_kept_and_never_stops_the_search() {
    for (threads, share) in [("1", "0"), ("1", "50"), ("3", "12")] {
        let options = [("USI_Hash", "1"), ("UCT_Threads", threads), ("DNN_Cache_Share", share)];
        let mut engine = engine::<Shogi>(&options);
        let (before, _) = listen(&start(&mut engine, "startpos", nodes(30_000)));
        let tree = sound_tree(&mut engine);
        assert_eq!(tree.node(tree.root()).visits(), 30_000);
        assert!(tree.arena.lock().recycled > 1000);
        assert!(last_info(&before).hashfull.unwrap() > 900);
    }
}

#[test]
fn what_was_read_is_kept_when_the_game_goes_on() {
    let mut engine = engine::<Shogi>(&[]);
    let (_, best) = listen(&start(&mut engine, "startpos", nodes(3000)));
    let tree = sound_tree(&mut engine);
    let Answer::Move(m) = best.answer else { panic!("{best:?}") };
    let line = engine_line(&tree);
    assert_eq!(line[0], m);
    let moves: Vec<String> = line[..2].iter().map(|m| m.usi(Game::Shogi)).collect();
    let grandchild = {
        let root = tree.root();
        let child = child(&tree, root, line[0]);
        tree.node(self::child(&tree, child, line[1])).visits()
    };
    assert!(grandchild > 1, "{grandchild}");
    let used = tree.arena.permille();
    engine.set_position(position::<Shogi>("startpos", &moves.join(" "))).unwrap();
    let (before, _) = listen(&go(&mut engine, nodes(200)));
    assert_eq!(last_info(&before).nodes, Some(200), "new playouts");
    let tree = sound_tree(&mut engine);
    assert_eq!(tree.node(tree.root()).visits(), grandchild + 200);
    assert!(tree.arena.permille() <= used, "what was cut off is used again");
    // Another game, or an option that changes values, begins anew.
    engine.set_position(position::<Shogi>("startpos", "2g2f 8c8d 2f2e")).unwrap();
    listen(&go(&mut engine, nodes(50)));
    let tree = sound_tree(&mut engine);
    assert_eq!(tree.node(tree.root()).visits(), 50);
    engine.set_option("Softmax_Temperature", "100").unwrap();
    listen(&go(&mut engine, nodes(60)));
    let tree = sound_tree(&mut engine);
    assert_eq!(tree.node(tree.root()).visits(), 60);
}

fn child(tree: &Tree, index: u32, m: Move) -> u32 {
    tree.visited(index).into_iter().find(|(edge, _)| edge.mv == m).unwrap().1
}

/// The most visited moves from the root.
fn engine_line(tree: &Tree) -> Vec<Move> {
    let (mut index, mut line) = (tree.root(), Vec::new());
    while let Some((edge, child)) =
        tree.visited(index).into_iter().max_by_key(|&(_, child)| tree.node(child).visits())
    {
        line.push(edge.mv);
        index = child;
    }
    line
}

#[test]
fn mates_are_found_by_the_tree_itself() {
    // A gold in hand: mate in one.
    let sfen = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    let mut engine = engine::<Shogi>(&[]);
    let (before, best) = listen(&start(&mut engine, sfen, nodes(5000)));
    assert_eq!(usi(best.answer), "G*5b");
    assert_eq!(last_info(&before).score.unwrap().0, Score::Mate(Some(1)));
    assert_eq!(last_info(&before).pv.len(), 1);
    // Mated: resigns.
    let sfen = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
    let (_, best) = listen(&start(&mut engine, sfen, nodes(100)));
    assert_eq!(best.answer, Answer::Resign);
    // Nothing helps: the side to move is told in how many plies it is mated.
    let sfen = "4k4/9/3+R+R4/9/9/9/9/9/4K4 w G 1";
    let (before, _) = listen(&start(&mut engine, sfen, nodes(5000)));
    let score = last_info(&before).score.unwrap().0;
    assert!(matches!(score, Score::Mated(Some(plies)) if plies % 2 == 0), "{score:?}");
}

/// A position of shogi with a mate of at least so many plies, found at random.
fn problem(plies: usize) -> String {
    let mut rng = seed::Rng::new(3);
    loop {
        let mut squares: Vec<usize> = (0..45).collect();
        rng.shuffle(&mut squares);
        let mut board = ['.'; 81];
        board[76] = 'K';
        for (&square, piece) in squares.iter().zip(['k', 'R', 'G', 'p', 'g', 's', 'S']) {
            board[square] = piece;
        }
        let sfen = format!("{} b GSrb 1", rows(&board, 9));
        let Ok(pos) = Position::<Shogi>::from_sfen(&sfen) else { continue };
        let bounds = mate::Bounds { nodes: Some(20_000), hash: 8 << 20, ..Default::default() };
        let solution = mate::solve(&pos, &bounds, &Control::default(), &*wall());
        if solution.verdict == mate::Verdict::Mate && solution.line.len() >= plies {
            return sfen;
        }
    }
}

/// A board as SFEN writes it, with a dot for an empty square.
fn rows(board: &[char], size: usize) -> String {
    let row = |row: &[char]| {
        let text: String = row.iter().collect();
        (1..=size).rev().fold(text, |text, n| text.replace(&".".repeat(n), &n.to_string()))
    };
    board.chunks(size).map(row).collect::<Vec<_>>().join("/")
}

#[test]
fn proofs_beside_the_search_are_verified_and_played() {
    let sfen = problem(7);
    // With a core to spare, and without one.
    for processors in [8, 1] {
        let mut engine = engine::<Shogi>(&[("RootMateNodes", "20000")]);
        engine.processors = processors;
        let limits = Limits { movetime: Some(Duration::from_secs(20)), ..Limits::default() };
        let begun = Instant::now();
        let (before, best) = listen(&start(&mut engine, &sfen, limits));
        let info = last_info(&before);
        assert!(matches!(info.score.unwrap().0, Score::Mate(Some(7..))), "{info:?}");
        assert_eq!(best.answer, Answer::Move(info.pv[0]));
        assert!(begun.elapsed() < Duration::from_secs(15));
    }
}

#[test]
fn mates_along_the_best_line_are_proven_in_the_tree() {
    // White's only moves lead into the problem: the proof is found one ply below the root.
    let sfen = problem(7).replace(" b ", " w ");
    let options = [("PV_Mate_Search_Threads", "2"), ("Leaf_Mate_Search", "false")];
    let limits = Limits { movetime: Some(Duration::from_millis(300)), ..Limits::default() };
    // On a busy machine those threads may have to wait for their turn. A tree that is settled is not
    // looked at again: each time another one.
    let found = (0..50).any(|_| {
        let mut engine = engine::<Shogi>(&options);
        listen(&start(&mut engine, &sfen, limits.clone()));
        let tree = sound_tree(&mut engine);
        let proven = |&(_, child): &(_, u32)| {
            let bounds = tree.node(child).bounds();
            bounds.outcome().is_some() && bounds.plies > 1
        };
        tree.visited(tree.root()).iter().any(proven)
    });
    assert!(found);
}

#[test]
fn declarations_limits_and_go_mate() {
    let mut engine = engine::<Shogi>(&[]);
    let entered = "K1+P+P+P+P+P+P+P/+P+P+P+P5/9/9/9/9/9/9/4k4 b 2R2B 1";
    let (_, best) = listen(&start(&mut engine, entered, nodes(100)));
    assert_eq!(best.answer, Answer::Win);
    engine.set_option("EnteringKingRule", "NoEnteringKing").unwrap();
    let (_, best) = listen(&start(&mut engine, entered, nodes(100)));
    assert!(matches!(best.answer, Answer::Move(_)));
    // One move before the limit everything is drawn.
    engine.set_option("MaxMovesToDraw", "1").unwrap();
    let (before, _) = listen(&start(&mut engine, "startpos", nodes(200)));
    assert_eq!(last_info(&before).score.unwrap().0, Score::Cp(-2), "as DrawValueBlack says");
    let mate = Limits { mate: Some(MateLimit::Infinite), ..Limits::default() };
    let said = start(&mut engine, "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", mate);
    let Message::Mate(MateAnswer::Mate(line)) = said.recv().unwrap() else { panic!() };
    assert_eq!(line.len(), 1);
}

#[test]
fn moves_asked_for_are_the_only_ones_considered() {
    let mut engine = engine::<Shogi>(&[("MultiPV", "9")]);
    let root = Position::<Shogi>::startpos();
    let asked: Vec<Move> = ["9i9h", "5g5f"].map(|m| root.parse_usi(m).unwrap()).to_vec();
    let limits = Limits { searchmoves: asked.clone(), ..nodes(500) };
    let (before, best) = listen(&start(&mut engine, "startpos", limits));
    let Answer::Move(m) = best.answer else { panic!() };
    assert!(asked.contains(&m));
    for said in &before {
        let Message::Info(info) = said else { panic!("{said:?}") };
        assert!(asked.contains(&info.pv[0]) && info.multipv.unwrap() <= 2);
    }
    sound_tree(&mut engine);
}

#[test]
fn lines_told_may_change_while_searching() {
    let mut engine = engine::<Shogi>(&[("PvInterval", "0")]);
    let said = start(&mut engine, "startpos", Limits { infinite: true, ..Limits::default() });
    let mut ranks = Vec::new();
    engine.set_option("MultiPV", "3").unwrap();
    let begun = Instant::now();
    while !ranks.contains(&Some(3)) && begun.elapsed() < Duration::from_secs(30) {
        if let Message::Info(info) = said.recv_timeout(Duration::from_secs(30)).unwrap() {
            ranks.push(info.multipv);
        }
    }
    assert!(ranks.contains(&Some(3)));
    engine.control().stop();
    listen(&said);
    sound_tree(&mut engine);
}

#[test]
fn gumbel_plays_every_playout_and_chooses_among_the_considered() {
    let options = [("Gumbel_Moves", "4"), ("Noise_Seed", "3")];
    let mut engine = engine::<Shogi>(&options);
    let (_, best) = listen(&start(&mut engine, "startpos", nodes(65)));
    let tree = sound_tree(&mut engine);
    let mut visits: Vec<u64> =
        tree.visited(tree.root()).iter().map(|&(_, child)| tree.node(child).visits()).collect();
    visits.sort_unstable();
    assert_eq!(visits.iter().sum::<u64>(), 64);
    assert_eq!(visits.len(), 4, "{visits:?}");
    assert!(visits[0] == 8 && visits[3] == 24, "{visits:?}");
    let Answer::Move(m) = best.answer else { panic!() };
    let chosen = child(&tree, tree.root(), m);
    assert!(tree.node(chosen).visits() >= 16);
}

#[test]
fn a_stop_is_answered_at_once_whatever_the_net_does() {
    let slow = Habit { delay: Duration::from_millis(300), ..Habit::default() };
    let backend = Arc::new(Later::new(shape(Game::Shogi), slow));
    let mut engine = engine_with::<Shogi>(backend, &[]);
    // The quickest of a few: other work on the machine is not what is measured.
    let quick = (0..5).any(|_| {
        let said = start(&mut engine, "startpos", Limits { infinite: true, ..Limits::default() });
        thread::sleep(Duration::from_millis(700));
        let begun = Instant::now();
        engine.control().stop();
        listen(&said);
        let after = begun.elapsed();
        sound_tree(&mut engine);
        after < Duration::from_millis(100)
    });
    assert!(quick, "a stop waits for the net");
    // Before the first answer of the net too.
    let said = start(&mut engine, "startpos", Limits { infinite: true, ..Limits::default() });
    engine.control().stop();
    listen(&said);
    sound_tree(&mut engine);
}

#[test]
fn answers_in_any_order_leave_the_tree_sound() {
    let habit = Habit { delay: Duration::from_micros(200), reorder: true };
    for threads in ["1", "3"] {
        let backend = Arc::new(Later::new(shape(Game::Shogi), habit));
        let options = [("UCT_Threads", threads), ("DNN_Batch_Size", "8")];
        let mut engine = engine_with::<Shogi>(backend, &options);
        listen(&start(&mut engine, "startpos", nodes(3000)));
        let tree = sound_tree(&mut engine);
        assert_eq!(tree.node(tree.root()).visits(), 3000);
    }
}

fn notes(said: &[Message]) -> Vec<&str> {
    let notes = said.iter().filter_map(|said| match said {
        Message::Note(text) => Some(text.as_str()),
        _ => None,
    });
    notes.collect()
}

#[test]
fn nonsense_now_and_then_is_told_and_does_not_end_the_search() {
    let backend = Arc::new(Broken::new(shape(Game::Shogi), |number| number % 5 == 3, None));
    let mut engine = engine_with::<Shogi>(backend, &[]);
    let (before, _) = listen(&start(&mut engine, "startpos", nodes(1000)));
    let tree = sound_tree(&mut engine);
    assert_eq!(tree.node(tree.root()).visits(), 1000);
    let notes = notes(&before);
    assert!(!notes.is_empty() && notes[0].contains("nonsense"), "{notes:?}");
}

#[test]
fn a_net_that_dies_is_told_and_answered_for() {
    for (nonsense, dies) in [(false, Some(20)), (false, Some(0)), (true, None)] {
        for threads in ["1", "3"] {
            let backend = Broken::new(shape(Game::Shogi), move |_| nonsense, dies);
            let options = [("UCT_Threads", threads)];
            let mut engine = engine_with::<Shogi>(Arc::new(backend), &options);
            let clocks = Clocks { byoyomi: Duration::from_secs(120), ..Clocks::default() };
            let limits = Limits { clocks: Some(clocks), ..Limits::default() };
            let begun = Instant::now();
            let (before, best) = listen(&start(&mut engine, "startpos", limits));
            assert!(begun.elapsed() < Duration::from_secs(60));
            let Answer::Move(m) = best.answer else { panic!("{best:?}") };
            assert!(Position::<Shogi>::startpos().is_legal(m));
            assert!(notes(&before).iter().any(|n| n.contains("cannot be used")), "{before:?}");
            sound_tree(&mut engine);
        }
    }
}

#[test]
fn clocks_are_kept_in_virtual_time() {
    let time = Arc::new(ManualTime::new());
    let mut engine = Puct::<Shogi>::new(time.clone(), Arc::new(Uniform::new(shape(Game::Shogi))));
    for (name, value) in [("USI_Hash", "16"), ("UCT_Threads", "1"), ("NetworkDelay2", "1000")] {
        engine.set_option(name, value).unwrap();
    }
    let clocks = Clocks { byoyomi: Duration::from_secs(10), ..Clocks::default() };
    let limits = Limits { clocks: Some(clocks), ..Limits::default() };
    let said = start(&mut engine, "startpos", limits.clone());
    time.advance(Duration::from_millis(8900));
    thread::sleep(Duration::from_millis(50));
    assert!(!said.try_iter().any(|said| matches!(said, Message::Best(_))));
    time.advance(Duration::from_millis(200));
    listen(&said);
    // Pondering costs nothing until the hit.
    let said = start(&mut engine, "startpos", Limits { ponder: true, start: time.now(), ..limits });
    time.advance(Duration::from_secs(1000));
    thread::sleep(Duration::from_millis(50));
    assert!(!said.try_iter().any(|said| matches!(said, Message::Best(_))));
    engine.control().ponderhit(PonderHit { at: time.now(), clocks: None });
    thread::sleep(Duration::from_millis(50));
    assert!(!said.try_iter().any(|said| matches!(said, Message::Best(_))));
    time.advance(Duration::from_secs(10));
    listen(&said);
    sound_tree(&mut engine);
}

/// What brute force says about the side to move: mates within so many plies, counted exactly.
fn brute<V: Variant>(pos: &mut Position<V>, plies: u32) -> Option<u32> {
    if plies == 0 {
        return None;
    }
    let mut best = None;
    for &m in &pos.legal_moves() {
        pos.play(m);
        let replies = pos.legal_moves();
        let mut longest = Some(0);
        for &reply in &replies {
            if longest.is_none() || plies < 2 {
                longest = None;
                break;
            }
            pos.play(reply);
            longest = brute(pos, plies - 2).and_then(|n| longest.map(|l| l.max(n + 1)));
            pos.undo();
        }
        pos.undo();
        if let Some(longest) = longest {
            best = Some(best.map_or(longest + 1, |b: u32| b.min(longest + 1)));
        }
    }
    best
}

/// On positions of minishogi with few pieces whatever the tree proves is what brute force finds.
#[test]
fn the_solver_agrees_with_brute_force() {
    let mut rng = seed::Rng::new(11);
    let (mut wins, mut open) = (0, 0);
    for _ in 0..200 {
        let mut squares: Vec<usize> = (0..25).collect();
        rng.shuffle(&mut squares);
        let mut board = ['.'; 25];
        for (&square, piece) in squares.iter().zip(['K', 'k', 'G', 'S', 'R', 'b']) {
            board[square] = piece;
        }
        let sfen = format!("{} b Sg 1", rows(&board, 5));
        let Ok(mut pos) = Position::<Minishogi>::from_sfen(&sfen) else { continue };
        if pos.is_mated() {
            continue;
        }
        let truth = brute(&mut pos, 3);
        let mut engine = engine::<Minishogi>(&[("Leaf_Mate_Search", "false")]);
        let (before, best) = listen(&start(&mut engine, &sfen, nodes(6000)));
        sound_tree(&mut engine);
        let score = last_info(&before).score.unwrap().0;
        match (truth, score) {
            (Some(plies), Score::Mate(Some(found))) => {
                assert!(found >= plies, "{sfen}: mate in {found}, brute force has {plies}");
                wins += 1;
                // The move keeps the win.
                let Answer::Move(m) = best.answer else { panic!() };
                pos.play(m);
                let replies = pos.legal_moves();
                for &reply in &replies {
                    pos.play(reply);
                    assert!(found > 3 || brute(&mut pos, 3).is_some(), "{sfen} {m:?} {reply:?}");
                    pos.undo();
                }
            }
            (Some(plies), other) => panic!("{sfen}: mate in {plies}, found {other:?}"),
            (None, Score::Mate(Some(found))) => assert!(found > 3, "{sfen}: no mate in {found}"),
            (None, _) => open += 1,
        }
    }
    assert!(wins > 20 && open > 20, "{wins} {open}");
}

#[test]
fn a_net_for_the_other_game_is_refused() {
    let made = std::panic::catch_unwind(|| {
        Puct::<Minishogi>::new(wall(), Arc::new(Uniform::new(shape(Game::Shogi))))
    });
    assert!(made.is_err());
    let mut engine = engine::<Shogi>(&[]);
    assert!(engine.set_position(AnyPosition::startpos(Game::Minishogi)).is_err());
}

#[test]
fn draws_are_worth_what_the_option_says() {
    // Each side can only shuffle its king: everything ends in repetition or goes on.
    let mut engine = engine::<Shogi>(&[("DrawValueBlack", "300"), ("MaxMovesToDraw", "1")]);
    let (before, _) = listen(&start(&mut engine, "startpos", nodes(100)));
    assert_eq!(last_info(&before).score.unwrap().0, Score::Cp(300));
    assert_eq!(Color::Black.index(), 0);
}
