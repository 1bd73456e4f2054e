//! Positions on their way to a net and back.

use crate::backend::{Fault, Shape, Ticket};

/// The end a net expects, for the side to move: probabilities, each 0..=1 and their sum at most 1.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Value {
    pub win: f32,
    /// 0 for nets without a head for draws.
    pub draw: f32,
}

impl Value {
    /// Room for the rounding of 16-bit floats in the sum.
    const ROUNDING: f32 = 1e-3;

    fn is_sound(self) -> bool {
        let within = |p: f32| (0.0..=1.0).contains(&p);
        within(self.win) && within(self.draw) && self.win + self.draw <= 1.0 + Self::ROUNDING
    }
}

/// Positions to evaluate and, once evaluated, the answers. Buffers are owned, travel through the
/// back-end and come back to be reused.
#[derive(Clone, PartialEq, Debug)]
pub struct Batch {
    shape: Shape,
    capacity: usize,
    keys: Vec<u64>,
    planes: Vec<u8>,
    labels: Vec<u16>,
    /// Where the labels of each position end.
    ends: Vec<u32>,
    /// Beside `labels`.
    policy: Vec<f32>,
    values: Vec<Value>,
}

/// What stands where nobody has answered yet: no back-end can hand it out by mistake.
const UNANSWERED: Value = Value { win: f32::NAN, draw: f32::NAN };

/// Legal moves of a position, roughly: buffers grow beyond it where they must.
const USUAL_MOVES: usize = 100;

impl Batch {
    pub fn new(shape: Shape, capacity: usize) -> Self {
        Self {
            shape,
            capacity,
            keys: Vec::with_capacity(capacity),
            planes: Vec::with_capacity(capacity * shape.planes.bytes()),
            labels: Vec::with_capacity(capacity * USUAL_MOVES),
            ends: Vec::with_capacity(capacity),
            policy: Vec::with_capacity(capacity * USUAL_MOVES),
            values: Vec::with_capacity(capacity),
        }
    }

    /// The net it is for.
    pub const fn shape(&self) -> Shape {
        self.shape
    }

    /// Forgets positions and answers, keeps the buffers.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.planes.clear();
        self.labels.clear();
        self.ends.clear();
        self.policy.clear();
        self.values.clear();
    }

    /// Adds a position: the key of everything the net sees, its packed planes (zeros to begin
    /// with), the labels of its legal moves. Returns its number.
    ///
    /// # Panics
    /// If the batch is full.
    pub fn push(
        &mut self,
        key: u64,
        planes: impl FnOnce(&mut [u8]),
        labels: impl Iterator<Item = u16>,
    ) -> usize {
        let index = self.keys.len();
        assert!(index < self.capacity, "a batch of {index} positions is full");
        self.keys.push(key);
        let (from, bytes) = (self.planes.len(), self.shape.planes.bytes());
        self.planes.resize(from + bytes, 0);
        planes(&mut self.planes[from..]);
        self.labels.extend(labels);
        self.ends.push(self.labels.len() as u32);
        self.policy.resize(self.labels.len(), 0.0);
        self.values.push(UNANSWERED);
        index
    }

    /// Positions in it.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Positions it can hold.
    pub const fn capacity(&self) -> usize {
        self.capacity
    }

    /// Whether it holds as many as it can.
    pub fn is_full(&self) -> bool {
        self.len() == self.capacity
    }

    /// The packed planes of a position.
    pub fn planes(&self, index: usize) -> &[u8] {
        let bytes = self.shape.planes.bytes();
        &self.planes[index * bytes..][..bytes]
    }

    /// The labels of a position's legal moves, in the order given.
    pub fn labels(&self, index: usize) -> &[u16] {
        &self.labels[self.range(index)]
    }

    /// The key of everything the net sees.
    pub fn key(&self, index: usize) -> u64 {
        self.keys[index]
    }

    /// One logit per label, in the order given.
    pub fn policy(&self, index: usize) -> &[f32] {
        &self.policy[self.range(index)]
    }

    /// Who wins: meaningless until answered.
    pub fn value(&self, index: usize) -> Value {
        self.values[index]
    }

    /// Writes the answer of a position. For back-ends.
    ///
    /// # Panics
    /// If there is not one logit per label.
    pub fn answer(&mut self, index: usize, policy: &[f32], value: Value) {
        let range = self.range(index);
        self.policy[range].copy_from_slice(policy);
        self.values[index] = value;
    }

    /// Whether every position has an answer that is one.
    pub fn verify(&self, ticket: Ticket) -> Result<(), Fault> {
        for (index, (&key, &value)) in self.keys.iter().zip(&self.values).enumerate() {
            let policy = self.policy(index);
            let what = if let Some(at) = policy.iter().position(|logit| !logit.is_finite()) {
                format!("logit {} for label {}", policy[at], self.labels(index)[at])
            } else if !value.is_sound() {
                format!("win {}, draw {}", value.win, value.draw)
            } else {
                continue;
            };
            return Err(Fault::Nonsense { ticket, key, what });
        }
        Ok(())
    }

    /// Where the labels of a position stand among all.
    fn range(&self, index: usize) -> std::ops::Range<usize> {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        start as usize..self.ends[index] as usize
    }
}
