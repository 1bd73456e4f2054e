//! Runs of the controller.

use crate::players::{World, curved, published};
use balance::{Balance, Row, Settings, Start, Table, Wdl};
use play::Outcome;
use rules::{Color, Game};
use seed::Rng;

/// What the starts are worth in truth; the paper's figures.
const WORTHS: [f64; 7] = [29.0, 119.0, 395.0, 438.0, 610.0, 681.0, 809.0];

fn fresh(settings: Settings, table: Table) -> Balance {
    Balance::new(Game::Shogi, Start::usual(Game::Shogi), settings, table, 17).expect("sensible")
}

/// The published table made steeper by a factor.
fn steeper(factor: f64) -> Table {
    let published = Table::published();
    let row = |row: &Row| Row { elo: balance::Elo::from_points(factor * row.elo.points()), ..*row };
    Table::new("test", published.rows().iter().map(row).collect()).expect("it goes up")
}

fn play_on(
    balance: &mut Balance,
    world: &World,
    worths: impl Fn(u64, usize) -> f64,
    games: std::ops::Range<u64>,
) {
    for number in games {
        let assignment = balance.assignment(number);
        let mut rng = Rng::for_purpose(99, &[number]);
        let worth = worths(number, assignment.start);
        let outcome = world.play(worth, assignment.black, assignment.white, &mut rng);
        balance.finished(assignment.start, assignment.revision, outcome).expect("a known start");
    }
}

/// The score of the last so many windows of a start.
fn last_score(balance: &Balance, start: usize, windows: usize) -> Wdl {
    let history = balance.starts()[start].history().entries();
    let last = &history[history.len() - windows..];
    last.iter().fold(Wdl::default(), |sum, window| sum.plus(window.score))
}

#[test]
fn every_start_settles_at_one_half_whatever_the_true_law() {
    let settings = Settings { every: 500, ..Settings::default() };
    for (name, law, draws, table) in [
        ("the table's law", published as fn(f64) -> f64, 0.0, Table::published()),
        ("many draws", published, 0.6, Table::published()),
        ("another law", curved, 0.1, Table::published()),
        ("a table twice too steep", curved, 0.0, steeper(2.0)),
        ("a table half as steep", curved, 0.0, steeper(0.5)),
    ] {
        let world = World { law, draws };
        let mut balance = fresh(settings, table);
        play_on(&mut balance, &world, |_, start| WORTHS[start], 0..350_000);
        for (start, worth) in WORTHS.iter().enumerate() {
            let score = last_score(&balance, start, 40);
            // The mean of a controlled score scatters less than free games would.
            let error = 0.5 / (score.games() as f64).sqrt();
            assert!((score.share() - 0.5).abs() < 3.0 * error, "{name}: {start}: {score:?}");
            // What Black lost by its temperature is what the start is worth.
            let mut means = (0.0, 0.0);
            for number in 0..100 {
                let assignment = balance.assignment(number);
                if assignment.start == start {
                    means.0 += law(assignment.black.value()) - law(assignment.white.value());
                    means.1 += 1.0;
                }
            }
            let found = means.0 / means.1;
            assert!((found - worth).abs() < 60.0, "{name}: {start}: {found} is not {worth}");
        }
    }
}

#[test]
fn the_worth_of_each_start_is_found_within_its_error() {
    let world = World { law: published, draws: 0.2 };
    let mut balance = fresh(Settings { every: 500, ..Settings::default() }, Table::published());
    play_on(&mut balance, &world, |_, start| WORTHS[start], 0..350_000);
    for (start, worth) in balance.starts().iter().zip(WORTHS) {
        let found = start.worth(40).expect("a history");
        assert!(found.error < 4.0, "{found:?}");
        // Temperatures have three digits and the Elo scale is curved: a point of slack.
        assert!((found.elo - worth).abs() < 3.5 * found.error + 1.0, "{found:?} {worth}");
    }
}

/// Adjusting by half of what chance did leaves the weakening scattered by 1/√3 of a window's error around its
/// goal, each one half way between the last and something new.
#[test]
fn chance_is_followed_no_further_than_it_must() {
    let world = World { law: published, draws: 0.0 };
    let mut balance = fresh(Settings { every: 500, ..Settings::default() }, Table::published());
    play_on(&mut balance, &world, |_, start| WORTHS[start], 0..700_000);
    let (mut scatter, mut carried) = (0.0, 0.0);
    // Those that never come to an end of the scale.
    for start in 1..WORTHS.len() {
        let history = balance.starts()[start].history().entries();
        let settled: Vec<f64> = history[20..].iter().map(|w| w.weakening.points()).collect();
        let mean = settled.iter().sum::<f64>() / settled.len() as f64;
        let variance = settled.iter().map(|w| (w - mean).powi(2)).sum::<f64>();
        let along = settled.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum::<f64>();
        scatter += (variance / settled.len() as f64).sqrt() / 6.0;
        carried += along / variance / 6.0;
    }
    assert!((scatter - 8.97).abs() < 1.0, "{scatter}");
    assert!((carried - 0.5).abs() < 0.1, "below zero it would swing: {carried}");
}

/// What a thousandth of a temperature changes of a score, at most: nearer than that nothing can come.
const NEAREST: f64 = 0.0015;

/// Scores without chance: what is left is the controller itself.
#[test]
fn it_comes_from_one_side_and_does_not_swing() {
    for (law, table, swings) in [
        (published as fn(f64) -> f64, Table::published(), false),
        (curved, Table::published(), false),
        (published, steeper(2.0), false),
        (published, steeper(0.5), false),
        // A step of the table worth three in truth: over the goal each time, nearer each time.
        (published, steeper(1.0 / 3.0), true),
    ] {
        let world = World { law, draws: 0.0 };
        let every = 4000;
        let mut balance = fresh(Settings { every, ..Settings::default() }, table);
        for (start, worth) in WORTHS.into_iter().enumerate() {
            let mut errors = Vec::new();
            for _ in 0..40 {
                let number = (0..1000).find(|&n| balance.assignment(n).start == start);
                let assignment = balance.assignment(number.expect("each start comes"));
                let share = world.expected(worth, assignment.black, assignment.white);
                errors.push(share - 0.5);
                let wins = (share * every as f64).round() as u64;
                for game in 0..every {
                    let winner = if game < wins { Color::Black } else { Color::White };
                    let outcome = Outcome::Won(winner);
                    balance.finished(start, assignment.revision, outcome).expect("known");
                }
            }
            let end = errors.last().copied().unwrap_or(1.0);
            assert!(end.abs() < NEAREST, "{start}: {errors:?}");
            let crossed = errors.windows(2).any(|pair| pair[0] * pair[1] < -NEAREST * NEAREST);
            assert_eq!(crossed, swings && errors[0] > 0.01, "{start}: {errors:?}");
            assert!(
                errors.windows(2).all(|pair| pair[1].abs() <= pair[0].abs().max(NEAREST)),
                "{start}: every step is an improvement: {errors:?}"
            );
        }
    }
}

/// A learner that gets better: starts are worth more and more, and the score still returns to one half.
#[test]
fn it_follows_a_learner_that_gets_stronger() {
    let world = World { law: curved, draws: 0.1 };
    let games = 350_000;
    let worth = |number: u64, start: usize| WORTHS[start] * (number as f64 / games as f64);
    let mut balance = fresh(Settings { every: 500, ..Settings::default() }, Table::published());
    play_on(&mut balance, &world, worth, 0..games);
    for start in 0..WORTHS.len() {
        let share = last_score(&balance, start, 20).share();
        assert!((share - 0.5).abs() < 0.03, "{start}: {share}");
    }
}

#[test]
fn a_run_that_is_killed_and_resumed_is_the_same_run() {
    let world = World { law: curved, draws: 0.3 };
    let settings = Settings { every: 37, ..Settings::default() };
    let worths = |_: u64, start: usize| WORTHS[start];
    let mut whole = fresh(settings, Table::published());
    play_on(&mut whole, &world, worths, 0..20_000);
    let mut broken = fresh(settings, Table::published());
    let mut from = 0;
    for to in [1, 36, 37, 5000, 5001, 12_345, 20_000] {
        play_on(&mut broken, &world, worths, from..to);
        let text = serde_json::to_string(&broken).expect("plain data");
        broken = serde_json::from_str(&text).expect("what was written");
        from = to;
    }
    assert_eq!(broken, whole);
}
