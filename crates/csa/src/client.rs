//! What a client says to a server.

use crate::extended::Extended;
use std::fmt;

/// The words with one `%`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Special {
    /// `%TORYO`: resign.
    Resign,
    /// `%KACHI`: declare the win.
    Declare,
    /// `%CHUDAN`: ask for an interruption.
    Interrupt,
}

impl Special {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Resign, Self::Declare, Self::Interrupt];

    /// The word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Resign => "%TORYO",
            Self::Declare => "%KACHI",
            Self::Interrupt => "%CHUDAN",
        }
    }

    /// The meaning of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|special| special.word() == word)
    }
}

/// A line from a client, as typed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ClientLine {
    /// `LOGIN name password`, with `x1` for extended mode.
    Login {
        /// The name, unchecked.
        name: String,
        /// The password, unchecked.
        password: String,
        /// Extended mode.
        extended: bool,
    },
    /// `LOGOUT`
    Logout,
    /// `AGREE`, of that game or of the last one proposed.
    Agree(Option<String>),
    /// `REJECT`, likewise.
    Reject(Option<String>),
    /// `CHALLENGE`: wait for an opponent again.
    Challenge,
    /// A line with nothing but white space.
    KeepAlive,
    /// Anything that begins like a move. Only its first seven characters are the move.
    Move {
        /// The move, readable or not: at most seven characters.
        text: String,
        /// What follows `,'`.
        comment: Option<String>,
    },
    /// A word with `%`.
    Special {
        special: Special,
        /// What follows `,'`.
        comment: Option<String>,
    },
    /// A command with `%%`.
    Extended(Extended),
    /// Anything else.
    Other(String),
}

impl ClientLine {
    /// A move without comment.
    pub fn plain_move(text: &str) -> Self {
        Self::Move { text: text.to_owned(), comment: None }
    }

    /// Reads a line. Whatever cannot be read is [`ClientLine::Other`].
    ///
    /// White space before a sign is let pass: it makes nothing else of a move.
    pub fn parse(line: &str) -> Self {
        let whole = line;
        let line = whole.trim_start();
        if line.is_empty() {
            return Self::KeepAlive;
        }
        if let Some(command) = line.strip_prefix("%%") {
            return Self::Extended(Extended::parse(command));
        }
        if line.starts_with(['+', '-']) {
            let end = line.char_indices().find(|&(at, c)| c == ',' || at >= 7);
            let (text, rest) = line.split_at(end.map_or(line.len(), |(at, _)| at));
            return Self::Move { text: text.to_owned(), comment: comment(rest) };
        }
        if line.starts_with('%') {
            let end = line.find([',', ' ', '\t']).unwrap_or(line.len());
            let (word, rest) = line.split_at(end);
            if let Some(special) = Special::from_word(word) {
                return Self::Special { special, comment: comment(rest) };
            }
        }
        Self::word(whole.trim_end()).unwrap_or_else(|| Self::Other(whole.to_owned()))
    }

    fn word(line: &str) -> Option<Self> {
        let words: Vec<&str> = line.split(' ').collect();
        if words.iter().any(|word| word.is_empty()) {
            // Several spaces must not stand for one.
            return None;
        }
        let login = |name: &str, password: &str, extended| Self::Login {
            name: name.to_owned(),
            password: password.to_owned(),
            extended,
        };
        Some(match words[..] {
            ["LOGIN", name, password] => login(name, password, false),
            ["LOGIN", name, password, "x1"] => login(name, password, true),
            ["LOGOUT"] => Self::Logout,
            ["CHALLENGE"] => Self::Challenge,
            ["AGREE"] => Self::Agree(None),
            ["AGREE", id] => Self::Agree(Some(id.to_owned())),
            ["REJECT"] => Self::Reject(None),
            ["REJECT", id] => Self::Reject(Some(id.to_owned())),
            _ => return None,
        })
    }
}

/// What follows `,'`, in one line whatever is in it.
fn comment(rest: &str) -> Option<String> {
    rest.split_once(",'").map(|(_, comment)| one_line(comment))
}

/// A text with a space for every tab and other control character.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

impl fmt::Display for ClientLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tail = |f: &mut fmt::Formatter<'_>, comment: &Option<String>| match comment {
            Some(comment) => write!(f, ",'{comment}"),
            None => Ok(()),
        };
        let id = |f: &mut fmt::Formatter<'_>, id: &Option<String>| match id {
            Some(id) => write!(f, " {id}"),
            None => Ok(()),
        };
        match self {
            Self::Login { name, password, extended } => {
                write!(f, "LOGIN {name} {password}{}", if *extended { " x1" } else { "" })
            }
            Self::Logout => f.write_str("LOGOUT"),
            Self::Agree(game) => f.write_str("AGREE").and_then(|()| id(f, game)),
            Self::Reject(game) => f.write_str("REJECT").and_then(|()| id(f, game)),
            Self::Challenge => f.write_str("CHALLENGE"),
            Self::KeepAlive => Ok(()),
            Self::Move { text, comment } => f.write_str(text).and_then(|()| tail(f, comment)),
            Self::Special { special, comment } => {
                f.write_str(special.word()).and_then(|()| tail(f, comment))
            }
            Self::Extended(command) => command.fmt(f),
            Self::Other(line) => f.write_str(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extended::ColorChoice;
    use proptest::prelude::*;

    #[test]
    fn lines_and_what_they_mean() {
        let login = |name: &str, password: &str, extended| ClientLine::Login {
            name: name.to_owned(),
            password: password.to_owned(),
            extended,
        };
        let other = |text: &str| ClientLine::Other(text.to_owned());
        let with = |text: &str, comment: &str| ClientLine::Move {
            text: text.to_owned(),
            comment: Some(comment.to_owned()),
        };
        for (text, want) in [
            ("LOGIN a b", login("a", "b", false)),
            ("LOGIN a floodgate-300-10F,x x1", login("a", "floodgate-300-10F,x", true)),
            ("LOGIN  a b", other("LOGIN  a b")),
            ("LOGIN a", other("LOGIN a")),
            ("login a b", other("login a b")),
            ("LOGIN a b x2", other("LOGIN a b x2")),
            ("LOGOUT", ClientLine::Logout),
            ("AGREE", ClientLine::Agree(None)),
            ("AGREE 20150505-CSA25-3-5-7", ClientLine::Agree(Some("20150505-CSA25-3-5-7".into()))),
            ("REJECT g", ClientLine::Reject(Some("g".into()))),
            ("CHALLENGE", ClientLine::Challenge),
            ("", ClientLine::KeepAlive),
            ("+7776FU", ClientLine::plain_move("+7776FU")),
            ("+7776FU,'* 12 -3334FU", with("+7776FU", "* 12 -3334FU")),
            ("-", ClientLine::plain_move("-")),
            ("%TORYO", ClientLine::Special { special: Special::Resign, comment: None }),
            ("%toryo", other("%toryo")),
            ("%TORYOX", other("%TORYOX")),
        ] {
            assert_eq!(ClientLine::parse(text), want, "{text}");
            assert_eq!(want.to_string(), text);
        }
    }

    #[test]
    fn only_the_seven_characters_of_a_move_are_the_move() {
        let with = |text: &str, comment: Option<&str>| ClientLine::Move {
            text: text.to_owned(),
            comment: comment.map(str::to_owned),
        };
        let resign = |comment: Option<&str>| ClientLine::Special {
            special: Special::Resign,
            comment: comment.map(str::to_owned),
        };
        for (text, want) in [
            ("+7776FU,T12", with("+7776FU", None)),
            ("+7776FU\t", with("+7776FU", None)),
            ("+7776FU ,'* 12", with("+7776FU", Some("* 12"))),
            ("+7776FU,'* 12\t+3334FU", with("+7776FU", Some("* 12 +3334FU"))),
            ("+7776FU先手", with("+7776FU", None)),
            ("+77,'x", with("+77", Some("x"))),
            ("+７七六歩", with("+７七", None)),
            ("%TORYO ", resign(None)),
            ("%TORYO\t,'投了", resign(Some("投了"))),
            (" +7776FU", with("+7776FU", None)),
            ("\t+7776FU,'* 12", with("+7776FU", Some("* 12"))),
            (" %TORYO", resign(None)),
            ("AGREE ", ClientLine::Agree(None)),
            ("LOGOUT\t", ClientLine::Logout),
        ] {
            assert_eq!(ClientLine::parse(text), want, "{text}");
        }
    }

    #[test]
    fn nothing_but_white_space_keeps_the_connection_alive() {
        for text in ["", " ", "\t", " \t ", "\u{3000}"] {
            assert_eq!(ClientLine::parse(text), ClientLine::KeepAlive, "{text:?}");
        }
        assert_eq!(ClientLine::parse(" hello"), ClientLine::Other(" hello".to_owned()));
        assert_eq!(ClientLine::parse("'comment"), ClientLine::Other("'comment".to_owned()));
    }

    #[test]
    fn extended_commands() {
        let monitor = |on, moves_only| Extended::Monitor { game: "g".into(), on, moves_only };
        let buoy = |count| Extended::SetBuoy { name: "b".into(), moves: "+7776FU".into(), count };
        let fork = |name: Option<&str>, moves| Extended::Fork {
            game: "g".into(),
            name: name.map(str::to_owned),
            moves,
        };
        for (text, want) in [
            ("%%GAME x-1-1 +", Extended::Game { name: "x-1-1".into(), color: ColorChoice::Black }),
            ("%%GAME x-1-1 *", Extended::Game { name: "x-1-1".into(), color: ColorChoice::Any }),
            ("%%GAME", Extended::CancelGame),
            ("%%GAME x ?", Extended::Other("GAME x ?".into())),
            (
                "%%CHALLENGE x -",
                Extended::Challenge { name: "x".into(), color: ColorChoice::White },
            ),
            ("%%LIST", Extended::List),
            ("%%WHO", Extended::Who),
            ("%%SHOW g", Extended::Show("g".into())),
            ("%%MONITORON g", monitor(true, false)),
            ("%%MONITOR2OFF g", monitor(false, true)),
            ("%%RATING", Extended::Rating),
            ("%%VERSION", Extended::Version),
            ("%%HELP", Extended::Help),
            ("%%CHAT a  b", Extended::Chat("a  b".into())),
            ("%%SETBUOY b +7776FU 3", buoy(3)),
            ("%%SETBUOY b +7776FU x", Extended::Other("SETBUOY b +7776FU x".into())),
            ("%%DELETEBUOY b", Extended::DeleteBuoy("b".into())),
            ("%%GETBUOYCOUNT b", Extended::GetBuoyCount("b".into())),
            ("%%FORK g", fork(None, None)),
            ("%%FORK g 30", fork(None, Some(30))),
            ("%%FORK g n 30", fork(Some("n"), Some(30))),
            ("%%REFEREE kick x", Extended::Referee("kick x".into())),
            ("%%NONSENSE", Extended::Other("NONSENSE".into())),
            ("%%", Extended::Other(String::new())),
        ] {
            let line = ClientLine::parse(text);
            assert_eq!(line, ClientLine::Extended(want), "{text}");
            assert_eq!(line.to_string(), text);
        }
    }

    proptest! {
        #[test]
        fn any_line_reads_and_reads_back(line in "\\PC{0,40}") {
            let parsed = ClientLine::parse(&line);
            let written = parsed.to_string();
            prop_assert_eq!(ClientLine::parse(&written), parsed);
        }

        #[test]
        fn lines_like_ours_read_and_read_back(
            line in "(LOGIN|LOGOUT|AGREE|REJECT|CHALLENGE|%TORYO|%KACHI|%CHUDAN|\\+7776FU|%%[A-Z0-9]{0,9}|%%FORK|%%GAME)( [-+*x1a,']{0,6}){0,4}",
        ) {
            let parsed = ClientLine::parse(&line);
            prop_assert_eq!(ClientLine::parse(&parsed.to_string()), parsed);
        }
    }
}
