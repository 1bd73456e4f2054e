//! Asking a status page over plain HTTP: one request, one answer, the connection closed.

use std::fmt;
use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// Largest answer that is read.
const LARGEST: u64 = 16 << 20;

/// Where a status page is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Address {
    host: String,
}

impl Address {
    /// Reads `http://HOST[:PORT]`.
    pub(super) fn read(url: &str) -> Result<Self, String> {
        let wrong = || format!("{url:?}: expected http://HOST:PORT");
        let rest = url.strip_prefix("http://").ok_or_else(wrong)?;
        let host = rest.split('/').next().unwrap_or_default();
        let fine = |c: char| c.is_ascii_alphanumeric() || "-.:[]_".contains(c);
        if host.is_empty() || !host.chars().all(fine) {
            return Err(wrong());
        }
        let named = host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
        let host = if named { host.to_owned() } else { format!("{host}:80") };
        Ok(Self { host })
    }

    /// The body of the answer.
    pub(super) fn get(&self, path: &str) -> Result<Vec<u8>, String> {
        let failed = |e: std::io::Error| format!("{self}{path}: {e}");
        let mut last = format!("{self} cannot be found");
        for address in self.host.to_socket_addrs().map_err(failed)? {
            match TcpStream::connect_timeout(&address, PATIENCE) {
                Ok(stream) => {
                    let bytes = self.ask(stream, path).map_err(failed)?;
                    return body(&bytes).ok_or_else(|| format!("{self}{path}: not found"));
                }
                Err(error) => last = failed(error),
            }
        }
        Err(last)
    }

    fn ask(&self, mut stream: TcpStream, path: &str) -> std::io::Result<Vec<u8>> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let host = &self.host;
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes())?;
        let mut bytes = Vec::new();
        stream.take(LARGEST).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}", self.host)
    }
}

/// The body of a good answer.
fn body(answer: &[u8]) -> Option<Vec<u8>> {
    let end = answer.windows(4).position(|w| w == b"\r\n\r\n")?;
    let head = String::from_utf8_lossy(&answer[..end]);
    let status = head.split_ascii_whitespace().nth(1)?;
    (status == "200").then(|| answer[end + 4..].to_vec())
}

/// A text as a part of an address.
pub(super) fn encoded(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte as char);
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn addresses() {
        for (text, want) in [
            ("http://localhost:4082", Some("localhost:4082")),
            ("http://localhost:4082/status.json", Some("localhost:4082")),
            ("http://example.org", Some("example.org:80")),
            ("http://[::1]:99", Some("[::1]:99")),
            ("https://example.org", None),
            ("http://", None),
            ("http://a b", None),
            ("http://a\r\nX: y", None),
        ] {
            let read = Address::read(text).ok().map(|a| a.host);
            assert_eq!(read.as_deref(), want, "{text}");
        }
        assert_eq!(encoded("a+b/c 鵺"), "a%2Bb%2Fc%20%E9%B5%BA");
    }

    #[test]
    fn a_page_is_asked() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address::read(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        let serving = std::thread::spawn(move || {
            for answer in ["HTTP/1.1 200 OK\r\nX: y\r\n\r\n[1]", "HTTP/1.1 404 No\r\n\r\nx", "junk"]
            {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = [0; 1024];
                assert!(stream.read(&mut request).unwrap() > 0);
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        assert_eq!(address.get("/a"), Ok(b"[1]".to_vec()));
        assert!(address.get("/b").is_err() && address.get("/c").is_err());
        serving.join().unwrap();
        assert!(address.get("/d").is_err(), "nobody is there any more");
    }
}
