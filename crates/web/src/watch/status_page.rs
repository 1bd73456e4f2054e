//! Asking the status page of a server over HTTP.

use std::fmt;
use std::time::Duration;
use ureq::Agent;
use ureq::http::Uri;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// Largest answer that is read.
const LARGEST: u64 = 16 << 20;

/// A status page.
#[derive(Clone, Debug)]
pub(super) struct StatusPage {
    /// `HOST:PORT`
    host: String,
    agent: Agent,
}

impl StatusPage {
    /// The page at `http://HOST[:PORT]`; what follows the host is left out.
    pub(super) fn new(url: &str) -> Result<Self, String> {
        let wrong = || format!("{url:?}: expected http://HOST:PORT");
        let uri: Uri = url.parse().map_err(|_| wrong())?;
        if uri.scheme_str() != Some("http") {
            return Err(wrong());
        }
        let host = uri.host().filter(|host| !host.is_empty()).ok_or_else(wrong)?;
        let host = format!("{host}:{}", uri.port_u16().unwrap_or(80));
        let config = Agent::config_builder().timeout_global(Some(PATIENCE)).max_redirects(0);
        Ok(Self { host, agent: config.build().into() })
    }

    /// The body of the answer.
    pub(super) fn get(&self, path: &str) -> Result<Vec<u8>, String> {
        let failed = |e: ureq::Error| format!("{self}{path}: {e}");
        let mut answer = self.agent.get(format!("{self}{path}")).call().map_err(failed)?;
        answer.body_mut().with_config().limit(LARGEST).read_to_vec().map_err(failed)
    }
}

impl fmt::Display for StatusPage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}", self.host)
    }
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
    use std::io::{Read, Write};
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
            let host = StatusPage::new(text).ok().map(|page| page.host);
            assert_eq!(host.as_deref(), want, "{text}");
        }
        assert_eq!(encoded("a+b/c 鵺"), "a%2Bb%2Fc%20%E9%B5%BA");
    }

    #[test]
    fn a_page_is_asked() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let page = StatusPage::new(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        let serving = std::thread::spawn(move || {
            for answer in ["HTTP/1.1 200 OK\r\nX: y\r\n\r\n[1]", "HTTP/1.1 404 No\r\n\r\nx", "junk"]
            {
                let (mut stream, _) = listener.accept().unwrap();
                let mut request = [0; 1024];
                assert!(stream.read(&mut request).unwrap() > 0);
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        assert_eq!(page.get("/a"), Ok(b"[1]".to_vec()));
        assert!(page.get("/b").is_err() && page.get("/c").is_err());
        serving.join().unwrap();
        assert!(page.get("/d").is_err(), "nobody is there any more");
    }
}
