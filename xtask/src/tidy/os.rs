//! Only the room `os` asks which operating system it runs on: what differs stands in one place.
//!
//! Seen are conditions of compilation, the modules of the standard library for single systems, and the
//! files through which Linux tells of itself. Tests may ask: they send signals, make links and fill
//! disks. What a room's manifest may name is the rule of the layers.

use super::code::{blanked, is_word, lines_with_word};
use super::sizes::{is_test, lines_without_tests};
use super::tree::File;
use super::{Finding, Tree};

/// Where it may be asked.
const ROOM: &str = "crates/os/";

/// Code that is not of the product.
const BESIDE: &[&str] = &["/examples/", "/benches/", "crates/fixtures/"];

/// Words of conditions of compilation, which mean nothing else where they follow `cfg`.
const CONDITIONS: &[&str] = &["unix", "windows", "target_os", "target_family", "target_env"];

/// A condition that asks for no operating system: what the page's own engine is built without.
const BROWSER: &str = "target_family = \"wasm\"";

/// Words that stand for the system wherever they are code.
const WORDS: &[&str] = &["libc", "rustix", "windows_sys", "ctrlc", "signal_hook_registry"];

/// Files of Linux, in texts.
const FILES: &[&str] = &["\"/proc/", "\"/sys/"];

/// Files that ask all the same: path and reason.
const EXCEPTIONS: &[(&str, &str)] = &[];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    check_with(tree, EXCEPTIONS)
}

fn check_with(tree: &Tree, exceptions: &[(&str, &str)]) -> Vec<Finding> {
    let mut found = Vec::new();
    for file in tree.files.iter().filter(|file| is_product(file)) {
        let asked = questions(file);
        let excepted = exceptions.iter().any(|(path, _)| *path == file.path);
        if excepted && asked.is_empty() {
            found.push(Finding::new(&file.path, 0, "no longer needs its exception of the system"));
        }
        if !excepted {
            found.extend(asked.into_iter().map(|(line, word)| {
                let message = format!("asks for the operating system ({word}): ask the room os");
                Finding::new(&file.path, line, message)
            }));
        }
    }
    for (path, _) in exceptions.iter().filter(|(path, _)| tree.text(path).is_none()) {
        found.push(Finding::new(path, 0, "has an exception of the system but does not exist"));
    }
    found
}

fn is_product(file: &File) -> bool {
    let inside = ["crates/", "apps/"].iter().any(|folder| file.path.starts_with(folder));
    let beside = BESIDE.iter().any(|part| file.path.contains(part));
    inside && !beside && file.extension() == "rs" && !file.path.starts_with(ROOM) && !is_test(file)
}

/// Lines of the file, tests left out, on which the system is asked for, and by what word.
fn questions(file: &File) -> Vec<(usize, &'static str)> {
    let end = lines_of_product(file);
    let code = blanked(&file.text);
    let mut found = Vec::new();
    for word in WORDS {
        found.extend(lines_with_word(&code, word).into_iter().map(|line| (line, *word)));
    }
    for (index, (line, text)) in code.lines().zip(file.text.lines()).enumerate() {
        if ["std::os::", "core::os::", "signal::unix", "signal::windows"]
            .iter()
            .any(|path| line.contains(path))
        {
            found.push((index + 1, "std::os"));
        }
        if !text.contains(BROWSER)
            && let Some(condition) = line.find("cfg").map(|at| &line[at..])
            && let Some(word) = CONDITIONS.iter().find(|word| has_word(condition, word))
        {
            found.push((index + 1, *word));
        }
        if let Some(name) = FILES.iter().find(|name| text.contains(**name)) {
            found.push((index + 1, *name));
        }
    }
    found.retain(|(line, _)| *line <= end);
    found.sort_unstable();
    found
}

/// Lines before the tests that close the file, also those for one system only.
fn lines_of_product(file: &File) -> usize {
    let for_some = file.text.lines().position(|line| line.starts_with("#[cfg(all(test,"));
    lines_without_tests(file).min(for_some.unwrap_or(usize::MAX))
}

fn has_word(text: &str, word: &str) -> bool {
    text.split(|c| !is_word(c)).any(|part| part == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_found_where_the_product_asks_them() {
        for (path, text, wrong) in [
            ("crates/a/src/b.rs", "#[cfg(unix)]\nfn f() {}\n", 1),
            ("crates/a/src/b.rs", "let x = cfg!(target_os = \"linux\");\n", 1),
            ("crates/a/src/b.rs", "#[cfg(not(any(unix, windows)))]\nfn f() {}\n", 1),
            ("crates/a/src/b.rs", "use std::os::fd::AsFd;\nlibc::getpid();\n", 2),
            ("crates/a/src/b.rs", "fs::read_to_string(\"/proc/meminfo\");\n", 1),
            ("apps/nue/src/b.rs", "ctrlc::set_handler(f);\n", 1),
            ("crates/a/src/b.rs", "for pair in bytes.windows(2) {}\n", 0),
            ("crates/a/src/b.rs", "#[cfg(test)]\nmod tests {\n    #[cfg(unix)]\n}\n", 0),
            ("crates/a/src/b.rs", "#[cfg(all(test, unix))]\nmod tests {\n}\n", 0),
            ("crates/a/src/b.rs", "#[cfg(not(target_family = \"wasm\"))]\nmod c;\n", 0),
            ("crates/a/src/b.rs", "#[cfg(target_family = \"unix\")]\nmod c;\n", 1),
            ("crates/a/src/b.rs", "#[cfg(target_arch = \"x86_64\")]\n", 0),
            ("crates/a/src/b.rs", "// cfg(unix) and std::os:: in words\n", 0),
            ("crates/a/src/b/tests.rs", "#[cfg(unix)]\n", 0),
            ("crates/a/tests/all/b.rs", "#[cfg(unix)]\n", 0),
            ("crates/a/examples/b.rs", "#[cfg(unix)]\n", 0),
            ("crates/os/src/b.rs", "#[cfg(unix)]\n", 0),
            ("soak/src/b.rs", "rustix::process::nice(1);\n", 0),
        ] {
            let tree = Tree::of(&[(path, text)]);
            assert_eq!(check_with(&tree, &[]).len(), wrong, "{path}: {text}");
        }
    }

    #[test]
    fn exceptions_are_honoured_and_must_stay_true() {
        let exceptions = [("crates/a/src/b.rs", "why")];
        for (text, wrong) in [("#[cfg(unix)]\n", 0), ("fn f() {}\n", 1)] {
            let tree = Tree::of(&[("crates/a/src/b.rs", text)]);
            assert_eq!(check_with(&tree, &exceptions).len(), wrong, "{text}");
        }
        assert_eq!(check_with(&Tree::of(&[]), &exceptions).len(), 1);
    }
}
