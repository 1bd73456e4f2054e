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

/// What to convert.
pub struct Convert {
    /// What to read.
    pub inputs: Inputs,
    /// Where it goes.
    pub target: Target,
    /// The format to write; told by the name if missing.
    pub to: Option<Format>,
}

/// What came of it.
pub struct Converted {
    /// The format written.
    pub format: Format,
    /// How much.
    pub counts: Counts,
}

/// Converts files.
pub fn run(request: &Convert, watch: &Watch<'_>) -> Result<Converted, Error> {
    let Convert { inputs, target, to } = request;
    let sources = inputs.sources()?;
    let format = Format::of_output(&target.path, *to)?;
    target.check(&sources)?;
    let header = inputs.header(&sources)?;
    let game = header.game;
    let plan = partial::plan("convert", &sources, &json!([format.name(), game.name()]));
    let (mut output, done, mut counts) = Output::resumable(target, format, header, &plan)?;
    let meter = Meter::new(source::total(&sources), watch);
    let mut items = done;
    let worked =
        read::games_after(done, &sources, game, &meter, &mut counts, &mut |game, counts| {
            output.write(&game, counts)?;
            items += 1;
            output.done(items, counts, false)?;
            Ok(Flow::Next)
        });
    output.conclude(worked)?;
    meter.finish();
    Ok(Converted { format, counts })
}
