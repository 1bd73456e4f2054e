//! Several files of one format into one.

use crate::counts::Counts;
use crate::error::Error;
use crate::format::Format;
use crate::output::{Output, Target};
use crate::progress::{Meter, Watch};
use crate::read::{self, Flow};
use crate::source::{self, Inputs, Source};
use teacher::{Block, hcpe, psv};

/// Which files, in their order.
pub struct Merge {
    /// What to read.
    pub inputs: Inputs,
    /// Where it goes.
    pub target: Target,
}

/// What came of it.
pub struct Merged {
    /// How many files there were.
    pub files: usize,
    /// What they held.
    pub counts: Counts,
}

/// Puts files together.
pub fn run(request: &Merge, watch: &Watch<'_>) -> Result<Merged, Error> {
    let Merge { inputs, target } = request;
    let (sources, format) = inputs.alike()?;
    format.keeps(&target.path)?;
    target.check(&sources)?;
    let header = inputs.header(&sources)?;
    let game = header.game;
    let mut output = Output::new(target, format, header)?;
    let meter = Meter::new(source::total(&sources), watch);
    let mut counts = Counts::default();
    for source in &sources {
        match format {
            Format::Teacher => blocks(source, &meter, &mut output, &mut counts)?,
            Format::Psv => records::<{ psv::SIZE }>(source, &meter, &mut output, &mut counts)?,
            Format::Hcpe => records::<{ hcpe::SIZE }>(source, &meter, &mut output, &mut counts)?,
            Format::Hcpe3 | Format::Csa => {
                let source = std::slice::from_ref(source);
                read::games(source, game, &meter, &mut counts, &mut |game, counts| {
                    output.write(&game, counts)?;
                    Ok(Flow::Next)
                })?;
            }
        }
    }
    output.publish()?;
    meter.finish();
    Ok(Merged { files: sources.len(), counts })
}

/// Copies whole blocks, undecoded.
fn blocks(
    source: &Source,
    meter: &Meter<'_>,
    output: &mut Output,
    counts: &mut Counts,
) -> Result<(), Error> {
    let mut reader = source.teacher(Some(meter))?;
    let mut block = Block::new();
    while read::next_block(source, &mut reader, &mut block, counts)? {
        if let Some(writer) = output.teacher() {
            writer.copy(&block).map_err(|e| Error::Failed(e.to_string()))?;
        }
        counts.written(u64::from(block.games()), u64::from(block.positions()));
        meter.positions(u64::from(block.positions()));
    }
    Ok(())
}

fn records<const N: usize>(
    source: &Source,
    meter: &Meter<'_>,
    output: &mut Output,
    counts: &mut Counts,
) -> Result<(), Error> {
    read::records::<N>(source, meter, counts, |_, record, counts| {
        output.raw(record)?;
        counts.written(0, 1);
        meter.positions(1);
        Ok(Flow::Next)
    })?;
    Ok(())
}
