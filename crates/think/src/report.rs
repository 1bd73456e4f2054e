//! What a search says. Values only: the text is made where it is printed.

use rules::Move;
use std::time::Duration;

/// How good the position is for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Score {
    /// In hundredths of a pawn.
    Cp(i32),
    /// The side to move mates, in that many plies where known.
    Mate(Option<u32>),
    /// The side to move is mated, in that many plies where known.
    Mated(Option<u32>),
}

pub use play::PAWN;

/// Evaluation units as hundredths of a pawn, rounded towards zero.
pub const fn to_centipawns(units: i32) -> i32 {
    100 * units / PAWN
}

/// The evaluation units that [`to_centipawns`] made this of; of other numbers those nearest
/// above in size.
pub const fn to_units(centipawns: i32) -> i32 {
    let size = (centipawns.unsigned_abs() as i64 * PAWN as i64 + 99) / 100;
    (if centipawns < 0 { -size } else { size }) as i32
}

/// Whether a score is the value itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Bound {
    /// The value.
    #[default]
    Exact,
    /// The value is at least this.
    Lower,
    /// The value is at most this.
    Upper,
}

/// How likely the side to move wins, draws and loses, in thousandths: together a thousand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wdl {
    pub win: u16,
    pub draw: u16,
    pub loss: u16,
}

impl Wdl {
    /// From chances to win and to draw.
    pub fn new(win: f64, draw: f64) -> Self {
        let thousandths = |chance: f64| (1000.0 * chance.clamp(0.0, 1.0)).round() as u16;
        let win = thousandths(win);
        let draw = thousandths(draw).min(1000 - win);
        Self { win, draw, loss: 1000 - win - draw }
    }
}

/// One line of thought. Fields that are `None` or empty are not known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Info {
    /// Plies of this iteration.
    pub depth: Option<u32>,
    /// Plies of the longest line read.
    pub seldepth: Option<u32>,
    /// Rank of this line among several, from 1.
    pub multipv: Option<u32>,
    /// Value of the line.
    pub score: Option<(Score, Bound)>,
    /// The same as chances, where the engine counts in them.
    pub wdl: Option<Wdl>,
    /// Nodes read so far.
    pub nodes: Option<u64>,
    /// Nodes read per second.
    pub nps: Option<u64>,
    /// Use of the transposition table in thousandths.
    pub hashfull: Option<u32>,
    /// Time used so far.
    pub time: Option<Duration>,
    pub pv: Vec<Move>,
}

/// What to do in the position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Play this move, which is legal.
    Move(Move),
    Resign,
    /// Declare the win by entering king; the rule is satisfied.
    Win,
}

/// The end of a search for a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Best {
    pub answer: Answer,
    /// The reply expected, legal after the answer.
    pub ponder: Option<Move>,
}

/// The end of a search for a mate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MateAnswer {
    /// The mating line, at least one move.
    Mate(Vec<Move>),
    /// There is no mate.
    NoMate,
    /// Not known: the time is over.
    Timeout,
    /// This engine does not look for mates.
    NotImplemented,
}

/// Where a search reports to. Ends with exactly one `best` or one `mate`.
pub trait Report: Send {
    /// A line of thought.
    fn info(&mut self, info: &Info);
    /// A remark for the reader.
    fn note(&mut self, text: &str);
    /// The search for a move has ended.
    fn best(&mut self, best: &Best);
    /// The search for a mate has ended.
    fn mate(&mut self, answer: &MateAnswer);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_are_a_thousand_together() {
        assert_eq!(Wdl::new(0.25, 0.5), Wdl { win: 250, draw: 500, loss: 250 });
        assert_eq!(Wdl::new(0.9999, 0.0001), Wdl { win: 1000, draw: 0, loss: 0 });
        assert_eq!(Wdl::new(-0.1, 1.5), Wdl { win: 0, draw: 1000, loss: 0 });
        assert_eq!(Wdl::new(0.6666, 0.3335), Wdl { win: 667, draw: 333, loss: 0 });
    }

    #[test]
    fn units_survive_the_way_through_centipawns() {
        for units in -40_000..=40_000 {
            assert_eq!(to_units(to_centipawns(units)), units);
        }
        assert_eq!((to_units(100), to_units(-100), to_units(0)), (90, -90, 0));
    }
}
