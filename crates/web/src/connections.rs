//! Connections with bounds: whoever opens many, or sends half a request and no more, keeps nobody
//! else out.
//!
//! What counts is what is answered. A connection that has got no answer for too long is closed, and so
//! is, where there are too many, the one that has waited longest for its answer. A socket in use is
//! pinged often enough to be safe from both.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::time::Instant;
use transport::{BoundedStream, Patience, Place};

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

    /// Which of the open connections, given by address and when each was last answered, must go for
    /// another of this address.
    fn in_the_way(
        &self,
        open: impl ExactSizeIterator<Item = (IpAddr, u64)> + Clone,
        address: IpAddr,
    ) -> Option<usize> {
        let own = open.clone().filter(|(of, _)| *of == address).count();
        let crowded = !address.is_loopback() && own >= self.per_address;
        if !crowded && open.len() < self.at_once {
            return None;
        }
        let concerned = open.enumerate().filter(|(_, (of, _))| !crowded || *of == address);
        concerned.min_by_key(|(_, (_, answered))| *answered).map(|(at, _)| at)
    }
}

/// A listener whose connections keep to their bounds.
pub(crate) struct BoundedListener {
    listener: TcpListener,
    bounds: Bounds,
    begun: Instant,
    /// The oldest first.
    open: Vec<(IpAddr, Place)>,
}

impl BoundedListener {
    pub(crate) fn new(listener: TcpListener, bounds: Bounds) -> Self {
        Self { listener, bounds, begun: Instant::now(), open: Vec::new() }
    }

    /// Closes a connection if there is one too many for another of this address.
    fn make_room(&mut self, address: IpAddr) {
        self.open.retain(|(_, place)| place.is_open());
        let open = self.open.iter().map(|(of, place)| (*of, place.answered()));
        if let Some(at) = self.bounds.in_the_way(open, address) {
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
                let Bounds { first, between, .. } = self.bounds;
                let patience = Patience { first, between: Some(between) };
                let (stream, place) = BoundedStream::new(stream, patience, self.begun);
                self.open.push((address.ip(), place));
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
        let mut open = Vec::new();
        let mut arrive = |address: &str, answered: u64| {
            let address: IpAddr = address.parse().unwrap();
            if let Some(at) = BOUNDS.in_the_way(open.iter().copied(), address) {
                open.remove(at);
            }
            open.push((address, answered));
            open.clone()
        };
        arrive("10.0.0.2", 0);
        let told = [5, 0, 7, 9, 3, 0].map(|answered| arrive("10.0.0.1", answered));
        // The one never answered went first, then the one answered longest ago.
        let own = [5, 7, 9, 0].map(|answered| ("10.0.0.1".parse().unwrap(), answered));
        let mut expected = vec![("10.0.0.2".parse().unwrap(), 0)];
        expected.extend(own);
        assert_eq!(told[5], expected);
        // All together there are no more than the bound, from this computer too.
        let told = [0; 20].map(|answered| arrive("127.0.0.1", answered));
        assert_eq!(told[19].len(), BOUNDS.at_once);
    }
}
