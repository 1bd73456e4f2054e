//! What an engine's output says, kept within bounds.
//!
//! A thread of its own reads the pipe, so that the moment an answer arrived is known whatever
//! everybody else is doing. Of the lines only those are kept that answer something; of the lines
//! of thought only the latest, or as many of the latest as somebody who listens to them can be
//! behind. However much an engine writes, memory does not grow.

use crate::run_delay::RunDelay;
use crate::traffic::TrafficLog;
use os::names::text_of;
use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use think::{Moment, TimeSource};

/// Longest line that is kept whole; the rest of a longer one is dropped.
const LONGEST_LINE: usize = 64 << 10;

/// Bytes an engine may write between two questions, and more of them for every second.
const FLOOD: u64 = 64 << 20;
const FLOOD_PER_SECOND: u64 = 1 << 20;

/// Answers that may wait unread; no engine declares as many options.
const WAITING: usize = 10_000;

/// Lines of thought that may wait unread; older ones are dropped.
const WAITING_REPORTS: usize = 256;

/// Lines kept to tell what an engine said last.
const LAST_LINES: usize = 4;

/// First words of lines somebody waits for.
const ANSWERS: [&str; 6] = ["id", "option", "usiok", "readyok", "bestmove", "checkmate"];

/// What came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum UsiEvent {
    /// An answer, and when it arrived.
    Answer(Moment, String),
    /// A line of thought, where somebody listens to them.
    Report(String),
    /// Somebody called [`UsiReader::wake`].
    Woken,
    /// The output was closed.
    Closed,
    /// More output than is sane.
    Flood,
    /// Nothing in the time given.
    Nothing,
}

#[derive(Default)]
struct State {
    answers: VecDeque<(Moment, String)>,
    /// Lines of thought not yet read; none are kept unless somebody listens.
    reports: VecDeque<String>,
    listening: bool,
    last_report: Option<String>,
    woken: bool,
    last: VecDeque<String>,
    bytes: u64,
    since: Moment,
    flooded: bool,
    closed: bool,
    partial: Vec<u8>,
}

/// The reading side of an engine's output.
#[derive(Default)]
pub(crate) struct UsiReader {
    state: Mutex<State>,
    changed: Condvar,
    /// Where every line is written down.
    log: Option<Arc<TrafficLog>>,
}

impl UsiReader {
    /// A reader that writes down what it reads, if there is a log.
    pub(crate) fn new(log: Option<Arc<TrafficLog>>) -> Self {
        Self { log, ..Self::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the pipe to its end. Runs in a thread of its own.
    pub(crate) fn read(&self, mut pipe: impl Read, time: &dyn TimeSource) {
        let mut buffer = vec![0; 64 << 10];
        let delay = RunDelay::of_this_thread();
        let mut before = delay.total();
        loop {
            match pipe.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    let now = time.now();
                    // What we waited for a processor is not the engine's time.
                    let waited = delay.total().saturating_sub(before);
                    self.take_in(&buffer[..count], now.saturating_sub(waited));
                    before = delay.total();
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let mut state = self.lock();
        let rest = std::mem::take(&mut state.partial);
        let now = time.now();
        self.write_down(&rest, now);
        state.line(&rest, now);
        state.closed = true;
        drop(state);
        self.changed.notify_all();
    }

    fn write_down(&self, line: &[u8], at: Moment) {
        if let Some(log) = &self.log {
            log.received(at, &text_of(line.trim_ascii_end()));
        }
    }

    /// Takes in what was read at that moment.
    fn take_in(&self, mut bytes: &[u8], at: Moment) {
        let mut state = self.lock();
        let before = state.answers.len();
        let reports = state.reports.len();
        state.count(bytes.len(), at);
        while let Some(end) = bytes.iter().position(|&b| b == b'\n') {
            let mut line = std::mem::take(&mut state.partial);
            append(&mut line, &bytes[..end]);
            // Before anybody can act upon it, so that the log is in order. More than is sane is of
            // no use in a file either.
            if !state.flooded {
                self.write_down(&line, at);
            }
            state.line(&line, at);
            bytes = &bytes[end + 1..];
        }
        append(&mut state.partial, bytes);
        let more_reports = state.listening && (reports == 0 && !state.reports.is_empty());
        let worth_waking = state.answers.len() > before || more_reports || state.flooded;
        drop(state);
        if worth_waking {
            self.changed.notify_all();
        }
    }

    /// Waits for the next answer, or line of thought where somebody listens to them.
    pub(crate) fn next(&self, patience: Duration) -> UsiEvent {
        let mut state = self.lock();
        state = self
            .changed
            .wait_timeout_while(state, patience, |state| state.is_quiet())
            .unwrap_or_else(PoisonError::into_inner)
            .0;
        if state.flooded {
            return UsiEvent::Flood;
        }
        if std::mem::take(&mut state.woken) {
            return UsiEvent::Woken;
        }
        if let Some(report) = state.reports.pop_front() {
            return UsiEvent::Report(report);
        }
        match state.answers.pop_front() {
            Some((at, line)) => UsiEvent::Answer(at, line),
            None if state.closed => UsiEvent::Closed,
            None => UsiEvent::Nothing,
        }
    }

    /// Lets whoever waits look around.
    pub(crate) fn wake(&self) {
        self.lock().woken = true;
        self.changed.notify_all();
    }

    /// A new question is about to be asked: whatever waits unread answers none. `listening` says
    /// whether somebody reads its lines of thought.
    pub(crate) fn forget(&self, now: Moment, listening: bool) {
        let mut state = self.lock();
        state.answers.clear();
        state.reports.clear();
        state.listening = listening;
        state.last_report = None;
        state.woken = false;
        state.bytes = 0;
        state.since = now;
    }

    /// Whether lines of thought are to be kept from now on.
    pub(crate) fn set_listening(&self, listening: bool) {
        self.lock().listening = listening;
    }

    /// The latest line of thought with a score.
    pub(crate) fn last_report(&self) -> Option<String> {
        self.lock().last_report.take()
    }

    /// The last lines, whatever they were.
    pub(crate) fn last_lines(&self) -> Vec<String> {
        self.lock().last.iter().cloned().collect()
    }
}

fn append(line: &mut Vec<u8>, bytes: &[u8]) {
    let room = LONGEST_LINE.saturating_sub(line.len());
    line.extend_from_slice(&bytes[..bytes.len().min(room)]);
}

impl State {
    fn is_quiet(&self) -> bool {
        self.answers.is_empty()
            && self.reports.is_empty()
            && !(self.flooded || self.closed || self.woken)
    }

    fn count(&mut self, bytes: usize, at: Moment) {
        self.bytes += bytes as u64;
        let seconds = at.saturating_sub(self.since).as_secs();
        self.flooded |= self.bytes > FLOOD + seconds.saturating_mul(FLOOD_PER_SECOND);
    }

    fn line(&mut self, bytes: &[u8], at: Moment) {
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() || self.flooded {
            return;
        }
        let text = text_of(bytes);
        let word = text.split_ascii_whitespace().next().unwrap_or_default();
        if word == "info" {
            if self.listening && !is_remark(&text) {
                if self.reports.len() == WAITING_REPORTS {
                    self.reports.pop_front();
                }
                self.reports.push_back(text.clone());
            }
            if is_main_line(&text) {
                self.last_report = Some(text);
            }
            return;
        }
        if ANSWERS.contains(&word.trim_start_matches('\u{feff}')) {
            self.flooded |= self.answers.len() >= WAITING;
            self.answers.push_back((at, text.clone()));
        }
        if self.last.len() == LAST_LINES {
            self.last.pop_front();
        }
        self.last.push_back(text);
    }
}

fn is_remark(text: &str) -> bool {
    text.split_ascii_whitespace().nth(1) == Some("string")
}

/// Whether a line of thought has a score and is the first of several.
fn is_main_line(text: &str) -> bool {
    let mut words = text.split_ascii_whitespace();
    let mut scored = false;
    while let Some(word) = words.next() {
        match word {
            "string" => return false,
            "score" => scored = true,
            "multipv" if words.next() != Some("1") => return false,
            "pv" => break,
            _ => {}
        }
    }
    scored
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use think::ManualTime;

    fn reader_after(bytes: &[u8], chunk: usize) -> UsiReader {
        let reader = UsiReader::default();
        for part in bytes.chunks(chunk.max(1)) {
            reader.take_in(part, Duration::ZERO);
        }
        reader
    }

    fn answers(reader: &UsiReader) -> Vec<String> {
        std::iter::from_fn(|| match reader.next(Duration::ZERO) {
            UsiEvent::Answer(_, line) => Some(line),
            _ => None,
        })
        .collect()
    }

    #[test]
    fn answers_are_kept_and_chatter_is_not() {
        let text = b"hello\r\nid name X\r\n\ninfo depth 1 score cp 3 pv 7g7f\nusiok\nbestm";
        for chunk in [1, 3, 1000] {
            let reader = reader_after(text, chunk);
            assert_eq!(answers(&reader), ["id name X", "usiok"]);
            assert_eq!(reader.last_report().as_deref(), Some("info depth 1 score cp 3 pv 7g7f"));
            assert_eq!(reader.last_lines(), ["hello", "id name X", "usiok"]);
        }
    }

    #[test]
    fn only_the_latest_scored_main_line_is_a_thought() {
        let reader = reader_after(
            b"info depth 2 score cp 5 pv 7g7f\ninfo depth 3 currmove 2g2f\ninfo string score 9\n\
              info multipv 2 score cp 9 pv 2g2f\n",
            7,
        );
        assert_eq!(reader.last_report().as_deref(), Some("info depth 2 score cp 5 pv 7g7f"));
        let reader = reader_after(b"info depth 2 multipv 1 score mate -3 pv 7g7f\n", 100);
        assert!(reader.last_report().is_some());
    }

    #[test]
    fn a_flood_is_noticed_and_takes_no_memory() {
        let reader = UsiReader::default();
        let chunk = vec![b'x'; 1 << 20];
        for _ in 0..=64 {
            reader.take_in(&chunk, Duration::ZERO);
        }
        assert_eq!(reader.next(Duration::ZERO), UsiEvent::Flood);
        assert!(reader.lock().partial.len() <= LONGEST_LINE);
        let reader = reader_after(&b"option x\n".repeat(WAITING + 1), 1 << 16);
        assert_eq!(reader.next(Duration::ZERO), UsiEvent::Flood);
    }

    #[test]
    fn much_output_in_much_time_is_no_flood() {
        // More than may come at once, in lines longer than are kept.
        let reader = UsiReader::default();
        let mut chunk = vec![b'x'; 1 << 20];
        chunk.push(b'\n');
        for second in 0..80 {
            reader.take_in(&chunk, Duration::from_secs(second));
        }
        assert_eq!(reader.next(Duration::ZERO), UsiEvent::Nothing);
    }

    #[test]
    fn the_end_is_heard_after_the_last_line() {
        let reader = UsiReader::default();
        reader.read(&b"usiok\nreadyok"[..], &ManualTime::new());
        assert_eq!(answers(&reader), ["usiok", "readyok"]);
        assert_eq!(reader.next(Duration::from_secs(60)), UsiEvent::Closed);
    }

    #[test]
    fn who_listens_reads_every_line_of_thought_before_the_answer() {
        let reader = UsiReader::default();
        reader.forget(Duration::ZERO, true);
        reader.take_in(b"info depth 1\ninfo string x\ninfo depth 2 score cp 1\n", Duration::ZERO);
        reader.take_in(b"bestmove resign\n", Duration::ZERO);
        reader.wake();
        let report = |text: &str| UsiEvent::Report(text.to_owned());
        for want in [UsiEvent::Woken, report("info depth 1"), report("info depth 2 score cp 1")] {
            assert_eq!(reader.next(Duration::ZERO), want);
        }
        assert!(matches!(reader.next(Duration::ZERO), UsiEvent::Answer(..)));
        reader.take_in(&b"info depth 3\n".repeat(WAITING_REPORTS + 9), Duration::ZERO);
        assert_eq!(reader.lock().reports.len(), WAITING_REPORTS);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in any::<Vec<u8>>(), chunk in 1usize..9) {
            let reader = reader_after(&bytes, chunk);
            reader.next(Duration::ZERO);
            reader.last_report();
            prop_assert!(reader.last_lines().len() <= LAST_LINES);
        }
    }
}
