//! The house rules no compiler knows, checked over the whole tree.
//!
//! Each rule is a module with a function from the [`Tree`] to findings and tests that show it
//! failing. The rules run as a command (`cargo xtask tidy`) and as a test of this crate.

mod app;
mod code;
mod dependencies;
mod documented;
mod field_docs;
mod functions;
mod generated;
mod layers;
mod links;
mod manifests;
mod metaphors;
mod origins;
mod os;
mod page;
mod sizes;
mod test_files;
mod translations;
mod tree;
mod unsafety;
mod words;

use crate::{CommandResult, workspace_root};
use std::error::Error;
use std::fmt;
use std::path::Path;
use std::process::ExitCode;
use tree::Tree;

/// One breach of a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Finding {
    path: String,
    /// Counted from 1; 0 when the whole file is meant.
    line: usize,
    message: String,
}

impl Finding {
    fn new(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => write!(f, "{}: {}", self.path, self.message),
            line => write!(f, "{}:{line}: {}", self.path, self.message),
        }
    }
}

type Rule = fn(&Tree) -> Vec<Finding>;

/// The rules that look at files alone.
const RULES: &[Rule] = &[
    sizes::check,
    documented::check,
    words::check,
    origins::check,
    manifests::check,
    unsafety::check,
    links::check,
    page::check,
    functions::check,
    app::arrows,
    metaphors::check,
    app::size,
    generated::check,
    layers::check_folders,
    test_files::check,
    dependencies::check,
    field_docs::check,
    os::check,
    translations::check,
];

fn findings(root: &Path) -> Result<Vec<Finding>, Box<dyn Error>> {
    let tree = Tree::read(root)?;
    let mut found: Vec<Finding> = RULES.iter().flat_map(|rule| rule(&tree)).collect();
    let metadata = layers::metadata(root)?;
    found.extend(layers::check(&metadata, &tree)?);
    found.extend(layers::check_names(&metadata, &tree));
    found.sort_by(|a, b| (&a.path, a.line).cmp(&(&b.path, b.line)));
    Ok(found)
}

pub(crate) fn run(arguments: &[String]) -> CommandResult {
    if let Some(first) = arguments.first() {
        return Err(format!("unexpected argument {first:?}").into());
    }
    let mut found = findings(&workspace_root())?;
    found.extend(generated::stale()?);
    for finding in &found {
        println!("{finding}");
    }
    if found.is_empty() {
        println!("tidy");
        return Ok(ExitCode::SUCCESS);
    }
    println!("{} findings", found.len());
    Ok(ExitCode::FAILURE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_workspace_is_tidy() {
        let found = findings(&workspace_root()).expect("the workspace can be read");
        let text: Vec<String> = found.iter().map(Finding::to_string).collect();
        assert!(text.is_empty(), "{}", text.join("\n"));
    }
}
