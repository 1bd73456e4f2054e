//! What people who play read exists in Japanese too, and is as new as the English page: the Japanese one
//! notes which text it was translated from.

use super::{Finding, Tree};

/// Pages for people who play.
const PAGES: &[&str] = &[
    "README.md",
    "docs/arena.md",
    "docs/board.md",
    "docs/interfaces.md",
    "docs/kifu.md",
    "docs/options.md",
];

/// Begins the line in which a Japanese page notes the text it was made from; that text's sum follows.
const MARK: &str = "<!-- translated from ";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    check_pages(tree, PAGES)
}

fn check_pages(tree: &Tree, pages: &[&str]) -> Vec<Finding> {
    let mut found = Vec::new();
    for page in pages {
        let japanese = format!("{}.ja.md", page.trim_end_matches(".md"));
        match (tree.text(page), tree.text(&japanese)) {
            (None, _) => found.push(Finding::new(page, 0, "has a translation but does not exist")),
            (_, None) => {
                found.push(Finding::new(&japanese, 0, "is missing: people who play read it"))
            }
            (Some(english), Some(text)) => found.extend(stale(page, english, &japanese, text)),
        }
    }
    let strays = tree.files.iter().filter(|file| file.path.ends_with(".ja.md"));
    for file in strays {
        let page = format!("{}.md", file.path.trim_end_matches(".ja.md"));
        if !pages.contains(&page.as_str()) {
            let message = "not in the list of translated pages (xtask/src/tidy/translations.rs)";
            found.push(Finding::new(&file.path, 0, message));
        }
    }
    found
}

/// The finding of a page that was translated from another text than is there now.
fn stale(page: &str, english: &str, japanese: &str, text: &str) -> Option<Finding> {
    let name = page.rsplit('/').next().unwrap_or(page);
    let wanted = format!("{MARK}{name} {:08x} -->", crc32fast::hash(english.as_bytes()));
    let noted = text.lines().position(|line| line.starts_with(MARK));
    let message = match noted {
        Some(at) if text.lines().nth(at) == Some(wanted.as_str()) => return None,
        Some(_) => format!("{page} has changed: translate what is new, then note {wanted}"),
        None => format!("does not say what it was translated from: note {wanted}"),
    };
    Some(Finding::new(japanese, noted.map_or(0, |at| at + 1), message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_must_be_as_new_as_the_other() {
        let sum = format!("{:08x}", crc32fast::hash(b"text\n"));
        let page = |note: &str| format!("# 題\n\n{note}\n本文\n");
        for (english, japanese, wrong) in [
            ("text\n", Some(page(&format!("<!-- translated from a.md {sum} -->"))), 0),
            ("newer\n", Some(page(&format!("<!-- translated from a.md {sum} -->"))), 1),
            ("text\n", Some(page("")), 1),
            ("text\n", None, 1),
        ] {
            let mut files = vec![("docs/a.md", english)];
            files.extend(japanese.as_deref().map(|text| ("docs/a.ja.md", text)));
            let found = check_pages(&Tree::of(&files), &["docs/a.md"]);
            assert_eq!(found.len(), wrong, "{english} {japanese:?}");
        }
        let message = &check_pages(
            &Tree::of(&[("a.md", "x"), ("a.ja.md", "<!-- translated from a.md 0 -->\n")]),
            &["a.md"],
        )[0];
        assert_eq!(message.line, 1);
        assert!(message.message.contains("note <!-- translated from a.md "), "{message}");
    }

    #[test]
    fn pages_without_the_other_are_found() {
        assert_eq!(check_pages(&Tree::of(&[]), &["a.md"]).len(), 1);
        assert_eq!(check_pages(&Tree::of(&[("docs/b.ja.md", "")]), &[]).len(), 1);
    }
}
