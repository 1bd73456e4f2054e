//! `nue data merge`: several files of one format into one.

use super::format::Format;
use super::input::{self, Flow, InputArgs, Source};
use super::progress::Progress;
use super::sink::{self, Sink};
use super::tally::Tally;
use super::{OutputArgs, count, same_format};
use crate::failure::{Failure, Outcome};
use teacher::{Block, TeacherError};

/// Put several files of one format together into one, in the order given
#[derive(clap::Args)]
pub(crate) struct MergeArgs {
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    output: OutputArgs,
}

/// Runs the command.
pub(crate) fn run(args: &MergeArgs) -> Outcome {
    let (sources, format) = args.input.alike()?;
    let OutputArgs { output, force } = &args.output;
    same_format(&args.output, format)?;
    sink::check(output, &input::paths(&sources), *force)?;
    let header = args.input.header(&sources)?;
    let game = header.game;
    let mut sink = Sink::new(output, format, header, *force)?;
    let progress = Progress::new(input::total(&sources));
    let mut tally = Tally::default();
    match format {
        Format::Teacher => {
            for source in &sources {
                blocks(source, &progress, &mut sink, &mut tally)?;
            }
        }
        Format::Psv | Format::Hcpe => {
            for source in &sources {
                let copied = if format == Format::Psv {
                    records::<40>(source, &progress, &mut sink, &mut tally)
                } else {
                    records::<38>(source, &progress, &mut sink, &mut tally)
                };
                copied?;
            }
        }
        Format::Hcpe3 | Format::Csa => {
            input::games(&sources, game, &progress, &mut tally, &mut |game, tally| {
                sink.write(&game, tally)?;
                Ok(Flow::Next)
            })?;
        }
    }
    sink.publish()?;
    progress.clear();
    let (files, positions) = (count(sources.len() as u64), count(tally.positions));
    let rate = progress.rate();
    tally.report(&format!(
        "{}: {positions} positions from {files} inputs ({rate})",
        output.display()
    ))
}

/// Copies whole blocks, undecoded.
fn blocks(
    source: &Source,
    progress: &Progress,
    sink: &mut Sink,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let mut reader = source.teacher(progress)?;
    let mut block = Block::new();
    loop {
        match reader.next_block(&mut block) {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(e @ TeacherError::Io(_)) => return Err(source.failed(&e)),
            Err(e) => {
                tally.problem(format!("{}: {e}", source.name()));
                return Ok(());
            }
        }
        if let Some(writer) = sink.teacher() {
            writer.copy(&block).map_err(|e| Failure::failed(e.to_string()))?;
        }
        tally.written(u64::from(block.games()), u64::from(block.positions()));
        progress.positions(u64::from(block.positions()));
    }
}

fn records<const N: usize>(
    source: &Source,
    progress: &Progress,
    sink: &mut Sink,
    tally: &mut Tally,
) -> Result<Flow, Failure> {
    input::records::<N>(source, progress, tally, |_, record, tally| {
        sink.raw(record)?;
        tally.written(0, 1);
        progress.positions(1);
        Ok(Flow::Next)
    })
}
