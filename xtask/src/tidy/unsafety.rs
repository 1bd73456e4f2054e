//! `unsafe` stands only where it was agreed on.
//!
//! The compiler denies it too (`unsafe_code`), but a single attribute would lift that; this rule
//! also finds the attribute.

use super::code::{blanked, lines_with_word};
use super::{Finding, Tree};

/// Beginnings of paths that may, and why.
const ALLOWED: &[(&str, &str)] = &[
    ("crates/simd/src/", "vector instructions have no safe form"),
    ("crates/alphabeta/src/memory.rs", "the transposition table's block of zeroed huge pages"),
    ("crates/mate/src/table.rs", "the mate solver's table: zeroed words at once, prefetch"),
    ("bench/", "measures other people's instructions; never part of the product"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    let rust = tree.files.iter().filter(|file| file.extension() == "rs");
    for file in rust.filter(|file| !ALLOWED.iter().any(|(path, _)| file.path.starts_with(path))) {
        let code = blanked(&file.text);
        for word in ["unsafe", "unsafe_code"] {
            for line in lines_with_word(&code, word) {
                found.push(Finding::new(&file.path, line, format!("`{word}` is not allowed here")));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_is_found_outside_its_places() {
        for (path, text, wrong) in [
            ("crates/rules/src/a.rs", "fn f() { unsafe { g() } }", 1),
            ("crates/rules/src/a.rs", "#![allow(unsafe_code)]", 1),
            ("crates/rules/src/a.rs", "// unsafe in words, \"unsafe\" in a string", 0),
            ("crates/rules/src/a.rs", "fn unsafely() {}", 0),
            ("crates/simd/src/avx2.rs", "unsafe { g() }", 0),
            ("crates/alphabeta/src/memory.rs", "unsafe { g() }", 0),
            ("crates/alphabeta/src/search.rs", "unsafe { g() }", 1),
            ("docs/a.md", "unsafe", 0),
        ] {
            assert_eq!(check(&Tree::of(&[(path, text)])).len(), wrong, "{path}: {text}");
        }
    }
}
