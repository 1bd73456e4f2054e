//! The net that plays: none, our own integers on the threads, or PyTorch in processes beside us.

use crate::plan::LoopSettings;
use crate::pool::PlayerNet;
use crate::settings::SettingsError;
use assembly::deep::{DeepError, Workers};
use durable::Draft;
use infer::native::{Architecture, Counts, Native, Net, import_file};
use infer::{Backend, Cache, Shape, Uniform};
use rules::Game;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use think::TimeSource;
use thiserror::Error;

/// Positions that integers are calibrated on. A net plays one generation: a second of a processor is enough for it.
pub const CALIBRATION: usize = 128;
/// One is compared for so many of those.
const COMPARED: usize = 4;

/// Bytes of answers that are kept, over all threads: openings come again in every game, and what was read for one
/// move comes again in the search for the next.
const CACHE: usize = 512 << 20;

/// What computes the net that plays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Players {
    /// Integers, calibrated on so many positions, on the threads that play.
    Native { calibration: usize },
    /// The command of a worker, which gets `--net` and the file; so many of them share the batches.
    Worker { command: String, count: usize },
}

impl Players {
    /// Whether they, and the gate and the table of temperatures, which always compute in integers, can play
    /// the nets of a run. To be asked before one of them is trained.
    pub(crate) fn can_play(&self, settings: &LoopSettings) -> Result<(), SettingsError> {
        let integers = matches!(self, Self::Native { .. })
            || settings.gate.is_some()
            || settings.measured_table.is_some();
        if !integers {
            return Ok(());
        }
        let architecture = Architecture {
            shape: settings.shape()?,
            blocks: settings.net.blocks as usize,
            channels: settings.net.channels as usize,
            // The trainer's own, always among those that can be had.
            value_channels: 1,
            value_hidden: 1,
        };
        architecture.check().map_err(SettingsError::Integers)
    }
}

/// Why there is no net to play with.
#[derive(Debug, Error)]
pub enum PlayerError {
    #[error("{}: {reason}", path.display())]
    File { path: PathBuf, reason: String },
    #[error(transparent)]
    Net(#[from] DeepError),
}

impl PlayerError {
    fn at(path: &Path, reason: &dyn ToString) -> Self {
        Self::File { path: path.to_owned(), reason: reason.to_string() }
    }
}

/// No net at all: every move alike, every position even. What the first games from zero are played
/// with.
pub fn without_net(shape: Shape, threads: usize) -> PlayerNet {
    let net = |_| Arc::new(Uniform::new(shape)) as Arc<dyn Backend>;
    PlayerNet::OnThreads((0..threads).map(net).collect())
}

/// The net inside the executable.
pub fn shipped(game: Game, threads: usize) -> Result<PlayerNet, PlayerError> {
    let each = |_| assembly::deep::load("", game);
    Ok(PlayerNet::OnThreads((0..threads).map(each).collect::<Result<_, _>>()?))
}

/// The net in that file of real numbers, ready to play; `note` hears what is worth telling. Workers are those in
/// `kept`, if they can go on with it, and stay there.
pub fn open(
    players: &Players,
    path: &Path,
    game: Game,
    threads: usize,
    kept: &KeptWorkers,
    time: &Arc<dyn TimeSource>,
    note: &mut dyn FnMut(&str),
) -> Result<PlayerNet, PlayerError> {
    match players {
        Players::Native { calibration } => native(path, threads, *calibration, note),
        Players::Worker { command, count } => {
            let commands = vec![command.as_str(); (*count).max(1)].join(" ; ");
            let model = path.display().to_string();
            let mut kept = kept.0.lock().unwrap_or_else(PoisonError::into_inner);
            // Those of a generation that was broken off may still owe answers, and are not asked again.
            let loaded = kept.take().filter(|workers| workers.backend().in_flight() == 0);
            let loaded = loaded.map(|workers| workers.load(&model).map(|()| workers)).transpose();
            let workers = match loaded {
                Ok(Some(workers)) => workers,
                Ok(None) => Workers::start(&commands, &model, game, time)?,
                Err(error) => {
                    note(&format!("the workers are started again: {error}"));
                    Workers::start(&commands, &model, game, time)?
                }
            };
            let net = PlayerNet::Device(Arc::new(Cache::new(workers.backend(), CACHE)));
            *kept = Some(workers);
            Ok(net)
        }
    }
}

/// Workers that stay from one generation to the next: a device is started once.
#[derive(Debug, Default)]
pub struct KeptWorkers(Mutex<Option<Workers>>);

/// The net in integers, on the threads that play. They are made of the real numbers once, and kept beside them.
pub(crate) fn native(
    path: &Path,
    threads: usize,
    calibration: usize,
    note: &mut dyn FnMut(&str),
) -> Result<PlayerNet, PlayerError> {
    let integers = path.with_extension("nued");
    if !integers.exists() {
        note(&import(path, &integers, calibration)?);
    }
    let net = Net::load(&integers).map_err(|e| PlayerError::at(&integers, &e))?;
    let net = Arc::new(net);
    let each = |_| {
        let native = Arc::new(Native::new(Arc::clone(&net)));
        Arc::new(Cache::new(native, CACHE / threads.max(1))) as Arc<dyn Backend>
    };
    Ok(PlayerNet::OnThreads((0..threads).map(each).collect()))
}

/// Real numbers become integers; what the difference is.
fn import(path: &Path, integers: &Path, positions: usize) -> Result<String, PlayerError> {
    let bytes = fs::read(path).map_err(|e| PlayerError::at(path, &e))?;
    // A net that knows little has no best move to agree about: what it loses is told, not refused.
    let comparison = positions.div_ceil(COMPARED);
    let counts = Counts { calibration: positions, comparison };
    let imported =
        import_file(&bytes, counts, 0.0, &|_, _| ()).map_err(|e| PlayerError::at(path, &e))?;
    let written = Draft::new(integers).and_then(|mut draft| {
        imported.net.write(&mut draft)?;
        draft.flush()?;
        draft.publish(true)
    });
    written.map_err(|e| PlayerError::at(integers, &e))?;
    Ok(format!("integers against real numbers over {}", imported.report))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Gate, Preset};

    #[test]
    fn nets_that_integers_cannot_do_are_refused_before_they_are_trained() {
        let native = Players::Native { calibration: CALIBRATION };
        let worker = Players::Worker { command: "worker".to_owned(), count: 1 };
        for preset in Preset::ALL {
            for game in Game::ALL {
                native.can_play(&preset.settings(game)).unwrap();
            }
        }
        let mut settings = Preset::Caps.settings(Game::Minishogi);
        settings.net.channels = 48;
        let told = native.can_play(&settings).unwrap_err().to_string();
        assert!(told.contains("channels 48") && told.contains("--net-size"), "{told}");
        worker.can_play(&settings).unwrap();
        // A gate is played in integers whoever plays the games.
        settings.gate = Some(Gate { games: 10, least: 0.5 });
        worker.can_play(&settings).unwrap_err();
    }
}
