//! Sockets: bytes in, lines to the hall; lines from the hall, bytes out.

use super::arrivals::Arrivals;
use super::hall::{Input, ServerClock};
use ::csa::Splitter;
use ::server::lobby::ConnId;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::timeout;

/// Messages that may wait for a client to read them.
const QUEUE: usize = 128;

/// How long a client may take to read what was written.
const DEAF: Duration = Duration::from_secs(20);

/// Bytes written together.
const TOGETHER: usize = 16 << 10;

/// Bytes read together.
const CHUNK: usize = 1 << 10;

/// How long an idle connection lies before the operating system asks whether anybody is there.
const KEEP_ALIVE: Duration = Duration::from_secs(60);

/// What every connection needs.
#[derive(Clone)]
pub(super) struct Reception {
    pub(super) inputs: mpsc::Sender<Input>,
    pub(super) clock: ServerClock,
    /// Kept by the thread of these connections, where it also does other things.
    pub(super) arrivals: Option<Arc<Arrivals>>,
    pub(super) ids: Arc<AtomicU64>,
    /// One clone for every connection, beside the first: so long some have something to write.
    pub(super) open: Arc<()>,
}

/// Accepts connections until the hall has closed.
pub(super) async fn listen(
    listener: TcpListener,
    reception: Reception,
    tls: Option<super::tls::Acceptor>,
) {
    loop {
        let Ok((stream, address)) = listener.accept().await else {
            // Out of file descriptors, most likely: somebody has to leave first.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        if reception.inputs.is_closed() {
            return;
        }
        prepare(&stream);
        let reception = reception.clone();
        let tls = tls.clone();
        let peer = address.ip().to_string();
        tokio::spawn(async move {
            match tls {
                None => converse(stream, peer, reception).await,
                Some(tls) => {
                    if let Some(stream) = tls.accept(stream).await {
                        converse(stream, peer, reception).await;
                    }
                }
            }
        });
    }
}

fn prepare(stream: &TcpStream) {
    // Neither is needed to play; both only make it better.
    let _ = stream.set_nodelay(true);
    let keep_alive = socket2::TcpKeepalive::new().with_time(KEEP_ALIVE);
    let _ = socket2::SockRef::from(stream).set_tcp_keepalive(&keep_alive);
}

async fn converse<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    peer: String,
    reception: Reception,
) {
    let id = ConnId(reception.ids.fetch_add(1, Ordering::Relaxed));
    let _open = Arc::clone(&reception.open);
    let (out, mut messages) = mpsc::channel(QUEUE);
    if reception.inputs.send(Input::Connected { id, peer, out }).await.is_err() {
        return;
    }
    let mut splitter = Splitter::default();
    let mut buffer = [0; CHUNK];
    loop {
        tokio::select! {
            biased;
            message = messages.recv() => {
                let Some(message) = message else { break };
                if write(&mut stream, &message, &mut messages).await.is_err() {
                    break;
                }
            }
            read = stream.read(&mut buffer) => {
                let count = match read {
                    Ok(0) | Err(_) => break,
                    Ok(count) => count,
                };
                let now = reception.clock.now();
                let at = reception.arrivals.as_ref().map_or(now, |a| a.of_line(now));
                splitter.feed(&buffer[..count]);
                while let Some(line) = splitter.next_line() {
                    if reception.inputs.send(Input::Line { id, line, at }).await.is_err() {
                        break;
                    }
                }
            }
        }
    }
    let _ = timeout(DEAF, stream.shutdown()).await;
    let _ = reception.inputs.send(Input::Gone(id)).await;
}

/// Writes a message and what else waits.
async fn write<S: AsyncWrite + Unpin>(
    stream: &mut S,
    first: &Arc<str>,
    messages: &mut mpsc::Receiver<Arc<str>>,
) -> Result<(), ()> {
    let mut bytes = Vec::new();
    let mut single = first.as_bytes();
    if let Ok(next) = messages.try_recv() {
        bytes.extend_from_slice(single);
        bytes.extend_from_slice(next.as_bytes());
        while bytes.len() < TOGETHER
            && let Ok(next) = messages.try_recv()
        {
            bytes.extend_from_slice(next.as_bytes());
        }
        single = &bytes;
    }
    let written = timeout(DEAF, async {
        stream.write_all(single).await?;
        stream.flush().await
    });
    match written.await {
        Ok(Ok(())) => Ok(()),
        _ => Err(()),
    }
}
