//! Every crate of the workspace takes its lints and its licence from the workspace.

use super::{Finding, Tree};

/// Section and line each manifest must have.
const DEMANDS: &[(&str, &str)] =
    &[("[lints]", "workspace = true"), ("[package]", "license.workspace = true")];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.files.iter().filter(|file| is_member(&file.path)) {
        for (section, line) in DEMANDS {
            if !has(&file.text, section, line) {
                found.push(Finding::new(&file.path, 0, format!("lacks `{line}` in {section}")));
            }
        }
    }
    found
}

/// Members of the root workspace: `apps/*`, `crates/*` and xtask.
fn is_member(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(parts.as_slice(), ["apps" | "crates", _, "Cargo.toml"] | ["xtask", "Cargo.toml"])
}

fn has(text: &str, section: &str, wanted: &str) -> bool {
    let mut inside = false;
    text.lines().map(str::trim).any(|line| {
        if line.starts_with('[') {
            inside = line == section;
        }
        inside && line == wanted
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manifest_without_workspace_lints_or_licence_is_found() {
        let good = "[package]\nlicense.workspace = true\n\n[lints]\nworkspace = true\n";
        for (path, text, wrong) in [
            ("crates/a/Cargo.toml", good, 0),
            ("crates/a/Cargo.toml", "[package]\nlicense.workspace = true\n", 1),
            (
                "crates/a/Cargo.toml",
                "[package]\nlicense.workspace = true\n[lints]\n[x]\nworkspace = true",
                1,
            ),
            ("apps/a/Cargo.toml", "", 2),
            ("xtask/Cargo.toml", "", 2),
            ("bench/Cargo.toml", "", 0),
            ("Cargo.toml", "", 0),
        ] {
            assert_eq!(check(&Tree::of(&[(path, text)])).len(), wrong, "{path}: {text}");
        }
    }
}
