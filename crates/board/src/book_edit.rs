//! Changing a visitor's book: one move at a time, each change with what was before it, so that it can be undone.

use crate::book_panel::{Find, failed, value_for};
use crate::ending::one_line;
use crate::error::{ApiError, ErrorCode};
use crate::position::PositionRequest;
use book::{BookMove, Entry, Key};
use rules::{AnyPosition, Game, Kings, Move};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Characters of a book's name, and of a comment.
const LONGEST: (usize, usize) = (120, 2000);

/// The largest value that may be typed.
const LARGEST: i32 = 31_999;

/// A book to be made.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NewBook {
    pub name: String,
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Option<crate::words::Variant>"))]
    pub variant: Option<String>,
}

/// A book's name, in its bounds.
pub fn name(text: &str) -> Result<String, ApiError> {
    let text = one_line(text);
    match text.chars().count() {
        0 => Err(ApiError::bad("name: expected the name of the book")),
        n if n > LONGEST.0 => {
            let message = format!("name: {n} characters, at most {}", LONGEST.0);
            Err(ApiError::new(ErrorCode::TooLarge, message))
        }
        _ => Ok(text),
    }
}

/// What is done to a move of a book at a position; what is absent stays.
#[derive(Clone, Debug, Default, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BookEdit {
    #[serde(flatten)]
    pub position: PositionRequest,
    /// Every move that leads to the position enters the book.
    #[serde(default)]
    pub line: bool,
    /// The move; where it is absent `comment` is the position's.
    #[serde(default, rename = "move")]
    pub usi: Option<String>,
    /// Takes it out of the book.
    #[serde(default)]
    pub remove: bool,
    /// Makes it the move the book prefers.
    #[serde(default)]
    pub first: bool,
    /// Hundredths of a pawn, from Black's point of view; null takes the value away.
    #[serde(default, deserialize_with = "present")]
    #[cfg_attr(test, schemars(with = "Option<i32>"))]
    pub value: Option<Option<i32>>,
    /// Empty: none.
    #[serde(default)]
    pub comment: Option<String>,
}

/// Tells null from what is absent.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Option<i32>>, D::Error> {
    Option::<i32>::deserialize(from).map(Some)
}

impl BookEdit {
    /// The entries as they are to be; one without moves is none any more.
    pub fn apply(&self, find: Find<'_>) -> Result<Vec<Entry>, ApiError> {
        let at = self.position.resolve(Kings::Both)?;
        if self.line {
            return line(&self.position, &at, find);
        }
        let (mut entry, turned) = located(&at, find)?;
        let comment = match &self.comment {
            Some(text) if text.chars().count() > LONGEST.1 => {
                let message = format!("comment: at most {} characters", LONGEST.1);
                return Err(ApiError::new(ErrorCode::TooLarge, message));
            }
            Some(text) => Some(Some(text.trim()).filter(|t| !t.is_empty()).map(Box::from)),
            None => None,
        };
        match &self.usi {
            None => entry.comment = comment.unwrap_or(entry.comment),
            Some(text) => {
                let m = at
                    .parse_usi(text)
                    .map_err(|e| ApiError::new(ErrorCode::IllegalMove, e.to_string()))?;
                self.change(&mut entry, m, at.turn(), comment)?;
            }
        }
        Ok(vec![kept(entry, turned, at.game())?])
    }

    fn change(
        &self,
        entry: &mut Entry,
        m: Move,
        turn: rules::Color,
        comment: Option<Option<Box<str>>>,
    ) -> Result<(), ApiError> {
        let known = entry.moves.iter().position(|known| known.mv == m);
        if self.remove {
            let place =
                known.ok_or_else(|| ApiError::missing("the book does not have this move"))?;
            entry.moves.remove(place);
            return Ok(());
        }
        let place = known.unwrap_or_else(|| {
            entry.moves.push(by_hand(m));
            entry.moves.len() - 1
        });
        let changed = &mut entry.moves[place];
        if let Some(value) = self.value {
            if value.is_some_and(|v| v.unsigned_abs() > LARGEST.unsigned_abs()) {
                let message = format!("value: expected a number between -{LARGEST} and {LARGEST}");
                return Err(ApiError::bad(message));
            }
            changed.value = value.map(|v| value_for(turn, v));
            // What somebody typed was not searched.
            changed.depth = 0;
        }
        if let Some(comment) = comment {
            changed.comment = comment;
        }
        if self.first {
            entry.moves[..=place].rotate_right(1);
        }
        Ok(())
    }
}

/// What somebody has put into a book by hand.
fn by_hand(m: Move) -> BookMove {
    BookMove { source: Some(Arc::from("board")), ..BookMove::new(m) }
}

/// The moves that lead to a position, each where it was played.
fn line(
    asked: &PositionRequest,
    end: &AnyPosition,
    find: Find<'_>,
) -> Result<Vec<Entry>, ApiError> {
    let mut at = PositionRequest { moves: Vec::new(), ..asked.clone() }.resolve(Kings::Both)?;
    let mut changed: Vec<Entry> = Vec::new();
    for m in end.moves_played() {
        let mut look = |key: &Key| match changed.iter().find(|entry| entry.key == *key) {
            Some(entry) => Ok(Some(entry.clone())),
            None => find(key),
        };
        let (mut entry, turned) = located(&at, &mut look)?;
        if entry.find(m).is_none() {
            entry.moves.push(by_hand(m));
            let entry = kept(entry, turned, at.game())?;
            changed.retain(|known| known.key != entry.key);
            changed.push(entry);
        }
        at.play(m);
    }
    Ok(changed)
}

/// The entry of a position as the position has it, a new one where there is none, and whether the book has it turned
/// by 180 degrees.
pub fn located(at: &AnyPosition, find: Find<'_>) -> Result<(Entry, bool), ApiError> {
    let new = Entry::of(at).map_err(failed)?;
    if let Some(entry) = find(&new.key)? {
        return Ok((entry, false));
    }
    let twin = book::rotated(at).and_then(|twin| book::key_of(&twin)).map_err(failed)?;
    match find(&twin)? {
        Some(entry) => Ok((entry.rotated(at.game()).map_err(failed)?, true)),
        None => Ok((new, false)),
    }
}

/// The entry as the book keeps it.
pub fn kept(entry: Entry, turned: bool, game: Game) -> Result<Entry, ApiError> {
    if turned { entry.rotated(game).map_err(failed) } else { Ok(entry) }
}

/// An entry as text, for a file that knows nothing of books.
#[derive(Serialize, Deserialize)]
struct EntryText {
    ply: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    moves: Vec<MoveText>,
}

#[derive(Serialize, Deserialize)]
struct MoveText {
    m: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reply: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    value: Option<i32>,
    #[serde(default, skip_serializing_if = "is_zero")]
    depth: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    count: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    wins: u64,
    #[serde(default, skip_serializing_if = "is_zero")]
    draws: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde wants")]
const fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// An entry as text.
pub fn to_text(entry: &Entry, game: Game) -> String {
    let moves = entry.moves.iter().map(|m| MoveText {
        m: m.mv.usi(game),
        reply: m.reply.map(|reply| reply.usi(game)),
        value: m.value,
        depth: u64::from(m.depth),
        count: m.count,
        wins: m.wins,
        draws: m.draws,
        comment: m.comment.as_deref().map(str::to_owned),
        source: m.source.as_deref().map(str::to_owned),
    });
    let comment = entry.comment.as_deref().map(str::to_owned);
    let text = EntryText { ply: entry.ply, comment, moves: moves.collect() };
    serde_json::to_string(&text).unwrap_or_default()
}

/// The entry of a text; none where this program cannot have written it.
pub fn from_text(key: Key, text: &str, game: Game) -> Option<Entry> {
    let EntryText { ply, comment, moves } = serde_json::from_str(text).ok()?;
    let moves = moves.into_iter().map(|m| {
        Some(BookMove {
            mv: Move::from_usi(game, &m.m)?,
            reply: m.reply.and_then(|reply| Move::from_usi(game, &reply)),
            value: m.value,
            depth: u32::try_from(m.depth).ok()?,
            count: m.count,
            wins: m.wins,
            draws: m.draws,
            comment: m.comment.map(Into::into),
            source: m.source.map(Into::into),
        })
    });
    let moves = moves.collect::<Option<Vec<_>>>()?;
    Some(Entry { key, ply, comment: comment.map(Into::into), moves })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::collections::HashMap;

    type Kept = HashMap<Key, Entry>;

    fn edit(book: &mut Kept, edit: serde_json::Value) -> Result<Entry, ApiError> {
        let edit: BookEdit = serde_json::from_value(edit).unwrap();
        let changed = edit.apply(&mut |key| Ok(book.get(key).cloned()))?;
        book.extend(changed.iter().map(|entry| (entry.key, entry.clone())));
        Ok(changed[0].clone())
    }

    #[test]
    fn a_whole_line_enters_at_once() {
        let mut book = Kept::new();
        let moves = ["7g7f", "3c3d", "2g2f"];
        edit(&mut book, json!({ "line": true, "moves": moves })).unwrap();
        assert_eq!(book.len(), 3);
        assert!(book.values().all(|entry| entry.moves.len() == 1));
        let other = json!({ "line": true, "moves": ["7g7f", "8c8d"] });
        edit(&mut book, other.clone()).unwrap();
        assert_eq!(book.values().map(|entry| entry.moves.len()).sum::<usize>(), 4);
        let again: BookEdit = serde_json::from_value(other).unwrap();
        assert!(again.apply(&mut |key| Ok(book.get(key).cloned())).unwrap().is_empty());
        // The same position twice on the way.
        let round = ["2h3h", "8b7b", "3h2h", "7b8b", "2h4h"];
        edit(&mut book, json!({ "line": true, "moves": round })).unwrap();
        let start = &book[&book::key_of(&AnyPosition::startpos(Game::Shogi)).unwrap()];
        assert_eq!(start.moves.len(), 3, "{start:?}");
    }

    fn moves(entry: &Entry) -> Vec<(String, Option<i32>)> {
        entry.moves.iter().map(|m| (m.mv.usi(Game::Shogi), m.value)).collect()
    }

    #[test]
    fn moves_are_added_valued_preferred_and_removed() {
        let mut book = Kept::new();
        edit(&mut book, json!({ "move": "7g7f", "value": 40 })).unwrap();
        let entry = edit(&mut book, json!({ "move": "2g2f", "comment": " solid " })).unwrap();
        assert_eq!(moves(&entry), [("7g7f".to_owned(), Some(40)), ("2g2f".to_owned(), None)]);
        assert_eq!(entry.moves[1].comment.as_deref(), Some("solid"));
        let entry = edit(&mut book, json!({ "move": "2g2f", "first": true })).unwrap();
        assert_eq!(entry.moves[0].mv.usi(Game::Shogi), "2g2f");
        let entry = edit(&mut book, json!({ "move": "7g7f", "value": null })).unwrap();
        assert_eq!(entry.moves[1].value, None);
        let entry = edit(&mut book, json!({ "move": "7g7f", "remove": true })).unwrap();
        assert_eq!(moves(&entry), [("2g2f".to_owned(), None)]);
        assert!(edit(&mut book, json!({ "move": "7g7f", "remove": true })).is_err());
        let entry = edit(&mut book, json!({ "comment": "the start" })).unwrap();
        assert_eq!(entry.comment.as_deref(), Some("the start"));
    }

    #[test]
    fn whites_values_are_turned_and_twins_are_one_position() {
        let mut book = Kept::new();
        let white = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
        edit(&mut book, json!({ "move": "7g7f" })).unwrap();
        // Black's start with White to move is the start turned round.
        let entry =
            edit(&mut book, json!({ "sfen": white, "move": "8c8d", "value": -25 })).unwrap();
        assert_eq!(moves(&entry), [("7g7f".to_owned(), None), ("2g2f".to_owned(), Some(25))]);
        assert_eq!(book.len(), 1);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let mut book = Kept::new();
        for (bad, word) in [
            (json!({ "move": "7g7e" }), "7g7e"),
            (json!({ "move": "7g7f", "value": 40000 }), "31999"),
            (json!({ "move": "7g7f", "comment": "x".repeat(3000) }), "2000"),
            (json!({ "sfen": "nonsense", "move": "7g7f" }), "nonsense"),
        ] {
            let error = edit(&mut book, bad).unwrap_err();
            assert!(error.message.contains(word), "{error}");
        }
        assert!(name("  ").is_err() && name(&"x".repeat(121)).is_err());
        assert_eq!(name(" my\nbook ").unwrap(), "my book");
    }

    #[test]
    fn entries_go_through_text() {
        let mut book = Kept::new();
        let mut entry = edit(&mut book, json!({ "move": "7g7f", "comment": "角道" })).unwrap();
        entry.moves[0].count = 7;
        entry.moves[0].reply = Move::from_usi(Game::Shogi, "3c3d");
        let text = to_text(&entry, Game::Shogi);
        assert_eq!(from_text(entry.key, &text, Game::Shogi), Some(entry.clone()));
        for damaged in ["", "{}", &text.replace("7g7f", "7g7z")] {
            assert_eq!(from_text(entry.key, damaged, Game::Shogi), None, "{damaged}");
        }
    }
}
