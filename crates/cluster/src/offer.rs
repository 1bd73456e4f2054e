//! `nue cluster child`: an engine of this machine for a master elsewhere.
//!
//! One connection at a time has the engine; a new one starts it anew. A connection without the
//! token learns nothing but that.

use crate::config::check::is_this_machine;
use crate::links::read_token;
use crate::links::socket::{GREETING, PATIENCE, Stream, WELCOME, next_line, write_lines};
use engines::lines::{LineEvent, LineLink, LineSink, WAITING, start_inside, start_program};
use engines::{EngineFactory, ProgramCommand};
use jetstream::lines as broker;
use rules::Game;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use think::TimeSource;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::channel;
use transport::TlsServer;

/// What is offered, where and to whom.
pub struct OfferSettings {
    pub place: Place,
    pub engine: Offered,
}

/// Where an engine is offered.
pub enum Place {
    /// At a socket of this machine.
    Socket {
        /// `address:port`; port 0 for any that is free.
        listen: String,
        token_file: PathBuf,
        /// Certificate and key in PEM; needed unless only this machine can connect.
        tls: Option<(PathBuf, PathBuf)>,
    },
    /// At the broker of a fleet, under that name.
    Broker(Broker),
}

impl Place {
    /// The broker if one is named, else a socket.
    pub fn chosen(
        broker: Option<Broker>,
        listen: String,
        token_file: Option<PathBuf>,
        tls: Option<(PathBuf, PathBuf)>,
    ) -> Self {
        let token_file = token_file.unwrap_or_default();
        broker.map_or(Self::Socket { listen, token_file, tls }, Self::Broker)
    }
}

/// An engine at a broker.
pub struct Broker {
    /// `nats://host:4222`, `tls://host:4222`
    pub url: String,
    /// What the engine is called.
    pub name: String,
    /// The first word of the fleet's subjects.
    pub prefix: String,
    /// The file with the nkey to log in with.
    pub nkey: Option<PathBuf>,
    /// The certificates that are trusted.
    pub ca: Option<PathBuf>,
}

impl Broker {
    fn options(&self) -> jetstream::Options {
        jetstream::Options {
            prefix: self.prefix.clone(),
            nkey: self.nkey.clone(),
            ca: self.ca.clone(),
            name: self.name.clone(),
            ..jetstream::Options::new(&self.url)
        }
    }
}

/// The engine that is offered.
pub struct Offered {
    /// The program; an engine of this process if none.
    pub program: Option<ProgramCommand>,
    pub game: Game,
    pub factory: Arc<EngineFactory>,
    pub time: Arc<dyn TimeSource>,
}

impl Offered {
    fn start(&self, sink: &LineSink) -> io::Result<Box<dyn LineLink>> {
        match &self.program {
            Some(command) => start_program(command, sink),
            None => start_inside(self.game, &self.factory, &self.time, sink),
        }
    }
}

/// An engine whose lines go through a broker.
struct ByBroker(Box<dyn LineLink>);

impl broker::Engine for ByBroker {
    fn send(&mut self, line: &str) -> bool {
        self.0.send(line)
    }
}

/// Where the lines of an engine go.
fn saying(say: impl Fn(String) + Send + Sync + 'static) -> LineSink {
    Arc::new(move |event| {
        if let LineEvent::Line(line) = event {
            say(line);
        }
    })
}

/// What everybody who connects shares.
struct Offer {
    engine: Offered,
    token: String,
    tls: Option<TlsServer>,
    place: Semaphore,
}

/// Offers the engine until the process ends. `told` hears where it can be reached and who came.
pub fn offer(settings: OfferSettings, told: &mut dyn FnMut(&str)) -> io::Result<()> {
    let engine = settings.engine;
    let (listen, token_file, tls) = match settings.place {
        Place::Socket { listen, token_file, tls } => (listen, token_file, tls),
        Place::Broker(place) => {
            let options = place.options();
            let start: Arc<broker::Start> =
                Arc::new(move |say| Ok(Box::new(ByBroker(engine.start(&saying(say))?))));
            let over = std::future::pending();
            let ended = broker::offer_until(&options, &place.name, start, over, told);
            return ended.map_err(io::Error::other);
        }
    };
    let host = listen.rsplit_once(':').map_or("", |(host, _)| host);
    if tls.is_none() && !is_this_machine(host) {
        let what = format!(
            "{listen} can be reached from other machines: give --certificate and --key, or listen on 127.0.0.1"
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let token = read_token(&token_file)?;
    let tls = match &tls {
        Some((certificate, key)) => {
            Some(TlsServer::new(certificate, key).map_err(io::Error::other)?)
        }
        None => None,
    };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let offer = Arc::new(Offer { engine, token, tls, place: Semaphore::new(1) });
    runtime.block_on(accept(&offer, &listen, told))
}

async fn accept(offer: &Arc<Offer>, listen: &str, told: &mut dyn FnMut(&str)) -> io::Result<()> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{listen}: {error}"));
    let listener = TcpListener::bind(listen).await.map_err(named)?;
    told(&format!("listening on {}", listener.local_addr()?));
    let (ended, mut notes) = channel::<String>(64);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(note) = notes.recv() => {
                told(&note);
                continue;
            }
        };
        let Ok((stream, address)) = accepted else {
            // Too many open files, most likely: they close again.
            tokio::time::sleep(std::time::Duration::from_millis(100)).await;
            continue;
        };
        transport::prepare(&stream);
        let (offer, ended) = (Arc::clone(offer), ended.clone());
        tokio::spawn(async move {
            if let Some(note) = serve(&offer, stream, address).await {
                // A note that finds no room is not worth waiting for.
                let _ = ended.try_send(format!("{address}: {note}"));
            }
        });
    }
}

/// One connection from its beginning to its end; what is to be told of it.
async fn serve(offer: &Offer, stream: TcpStream, address: SocketAddr) -> Option<String> {
    let stream: Box<dyn Stream> = match &offer.tls {
        Some(tls) => Box::new(tls.accept(stream).await?),
        None => Box::new(stream),
    };
    let (reading, mut writing) = tokio::io::split(stream);
    let mut reading = BufReader::with_capacity(1 << 10, reading);
    let first = tokio::time::timeout(PATIENCE, next_line(&mut reading)).await.ok()?.ok()??;
    let token = first.strip_prefix(GREETING).map(str::trim).unwrap_or_default();
    if !is_equal(token, &offer.token) {
        let _ = writing.write_all(b"refused: wrong token\n").await;
        return Some("refused: wrong token".to_owned());
    }
    let Ok(_place) = offer.place.try_acquire() else {
        let _ = writing.write_all(b"refused: the engine is in use\n").await;
        return Some("refused: the engine is in use".to_owned());
    };
    let (lines, waiting) = channel::<String>(WAITING);
    let sink = saying(move |line| {
        // Blocks a child that says more than the line takes; nobody listens at the end.
        let _ = lines.blocking_send(line);
    });
    let mut link = match offer.engine.start(&sink) {
        Ok(link) => link,
        Err(error) => {
            let _ = writing.write_all(format!("refused: {error}\n").as_bytes()).await;
            return Some(error.to_string());
        }
    };
    // From here on only the link has it: when the engine ends, so does the connection.
    drop(sink);
    writing.write_all(format!("{WELCOME}\n").as_bytes()).await.ok()?;
    writing.flush().await.ok()?;
    let read = async {
        while let Ok(Some(line)) = next_line(&mut reading).await {
            if !link.send(&line) {
                return "the engine does not read what it is told";
            }
        }
        "ended"
    };
    let end = tokio::select! {
        end = read => end,
        _ = write_lines(writing, waiting) => "the engine ended",
    };
    // Ending a process may take a moment.
    let _ = tokio::task::spawn_blocking(move || drop(link)).await;
    Some(format!("{end} ({})", address.ip()))
}

/// Whether two secrets are the same, in a time that does not tell where they differ.
fn is_equal(a: &str, b: &str) -> bool {
    let differ = a.bytes().zip(b.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b));
    a.len() == b.len() && differ == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_compared_whole() {
        assert!(is_equal("secret-1", "secret-1"));
        for other in ["", "secret-2", "secret-", "secret-11"] {
            assert!(!is_equal("secret-1", other));
        }
    }
}
