use super::*;

fn row(temperature: u32, points: i64) -> Row {
    Row {
        temperature: Temperature::from_thousandths(temperature),
        elo: Elo::from_thousandths(points * 1000),
        error: Elo::ZERO,
    }
}

#[test]
fn published_figures_are_found_and_lie_on_lines_between() {
    let table = Table::published();
    for (temperature, points) in
        [(0, 0.0), (500, 221.5), (1000, 443.0), (1150, 567.5), (1300, 692.0), (2300, 1522.0)]
    {
        let temperature = Temperature::from_thousandths(temperature);
        let elo = table.elo_of(temperature);
        assert!((elo.points() - points).abs() < 0.002, "{temperature}: {elo:?}");
        assert_eq!(table.temperature_of(elo), temperature, "and back");
    }
    assert_eq!(table.temperature_of(Elo::from_points(-100.0)), Temperature::ZERO);
    // Nothing that fits into the types is too much.
    assert_eq!(table.elo_of(Temperature::from_thousandths(u32::MAX)), Elo::MOST);
    assert!(table.temperature_of(Elo::MOST) > Temperature::from_thousandths(9000));
}

#[test]
fn steps_without_a_difference_are_crossed_at_the_lowest_temperature() {
    let rows = vec![row(0, 0), row(500, 0), row(1000, 100), row(1500, 100), row(2000, 100)];
    let table = Table::new("test", rows).expect("it goes up");
    let temperature = |points: f64| table.temperature_of(Elo::from_points(points)).thousandths();
    assert_eq!([temperature(0.0), temperature(50.0), temperature(100.0)], [0, 750, 1000]);
    // Beyond the end: on the line through the last two that differ.
    assert_eq!(temperature(200.0), 3500);
    assert_eq!(table.elo_of(Temperature::from_thousandths(3500)), Elo::from_points(200.0));
}

#[test]
fn what_is_no_table_is_refused() {
    for (rows, message) in [
        (vec![], "two rows"),
        (vec![row(0, 0)], "two rows"),
        (vec![row(100, 0), row(200, 10)], "begins with temperature 0"),
        (vec![row(0, 5), row(200, 10)], "begins with temperature 0"),
        (vec![row(0, 0), row(200, 10), row(200, 20)], "goes up"),
        (vec![row(0, 0), row(200, 10), row(300, 9)], "0.300 at 9 Elo comes after 0.200 at 10"),
        (vec![row(0, 0), row(200, 0)], "no temperature"),
    ] {
        let error = Table::new("test", rows.clone()).expect_err(message);
        assert!(error.to_string().contains(message), "{error}");
        let stored = StoredTable { origin: "test".to_owned(), rows };
        let text = serde_json::to_string(&stored).expect("plain data");
        let error = serde_json::from_str::<Table>(&text).expect_err("as refused in a file");
        assert!(error.to_string().contains(message), "{error}");
    }
    let table = Table::published();
    let text = serde_json::to_string(&table).expect("plain data");
    assert_eq!(serde_json::from_str::<Table>(&text).expect("what was written"), table);
}

#[test]
fn matches_that_tell_nothing_are_named() {
    let of = Temperature::from_thousandths;
    let played = |first, second, wins, losses| TemperatureMatch {
        first: of(first),
        second: of(second),
        score: Wdl { wins, draws: 0, losses },
    };
    assert_eq!(Table::measured("x", &[]), Err(MeasureError::NoZero));
    assert_eq!(Table::measured("x", &[played(500, 1000, 6, 4)]), Err(MeasureError::NoZero));
    let all_won = [played(0, 500, 60, 40), played(500, 3000, 100, 0)];
    assert_eq!(Table::measured("x", &all_won), Err(MeasureError::NotComparable(of(3000))));
    assert_eq!(
        Table::measured("x", &[played(0, 500, 100, 0)]),
        Err(MeasureError::NotComparable(of(500)))
    );
    let worse = [played(0, 500, 40, 60)];
    assert_eq!(Table::measured("x", &worse), Err(MeasureError::Table(TableError::Flat)));
}

#[test]
fn ratings_of_matches_become_rows() {
    let of = Temperature::from_thousandths;
    // 240 points between neighbours are four to one.
    let score = Wdl { wins: 700, draws: 200, losses: 100 };
    let matches = [(0, 500), (500, 1000), (1000, 1500)].map(|(first, second)| TemperatureMatch {
        first: of(first),
        second: of(second),
        score,
    });
    let table = Table::measured("test", &matches).expect("all can be compared");
    let found: Vec<f64> = table.rows().iter().map(|row| row.elo.points()).collect();
    for (found, wanted) in found.iter().zip([0.0, 240.8, 481.6, 722.5]) {
        assert!((found - wanted).abs() < 0.1, "{found} {wanted}");
    }
    assert_eq!(table.rows()[0].error, Elo::ZERO);
    assert!(table.rows().windows(2).all(|pair| pair[0].error < pair[1].error));
}

#[test]
fn every_temperature_meets_the_next_two() {
    let of = Temperature::from_thousandths;
    let found = Table::pairings(&[of(10), of(0), of(30), of(10), of(20)]);
    let wanted = [(0, 10), (0, 20), (10, 20), (10, 30), (20, 30)].map(|(a, b)| (of(a), of(b)));
    assert_eq!(found, wanted);
    assert!(Table::pairings(&[]).is_empty() && Table::pairings(&[of(5)]).is_empty());
}
