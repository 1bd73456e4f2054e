//! What a GUI says to an engine.

use crate::words::{first, number, trimmed, unmarked};
use crate::{Go, ParseError, SetPosition, Times};
use std::fmt;

/// How a game ended, for the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GameResult {
    Win,
    Lose,
    /// Nobody won.
    Draw,
}

/// One line from the GUI, as typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Command {
    /// Say who you are and what can be set.
    Usi,
    /// Load what has to be loaded.
    IsReady,
    SetOption {
        /// Name, words joined by one space.
        name: String,
        /// Value as typed, `<empty>` read as nothing; `None` if there was no `value`.
        value: Option<String>,
    },
    /// A game begins.
    UsiNewGame,
    /// The position to think about next.
    Position(SetPosition),
    Go(Go),
    /// Answer now.
    Stop,
    /// The predicted move was played, with new clocks where told.
    PonderHit(Times),
    /// The game is over, with the result where told.
    GameOver(Option<GameResult>),
    Quit,
    /// Show the position (`d`); not part of the protocol.
    Show,
    /// Show the static value (`eval`); not part of the protocol.
    Eval,
    /// Show the legal moves (`moves`); not part of the protocol.
    Moves,
    /// Search the bench positions (`bench [depth]`); not part of the protocol.
    Bench(Option<u32>),
}

impl Command {
    /// Reads a line. Surrounding and doubled white space, tabs and `\r` do not count.
    pub fn parse(line: &str) -> Result<Self, ParseError> {
        let (word, rest) = first(unmarked(line));
        let bare = |command| match first(rest).0 {
            "" => Ok(command),
            found => Err(ParseError::Unexpected {
                after: word.to_owned(),
                expected: "nothing after it",
                found: found.to_owned(),
            }),
        };
        match word {
            "" => Err(ParseError::Empty),
            "usi" => bare(Self::Usi),
            "isready" => bare(Self::IsReady),
            "setoption" => set_option(rest),
            "usinewgame" => bare(Self::UsiNewGame),
            "position" => SetPosition::parse(rest).map(Self::Position),
            "go" => Go::parse(rest).map(Self::Go),
            "stop" => bare(Self::Stop),
            "ponderhit" => Times::parse(rest).map(Self::PonderHit),
            "gameover" => game_over(rest).map(Self::GameOver),
            "quit" => bare(Self::Quit),
            "d" => bare(Self::Show),
            "eval" => bare(Self::Eval),
            "moves" => bare(Self::Moves),
            "bench" => bench(rest).map(Self::Bench),
            _ => Err(ParseError::Unknown(word.to_owned())),
        }
    }
}

fn set_option(rest: &str) -> Result<Command, ParseError> {
    let expected = "\"name\" and an option";
    let after = || "setoption".to_owned();
    let mut rest = match first(rest) {
        ("name", rest) => rest,
        ("", _) => return Err(ParseError::Missing { after: after(), expected }),
        (found, _) => {
            let found = found.to_owned();
            return Err(ParseError::Unexpected { after: after(), expected, found });
        }
    };
    let mut name: Vec<&str> = Vec::new();
    let mut value = None;
    while !rest.is_empty() {
        let (word, tail) = first(rest);
        if word == "value" && !name.is_empty() {
            value = Some(if tail == "<empty>" { String::new() } else { tail.to_owned() });
            break;
        }
        name.push(word);
        rest = tail;
    }
    if name.is_empty() {
        return Err(ParseError::Missing { after: "name".to_owned(), expected: "an option" });
    }
    Ok(Command::SetOption { name: name.join(" "), value })
}

fn game_over(rest: &str) -> Result<Option<GameResult>, ParseError> {
    match trimmed(rest) {
        "" => Ok(None),
        "win" => Ok(Some(GameResult::Win)),
        "lose" => Ok(Some(GameResult::Lose)),
        "draw" => Ok(Some(GameResult::Draw)),
        found => Err(ParseError::Unexpected {
            after: "gameover".to_owned(),
            expected: "\"win\", \"lose\" or \"draw\"",
            found: found.to_owned(),
        }),
    }
}

fn bench(rest: &str) -> Result<Option<u32>, ParseError> {
    let (word, more) = first(rest);
    if !more.is_empty() {
        let (after, expected) = ("bench".to_owned(), "one number, the depth");
        return Err(ParseError::Unexpected { after, expected, found: rest.to_owned() });
    }
    if word.is_empty() {
        return Ok(None);
    }
    number("bench", Some(word), u64::from(u32::MAX)).map(|n| Some(n as u32))
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Win => "win",
            Self::Lose => "lose",
            Self::Draw => "draw",
        })
    }
}

/// The line, without its end.
impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usi => f.write_str("usi"),
            Self::IsReady => f.write_str("isready"),
            Self::SetOption { name, value: None } => write!(f, "setoption name {name}"),
            Self::SetOption { name, value: Some(value) } => {
                let value = if value.is_empty() { "<empty>" } else { value };
                write!(f, "setoption name {name} value {value}")
            }
            Self::UsiNewGame => f.write_str("usinewgame"),
            Self::Position(position) => write!(f, "position {position}"),
            Self::Go(go) => write!(f, "go{go}"),
            Self::Stop => f.write_str("stop"),
            Self::PonderHit(times) => write!(f, "ponderhit{times}"),
            Self::GameOver(None) => f.write_str("gameover"),
            Self::GameOver(Some(result)) => write!(f, "gameover {result}"),
            Self::Quit => f.write_str("quit"),
            Self::Show => f.write_str("d"),
            Self::Eval => f.write_str("eval"),
            Self::Moves => f.write_str("moves"),
            Self::Bench(None) => f.write_str("bench"),
            Self::Bench(Some(depth)) => write!(f, "bench {depth}"),
        }
    }
}

#[cfg(test)]
mod tests;
