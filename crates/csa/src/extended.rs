//! The `%%` commands of extended mode (`LOGIN name password x1`), as shogi-server has them.

use crate::client::one_line;
use std::fmt;

/// The colour somebody wants to play.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ColorChoice {
    /// `+`
    Black,
    /// `-`
    White,
    /// `*`
    Any,
}

impl ColorChoice {
    fn from_sign(sign: &str) -> Option<Self> {
        match sign {
            "+" => Some(Self::Black),
            "-" => Some(Self::White),
            "*" => Some(Self::Any),
            _ => None,
        }
    }

    const fn sign(self) -> char {
        match self {
            Self::Black => '+',
            Self::White => '-',
            Self::Any => '*',
        }
    }
}

/// A command.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Extended {
    /// Wait for a game of that name.
    Game {
        name: String,
        color: ColorChoice,
    },
    /// Wait no longer.
    CancelGame,
    /// Play somebody who waits for a game of that name.
    Challenge {
        name: String,
        color: ColorChoice,
    },
    /// The running games.
    List,
    /// Who is here.
    Who,
    /// How a game stands.
    Show(String),
    /// Watch a game, or stop watching.
    Monitor {
        game: String,
        /// Start or stop.
        on: bool,
        /// `MONITOR2`: only moves and endings, without the board.
        moves_only: bool,
    },
    Rating,
    /// Which server this is.
    Version,
    /// What can be asked.
    Help,
    /// A word to everybody.
    Chat(String),
    /// Prepare an opening under a name.
    SetBuoy {
        /// The game's name.
        name: String,
        /// Moves put together.
        moves: String,
        /// How many games.
        count: u32,
    },
    /// Forget it.
    DeleteBuoy(String),
    /// How many games of it are left.
    GetBuoyCount(String),
    /// Prepare an opening from a game played before.
    Fork {
        game: String,
        /// The name to prepare.
        name: Option<String>,
        /// After how many moves.
        moves: Option<u32>,
    },
    /// `%%REFEREE`: an order of the referee's; not of shogi-server.
    Referee(String),
    /// A command nobody knows.
    Other(String),
}

impl Extended {
    /// Reads what follows `%%`.
    pub fn parse(text: &str) -> Self {
        Self::known(text).unwrap_or_else(|| Self::Other(text.to_owned()))
    }

    fn known(text: &str) -> Option<Self> {
        let (command, rest) = text.split_once([' ', '\t']).unwrap_or((text, ""));
        let words: Vec<&str> = rest.split(' ').filter(|word| !word.is_empty()).collect();
        let game = || match words[..] {
            [name] => Some((name.to_owned(), ColorChoice::Any)),
            [name, color] => Some((name.to_owned(), ColorChoice::from_sign(color)?)),
            _ => None,
        };
        let one = || match words[..] {
            [word] => Some(word.to_owned()),
            _ => None,
        };
        let monitor = |on, moves_only| Some(Self::Monitor { game: one()?, on, moves_only });
        let alone = |command: Self| words.is_empty().then_some(command);
        match command {
            "GAME" if words.is_empty() => Some(Self::CancelGame),
            "GAME" => game().map(|(name, color)| Self::Game { name, color }),
            "CHALLENGE" => game().map(|(name, color)| Self::Challenge { name, color }),
            "LIST" => alone(Self::List),
            "WHO" => alone(Self::Who),
            "SHOW" => one().map(Self::Show),
            "MONITORON" => monitor(true, false),
            "MONITOROFF" => monitor(false, false),
            "MONITOR2ON" => monitor(true, true),
            "MONITOR2OFF" => monitor(false, true),
            "RATING" => alone(Self::Rating),
            "VERSION" => alone(Self::Version),
            "HELP" => alone(Self::Help),
            "CHAT" => (!rest.is_empty()).then(|| Self::Chat(one_line(rest))),
            "SETBUOY" => match words[..] {
                [name, moves] => Some((name, moves, 1)),
                [name, moves, count] => Some((name, moves, count.parse().ok()?)),
                _ => None,
            }
            .map(|(name, moves, count)| Self::SetBuoy {
                name: name.to_owned(),
                moves: moves.to_owned(),
                count,
            }),
            "DELETEBUOY" => one().map(Self::DeleteBuoy),
            "GETBUOYCOUNT" => one().map(Self::GetBuoyCount),
            "REFEREE" => Some(Self::Referee(one_line(rest))),
            "FORK" => fork(&words),
            _ => None,
        }
    }
}

fn fork(words: &[&str]) -> Option<Extended> {
    let (game, name, moves) = match words {
        [game] => (game, None, None),
        [game, last] => match last.parse() {
            Ok(moves) => (game, None, Some(moves)),
            Err(_) => (game, Some(*last), None),
        },
        [game, name, moves] => (game, Some(*name), Some(moves.parse().ok()?)),
        _ => return None,
    };
    Some(Extended::Fork { game: (*game).to_owned(), name: name.map(str::to_owned), moves })
}

impl fmt::Display for Extended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("%%")?;
        match self {
            Self::Game { name, color } => write!(f, "GAME {name} {}", color.sign()),
            Self::CancelGame => f.write_str("GAME"),
            Self::Challenge { name, color } => write!(f, "CHALLENGE {name} {}", color.sign()),
            Self::List => f.write_str("LIST"),
            Self::Who => f.write_str("WHO"),
            Self::Show(id) => write!(f, "SHOW {id}"),
            Self::Monitor { game, on, moves_only } => {
                let number = if *moves_only { "2" } else { "" };
                write!(f, "MONITOR{number}{} {game}", if *on { "ON" } else { "OFF" })
            }
            Self::Rating => f.write_str("RATING"),
            Self::Version => f.write_str("VERSION"),
            Self::Help => f.write_str("HELP"),
            Self::Chat(text) => write!(f, "CHAT {text}"),
            Self::SetBuoy { name, moves, count } => write!(f, "SETBUOY {name} {moves} {count}"),
            Self::DeleteBuoy(name) => write!(f, "DELETEBUOY {name}"),
            Self::GetBuoyCount(name) => write!(f, "GETBUOYCOUNT {name}"),
            Self::Fork { game, name, moves } => {
                write!(f, "FORK {game}")?;
                name.as_ref().map_or(Ok(()), |name| write!(f, " {name}"))?;
                moves.map_or(Ok(()), |moves| write!(f, " {moves}"))
            }
            Self::Referee(order) if order.is_empty() => f.write_str("REFEREE"),
            Self::Referee(order) => write!(f, "REFEREE {order}"),
            Self::Other(text) => f.write_str(text),
        }
    }
}
