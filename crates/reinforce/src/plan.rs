//! What a run of generations is asked to do, and what each generation follows from.

use crate::balance;
use crate::review::Review;
use crate::settings::{PlaySettings, ResignRule, SettingsError};
use features::{Labels, Planes};
use infer::Shape;
use rules::Game;
use serde::{Deserialize, Serialize};

/// What decides the nets of a run: written down in its folder, and the same until its end.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopSettings {
    pub play: PlaySettings,
    /// Games of a generation.
    pub games: u64,
    /// Generations learned from: this one and those before.
    pub window: u32,
    pub seed: u64,
    pub net: NetSettings,
    pub training: TrainingSettings,
    /// Whether Black is weakened until every start is even.
    pub balanced: bool,
    /// Teacher files a first net learns from, before any game is played; the folder `start` has what came
    /// of it.
    pub labelled: Option<LabelledStart>,
}

/// The net.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetSettings {
    pub planes: String,
    pub blocks: u32,
    pub channels: u32,
}

/// How it learns from the games of the window.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainingSettings {
    pub epochs: u32,
    pub batch: u32,
    pub optimiser: String,
    /// The learning rate, and from which generation on: in steps, the first for generation 1.
    pub rates: Vec<(u32, f64)>,
    /// Weight of the search's value against the result.
    pub blend: f64,
    /// Moves of a position whose visits are learned.
    pub visits: u32,
    /// Whether half of the positions are mirrored.
    pub mirror: bool,
}

/// A supervised start: positions that an engine with an evaluation net has labelled.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelledStart {
    /// Teacher files.
    pub files: Vec<String>,
    pub epochs: u32,
    pub rate: f64,
}

impl TrainingSettings {
    /// The learning rate of a generation.
    pub fn rate(&self, generation: u32) -> f64 {
        let begun = self.rates.iter().filter(|(from, _)| *from <= generation);
        begun.max_by_key(|(from, _)| *from).or(self.rates.first()).map_or(0.02, |&(_, rate)| rate)
    }
}

/// Settings known by a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Preset {
    /// Playout caps and forced playouts: what gives most positions in little time.
    Caps,
    /// PAL's: 800 playouts, a buffer of 50 generations, its rule for resigning.
    Pal,
    /// Aoba's handicap nets: KL-divergence stop, Black weakened until every start is even.
    Aoba,
}

impl Preset {
    pub const ALL: [Self; 3] = [Self::Caps, Self::Pal, Self::Aoba];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Caps => "caps",
            Self::Pal => "pal",
            Self::Aoba => "aoba",
        }
    }

    /// Its settings for a game.
    pub fn settings(self, game: Game) -> LoopSettings {
        let usual = LoopSettings {
            play: PlaySettings::usual(game),
            games: 20_000,
            window: 8,
            seed: 1,
            net: NetSettings {
                planes: if game == Game::Shogi { "dlshogi" } else { "minishogi" }.to_owned(),
                blocks: 5,
                channels: 64,
            },
            training: TrainingSettings {
                epochs: 1,
                batch: 4096,
                optimiser: "sgd".to_owned(),
                rates: vec![(1, 0.08), (10, 0.02), (30, 0.005)],
                blend: 0.5,
                visits: 32,
                mirror: game == Game::Shogi,
            },
            balanced: game == Game::Shogi,
            labelled: None,
        };
        let plain = PlaySettings { fast_share: 0.0, forced: 0.0, ..usual.play.clone() };
        match self {
            Self::Caps => usual,
            Self::Pal => LoopSettings {
                play: PlaySettings {
                    playouts: 800,
                    resign: ResignRule { most: 0.1, held: 5, played_out: 0.1, wrong: 0.05 },
                    ..plain
                },
                window: 50,
                balanced: false,
                ..usual
            },
            Self::Aoba => LoopSettings {
                play: PlaySettings {
                    playouts: 800,
                    least_gain: 2e-6,
                    opening_plies: 30,
                    resign: ResignRule { most: 0.05, held: 3, played_out: 0.1, wrong: 0.05 },
                    ..plain
                },
                window: 25,
                balanced: true,
                ..usual
            },
        }
    }
}

impl LoopSettings {
    /// Whether nets can be made like that.
    pub fn check(&self) -> Result<(), SettingsError> {
        self.play.check()?;
        let value = |name, value: String, wanted| Err(SettingsError::Value { name, value, wanted });
        if self.games == 0 {
            return value("games", "0".to_owned(), "a generation needs at least one");
        }
        if self.window == 0 {
            return value("window", "0".to_owned(), "it is at least this generation");
        }
        let sizes = [self.net.blocks, self.net.channels, self.training.epochs, self.training.batch];
        if sizes.contains(&0) {
            return value("net or training", format!("{sizes:?}"), "no size may be 0");
        }
        if !(0.0..=1.0).contains(&self.training.blend) {
            return value("blend", self.training.blend.to_string(), "it must be from 0 to 1");
        }
        for (_, rate) in &self.training.rates {
            if !(rate.is_finite() && *rate > 0.0) {
                return value("learning rate", rate.to_string(), "it must be above 0");
            }
        }
        Ok(())
    }

    /// What the net sees and says.
    pub fn shape(&self) -> Result<Shape, SettingsError> {
        let (game, name) = (self.play.game, &self.net.planes);
        let planes = Planes::by_name(name).filter(|planes| planes.game() == game);
        let planes = planes.ok_or_else(|| SettingsError::Value {
            name: "planes",
            value: name.clone(),
            wanted: "it must be a set of planes of the game: dlshogi, pal or aoba, or minishogi",
        })?;
        let labels = match (game, planes) {
            (Game::Minishogi, _) => Labels::Minishogi,
            (Game::Shogi, Planes::Pal) => Labels::Pal,
            (Game::Shogi, _) => Labels::Dlshogi,
        };
        Ok(Shape { game, planes, labels })
    }

    /// Where these settings differ from others first, by name.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let as_value = |settings: &Self| serde_json::to_value(settings).unwrap_or_default();
        let (a, b) = (as_value(self), as_value(other));
        first_difference("", &a, &b)
    }
}

fn first_difference(name: &str, a: &serde_json::Value, b: &serde_json::Value) -> Option<String> {
    use serde_json::Value::Object;
    if let (Object(a), Object(b)) = (a, b) {
        let inside =
            |key: &String| if name.is_empty() { key.clone() } else { format!("{name}.{key}") };
        let null = serde_json::Value::Null;
        return a.keys().chain(b.keys()).find_map(|key| {
            let of = |map: &serde_json::Map<_, _>| map.get(key).unwrap_or(&null).clone();
            first_difference(&inside(key), &of(a), &of(b))
        });
    }
    (a != b).then(|| format!("{name} is {a} there and {b} here"))
}

/// What a generation follows from: written down before its first game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GenerationPlan {
    pub generation: u32,
    pub seed: u64,
    /// The generation whose net plays: 0 for that of the supervised start; none for no net.
    pub player: Option<u32>,
    /// For each start, the temperature of Black.
    pub temperatures: Vec<f64>,
    pub resign_below: f32,
}

impl GenerationPlan {
    /// The first.
    pub fn first(settings: &LoopSettings, seed: u64, player: Option<u32>) -> Self {
        let temperatures = vec![0.0; settings.play.starts.len()];
        // Nobody resigns until games that were played out have said when that is right.
        Self { generation: 1, seed, player, temperatures, resign_below: 0.0 }
    }

    /// The one after this, whose games came to that.
    pub fn next(&self, settings: &LoopSettings, review: &Review, seed: u64, player: u32) -> Self {
        let temperatures = match settings.balanced {
            true => balance::adjusted(&self.temperatures, &review.scores),
            false => self.temperatures.clone(),
        };
        let resign_below = review.resign_below(&settings.play.resign, self.resign_below);
        let generation = self.generation + 1;
        Self { generation, seed, player: Some(player), temperatures, resign_below }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::StartScore;

    #[test]
    fn presets_can_be_played_and_written_down() {
        for preset in Preset::ALL {
            for game in Game::ALL {
                let settings = preset.settings(game);
                settings.check().unwrap();
                let text = serde_json::to_string_pretty(&settings).unwrap();
                let read: LoopSettings = serde_json::from_str(&text).unwrap();
                assert_eq!(read, settings);
                assert_eq!(settings.difference(&read), None);
            }
        }
    }

    #[test]
    fn a_difference_is_named() {
        let settings = Preset::Caps.settings(Game::Minishogi);
        let mut other = settings.clone();
        other.play.playouts = 77;
        let told = settings.difference(&other).unwrap();
        assert_eq!(told, "play.playouts is 200 there and 77 here");
    }

    #[test]
    fn rates_fall_in_steps() {
        let training = Preset::Caps.settings(Game::Shogi).training;
        let rates = [1, 9, 10, 29, 30, 99].map(|generation| training.rate(generation));
        assert_eq!(rates, [0.08, 0.08, 0.02, 0.02, 0.005, 0.005]);
    }

    #[test]
    fn a_generation_follows_from_the_one_before() {
        let settings = Preset::Aoba.settings(Game::Shogi);
        let first = GenerationPlan::first(&settings, 1001, None);
        let mut scores = vec![StartScore { wins: 50, draws: 0, losses: 50 }; 7];
        scores[6] = StartScore { wins: 99, draws: 0, losses: 1 };
        let review = Review { scores, ..Review::default() };
        let second = first.next(&settings, &review, 1002, 1);
        assert_eq!((second.generation, second.player), (2, Some(1)));
        assert!(second.temperatures[6] > 0.5 && second.temperatures[0] == 0.0, "{second:?}");
    }
}
