//! What a style is worth: how many hundredths of a pawn a move gains because our engine likes it.
//!
//! A style never plays a bad move: it only tips the scales among moves that are about as good.

use crate::setup::Style;
use rules::{AnyPosition, Color, Kind, Move, Square};
use think::Score;

/// A square as its owner sees it: files and ranks from 1, rank 9 is one's own.
fn seen(position: &AnyPosition, square: Square) -> (i32, i32) {
    let game = position.game();
    let square = match position.turn() {
        Color::Black => square,
        Color::White => square.rotated(game),
    };
    (square.file(game) as i32, square.rank(game) as i32)
}

/// What a style adds to a move of the side to move.
pub fn liking(style: Style, position: &AnyPosition, m: Move) -> i32 {
    let size = position.game().size() as i32;
    let (file, rank) = seen(position, m.to());
    if m.is_drop() {
        return match style {
            Style::Attack if rank <= size / 3 => 30,
            Style::Solid if rank > size / 2 => 25,
            _ => 0,
        };
    }
    let Some(kind) = position.piece_at(m.from()).kind() else { return 0 };
    let (from_file, from_rank) = seen(position, m.from());
    match style {
        Style::Any => 0,
        Style::Static => match kind {
            Kind::Rook if from_file == 2 && rank == from_rank && file >= 5 => -160,
            Kind::Pawn if file == 2 && rank >= 5 => 60,
            Kind::King if file > from_file => 20,
            Kind::King if file < from_file => -40,
            _ => 0,
        },
        Style::Ranging => match kind {
            Kind::Rook if from_file == 2 && rank == from_rank && (5..=8).contains(&file) => 160,
            // Ranged already, it stays there.
            Kind::Rook if from_file >= 5 && rank == from_rank && file < 5 => -120,
            Kind::Pawn if file == 2 && rank >= 5 => -90,
            Kind::Pawn if matches!((file, rank), (7 | 6, 6)) => 40,
            Kind::King if file < from_file => 50,
            Kind::King if file > from_file => -60,
            Kind::Bishop if position.piece_at(m.to()).kind() == Some(Kind::Bishop) => -40,
            _ => 0,
        },
        Style::Attack => {
            let taken = if position.piece_at(m.to()).is_some() { 30 } else { 0 };
            let check = if position.gives_check(m) { 40 } else { 0 };
            let forward = if kind == Kind::King { 0 } else { (from_rank - rank).clamp(-2, 2) * 12 };
            taken + check + forward
        }
        Style::Solid => {
            let king = position.king(position.turn()).map(|square| seen(position, square));
            let near = |(f, r): (i32, i32)| (f - file).abs().max((r - rank).abs());
            match kind {
                Kind::King if rank >= from_rank && file != from_file => 30,
                Kind::Gold | Kind::Silver if king.is_some_and(|king| near(king) <= 2) => 25,
                _ if rank <= size / 2 => -15,
                _ => 0,
            }
        }
    }
}

/// Lines with the scores a style sees, the best first. Mates are mates for everybody.
pub fn weighed(
    style: Style,
    position: &AnyPosition,
    lines: &[(Move, Score)],
) -> Vec<(Move, Score)> {
    let liked = |&(m, score): &(Move, Score)| match score {
        Score::Cp(cp) => (m, Score::Cp(cp + liking(style, position, m))),
        mate => (m, mate),
    };
    let mut weighed: Vec<(Move, Score)> = lines.iter().map(liked).collect();
    weighed.sort_by_key(|(_, score)| std::cmp::Reverse(crate::score::cp(*score)));
    weighed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(style: Style, sfen: Option<&str>, usi: &str) -> i32 {
        let game = rules::Game::Shogi;
        let position = match sfen {
            Some(sfen) => AnyPosition::from_sfen(game, sfen).unwrap(),
            None => AnyPosition::startpos(game),
        };
        liking(style, &position, position.parse_usi(usi).unwrap())
    }

    #[test]
    fn rooks_stay_or_range_for_both_sides() {
        let white = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2";
        for (sfen, ranges) in [(None, "2h6h"), (Some(white), "8b4b")] {
            assert!(at(Style::Ranging, sfen, ranges) > 100);
            assert!(at(Style::Static, sfen, ranges) < -100);
            assert_eq!(at(Style::Any, sfen, ranges), 0);
        }
        assert!(at(Style::Static, None, "2g2f") > 0 && at(Style::Ranging, None, "2g2f") < 0);
    }

    #[test]
    fn attackers_check_and_the_solid_look_after_their_king() {
        let sfen = "4k4/9/9/9/4r4/9/9/9/4KG3 b R 1";
        assert!(at(Style::Attack, Some("4k4/9/9/9/9/9/9/3R5/4K4 b - 1"), "6h6a+") > 40);
        assert!(at(Style::Solid, Some(sfen), "4i5h") > 0);
    }

    #[test]
    fn a_mate_is_not_given_up_for_a_taste() {
        let position = AnyPosition::startpos(rules::Game::Shogi);
        let m = |text: &str| position.parse_usi(text).unwrap();
        let lines = [(m("7g7f"), Score::Mate(Some(3))), (m("2h6h"), Score::Cp(2000))];
        assert_eq!(weighed(Style::Ranging, &position, &lines)[0].0, m("7g7f"));
        let lines = [(m("2g2f"), Score::Cp(40)), (m("2h6h"), Score::Cp(-20))];
        assert_eq!(weighed(Style::Ranging, &position, &lines)[0].0, m("2h6h"));
        assert_eq!(weighed(Style::Any, &position, &lines)[0].0, m("2g2f"));
    }
}
