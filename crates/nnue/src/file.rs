//! `nn.bin`: reading with every reason to refuse spelled out, and writing byte for byte what
//! was read. The layout is in docs/formats/nn-bin.md.

use crate::any::AnyNet;
use crate::architecture::{Architecture, Hashes};
use crate::net::{Header, Net, Transformer};
use crate::packed;
use features::FeatureSet;
use rules::Variant;
use simd::{AlignedVec, Parameters, Shape};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The first four bytes of every net.
pub const VERSION: u32 = 0x7AF3_2F16;
/// No known writer's description is near this long.
const MAX_DESCRIPTION: u32 = 4096;

/// Why a file is not a net we can use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// Reading failed.
    #[error("cannot read: {0}")]
    Read(#[from] io::Error),
    /// It ends before it should.
    #[error(
        "the file ends after {size} bytes, inside the header (a net begins with 12 bytes and its description)"
    )]
    Short { size: u64 },
    /// It does not begin like a net.
    #[error("not an NNUE file: it begins with {found:#010x}, a net with {VERSION:#010x}")]
    Version {
        /// The first four bytes.
        found: u32,
    },
    /// The description is impossibly long.
    #[error(
        "not an NNUE file: a description of {length} bytes (at most {MAX_DESCRIPTION} are expected)"
    )]
    Description { length: u32 },
    /// A net, but with inputs or layers we have no code for.
    #[error(
        "a net of an unknown kind {description:?} ({size} bytes): known are HalfKP, K+P, K+P_hm, HalfKPE9 and HalfKPKrank with clipped ReLU, and HalfKP for 5x5"
    )]
    Kind {
        description: String,
        /// Size of the file.
        size: u64,
    },
    /// The size is that of no net of the kind described.
    #[error("{size} bytes, but a net {architecture} with this header has {expected}: {}", if size < expected { "the file is cut short" } else { "the file is too long" })]
    Size {
        /// What the description says.
        architecture: Architecture,
        /// Size of the file.
        size: u64,
        /// Size of such a net.
        expected: u64,
    },
    /// A packed net that cannot be unpacked.
    #[error("a packed net, but damaged: {0}")]
    Packed(String),
    /// The layers do not fit together.
    #[error("{0}")]
    Layers(#[from] simd::LayersError),
    /// The same with the path that was tried.
    #[error("net {}: {source}", path.display())]
    At {
        /// The path, absolute where the system can say.
        path: PathBuf,
        source: Box<NetError>,
    },
}

impl AnyNet {
    /// Reads a net file. The error names the absolute path.
    pub fn load(path: &Path) -> Result<Self, NetError> {
        let read = || {
            let file = std::fs::File::open(path)?;
            let size = file.metadata()?.len();
            Self::read(io::BufReader::new(file), size)
        };
        read().map_err(|source| NetError::At {
            path: std::path::absolute(path).unwrap_or_else(|_| path.to_owned()),
            source: Box::new(source),
        })
    }

    /// Reads a net from memory.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, NetError> {
        Self::read(bytes, bytes.len() as u64)
    }

    /// Reads a net of `size` bytes. Nothing larger than the size is ever allocated.
    pub fn read(mut from: impl Read, size: u64) -> Result<Self, NetError> {
        if size < 12 {
            return Err(NetError::Short { size });
        }
        let version = read_u32(&mut from)?;
        if version == packed::MAGIC {
            return Self::read_packed(from, size);
        }
        if version != VERSION {
            return Err(NetError::Version { found: version });
        }
        let file = read_u32(&mut from)?;
        let length = read_u32(&mut from)?;
        if length > MAX_DESCRIPTION {
            return Err(NetError::Description { length });
        }
        if size < 16 + u64::from(length) {
            return Err(NetError::Short { size });
        }
        let mut description = vec![0; length as usize];
        from.read_exact(&mut description)?;
        let transformer = read_u32(&mut from)?;
        // The network's hash stands behind the transformer: not known yet.
        let hashes = Hashes { file, transformer, network: file ^ transformer };
        let architecture = identify(&description, hashes, size)?;
        let header = Header { description, hashes };
        Self::read_as(architecture, header, &mut from)
    }
}

/// The architecture of a file: what its description says if the size agrees, else a usual shape
/// of that size (some trainers write the text of another net), told apart by the hashes.
fn identify(description: &[u8], hashes: Hashes, size: u64) -> Result<Architecture, NetError> {
    let payload = size - 12 - description.len() as u64;
    let text = String::from_utf8_lossy(description);
    let described = Architecture::parse(&text);
    if let Some(architecture) = described.filter(|a| a.payload() == payload) {
        return Ok(architecture);
    }
    let candidates = Architecture::of_size(payload);
    let by_hash = candidates.iter().find(|a| {
        let h = a.hashes();
        h.network == hashes.network || h.transformer == hashes.transformer
    });
    if let Some(&found) = by_hash.or(candidates.first()) {
        return Ok(found);
    }
    Err(match described {
        Some(architecture) => {
            NetError::Size { architecture, size, expected: size - payload + architecture.payload() }
        }
        None => NetError::Kind { description: text.chars().take(200).collect(), size },
    })
}

impl<V: Variant, F: FeatureSet<V>> Net<V, F> {
    /// Reads what follows the transformer's hash.
    pub(crate) fn read_parameters(
        mut header: Header,
        shape: Shape,
        from: &mut dyn Read,
    ) -> Result<Self, NetError> {
        let biases = read_words(from, shape.l0)?;
        let weights = read_words(from, shape.l0 * F::INPUTS)?;
        header.hashes.network = read_u32(from)?;
        let parameters = Parameters {
            b1: read_longs(from, shape.h1)?,
            w1: read_bytes(from, shape.h1 * shape.row1())?,
            b2: read_longs(from, shape.h2)?,
            w2: read_bytes(from, shape.h2 * shape.row2())?,
            b3: read_u32(from)? as i32,
            w3: read_bytes(from, shape.row3())?,
        };
        let transformer = Transformer { biases, weights };
        Ok(Self::with_header(header, shape, transformer, parameters)?)
    }

    /// Writes the file: byte for byte what was read, if it was read.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let header = self.header();
        let hashes = header.hashes;
        to.write_all(&VERSION.to_le_bytes())?;
        to.write_all(&hashes.file.to_le_bytes())?;
        to.write_all(&(header.description.len() as u32).to_le_bytes())?;
        to.write_all(&header.description)?;
        to.write_all(&hashes.transformer.to_le_bytes())?;
        write_words(to, &self.transformer().biases)?;
        write_words(to, &self.transformer().weights)?;
        to.write_all(&hashes.network.to_le_bytes())?;
        let p = self.layers().parameters();
        write_longs(to, &p.b1)?;
        write_bytes(to, &p.w1)?;
        write_longs(to, &p.b2)?;
        write_bytes(to, &p.w2)?;
        write_longs(to, &[p.b3])?;
        write_bytes(to, &p.w3)
    }
}

fn read_u32(from: &mut dyn Read) -> io::Result<u32> {
    let mut bytes = [0; 4];
    from.read_exact(&mut bytes)?;
    Ok(u32::from_le_bytes(bytes))
}

fn read_words(from: &mut dyn Read, count: usize) -> io::Result<AlignedVec<i16>> {
    let mut words = AlignedVec::<i16>::zeroed(count);
    from.read_exact(words.as_bytes_mut())?;
    if cfg!(target_endian = "big") {
        words.iter_mut().for_each(|w| *w = w.swap_bytes());
    }
    Ok(words)
}

fn read_longs(from: &mut dyn Read, count: usize) -> io::Result<Vec<i32>> {
    (0..count).map(|_| read_u32(from).map(|x| x as i32)).collect()
}

fn read_bytes(from: &mut dyn Read, count: usize) -> io::Result<Vec<i8>> {
    let mut bytes = AlignedVec::<i8>::zeroed(count);
    from.read_exact(bytes.as_bytes_mut())?;
    Ok(bytes.to_vec())
}

fn write_words(to: &mut impl Write, words: &AlignedVec<i16>) -> io::Result<()> {
    if cfg!(target_endian = "little") {
        return to.write_all(words.as_bytes());
    }
    words.iter().try_for_each(|w| to.write_all(&w.to_le_bytes()))
}

fn write_longs(to: &mut impl Write, longs: &[i32]) -> io::Result<()> {
    longs.iter().try_for_each(|x| to.write_all(&x.to_le_bytes()))
}

fn write_bytes(to: &mut impl Write, bytes: &[i8]) -> io::Result<()> {
    let bytes: Vec<u8> = bytes.iter().map(|&b| b as u8).collect();
    to.write_all(&bytes)
}
