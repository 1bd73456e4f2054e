//! Positions as packed planes with the labels of their moves, and frames of them.

use super::frame;
use crate::batches::{Batch, Encoder, Given, Moves, Numbers, PositionRef, RowMut};
use crate::error::Error;
use features::{Labels, Planes, Segment};
use rules::{Color, Game, Minishogi, Move, Shogi};
use serde_json::{Value, json};

/// What stands for no label.
const NONE: u16 = u16::MAX;
/// Most visited moves of a position that are sent: no position has more legal moves.
const MOST_VISITED: u16 = 593;

/// Packed planes, and the labels of moves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlaneRequest {
    /// The name of the set of planes.
    pub planes: String,
    /// The name of the labels; those that go with the planes unless said.
    pub labels: Option<String>,
    /// How many of the moves a tree search tried are sent with their visits, the most visited
    /// ones.
    pub visits: u16,
}

impl PlaneRequest {
    /// The encoder for a game.
    pub(super) fn encoder(&self, game: Game) -> Result<PlaneRows, Error> {
        if self.visits > MOST_VISITED {
            return Err(Error::request(format!(
                "visits of {} moves: no position has more than {MOST_VISITED}",
                self.visits
            )));
        }
        let unknown = |what: &str, name: &str, known: Vec<&str>| {
            let known = known.join(", ");
            Error::request(format!("unknown {what} {name:?}: for {game} there are {known}"))
        };
        let planes =
            Planes::by_name(&self.planes).filter(|p| p.game() == game).ok_or_else(|| {
                let known = Planes::ALL.into_iter().filter(|p| p.game() == game);
                unknown("planes", &self.planes, known.map(Planes::name).collect())
            })?;
        let labels = match &self.labels {
            None => usual_labels(planes),
            Some(name) => Labels::by_name(name).filter(|l| l.game() == game).ok_or_else(|| {
                let known = Labels::ALL.into_iter().filter(|l| l.game() == game);
                unknown("labels", name, known.map(Labels::name).collect())
            })?,
        };
        Ok(PlaneRows { planes, labels, visits: usize::from(self.visits) })
    }
}

/// The labels that nets with these planes were published with.
const fn usual_labels(planes: Planes) -> Labels {
    match planes {
        Planes::Dlshogi | Planes::Aoba => Labels::Dlshogi,
        Planes::Pal => Labels::Pal,
        Planes::Minishogi => Labels::Minishogi,
    }
}

/// Rows: the label of the move, labels and visits of the moves tried, the packed planes.
pub(super) struct PlaneRows {
    planes: Planes,
    labels: Labels,
    visits: usize,
}

impl PlaneRows {
    /// Bytes of a row before its planes.
    const fn before_planes(&self) -> usize {
        2 + 4 * self.visits
    }

    /// What a reader has to know.
    pub(super) fn about(&self) -> Value {
        let (planes, labels) = (self.planes, self.labels);
        let segments: Vec<Value> = planes.segments().iter().map(segment).collect();
        json!({
            "planes": planes.name(),
            "count": planes.count(),
            "bytes": planes.bytes(),
            "side": planes.game().size(),
            "segments": segments,
            "labels": labels.name(),
            "label_count": labels.count(),
            "mirrored_labels": labels.mirrored(),
            "visits": self.visits,
        })
    }
}

fn segment(segment: &Segment) -> Value {
    match segment {
        Segment::Boards(count) => json!({ "boards": count }),
        Segment::Flags(count) => json!({ "flags": count }),
        Segment::Values(units) => json!({ "values": units }),
    }
}

impl Encoder for PlaneRows {
    fn width(&self) -> usize {
        self.before_planes() + self.planes.bytes()
    }

    fn numbers(&self) -> Numbers {
        Numbers::Bytes(Vec::new())
    }

    fn encode(&self, position: PositionRef<'_>, mirrored: bool, row: RowMut<'_>) -> bool {
        debug_assert!(!mirrored, "readers mirror planes");
        let RowMut::Bytes(row) = row else { return false };
        let (moves, planes) = row.split_at_mut(self.before_planes());
        moves.fill(0xff);
        if let Some(position) = position.get::<Shogi>() {
            self.planes.pack(position, planes);
        } else if let Some(position) = position.get::<Minishogi>() {
            self.planes.pack(position, planes);
        }
        true
    }

    fn teach(&self, turn: Color, moves: &Moves<'_>, row: RowMut<'_>) {
        let RowMut::Bytes(row) = row else { return };
        let label = |mv: Move| self.labels.label(mv, turn).to_le_bytes();
        if let Some(mv) = moves.played {
            row[..2].copy_from_slice(&label(mv));
        }
        if self.visits == 0 || moves.candidates.is_empty() {
            return;
        }
        let mut tried = moves.candidates.to_vec();
        tried.sort_by_key(|c| std::cmp::Reverse(c.visits));
        let slots = row[2..self.before_planes()].as_chunks_mut::<4>().0;
        for (slot, candidate) in slots.iter_mut().zip(&tried) {
            let ([a, b], [c, d]) = (label(candidate.mv), candidate.visits.to_le_bytes());
            *slot = [a, b, c, d];
        }
    }

    fn gather(&self, given: &Given<'_>, batch: &mut Batch) {
        let (visits, size) = (self.visits, self.planes.bytes());
        let rows = given.rows();
        let count = rows.len();
        let mut arrays = frame::Arrays::new(&mut batch.frame, given, 2 + 4 * visits + 6 + size);
        let (labels, tried) = (arrays.take(2), [arrays.take(2 * visits), arrays.take(2 * visits)]);
        let (scores, plies) = (arrays.take(2), arrays.take(2));
        let (results, turns) = (arrays.take(1), arrays.take(1));
        let planes = arrays.take(size);
        debug_assert_eq!(planes.len(), count * size);
        for (i, (row, label)) in rows.enumerate() {
            let (moves, packed) = row.bytes().split_at(self.before_planes());
            labels[2 * i..2 * i + 2].copy_from_slice(&moves[..2]);
            for (at, slot) in (visits * i..).zip(moves[2..].as_chunks::<4>().0) {
                let none = slot[..2] == NONE.to_le_bytes();
                tried[0][2 * at..2 * at + 2].copy_from_slice(&slot[..2]);
                // Nothing was tried there, so never.
                let times = if none { &[0, 0] } else { &slot[2..] };
                tried[1][2 * at..2 * at + 2].copy_from_slice(times);
            }
            frame::put_label(i, &label, scores, plies, results, turns);
            planes[size * i..size * (i + 1)].copy_from_slice(packed);
        }
    }
}
