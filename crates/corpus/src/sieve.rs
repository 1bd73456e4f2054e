//! Which positions train: the one rule for every trainer and for `nue data filter`.

use crate::error::Error;
use crate::format::Format;
use rules::{AnyPosition, Move, Position, Variant};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use teacher::{Flags, Game, MATE_BOUND, Outcome};

/// What passes. The default lets everything pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Sieve {
    /// Largest score either way.
    pub max_score: Option<u16>,
    /// No mate scores.
    pub no_mates: bool,
    /// First move number.
    pub min_ply: Option<u32>,
    /// Last move number.
    pub max_ply: Option<u32>,
    /// No positions in check.
    pub no_check: bool,
    /// Only positions whose move neither captures nor promotes.
    pub quiet: bool,
    /// No positions whose move was chosen at random.
    pub no_random: bool,
    /// No drawn games.
    pub no_draws: bool,
    /// No games whose result is not known.
    pub known_result: bool,
    /// Fewest moves of a game.
    pub min_length: Option<usize>,
    /// Most moves of a game.
    pub max_length: Option<usize>,
}

/// Why a position does not train.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeftOut {
    /// Marked as not for training, or its move was chosen at random.
    Marked,
    Unscored,
    /// Its score is too far from zero.
    Score,
    /// Its move number is out of range.
    Ply,
    Check,
    /// Its move captures or promotes.
    Loud,
}

impl Sieve {
    /// What is asked for, by the names of the flags; what is not is left out.
    pub(crate) fn flags(&self) -> Value {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Value::Object(map) = &mut value {
            map.retain(|_, value| !matches!(value, Value::Null | Value::Bool(false)));
        }
        value
    }

    /// What trains unless told otherwise, on the CPU as on a GPU: positions not in check, whose
    /// move neither captures nor promotes nor was chosen at random.
    pub const TRAINING: Self = Self {
        no_check: true,
        quiet: true,
        no_random: true,
        max_score: None,
        no_mates: false,
        min_ply: None,
        max_ply: None,
        no_draws: false,
        known_result: false,
        min_length: None,
        max_length: None,
    };

    /// What this leaves out, and what does not train unless it is kept: positions in check, moves
    /// that capture or promote, and moves chosen at random. A policy is learned from positions of
    /// all kinds, evaluations from quiet ones.
    #[must_use]
    pub const fn training(self, policy: bool, [checks, captures, random]: [bool; 3]) -> Self {
        Self {
            no_check: self.no_check || !(policy || checks),
            quiet: self.quiet || !(policy || captures),
            no_random: self.no_random || !random,
            ..self
        }
    }

    /// Whether files of a format can be asked for all of this.
    pub(crate) fn fits(&self, format: Format) -> Result<(), Error> {
        if format.record().is_some() && (self.min_length.is_some() || self.max_length.is_some()) {
            let why = format!("{format} holds positions, not games with a length");
            return Err(Error::request(why));
        }
        if format == Format::Hcpe && (self.min_ply.is_some() || self.max_ply.is_some()) {
            return Err(Error::request("hcpe has no move numbers"));
        }
        Ok(())
    }

    /// Whether a game of that many moves passes.
    pub(crate) fn passes_length(&self, length: usize) -> bool {
        self.min_length.is_none_or(|n| length >= n) && self.max_length.is_none_or(|n| length <= n)
    }

    fn passes_game(&self, game: &Game) -> bool {
        self.passes_outcome(game.outcome) && self.passes_length(game.plies.len())
    }

    /// Whether a game that ended so passes.
    pub(crate) fn passes_outcome(&self, outcome: Outcome) -> bool {
        !(self.no_draws && outcome == Outcome::Draw
            || self.known_result && outcome == Outcome::Unknown)
    }

    /// Whether a position passes.
    pub(crate) fn passes<V: Variant>(
        &self,
        position: &Position<V>,
        mv: Option<Move>,
        score: Option<i16>,
        flags: Flags,
    ) -> bool {
        self.objection(position, mv, score, flags).is_none()
    }

    /// Whether a position trains: its score, or why it is left out.
    pub fn trains<V: Variant>(
        &self,
        position: &Position<V>,
        mv: Option<Move>,
        score: Option<i16>,
        flags: Flags,
    ) -> Result<i16, LeftOut> {
        if flags.skip || self.no_random && flags.random {
            return Err(LeftOut::Marked);
        }
        let score = score.ok_or(LeftOut::Unscored)?;
        self.objection(position, mv, Some(score), flags).map_or(Ok(score), Err)
    }

    fn objection<V: Variant>(
        &self,
        position: &Position<V>,
        mv: Option<Move>,
        score: Option<i16>,
        flags: Flags,
    ) -> Option<LeftOut> {
        let size = score.map_or(0, i16::unsigned_abs);
        let ply = position.ply();
        let loud = |m: Move| m.is_promotion() || position.piece_at(m.to()).is_some();
        if self.no_random && flags.random {
            Some(LeftOut::Marked)
        } else if self.max_score.is_some_and(|n| size > n)
            || self.no_mates && size >= MATE_BOUND.unsigned_abs()
        {
            Some(LeftOut::Score)
        } else if self.min_ply.is_some_and(|n| ply < n) || self.max_ply.is_some_and(|n| ply > n) {
            Some(LeftOut::Ply)
        } else if self.no_check && position.in_check() {
            Some(LeftOut::Check)
        } else if self.quiet && mv.is_some_and(loud) {
            Some(LeftOut::Loud)
        } else {
            None
        }
    }

    pub(crate) fn passes_any(
        &self,
        position: &AnyPosition,
        mv: Option<Move>,
        score: Option<i16>,
        flags: Flags,
    ) -> bool {
        match position {
            AnyPosition::Shogi(p) => self.passes(p, mv, score, flags),
            AnyPosition::Minishogi(p) => self.passes(p, mv, score, flags),
        }
    }

    /// Marks what does not pass. Says whether anything is left.
    pub(crate) fn sift(&self, game: &mut Game) -> bool {
        if !self.passes_game(game) {
            return false;
        }
        let mut position = game.start.clone();
        let mut left = false;
        for ply in &mut game.plies {
            ply.flags.skip |= !self.passes_any(&position, Some(ply.mv), ply.score, ply.flags);
            left |= !ply.flags.skip;
            position.play(ply.mv);
        }
        if game.last.is_some() && !self.passes_any(&position, None, game.last, Flags::default()) {
            game.last = None;
        }
        left || game.last.is_some()
    }
}
