//! The net that plays: none, our own integers on the threads, or PyTorch in processes beside us.

use crate::pool::PlayerNet;
use assembly::deep::{DeepError, NetChoice};
use durable::Draft;
use infer::native::{Counts, Native, Net, import_file};
use infer::{Backend, Shape, Uniform};
use rules::Game;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use think::TimeSource;
use thiserror::Error;

/// Positions that integers are calibrated on, and compared on.
pub const CALIBRATION: usize = 512;

/// What computes the net that plays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Players {
    /// Integers, calibrated on so many positions, on the threads that play.
    Native { calibration: usize },
    /// The command of a worker, which gets `--net` and the file; so many of them share the batches.
    Worker { command: String, count: usize },
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

/// The net in that file of real numbers, ready to play; `note` hears what is worth telling.
pub fn open(
    players: &Players,
    path: &Path,
    game: Game,
    threads: usize,
    time: &Arc<dyn TimeSource>,
    note: &mut dyn FnMut(&str),
) -> Result<PlayerNet, PlayerError> {
    match players {
        Players::Native { calibration } => {
            let integers = path.with_extension("nued");
            if !integers.exists() {
                note(&import(path, &integers, *calibration)?);
            }
            let net = Net::load(&integers).map_err(|e| PlayerError::at(&integers, &e))?;
            let net = Arc::new(net);
            let each = |_| Arc::new(Native::new(Arc::clone(&net))) as Arc<dyn Backend>;
            Ok(PlayerNet::OnThreads((0..threads).map(each).collect()))
        }
        Players::Worker { command, count } => {
            let commands = vec![command.as_str(); (*count).max(1)].join(" ; ");
            let model = path.display().to_string();
            let choice = NetChoice { model, worker: commands, ..NetChoice::default() };
            Ok(PlayerNet::Device(choice.open(game, Arc::clone(time))?))
        }
    }
}

/// Real numbers become integers; what the difference is.
fn import(path: &Path, integers: &Path, positions: usize) -> Result<String, PlayerError> {
    let bytes = fs::read(path).map_err(|e| PlayerError::at(path, &e))?;
    // A net that knows little has no best move to agree about: what it loses is told, not refused.
    let counts = Counts { calibration: positions, comparison: positions };
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
