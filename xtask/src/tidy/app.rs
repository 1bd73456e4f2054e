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
        for (index, line) in blanked(&file.text).lines().enumerate() {
            for name in named(line).filter(|name| *name != own && commands.contains(*name)) {
                let message = format!("command {own} uses command {name}");
                found.push(Finding::new(&file.path, index + 1, message));
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

/// Modules of the executable that a line names: `crate::a`, `crate::r#a`, `crate::{a, b::c}`.
fn named(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("crate::").flat_map(|(at, mark)| {
        let rest = &line[at + mark.len()..];
        let list = rest.strip_prefix('{').map(|rest| rest.split('}').next().unwrap_or(rest));
        let parts: Vec<&str> =
            list.map_or_else(|| vec![rest], |list| list.split(',').map(str::trim).collect());
        parts.into_iter().map(|part| {
            let part = part.strip_prefix("r#").unwrap_or(part);
            part.split(|c: char| !is_word(c)).next().unwrap_or_default()
        })
    })
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
