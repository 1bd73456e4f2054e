//! Teacher data from one format to another: our own, PSV, hcpe, hcpe3 and CSA.

use crate::counts::Counts;
use crate::error::Error;
use crate::format::Format;
use crate::output::{Output, Target};
use crate::partial;
use crate::progress::{Meter, Watch};
use crate::read::{self, Flow};
use crate::source::{self, Inputs};
use serde_json::json;
use teacher::{Game, MATE_BOUND, plain_score};

/// What to convert.
pub struct Convert {
    /// What to read.
    pub inputs: Inputs,
    /// Where it goes.
    pub target: Target,
    /// The format to write; told by the name if missing.
    pub to: Option<Format>,
    /// What scores that are not mates are multiplied by.
    pub score_scale: Option<f64>,
}

/// What came of it.
pub struct Converted {
    /// The format written.
    pub format: Format,
    pub counts: Counts,
}

/// Converts files.
pub fn run(request: &Convert, watch: &Watch<'_>) -> Result<Converted, Error> {
    let Convert { inputs, target, to, score_scale } = request;
    let sources = inputs.sources()?;
    let format = Format::of_output(&target.path, *to)?;
    target.check(&sources)?;
    let mut header = inputs.header(&sources)?;
    let game = header.game;
    let how = match score_scale {
        None => json!([format.name(), game.name()]),
        Some(by) => json!([format.name(), game.name(), by]),
    };
    let plan = partial::plan("convert", &sources, &how);
    if let Some(by) = score_scale {
        header = header.with("scores", format!("multiplied by {by}"));
    }
    let (mut output, done, mut counts) = Output::resumable(target, format, header, &plan)?;
    let meter = Meter::new(source::total(&sources), watch);
    let mut items = done;
    let worked =
        read::games_after(done, &sources, game, &meter, &mut counts, &mut |mut game, counts| {
            if let Some(by) = score_scale {
                rescale(&mut game, *by);
            }
            output.write(&game, counts)?;
            items += 1;
            output.done(items, counts, false)?;
            Ok(Flow::Next)
        });
    output.conclude(worked)?;
    counts.lost("names, times and comments of a record", counts.richer);
    meter.finish();
    Ok(Converted { format, counts })
}

/// Multiplies all scores that are not mates; they do not become mates by it.
fn rescale(game: &mut Game, by: f64) {
    let scores = game.plies.iter_mut().map(|ply| &mut ply.score);
    for score in scores.chain([&mut game.last]).flatten() {
        if score.unsigned_abs() < MATE_BOUND.unsigned_abs() {
            *score = plain_score((f64::from(*score) * by).round() as i32);
        }
    }
}
