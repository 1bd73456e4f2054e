//! What a run of generations is asked to do, and what each generation follows from.

use crate::lots::{Assignments, Lots};
use crate::review::Review;
use crate::settings::{PlaySettings, SettingsError};
use balance::{
    Balance, BalanceError, Exploration, ResignRule, ResignThreshold, StartBalance, Table,
    Temperature, WinRate,
};
use features::{Labels, Planes};
use infer::Shape;
use rules::Game;
use serde::{Deserialize, Serialize};

/// Games of a start, over as many generations as it takes, after which its temperature is adjusted.
const FEWEST: u64 = 200;

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
    /// How the stronger side is weakened until every start is even; nobody is, if there is none.
    pub balance: Option<balance::Settings>,
    /// What a temperature is taken to cost.
    pub table: Table,
    /// Teacher files a first net learns from, before any game is played, and of which later ones may have a share; the
    /// folder `start` has what came of it.
    pub labelled: Option<LabelledStart>,
    /// The net a run begins with, in real numbers; it is copied into the folder `start`.
    #[serde(default)]
    pub from_net: Option<String>,
    /// A match a new net must win before it plays; every net does, if there is none.
    #[serde(default)]
    pub gate: Option<Gate>,
    /// A generation is played while the net of the one before is trained: by the net before that.
    #[serde(default)]
    pub side_by_side: bool,
    /// When what a temperature costs is measured anew with the net that plays.
    #[serde(default)]
    pub measured_table: Option<MeasuredTable>,
}

/// A match of a new net against the one accepted last.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gate {
    pub games: u64,
    /// The least score with which it is accepted.
    pub least: f64,
}

/// A table that is measured in the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredTable {
    /// In every so manieth generation.
    pub every: u32,
    /// Games of each pair of temperatures.
    pub games: u64,
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
    /// The share of the labelled positions in the training of every generation.
    #[serde(default)]
    pub labelled_share: f64,
    /// The share of the net that played before in the one that plays next: a running average of those that were
    /// trained. 0 for none.
    #[serde(default)]
    pub average: f64,
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
                labelled_share: 0.0,
                average: 0.0,
            },
            balance: Some(balance::Settings { every: FEWEST, ..balance::Settings::default() }),
            table: Table::published(),
            labelled: None,
            from_net: None,
            gate: None,
            side_by_side: false,
            measured_table: None,
        };
        let plain = PlaySettings { fast_share: 0.0, forced: 0.0, ..usual.play.clone() };
        match self {
            Self::Caps => usual,
            Self::Pal => LoopSettings {
                play: PlaySettings {
                    playouts: 800,
                    resign: ResignRule {
                        highest: WinRate::from_thousandths(100),
                        ..ResignRule::default()
                    },
                    ..plain
                },
                window: 50,
                balance: None,
                ..usual
            },
            Self::Aoba => LoopSettings {
                play: PlaySettings {
                    playouts: 800,
                    least_gain: 2e-6,
                    exploration: Exploration::default(),
                    ..plain
                },
                window: 25,
                balance: Some(balance::Settings { every: FEWEST, ..balance::Settings::paper() }),
                ..usual
            },
        }
    }
}

/// What a net of these planes sees and says.
pub(crate) fn shape(game: Game, name: &str) -> Result<Shape, SettingsError> {
    let planes = Planes::by_name(name).filter(|planes| planes.game() == game);
    let planes = planes.ok_or_else(|| SettingsError::Value {
        name: "planes",
        value: name.to_owned(),
        wanted: "it must be a set of planes of the game: dlshogi, pal or aoba, or minishogi",
    })?;
    let labels = match (game, planes) {
        (Game::Minishogi, _) => Labels::Minishogi,
        (Game::Shogi, Planes::Pal) => Labels::Pal,
        (Game::Shogi, _) => Labels::Dlshogi,
    };
    Ok(Shape { game, planes, labels })
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
        for (name, share) in
            [("labelled-share", self.training.labelled_share), ("average", self.training.average)]
        {
            if !(0.0..1.0).contains(&share) {
                return value(name, share.to_string(), "it must be from 0 to below 1");
            }
        }
        if self.training.labelled_share > 0.0 && self.labelled.is_none() {
            let share = self.training.labelled_share.to_string();
            return value("labelled-share", share, "of which positions? give --labelled too");
        }
        if let Some(gate) = self.gate
            && !(gate.games > 0 && (0.0..=1.0).contains(&gate.least))
        {
            let told = format!("{}:{}", gate.games, gate.least);
            return value("gate", told, "games above 0, and a score from 0 to 1");
        }
        if let Some(table) = self.measured_table
            && (table.every == 0 || table.games < 2)
        {
            let told = format!("{}:{}", table.every, table.games);
            return value("measured table", told, "generations above 0, and at least 2 games");
        }
        let labelled = self.labelled.iter().map(|labelled| labelled.rate);
        for rate in self.training.rates.iter().map(|&(_, rate)| rate).chain(labelled) {
            if !(rate.is_finite() && rate > 0.0) {
                return value("learning rate", rate.to_string(), "it must be above 0");
            }
        }
        Ok(())
    }

    /// Whether there is a net before any game is played.
    pub fn has_start(&self) -> bool {
        self.labelled.is_some() || self.from_net.is_some()
    }

    /// What the net sees and says.
    pub fn shape(&self) -> Result<Shape, SettingsError> {
        shape(self.play.game, &self.net.planes)
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
    /// The generation whose net plays: 0 for the one the run begins with; none for no net.
    pub player: Option<u32>,
    /// The temperatures of all starts, and what they come from.
    pub balance: Balance,
    /// What is known about resigning.
    pub resign: ResignThreshold,
}

impl GenerationPlan {
    /// The first: nobody is weakened, and nobody resigns until games that were played out have said when
    /// that is right.
    pub fn first(
        settings: &LoopSettings,
        seed: u64,
        player: Option<u32>,
    ) -> Result<Self, BalanceError> {
        let (play, rule) = (&settings.play, settings.balance.unwrap_or_default());
        let starts = play.starts.clone();
        let balance = Balance::new(play.game, starts, rule, settings.table.clone(), settings.seed)?;
        let resign = ResignThreshold::new(play.resign);
        Ok(Self { generation: 1, seed, player, balance, resign })
    }

    /// The one after this, whose games came to that, and in which that table was measured.
    pub fn next(
        &self,
        settings: &LoopSettings,
        review: &Review,
        table: Option<Table>,
        seed: u64,
        player: Option<u32>,
    ) -> Result<Self, BalanceError> {
        let mut balance = self.balance.clone();
        if let Some(table) = table {
            balance.replace_table(table);
        }
        if settings.balance.is_some() {
            for (start, score) in review.scores.iter().enumerate() {
                let revision = self.balance.starts().get(start).map_or(0, StartBalance::revision);
                balance.count(start, revision, *score)?;
            }
        }
        let (generation, resign) = (self.generation + 1, review.resign.clone());
        Ok(Self { generation, seed, player, balance, resign })
    }

    /// What is decided of its games before they begin.
    pub fn lots(&self, settings: &LoopSettings) -> Lots {
        let first = u64::from(self.generation - 1).saturating_mul(settings.games);
        let assignments = Assignments::Balanced { balance: self.balance.clone(), first };
        Lots { assignments, seed: self.seed, played_out: settings.play.played_out }
    }

    /// The chance to win at which a side resigns; never, where nothing is known or nobody wants it.
    pub fn resign_at(&self) -> Option<WinRate> {
        self.resign.threshold().filter(|rate| rate.thousandths() > 0)
    }

    /// The starts at which somebody is weakened, with the temperature, for people.
    pub fn told_temperatures(&self) -> String {
        let told = |start: &StartBalance| {
            let name = &start.start().name;
            match self.balance.temperatures(start) {
                (Temperature::ZERO, Temperature::ZERO) => None,
                (black, Temperature::ZERO) => Some(format!("{name} {black}")),
                (_, white) => Some(format!("{name} White {white}")),
            }
        };
        self.balance.starts().iter().filter_map(told).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use balance::Wdl;
    use rules::Color;

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
    fn shares_must_be_shares_of_something() {
        let refused = |change: &dyn Fn(&mut LoopSettings), what: &str| {
            let mut settings = Preset::Caps.settings(Game::Minishogi);
            change(&mut settings);
            let told = settings.check().unwrap_err().to_string();
            assert!(told.contains(what), "{told}");
        };
        refused(&|s| s.training.labelled_share = 1.0, "labelled-share is 1");
        refused(&|s| s.training.labelled_share = 0.5, "give --labelled");
        refused(&|s| s.training.average = -0.5, "average is -0.5");
        refused(&|s| s.training.average = f64::NAN, "average is NaN");
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
        let first = GenerationPlan::first(&settings, 1001, None).unwrap();
        let mut review = Review::new(&settings.play, first.resign.clone());
        review.scores = vec![Wdl { wins: 150, draws: 0, losses: 150 }; 7];
        review.scores[6] = Wdl { wins: 297, draws: 0, losses: 3 };
        let second = first.next(&settings, &review, None, 1002, Some(1)).unwrap();
        assert_eq!((second.generation, second.player), (2, Some(1)));
        let black = |start: usize| second.balance.temperatures(&second.balance.starts()[start]).0;
        assert!(black(6).value() > 0.5 && black(0) == Temperature::ZERO, "{second:?}");
        assert_eq!(second.told_temperatures(), format!("6 {}", black(6)));
        // Another generation has other games, with other starts.
        let starts = |plan: &GenerationPlan| {
            let lots = plan.lots(&settings);
            (0..50).map(|n| lots.draw(n).0.assignment.start).collect::<Vec<_>>()
        };
        assert_ne!(starts(&first), starts(&second));
        let even = LoopSettings { balance: None, ..settings };
        let third = second.next(&even, &review, None, 1003, Some(2)).unwrap();
        assert_eq!(third.balance, second.balance, "nobody is weakened who need not be");
        review.scores.push(Wdl::default());
        assert!(
            first.next(&Preset::Aoba.settings(Game::Shogi), &review, None, 1, Some(1)).is_err()
        );
    }

    #[test]
    fn nobody_resigns_where_nobody_wants_it() {
        let mut settings = Preset::Caps.settings(Game::Minishogi);
        for (highest, resigns) in [(50, true), (0, false)] {
            settings.play.resign.highest = WinRate::from_thousandths(highest);
            let mut plan = GenerationPlan::first(&settings, 1, None).unwrap();
            assert_eq!(plan.resign_at(), None);
            let mut watch = balance::ResignWatch::new(&settings.play.resign);
            (0..3).for_each(|_| watch.saw(Color::White, WinRate::from_thousandths(0)));
            let won = play::Outcome::Won(Color::Black);
            (0..300).for_each(|_| plan.resign.played_out(&watch, won));
            assert_eq!(plan.resign_at().is_some(), resigns);
        }
    }
}
