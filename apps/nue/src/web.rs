//! `nue web`: the board in the browser.

use crate::assemble;
use crate::evaluation::{Evaluation, EvaluationArgs};
use crate::failure::{CommandResult, Failure};
use board::hello::Scales;
use clap::{Args, Subcommand};
use kifu::Record;
use rules::Game;
use serde_json::Value;
use serverd::inspect;
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use web::load::Load;
use web::watch::{ServerFile, WatchPlaces};
use web::{EngineSettings, Exported, Server, Settings, SiteParts, StartError};

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
    /// Threads that may think at the same time, for all visitors together; all processors by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Memory for all tables together, in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..))]
    hash: u32,
    /// File in which games are kept; by default one in the user's data folder
    #[arg(long, value_name = "FILE")]
    data: Option<PathBuf>,
    /// A USI engine visitors may use too: NAME=COMMAND, or cmd=PROGRAM,name=NAME,option.X=Y as in "nue match"
    #[arg(long, value_name = "ENGINE")]
    engine: Vec<String>,
    /// The same from a file, with a table [[engine]] for each
    #[arg(long, value_name = "FILE")]
    engines: Option<PathBuf>,
    /// An opening book visitors may look at and play; Nue's levels open with the first in place of its own (may be repeated)
    #[arg(long, value_name = "FILE")]
    book: Vec<PathBuf>,
    /// A CSA server to watch: the data file of "nue server", or the address of its status page (http://HOST:PORT)
    #[arg(long, value_name = "FILE|URL")]
    watch_server: Option<String>,
    /// A match to watch: the file of "nue match --out" (may be repeated)
    #[arg(long, value_name = "FILE")]
    watch_match: Vec<PathBuf>,
    /// Learning to watch: the folder of "nue learn" (may be repeated)
    #[arg(long, value_name = "DIR")]
    watch_learn: Vec<PathBuf>,
    /// A fleet to watch: the folder of "nue fleet serve"
    #[arg(long, value_name = "DIR")]
    watch_fleet: Option<PathBuf>,
    /// A cluster to watch: the file that its file names as "view"
    #[arg(long, value_name = "FILE")]
    watch_cluster: Option<PathBuf>,
    /// Write the page into a folder instead, with its engine for browsers: a site that needs no server
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,
    /// The engine for browsers; "nue.wasm" beside this program by default
    #[arg(long, value_name = "FILE", requires = "export")]
    wasm: Option<PathBuf>,
    #[command(flatten)]
    evaluation: EvaluationArgs,
}

#[derive(Subcommand)]
enum WebCommand {
    /// Measure how fast the server answers many players on this machine.
    Bench(BenchArgs),
}

/// What is measured.
#[derive(Args)]
struct BenchArgs {
    /// Players at the same time
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    players: u32,
    /// Moves each of them makes
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    moves: u32,
    /// Level they play against; each in turn by default
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10))]
    level: Option<u32>,
}

pub(crate) fn run(args: &WebArgs) -> CommandResult {
    match &args.command {
        Some(WebCommand::Bench(bench)) => {
            let load = Load { players: bench.players, moves: bench.moves, level: bench.level };
            let report = web::load::measure(load, engines(args)?)?;
            write!(std::io::stdout().lock(), "{report}")?;
            Ok(())
        }
        None => match &args.export {
            Some(folder) => export(args, folder),
            None => serve(args),
        },
    }
}

/// Writes the page as a site without a server.
fn export(args: &WebArgs, folder: &Path) -> CommandResult {
    if args.evaluation.path().is_some() {
        return Err(Failure::usage(
            "--export writes a site with the nets inside this program: leave out --net",
        ));
    }
    let [shogi, minishogi] = [Game::Shogi, Game::Minishogi].map(assembly::shipped);
    let scales = Scales { shogi: shogi.win_rate_scale(), minishogi: minishogi.win_rate_scale() };
    let parts = SiteParts {
        module: args.wasm.as_deref(),
        nets: [Game::Shogi, Game::Minishogi].map(assembly::shipped_file),
        evaluation: [shogi.describe(), minishogi.describe()],
        scales,
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let Exported { files, bytes, wire } = web::export(folder, &parts)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "Wrote {files} files, {} KiB, to {}.", bytes / 1024, folder.display())?;
    writeln!(out, "A visitor who plays shogi fetches {} KiB.", wire / 1024)?;
    Ok(out.flush()?)
}

fn serve(args: &WebArgs) -> CommandResult {
    let server = Server::prepare(Settings {
        engines: engines(args)?,
        address: SocketAddr::new(args.bind, args.port),
        data: args.data.clone(),
        registered: args.engine.clone(),
        registered_file: args.engines.clone(),
        books: args.book.clone(),
        watch: WatchPlaces {
            server: args.watch_server.clone(),
            matches: args.watch_match.clone(),
            labs: args.watch_learn.clone(),
            fleet: args.watch_fleet.clone(),
            cluster: args.watch_cluster.clone(),
        },
        server_file: Arc::new(DataFile),
    })?;
    announce(&server)?;
    if !args.no_open {
        os::browser::open(&server.url());
    }
    server.run(interrupted()).map_err(|e| Failure::failed(format!("the server ended: {e}")))
}

impl From<StartError> for Failure {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Usage(message) => Self::Usage(message),
            StartError::Failed(message) => Self::Failed(message),
        }
    }
}

/// Reads the data file of `nue server`.
struct DataFile;

impl ServerFile for DataFile {
    fn look(&self, path: &Path) -> Result<Value, String> {
        serde_json::to_value(inspect::overview(path)?).map_err(|e| e.to_string())
    }

    fn record(&self, path: &Path, id: &str) -> Result<Option<Record>, String> {
        inspect::record(path, id)
    }
}

/// What each game is evaluated with, and the engines around it.
fn engines(args: &WebArgs) -> Result<EngineSettings, Failure> {
    let evaluation = &args.evaluation;
    let named = evaluation.path().map(|_| evaluation.named()).transpose()?;
    let find = |game: Game| -> Result<(Evaluation, String), Failure> {
        match &named {
            Some(named) if named.game() == Some(game) => Ok((named.clone(), named.describe())),
            Some(_) => {
                let shipped = assembly::shipped(game);
                let about = shipped.describe();
                Ok((shipped, about))
            }
            None => evaluation.as_engine(game),
        }
    };
    let (shogi, about_shogi) = find(Game::Shogi)?;
    let (minishogi, about_minishogi) = find(Game::Minishogi)?;
    let scales = Scales { shogi: shogi.win_rate_scale(), minishogi: minishogi.win_rate_scale() };
    Ok(EngineSettings {
        scales,
        threads: args.threads.map(usize::from),
        hash: args.hash as usize,
        own: Box::new(move |time| {
            Arc::new(move |game| {
                let evaluation = if game == Game::Shogi { &shogi } else { &minishogi };
                assemble::search(game, evaluation, Arc::clone(&time))
            })
        }),
        tree_search: Box::new(|time| {
            Arc::new(move |game| assembly::shipped_tree_search(game, Arc::clone(&time)))
        }),
        evaluation: [about_shogi, about_minishogi],
        version: env!("CARGO_PKG_VERSION").to_owned(),
    })
}

/// Says where the board is.
fn announce(server: &Server) -> CommandResult {
    let mut out = std::io::stdout().lock();
    writeln!(out, "The board: {}", server.url())?;
    if server.is_public() {
        writeln!(
            out,
            "It can be reached from other machines: whoever has this address with its token may play, \
             analyse and watch. The connection is not encrypted."
        )?;
        write!(out, "{}", server.qr().unwrap_or_default())?;
    }
    writeln!(out, "Games are kept in {}. Ctrl-C ends the server.", server.data().display())?;
    Ok(out.flush()?)
}

/// Until an interrupt or a request to terminate; a second one ends the program at once.
async fn interrupted() {
    let mut termination = transport::Termination::listen();
    termination.requested().await;
    tokio::spawn(async move {
        termination.requested().await;
        std::process::exit(130);
    });
}
