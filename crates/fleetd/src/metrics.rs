//! Where everything stands, for Prometheus.

use crate::coordinator::Coordinator;
use crate::ledger::RunState;
use crate::status::Status;
use fleet::Standing;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

type Labels = Vec<(String, String)>;

/// Everything as Prometheus reads it.
pub fn text(coordinator: &Coordinator, status: &Status) -> String {
    let mut registry = Registry::with_prefix("nue_fleet");
    let counts = coordinator.counts();
    for (name, help, value) in [
        ("results", "Batches of results that came", counts.results),
        ("duplicates", "Batches that were there already", counts.duplicates),
        ("refused", "Batches that did not count", counts.refused),
        ("games", "Games that count", counts.games),
        ("faults", "Faults noted", counts.faults),
        ("offered", "Tasks offered", counts.offered),
        ("checks", "Tasks given to a second owner", counts.checks),
        ("mismatches", "Wrong answers caught", counts.mismatches),
    ] {
        let counter = Counter::<u64>::default();
        counter.inc_by(value);
        registry.register(name, help, counter);
    }
    let queue = status.queue;
    for (name, help, value) in [
        ("waiting", "Tasks that wait", queue.waiting as u64),
        ("leased", "Tasks leased", queue.leased as u64),
        ("events", "Events not yet taken in", queue.events as u64),
        ("stored_bytes", "Bytes of blobs", queue.stored),
    ] {
        let gauge = Gauge::<i64>::default();
        gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        registry.register(name, help, gauge);
    }
    let workers = Family::<Labels, Gauge>::default();
    for standing in [Standing::Probation, Standing::Admitted, Standing::Barred] {
        let count = status.workers.iter().filter(|worker| worker.standing == standing).count();
        let label = vec![("standing".to_owned(), standing.name().to_owned())];
        workers.get_or_create(&label).set(i64::try_from(count).unwrap_or(i64::MAX));
    }
    registry.register("workers", "Workers by standing", workers);
    let done = Family::<Labels, Gauge>::default();
    for run in status.runs.iter().filter(|run| run.state == RunState::Active) {
        let label = vec![("run".to_owned(), run.id.to_string())];
        let games = run.progress.as_ref().map_or(0, |progress| progress.done);
        done.get_or_create(&label).set(i64::try_from(games).unwrap_or(i64::MAX));
    }
    registry.register("run_done", "Games of active runs that count", done);
    let mut text = String::new();
    // Writing to a text does not fail.
    let _ = encode(&mut text, &registry);
    text
}
