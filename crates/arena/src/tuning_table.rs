//! What came of a tuning, as a table and as text to be given to other commands.

use crate::spsa::{Parameter, Spsa};
use crate::tuning::Step;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// The table, then the values as `--set` of the same command and as an engine's options of a match;
/// `prefix` is how the engine's options with these names begin.
pub fn text(spsa: &Spsa, prefix: &str) -> String {
    let width = spsa.parameters().iter().map(|d| d.name.len()).max().unwrap_or(0).max(9);
    let mut text = format!(
        "{:width$} {:>8} {:>8} {:>10} {:>8}\n",
        "parameter", "old", "new", "exact", "change"
    );
    let (mut set, mut options) = (Vec::new(), Vec::new());
    for (parameter, &value) in spsa.parameters().iter().zip(spsa.values()) {
        let (new, change) = (value.round(), value.round() - parameter.start);
        let (name, old) = (&parameter.name, parameter.start);
        let _ = writeln!(text, "{name:width$} {old:>8} {new:>8} {value:>10.2} {change:>+8}");
        set.push(format!("--set {name}={new}"));
        options.push(format!("option.{prefix}{name}={new}"));
    }
    let _ = writeln!(text, "\n{}\n\n{}", set.join(" "), options.join(","));
    text
}

/// The same for machines.
pub fn json(spsa: &Spsa) -> Value {
    let params: Vec<Value> = spsa
        .parameters()
        .iter()
        .zip(spsa.values())
        .map(|(parameter, value)| {
            json!({ "name": parameter.name, "old": parameter.start, "new": value.round(), "exact": value })
        })
        .collect();
    json!({ "iterations": spsa.applied(), "planned": spsa.gains().iterations, "params": params })
}

/// The values that have moved, from where to where.
pub fn moved(step: &Step, parameters: &[Parameter]) -> String {
    let moved = parameters.iter().zip(&step.values).filter(|(p, v)| (p.start - **v).abs() >= 0.05);
    let parts: Vec<String> =
        moved.map(|(p, value)| format!("{} {}→{value:.1}", p.name, p.start)).collect();
    if parts.is_empty() { "nothing has moved yet".to_owned() } else { parts.join(", ") }
}
