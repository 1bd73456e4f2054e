//! The executable stays thin: flags, one call into a room, printing. No command uses another.

use super::code::{blanked, is_word};
use super::sizes::{is_test, lines_without_tests};
use super::{Finding, Tree};
use std::collections::BTreeSet;

/// Lines the executable may have, its tests not counted.
const LARGEST: usize = 6_000;

const SOURCE: &str = "apps/nue/src/";
const MAIN: &str = "apps/nue/src/main.rs";

/// The size of the executable.
pub(super) fn size(tree: &Tree) -> Vec<Finding> {
    let lines = lines(tree);
    if lines <= LARGEST {
        return Vec::new();
    }
    vec![Finding::new(SOURCE, 0, format!("{lines} lines without tests, the limit is {LARGEST}"))]
}

fn lines(tree: &Tree) -> usize {
    let sources = tree.files.iter().filter(|file| file.path.starts_with(SOURCE));
    let sources = sources.filter(|file| file.extension() == "rs" && !is_test(file));
    sources.map(lines_without_tests).sum()
}

/// Arrows between commands. What two commands need belongs to a room.
pub(super) fn arrows(tree: &Tree) -> Vec<Finding> {
    let commands = commands(tree.text(MAIN).unwrap_or_default());
    let mut found = Vec::new();
    for file in tree.files.iter().filter(|file| file.extension() == "rs" && file.path != MAIN) {
        let Some(own) = command_of(&file.path) else { continue };
        if !commands.contains(own) {
            continue;
        }
        let code = blanked(&file.text);
        for (line, name) in named(&code, &file.path, lines_without_tests(file)) {
            if name != own && commands.contains(name) {
                let message = format!("command {own} uses command {name}");
                found.push(Finding::new(&file.path, line, message));
            }
        }
    }
    found
}

/// The modules that `main` calls as `module::run(…)`.
fn commands(main: &str) -> BTreeSet<&str> {
    let before = main.split("::run(").map(str::trim_end);
    let names = before.filter_map(|text| text.rsplit(|c: char| !is_word(c)).next());
    names.filter(|name| !name.is_empty()).collect()
}

/// The command a file belongs to: `go` for `apps/nue/src/go.rs` and `apps/nue/src/go/table.rs`.
fn command_of(path: &str) -> Option<&str> {
    let rest = path.strip_prefix(SOURCE)?;
    rest.split(['/', '.']).next()
}

/// Modules of the executable that a text names, with their lines: `crate::a`, `crate::r#a`,
/// `crate::{a, b::c}` over however many lines, and the same from `super::`, as many of them as lead
/// up to the crate. In the tests at the end of a file one more leads to the file itself.
fn named<'a>(code: &'a str, path: &str, before_tests: usize) -> Vec<(usize, &'a str)> {
    let depth = path.strip_prefix(SOURCE).map_or(0, |rest| rest.matches('/').count());
    let up = "super::".repeat(depth + 1);
    let line_of = |at: usize| code[..at].matches('\n').count() + 1;
    let begins_a_path = |at: usize| {
        let before = &code[..at];
        !before.ends_with(is_word) && !before.trim_end().ends_with("::")
    };
    let mut found = Vec::new();
    for root in ["crate::", up.as_str()] {
        for (at, _) in code.match_indices(root).filter(|(at, _)| begins_a_path(*at)) {
            let first = line_of(at);
            if root == "crate::" || first <= before_tests {
                let list = first_words(&code[at + root.len()..]);
                found.extend(
                    list.into_iter().map(|(after, name)| (line_of(at + root.len() + after), name)),
                );
            }
        }
    }
    found
}

/// The first word of a path, or of each path of a list in braces, with its place in the text.
fn first_words(text: &str) -> Vec<(usize, &str)> {
    let word = |at: usize| {
        let blank = |text: &str| text.len() - text.trim_start().len();
        let at = at + blank(&text[at..]);
        let at = if text[at..].starts_with("r#") { at + 2 } else { at };
        (at, text[at..].split(|c: char| !is_word(c)).next().unwrap_or_default())
    };
    if !text.starts_with('{') {
        return vec![word(0)];
    }
    let mut found = vec![word(1)];
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => break,
            '}' => depth -= 1,
            ',' if depth == 1 => found.push(word(at + 1)),
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN_TEXT: &str = "None => shell::run(x),\nSome(Command::Go(args)) => go::run(&args),\n\
                             Some(Command::Match(args)) => r#match::run(*args),\n";

    #[test]
    fn commands_are_those_that_main_runs() {
        assert_eq!(commands(MAIN_TEXT).into_iter().collect::<Vec<_>>(), ["go", "match", "shell"]);
    }

    #[test]
    fn no_command_uses_another() {
        for (path, text, wrong) in [
            ("apps/nue/src/go.rs", "use crate::r#match::entries;", 1),
            ("apps/nue/src/go.rs", "use crate::{output, shell};", 1),
            (
                "apps/nue/src/go.rs",
                "use crate::{\n    output::{self, Output},\n    shell::Line,\n};",
                1,
            ),
            ("apps/nue/src/go.rs", "use crate::{output::{shell, go}, r#match};", 1),
            ("apps/nue/src/go.rs", "use super::shell;", 1),
            (
                "apps/nue/src/go.rs",
                "use super::output;\n#[cfg(test)]\nmod tests {\n use super::shell;",
                0,
            ),
            ("apps/nue/src/go/table.rs", "use super::super::shell;", 1),
            ("apps/nue/src/go/table.rs", "use super::shell;", 0),
            ("apps/nue/src/go/table.rs", "let x = crate::shell::y();", 1),
            ("apps/nue/src/go/table.rs", "use crate::go::args; use crate::output::Output;", 0),
            ("apps/nue/src/go.rs", "// crate::shell is another command", 0),
            ("apps/nue/src/start.rs", "use crate::go::x;", 0),
            ("crates/usi/src/go.rs", "use crate::shell;", 0),
        ] {
            let tree = Tree::of(&[(MAIN, MAIN_TEXT), (path, text)]);
            assert_eq!(arrows(&tree).len(), wrong, "{path}: {text}");
        }
    }

    #[test]
    fn an_arrow_is_reported_where_it_stands() {
        let text = "\nuse crate::{\n    output,\n    shell,\n};\n";
        let found = arrows(&Tree::of(&[(MAIN, MAIN_TEXT), ("apps/nue/src/go.rs", text)]));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].to_string(), "apps/nue/src/go.rs:4: command go uses command shell");
    }

    #[test]
    fn the_size_is_counted_without_tests() {
        let text = |n: usize| "x\n".repeat(n);
        let tested = format!("{}#[cfg(test)]\nmod tests {{\n{}", text(LARGEST), text(100));
        for (path, text, wrong) in [
            ("apps/nue/src/a.rs", text(LARGEST), 0),
            ("apps/nue/src/a.rs", text(LARGEST + 1), 1),
            ("apps/nue/src/a.rs", tested, 0),
            ("apps/nue/src/a/tests.rs", text(LARGEST + 1), 0),
            ("apps/nue/tests/all/a.rs", text(LARGEST + 1), 0),
            ("crates/a/src/a.rs", text(LARGEST + 1), 0),
        ] {
            assert_eq!(size(&Tree::of(&[(path, &text)])).len(), wrong, "{path}");
        }
    }
}
