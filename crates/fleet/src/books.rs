//! Leaves of a book searched through a queue of this process, for whoever works on books.

use crate::exchange::with_leaf_search;
use crate::task::LeavesSpec;
use book::BookMove;
use bookwork::WorkError;
use bookwork::searcher::{SearchSettings, Searcher, TABLE, moves_of};
use rules::AnyPosition;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use think::{TimeSource, WallTime};

/// Several searches at a time, each on one thread: the same answers as from one after the other.
pub struct QueueSearcher {
    spec: LeavesSpec,
    name: String,
    slots: usize,
    time: Arc<dyn TimeSource>,
}

/// What a fleet is asked for where a book is searched so.
pub fn leaves_spec(settings: &SearchSettings) -> LeavesSpec {
    LeavesSpec {
        game: settings.game.to_string(),
        nodes: Some(settings.nodes),
        hash: TABLE as u32,
        net: settings.eval.as_ref().map(Into::into),
        ..LeavesSpec::default()
    }
}

impl QueueSearcher {
    /// As many searches at a time as there would be threads.
    pub fn new(settings: &SearchSettings) -> Result<Self, WorkError> {
        let (spec, name) = (leaves_spec(settings), settings.source()?);
        Ok(Self { spec, name, slots: settings.threads.max(1), time: Arc::new(WallTime::start()) })
    }
}

impl Searcher for QueueSearcher {
    fn name(&self) -> &str {
        &self.name
    }

    fn search(
        &mut self,
        positions: &[AnyPosition],
        lines: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<Vec<BookMove>>, WorkError> {
        self.spec.lines = u16::try_from(lines.max(1)).map_err(WorkError::search)?;
        let mut found = vec![None; positions.len()];
        let searched = with_leaf_search(&self.spec, self.slots, &self.time, |search| {
            search.all(positions, stop, &mut |place, leaf| {
                found[place] = Some(moves_of(&leaf, &self.name));
            })
        });
        let searched = searched.map_err(WorkError::search)?;
        if stop.load(Ordering::Relaxed) {
            return Err(WorkError::interrupted());
        }
        searched.map_err(|fault| WorkError::search(fault.reason))?;
        found
            .into_iter()
            .collect::<Option<Vec<_>>>()
            .ok_or_else(|| WorkError::search("a leaf was not searched"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bookwork::searcher::LocalSearcher;
    use rules::Game;

    #[test]
    fn the_queue_finds_what_one_engine_finds() {
        let settings = SearchSettings {
            game: Game::Minishogi,
            nodes: 500,
            threads: 2,
            eval: Some("material".to_owned()),
        };
        let start = AnyPosition::startpos(Game::Minishogi);
        let mut positions = vec![start.clone()];
        for &mv in start.legal_moves().iter().take(5) {
            let mut after = start.clone();
            after.play(mv);
            positions.push(after);
        }
        let (on, off) = (AtomicBool::new(false), AtomicBool::new(true));
        let mut queue = QueueSearcher::new(&settings).unwrap();
        let one = SearchSettings { threads: 1, ..settings };
        let mut local = LocalSearcher::new(&one).unwrap();
        assert_eq!(queue.name(), local.name());
        for lines in [3, 1] {
            let found = queue.search(&positions, lines, &on).unwrap();
            assert_eq!(found, local.search(&positions, lines, &on).unwrap());
        }
        assert!(queue.search(&positions, 1, &off).is_err_and(|error| error.is_interrupt()));
    }
}
