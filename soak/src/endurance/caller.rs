//! A bare player on a connection that may go at any time.

use super::StepError;
use csa::Summary;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::{sleep, timeout};

/// How long the server may be silent when it is to say something.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// How a line is put on the wire.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Manner {
    Plain,
    /// With a carriage return.
    Return,
    /// In two packets.
    Halves,
    /// With a comment.
    Comment,
}

pub(super) struct Caller {
    reader: BufReader<OwnedReadHalf>,
    writer: OwnedWriteHalf,
}

impl Caller {
    pub(super) async fn connect(port: u16) -> Result<Self, StepError> {
        let stream =
            TcpStream::connect(("127.0.0.1", port)).await.map_err(|_| StepError::ConnectionLost)?;
        stream.set_nodelay(true).map_err(|_| StepError::ConnectionLost)?;
        let (reader, writer) = stream.into_split();
        Ok(Self { reader: BufReader::with_capacity(1024, reader), writer })
    }

    pub(super) async fn login(port: u16, name: &str, password: &str) -> Result<Self, StepError> {
        let mut caller = Self::connect(port).await?;
        caller.say(&format!("LOGIN {name} {password}")).await?;
        let answer = caller.receive().await?;
        if answer == format!("LOGIN:{name} OK") {
            return Ok(caller);
        }
        // The line after a refusal says why.
        let why = caller.receive().await.unwrap_or_default();
        Err(StepError::Wrong(format!("LOGIN {name} {password}: {answer:?}, {why:?}")))
    }

    pub(super) async fn raw(&mut self, bytes: &[u8]) -> Result<(), StepError> {
        self.writer.write_all(bytes).await.map_err(|_| StepError::ConnectionLost)
    }

    pub(super) async fn say(&mut self, line: &str) -> Result<(), StepError> {
        self.raw(format!("{line}\n").as_bytes()).await
    }

    pub(super) async fn say_as(&mut self, line: &str, manner: Manner) -> Result<(), StepError> {
        match manner {
            Manner::Plain => self.say(line).await,
            Manner::Return => self.raw(format!("{line}\r\n").as_bytes()).await,
            Manner::Comment => self.say(&format!("{line},'* 12 一言")).await,
            Manner::Halves => {
                let (one, two) = line.split_at(line.len() / 2);
                self.raw(one.as_bytes()).await?;
                sleep(Duration::from_millis(1)).await;
                self.say(two).await
            }
        }
    }

    /// The next line.
    pub(super) async fn receive(&mut self) -> Result<String, StepError> {
        let mut line = String::new();
        match timeout(PATIENCE, self.reader.read_line(&mut line)).await {
            Err(_) => Err(StepError::Wrong("the server says nothing".to_owned())),
            Ok(Ok(_)) if line.ends_with('\n') => {
                line.pop();
                Ok(line)
            }
            // The end, in the middle of a line or before it.
            Ok(_) => Err(StepError::ConnectionLost),
        }
    }

    /// A line that is known beforehand; a stopping server may say good-bye instead, and somebody's
    /// time may be over.
    pub(super) async fn expect(&mut self, wanted: &str) -> Result<(), StepError> {
        match self.receive().await? {
            line if line == wanted => Ok(()),
            line if ["#CHUDAN", "#TIME_UP"].contains(&line.as_str()) => {
                Err(StepError::ConnectionLost)
            }
            line => Err(StepError::Wrong(format!("{line:?} instead of {wanted:?}"))),
        }
    }

    /// A proposal.
    pub(super) async fn summary(&mut self) -> Result<Summary, StepError> {
        self.expect("BEGIN Game_Summary").await?;
        let mut lines = Vec::new();
        loop {
            let line = self.receive().await?;
            if line == "END Game_Summary" {
                break;
            }
            lines.push(line);
        }
        Summary::from_lines(lines.iter().map(String::as_str))
            .map_err(|error| StepError::Wrong(format!("a proposal that cannot be read: {error}")))
    }
}
