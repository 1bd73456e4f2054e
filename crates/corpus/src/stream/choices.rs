//! Positions after every move of some positions, so that a trainer can say how often its net would
//! play what was played.

use super::frame;
use crate::batches::{Encoder, Label, PositionRef, RowMut, Units};
use crate::choices::each_choice;
use crate::error::Error;
use rules::Variant;
use std::io::{self, Write};

/// Moves of any position, at most; a frame holds whole positions.
pub(super) const MOST_MOVES: usize = 593;

/// Frames of positions after moves: as score which of the moves it was, counted from 0, as result
/// whether it was played.
pub(super) fn send<V: Variant>(
    (encoder, slots): (&dyn Encoder, usize),
    units: &Units,
    count: usize,
    batch: usize,
    output: &mut dyn Write,
) -> Result<(), Error> {
    let width = encoder.width();
    let mut rows = Rows { words: Vec::new(), labels: Vec::new(), width };
    let mut frame = Vec::new();
    let mut written = Ok(());
    each_choice::<V>(units, count, |position, moves, played| {
        if rows.labels.len() + moves.len() > batch {
            written = std::mem::replace(&mut written, Ok(()))
                .and_then(|()| rows.flush(slots, false, &mut frame, output));
        }
        for (index, &mv) in moves.iter().enumerate() {
            let at = rows.words.len();
            rows.words.resize(at + width, 0);
            position.play(mv);
            let row = RowMut::Shorts(&mut rows.words[at..]);
            encoder.encode(PositionRef::of(position), false, row);
            position.undo();
            let result = Some(if index == played { 1 } else { -1 });
            rows.labels.push(Label::new(index as i16, result));
        }
        true
    })?;
    written?;
    Ok(rows.flush(slots, true, &mut frame, output)?)
}

/// Rows that wait for their frame.
struct Rows {
    words: Vec<u16>,
    labels: Vec<Label>,
    width: usize,
}

impl Rows {
    fn flush(
        &mut self,
        slots: usize,
        last: bool,
        bytes: &mut Vec<u8>,
        output: &mut dyn Write,
    ) -> io::Result<()> {
        let mut rows = self.words.chunks_exact(self.width).zip(self.labels.iter().copied());
        frame::fill(bytes, slots, (0, last), &mut rows);
        output.write_all(bytes)?;
        self.words.clear();
        self.labels.clear();
        Ok(())
    }
}
