//! What tells one kind of net from another: feature set, shape, and the text and hashes a file
//! carries for them.

use features::{FeatureSet, HalfKp, HalfKpE9, HalfKpKrank, KP, KPHm};
use rules::{Game, Minishogi, Shogi};
use simd::Shape;
use std::fmt;

/// The feature sets nets are read and evaluated for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum FeatureKind {
    /// Own king × piece.
    HalfKp,
    /// Pieces and kings.
    KP,
    /// Pieces and kings, mirrored by the own king's half.
    KPHm,
    /// Own king × piece × attacks.
    HalfKpE9,
    /// Own king's rank × own king × piece.
    HalfKpKrank,
    /// Own king × piece of 5×5 shogi.
    MiniHalfKp,
}

impl FeatureKind {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::HalfKp, Self::KP, Self::KPHm, Self::HalfKpE9, Self::HalfKpKrank, Self::MiniHalfKp];

    /// The name in files, the hash constant, the number of inputs, the game.
    const fn facts(self) -> (&'static str, u32, usize, Game) {
        macro_rules! facts {
            ($v:ident, $f:ident) => {
                (
                    <$f as FeatureSet<$v>>::NAME,
                    <$f as FeatureSet<$v>>::HASH,
                    <$f as FeatureSet<$v>>::INPUTS,
                    Game::$v,
                )
            };
        }
        match self {
            Self::HalfKp => facts!(Shogi, HalfKp),
            Self::KP => facts!(Shogi, KP),
            Self::KPHm => facts!(Shogi, KPHm),
            Self::HalfKpE9 => facts!(Shogi, HalfKpE9),
            Self::HalfKpKrank => facts!(Shogi, HalfKpKrank),
            Self::MiniHalfKp => facts!(Minishogi, HalfKp),
        }
    }

    /// The name in files.
    pub const fn name(self) -> &'static str {
        self.facts().0
    }

    /// Number of inputs.
    pub const fn inputs(self) -> usize {
        self.facts().2
    }

    /// The game.
    pub const fn game(self) -> Game {
        self.facts().3
    }
}

/// The three numbers a file carries to tell what it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Hashes {
    /// In the header.
    pub file: u32,
    /// Before the transformer.
    pub transformer: u32,
    /// Before the layers.
    pub network: u32,
}

/// A feature set and a shape.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Architecture {
    pub features: FeatureKind,
    pub shape: Shape,
}

/// Widths tried when the text of a file does not fit its size.
const L0: [usize; 10] = [64, 128, 256, 384, 512, 768, 1024, 1280, 1536, 2048];
const H1: [usize; 6] = [8, 16, 32, 64, 128, 256];
const H2: [usize; 6] = [8, 16, 32, 64, 96, 128];

impl Architecture {
    /// The text the classic writers put into the header.
    pub fn description(self) -> String {
        let Shape { l0, h1, h2 } = self.shape;
        let (name, inputs, x) = (self.features.name(), self.features.inputs(), 2 * l0);
        format!(
            "Features={name}[{inputs}->{l0}x2],Network=AffineTransform[1<-{h2}]\
             (ClippedReLU[{h2}](AffineTransform[{h2}<-{h1}](ClippedReLU[{h1}]\
             (AffineTransform[{h1}<-{x}](InputSlice[{x}(0:{x})])))))"
        )
    }

    /// The hashes the classic writers compute.
    pub const fn hashes(self) -> Hashes {
        const fn affine(outputs: usize, below: u32) -> u32 {
            (0xCC03_DAE4_u32.wrapping_add(outputs as u32)) ^ (below >> 1) ^ (below << 31)
        }
        const fn clip(below: u32) -> u32 {
            0x538D_24C7_u32.wrapping_add(below)
        }
        let Shape { l0, h1, h2 } = self.shape;
        let slice = 0xEC42_E90D ^ (2 * l0 as u32);
        let network = affine(1, clip(affine(h2, clip(affine(h1, slice)))));
        let transformer = self.features.facts().1 ^ (2 * l0 as u32);
        Hashes { file: transformer ^ network, transformer, network }
    }

    /// Bytes of a file after the description: both section hashes and all parameters.
    pub const fn payload(self) -> u64 {
        let s = self.shape;
        let transformer = 4 + 2 * s.l0 as u64 * (1 + self.features.inputs() as u64);
        let layer1 = s.h1 * (4 + s.row1());
        let layer2 = s.h2 * (4 + s.row2());
        transformer + (4 + layer1 + layer2 + 4 + s.row3()) as u64
    }

    /// Number of parameters.
    pub const fn parameters(self) -> u64 {
        let s = self.shape;
        let transformer = s.l0 as u64 * (1 + self.features.inputs() as u64);
        transformer + (s.h1 * (1 + 2 * s.l0) + s.h2 * (1 + s.h1) + 1 + s.h2) as u64
    }

    /// What a description says, if it is the text of a net we know.
    pub fn parse(description: &str) -> Option<Self> {
        let rest = description.split("Features=").nth(1)?;
        let (name, rest) = rest.split_once('[')?;
        let (inputs, rest) = rest.split_once("->")?;
        let (l0, rest) = rest.split_once("x2]")?;
        let inputs: usize = inputs.parse().ok()?;
        let l0: usize = l0.parse().ok()?;
        let features =
            FeatureKind::ALL.into_iter().find(|f| f.name() == name && f.inputs() == inputs)?;
        // Affine layers from the output inwards: [1<-h2], [h2<-h1], [h1<-2·l0].
        let mut layers = rest.split('[').filter_map(|part| {
            let (outputs, rest) = part.split_once("<-")?;
            let (inputs, _) = rest.split_once(']')?;
            Some((outputs.parse::<usize>().ok()?, inputs.parse::<usize>().ok()?))
        });
        let (first, second, third) = (layers.next()?, layers.next()?, layers.next()?);
        let shape = Shape { l0, h1: third.0, h2: second.0 };
        let fits = first == (1, shape.h2)
            && second == (shape.h2, shape.h1)
            && third == (shape.h1, 2 * l0)
            && layers.next().is_none()
            && shape.is_supported();
        fits.then_some(Self { features, shape })
    }

    /// Every architecture of a usual shape whose files have this payload.
    pub(crate) fn of_size(payload: u64) -> Vec<Self> {
        let mut found = Vec::new();
        // Sets of our own always have their name in the text.
        for features in FeatureKind::ALL.into_iter().filter(|&kind| kind != FeatureKind::KPHm) {
            for l0 in L0 {
                let rows = 2 * l0 as u64 * features.inputs() as u64;
                if rows > payload || payload - rows > 2 << 20 {
                    continue;
                }
                let shapes = H1.into_iter().flat_map(|h1| H2.map(|h2| Shape { l0, h1, h2 }));
                let all = shapes.map(|shape| Self { features, shape });
                found.extend(all.filter(|a| a.payload() == payload));
            }
        }
        found
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.features.name().trim_end_matches("(Friend)");
        write!(f, "{name} {} ({})", self.shape.name(), self.features.game())
    }
}
