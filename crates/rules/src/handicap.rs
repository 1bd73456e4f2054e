//! Start positions by name.

use crate::Game;
use std::fmt;
use std::str::FromStr;

/// A start position of shogi. White gives the handicap and moves first.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum Handicap {
    /// 平手
    #[default]
    Even,
    /// 香落ち: the giver's left lance (1a)
    Lance,
    /// 右香落ち: the giver's right lance (9a)
    RightLance,
    /// 角落ち
    Bishop,
    /// 飛車落ち
    Rook,
    /// 飛香落ち
    RookLance,
    /// 二枚落ち
    Two,
    /// 三枚落ち
    Three,
    /// 四枚落ち
    Four,
    /// 五枚落ち: as four, and the right knight (8a)
    Five,
    /// 左五枚落ち: as four, and the left knight (2a)
    LeftFive,
    /// 六枚落ち
    Six,
    /// 左七枚落ち: as six, and the left silver (3a)
    LeftSeven,
    /// 右七枚落ち: as six, and the right silver (7a)
    RightSeven,
    /// 八枚落ち
    Eight,
    /// 十枚落ち
    Ten,
}

/// Name, kanji name, White's first two ranks.
const TABLE: [(Handicap, &str, &str, &str); 16] = [
    (Handicap::Even, "even", "平手", "lnsgkgsnl/1r5b1"),
    (Handicap::Lance, "lance", "香落ち", "lnsgkgsn1/1r5b1"),
    (Handicap::RightLance, "right-lance", "右香落ち", "1nsgkgsnl/1r5b1"),
    (Handicap::Bishop, "bishop", "角落ち", "lnsgkgsnl/1r7"),
    (Handicap::Rook, "rook", "飛車落ち", "lnsgkgsnl/7b1"),
    (Handicap::RookLance, "rook-lance", "飛香落ち", "lnsgkgsn1/7b1"),
    (Handicap::Two, "2", "二枚落ち", "lnsgkgsnl/9"),
    (Handicap::Three, "3", "三枚落ち", "lnsgkgsn1/9"),
    (Handicap::Four, "4", "四枚落ち", "1nsgkgsn1/9"),
    (Handicap::Five, "5", "五枚落ち", "2sgkgsn1/9"),
    (Handicap::LeftFive, "left-5", "左五枚落ち", "1nsgkgs2/9"),
    (Handicap::Six, "6", "六枚落ち", "2sgkgs2/9"),
    (Handicap::LeftSeven, "left-7", "左七枚落ち", "2sgkg3/9"),
    (Handicap::RightSeven, "right-7", "右七枚落ち", "3gkgs2/9"),
    (Handicap::Eight, "8", "八枚落ち", "3gkg3/9"),
    (Handicap::Ten, "10", "十枚落ち", "4k4/9"),
];

impl Handicap {
    /// All start positions, from even to ten pieces.
    pub const ALL: [Self; 16] = {
        let mut all = [Self::Even; 16];
        let mut i = 0;
        while i < 16 {
            all[i] = TABLE[i].0;
            i += 1;
        }
        all
    };

    const fn row(self) -> &'static (Self, &'static str, &'static str, &'static str) {
        &TABLE[self as usize]
    }

    /// The name on our command line.
    pub const fn name(self) -> &'static str {
        self.row().1
    }

    /// The name in Japanese game records (手合割).
    pub const fn kanji(self) -> &'static str {
        self.row().2
    }

    /// The position.
    pub fn sfen(self) -> String {
        let turn = if self == Self::Even { 'b' } else { 'w' };
        format!("{}/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL {turn} - 1", self.row().3)
    }

    /// The handicap whose start position this SFEN is, whatever its move number.
    pub fn from_sfen(sfen: &str) -> Option<Self> {
        let head = |s: &str| s.split_whitespace().take(3).map(str::to_owned).collect::<Vec<_>>();
        let wanted = head(sfen);
        Self::ALL.into_iter().find(|h| head(&h.sfen()) == wanted)
    }

    /// The handicap with this Japanese name.
    pub fn from_kanji(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|h| h.kanji() == name)
    }
}

impl fmt::Display for Handicap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name of no start position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownHandicap(pub String);

impl fmt::Display for UnknownHandicap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Handicap::ALL.map(Handicap::name).join(", ");
        write!(f, "unknown start position {:?}: expected one of {names}", self.0)
    }
}

impl std::error::Error for UnknownHandicap {}

impl FromStr for Handicap {
    type Err = UnknownHandicap;

    fn from_str(s: &str) -> Result<Self, UnknownHandicap> {
        let wanted = s.trim().to_ascii_lowercase().replace([' ', '_'], "-");
        Self::ALL
            .into_iter()
            .find(|h| h.name() == wanted || h.kanji() == s.trim())
            .ok_or_else(|| UnknownHandicap(s.to_owned()))
    }
}

/// The SFEN of a named start position: a handicap of shogi, or `even` of either game.
pub fn start_sfen(game: Game, name: &str) -> Result<String, UnknownHandicap> {
    use crate::Variant;
    match (game, name.parse::<Handicap>()?) {
        (Game::Shogi, h) => Ok(h.sfen()),
        (Game::Minishogi, Handicap::Even) => Ok(crate::Minishogi::START.to_owned()),
        (Game::Minishogi, _) => Err(UnknownHandicap(format!("{name} (minishogi has only even)"))),
    }
}
