//! The steps of a generation, each a command of this program.

use super::args::LearnArgs;
use super::{at, evaluation_name, say, write_whole};
use crate::failure::{Failure, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// Games of self-play.
const GAMES: &str = "games.teacher";
/// Those learned from.
pub(super) const TRAIN: &str = "train.teacher";
/// Those measured on.
const CHECK: &str = "check.teacher";
/// The net that was learned.
const NET: &str = "net.bin";
/// The same in real numbers, from the other trainer.
const FLOAT: &str = "net.nuef";
/// The current net in real numbers, for the other trainer to begin from.
const BEGINNING: &str = "beginning.nuef";
/// What the other trainer leaves out, as "nue train" does by itself.
const FILTERS: &str = "--no-check --quiet --no-random --clamp 3000";
/// Games of the gate.
const GATE: &str = "gate.csa";
/// Result of the gate.
const RESULT: &str = "gate.json";
/// The commands, in order.
const HISTORY: &str = "steps.jsonl";
/// Opening positions of the gate.
const OPENINGS: &str = "gate.openings";

/// What the gate found.
pub(super) struct Gate {
    pub(super) accepted: bool,
    /// The pairing as "nue match --json" tells it.
    pub(super) pairing: Value,
    pub(super) verdict: String,
}

impl Gate {
    /// There is nothing to judge: training found nothing better than what it began with.
    pub(super) fn without_candidate() -> Self {
        let verdict = "no candidate: training found nothing better than the current net";
        Self { accepted: false, pairing: Value::Null, verdict: verdict.to_owned() }
    }
}

/// A command that was run.
#[derive(Serialize, Deserialize)]
pub(super) struct Done {
    pub(super) command: String,
    pub(super) seconds: f64,
}

/// The steps of one generation.
pub(super) struct Steps<'a> {
    pub(super) args: &'a LearnArgs,
    pub(super) number: u32,
    pub(super) folder: &'a Path,
    pub(super) parent: Option<&'a Path>,
    program: PathBuf,
}

impl<'a> Steps<'a> {
    pub(super) fn new(
        args: &'a LearnArgs,
        number: u32,
        folder: &'a Path,
        parent: Option<&'a Path>,
    ) -> Result<Self, Failure> {
        let program = std::env::current_exe()
            .map_err(|e| Failure::failed(format!("where this program lies is not known: {e}")))?;
        Ok(Self { args, number, folder, parent, program })
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(super) fn net(&self) -> PathBuf {
        self.file(NET)
    }

    pub(super) fn games(&self) -> PathBuf {
        self.file(GAMES)
    }

    /// Losses of the training.
    pub(super) fn losses(&self) -> PathBuf {
        let trained = if self.args.python.is_some() { FLOAT } else { NET };
        self.file(&format!("{trained}.jsonl"))
    }

    /// A seed of its own for every generation.
    fn seed(&self) -> String {
        (self.args.seed.wrapping_mul(1000).wrapping_add(u64::from(self.number))).to_string()
    }

    fn threads(&self) -> String {
        self.args.threads().to_string()
    }

    /// Self-play; goes on where it was.
    pub(super) fn play(&mut self) -> Outcome {
        let mut words = words(&["gen", "--resume", "--net"]);
        words.push(evaluation_name(self.parent));
        words.extend(["--out".to_owned(), shown(&self.file(GAMES))]);
        words.extend(["--game", self.args.game.game.name()].map(str::to_owned));
        words.extend(["--positions".to_owned(), self.args.positions.to_string()]);
        words.extend(["--nodes".to_owned(), self.args.nodes.to_string()]);
        words.extend(["--seed".to_owned(), self.seed(), "--threads".to_owned(), self.threads()]);
        words.extend(more(&self.args.gen_words));
        self.run_self(&words, None)
    }

    /// Games into those to learn from and those to measure on.
    pub(super) fn split(&mut self) -> Outcome {
        if self.file(TRAIN).is_file() && self.file(CHECK).is_file() {
            return Ok(());
        }
        let mut words = words(&["data", "split", "--force"]);
        words.push(shown(&self.file(GAMES)));
        words.extend(["--train".to_owned(), shown(&self.file(TRAIN))]);
        words.extend(["--validation".to_owned(), shown(&self.file(CHECK))]);
        words.extend(["--share".to_owned(), self.args.validation.to_string()]);
        words.extend(["--seed".to_owned(), self.seed()]);
        self.run_self(&words, None)
    }

    /// Training, on these games and on earlier ones. Whether there is a new net.
    pub(super) fn train(&mut self, earlier: &[PathBuf]) -> Result<bool, Failure> {
        let finished = self.file("trained");
        if !finished.exists() {
            let mut data = vec![shown(&self.file(TRAIN))];
            data.extend(earlier.iter().map(|path| shown(path)));
            match &self.args.python {
                None => self.train_here(&data)?,
                Some(python) => self.train_there(&python.clone(), &data)?,
            }
            write_whole(&finished, b"")?;
        }
        Ok(self.net().exists())
    }

    fn beginning(&self) -> Option<&'a Path> {
        self.parent.filter(|_| !self.args.afresh)
    }

    fn train_here(&mut self, data: &[String]) -> Outcome {
        let mut words = words(&["train"]);
        words.extend(data.iter().cloned());
        words.extend(["--validation".to_owned(), shown(&self.file(CHECK))]);
        words.extend(["--out".to_owned(), shown(&self.net()), "--resume".to_owned()]);
        match self.beginning() {
            Some(net) => words.extend(["--from".to_owned(), shown(net)]),
            None => words.extend(["--arch".to_owned(), self.args.arch.clone()]),
        }
        words.extend(["--seed".to_owned(), self.seed(), "--threads".to_owned(), self.threads()]);
        words.extend(more(&self.args.train_words));
        self.run_self(&words, None)
    }

    fn train_there(&mut self, python: &Path, data: &[String]) -> Outcome {
        let shape = Shape::of(&self.args.arch)?;
        let mut list = words(&["-m", "nue_trainer", "train", "--nue"]);
        list.push(shown(&self.program));
        list.push("--data".to_owned());
        list.extend(data.iter().cloned());
        list.extend(["--validation".to_owned(), shown(&self.file(CHECK))]);
        list.extend(["--out".to_owned(), shown(&self.file(FLOAT)), "--resume".to_owned()]);
        list.extend(["--features".to_owned(), shape.features]);
        for (name, number) in ["--width", "--hidden1", "--hidden2"].iter().zip(shape.widths) {
            list.extend([(*name).to_owned(), number.to_string()]);
        }
        if let Some(net) = self.beginning() {
            let float = shown(&self.file(BEGINNING));
            let mut convert = words(&["net", "convert", "--force", "--output"]);
            convert.extend([float.clone(), shown(net)]);
            self.run_self(&convert, None)?;
            list.extend(["--init".to_owned(), float]);
        }
        list.extend(["--mirror", "--seed"].map(str::to_owned));
        list.push(self.seed());
        list.extend(more(&self.args.train_words));
        // Everything after this word is for "nue data stream", so it comes last.
        if !list.iter().any(|word| word == STREAM_OPTIONS) {
            list.push(STREAM_OPTIONS.to_owned());
            list.extend(more(FILTERS));
        }
        self.run(python, &list, None)?;
        let mut list = words(&["net", "import", "--force"]);
        list.extend([shown(&self.file(FLOAT)), "--output".to_owned(), shown(&self.net())]);
        self.run_self(&list, None)
    }

    /// New against current.
    pub(super) fn gate(&mut self) -> Result<Gate, Failure> {
        if !self.file(OPENINGS).is_file() {
            let mut list = words(&["openings", "make", "--force", "--nodes", "2000"]);
            let count = self.args.gate_games.div_ceil(2).clamp(1, 500);
            list.extend(["--count".to_owned(), count.to_string()]);
            list.extend(["--margin", "200", "--plies", "6-10", "--seed"].map(str::to_owned));
            list.extend([self.seed(), "-j".to_owned(), self.threads()]);
            list.extend(["--game", self.args.game.game.name()].map(str::to_owned));
            list.extend(["--out".to_owned(), shown(&self.file(OPENINGS))]);
            self.run_self(&list, None)?;
        }
        let engine = |name: &str, net: &str| {
            let net = arena::spec::escape(net);
            format!("cmd=self,name={name},option.EvalDir={net},option.Threads=1,option.USI_Hash=16")
        };
        let mut list = words(&["match", "--json"]);
        if self.file(GATE).exists() {
            list.push("--resume".to_owned());
        }
        list.extend(["--engine".to_owned(), engine("new", &shown(&self.net()))]);
        list.extend(["--engine".to_owned(), engine("current", &evaluation_name(self.parent))]);
        list.extend(["--each".to_owned(), self.args.gate_limit.clone()]);
        list.extend(["--games".to_owned(), self.args.gate_games.to_string()]);
        list.extend(["--sprt".to_owned(), self.args.gate_sprt.clone()]);
        list.extend(["--openings".to_owned(), shown(&self.file(OPENINGS))]);
        list.extend(["--out".to_owned(), shown(&self.file(GATE))]);
        list.extend(["--game", self.args.game.game.name()].map(str::to_owned));
        list.extend(["--seed".to_owned(), self.seed(), "-j".to_owned(), self.threads()]);
        list.extend(more(&self.args.match_words));
        self.run_self(&list, Some(&self.file(RESULT)))?;
        self.result()
    }

    fn result(&self) -> Result<Gate, Failure> {
        let path = self.file(RESULT);
        let text = fs::read_to_string(&path).map_err(|e| at(&path, &e))?;
        let strange = || at(&path, &"no result of a match in it");
        let last = text.lines().rev().find(|line| !line.trim().is_empty()).ok_or_else(strange)?;
        let value: Value = serde_json::from_str(last).map_err(|e| at(&path, &e))?;
        let pairing = value["pairings"].get(0).cloned().ok_or_else(strange)?;
        let verdict = value["sprt"]["verdict"].as_str().ok_or_else(strange)?.to_owned();
        // Where the games ran out before a decision, there is none: the current net stays.
        let accepted = verdict == "accepted";
        Ok(Gate { accepted, pairing, verdict })
    }

    fn run_self(&mut self, words: &[String], output: Option<&Path>) -> Outcome {
        let program = self.program.clone();
        self.run(&program, words, output)
    }

    /// Runs a command to its end.
    fn run(&mut self, program: &Path, words: &[String], output: Option<&Path>) -> Outcome {
        let name = if program == self.program { "nue".to_owned() } else { shown(program) };
        let command =
            format!("{name} {}", words.iter().map(|w| quoted(w)).collect::<Vec<_>>().join(" "));
        say(&command);
        let started = Instant::now();
        let mut child = Command::new(program);
        child.args(words).stdin(Stdio::null());
        if let Some(path) = output {
            child.stdout(fs::File::create(path).map_err(|e| at(path, &e))?);
        } else {
            child.stdout(Stdio::null());
        }
        let status = child.status().map_err(|e| at(program, &e))?;
        // Training that found nothing is over all the same; there is no net then.
        let fruitless = status.code() == Some(i32::from(Failure::NOTHING));
        if !status.success() && !fruitless {
            return Err(Failure::failed(format!("this step ended with {status}: {command}")));
        }
        self.note(&Done { command, seconds: started.elapsed().as_secs_f64() })
    }

    /// Writes a step down, so that a generation in several runs knows all of its steps.
    fn note(&self, done: &Done) -> Outcome {
        let path = self.file(HISTORY);
        let line = serde_json::to_string(done).map_err(|e| at(&path, &e))?;
        let file = fs::OpenOptions::new().create(true).append(true).open(&path);
        let mut file = file.map_err(|e| at(&path, &e))?;
        writeln!(file, "{line}").map_err(|e| at(&path, &e))
    }

    /// The steps so far, the runs before this one included.
    pub(super) fn history(&self) -> Result<Vec<Done>, Failure> {
        let path = self.file(HISTORY);
        let text = fs::read_to_string(&path).map_err(|e| at(&path, &e))?;
        // A line that was cut by a crash is a step that is done again.
        Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }
}

fn words(list: &[&str]) -> Vec<String> {
    list.iter().map(|&word| word.to_owned()).collect()
}

/// The word after which everything is for "nue data stream".
const STREAM_OPTIONS: &str = "--stream-options";

/// An architecture as the trainer in PyTorch wants it.
struct Shape {
    features: String,
    widths: [usize; 3],
}

impl Shape {
    /// From a name like "halfkp-256x2-32-32".
    fn of(name: &str) -> Result<Self, Failure> {
        let parts: Vec<&str> = name.split('-').collect();
        let strange = || {
            Failure::usage(format!(
                "\"{name}\" is no net that PyTorch trains; write one like halfkp-256x2-32-32"
            ))
        };
        let [features, first, second, third] = parts[..] else { return Err(strange()) };
        let first = first.strip_suffix("x2").ok_or_else(strange)?;
        let mut widths = [0; 3];
        for (width, text) in widths.iter_mut().zip([first, second, third]) {
            *width = text.parse().map_err(|_| strange())?;
        }
        Ok(Self { features: features.to_owned(), widths })
    }
}

/// Words the user adds to a step.
fn more(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().map(str::to_owned)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// A word as a shell needs it.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
