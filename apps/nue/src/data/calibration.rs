//! What scores are worth: the share of points that positions of a score brought, the scale of the
//! sigmoid that fits it best, and both as a picture.

use std::fmt::Write;

/// Positions of about the same score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sample {
    /// The score in the middle.
    pub(super) score: f64,
    /// Positions whose result is known.
    pub(super) known: u64,
    /// What the side to move made of them: 1 a win, ½ a draw.
    pub(super) points: f64,
}

impl Sample {
    fn share(&self) -> f64 {
        self.points / self.known.max(1) as f64
    }
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
/// Room for the axes: left, top, right, bottom.
const MARGINS: [f64; 4] = [60.0, 40.0, 20.0, 50.0];
const MEASURED: &str = "#c0392b";
const FITTED: &str = "#2c3e50";
const CUSTOMARY: &str = "#8a8f98";
/// What training takes unless told otherwise.
const USUAL_SCALE: f64 = 600.0;
/// Scales that make sense.
const SCALES: (f64, f64) = (10.0, 20_000.0);

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The scale with the least cross-entropy of sigmoid(score / scale) to the results; `None` where
/// the scores say nothing about them.
pub(super) fn fit(samples: &[Sample]) -> Option<f64> {
    // With k = 1 / scale the loss is convex, so its slope changes sign once.
    let slope = |k: f64| -> f64 {
        let of = |s: &Sample| s.score * (sigmoid(s.score * k) * s.known as f64 - s.points);
        samples.iter().map(of).sum()
    };
    let (mut low, mut high) = (1.0 / SCALES.1, 1.0 / SCALES.0);
    // Also refuses samples without any results, whose slope is nothing everywhere.
    if !(slope(low) < 0.0 && slope(high) > 0.0) {
        return None;
    }
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if slope(middle) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(1.0 / low)
}

/// The picture.
pub(super) fn svg(samples: &[Sample], scale: Option<f64>) -> String {
    let end = samples.iter().map(|s| s.score.abs()).fold(100.0, f64::max);
    let [left, top, right, bottom] = MARGINS;
    let x = |score: f64| left + (score + end) / (2.0 * end) * (WIDTH - left - right);
    let y = |share: f64| top + (1.0 - share) * (HEIGHT - top - bottom);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
         <text x=\"{left}\" y=\"20\" font-size=\"14\">Points scored in the end, by score</text>\n"
    );
    for i in 0..=4 {
        let share = f64::from(i) / 4.0;
        let score = -end + 2.0 * end * share;
        let _ = writeln!(
            out,
            "<line x1=\"{left}\" x2=\"{:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#e5e7ea\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{:.0} %</text>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{score:.0}</text>",
            WIDTH - right,
            left - 6.0,
            y(share) + 4.0,
            100.0 * share,
            x(score),
            HEIGHT - bottom + 18.0,
            at = y(share),
        );
    }
    let mut curve = |scale: f64, color: &str, dashes: &str, row: f64, name: &str| {
        let points: Vec<String> = (0..=100)
            .map(|i| -end + 2.0 * end * f64::from(i) / 100.0)
            .map(|score| format!("{:.1},{:.1}", x(score), y(sigmoid(score / scale))))
            .collect();
        let _ = writeln!(
            out,
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\"{dashes} \
             points=\"{}\"/><text x=\"{:.1}\" y=\"{:.1}\" fill=\"{color}\">{name} {scale:.0}</text>",
            points.join(" "),
            left + 10.0,
            top + 14.0 + 16.0 * row,
        );
    };
    curve(USUAL_SCALE, CUSTOMARY, " stroke-dasharray=\"4 3\"", 0.0, "sigmoid of scale");
    if let Some(scale) = scale {
        curve(scale, FITTED, "", 1.0, "best fit: scale");
    }
    for sample in samples.iter().filter(|s| s.known > 0) {
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{MEASURED}\"/>",
            x(sample.score),
            y(sample.share())
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">score for the side to move</text>",
        (left + WIDTH - right) / 2.0,
        HEIGHT - 12.0
    );
    out.push_str("</svg>\n");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planted(scale: f64) -> Vec<Sample> {
        let sample = |i: i32| {
            let score = f64::from(i) * 100.0;
            let known = 1000 / (1 + u64::from(i.unsigned_abs()));
            Sample { score, known, points: known as f64 * sigmoid(score / scale) }
        };
        (-30..=30).map(sample).collect()
    }

    #[test]
    fn planted_scales_are_found() {
        for scale in [150.0, 600.0, 1234.0] {
            let found = fit(&planted(scale)).unwrap();
            assert!((found - scale).abs() < 0.01 * scale, "{found} for {scale}");
        }
    }

    #[test]
    fn scores_that_say_nothing_have_no_scale() {
        let even = |score| Sample { score, known: 10, points: 5.0 };
        assert_eq!(fit(&[even(-100.0), even(100.0)]), None);
        assert_eq!(fit(&[]), None);
        let unknown = Sample { score: 50.0, known: 0, points: 0.0 };
        assert_eq!(fit(&[unknown]), None);
        // Scores that mean the opposite have none either.
        let wrong =
            |score: f64| Sample { score, known: 10, points: if score > 0.0 { 1.0 } else { 9.0 } };
        assert_eq!(fit(&[wrong(-100.0), wrong(100.0)]), None);
    }

    #[test]
    fn the_picture_has_what_is_known() {
        let samples = planted(600.0);
        let drawn = svg(&samples, fit(&samples));
        assert_eq!(drawn.matches("<circle").count(), samples.len());
        assert_eq!(drawn.matches("<polyline").count(), 2);
        assert!(!svg(&[], None).contains("NaN"));
    }
}
