//! The addresses, and who is let in to them.
//!
//! | address | |
//! |---|---|
//! | `GET /v1/health` | whether it is there; for anybody |
//! | `POST /v1/call` | a call of a worker, as [`fleet::wire::Call`] in JSON |
//! | `HEAD`, `GET /v1/blobs/HASH` | a blob, whole or a range of it |
//! | `PUT /v1/blobs/HASH` | a new blob |

use crate::limits::{Allowance, Limits};
use crate::listener::Listener;
use crate::refusals::{Log, Reason, Refusal, Refusals};
use crate::stored;
use crate::tokens::{Identity, Tokens};
use axum::body::Bytes;
use axum::extract::connect_info::{ConnectInfo, Connected};
use axum::extract::rejection::BytesRejection;
use axum::extract::{DefaultBodyLimit, Extension, Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::IncomingStream;
use axum::{Json, Router};
use fleet::wire::{Answer, Call, answer_to};
use fleet::{Finished, Pool, Queue, QueueError, WorkerId};
use serde_json::json;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, oneshot};
use transport::{CertificateError, TlsServer};

/// The longest a worker waits for a task in one request.
pub(crate) const LONGEST: Duration = Duration::from_secs(20);

/// How often it is looked for one: soon, then less often.
const LOOKS: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(1));

/// Bytes around a batch in a call.
const AROUND: usize = 16 << 10;

/// How often the file of tokens is looked at.
const REFRESH: Duration = Duration::from_secs(1);

/// What a gateway is started with.
#[derive(Clone, PartialEq, Debug)]
pub struct Config {
    pub listen: SocketAddr,
    /// Certificate and key, files in PEM; without them only this machine is served, as behind a proxy.
    pub tls: Option<(PathBuf, PathBuf)>,
    pub limits: Limits,
}

/// Why there is no gateway.
#[derive(Debug, Error)]
pub enum StartError {
    #[error("{0} can be reached from elsewhere: a certificate and its key are needed")]
    Plain(SocketAddr),
    #[error(transparent)]
    Certificate(#[from] CertificateError),
    #[error("cannot listen on {address}: {error}")]
    Listen { address: SocketAddr, error: std::io::Error },
    #[error("could not start: {0}")]
    Runtime(std::io::Error),
}

/// A gateway that serves until it is dropped.
#[derive(Debug)]
pub struct Gateway {
    address: SocketAddr,
    refusals: Arc<Refusals>,
    end: Option<oneshot::Sender<()>>,
    runtime: Option<Runtime>,
}

impl Gateway {
    /// Serves a queue to whoever has a token. `log` is told of every refusal.
    pub fn start(
        config: &Config,
        queue: Arc<dyn Queue>,
        tokens: Tokens,
        log: Log,
    ) -> Result<Self, StartError> {
        let tls = match &config.tls {
            Some((certificate, key)) => Some(TlsServer::new(certificate, key)?),
            None if config.listen.ip().is_loopback() => None,
            None => return Err(StartError::Plain(config.listen)),
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("gateway")
            .enable_all()
            .build()
            .map_err(StartError::Runtime)?;
        let refusals = Arc::new(Refusals::new(log));
        let state = Arc::new(GatewayState::new(queue, tokens, &config.limits, &refusals));
        let (end, ended) = oneshot::channel();
        let listen = async {
            let listener = TcpListener::bind(config.listen).await?;
            let address = listener.local_addr()?;
            let listener = Listener::new(listener, tls, &config.limits, Arc::clone(&refusals))?;
            tokio::spawn(refresh(state.tokens.clone()));
            let service = router(state).into_make_service_with_connect_info::<Peer>();
            let serving = axum::serve(listener, service).with_graceful_shutdown(async {
                let _ = ended.await;
            });
            tokio::spawn(serving.into_future());
            Ok::<SocketAddr, std::io::Error>(address)
        };
        let address = runtime
            .block_on(listen)
            .map_err(|error| StartError::Listen { address: config.listen, error })?;
        Ok(Self { address, refusals, end: Some(end), runtime: Some(runtime) })
    }

    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it has refused.
    pub const fn refusals(&self) -> &Arc<Refusals> {
        &self.refusals
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        if let Some(end) = self.end.take() {
            let _ = end.send(());
        }
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn refresh(tokens: Tokens) {
    loop {
        tokio::time::sleep(REFRESH).await;
        // A file that cannot be read leaves those who are known; it is read again when it changes.
        let _ = tokens.refresh();
    }
}

/// Where a connection comes from.
#[derive(Clone, Copy, Debug)]
struct Peer(IpAddr);

impl Connected<IncomingStream<'_, Listener>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Listener>) -> Self {
        Self(stream.remote_addr().ip())
    }
}

/// Who asks.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) identity: Identity,
    pub(crate) address: IpAddr,
}

/// Everything that decides about requests.
pub(crate) struct GatewayState {
    pub(crate) queue: Arc<dyn Queue>,
    tokens: Tokens,
    pub(crate) limits: Limits,
    refusals: Arc<Refusals>,
    begun: Instant,
    requests: Mutex<Allowance<WorkerId>>,
    uploads: Mutex<Allowance<WorkerId>>,
    wrong_tokens: Mutex<Allowance<IpAddr>>,
    pub(crate) uploading: Semaphore,
}

pub(crate) type Shared = Arc<GatewayState>;

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl GatewayState {
    fn new(
        queue: Arc<dyn Queue>,
        tokens: Tokens,
        limits: &Limits,
        refusals: &Arc<Refusals>,
    ) -> Self {
        let wrong = limits.wrong_tokens_per_minute;
        Self {
            queue,
            tokens,
            limits: limits.clone(),
            refusals: Arc::clone(refusals),
            begun: Instant::now(),
            requests: Mutex::new(Allowance::new(limits.requests_per_second, limits.requests_burst)),
            uploads: Mutex::new(Allowance::new(limits.upload_per_second, limits.upload_burst)),
            wrong_tokens: Mutex::new(Allowance::new(wrong / 60.0, wrong)),
            uploading: Semaphore::new(limits.uploads_at_once),
        }
    }

    /// Counts a refusal and answers with it.
    pub(crate) fn refuse(&self, caller: &Caller, reason: Reason, said: String) -> Response {
        let answer = refusal(reason, &said);
        self.note(Some(caller), caller.address, reason, said);
        answer
    }

    pub(crate) fn note(
        &self,
        caller: Option<&Caller>,
        address: IpAddr,
        reason: Reason,
        said: String,
    ) {
        let worker = caller.map(|caller| caller.identity.worker.clone());
        self.refusals.note(&Refusal { worker, address, reason, said });
    }

    /// Whether a worker may put so many bytes now.
    pub(crate) fn may_upload(&self, caller: &Caller, bytes: u64) -> Result<(), Duration> {
        let now = self.begun.elapsed();
        locked(&self.uploads).take(&caller.identity.worker, bytes as f64, now)
    }

    fn admit(&self, headers: &HeaderMap, address: IpAddr) -> Result<Caller, Box<Response>> {
        let now = self.begun.elapsed();
        let token = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = token.and_then(|value| value.strip_prefix("Bearer "));
        // Many machines may stand behind one address: wrong tokens of one do not shut the others out.
        let Some(identity) = token.and_then(|token| self.known(token.trim(), address, now)) else {
            if !locked(&self.wrong_tokens).has(&address, 1.0, now) {
                let said = "too many wrong tokens from this address: try again in a minute";
                self.note(None, address, Reason::Token, said.to_owned());
                return Err(Box::new(slower(said, Duration::from_secs(60))));
            }
            let _ = locked(&self.wrong_tokens).take(&address, 1.0, now);
            let said = "unknown token: ask whoever runs the fleet for a valid one";
            self.note(None, address, Reason::Token, said.to_owned());
            return Err(Box::new(refusal(Reason::Token, said)));
        };
        let caller = Caller { identity, address };
        let taken = locked(&self.requests).take(&caller.identity.worker, 1.0, now);
        taken.map_err(|wait| {
            let most = self.limits.requests_per_second;
            let said = format!("more than {most} requests a second");
            self.note(Some(&caller), address, Reason::Rate, said.clone());
            Box::new(slower(&said, wait))
        })?;
        Ok(caller)
    }

    /// Whose a token is. One that is unknown may have been made a moment ago: its file is looked at once more, but not
    /// for whoever guesses.
    fn known(&self, token: &str, address: IpAddr, now: Duration) -> Option<Identity> {
        let known = self.tokens.find(token);
        if known.is_some() || !locked(&self.wrong_tokens).has(&address, 1.0, now) {
            return known;
        }
        match self.tokens.refresh() {
            Ok(true) => self.tokens.find(token),
            // A file that cannot be read leaves those who are known.
            _ => None,
        }
    }

    /// What a worker says in another's name, or may not say at all.
    fn objection(call: &Call, identity: &Identity) -> Option<(Reason, String)> {
        if call.is_coordinators() {
            let said = format!("{} is not for workers", call.verb());
            return Some((Reason::CoordinatorsCall, said));
        }
        if let Some(worker) = call.worker().filter(|worker| **worker != identity.worker) {
            return Some((
                Reason::AnothersName,
                format!("{} in the name of {worker}", call.verb()),
            ));
        }
        match call {
            Call::Announce { worker } if worker.owner != identity.owner => {
                let said = format!("announced as a worker of {}", worker.owner);
                Some((Reason::AnothersName, said))
            }
            _ => None,
        }
    }

    async fn perform(self: &Arc<Self>, call: Call) -> Result<Answer, QueueError> {
        if let Call::Lease { worker, pools, .. } = &call {
            return self.lease(worker, pools, call.wait()).await;
        }
        self.blocking(move |queue| answer_to(queue, call)).await
    }

    /// Asks the queue in a thread that may wait.
    pub(crate) async fn blocking<T: Send + 'static>(
        &self,
        ask: impl FnOnce(&dyn Queue) -> Result<T, QueueError> + Send + 'static,
    ) -> Result<T, QueueError> {
        let queue = Arc::clone(&self.queue);
        let asked = tokio::task::spawn_blocking(move || ask(&*queue)).await;
        asked.unwrap_or_else(|e| {
            let reason = format!("internal error in the gateway: {e} (please report)");
            Err(QueueError::Unavailable { reason })
        })
    }

    /// Looks for a task again and again: a thousand who wait take no thread.
    async fn lease(
        &self,
        worker: &WorkerId,
        pools: &[Pool],
        wait: Duration,
    ) -> Result<Answer, QueueError> {
        let deadline = Instant::now() + wait.min(LONGEST);
        let mut pause = LOOKS.0;
        loop {
            let (worker, pools) = (worker.clone(), pools.to_vec());
            let asked = self.blocking(move |queue| queue.lease(&worker, &pools, Duration::ZERO));
            let lease = asked.await?;
            let left = deadline.saturating_duration_since(Instant::now());
            if lease.is_some() || left.is_zero() {
                return Ok(Answer::Leased(lease.map(Box::new)));
            }
            tokio::time::sleep(pause.min(left)).await;
            pause = (pause * 2).min(LOOKS.1);
        }
    }
}

/// The answer to what was refused.
fn refusal(reason: Reason, said: &str) -> Response {
    let status = match reason {
        Reason::Token => StatusCode::UNAUTHORIZED,
        Reason::Connections | Reason::Rate => StatusCode::TOO_MANY_REQUESTS,
        Reason::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Reason::AnothersName | Reason::CoordinatorsCall | Reason::Barred => StatusCode::FORBIDDEN,
        Reason::NotHeld | Reason::Repeated => StatusCode::CONFLICT,
        Reason::Malformed | Reason::NoSuchBatch | Reason::WrongHash => StatusCode::BAD_REQUEST,
    };
    (status, Json(json!({ "refused": reason.name(), "said": said }))).into_response()
}

fn slower(said: &str, wait: Duration) -> Response {
    let mut response = refusal(Reason::Rate, said);
    let seconds = wait.as_secs().max(1).to_string();
    if let Ok(value) = seconds.parse() {
        response.headers_mut().insert(header::RETRY_AFTER, value);
    }
    response
}

/// A queue's error, with the reason it is counted under.
pub(crate) fn judged(error: &QueueError) -> (StatusCode, Option<Reason>) {
    match error {
        QueueError::NotHeld { .. } => (StatusCode::CONFLICT, Some(Reason::NotHeld)),
        QueueError::Withdrawn { .. } => (StatusCode::GONE, None),
        QueueError::Barred { .. } => (StatusCode::FORBIDDEN, Some(Reason::Barred)),
        QueueError::NoSuchBatch { .. } => (StatusCode::BAD_REQUEST, Some(Reason::NoSuchBatch)),
        QueueError::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, Some(Reason::TooLarge)),
        QueueError::NoBlob { .. } => (StatusCode::NOT_FOUND, None),
        QueueError::Refused { .. } => (StatusCode::FORBIDDEN, None),
        QueueError::Full { .. } | QueueError::Unavailable { .. } => {
            (StatusCode::SERVICE_UNAVAILABLE, None)
        }
    }
}

fn router(state: Shared) -> Router {
    let calls = state.queue.settings().max_batch + AROUND;
    let blobs = state.limits.upload_burst as usize;
    Router::new()
        .route("/v1/call", post(call).layer(DefaultBodyLimit::max(calls)))
        .route(
            "/v1/blobs/{hash}",
            get(stored::get).put(stored::put).layer(DefaultBodyLimit::max(blobs)),
        )
        .layer(middleware::from_fn_with_state(Arc::clone(&state), admitted))
        .route("/v1/health", get(|| async { "ok\n" }))
        .with_state(state)
}

async fn admitted(
    State(state): State<Shared>,
    ConnectInfo(peer): ConnectInfo<Peer>,
    mut request: Request,
    next: Next,
) -> Response {
    match state.admit(request.headers(), peer.0) {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            next.run(request).await
        }
        Err(refused) => *refused,
    }
}

async fn call(
    State(state): State<Shared>,
    Extension(caller): Extension<Caller>,
    body: Result<Bytes, BytesRejection>,
) -> Response {
    let body = match body {
        Ok(body) => body,
        Err(e) if e.status() == StatusCode::PAYLOAD_TOO_LARGE => {
            return state.refuse(&caller, Reason::TooLarge, e.body_text());
        }
        Err(e) => return state.refuse(&caller, Reason::Malformed, e.body_text()),
    };
    let call: Call = match serde_json::from_slice(&body) {
        Ok(call) => call,
        Err(e) => return state.refuse(&caller, Reason::Malformed, e.to_string()),
    };
    if let Some((reason, said)) = GatewayState::objection(&call, &caller.identity) {
        return state.refuse(&caller, reason, said);
    }
    let verb = call.verb();
    match state.perform(call).await {
        Ok(answer) => {
            // Counts as nothing; whoever lost an answer repeats, whoever repeats often is seen.
            if answer == Answer::Finished(Finished::Duplicate) {
                let said = "a result that was there already".to_owned();
                state.note(Some(&caller), caller.address, Reason::Repeated, said);
            }
            Json(answer).into_response()
        }
        Err(error) => {
            let (status, reason) = judged(&error);
            if let Some(reason) = reason {
                let said = format!("{verb}: {error}");
                state.note(Some(&caller), caller.address, reason, said);
            }
            (status, Json(error)).into_response()
        }
    }
}
