//! Random nets of every kind along random games: incremental equals refresh (asserted inside
//! the evaluator in debug builds), every instruction set gives the same values, and a position
//! is worth what its turned twin is worth.

use crate::AnyNet;
use crate::{Architecture, FeatureKind, Isa, Net, NetVisitor, Nnue, Noise, Shape};
use eval::Evaluator;
use features::FeatureSet;
use rules::{Color, Handicap, Kind, Position, Square, Variant};
use std::sync::Arc;

/// The position turned by 180 degrees with colours exchanged.
fn twin<V: Variant>(pos: &Position<V>) -> Position<V> {
    let game = V::GAME;
    let mut board = String::new();
    for rank in 1..=V::SIZE {
        let mut empty = 0;
        for file in (1..=V::SIZE).rev() {
            let sq = Square::at(game, file, rank).unwrap().rotated(game);
            let piece = pos.piece_at(sq);
            let (Some(kind), Some(color)) = (piece.kind(), piece.color()) else {
                empty += 1;
                continue;
            };
            if empty > 0 {
                board += &empty.to_string();
                empty = 0;
            }
            board += &rules::Piece::new(color.opponent(), kind).sfen();
        }
        if empty > 0 {
            board += &empty.to_string();
        }
        if rank < V::SIZE {
            board.push('/');
        }
    }
    let mut hands = String::new();
    for color in Color::BOTH {
        for kind in Kind::SFEN_HAND_ORDER {
            let count = pos.hand(color.opponent()).count(kind);
            if count > 0 {
                let letter = rules::Piece::new(color, kind).sfen();
                hands += &format!(
                    "{}{letter}",
                    if count > 1 { count.to_string() } else { String::new() }
                );
            }
        }
    }
    let hands = if hands.is_empty() { "-".to_owned() } else { hands };
    let turn = pos.turn().opponent().letter();
    Position::from_sfen(&format!("{board} {turn} {hands} 1")).unwrap()
}

struct Play {
    start: String,
    seed: u64,
}

impl NetVisitor for Play {
    type Output = ();

    /// Plays and takes back at random, evaluating only now and then, so that walks of every
    /// length happen.
    fn visit<V: Variant, F: FeatureSet<V>>(self, net: Arc<Net<V, F>>) {
        let mut rng = seed::Rng::new(self.seed);
        let mut random = move |n: usize| rng.below(n);
        let mut pos = Position::<V>::from_sfen(&self.start).unwrap();
        let mut all: Vec<Nnue<V, F>> =
            Isa::available().iter().map(|&isa| Nnue::new(Arc::new(net.with_isa(isa)))).collect();
        all.iter_mut().for_each(|e| e.refresh(&pos));
        let mut depth = 0;
        for _ in 0..250 {
            let moves = pos.legal_moves();
            if moves.is_empty() || depth > 0 && random(4) == 0 {
                if depth == 0 {
                    break;
                }
                pos.undo();
                all.iter_mut().for_each(Evaluator::pop);
                depth -= 1;
            } else {
                let delta = pos.play(moves[random(moves.len())]);
                all.iter_mut().for_each(|e| e.push(&delta));
                depth += 1;
            }
            if random(3) > 0 {
                continue;
            }
            let expected = all[0].output(&pos);
            let value = all[0].evaluate(&pos);
            for e in &mut all {
                let isa = e.net().layers().isa();
                assert_eq!(e.output(&pos), expected, "{isa} {}", pos.sfen());
                assert_eq!(e.evaluate(&pos), value, "{isa}");
            }
            let twin = twin(&pos);
            let mut fresh = Nnue::new(Arc::clone(all[0].net()));
            fresh.refresh(&twin);
            assert_eq!(fresh.output(&twin), expected, "{} and {}", pos.sfen(), twin.sfen());
        }
        // A new root is not confused by what the cache remembers.
        let root = Position::<V>::startpos();
        for e in &mut all {
            e.refresh(&root);
            let mut fresh = Nnue::new(Arc::clone(e.net()));
            fresh.refresh(&root);
            assert_eq!(e.output(&root), fresh.output(&root));
        }
    }
}

fn play(features: FeatureKind, shapes: &[(usize, usize, usize)], games: u64) {
    for &(l0, h1, h2) in shapes {
        let architecture = Architecture { features, shape: Shape { l0, h1, h2 } };
        for noise in [Noise::ordinary(7), Noise::extreme(8)] {
            let net = AnyNet::random(architecture, noise);
            for seed in 0..games {
                let start = match features {
                    FeatureKind::MiniHalfKp => rules::Minishogi::START.to_owned(),
                    _ if seed % 2 == 0 => rules::Shogi::START.to_owned(),
                    _ => Handicap::ALL[seed as usize % Handicap::ALL.len()].sfen(),
                };
                net.visit(Play { start, seed });
            }
        }
    }
}

#[test]
fn k_p() {
    let shapes = [(256, 32, 32), (512, 16, 32), (768, 8, 96), (1024, 8, 64), (128, 8, 24)];
    play(FeatureKind::KP, &shapes, 6);
    play(FeatureKind::KPHm, &shapes, 6);
}

#[test]
fn half_kp() {
    play(FeatureKind::HalfKp, &[(256, 32, 32)], 8);
    play(FeatureKind::HalfKp, &[(64, 8, 64)], 8);
}

#[test]
fn half_kpe9_and_krank() {
    play(FeatureKind::HalfKpE9, &[(16, 8, 32)], 8);
    play(FeatureKind::HalfKpKrank, &[(16, 16, 32)], 8);
}

#[test]
fn half_kp_on_5x5() {
    play(FeatureKind::MiniHalfKp, &[(256, 32, 32), (512, 8, 96)], 20);
}

/// A king that is missing (mate problems) must not bring anything down.
#[test]
fn missing_king() {
    let architecture =
        Architecture { features: FeatureKind::HalfKp, shape: Shape { l0: 64, h1: 8, h2: 8 } };
    let AnyNet::HalfKp(net) = AnyNet::random(architecture, Noise::ordinary(1)) else { panic!() };
    let sfen = "4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1";
    let pos = Position::from_sfen_with(sfen, rules::Kings::Any).unwrap();
    let mut e = Nnue::new(net);
    e.refresh(&pos);
    e.evaluate(&pos);
}

/// Games longer than the room first made, evaluated only at the end and then all the way back.
#[test]
fn long_lines() {
    let shape = Shape { l0: 64, h1: 8, h2: 8 };
    let architecture = Architecture { features: FeatureKind::KP, shape };
    let AnyNet::KP(net) = AnyNet::random(architecture, Noise::ordinary(1)) else { panic!() };
    let mut pos = Position::startpos();
    let mut e = Nnue::new(net);
    e.refresh(&pos);
    let shuffle = ["2h3h", "8b7b", "3h2h", "7b8b"];
    for i in 0..1000 {
        let m = pos.parse_usi(shuffle[i % 4]).unwrap();
        let delta = pos.play(m);
        e.push(&delta);
    }
    let end = e.evaluate(&pos);
    for _ in 0..1000 {
        pos.undo();
        e.pop();
        e.evaluate(&pos);
    }
    assert_eq!(e.evaluate(&pos), end);
}
