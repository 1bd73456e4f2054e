//! Leaves of a book searched by a fleet, for whoever works on books.

use crate::data_folder::DataFolder;
use crate::start::LogSink;
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
    data: DataFolder,
    spec: LeavesSpec,
    name: String,
    now: fn() -> i64,
    log: LogSink,
}

/// Whoever searches by the fleet of a folder, or by one in this process for `self`. `now` tells seconds since 1970; `log`
/// is told what a run waits for.
pub fn searcher(
    fleet: &Path,
    settings: &SearchSettings,
    now: fn() -> i64,
    log: LogSink,
) -> Result<Box<dyn Searcher>, WorkError> {
    if fleet == Path::new(SELF) {
        return Ok(Box::new(QueueSearcher::new(settings)?));
    }
    let (spec, name) = (leaves_spec(settings), settings.source()?);
    Ok(Box::new(ServedSearcher { data: DataFolder::new(fleet), spec, name, now, log }))
}

/// Makes whoever searches by a fleet, for commands that know only its name.
pub fn by_fleet(
    now: fn() -> i64,
    log: LogSink,
) -> impl Fn(&Path, &SearchSettings) -> Result<Box<dyn Searcher>, WorkError> {
    move |fleet: &Path, settings: &SearchSettings| searcher(fleet, settings, now, log)
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
        let (spec, data) = (&self.spec, &self.data);
        let leaves = data.search_leaves("book", spec, positions, self.now, stop, self.log);
        match leaves {
            Ok(leaves) => Ok(leaves.iter().map(|leaf| moves_of(leaf, &self.name)).collect()),
            Err(_) if stop.load(Ordering::Relaxed) => Err(WorkError::interrupted()),
            Err(error) => Err(WorkError::search(error)),
        }
    }
}
