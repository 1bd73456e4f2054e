//! `nue cluster child`: an engine of this machine for a master elsewhere.
//!
//! One connection at a time has the engine; a new one starts it anew. A connection without the
//! token learns nothing but that.

use crate::config::check::is_this_machine;
use crate::event::{Event, Life};
use crate::links::socket::{GREETING, PATIENCE, Stream, WELCOME, next_line, write_lines};
use crate::links::{Link, Sink, Surroundings, WAITING, read_token, start_inside, start_program};
use engines::{EngineFactory, ProgramCommand};
use rules::Game;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use think::TimeSource;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::channel;
use transport::TlsServer;

/// What is offered, where and to whom.
pub struct OfferSettings {
    /// `address:port`; port 0 for any that is free.
    pub listen: String,
    pub token_file: PathBuf,
    /// Certificate and key in PEM; needed unless only this machine can connect.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// The program to offer; an engine of this process if none.
    pub program: Option<ProgramCommand>,
    pub game: Game,
    pub factory: Arc<EngineFactory>,
    pub time: Arc<dyn TimeSource>,
}

/// What everybody who connects shares.
struct Offer {
    settings: OfferSettings,
    token: String,
    tls: Option<TlsServer>,
    engine: Semaphore,
    lives: AtomicU32,
}

/// Offers the engine until the process ends. `told` hears where it listens and who came.
pub fn offer(settings: OfferSettings, told: &mut dyn FnMut(&str)) -> io::Result<()> {
    let host = settings.listen.rsplit_once(':').map_or("", |(host, _)| host);
    if settings.tls.is_none() && !is_this_machine(host) {
        let what = format!(
            "{} can be reached from other machines: give --certificate and --key, or listen on 127.0.0.1",
            settings.listen
        );
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    let token = read_token(&settings.token_file)?;
    let tls = match &settings.tls {
        Some((certificate, key)) => {
            Some(TlsServer::new(certificate, key).map_err(io::Error::other)?)
        }
        None => None,
    };
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let (engine, lives) = (Semaphore::new(1), AtomicU32::new(0));
    let offer = Arc::new(Offer { settings, token, tls, engine, lives });
    runtime.block_on(accept(&offer, told))
}

async fn accept(offer: &Arc<Offer>, told: &mut dyn FnMut(&str)) -> io::Result<()> {
    let listen = &offer.settings.listen;
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
    let Ok(_place) = offer.engine.try_acquire() else {
        let _ = writing.write_all(b"refused: the engine is in use\n").await;
        return Some("refused: the engine is in use".to_owned());
    };
    let life = Life { child: 0, number: offer.lives.fetch_add(1, Ordering::Relaxed) };
    let (lines, waiting) = channel::<String>(WAITING);
    let sink: Sink = Arc::new(move |event| {
        if let Event::Line(_, line) = event {
            // Blocks a child that says more than the line takes; nobody listens at the end.
            let _ = lines.blocking_send(line);
        }
    });
    let mut link = match start(offer, life, &sink) {
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

fn start(offer: &Offer, life: Life, sink: &Sink) -> io::Result<Box<dyn Link>> {
    let settings = &offer.settings;
    match &settings.program {
        Some(command) => Ok(Box::new(start_program(command, life, sink)?)),
        None => {
            let around = Surroundings {
                folder: PathBuf::new(),
                factory: Arc::clone(&settings.factory),
                time: Arc::clone(&settings.time),
            };
            Ok(Box::new(start_inside(settings.game, life, &around, sink)?))
        }
    }
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
