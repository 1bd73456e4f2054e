//! The command line of `nue learn`.

use crate::failure::Failure;
use crate::flags::{self, MatchFlags, SelfPlayFlags, TrainingFlags};
use crate::start::GameArg;
use arena::request::{MatchRequest, check_pairs};
use arena::selfplay::file::Goal;
use arena::selfplay::settings::SelfPlaySettings;
use arena::stats::Sprt;
use clap::Args;
use lab::selfplay::SelfPlay;
use lab::steps::{Settings, Trainer};
use reinforce::flags::ReinforceFlags;
use reinforce::plan::LoopSettings;
use reinforce::run::Machine;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// What is learned, and how.
#[derive(Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub(crate) enum Method {
    /// Evaluation nets, from games of the alpha-beta search, with a gate
    #[default]
    Nnue,
    /// Policy-value nets by reinforcement, from games of many small tree searches at once
    Rl,
}

/// Learn: self-play, training and a gate, generation by generation
///
/// FOLDER holds the net (current.bin), the ledger (ledger.toml) and a folder for each generation.
/// Run again it continues where it was stopped, or with the next generation. Without a net the
/// first generation plays with piece values alone. With --method rl policy-value nets learn from games
/// of their own (current.nuedf); the first are played without a net, or with one learned from --labelled.
#[derive(Args)]
pub(crate) struct LearnArgs {
    /// Folder of the nets, the data and the ledger
    pub(super) folder: PathBuf,

    /// What is learned, and how
    #[arg(long, value_enum, default_value_t)]
    pub(super) method: Method,

    /// Generations to make in this run
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) generations: u32,

    /// Seed; every generation takes its own from it
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,

    /// Generations whose games are learned from: this one and those before
    /// [default: 3; with --method rl as the preset says]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    window: Option<u32>,

    /// Games at a time, and threads of training; all processors if missing
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// Train with PyTorch: the Python to run "-m nue_trainer" with
    #[arg(long, value_name = "PYTHON")]
    python: Option<PathBuf>,

    /// More flags for training: of "nue train", or with --python of the trainer in PyTorch
    #[arg(long = "train", value_name = "FLAGS", default_value = "", allow_hyphen_values = true)]
    train_words: String,

    #[command(flatten)]
    pub(super) game: GameArg,

    #[command(flatten)]
    evaluation: Option<EvaluationFlags>,

    #[command(flatten)]
    pub(super) reinforce: Option<ReinforceFlags>,
}

/// What only evaluation nets take.
#[derive(Args)]
#[command(next_help_heading = "With --method nnue")]
struct EvaluationFlags {
    /// Positions of self-play
    #[arg(long, value_name = "N", default_value_t = 1_000_000,
          value_parser = clap::value_parser!(u64).range(1..))]
    positions: u64,

    /// Nodes for each move of self-play
    #[arg(long, value_name = "N", default_value_t = 400,
          value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,

    /// Games kept apart to measure on
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    validation: f64,

    /// Architecture of a first net
    #[arg(long, value_name = "NAME", default_value = "halfkp-256x2-32-32")]
    arch: String,

    /// Train from random numbers instead of the current net
    #[arg(long, alias = "afresh")]
    from_scratch: bool,

    /// Games of the gate at most
    #[arg(long, value_name = "N", default_value_t = 1500)]
    gate_games: u64,

    /// What each side of the gate may use for a move, as in "nue match"
    #[arg(long, value_name = "KEY=VALUE,…", default_value = "nodes=5000")]
    gate_limit: String,

    /// When the gate is decided, as in "nue match"
    #[arg(long, value_name = "KEY=VALUE,…", default_value = "elo0=0,elo1=30")]
    gate_sprt: Sprt,

    /// More flags for self-play, as typed for "nue gen"
    #[arg(long = "gen", value_name = "FLAGS", default_value = "", allow_hyphen_values = true)]
    gen_words: String,

    /// The same for the gate: flags of "nue match" that say how games are played
    #[arg(long = "match", value_name = "FLAGS", default_value = "", allow_hyphen_values = true)]
    match_words: String,
}

impl LearnArgs {
    /// How generations are made.
    pub(super) fn settings(&self) -> Result<Settings, Failure> {
        if self.reinforce.is_some() {
            return Err(Failure::usage("some of these flags are for --method rl only"));
        }
        let usual;
        let flags = match &self.evaluation {
            Some(flags) => flags,
            None => {
                usual = flags::typed::<EvaluationFlags>("", "")?;
                &usual
            }
        };
        Ok(Settings {
            program: program()?,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            game: self.game.game,
            seed: self.seed,
            threads: self.threads(),
            selfplay: flags.selfplay()?,
            validation: flags.validation,
            architecture: flags.arch.clone(),
            from_scratch: flags.from_scratch,
            trainer: self.trainer()?,
            gate: flags.gate()?,
        })
    }

    /// Generations learned from, where evaluation nets are.
    pub(super) fn window(&self) -> u32 {
        self.window.unwrap_or(3)
    }

    pub(super) fn threads(&self) -> NonZeroUsize {
        let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let asked = self.threads.and_then(|n| NonZeroUsize::new(usize::from(n)));
        asked.unwrap_or_else(cores)
    }

    fn trainer(&self) -> Result<Trainer, Failure> {
        let typed = &self.train_words;
        Ok(match &self.python {
            Some(program) => {
                let words = flags::words("--train", typed)?;
                Trainer::Python { program: program.clone(), words }
            }
            None => {
                let flags: TrainingFlags = flags::typed("--train", typed)?;
                Trainer::Own(Box::new(flags.options()))
            }
        })
    }

    /// What decides the nets of reinforcement learning.
    pub(super) fn loop_settings(&self) -> Result<LoopSettings, Failure> {
        if self.evaluation.is_some() {
            return Err(Failure::usage("some of these flags are for --method nnue only"));
        }
        let usual = ReinforceFlags::default();
        let flags = self.reinforce.as_ref().unwrap_or(&usual);
        let made = flags.settings(self.game.game);
        let mut settings = made.map_err(|e| Failure::usage(e.to_string()))?;
        settings.seed = self.seed;
        settings.window = self.window.unwrap_or(settings.window);
        Ok(settings)
    }

    /// How the work is done on this machine.
    pub(super) fn machine(&self) -> Result<Machine, Failure> {
        let usual = ReinforceFlags::default();
        let flags = self.reinforce.as_ref().unwrap_or(&usual);
        let python = self.python.clone().unwrap_or_else(|| PathBuf::from("python3"));
        let words = flags::words("--train", &self.train_words)?;
        let device = flags.device.clone().unwrap_or_else(|| "auto".to_owned());
        let players = flags.players(&python, &device);
        let trainer = reinforce::training::Trainer { python, device, program: program()?, words };
        Ok(Machine {
            threads: self.threads(),
            games: flags.at_a_time.and_then(|games| NonZeroUsize::new(games as usize)),
            players,
            trainer,
            version: env!("CARGO_PKG_VERSION").to_owned(),
        })
    }
}

/// This program's own file.
fn program() -> Result<PathBuf, Failure> {
    std::env::current_exe()
        .map_err(|e| Failure::failed(format!("cannot find this program's own file: {e}")))
}

impl EvaluationFlags {
    fn selfplay(&self) -> Result<SelfPlay, Failure> {
        let mut selfplay = SelfPlay {
            goal: Goal { positions: Some(self.positions), ..Goal::default() },
            settings: SelfPlaySettings { nodes: self.nodes, ..SelfPlaySettings::default() },
            ..SelfPlay::default()
        };
        flags::typed::<SelfPlayFlags>("--gen", &self.gen_words)?.fill(&mut selfplay)?;
        Ok(selfplay)
    }

    fn gate(&self) -> Result<MatchRequest, Failure> {
        check_pairs(self.gate_games)
            .map_err(|why| Failure::usage(format!("--gate-games: {why}")))?;
        let mut gate = MatchRequest {
            each: vec![self.gate_limit.clone()],
            games: self.gate_games,
            sprt: Some(self.gate_sprt),
            ..MatchRequest::default()
        };
        flags::typed::<MatchFlags>("--match", &self.match_words)?.fill(&mut gate);
        Ok(gate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// If a net is 30 Elo better, the test needs about 790 games; 20 would take 1,770.
    #[test]
    fn a_gate_asks_for_thirty_elo_in_at_most_1500_games() {
        let gate = flags::typed::<EvaluationFlags>("", "").unwrap().gate().unwrap();
        assert_eq!(gate.games, 1500);
        assert_eq!(gate.each, ["nodes=5000"]);
        assert_eq!(gate.sprt.map(|sprt| sprt.elos()), Some((0.0, 30.0)));
    }
}
