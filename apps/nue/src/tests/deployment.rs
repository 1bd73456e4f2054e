//! The files of deploy/ as far as they can be tried without the machines they are for: every command line in them is one
//! this program understands, and everything they refer to is there.

use crate::{Cli, Command};
use clap::Parser;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use yaml_rust2::{Yaml, YamlLoader};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn deployed(name: &str) -> String {
    let path = repository().join("deploy").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A command line of the fleet, understood or not.
fn understood(words: &[String]) {
    let cli = Cli::try_parse_from(words).unwrap_or_else(|e| panic!("{words:?}: {e}"));
    assert!(matches!(cli.command, Some(Command::Fleet(_))), "{words:?}");
}

fn texts(list: &Yaml) -> Vec<String> {
    let text = |item: &Yaml| item.as_str().unwrap_or_else(|| panic!("{item:?}")).to_owned();
    list.as_vec().into_iter().flatten().map(text).collect()
}

fn keys(map: &Yaml) -> BTreeSet<String> {
    let keys = map.as_hash().into_iter().flatten().map(|(key, _)| key.as_str());
    keys.flatten().map(str::to_owned).collect()
}

#[test]
fn the_containers_are_described_by_a_file_that_holds_together() {
    let all = YamlLoader::load_from_str(&deployed("compose.yaml")).unwrap();
    let [compose] = &all[..] else { panic!("{} documents", all.len()) };
    let (networks, volumes) = (keys(&compose["networks"]), keys(&compose["volumes"]));
    let secrets = keys(&compose["secrets"]);
    let services = BTreeSet::from(["coordinator", "nats", "worker"].map(str::to_owned));
    assert_eq!(keys(&compose["services"]), services);
    let mut used = BTreeSet::new();
    for name in keys(&compose["services"]) {
        let service = &compose["services"][name.as_str()];
        let file = service["build"]["dockerfile"].as_str().unwrap();
        let recipe = deployed(file);
        assert!(recipe.starts_with('#') && recipe.contains("\nENTRYPOINT ["), "{file}");
        let command = texts(&service["command"]);
        if file == "nue.Dockerfile" {
            let program = std::iter::once("nue".to_owned());
            understood(&program.chain(command.iter().cloned()).collect::<Vec<_>>());
        }
        let given: BTreeSet<String> = texts(&service["secrets"]).into_iter().collect();
        assert!(given.is_subset(&secrets), "{name}: {given:?} of {secrets:?}");
        let mounted = texts(&service["volumes"]);
        let inside: Vec<&str> = mounted.iter().filter_map(|m| m.split(':').nth(1)).collect();
        // Every file a command names is a secret of the service, or mounted, or in a volume.
        for word in &command {
            let path = word.split_once('=').map_or(word.as_str(), |(_, value)| value);
            if let Some(secret) = path.strip_prefix("/run/secrets/") {
                assert!(given.contains(secret), "{name}: {path}");
                used.insert(secret.to_owned());
            } else if path.starts_with('/') {
                assert!(inside.iter().any(|place| path.starts_with(place)), "{name}: {path}");
            }
        }
        for mount in &mounted {
            let from = mount.split(':').next().unwrap();
            assert!(from.starts_with("./") || volumes.contains(from), "{name}: {mount}");
        }
        let joined: BTreeSet<String> = texts(&service["networks"]).into_iter().collect();
        assert!(joined.is_subset(&networks), "{name}: {joined:?}");
        let published = texts(&service["ports"]);
        let expected: &[&str] = if name == "coordinator" { &["8443:8443"] } else { &[] };
        assert_eq!(published, expected, "{name}");
        assert!(name == "coordinator" || joined == BTreeSet::from(["fleet".to_owned()]), "{name}");
    }
    assert_eq!(used, secrets, "secrets that nobody uses");
    assert_eq!(compose["networks"]["fleet"]["internal"].as_bool(), Some(true));
}

/// The words of every `ExecStart` of a unit, with an example in the place of what systemd fills in.
fn started(unit: &str) -> Vec<Vec<String>> {
    let lines = unit.lines().filter_map(|line| line.strip_prefix("ExecStart="));
    let filled = lines.filter(|line| !line.is_empty()).map(|line| {
        let line = line.replace("%l", "box-7").replace("%S", "/var/lib");
        line.replace("${CREDENTIALS_DIRECTORY}", "/run/credentials/x")
    });
    filled.map(|line| shlex::split(&line).unwrap()).collect()
}

const UNITS: [&str; 3] = ["nue-fleet.service", "nue-worker.service", "nue-volunteer.service"];

#[test]
fn units_start_commands_that_are_understood() {
    for name in UNITS {
        let all = started(&deployed(&format!("systemd/{name}")));
        assert_eq!(all.len(), 1, "{name}");
        assert_eq!(all[0][0], "/usr/local/bin/nue", "{name}");
        understood(&all[0]);
    }
    let broker = started(&deployed("systemd/nats-server.override.conf"));
    assert_eq!(broker, [["/usr/sbin/nats-server", "-c", "/etc/nats/nats-server.conf"]]);
}

#[test]
fn systemd_accepts_the_units() {
    let Some(analyze) = fixtures::program("systemd-analyze") else { return };
    let folder = tempfile::tempdir().unwrap();
    let here = std::env::current_exe().unwrap();
    let paths = UNITS.map(|name| {
        // Whether the program is installed here does not matter.
        let unit = deployed(&format!("systemd/{name}"));
        let unit = unit.replace("/usr/local/bin/nue", here.to_str().unwrap());
        let path = folder.path().join(name);
        std::fs::write(&path, unit).unwrap();
        path
    });
    let verified = std::process::Command::new(analyze).arg("verify").args(&paths).output().unwrap();
    let text = String::from_utf8_lossy(&verified.stderr);
    let about = text.lines().filter(|line| UNITS.iter().any(|name| line.contains(name)));
    assert_eq!(about.collect::<Vec<_>>(), Vec::<&str>::new());
    assert!(verified.status.success(), "{text}");
}

/// What the pages tell people to type is understood.
#[test]
fn commands_of_the_pages_are_understood() {
    let mut count = 0;
    for page in ["fleet.md", "fleet-deployment.md"] {
        let text = std::fs::read_to_string(repository().join("docs").join(page)).unwrap();
        for line in text.lines().filter(|line| line.starts_with("nue ") && !line.contains('…')) {
            let words = shlex::split(line.split(" #").next().unwrap()).unwrap();
            Cli::try_parse_from(&words).unwrap_or_else(|e| panic!("{page}: {line}: {e}"));
            count += 1;
        }
    }
    assert!(count >= 8, "{count}");
}
