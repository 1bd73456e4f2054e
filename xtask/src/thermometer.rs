//! The picture of what every generation scored against one and the same opponent, from
//! nets/thermometer.toml: a sum of steps, each from its parent, says less.

use chart::{Axis, Frame, Line, Side};
use rating::{Fit, Rating, Results, Terms};
use serde::Deserialize;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const SOURCE: &str = "nets/thermometer.toml";
const PICTURE: &str = "nets/thermometer.svg";

/// The net of other people that measures, and the generation from which the other line counts.
const THERMOMETER: &str = "K-P 256";
const FIRST: &str = "3";

/// Standard errors of a 95 % interval.
const WIDTH: f64 = 1.96;

/// Matches of our generations with the thermometer and with an old generation.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Matches {
    #[serde(rename = "match")]
    matches: Vec<Match>,
}

/// A match as the first of both sees it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Match {
    players: [String; 2],
    /// Won, drawn, lost.
    result: [u64; 3],
    /// Pairs of games from one opening, by their half points: none of four, one, … all.
    pairs: [u64; 5],
}

/// A generation and what is known of it.
struct Row {
    generation: u32,
    /// Against the thermometer: the match, and the Elo that it alone says.
    thermometer: Option<([u64; 3], Rating)>,
    /// Against the first generation, likewise; `None` for Elo where all games were won.
    first: Option<([u64; 3], Option<Rating>)>,
    /// Above the first generation by all matches at once.
    above: Option<Rating>,
}

/// What is made of the matches.
pub(crate) struct Made {
    /// Name and text.
    pub(crate) picture: (String, String),
    /// Of the page.
    pub(crate) section: String,
}

/// The picture and the section; `None` where there are no matches.
pub(crate) fn made(root: &Path) -> Result<Option<Made>, Box<dyn Error>> {
    let Ok(text) = fs::read_to_string(root.join(SOURCE)) else { return Ok(None) };
    let rows = rows(&text)?;
    let picture = (PICTURE.to_owned(), picture(&rows));
    Ok(Some(Made { picture, section: section(&rows) }))
}

fn rows(text: &str) -> Result<Vec<Row>, Box<dyn Error>> {
    let Matches { matches } = toml::from_str(text)?;
    let mut names: Vec<&str> = vec![THERMOMETER, FIRST];
    for played in &matches {
        let [won, drawn, lost] = played.result;
        let [_, one, two, three, four] = played.pairs;
        let halves = one + 2 * two + 3 * three + 4 * four;
        let games = 2 * played.pairs.iter().sum::<u64>();
        if won + drawn + lost != games || 2 * won + drawn != halves {
            let [a, b] = &played.players;
            return Err(format!("{SOURCE}: {a} against {b}: pairs and result differ").into());
        }
        names.extend(played.players.iter().map(String::as_str));
    }
    let mut known: Vec<&str> = Vec::new();
    names.retain(|name| !known.contains(name) && (known.push(name), true).1);
    let place = |name: &str| names.iter().position(|known| *known == name).unwrap_or_default();
    let all = fit(names.len(), &matches.iter().collect::<Vec<_>>(), &place);
    let mut rows = Vec::new();
    for name in &names {
        let Ok(generation) = name.parse() else { continue };
        let with =
            |other: &str| matches.iter().find(|m| m.players[0] == **name && m.players[1] == other);
        let alone = |played: &Match| {
            let fit = fit(names.len(), &[played], &place)?;
            fit.difference(place(name), place(&played.players[1]))
        };
        rows.push(Row {
            generation,
            thermometer: with(THERMOMETER).and_then(|m| Some((m.result, alone(m)?))),
            first: with(FIRST).map(|m| (m.result, alone(m))),
            above: all.as_ref().and_then(|fit| fit.difference(place(name), place(FIRST))),
        });
    }
    rows.sort_by_key(|row| row.generation);
    Ok(rows)
}

fn fit(players: usize, matches: &[&Match], place: &dyn Fn(&str) -> usize) -> Option<Fit> {
    let mut results = Results::new(players);
    for Match { players: [a, b], pairs, .. } in matches {
        for (halves, times) in pairs.iter().enumerate() {
            results.add_times(*times, (place(a), place(b)), 2, halves as f64 / 2.0, 1.0);
        }
    }
    Fit::new(&results, Terms::default())
}

/// Bounds with as many round steps between them as the frame has parts.
pub(crate) fn rounded(least: f64, most: f64) -> (f64, f64) {
    const PARTS: f64 = 4.0;
    let mut step = 5.0;
    loop {
        let from = (least / step).floor() * step;
        if from + PARTS * step >= most {
            return (from, PARTS.mul_add(step, from));
        }
        step += if step < 50.0 { 5.0 } else { 50.0 };
    }
}

fn picture(rows: &[Row]) -> String {
    const BLUE: &str = "#2c3e50";
    const RED: &str = "#c0392b";
    let against: Vec<(f64, Rating)> = rows
        .iter()
        .filter_map(|row| Some((f64::from(row.generation), row.thermometer?.1)))
        .collect();
    let above: Vec<(f64, Rating)> =
        rows.iter().filter_map(|row| Some((f64::from(row.generation), row.above?))).collect();
    let all = || against.iter().chain(&above).map(|(_, rating)| rating);
    let least = all().map(|r| r.elo - WIDTH * r.error).fold(0.0, f64::min);
    let most = all().map(|r| r.elo + WIDTH * r.error).fold(0.0, f64::max);
    let (least, most) = rounded(least, most * 1.1);
    let number = |n: f64| format!("{n:.0}");
    let ends = |least: fn(f64, f64) -> f64| {
        rows.iter().map(|row| f64::from(row.generation)).reduce(least).unwrap_or_default()
    };
    let across = Axis { from: ends(f64::min), to: ends(f64::max), label: &number };
    let up = Axis { from: least, to: most, label: &number };
    let title = "shogi: Elo of the generations against one opponent, 5,000 nodes a move";
    let mut frame = Frame::new(title, "generation", across, up, Side::Left);
    for (color, name, points) in [
        (RED, "above generation 3, by all matches", &above),
        (BLUE, "against the published K-P 256 net", &against),
    ] {
        let line = Line { color, width: 1.5, dashed: false, name };
        frame = frame.curve(line, points.iter().map(|(at, rating)| (*at, rating.elo)));
        for (at, Rating { elo, error }) in points {
            let bar = (elo - WIDTH * error, elo + WIDTH * error);
            frame = frame.error_bar(*at, bar, color).dot((*at, *elo), 4.0, color);
        }
    }
    frame.svg()
}

fn section(rows: &[Row]) -> String {
    let mut out = String::from(
        "\n### Against one opponent\n\n![Elo against one opponent](thermometer.svg)\n\n\
         Matches of [thermometer.toml](thermometer.toml): won, drawn, lost; Elo with 95 %. How they were played:\n\
         [learning.md](../docs/results/learning.md#elo-by-round).\n\n\
         | generation | against the published K-P 256 net | Elo | against generation 3 | Elo | above generation 3 by all matches |\n\
         |---|---|---|---|---|---|\n",
    );
    let none = || "–".to_owned();
    let elo = |Rating { elo, error }: Rating| format!("{elo:+.0} ± {:.0}", WIDTH * error);
    let result = |[won, drawn, lost]: [u64; 3]| format!("{won}–{drawn}–{lost}");
    for row in rows {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} |",
            row.generation,
            row.thermometer.map_or_else(none, |(games, _)| result(games)),
            row.thermometer.map_or_else(none, |(_, rating)| elo(rating)),
            row.first.map_or_else(none, |(games, _)| result(games)),
            row.first.and_then(|(_, rating)| rating).map_or_else(none, elo),
            row.above.filter(|_| row.generation.to_string() != FIRST).map_or_else(none, elo),
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const MATCHES: &str = "\
        [[match]]\nplayers = ['3', 'K-P 256']\nresult = [4, 0, 36]\npairs = [16, 0, 4, 0, 0]\n\
        [[match]]\nplayers = ['9', 'K-P 256']\nresult = [19, 2, 19]\npairs = [4, 1, 10, 1, 4]\n\
        [[match]]\nplayers = ['9', '3']\nresult = [40, 0, 0]\npairs = [0, 0, 0, 0, 20]\n";

    #[test]
    fn both_lines_are_drawn_with_their_errors() {
        let rows = rows(MATCHES).unwrap();
        let drawn = picture(&rows);
        assert_eq!(drawn.matches("<circle").count(), 4, "{drawn}");
        assert_eq!(drawn.matches("<polyline").count(), 2);
        assert!(drawn.contains("above generation 3") && !drawn.contains("NaN"), "{drawn}");
        let text = section(&rows);
        assert!(text.contains("| 3 | 4–0–36 | -382 ± "), "{text}");
        // All won says nothing alone; with the other matches it does.
        assert!(
            text.contains("| 9 | 19–2–19 | +0 ± ") && text.contains("| 40–0–0 | – | +"),
            "{text}"
        );
    }

    #[test]
    fn all_matches_together_say_more_than_one() {
        let rows = rows(MATCHES).unwrap();
        let above = rows[1].above.unwrap();
        assert!(above.elo > 382.0 && above.error.is_finite(), "{above:?}");
        assert!(rows[0].above.unwrap().elo.abs() < 1e-9);
    }

    #[test]
    fn a_match_that_contradicts_itself_is_refused() {
        let wrong = MATCHES.replace("[4, 0, 36]", "[5, 0, 35]");
        assert!(rows(&wrong).err().unwrap().to_string().contains("pairs and result"));
        assert!(rows("[[match]]\nplayers = ['3']\n").is_err());
    }

    #[test]
    fn bounds_are_round_and_hold_everything() {
        for (least, most) in [(-433.0, 571.0), (0.0, 1.0), (-90.0, 1_304.0)] {
            let (from, to) = rounded(least, most);
            assert!(from <= least && most <= to && to - from < 3.0 * (most - least) + 40.0);
            assert!(((to - from) / 4.0 % 5.0).abs() < 1e-9);
        }
    }
}
