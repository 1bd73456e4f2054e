//! The JSON of the status pages; `docs/server.md` describes every field.

use crate::server_loop::ServerClock;
use crate::store::{self, StoredGame};
use csa::TimeRule;
use csa::record::Finish;
use play::Side;
use serde::Serialize;
use server::lobby::{EventStatus, GameStatus, Order, Status};
use server::rating::Method;
use server::tournament::Row;
use std::fmt::Write as _;
use std::time::Duration;

/// The server as a whole.
#[derive(Serialize)]
pub(crate) struct ServerPage {
    connections: usize,
    players: Vec<PlayerRow>,
    games: usize,
    running: usize,
    draining: bool,
    time: i64,
    version: &'static str,
}

#[derive(Serialize)]
struct PlayerRow {
    name: String,
    waits_for: Option<String>,
}

pub(crate) fn status(status: &Status) -> ServerPage {
    let player = |(name, waits_for): (String, Option<String>)| PlayerRow { name, waits_for };
    ServerPage {
        connections: status.connections,
        players: status.players.iter().cloned().map(player).collect(),
        games: status.games.len(),
        running: status.games.iter().filter(|g| g.running).count(),
        draining: status.draining,
        time: status.wall,
        version: env!("CARGO_PKG_VERSION"),
    }
}

/// A game that is not over.
#[derive(Serialize)]
pub(crate) struct GameRow {
    id: String,
    event: String,
    game: &'static str,
    black: String,
    white: String,
    moves: usize,
    last_move: Option<String>,
    sfen: String,
    turn: Side,
    running: bool,
    paused: bool,
    elapsed: Option<f64>,
    black_present: bool,
    white_present: bool,
    black_seconds: f64,
    white_seconds: f64,
    watchers: usize,
}

pub(crate) fn games(status: &Status) -> Vec<GameRow> {
    status.games.iter().map(game_row).collect()
}

fn game_row(game: &GameStatus) -> GameRow {
    let [black, white] = game.names.clone();
    let [black_seconds, white_seconds] = game.remaining.map(|time| time.as_secs_f64());
    GameRow {
        id: game.id.clone(),
        event: game.event.clone(),
        game: game.game,
        black,
        white,
        moves: game.moves,
        last_move: game.last.clone(),
        sfen: game.sfen.clone(),
        turn: game.turn.into(),
        running: game.running,
        paused: game.paused,
        elapsed: game.elapsed.as_ref().map(Duration::as_secs_f64),
        black_present: game.present[0],
        white_present: game.present[1],
        black_seconds,
        white_seconds,
        watchers: game.watchers,
    }
}

/// What a side has for its moves, in seconds.
#[derive(Serialize)]
struct ClockPage {
    unit: f64,
    total: Option<f64>,
    byoyomi: Option<f64>,
    increment: Option<f64>,
    delay: Option<f64>,
    least: f64,
    roundup: bool,
}

fn clock(rule: &TimeRule) -> ClockPage {
    let seconds = |units: u64| rule.span(units).as_secs_f64();
    ClockPage {
        unit: rule.unit.as_secs_f64(),
        total: rule.total.map(seconds),
        byoyomi: rule.byoyomi.map(seconds),
        increment: rule.increment.map(seconds),
        delay: rule.delay.map(seconds),
        least: seconds(rule.least),
        roundup: rule.roundup,
    }
}

/// One game with its moves, over or not.
#[derive(Serialize)]
pub(crate) struct GamePage {
    id: String,
    event: String,
    game: &'static str,
    black: String,
    white: String,
    start: String,
    sfen: String,
    turn: Side,
    black_clock: ClockPage,
    white_clock: ClockPage,
    max_moves: Option<u32>,
    rated: bool,
    started: i64,
    ended: Option<i64>,
    reason: Option<&'static str>,
    winner: Option<Side>,
    last: Option<String>,
    abandoned: bool,
    moves: Vec<MoveRow>,
}

#[derive(Serialize)]
struct MoveRow {
    csa: String,
    usi: String,
    seconds: f64,
    comment: Option<String>,
}

pub(crate) fn game(game: &StoredGame) -> GamePage {
    let conditions = &game.conditions;
    let mut position = conditions.start.clone();
    let mut moves = Vec::with_capacity(game.moves.len());
    for stored in &game.moves {
        let Ok(m) = kifu::wire::read_move(&position, &stored.text) else { break };
        moves.push(MoveRow {
            csa: stored.text.clone(),
            usi: m.usi(position.game()),
            seconds: stored.time.as_secs_f64(),
            comment: stored.comment.clone(),
        });
        position.play(m);
    }
    let finish = game.finish.as_ref();
    let [black, white] = conditions.names.clone();
    GamePage {
        id: conditions.id.clone(),
        event: conditions.event.clone(),
        game: conditions.start.game().name(),
        black,
        white,
        start: conditions.start.sfen(),
        sfen: position.sfen(),
        turn: position.turn().into(),
        black_clock: clock(&conditions.times[0]),
        white_clock: clock(&conditions.times[1]),
        max_moves: conditions.max_moves,
        rated: conditions.rated,
        started: game.started,
        ended: game.ended,
        reason: finish.map(|f| f.reason().word()),
        winner: finish.and_then(Finish::winner).map(Into::into),
        last: finish.and_then(|f| f.last.as_ref()).map(|(text, _)| text.clone()),
        abandoned: finish.is_some_and(|f| f.ending.reason == play::Reason::Abandoned),
        moves,
    }
}

/// An order of the referee.
#[derive(Serialize)]
pub(crate) struct OrderRow {
    time: i64,
    referee: String,
    order: String,
    answer: String,
}

impl From<Order> for OrderRow {
    fn from(order: Order) -> Self {
        Self { time: order.wall, referee: order.referee, order: order.text, answer: order.answer }
    }
}

/// A player in the table of a tournament.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct StandingRow {
    pub rank: usize,
    pub name: Option<String>,
    /// From 1.
    pub seed: usize,
    pub points: f64,
    pub solkoff: f64,
    pub berger: f64,
    pub median: f64,
    pub direct: i32,
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
}

/// The table of a stage, in its order.
pub(crate) fn table(names: &[String], rows: &[Row]) -> Vec<StandingRow> {
    let half = |n: u32| f64::from(n) / 2.0;
    let row = |(rank, row): (usize, &Row)| {
        let [wins, draws, losses] = row.games;
        StandingRow {
            rank: rank + 1,
            name: names.get(row.seed).cloned(),
            seed: row.seed + 1,
            points: half(row.points),
            solkoff: half(row.solkoff),
            berger: half(row.berger),
            median: half(row.median),
            direct: row.direct,
            wins,
            draws,
            losses,
        }
    };
    rows.iter().enumerate().map(row).collect()
}

/// A tournament.
#[derive(Serialize)]
pub(crate) struct EventPage {
    event: String,
    stage: usize,
    round: Option<usize>,
    paused: bool,
    standings: Vec<StandingRow>,
    pairs: Vec<PairRow>,
    results: Vec<ResultRow>,
    earlier_stages: Vec<Vec<String>>,
}

#[derive(Serialize)]
struct PairRow {
    black: Option<String>,
    white: Option<String>,
}

#[derive(Serialize)]
struct ResultRow {
    round: usize,
    black: Option<String>,
    white: Option<String>,
    winner: Option<Side>,
}

pub(crate) fn standings(status: &Status) -> Vec<EventPage> {
    status.events.iter().map(event).collect()
}

fn event(event: &EventStatus) -> EventPage {
    let name = |seed: usize| event.entrants.get(seed).cloned();
    let pairs = event.pairs.iter().map(|p| PairRow { black: name(p.black), white: name(p.white) });
    let results = event.results.iter().map(|game| ResultRow {
        round: game.round + 1,
        black: name(game.pair.black),
        white: name(game.pair.white),
        winner: game.winner.map(Into::into),
    });
    EventPage {
        event: event.name.clone(),
        stage: event.stage + 1,
        round: event.round.map(|r| r + 1),
        paused: event.paused,
        standings: table(&event.entrants, &event.standings),
        pairs: pairs.collect(),
        results: results.collect(),
        earlier_stages: event.before.clone(),
    }
}

/// The rating of a player.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RatingRow {
    pub name: String,
    pub rating: f64,
    /// Standard error.
    pub error: f64,
    pub wins: u32,
    pub draws: u32,
    pub losses: u32,
}

/// Ratings, best first.
pub(crate) fn ratings(
    connection: &rusqlite::Connection,
    method: &Method,
) -> Result<Vec<RatingRow>, store::Error> {
    let results = store::results(connection, ServerClock::wall(), method.oldest)?;
    let round = |x: f64| (x * 10.0).round() / 10.0;
    let row = |r: server::rating::Rating| {
        let [wins, draws, losses] = r.games;
        RatingRow {
            name: r.name,
            rating: round(r.rating),
            error: round(r.error),
            wins,
            draws,
            losses,
        }
    };
    Ok(server::rating::rate(&results, method).into_iter().map(row).collect())
}

/// The ratings as a page for people; those brought from another server are shown of who has none of
/// here.
pub(crate) fn rating_page(list: &[RatingRow], imported: &[(String, f64)]) -> String {
    let mut rows = String::new();
    let has_one = |name: &str| list.iter().any(|row| row.name == name);
    let mut others: Vec<_> = imported.iter().filter(|(name, _)| !has_one(name)).collect();
    others.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    for (rank, row) in list.iter().enumerate() {
        // Names have no character that means anything in HTML.
        let RatingRow { name, rating, error, wins, draws, losses } = row;
        let _ = writeln!(
            rows,
            "<tr><td>{}<td>{name}<td>{rating:.0}<td>± {error:.0}<td>{wins}<td>{draws}<td>{losses}",
            rank + 1,
        );
    }
    let none = if rows.is_empty() {
        "<p>Nobody has a rating yet: it takes enough games, a win and a loss.\n"
    } else {
        ""
    };
    let mut brought = String::new();
    for (name, rating) in &others {
        let _ = writeln!(brought, "<tr><td><td>{name}<td>{rating:.0}");
    }
    if !others.is_empty() {
        brought = format!(
            "<h2>Brought from another server</h2>\n\
             <table><tr><th><th>Name<th>Rating\n{brought}</table>\n"
        );
    }
    format!(
        "<!doctype html>\n<html lang=en><meta charset=utf-8><title>Ratings</title>\n\
         <meta name=viewport content=\"width=device-width\">\n\
         <style>body{{font-family:sans-serif;max-width:50em;margin:2em auto;padding:0 1em}}\
         td,th{{padding:.2em .8em;text-align:right}}td:nth-child(2),th:nth-child(2){{text-align:left}}\
         tr:nth-child(even){{background:#eee}}</style>\n<h1>Ratings</h1>\n{none}\
         <table><tr><th>Rank<th>Name<th>Rating<th>Error<th>Wins<th>Draws<th>Losses\n{rows}</table>\n{brought}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_shows_ratings_of_here_and_those_brought_along() {
        let (rating, error) = (1600.4, 30.0);
        let here =
            RatingRow { name: "here".to_owned(), rating, error, wins: 9, draws: 1, losses: 5 };
        let list = [here];
        let imported =
            [("here".to_owned(), 1.0), ("low".to_owned(), 900.0), ("top".to_owned(), 2500.6)];
        let page = rating_page(&list, &imported);
        assert!(page.contains("<tr><td>1<td>here<td>1600<td>± 30<td>9<td>1<td>5"), "{page}");
        let [top, low] = ["<td>top<td>2501", "<td>low<td>900"].map(|row| page.find(row));
        assert!(top.is_some() && top < low, "{page}");
        assert_eq!(page.matches("here").count(), 1, "{page}");
        assert!(!rating_page(&list, &[]).contains("another server"));
    }
}
