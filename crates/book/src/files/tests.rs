use super::*;
use crate::losses::Problems;
use crate::sample::random_entries;
use crate::{BookError, Combine, Entry, Format, Header};
use rules::Game;
use std::path::Path;

fn read(path: &Path) -> (Vec<Entry>, Problems) {
    let options = ReadOptions { threads: 2, ..ReadOptions::default() };
    let source = Source::open(path, &options).unwrap();
    let mut entries = Vec::new();
    let problems = source
        .each(&mut |entry| {
            entries.push(entry);
            Ok(())
        })
        .unwrap();
    entries.sort_by_key(|entry| entry.key);
    (entries, problems)
}

/// What every format holds: positions, moves and the values that there are.
fn essence(entries: &[Entry]) -> Vec<(crate::Key, Vec<(rules::Move, i32)>)> {
    let moves = |entry: &Entry| {
        let mut moves: Vec<_> = entry.moves.iter().map(|m| (m.mv, m.value.unwrap_or(0))).collect();
        moves.sort();
        moves
    };
    entries.iter().map(|entry| (entry.key, moves(entry))).collect()
}

#[test]
fn a_book_goes_through_every_format_and_back() {
    let folder = tempfile::tempdir().unwrap();
    let entries = random_entries(Game::Shogi, 150, 61);
    for format in Format::ALL.into_iter().filter(|&format| format != Format::Apery) {
        let path = folder.path().join(format!("book.{format}"));
        let header = Header::new(Game::Shogi);
        let mut target = Target::new(&path, None, header, Combine::Both, 1 << 16).unwrap();
        for entry in entries.iter().rev() {
            target.push(entry.clone()).unwrap();
        }
        let written = target.finish(false).unwrap();
        assert_eq!(written.positions, 150);
        assert_eq!(written.losses.is_none(), format == Format::Native, "{format}");
        let (again, problems) = read(&path);
        assert_eq!(problems.count, 0, "{format}: {problems}");
        if format == Format::Native {
            assert!(again == entries);
        }
        assert!(essence(&again) == essence(&entries), "{format}");
        // On several threads the file is the same.
        let other = folder.path().join("other");
        let header = Header::new(Game::Shogi);
        let target = Target::new(&other, Some(format), header, Combine::Both, 1 << 16);
        let mut target = target.unwrap().on_threads(3);
        entries.iter().for_each(|entry| target.push(entry.clone()).unwrap());
        assert_eq!(target.finish(false).unwrap(), written);
        assert!(std::fs::read(&other).unwrap() == std::fs::read(&path).unwrap(), "{format}");
        std::fs::remove_file(&other).unwrap();
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 4, "and nothing else");
}

#[test]
fn a_file_in_the_way_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("book.nbk");
    std::fs::write(&path, "mine").unwrap();
    let target =
        || Target::new(&path, None, Header::new(Game::Shogi), Combine::Both, 1 << 20).unwrap();
    assert!(target().finish(false).is_err());
    assert_eq!(std::fs::read(&path).unwrap(), b"mine");
    target().finish(true).unwrap();
    assert_eq!(read(&path).0.len(), 0);
}

#[test]
fn what_comes_in_order_is_not_sorted_again() {
    let folder = tempfile::tempdir().unwrap();
    let entries = random_entries(Game::Shogi, 200, 62);
    let write = |name: &str, by_key: bool, entries: &[Entry]| {
        let path = folder.path().join(name);
        let header = Header::new(Game::Shogi);
        let mut target = Target::new(&path, None, header, Combine::Both, 1 << 20).unwrap();
        if by_key {
            target = target.by_key().unwrap();
        }
        entries.iter().try_for_each(|entry| target.push(entry.clone()))?;
        target.finish(false).map(|written| (written, std::fs::read(&path).unwrap()))
    };
    let sorted = write("a.nbk", false, &entries).unwrap();
    assert!(write("b.nbk", true, &entries).unwrap() == sorted);
    let disorder: Vec<Entry> = entries.iter().rev().cloned().collect();
    assert!(write("c.nbk", true, &disorder).is_err());
    assert!(!folder.path().join("c.nbk").exists(), "and no half a file");
    let text = write("a.db", true, &disorder).unwrap();
    assert!(text == write("b.db", false, &entries).unwrap(), "other formats are sorted");
}

#[test]
fn what_a_file_is() {
    let at = |name: &str, start: &[u8]| Format::detect(Path::new(name), start);
    assert_eq!(at("x.db", b"YANE-BINBOOK-V1\0"), Some(Format::Ybb));
    assert_eq!(at("x", b"\xEF\xBB\xBF#YANEURAOU-DB2016 1.00\r\n"), Some(Format::Db));
    assert_eq!(at("book.BIN", b"12345678"), Some(Format::Apery));
    assert_eq!(at("book", b"12345678"), None);
    assert!("pgn".parse::<Format>().unwrap_err().to_string().contains("sbk"));
}

#[test]
fn minishogi_has_no_place_in_apery_books() {
    let header = Header::new(Game::Minishogi);
    let target = Target::new(Path::new("x.bin"), None, header, Combine::Both, 1 << 20);
    assert!(target.is_err_and(|error| error.to_string().contains("minishogi")));
}

#[test]
fn a_conversion_that_was_ended_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let entries = random_entries(Game::Shogi, 9000, 63);
    for name in ["in.nbk", "in.db"] {
        let header = Header::new(Game::Shogi);
        let mut target = Target::new(&at(name), None, header, Combine::Both, 1 << 24).unwrap();
        entries.iter().for_each(|entry| target.push(entry.clone()).unwrap());
        target.finish(false).unwrap();
    }
    let inputs = ["in.db", "in.nbk"].map(at);
    // Takes both, one after the other, and ends after so many parts, or while it writes.
    let run_until = |out: &Path, parts: usize, until: u64| {
        let header = Header::new(Game::Shogi);
        let target = Target::new(out, None, header, Combine::First, 1 << 16).unwrap();
        let mut target =
            target.on_threads(2).resumable(&serde_json::json!({ "of": "both" })).unwrap();
        let (resumed, mut taken) = (target.resumed(), 0);
        for input in &inputs {
            let source = Source::open(input, &ReadOptions { threads: 2, ..ReadOptions::default() });
            target.take_all(
                source.unwrap(),
                |_| (),
                |_| {
                    taken += 1;
                    if taken > parts { Err(BookError::Interrupted) } else { Ok(()) }
                },
            )?;
        }
        let mut progress =
            |count: u64| if count > until { Err(BookError::Interrupted) } else { Ok(()) };
        let written = target.finish_telling(false, &mut progress)?;
        Ok((resumed, taken, written))
    };
    let run = |out: &Path, parts: usize| run_until(out, parts, u64::MAX);
    for format in [Format::Native, Format::Db] {
        let (whole, out) = (at(&format!("whole.{format}")), at(&format!("out.{format}")));
        let (_, parts, expected) = run(&whole, usize::MAX).unwrap();
        assert!(parts >= 5, "{parts} parts");
        assert_eq!(expected.positions, 9000);
        // Ended in the first input, then in the second.
        for ended in [1, parts - 3] {
            assert!(matches!(run(&out, ended), Err(BookError::Interrupted)));
            assert!(!out.exists());
        }
        let (resumed, taken, written) = run(&out, usize::MAX).unwrap();
        assert!(resumed > 9000 && taken < parts, "{resumed} positions, {taken} of {parts}");
        assert_eq!(written, expected);
        // Ended while it was written: everything has been read.
        std::fs::remove_file(&out).unwrap();
        assert!(matches!(run_until(&out, usize::MAX, 10), Err(BookError::Interrupted)));
        assert!(!out.exists());
        let (resumed, taken, written) = run(&out, usize::MAX).unwrap();
        assert_eq!((resumed, taken), (18_000, 0));
        assert_eq!(written, expected);
        assert!(std::fs::read(&out).unwrap() == std::fs::read(&whole).unwrap(), "{format}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 6, "and nothing else");
}

#[test]
fn the_same_position_at_two_moves_of_the_game_is_one_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let [entry] = &random_entries(Game::Shogi, 1, 64)[..] else { panic!("one") };
    for format in Format::ALL {
        let path = folder.path().join(format!("book.{format}"));
        let header = Header::new(Game::Shogi);
        let mut target = Target::new(&path, None, header, Combine::Both, 1 << 20).unwrap();
        target.push(Entry { ply: 31, ..entry.clone() }).unwrap();
        target.push(Entry { ply: 17, ..entry.clone() }).unwrap();
        assert_eq!(target.finish(false).unwrap().positions, 1, "{format}");
        if format == Format::Db {
            assert!(std::fs::read_to_string(&path).unwrap().contains(" 17\n"), "the smaller");
        }
    }
}
