//! A connection with bounds: whoever sends half a request and no more, or opens many, keeps nobody
//! else out.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::{Instant, Sleep};

/// How long a connection may go without an answer.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// From being accepted to the first answer: a request must have come whole by then.
    pub first: Duration,
    /// Between two answers; `None` where everything must be over within the first time.
    pub between: Option<Duration>,
}

/// A connection as its listener knows it. Dropped, it closes the connection.
#[derive(Debug)]
pub struct Place {
    answered: Arc<AtomicU64>,
    end: oneshot::Sender<()>,
}

impl Place {
    /// Whether the connection is still there.
    pub fn is_open(&self) -> bool {
        !self.end.is_closed()
    }

    /// When it was last answered, in milliseconds since the listener began; 0 for never.
    pub fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }
}

/// A connection that fails when it has not been answered for too long, or its place is needed.
#[derive(Debug)]
pub struct BoundedStream {
    stream: TcpStream,
    late: Pin<Box<Sleep>>,
    between: Option<Duration>,
    begun: Instant,
    answered: Arc<AtomicU64>,
    /// `None` once it has said so.
    ended: Option<oneshot::Receiver<()>>,
}

impl BoundedStream {
    /// A connection that was just accepted by a listener that began then, and its place.
    pub fn new(stream: TcpStream, patience: Patience, begun: Instant) -> (Self, Place) {
        let (end, ended) = oneshot::channel();
        let answered = Arc::new(AtomicU64::new(0));
        let place = Place { answered: Arc::clone(&answered), end };
        let late = Box::pin(tokio::time::sleep(patience.first));
        let between = patience.between;
        (Self { stream, late, between, begun, answered, ended: Some(ended) }, place)
    }

    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(ended) = &mut self.ended
            && Pin::new(ended).poll(context).is_pending()
        {
            ready!(self.late.as_mut().poll(context));
        }
        self.ended = None;
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }

    /// Something has been sent.
    fn has_answered(&mut self) {
        let now = Instant::now();
        let since = u64::try_from(now.duration_since(self.begun).as_millis()).unwrap_or(u64::MAX);
        self.answered.store(since.max(1), Ordering::Relaxed);
        if let Some(between) = self.between {
            self.late.as_mut().reset(now + between);
        }
    }
}

impl AsyncRead for BoundedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
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
    ) -> Poll<io::Result<usize>> {
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

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    const FIRST: Duration = Duration::from_millis(300);
    const LONG: Duration = Duration::from_secs(600);

    /// Both ends of a connection, and its place.
    async fn connected(between: Option<Duration>) -> (BoundedStream, TcpStream, Place) {
        connected_for(FIRST, between).await
    }

    async fn connected_for(
        first: Duration,
        between: Option<Duration>,
    ) -> (BoundedStream, TcpStream, Place) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let other = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let patience = Patience { first, between };
        let (stream, place) = BoundedStream::new(stream, patience, Instant::now());
        (stream, other, place)
    }

    fn run(test: impl Future<Output = ()>) {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test);
    }

    /// Reading fails, and again: whoever looks twice is told twice.
    async fn has_ended(stream: &mut BoundedStream) {
        for _ in 0..2 {
            let error = stream.read_u8().await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        }
    }

    #[test]
    fn silence_ends_it_and_so_does_a_byte_now_and_then() {
        run(async {
            let (mut silent, _other, place) = connected(None).await;
            has_ended(&mut silent).await;
            assert!(!place.is_open() && place.answered() == 0);
            let (mut slow, mut other, _place) = connected(None).await;
            let begun = Instant::now();
            let dribble = async {
                while other.write_all(b"x").await.is_ok() && begun.elapsed() < LONG {
                    tokio::time::sleep(FIRST / 10).await;
                }
            };
            let read = async {
                while slow.read_u8().await.is_ok() {}
                assert!(begun.elapsed() < LONG / 2, "{:?}", begun.elapsed());
                drop(slow);
            };
            tokio::join!(dribble, read);
        });
    }

    #[test]
    fn a_place_that_is_needed_is_given_up() {
        run(async {
            let (mut stream, _other, place) = connected_for(LONG, None).await;
            assert!(place.is_open());
            drop(place);
            let begun = Instant::now();
            has_ended(&mut stream).await;
            assert!(begun.elapsed() < LONG);
        });
    }

    #[test]
    fn who_is_answered_stays_where_that_counts() {
        run(async {
            let (mut stream, mut other, place) = connected(Some(3 * FIRST)).await;
            stream.write_all(b"answer").await.unwrap();
            assert!(place.answered() > 0);
            tokio::time::sleep(2 * FIRST).await;
            other.write_all(b"y").await.unwrap();
            assert_eq!(stream.read_u8().await.unwrap(), b'y');
            // Where it does not, the first time is all there is.
            let (mut stream, mut other, _place) = connected(None).await;
            stream.write_all(b"answer").await.unwrap();
            tokio::time::sleep(2 * FIRST).await;
            other.write_all(b"y").await.unwrap();
            has_ended(&mut stream).await;
        });
    }
}
