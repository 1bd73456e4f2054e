//! A conversation with an engine of this process: the same as with a program, on a thread.

use super::{LineEvent, LineLink, LineSink, WAITING};
use crate::local::EngineFactory;
use crate::shell::{Next, Output, Session, ShellSettings};
use rules::Game;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use think::TimeSource;

/// The conversation. Its thread ends when it is dropped, as soon as the engine lets it.
struct InsideLink {
    lines: SyncSender<String>,
    thread: JoinHandle<()>,
}

/// Starts an engine; what it does is told through the sink.
///
/// After `readyok` it says `info string win_rate_scale N`: what a score of what it has loaded is worth
/// ([`think::Engine::win_rate_scale`]).
pub fn start_inside(
    game: Game,
    factory: &Arc<EngineFactory>,
    time: &Arc<dyn TimeSource>,
    sink: &LineSink,
) -> io::Result<Box<dyn LineLink>> {
    let (lines, received) = sync_channel::<String>(WAITING);
    let (sink, factory, time) = (Arc::clone(sink), Arc::clone(factory), Arc::clone(time));
    let work = move || {
        let end = EndOfLife(Arc::clone(&sink));
        let writer = LineWriter { sink: Arc::clone(&sink), partial: Vec::new() };
        let clock = Arc::clone(&time);
        let output = Output::new(writer, || ());
        let settings = ShellSettings {
            name: "Nue".to_owned(),
            author: String::new(),
            factory,
            bench: Box::new(|_, _, _| Err(io::Error::other("no bench in a conversation"))),
            output: output.clone(),
            time,
        };
        let mut session = Session::new(game, settings);
        sink(LineEvent::Started);
        while let Ok(line) = received.recv() {
            if session.receive(&line, clock.now()) == Next::End {
                break;
            }
            if line.trim() == "isready" {
                output.note(&format!("win_rate_scale {}", session.win_rate_scale()));
            }
        }
        session.end();
        drop(end);
    };
    let thread = thread::Builder::new().name("engine".to_owned()).spawn(work)?;
    Ok(Box::new(InsideLink { lines, thread }))
}

impl LineLink for InsideLink {
    fn send(&mut self, line: &str) -> bool {
        self.lines.try_send(line.to_owned()).is_ok()
    }

    fn is_gone(&mut self) -> bool {
        self.thread.is_finished()
    }
}

/// Tells that an engine has ended, also when its thread fails.
struct EndOfLife(LineSink);

impl Drop for EndOfLife {
    fn drop(&mut self) {
        (self.0)(LineEvent::Ended("the engine ended".to_owned()));
    }
}

/// Makes events of the lines that are written.
struct LineWriter {
    sink: LineSink,
    partial: Vec<u8>,
}

impl Write for LineWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            if byte == b'\n' {
                let line = String::from_utf8_lossy(&self.partial).into_owned();
                self.partial.clear();
                (self.sink)(LineEvent::Line(line));
            } else {
                self.partial.push(byte);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
