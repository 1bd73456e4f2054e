use super::*;
use crate::objective::{Losses, Objective};
use corpus::batches::Label;
use features::{HalfKp, HalfKpE9, HalfKpKrank, KP};
use nnue::{FeatureKind, Shape};
use rules::{Minishogi, Position, Shogi};
use std::num::NonZeroUsize;

const SMALL: Shape = Shape { l0: 48, h1: 12, h2: 20 };
const SGD: NetOptions = NetOptions { optimiser: Optimiser::Sgd, factors: false, subspace: 100 };

fn workers(threads: usize) -> Workers {
    Workers::new(NonZeroUsize::new(threads).unwrap())
}

/// Encoded positions of random games, and the features of each.
fn samples<V: Variant, F: FeatureSet<V>>(
    count: usize,
    seed: u64,
) -> (Vec<u32>, Vec<[Vec<u32>; 2]>) {
    let encoder = NetEncoder::<V, F>::new();
    let packing = Packing::of::<V, F>();
    let (mut all, mut lists) = (Vec::new(), Vec::new());
    let mut random = Rng::for_purpose(seed, &[]);
    while lists.len() < count {
        let mut pos = Position::<V>::startpos();
        for _ in 0..60 {
            let moves = pos.legal_moves();
            if moves.is_empty() || lists.len() == count {
                break;
            }
            pos.play(moves[random.below(moves.len())]);
            let mut words = vec![0; encoder.words()];
            assert!(encoder.encode(&pos, false, &mut words));
            let mut sides = [Vec::new(), Vec::new()];
            packing.each(&words, |side, f| sides[side].push(f));
            all.extend(words);
            lists.push(sides);
        }
    }
    (all, lists)
}

fn forward_agrees<V: Variant, F: FeatureSet<V>>(kind: FeatureKind, factors: bool) {
    let options = NetOptions { factors, ..SGD };
    let architecture = Architecture { features: kind, shape: SMALL };
    let mut model = NetModel::<V>::random::<F>(architecture, options, 5);
    let (words, lists) = samples::<V, F>(300, 1);
    let mut values = vec![0.0; lists.len()];
    for round in 0..2 {
        model.forward(&words, &workers(2), &mut values);
        let net = model.to_float();
        for (value, [us, them]) in values.iter().zip(&lists) {
            let wanted = net.forward_features(us, them) * net.unit();
            assert!((value - wanted).abs() < 0.05, "round {round}: {value} {wanted}");
        }
        assert!(values.iter().any(|v| (v - values[0]).abs() > 1.0), "all values are alike");
        // After a step all parts differ, and the parts must still add up.
        let slopes: Vec<f32> = values.iter().map(|v| v.signum() * 1e-5).collect();
        model.learn(&words, &slopes, 0.1, &workers(2));
    }
}

#[test]
fn values_are_those_of_the_specification() {
    forward_agrees::<Minishogi, HalfKp>(FeatureKind::MiniHalfKp, false);
    forward_agrees::<Minishogi, HalfKp>(FeatureKind::MiniHalfKp, true);
    forward_agrees::<Shogi, KP>(FeatureKind::KP, true);
    forward_agrees::<Shogi, HalfKp>(FeatureKind::HalfKp, true);
    forward_agrees::<Shogi, HalfKpE9>(FeatureKind::HalfKpE9, false);
    forward_agrees::<Shogi, HalfKpKrank>(FeatureKind::HalfKpKrank, false);
}

/// Slopes of Σ slopeᵢ·valueᵢ by every parameter, as one step of plain descent shows them,
/// against differences of the specification.
#[test]
fn gradients_are_those_of_the_specification() {
    let shape = Shape { l0: 16, h1: 5, h2: 9 };
    let architecture = Architecture { features: FeatureKind::MiniHalfKp, shape };
    let mut model = NetModel::<Minishogi>::random::<HalfKp>(architecture, SGD, 11);
    let (words, lists) = samples::<Minishogi, HalfKp>(40, 2);
    let slopes: Vec<f32> = (0..lists.len()).map(|i| (i as f32 * 0.7).sin() * 1e-3).collect();
    let mut values = vec![0.0; lists.len()];
    model.forward(&words, &Workers::ONE, &mut values);
    let mut net = model.to_float();
    // Small enough that rounding, not curvature, is what is left.
    let rate = 1e-2;
    model.learn(&words, &slopes, rate, &Workers::ONE);
    let moved = model.to_float();

    let loss = |net: &FloatNet| -> f64 {
        let value =
            |[us, them]: &[Vec<u32>; 2]| f64::from(net.forward_features(us, them) * net.unit());
        lists.iter().zip(&slopes).map(|(lists, &s)| f64::from(s) * value(lists)).sum()
    };
    let (mut checked, mut wrong, mut sizes) = (0, 0, 0.0);
    for part in 0..8 {
        let len = net.parts()[part].1.len();
        // Rows nobody touched have no slope: look at those of the first position.
        let rows =
            lists[0][0].iter().flat_map(|&f| (0..shape.l0).map(move |i| f as usize * shape.l0 + i));
        let indices: Vec<usize> = if part == 1 { rows.collect() } else { (0..len).collect() };
        for i in indices {
            let old = net.parts()[part].1[i];
            let found = f64::from(old - moved.parts()[part].1[i]) / f64::from(rate);
            let h = 2e-3;
            net.parts_mut()[part][i] = old + h;
            let above = loss(&net);
            net.parts_mut()[part][i] = old - h;
            let below = loss(&net);
            net.parts_mut()[part][i] = old;
            let wanted = (above - below) / f64::from(2.0 * h);
            checked += 1;
            sizes += wanted.abs();
            // A corner of an activation between the two points spoils a few differences.
            wrong += usize::from((found - wanted).abs() > 0.02 + 0.05 * wanted.abs());
        }
    }
    assert!(checked > 300 && sizes / f64::from(checked) > 0.05, "{checked} {sizes}");
    assert!(wrong * 20 < checked as usize, "{wrong} of {checked} slopes are wrong");
}

/// With factors a row moves by its own slope and by those of its piece and its king.
#[test]
fn factors_share_what_is_learned() {
    let architecture = Architecture { features: FeatureKind::MiniHalfKp, shape: SMALL };
    let shared = NetOptions { factors: true, ..SGD };
    let plain = NetModel::<Minishogi>::random::<HalfKp>(architecture, SGD, 3).to_float();
    let mut plain = NetModel::<Minishogi>::from_float::<HalfKp>(&plain, SGD);
    let mut factored = NetModel::<Minishogi>::from_float::<HalfKp>(&plain.to_float(), shared);
    let (words, lists) = samples::<Minishogi, HalfKp>(100, 4);
    let slopes: Vec<f32> = (0..lists.len()).map(|i| (i as f32 * 0.9).cos() * 1e-4).collect();
    let before = plain.to_float();
    let mut values = vec![0.0; lists.len()];
    plain.forward(&words, &Workers::ONE, &mut values);
    plain.learn(&words, &slopes, 0.1, &Workers::ONE);
    factored.forward(&words, &Workers::ONE, &mut values);
    factored.learn(&words, &slopes, 0.1, &Workers::ONE);
    let (plain, factored) = (plain.to_float(), factored.to_float());
    let inputs = FeatureKind::MiniHalfKp.inputs();
    let (numbers, width) = (380, SMALL.l0);
    let own = |f: usize| plain.w0[f * width] - before.w0[f * width];
    for f in 0..inputs {
        let piece: f32 = (0..inputs / numbers).map(|k| own(k * numbers + f % numbers)).sum();
        let king: f32 = (0..numbers).map(|p| own(f / numbers * numbers + p)).sum();
        let wanted = own(f) + piece + king / 1024.0;
        let found = factored.w0[f * width] - before.w0[f * width];
        assert!((found - wanted).abs() < 1e-5, "feature {f}: {found} {wanted}");
    }
    assert_eq!(plain.b1, factored.b1);
}

/// Learns to imitate a net whose parameters are known, in sixty epochs at most.
fn recover<V: Variant, F: FeatureSet<V>>(kind: FeatureKind, options: NetOptions, rate: f32) {
    let architecture = Architecture { features: kind, shape: Shape { l0: 16, h1: 8, h2: 8 } };
    let mut teacher = NetModel::<V>::random::<F>(architecture, options, 100);
    let mut pupil = NetModel::<V>::random::<F>(architecture, options, 200);
    let objective = Objective { lambda: 1.0, scale: 200.0 };
    let (words, lists) = samples::<V, F>(2000, 9);
    let mut scores = vec![0.0; lists.len()];
    teacher.forward(&words, &workers(2), &mut scores);
    let labels: Vec<Label> = scores.iter().map(|&s| Label::new(s.round() as i16, None)).collect();
    let stride = words.len() / lists.len();
    let excess = |losses: &Losses| losses.mean().total - losses.mean().floor;
    let (mut first, mut last) = (0.0, 0.0);
    for epoch in 0..60 {
        let mut losses = Losses::default();
        for (words, labels) in words.chunks(stride * 200).zip(labels.chunks(200)) {
            let mut values = vec![0.0; labels.len()];
            pupil.forward(words, &workers(2), &mut values);
            let slope = |(&v, &l)| objective.measure(v, l, &mut losses) / labels.len() as f32;
            let slopes: Vec<f32> = values.iter().zip(labels).map(slope).collect();
            pupil.learn(words, &slopes, rate, &workers(2));
        }
        last = excess(&losses);
        if epoch == 0 {
            first = last;
        }
        if last < first / 20.0 {
            break;
        }
    }
    assert!(last < first / 20.0, "{kind:?} {options:?}: loss above the floor {first} to {last}");
}

#[test]
fn planted_nets_are_recovered() {
    let with = |optimiser, factors| NetOptions { optimiser, factors, ..SGD };
    recover::<Minishogi, HalfKp>(FeatureKind::MiniHalfKp, with(Optimiser::Adam, true), 0.01);
    recover::<Minishogi, HalfKp>(FeatureKind::MiniHalfKp, with(Optimiser::Adam, false), 0.01);
    recover::<Shogi, KP>(FeatureKind::KP, with(Optimiser::AdaGrad, false), 0.03);
    recover::<Shogi, KP>(FeatureKind::KP, with(Optimiser::Sgd, false), 0.5);
}

#[test]
fn threads_and_checkpoints_change_nothing() {
    let architecture = Architecture { features: FeatureKind::MiniHalfKp, shape: SMALL };
    for optimiser in Optimiser::ALL {
        let options = NetOptions { optimiser, factors: true, ..SGD };
        let (words, lists) = samples::<Minishogi, HalfKp>(300, 6);
        let run = |threads: usize, broken: bool| {
            let mut model = NetModel::<Minishogi>::random::<HalfKp>(architecture, options, 1);
            let mut values = vec![0.0; lists.len()];
            for step in 0..4 {
                if broken && step == 2 {
                    let mut saved = Vec::new();
                    model.save(&mut saved).unwrap();
                    model = NetModel::random::<HalfKp>(architecture, options, 77);
                    model.restore(&mut &saved[..]).unwrap();
                    assert!(model.restore(&mut &saved[..saved.len() - 1]).is_err());
                    model.restore(&mut &saved[..]).unwrap();
                }
                model.forward(&words, &workers(threads), &mut values);
                let slopes: Vec<f32> = values.iter().map(|v| v * 1e-7).collect();
                model.learn(&words, &slopes, 0.01, &workers(threads));
            }
            model.to_float()
        };
        let wanted = run(1, false);
        assert!(run(3, false) == wanted && run(8, true) == wanted, "{optimiser}");
    }
}

#[test]
fn parameters_stay_within_their_integers() {
    let architecture = Architecture { features: FeatureKind::MiniHalfKp, shape: SMALL };
    let options = NetOptions { factors: true, ..SGD };
    let mut model = NetModel::<Minishogi>::random::<HalfKp>(architecture, options, 8);
    let (words, lists) = samples::<Minishogi, HalfKp>(50, 3);
    let mut values = vec![0.0; lists.len()];
    for _ in 0..5 {
        model.forward(&words, &Workers::ONE, &mut values);
        let slopes: Vec<f32> = (0..lists.len()).map(|i| (i as f32).sin()).collect();
        model.learn(&words, &slopes, 100.0, &Workers::ONE);
    }
    let clipped = model.to_float().quantise().unwrap().clipped;
    assert_eq!(clipped, crate::Clipped::default());
}

#[test]
fn random_subspaces_move_their_share_of_rows() {
    let architecture = Architecture { features: FeatureKind::MiniHalfKp, shape: SMALL };
    let options = NetOptions { subspace: 30, ..SGD };
    let mut model = NetModel::<Minishogi>::random::<HalfKp>(architecture, options, 8);
    let (words, lists) = samples::<Minishogi, HalfKp>(400, 3);
    let mut touched: Vec<u32> = lists.iter().flatten().flatten().copied().collect();
    touched.sort_unstable();
    touched.dedup();
    let mut values = vec![0.0; lists.len()];
    let moved: Vec<Vec<bool>> = (0..2)
        .map(|_| {
            let before = model.to_float();
            model.forward(&words, &Workers::ONE, &mut values);
            let slopes: Vec<f32> = values.iter().map(|v| v * 1e-6 + 1e-5).collect();
            model.learn(&words, &slopes, 0.1, &Workers::ONE);
            let after = model.to_float();
            let row = |net: &FloatNet, f: u32| net.w0[f as usize * SMALL.l0..][..SMALL.l0].to_vec();
            touched.iter().map(|&f| row(&before, f) != row(&after, f)).collect()
        })
        .collect();
    let share = moved[0].iter().filter(|&&m| m).count() as f64 / touched.len() as f64;
    assert!((0.2..0.4).contains(&share), "{share} of {} rows", touched.len());
    assert_ne!(moved[0], moved[1]);
}
