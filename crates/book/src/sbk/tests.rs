use super::*;
use crate::losses::{Losses, Problems};
use crate::model::key_of;
use crate::sample::{leak, random_entries};
use crate::{BookError, Entry, Header, Key};
use rules::AnyPosition;
use std::collections::HashSet;

fn write(header: &Header, entries: &[Entry]) -> Result<(Vec<u8>, Losses), BookError> {
    let mut positions = Positions::new(entries.len());
    for entry in entries {
        positions.add(&[entry.key], &[entry.position(Game::Shogi)?.key()])?;
    }
    let numbers = positions.numbers(2)?;
    let mut writer = Writer::new(Vec::new(), header, &numbers)?;
    for entries in entries.chunks(70) {
        let mut part = Part::default();
        entries.iter().try_for_each(|entry| part.push(entry, &numbers))?;
        writer.write(part)?;
    }
    writer.finish()
}

fn read(bytes: &[u8]) -> Result<(Header, Vec<Entry>, Problems), BookError> {
    let book = SbkBook::open(Box::new(leak(bytes)), 2)?;
    let (header, mut entries) = (book.header.clone(), Vec::new());
    let problems = book.each_part(2, Ok, |count, part: Vec<Entry>| {
        assert_eq!(count, part.len());
        entries.extend(part);
        Ok(())
    })?;
    Ok((header, entries, problems))
}

#[test]
fn what_is_written_is_read() {
    let entries = random_entries(Game::Shogi, 200, 41);
    let header = Header::new(Game::Shogi).with("author", "鵺");
    let (bytes, losses) = write(&header, &entries).unwrap();
    assert!(losses.replies > 0);
    let (header, read, problems) = read(&bytes).unwrap();
    assert_eq!((header.get("author"), problems.count), (Some("鵺"), 0));
    // Moves with results that lead out of the book lead to states without moves.
    let read: Vec<Entry> = read.into_iter().filter(|entry| !entry.moves.is_empty()).collect();
    assert_eq!(read.len(), entries.len());
    let keys: HashSet<Key> = entries.iter().map(|entry| entry.key).collect();
    for (read, entry) in read.iter().zip(&entries) {
        let position = entry.position(Game::Shogi).unwrap();
        for (read, m) in read.moves.iter().zip(&entry.moves) {
            let mut next = position.clone();
            next.play(m.mv);
            let leads_out = !keys.contains(&key_of(&next).unwrap());
            if leads_out && (m.wins > 0 || m.draws > 0) {
                assert_eq!((read.wins, read.draws), (m.wins, m.draws));
            }
        }
        assert_eq!((read.key, read.ply, &read.comment), (entry.key, entry.ply, &entry.comment));
        let facts = |e: &Entry| -> Vec<_> {
            e.moves.iter().map(|m| (m.mv, m.value, m.depth, m.count)).collect()
        };
        assert_eq!(facts(read), facts(entry));
    }
}

#[test]
fn moves_have_the_bits_of_the_field() {
    let mut position = Position::<Shogi>::startpos();
    let mv = position.parse_usi("7g7f").unwrap();
    assert_eq!(encode(&position, mv), 7 | 7 << 4 | 6 << 8 | 7 << 12 | 1 << 24);
    position.play(mv);
    let mv = position.parse_usi("3c3d").unwrap();
    assert_eq!(encode(&position, mv), 3 | 3 << 4 | 4 << 8 | 3 << 12 | 17 << 24 | 1 << 31);
    let sfen = "4k4/9/9/9/9/6p2/9/1B7/4K4 b G 1";
    let position = Position::<Shogi>::from_sfen(sfen).unwrap();
    for &mv in &position.legal_moves() {
        assert_eq!(decode(encode(&position, mv)), Some(mv));
    }
}

#[test]
fn states_without_position_are_walked_to() {
    let mut start = Vec::new();
    put_field(&mut start, 1, 5);
    let mut m = Vec::new();
    put_field(&mut m, 1, 7 | 7 << 4 | 6 << 8 | 7 << 12 | 1 << 24);
    put_field(&mut m, 2, 2);
    put_field(&mut m, 4, 9);
    put_bytes(&mut start, 9, &m);
    let state = |id| {
        let mut bytes = Vec::new();
        put_field(&mut bytes, 1, id);
        put_field(&mut bytes, 4, 10);
        put_field(&mut bytes, 5, 6);
        put_field(&mut bytes, 6, 3);
        put_bytes(&mut bytes, 8, b"a comment");
        bytes
    };
    let mut bytes = Vec::new();
    for state in [start, state(9), state(77)] {
        put_bytes(&mut bytes, 3, &state);
    }
    let (_, entries, problems) = read(&bytes).unwrap();
    assert_eq!((entries.len(), problems.count), (2, 1), "{problems}");
    let m = &entries[0].moves[0];
    assert_eq!((m.wins, m.draws, m.comment.as_deref()), (6, 1, Some("good")));
    assert_eq!(entries[1].turn(), Color::White);
}

#[test]
fn hostile_files_are_refused() {
    let entries = random_entries(Game::Shogi, 20, 42);
    let (good, _) = write(&Header::new(Game::Shogi), &entries).unwrap();
    assert!(read(&[]).is_err());
    assert!(read(&good[..good.len() - 3]).is_err());
    assert!(read(&[0x1a, 0xff, 0xff, 0xff, 0xff, 0x0f]).is_err(), "longer than the file");
    let mut rng = seed::Rng::new(2);
    for _ in 0..500 {
        let mut bad = good.clone();
        let at = rng.below(bad.len());
        bad[at] = rng.below(256) as u8;
        let _ = read(&bad);
    }
}

/// A file is read in pieces: states lie across their ends, and one is longer than a piece.
#[test]
fn states_of_any_length_are_read() {
    let entries = random_entries(Game::Shogi, 300, 43);
    let (mut bytes, _) = write(&Header::new(Game::Shogi), &entries).unwrap();
    let all = read(&bytes).unwrap().1.len();
    for (number, length) in [(70_000, 3 << 20), (70_001, 1 << 19), (70_002, 1 << 19)] {
        let mut state = Vec::new();
        put_field(&mut state, 1, number);
        put_bytes(&mut state, 7, AnyPosition::startpos(Game::Shogi).sfen().as_bytes());
        put_bytes(&mut state, 8, &vec![b'x'; length]);
        put_bytes(&mut bytes, 3, &state);
    }
    let (_, found, problems) = read(&bytes).unwrap();
    assert_eq!(problems.count, 0, "{problems}");
    assert_eq!(found.len(), all + 3);
    let long = |length: usize| {
        found
            .iter()
            .filter(|entry| entry.comment.as_ref().is_some_and(|c| c.len() == length))
            .count()
    };
    assert_eq!((long(3 << 20), long(1 << 19)), (1, 2));
    for cut in [1, 600_000, 1_200_000, 4_100_000] {
        assert!(read(&bytes[..bytes.len() - cut]).is_err(), "{cut}");
    }
    // The second of two with one number is told and left out.
    let (first, _) = write(&Header::new(Game::Shogi), &entries[..2]).unwrap();
    let (_, found, problems) = read(&[&first[..], &first[..]].concat()).unwrap();
    assert!(problems.first[0].contains("there are two"), "{problems}");
    assert_eq!(found.len(), 2);
}

#[test]
fn a_move_that_is_not_legal_leads_nowhere() {
    let position = AnyPosition::startpos(Game::Shogi);
    let mut entry = Entry::of(&position).unwrap();
    for text in ["7g7f", "5e5d", "P*7g", "1i1a"] {
        entry.moves.push(crate::BookMove::new(Move::from_usi(Game::Shogi, text).unwrap()));
    }
    let (bytes, _) = write(&Header::new(Game::Shogi), &[entry]).unwrap();
    let (_, found, problems) = read(&bytes).unwrap();
    assert_eq!((found[0].moves.len(), problems.count), (1, 3), "{problems}");
}
