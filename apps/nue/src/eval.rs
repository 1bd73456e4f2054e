//! `nue eval`: static values of many positions, for comparing and for checking nets.

use crate::assemble;
use crate::evaluation::EvaluationArgs;
use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use crate::start::GameArg;
use clap::Args;
use engines::Valuation;
use engines::shell::input::{LONGEST_LINE, Line, next_line};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use think::quote;

/// Print the static value of positions, one line each: the position, a tab, the value
///
/// The value is for the side to move, in the engine's own unit (a pawn is about 90), without any
/// search. Lines are SFENs, or as after the USI command "position"; what follows a tab is
/// ignored. Bad lines are reported with their number; the others are valued all the same.
/// A value does not depend on the moves that led to the position.
#[derive(Args)]
pub(crate) struct EvalArgs {
    #[command(flatten)]
    evaluation: EvaluationArgs,

    /// File of positions, or - for standard input
    #[arg(long, value_name = "FILE|-", default_value = "-")]
    sfens: PathBuf,

    /// A third column: the side to move's share of games won from there, by the net's own scale
    #[arg(long)]
    win_rate: bool,

    #[command(flatten)]
    game: GameArg,
}

pub(crate) fn run(args: &EvalArgs) -> CommandResult {
    let game = args.game.game;
    let (evaluation, about) = args.evaluation.as_engine(game)?;
    // Beside the point of the command: a closed error stream must not spoil it.
    let _ = writeln!(io::stderr(), "evaluation: {about}");
    let scale = args.win_rate.then(|| evaluation.win_rate_scale());
    let mut values = Valuation::new(game, assemble::judge(game, &evaluation), scale);
    let input: Box<dyn Read> =
        match args.sfens.as_os_str() == "-" {
            true => Box::new(io::stdin()),
            false => Box::new(open(&args.sfens).map_err(|e| {
                Failure::failed(format!("cannot read {}: {e}", args.sfens.display()))
            })?),
        };
    match value_all(BufReader::new(input), &mut values)? {
        0 => Ok(()),
        1 => Err(Failure::failed("1 line is not a position")),
        n => Err(Failure::failed(format!("{n} lines are not positions"))),
    }
}

fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    Ok(file)
}

/// Values every line; the number of those that are no positions.
fn value_all(mut input: BufReader<impl Read>, values: &mut Valuation) -> Result<u64, Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    let (mut number, mut bad) = (0u64, 0u64);
    // Who waits for input has nothing to end first.
    let waiting = Arc::new(AtomicBool::new(false));
    let waits = Arc::clone(&waiting);
    let interrupted = interrupt::and_then(move || {
        if waits.load(Ordering::SeqCst) {
            interrupt::end_now();
        }
    });
    while !interrupted.load(Ordering::Relaxed) {
        if input.buffer().is_empty() {
            // Whoever asks line by line wants answers line by line.
            out.flush()?;
            waiting.store(true, Ordering::SeqCst);
            // It may have come just before.
            if interrupted.load(Ordering::SeqCst) {
                break;
            }
            // What cannot be read is told by the next line.
            let _ = input.fill_buf();
            waiting.store(false, Ordering::SeqCst);
        }
        let Some(line) = next_line(&mut input) else { break };
        number += 1;
        let valued = match line {
            Line::Text(line) => values.line(&line).transpose(),
            Line::TooLong(bytes) => Err(format!("{bytes} bytes, at most {LONGEST_LINE} are read")),
            Line::NotText(text) => Err(format!("not UTF-8: {}", quote(&text))),
        };
        match valued {
            Ok(Some(line)) => writeln!(out, "{line}")?,
            Ok(None) => {}
            Err(error) => {
                bad += 1;
                // In order, where both streams go to one place.
                out.flush()?;
                let _ = writeln!(io::stderr(), "line {number}: {error}");
            }
        }
    }
    out.flush()?;
    interrupt::check(&interrupted, &format!(" after {number} lines"))?;
    Ok(bad)
}
