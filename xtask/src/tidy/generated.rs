//! Files that are generated have a generator that names them and a test that compares.
//!
//! Whether they are fresh is found out where the types are: the test beside each generator makes
//! the file anew and compares. This rule sees to it that no such pair comes apart, and the command
//! runs the test of the page's contract, which changes most often.

use super::{Finding, Tree};
use crate::{cargo, workspace_root};
use std::error::Error;

/// A generated file, and the source whose tests compare it with what it generates.
const GENERATED: &[(&str, &str)] = &[
    ("ui/src/net/contract.ts", "crates/board/src/contract.rs"),
    ("crates/web/src/openapi.json", "crates/board/src/contract.rs"),
    ("docs/options.md", "apps/nue/src/options.rs"),
    ("nets/LEDGER.md", "xtask/src/ledger.rs"),
];

/// Whether the page's contract is what its types say now.
pub(super) fn stale() -> Result<Vec<Finding>, Box<dyn Error>> {
    let output = cargo()
        .args(["test", "--quiet", "-p", "board", "--lib", "contract::"])
        .current_dir(workspace_root())
        .output()?;
    if output.status.success() {
        return Ok(Vec::new());
    }
    // Whatever the reason: a test that did not pass, or types that do not compile.
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    let message = format!("is not what the types say (cargo xtask contract):\n{}", said.trim());
    Ok(vec![Finding::new(GENERATED[0].0, 0, message)])
}

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    check_with(tree, GENERATED)
}

fn check_with(tree: &Tree, generated: &[(&str, &str)]) -> Vec<Finding> {
    let mut found = Vec::new();
    for (path, generator) in generated {
        if !tree.contains(path) {
            found.push(Finding::new(path, 0, "is generated but does not exist"));
        }
        let name = path.rsplit('/').next().unwrap_or(path);
        let source = tree.text(generator).unwrap_or_default();
        if !source.contains(name) {
            found.push(Finding::new(generator, 0, format!("does not generate {path}")));
        }
        if !source.contains("#[test]") {
            let message = format!("has no test that compares {path} with what it generates");
            found.push(Finding::new(generator, 0, message));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generated_file_has_a_generator_and_a_test() {
        let generated = [("docs/a.md", "src/a.rs")];
        let source = "fn a() { write(\"a.md\") }\n#[test]\nfn compared() {}\n";
        for (files, wrong) in [
            (vec![("docs/a.md", "x"), ("src/a.rs", source)], 0),
            (vec![("src/a.rs", source)], 1),
            (vec![("docs/a.md", "x"), ("src/a.rs", "#[test]")], 1),
            (vec![("docs/a.md", "x"), ("src/a.rs", "\"a.md\"")], 1),
            (vec![("docs/a.md", "x")], 2),
        ] {
            assert_eq!(check_with(&Tree::of(&files), &generated).len(), wrong, "{files:?}");
        }
    }
}
