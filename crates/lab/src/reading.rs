//! The folder of a line of generations, read by whoever looks on, while it is being written: the
//! generations that are over, the losses and the steps of all. Nothing is written or locked.

use crate::ledger::{Generation, Ledger};
use crate::losses::{self, LossPoint};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// All generations, in order.
pub(crate) const LEDGER: &str = "ledger.toml";
/// The steps of a generation, in order.
pub(crate) const STEPS: &str = "steps.jsonl";
/// The folder of a generation, before its number.
pub(crate) const GENERATION: &str = "generation-";

/// Training logs, of our own trainer and of the one in PyTorch.
const LOGS: [&str; 2] = ["net.bin.jsonl", "net.nuef.jsonl"];

/// Largest file that is read.
const LARGEST: u64 = 16 << 20;

/// A step that was done.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// What repeats it by hand.
    pub command: String,
    pub seconds: f64,
}

impl Step {
    /// The command's name: `gen` of `nue gen …`.
    pub fn name(&self) -> &str {
        self.command.split_whitespace().nth(1).unwrap_or_default()
    }
}

/// What a folder holds.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct LabReading {
    /// The generations that are over, of all games.
    pub generations: Vec<Generation>,
    /// Why the ledger could not be read.
    pub error: Option<String>,
    /// The generation that was begun last.
    pub current: Option<u32>,
    /// The losses of each training, by generation.
    pub losses: Vec<(u32, Vec<LossPoint>)>,
    /// The steps of each generation.
    pub steps: Vec<(u32, Step)>,
}

/// Reads a folder; `None` if there is none. A line that was cut in the middle is left out.
pub fn read(folder: &Path) -> Option<LabReading> {
    if !folder.is_dir() {
        return None;
    }
    let mut reading = LabReading::default();
    if let Some(text) = text(&folder.join(LEDGER)) {
        match text.parse::<Ledger>() {
            Ok(ledger) => reading.generations = ledger.generations,
            Err(error) => reading.error = Some(error.to_string()),
        }
    }
    for (number, path) in generations(folder) {
        reading.current = Some(number);
        let logs = LOGS.iter().filter_map(|name| text(&path.join(name)));
        let points: Vec<LossPoint> = logs.flat_map(|log| losses::points(&log)).collect();
        if !points.is_empty() {
            reading.losses.push((number, points));
        }
        let steps = text(&path.join(STEPS)).unwrap_or_default();
        reading.steps.extend(parse_steps(&steps).into_iter().map(|step| (number, step)));
    }
    Some(reading)
}

/// The steps of a file. A line that was cut by a crash is a step that is done again.
pub(crate) fn parse_steps(text: &str) -> Vec<Step> {
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn text(path: &Path) -> Option<String> {
    let small = fs::metadata(path).is_ok_and(|found| found.len() <= LARGEST);
    small.then(|| fs::read_to_string(path).ok()).flatten()
}

/// Folders of generations, in order.
fn generations(folder: &Path) -> Vec<(u32, PathBuf)> {
    let mut found: Vec<(u32, PathBuf)> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let number = name.to_str()?.strip_prefix(GENERATION)?.parse().ok()?;
            entry.path().is_dir().then(|| (number, entry.path()))
        })
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_read_while_it_is_written() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path();
        assert_eq!(read(&folder.join("none")), None);
        assert_eq!(read(folder), Some(LabReading::default()));
        for number in [1, 2] {
            fs::create_dir_all(folder.join(format!("{GENERATION}{number:04}"))).unwrap();
        }
        let entry = "[[generation]]\ngame = \"shogi\"\ngeneration = 1\naccepted = true\n";
        fs::write(folder.join(LEDGER), entry).unwrap();
        let ours = "{\"run\":{}}\n{\"epoch\":1,\"steps\":10,\"training\":{\"total\":0.5},\"validation\":{\"total\":0.6}}\n{\"ep";
        fs::write(folder.join("generation-0002/net.bin.jsonl"), ours).unwrap();
        let python = "{\"epoch\":1,\"step\":5,\"loss\":0.7,\"validation_loss\":0.8}\n";
        fs::write(folder.join("generation-0001/net.nuef.jsonl"), python).unwrap();
        let steps = "{\"command\":\"nue gen --game shogi\",\"seconds\":3.5}\n{\"command\":\"nue tr";
        fs::write(folder.join("generation-0002/steps.jsonl"), steps).unwrap();
        let reading = read(folder).unwrap();
        assert_eq!((reading.generations.len(), reading.current), (1, Some(2)));
        let point = |steps, train, validation| LossPoint {
            epoch: Some(1.0),
            steps: Some(steps),
            train: Some(train),
            validation: Some(validation),
        };
        let losses = [(1, vec![point(5, 0.7, 0.8)]), (2, vec![point(10, 0.5, 0.6)])];
        assert_eq!(reading.losses, losses);
        let [(2, step)] = &reading.steps[..] else { panic!("{:?}", reading.steps) };
        assert_eq!((step.name(), step.seconds), ("gen", 3.5));
        fs::write(folder.join(LEDGER), "= broken").unwrap();
        assert!(read(folder).unwrap().error.is_some());
    }
}
