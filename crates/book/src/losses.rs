//! What had to be left out or passed over, counted, so that nobody loses anything unknowingly.

use std::fmt;

/// What a format had no place for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Losses {
    pub replies: u64,
    /// Moves without value, written as 0.
    pub unknown_values: u64,
    /// Numbers too large for their place, written as the largest that fits.
    pub cut_numbers: u64,
    pub depths: u64,
    pub counts: u64,
    /// Wins and draws of moves.
    pub results: u64,
    pub comments: u64,
    pub sources: u64,
    pub plies: u64,
    /// Positions that cannot be written at all.
    pub positions: u64,
}

impl Losses {
    fn rows(&self) -> [(u64, &'static str); 10] {
        [
            (self.positions, "positions"),
            (self.replies, "expected replies"),
            (self.unknown_values, "unknown values (written as 0)"),
            (self.cut_numbers, "large numbers (written as the largest that fits)"),
            (self.depths, "depths"),
            (self.counts, "counts"),
            (self.results, "results of games"),
            (self.comments, "comments"),
            (self.sources, "sources"),
            (self.plies, "move numbers"),
        ]
    }

    /// Those of another part of the same book.
    pub fn add(&mut self, other: Self) {
        self.replies += other.replies;
        self.unknown_values += other.unknown_values;
        self.cut_numbers += other.cut_numbers;
        self.depths += other.depths;
        self.counts += other.counts;
        self.results += other.results;
        self.comments += other.comments;
        self.sources += other.sources;
        self.plies += other.plies;
        self.positions += other.positions;
    }

    /// Whether everything had its place.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// A sentence for each kind of thing lost.
    pub fn sentences(&self) -> Vec<String> {
        let lost = self.rows().into_iter().filter(|(count, _)| *count > 0);
        lost.map(|(count, what)| format!("{count} {what} have no place in this format")).collect()
    }
}

/// How many problems are told in words.
const TOLD: usize = 20;

/// What could not be read: all counted, the first few in words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Problems {
    pub count: u64,
    pub first: Vec<String>,
}

impl Problems {
    /// One more.
    pub fn note(&mut self, text: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.len() < TOLD {
            self.first.push(text());
        }
    }

    /// Those of a later part.
    pub fn add(&mut self, other: Self) {
        self.count += other.count;
        let room = TOLD - self.first.len();
        self.first.extend(other.first.into_iter().take(room));
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for text in &self.first {
            writeln!(f, "{text}")?;
        }
        let more = self.count - self.first.len() as u64;
        if more > 0 { writeln!(f, "… and {more} more") } else { Ok(()) }
    }
}
