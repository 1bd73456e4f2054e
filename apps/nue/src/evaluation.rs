//! Evaluations from disk: nets and three-piece tables, told apart by what is there.

use eval::{Tables, TablesError};
use nnue::{AnyNet, NetError};
use rules::{Game, Shogi};
use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file of a net inside an evaluation folder.
const NET_FILE: &str = "nn.bin";
/// A file of three-piece tables.
const TABLE_FILE: &str = "KPP_synthesized.bin";

/// What evaluates.
#[derive(Clone)]
pub(crate) enum Evaluation {
    /// Piece values alone.
    Material,
    /// A net.
    Net(AnyNet),
    /// Three-piece tables with tempo.
    Kppt(Arc<Tables<Shogi, true>>),
    /// Three-piece tables without tempo in the largest.
    KppKkpt(Arc<Tables<Shogi, false>>),
}

/// Why there is no evaluation, with the path that was tried.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    #[error("no evaluation at {}: expected {NET_FILE} or the three files of KPPT there", path.display())]
    Nothing { path: PathBuf },
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} is not a net that can be used: {source}", path.display())]
    Net { path: PathBuf, source: NetError },
    #[error("{} is a net for {found}, the game is {game}", path.display())]
    Game { path: PathBuf, found: Game, game: Game },
    #[error("three-piece tables: {0}")]
    Tables(#[from] TablesError),
}

impl Evaluation {
    /// Loads what is at `path`: a net file, or a folder with a net or with three-piece tables.
    pub(crate) fn load(path: &Path, game: Game, fv_scale: i32) -> Result<Self, LoadError> {
        // The whole path, so that a user sees where it was looked for.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        if path.is_file() {
            return Self::load_net(&path, game, fv_scale);
        }
        let net = path.join(NET_FILE);
        if net.is_file() {
            return Self::load_net(&net, game, fv_scale);
        }
        let tables = path.join(TABLE_FILE);
        match std::fs::metadata(&tables) {
            Ok(_) if game != Game::Shogi => {
                Err(LoadError::Game { path: tables, found: Game::Shogi, game })
            }
            Ok(file) if file.len() == Tables::<Shogi, false>::BYTES[2] => {
                Ok(Self::KppKkpt(Arc::new(Tables::load(&path)?)))
            }
            Ok(_) => Ok(Self::Kppt(Arc::new(Tables::load(&path)?))),
            Err(_) => Err(LoadError::Nothing { path }),
        }
    }

    fn load_net(path: &Path, game: Game, fv_scale: i32) -> Result<Self, LoadError> {
        let net = read_net(path)?;
        if net.game() != game {
            return Err(LoadError::Game { path: path.to_owned(), found: net.game(), game });
        }
        Ok(Self::Net(net.with_fv_scale(fv_scale)))
    }

    /// A few words about it.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Material => "material only".to_owned(),
            Self::Net(net) => format!("net {}", net.architecture()),
            Self::Kppt(_) => "three-piece tables KPPT".to_owned(),
            Self::KppKkpt(_) => "three-piece tables KPP_KKPT".to_owned(),
        }
    }
}

/// Reads a net file.
pub(crate) fn read_net(path: &Path) -> Result<AnyNet, LoadError> {
    let failed = |source| LoadError::Read { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    let net = AnyNet::read(BufReader::with_capacity(1 << 20, file), size);
    net.map_err(|source| LoadError::Net { path: path.to_owned(), source })
}
