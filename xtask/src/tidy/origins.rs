//! Nothing in the tree may depend on, or tell of, the machine it was written on.

use super::tree::File;
use super::{Finding, Tree};

/// Beginnings of absolute paths that exist on somebody's machine only. Put together here so that
/// this file passes its own rule.
const MACHINE_PATHS: &[&str] = &[
    concat!("/wo", "rk/"),
    concat!("/fa", "rm/"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
    concat!("/Us", "ers/"),
    concat!("C:\\Us", "ers\\"),
];

/// Settings that send a build to a package index other than the public one.
const REDIRECTIONS: &[&str] = &[
    concat!("index", "-url"),
    concat!("find", "-links"),
    concat!("replace", "-with"),
    concat!("[regis", "tries"),
];

/// Where locked packages may come from: lock file, what begins the line, what must follow.
const LOCKS: &[(&str, &str, &str)] = &[
    ("Cargo.lock", "source = ", "\"registry+https://github.com/rust-lang/crates.io-index\""),
    ("package-lock.json", "\"resolved\": ", "\"https://registry.npmjs.org/"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files.iter().flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    let mut found = Vec::new();
    let lock = LOCKS.iter().find(|(name, ..)| *name == file.name());
    for (number, line) in file.lines() {
        for path in MACHINE_PATHS.iter().filter(|path| has_path(line, path)) {
            found.push(Finding::new(&file.path, number, format!("machine path {path}…")));
        }
        for word in REDIRECTIONS.iter().filter(|word| line.contains(**word)) {
            found.push(Finding::new(&file.path, number, format!("package index chosen: {word}")));
        }
        let foreign = lock.is_some_and(|(_, key, origin)| {
            line.trim_start().strip_prefix(key).is_some_and(|value| !value.starts_with(origin))
        });
        if foreign {
            found.push(Finding::new(
                &file.path,
                number,
                "locked from elsewhere than the public registry",
            ));
        }
    }
    found
}

/// Whether the path begins there, as against standing inside a longer relative path or address.
fn has_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(index, _)| {
        let before = line[..index].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-~*}".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_paths_and_foreign_registries_are_found() {
        let home = MACHINE_PATHS[3];
        let sparse = "source = \"sparse+https://mirror.example/\"";
        let public = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";
        for (path, text, wrong) in [
            ("a.rs", format!("// see {home}me/x"), 1),
            ("a.md", format!("`{}x`", MACHINE_PATHS[0]), 1),
            ("data/a.txt", format!("{}x", MACHINE_PATHS[5]), 1),
            ("a.md", format!("https://example.org{home}"), 0),
            ("a.md", format!("docs{home}"), 0),
            ("Cargo.lock", sparse.to_owned(), 1),
            ("bench/Cargo.lock", public.to_owned(), 0),
            ("a.toml", sparse.to_owned(), 0),
            ("ui/package-lock.json", "  \"resolved\": \"http://x/\"".to_owned(), 1),
            ("pip.conf", format!("{} = x", REDIRECTIONS[0]), 1),
        ] {
            assert_eq!(check(&Tree::of(&[(path, &text)])).len(), wrong, "{path}: {text}");
        }
    }
}
