//! `cargo xtask ledger`: nets/LEDGER.md and the pictures beside it, from nets/ledger.toml.
//!
//! The ledger itself is written by `nue learn`; entries of generations whose nets matter are
//! copied to nets/ledger.toml. A test compares what is written with what is there.

use crate::{Outcome, workspace_root};
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;
use toml::{Table, Value};

const SOURCE: &str = "nets/ledger.toml";

/// Runs the command.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if let Some(word) = arguments.first() {
        return Err(format!("unexpected {word:?}: ledger takes no arguments").into());
    }
    for (name, text) in pages(&workspace_root())? {
        fs::write(workspace_root().join(&name), text)?;
        println!("{name}");
    }
    Ok(ExitCode::SUCCESS)
}

/// The files made from the ledger.
fn pages(root: &Path) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let text = fs::read_to_string(root.join(SOURCE))?;
    let table: Table = text.parse()?;
    let generations = entries(&table, "generation");
    let shipped = entries(&table, "net");
    let mut pages = vec![("nets/LEDGER.md".to_owned(), page(&shipped, &generations))];
    for game in games(&generations) {
        let of_game = generations.iter().filter(|e| text_of(e, "game") == game);
        pages.push((
            format!("nets/elo-{game}.svg"),
            picture(&game, &of_game.copied().collect::<Vec<_>>()),
        ));
    }
    Ok(pages)
}

fn entries<'a>(table: &'a Table, key: &str) -> Vec<&'a Table> {
    let list = table.get(key).and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_table).collect()
}

fn text_of(entry: &Table, key: &str) -> String {
    match entry.get(key) {
        None => "–".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Boolean(yes)) => if *yes { "yes" } else { "no" }.to_owned(),
        Some(value) => value.to_string(),
    }
}

fn number_of(entry: &Table, key: &str) -> f64 {
    let value = entry.get(key);
    value
        .and_then(Value::as_float)
        .or(value.and_then(Value::as_integer).map(|n| n as f64))
        .unwrap_or(0.0)
}

/// Low, middle and high Elo against the parent.
fn elo_of(entry: &Table) -> Option<[f64; 3]> {
    let list = entry.get("elo")?.as_array()?;
    let numbers: Vec<f64> = list.iter().filter_map(Value::as_float).collect();
    numbers.try_into().ok()
}

fn games(generations: &[&Table]) -> Vec<String> {
    let mut games: Vec<String> = generations.iter().map(|e| text_of(e, "game")).collect();
    games.sort();
    games.dedup();
    games
}

fn page(shipped: &[&Table], generations: &[&Table]) -> String {
    let mut out = String::from(
        "# Ledger of nets\n\n\
         How every shipped net came to be, from random numbers on. All teacher data are games of this\n\
         engine against itself. Generated from [ledger.toml](ledger.toml) by `cargo xtask ledger`.\n",
    );
    if !shipped.is_empty() {
        out += "\n## Shipped\n\n| file | game | net | generation | measured |\n|---|---|---|---|---|\n";
        for net in shipped {
            let cells = ["file", "game", "net", "generation", "measured"].map(|k| text_of(net, k));
            let _ = writeln!(out, "| {} |", cells.join(" | "));
        }
    }
    for game in games(generations) {
        let _ = write!(
            out,
            "\n## {game}\n\n![Elo by generation](elo-{game}.svg)\n\n\
             | line | parent | net | positions | loss | gate | Elo (95 %) | landed |\n\
             |---|---|---|---|---|---|---|---|\n"
        );
        for entry in generations.iter().filter(|e| text_of(e, "game") == game) {
            let _ = writeln!(out, "| {} |", row(entry).join(" | "));
        }
        for entry in generations.iter().filter(|e| text_of(e, "game") == game) {
            out += &details(entry);
        }
    }
    out
}

fn row(entry: &Table) -> [String; 8] {
    let elo = elo_of(entry).map_or_else(
        || "–".to_owned(),
        |[low, middle, high]| format!("{middle:+.0} ({low:+.0} to {high:+.0})"),
    );
    [
        name(entry),
        text_of(entry, "parent"),
        text_of(entry, "net"),
        text_of(entry, "positions"),
        entry
            .get("loss")
            .map_or_else(|| "–".to_owned(), |_| format!("{:.4}", number_of(entry, "loss"))),
        format!(
            "+{} ={} −{}",
            text_of(entry, "wins"),
            text_of(entry, "draws"),
            text_of(entry, "losses")
        ),
        elo,
        text_of(entry, "accepted"),
    ]
}

fn name(entry: &Table) -> String {
    let line =
        entry.get("line").map_or_else(String::new, |_| format!("{} ", text_of(entry, "line")));
    format!("{line}{}", text_of(entry, "generation"))
}

fn details(entry: &Table) -> String {
    let mut out = format!("\n### {} {}\n\n", text_of(entry, "game"), name(entry));
    for key in ["note", "machine", "seconds", "version", "commit", "games", "seed", "verdict"] {
        if entry.contains_key(key) {
            let _ = writeln!(out, "- {key}: {}", text_of(entry, key));
        }
    }
    let commands = entry.get("commands").and_then(Value::as_array);
    let commands: Vec<&str> = commands.into_iter().flatten().filter_map(Value::as_str).collect();
    if !commands.is_empty() {
        let _ = write!(out, "\n```sh\n{}\n```\n", commands.join("\n"));
    }
    out
}

/// A generation in the picture.
struct Point {
    at: f64,
    /// Low, middle and high Elo above material.
    elo: [f64; 3],
    landed: bool,
    label: String,
}

/// Elo summed up over the generations that landed, with the error of each step.
fn picture(game: &str, generations: &[&Table]) -> String {
    let (width, height, left, top, bottom) = (640.0, 320.0, 60.0, 40.0, 40.0);
    let mut points = vec![Point { at: 0.0, elo: [0.0; 3], landed: true, label: "material".into() }];
    // Where each net stands: a generation begins at its parent, whatever landed since.
    let mut standing: Vec<(String, f64)> = vec![("material".to_owned(), 0.0)];
    for (i, entry) in generations.iter().enumerate() {
        let Some(elo) = elo_of(entry) else { continue };
        let parent = text_of(entry, "parent");
        let base = standing.iter().find(|(net, _)| *net == parent).map_or(0.0, |(_, elo)| *elo);
        let landed = entry.get("accepted").and_then(Value::as_bool) == Some(true);
        if landed {
            standing.push((text_of(entry, "net"), base + elo[1]));
        }
        let elo = elo.map(|elo| base + elo);
        points.push(Point { at: i as f64 + 1.0, elo, landed, label: name(entry) });
    }
    let most = points.iter().map(|p| p.elo[2]).fold(50.0, f64::max) * 1.05;
    let least = points.iter().map(|p| p.elo[0]).fold(0.0, f64::min) * 1.05;
    let count = generations.len().max(1) as f64;
    let x = |n: f64| left + n / count * (width - left - 30.0);
    let y = |elo: f64| top + (most - elo) / (most - least) * (height - top - bottom);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n\
         <text x=\"{left}\" y=\"22\" font-size=\"14\">{game}: Elo by generation, from material</text>\n"
    );
    for i in 0..=4 {
        let elo = least + (most - least) * f64::from(i) / 4.0;
        let _ = writeln!(
            out,
            "<line x1=\"{left}\" x2=\"{}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#e5e7ea\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{elo:.0}</text>",
            width - 20.0,
            left - 6.0,
            y(elo) + 4.0,
            at = y(elo),
        );
    }
    for Point { at, elo: [low, middle, high], landed, label } in &points {
        let color = if *landed { "#2c3e50" } else { "#c0392b" };
        let _ = writeln!(
            out,
            "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"{color}\"/>\
             <circle cx=\"{at:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{color}\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
            y(*low),
            y(*high),
            y(*middle),
            height - 14.0,
            at = x(*at),
        );
    }
    out + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pages_are_those_of_the_ledger() {
        let root = workspace_root();
        for (name, text) in pages(&root).unwrap() {
            let there = fs::read_to_string(root.join(&name)).unwrap_or_default();
            assert!(there == text, "{name} is not what cargo xtask ledger writes");
        }
    }

    #[test]
    fn generations_that_did_not_land_are_shown_too() {
        let table: Table = "[[generation]]\ngame='shogi'\ngeneration=1\naccepted=true\n\
            elo=[80.0,100.0,120.0]\npositions=5\n[[generation]]\ngame='shogi'\ngeneration=2\n\
            accepted=false\nelo=[-30.0,-10.0,10.0]\ncommands=['nue gen']\n"
            .parse()
            .unwrap();
        let generations = entries(&table, "generation");
        let text = page(&[], &generations);
        assert!(text.contains("+100 (+80 to +120)") && text.contains("-10 (-30 to +10)"), "{text}");
        assert!(text.contains("nue gen"));
        let drawn = picture("shogi", &generations);
        assert_eq!(drawn.matches("<circle").count(), 3);
    }
}
