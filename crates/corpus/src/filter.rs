//! Keeps what is worth training on.
//!
//! From files of positions what does not pass is left out. In games a position that does not pass
//! is marked as not for training, because the moves after it need it; a game goes when nothing in
//! it is left.

use crate::counts::Counts;
use crate::error::Error;
use crate::format::Format;
use crate::output::{Output, Target};
use crate::partial;
use crate::progress::{Meter, Watch};
use crate::read::{self, Flow};
use crate::sieve::Sieve;
use crate::source::{self, Inputs, Source};
use rules::Game as Rules;
use serde_json::json;
use teacher::{Flags, Game, Labelled, PackError};

/// What to keep of which files.
pub struct Filter {
    /// What to read.
    pub inputs: Inputs,
    /// Where it goes.
    pub target: Target,
    pub sieve: Sieve,
}

/// What came of it.
pub struct Filtered {
    /// The format of the files.
    pub format: Format,
    pub counts: Counts,
}

/// Sifts files.
pub fn run(request: &Filter, watch: &Watch<'_>) -> Result<Filtered, Error> {
    let Filter { inputs, target, sieve } = request;
    let (sources, format) = inputs.alike()?;
    format.keeps(&target.path)?;
    if format == Format::Csa {
        return Err(Error::request("records have no marks: convert them to teacher first"));
    }
    sieve.fits(format)?;
    target.check(&sources)?;
    let header = inputs.header(&sources)?;
    let game = header.game;
    let plan = partial::plan("filter", &sources, &json!([game.name(), sieve.flags()]));
    let (mut output, done, mut counts) = Output::resumable(target, format, header, &plan)?;
    let meter = Meter::new(source::total(&sources), watch);
    let mut sifter = Sifter { sieve, meter: &meter, output: &mut output, items: done };
    let worked = match format {
        Format::Psv => sifter.records(&sources, &mut counts, |r| teacher::psv::decode(game, r)),
        Format::Hcpe => sifter.records(&sources, &mut counts, |r| teacher::hcpe::decode(game, r)),
        _ => sifter.games(&sources, game, &mut counts),
    };
    output.conclude(worked)?;
    meter.finish();
    Ok(Filtered { format, counts })
}

/// Positions of a game meant for training.
fn trained(game: &Game) -> u64 {
    let plies = game.plies.iter().filter(|p| !p.flags.skip).count();
    plies as u64 + u64::from(game.last.is_some())
}

/// Goes through the input.
struct Sifter<'a> {
    sieve: &'a Sieve,
    meter: &'a Meter<'a>,
    output: &'a mut Output,
    /// Games or records that are done.
    items: u64,
}

impl Sifter<'_> {
    fn games(&mut self, sources: &[Source], game: Rules, counts: &mut Counts) -> Result<(), Error> {
        let (done, meter) = (self.items, self.meter);
        read::games_after(done, sources, game, meter, counts, &mut |mut game, counts| {
            let before = trained(&game);
            if self.sieve.sift(&mut game) {
                counts.gone += before - trained(&game);
                self.output.write(&game, counts)?;
            } else {
                counts.gone += before;
            }
            self.items += 1;
            self.output.done(self.items, counts, false)?;
            Ok(Flow::Next)
        })
    }

    fn records<const N: usize>(
        &mut self,
        sources: &[Source],
        counts: &mut Counts,
        decode: impl Fn(&[u8; N]) -> Result<Labelled, PackError>,
    ) -> Result<(), Error> {
        let mut done = self.items;
        counts.reads_on();
        for source in sources {
            let meter = self.meter;
            read::records_after(&mut done, source, meter, counts, |number, record, counts| {
                meter.positions(1);
                match decode(record) {
                    Ok(read) => {
                        let (score, flags) = (Some(read.score), Flags::default());
                        if self.sieve.passes_outcome(read.outcome)
                            && self.sieve.passes_any(&read.position, read.mv, score, flags)
                        {
                            self.output.raw(record)?;
                            counts.written(0, 1);
                        } else {
                            counts.gone += 1;
                        }
                    }
                    Err(e) => source.damage(counts, &format_args!("record {number}: {e}"))?,
                }
                self.items += 1;
                self.output.done(self.items, counts, false)?;
                Ok(Flow::Next)
            })?;
        }
        Ok(())
    }
}
