//! What a server says to a client, line by line; the `Game_Summary` block is in
//! [`crate::summary`].

use crate::client::Special;
use crate::ending::{ReasonWord, Verdict};
use crate::times::{seconds, seconds_text};
use std::fmt;
use std::time::Duration;

/// A line from a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ServerLine {
    /// `LOGIN:name OK`
    LoginOk(String),
    /// `LOGIN:incorrect`
    LoginIncorrect,
    /// `LOGOUT:completed`
    LogoutCompleted,
    /// `START:game`
    Start(String),
    /// `REJECT:game by name`
    Rejected {
        game: String,
        /// Who rejected it.
        by: String,
    },
    /// A move and the time it took: `+7776FU,T12`.
    Move {
        /// The move, at most seven characters of an unreadable one.
        text: String,
        /// What was recorded.
        time: Option<Duration>,
    },
    /// A word with `%` and its time.
    Special {
        special: Special,
        /// What was recorded.
        time: Option<Duration>,
    },
    /// Why the game ended.
    Reason(ReasonWord),
    /// What that means to the reader.
    Verdict(Verdict),
    /// `CHALLENGE ACCEPTED`
    ChallengeAccepted,
    /// An empty line.
    KeepAlive,
    /// `##[TAG] text`, the answers of extended mode.
    Info {
        /// What it answers.
        tag: String,
        text: String,
    },
    /// Anything else.
    Other(String),
}

impl ServerLine {
    /// Reads a line. Whatever cannot be read is [`ServerLine::Other`].
    pub fn parse(line: &str) -> Self {
        if line.is_empty() {
            return Self::KeepAlive;
        }
        Self::known(line).unwrap_or_else(|| Self::Other(line.to_owned()))
    }

    fn known(line: &str) -> Option<Self> {
        if let Some(rest) = line.strip_prefix("##[") {
            let (tag, text) = rest.split_once(']')?;
            let text = text.strip_prefix(' ').unwrap_or(text);
            return Some(Self::Info { tag: tag.to_owned(), text: text.to_owned() });
        }
        if let Some(word) = line.strip_prefix('#') {
            let reason = || ReasonWord::from_word(word).map(Self::Reason);
            return reason().or_else(|| Verdict::from_word(word).map(Self::Verdict));
        }
        if line.starts_with(['+', '-']) {
            let (text, time) = split_time(line)?;
            return Some(Self::Move { text: text.to_owned(), time });
        }
        if line.starts_with('%') {
            let (word, time) = split_time(line)?;
            return Special::from_word(word).map(|special| Self::Special { special, time });
        }
        Some(match line {
            "LOGIN:incorrect" => Self::LoginIncorrect,
            "LOGOUT:completed" => Self::LogoutCompleted,
            "CHALLENGE ACCEPTED" => Self::ChallengeAccepted,
            _ => {
                if let Some(name) = line.strip_prefix("LOGIN:").and_then(|l| l.strip_suffix(" OK"))
                {
                    Self::LoginOk(name.to_owned())
                } else if let Some(game) = line.strip_prefix("START:") {
                    Self::Start(game.to_owned())
                } else {
                    let (game, by) = line.strip_prefix("REJECT:")?.rsplit_once(" by ")?;
                    Self::Rejected { game: game.to_owned(), by: by.to_owned() }
                }
            }
        })
    }
}

/// A move and its time: `+7776FU,T12`. A space after the comma is let pass.
pub(crate) fn split_time(line: &str) -> Option<(&str, Option<Duration>)> {
    let Some((text, time)) = line.split_once(',') else { return Some((line, None)) };
    let time = time.strip_prefix(' ').unwrap_or(time).strip_prefix('T')?;
    // Comments may follow in logs and answers of extended mode.
    let time = time.split(',').next().unwrap_or(time);
    Some((text, Some(seconds(time)?)))
}

impl fmt::Display for ServerLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tail = |f: &mut fmt::Formatter<'_>, time: &Option<Duration>| match time {
            Some(time) => write!(f, ",T{}", seconds_text(*time)),
            None => Ok(()),
        };
        match self {
            Self::LoginOk(name) => write!(f, "LOGIN:{name} OK"),
            Self::LoginIncorrect => f.write_str("LOGIN:incorrect"),
            Self::LogoutCompleted => f.write_str("LOGOUT:completed"),
            Self::Start(game) => write!(f, "START:{game}"),
            Self::Rejected { game, by } => write!(f, "REJECT:{game} by {by}"),
            Self::Move { text, time } => f.write_str(text).and_then(|()| tail(f, time)),
            Self::Special { special, time } => {
                f.write_str(special.word()).and_then(|()| tail(f, time))
            }
            Self::Reason(reason) => reason.fmt(f),
            Self::Verdict(verdict) => verdict.fmt(f),
            Self::ChallengeAccepted => f.write_str("CHALLENGE ACCEPTED"),
            Self::KeepAlive => Ok(()),
            Self::Info { tag, text } if text.is_empty() => write!(f, "##[{tag}]"),
            Self::Info { tag, text } => write!(f, "##[{tag}] {text}"),
            Self::Other(line) => f.write_str(line),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lines_and_what_they_mean() {
        let seconds = |s| Some(Duration::from_secs(s));
        let play = |text: &str, time| ServerLine::Move { text: text.to_owned(), time };
        for (text, want) in [
            ("LOGIN:TANUKI OK", ServerLine::LoginOk("TANUKI".into())),
            ("LOGIN:incorrect", ServerLine::LoginIncorrect),
            ("LOGOUT:completed", ServerLine::LogoutCompleted),
            ("START:20150505-CSA25-3-5-7", ServerLine::Start("20150505-CSA25-3-5-7".into())),
            (
                "REJECT:g by KITSUNE",
                ServerLine::Rejected { game: "g".into(), by: "KITSUNE".into() },
            ),
            ("+7776FU,T12", play("+7776FU", seconds(12))),
            ("+7776FU,T0.25", play("+7776FU", Some(Duration::from_millis(250)))),
            ("-3334FU", play("-3334FU", None)),
            ("%TORYO,T4", ServerLine::Special { special: Special::Resign, time: seconds(4) }),
            ("%KACHI,T8", ServerLine::Special { special: Special::Declare, time: seconds(8) }),
            ("#OUTE_SENNICHITE", ServerLine::Reason(ReasonWord::OuteSennichite)),
            ("#WIN", ServerLine::Verdict(Verdict::Win)),
            ("#CHUDAN", ServerLine::Verdict(Verdict::Chudan)),
            ("#WIN(LOSE)", ServerLine::Other("#WIN(LOSE)".into())),
            ("CHALLENGE ACCEPTED", ServerLine::ChallengeAccepted),
            ("", ServerLine::KeepAlive),
            ("##[LOGIN] +OK x1", ServerLine::Info { tag: "LOGIN".into(), text: "+OK x1".into() }),
            ("##[CHAT]", ServerLine::Info { tag: "CHAT".into(), text: String::new() }),
            ("+7776FU,Tx", ServerLine::Other("+7776FU,Tx".into())),
            ("##[", ServerLine::Other("##[".into())),
            ("what", ServerLine::Other("what".into())),
        ] {
            assert_eq!(ServerLine::parse(text), want, "{text}");
            assert_eq!(want.to_string(), text);
        }
        assert_eq!(ServerLine::parse("+7776FU, T12"), play("+7776FU", seconds(12)));
    }

    proptest! {
        #[test]
        fn any_line_reads_and_reads_back(line in "\\PC{0,40}", near in "(LOGIN:|START:|REJECT:|#|##\\[|%|\\+|-)[A-Z0-9 ,T\\]]{0,12}( by | OK|)[a-z]{0,3}") {
            for line in [line, near] {
                let parsed = ServerLine::parse(&line);
                prop_assert_eq!(ServerLine::parse(&parsed.to_string()), parsed);
            }
        }
    }
}
