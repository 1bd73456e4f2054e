//! `nue learn --method rl`.

use super::LearnArgs;
use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use display::{ReinforceDisplay, say};
use reinforce::run::{Ended, Run};
use std::sync::Arc;
use std::time::Duration;
use think::{TimeSource, WallTime, seconds_since_1970};

/// Generations of reinforcement learning.
pub(super) fn run(args: &LearnArgs) -> CommandResult {
    let (settings, machine) = (args.loop_settings()?, args.machine()?);
    let (stop, _) = interrupt::flag();
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let minutes = args.reinforce.as_ref().and_then(|flags| flags.minutes);
    let until = match minutes {
        Some(minutes) if minutes.is_finite() && minutes > 0.0 => {
            Some(Duration::from_secs_f64(60.0 * minutes.min(1e6)))
        }
        Some(minutes) => return Err(Failure::usage(format!("--minutes {minutes}: not above 0"))),
        None => None,
    };
    let mut display = ReinforceDisplay::default();
    let mut run = Run::open(&args.folder, settings, &machine, Arc::clone(&time), &stop)?;
    if let Some(fleet) = args.reinforce.as_ref().and_then(|flags| flags.fleet.as_deref()) {
        let players = fleetd::players::players(fleet, &machine, time, seconds_since_1970, say);
        run = run.played_by(players.map_err(Failure::usage)?);
    }
    match run.run(args.generations, until, &mut display)? {
        Ended::Generations => Ok(()),
        Ended::Time => {
            say("the time is over; the same command continues");
            Ok(())
        }
    }
}
