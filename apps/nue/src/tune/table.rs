//! What came of a tuning, as a table and as text to be given to other commands.

use super::OPTION;
use arena::spsa::Spsa;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The table, then the values as `--set` of this command and as an engine's options of `nue match`.
pub(super) fn text(spsa: &Spsa) -> String {
    let width = spsa.dials().iter().map(|d| d.name.len()).max().unwrap_or(0).max(9);
    let mut text = format!(
        "{:width$} {:>8} {:>8} {:>10} {:>8}\n",
        "parameter", "old", "new", "exact", "change"
    );
    let (mut set, mut options) = (Vec::new(), Vec::new());
    for (dial, &value) in spsa.dials().iter().zip(spsa.values()) {
        let (new, change) = (value.round(), value.round() - dial.start);
        let (name, old) = (&dial.name, dial.start);
        let _ = writeln!(text, "{name:width$} {old:>8} {new:>8} {value:>10.2} {change:>+8}");
        set.push(format!("--set {name}={new}"));
        options.push(format!("option.{OPTION}{name}={new}"));
    }
    let _ = writeln!(text, "\n{}\n\n{}", set.join(" "), options.join(","));
    text
}

/// The same for machines.
pub(super) fn json(spsa: &Spsa) -> Value {
    let params: Vec<Value> = spsa
        .dials()
        .iter()
        .zip(spsa.values())
        .map(|(dial, value)| {
            json!({ "name": dial.name, "old": dial.start, "new": value.round(), "exact": value })
        })
        .collect();
    json!({ "iterations": spsa.applied(), "planned": spsa.gains().iterations, "params": params })
}
