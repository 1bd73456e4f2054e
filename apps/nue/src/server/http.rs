//! The status page: a few addresses over plain HTTP, each answered with one text.

use super::hall::{Input, ServerClock};
use super::metrics::Metrics;
use super::store;
use ::server::lobby::{GameStatus, Status};
use ::server::rating::Method;
use rules::Color;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::timeout;

/// Longest request that is read.
const LONGEST: usize = 4 << 10;

/// How long a request may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Requests answered at once.
const AT_ONCE: usize = 32;

/// Finished games listed.
const LATEST: usize = 200;

/// What answers are made from.
#[derive(Clone)]
pub(super) struct Desk {
    pub(super) inputs: mpsc::Sender<Input>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) data: PathBuf,
    pub(super) rating: Method,
}

/// Answers requests until the server ends.
pub(super) async fn serve(listener: TcpListener, desk: Desk) {
    let places = Arc::new(Semaphore::new(AT_ONCE));
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let desk = desk.clone();
        tokio::spawn(async move {
            let _ = timeout(PATIENCE, answer(stream, &desk)).await;
            drop(place);
        });
    }
}

async fn answer(mut stream: TcpStream, desk: &Desk) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut buffer = [0; 1024];
    while !request.windows(4).any(|w| w == b"\r\n\r\n") {
        let count = stream.read(&mut buffer).await?;
        if count == 0 || request.len() > LONGEST {
            break;
        }
        request.extend_from_slice(&buffer[..count]);
    }
    let text = String::from_utf8_lossy(&request);
    let mut words = text.lines().next().unwrap_or_default().split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let (status, kind, body) = match method {
        "GET" | "HEAD" => page(path, desk).await,
        _ => ("405 Method Not Allowed", "text/plain", "only GET\n".to_owned()),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    if method == "GET" {
        stream.write_all(body.as_bytes()).await?;
    }
    stream.shutdown().await
}

type Page = (&'static str, &'static str, String);

async fn page(path: &str, desk: &Desk) -> Page {
    let json = |value: Value| ("200 OK", "application/json", format!("{value:#}\n"));
    match path {
        "/" => ("200 OK", "text/plain", INDEX.to_owned()),
        "/health" => ("200 OK", "text/plain", "ok\n".to_owned()),
        "/metrics" => ("200 OK", "text/plain", desk.metrics.page()),
        "/status.json" | "/games.json" | "/standings.json" => {
            let (ask, told) = oneshot::channel();
            if desk.inputs.send(Input::Status(ask)).await.is_err() {
                return unavailable();
            }
            match told.await {
                Ok(status) if path == "/status.json" => json(status_json(&status)),
                Ok(status) if path == "/games.json" => {
                    json(Value::from(status.games.iter().map(game_json).collect::<Vec<_>>()))
                }
                Ok(status) => json(standings_json(&status)),
                Err(_) => unavailable(),
            }
        }
        "/records.json" => read(desk, |c, _| store::latest(c, LATEST).map(Value::from))
            .await
            .map_or_else(missing, json),
        "/ratings.json" => read(desk, ratings_json).await.map_or_else(missing, json),
        other => match other.strip_prefix("/records/").and_then(|rest| rest.strip_suffix(".csa")) {
            Some(id) => {
                let id = percent_decoded(id);
                let found = read(desk, move |c, _| store::game(c, &id)).await.flatten();
                let bytes = found.and_then(|game| ::server::record::csa_file(&game.record()).ok());
                match bytes {
                    Some(bytes) => {
                        ("200 OK", "text/plain", String::from_utf8_lossy(&bytes).into_owned())
                    }
                    None => missing(),
                }
            }
            None => missing(),
        },
    }
}

const INDEX: &str = "/status.json\n/games.json\n/standings.json\n/records.json\n/ratings.json\n\
                     /records/ID.csa\n/metrics\n/health\n";

fn missing() -> Page {
    ("404 Not Found", "text/plain", "nothing here\n".to_owned())
}

fn unavailable() -> Page {
    ("503 Service Unavailable", "text/plain", "the server is stopping\n".to_owned())
}

/// Reads the data file aside, on a connection of its own.
async fn read<T: Send + 'static>(
    desk: &Desk,
    question: impl FnOnce(&rusqlite::Connection, &Method) -> Result<T, store::Error> + Send + 'static,
) -> Option<T> {
    let (data, rating) = (desk.data.clone(), desk.rating.clone());
    let reading = tokio::task::spawn_blocking(move || {
        let connection = store::reader(&data)?;
        question(&connection, &rating)
    });
    reading.await.ok()?.ok()
}

pub(super) fn ratings_json(
    connection: &rusqlite::Connection,
    method: &Method,
) -> Result<Value, store::Error> {
    let results = store::results(connection, ServerClock::wall(), method.oldest)?;
    let ratings = ::server::rating::rate(&results, method);
    let row = |r: &::server::rating::Rating| {
        let round = |x: f64| (x * 10.0).round() / 10.0;
        json!({ "name": r.name, "rating": round(r.rating), "error": round(r.error),
            "wins": r.games[0], "draws": r.games[1], "losses": r.games[2] })
    };
    Ok(Value::from(ratings.iter().map(row).collect::<Vec<_>>()))
}

fn status_json(status: &Status) -> Value {
    let running = status.games.iter().filter(|g| g.running).count();
    let players: Vec<Value> = status
        .players
        .iter()
        .map(|(name, waits)| json!({ "name": name, "waits_for": waits }))
        .collect();
    json!({ "connections": status.connections, "players": players, "games": status.games.len(),
        "running": running, "draining": status.draining, "time": status.wall,
        "version": env!("CARGO_PKG_VERSION") })
}

fn game_json(game: &GameStatus) -> Value {
    let turn = if game.turn == Color::Black { "black" } else { "white" };
    json!({ "id": game.id, "event": game.event, "black": game.names[0], "white": game.names[1],
        "moves": game.moves, "sfen": game.sfen, "turn": turn, "running": game.running,
        "black_present": game.present[0], "white_present": game.present[1],
        "black_seconds": game.remaining[0].as_secs_f64(), "white_seconds": game.remaining[1].as_secs_f64(),
        "watchers": game.watchers })
}

fn standings_json(status: &Status) -> Value {
    let half = |n: u32| f64::from(n) / 2.0;
    let event = |e: &::server::lobby::EventStatus| {
        let rows: Vec<Value> = e
            .standings
            .iter()
            .enumerate()
            .map(|(rank, row)| {
                json!({ "rank": rank + 1, "name": e.entrants[row.seed], "seed": row.seed + 1,
                    "points": half(row.points), "solkoff": half(row.solkoff), "berger": half(row.berger),
                    "median": half(row.median), "direct": row.direct, "wins": row.games[0],
                    "draws": row.games[1], "losses": row.games[2] })
            })
            .collect();
        json!({ "event": e.name, "stage": e.stage + 1, "round": e.round.map(|r| r + 1), "standings": rows })
    };
    Value::from(status.events.iter().map(event).collect::<Vec<_>>())
}

/// Undoes `%2B` and the like.
fn percent_decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        let code = bytes.get(i + 1..i + 3).and_then(|c| std::str::from_utf8(c).ok());
        match code.and_then(|c| u8::from_str_radix(c, 16).ok()).filter(|_| bytes[i] == b'%') {
            Some(byte) => {
                out.push(byte);
                i += 3;
            }
            None => {
                out.push(bytes[i]);
                i += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::percent_decoded;

    #[test]
    fn addresses_are_decoded() {
        assert_eq!(percent_decoded("a%2Bb+c"), "a+b+c");
        assert_eq!(percent_decoded("%"), "%");
        assert_eq!(percent_decoded("%zz%4"), "%zz%4");
    }
}
