//! A frame with two axes, and what is drawn inside it.

use std::fmt::Write;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
/// Space for the axes: left, top, right, bottom.
const MARGINS: [f64; 4] = [70.0, 40.0, 20.0, 50.0];
const GRID: &str = "#e5e7ea";
/// Parts an axis is divided into.
const PARTS: u32 = 4;
/// Distance of two lines of the legend.
const ROW: f64 = 16.0;
/// Width of a digit, about.
const DIGIT: f64 = 7.0;

/// A range of numbers and how they are written beside the frame.
pub struct Axis<'a> {
    /// The number at its beginning.
    pub from: f64,
    /// The number at its end.
    pub to: f64,
    /// How a number is written.
    pub label: &'a dyn Fn(f64) -> String,
}

impl Axis<'_> {
    /// Where a number lies, from 0 to 1. An axis without length has everything in the middle.
    fn place(&self, at: f64) -> f64 {
        let length = self.to - self.from;
        if length == 0.0 { 0.5 } else { (at - self.from) / length }
    }

    fn parts(&self) -> impl Iterator<Item = f64> {
        (0..=PARTS).map(|i| self.from + (self.to - self.from) * f64::from(i) / f64::from(PARTS))
    }
}

/// Where the legend stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    /// Beside the vertical axis.
    Left,
    /// At the other end.
    Right,
}

/// How a curve is drawn, and what the legend calls it.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// As SVG writes it.
    pub color: &'a str,
    /// In pixels.
    pub width: f64,
    /// Dashes instead of a whole line.
    pub dashed: bool,
    /// What the legend calls it.
    pub name: &'a str,
}

/// A picture in the making.
pub struct Frame<'a> {
    x: Axis<'a>,
    y: Axis<'a>,
    legend: Side,
    rows: usize,
    out: String,
}

impl<'a> Frame<'a> {
    /// The frame with its title, grid and numbers; `below` says what the horizontal axis counts.
    pub fn new(title: &str, below: &str, x: Axis<'a>, y: Axis<'a>, legend: Side) -> Self {
        let [left, _, right, bottom] = MARGINS;
        let out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n\
             <text x=\"{left}\" y=\"20\" font-size=\"14\">{}</text>\n",
            escape(title)
        );
        let mut frame = Self { x, y, legend, rows: 0, out };
        for (across, up) in frame.x.parts().zip(frame.y.parts()).collect::<Vec<_>>() {
            let (at, number) = (frame.up(up), escape(&(frame.y.label)(up)));
            let (end, beside) = (WIDTH - right, left - 6.0);
            frame.write(&format!(
                "<line x1=\"{left}\" x2=\"{end:.1}\" y1=\"{at:.1}\" y2=\"{at:.1}\" \
                 stroke=\"{GRID}\"/><text x=\"{beside:.1}\" y=\"{:.1}\" \
                 text-anchor=\"end\">{number}</text>",
                at + 4.0
            ));
            let (at, number) = (frame.across(across), escape(&(frame.x.label)(across)));
            let under = HEIGHT - bottom + 18.0;
            // A long number at the end would be cut off in the middle.
            let (at, anchor) = match at + DIGIT * number.len() as f64 / 2.0 > WIDTH {
                true => (WIDTH - 2.0, "end"),
                false => (at, "middle"),
            };
            frame.write(&format!(
                "<text x=\"{at:.1}\" y=\"{under:.1}\" text-anchor=\"{anchor}\">{number}</text>"
            ));
        }
        let middle = (left + WIDTH - right) / 2.0;
        frame.write(&format!(
            "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            HEIGHT - 12.0,
            escape(below)
        ));
        frame
    }

    fn write(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn across(&self, x: f64) -> f64 {
        let [left, _, right, _] = MARGINS;
        left + self.x.place(x) * (WIDTH - left - right)
    }

    fn up(&self, y: f64) -> f64 {
        let [_, top, _, bottom] = MARGINS;
        top + (1.0 - self.y.place(y)) * (HEIGHT - top - bottom)
    }

    /// A curve through points, with its line of the legend.
    #[must_use]
    pub fn curve(mut self, line: Line<'_>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let mut list = String::new();
        for (x, y) in points {
            // Writing to a string cannot fail.
            let _ = write!(list, "{:.1},{:.1} ", self.across(x), self.up(y));
        }
        let [left, top, right, _] = MARGINS;
        let (at, anchor) = match self.legend {
            Side::Left => (left + 10.0, "start"),
            Side::Right => (WIDTH - right - 4.0, "end"),
        };
        let row = top + 14.0 + ROW * self.rows as f64;
        self.rows += 1;
        let Line { color, width, dashed, name } = line;
        let dashes = if dashed { " stroke-dasharray=\"4 3\"" } else { "" };
        self.write(&format!(
            "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"{width}\"{dashes} \
             points=\"{}\"/>\n<text x=\"{at:.1}\" y=\"{row:.1}\" text-anchor=\"{anchor}\" \
             fill=\"{color}\">{}</text>",
            list.trim_end(),
            escape(name)
        ));
        self
    }

    /// A point.
    #[must_use]
    pub fn dot(mut self, (x, y): (f64, f64), radius: f64, color: &str) -> Self {
        let (x, y) = (self.across(x), self.up(y));
        self.write(&format!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{color}\"/>"
        ));
        self
    }

    /// A vertical line from one height to another: the error of a point.
    #[must_use]
    pub fn error_bar(mut self, x: f64, (low, high): (f64, f64), color: &str) -> Self {
        let (x, low, high) = (self.across(x), self.up(low), self.up(high));
        self.write(&format!(
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{low:.1}\" y2=\"{high:.1}\" \
             stroke=\"{color}\"/>"
        ));
        self
    }

    /// A word that leads up to a point, upright, so that neighbours do not overlap.
    #[must_use]
    pub fn word(mut self, (x, y): (f64, f64), text: &str, color: &str) -> Self {
        let (x, y) = (self.across(x) - 6.0, self.up(y));
        self.write(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\" fill=\"{color}\" \
             transform=\"rotate(-90 {x:.1} {y:.1})\">{}</text>",
            escape(text)
        ));
        self
    }

    /// The picture.
    #[must_use]
    pub fn svg(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }
}

/// Text between the tags of SVG or HTML; not for attributes.
#[must_use]
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_drawn_lies_inside_the_picture() {
        let label = |n: f64| format!("{n:.0}");
        let axis = |to| Axis { from: 0.0, to, label: &label };
        let line = Line { color: "#000", width: 1.0, dashed: true, name: "a & b" };
        let picture = Frame::new("a < b", "things", axis(10.0), axis(0.0), Side::Right)
            .curve(line, [(0.0, 0.0), (10.0, 0.0)])
            .dot((5.0, 0.0), 3.0, "#fff")
            .error_bar(5.0, (0.0, 0.0), "#fff")
            .word((5.0, 0.0), "c > d", "#fff")
            .svg();
        assert!(picture.starts_with("<svg") && picture.ends_with("</svg>\n"));
        assert!(picture.contains("a &lt; b") && picture.contains("a &amp; b"));
        assert!(picture.contains("y1=\"205.0\" y2=\"205.0\" stroke=\"#fff\""), "{picture}");
        assert!(picture.contains(">c &gt; d</text>"), "{picture}");
        assert!(picture.contains("points=\"70.0,205.0 700.0,205.0\""), "{picture}");
        assert!(!picture.contains("NaN") && !picture.contains("inf"));
        assert!(
            picture.contains("x=\"700.0\" y=\"388.0\" text-anchor=\"middle\">10<"),
            "{picture}"
        );
        // A long number ends where the picture does.
        let long = Frame::new("", "", axis(1_234_567.0), axis(1.0), Side::Left).svg();
        assert!(long.contains("x=\"718.0\" y=\"388.0\" text-anchor=\"end\">1234567<"), "{long}");
    }
}
