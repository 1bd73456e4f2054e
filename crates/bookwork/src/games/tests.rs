use super::*;
use crate::searcher::no_fleet;
use rules::Game;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

/// Tells of moves what a script says, else that the first legal one is worth nothing.
#[derive(Clone)]
struct Script {
    values: Vec<(&'static str, &'static str, i32)>,
    searched: Arc<Mutex<Vec<String>>>,
    /// Searches after which it is interrupted.
    most: usize,
}

fn line(position: &AnyPosition) -> String {
    let moves = position.moves_played();
    moves.iter().map(|mv| mv.usi(Game::Minishogi)).collect::<Vec<_>>().join(" ")
}

impl Script {
    fn new(values: &[(&'static str, &'static str, i32)]) -> Self {
        Self { values: values.to_vec(), searched: Arc::default(), most: usize::MAX }
    }
}

impl Searcher for Script {
    fn name(&self) -> &str {
        "script"
    }

    fn search(
        &mut self,
        positions: &[AnyPosition],
        lines: usize,
        _: &AtomicBool,
    ) -> Result<Vec<Vec<BookMove>>, WorkError> {
        if self.searched.lock().unwrap().len() >= self.most {
            return Err(WorkError::interrupted());
        }
        let moves = |position: &AnyPosition| {
            self.searched.lock().unwrap().push(line(position));
            let said = self.values.iter().filter(|(at, ..)| *at == line(position));
            let mut moves: Vec<BookMove> = said
                .map(|&(_, mv, value)| BookMove::valued(position.parse_usi(mv).unwrap(), value, 1))
                .collect();
            if moves.is_empty() {
                moves.push(BookMove::valued(position.legal_moves()[0], 0, 1));
            }
            moves.truncate(lines);
            moves
        };
        Ok(positions.iter().map(moves).collect())
    }
}

fn play(book: &Path, games: u32, max_ply: u32) -> Play {
    let (eval, fleet, game) = (None, None, Game::Minishogi);
    let searching = Searching { nodes: 1, multipv: 2, widen: 0, eval, threads: 1, game, fleet };
    Play {
        book: book.to_owned(),
        position: "startpos".to_owned(),
        games,
        opponents: Vec::new(),
        opponent_time: None,
        concurrency: 1,
        eval_diff: 0,
        margin: 100,
        study: 4,
        max_value: 600,
        max_ply,
        new: None,
        seed: 1,
        searching,
    }
}

fn run(play: &Play, book: &Script, study: &Script, opponent: &Script) -> String {
    try_run(play, book, study, opponent).unwrap()
}

fn try_run(
    play: &Play,
    book: &Script,
    study: &Script,
    opponent: &Script,
) -> Result<String, WorkError> {
    let (mut output, stop) = (Vec::new(), AtomicBool::new(false));
    let (tell, fleet) = (&mut |_: &str| (), &no_fleet);
    let mut console = Console { output: &mut output, tell, stop: &stop, fleet };
    let players = |_| Players {
        book: Box::new(book.clone()),
        study: Box::new(study.clone()),
        opponents: vec![Box::new(opponent.clone())],
    };
    let mut players: Vec<Players> = (0..play.concurrency).map(players).collect();
    play.run_with(&mut players, &mut console)?;
    Ok(String::from_utf8(output).unwrap())
}

fn start() -> AnyPosition {
    AnyPosition::startpos(Game::Minishogi)
}

fn entry(play: &Play) -> Vec<(String, Option<i32>, u64, u64)> {
    let book = Growing::open(&play.book, Game::Minishogi).unwrap();
    let entry = book.found(&start()).unwrap().unwrap();
    let fact = |m: &BookMove| (m.mv.usi(Game::Minishogi), m.value, m.count, m.wins);
    entry.moves.iter().map(fact).collect()
}

#[test]
fn a_move_that_never_was_worse_stays_and_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let play = play(&folder.path().join("book.nbk"), 1, 9);
    let book = Script::new(&[("", "4e4d", 30), ("", "3e3d", 10), ("4e4d 2a2b", "4d4e", 700)]);
    let opponent = Script::new(&[("4e4d", "2a2b", -30)]);
    let study = Script::new(&[]);
    let text = run(&play, &book, &study, &opponent);
    assert!(text.contains("won 1") && text.contains("studied again 0"), "{text}");
    let expected = [("4e4d".to_owned(), Some(30), 1, 1), ("3e3d".to_owned(), Some(10), 0, 0)];
    assert_eq!(entry(&play), expected);
    assert!(study.searched.lock().unwrap().is_empty());
    // Asked again, the book knows.
    let asked = book.searched.lock().unwrap().len();
    run(&play, &book, &study, &opponent);
    assert_eq!(book.searched.lock().unwrap().len(), asked);
    assert_eq!(entry(&play)[0].2, 2);
}

#[test]
fn a_move_that_turned_out_worse_is_gone_back_to() {
    let folder = tempfile::tempdir().unwrap();
    let play = play(&folder.path().join("book.nbk"), 1, 3);
    let book = Script::new(&[("", "4e4d", 30), ("", "3e3d", 10), ("4e4d 2a2b", "4d4e", -250)]);
    let opponent = Script::new(&[("4e4d", "2a2b", -30)]);
    let study = Script::new(&[("", "4e4d", 25), ("", "1e1d", 15), ("", "3e3d", 5)]);
    let text = run(&play, &book, &study, &opponent);
    assert!(text.contains("not decided 1") && text.contains("studied again 1"), "{text}");
    assert_eq!(*study.searched.lock().unwrap(), [""]);
    // What came of the move is what it is worth now; the best of the study comes first.
    let expected = [
        ("1e1d".to_owned(), Some(15), 0, 0),
        ("3e3d".to_owned(), Some(5), 0, 0),
        ("4e4d".to_owned(), Some(-250), 1, 0),
    ];
    assert_eq!(entry(&play), expected);
}

#[test]
fn a_move_that_a_study_does_not_name_stays_one_of_the_books_own() {
    let folder = tempfile::tempdir().unwrap();
    let play = play(&folder.path().join("book.nbk"), 1, 3);
    let book = Script::new(&[("", "4e4d", 30), ("4e4d 2a2b", "4d4e", -250)]);
    let opponent = Script::new(&[("4e4d", "2a2b", -30)]);
    run(&play, &book, &Script::new(&[("", "1e1d", 15)]), &opponent);
    let book = Growing::open(&play.book, Game::Minishogi).unwrap();
    let moves = book.found(&start()).unwrap().unwrap().moves;
    let doubted = moves.iter().find(|m| m.mv.usi(Game::Minishogi) == "4e4d").unwrap();
    assert_eq!((doubted.value, doubted.source.as_deref()), (Some(-250), Some("script")));
}

#[test]
fn values_are_carried_through_what_opponents_played() {
    let folder = tempfile::tempdir().unwrap();
    let play = play(&folder.path().join("book.nbk"), 1, 3);
    let book = Script::new(&[("", "4e4d", 30), ("", "3e3d", 10), ("4e4d 2a2b", "4d4e", -40)]);
    let opponent = Script::new(&[("4e4d", "2a2b", -30)]);
    run(&play, &book, &Script::new(&[]), &opponent);
    let mut book = Growing::open(&play.book, Game::Minishogi).unwrap();
    let mut after = start();
    after.play(after.parse_usi("4e4d").unwrap());
    let reply = &book.found(&after).unwrap().unwrap().moves[0];
    assert_eq!((reply.value, reply.count, reply.wins), (None, 1, 0));
    assert!(!book.knows(&after).unwrap(), "no search has looked at it");
    book.propagate([0, 0], 1).unwrap();
    let first = &book.find(&start()).unwrap().unwrap().moves[0];
    assert_eq!((first.mv.usi(Game::Minishogi).as_str(), first.value), ("3e3d", Some(10)));
}

#[test]
fn a_move_stays_until_another_is_better_by_the_margin() {
    for (value, played) in [(-40, 2), (-95, 1)] {
        let folder = tempfile::tempdir().unwrap();
        // Black, White and Black again.
        let play = Play { margin: 100, ..play(&folder.path().join("book.nbk"), 3, 3) };
        let book = Script::new(&[("", "4e4d", 30), ("", "3e3d", 10), ("4e4d 2a2b", "4d4e", value)]);
        let opponent = Script::new(&[("4e4d", "2a2b", 0), ("", "1e1d", 0)]);
        run(&play, &book, &Script::new(&[]), &opponent);
        let found = entry(&play);
        let count = found.iter().find(|(mv, ..)| mv == "4e4d").map(|(_, _, count, _)| *count);
        assert_eq!(count, Some(played), "{found:?}");
    }
}

#[test]
fn a_game_ends_after_so_many_positions_the_book_did_not_know() {
    let folder = tempfile::tempdir().unwrap();
    let play = Play { new: Some(2), ..play(&folder.path().join("book.nbk"), 2, 40) };
    let (book, opponent) = (Script::new(&[]), Script::new(&[]));
    let text = run(&play, &book, &Script::new(&[]), &opponent);
    assert!(text.contains("not decided 2"), "{text}");
    assert_eq!(book.searched.lock().unwrap().len(), 4, "two as Black, two as White");
    // What the book knows by now is played through, and two more are searched.
    run(&play, &book, &Script::new(&[]), &opponent);
    let searched = book.searched.lock().unwrap();
    assert_eq!(searched.len(), 8);
    let plies = |line: &String| line.split_ascii_whitespace().count();
    assert_eq!(searched.iter().map(plies).collect::<Vec<_>>(), [0, 2, 1, 3, 4, 6, 5, 7]);
}

#[test]
fn games_at_a_time_search_nothing_twice_and_come_to_the_same_book() {
    let folder = tempfile::tempdir().unwrap();
    let values = [("", "4e4d", 30), ("", "3e3d", 10), ("4e4d 2a2b", "4d4e", -250)];
    let made: Vec<Vec<u8>> = (0..3)
        .map(|number| {
            let path = folder.path().join(format!("{number}.nbk"));
            let play = Play { concurrency: 3, ..play(&path, 12, 8) };
            let (book, study) = (Script::new(&values), Script::new(&[]));
            let text = run(&play, &book, &study, &Script::new(&[("4e4d", "2a2b", -30)]));
            assert!(text.contains("not decided 12"), "{text}");
            let mut searched = book.searched.lock().unwrap().clone();
            let all = searched.len();
            searched.sort();
            searched.dedup();
            assert_eq!(searched.len(), all, "{searched:?}");
            std::fs::read(path).unwrap()
        })
        .collect();
    assert!(made[0] == made[1] && made[1] == made[2]);
}

#[test]
fn an_interrupt_keeps_what_was_searched() {
    let folder = tempfile::tempdir().unwrap();
    for concurrency in [1, 2] {
        let path = folder.path().join(format!("{concurrency}.nbk"));
        let play = Play { concurrency, ..play(&path, 4, 9) };
        let book = Script { most: 2, ..Script::new(&[("", "4e4d", 30)]) };
        let ended = try_run(&play, &book, &Script::new(&[]), &Script::new(&[]));
        assert!(ended.is_err_and(|error| error.is_interrupt()));
        let kept = Growing::open(&path, Game::Minishogi).unwrap().len();
        assert_eq!(kept, book.searched.lock().unwrap().len());
        assert!(kept >= 2);
    }
}

#[test]
fn the_last_good_position_is_the_one_to_study() {
    let played = |values: &[i32]| -> Vec<Played> {
        let mv = start().legal_moves()[0];
        values.iter().map(|&value| Played { position: start(), mv, value }).collect()
    };
    assert_eq!(doubtful(&played(&[20, 30, -200, -220]), End::Open(-230), 100), Some(1));
    assert_eq!(
        doubtful(&played(&[20, 30, -40, -60]), End::Open(-60), 100),
        None,
        "little by little"
    );
    assert_eq!(doubtful(&played(&[20, 0, -40, -90]), End::Open(-90), 100), Some(0));
    assert_eq!(doubtful(&played(&[20, 30]), End::Lost, 100), Some(1));
    assert_eq!(doubtful(&played(&[20, 30]), End::Drawn, 100), None);
    assert_eq!(doubtful(&[], End::Lost, 100), None);
}
