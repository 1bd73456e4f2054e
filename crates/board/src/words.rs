//! Small words of every message: colours, variants, text in both languages.

use serde::{Deserialize, Serialize};

/// A text in both languages.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Words {
    pub en: String,
    pub ja: String,
}

impl Words {
    /// A text in English and Japanese.
    pub fn new(en: impl Into<String>, ja: impl Into<String>) -> Self {
        Self { en: en.into(), ja: ja.into() }
    }
}

/// A colour: Black moves up the board.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Color {
    Black,
    White,
}

impl Color {
    /// The word in messages.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Black => "black",
            Self::White => "white",
        }
    }

    /// The colour of a word.
    pub fn of_word(word: &str) -> Option<Self> {
        [Self::Black, Self::White].into_iter().find(|color| color.word() == word)
    }
}

impl From<rules::Color> for Color {
    fn from(color: rules::Color) -> Self {
        match color {
            rules::Color::Black => Self::Black,
            rules::Color::White => Self::White,
        }
    }
}

impl From<Color> for rules::Color {
    fn from(color: Color) -> Self {
        match color {
            Color::Black => Self::Black,
            Color::White => Self::White,
        }
    }
}

/// The game: shogi on 9×9 or minishogi on 5×5.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Variant {
    Shogi,
    Minishogi,
}

impl From<rules::Game> for Variant {
    fn from(game: rules::Game) -> Self {
        match game {
            rules::Game::Shogi => Self::Shogi,
            rules::Game::Minishogi => Self::Minishogi,
        }
    }
}

/// Milliseconds of a time.
pub fn millis(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
