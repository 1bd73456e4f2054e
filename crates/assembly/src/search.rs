//! The only file that names concrete engines and evaluators: one `match` on the game and on what
//! evaluates.

use crate::deep;
use crate::equipped::Equipped;
use crate::evaluation::Evaluation;
use crate::shipped::shipped;
use alphabeta::AlphaBeta;
use eval::{Evaluator, Kkppt, KppKkpt, Kppt, Material, PIECE_VALUES};
use features::FeatureSet;
use infer::Backend;
use mcts::Puct;
use nnue::{Net, NetVisitor, Nnue};
use rules::{AnyPosition, Game, Minishogi, Shogi, Variant};
use std::sync::Arc;
use think::{Engine, TimeSource};

/// An engine for the game, at its start position, that loads its evaluation when it is needed.
pub fn engine(game: Game, time: Arc<dyn TimeSource>) -> Box<dyn Engine> {
    Box::new(Equipped::new(game, time))
}

/// A search that evaluates in the given way.
pub fn search(game: Game, evaluation: &Evaluation, time: Arc<dyn TimeSource>) -> Box<dyn Engine> {
    match (evaluation, game) {
        (Evaluation::Net(net), _) => net.visit(WithNet(time)),
        (Evaluation::Kppt(tables), _) => {
            Box::new(AlphaBeta::<Shogi, Kppt<Shogi>>::new(time, Arc::clone(tables)))
        }
        (Evaluation::KppKkpt(tables), _) => {
            Box::new(AlphaBeta::<Shogi, KppKkpt<Shogi>>::new(time, Arc::clone(tables)))
        }
        (Evaluation::Kkppt(tables), _) => {
            Box::new(AlphaBeta::<Minishogi, Kkppt>::new(time, Arc::clone(tables)))
        }
        (Evaluation::Material, Game::Shogi) => {
            Box::new(AlphaBeta::<Shogi, Material>::new(time, Arc::new(PIECE_VALUES)))
        }
        (Evaluation::Material, Game::Minishogi) => {
            Box::new(AlphaBeta::<Minishogi, Material>::new(time, Arc::new(PIECE_VALUES)))
        }
    }
}

/// A tree search that asks a policy-value net, for the game of the net.
pub fn tree_search(net: Arc<dyn Backend>, time: Arc<dyn TimeSource>) -> Box<dyn Engine> {
    match net.shape().game {
        Game::Shogi => Box::new(Puct::<Shogi>::new(time, net)),
        Game::Minishogi => Box::new(Puct::<Minishogi>::new(time, net)),
    }
}

/// The tree search with the net inside the executable.
pub fn shipped_tree_search(game: Game, time: Arc<dyn TimeSource>) -> Box<dyn Engine> {
    match deep::load("", game) {
        Ok(net) => tree_search(net, time),
        // Only a damaged executable has none.
        Err(_) => search(game, &shipped(game), time),
    }
}

/// Builds the search for whatever kind of net it is.
struct WithNet(Arc<dyn TimeSource>);

impl NetVisitor for WithNet {
    type Output = Box<dyn Engine>;

    fn visit<V: Variant, F: FeatureSet<V>>(self, net: Arc<Net<V, F>>) -> Box<dyn Engine> {
        Box::new(AlphaBeta::<V, Nnue<V, F>>::new(self.0, net))
    }
}

/// Gives static values in evaluation units to the side to move; `None` for positions of the other
/// game. Both kings must be there.
pub type Judge = Box<dyn FnMut(&AnyPosition) -> Option<i32>>;

/// Values positions in the given way, without search.
pub fn judge(game: Game, evaluation: &Evaluation) -> Judge {
    match (evaluation, game) {
        (Evaluation::Net(net), _) => net.visit(Judging),
        (Evaluation::Kppt(tables), _) => judge_with::<Shogi, Kppt<Shogi>>(Arc::clone(tables)),
        (Evaluation::KppKkpt(tables), _) => judge_with::<Shogi, KppKkpt<Shogi>>(Arc::clone(tables)),
        (Evaluation::Kkppt(tables), _) => judge_with::<Minishogi, Kkppt>(Arc::clone(tables)),
        (Evaluation::Material, Game::Shogi) => {
            judge_with::<Shogi, Material>(Arc::new(PIECE_VALUES))
        }
        (Evaluation::Material, Game::Minishogi) => {
            judge_with::<Minishogi, Material>(Arc::new(PIECE_VALUES))
        }
    }
}

fn judge_with<V: Variant, E: Evaluator<V> + 'static>(weights: Arc<E::Weights>) -> Judge {
    let mut evaluator = E::new(weights);
    Box::new(move |position| {
        let position = V::position(position.clone())?;
        evaluator.refresh(&position);
        Some(evaluator.evaluate(&position))
    })
}

/// Builds the evaluator for whatever kind of net it is.
struct Judging;

impl NetVisitor for Judging {
    type Output = Judge;

    fn visit<V: Variant, F: FeatureSet<V>>(self, net: Arc<Net<V, F>>) -> Judge {
        judge_with::<V, Nnue<V, F>>(net)
    }
}
