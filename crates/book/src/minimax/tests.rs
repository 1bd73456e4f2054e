use super::*;
use crate::native::Writer;
use crate::sample::{leak, random_entries};
use crate::{Header, Key, key_of, rotated};
use rules::AnyPosition;
use std::collections::BTreeMap;

/// A book of lines from the start: moves, and the value of the last one.
struct Lines {
    game: Game,
    entries: BTreeMap<Key, Entry>,
}

impl Lines {
    fn new(game: Game) -> Self {
        Self { game, entries: BTreeMap::new() }
    }

    fn line(mut self, start: &AnyPosition, moves: &str, value: Option<i32>) -> Self {
        let mut position = start.clone();
        let moves: Vec<&str> = moves.split(' ').collect();
        for (index, text) in moves.iter().enumerate() {
            let mv = position.parse_usi(text).unwrap();
            let entry = Entry::of(&position).unwrap();
            let entry = self.entries.entry(entry.key).or_insert(entry);
            if entry.find(mv).is_none() {
                entry.moves.push(BookMove::new(mv));
            }
            if index + 1 == moves.len() {
                entry.moves.iter_mut().find(|m| m.mv == mv).unwrap().value = value;
            }
            position.play(mv);
        }
        self
    }

    fn book(&self) -> NativeBook {
        let mut writer = Writer::new(Vec::new(), Header::new(self.game)).unwrap();
        self.entries.values().for_each(|entry| writer.write(entry).unwrap());
        NativeBook::open(Box::new(leak(&writer.finish().unwrap()))).unwrap()
    }

    fn solved(&self, minimax: Minimax) -> BTreeMap<Key, Entry> {
        solved(&self.book(), minimax)
    }
}

fn solved(book: &NativeBook, minimax: Minimax) -> BTreeMap<Key, Entry> {
    let mut entries = BTreeMap::new();
    let mut take = |entry: Entry| {
        entries.insert(entry.key, entry);
        Ok(())
    };
    minimax.run(book, &mut take, Progress(&mut |_, _, _| true)).unwrap();
    entries
}

fn start() -> AnyPosition {
    AnyPosition::startpos(Game::Shogi)
}

fn after(start: &AnyPosition, moves: &str) -> AnyPosition {
    let mut position = start.clone();
    for text in moves.split(' ').filter(|text| !text.is_empty()) {
        position.play(position.parse_usi(text).unwrap());
    }
    position
}

/// The moves of a position as text: `7g7f 30/2`.
fn facts(entries: &BTreeMap<Key, Entry>, position: &AnyPosition) -> Vec<String> {
    let entry = &entries[&key_of(position).unwrap()];
    let fact = |m: &BookMove| {
        let value = m.value.map_or("?".to_owned(), |value| value.to_string());
        format!("{} {value}/{}", m.mv.usi(position.game()), m.depth)
    };
    entry.moves.iter().map(fact).collect()
}

#[test]
fn a_line_and_a_transposition() {
    let book = Lines::new(Game::Shogi).line(&start(), "7g7f 3c3d 2g2f 8c8d", Some(-40)).line(
        &start(),
        "2g2f 3c3d",
        Some(-90),
    );
    let found = book.solved(Minimax::default());
    assert_eq!(facts(&found, &after(&start(), "7g7f 3c3d 2g2f")), ["8c8d -40/0"]);
    // After 2g2f 3c3d nothing was listed; 7g7f leads to the position above, but that is not in the
    // book itself, so the value of 3c3d stands.
    assert_eq!(facts(&found, &start()), ["2g2f 90/1", "7g7f 40/3"]);
    // Once it is, a move nobody listed joins the lines.
    let book = book.line(&start(), "2g2f 3c3d 5g5f", Some(-500));
    let found = book.solved(Minimax::default());
    assert_eq!(facts(&found, &after(&start(), "2g2f 3c3d")), ["7g7f 40/1", "5g5f -500/0"]);
    assert_eq!(facts(&found, &start()), ["7g7f 40/3", "2g2f 40/3"]);
}

#[test]
fn a_rotated_twin_is_the_same_node() {
    let twin = rotated(&start()).unwrap();
    let book = Lines::new(Game::Shogi).line(&start(), "7g7f 8c8d", Some(-15)).line(
        &twin,
        "8c8d",
        Some(70),
    );
    let found = book.solved(Minimax::default());
    // What is known of the one is known of the other, in its own squares.
    assert_eq!(facts(&found, &start()), ["2g2f 70/0", "7g7f 15/1"]);
    assert_eq!(facts(&found, &twin), ["8c8d 70/0", "3c3d 15/1"]);
    // A move may lead to the twin of a position: 3h2h does, to that of the last one of the first line.
    let book = Lines::new(Game::Shogi).line(&start(), "2h4h 8b7b 4h3h 7b8b 7g7f", Some(33)).line(
        &start(),
        "2h3h 8b7b 3h2h",
        None,
    );
    let found = book.solved(Minimax::default());
    assert_eq!(facts(&found, &after(&start(), "2h3h 8b7b")), ["3h2h -33/1"]);
}

#[test]
fn draws_cost_what_the_owner_says() {
    let circle = "2h3h 8b7b 3h2h 7b8b";
    let book = Lines::new(Game::Shogi)
        .line(&start(), circle, None)
        .line(&start(), "7g7f", Some(-60))
        .line(&after(&start(), "2h3h"), "3c3d", Some(-100));
    let even = book.solved(Minimax::default());
    assert_eq!(facts(&even, &start())[0], "2h3h 0/9999");
    let proud = book.solved(Minimax { contempt: [80, 120], ..Minimax::default() });
    assert_eq!(facts(&proud, &start()), ["7g7f -60/0", "2h3h -60/4"]);
    // White would rather have 100 less than a draw that costs it 120.
    assert_eq!(facts(&proud, &after(&start(), "2h3h"))[0], "3c3d -100/0");
    let shrunk = book.solved(Minimax { shrink: true, ..Minimax::default() });
    assert_eq!(facts(&shrunk, &start()), ["2h3h 0/9999"]);
}

#[test]
fn a_circle_is_worth_what_leaving_it_is() {
    let book = Lines::new(Game::Shogi).line(&start(), "2h3h 8b7b 3h2h 7b8b", None).line(
        &start(),
        "7g7f",
        Some(50),
    );
    let found = book.solved(Minimax::default());
    assert_eq!(facts(&found, &start()), ["7g7f 50/0", "2h3h 50/4"]);
    assert_eq!(facts(&found, &after(&start(), "2h3h")), ["8b7b -50/3"]);
    // White leaves it first where that is better for White.
    let book = book.line(&after(&start(), "2h3h"), "3c3d", Some(20));
    let found = book.solved(Minimax::default());
    assert_eq!(facts(&found, &start()), ["7g7f 50/0", "2h3h -20/1"]);
}

#[test]
fn of_equals_the_nearer_is_taken_or_where_it_is_bad_the_farther() {
    for (value, expected) in [(30, ["2g2f 30/0", "7g7f 30/1"]), (-30, ["7g7f -30/1", "2g2f -30/0"])]
    {
        let book = Lines::new(Game::Shogi).line(&start(), "7g7f 3c3d", Some(-value)).line(
            &start(),
            "2g2f",
            Some(value),
        );
        assert_eq!(facts(&book.solved(Minimax::default()), &start()), expected);
    }
}

#[test]
fn repetition_in_minishogi_is_lost_by_black() {
    let start = AnyPosition::startpos(Game::Minishogi);
    let circle = "4e4d 2a2b 4d4e 2b2a";
    let book =
        Lines::new(Game::Minishogi).line(&start, circle, None).line(&start, "3e3d", Some(-700));
    let found = book.solved(Minimax::default());
    assert_eq!(facts(&found, &start)[0], "3e3d -700/0");
}

#[test]
fn a_perpetual_check_loses_for_whoever_gives_it() {
    for swap in [false, true] {
        let sfen = "3k5/9/9/9/9/9/9/4R4/K8 b - 1";
        let mut position = AnyPosition::from_sfen(Game::Shogi, sfen).unwrap();
        let turned = |text: &str| {
            let mv = Move::from_usi(Game::Shogi, text).unwrap();
            if swap { mv.rotated(Game::Shogi).usi(Game::Shogi) } else { text.to_owned() }
        };
        if swap {
            position = rotated(&position).unwrap();
        }
        let circle: Vec<String> = ["5h6h", "6a5a", "6h5h", "5a6a"].map(turned).to_vec();
        let book = Lines::new(Game::Shogi).line(&position, &circle.join(" "), None).line(
            &position,
            &turned("5h5g"),
            Some(-300),
        );
        let found = book.solved(Minimax::default());
        let quiet = format!("{} -300/0", turned("5h5g"));
        assert_eq!(facts(&found, &position)[0], quiet, "the quiet move, however bad");
    }
}

#[test]
fn unknown_ends_are_left_unknown() {
    let book = Lines::new(Game::Shogi).line(&start(), "7g7f 3c3d", None);
    let found = book.solved(Minimax::default());
    assert_eq!(facts(&found, &start()), ["7g7f ?/0"]);
    // Nor taken for lost, nor for won: what is known decides.
    let book = book.line(&start(), "2g2f 8c8d 9g9f", Some(-200)).line(
        &after(&start(), "2g2f 8c8d"),
        "1g1f",
        None,
    );
    let found = book.solved(Minimax::default());
    assert_eq!(facts(&found, &after(&start(), "2g2f 8c8d")), ["9g9f -200/0", "1g1f ?/0"]);
    assert_eq!(facts(&found, &start()), ["2g2f -200/2", "7g7f ?/0"]);
}

#[test]
fn the_same_on_however_many_threads() {
    let mut writer = Writer::new(Vec::new(), Header::new(Game::Shogi)).unwrap();
    random_entries(Game::Shogi, 4000, 81).iter().for_each(|entry| writer.write(entry).unwrap());
    let book = NativeBook::open(Box::new(leak(&writer.finish().unwrap()))).unwrap();
    let one = solved(&book, Minimax::default());
    assert!(one == solved(&book, Minimax { threads: 4, ..Minimax::default() }));
    assert_eq!(one.len(), 4000);
}

/// A book of many parts.
fn large() -> NativeBook {
    let mut writer = Writer::new(Vec::new(), Header::new(Game::Shogi)).unwrap();
    random_entries(Game::Shogi, 9000, 82).iter().for_each(|entry| writer.write(entry).unwrap());
    NativeBook::open(Box::new(leak(&writer.finish().unwrap()))).unwrap()
}

/// Runs by way of a file and ends it when `go_on` says so.
fn by_file(
    book: &NativeBook,
    minimax: Minimax,
    file: &Path,
    go_on: &mut dyn FnMut(Stage, u64) -> bool,
) -> Result<BTreeMap<Key, Entry>, BookError> {
    let mut entries = BTreeMap::new();
    let mut take = |entry: Entry| {
        entries.insert(entry.key, entry);
        Ok(())
    };
    let mut progress = |stage, done, _| go_on(stage, done);
    minimax.run_by(book, file, &mut take, Progress(&mut progress))?;
    Ok(entries)
}

#[test]
fn the_same_in_however_little_memory() {
    let folder = tempfile::tempdir().unwrap();
    let (book, file) = (large(), folder.path().join("work"));
    let expected = solved(&book, Minimax::default());
    for memory in [0, 1 << 17, usize::MAX] {
        let minimax = Minimax { memory, threads: 2, ..Minimax::default() };
        assert!(by_file(&book, minimax, &file, &mut |_, _| true).unwrap() == expected, "{memory}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left");
    }
}

#[test]
fn a_run_that_was_ended_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let (book, file) = (large(), folder.path().join("work"));
    let minimax = Minimax { threads: 2, ..Minimax::default() };
    let expected = solved(&book, minimax);
    // Ended once in the middle of the moves, once when they are done.
    let mut begun = Vec::new();
    for is_first in [true, false] {
        let mut first = None;
        let ended = by_file(&book, minimax, &file, &mut |stage, done| {
            let is_moves = stage == Stage::Moves;
            first = first.or(is_moves.then_some(done));
            stage != Stage::Values && !(is_moves && is_first)
        });
        assert!(matches!(ended, Err(BookError::Interrupted)));
        begun.extend(first);
    }
    assert!(begun.len() == 2 && begun[0] < begun[1], "the second goes on after the first");
    let mut more = 0;
    let found = by_file(&book, minimax, &file, &mut |stage, _| {
        more += u64::from(stage == Stage::Moves);
        true
    });
    assert!(found.unwrap() == expected);
    assert_eq!(more, 0, "every part was done before");
    // What another book left is not taken over, nor what is damaged.
    let stop = &mut |stage, _| stage != Stage::Values;
    by_file(&book, minimax, &file, stop).unwrap_err();
    let other = Lines::new(Game::Shogi).line(&start(), "7g7f 3c3d", Some(1));
    let found = by_file(&other.book(), minimax, &file, &mut |_, _| true).unwrap();
    assert!(found == other.solved(minimax));
    by_file(&book, minimax, &file, stop).unwrap_err();
    let left = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let largest = left.max_by_key(|path| path.metadata().unwrap().len()).unwrap();
    let mut bytes = std::fs::read(&largest).unwrap();
    bytes[1000] ^= 1;
    std::fs::write(&largest, bytes).unwrap();
    assert!(by_file(&book, minimax, &file, &mut |_, _| true).unwrap() == expected);
}

#[test]
fn a_line_of_three_hundred_plies() {
    // Kings and rooks walk over an empty board, each position once.
    let mut position =
        AnyPosition::from_sfen(Game::Shogi, "k8/9/9/9/9/9/9/9/8K b 2R2B4G4S4N4L9P9p 1").unwrap();
    let first = position.clone();
    let mut entries = BTreeMap::new();
    let mut rng = seed::Rng::new(3);
    let mut last = None;
    while entries.len() < 300 {
        let legal = position.legal_moves();
        let quiet = |mv: &Move| {
            let mut after = position.clone();
            after.play(*mv);
            !after.in_check() && !entries.contains_key(&key_of(&after).unwrap())
        };
        let choices: Vec<Move> = legal.iter().copied().filter(quiet).collect();
        let mv = choices[rng.below(choices.len())];
        let mut entry = Entry::of(&position).unwrap();
        entry.moves = vec![BookMove::new(mv)];
        last = Some(entry.key);
        entries.insert(entry.key, entry);
        position.play(mv);
    }
    entries.get_mut(&last.unwrap()).unwrap().moves[0].value = Some(77);
    let lines = Lines { game: Game::Shogi, entries };
    let found = lines.solved(Minimax::default());
    let best = &found[&key_of(&first).unwrap()].moves[0];
    // Lines may join on the way: nobody has to go all of it.
    assert_eq!(best.value.map(i32::abs), Some(77));
    assert!(best.depth <= 299, "{}", best.depth);
}

#[test]
fn an_interrupt_ends_it() {
    let book = Lines::new(Game::Shogi).line(&start(), "7g7f", Some(1)).book();
    let stopped = Minimax::default().run(&book, &mut |_| Ok(()), Progress(&mut |_, _, _| false));
    assert!(matches!(stopped, Err(BookError::Interrupted)));
}
