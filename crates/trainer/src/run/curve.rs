//! The losses of a run as a picture.

use crate::session::Entry;
use chart::{Axis, Frame, Line, Side};
use serde_json::Value;

const TRAINING: &str = "#8a8f98";
const HELD_OUT: &str = "#c0392b";
const BEST: &str = "#2c3e50";

/// An SVG of the losses by positions learned from. The beginning is left out: it would flatten
/// everything after it.
pub(super) fn svg(history: &[Entry], title: &str) -> String {
    let entries: Vec<&Entry> = history.iter().filter(|e| e.steps > 0).collect();
    let last = entries.last().map_or(1, |e| e.positions.max(1)) as f64;
    let losses = entries.iter().flat_map(|e| [e.training.total, e.validation.total]);
    let x = Axis { from: 0.0, to: last, label: &short };
    let y = losses_axis(losses);
    let line = |color, name| Line { color, width: 2.0, dashed: false, name };
    let of = |loss: fn(&Entry) -> f64| {
        entries.iter().map(move |e| (e.positions as f64, loss(e))).collect::<Vec<_>>()
    };
    let mut frame = Frame::new(title, "positions learned from", x, y, Side::Right)
        .curve(line(TRAINING, "while learning"), of(|e| e.training.total))
        .curve(line(HELD_OUT, "held out"), of(|e| e.validation.total));
    if let Some(best) = entries.iter().rev().find(|e| e.best) {
        frame = frame.dot((best.positions as f64, best.validation.total), 4.0, BEST);
    }
    frame.svg()
}

/// Losses from the least to the greatest, with a little room.
fn losses_axis(losses: impl Iterator<Item = f64>) -> Axis<'static> {
    let (low, high) =
        losses.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let (low, high) = if low.is_finite() { (low, high) } else { (0.0, 1.0) };
    let room = ((high - low) * 0.05).max(1e-4);
    Axis { from: low - room, to: high + room, label: &exact }
}

fn exact(loss: f64) -> String {
    format!("{loss:.4}")
}

/// What the trainer in PyTorch writes of an epoch, and how it is drawn.
const LOGGED: [(&str, &str, &str); 4] = [
    ("loss", "while learning", TRAINING),
    ("validation_loss", "held out", HELD_OUT),
    ("validation_score_loss", "held out, scores", "#d68910"),
    ("validation_result_loss", "held out, results", "#7d3c98"),
];

/// An SVG of the losses by epoch, from a log of the trainer in PyTorch: a line of JSON for each.
pub fn svg_of_log(log: &str, title: &str) -> Result<String, serde_json::Error> {
    let lines = log.lines().filter(|line| !line.trim().is_empty());
    let records = lines.map(str::parse).collect::<Result<Vec<Value>, _>>()?;
    let number = |record: &Value, key: &str| record.get(key).and_then(Value::as_f64);
    let points = |key: &str| -> Vec<(f64, f64)> {
        let point = |record| Some((number(record, "epoch")?, number(record, key)?));
        records.iter().filter_map(point).collect()
    };
    let curves = LOGGED.map(|(key, name, color)| (name, color, points(key)));
    let all = || curves.iter().flat_map(|(.., points)| points);
    let (first, last) =
        all().fold((1.0, 1.0), |(low, high): (f64, f64), p| (low.min(p.0), high.max(p.0)));
    let x = Axis { from: first, to: last.max(first + 1.0), label: &short };
    let y = losses_axis(all().map(|point| point.1));
    let mut frame = Frame::new(title, "epoch", x, y, Side::Right);
    for (name, color, points) in curves.into_iter().filter(|(.., points)| !points.is_empty()) {
        frame = frame.curve(Line { color, width: 2.0, dashed: false, name }, points);
    }
    Ok(frame.svg())
}

fn short(n: f64) -> String {
    match n {
        n if n >= 1e6 => format!("{:.1} M", n / 1e6),
        n if n >= 1e3 => format!("{:.0} k", n / 1e3),
        n => format!("{n:.0}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::objective::MeanLosses;

    #[test]
    fn curves_are_drawn_inside_the_picture() {
        let entry = |steps: u64, loss: f64, best| {
            let losses = MeanLosses { total: loss, score: loss, result: loss, floor: 0.1 };
            let (training, validation) = (losses, losses);
            let positions = steps * 1000;
            Entry { epoch: 1, steps, positions, rate: 0.1, training, validation, best }
        };
        let history = [entry(0, 9.0, true), entry(1, 0.6, true), entry(2, 0.5, true)];
        let picture = svg(&history, "a < b");
        assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
        assert!(picture.contains("a &lt; b") && picture.contains("<circle"));
        assert_eq!(picture.matches("<polyline").count(), 2);
        assert!(!picture.contains("NaN") && !picture.contains("inf"));
        for history in [&history[..0], &history[..1], &history[..2]] {
            assert!(!svg(history, "").contains("NaN"));
        }
    }

    #[test]
    fn a_log_of_the_other_trainer_is_drawn_in_the_same_frame() {
        let line = |n: u32| {
            let loss = 1.0 / f64::from(n);
            format!(
                "{{\"epoch\": {n}, \"loss\": {loss}, \"validation_loss\": {loss}, \"rate\": null}}\n"
            )
        };
        let picture = svg_of_log(&(1..=3).map(line).collect::<String>(), "a < b").unwrap();
        assert_eq!(picture.matches("<polyline").count(), 2);
        assert!(picture.contains("a &lt; b") && picture.contains("held out"), "{picture}");
        for log in [String::new(), line(1), "{}\n\n".to_owned()] {
            let picture = svg_of_log(&log, "").unwrap();
            assert!(picture.ends_with("</svg>\n") && !picture.contains("NaN"), "{log}");
        }
        assert!(svg_of_log("{\"epoch\": 1", "").is_err());
    }
}
