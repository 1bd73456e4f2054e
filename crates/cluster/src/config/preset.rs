//! Files that need not be written.

use super::{Config, ConfigError};

/// Names of the presets.
pub const PRESETS: [&str; 1] = ["duo"];

/// Alpha-beta, a tree search and a mate solver, all inside this process, with that many threads
/// among them: one each for tree search and mates, the rest for alpha-beta, which gains most by them. On
/// processors alone a tree search is much the weaker of the two: where they differ, alpha-beta's vote counts.
pub fn duo(threads: usize) -> Result<Config, ConfigError> {
    let alphabeta = threads.saturating_sub(2).max(1);
    Config::parse(&format!(
        "name = \"Nue duo\"\n\
         [[child]]\nname = \"ab\"\ninside = \"alphabeta\"\nweight = 2\n\
         options = {{ Threads = {alphabeta}, USI_Hash = 256 }}\n\
         [[child]]\nname = \"puct\"\ninside = \"puct\"\noptions = {{ Threads = 1 }}\n\
         [[child]]\nname = \"mate\"\ninside = \"alphabeta\"\nrole = \"mate\"\n\
         options = {{ Threads = 1, USI_Hash = 64 }}\n\
         [[group]]\nname = \"duo\"\nchildren = [\"ab\", \"puct\"]\nconsult = \"majority\"\n"
    ))
}
