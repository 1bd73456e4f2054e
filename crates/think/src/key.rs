//! Options known to the compiler: a key carries the option's name, the type of its values and
//! everything else its [`OptionSpec`] says, so that a mistyped name does not compile.
//!
//! A room declares the keys of the options whose meaning it owns as constants. By text options
//! are set only where text comes from outside: protocols, command lines, files.

use crate::{OptionSpec, Settings, Value};
use std::fmt;
use std::marker::PhantomData;

/// An option: its name, what it takes, its default and its help, with the type of its values.
///
/// ```
/// use think::{OptionKey, Settings};
/// const CONTEMPT: OptionKey<i32> = OptionKey::spin("Contempt", 5, -100, 100, "Dislike of draws.");
/// let mut settings = Settings::new(vec![CONTEMPT.spec()]);
/// settings.set("contempt", "-7").unwrap();
/// assert_eq!(settings.get(&CONTEMPT), -7);
/// assert_eq!(CONTEMPT.to(3), ("Contempt", "3".to_owned()));
/// assert_eq!(CONTEMPT.to_default(), ("Contempt", "5".to_owned()));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct OptionKey<T> {
    name: &'static str,
    help: &'static str,
    declared: Declared,
    of: PhantomData<fn() -> T>,
}

#[derive(Clone, Copy, Debug)]
enum Declared {
    Check(bool),
    Spin { default: i64, min: i64, max: i64 },
    Combo { default: &'static str, choices: &'static [&'static str] },
    Button,
    Text(&'static str),
    Filename(&'static str),
}

/// A type an option's value can have.
pub trait OptionType: Sized {
    /// The value, if it is of this type.
    fn from_value(value: &Value) -> Option<Self>;
}

/// Types of numbers.
pub trait Number: OptionType {}

impl OptionType for bool {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Check(flag) => Some(*flag),
            _ => None,
        }
    }
}

impl OptionType for String {
    fn from_value(value: &Value) -> Option<Self> {
        match value {
            Value::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}

/// A button has no value.
impl OptionType for () {
    fn from_value(_: &Value) -> Option<Self> {
        Some(())
    }
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl OptionType for $type {
            fn from_value(value: &Value) -> Option<Self> {
                match value {
                    Value::Spin(number) => Self::try_from(*number).ok(),
                    _ => None,
                }
            }
        }
        impl Number for $type {}
    )*};
}

numbers!(i32, i64, u32, u64, usize);

impl<T> OptionKey<T> {
    const fn new(name: &'static str, help: &'static str, declared: Declared) -> Self {
        Self { name, help, declared, of: PhantomData }
    }

    /// Its name.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Whether this is the option's name; case does not count.
    pub fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }

    /// The option as protocols and documentation tell of it.
    pub fn spec(&self) -> OptionSpec {
        let (name, help) = (self.name, self.help);
        match self.declared {
            Declared::Check(default) => OptionSpec::check(name, default, help),
            Declared::Spin { default, min, max } => OptionSpec::spin(name, default, min, max, help),
            Declared::Combo { default, choices } => OptionSpec::combo(name, default, choices, help),
            Declared::Button => OptionSpec::button(name, help),
            Declared::Text(default) => OptionSpec::text(name, default, help),
            Declared::Filename(default) => OptionSpec::filename(name, default, help),
        }
    }
}

impl<T> OptionKey<T> {
    /// The option set to its default, as name and text.
    pub fn to_default(&self) -> (&'static str, String) {
        let text = match self.declared {
            Declared::Check(default) => default.to_string(),
            Declared::Spin { default, .. } => default.to_string(),
            Declared::Combo { default, .. }
            | Declared::Text(default)
            | Declared::Filename(default) => default.to_owned(),
            Declared::Button => String::new(),
        };
        (self.name, text)
    }
}

impl<T: fmt::Display> OptionKey<T> {
    /// The option set to a value, as name and text.
    pub fn to(&self, value: T) -> (&'static str, String) {
        (self.name, value.to_string())
    }
}

impl OptionKey<bool> {
    /// True or false.
    pub const fn check(name: &'static str, default: bool, help: &'static str) -> Self {
        Self::new(name, help, Declared::Check(default))
    }
}

impl<T: Number> OptionKey<T> {
    /// A number from `min` to `max`, all of which the type must hold.
    pub const fn spin(
        name: &'static str,
        default: i64,
        min: i64,
        max: i64,
        help: &'static str,
    ) -> Self {
        Self::new(name, help, Declared::Spin { default, min, max })
    }
}

impl OptionKey<String> {
    /// One of several words.
    pub const fn combo(
        name: &'static str,
        default: &'static str,
        choices: &'static [&'static str],
        help: &'static str,
    ) -> Self {
        Self::new(name, help, Declared::Combo { default, choices })
    }

    /// Any text.
    pub const fn text(name: &'static str, default: &'static str, help: &'static str) -> Self {
        Self::new(name, help, Declared::Text(default))
    }

    /// A path.
    pub const fn filename(name: &'static str, default: &'static str, help: &'static str) -> Self {
        Self::new(name, help, Declared::Filename(default))
    }
}

impl OptionKey<()> {
    /// Something to press.
    pub const fn button(name: &'static str, help: &'static str) -> Self {
        Self::new(name, help, Declared::Button)
    }
}

impl Settings {
    /// The value now; the default where these settings have no such option.
    ///
    /// # Panics
    ///
    /// If the key's own default is not of its type: a mistake in its declaration.
    pub fn get<T: OptionType>(&self, key: &OptionKey<T>) -> T {
        let default = || {
            let spec = key.spec();
            spec.parse(&spec.default).ok().and_then(|value| T::from_value(&value))
        };
        let value = self.value(key.name).and_then(T::from_value).or_else(default);
        value.unwrap_or_else(|| panic!("option {} has no default of its type", key.name))
    }
}

/// Options that every engine has, whoever made it: their names are the protocol's.
pub mod universal {
    use super::OptionKey;

    /// Memory for the table of positions, in MiB.
    pub const HASH: OptionKey<usize> = OptionKey::spin(
        "USI_Hash",
        256,
        1,
        33_554_432,
        "Memory in MiB for the table of positions already read.",
    );

    /// Threads that search.
    pub const THREADS: OptionKey<usize> =
        OptionKey::spin("Threads", 1, 1, 1024, "Threads that search at the same time.");

    /// Whether the opponent's time is used.
    pub const PONDER: OptionKey<bool> =
        OptionKey::check("USI_Ponder", false, "Name the reply expected, to be pondered on.");

    /// Lines reported.
    pub const MULTI_PV: OptionKey<usize> =
        OptionKey::spin("MultiPV", 1, 1, 600, "How many best lines to report.");

    /// Whether an interface may send this to every engine, declared or not.
    pub fn is_always_sent(name: &str) -> bool {
        HASH.is_called(name) || PONDER.is_called(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OptionKind;

    const FLAG: OptionKey<bool> = OptionKey::check("Flag", true, "f");
    const SIZE: OptionKey<u64> = OptionKey::spin("Size", 16, 1, i64::MAX, "s");
    const RULE: OptionKey<String> = OptionKey::combo("Rule", "A", &["A", "B"], "r");
    const BOOK: OptionKey<String> = OptionKey::filename("Book", "book.db", "b");

    #[test]
    fn values_have_the_type_of_their_key() {
        let specs = vec![FLAG.spec(), SIZE.spec(), RULE.spec(), BOOK.spec()];
        let mut settings = Settings::new(specs);
        assert_eq!((settings.get(&FLAG), settings.get(&SIZE)), (true, 16));
        for (name, value) in [FLAG.to(false), SIZE.to(9), RULE.to("b".to_owned())] {
            settings.set(name, &value).unwrap();
        }
        assert_eq!((settings.get(&FLAG), settings.get(&SIZE)), (false, 9));
        assert_eq!((settings.get(&RULE), settings.get(&BOOK)), ("B".into(), "book.db".into()));
    }

    #[test]
    fn an_option_nobody_declared_has_its_default() {
        let settings = Settings::new(Vec::new());
        assert_eq!((settings.get(&SIZE), settings.get(&RULE)), (16, "A".to_owned()));
        assert!(settings.get(&FLAG));
    }

    #[test]
    fn what_every_engine_may_be_sent() {
        assert!(universal::is_always_sent("usi_hash") && !universal::is_always_sent("Threads"));
        assert_eq!(universal::HASH.spec().kind, OptionKind::Spin { min: 1, max: 33_554_432 });
    }
}
