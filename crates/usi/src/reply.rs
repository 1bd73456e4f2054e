//! What an engine says to a GUI.

use crate::words::{first, trimmed, unmarked};
use crate::{Info, ParseError, option};
use rules::Game;
use std::fmt;
use think::{Answer, Best, MateAnswer, OptionSpec};

/// The answer to `go`, as typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BestMove {
    /// Play this, with the reply expected where told.
    Move {
        best: String,
        /// The reply expected.
        ponder: Option<String>,
    },
    Resign,
    /// Declare the win by entering king.
    Win,
}

/// The answer to `go mate`, as typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Checkmate {
    /// The mating line, at least one move.
    Moves(Vec<String>),
    /// There is no mate.
    NoMate,
    /// Not known: the time is over.
    Timeout,
    /// The engine does not look for mates.
    NotImplemented,
}

/// One line from an engine.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    IdName(String),
    /// Who wrote it.
    IdAuthor(String),
    /// Something that can be set.
    Option(OptionSpec),
    /// The answer to `usi` is complete.
    UsiOk,
    /// Ready for a game.
    ReadyOk,
    /// A line of thought or a remark.
    Info(Info),
    /// The answer to `go`.
    BestMove(BestMove),
    /// The answer to `go mate`.
    Checkmate(Checkmate),
}

impl Reply {
    /// A remark for the reader.
    pub fn note(text: impl Into<String>) -> Self {
        Self::Info(Info::string(text))
    }

    /// The end of a search, in the words of its game.
    pub fn best(best: &Best, game: Game) -> Self {
        Self::BestMove(match best.answer {
            Answer::Move(m) => {
                BestMove::Move { best: m.usi(game), ponder: best.ponder.map(|m| m.usi(game)) }
            }
            Answer::Resign => BestMove::Resign,
            Answer::Win => BestMove::Win,
        })
    }

    /// The end of a mate search, in the words of its game.
    pub fn mate(answer: &MateAnswer, game: Game) -> Self {
        Self::Checkmate(match answer {
            MateAnswer::Mate(line) => Checkmate::Moves(line.iter().map(|m| m.usi(game)).collect()),
            MateAnswer::NoMate => Checkmate::NoMate,
            MateAnswer::Timeout => Checkmate::Timeout,
            MateAnswer::NotImplemented => Checkmate::NotImplemented,
        })
    }

    /// Reads a line. Surrounding and doubled white space, tabs and `\r` do not count.
    pub fn parse(line: &str) -> Result<Self, ParseError> {
        let (word, rest) = first(unmarked(line));
        match word {
            "" => Err(ParseError::Empty),
            "id" => match first(rest) {
                ("name", name) => Ok(Self::IdName(name.to_owned())),
                ("author", author) => Ok(Self::IdAuthor(author.to_owned())),
                (found, _) => Err(ParseError::Unexpected {
                    after: "id".to_owned(),
                    expected: "\"name\" or \"author\"",
                    found: found.to_owned(),
                }),
            },
            "option" => option::parse(rest).map(Self::Option),
            "usiok" => Ok(Self::UsiOk),
            "readyok" => Ok(Self::ReadyOk),
            "info" => Info::parse(rest).map(Self::Info),
            "bestmove" => best_move(rest).map(Self::BestMove),
            "checkmate" => checkmate(rest).map(Self::Checkmate),
            _ => Err(ParseError::Unknown(word.to_owned())),
        }
    }
}

fn best_move(rest: &str) -> Result<BestMove, ParseError> {
    let (best, rest) = first(rest);
    let ponder = match first(rest) {
        ("ponder", tail) => Some(first(tail).0).filter(|m| !m.is_empty()),
        _ => None,
    };
    match best {
        "" => Err(ParseError::Missing { after: "bestmove".to_owned(), expected: "a move" }),
        "resign" => Ok(BestMove::Resign),
        "win" => Ok(BestMove::Win),
        _ => Ok(BestMove::Move { best: best.to_owned(), ponder: ponder.map(str::to_owned) }),
    }
}

fn checkmate(rest: &str) -> Result<Checkmate, ParseError> {
    match trimmed(rest) {
        "" => Err(ParseError::Missing { after: "checkmate".to_owned(), expected: "a line" }),
        "nomate" => Ok(Checkmate::NoMate),
        // Some engines say "none" when memory or nodes ran out.
        "timeout" | "none" => Ok(Checkmate::Timeout),
        "notimplemented" => Ok(Checkmate::NotImplemented),
        line => Ok(Checkmate::Moves(line.split_ascii_whitespace().map(str::to_owned).collect())),
    }
}

/// The line, without its end.
impl fmt::Display for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::IdName(name) => write!(f, "id name {name}"),
            Self::IdAuthor(author) => write!(f, "id author {author}"),
            Self::Option(spec) => {
                f.write_str("option ")?;
                option::write(f, spec)
            }
            Self::UsiOk => f.write_str("usiok"),
            Self::ReadyOk => f.write_str("readyok"),
            Self::Info(info) => write!(f, "info{info}"),
            Self::BestMove(BestMove::Resign) => f.write_str("bestmove resign"),
            Self::BestMove(BestMove::Win) => f.write_str("bestmove win"),
            Self::BestMove(BestMove::Move { best, ponder: None }) => write!(f, "bestmove {best}"),
            Self::BestMove(BestMove::Move { best, ponder: Some(ponder) }) => {
                write!(f, "bestmove {best} ponder {ponder}")
            }
            Self::Checkmate(Checkmate::Moves(line)) => {
                f.write_str("checkmate")?;
                line.iter().try_for_each(|m| write!(f, " {m}"))
            }
            Self::Checkmate(Checkmate::NoMate) => f.write_str("checkmate nomate"),
            Self::Checkmate(Checkmate::Timeout) => f.write_str("checkmate timeout"),
            Self::Checkmate(Checkmate::NotImplemented) => f.write_str("checkmate notimplemented"),
        }
    }
}

#[cfg(test)]
mod tests;
