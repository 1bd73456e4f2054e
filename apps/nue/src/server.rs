//! `nue server`: a CSA server.

use crate::failure::{CommandResult, Failure};
use clap::{Args, Subcommand};
use serverd::{Addresses, Config};
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Run a CSA server: games, rounds by the clock, tournaments, ratings.
#[derive(Args)]
pub(crate) struct ServerArgs {
    #[command(subcommand)]
    command: Option<ServerCommand>,
    /// File with the server's settings.
    #[arg(long, default_value = "server.toml", global = true)]
    config: PathBuf,
    /// Check the settings without starting the server.
    #[arg(long)]
    check: bool,
}

#[derive(Subcommand)]
enum ServerCommand {
    /// Make a folder with commented settings for a new server.
    Init {
        /// Folder for the settings and the data; made if it is missing.
        folder: PathBuf,
    },
    /// Take over what another server has: ratings of players.yaml, games as CSA files.
    Import {
        /// Files, and folders that are gone through.
        #[arg(required = true)]
        paths: Vec<PathBuf>,
    },
    /// Give the running server an order; "list" shows what there is, "log" the orders so far.
    #[command(after_help = format!("Orders: {}, log", serverd::ORDERS))]
    Referee {
        /// Words of the order, for example: adjudicate GAME draw.
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        order: Vec<String>,
    },
    /// Set the password of an account; it is read from standard input.
    Account {
        /// Name of the player: letters, digits and _ - . @
        name: String,
    },
}

pub(crate) fn run(args: &ServerArgs) -> CommandResult {
    match &args.command {
        Some(ServerCommand::Init { folder }) => init(folder),
        Some(ServerCommand::Import { paths }) => import(&load(&args.config)?, paths),
        Some(ServerCommand::Account { name }) => set_password(&load(&args.config)?, name),
        Some(ServerCommand::Referee { order }) => {
            let done = serverd::give_order(&load(&args.config)?, &order.join(" "));
            writeln!(std::io::stdout(), "{}", done.map_err(failure)?)?;
            Ok(())
        }
        None if args.check => check(&args.config),
        None => {
            let config = load(&args.config)?;
            serverd::serve(&config, Box::new(std::io::stderr()), announce).map_err(failure)
        }
    }
}

fn failure(error: serverd::Error) -> Failure {
    match error {
        serverd::Error::Name(_)
        | serverd::Error::Password { .. }
        | serverd::Error::Exists { .. } => Failure::usage(error.to_string()),
        serverd::Error::Setup(error) => error.into(),
        _ => Failure::failed(error.to_string()),
    }
}

fn load(path: &Path) -> Result<Config, Failure> {
    Config::load(path).map_err(failure)
}

/// Whoever started us can read here where we are, also when the port was 0.
fn announce(addresses: Addresses) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "listening on {}", addresses.players)?;
    if let Some(status) = addresses.status {
        writeln!(out, "status on http://{status}/")?;
    }
    out.flush()
}

fn init(folder: &Path) -> CommandResult {
    let path = serverd::init(folder).map_err(failure)?;
    let path = path.display();
    let mut out = std::io::stdout().lock();
    writeln!(out, "made {path}")?;
    writeln!(out, "add an account:  nue server --config {path} account me")?;
    writeln!(out, "run it:          nue server --config {path}")?;
    writeln!(
        out,
        "play:            nue csa --host localhost --name me --password test-300-10F,SECRET"
    )?;
    writeln!(
        out,
        "Only this computer can connect, and only your accounts can log in; {path} changes that."
    )?;
    Ok(())
}

fn check(path: &Path) -> CommandResult {
    let config = load(path)?;
    let found = serverd::check(&config).map_err(failure)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}: fine", path.display())?;
    for line in found {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn import(config: &Config, paths: &[PathBuf]) -> CommandResult {
    let done = serverd::import(config, paths).map_err(failure)?;
    write!(std::io::stdout(), "{done}")?;
    Ok(())
}

fn set_password(config: &Config, name: &str) -> CommandResult {
    if std::io::stdin().is_terminal() {
        write!(std::io::stderr(), "password of {name}: ")?;
    }
    let mut password = String::new();
    std::io::stdin().lock().read_line(&mut password)?;
    let password = password.trim_end_matches(['\r', '\n']);
    serverd::set_password(config, name, password).map_err(failure)?;
    writeln!(std::io::stdout(), "the password of {name} is set")?;
    Ok(())
}
