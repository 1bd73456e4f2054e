//! Files that are generated have a generator that names them and a test that compares.
//!
//! Whether they are fresh is found out where the types are: the test beside each generator makes
//! the file anew and compares. This rule sees to it that no such pair comes apart.

use super::{Finding, Tree};

/// A generated file, and the source whose tests compare it with what it generates.
const GENERATED: &[(&str, &str)] = &[
    ("ui/src/net/contract.ts", "crates/board/src/contract.rs"),
    ("crates/web/src/openapi.json", "crates/board/src/contract.rs"),
    ("docs/options.md", "apps/nue/src/options.rs"),
];

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
