//! The status pages: a few addresses over plain HTTP, each answered with one text.
//!
//! Every connection is answered once and has a short life, so that nobody who opens many or says
//! nothing keeps others out.

use crate::metrics::Metrics;
use crate::server_loop::Input;
use crate::status_json::OrderRow;
use crate::{status_json, store};
use axum::Router;
use axum::extract::{Path, Query, State};
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HeaderValue,
};
use axum::http::{HeaderName, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use rusqlite::Connection;
use serde::Serialize;
use server::lobby::Status;
use server::rating::Method;
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::time::Instant;
use transport::{BoundedStream, Patience, Place};

/// How long a connection may last, from being accepted to its answer read.
const LIFETIME: Duration = Duration::from_secs(10);

/// Connections at once. When there are more, the oldest is closed: whoever holds many open and says
/// nothing only takes places from itself.
const AT_ONCE: usize = 1024;

/// Answers made from the data file at the same time; more wait their turn, so that no flood of
/// questions takes the processor from the games.
const READERS: usize = 4;

/// Finished games listed, usually and at most.
const LATEST: usize = 200;
const MOST: usize = 5000;

/// What answers are made from.
#[derive(Clone)]
pub(crate) struct StatusPages {
    pub(crate) inputs: mpsc::Sender<Input>,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) data: PathBuf,
    pub(crate) rating: Method,
    pub(crate) readers: Arc<Semaphore>,
}

impl StatusPages {
    pub(crate) fn new(
        inputs: mpsc::Sender<Input>,
        metrics: Arc<Metrics>,
        data: PathBuf,
        rating: Method,
    ) -> Self {
        Self { inputs, metrics, data, rating, readers: Arc::new(Semaphore::new(READERS)) }
    }
}

/// Answers requests until the server ends.
pub(crate) async fn serve(listener: TcpListener, pages: StatusPages) {
    serve_at_most(AT_ONCE, listener, router(pages)).await;
}

async fn serve_at_most(at_once: usize, listener: TcpListener, router: Router) {
    let listener = ShortLived { listener, at_once, open: VecDeque::new() };
    // It ends only with the runtime it runs on.
    let _ = axum::serve(listener, router).await;
}

fn router(pages: StatusPages) -> Router {
    Router::new()
        .route("/", get(INDEX))
        .route("/health", get("ok\n"))
        .route("/metrics", get(metrics))
        .route("/status.json", get(|pages| lobby_page(pages, status_json::status)))
        .route("/games.json", get(|pages| lobby_page(pages, status_json::games)))
        .route("/standings.json", get(|pages| lobby_page(pages, status_json::standings)))
        .route("/records.json", get(records))
        .route("/ratings.json", get(ratings))
        .route("/ratings", get(rating_page))
        .route("/orders.json", get(orders))
        .route("/records/{file}", get(record))
        .route("/games/{file}", get(game))
        .fallback(async || missing())
        .with_state(pages)
        .layer(axum::middleware::map_response(with_headers))
}

const INDEX: &str = "/status.json\n/games.json\n/games/ID.json\n/standings.json\n/records.json\n\
                     /records/ID.csa\n/ratings\n/ratings.json\n/orders.json\n/metrics\n/health\n";

/// What every answer says about itself.
async fn with_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let set: [(HeaderName, &str); 3] =
        [(CACHE_CONTROL, "no-store"), (ACCESS_CONTROL_ALLOW_ORIGIN, "*"), (CONNECTION, "close")];
    for (name, value) in set {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn json(page: &impl Serialize) -> Response {
    let head = [(CONTENT_TYPE, "application/json; charset=utf-8")];
    match serde_json::to_string_pretty(page) {
        Ok(text) => (head, text + "\n").into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")).into_response(),
    }
}

fn missing() -> Response {
    (StatusCode::NOT_FOUND, "nothing here\n").into_response()
}

async fn metrics(State(pages): State<StatusPages>) -> Response {
    ([(CONTENT_TYPE, Metrics::CONTENT_TYPE)], pages.metrics.page()).into_response()
}

/// A page made from what the lobby says of itself.
async fn lobby_page<P: Serialize>(
    State(pages): State<StatusPages>,
    page: fn(&Status) -> P,
) -> Response {
    let (ask, told) = oneshot::channel();
    // A stopping server does not answer.
    let _ = pages.inputs.send(Input::Status(ask)).await;
    match told.await {
        Ok(status) => json(&page(&status)),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the server is stopping\n").into_response(),
    }
}

async fn records(
    State(pages): State<StatusPages>,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    let wanted = query.get("limit").and_then(|limit| limit.parse().ok());
    let count = wanted.unwrap_or(LATEST).min(MOST);
    let found = pages.read(move |c, _| store::latest(c, count)).await;
    found.map_or_else(missing, |list| json(&list))
}

async fn ratings(State(pages): State<StatusPages>) -> Response {
    pages.read(status_json::ratings).await.map_or_else(missing, |list| json(&list))
}

/// The ratings for people.
async fn rating_page(State(pages): State<StatusPages>) -> Response {
    let read = |connection: &Connection, method: &Method| {
        Ok((status_json::ratings(connection, method)?, store::imported(connection)?))
    };
    let Some((list, imported)) = pages.read(read).await else { return missing() };
    let head = [(CONTENT_TYPE, "text/html; charset=utf-8")];
    (head, status_json::rating_page(&list, &imported)).into_response()
}

async fn orders(State(pages): State<StatusPages>) -> Response {
    let found = pages.read(|c, _| store::orders(c, LATEST)).await;
    found.map_or_else(missing, |list| {
        json(&list.into_iter().map(OrderRow::from).collect::<Vec<_>>())
    })
}

async fn record(State(pages): State<StatusPages>, Path(file): Path<String>) -> Response {
    let Some(id) = file.strip_suffix(".csa") else { return missing() };
    let bytes = pages.game(id).await.and_then(|g| g.file().ok());
    bytes.map_or_else(missing, |bytes| String::from_utf8_lossy(&bytes).into_owned().into_response())
}

async fn game(State(pages): State<StatusPages>, Path(file): Path<String>) -> Response {
    let Some(id) = file.strip_suffix(".json") else { return missing() };
    pages.game(id).await.map_or_else(missing, |game| json(&status_json::game(&game)))
}

impl StatusPages {
    /// Reads the data file aside, on a connection of its own.
    async fn read<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Connection, &Method) -> Result<T, store::Error> + Send + 'static,
    ) -> Option<T> {
        let _place = self.readers.acquire().await.ok()?;
        let (data, rating) = (self.data.clone(), self.rating.clone());
        let reading = tokio::task::spawn_blocking(move || {
            let connection = store::reader(&data)?;
            query(&connection, &rating)
        });
        reading.await.ok()?.ok()
    }

    async fn game(&self, id: &str) -> Option<store::StoredGame> {
        let id = id.to_owned();
        self.read(move |c, _| store::game(c, &id)).await.flatten()
    }
}

/// A listener that bounds how many connections there are and how long each lasts.
struct ShortLived {
    listener: TcpListener,
    at_once: usize,
    /// Those that are open, the oldest first; one that is dropped here is closed.
    open: VecDeque<Place>,
}

impl axum::serve::Listener for ShortLived {
    type Io = BoundedStream;
    type Addr = std::net::SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            if let Ok((stream, address)) = self.listener.accept().await {
                self.open.retain(Place::is_open);
                if self.open.len() >= self.at_once {
                    self.open.pop_front();
                }
                let patience = Patience { first: LIFETIME, between: None };
                let (stream, place) = BoundedStream::new(stream, patience, Instant::now());
                self.open.push_back(place);
                return (stream, address);
            }
            // Out of file descriptors, most likely: somebody has to leave first.
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;

    #[test]
    fn silent_connections_keep_nobody_out() {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/health", get("ok\n"));
        runtime.spawn(serve_at_most(4, listener, router));
        let silent: Vec<TcpStream> =
            (0..20).map(|_| TcpStream::connect(address).unwrap()).collect();
        // Well before any of them has been there for its whole time.
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LIFETIME / 2)).unwrap();
        write!(stream, "GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        assert!(text.ends_with("ok\n"), "{text}");
        drop(silent);
    }
}
