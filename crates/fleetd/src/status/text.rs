//! Where everything stands, in words.

use super::{RunStatus, Status, WorkerStatus};
use fleet::RunId;
use fleet::driver::{RunProgress, ScoreProgress, TuningProgress};
use std::fmt::Write;

/// A column of a table: as wide as what is in it, or as its head.
fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let wide = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([head[column].len()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(wide).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded = cells.zip(&widths).map(|(cell, &width)| format!("{cell:<width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let mut text = line(&mut head.iter().copied());
    for row in rows {
        text += &line(&mut row.iter().map(String::as_str));
    }
    text
}

fn elo(score: &ScoreProgress) -> String {
    score.elo.map_or_else(String::new, |[low, mid, high]| {
        format!("Elo {mid:+.1} ± {:.1}", (high - low) / 2.0)
    })
}

/// What came of a run so far, on one line.
fn result(progress: &RunProgress) -> String {
    let mut parts = Vec::new();
    if let Some(score) = &progress.score {
        parts.push(format!("+{} ={} -{}", score.wins, score.draws, score.losses));
        parts.push(elo(score));
        if let Some((ratio, ..)) = score.ratio {
            let said = score.test.as_ref().map_or("", |(_, verdict)| verdict);
            parts.push(format!("LLR {ratio:.2} {said}"));
        }
    }
    if let Some(TuningProgress { iteration, iterations, .. }) = progress.tuning {
        parts.push(format!("iteration {iteration}/{iterations}"));
    }
    parts.extend(progress.tally.iter().map(|(word, count)| format!("{count} {word}")));
    if progress.positions > 0 {
        parts.push(format!("{} positions", progress.positions));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

impl Status {
    /// The runs, as a table for people.
    pub fn runs_text(&self) -> String {
        if self.runs.is_empty() {
            return "there are no runs\n".to_owned();
        }
        let row = |run: &RunStatus| {
            let done = run.progress.as_ref().map_or_else(String::new, |progress| {
                let total = progress.total.map_or_else(String::new, |total| format!("/{total}"));
                format!("{}{total}", progress.done)
            });
            vec![
                run.id.to_string(),
                run.kind.clone(),
                run.state.name().to_owned(),
                run.priority.name().to_owned(),
                done,
                run.progress.as_ref().map_or_else(String::new, result),
                run.faults.to_string(),
                run.name.clone(),
            ]
        };
        let rows: Vec<Vec<String>> = self.runs.iter().map(row).collect();
        table(&["run", "kind", "state", "priority", "done", "result", "faults", "name"], &rows)
    }

    /// The workers, as a table for people.
    pub fn workers_text(&self) -> String {
        if self.workers.is_empty() {
            return "there are no workers\n".to_owned();
        }
        let head = ["worker", "owner", "cores", "knps", "standing", "tasks", "residual", "why"];
        table(&head, &self.worker_rows())
    }

    /// What tables say of each worker: name, owner, processors, speed, standing, tasks, residual, why.
    pub(crate) fn worker_rows(&self) -> Vec<Vec<String>> {
        let row = |worker: &WorkerStatus| {
            let residual = worker.residual.map(|residual| format!("{:.1}", residual.deviations));
            vec![
                worker.id.to_string(),
                worker.owner.to_string(),
                worker.cores.to_string(),
                (worker.speed / 1000).to_string(),
                worker.standing.name().to_owned(),
                worker.tasks.len().to_string(),
                residual.unwrap_or_default(),
                worker.reason.clone(),
            ]
        };
        self.workers.iter().map(row).collect()
    }

    /// One run in words; `None` if there is no such run.
    pub fn run_text(&self, id: RunId) -> Option<String> {
        let run = self.runs.iter().find(|run| run.id == id)?;
        let mut text = format!(
            "{}: {} ({}), by {}\n{}, priority {}, share {}\n",
            run.id,
            run.name,
            run.kind,
            run.owner,
            run.state.name(),
            run.priority,
            run.share
        );
        if !run.reason.is_empty() {
            text += &format!("ended: {}\n", run.reason);
        }
        if let Some(obstacle) = &run.obstacle {
            text += &format!("waits: {obstacle}\n");
        }
        if let Some(progress) = &run.progress {
            let total = progress.total.map_or_else(String::new, |total| format!(" of {total}"));
            let (done, pace, out) = (progress.done, run.games_a_minute, run.out);
            text += &format!("done {done}{total}, {pace:.1} a minute, {out} tasks handed out\n");
            for (word, count) in &progress.tally {
                text += &format!("{count} {word}\n");
            }
            if progress.positions > 0 {
                text += &format!("{} positions\n", progress.positions);
            }
            if let Some(score) = &progress.score {
                text += &score_text(score);
            }
            if let Some(tuning) = &progress.tuning {
                text += &tuning_text(tuning);
            }
        }
        if run.faults > 0 {
            text += &format!("{} faults, the newest first:\n", run.faults);
        }
        for fault in &run.last_faults {
            let worker = fault.worker.as_ref().map_or_else(String::new, |w| format!("{w}: "));
            text += &format!("  {worker}{}: {}\n", fault.kind, fault.reason);
        }
        Some(text)
    }
}

fn score_text(score: &ScoreProgress) -> String {
    let mut text = String::new();
    for engine in &score.engines {
        let (wins, draws, losses) = (engine.wins, engine.draws, engine.losses);
        let _ = write!(text, "{}: won {wins}, drawn {draws}, lost {losses}", engine.name);
        for (kind, times) in &engine.faults {
            let _ = write!(text, ", {kind} {times}");
        }
        text.push('\n');
    }
    let _ = write!(text, "pairs by points 0, ½, 1, 1½, 2: {:?}", score.pairs);
    let elo = elo(score);
    let _ = writeln!(text, "{}{elo}", if elo.is_empty() { "" } else { "; " });
    if let Some((ratio, low, high)) = score.ratio {
        let (test, verdict) = score.test.clone().unwrap_or_default();
        let _ = writeln!(text, "SPRT {test}: LLR {ratio:.2} ({low:.2} to {high:.2}), {verdict}");
    }
    text
}

fn tuning_text(tuning: &TuningProgress) -> String {
    let mut text = format!("iteration {} of {}\n", tuning.iteration, tuning.iterations);
    let values = tuning.start.iter().zip(&tuning.values);
    for (name, (start, value)) in tuning.names.iter().zip(values) {
        let _ = writeln!(text, "  {name}: {start} -> {value:.2}");
    }
    text
}
