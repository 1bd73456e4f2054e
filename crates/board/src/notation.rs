//! Moves as people read them: Japanese by the rules of records, Western after Hodges.

use rules::{AnyPosition, Kind, Move};

/// A line of moves in both notations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Notation {
    /// The moves of the line that could be played.
    pub usi: Vec<String>,
    /// `▲７六歩`
    pub ja: Vec<String>,
    /// `P-7f`
    pub en: Vec<String>,
}

/// Writes a line from a position, up to the first move that is not legal there. `last` is the move
/// before it, which 同 refers to.
pub fn line(position: &AnyPosition, last: Option<Move>, moves: &[Move]) -> Notation {
    let (mut at, mut last) = (position.without_history(), last);
    let mut notation = Notation::default();
    for &m in moves {
        if !at.is_legal(m) {
            break;
        }
        notation.usi.push(m.usi(at.game()));
        notation.ja.push(japanese(&at, last, m));
        notation.en.push(western(&at, m));
        at.play(m);
        last = Some(m);
    }
    notation
}

/// `▲７六歩`
pub fn japanese(position: &AnyPosition, last: Option<Move>, m: Move) -> String {
    kifu::write_line(position, last, &[m])
}

/// `P-7f`, `Bx2b+`, `G4i-5h`, `P*5e`, `S-3c=`: the piece, its origin where another of its kind
/// could go there too, the destination, `+` for a promotion and `=` for one that was declined.
pub fn western(position: &AnyPosition, m: Move) -> String {
    let game = position.game();
    let to = m.to().usi(game);
    if let Some(kind) = m.dropped() {
        return format!("{}*{to}", kind.letter());
    }
    let piece = position.piece_at(m.from());
    let name = match piece.kind() {
        Some(kind) if kind.is_promoted() => format!("+{}", kind.unpromoted().letter()),
        Some(kind) => kind.letter().to_string(),
        None => return m.usi(game),
    };
    let rivals = position.legal_moves().iter().any(|&other| {
        !other.is_drop()
            && other.to() == m.to()
            && other.from() != m.from()
            && position.piece_at(other.from()) == piece
    });
    let origin = if rivals { m.from().usi(game) } else { String::new() };
    let way = if position.piece_at(m.to()).is_some() { 'x' } else { '-' };
    let twin = Move::board(m.from(), m.to(), true);
    let promotion = if m.is_promotion() {
        "+"
    } else if piece.kind().is_some_and(Kind::can_promote) && position.is_legal(twin) {
        "="
    } else {
        ""
    };
    format!("{name}{origin}{way}{to}{promotion}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(game: rules::Game, sfen: &str, usi: &str, want: &str) {
        let position = AnyPosition::from_sfen(game, sfen).unwrap();
        let m = position.parse_usi(usi).unwrap();
        assert_eq!(western(&position, m), want, "{usi}");
    }

    #[test]
    fn western_moves() {
        let start = AnyPosition::startpos(rules::Game::Shogi).sfen();
        check(rules::Game::Shogi, &start, "7g7f", "P-7f");
        check(rules::Game::Shogi, &start, "4i5h", "G4i-5h");
        check(rules::Game::Shogi, &start, "6i5h", "G6i-5h");
        check(rules::Game::Shogi, "4k4/9/9/9/9/9/9/9/4K4 b P 1", "P*5e", "P*5e");
        let taken = "lnsgkgsnl/1r5b1/pppppp1pp/6p2/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 3";
        check(rules::Game::Shogi, taken, "8h2b+", "Bx2b+");
        check(rules::Game::Shogi, taken, "8h2b", "Bx2b=");
        check(rules::Game::Shogi, "4k4/9/9/9/4+B4/9/9/9/4K4 b - 1", "5e4d", "+B-4d");
        check(rules::Game::Minishogi, "rbsgk/4p/5/P4/KGSBR b - 1", "5d5c", "P-5c");
    }

    #[test]
    fn a_line_ends_where_it_is_no_longer_legal() {
        let start = AnyPosition::startpos(rules::Game::Shogi);
        let moves = ["7g7f", "3c3d", "8h2b+", "3a2b", "9i9a"]
            .map(|text| Move::from_usi(rules::Game::Shogi, text).unwrap());
        let notation = line(&start, None, &moves);
        assert_eq!(notation.usi.len(), 4);
        assert_eq!(notation.ja, ["▲７六歩", "△３四歩", "▲２二角成", "△同　銀"]);
        assert_eq!(notation.en, ["P-7f", "P-3d", "Bx2b+", "Sx2b"]);
    }
}
