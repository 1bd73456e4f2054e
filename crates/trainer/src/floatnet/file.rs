//! Files of nets in real numbers: magic, a JSON text that says what follows, the numbers.

use super::FloatNet;
use nnue::{Architecture, Shape, feature_kind, is_win_rate_scale, kind_name};
use rules::Game;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::io::{self, Read, Write};

/// First bytes of every file.
const MAGIC: [u8; 8] = *b"NueFloat";
/// Longest JSON text.
const LONGEST: u32 = 1 << 20;

/// Why something is not a net in real numbers that can be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FloatNetError {
    /// Reading failed.
    #[error("cannot read: {0}")]
    Read(#[from] io::Error),
    /// It does not begin like such a file.
    #[error("not a net in real numbers: it begins with {found:?}, such a file with \"NueFloat\"")]
    Magic {
        /// Its first bytes.
        found: String,
    },
    /// The description cannot be understood.
    #[error("the description of the net is wrong: {0}")]
    Description(String),
    /// No kernel for this shape.
    #[error("{0}")]
    Shape(String),
    /// The size is not that of the net described.
    #[error("{size} bytes, but a net {architecture} with this description has {expected}: {}", if size < expected { "the file is cut short" } else { "the file is too long" })]
    Size {
        /// What the description says.
        architecture: Box<Architecture>,
        /// Size of the file.
        size: u64,
        /// Size it should have.
        expected: u64,
    },
    /// A parameter is infinite or not a number.
    #[error("{part} number {index} is {value}")]
    NotFinite {
        part: &'static str,
        /// Where in it.
        index: usize,
        value: f32,
    },
}

/// The JSON text.
#[derive(Serialize, Deserialize)]
struct Description {
    #[serde(default)]
    architecture: String,
    features: String,
    width: usize,
    hidden1: usize,
    hidden2: usize,
    game: String,
    #[serde(default = "usual_scale")]
    fv_scale: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    win_rate_scale: Option<f64>,
    #[serde(default)]
    notes: Value,
}

const fn usual_scale() -> i32 {
    nnue::DEFAULT_FV_SCALE
}

impl Description {
    fn architecture(&self) -> Result<Architecture, FloatNetError> {
        let wrong = |what: String| FloatNetError::Description(what);
        let game: Game = self.game.parse().map_err(|_| wrong(format!("game {:?}", self.game)))?;
        let features = feature_kind(&self.features, game);
        let features =
            features.ok_or_else(|| wrong(format!("features {:?} of {game}", self.features)))?;
        let shape = Shape { l0: self.width, h1: self.hidden1, h2: self.hidden2 };
        if !shape.is_supported() {
            return Err(wrong(format!("no net has the shape {}", shape.name())));
        }
        if self.fv_scale <= 0 {
            return Err(wrong(format!("fv_scale {}", self.fv_scale)));
        }
        if let Some(scale) = self.win_rate_scale.filter(|&scale| !is_win_rate_scale(scale)) {
            return Err(wrong(format!("win_rate_scale {scale}")));
        }
        Ok(Architecture { features, shape })
    }
}

impl FloatNet {
    /// All arrays in the order of the file, with their names.
    pub(crate) fn parts(&self) -> [(&'static str, &[f32]); 8] {
        [
            ("transformer bias", &self.b0),
            ("transformer weight", &self.w0),
            ("layer 1 bias", &self.b1),
            ("layer 1 weight", &self.w1),
            ("layer 2 bias", &self.b2),
            ("layer 2 weight", &self.w2),
            ("output bias", std::slice::from_ref(&self.b3)),
            ("output weight", &self.w3),
        ]
    }

    /// The same arrays to be changed; their lengths are the architecture's.
    pub fn parts_mut(&mut self) -> [&mut [f32]; 8] {
        [
            &mut self.b0,
            &mut self.w0,
            &mut self.b1,
            &mut self.w1,
            &mut self.b2,
            &mut self.w2,
            std::slice::from_mut(&mut self.b3),
            &mut self.w3,
        ]
    }

    /// Whether every parameter is a number.
    pub fn check(&self) -> Result<(), FloatNetError> {
        for (part, values) in self.parts() {
            if let Some(index) = values.iter().position(|v| !v.is_finite()) {
                return Err(FloatNetError::NotFinite { part, index, value: values[index] });
            }
        }
        Ok(())
    }

    /// Writes the file.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let Architecture { features, shape } = self.architecture;
        let description = Description {
            architecture: self.architecture.to_string(),
            features: kind_name(features).to_owned(),
            width: shape.l0,
            hidden1: shape.h1,
            hidden2: shape.h2,
            game: features.game().to_string(),
            fv_scale: self.fv_scale,
            win_rate_scale: self.win_rate_scale,
            notes: self.notes.clone(),
        };
        let text = serde_json::to_vec(&description).map_err(io::Error::other)?;
        if text.len() > LONGEST as usize {
            return Err(io::Error::other("the notes of the net are too long"));
        }
        to.write_all(&MAGIC)?;
        to.write_all(&(text.len() as u32).to_le_bytes())?;
        to.write_all(&text)?;
        self.parts().iter().try_for_each(|(_, values)| write_floats(to, values))
    }

    /// Reads a net from memory.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FloatNetError> {
        Self::read(bytes, bytes.len() as u64)
    }

    /// Reads a file of `size` bytes. Nothing larger than the size is ever allocated.
    pub fn read(mut from: impl Read, size: u64) -> Result<Self, FloatNetError> {
        let mut magic = Vec::new();
        from.by_ref().take(MAGIC.len() as u64).read_to_end(&mut magic)?;
        if magic != MAGIC {
            let found = String::from_utf8_lossy(&magic).into_owned();
            return Err(FloatNetError::Magic { found });
        }
        let cut = || FloatNetError::Description("the file ends inside it".to_owned());
        let mut length = [0; 4];
        if size < 12 {
            return Err(cut());
        }
        from.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length > LONGEST {
            return Err(FloatNetError::Description(format!("it says it has {length} bytes")));
        }
        if u64::from(length) + 12 > size {
            return Err(cut());
        }
        let mut text = vec![0; length as usize];
        from.read_exact(&mut text)?;
        let description: Description =
            serde_json::from_slice(&text).map_err(|e| FloatNetError::Description(e.to_string()))?;
        let architecture = description.architecture()?;
        let expected = 12 + u64::from(length) + 4 * architecture.parameters();
        if size != expected {
            let architecture = Box::new(architecture);
            return Err(FloatNetError::Size { architecture, size, expected });
        }
        let mut net = Self::zeroed(architecture);
        (net.fv_scale, net.notes) = (description.fv_scale, description.notes);
        net.win_rate_scale = description.win_rate_scale;
        for values in net.parts_mut() {
            read_floats(&mut from, values)?;
        }
        net.check()?;
        Ok(net)
    }
}

/// Numbers converted at a time.
const PIECE: usize = 1 << 14;

/// Writes numbers, the lowest byte first.
pub(crate) fn write_floats(to: &mut (impl Write + ?Sized), values: &[f32]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(4 * PIECE.min(values.len()));
    for piece in values.chunks(PIECE) {
        bytes.clear();
        bytes.extend(piece.iter().flat_map(|v| v.to_le_bytes()));
        to.write_all(&bytes)?;
    }
    Ok(())
}

/// Reads what [`write_floats`] wrote.
pub(crate) fn read_floats(from: &mut (impl Read + ?Sized), values: &mut [f32]) -> io::Result<()> {
    let mut bytes = vec![0; 4 * PIECE.min(values.len())];
    for piece in values.chunks_mut(PIECE) {
        let bytes = &mut bytes[..4 * piece.len()];
        from.read_exact(bytes)?;
        for (value, bytes) in piece.iter_mut().zip(bytes.as_chunks().0) {
            *value = f32::from_le_bytes(*bytes);
        }
    }
    Ok(())
}
