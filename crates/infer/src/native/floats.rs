//! Float files: a trained net in real numbers, as python/ writes it.

use super::architecture::{Architecture, ArchitectureError};
use crate::backend::Shape;
use features::{Labels, Planes, Segment};
use rules::Game;
use serde_json::{Value, json};
use std::io::{self, Write};
use thiserror::Error;

/// A convolution: weights by output, input, tap; a bias per output.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Convolution {
    pub weight: Vec<f32>,
    pub bias: Vec<f32>,
}

/// A net in real numbers, batch norm folded in.
#[derive(Clone, PartialEq, Debug)]
pub struct Floats {
    pub architecture: Architecture,
    pub stem: Convolution,
    pub blocks: Vec<[Convolution; 2]>,
    /// By plane, then channel.
    pub policy: Vec<f32>,
    /// By label.
    pub policy_bias: Vec<f32>,
    pub value: Convolution,
    /// Inputs by channel, then square.
    pub value_fc1: Convolution,
    pub value_fc2: Convolution,
}

/// A float file that cannot be read.
#[derive(Debug, Error)]
pub enum FloatsError {
    #[error("no header: a float file begins with a line {{\"format\":\"nue-deep\",…}}")]
    NoHeader,
    #[error("the header is not JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error("format {0}: a float file of a policy-value net says \"nue-deep\"")]
    Format(Value),
    #[error("version {0} of the float file: this executable reads version 1")]
    Version(Value),
    #[error("the header's {field} is {found}")]
    Field { field: &'static str, found: Value },
    #[error(
        "{field} {found}: the native back-end does plain residual nets with ReLU only; play this \
         one through a worker"
    )]
    Kind { field: &'static str, found: Value },
    #[error(transparent)]
    Architecture(#[from] ArchitectureError),
    #[error("tensor {found} where a net of this architecture has {expected}")]
    Tensors { found: String, expected: String },
    #[error("{found} bytes of numbers, but the tensors need {expected}")]
    Size { found: usize, expected: usize },
    #[error("the checksum is {found:#010x}, the header says {expected}: the file is damaged")]
    Checksum { found: u32, expected: Value },
    #[error("tensor {0} holds a number that is not finite")]
    NotFinite(String),
}

/// The longest header there can be.
const MAX_HEADER: usize = 1 << 20;

impl Floats {
    /// Whether a file that begins like this is meant to be one.
    pub fn recognises(start: &[u8]) -> bool {
        start.starts_with(b"{")
    }

    /// Reads a file from memory.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FloatsError> {
        let head = &bytes[..bytes.len().min(MAX_HEADER)];
        let end = head.iter().position(|&b| b == b'\n').filter(|_| Self::recognises(bytes));
        let (header, data) = bytes.split_at(end.ok_or(FloatsError::NoHeader)?);
        let header: Value = serde_json::from_slice(header)?;
        let architecture = architecture(&header)?;
        architecture.check()?;
        let tensors = tensors(&architecture);
        check_tensors(&header, &tensors)?;
        let data = &data[1..];
        let numbers = Numbers::of(&header)?;
        let expected = numbers.bytes() * tensors.iter().map(Tensor::numbers).sum::<usize>();
        if data.len() != expected {
            return Err(FloatsError::Size { found: data.len(), expected });
        }
        let found = crc32fast::hash(data);
        if header["crc32"].as_u64() != Some(u64::from(found)) {
            return Err(FloatsError::Checksum { found, expected: header["crc32"].clone() });
        }
        let mut numbers = data.chunks_exact(numbers.bytes()).map(|bytes| numbers.read(bytes));
        let mut read = Vec::new();
        for tensor in &tensors {
            let values: Vec<f32> = numbers.by_ref().take(tensor.numbers()).collect();
            if values.iter().any(|x| !x.is_finite()) {
                return Err(FloatsError::NotFinite(tensor.name.clone()));
            }
            read.push(values);
        }
        Ok(Self::put_together(architecture, read))
    }

    /// From the tensors in order.
    fn put_together(architecture: Architecture, tensors: Vec<Vec<f32>>) -> Self {
        let mut tensors = tensors.into_iter();
        let mut next = || tensors.next().unwrap_or_default();
        let mut convolution = || Convolution { weight: next(), bias: next() };
        let stem = convolution();
        let blocks = (0..architecture.blocks).map(|_| [convolution(), convolution()]).collect();
        let (policy, policy_bias) = {
            let head = convolution();
            (head.weight, head.bias)
        };
        let (value, value_fc1, value_fc2) = (convolution(), convolution(), convolution());
        Self { architecture, stem, blocks, policy, policy_bias, value, value_fc1, value_fc2 }
    }

    fn in_order(&self) -> Vec<&[f32]> {
        let mut all: Vec<&[f32]> = vec![&self.stem.weight, &self.stem.bias];
        for convolution in self.blocks.iter().flatten() {
            all.extend([&convolution.weight[..], &convolution.bias[..]]);
        }
        all.extend([&self.policy[..], &self.policy_bias[..]]);
        for layer in [&self.value, &self.value_fc1, &self.value_fc2] {
            all.extend([&layer.weight[..], &layer.bias[..]]);
        }
        all
    }

    /// Writes the file.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let a = &self.architecture;
        let numbers = self.in_order().into_iter().flatten();
        let data: Vec<u8> = numbers.flat_map(|x| x.to_le_bytes()).collect();
        let tensors: Vec<Value> =
            tensors(a).iter().map(|tensor| json!([tensor.name, tensor.shape])).collect();
        // What Python, which has no definition of the planes, knows them by.
        let segments: Vec<Value> = a.shape.planes.segments().iter().map(segment).collect();
        let header = json!({
            "format": "nue-deep",
            "version": 1,
            "game": a.shape.game.name(),
            "planes": a.shape.planes.name(),
            "labels": a.shape.labels.name(),
            "kind": "resnet",
            "blocks": a.blocks,
            "channels": a.channels,
            "activation": "relu",
            "head_channels": a.policy_planes(),
            "value_channels": a.value_channels,
            "value_hidden": a.value_hidden,
            "label_count": a.shape.labels.count(),
            "segments": segments,
            "tensors": tensors,
            "crc32": crc32fast::hash(&data),
        });
        writeln!(to, "{header}")?;
        to.write_all(&data)
    }
}

/// How the numbers of a file are written.
#[derive(Clone, Copy)]
enum Numbers {
    Float32,
    Float16,
}

impl Numbers {
    fn of(header: &Value) -> Result<Self, FloatsError> {
        match &header["numbers"] {
            Value::Null => Ok(Self::Float32),
            known if known == "float32" => Ok(Self::Float32),
            known if known == "float16" => Ok(Self::Float16),
            found => Err(FloatsError::Field { field: "numbers", found: found.clone() }),
        }
    }

    const fn bytes(self) -> usize {
        match self {
            Self::Float32 => 4,
            Self::Float16 => 2,
        }
    }

    /// A number from its bytes, the lowest first.
    fn read(self, bytes: &[u8]) -> f32 {
        match *bytes {
            [a, b, c, d] => f32::from_le_bytes([a, b, c, d]),
            [a, b] => from_half(u16::from_le_bytes([a, b])),
            _ => f32::NAN,
        }
    }
}

/// A number of 16 bits: a sign, five bits of exponent, ten of fraction.
fn from_half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let exponent = i32::from(bits >> 10 & 0x1f);
    let fraction = f32::from(bits & 0x3ff) / 1024.0;
    let size = match exponent {
        0 => fraction * 2f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * 2f32.powi(exponent - 15),
    };
    sign * size
}

fn segment(segment: &Segment) -> Value {
    match segment {
        Segment::Boards(count) => json!({ "boards": count }),
        Segment::Flags(count) => json!({ "flags": count }),
        Segment::Values(units) => json!({ "values": units }),
    }
}

struct Tensor {
    name: String,
    shape: Vec<usize>,
}

impl Tensor {
    fn numbers(&self) -> usize {
        self.shape.iter().product()
    }
}

/// What a file of this architecture holds, in order.
fn tensors(a: &Architecture) -> Vec<Tensor> {
    let mut all = Vec::new();
    let mut put = |name: &str, shape: &[usize], bias: Option<usize>| {
        all.push(Tensor { name: format!("{name}.weight"), shape: shape.to_vec() });
        if let Some(outputs) = bias {
            all.push(Tensor { name: format!("{name}.bias"), shape: vec![outputs] });
        }
    };
    let c = a.channels;
    put("stem", &[c, a.shape.planes.count(), 3, 3], Some(c));
    for block in 0..a.blocks {
        for half in ["conv1", "conv2"] {
            put(&format!("blocks.{block}.{half}"), &[c, c, 3, 3], Some(c));
        }
    }
    put("policy.conv", &[a.policy_planes(), c, 1, 1], None);
    let labels = a.shape.labels.count();
    let value_inputs = a.value_channels * a.shape.game.squares();
    put("value.conv", &[a.value_channels, c, 1, 1], Some(a.value_channels));
    put("value.fc1", &[a.value_hidden, value_inputs], Some(a.value_hidden));
    put("value.fc2", &[1, a.value_hidden], Some(1));
    let at = all.iter().position(|t| t.name == "policy.conv.weight").map_or(0, |at| at + 1);
    all.insert(at, Tensor { name: "policy.bias".to_owned(), shape: vec![labels] });
    all
}

fn architecture(header: &Value) -> Result<Architecture, FloatsError> {
    if header["format"] != "nue-deep" {
        return Err(FloatsError::Format(header["format"].clone()));
    }
    if header["version"] != 1 {
        return Err(FloatsError::Version(header["version"].clone()));
    }
    for (field, known) in [("activation", "relu"), ("kind", "resnet")] {
        let found = &header[field];
        if found != known && !(found.is_null() && field == "kind") {
            return Err(FloatsError::Kind { field, found: found.clone() });
        }
    }
    let wrong = |field| FloatsError::Field { field, found: header[field].clone() };
    let name = |field| header[field].as_str().ok_or_else(|| wrong(field));
    let size = |field| {
        let number = header[field].as_u64().and_then(|n| usize::try_from(n).ok());
        number.filter(|&n| n <= 1 << 16).ok_or_else(|| wrong(field))
    };
    let game = name("game")?;
    let game = Game::ALL.into_iter().find(|g| g.name() == game).ok_or_else(|| wrong("game"))?;
    let planes = Planes::by_name(name("planes")?).ok_or_else(|| wrong("planes"))?;
    let labels = Labels::by_name(name("labels")?).ok_or_else(|| wrong("labels"))?;
    Ok(Architecture {
        shape: Shape { game, planes, labels },
        blocks: size("blocks")?,
        channels: size("channels")?,
        value_channels: size("value_channels")?,
        value_hidden: size("value_hidden")?,
    })
}

/// The tensors must be those of the architecture, in order.
fn check_tensors(header: &Value, expected: &[Tensor]) -> Result<(), FloatsError> {
    let found = header["tensors"].as_array().map_or(&[][..], Vec::as_slice);
    for at in 0..found.len().max(expected.len()) {
        let of = |tensor: &Tensor| json!([tensor.name, tensor.shape]);
        let (found, expected) = (found.get(at).cloned(), expected.get(at).map(of));
        if found != expected {
            let text = |x: Option<Value>| x.map_or_else(|| "(none)".to_owned(), |x| x.to_string());
            return Err(FloatsError::Tensors { found: text(found), expected: text(expected) });
        }
    }
    Ok(())
}
