//! The engines, as the commands use them.

pub(crate) use assembly::{engine, judge, search};

use crate::interrupt;
use arena::MatchRunner;
use engines::ProgramCommand;
use std::io::{self, Write};
use std::sync::Arc;
use think::{TimeSource, WallTime};

/// Plays matches with our own engine among others. After an interrupt no other game begins; a second
/// one ends the program.
pub(crate) fn match_runner() -> MatchRunner {
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let for_engines = Arc::clone(&time);
    let (abandoned, heard) = interrupt::flag();
    if !heard {
        // Where nobody reads it there is nobody to tell.
        let _ =
            writeln!(io::stderr(), "warning: an interrupt will end the match without its table");
    }
    let factory = Arc::new(move |game| engine(game, Arc::clone(&for_engines)));
    let own_program = ProgramCommand::of_this_process();
    MatchRunner { time, factory, own_program, abandoned, logs: None }
}
