//! Files stay small enough to be read in one go.

use super::tree::File;
use super::{Finding, Tree};

/// Lines a program file may have, its tests not counted.
const LONGEST: usize = 500;

/// A text people must read before they start.
const CONTRIBUTING_LONGEST: usize = 100;

/// Files that are longer for a reason: path, lines they may have, the reason.
const EXCEPTIONS: &[(&str, usize, &str)] = &[
    (
        "crates/alphabeta/src/search.rs",
        600,
        "one node of the search, meant to be read from top to bottom in numbered steps",
    ),
    ("ui/src/net/contract.ts", 1200, "made by cargo xtask contract, one field to a line"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    check_with(tree, EXCEPTIONS)
}

fn check_with(tree: &Tree, exceptions: &[(&str, usize, &str)]) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.files.iter().filter(|file| is_written(file) && !is_test(file)) {
        let lines = lines_without_tests(file);
        let exception = exceptions.iter().find(|(path, ..)| *path == file.path);
        let limit = exception.map_or(LONGEST, |&(_, limit, _)| limit);
        if lines > limit {
            found.push(Finding::new(&file.path, 0, format!("{lines} lines, the limit is {limit}")));
        } else if exception.is_some() && lines <= LONGEST {
            found.push(Finding::new(&file.path, 0, "no longer needs its exception of size"));
        }
    }
    for (path, ..) in exceptions.iter().filter(|(path, ..)| tree.text(path).is_none()) {
        found.push(Finding::new(path, 0, "has an exception of size but does not exist"));
    }
    let contributing = tree.text("CONTRIBUTING.md").unwrap_or_default().lines().count();
    if contributing > CONTRIBUTING_LONGEST {
        let message = format!("{contributing} lines, the limit is {CONTRIBUTING_LONGEST}");
        found.push(Finding::new("CONTRIBUTING.md", 0, message));
    }
    found
}

/// Whether a person writes it, as against a program that is generated and says so at the top.
fn is_written(file: &File) -> bool {
    let generated = file.text.lines().next().is_some_and(|line| line.contains("do not edit"));
    file.is_program() && !generated
}

/// Whether the whole file is test code.
pub(super) fn is_test(file: &File) -> bool {
    let stem = file.name().split('.').next().unwrap_or_default();
    let folders = &file.path[..file.path.len() - file.name().len()];
    folders.split('/').any(|folder| folder == "tests")
        || stem == "tests"
        || stem.starts_with("test_")
        || file.name().ends_with(".test.ts")
}

/// Lines up to the test module that closes a Rust file.
pub(super) fn lines_without_tests(file: &File) -> usize {
    let lines: Vec<&str> = file.text.lines().collect();
    lines
        .windows(2)
        .position(|pair| {
            pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{')
        })
        .unwrap_or(lines.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_files_are_found_and_tests_are_not_counted() {
        let lines = |n: usize| "x\n".repeat(n);
        let with_tests = format!("{}#[cfg(test)]\nmod tests {{\n{}", lines(LONGEST), lines(900));
        for (path, text, wrong) in [
            ("crates/a/src/b.rs", lines(LONGEST), 0),
            ("crates/a/src/b.rs", lines(LONGEST + 1), 1),
            ("python/b.py", lines(LONGEST + 1), 1),
            ("web/ui/b.ts", lines(LONGEST + 1), 1),
            ("docs/b.md", lines(LONGEST + 1), 0),
            ("ui/b.ts", format!("// Made by x: do not edit.\n{}", lines(LONGEST + 1)), 0),
            ("crates/a/src/b.rs", with_tests, 0),
            ("crates/a/tests/b.rs", lines(900), 0),
            ("crates/a/src/b/tests.rs", lines(900), 0),
            ("crates/a/src/b_tests.rs", lines(900), 1),
            ("CONTRIBUTING.md", lines(101), 1),
        ] {
            assert_eq!(check_with(&Tree::of(&[(path, &text)]), &[]).len(), wrong, "{path}");
        }
    }

    #[test]
    fn exceptions_are_honoured_and_must_stay_true() {
        let exceptions = [("a.rs", 600, "a table")];
        for (lines, wrong) in [(600, 0), (601, 1), (10, 1)] {
            let tree = Tree::of(&[("a.rs", &"x\n".repeat(lines))]);
            assert_eq!(check_with(&tree, &exceptions).len(), wrong, "{lines}");
        }
        assert_eq!(check_with(&Tree::of(&[]), &exceptions).len(), 1);
    }
}
