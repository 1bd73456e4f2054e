//! Positions and moves as a person reads them.

use rules::{AnyPosition, Color, Game, Hand, Kind, Piece, Square};

/// One character per kind, as on printed diagrams (promoted lance, knight and silver too).
const fn kanji(kind: Kind) -> char {
    match kind {
        Kind::Pawn => '歩',
        Kind::Lance => '香',
        Kind::Knight => '桂',
        Kind::Silver => '銀',
        Kind::Bishop => '角',
        Kind::Rook => '飛',
        Kind::Gold => '金',
        Kind::King => '玉',
        Kind::ProPawn => 'と',
        Kind::ProLance => '杏',
        Kind::ProKnight => '圭',
        Kind::ProSilver => '全',
        Kind::Horse => '馬',
        Kind::Dragon => '龍',
    }
}

/// The position as a diagram: White's pieces marked `v`, files in figures, ranks in USI letters,
/// hands, side to move, check, and the SFEN.
pub fn diagram(position: &AnyPosition) -> String {
    let game = position.game();
    let size = game.size();
    let mut text = hand_line(position, Color::White);
    text += " ";
    for file in (1..=size).rev() {
        text += &format!("  {file}");
    }
    let frame = format!("+{}+\n", "-".repeat(3 * size));
    text += &format!("\n{frame}");
    for rank in 1..=size {
        text += &rank_line(position, game, rank);
    }
    text += &frame;
    text += &hand_line(position, Color::Black);
    text += &format!("{} to move, move {}", position.turn(), position.ply());
    if position.is_mated() {
        text += if position.in_check() { ", mated" } else { ", no legal move" };
    } else if position.in_check() {
        text += ", in check";
    }
    text + &format!("\nsfen {}", position.sfen())
}

/// The legal moves in USI notation, one per line and in alphabetical order, and their number last.
pub fn move_list(position: &AnyPosition) -> String {
    let moves = position.legal_moves();
    let mut lines: Vec<String> = moves.iter().map(|m| m.usi(position.game())).collect();
    lines.sort_unstable();
    lines.push(moves.len().to_string());
    lines.join("\n")
}

fn rank_line(position: &AnyPosition, game: Game, rank: usize) -> String {
    let mut line = String::from("|");
    for file in (1..=game.size()).rev() {
        let piece = Square::at(game, file, rank).map_or(Piece::NONE, |sq| position.piece_at(sq));
        line += &match (piece.color(), piece.kind()) {
            (Some(Color::Black), Some(kind)) => format!(" {}", kanji(kind)),
            (Some(Color::White), Some(kind)) => format!("v{}", kanji(kind)),
            // As wide as a kanji, so that the board stays square.
            _ => " ・".to_owned(),
        };
    }
    let letter = (b'a' + rank as u8 - 1) as char;
    line + &format!("|{letter}\n")
}

fn hand_line(position: &AnyPosition, color: Color) -> String {
    let hand: Hand = position.hand(color);
    let mut line = format!("{color} in hand:");
    for kind in Kind::SFEN_HAND_ORDER {
        match hand.count(kind) {
            0 => {}
            1 => line += &format!(" {}", kanji(kind)),
            n => line += &format!(" {}{n}", kanji(kind)),
        }
    }
    if hand.is_empty() {
        line += " nothing";
    }
    line + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minishogi_start() {
        let text = diagram(&AnyPosition::startpos(Game::Minishogi));
        assert_eq!(
            text,
            "White in hand: nothing\n   5  4  3  2  1\n+---------------+\n\
             |v飛v角v銀v金v玉|a\n| ・ ・ ・ ・v歩|b\n| ・ ・ ・ ・ ・|c\n\
             | 歩 ・ ・ ・ ・|d\n| 玉 金 銀 角 飛|e\n+---------------+\n\
             Black in hand: nothing\nBlack to move, move 1\nsfen rbsgk/4p/5/P4/KGSBR b - 1"
        );
    }

    #[test]
    fn hands_check_and_mate_are_shown() {
        let draw = |sfen| diagram(&AnyPosition::from_sfen(Game::Shogi, sfen).unwrap());
        let mated = draw("4k4/4G4/4P4/9/9/9/9/9/4K4 w R2b13p 1");
        assert!(mated.contains("Black in hand: 飛\n"), "{mated}");
        assert!(mated.contains("White in hand: 角2 歩13\n"), "{mated}");
        assert!(mated.contains("White to move, move 1, mated\n"), "{mated}");
        let check = draw("4k4/9/4R4/9/9/9/9/9/4K4 w - 7");
        assert!(check.contains("White to move, move 7, in check\n"), "{check}");
    }
}
