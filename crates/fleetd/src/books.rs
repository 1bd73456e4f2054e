//! Leaves of a book searched by a fleet, for whoever works on books.

use crate::home::Home;
use crate::start::Say;
use book::BookMove;
use bookwork::WorkError;
use bookwork::searcher::{SearchSettings, Searcher, moves_of};
use fleet::LeavesSpec;
use fleet::books::{QueueSearcher, leaves_spec};
use rules::AnyPosition;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// What names the fleet of this process.
const SELF: &str = "self";

/// The fleet served in a folder. Every batch of positions is a run of it.
struct ServedSearcher {
    home: Home,
    spec: LeavesSpec,
    name: String,
    now: fn() -> i64,
    say: Say,
}

/// Whoever searches by the fleet of a folder, or by one in this process for `self`. `now` tells seconds since 1970; `say`
/// is told what a run waits for.
pub fn searcher(
    fleet: &Path,
    settings: &SearchSettings,
    now: fn() -> i64,
    say: Say,
) -> Result<Box<dyn Searcher>, WorkError> {
    if fleet == Path::new(SELF) {
        return Ok(Box::new(QueueSearcher::new(settings)?));
    }
    let (spec, name) = (leaves_spec(settings), settings.source()?);
    Ok(Box::new(ServedSearcher { home: Home::new(fleet), spec, name, now, say }))
}

/// Makes whoever searches by a fleet, for commands that know only its name.
pub fn by_fleet(
    now: fn() -> i64,
    say: Say,
) -> impl Fn(&Path, &SearchSettings) -> Result<Box<dyn Searcher>, WorkError> {
    move |fleet: &Path, settings: &SearchSettings| searcher(fleet, settings, now, say)
}

impl Searcher for ServedSearcher {
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
        let (spec, home) = (&self.spec, &self.home);
        let leaves = home.search_leaves("book", spec, positions, self.now, stop, self.say);
        match leaves {
            Ok(leaves) => Ok(leaves.iter().map(|leaf| moves_of(leaf, &self.name)).collect()),
            Err(_) if stop.load(Ordering::Relaxed) => Err(WorkError::interrupted()),
            Err(error) => Err(WorkError::search(error)),
        }
    }
}
