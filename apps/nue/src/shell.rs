//! `nue` without a command: USI on standard input and output.
//!
//! One thread does nothing but read, so that input is taken whatever the engine does. The session
//! (room `engines`) takes one line after the other and never waits for a search: `stop`, `ponderhit`
//! and `quit` act as soon as they are read. What it answers to what is written in docs/usi.md.

use crate::failure::CommandResult;
use crate::{assemble, output};
use assembly::Evaluation;
use assembly::bench::Bench;
use engines::shell::input::{LONGEST_LINE, Line, next_line};
use engines::shell::{Next, Output, Session, ShellSettings, Task};
use rules::Game;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use think::{Moment, TimeSource, WallTime, quote};

/// Lines read ahead of the session. Bounded, so that a flood of input fills no memory.
const AHEAD: usize = 64;

/// Speaks USI until `quit` or the end of input.
pub(crate) fn run(game: Game) -> CommandResult {
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let (sender, lines) = sync_channel(AHEAD);
    let clock = Arc::clone(&time);
    thread::Builder::new().name("input".to_owned()).spawn(move || read(&sender, &*clock))?;
    let output = output::stdout();
    let settings = ShellSettings {
        name: concat!("Nue ", env!("CARGO_PKG_VERSION")).to_owned(),
        author: env!("CARGO_PKG_AUTHORS").to_owned(),
        time: Arc::clone(&time),
        factory: Arc::new(move |game| assemble::engine(game, Arc::clone(&time))),
        bench: Box::new(bench),
        output: output.clone(),
    };
    converse(Session::new(game, settings), &output, &lines);
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

fn converse(mut session: Session, output: &Output, lines: &Receiver<(Moment, Line)>) {
    while let Ok((at, line)) = lines.recv() {
        match line {
            Line::Text(text) => {
                if session.receive(&text, at) == Next::End {
                    break;
                }
            }
            Line::TooLong(bytes) => {
                let limit = format!("a line of {bytes} bytes is longer than {LONGEST_LINE}");
                output.note(&format!("{limit}: ignored"));
            }
            Line::NotText(text) => {
                output.note(&format!("a line is not UTF-8: ignored {}", quote(&text)));
            }
        }
    }
    session.end();
}

/// The bench of one game, counting material.
fn bench(game: Game, depth: Option<u32>, output: Output) -> io::Result<Task> {
    let bench = Bench::new(depth, 1);
    let other = bench.clone();
    let sets = [(game, Evaluation::Material)];
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let work = move || match bench.run(&sets, &time, &mut |line| output.text(line)) {
        Some(total) => output.text(&format!("\nNodes searched: {}", total.nodes)),
        None => output.note("bench stopped before its end"),
    };
    Task::spawn("bench", work, move || other.cancel())
}
