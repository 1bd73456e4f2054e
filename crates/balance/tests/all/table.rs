//! Temperature tables measured twice.

use crate::players::{World, curved, published};
use balance::{Table, Temperature, TemperatureMatch, Wdl};
use rules::Color;
use seed::Rng;

fn measured(world: &World, games: u64, seed: u64) -> Table {
    let temperatures: Vec<Temperature> =
        (0..=10).map(|n| Temperature::from_thousandths(200 * n)).collect();
    let mut matches = Vec::new();
    for (number, (first, second)) in Table::pairings(&temperatures).into_iter().enumerate() {
        let mut rng = Rng::for_purpose(seed, &[number as u64]);
        let mut score = Wdl::default();
        for game in 0..games {
            // Colours change from game to game; the first move is worth something.
            let outcome = if game % 2 == 0 {
                world.play(29.0, first, second, &mut rng).for_side(Color::Black)
            } else {
                world.play(29.0, second, first, &mut rng).for_side(Color::White)
            };
            score.add(outcome.expect("every virtual game has a result"));
        }
        matches.push(TemperatureMatch { first, second, score });
    }
    Table::measured("virtual games", &matches).expect("neighbours can be compared")
}

/// The largest difference of two columns in standard errors of that difference.
fn worst(rows: impl Iterator<Item = (f64, f64, f64)>) -> f64 {
    rows.map(|(a, b, error)| if a == b { 0.0 } else { (a - b).abs() / error }).fold(0.0, f64::max)
}

fn against_truth(table: &Table, world: &World) -> f64 {
    worst(
        table.rows().iter().map(|row| {
            (row.elo.points(), (world.law)(row.temperature.value()), row.error.points())
        }),
    )
}

#[test]
fn a_table_is_the_law_within_its_error_and_a_second_seed_says_the_same() {
    for (law, draws) in [(curved as fn(f64) -> f64, 0.0), (curved, 0.4), (published, 0.1)] {
        let world = World { law, draws };
        let tables = [measured(&world, 2000, 1), measured(&world, 2000, 2)];
        for table in &tables {
            let off = against_truth(table, &world);
            assert!(off < 3.5, "{off} standard errors from the truth: {table:?}");
        }
        let both = tables[0].rows().iter().zip(tables[1].rows());
        let off = worst(both.map(|(a, b)| {
            let error = (a.error.points().powi(2) + b.error.points().powi(2)).sqrt();
            (a.elo.points(), b.elo.points(), error)
        }));
        assert!(off > 0.0 && off < 3.5, "{off} standard errors between the seeds");
        // What is known is known well: the errors are not so large that everything agrees.
        assert!(tables[0].rows().iter().all(|row| row.error.points() < 30.0));
    }
    let (curved, straight) =
        (World { law: curved, draws: 0.0 }, World { law: published, draws: 0.0 });
    let off = against_truth(&measured(&curved, 2000, 1), &straight);
    assert!(off > 8.0, "another law is told apart: {off}");
}

#[test]
fn the_same_seed_gives_the_same_table_and_more_games_smaller_errors() {
    let world = World { law: curved, draws: 0.2 };
    assert_eq!(measured(&world, 300, 7), measured(&world, 300, 7));
    let error = |games| {
        let table = measured(&world, games, 7);
        table.rows().last().expect("rows").error.points()
    };
    let ratio = error(200) / error(3200);
    assert!((3.0..5.5).contains(&ratio), "sixteen times the games: {ratio}");
}
