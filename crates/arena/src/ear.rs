//! What an engine's output says, kept within bounds.
//!
//! A thread of its own reads the pipe, so that the moment an answer arrived is known whatever the
//! rest of the runner is doing. Of the lines only those are kept that answer something; of the
//! lines of thought only the latest. However much an engine writes, memory does not grow.

use crate::delay::RunDelay;
use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use think::{Moment, TimeSource};

/// Longest line that is kept whole; the rest of a longer one is dropped.
const LONGEST_LINE: usize = 64 << 10;

/// Bytes an engine may write between two questions, and more of them for every second.
const FLOOD: u64 = 64 << 20;
const FLOOD_PER_SECOND: u64 = 1 << 20;

/// Answers that may wait unread; no engine declares as many options.
const WAITING: usize = 10_000;

/// Lines kept to tell what an engine said last.
const LAST_WORDS: usize = 4;

/// First words of lines somebody waits for.
const ANSWERS: [&str; 6] = ["id", "option", "usiok", "readyok", "bestmove", "checkmate"];

/// What was heard.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Heard {
    /// An answer, and when it arrived.
    Line(Moment, String),
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
    thought: Option<String>,
    last: VecDeque<String>,
    bytes: u64,
    since: Moment,
    flooded: bool,
    closed: bool,
    partial: Vec<u8>,
}

/// The listening side of a pipe.
#[derive(Default)]
pub(crate) struct Ear {
    state: Mutex<State>,
    changed: Condvar,
}

impl Ear {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the pipe to its end. Runs in a thread of its own.
    pub(crate) fn listen(&self, mut pipe: impl Read, time: &dyn TimeSource) {
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
                    self.hear(&buffer[..count], now.saturating_sub(waited));
                    before = delay.total();
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let mut state = self.lock();
        let rest = std::mem::take(&mut state.partial);
        let now = time.now();
        state.line(&rest, now);
        state.closed = true;
        drop(state);
        self.changed.notify_all();
    }

    /// Takes in what was read at that moment.
    fn hear(&self, mut bytes: &[u8], at: Moment) {
        let mut state = self.lock();
        let before = state.answers.len();
        state.count(bytes.len(), at);
        while let Some(end) = bytes.iter().position(|&b| b == b'\n') {
            let mut line = std::mem::take(&mut state.partial);
            append(&mut line, &bytes[..end]);
            state.line(&line, at);
            bytes = &bytes[end + 1..];
        }
        append(&mut state.partial, bytes);
        let worth_waking = state.answers.len() > before || state.flooded;
        drop(state);
        if worth_waking {
            self.changed.notify_all();
        }
    }

    /// Waits for the next answer.
    pub(crate) fn next(&self, patience: Duration) -> Heard {
        let mut state = self.lock();
        let ready = |s: &mut State| s.answers.is_empty() && !s.flooded && !s.closed;
        state = self
            .changed
            .wait_timeout_while(state, patience, ready)
            .unwrap_or_else(PoisonError::into_inner)
            .0;
        if state.flooded {
            return Heard::Flood;
        }
        match state.answers.pop_front() {
            Some((at, line)) => Heard::Line(at, line),
            None if state.closed => Heard::Closed,
            None => Heard::Nothing,
        }
    }

    /// A new question is about to be asked: whatever waits unread answers none.
    pub(crate) fn forget(&self, now: Moment) {
        let mut state = self.lock();
        state.answers.clear();
        state.thought = None;
        state.bytes = 0;
        state.since = now;
    }

    /// The latest line of thought with a score.
    pub(crate) fn thought(&self) -> Option<String> {
        self.lock().thought.take()
    }

    /// The last lines, whatever they were.
    pub(crate) fn last_words(&self) -> Vec<String> {
        self.lock().last.iter().cloned().collect()
    }
}

fn append(line: &mut Vec<u8>, bytes: &[u8]) {
    let room = LONGEST_LINE.saturating_sub(line.len());
    line.extend_from_slice(&bytes[..bytes.len().min(room)]);
}

impl State {
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
        let text = String::from_utf8_lossy(bytes).into_owned();
        let word = text.split_ascii_whitespace().next().unwrap_or_default();
        if word == "info" {
            if is_main_line(&text) {
                self.thought = Some(text);
            }
            return;
        }
        if ANSWERS.contains(&word.trim_start_matches('\u{feff}')) {
            self.flooded |= self.answers.len() >= WAITING;
            self.answers.push_back((at, text.clone()));
        }
        if self.last.len() == LAST_WORDS {
            self.last.pop_front();
        }
        self.last.push_back(text);
    }
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

    fn ear_after(bytes: &[u8], chunk: usize) -> Ear {
        let ear = Ear::default();
        for part in bytes.chunks(chunk.max(1)) {
            ear.hear(part, Duration::ZERO);
        }
        ear
    }

    fn answers(ear: &Ear) -> Vec<String> {
        std::iter::from_fn(|| match ear.next(Duration::ZERO) {
            Heard::Line(_, line) => Some(line),
            _ => None,
        })
        .collect()
    }

    #[test]
    fn answers_are_kept_and_chatter_is_not() {
        let text = b"hello\r\nid name X\r\n\ninfo depth 1 score cp 3 pv 7g7f\nusiok\nbestm";
        for chunk in [1, 3, 1000] {
            let ear = ear_after(text, chunk);
            assert_eq!(answers(&ear), ["id name X", "usiok"]);
            assert_eq!(ear.thought().as_deref(), Some("info depth 1 score cp 3 pv 7g7f"));
            assert_eq!(ear.last_words(), ["hello", "id name X", "usiok"]);
        }
    }

    #[test]
    fn only_the_latest_scored_main_line_is_a_thought() {
        let ear = ear_after(
            b"info depth 2 score cp 5 pv 7g7f\ninfo depth 3 currmove 2g2f\ninfo string score 9\n\
              info multipv 2 score cp 9 pv 2g2f\n",
            7,
        );
        assert_eq!(ear.thought().as_deref(), Some("info depth 2 score cp 5 pv 7g7f"));
        let ear = ear_after(b"info depth 2 multipv 1 score mate -3 pv 7g7f\n", 100);
        assert!(ear.thought().is_some());
    }

    #[test]
    fn a_flood_is_noticed_and_takes_no_memory() {
        let ear = Ear::default();
        let chunk = vec![b'x'; 1 << 20];
        for _ in 0..=64 {
            ear.hear(&chunk, Duration::ZERO);
        }
        assert_eq!(ear.next(Duration::ZERO), Heard::Flood);
        assert!(ear.lock().partial.len() <= LONGEST_LINE);
        let ear = ear_after(&b"option x\n".repeat(WAITING + 1), 1 << 16);
        assert_eq!(ear.next(Duration::ZERO), Heard::Flood);
    }

    #[test]
    fn much_output_in_much_time_is_no_flood() {
        let ear = Ear::default();
        for second in 0..200 {
            ear.hear(&vec![b'\n'; 1 << 20], Duration::from_secs(second));
        }
        assert_eq!(ear.next(Duration::ZERO), Heard::Nothing);
    }

    #[test]
    fn the_end_is_heard_after_the_last_line() {
        let ear = Ear::default();
        ear.listen(&b"usiok\nreadyok"[..], &ManualTime::new());
        assert_eq!(answers(&ear), ["usiok", "readyok"]);
        assert_eq!(ear.next(Duration::from_secs(60)), Heard::Closed);
    }

    proptest! {
        #[test]
        fn no_bytes_panic(bytes in any::<Vec<u8>>(), chunk in 1usize..9) {
            let ear = ear_after(&bytes, chunk);
            ear.next(Duration::ZERO);
            ear.thought();
            prop_assert!(ear.last_words().len() <= LAST_WORDS);
        }
    }
}
