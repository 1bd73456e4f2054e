use super::*;
use crate::model::Model;
use crate::objective::{Losses, Objective};
use crate::optimiser::Optimiser;
use crate::workers::Workers;
use corpus::batches::Label;
use eval::{Evaluator, Kkppt, PIECE_VALUES, Tables, material};
use rules::{Minishogi, Position, Shogi, Variant};
use seed::Rng;
use std::num::NonZeroUsize;
use std::sync::Arc;

type Mini<const TEMPO: bool> = ThreePiece<Minishogi, TEMPO>;

const SGD: TableOptions = TableOptions { optimiser: Optimiser::Sgd, factors: false, subspace: 100 };

fn workers(threads: usize) -> Workers {
    Workers::new(NonZeroUsize::new(threads).unwrap())
}

/// Positions of random games.
fn positions<V: Variant>(count: usize, seed: u64) -> Vec<Position<V>> {
    let mut all = Vec::new();
    let mut random = Rng::for_purpose(seed, &[]);
    while all.len() < count {
        let mut pos = Position::<V>::startpos();
        for _ in 0..60 {
            let moves = pos.legal_moves();
            if moves.is_empty() || all.len() == count {
                break;
            }
            pos.play(moves[random.below(moves.len())]);
            all.push(pos.clone());
        }
    }
    all
}

fn words<V: Variant, S: Scheme>(model: &TableModel<V, S>, positions: &[Position<V>]) -> Vec<u32> {
    let encoder = model.encoder();
    let mut all = Vec::new();
    for pos in positions {
        let mut words = vec![u32::MAX; encoder.words()];
        assert!(encoder.encode(pos, false, &mut words));
        all.extend(words);
    }
    all
}

fn values<V: Variant, S: Scheme>(
    model: &mut TableModel<V, S>,
    positions: &[Position<V>],
) -> Vec<f32> {
    let words = words(model, positions);
    let mut values = vec![0.0; positions.len()];
    model.forward(&words, &workers(2), &mut values);
    values
}

/// Weights that the engine's integers hold exactly.
fn fill<V: Variant, S: Scheme>(model: &mut TableModel<V, S>, seed: u64) {
    let mut random = Rng::for_purpose(seed, &[]);
    for family in &mut model.families {
        let shared = family.shared.iter_mut().map(|w| &mut w.values);
        for values in std::iter::once(&mut family.own.values).chain(shared) {
            values.iter_mut().for_each(|x| *x = (random.below(257) as f32 - 128.0) / FV_SCALE);
        }
    }
}

fn agrees<V: Variant, S: Scheme, E: Evaluator<V>>(
    scheme: S,
    tables: impl Fn(&TableModel<V, S>) -> E::Weights,
) {
    let mut model = TableModel::zeroed(scheme, TableOptions { factors: true, ..SGD });
    fill(&mut model, 1);
    let positions = positions::<V>(400, 2);
    let values = values(&mut model, &positions);
    let mut evaluator = E::new(Arc::new(tables(&model)));
    for (pos, value) in positions.iter().zip(values) {
        evaluator.refresh(pos);
        let expected = (value * FV_SCALE) as i32 / FV_SCALE as i32;
        assert_eq!(evaluator.evaluate(pos), expected, "{}", pos.sfen());
    }
}

#[test]
fn values_are_those_of_the_engine() {
    agrees::<_, _, Kkppt>(FourPiece::default(), |m| m.to_tables().0);
    agrees::<_, _, eval::Kppt<Minishogi>>(Mini::<true>::default(), |m| m.to_tables().0);
    agrees::<_, _, eval::KppKkpt<Minishogi>>(Mini::<false>::default(), |m| m.to_tables().0);
}

/// On 9×9 whole tables would be large: only what some positions touch is not zero.
#[test]
fn values_are_those_of_the_engine_on_9x9() {
    let mut model = TableModel::zeroed(ThreePiece::<Shogi, false>::default(), SGD);
    let positions = positions::<Shogi>(60, 3);
    let words = words(&model, &positions);
    let slopes: Vec<f32> = (0..positions.len()).map(|i| (i as f32).sin() * 1e-4).collect();
    model.learn(&words, &slopes, 30.0, &workers(2));
    for family in &mut model.families {
        let moved = family.own.values.iter_mut().filter(|x| **x != 0.0);
        moved.for_each(|x| *x = (*x * FV_SCALE).round() / FV_SCALE);
    }
    let values = values(&mut model, &positions);
    let mut evaluator = eval::KppKkpt::<Shogi>::new(Arc::new(model.to_tables().0));
    for (pos, value) in positions.iter().zip(values) {
        evaluator.refresh(pos);
        let expected = (value * FV_SCALE) as i32 / FV_SCALE as i32;
        assert_eq!(evaluator.evaluate(pos), expected, "{}", pos.sfen());
        assert_ne!(expected, material(pos, &PIECE_VALUES).abs());
    }
}

/// Of Σ slopeᵢ·valueᵢ by every weight, as one step of plain descent shows them.
fn gradients<S: Scheme>(scheme: S) {
    let mut model = TableModel::zeroed(scheme, TableOptions { factors: true, ..SGD });
    fill(&mut model, 5);
    let positions = positions::<Minishogi>(40, 6);
    let words = words(&model, &positions);
    let slopes: Vec<f32> = (0..positions.len()).map(|i| (i as f32 * 0.7).sin()).collect();
    let before = model.families.clone();
    let base = values(&mut model, &positions);
    let rate = 4e-4;
    model.learn(&words, &slopes, rate, &workers(2));
    let after = std::mem::replace(&mut model.families, before);
    let unit = f64::from(rate) * 600.0;
    for (table, after) in after.iter().enumerate() {
        for shared in [false, true] {
            let pick = |f: &mut family::Family| match (&mut f.shared, shared) {
                (Some(weights), true) => std::mem::take(&mut weights.values),
                _ => std::mem::take(&mut f.own.values),
            };
            let moved = pick(&mut after.clone());
            let old = pick(&mut model.families[table].clone());
            let changed: Vec<usize> = (0..old.len()).filter(|&i| old[i] != moved[i]).collect();
            assert!(changed.len() > 50, "table {table}: {}", changed.len());
            for &i in changed.iter().step_by(changed.len() / 40 + 1) {
                let found = f64::from(old[i] - moved[i]) / unit;
                let set = |model: &mut TableModel<_, S>, x: f32| {
                    let family = &mut model.families[table];
                    match (&mut family.shared, shared) {
                        (Some(weights), true) => weights.values[i] = x,
                        _ => family.own.values[i] = x,
                    }
                };
                set(&mut model, old[i] + 1.0);
                let above = values(&mut model, &positions);
                set(&mut model, old[i]);
                let differences = above.iter().zip(&base).zip(&slopes);
                let wanted: f64 = differences.map(|((a, b), s)| f64::from((a - b) * s)).sum();
                assert!((found - wanted).abs() < 0.02, "weight {i}: {found} {wanted}");
            }
        }
    }
}

#[test]
fn gradients_are_those_of_the_values() {
    gradients(FourPiece::default());
    gradients(Mini::<true>::default());
    gradients(Mini::<false>::default());
}

/// Learns to imitate tables that are known, on positions it has not seen too.
fn recover<S: Scheme>(scheme: impl Fn() -> S, factors: bool, optimiser: Optimiser) -> [f64; 2] {
    let options = TableOptions { optimiser, factors, ..SGD };
    let mut teacher = TableModel::zeroed(scheme(), TableOptions { factors: true, ..SGD });
    let mut random = Rng::for_purpose(9, &[]);
    for family in &mut teacher.families {
        let shared = family.shared.iter_mut().map(|w| (&mut w.values, 20.0));
        for (values, size) in std::iter::once((&mut family.own.values, 5.0)).chain(shared) {
            values.iter_mut().for_each(|x| *x = random.signed_unit() * size);
        }
    }
    let mut pupil = TableModel::zeroed(scheme(), options);
    let objective = Objective { lambda: 1.0, scale: 600.0 };
    let (seen, unseen) = (positions::<Minishogi>(1500, 1), positions::<Minishogi>(500, 2));
    let labels = |model: &mut TableModel<_, S>, positions: &[Position<Minishogi>]| {
        let label = |v: f32| Label::new(v.clamp(-3e4, 3e4).round() as i16, None);
        values(model, positions).into_iter().map(label).collect::<Vec<_>>()
    };
    let (seen_labels, unseen_labels) = (labels(&mut teacher, &seen), labels(&mut teacher, &unseen));
    let excess = |model: &mut TableModel<_, S>, positions: &[_], labels: &[Label]| {
        let mut losses = Losses::default();
        for (v, &label) in values(model, positions).into_iter().zip(labels) {
            objective.measure(v, label, &mut losses);
        }
        losses.mean().total - losses.mean().floor
    };
    let measure = |pupil: &mut TableModel<_, S>| {
        [excess(pupil, &seen, &seen_labels), excess(pupil, &unseen, &unseen_labels)]
    };
    let first = measure(&mut pupil);
    let words = words(&pupil, &seen);
    let stride = words.len() / seen.len();
    for _ in 0..30 {
        for (words, labels) in words.chunks(stride * 100).zip(seen_labels.chunks(100)) {
            let mut values = vec![0.0; labels.len()];
            pupil.forward(words, &workers(2), &mut values);
            let mut losses = Losses::default();
            let slope = |(&v, &l)| objective.measure(v, l, &mut losses) / labels.len() as f32;
            let slopes: Vec<f32> = values.iter().zip(labels).map(slope).collect();
            let rate = TableModel::<Minishogi, S>::usual_rate(optimiser);
            pupil.learn(words, &slopes, rate, &workers(2));
        }
    }
    let last = measure(&mut pupil);
    [last[0] / first[0], last[1] / first[1]]
}

#[test]
fn planted_tables_are_recovered() {
    let plain = recover(FourPiece::default, false, Optimiser::AdaGrad);
    let shared = recover(FourPiece::default, true, Optimiser::AdaGrad);
    assert!(plain[0] < 0.05 && shared[0] < 0.05, "{plain:?} {shared:?}");
    // Shared parts know something about what was not seen.
    assert!(shared[1] < 0.95 * plain[1], "{plain:?} {shared:?}");
    for left in [
        recover(Mini::<true>::default, true, Optimiser::AdaGrad),
        recover(Mini::<false>::default, false, Optimiser::AdaGrad),
        recover(Mini::<true>::default, true, Optimiser::Adam),
    ] {
        assert!(left[0] < 0.1 && left[1] < 0.8, "{left:?}");
    }
    let slow = recover(Mini::<true>::default, false, Optimiser::Sgd);
    assert!(slow[0] < 0.6 && slow[1] < 0.9, "{slow:?}");
}

#[test]
fn random_subspaces_move_their_share_of_entries() {
    let options = TableOptions { factors: true, subspace: 30, ..SGD };
    let positions = positions::<Minishogi>(300, 4);
    let moved = |options, steps| {
        let mut model = TableModel::<Minishogi, _>::zeroed(FourPiece::default(), options);
        let words = words(&model, &positions);
        let slopes = vec![1e-4; positions.len()];
        let mut before: Vec<Vec<f32>> = Vec::new();
        for _ in 0..steps {
            before = model.families.iter().flat_map(parts).collect();
            model.learn(&words, &slopes, 1.0, &workers(2));
        }
        let after = model.families.iter().flat_map(parts);
        let differs = |(a, b): (Vec<f32>, Vec<f32>)| -> Vec<usize> {
            (0..a.len()).filter(|&i| a[i] != b[i]).collect()
        };
        before.into_iter().zip(after).map(differs).collect::<Vec<_>>()
    };
    let (all, some, next) = (moved(SGD_SHARED, 1), moved(options, 1), moved(options, 2));
    for ((all, some), next) in all.iter().zip(&some).zip(&next) {
        let share = some.len() as f64 / all.len() as f64;
        assert!((0.25..0.35).contains(&share), "{share} of {} numbers", all.len());
        assert!(some.iter().all(|i| all.binary_search(i).is_ok()));
        assert_ne!(some, next, "another batch draws others");
    }
}

const SGD_SHARED: TableOptions = TableOptions { factors: true, ..SGD };

/// The numbers of a table, its own and those it shares.
fn parts(family: &family::Family) -> Vec<Vec<f32>> {
    let shared = family.shared.iter().map(|shared| shared.values.clone());
    std::iter::once(family.own.values.clone()).chain(shared).collect()
}

#[test]
fn threads_and_checkpoints_change_nothing() {
    let positions = positions::<Minishogi>(300, 6);
    for optimiser in Optimiser::ALL {
        let options = TableOptions { optimiser, factors: true, subspace: 60 };
        let fresh = || TableModel::<Minishogi, _>::zeroed(Mini::<true>::default(), options);
        let words = words(&fresh(), &positions);
        let run = |threads: usize, broken: bool| {
            let mut model = fresh();
            let mut values = vec![0.0; positions.len()];
            for step in 0..4 {
                if broken && step == 2 {
                    let mut saved = Vec::new();
                    model.save(&mut saved).unwrap();
                    model = fresh();
                    fill(&mut model, 3);
                    assert!(model.restore(&mut &saved[..saved.len() - 1]).is_err());
                    model.restore(&mut &saved[..]).unwrap();
                }
                model.forward(&words, &workers(threads), &mut values);
                let slopes: Vec<f32> =
                    values.iter().enumerate().map(|(i, v)| (v + i as f32) * 1e-7).collect();
                model.learn(&words, &slopes, 0.5, &workers(threads));
            }
            model.families
        };
        let wanted = run(1, false);
        assert!(run(3, false) == wanted && run(8, true) == wanted, "{optimiser}");
    }
}

#[test]
fn tables_lead_back() {
    let mut model = TableModel::zeroed(FourPiece::default(), SGD);
    fill(&mut model, 4);
    let (tables, cut) = model.to_tables();
    assert_eq!(cut, 0);
    let mut again = TableModel::zeroed(FourPiece::default(), TableOptions { factors: true, ..SGD });
    again.set_tables(&tables);
    assert!(again.to_tables().0 == tables);

    let mut model = TableModel::zeroed(Mini::<true>::default(), SGD);
    fill(&mut model, 4);
    let (tables, _) = model.to_tables();
    let mut again = TableModel::zeroed(Mini::<true>::default(), SGD);
    again.set_tables(&tables);
    assert!(again.to_tables().0 == tables);

    // What is not symmetric becomes so: the mean of both sides.
    let mut odd = Tables::<Minishogi, true>::zeroed();
    odd.kk[2 * (24 * 25)] = 640;
    again.set_tables(&odd);
    let kept = again.to_tables().0;
    // Black's king on 5e and White's on 1a are each other's turned image.
    assert_eq!(kept.kk(24, 0), [0, 0]);
    odd.kk[2 * (24 * 25 + 2)] = 640;
    again.set_tables(&odd);
    let kept = again.to_tables().0;
    assert_eq!([kept.kk(24, 2), kept.kk(4, 22), kept.kk(22, 0)], [[160, 0], [160, 0], [-160, 0]]);
}

#[test]
fn values_beyond_the_bounds_are_cut_and_counted() {
    let options = TableOptions { factors: true, ..SGD };
    let mut model = TableModel::<Minishogi, _>::zeroed(Mini::<false>::default(), options);
    let positions = positions::<Minishogi>(20, 3);
    let words = words(&model, &positions);
    let slopes: Vec<f32> = (0..positions.len()).map(|i| (i as f32).sin()).collect();
    model.learn(&words, &slopes, 2e7, &Workers::ONE);
    let bounds = model.families[0].own.values.iter().all(|x| x.abs() <= 1000.0);
    assert!(bounds);
    let (tables, cut) = model.to_tables();
    assert!(cut > 0);
    assert!(tables.kpp.contains(&i16::MAX) && tables.kpp.contains(&i16::MIN));
}
