//! Time spent, added up.

use crate::options::Losses;
use crate::record::Record;
use std::time::Duration;

/// Time spent by the side that moved, up to and including each node (by node index). Formats that
/// write whole seconds lose the rest, which is counted.
pub(crate) fn totals(record: &Record, losses: &mut Losses) -> Vec<Duration> {
    let mut totals: Vec<Duration> = Vec::with_capacity(record.len());
    for id in record.ids() {
        let node = record.node(id);
        let before = node.parent().and_then(|p| record.node(p).parent());
        let sum = before.map_or(Duration::ZERO, |p| totals[p.index()]);
        totals.push(sum.saturating_add(node.time.unwrap_or_default()));
        losses.times += usize::from(node.time.is_some_and(|t| t.subsec_millis() > 0));
    }
    totals
}
