//! Orders to a running server from its own computer.
//!
//! The server listens on a port of the loopback interface and writes the port and a random token into
//! a file beside the data file that only its owner may read: who can read it could change the data
//! file as well. An order is one line, `TOKEN order`; the answer is `done` or `refused` and the
//! lines to show. No limit on players' connections or logins stands in its way.

use crate::config::Config;
use crate::error::Error;
use crate::server_loop::Input;
use crate::store;
use server::calendar;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt};
use tokio::sync::{Semaphore, mpsc, oneshot};

/// How long an order may take to arrive, and its answer to be read.
const ARRIVAL: Duration = Duration::from_secs(10);

/// How long whoever gives an order waits for what came of it.
const ANSWER: Duration = Duration::from_secs(60);

/// The longest order.
const LONGEST: u64 = 2048;

/// Orders that are heard at the same time; others wait.
const AT_ONCE: usize = 16;

/// Orders shown of the log.
const SHOWN: usize = 100;

const DONE: &str = "done";
const REFUSED: &str = "refused";

/// The file that says how to reach a server; removed with it.
pub(crate) struct ControlFile(PathBuf);

impl Drop for ControlFile {
    fn drop(&mut self) {
        // One that stays behind names a port at which nobody answers.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// The port orders come in at.
pub(crate) struct ControlPort {
    pub(crate) listener: TcpListener,
    token: String,
}

impl ControlPort {
    /// Opens the port and writes the file. To be called by whoever holds the data file's lock.
    pub(crate) fn open(config: &Config) -> Result<(Self, ControlFile), Error> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        listener.set_nonblocking(true)?;
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
        let token: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let path = path(config)?;
        let text = format!("{}\n{token}\n", listener.local_addr()?);
        write_private(&path, &text).map_err(|error| Error::file(&path, error))?;
        Ok((Self { listener, token }, ControlFile(path)))
    }

    /// Takes orders until the server ends.
    pub(crate) async fn serve(self, inputs: mpsc::Sender<Input>) {
        let Ok(listener) = tokio::net::TcpListener::from_std(self.listener) else { return };
        let token: Arc<str> = Arc::from(self.token);
        let places = Arc::new(Semaphore::new(AT_ONCE));
        while let Ok(place) = Arc::clone(&places).acquire_owned().await {
            let Ok((stream, _)) = listener.accept().await else {
                // No file handles left, perhaps: there may be some later.
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            };
            let (token, inputs) = (Arc::clone(&token), inputs.clone());
            tokio::spawn(async move {
                // Who goes away or says nothing has given no order.
                let _ = tokio::time::timeout(ANSWER, hear(stream, &token, &inputs)).await;
                drop(place);
            });
        }
    }
}

/// Takes one order, and answers it.
async fn hear(
    stream: tokio::net::TcpStream,
    token: &str,
    inputs: &mpsc::Sender<Input>,
) -> std::io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let mut line = String::new();
    let mut reader = tokio::io::BufReader::new(reader).take(LONGEST);
    let read = reader.read_line(&mut line);
    tokio::time::timeout(ARRIVAL, read).await.map_err(|_| std::io::ErrorKind::TimedOut)??;
    let outcome = match line.trim_end().split_once(' ') {
        Some((given, order)) if is_same(given, token) => {
            let (answer, outcome) = oneshot::channel();
            let input = Input::Order { text: order.to_owned(), answer };
            match inputs.send(input).await {
                Ok(()) => outcome.await.unwrap_or_else(|_| Err("the server has ended".to_owned())),
                Err(_) => Err("the server is ending".to_owned()),
            }
        }
        _ => Err("wrong token: the file beside the data file has the right one".to_owned()),
    };
    let text = match outcome {
        Ok(done) => format!("{DONE}\n{done}\n"),
        Err(why) => format!("{REFUSED}\n{why}\n"),
    };
    writer.write_all(text.as_bytes()).await?;
    writer.shutdown().await
}

/// Compares without telling by the time it takes how much is right.
fn is_same(given: &str, token: &str) -> bool {
    let differences = given.bytes().zip(token.bytes()).fold(0, |all, (a, b)| all | (a ^ b));
    given.len() == token.len() && differences == 0
}

fn path(config: &Config) -> Result<PathBuf, Error> {
    crate::serve::beside_data(config, ".control")
}

/// A file for nobody but its owner, there whole or not at all.
fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    let temporary = PathBuf::from(temporary);
    // One left behind may have other rights.
    match std::fs::remove_file(&temporary) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = std::fs::OpenOptions::new();
    let options = os::files::for_owner_alone(options.write(true).create_new(true));
    options.open(&temporary)?.write_all(text.as_bytes())?;
    durable::place(&temporary, path, true)
}

/// Gives the server that runs on this data file an order: what came of it. `log` shows earlier ones,
/// also when no server runs.
pub fn give_order(config: &Config, order: &str) -> Result<String, Error> {
    if order.split_whitespace().eq(["log"]) {
        return log(config);
    }
    if order.len() as u64 > LONGEST / 2 || order.chars().any(char::is_control) {
        return Err(Error::Refused(format!("an order is one line of up to {} bytes", LONGEST / 2)));
    }
    let stopped = || Error::NotRunning { data: config.file.data.clone() };
    let text = std::fs::read_to_string(path(config)?).map_err(|_| stopped())?;
    let (address, token) = text.trim_end().split_once('\n').ok_or_else(stopped)?;
    let address: SocketAddr = address.parse().map_err(|_| stopped())?;
    let mut stream = TcpStream::connect_timeout(&address, ARRIVAL).map_err(|_| stopped())?;
    stream.set_read_timeout(Some(ANSWER + ARRIVAL))?;
    stream.write_all(format!("{token} {order}\n").as_bytes())?;
    let mut reader = BufReader::new(stream);
    let (mut outcome, mut answer) = (String::new(), String::new());
    reader.read_line(&mut outcome)?;
    reader.read_to_string(&mut answer)?;
    let answer = answer.trim_end().to_owned();
    match outcome.trim_end() {
        DONE => Ok(answer),
        REFUSED => Err(Error::Refused(answer)),
        _ => Err(stopped()),
    }
}

/// The latest orders, the last one at the end.
fn log(config: &Config) -> Result<String, Error> {
    let data = &config.file.data;
    if !data.is_file() {
        return Err(Error::file(data, "there is no such file"));
    }
    let read = || store::orders(&store::reader(data)?, SHOWN);
    let mut lines: Vec<String> = read()
        .map_err(|error| Error::file(data, error))?
        .iter()
        .map(|order| {
            let time = calendar::text(order.wall);
            format!("{time} {}: {}: {}", order.referee, order.text, order.answer)
        })
        .collect();
    lines.reverse();
    Ok(if lines.is_empty() { "no orders yet".to_owned() } else { lines.join("\n") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_right() {
        for (given, right) in [("abcd", true), ("abc", false), ("abcde", false), ("", false)] {
            assert_eq!(is_same(given, "abcd"), right, "{given}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn the_file_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("games.sqlite.control");
        for text in ["one\n", "two\n"] {
            std::fs::write(folder.path().join("games.sqlite.control.new"), "left behind").unwrap();
            write_private(&path, text).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
            let mode = std::fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }
}
