//! Engines the owner lets visitors use: from the command line and from a file.

use crate::pool::{Origin, Registered, TREE_SEARCH, probe};
use crate::start::StartError;
use arena::EngineSpec;
use arena::spec::{Launch, pairs};
use board::hello::Scales;
use engines::ProgramCommand;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use think::TimeSource;

/// Keys of "nue match" by which a list of pairs is recognised.
const KEYS: [&str; 4] = ["cmd", "name", "arg", "dir"];

/// All engines, each started once so that a wrong path is known at once.
pub(crate) fn registered(
    named: &[String],
    file: Option<&Path>,
    time: &Arc<dyn TimeSource>,
) -> Result<Vec<Registered>, StartError> {
    let mut specs = Vec::new();
    for text in named {
        specs.push(read(text)?);
    }
    if let Some(path) = file {
        specs.extend(from_file(path)?);
    }
    let mut engines: Vec<Registered> = Vec::new();
    for spec in specs {
        let (mut engine, command) = engine(&spec)?;
        if ["nue", TREE_SEARCH].contains(&engine.id.as_str())
            || engines.iter().any(|e| e.id == engine.id)
        {
            return Err(StartError::usage(format!("two engines are called {:?}", engine.name)));
        }
        engine.plays = probe(command, time)
            .map_err(|e| StartError::failed(format!("engine {:?}: {e}", engine.name)))?;
        engines.push(engine);
    }
    Ok(engines)
}

/// One engine from the command line.
fn read(text: &str) -> Result<EngineSpec, StartError> {
    let key = text.split_once('=').map_or("", |(key, _)| key);
    let is_pairs = KEYS.contains(&key) || key.starts_with("option.") || key.starts_with("env.");
    if is_pairs {
        return spec(pairs(text));
    }
    let (name, command) = text
        .split_once('=')
        .ok_or_else(|| StartError::usage(format!("engine {text:?}: expected NAME=COMMAND")))?;
    let command = ProgramCommand::from_command_line(command)
        .map_err(|e| StartError::usage(format!("engine {name:?}: {e}")))?;
    let mut list = vec![("cmd".to_owned(), command.program), ("name".to_owned(), name.to_owned())];
    list.extend(command.args.into_iter().map(|word| ("arg".to_owned(), word)));
    spec(list)
}

fn spec(mut list: Vec<(String, String)>) -> Result<EngineSpec, StartError> {
    // How long it thinks is the visitor's choice; the grammar of matches wants a limit.
    list.push(("movetime".to_owned(), "1000".to_owned()));
    EngineSpec::from_pairs(list.iter().map(|(k, v)| (k.as_str(), v.as_str())))
        .map_err(|e| StartError::usage(e.to_string()))
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Listed {
    #[serde(default)]
    engine: Vec<Entry>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    cmd: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    arg: Vec<String>,
    #[serde(default)]
    dir: Option<String>,
    #[serde(default)]
    option: BTreeMap<String, toml::Value>,
}

fn from_file(path: &Path) -> Result<Vec<EngineSpec>, StartError> {
    let failed = |e: &dyn std::fmt::Display| StartError::failed(format!("{}: {e}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|e| failed(&e))?;
    let listed: Listed = toml::from_str(&text).map_err(|e| failed(&e))?;
    let pairs = |entry: Entry| {
        let mut list = vec![("cmd".to_owned(), entry.cmd)];
        list.extend(entry.name.map(|name| ("name".to_owned(), name)));
        list.extend(entry.arg.into_iter().map(|arg| ("arg".to_owned(), arg)));
        list.extend(entry.dir.map(|dir| ("dir".to_owned(), dir)));
        list.extend(entry.option.into_iter().map(|(name, value)| {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            (format!("option.{name}"), value)
        }));
        spec(list)
    };
    listed.engine.into_iter().map(pairs).collect()
}

fn engine(spec: &EngineSpec) -> Result<(Registered, ProgramCommand), StartError> {
    let Launch::Process(command) = &spec.launch else {
        return Err(StartError::usage("Nue itself needs no --engine: it is always there"));
    };
    let safe = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let mut id: String = spec.name.chars().map(safe).take(32).collect();
    if id.trim_matches('-').is_empty() {
        id = format!("engine-{:x}", crc32fast::hash(spec.name.as_bytes()));
    }
    let mut command = command.clone();
    let path = Path::new(&command.program);
    // A relative path is meant from here, not from the folder the engine runs in.
    if let Ok(absolute) = std::path::absolute(path)
        && path.components().count() > 1
        && absolute.exists()
    {
        command.program = absolute.to_string_lossy().into_owned();
    }
    let (name, options) = (spec.name.clone(), spec.options.clone());
    let (origin, scale) = (Origin::Program(command.clone()), Scales::default());
    Ok((Registered { id, name, origin, options, plays: Vec::new(), scale }, command))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> (String, String, Vec<String>) {
        let (engine, command) = engine(&read(text).unwrap()).unwrap();
        (engine.id, command.program, command.args)
    }

    #[test]
    fn engines_are_named_in_two_ways() {
        let simple = shown("My Engine=prog --fast x");
        assert_eq!(simple.0, "my-engine");
        assert_eq!((simple.1.as_str(), simple.2.len()), ("prog", 2));
        let pairs = read("cmd=prog,name=A,option.Hash=5,arg=-x").unwrap();
        assert_eq!(pairs.options, [("Hash".to_owned(), "5".to_owned())]);
        assert!(read("prog").is_err() && read("A=").is_err() && read("cmd=,name=x").is_err());
        assert!(engine(&read("cmd=self").unwrap()).is_err());
        assert!(shown("鵺=prog").0.starts_with("engine-"));
    }

    #[test]
    fn engines_from_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("engines.toml");
        let text = "[[engine]]\ncmd = \"a\"\noption = { USI_Hash = 64, Book = \"no\" }\n[[engine]]\ncmd=\"b\"\nname=\"B\"\n";
        std::fs::write(&path, text).unwrap();
        let specs = from_file(&path).unwrap();
        std::fs::write(&path, "[[engine]]\ncmd = 5\n").unwrap();
        assert!(from_file(&path).is_err());
        assert_eq!((specs[0].name.as_str(), specs[1].name.as_str()), ("a", "B"));
        assert!(specs[0].options.contains(&("USI_Hash".to_owned(), "64".to_owned())));
    }
}
