//! A child on another machine, offered by `nue cluster child`: lines over TCP, encrypted or on this
//! machine.
//!
//! Who connects says `nue-cluster 1 TOKEN`; the answer is `welcome`, or `refused` with the reason. From
//! then on both sides speak USI.

use engines::lines::{LineEvent, LineLink, LineSink, WAITING};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader,
};
use tokio::net::TcpStream;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use transport::TlsClient;

/// What the first line begins with.
pub(crate) const GREETING: &str = "nue-cluster 1";

/// The answer to a token that is known.
pub(crate) const WELCOME: &str = "welcome";

/// How long a connection, and the answer to the first line, may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Longest line that is read.
const LONGEST_LINE: u64 = 1 << 20;

/// Where to connect.
pub(crate) struct Remote {
    pub(crate) address: String,
    pub(crate) token: String,
    pub(crate) ca: Option<PathBuf>,
}

/// A connection, encrypted or not.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

/// The link. The connection ends when it is dropped.
pub(crate) struct SocketLink {
    lines: Sender<String>,
    thread: JoinHandle<()>,
}

/// Connects, on a thread of its own.
pub(crate) fn connect(remote: Remote, sink: &LineSink) -> io::Result<SocketLink> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (lines, waiting) = channel(WAITING);
    let sink = Arc::clone(sink);
    let work = move || {
        let why = match runtime.block_on(converse(&remote, &sink, waiting)) {
            Ok(()) => format!("{} closed the connection", remote.address),
            Err(error) => format!("{}: {error}", remote.address),
        };
        sink(LineEvent::Ended(why));
    };
    let thread = thread::Builder::new().name("child socket".to_owned()).spawn(work)?;
    Ok(SocketLink { lines, thread })
}

async fn converse(remote: &Remote, sink: &LineSink, waiting: Receiver<String>) -> io::Result<()> {
    let timeout = |_| io::Error::new(io::ErrorKind::TimedOut, "no answer within 10 s");
    let stream = tokio::time::timeout(PATIENCE, open(remote)).await.map_err(timeout)??;
    let (reading, mut writing) = tokio::io::split(stream);
    let mut reading = BufReader::new(reading);
    writing.write_all(format!("{GREETING} {}\n", remote.token).as_bytes()).await?;
    writing.flush().await?;
    let first =
        tokio::time::timeout(PATIENCE, next_line(&mut reading)).await.map_err(timeout)??;
    match first.as_deref() {
        Some(WELCOME) => sink(LineEvent::Started),
        Some(other) => return Err(io::Error::other(think::quote(other))),
        None => return Ok(()),
    }
    let read = async {
        while let Some(line) = next_line(&mut reading).await? {
            sink(LineEvent::Line(line));
        }
        Ok(())
    };
    // Whichever ends first ends the conversation.
    tokio::select! {
        ended = read => ended,
        ended = write_lines(writing, waiting) => ended,
    }
}

async fn open(remote: &Remote) -> io::Result<Box<dyn Stream>> {
    let stream = TcpStream::connect(&remote.address).await?;
    transport::prepare(&stream);
    let Some(ca) = &remote.ca else { return Ok(Box::new(stream)) };
    let tls = TlsClient::new(ca).map_err(io::Error::other)?;
    let host = remote.address.rsplit_once(':').map_or(remote.address.as_str(), |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    Ok(Box::new(tls.connect(host, stream).await?))
}

/// Writes lines until nobody has any more.
pub(crate) async fn write_lines(
    mut writing: impl AsyncWrite + Unpin,
    mut waiting: Receiver<String>,
) -> io::Result<()> {
    while let Some(line) = waiting.recv().await {
        writing.write_all(format!("{line}\n").as_bytes()).await?;
        writing.flush().await?;
    }
    Ok(())
}

/// The next line; `None` at the end.
pub(crate) async fn next_line(
    reading: &mut (impl AsyncBufRead + Unpin),
) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let count = reading.take(LONGEST_LINE).read_until(b'\n', &mut line).await?;
    if count as u64 == LONGEST_LINE && line.last() != Some(&b'\n') {
        return Err(io::Error::other("a line of more than 1 MiB"));
    }
    Ok((count > 0).then(|| String::from_utf8_lossy(line.trim_ascii_end()).into_owned()))
}

impl LineLink for SocketLink {
    fn send(&mut self, line: &str) -> bool {
        self.lines.try_send(line.to_owned()).is_ok()
    }

    fn is_gone(&mut self) -> bool {
        self.thread.is_finished()
    }
}
