//! What is inside an executable: the packages it is made of.

use crate::cargo;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

/// A package of somebody else, or of ours.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    /// As SPDX has it.
    pub(super) licence: String,
    pub(super) repository: Option<String>,
    /// The file it is described in.
    pub(super) manifest: PathBuf,
    /// SHA-256 of what the registry has.
    pub(super) checksum: Option<String>,
    pub(super) is_ours: bool,
    /// What it needs, by name and version.
    pub(super) needs: BTreeSet<(String, String)>,
}

/// The packages of an executable, sorted.
pub(super) struct Packages {
    pub(super) all: Vec<Package>,
}

impl Packages {
    /// The version of what is handed out.
    pub(super) fn own_version(&self) -> &str {
        self.all.iter().find(|package| package.name == "nue").map_or("0", |own| &own.version)
    }

    pub(super) fn others(&self) -> impl Iterator<Item = &Package> {
        self.all.iter().filter(|package| !package.is_ours)
    }
}

/// Everything that is linked into `nue` for a target: neither what builds nor what tests.
pub(super) fn inside(root: &Path, triple: &str) -> Result<Packages, Box<dyn Error>> {
    let output = cargo()
        .args(["metadata", "--format-version", "1", "--locked", "--filter-platform", triple])
        .current_dir(root)
        .output()?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    let lock = fs::read_to_string(root.join("Cargo.lock"))?;
    from_metadata(&serde_json::from_slice(&output.stdout)?, &checksums(&lock))
}

type Checksums = BTreeMap<(String, String), String>;

/// The checksums of a lock file.
fn checksums(lock: &str) -> Checksums {
    let field = |part: &str, name: &str| {
        let line = part.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim_start_matches(" = ").trim_matches('"').to_owned())
    };
    let packages = lock.split("[[package]]").skip(1);
    let with = packages.filter_map(|part| {
        Some(((field(part, "name")?, field(part, "version")?), field(part, "checksum")?))
    });
    with.collect()
}

fn from_metadata(metadata: &Value, checksums: &Checksums) -> Result<Packages, Box<dyn Error>> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let described: BTreeMap<String, Value> =
        list(&metadata["packages"]).into_iter().map(|one| (text(&one["id"]), one)).collect();
    let nodes: BTreeMap<String, Value> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .map(|one| (text(&one["id"]), one))
        .collect();
    let is_macro = |id: &str| {
        let targets = described.get(id).map(|one| list(&one["targets"])).unwrap_or_default();
        targets.iter().any(|target| list(&target["kind"]).contains(&Value::from("proc-macro")))
    };
    let key = |id: &str| described.get(id).map(|one| (text(&one["name"]), text(&one["version"])));
    let first = described.values().find(|one| one["name"] == "nue").ok_or("no package nue")?;
    let mut waiting = vec![text(&first["id"])];
    let mut found = BTreeMap::new();
    while let Some(id) = waiting.pop() {
        if found.contains_key(&id) {
            continue;
        }
        let needed: Vec<String> = list(&nodes.get(&id).ok_or("an unknown package")?["deps"])
            .iter()
            .filter(|one| list(&one["dep_kinds"]).iter().any(|kind| kind["kind"].is_null()))
            .map(|one| text(&one["pkg"]))
            .filter(|id| !is_macro(id))
            .collect();
        let one = described.get(&id).ok_or("an unknown package")?;
        let named = (text(&one["name"]), text(&one["version"]));
        let package = Package {
            licence: text(&one["license"]).replace('/', " OR "),
            repository: one["repository"].as_str().map(str::to_owned),
            manifest: PathBuf::from(text(&one["manifest_path"])),
            checksum: checksums.get(&named).cloned(),
            is_ours: one["source"].is_null(),
            needs: needed.iter().filter_map(|id| key(id)).collect(),
            name: named.0,
            version: named.1,
        };
        waiting.extend(needed);
        found.insert(id, package);
    }
    let mut all: Vec<Package> = found.into_values().collect();
    all.sort();
    Ok(Packages { all })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use serde_json::json;

    /// `nue` uses `a`, a macro of `a`'s, and a tool that builds; `b` is for tests only.
    pub(in crate::dist) fn small() -> Packages {
        let package = |name: &str, source: Option<&str>, kind: &str| {
            json!({ "id": name, "name": name, "version": "1.0.0", "license": "MIT/Apache-2.0",
                    "source": source, "manifest_path": format!("/nowhere/{name}/Cargo.toml"),
                    "repository": null, "targets": [{ "kind": [kind] }] })
        };
        let needs = |name: &str, kind: Option<&str>| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let metadata = json!({
            "packages": [
                package("nue", None, "bin"),
                package("a", Some("registry"), "lib"),
                package("b", Some("registry"), "lib"),
                package("tool", Some("registry"), "lib"),
                package("derive", Some("registry"), "proc-macro"),
            ],
            "resolve": { "nodes": [
                { "id": "nue", "deps": [needs("a", None), needs("b", Some("dev")), needs("tool", Some("build"))] },
                { "id": "a", "deps": [needs("derive", None)] },
            ] },
        });
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"abcd\"\n\n\
                    [[package]]\nname = \"nue\"\nversion = \"1.0.0\"\n";
        from_metadata(&metadata, &checksums(lock)).unwrap()
    }

    #[test]
    fn only_what_is_linked_is_inside() {
        let packages = small();
        let names: Vec<&str> = packages.all.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(names, ["a", "nue"]);
        assert_eq!(packages.own_version(), "1.0.0");
        let a = packages.others().next().unwrap();
        assert_eq!(
            (a.licence.as_str(), a.checksum.as_deref()),
            ("MIT OR Apache-2.0", Some("abcd"))
        );
        let own = &packages.all[1];
        assert!(own.is_ours && own.needs.iter().map(|(name, _)| name.as_str()).eq(["a"]));
    }
}
