//! Flags that several of the commands have.

use crate::interrupt;
use clap::Args;
use corpus::{Damaged, Format, Inputs, Sieve, Target};
use rules::Game as Rules;
use std::path::PathBuf;

/// What to read.
#[derive(Args, Clone)]
pub(super) struct InputArgs {
    /// Files; for CSA also folders, searched to any depth
    #[arg(required = true, value_name = "IN")]
    inputs: Vec<PathBuf>,
    /// Format to read: teacher, psv, hcpe, hcpe3 or csa; by default its content and name decide
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,
    /// Game of files that do not say: shogi or minishogi
    #[arg(long, default_value = "shogi")]
    game: Rules,
    /// What to do about what cannot be read: "skip" reports it and goes on, "stop" ends there and
    /// writes nothing. Streams stop by default, everything else skips
    #[arg(long, value_name = "skip|stop")]
    damaged: Option<Damaged>,
}

impl InputArgs {
    pub(super) fn inputs(&self) -> Inputs {
        Inputs {
            paths: self.inputs.clone(),
            format: self.from,
            game: self.game,
            damaged: self.damaged.unwrap_or_default(),
            stop: None,
        }
    }

    /// The same for work that an interrupt ends in good order, or at once where none can be heard.
    pub(super) fn interruptible(&self) -> Inputs {
        let (stop, heard) = interrupt::flag();
        Inputs { stop: heard.then_some(stop), ..self.inputs() }
    }

    /// Whether to go on without what cannot be read, where the default is not to.
    pub(super) fn skips_damage(&self) -> bool {
        self.damaged == Some(Damaged::Skip)
    }
}

/// Where the result goes.
#[derive(Args, Clone)]
pub(super) struct OutputArgs {
    /// File to write
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace the file if it exists
    #[arg(long)]
    force: bool,
}

impl OutputArgs {
    pub(super) fn target(&self) -> Target {
        Target { path: self.output.clone(), force: self.force, resume: false }
    }

    pub(super) fn resumable(&self, args: ResumeArg) -> Target {
        Target { resume: args.resume, ..self.target() }
    }
}

/// Whether to go on.
#[derive(Args, Clone, Copy)]
pub(super) struct ResumeArg {
    /// Continue the same command after an interruption
    #[arg(long, conflicts_with = "force")]
    resume: bool,
}

/// How much memory a command may use.
#[derive(Args, Clone, Copy)]
pub(super) struct MemoryArg {
    /// Memory to use, in MiB; what does not fit goes to temporary files beside the output
    #[arg(long, value_name = "MIB", default_value_t = 1024,
          value_parser = clap::value_parser!(u64).range(16..=1 << 24))]
    memory: u64,
}

impl MemoryArg {
    pub(super) const fn bytes(self) -> u64 {
        self.memory << 20
    }
}

/// What passes.
#[derive(Args, Clone, Copy)]
pub(super) struct SieveArgs {
    /// Largest score either way
    #[arg(long, value_name = "N")]
    max_score: Option<u16>,
    /// No mate scores
    #[arg(long)]
    no_mates: bool,
    /// First move number
    #[arg(long, value_name = "N")]
    min_ply: Option<u32>,
    /// Last move number
    #[arg(long, value_name = "N")]
    max_ply: Option<u32>,
    /// No positions in check
    #[arg(long)]
    no_check: bool,
    /// Only positions whose move neither captures nor promotes
    #[arg(long)]
    quiet: bool,
    /// No positions whose move was chosen at random
    #[arg(long)]
    no_random: bool,
    /// No drawn games
    #[arg(long)]
    no_draws: bool,
    /// No games whose result is not known
    #[arg(long)]
    known_result: bool,
    /// Fewest moves of a game
    #[arg(long, value_name = "N")]
    min_length: Option<usize>,
    /// Most moves of a game
    #[arg(long, value_name = "N")]
    max_length: Option<usize>,
}

impl SieveArgs {
    pub(super) const fn sieve(self) -> Sieve {
        Sieve {
            max_score: self.max_score,
            no_mates: self.no_mates,
            min_ply: self.min_ply,
            max_ply: self.max_ply,
            no_check: self.no_check,
            quiet: self.quiet,
            no_random: self.no_random,
            no_draws: self.no_draws,
            known_result: self.known_result,
            min_length: self.min_length,
            max_length: self.max_length,
        }
    }
}
