//! What many engines are worth, in games on a virtual clock:
//! `cargo run --release -p cluster --example strength -- OPENINGS [GAMES] [NODES] [THREADS] [SECONDS] [NAME]`.
//!
//! Both sides are masters as in `nue cluster`; their children are real engines whose milliseconds are
//! counted in nodes, so that a core of this machine stands for any number of theirs. A row for every
//! pairing, as soon as it is played; those that do not begin within the seconds are left out.

mod engines;
mod pairings;

use arena::stats::{Estimate, PairCounter};
use cluster::simulation::{DuelReport, DuelSettings, SideReport, play_duel};
use engines::EngineSet;
use pairings::{Pairing, pairings};
use rules::{AnyPosition, Color, Game};
use std::io::Write;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use think::STACK;

/// Milliseconds of virtual time for a move.
const MOVETIME: u64 = 1000;

/// The longest game.
const PLIES: u32 = 320;

struct Plan {
    openings: Vec<AnyPosition>,
    games: usize,
    nodes: f64,
    threads: usize,
    seconds: u64,
}

fn openings(path: &Path) -> Vec<AnyPosition> {
    let text = std::fs::read_to_string(path).expect("a file of openings");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let position = |line: &str| match usi::Command::parse(line) {
        Ok(usi::Command::Position(position)) => position.resolve(Game::Shogi).ok(),
        _ => None,
    };
    lines.filter_map(position).collect()
}

fn play(pairing: &Pairing, engines: &EngineSet, plan: &Plan) -> Vec<(usize, DuelReport)> {
    let next = AtomicUsize::new(0);
    let reports = Mutex::new(Vec::new());
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= plan.games {
                return;
            }
            // Pairs of games from one opening, spread over the file.
            let place = (number / 2) * 37 % plan.openings.len();
            let settings = DuelSettings {
                start: plan.openings[place].clone(),
                color: if number.is_multiple_of(2) { Color::Black } else { Color::White },
                movetime: MOVETIME,
                plies: PLIES,
            };
            let speed = plan.nodes / MOVETIME as f64;
            let sides = [pairing.first.side(engines, speed), pairing.second.side(engines, speed)];
            let report = play_duel(sides, &settings);
            reports.lock().expect("no thread has failed").push((number, report));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..plan.threads {
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn_scoped(scope, work).expect("a thread");
        }
    });
    let mut reports = reports.into_inner().expect("no thread has failed");
    reports.sort_by_key(|(number, _)| *number);
    reports
}

fn percent(part: u32, whole: u32) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    format!("{:.1} %", 100.0 * f64::from(part) / f64::from(whole))
}

fn row(pairing: &Pairing, reports: &[(usize, DuelReport)], seconds: f64) -> String {
    let mut counter = PairCounter::default();
    let (mut sides, mut plies) = ([SideReport::default(); 2], 0);
    for (number, report) in reports {
        counter.add(*number as u64 / 2, report.half_points);
        plies += report.plies;
        for (sum, side) in sides.iter_mut().zip(report.sides) {
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
    format!(
        "| {} | {} | {}–{}–{} | {elo} | {} {} | {} | {:.0} plies, {} faults, {seconds:.0} s |",
        pairing.first.name,
        pairing.second.name,
        score.wins,
        score.draws,
        score.losses,
        percent(sides[0].hits, sides[0].moves),
        percent(sides[1].hits, sides[1].moves),
        percent(sides[0].disagreed, sides[0].consulted),
        f64::from(plies) / reports.len().max(1) as f64,
        sides[0].faults + sides[1].faults,
    )
}

fn main() {
    let mut args = std::env::args().skip(1);
    let path = args.next().expect("a file of openings");
    let mut number = |usual: u64| args.next().and_then(|arg| arg.parse().ok()).unwrap_or(usual);
    let (games, nodes, threads, seconds) = (number(400), number(1000), number(1), number(3600));
    let wanted = args.next().unwrap_or_default();
    let plan = Plan {
        openings: openings(Path::new(&path)),
        games: games as usize,
        nodes: nodes as f64,
        threads: threads as usize,
        seconds,
    };
    assert!(!plan.openings.is_empty(), "{path} has no openings");
    let engines = EngineSet::load();
    let begun = Instant::now();
    let mut out = std::io::stdout().lock();
    let head = "first | second | won–drawn–lost | Elo of the first | foreseen | disagreed | games";
    let _ = writeln!(out, "| {head} |\n|---|---|---|---|---|---|---|");
    for pairing in pairings().iter().filter(|pairing| pairing.is_called(&wanted)) {
        let so_far = begun.elapsed().as_secs();
        if so_far >= plan.seconds {
            let _ = writeln!(out, "left out: {} – {}", pairing.first.name, pairing.second.name);
            continue;
        }
        let reports = play(pairing, &engines, &plan);
        let took = begun.elapsed().as_secs_f64() - so_far as f64;
        let _ = writeln!(out, "{}", row(pairing, &reports, took));
        let _ = out.flush();
    }
}
