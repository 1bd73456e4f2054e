//! The page in the browser is built from ui/ and committed: what is committed must match.
//!
//! The build leaves a MANIFEST beside the page with a hash of every source and of every built file
//! (ui/build/manifest.ts). Comparing it with the tree needs no Node, so this runs everywhere;
//! `script/test` builds the page anew as well, where Node is at hand.

use super::{Finding, Tree};
use std::collections::BTreeMap;

const PAGE: &str = "crates/web/page/";
const MANIFEST: &str = "crates/web/page/MANIFEST";

/// The sources of the page, as ui/build/manifest.ts lists them.
const SOURCES: &[&str] = &[
    "ui/build/",
    "ui/index.html",
    "ui/package-lock.json",
    "ui/package.json",
    "ui/public/",
    "ui/src/",
    "ui/tsconfig.json",
    "ui/vite.config.ts",
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let here = hashes(tree);
    if here.is_empty() {
        return Vec::new();
    }
    let Some(manifest) = tree.text(MANIFEST) else {
        return vec![Finding::new(
            MANIFEST,
            0,
            "is missing: build the page (npm run build in ui/)",
        )];
    };
    let listed: BTreeMap<&str, &str> = manifest
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(hash, path)| (path, hash))
        .collect();
    let mut found = Vec::new();
    for (path, hash) in &here {
        let message = match listed.get(path.as_str()) {
            Some(known) if known == hash => continue,
            Some(_) => "changed since the page was built (npm run build in ui/)",
            None => "is not in the MANIFEST of the page (npm run build in ui/)",
        };
        found.push(Finding::new(path, 0, message));
    }
    for path in listed.keys().filter(|path| !here.contains_key(**path)) {
        found.push(Finding::new(path, 0, "is in the MANIFEST of the page and nowhere else"));
    }
    found
}

/// Hashes of sources under their own paths and of built files under `page/…`, as in the manifest.
fn hashes(tree: &Tree) -> BTreeMap<String, String> {
    let name = |path: &str| {
        if let Some(built) = path.strip_prefix(PAGE) {
            return (path != MANIFEST).then(|| format!("page/{built}"));
        }
        let source = SOURCES.iter().any(|source| match source.strip_suffix('/') {
            Some(_) => path.starts_with(source),
            None => path == *source,
        });
        (source && !path.ends_with(".test.ts")).then(|| path.to_owned())
    };
    tree.files
        .iter()
        .filter_map(|file| Some((name(&file.path)?, fnv64(file.text.as_bytes()))))
        .collect()
}

/// As the page's build writes it (ui/build/manifest.ts).
fn fnv64(bytes: &[u8]) -> String {
    format!("{:016x}", seed::fnv1a(bytes.iter().copied()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(fnv64(b""), "cbf29ce484222325");
        assert_eq!(fnv64(b"foobar"), "85944171f73967e8");
    }

    #[test]
    fn a_page_that_does_not_match_its_source_is_found() {
        let manifest = format!("{} page/a.js\n{} ui/src/a.ts\n", fnv64(b"js"), fnv64(b"ts"));
        let with = |source: &str, built: &str, more: &str| {
            let mut files = vec![
                (MANIFEST, manifest.as_str()),
                ("crates/web/page/a.js", built),
                ("ui/src/a.ts", source),
                ("ui/src/a.test.ts", "tests are no part of the page"),
                ("ui/README.md", "nor is this"),
            ];
            if !more.is_empty() {
                files.push((more, "x"));
            }
            check(&Tree::of(&files)).len()
        };
        assert_eq!(with("ts", "js", ""), 0);
        assert_eq!(with("changed", "js", ""), 1, "a changed source");
        assert_eq!(with("ts", "edited by hand", ""), 1, "a changed page");
        assert_eq!(with("ts", "js", "ui/src/b.ts"), 1, "a new source");
        assert_eq!(with("ts", "js", "crates/web/page/b.js"), 1, "a file nobody built");
        assert_eq!(check(&Tree::of(&[(MANIFEST, &manifest), ("ui/src/a.ts", "ts")])).len(), 1);
        assert_eq!(check(&Tree::of(&[("ui/src/a.ts", "ts")])).len(), 1, "no manifest");
        assert_eq!(check(&Tree::of(&[])).len(), 0, "no page at all");
    }
}
