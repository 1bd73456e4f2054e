//! What the page is told first: games, handicaps, levels, engines, limits.

use crate::level::LEVELS;
use crate::words::Words;
use kifu::Format;
use rules::{AnyPosition, Declaration, Handicap};
use serde::Serialize;

/// Everything the page needs to know before anything is asked.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Hello {
    pub version: String,
    pub variants: Vec<VariantFacts>,
    /// Handicaps of shogi; minishogi has `even` alone.
    pub handicaps: Vec<HandicapFacts>,
    pub levels: Vec<LevelFacts>,
    /// Our own engine first.
    pub engines: Vec<EngineFacts>,
    /// Formats records can be saved in.
    pub formats: Vec<&'static str>,
    pub encodings: Vec<&'static str>,
    pub limits: LimitFacts,
    pub watch: Watchable,
}

/// A game and its rules.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct VariantFacts {
    pub id: &'static str,
    /// Files and ranks.
    pub size: usize,
    pub start: String,
    pub name: Words,
    /// Kinds of pieces a hand may hold, as USI letters.
    pub hand: Vec<String>,
    /// Rules by which a win may be declared.
    pub declarations: Vec<&'static str>,
}

/// A handicap.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct HandicapFacts {
    pub id: &'static str,
    pub sfen: String,
    pub name: Words,
}

/// A level of our engine.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct LevelFacts {
    pub id: u32,
    pub name: Words,
    pub text: Words,
    /// Milliseconds within which it answers.
    pub ms: u64,
}

/// An engine visitors may use.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EngineFacts {
    pub id: String,
    pub name: String,
    /// Whether it is this program's own.
    pub own: bool,
    pub variants: Vec<&'static str>,
    /// What our own engine evaluates with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<EvaluationNames>,
}

/// What our engine evaluates each game with.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct EvaluationNames {
    pub shogi: String,
    pub minishogi: String,
}

/// The most that may be asked for.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LimitFacts {
    pub threads: usize,
    pub hash_mib: usize,
    pub multipv: u32,
    /// Games kept for one visitor.
    pub games: usize,
    /// Largest body of a request.
    pub bytes: usize,
    /// Analyses on one connection.
    pub analyses: usize,
}

/// What can be watched.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Watchable {
    pub server: bool,
    #[serde(rename = "match")]
    pub matches: bool,
    pub learn: bool,
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
                    id: h.name(),
                    sfen: h.sfen(),
                    name: Words { en: english(h), ja: h.kanji() },
                })
                .to_vec(),
            levels: LEVELS
                .iter()
                .map(|l| LevelFacts {
                    id: l.id,
                    name: l.name,
                    text: l.text,
                    ms: l.time.as_millis() as u64,
                })
                .collect(),
            engines,
            formats: formats.map(Format::name).to_vec(),
            encodings: vec!["utf-8", "shift_jis"],
            limits,
            watch,
        }
    }
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
        id: game.name(),
        size: game.size(),
        start: AnyPosition::startpos(game).sfen(),
        name: Words { en, ja },
        hand: hand.chars().map(String::from).collect(),
        declarations: rules.into_iter().map(Declaration::name).collect(),
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
