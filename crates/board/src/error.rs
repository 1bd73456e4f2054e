//! What goes wrong between the page and the server, in words the page can translate.

use serde::Serialize;

/// What kind of error it is; `snake_case` on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
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
    /// Somebody else, or another window, has changed it since it was read.
    ChangedElsewhere,
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
    /// The status of an HTTP answer.
    pub const fn status(self) -> u16 {
        match self {
            Self::BadRequest | Self::BadPosition | Self::IllegalMove => 400,
            Self::TokenRequired => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::NotYourTurn | Self::GameOver | Self::NotAllowed | Self::ChangedElsewhere => 409,
            Self::TooLarge => 413,
            Self::Unreadable | Self::Unwritable => 422,
            Self::TooMany | Self::TooFast => 429,
            Self::Internal => 500,
            Self::EngineFailed => 502,
            Self::Unavailable => 503,
        }
    }
}

/// What went wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[error("{message}")]
pub struct ApiError {
    /// What the page translates.
    pub code: ErrorCode,
    /// For the reader of a log: in English, quoting what was sent.
    pub message: String,
}

/// The body of a REST answer with a status of 400 and above.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ErrorBody {
    pub error: ApiError,
}

impl ApiError {
    /// An error in words.
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
}
