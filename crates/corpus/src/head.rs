//! The first games or positions of files.

use crate::counts::Counts;
use crate::error::Error;
use crate::format::Format;
use crate::output::{Output, Target};
use crate::progress::{Meter, Watch};
use crate::read::{self, Flow};
use crate::source::{self, Inputs, Source};
use std::io;
use teacher::{Game, Labelled, PackError, hcpe, psv};

/// How many of which files.
pub struct Head {
    /// What to read.
    pub inputs: Inputs,
    /// How many games, or positions of files that hold positions.
    pub number: u64,
}

/// A game, or a position of a file that holds positions.
pub enum Item<'a> {
    /// A whole game.
    Game(&'a Game),
    /// A position alone.
    Position(&'a Labelled),
}

/// Takes the first items one by one.
type Take<'a> = dyn FnMut(&Item<'_>) -> io::Result<()> + 'a;

/// Gives the first items to `take`.
pub fn show(request: &Head, take: &mut Take<'_>, watch: &Watch<'_>) -> Result<Counts, Error> {
    let (sources, format) = request.inputs.alike()?;
    let game = request.inputs.header(&sources)?.game;
    let meter = Meter::new(source::total(&sources), watch);
    let mut work = Work { left: request.number, meter: &meter, place: Place::Shown(take) };
    work.all(&sources, format, game)
}

/// Writes the first items to a file of the same format.
pub fn write(request: &Head, target: &Target, watch: &Watch<'_>) -> Result<Counts, Error> {
    let (sources, format) = request.inputs.alike()?;
    let header = request.inputs.header(&sources)?;
    let game = header.game;
    format.keeps(&target.path)?;
    target.check(&sources)?;
    let mut output = Output::new(target, format, header)?;
    let meter = Meter::new(source::total(&sources), watch);
    let place = Place::Written(&mut output);
    let counts = Work { left: request.number, meter: &meter, place }.all(&sources, format, game)?;
    output.publish()?;
    Ok(counts)
}

enum Place<'a, 't> {
    Shown(&'a mut Take<'t>),
    Written(&'a mut Output),
}

struct Work<'a, 't> {
    left: u64,
    meter: &'a Meter<'a>,
    place: Place<'a, 't>,
}

impl Work<'_, '_> {
    fn all(
        &mut self,
        sources: &[Source],
        format: Format,
        game: rules::Game,
    ) -> Result<Counts, Error> {
        let mut counts = Counts::default();
        match format {
            Format::Psv => self.positions(sources, &mut counts, |r| psv::decode(game, r))?,
            Format::Hcpe => self.positions(sources, &mut counts, |r| hcpe::decode(game, r))?,
            _ if self.left > 0 => {
                read::games(sources, game, self.meter, &mut counts, &mut |game, counts| {
                    match &mut self.place {
                        Place::Written(output) => output.write(&game, counts)?,
                        Place::Shown(take) => take(&Item::Game(&game))?,
                    }
                    Ok(self.one_less())
                })?;
            }
            _ => {}
        }
        self.meter.finish();
        Ok(counts)
    }

    const fn one_less(&mut self) -> Flow {
        self.left -= 1;
        if self.left == 0 { Flow::Enough } else { Flow::Next }
    }

    fn positions<const N: usize>(
        &mut self,
        sources: &[Source],
        counts: &mut Counts,
        decode: impl Fn(&[u8; N]) -> Result<Labelled, PackError>,
    ) -> Result<(), Error> {
        for source in sources {
            if self.left == 0 {
                break;
            }
            read::records::<N>(source, self.meter, counts, |number, record, counts| {
                match decode(record) {
                    Ok(read) => {
                        counts.written(0, 1);
                        match &mut self.place {
                            Place::Written(output) => output.raw(record)?,
                            Place::Shown(take) => take(&Item::Position(&read))?,
                        }
                    }
                    Err(e) => source.damage(counts, &format_args!("record {number}: {e}"))?,
                }
                Ok(self.one_less())
            })?;
        }
        Ok(())
    }
}
