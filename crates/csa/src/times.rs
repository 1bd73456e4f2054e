//! The `Time`, `Time+` and `Time-` blocks: how long players may think.

use rules::Color;
use std::str::FromStr;
use std::time::Duration;

/// The time elements of one side. Every number counts units of [`TimeRule::unit`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TimeRule {
    /// `Time_Unit`.
    pub unit: Duration,
    /// `Least_Time_Per_Move`: recorded at least.
    pub least: u64,
    /// `Time_Roundup`: parts of a unit count as a whole one.
    pub roundup: bool,
    /// `Total_Time`.
    pub total: Option<u64>,
    /// `Byoyomi`.
    pub byoyomi: Option<u64>,
    /// `Delay`.
    pub delay: Option<u64>,
    /// `Increment`.
    pub increment: Option<u64>,
}

impl Default for TimeRule {
    fn default() -> Self {
        Self {
            unit: Duration::from_secs(1),
            least: 0,
            roundup: false,
            total: None,
            byoyomi: None,
            delay: None,
            increment: None,
        }
    }
}

/// The largest number of units and the longest unit: a year of milliseconds, a day. Together they
/// stay far inside what a [`Duration`] holds.
pub const MOST_UNITS: u64 = 31_536_000_000;
const LONGEST_UNIT: Duration = Duration::from_secs(86_400);

impl TimeRule {
    /// So many seconds, and so many for every move after them.
    pub fn seconds(total: u64, byoyomi: u64) -> Self {
        Self { total: Some(total), byoyomi: some(byoyomi), ..Self::default() }
    }

    /// So many seconds, and so many more with every move.
    pub fn fischer(total: u64, increment: u64) -> Self {
        Self { total: Some(total), increment: some(increment), ..Self::default() }
    }

    /// Whether nothing bounds the time.
    pub const fn is_unlimited(&self) -> bool {
        self.total.is_none()
            && self.byoyomi.is_none()
            && self.delay.is_none()
            && self.increment.is_none()
    }

    /// A number of units as a duration.
    pub fn span(&self, units: u64) -> Duration {
        let nanos = self.unit.as_nanos().saturating_mul(u128::from(units));
        u64::try_from(nanos).map_or(Duration::MAX, Duration::from_nanos)
    }

    /// The lines between `BEGIN Time` and `END Time`. `Byoyomi` and `Increment` stand also where
    /// they are 0: bridges to USI engines, shogi-server's own among them, compute with both
    /// whether they were told of them or not. What else has its usual value is left out.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!("Time_Unit:{}", unit_text(self.unit))];
        let mut element = |name: &str, value: Option<u64>| {
            if let Some(value) = value {
                lines.push(format!("{name}:{value}"));
            }
        };
        element("Total_Time", self.total);
        let told = |value: Option<u64>| value.or_else(|| (!self.is_unlimited()).then_some(0));
        element("Byoyomi", told(self.byoyomi));
        element("Delay", self.delay);
        element("Increment", told(self.increment));
        element("Least_Time_Per_Move", Some(self.least));
        if self.roundup {
            lines.push("Time_Roundup:YES".to_owned());
        }
        lines
    }

    /// Takes a line of the block. `Err` with what was expected; a key nobody knows is let pass.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), &'static str> {
        match key {
            "Time_Unit" => self.unit = unit(value).ok_or("1sec, 1min, 1msec or the like")?,
            "Time_Roundup" => {
                self.roundup = match value {
                    "YES" => true,
                    "NO" => false,
                    _ => return Err("YES or NO"),
                }
            }
            "Least_Time_Per_Move" => self.least = units(value)?,
            "Total_Time" => self.total = Some(units(value)?),
            // Nothing on top is nothing, told or not.
            "Byoyomi" => self.byoyomi = some(units(value)?),
            "Delay" => self.delay = some(units(value)?),
            "Increment" => self.increment = some(units(value)?),
            _ => {}
        }
        Ok(())
    }
}

fn some(units: u64) -> Option<u64> {
    (units > 0).then_some(units)
}

fn units(text: &str) -> Result<u64, &'static str> {
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let value = text.parse().ok().filter(|&n| plain && n <= MOST_UNITS);
    value.ok_or("a number of units")
}

/// Reads `1sec`, `10msec`, `min`.
pub fn unit(text: &str) -> Option<Duration> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, word) = text.split_at(digits);
    let number: u32 = if number.is_empty() { 1 } else { number.parse().ok()? };
    let one = match word {
        "msec" => Duration::from_millis(1),
        "sec" => Duration::from_secs(1),
        "min" => Duration::from_secs(60),
        _ => return None,
    };
    let unit = one.checked_mul(number)?;
    (number > 0 && unit <= LONGEST_UNIT).then_some(unit)
}

/// Writes a unit in the largest word that fits.
pub fn unit_text(unit: Duration) -> String {
    let millis = unit.as_millis().max(1);
    if millis.is_multiple_of(60_000) {
        format!("{}min", millis / 60_000)
    } else if millis.is_multiple_of(1000) {
        format!("{}sec", millis / 1000)
    } else {
        format!("{millis}msec")
    }
}

/// The clocks of a game.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Times {
    /// No `Time` block: nothing is measured.
    #[default]
    Unlimited,
    /// `Time`: the same for both.
    Both(TimeRule),
    /// `Time+` and `Time-`.
    Each(Box<[TimeRule; 2]>),
}

impl Times {
    /// The rule of one side.
    pub fn of(&self, color: Color) -> TimeRule {
        match self {
            Self::Unlimited => TimeRule::default(),
            Self::Both(rule) => rule.clone(),
            Self::Each(rules) => rules[color.index()].clone(),
        }
    }

    /// From both sides' rules, as one block where they agree.
    pub fn from_rules(black: TimeRule, white: TimeRule) -> Self {
        if black == white && black.is_unlimited() && black == TimeRule::default() {
            Self::Unlimited
        } else if black == white {
            Self::Both(black)
        } else {
            Self::Each(Box::new([black, white]))
        }
    }

    /// The blocks.
    pub fn lines(&self) -> Vec<String> {
        let block = |name: &str, rule: &TimeRule| {
            let mut lines = vec![format!("BEGIN {name}")];
            lines.extend(rule.lines());
            lines.push(format!("END {name}"));
            lines
        };
        match self {
            Self::Unlimited => Vec::new(),
            Self::Both(rule) => block("Time", rule),
            Self::Each(rules) => [block("Time+", &rules[0]), block("Time-", &rules[1])].concat(),
        }
    }
}

/// Seconds as the protocol writes them after `T`: whole, or with as many decimals as needed.
pub fn seconds_text(time: Duration) -> String {
    let (seconds, nanos) = (time.as_secs(), time.subsec_nanos());
    if nanos == 0 {
        return seconds.to_string();
    }
    let decimals = format!("{nanos:09}");
    format!("{seconds}.{}", decimals.trim_end_matches('0'))
}

/// Reads them.
pub fn seconds(text: &str) -> Option<Duration> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(decimals) || decimals.len() > 9 {
        return None;
    }
    let nanos: u32 = format!("{decimals:0<9}").parse().ok()?;
    let whole: u64 = whole.parse().ok().filter(|&s| s <= MOST_UNITS)?;
    Some(Duration::new(whole, nanos))
}

/// As people type it, in seconds: `900`, `900+5` with an increment, `600/10` with byoyomi.
impl FromStr for TimeRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            let plain = text.bytes().all(|b| b.is_ascii_digit());
            text.parse::<u64>().ok().filter(|&n| plain && n <= 864_000)
        };
        let parsed = if let Some((total, increment)) = text.split_once('+') {
            number(total).zip(number(increment)).map(|(t, i)| Self::fischer(t, i))
        } else {
            let (total, byoyomi) = text.split_once('/').unwrap_or((text, "0"));
            number(total).zip(number(byoyomi)).map(|(t, b)| Self::seconds(t, b))
        };
        parsed
            .ok_or_else(|| format!("{text:?} is not a time; give seconds, as 900, 900+5 or 600/10"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn units_of_time() {
        for (text, millis) in [
            ("1sec", Some(1000)),
            ("sec", Some(1000)),
            ("1min", Some(60_000)),
            ("msec", Some(1)),
            ("10msec", Some(10)),
            ("0sec", None),
            ("1hour", None),
            ("-1sec", None),
            ("", None),
            ("99999999999sec", None),
            ("4000000000min", None),
        ] {
            assert_eq!(unit(text), millis.map(Duration::from_millis), "{text}");
        }
        for millis in [1, 10, 1000, 2000, 60_000, 120_000, 90_000, 1500] {
            let time = Duration::from_millis(millis);
            assert_eq!(unit(&unit_text(time)), Some(time));
        }
    }

    #[test]
    fn wrong_values_say_what_was_expected() {
        let mut rule = TimeRule::default();
        for (key, value) in [
            ("Total_Time", "x"),
            ("Total_Time", ""),
            ("Byoyomi", "-1"),
            ("Increment", "+5"),
            ("Delay", "99999999999999999999999"),
            ("Time_Roundup", "yes"),
            ("Time_Unit", "1week"),
        ] {
            assert!(rule.set(key, value).is_err(), "{key}:{value}");
        }
        assert_eq!(rule.set("Something_New", "whatever"), Ok(()));
        assert_eq!(rule, TimeRule::default());
    }

    /// Bridges such as shogi-server's own add byoyomi and increment to the time without looking
    /// whether they were told of them.
    #[test]
    fn byoyomi_and_increment_are_told_also_when_they_are_nothing() {
        for (rule, byoyomi, increment) in [
            (TimeRule::fischer(300, 10), "Byoyomi:0", "Increment:10"),
            (TimeRule::seconds(600, 10), "Byoyomi:10", "Increment:0"),
            (TimeRule::seconds(900, 0), "Byoyomi:0", "Increment:0"),
        ] {
            let lines = rule.lines();
            for line in [byoyomi, increment] {
                assert!(lines.iter().any(|l| l == line), "{line} in {lines:?}");
            }
            let mut read = TimeRule::default();
            for line in &lines {
                let (key, value) = line.split_once(':').unwrap();
                read.set(key, value).unwrap();
            }
            assert_eq!(read, rule);
        }
        assert_eq!(TimeRule::default().lines(), ["Time_Unit:1sec", "Least_Time_Per_Move:0"]);
    }

    proptest! {
        #[test]
        fn rules_read_back(
            millis in 1u64..86_400_000, least in 0..MOST_UNITS, roundup: bool,
            total in proptest::option::of(0..=MOST_UNITS), byoyomi in proptest::option::of(0..=MOST_UNITS),
            delay in proptest::option::of(0..=MOST_UNITS), increment in proptest::option::of(0..=MOST_UNITS),
        ) {
            let rule = TimeRule {
                unit: Duration::from_millis(millis), least, roundup, total, byoyomi, delay, increment,
            };
            let mut back = TimeRule::default();
            for line in rule.lines() {
                let (key, value) = line.split_once(':').unwrap();
                prop_assert_eq!(back.set(key, value), Ok(()));
            }
            prop_assert_eq!(back, rule);
        }

        #[test]
        fn seconds_read_back(secs in 0u64..100_000, nanos in 0u32..1_000_000_000) {
            let time = Duration::new(secs, nanos);
            prop_assert_eq!(seconds(&seconds_text(time)), Some(time));
        }

        #[test]
        fn no_text_panics(text in ".{0,20}") {
            let _ = (unit(&text), seconds(&text), units(&text));
        }
    }

    #[test]
    fn times_as_people_type_them() {
        assert_eq!("900+5".parse(), Ok(TimeRule::fischer(900, 5)));
        assert_eq!("600/10".parse(), Ok(TimeRule::seconds(600, 10)));
        assert_eq!("60".parse(), Ok(TimeRule::seconds(60, 0)));
        for bad in ["", "x", "1+", "1+x", "-1", "99999999"] {
            assert!(bad.parse::<TimeRule>().is_err(), "{bad}");
        }
    }
}
