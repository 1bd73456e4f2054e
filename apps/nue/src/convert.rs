//! `nue convert`: game records from any format into another.
//!
//! Inputs are never touched, outputs appear whole or not at all, and a game that cannot be read
//! does not stop the others: it is named at the end with file, line and reason.

mod sink;
pub(crate) mod sources;

use crate::failure::{Failure, Outcome};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use kifu::{CsaVersion, Encoding, Format, Losses, ReadOptions, Reader, WriteError, WriteOptions};
use rules::Game;
use sink::Sink;
use sources::Source;
use std::io::{self, BufRead, BufReader, IsTerminal, Read, Write};
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

/// What came of it.
#[derive(Default)]
struct Tally {
    games: usize,
    files: usize,
    losses: Losses,
    errors: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(args: &ConvertArgs) -> Outcome {
    let mut tally = Tally::default();
    let inputs = sources::collect(&args.inputs, args.from.is_some(), &mut tally.errors);
    let options = WriteOptions { encoding: args.encoding, csa: args.csa_version };
    let mut sink = Sink::new(args, &inputs, options)?;
    let progress = Progress::new(&inputs, sink.is_stdout());
    for source in &inputs {
        progress.bar.set_message(source.name.clone());
        convert(args, source, &mut sink, &progress, &mut tally)?;
    }
    sink.finish()?;
    progress.bar.finish_and_clear();
    report(args, &tally)
}

/// Converts one source. Only what concerns the output stops the work.
fn convert(
    args: &ConvertArgs,
    source: &Source,
    sink: &mut Sink,
    progress: &Progress,
    tally: &mut Tally,
) -> Outcome {
    let input: Box<dyn BufRead> = match &source.path {
        None => Box::new(io::stdin().lock()),
        Some(path) => match std::fs::File::open(path) {
            Ok(file) => Box::new(BufReader::with_capacity(1 << 16, Counted { file, progress })),
            Err(e) => {
                tally.errors.push(format!("{}: cannot open: {e}", source.name));
                return Ok(());
            }
        },
    };
    if let Err(message) = sink.begin(source) {
        tally.errors.push(message);
        return Ok(());
    }
    let options = ReadOptions { format: args.from, game: args.game };
    for (number, read) in Reader::new(source.name.clone(), input, options).enumerate() {
        progress.tick();
        match read {
            Ok(record) => match sink.write(&record) {
                Ok(losses) => {
                    tally.games += 1;
                    tally.losses.add(&losses);
                }
                Err(WriteError::Io(e)) => return Err(e.into()),
                Err(e) => tally.errors.push(format!("{}: game {}: {e}", source.name, number + 1)),
            },
            Err(e) => tally.errors.push(e.to_string()),
        }
    }
    tally.files += 1;
    if let Err(message) = sink.end() {
        tally.errors.push(message);
    }
    Ok(())
}

fn report(args: &ConvertArgs, tally: &Tally) -> Outcome {
    let mut out = io::stderr().lock();
    for error in &tally.errors {
        writeln!(out, "{error}")?;
    }
    if !tally.losses.is_none() {
        writeln!(out, "not written, as {} has no place for it: {}", args.to, tally.losses)?;
    }
    if tally.errors.is_empty() {
        return Ok(());
    }
    let (games, files, errors) = (tally.games, tally.files, tally.errors.len());
    Err(Failure::failed(format!("converted {games} games of {files} inputs, {errors} errors")))
}

/// How far we are, shown only when it takes a while.
struct Progress {
    bar: ProgressBar,
    started: Instant,
    quiet: bool,
}

impl Progress {
    fn new(inputs: &[Source], to_stdout: bool) -> Self {
        let sizes = inputs.iter().filter_map(|s| s.path.as_ref()?.metadata().ok());
        let total: u64 = sizes.map(|m| m.len()).sum();
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let template = "{bar:30} {bytes}/{total_bytes} {eta} {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        // Records on the same terminal would be mixed with the bar.
        let quiet = to_stdout && io::stdout().is_terminal();
        Self { bar, started: Instant::now(), quiet }
    }

    fn tick(&self) {
        if self.bar.is_hidden() && !self.quiet && self.started.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

/// A file whose bytes are counted as they are read.
struct Counted<'a> {
    file: std::fs::File,
    progress: &'a Progress,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(buffer)?;
        self.progress.bar.inc(n as u64);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use std::fs;
    use std::path::Path;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: ConvertArgs,
    }

    /// A folder of one test, removed with it.
    struct Desk(PathBuf);

    impl Desk {
        fn new(name: &str) -> Self {
            let folder = std::env::temp_dir().join(format!("nue-{name}-{}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(folder.join("in/deep")).unwrap();
            fs::write(folder.join("in/a.csa"), GAME).unwrap();
            fs::write(folder.join("in/deep/b.csa"), format!("{GAME}/\n{BROKEN}/\n{GAME}")).unwrap();
            fs::write(folder.join("in/notes.txt"), "not a record").unwrap();
            Self(folder)
        }

        /// Runs the command with paths below the desk.
        fn run(&self, line: &str) -> Outcome {
            let words = line.split(' ').map(|w| match w.strip_prefix('@') {
                Some(path) => self.0.join(path).to_string_lossy().into_owned(),
                None => w.to_owned(),
            });
            let line = Line::try_parse_from(std::iter::once("convert".to_owned()).chain(words));
            run(&line.unwrap_or_else(|e| panic!("{e}")).args)
        }

        fn files(&self, folder: &str) -> Vec<String> {
            let mut list = Vec::new();
            let mut waiting = vec![self.0.join(folder)];
            while let Some(folder) = waiting.pop() {
                for entry in fs::read_dir(folder).unwrap() {
                    let path = entry.unwrap().path();
                    if path.is_dir() {
                        waiting.push(path);
                    } else {
                        let name = path.strip_prefix(&self.0).unwrap_or(Path::new(""));
                        list.push(name.to_string_lossy().replace('\\', "/"));
                    }
                }
            }
            list.sort();
            list
        }
    }

    impl Drop for Desk {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    const GAME: &str = "V2.2\nN+a\nPI\n+\n+7776FU\nT1\n-3334FU\nT2\n%TORYO\n";
    const BROKEN: &str = "V2.2\nP1-XX\n+\n+7776FU\n";

    #[test]
    fn a_folder_into_a_folder_and_errors_at_the_end() {
        let desk = Desk::new("folder");
        let outcome = desk.run("@in --to kif -o @out");
        assert!(
            matches!(outcome, Err(Failure::Failed(m)) if m.contains("3 games of 2 inputs, 1 err"))
        );
        let files = ["out/a.kifu", "out/deep/b-00001.kifu", "out/deep/b-00002.kifu"];
        assert_eq!(desk.files("out"), files);
        assert!(desk.run("@in/a.csa --to jkf -o @out").is_ok());
        assert!(desk.run("@out --to csa -o @all.csa").is_ok(), "one file of all");
        let all = fs::read_to_string(desk.0.join("all.csa")).unwrap();
        assert_eq!(all.matches("%TORYO").count(), 4);
        assert_eq!(desk.files("in"), ["in/a.csa", "in/deep/b.csa", "in/notes.txt"]);
    }

    #[test]
    fn nothing_is_replaced_unasked_and_no_input_ever() {
        let desk = Desk::new("force");
        let out = desk.0.join("x.kif");
        fs::write(&out, "mine").unwrap();
        assert!(matches!(desk.run("@in/a.csa --to kif -o @x.kif"), Err(Failure::Usage(_))));
        assert_eq!(fs::read_to_string(&out).unwrap(), "mine");
        assert!(desk.run("@in/a.csa --to kif -o @x.kif --force").is_ok());
        assert!(fs::read_to_string(&out).unwrap().contains("７六歩(77)"));
        let refused = desk.run("@in/a.csa --to csa -o @in/a.csa --force");
        assert!(matches!(refused, Err(Failure::Usage(_))));
        assert!(desk.run("@in/a.csa --to csa -o @in --force").is_err());
        assert_eq!(fs::read_to_string(desk.0.join("in/a.csa")).unwrap(), GAME);
        // Two inputs of one name: the second must not take the place of the first.
        fs::write(desk.0.join("in/a.usi"), "startpos moves 2g2f\n").unwrap();
        assert!(desk.run("@in/a.csa @in/a.usi --to jkf -o @one/ --force").is_err());
        assert_eq!(desk.files("one"), ["one/a.jkf"]);
        assert!(desk.files(".").iter().all(|f| !f.ends_with(".tmp")));
    }

    #[test]
    fn what_is_not_there_is_reported() {
        let desk = Desk::new("missing");
        assert!(desk.run("@nothing.csa --to kif -o @x.kif").is_err());
        assert!(desk.run("@in/notes.txt --to kif -o @x.kif").is_err());
        assert!(!desk.0.join("x.kif").exists());
    }
}
