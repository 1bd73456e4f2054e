//! `nue convert`: game records from any format into another.

use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use display::InputBar;
use kifu::archive::{Conversion, ConvertError, Converted, Streams};
use kifu::{CsaVersion, Damaged, Encoding, Format, ReadOptions, WriteOptions};
use rules::Game;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;

/// Convert game records between CSA, KIF, KI2, JKF and USI lines.
#[derive(clap::Args)]
pub(crate) struct ConvertArgs {
    /// Files, folders (searched to any depth), or - for standard input
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// Format to write: csa, kif, ki2, jkf or usi
    #[arg(long, value_name = "FORMAT")]
    to: Format,
    /// File or folder to write to; standard output if missing or -
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Format to read, instead of telling it from content and name
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,
    /// Encoding of CSA, KIF and KI2 written: utf-8 or shift_jis
    #[arg(long, default_value = "utf-8")]
    encoding: Encoding,
    /// Version of CSA written: 2.2, 3.0 or auto (3.0 only where the record needs it)
    #[arg(long, value_name = "VERSION", default_value = "auto")]
    csa_version: CsaVersion,
    /// Game of records that do not name it (`startpos`): shogi or minishogi
    #[arg(long)]
    game: Option<Game>,
    /// What to do about a game that cannot be read: "skip" reports it and goes on, "stop" ends
    /// there and writes no more
    #[arg(long, value_name = "skip|stop", default_value_t)]
    damaged: Damaged,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &ConvertArgs) -> CommandResult {
    // While somebody types there is nothing under way, and an interrupt ends at once.
    let typed = args.inputs.iter().any(|path| path.as_os_str() == "-");
    let conversion = Conversion {
        inputs: args.inputs.clone(),
        output: args.output.clone(),
        from: ReadOptions { format: args.from, game: args.game },
        to: args.to,
        options: WriteOptions { encoding: args.encoding, csa: args.csa_version },
        damaged: args.damaged,
        force: args.force,
        stop: if typed { Arc::default() } else { interrupt::flag().0 },
    };
    // Records on the same terminal would be mixed with the bar.
    let to_stdout = args.output.as_ref().is_none_or(|path| path.as_os_str() == "-");
    let quiet = to_stdout && io::stdout().is_terminal();
    let (bar, total) = (InputBar::new(), conversion.bytes());
    let (mut input, mut output) = (io::stdin().lock(), io::stdout());
    let streams = Streams { input: &mut input, output: &mut output };
    let done = conversion.run(streams, &|source, bytes| {
        if !quiet {
            bar.read(bytes, total, &source.name);
        }
    });
    drop(bar);
    report(args, &done?)
}

fn report(args: &ConvertArgs, done: &Converted) -> CommandResult {
    let to = args.to;
    let mut out = io::stderr().lock();
    for error in &done.errors {
        writeln!(out, "{error}")?;
    }
    if !done.losses.is_none() {
        writeln!(out, "{to} has no place for {}: not written", done.losses)?;
    }
    if done.errors.is_empty() {
        if let Some(path) = args.output.as_ref().filter(|path| path.as_os_str() != "-") {
            writeln!(out, "{}: {} games written", path.display(), done.games)?;
        }
        return Ok(());
    }
    let (games, files, errors) = (done.games, done.files, done.errors.len());
    Err(Failure::failed(format!("converted {games} games of {files} inputs, {errors} errors")))
}

impl From<ConvertError> for Failure {
    fn from(error: ConvertError) -> Self {
        match error {
            ConvertError::InTheWay(message) => Self::Usage(message),
            ConvertError::Interrupted(done) => Self::Interrupted(format!(
                "interrupted after {} games; files that were not finished are not written",
                done.games
            )),
            ConvertError::Io(error) => error.into(),
            ConvertError::Damaged(message) => Self::Failed(format!("{message}; stopped there")),
            ConvertError::Failed(message) => Self::Failed(message),
        }
    }
}
