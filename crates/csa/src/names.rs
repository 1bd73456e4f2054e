//! Names of users and games, and what a password may hold besides a secret.

use crate::times::TimeRule;
use rules::Color;
use std::fmt;
use std::time::Duration;
use thiserror::Error;

/// Longest user name and password of the protocol.
pub const LONGEST_NAME: usize = 32;

/// Longest password of the dialect, which puts a game name before the secret.
pub const LONGEST_PASSWORD: usize = 128;

/// The moment at the end of a game's id as shogi-server makes them (`…+20261120100000`), in the letters of
/// `strftime`.
pub const ID_TIME_FORM: &str = "%Y%m%d%H%M%S";

/// Why a name cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum NameError {
    /// Nothing there.
    #[error("the name is empty")]
    Empty,
    /// Too long.
    #[error("the name has {0} characters, {LONGEST_NAME} are allowed")]
    TooLong(usize),
    /// A character that is not allowed.
    #[error("the name contains {0:?}; allowed are letters, digits and _ - . @")]
    Character(char),
}

/// A user's name: letters, digits, `_` and `-`; `.` and `@` too, as shogi-server has it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct UserName(String);

impl UserName {
    /// Checks a name.
    pub fn new(text: &str) -> Result<Self, NameError> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '@');
        if let Some(c) = text.chars().find(|&c| !allowed(c)) {
            return Err(NameError::Character(c));
        }
        match text.len() {
            0 => Err(NameError::Empty),
            1..=LONGEST_NAME => Ok(Self(text.to_owned())),
            n => Err(NameError::TooLong(n)),
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for UserName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What comes on top of the total time, as a game name says it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum PerMove {
    Byoyomi(u64),
    /// Written with a leading zero: measured in whole minutes, as with a stop watch.
    StopWatch(u64),
    Increment(u64),
}

/// A game by name: what is played and with how much time, such as `floodgate-300-10F` (300 seconds
/// and 10 more with every move) or `test-1500-60` (byoyomi 60).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct GameName {
    text: String,
    base: usize,
    total: u64,
    per_move: PerMove,
}

/// Longest time in a game name: ten days.
const LONGEST_SECONDS: u64 = 864_000;

/// Longest game name.
const LONGEST_GAME_NAME: usize = 64;

impl GameName {
    /// Reads a name; `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        if text.len() > LONGEST_GAME_NAME || !text.chars().all(allowed) {
            return None;
        }
        let (rest, last) = text.rsplit_once('-')?;
        let (base, total) = rest.rsplit_once('-')?;
        let number = |s: &str| {
            let digits = !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
            s.parse().ok().filter(|&n: &u64| digits && n <= LONGEST_SECONDS)
        };
        let total = number(total)?;
        let per_move = match last.strip_suffix('F') {
            Some(increment) => PerMove::Increment(number(increment)?),
            None if last.len() > 1 && last.starts_with('0') => PerMove::StopWatch(number(last)?),
            None => PerMove::Byoyomi(number(last)?),
        };
        let given = match per_move {
            PerMove::Byoyomi(n) | PerMove::StopWatch(n) | PerMove::Increment(n) => n,
        };
        let playable = !base.is_empty() && total + given > 0;
        playable.then(|| Self { text: text.to_owned(), base: base.len(), total, per_move })
    }

    /// Reads a name that may end with `-B` or `-W`, the colour asked for.
    pub fn parse_with_color(text: &str) -> Option<(Self, Option<Color>)> {
        let (name, color) = match (text.strip_suffix("-B"), text.strip_suffix("-W")) {
            (Some(name), _) => (name, Some(Color::Black)),
            (_, Some(name)) => (name, Some(Color::White)),
            _ => (text, None),
        };
        Some((Self::parse(name)?, color))
    }

    /// The whole name.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What stands before the times.
    pub fn base(&self) -> &str {
        &self.text[..self.base]
    }

    /// Whether it is a game of a timetable: `floodgate-…`.
    pub fn is_floodgate(&self) -> bool {
        self.base() == "floodgate"
    }

    /// The time elements it names.
    pub fn time_rule(&self) -> TimeRule {
        match self.per_move {
            PerMove::Byoyomi(byoyomi) => TimeRule::seconds(self.total, byoyomi),
            PerMove::Increment(increment) => TimeRule::fischer(self.total, increment),
            PerMove::StopWatch(byoyomi) => TimeRule {
                unit: Duration::from_secs(60),
                total: Some(self.total / 60),
                byoyomi: (byoyomi >= 60).then_some(byoyomi / 60),
                ..TimeRule::default()
            },
        }
    }
}

impl fmt::Display for GameName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The game somebody may have meant with a text that is no game name but looks like one, such as
/// `test_300_10F`, `test-300` or `Floodgate-300-10f`: the one of `known` that differs least or whose
/// times were left out, else the text put right.
pub fn meant_game<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    if GameName::parse_with_color(text).is_some() || text.len() > LONGEST_GAME_NAME {
        return None;
    }
    let is_base = |name: &str| {
        GameName::parse(name).is_some_and(|game| game.base().eq_ignore_ascii_case(text))
    };
    let near = |name: &str| match is_base(name) {
        true => 0,
        false => distance(&text.to_ascii_lowercase(), &name.to_ascii_lowercase()),
    };
    let nearest = known.into_iter().map(|name| (near(name), name)).min_by_key(|&(near, _)| near);
    let nearest = nearest.filter(|&(near, _)| near <= 2).map(|(_, name)| name.to_owned());
    nearest.or_else(|| put_right(text))
}

/// What may stand between the parts of a mistyped name.
const SEPARATORS: [char; 7] = ['-', '_', '.', ':', '/', '+', ' '];

/// A time as people type it: `300`, `10F`, `10s`, `5m`.
struct TypedTime {
    seconds: String,
    fischer: bool,
}

impl TypedTime {
    fn parse(text: &str) -> Option<Self> {
        let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (digits, unit) = text.split_at(end);
        if digits.is_empty() || unit.len() > 3 || !unit.bytes().all(|b| b.is_ascii_alphabetic()) {
            return None;
        }
        let factor: u64 = match unit.to_ascii_lowercase().as_str() {
            "m" | "min" => 60,
            "h" => 3600,
            _ => 1,
        };
        let seconds = match factor {
            1 => digits.to_owned(),
            _ => digits.parse::<u64>().ok()?.saturating_mul(factor).to_string(),
        };
        Some(Self { seconds, fischer: unit.starts_with(['F', 'f']) })
    }
}

/// What is typed for a game, with one or two times at its end, as a name with the signs it should
/// have.
fn put_right(text: &str) -> Option<String> {
    let last_part = |text: &str| -> Option<(usize, usize)> {
        let at = text.rfind(SEPARATORS)?;
        Some((text[..at].trim_end_matches(SEPARATORS).len(), at + 1))
    };
    let mut rest = text.trim_end_matches(SEPARATORS);
    let mut wish = "";
    if let Some((end, begin)) = last_part(rest)
        && rest.len() - begin <= 2
        && rest[begin..].bytes().all(|b| b.is_ascii_alphabetic())
    {
        match &rest[begin..] {
            "b" | "B" => wish = "-B",
            "w" | "W" => wish = "-W",
            _ => {}
        }
        rest = &rest[..end];
    }
    let mut times: Vec<TypedTime> = Vec::new();
    while times.len() < 2
        && let Some((end, begin)) = last_part(rest)
        && let Some(time) = TypedTime::parse(&rest[begin..])
    {
        times.push(time);
        rest = &rest[..end];
    }
    let without_digits = rest.trim_end_matches(|c: char| c.is_ascii_digit());
    if times.len() == 1
        && times[0].fischer
        && !without_digits.is_empty()
        && let Some(total) = TypedTime::parse(&rest[without_digits.len()..])
    {
        // No sign between the name and the time.
        times.push(total);
        rest = without_digits;
    }
    if rest.is_empty() || times.is_empty() {
        return None;
    }
    let (total, per_move) = match &times[..] {
        [only] if only.fischer => ("300", Some(only)),
        [only] => (only.seconds.as_str(), None),
        [per_move, total, ..] => (total.seconds.as_str(), Some(per_move)),
        [] => return None,
    };
    let per_move = per_move.map_or_else(
        || "10F".to_owned(),
        |time| format!("{}{}", time.seconds, if time.fischer { "F" } else { "" }),
    );
    let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let base: String = rest.chars().map(allowed).collect();
    // A game without any time at all is none, however it is written.
    let forms = [format!("{base}-{total}-{per_move}"), format!("{base}-300-10F")];
    let right = forms.iter().find_map(|form| GameName::parse(form));
    Some(right.map_or_else(|| "test-300-10F".to_owned(), |name| format!("{name}{wish}")))
}

/// How many characters must be changed, added or taken away to make one text of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, c) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, d) in b.iter().enumerate() {
            let change = corner + usize::from(c != *d);
            corner = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(corner + 1);
        }
    }
    row[b.len()]
}

/// What the password field of a login holds.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Secret {
    /// The game asked for, and the colour asked for in it.
    pub game: Option<(GameName, Option<Color>)>,
    /// The secret itself (shogi-server calls it the trip).
    pub secret: Option<String>,
}

impl Secret {
    /// Understands a password: `game,secret`, a game name alone, or a secret alone.
    pub fn parse(password: &str) -> Self {
        if let Some((game, secret)) = password.split_once(',')
            && let Some(game) = GameName::parse_with_color(game)
        {
            return Self { game: Some(game), secret: Some(secret.to_owned()) };
        }
        match GameName::parse_with_color(password) {
            Some(game) => Self { game: Some(game), secret: None },
            None => Self { game: None, secret: Some(password.to_owned()) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn user_names() {
        for good in ["a", "Nue_1-x", "bot@home.net", &"x".repeat(32)] {
            assert_eq!(UserName::new(good).unwrap().as_str(), good);
        }
        for (bad, why) in [
            ("", NameError::Empty),
            ("a b", NameError::Character(' ')),
            ("鵺", NameError::Character('鵺')),
            ("a+b", NameError::Character('+')),
            (&"x".repeat(33), NameError::TooLong(33)),
        ] {
            assert_eq!(UserName::new(bad), Err(why));
        }
    }

    #[test]
    fn game_names_and_their_times() {
        let fischer = TimeRule::fischer(300, 10);
        for (text, base, rule) in [
            ("floodgate-300-10F", "floodgate", fischer.clone()),
            ("hc2p_my-game-300-10F", "hc2p_my-game", fischer),
            ("test-1500-60", "test", TimeRule::seconds(1500, 60)),
            ("floodgate-900-0", "floodgate", TimeRule::seconds(900, 0)),
            ("x-0-10", "x", TimeRule::seconds(0, 10)),
        ] {
            let name = GameName::parse(text).unwrap();
            assert_eq!((name.base(), name.time_rule()), (base, rule), "{text}");
            assert_eq!(name.to_string(), text);
        }
        let watch = GameName::parse("x-600-060").unwrap().time_rule();
        assert_eq!((watch.unit.as_secs(), watch.total, watch.byoyomi), (60, Some(10), Some(1)));
        for bad in
            ["", "x", "x-1", "-1-1", "x-a-1", "x-1-1G", "x-1-F", "x-0-0", "x y-1-1", "x-1-+1"]
        {
            assert_eq!(GameName::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn mistyped_games_and_what_was_meant() {
        let known = ["floodgate-300-10F", "default-1500-0"];
        for (text, want) in [
            ("test_300_10F", Some("test-300-10F")),
            ("test-300-10f", Some("test-300-10F")),
            ("test-300_10", Some("test-300-10")),
            ("test_300_10F_b", Some("test-300-10F-B")),
            ("test-300-10s", Some("test-300-10")),
            ("my.game-300-10F", Some("my-game-300-10F")),
            ("test-0-0", Some("test-300-10F")),
            ("floodgate300-10F", Some("floodgate-300-10F")),
            ("Floodgate-300-10f", Some("floodgate-300-10F")),
            ("test-300-10F", None),
            ("test-300-10F-W", None),
            ("test-300", Some("test-300-10F")),
            ("test-300-", Some("test-300-10F")),
            ("test-300-10FF", Some("test-300-10F")),
            ("test-300-10F-X", Some("test-300-10F")),
            ("test-300-10F-", Some("test-300-10F")),
            ("test300-10F", Some("test-300-10F")),
            ("test-10m-10s", Some("test-600-10")),
            ("test-5min+10F-w", Some("test-300-10F-W")),
            ("test-10F", Some("test-300-10F")),
            ("my-test_300", Some("my-test-300-10F")),
            ("test-99999999999999999999", Some("test-300-10F")),
            ("floodgate", Some("floodgate-300-10F")),
            ("secret", None),
            ("secret300", None),
            ("pass-word", None),
            ("-300", None),
            ("550e8400-e29b-41d4-a716-4466ab440000", None),
            ("", None),
        ] {
            assert_eq!(meant_game(text, known).as_deref(), want, "{text}");
        }
    }

    #[test]
    fn passwords() {
        let parse = |text: &str| {
            let secret = Secret::parse(text);
            (secret.game.map(|(game, wish)| (game.to_string(), wish)), secret.secret)
        };
        let game = |wish| Some(("g-300-10F".to_owned(), wish));
        assert_eq!(parse("g-300-10F,s,x"), (game(None), Some("s,x".to_owned())));
        assert_eq!(parse("g-300-10F-B,s"), (game(Some(Color::Black)), Some("s".to_owned())));
        assert_eq!(parse("g-300-10F-W"), (game(Some(Color::White)), None));
        assert_eq!(parse("plain"), (None, Some("plain".to_owned())));
        assert_eq!(parse("a,b"), (None, Some("a,b".to_owned())));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,80}", name in "[a-zA-Z0-9_-]{0,20}-[0-9]{0,9}-[0-9]{0,9}F?") {
            let _ = (UserName::new(&text), Secret::parse(&text));
            if let Some(meant) = meant_game(&text, ["x-300-10F"]) {
                prop_assert!(GameName::parse_with_color(&meant).is_some(), "{}", meant);
            }
            if let Some(game) = GameName::parse(&name) {
                prop_assert_eq!(game.as_str(), &name);
                prop_assert!(!game.time_rule().is_unlimited());
            }
        }
    }
}
