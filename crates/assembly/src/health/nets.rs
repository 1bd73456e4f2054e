//! Which evaluations the engine would find, and whether they can be used.

use super::Finding;
use crate::evaluation::USUAL_FOLDER;
use crate::{Evaluation, LoadError, shipped};
use nnue::DEFAULT_FV_SCALE;
use rules::Game;
use std::path::Path;

/// Looks at what was named, at the usual folder, and at what the executable holds for each game:
/// findings, and what could be loaded.
pub fn look(named: Option<&Path>) -> (Vec<Finding>, Vec<Evaluation>) {
    let (mut findings, mut evaluations) = (Vec::new(), Vec::new());
    let usual = (Path::new(USUAL_FOLDER), false);
    for (path, asked) in named.map(|path| (path, true)).into_iter().chain([usual]) {
        match Evaluation::find(path, DEFAULT_FV_SCALE) {
            Ok(evaluation) => {
                findings.push(judge(path, &evaluation));
                evaluations.push(evaluation);
            }
            Err(LoadError::Nothing { .. }) if !asked => {}
            Err(error) => findings.push(Finding::problem(
                error.to_string(),
                "get the file again from where it came from, or name another one",
            )),
        }
    }
    for game in Game::ALL {
        let found = shipped(game);
        findings.push(inside(game, &found));
        evaluations.push(found);
    }
    (findings, evaluations)
}

/// What the executable itself evaluates a game with.
fn inside(game: Game, found: &Evaluation) -> Finding {
    if let Evaluation::Material = found {
        return Finding::note(
            format!(
                "no net for {game} inside the executable: it is played by counting material, weakly"
            ),
            format!(
                "put a net as nn.bin into a folder {USUAL_FOLDER:?} beside the executable, or set \
                 option EvalDir to its folder"
            ),
        );
    }
    Finding::good(format!("inside the executable: {}", found.describe()))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::Grade;

    #[test]
    fn what_the_executable_holds_is_looked_at() {
        for game in Game::ALL {
            let found = inside(game, &shipped(game));
            assert_eq!(found.grade, Grade::Good, "{}", found.text);
            assert!(found.text.contains(&format!("({game})")), "{}", found.text);
            let bare = inside(game, &Evaluation::Material);
            assert_eq!(bare.grade, Grade::Note);
            assert!(bare.text.starts_with(&format!("no net for {game}")), "{}", bare.text);
        }
    }

    #[test]
    fn a_net_that_is_named_and_not_there_is_a_problem() {
        let (findings, evaluations) = look(Some(Path::new("no-such-net")));
        let problems: Vec<&Finding> =
            findings.iter().filter(|finding| finding.grade == Grade::Problem).collect();
        assert_eq!(problems.len(), 1);
        assert!(problems[0].text.contains("no-such-net"), "{}", problems[0].text);
        assert_eq!(evaluations.len(), Game::ALL.len(), "those inside are there all the same");
    }
}
