//! `nue csa`: play on a CSA server, or against somebody whose moves are typed in.

use crate::failure::{CommandResult, Failure};
use crate::start::PositionArgs;
use ::csa::TimeRule;
use clap::{ArgAction, Args};
use client::{
    EngineSettings, Events, ManualSettings, OnlineSettings, Report, SessionSettings, UserInput,
};
use engines::ProgramCommand;
use engines::shell::input::{Line, next_line};
use rules::{Color, Declaration};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Play on a CSA server with our engine or any USI engine.
#[derive(Args)]
pub(crate) struct CsaArgs {
    /// Host name or address of the server.
    #[arg(long, required_unless_present = "manual")]
    host: Option<String>,
    /// Port of the server.
    #[arg(long, default_value_t = 4081)]
    port: u16,
    /// Name to log in with.
    #[arg(long, required_unless_present = "manual")]
    name: Option<String>,
    /// Password; on floodgate and servers like it GAME,SECRET. Without this flag it is taken from
    /// the environment variable NUE_CSA_PASSWORD.
    #[arg(long)]
    password: Option<String>,
    /// USI engine to play with instead of our own.
    #[arg(long, value_name = "PROGRAM")]
    engine: Option<String>,
    /// Argument for that engine; may be repeated.
    #[arg(long = "engine-arg", value_name = "ARG", allow_hyphen_values = true)]
    engine_args: Vec<String>,
    /// Option for the engine, as NAME=VALUE; may be repeated.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Tell the engine increments as byoyomi, for engines that know nothing else.
    #[arg(long, requires = "engine")]
    no_increments: bool,
    /// Games to play; 0 for no limit.
    #[arg(long, default_value_t = 1)]
    games: u32,
    /// After a game, ask for another with CHALLENGE (the championship's test server).
    #[arg(long)]
    challenge: bool,
    /// Do not ponder (think on the opponent's time).
    #[arg(long)]
    no_ponder: bool,
    /// Do not send evaluation and principal variation with our moves.
    #[arg(long)]
    no_comments: bool,
    /// Keep the records of games in this folder.
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
    /// Keep every line sent and received, with its time, in this file.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Send an empty line after this many seconds of silence (at least 30).
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    keep_alive: u64,
    /// Safety margin for the network until its delay has been measured.
    #[arg(long, default_value_t = 300, value_name = "MILLISECONDS")]
    margin: u64,
    /// Connect with TLS, trusting the certificates in this file.
    #[arg(long, value_name = "PEM")]
    ca: Option<PathBuf>,
    /// How often to connect again after the connection was lost; 0 for no limit.
    #[arg(long, default_value_t = 0)]
    retries: u32,
    /// Show the board after every move.
    #[arg(long)]
    board: bool,
    /// Play against somebody whose moves are typed in here, without a server.
    #[arg(long, action = ArgAction::SetTrue)]
    manual: bool,
    /// The engine's colour in a manual game: black or white.
    #[arg(long, default_value = "black")]
    color: String,
    /// Time in a manual game: seconds, with +INCREMENT or /BYOYOMI.
    #[arg(long, default_value = "900+5")]
    time: TimeRule,
    /// The opponent's time, if it is another.
    #[arg(long)]
    opponent_time: Option<TimeRule>,
    /// When an entered king wins in a manual game: CSARule27H, CSARule27, CSARule24H, CSARule24,
    /// TryRule or NoEnteringKing.
    #[arg(long, default_value_t = Declaration::Points27H, value_name = "RULE")]
    declaration: Declaration,
    /// Moves after which a manual game is drawn; 0 for no limit.
    #[arg(long, default_value_t = 0, value_name = "MOVES")]
    max_moves: u32,
    #[command(flatten)]
    position: PositionArgs,
}

pub(crate) fn run(args: &CsaArgs) -> CommandResult {
    let events = Events::default();
    let input = events.user_input();
    let interrupts = input.clone();
    let interrupted = Arc::new(AtomicBool::new(false));
    let set = Arc::clone(&interrupted);
    // A program without a way to be interrupted politely is interrupted impolitely.
    let _ = os::signals::on_interrupt(move || {
        set.store(true, Ordering::Relaxed);
        interrupts.interrupt();
    });
    let with_board = args.board || args.manual;
    let mut report = |report: Report<'_>| print(&report, with_board);
    let played = if args.manual {
        let settings = manual(args)?;
        read_input(input)?;
        client::play_manually(settings, &events, &mut report)
    } else {
        client::play_online(online(args)?, &events, &mut report)
    };
    played.map_err(|error| match error {
        client::Error::Io(error) => error.into(),
        error => Failure::failed(error.to_string()),
    })?;
    match interrupted.load(Ordering::Relaxed) {
        true => Err(Failure::Interrupted("interrupted".to_owned())),
        false => Ok(()),
    }
}

fn engine(args: &CsaArgs) -> Result<EngineSettings, Failure> {
    let program = args.engine.clone().map(|program| ProgramCommand {
        program,
        args: args.engine_args.clone(),
        ..ProgramCommand::default()
    });
    let pair = |text: &String| {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| Failure::usage(format!("--option takes NAME=VALUE, not {text:?}")))?;
        Ok((name.to_owned(), value.to_owned()))
    };
    let options = args.options.iter().map(pair).collect::<Result<_, Failure>>()?;
    Ok(EngineSettings { program, options, no_increments: args.no_increments })
}

fn online(args: &CsaArgs) -> Result<OnlineSettings, Failure> {
    let (Some(host), Some(name)) = (args.host.clone(), args.name.clone()) else {
        return Err(Failure::usage("--host and --name are needed"));
    };
    let password = match &args.password {
        Some(password) => password.clone(),
        None => std::env::var("NUE_CSA_PASSWORD")
            .map_err(|_| Failure::usage("--password or the variable NUE_CSA_PASSWORD is needed"))?,
    };
    for (what, text) in [("--name", &name), ("--password", &password)] {
        if text.is_empty() || text.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Err(Failure::usage(format!("{what} must be one word")));
        }
    }
    let session = SessionSettings {
        name,
        password,
        comments: !args.no_comments,
        ponder: !args.no_ponder,
        games: (args.games > 0).then_some(args.games),
        challenge: args.challenge,
        keep_alive: Duration::from_secs(args.keep_alive.max(30)),
        margin: Duration::from_millis(args.margin),
    };
    Ok(OnlineSettings {
        session,
        engine: engine(args)?,
        host,
        port: args.port,
        certificates: args.ca.clone(),
        retries: args.retries,
        records: args.records.clone(),
        log: args.log.clone(),
    })
}

fn manual(args: &CsaArgs) -> Result<ManualSettings, Failure> {
    let engine_color = match args.color.as_str() {
        "black" => Color::Black,
        "white" => Color::White,
        other => return Err(Failure::usage(format!("--color is black or white, not {other:?}"))),
    };
    Ok(ManualSettings {
        engine: engine(args)?,
        engine_color,
        opponent_time: args.opponent_time.clone().unwrap_or_else(|| args.time.clone()),
        engine_time: args.time.clone(),
        declaration: args.declaration,
        max_moves: (args.max_moves > 0).then_some(args.max_moves),
        position: args.position.resolve()?,
        ponder: !args.no_ponder,
        records: args.records.clone(),
    })
}

/// Passes on what is typed, in a thread of its own.
fn read_input(input: UserInput) -> CommandResult {
    std::thread::Builder::new().name("input".to_owned()).spawn(move || {
        let mut stdin = std::io::stdin().lock();
        while let Some(line) = next_line(&mut stdin) {
            let (Line::Text(text) | Line::NotText(text)) = line else { continue };
            if !input.typed(Some(text.trim().to_owned())) {
                return;
            }
        }
        input.typed(None);
    })?;
    Ok(())
}

fn print(report: &Report<'_>, with_board: bool) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    match report {
        Report::Note(text) => writeln!(out, "{text}"),
        Report::Board(position) => writeln!(out, "{}", kifu::diagram(position)),
        Report::Game(game) => {
            writeln!(out, "{}", game.clocks_line())?;
            if with_board { writeln!(out, "{}", kifu::diagram(game.position())) } else { Ok(()) }
        }
    }
}
