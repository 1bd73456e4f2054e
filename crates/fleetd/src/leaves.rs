//! Leaves of a book searched by the fleet of a folder: a run is asked for, waited for, and read.

use crate::awaited::{ANSWER, run_of, wait_for};
use crate::data_folder::{DataFolder, Request};
use crate::error::FleetError;
use crate::export::leaf_records;
use crate::orders::Order;
use crate::start::LogSink;
use fleet::leaves::{Leaf, leaf_key};
use fleet::{LeavesSpec, Priority, RunId, Spec};
use rules::AnyPosition;
use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

impl DataFolder {
    /// Has positions searched by this fleet, each once however often it is named, and waits for it; what was found, in
    /// their order. `stop` breaks off and stops the run. `now` tells seconds since 1970; `log` is told what the run waits for.
    pub fn search_leaves(
        &self,
        name: &str,
        spec: &LeavesSpec,
        positions: &[AnyPosition],
        now: fn() -> i64,
        stop: &AtomicBool,
        log: LogSink,
    ) -> Result<Vec<Leaf>, FleetError> {
        if positions.is_empty() {
            return Ok(Vec::new());
        }
        let run = self.submit_leaves(name, spec, positions, now())?;
        let ledger = self.beside()?;
        if !wait_for(self, &ledger, run, stop, log)? {
            let reason = "interrupted by whoever asked for it".to_owned();
            ledger.order(&Order::Stop { run, reason }, now(), ANSWER)?;
            return Err(FleetError::Refused(format!("{run} was interrupted")));
        }
        let mut found: HashMap<String, Leaf> = HashMap::new();
        for (position, record) in leaf_records(&ledger, run, &self.resolved(&ledger, run)?)? {
            let leaf = record.read(&position, spec.lines).map_err(FleetError::Refused)?;
            found.insert(leaf_key(&position), leaf);
        }
        let leaf = |position: &AnyPosition| {
            let missing = || FleetError::Refused(format!("{run}: {} is missing", position.sfen()));
            found.get(&leaf_key(position)).cloned().ok_or_else(missing)
        };
        positions.iter().map(leaf).collect()
    }

    fn submit_leaves(
        &self,
        name: &str,
        spec: &LeavesSpec,
        positions: &[AnyPosition],
        now: i64,
    ) -> Result<RunId, FleetError> {
        let lines: String = positions.iter().map(|p| format!("{}\n", p.sfen())).collect();
        let positions = Some(self.keep("leaves.sfen", lines.as_bytes())?);
        let spec = Spec::Leaves(LeavesSpec { positions, ..spec.clone() });
        let (name, priority) = (name.to_owned(), Priority::Normal);
        let request = Request { name, spec, goal: None, priority, share: 1.0 };
        run_of(self.submit(request, "local", now, ANSWER)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::ServeRequest;
    use bookwork::searcher::SearchSettings;
    use rules::Game;

    /// With the coordinator of a folder, its own threads and everything.
    #[test]
    fn leaves_come_back_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataFolder::new(folder.path());
        let on = AtomicBool::new(false);
        let spec = LeavesSpec {
            game: "minishogi".to_owned(),
            nodes: Some(100),
            lines: 2,
            net: Some("material".into()),
            ..LeavesSpec::default()
        };
        let start = AnyPosition::startpos(Game::Minishogi);
        let mut after = start.clone();
        after.play(start.legal_moves()[3]);
        let positions = [after.clone(), start.clone(), after, start];
        assert!(
            data.search_leaves("x", &spec, &positions, || 1, &on, |_| ()).is_err(),
            "no ledger"
        );
        let wrong = LeavesSpec { nodes: None, ..spec.clone() };
        let settings = SearchSettings {
            game: Game::Minishogi,
            nodes: 100,
            threads: 1,
            eval: Some("material".to_owned()),
        };
        let (found, refused, by_book) = ServeRequest::beside_one(&data, || {
            let found = data.search_leaves("x", &spec, &positions, || 1, &on, |_| ());
            let refused = data.search_leaves("x", &wrong, &positions, || 1, &on, |_| ());
            let by_book = crate::books::searcher(folder.path(), &settings, || 1, |_| ())
                .and_then(|mut searcher| searcher.search(&positions, 2, &on));
            (found.unwrap(), refused, by_book.unwrap())
        });
        let first = |leaf: &Leaf| leaf.lines[0].moves[0];
        let by_book: Vec<_> = by_book.iter().map(|moves| moves[0].mv).collect();
        assert_eq!(by_book, found.iter().map(first).collect::<Vec<_>>(), "as books have it");
        assert_eq!((&found[0], &found[1]), (&found[2], &found[3]));
        assert_ne!(found[0], found[1]);
        assert!(found.iter().all(|leaf| leaf.lines.len() == 2));
        assert!(refused.unwrap_err().to_string().contains("how deep"));
    }
}
