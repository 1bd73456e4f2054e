use super::*;
use crate::spsa::{Gains, Parameter};
use seed::Rng;

/// Where the virtual players are strongest.
const BEST: [f64; 3] = [70.0, 15.0, -400.0];

fn parameters() -> Vec<Parameter> {
    let parameter = |name: &str, start, min: f64, max: f64| Parameter {
        name: name.to_owned(),
        start,
        min,
        max,
        c_end: (max - min) / 20.0,
        r_end: 0.02,
    };
    vec![
        parameter("a", 30.0, 0.0, 100.0),
        parameter("b", 5.0, 0.0, 40.0),
        parameter("c", 500.0, -1000.0, 1000.0),
    ]
}

/// Elo of a set of values: 300 less for every half range away from the best.
fn strength(parameters: &[Parameter], values: impl Iterator<Item = f64>) -> f64 {
    let far = |((parameter, value), best): ((&Parameter, f64), f64)| {
        let x = (value - best) / ((parameter.max - parameter.min) / 2.0);
        -300.0 * x * x
    };
    parameters.iter().zip(values).zip(BEST).map(far).sum()
}

/// A game at random: the same for the same number, whoever plays it and when.
fn virtual_game(parameters: &[Parameter], game: &TuningGame) -> TuningResult {
    let elo = |values: &[i64]| strength(parameters, values.iter().map(|&v| v as f64));
    let difference = elo(&game.probe.plus) - elo(&game.probe.minus);
    let chance = Rng::new(99).split(game.number).unit();
    let share = crate::stats::score_of(difference);
    // A fifth of the games is drawn.
    let half_points = if chance < share - 0.1 {
        2
    } else if chance < share + 0.1 {
        1
    } else {
        0
    };
    TuningResult { half_points, fault: false }
}

fn run(spsa: &mut Spsa, pairs: u64, workers: usize, until: u64) -> Vec<Step> {
    let parameters = parameters();
    let mut steps = Vec::new();
    let player = |_| -> PlayGame<'_> {
        let parameters = &parameters;
        Box::new(move |game| Some(virtual_game(parameters, game)))
    };
    tune(spsa, pairs, workers, &player, &mut |step| {
        steps.push(step.clone());
        if step.iteration + 1 == until { Flow::Stop } else { Flow::Continue }
    });
    steps
}

#[test]
fn noisy_games_lead_to_the_best_values() {
    for seed in [1, 2, 3] {
        let mut spsa = Spsa::new(parameters(), Gains::new(6000), seed);
        let before = strength(spsa.parameters(), spsa.values().iter().copied());
        let steps = run(&mut spsa, 1, 2, u64::MAX);
        let after = strength(spsa.parameters(), spsa.values().iter().copied());
        assert_eq!((steps.len(), spsa.applied()), (6000, 6000));
        assert!(before < -250.0 && after > -25.0, "{before} to {after}: {:?}", spsa.values());
    }
}

#[test]
fn any_number_of_workers_and_any_interruption_give_the_same_steps() {
    let whole = run(&mut Spsa::new(parameters(), Gains::new(200), 7), 2, 1, u64::MAX);
    assert_eq!(whole.len(), 200);
    assert!(whole.iter().all(|step| step.games() == 4));
    assert_eq!(run(&mut Spsa::new(parameters(), Gains::new(200), 7), 2, 5, u64::MAX), whole);
    assert_ne!(run(&mut Spsa::new(parameters(), Gains::new(200), 8), 2, 1, u64::MAX), whole);
    for until in [1, 9, 77, 199] {
        let mut begun = run(&mut Spsa::new(parameters(), Gains::new(200), 7), 2, 3, until);
        assert_eq!(begun.len() as u64, until);
        // All that is known after a kill is what was written down.
        let mut resumed = Spsa::new(parameters(), Gains::new(200), 7);
        for step in &begun {
            resumed.apply(step.result());
            assert_eq!(resumed.values(), step.values);
        }
        begun.extend(run(&mut resumed, 2, 2, u64::MAX));
        assert_eq!(begun, whole);
    }
}

#[test]
fn breaking_off_ends_every_worker() {
    let player = |worker: usize| -> PlayGame<'_> {
        let mut left = 20;
        Box::new(move |_| {
            left -= 1;
            (worker > 0 || left > 0).then_some(TuningResult { half_points: 1, fault: false })
        })
    };
    let mut spsa = Spsa::new(parameters(), Gains::new(1_000_000), 1);
    tune(&mut spsa, 1, 4, &player, &mut |_| Flow::Continue);
    assert!(spsa.applied() < 1_000_000);
}
