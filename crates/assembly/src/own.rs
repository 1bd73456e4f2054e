//! One of our two searches with what it plays by, as options choose it: loaded once, for many engines.

use crate::deep::{self, DeepError, LoadedNet, NetChoice, tree_search};
use crate::equipped::{ENGINE, EVAL_DIR, PUCT};
use crate::evaluation::{Evaluation, LoadError};
use crate::search::search;
use nnue::Isa;
use rules::Game;
use std::io;
use std::path::Path;
use std::sync::Arc;
use think::{Engine, OptionError, OptionKey, Settings, TimeSource, WallTime};

/// A search and what it plays by. Unlike an engine that loads by options as a game goes on, it is what was asked
/// for or an error: games of another search than the one that was meant would be worse than none.
#[derive(Clone)]
pub enum OwnSearch {
    AlphaBeta(Evaluation),
    Tree(LoadedNet),
}

/// Why there is no such search.
#[derive(Debug, thiserror::Error)]
pub enum OwnSearchError {
    #[error(transparent)]
    Option(#[from] OptionError),
    #[error(transparent)]
    Evaluation(#[from] LoadError),
    #[error(transparent)]
    Net(#[from] DeepError),
    /// An evaluation for the search that has none.
    #[error("the tree search plays by the net of DNN_Model, not by {0}")]
    Evaluated(String),
}

/// The options that choose a search and its net.
fn chooser() -> Settings {
    Settings::new([ENGINE.spec()].into_iter().chain(deep::specs()).collect())
}

/// Options as they are given: names and values.
pub type Given = [(String, String)];

impl OwnSearch {
    /// The search that `Engine` and `DNN_…` among the options choose. `net` and `fv_scale` are alpha-beta's, as for
    /// [`Evaluation::as_engine`]. Also says which it is, in words.
    pub fn load(
        options: &Given,
        (net, fv_scale): (Option<&Path>, i32),
        game: Game,
        time: &Arc<dyn TimeSource>,
    ) -> Result<(Self, String), OwnSearchError> {
        let mut settings = chooser();
        for (name, value) in options {
            if settings.find(name).is_some() {
                settings.set(name, value)?;
            }
        }
        if settings.get(&ENGINE) != PUCT {
            let (evaluation, about) = Evaluation::as_engine(net, game, fv_scale)?;
            return Ok((Self::AlphaBeta(evaluation), about));
        }
        if let Some(net) = net {
            return Err(OwnSearchError::Evaluated(net.display().to_string()));
        }
        let choice = NetChoice::of(|key| settings.get(key));
        let net = LoadedNet::load(choice, game, time)?;
        let about = format!("tree search, {}", net.describe());
        Ok((Self::Tree(net), about))
    }

    /// Whether an engine with these options would find what they name. It plays on with what is inside it when a net
    /// cannot be read, which is right at a board and would make a match about something else.
    pub fn check(options: &Given, game: Game) -> Result<(), OwnSearchError> {
        let set = |key: &OptionKey<String>| {
            let given = options.iter().rev().find(|(name, _)| key.is_called(name));
            given.map(|(_, value)| value.as_str())
        };
        if set(&ENGINE).is_some_and(|name| name.eq_ignore_ascii_case(PUCT)) {
            let choice = NetChoice::of(|key| set(key).unwrap_or_default().to_owned());
            let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
            choice.open(game, &time)?;
        } else if let Some(path) = set(&EVAL_DIR) {
            Evaluation::load(Path::new(path), game, nnue::DEFAULT_FV_SCALE)?;
        }
        Ok(())
    }

    /// Whether the options choose the tree search.
    pub fn is_tree(options: &Given) -> bool {
        let last = options.iter().rev().find(|(name, _)| ENGINE.is_called(name));
        last.is_some_and(|(_, value)| value == PUCT)
    }

    /// The programs and libraries that options would have started or loaded besides this one, in words; `None` for
    /// none.
    pub fn others(options: &Given) -> Option<String> {
        let foreign = |(name, value): &(String, String)| {
            let other = deep::DNN_WORKER.is_called(name) || deep::DNN_LIBRARY.is_called(name);
            (other && !value.is_empty()).then(|| format!("{name}={value}"))
        };
        options.iter().find_map(foreign)
    }

    /// What is left of options for the engine itself.
    pub fn rest(options: &Given) -> Vec<(String, String)> {
        let chooser = chooser();
        let rest = options.iter().filter(|(name, _)| chooser.find(name).is_none());
        rest.cloned().collect()
    }

    /// The same with another instruction set, where there is a choice.
    #[must_use]
    pub fn with_isa(self, isa: Isa) -> Self {
        match self {
            Self::AlphaBeta(evaluation) => Self::AlphaBeta(evaluation.with_isa(isa)),
            tree @ Self::Tree(_) => tree,
        }
    }

    /// A text that tells what it plays by from everything else of the kind.
    pub fn fingerprint(&self) -> io::Result<String> {
        match self {
            Self::AlphaBeta(evaluation) => evaluation.fingerprint(),
            Self::Tree(net) => Ok(net.fingerprint().to_owned()),
        }
    }

    /// An engine of it. A net that another program or library computes is opened anew for each.
    pub fn engine(
        &self,
        game: Game,
        time: &Arc<dyn TimeSource>,
    ) -> Result<Box<dyn Engine>, DeepError> {
        match self {
            Self::AlphaBeta(evaluation) => Ok(search(game, evaluation, Arc::clone(time))),
            Self::Tree(net) => Ok(tree_search(net.backend(time)?, Arc::clone(time))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use think::ManualTime;

    fn given(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    fn loaded(pairs: &[(&str, &str)], net: Option<&str>) -> Result<OwnSearch, OwnSearchError> {
        let time: Arc<dyn TimeSource> = Arc::new(ManualTime::new());
        let net = (net.map(Path::new), 16);
        OwnSearch::load(&given(pairs), net, Game::Minishogi, &time).map(|(search, _)| search)
    }

    #[test]
    fn options_choose_the_search_or_are_an_error() {
        assert!(matches!(loaded(&[], Some("material")), Ok(OwnSearch::AlphaBeta(_))));
        let tree = loaded(&[("engine", "puct")], None).unwrap();
        let name = tree.fingerprint().unwrap();
        assert_eq!(name, deep::fingerprint(Game::Minishogi).unwrap());
        let time: Arc<dyn TimeSource> = Arc::new(ManualTime::new());
        let mut engine = tree.engine(Game::Minishogi, &time).unwrap();
        engine.set_option("UCT_Threads", "1").unwrap();
        for (pairs, net, why) in [
            (&[("Engine", "chess")][..], None, "alphabeta, puct"),
            (&[("Engine", "puct")], Some("nn.bin"), "nn.bin"),
            (&[("Engine", "puct"), ("DNN_Model", "no.nued")], None, "no.nued"),
        ] {
            let text = loaded(pairs, net).err().map(|e| e.to_string()).unwrap_or_default();
            assert!(text.contains(why), "{pairs:?}: {text}");
        }
    }

    #[test]
    fn what_the_engine_is_given_is_the_rest() {
        let options = given(&[("Engine", "puct"), ("Gumbel_Moves", "8"), ("dnn_model", "x")]);
        assert_eq!(OwnSearch::rest(&options), given(&[("Gumbel_Moves", "8")]));
        assert!(OwnSearch::is_tree(&options) && !OwnSearch::is_tree(&options[1..]));
        assert_eq!(OwnSearch::others(&options), None);
        let program = given(&[("DNN_Worker", "sh -c 'rm x'")]);
        assert!(OwnSearch::others(&program).is_some_and(|text| text.contains("rm x")));
    }
}
