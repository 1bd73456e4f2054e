//! How games of self-play are played.

use balance::start::game_name;
use balance::{Exploration, ResignRule, Start, StartError, Temperature, WinRate};
use infer::native::ArchitectureError;
use mcts::{Constants, LeafRules};
use play::{GameRules, SearchRules};
use rules::{Declaration, Game};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use thiserror::Error;

/// What games are played by. The same settings, seed and net give the same games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaySettings {
    #[serde(with = "game_name")]
    pub game: Game,
    /// Where games begin, each equally often.
    pub starts: Vec<Start>,
    /// Visits the root of a move has in the end, those it was found with included.
    pub playouts: u32,
    /// Playout caps: this share of the moves is played with few playouts, without noise, and is not
    /// learned from.
    pub fast_share: f64,
    /// The playouts of those.
    pub fast_playouts: u32,
    /// Weight of Dirichlet noise at the root; at Gumbel's root there is noise unless it is 0.
    pub noise: f32,
    /// Moves that Gumbel's root considers; 0 for PUCT.
    pub gumbel: usize,
    /// Forced playouts: a root move once tried gets √(k·P·N) visits, which are taken out of the
    /// target again where nothing else speaks for them. 0 for none, 2 in KataGo.
    pub forced: f32,
    /// A search ends when a playout tells less than this about where the visits go; 0 for never.
    pub least_gain: f64,
    /// Constants of the tree search, by name.
    pub constants: String,
    /// What the net's logits are divided by.
    pub policy_temperature: f32,
    /// What logit + σ(q) is divided by in the target of Gumbel's root: above 1 it is flatter.
    #[serde(default = "unchanged")]
    pub target_temperature: f32,
    /// In the first plies of a game moves are drawn by their visits.
    pub exploration: Exploration,
    /// The temperature afterwards; 0 for the move visited most.
    pub later_temperature: Temperature,
    /// When a side gives up; never where its highest threshold is 0.
    pub resign: ResignRule,
    /// Share of the games that are played out, by which the threshold is judged.
    pub played_out: f64,
    /// A game is drawn after so many moves.
    pub max_moves: u32,
}

/// Why games cannot be played like that.
#[derive(Clone, PartialEq, Debug, Error)]
pub enum SettingsError {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("a game cannot begin from {0:?}: it is over there")]
    Over(String),
    #[error("{0}")]
    Openings(String),
    #[error("no table of temperatures: {0}")]
    Table(String),
    #[error("{name} is {value}: {wanted}")]
    Value { name: &'static str, value: String, wanted: &'static str },
    #[error("{}: a net of {there}, and those of the run are {wanted}: give the --net-size and --planes of the one it begins with", path.display())]
    FirstNet { path: PathBuf, there: String, wanted: String },
    #[error(
        "nets of this run cannot be played in integers: {0}; give another --net-size or --planes, or --players torch without --gate and --measure-table"
    )]
    Integers(ArchitectureError),
    #[error("unknown constants {0:?}: expected nue, dlshogi, lc0 or alphazero")]
    Constants(String),
}

/// A temperature that changes nothing.
const fn unchanged() -> f32 {
    1.0
}

impl PlaySettings {
    /// What suits a game from zero: caps and forced playouts as in KataGo.
    pub fn usual(game: Game) -> Self {
        Self {
            game,
            starts: Start::usual(game),
            playouts: 200,
            fast_share: 0.75,
            fast_playouts: 32,
            noise: 0.25,
            gumbel: 0,
            forced: 2.0,
            least_gain: 0.0,
            constants: "lc0".to_owned(),
            policy_temperature: unchanged(),
            target_temperature: unchanged(),
            exploration: Exploration {
                plies: if game == Game::Shogi { 30 } else { 10 },
                ..Exploration::default()
            },
            later_temperature: Temperature::ZERO,
            resign: ResignRule {
                moves: 3,
                highest: WinRate::from_thousandths(50),
                ..ResignRule::default()
            },
            played_out: 0.1,
            max_moves: 513,
        }
    }

    /// Whether games can be played like that.
    pub fn check(&self) -> Result<(), SettingsError> {
        let value = |name, value: String, wanted| Err(SettingsError::Value { name, value, wanted });
        if self.starts.is_empty() {
            return value("starts", "empty".to_owned(), "games must begin somewhere");
        }
        for start in &self.starts {
            let position = start.position(self.game)?;
            if position.ply() != 1 {
                let wanted =
                    "a game has as many moves as were made since its start: give it move number 1";
                return value("start", start.sfen.clone(), wanted);
            }
            let unlimited = GameRules { max_moves: None, ..self.referee() };
            if unlimited.end_of(&position, 0).is_some() {
                return Err(SettingsError::Over(start.name.clone()));
            }
        }
        let shares = [
            ("fast-share", self.fast_share),
            ("noise", f64::from(self.noise)),
            ("share of games played out", self.played_out),
        ];
        for (name, share) in shares {
            if !(0.0..=1.0).contains(&share) {
                return value(name, share.to_string(), "it must be from 0 to 1");
            }
        }
        for (name, playouts) in [("playouts", self.playouts), ("fast-playouts", self.fast_playouts)]
        {
            if !(2..=1 << 20).contains(&playouts) {
                return value(name, playouts.to_string(), "it must be from 2 to 1048576");
            }
        }
        if !(1..=10_000).contains(&self.max_moves) {
            return value("max-moves", self.max_moves.to_string(), "it must be from 1 to 10000");
        }
        let temperatures = [
            ("policy-temperature", f64::from(self.policy_temperature), 0.01),
            ("target-temperature", f64::from(self.target_temperature), 0.01),
            ("temperature", self.later_temperature.value(), 0.0),
            ("forced", f64::from(self.forced), 0.0),
            ("least-gain", self.least_gain, 0.0),
        ];
        for (name, number, least) in temperatures {
            if !(least..=100.0).contains(&number) {
                let wanted = if least > 0.0 { "from 0.01 to 100" } else { "from 0 to 100" };
                return value(name, number.to_string(), wanted);
            }
        }
        if self.gumbel == 0 && self.target_temperature != unchanged() {
            let wanted = "it is for the target of Gumbel's root: give --gumbel too";
            return value("target-temperature", self.target_temperature.to_string(), wanted);
        }
        self.constants().map(drop)
    }

    /// The numbers of the search.
    pub fn constants(&self) -> Result<Constants, SettingsError> {
        let named = Constants::by_name(&self.constants, self.game);
        let named = named.ok_or_else(|| SettingsError::Constants(self.constants.clone()))?;
        Ok(Constants { temperature: self.policy_temperature, ..named })
    }

    /// Declaration with missing pieces counted for the giver, and the limit of moves.
    pub const fn referee(&self) -> GameRules {
        GameRules {
            declaration: Declaration::Points27H,
            max_moves: Some(self.max_moves),
            mate_ends: true,
            mated_at_limit_loses: true,
        }
    }

    /// The same for the search.
    pub(crate) const fn leaf_rules(&self) -> LeafRules {
        let game =
            SearchRules { declaration: self.referee().declaration, max_moves: self.max_moves };
        LeafRules { game, all_moves: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_they_were_written() {
        for game in Game::ALL {
            let settings = PlaySettings::usual(game);
            settings.check().unwrap();
            let text = serde_json::to_string(&settings).unwrap();
            assert_eq!(serde_json::from_str::<PlaySettings>(&text).unwrap(), settings);
        }
    }

    #[test]
    fn what_cannot_be_played_is_refused_with_its_value() {
        let refused = |change: &dyn Fn(&mut PlaySettings), what: &str| {
            let mut settings = PlaySettings::usual(Game::Minishogi);
            change(&mut settings);
            let told = settings.check().unwrap_err().to_string();
            assert!(told.contains(what), "{told}");
        };
        refused(&|s| s.playouts = 1, "playouts is 1");
        refused(&|s| s.fast_share = 1.5, "1.5");
        refused(&|s| s.noise = f32::NAN, "NaN");
        refused(&|s| s.constants = "leela".to_owned(), "leela");
        refused(&|s| s.starts.clear(), "begin somewhere");
        refused(&|s| s.max_moves = 0, "max-moves is 0");
        refused(&|s| s.policy_temperature = 0.0, "policy-temperature is 0: from 0.01");
        refused(&|s| s.target_temperature = 2.0, "target-temperature is 2: it is for");
        refused(&|s| (s.gumbel, s.target_temperature) = (8, f32::NAN), "target-temperature is NaN");
        let later = "4k/5/5/5/K4 b RG 17";
        refused(&|s| s.starts[0].sfen = later.to_owned(), "b RG 17: a game has");
        let mated = "4k/4G/4P/5/K4 w - 1";
        refused(&|s| s.starts[0].sfen = mated.to_owned(), "over there");
    }
}
