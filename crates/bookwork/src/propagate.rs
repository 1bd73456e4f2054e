//! Values carried to the beginnings of lines.

use crate::args::Propagate;
use crate::sorted::Native;
use crate::{Console, WorkError};
use book::minimax::{Minimax, Progress, Stage};
use book::{Combine, Header};
use chart::grouped;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

impl Propagate {
    /// Propagates.
    pub fn run(&self, console: &mut Console<'_>) -> Result<(), WorkError> {
        let folder = self.writing.out.parent().unwrap_or(Path::new("."));
        let native = Native::open(&self.input, &self.reading, folder, console)?;
        let contempt = [self.contempt_black, self.contempt_white];
        let header: Header = native.book.header().clone();
        let header =
            header.with("propagated", &format!("contempt {} {}", contempt[0], contempt[1]));
        let mut target = self.writing.begin(header, Combine::First)?.by_key()?;
        let (threads, memory) = (self.reading.threads, self.writing.memory << 20);
        let minimax = Minimax { contempt, shrink: self.shrink, threads, memory };
        // Where a run that was ended goes on.
        let mut work = self.writing.out.clone().into_os_string();
        work.push(".work");
        let work = PathBuf::from(work);
        let (tell, stop) = (&mut *console.tell, console.stop);
        let mut told = None;
        let mut progress = |stage: Stage, done: u64, all: u64| {
            let now = (stage, done >> 20);
            if told != Some(now) {
                told = Some(now);
                let (done, all) = (grouped(done), grouped(all));
                tell(&match stage {
                    Stage::Positions => format!("positions read: {done} of {all}"),
                    Stage::Moves => format!("moves followed: {done} of {all} positions"),
                    Stage::Values => format!("values found: {done} of {all} positions"),
                    Stage::Writing => format!("written: {done} of {all} positions"),
                });
            }
            !stop.load(Ordering::Relaxed)
        };
        let summary = minimax
            .run_into(&native.book, &work, &mut target, Progress(&mut progress))
            .map_err(WorkError::at(&self.input))?;
        self.writing.end(target, console)?;
        console.line(&format!(
            "{} positions (twins are one), {} moves, {} of them joined lines; {} positions stay unknown",
            grouped(summary.nodes),
            grouped(summary.edges),
            grouped(summary.joined),
            grouped(summary.unknown)
        ))
    }
}
