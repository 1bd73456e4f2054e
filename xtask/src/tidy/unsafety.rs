//! `unsafe` stands only where it was agreed on: in the files that ARCHITECTURE.md lists.
//!
//! The compiler denies it too (`unsafe_code`), but a single attribute would lift that; this rule
//! also finds the attribute. The list in the document is the only one, and it is kept true: what
//! is listed exists and needs it.

use super::code::{blanked, lines_with_word};
use super::{Finding, Tree};

const DOCUMENT: &str = "ARCHITECTURE.md";

/// The heading under which a list names files and folders, each in backquotes at the start.
const HEADING: &str = "## Where `unsafe` stands";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let allowed = allowed(tree.text(DOCUMENT).unwrap_or_default());
    let mut needed = vec![false; allowed.len()];
    let mut found = Vec::new();
    for file in tree.files.iter().filter(|file| file.extension() == "rs") {
        let code = blanked(&file.text);
        let lines: Vec<(usize, &str)> = ["unsafe", "unsafe_code"]
            .into_iter()
            .flat_map(|word| lines_with_word(&code, word).into_iter().map(move |line| (line, word)))
            .collect();
        let place = allowed.iter().position(|(_, path)| is_within(&file.path, path));
        match place {
            Some(index) => needed[index] |= !lines.is_empty(),
            None => found.extend(lines.iter().map(|(line, word)| {
                Finding::new(&file.path, *line, format!("`{word}` is not allowed here"))
            })),
        }
    }
    for ((line, path), _) in allowed.iter().zip(needed).filter(|(_, needed)| !needed) {
        found.push(Finding::new(DOCUMENT, *line, format!("there is no `unsafe` in {path}")));
    }
    found
}

/// A folder ends with a slash.
fn is_within(path: &str, place: &str) -> bool {
    if place.ends_with('/') { path.starts_with(place) } else { path == place }
}

/// The places of the list with their lines.
fn allowed(document: &str) -> Vec<(usize, &str)> {
    let lines = document.lines().enumerate().map(|(index, line)| (index + 1, line));
    let section = lines.skip_while(|(_, line)| *line != HEADING).skip(1);
    let section = section.take_while(|(_, line)| !line.starts_with('#'));
    let places = section.filter_map(|(number, line)| {
        let rest = line.strip_prefix("- `")?;
        Some((number, rest.split('`').next()?))
    });
    places.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "# A\n- `not/this.rs`: no\n## Where `unsafe` stands\n\nText.\n\n\
                        - `crates/simd/src/`: vectors\n- `crates/a/src/memory.rs`: a table,\n  \
                        of pages\n\n## Else\n- `nor/this.rs`\n";

    #[test]
    fn unsafe_is_found_outside_its_places() {
        for (path, text, wrong) in [
            ("crates/rules/src/a.rs", "fn f() { unsafe { g() } }", 1),
            ("crates/rules/src/a.rs", "#![allow(unsafe_code)]", 1),
            ("crates/rules/src/a.rs", "// unsafe in words, \"unsafe\" in a string", 0),
            ("crates/rules/src/a.rs", "fn unsafely() {}", 0),
            ("crates/simd/src/avx512.rs", "unsafe { g() }", 0),
            ("crates/a/src/search.rs", "unsafe { g() }", 1),
            ("not/this.rs", "unsafe { g() }", 1),
            ("docs/a.md", "unsafe", 0),
        ] {
            let tree = Tree::of(&[
                (DOCUMENT, LIST),
                ("crates/simd/src/avx2.rs", "unsafe { g() }"),
                ("crates/a/src/memory.rs", "unsafe { g() }"),
                (path, text),
            ]);
            assert_eq!(check(&tree).len(), wrong, "{path}: {text}");
        }
    }

    #[test]
    fn what_is_listed_must_need_it() {
        let listed = [(DOCUMENT, LIST), ("crates/simd/src/avx2.rs", "unsafe { g() }")];
        assert_eq!(check(&Tree::of(&listed)).len(), 1, "a file that does not exist");
        let tame = [listed[0], listed[1], ("crates/a/src/memory.rs", "fn f() {}")];
        assert_eq!(check(&Tree::of(&tame)).len(), 1, "a file without any");
        assert_eq!(check(&Tree::of(&[("a.rs", "unsafe {}")])).len(), 1, "no list at all");
    }
}
