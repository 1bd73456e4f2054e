//! The worker's side: a queue over HTTPS.

use fleet::wire::{Answer, Call, Remote, Transport};
use fleet::{BlobHash, QueueError};
use serde::Deserialize;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use ureq::Agent;
use ureq::http::{Response, StatusCode};
use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};

/// The longest one request waits for a task.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long an answer may take that waits for nothing.
const ANSWER: Duration = Duration::from_secs(20);

/// How long a blob may take.
const BLOB: Duration = Duration::from_secs(600);

/// The longest answer to a call.
const LONGEST: u64 = 8 << 20;

/// Bytes of a blob that are sent only after the gateway has agreed.
const ASK_FIRST: usize = 64 << 10;

/// Where the gateway is and who comes there.
#[derive(Clone)]
pub struct ClientOptions {
    /// `https://HOST:PORT`; plain `http://` only for this machine.
    pub url: String,
    pub token: String,
    /// A file in PEM with the certificates to trust, instead of those everybody trusts.
    pub ca: Option<PathBuf>,
}

/// Without the token.
impl std::fmt::Debug for ClientOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClientOptions").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Why there is no connection.
#[derive(Debug, Error)]
pub enum ConnectError {
    #[error(
        "{0:?} is not the address of a gateway: expected https://HOST:PORT (http:// only for this machine)"
    )]
    Address(String),
    #[error("{}: {reason}", path.display())]
    Certificates { path: PathBuf, reason: String },
    #[error(transparent)]
    Queue(#[from] QueueError),
}

/// A gateway, as a worker sees it.
pub struct Https {
    agent: Agent,
    url: String,
    authorization: String,
}

impl std::fmt::Debug for Https {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Https").field("url", &self.url).finish_non_exhaustive()
    }
}

/// Connects to a gateway, which must answer once; after that it may come and go.
pub fn connect(options: &ClientOptions) -> Result<Remote<Https>, ConnectError> {
    let url = options.url.trim_end_matches('/').to_owned();
    let local = ["http://127.0.0.1", "http://localhost", "http://[::1]"];
    let is_local = |start: &str| {
        url.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    };
    if !url.starts_with("https://") && !local.into_iter().any(is_local) {
        return Err(ConnectError::Address(options.url.clone()));
    }
    let mut tls = TlsConfig::builder();
    if let Some(path) = &options.ca {
        tls = tls.root_certs(RootCerts::Specific(Arc::new(certificates(path)?)));
    }
    let agent = Agent::config_builder()
        .http_status_as_error(false)
        .timeout_connect(Some(Duration::from_secs(10)))
        .max_redirects(0)
        .tls_config(tls.build())
        .build()
        .into();
    let authorization = format!("Bearer {}", options.token.trim());
    Ok(Remote::new(Https { agent, url, authorization })?)
}

fn certificates(path: &std::path::Path) -> Result<Vec<Certificate<'static>>, ConnectError> {
    let wrong = |reason: String| ConnectError::Certificates { path: path.to_owned(), reason };
    let bytes = std::fs::read(path).map_err(|e| wrong(e.to_string()))?;
    let mut found = Vec::new();
    for item in parse_pem(&bytes) {
        if let PemItem::Certificate(certificate) = item.map_err(|e| wrong(e.to_string()))? {
            found.push(certificate);
        }
    }
    if found.is_empty() {
        return Err(wrong("there is no certificate in it".to_owned()));
    }
    Ok(found)
}

/// What a gateway says that refuses something by itself.
#[derive(Deserialize)]
struct Refused {
    refused: String,
    said: String,
}

fn unavailable(reason: impl Into<String>) -> QueueError {
    QueueError::Unavailable { reason: reason.into() }
}

/// The error of an answer that is none.
fn error_of(status: StatusCode, body: &[u8]) -> QueueError {
    if let Ok(error) = serde_json::from_slice::<QueueError>(body) {
        return error;
    }
    let Ok(Refused { refused, said }) = serde_json::from_slice(body) else {
        return unavailable(format!("the gateway answers {status}"));
    };
    match refused.as_str() {
        "rate" => QueueError::Full { what: said, bound: 0 },
        // To ask again would not help.
        "token" => QueueError::Refused { reason: format!("the gateway refuses: {said}") },
        _ => unavailable(format!("the gateway refuses ({refused}): {said}")),
    }
}

impl Https {
    fn read(response: &mut Response<ureq::Body>, most: u64) -> Result<Vec<u8>, QueueError> {
        let read = response.body_mut().with_config().limit(most).read_to_vec();
        read.map_err(|e| unavailable(e.to_string()))
    }

    fn blob(&self, hash: &BlobHash) -> String {
        format!("{}/v1/blobs/{hash}", self.url)
    }
}

impl Transport for Https {
    fn call(&self, call: &Call) -> Result<Answer, QueueError> {
        let body = serde_json::to_vec(call).map_err(|e| unavailable(e.to_string()))?;
        let asked = self
            .agent
            .post(format!("{}/v1/call", self.url))
            .config()
            .timeout_global(Some(call.wait() + ANSWER))
            .build()
            .header("authorization", &self.authorization)
            .content_type("application/json")
            .send(&body[..]);
        let mut response = asked.map_err(|e| unavailable(e.to_string()))?;
        let answer = Self::read(&mut response, LONGEST)?;
        if !response.status().is_success() {
            return Err(error_of(response.status(), &answer));
        }
        serde_json::from_slice(&answer)
            .map_err(|e| unavailable(format!("the answer was not understood: {e}")))
    }

    fn put_blob(&self, bytes: &[u8]) -> Result<BlobHash, QueueError> {
        let hash = BlobHash::of(bytes);
        let mut request = self
            .agent
            .put(self.blob(&hash))
            .config()
            .timeout_global(Some(BLOB))
            .build()
            .header("authorization", &self.authorization)
            .content_type("application/octet-stream");
        if bytes.len() > ASK_FIRST {
            // What is refused is not sent: otherwise the connection breaks before the answer is read.
            request = request.header("expect", "100-continue");
        }
        let mut response = request.send(bytes).map_err(|e| unavailable(e.to_string()))?;
        if response.status().is_success() {
            return Ok(hash);
        }
        let said = Self::read(&mut response, LONGEST)?;
        Err(error_of(response.status(), &said))
    }

    fn blob_length(&self, hash: &BlobHash) -> Result<Option<u64>, QueueError> {
        let asked =
            self.agent.head(self.blob(hash)).header("authorization", &self.authorization).call();
        let response = asked.map_err(|e| unavailable(e.to_string()))?;
        match response.status() {
            StatusCode::NOT_FOUND => Ok(None),
            status if status.is_success() => {
                let length = response.headers().get("content-length");
                let length = length.and_then(|value| value.to_str().ok()?.parse().ok());
                length.map(Some).ok_or_else(|| unavailable("the gateway tells no length"))
            }
            status => Err(unavailable(format!("the gateway answers {status}"))),
        }
    }

    fn get_blob(&self, hash: &BlobHash, range: Range<u64>) -> Result<Vec<u8>, QueueError> {
        if range.start >= range.end {
            // Whether it is there is asked all the same.
            let length = self.blob_length(hash)?;
            return length.map(|_| Vec::new()).ok_or(QueueError::NoBlob { hash: *hash });
        }
        let asked = self
            .agent
            .get(self.blob(hash))
            .config()
            .timeout_global(Some(BLOB))
            .build()
            .header("authorization", &self.authorization)
            .header("range", format!("bytes={}-{}", range.start, range.end - 1))
            .call();
        let mut response = asked.map_err(|e| unavailable(e.to_string()))?;
        match response.status() {
            StatusCode::RANGE_NOT_SATISFIABLE => Ok(Vec::new()),
            status if status.is_success() => {
                // A body of exactly the limit counts as one beyond it.
                Self::read(&mut response, range.end - range.start + 1)
            }
            status => {
                let said = Self::read(&mut response, LONGEST)?;
                Err(error_of(status, &said))
            }
        }
    }

    fn patience(&self) -> Duration {
        PATIENCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_not_sent_in_the_open() {
        for url in
            ["http://example.org", "http://127.0.0.1.example.org", "ftp://x", "", "localhost"]
        {
            let options =
                ClientOptions { url: url.to_owned(), token: "secret".to_owned(), ca: None };
            assert!(matches!(connect(&options), Err(ConnectError::Address(_))), "{url}");
            assert!(!format!("{options:?}").contains("secret"));
        }
    }
}
