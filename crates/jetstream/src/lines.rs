//! A conversation in lines through the broker: an engine that somebody offers, and who speaks with it.
//!
//! Whoever offers `NAME` answers calls on `PREFIX.engine.NAME`. A call names a conversation; its lines go by
//! `PREFIX.engine.NAME.in.ID` and `….out.ID`, numbered, with a beat every two seconds that says how many
//! there were. The broker promises nothing about such messages: a line that is missing, or a silence, ends
//! the conversation, and whoever wants to go on calls again.

use crate::link::Link;
use crate::options::{Options, StartError};
use async_nats::{Client, Message, Subscriber};
use futures_util::StreamExt;
use std::future::Future;
use std::io;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::time::{Instant, interval_at, timeout};

/// What a call begins with.
const GREETING: &str = "nue-engine 1";

/// The answer to a call that is taken.
const WELCOME: &str = "welcome";

/// How often either side says that it is still there.
const BEAT: Duration = Duration::from_secs(2);

/// How long nothing may be heard.
const SILENCE: Duration = Duration::from_secs(8);

/// How long a call may take to be answered.
const ANSWER: Duration = Duration::from_secs(10);

/// Lines that may wait to be sent.
const WAITING: usize = 4096;

/// What who calls hears.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CallEvent {
    /// The engine listens.
    Welcome,
    /// It said a line.
    Line(String),
    /// It is over, and why; the last that is heard.
    Ended(String),
}

/// A conversation that was called for. Dropped, it ends.
pub struct Conversation {
    lines: Sender<String>,
    thread: JoinHandle<()>,
}

impl Conversation {
    /// Says a line; `false` if nobody takes any more.
    pub fn send(&self, line: &str) -> bool {
        self.lines.try_send(line.to_owned()).is_ok()
    }

    /// Whether it has ended.
    pub fn is_over(&self) -> bool {
        self.thread.is_finished()
    }
}

/// An engine that somebody has called. Dropped, it ends.
pub trait Engine: Send {
    /// Is told a line; `false` if it takes no more.
    fn send(&mut self, line: &str) -> bool;
}

/// Where an engine's lines go. It may hold up whoever calls it.
pub type LineOutput = Box<dyn Fn(String) + Send + Sync>;

/// Starts an engine that says its lines there. When it ends, it lets go of them.
pub type Start = dyn Fn(LineOutput) -> io::Result<Box<dyn Engine>> + Send + Sync;

/// Whether an engine can be called so: a word of a subject.
pub fn is_engine_name(name: &str) -> bool {
    let plain = |c: u8| c.is_ascii_alphanumeric() || c == b'-' || c == b'_';
    (1..=64).contains(&name.len()) && name.bytes().all(plain)
}

fn subject(prefix: &str, engine: &str) -> String {
    format!("{prefix}.engine.{engine}")
}

/// Calls an engine, on a thread of its own; what comes of it is heard there.
pub fn call(
    options: &Options,
    engine: &str,
    heard: impl Fn(CallEvent) + Send + Sync + 'static,
) -> io::Result<Conversation> {
    let (lines, waiting) = channel(WAITING);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (options, engine) = (options.clone(), engine.to_owned());
    let work = move || {
        let ended = runtime.block_on(converse(&options, &engine, &heard, waiting));
        heard(CallEvent::Ended(ended.unwrap_or_else(|why| why)));
    };
    let thread = thread::Builder::new().name("engine by broker".to_owned()).spawn(work)?;
    Ok(Conversation { lines, thread })
}

async fn converse(
    options: &Options,
    engine: &str,
    heard: &(dyn Fn(CallEvent) + Send + Sync),
    waiting: Receiver<String>,
) -> Result<String, String> {
    let link = Link::connect(options).await.map_err(|error| error.to_string())?;
    let client = &link.client;
    let calls = subject(&link.prefix, engine);
    let inbox = client.new_inbox();
    let id = inbox.rsplit('.').next().unwrap_or_default();
    let failed = |error: &dyn std::fmt::Display| format!("{calls}: {error}");
    let from = client.subscribe(format!("{calls}.out.{id}")).await.map_err(|e| failed(&e))?;
    let call = client.request(calls.clone(), format!("{GREETING} {id}").into());
    let answer = timeout(ANSWER, call).await.map_err(|_| failed(&"no answer within 10 s"))?;
    let answer = answer.map_err(|_| failed(&"nobody offers that engine at this broker"))?;
    let text = String::from_utf8_lossy(&answer.payload).into_owned();
    if text != WELCOME {
        return Err(failed(&text));
    }
    heard(CallEvent::Welcome);
    let hear = |line| {
        heard(CallEvent::Line(line));
        std::future::ready(true)
    };
    let spoken = speak(client, format!("{calls}.in.{id}"), waiting);
    let why = tokio::select! {
        why = listen(from, hear) => why,
        ended = spoken => ended.map_or_else(|e| failed(&e), |()| "hung up".to_owned()),
    };
    // Whatever of the end is still to be sent; a broker that is gone takes nothing.
    let _ = timeout(BEAT, client.flush()).await;
    Ok(why)
}

/// Sends lines as they come, with their numbers, and beats between; returns when there are no more.
async fn speak(client: &Client, to: String, mut waiting: Receiver<String>) -> Result<(), String> {
    let mut sent: u64 = 0;
    let mut beats = interval_at(Instant::now() + BEAT, BEAT);
    loop {
        let payload = tokio::select! {
            line = waiting.recv() => match line {
                Some(line) => {
                    sent += 1;
                    format!("L{sent} {line}")
                }
                None => break,
            },
            _ = beats.tick() => format!("B{sent}"),
        };
        client.publish(to.clone(), payload.into()).await.map_err(|e| e.to_string())?;
        if waiting.is_empty() {
            client.flush().await.map_err(|e| e.to_string())?;
        }
    }
    client.publish(to, "E".into()).await.map_err(|e| e.to_string())?;
    client.flush().await.map_err(|e| e.to_string())
}

/// Hears lines until something ends it: what.
async fn listen<F: Future<Output = bool>>(
    mut from: Subscriber,
    hear: impl Fn(String) -> F,
) -> String {
    let mut received: u64 = 0;
    loop {
        let message: Message = match timeout(SILENCE, from.next()).await {
            Ok(Some(message)) => message,
            Ok(None) => return "the connection to the broker was closed".to_owned(),
            Err(_) => return format!("nothing heard for {} s", SILENCE.as_secs()),
        };
        let text = String::from_utf8_lossy(&message.payload);
        match read(&text, received) {
            Part::Line(line) => {
                received += 1;
                if !hear(line.to_owned()).await {
                    return "does not read what it is told".to_owned();
                }
            }
            Part::Beat => {}
            Part::End => return "hung up".to_owned(),
            Part::Missing => return "lines were lost on their way".to_owned(),
        }
    }
}

/// What a message is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Part<'a> {
    Line(&'a str),
    Beat,
    End,
    /// Something before it did not arrive, or it is none of ours.
    Missing,
}

/// Reads a message after that many lines.
fn read(text: &str, received: u64) -> Part<'_> {
    if text == "E" {
        return Part::End;
    }
    if let Some(rest) = text.strip_prefix('L')
        && let Some((number, line)) = rest.split_once(' ')
        && number.parse() == Ok(received + 1)
    {
        return Part::Line(line);
    }
    match text.strip_prefix('B').map(str::parse::<u64>) {
        Some(Ok(number)) if number == received => Part::Beat,
        _ => Part::Missing,
    }
}

/// Offers an engine until the process ends or `over` does: one conversation at a time, a new one starts it anew.
/// `told` hears who came and went.
pub fn offer_until(
    options: &Options,
    engine: &str,
    start: Arc<Start>,
    over: impl Future<Output = ()>,
    told: &mut dyn FnMut(&str),
) -> Result<(), StartError> {
    if !is_engine_name(engine) {
        return Err(StartError::Name { name: engine.to_owned() });
    }
    let runtime = crate::joined::runtime()?;
    runtime.block_on(async {
        tokio::select! {
            ended = take_calls(options, engine, start, told) => ended,
            () = over => Ok(()),
        }
    })
}

async fn take_calls(
    options: &Options,
    engine: &str,
    start: Arc<Start>,
    told: &mut dyn FnMut(&str),
) -> Result<(), StartError> {
    let link = Link::connect(options).await?;
    let calls = subject(&link.prefix, engine);
    let failed = |reason: String| StartError::Connect { url: options.url.clone(), reason };
    // Several that offer the same share the calls.
    let group = "engines".to_owned();
    let mut called = link.client.queue_subscribe(calls.clone(), group).await;
    let called = called.as_mut().map_err(|e| failed(e.to_string()))?;
    told(&format!("offering {calls} at {}", options.url));
    let place = Arc::new(Semaphore::new(1));
    let (notes, mut ended) = channel::<String>(64);
    loop {
        let message = tokio::select! {
            message = called.next() => match message {
                Some(message) => message,
                None => return Err(failed("the broker closed the connection".to_owned())),
            },
            Some(note) = ended.recv() => {
                told(&note);
                continue;
            }
        };
        let (client, calls, start) = (link.client.clone(), calls.clone(), Arc::clone(&start));
        let (place, notes) = (Arc::clone(&place), notes.clone());
        tokio::spawn(async move {
            if let Some(note) = serve(&client, &calls, &message, &*start, &place).await {
                // A note that finds no room is not worth waiting for.
                let _ = notes.try_send(note);
            }
        });
    }
}

/// One call from its beginning to its end; what is to be told of it.
async fn serve(
    client: &Client,
    calls: &str,
    message: &Message,
    start: &Start,
    place: &Semaphore,
) -> Option<String> {
    let reply = message.reply.clone()?;
    let refuse = async |why: String| {
        // Who called waits for no answer longer than it likes.
        let _ = client.publish(reply.clone(), format!("refused: {why}").into()).await;
        Some(format!("refused: {why}"))
    };
    let text = String::from_utf8_lossy(&message.payload).into_owned();
    let id = text.strip_prefix(GREETING).map(str::trim).unwrap_or_default();
    if !is_engine_name(id) {
        return refuse(format!("{:?} does not ask for an engine", think::quote(&text))).await;
    }
    let Ok(_place) = place.try_acquire() else {
        return refuse("the engine is in use".to_owned()).await;
    };
    let from = match client.subscribe(format!("{calls}.in.{id}")).await {
        Ok(from) => from,
        Err(error) => return refuse(error.to_string()).await,
    };
    let (lines, waiting) = channel::<String>(WAITING);
    let output: LineOutput = Box::new(move |line| {
        // Blocks an engine that says more than the broker takes; nobody listens at the end.
        let _ = lines.blocking_send(line);
    });
    let engine = match start(output) {
        Ok(engine) => engine,
        Err(error) => return refuse(error.to_string()).await,
    };
    let engine = tokio::sync::Mutex::new(engine);
    client.publish(reply, WELCOME.into()).await.ok()?;
    client.flush().await.ok()?;
    let hear = async |line: String| engine.lock().await.send(&line);
    let why = tokio::select! {
        why = listen(from, hear) => why,
        ended = speak(client, format!("{calls}.out.{id}"), waiting) => {
            ended.map_or_else(|error| error, |()| "the engine ended".to_owned())
        }
    };
    let _ = client.publish(format!("{calls}.out.{id}"), "E".into()).await;
    // Ending a process may take a moment.
    let _ = tokio::task::spawn_blocking(move || drop(engine)).await;
    Some(format!("conversation {id}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_counted_and_what_is_missing_is_noticed() {
        assert_eq!(read("L1 usi", 0), Part::Line("usi"));
        assert_eq!(read("L2 ", 1), Part::Line(""));
        assert_eq!(read("L3 isready", 1), Part::Missing, "the second is missing");
        assert_eq!(read("L1 usi", 1), Part::Missing, "the same twice");
        assert_eq!(read("B7", 7), Part::Beat);
        assert_eq!(read("B8", 7), Part::Missing);
        assert_eq!(read("E", 7), Part::End);
        for text in ["", "L", "L1", "Lx usi", "B", "usi", "E1"] {
            assert_eq!(read(text, 0), Part::Missing, "{text:?}");
        }
    }

    #[test]
    fn names_are_words_of_a_subject() {
        for (name, fits) in [("gpu-1", true), ("a_b", true), ("", false), ("a.b", false)] {
            assert_eq!(is_engine_name(name), fits, "{name:?}");
        }
        assert!(!is_engine_name("a b") && !is_engine_name("*") && !is_engine_name(&"x".repeat(65)));
    }
}
