//! Connections, encrypted, with bounds: whoever opens many, or sends half a request and no more, keeps
//! nobody else out.

use crate::limits::Limits;
use crate::refusals::{Reason, Refusal, Refusals};
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::{Instant, Sleep};
use transport::TlsServer;

/// Bytes read that count as progress: fewer, and a request trickles.
const PROGRESS: u64 = 64 << 10;

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<T: AsyncRead + AsyncWrite + Unpin + Send> Stream for T {}

type Open = Arc<Mutex<HashMap<IpAddr, usize>>>;

/// A place among the connections of an address, given back when it is dropped.
struct Place {
    open: Open,
    address: IpAddr,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.address);
            }
        }
    }
}

/// Ready connections, in the order in which their handshakes end.
pub(crate) struct Listener {
    ready: mpsc::Receiver<(Bounded, SocketAddr)>,
    address: SocketAddr,
}

impl Listener {
    pub(crate) fn new(
        listener: TcpListener,
        tls: Option<TlsServer>,
        limits: &Limits,
        refusals: Arc<Refusals>,
    ) -> std::io::Result<Self> {
        let address = listener.local_addr()?;
        let (send, ready) = mpsc::channel(64);
        let open = Open::default();
        tokio::spawn(accept(listener, tls, limits.clone(), refusals, send, open));
        Ok(Self { ready, address })
    }
}

async fn accept(
    listener: TcpListener,
    tls: Option<TlsServer>,
    limits: Limits,
    refusals: Arc<Refusals>,
    send: mpsc::Sender<(Bounded, SocketAddr)>,
    open: Open,
) {
    loop {
        let Ok((stream, address)) = listener.accept().await else {
            // Out of file descriptors, most likely: somebody has to leave first.
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let Some(place) = place(&open, address.ip(), &limits) else {
            let (worker, reason) = (None, Reason::Connections);
            let said = "a connection beyond the limit".to_owned();
            refusals.note(&Refusal { worker, address: address.ip(), reason, said });
            continue;
        };
        transport::prepare(&stream);
        let (tls, ready, idle) = (tls.clone(), send.clone(), limits.idle);
        tokio::spawn(async move {
            if let Some(stream) = encrypted(tls, stream).await {
                let _ = ready.send((Bounded::new(stream, idle, place), address)).await;
            }
        });
        if send.is_closed() {
            return;
        }
    }
}

async fn encrypted(tls: Option<TlsServer>, stream: TcpStream) -> Option<Box<dyn Stream>> {
    match tls {
        None => Some(Box::new(stream)),
        Some(tls) => Some(Box::new(tls.accept(stream).await?)),
    }
}

fn place(open: &Open, address: IpAddr, limits: &Limits) -> Option<Place> {
    let mut counts = open.lock().unwrap_or_else(PoisonError::into_inner);
    let own = counts.get(&address).copied().unwrap_or(0);
    // This machine may stand for many, as a proxy does.
    let crowded = !address.is_loopback() && own >= limits.connections_per_address;
    if crowded || counts.values().sum::<usize>() >= limits.connections {
        return None;
    }
    *counts.entry(address).or_default() += 1;
    Some(Place { open: Arc::clone(open), address })
}

impl axum::serve::Listener for Listener {
    type Io = Bounded;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        match self.ready.recv().await {
            Some(ready) => ready,
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        Ok(self.address)
    }
}

/// A connection that fails when nothing has come of it for too long.
pub(crate) struct Bounded {
    stream: Box<dyn Stream>,
    idle: Duration,
    late: Pin<Box<Sleep>>,
    read: u64,
    _place: Place,
}

impl Bounded {
    fn new(stream: Box<dyn Stream>, idle: Duration, place: Place) -> Self {
        let late = Box::pin(tokio::time::sleep(idle));
        Self { stream, idle, late, read: 0, _place: place }
    }

    fn progressed(&mut self) {
        self.read = 0;
        self.late.as_mut().reset(Instant::now() + self.idle);
    }

    fn is_late(&mut self, context: &mut Context<'_>) -> bool {
        self.late.as_mut().poll(context).is_ready()
    }
}

fn late() -> std::io::Error {
    std::io::ErrorKind::TimedOut.into()
}

impl AsyncRead for Bounded {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        if self.is_late(context) {
            return Poll::Ready(Err(late()));
        }
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.stream).poll_read(context, buffer);
        self.read += (buffer.filled().len() - before) as u64;
        if self.read >= PROGRESS {
            self.progressed();
        }
        polled
    }
}

impl AsyncWrite for Bounded {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Pending if self.is_late(context) => Poll::Ready(Err(late())),
            Poll::Pending => Poll::Pending,
            Poll::Ready(sent) => {
                self.progressed();
                Poll::Ready(sent)
            }
        }
    }

    fn poll_flush(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
