//! A fleet, read by room `fleetd` from its folder, as the page shows it.

use board::watch::Interval;
use board::watch_fleet::{
    FleetCount, FleetEngine, FleetFault, FleetNumber, FleetRun, FleetRunState, FleetScore,
    FleetSprt, FleetStanding, FleetTuning, FleetWorker, SprtPoint, SpsaPoint, WatchFleet,
};
use fleet::Standing;
use fleet::driver::{RunProgress, ScoreProgress, TuningProgress};
use fleetd::ledger::{FaultRow, RunState};
use fleetd::status::{RunStatus, WorkerStatus};
use fleetd::{DataFolder, Status};
use std::collections::BTreeMap;
use std::path::Path;

/// Runs that have ended, workers and faults that are shown.
const ENDED: usize = 20;
const WORKERS: usize = 300;
const FAULTS: usize = 50;

/// Points of a curve: more cannot be seen, and all of them travel with every change.
const POINTS: usize = 100;

/// How it stands.
pub(super) fn look(folder: &Path, name: &str) -> WatchFleet {
    let data = DataFolder::new(folder);
    let source = name.to_owned();
    match data.status() {
        Ok(status) => WatchFleet { source, live: data.is_served(), ..shown(status) },
        Err(error) => WatchFleet { source, error: Some(error.to_string()), ..Default::default() },
    }
}

fn shown(status: Status) -> WatchFleet {
    let is_active = |run: &RunStatus| run.state == RunState::Active;
    let pace = status.runs.iter().filter(|run| is_active(run)).map(|run| run.games_a_minute);
    let games_a_minute = finite(pace.sum()).unwrap_or(0.0);
    let (mut ended, mut runs) = (0, Vec::new());
    for run in status.runs.into_iter().rev() {
        let active = is_active(&run);
        ended += usize::from(!active);
        if active || ended <= ENDED {
            runs.push(shown_run(run));
        }
    }
    let more_workers = status.workers.len().saturating_sub(WORKERS) as u64;
    WatchFleet {
        games_a_minute,
        leased: status.queue.leased as u64,
        waiting: status.queue.waiting as u64,
        draining: status.draining,
        runs,
        earlier: ended.saturating_sub(ENDED) as u64,
        workers: status.workers.into_iter().take(WORKERS).map(worker).collect(),
        more_workers,
        faults: status.faults.into_iter().take(FAULTS).map(fault).collect(),
        ..WatchFleet::default()
    }
}

/// JSON has no infinity.
fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

/// So many points of a curve, the last among them.
fn thinned<T>(curve: Vec<T>) -> Vec<T> {
    let (count, step) = (curve.len(), curve.len().div_ceil(POINTS).max(1));
    let kept = |at: usize| (count - 1 - at).is_multiple_of(step);
    curve.into_iter().enumerate().filter(|(at, _)| kept(*at)).map(|(_, point)| point).collect()
}

/// As many digits as are shown.
fn rounded(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

fn words(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

fn counts(tally: BTreeMap<String, u64>) -> Vec<FleetCount> {
    tally.into_iter().map(|(what, count)| FleetCount { what, count }).collect()
}

fn shown_run(run: RunStatus) -> FleetRun {
    let RunProgress { done, total, positions, tally, score, tuning } =
        run.progress.unwrap_or_default();
    FleetRun {
        id: run.id.to_string(),
        name: run.name,
        owner: run.owner,
        kind: run.kind,
        state: match run.state {
            RunState::Active => FleetRunState::Active,
            RunState::Done => FleetRunState::Done,
            RunState::Stopped => FleetRunState::Stopped,
        },
        reason: words(run.reason),
        obstacle: run.obstacle,
        priority: run.priority.to_string(),
        created: run.created,
        ended: run.ended,
        done,
        total,
        positions,
        games_a_minute: finite(run.games_a_minute).unwrap_or(0.0),
        tasks: run.out as u64,
        tally: counts(tally),
        score: score.map(shown_score),
        tuning: tuning.map(shown_tuning),
        faults: run.faults,
        last_faults: run.last_faults.into_iter().map(fault).collect(),
    }
}

fn shown_score(score: ScoreProgress) -> FleetScore {
    let elo: Option<Interval> = score.elo.map(|ends| ends.map(finite));
    let engines = score.engines.into_iter().map(|engine| FleetEngine {
        name: engine.name,
        wins: engine.wins,
        draws: engine.draws,
        losses: engine.losses,
        faults: counts(engine.faults),
    });
    let points = score.curve.into_iter().filter(|(_, ratio)| ratio.is_finite());
    let points = points.map(|(games, ratio)| SprtPoint { games, ratio: rounded(ratio) });
    let curve = thinned(points.collect());
    let (test, verdict) = score.test.unwrap_or_default();
    let ratio = score.ratio.filter(|(at, low, high)| [at, low, high].iter().all(|n| n.is_finite()));
    let sprt = ratio.map(|(ratio, low, high)| FleetSprt { test, verdict, ratio, low, high, curve });
    FleetScore {
        wins: score.wins,
        draws: score.draws,
        losses: score.losses,
        pairs: score.pairs,
        elo,
        engines: engines.collect(),
        sprt,
    }
}

fn shown_tuning(tuning: TuningProgress) -> FleetTuning {
    let values = tuning.start.into_iter().zip(tuning.values);
    let numbers = tuning.names.into_iter().zip(values);
    let numbers = numbers.map(|(name, (start, value))| FleetNumber { name, start, value });
    let curve = tuning.curve.into_iter().filter(|(_, values)| values.iter().all(|n| n.is_finite()));
    let curve = curve.map(|(iteration, values)| SpsaPoint {
        iteration,
        values: values.into_iter().map(rounded).collect(),
    });
    FleetTuning {
        iteration: tuning.iteration,
        iterations: tuning.iterations,
        numbers: numbers.collect(),
        curve: thinned(curve.collect()),
    }
}

fn worker(worker: WorkerStatus) -> FleetWorker {
    FleetWorker {
        id: worker.id.to_string(),
        owner: worker.owner.to_string(),
        cores: worker.cores,
        speed: worker.speed,
        version: worker.version,
        standing: match worker.standing {
            Standing::Probation => FleetStanding::Probation,
            Standing::Admitted => FleetStanding::Admitted,
            Standing::Barred => FleetStanding::Barred,
        },
        reason: words(worker.reason),
        // A look that finds nothing new is no news.
        last_seen: worker.last_seen / 60 * 60,
        tasks: worker.tasks.len() as u64,
        residual: worker.residual.and_then(|residual| finite(residual.deviations)),
    }
}

fn fault(fault: FaultRow) -> FleetFault {
    FleetFault {
        at: fault.at,
        run: fault.run.map(|run| run.to_string()),
        worker: fault.worker.map(|worker| worker.to_string()),
        kind: fault.kind,
        reason: fault.reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fleetd::start::ServeRequest;
    use fleetd::{Ledger, Request};
    use serde_json::{Value, json};
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    /// A run that its coordinator did itself, and one that nobody does.
    #[test]
    fn a_fleet_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let absent = json!(look(&folder.path().join("none"), "none"));
        assert!(absent["error"].as_str().unwrap().contains("there is no ledger"), "{absent}");
        let data = DataFolder::new(folder.path());
        drop(Ledger::open(&data.ledger_path()).unwrap());
        let submit = |name: &str, goal: Option<u64>| {
            let (spec, priority) = (fleet::Spec::sums(1), fleet::Priority::Normal);
            let request = Request { name: name.to_owned(), spec, goal, priority, share: 1.0 };
            data.submit(request, "me", 1, Duration::ZERO).unwrap();
        };
        let served = |threads: usize, until_idle: bool, stop: bool| {
            let request = ServeRequest {
                data: &data,
                broker: None,
                threads,
                gateway: None,
                tokens: None,
                tls: None,
                trusted: Vec::new(),
                until_idle,
                now: || 1,
            };
            request.run(&AtomicBool::new(stop), |_| ()).unwrap();
        };
        submit("sums", Some(3));
        served(1, true, false);
        let told = json!(look(folder.path(), "fleet"));
        let run = &told["runs"][0];
        assert_eq!((&told["source"], &told["live"]), (&json!("fleet"), &json!(false)));
        assert_eq!(told["error"], Value::Null);
        assert_eq!((&run["id"], &run["state"]), (&json!("r1"), &json!("done")));
        assert_eq!((&run["done"], &run["total"]), (&json!(3), &json!(3)));
        let worker = &told["workers"][0];
        assert_eq!((&worker["id"], &worker["standing"]), (&json!("local"), &json!("admitted")));
    }

    #[test]
    fn the_latest_that_ended_are_shown_with_all_that_go_on_and_only_numbers() {
        let run = |id: u64, state| RunStatus {
            id: fleet::RunId(id),
            name: String::new(),
            owner: String::new(),
            kind: "sprt".to_owned(),
            priority: fleet::Priority::Normal,
            share: 1.0,
            state,
            reason: String::new(),
            created: 0,
            ended: None,
            out: 0,
            games_a_minute: f64::INFINITY,
            obstacle: None,
            progress: Some(RunProgress {
                score: Some(ScoreProgress {
                    ratio: Some((0.5, -2.0, 2.0)),
                    curve: vec![(2, f64::NAN), (4, 0.5)],
                    elo: Some([f64::NEG_INFINITY, 1.0, 2.0]),
                    ..ScoreProgress::default()
                }),
                ..RunProgress::default()
            }),
            faults: 0,
            last_faults: Vec::new(),
        };
        let mut runs = vec![run(1, RunState::Active)];
        runs.extend((2..50).map(|id| run(id, RunState::Done)));
        let (workers, faults, queue) = (Vec::new(), Vec::new(), fleet::Occupancy::default());
        let told = shown(Status { runs, workers, faults, queue, draining: true });
        assert_eq!(told.runs.len(), ENDED + 1);
        assert_eq!(told.runs.last().unwrap().id, "r1");
        assert_eq!((told.earlier, told.draining), (28, true));
        let score = told.runs[0].score.clone().unwrap();
        assert_eq!(score.elo, Some([None, Some(1.0), Some(2.0)]));
        assert_eq!(score.sprt.unwrap().curve, [SprtPoint { games: 4, ratio: 0.5 }]);
        assert_eq!(thinned((0..=300).collect()), (0..=300).step_by(4).collect::<Vec<_>>());
        assert_eq!(thinned((0..5).collect()), [0, 1, 2, 3, 4]);
        assert_eq!((thinned::<u8>(Vec::new()), rounded(1.234_56)), (Vec::new(), 1.23));
    }
}
