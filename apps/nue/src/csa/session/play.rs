//! One game as the client sees it.

use super::super::budget::Budget;
use super::super::mind::{Insight, Ticket};
use ::csa::comment::{self, Comment};
use ::csa::{Reason, Summary, Verdict};
use ::server::record::StoredMove;
use kifu::wire;
use rules::{AnyPosition, Color, Declaration, Move};
use std::time::Duration;
use think::{Answer, Moment, Score};

/// A game that is over, for us.
#[derive(Clone, Debug)]
pub(in crate::csa) struct Finished {
    pub(in crate::csa) summary: Summary,
    pub(in crate::csa) moves: Vec<StoredMove>,
    /// `None` if it was interrupted.
    pub(in crate::csa) end: Option<(Reason, Verdict)>,
    pub(in crate::csa) last: Option<(String, Duration)>,
}

/// A question under way.
#[derive(Clone, Copy, Debug)]
pub(in crate::csa) struct Asked {
    pub(in crate::csa) ticket: Ticket,
    /// The move expected, while it is not our turn.
    pub(in crate::csa) ponder: Option<Move>,
    pub(in crate::csa) stopped: bool,
}

/// A game.
pub(in crate::csa) struct Play {
    pub(in crate::csa) summary: Summary,
    pub(in crate::csa) us: Color,
    pub(in crate::csa) position: AnyPosition,
    pub(in crate::csa) budget: Budget,
    pub(in crate::csa) turn_since: Moment,
    pub(in crate::csa) moves: Vec<StoredMove>,
    /// How much of the running turn had passed when we came back to it.
    pub(in crate::csa) passed: Duration,
    pub(in crate::csa) asked: Option<Asked>,
    pub(in crate::csa) insight: Insight,
    /// An answer that came before it was our turn.
    pub(in crate::csa) early: Option<(Answer, Option<Move>)>,
    /// When our move was sent, until it comes back.
    pub(in crate::csa) sent: Option<(Moment, Option<String>)>,
    pub(in crate::csa) expected: Option<Move>,
    pub(in crate::csa) last: Option<(String, Duration)>,
    pub(in crate::csa) reason: Option<Reason>,
}

impl Play {
    pub(in crate::csa) fn new(summary: Summary) -> Self {
        let mut budget = Budget::new(&summary.times);
        let mut position = summary.start.clone();
        let mut moves = Vec::new();
        for played in &summary.played {
            let text = wire::write_move(&position, played.m);
            let time = played.time.unwrap_or_default();
            budget.played(position.turn(), time);
            position.play(played.m);
            moves.push(StoredMove { text, time, comment: None });
        }
        let passed =
            summary.extra("Elapsed_Time").and_then(::csa::times::seconds).unwrap_or_default();
        Self {
            us: summary.your_turn,
            position,
            budget,
            moves,
            passed,
            summary,
            turn_since: Duration::ZERO,
            asked: None,
            insight: Insight::default(),
            early: None,
            sent: None,
            expected: None,
            last: None,
            reason: None,
        }
    }

    pub(in crate::csa) fn is_our_move(&self) -> bool {
        self.position.turn() == self.us && self.sent.is_none()
    }

    /// When our time is over.
    pub(in crate::csa) fn end_of_time(&self) -> Option<Moment> {
        let available = self.budget.available(self.us)?.saturating_sub(self.passed);
        Some(self.turn_since + available)
    }

    pub(in crate::csa) fn may_declare(&self) -> bool {
        self.summary.declaration.is_some() && self.position.can_declare(Declaration::Points27)
    }

    /// What we think of our move.
    pub(in crate::csa) fn comment(&self, m: Move) -> Option<String> {
        let score = match self.insight.score? {
            Score::Cp(cp) => cp,
            Score::Mate(_) => comment::MATE,
            Score::Mated(_) => -comment::MATE,
        };
        let line = match self.insight.line.split_first() {
            Some((&first, rest)) if first == m => rest.to_vec(),
            _ => Vec::new(),
        };
        let mut after = self.position.clone();
        after.play(m);
        let comment = Comment { score: Some(comment::for_black(score, self.us)), line };
        Some(comment.text(&after))
    }

    pub(in crate::csa) fn finished(self, end: Option<(Reason, Verdict)>) -> Finished {
        Finished { summary: self.summary, moves: self.moves, end, last: self.last }
    }
}
