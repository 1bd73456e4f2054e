//! The contract in other languages, made from the types of the messages: the page's TypeScript
//! (`ui/src/net/contract.ts`) and the OpenAPI document (`crates/web/src/openapi.json`).
//!
//! Built with the tests alone, so that nobody who builds Nue pays for it. The test below fails when
//! a file is stale; `cargo xtask contract` writes both anew.

mod openapi;
mod typescript;

use crate::book_edit::{BookEdit, NewBook};
use crate::book_panel::{BookFacts, BookPage, Books};
use crate::error::ErrorBody;
use crate::game::{Games, OwnOpenings};
use crate::hello::{Hello, Watchable};
use crate::message::{ClientMessage, LineAnswer, LineRequest, ServerMessage};
use crate::position::{CheckAnswer, CheckRequest, PositionRequest, PositionView};
use crate::setup::GameSettings;
use crate::study::{FolderChange, NewStudy, Studies, Study, StudyChange};
use crate::tree::{Tree, Trees, WriteRequest};
use crate::tsume::{TsumeAnswer, TsumeAttempt, TsumeNext};
use crate::watch::{WatchLearn, WatchMatch, WatchServer};
use crate::watch_cluster::WatchCluster;
use crate::watch_fleet::WatchFleet;
use schemars::generate::{Contract, SchemaSettings};
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Names of the tagged unions.
const SERVER: &str = "ServerMessage";
const CLIENT: &str = "ClientMessage";

/// Every type of the contract by its name, as JSON Schema.
fn schemas() -> Map<String, Value> {
    let generator = |contract: Contract| {
        SchemaSettings::draft2020_12().with(|s| s.contract = contract).into_generator()
    };
    let mut sent = generator(Contract::Serialize);
    sent.subschema_for::<ServerMessage>();
    sent.subschema_for::<ErrorBody>();
    sent.subschema_for::<Hello>();
    sent.subschema_for::<Watchable>();
    sent.subschema_for::<Games>();
    sent.subschema_for::<OwnOpenings>();
    sent.subschema_for::<Books>();
    sent.subschema_for::<BookFacts>();
    sent.subschema_for::<BookPage>();
    sent.subschema_for::<TsumeNext>();
    sent.subschema_for::<TsumeAnswer>();
    sent.subschema_for::<PositionView>();
    sent.subschema_for::<CheckAnswer>();
    sent.subschema_for::<LineAnswer>();
    sent.subschema_for::<Tree>();
    sent.subschema_for::<Trees>();
    sent.subschema_for::<Study>();
    sent.subschema_for::<Studies>();
    sent.subschema_for::<WatchServer>();
    sent.subschema_for::<WatchMatch>();
    sent.subschema_for::<WatchLearn>();
    sent.subschema_for::<WatchFleet>();
    sent.subschema_for::<WatchCluster>();
    let mut received = generator(Contract::Deserialize);
    received.subschema_for::<ClientMessage>();
    received.subschema_for::<GameSettings>();
    received.subschema_for::<PositionRequest>();
    received.subschema_for::<CheckRequest>();
    received.subschema_for::<LineRequest>();
    received.subschema_for::<WriteRequest>();
    received.subschema_for::<NewStudy>();
    received.subschema_for::<StudyChange>();
    received.subschema_for::<FolderChange>();
    received.subschema_for::<TsumeAttempt>();
    received.subschema_for::<NewBook>();
    received.subschema_for::<BookEdit>();

    let mut all = sent.take_definitions(true);
    all.values_mut().for_each(without_nulls);
    let mut received = Value::Object(received.take_definitions(true));
    // What is more lenient when it is read than when it is written gets a name of its own.
    let names: Vec<String> =
        received.as_object().into_iter().flat_map(Map::keys).cloned().collect();
    for name in &names {
        if all.get(name).is_some_and(|known| *known != received[name]) {
            rename(&mut received, name, &format!("{name}Input"));
        }
    }
    if let Value::Object(received) = received {
        all.extend(received);
    }
    all.sort_keys();
    all
}

/// A field that is left out where there is nothing to say is never null, unless it says so.
fn without_nulls(schema: &mut Value) {
    let required: Vec<Value> = schema["required"].as_array().cloned().unwrap_or_default();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        for (name, property) in properties.iter_mut() {
            let nullable = property.as_object_mut().and_then(|p| p.remove("x-nullable")).is_some();
            if required.contains(&Value::from(name.as_str())) || nullable {
                continue;
            }
            if let Some(types) = property.get_mut("type").and_then(Value::as_array_mut) {
                types.retain(|kind| kind != "null");
                if let [kind] = &types[..] {
                    property["type"] = kind.clone();
                }
            }
            if let Some(choices) = property.get_mut("anyOf").and_then(Value::as_array_mut) {
                choices.retain(|choice| choice["type"] != "null");
                if let [only] = &choices[..] {
                    let only = only.clone();
                    let about = property.get("description").cloned();
                    *property = only;
                    if let Some(about) = about {
                        property["description"] = about;
                    }
                }
            }
        }
    }
    for part in schema.as_object_mut().into_iter().flat_map(Map::values_mut) {
        match part {
            Value::Array(parts) => parts.iter_mut().for_each(without_nulls),
            Value::Object(_) => without_nulls(part),
            _ => {}
        }
    }
}

fn rename(definitions: &mut Value, old: &str, new: &str) {
    if let Some(definition) = definitions.as_object_mut().and_then(|all| all.remove(old)) {
        definitions[new] = definition;
    }
    let (from, to) = (format!("#/$defs/{old}"), format!("#/$defs/{new}"));
    each_reference(definitions, &mut |reference| {
        if *reference == from {
            reference.clone_from(&to);
        }
    });
}

fn each_reference(value: &mut Value, act: &mut dyn FnMut(&mut String)) {
    match value {
        Value::Array(parts) => parts.iter_mut().for_each(|part| each_reference(part, act)),
        Value::Object(parts) => {
            for (key, part) in parts {
                match part {
                    Value::String(text) if key == "$ref" => act(text),
                    part => each_reference(part, act),
                }
            }
        }
        _ => {}
    }
}

/// The name a reference names.
fn referred(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str().and_then(|path| path.rsplit('/').next())
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares a file with what it should be, or writes it where `NUE_WRITE_CONTRACT` is set.
fn check(path: &str, made: &str) {
    let path = root().join(path);
    if std::env::var_os("NUE_WRITE_CONTRACT").is_some() {
        std::fs::write(&path, made).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == made, "{} is stale: run cargo xtask contract", path.display());
}

#[test]
fn the_page_has_the_contract_of_today() {
    check("ui/src/net/contract.ts", &typescript::write(&schemas()));
}

#[test]
fn the_openapi_document_is_the_contract_of_today() {
    check("crates/web/src/openapi.json", &openapi::write(&schemas()));
}

#[test]
fn the_prose_speaks_of_every_code_and_every_message() {
    let prose = std::fs::read_to_string(root().join("docs/web-api.md")).unwrap();
    let schemas = schemas();
    let word = |schema: &Value| schema["const"].as_str().map(str::to_owned);
    let codes = schemas["ErrorCode"]["oneOf"].as_array().unwrap();
    let messages = [SERVER, CLIENT].into_iter().flat_map(|union| {
        schemas[union]["oneOf"].as_array().unwrap().iter().map(|v| &v["properties"]["type"])
    });
    let mut count = 0;
    for word in codes.iter().chain(messages).map(|schema| word(schema).unwrap()) {
        assert!(prose.contains(&word), "docs/web-api.md does not speak of {word}");
        count += 1;
    }
    assert!(count > 40);
}
