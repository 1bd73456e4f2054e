//! The layer rule: arrows between rooms go down only.
//!
//! The table is the one of ARCHITECTURE.md. Development dependencies obey it too: a test that
//! needs a room above belongs to a room above.

use super::{Finding, Tree};
use crate::cargo;
use serde_json::Value;
use std::error::Error;
use std::path::Path;

/// A crate of the workspace and where it stands.
struct Room {
    name: &'static str,
    layer: u8,
    /// Rooms of the same layer it may use all the same, because they are what it is made for.
    beside: &'static [&'static str],
}

const fn room(name: &'static str, layer: u8) -> Room {
    Room { name, layer, beside: &[] }
}

const ROOMS: &[Room] = &[
    room("fixtures", 0),
    Room { name: "rules", layer: 0, beside: &["fixtures", "seed"] },
    Room { name: "simd", layer: 0, beside: &["os", "seed"] },
    room("os", 0),
    room("seed", 0),
    room("chart", 1),
    room("features", 1),
    room("play", 1),
    room("durable", 1),
    room("rating", 1),
    Room { name: "kifu", layer: 1, beside: &["durable", "play"] },
    Room { name: "teacher", layer: 1, beside: &["play"] },
    room("think", 2),
    room("eval", 2),
    Room { name: "nnue", layer: 2, beside: &["eval"] },
    room("infer", 2),
    room("book", 2),
    room("balance", 2),
    Room { name: "alphabeta", layer: 3, beside: &["mate"] },
    room("mate", 3),
    Room { name: "mcts", layer: 3, beside: &["mate"] },
    room("worker", 3),
    room("onnx", 3),
    room("usi", 4),
    room("csa", 4),
    room("transport", 4),
    Room { name: "assembly", layer: 4, beside: &["engines"] },
    Room { name: "engines", layer: 4, beside: &["usi"] },
    room("arena", 5),
    room("bookwork", 5),
    room("corpus", 5),
    room("server", 5),
    room("board", 5),
    room("trainer", 6),
    room("client", 6),
    Room { name: "cluster", layer: 6, beside: &["jetstream"] },
    Room { name: "fleet", layer: 6, beside: &["reinforce"] },
    Room { name: "fleetd", layer: 6, beside: &["fleet", "gateway", "jetstream", "reinforce"] },
    Room { name: "jetstream", layer: 6, beside: &["fleet"] },
    Room { name: "gateway", layer: 6, beside: &["fleet"] },
    room("serverd", 6),
    Room { name: "web", layer: 6, beside: &["fleet", "fleetd", "lab"] },
    room("offline", 6),
    Room { name: "lab", layer: 6, beside: &["trainer"] },
    Room { name: "reinforce", layer: 6, beside: &["lab"] },
    Room { name: "display", layer: 6, beside: &["lab", "reinforce", "trainer"] },
    room("nue", 7),
    room("soak", 8),
    room("xtask", 8),
];

/// What the bottom layer may take from outside: nothing that knows files, time or threads.
const BOTTOM_MAY_USE: &[&str] = &["thiserror"];

/// What `fixtures` may use besides: no product is built with it.
const FIXTURES_MAY_USE: &[&str] = &["tempfile"];

/// The room that asks the operating system, and with what. It is nobody else's.
const SYSTEM_ROOM: &str = "os";
const SYSTEM_CRATES: &[&str] =
    &["ctrlc", "libc", "nix", "open", "rustix", "signal-hook-registry", "windows-sys"];

/// Rooms that are not part of the product and ask for themselves.
const TOOLS: &[&str] = &["soak", "xtask"];

fn find(name: &str) -> Option<&'static Room> {
    ROOMS.iter().find(|room| room.name == name)
}

/// `cargo metadata` without resolving anything, so it needs neither network nor lock file.
pub(super) fn metadata(root: &Path) -> Result<Value, Box<dyn Error>> {
    let output = cargo()
        .args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"])
        .arg(root.join("Cargo.toml"))
        .output()?;
    if !output.status.success() {
        return Err(format!("cargo metadata: {}", String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Checks every arrow between members, and that ARCHITECTURE.md names every member.
pub(super) fn check(metadata: &Value, tree: &Tree) -> Result<Vec<Finding>, Box<dyn Error>> {
    let packages = metadata["packages"].as_array().ok_or("cargo metadata names no packages")?;
    let architecture = tree.text("ARCHITECTURE.md").unwrap_or_default();
    let mut found = Vec::new();
    for package in packages {
        let name = package["name"].as_str().ok_or("a package without a name")?;
        let path = format!("{name} (Cargo.toml)");
        let Some(room) = find(name) else {
            found.push(Finding::new(
                &path,
                0,
                "not in the table of rooms (xtask/src/tidy/layers.rs)",
            ));
            continue;
        };
        if !architecture.contains(&format!("`{name}`")) {
            found.push(Finding::new("ARCHITECTURE.md", 0, format!("does not speak of `{name}`")));
        }
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            if let Some(message) = objection(room, dependency) {
                found.push(Finding::new(&path, 0, message));
            }
        }
    }
    Ok(found)
}

/// Checks that no room is named, in the table here or in ARCHITECTURE.md, that does not exist.
pub(super) fn check_names(metadata: &Value, tree: &Tree) -> Vec<Finding> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let members: Vec<&str> = packages.filter_map(|package| package["name"].as_str()).collect();
    let mut found = Vec::new();
    for room in ROOMS.iter().filter(|room| !members.contains(&room.name)) {
        let message = format!("names the room {}, which does not exist", room.name);
        found.push(Finding::new("xtask/src/tidy/layers.rs", 0, message));
    }
    let architecture = tree.text("ARCHITECTURE.md").unwrap_or_default();
    for (line, layer, name) in rooms_of_the_table(architecture) {
        if !members.contains(&name) {
            let message = format!("has a room {name} that does not exist");
            found.push(Finding::new("ARCHITECTURE.md", line, message));
        }
        if let Some(room) = find(name)
            && layer.parse::<u8>().is_ok_and(|layer| layer != room.layer)
        {
            let message = format!("has {name} in layer {layer}, it is in layer {}", room.layer);
            found.push(Finding::new("ARCHITECTURE.md", line, message));
        }
    }
    found
}

/// Checks that documents name no folder of `crates/` that does not exist. What happened once may
/// have happened in a room that is no more: the log of changes is left alone.
pub(super) fn check_folders(tree: &Tree) -> Vec<Finding> {
    let mut found = Vec::new();
    let documents = tree.files.iter().filter(|file| file.extension() == "md");
    for file in documents.filter(|file| file.path != "CHANGELOG.md") {
        for (index, line) in file.text.lines().enumerate() {
            for name in folders_named(line) {
                let folder = format!("crates/{name}/");
                if !tree.files.iter().any(|file| file.path.starts_with(&folder)) {
                    let message = format!("names crates/{name}, which does not exist");
                    found.push(Finding::new(&file.path, index + 1, message));
                }
            }
        }
    }
    found
}

fn folders_named(line: &str) -> impl Iterator<Item = &str> {
    line.split("crates/").skip(1).filter_map(|rest| {
        let name = rest.split(|c: char| !super::code::is_word(c)).next()?;
        (!name.is_empty()).then_some(name)
    })
}

/// The rooms of the table in ARCHITECTURE.md with their lines and layers: rows whose first cell is a
/// layer and whose second begins with a name in backquotes.
fn rooms_of_the_table(document: &str) -> Vec<(usize, &str, &str)> {
    let rows = document.lines().enumerate().filter_map(|(index, line)| {
        let mut cells = line.strip_prefix("| ")?.split(" | ");
        let layer = cells.next()?;
        let of_a_room = layer.parse::<u8>().is_ok() || ["app", "tool", "tests"].contains(&layer);
        let name = cells.next()?.strip_prefix('`')?.split('`').next()?;
        of_a_room.then_some((index + 1, layer, name))
    });
    rows.collect()
}

fn objection(room: &Room, dependency: &Value) -> Option<String> {
    let name = dependency["name"].as_str()?;
    let of_the_house = dependency["path"].is_string();
    if !of_the_house {
        let built_in = dependency["kind"].as_str() != Some("dev");
        if SYSTEM_CRATES.contains(&name) {
            let may = room.name == SYSTEM_ROOM || TOOLS.contains(&room.name) || !built_in;
            return (!may).then(|| format!("uses {name}: only {SYSTEM_ROOM} asks the system"));
        }
        let may_use = BOTTOM_MAY_USE.contains(&name)
            || (room.name == "fixtures" && FIXTURES_MAY_USE.contains(&name));
        return (room.layer == 0 && built_in && !may_use)
            .then(|| format!("layer 0 depends on nothing outside, yet it uses {name}"));
    }
    let Some(other) = find(name) else {
        return Some(format!("depends on the unknown room {name}"));
    };
    (other.layer >= room.layer && !room.beside.contains(&name)).then(|| {
        format!("layer {} must not use {name} of layer {}: arrows go down", room.layer, other.layer)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn complaints(
        package: &str,
        dependency: &str,
        path: Option<&str>,
        kind: Option<&str>,
    ) -> usize {
        let metadata = json!({ "packages": [{
            "name": package,
            "dependencies": [{ "name": dependency, "path": path, "kind": kind }],
        }]});
        let tree = Tree::of(&[("ARCHITECTURE.md", &format!("`{package}`"))]);
        check(&metadata, &tree).expect("well formed").len()
    }

    #[test]
    fn arrows_go_down() {
        for (from, to, wrong) in [
            ("kifu", "rules", 0),
            ("nue", "usi", 0),
            ("nnue", "eval", 0),
            ("rules", "kifu", 1),
            ("think", "usi", 1),
            ("eval", "nnue", 1),
            ("kifu", "teacher", 1),
            ("usi", "usi", 1),
            ("rules", "unheard-of", 1),
        ] {
            for kind in [None, Some("dev"), Some("build")] {
                assert_eq!(complaints(from, to, Some("somewhere"), kind), wrong, "{from} -> {to}");
            }
        }
    }

    #[test]
    fn the_bottom_is_bare() {
        assert_eq!(complaints("rules", "tokio", None, None), 1);
        assert_eq!(complaints("rules", "proptest", None, Some("dev")), 0);
        assert_eq!(complaints("rules", "thiserror", None, None), 0);
        assert_eq!(complaints("rules", "tempfile", None, None), 1);
        assert_eq!(complaints("fixtures", "tempfile", None, None), 0);
        assert_eq!(complaints("server", "tokio", None, None), 0);
    }

    #[test]
    fn one_room_asks_the_system() {
        for (room, kind, wrong) in [
            ("os", None, 0),
            ("soak", None, 0),
            ("engines", None, 1),
            ("engines", Some("dev"), 0),
            ("rules", None, 1),
            ("nue", None, 1),
        ] {
            assert_eq!(complaints(room, "rustix", None, kind), wrong, "{room} {kind:?}");
        }
        assert_eq!(complaints("simd", "os", Some("somewhere"), None), 0);
        assert_eq!(complaints("rules", "os", Some("somewhere"), None), 1);
    }

    #[test]
    fn unknown_or_undocumented_rooms_are_reported() {
        let metadata = json!({ "packages": [{ "name": "attic", "dependencies": [] }] });
        assert_eq!(check(&metadata, &Tree::of(&[])).expect("well formed").len(), 1);
        let metadata = json!({ "packages": [{ "name": "rules", "dependencies": [] }] });
        assert_eq!(check(&metadata, &Tree::of(&[])).expect("well formed").len(), 1);
        assert!(check(&json!({}), &Tree::of(&[])).is_err());
    }

    #[test]
    fn rooms_that_do_not_exist_are_not_named() {
        let all: Vec<Value> = ROOMS.iter().map(|room| json!({ "name": room.name })).collect();
        let table = |name: &str| {
            format!(
                "| layer | room | for |\n|---|---|---|\n| 3 | `{name}` | x |\n| beside | y/ | z |\n"
            )
        };
        let missing = |packages: &[Value], name: &str| {
            let tree = Tree::of(&[("ARCHITECTURE.md", &table(name))]);
            check_names(&json!({ "packages": packages }), &tree).len()
        };
        assert_eq!(missing(&all, "mate"), 0);
        assert_eq!(missing(&all, "attic"), 1);
        assert_eq!(missing(&all[1..], "mate"), 1);
        assert_eq!(missing(&all, "rules"), 1, "in another layer than the table here has it");
    }

    #[test]
    fn folders_that_do_not_exist_are_not_named() {
        for (path, text, wrong) in [
            ("docs/a.md", "see `crates/rules/src/lib.rs`", 0),
            ("docs/a.md", "see crates/attic.\nand [it](../crates/cellar/src)", 2),
            ("docs/a.md", "all of crates/* and crates/", 0),
            ("CHANGELOG.md", "crates/attic is now crates/rules", 0),
            ("a.rs", "// crates/attic", 0),
        ] {
            let tree = Tree::of(&[("crates/rules/src/lib.rs", ""), (path, text)]);
            assert_eq!(check_folders(&tree).len(), wrong, "{text}");
        }
    }
}
