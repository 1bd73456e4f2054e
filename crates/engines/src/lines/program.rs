//! A conversation with a USI program: a process in a group of its own, read and written by threads.

use super::{LineEvent, LineLink, LineSink, WAITING};
use crate::running::{ErrorStream, end_in_words, kill, spawn, wait};
use crate::settings::ProgramCommand;
use os::names::text_of;
use os::process::Running;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::ExitStatus;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Longest line that is taken whole.
const LONGEST_LINE: u64 = 64 << 10;

/// How long the end of a process is waited for to tell how it ended.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// The conversation. Dropped, the process is killed with everything it started.
struct ProgramLink {
    process: Arc<Mutex<Running>>,
    lines: SyncSender<String>,
}

/// Starts a program; what it does is told through the sink.
pub fn start_program(command: &ProgramCommand, sink: &LineSink) -> io::Result<Box<dyn LineLink>> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", command.program));
    let mut process = command.start().map_err(named)?;
    let (input, output) = (process.stdin.take(), process.stdout.take());
    let errors = process.stderr.take();
    let process = Arc::new(Mutex::new(process));
    let (lines, waiting) = sync_channel::<String>(WAITING);
    if let Some(mut input) = input {
        spawn("engine input", move || {
            while let Ok(line) = waiting.recv() {
                let text = format!("{line}\n");
                if input.write_all(text.as_bytes()).and_then(|()| input.flush()).is_err() {
                    break;
                }
            }
        })?;
    }
    let last = Arc::new(ErrorStream::default());
    if let Some(errors) = errors {
        let last = Arc::clone(&last);
        spawn("engine errors", move || last.read(errors, |_| ()))?;
    }
    if let Some(output) = output {
        let (sink, process) = (Arc::clone(sink), Arc::clone(&process));
        spawn("engine output", move || {
            sink(LineEvent::Started);
            read_lines(output, |line| sink(LineEvent::Line(line)));
            sink(LineEvent::Ended(end_in_words(status_of(&process), last.last_line())));
        })?;
    }
    Ok(Box::new(ProgramLink { process, lines }))
}

/// How a process ended whose output is closed. Whoever wants to kill it meanwhile can.
fn status_of(process: &Mutex<Running>) -> Option<ExitStatus> {
    let step = Duration::from_millis(5);
    let mut waited = Duration::ZERO;
    while waited < LAST_WORDS {
        let mut process = process.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(status) = wait(&mut process, Duration::ZERO) {
            return Some(status);
        }
        drop(process);
        std::thread::sleep(step);
        waited += step;
    }
    None
}

/// Every line of a stream, cut where it is too long, whatever the bytes are.
fn read_lines(stream: impl Read, mut each: impl FnMut(String)) {
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        match reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => each(text_of(line.trim_ascii_end())),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

impl LineLink for ProgramLink {
    fn send(&mut self, line: &str) -> bool {
        self.lines.try_send(line.to_owned()).is_ok()
    }

    fn is_gone(&mut self) -> bool {
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        !process.try_wait().is_ok_and(|status| status.is_none())
    }
}

impl Drop for ProgramLink {
    fn drop(&mut self) {
        kill(&mut self.process.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_and_need_not_be_text() {
        let mut bytes = b"usiok\r\n\xff\xfe\n".to_vec();
        bytes.extend(vec![b'x'; LONGEST_LINE as usize + 5]);
        let mut lines = Vec::new();
        read_lines(&bytes[..], |line| lines.push(line));
        assert_eq!(lines[..2], ["usiok".to_owned(), "\u{fffd}\u{fffd}".to_owned()]);
        assert_eq!((lines[2].len(), lines[3].len()), (LONGEST_LINE as usize, 5));
    }
}
