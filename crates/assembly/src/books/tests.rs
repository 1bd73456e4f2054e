use super::*;
use crate::Equipped;
use book::{BookMove, Combine, Entry, Header, Target};
use rules::Move;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use think::key::universal::HASH;
use think::{Engine, ManualTime, MateLimit, Moment, PonderHit};

/// Notes, lines, the answer.
type Message = (Vec<String>, Vec<Info>, Option<Best>);

/// What an engine said.
#[derive(Clone, Default)]
struct LastReport(Arc<Mutex<Message>>);

impl Report for LastReport {
    fn info(&mut self, info: &Info) {
        self.0.lock().unwrap().1.push(info.clone());
    }

    fn note(&mut self, text: &str) {
        self.0.lock().unwrap().0.push(text.to_owned());
    }

    fn best(&mut self, best: &Best) {
        self.0.lock().unwrap().2 = Some(*best);
    }

    fn mate(&mut self, _: &MateAnswer) {}
}

const GAME: Game = Game::Minishogi;

fn start() -> AnyPosition {
    AnyPosition::startpos(GAME)
}

/// A book of one position with a move nobody would find, and an engine that uses it.
fn engine(folder: &Path) -> (Equipped, Move, Move) {
    let path = folder.join("odd.nbk");
    let odd = *start().legal_moves().last().unwrap();
    let mut after = start();
    after.play(odd);
    let reply = after.legal_moves()[0];
    let mut entry = Entry::of(&start()).unwrap();
    entry.moves = vec![BookMove { reply: Some(reply), ..BookMove::valued(odd, 12, 3) }];
    let mut target = Target::new(&path, None, Header::new(GAME), Combine::Both, 1 << 20).unwrap();
    target.push(entry).unwrap();
    target.finish(true).unwrap();
    let mut engine = Equipped::new(GAME, Arc::new(ManualTime::new()));
    engine.set_option(HASH.name(), "4").unwrap();
    engine.set_option("EvalDir", "material").unwrap();
    engine.set_option(BOOK_FILE.name(), &path.display().to_string()).unwrap();
    (engine, odd, reply)
}

fn heard(engine: &mut Equipped, limits: Limits) -> Message {
    let heard = LastReport::default();
    engine.set_position(start()).unwrap();
    let (infinite, ponder) = (limits.infinite, limits.ponder);
    engine.go(limits, Box::new(heard.clone()));
    if infinite || ponder {
        engine.control().stop();
    }
    engine.wait();
    let heard = heard.0.lock().unwrap();
    heard.clone()
}

/// Whether a line says all that is expected of one.
fn is_whole(info: &Info) -> bool {
    let figures = info.nodes.is_some() && info.nps.is_some() && info.hashfull.is_some();
    figures && info.depth.is_some() && info.score.is_some() && info.time.is_some()
}

#[test]
fn a_book_answers_at_once_and_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let (mut engine, odd, reply) = engine(folder.path());
    let (notes, infos, best) = heard(&mut engine, Limits::to_depth(1));
    assert_eq!(best, Some(Best { answer: Answer::Move(odd), ponder: Some(reply) }));
    assert!(notes.iter().any(|note| note.starts_with("book: found in")), "{notes:?}");
    let chosen = format!("book: {} (value 12, depth 3, count 0) chosen", odd.usi(GAME));
    assert!(notes.contains(&chosen), "{notes:?}");
    assert_eq!(infos[0].pv, [odd, reply]);
    assert!(is_whole(&infos[0]), "{infos:?}");
    // Where the game does not go on from it, the search does.
    let mut elsewhere = start();
    elsewhere.play(start().legal_moves()[0]);
    engine.set_position(elsewhere).unwrap();
    let heard = LastReport::default();
    engine.go(Limits::to_depth(1), Box::new(heard.clone()));
    engine.wait();
    let heard = heard.0.lock().unwrap();
    assert!(heard.2.is_some() && heard.0.iter().any(|note| note.contains("not in the book")));
}

#[test]
fn a_move_without_a_value_is_told_with_that_of_the_position() {
    let folder = tempfile::tempdir().unwrap();
    let (mut engine, odd, _) = engine(folder.path());
    let path = folder.path().join("plain.nbk");
    let mut entry = Entry::of(&start()).unwrap();
    entry.moves = vec![BookMove { value: None, ..BookMove::valued(odd, 0, 0) }];
    let mut target = Target::new(&path, None, Header::new(GAME), Combine::Both, 1 << 20).unwrap();
    target.push(entry).unwrap();
    target.finish(true).unwrap();
    engine.set_option(BOOK_FILE.name(), &path.display().to_string()).unwrap();
    let (_, infos, best) = heard(&mut engine, Limits::to_depth(1));
    assert_eq!(best.unwrap().answer, Answer::Move(odd));
    assert!(is_whole(&infos[0]), "{infos:?}");
    assert_eq!(infos[0].score, Some((Score::Cp(0), Bound::Exact)), "material is level");
}

#[test]
fn analysis_and_questions_are_not_answered_from_a_book() {
    let folder = tempfile::tempdir().unwrap();
    let (mut engine, odd, _) = engine(folder.path());
    let other = start().legal_moves()[0];
    let depth = Limits::to_depth(1);
    for limits in [
        Limits { infinite: true, ..depth.clone() },
        Limits { searchmoves: vec![other], ..depth.clone() },
        Limits { mate: Some(MateLimit::Time(Duration::from_millis(1))), ..Limits::default() },
    ] {
        let (notes, ..) = heard(&mut engine, limits);
        assert!(!notes.iter().any(|note| note.contains("chosen")), "{notes:?}");
    }
    for (name, value) in [ANALYSIS_MODE.to(true), OWN_BOOK.to(false)] {
        engine.set_option(name, &value).unwrap();
        let (notes, ..) = heard(&mut engine, depth.clone());
        assert!(!notes.iter().any(|note| note.contains("chosen")), "{name}: {notes:?}");
        let (name, value) = ANALYSIS_MODE.to(false);
        engine.set_option(name, &value).unwrap();
    }
    engine.set_option(OWN_BOOK.name(), "true").unwrap();
    let (_, _, best) = heard(&mut engine, depth);
    assert_eq!(best.unwrap().answer, Answer::Move(odd), "and again where it is asked for");
}

#[test]
fn the_opponents_time_is_used_where_the_book_knows_the_answer() {
    let folder = tempfile::tempdir().unwrap();
    let (mut engine, odd, reply) = engine(folder.path());
    let limits = Limits { ponder: true, depth: Some(3), ..Limits::default() };
    let (_, infos, best) = heard(&mut engine, limits);
    assert!(infos.iter().any(|info| info.nodes.is_some()), "a search ran");
    assert_eq!(best, Some(Best { answer: Answer::Move(odd), ponder: Some(reply) }));
}

#[test]
fn at_the_ponder_hit_the_books_move_is_played_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let (mut engine, odd, reply) = engine(folder.path());
    let heard = LastReport::default();
    engine.set_position(start()).unwrap();
    // Nothing else would ever end this search.
    let limits = Limits { ponder: true, ..Limits::default() };
    engine.go(limits, Box::new(heard.clone()));
    assert!(heard.0.lock().unwrap().2.is_none(), "while the opponent thinks nothing is played");
    assert!(engine.control().ponderhit(PonderHit { at: Moment::default(), clocks: None }));
    engine.wait();
    let best = heard.0.lock().unwrap().2;
    assert_eq!(best, Some(Best { answer: Answer::Move(odd), ponder: Some(reply) }));
    // The search has told lines of its own: the book's is the last.
    let infos = &heard.0.lock().unwrap().1;
    assert!(infos.last().is_some_and(|last| is_whole(last) && last.pv[0] == odd), "{infos:?}");
}

#[test]
fn the_book_inside_the_executable_is_played_where_it_is_asked_for() {
    for game in [Game::Shogi, Game::Minishogi] {
        let mut engine = Equipped::new(game, Arc::new(ManualTime::new()));
        for (name, value) in [(HASH.name(), "4"), ("EvalDir", "material")] {
            engine.set_option(name, value).unwrap();
        }
        let mut played = |file: &str| {
            engine.set_option(BOOK_FILE.name(), file).unwrap();
            engine.set_position(AnyPosition::startpos(game)).unwrap();
            let heard = LastReport::default();
            engine.go(Limits::to_depth(1), Box::new(heard.clone()));
            engine.wait();
            let heard = heard.0.lock().unwrap();
            heard.0.iter().any(|note| note == "book: found in small_book")
        };
        assert!(played("small_book") && !played("no_book"), "{game}");
    }
}

#[test]
fn a_book_that_cannot_be_read_is_told_once_and_played_without() {
    let folder = tempfile::tempdir().unwrap();
    let (mut engine, ..) = engine(folder.path());
    engine.set_option(BOOK_FILE.name(), "nowhere.db").unwrap();
    let mut notes = Vec::new();
    engine.is_ready(&mut |note| notes.push(note.to_owned()));
    assert!(notes.iter().any(|note| note.contains("nowhere.db")), "{notes:?}");
    let (notes, _, best) = heard(&mut engine, Limits::to_depth(1));
    assert!(best.is_some() && !notes.iter().any(|note| note.contains("nowhere")), "{notes:?}");
}

#[test]
fn options_are_the_policy() {
    let settings = Settings::new(specs());
    assert_eq!(policy(&settings), Policy::default());
    assert!(specs().iter().any(|spec| spec.is_called("bookpvmoves")));
}
