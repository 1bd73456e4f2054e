//! The nets the native back-end does: plain residual towers.

use crate::backend::Shape;
use features::{Planes, Segment};
use simd::Grid;
use std::fmt;
use thiserror::Error;

/// The sizes of a net.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Architecture {
    pub shape: Shape,
    /// Residual blocks of two 3×3 convolutions.
    pub blocks: usize,
    pub channels: usize,
    /// Channels of the value head's 1×1 convolution.
    pub value_channels: usize,
    /// Outputs of the value head's first dense layer.
    pub value_hidden: usize,
}

/// A net that the native back-end does not do.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ArchitectureError {
    #[error("planes {planes} are for {}, labels {labels} for {}", .games[0], .games[1])]
    Games { planes: &'static str, labels: &'static str, games: [rules::Game; 2] },
    #[error(
        "planes {0} hold more than bits; the native back-end reads dlshogi and minishogi planes"
    )]
    Planes(&'static str),
    #[error(
        "{count} labels are no whole number for each of {squares} squares; the native back-end \
         needs labels dlshogi or minishogi"
    )]
    Labels { count: usize, squares: usize },
    #[error("{what} {found}: the native back-end takes {range}")]
    Size { what: &'static str, found: usize, range: &'static str },
}

impl Architecture {
    /// Whether the native back-end does it.
    pub fn check(&self) -> Result<(), ArchitectureError> {
        let Shape { game, planes, labels } = self.shape;
        if planes.game() != game || labels.game() != game {
            return Err(ArchitectureError::Games {
                planes: planes.name(),
                labels: labels.name(),
                games: [planes.game(), labels.game()],
            });
        }
        if planes.segments().iter().any(|s| matches!(s, Segment::Values(_))) {
            return Err(ArchitectureError::Planes(planes.name()));
        }
        let (count, squares) = (labels.count(), game.squares());
        if !count.is_multiple_of(squares) {
            return Err(ArchitectureError::Labels { count, squares });
        }
        let sizes = [
            ("blocks", self.blocks, 1..=40, 1, "1 to 40"),
            ("channels", self.channels, 32..=512, 32, "multiples of 32 up to 512"),
            ("value channels", self.value_channels, 1..=64, 1, "1 to 64"),
            ("value hidden", self.value_hidden, 1..=512, 1, "1 to 512"),
        ];
        for (what, found, range, step, words) in sizes {
            if !range.contains(&found) || !found.is_multiple_of(step) {
                return Err(ArchitectureError::Size { what, found, range: words });
            }
        }
        Ok(())
    }

    /// The board in memory.
    pub(super) fn grid(&self) -> Grid {
        Grid::new(self.shape.game.size()).expect("there are kernels for both games")
    }

    /// Planes of the policy head.
    pub fn policy_planes(&self) -> usize {
        self.shape.labels.count() / self.shape.game.squares()
    }

    /// Numbers in a net.
    pub fn parameters(&self) -> usize {
        let (c, v, squares) = (self.channels, self.value_channels, self.shape.game.squares());
        let stem = (9 * self.shape.planes.count() + 1) * c;
        let tower = self.blocks * 2 * (9 * c + 1) * c;
        let policy = self.policy_planes() * c + self.shape.labels.count();
        let value = (c + 1) * v + (v * squares + 1) * self.value_hidden + self.value_hidden + 1;
        stem + tower + policy + value
    }

    /// What there is to say about it, for people: what, and how much of it.
    pub fn rows(&self) -> Vec<(&'static str, String)> {
        let Shape { game, planes, labels } = self.shape;
        vec![
            ("architecture", self.to_string()),
            ("game", game.to_string()),
            ("planes", format!("{} ({})", planes.name(), planes.count())),
            ("labels", format!("{} ({})", labels.name(), labels.count())),
            ("parameters", self.parameters().to_string()),
            ("hash", format!("{:#010x}", self.hash())),
        ]
    }

    /// Changes with anything that changes what the numbers of a file mean.
    pub fn hash(&self) -> u32 {
        crc32fast::hash(format!("{self}, integers 1").as_bytes())
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shape, blocks, channels, value_channels, value_hidden } = self;
        write!(f, "{blocks}x{channels} ({shape}; value {value_channels}, {value_hidden})")
    }
}

/// Where every plane of a set lies in a packed position: the numbers, as the net counts planes, of
/// the planes with a bit per square and of those that are 0 or 1 all over.
pub(super) fn packed_order(planes: Planes) -> (Vec<usize>, Vec<usize>) {
    let (mut boards, mut flags, mut next) = (Vec::new(), Vec::new(), 0);
    for segment in planes.segments() {
        let range = next..next + segment.count();
        next = range.end;
        match segment {
            Segment::Boards(_) => boards.extend(range),
            Segment::Flags(_) | Segment::Values(_) => flags.extend(range),
        }
    }
    (boards, flags)
}
