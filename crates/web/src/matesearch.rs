//! A search for a mate, for the page.

use crate::mailbox::Outlet;
use crate::notation;
use crate::pool::{Listener, Outcome};
use crate::position;
use mate::Verdict;
use rules::AnyPosition;
use serde_json::{Value, json};

/// Who hears of it.
pub struct Solver {
    /// The page's number.
    pub serial: u64,
    /// The problem.
    pub position: AnyPosition,
    /// Where it is told.
    pub outlet: Outlet,
}

/// A message without a result.
pub fn told(serial: u64, state: &str) -> Value {
    json!({ "type": "mate", "serial": serial, "state": state })
}

impl Solver {
    fn tell(&self, value: Value) {
        self.outlet.send(true, move || Some(value));
    }
}

impl Listener for Solver {
    fn started(&mut self, _: usize) {
        self.tell(told(self.serial, "running"));
    }

    fn ended(&mut self, outcome: Outcome) {
        let value = match outcome {
            Outcome::Solved(solution, spent) => {
                let state = match solution.verdict {
                    Verdict::Mate => "mate",
                    Verdict::NoMate => "nomate",
                    Verdict::Unknown(_) => "unknown",
                };
                let mut value = told(self.serial, state);
                value["nodes"] = solution.nodes.into();
                value["ms"] = (spent.as_millis() as u64).into();
                if solution.verdict == Verdict::Mate {
                    let last = position::last(&self.position);
                    let line = notation::line(&self.position, last, &solution.line);
                    value["plies"] = line.usi.len().into();
                    value["shortest"] = solution.is_shortest.into();
                    value["line"] = json!(line.usi);
                    value["ja"] = json!(line.ja);
                    value["en"] = json!(line.en);
                }
                value
            }
            Outcome::Broken(why) => {
                let mut value = told(self.serial, "failed");
                value["code"] = "engine_failed".into();
                value["message"] = why.to_string().into();
                value
            }
            // Whoever gave it up has been told.
            Outcome::Answered(..) | Outcome::Cancelled => return,
        };
        self.tell(value);
    }
}
