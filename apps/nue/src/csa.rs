//! `nue csa`: play on a CSA server, or against somebody whose moves are typed in.

mod budget;
mod foreign;
mod keep;
mod link;
mod manual;
mod mind;
mod session;
mod tls;

use crate::failure::{Failure, Outcome};
use crate::start::PositionArgs;
use clap::{ArgAction, Args};
use keep::Log;
use link::{Address, Link, LinkEvent};
use mind::{Mind, Thought};
use rules::Color;
use session::{Action, Farewell, Session, Wishes};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;
use think::{Moment, TimeSource, WallTime};

/// Play on a CSA server with our engine or any USI engine.
#[derive(Args)]
pub(crate) struct CsaArgs {
    /// The server.
    #[arg(long, required_unless_present = "manual")]
    host: Option<String>,
    /// Its port.
    #[arg(long, default_value_t = 4081)]
    port: u16,
    /// Our name there.
    #[arg(long, required_unless_present = "manual")]
    name: Option<String>,
    /// The password; on floodgate and servers like it GAME,SECRET. Without it, the variable
    /// NUE_CSA_PASSWORD is taken.
    #[arg(long)]
    password: Option<String>,
    /// A USI engine to play with; without it our own plays.
    #[arg(long, value_name = "PROGRAM")]
    engine: Option<String>,
    /// An argument of that engine; several times for several.
    #[arg(long = "engine-arg", value_name = "ARG", allow_hyphen_values = true)]
    engine_args: Vec<String>,
    /// An option of the engine, as NAME=VALUE; several times for several.
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,
    /// Tell the engine increments as byoyomi, for engines that know no other.
    #[arg(long, requires = "engine")]
    no_increments: bool,
    /// Games to play; 0 for no end.
    #[arg(long, default_value_t = 1)]
    games: u32,
    /// After a game, ask for another with CHALLENGE (the championship's test server).
    #[arg(long)]
    challenge: bool,
    /// Do not think on the opponent's time.
    #[arg(long)]
    no_ponder: bool,
    /// Do not send evaluation and line with our moves.
    #[arg(long)]
    no_comments: bool,
    /// Keep the records of games in this folder.
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
    /// Keep every line sent and received, with its time, in this file.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// Send an empty line after so many seconds of silence (30 at least).
    #[arg(long, default_value_t = 60, value_name = "SECONDS")]
    keep_alive: u64,
    /// Margin for the network until it has been measured.
    #[arg(long, default_value_t = 300, value_name = "MILLISECONDS")]
    margin: u64,
    /// Connect encrypted, trusting the certificates in this file.
    #[arg(long, value_name = "PEM")]
    ca: Option<PathBuf>,
    /// How often to connect again after the connection was lost; 0 for no end.
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
    time: String,
    /// The opponent's time, if it is another.
    #[arg(long)]
    opponent_time: Option<String>,
    #[command(flatten)]
    position: PositionArgs,
}

/// What happens to a client.
enum Event {
    Link(u32, LinkEvent),
    Mind(Thought),
    Interrupt,
    /// A typed line; `None` at the end of input.
    Typed(Option<String>),
}

/// Waits before connecting again, in seconds; the last is repeated.
const WAITS: [u64; 6] = [1, 2, 5, 10, 20, 30];

/// Runs the command.
pub(crate) fn run(args: &CsaArgs) -> Outcome {
    let options = options(&args.options)?;
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let (sender, events) = channel();
    let program = args.engine.clone().map(|program| foreign::Program {
        program,
        args: args.engine_args.clone(),
        increments: !args.no_increments,
    });
    let mind = mind::make(program, options, &time, mind::into(sender.clone(), Event::Mind));
    let interrupts = sender.clone();
    // A program without a way to be interrupted politely is interrupted impolitely.
    let _ = ctrlc::set_handler(move || {
        let _ = interrupts.send(Event::Interrupt);
    });
    if args.manual {
        return manual::run(args, mind, &time, &sender, &events);
    }
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
    let trust = args.ca.as_deref().map(tls::Trust::new).transpose().map_err(Failure::failed)?;
    let wishes = Wishes {
        name,
        password,
        comments: !args.no_comments,
        ponder: !args.no_ponder,
        games: (args.games > 0).then_some(args.games),
        challenge: args.challenge,
        keep_alive: Duration::from_secs(args.keep_alive.max(30)),
        margin: Duration::from_millis(args.margin),
    };
    let client = Client {
        session: Session::new(wishes),
        mind,
        time,
        sender,
        address: Address { host, port: args.port, tls: trust },
        link: None,
        generation: 0,
        attempts: 0,
        retries: args.retries,
        reconnect: None,
        log: Log::open(args.log.as_deref())?,
        records: args.records.clone(),
        board: args.board,
        interrupted: false,
    };
    client.run(&events)
}

/// `NAME=VALUE` pairs.
fn options(texts: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let pair = |text: &String| {
        let (name, value) = text
            .split_once('=')
            .ok_or_else(|| Failure::usage(format!("--option takes NAME=VALUE, not {text:?}")))?;
        Ok((name.to_owned(), value.to_owned()))
    };
    texts.iter().map(pair).collect()
}

struct Client {
    session: Session,
    mind: Box<dyn Mind>,
    time: Arc<dyn TimeSource>,
    sender: Sender<Event>,
    address: Address,
    link: Option<Link>,
    /// Counts connections, so that the last words of an old one are known as such.
    generation: u32,
    attempts: u32,
    retries: u32,
    /// When to connect again.
    reconnect: Option<Moment>,
    log: Log,
    records: Option<PathBuf>,
    board: bool,
    interrupted: bool,
}

/// Whether to go on.
enum Flow {
    On,
    End(Farewell),
}

impl Client {
    fn run(mut self, events: &Receiver<Event>) -> Outcome {
        self.connect()?;
        loop {
            let now = self.time.now();
            let due = self.session.next_wake().into_iter().chain(self.reconnect).min();
            let wait = due.map_or(Duration::from_secs(60), |at| at.saturating_sub(now));
            let event = events.recv_timeout(wait);
            let now = self.time.now();
            let actions = match event {
                Ok(Event::Link(generation, event)) if generation == self.generation => {
                    self.link_event(event, now)?
                }
                Ok(Event::Mind(thought)) => self.session.thought(thought, now),
                Ok(Event::Interrupt) => {
                    if self.interrupted || self.session.play().is_none() {
                        self.say("interrupted")?;
                        return Ok(());
                    }
                    self.interrupted = true;
                    self.say("interrupted: leaving after this game; again to leave at once")?;
                    Vec::new()
                }
                Ok(Event::Link(..) | Event::Typed(_)) | Err(RecvTimeoutError::Timeout) => {
                    Vec::new()
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            if let Flow::End(farewell) = self.perform(actions)? {
                return end(farewell);
            }
            let now = self.time.now();
            let actions = self.session.wake(now);
            if let Flow::End(farewell) = self.perform(actions)? {
                return end(farewell);
            }
            if self.reconnect.is_some_and(|at| now >= at) {
                self.connect()?;
            }
            if self.interrupted && self.session.play().is_none() {
                return Ok(());
            }
        }
    }

    fn connect(&mut self) -> Outcome {
        self.reconnect = None;
        self.generation += 1;
        let generation = self.generation;
        let link = Link::open(
            self.address.clone(),
            Arc::clone(&self.time),
            self.sender.clone(),
            move |event| Event::Link(generation, event),
        )?;
        self.link = Some(link);
        Ok(())
    }

    fn link_event(&mut self, event: LinkEvent, now: Moment) -> Result<Vec<Action>, Failure> {
        match event {
            LinkEvent::Connected => Ok(self.session.connected(now)),
            LinkEvent::Line(line, at) => {
                self.log.write('<', &line);
                // What we did meanwhile is not the network's delay, and our turn began then.
                let actions = self.session.line(&line, at);
                if self.session.is_in() {
                    self.attempts = 0;
                }
                Ok(actions)
            }
            LinkEvent::Closed(why) => self.hung_up(why, now),
        }
    }

    /// The connection is gone: it is made again after a while.
    fn hung_up(&mut self, why: String, now: Moment) -> Result<Vec<Action>, Failure> {
        self.link = None;
        let actions = self.session.disconnected();
        if self.session.is_leaving() {
            return Ok(vec![Action::Close(Farewell::Done)]);
        }
        self.attempts += 1;
        if self.retries > 0 && self.attempts > self.retries {
            return Err(Failure::failed(why));
        }
        let wait = WAITS[(self.attempts as usize - 1).min(WAITS.len() - 1)];
        self.say(&format!("{why}; connecting again in {wait} s"))?;
        self.reconnect = Some(now + Duration::from_secs(wait));
        Ok(actions)
    }

    fn perform(&mut self, actions: Vec<Action>) -> Result<Flow, Failure> {
        for action in actions {
            match action {
                Action::Send(line) => {
                    let shown = if line.starts_with("LOGIN ") { "LOGIN … …" } else { &line };
                    self.log.write('>', shown);
                    if let Some(link) = &self.link {
                        link.send(&line);
                    }
                }
                Action::Prepare(game) => self.mind.prepare(game),
                Action::Think(question) => self.mind.think(*question),
                Action::PonderHit(clocks) => self.mind.ponderhit(clocks),
                Action::Stop => self.mind.stop(),
                Action::Restart(game) => self.mind.restart(game),
                Action::GameOver(result) => self.mind.game_over(result),
                Action::Note(text) => self.say(&text)?,
                Action::Show => self.show()?,
                Action::Save(game) => {
                    if let Some(folder) = &self.records {
                        match keep::save(folder, &game) {
                            Ok(path) => self.say(&format!("record: {}", path.display()))?,
                            Err(error) => {
                                self.say(&format!("the record could not be kept: {error}"))?;
                            }
                        }
                    }
                }
                Action::HangUp(why) => {
                    // What the old connection still says is not heard any more.
                    self.generation += 1;
                    let actions = self.hung_up(why, self.time.now())?;
                    if let Flow::End(farewell) = self.perform(actions)? {
                        return Ok(Flow::End(farewell));
                    }
                }
                Action::Close(farewell) => return Ok(Flow::End(farewell)),
            }
        }
        Ok(Flow::On)
    }

    fn say(&mut self, text: &str) -> Outcome {
        let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.log.write('#', &clean);
        writeln!(std::io::stdout().lock(), "{clean}")?;
        Ok(())
    }

    fn show(&mut self) -> Outcome {
        let Some(play) = self.session.play() else { return Ok(()) };
        let text = standing(play, self.board);
        let mut out = std::io::stdout().lock();
        writeln!(out, "{text}")?;
        Ok(())
    }
}

/// Where a game stands: the last move, the clocks, the board where it is wanted.
fn standing(play: &session::Play, with_board: bool) -> String {
    let left = |color| ::csa::times::seconds_text(play.budget.remaining(color));
    let moves = play.position.moves_played();
    let game = play.position.game();
    let last = moves.last().map_or_else(|| "start".to_owned(), |m| m.usi(game));
    let clocks = format!("Black {} s, White {} s", left(Color::Black), left(Color::White));
    let line = format!("{:>3} {last:<6} {clocks}", moves.len());
    if with_board { format!("{line}\n{}", kifu::diagram(&play.position)) } else { line }
}

fn end(farewell: Farewell) -> Outcome {
    match farewell {
        Farewell::Done => Ok(()),
        Farewell::Refused => Err(Failure::failed("the server refused the name or the password")),
    }
}
