//! Functions stay short enough to be seen at once.

use super::code::{blanked, is_word};
use super::sizes::{is_test, lines_without_tests};
use super::tree::File;
use super::{Finding, Tree};

/// Lines a function may have, from its first to its closing brace.
const LONGEST: usize = 100;

/// Functions that are longer for a reason: path, name, the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[(
    "crates/alphabeta/src/search.rs",
    "search",
    "one node of the search, meant to be read from top to bottom in numbered steps",
)];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    check_with(tree, EXCEPTIONS)
}

fn check_with(tree: &Tree, exceptions: &[(&str, &str, &str)]) -> Vec<Finding> {
    let mut found = Vec::new();
    let mut used = vec![false; exceptions.len()];
    for file in tree.files.iter().filter(|file| file.extension() == "rs" && !is_test(file)) {
        for function in functions(file).into_iter().filter(|function| function.lines > LONGEST) {
            let excepted = exceptions
                .iter()
                .position(|(path, name, _)| *path == file.path && *name == function.name);
            if let Some(index) = excepted {
                used[index] = true;
                continue;
            }
            let Function { name, line, lines } = function;
            let message = format!("{name} has {lines} lines, the limit is {LONGEST}");
            found.push(Finding::new(&file.path, line, message));
        }
    }
    for ((path, name, _), _) in exceptions.iter().zip(used).filter(|(_, used)| !used) {
        found.push(Finding::new(path, 0, format!("{name} does not need its exception of length")));
    }
    found
}

struct Function {
    name: String,
    line: usize,
    lines: usize,
}

/// Every function with a body, tests at the end of the file not counted.
fn functions(file: &File) -> Vec<Function> {
    let code = blanked(&file.text);
    let lines: Vec<&str> = code.lines().take(lines_without_tests(file)).collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        if let Some(name) = declared(line)
            && let Some(last) = last_line(&lines[index..])
        {
            found.push(Function { name: name.to_owned(), line: index + 1, lines: last + 1 });
        }
    }
    found
}

/// The name of the function declared on this line.
fn declared(line: &str) -> Option<&str> {
    let at = match line.trim_start().strip_prefix("fn ") {
        Some(rest) => line.len() - rest.len(),
        None => line.find(" fn ")? + " fn ".len(),
    };
    let name = line[at..].split(|c: char| !is_word(c)).next()?;
    (!name.is_empty()).then_some(name)
}

/// Where the body ends that begins with the first brace; `None` for a declaration without one.
fn last_line(lines: &[&str]) -> Option<usize> {
    let mut depth = 0usize;
    let mut brackets = 0i32;
    for (index, line) in lines.iter().enumerate() {
        for c in line.chars() {
            match c {
                '(' | '[' => brackets += 1,
                ')' | ']' => brackets -= 1,
                '{' => depth += 1,
                '}' => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 && brackets == 0 {
                        return Some(index);
                    }
                }
                ';' if depth == 0 && brackets == 0 => return None,
                _ => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, lines: usize) -> String {
        format!("fn {name}() {{\n{}}}\n", "    x();\n".repeat(lines - 2))
    }

    #[test]
    fn long_functions_are_found() {
        let method = format!("impl A {{\n    pub(crate) {}}}\n", of("long", LONGEST + 1));
        for (path, text, wrong) in [
            ("crates/a/src/b.rs", of("short", LONGEST), 0),
            ("crates/a/src/b.rs", of("long", LONGEST + 1), 1),
            ("crates/a/src/b.rs", method, 1),
            ("crates/a/src/b.rs", "trait A { fn f(&self, x: [u8; 2]); }\n".repeat(200), 0),
            ("crates/a/src/b.rs", format!("#[cfg(test)]\nmod tests {{\n{}}}", of("t", 200)), 0),
            ("crates/a/src/b/tests.rs", of("long", 200), 0),
        ] {
            assert_eq!(check_with(&Tree::of(&[(path, &text)]), &[]).len(), wrong, "{path}: {text}");
        }
    }

    #[test]
    fn exceptions_are_by_name_and_must_be_needed() {
        let exceptions = [("a.rs", "search", "numbered steps")];
        for (name, lines, wrong) in [("search", 200, 0), ("search", 10, 1), ("other", 200, 2)] {
            let tree = Tree::of(&[("a.rs", &of(name, lines))]);
            assert_eq!(check_with(&tree, &exceptions).len(), wrong, "{name} {lines}");
        }
    }
}
