//! Whether our engine can play with what its options name.

use crate::deep::{self, DeepError};
use crate::evaluation::{Evaluation, LoadError};
use crate::options::{DNN_MODEL, DNN_WORKER, ENGINE, EVAL_DIR, PUCT};
use nnue::DEFAULT_FV_SCALE;
use rules::Game;
use std::path::Path;
use std::sync::Arc;
use think::{OptionKey, TimeSource};

/// Why what the options name cannot be played with.
#[derive(Debug, thiserror::Error)]
pub enum UnusableError {
    #[error(transparent)]
    Evaluation(#[from] LoadError),
    #[error(transparent)]
    Deep(#[from] DeepError),
}

/// Loads what the options name, once. An engine plays on with what is inside it when a net cannot be
/// read, which is right at a board and would make a match about something else.
pub fn check_evaluation(
    options: &[(String, String)],
    game: Game,
    time: &Arc<dyn TimeSource>,
) -> Result<(), UnusableError> {
    let set = |key: &OptionKey<String>| {
        let given = options.iter().rev().find(|(name, _)| key.is_called(name));
        given.map(|(_, value)| value.as_str())
    };
    if set(&ENGINE).is_some_and(|name| name.eq_ignore_ascii_case(PUCT)) {
        let model = set(&DNN_MODEL).unwrap_or_default();
        match set(&DNN_WORKER).filter(|command| !command.is_empty()) {
            Some(command) => deep::start(command, model, game, Arc::clone(time))?,
            None => deep::load(model, game)?,
        };
        return Ok(());
    }
    if let Some(path) = set(&EVAL_DIR) {
        Evaluation::load(Path::new(path), game, DEFAULT_FV_SCALE)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use think::WallTime;

    #[test]
    fn what_cannot_be_read_is_said() {
        let check = |options: &[(&str, &str)]| {
            let options: Vec<(String, String)> =
                options.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
            let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
            check_evaluation(&options, Game::Shogi, &time).map_err(|error| error.to_string())
        };
        assert_eq!(check(&[]), Ok(()));
        assert_eq!(check(&[("EvalDir", "no-such-net"), ("evaldir", "material")]), Ok(()));
        assert!(check(&[("EvalDir", "no-such-net")]).unwrap_err().contains("no-such-net"));
        // The tree search has a net of another kind.
        let tree = [("Engine", "puct"), ("EvalDir", "no-such-net")];
        assert_eq!(check(&tree), Ok(()));
        let named = [tree[0], ("DNN_Model", "no-such-model")];
        assert!(check(&named).unwrap_err().contains("no-such-model"));
    }
}
