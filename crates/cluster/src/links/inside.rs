//! An engine of this process as a child: the same conversation as with a program, on a thread.

use super::{Link, Sink, Surroundings, WAITING};
use crate::event::{Event, Life};
use engines::shell::{Next, Output, Session, ShellSettings};
use rules::Game;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

/// The link. Its thread ends when the link is dropped, as soon as the engine lets it.
pub(crate) struct InsideLink {
    lines: Option<SyncSender<String>>,
    thread: JoinHandle<()>,
}

/// Starts an engine.
pub(crate) fn start_inside(
    game: Game,
    life: Life,
    around: &Surroundings,
    sink: &Sink,
) -> io::Result<InsideLink> {
    let (lines, received) = sync_channel::<String>(WAITING);
    let (sink, factory, time) =
        (Arc::clone(sink), Arc::clone(&around.factory), Arc::clone(&around.time));
    let work = move || {
        let end = EndOfLife { life, sink: Arc::clone(&sink) };
        let writer = LineWriter { life, sink: Arc::clone(&sink), partial: Vec::new() };
        let clock = Arc::clone(&time);
        let settings = ShellSettings {
            name: "Nue".to_owned(),
            author: String::new(),
            factory,
            bench: Box::new(|_, _, _| Err(io::Error::other("no bench inside a cluster"))),
            output: Output::new(writer, || ()),
            time,
        };
        let mut session = Session::new(game, settings);
        sink(Event::Started(life));
        while let Ok(line) = received.recv() {
            if session.receive(&line, clock.now()) == Next::End {
                break;
            }
        }
        session.end();
        drop(end);
    };
    let thread = thread::Builder::new().name("child".to_owned()).spawn(work)?;
    Ok(InsideLink { lines: Some(lines), thread })
}

impl Link for InsideLink {
    fn send(&mut self, line: &str) -> bool {
        self.lines.as_ref().is_some_and(|lines| lines.try_send(line.to_owned()).is_ok())
    }

    fn is_gone(&mut self) -> bool {
        self.thread.is_finished()
    }
}

/// Tells that an engine has ended, also when its thread fails.
struct EndOfLife {
    life: Life,
    sink: Sink,
}

impl Drop for EndOfLife {
    fn drop(&mut self) {
        (self.sink)(Event::Lost(self.life, "the engine ended".to_owned()));
    }
}

/// Makes events of the lines that are written.
struct LineWriter {
    life: Life,
    sink: Sink,
    partial: Vec<u8>,
}

impl Write for LineWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            if byte == b'\n' {
                let line = String::from_utf8_lossy(&self.partial).into_owned();
                self.partial.clear();
                (self.sink)(Event::Line(self.life, line));
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
