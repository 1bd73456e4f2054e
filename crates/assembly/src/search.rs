//! The only file that names concrete evaluators: one `match` on the game and on what evaluates.

use crate::evaluation::Evaluation;
use eval::{AnyEvaluator, AnyWeights, Evaluator, Kkppt, KppKkpt, Kppt, Material, PIECE_VALUES};
use features::FeatureSet;
use nnue::{AnyNet, Net, Nnue};
use rules::{AnyPosition, Game, Minishogi, Shogi, Variant};
use std::sync::Arc;
use think::{Engine, TimeSource};

/// A search that evaluates in the given way.
pub fn search(game: Game, evaluation: &Evaluation, time: Arc<dyn TimeSource>) -> Box<dyn Engine> {
    match weights(game, evaluation) {
        Weights::Shogi(weights) => alphabeta::shogi(time, weights),
        Weights::Minishogi(weights) => alphabeta::minishogi(time, weights),
    }
}

/// Gives static values in evaluation units to the side to move; `None` for positions of the other
/// game. Both kings must be there.
pub type Judge = Box<dyn FnMut(&AnyPosition) -> Option<i32>>;

/// Values positions in the given way, without search.
pub fn judge(game: Game, evaluation: &Evaluation) -> Judge {
    match weights(game, evaluation) {
        Weights::Shogi(weights) => judge_with(weights),
        Weights::Minishogi(weights) => judge_with(weights),
    }
}

fn judge_with<V: Variant>(weights: Arc<AnyWeights<V>>) -> Judge {
    let mut evaluator = AnyEvaluator::new(weights);
    Box::new(move |position| {
        let position = V::position(position.clone())?;
        evaluator.refresh(&position);
        Some(evaluator.evaluate(&position))
    })
}

/// Weights of any kind, for one of the games.
enum Weights {
    Shogi(Arc<AnyWeights<Shogi>>),
    Minishogi(Arc<AnyWeights<Minishogi>>),
}

/// The one `match` on what evaluates, and how.
fn weights(game: Game, evaluation: &Evaluation) -> Weights {
    match evaluation {
        Evaluation::Net(AnyNet::HalfKp(net)) => Weights::Shogi(nnue(net)),
        Evaluation::Net(AnyNet::KP(net)) => Weights::Shogi(nnue(net)),
        Evaluation::Net(AnyNet::KPHm(net)) => Weights::Shogi(nnue(net)),
        Evaluation::Net(AnyNet::HalfKpE9(net)) => Weights::Shogi(nnue(net)),
        Evaluation::Net(AnyNet::HalfKpKrank(net)) => Weights::Shogi(nnue(net)),
        Evaluation::Net(AnyNet::MiniHalfKp(net)) => Weights::Minishogi(nnue(net)),
        Evaluation::Kppt(tables) => Weights::Shogi(AnyWeights::of::<Kppt<_>>(Arc::clone(tables))),
        Evaluation::KppKkpt(tables) => {
            Weights::Shogi(AnyWeights::of::<KppKkpt<_>>(Arc::clone(tables)))
        }
        Evaluation::Kkppt(tables) => {
            Weights::Minishogi(AnyWeights::of::<Kkppt>(Arc::clone(tables)))
        }
        Evaluation::Material => {
            let values = Arc::new(PIECE_VALUES);
            match game {
                Game::Shogi => Weights::Shogi(AnyWeights::of::<Material>(values)),
                Game::Minishogi => Weights::Minishogi(AnyWeights::of::<Material>(values)),
            }
        }
    }
}

fn nnue<V: Variant, F: FeatureSet<V>>(net: &Arc<Net<V, F>>) -> Arc<AnyWeights<V>> {
    AnyWeights::of::<Nnue<V, F>>(Arc::clone(net))
}
