//! The losses of a run as a picture.

use std::fmt::Write;
use trainer::Entry;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
/// Room for the axes: left, top, right, bottom.
const MARGINS: [f64; 4] = [70.0, 40.0, 20.0, 50.0];
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
    let (low, high) = (low - room, high + room);
    let [left, top, right, bottom] = MARGINS;
    let x = |positions: f64| left + positions / last * (WIDTH - left - right);
    let y = |loss: f64| top + (high - loss) / (high - low) * (HEIGHT - top - bottom);

    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{left}\" y=\"20\" font-size=\"14\">{}</text>\n",
        escape(title)
    );
    for i in 0..=4 {
        let loss = low + (high - low) * f64::from(i) / 4.0;
        let at = y(loss);
        let _ = writeln!(
            out,
            "<line x1=\"{left}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#e5e7ea\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{loss:.4}</text>",
            WIDTH - right,
            left - 6.0,
            at + 4.0
        );
        let positions = last * f64::from(i) / 4.0;
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            x(positions),
            HEIGHT - bottom + 18.0,
            short(positions)
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">positions learned from</text>",
        (left + WIDTH - right) / 2.0,
        HEIGHT - 12.0
    );
    type Of = fn(&Entry) -> f64;
    let lines: [(&str, &str, Of); 2] = [
        (TRAINING, "while learning", |e| e.training.total),
        (HELD_OUT, "held out", |e| e.validation.total),
    ];
    for (row, (color, name, of)) in lines.into_iter().enumerate() {
        let points: Vec<String> = entries
            .iter()
            .map(|e| format!("{:.1},{:.1}", x(e.positions as f64), y(of(e))))
            .collect();
        let at = top + 14.0 + 16.0 * row as f64;
        let _ = writeln!(
            out,
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"2\" points=\"{}\"/>\n\
             <text x=\"{:.1}\" y=\"{at:.1}\" text-anchor=\"end\" fill=\"{color}\">{name}</text>",
            points.join(" "),
            WIDTH - right - 4.0
        );
    }
    if let Some(best) = entries.iter().rev().find(|e| e.best) {
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{BEST}\"/>",
            x(best.positions as f64),
            y(best.validation.total)
        );
    }
    out.push_str("</svg>\n");
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
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
    use trainer::MeanLosses;

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
