//! What a room offers is documented; a field or a variant whose name says it all need not be.
//!
//! The compiler's lint `missing_docs` cannot make that difference (docs/decisions/documentation.md).

use super::code::blanked;
use super::sizes::is_test;
use super::tree::File;
use super::{Finding, Tree};

/// What must be documented where it is public.
const ITEMS: &[&str] = &["fn", "struct", "enum", "trait", "type", "union", "macro"];

/// A constructor that is called what constructors are called needs no sentence.
const NEEDS_NONE: &str = "new";

/// Marks a message between page and server: those are told in docs/web-api.md.
const MESSAGE: &str = "schemars::JsonSchema";

/// What may stand between `pub` and the item.
const QUALIFIERS: &[&str] = &["const", "async", "unsafe"];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let libraries = tree.files.iter().filter(|file| is_library(&file.path) && !is_test(file));
    libraries.flat_map(check_file).collect()
}

/// Sources of rooms; the executable and the tools offer nothing to other code.
fn is_library(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    matches!(parts.as_slice(), ["crates", _, "src", ..]) && path.ends_with(".rs")
}

fn check_file(file: &File) -> Vec<Finding> {
    let mut found = Vec::new();
    let room = file.path.split('/').nth(2) == Some("src") && file.path.ends_with("/src/lib.rs");
    if room && !file.text.starts_with("//!") {
        found.push(Finding::new(&file.path, 0, "does not say what the room is for"));
    }
    let lines: Vec<&str> = file.text.lines().collect();
    for (index, line) in blanked(&file.text).lines().enumerate() {
        if let Some(name) = public_item(line)
            && name != NEEDS_NONE
            && !has_documentation(&lines[..index])
        {
            found.push(Finding::new(&file.path, index + 1, format!("{name} is not documented")));
        }
    }
    found
}

/// The name of the public item that is declared on this line.
fn public_item(line: &str) -> Option<&str> {
    let mut words = line.trim_start().strip_prefix("pub ")?.split_whitespace().peekable();
    while words.peek().is_some_and(|word| QUALIFIERS.contains(word)) {
        words.next();
    }
    let item = words.next()?;
    let name = words.next()?;
    ITEMS.contains(&item).then(|| name.split(|c| !super::code::is_word(c)).next().unwrap_or(name))
}

/// Whether the lines above end with documentation, attributes in between not counted.
fn has_documentation(above: &[&str]) -> bool {
    let mut lines = above.iter().rev().map(|line| line.trim());
    while let Some(line) = lines.next() {
        if line.contains(MESSAGE) {
            return true;
        }
        if line.starts_with("///") || line.starts_with("#[doc") || line.ends_with("*/") {
            return true;
        }
        if line.starts_with("#[") {
            continue;
        }
        if !line.ends_with(']') {
            return false;
        }
        // The last line of an attribute that was broken: its first line begins with the mark.
        if !lines.by_ref().any(|line| line.starts_with("#[")) {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn undocumented_items_are_found_and_fields_are_not() {
        let good = "/// A thing.\n#[derive(Clone)]\npub struct Thing {\n    pub size: usize,\n}\n";
        let broken = "/// A thing.\n#[derive(\n    Clone,\n)]\npub struct Thing;\n";
        for (path, text, wrong) in [
            ("crates/a/src/b.rs", good, 0),
            ("crates/a/src/b.rs", broken, 0),
            ("crates/a/src/b.rs", "#[derive(Clone)]\npub struct Thing;\n", 1),
            ("crates/a/src/b.rs", "fn f() {}\n\npub const fn g() {}\n", 1),
            ("crates/a/src/b.rs", "    pub async fn g() {}\n", 1),
            ("crates/a/src/b.rs", "    pub fn new() -> Self {}\n", 0),
            ("crates/a/src/b.rs", "#[derive(schemars::JsonSchema)]\npub struct A;\n", 0),
            ("crates/a/src/b.rs", "pub(crate) fn f() {}\npub use a::b;\npub mod c;\n", 0),
            ("crates/a/src/b.rs", "pub const SIZE: usize = 1;\n", 0),
            ("crates/a/src/b.rs", "let text = \"\npub fn f() {}\n\";\n", 0),
            ("crates/a/src/lib.rs", "mod b;\n", 1),
            ("crates/a/src/lib.rs", "//! A room.\nmod b;\n", 0),
            ("crates/a/src/b/tests.rs", "pub fn f() {}\n", 0),
            ("crates/a/tests/all/main.rs", "pub fn f() {}\n", 0),
            ("apps/nue/src/b.rs", "pub fn f() {}\n", 0),
        ] {
            assert_eq!(check(&Tree::of(&[(path, text)])).len(), wrong, "{path}: {text}");
        }
    }
}
