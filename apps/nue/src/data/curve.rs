//! `nue data curve`: the losses of a training as a picture.

use crate::failure::{CommandResult, Failure};
use crate::new_file::NewFile;
use std::path::PathBuf;

/// Draw the losses of a training in PyTorch, from its log
#[derive(clap::Args)]
pub(crate) struct CurveArgs {
    /// Log of the training, a line of JSON for every epoch
    log: PathBuf,
    /// SVG file to write
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Title of the picture
    #[arg(long, default_value = "")]
    title: String,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &CurveArgs) -> CommandResult {
    let file = NewFile::begin(&args.output, args.force)?;
    let failed = |why: String| Failure::failed(format!("{}: {why}", args.log.display()));
    let log = std::fs::read_to_string(&args.log).map_err(|e| failed(e.to_string()))?;
    let picture = trainer::svg_of_log(&log, &args.title).map_err(|e| failed(e.to_string()))?;
    file.finish(picture.as_bytes())
}
