//! The steps of one generation: self-play, division of the games, training, gate, entry.
//!
//! Each step is a call into the room that does it, and is written down as the command that repeats
//! it by hand. A step that is done is not done again, and one that was interrupted goes on. Only the
//! trainer in PyTorch is another program.

use crate::commands::{self, CommandLine};
use crate::error::LabError;
use crate::external;
use crate::folder::GenerationFolder;
use crate::gate::Gate;
use crate::history::{self, Step};
use crate::ledger::Generation;
use crate::losses;
use crate::observer::Observer;
use crate::selfplay::SelfPlay;
use crate::shape::Shape;
use arena::MatchRunner;
use arena::opening::PlyRange;
use arena::opening_maker::OpeningSettings;
use arena::progress::MatchProgress;
use arena::request::MatchRequest;
use arena::selfplay::file::Existing;
use arena::spec::escape;
use assembly::Evaluation;
use assembly::evaluation::MATERIAL;
use corpus::Target;
use corpus::split::{self, Split};
use durable::Draft;
use rules::Game;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;
use std::time::{Instant, SystemTime};
use teacher::Reader;
use trainer::{Stored, TOLERANCE, TrainingOptions, TrainingRequest};

/// What the trainer in PyTorch leaves out, as our own does by itself.
const FILTERS: &str = "--no-check --quiet --no-random --clamp 3000";

/// The word after which everything is for `nue data stream`.
const STREAM_OPTIONS: &str = "--stream-options";

/// How generations are made. Where a step's settings name files, seeds or processors, those of the
/// generation are put in their place.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The program itself, which the trainer in PyTorch starts to read data, and its version.
    pub program: PathBuf,
    pub version: String,
    pub game: Game,
    /// Every generation takes its own from it.
    pub seed: u64,
    /// Games at a time, and threads of training.
    pub threads: NonZeroUsize,
    pub selfplay: SelfPlay,
    /// Share of the games kept apart to measure on.
    pub validation: f64,
    /// Architecture of a first net.
    pub architecture: String,
    /// Train from random numbers instead of the current net.
    pub from_scratch: bool,
    pub trainer: Trainer,
    pub gate: MatchRequest,
}

/// What trains.
#[derive(Clone, Debug)]
pub enum Trainer {
    /// Room `trainer`, on this machine's cores.
    Own(Box<TrainingOptions>),
    /// The trainer in PyTorch: the Python to run it with, and more words for it.
    Python { program: PathBuf, words: Vec<String> },
}

/// The steps of one generation.
pub struct Steps<'a> {
    pub settings: &'a Settings,
    pub folder: &'a GenerationFolder,
    /// The current net; `None`: piece values alone.
    pub parent: Option<&'a Path>,
    /// Makes our engines and has the time; when it is told to abandon, the step that runs ends as
    /// soon as it can be resumed.
    pub runner: &'a MatchRunner,
    pub observer: &'a mut dyn Observer,
}

impl Steps<'_> {
    /// All of them; what is left is to keep the entry.
    pub fn run(&mut self, earlier: &[PathBuf]) -> Result<Generation, LabError> {
        self.play()?;
        self.split()?;
        let gate = if self.train(earlier)? { self.gate()? } else { Gate::without_candidate() };
        self.entry(gate)
    }

    /// Does a step and writes it down.
    fn step<T>(
        &mut self,
        command: &CommandLine,
        work: impl FnOnce(&MatchRunner, &mut dyn Observer) -> Result<T, LabError>,
    ) -> Result<T, LabError> {
        if self.is_interrupted() {
            return Err(LabError::Interrupted);
        }
        let command = command.to_string();
        self.observer.step(&command);
        let started = Instant::now();
        let done = work(self.runner, self.observer);
        self.observer.step_over();
        let done = done?;
        history::add(self.folder, &Step { command, seconds: started.elapsed().as_secs_f64() })?;
        Ok(done)
    }

    fn is_interrupted(&self) -> bool {
        self.runner.abandoned.load(Ordering::Relaxed)
    }

    fn seed(&self) -> u64 {
        self.folder.seed(self.settings.seed)
    }

    fn parent_path(&self) -> &Path {
        self.parent.unwrap_or(Path::new(MATERIAL))
    }

    fn play(&mut self) -> Result<(), LabError> {
        let settings = self.settings;
        let mut request = SelfPlay {
            out: self.folder.games(),
            existing: Existing::Resume,
            net: Some(self.parent_path().to_owned()),
            threads: Some(settings.threads.get()),
            ..settings.selfplay.clone()
        };
        request.settings.game = settings.game;
        request.settings.seed = self.seed();
        self.step(&commands::selfplay(&request), |runner, observer| {
            let ended = request.run(&runner.time, &runner.abandoned, observer)?;
            let interrupted = ended.is_some_and(|ended| ended.interrupted);
            if interrupted { Err(LabError::Interrupted) } else { Ok(()) }
        })
    }

    fn split(&mut self) -> Result<(), LabError> {
        if self.folder.is_split() {
            return Ok(());
        }
        let (settings, folder) = (self.settings, self.folder);
        let target = |path| Target { path, force: true, resume: false };
        let inputs = corpus::Inputs {
            paths: vec![folder.games()],
            format: None,
            game: settings.game,
            damaged: corpus::Damaged::Stop,
            stop: None,
        };
        let request = Split {
            inputs,
            train: target(folder.train()),
            validation: target(folder.validation()),
            share: settings.validation,
            seed: self.seed(),
        };
        self.step(&commands::split(&request), |_, _| Ok(split::run(&request, &|_| ()).map(drop)?))
    }

    /// Training, on these games and on earlier ones. Whether there is a new net.
    fn train(&mut self, earlier: &[PathBuf]) -> Result<bool, LabError> {
        if !self.folder.is_trained() {
            let mut data = vec![self.folder.train()];
            data.extend_from_slice(earlier);
            match &self.settings.trainer {
                Trainer::Own(options) => self.train_here(options, data)?,
                Trainer::Python { program, words } => {
                    self.train_in_python(program, words, &data)?;
                }
            }
            self.folder.set_trained()?;
        }
        Ok(self.folder.net().exists())
    }

    fn initial_net(&self) -> Option<PathBuf> {
        self.parent.filter(|_| !self.settings.from_scratch).map(Path::to_owned)
    }

    fn training_request(&self, options: &TrainingOptions, data: Vec<PathBuf>) -> TrainingRequest {
        let from = self.initial_net();
        let first = || self.settings.architecture.clone();
        TrainingRequest {
            data,
            validation: vec![self.folder.validation()],
            game: self.settings.game,
            out: self.folder.net(),
            architecture: from.is_none().then(first),
            from,
            seed: self.seed(),
            threads: Some(self.settings.threads),
            resume: true,
            force: false,
            options: options.clone(),
        }
    }

    fn train_here(
        &mut self,
        options: &TrainingOptions,
        data: Vec<PathBuf>,
    ) -> Result<(), LabError> {
        let request = self.training_request(options, data);
        self.step(&commands::training(&request), |_, observer| {
            let mut observer = observer.training(request.options.checkpoint_every);
            let ended = request.run()?.start(&mut *observer)?;
            if ended.stopped { Err(LabError::Interrupted) } else { Ok(()) }
        })
    }

    fn train_in_python(
        &mut self,
        python: &Path,
        more: &[String],
        data: &[PathBuf],
    ) -> Result<(), LabError> {
        let (settings, folder) = (self.settings, self.folder);
        let shape: Shape = settings.architecture.parse()?;
        let mut line = CommandLine::new(python, "-m nue_trainer train");
        line.pair("--nue", settings.program.display()).word("--data");
        for path in data {
            line.word(path.display());
        }
        line.pair("--validation", folder.validation().display());
        line.pair("--out", folder.float().display()).word("--resume");
        for word in shape.words() {
            line.word(word);
        }
        if let Some(net) = self.initial_net() {
            let float = folder.initial_float();
            self.step(&commands::net("convert", &net, &float), |_, _| {
                let real = Stored::load(&net)?.into_real();
                write_whole(&float, |to| real.write(to))
            })?;
            line.pair("--init", float.display());
        }
        line.word("--mirror").pair("--seed", self.seed());
        for word in more {
            line.word(word);
        }
        // Everything after this word is for "nue data stream", so it comes last.
        if !more.iter().any(|word| word == STREAM_OPTIONS) {
            line.word(STREAM_OPTIONS);
            for word in FILTERS.split_whitespace() {
                line.word(word);
            }
        }
        self.step(&line, |runner, _| {
            let mut command = Command::new(python);
            command.args(line.words()).stdout(Stdio::null());
            external::run(command, &line.to_string(), &runner.abandoned)
        })?;
        let (float, net) = (folder.float(), folder.net());
        self.step(&commands::net("import", &float, &net), |_, _| {
            let imported = trainer::import(&Stored::load_real(&float)?, TOLERANCE)?;
            write_whole(&net, |to| imported.net.write(to))
        })
    }

    /// New against current.
    fn gate(&mut self) -> Result<Gate, LabError> {
        let (settings, folder) = (self.settings, self.folder);
        let mut request = MatchRequest {
            engines: vec![
                gate_engine("new", &folder.net()),
                gate_engine("current", self.parent_path()),
            ],
            game: settings.game,
            seed: self.seed(),
            concurrency: settings.threads.get(),
            out: Some(folder.gate_games()),
            resume: folder.gate_games().exists(),
            ..settings.gate.clone()
        };
        if request.openings.is_none() {
            self.make_openings()?;
            request.openings = Some(folder.openings());
        }
        // Our engine plays on with what is inside it when a net cannot be read, which would make
        // the match about something else.
        for path in [&*folder.net(), self.parent_path()] {
            Evaluation::load(path, settings.game, nnue::DEFAULT_FV_SCALE)?;
        }
        self.step(&commands::game_match(&request), |runner, observer| {
            let (plan, warnings) = request.plan()?;
            warnings.iter().for_each(|warning| observer.note(&format!("warning: {warning}")));
            for index in 0..plan.engines.len() {
                runner.try_out(&plan, index).map_err(|fault| {
                    LabError::Gate(format!("engine {:?}: {fault}", plan.engines[index].name))
                })?;
            }
            let mut progress = MatchProgress::begin(&plan, request.options())?;
            progress.play(runner, SystemTime::now, observer)?;
            if let Some(name) = progress.broken_engine() {
                return Err(LabError::Gate(format!("the match was stopped: {name} does not work")));
            }
            if progress.is_unfinished() && progress.is_over().is_none() {
                return Err(LabError::Interrupted);
            }
            let result = progress.summary(progress.is_over()).json();
            write_whole(&folder.gate_result(), |to| writeln!(to, "{result}"))?;
            Ok(Gate::of(&progress))
        })
    }

    fn make_openings(&mut self) -> Result<(), LabError> {
        let (settings, path) = (self.settings, self.folder.openings());
        if path.is_file() {
            return Ok(());
        }
        // One for every pair: players that count nodes repeat their games from one that comes again.
        let pairs = settings.gate.games.div_ceil(2).max(1) as usize;
        let openings = OpeningSettings {
            game: settings.game,
            count: pairs,
            plies: PlyRange { first: 6, last: 10 },
            margin: 200,
            nodes: 2000,
            seed: self.seed(),
            concurrency: settings.threads.get(),
            ..OpeningSettings::default()
        };
        self.step(&commands::openings(&openings, &path, true), |runner, observer| {
            let mut told =
                |made: usize, candidates: u64| observer.openings(made, pairs, candidates);
            let made = openings.write(&path, true, runner, &mut told)?;
            if made < pairs {
                observer.note(&format!("only {made} of {pairs} openings were found"));
            }
            Ok(())
        })
    }

    /// What the files of the generation say.
    fn entry(&self, gate: Gate) -> Result<Generation, LabError> {
        let (settings, folder) = (self.settings, self.folder);
        let (games, positions) = counted(&folder.games())?;
        let log = match &settings.trainer {
            Trainer::Own(options) => self.training_request(options, Vec::new()).files().log,
            Trainer::Python { .. } => PathBuf::from(format!("{}.jsonl", folder.float().display())),
        };
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

/// Our own engine with a net, as a match wants it described.
fn gate_engine(name: &str, net: &Path) -> String {
    let net = escape(&net.display().to_string());
    format!("cmd=self,name={name},option.EvalDir={net},option.Threads=1,option.USI_Hash=16")
}

/// A file that appears whole, in the place of one that may be there.
fn write_whole(
    path: &Path,
    fill: impl FnOnce(&mut Draft) -> io::Result<()>,
) -> Result<(), LabError> {
    let written = Draft::new(path).and_then(|mut draft| {
        fill(&mut draft)?;
        draft.flush()?;
        draft.publish(true)
    });
    written.map_err(|e| LabError::at(path, &e))
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
pub fn commit(program: &Path) -> Option<String> {
    let output = Command::new("git")
        .args(["rev-parse", "HEAD"])
        .current_dir(program.parent()?)
        .output()
        .ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
