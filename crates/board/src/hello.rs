//! What the page is told first: games, handicaps, levels, engines, limits.

use crate::level::{LEVELS, worth_in_levels};
use crate::score;
use crate::words::{Variant, Words, millis};
use kifu::Format;
use rules::{AnyPosition, Declaration, Handicap};
use serde::Serialize;

/// Everything the page needs to know before anything is asked.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Hello {
    pub version: String,
    pub variants: Vec<VariantFacts>,
    /// Handicaps of shogi; minishogi has `even` alone.
    pub handicaps: Vec<HandicapFacts>,
    pub levels: Vec<LevelFacts>,
    /// Our own engine first.
    pub engines: Vec<EngineFacts>,
    /// Formats records can be saved in.
    pub formats: Vec<String>,
    pub encodings: Vec<String>,
    pub limits: LimitFacts,
    pub watch: Watchable,
    pub reach: Reach,
}

/// How others come to this server.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Reach {
    /// Its address as other machines know it; null where none can reach it.
    pub origin: Option<String>,
    /// What an address must carry to be let in.
    pub token: Option<String>,
}

/// A game and its rules.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct VariantFacts {
    pub id: Variant,
    /// Files and ranks.
    pub size: u32,
    pub start: String,
    pub name: Words,
    /// Kinds of pieces a hand may hold, as USI letters.
    pub hand: Vec<String>,
    /// Rules by which a win may be declared.
    pub declarations: Vec<String>,
}

/// A handicap.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct HandicapFacts {
    pub id: String,
    pub sfen: String,
    pub name: Words,
    /// Levels that it is worth to each level that receives it.
    pub worth: Vec<f64>,
}

/// A level of our engine.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct LevelFacts {
    pub id: u32,
    pub name: Words,
    pub text: Words,
    /// Milliseconds within which it answers.
    pub ms: u64,
}

/// An engine visitors may use.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EngineFacts {
    pub id: String,
    pub name: String,
    /// Whether it is this program's own.
    pub own: bool,
    pub variants: Vec<Variant>,
    /// Score at which its win rate is 73 %, by game: `winrate = 1 / (1 + exp(-cp / scale))`.
    pub scale: Scales,
    /// What our own engine evaluates with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<EvaluationNames>,
}

/// A scale of win rates for each game.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Scales {
    pub shogi: f64,
    pub minishogi: f64,
}

impl Scales {
    /// The scale for a game.
    pub const fn of(&self, game: rules::Game) -> f64 {
        match game {
            rules::Game::Shogi => self.shogi,
            rules::Game::Minishogi => self.minishogi,
        }
    }
}

impl Default for Scales {
    /// For engines of which nobody has measured it.
    fn default() -> Self {
        Self { shogi: score::USUAL_SCALE, minishogi: score::USUAL_SCALE }
    }
}

/// What our engine evaluates each game with.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EvaluationNames {
    pub shogi: String,
    pub minishogi: String,
}

/// The most that may be asked for.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct LimitFacts {
    pub threads: u32,
    pub hash_mib: u32,
    pub multipv: u32,
    /// Games kept for one visitor.
    pub games: u32,
    /// Studies kept for one visitor.
    pub studies: u32,
    /// Largest body of a request.
    pub bytes: u32,
    /// Analyses on one connection.
    pub analyses: u32,
}

/// What can be watched.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Watchable {
    pub server: bool,
    #[serde(rename = "match")]
    pub matches: bool,
    pub learn: bool,
    pub fleet: bool,
    pub cluster: bool,
}

impl Hello {
    /// The facts that are the same everywhere, around those that are not.
    pub fn new(
        version: String,
        engines: Vec<EngineFacts>,
        limits: LimitFacts,
        watch: Watchable,
    ) -> Self {
        let formats = [Format::Kif, Format::Ki2, Format::Csa, Format::Jkf, Format::Usi];
        Self {
            version,
            variants: rules::Game::ALL.map(variant).to_vec(),
            handicaps: Handicap::ALL
                .map(|h| HandicapFacts {
                    id: h.name().to_owned(),
                    sfen: h.sfen(),
                    name: Words::new(english(h), h.kanji()),
                    worth: LEVELS.map(|l| hundredths(worth_in_levels(h, l.id))).to_vec(),
                })
                .to_vec(),
            levels: LEVELS
                .iter()
                .map(|l| LevelFacts {
                    id: l.id,
                    name: l.name.words(),
                    text: l.text.words(),
                    ms: millis(l.time),
                })
                .collect(),
            engines,
            formats: formats.map(|f| f.name().to_owned()).to_vec(),
            encodings: ["utf-8", "shift_jis"].map(str::to_owned).to_vec(),
            limits,
            watch,
            reach: Reach::default(),
        }
    }
}

/// No more digits than anybody measured.
fn hundredths(number: f64) -> f64 {
    (100.0 * number).round() / 100.0
}

fn variant(game: rules::Game) -> VariantFacts {
    let (en, ja, hand, rules) = match game {
        rules::Game::Shogi => ("Shogi", "将棋", "RBGSNLP", {
            use Declaration as D;
            vec![D::Points27, D::Points24, D::Points27H, D::Points24H, D::Try, D::None]
        }),
        rules::Game::Minishogi => ("Minishogi", "５五将棋", "RBGSP", vec![Declaration::None]),
    };
    VariantFacts {
        id: game.into(),
        size: game.size() as u32,
        start: AnyPosition::startpos(game).sfen(),
        name: Words::new(en, ja),
        hand: hand.chars().map(String::from).collect(),
        declarations: rules.into_iter().map(|rule| rule.name().to_owned()).collect(),
    }
}

fn english(handicap: Handicap) -> &'static str {
    match handicap {
        Handicap::Even => "Even",
        Handicap::Lance => "Lance",
        Handicap::RightLance => "Right lance",
        Handicap::Bishop => "Bishop",
        Handicap::Rook => "Rook",
        Handicap::RookLance => "Rook and lance",
        Handicap::Two => "Two pieces",
        Handicap::Three => "Three pieces",
        Handicap::Four => "Four pieces",
        Handicap::Five => "Five pieces",
        Handicap::LeftFive => "Five pieces (left knight)",
        Handicap::Six => "Six pieces",
        Handicap::LeftSeven => "Seven pieces (left silver)",
        Handicap::RightSeven => "Seven pieces (right silver)",
        Handicap::Eight => "Eight pieces",
        Handicap::Ten => "Ten pieces",
    }
}
