//! Policy-value nets for the tree search: from a file, from inside the executable, computed by ONNX
//! Runtime or by another program.

use crate::search::search;
use infer::native::{FileError, Native, Net};
use infer::{Backend, Shape, Split};
use mcts::Puct;
use onnx::{Onnx, OpenError, Provider, Search};
use rules::{Game, Minishogi, Shogi};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use think::{Engine, OptionKey, OptionSpec, TimeSource};
use worker::{Settings, StartError, Worker};

/// Positions a program is tried with before it is believed, and the seed they are made from.
const CANARIES: (usize, u64) = (64, 1);

/// The net of the tree search.
pub const DNN_MODEL: OptionKey<String> = OptionKey::filename(
    "DNN_Model",
    "",
    "File of the policy-value net that the tree search asks: a .nued, or an .onnx for ONNX Runtime \
     (DNN_Library); empty for the one inside the executable.",
);

/// What computes the net of the tree search, if not this program.
pub const DNN_WORKER: OptionKey<String> = OptionKey::text(
    "DNN_Worker",
    "",
    "Program that computes the policy-value net, with its arguments; --net and DNN_Model follow \
     them. Several, with \" ; \" between them, share the batches. Empty to compute it here.",
);

/// Where ONNX Runtime is.
pub const DNN_LIBRARY: OptionKey<String> = OptionKey::filename(
    "DNN_Library",
    "",
    "ONNX Runtime for nets in .onnx files: its library, or the folder that holds it. Empty for the one \
     that ORT_DYLIB_PATH names, that stands beside the executable, or that the system finds.",
);

/// What ONNX Runtime computes with.
pub const DNN_PROVIDER: OptionKey<String> = OptionKey::combo(
    "DNN_Provider",
    Provider::Auto.name(),
    &[
        Provider::Auto.name(),
        Provider::Cpu.name(),
        Provider::Cuda.name(),
        Provider::TensorRt.name(),
    ],
    "What ONNX Runtime computes with; auto is CUDA where the library has it, else the processor. \
     TensorRT builds an engine for the net first, which takes minutes, and keeps it beside the net.",
);

/// The options that choose a net.
pub fn specs() -> Vec<OptionSpec> {
    vec![DNN_MODEL.spec(), DNN_WORKER.spec(), DNN_LIBRARY.spec(), DNN_PROVIDER.spec()]
}

/// A tree search that asks a policy-value net, for the game of the net.
pub fn tree_search(net: Arc<dyn Backend>, time: Arc<dyn TimeSource>) -> Box<dyn Engine> {
    match net.shape().game {
        Game::Shogi => Box::new(Puct::<Shogi>::new(time, net)),
        Game::Minishogi => Box::new(Puct::<Minishogi>::new(time, net)),
    }
}

/// The tree search with the net inside the executable.
pub fn shipped_tree_search(game: Game, time: Arc<dyn TimeSource>) -> Box<dyn Engine> {
    match load("", game) {
        Ok(net) => tree_search(net, time),
        // Only a damaged executable has none.
        Err(_) => search(game, &crate::shipped::shipped(game), time),
    }
}

/// Which net, and what computes it, as options say it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct NetChoice {
    pub model: String,
    pub worker: String,
    pub library: String,
    pub provider: String,
}

impl NetChoice {
    /// By the value of each option.
    pub fn of(value: impl Fn(&OptionKey<String>) -> String) -> Self {
        Self {
            model: value(&DNN_MODEL),
            worker: value(&DNN_WORKER),
            library: value(&DNN_LIBRARY),
            provider: value(&DNN_PROVIDER),
        }
    }

    /// The net, ready to be asked.
    pub fn open(
        &self,
        game: Game,
        time: &Arc<dyn TimeSource>,
    ) -> Result<Arc<dyn Backend>, DeepError> {
        if !self.worker.is_empty() {
            return start(&self.worker, &self.model, game, time);
        }
        if self.is_onnx() {
            return self.open_onnx(find(Path::new(&self.model)), game);
        }
        load(&self.model, game)
    }

    fn is_onnx(&self) -> bool {
        let ending = Path::new(&self.model).extension();
        ending.is_some_and(|ending| ending.eq_ignore_ascii_case("onnx"))
    }

    fn open_onnx(&self, path: PathBuf, game: Game) -> Result<Arc<dyn Backend>, DeepError> {
        let provider = Provider::by_name(&self.provider).unwrap_or_default();
        let search = Search::usual(&self.library);
        let net = Onnx::open(&onnx::Settings { model: path.clone(), search, provider })?;
        of_game(Arc::new(net), path, game)
    }
}

/// A net for many engines: weights that this program computes with are loaded once.
#[derive(Clone)]
pub struct LoadedNet {
    choice: NetChoice,
    game: Game,
    weights: Option<Arc<Net>>,
    about: String,
    fingerprint: String,
}

impl LoadedNet {
    /// Loads it, or tries it once where something else computes it.
    pub fn load(
        choice: NetChoice,
        game: Game,
        time: &Arc<dyn TimeSource>,
    ) -> Result<Self, DeepError> {
        if choice.worker.is_empty() && !choice.is_onnx() {
            let weights = load_weights(&choice.model, game)?;
            let about = Native::new(Arc::clone(&weights)).describe();
            let fingerprint = match choice.model.as_str() {
                "" => fingerprint(game)?,
                name => {
                    let path = find(Path::new(name));
                    let bytes = std::fs::read(&path).map_err(|e| {
                        let source = FileError::from(e);
                        DeepError::File { path: path.clone(), source }
                    })?;
                    named(&weights, &bytes, game)
                }
            };
            return Ok(Self { choice, game, weights: Some(weights), about, fingerprint });
        }
        let about = choice.open(game, time)?.describe();
        let bytes = std::fs::read(find(Path::new(&choice.model))).unwrap_or_default();
        let sum = crc32fast::hash(&bytes);
        let fingerprint = format!("policy-value {} ({game}) {sum:08x} {}", about, bytes.len());
        Ok(Self { choice, game, weights: None, about, fingerprint })
    }

    /// For one engine.
    pub fn backend(&self, time: &Arc<dyn TimeSource>) -> Result<Arc<dyn Backend>, DeepError> {
        match &self.weights {
            Some(weights) => Ok(Arc::new(Native::new(Arc::clone(weights)))),
            None => self.choice.open(self.game, time),
        }
    }

    /// One line for people.
    pub fn describe(&self) -> &str {
        &self.about
    }

    /// A text that tells it from other nets.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }
}

/// The net, if it is for the game.
fn of_game(
    net: Arc<dyn Backend>,
    path: PathBuf,
    game: Game,
) -> Result<Arc<dyn Backend>, DeepError> {
    let found = net.shape().game;
    if found == game { Ok(net) } else { Err(DeepError::Game { path, found, game }) }
}

/// The net inside the executable. How each came to be is in nets/LEDGER.md.
const fn shipped(game: Game) -> &'static [u8] {
    match game {
        Game::Shogi => include_bytes!("../../../nets/shogi-5x64.nued"),
        Game::Minishogi => include_bytes!("../../../nets/minishogi-5x64.nued"),
    }
}

/// Why there is no net for the tree search.
#[derive(Debug, thiserror::Error)]
pub enum DeepError {
    /// The file cannot be used.
    #[error("{} is not a policy-value net that can be used: {source}", path.display())]
    File { path: PathBuf, source: FileError },
    /// The net inside cannot be used.
    #[error("the policy-value net inside this program cannot be used: {0}")]
    Shipped(FileError),
    #[error("DNN_Worker is not a command line: {0}")]
    Command(String),
    #[error(transparent)]
    Worker(#[from] StartError),
    /// Workers that cannot share batches.
    #[error(
        "the nets of the programs in DNN_Worker differ: one is for {shape}, another for {other}"
    )]
    Mixed { shape: Shape, other: Shape },
    #[error(transparent)]
    Onnx(#[from] OpenError),
    /// It is for the other game.
    #[error("{} is a policy-value net for {found}, the game is {game}", path.display())]
    Game {
        path: PathBuf,
        /// The game it is for.
        found: Game,
        /// The game that is played.
        game: Game,
    },
}

/// A net for a game: the file of that name, looked for where the program was started and then
/// beside the executable; the one inside the executable if there is no name.
pub fn load(name: &str, game: Game) -> Result<Arc<dyn Backend>, DeepError> {
    Ok(Arc::new(Native::new(load_weights(name, game)?)))
}

fn load_weights(name: &str, game: Game) -> Result<Arc<Net>, DeepError> {
    if name.is_empty() {
        return Ok(Arc::new(Net::from_bytes(shipped(game)).map_err(DeepError::Shipped)?));
    }
    let path = find(Path::new(name));
    let net = Net::load(&path).map_err(|source| DeepError::File { path: path.clone(), source })?;
    let found = net.shape().game;
    if found == game { Ok(Arc::new(net)) } else { Err(DeepError::Game { path, found, game }) }
}

/// The net inside the executable as the ledger of nets names it: kind, game, checksum and length.
pub fn fingerprint(game: Game) -> Result<String, DeepError> {
    let bytes = shipped(game);
    let net = Net::from_bytes(bytes).map_err(DeepError::Shipped)?;
    Ok(named(&net, bytes, game))
}

/// The name of a net and its file.
fn named(net: &Net, bytes: &[u8], game: Game) -> String {
    let (blocks, channels) = (net.architecture().blocks, net.architecture().channels);
    // The file ends with its checksum.
    let checksum = bytes.last_chunk().map_or(0, |end| u32::from_le_bytes(*end));
    format!("policy-value {blocks}x{channels} ({game}) {checksum:08x} {}", bytes.len())
}

/// A net that other programs compute, as a rule PyTorch on a GPU.
fn start(
    commands: &str,
    name: &str,
    game: Game,
    time: &Arc<dyn TimeSource>,
) -> Result<Arc<dyn Backend>, DeepError> {
    Ok(Workers::start(commands, name, game, time)?.backend())
}

/// Programs that compute a net and share the batches. They stay while nets change.
#[derive(Debug)]
pub struct Workers {
    all: Vec<Arc<Worker>>,
}

impl Workers {
    /// Starts each command of `commands`, which a semicolon that stands alone separates, followed by the file it
    /// is to load where one is named.
    pub fn start(
        commands: &str,
        name: &str,
        game: Game,
        time: &Arc<dyn TimeSource>,
    ) -> Result<Self, DeepError> {
        let wrong = || DeepError::Command(commands.to_owned());
        let words = shlex::split(commands).ok_or_else(wrong)?;
        let each: Vec<&[String]> = words.split(|word| word == ";").collect();
        if each.iter().any(|words| words.is_empty()) {
            return Err(wrong());
        }
        // All at once: each takes its time until it is there.
        let all = thread::scope(|scope| {
            let start = |words: &[String]| {
                let (program, words, time) = (words[0].clone(), words.to_vec(), Arc::clone(time));
                thread::Builder::new()
                    .spawn_scoped(scope, move || start_one(words, name, game, time))
                    .map_err(|source| StartError::Spawn { program, source })
            };
            let starting: Vec<_> = each.into_iter().map(start).collect();
            let started = starting
                .into_iter()
                .map(|one| one?.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            started.collect::<Result<Vec<_>, DeepError>>()
        })?;
        let Some(shape) = all.first().map(|worker| worker.shape()) else { return Err(wrong()) };
        if let Some(other) = all.iter().map(|worker| worker.shape()).find(|&other| other != shape) {
            return Err(DeepError::Mixed { shape, other });
        }
        Ok(Self { all })
    }

    /// All of them as one.
    pub fn backend(&self) -> Arc<dyn Backend> {
        match self.all.as_slice() {
            [worker] => Arc::clone(worker) as Arc<dyn Backend>,
            all => {
                let all = all.iter().map(|worker| Arc::clone(worker) as Arc<dyn Backend>);
                Arc::new(Split::new(all.collect()))
            }
        }
    }

    /// Lets them go on with another net of the same kind. After an error they are not to be asked again.
    pub fn load(&self, name: &str) -> Result<(), DeepError> {
        let file = find(Path::new(name)).to_string_lossy().into_owned();
        Ok(self.all.iter().try_for_each(|worker| worker.load(&file))?)
    }
}

fn start_one(
    words: Vec<String>,
    name: &str,
    game: Game,
    time: Arc<dyn TimeSource>,
) -> Result<Arc<Worker>, DeepError> {
    let found = || find(Path::new(name)).to_string_lossy().into_owned();
    let net = (!name.is_empty()).then(found);
    let canaries = |shape| infer::random_positions(shape, CANARIES.0, CANARIES.1);
    let settings = Settings { net, ..Settings::new(words) };
    Ok(Arc::new(Worker::start(settings, game, Box::new(canaries), time)?))
}

/// The file meant by a path: interfaces start engines in folders of their own choice.
fn find(path: &Path) -> PathBuf {
    if path.exists() {
        return path.to_owned();
    }
    let executable = std::env::current_exe().ok();
    let beside = executable.and_then(|exe| Some(exe.parent()?.join(path)));
    beside.filter(|beside| beside.exists()).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nets_inside_are_those_of_the_ledger() {
        let ledger = include_str!("../../../nets/ledger.toml");
        for game in Game::ALL {
            let name = fingerprint(game).unwrap();
            assert_eq!(ledger.matches(&name).count(), 2, "shipped, and how it was made: {name}");
        }
    }

    #[test]
    fn programs_that_compute_nothing_are_refused_with_a_sentence() {
        for (command, why) in [
            ("\"unclosed", "DNN_Worker"),
            ("/nowhere/worker", "/nowhere/worker"),
            // It ends without a word, or says what is no introduction.
            ("true", "\"true\""),
            ("echo hello", "\"echo\""),
            ("; true", "DNN_Worker"),
            ("", "DNN_Worker"),
        ] {
            let time: Arc<dyn TimeSource> = Arc::new(think::WallTime::start());
            let text = start(command, "", Game::Minishogi, &time).err().map(|e| e.to_string());
            assert!(text.as_ref().is_some_and(|text| text.contains(why)), "{command}: {text:?}");
        }
    }

    #[test]
    fn an_onnx_file_asks_for_the_library_that_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let net = folder.path().join("net.ONNX");
        std::fs::write(&net, "no net").unwrap();
        let choice = NetChoice {
            model: net.display().to_string(),
            library: "/nowhere/libonnxruntime.so".to_owned(),
            ..NetChoice::default()
        };
        let time: Arc<dyn TimeSource> = Arc::new(think::WallTime::start());
        let text = choice.open(Game::Shogi, &time).err().map(|e| e.to_string()).unwrap();
        assert!(
            text.contains("/nowhere/libonnxruntime.so") && text.contains("DNN_Library"),
            "{text}"
        );
    }

    #[test]
    fn what_cannot_be_used_is_refused_with_a_sentence() {
        for game in Game::ALL {
            assert_eq!(load("", game).map(|net| net.shape().game).ok(), Some(game));
            let text = load("no such net.nued", game).err().map(|e| e.to_string());
            assert!(text.is_some_and(|text| text.contains("no such net.nued")));
        }
    }
}
