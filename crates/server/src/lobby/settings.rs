//! How a server is run.

use csa::{GameName, TimeRule};
use rules::{AnyPosition, Color, Declaration, Game, Handicap};
use std::time::Duration;

/// What happens to a player without extended mode after its game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Repeat {
    /// It waits until it sends `CHALLENGE`, as on the championship's test server.
    #[default]
    Challenge,
    /// It waits for the next opponent at once.
    Wait,
    /// Its connection is closed, as on floodgate.
    Close,
}

/// A game that can be asked for by name, with what its name does not say.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    pub name: GameName,
    pub start: AnyPosition,
    /// Clocks other than the name says.
    pub times: Option<[TimeRule; 2]>,
    /// Limit of moves other than the server's.
    pub max_moves: Option<u32>,
    /// Rule of declaration other than the server's.
    pub declaration: Option<Declaration>,
}

/// When the rounds of a timetable begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum When {
    /// Every so many seconds; `offset` is the second after midnight (Universal Time) of one of
    /// them.
    Every { every: i64, offset: i64 },
    /// At these seconds of the week, which begins on Monday at midnight (Universal Time); at least
    /// one, in order.
    Weekly(Vec<i64>),
}

/// Seconds of a week.
pub const WEEK: i64 = 7 * 86_400;

/// The first Monday of 1970 was the fifth of January.
const FIRST_MONDAY: i64 = 4 * 86_400;

/// How a round is paired.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Pairing {
    /// By rating, neighbours meet.
    #[default]
    Neighbours,
    /// Who won its last game meets others who did, by rating within each group.
    Swiss,
    Random,
    /// The least sum of differences between ratings, who met last apart.
    LeastDifference,
}

/// Rounds of a game at fixed times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Timetable {
    pub game: GameName,
    pub when: When,
    pub pairing: Pairing,
    /// Only those play that have a rating.
    pub exclude_unrated: bool,
    /// What these rounds have of their own.
    pub max_moves: Option<u32>,
    pub least_time: Option<u64>,
    pub declaration: Option<Declaration>,
}

impl Timetable {
    /// Rounds every so many seconds, neighbours paired.
    pub const fn every(game: GameName, every: i64, offset: i64) -> Self {
        Self {
            game,
            when: When::Every { every, offset },
            pairing: Pairing::Neighbours,
            exclude_unrated: false,
            max_moves: None,
            least_time: None,
            declaration: None,
        }
    }

    /// When they begin, in words.
    pub fn when_text(&self) -> String {
        match &self.when {
            When::Every { every, .. } => format!("every {} minutes", every / 60),
            When::Weekly(times) => format!("{} times a week", times.len()),
        }
    }

    /// The first round after that second.
    pub fn next_after(&self, wall: i64) -> i64 {
        match &self.when {
            When::Every { every, offset } => {
                let every = (*every).max(1);
                wall + every - (wall - offset).rem_euclid(every)
            }
            When::Weekly(times) => {
                let into = (wall - FIRST_MONDAY).rem_euclid(WEEK);
                let monday = wall - into;
                let next = times.iter().find(|&&at| at > into);
                let first = times.first().copied().unwrap_or(0) + WEEK;
                monday + next.copied().unwrap_or(first)
            }
        }
    }
}

/// What one connection or address may ask of the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Connections at once.
    pub connections: usize,
    /// Connections at once from one address.
    pub per_address: usize,
    /// Lines a connection may send at once, and per second in the long run.
    pub burst: u32,
    pub rate: u32,
    /// How long a connection may take to log in.
    pub login: Duration,
    /// Wrong passwords from one address in ten minutes.
    pub failures: u32,
    /// Senseless lines before a connection is closed.
    pub offences: u32,
    /// Games one connection may watch.
    pub watched: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 10_000,
            per_address: 200,
            burst: 60,
            rate: 20,
            login: Duration::from_secs(60),
            failures: 10,
            offences: 50,
            watched: 32,
        }
    }
}

/// Everything that can be set.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The first part of every game's id.
    pub event: String,
    /// Played by those who name no game.
    pub default_game: GameName,
    /// Whether any game name that can be read may be played.
    pub open_games: bool,
    /// Games with something special about them.
    pub offers: Vec<Offer>,
    /// Rounds by the clock.
    pub timetables: Vec<Timetable>,
    /// Moves after which games are broken off.
    pub max_moves: Option<u32>,
    /// Least time per move, in units.
    pub least_time: u64,
    /// How a win may be declared.
    pub declaration: Declaration,
    /// How often each side may interrupt a game.
    pub interruptions: u8,
    /// What follows a game.
    pub repeat: Repeat,
    /// How long a player may be away from its game, its clock apart.
    pub patience: Option<Duration>,
    /// How long a game waits for players that do not come back, tournaments apart.
    pub abandon: Option<Duration>,
    /// Accounts that may give the referee's orders.
    pub referees: Vec<String>,
    /// What is allowed.
    pub limits: Limits,
    /// Where the toss for colours begins.
    pub toss: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            event: "nue".to_owned(),
            default_game: default_game(),
            open_games: true,
            offers: Vec::new(),
            timetables: Vec::new(),
            max_moves: Some(play::MAX_MOVES),
            least_time: 0,
            declaration: Declaration::Points27H,
            interruptions: 1,
            repeat: Repeat::default(),
            patience: Some(Duration::from_secs(600)),
            abandon: Some(Duration::from_secs(86_400)),
            referees: Vec::new(),
            limits: Limits::default(),
            toss: 0,
        }
    }
}

fn default_game() -> GameName {
    #[expect(clippy::expect_used, reason = "a constant that is a game name; tested")]
    GameName::parse("default-1500-0").expect("a game name")
}

/// What a name stands for before players are known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Plan {
    pub(crate) start: AnyPosition,
    pub(crate) times: [TimeRule; 2],
    pub(crate) max_moves: Option<u32>,
    pub(crate) declaration: Declaration,
    /// Whether accounts may win and lose rating in it: nobody's strength shows in a game that
    /// players have prepared or made uneven themselves.
    pub(crate) ratable: bool,
}

impl Settings {
    /// What a game name means here; `None` if it is not played here.
    pub(crate) fn plan(&self, name: &GameName) -> Option<Plan> {
        let offer = self.offers.iter().find(|offer| offer.name == *name);
        let known = offer.is_some()
            || *name == self.default_game
            || self.timetables.iter().any(|t| t.game == *name);
        if !known && (!self.open_games || name.is_floodgate()) {
            return None;
        }
        let rule = TimeRule { least: self.least_time, ..name.time_rule() };
        let times = offer.and_then(|o| o.times.clone()).unwrap_or([rule.clone(), rule]);
        let start = offer.map_or_else(|| start_of(name.base()), |o| o.start.clone());
        let max_moves = offer.and_then(|o| o.max_moves).or(self.max_moves);
        let declaration = offer.and_then(|o| o.declaration).unwrap_or(self.declaration);
        let ratable = known || start == AnyPosition::startpos(Game::Shogi);
        Some(Plan { start, times, max_moves, declaration, ratable })
    }

    /// Whether a game is played in rounds only.
    pub(crate) fn has_rounds(&self, name: &GameName) -> bool {
        self.timetables.iter().any(|t| t.game == *name)
    }
}

/// The start position that the beginning of a game's name asks for. The handicaps are those of
/// shogi-server, where Black gives them.
pub fn start_of(base: &str) -> AnyPosition {
    let given = |handicap: Handicap| {
        AnyPosition::from_sfen(Game::Shogi, &handicap.sfen()).ok().and_then(|p| by_black(&p))
    };
    let start = match base.split_once('_') {
        Some(("minishogi", _)) => Some(AnyPosition::startpos(Game::Minishogi)),
        Some(("hclance", _)) => given(Handicap::Lance),
        Some(("hcbishop", _)) => given(Handicap::Bishop),
        Some(("hcrook", _)) => given(Handicap::Rook),
        Some(("hcrooklance", _)) => given(Handicap::RookLance),
        Some(("hc2p", _)) => given(Handicap::Two),
        Some(("hc4p", _)) => given(Handicap::Four),
        Some(("hc6p", _)) => given(Handicap::Six),
        Some(("hc8p", _)) => given(Handicap::Eight),
        Some(("hc10p", _)) => given(Handicap::Ten),
        _ => None,
    };
    start.unwrap_or_else(|| AnyPosition::startpos(Game::Shogi))
}

/// A start position turned round: what White gave is given by Black, who moves first.
fn by_black(position: &AnyPosition) -> Option<AnyPosition> {
    let sfen = position.sfen();
    let board = sfen.split(' ').next()?;
    let turned: String =
        board
            .chars()
            .rev()
            .map(|c| {
                if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }
            })
            .collect();
    let turn = if position.turn() == Color::White { 'b' } else { 'w' };
    AnyPosition::from_sfen(Game::Shogi, &format!("{turned} {turn} - 1")).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_their_starts() {
        for (base, sfen) in [
            ("test", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"),
            ("hc2p_x", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/9/LNSGKGSNL b - 1"),
            ("hclance_x", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/1NSGKGSNL b - 1"),
            ("hcbishop_x", "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/7R1/LNSGKGSNL b - 1"),
            ("minishogi_x", "rbsgk/4p/5/P4/KGSBR b - 1"),
        ] {
            assert_eq!(start_of(base).sfen(), sfen, "{base}");
        }
    }

    #[test]
    fn rounds_by_the_clock() {
        let table = Timetable::every(default_game(), 1800, 0);
        assert_eq!(table.next_after(0), 1800);
        assert_eq!(table.next_after(1799), 1800);
        assert_eq!(table.next_after(1800), 3600);
        let table = Timetable::every(default_game(), 1800, 60);
        assert_eq!(table.next_after(0), 60);
        assert_eq!(table.next_after(59), 60);
        assert_eq!(table.next_after(60), 1860);
    }

    #[test]
    fn rounds_by_the_week() {
        // Monday 20:00 and Saturday 13:30.
        let times = vec![20 * 3600, 5 * 86_400 + 13 * 3600 + 1800];
        let table =
            Timetable { when: When::Weekly(times), ..Timetable::every(default_game(), 1, 0) };
        let at = |text: &str| crate::calendar::parse(text).unwrap();
        for (now, want) in [
            ("2026-11-15T12:00", "2026-11-16T20:00"),
            ("2026-11-16T19:59:59", "2026-11-16T20:00"),
            ("2026-11-16T20:00", "2026-11-21T13:30"),
            ("2026-11-21T13:30", "2026-11-23T20:00"),
            ("1970-01-01T00:00", "1970-01-03T13:30"),
        ] {
            assert_eq!(table.next_after(at(now)), at(want), "{now}");
        }
    }

    #[test]
    fn floodgate_is_played_by_timetable_only() {
        let name = |text| GameName::parse(text).unwrap();
        let mut settings = Settings::default();
        assert!(settings.plan(&name("x-1-1")).is_some());
        assert!(settings.plan(&name("floodgate-1-1")).is_none());
        settings.open_games = false;
        assert!(settings.plan(&name("x-1-1")).is_none());
        assert!(settings.plan(&settings.default_game).is_some());
    }
}
