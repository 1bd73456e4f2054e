//! `nue rl`, which is room `reinforce`'s.

use crate::failure::CommandResult;
use crate::interrupt;
use display::{ReinforceDisplay, say};
use reinforce::commands::RlArgs;
use std::sync::Arc;
use think::{TimeSource, WallTime};

pub(crate) fn run(args: &RlArgs) -> CommandResult {
    let (stop, _) = interrupt::flag();
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let mut display = ReinforceDisplay::default();
    say(&args.run(env!("CARGO_PKG_VERSION"), &time, &stop, &mut display)?);
    Ok(())
}
