//! `nue convert`: game records from any format into another.

use crate::failure::{CommandResult, Failure};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kifu::archive::{Conversion, ConvertError, Converted, Source, Streams};
use kifu::{CsaVersion, Encoding, Format, ReadOptions, WriteOptions};
use rules::Game;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Work shorter than this shows no progress.
const PATIENCE: Duration = Duration::from_millis(500);

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
    /// Replace files that exist
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(args: &ConvertArgs) -> CommandResult {
    let conversion = Conversion {
        inputs: args.inputs.clone(),
        output: args.output.clone(),
        from: ReadOptions { format: args.from, game: args.game },
        to: args.to,
        options: WriteOptions { encoding: args.encoding, csa: args.csa_version },
        force: args.force,
    };
    let progress = Progress::new(&conversion);
    let (mut input, mut output) = (io::stdin().lock(), io::stdout());
    let streams = Streams { input: &mut input, output: &mut output };
    let done = conversion.run(streams, &|source, bytes| progress.tell(source, bytes));
    progress.bar.finish_and_clear();
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
            ConvertError::Io(error) => error.into(),
            ConvertError::Failed(message) => Self::Failed(message),
        }
    }
}

/// How far we are, shown only when it takes a while.
struct Progress {
    bar: ProgressBar,
    started: Instant,
    quiet: bool,
}

impl Progress {
    fn new(conversion: &Conversion) -> Self {
        // Errors of the search are told by the conversion itself.
        let sources = conversion.sources(&mut Vec::new());
        let sizes = sources.iter().filter_map(|s| s.path.as_ref()?.metadata().ok());
        let total: u64 = sizes.map(|m| m.len()).sum();
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let template = "{bar:30} {bytes}/{total_bytes} {eta} {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        // Records on the same terminal would be mixed with the bar.
        let to_stdout = conversion.output.as_ref().is_none_or(|path| path.as_os_str() == "-");
        let quiet = to_stdout && io::stdout().is_terminal();
        Self { bar, started: Instant::now(), quiet }
    }

    fn tell(&self, source: &Source, bytes: u64) {
        if bytes == 0 {
            self.bar.set_message(source.name.clone());
        }
        self.bar.inc(bytes);
        if self.bar.is_hidden() && !self.quiet && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}
