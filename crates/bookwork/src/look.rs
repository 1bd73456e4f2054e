//! Probing, checking, counting, comparing, and the tree of a book.

use crate::args::{Check, Diff, Probe, Stats, Tree};
use crate::sorted::{Entries, Native, each, open};
use crate::{Console, WorkError};
use assembly::books;
use book::choice;
use book::{Book, DbFile, Entry, Format, Library};
use chart::grouped;
use rules::{AnyPosition, Color, Game};
use seed::Rng;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use usi::SetPosition;

/// The position a text means, with moves played from it.
pub(crate) fn position(game: Game, text: &str, moves: &[String]) -> Result<AnyPosition, WorkError> {
    let position = SetPosition::named(game, text, moves).and_then(|set| set.resolve(game));
    position.map_err(|error| WorkError::Position(error.to_string()))
}

pub(crate) fn open_book(path: &Path, game: Game) -> Result<Book, WorkError> {
    // A sorted text book need not be loaded for one question.
    Book::open(path, game, true)
        .or_else(|_| Book::open(path, game, false))
        .map_err(WorkError::at(path))
}

impl Probe {
    /// Probes.
    pub fn run(&self, console: &mut Console<'_>) -> Result<(), WorkError> {
        let position = position(self.game, &self.position, &self.moves)?;
        let mut list = Vec::new();
        for path in &self.books {
            list.push(open_book(path, self.game)?);
        }
        let policy = books::policy_of(&self.options).map_err(WorkError::Position)?;
        let library = Library::new(list);
        let decision = choice::choose(&library, &position, &policy, &mut Rng::new(self.seed))?;
        for sentence in books::sentences(&position, &decision) {
            console.line(sentence.trim_start_matches("book: "))?;
        }
        if let Some((m, reply)) = &decision.chosen {
            let usi = |mv: rules::Move| mv.usi(self.game);
            let reply = reply.map_or(String::new(), |reply| format!(", expecting {}", usi(reply)));
            console.line(&format!("plays {}{reply}", usi(m.mv)))?;
        }
        Ok(())
    }
}

/// Faults of one kind: how many, and the first few.
#[derive(Default)]
struct Faults(BTreeMap<&'static str, (u64, Vec<String>)>);

impl Faults {
    fn add(&mut self, kind: &'static str, text: impl FnOnce() -> String) {
        let (count, first) = self.0.entry(kind).or_default();
        *count += 1;
        if first.len() < 5 {
            first.push(text());
        }
    }
}

impl Check {
    /// Checks. What makes a book unusable is an error; what is merely odd is told.
    pub fn run(&self, console: &mut Console<'_>) -> Result<(), WorkError> {
        let source = open(&self.input, &self.reading)?;
        let (game, format) = (source.game(), source.format);
        let (mut positions, mut faults) = (0u64, Faults::default());
        let mut last: Option<Vec<u8>> = None;
        let mut disorder = 0u64;
        let problems = each(&self.input, source, console, &mut |entry| {
            positions += 1;
            if format == Format::Db {
                let order = entry.position(game)?.sfen().into_bytes();
                disorder += u64::from(last.as_ref().is_some_and(|last| *last > order));
                last = Some(order);
            }
            check_entry(&entry, game, &mut faults);
            Ok(())
        })?;
        console.line(&format!("{}: {} positions", self.input.display(), grouped(positions)))?;
        if format == Format::Db {
            let searchable = DbFile::open(Box::new(File::open(&self.input)?)).is_ok();
            let sorted = disorder == 0 && searchable;
            console.line(if sorted {
                "sorted"
            } else {
                "not sorted: BookOnTheFly would miss positions"
            })?;
        }
        let errors = problems.count + faults.0.get(ILLEGAL).map_or(0, |(count, _)| *count);
        for (kind, (count, first)) in &faults.0 {
            console.line(&format!("{} {kind}", grouped(*count)))?;
            for text in first {
                console.line(&format!("  {text}"))?;
            }
        }
        match errors {
            0 => Ok(()),
            errors => Err(WorkError::Faulty(format!("{} faults", grouped(errors)))),
        }
    }
}

const ILLEGAL: &str = "illegal moves or positions";
const POINTLESS: &str = "moves that stay unpromoted, which is never better";
const EMPTY: &str = "positions without moves";
const UNKNOWN: &str = "positions none of whose moves has a value or a count";

fn check_entry(entry: &Entry, game: Game, faults: &mut Faults) {
    let position = match entry.position(game) {
        Ok(position) => position,
        Err(error) => return faults.add(ILLEGAL, || error.to_string()),
    };
    if entry.moves.is_empty() {
        faults.add(EMPTY, || position.sfen());
    } else if entry.moves.iter().all(|m| m.value.is_none() && m.count == 0) {
        faults.add(UNKNOWN, || position.sfen());
    }
    for m in &entry.moves {
        let text = || format!("{} {}", position.sfen(), m.mv.usi(game));
        if !position.is_legal(m.mv) {
            faults.add(ILLEGAL, text);
        } else if book::is_pointless_non_promotion(&position, m.mv) {
            faults.add(POINTLESS, text);
        }
    }
}

impl Stats {
    /// Counts.
    pub fn run(&self, console: &mut Console<'_>) -> Result<(), WorkError> {
        let source = open(&self.input, &self.reading)?;
        let (game, format, header) = (source.game(), source.format, source.header.clone());
        let mut sides = [0u64; 2];
        let (mut moves, mut valued, mut counted, mut games, mut replies) =
            (0u64, 0u64, 0u64, 0u64, 0u64);
        let mut plies: BTreeMap<u32, u64> = BTreeMap::new();
        let mut sources: BTreeMap<String, u64> = BTreeMap::new();
        each(&self.input, source, console, &mut |entry| {
            sides[entry.turn().index()] += 1;
            *plies.entry(entry.ply / 10 * 10).or_default() += 1;
            moves += entry.moves.len() as u64;
            for m in &entry.moves {
                valued += u64::from(m.value.is_some());
                counted += u64::from(m.count > 0);
                replies += u64::from(m.reply.is_some());
                games = games.saturating_add(m.count);
                if let Some(source) = &m.source {
                    *sources.entry(source.to_string()).or_default() += 1;
                }
            }
            Ok(())
        })?;
        console.line(&format!("{}: {format}, {game}", self.input.display()))?;
        for (key, value) in &header.pairs {
            console.line(&format!("{key}: {value}"))?;
        }
        let (black, white) = (grouped(sides[0]), grouped(sides[1]));
        console.line(&format!(
            "positions  {} (Black to move {black}, White {white})",
            grouped(sides[0] + sides[1])
        ))?;
        console.line(&format!("moves      {}", grouped(moves)))?;
        console.line(&format!("  valued   {}", grouped(valued)))?;
        console.line(&format!(
            "  counted  {} (played {} times)",
            grouped(counted),
            grouped(games)
        ))?;
        console.line(&format!("  replies  {}", grouped(replies)))?;
        for (source, count) in sources {
            console.line(&format!("  from {source}: {}", grouped(count)))?;
        }
        for (ply, count) in plies {
            console.line(&format!(
                "  moves {ply:>3} to {:>3} of the game: {}",
                ply + 9,
                grouped(count)
            ))?;
        }
        Ok(())
    }
}

/// The folder of a book: a sorted copy is about as large, and has room where the book has it.
fn beside(book: &Path) -> &Path {
    book.parent().unwrap_or(Path::new("."))
}

impl Diff {
    /// Compares.
    pub fn run(&self, console: &mut Console<'_>) -> Result<(), WorkError> {
        let first = Native::open(&self.first, &self.reading, beside(&self.first), console)?;
        let second = Native::open(&self.second, &self.reading, beside(&self.second), console)?;
        let game = first.book.header().game;
        let (mut one, mut two) = (Entries::new(&first.book), Entries::new(&second.book));
        let (mut a, mut b) = (one.next()?, two.next()?);
        let (mut only, mut same, mut other) = ([0u64; 2], 0u64, 0u64);
        let mut told = 0;
        while a.is_some() || b.is_some() {
            console.check()?;
            let order = match (&a, &b) {
                (Some(a), Some(b)) => a.key.cmp(&b.key),
                (Some(_), None) => std::cmp::Ordering::Less,
                _ => std::cmp::Ordering::Greater,
            };
            let text = match order {
                std::cmp::Ordering::Less => {
                    only[0] += 1;
                    let entry = std::mem::replace(&mut a, one.next()?);
                    entry.map(|entry| format!("- {}", words(&entry, game)))
                }
                std::cmp::Ordering::Greater => {
                    only[1] += 1;
                    let entry = std::mem::replace(&mut b, two.next()?);
                    entry.map(|entry| format!("+ {}", words(&entry, game)))
                }
                std::cmp::Ordering::Equal => {
                    let before = std::mem::replace(&mut a, one.next()?);
                    let after = std::mem::replace(&mut b, two.next()?);
                    match before.zip(after).filter(|(a, b)| a.moves != b.moves) {
                        Some((before, after)) => {
                            other += 1;
                            Some(format!("- {}\n+ {}", words(&before, game), words(&after, game)))
                        }
                        None => {
                            same += 1;
                            None
                        }
                    }
                }
            };
            if let Some(text) = text.filter(|_| told < self.show) {
                told += 1;
                console.line(&text)?;
            }
        }
        console.line(&format!(
            "positions: {} alike, {} with other moves or values, {} only in the first, {} only in the second",
            grouped(same),
            grouped(other),
            grouped(only[0]),
            grouped(only[1])
        ))
    }
}

/// An entry on one line.
fn words(entry: &Entry, game: Game) -> String {
    let sfen = entry.position(game).map_or_else(|error| error.to_string(), |p| p.sfen());
    let moves: Vec<String> = entry
        .moves
        .iter()
        .map(|m| {
            let value = m.value.map_or("?".to_owned(), |value| value.to_string());
            format!("{} {value}/{}×{}", m.mv.usi(game), m.depth, m.count)
        })
        .collect();
    format!("{sfen}: {}", moves.join(", "))
}

impl Tree {
    /// Shows.
    pub fn run(&self, console: &mut Console<'_>) -> Result<(), WorkError> {
        let root = position(self.game, &self.position, &self.moves)?;
        let library = Library::new(vec![open_book(&self.input, self.game)?]);
        if library.find(&root, true)?.is_none() {
            return Err(WorkError::Position("the position is not in the book".to_owned()));
        }
        self.branch(&library, &root, 0, console)
    }

    fn branch(
        &self,
        library: &Library,
        position: &AnyPosition,
        depth: usize,
        console: &mut Console<'_>,
    ) -> Result<(), WorkError> {
        console.check()?;
        let Some(found) = library.find(position, true)? else { return Ok(()) };
        for m in found.entry.moves.iter().filter(|m| position.is_legal(m.mv)).take(self.width) {
            let side = if position.turn() == Color::Black { '☗' } else { '☖' };
            let value = m.value.map_or(String::new(), |value| format!("  {value:+}"));
            let searched = if m.depth > 0 { format!("/{}", m.depth) } else { String::new() };
            let count =
                if m.count > 0 { format!("  ×{}", grouped(m.count)) } else { String::new() };
            let indent = "  ".repeat(depth);
            let mv = m.mv.usi(self.game);
            console.line(&format!("{indent}{side}{mv}{value}{searched}{count}"))?;
            let mut after = position.clone();
            after.play(m.mv);
            if depth + 1 < self.depth && after.occurrences() == 1 {
                self.branch(library, &after, depth + 1, console)?;
            }
        }
        Ok(())
    }
}
