//! A line of documentation that only says the field's name again, or "The file." of a path, is left out:
//! a field may go without. Two words can say something: where counting begins ("From 1."), a unit, a form.

use super::code::is_word;
use super::tree::File;
use super::{Finding, Tree};

/// With one of these before it, a single word names the thing and tells nothing of it.
const EMPTY_BEGINNINGS: &[&str] = &["A", "An", "How", "Its", "One", "The", "What", "Which", "Who"];

/// Marks messages between page and server: their documentation is told to whoever writes a page.
const MESSAGE: &str = "schemars::JsonSchema";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let sources = tree.files.iter().filter(|file| file.extension() == "rs");
    sources.filter(|file| !file.text.contains(MESSAGE)).flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    let lines: Vec<&str> = file.text.lines().map(str::trim).collect();
    let alone = |at: usize| {
        let documents = |at: Option<usize>| {
            at.and_then(|at| lines.get(at)).is_some_and(|line| line.starts_with("///"))
        };
        !documents(at.checked_sub(1)) && !documents(Some(at + 1))
    };
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(text) = line.strip_prefix("/// ").filter(|_| alone(at)) else { continue };
        if let Some(field) = field_below(&lines[at + 1..])
            && says_nothing(text, field)
        {
            let message = format!("{text:?} says nothing of {field}: say more, or leave it out");
            found.push(Finding::new(&file.path, at + 1, message));
        }
    }
    found
}

fn says_nothing(text: &str, field: &str) -> bool {
    let words: Vec<&str> = text.trim_end_matches('.').split_whitespace().collect();
    match words.as_slice() {
        [word] => word.to_lowercase() == field,
        [first, _] => EMPTY_BEGINNINGS.contains(first),
        _ => false,
    }
}

/// The name of the field that comes next, attributes in between not counted.
fn field_below<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let mut lines = lines.iter();
    let mut line = *lines.next()?;
    while line.starts_with("#[") {
        while !line.ends_with(']') {
            line = lines.next()?;
        }
        line = lines.next()?;
    }
    let declared = match line.strip_prefix("pub(") {
        Some(rest) => rest.split_once(") ")?.1,
        None => line.strip_prefix("pub ").unwrap_or(line),
    };
    let (name, _) = declared.split_once(": ")?;
    let name = name.strip_prefix("r#").unwrap_or(name);
    let is_name = name.chars().all(is_word) && name.starts_with(|c: char| !c.is_uppercase());
    is_name.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documentation_that_says_nothing_is_found_on_fields() {
        for (text, wrong) in [
            ("/// The file.\npub path: PathBuf,", 1),
            ("/// Which games\n#[arg(\n    long\n)]\n#[x]\npub(crate) seed: u64,", 1),
            ("/// Threads\nthreads: u32,", 1),
            ("/// How many.\nr#type: u64,", 1),
            ("/// From 1.\npub line: usize,", 0),
            ("/// Microseconds.\npub time: u64,", 0),
            ("/// `id name`\npub name: String,", 0),
            ("/// The file that is read.\npub path: PathBuf,", 0),
            ("/// The file.\n///\n/// Read twice.\npub path: PathBuf,", 0),
            ("/// The game.\npub struct Game {", 0),
            ("/// The game.\nGame(u8),", 0),
        ] {
            assert_eq!(check(&Tree::of(&[("crates/a/src/b.rs", text)])).len(), wrong, "{text}");
        }
        let message =
            "#[derive(schemars::JsonSchema)]\nstruct A {\n/// The file.\npath: String,\n}";
        assert_eq!(check(&Tree::of(&[("crates/a/src/b.rs", message)])).len(), 0);
    }
}
