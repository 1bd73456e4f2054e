//! Positions to ask a net for when there is no game: to calibrate it, to compare it, to try it.

use crate::backend::Shape;
use crate::batch::{Batch, Value};
use rules::{Game, Minishogi, Position, Shogi, Variant};
use seed::Rng;

/// Moves at random with which a game begins, at most.
const RANDOM_PLIES: usize = 6;
/// No game goes on longer.
const LONGEST: usize = 160;

/// Positions of games of random moves, with the labels of their legal moves: the same for the same
/// seed.
pub fn random_positions(shape: Shape, count: usize, seed: u64) -> Batch {
    played(shape, count, seed, |one| {
        let policy = vec![0.0; one.labels(0).len()];
        one.answer(0, &policy, Value::default());
    })
}

/// Positions of games whose moves are drawn from the policy that `answer` writes into a batch of
/// one, after a few at random.
pub(crate) fn played(
    shape: Shape,
    count: usize,
    seed: u64,
    answer: impl FnMut(&mut Batch),
) -> Batch {
    match shape.game {
        Game::Shogi => games::<Shogi>(shape, count, seed, answer),
        Game::Minishogi => games::<Minishogi>(shape, count, seed, answer),
    }
}

fn games<V: Variant>(
    shape: Shape,
    count: usize,
    seed: u64,
    mut answer: impl FnMut(&mut Batch),
) -> Batch {
    let mut rng = Rng::new(seed);
    let mut kept = Batch::new(shape, count);
    let mut one = Batch::new(shape, 1);
    while !kept.is_full() {
        let mut position = Position::<V>::startpos();
        let random = rng.below(RANDOM_PLIES + 1);
        for ply in 0..LONGEST {
            let moves = position.legal_moves();
            if moves.is_empty() || kept.is_full() {
                break;
            }
            if ply < random {
                position.play(moves[rng.below(moves.len())]);
                continue;
            }
            let turn = position.turn();
            let labels: Vec<u16> = moves.iter().map(|&m| shape.labels.label(m, turn)).collect();
            one.clear();
            one.push(position.key(), |to| shape.planes.pack(&position, to), labels.iter().copied());
            answer(&mut one);
            // Neighbours in a game are much alike: every second one.
            if rng.below(2) == 0 {
                let planes = one.planes(0);
                kept.push(position.key(), |to| to.copy_from_slice(planes), labels.into_iter());
            }
            position.play(moves[drawn(&probabilities(one.policy(0)), &mut rng)]);
        }
    }
    kept
}

/// What the logits of a position's moves make of each.
pub(crate) fn probabilities(logits: &[f32]) -> Vec<f64> {
    let most = logits.iter().fold(f32::NEG_INFINITY, |most, &x| most.max(x));
    let weights: Vec<f64> = logits.iter().map(|&x| f64::from(x - most).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|w| w / sum).collect()
}

/// A number drawn with these probabilities.
fn drawn(probabilities: &[f64], rng: &mut Rng) -> usize {
    let mut left = rng.unit();
    for (number, p) in probabilities.iter().enumerate() {
        left -= p;
        if left < 0.0 {
            return number;
        }
    }
    probabilities.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use features::{Labels, Planes};

    #[test]
    fn positions_are_of_the_game_and_the_same_for_a_seed() {
        let mini =
            Shape { game: Game::Minishogi, planes: Planes::Minishogi, labels: Labels::Minishogi };
        let shogi = Shape { game: Game::Shogi, planes: Planes::Pal, labels: Labels::Pal };
        for shape in [mini, shogi] {
            let found = random_positions(shape, 100, 5);
            assert_eq!((found.len(), found.shape()), (100, shape));
            let again = random_positions(shape, 100, 5);
            assert!((0..100).all(|i| found.key(i) == again.key(i) && !found.labels(i).is_empty()));
            let mut labels = (0..100).flat_map(|i| found.labels(i));
            assert!(labels.all(|&label| usize::from(label) < shape.labels.count()));
            assert_ne!(found.key(50), random_positions(shape, 100, 6).key(50));
        }
    }

    #[test]
    fn likely_moves_are_drawn_often() {
        let mut rng = Rng::new(1);
        let p = probabilities(&[1.0, 3.0, f32::MIN]);
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12 && p[2] == 0.0);
        let seconds = (0..1000).filter(|_| drawn(&p, &mut rng) == 1).count();
        assert!((850..910).contains(&seconds), "{seconds} of 1,000, expected 881");
    }
}
