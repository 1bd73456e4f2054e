//! Ending games early by the players' own scores.

use crate::spec::numbers;
use play::{Ending, Reason};
use rules::Color;
use std::fmt;
use std::str::FromStr;
use think::Score;

/// When one player's loss is taken for granted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ResignRule {
    /// The loser's score is at most minus this, in hundredths of a pawn.
    pub score: i32,
    /// For that many of its moves in a row.
    pub moves: u32,
    /// And the winner's score at least this, as often in a row.
    pub both: bool,
}

/// `score=3000,moves=4,both=false`: only the score is needed.
impl FromStr for ResignRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let [score, moves, both] =
            numbers(text, [("score", None), ("moves", Some(4.0)), ("both", Some(1.0))])?;
        Ok(Self { score: score as i32, moves: (moves as u32).max(1), both: both != 0.0 })
    }
}

impl fmt::Display for ResignRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "score={},moves={},both={}", self.score, self.moves, self.both)
    }
}

/// Whether a loss is ever taken for granted: a rule, or `never`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Resignation(pub Option<ResignRule>);

impl FromStr for Resignation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "never" {
            return Ok(Self(None));
        }
        text.parse().map(|rule| Self(Some(rule)))
    }
}

impl fmt::Display for Resignation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(rule) => rule.fmt(f),
            None => f.write_str("never"),
        }
    }
}

/// When a draw is taken for granted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DrawRule {
    /// Both scores are within this of zero, in hundredths of a pawn.
    pub score: i32,
    /// For that many moves of each in a row.
    pub moves: u32,
    /// Not before this many moves of the game.
    pub from: u32,
}

/// `score=10,moves=20,from=100`: only the score is needed.
impl FromStr for DrawRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let [score, moves, from] =
            numbers(text, [("score", None), ("moves", Some(8.0)), ("from", Some(0.0))])?;
        Ok(Self { score: score as i32, moves: (moves as u32).max(1), from: from as u32 })
    }
}

impl fmt::Display for DrawRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "score={},moves={},from={}", self.score, self.moves, self.from)
    }
}

/// The rules of a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Adjudication {
    pub resign: Option<ResignRule>,
    pub draw: Option<DrawRule>,
}

/// What one player has thought lately: how many of its last scores were of each kind.
#[derive(Clone, Copy, Debug, Default)]
struct Streak {
    losing: u32,
    winning: u32,
    even: u32,
}

/// The scores of one game as they come.
#[derive(Clone, Debug)]
pub struct Adjudicator {
    rules: Adjudication,
    streaks: [Streak; 2],
}

impl Adjudicator {
    /// For a new game.
    pub fn new(rules: Adjudication) -> Self {
        Self { rules, streaks: Default::default() }
    }

    /// A player moved and thought that of its position. A move without a score says nothing and
    /// breaks every row.
    pub fn note(&mut self, mover: Color, score: Option<Score>, ply: u32) -> Option<Ending> {
        let value = score.map(value);
        let grow = |row: &mut u32, holds: bool| *row = if holds { *row + 1 } else { 0 };
        let streak = &mut self.streaks[mover.index()];
        if let Some(rule) = self.rules.resign {
            grow(&mut streak.losing, value.is_some_and(|v| v <= -rule.score));
            grow(&mut streak.winning, value.is_some_and(|v| v >= rule.score));
        }
        if let Some(rule) = self.rules.draw {
            grow(&mut streak.even, value.is_some_and(|v| v.abs() <= rule.score));
        }
        self.lost().or_else(|| self.drawn(ply))
    }

    fn lost(&self) -> Option<Ending> {
        let rule = self.rules.resign?;
        let loser = Color::BOTH.into_iter().find(|c| {
            let (own, other) = (self.streaks[c.index()], self.streaks[c.opponent().index()]);
            own.losing >= rule.moves && (!rule.both || other.winning >= rule.moves)
        })?;
        Some(Ending::won(loser.opponent(), Reason::Adjudicated))
    }

    fn drawn(&self, ply: u32) -> Option<Ending> {
        let rule = self.rules.draw?;
        let agreed = self.streaks.iter().all(|s| s.even >= rule.moves);
        (agreed && ply >= rule.from).then_some(Ending::draw(Reason::Adjudicated))
    }
}

/// A score as one number; mates beyond everything else.
const fn value(score: Score) -> i32 {
    match score {
        Score::Cp(cp) => cp,
        Score::Mate(_) => i32::MAX,
        Score::Mated(_) => -i32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    #[test]
    fn rules_are_written_as_they_are_read() {
        for text in ["score=3000,moves=4,both=true", "score=150,moves=1,both=false"] {
            assert_eq!(text.parse::<ResignRule>().unwrap().to_string(), text);
        }
        for text in ["never", "score=3000,moves=4,both=true"] {
            assert_eq!(text.parse::<Resignation>().unwrap().to_string(), text);
        }
        assert!("sometimes".parse::<Resignation>().is_err());
        let text = "score=10,moves=20,from=100";
        assert_eq!(text.parse::<DrawRule>().unwrap().to_string(), text);
    }

    fn end_after(rules: Adjudication, scores: &[Option<i32>]) -> Option<(usize, Ending)> {
        let mut adjudicator = Adjudicator::new(rules);
        let mut mover = Black;
        for (index, score) in scores.iter().enumerate() {
            let end = adjudicator.note(mover, score.map(Score::Cp), index as u32 + 1);
            if let Some(end) = end {
                return Some((index, end));
            }
            mover = !mover;
        }
        None
    }

    const RESIGN: ResignRule = ResignRule { score: 1000, moves: 2, both: true };

    #[test]
    fn a_loss_needs_as_many_moves_in_a_row_as_the_rule_says() {
        let rules = |rule| Adjudication { resign: Some(rule), draw: None };
        let lost = Some(-1200);
        let won = Some(1100);
        let row = [lost, won, lost, won];
        assert_eq!(
            end_after(rules(RESIGN), &row),
            Some((3, Ending::won(White, Reason::Adjudicated)))
        );
        let alone = ResignRule { both: false, ..RESIGN };
        assert_eq!(
            end_after(rules(alone), &row),
            Some((2, Ending::won(White, Reason::Adjudicated)))
        );
        for broken in [
            [lost, won, Some(-900), won, lost, won],
            [lost, won, None, won, lost, won],
            [lost, Some(900), lost, Some(900), lost, won],
        ] {
            assert_eq!(end_after(rules(RESIGN), &broken), None);
        }
    }

    #[test]
    fn a_mate_counts_as_any_score() {
        let mut adjudicator = Adjudicator::new(Adjudication { resign: Some(RESIGN), draw: None });
        assert_eq!(adjudicator.note(White, Some(Score::Mated(None)), 1), None);
        assert_eq!(adjudicator.note(Black, Some(Score::Mate(Some(5))), 2), None);
        assert_eq!(adjudicator.note(White, Some(Score::Mated(Some(4))), 3), None);
        let end = adjudicator.note(Black, Some(Score::Mate(Some(3))), 4);
        assert_eq!(end, Some(Ending::won(Black, Reason::Adjudicated)));
    }

    #[test]
    fn a_draw_needs_both_and_enough_moves() {
        let draw = DrawRule { score: 10, moves: 2, from: 6 };
        let rules = Adjudication { resign: None, draw: Some(draw) };
        let even = [Some(3); 8];
        assert_eq!(end_after(rules, &even), Some((5, Ending::draw(Reason::Adjudicated))));
        let mut uneven = even;
        uneven[4] = Some(-11);
        assert_eq!(end_after(rules, &uneven), None);
        let early = Adjudication { resign: None, draw: Some(DrawRule { from: 0, ..draw }) };
        assert_eq!(end_after(early, &even), Some((3, Ending::draw(Reason::Adjudicated))));
    }
}
