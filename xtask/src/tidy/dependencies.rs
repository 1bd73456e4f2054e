//! No dependency is left behind: what a manifest names, the sources of its crate name too.
//!
//! A dependency that is there for another reason says so in a comment above it that begins with
//! `# Not used here:`.

use super::code::{blanked, is_word};
use super::manifests::is_member;
use super::tree::File;
use super::{Finding, Tree};

/// How the comment begins above a dependency that no source names.
const EXCUSE: &str = "# Not used here:";

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let manifests = tree.files.iter().filter(|file| is_member(&file.path));
    manifests.flat_map(|manifest| unused(tree, manifest)).collect()
}

fn unused(tree: &Tree, manifest: &File) -> Vec<Finding> {
    let folder = manifest.path.trim_end_matches("Cargo.toml");
    let of_the_crate = |file: &&File| file.extension() == "rs" && file.path.starts_with(folder);
    let sources: Vec<(&str, String)> = tree
        .files
        .iter()
        .filter(of_the_crate)
        .map(|file| (&file.path[folder.len()..], blanked(&file.text)))
        .collect();
    let mut found = Vec::new();
    let (mut section, mut before) = ("", "");
    for (number, line) in manifest.lines() {
        let line = line.trim();
        if line.starts_with('[') {
            section = line;
        } else if let Some(name) = dependency(section, line).filter(|_| !before.starts_with(EXCUSE))
        {
            // What only tests need is a development dependency.
            let counts = |path: &str| {
                section.contains("dev-") || path.starts_with("src/") || path == "build.rs"
            };
            let word = name.replace('-', "_");
            if !sources.iter().any(|(path, code)| counts(path) && names(code, &word)) {
                let message = format!("{name} in {section} is named in no source that needs it");
                found.push(Finding::new(&manifest.path, number, message));
            }
        }
        before = line;
    }
    found
}

/// The name before the first dot or equals sign of a line of a section of dependencies.
fn dependency<'a>(section: &str, line: &'a str) -> Option<&'a str> {
    let name = line.split(['.', '=', ' ']).next()?;
    let is_one = section.trim_end_matches(']').ends_with("dependencies")
        && !name.is_empty()
        && !name.starts_with('#');
    is_one.then_some(name)
}

/// Whether a code begins a path with that crate: `name::…`, `::name::…`, `use name;`.
fn names(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let (before, after) = (&code[..at], &code[at + name.len()..]);
        if before.ends_with(is_word) || after.starts_with(is_word) {
            return false;
        }
        let of_a_path = before.strip_suffix("::").is_some_and(|parent| parent.ends_with(is_word));
        let imported = before.ends_with("use ") || before.ends_with("extern crate ");
        !of_a_path && (after.starts_with("::") || imported)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_nobody_uses_is_found() {
        let manifest = "[package]\nname = \"a\"\n[dependencies]\nlib-x.workspace = true\n";
        for (path, text, wrong) in [
            ("crates/a/src/lib.rs", "use lib_x::Y;", 0),
            ("crates/a/src/lib.rs", "use lib_x as y;", 0),
            ("crates/a/src/lib.rs", "#[derive(lib_x::Y)] struct Z;", 0),
            ("crates/a/src/lib.rs", "fn f() -> ::lib_x::Y {}", 0),
            ("crates/a/src/lib.rs", "fn lib_x() {} // lib_x::Y", 1),
            ("crates/a/src/lib.rs", "use crate::lib_x::Y;", 1),
            ("crates/a/src/lib.rs", "use my_lib_x::Y;", 1),
            ("crates/a/build.rs", "use lib_x::Y;", 0),
            ("crates/a/tests/all/main.rs", "use lib_x::Y;", 1),
            ("crates/b/src/lib.rs", "use lib_x::Y;", 1),
        ] {
            let tree = Tree::of(&[("crates/a/Cargo.toml", manifest), (path, text)]);
            assert_eq!(check(&tree).len(), wrong, "{path}: {text}");
        }
        for (manifest, wrong) in [
            ("[dev-dependencies]\nx = { version = \"1\" }\n", 0),
            ("[target.'cfg(unix)'.dependencies]\nx = \"1\"\n", 1),
            ("[dependencies]\n# Not used here: it decides a version.\nx = \"1\"\n", 0),
            ("[dependencies]\n# Used some day.\nx = \"1\"\n", 1),
            ("[features]\nx = []\n", 0),
        ] {
            let tree = Tree::of(&[
                ("crates/a/Cargo.toml", manifest),
                ("crates/a/tests/all/main.rs", "use x::Y;"),
            ]);
            assert_eq!(check(&tree).len(), wrong, "{manifest}");
        }
    }
}
