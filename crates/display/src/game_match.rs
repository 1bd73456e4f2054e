//! Where a match stands.

use crate::Live;
use arena::ledger::Entry;
use arena::progress::{MatchObserver, MatchProgress};
use arena::{Finished, Flow};
use std::io::{self, Write};

/// A table that updates in place, a line for every game, and games as lines of JSON if wanted.
pub struct MatchDisplay {
    json: bool,
    live: Option<Live>,
    /// Why a line could not be printed.
    pub failure: Option<io::Error>,
}

impl MatchDisplay {
    pub const fn new(json: bool) -> Self {
        Self { json, live: None, failure: None }
    }

    /// Always in the table, now and then as a plain line.
    fn show(&mut self, progress: &MatchProgress<'_>) {
        let Some(live) = &mut self.live else { return };
        let (played, total) = (progress.games(), progress.plan().schedule.games());
        let left = format!("{} left", live.time_left(played));
        let summary = progress.summary(None);
        let table = || summary.text().trim_end().to_owned();
        let line = || format!("{played}/{total} {}, {left}", summary.line());
        live.show(played, &left, table, line);
    }

    /// Takes the table away.
    pub fn clear(&mut self) {
        if let Some(live) = self.live.take() {
            live.finish();
        }
    }
}

impl MatchObserver for MatchDisplay {
    fn begun(&mut self, progress: &MatchProgress<'_>) {
        if progress.done() > 0 {
            crate::say(&format!("{} games are played already", progress.done()));
        }
        self.live = Some(Live::new(progress.plan().schedule.games(), progress.done()));
        self.show(progress);
    }

    fn finished(&mut self, game: &Finished, entry: &Entry, progress: &MatchProgress<'_>) -> Flow {
        if self.json {
            let line = as_json(entry, game.scheduled.opening);
            if let Err(error) = writeln!(io::stdout(), "{line}") {
                self.failure = Some(error);
                return Flow::Stop;
            }
        }
        if let Some(live) = &self.live {
            live.say(&entry.to_string());
        }
        self.show(progress);
        Flow::Continue
    }
}

fn as_json(entry: &Entry, opening: usize) -> serde_json::Value {
    let mut line = serde_json::to_value(entry).unwrap_or_default();
    if let Some(object) = line.as_object_mut() {
        object.remove("length");
        object.insert("opening".to_owned(), opening.into());
    }
    line
}
