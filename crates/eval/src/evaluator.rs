//! The plug between search and evaluation.

use rules::{Delta, Position, Variant};
use std::sync::Arc;

/// Largest value of any evaluation; beyond it the field keeps its mate scores.
pub const MAX_VALUE: i32 = 31_753;

/// An evaluation of game `V`: weights shared by all threads, and the state of one thread.
///
/// A search calls [`Evaluator::refresh`] at its root, [`Evaluator::push`] and
/// [`Evaluator::pop`] with every move it plays and takes back, and [`Evaluator::evaluate`] when
/// it wants a value. Null moves are not pushed: they change nothing but the side to move, which
/// `evaluate` reads from the position. Implementations do their work in `evaluate`, so nodes
/// that are never evaluated cost next to nothing.
pub trait Evaluator<V: Variant>: Send {
    /// What is learned: read-only, shared.
    type Weights: Send + Sync;

    /// A thread's evaluator. It must be refreshed before anything else.
    fn new(weights: Arc<Self::Weights>) -> Self;

    /// Starts from a new root and forgets everything pushed.
    fn refresh(&mut self, pos: &Position<V>);

    /// A move was played.
    fn push(&mut self, delta: &Delta);

    /// The last move was taken back. Does nothing at the root.
    fn pop(&mut self);

    /// The value of the position reached by the pushed moves, from the side to move's view.
    fn evaluate(&mut self, pos: &Position<V>) -> i32;
}
