//! Work through a fleet.

use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use clap::Args;
use display::say;
use fleet::{MateSpec, Priority, Spec};
use fleetd::orders::{Answer, Reply};
use fleetd::{DataFolder, FleetError, Request};
use kifu::MateProblem;
use std::path::{Path, PathBuf};
use std::time::Duration;
use think::seconds_since_1970;

/// How long an order waits for its answer.
const ANSWER: Duration = Duration::from_secs(30);

/// Work through a fleet.
#[derive(Args)]
pub(crate) struct FleetFlag {
    /// Through the queue of a fleet in this process; --fleet=FOLDER by the fleet served there
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true, default_missing_value = "self")]
    fleet: Option<PathBuf>,
}

impl FleetFlag {
    /// Whether the queue is one of this process.
    pub(crate) fn is_local(&self) -> bool {
        self.fleet.as_deref() == Some(Path::new("self"))
    }

    fn folder(&self) -> Option<&Path> {
        self.fleet.as_deref().filter(|_| !self.is_local())
    }

    /// Asks the fleet that was named to answer problems of mate; whether one was.
    pub(crate) fn submitted_mates(
        &self,
        problems: &[MateProblem],
        questions: &mate::Questions,
    ) -> Result<bool, Failure> {
        let Some(folder) = self.folder() else { return Ok(false) };
        let read = problems.iter().filter_map(|problem| problem.position.as_ref().ok());
        let lines: String = read.map(|position| format!("{}\n", position.sfen())).collect();
        let problems = Some(DataFolder::new(folder).keep("problems.sfen", lines.as_bytes())?);
        let spec = || Spec::Mate(MateSpec { problems, ..MateSpec::of(questions) });
        self.submitted("mate", spec, None, None)
    }

    /// Asks the fleet that was named for a run; whether one was. A file, with whether it may replace one, is waited for.
    pub(crate) fn submitted(
        &self,
        name: &str,
        spec: impl FnOnce() -> Spec,
        goal: Option<u64>,
        out: Option<(&Path, bool)>,
    ) -> Result<bool, Failure> {
        let Some(folder) = self.folder() else { return Ok(false) };
        let (name, priority) = (name.to_owned(), Priority::Normal);
        let request = Request { name, spec: spec(), goal, priority, share: 1.0 };
        let (stop, _) = interrupt::flag();
        heard(DataFolder::new(folder).carry_out(request, out, seconds_since_1970, &stop, say))?;
        Ok(true)
    }
}

/// Says what became of an order.
pub(crate) fn heard(heard: Result<Reply, FleetError>) -> CommandResult {
    match heard? {
        Reply::Answer(Answer::Done(text)) => say(&text),
        Reply::Answer(Answer::Refused(why)) => return Err(Failure::failed(why)),
        Reply::Later => say("no coordinator is running: this will be done when one starts"),
    }
    Ok(())
}

/// Gives an order to the fleet of a folder.
pub(crate) fn order(data: &DataFolder, order: &fleetd::orders::Order) -> CommandResult {
    heard(data.beside()?.order(order, seconds_since_1970(), ANSWER))
}

impl From<FleetError> for Failure {
    fn from(error: FleetError) -> Self {
        let text = error.to_string();
        if let FleetError::Interrupted(_) = error {
            return Self::Interrupted(text);
        }
        if error.is_usage() { Self::usage(text) } else { Self::failed(text) }
    }
}
