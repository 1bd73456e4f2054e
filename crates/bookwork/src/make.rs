//! A book from records of games: every move with how often it was played and how often whoever played
//! it won.

use crate::args::Make;
use crate::sorted::each;
use crate::{Console, WorkError};
use book::{BookError, BookMove, Combine, Entry, Header, Source, Target};
use chart::grouped;
use kifu::archive::Source as Archive;
use kifu::{Outcome, Record};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::PathBuf;

/// What became of the games.
#[derive(Default)]
struct Games {
    taken: u64,
    seen_before: u64,
    rated_low: u64,
    unread: u64,
}

impl Make {
    /// Makes the book.
    pub fn run(&self, console: &mut Console<'_>) -> Result<(), WorkError> {
        let adding = self.add && self.writing.out.exists();
        let mut writing = self.writing.clone();
        writing.force |= adding;
        let list = self.games_path();
        let mut seen = if adding { read_list(&list)? } else { BTreeSet::new() };
        let mut header = Header::new(self.game);
        let mut old: Option<Source> = None;
        if adding {
            let options = book::ReadOptions { game: self.game, ..book::ReadOptions::default() };
            let source =
                Source::open(&writing.out, &options).map_err(WorkError::at(&writing.out))?;
            header = source.header.clone();
            old = Some(source);
        }
        let mut target = writing.begin(header, Combine::Both)?;
        if let Some(source) = old {
            each(&writing.out, source, console, &mut |entry| target.push(entry))?;
        }
        let mut games = Games::default();
        let mut errors = Vec::new();
        for source in Archive::collect(&self.inputs, false, &mut errors) {
            console.check()?;
            let Some(path) = &source.path else { continue };
            let input = BufReader::new(File::open(path)?);
            let options = kifu::ReadOptions { format: None, game: Some(self.game) };
            for record in kifu::Reader::new(source.name.clone(), input, options) {
                match record {
                    Ok(record) => self.add_game(&record, &mut target, &mut seen, &mut games)?,
                    Err(error) => {
                        games.unread += 1;
                        (console.tell)(&error.to_string());
                    }
                }
            }
        }
        errors.iter().for_each(|error| (console.tell)(error));
        writing.end(target, console)?;
        let text: String = seen.iter().map(|game| format!("{game:016x}\n")).collect();
        durable::write_whole(&list, text.as_bytes(), true)?;
        console.line(&format!(
            "games: {} taken, {} seen before, {} rated too low, {} not readable",
            grouped(games.taken),
            grouped(games.seen_before),
            grouped(games.rated_low),
            grouped(games.unread),
        ))
    }

    /// The list of games that the book has seen, beside it.
    fn games_path(&self) -> PathBuf {
        let mut name = self.writing.out.clone().into_os_string();
        name.push(".games");
        name.into()
    }

    fn add_game(
        &self,
        record: &Record,
        target: &mut Target,
        seen: &mut BTreeSet<u64>,
        games: &mut Games,
    ) -> Result<(), BookError> {
        if record.game() != self.game {
            games.unread += 1;
            return Ok(());
        }
        if let Some(least) = self.min_rating
            && !ratings(record).iter().all(|rating| rating.is_some_and(|r| r >= least))
        {
            games.rated_low += 1;
            return Ok(());
        }
        if !seen.insert(fingerprint(record)) {
            games.seen_before += 1;
            return Ok(());
        }
        games.taken += 1;
        let outcome = record.outcome();
        let mut position = record.start().clone();
        for mv in record.moves() {
            if position.ply() > self.max_ply || !position.is_legal(mv) {
                break;
            }
            let won = outcome.winner() == Some(position.turn());
            if won || !self.winners {
                let mut entry = Entry::of(&position)?;
                entry.moves.push(BookMove {
                    count: 1,
                    wins: u64::from(won),
                    draws: u64::from(outcome == Outcome::Draw),
                    ..BookMove::new(mv)
                });
                target.push(entry)?;
            }
            position.play(mv);
        }
        Ok(())
    }
}

/// Ratings of Black and White as floodgate writes them into its records: name, colon, number.
fn ratings(record: &Record) -> [Option<f64>; 2] {
    ["black_rate", "white_rate"].map(|name| {
        let value = record.headers.get(&kifu::Key::named(name))?;
        value.rsplit(':').next()?.trim().parse().ok()
    })
}

/// A number for a game by its start and its moves. It stands in the list of games beside a book, so it
/// is another than that of room `teacher` for ever.
fn fingerprint(record: &Record) -> u64 {
    let start = record.start().sfen();
    let moves = record.moves();
    seed::fnv1a(start.bytes().chain(moves.iter().flat_map(|mv| mv.bits().to_le_bytes())))
}

fn read_list(path: &std::path::Path) -> Result<BTreeSet<u64>, WorkError> {
    match std::fs::read_to_string(path) {
        Ok(text) => {
            Ok(text.lines().filter_map(|line| u64::from_str_radix(line, 16).ok()).collect())
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_read_where_floodgate_writes_them() {
        let text = "V2\nN+a\nN-b\n'black_rate:a+0123:4012.5\n'white_rate:b+4567:3900.0\nPI\n+\n+7776FU\nT1\n%TORYO\n";
        let records = kifu::read("x.csa", text.as_bytes(), kifu::ReadOptions::default());
        let record = records[0].as_ref().unwrap();
        assert_eq!(ratings(record), [Some(4012.5), Some(3900.0)]);
        let other = text.replace("+7776FU", "+2726FU");
        let records = kifu::read("x.csa", other.as_bytes(), kifu::ReadOptions::default());
        assert_ne!(fingerprint(records[0].as_ref().unwrap()), fingerprint(record));
    }
}
