//! `nue data head`: the first games or positions, as text or as a file.

use super::format::Format;
use super::input::{self, Flow, InputArgs, Source};
use super::progress::Progress;
use super::sink::{self, Sink};
use super::tally::Tally;
use super::{count, same_format};
use crate::failure::{Failure, Outcome};
use std::io::{self, Write};
use std::path::PathBuf;
use teacher::{Game, Labelled};

/// Show the first games (of PSV and hcpe: positions), or write them to a file
#[derive(clap::Args)]
pub(crate) struct HeadArgs {
    #[command(flatten)]
    input: InputArgs,
    /// How many
    #[arg(short, long, default_value_t = 10)]
    number: u64,
    /// File to write them to, instead of showing them
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long, requires = "output")]
    force: bool,
}

/// Runs the command.
pub(crate) fn run(args: &HeadArgs) -> Outcome {
    let (sources, format) = args.input.alike()?;
    let header = args.input.header(&sources)?;
    let game = header.game;
    let progress = Progress::new(input::total(&sources));
    let mut tally = Tally::default();
    let mut place = match &args.output {
        None => Place::Screen(io::stdout()),
        Some(path) => {
            let output = super::OutputArgs { output: path.clone(), force: args.force };
            same_format(&output, format)?;
            sink::check(path, &input::paths(&sources), args.force)?;
            Place::File(Box::new(Sink::new(path, format, header, args.force)?))
        }
    };
    let mut left = args.number;
    match format {
        Format::Psv => {
            let decode = |r: &[u8; 40]| teacher::psv::decode(game, r);
            positions(&sources, &progress, &mut tally, &mut left, &mut place, decode)?;
        }
        Format::Hcpe => {
            let decode = |r: &[u8; 38]| teacher::hcpe::decode(game, r);
            positions(&sources, &progress, &mut tally, &mut left, &mut place, decode)?;
        }
        _ if left > 0 => {
            input::games(&sources, game, &progress, &mut tally, &mut |game, tally| {
                place.game(&game, tally)?;
                left -= 1;
                Ok(if left == 0 { Flow::Enough } else { Flow::Next })
            })?;
        }
        _ => {}
    }
    progress.clear();
    match (place, &args.output) {
        (Place::File(sink), Some(path)) => {
            sink.publish()?;
            let positions = count(tally.positions);
            tally.report(&format!("{}: {positions} positions", path.display()))
        }
        _ => tally.report("").or(Ok(())),
    }
}

enum Place {
    Screen(io::Stdout),
    File(Box<Sink>),
}

impl Place {
    fn game(&mut self, game: &Game, tally: &mut Tally) -> Result<(), Failure> {
        match self {
            Self::File(sink) => sink.write(game, tally),
            Self::Screen(out) => {
                let mut out = out.lock();
                let outcome = format!("{:?}", game.outcome);
                writeln!(out, "{}  {outcome}, {}", game.start.sfen(), game.ending)?;
                let rules = game.start.game();
                for ply in &game.plies {
                    let random = if ply.flags.random { "?" } else { "" };
                    let skip = if ply.flags.skip { "x" } else { "" };
                    let score = ply.score.map_or("-".to_owned(), |s| s.to_string());
                    write!(out, "  {}{random}{skip} {score}", ply.mv.usi(rules))?;
                }
                let last = game.last.map_or(String::new(), |s| format!("  … {s}"));
                writeln!(out, "{last}")?;
                Ok(())
            }
        }
    }

    fn record(&mut self, record: &[u8], read: &Labelled, tally: &mut Tally) -> Result<(), Failure> {
        tally.written(0, 1);
        match self {
            Self::File(sink) => sink.raw(record),
            Self::Screen(out) => {
                let position = &read.position;
                let mv = read.mv.map_or("-".to_owned(), |m| m.usi(position.game()));
                let (sfen, score, outcome) = (position.sfen(), read.score, read.outcome);
                writeln!(out, "{sfen}  {mv} {score}  {outcome:?}")?;
                Ok(())
            }
        }
    }
}

fn positions<const N: usize>(
    sources: &[Source],
    progress: &Progress,
    tally: &mut Tally,
    left: &mut u64,
    place: &mut Place,
    decode: impl Fn(&[u8; N]) -> Result<Labelled, teacher::PackError>,
) -> Result<(), Failure> {
    for source in sources {
        if *left == 0 {
            break;
        }
        input::records::<N>(source, progress, tally, |number, record, tally| {
            match decode(record) {
                Ok(read) => place.record(record, &read, tally)?,
                Err(e) => tally.problem(format!("{}: record {number}: {e}", source.name())),
            }
            *left -= 1;
            Ok(if *left == 0 { Flow::Enough } else { Flow::Next })
        })?;
    }
    Ok(())
}
