//! Sockets: bytes in, lines to the server loop; lines from the server loop, bytes out.

use crate::arrival_times::ArrivalTimes;
use crate::server_loop::{Input, ServerClock};
use csa::Splitter;
use server::lobby::ConnId;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::time::timeout;
use transport::TlsServer;

/// Messages that may wait for a client to read them.
const QUEUE: usize = 128;

/// How long a client may take to read what was written.
const WRITE_TIMEOUT: Duration = Duration::from_secs(20);

/// Bytes written together.
const WRITE_CHUNK: usize = 16 << 10;

/// Bytes read together.
const READ_CHUNK: usize = 1 << 10;

/// Accepts connections, and has what each of them needs.
#[derive(Clone)]
pub(crate) struct Acceptor {
    pub(crate) inputs: mpsc::Sender<Input>,
    pub(crate) clock: ServerClock,
    /// Kept by the thread of these connections, where it also does other things.
    pub(crate) arrival_times: Option<Arc<ArrivalTimes>>,
    pub(crate) ids: Arc<AtomicU64>,
    /// One clone for every connection, beside the first: so long some have something to write.
    pub(crate) open: Arc<()>,
}

/// Accepts connections until the server loop has ended.
pub(crate) async fn listen(listener: TcpListener, acceptor: Acceptor, tls: Option<TlsServer>) {
    loop {
        let Ok((stream, address)) = listener.accept().await else {
            // Out of file descriptors, most likely: somebody has to leave first.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        if acceptor.inputs.is_closed() {
            return;
        }
        transport::prepare(&stream);
        let acceptor = acceptor.clone();
        let tls = tls.clone();
        let peer = address.ip().to_string();
        tokio::spawn(async move {
            match tls {
                None => converse(stream, peer, acceptor).await,
                Some(tls) => {
                    if let Some(stream) = tls.accept(stream).await {
                        converse(stream, peer, acceptor).await;
                    }
                }
            }
        });
    }
}

async fn converse<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    peer: String,
    acceptor: Acceptor,
) {
    let id = ConnId(acceptor.ids.fetch_add(1, Ordering::Relaxed));
    let _open = Arc::clone(&acceptor.open);
    let (out, mut messages) = mpsc::channel(QUEUE);
    if acceptor.inputs.send(Input::Connected { id, peer, out }).await.is_err() {
        return;
    }
    let mut splitter = Splitter::default();
    let mut buffer = [0; READ_CHUNK];
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
                let now = acceptor.clock.now();
                let at = acceptor.arrival_times.as_ref().map_or(now, |a| a.of_line(now));
                splitter.feed(&buffer[..count]);
                while let Some(line) = splitter.next_line() {
                    if acceptor.inputs.send(Input::Line { id, line, at }).await.is_err() {
                        break;
                    }
                }
            }
        }
    }
    let _ = timeout(WRITE_TIMEOUT, stream.shutdown()).await;
    let _ = acceptor.inputs.send(Input::Gone(id)).await;
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
        while bytes.len() < WRITE_CHUNK
            && let Ok(next) = messages.try_recv()
        {
            bytes.extend_from_slice(next.as_bytes());
        }
        single = &bytes;
    }
    let written = timeout(WRITE_TIMEOUT, async {
        stream.write_all(single).await?;
        stream.flush().await
    });
    match written.await {
        Ok(Ok(())) => Ok(()),
        _ => Err(()),
    }
}
