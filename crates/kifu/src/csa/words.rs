//! The `%` words of CSA (JKF has the same without `%`), and the reasons of shogi-server's summary.

use crate::ending::Ending;
use rules::Color;

/// The ending of a word (without `%`); an unknown word is kept.
pub(crate) fn special(word: &str) -> Ending {
    match word {
        "TORYO" => Ending::Resign,
        "CHUDAN" => Ending::Interrupted,
        "SENNICHITE" => Ending::Repetition,
        "TIME_UP" => Ending::TimeUp,
        "ILLEGAL_MOVE" => Ending::IllegalMove(None),
        "+ILLEGAL_ACTION" => Ending::IllegalAction(Color::Black),
        "-ILLEGAL_ACTION" => Ending::IllegalAction(Color::White),
        "JISHOGI" => Ending::Impasse,
        "KACHI" => Ending::Declaration,
        "HIKIWAKE" => Ending::Draw,
        "MAX_MOVES" => Ending::MaxMoves,
        "MATTA" => Ending::TakenBack,
        "TSUMI" => Ending::Mate,
        "FUZUMI" => Ending::NoMate,
        "ERROR" => Ending::Error,
        other => Ending::other(other),
    }
}

/// The word nearest to an ending; reading it back gives the same winner wherever CSA has a way to
/// say so.
pub(crate) fn word(ending: &Ending, turn: Color) -> String {
    let lost_by = |loser: Color| match loser {
        Color::Black => "+ILLEGAL_ACTION",
        Color::White => "-ILLEGAL_ACTION",
    };
    let text = match ending {
        Ending::Resign | Ending::DefaultLoss => "TORYO",
        Ending::Repetition => "SENNICHITE",
        Ending::TimeUp => "TIME_UP",
        Ending::IllegalMove(_) => "ILLEGAL_MOVE",
        Ending::PerpetualCheck(loser)
        | Ending::IllegalAction(loser)
        | Ending::Abandoned(Some(loser)) => lost_by(*loser),
        // The standard's own advice for a win of the side to move.
        Ending::DefaultWin => lost_by(turn.opponent()),
        Ending::Won(winner) if *winner == turn => lost_by(turn.opponent()),
        Ending::Won(_) => "TORYO",
        Ending::Impasse => "JISHOGI",
        Ending::Declaration => "KACHI",
        Ending::Draw => "HIKIWAKE",
        Ending::MaxMoves => "MAX_MOVES",
        Ending::TakenBack => "MATTA",
        Ending::Mate => "TSUMI",
        Ending::NoMate => "FUZUMI",
        Ending::Error => "ERROR",
        Ending::Other(text) if is_word(text) => text,
        Ending::Interrupted | Ending::Sealed | Ending::Abandoned(None) | Ending::Other(_) => {
            "CHUDAN"
        }
    };
    text.to_owned()
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
}

/// The ending of `'summary:reason:black lose:white win` in a log of shogi-server. The middle of
/// the line are player names with their results.
pub(super) fn summary(text: &str, turn: Color) -> Option<Ending> {
    let mut parts = text.split(':');
    let reason = parts.next()?;
    let black = parts.next().unwrap_or_default();
    let white = parts.next().unwrap_or_default();
    let loser = if black.ends_with(" lose") || white.ends_with(" win") {
        Some(Color::Black)
    } else if white.ends_with(" lose") || black.ends_with(" win") {
        Some(Color::White)
    } else {
        None
    };
    let foul = |text: &str| match loser {
        Some(loser) if loser != turn => Ending::IllegalAction(loser),
        _ => Ending::illegal(text),
    };
    Some(match reason {
        "toryo" => Ending::Resign,
        "time up" => Ending::TimeUp,
        "kachi" => Ending::Declaration,
        "sennichite" => Ending::Repetition,
        "max_moves" => Ending::MaxMoves,
        "jishogi" => Ending::Impasse,
        "oute_sennichite" => Ending::PerpetualCheck(loser.unwrap_or(turn)),
        "illegal move" => foul(""),
        "uchifuzume" | "oute_kaihimore" | "outori" | "illegal kachi" => foul(reason),
        "abnormal" => Ending::Abandoned(loser),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use play::Outcome;

    #[test]
    fn words_keep_the_winner() {
        for ending in Ending::samples() {
            for turn in Color::BOTH {
                let read = special(&word(&ending, turn));
                assert_eq!(read.outcome(turn), ending.outcome(turn), "{ending:?} {turn}");
            }
        }
    }

    #[test]
    fn summaries() {
        for (text, want, winner) in [
            ("toryo:a win:b lose", Ending::Resign, Color::White),
            ("time up:a lose:b win", Ending::TimeUp, Color::White),
            ("oute_sennichite:a lose:b win", Ending::PerpetualCheck(Color::Black), Color::White),
            ("illegal move:a lose:b win", Ending::IllegalMove(None), Color::White),
            ("illegal move:a win:b lose", Ending::IllegalAction(Color::White), Color::Black),
            ("abnormal:a win:b lose", Ending::Abandoned(Some(Color::White)), Color::Black),
        ] {
            let got = summary(text, Color::Black).unwrap();
            assert_eq!(got, want, "{text}");
            assert_eq!(got.outcome(Color::Black), Outcome::Won(winner), "{text}");
        }
        assert_eq!(summary("max_moves:a draw:b draw", Color::Black), Some(Ending::MaxMoves));
        assert_eq!(summary("", Color::Black), None);
    }
}
