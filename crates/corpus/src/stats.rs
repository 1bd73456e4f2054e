//! What is in teacher files, in numbers.

mod report;

use crate::calibration::Sample;
use crate::counts::Counts;
use crate::error::Error;
use crate::progress::{Meter, Watch};
use crate::read::{self, Flow};
use crate::source::{self, Inputs};
use balance::stats::Distinct;
use rules::{AnyPosition, Color, Game as Rules, Handicap, Minishogi, Variant};
use std::collections::BTreeMap;
use teacher::{Flags, Game, Header, MATE_BOUND, Outcome, Reason};

/// Scores of a row of the chart.
const SCORE_STEP: i32 = 200;
/// Scores beyond this share the rows at the ends.
const SCORE_END: i32 = 3000;
/// Plies of a row of the chart.
const LENGTH_STEP: usize = 20;
/// Games longer than this share the last row.
const LENGTH_END: usize = 400;
/// Start positions kept apart; more are counted together.
const MOST_STARTS: usize = 10_000;

/// Counts all games of some files; where somebody wanted the work to end, those read until then.
pub fn run(inputs: &Inputs, watch: &Watch<'_>) -> Result<(Report, Counts), Error> {
    let sources = inputs.sources()?;
    let header = inputs.header(&sources)?;
    let meter = Meter::new(source::total(&sources), watch);
    let mut counts = Counts::default();
    let mut stats = Stats::default();
    let read = read::games(&sources, header.game, &meter, &mut counts, &mut |game, _| {
        stats.add(&game);
        Ok(Flow::Next)
    });
    let interrupted = match read {
        Err(Error::Interrupted) => true,
        read => read.map(|()| false)?,
    };
    meter.finish();
    let (files, bytes) = (sources.len(), source::total(&sources));
    let from_positions = sources.iter().any(|s| s.format.record().is_some());
    Ok((Report { header, files, bytes, from_positions, interrupted, stats }, counts))
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
    fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Won(Color::Black) => self.black += 1,
            Outcome::Won(Color::White) => self.white += 1,
            Outcome::Draw => self.draws += 1,
            Outcome::Unknown => self.unknown += 1,
        }
    }

    const fn total(&self) -> u64 {
        self.black + self.white + self.draws + self.unknown
    }
}

/// Positions of a range of scores, and how their side to move fared.
#[derive(Clone, Copy, Default)]
struct Band {
    positions: u64,
    known: u64,
    points: f64,
}

/// What is in some files, and which they are.
pub struct Report {
    header: Header,
    files: usize,
    bytes: u64,
    /// Whether games were put together from positions.
    from_positions: bool,
    /// Whether the files were not read to their end.
    interrupted: bool,
    stats: Stats,
}

impl Report {
    /// Whether the files were not read to their end, because somebody wanted the work to end.
    pub const fn is_interrupted(&self) -> bool {
        self.interrupted
    }

    /// Games counted.
    pub const fn games(&self) -> u64 {
        self.stats.games
    }
}

/// What is in some games.
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
    endings: BTreeMap<Reason, u64>,
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
        *self.endings.entry(game.reason).or_default() += 1;
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
        outcome: Outcome,
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
