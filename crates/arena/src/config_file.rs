//! The settings of a match from a TOML file, as the words of a command line.

use crate::spec::escape;
use toml::Value;

/// The words of a command line that say what the file says.
pub fn words(text: &str) -> Result<Vec<String>, String> {
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| e.message().to_owned())?;
    let mut words = Vec::new();
    for (key, value) in &table {
        match (key.as_str(), value) {
            ("config" | "resume" | "force", _) => {
                return Err(format!("{key:?} belongs on the command line"));
            }
            ("engine" | "engines", Value::Array(engines)) => {
                for engine in engines {
                    words.push(format!("--engine={}", pairs_of(engine)?));
                }
            }
            ("json", Value::Boolean(true)) => words.push("--json".to_owned()),
            ("json", Value::Boolean(false)) => {}
            (key, Value::Table(_)) => words.push(format!("--{key}={}", pairs_of(value)?)),
            (key, value) => words.push(format!("--{}={}", key.replace('_', "-"), scalar(value)?)),
        }
    }
    Ok(words)
}

/// A table as `key=value,…`; tables and lists inside are spread out.
fn pairs_of(value: &Value) -> Result<String, String> {
    let table = value.as_table().ok_or_else(|| format!("a table was expected, not {value}"))?;
    let mut parts = Vec::new();
    for (key, value) in table {
        match value {
            Value::Table(inner) => {
                for (name, value) in inner {
                    parts.push(format!("{key}.{name}={}", escape(&scalar(value)?)));
                }
            }
            Value::Array(list) => {
                for value in list {
                    parts.push(format!("{key}={}", escape(&scalar(value)?)));
                }
            }
            value => parts.push(format!("{key}={}", escape(&scalar(value)?))),
        }
    }
    Ok(parts.join(","))
}

fn scalar(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(flag) => Ok(flag.to_string()),
        other => Err(format!("a plain value was expected, not {other}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_lists_are_spread_out() {
        let text = "games = 4\nsprt = { elo0 = 0, elo1 = 5 }\n[[engine]]\ncmd = \"self\"\narg = [\"a,b\"]\n";
        let words = words(text).unwrap();
        assert!(words.contains(&"--games=4".to_owned()), "{words:?}");
        assert!(words.contains(&"--sprt=elo0=0,elo1=5".to_owned()), "{words:?}");
        assert!(words.contains(&"--engine=arg=a\\,b,cmd=self".to_owned()), "{words:?}");
    }

    #[test]
    fn what_belongs_on_the_command_line_is_refused() {
        assert!(words("resume = true").is_err());
        assert!(words("games = [1]").is_err());
        assert!(words("games =").is_err());
    }
}
