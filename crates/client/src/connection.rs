//! The connection to a server: lines out, lines in, each with its time.

use csa::{Received, Splitter};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;
use think::{Moment, TimeSource};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::time::timeout;
use transport::TlsClient;

/// How long connecting may take, and writing a line.
const PATIENCE: Duration = Duration::from_secs(20);

/// Longest line of a server.
const LONGEST_LINE: usize = 16 << 10;

/// What happens on a connection.
#[derive(Debug)]
pub(crate) enum ConnectionEvent {
    Connected,
    /// A line, and when it was read.
    Line(String, Moment),
    /// Gone, and why.
    Closed(String),
}

/// Where to connect.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) tls: Option<TlsClient>,
}

/// A connection, made and kept by a thread of its own; dropped, it closes.
pub(crate) struct Connection {
    lines: mpsc::UnboundedSender<String>,
}

impl Connection {
    /// Begins to connect; what comes of it is told as events, marked with the number given.
    pub(crate) fn open<T: Send + 'static>(
        address: Address,
        time: Arc<dyn TimeSource>,
        events: Sender<T>,
        wrap: impl Fn(ConnectionEvent) -> T + Send + 'static,
    ) -> std::io::Result<Self> {
        let (lines, queue) = mpsc::unbounded_channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new().name("connection".to_owned()).spawn(move || {
            let say = |event| events.send(wrap(event)).is_ok();
            let why = runtime.block_on(connect(&address, queue, &*time, &say));
            say(ConnectionEvent::Closed(why));
        })?;
        Ok(Self { lines })
    }

    /// Sends a line.
    pub(crate) fn send(&self, line: &str) {
        // A connection that is gone has said so.
        let _ = self.lines.send(format!("{line}\n"));
    }
}

async fn connect(
    address: &Address,
    queue: mpsc::UnboundedReceiver<String>,
    time: &dyn TimeSource,
    say: &dyn Fn(ConnectionEvent) -> bool,
) -> String {
    let target = (address.host.as_str(), address.port);
    let stream = match timeout(PATIENCE, TcpStream::connect(target)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => {
            return format!("cannot connect to {}:{}: {error}", address.host, address.port);
        }
        Err(_) => return format!("{}:{} does not answer", address.host, address.port),
    };
    transport::prepare(&stream);
    match &address.tls {
        None => converse(stream, queue, time, say).await,
        Some(trust) => match timeout(PATIENCE, trust.connect(&address.host, stream)).await {
            Ok(Ok(stream)) => converse(stream, queue, time, say).await,
            Ok(Err(error)) => format!("the TLS handshake failed: {error}"),
            Err(_) => "the TLS handshake timed out".to_owned(),
        },
    }
}

async fn converse<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    mut queue: mpsc::UnboundedReceiver<String>,
    time: &dyn TimeSource,
    say: &dyn Fn(ConnectionEvent) -> bool,
) -> String {
    if !say(ConnectionEvent::Connected) {
        return String::new();
    }
    let mut splitter = Splitter::new(LONGEST_LINE);
    let mut buffer = [0; 4096];
    loop {
        tokio::select! {
            biased;
            line = queue.recv() => {
                let Some(line) = line else {
                    let _ = timeout(PATIENCE, stream.shutdown()).await;
                    return "closed".to_owned();
                };
                let written = timeout(PATIENCE, async {
                    stream.write_all(line.as_bytes()).await?;
                    stream.flush().await
                });
                match written.await {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => return error.to_string(),
                    Err(_) => return "the server stopped reading".to_owned(),
                }
            }
            read = stream.read(&mut buffer) => match read {
                Ok(0) => return "the server closed the connection".to_owned(),
                Err(error) => return error.to_string(),
                Ok(count) => {
                    let at = time.now();
                    splitter.feed(&buffer[..count]);
                    while let Some(received) = splitter.next_line() {
                        let line = match received {
                            Received::Line(line) | Received::NotText(line) => line,
                            Received::TooLong(_) => continue,
                        };
                        if !say(ConnectionEvent::Line(line, at)) {
                            return String::new();
                        }
                    }
                }
            }
        }
    }
}
