//! The command line of `nue learn`.

use crate::failure::Failure;
use crate::start::GameArg;
use clap::Args;
use lab::steps::Settings;
use std::path::PathBuf;

/// Learn: self-play, training and a gate, generation by generation
///
/// FOLDER holds the net (current.bin), the ledger (ledger.toml) and a folder for each generation.
/// Run again it continues where it was stopped, or with the next generation. Without a net the
/// first generation plays with piece values alone.
#[derive(Args)]
pub(crate) struct LearnArgs {
    /// Folder of the nets, the data and the ledger
    pub(super) folder: PathBuf,

    /// Generations to make in this run
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) generations: u32,

    /// Positions of self-play
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    positions: u64,

    /// Nodes for each move of self-play
    #[arg(long, value_name = "N", default_value_t = 400)]
    nodes: u64,

    /// Seed; every generation takes its own from it
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Games kept apart to measure on
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    validation: f64,

    /// Generations whose games are learned from: this one and those before
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub(super) window: u32,

    /// Architecture of a first net
    #[arg(long, value_name = "NAME", default_value = "halfkp-256x2-32-32")]
    arch: String,

    /// Train from random numbers instead of the current net
    #[arg(long)]
    afresh: bool,

    /// Games of the gate at most
    #[arg(long, value_name = "N", default_value_t = 1000)]
    gate_games: u64,

    /// What each side of the gate may use for a move, as in "nue match"
    #[arg(long, value_name = "KEY=VALUE,…", default_value = "nodes=5000")]
    gate_limit: String,

    /// When the gate is decided, as in "nue match"
    #[arg(long, value_name = "KEY=VALUE,…", default_value = "elo0=0,elo1=20")]
    gate_sprt: String,

    /// Games at a time, and threads of training; all processors if missing
    #[arg(long, short = 'j', value_name = "N")]
    threads: Option<usize>,

    /// Train with PyTorch: the Python to run "-m nue_trainer" with
    #[arg(long, value_name = "PYTHON")]
    python: Option<PathBuf>,

    /// More words for the step's command, as typed there: self-play
    #[arg(long = "gen", value_name = "WORDS", default_value = "", allow_hyphen_values = true)]
    gen_words: String,

    /// The same for training
    #[arg(long = "train", value_name = "WORDS", default_value = "", allow_hyphen_values = true)]
    train_words: String,

    /// The same for the gate
    #[arg(long = "match", value_name = "WORDS", default_value = "", allow_hyphen_values = true)]
    match_words: String,

    #[command(flatten)]
    game: GameArg,
}

impl LearnArgs {
    /// How generations are made.
    pub(super) fn settings(&self) -> Result<Settings, Failure> {
        let program = std::env::current_exe()
            .map_err(|e| Failure::failed(format!("cannot find this program's own file: {e}")))?;
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
        Ok(Settings {
            program,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            game: self.game.game,
            positions: self.positions,
            nodes: self.nodes,
            seed: self.seed,
            validation: self.validation,
            architecture: self.arch.clone(),
            afresh: self.afresh,
            gate_games: self.gate_games,
            gate_limit: self.gate_limit.clone(),
            gate_sprt: self.gate_sprt.clone(),
            threads: self.threads.unwrap_or_else(cores).clamp(1, 1024),
            python: self.python.clone(),
            more_selfplay: words(&self.gen_words),
            more_training: words(&self.train_words),
            more_gate: words(&self.match_words),
        })
    }
}
