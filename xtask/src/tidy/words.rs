//! Words that must not stand in the tree: unfinished work, and names that say nothing.

use super::code::{blanked, lines_with_word};
use super::tree::File;
use super::{Finding, Tree};

/// Macros that mean "not finished" or "left over".
const MACROS: &[&str] = &["todo", "unimplemented", "dbg"];

/// Marks of unfinished work in any text. Put together here so that this file passes its own rule.
const MARKS: &[&str] = &[concat!("FIX", "ME"), concat!("XX", "X"), concat!("TO", "DO")];

/// Names that could be anything. A room or a file is called after what is in it.
const EMPTY_NAMES: &[&str] =
    &["util", "utils", "common", "helper", "helpers", "misc", "manager", "managers"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in &tree.files {
        found.extend(empty_path(file));
        if is_written(file) {
            for mark in MARKS {
                for line in lines_with_word(&file.text, mark) {
                    found.push(Finding::new(&file.path, line, format!("unfinished work: {mark}")));
                }
            }
        }
        if file.extension() == "rs" {
            found.extend(rust(file));
        }
    }
    found
}

/// Text we write ourselves, as against data that may contain anything.
fn is_written(file: &File) -> bool {
    let extensions =
        ["", "rs", "py", "ts", "tsx", "js", "sh", "toml", "md", "yml", "yaml", "html", "css"];
    extensions.contains(&file.extension())
}

fn empty_path(file: &File) -> Option<Finding> {
    file.path.split('/').find_map(|part| {
        let stem = part.split('.').next().unwrap_or(part);
        EMPTY_NAMES
            .contains(&stem)
            .then(|| Finding::new(&file.path, 0, format!("the name {stem:?} says nothing")))
    })
}

fn rust(file: &File) -> Vec<Finding> {
    let code = blanked(&file.text);
    let mut found = Vec::new();
    for (index, line) in code.lines().enumerate() {
        let number = index + 1;
        for name in MACROS {
            let call = format!("{name}!");
            if line.contains(&call) && !lines_with_word(line, name).is_empty() {
                found.push(Finding::new(&file.path, number, format!("{call} is left over")));
            }
        }
        if line.contains("env::temp_dir") {
            let message =
                "temporary files and folders are made, and removed, by the crate tempfile";
            found.push(Finding::new(&file.path, number, message));
        }
        if line.trim_start().starts_with("#[path") {
            let message = "a module stands where its name says: no #[path]";
            found.push(Finding::new(&file.path, number, message));
        }
        let Some((_, after)) = line.split_once("mod ") else { continue };
        let name = after.split(|c: char| !super::code::is_word(c)).next().unwrap_or_default();
        if EMPTY_NAMES.contains(&name) {
            found.push(Finding::new(&file.path, number, format!("the name {name:?} says nothing")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_found_where_it_counts() {
        let mark = MARKS[0];
        for (path, text, wrong) in [
            ("a.rs", "fn f() { todo!() }".to_owned(), 1),
            ("a.rs", "fn f() { x(dbg!(1)); unimplemented!() }".to_owned(), 2),
            ("a.rs", "// todo!() in a comment, \"dbg!\" in a string".to_owned(), 0),
            ("a.rs", "fn f() { my_todo!() }".to_owned(), 0),
            ("a.rs", format!("// {mark}: later"), 1),
            ("a.md", format!("{mark} later"), 1),
            ("script/a", MARKS[1].to_owned(), 1),
            ("a.rs", format!("// {}", MARKS[2]), 1),
            ("a.rs", "const AXXXB: u8 = 0;".to_owned(), 0),
            ("data/a.csa", MARKS[1].to_owned(), 0),
            ("crates/a/src/utils.rs", String::new(), 1),
            ("crates/common/src/lib.rs", String::new(), 1),
            ("crates/a/tests/helpers/mod.rs", String::new(), 1),
            ("crates/a/src/commonly.rs", String::new(), 0),
            ("a.rs", "mod misc;".to_owned(), 1),
            ("a.rs", "pub(crate) mod manager {".to_owned(), 1),
            ("a.rs", "mod movegen;".to_owned(), 0),
            ("a.rs", "let path = std::env::temp_dir().join(\"x\");".to_owned(), 1),
            ("a.rs", "let folder = tempfile::tempdir(); // not env::temp_dir".to_owned(), 0),
            ("a.rs", "#[path = \"a_tests.rs\"]\nmod tests;".to_owned(), 1),
        ] {
            assert_eq!(check(&Tree::of(&[(path, &text)])).len(), wrong, "{path}: {text}");
        }
    }
}
