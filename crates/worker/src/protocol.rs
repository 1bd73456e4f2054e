//! What is said through the pipes. docs/worker.md.

use features::{Labels, Planes};
use infer::half::to_f32;
use infer::{Batch, Shape, Value};
use rules::Game;
use serde_json::Value as Json;
use std::io::{self, Read};
use thiserror::Error;

/// Both sides must speak the same one.
pub const VERSION: u64 = 2;
const REQUEST: [u8; 4] = *b"NueQ";
const ANSWER: [u8; 4] = *b"NueA";
/// Magic, kind, number, positions, labels.
const HEAD: usize = 4 + 4 + 8 + 4 + 4;
/// No answer is longer.
const LARGEST: usize = 64 << 20;
/// The longest first line.
const LONGEST_LINE: usize = 64 << 10;

/// What a request asks for, and what an answer is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Positions, or their answers.
    Batch = 1,
    /// Is anybody there?
    Ping = 2,
    /// The positions in full and in half precision, compared; a sentence comes back.
    Compare = 3,
    /// A sentence: what went wrong.
    Error = 4,
    /// Another net of the same kind, by its file; what the worker then is, or why it is not, comes back as a
    /// line like its first.
    Load = 5,
}

/// What came through the pipe that should not have.
#[derive(Debug, Error)]
pub enum ProtocolError {
    #[error("it ended")]
    Ended,
    #[error("its output cannot be read: {0}")]
    Io(#[from] io::Error),
    #[error("its first line is not an introduction: {0}")]
    Introduction(String),
    #[error("it speaks version {found} of the protocol, this executable {VERSION}")]
    Version { found: Json },
    #[error("it sent {0}")]
    Garbage(String),
    #[error("it says: {0}")]
    Reported(String),
}

/// What a worker says about itself.
#[derive(Clone, PartialEq, Debug)]
pub struct Introduction {
    pub shape: Shape,
    /// The net and the device, for people.
    pub about: String,
    /// Positions in a batch that suit it.
    pub batch: usize,
}

impl Introduction {
    pub(crate) fn parse(line: &str) -> Result<Self, ProtocolError> {
        let wrong = |what: String| ProtocolError::Introduction(what);
        let told: Json =
            serde_json::from_str(line).map_err(|e| wrong(format!("{e} in {}", start(line))))?;
        if told["protocol"] != "nue-worker" {
            return Err(wrong(start(line)));
        }
        if told["version"].as_u64() != Some(VERSION) {
            return Err(ProtocolError::Version { found: told["version"].clone() });
        }
        if let Some(text) = told["error"].as_str() {
            return Err(ProtocolError::Reported(text.to_owned()));
        }
        let name = |field: &str| told[field].as_str().unwrap_or_default();
        let unknown = |field: &str| wrong(format!("{field} is {}", told[field]));
        let game = Game::ALL.into_iter().find(|game| game.name() == name("game"));
        let shape = Shape {
            game: game.ok_or_else(|| unknown("game"))?,
            planes: Planes::by_name(name("planes")).ok_or_else(|| unknown("planes"))?,
            labels: Labels::by_name(name("labels")).ok_or_else(|| unknown("labels"))?,
        };
        let agreed = told["bytes"].as_u64() == Some(shape.planes.bytes() as u64)
            && told["label_count"].as_u64() == Some(shape.labels.count() as u64);
        if !agreed {
            return Err(wrong(format!(
                "{} bytes and {} labels for {shape}",
                told["bytes"], told["label_count"]
            )));
        }
        let batch = told["batch"].as_u64().and_then(|n| usize::try_from(n).ok());
        let batch = batch.filter(|n| (1..=65_536).contains(n)).ok_or_else(|| unknown("batch"))?;
        Ok(Self { shape, about: name("about").to_owned(), batch })
    }
}

/// The start of a text that may hold anything.
fn start(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() { '?' } else { c });
    format!("{:?}", clean.take(80).collect::<String>())
}

/// A line, without its end.
pub(crate) fn read_line(from: &mut impl Read) -> Result<String, ProtocolError> {
    let mut line = Vec::new();
    let mut byte = [0];
    loop {
        match from.read(&mut byte) {
            Ok(0) => return Err(ProtocolError::Ended),
            Ok(_) if byte[0] == b'\n' => return Ok(String::from_utf8_lossy(&line).into_owned()),
            Ok(_) if line.len() == LONGEST_LINE => {
                return Err(ProtocolError::Introduction("a line without an end".to_owned()));
            }
            Ok(_) => line.push(byte[0]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// A request as bytes.
pub(crate) fn request(kind: Kind, number: u64, batch: Option<&Batch>) -> Vec<u8> {
    let count = batch.map_or(0, Batch::len);
    let labels: usize = batch.map_or(0, |b| (0..count).map(|i| b.labels(i).len()).sum());
    let mut out = head(REQUEST, kind, number, [count as u32, labels as u32]);
    if let Some(batch) = batch {
        out.reserve(count * (batch.shape().planes.bytes() + 2) + 2 * labels + size_of::<u32>());
        (0..count).for_each(|i| out.extend_from_slice(batch.planes(i)));
        (0..count).for_each(|i| out.extend((batch.labels(i).len() as u16).to_le_bytes()));
        for i in 0..count {
            out.extend(batch.labels(i).iter().flat_map(|label| label.to_le_bytes()));
        }
    }
    sealed(out)
}

/// The request to load the net in a file.
pub(crate) fn load_request(number: u64, file: &str) -> Vec<u8> {
    let mut out = head(REQUEST, Kind::Load, number, [file.len() as u32, 0]);
    out.extend_from_slice(file.as_bytes());
    sealed(out)
}

fn head(magic: [u8; 4], kind: Kind, number: u64, counts: [u32; 2]) -> Vec<u8> {
    let mut out = magic.to_vec();
    out.extend((kind as u32).to_le_bytes());
    out.extend(number.to_le_bytes());
    counts.iter().for_each(|count| out.extend(count.to_le_bytes()));
    out
}

fn sealed(mut out: Vec<u8>) -> Vec<u8> {
    let sum = crc32fast::hash(&out);
    out.extend(sum.to_le_bytes());
    out
}

/// An answer that is whole.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) kind: Kind,
    pub(crate) number: u64,
    positions: usize,
    logits: usize,
    payload: Vec<u8>,
}

impl Answer {
    pub(crate) fn read(from: &mut impl Read) -> Result<Self, ProtocolError> {
        let mut head = [0; HEAD];
        whole(from, &mut head)?;
        let word =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        if head[..4] != ANSWER {
            return Err(ProtocolError::Garbage(start(&String::from_utf8_lossy(&head))));
        }
        let kind = match word(4) {
            1 => Kind::Batch,
            2 => Kind::Ping,
            3 => Kind::Compare,
            4 => Kind::Error,
            5 => Kind::Load,
            other => return Err(ProtocolError::Garbage(format!("an answer of kind {other}"))),
        };
        let (positions, logits) = (word(16) as usize, word(20) as usize);
        // Logits of 16 bits, then two numbers of 32 bits a position; or so many bytes of text.
        let length = match kind {
            Kind::Batch => logits.saturating_mul(2).saturating_add(positions.saturating_mul(8)),
            Kind::Ping | Kind::Compare | Kind::Error | Kind::Load => positions,
        };
        if length > LARGEST {
            return Err(ProtocolError::Garbage(format!("an answer of {length} bytes")));
        }
        let mut payload = vec![0; length];
        whole(from, &mut payload)?;
        let mut sum = [0; 4];
        whole(from, &mut sum)?;
        let mut hasher = crc32fast::Hasher::new();
        hasher.update(&head);
        hasher.update(&payload);
        if hasher.finalize() != u32::from_le_bytes(sum) {
            return Err(ProtocolError::Garbage("an answer with a wrong checksum".to_owned()));
        }
        let number = u64::from(word(8)) | u64::from(word(12)) << 32;
        Ok(Self { kind, number, positions, logits, payload })
    }

    /// The sentence in it.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.payload).chars().filter(|c| !c.is_control()).collect()
    }

    /// Writes the answers into the batch that was asked for.
    pub(crate) fn fill(&self, batch: &mut Batch) -> Result<(), ProtocolError> {
        let labels: usize = (0..batch.len()).map(|i| batch.labels(i).len()).sum();
        if (self.positions, self.logits) != (batch.len(), labels) {
            return Err(ProtocolError::Garbage(format!(
                "answers for {} positions and {} labels instead of {} and {labels}",
                self.positions,
                self.logits,
                batch.len()
            )));
        }
        let (logits, values) = self.payload.split_at(2 * labels);
        let mut logits = logits.chunks_exact(2).map(|b| to_f32(u16::from_le_bytes([b[0], b[1]])));
        let mut values =
            values.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let mut policy = Vec::new();
        for index in 0..batch.len() {
            policy.clear();
            policy.extend(logits.by_ref().take(batch.labels(index).len()));
            let (win, draw) = (values.next(), values.next());
            let value = Value { win: win.unwrap_or(f32::NAN), draw: draw.unwrap_or(f32::NAN) };
            batch.answer(index, &policy, value);
        }
        Ok(())
    }
}

fn whole(from: &mut impl Read, to: &mut [u8]) -> Result<(), ProtocolError> {
    from.read_exact(to).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => ProtocolError::Ended,
        _ => error.into(),
    })
}

#[cfg(test)]
mod tests;
