//! Whose work is inside, under which licences: every text once, with the packages it is of.

use super::packages::Packages;
use serde_json::Value;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

/// Beginnings of names of files that hold licences and notices.
const NAMES: &[&str] = &["license", "licence", "copying", "notice", "copyright", "unlicense"];

/// What is inside every executable and no package of the lock file.
const LIBRARY: &str =
    "The Rust standard library: MIT OR Apache-2.0 https://github.com/rust-lang/rust\n";

/// What the page says of its own parts.
const PAGE: &str = "crates/web/page/NOTICES.txt";

/// All of it as one text.
pub(super) fn text(packages: &Packages, root: &Path) -> Result<String, Box<dyn Error>> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut list = String::new();
    let mut without = Vec::new();
    for package in packages.others() {
        let named = format!("{} {}", package.name, package.version);
        let from = package.repository.as_deref().unwrap_or_default();
        list += format!("{named}: {} {from}", package.licence).trim_end();
        list.push('\n');
        let found = licences(package.manifest.parent().unwrap_or(root));
        if found.is_empty() {
            without.push(named.clone());
        }
        for text in found {
            texts.entry(text).or_default().push(named.clone());
        }
    }
    let mut told = String::from(
        "Nue is free software under the GNU General Public License, version 3 or later (LICENSE).\n\
         This executable also holds the work of others:\n\n",
    );
    told += LIBRARY;
    told += &list;
    if !without.is_empty() {
        told += "\nOf these, no licence text comes with the package; its name is in the list above:\n\n";
        told += &(without.join("\n") + "\n");
    }
    let mut all: Vec<(Vec<String>, String)> = texts.into_iter().map(|(t, of)| (of, t)).collect();
    all.sort();
    for (of, text) in all {
        told += &format!("\n{}\n{}\n\n{}\n", "=".repeat(80), of.join(", "), text.trim_end());
    }
    let page = fs::read_to_string(root.join(PAGE)).map_err(|e| format!("{PAGE}: {e}"))?;
    told += &format!("\n{}\nThe page\n\n{}\n", "=".repeat(80), page.trim_end());
    Ok(told)
}

/// Texts of the licence files of a folder.
fn licences(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_licence = |name: &str| {
        let name = name.to_ascii_lowercase();
        NAMES.iter().any(|start| name.starts_with(start)) && !name.ends_with(".rs")
    };
    let mut files: Vec<_> = entries
        .filter(|entry| is_licence(&entry.file_name().to_string_lossy()) && entry.path().is_file())
        .map(|entry| entry.path())
        .collect();
    files.sort();
    let texts = files.iter().filter_map(|file| fs::read_to_string(file).ok());
    texts.map(|text| text.replace("\r\n", "\n")).collect()
}

/// What the page is made of, by name and version.
pub(super) fn of_the_page(manifest: &str) -> Result<Vec<(String, String)>, Box<dyn Error>> {
    let manifest: Value = serde_json::from_str(manifest)?;
    let needed = manifest["dependencies"].as_object().ok_or("the page needs nothing")?;
    let named = |(name, version): (&String, &Value)| {
        (name.clone(), version.as_str().unwrap_or_default().to_owned())
    };
    let mut all: Vec<(String, String)> = needed.iter().map(named).collect();
    all.sort();
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::packages::tests::small;

    #[test]
    fn every_package_is_named_and_texts_stand_once() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path();
        let mut packages = small();
        let page = folder.join("crates/web/page");
        fs::create_dir_all(&page).unwrap();
        assert!(text(&packages, folder).unwrap_err().to_string().contains(PAGE));
        fs::write(folder.join(PAGE), "preact is MIT\n").unwrap();
        let told = text(&packages, folder).unwrap();
        assert!(told.contains("a 1.0.0: MIT OR Apache-2.0\n"), "{told}");
        assert!(told.contains("\nThe Rust standard library: "), "{told}");
        assert!(
            told.contains("comes with the package; its name is in the list above:\n\na 1.0.0\n")
        );
        assert!(told.ends_with("The page\n\npreact is MIT\n"), "{told}");
        assert!(!told.contains("\nnue "), "we are in LICENSE: {told}");
        let mut second = packages.all[0].clone();
        second.name = "b".to_owned();
        packages.all.push(second);
        fs::write(folder.join("LICENSE-MIT"), "MIT, as always\r\n").unwrap();
        for package in packages.all.iter_mut().filter(|package| !package.is_ours) {
            package.manifest = folder.join("Cargo.toml");
        }
        let told = text(&packages, folder).unwrap();
        assert!(told.contains("a 1.0.0, b 1.0.0\n\nMIT, as always\n"), "{told}");
        assert!(!told.contains("no licence text"), "{told}");
    }
}
