//! One game as the client sees it.

use crate::time_budget::TimeBudget;
use csa::comment::{self, Comment};
use csa::record::RecordedMove;
use csa::{ReasonWord, Summary, Verdict};
use engines::background::SearchId;
use kifu::wire;
use rules::{AnyPosition, Color, Declaration, Move};
use std::time::Duration;
use think::{Best, Info, Moment, Score};

/// A game that is over, for us.
#[derive(Clone, Debug)]
pub(crate) struct FinishedGame {
    pub(crate) summary: Summary,
    pub(crate) moves: Vec<RecordedMove>,
    /// `None` if it was interrupted.
    pub(crate) end: Option<(ReasonWord, Verdict)>,
    pub(crate) last: Option<(String, Duration)>,
    /// How long it has been played, as far as we know.
    pub(crate) lasted: Duration,
}

/// A search under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PendingSearch {
    pub(crate) id: SearchId,
    /// The move expected, while it is not our turn.
    pub(crate) ponder: Option<Move>,
    pub(crate) stopped: bool,
}

/// A game being played.
pub struct OngoingGame {
    pub(crate) summary: Summary,
    pub(crate) us: Color,
    pub(crate) position: AnyPosition,
    pub(crate) budget: TimeBudget,
    pub(crate) turn_since: Moment,
    /// When the server said that it begins.
    pub(crate) begun: Option<Moment>,
    pub(crate) moves: Vec<RecordedMove>,
    /// How much of the running turn had passed when we came back to it.
    pub(crate) passed: Duration,
    pub(crate) search: Option<PendingSearch>,
    /// The latest report of the search with a score or a line.
    pub(crate) report: Info,
    /// An answer that came before it was our turn.
    pub(crate) early: Option<Best>,
    /// When our move was sent, until it comes back.
    pub(crate) sent: Option<(Moment, Option<String>)>,
    pub(crate) expected: Option<Move>,
    pub(crate) last: Option<(String, Duration)>,
    pub(crate) reason: Option<ReasonWord>,
}

impl OngoingGame {
    /// The last move and the clocks, in a line.
    pub fn clocks_line(&self) -> String {
        let left = |color| csa::times::seconds_text(self.remaining(color));
        let position = self.position();
        let moves = position.moves_played();
        let last = moves.last().map_or_else(|| "start".to_owned(), |m| m.usi(position.game()));
        let clocks = format!("Black {} s, White {} s", left(Color::Black), left(Color::White));
        format!("{:>3} {last:<6} {clocks}", moves.len())
    }

    pub(crate) fn new(summary: Summary) -> Self {
        let mut budget = TimeBudget::new(&summary.times);
        let mut position = summary.start.clone();
        let mut moves = Vec::new();
        for played in &summary.played {
            let text = wire::write_move(&position, played.m);
            let time = played.time.unwrap_or_default();
            budget.played(position.turn(), time);
            position.play(played.m);
            moves.push(RecordedMove { text, time, comment: None });
        }
        let passed =
            summary.extra("Elapsed_Time").and_then(csa::times::seconds).unwrap_or_default();
        Self {
            us: summary.your_turn,
            position,
            budget,
            moves,
            passed,
            summary,
            turn_since: Duration::ZERO,
            begun: None,
            search: None,
            report: Info::default(),
            early: None,
            sent: None,
            expected: None,
            last: None,
            reason: None,
        }
    }

    /// Where it stands.
    pub const fn position(&self) -> &AnyPosition {
        &self.position
    }

    /// Time left to a side before the increment of the turn that comes or runs.
    pub fn remaining(&self, side: Color) -> Duration {
        self.budget.remaining(side)
    }

    pub(crate) fn is_our_move(&self) -> bool {
        self.position.turn() == self.us && self.sent.is_none()
    }

    /// When our time is over.
    pub(crate) fn end_of_time(&self) -> Option<Moment> {
        let available = self.budget.available(self.us)?.saturating_sub(self.passed);
        Some(self.turn_since + available)
    }

    pub(crate) fn may_declare(&self) -> bool {
        let rule = self.summary.entering_king_rule();
        rule != Declaration::Try && self.position.can_declare(rule)
    }

    /// The king's move that wins by the try rule, where it is played.
    pub(crate) fn try_move(&self) -> Option<Move> {
        let AnyPosition::Shogi(position) = &self.position else { return None };
        let rule = self.summary.entering_king_rule();
        position.try_move().filter(|_| rule == Declaration::Try)
    }

    /// What we think of our move.
    pub(crate) fn comment(&self, m: Move) -> Option<String> {
        let score = match self.report.score?.0 {
            Score::Cp(cp) => cp,
            Score::Mate(_) => comment::MATE,
            Score::Mated(_) => -comment::MATE,
        };
        let line = match self.report.pv.split_first() {
            Some((&first, rest)) if first == m => rest.to_vec(),
            _ => Vec::new(),
        };
        let mut after = self.position.clone();
        after.play(m);
        let comment = Comment { score: Some(comment::for_black(score, self.us)), line };
        Some(comment.text(&after))
    }

    pub(crate) fn finished(self, end: Option<(ReasonWord, Verdict)>, now: Moment) -> FinishedGame {
        // What was played before we came is known by the times of its moves alone.
        let before = self.summary.played.iter().filter_map(|played| played.time).sum::<Duration>();
        let since = self.begun.map(|begun| now.saturating_sub(begun)).unwrap_or_default();
        let lasted = before + self.passed + since;
        FinishedGame { summary: self.summary, moves: self.moves, end, last: self.last, lasted }
    }
}
