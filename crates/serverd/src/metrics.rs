//! Numbers about the running server.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Upper bounds of the histogram of times, in microseconds.
const BOUNDS: [u64; 12] =
    [50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 1_000_000];

/// Times, counted by size.
#[derive(Default)]
pub(crate) struct Histogram {
    buckets: [AtomicU64; BOUNDS.len() + 1],
    sum: AtomicU64,
}

impl Histogram {
    pub(crate) fn add(&self, time: Duration) {
        let micros = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let bucket = BOUNDS.iter().position(|&bound| micros <= bound).unwrap_or(BOUNDS.len());
        self.buckets[bucket].fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(micros, Ordering::Relaxed);
    }

    fn write(&self, out: &mut String, name: &str, help: &str) {
        let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} histogram");
        let mut total = 0;
        for (index, bucket) in self.buckets.iter().enumerate() {
            total += bucket.load(Ordering::Relaxed);
            let bound =
                BOUNDS.get(index).map_or("+Inf".to_owned(), |b| (*b as f64 / 1e6).to_string());
            let _ = writeln!(out, "{name}_bucket{{le=\"{bound}\"}} {total}");
        }
        let sum = self.sum.load(Ordering::Relaxed) as f64 / 1e6;
        let _ = writeln!(out, "{name}_sum {sum}\n{name}_count {total}");
    }
}

/// Everything counted.
#[derive(Default)]
pub(crate) struct Metrics {
    pub(crate) connections: AtomicU64,
    pub(crate) open: AtomicU64,
    pub(crate) lines: AtomicU64,
    pub(crate) moves: AtomicU64,
    pub(crate) started: AtomicU64,
    pub(crate) ended: AtomicU64,
    pub(crate) running: AtomicU64,
    pub(crate) logins: AtomicU64,
    pub(crate) refused: AtomicU64,
    pub(crate) slow: AtomicU64,
    pub(crate) commits: AtomicU64,
    pub(crate) handled: Histogram,
    pub(crate) stored: Histogram,
}

impl Metrics {
    /// One more.
    pub(crate) fn count(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// The text of the metrics page.
    pub(crate) fn page(&self) -> String {
        let mut out = String::new();
        let mut number = |name: &str, kind: &str, help: &str, value: &AtomicU64| {
            let value = value.load(Ordering::Relaxed);
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        };
        number("nue_connections_total", "counter", "connections accepted", &self.connections);
        number("nue_connections", "gauge", "connections now", &self.open);
        number("nue_lines_total", "counter", "lines received", &self.lines);
        number("nue_moves_total", "counter", "moves stored", &self.moves);
        number("nue_games_started_total", "counter", "games started", &self.started);
        number("nue_games_ended_total", "counter", "games ended", &self.ended);
        number("nue_games", "gauge", "games running now", &self.running);
        number("nue_logins_total", "counter", "logins accepted", &self.logins);
        number("nue_logins_refused_total", "counter", "logins refused", &self.refused);
        number(
            "nue_slow_clients_total",
            "counter",
            "connections closed because they did not read",
            &self.slow,
        );
        number("nue_commits_total", "counter", "transactions stored", &self.commits);
        self.handled.write(
            &mut out,
            "nue_line_seconds",
            "from a line's arrival until its effects were sent",
        );
        self.stored.write(&mut out, "nue_commit_seconds", "time to store a batch");
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_counted_by_size() {
        let metrics = Metrics::default();
        for micros in [10, 60, 60, 2_000_000] {
            metrics.handled.add(Duration::from_micros(micros));
        }
        Metrics::count(&metrics.moves);
        let page = metrics.page();
        for line in [
            "nue_moves_total 1",
            "nue_line_seconds_bucket{le=\"0.00005\"} 1",
            "nue_line_seconds_bucket{le=\"0.0001\"} 3",
            "nue_line_seconds_bucket{le=\"1\"} 3",
            "nue_line_seconds_bucket{le=\"+Inf\"} 4",
            "nue_line_seconds_count 4",
        ] {
            assert!(page.lines().any(|l| l == line), "{line} in\n{page}");
        }
    }
}
