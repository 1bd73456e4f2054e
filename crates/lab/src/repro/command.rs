//! A command of an entry: what it reads, what it writes, and how well it repeats.

use crate::error::LabError;
use crate::reading::GENERATION;
use arena::spec::{escape, pairs};
use std::path::{Path, PathBuf};

/// How well a command repeats.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Repeats {
    /// The same command makes the same bytes.
    Exactly,
    /// It can be run, but what it makes may differ, for this reason.
    Roughly(String),
    /// It cannot be run, for this reason.
    Never(String),
}

/// What runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Program {
    Nue,
    /// The trainer in PyTorch.
    Trainer,
    /// `git show REVISION:PATH > FILE`: a file that the repository of the ledger keeps.
    Git,
    Other,
}

/// A command of an entry, with paths as they are in the folder of the repetition.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    pub program: Program,
    /// What follows the program.
    pub words: Vec<String>,
    /// As it stands in the ledger.
    pub text: String,
    pub reads: Vec<PathBuf>,
    pub writes: Vec<PathBuf>,
    pub repeats: Repeats,
}

/// Where the files of the entry lay, what the current net was (its path in the folder), and what is
/// taken where an entry only says that there were openings.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Places {
    pub lab: Option<String>,
    pub current: Option<PathBuf>,
    pub openings: Option<PathBuf>,
}

/// What an entry says where the openings of its match were not kept.
const OPENINGS: &str = "OPENINGS";

/// The current net of a folder that `nue learn` keeps.
pub(super) const CURRENT: &str = "current.bin";

/// Flags of ours that have no value.
const SWITCHES: &[&str] = &[
    "--resume",
    "--force",
    "--no-factors",
    "--leaf",
    "--keep-checks",
    "--keep-captures",
    "--keep-random",
    "--separate",
    "--json",
    "--pin",
    "--resync",
];

/// Files that a form of command names, by flag; whether what stands alone is read as well.
struct Form {
    verb: &'static [&'static str],
    reads: &'static [&'static str],
    writes: &'static [&'static str],
    operands: bool,
}

const OUT: &[&str] = &["--out", "--output", "-o"];

const FORMS: &[Form] = &[
    Form {
        verb: &["gen"],
        reads: &["--net", "--openings", "--start"],
        writes: OUT,
        operands: false,
    },
    Form {
        verb: &["data", "split"],
        reads: &[],
        writes: &["--train", "--validation"],
        operands: true,
    },
    Form { verb: &["data"], reads: &[], writes: OUT, operands: true },
    Form { verb: &["train"], reads: &["--validation", "--from"], writes: OUT, operands: true },
    Form { verb: &["openings"], reads: &["--engine"], writes: OUT, operands: false },
    Form { verb: &["match"], reads: &["--engine", "--openings"], writes: OUT, operands: false },
    Form { verb: &["net"], reads: &["--fit"], writes: OUT, operands: true },
];

const TRAINER: Form = Form {
    verb: &[],
    reads: &["--data", "--validation", "--init", "--teacher", "--teacher-data", "--net"],
    writes: &["--out"],
    operands: false,
};

impl Step {
    /// Understands a command of the ledger.
    pub fn new(text: &str, places: &Places) -> Result<Self, LabError> {
        let wrong = || LabError::Entries(format!("not a command line: {text}"));
        let all = shlex::split(text).ok_or_else(wrong)?;
        let (first, rest) = all.split_first().ok_or_else(wrong)?;
        let words: Vec<String> = rest.iter().map(|word| places.moved(word)).collect();
        let program = program(first, &words);
        let mut step = Self {
            program,
            words,
            text: text.to_owned(),
            reads: Vec::new(),
            writes: Vec::new(),
            repeats: Repeats::Exactly,
        };
        let known = step.note_files();
        step.repeats = step.judge(known, places);
        Ok(step)
    }

    /// The command's own words: `data split`, `gen`.
    pub fn is(&self, verb: &[&str]) -> bool {
        self.program == Program::Nue
            && self.words.iter().zip(verb).all(|(a, b)| a == b)
            && self.words.len() >= verb.len()
    }

    /// Whether it is one of these commands of the trainer.
    pub fn trains(&self, verbs: &[&str]) -> bool {
        let verb = self.words.get(2).map(String::as_str);
        self.program == Program::Trainer && verb.is_some_and(|verb| verbs.contains(&verb))
    }

    /// Whether it can be run at all.
    pub const fn runs(&self) -> bool {
        !matches!(self.repeats, Repeats::Never(_))
    }

    /// The nets to play with that it writes.
    pub fn nets(&self) -> impl Iterator<Item = &PathBuf> {
        // What is only unpacked was a net before; one of half the size is kept as a teacher.
        let makes = self.is(&["train"]) || self.is(&["net"]) && !self.is(&["net", "unpack"]);
        let keeps = self.trains(&["half"]);
        let plays =
            |path: &&PathBuf| path.extension().is_none_or(|end| end != "nuef" && end != "nuedf");
        let runs = self.runs();
        self.writes.iter().filter(move |path| runs && (keeps || makes && plays(path)))
    }

    /// The value of a flag, by any of its names.
    pub fn value(&self, names: &[&str]) -> Option<&str> {
        let mut words = self.words.iter();
        while let Some(word) = words.next() {
            match word.split_once('=') {
                Some((name, value)) if names.contains(&name) => return Some(value),
                _ if names.contains(&word.as_str()) => return words.next().map(String::as_str),
                _ => {}
            }
        }
        None
    }

    fn note_files(&mut self) -> bool {
        let form = match self.program {
            Program::Other => return false,
            Program::Git => {
                self.writes.extend(self.words.last().map(PathBuf::from));
                return true;
            }
            Program::Trainer => &TRAINER,
            Program::Nue => match FORMS.iter().find(|form| self.is(form.verb)) {
                Some(form) => form,
                None => return false,
            },
        };
        // "data split", "net import": the second word is a command's too.
        let two = matches!(form.verb.first(), Some(&("data" | "net" | "openings")));
        let skipped = match self.program {
            Program::Trainer => 3,
            _ => 1 + usize::from(two),
        };
        let mut flag: Option<String> = None;
        for word in self.words.clone().into_iter().skip(skipped) {
            if word == "--stream-options" {
                break;
            }
            if is_flag(&word) {
                flag = match word.split_once('=') {
                    Some((name, value)) => {
                        self.note(form, name, value);
                        None
                    }
                    None => Some(word).filter(|word| !SWITCHES.contains(&word.as_str())),
                };
            } else if let Some(name) = flag.take() {
                self.note(form, &name, &word);
                // Flags of the trainer take all that follows.
                flag = Some(name).filter(|_| self.program == Program::Trainer);
            } else if form.operands {
                // "net mix" has the weight of a net behind it.
                let mixed = word.split_once('=').filter(|_| self.is(&["net", "mix"]));
                self.reads.push(mixed.map_or(word.as_str(), |(net, _)| net).into());
            }
        }
        // A policy-value net is gone on with from what its run leaves beside it.
        if self.trains(&["deep"]) {
            let beside = self.writes.iter().map(|net| format!("{}.checkpoint", net.display()));
            let beside: Vec<PathBuf> = beside.map(PathBuf::from).collect();
            self.writes.extend(beside);
        }
        true
    }

    fn note(&mut self, form: &Form, flag: &str, value: &str) {
        if form.writes.contains(&flag) {
            self.writes.push(value.into());
        } else if form.reads.contains(&flag) {
            let file = match flag {
                "--start" => ["entering=", "late="]
                    .iter()
                    .find_map(|kind| value.strip_prefix(kind))
                    .map(without_share),
                "--openings" if self.is(&["gen"]) => Some(without_share(value)),
                "--engine" => evaluation(value),
                _ => Some(value.to_owned()),
            };
            self.reads.extend(file.filter(|file| file != "material").map(PathBuf::from));
        }
    }

    fn judge(&self, known: bool, places: &Places) -> Repeats {
        if !known {
            return Repeats::Never("it is neither nue nor its trainer nor git show".to_owned());
        }
        let named = self.reads.iter().chain(&self.writes);
        if let Some(name) = named.clone().find(|path| is_placeholder(path)) {
            return Repeats::Never(format!("{} stands for a file nobody named", name.display()));
        }
        let mut why = Vec::new();
        if let Some(comment) = comment(&self.text) {
            why.push(format!("of that time: {comment}"));
        }
        let timed = ["--minutes", "--seconds"];
        if let Some(flag) = timed.into_iter().find(|flag| self.value(&[flag]).is_some()) {
            why.push(format!("{flag}: the machine's speed decides how much"));
        }
        if places.openings.is_some() && self.text.contains(OPENINGS) {
            why.push("from other openings".to_owned());
        }
        let clocks = ["movetime=", "byoyomi=", "tc="];
        let limited =
            |word: &String| word.split(',').any(|p| clocks.iter().any(|c| p.starts_with(c)));
        if self.is(&["match"]) && self.words.iter().any(limited) {
            why.push("the players think by the clock".to_owned());
        }
        if self.program == Program::Trainer && !self.trains(&["half"]) {
            let fast = self.words.iter().any(|word| word == "--fast");
            why.push(if fast {
                "PyTorch with --fast: every run is another".to_owned()
            } else {
                "PyTorch: the same only on the same machine with the same versions".to_owned()
            });
        }
        if why.is_empty() { Repeats::Exactly } else { Repeats::Roughly(why.join("; ")) }
    }
}

impl Places {
    /// Where the commands of an entry say that `nue learn` worked.
    pub fn of(commands: &[String]) -> Self {
        let words = commands.iter().filter_map(|text| shlex::split(text)).flatten();
        let folder = format!("/{GENERATION}");
        let lab = words.into_iter().find_map(|word| {
            let at = word.find(&folder)?;
            Some(word[..at].to_owned()).filter(|folder| !folder.contains('='))
        });
        Self { lab, ..Self::default() }
    }

    /// A word with the paths of that folder as they are in the new one.
    fn moved(&self, word: &str) -> String {
        if let Some(openings) = self.openings.as_ref().filter(|_| word == OPENINGS) {
            return openings.display().to_string();
        }
        let Some(lab) = &self.lab else { return word.to_owned() };
        // Alone, or behind "option.EvalDir=", where commas are escaped.
        let (before, path, folder) = match word.split_once("EvalDir=") {
            Some((before, path)) => (format!("{before}EvalDir="), path, escape(lab)),
            None => match word.split_once('=') {
                Some((name, path)) if name.starts_with("--") => {
                    (format!("{name}="), path, lab.clone())
                }
                _ => (String::new(), word, lab.clone()),
            },
        };
        let Some(rest) = path.strip_prefix(&folder).and_then(|rest| rest.strip_prefix('/')) else {
            return word.to_owned();
        };
        let current = self.current.as_ref().map(|path| path.display().to_string());
        match (rest.strip_prefix(CURRENT), current) {
            (Some(after), Some(current)) if after.is_empty() || after.starts_with(',') => {
                format!("{before}{current}{after}")
            }
            _ => format!("{before}{rest}"),
        }
    }
}

fn program(first: &str, words: &[String]) -> Program {
    let name = Path::new(first).file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    if name == "nue" {
        Program::Nue
    } else if words.iter().take(2).eq(["-m", "nue_trainer"].iter()) && words.len() > 2 {
        Program::Trainer
    } else if name == "git" && is_kept(words) {
        Program::Git
    } else {
        Program::Other
    }
}

/// `show REVISION:PATH > FILE` and nothing else.
fn is_kept(words: &[String]) -> bool {
    let [show, file, into, name] = words else { return false };
    let is_named = file.split_once(':').is_some_and(|(revision, path)| {
        !revision.is_empty() && !path.is_empty() && !is_flag(revision)
    });
    show == "show" && is_named && into == ">" && !is_flag(name)
}

fn is_flag(word: &str) -> bool {
    let mut letters = word.strip_prefix('-').unwrap_or_default().chars();
    letters.next().is_some_and(|c| c == '-' || c.is_ascii_alphabetic())
}

/// A file without the share behind its last colon.
fn without_share(text: &str) -> String {
    match text.rsplit_once(':') {
        Some((file, share)) if share.parse::<f64>().is_ok() => file.to_owned(),
        _ => text.to_owned(),
    }
}

/// What an engine plays with.
fn evaluation(engine: &str) -> Option<String> {
    pairs(engine).into_iter().find(|(key, _)| key == "option.EvalDir").map(|(_, value)| value)
}

/// The name of an engine that plays with one of these.
pub(super) fn player<'a>(step: &'a Step, nets: &[&PathBuf]) -> Option<String> {
    let engines = step.words.windows(2).filter(|pair| pair[0] == "--engine");
    let with = |text: &&'a String| {
        evaluation(text).is_some_and(|net| nets.iter().any(|path| **path == *Path::new(&net)))
    };
    let engine = engines.map(|pair| &pair[1]).find(with)?;
    pairs(engine).into_iter().find(|(key, _)| key == "name").map(|(_, value)| value)
}

/// OPENINGS, FILE.teacher: words for what the reader is to choose.
fn is_placeholder(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    stem.len() > 1 && stem.chars().all(|c| c.is_ascii_uppercase())
}

/// What stands behind a command as a remark.
fn comment(text: &str) -> Option<&str> {
    let mut quote = None;
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '#') if before.is_whitespace() => return Some(text[at + 1..].trim()),
            _ => {}
        }
        before = c;
    }
    None
}
