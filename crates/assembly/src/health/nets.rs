//! Which evaluations the engine would find, and whether they can be used.

use super::Finding;
use crate::evaluation::USUAL_FOLDER;
use crate::{Evaluation, LoadError};
use nnue::DEFAULT_FV_SCALE;
use std::path::Path;

/// Looks at what was named and at the usual folder: findings, and what could be loaded.
pub fn look(named: Option<&Path>) -> (Vec<Finding>, Vec<Evaluation>) {
    let (mut findings, mut evaluations) = (Vec::new(), Vec::new());
    let usual = (Path::new(USUAL_FOLDER), false);
    for (path, asked) in named.map(|path| (path, true)).into_iter().chain([usual]) {
        match Evaluation::find(path, DEFAULT_FV_SCALE) {
            Ok(evaluation) => {
                findings.push(judge(path, &evaluation));
                evaluations.push(evaluation);
            }
            Err(LoadError::Nothing { .. }) if !asked => {
                if evaluations.is_empty() {
                    findings.push(Finding::note(
                        "no net but those inside the executable (minishogi): shogi is played by \
                         counting material, weakly",
                        format!(
                            "put a net as nn.bin into a folder {USUAL_FOLDER:?} beside the \
                             executable, or set option EvalDir to its folder"
                        ),
                    ));
                }
            }
            Err(error) => findings.push(Finding::problem(
                error.to_string(),
                "get the file again from where it came from, or name another one",
            )),
        }
    }
    (findings, evaluations)
}

fn judge(path: &Path, evaluation: &Evaluation) -> Finding {
    let text = format!("{}: {}", path.display(), evaluation.describe());
    let remarks = evaluation.remarks();
    if remarks.is_empty() {
        return Finding::good(text);
    }
    Finding::note(
        format!("{text}; {}", remarks.join("; ")),
        "if its values look wrong, it is not the kind of net it seems: see nue net info",
    )
}
