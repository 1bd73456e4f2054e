//! The steps of one generation: self-play, division of the games, training, gate, entry.
//!
//! A step that is done is not done again, and one that was broken off goes on. Games are divided
//! here; self-play, training and the gate are programs that are started, so that the words a user
//! adds to them mean what they mean there. Each step is written down as the command that repeats it.

use crate::error::LabError;
use crate::folder::GenerationFolder;
use crate::gate::Gate;
use crate::history::{self, Step};
use crate::ledger::Generation;
use crate::losses;
use crate::shape::Shape;
use arena::spec::escape;
use assembly::Evaluation;
use assembly::evaluation::MATERIAL;
use corpus::Target;
use corpus::split::{self, Split};
use rules::Game;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;
use teacher::Reader;

/// Exit code of a training that found nothing better than what it began with.
const NOTHING: i32 = 3;

/// What the trainer in PyTorch leaves out, as `nue train` does by itself.
const FILTERS: &str = "--no-check --quiet --no-random --clamp 3000";

/// The word after which everything is for `nue data stream`.
const STREAM_OPTIONS: &str = "--stream-options";

/// How generations are made.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program whose commands are run, and its version.
    pub program: PathBuf,
    pub version: String,
    pub game: Game,
    /// Of self-play.
    pub positions: u64,
    /// For each move of self-play.
    pub nodes: u64,
    /// Every generation takes its own from it.
    pub seed: u64,
    /// Share of the games kept apart to measure on.
    pub validation: f64,
    /// Architecture of a first net.
    pub architecture: String,
    /// Train from random numbers instead of the current net.
    pub afresh: bool,
    /// Games of the gate at most.
    pub gate_games: u64,
    /// What each side of the gate may use for a move.
    pub gate_limit: String,
    /// When the gate is decided.
    pub gate_sprt: String,
    pub threads: usize,
    /// The Python that trains, instead of this program.
    pub python: Option<PathBuf>,
    /// More words for self-play, training and gate.
    pub more_selfplay: Vec<String>,
    pub more_training: Vec<String>,
    pub more_gate: Vec<String>,
}

/// The steps of one generation.
pub struct Steps<'a> {
    pub settings: &'a Settings,
    pub folder: &'a GenerationFolder,
    /// The current net; `None`: piece values alone.
    pub parent: Option<&'a Path>,
    /// Told the command of each step before it is done.
    pub announce: &'a dyn Fn(&str),
}

impl Steps<'_> {
    /// All of them; what is left is to keep the entry.
    pub fn run(&self, earlier: &[PathBuf]) -> Result<Generation, LabError> {
        self.play()?;
        self.split()?;
        let gate = if self.train(earlier)? { self.gate()? } else { Gate::without_candidate() };
        self.entry(gate)
    }

    fn seed(&self) -> String {
        self.folder.seed(self.settings.seed).to_string()
    }

    fn parent_name(&self) -> String {
        self.parent.map_or_else(|| MATERIAL.to_owned(), shown)
    }

    fn play(&self) -> Result<(), LabError> {
        let settings = self.settings;
        let mut words = Words::new("gen --resume");
        words.pair("--net", &self.parent_name()).pair("--out", &shown(&self.folder.games()));
        words.pair("--game", settings.game.name());
        words.pair("--positions", &settings.positions).pair("--nodes", &settings.nodes);
        words.pair("--seed", &self.seed()).pair("--threads", &settings.threads);
        words.0.extend_from_slice(&settings.more_selfplay);
        self.start(&settings.program, &words, None)
    }

    fn split(&self) -> Result<(), LabError> {
        if self.folder.is_split() {
            return Ok(());
        }
        let (settings, folder) = (self.settings, self.folder);
        let mut words = Words::new("data split --force");
        words.0.push(shown(&folder.games()));
        words.pair("--train", &shown(&folder.train()));
        words.pair("--validation", &shown(&folder.validation()));
        words.pair("--share", &settings.validation).pair("--seed", &self.seed());
        let target = |path| Target { path, force: true, resume: false };
        let request = Split {
            inputs: corpus::Inputs {
                paths: vec![folder.games()],
                format: None,
                game: settings.game,
            },
            train: target(folder.train()),
            validation: target(folder.validation()),
            share: settings.validation,
            seed: folder.seed(settings.seed),
        };
        let command = words.line("nue");
        (self.announce)(&command);
        let started = Instant::now();
        split::run(&request, &|_| ())?;
        history::add(folder, &Step { command, seconds: started.elapsed().as_secs_f64() })
    }

    /// Training, on these games and on earlier ones. Whether there is a new net.
    fn train(&self, earlier: &[PathBuf]) -> Result<bool, LabError> {
        if !self.folder.is_trained() {
            let mut data = vec![shown(&self.folder.train())];
            data.extend(earlier.iter().map(|path| shown(path)));
            match &self.settings.python {
                None => self.train_here(&data)?,
                Some(python) => self.train_in_python(python, &data)?,
            }
            self.folder.set_trained()?;
        }
        Ok(self.folder.net().exists())
    }

    fn initial_net(&self) -> Option<&Path> {
        self.parent.filter(|_| !self.settings.afresh)
    }

    fn train_here(&self, data: &[String]) -> Result<(), LabError> {
        let settings = self.settings;
        let mut words = Words::new("train");
        words.0.extend_from_slice(data);
        words.pair("--validation", &shown(&self.folder.validation()));
        words.pair("--out", &shown(&self.folder.net())).flag("--resume");
        match self.initial_net() {
            Some(net) => words.pair("--from", &shown(net)),
            None => words.pair("--arch", &settings.architecture),
        };
        words.pair("--seed", &self.seed()).pair("--threads", &settings.threads);
        words.0.extend_from_slice(&settings.more_training);
        self.start(&settings.program, &words, None)
    }

    fn train_in_python(&self, python: &Path, data: &[String]) -> Result<(), LabError> {
        let (settings, folder) = (self.settings, self.folder);
        let shape: Shape = settings.architecture.parse()?;
        let mut words = Words::new("-m nue_trainer train");
        words.pair("--nue", &shown(&settings.program)).flag("--data");
        words.0.extend_from_slice(data);
        words.pair("--validation", &shown(&folder.validation()));
        words.pair("--out", &shown(&folder.float())).flag("--resume");
        words.0.extend(shape.words());
        if let Some(net) = self.initial_net() {
            let float = shown(&folder.initial_float());
            let mut convert = Words::new("net convert --force");
            convert.pair("--output", &float).0.push(shown(net));
            self.start(&settings.program, &convert, None)?;
            words.pair("--init", &float);
        }
        words.flag("--mirror").pair("--seed", &self.seed());
        words.0.extend_from_slice(&settings.more_training);
        // Everything after this word is for "nue data stream", so it comes last.
        if !words.0.iter().any(|word| word == STREAM_OPTIONS) {
            words.flag(STREAM_OPTIONS).0.extend(Words::new(FILTERS).0);
        }
        self.start(python, &words, None)?;
        let mut words = Words::new("net import --force");
        words.0.push(shown(&folder.float()));
        words.pair("--output", &shown(&folder.net()));
        self.start(&settings.program, &words, None)
    }

    /// New against current.
    fn gate(&self) -> Result<Gate, LabError> {
        let (settings, folder) = (self.settings, self.folder);
        if !folder.openings().is_file() {
            let mut words = Words::new("openings make --force --nodes 2000");
            words.pair("--count", &settings.gate_games.div_ceil(2).clamp(1, 500));
            words.pair("--margin", &200).pair("--plies", "6-10").pair("--seed", &self.seed());
            words.pair("-j", &settings.threads).pair("--game", settings.game.name());
            words.pair("--out", &shown(&folder.openings()));
            self.start(&settings.program, &words, None)?;
        }
        let engine = |name: &str, net: &str| {
            let net = escape(net);
            format!("cmd=self,name={name},option.EvalDir={net},option.Threads=1,option.USI_Hash=16")
        };
        let mut words = Words::new("match --json");
        if folder.gate_games().exists() {
            words.flag("--resume");
        }
        words.pair("--engine", &engine("new", &shown(&folder.net())));
        words.pair("--engine", &engine("current", &self.parent_name()));
        words.pair("--each", &settings.gate_limit).pair("--games", &settings.gate_games);
        words.pair("--sprt", &settings.gate_sprt).pair("--openings", &shown(&folder.openings()));
        words.pair("--out", &shown(&folder.gate_games())).pair("--game", settings.game.name());
        words.pair("--seed", &self.seed()).pair("-j", &settings.threads);
        words.0.extend_from_slice(&settings.more_gate);
        self.start(&settings.program, &words, Some(&folder.gate_result()))?;
        Gate::read(&folder.gate_result())
    }

    /// Runs a command to its end and writes it down.
    fn start(&self, program: &Path, words: &Words, output: Option<&Path>) -> Result<(), LabError> {
        let own = program == self.settings.program;
        let command = words.line(&if own { "nue".to_owned() } else { shown(program) });
        (self.announce)(&command);
        let started = Instant::now();
        let mut child = Command::new(program);
        child.args(&words.0).stdin(Stdio::null()).stdout(match output {
            Some(path) => File::create(path).map_err(|e| LabError::at(path, &e))?.into(),
            None => Stdio::null(),
        });
        let status = child.status().map_err(|e| LabError::at(program, &e))?;
        // Training that found nothing is over all the same; there is no net then.
        if !status.success() && status.code() != Some(NOTHING) {
            return Err(LabError::Step { status, command });
        }
        history::add(self.folder, &Step { command, seconds: started.elapsed().as_secs_f64() })
    }

    /// What the files of the generation say.
    fn entry(&self, gate: Gate) -> Result<Generation, LabError> {
        let (settings, folder) = (self.settings, self.folder);
        let (games, positions) = counted(&folder.games())?;
        let trained = if settings.python.is_some() { folder.float() } else { folder.net() };
        let log = PathBuf::from(format!("{}.jsonl", trained.display()));
        let best = losses::best(&log);
        let steps = history::read(folder)?;
        let net = folder.net();
        Ok(Generation {
            game: settings.game.name().to_owned(),
            line: None,
            generation: folder.number,
            parent: self.parent.map_or_else(|| Ok(MATERIAL.to_owned()), fingerprint)?,
            net: if net.exists() { fingerprint(&net)? } else { "none".to_owned() },
            accepted: gate.accepted,
            verdict: gate.verdict,
            wins: gate.wins,
            draws: gate.draws,
            losses: gate.losses,
            elo: gate.elo,
            games,
            positions,
            seed: settings.seed,
            loss: best.map(|best| best.loss),
            epochs: best.and_then(|best| best.epoch),
            version: settings.version.clone(),
            commit: commit(&settings.program),
            machine: assembly::health::machine_name(),
            seconds: steps.iter().map(|step| step.seconds).sum::<f64>().round(),
            note: None,
            commands: steps.into_iter().map(|step| step.command).collect(),
        })
    }
}

impl std::fmt::Debug for Steps<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Steps").field("folder", self.folder).finish_non_exhaustive()
    }
}

/// Words of a command line.
struct Words(Vec<String>);

impl Words {
    fn new(text: &str) -> Self {
        Self(text.split_whitespace().map(str::to_owned).collect())
    }

    fn flag(&mut self, name: &str) -> &mut Self {
        self.0.push(name.to_owned());
        self
    }

    fn pair(&mut self, name: &str, value: &(impl ToString + ?Sized)) -> &mut Self {
        self.0.extend([name.to_owned(), value.to_string()]);
        self
    }

    fn line(&self, program: &str) -> String {
        history::command_line(program, self.0.iter().map(String::as_str))
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Architecture, checksum and length of a net.
fn fingerprint(path: &Path) -> Result<String, LabError> {
    let evaluation = Evaluation::find(path, nnue::DEFAULT_FV_SCALE)?;
    evaluation.fingerprint().map_err(|e| LabError::at(path, &e))
}

fn counted(path: &Path) -> Result<(u64, u64), LabError> {
    let file = File::open(path).map_err(|e| LabError::at(path, &e))?;
    let reader = Reader::new(BufReader::new(file)).map_err(|e| LabError::at(path, &e))?;
    let survey = reader.survey().map_err(|e| LabError::at(path, &e))?;
    Ok((survey.games, survey.positions))
}

/// The commit the program was built from, where it lies in its repository.
fn commit(program: &Path) -> Option<String> {
    let output = Command::new("git")
        .args(["rev-parse", "HEAD"])
        .current_dir(program.parent()?)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
