//! The status page: a few addresses over plain HTTP, each answered with one text.

use super::hall::Input;
use super::metrics::Metrics;
use super::{pages, store};
use ::server::rating::Method;
use serde_json::Value;
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

/// Finished games listed, usually and at most.
const LATEST: usize = 200;
const MOST: usize = 5000;

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

async fn page(address: &str, desk: &Desk) -> Page {
    let json = |value: Value| ("200 OK", "application/json", format!("{value:#}\n"));
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
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
                Ok(status) if path == "/status.json" => json(pages::status(&status)),
                Ok(status) if path == "/games.json" => json(pages::games(&status)),
                Ok(status) => json(pages::standings(&status)),
                Err(_) => unavailable(),
            }
        }
        "/records.json" => {
            let wanted = query.split('&').find_map(|q| q.strip_prefix("limit=")?.parse().ok());
            let count = wanted.unwrap_or(LATEST).min(MOST);
            let found = read(desk, move |c, _| store::latest(c, count).map(Value::from)).await;
            found.map_or_else(missing, json)
        }
        "/ratings.json" => read(desk, pages::ratings).await.map_or_else(missing, json),
        other => {
            let named = |folder: &str, kind: &str| {
                let id = other.strip_prefix(folder)?.strip_suffix(kind)?;
                Some(percent_decoded(id))
            };
            if let Some(id) = named("/records/", ".csa") {
                record(desk, id).await
            } else if let Some(id) = named("/games/", ".json") {
                let found = read(desk, move |c, _| store::game(c, &id)).await.flatten();
                found.map_or_else(missing, |game| json(pages::game(&game)))
            } else {
                missing()
            }
        }
    }
}

async fn record(desk: &Desk, id: String) -> Page {
    let found = read(desk, move |c, _| store::game(c, &id)).await.flatten();
    let bytes = found.and_then(|game| ::server::record::csa_file(&game.record()).ok());
    bytes.map_or_else(missing, |bytes| {
        ("200 OK", "text/plain", String::from_utf8_lossy(&bytes).into_owned())
    })
}

const INDEX: &str = "/status.json\n/games.json\n/games/ID.json\n/standings.json\n/records.json\n\
                     /records/ID.csa\n/ratings.json\n/metrics\n/health\n";

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
