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
            let mut nnue = Nnue::<V, F>::new(net);
            let value = |position: &AnyPosition| {
                let position = concrete::<V>(position)?;
                nnue.refresh(position);
                Some(nnue.evaluate(position))
            };
            self.0.iter().map(value).collect()
        }
    }
    net.visit(Values(positions))
}

/// Positions of games whose value by difference is not the value from nothing.
pub(crate) fn strays(net: &AnyNet, games: &[Vec<AnyPosition>]) -> usize {
    struct Strays<'a>(&'a [Vec<AnyPosition>]);
    impl NetVisitor for Strays<'_> {
        type Output = usize;
        fn visit<V: Variant, F: FeatureSet<V>>(self, net: Arc<Net<V, F>>) -> usize {
            let (mut moved, mut fresh) =
                (Nnue::<V, F>::new(Arc::clone(&net)), Nnue::<V, F>::new(net));
            let mut strays = 0;
            for game in self.0 {
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
    }
    net.visit(Strays(games))
}

fn concrete<V: Variant>(position: &AnyPosition) -> Option<&Position<V>> {
    let position: &dyn Any = match position {
        AnyPosition::Shogi(p) => p,
        AnyPosition::Minishogi(p) => p,
    };
    position.downcast_ref()
}
