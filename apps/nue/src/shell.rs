//! `nue` without a command: USI on standard input and output.
//!
//! One thread does nothing but read, so that input is taken whatever the engine does. The
//! session takes one line after the other and never waits for a search: `stop`, `ponderhit` and
//! `quit` act as soon as they are read. What it answers to what is written in docs/usi.md.

mod errand;
mod ready;
mod session;
mod talk;

use crate::failure::Outcome;
use crate::input::{Line, next_line};
use crate::output::Output;
use rules::Game;
use session::{Next, Session};
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use think::{Moment, TimeSource, WallTime};

/// Lines read ahead of the session. Bounded, so that a flood of input fills no memory.
const AHEAD: usize = 64;

/// Speaks USI until `quit` or the end of input.
pub(crate) fn run(game: Game) -> Outcome {
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let (sender, lines) = sync_channel(AHEAD);
    let clock = Arc::clone(&time);
    thread::Builder::new().name("input".to_owned()).spawn(move || read(&sender, &*clock))?;
    converse(Session::new(game, time, Output::stdout()), &lines);
    Ok(())
}

/// Reads until the end; thinking time counts from the moment a line was read.
fn read(sender: &SyncSender<(Moment, Line)>, time: &dyn TimeSource) {
    let mut input = io::stdin().lock();
    while let Some(line) = next_line(&mut input) {
        if sender.send((time.now(), line)).is_err() {
            return;
        }
    }
}

fn converse(mut session: Session, lines: &Receiver<(Moment, Line)>) {
    while let Ok((at, line)) = lines.recv() {
        if session.hear(&line, at) == Next::End {
            break;
        }
    }
    session.end();
}
