//! The steps of a generation, over all the runs it took.

use crate::error::LabError;
use crate::folder::GenerationFolder;
use crate::reading;
use std::fs;
use std::io::Write;

pub use crate::reading::Step;

/// Writes a step down.
pub fn add(folder: &GenerationFolder, step: &Step) -> Result<(), LabError> {
    let path = folder.steps();
    let line = serde_json::to_string(step).map_err(|e| LabError::at(&path, &e))?;
    let file = fs::OpenOptions::new().create(true).append(true).open(&path);
    let mut file = file.map_err(|e| LabError::at(&path, &e))?;
    writeln!(file, "{line}").map_err(|e| LabError::at(&path, &e))
}

/// The steps so far.
pub fn read(folder: &GenerationFolder) -> Result<Vec<Step>, LabError> {
    let path = folder.steps();
    let text = fs::read_to_string(&path).map_err(|e| LabError::at(&path, &e))?;
    Ok(reading::parse_steps(&text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::LabFolder;

    #[test]
    fn steps_are_those_of_all_runs_and_a_cut_line_is_none() {
        let place = tempfile::tempdir().unwrap();
        let folder = LabFolder::open(place.path()).unwrap().next().unwrap();
        let step = |command: &str| Step { command: command.to_owned(), seconds: 1.5 };
        add(&folder, &step("nue gen")).unwrap();
        add(&folder, &step("nue data split")).unwrap();
        let text = fs::read_to_string(folder.steps()).unwrap();
        fs::write(folder.steps(), text + "{\"command\":\"nue tr").unwrap();
        assert_eq!(read(&folder).unwrap(), [step("nue gen"), step("nue data split")]);
    }
}
