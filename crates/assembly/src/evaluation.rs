//! Evaluations from disk: nets and tables, told apart by what is there.

#[cfg(not(target_family = "wasm"))]
use crate::shipped::shipped;
use eval::{KKPPT_FILE, KKPPT_MAGIC, KkpptError, KkpptTables, Tables, TablesError};
pub use nnue::DEFAULT_FV_SCALE;
use nnue::{AnyNet, Isa, NetError};
use rules::{Game, Shogi};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The file of a net inside an evaluation folder.
const NET_FILE: &str = "nn.bin";
/// A file of three-piece tables.
const TABLE_FILE: &str = "KPP_synthesized.bin";

/// Where the engine looks when nobody names a place.
pub const USUAL_FOLDER: &str = "eval";
/// Instead of a folder: piece values alone.
pub const MATERIAL: &str = "material";
/// Largest divisor of a net's output that makes sense.
pub const LARGEST_FV_SCALE: i32 = 128;

/// What evaluates.
#[derive(Clone)]
pub enum Evaluation {
    /// Piece values alone.
    Material,
    Net(AnyNet),
    /// Three-piece tables with tempo.
    Kppt(Arc<Tables<Shogi, true>>),
    /// Three-piece tables without tempo in the largest.
    KppKkpt(Arc<Tables<Shogi, false>>),
    /// Four-piece tables of 5×5.
    Kkppt(Arc<KkpptTables>),
}

/// Why there is no evaluation, with the path that was tried.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// There is nothing of the kind.
    #[error(
        "no evaluation at {}: expected {NET_FILE}, {KKPPT_FILE} or the three files of KPPT there",
        list(tried)
    )]
    Nothing {
        /// Where it was looked for.
        tried: Vec<PathBuf>,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// It is no net we can use.
    #[error("{} is not a net that can be used: {source}", path.display())]
    Net { path: PathBuf, source: NetError },
    /// It is for the other game.
    #[error("{} is a net for {found}, the game is {game}", path.display())]
    Game {
        path: PathBuf,
        /// The game it is for.
        found: Game,
        /// The game that is played.
        game: Game,
    },
    /// Tables where a net is needed.
    #[error("{} holds three-piece tables, expected a net ({NET_FILE})", path.display())]
    NotNet { path: PathBuf },
    /// Tables we cannot use.
    #[error("three-piece tables: {0}")]
    Tables(#[from] TablesError),
    /// Four-piece tables we cannot use.
    #[error("{}: no KKPPT tables that can be used: {source}", path.display())]
    Kkppt { path: PathBuf, source: KkpptError },
}

impl Evaluation {
    /// Loads what is at `path` for a game.
    pub fn load(path: &Path, game: Game, fv_scale: i32) -> Result<Self, LoadError> {
        if path == Path::new(MATERIAL) {
            return Ok(Self::Material);
        }
        let place = Place::at(path)?;
        // Told before hundreds of megabytes are read.
        if game != Game::Shogi && matches!(place, Place::Kppt(_) | Place::KppKkpt(_)) {
            return Err(LoadError::Game { path: place.path(), found: Game::Shogi, game });
        }
        let evaluation = place.load(fv_scale)?;
        match evaluation.game() {
            Some(found) if found != game => {
                Err(LoadError::Game { path: place.path(), found, game })
            }
            _ => Ok(evaluation),
        }
    }

    /// Loads what is at `path`, whichever game it is for.
    pub fn find(path: &Path, fv_scale: i32) -> Result<Self, LoadError> {
        if path == Path::new(MATERIAL) {
            return Ok(Self::Material);
        }
        Place::at(path)?.load(fv_scale)
    }

    /// The game it is for, unless it is for both.
    pub fn game(&self) -> Option<Game> {
        match self {
            Self::Material => None,
            Self::Net(net) => Some(net.game()),
            Self::Kppt(_) | Self::KppKkpt(_) => Some(Game::Shogi),
            Self::Kkppt(_) => Some(Game::Minishogi),
        }
    }

    /// The evaluation itself for its game, material for the other.
    #[must_use]
    pub fn fitting(&self, game: Game) -> Self {
        match self.game() {
            Some(found) if found != game => Self::Material,
            _ => self.clone(),
        }
    }

    /// What an engine plays with: what is at `path`, else what lies in the usual folder, else what
    /// is shipped. Also says which, in words.
    #[cfg(not(target_family = "wasm"))]
    pub fn as_engine(
        path: Option<&Path>,
        game: Game,
        fv_scale: i32,
    ) -> Result<(Self, String), LoadError> {
        match Self::load(path.unwrap_or(Path::new(USUAL_FOLDER)), game, fv_scale) {
            Ok(found) => {
                let about = found.describe();
                Ok((found, about))
            }
            Err(error) if path.is_some() => Err(error),
            Err(error) => Ok(match shipped(game) {
                Self::Material => (Self::Material, format!("material only ({error})")),
                shipped => {
                    let about = format!("{}, shipped", shipped.describe());
                    (shipped, about)
                }
            }),
        }
    }

    /// The same with another instruction set. Tables always use the best there is.
    pub fn with_isa(self, isa: Isa) -> Self {
        match self {
            Self::Net(net) if isa != Isa::best() => Self::Net(net.with_isa(isa)),
            other => other,
        }
    }

    /// The score, in hundredths of a pawn, at which the side to move wins 73 % of its games; see
    /// [`think::Engine::win_rate_scale`].
    pub fn win_rate_scale(&self) -> f64 {
        let measured = match self {
            Self::Net(net) => net.win_rate_scale(),
            _ => None,
        };
        measured.unwrap_or(play::USUAL_SCALE)
    }

    /// A number that tells evaluations apart: checksum and length of a net's file.
    pub fn fingerprint(&self) -> io::Result<String> {
        let Self::Net(net) = self else { return Ok(self.describe()) };
        let mut sum = Sum { hasher: crc32fast::Hasher::new(), bytes: 0 };
        net.write(&mut sum)?;
        let (bytes, hash) = (sum.bytes, sum.hasher.finalize());
        Ok(format!("{} {hash:08x} {bytes}", net.architecture()))
    }

    /// What is odd about it, in words: hashes of another kind of net, a text that describes another.
    /// Its values may mean nothing.
    pub fn remarks(&self) -> Vec<String> {
        match self {
            Self::Net(net) => net.info().remarks,
            _ => Vec::new(),
        }
    }

    /// A few words about it.
    pub fn describe(&self) -> String {
        match self {
            Self::Material => "material only".to_owned(),
            Self::Net(net) => format!("net {}", net.architecture()),
            Self::Kppt(_) => "three-piece tables KPPT".to_owned(),
            Self::KppKkpt(_) => "three-piece tables KPP_KKPT".to_owned(),
            Self::Kkppt(_) => "four-piece tables KKPPT".to_owned(),
        }
    }
}

/// Takes the checksum of what is written to it.
struct Sum {
    hasher: crc32fast::Hasher,
    bytes: u64,
}

impl io::Write for Sum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where an evaluation lies, with the whole path, so that a user sees where it was looked for.
enum Place {
    /// A net file.
    Net(PathBuf),
    /// A folder with three-piece tables, the last with or without tempo.
    Kppt(PathBuf),
    KppKkpt(PathBuf),
    /// A file of four-piece tables.
    Kkppt(PathBuf),
}

impl Place {
    /// A net file or a file of tables, or a folder with one or with three-piece tables. A relative
    /// path counts from where the program was started, else from the executable: interfaces start
    /// engines in folders of their own choice.
    fn at(path: &Path) -> Result<Self, LoadError> {
        let here = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let executable = std::env::current_exe().ok();
        let beside = executable.and_then(|exe| Some(exe.parent()?.join(path)));
        let mut tried = vec![here];
        tried.extend(beside.filter(|beside| *beside != tried[0]));
        match tried.iter().find_map(|path| Self::exactly(path)) {
            Some(place) => Ok(place),
            None => Err(LoadError::Nothing { tried }),
        }
    }

    fn exactly(path: &Path) -> Option<Self> {
        for file in [path.to_owned(), path.join(NET_FILE), path.join(KKPPT_FILE)] {
            if file.is_file() {
                return Some(if is_kkppt(&file) { Self::Kkppt(file) } else { Self::Net(file) });
            }
        }
        let tables = std::fs::metadata(path.join(TABLE_FILE)).ok()?;
        let without_tempo = tables.len() == Tables::<Shogi, false>::BYTES[2];
        let path = path.to_owned();
        Some(if without_tempo { Self::KppKkpt(path) } else { Self::Kppt(path) })
    }

    fn load(&self, fv_scale: i32) -> Result<Evaluation, LoadError> {
        Ok(match self {
            Self::Net(path) => Evaluation::Net(read_net(path)?.with_fv_scale(fv_scale)),
            Self::Kppt(path) => Evaluation::Kppt(Arc::new(Tables::load(path)?)),
            Self::KppKkpt(path) => Evaluation::KppKkpt(Arc::new(Tables::load(path)?)),
            Self::Kkppt(path) => Evaluation::Kkppt(Arc::new(read_kkppt(path)?)),
        })
    }

    /// What there is to name.
    fn path(&self) -> PathBuf {
        match self {
            Self::Net(path) | Self::Kkppt(path) => path.clone(),
            Self::Kppt(folder) | Self::KppKkpt(folder) => folder.join(TABLE_FILE),
        }
    }
}

fn list(paths: &[PathBuf]) -> String {
    let names: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
    names.join(" or ")
}

/// A net or tables in one file.
pub enum Single {
    Net(AnyNet),
    Kkppt(KkpptTables),
}

/// The file meant by a path, itself or the one in the folder, and what it holds.
pub fn single(path: &Path) -> Result<(PathBuf, Single), LoadError> {
    match Place::at(path)? {
        Place::Net(path) => read_net(&path).map(|net| (path, Single::Net(net))),
        Place::Kkppt(path) => read_kkppt(&path).map(|tables| (path, Single::Kkppt(tables))),
        Place::Kppt(path) | Place::KppKkpt(path) => Err(LoadError::NotNet { path }),
    }
}

/// Whether a file begins as KKPPT tables do, or is named like them.
fn is_kkppt(path: &Path) -> bool {
    let mut magic = [0; KKPPT_MAGIC.len()];
    let begins = File::open(path).is_ok_and(|mut f| f.read_exact(&mut magic).is_ok());
    begins && magic == KKPPT_MAGIC || path.file_name().is_some_and(|name| name == KKPPT_FILE)
}

/// Reads a file of KKPPT tables.
fn read_kkppt(path: &Path) -> Result<KkpptTables, LoadError> {
    let file =
        File::open(path).map_err(|source| LoadError::Read { path: path.to_owned(), source })?;
    KkpptTables::read(file).map_err(|source| LoadError::Kkppt { path: path.to_owned(), source })
}

/// Reads a net file.
fn read_net(path: &Path) -> Result<AnyNet, LoadError> {
    let failed = |source| LoadError::Read { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    let size = file.metadata().map_err(failed)?.len();
    let net = AnyNet::read(BufReader::with_capacity(1 << 20, file), size);
    net.map_err(|source| LoadError::Net { path: path.to_owned(), source })
}
