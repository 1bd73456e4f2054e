//! JSON Schema to TypeScript, as far as our types need it.

use super::{CLIENT, SERVER, each_reference, referred};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

const HEAD: &str = "// Made from the types in crates/board by `cargo xtask contract`: do not edit.\n\
                    // Types alone: nothing here runs.\n";

/// The file.
pub(super) fn write(schemas: &Map<String, Value>) -> String {
    let tags = tags(schemas);
    let mut out = HEAD.to_owned();
    for (name, schema) in schemas {
        out += "\n";
        out += &comment(schema, "");
        out += &match name.as_str() {
            SERVER | CLIENT => format!("export type {name} =\n{};\n", union(name, schema, &tags)),
            _ if schema["properties"].is_object() && schema.get("oneOf").is_none() => {
                let head = tags.get(name.as_str()).map_or_else(String::new, |tag| {
                    format!(
                        "  type: '{tag}';\n  /** Of the request it answers. */\n  id?: number;\n"
                    )
                });
                let (parents, fields) = (parents(schema), fields(schema));
                format!("export interface {name}{parents} {{\n{head}{fields}}}\n")
            }
            _ => format!("export type {name} = {};\n", of(schema)),
        };
    }
    out
}

/// Types that are sent on the socket and nowhere else carry their tag themselves.
fn tags(schemas: &Map<String, Value>) -> BTreeMap<String, String> {
    let variants = schemas[SERVER]["oneOf"].as_array().into_iter().flatten();
    let sent = variants.filter_map(|variant| {
        let tag = variant["properties"]["type"]["const"].as_str()?;
        Some((referred(variant)?.to_owned(), tag.to_owned()))
    });
    let nested = |name: &str| {
        let mut others = schemas.clone();
        others.remove(SERVER);
        let (mut others, mut found) = (Value::Object(others), false);
        each_reference(&mut others, &mut |r| found |= r.rsplit('/').next() == Some(name));
        found
    };
    sent.filter(|(name, _)| !nested(name)).collect()
}

fn union(name: &str, schema: &Value, tags: &BTreeMap<String, String>) -> String {
    let variants = schema["oneOf"].as_array().into_iter().flatten();
    let told = variants.map(|variant| {
        let tag = variant["properties"]["type"]["const"].as_str().unwrap_or_default();
        let id = if name == SERVER { "; id?: number" } else { "" };
        match referred(variant) {
            Some(inner) if name == SERVER && tags.contains_key(inner) => format!("  | {inner}"),
            Some(inner) => format!("  | ({{ type: '{tag}'{id} }} & {inner})"),
            None => format!("  | {{ type: '{tag}'{id} }}"),
        }
    });
    told.collect::<Vec<_>>().join("\n")
}

fn comment(schema: &Value, indent: &str) -> String {
    let Some(text) = schema["description"].as_str() else { return String::new() };
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!("{indent}/** {text} */\n")
}

/// Types whose fields are part of this one.
fn parents(schema: &Value) -> String {
    match referred(schema) {
        Some(parent) => format!(" extends {parent}"),
        None => String::new(),
    }
}

fn fields(schema: &Value) -> String {
    let mut out = String::new();
    let required = schema["required"].as_array();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let needed = required.is_some_and(|r| r.contains(&Value::from(name.as_str())));
        let mark = if needed { "" } else { "?" };
        out += &comment(property, "  ");
        out += &format!("  {name}{mark}: {};\n", of(property));
    }
    out
}

fn joined(parts: &Value, by: &str) -> String {
    let mut texts: Vec<String> = parts.as_array().into_iter().flatten().map(of).collect();
    texts.dedup();
    texts.join(by)
}

/// The type of a schema.
fn of(schema: &Value) -> String {
    if let Some(name) = referred(schema) {
        return name.to_owned();
    }
    if let Some(word) = schema.get("const") {
        return literal(word);
    }
    if let Some(words) = schema["enum"].as_array() {
        return words.iter().map(literal).collect::<Vec<_>>().join(" | ");
    }
    for key in ["oneOf", "anyOf"] {
        if schema.get(key).is_some() {
            return joined(&schema[key], " | ");
        }
    }
    match &schema["type"] {
        Value::Array(kinds) => {
            let each = kinds.iter().map(|kind| {
                let mut one = schema.clone();
                one["type"] = kind.clone();
                of(&one)
            });
            each.collect::<Vec<_>>().join(" | ")
        }
        Value::String(kind) => match kind.as_str() {
            "string" => "string".to_owned(),
            "integer" | "number" => "number".to_owned(),
            "boolean" => "boolean".to_owned(),
            "null" => "null".to_owned(),
            "array" => list(schema),
            _ => object(schema),
        },
        _ => "unknown".to_owned(),
    }
}

fn literal(word: &Value) -> String {
    word.as_str().map_or_else(|| word.to_string(), |word| format!("'{word}'"))
}

fn list(schema: &Value) -> String {
    if schema["prefixItems"].is_array() {
        return format!("[{}]", each(schema["prefixItems"].as_array()));
    }
    let item = of(&schema["items"]);
    if let (Some(least), Some(most)) = (schema["minItems"].as_u64(), schema["maxItems"].as_u64())
        && least == most
    {
        return format!("[{}]", vec![item; most as usize].join(", "));
    }
    if item.contains('|') { format!("({item})[]") } else { format!("{item}[]") }
}

fn each(items: Option<&Vec<Value>>) -> String {
    items.into_iter().flatten().map(of).collect::<Vec<_>>().join(", ")
}

fn object(schema: &Value) -> String {
    match schema.get("additionalProperties") {
        Some(values @ Value::Object(_)) => format!("Record<string, {}>", of(values)),
        _ => {
            let fields = fields(schema).replace("\n  ", " ");
            format!("{{ {} }}", fields.trim().trim_end_matches(';'))
        }
    }
}
