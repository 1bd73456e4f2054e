//! A USI program as a child: a process in a group of its own, read and written by threads.

use super::{Link, Sink, WAITING};
use crate::event::{Event, Life};
use engines::ProgramCommand;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStderr};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use think::quote;

/// Longest line that is taken whole.
const LONGEST_LINE: u64 = 64 << 10;

/// How long the end of a process is waited for to tell how it ended.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// The link. Dropped, the process is killed with everything it started.
pub(crate) struct ProgramLink {
    process: Arc<Mutex<Child>>,
    lines: SyncSender<String>,
}

/// Starts a program.
pub(crate) fn start_program(
    command: &ProgramCommand,
    life: Life,
    sink: &Sink,
) -> io::Result<ProgramLink> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", command.program));
    let mut process = command.piped().spawn().map_err(named)?;
    let (input, output) = (process.stdin.take(), process.stdout.take());
    let errors = process.stderr.take();
    let process = Arc::new(Mutex::new(process));
    let (lines, waiting) = sync_channel::<String>(WAITING);
    if let Some(mut input) = input {
        spawn("child input", move || {
            while let Ok(line) = waiting.recv() {
                let text = format!("{line}\n");
                if input.write_all(text.as_bytes()).and_then(|()| input.flush()).is_err() {
                    break;
                }
            }
        })?;
    }
    let last = Arc::new(Mutex::new(String::new()));
    if let Some(errors) = errors {
        let last = Arc::clone(&last);
        spawn("child errors", move || keep_last(errors, &last))?;
    }
    if let Some(output) = output {
        let (sink, process) = (Arc::clone(sink), Arc::clone(&process));
        spawn("child output", move || {
            sink(Event::Started(life));
            read_lines(output, |line| sink(Event::Line(life, line)));
            sink(Event::Lost(life, how_it_ended(&process, &last)));
        })?;
    }
    Ok(ProgramLink { process, lines })
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // Not joined: something the program started may hold a pipe open for long.
    thread::Builder::new().name(name.to_owned()).stack_size(256 << 10).spawn(work).map(|_| ())
}

/// Every line of a stream, cut where it is too long, whatever the bytes are.
fn read_lines(stream: impl Read, mut each: impl FnMut(String)) {
    let mut reader = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        match reader.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => each(String::from_utf8_lossy(line.trim_ascii_end()).into_owned()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

fn keep_last(errors: ChildStderr, last: &Mutex<String>) {
    read_lines(errors, |line| {
        if !line.trim().is_empty() {
            *last.lock().unwrap_or_else(PoisonError::into_inner) = line;
        }
    });
}

fn how_it_ended(process: &Mutex<Child>, last: &Mutex<String>) -> String {
    let step = Duration::from_millis(5);
    let mut waited = Duration::ZERO;
    let status = loop {
        let status = process.lock().unwrap_or_else(PoisonError::into_inner).try_wait();
        match status {
            Ok(None) if waited < LAST_WORDS => thread::sleep(step),
            status => break status.ok().flatten(),
        }
        waited += step;
    };
    let mut told = match status {
        Some(status) => format!("the process ended ({status})"),
        None => "the process closed its output".to_owned(),
    };
    let words = last.lock().unwrap_or_else(PoisonError::into_inner);
    if !words.is_empty() {
        told += &format!(", last words {}", quote(&words));
    }
    told
}

impl Link for ProgramLink {
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
        let mut process = self.process.lock().unwrap_or_else(PoisonError::into_inner);
        #[cfg(unix)]
        if let Some(group) =
            i32::try_from(process.id()).ok().and_then(rustix::process::Pid::from_raw)
            && process.try_wait().is_ok_and(|status| status.is_none())
        {
            // Fails only if nobody is left in it.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        // Fails only if it has ended already.
        let _ = process.kill();
        // A killed process is gone within moments; what is left is the entry of its end.
        let _ = process.wait();
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
