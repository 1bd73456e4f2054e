//! Links between documents lead somewhere, and the two READMEs stay twins.

use super::tree::File;
use super::{Finding, Tree};

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let documents = tree.files.iter().filter(|file| file.extension() == "md");
    let mut found: Vec<Finding> = documents.flat_map(|file| dead_links(tree, file)).collect();
    if let (Some(english), Some(japanese)) = (tree.text("README.md"), tree.text("README.ja.md"))
        && shape(english) != shape(japanese)
    {
        let message = format!(
            "not the twin of README.md: {:?} (headings, code blocks, table rows) there, {:?} here",
            shape(english),
            shape(japanese)
        );
        found.push(Finding::new("README.ja.md", 0, message));
    }
    found
}

fn dead_links(tree: &Tree, file: &File) -> Vec<Finding> {
    let mut found = Vec::new();
    for (line, target) in links(&file.text) {
        if target.contains("://") || target.starts_with("mailto:") {
            continue;
        }
        let (path, anchor) = target.split_once('#').unwrap_or((&target, ""));
        let resolved =
            if path.is_empty() { Some(file.path.clone()) } else { resolve(&file.path, path) };
        let Some(resolved) = resolved.filter(|path| tree.contains(path)) else {
            found.push(Finding::new(&file.path, line, format!("dead link {target:?}")));
            continue;
        };
        let text = tree.text(&resolved).unwrap_or_default();
        if !anchor.is_empty() && !anchors(text).iter().any(|known| known == anchor) {
            found.push(Finding::new(&file.path, line, format!("no heading for {target:?}")));
        }
    }
    found
}

/// Lines outside fenced code, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fenced && !fence).then_some((index + 1, line))
    })
}

/// Targets of `[text](target)` with their line numbers; code spans do not count.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in prose(text) {
        let plain: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for part in plain.split("](").skip(1) {
            if let Some((target, _)) = part.split_once(')') {
                found.push((number, target.split_whitespace().next().unwrap_or("").to_owned()));
            }
        }
    }
    found
}

/// The path a relative link means; `None` if it leaves the tree.
fn resolve(from: &str, link: &str) -> Option<String> {
    let mut parts: Vec<&str> = from.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// Anchors of the headings as code hosts make them: lower case, blanks to hyphens, no punctuation.
fn anchors(text: &str) -> Vec<String> {
    let headings = prose(text).filter(|(_, line)| line.starts_with('#'));
    let slug = |line: &str| -> String {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|&c| c.is_alphanumeric() || " -_".contains(c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(|(_, line)| slug(line)).collect()
}

/// Headings, code blocks and table rows of a document.
fn shape(text: &str) -> (usize, usize, usize) {
    let headings = prose(text).filter(|(_, line)| line.starts_with('#')).count();
    let fences = text.lines().filter(|line| line.trim_start().starts_with("```")).count() / 2;
    let rows = prose(text).filter(|(_, line)| line.starts_with('|')).count();
    (headings, fences, rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        let target = ("docs/b.md", "# Big Title, yes\n\n```\n# not a heading\n```\n");
        check(&Tree::of(&[("docs/a.md", text), target, ("LICENSE", "x")])).len()
    }

    #[test]
    fn dead_links_are_found() {
        for (text, wrong) in [
            ("[b](b.md) [l](../LICENSE) [d](../docs) [w](https://example.org/x)", 0),
            ("[b](c.md)", 1),
            ("[b](../../LICENSE)", 1),
            ("[b](b.md#big-title-yes)", 0),
            ("[b](b.md#not-a-heading)", 1),
            ("# Here\n[b](#here)", 0),
            ("[b](#there)", 1),
            ("`[b](c.md)`", 0),
            ("```\n[b](c.md)\n```", 0),
        ] {
            assert_eq!(count(text), wrong, "{text}");
        }
    }

    #[test]
    fn the_readmes_must_have_one_shape() {
        let check = |japanese: &str| {
            check(&Tree::of(&[("README.md", "# a\n|x|\n"), ("README.ja.md", japanese)])).len()
        };
        assert_eq!(check("# あ\n|x|\n"), 0);
        assert_eq!(check("# あ\n|x|\n|y|\n"), 1);
        assert_eq!(check("# あ\n## い\n|x|\n"), 1);
    }
}
