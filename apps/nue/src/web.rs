//! `nue web`: the board in the browser.
//!
//! The crate `web` serves; here are the flags, the engines, the whereabouts of files, and what is
//! printed.

mod bench;
mod browser;
mod engines;
mod watch;
mod whereabouts;

use crate::assemble;
use crate::evaluation::{Evaluation, EvaluationArgs};
use crate::failure::{Failure, Outcome};
use clap::{Args, Subcommand};
use rules::Game;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use think::{TimeSource, WallTime};
use web::pool::{Means, Registered, Workshop};
use web::store::Store;
use web::watch::Watch;
use web::{Furniture, Hall};

/// Play, analyse and watch in a browser.
#[derive(Args)]
pub(crate) struct WebArgs {
    #[command(subcommand)]
    command: Option<WebCommand>,
    /// Port to listen on; 0 for any that is free
    #[arg(long, default_value_t = 8088)]
    port: u16,
    /// Address to listen on; other than this machine's own, visitors need the token that is printed
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    bind: IpAddr,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
    /// Threads that may think at the same time, for all visitors together; all of the machine's if not said
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Memory for all tables together, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,
    /// File in which games are kept; one in the user's data folder if not said
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// A USI engine visitors may use too: NAME=COMMAND, or cmd=PROGRAM,name=NAME,option.X=Y as in "nue match"
    #[arg(long, value_name = "ENGINE")]
    engine: Vec<String>,
    /// The same from a file, with a table [[engine]] for each
    #[arg(long, value_name = "FILE")]
    engines: Option<PathBuf>,
    #[command(flatten)]
    watch: watch::WatchArgs,
    #[command(flatten)]
    evaluation: EvaluationArgs,
}

#[derive(Subcommand)]
enum WebCommand {
    /// Measure how fast the server answers many players on this machine.
    Bench(bench::BenchArgs),
}

/// Runs the command.
pub(crate) fn run(args: &WebArgs) -> Outcome {
    match &args.command {
        Some(WebCommand::Bench(bench)) => bench::run(args, bench),
        None => serve(args),
    }
}

fn serve(args: &WebArgs) -> Outcome {
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let engines = engines::registered(&args.engine, args.engines.as_deref(), &time)?;
    let data = args.data.clone().unwrap_or_else(whereabouts::data);
    let (store, _lock) = whereabouts::open(&data)?;
    let listener = listen(SocketAddr::new(args.bind, args.port))?;
    let sights = Arc::new(watch::Sights::new(&args.watch)?);
    let hall = hall(args, engines, store, time, sights)?;
    let address = listener.local_addr()?;
    let token = (!address.ip().is_loopback()).then(|| hall.secret(32));
    announce(args, address, token.as_deref(), &data)?;
    let warm = hall.pool().clone();
    std::thread::Builder::new().name("warm".to_owned()).spawn(move || warm.warm(Game::Shogi))?;
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let served = runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener)?;
        web::serve(listener, hall, token, interrupted()).await
    });
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    served.map_err(|e| Failure::failed(format!("the server ended: {e}")))
}

/// A listening socket, or why there is none and what to do.
fn listen(address: SocketAddr) -> Result<TcpListener, Failure> {
    let listener = TcpListener::bind(address).map_err(|error| {
        let why = match error.kind() {
            std::io::ErrorKind::AddrInUse => format!(
                "port {} is in use, perhaps by another nue web: choose another with --port N",
                address.port()
            ),
            std::io::ErrorKind::PermissionDenied => {
                format!(
                    "port {} is not for everybody: choose one above 1023 with --port N",
                    address.port()
                )
            }
            std::io::ErrorKind::AddrNotAvailable => {
                format!("{} is no address of this machine", address.ip())
            }
            _ => format!("cannot listen on {address}: {error}"),
        };
        Failure::failed(why)
    })?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// What each game is evaluated with, and the engines around it.
fn workshop(
    args: &EvaluationArgs,
    time: &Arc<dyn TimeSource>,
) -> Result<(Workshop, [String; 2]), Failure> {
    let named = args.path().map(|_| args.named()).transpose()?;
    let evaluation = |game: Game| -> Result<(Evaluation, String), Failure> {
        match &named {
            Some(named) if named.game() == Some(game) => Ok((named.clone(), named.describe())),
            Some(_) => {
                let shipped = assembly::shipped(game);
                let about = shipped.describe();
                Ok((shipped, about))
            }
            None => args.as_engine(game),
        }
    };
    let (shogi, about_shogi) = evaluation(Game::Shogi)?;
    let (minishogi, about_minishogi) = evaluation(Game::Minishogi)?;
    let time = Arc::clone(time);
    let workshop: Workshop = Arc::new(move |game| {
        let evaluation = if game == Game::Shogi { &shogi } else { &minishogi };
        assemble::search(game, evaluation, Arc::clone(&time))
    });
    Ok((workshop, [about_shogi, about_minishogi]))
}

fn hall(
    args: &WebArgs,
    engines: Vec<Registered>,
    store: Store,
    time: Arc<dyn TimeSource>,
    watch: Arc<dyn Watch>,
) -> Result<Arc<Hall>, Failure> {
    let (workshop, evaluation) = workshop(&args.evaluation, &time)?;
    let all = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = args.threads.map_or(all, usize::from);
    let means = Means { threads, hash: args.hash as usize, workshop, engines, time };
    let wall = || {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX))
    };
    // Without random numbers sessions could be guessed: better not to begin.
    getrandom::fill(&mut [0; 8]).map_err(|e| Failure::failed(format!("no random numbers: {e}")))?;
    let chance = |bytes: &mut [u8]| {
        while getrandom::fill(bytes).is_err() {
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
    };
    let furniture = Furniture {
        means,
        store,
        watch,
        wall: Arc::new(wall),
        chance: Arc::new(chance),
        evaluation,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    Ok(Hall::new(furniture)?)
}

/// Says where the board is, and shows it.
fn announce(
    args: &WebArgs,
    address: SocketAddr,
    token: Option<&str>,
    data: &std::path::Path,
) -> Outcome {
    let shown = match address.ip() {
        ip if ip.is_unspecified() => "localhost".to_owned(),
        IpAddr::V6(ip) => format!("[{ip}]"),
        ip @ IpAddr::V4(_) => ip.to_string(),
    };
    let query = token.map_or_else(String::new, |token| format!("?token={token}"));
    let url = format!("http://{shown}:{}/{query}", address.port());
    let mut out = std::io::stdout().lock();
    writeln!(out, "The board: {url}")?;
    if token.is_some() {
        writeln!(
            out,
            "It can be reached from other machines: whoever has this address with its token may play, \
             analyse and watch. The connection is not encrypted."
        )?;
    }
    writeln!(out, "Games are kept in {}. Ctrl-C ends the server.", data.display())?;
    out.flush()?;
    if !args.no_open {
        browser::open(&url);
    }
    Ok(())
}

/// Until an interrupt or a request to terminate; a second one ends the program at once.
async fn interrupted() {
    signalled().await;
    tokio::spawn(async {
        signalled().await;
        std::process::exit(130);
    });
}

async fn signalled() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
        if let (Ok(mut terminate), Ok(mut interrupt)) = signals {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            return;
        }
    }
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
