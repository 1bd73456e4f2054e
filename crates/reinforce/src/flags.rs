//! The flags of reinforcement learning: they are the fields of its settings, and the executable has no room
//! for them.

use crate::nets::{CALIBRATION, Players};
use crate::plan::{Gate, LabelledStart, LoopSettings, MeasuredTable, Preset};
use crate::settings::SettingsError;
use balance::{Start, StartError, Table, Temperature, WinRate};
use clap::Args;
use rules::Game;
use std::path::{Path, PathBuf};

/// Positions of a batch, where games are many: the largest size that workers have graphs for.
const WORKER_BATCH: &str = "1024";

/// What computes the net that plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum PlayersArg {
    /// This program, in integers, on the threads that play
    #[default]
    Native,
    /// PyTorch, in processes beside this one, as a rule on a GPU
    Torch,
}

/// What only reinforcement learning takes. What is not given is as the preset says.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "With --method rl")]
pub struct ReinforceFlags {
    /// Settings to begin with: caps, pal or aoba [default: caps]
    #[arg(long, value_name = "NAME", value_parser = preset)]
    preset: Option<Preset>,

    /// Games of a generation
    #[arg(long, value_name = "N")]
    games: Option<u64>,

    /// Where games begin, each equally often: a handicap or an SFEN (may be repeated)
    #[arg(long, value_name = "NAME|SFEN")]
    start: Vec<String>,

    /// Playouts of a move
    #[arg(long, value_name = "N")]
    playouts: Option<u32>,

    /// Share of the moves played with few playouts, which are not learned from
    #[arg(long, value_name = "SHARE")]
    fast_share: Option<f64>,

    /// The playouts of those
    #[arg(long, value_name = "N")]
    fast_playouts: Option<u32>,

    /// Weight of Dirichlet noise
    #[arg(long, value_name = "SHARE")]
    noise: Option<f32>,

    /// Moves that Gumbel's root considers; 0 for PUCT
    #[arg(long, value_name = "N")]
    gumbel: Option<usize>,

    /// What the net's logits are divided by where games are played: above 1 the policy is flatter [default: 1]
    #[arg(long, value_name = "T")]
    policy_temperature: Option<f32>,

    /// The same for the target of Gumbel's root, as it is learned [default: 1]
    #[arg(long, value_name = "T")]
    target_temperature: Option<f32>,

    /// Forced playouts: √(K·prior·visits) for every root move once tried; 0 for none
    #[arg(long, value_name = "K")]
    forced: Option<f32>,

    /// End a search when a playout tells less than this about where visits go; 0 for never
    #[arg(long, value_name = "GAIN")]
    least_gain: Option<f64>,

    /// Constants of the tree search: nue, dlshogi, lc0 or alphazero
    #[arg(long, value_name = "NAME")]
    constants: Option<String>,

    /// Plies in which moves are drawn with temperature 1
    #[arg(long, value_name = "N")]
    opening_plies: Option<u32>,

    /// Temperature afterwards
    #[arg(long, value_name = "T", value_parser = temperature)]
    temperature: Option<Temperature>,

    /// Highest threshold for resigning; 0 for never
    #[arg(long, value_name = "CHANCE")]
    resign: Option<f64>,

    /// A game is drawn after so many moves
    #[arg(long, value_name = "N")]
    max_moves: Option<u32>,

    /// Weaken the stronger side by temperature until every start is even
    #[arg(long, value_name = "YES|NO")]
    balanced: Option<bool>,

    /// Temperature beyond which nobody is weakened [default: 3]
    #[arg(long, value_name = "T", value_parser = temperature)]
    highest_temperature: Option<Temperature>,

    /// What a temperature costs, as "nue rl table" has measured it [default: the paper's figures]
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,

    /// Size of the net, such as 5x64
    #[arg(long, value_name = "BLOCKSxCHANNELS", value_parser = size)]
    net_size: Option<(u32, u32)>,

    /// Planes the net sees
    #[arg(long, value_name = "NAME")]
    planes: Option<String>,

    /// Passes over the window in every training
    #[arg(long, value_name = "N")]
    epochs: Option<u32>,

    /// Positions of a training step
    #[arg(long, value_name = "N")]
    batch: Option<u32>,

    /// Learning rate from a generation on (may be repeated)
    #[arg(long, value_name = "GENERATION:RATE", value_parser = rate)]
    rate: Vec<(u32, f64)>,

    /// Weight of the search's value against the result
    #[arg(long, value_name = "SHARE")]
    blend: Option<f64>,

    /// A new net plays only if it scores that much in so many games against the last one accepted
    #[arg(long, value_name = "GAMES:SCORE", value_parser = gate)]
    gate: Option<Gate>,

    /// Play a generation while the net of the one before is trained: by the net before that
    #[arg(long, value_name = "YES|NO")]
    side_by_side: Option<bool>,

    /// Measure what a temperature costs in every N-th generation, with so many games of each pair
    #[arg(long, value_name = "N:GAMES", value_parser = measured_table)]
    measure_table: Option<MeasuredTable>,

    /// Teacher files a first net learns from before any game is played (may be repeated)
    #[arg(long, value_name = "FILE")]
    labelled: Vec<PathBuf>,

    /// Passes over those
    #[arg(long, value_name = "N", requires = "labelled")]
    labelled_epochs: Option<u32>,

    /// Learning rate with which those begin; it falls to that of generation 1 [default: that]
    #[arg(long, value_name = "RATE", requires = "labelled")]
    labelled_rate: Option<f64>,

    /// Share of those positions in the training of every generation [default: 0]
    #[arg(long, value_name = "SHARE", requires = "labelled")]
    labelled_share: Option<f64>,

    /// Net in real numbers (.nuedf) to begin with, which is copied into the folder
    #[arg(long, value_name = "FILE")]
    from_net: Option<PathBuf>,

    /// Play with a running average of the nets that were trained, in which those before have this share [default: 0]
    #[arg(long, value_name = "SHARE")]
    average: Option<f64>,

    /// End after so many minutes; no generation is begun that would take longer
    #[arg(long, value_name = "MINUTES")]
    pub minutes: Option<f64>,

    /// Play the games through the queue of a fleet in this process, with --players native; --fleet=FOLDER by the fleet served there
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true, default_missing_value = "self")]
    pub fleet: Option<PathBuf>,

    /// What computes the net that plays [default: native]
    #[arg(long, value_enum)]
    players: Option<PlayersArg>,

    /// Processes of PyTorch that share the batches [default: 1]
    #[arg(long, value_name = "N")]
    workers: Option<u16>,

    /// Games at a time, where PyTorch computes the net [default: by threads and playouts]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub at_a_time: Option<u32>,

    /// Device of PyTorch: auto, cpu, cuda, … [default: auto]
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
}

fn preset(name: &str) -> Result<Preset, String> {
    let found = Preset::ALL.into_iter().find(|preset| preset.name() == name);
    found.ok_or_else(|| format!("expected one of {}", Preset::ALL.map(Preset::name).join(", ")))
}

/// A temperature as it is typed.
pub(crate) fn temperature(text: &str) -> Result<Temperature, String> {
    text.parse().map_err(|e: balance::temperature::NoTemperature| e.to_string())
}

fn size(text: &str) -> Result<(u32, u32), String> {
    let parts = text.split_once('x').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    parts.ok_or_else(|| "expected blocks and channels, as in 5x64".to_owned())
}

fn rate(text: &str) -> Result<(u32, f64), String> {
    let parts = text.split_once(':').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    parts.ok_or_else(|| "expected a generation and a rate, as in 10:0.02".to_owned())
}

fn gate(text: &str) -> Result<Gate, String> {
    let parts = text.split_once(':').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    let parts = parts.map(|(games, least)| Gate { games, least });
    parts.ok_or_else(|| "expected games and a score, as in 400:0.55".to_owned())
}

fn measured_table(text: &str) -> Result<MeasuredTable, String> {
    let parts = text.split_once(':').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    let parts = parts.map(|(every, games)| MeasuredTable { every, games });
    parts.ok_or_else(|| "expected generations and games, as in 5:200".to_owned())
}

/// A table that was measured.
fn read_table(path: &Path) -> Result<Table, SettingsError> {
    let table = crate::files::read(path).map_err(|e| e.to_string());
    let table =
        table.and_then(|table| table.ok_or_else(|| format!("{}: not found", path.display())));
    table.map_err(SettingsError::Table)
}

/// Puts what was given in the place of what the preset has.
fn set<T>(place: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *place = given;
    }
}

impl ReinforceFlags {
    /// The settings of the preset, with what was given.
    pub fn settings(&self, game: Game) -> Result<LoopSettings, SettingsError> {
        let mut settings = self.preset.unwrap_or(Preset::Caps).settings(game);
        let play = &mut settings.play;
        set(&mut play.playouts, self.playouts);
        set(&mut play.fast_share, self.fast_share);
        set(&mut play.fast_playouts, self.fast_playouts);
        set(&mut play.noise, self.noise);
        set(&mut play.gumbel, self.gumbel);
        set(&mut play.policy_temperature, self.policy_temperature);
        set(&mut play.target_temperature, self.target_temperature);
        set(&mut play.forced, self.forced);
        set(&mut play.least_gain, self.least_gain);
        set(&mut play.constants, self.constants.clone());
        set(&mut play.exploration.plies, self.opening_plies);
        set(&mut play.later_temperature, self.temperature);
        set(&mut play.resign.highest, self.resign.map(WinRate::from_share));
        set(&mut play.max_moves, self.max_moves);
        if !self.start.is_empty() {
            let starts = self.start.iter().map(|text| Start::parse(game, text));
            play.starts = starts.collect::<Result<Vec<Start>, StartError>>()?;
        }
        set(&mut settings.games, self.games);
        if let Some(is_balanced) = self.balanced {
            settings.balance = is_balanced.then(|| settings.balance.unwrap_or_default());
        }
        if let (Some(balance), Some(highest)) = (&mut settings.balance, self.highest_temperature) {
            balance.highest = highest;
        }
        if let Some(path) = &self.table {
            settings.table = read_table(path)?;
        }
        set(&mut settings.net.planes, self.planes.clone());
        if let Some((blocks, channels)) = self.net_size {
            (settings.net.blocks, settings.net.channels) = (blocks, channels);
        }
        set(&mut settings.training.epochs, self.epochs);
        set(&mut settings.training.batch, self.batch);
        set(&mut settings.training.blend, self.blend);
        set(&mut settings.training.labelled_share, self.labelled_share);
        set(&mut settings.training.average, self.average);
        settings.from_net = self.from_net.as_ref().map(|path| path.display().to_string());
        if !self.rate.is_empty() {
            settings.training.rates.clone_from(&self.rate);
        }
        settings.gate = self.gate.or(settings.gate);
        settings.measured_table = self.measure_table.or(settings.measured_table);
        set(&mut settings.side_by_side, self.side_by_side);
        if !self.labelled.is_empty() {
            settings.labelled = Some(LabelledStart {
                files: self.labelled.iter().map(|path| path.display().to_string()).collect(),
                epochs: self.labelled_epochs.unwrap_or(4),
                rate: self.labelled_rate.unwrap_or_else(|| settings.training.rate(1)),
            });
        }
        Ok(settings)
    }

    /// What computes the net that plays.
    pub fn players(&self, python: &Path, device: &str) -> Players {
        match self.players.unwrap_or_default() {
            PlayersArg::Native => Players::Native { calibration: CALIBRATION },
            PlayersArg::Torch => {
                let python = python.display().to_string();
                let serve = [python.as_str(), "-m", "nue_trainer", "serve", "--device", device];
                // Thousands of games fill larger batches than one search does.
                let words = serve.into_iter().chain(["--batch", WORKER_BATCH]);
                let quoted = shlex::try_join(words).unwrap_or_default();
                Players::Worker { command: quoted, count: self.workers.unwrap_or(1).into() }
            }
        }
    }
}
