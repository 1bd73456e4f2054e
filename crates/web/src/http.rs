//! The addresses of the server, and who is let in to them.

mod books;
mod practice;
mod studies;

use crate::guard;
use crate::openapi;
use crate::page;
use crate::qr;
use crate::service::{BYTES, BoardService, too_many_connections};
use crate::socket;
use crate::store::Part;
use axum::body::{Body, Bytes};
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{DefaultBodyLimit, Extension, Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use board::error::ErrorBody;
use board::error::{ApiError, ErrorCode};
use board::game::Games;
use board::hello::{Hello, Reach, Watchable};
use board::message::{LineAnswer, LineRequest, ServerMessage};
use board::position::{CheckAnswer, CheckRequest, PositionRequest, PositionView};
use board::setup::GameSettings;
use board::tree::{self, Tree, Trees, WriteRequest};
use board::watch::{WatchData, WatchKind};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// What the addresses need.
#[derive(Clone)]
pub struct HttpState {
    pub service: Arc<BoardService>,
    /// Whether only this machine can reach us.
    pub loopback: bool,
    /// What a visitor must have shown once; nothing on loopback.
    pub token: Option<Arc<str>>,
    /// How other machines come here; nothing on loopback.
    pub origin: Option<Arc<str>>,
}

/// Who asks.
#[derive(Clone)]
struct Visitor(String);

/// Every address, and what answers.
pub fn router(state: HttpState) -> Router {
    Router::new()
        .route("/api/health", get(|| async { "ok\n" }))
        .route("/api/openapi.json", get(|| async { Json(openapi::document()) }))
        .route("/api/hello", get(hello))
        .route("/api/qr", get(qr))
        .route("/api/games", get(games).post(new_game))
        .route("/api/games/{game}", get(game).delete(delete))
        .route("/api/games/{game}/restore", post(restore))
        .route("/api/games/{game}/tree", get(game_tree))
        .route("/api/games/{game}/record", get(game_record))
        .route("/api/position", post(position))
        .route("/api/position/check", post(check))
        .route("/api/line", post(line))
        .route("/api/record/read", post(read_record))
        .route("/api/record/write", post(write_record).layer(DefaultBodyLimit::max(2 * BYTES)))
        .merge(books::routes())
        .merge(studies::routes())
        .merge(practice::routes())
        .route("/api/watch", get(watchable))
        .route("/api/watch/server", get(watch_server))
        .route("/api/watch/server/records/{id}", get(server_game))
        .route("/api/watch/match", get(watch_match))
        .route("/api/watch/match/{name}/games/{number}", get(match_game))
        .route("/api/watch/learn", get(watch_learn))
        .route("/api/watch/fleet", get(watch_fleet))
        .route("/api/watch/cluster", get(watch_cluster))
        .route("/api/ws", get(connect))
        .fallback(get(file))
        .layer(DefaultBodyLimit::max(BYTES))
        .layer(middleware::from_fn_with_state(state.clone(), guarded))
        .with_state(state)
}

/// An error with the status of its code.
struct HttpError(ApiError);

impl From<ApiError> for HttpError {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

impl IntoResponse for HttpError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.code.status()).unwrap_or(StatusCode::BAD_REQUEST);
        (status, Json(ErrorBody { error: self.0 })).into_response()
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// Lets in who may come in, and puts the headers of the house on every answer.
async fn guarded(State(state): State<HttpState>, mut request: Request, next: Next) -> Response {
    let person = reads_pages(request.headers()) && !request.uri().path().starts_with("/api/");
    let mut response = match admit(&state, &mut request) {
        Ok((None, fresh)) => with_cookie(next.run(request).await, fresh),
        Ok((Some(answer), fresh)) => with_cookie(answer, fresh),
        Err(error) if person && error.code == ErrorCode::TokenRequired => {
            (StatusCode::UNAUTHORIZED, Html(page::WITHOUT_TOKEN)).into_response()
        }
        Err(error) => HttpError(error).into_response(),
    };
    let headers = response.headers_mut();
    for (name, value) in guard::HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Whether whoever asks is somebody's browser showing a page, not a program after data.
fn reads_pages(headers: &HeaderMap) -> bool {
    text(headers, "accept").is_some_and(|accepted| accepted.contains("text/html"))
}

fn with_cookie(mut response: Response, fresh: Option<String>) -> Response {
    if let Some(value) = fresh.and_then(|f| HeaderValue::from_str(&guard::cookie(&f)).ok()) {
        response.headers_mut().append(header::SET_COOKIE, value);
    }
    response
}

/// An answer given at the door, and a cookie for a new visitor.
type Admission = (Option<Response>, Option<String>);

fn admit(state: &HttpState, request: &mut Request) -> Result<Admission, ApiError> {
    let headers = request.headers();
    let host = text(headers, "host");
    if !guard::host_is_ours(host, state.loopback) {
        let message = format!("this is not {:?}", host.unwrap_or_default());
        return Err(ApiError::new(ErrorCode::Forbidden, message));
    }
    let path = request.uri().path().to_owned();
    // Somebody may come here by a link from anywhere; only what asks for data must be our page.
    let navigates = !path.starts_with("/api/")
        && text(headers, "origin").is_none()
        && text(headers, "sec-fetch-mode") == Some("navigate");
    let ours =
        guard::origin_is_ours(text(headers, "origin"), text(headers, "sec-fetch-site"), host);
    if !ours && !navigates {
        return Err(ApiError::new(ErrorCode::Forbidden, "requests from other origins are refused"));
    }
    let known = text(headers, "cookie").and_then(guard::secret).map(str::to_owned);
    let fresh = known.is_none();
    let secret = known.unwrap_or_else(|| state.service.secret(guard::SECRET));
    let cookie = fresh.then(|| secret.clone());
    let shown = request.uri().query().and_then(guard::token);
    if let Some(token) = &state.token {
        if shown.is_some_and(|shown| guard::same(token, shown)) {
            state.service.store().admit(&secret, state.service.wall())?;
            return Ok((Some(redirect("/")), cookie));
        }
        if path != "/api/health" && !state.service.store().is_admitted(&secret)? {
            let message =
                "open the address with the token that was printed when the server started";
            return Err(ApiError::new(ErrorCode::TokenRequired, message));
        }
    }
    if path.starts_with("/api/") && !state.service.may_ask(&secret) {
        return Err(ApiError::new(ErrorCode::TooFast, "too many requests"));
    }
    request.extensions_mut().insert(Visitor(secret));
    Ok((None, cookie))
}

fn redirect(to: &'static str) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, to)]).into_response()
}

type JsonAnswer<T> = Result<Json<T>, HttpError>;

/// A body that may be too large or no JSON at all.
type Received = Result<Bytes, axum::extract::rejection::BytesRejection>;

fn bytes(body: Received) -> Result<Bytes, ApiError> {
    body.map_err(|_| ApiError::new(ErrorCode::TooLarge, "the body is too large"))
}

fn parsed<T: DeserializeOwned>(body: Received) -> Result<T, ApiError> {
    serde_json::from_slice(&bytes(body)?).map_err(|e| ApiError::bad(e.to_string()))
}

/// Work that may take its time, beside everything else.
async fn aside<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let failed = |_| ApiError::new(ErrorCode::Internal, "internal error (please report it)");
    tokio::task::spawn_blocking(work).await.map_err(failed)?
}

async fn hello(State(state): State<HttpState>) -> Json<Hello> {
    let token = state.token.as_deref().map(str::to_owned);
    let reach = Reach { origin: state.origin.as_deref().map(str::to_owned), token };
    Json(Hello { reach, ..state.service.hello() })
}

#[derive(Deserialize)]
struct QrText {
    text: String,
}

/// A code for a phone's camera.
async fn qr(query: QueryResult<QrText>) -> Result<Response, HttpError> {
    let QrText { text } = parameters(query)?;
    let svg = qr::svg(&text).map_err(ApiError::bad)?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], svg).into_response())
}

/// A page of a list.
#[derive(Deserialize)]
#[serde(default)]
struct Page {
    deleted: bool,
    offset: usize,
    limit: usize,
}

impl Default for Page {
    fn default() -> Self {
        Self { deleted: false, offset: 0, limit: 50 }
    }
}

/// What stands after the question mark, understood or refused in our words.
type QueryResult<T> = Result<Query<T>, axum::extract::rejection::QueryRejection>;

fn parameters<T>(query: QueryResult<T>) -> Result<T, ApiError> {
    query.map(|Query(parameters)| parameters).map_err(|e| ApiError::bad(e.body_text()))
}

async fn games(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Extension<Visitor>,
    query: QueryResult<Page>,
) -> JsonAnswer<Games> {
    let Page { deleted, offset, limit } = parameters(query)?;
    let part = Part { deleted, offset: offset.min(1 << 20), limit: limit.clamp(1, 200) };
    Ok(Json(state.service.list(&who, &part)?))
}

async fn new_game(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Extension<Visitor>,
    body: Received,
) -> Result<(StatusCode, Json<ServerMessage>), HttpError> {
    let live = state.service.open_game(&who, &parsed::<GameSettings>(body)?)?;
    Ok((StatusCode::CREATED, Json(live.view(&state.service, &who).into())))
}

async fn game(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Extension<Visitor>,
    Path(id): Path<String>,
) -> JsonAnswer<ServerMessage> {
    let live = state.service.game(&who, &id)?;
    let view = live.view(&state.service, &who);
    drop(live);
    state.service.tidy();
    Ok(Json(view.into()))
}

async fn delete(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Extension<Visitor>,
    Path(id): Path<String>,
) -> Result<StatusCode, HttpError> {
    state.service.delete(&who, &id)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn restore(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Extension<Visitor>,
    Path(id): Path<String>,
) -> Result<StatusCode, HttpError> {
    state.service.restore(&who, &id)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn game_tree(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Extension<Visitor>,
    Path(id): Path<String>,
) -> JsonAnswer<Tree> {
    Ok(Json(tree::view(&state.service.record(&who, &id)?, state.service.scales())))
}

#[derive(Deserialize)]
struct Shape {
    #[serde(default)]
    format: Option<String>,
    #[serde(default)]
    encoding: Option<String>,
}

async fn game_record(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Extension<Visitor>,
    Path(id): Path<String>,
    Query(shape): Query<Shape>,
) -> Result<Response, HttpError> {
    let record = state.service.record(&who, &id)?;
    let format = shape.format.as_deref().unwrap_or("kif");
    Ok(attachment(tree::write(&record, format, shape.encoding.as_deref())?))
}

fn attachment(file: tree::File) -> Response {
    let name = format!("attachment; filename=\"game.{}\"", file.extension);
    let headers = [
        (header::CONTENT_TYPE.as_str(), file.kind.to_owned()),
        (header::CONTENT_DISPOSITION.as_str(), name),
        ("nue-losses", file.losses),
    ];
    (headers, file.bytes).into_response()
}

async fn position(body: Received) -> JsonAnswer<PositionView> {
    Ok(Json(parsed::<PositionRequest>(body)?.answer()?))
}

async fn check(body: Received) -> JsonAnswer<CheckAnswer> {
    Ok(Json(parsed::<CheckRequest>(body)?.answer()?))
}

async fn line(body: Received) -> JsonAnswer<LineAnswer> {
    Ok(Json(parsed::<LineRequest>(body)?.answer()?))
}

#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    variant: Option<String>,
}

async fn read_record(
    State(state): State<HttpState>,
    Query(named): Query<Named>,
    body: Received,
) -> JsonAnswer<Trees> {
    let body = bytes(body)?;
    let read = move || {
        let name = named.name.unwrap_or_default();
        tree::read(&body, &name, named.variant.as_deref(), state.service.scales())
    };
    Ok(Json(aside(read).await?))
}

async fn write_record(body: Received) -> Result<Response, HttpError> {
    let body = bytes(body)?;
    let write = move || {
        let asked: WriteRequest =
            serde_json::from_slice(&body).map_err(|e| ApiError::bad(e.to_string()))?;
        tree::write(&asked.tree.resolve()?, &asked.format, asked.encoding.as_deref())
    };
    Ok(attachment(aside(write).await?))
}

async fn watchable(State(state): State<HttpState>) -> Json<Watchable> {
    Json(state.service.watchable())
}

async fn look(state: HttpState, what: WatchKind) -> JsonAnswer<WatchData> {
    Ok(Json(aside(move || state.service.watch().look(what)).await?))
}

async fn watch_server(State(state): State<HttpState>) -> JsonAnswer<WatchData> {
    look(state, WatchKind::Server).await
}

async fn watch_match(State(state): State<HttpState>) -> JsonAnswer<WatchData> {
    look(state, WatchKind::Match).await
}

async fn watch_learn(State(state): State<HttpState>) -> JsonAnswer<WatchData> {
    look(state, WatchKind::Learn).await
}

async fn watch_fleet(State(state): State<HttpState>) -> JsonAnswer<WatchData> {
    look(state, WatchKind::Fleet).await
}

async fn watch_cluster(State(state): State<HttpState>) -> JsonAnswer<WatchData> {
    look(state, WatchKind::Cluster).await
}

async fn server_game(State(state): State<HttpState>, Path(id): Path<String>) -> JsonAnswer<Tree> {
    Ok(Json(
        aside(move || {
            Ok(tree::view(&state.service.watch().server_game(&id)?, state.service.scales()))
        })
        .await?,
    ))
}

async fn match_game(
    State(state): State<HttpState>,
    Path((name, number)): Path<(String, u64)>,
) -> JsonAnswer<Tree> {
    Ok(Json(
        aside(move || {
            Ok(tree::view(
                &state.service.watch().match_game(&name, number)?,
                state.service.scales(),
            ))
        })
        .await?,
    ))
}

async fn connect(
    State(state): State<HttpState>,
    Extension(Visitor(who)): Extension<Visitor>,
    upgrade: WebSocketUpgrade,
) -> Result<Response, HttpError> {
    let connected = state.service.enter(&who).ok_or_else(too_many_connections)?;
    Ok(upgrade
        .max_message_size(crate::session::LONGEST)
        .max_frame_size(crate::session::LONGEST)
        .on_upgrade(move |socket| socket::serve(socket, connected)))
}

/// A file of the page.
async fn file(request: Request) -> Response {
    let path = request.uri().path();
    let Some(file) = page::find(path).filter(|_| !path.starts_with("/api/")) else {
        return HttpError(ApiError::missing(format!("there is nothing at {path:?}")))
            .into_response();
    };
    let cache = if file.lasting { "public, max-age=31536000, immutable" } else { "no-cache" };
    let accepts = text(request.headers(), "accept-encoding").unwrap_or_default();
    let packed = file.gzip.as_ref().filter(|_| accepts.contains("gzip"));
    let builder = Response::builder()
        .header(header::CONTENT_TYPE, file.kind)
        .header(header::CACHE_CONTROL, cache)
        .header(header::ETAG, &file.tag)
        .header(header::VARY, "accept-encoding");
    let same = text(request.headers(), "if-none-match").is_some_and(|t| t.contains(&file.tag));
    let response = match (same, packed) {
        (true, _) => builder.status(StatusCode::NOT_MODIFIED).body(Body::empty()),
        (false, Some(bytes)) => {
            builder.header(header::CONTENT_ENCODING, "gzip").body(Body::from(bytes.as_slice()))
        }
        (false, None) => builder.body(Body::from(file.bytes)),
    };
    response.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}
