use super::*;
use crate::table::Row;

fn balance(settings: Settings) -> Balance {
    let starts = Start::usual(Game::Minishogi);
    Balance::new(Game::Minishogi, starts, settings, Table::published(), 5).expect("sensible")
}

/// Plays so many games of a start with that share of wins for Black, evenly spread.
fn score(balance: &mut Balance, start: usize, wins: u64, games: u64) -> Option<Adjustment> {
    let mut last = None;
    for game in 0..games {
        let won = game * wins / games != (game + 1) * wins / games;
        let winner = if won { Color::Black } else { Color::White };
        let revision = balance.starts()[start].revision();
        last = balance.finished(start, revision, Outcome::Won(winner)).expect("a known start");
    }
    last
}

#[test]
fn half_of_the_difference_is_added_as_in_the_paper() {
    let mut balance = balance(Settings::paper());
    let adjustment = score(&mut balance, 1, 4240, 8000).expect("enough games");
    assert_eq!(adjustment.score, Wdl { wins: 4240, draws: 0, losses: 3760 });
    // 0.53 is 21 Elo: Black is weakened by the half of it.
    assert!((adjustment.after.points() - 10.44).abs() < 0.01, "{adjustment:?}");
    let game = (0..100).map(|game| balance.assignment(game)).find(|a| a.start == 1);
    let game = game.expect("each start comes");
    assert_eq!((game.revision, game.white), (1, Temperature::ZERO));
    assert_eq!(game.temperature(Color::Black), Temperature::from_thousandths(23));
    // White is the stronger now, but in the paper only Black is ever weakened.
    let adjustment = score(&mut balance, 1, 2000, 8000).expect("enough games");
    assert_eq!(adjustment.after, Elo::ZERO);
}

#[test]
fn the_stronger_side_is_weakened_whichever_it_is() {
    let mut balance = balance(Settings { every: 100, ..Settings::default() });
    score(&mut balance, 0, 40, 100).expect("enough games");
    let game = (0..100).map(|game| balance.assignment(game)).find(|a| a.start == 0);
    let game = game.expect("each start comes");
    assert_eq!(game.temperature(Color::Black), Temperature::ZERO);
    assert!(game.temperature(Color::White) > Temperature::ZERO);
}

#[test]
fn there_is_a_highest_temperature() {
    let highest = Temperature::from_thousandths(1500);
    let mut balance = balance(Settings { every: 50, highest, ..Settings::default() });
    for _ in 0..40 {
        score(&mut balance, 6, 50, 50).expect("enough games");
    }
    assert!((0..100).all(|game| balance.assignment(game).black <= highest));
    assert_eq!(balance.starts()[6].weakening(), balance.table().elo_of(highest));
    assert!(balance.starts()[6].worth(8).is_none(), "all points on one side tell no worth");
    // What could not be weakened further is not owed: the first losses count at once.
    let adjustment = score(&mut balance, 6, 20, 50).expect("enough games");
    assert!(adjustment.after < balance.table().elo_of(highest));
}

#[test]
fn games_of_earlier_temperatures_and_without_a_result_are_not_counted() {
    let mut balance = balance(Settings { every: 2, ..Settings::default() });
    let won = Outcome::Won(Color::Black);
    assert_eq!(balance.finished(0, 0, Outcome::Unknown), Ok(None));
    assert_eq!(balance.finished(0, 0, won), Ok(None));
    assert!(balance.finished(0, 0, Outcome::Draw).expect("known").is_some());
    for _ in 0..10 {
        assert_eq!(balance.finished(0, 0, won), Ok(None), "it was under way");
    }
    assert_eq!(balance.starts()[0].revision(), 1);
    let unknown = BalanceError::UnknownStart { start: 7, starts: 7 };
    assert_eq!(balance.finished(7, 0, won), Err(unknown));
}

#[test]
fn starts_are_equally_likely_and_the_same_whenever_asked_for() {
    let balance = balance(Settings::default());
    let mut counts = [0u32; 7];
    for game in 0..70_000 {
        counts[balance.assignment(game).start] += 1;
    }
    // Four standard deviations.
    assert!(counts.iter().all(|n| n.abs_diff(10_000) < 371), "{counts:?}");
    assert_eq!(balance.assignment(9), balance.assignment(9));
}

#[test]
fn a_new_table_changes_no_temperature() {
    let mut balance = balance(Settings { every: 100, ..Settings::default() });
    score(&mut balance, 0, 20, 100);
    score(&mut balance, 3, 90, 100);
    let assigned = |balance: &Balance| {
        (0..200).map(|game| balance.assignment(game)).collect::<Vec<Assignment>>()
    };
    let (before, weakening) = (assigned(&balance), balance.starts()[3].weakening());
    let steeper = balance.table().rows().iter().map(|row| twice(*row)).collect();
    balance.replace_table(Table::new("twice as steep", steeper).expect("it goes up"));
    assert_eq!(assigned(&balance), before);
    let ratio = balance.starts()[3].weakening().points() / weakening.points();
    assert!((ratio - 2.0).abs() < 0.01, "{ratio}");
    assert!(balance.starts()[0].weakening() < Elo::ZERO);
}

fn twice(row: Row) -> Row {
    Row { elo: Elo::from_thousandths(2 * row.elo.thousandths()), ..row }
}

#[test]
fn the_worth_of_a_start_is_the_weakening_and_what_is_left() {
    let mut balance = balance(Settings { every: 1000, ..Settings::default() });
    score(&mut balance, 2, 700, 1000);
    score(&mut balance, 2, 600, 1000);
    let weakening = 0.5 * rating::elo_of(0.7);
    let worth = balance.starts()[2].worth(1).expect("a history");
    assert!((worth.elo - weakening - rating::elo_of(0.6)).abs() < 0.2, "{worth:?}");
    assert!((worth.error - 11.2).abs() < 0.2, "{worth:?}");
    assert!(balance.starts()[0].worth(1).is_none());
}

#[test]
fn what_makes_no_sense_is_refused_also_when_read() {
    let sensible = balance(Settings::default());
    let text = serde_json::to_string(&sensible).expect("plain data");
    assert_eq!(serde_json::from_str::<Balance>(&text).expect("what was written"), sensible);
    for (from, to, message) in [
        ("\"every\":500", "\"every\":0", "0 games between"),
        ("\"percent\":50", "\"percent\":101", "101 percent"),
        ("\"percent\":50", "\"percent\":0", "0 percent"),
        ("KGSBR w - 1", "KGSBR w", "cannot be read"),
        ("\"minishogi\"", "\"chess\"", "unknown game"),
        ("\"temperature\":1000", "\"temperature\":0", "goes up"),
    ] {
        assert!(text.contains(from), "{from}");
        let error = serde_json::from_str::<Balance>(&text.replace(from, to)).expect_err(to);
        assert!(error.to_string().contains(message), "{error}");
    }
    let table = Table::published();
    let none = Balance::new(Game::Shogi, Vec::new(), Settings::default(), table, 0);
    assert_eq!(none, Err(BalanceError::NoStarts));
}
