//! What can be set, defined once by the room that owns the meaning: the protocol's list, the
//! parser and the documentation all come from [`OptionSpec`].

use crate::quote;
use thiserror::Error;

/// What values an option takes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// `true` or `false`.
    Check,
    /// A whole number in a range, ends included.
    Spin {
        min: i64,
        max: i64,
    },
    /// One of several words.
    Combo {
        choices: Vec<String>,
    },
    /// Something done when it is set; no value.
    Button,
    Text,
    /// The path of a file or folder.
    Filename,
}

impl OptionKind {
    /// The protocol's name of the type.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Spin { .. } => "spin",
            Self::Combo { .. } => "combo",
            Self::Button => "button",
            Self::Text => "string",
            Self::Filename => "filename",
        }
    }
}

/// One option: what it is called, takes, is by default and means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OptionSpec {
    /// Name, without spaces.
    pub name: String,
    /// What it takes.
    pub kind: OptionKind,
    /// Value when nobody sets it; empty for a button.
    pub default: String,
    /// What it means, in a sentence for the user.
    pub help: String,
}

/// A value an option was set to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Of a check.
    Check(bool),
    /// Of a spin.
    Spin(i64),
    /// Of a combo (spelt as declared), a text or a file name.
    Text(String),
    /// A button pressed.
    Pressed,
}

/// Why an option could not be set.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum OptionError {
    /// No such option.
    #[error("no option is called {}", quote(name))]
    Unknown { name: String },
    /// A check wants true or false.
    #[error("option {name} is \"true\" or \"false\", not {}", quote(value))]
    NotCheck { name: String, value: String },
    /// A spin wants a number in its range.
    #[error("option {name} is a whole number from {min} to {max}, not {}", quote(value))]
    NotInRange { name: String, value: String, min: i64, max: i64 },
    /// A combo wants one of its words.
    #[error("option {name} is one of {}, not {}", choices.join(", "), quote(value))]
    NotChoice { name: String, value: String, choices: Vec<String> },
    /// The value is well formed but cannot be used.
    #[error("option {name} cannot be {}: {reason}", quote(value))]
    Refused { name: String, value: String, reason: String },
}

impl OptionSpec {
    fn new(name: &str, kind: OptionKind, default: String, help: &str) -> Self {
        Self { name: name.to_owned(), kind, default, help: help.to_owned() }
    }

    /// True or false.
    pub fn check(name: &str, default: bool, help: &str) -> Self {
        Self::new(name, OptionKind::Check, default.to_string(), help)
    }

    /// A number from `min` to `max`.
    pub fn spin(name: &str, default: i64, min: i64, max: i64, help: &str) -> Self {
        Self::new(name, OptionKind::Spin { min, max }, default.to_string(), help)
    }

    /// One of several words.
    pub fn combo(name: &str, default: &str, choices: &[&str], help: &str) -> Self {
        let choices = choices.iter().map(|&c| c.to_owned()).collect();
        Self::new(name, OptionKind::Combo { choices }, default.to_owned(), help)
    }

    /// Something to press.
    pub fn button(name: &str, help: &str) -> Self {
        Self::new(name, OptionKind::Button, String::new(), help)
    }

    /// An option that takes any text.
    pub fn text(name: &str, default: &str, help: &str) -> Self {
        Self::new(name, OptionKind::Text, default.to_owned(), help)
    }

    /// A path.
    pub fn filename(name: &str, default: &str, help: &str) -> Self {
        Self::new(name, OptionKind::Filename, default.to_owned(), help)
    }

    /// Whether this is the option's name; case does not count.
    pub fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// Reads a value for this option.
    pub fn parse(&self, value: &str) -> Result<Value, OptionError> {
        let (name, given) = (self.name.clone(), value.to_owned());
        match &self.kind {
            OptionKind::Check => match value.to_ascii_lowercase().as_str() {
                "true" => Ok(Value::Check(true)),
                "false" => Ok(Value::Check(false)),
                _ => Err(OptionError::NotCheck { name, value: given }),
            },
            &OptionKind::Spin { min, max } => match value.parse() {
                Ok(number) if (min..=max).contains(&number) => Ok(Value::Spin(number)),
                _ => Err(OptionError::NotInRange { name, value: given, min, max }),
            },
            OptionKind::Combo { choices } => {
                match choices.iter().find(|c| c.eq_ignore_ascii_case(value)) {
                    Some(choice) => Ok(Value::Text(choice.clone())),
                    None => {
                        Err(OptionError::NotChoice { name, value: given, choices: choices.clone() })
                    }
                }
            }
            OptionKind::Button => Ok(Value::Pressed),
            OptionKind::Text | OptionKind::Filename => Ok(Value::Text(given)),
        }
    }

    /// An error of this option for a value that is well formed but cannot be used.
    pub fn refuse(&self, value: &str, reason: impl Into<String>) -> OptionError {
        OptionError::Refused {
            name: self.name.clone(),
            value: value.to_owned(),
            reason: reason.into(),
        }
    }
}

/// Options and the values they have now.
#[derive(Clone, Debug)]
pub struct Settings {
    entries: Vec<(OptionSpec, Value)>,
}

impl Settings {
    /// Every option at its default. A default its own option refuses is left as text.
    pub fn new(specs: Vec<OptionSpec>) -> Self {
        let value =
            |s: &OptionSpec| s.parse(&s.default).unwrap_or_else(|_| Value::Text(s.default.clone()));
        let entries = specs
            .into_iter()
            .map(|s| {
                let v = value(&s);
                (s, v)
            })
            .collect();
        Self { entries }
    }

    /// The options, in order.
    pub fn specs(&self) -> impl Iterator<Item = &OptionSpec> {
        self.entries.iter().map(|(spec, _)| spec)
    }

    /// The option of that name; case does not count.
    pub fn find(&self, name: &str) -> Option<&OptionSpec> {
        self.specs().find(|s| s.is_called(name))
    }

    /// Sets an option; on error everything stays as it was.
    pub fn set(&mut self, name: &str, value: &str) -> Result<&Value, OptionError> {
        let Some((spec, slot)) = self.entries.iter_mut().find(|(s, _)| s.is_called(name)) else {
            return Err(OptionError::Unknown { name: name.to_owned() });
        };
        *slot = spec.parse(value)?;
        Ok(slot)
    }

    /// The value now, by name.
    pub fn value(&self, name: &str) -> Option<&Value> {
        self.entries.iter().find(|(s, _)| s.is_called(name)).map(|(_, v)| v)
    }
}

/// The options as a table for the reader, in Markdown.
pub fn markdown(specs: &[OptionSpec]) -> String {
    let mut text = String::from("| option | type | default | meaning |\n|---|---|---|---|\n");
    for spec in specs {
        let kind = match &spec.kind {
            OptionKind::Spin { min, max } => format!("{min} to {max}"),
            OptionKind::Combo { choices } => choices.join(", "),
            OptionKind::Check => "true, false".to_owned(),
            other => other.name().to_owned(),
        };
        let default =
            if spec.default.is_empty() { String::new() } else { format!("`{}`", spec.default) };
        text += &format!("| `{}` | {kind} | {default} | {} |\n", spec.name, spec.help);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn every_kind() -> Vec<OptionSpec> {
        vec![
            OptionSpec::check("Ponder", false, "p"),
            OptionSpec::spin("Hash", 16, 1, 1024, "h"),
            OptionSpec::combo("Rule", "A", &["A", "B"], "r"),
            OptionSpec::button("Clear", "c"),
            OptionSpec::text("Greeting", "", "g"),
            OptionSpec::filename("Book", "book.db", "b"),
        ]
    }

    fn check(name: &str, value: &str, expected: Result<Value, &str>) {
        let mut settings = Settings::new(every_kind());
        let before = settings.value(name).cloned();
        let got = settings.set(name, value).cloned();
        match expected {
            Ok(value) => assert_eq!(got, Ok(value), "{name}"),
            Err(text) => {
                assert_eq!(got.unwrap_err().to_string(), text);
                assert_eq!(settings.value(name), before.as_ref());
            }
        }
    }

    #[test]
    fn values_are_read_by_kind() {
        check("Ponder", "TRUE", Ok(Value::Check(true)));
        check("hash", "1024", Ok(Value::Spin(1024)));
        check("RULE", "b", Ok(Value::Text("B".into())));
        check("Clear", "whatever", Ok(Value::Pressed));
        check("Greeting", "good day", Ok(Value::Text("good day".into())));
        check("Book", "", Ok(Value::Text(String::new())));
    }

    #[test]
    fn errors_quote_the_value_and_say_what_is_allowed() {
        check("Ponder", "yes", Err(r#"option Ponder is "true" or "false", not "yes""#));
        check("Hash", "1025", Err(r#"option Hash is a whole number from 1 to 1024, not "1025""#));
        check("Hash", "9e99", Err(r#"option Hash is a whole number from 1 to 1024, not "9e99""#));
        check("Rule", "C", Err(r#"option Rule is one of A, B, not "C""#));
        check("Nothing", "1", Err(r#"no option is called "Nothing""#));
    }

    #[test]
    fn the_table_names_every_option() {
        let table = markdown(&every_kind());
        assert_eq!(table.lines().count(), 2 + every_kind().len());
        assert!(table.contains("| `Hash` | 1 to 1024 | `16` | h |"));
    }

    proptest! {
        #[test]
        fn no_value_panics(name in ".*", value in ".*") {
            let mut settings = Settings::new(every_kind());
            let unknown = format!("_{name}");
            prop_assert!(settings.set(&unknown, &value).is_err());
            for spec in every_kind() {
                let _ = settings.set(&spec.name, &value);
            }
        }
    }
}
