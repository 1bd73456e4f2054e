//! What people ask a coordinator for. An order is a row of the ledger: whoever may write the file may
//! give one, it survives a kill like everything else there, and the coordinator answers in its next step.

use crate::coordinator::{Coordinator, Submission};
use crate::error::FleetError;
use crate::ledger::{Ledger, RunState};
use fleet::{Pins, Priority, RunId, Spec, WorkerId};
use serde::{Deserialize, Serialize};
use std::thread;
use std::time::Duration;

/// An order.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "kebab-case")]
pub enum Order {
    Submit {
        name: String,
        owner: String,
        spec: Box<Spec>,
        pins: Pins,
        goal: Option<u64>,
        priority: Priority,
        share: f64,
    },
    Stop {
        run: RunId,
        reason: String,
    },
    Priority {
        run: RunId,
        priority: Priority,
        share: Option<f64>,
    },
    Quarantine {
        worker: WorkerId,
        reason: String,
    },
    Pardon {
        worker: WorkerId,
    },
    Drain {
        draining: bool,
    },
}

/// A share of the workers, as a command line has it.
pub fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| share.is_finite() && *share > 0.0);
    share.ok_or_else(|| format!("expected a number above 0, not {text:?}"))
}

/// What became of an order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    Done(String),
    Refused(String),
}

/// What whoever gave an order hears.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    Answer(Answer),
    /// No coordinator is running: it is done when one starts.
    Later,
}

impl Ledger {
    /// Gives an order, and waits so long for what becomes of it.
    pub fn order(&self, order: &Order, now: i64, wait: Duration) -> Result<Reply, FleetError> {
        const GLANCE: Duration = Duration::from_millis(50);
        let id = self.add_order(now, &serde_json::to_string(order)?)?;
        let mut waited = Duration::ZERO;
        loop {
            if let Some(text) = self.answer_of(id)? {
                return Ok(Reply::Answer(serde_json::from_str(&text)?));
            }
            if waited >= wait || !self.is_served() {
                return Ok(Reply::Later);
            }
            thread::sleep(GLANCE);
            waited += GLANCE;
        }
    }
}

impl Coordinator {
    /// Does what was ordered, within a transaction. Whether there was something.
    pub(crate) fn do_orders(&mut self, now: i64) -> Result<bool, FleetError> {
        let orders = self.ledger().unanswered()?;
        for (id, text) in &orders {
            let answer = match serde_json::from_str(text) {
                Err(error) => Answer::Refused(format!("no order: {error}")),
                Ok(order) => match self.obey(order, now) {
                    Ok(done) => Answer::Done(done),
                    // What is wrong with the order is said; what is wrong with the ledger ends the step.
                    Err(error) if matches!(error, FleetError::Ledger(_)) => return Err(error),
                    Err(error) => Answer::Refused(error.to_string()),
                },
            };
            self.ledger().answer(*id, &serde_json::to_string(&answer)?)?;
        }
        Ok(!orders.is_empty())
    }

    fn obey(&mut self, order: Order, now: i64) -> Result<String, FleetError> {
        match order {
            Order::Submit { name, owner, spec, pins, goal, priority, share } => {
                let spec = *spec;
                let submission = Submission { name, owner, spec, pins, goal, priority, share };
                Ok(self.submit_within(submission, now)?.to_string())
            }
            Order::Stop { run, reason } => {
                self.end_run(run, RunState::Stopped, &reason, now)?;
                Ok(format!("{run} is stopped"))
            }
            Order::Priority { run, priority, share } => {
                self.prioritise(run, priority, share)?;
                Ok(format!("{run} has priority {priority}"))
            }
            Order::Quarantine { worker, reason } => {
                let purged = self.bar(&worker, &reason, now)?;
                Ok(format!("{worker} is barred; {purged} batches of its results are done again"))
            }
            Order::Pardon { worker } => {
                self.pardon(&worker)?;
                Ok(format!("{worker} begins anew, on probation"))
            }
            Order::Drain { draining } => {
                self.ledger().set_draining(draining)?;
                self.drain(draining);
                let now = if draining { "no task is handed out" } else { "tasks are handed out" };
                Ok(now.to_owned())
            }
        }
    }
}
