//! The JSON of the status pages; `docs/server.md` describes every field.

use crate::server_loop::ServerClock;
use crate::store::{self, StoredGame};
use csa::TimeRule;
use csa::record::Finish;
use rules::Color;
use serde_json::{Value, json};
use server::lobby::{EventStatus, GameStatus, Order, Status};
use server::rating::{Method, Rating};
use std::fmt::Write as _;
use std::time::Duration;

fn word(color: Color) -> &'static str {
    if color == Color::Black { "black" } else { "white" }
}

fn list<T>(items: &[T], page: impl Fn(&T) -> Value) -> Value {
    Value::from(items.iter().map(page).collect::<Vec<_>>())
}

/// The server as a whole.
pub(crate) fn status(status: &Status) -> Value {
    let running = status.games.iter().filter(|g| g.running).count();
    let players =
        list(&status.players, |(name, waits)| json!({ "name": name, "waits_for": waits }));
    json!({ "connections": status.connections, "players": players, "games": status.games.len(),
        "running": running, "draining": status.draining, "time": status.wall,
        "version": env!("CARGO_PKG_VERSION") })
}

/// The games that are not over.
pub(crate) fn games(status: &Status) -> Value {
    let seconds = |time: &Duration| time.as_secs_f64();
    list(&status.games, |game: &GameStatus| {
        json!({ "id": game.id, "event": game.event, "game": game.game,
            "black": game.names[0], "white": game.names[1],
            "moves": game.moves, "last_move": game.last, "sfen": game.sfen,
            "turn": word(game.turn), "running": game.running, "paused": game.paused,
            "elapsed": game.elapsed.as_ref().map(seconds),
            "black_present": game.present[0], "white_present": game.present[1],
            "black_seconds": seconds(&game.remaining[0]),
            "white_seconds": seconds(&game.remaining[1]),
            "watchers": game.watchers })
    })
}

fn clock(rule: &TimeRule) -> Value {
    let seconds = |units: Option<u64>| units.map(|n| rule.span(n).as_secs_f64());
    json!({ "unit": rule.unit.as_secs_f64(), "total": seconds(rule.total),
        "byoyomi": seconds(rule.byoyomi), "increment": seconds(rule.increment),
        "delay": seconds(rule.delay), "least": seconds(Some(rule.least)),
        "roundup": rule.roundup })
}

/// One game with its moves, over or not.
pub(crate) fn game(game: &StoredGame) -> Value {
    let conditions = &game.conditions;
    let mut position = conditions.start.clone();
    let mut moves = Vec::with_capacity(game.moves.len());
    for stored in &game.moves {
        let Ok(m) = kifu::wire::read_move(&position, &stored.text) else { break };
        moves.push(json!({ "csa": stored.text, "usi": m.usi(position.game()),
            "seconds": stored.time.as_secs_f64(), "comment": stored.comment }));
        position.play(m);
    }
    let finish = game.finish.as_ref();
    json!({ "id": conditions.id, "event": conditions.event,
        "game": conditions.start.game().name(),
        "black": conditions.names[0], "white": conditions.names[1],
        "start": conditions.start.sfen(), "sfen": position.sfen(), "turn": word(position.turn()),
        "black_clock": clock(&conditions.times[0]), "white_clock": clock(&conditions.times[1]),
        "max_moves": conditions.max_moves, "rated": conditions.rated,
        "started": game.started, "ended": game.ended,
        "reason": finish.map(|f| f.reason().word()), "winner": finish.and_then(Finish::winner).map(word),
        "last": finish.and_then(|f| f.last.as_ref()).map(|(text, _)| text),
        "abandoned": finish.is_some_and(|f| f.ending.reason == play::Reason::Abandoned), "moves": moves })
}

/// The referee's orders.
pub(crate) fn orders(orders: &[Order]) -> Value {
    list(orders, |order| {
        json!({ "time": order.wall, "referee": order.referee, "order": order.text,
            "answer": order.answer })
    })
}

/// Tournaments.
pub(crate) fn standings(status: &Status) -> Value {
    list(&status.events, event)
}

fn event(event: &EventStatus) -> Value {
    let half = |n: u32| f64::from(n) / 2.0;
    let name = |seed: usize| event.entrants.get(seed).map(String::as_str);
    let ranked: Vec<_> = event.standings.iter().enumerate().collect();
    let rows = list(&ranked, |(rank, row)| {
        json!({ "rank": rank + 1, "name": name(row.seed), "seed": row.seed + 1,
            "points": half(row.points), "solkoff": half(row.solkoff), "berger": half(row.berger),
            "median": half(row.median), "direct": row.direct, "wins": row.games[0],
            "draws": row.games[1], "losses": row.games[2] })
    });
    let pairs =
        list(&event.pairs, |pair| json!({ "black": name(pair.black), "white": name(pair.white) }));
    let results = list(&event.results, |game| {
        json!({ "round": game.round + 1, "black": name(game.pair.black),
            "white": name(game.pair.white), "winner": game.winner.map(word) })
    });
    json!({ "event": event.name, "stage": event.stage + 1, "round": event.round.map(|r| r + 1),
        "paused": event.paused, "standings": rows, "pairs": pairs, "results": results, "earlier_stages": event.before })
}

/// The ratings as a page for people; those brought from another server are shown of who has none of
/// here.
pub(crate) fn rating_page(list: &Value, imported: &[(String, f64)]) -> String {
    let mut rows = String::new();
    let has_one = |name: &str| list.as_array().into_iter().flatten().any(|row| row["name"] == name);
    let mut others: Vec<_> = imported.iter().filter(|(name, _)| !has_one(name)).collect();
    others.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    for (rank, row) in list.as_array().into_iter().flatten().enumerate() {
        let number = |key: &str| row[key].as_f64().unwrap_or(0.0);
        // Names have no character that means anything in HTML.
        let name = row["name"].as_str().unwrap_or_default();
        let _ = writeln!(
            rows,
            "<tr><td>{}<td>{name}<td>{:.0}<td>± {:.0}<td>{}<td>{}<td>{}",
            rank + 1,
            number("rating"),
            number("error"),
            number("wins"),
            number("draws"),
            number("losses")
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

/// Ratings, best first.
pub(crate) fn ratings(
    connection: &rusqlite::Connection,
    method: &Method,
) -> Result<Value, store::Error> {
    let results = store::results(connection, ServerClock::wall(), method.oldest)?;
    let ratings = server::rating::rate(&results, method);
    let round = |x: f64| (x * 10.0).round() / 10.0;
    Ok(list(&ratings, |r: &Rating| {
        json!({ "name": r.name, "rating": round(r.rating), "error": round(r.error),
            "wins": r.games[0], "draws": r.games[1], "losses": r.games[2] })
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_shows_ratings_of_here_and_those_brought_along() {
        let list = json!([{ "name": "here", "rating": 1600.4, "error": 30.0, "wins": 9, "draws": 1,
            "losses": 5 }]);
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
