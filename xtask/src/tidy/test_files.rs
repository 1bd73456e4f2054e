//! Where tests stand: one program of integration tests to a crate (`tests/all/main.rs`), unit tests in
//! their file or in `foo/tests.rs` (docs/decisions/test-layout.md).

use super::tree::File;
use super::{Finding, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let files = tree.files.iter().filter(|file| file.extension() == "rs");
    files.filter_map(|file| Some(Finding::new(&file.path, 0, objection(file)?))).collect()
}

fn objection(file: &File) -> Option<&'static str> {
    let parts: Vec<&str> = file.path.split('/').collect();
    match parts.as_slice() {
        ["apps" | "crates", _, "tests", _] | ["soak" | "xtask", "tests", _] => {
            Some("is linked into a program of its own: a module of tests/all/main.rs")
        }
        ["apps" | "crates", _, "tests", folder, "main.rs"]
        | ["soak" | "xtask", "tests", folder, "main.rs"]
            if *folder != "all" =>
        {
            Some("a second program of integration tests: a module of tests/all/main.rs")
        }
        [.., name] if name.ends_with("_tests.rs") => {
            Some("unit tests stand at the end of their file foo.rs, or in foo/tests.rs")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_in_other_places_are_found() {
        for (path, wrong) in [
            ("crates/a/tests/all/main.rs", 0),
            ("crates/a/tests/all/b.rs", 0),
            ("crates/a/tests/all/harness/mod.rs", 0),
            ("crates/a/src/b/tests.rs", 0),
            ("crates/a/src/tests/b.rs", 0),
            ("crates/a/tests/b.rs", 1),
            ("apps/a/tests/b.rs", 1),
            ("soak/tests/b.rs", 1),
            ("crates/a/tests/b/main.rs", 1),
            ("crates/a/src/b_tests.rs", 1),
            ("crates/a/tests/b.py", 0),
        ] {
            assert_eq!(check(&Tree::of(&[(path, "")])).len(), wrong, "{path}");
        }
    }
}
