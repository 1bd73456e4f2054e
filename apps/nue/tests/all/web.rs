//! The board's server as it is run: a process, its address, its end.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

struct Board {
    child: Child,
    address: String,
    token: Option<String>,
}

fn nue(data: &std::path::Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
    command.args(["web", "--no-open", "--threads", "1", "--hash", "16", "--data"]).arg(data);
    command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn start(data: &std::path::Path, arguments: &[&str]) -> Board {
    let mut child = nue(data, arguments).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let url = line.split("http://").nth(1).unwrap_or_else(|| panic!("{line:?}")).trim();
    let (address, rest) = url.split_once('/').unwrap();
    let token = rest.strip_prefix("?token=").map(str::to_owned);
    Board { child, address: address.replace("localhost", "127.0.0.1"), token }
}

impl Board {
    fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let host = &self.address;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").unwrap();
        let mut text = Vec::new();
        stream.read_to_end(&mut text).unwrap();
        String::from_utf8_lossy(&text).into_owned()
    }

    /// Asks it to end, and how it did.
    fn end(mut self) -> Option<i32> {
        let killed = Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(killed.success());
        self.child.wait().unwrap().code()
    }
}

#[test]
fn it_serves_until_it_is_told_to_end() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("games.db");
    let board = start(&data, &["--port", "0", "--watch-learn", "nowhere"]);
    assert!(board.token.is_none());
    assert!(board.get("/api/health").ends_with("ok\n"));
    let page = board.get("/");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("content-security-policy"), "{page}");
    let hello = board.get("/api/hello");
    assert!(hello.contains("\"threads\":1") && hello.contains("\"learn\":true"), "{hello}");

    // The same file, while it is in use.
    let second = nue(&data, &["--port", "0"]).output().unwrap();
    assert_eq!(second.status.code(), Some(1));
    let told = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(told.contains("another nue web") && told.contains("--data"), "{told}");
    assert_eq!(board.end(), Some(0));
    assert!(data.exists());
}

#[test]
fn elsewhere_it_asks_for_its_token() {
    let folder = tempfile::tempdir().unwrap();
    let board = start(&folder.path().join("games.db"), &["--port", "0", "--bind", "0.0.0.0"]);
    let token = board.token.clone().expect("a token in the address");
    assert!(token.len() >= 32);
    assert!(board.get("/api/hello").starts_with("HTTP/1.1 401"));
    assert!(board.get("/?token=wrong").starts_with("HTTP/1.1 401"));
    assert!(board.get(&format!("/?token={token}")).starts_with("HTTP/1.1 303"));
    assert_eq!(board.end(), Some(0));
}

#[test]
fn what_cannot_be_is_said_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("games.db");
    let busy = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = busy.local_addr().unwrap().port().to_string();
    for (arguments, code, words) in [
        (vec!["--port", port.as_str()], 1, "--port"),
        (vec!["--port", "0", "--engine", "x=/no/such/engine"], 1, "cannot be started"),
        (vec!["--port", "0", "--engine", "nothing"], 2, "NAME=COMMAND"),
        (vec!["--port", "0", "--watch-server", "ftp://x"], 2, "http://"),
        (vec!["--port", "0", "--bind", "nowhere"], 2, "--bind"),
        (vec!["--port", "0", "--threads", "0"], 2, "--threads"),
    ] {
        let output = nue(&data, &arguments).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
        assert!(told.contains(words), "{arguments:?}: {told}");
    }
}
