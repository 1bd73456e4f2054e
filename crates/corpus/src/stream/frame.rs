//! The layout of what is written: a text about the stream, then frames. docs/formats/stream.md.

use super::Stream;
use super::features::{NONE, Row};
use crate::batches::{Given, Label, Units};
use serde_json::{Value, json};

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

/// What a stream begins with: magic, version, length of the text, the text. `own` is what this
/// kind of stream says besides what all say.
pub(super) fn preamble(request: &Stream, units: &Units, own: Value) -> Vec<u8> {
    let mut text = json!({
        "game": units.game().to_string(),
        "batch": request.batch,
        "pool": request.pool,
        "seed": request.seed,
        "mirror": request.selection.mirror,
        "first_epoch": request.first_epoch,
        "epochs": request.epochs,
        "positions": units.positions() * u64::from(request.selection.beside.max(1)),
        "training_scale": play::TRAINING_SCALE,
        "pawn": play::PAWN,
    });
    if let (Value::Object(text), Value::Object(own)) = (&mut text, own) {
        text.extend(own);
    }
    let text = text.to_string();
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

/// The arrays of a frame, taken one after another.
pub(super) struct Arrays<'a> {
    rest: &'a mut [u8],
    count: usize,
}

impl<'a> Arrays<'a> {
    /// A frame of so many bytes a position, its head written.
    pub(super) fn new(bytes: &'a mut Vec<u8>, given: &Given<'_>, each: usize) -> Self {
        Self::begun(bytes, (given.epoch, given.ends_epoch), given.rows().len(), each)
    }

    fn begun(
        bytes: &'a mut Vec<u8>,
        (epoch, ends_epoch): (u32, bool),
        count: usize,
        each: usize,
    ) -> Self {
        let flags = if ends_epoch { EPOCH_ENDS } else { 0 };
        bytes.resize(HEAD + count * each, 0);
        let (first, rest) = bytes.split_at_mut(HEAD);
        first.copy_from_slice(&head(count as u32, epoch, flags));
        Self { rest, count }
    }

    /// The next array, of so many bytes a position.
    pub(super) fn take(&mut self, each: usize) -> &'a mut [u8] {
        let (array, after) = std::mem::take(&mut self.rest).split_at_mut(each * self.count);
        self.rest = after;
        array
    }
}

/// Writes what is known about a position into the arrays for it.
pub(super) fn put_label(
    i: usize,
    label: &Label,
    scores: &mut [u8],
    plies: &mut [u8],
    results: &mut [u8],
    turns: &mut [u8],
) {
    scores[2 * i..2 * i + 2].copy_from_slice(&label.score.to_le_bytes());
    plies[2 * i..2 * i + 2].copy_from_slice(&label.ply.to_le_bytes());
    results[i] = label.result.unwrap_or(UNKNOWN) as u8;
    turns[i] = label.turn.index() as u8;
}

/// Bytes of a position in a frame.
pub(super) const fn bytes_of_position(slots: usize) -> usize {
    // Two bases, two lists of features, score, move number, result, side, two counts.
    8 + 4 * slots + 2 + 2 + 4
}

/// A batch: arrays of one kind after another, wider numbers first, so that each is aligned when
/// the first is.
pub(super) fn fill(
    bytes: &mut Vec<u8>,
    slots: usize,
    (epoch, ends_epoch): (u32, bool),
    rows: &mut dyn ExactSizeIterator<Item = (&[u16], Label)>,
) {
    let count = rows.len();
    let mut arrays = Arrays::begun(bytes, (epoch, ends_epoch), count, bytes_of_position(slots));
    let mut array = |each: usize| arrays.take(each);
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
        put_label(i, &label, scores, plies, results, turns);
    }
}

const _: () = assert!(NONE as i16 == -1, "readers see signed numbers");
