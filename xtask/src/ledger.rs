//! `cargo xtask ledger`: nets/LEDGER.md and the pictures beside it, from nets/ledger.toml and
//! nets/thermometer.toml.
//!
//! The ledger itself is written by `nue learn`; entries of generations whose nets matter are
//! copied to nets/ledger.toml. A test compares what is written with what is there.

use crate::thermometer::{self, rounded};
use crate::{CommandResult, workspace_root};
use chart::{Axis, Frame, Side};
use lab::ledger::{Generation, Ledger, ShippedNet};
use std::collections::BTreeSet;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

const SOURCE: &str = "nets/ledger.toml";

/// Runs the command.
pub(crate) fn run(arguments: &[String]) -> CommandResult {
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
    let ledger: Ledger = fs::read_to_string(root.join(SOURCE))?.parse()?;
    let mut pages = Vec::new();
    let mut against = String::new();
    if let Some(made) = thermometer::made(root)? {
        pages.push(made.picture);
        against = made.section;
    }
    pages.push(("nets/LEDGER.md".to_owned(), page(&ledger, &against)));
    for game in games(&ledger) {
        let drawn = picture(game, &of_game(&ledger, game).collect::<Vec<_>>());
        pages.push((format!("nets/elo-{game}.svg"), drawn));
    }
    Ok(pages)
}

fn games(ledger: &Ledger) -> BTreeSet<&str> {
    ledger.generations.iter().map(|entry| entry.game.as_str()).collect()
}

fn of_game<'a>(ledger: &'a Ledger, game: &str) -> impl Iterator<Item = &'a Generation> {
    ledger.generations.iter().filter(move |entry| entry.game == game)
}

/// `against` is the section of matches with one opponent, which the shogi nets have.
fn page(ledger: &Ledger, against: &str) -> String {
    let mut out = String::from(
        "# Ledger of nets\n\n\
         How every shipped net came to be, from random numbers on. All teacher data are games of this\n\
         engine against itself. Generated from [ledger.toml](ledger.toml) by `cargo xtask ledger`;\n\
         [how an entry is made again](../docs/learn.md#an-entry-made-again), and\n\
         [which nets of before are kept](../docs/nets.md#nets-of-before).\n",
    );
    if !ledger.nets.is_empty() {
        out += "\n## Shipped\n\n| file | game | net | generation | measured |\n|---|---|---|---|---|\n";
        for ShippedNet { file, game, net, generation, measured } in &ledger.nets {
            let _ = writeln!(out, "| {file} | {game} | {net} | {generation} | {measured} |");
        }
    }
    for game in games(ledger) {
        let _ = write!(
            out,
            "\n## {game}\n\n![Elo by generation](elo-{game}.svg)\n\n\
             | line | parent | net | positions | loss | gate | Elo (95 %) | landed |\n\
             |---|---|---|---|---|---|---|---|\n"
        );
        for entry in of_game(ledger, game) {
            let _ = writeln!(out, "| {} |", row(entry).join(" | "));
        }
        if game == "shogi" {
            out += against;
        }
        for entry in of_game(ledger, game) {
            out += &details(entry);
        }
    }
    out
}

fn row(entry: &Generation) -> [String; 8] {
    let none = || "–".to_owned();
    let elo = |[low, middle, high]: [f64; 3]| format!("{middle:+.0} ({low:+.0} to {high:+.0})");
    [
        entry.name(),
        entry.parent.clone(),
        entry.net.clone(),
        counted(entry.positions).unwrap_or_else(none),
        entry.loss.map_or_else(none, |loss| format!("{loss:.4}")),
        counted(entry.wins + entry.draws + entry.losses)
            .map_or_else(none, |_| format!("+{} ={} −{}", entry.wins, entry.draws, entry.losses)),
        entry.elo().map_or_else(none, elo),
        if entry.accepted { "yes" } else { "no" }.to_owned(),
    ]
}

/// A number where there is one: what was not counted, or not written down, has none.
fn counted(number: u64) -> Option<String> {
    (number > 0).then(|| number.to_string())
}

fn details(entry: &Generation) -> String {
    let mut out = format!("\n### {} {}\n\n", entry.game, entry.name());
    let lines = [
        ("note", entry.note.clone()),
        ("machine", Some(entry.machine.clone())),
        ("seconds", Some(entry.seconds).filter(|s| *s > 0.0).map(|s| s.to_string())),
        ("version", Some(entry.version.clone())),
        ("commit", entry.commit.clone()),
        ("games", counted(entry.games)),
        ("seed", counted(entry.seed)),
        ("verdict", Some(entry.verdict.clone())),
    ];
    for (key, text) in lines {
        if let Some(text) = text {
            let _ = writeln!(out, "- {key}: {text}");
        }
    }
    if !entry.commands.is_empty() {
        let _ = write!(out, "\n```sh\n{}\n```\n", entry.commands.join("\n"));
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
fn picture(game: &str, generations: &[&Generation]) -> String {
    let points = points(generations);
    let most = points.iter().map(|p| p.elo[2]).fold(50.0, f64::max) * 1.05;
    let least = points.iter().map(|p| p.elo[0]).fold(0.0, f64::min) * 1.05;
    let (least, most) = rounded(least, most);
    let (unmarked, elo) = (|_: f64| String::new(), |elo: f64| format!("{elo:.0}"));
    let across = Axis { from: -0.5, to: generations.len() as f64 + 0.5, label: &unmarked };
    let up = Axis { from: least, to: most, label: &elo };
    let title = format!("{game}: Elo by generation, from material");
    let below = "generations; those in red did not land";
    let mut frame = Frame::new(&title, below, across, up, Side::Left);
    for Point { at, elo: [low, middle, high], landed, label } in points {
        let color = if landed { "#2c3e50" } else { "#c0392b" };
        frame = frame.error_bar(at, (low, high), color).dot((at, middle), 4.0, color);
        frame = frame.word((at, middle), &label, color);
    }
    frame.svg()
}

/// The generations that were measured, each from where its parent stands.
fn points(generations: &[&Generation]) -> Vec<Point> {
    let mut points = vec![Point { at: 0.0, elo: [0.0; 3], landed: true, label: "material".into() }];
    let mut standing: Vec<(String, f64)> = vec![("material".to_owned(), 0.0)];
    for (i, entry) in generations.iter().enumerate() {
        let Some(elo) = entry.elo() else { continue };
        let base =
            standing.iter().find(|(net, _)| *net == entry.parent).map_or(0.0, |(_, elo)| *elo);
        let landed = entry.accepted;
        // A net that did not land may be the parent of one that did.
        standing.push((entry.net.clone(), base + elo[1]));
        let elo = elo.map(|elo| base + elo);
        points.push(Point { at: i as f64 + 1.0, elo, landed, label: entry.name() });
    }
    points
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
        let ledger: Ledger = "[[generation]]\ngame='shogi'\ngeneration=1\naccepted=true\n\
            elo=[80.0,100.0,120.0]\npositions=5\n[[generation]]\ngame='shogi'\ngeneration=2\n\
            accepted=false\nelo=[-30.0,-10.0,10.0]\ncommands=['nue gen']\n"
            .parse()
            .unwrap();
        let text = page(&ledger, "");
        assert!(text.contains("+100 (+80 to +120)") && text.contains("-10 (-30 to +10)"), "{text}");
        assert!(text.contains("nue gen"));
        let drawn = picture("shogi", &of_game(&ledger, "shogi").collect::<Vec<_>>());
        assert_eq!(drawn.matches("<circle").count(), 3);
    }

    #[test]
    fn a_net_stands_above_its_parent_whether_that_landed_or_not() {
        let ledger: Ledger = "[[generation]]\ngame='shogi'\ngeneration=1\nnet='a'\nparent='material'\naccepted=false\n\
            elo=[80.0,100.0,120.0]\n[[generation]]\ngame='shogi'\ngeneration=1\nnet='b'\nparent='a'\n\
            accepted=true\nelo=[10.0,30.0,50.0]\n"
            .parse()
            .unwrap();
        let found = points(&of_game(&ledger, "shogi").collect::<Vec<_>>());
        assert_eq!(found.iter().map(|p| p.elo[1]).collect::<Vec<_>>(), [0.0, 100.0, 130.0]);
    }
}
