//! The `%` words of CSA (JKF has the same without `%`), and the reasons of shogi-server's summary.

use crate::termination::Termination;
use rules::Color;

/// The ending of a word (without `%`); an unknown word is kept.
pub(crate) fn special(word: &str) -> Termination {
    match word {
        "TORYO" => Termination::Resign,
        "CHUDAN" => Termination::Interrupted,
        "SENNICHITE" => Termination::Repetition,
        "TIME_UP" => Termination::TimeUp,
        "ILLEGAL_MOVE" => Termination::IllegalMove(None),
        "+ILLEGAL_ACTION" => Termination::IllegalAction(Color::Black),
        "-ILLEGAL_ACTION" => Termination::IllegalAction(Color::White),
        "JISHOGI" => Termination::Impasse,
        "KACHI" => Termination::Declaration,
        "HIKIWAKE" => Termination::Draw,
        "MAX_MOVES" => Termination::MaxMoves,
        "MATTA" => Termination::TakenBack,
        "TSUMI" => Termination::Mate,
        "FUZUMI" => Termination::NoMate,
        "ERROR" => Termination::Error,
        other => Termination::other(other),
    }
}

/// The word nearest to an ending; reading it back gives the same winner wherever CSA has a way to
/// say so.
pub(crate) fn word(ending: &Termination, turn: Color) -> String {
    let lost_by = |loser: Color| match loser {
        Color::Black => "+ILLEGAL_ACTION",
        Color::White => "-ILLEGAL_ACTION",
    };
    let text = match ending {
        Termination::Resign | Termination::DefaultLoss => "TORYO",
        Termination::Repetition => "SENNICHITE",
        Termination::TimeUp => "TIME_UP",
        Termination::IllegalMove(_) => "ILLEGAL_MOVE",
        Termination::PerpetualCheck(loser)
        | Termination::IllegalAction(loser)
        | Termination::Abandoned(Some(loser)) => lost_by(*loser),
        // The standard's own advice for a win of the side to move.
        Termination::DefaultWin => lost_by(turn.opponent()),
        Termination::Won(winner) if *winner == turn => lost_by(turn.opponent()),
        Termination::Won(_) => "TORYO",
        Termination::Impasse => "JISHOGI",
        Termination::Declaration => "KACHI",
        Termination::Draw => "HIKIWAKE",
        Termination::MaxMoves => "MAX_MOVES",
        Termination::TakenBack => "MATTA",
        Termination::Mate => "TSUMI",
        Termination::NoMate => "FUZUMI",
        Termination::Error => "ERROR",
        Termination::Other(text) if is_word(text) => text,
        Termination::Interrupted
        | Termination::Sealed
        | Termination::Abandoned(None)
        | Termination::Other(_) => "CHUDAN",
    };
    text.to_owned()
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
}

/// The ending of `'summary:reason:black lose:white win` in a log of shogi-server. The middle of
/// the line are player names with their results.
pub(super) fn summary(text: &str, turn: Color) -> Option<Termination> {
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
        Some(loser) if loser != turn => Termination::IllegalAction(loser),
        _ => Termination::illegal(text),
    };
    Some(match reason {
        "toryo" => Termination::Resign,
        "time up" => Termination::TimeUp,
        "kachi" => Termination::Declaration,
        "sennichite" => Termination::Repetition,
        "max_moves" => Termination::MaxMoves,
        "jishogi" => Termination::Impasse,
        "oute_sennichite" => Termination::PerpetualCheck(loser.unwrap_or(turn)),
        "illegal move" => foul(""),
        "uchifuzume" | "oute_kaihimore" | "outori" | "illegal kachi" => foul(reason),
        "abnormal" => Termination::Abandoned(loser),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use play::Outcome;

    #[test]
    fn words_keep_the_winner() {
        for ending in Termination::samples() {
            for turn in Color::BOTH {
                let read = special(&word(&ending, turn));
                assert_eq!(read.outcome(turn), ending.outcome(turn), "{ending:?} {turn}");
            }
        }
    }

    #[test]
    fn summaries() {
        for (text, want, winner) in [
            ("toryo:a win:b lose", Termination::Resign, Color::White),
            ("time up:a lose:b win", Termination::TimeUp, Color::White),
            (
                "oute_sennichite:a lose:b win",
                Termination::PerpetualCheck(Color::Black),
                Color::White,
            ),
            ("illegal move:a lose:b win", Termination::IllegalMove(None), Color::White),
            ("illegal move:a win:b lose", Termination::IllegalAction(Color::White), Color::Black),
            ("abnormal:a win:b lose", Termination::Abandoned(Some(Color::White)), Color::Black),
        ] {
            let got = summary(text, Color::Black).unwrap();
            assert_eq!(got, want, "{text}");
            assert_eq!(got.outcome(Color::Black), Outcome::Won(winner), "{text}");
        }
        assert_eq!(summary("max_moves:a draw:b draw", Color::Black), Some(Termination::MaxMoves));
        assert_eq!(summary("", Color::Black), None);
    }
}
