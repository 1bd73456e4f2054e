use super::*;
use crate::searcher::no_fleet;
use book::{BookMove, Entry, key_of, rotated};
use rules::Game;
use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Values every legal move by its number.
#[derive(Default)]
struct Numbers {
    searched: Vec<String>,
}

impl Searcher for Numbers {
    fn name(&self) -> &str {
        "numbers"
    }

    fn search(
        &mut self,
        positions: &[AnyPosition],
        lines: usize,
        _: &AtomicBool,
    ) -> Result<Vec<Vec<BookMove>>, WorkError> {
        self.searched.extend(positions.iter().map(AnyPosition::sfen));
        let value = |position: &AnyPosition| {
            let moves = position.legal_moves();
            let valued = moves.iter().enumerate().take(lines);
            valued.map(|(index, &mv)| BookMove::valued(mv, -(index as i32) * 20, 1)).collect()
        };
        Ok(positions.iter().map(value).collect())
    }
}

fn searching(game: Game) -> Searching {
    let (eval, fleet) = (None, None);
    Searching { nodes: 1, multipv: 3, widen: 0, eval, threads: 1, game, fleet }
}

fn mine(book: &Path, rounds: u32) -> Mine {
    Mine {
        book: book.to_owned(),
        position: "startpos".to_owned(),
        rounds,
        leaves: 4,
        by: vec![Way::BestLine],
        games: Vec::new(),
        player: None,
        rival: None,
        eval_diff: 30,
        margin: 100,
        max_value: 400,
        max_ply: 20,
        extend: 0,
        contempt_black: 0,
        contempt_white: 0,
        searching: searching(Game::Minishogi),
    }
}

fn try_run(mine: &Mine, searcher: &mut Numbers) -> Result<Vec<u8>, WorkError> {
    let (mut output, stop) = (Vec::new(), AtomicBool::new(false));
    let (tell, fleet) = (&mut |_: &str| (), &no_fleet);
    let mut console = Console { output: &mut output, tell, stop: &stop, fleet };
    mine.run_with(searcher, &mut console)?;
    Ok(std::fs::read(&mine.book).unwrap())
}

fn run(mine: &Mine, searcher: &mut Numbers) -> Vec<u8> {
    try_run(mine, searcher).unwrap()
}

#[test]
fn a_run_that_was_ended_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole.nbk"), folder.path().join("parts.nbk"));
    let (mut one, mut two) = (Numbers::default(), Numbers::default());
    let at_once = run(&mine(&whole, 6), &mut one);
    for _ in 0..3 {
        run(&mine(&parts, 2), &mut two);
    }
    assert!(at_once == std::fs::read(&parts).unwrap());
    assert_eq!(one.searched, two.searched);
    let distinct: HashSet<&String> = one.searched.iter().collect();
    assert!(distinct.len() == one.searched.len() && distinct.len() > 10, "each position once");
}

#[test]
fn a_leaf_is_followed_as_far_as_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.nbk");
    let mut searcher = Numbers::default();
    run(&Mine { extend: 5, ..mine(&path, 1) }, &mut searcher);
    assert_eq!(searcher.searched.len(), 6, "the start, and five positions of its best line");
    let plies: Vec<&str> =
        searcher.searched.iter().map(|sfen| sfen.rsplit(' ').next().unwrap()).collect();
    assert_eq!(plies, ["1", "2", "3", "4", "5", "6"]);
}

/// A position, and its moves with what a search and what propagation say of them.
type Known<'a> = (&'a AnyPosition, &'a [(&'a str, i32, i32)]);

fn growing(entries: &[Known<'_>]) -> Growing {
    let mut book = Growing::open(Path::new("nowhere.nbk"), entries[0].0.game()).unwrap();
    for (position, moves) in entries {
        let mut raw = Entry::of(position).unwrap();
        let mut valued = raw.clone();
        for &(text, thought, now) in *moves {
            let mv = position.parse_usi(text).unwrap();
            raw.moves.push(BookMove::valued(mv, thought, 1));
            valued.moves.push(BookMove::valued(mv, now, 1));
        }
        valued.sort_by_value();
        book.raw.insert(raw.key, raw);
        book.valued.insert(valued.key, valued);
    }
    book
}

fn start() -> AnyPosition {
    AnyPosition::startpos(Game::Shogi)
}

fn after(moves: &str) -> AnyPosition {
    let mut position = start();
    for text in moves.split_whitespace() {
        position.play(position.parse_usi(text).unwrap());
    }
    position
}

fn leaves(way: Way) -> Leaves {
    let ways = vec![way];
    Leaves {
        ways,
        count: 10,
        eval_diff: 50,
        margin: 100,
        max_value: 400,
        max_ply: 60,
        ..Leaves::default()
    }
}

/// The moves that lead to each of the leaves.
fn chosen(book: &Growing, leaves: &Leaves) -> Vec<String> {
    let chosen = choose(book, &start(), leaves).unwrap();
    let words = |position: &AnyPosition| {
        let moves = position.moves_played();
        moves.iter().map(|mv| mv.usi(Game::Shogi)).collect::<Vec<_>>().join(" ")
    };
    chosen.iter().map(words).collect()
}

#[test]
fn a_position_and_its_twin_are_one() {
    let twin = rotated(&start()).unwrap();
    let empty = Growing::open(Path::new("nowhere.nbk"), Game::Shogi).unwrap();
    let leaves = leaves(Way::BestLine);
    assert_eq!(choose(&empty, &start(), &leaves).unwrap(), [start()]);
    assert_eq!(choose::leased(&empty, vec![start(), twin.clone()], 9).unwrap(), [start()]);
    // What is known of the twin leads on, in its own squares.
    let book = growing(&[(&twin, &[("8c8d", 0, 0)])]);
    assert!(book.knows(&start()).unwrap());
    assert_eq!(chosen(&book, &leaves), ["2g2f"]);
    // And what is found is put where the twin is.
    let mut book = book;
    book.put(&start(), vec![BookMove::valued(start().parse_usi("7g7f").unwrap(), 5, 1)]).unwrap();
    assert_eq!((book.len(), book.raw.contains_key(&key_of(&twin).unwrap())), (1, true));
}

#[test]
fn lines_that_are_decided_are_not_followed() {
    let leaves = leaves(Way::BestLine);
    let decided = growing(&[(&start(), &[("7g7f", 500, 500), ("2g2f", 100, 100)])]);
    assert!(chosen(&decided, &leaves).is_empty());
    // Black as owner follows its best only, White's opponent also what is nearly as good.
    let even = growing(&[(&start(), &[("7g7f", 120, 120), ("2g2f", 100, 100)])]);
    assert_eq!(chosen(&even, &leaves), ["7g7f", "2g2f"]);
    assert_eq!(chosen(&even, &Leaves { eval_diff: 10, ..leaves }), ["7g7f"]);
}

#[test]
fn the_other_side_may_lose_only_so_much_from_the_beginning() {
    // White's best after 2g2f is 60 below where the game began, which is too much.
    let book = growing(&[
        (&start(), &[("7g7f", 0, 0), ("2g2f", 0, 0)]),
        (&after("2g2f"), &[("8c8d", -60, -60), ("3c3d", -70, -70)]),
        (&after("7g7f"), &[("3c3d", 0, 0), ("8c8d", -40, -40), ("4a3b", -60, -60)]),
    ]);
    let found = chosen(&book, &leaves(Way::BestLine));
    // For White as owner both its best answers are leaves; Black as owner meets two answers.
    assert_eq!(found, ["7g7f 3c3d", "7g7f 8c8d", "2g2f 8c8d"], "in turn");
}

#[test]
fn moves_that_became_best_by_propagation_are_looked_at() {
    let book = growing(&[
        (&start(), &[("7g7f", 80, -60), ("2g2f", 20, 20), ("5g5f", 0, 0)]),
        (&after("7g7f"), &[("3c3d", 60, 60), ("8c8d", 50, 50)]),
    ]);
    assert_eq!(chosen(&book, &leaves(Way::Refutation)), ["2g2f"]);
    let strict = Leaves { margin: 150, ..leaves(Way::Refutation) };
    assert!(chosen(&book, &strict).is_empty());
}

#[test]
fn lines_that_lead_back_are_looked_at() {
    let book = growing(&[
        (&start(), &[("7g7f", 0, 0), ("2g2f", 0, 0), ("1g1f", 0, 0)]),
        (&after("7g7f 3c3d 2g2f"), &[("8c8d", 0, 0)]),
        (&after("2g2f"), &[("3c3d", 0, 0), ("9c9d", 0, 0)]),
    ]);
    // Only from there does a move lead to what is known.
    assert_eq!(chosen(&book, &leaves(Way::Rejoin)), ["2g2f 3c3d"]);
}

#[test]
fn lost_games_show_where_to_look() {
    let book = growing(&[
        (&start(), &[("7g7f", 0, 0)]),
        (&after("7g7f"), &[("3c3d", 0, 0), ("8c8d", -20, -20)]),
        (&after("7g7f 8c8d"), &[("2g2f", 20, 20)]),
    ]);
    let lost = vec![after("7g7f 8c8d 6g6f 8d8e 5g5f")];
    let found = chosen(&book, &Leaves { lost, ..leaves(Way::Lost) });
    // Where the game left the book, then the ends of the best lines, the latest first.
    assert_eq!(found, ["7g7f 8c8d 6g6f", "7g7f 8c8d 2g2f", "7g7f 3c3d"]);
}

#[test]
fn lost_games_are_read_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let csa = |moves: &str| format!("V2\nN+nue\nN-other\nPI\n+\n{moves}\n%TORYO\n");
    // Black resigns in the first game, White in the second.
    std::fs::write(folder.path().join("a.csa"), csa("+7776FU\n-3334FU")).unwrap();
    std::fs::write(folder.path().join("b.csa"), csa("+7776FU")).unwrap();
    let (mut output, stop) = (Vec::new(), AtomicBool::new(false));
    let (tell, fleet) = (&mut |_: &str| (), &no_fleet);
    let mut console = Console { output: &mut output, tell, stop: &stop, fleet };
    let inputs = [folder.path().to_owned()];
    let mut ends = |player| lost::games(&inputs, Game::Shogi, player, &mut console).unwrap();
    assert_eq!(ends(None).len(), 2);
    assert_eq!(ends(Some("nue")), [after("7g7f 3c3d")]);
    assert!(ends(Some("nobody")).is_empty());
}

#[test]
fn a_rivals_book_shows_what_will_be_played() {
    let book = growing(&[
        (&start(), &[("7g7f", 0, 0), ("2g2f", -10, -10)]),
        (&after("7g7f"), &[("3c3d", 0, 0)]),
    ]);
    let mut entry = Entry::of(&after("7g7f")).unwrap();
    entry.moves = vec![BookMove::new(after("7g7f").parse_usi("4a3b").unwrap())];
    let mut first = Entry::of(&start()).unwrap();
    first.moves = vec![BookMove::new(start().parse_usi("5g5f").unwrap())];
    let rival = Library::new(vec![book::Book::of_entries("rival", [entry, first])]);
    // As White the rival plays 4a3b, as Black 5g5f; neither is ours.
    let found = chosen(&book, &Leaves { rival, ..leaves(Way::Rival) });
    assert_eq!(found, ["5g5f", "7g7f 4a3b"]);
}

#[test]
fn ways_that_want_something_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.nbk");
    for (by, word) in [(Way::Lost, "--games"), (Way::Rival, "--rival")] {
        let mine = Mine { by: vec![by], ..mine(&path, 1) };
        let error = try_run(&mine, &mut Numbers::default()).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
    }
    assert!("nonsense".parse::<Way>().unwrap_err().contains("refutation"));
}

#[test]
fn what_games_said_stays_where_a_search_has_looked() {
    let mut book = growing(&[(&start(), &[("7g7f", 0, 0), ("2g2f", 0, 0)])]);
    for entries in [&mut book.raw, &mut book.valued] {
        for m in &mut entries.values_mut().next().unwrap().moves {
            (m.value, m.count, m.wins) = (None, 10, 4);
        }
    }
    assert!(!book.knows(&start()).unwrap(), "nobody has looked");
    assert_eq!(chosen(&book, &leaves(Way::BestLine)), [""], "the start itself");
    let mv = |text| start().parse_usi(text).unwrap();
    let found = vec![BookMove::valued(mv("5g5f"), 5, 9), BookMove::valued(mv("2g2f"), 30, 9)];
    book.put(&start(), found).unwrap();
    assert!(book.knows(&start()).unwrap());
    let entry = book.found(&start()).unwrap().unwrap();
    let fact = |m: &BookMove| (m.mv.usi(Game::Shogi), m.value, m.count, m.wins);
    let expected = [("2g2f", Some(30), 10, 4), ("5g5f", Some(5), 0, 0), ("7g7f", None, 10, 4)];
    let expected = expected.map(|(mv, value, count, wins)| (mv.to_owned(), value, count, wins));
    assert_eq!(entry.moves.iter().map(fact).collect::<Vec<_>>(), expected);
}

#[test]
fn a_line_is_extended_from_a_position() {
    let folder = tempfile::tempdir().unwrap();
    let mut extend = Extend {
        book: folder.path().join("book.nbk"),
        position: "startpos".to_owned(),
        moves: Vec::new(),
        plies: 3,
        max_value: 400,
        searching: searching(Game::Minishogi),
    };
    let mut searcher = Numbers::default();
    let mut extended = |extend: &Extend| {
        let (mut output, stop) = (Vec::new(), AtomicBool::new(false));
        let (tell, fleet) = (&mut |_: &str| (), &no_fleet);
        let mut console = Console { output: &mut output, tell, stop: &stop, fleet };
        extend.run_with(&mut searcher, &mut console).unwrap();
        String::from_utf8(output).unwrap()
    };
    let first = extended(&extend);
    assert!(first.ends_with("3 positions searched, 3 in it\n"), "{first}");
    // Again it goes on beyond what it knows.
    extend.plies = 2;
    let second = extended(&extend);
    assert!(second.ends_with("2 positions searched, 5 in it\n"), "{second}");
    assert!(second.lines().count() > first.lines().count());
    assert_eq!(searcher.searched.len(), 5, "each position once");
}
