//! The folder of a line of generations, and which comes next.
//!
//! The entry of a generation is written last: it is what says that the generation is over, so a run
//! that was killed finds everything else again and goes on.

use crate::error::LabError;
use crate::ledger::{self, Generation};
use crate::reading::{GENERATION, LEDGER, STEPS};
use durable::{Draft, InUse, Lock};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The net that plays the games of the next generation.
const CURRENT: &str = "current.bin";
/// One generation, when it is over.
const ENTRY: &str = "entry.toml";
/// Says that training is over, whether it gave a net or not.
const TRAINED: &str = "trained";

/// A folder with a net, a ledger and a folder for each generation.
#[derive(Debug)]
pub struct LabFolder {
    path: PathBuf,
    _lock: Lock,
}

impl LabFolder {
    /// Makes it if it is not there. Nobody else may learn in it meanwhile.
    pub fn open(path: &Path) -> Result<Self, LabError> {
        let lock = Lock::beside(&path.join(LEDGER)).map_err(|e| LabError::at(path, &e))?;
        let lock = lock.map_err(|InUse| LabError::InUse(path.to_owned()))?;
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    /// The net that plays, if there is one yet.
    pub fn current(&self) -> Option<PathBuf> {
        Some(self.path.join(CURRENT)).filter(|path| path.is_file())
    }

    /// The generation to work on: the first that is not over.
    pub fn next(&self) -> Result<GenerationFolder, LabError> {
        let next = (1..=9999).map(|number| self.generation(number)).find(|g| !g.is_over());
        let next = next.ok_or_else(|| LabError::Full(self.path.clone()))?;
        fs::create_dir_all(&next.path).map_err(|e| LabError::at(&next.path, &e))?;
        Ok(next)
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of a generation, which may not be there yet.
    pub fn generation(&self, number: u32) -> GenerationFolder {
        GenerationFolder { number, path: self.path.join(format!("{GENERATION}{number:04}")) }
    }

    /// Training data of the generations before this one, as many as are learned from again: a
    /// window of one is this generation alone.
    pub fn earlier(&self, number: u32, window: u32) -> Vec<PathBuf> {
        (number.saturating_sub(window.saturating_sub(1)).max(1)..number)
            .map(|n| self.generation(n).train())
            .filter(|path| path.is_file())
            .collect()
    }

    /// Ends a generation: a net that was accepted becomes the current one, and the entry is kept.
    pub fn finish(&self, folder: &GenerationFolder, entry: &Generation) -> Result<(), LabError> {
        self.finish_with(folder, entry, &[(folder.net(), CURRENT)])
    }

    /// The same where the net has other files: each with the name its copy has while it is the current
    /// one.
    pub fn finish_with(
        &self,
        folder: &GenerationFolder,
        entry: &Generation,
        nets: &[(PathBuf, &str)],
    ) -> Result<(), LabError> {
        let text = ledger::to_toml(entry)?;
        for (net, current) in nets.iter().filter(|_| entry.accepted) {
            let bytes = fs::read(net).map_err(|e| LabError::at(net, &e))?;
            write_whole(&self.path.join(current), &bytes)?;
        }
        append(&self.path.join(LEDGER), &text)?;
        write_whole(&folder.path.join(ENTRY), text.as_bytes())
    }
}

/// The folder of one generation.
#[derive(Clone, Debug)]
pub struct GenerationFolder {
    /// From 1.
    pub number: u32,
    path: PathBuf,
}

impl GenerationFolder {
    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A seed of its own for every generation.
    pub const fn seed(&self, seed: u64) -> u64 {
        seed.wrapping_mul(1000).wrapping_add(self.number as u64)
    }

    /// Games of self-play.
    pub fn games(&self) -> PathBuf {
        self.path.join("games.teacher")
    }

    /// Games learned from.
    pub fn train(&self) -> PathBuf {
        self.path.join("train.teacher")
    }

    /// Games measured on.
    pub fn validation(&self) -> PathBuf {
        self.path.join("check.teacher")
    }

    /// The net that was learned.
    pub fn net(&self) -> PathBuf {
        self.path.join("net.bin")
    }

    /// The same in real numbers, from the trainer in PyTorch.
    pub fn float(&self) -> PathBuf {
        self.path.join("net.nuef")
    }

    /// The current net in real numbers, for that trainer to begin with.
    pub fn initial_float(&self) -> PathBuf {
        self.path.join("beginning.nuef")
    }

    /// Opening positions of the gate.
    pub fn openings(&self) -> PathBuf {
        self.path.join("gate.openings")
    }

    /// Games of the gate.
    pub fn gate_games(&self) -> PathBuf {
        self.path.join("gate.csa")
    }

    /// Result of the gate.
    pub fn gate_result(&self) -> PathBuf {
        self.path.join("gate.json")
    }

    /// The steps, in order.
    pub(crate) fn steps(&self) -> PathBuf {
        self.path.join(STEPS)
    }

    /// Whether the games are divided.
    pub fn is_split(&self) -> bool {
        self.train().is_file() && self.validation().is_file()
    }

    /// Whether training is over.
    pub fn is_trained(&self) -> bool {
        self.path.join(TRAINED).exists()
    }

    /// Notes that training is over.
    pub fn set_trained(&self) -> Result<(), LabError> {
        write_whole(&self.path.join(TRAINED), b"")
    }

    /// Whether it has its entry.
    pub fn is_over(&self) -> bool {
        self.path.join(ENTRY).exists()
    }
}

/// A file that is there whole or not at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), LabError> {
    let write = || {
        let mut draft = Draft::new(path)?;
        draft.write_all(bytes)?;
        draft.publish(true)
    };
    write().map_err(|e| LabError::at(path, &e))
}

/// Adds an entry to the ledger, unless a run that was killed right after has it there already.
fn append(path: &Path, entry: &str) -> Result<(), LabError> {
    let mut text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(e) if e.kind() == io::ErrorKind::NotFound => String::new(),
        Err(e) => return Err(LabError::at(path, &e)),
    };
    if text.ends_with(entry) {
        return Ok(());
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(entry);
    write_whole(path, text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::Ledger;

    fn entry(number: u32, accepted: bool) -> Generation {
        Generation { generation: number, accepted, ..Generation::default() }
    }

    #[test]
    fn the_entry_ends_a_generation_and_a_killed_run_adds_none_twice() {
        let place = tempfile::tempdir().unwrap();
        let lab = LabFolder::open(place.path()).unwrap();
        let first = lab.next().unwrap();
        assert_eq!((first.number, lab.next().unwrap().number), (1, 1));
        fs::write(first.net(), b"net").unwrap();
        assert!(lab.current().is_none());
        lab.finish(&first, &entry(1, true)).unwrap();
        assert_eq!(fs::read(lab.current().unwrap()).unwrap(), b"net");
        // Killed between the ledger and the entry: the same generation ends once more.
        fs::remove_file(first.path().join(ENTRY)).unwrap();
        assert_eq!(lab.next().unwrap().number, 1);
        lab.finish(&first, &entry(1, true)).unwrap();
        let second = lab.next().unwrap();
        assert_eq!((second.number, second.seed(3)), (2, 3002));
        lab.finish(&second, &entry(2, false)).unwrap();
        let text = fs::read_to_string(place.path().join(LEDGER)).unwrap();
        let ledger: Ledger = text.parse().unwrap();
        let numbers: Vec<u32> = ledger.generations.iter().map(|g| g.generation).collect();
        assert_eq!(numbers, [1, 2]);
    }

    #[test]
    fn one_at_a_time_learns_in_a_folder() {
        let place = tempfile::tempdir().unwrap();
        let lab = LabFolder::open(place.path()).unwrap();
        assert!(matches!(LabFolder::open(place.path()), Err(LabError::InUse(_))));
        drop(lab);
        assert!(LabFolder::open(place.path()).is_ok());
    }

    #[test]
    fn earlier_games_are_those_of_the_window() {
        let place = tempfile::tempdir().unwrap();
        let lab = LabFolder::open(place.path()).unwrap();
        for number in 1..=3 {
            let folder = lab.generation(number);
            fs::create_dir_all(folder.path()).unwrap();
            fs::write(folder.train(), b"").unwrap();
        }
        let earlier = |window| lab.earlier(4, window).len();
        assert_eq!([earlier(0), earlier(1), earlier(2), earlier(3), earlier(9)], [0, 0, 1, 2, 3]);
    }
}
