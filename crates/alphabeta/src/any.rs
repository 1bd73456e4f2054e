//! The search with an evaluation of any kind, compiled in this room and once for each game: whoever asks
//! for one compiles none.

use crate::engine::AlphaBeta;
use eval::{AnyEvaluator, AnyWeights};
use rules::{Minishogi, Shogi};
use std::sync::Arc;
use think::{Engine, TimeSource};

/// A search of shogi.
#[inline(never)]
pub fn shogi(time: Arc<dyn TimeSource>, weights: Arc<AnyWeights<Shogi>>) -> Box<dyn Engine> {
    Box::new(AlphaBeta::<Shogi, AnyEvaluator<Shogi>>::new(time, weights))
}

/// A search of minishogi.
#[inline(never)]
pub fn minishogi(
    time: Arc<dyn TimeSource>,
    weights: Arc<AnyWeights<Minishogi>>,
) -> Box<dyn Engine> {
    Box::new(AlphaBeta::<Minishogi, AnyEvaluator<Minishogi>>::new(time, weights))
}
