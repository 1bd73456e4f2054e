//! Moves such as `+7776FU`: side, origin, destination, the piece after the move.

use crate::movetext::NotAMove;
use rules::{AnyPosition, Color, Game, Kind, Move, Square};

/// The two letters of a kind.
pub(crate) const fn name(kind: Kind) -> &'static str {
    match kind {
        Kind::Pawn => "FU",
        Kind::Lance => "KY",
        Kind::Knight => "KE",
        Kind::Silver => "GI",
        Kind::Bishop => "KA",
        Kind::Rook => "HI",
        Kind::Gold => "KI",
        Kind::King => "OU",
        Kind::ProPawn => "TO",
        Kind::ProLance => "NY",
        Kind::ProKnight => "NK",
        Kind::ProSilver => "NG",
        Kind::Horse => "UM",
        Kind::Dragon => "RY",
    }
}

/// The kind of two letters.
pub(crate) fn kind(name_: &str) -> Option<Kind> {
    Kind::ALL.into_iter().find(|&k| name(k) == name_)
}

/// Two digits as a square; `00` is `Ok(None)`.
pub(super) fn square(game: Game, text: &str) -> Option<Option<Square>> {
    let &[file, rank] = text.as_bytes() else { return None };
    if !file.is_ascii_digit() || !rank.is_ascii_digit() {
        return None;
    }
    if (file, rank) == (b'0', b'0') {
        return Some(None);
    }
    Square::at(game, (file - b'0') as usize, (rank - b'0') as usize).map(Some)
}

/// Whether a text has the shape of a move.
pub(super) fn looks_like_a_move(text: &str) -> bool {
    let b = text.as_bytes();
    b.len() == 7
        && matches!(b[0], b'+' | b'-')
        && b[1..5].iter().all(u8::is_ascii_digit)
        && b[5..].iter().all(u8::is_ascii_uppercase)
}

/// Reads a move of the side to move.
pub(crate) fn read(pos: &AnyPosition, text: &str) -> Result<Move, NotAMove> {
    if !looks_like_a_move(text) {
        return Err(NotAMove::Unreadable);
    }
    let game = pos.game();
    let color = if text.starts_with('+') { Color::Black } else { Color::White };
    let after = kind(&text[5..7]).ok_or(NotAMove::Unreadable)?;
    let from = square(game, &text[1..3]).ok_or(NotAMove::Illegal)?;
    let to = square(game, &text[3..5]).flatten().ok_or(NotAMove::Illegal)?;
    let m = match from {
        None if Kind::HAND.contains(&after) => Move::drop(after, to),
        None => return Err(NotAMove::Illegal),
        Some(from) => {
            let before = pos.piece_at(from).kind().ok_or(NotAMove::Illegal)?;
            let promote = before != after;
            if promote && before.promoted() != Some(after) {
                return Err(NotAMove::Illegal);
            }
            Move::board(from, to, promote)
        }
    };
    if color == pos.turn() && pos.is_legal(m) { Ok(m) } else { Err(NotAMove::Illegal) }
}

/// Writes a legal move.
pub(crate) fn write(pos: &AnyPosition, m: Move) -> String {
    let game = pos.game();
    let sign = if pos.turn() == Color::Black { '+' } else { '-' };
    let to = format!("{}{}", m.to().file(game), m.to().rank(game));
    if let Some(kind) = m.dropped() {
        return format!("{sign}00{to}{}", name(kind));
    }
    let before = pos.piece_at(m.from()).kind().unwrap_or(Kind::Pawn);
    let after = if m.is_promotion() { before.promoted().unwrap_or(before) } else { before };
    format!("{sign}{}{}{to}{}", m.from().file(game), m.from().rank(game), name(after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_legal_move_reads_back() {
        for (game, sfen) in [
            (Game::Shogi, "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1"),
            (Game::Minishogi, "r1s1k/P3b/1P3/5/K1SBR b 2G 1"),
        ] {
            let pos = AnyPosition::from_sfen(game, sfen).unwrap();
            for &m in &pos.legal_moves() {
                assert_eq!(read(&pos, &write(&pos, m)), Ok(m));
            }
        }
    }

    #[test]
    fn texts_and_what_they_mean() {
        let pos = AnyPosition::startpos(Game::Shogi);
        for (text, want) in [
            ("+7776FU", Ok("7g7f")),
            ("-3334FU", Err(NotAMove::Illegal)),
            ("+7775FU", Err(NotAMove::Illegal)),
            ("+7776KI", Err(NotAMove::Illegal)),
            ("+5556FU", Err(NotAMove::Illegal)),
            ("+0055FU", Err(NotAMove::Illegal)),
            ("+0055OU", Err(NotAMove::Illegal)),
            ("+7700FU", Err(NotAMove::Illegal)),
            ("+7776XX", Err(NotAMove::Unreadable)),
            ("7776FU", Err(NotAMove::Unreadable)),
            ("+７76", Err(NotAMove::Unreadable)),
        ] {
            let got = read(&pos, text).map(|m| m.usi(Game::Shogi));
            assert_eq!(got, want.map(str::to_owned), "{text}");
        }
    }
}
