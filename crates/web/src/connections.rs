//! Connections with bounds: whoever opens many, or sends half a request and no more, keeps nobody
//! else out.
//!
//! What counts is what is answered. A connection that has got no answer for too long is closed, and so
//! is, where there are too many, the one that has waited longest for its answer. A socket in use is
//! pinged often enough to be safe from both.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep};

/// How many connections there are, and how long they may go without an answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// From being accepted to the first answer: a request must have come whole by then.
    pub(crate) first: Duration,
    /// Between two answers.
    pub(crate) between: Duration,
    /// Of all together; fewer than the files a process usually may have open.
    pub(crate) at_once: usize,
    /// Of one address. This computer has no such bound: it may stand for many, as a proxy does.
    pub(crate) per_address: usize,
}

impl Bounds {
    pub(crate) const USUAL: Self = Self {
        first: Duration::from_secs(30),
        between: Duration::from_secs(90),
        at_once: 800,
        per_address: 100,
    };
}

/// A connection that is open, as the listener knows it.
struct Place {
    address: IpAddr,
    /// When it was last answered, in milliseconds since the listener began; 0 for never.
    answered: Arc<AtomicU64>,
    /// Dropped, it closes the connection.
    end: oneshot::Sender<()>,
}

/// A listener whose connections keep to their bounds.
pub(crate) struct BoundedListener {
    listener: TcpListener,
    bounds: Bounds,
    begun: Instant,
    /// The oldest first.
    open: Vec<Place>,
}

impl BoundedListener {
    pub(crate) fn new(listener: TcpListener, bounds: Bounds) -> Self {
        Self { listener, bounds, begun: Instant::now(), open: Vec::new() }
    }

    /// Closes a connection if there is one too many for another of this address.
    fn make_room(&mut self, address: IpAddr) {
        self.open.retain(|place| !place.end.is_closed());
        let own = self.open.iter().filter(|place| place.address == address).count();
        let crowded = !address.is_loopback() && own >= self.bounds.per_address;
        if !crowded && self.open.len() < self.bounds.at_once {
            return;
        }
        let answered = |place: &Place| place.answered.load(Ordering::Relaxed);
        let concerned = |place: &Place| !crowded || place.address == address;
        let places = self.open.iter().enumerate().filter(|(_, place)| concerned(place));
        let longest = places.min_by_key(|(_, place)| answered(place)).map(|(at, _)| at);
        if let Some(at) = longest {
            self.open.remove(at);
        }
    }
}

impl axum::serve::Listener for BoundedListener {
    type Io = BoundedStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            if let Ok((stream, address)) = self.listener.accept().await {
                // A small message waits for nothing: forty milliseconds otherwise, by the rules of
                // TCP.
                let _ = stream.set_nodelay(true);
                self.make_room(address.ip());
                let (end, ended) = oneshot::channel();
                let answered = Arc::new(AtomicU64::new(0));
                let place = Place { address: address.ip(), answered: Arc::clone(&answered), end };
                self.open.push(place);
                let stream = BoundedStream {
                    stream,
                    late: Box::pin(tokio::time::sleep(self.bounds.first)),
                    between: self.bounds.between,
                    begun: self.begun,
                    answered,
                    ended: Some(ended),
                };
                return (stream, address);
            }
            // Out of file descriptors, most likely: somebody has to leave first.
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

/// A connection that fails when it has not been answered for too long, or its place is needed.
pub(crate) struct BoundedStream {
    stream: TcpStream,
    late: Pin<Box<Sleep>>,
    between: Duration,
    begun: Instant,
    answered: Arc<AtomicU64>,
    /// `None` once it has said so.
    ended: Option<oneshot::Receiver<()>>,
}

impl BoundedStream {
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        if let Some(ended) = &mut self.ended
            && Pin::new(ended).poll(context).is_pending()
        {
            ready!(self.late.as_mut().poll(context));
        }
        self.ended = None;
        Poll::Ready(Err(std::io::ErrorKind::TimedOut.into()))
    }

    /// Something has been sent.
    fn has_answered(&mut self) {
        let now = Instant::now();
        let since = u64::try_from(now.duration_since(self.begun).as_millis()).unwrap_or(u64::MAX);
        self.answered.store(since.max(1), Ordering::Relaxed);
        self.late.as_mut().reset(now + self.between);
    }
}

impl AsyncRead for BoundedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        // Also while bytes come: one a second is no request either.
        if let Poll::Ready(end) = self.poll_end(context) {
            return Poll::Ready(end);
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for BoundedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Pending => self.poll_end(context).map_ok(|()| 0),
            Poll::Ready(sent) => {
                if sent.is_ok() {
                    self.has_answered();
                }
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

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;
    use axum::routing::get;
    use std::io::{Read, Write};
    use std::net::TcpStream;

    const BOUNDS: Bounds = Bounds {
        first: Duration::from_millis(400),
        between: Duration::from_millis(1500),
        at_once: 8,
        per_address: 4,
    };

    /// A server with these bounds, and its address.
    fn start(bounds: Bounds) -> (tokio::runtime::Runtime, SocketAddr) {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/", get("ok\n"));
        let listener = BoundedListener::new(listener, bounds);
        runtime.spawn(async { axum::serve(listener, router).await });
        (runtime, address)
    }

    fn connect(address: SocketAddr) -> TcpStream {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        stream
    }

    /// Asks and reads the answer; whether there was one.
    fn ask(stream: &mut TcpStream) -> bool {
        let asked = stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n");
        let mut answer = Vec::new();
        let mut buffer = [0; 512];
        while asked.is_ok() && !answer.ends_with(b"ok\n") {
            match stream.read(&mut buffer) {
                Ok(0) | Err(_) => break,
                Ok(count) => answer.extend_from_slice(&buffer[..count]),
            }
        }
        answer.ends_with(b"ok\n")
    }

    #[test]
    fn half_a_request_and_bytes_that_drip_are_closed() {
        let (_runtime, address) = start(BOUNDS);
        let begun = std::time::Instant::now();
        let mut half = connect(address);
        half.write_all(b"GET / HTTP/1.1\r\nHos").unwrap();
        let mut dripping = connect(address);
        while dripping.write_all(b"G").is_ok() && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(begun.elapsed() < Duration::from_secs(15), "it was closed though bytes came");
        let mut rest = Vec::new();
        let _ = half.read_to_end(&mut rest);
        assert!(!rest.ends_with(b"ok\n"), "{rest:?}");
    }

    #[test]
    fn many_silent_connections_keep_nobody_out_and_nobody_who_is_answered() {
        let bounds = Bounds { first: Duration::from_secs(600), ..BOUNDS };
        let bounds = Bounds { between: Duration::from_secs(600), ..bounds };
        let (_runtime, address) = start(bounds);
        let mut used = connect(address);
        assert!(ask(&mut used));
        let silent: Vec<TcpStream> = (0..100).map(|_| connect(address)).collect();
        assert!(ask(&mut connect(address)), "somebody new is answered");
        assert!(ask(&mut used), "and who was answered before has kept its connection");
        drop(silent);
    }

    #[test]
    fn who_is_answered_now_and_then_stays() {
        let (_runtime, address) = start(BOUNDS);
        let mut used = connect(address);
        for _ in 0..5 {
            assert!(ask(&mut used));
            // Longer than the first answer may take, all together longer than anything.
            std::thread::sleep(Duration::from_millis(500));
        }
    }

    #[test]
    fn an_address_takes_places_from_itself_alone() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let mut listener = BoundedListener::new(listener, BOUNDS);
        let mut kept = Vec::new();
        let mut arrive = |listener: &mut BoundedListener, address: &str, answered: u64| {
            let address: IpAddr = address.parse().unwrap();
            listener.make_room(address);
            let (end, ended) = oneshot::channel();
            kept.push(ended);
            let answered = Arc::new(AtomicU64::new(answered));
            listener.open.push(Place { address, answered, end });
        };
        arrive(&mut listener, "10.0.0.2", 0);
        for answered in [5, 0, 7, 9, 3, 0] {
            arrive(&mut listener, "10.0.0.1", answered);
        }
        let of = |listener: &BoundedListener| -> Vec<(String, u64)> {
            let told =
                |place: &Place| (place.address.to_string(), place.answered.load(Ordering::Relaxed));
            listener.open.iter().map(told).collect()
        };
        // The one never answered went first, then the one answered longest ago.
        let own = [5, 7, 9, 0].map(|answered| ("10.0.0.1".to_owned(), answered));
        let mut expected = vec![("10.0.0.2".to_owned(), 0)];
        expected.extend(own);
        assert_eq!(of(&listener), expected);
        // All together there are no more than the bound, from this computer too.
        for _ in 0..20 {
            arrive(&mut listener, "127.0.0.1", 0);
        }
        assert_eq!(listener.open.len(), BOUNDS.at_once);
    }
}
