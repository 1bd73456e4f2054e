//! Bars of text.

/// Widest bar, in characters.
const WIDTH: f64 = 40.0;

/// One row: a name, how many, and a remark.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bar {
    /// Stands before the bar.
    pub name: String,
    /// How long it is, in proportion.
    pub count: u64,
    /// Stands after it.
    pub remark: String,
}

/// Rows with bars in proportion; empty rows at both ends are left out.
pub fn bars(rows: &[Bar]) -> String {
    let first = rows.iter().position(|r| r.count > 0).unwrap_or(rows.len());
    let last = rows.iter().rposition(|r| r.count > 0).map_or(first, |i| i + 1);
    let rows = &rows[first..last];
    let most = rows.iter().map(|r| r.count).max().unwrap_or(1).max(1) as f64;
    let total = rows.iter().map(|r| r.count).sum::<u64>().max(1) as f64;
    let names = rows.iter().map(|r| r.name.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for row in rows {
        let share = 100.0 * row.count as f64 / total;
        let bar = blocks(row.count as f64 / most * WIDTH);
        let line = format!("  {:>names$} {share:5.1} % {bar:<40} {}", row.name, row.remark);
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// A bar of so many characters, its end to an eighth.
fn blocks(length: f64) -> String {
    let eighths = (length * 8.0).round() as usize;
    let mut out = "█".repeat(eighths / 8);
    out.extend(['▏', '▎', '▍', '▌', '▋', '▊', '▉'].get((eighths % 8).wrapping_sub(1)));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_in_proportion() {
        let row = |name: &str, count| Bar { name: name.to_owned(), count, remark: String::new() };
        let text = bars(&[row("a", 0), row("b", 10), row("c", 0), row("dd", 20), row("e", 0)]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3);
        assert_eq!(lines[0], format!("   b  33.3 % {}", "█".repeat(20)));
        assert_eq!(lines[1], "   c   0.0 %");
        assert_eq!(lines[2], format!("  dd  66.7 % {}", "█".repeat(40)));
        assert_eq!(blocks(0.5), "▌");
        assert_eq!(bars(&[]), "");
    }
}
