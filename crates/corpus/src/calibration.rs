//! What scores are worth: the share of points that positions of a score brought, the scale of the
//! sigmoid that fits it best, and both as a picture.

use crate::error::Error;
use crate::progress::Watch;
use crate::source::Inputs;
use crate::stats;
use chart::{Axis, Frame, Line, Side};
use play::{PAWN, centipawns, win_rate};

/// Positions of about the same score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The score in the middle.
    pub score: f64,
    /// Positions whose result is known.
    pub known: u64,
    /// What the side to move made of them: 1 a win, ½ a draw.
    pub points: f64,
}

impl Sample {
    fn share(&self) -> f64 {
        self.points / self.known.max(1) as f64
    }
}

const MEASURED: &str = "#c0392b";
const FITTED: &str = "#2c3e50";
const OF_A_NET: &str = "#8a8f98";
/// Scales that make sense.
const SCALES: (f64, f64) = (10.0, 20_000.0);

/// The scale with the least cross-entropy of sigmoid(score / scale) to the results; `None` where
/// the scores say nothing about them.
pub fn fit(samples: &[Sample]) -> Option<f64> {
    // With k = 1 / scale the loss is convex, so its slope changes sign once.
    let slope = |k: f64| -> f64 {
        let of = |s: &Sample| s.score * (win_rate(s.score, 1.0 / k) * s.known as f64 - s.points);
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

/// What scores of those files are worth, in hundredths of a pawn; `None` where they say nothing.
pub fn measure(inputs: &Inputs, watch: &Watch<'_>) -> Result<Option<f64>, Error> {
    let (found, counts) = stats::run(inputs, watch)?;
    if found.is_interrupted() {
        return Err(Error::Interrupted);
    }
    if let Some(problem) = counts.problems.first() {
        return Err(Error::Damaged(problem.clone()));
    }
    Ok(fit(&found.samples()).map(|scale| centipawns(scale).round()))
}

/// What a net expects of its scores.
#[derive(Clone, Debug)]
pub struct NetScale {
    /// What the net is called in the picture.
    pub name: String,
    /// Its scale, in hundredths of a pawn as nets say it.
    pub scale: f64,
}

/// What was found, a line each.
pub fn told(fitted: Option<f64>, net: Option<&NetScale>) -> String {
    let mut text = match fitted.map(centipawns) {
        Some(scale) => format!("best fit: 73 % at a score of {scale:.0} hundredths of a pawn\n"),
        None => "no scale fits: the scores say nothing about the results\n".to_owned(),
    };
    if let Some(NetScale { name, scale }) = net {
        text += &format!("{name}: 73 % at a score of {scale:.0} hundredths of a pawn\n");
    }
    text
}

/// The picture: what positions of a score brought, the sigmoid that fits best (its scale as found
/// by [`fit`]), and the one a net expects.
///
/// Scores and the scale of the fit are in evaluation units; scales are told in hundredths of a pawn.
pub fn svg(samples: &[Sample], fitted: Option<f64>, net: Option<&NetScale>) -> String {
    let end = samples.iter().map(|s| s.score.abs()).fold(100.0, f64::max);
    let score = |score: f64| format!("{score:.0}");
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let x = Axis { from: -end, to: end, label: &score };
    let y = Axis { from: 0.0, to: 1.0, label: &percent };
    let expected = |scale: f64| {
        let scores = (0..=100).map(move |i| -end + 2.0 * end * f64::from(i) / 100.0);
        scores.map(move |score| (score, win_rate(score, scale)))
    };
    let title = "Points scored in the end, by score";
    let below = format!("score for the side to move, in units of {PAWN} to a pawn");
    let mut frame = Frame::new(title, &below, x, y, Side::Left);
    if let Some(NetScale { name, scale }) = net {
        let name = format!("{name}: scale {scale:.0}");
        let line = Line { color: OF_A_NET, width: 1.5, dashed: true, name: &name };
        frame = frame.curve(line, expected(scale * f64::from(PAWN) / 100.0));
    }
    if let Some(scale) = fitted {
        let name = format!("best fit: scale {:.0}", centipawns(scale));
        let line = Line { color: FITTED, width: 1.5, dashed: false, name: &name };
        frame = frame.curve(line, expected(scale));
    }
    for sample in samples.iter().filter(|s| s.known > 0) {
        frame = frame.dot((sample.score, sample.share()), 3.0, MEASURED);
    }
    frame.svg()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planted(scale: f64) -> Vec<Sample> {
        let sample = |i: i32| {
            let score = f64::from(i) * 100.0;
            let known = 1000 / (1 + u64::from(i.unsigned_abs()));
            Sample { score, known, points: known as f64 * win_rate(score, scale) }
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
        // 540 units are 600 hundredths of a pawn.
        let samples = planted(540.0);
        let drawn = svg(&samples, fit(&samples), None);
        assert_eq!(drawn.matches("<circle").count(), samples.len());
        assert_eq!(drawn.matches("<polyline").count(), 1);
        assert!(drawn.contains("best fit: scale 600"), "{drawn}");
        // A net that expects just this has the same curve under another name.
        let net = NetScale { name: "nn.bin".to_owned(), scale: 600.0 };
        let both = svg(&samples, Some(540.0), Some(&net));
        assert!(both.contains("nn.bin: scale 600"), "{both}");
        let curves: Vec<&str> =
            both.split("points=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(curves.len(), 2);
        assert_eq!(curves[0], curves[1]);
        assert!(!svg(&[], None, None).contains("NaN"));
    }
}
