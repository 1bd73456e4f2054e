//! The `option` line: an [`OptionSpec`] as an engine declares it. Help is not part of the
//! protocol and is empty when read.

use crate::ParseError;
use crate::words::{first, trimmed};
use rules::Game;
use std::fmt;
use think::{OptionKey, OptionKind, OptionSpec};

/// The option that chooses the game.
pub const VARIANT: OptionKey<String> = OptionKey::combo(
    "USI_Variant",
    Game::Shogi.name(),
    &[Game::Shogi.name(), Game::Minishogi.name()],
    "The game to play. Setting it returns to that game's start position.",
);

/// Options by which engines choose the game; some interfaces know only the other name.
pub const VARIANTS: [&str; 2] = [VARIANT.name(), "UCI_Variant"];

/// The option that chooses the game; its default is the game the program was started for.
pub fn variant(game: Game) -> OptionSpec {
    OptionSpec { default: game.name().to_owned(), ..VARIANT.spec() }
}

/// Whether an option of that name chooses the game.
pub fn chooses_game(name: &str) -> bool {
    VARIANTS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The option, with its value, that tells an engine which game is played: none for shogi, which
/// every engine expects, nor for an engine that declares no such option.
pub fn choosing(game: Game, declares: impl Fn(&str) -> bool) -> Option<(String, String)> {
    let name = VARIANTS.into_iter().find(|name| game != Game::Shogi && declares(name))?;
    Some((name.to_owned(), game.name().to_owned()))
}

/// Reads what follows `option`.
pub(crate) fn parse(rest: &str) -> Result<OptionSpec, ParseError> {
    let missing = |after: &str, expected| ParseError::Missing { after: after.to_owned(), expected };
    let ("name", mut rest) = first(rest) else { return Err(missing("option", "\"name\"")) };
    let name = words_until(&mut rest, &["type"]);
    if name.is_empty() {
        return Err(missing("name", "an option"));
    }
    let ("type", tail) = first(rest) else { return Err(missing(&name, "\"type\"")) };
    let (kind, tail) = first(tail);
    rest = tail;
    let fields: &[&str] = match kind {
        // A text or a path may contain any word.
        "string" | "filename" => &[],
        _ => &["default", "min", "max", "var"],
    };
    let (mut default, mut min, mut max, mut choices) = (String::new(), i64::MIN, i64::MAX, vec![]);
    while !rest.is_empty() {
        let (field, tail) = first(rest);
        rest = tail;
        match field {
            "default" => default = words_until(&mut rest, fields),
            "min" => min = bound(field, &words_until(&mut rest, fields))?,
            "max" => max = bound(field, &words_until(&mut rest, fields))?,
            "var" => choices.push(words_until(&mut rest, fields)),
            _ => {}
        }
    }
    if default == "<empty>" {
        default.clear();
    }
    let kind = match kind {
        "check" => OptionKind::Check,
        "spin" => OptionKind::Spin { min, max },
        "combo" => OptionKind::Combo { choices },
        "button" => OptionKind::Button,
        "string" => OptionKind::Text,
        "filename" => OptionKind::Filename,
        _ => {
            return Err(ParseError::Unexpected {
                after: "type".to_owned(),
                expected: "check, spin, combo, button, string or filename",
                found: kind.to_owned(),
            });
        }
    };
    Ok(OptionSpec { name, kind, default, help: String::new() })
}

/// The words up to one of `ends` (or to the end), as typed where nothing ends them.
fn words_until(rest: &mut &str, ends: &[&str]) -> String {
    if ends.is_empty() {
        return std::mem::take(rest).to_owned();
    }
    let mut words = Vec::new();
    while !rest.is_empty() {
        let (word, tail) = first(rest);
        if ends.contains(&word) {
            break;
        }
        words.push(word);
        *rest = tail;
    }
    words.join(" ")
}

fn bound(field: &str, text: &str) -> Result<i64, ParseError> {
    trimmed(text)
        .parse()
        .map_err(|_| ParseError::NotANumber { field: field.to_owned(), value: text.to_owned() })
}

/// Writes what follows `option `.
pub(crate) fn write(f: &mut fmt::Formatter<'_>, spec: &OptionSpec) -> fmt::Result {
    write!(f, "name {} type {}", spec.name, spec.kind.name())?;
    if spec.kind == OptionKind::Button {
        return Ok(());
    }
    let default = if spec.default.is_empty() { "<empty>" } else { &spec.default };
    write!(f, " default {default}")?;
    match &spec.kind {
        OptionKind::Spin { min, max } => write!(f, " min {min} max {max}"),
        OptionKind::Combo { choices } => choices.iter().try_for_each(|c| write!(f, " var {c}")),
        _ => Ok(()),
    }
}
