//! Numbers about the running server, in the text format that Prometheus reads.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use server::lobby::Closing;
use std::time::Duration;

/// Upper bounds of the histograms of times, in seconds.
const BOUNDS: [f64; 12] =
    [5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 1.0];

/// How long something took, counted by size.
#[derive(Clone, Debug)]
pub(crate) struct Times(Histogram);

impl Default for Times {
    fn default() -> Self {
        Self(Histogram::new(BOUNDS))
    }
}

impl Times {
    pub(crate) fn add(&self, time: Duration) {
        self.0.observe(time.as_secs_f64());
    }
}

/// Everything counted.
#[derive(Debug)]
pub(crate) struct Metrics {
    pub(crate) connections: Counter,
    pub(crate) open: Gauge,
    pub(crate) lines: Counter,
    pub(crate) moves: Counter,
    pub(crate) started: Counter,
    pub(crate) ended: Counter,
    pub(crate) running: Gauge,
    pub(crate) logins: Counter,
    pub(crate) refused: Counter,
    pub(crate) slow: Counter,
    closed: Family<Vec<(&'static str, &'static str)>, Counter>,
    pub(crate) turned_away: Counter,
    pub(crate) commits: Counter,
    pub(crate) handled: Times,
    pub(crate) stored: Times,
    registry: Registry,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("nue");
        // Counters are written with `_total` at the end of their name.
        let mut counter = |name: &str, help: &str| {
            let counter = Counter::default();
            registry.register(name, help, counter.clone());
            counter
        };
        let connections = counter("connections", "connections accepted");
        let lines = counter("lines", "lines received");
        let moves = counter("moves", "moves stored");
        let started = counter("games_started", "games started");
        let ended = counter("games_ended", "games ended");
        let logins = counter("logins", "logins accepted");
        let refused = counter("logins_refused", "logins refused");
        let slow = counter("slow_clients", "connections closed because they did not read");
        let commits = counter("commits", "transactions stored");
        let turned_away = counter("turned_away", "connections turned away: there were too many");
        let closed = Family::default();
        registry.register("closed", "connections closed by the server, by reason", closed.clone());
        let (open, running) = (Gauge::default(), Gauge::default());
        registry.register("connections_open", "connections now", open.clone());
        registry.register("games", "games running now", running.clone());
        let (handled, stored) = (Times::default(), Times::default());
        let help = "from a line's arrival until its effects were sent";
        registry.register("line_seconds", help, handled.0.clone());
        registry.register("commit_seconds", "time to store a batch", stored.0.clone());
        Self {
            connections,
            open,
            lines,
            moves,
            started,
            ended,
            running,
            logins,
            refused,
            slow,
            closed,
            turned_away,
            commits,
            handled,
            stored,
            registry,
        }
    }
}

impl Metrics {
    /// Counts a connection that the server closed.
    pub(crate) fn closed(&self, why: Closing) {
        self.closed.get_or_create(&vec![("reason", why.word())]).inc();
    }

    /// How the page is called in its HTTP header.
    pub(crate) const CONTENT_TYPE: &str =
        "application/openmetrics-text; version=1.0.0; charset=utf-8";

    /// The text of the metrics page.
    pub(crate) fn page(&self) -> String {
        let mut page = String::new();
        // Writing to a string does not fail.
        let _ = prometheus_client::encoding::text::encode(&mut page, &self.registry);
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page() {
        let metrics = Metrics::default();
        for micros in [10, 60, 60, 2_000_000] {
            metrics.handled.add(Duration::from_micros(micros));
        }
        metrics.moves.inc();
        metrics.open.set(3);
        metrics.closed(Closing::Flood);
        let page = metrics.page();
        for line in [
            "nue_moves_total 1",
            "nue_connections_open 3",
            "nue_closed_total{reason=\"flood\"} 1",
            "nue_line_seconds_bucket{le=\"0.00005\"} 1",
            "nue_line_seconds_bucket{le=\"0.0001\"} 3",
            "nue_line_seconds_bucket{le=\"1.0\"} 3",
            "nue_line_seconds_bucket{le=\"+Inf\"} 4",
            "nue_line_seconds_count 4",
        ] {
            assert!(page.lines().any(|l| l == line), "{line} in\n{page}");
        }
        for name in [
            "connections_total",
            "lines_total",
            "games_started_total",
            "games_ended_total",
            "games",
            "logins_total",
            "logins_refused_total",
            "slow_clients_total",
            "turned_away_total",
            "commits_total",
            "commit_seconds_count",
        ] {
            assert!(page.contains(&format!("\nnue_{name} ")), "{name} in\n{page}");
        }
    }
}
