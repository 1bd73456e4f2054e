//! The losses of a run as a picture.

use crate::session::Entry;
use chart::{Axis, Frame, Line, Side};

const TRAINING: &str = "#8a8f98";
const HELD_OUT: &str = "#c0392b";
const BEST: &str = "#2c3e50";

/// An SVG of the losses by positions learned from. The beginning is left out: it would flatten
/// everything after it.
pub(super) fn svg(history: &[Entry], title: &str) -> String {
    let entries: Vec<&Entry> = history.iter().filter(|e| e.steps > 0).collect();
    let last = entries.last().map_or(1, |e| e.positions.max(1)) as f64;
    let losses = entries.iter().flat_map(|e| [e.training.total, e.validation.total]);
    let (low, high) =
        losses.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
    let (low, high) = if low.is_finite() { (low, high) } else { (0.0, 1.0) };
    let room = ((high - low) * 0.05).max(1e-4);
    let loss = |loss: f64| format!("{loss:.4}");
    let x = Axis { from: 0.0, to: last, label: &short };
    let y = Axis { from: low - room, to: high + room, label: &loss };
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
}
