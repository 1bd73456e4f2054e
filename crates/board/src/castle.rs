//! Castles (囲い) by where king, golds and silvers stand. Patterns are seen from the side whose castle it is.

use crate::level::Label;
use rules::{AnyPosition, Color, Game, Kind, Square};

/// A castle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Castle {
    /// A word that names it in data.
    pub id: &'static str,
    pub name: Label,
    /// Pieces that must stand there, as letter, file and rank: `K88 G78`.
    pieces: &'static str,
}

const fn castle(
    id: &'static str,
    en: &'static str,
    ja: &'static str,
    pieces: &'static str,
) -> Castle {
    Castle { id, name: Label { en, ja }, pieces }
}

/// Every castle that is known; of several that fit, the first counts, so those that ask for more come first.
pub const CASTLES: [Castle; 40] = [
    castle("anaguma", "Static rook Anaguma", "居飛車穴熊", "K99 L98 S88"),
    castle("anaguma", "Static rook Anaguma", "居飛車穴熊", "K99 L98 G88"),
    castle("ranging-anaguma", "Ranging rook Anaguma", "振り飛車穴熊", "K19 L18 S28"),
    castle("ranging-anaguma", "Ranging rook Anaguma", "振り飛車穴熊", "K19 L18 G28"),
    castle("silver-crown", "Silver crown", "銀冠", "K28 S27 G38"),
    castle("left-silver-crown", "Left silver crown", "左銀冠", "K88 S87 G78"),
    castle("diamond-mino", "Diamond Mino", "ダイヤモンド美濃", "K28 S38 G49 G58 S47"),
    castle("high-mino", "High Mino", "高美濃囲い", "K28 S38 G49 G47"),
    castle("mino", "Mino", "美濃囲い", "K28 S38 G49 G58"),
    castle("half-mino", "Half Mino", "片美濃囲い", "K28 S38 G49"),
    castle("kimura-mino", "Kimura Mino", "木村美濃", "K28 G38 S47"),
    castle("tower-mino", "Castle tower Mino", "天守閣美濃", "K87 S78 G69"),
    castle("left-mino", "Left Mino", "左美濃", "K88 S78 G69"),
    castle("left-mino", "Left Mino", "左美濃", "K88 S78 G58"),
    castle("full-yagura", "Complete Yagura", "総矢倉", "K88 G78 G67 S77 S57"),
    castle("yagura", "Yagura", "矢倉囲い", "K88 G78 G67 S77"),
    castle("silver-yagura", "Silver Yagura", "銀矢倉", "K88 G78 S67 S77"),
    castle("half-yagura", "Half Yagura", "片矢倉", "K78 G68 G67 S77"),
    castle("yagura", "Yagura", "矢倉囲い", "K79 G78 G67 S77"),
    castle("yagura", "Yagura", "矢倉囲い", "K69 G78 G67 S77"),
    castle("right-yagura", "Right-hand Yagura", "右矢倉", "K28 G38 G47 S37"),
    castle("gangi", "Snow roof", "雁木囲い", "K69 G78 S67 S57"),
    castle("gangi", "Snow roof", "雁木囲い", "K69 G78 S67 S47"),
    castle("gangi", "Snow roof", "雁木囲い", "K69 G78 S67 G58"),
    castle("gangi", "Snow roof", "雁木囲い", "K59 G78 S67 S57"),
    castle("gangi", "Snow roof", "雁木囲い", "K68 G78 S67 S57"),
    castle("millennium", "Millennium", "ミレニアム囲い", "K89 S88 G79"),
    castle("elmo", "Elmo", "エルモ囲い", "K78 S68 G79"),
    castle("boxed-maiden", "Maiden in a box", "箱入り娘", "K78 G69 G68 S79"),
    castle("boat", "Boat", "舟囲い", "K78 G69 G58"),
    castle("two-golds", "Two golds", "金無双", "K38 G48 G58"),
    castle("crab", "Crab", "カニ囲い", "K69 G78 G58 S68"),
    castle("nakahara", "Nakahara", "中原囲い", "K69 G78 G59"),
    castle("nakahara", "Nakahara", "中原囲い", "K59 G78 G48"),
    castle("central-king", "Central king", "中住まい", "K58 G78 G38"),
    castle("central-king", "Central king", "中住まい", "K58 G78 S38"),
    castle("central-king", "Central king", "中住まい", "K58 G78 S48"),
    castle("right-king", "Right king", "右玉", "K38 G48 R29"),
    castle("right-king", "Right king", "右玉", "K48 G58 R29"),
    castle("right-king", "Right king", "右玉", "K38 G58 R29"),
];

/// Which piece a part of a pattern asks for, and where.
fn wanted(part: &str) -> Option<(Kind, usize, usize)> {
    let mut letters = part.chars();
    let kind = Kind::from_letter(letters.next()?)?;
    let mut digit = || letters.next().and_then(|c| c.to_digit(10)).map(|n| n as usize);
    Some((kind, digit()?, digit()?))
}

impl Castle {
    /// Whether it stands.
    fn fits(&self, position: &AnyPosition, color: Color) -> bool {
        let game = position.game();
        self.pieces.split(' ').filter_map(wanted).all(|(kind, file, rank)| {
            let Some(square) = Square::at(game, file, rank) else { return false };
            let square = if color == Color::Black { square } else { square.rotated(game) };
            let piece = position.piece_at(square);
            piece.is_of(color) && piece.kind() == Some(kind)
        })
    }
}

/// The castle of a side, if it has one that has a name.
pub fn of(position: &AnyPosition, color: Color) -> Option<&'static Castle> {
    if position.game() != Game::Shogi {
        return None;
    }
    CASTLES.iter().find(|castle| castle.fits(position, color))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(sfen: &str) -> [Option<&'static str>; 2] {
        let position = AnyPosition::from_sfen(Game::Shogi, sfen).unwrap();
        [Color::Black, Color::White].map(|color| of(&position, color).map(|c| c.name.ja))
    }

    #[test]
    fn patterns_can_be_read() {
        for castle in CASTLES {
            let parts: Vec<_> = castle.pieces.split(' ').collect();
            assert!(
                parts.len() >= 3 && parts.iter().all(|part| wanted(part).is_some()),
                "{castle:?}"
            );
            assert!(castle.pieces.starts_with('K'));
        }
    }

    #[test]
    fn no_castle_is_hidden_by_one_that_asks_for_less() {
        for (number, later) in CASTLES.iter().enumerate() {
            let parts: Vec<_> = later.pieces.split(' ').collect();
            for earlier in &CASTLES[..number] {
                let hides = earlier.pieces.split(' ').all(|part| parts.contains(&part));
                assert!(!hides, "{} hides {}", earlier.pieces, later.pieces);
            }
        }
    }

    #[test]
    fn castles_of_both_sides() {
        let table = [
            ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", [None, None]),
            ("9/1kg6/2sgp4/9/9/9/2SGP4/1KG6/9 b - 1", [Some("矢倉囲い"), Some("右矢倉")]),
            ("9/6gk1/4pgs2/9/9/9/2SGP4/1KG6/9 b - 1", [Some("矢倉囲い"), Some("矢倉囲い")]),
            ("9/4g2k1/9/9/9/9/9/4G1SK1/5G3 b - 1", [Some("美濃囲い"), None]),
            ("lk7/9/9/9/9/9/9/7S1/7LK b - 1", [None, None]),
            ("kl7/1s7/9/9/9/9/9/7SL/8K b - 1", [Some("振り飛車穴熊"), None]),
            ("8k/7sl/9/9/9/9/9/LS7/K8 b - 1", [Some("居飛車穴熊"), Some("居飛車穴熊")]),
            ("k8/ls7/9/9/9/9/9/7SL/8K b - 1", [Some("振り飛車穴熊"), Some("振り飛車穴熊")]),
            ("9/9/9/9/9/9/9/2K1G4/3G5 b - 1", [Some("舟囲い"), None]),
            ("3g5/1ks1g4/9/9/9/9/9/1KS6/3G5 b - 1", [Some("左美濃"), Some("美濃囲い")]),
            ("9/9/9/9/9/9/3SS4/2G6/3K5 b - 1", [Some("雁木囲い"), None]),
            ("9/9/9/9/9/9/9/4GGKS1/9 b - 1", [Some("金無双"), None]),
            ("9/9/9/9/9/9/9/2G1K1G2/9 b - 1", [Some("中住まい"), None]),
            ("5g3/2g1k1g2/9/9/9/9/9/9/9 b - 1", [None, Some("中住まい")]),
        ];
        for (sfen, want) in table {
            let kings = rules::Kings::Any;
            let position = AnyPosition::from_sfen_with(Game::Shogi, sfen, kings).unwrap();
            let found = [Color::Black, Color::White].map(|c| of(&position, c).map(|c| c.name.ja));
            assert_eq!(found, want, "{sfen}");
        }
        assert_eq!(named("4k4/9/9/9/9/9/9/9/4K4 b - 1"), [None, None]);
    }
}
