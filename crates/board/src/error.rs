//! What goes wrong between the page and the server, in words the page can translate.

use serde_json::{Value, json};

/// The machine's word for it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ErrorCode {
    /// Not understood.
    BadRequest,
    /// No position of the game.
    BadPosition,
    /// No legal move.
    IllegalMove,
    /// The opponent is to move.
    NotYourTurn,
    /// The game has ended.
    GameOver,
    /// There is no such thing, or it is somebody else's.
    NotFound,
    /// A right that does not hold now.
    NotAllowed,
    /// More than is accepted.
    TooLarge,
    /// More at a time than is accepted.
    TooMany,
    /// Faster than is accepted.
    TooFast,
    /// From another origin, or for another host.
    Forbidden,
    /// The visitor has not shown the token.
    TokenRequired,
    /// No record in the text.
    Unreadable,
    /// The format cannot hold it.
    Unwritable,
    /// An engine crashed or cannot be started.
    EngineFailed,
    /// Not now.
    Unavailable,
    /// Our fault.
    Internal,
}

impl ErrorCode {
    /// All codes.
    pub const ALL: [Self; 17] = [
        Self::BadRequest,
        Self::BadPosition,
        Self::IllegalMove,
        Self::NotYourTurn,
        Self::GameOver,
        Self::NotFound,
        Self::NotAllowed,
        Self::TooLarge,
        Self::TooMany,
        Self::TooFast,
        Self::Forbidden,
        Self::TokenRequired,
        Self::Unreadable,
        Self::Unwritable,
        Self::EngineFailed,
        Self::Unavailable,
        Self::Internal,
    ];

    /// The word in messages.
    pub const fn word(self) -> &'static str {
        self.row().0
    }

    /// The status of an HTTP answer.
    pub const fn status(self) -> u16 {
        self.row().1
    }

    const fn row(self) -> (&'static str, u16) {
        match self {
            Self::BadRequest => ("bad_request", 400),
            Self::BadPosition => ("bad_position", 400),
            Self::IllegalMove => ("illegal_move", 400),
            Self::NotYourTurn => ("not_your_turn", 409),
            Self::GameOver => ("game_over", 409),
            Self::NotFound => ("not_found", 404),
            Self::NotAllowed => ("not_allowed", 409),
            Self::TooLarge => ("too_large", 413),
            Self::TooMany => ("too_many", 429),
            Self::TooFast => ("too_fast", 429),
            Self::Forbidden => ("forbidden", 403),
            Self::TokenRequired => ("token_required", 401),
            Self::Unreadable => ("unreadable", 422),
            Self::Unwritable => ("unwritable", 422),
            Self::EngineFailed => ("engine_failed", 502),
            Self::Unavailable => ("unavailable", 503),
            Self::Internal => ("internal", 500),
        }
    }
}

/// What went wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    /// The machine's word.
    pub code: ErrorCode,
    /// In English, quoting what was sent.
    pub message: String,
}

impl ApiError {
    /// A error in words.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// Not understood.
    pub fn bad(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::BadRequest, message)
    }

    /// Not there.
    pub fn missing(what: impl Into<String>) -> Self {
        Self::new(ErrorCode::NotFound, what)
    }

    /// The body of a REST answer.
    pub fn body(&self) -> Value {
        json!({ "error": { "code": self.code.word(), "message": self.message } })
    }

    /// The message on a socket, answering request `id`.
    pub fn message(&self, id: Option<u64>) -> Value {
        let mut value =
            json!({ "type": "error", "code": self.code.word(), "message": self.message });
        if let Some(id) = id {
            value["id"] = id.into();
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_word_of_its_own_that_the_contract_knows() {
        let contract = include_str!("../../../docs/web-api.md");
        let mut words: Vec<&str> = ErrorCode::ALL.map(ErrorCode::word).to_vec();
        for (word, code) in words.iter().zip(ErrorCode::ALL) {
            assert!(contract.contains(&format!("`{word}`")), "{word}");
            assert!((400..600).contains(&code.status()));
        }
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), ErrorCode::ALL.len());
    }
}
