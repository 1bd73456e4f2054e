//! The command line of `nue train`.

use crate::flags::TrainingFlags;
use clap::Args;
use rules::Game;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use trainer::TrainingRequest;

/// Learn a net from teacher files
///
/// The net in OUT is always the best so far, measured on the validation files. A checkpoint
/// beside it lets a stopped or killed run go on with --resume, to the same result.
#[derive(Args, Clone)]
pub(crate) struct TrainArgs {
    /// Files to learn from: teacher, psv, hcpe or hcpe3
    #[arg(required = true, value_name = "DATA")]
    data: Vec<PathBuf>,
    /// File to validate on: games not learned from (nue data split makes one)
    #[arg(long, required = true, value_name = "FILE")]
    validation: Vec<PathBuf>,
    /// Game of files that do not say: shogi or minishogi
    #[arg(long, default_value = "shogi")]
    game: Game,
    /// Where the net goes
    #[arg(short, long, visible_alias = "output", value_name = "OUT")]
    out: PathBuf,
    /// Replace files that exist
    #[arg(long)]
    force: bool,
    /// Architecture: halfkp-256x2-32-32, kp-256x2-32-32, halfkpe9-…, halfkpkrank-…, or tables:
    /// kppt, kpp_kkpt (OUT is a folder then), kkppt for minishogi; the game is that of the data
    #[arg(long, value_name = "NAME", required_unless_present = "from")]
    arch: Option<String>,
    /// Begin with this net (nn.bin or .nuef) instead of random numbers, or with these tables
    /// instead of zeros
    #[arg(long, value_name = "NET")]
    from: Option<PathBuf>,
    /// Go on from the checkpoint of a run with the same flags; begin if there is none
    #[arg(long, conflicts_with = "force")]
    resume: bool,
    /// Seed of all random choices
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Threads; the result does not depend on them [default: all]
    #[arg(long, value_name = "N")]
    threads: Option<NonZeroUsize>,

    #[command(flatten)]
    flags: TrainingFlags,
}

impl TrainArgs {
    /// The training these flags ask for.
    pub(crate) fn request(&self) -> TrainingRequest {
        TrainingRequest {
            data: self.data.clone(),
            validation: self.validation.clone(),
            game: self.game,
            out: self.out.clone(),
            architecture: self.arch.clone(),
            from: self.from.clone(),
            seed: self.seed,
            threads: self.threads,
            resume: self.resume,
            force: self.force,
            options: self.flags.options(),
        }
    }
}
