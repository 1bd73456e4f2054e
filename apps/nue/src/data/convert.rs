//! `nue data convert`: between our own format, PSV, hcpe, hcpe3 and CSA.

use super::format::Format;
use super::input::{self, Flow, InputArgs};
use super::partial::{self, ResumeArg};
use super::progress::Progress;
use super::sink::{self, Sink};
use super::{OutputArgs, count};
use crate::failure::Outcome;
use serde_json::json;
use teacher::{Game, MATE_BOUND};

/// Convert teacher data between formats
#[derive(clap::Args)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    resume: ResumeArg,
    /// Format to write: teacher, psv, hcpe, hcpe3 or csa; told by the name if missing
    #[arg(long, value_name = "FORMAT")]
    to: Option<Format>,
    /// Multiply scores that are not mates: 0.9 makes evaluation units of centipawns, which "nue
    /// gen" wrote before its files said "scores: evaluation units"
    #[arg(long, value_name = "X", value_parser = scale)]
    score_scale: Option<f64>,
}

fn scale(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok(x),
        _ => Err("a number above 0 is expected".to_owned()),
    }
}

/// Multiplies all scores that are not mates; they do not become mates by it.
fn rescale(game: &mut Game, by: f64) {
    let most = f64::from(MATE_BOUND - 1);
    let scores = game.plies.iter_mut().map(|ply| &mut ply.score);
    for score in scores.chain([&mut game.last]).flatten() {
        if score.unsigned_abs() < MATE_BOUND.unsigned_abs() {
            *score = (f64::from(*score) * by).round().clamp(-most, most) as i16;
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &ConvertArgs) -> Outcome {
    let sources = args.input.sources()?;
    let OutputArgs { output, force } = &args.output;
    let format = Format::of_output(output, args.to)?;
    sink::check(output, &input::paths(&sources), *force)?;
    let mut header = args.input.header(&sources)?;
    let game = header.game;
    let how = match args.score_scale {
        None => json!([format.name(), game.name()]),
        Some(by) => json!([format.name(), game.name(), by]),
    };
    let plan = partial::plan("convert", &sources, &how);
    if let Some(by) = args.score_scale {
        header = header.with("scores", format!("multiplied by {by}"));
    }
    let (mut sink, done, mut tally) =
        Sink::resumable(&args.output, args.resume, format, header, &plan)?;
    let progress = Progress::new(input::total(&sources));
    let mut items = done;
    let worked =
        input::games_after(done, &sources, game, &progress, &mut tally, &mut |mut game, tally| {
            if let Some(by) = args.score_scale {
                rescale(&mut game, by);
            }
            sink.write(&game, tally)?;
            items += 1;
            sink.done(items, tally, false)?;
            Ok(Flow::Next)
        });
    sink.conclude(worked)?;
    progress.clear();
    let (games, positions) = (count(tally.games), count(tally.positions));
    let what = match format.record() {
        Some(_) => format!("{positions} positions"),
        None => format!("{games} games, {positions} positions"),
    };
    tally.report(&format!("{}: {what} ({})", output.display(), progress.rate()))
}
