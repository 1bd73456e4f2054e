//! `nue data filter`: keeps what is worth training on.
//!
//! From files of positions what does not pass is left out. In games a position that does not pass
//! is marked as not for training, because the moves after it need it; a game goes when nothing in
//! it is left.

use super::format::Format;
use super::input::{self, Flow, InputArgs, Source};
use super::partial::{self, ResumeArg};
use super::progress::Progress;
use super::sink::{self, Sink};
use super::tally::Tally;
use super::{OutputArgs, count, same_format};
use crate::failure::{Failure, Outcome};
use rules::{AnyPosition, Game as Rules, Move, Position, Variant};
use serde_json::json;
use teacher::{Flags, Game, Labelled, MATE_BOUND, Outcome as Won, PackError};

/// Keep positions and games that pass, leave out the rest
#[derive(clap::Args)]
pub(crate) struct FilterArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    resume: ResumeArg,
    #[command(flatten)]
    sieve: Sieve,
}

/// What passes.
#[derive(clap::Args, Clone, Copy, Debug)]
pub(super) struct Sieve {
    /// Largest score either way
    #[arg(long, value_name = "N")]
    max_score: Option<u16>,
    /// No mate scores
    #[arg(long)]
    no_mates: bool,
    /// First move number
    #[arg(long, value_name = "N")]
    min_ply: Option<u32>,
    /// Last move number
    #[arg(long, value_name = "N")]
    max_ply: Option<u32>,
    /// No positions in check
    #[arg(long)]
    no_check: bool,
    /// Only positions whose move neither captures nor promotes
    #[arg(long)]
    quiet: bool,
    /// No positions whose move was drawn by lot
    #[arg(long)]
    no_random: bool,
    /// No drawn games
    #[arg(long)]
    no_draws: bool,
    /// No games whose result is not known
    #[arg(long)]
    known_result: bool,
    /// Fewest moves of a game
    #[arg(long, value_name = "N")]
    min_length: Option<usize>,
    /// Most moves of a game
    #[arg(long, value_name = "N")]
    max_length: Option<usize>,
}

impl Sieve {
    /// Whether files of a format can be asked for all of this.
    pub(super) fn fits(&self, format: Format) -> Result<(), Failure> {
        if format.record().is_some() && (self.min_length.is_some() || self.max_length.is_some()) {
            let why = format!("{format} holds positions, not games with a length");
            return Err(Failure::usage(why));
        }
        if format == Format::Hcpe && (self.min_ply.is_some() || self.max_ply.is_some()) {
            return Err(Failure::usage("hcpe has no move numbers"));
        }
        Ok(())
    }

    /// Whether a game of that many moves passes.
    pub(super) fn passes_length(&self, length: usize) -> bool {
        self.min_length.is_none_or(|n| length >= n) && self.max_length.is_none_or(|n| length <= n)
    }

    fn passes_game(&self, game: &Game) -> bool {
        self.passes_outcome(game.outcome) && self.passes_length(game.plies.len())
    }

    /// Whether a game that ended so passes.
    pub(super) fn passes_outcome(&self, outcome: Won) -> bool {
        !(self.no_draws && outcome == Won::Draw || self.known_result && outcome == Won::Unknown)
    }

    /// Whether a position passes.
    pub(super) fn passes<V: Variant>(
        &self,
        position: &Position<V>,
        mv: Option<Move>,
        score: Option<i16>,
        flags: Flags,
    ) -> bool {
        let size = score.map_or(0, i16::unsigned_abs);
        let ply = position.ply();
        let loud = |m: Move| m.is_promotion() || position.piece_at(m.to()).is_some();
        self.max_score.is_none_or(|n| size <= n)
            && !(self.no_mates && size >= MATE_BOUND.unsigned_abs())
            && self.min_ply.is_none_or(|n| ply >= n)
            && self.max_ply.is_none_or(|n| ply <= n)
            && !(self.no_check && position.in_check())
            && !(self.quiet && mv.is_some_and(loud))
            && !(self.no_random && flags.random)
    }

    fn passes_any(
        &self,
        position: &AnyPosition,
        mv: Option<Move>,
        score: Option<i16>,
        flags: Flags,
    ) -> bool {
        match position {
            AnyPosition::Shogi(p) => self.passes(p, mv, score, flags),
            AnyPosition::Minishogi(p) => self.passes(p, mv, score, flags),
        }
    }

    /// Marks what does not pass. Says whether anything is left.
    fn sift(&self, game: &mut Game) -> bool {
        if !self.passes_game(game) {
            return false;
        }
        let mut position = game.start.clone();
        let mut left = false;
        for ply in &mut game.plies {
            ply.flags.skip |= !self.passes_any(&position, Some(ply.mv), ply.score, ply.flags);
            left |= !ply.flags.skip;
            position.play(ply.mv);
        }
        if game.last.is_some() && !self.passes_any(&position, None, game.last, Flags::default()) {
            game.last = None;
        }
        left || game.last.is_some()
    }
}

/// Runs the command.
pub(crate) fn run(args: &FilterArgs) -> Outcome {
    let (sources, format) = args.input.alike()?;
    let OutputArgs { output, force } = &args.output;
    same_format(&args.output, format)?;
    if format == Format::Csa {
        return Err(Failure::usage("records have no marks: convert them to teacher first"));
    }
    let sieve = &args.sieve;
    sieve.fits(format)?;
    sink::check(output, &input::paths(&sources), *force)?;
    let header = args.input.header(&sources)?;
    let game = header.game;
    let plan = partial::plan("filter", &sources, &json!([game.name(), format!("{sieve:?}")]));
    let (mut sink, done, mut tally) =
        Sink::resumable(&args.output, args.resume, format, header, &plan)?;
    let progress = Progress::new(input::total(&sources));
    let mut sifter = Sifter { sieve, progress: &progress, sink: &mut sink, items: done };
    let worked = match format {
        Format::Psv => sifter.records(&sources, &mut tally, |r| teacher::psv::decode(game, r)),
        Format::Hcpe => sifter.records(&sources, &mut tally, |r| teacher::hcpe::decode(game, r)),
        _ => sifter.games(&sources, game, &mut tally),
    };
    sink.conclude(worked)?;
    progress.clear();
    let (kept, gone) = (count(tally.positions), count(tally.gone));
    let what = if format.record().is_some() { "kept" } else { "in games kept" };
    let rate = progress.rate();
    tally.report(&format!(
        "{}: {kept} positions {what}, {gone} did not pass ({rate})",
        output.display()
    ))
}

/// Positions of a game meant for training.
fn trained(game: &Game) -> u64 {
    let plies = game.plies.iter().filter(|p| !p.flags.skip).count();
    plies as u64 + u64::from(game.last.is_some())
}

/// Goes through the input.
struct Sifter<'a> {
    sieve: &'a Sieve,
    progress: &'a Progress,
    sink: &'a mut Sink,
    /// Games or records that are done.
    items: u64,
}

impl Sifter<'_> {
    fn games(&mut self, sources: &[Source], game: Rules, tally: &mut Tally) -> Outcome {
        let (done, progress) = (self.items, self.progress);
        input::games_after(done, sources, game, progress, tally, &mut |mut game, tally| {
            let before = trained(&game);
            if self.sieve.sift(&mut game) {
                tally.gone += before - trained(&game);
                self.sink.write(&game, tally)?;
            } else {
                tally.gone += before;
            }
            self.items += 1;
            self.sink.done(self.items, tally, false)?;
            Ok(Flow::Next)
        })
    }

    fn records<const N: usize>(
        &mut self,
        sources: &[Source],
        tally: &mut Tally,
        decode: impl Fn(&[u8; N]) -> Result<Labelled, PackError>,
    ) -> Outcome {
        let mut done = self.items;
        tally.reads_on();
        for source in sources {
            let progress = self.progress;
            input::records_after(&mut done, source, progress, tally, |number, record, tally| {
                progress.positions(1);
                match decode(record) {
                    Ok(read) => {
                        let (score, flags) = (Some(read.score), Flags::default());
                        if self.sieve.passes_outcome(read.outcome)
                            && self.sieve.passes_any(&read.position, read.mv, score, flags)
                        {
                            self.sink.raw(record)?;
                            tally.written(0, 1);
                        } else {
                            tally.gone += 1;
                        }
                    }
                    Err(e) => tally.problem(format!("{}: record {number}: {e}", source.name())),
                }
                self.items += 1;
                self.sink.done(self.items, tally, false)?;
                Ok(Flow::Next)
            })?;
        }
        Ok(())
    }
}
