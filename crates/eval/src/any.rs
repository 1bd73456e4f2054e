//! An evaluation whose kind is known only when the program runs.
//!
//! A search is generic over its evaluation, and compiled once for each it is used with: seconds for
//! every kind. Used with [`AnyEvaluator`] it is compiled once for all of them. The price is four
//! calls through a table at a node, too little to be seen beside what an evaluation computes
//! (docs/results/build.md).

use crate::Evaluator;
use rules::{Delta, Position, Variant};
use std::sync::Arc;

/// [`Evaluator`] without what depends on its kind.
trait Erased<V: Variant>: Send {
    fn refresh(&mut self, pos: &Position<V>);
    fn push(&mut self, delta: &Delta);
    fn pop(&mut self);
    fn evaluate(&mut self, pos: &Position<V>) -> i32;
}

impl<V: Variant, E: Evaluator<V>> Erased<V> for E {
    fn refresh(&mut self, pos: &Position<V>) {
        Evaluator::refresh(self, pos);
    }

    fn push(&mut self, delta: &Delta) {
        Evaluator::push(self, delta);
    }

    fn pop(&mut self) {
        Evaluator::pop(self);
    }

    fn evaluate(&mut self, pos: &Position<V>) -> i32 {
        Evaluator::evaluate(self, pos)
    }
}

/// Weights of any kind, with the evaluator that reads them.
pub struct AnyWeights<V>(Box<dyn Fn() -> Box<dyn Erased<V>> + Send + Sync>);

impl<V: Variant> AnyWeights<V> {
    /// The weights of the evaluator `E`.
    pub fn of<E: Evaluator<V> + 'static>(weights: Arc<E::Weights>) -> Arc<Self> {
        Arc::new(Self(Box::new(move || Box::new(E::new(Arc::clone(&weights))))))
    }
}

/// A thread's evaluator of any kind.
pub struct AnyEvaluator<V>(Box<dyn Erased<V>>);

impl<V: Variant> Evaluator<V> for AnyEvaluator<V> {
    type Weights = AnyWeights<V>;

    fn new(weights: Arc<AnyWeights<V>>) -> Self {
        Self((weights.0)())
    }

    fn refresh(&mut self, pos: &Position<V>) {
        self.0.refresh(pos);
    }

    fn push(&mut self, delta: &Delta) {
        self.0.push(delta);
    }

    fn pop(&mut self) {
        self.0.pop();
    }

    fn evaluate(&mut self, pos: &Position<V>) -> i32 {
        self.0.evaluate(pos)
    }
}

#[cfg(test)]
mod tests {
    use crate::{AnyEvaluator, AnyWeights, Evaluator, Material, PIECE_VALUES};
    use rules::{Position, Shogi};
    use std::sync::Arc;

    /// Values after every move of a short game, and after each of them was taken back.
    fn values<E: Evaluator<Shogi>>(mut evaluator: E) -> Vec<i32> {
        let mut pos = Position::<Shogi>::startpos();
        evaluator.refresh(&pos);
        let mut values = Vec::new();
        for text in ["7g7f", "3c3d", "8h2b+"] {
            let mv = pos.parse_usi(text).unwrap();
            evaluator.push(&pos.play(mv));
            values.push(evaluator.evaluate(&pos));
        }
        for _ in 0..3 {
            pos.undo();
            evaluator.pop();
            values.push(evaluator.evaluate(&pos));
        }
        values
    }

    #[test]
    fn any_evaluator_gives_what_its_kind_gives() {
        let weights = Arc::new(PIECE_VALUES);
        let plain = values(<Material as Evaluator<Shogi>>::new(Arc::clone(&weights)));
        assert!(plain[2] < -1000 && plain[3..] == [0; 3], "a bishop is lost: {plain:?}");
        assert_eq!(values(AnyEvaluator::new(AnyWeights::of::<Material>(weights))), plain);
    }
}
