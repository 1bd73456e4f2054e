//! Every crate of the workspace takes its lints and its licence from the workspace, and a crate
//! that says its library has no tests has none: they would never run.

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
        if has(&file.text, "[lib]", "test = false") {
            found.extend(tests_never_run(tree, file.path.trim_end_matches("Cargo.toml")));
        }
    }
    found
}

fn tests_never_run(tree: &Tree, folder: &str) -> Vec<Finding> {
    let sources = format!("{folder}src/");
    let files = tree.files.iter().filter(|file| file.path.starts_with(&sources));
    let tests = files.flat_map(|file| {
        let lines = file.lines().filter(|(_, line)| line.trim() == "#[cfg(test)]");
        lines.map(|(line, _)| Finding::new(&file.path, line, "tests here never run: see [lib]"))
    });
    tests.collect()
}

/// Members of the root workspace: `apps/*`, `crates/*`, soak and xtask.
pub(super) fn is_member(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(
        parts.as_slice(),
        ["apps" | "crates", _, "Cargo.toml"] | ["soak" | "xtask", "Cargo.toml"]
    )
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

    #[test]
    fn unit_tests_of_a_library_that_has_none_are_found() {
        let manifest = "[package]\nlicense.workspace = true\n[lib]\ntest = false\n\
                        [lints]\nworkspace = true\n";
        for (path, wrong) in
            [("crates/a/src/b.rs", 1), ("crates/a/tests/all/b.rs", 0), ("crates/b/src/b.rs", 0)]
        {
            let files = [("crates/a/Cargo.toml", manifest), (path, "#[cfg(test)]\nmod tests;\n")];
            assert_eq!(check(&Tree::of(&files)).len(), wrong, "{path}");
        }
    }
}
