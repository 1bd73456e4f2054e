//! Policy-value nets for the tree search: from a file, or from inside the executable.

use infer::Backend;
use infer::native::{FileError, Native, Net};
use rules::Game;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The net inside the executable, if there is one for the game. How each came to be is in
/// nets/LEDGER.md.
const fn shipped(game: Game) -> Option<&'static [u8]> {
    match game {
        Game::Shogi | Game::Minishogi => None,
    }
}

/// Why there is no net for the tree search.
#[derive(Debug, thiserror::Error)]
pub enum DeepError {
    #[error("this program has no policy-value net for {0} inside it; name a file with DNN_Model")]
    Nothing(Game),
    /// The file cannot be used.
    #[error("{} is not a policy-value net that can be used: {source}", path.display())]
    File { path: PathBuf, source: FileError },
    /// The net inside cannot be used.
    #[error("the policy-value net inside this program cannot be used: {0}")]
    Shipped(FileError),
    /// It is for the other game.
    #[error("{} is a policy-value net for {found}, the game is {game}", path.display())]
    Game {
        path: PathBuf,
        /// The game it is for.
        found: Game,
        /// The game that is played.
        game: Game,
    },
}

/// A net for a game: the file of that name, looked for where the program was started and then
/// beside the executable; the one inside the executable if there is no name.
pub fn load(name: &str, game: Game) -> Result<Arc<dyn Backend>, DeepError> {
    if name.is_empty() {
        let bytes = shipped(game).ok_or(DeepError::Nothing(game))?;
        let net = Net::from_bytes(bytes).map_err(DeepError::Shipped)?;
        return Ok(Arc::new(Native::new(Arc::new(net))));
    }
    let path = find(Path::new(name));
    let net = Net::load(&path).map_err(|source| DeepError::File { path: path.clone(), source })?;
    let found = net.shape().game;
    if found != game {
        return Err(DeepError::Game { path, found, game });
    }
    Ok(Arc::new(Native::new(Arc::new(net))))
}

/// The file meant by a path: interfaces start engines in folders of their own choice.
fn find(path: &Path) -> PathBuf {
    if path.exists() {
        return path.to_owned();
    }
    let executable = std::env::current_exe().ok();
    let beside = executable.and_then(|exe| Some(exe.parent()?.join(path)));
    beside.filter(|beside| beside.exists()).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_used_is_refused_with_a_sentence() {
        for game in Game::ALL {
            if shipped(game).is_none() {
                let text = load("", game).err().map(|e| e.to_string()).unwrap_or_default();
                assert!(text.contains("DNN_Model") && text.contains(game.name()), "{text}");
            } else {
                assert!(load("", game).is_ok());
            }
            let text = load("no such net.nued", game).err().map(|e| e.to_string());
            assert!(text.is_some_and(|text| text.contains("no such net.nued")));
        }
    }
}
