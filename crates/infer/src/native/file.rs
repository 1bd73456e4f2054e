//! The engine's own file of a net of integers (.nued). docs/formats/nued.md.

use super::architecture::{Architecture, ArchitectureError};
use super::layers::Integers;
use super::net::Net;
use crate::backend::{Shape, Ticket};
use crate::batch::{Batch, Value};
use features::{Labels, Planes};
use rules::Game;
use serde_json::json;
use simd::{ByteLayerError, Isa, LayerParameters, Rescale};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The first four bytes.
pub const MAGIC: [u8; 4] = *b"NueD";
const VERSION: u32 = 1;
/// Longer than any header.
const MAX_HEADER: usize = 4096;
/// Magic, version, hash, length of the header.
const START: usize = 16;

/// A file that cannot be read.
#[derive(Debug, Error)]
pub enum FileError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error("not a policy-value net: the file does not begin with NueD")]
    Magic,
    #[error("version {0} of the file: this executable reads version {VERSION}")]
    Version(u32),
    #[error("the header cannot be read: {0}")]
    Header(String),
    #[error("the checksum is wrong: the file is damaged or cut short")]
    Checksum,
    #[error("the file is {0}")]
    Size(&'static str),
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    #[error(
        "a net {architecture} of another arithmetic (hash {found:#010x}, this executable has \
         {expected:#010x}): import it again from its float file"
    )]
    Hash { architecture: Architecture, found: u32, expected: u32 },
    #[error("a number is out of bounds: {0}")]
    Number(String),
    #[error(
        "the net does not answer as it did when it was made: for test position {position} {what}. \
         Not used"
    )]
    Canary { position: usize, what: String },
    #[error("net {}: {source}", path.display())]
    At { path: PathBuf, source: Box<FileError> },
}

impl From<ByteLayerError> for FileError {
    fn from(error: ByteLayerError) -> Self {
        Self::Number(error.to_string())
    }
}

/// A position and what the net answered when it was made.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Canary {
    pub(super) planes: Vec<u8>,
    pub(super) labels: Vec<u16>,
    pub(super) policy: Vec<f32>,
    pub(super) win: f32,
}

impl Net {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, FileError> {
        let read = || Self::from_bytes(&std::fs::read(path)?);
        read().map_err(|source| FileError::At {
            path: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
            source: Box::new(source),
        })
    }

    /// A net from a file's bytes, for one instruction set. Refused if it does not answer its test
    /// positions as it did when it was made.
    pub fn from_bytes_for(isa: Isa, bytes: &[u8]) -> Result<Self, FileError> {
        let body = checked(bytes)?;
        let (architecture, numbers) = architecture(body)?;
        let mut from = Numbers(numbers);
        let integers = from.integers(&architecture)?;
        let mut canaries = Vec::new();
        for _ in 0..from.word()? {
            canaries.push(from.canary(&architecture)?);
        }
        if !from.0.is_empty() {
            return Err(FileError::Size("too long"));
        }
        let mut net = Self::put_together(isa, architecture, integers)?;
        net.canaries = canaries;
        net.check_canaries()?;
        Ok(net)
    }

    fn check_canaries(&self) -> Result<(), FileError> {
        let batch = self.answers(&self.canaries)?;
        for (position, canary) in self.canaries.iter().enumerate() {
            let (policy, win) = (batch.policy(position), batch.value(position).win);
            let bits = |xs: &[f32]| xs.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            if win.to_bits() != canary.win.to_bits() {
                let what = format!("the win rate is {win} instead of {}", canary.win);
                return Err(FileError::Canary { position, what });
            }
            if bits(policy) != bits(&canary.policy) {
                let what = "the moves are weighted otherwise".to_owned();
                return Err(FileError::Canary { position, what });
            }
        }
        Ok(())
    }

    fn answers(&self, canaries: &[Canary]) -> Result<Batch, FileError> {
        let mut batch = Batch::new(self.shape(), canaries.len());
        for canary in canaries {
            let labels = canary.labels.iter().copied();
            batch.push(0, |planes| planes.copy_from_slice(&canary.planes), labels);
        }
        self.answer(&mut batch, &mut self.scratch());
        let sound = batch.verify(Ticket(0));
        sound.map_err(|fault| FileError::Canary { position: 0, what: fault.to_string() })?;
        Ok(batch)
    }

    /// Takes positions of a batch as those to be asked for at every load.
    pub(super) fn set_canaries(&mut self, positions: &Batch, count: usize) {
        let mut batch = Batch::new(self.shape(), count.min(positions.len()));
        for index in 0..batch.capacity() {
            let labels = positions.labels(index).iter().copied();
            batch.push(0, |to| to.copy_from_slice(positions.planes(index)), labels);
        }
        self.answer(&mut batch, &mut self.scratch());
        let canary = |index| {
            let Value { win, .. } = batch.value(index);
            Canary {
                planes: batch.planes(index).to_vec(),
                labels: batch.labels(index).to_vec(),
                policy: batch.policy(index).to_vec(),
                win,
            }
        };
        self.canaries = (0..batch.len()).map(canary).collect();
    }

    /// Writes the file.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let a = &self.architecture;
        let header = json!({
            "game": a.shape.game.name(),
            "planes": a.shape.planes.name(),
            "labels": a.shape.labels.name(),
            "blocks": a.blocks,
            "channels": a.channels,
            "value_channels": a.value_channels,
            "value_hidden": a.value_hidden,
        })
        .to_string();
        let mut out = MAGIC.to_vec();
        for word in [VERSION, a.hash(), header.len() as u32] {
            out.extend(word.to_le_bytes());
        }
        out.extend(header.as_bytes());
        put_integers(&mut out, &self.integers);
        out.extend((self.canaries.len() as u16).to_le_bytes());
        for canary in &self.canaries {
            out.extend(&canary.planes);
            out.extend((canary.labels.len() as u16).to_le_bytes());
            canary.labels.iter().for_each(|label| out.extend(label.to_le_bytes()));
            put_floats(&mut out, &canary.policy);
            put_floats(&mut out, &[canary.win]);
        }
        let sum = crc32fast::hash(&out);
        out.extend(sum.to_le_bytes());
        to.write_all(&out)
    }
}

/// The file without its checksum, if it is right.
fn checked(bytes: &[u8]) -> Result<&[u8], FileError> {
    if !bytes.starts_with(&MAGIC) {
        return Err(FileError::Magic);
    }
    let (body, sum) = bytes.split_last_chunk::<4>().ok_or(FileError::Size("cut short"))?;
    if body.len() < START {
        return Err(FileError::Size("cut short"));
    }
    let version = u32::from_le_bytes([body[4], body[5], body[6], body[7]]);
    if version != VERSION {
        return Err(FileError::Version(version));
    }
    if crc32fast::hash(body) != u32::from_le_bytes(*sum) {
        return Err(FileError::Checksum);
    }
    Ok(body)
}

/// The architecture, and the bytes behind the header.
fn architecture(body: &[u8]) -> Result<(Architecture, &[u8]), FileError> {
    let number =
        |at: usize| u32::from_le_bytes([body[at], body[at + 1], body[at + 2], body[at + 3]]);
    let length = number(12) as usize;
    let rest = &body[START..];
    let (header, numbers) = rest
        .split_at_checked(length)
        .filter(|_| length <= MAX_HEADER)
        .ok_or_else(|| FileError::Header(format!("{length} bytes long")))?;
    let header: serde_json::Value =
        serde_json::from_slice(header).map_err(|e| FileError::Header(e.to_string()))?;
    let wrong = |field: &str| FileError::Header(format!("{field} is {}", header[field]));
    let name = |field: &str| header[field].as_str().ok_or_else(|| wrong(field));
    let size = |field: &str| {
        let found = header[field].as_u64().and_then(|n| usize::try_from(n).ok());
        found.ok_or_else(|| wrong(field))
    };
    let game = name("game")?;
    let game = Game::ALL.into_iter().find(|g| g.name() == game).ok_or_else(|| wrong("game"))?;
    let planes = Planes::by_name(name("planes")?).ok_or_else(|| wrong("planes"))?;
    let labels = Labels::by_name(name("labels")?).ok_or_else(|| wrong("labels"))?;
    let architecture = Architecture {
        shape: Shape { game, planes, labels },
        blocks: size("blocks")?,
        channels: size("channels")?,
        value_channels: size("value_channels")?,
        value_hidden: size("value_hidden")?,
    };
    architecture.check()?;
    let (found, expected) = (number(8), architecture.hash());
    if found != expected {
        return Err(FileError::Hash { architecture, found, expected });
    }
    Ok((architecture, numbers))
}

/// What is left of a file. Nothing larger than it is ever allocated.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn bytes(&mut self, count: usize) -> Result<&[u8], FileError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(FileError::Size("cut short"))?;
        self.0 = rest;
        Ok(taken)
    }

    fn word(&mut self) -> Result<u16, FileError> {
        let bytes = self.bytes(2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    fn words(&mut self, count: usize) -> Result<Vec<i16>, FileError> {
        let bytes = self.bytes(2 * count)?;
        Ok(bytes.chunks_exact(2).map(|b| i16::from_le_bytes([b[0], b[1]])).collect())
    }

    fn floats(&mut self, count: usize) -> Result<Vec<f32>, FileError> {
        let bytes = self.bytes(4 * count)?;
        let read = bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let floats: Vec<f32> = read.collect();
        match floats.iter().find(|x| !x.is_finite()) {
            Some(x) => Err(FileError::Number(x.to_string())),
            None => Ok(floats),
        }
    }

    fn layer(&mut self, outputs: usize, row: usize) -> Result<LayerParameters, FileError> {
        let shift = u32::from(self.word()?);
        let multipliers = self.words(outputs)?;
        let bias = self.bytes(4 * outputs)?;
        let bias = bias.chunks_exact(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let bias = bias.collect();
        let weights = self.bytes(outputs * row)?.iter().map(|&b| b as i8).collect();
        Ok(LayerParameters { weights, bias, rescale: Rescale { shift, multipliers } })
    }

    fn integers(&mut self, a: &Architecture) -> Result<Integers, FileError> {
        let (c, labels) = (a.channels, a.shape.labels.count());
        let stem = self.words(a.shape.planes.count() * 9 * c)?;
        let stem_bias = self.words(c)?;
        let views = self.words(a.blocks + 1)?;
        if let Some(view) = views.iter().find(|&&view| view < 1) {
            return Err(FileError::Number(format!("a view of {view}")));
        }
        let mut blocks = Vec::new();
        for _ in 0..a.blocks {
            blocks.push([self.layer(c, 9 * c)?, self.layer(c, 9 * c)?]);
        }
        let scale_and_bias = |numbers: Vec<f32>| (numbers[0], numbers[1]);
        let policy = self.words(a.policy_planes() * c)?;
        let policy_scales = self.floats(a.policy_planes())?;
        let policy_bias = self.floats(labels)?;
        let value = self.layer(a.value_channels, c)?;
        let inputs = a.value_channels * a.shape.game.squares();
        let value_fc1 = self.layer(a.value_hidden, inputs)?;
        let value_fc2 = self.words(a.value_hidden)?;
        let (value_scale, value_bias) = scale_and_bias(self.floats(2)?);
        Ok(Integers {
            stem,
            stem_bias,
            views,
            blocks,
            policy,
            policy_scales,
            policy_bias,
            value,
            value_fc1,
            value_fc2,
            value_scale,
            value_bias,
        })
    }

    fn canary(&mut self, a: &Architecture) -> Result<Canary, FileError> {
        let planes = self.bytes(a.shape.planes.bytes())?.to_vec();
        let count = usize::from(self.word()?);
        let labels: Vec<u16> = self.words(count)?.into_iter().map(|w| w as u16).collect();
        let policy = self.floats(count)?;
        Ok(Canary { planes, labels, policy, win: self.floats(1)?[0] })
    }
}

fn put_integers(out: &mut Vec<u8>, n: &Integers) {
    put_words(out, &n.stem);
    put_words(out, &n.stem_bias);
    put_words(out, &n.views);
    n.blocks.iter().flatten().for_each(|layer| put_layer(out, layer));
    put_words(out, &n.policy);
    put_floats(out, &n.policy_scales);
    put_floats(out, &n.policy_bias);
    put_layer(out, &n.value);
    put_layer(out, &n.value_fc1);
    put_words(out, &n.value_fc2);
    put_floats(out, &[n.value_scale, n.value_bias]);
}

fn put_layer(out: &mut Vec<u8>, layer: &LayerParameters) {
    out.extend((layer.rescale.shift as u16).to_le_bytes());
    put_words(out, &layer.rescale.multipliers);
    layer.bias.iter().for_each(|b| out.extend(b.to_le_bytes()));
    out.extend(layer.weights.iter().map(|&w| w as u8));
}

fn put_words(out: &mut Vec<u8>, words: &[i16]) {
    words.iter().for_each(|w| out.extend(w.to_le_bytes()));
}

fn put_floats(out: &mut Vec<u8>, floats: &[f32]) {
    floats.iter().for_each(|x| out.extend(x.to_le_bytes()));
}
