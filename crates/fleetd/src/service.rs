//! A coordinator at work, with workers of its own process beside it.

use crate::coordinator::{Coordinator, CoordinatorSettings};
use crate::data_folder::DataFolder;
use crate::error::FleetError;
use crate::ledger::Ledger;
use crate::status::Status;
use crate::{metrics, page};
use fleet::perform::Equipment;
use fleet::work::{WorkSettings, work};
use fleet::{Queue, Worker};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How often it is said where everything stands, in seconds.
const TELL: i64 = 2;

/// A coordinator and what it needs.
pub struct Service<'a> {
    pub data: &'a DataFolder,
    pub ledger: Ledger,
    pub queue: Arc<dyn Queue>,
    pub settings: CoordinatorSettings,
    /// A worker of this process with so many tasks at a time.
    pub local: Option<(Worker, Equipment, usize)>,
    /// Ends when no run is active any more.
    pub until_idle: bool,
    /// Seconds since 1970.
    pub now: fn() -> i64,
}

impl Service<'_> {
    /// Serves until `stop` is set: then what the own workers have under way is finished and counted.
    /// `watch` is told now and then where everything stands.
    pub fn run(self, stop: &AtomicBool, watch: &mut dyn FnMut(&Status)) -> Result<(), FleetError> {
        let Self { data, ledger, queue, settings, local, until_idle, now } = self;
        let files = data.files()?;
        let mut coordinator = Coordinator::open(ledger, Arc::clone(&queue), files, settings)?;
        let ended = AtomicBool::new(false);
        thread::scope(|scope| {
            let (ended, queue) = (&ended, &queue);
            let threads: Vec<_> = local
                .iter()
                .map(|(worker, equipment, slots)| {
                    let memory: Option<fn() -> u64> = Some(fleet::worker::memory_mib);
                    let settings =
                        WorkSettings { slots: *slots, memory, ..WorkSettings::default() };
                    scope.spawn(move || work(&**queue, worker, equipment, &settings, ended, &()))
                })
                .collect();
            let mut told = 0;
            let mut served = Ok(());
            while served.is_ok() && !stop.load(Ordering::Relaxed) {
                served = step(&mut coordinator, data, now(), &mut told, watch);
                // Only now are orders done that were given before there was a coordinator.
                if until_idle && coordinator.is_idle() {
                    break;
                }
            }
            ended.store(true, Ordering::Relaxed);
            while served.is_ok() && threads.iter().any(|thread| !thread.is_finished()) {
                served = step(&mut coordinator, data, now(), &mut told, watch);
            }
            // What came last, and how it stands at the end.
            while served.is_ok() && coordinator.step(now(), Duration::ZERO)? {}
            served?;
            tell(&coordinator, data, now(), watch)
        })
    }
}

fn step(
    coordinator: &mut Coordinator,
    data: &DataFolder,
    now: i64,
    told: &mut i64,
    watch: &mut dyn FnMut(&Status),
) -> Result<(), FleetError> {
    const WAIT: Duration = Duration::from_millis(200);
    coordinator.step(now, WAIT)?;
    if now - *told < TELL {
        return Ok(());
    }
    *told = now;
    tell(coordinator, data, now, watch)
}

/// Says where everything stands.
fn tell(
    coordinator: &Coordinator,
    data: &DataFolder,
    now: i64,
    watch: &mut dyn FnMut(&Status),
) -> Result<(), FleetError> {
    let status = coordinator.status(now)?;
    watch(&status);
    let text = serde_json::to_string(&status)?;
    for (path, text) in [
        (data.status_path(), text),
        (data.page_path(), page::html(&status)),
        (data.metrics_path(), metrics::text(coordinator, &status)),
    ] {
        let written = durable::write_whole(&path, text.as_bytes(), true);
        written.map_err(|source| FleetError::File { path, source })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_folder::Request;
    use crate::ledger::RunState;
    use crate::orders::Reply;
    use crate::start::ServeRequest;
    use fleet::{Priority, Spec};

    /// With work that was asked for while nobody served.
    #[test]
    fn a_coordinator_that_ends_when_idle_does_what_was_ordered_before() {
        let folder = tempfile::tempdir().unwrap();
        let data = DataFolder::new(folder.path());
        drop(Ledger::open(&data.ledger_path()).unwrap());
        let (name, priority) = ("sums".to_owned(), Priority::Normal);
        let request = Request { name, spec: Spec::sums(1), goal: Some(3), priority, share: 1.0 };
        let reply = data.submit(request, "me", 1, Duration::from_secs(60)).unwrap();
        assert_eq!(reply, Reply::Later);
        let request = ServeRequest { until_idle: true, ..ServeRequest::alone(&data) };
        request.run(&AtomicBool::new(false), |_| ()).unwrap();
        let status = data.status().unwrap();
        assert_eq!(status.runs.len(), 1);
        assert_eq!(status.runs[0].state, RunState::Done);
        let page = std::fs::read_to_string(data.page_path()).unwrap();
        assert!(page.contains("3/3") && page.contains("local"), "{page}");
        let metrics = std::fs::read_to_string(data.metrics_path()).unwrap();
        assert!(metrics.contains("nue_fleet_games_total 3"), "{metrics}");
    }
}
