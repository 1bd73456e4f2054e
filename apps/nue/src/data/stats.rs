//! `nue data stats`: what is in the files, in numbers and small charts.

use super::calibration::{self, Sample};
use super::chart::{Row, chart};
use super::count;
use super::distinct::Distinct;
use super::format::Format;
use super::input::{self, Flow, InputArgs, Source};
use super::progress::Progress;
use super::tally::Tally;
use crate::failure::{Failure, Outcome};
use rules::{AnyPosition, Color, Game as Rules, Handicap, Minishogi, Variant};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use teacher::{Ending, Flags, Game, Header, MATE_BOUND, Outcome as Won};

/// Scores of a row of the chart.
const SCORE_STEP: i32 = 200;
/// Scores beyond this share the rows at the ends.
const SCORE_END: i32 = 3000;
/// Plies of a row of the chart.
const LENGTH_STEP: usize = 20;
/// Games longer than this share the last row.
const LENGTH_END: usize = 400;
/// Start positions listed, the most frequent first.
const STARTS: usize = 20;
/// Start positions kept apart; more are counted together.
const MOST_STARTS: usize = 10_000;

/// Count games and positions: scores, lengths, results, repeats
#[derive(clap::Args)]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Print one object of JSON
    #[arg(long)]
    json: bool,
    /// Draw what scores were worth in the end (SVG), with the scale that fits best
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
}

/// Runs the command.
pub(crate) fn run(args: &StatsArgs) -> Outcome {
    let sources = args.input.sources()?;
    let header = args.input.header(&sources)?;
    let progress = Progress::new(input::total(&sources));
    let mut tally = Tally::default();
    let mut stats = Stats::default();
    input::games(&sources, header.game, &progress, &mut tally, &mut |game, _| {
        stats.add(&game);
        Ok(Flow::Next)
    })?;
    progress.clear();
    if let Some(path) = &args.calibration {
        let samples = stats.samples();
        let drawn = calibration::svg(&samples, calibration::fit(&samples));
        fs::write(path, drawn)
            .map_err(|e| Failure::failed(format!("{}: cannot write: {e}", path.display())))?;
    }
    let told = match args.json {
        true => format!("{}\n", stats.json(&header, &sources)),
        false => stats.text(&header, &sources),
    };
    io::stdout().write_all(told.as_bytes())?;
    tally.report(&progress.rate())
}

/// Results of games or positions.
#[derive(Clone, Copy, Default)]
struct Results {
    black: u64,
    white: u64,
    draws: u64,
    unknown: u64,
}

impl Results {
    fn add(&mut self, outcome: Won) {
        match outcome {
            Won::Won(Color::Black) => self.black += 1,
            Won::Won(Color::White) => self.white += 1,
            Won::Draw => self.draws += 1,
            Won::Unknown => self.unknown += 1,
        }
    }

    const fn total(&self) -> u64 {
        self.black + self.white + self.draws + self.unknown
    }

    fn json(&self) -> Value {
        let Self { black, white, draws, unknown } = self;
        json!({ "black": black, "white": white, "draws": draws, "unknown": unknown })
    }

    fn text(&self) -> String {
        let share = |n: u64| 100.0 * n as f64 / self.total().max(1) as f64;
        let (black, white, draws) = (share(self.black), share(self.white), share(self.draws));
        let mut text = format!("Black {black:.1} %, White {white:.1} %, draws {draws:.1} %");
        if self.unknown > 0 {
            let _ = write!(text, ", unknown {:.1} %", share(self.unknown));
        }
        text
    }
}

/// Positions of a range of scores, and how their side to move fared.
#[derive(Clone, Copy, Default)]
struct Band {
    positions: u64,
    known: u64,
    points: f64,
}

#[derive(Default)]
struct Stats {
    games: u64,
    positions: u64,
    plies: u64,
    shortest: Option<usize>,
    longest: usize,
    lengths: BTreeMap<usize, u64>,
    scores: BTreeMap<i32, Band>,
    mates: u64,
    unscored: u64,
    random: u64,
    skipped: u64,
    candidates: u64,
    results: Results,
    endings: BTreeMap<Ending, u64>,
    starts: BTreeMap<String, Results>,
    repeated_games: Distinct,
    repeated_positions: Distinct,
}

impl Stats {
    fn add(&mut self, game: &Game) {
        let length = game.plies.len();
        self.games += 1;
        self.positions += game.positions() as u64;
        self.plies += length as u64;
        self.shortest = Some(self.shortest.map_or(length, |s| s.min(length)));
        self.longest = self.longest.max(length);
        *self.lengths.entry(length.min(LENGTH_END) / LENGTH_STEP).or_default() += 1;
        self.candidates += game.candidates.len() as u64;
        self.results.add(game.outcome);
        *self.endings.entry(game.ending).or_default() += 1;
        self.add_start(game);
        self.repeated_games.add(game.fingerprint());
        let mut position = game.start.clone();
        for ply in &game.plies {
            self.add_position(&position, ply.score, ply.flags, game.outcome);
            position.play(ply.mv);
        }
        if game.last.is_some() {
            self.add_position(&position, game.last, Flags::default(), game.outcome);
        }
    }

    fn add_start(&mut self, game: &Game) {
        let mut name = start_name(&game.start);
        if self.starts.len() >= MOST_STARTS && !self.starts.contains_key(&name) {
            "other positions".clone_into(&mut name);
        }
        self.starts.entry(name).or_default().add(game.outcome);
    }

    fn add_position(
        &mut self,
        position: &AnyPosition,
        score: Option<i16>,
        flags: Flags,
        outcome: Won,
    ) {
        self.repeated_positions.add(position.key());
        self.random += u64::from(flags.random);
        self.skipped += u64::from(flags.skip);
        let Some(score) = score else {
            self.unscored += 1;
            return;
        };
        if score.unsigned_abs() >= MATE_BOUND.unsigned_abs() {
            self.mates += 1;
            return;
        }
        let score = i32::from(score).clamp(-SCORE_END, SCORE_END);
        let band = self.scores.entry(score.div_euclid(SCORE_STEP)).or_default();
        band.positions += 1;
        if let Some(result) = outcome.for_side(position.turn()) {
            band.known += 1;
            band.points += f64::from(result) / 2.0 + 0.5;
        }
    }

    /// The bands as calibration wants them; those at the ends, which hold all beyond, are left out.
    fn samples(&self) -> Vec<Sample> {
        let end = SCORE_END / SCORE_STEP;
        let inner = self.scores.range(-end..end);
        inner
            .map(|(row, band)| Sample {
                score: (f64::from(*row) + 0.5) * f64::from(SCORE_STEP),
                known: band.known,
                points: band.points,
            })
            .collect()
    }

    /// The same for machines: rows of charts are given by where they begin.
    fn json(&self, header: &Header, sources: &[Source]) -> Value {
        let entries: serde_json::Map<String, Value> =
            header.entries.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
        let endings: serde_json::Map<String, Value> =
            self.endings.iter().map(|(ending, n)| (ending.name().to_owned(), json!(n))).collect();
        let starts: Vec<Value> = self
            .starts
            .iter()
            .map(|(name, results)| json!({ "start": name, "results": results.json() }))
            .collect();
        let lengths: Vec<Value> = self
            .lengths
            .iter()
            .map(|(row, games)| json!({ "from": row * LENGTH_STEP, "games": games }))
            .collect();
        let scores: Vec<Value> = self
            .scores
            .iter()
            .map(|(row, band)| {
                let share = (band.known > 0).then(|| band.points / band.known as f64);
                let (from, positions) = (row * SCORE_STEP, band.positions);
                json!({ "from": from, "positions": positions, "points": share })
            })
            .collect();
        let repeated = |d: &Distinct| json!({ "share": d.repeated(), "exact": d.is_exact() });
        json!({
            "game": header.game.name(),
            "header": entries,
            "files": sources.len(),
            "bytes": input::total(sources),
            "games": self.games,
            "positions": self.positions,
            "random": self.random,
            "skipped": self.skipped,
            "unscored": self.unscored,
            "mates": self.mates,
            "visits": self.candidates,
            "repeated": {
                "games": repeated(&self.repeated_games),
                "positions": repeated(&self.repeated_positions),
            },
            "results": self.results.json(),
            "endings": endings,
            "starts": starts,
            "plies": { "shortest": self.shortest, "longest": self.longest, "all": self.plies },
            "lengths": lengths,
            "scores": scores,
            "scale": calibration::fit(&self.samples()),
        })
    }

    fn text(&self, header: &Header, sources: &[Source]) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "game       {}", header.game);
        for (key, value) in &header.entries {
            let _ = writeln!(out, "{key:<10} {value}");
        }
        let bytes = input::total(sources);
        let each = bytes as f64 / self.positions.max(1) as f64;
        let (files, size) = (count(sources.len() as u64), count(bytes));
        let _ = writeln!(out, "files      {files}, {size} bytes, {each:.2} a position");
        let _ = writeln!(out, "games      {}", count(self.games));
        let _ = writeln!(out, "positions  {}", count(self.positions));
        for (name, n) in [
            ("random", self.random),
            ("skipped", self.skipped),
            ("no score", self.unscored),
            ("mates", self.mates),
            ("visits", self.candidates),
        ] {
            if n > 0 {
                let _ = writeln!(out, "  {name:<8} {}", count(n));
            }
        }
        let repeated = |d: &Distinct| {
            let about = if d.is_exact() { "" } else { "about " };
            format!("{about}{:.1} %", 100.0 * d.repeated())
        };
        let (games, positions) =
            (repeated(&self.repeated_games), repeated(&self.repeated_positions));
        let _ = writeln!(out, "repeated   {games} of games, {positions} of positions");
        let _ = writeln!(out, "results    {}", self.results.text());
        self.write_endings(&mut out);
        self.write_starts(&mut out);
        self.write_lengths(&mut out);
        self.write_scores(&mut out);
        if sources.iter().any(|s| matches!(s.format, Format::Psv | Format::Hcpe)) {
            out.push_str("\nGames were put together from positions that follow each other.\n");
        }
        out
    }

    fn write_endings(&self, out: &mut String) {
        if self.endings.keys().all(|&e| e == Ending::Unknown) {
            return;
        }
        let mut endings: Vec<_> = self.endings.iter().collect();
        endings.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
        let shares = endings.iter().map(|(ending, n)| {
            format!("{ending} {:.1} %", 100.0 * **n as f64 / self.games.max(1) as f64)
        });
        let _ = writeln!(out, "endings    {}", shares.collect::<Vec<_>>().join(", "));
    }

    fn write_starts(&self, out: &mut String) {
        let mut starts: Vec<_> = self.starts.iter().collect();
        starts.sort_by_key(|(_, results)| std::cmp::Reverse(results.total()));
        out.push_str("\nBy start position:\n");
        for (name, results) in starts.iter().take(STARTS) {
            let _ = writeln!(out, "  {name}: {} games, {}", count(results.total()), results.text());
        }
        if starts.len() > STARTS {
            let _ = writeln!(out, "  … and {} more", count((starts.len() - STARTS) as u64));
        }
    }

    fn write_lengths(&self, out: &mut String) {
        let shortest = self.shortest.unwrap_or(0);
        let mean = self.plies as f64 / self.games.max(1) as f64;
        let longest = self.longest;
        let _ = writeln!(out, "\nMoves a game: {shortest} to {longest}, mean {mean:.1}");
        let rows: Vec<Row> = (0..=LENGTH_END / LENGTH_STEP)
            .map(|i| {
                let from = i * LENGTH_STEP;
                let more = from == LENGTH_END;
                let to = from + LENGTH_STEP - 1;
                let name = if more { format!("{from}…") } else { format!("{from}–{to}") };
                let count = self.lengths.get(&i).copied().unwrap_or(0);
                Row { name, count, remark: String::new() }
            })
            .collect();
        out.push_str(&chart(&rows));
    }

    fn write_scores(&self, out: &mut String) {
        if self.scores.is_empty() {
            return;
        }
        out.push_str("\nScores for the side to move, and what it scored in the end:\n");
        let end = SCORE_END / SCORE_STEP;
        let rows: Vec<Row> = (-end..=end)
            .map(|i| {
                let from = i * SCORE_STEP;
                let band = self.scores.get(&i).copied().unwrap_or_default();
                let remark = if band.known > 0 {
                    format!("{:.1} %", 100.0 * band.points / band.known as f64)
                } else {
                    String::new()
                };
                Row { name: format!("{from}…"), count: band.positions, remark }
            })
            .collect();
        out.push_str(&chart(&rows));
        if let Some(scale) = calibration::fit(&self.samples()) {
            let _ = writeln!(out, "Points are best told by sigmoid(score / {scale:.0}).");
        }
    }
}

/// What a start position is called.
fn start_name(start: &AnyPosition) -> String {
    let sfen = start.sfen();
    let named = match start.game() {
        Rules::Shogi => Handicap::from_sfen(&sfen).map(|h| h.name().to_owned()),
        Rules::Minishogi => (sfen == Minishogi::START).then(|| "even".to_owned()),
    };
    named.unwrap_or(sfen)
}
