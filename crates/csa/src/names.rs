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
/// `test_300_10F` or `Floodgate-300-10f`: the text put right, or the one of `known` that differs
/// least.
pub fn meant_game<'a>(text: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    if GameName::parse_with_color(text).is_some() || text.len() > LONGEST_GAME_NAME {
        return None;
    }
    let near = |name: &&str| distance(&text.to_ascii_lowercase(), &name.to_ascii_lowercase());
    let nearest = known.into_iter().min_by_key(near).filter(|name| near(name) <= 2);
    nearest.map(str::to_owned).or_else(|| put_right(text))
}

/// A name of three parts with the signs it should have.
fn put_right(text: &str) -> Option<String> {
    let separator = |c: char| "-_.:/+ ".contains(c);
    let digits = |s: &str| !s.is_empty() && s.bytes().all(|b| b.is_ascii_digit());
    let (mut rest, mut wish) = (text, "");
    if let Some((head, last)) = text.rsplit_once(separator) {
        match last {
            "b" | "B" => (rest, wish) = (head, "-B"),
            "w" | "W" => (rest, wish) = (head, "-W"),
            _ => {}
        }
    }
    let (rest, per_move) = rest.rsplit_once(separator)?;
    let (base, total) = rest.rsplit_once(separator)?;
    let (per_move, fischer) = match per_move.strip_suffix(['F', 'f']) {
        Some(increment) => (increment, "F"),
        None => (per_move.trim_end_matches(['s', 'S']), ""),
    };
    let total = total.trim_end_matches(['s', 'S']);
    if base.is_empty() || !digits(total) || !digits(per_move) {
        return None;
    }
    let allowed = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
    let base: String = base.chars().map(allowed).collect();
    let right = format!("{base}-{total}-{per_move}{fischer}");
    // A game without any time at all is none, however it is written.
    let right = GameName::parse(&right).map_or_else(|| format!("{base}-300-10F"), |n| n.text);
    Some(format!("{right}{wish}"))
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
            ("secret", None),
            ("secret-300", None),
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
