//! `nue mate`: forced mates, proven, with proof files and their checker.

mod problems;
mod report;

use crate::failure::{Failure, Outcome};
use ::mate::{Bounds, Counted, Futile, Solution, Solver, Try, Unknown, Verdict};
use clap::Args;
use problems::Problem;
use rules::{AnyPosition, Game, Position, Variant};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use think::{Control, TimeSource, WallTime};

/// Find forced mates: in positions given as SFEN, or in files of them (SFEN lines, CSA, KIF, …)
#[derive(Args)]
pub(crate) struct MateArgs {
    /// SFENs, files, or - for lines of standard input
    #[arg(value_name = "SFEN|FILE", required_unless_present = "verify")]
    problems: Vec<String>,

    /// Time for each problem in milliseconds
    #[arg(long, value_name = "MS")]
    time: Option<u64>,

    /// Nodes for each problem
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,

    /// Memory of the table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256,
          value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    hash: u32,

    /// Threads
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

    /// Check proof files instead of solving
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["problems", "proof"])]
    verify: Vec<PathBuf>,

    /// One JSON object per problem
    #[arg(long)]
    json: bool,

    /// The game of problems that do not name it; by default told from the board
    #[arg(long, value_parser = |s: &str| s.parse::<Game>())]
    game: Option<Game>,
}

/// A solved problem.
struct Solved {
    solution: Solution,
    first_moves: Vec<Try>,
    cooks: Vec<Try>,
    /// By the definition asked for.
    counted: Option<Result<Counted, Unknown>>,
    seconds: f64,
    /// Where the proof was written, or why not.
    proof: Option<Result<PathBuf, String>>,
}

/// Runs the command.
pub(crate) fn run(args: &MateArgs) -> Outcome {
    if !args.verify.is_empty() {
        return verify(&args.verify);
    }
    let problems = problems::collect(&args.problems, args.game);
    let many = problems.len() > 1;
    let mut out = io::stdout().lock();
    let mut open = 0;
    let (mut mates, mut none) = (0, 0);
    if many && !args.json {
        report::table_head(&mut out)?;
    }
    for (i, problem) in problems.iter().enumerate() {
        let position = match &problem.position {
            Ok(position) => position,
            Err(error) => {
                open += 1;
                report::unreadable(&mut out, args.json, problem, error)?;
                continue;
            }
        };
        progress(many, i, problems.len(), &problem.name);
        let proof = args.proof.as_ref().map(|p| if many { numbered(p, i + 1) } else { p.clone() });
        let solved = solve(args, position, proof.as_deref());
        progress(many, problems.len(), problems.len(), "");
        match solved.solution.verdict {
            Verdict::Mate => mates += 1,
            Verdict::NoMate => none += 1,
            Verdict::Unknown(_) => open += 1,
        }
        if matches!(solved.proof, Some(Err(_))) || matches!(solved.counted, Some(Err(_))) {
            open += 1;
        }
        if args.json {
            report::json(&mut out, problem, position, &solved)?;
        } else if many {
            report::row(&mut out, problem, &solved, args.branches)?;
        } else {
            report::page(&mut out, position, &solved, args.branches)?;
        }
        out.flush()?;
    }
    if many && !args.json {
        writeln!(
            out,
            "{} problems: {mates} mates, {none} without mate, {open} open",
            problems.len()
        )?;
    }
    if problems.is_empty() {
        return Err(Failure::failed("no problems there"));
    }
    if open > 0 {
        return Err(Failure::failed(format!("{open} without a definite answer")));
    }
    Ok(())
}

/// Tells a waiting person where we are.
fn progress(many: bool, at: usize, of: usize, name: &str) {
    if many && io::stderr().is_terminal() {
        let text = if at < of { format!("{}/{of} {name}", at + 1) } else { String::new() };
        // A closed error stream is no reason to stop.
        let _ = write!(io::stderr(), "\r\x1b[K{text}");
    }
}

fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    let name = match path.extension() {
        Some(e) => format!("{stem}-{number}.{}", e.to_string_lossy()),
        None => format!("{stem}-{number}"),
    };
    path.with_file_name(name)
}

fn solve(args: &MateArgs, position: &AnyPosition, proof: Option<&Path>) -> Solved {
    match position {
        AnyPosition::Shogi(p) => solve_one(args, p, proof),
        AnyPosition::Minishogi(p) => solve_one(args, p, proof),
    }
}

fn solve_one<V: Variant>(args: &MateArgs, pos: &Position<V>, proof: Option<&Path>) -> Solved {
    let bounds = Bounds {
        time: args.time.map(Duration::from_millis),
        nodes: args.nodes,
        hash: (args.hash as usize) << 20,
        threads: usize::from(args.threads),
        shortest: args.shortest,
    };
    let (control, time) = (Control::new(false), WallTime::start());
    let mut solver = Solver::new(pos, &bounds, &control, &time);
    let solution = solver.solve();
    let seconds = time.now().as_secs_f64();
    let mates = solution.verdict == Verdict::Mate;
    let first_moves = if args.all { solver.first_moves() } else { Vec::new() };
    let cooks = if args.cooks && mates { solver.cooks(&solution.line) } else { Vec::new() };
    let counted = args.futile.filter(|_| mates).map(|futile| solver.counted(&solution, futile));
    let proof = proof.map(|path| match solver.proof(&solution) {
        Ok(bytes) => match std::fs::write(path, bytes) {
            Ok(()) => Ok(path.to_owned()),
            Err(e) => Err(format!("cannot write {}: {e}", path.display())),
        },
        Err(why) => Err(format!("no proof: {why}")),
    });
    Solved { solution, first_moves, cooks, counted, seconds, proof }
}

/// Checks proof files.
fn verify(files: &[PathBuf]) -> Outcome {
    let mut out = io::stdout().lock();
    let mut bad = 0;
    for file in files {
        let checked = std::fs::read(file)
            .map_err(|e| format!("cannot read: {e}"))
            .and_then(|bytes| ::mate::verify(&bytes).map_err(|e| e.to_string()));
        match checked {
            Ok(v) => {
                let (positions, sfen) = (v.positions, v.position.sfen());
                writeln!(
                    out,
                    "{}: {}, proven ({positions} positions)\nsfen {sfen}",
                    file.display(),
                    v.claim
                )?;
            }
            Err(e) => {
                bad += 1;
                writeln!(out, "{}: {e}", file.display())?;
            }
        }
    }
    if bad > 0 {
        return Err(Failure::failed(format!("{bad} of {} refused", files.len())));
    }
    Ok(())
}

impl Problem {
    /// The board as written in tables: at most that many characters of the name.
    fn short_name(&self, width: usize) -> String {
        self.name.chars().take(width).collect()
    }
}
