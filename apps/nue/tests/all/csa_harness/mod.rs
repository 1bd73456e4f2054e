//! A running server, and a player as bare as can be.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything may take on a slow and busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The program.
pub(crate) fn nue() -> Command {
    Command::new(env!("CARGO_BIN_EXE_nue"))
}

/// A folder that is removed at the end of the test.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Sets a password as the organiser does.
pub(crate) fn account(folder: &Path, name: &str, password: &str) {
    let mut command = nue();
    command.args(["server", "account", name, "--config"]).arg(folder.join("server.toml"));
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    writeln!(child.stdin.take().unwrap(), "{password}").unwrap();
    assert!(child.wait().unwrap().success());
}

/// A server in a process of its own.
pub(crate) struct Server {
    child: Child,
    pub(crate) port: u16,
    pub(crate) status: u16,
}

impl Server {
    /// Starts one on the data in a folder, with these settings besides.
    pub(crate) fn start(folder: &Path, settings: &str) -> Self {
        Self::start_at(folder, 0, settings)
    }

    /// The same at a port that its players know already.
    pub(crate) fn start_at(folder: &Path, port: u16, settings: &str) -> Self {
        let config = folder.join("server.toml");
        let text = format!("listen = \"127.0.0.1:{port}\"\nstatus = \"127.0.0.1:0\"\n{settings}");
        std::fs::write(&config, text).unwrap();
        let mut child =
            nue().args(["server", "--config"]).arg(&config).stdout(Stdio::piped()).spawn().unwrap();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let mut port = || {
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            let digits = line.trim().trim_end_matches('/').rsplit(':').next().unwrap().to_owned();
            digits.parse().unwrap_or_else(|_| panic!("{line:?}"))
        };
        let (players, status) = (port(), port());
        Self { child, port: players, status }
    }

    /// Ends it as nothing else does.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to end.
    #[cfg(unix)]
    pub(crate) fn terminate(mut self) {
        let sent = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        assert!(sent.unwrap().success());
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(status.success(), "{status}");
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the server does not end");
    }

    /// A page of the status server.
    pub(crate) fn page(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", self.status)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
        body.to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A player that does what the test says.
pub(crate) struct Bare {
    reader: BufReader<TcpStream>,
    writer: TcpStream,
}

impl Bare {
    pub(crate) fn connect(port: u16) -> Self {
        Self::on(TcpStream::connect(("127.0.0.1", port)).unwrap())
    }

    /// One on a connection that was made already.
    pub(crate) fn on(writer: TcpStream) -> Self {
        writer.set_read_timeout(Some(PATIENCE)).unwrap();
        writer.set_nodelay(true).unwrap();
        Self { reader: BufReader::new(writer.try_clone().unwrap()), writer }
    }

    pub(crate) fn login(port: u16, name: &str, password: &str) -> Self {
        let mut bare = Self::connect(port);
        bare.say(&format!("LOGIN {name} {password}"));
        bare.expect(&format!("LOGIN:{name} OK"));
        bare
    }

    pub(crate) fn say(&mut self, line: &str) {
        self.raw(format!("{line}\n").as_bytes());
    }

    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        // The server may have hung up: what it said last is still to be read.
        let _ = self.writer.write_all(bytes);
    }

    /// The next line; `None` at the end.
    pub(crate) fn read_line(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.reader.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(line.trim_end_matches('\n').to_owned()),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => None,
            Err(error) => panic!("{error}"),
        }
    }

    pub(crate) fn expect(&mut self, line: &str) {
        assert_eq!(self.read_line().as_deref(), Some(line));
    }

    /// Reads a proposal: all its lines.
    pub(crate) fn proposal(&mut self) -> Vec<String> {
        self.expect("BEGIN Game_Summary");
        let mut lines = Vec::new();
        loop {
            let line = self.read_line().expect("a whole proposal");
            if line == "END Game_Summary" {
                return lines;
            }
            lines.push(line);
        }
    }

    /// Reads until a line begins like this.
    pub(crate) fn until(&mut self, begin: &str) -> String {
        loop {
            let line = self.read_line().unwrap_or_else(|| panic!("the end before {begin:?}"));
            if line.starts_with(begin) {
                return line;
            }
        }
    }
}

/// Two players at a game that has just started; Black first.
pub(crate) fn pair(port: u16, names: [&str; 2], game: &str) -> [Bare; 2] {
    let mut black = Bare::login(port, names[0], &format!("{game}-B"));
    let mut white = Bare::login(port, names[1], &format!("{game}-W"));
    for player in [&mut black, &mut white] {
        player.proposal();
        player.say("AGREE");
    }
    black.until("START:");
    white.until("START:");
    [black, white]
}

/// Waits until something is so.
pub(crate) fn wait_for(what: &str, mut so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !so() {
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// All files below a folder.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut all = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            all.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "csa") {
            all.push(path);
        }
    }
    all
}
