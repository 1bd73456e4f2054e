//! Training: the trainer in PyTorch, on the games of the window, from the net before.

use crate::error::RunError;
use crate::plan::LoopSettings;
use crate::trainer_process::TrainerProcess;
use lab::commands::CommandLine;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

/// What trains, on this machine: none of it changes what is learned.
#[derive(Clone, Debug, Default)]
pub struct Trainer {
    /// The Python to run it with.
    pub python: PathBuf,
    /// `auto`, `cpu`, `cuda`, …
    pub device: String,
    /// Our own executable, which reads the games for it.
    pub program: PathBuf,
    /// More words for it, as typed.
    pub words: Vec<String>,
}

/// One training.
#[derive(Clone, Debug)]
pub(crate) struct Order<'a> {
    pub(crate) data: Vec<PathBuf>,
    /// The checkpoint, or the net, to begin from.
    pub(crate) from: Option<PathBuf>,
    /// What a share of the positions is drawn from instead.
    pub(crate) mixed: Option<Mixed>,
    /// The share that what was written before has in what is written now.
    pub(crate) average: f64,
    pub(crate) out: PathBuf,
    pub(crate) epochs: u32,
    /// The learning rate, which falls to the other by a cosine.
    pub(crate) rate: f64,
    pub(crate) rate_end: f64,
    pub(crate) seed: u64,
    pub(crate) settings: &'a LoopSettings,
}

/// Other positions, of which every step has a share.
#[derive(Clone, Debug)]
pub(crate) struct Mixed {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) share: f64,
}

/// Where the trainer keeps the state of a net it has written.
pub(crate) fn checkpoint(net: &Path) -> PathBuf {
    let mut name = net.as_os_str().to_owned();
    name.push(".checkpoint");
    PathBuf::from(name)
}

/// Its log.
pub(crate) fn log(net: &Path) -> PathBuf {
    let mut name = net.as_os_str().to_owned();
    name.push(".jsonl");
    PathBuf::from(name)
}

impl Trainer {
    /// The command. Paths are as the folder of the run has them, so that a run whose folder was moved goes
    /// on as if it had not been.
    pub(crate) fn command(&self, order: &Order<'_>) -> CommandLine {
        let (net, training) = (&order.settings.net, &order.settings.training);
        let mut line = CommandLine::new(&self.python, "-m nue_trainer deep");
        line.pair("--nue", self.program.display()).word("--data");
        for path in &order.data {
            line.word(path.display());
        }
        line.pair("--out", order.out.display()).word("--resume").word("--by-file");
        line.pair("--planes", &net.planes);
        line.pair("--blocks", net.blocks).pair("--channels", net.channels);
        if let Some(from) = &order.from {
            line.pair("--init", from.display());
        }
        if let Some(mixed) = &order.mixed {
            line.pair("--mixed-share", mixed.share).word("--mixed");
            for path in &mixed.files {
                line.word(path.display());
            }
        }
        if order.average > 0.0 {
            line.pair("--across", order.average);
        }
        line.pair("--epochs", order.epochs).pair("--batch", training.batch);
        line.pair("--optimiser", &training.optimiser);
        line.pair("--lr", order.rate).pair("--lr-end", order.rate_end);
        line.pair("--blend", training.blend).pair("--visits", training.visits);
        if training.mirror {
            line.word("--mirror");
        }
        line.pair("--seed", order.seed).pair("--device", &self.device);
        for word in &self.words {
            line.word(word);
        }
        line
    }

    /// A process that waits for such commands, in the folder of the run.
    fn start(
        &self,
        shown: &str,
        folder: &Path,
        stop: &AtomicBool,
    ) -> Result<TrainerProcess, RunError> {
        let mut command = Command::new(&self.python);
        command.args(["-m", "nue_trainer", "orders"]).current_dir(folder);
        if let Some(paths) = absolute_python_path() {
            command.env(PYTHON_PATH, paths);
        }
        TrainerProcess::start(command, shown, stop)
    }
}

/// The trainer as it runs: started with the first training, and kept for those that follow.
#[derive(Default)]
pub(crate) struct KeptTrainer(Mutex<Option<TrainerProcess>>);

impl KeptTrainer {
    /// Trains in the folder of the run; whoever sets `stop` breaks it off.
    pub(crate) fn run(
        &self,
        trainer: &Trainer,
        line: &CommandLine,
        folder: &Path,
        stop: &AtomicBool,
    ) -> Result<(), RunError> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // One that fails is not kept.
        let mut process = match kept.take() {
            Some(process) => process,
            None => trainer.start(&line.to_string(), folder, stop)?,
        };
        // Behind "-m nue_trainer deep".
        let words = line.words().get(TRAINING_WORDS..).unwrap_or_default();
        process.train(words, &line.to_string(), stop)?;
        *kept = Some(process);
        Ok(())
    }
}

/// Words of the command that name the training.
const TRAINING_WORDS: usize = 3;

/// Where Python looks for packages.
const PYTHON_PATH: &str = "PYTHONPATH";

/// The same places seen from another folder.
fn absolute_python_path() -> Option<OsString> {
    let here = env::current_dir().ok()?;
    let paths = env::var_os(PYTHON_PATH)?;
    env::join_paths(env::split_paths(&paths).map(|path| here.join(path))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Preset;
    use rules::Game;

    #[test]
    fn the_command_says_what_is_learned_from_what() {
        let settings = Preset::Pal.settings(Game::Minishogi);
        let trainer = Trainer {
            python: "python3".into(),
            device: "cpu".to_owned(),
            program: "/bin/nue".into(),
            words: vec!["--precision".to_owned(), "fp32".to_owned()],
        };
        let order = Order {
            data: vec![
                "generation-0002/games.teacher".into(),
                "generation-0001/games.teacher".into(),
            ],
            from: Some("generation-0001/net.nuedf.checkpoint".into()),
            mixed: None,
            average: 0.0,
            out: "generation-0002/net.nuedf".into(),
            epochs: 2,
            rate: 0.02,
            rate_end: 0.02,
            seed: 1002,
            settings: &settings,
        };
        let line = trainer.command(&order).to_string();
        assert_eq!(
            line,
            "python3 -m nue_trainer deep --nue /bin/nue --data generation-0002/games.teacher \
             generation-0001/games.teacher --out generation-0002/net.nuedf --resume --by-file --planes minishogi \
             --blocks 5 --channels 64 --init generation-0001/net.nuedf.checkpoint --epochs 2 --batch \
             4096 --optimiser sgd --lr 0.02 --lr-end 0.02 --blend 0.5 --visits 32 --seed 1002 --device \
             cpu --precision fp32"
        );
        let mixed = Some(Mixed { files: vec!["/a".into(), "/b".into()], share: 0.25 });
        let line = trainer.command(&Order { mixed, average: 0.5, ..order.clone() }).to_string();
        let more = ".checkpoint --mixed-share 0.25 --mixed /a /b --across 0.5 --epochs 2";
        assert!(line.contains(more), "{line}");
        assert_eq!(checkpoint(&order.out), Path::new("generation-0002/net.nuedf.checkpoint"));
    }
}
