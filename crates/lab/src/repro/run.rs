//! The commands of a plan, one after the other, each where the last run left it.

use super::Repetition;
use super::command::{Program, Step};
use super::journal::Journal;
use super::plan::{Plan, Role};
use super::verdict::{self, Verdict};
use crate::error::LabError;
use crate::external;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf, absolute};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

/// Games of the gate, where its command keeps none.
const GATE_GAMES: &str = "repro-gate.csa";
/// What the gate said.
const GATE_TOLD: &str = "repro-gate.jsonl";

impl Repetition {
    /// Runs what is left of the plan and compares. Whoever sets `stop` ends it after the command
    /// that runs; `tell` hears every command.
    pub fn run(&self, stop: &AtomicBool, tell: &mut dyn FnMut(&str)) -> Result<Verdict, LabError> {
        let mut journal = Journal::open(&self.folder)?;
        // Made again, now that nobody else can change the folder.
        let plan = self.plan()?;
        if let Some(obstacle) = plan.obstacle() {
            return Err(LabError::Entries(obstacle));
        }
        self.work(&plan, Role::Net, &mut journal, stop, tell)?;
        let nets: Vec<&PathBuf> =
            plan.nets().filter(|path| self.folder.join(path).is_file()).collect();
        for path in &nets {
            let path = self.folder.join(path);
            if verdict::is_recorded(&path, &plan.entry.net)? {
                return Ok(Verdict::SameBytes(path));
            }
        }
        if nets.is_empty() {
            return Ok(Verdict::Another("none was made".to_owned()));
        }
        let Some(recorded) = plan.entry.elo() else {
            let why = "it has other bytes, and the entry has no match to compare its strength by";
            return Ok(Verdict::Another(why.to_owned()));
        };
        let Some((gate, player)) = &plan.gate else {
            let why = "it has other bytes, and the match of the entry cannot be played";
            return Ok(Verdict::Another(why.to_owned()));
        };
        self.work(&plan, Role::Gate, &mut journal, stop, tell)?;
        let told = self.play(&plan.steps[*gate].step, &mut journal, stop, tell)?;
        Ok(verdict::elo(&told, player).map_or_else(
            || Verdict::Another("its match gave no estimate of its strength".to_owned()),
            |now| Verdict::Measured { recorded, now },
        ))
    }

    fn work(
        &self,
        plan: &Plan,
        role: Role,
        journal: &mut Journal,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(), LabError> {
        let due = plan.steps.iter().filter(|planned| planned.role == role && !planned.is_done);
        for planned in due.filter(|planned| !planned.step.is(&["match"])) {
            let step = &planned.step;
            let again = journal.is_half_done(&step.text) || self.has_any(step);
            let mut words = step.words.clone();
            if again {
                go_on(step, &mut words);
            }
            if again && step.trains(&["half"]) {
                self.clear(step)?;
            }
            self.start(step, words, Stdio::null(), journal, stop, tell)?;
        }
        Ok(())
    }

    /// Plays the gate; what it said.
    fn play(
        &self,
        step: &Step,
        journal: &mut Journal,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&str),
    ) -> Result<String, LabError> {
        let path = self.folder.join(GATE_TOLD);
        let read = || fs::read_to_string(&path).map_err(|e| LabError::at(&path, &e));
        if path.is_file() && !journal.is_half_done(&step.text) {
            return read();
        }
        let mut words = step.words.clone();
        words.retain(|word| !matches!(word.as_str(), "--json" | "--resume" | "--force"));
        let kept = step.value(&["--out", "-o"]).map_or_else(
            || {
                words.extend(["--out".to_owned(), GATE_GAMES.to_owned()]);
                PathBuf::from(GATE_GAMES)
            },
            PathBuf::from,
        );
        words.push("--json".to_owned());
        if self.folder.join(kept).exists() {
            words.push("--resume".to_owned());
        }
        fs::create_dir_all(&self.folder).map_err(|e| LabError::at(&self.folder, &e))?;
        let file = File::create(&path).map_err(|e| LabError::at(&path, &e))?;
        self.start(step, words, file.into(), journal, stop, tell)?;
        read()
    }

    /// Removes what a command began to write that replaces nothing.
    fn clear(&self, step: &Step) -> Result<(), LabError> {
        let begun = step.writes.iter().map(|path| self.folder.join(path));
        for path in begun.filter(|path| path.exists()) {
            fs::remove_file(&path).map_err(|e| LabError::at(&path, &e))?;
        }
        Ok(())
    }

    fn has_any(&self, step: &Step) -> bool {
        step.writes.iter().any(|path| self.folder.join(path).exists())
    }

    fn start(
        &self,
        step: &Step,
        mut words: Vec<String>,
        out: Stdio,
        journal: &mut Journal,
        stop: &AtomicBool,
        tell: &mut dyn FnMut(&str),
    ) -> Result<(), LabError> {
        if stop.load(Ordering::Relaxed) {
            return Err(LabError::Interrupted);
        }
        for path in &step.writes {
            if let Some(folder) = self.folder.join(path).parent() {
                fs::create_dir_all(folder).map_err(|e| LabError::at(folder, &e))?;
            }
        }
        let ours = whole(&self.program);
        let mut command = Command::new(match step.program {
            Program::Trainer => whole(&self.python),
            Program::Git => "git".into(),
            _ => ours.clone(),
        });
        if step.program == Program::Trainer {
            // It asks for no data.
            if !step.trains(&["half"]) {
                stand_in(&mut words, &ours);
            }
            if let Some(paths) = python_path() {
                command.env("PYTHONPATH", paths);
            }
        }
        if let (Program::Git, Some(into)) = (step.program, step.writes.first()) {
            // The repository is the one in which the ledger lies.
            let ledger = absolute(&self.ledger).map_err(|e| LabError::at(&self.ledger, &e))?;
            let repository = ledger.parent().unwrap_or_else(|| Path::new("."));
            let into = self.folder.join(into);
            let file = File::create(&into).map_err(|e| LabError::at(&into, &e))?;
            command.args(&words[..2]).current_dir(repository).stdout(file);
        } else {
            command.args(&words).current_dir(&self.folder).stdout(out);
        }
        tell(&step.text);
        journal.add(&step.text, false)?;
        // An interrupt is heard between commands: what runs may be hours from where it can resume.
        external::run(command, &step.text, &AtomicBool::new(false))?;
        journal.add(&step.text, true)
    }
}

/// Lets a command that was begun before go on, or begin anew where it cannot.
fn go_on(step: &Step, words: &mut Vec<String>) {
    // One replaces what is there, the other finds nothing there any more.
    if step.program == Program::Git || step.trains(&["half"]) {
        return;
    }
    let trains = step.trains(&["train"]);
    let resumes = trains || step.is(&["gen"]) || step.is(&["train"]);
    let (wanted, other) = if resumes { ("--resume", "--force") } else { ("--force", "--resume") };
    words.retain(|word| word != wanted && word != other);
    // Behind the command's own words, before everything that takes all the rest.
    let at = match step.program {
        Program::Trainer => 3,
        _ if step.is(&["gen"]) || step.is(&["train"]) => 1,
        _ => 2,
    };
    words.insert(at.min(words.len()), wanted.to_owned());
}

/// The trainer asks us for its data, and not the program that was asked then.
fn stand_in(words: &mut Vec<String>, ours: &Path) {
    let ours = ours.display().to_string();
    match words.iter().position(|word| word == "--nue") {
        Some(at) if at + 1 < words.len() => words[at + 1] = ours,
        _ => {
            words.splice(3..3, ["--nue".to_owned(), ours]);
        }
    }
}

/// A program that is looked for from here, and not from the folder where it runs.
fn whole(program: &Path) -> PathBuf {
    if program.components().count() < 2 {
        return program.to_owned();
    }
    absolute(program).unwrap_or_else(|_| program.to_owned())
}

fn python_path() -> Option<OsString> {
    let given = std::env::var_os("PYTHONPATH")?;
    let paths = std::env::split_paths(&given).map(|path| absolute(&path).unwrap_or(path));
    std::env::join_paths(paths).ok()
}
