//! `nue --version`: which program this is, and which nets are inside.

use crate::failure::{CommandResult, Failure};
use rules::Game;
use std::io::{self, Write};

/// The version and, where it is known, the commit.
fn short() -> String {
    let version = env!("CARGO_PKG_VERSION");
    match env!("NUE_COMMIT") {
        "" => format!("nue {version}"),
        commit => format!("nue {version} ({commit})"),
    }
}

/// Prints them, and a line for each net of each game, as the ledger of nets names it.
pub(crate) fn run() -> CommandResult {
    let mut out = io::stdout().lock();
    writeln!(out, "{}", short())?;
    for game in Game::ALL {
        writeln!(out, "net: {}", assembly::shipped(game).fingerprint()?)?;
        let policy_value = assembly::deep::fingerprint(game);
        writeln!(out, "net: {}", policy_value.map_err(|e| Failure::failed(e.to_string()))?)?;
    }
    Ok(())
}
