//! A server from its settings: the data file, the engines, the watch sources and the listening socket.

use crate::books::{self, BookList, SharedBook};
use crate::data_file;
use crate::pool::{EngineFactory, PoolConfig, Registered};
use crate::registered;
use crate::service::{BoardService, Services};
use crate::store::Store;
use crate::watch::{NoWatch, ServerFile, WatchPlaces, WatchSource, WatchSources};
use board::hello::Scales;
use durable::Lock;
use std::future::Future;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use think::{TimeSource, WallTime};

/// Why a server could not be started.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum StartError {
    /// It was asked wrongly.
    #[error("{0}")]
    Usage(String),
    /// It could not be done.
    #[error("{0}")]
    Failed(String),
}

impl StartError {
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::Usage(message.into())
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }
}

impl From<std::io::Error> for StartError {
    fn from(error: std::io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Makes our own engines, given the time they think by.
pub type MakeEngines = Box<dyn FnOnce(Arc<dyn TimeSource>) -> EngineFactory>;

/// What thinks, for whom, with how much.
pub struct EngineSettings {
    /// Threads that may search at the same time; all of the machine's if not said.
    pub threads: Option<usize>,
    /// Memory for all tables, in MiB.
    pub hash: usize,
    /// Our own engines.
    pub own: MakeEngines,
    /// Our tree search, offered beside them.
    pub tree_search: MakeEngines,
    /// What they evaluate each game with, in words.
    pub evaluation: [String; 2],
    /// Scale of their win rates for each game.
    pub scales: Scales,
    /// The version told to the page.
    pub version: String,
}

/// Everything about a server that its owner decides.
pub struct Settings {
    pub engines: EngineSettings,
    pub address: SocketAddr,
    /// Where games are kept; in the user's data folder if not said.
    pub data: Option<PathBuf>,
    /// Engines visitors may use too, as on the command line.
    pub registered: Vec<String>,
    /// The same from a file.
    pub registered_file: Option<PathBuf>,
    /// Opening books visitors may look at and play.
    pub books: Vec<PathBuf>,
    pub watch: WatchPlaces,
    /// Reads data files of `nue server`.
    pub server_file: Arc<dyn ServerFile>,
}

/// A server that listens but does not serve yet.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    service: Arc<BoardService>,
    token: Option<String>,
    data: PathBuf,
    _lock: Lock,
}

impl Server {
    /// Prepares everything; whatever is wrong with the settings is known afterwards.
    pub fn prepare(settings: Settings) -> Result<Self, StartError> {
        let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
        let file = settings.registered_file.as_deref();
        let engines = registered::registered(&settings.registered, file, &time)?;
        let books = books::open(&settings.books)?;
        let data = settings.data.unwrap_or_else(data_file::usual);
        let (store, lock) = data_file::open(&data)?;
        let listener = listen(settings.address)?;
        let address = listener.local_addr()?;
        let watch = Arc::new(WatchSources::new(&settings.watch, settings.server_file)?);
        let service = service(settings.engines, (engines, books), store, time, watch)?;
        let token = (!address.ip().is_loopback()).then(|| service.secret(32));
        Ok(Self { listener, address, service, token, data, _lock: lock })
    }

    /// The address for a browser, with the token where one is needed.
    pub fn url(&self) -> String {
        let token = self.token.as_ref().map(|token| format!("?token={token}"));
        format!("{}/{}", origin(self.address), token.unwrap_or_default())
    }

    /// The same for the camera of a phone, as text for a terminal.
    pub fn qr(&self) -> Option<String> {
        crate::qr::text(&self.url()).ok()
    }

    /// Whether other machines can reach it.
    pub const fn is_public(&self) -> bool {
        self.token.is_some()
    }

    /// The file in which games are kept.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Serves until `end` comes.
    pub fn run(self, end: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()> {
        let pool = self.service.pool().clone();
        let warm = move || pool.warm(rules::Game::Shogi);
        std::thread::Builder::new().name("warm".to_owned()).spawn(warm)?;
        let runtime = runtime()?;
        let served = runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener)?;
            crate::serve(listener, self.service, self.token, end).await
        });
        runtime.shutdown_timeout(Duration::from_secs(1));
        served
    }
}

/// What an address of this server begins with for other machines, where they can reach it.
pub(crate) fn origin(address: SocketAddr) -> String {
    let shown = match address.ip() {
        ip if ip.is_unspecified() => {
            own_address().map_or_else(|| "localhost".to_owned(), |ip| ip.to_string())
        }
        IpAddr::V6(ip) => format!("[{ip}]"),
        ip @ IpAddr::V4(_) => ip.to_string(),
    };
    format!("http://{shown}:{}", address.port())
}

/// This machine's address in its network, as the way to another one begins; nothing is sent there.
fn own_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // An address of documentation: it only has to lie outside.
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_unspecified() && !ip.is_loopback()).then_some(ip)
}

/// Engines do the work; sockets need little.
pub(crate) fn runtime() -> std::io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
}

/// A listening socket, or why there is none and what to do.
fn listen(address: SocketAddr) -> Result<TcpListener, StartError> {
    let port = address.port();
    let listener = TcpListener::bind(address).map_err(|error| {
        use std::io::ErrorKind;
        StartError::failed(match error.kind() {
            ErrorKind::AddrInUse => format!(
                "port {port} is in use, perhaps by another nue web; choose another with --port N"
            ),
            ErrorKind::PermissionDenied => {
                format!("port {port} needs administrator rights; use --port 8088")
            }
            ErrorKind::AddrNotAvailable => {
                format!("{} is not an address of this machine", address.ip())
            }
            _ => format!("cannot listen on {address}: {error}"),
        })
    })?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// A service with a store that lives in memory and nothing to watch: for measurements.
pub(crate) fn bare_service(engines: EngineSettings) -> Result<Arc<BoardService>, StartError> {
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let store = Store::in_memory().map_err(|e| StartError::failed(e.to_string()))?;
    service(engines, (Vec::new(), Vec::new()), store, time, Arc::new(NoWatch))
}

fn service(
    settings: EngineSettings,
    (engines, shared): (Vec<Registered>, Vec<SharedBook>),
    store: Store,
    time: Arc<dyn TimeSource>,
    watch: Arc<dyn WatchSource>,
) -> Result<Arc<BoardService>, StartError> {
    let tree_search = Registered::tree_search((settings.tree_search)(Arc::clone(&time)));
    let engines = std::iter::once(tree_search).chain(engines).collect();
    let all = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let pool = PoolConfig {
        threads: settings.threads.unwrap_or(all),
        hash: settings.hash,
        factory: (settings.own)(Arc::clone(&time)),
        engines,
        time,
    };
    let wall = || i64::try_from(think::since_1970().as_millis()).unwrap_or(i64::MAX);
    // Without random numbers sessions could be guessed: better not to begin.
    getrandom::fill(&mut [0; 8]).map_err(|e| {
        StartError::failed(format!("cannot get random numbers from the system: {e}"))
    })?;
    let random = |bytes: &mut [u8]| {
        while getrandom::fill(bytes).is_err() {
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    Ok(BoardService::new(Services {
        pool,
        store,
        watch,
        books: BookList::new(shared, Some(books::inside())),
        wall: Arc::new(wall),
        random: Arc::new(random),
        evaluation: settings.evaluation,
        scales: settings.scales,
        version: settings.version,
    })?)
}
