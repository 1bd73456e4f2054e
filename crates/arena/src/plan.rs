//! A match in words that are the same as long as the match is: what a journal begins with.

use crate::runner::Plan;
use crate::spec::{EngineSpec, Launch};
use serde_json::{Value, json};

impl Plan {
    /// Everything that decides what a game of a certain number is. How many games there are, how
    /// many run at a time and when the match stops may change when it is resumed.
    pub fn identity(&self, seed: u64) -> Value {
        let terms = &self.terms;
        json!({
            "game": self.game.name(),
            "engines": self.engines.iter().map(engine).collect::<Vec<_>>(),
            "pairings": self.schedule.pairings(),
            "openings": format!("{} ({:016x})", self.openings.len(), self.openings_hash()),
            "seed": seed,
            "declaration": terms.rules.declaration.name(),
            "max_moves": terms.rules.max_moves.unwrap_or(0),
            "resign": terms.adjudication.resign.map(|r| (r.score, r.moves, r.both)),
            "draw": terms.adjudication.draw.map(|d| (d.score, d.moves, d.from)),
            "margin": terms.margin.as_millis() as u64,
        })
    }

    /// Over the lines of all openings. It stands in journals.
    fn openings_hash(&self) -> u64 {
        let lines = self.openings.iter().map(crate::Opening::line);
        seed::fnv1a(lines.flat_map(|line| line.into_bytes().into_iter().chain([b'\n'])))
    }
}

fn engine(spec: &EngineSpec) -> Value {
    let start = match &spec.launch {
        Launch::Inside => json!("self"),
        Launch::Process(c) => json!([c.program, c.args, c.dir, c.env]),
    };
    let mut told = json!({
        "name": spec.name,
        "start": start,
        "options": spec.options,
        "control": spec.control.to_string(),
    });
    if spec.ponder {
        told["ponder"] = json!(true);
    }
    told
}
