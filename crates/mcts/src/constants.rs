//! Every tunable number of the tree search: a set for each game, and those that three engines have
//! published.
//!
//! Scores are from 0 (lost) to 1 (won). Numbers of engines that count from −1 to 1 are halved.

use rules::Game;
use think::TimePlan;

/// What an unvisited move is thought to be worth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Fpu {
    /// A loss, as in AlphaZero.
    Loss,
    /// The node's value less `reduction`·√(sum of the priors visited), as in lc0.
    Visited { reduction: f32 },
    /// The node's value less `reduction`·√(sum of the priors chosen, counted at every visit), at
    /// least 0, as in dlshogi: a loss after a few visits. Its other numbers are tuned with it.
    Chosen { reduction: f32 },
}

impl Fpu {
    /// The value of a move never visited, in a node worth `value` to the side to move where moves with
    /// so much prior were visited, and so much was chosen over all visits.
    #[inline]
    pub fn unvisited(self, value: f32, visited: f32, chosen: f32) -> f32 {
        match self {
            Self::Loss => 0.0,
            Self::Visited { reduction } => value - reduction * visited.sqrt(),
            Self::Chosen { reduction } => (value - reduction * chosen.sqrt()).max(0.0),
        }
    }

    /// Priors chosen beyond this many change nothing any more.
    pub(crate) fn most_chosen(self) -> f32 {
        match self {
            // No value is above 1.
            Self::Chosen { reduction } if reduction > 0.0 => reduction.recip().powi(2) + 1.0,
            _ => 0.0,
        }
    }
}

/// How a playout that is not back yet counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VirtualLoss {
    /// As a visit that lost.
    Loss,
    /// As a visit in the term that explores, not in the value.
    VisitOnly,
}

/// How much is explored in a node visited N times: `init` + `factor`·ln((N + `base`) / `base`).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Exploration {
    pub init: f32,
    pub factor: f32,
    pub base: f32,
    pub fpu: Fpu,
}

impl Exploration {
    /// In a node visited so often.
    #[inline]
    pub fn at(&self, visits: f64) -> f32 {
        let x = (visits as f32 + 1.0) / self.base;
        // Most nodes have few visits: there the logarithm is a short series, to the last bit of a
        // float and the same on every machine.
        let log = if x < 1.0 / 64.0 { x * (1.0 - x * (0.5 - x / 3.0)) } else { x.ln_1p() };
        self.init + self.factor * log
    }
}

/// When a search by the clock ends before its time, or goes on after it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Patience {
    /// Playouts a search adds to what it found in the tree, however sure that looks.
    pub least_new: u64,
    /// Part of the time before which nothing is decided.
    pub early: f64,
    /// What the second best is thought to gain on the best at most: this part of the playouts left
    /// (lc0's smart pruning).
    pub overtaking: f64,
    /// Plies of a game before which no time is added (dlshogi).
    pub opening: u32,
    /// The best move needs so many times the visits of the second (dlshogi).
    pub clearly: f64,
    /// How much longer to think where the visits have left the net's policy, for every unit of their
    /// divergence, and the bounds of it.
    pub surprise: f64,
    pub surprise_bounds: [f64; 2],
}

/// The numbers of the search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Constants {
    pub root: Exploration,
    pub inner: Exploration,
    /// What the net's logits are divided by.
    pub temperature: f32,
    pub virtual_loss: VirtualLoss,
    /// The sum of the parameters of Dirichlet noise over all moves, as KataGo has it.
    pub concentration: f32,
    /// Gumbel's root: a value counts as much as so many visits and those of the move visited most.
    pub gumbel_visits: f64,
    /// A move is compared by its confidence bound if it has this share of the most visits.
    pub lcb_share: f64,
    /// Standard errors between a value and its bound.
    pub lcb_width: f64,
    /// How a clock is shared out.
    pub time: TimePlan,
    pub patience: Patience,
}

impl Constants {
    /// Those of shogi: dlshogi's, which were tuned for it.
    pub const SHOGI: Self = Self::DLSHOGI;

    /// Those of minishogi: its own set, equal to the other wherever nothing else was measured.
    pub const MINISHOGI: Self = Self { ..Self::SHOGI };

    /// The numbers a game is searched with.
    pub const fn of(game: Game) -> Self {
        match game {
            Game::Shogi => Self::SHOGI,
            Game::Minishogi => Self::MINISHOGI,
        }
    }

    pub const DLSHOGI: Self = Self {
        root: Exploration {
            init: 1.16,
            factor: 1.0,
            base: 25617.0,
            fpu: Fpu::Chosen { reduction: 0.0 },
        },
        inner: Exploration {
            init: 1.44,
            factor: 1.0,
            base: 28288.0,
            fpu: Fpu::Chosen { reduction: 0.27 },
        },
        temperature: 1.74,
        virtual_loss: VirtualLoss::Loss,
        concentration: 10.83,
        gumbel_visits: 50.0,
        lcb_share: 0.15,
        lcb_width: 5.0,
        time: TimePlan::USUAL,
        patience: Patience {
            least_new: 32,
            early: 0.1,
            overtaking: 1.0 / 1.33,
            opening: 20,
            clearly: 1.5,
            surprise: 4.0,
            surprise_bounds: [0.5, 2.0],
        },
    };

    pub const LC0: Self = {
        let both = Exploration {
            init: 1.745 / 2.0,
            factor: 3.894 / 2.0,
            base: 38739.0,
            fpu: Fpu::Visited { reduction: 0.33 / 2.0 },
        };
        Self {
            root: both,
            inner: both,
            temperature: 1.359,
            virtual_loss: VirtualLoss::VisitOnly,
            ..Self::DLSHOGI
        }
    };

    pub const ALPHA_ZERO: Self = {
        let both = Exploration { init: 1.25, factor: 1.0, base: 19652.0, fpu: Fpu::Loss };
        Self { root: both, inner: both, temperature: 1.0, ..Self::DLSHOGI }
    };

    /// Our own for a game, or those of another engine, by its name.
    pub fn by_name(name: &str, game: Game) -> Option<Self> {
        match name.to_ascii_lowercase().as_str() {
            "nue" => Some(Self::of(game)),
            "dlshogi" => Some(Self::DLSHOGI),
            "lc0" => Some(Self::LC0),
            "alphazero" => Some(Self::ALPHA_ZERO),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exploration_grows_as_published() {
        // c of dlshogi after N visits is 1.44 + ln((N + 28288 + 1) / 28288).
        let inner = Constants::DLSHOGI.inner;
        for visits in [0.0, 100.0, 440.0, 441.0, 800.0, 1e6] {
            let published = 1.44 + ((visits + 28289.0) / 28288.0f64).ln();
            assert!((f64::from(inner.at(visits)) - published).abs() < 1e-6 * published, "{visits}");
        }
        assert!((Constants::ALPHA_ZERO.root.at(0.0) - 1.25).abs() < 1e-4);
        for game in Game::ALL {
            assert_eq!(Constants::by_name("Nue", game), Some(Constants::of(game)));
            assert_eq!(Constants::by_name("LC0", game), Some(Constants::LC0));
            assert!(Constants::by_name("leela", game).is_none());
        }
    }
}
