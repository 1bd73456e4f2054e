//! Sockets as servers and clients use them: prepared for play, encrypted or not, with bounds.
//!
//! Deliberately absent: what is said on them, and threads.

mod bounded;
mod signals;
mod tls;

pub use bounded::{BoundedStream, Patience, Place};
pub use signals::Termination;
pub use tls::{CertificateError, TlsClient, TlsServer};

use std::net::TcpListener;
use std::time::Duration;
use tokio::net::TcpStream;

/// How long an idle connection lies before the operating system asks whether anybody is there.
const KEEP_ALIVE: Duration = Duration::from_secs(60);

/// Connections that may wait to be accepted, as far as the system allows so many.
const BACKLOG: i32 = 1024;

/// Lets many connect at once: a listener of the standard library has them wait 128 at most, and
/// lets others try again after a second and more.
pub fn widen(listener: &TcpListener) -> std::io::Result<()> {
    socket2::SockRef::from(listener).listen(BACKLOG)
}

/// Lines go out at once, and a peer that vanished is noticed. Neither is needed to play; both only
/// make it better.
pub fn prepare(stream: &TcpStream) {
    let _ = stream.set_nodelay(true);
    let keep_alive = socket2::TcpKeepalive::new().with_time(KEEP_ALIVE);
    let _ = socket2::SockRef::from(stream).set_tcp_keepalive(&keep_alive);
}
