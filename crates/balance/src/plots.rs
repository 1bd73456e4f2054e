//! Pictures of what was measured, as SVG.

use crate::controller::Balance;
use crate::stats::Statistics;
use crate::strength::{Role, Strength};
use crate::table::Table;
use chart::{Axis, Frame, Line, Side, grouped};
use rating::Rating;

/// Colours that are told apart, also by most who do not see all of them (Okabe and Ito, 2008).
const COLORS: [&str; 7] =
    ["#000000", "#e69f00", "#56b4e9", "#009e73", "#0072b2", "#d55e00", "#cc79a7"];

fn line(index: usize, name: &str) -> Line<'_> {
    let color = COLORS[index % COLORS.len()];
    Line { color, width: 1.5, dashed: index >= COLORS.len(), name }
}

fn games_label(games: f64) -> String {
    // An axis of games begins at 0.
    grouped(games.max(0.0).round() as u64)
}

fn elo_label(elo: f64) -> String {
    format!("{elo:.0}")
}

/// The range of all these numbers with zero in it, widened to whole hundreds.
fn hundreds(values: impl IntoIterator<Item = f64>) -> (f64, f64) {
    let finite = values.into_iter().filter(|value| value.is_finite());
    let (low, high) = finite.fold((0.0f64, 0.0f64), |(low, high), v| (low.min(v), high.max(v)));
    let (low, high) = ((low / 100.0).floor() * 100.0, (high / 100.0).ceil() * 100.0);
    if low == high { (low, low + 100.0) } else { (low, high) }
}

/// Black's share of the points by games of each start: it returns to one half.
pub fn score_over_time(statistics: &Statistics) -> String {
    let curves: Vec<_> = statistics
        .starts()
        .iter()
        .map(|start| (start.start().name.as_str(), start.score_over_time()))
        .collect();
    let last = curves.iter().filter_map(|(_, curve)| curve.last()).map(|&(games, _)| games).max();
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let x = Axis { from: 0.0, to: last.unwrap_or(1) as f64, label: &games_label };
    let y = Axis { from: 0.0, to: 1.0, label: &percent };
    let mut frame = Frame::new("Black's score by start", "games of the start", x, y, Side::Right);
    for (index, (name, curve)) in curves.iter().enumerate() {
        let points = curve.iter().map(|&(games, share)| (games as f64, share));
        frame = frame.curve(line(index, name), points);
    }
    frame.svg()
}

/// How much Black was weakened by games of each start.
pub fn weakening_over_time(balance: &Balance) -> String {
    let curves: Vec<_> = balance
        .starts()
        .iter()
        .map(|start| {
            let mut games = 0;
            let point = |window: &crate::controller::Window| {
                let at = (games as f64, window.weakening.points());
                games += window.score.games();
                at
            };
            let points: Vec<_> = start.history().entries().iter().map(point).collect();
            (start.start().name.as_str(), points)
        })
        .collect();
    let all = || curves.iter().flat_map(|(_, points)| points.iter().copied());
    let last = all().map(|(games, _)| games).fold(1.0, f64::max);
    let (low, high) = hundreds(all().map(|(_, elo)| elo));
    let x = Axis { from: 0.0, to: last, label: &games_label };
    let y = Axis { from: low, to: high, label: &elo_label };
    let title = "Elo by which Black is weakened, by start";
    let mut frame = Frame::new(title, "games of the start", x, y, Side::Left);
    for (index, (name, points)) in curves.iter().enumerate() {
        frame = frame.curve(line(index, name), points.iter().copied());
    }
    frame.svg()
}

/// What each start is worth to Black, with errors (two standard errors either way).
pub fn worth_of_starts(worths: &[(String, Rating)]) -> String {
    let ends = worths.iter().flat_map(|(_, r)| [r.elo - 2.0 * r.error, r.elo + 2.0 * r.error]);
    let (low, high) = hundreds(ends);
    let no_label = |_: f64| String::new();
    let x = Axis { from: 0.0, to: worths.len() as f64 + 1.0, label: &no_label };
    let y = Axis { from: low, to: high, label: &elo_label };
    let title = "Elo that each start is worth to Black";
    let mut frame = Frame::new(title, "starts", x, y, Side::Left);
    for (index, (name, rating)) in worths.iter().enumerate() {
        let (at, color) = (index as f64 + 1.0, COLORS[index % COLORS.len()]);
        let ends = (rating.elo - 2.0 * rating.error, rating.elo + 2.0 * rating.error);
        let text = format!("{name} {:.0}", rating.elo);
        frame = frame.error_bar(at, ends, color).dot((at, rating.elo), 4.0, color).word(
            (at, rating.elo),
            &text,
            color,
        );
    }
    frame.svg()
}

/// Temperature against Elo, with errors (two standard errors either way).
pub fn temperature_table(table: &Table) -> String {
    let rows = table.rows();
    let highest = rows.last().map_or(1.0, |row| row.temperature.value());
    let (low, high) = hundreds(rows.iter().map(|row| row.elo.points() + 2.0 * row.error.points()));
    let tenths = |t: f64| format!("{t:.2}");
    let x = Axis { from: 0.0, to: highest, label: &tenths };
    let y = Axis { from: low, to: high, label: &elo_label };
    let title = "Elo lost by temperature";
    let mut frame = Frame::new(title, "temperature", x, y, Side::Left);
    let points = rows.iter().map(|row| (row.temperature.value(), row.elo.points()));
    frame = frame.curve(line(4, table.origin()), points);
    for row in rows {
        let (at, elo, error) = (row.temperature.value(), row.elo.points(), row.error.points());
        let ends = (elo - 2.0 * error, elo + 2.0 * error);
        frame = frame.error_bar(at, ends, COLORS[4]).dot((at, elo), 3.0, COLORS[4]);
    }
    frame.svg()
}

/// Strength by playouts, a curve for every start, player and opponent; rows without a rating are left out.
pub fn strength_by_playouts(rows: &[Strength], role: Role) -> String {
    let mut curves: Vec<(String, Vec<(f64, Rating)>)> = Vec::new();
    for row in rows {
        let Some(rating) = row.elo else { continue };
        let (player, opponent) = (&row.player.name, &row.opponent);
        let name =
            format!("{}: {player} against {} at {}", row.start, opponent.name, opponent.playouts);
        // Playouts of a player are at least one: the logarithm is not below zero.
        let point = ((row.player.playouts.max(1) as f64).log10(), rating);
        match curves.last_mut().filter(|(last, _)| *last == name) {
            Some((_, points)) => points.push(point),
            None => curves.push((name, vec![point])),
        }
    }
    let all = || curves.iter().flat_map(|(_, points)| points.iter().copied());
    let last = all().map(|(at, _)| at).fold(1.0, f64::max).ceil();
    let ends = all().flat_map(|(_, r)| [r.elo - 2.0 * r.error, r.elo + 2.0 * r.error]);
    let (low, high) = hundreds(ends);
    let playouts = |log: f64| games_label(10f64.powf(log));
    let x = Axis { from: 0.0, to: last, label: &playouts };
    let y = Axis { from: low, to: high, label: &elo_label };
    let title = match role {
        Role::Giver => "Elo of the giver by playouts",
        Role::Receiver => "Elo of the receiver by playouts",
    };
    let mut frame = Frame::new(title, "playouts a move", x, y, Side::Left);
    for (index, (name, points)) in curves.iter().enumerate() {
        let style = line(index, name);
        let color = style.color;
        frame = frame.curve(style, points.iter().map(|&(at, r)| (at, r.elo)));
        for &(at, r) in points {
            frame = frame.error_bar(at, (r.elo - 2.0 * r.error, r.elo + 2.0 * r.error), color).dot(
                (at, r.elo),
                3.0,
                color,
            );
        }
    }
    frame.svg()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::Settings;
    use crate::start::Start;
    use crate::stats::StatisticsSettings;
    use crate::strength::{HandicapMatch, Player, strengths};
    use crate::wdl::Wdl;
    use play::{Ending, Outcome, Reason};
    use rules::{Color, Game};

    /// Every number of a picture is one, and lies inside it.
    fn check(picture: &str, contains: &[&str]) {
        assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
        assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
        for text in contains {
            assert!(picture.contains(text), "{text} is not in {picture}");
        }
        let lists = picture.split("points=\"").skip(1).filter_map(|rest| rest.split('"').next());
        for number in lists.flat_map(|list| list.split([' ', ','])).filter(|n| !n.is_empty()) {
            let number: f64 = number.parse().expect("a number");
            assert!((0.0..=720.0).contains(&number), "{number} in {picture}");
        }
    }

    fn won(side: Color) -> Ending {
        Ending { outcome: Outcome::Won(side), reason: Reason::Mate }
    }

    #[test]
    fn scores_and_weakenings_of_every_start_are_drawn() {
        let game = Game::Shogi;
        let starts = Start::usual(game);
        let settings = StatisticsSettings { games_each: 10, ..StatisticsSettings::default() };
        let mut statistics = Statistics::new(game, starts.clone(), settings);
        let rule = Settings { every: 10, ..Settings::default() };
        let mut balance =
            Balance::new(game, starts, rule, Table::published(), 1).expect("sensible");
        check(&score_over_time(&statistics), &[">even<", ">6<"]);
        check(&weakening_over_time(&balance), &[">even<", ">6<"]);
        for number in 0..400 {
            let ending = won(if number % 3 == 0 { Color::White } else { Color::Black });
            let assignment = balance.assignment(number);
            statistics.add(assignment.start, &[], ending).expect("nothing is illegal");
            balance
                .finished(assignment.start, assignment.revision, ending.outcome)
                .expect("a known start");
        }
        check(&score_over_time(&statistics), &["50 %", "100 %", "Black's score"]);
        check(&weakening_over_time(&balance), &[">lance<", "weakened"]);
    }

    #[test]
    fn worths_and_tables_are_drawn_with_errors() {
        let worths = [("even", 29.0), ("6", 809.0)]
            .map(|(name, elo)| (name.to_owned(), Rating { elo, error: 8.0 }));
        check(&worth_of_starts(&worths), &[">even 29<", ">6 809<", ">900<"]);
        check(&worth_of_starts(&[]), &["starts"]);
        check(&temperature_table(&Table::published()), &["Yamashita 2021", ">1.30<", ">700<"]);
    }

    #[test]
    fn strengths_are_drawn_by_playouts() {
        let player = |playouts| Player { name: "nue".to_owned(), playouts };
        let matches: Vec<_> = [(1, 10), (10, 100), (100, 300), (1000, 400)]
            .map(|(playouts, wins)| HandicapMatch {
                start: "2".to_owned(),
                giver: player(playouts),
                receiver: player(1),
                score: Wdl { wins, draws: 0, losses: 400 - wins },
            })
            .into();
        let rows = strengths(&matches, Role::Giver);
        let picture = strength_by_playouts(&rows, Role::Giver);
        check(&picture, &["2: nue against nue at 1", "Elo of the giver", ">100<"]);
        assert_eq!(picture.matches("<circle").count(), 3, "one won everything: no rating");
        check(&strength_by_playouts(&[], Role::Receiver), &["Elo of the receiver"]);
    }
}
