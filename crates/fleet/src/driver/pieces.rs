//! Rescoring: files cut into pieces, which come back with other scores and nothing else changed.

use super::{Counted, Driver, Part, RunProgress, dishonest};
use crate::batch::{Fault, FaultKind, Product};
use crate::task::{Input, RescoreSpec, Unit};
use arena::request::RequestError;
use corpus::rescore::{Piece, ScoredPiece, each_piece};
use corpus::{Damaged, Inputs};
use rules::Game;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread;

/// Pieces read ahead.
const AHEAD: usize = 64;

/// Bytes of the pieces of one task.
const BYTES: usize = 48 << 10;

/// The files of a spec.
pub fn inputs(spec: &RescoreSpec) -> Result<Inputs, RequestError> {
    let game: Game = spec.game.parse().map_err(|e| RequestError::Usage(format!("{e}")))?;
    if spec.inputs.is_empty() {
        return Err(RequestError::Usage("what is to be scored? name files".to_owned()));
    }
    let paths = spec.inputs.clone();
    Ok(Inputs { paths, format: None, game, damaged: Damaged::Skip, stop: None })
}

type Read = Result<Piece, String>;

pub(super) struct Rescoring {
    inputs: Inputs,
    game: Game,
    /// The piece to be handed out next, and those that come after it once somebody reads them.
    next: u64,
    reader: Option<Receiver<Read>>,
    /// One that did not fit any more.
    left: Option<Piece>,
    /// How many there are, once that is known.
    total: Option<u64>,
    more: VecDeque<Part>,
    done: u64,
    positions: u64,
}

impl Rescoring {
    pub(super) fn new(spec: &RescoreSpec) -> Result<Self, RequestError> {
        let inputs = inputs(spec)?;
        let game = inputs.game;
        // What cannot be read is said at once, not by the first task.
        each_piece(&inputs, 0, &mut |_| false).map_err(|e| RequestError::Usage(e.to_string()))?;
        Ok(Self {
            inputs,
            game,
            next: 0,
            reader: None,
            left: None,
            total: None,
            more: VecDeque::new(),
            done: 0,
            positions: 0,
        })
    }

    fn piece(&mut self) -> Result<Option<Piece>, Fault> {
        if let Some(piece) = self.left.take() {
            return Ok(Some(piece));
        }
        let (inputs, first) = (&self.inputs, self.next);
        let reader = self.reader.get_or_insert_with(|| {
            let (sender, reader) = sync_channel(AHEAD);
            let inputs = inputs.clone();
            // It ends with the files, or when nobody asks any more.
            thread::spawn(move || {
                let send = &mut |piece| sender.send(Ok(piece)).is_ok();
                if let Err(error) = each_piece(&inputs, first, send) {
                    let _ = sender.send(Err(error.to_string()));
                }
            });
            reader
        });
        match reader.recv() {
            Ok(Ok(piece)) => Ok(Some(piece)),
            Ok(Err(why)) => Err(Fault::new(FaultKind::Spec, why)),
            Err(_) => Ok(None),
        }
    }
}

impl Driver for Rescoring {
    fn next(&mut self, batches: u32) -> Result<Option<Part>, Fault> {
        if let Some(part) = self.more.pop_front() {
            return Ok(Some(part));
        }
        if self.total.is_some() {
            return Ok(None);
        }
        let (mut pieces, mut bytes, mut format) = (Vec::new(), 0, String::new());
        while pieces.len() < batches.max(1) as usize {
            let Some(piece) = self.piece()? else {
                self.total = Some(self.next + pieces.len() as u64);
                break;
            };
            if !pieces.is_empty() && bytes + piece.bytes.len() > BYTES {
                self.left = Some(piece);
                break;
            }
            bytes += piece.bytes.len();
            piece.format.name().clone_into(&mut format);
            pieces.push(piece.bytes);
        }
        if pieces.is_empty() {
            return Ok(None);
        }
        let input = Some(Input::of(&format, &pieces));
        let unit = Unit { input, ..Unit::new(self.next, pieces.len() as u64) };
        self.next += unit.count;
        let batches = u32::try_from(unit.count).unwrap_or(1);
        Ok(Some(Part { unit, batches }))
    }

    fn usual(&self) -> u32 {
        4
    }

    fn handed_out(&mut self, unit: &Unit) {
        self.next = self.next.max(unit.first + unit.count);
    }

    fn accept(
        &mut self,
        unit: &Unit,
        range: Range<u64>,
        product: &Product,
    ) -> Result<Counted, Fault> {
        let Product::Rescored { bytes, kept, problems } = product else {
            return Err(dishonest("scores were asked for"));
        };
        let place = usize::try_from(range.start - unit.first).unwrap_or(usize::MAX);
        let input = unit.input.as_ref().ok_or_else(|| dishonest("a rescoring without pieces"))?;
        let given = input.piece(place).ok_or_else(|| dishonest("there is no such piece"))?;
        let format = input.format.parse().map_err(dishonest)?;
        let piece = Piece { game: self.game, format, bytes: given.to_vec() };
        let scored =
            ScoredPiece { bytes: bytes.0.clone(), kept: *kept, problems: problems.clone() };
        let positions = piece.check(&scored);
        let positions =
            positions.map_err(|why| dishonest(format!("piece {}: {why}", range.start)))?;
        self.done += 1;
        self.positions += positions;
        Ok(Counted { games: 1, positions, ..Counted::default() })
    }

    fn verdict(&self) -> Option<String> {
        let all = self.total.is_some_and(|total| self.done >= total);
        all.then(|| "all pieces are scored".to_owned())
    }

    fn progress(&self) -> RunProgress {
        let (done, total, positions) = (self.done, self.total, self.positions);
        RunProgress { done, total, positions, ..RunProgress::default() }
    }
}
