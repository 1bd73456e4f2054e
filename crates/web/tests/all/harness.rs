//! A server to be visited by tests: on a port of its own, with real engines and dummies.

use board::error::ApiError;
use board::hello::Scales;
use board::watch::{WatchData, WatchKind, WatchServer};
use engines::ProgramCommand;
use futures_util::{SinkExt, StreamExt};
use kifu::Record;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use think::{TimeSource, WallTime};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use web::books::{BookList, SharedBook};
use web::pool::{Origin, PoolConfig, Registered};
use web::store::Store;
use web::watch::WatchSource;
use web::{BoardService, Services};

/// Nothing here takes as long, however busy the machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A program that is built together with the tests.
pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let folder = test.parent().and_then(Path::parent).unwrap();
    let program = folder.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(program.exists(), "{} is missing: build with --examples", program.display());
    program
}

/// The dummy engine.
pub(crate) fn dummy(what: &str) -> Registered {
    let program = example("dummy");
    Registered {
        id: what.to_owned(),
        name: format!("The {what} one"),
        origin: Origin::Program(ProgramCommand {
            program: program.to_string_lossy().into_owned(),
            args: vec![what.to_owned()],
            ..ProgramCommand::default()
        }),
        options: Vec::new(),
        plays: rules::Game::ALL.to_vec(),
        scale: Scales::default(),
    }
}

/// The tree search with the nets inside the executable, as the program offers it.
pub(crate) fn tree_search() -> Registered {
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    Registered::tree_search(Arc::new(move |game| {
        assembly::shipped_tree_search(game, Arc::clone(&time))
    }))
}

/// Something to watch that changes with every look.
pub(crate) struct ChangingSource(AtomicU64);

impl WatchSource for ChangingSource {
    fn has(&self, what: WatchKind) -> bool {
        what == WatchKind::Server
    }

    fn look(&self, what: WatchKind) -> Result<WatchData, ApiError> {
        match what {
            WatchKind::Server => {
                let at = self.0.fetch_add(1, Ordering::Relaxed);
                Ok(WatchData::Server(Box::new(WatchServer { at, ..WatchServer::default() })))
            }
            _ => Err(ApiError::missing("not here")),
        }
    }

    fn server_game(&self, id: &str) -> Result<Record, ApiError> {
        match id {
            "a" => Ok(Record::new(rules::AnyPosition::startpos(rules::Game::Shogi))),
            _ => Err(ApiError::missing("not here")),
        }
    }

    fn match_game(&self, _: &str, _: u64) -> Result<Record, ApiError> {
        Err(ApiError::missing("not here"))
    }
}

pub(crate) struct Settings {
    pub(crate) threads: usize,
    pub(crate) token: Option<String>,
    pub(crate) data: Option<PathBuf>,
    pub(crate) engines: Vec<Registered>,
    pub(crate) books: Vec<SharedBook>,
    /// Where the random numbers of this server begin.
    pub(crate) seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            threads: 2,
            token: None,
            data: None,
            engines: Vec::new(),
            books: Vec::new(),
            seed: 1,
        }
    }
}

/// A server that runs until it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    ended: Option<oneshot::Receiver<()>>,
}

pub(crate) async fn start(settings: Settings) -> Server {
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let clock = Arc::clone(&time);
    let pool = PoolConfig {
        threads: settings.threads,
        hash: 32,
        factory: Arc::new(move |game| {
            assembly::search(game, &assembly::Evaluation::Material, Arc::clone(&clock))
        }),
        engines: settings.engines,
        time,
    };
    let store = match &settings.data {
        Some(path) => Store::open(path).unwrap(),
        None => Store::in_memory().unwrap(),
    };
    let (asked, seed) = (AtomicU64::new(0), settings.seed);
    let random = move |bytes: &mut [u8]| {
        let mut rng = seed::Rng::for_purpose(seed, &[asked.fetch_add(1, Ordering::Relaxed)]);
        bytes.fill_with(|| rng.bits() as u8);
    };
    let service = BoardService::new(Services {
        pool,
        store,
        watch: Arc::new(ChangingSource(AtomicU64::new(0))),
        books: BookList::new(settings.books, None),
        wall: Arc::new(|| 1_800_000_000_000),
        random: Arc::new(random),
        evaluation: ["material".to_owned(), "material".to_owned()],
        scales: Scales::default(),
        version: "0.0.0".to_owned(),
    })
    .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (end, told) = oneshot::channel::<()>();
    let (done, ended) = oneshot::channel();
    tokio::spawn(async move {
        let until = async {
            let _ = told.await;
        };
        web::serve(listener, service, settings.token, until).await.unwrap();
        let _ = done.send(());
    });
    Server { address, end: Some(end), ended: Some(ended) }
}

impl Server {
    /// Ends the server and waits until it has.
    pub(crate) async fn stop(mut self) {
        self.end.take();
        timeout(PATIENCE, self.ended.take().unwrap()).await.unwrap().unwrap();
    }

    /// A visitor without a cookie yet.
    pub(crate) fn visitor(&self) -> Browser {
        Browser { address: self.address, cookie: None, headers: Vec::new() }
    }
}

/// An answer to a request.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&self.body)))
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    }

    pub(crate) fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or_default().to_owned()
    }
}

/// Somebody with a cookie jar.
#[derive(Clone)]
pub(crate) struct Browser {
    pub(crate) address: SocketAddr,
    pub(crate) cookie: Option<String>,
    /// Headers beside the usual ones; one of the same name replaces it.
    pub(crate) headers: Vec<(String, String)>,
}

impl Browser {
    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut other = self.clone();
        other.headers.push((name.to_owned(), value.to_owned()));
        other
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        self.ask("GET", path, &[]).await
    }

    pub(crate) async fn post(&mut self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, body.to_string().as_bytes()).await
    }

    pub(crate) async fn ask(&mut self, method: &str, path: &str, body: &[u8]) -> Answer {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        let mut headers = vec![
            ("Host".to_owned(), self.address.to_string()),
            ("Connection".to_owned(), "close".to_owned()),
            ("Content-Length".to_owned(), body.len().to_string()),
        ];
        headers.extend(self.cookie.clone().map(|c| ("Cookie".to_owned(), c)));
        for (name, value) in &self.headers {
            headers.retain(|(n, _)| !n.eq_ignore_ascii_case(name));
            headers.push((name.clone(), value.clone()));
        }
        for (name, value) in headers {
            head += &format!("{name}: {value}\r\n");
        }
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let mut request = (head + "\r\n").into_bytes();
        request.extend_from_slice(body);
        // A server that has refused may close before it has read everything.
        let _ = stream.write_all(&request).await;
        let mut all = Vec::new();
        let _ = timeout(PATIENCE, stream.read_to_end(&mut all)).await.unwrap();
        let split = all.windows(4).position(|w| w == b"\r\n\r\n").expect("a head");
        let head = String::from_utf8_lossy(&all[..split]).into_owned();
        let status = head.split(' ').nth(1).and_then(|s| s.parse().ok()).unwrap_or(0);
        let answer = Answer { status, head, body: all[split + 4..].to_vec() };
        if let Some(cookie) = answer.header("set-cookie") {
            self.cookie = cookie.split(';').next().map(str::to_owned);
        }
        answer
    }

    /// Opens the WebSocket; the status where it is refused.
    pub(crate) async fn connect(&self) -> Result<Socket, u16> {
        let url = format!("ws://{}/api/ws", self.address);
        let mut request = url.into_client_request().unwrap();
        let headers = request.headers_mut();
        if let Some(cookie) = &self.cookie {
            headers.insert("Cookie", cookie.parse().unwrap());
        }
        for (name, value) in &self.headers {
            let name: axum::http::HeaderName = name.parse().unwrap();
            headers.insert(name, value.parse().unwrap());
        }
        let stream = TcpStream::connect(self.address).await.unwrap();
        match tokio_tungstenite::client_async(request, stream).await {
            Ok((socket, _)) => Ok(Socket { socket, next: 0 }),
            Err(tokio_tungstenite::tungstenite::Error::Http(response)) => {
                Err(response.status().as_u16())
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// A page's end of a WebSocket.
pub(crate) struct Socket {
    socket: WebSocketStream<TcpStream>,
    next: u64,
}

impl Socket {
    pub(crate) async fn send(&mut self, text: &str) {
        // The other end may be closing: what comes back will tell.
        let _ = self.socket.send(Message::Text(text.to_owned().into())).await;
    }

    /// The next message; `None` when the connection has been closed.
    pub(crate) async fn receive(&mut self) -> Option<Value> {
        loop {
            match timeout(PATIENCE, self.socket.next()).await.expect("something is said") {
                Some(Ok(Message::Text(text))) => {
                    return Some(serde_json::from_str(text.as_str()).unwrap());
                }
                Some(Ok(Message::Close(_)) | Err(_)) | None => return None,
                Some(Ok(_)) => {}
            }
        }
    }

    /// The next message of that kind for which the condition holds.
    pub(crate) async fn until(&mut self, kind: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let value = self.receive().await.expect("still connected");
            if value["type"] == kind && wanted(&value) {
                return value;
            }
        }
    }

    /// Asks and waits for the answer, passing over everything else.
    pub(crate) async fn ask(&mut self, mut message: Value) -> Value {
        self.next += 1;
        let id = self.next;
        message["id"] = id.into();
        self.send(&message.to_string()).await;
        loop {
            let value = self.receive().await.expect("still connected");
            if value["id"] == id {
                return value;
            }
        }
    }
}

/// A message that names a game.
pub(crate) fn about(kind: &str, game: &Value) -> Value {
    json!({ "type": kind, "game": game["game"] })
}
