//! What a game is played under: asked for by the page, checked, and kept with the game.

use crate::clock::ClockSettings;
use crate::error::{ApiError, ErrorCode};
use crate::level::{Level, LevelGame, adapted};
use crate::position;
use crate::words::Words;
use balance::worth;
use play::Ending;
use rules::{Color, Declaration, Handicap, Kings};
use serde::{Deserialize, Serialize};

/// A game as the page asks for it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "NewGame"))]
#[serde(rename_all = "camelCase")]
pub struct GameSettings {
    /// `shogi` where nothing is said.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<crate::words::Variant>"))]
    pub variant: Option<String>,
    /// Name of a start position.
    #[serde(default)]
    pub handicap: Option<String>,
    /// A start position in its place.
    #[serde(default)]
    pub start: Option<String>,
    /// `black`, `white` or `random`.
    #[serde(default)]
    pub side: Option<String>,
    /// Who plays the other side.
    pub opponent: Opponent,
    /// None where nothing is said.
    #[serde(default)]
    pub clock: Option<ClockSettings>,
    /// Name of the entering-king rule.
    #[serde(default)]
    pub declaration: Option<String>,
    /// Moves after which the game is drawn.
    #[serde(default)]
    pub max_moves: Option<u32>,
    /// How our engine likes to play.
    #[serde(default)]
    pub style: Style,
    /// Whether weak levels take their time as people do; at once where nothing is said.
    #[serde(default)]
    pub natural: bool,
    /// How the visitor is called in a game against a friend.
    #[serde(default)]
    pub name: Option<String>,
    /// The opening book a level plays from; `none` for none, Nue's own where nothing is said.
    #[serde(default)]
    pub book: Option<String>,
}

/// How our engine likes to play, among moves that are about as good.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Whatever comes.
    #[default]
    Any,
    /// The rook stays on its side (居飛車).
    Static,
    /// The rook goes to the other side (振り飛車).
    Ranging,
    /// Forward, with checks and captures (攻め).
    Attack,
    /// The king first (受け).
    Solid,
}

/// Who plays the other side.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Opponent {
    /// Our engine at a level.
    Level {
        /// Its number.
        level: u32,
        /// Whether the level is chosen by the visitor's results so far.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        adaptive: bool,
    },
    /// An engine the owner registered.
    Engine {
        engine: String,
        /// Milliseconds for a move.
        #[serde(default = "usual_movetime")]
        movetime: u32,
    },
    /// Somebody at the same board.
    Human {
        /// Always true.
        human: bool,
    },
    /// Somebody at another browser, who is sent a link.
    Friend {
        /// Always true.
        friend: bool,
    },
}

impl Opponent {
    /// Whether a program plays.
    pub const fn is_engine(&self) -> bool {
        matches!(self, Self::Level { .. } | Self::Engine { .. })
    }

    /// Whether somebody at another browser plays.
    pub const fn is_friend(&self) -> bool {
        matches!(self, Self::Friend { .. })
    }
}

impl Default for Opponent {
    fn default() -> Self {
        Self::Level { level: 1, adaptive: false }
    }
}

const fn usual_movetime() -> u32 {
    1000
}

/// Which side the visitor plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Side"))]
#[serde(rename_all = "lowercase")]
pub enum VisitorSide {
    Black,
    White,
    /// Both: two people at one board.
    Both,
    /// Neither: somebody who looks on.
    Watch,
}

impl VisitorSide {
    /// The side of one colour.
    pub const fn of(color: Color) -> Self {
        match color {
            Color::Black => Self::Black,
            Color::White => Self::White,
        }
    }

    /// The one colour it is.
    pub const fn color(self) -> Option<Color> {
        match self {
            Self::Black => Some(Color::Black),
            Self::White => Some(Color::White),
            Self::Both | Self::Watch => None,
        }
    }

    /// Whether that side is the visitor's.
    pub const fn has(self, color: Color) -> bool {
        matches!(
            (self, color),
            (Self::Both, _) | (Self::Black, Color::Black) | (Self::White, Color::White)
        )
    }
}

/// What a game is played under.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Setup {
    /// `shogi` or `minishogi`.
    pub variant: String,
    /// Name of the start position, if it has one.
    pub handicap: Option<String>,
    /// The start position.
    pub start: String,
    /// The visitor's side.
    pub you: VisitorSide,
    /// The other side.
    pub opponent: Opponent,
    /// How the opponent is called.
    pub name: Words,
    pub clock: Option<ClockSettings>,
    /// Name of the entering-king rule.
    pub declaration: String,
    /// Moves after which the game is drawn.
    pub max_moves: u32,
    /// What chance does in this game.
    pub seed: u64,
    #[serde(default)]
    pub style: Style,
    #[serde(default)]
    pub natural: bool,
    /// The opening book our engine plays from; the usual one where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub book: Option<String>,
}

/// An engine that may be asked for, by id and name, with the games it plays.
pub type Known<'a> = &'a dyn Fn(&str) -> Option<(String, Vec<rules::Game>)>;

impl Setup {
    /// What the handicap is worth to the visitor, in Elo between levels; below zero where the visitor gives it.
    pub fn advantage(&self) -> f64 {
        let handicap = self.handicap.as_deref().and_then(|name| name.parse().ok());
        let Opponent::Level { level, .. } = self.opponent else { return 0.0 };
        let worth = |handicap| worth::between_levels(handicap, level.into()).points();
        let worth = handicap.map_or(0.0, worth);
        match self.you.color() {
            Some(Color::Black) => worth,
            Some(Color::White) => -worth,
            None => 0.0,
        }
    }

    /// What this game says about the visitor's strength if it ended so after so many plies; `None` where the
    /// opponent was no level, or nothing was played.
    pub fn level_game(&self, ending: Ending, plies: usize) -> Option<LevelGame> {
        let Opponent::Level { level, .. } = self.opponent else { return None };
        let own = self.you.color().filter(|_| plies > 4)?;
        let result = ending.winner().map_or(0.5, |winner| if winner == own { 1.0 } else { 0.0 });
        Some(LevelGame { level, advantage: self.advantage(), result })
    }
}

impl GameSettings {
    /// Chooses the level where it adapts to the visitor's games, the oldest first, and to the handicap of the
    /// game meant.
    pub fn adapt(
        &mut self,
        games: &[LevelGame],
        known: Known<'_>,
        seed: u64,
    ) -> Result<(), ApiError> {
        let mut advantage = 0.0;
        // Which side the visitor has, and so what the handicap is worth, is known when the rest is.
        for _ in 0..2 {
            let Opponent::Level { level, adaptive: true } = &mut self.opponent else {
                return Ok(());
            };
            *level = adapted(games, advantage);
            advantage = self.resolve(known, seed)?.advantage();
        }
        Ok(())
    }

    /// The game meant; `known` finds registered engines.
    pub fn resolve(&self, known: Known<'_>, seed: u64) -> Result<Setup, ApiError> {
        let game = position::variant(self.variant.as_deref())?;
        let (start, handicap) = self.start(game)?;
        let name = self.named(game, known)?;
        if let Some(clock) = &self.clock {
            clock.check()?;
        }
        let max_moves = self.max_moves.unwrap_or(500);
        if !(1..=1000).contains(&max_moves) {
            return Err(ApiError::bad(format!("maxMoves {max_moves} is not between 1 and 1000")));
        }
        let you = match (self.side.as_deref(), &self.opponent) {
            (_, Opponent::Human { .. }) => VisitorSide::Both,
            (Some("watch"), Opponent::Friend { .. }) => VisitorSide::Watch,
            (Some("white"), _) => VisitorSide::White,
            (Some("black") | None, _) => VisitorSide::Black,
            (Some("random"), _) if seed & 1 == 0 => VisitorSide::Black,
            (Some("random"), _) => VisitorSide::White,
            (Some(other), _) => {
                let message = format!(
                    "side {other:?}: expected black, white, random, or watch with a friend's game"
                );
                return Err(ApiError::bad(message));
            }
        };
        Ok(Setup {
            variant: game.name().to_owned(),
            declaration: self.rule(game, handicap)?.name().to_owned(),
            handicap: handicap.map(|h| h.name().to_owned()),
            start,
            you,
            opponent: self.opponent.clone(),
            name,
            clock: self.clock,
            max_moves,
            seed,
            style: self.style,
            natural: self.natural,
            book: self.book.clone(),
        })
    }

    fn start(&self, game: rules::Game) -> Result<(String, Option<Handicap>), ApiError> {
        if let Some(sfen) = &self.start {
            let start = position::start(game, Some(sfen), Kings::Both)?;
            if start.is_mated() {
                return Err(ApiError::new(
                    ErrorCode::BadPosition,
                    "there is no legal move to begin with",
                ));
            }
            let sfen = start.sfen();
            let handicap = match game {
                rules::Game::Shogi => Handicap::from_sfen(&sfen),
                rules::Game::Minishogi => {
                    let usual = rules::AnyPosition::startpos(game).sfen();
                    (sfen == usual).then_some(Handicap::Even)
                }
            };
            return Ok((sfen, handicap));
        }
        let name = self.handicap.as_deref().unwrap_or("even");
        let bad = |e: rules::UnknownHandicap| ApiError::bad(e.to_string());
        let sfen = rules::start_sfen(game, name).map_err(bad)?;
        Ok((sfen, Some(name.parse().map_err(bad)?)))
    }

    fn rule(&self, game: rules::Game, handicap: Option<Handicap>) -> Result<Declaration, ApiError> {
        if game == rules::Game::Minishogi {
            return Ok(Declaration::None);
        }
        match &self.declaration {
            Some(name) => {
                name.parse().map_err(|e: rules::UnknownDeclaration| ApiError::bad(e.to_string()))
            }
            // Who gives pieces cannot be asked to count them.
            None if handicap == Some(Handicap::Even) => Ok(Declaration::Points27),
            None => Ok(Declaration::Points27H),
        }
    }

    fn named(&self, game: rules::Game, known: Known<'_>) -> Result<Words, ApiError> {
        match &self.opponent {
            Opponent::Level { level, .. } => {
                let found = Level::find(*level)
                    .ok_or_else(|| ApiError::bad(format!("there is no level {level}")))?;
                Ok(Words {
                    en: format!("Level {level} · {}", found.name.en),
                    ja: format!("レベル{level}・{}", found.name.ja),
                })
            }
            Opponent::Engine { engine, movetime } => {
                if !(50..=60_000).contains(movetime) {
                    let message = format!("movetime {movetime} is not between 50 and 60000");
                    return Err(ApiError::bad(message));
                }
                let unknown = || ApiError::missing(format!("no engine {engine:?} is registered"));
                let (name, plays) = known(engine).ok_or_else(unknown)?;
                if !plays.contains(&game) {
                    return Err(ApiError::bad(format!("{name} does not play {game}")));
                }
                Ok(Words { en: name.clone(), ja: name })
            }
            Opponent::Human { human: true } => {
                Ok(Words { en: "Two players".to_owned(), ja: "二人で対局".to_owned() })
            }
            Opponent::Friend { friend: true } => {
                Ok(Words { en: "A friend".to_owned(), ja: "友達".to_owned() })
            }
            Opponent::Human { human: false } => Err(ApiError::bad("human: expected true")),
            Opponent::Friend { friend: false } => Err(ApiError::bad("friend: expected true")),
        }
    }
}

impl Setup {
    /// The game played.
    pub fn game(&self) -> rules::Game {
        self.variant.parse().unwrap_or_default()
    }

    /// The entering-king rule.
    pub fn rule(&self) -> Declaration {
        self.declaration.parse().unwrap_or(Declaration::None)
    }

    /// The opponent as the page sees it.
    pub fn opponent_view(&self) -> OpponentView {
        let mut view = OpponentView {
            level: None,
            engine: None,
            movetime: None,
            human: None,
            friend: None,
            adaptive: None,
            name: self.name.clone(),
        };
        match &self.opponent {
            Opponent::Level { level, adaptive } => {
                (view.level, view.adaptive) = (Some(*level), adaptive.then_some(true));
            }
            Opponent::Engine { engine, movetime } => {
                (view.engine, view.movetime) = (Some(engine.clone()), Some(*movetime));
            }
            Opponent::Human { human } => view.human = Some(*human),
            Opponent::Friend { friend } => view.friend = Some(*friend),
        }
        view
    }
}

/// The opponent with its name: a level, an engine with its time for a move, or a person here or elsewhere.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "NamedOpponent"))]
pub struct OpponentView {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub movetime: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub human: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friend: Option<bool>,
    /// The level was chosen by the visitor's results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adaptive: Option<bool>,
    pub name: Words,
}

#[cfg(test)]
mod tests;
