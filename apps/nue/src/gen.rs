//! `nue gen`: teacher data by self-play, which is `lab::selfplay`'s.

mod args;

pub(crate) use args::GenArgs;

use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use display::{SelfPlayDisplay, say};
use std::sync::Arc;
use think::{TimeSource, WallTime};

/// Runs the command.
pub(crate) fn run(args: &GenArgs) -> CommandResult {
    let request = args.request()?;
    let (stop, handled) = interrupt::flag();
    if !handled {
        say("warning: an interrupt will lose the games that are not yet written");
    }
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let mut display = SelfPlayDisplay::default();
    let ended = request.run(&time, &stop, &mut display);
    display.clear();
    let Some(ended) = ended? else { return Ok(()) };
    SelfPlayDisplay::report(&request.out, &ended);
    if ended.interrupted {
        return Err(Failure::Interrupted("interrupted; --resume continues".to_owned()));
    }
    Ok(())
}
