//! What nets are compared on: positions of random games, the same every time.

use eval::Evaluator;
use features::FeatureSet;
use nnue::{AnyNet, Net, NetVisitor, Nnue};
use rules::{AnyPosition, Game, Position, Variant};
use seed::Rng;
use std::any::Any;
use std::sync::Arc;

/// Longest random game.
const PLIES: usize = 120;

/// Random games until there are so many positions, each from its start.
pub(crate) fn games(game: Game, positions: usize, seed: u64) -> Vec<Vec<AnyPosition>> {
    let mut rng = Rng::new(seed);
    let mut games = Vec::new();
    let mut count = 0;
    while count < positions {
        let mut position = AnyPosition::startpos(game);
        let mut line = vec![position.clone()];
        for _ in 0..PLIES.min(positions - count) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position.play(moves[rng.below(moves.len())]);
            line.push(position.clone());
        }
        count += line.len();
        games.push(line);
    }
    games
}

/// Positions of random games, one after another.
pub(crate) fn positions(game: Game, count: usize, seed: u64) -> Vec<AnyPosition> {
    let mut all: Vec<AnyPosition> = games(game, count, seed).into_iter().flatten().collect();
    all.truncate(count);
    all
}

/// The values of positions by an integer net; `None` for those of the other game.
pub(crate) fn values(net: &AnyNet, positions: &[AnyPosition]) -> Vec<Option<i32>> {
    struct Values<'a>(&'a [AnyPosition]);
    impl NetVisitor for Values<'_> {
        type Output = Vec<Option<i32>>;
        fn visit<V: Variant, F: FeatureSet<V>>(self, net: Arc<Net<V, F>>) -> Self::Output {
            values_of::<V, _>(&mut Nnue::<V, F>::new(net), self.0)
        }
    }
    net.visit(Values(positions))
}

/// The same by any evaluator.
pub(crate) fn values_of<V: Variant, E: Evaluator<V>>(
    evaluator: &mut E,
    positions: &[AnyPosition],
) -> Vec<Option<i32>> {
    let value = |position: &AnyPosition| {
        let position = concrete::<V>(position)?;
        evaluator.refresh(position);
        Some(evaluator.evaluate(position))
    };
    positions.iter().map(value).collect()
}

/// Positions of games whose value by difference is not the value from nothing.
pub(crate) fn strays(net: &AnyNet, games: &[Vec<AnyPosition>]) -> usize {
    struct Strays<'a>(&'a [Vec<AnyPosition>]);
    impl NetVisitor for Strays<'_> {
        type Output = usize;
        fn visit<V: Variant, F: FeatureSet<V>>(self, net: Arc<Net<V, F>>) -> usize {
            let mut pair = [Nnue::<V, F>::new(Arc::clone(&net)), Nnue::<V, F>::new(net)];
            strays_of(&mut pair, self.0)
        }
    }
    net.visit(Strays(games))
}

/// The same by any two evaluators of the same weights.
pub(crate) fn strays_of<V: Variant, E: Evaluator<V>>(
    [moved, fresh]: &mut [E; 2],
    games: &[Vec<AnyPosition>],
) -> usize {
    let mut strays = 0;
    for game in games {
        for (ply, position) in game.iter().filter_map(concrete::<V>).enumerate() {
            match position.last().filter(|_| ply > 0) {
                Some(delta) => moved.push(&delta),
                None => moved.refresh(position),
            }
            fresh.refresh(position);
            strays += usize::from(moved.evaluate(position) != fresh.evaluate(position));
        }
    }
    strays
}

fn concrete<V: Variant>(position: &AnyPosition) -> Option<&Position<V>> {
    let position: &dyn Any = match position {
        AnyPosition::Shogi(p) => p,
        AnyPosition::Minishogi(p) => p,
    };
    position.downcast_ref()
}
