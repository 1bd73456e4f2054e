//! The words that tell apart two pieces that could go to the same square: 左 直 右 上 寄 引 打.
//!
//! The Japan Shogi Association's rule: first the motion (上 寄 引) if it is unique; then the side,
//! where 直 is a straight advance of gold-like pieces and silvers; then side and motion. Two
//! horses or dragons are only ever 左 or 右 of each other.

use crate::reach::candidates;
use rules::{AnyPosition, Color, Kind, Move, Square};

/// From which side a piece comes, as its owner sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Side {
    Left,
    Straight,
    Right,
}

/// How a piece moves, as its owner sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Motion {
    Up,
    Sideways,
    Down,
}

/// The words beside a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Relative {
    pub(crate) side: Option<Side>,
    pub(crate) motion: Option<Motion>,
    pub(crate) drop: bool,
}

impl Relative {
    /// The words in Japanese.
    pub(crate) fn kanji(self) -> String {
        self.spell(["左", "直", "右"], ["上", "寄", "引"], "打")
    }

    /// The letters of JKF.
    pub(crate) fn letters(self) -> String {
        self.spell(["L", "C", "R"], ["U", "M", "D"], "H")
    }

    fn spell(self, sides: [&str; 3], motions: [&str; 3], drop: &str) -> String {
        let side = self.side.map_or("", |s| sides[s as usize]);
        let motion = self.motion.map_or("", |m| motions[m as usize]);
        format!("{side}{motion}{}", if self.drop { drop } else { "" })
    }

    /// Adds the meaning of one character; false if it has none.
    pub(crate) const fn read(&mut self, c: char) -> bool {
        match c {
            '左' | 'L' => self.side = Some(Side::Left),
            '直' | 'C' => self.side = Some(Side::Straight),
            '右' | 'R' => self.side = Some(Side::Right),
            '上' | '行' | '入' | 'U' => self.motion = Some(Motion::Up),
            '寄' | 'M' => self.motion = Some(Motion::Sideways),
            '引' | '下' | 'D' => self.motion = Some(Motion::Down),
            '打' | 'H' => self.drop = true,
            _ => return false,
        }
        true
    }
}

/// The direction of a move for its owner: how far to the left it comes from, how far it advances.
fn direction(pos: &AnyPosition, color: Color, from: Square, to: Square) -> (Side, Motion) {
    use std::cmp::Ordering::{Equal, Greater, Less};
    let game = pos.game();
    let mut files = from.file(game).cmp(&to.file(game));
    let mut ranks = from.rank(game).cmp(&to.rank(game));
    if color == Color::White {
        (files, ranks) = (files.reverse(), ranks.reverse());
    }
    let side = match files {
        Greater => Side::Left,
        Equal => Side::Straight,
        Less => Side::Right,
    };
    let motion = match ranks {
        Greater => Motion::Up,
        Equal => Motion::Sideways,
        Less => Motion::Down,
    };
    (side, motion)
}

/// How far to the right a square is for this colour.
fn rightness(pos: &AnyPosition, color: Color, sq: Square) -> usize {
    let file = sq.file(pos.game());
    if color == Color::Black { 10 - file } else { file }
}

/// The words a move of the side to move needs.
pub(crate) fn describe(pos: &AnyPosition, m: Move) -> Relative {
    let color = pos.turn();
    let mut words = Relative::default();
    if let Some(kind) = m.dropped() {
        words.drop = !candidates(pos, color, kind, m.to()).is_empty();
        return words;
    }
    let Some(kind) = pos.piece_at(m.from()).kind() else { return words };
    let others: Vec<Square> =
        candidates(pos, color, kind, m.to()).into_iter().filter(|&from| from != m.from()).collect();
    if others.is_empty() {
        return words;
    }
    let (side, motion) = direction(pos, color, m.from(), m.to());
    let directions: Vec<_> =
        others.iter().map(|&from| direction(pos, color, from, m.to())).collect();
    if directions.iter().all(|d| d.1 != motion) {
        words.motion = Some(motion);
    } else if matches!(kind, Kind::Horse | Kind::Dragon) {
        let mine = rightness(pos, color, m.from());
        let rightmost = others.iter().all(|&o| rightness(pos, color, o) < mine);
        words.side = Some(if rightmost { Side::Right } else { Side::Left });
    } else if side == Side::Straight && motion == Motion::Up
        || directions.iter().all(|d| d.0 != side)
    {
        words.side = Some(side);
    } else {
        words.side = Some(side);
        words.motion = Some(motion);
    }
    words
}

/// Why a described move is not one move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unresolved {
    Illegal,
    Ambiguous,
}

/// The move of a piece of this kind to `to` that the words describe.
pub(crate) fn resolve(
    pos: &AnyPosition,
    kind: Kind,
    to: Square,
    words: Relative,
    promote: bool,
) -> Result<Move, Unresolved> {
    let color = pos.turn();
    let drop = || {
        let m = Move::drop(kind, to);
        let fits = Kind::HAND.contains(&kind) && !promote && pos.is_legal(m);
        if fits { Ok(m) } else { Err(Unresolved::Illegal) }
    };
    if words.drop {
        return drop();
    }
    let mut list = candidates(pos, color, kind, to);
    narrow(pos, &mut list, kind, to, words);
    list.retain(|&from| pos.is_legal(Move::board(from, to, promote)));
    match list[..] {
        [] if words.side.is_none() && words.motion.is_none() => drop(),
        [] => Err(Unresolved::Illegal),
        [from] => Ok(Move::board(from, to, promote)),
        _ => Err(Unresolved::Ambiguous),
    }
}

/// Leaves the squares the words mean.
fn narrow(pos: &AnyPosition, list: &mut Vec<Square>, kind: Kind, to: Square, words: Relative) {
    let color = pos.turn();
    if let Some(motion) = words.motion {
        list.retain(|&from| direction(pos, color, from, to).1 == motion);
    }
    let Some(side) = words.side else { return };
    if side == Side::Straight {
        list.retain(|&from| direction(pos, color, from, to) == (side, Motion::Up));
        return;
    }
    let fitting: Vec<Square> =
        list.iter().copied().filter(|&from| direction(pos, color, from, to).0 == side).collect();
    if !fitting.is_empty() && !matches!(kind, Kind::Horse | Kind::Dragon) {
        *list = fitting;
        return;
    }
    // Horses and dragons, and writers who use 左右 for any two pieces: one is left of the other.
    let outermost = match side {
        Side::Right => list.iter().copied().max_by_key(|&sq| rightness(pos, color, sq)),
        _ => list.iter().copied().min_by_key(|&sq| rightness(pos, color, sq)),
    };
    *list = outermost.into_iter().collect();
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game;

    fn words(sfen: &str, usi: &str) -> String {
        let pos =
            AnyPosition::from_sfen_with(Game::Shogi, sfen, rules::Kings::Any).expect("a position");
        describe(&pos, pos.parse_usi(usi).expect("a legal move")).kanji()
    }

    /// The examples of the association's page on notation (figures A to E), Black's view.
    #[test]
    fn the_association_s_examples() {
        let figures: &[(&str, &[(&str, &str)])] = &[
            // A: golds on 9三 and 7二 … one comes up, one sideways.
            ("9/2G6/G8/9/9/9/9/9/9 b - 1", &[("9c8b", "上"), ("7b8b", "寄")]),
            ("9/3G5/4+P4/5S3/9/9/9/9/9 b - 1", &[("5c5b", "")]),
            ("9/9/4G4/6G2/9/9/9/9/9 b - 1", &[("5c4c", "寄"), ("3d4c", "上")]),
            // B: left and right.
            ("9/G1G6/9/9/9/9/9/9/9 b - 1", &[("9b8a", "左"), ("7b8a", "右")]),
            ("9/9/9/9/9/9/9/9/3S1S3 b - 1", &[("6i5h", "左"), ("4i5h", "右")]),
            // C: straight.
            ("9/9/9/9/9/9/9/9/1GG6 b - 1", &[("8i8h", "直"), ("7i8h", "右")]),
            // D: three golds in a row, five silvers around.
            ("9/9/9/3GGG3/9/9/9/9/9 b - 1", &[("6d5c", "左"), ("5d5c", "直"), ("4d5c", "右")]),
            (
                "9/9/9/9/9/9/1+P7/+P8/+P+P+P6 b - 1",
                &[("9i8h", "左上"), ("8i8h", "直"), ("7i8h", "右"), ("9h8h", "寄"), ("8g8h", "引")],
            ),
            (
                "9/9/9/9/9/9/S1S6/9/SS7 b - 1",
                &[("9i8h", "左上"), ("8i8h", "直"), ("9g8h", "左引"), ("7g8h", "右")],
            ),
            // E: dragons and horses.
            ("+R8/9/9/1+R7/9/9/9/9/9 b - 1", &[("9a8b", "引"), ("8d8b", "上")]),
            ("9/4+R4/7+R1/9/9/9/9/9/9 b - 1", &[("5b4c", "引"), ("2c4c", "寄")]),
            ("9/9/9/9/4+R3+R/9/9/9/9 b - 1", &[("5e3e", "左"), ("1e3e", "右")]),
            ("9/9/9/9/9/9/9/9/+R+R7 b - 1", &[("9i8h", "左"), ("8i8h", "右")]),
            ("+B+B7/9/9/9/9/9/9/9/9 b - 1", &[("9a8b", "左"), ("8a8b", "右")]),
            ("9/9/9/9/9/9/9/6+B2/8+B b - 1", &[("1i1h", ""), ("1i2h", "上"), ("3h2h", "寄")]),
            // White sees it turned round; and a drop beside a piece that could move there.
            ("9/3g1g3/9/9/9/9/9/9/9 w - 1", &[("6b5c", "右"), ("4b5c", "左")]),
            ("9/9/9/9/9/4G4/9/9/9 b G 1", &[("G*5e", "打"), ("G*1e", ""), ("5f5e", "")]),
        ];
        for (sfen, moves) in figures {
            for (usi, want) in *moves {
                assert_eq!(words(sfen, usi), *want, "{usi} in {sfen}");
            }
        }
    }

    #[test]
    fn every_legal_move_is_found_by_its_description() {
        for sfen in [
            "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
            "4k4/9/2+P+P+P4/2+P1+P4/2+P+P+P4/4+B1+B2/9/3+R1+R3/4K4 b GSNL4P 1",
            "9/9/3GGG3/3G5/4N1N2/3S1S3/3SS4/9/K7k b P 1",
        ] {
            let pos = AnyPosition::from_sfen(Game::Shogi, sfen).unwrap();
            for &m in &pos.legal_moves() {
                let kind = m.dropped().or_else(|| pos.piece_at(m.from()).kind()).unwrap();
                let found = resolve(&pos, kind, m.to(), describe(&pos, m), m.is_promotion());
                assert_eq!(found, Ok(m));
            }
        }
    }

    #[test]
    fn words_that_fit_nothing_or_too_much() {
        let pos = AnyPosition::startpos(Game::Shogi);
        let at = |s: &str| Square::from_usi(Game::Shogi, s).unwrap();
        let none = Relative::default();
        assert_eq!(resolve(&pos, Kind::Gold, at("5h"), none, false), Err(Unresolved::Ambiguous));
        assert_eq!(resolve(&pos, Kind::Pawn, at("5e"), none, false), Err(Unresolved::Illegal));
        let drop = Relative { drop: true, ..none };
        assert_eq!(resolve(&pos, Kind::King, at("5e"), drop, false), Err(Unresolved::Illegal));
    }
}
