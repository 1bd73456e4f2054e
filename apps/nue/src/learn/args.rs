//! The command line of `nue learn`.

use crate::start::GameArg;
use clap::Args;
use std::path::PathBuf;

/// Learn: self-play, training and a gate, generation by generation
///
/// FOLDER holds the net (current.bin), the ledger (ledger.toml) and a folder for each generation.
/// Run again it goes on where it was stopped, or with the next generation. Without a net the
/// first generation plays with piece values alone.
#[derive(Args)]
pub(crate) struct LearnArgs {
    /// Where everything lies
    pub(super) folder: PathBuf,

    /// Generations to make in this run
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) generations: u32,

    /// Positions of self-play
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub(super) positions: u64,

    /// Nodes for each move of self-play
    #[arg(long, value_name = "N", default_value_t = 400)]
    pub(super) nodes: u64,

    /// Seed; every generation takes its own from it
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,

    /// Games kept apart to measure on
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    pub(super) validation: f64,

    /// Generations whose games are learned from: this one and those before
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(super) window: u32,

    /// Architecture of a first net
    #[arg(long, value_name = "NAME", default_value = "halfkp-256x2-32-32")]
    pub(super) arch: String,

    /// Train from random numbers instead of the current net
    #[arg(long)]
    pub(super) afresh: bool,

    /// Games of the gate at most
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(super) gate_games: u64,

    /// What each side of the gate may use for a move, as in "nue match"
    #[arg(long, value_name = "KEY=VALUE,…", default_value = "nodes=5000")]
    pub(super) gate_limit: String,

    /// When the gate is decided, as in "nue match"
    #[arg(long, value_name = "KEY=VALUE,…", default_value = "elo0=0,elo1=20")]
    pub(super) gate_sprt: String,

    /// Games at a time, and threads of training; all processors if missing
    #[arg(long, short = 'j', value_name = "N")]
    pub(super) threads: Option<usize>,

    /// Train with PyTorch: the Python to run "-m nue_trainer" with
    #[arg(long, value_name = "PYTHON")]
    pub(super) python: Option<PathBuf>,

    /// More words for the step's command, as typed there: self-play
    #[arg(long = "gen", value_name = "WORDS", default_value = "", allow_hyphen_values = true)]
    pub(super) gen_words: String,

    /// The same for training
    #[arg(long = "train", value_name = "WORDS", default_value = "", allow_hyphen_values = true)]
    pub(super) train_words: String,

    /// The same for the gate
    #[arg(long = "match", value_name = "WORDS", default_value = "", allow_hyphen_values = true)]
    pub(super) match_words: String,

    #[command(flatten)]
    pub(super) game: GameArg,
}

impl LearnArgs {
    /// Games at a time.
    pub(super) fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores).clamp(1, 1024)
    }
}
