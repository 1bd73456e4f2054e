//! Where everything stands as one page of HTML, for browsers: runs, workers, games a minute, curves, faults. Without
//! scripts; it asks for itself again by itself.

use crate::ledger::RunState;
use crate::status::{RunStatus, Status};
use chart::{Axis, Frame, Line, Side, escape, grouped};
use fleet::driver::{ScoreProgress, TuningProgress};
use std::fmt::Write;

/// Colours of curves, one after the other.
const COLORS: [&str; 6] = ["#1f6fb2", "#c0392b", "#2e8b57", "#8e44ad", "#b8860b", "#444"];

/// How often a browser asks again, in seconds.
const AGAIN: u32 = 5;

/// A table, everything in it escaped.
fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let row = |cells: &mut dyn Iterator<Item = String>, tag: &str| {
        let cells: String = cells.map(|cell| format!("<{tag}>{}</{tag}>", escape(&cell))).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let head = row(&mut head.iter().map(|&cell| cell.to_owned()), "th");
    let rows: String = rows.iter().map(|cells| row(&mut cells.iter().cloned(), "td")).collect();
    format!("<table>\n{head}{rows}</table>\n")
}

/// The ends of numbers, never the same.
fn ends(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = numbers
        .filter(|n| n.is_finite())
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), n| (low.min(n), high.max(n)));
    match (low, high) {
        (low, high) if low < high => (low, high),
        (low, _) if low.is_finite() => (low - 1.0, low + 1.0),
        _ => (0.0, 1.0),
    }
}

/// The ratio of an SPRT as it went, with its bounds.
fn sprt_curve(score: &ScoreProgress) -> Option<String> {
    let (_, low, high) = score.ratio?;
    let last = score.curve.last()?.0 as f64;
    let ratios = score.curve.iter().map(|(_, ratio)| *ratio);
    let (from, to) = ends(ratios.chain([low, high]));
    let games = |at: f64| grouped(at as u64);
    let ratio = |at: f64| format!("{at:.1}");
    let frame = Frame::new(
        "SPRT",
        "games",
        Axis { from: 0.0, to: last.max(1.0), label: &games },
        Axis { from, to, label: &ratio },
        Side::Left,
    );
    let bound = |name| Line { color: "#999", width: 1.0, dashed: true, name };
    let curve = score.curve.iter().map(|(games, ratio)| (*games as f64, *ratio));
    let line = Line { color: COLORS[0], width: 2.0, dashed: false, name: "log-likelihood ratio" };
    let ends = |at: f64| [(0.0, at), (last.max(1.0), at)];
    let frame = frame.curve(bound("rejected"), ends(low)).curve(bound("accepted"), ends(high));
    Some(frame.curve(line, curve).svg())
}

/// How far each number of a tuning has moved, in hundredths of where it began.
fn tuning_curve(tuning: &TuningProgress) -> Option<String> {
    let last = tuning.curve.last()?.0 as f64;
    let moved = |index: usize, value: f64| {
        let start = tuning.start.get(index).copied().unwrap_or(0.0);
        (value - start) * 100.0 / start.abs().max(1.0)
    };
    let all = tuning.curve.iter().flat_map(|(_, values)| values.iter().enumerate());
    let (from, to) = ends(all.map(|(index, value)| moved(index, *value)).chain([0.0]));
    let (whole, percent) = (|at: f64| grouped(at as u64), |at: f64| format!("{at:.1} %"));
    let mut frame = Frame::new(
        "SPSA",
        "iterations",
        Axis { from: 0.0, to: last.max(1.0), label: &whole },
        Axis { from, to, label: &percent },
        Side::Left,
    );
    for (index, name) in tuning.names.iter().enumerate() {
        let color = COLORS[index % COLORS.len()];
        let points = tuning.curve.iter().filter_map(|(iteration, values)| {
            Some((*iteration as f64, moved(index, *values.get(index)?)))
        });
        frame = frame.curve(Line { color, width: 1.5, dashed: false, name }, points);
    }
    Some(frame.svg())
}

fn run(run: &RunStatus, text: Option<String>) -> String {
    let mut html = format!("<h2 id=\"{0}\">{0}: {1}</h2>\n", run.id, escape(&run.name));
    let _ = writeln!(html, "<pre>{}</pre>", escape(&text.unwrap_or_default()));
    let progress = run.progress.as_ref();
    let score = progress.and_then(|progress| progress.score.as_ref());
    let tuning = progress.and_then(|progress| progress.tuning.as_ref());
    html += &score.and_then(sprt_curve).unwrap_or_default();
    html += &tuning.and_then(tuning_curve).unwrap_or_default();
    html
}

/// The page.
pub fn html(status: &Status) -> String {
    let pace: f64 = status
        .runs
        .iter()
        .filter(|run| run.state == RunState::Active)
        .map(|run| run.games_a_minute)
        .sum();
    let (waiting, leased) = (status.queue.waiting, status.queue.leased);
    let mut html = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Fleet</title>\n\
         <meta http-equiv=\"refresh\" content=\"{AGAIN}\"></head><body>\n<h1>Fleet</h1>\n\
         <p>{pace:.1} games a minute, {leased} tasks under way, {waiting} waiting</p>\n"
    );
    let runs: Vec<Vec<String>> = status.runs.iter().rev().map(run_row).collect();
    html += &table(&["run", "kind", "state", "done", "a minute", "faults", "name"], &runs);
    let workers = status.worker_rows();
    html += "<h2>Workers</h2>\n";
    let head = ["worker", "owner", "processors", "knps", "standing", "tasks", "residual", "why"];
    html += &table(&head, &workers);
    for one in status.runs.iter().rev() {
        html += &run(one, status.run_text(one.id));
    }
    let faults: Vec<Vec<String>> = status
        .faults
        .iter()
        .map(|fault| {
            let run = fault.run.map_or_else(String::new, |run| run.to_string());
            let worker = fault.worker.as_ref().map_or_else(String::new, ToString::to_string);
            vec![run, worker, fault.kind.clone(), fault.reason.clone()]
        })
        .collect();
    html += "<h2>Faults</h2>\n";
    html += &table(&["run", "worker", "kind", "what"], &faults);
    html + "</body></html>\n"
}

fn run_row(run: &RunStatus) -> Vec<String> {
    let done = run.progress.as_ref().map_or_else(String::new, |progress| {
        let total = progress.total.map_or_else(String::new, |total| format!("/{}", grouped(total)));
        format!("{}{total}", grouped(progress.done))
    });
    vec![
        run.id.to_string(),
        run.kind.clone(),
        run.state.name().to_owned(),
        done,
        format!("{:.1}", run.games_a_minute),
        run.faults.to_string(),
        run.name.clone(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::RunStatus;
    use fleet::driver::RunProgress;
    use fleet::{Occupancy, Priority, RunId};

    fn status(progress: RunProgress) -> Status {
        let run = RunStatus {
            id: RunId(1),
            name: "<b>new & old</b>".into(),
            owner: "me".into(),
            kind: "sprt".into(),
            priority: Priority::Normal,
            share: 1.0,
            state: RunState::Active,
            reason: String::new(),
            created: 0,
            ended: None,
            out: 1,
            obstacle: Some("no worker is there".into()),
            games_a_minute: 2.5,
            progress: Some(progress),
            faults: 0,
            last_faults: Vec::new(),
        };
        let (workers, faults, queue) = (Vec::new(), Vec::new(), Occupancy::default());
        Status { runs: vec![run], workers, faults, queue, draining: false }
    }

    #[test]
    fn curves_are_drawn_and_names_are_text() {
        let score = ScoreProgress {
            ratio: Some((1.0, -2.9, 2.9)),
            curve: vec![(2, 0.1), (4, 0.5), (8, 1.0)],
            ..ScoreProgress::default()
        };
        let tuning = TuningProgress {
            iteration: 2,
            iterations: 10,
            names: vec!["A".into(), "B".into()],
            start: vec![10.0, 20.0],
            values: vec![11.0, 19.0],
            curve: vec![(1, vec![10.5, 20.0]), (2, vec![11.0, 19.0])],
        };
        let progress = RunProgress {
            done: 8,
            total: Some(1000),
            score: Some(score),
            tuning: Some(tuning),
            ..RunProgress::default()
        };
        let page = html(&status(progress));
        assert!(page.contains("&lt;b&gt;new &amp; old&lt;/b&gt;") && !page.contains("<b>"));
        assert_eq!(page.matches("<svg").count(), 2, "{page}");
        assert!(page.contains("waits: no worker is there"), "{page}");
        assert!(page.contains("2.5 games a minute") && page.contains("8/1,000"), "{page}");
        // Nothing to draw yet is no picture, and no number is no harm.
        let page = html(&status(RunProgress::default()));
        assert_eq!(page.matches("<svg").count(), 0);
        assert_eq!(ends([f64::NAN, 3.0].into_iter()), (2.0, 4.0));
        assert_eq!(ends(std::iter::empty()), (0.0, 1.0));
    }
}
