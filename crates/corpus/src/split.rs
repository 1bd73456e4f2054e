//! Training and validation, no game in both.

use crate::counts::Counts;
use crate::error::Error;
use crate::format::Format;
use crate::output::{Output, Target};
use crate::progress::{Meter, Watch};
use crate::read::{self, Flow};
use crate::source::{self, Inputs};
use seed::Rng;

/// How to split which files.
pub struct Split {
    /// What to read.
    pub inputs: Inputs,
    /// The file for training.
    pub train: Target,
    /// The file for validation.
    pub validation: Target,
    /// The share of the games that goes to validation, between 0 and 1.
    pub share: f64,
    /// Another seed, another choice.
    pub seed: u64,
}

/// What came of it.
pub struct Parts {
    /// What is in the file for training, and what could not be read.
    pub train: Counts,
    /// What is in the file for validation.
    pub validation: Counts,
}

impl Parts {
    /// Both together.
    pub fn all(&self) -> Counts {
        let mut all = self.train.clone();
        all.add(self.validation.clone());
        all
    }
}

/// Splits files: a game goes whole to one side.
pub fn run(request: &Split, watch: &Watch<'_>) -> Result<Parts, Error> {
    let Split { inputs, train, validation, share, seed } = request;
    let (sources, format) = inputs.alike()?;
    if matches!(format, Format::Psv | Format::Hcpe) {
        return Err(Error::request(format!(
            "{format} does not tell which positions belong to one game: split the games they \
             were made from"
        )));
    }
    if !(*share > 0.0 && *share < 1.0) {
        let why =
            format!("the share is {share}: a number between 0 and 1 leaves games on both sides");
        return Err(Error::request(why));
    }
    let header = inputs.header(&sources)?;
    let game = header.game;
    for target in [train, validation] {
        format.keeps(&target.path)?;
        target.check(&sources)?;
    }
    if train.path == validation.path {
        return Err(Error::request("training and validation name the same file"));
    }
    let mut to_train = Output::new(train, format, header.clone())?;
    let mut to_validation = Output::new(validation, format, header)?;
    let meter = Meter::new(source::total(&sources), watch);
    let (mut counts, mut held_out) = (Counts::default(), Counts::default());
    read::games(&sources, game, &meter, &mut counts, &mut |game, counts| {
        // By what was played, not by its place: a game that comes twice stays on one side.
        if Rng::new(*seed).split(game.fingerprint()).unit() < *share {
            to_validation.write(&game, &mut held_out)?;
        } else {
            to_train.write(&game, counts)?;
        }
        Ok(Flow::Next)
    })?;
    to_train.publish()?;
    to_validation.publish()?;
    meter.finish();
    Ok(Parts { train: counts, validation: held_out })
}
