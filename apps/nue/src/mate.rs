//! `nue mate`: forced mates, proven, with proof files and their checker.

use crate::failure::{CommandResult, Failure};
use crate::flags::fleet::FleetFlag;
use crate::interrupt;
use crate::new_file::in_the_way;
use ::mate::{Bounds, Futile, Questions, VerdictCounts, study};
use clap::Args;
use display::mates::{self, MateAnswer};
use durable::{numbered, write_whole};
use fleet::exchange::{Exchange, solve_mate, with_local_fleet};
use fleet::perform::Equipment;
use fleet::{MateSpec, Spec};
use kifu::MateProblem;
use rules::{AnyPosition, Game};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use think::{Control, WallTime};

/// Find forced mates: in positions given as SFEN, or in files of them (SFEN lines, CSA, KIF, …)
#[derive(Args)]
pub(crate) struct MateArgs {
    /// SFENs, files, or - for lines of standard input
    #[arg(value_name = "SFEN|FILE", required_unless_present = "verify")]
    problems: Vec<OsString>,

    /// Time for each problem in milliseconds
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    time: Option<u64>,

    /// Nodes for each problem
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Memory of the table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256,
          value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash: u32,

    /// Threads that search
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// Go on until no shorter mate can exist
    #[arg(long)]
    shortest: bool,

    /// Also every first move and whether it mates
    #[arg(long)]
    all: bool,

    /// Also length and line without futile interpositions, by a definition: none, distance or
    /// common
    #[arg(long, value_name = "DEFINITION", value_parser = |s: &str| s.parse::<Futile>())]
    futile: Option<Futile>,

    /// Also moves besides those of the line that mate as well, all along it
    #[arg(long)]
    cooks: bool,

    /// Also the defender's other replies along the line
    #[arg(long)]
    branches: bool,

    /// Write the proof or disproof to this file (numbered if there are several problems)
    #[arg(long, value_name = "FILE")]
    proof: Option<PathBuf>,

    /// Replace proof files that exist
    #[arg(long, requires = "proof")]
    force: bool,

    /// Check proof files instead of solving
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["problems", "proof"])]
    verify: Vec<PathBuf>,

    /// One JSON object per problem
    #[arg(long)]
    json: bool,

    /// The game of problems that do not name it; by default the board decides
    #[arg(long, value_parser = |s: &str| s.parse::<Game>())]
    game: Option<Game>,

    #[command(flatten)]
    fleet: FleetFlag,
}

pub(crate) fn run(args: &MateArgs) -> CommandResult {
    if !args.verify.is_empty() {
        return verify(&args.verify);
    }
    let problems = MateProblem::collect(&args.problems, args.game, &mut io::stdin().lock());
    if problems.is_empty() {
        return Err(Failure::failed("there are no problems in the input"));
    }
    if args.fleet.submitted_mates(&problems, &args.questions())? {
        return Ok(());
    }
    if !args.fleet.is_local() {
        return solve_all(args, &problems, None);
    }
    let spec = Spec::Mate(MateSpec::of(&args.questions()));
    let equipment = Equipment::own(Arc::new(WallTime::start()), 1);
    let solved =
        with_local_fleet(spec, 1, &equipment, |fleet| solve_all(args, &problems, Some(fleet)));
    solved.map_err(|e| Failure::failed(e.to_string()))?
}

fn solve_all(
    args: &MateArgs,
    problems: &[MateProblem],
    fleet: Option<&Exchange<'_>>,
) -> CommandResult {
    let many = problems.len() > 1;
    if let Some(path) = args.proof.as_ref().filter(|_| !args.force) {
        let mut files = (1..=problems.len()).map(|n| proof_file(path, many.then_some(n)));
        if let Some(file) = files.find(|file| file.exists()) {
            return Err(in_the_way(&file));
        }
    }
    let bar = mates::bar(many.then_some(problems.len()));
    let say = |text: &str| bar.suspend(|| writeln!(io::stdout(), "{text}"));
    let mut counts = VerdictCounts::default();
    let control = Control::new(false);
    let stopped = control.clone();
    let interrupted = interrupt::and_then(move || stopped.stop());
    if many && !args.json {
        say(&mates::table_head())?;
    }
    for (i, problem) in problems.iter().enumerate() {
        if control.is_stopped() {
            break;
        }
        bar.set_message(problem.name.clone());
        let text = match &problem.position {
            Err(error) => {
                counts.unreadable += 1;
                mates::unreadable(args.json, problem, error)
            }
            Ok(position) => {
                let number = many.then_some(i + 1);
                let answer = solve(args, position, number, &control, fleet)?;
                let unproven = matches!(answer.proof, Some(Err(_)));
                counts.add(&answer.study, args.shortest, unproven);
                match (args.json, many) {
                    (true, _) => mates::json(problem, position, &answer).to_string(),
                    (false, true) => mates::row(problem, &answer, args.branches),
                    (false, false) => mates::page(position, &answer, args.branches),
                }
            }
        };
        say(&text)?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    if many && !args.json {
        say(&counts.to_string())?;
    }
    let told = format!(" after {} of {} problems", counts.problems(), problems.len());
    interrupt::check(&interrupted, &told)?;
    match counts.open() {
        0 => Ok(()),
        open => Err(Failure::failed(format!("{open} without a definite answer"))),
    }
}

impl MateArgs {
    fn questions(&self) -> Questions {
        Questions {
            bounds: Bounds {
                time: self.time.map(Duration::from_millis),
                nodes: self.nodes,
                hash: (self.hash as usize) << 20,
                threads: usize::from(self.threads),
                shortest: self.shortest,
            },
            first_moves: self.all,
            cooks: self.cooks,
            futile: self.futile,
            proof: self.proof.is_some(),
        }
    }
}

fn solve(
    args: &MateArgs,
    position: &AnyPosition,
    number: Option<usize>,
    control: &Control,
    fleet: Option<&Exchange<'_>>,
) -> Result<MateAnswer, Failure> {
    let study = match fleet {
        None => study(position, &args.questions(), control, &WallTime::start()),
        Some(fleet) => solve_mate(fleet, position, control)
            .map_err(|fault| Failure::failed(fault.to_string()))?,
    };
    let proof = args.proof.as_ref().zip(study.proof.as_ref()).map(|(path, proof)| {
        let path = proof_file(path, number);
        match proof {
            Ok(bytes) => match write_whole(&path, bytes, args.force) {
                Ok(()) => Ok(path),
                Err(e) => Err(format!("cannot write {}: {e}", path.display())),
            },
            Err(why) => Err(format!("no proof: {why}")),
        }
    });
    Ok(MateAnswer { study, proof })
}

/// Where the proof of a problem goes: to the file named, or to one with a number for each of many.
fn proof_file(path: &Path, number: Option<usize>) -> PathBuf {
    number.map_or_else(|| path.to_owned(), |number| numbered(path, number))
}

/// Checks proof files.
fn verify(files: &[PathBuf]) -> CommandResult {
    let mut out = io::stdout().lock();
    let mut bad = 0;
    for file in files {
        let checked = mates::checked(file);
        bad += u32::from(checked.is_err());
        writeln!(out, "{}: {}", file.display(), checked.unwrap_or_else(|why| why))?;
    }
    if bad > 0 {
        return Err(Failure::failed(format!("{bad} of {} refused", files.len())));
    }
    Ok(())
}
