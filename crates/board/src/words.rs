//! The few words both languages of the page need from the server, and names of colours.

use rules::Color;
use serde::{Deserialize, Serialize};

/// A text in both languages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Words {
    /// English.
    pub en: &'static str,
    /// Japanese.
    pub ja: &'static str,
}

/// A text in both languages that is made as needed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Named {
    /// English.
    pub en: String,
    /// Japanese.
    pub ja: String,
}

/// The colour's word in messages.
pub const fn color(color: Color) -> &'static str {
    match color {
        Color::Black => "black",
        Color::White => "white",
    }
}

/// The colour of a word.
pub fn to_color(word: &str) -> Option<Color> {
    Color::BOTH.into_iter().find(|&c| color(c) == word)
}
