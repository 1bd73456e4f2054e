//! The server's settings as a file in TOML.

mod rounds;
mod tournaments;

use crate::error::Error;
use csa::{GameName, TimeRule};
use rounds::{RoundsTable, timetable};
use rules::{AnyPosition, Declaration, Game, Handicap};
use serde::Deserialize;
use server::lobby::{EventSettings, Limits, Offer, Repeat, Settings};
use server::rating::Method;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tournaments::{TournamentTable, event};

/// The file. Everything may be left out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct File {
    /// Where players connect.
    pub listen: String,
    pub(crate) status: String,
    /// The data file.
    pub data: PathBuf,
    pub(crate) records: PathBuf,
    pub(crate) log: PathBuf,
    pub(crate) player_logs: Option<PathBuf>,
    pub(crate) durability: Durability,
    pub(crate) registration: bool,
    pub(crate) guests: bool,
    referees: Vec<String>,
    pub(crate) drain: u64,
    event: String,
    default_game: String,
    open_games: bool,
    max_moves: u32,
    least_time: u64,
    declaration: String,
    interruptions: u8,
    repeat: RepeatWord,
    patience: u64,
    abandon: u64,
    limits: LimitsTable,
    rating: RatingTable,
    game: Vec<GameTable>,
    rounds: Vec<RoundsTable>,
    tournament: Vec<TournamentTable>,
    pub(crate) tls: Option<TlsTable>,
}

/// What a stored move survives.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Durability {
    /// The death of the server.
    Process,
    /// The death of the machine.
    Power,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RepeatWord {
    Challenge,
    Wait,
    Close,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TlsTable {
    pub(crate) listen: String,
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct LimitsTable {
    connections: Option<usize>,
    per_address: Option<usize>,
    burst: Option<u32>,
    rate: Option<u32>,
    login_seconds: Option<u64>,
    failures: Option<u32>,
    offences: Option<u32>,
    watched: Option<usize>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RatingTable {
    fresh: Option<f64>,
    half_life: Option<f64>,
    oldest: Option<f64>,
    games: Option<f64>,
    anchor: Option<String>,
    anchor_rating: Option<f64>,
}

/// Time elements, as the protocol names them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct TimeTable {
    unit: Option<String>,
    total: Option<u64>,
    byoyomi: Option<u64>,
    delay: Option<u64>,
    increment: Option<u64>,
    least: u64,
    roundup: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct GameTable {
    name: String,
    #[serde(default)]
    start: String,
    max_moves: Option<u32>,
    declaration: Option<String>,
    time: Option<TimeTable>,
    black_time: Option<TimeTable>,
    white_time: Option<TimeTable>,
}

impl Default for File {
    fn default() -> Self {
        Self {
            listen: "127.0.0.1:4081".to_owned(),
            status: "127.0.0.1:4082".to_owned(),
            data: "games.sqlite".into(),
            records: "records".into(),
            log: "server.log".into(),
            player_logs: None,
            durability: Durability::Process,
            registration: true,
            guests: true,
            referees: Vec::new(),
            drain: 0,
            event: "nue".to_owned(),
            default_game: "default-1500-0".to_owned(),
            open_games: true,
            max_moves: play::MAX_MOVES,
            least_time: 0,
            declaration: Declaration::Points27H.name().to_owned(),
            interruptions: 1,
            repeat: RepeatWord::Challenge,
            patience: 600,
            abandon: 1440,
            limits: LimitsTable::default(),
            rating: RatingTable::default(),
            game: Vec::new(),
            rounds: Vec::new(),
            tournament: Vec::new(),
            tls: None,
        }
    }
}

/// The settings, understood.
#[derive(Clone, Debug)]
pub struct Config {
    /// The file as it was written, paths resolved.
    pub file: File,
    pub lobby: Settings,
    pub events: Vec<EventSettings>,
    pub(crate) rating: Method,
}

impl Config {
    /// Reads a file; paths in it are meant from where it lies.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let text = std::fs::read_to_string(path).map_err(|error| Error::file(path, error))?;
        let folder = path.parent().map_or_else(PathBuf::new, Path::to_owned);
        Self::parse(&text, &folder).map_err(|why| Error::file(path, why))
    }

    /// Reads the text of a file that lies in that folder.
    pub fn parse(text: &str, folder: &Path) -> Result<Self, String> {
        let mut file: File = toml::from_str(text).map_err(|error| error.to_string())?;
        for path in [&mut file.data, &mut file.records].into_iter().chain(&mut file.player_logs) {
            *path = folder.join(&*path);
        }
        let tls = file.tls.as_ref().map_or("", |tls| tls.listen.as_str());
        for (key, text) in
            [("listen", file.listen.as_str()), ("status", &file.status), ("tls.listen", tls)]
        {
            address(key, text)?;
        }
        let listeners = [&*file.listen, &*file.status, tls];
        if let Some(twice) = same_port(&listeners) {
            return Err(format!("{twice:?} is to be listened on twice: every port has one use"));
        }
        if !matches!(file.log.to_str(), Some("" | "-")) {
            file.log = folder.join(&file.log);
        }
        if let Some(tls) = &mut file.tls {
            tls.certificate = folder.join(&tls.certificate);
            tls.key = folder.join(&tls.key);
        }
        let lobby = settings(&file)?;
        let events = file.tournament.iter().map(event).collect::<Result<Vec<_>, _>>()?;
        let mut names: Vec<&str> = events.iter().map(|e| e.name.as_str()).collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!("two tournaments are called {:?}", twice[0]));
        }
        let rating = rating(&file.rating)?;
        Ok(Self { file, lobby, events, rating })
    }
}

/// An address whose port another one takes already. Port 0 is any that is free.
fn same_port<'a>(addresses: &[&'a str]) -> Option<&'a str> {
    let parts = |text: &'a str| text.rsplit_once(':').filter(|(_, port)| *port != "0");
    let everywhere = |host: &str| matches!(host, "0.0.0.0" | "[::]");
    let clash = |a: &'a str, b: &'a str| match (parts(a), parts(b)) {
        (Some((a, first)), Some((b, second))) => {
            first == second && (a == b || everywhere(a) || everywhere(b))
        }
        _ => false,
    };
    let others = |i: usize| addresses[..i].iter();
    (0..addresses.len())
        .find(|&i| others(i).any(|other| clash(addresses[i], other)))
        .map(|i| addresses[i])
}

/// Whether players could connect to that address: a host and a port.
fn address(key: &str, text: &str) -> Result<(), String> {
    if text.is_empty() && key != "listen" {
        return Ok(());
    }
    let port = text.rsplit_once(':').filter(|(host, _)| !host.is_empty());
    match port.map(|(_, port)| port.parse::<u16>()) {
        Some(Ok(_)) => Ok(()),
        Some(Err(_)) => Err(format!("{key} is {text:?}: a port is a number up to 65535")),
        None => Err(format!("{key} is {text:?}, expected an address such as \"0.0.0.0:4081\"")),
    }
}

fn declaration(text: &str) -> Result<Declaration, String> {
    text.parse().map_err(|error| format!("declaration: {error}"))
}

fn game_name(key: &str, text: &str) -> Result<GameName, String> {
    let example = "a name with its times, such as \"floodgate-300-10F\"";
    GameName::parse(text).ok_or_else(|| format!("{key} is {text:?}, expected {example}"))
}

fn settings(file: &File) -> Result<Settings, String> {
    let id = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if file.event.is_empty() || file.event.len() > 32 || !file.event.chars().all(id) {
        return Err(format!("event is {:?}, expected letters, digits, _ and -", file.event));
    }
    Ok(Settings {
        event: file.event.clone(),
        default_game: game_name("default_game", &file.default_game)?,
        open_games: file.open_games,
        offers: file.game.iter().map(offer).collect::<Result<_, _>>()?,
        timetables: file.rounds.iter().map(timetable).collect::<Result<_, _>>()?,
        max_moves: (file.max_moves > 0).then_some(file.max_moves),
        least_time: file.least_time,
        declaration: declaration(&file.declaration)?,
        interruptions: file.interruptions,
        repeat: match file.repeat {
            RepeatWord::Challenge => Repeat::Challenge,
            RepeatWord::Wait => Repeat::Wait,
            RepeatWord::Close => Repeat::Close,
        },
        patience: (file.patience > 0).then(|| Duration::from_secs(file.patience)),
        abandon: (file.abandon > 0).then(|| Duration::from_secs(file.abandon.saturating_mul(60))),
        referees: referees(&file.referees)?,
        limits: limits(&file.limits),
        toss: 0,
    })
}

fn referees(names: &[String]) -> Result<Vec<String>, String> {
    for name in names {
        csa::UserName::new(name).map_err(|error| format!("referees: {name:?}: {error}"))?;
    }
    Ok(names.to_vec())
}

fn limits(table: &LimitsTable) -> Limits {
    let usual = Limits::default();
    Limits {
        connections: table.connections.unwrap_or(usual.connections),
        per_address: table.per_address.unwrap_or(usual.per_address),
        burst: table.burst.unwrap_or(usual.burst),
        rate: table.rate.unwrap_or(usual.rate),
        login: table.login_seconds.map_or(usual.login, Duration::from_secs),
        failures: table.failures.unwrap_or(usual.failures),
        offences: table.offences.unwrap_or(usual.offences),
        watched: table.watched.unwrap_or(usual.watched),
    }
}

fn rating(table: &RatingTable) -> Result<Method, String> {
    let usual = Method::default();
    let method = Method {
        fresh: table.fresh.unwrap_or(usual.fresh),
        half_life: table.half_life.unwrap_or(usual.half_life),
        oldest: table.oldest.unwrap_or(usual.oldest),
        games: table.games.unwrap_or(usual.games),
        anchor: table.anchor.clone().map(|name| (name, table.anchor_rating.unwrap_or(1500.0))),
    };
    let numbers = [method.fresh, method.half_life, method.oldest, method.games];
    if numbers.iter().any(|n| !n.is_finite() || *n < 0.0) || method.half_life == 0.0 {
        return Err("rating: every number must be above 0".to_owned());
    }
    Ok(method)
}

fn time_rule(table: &TimeTable) -> Result<TimeRule, String> {
    let unit = match &table.unit {
        None => Duration::from_secs(1),
        Some(text) => csa::times::unit(text)
            .ok_or_else(|| format!("unit is {text:?}, expected 1sec, 1min, 1msec or the like"))?,
    };
    let rule = TimeRule {
        unit,
        least: table.least,
        roundup: table.roundup,
        total: table.total,
        byoyomi: table.byoyomi,
        delay: table.delay,
        increment: table.increment,
    };
    let numbers = [rule.total, rule.byoyomi, rule.delay, rule.increment, Some(rule.least)];
    if numbers.into_iter().flatten().any(|n| n > csa::times::MOST_UNITS) {
        return Err("a time is longer than the protocol can express".to_owned());
    }
    if rule.byoyomi.is_some_and(|byoyomi| byoyomi > 0 && byoyomi <= rule.least) {
        return Err("the byoyomi must be longer than the least time per move".to_owned());
    }
    Ok(rule)
}

/// A start position: nothing for the usual one, `minishogi`, a handicap's name, or SFEN.
fn start(text: &str) -> Result<AnyPosition, String> {
    let game = |text: &str| text.parse::<Game>().ok();
    if text.is_empty() {
        return Ok(AnyPosition::startpos(Game::Shogi));
    }
    if let Some(game) = game(text) {
        return Ok(AnyPosition::startpos(game));
    }
    if let Ok(handicap) = text.parse::<Handicap>() {
        return AnyPosition::from_sfen(Game::Shogi, &handicap.sfen()).map_err(|e| e.to_string());
    }
    let small = text.split(' ').next().is_some_and(|board| board.matches('/').count() == 4);
    let game = if small { Game::Minishogi } else { Game::Shogi };
    AnyPosition::from_sfen(game, text).map_err(|error| error.to_string())
}

fn offer(table: &GameTable) -> Result<Offer, String> {
    let name = game_name("name", &table.name)?;
    let own = |side: &Option<TimeTable>| match side.as_ref().or(table.time.as_ref()) {
        Some(time) => time_rule(time),
        None => Ok(name.time_rule()),
    };
    let black = own(&table.black_time)?;
    let white = own(&table.white_time)?;
    let changed = table.time.is_some() || table.black_time.is_some() || table.white_time.is_some();
    Ok(Offer {
        start: start(&table.start)?,
        times: changed.then_some([black, white]),
        max_moves: table.max_moves,
        declaration: table.declaration.as_deref().map(declaration).transpose()?,
        name,
    })
}

#[cfg(test)]
mod tests;
