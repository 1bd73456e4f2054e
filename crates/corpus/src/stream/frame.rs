//! The layout of what is written: a text about the stream, then frames. docs/formats/stream.md.

use super::features::{Layout, NONE, Row};
use crate::batches::Label;
use rules::Game;
use serde_json::json;

/// First bytes of a stream.
pub(super) const MAGIC: [u8; 8] = *b"NueStrm\n";
/// Version of the layout.
pub(super) const VERSION: u32 = 1;
/// First bytes of a frame.
const FRAME: [u8; 4] = *b"NBat";
/// Bytes of a frame before its arrays.
pub(super) const HEAD: usize = 16;
/// Flag of the last frame of an epoch.
const EPOCH_ENDS: u32 = 1;
/// Flag of the frame without positions that ends a stream.
const STREAM_ENDS: u32 = 2;

/// The result of a game of which nobody knows who won.
const UNKNOWN: i8 = 2;

/// What ends a stream: a reader that does not find it knows that something went wrong.
pub(super) const END: [u8; HEAD] = head(0, 0, STREAM_ENDS);

const fn head(count: u32, epoch: u32, flags: u32) -> [u8; HEAD] {
    let mut bytes = [0; HEAD];
    let parts = [FRAME, count.to_le_bytes(), epoch.to_le_bytes(), flags.to_le_bytes()];
    let mut at = 0;
    while at < HEAD {
        bytes[at] = parts[at / 4][at % 4];
        at += 1;
    }
    bytes
}

/// What a stream begins with.
pub(super) struct Preamble<'a> {
    pub(super) layout: &'a Layout,
    pub(super) features: &'a str,
    pub(super) game: Game,
    pub(super) batch: u64,
    pub(super) pool: u64,
    pub(super) first_epoch: u32,
    /// How many epochs; `None`: no end.
    pub(super) epochs: Option<u32>,
    pub(super) positions: u64,
    pub(super) seed: u64,
    pub(super) mirror: bool,
}

impl Preamble<'_> {
    /// Magic, version, length of the text, the text.
    pub(super) fn bytes(&self) -> Vec<u8> {
        let layout = self.layout;
        let text = json!({
            "features": self.features,
            "game": self.game.to_string(),
            "inputs": layout.inputs,
            "slots": layout.slots,
            "pieces": layout.pieces,
            "effect_stride": layout.stride,
            "batch": self.batch,
            "pool": self.pool,
            "seed": self.seed,
            "mirror": self.mirror,
            "mirrored_pieces": layout.mirrored,
            "mirrored_bases": layout.mirrored_bases,
            "first_epoch": self.first_epoch,
            "epochs": self.epochs,
            "positions": self.positions,
            "usual_scale": play::USUAL_SCALE,
            "pawn": play::PAWN,
        })
        .to_string();
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
        bytes
    }
}

/// Bytes of a position in a frame.
pub(super) const fn bytes_of_position(slots: usize) -> usize {
    // Two bases, two lists of features, score, move number, result, side, two counts.
    8 + 4 * slots + 2 + 2 + 4
}

/// A batch: arrays of one kind after another, wider numbers first, so that each is aligned when
/// the first is.
pub(super) fn fill<'r>(
    bytes: &mut Vec<u8>,
    slots: usize,
    (epoch, ends_epoch): (u32, bool),
    rows: impl ExactSizeIterator<Item = (&'r [u16], Label)>,
) {
    let count = rows.len();
    let flags = if ends_epoch { EPOCH_ENDS } else { 0 };
    bytes.resize(HEAD + count * bytes_of_position(slots), 0);
    let (first, mut rest) = bytes.split_at_mut(HEAD);
    first.copy_from_slice(&head(count as u32, epoch, flags));
    let mut array = |each: usize| {
        let (array, after) = std::mem::take(&mut rest).split_at_mut(each * count);
        rest = after;
        array
    };
    let bases = [array(4), array(4)];
    let sides = [array(2 * slots), array(2 * slots)];
    let (scores, plies) = (array(2), array(2));
    let (results, turns) = (array(1), array(1));
    let counts = [array(1), array(1)];
    for (i, (row, label)) in rows.enumerate() {
        let row = Row::of(row);
        for side in 0..2 {
            bases[side][4 * i..4 * i + 4].copy_from_slice(&row.bases[side].to_le_bytes());
            let to = &mut sides[side][2 * slots * i..2 * slots * (i + 1)];
            for (to, number) in to.as_chunks_mut::<2>().0.iter_mut().zip(row.sides[side]) {
                *to = number.to_le_bytes();
            }
            counts[side][i] = row.counts[side];
        }
        scores[2 * i..2 * i + 2].copy_from_slice(&label.score.to_le_bytes());
        plies[2 * i..2 * i + 2].copy_from_slice(&label.ply.to_le_bytes());
        results[i] = label.result.unwrap_or(UNKNOWN) as u8;
        turns[i] = label.turn.index() as u8;
    }
}

const _: () = assert!(NONE as i16 == -1, "readers see signed numbers");
