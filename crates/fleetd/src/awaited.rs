//! Runs that somebody waits for: `--fleet=FOLDER` of a command that writes a file.

use crate::data_folder::{DataFolder, Request};
use crate::error::FleetError;
use crate::export::export;
use crate::ledger::{Ledger, RunState};
use crate::orders::{Answer, Reply};
use crate::start::LogSink;
use fleet::{RunId, Spec};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How long the coordinator may take to answer an order.
pub(crate) const ANSWER: Duration = Duration::from_secs(30);

/// How often it is looked whether the run has ended.
const GLANCE: Duration = Duration::from_millis(200);

/// After how many glances it is looked whether something can be done about what it waits for.
const WONDER: u32 = 25;

/// The run that was asked for.
pub(crate) fn run_of(reply: Reply) -> Result<RunId, FleetError> {
    match reply {
        Reply::Answer(Answer::Done(text)) => {
            text.parse().map_err(|e| FleetError::Refused(format!("{text:?}: {e}")))
        }
        Reply::Answer(Answer::Refused(why)) => Err(FleetError::Refused(why)),
        Reply::Later => {
            let why = "no coordinator is running: nue fleet serve starts one";
            Err(FleetError::Refused(why.to_owned()))
        }
    }
}

/// Waits for the end of a run; `false` if `stop` was set before. One that was stopped is an error. Says what the run waits
/// for, where somebody can do something about it.
pub(crate) fn wait_for(
    data: &DataFolder,
    ledger: &Ledger,
    run: RunId,
    stop: &AtomicBool,
    log: LogSink,
) -> Result<bool, FleetError> {
    let (mut said, mut glances) = (None, 0_u32);
    loop {
        let row = ledger.run(run)?;
        match row.state {
            RunState::Done => return Ok(true),
            RunState::Stopped => {
                return Err(FleetError::Refused(format!("{run} was stopped: {}", row.reason)));
            }
            RunState::Active if stop.load(Ordering::Relaxed) => return Ok(false),
            RunState::Active => {
                glances = glances.wrapping_add(1);
                if glances.is_multiple_of(WONDER) {
                    let obstacle = data.obstacle(ledger, run);
                    if let Some(why) = obstacle.as_ref().filter(|_| obstacle != said) {
                        log(&format!("{run} waits: {why}"));
                    }
                    said = obstacle;
                }
                thread::sleep(GLANCE);
            }
        }
    }
}

impl DataFolder {
    /// Asks for a run. Where a file is named, with whether it may replace one, waits for the end and writes what the run
    /// made: the file the command would have written. `stop` ends the waiting, and the run goes on. `now` tells seconds
    /// since 1970.
    pub fn carry_out(
        &self,
        request: Request,
        out: Option<(&Path, bool)>,
        now: fn() -> i64,
        stop: &AtomicBool,
        log: LogSink,
    ) -> Result<Reply, FleetError> {
        if let Some((path, false)) = out
            && path.exists()
        {
            let why = format!("{} exists: --force replaces it", path.display());
            return Err(FleetError::Refused(why));
        }
        if out.is_some() && request.goal.is_none() && matches!(request.spec, Spec::SelfPlay(_)) {
            let why = "how many games? a fleet counts games: give --games";
            return Err(FleetError::Refused(why.to_owned()));
        }
        let reply = self.submit(request, "local", now(), ANSWER)?;
        let Some((path, force)) = out else { return Ok(reply) };
        let run = run_of(reply)?;
        log(&format!("{run} is under way; an interrupt ends the waiting, not the run"));
        let ledger = self.beside()?;
        if !wait_for(self, &ledger, run, stop, log)? {
            let file = path.display();
            let later = format!("{run} goes on: nue fleet show {run} --out {file} writes it");
            return Err(FleetError::Interrupted(later));
        }
        let count = export(&ledger, run, &self.resolved(&ledger, run)?, path, force)?;
        Ok(Reply::Answer(Answer::Done(format!("{}: {count} written", path.display()))))
    }
}
