//! Games on a server: the session performed with a socket, an engine and a clock.

use crate::connection::{Address, Connection, ConnectionEvent};
use crate::error::Error;
use crate::inputs::{Event, Events};
use crate::player::SessionEngine;
use crate::records::{self, ConversationLog};
use crate::session::{Action, Goodbye, Session, SessionSettings};
use crate::{EngineSettings, Report, Reporter};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;
use think::Moment;

/// Waits before connecting again, in seconds; the last is repeated.
const WAITS: [u64; 6] = [1, 2, 5, 10, 20, 30];

/// Where to play, and how.
#[derive(Clone, Debug)]
pub struct OnlineSettings {
    pub session: SessionSettings,
    pub engine: EngineSettings,
    pub host: String,
    pub port: u16,
    /// Connect encrypted, trusting the certificates in this file.
    pub certificates: Option<PathBuf>,
    /// How often to connect again after the connection was lost; no end if 0.
    pub retries: u32,
    /// Where records of games are kept.
    pub records: Option<PathBuf>,
    /// Where every line sent and received is kept.
    pub log: Option<PathBuf>,
}

/// Plays on a server until all games are played or the user has enough.
pub fn play_online(
    settings: OnlineSettings,
    events: &Events,
    report: Reporter<'_>,
) -> Result<(), Error> {
    let tls = settings.certificates.as_deref().map(transport::TlsClient::new).transpose()?;
    let client = OnlineClient {
        session: Session::new(settings.session),
        engine: SessionEngine::start(&settings.engine, events),
        events,
        report,
        address: Address { host: settings.host, port: settings.port, tls },
        connection: None,
        generation: 0,
        attempts: 0,
        retries: settings.retries,
        reconnect: None,
        log: ConversationLog::open(settings.log.as_deref())?,
        records: settings.records,
        interrupted: false,
    };
    client.run()
}

struct OnlineClient<'a> {
    session: Session,
    engine: SessionEngine,
    events: &'a Events,
    report: Reporter<'a>,
    address: Address,
    connection: Option<Connection>,
    /// Counts connections, so that the last lines of an old one are known as such.
    generation: u32,
    attempts: u32,
    retries: u32,
    /// When to connect again.
    reconnect: Option<Moment>,
    log: ConversationLog,
    records: Option<PathBuf>,
    interrupted: bool,
}

/// Whether to go on.
enum Flow {
    Continue,
    End(Goodbye),
}

impl OnlineClient<'_> {
    fn run(mut self) -> Result<(), Error> {
        self.connect()?;
        loop {
            let now = self.engine.now();
            let due = self.session.next_wake().into_iter().chain(self.reconnect).min();
            let wait = due.map_or(Duration::from_secs(60), |at| at.saturating_sub(now));
            let event = self.events.receive(wait);
            let now = self.engine.now();
            let actions = match event {
                Ok(Event::Connection(generation, event)) if generation == self.generation => {
                    self.connection_event(event, now)?
                }
                Ok(Event::Engine(event)) => self.session.engine(event, now),
                Ok(Event::Interrupt) => {
                    if self.interrupted || self.session.game().is_none() {
                        return self.say("interrupted");
                    }
                    self.interrupted = true;
                    self.say("interrupted: leaving after this game; again to leave at once")?;
                    Vec::new()
                }
                Ok(Event::Connection(..) | Event::Typed(_)) | Err(RecvTimeoutError::Timeout) => {
                    Vec::new()
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            };
            if let Flow::End(goodbye) = self.perform(actions)? {
                return end(goodbye);
            }
            let now = self.engine.now();
            let actions = self.session.wake(now);
            if let Flow::End(goodbye) = self.perform(actions)? {
                return end(goodbye);
            }
            if self.reconnect.is_some_and(|at| now >= at) {
                self.connect()?;
            }
            if self.interrupted && self.session.game().is_none() {
                return Ok(());
            }
        }
    }

    fn connect(&mut self) -> Result<(), Error> {
        self.reconnect = None;
        self.generation += 1;
        let generation = self.generation;
        let connection = Connection::open(
            self.address.clone(),
            Arc::clone(self.engine.time()),
            self.events.sender(),
            move |event| Event::Connection(generation, event),
        )?;
        self.connection = Some(connection);
        Ok(())
    }

    fn connection_event(
        &mut self,
        event: ConnectionEvent,
        now: Moment,
    ) -> Result<Vec<Action>, Error> {
        match event {
            ConnectionEvent::Connected => Ok(self.session.connected(now)),
            ConnectionEvent::Line(line, at) => {
                self.log.write('<', &line);
                // What we did meanwhile is not the network's delay, and our turn began then.
                let actions = self.session.line(&line, at);
                if self.session.is_in() {
                    self.attempts = 0;
                }
                Ok(actions)
            }
            ConnectionEvent::Closed(why) => self.disconnected(why, now),
        }
    }

    /// The connection is gone: it is made again after a while.
    fn disconnected(&mut self, why: String, now: Moment) -> Result<Vec<Action>, Error> {
        self.connection = None;
        let actions = self.session.disconnected();
        if self.session.is_leaving() {
            return Ok(vec![Action::Close(Goodbye::Done)]);
        }
        self.attempts += 1;
        if self.retries > 0 && self.attempts > self.retries {
            return Err(Error::Connection(why));
        }
        let wait = WAITS[(self.attempts as usize - 1).min(WAITS.len() - 1)];
        self.say(&format!("{why}; connecting again in {wait} s"))?;
        self.reconnect = Some(now + Duration::from_secs(wait));
        Ok(actions)
    }

    fn perform(&mut self, actions: Vec<Action>) -> Result<Flow, Error> {
        for action in actions {
            match action {
                Action::Send(line) => {
                    let shown = if line.starts_with("LOGIN ") { "LOGIN … …" } else { &line };
                    self.log.write('>', shown);
                    if let Some(connection) = &self.connection {
                        connection.send(&line);
                    }
                }
                Action::Note(text) => self.say(&text)?,
                Action::Show => {
                    if let Some(game) = self.session.game() {
                        (self.report)(Report::Game(game))?;
                    }
                }
                Action::Save(game) => {
                    if let Some(folder) = &self.records {
                        let text = match records::save(folder, &game) {
                            Ok(path) => format!("record: {}", path.display()),
                            Err(error) => format!("the record could not be written: {error}"),
                        };
                        self.say(&text)?;
                    }
                }
                Action::Reconnect(why) => {
                    // What the old connection still says is not heard any more.
                    self.generation += 1;
                    let actions = self.disconnected(why, self.engine.now())?;
                    if let Flow::End(goodbye) = self.perform(actions)? {
                        return Ok(Flow::End(goodbye));
                    }
                }
                Action::Close(goodbye) => return Ok(Flow::End(goodbye)),
                other => drop(self.engine.perform(other)),
            }
        }
        Ok(Flow::Continue)
    }

    fn say(&mut self, text: &str) -> Result<(), Error> {
        let clean: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.log.write('#', &clean);
        (self.report)(Report::Note(&clean))?;
        Ok(())
    }
}

fn end(goodbye: Goodbye) -> Result<(), Error> {
    match goodbye {
        Goodbye::Done => Ok(()),
        Goodbye::Refused => Err(Error::Refused),
    }
}
