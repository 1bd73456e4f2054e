//! `nue eval`: static values of many positions, for comparing and for checking nets.

use crate::assemble::{self, Judge};
use crate::evaluation::EvaluationArgs;
use crate::failure::{Failure, Outcome};
use crate::input::{LONGEST_LINE, Line, next_line};
use crate::start::GameArg;
use clap::Args;
use rules::{AnyPosition, Color, Game};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use think::quote;
use usi::SetPosition;

/// Print the static value of positions, one line each: the position, a tab, the value
///
/// The value is for the side to move, in the engine's own unit (a pawn is about 90), without any
/// search. Lines are SFENs, or as after the USI command "position"; what follows a tab is
/// ignored. Bad lines are reported with their number; the others are valued all the same.
#[derive(Args)]
pub(crate) struct EvalArgs {
    #[command(flatten)]
    evaluation: EvaluationArgs,

    /// File of positions, or - for standard input
    #[arg(long, value_name = "FILE|-", default_value = "-")]
    sfens: String,

    #[command(flatten)]
    game: GameArg,
}

pub(crate) fn run(args: &EvalArgs) -> Outcome {
    let game = args.game.game;
    let (evaluation, about) = args.evaluation.as_engine(game)?;
    // Beside the point of the command: a closed error stream must not spoil it.
    let _ = writeln!(io::stderr(), "evaluation: {about}");
    let mut judge = assemble::judge(game, &evaluation);
    let bad = match args.sfens.as_str() {
        "-" => judge_all(&mut io::stdin().lock(), game, &mut judge)?,
        path => {
            let file =
                open(path).map_err(|e| Failure::failed(format!("cannot read {path}: {e}")))?;
            judge_all(&mut BufReader::new(file), game, &mut judge)?
        }
    };
    match bad {
        0 => Ok(()),
        1 => Err(Failure::failed("1 line is not a position")),
        n => Err(Failure::failed(format!("{n} lines are not positions"))),
    }
}

fn open(path: &str) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
    }
    Ok(file)
}

/// Values every line; the number of those that are no positions.
fn judge_all(input: &mut impl BufRead, game: Game, judge: &mut Judge) -> Result<u64, Failure> {
    let mut out = BufWriter::new(io::stdout().lock());
    let (mut number, mut bad) = (0u64, 0u64);
    while let Some(line) = next_line(input) {
        number += 1;
        let result = match line {
            Line::Text(line) => match line.split('\t').next().unwrap_or_default().trim() {
                "" => continue,
                text => position(text, game).map(|p| (text.to_owned(), p)),
            },
            Line::TooLong(bytes) => Err(format!("{bytes} bytes, at most {LONGEST_LINE} are read")),
            Line::NotText(text) => Err(format!("not UTF-8: {}", quote(&text))),
        };
        let result = result.and_then(|(text, position)| match judge(&position) {
            Some(value) => Ok(format!("{text}\t{value}")),
            None => Err(format!("no value for a position of {}", position.game())),
        });
        match result {
            Ok(line) => writeln!(out, "{line}")?,
            Err(error) => {
                bad += 1;
                // In order, where both streams go to one place.
                out.flush()?;
                let _ = writeln!(io::stderr(), "line {number}: {error}");
            }
        }
    }
    out.flush()?;
    Ok(bad)
}

/// The position a line means. A net needs both kings.
fn position(text: &str, game: Game) -> Result<AnyPosition, String> {
    let text = text.strip_prefix("position ").unwrap_or(text);
    let set = SetPosition::parse(text).map_err(|e| e.to_string())?;
    let position = set.resolve(game).map_err(|e| e.to_string())?;
    match Color::BOTH.into_iter().find(|&color| position.king(color).is_none()) {
        Some(color) => Err(format!("{color} has no king: {}", quote(text))),
        None => Ok(position),
    }
}
