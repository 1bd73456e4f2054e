//! Games as lines of a file, and what they say together.

use crate::pairings::Pairing;
use arena::stats::{Estimate, PairCounter};
use cluster::simulation::{DuelReport, SideReport};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// One game.
pub(crate) struct Game {
    pub(crate) pairing: String,
    pub(crate) number: usize,
    /// Milliseconds of this machine.
    pub(crate) millis: u64,
    pub(crate) report: DuelReport,
}

/// Games that are added as they are played.
pub(crate) struct GamesFile(File);

impl GamesFile {
    /// Opens a file, or begins one with that head; also the games that are in it. One with another head
    /// is of other games.
    pub(crate) fn open(path: &Path, head: &str) -> (Self, BTreeSet<(String, usize)>) {
        let head = format!("# {head}");
        let played = match File::open(path) {
            Ok(file) => {
                let first = BufReader::new(file).lines().next().and_then(Result::ok);
                assert_eq!(first.as_deref(), Some(&*head), "{}: other games", path.display());
                read(&[path]).into_iter().map(|game| (game.pairing, game.number)).collect()
            }
            Err(_) => {
                std::fs::write(path, format!("{head}\n")).expect("a file that can be written");
                BTreeSet::new()
            }
        };
        let file = OpenOptions::new().append(true).open(path).expect("a file that can be written");
        (Self(file), played)
    }

    pub(crate) fn write(&mut self, game: &Game) {
        let DuelReport { half_points, plies, sides } = game.report;
        let numbers = |side: SideReport| {
            let SideReport { moves, hits, consulted, disagreed, faults } = side;
            format!("{moves} {hits} {consulted} {disagreed} {faults}")
        };
        let line = format!(
            "{}\t{} {half_points} {plies} {} {} {}\n",
            game.pairing,
            game.number,
            game.millis,
            numbers(sides[0]),
            numbers(sides[1]),
        );
        self.0.write_all(line.as_bytes()).expect("a file that can be written");
    }
}

/// The games of files; a line that is not whole is none.
pub(crate) fn read(files: &[&Path]) -> Vec<Game> {
    let text = |path: &&Path| std::fs::read_to_string(path).expect("a file of games");
    files
        .iter()
        .map(text)
        .flat_map(|text| text.lines().filter_map(game).collect::<Vec<_>>())
        .collect()
}

fn game(line: &str) -> Option<Game> {
    let (pairing, numbers) = line.split_once('\t')?;
    let numbers: Vec<u64> = numbers.split(' ').map(|n| n.parse().ok()).collect::<Option<_>>()?;
    let [number, half_points, plies, millis, ref sides @ ..] = numbers[..] else { return None };
    let &[m, h, c, d, f, m2, h2, c2, d2, f2] = sides else { return None };
    let side = |[moves, hits, consulted, disagreed, faults]: [u64; 5]| SideReport {
        moves: moves as u32,
        hits: hits as u32,
        consulted: consulted as u32,
        disagreed: disagreed as u32,
        faults: faults as u32,
    };
    let sides = [side([m, h, c, d, f]), side([m2, h2, c2, d2, f2])];
    let report = DuelReport { half_points: half_points as u8, plies: plies as u32, sides };
    Some(Game { pairing: pairing.to_owned(), number: number as usize, millis, report })
}

/// A table for every topic, a row for every pairing that has games.
pub(crate) fn table(pairings: &[Pairing], games: &[Game]) -> String {
    let mut by_pairing: BTreeMap<&str, Vec<&Game>> = BTreeMap::new();
    for game in games {
        by_pairing.entry(&game.pairing).or_default().push(game);
    }
    let (mut text, mut topic) = (String::new(), "");
    for pairing in pairings {
        let Some(games) = by_pairing.get(&*pairing.name()) else { continue };
        if topic != pairing.topic {
            topic = pairing.topic;
            text += &format!(
                "\n{topic}\n\n| first | second | games | won–drawn–lost | Elo of the first | foreseen | disagreed | plies | faults | s |\n\
                 |---|---|---|---|---|---|---|---|---|---|\n"
            );
        }
        text += &row(pairing, games);
    }
    text
}

fn percent(part: u32, whole: u32) -> String {
    if whole == 0 {
        "–".to_owned()
    } else {
        format!("{:.1} %", 100.0 * f64::from(part) / f64::from(whole))
    }
}

fn row(pairing: &Pairing, games: &[&Game]) -> String {
    let mut counter = PairCounter::default();
    let (mut sides, mut plies, mut millis) = ([SideReport::default(); 2], 0, 0);
    let mut seen = BTreeSet::new();
    for game in games.iter().filter(|game| seen.insert(game.number)) {
        counter.add(game.number as u64 / 2, game.report.half_points);
        (plies, millis) = (plies + game.report.plies, millis + game.millis);
        for (sum, side) in sides.iter_mut().zip(game.report.sides) {
            sum.moves += side.moves;
            sum.hits += side.hits;
            sum.consulted += side.consulted;
            sum.disagreed += side.disagreed;
            sum.faults += side.faults;
        }
    }
    let score = counter.score();
    let elo = Estimate::of(score).map_or("–".to_owned(), |estimate| {
        format!("{:+.0} ± {:.0}", estimate.elo.mid, estimate.elo.error())
    });
    let foreseen = match sides.map(|side| side.hits) {
        [0, 0] => "–".to_owned(),
        _ => sides.map(|side| percent(side.hits, side.moves)).join(" against "),
    };
    format!(
        "| {} | {} | {} | {}–{}–{} | {elo} | {foreseen} | {} | {:.0} | {} | {:.2} |\n",
        pairing.first.name,
        pairing.second.name,
        score.games(),
        score.wins,
        score.draws,
        score.losses,
        percent(sides[0].disagreed, sides[0].consulted),
        f64::from(plies) / seen.len().max(1) as f64,
        sides[0].faults + sides[1].faults,
        millis as f64 / 1000.0 / seen.len().max(1) as f64,
    )
}
