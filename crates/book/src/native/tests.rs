use super::*;
use crate::BookMove;
use crate::sample::{leak, random_entries};
use rules::Game;

fn written(game: Game, entries: &[Entry]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), Header::new(game).with("author", "鵺")).unwrap();
    for entry in entries {
        writer.write(entry).unwrap();
    }
    writer.finish().unwrap()
}

fn opened(bytes: &[u8]) -> Result<NativeBook, BookError> {
    NativeBook::open(Box::new(leak(bytes)))
}

#[test]
fn everything_comes_back() {
    for game in [Game::Shogi, Game::Minishogi] {
        for size in [0, 1, 900] {
            let entries = random_entries(game, size, 7);
            let book = opened(&written(game, &entries)).unwrap();
            assert_eq!(book.size().0, entries.len() as u64);
            assert_eq!(book.header().get("author"), Some("鵺"));
            let read: Vec<Entry> = book.entries().collect::<Result<_, _>>().unwrap();
            assert_eq!(read, entries);
            for entry in &entries {
                assert_eq!(book.find(&entry.key).unwrap().as_ref(), Some(entry));
                let mut other = entry.key;
                other[31] ^= 0x40;
                assert!(book.find(&other).unwrap().is_none_or(|found| found.key == other));
            }
        }
    }
}

#[test]
fn the_same_book_has_the_same_bytes() {
    let entries = random_entries(Game::Shogi, 300, 1);
    assert_eq!(written(Game::Shogi, &entries), written(Game::Shogi, &entries));
}

#[test]
fn out_of_order_is_refused() {
    let mut entries = random_entries(Game::Shogi, 3, 2);
    entries.swap(0, 1);
    let mut writer = Writer::new(Vec::new(), Header::new(Game::Shogi)).unwrap();
    writer.write(&entries[0]).unwrap();
    assert!(writer.write(&entries[1]).is_err());
    assert!(writer.write(&entries[0]).is_err(), "twice");
}

#[test]
fn damage_is_found_and_never_panics() {
    let entries = random_entries(Game::Shogi, 200, 3);
    let good = written(Game::Shogi, &entries);
    for cut in [0, 1, 15, 16, 70, good.len() / 2, good.len() - 1] {
        assert!(opened(&good[..cut]).is_err(), "cut at {cut}");
    }
    let mut rng = seed::Rng::new(4);
    for _ in 0..400 {
        let mut bad = good.clone();
        let at = rng.below(bad.len());
        bad[at] ^= 1 << rng.below(8);
        let read = opened(&bad).and_then(|book| book.entries().collect::<Result<Vec<_>, _>>());
        assert!(read.is_err(), "a flipped bit at {at} went unnoticed");
    }
}

#[test]
fn a_text_of_many_megabytes_is_refused() {
    let mut entry = random_entries(Game::Shogi, 1, 5).remove(0);
    entry
        .moves
        .push(BookMove { comment: Some("a".repeat(2 << 20).into()), ..entry.moves[0].clone() });
    let mut writer = Writer::new(Vec::new(), Header::new(Game::Shogi)).unwrap();
    assert!(writer.write(&entry).unwrap_err().to_string().contains("2097152 bytes"));
}
