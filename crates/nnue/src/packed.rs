//! Packed nets: `nn.bin` made small, for nets that travel.
//!
//! First-layer weights are 16-bit numbers most of which are small: their high bytes are nearly
//! all 0 or 255. So the bytes of the file at even places and those at odd places are packed as two
//! streams by themselves. [`AnyNet::read`] reads packed nets like others; unpacked they are byte
//! for byte what was packed. The layout is in docs/formats/nn-bin.md.

use crate::any::AnyNet;
use crate::file::NetError;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use std::io::{self, Read, Write};

/// The first four bytes of a packed net: "NueZ".
pub(crate) const MAGIC: u32 = u32::from_le_bytes(*b"NueZ");
/// Bytes before the streams: magic, length, checksum, length of the first stream.
const HEAD: u64 = 20;
/// No net is near this large.
const LARGEST: u64 = 1 << 32;
/// Deflate's strongest level.
const LEVEL: u32 = 10;

impl AnyNet {
    /// Writes the net packed.
    pub fn write_packed(&self, to: &mut impl Write) -> io::Result<()> {
        let mut raw = Vec::new();
        self.write(&mut raw)?;
        let plane = |odd: usize| -> Vec<u8> { raw.iter().skip(odd).step_by(2).copied().collect() };
        let (even, odd) = (pack(&plane(0))?, pack(&plane(1))?);
        to.write_all(&MAGIC.to_le_bytes())?;
        to.write_all(&(raw.len() as u64).to_le_bytes())?;
        to.write_all(&crc32fast::hash(&raw).to_le_bytes())?;
        to.write_all(&(even.len() as u32).to_le_bytes())?;
        to.write_all(&even)?;
        to.write_all(&odd)
    }

    /// Reads what follows the magic of a packed net of `size` bytes in all.
    pub(crate) fn read_packed(mut from: impl Read, size: u64) -> Result<Self, NetError> {
        if size < HEAD {
            return Err(NetError::Short { size });
        }
        let mut head = [0; HEAD as usize - 4];
        from.read_exact(&mut head)?;
        let number =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let length = u64::from(number(0)) | u64::from(number(4)) << 32;
        let first = u64::from(number(12));
        if length > LARGEST {
            return Err(NetError::Packed(format!("it says that it holds {length} bytes")));
        }
        if HEAD + first > size {
            return Err(NetError::Packed("it is cut short".to_owned()));
        }
        let mut streams = Vec::new();
        from.take(size - HEAD).read_to_end(&mut streams)?;
        let (even, odd) = streams
            .split_at_checked(first as usize)
            .ok_or_else(|| NetError::Packed("it is cut short".to_owned()))?;
        let even = unpack(even, length.div_ceil(2))?;
        let odd = unpack(odd, length / 2)?;
        let mut raw = vec![0; length as usize];
        for (plane, bytes) in [even, odd].iter().enumerate() {
            for (to, &byte) in raw.iter_mut().skip(plane).step_by(2).zip(bytes) {
                *to = byte;
            }
        }
        if crc32fast::hash(&raw) != number(8) {
            return Err(NetError::Packed("the checksum is wrong".to_owned()));
        }
        // One inside another is nothing anybody writes.
        if raw.starts_with(&MAGIC.to_le_bytes()) {
            return Err(NetError::Version { found: MAGIC });
        }
        Self::from_bytes(&raw)
    }
}

fn pack(plane: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(LEVEL));
    encoder.write_all(plane)?;
    encoder.finish()
}

fn unpack(stream: &[u8], length: u64) -> Result<Vec<u8>, NetError> {
    let mut bytes = Vec::new();
    // One byte more than there should be is enough to see that it is too long.
    DeflateDecoder::new(stream)
        .take(length + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| NetError::Packed(e.to_string()))?;
    if bytes.len() as u64 != length {
        let found = bytes.len();
        return Err(NetError::Packed(format!("a stream of {found} bytes instead of {length}")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Architecture, FeatureKind, Noise, Shape};
    use proptest::prelude::*;
    use std::sync::LazyLock;

    fn net(features: FeatureKind) -> AnyNet {
        let shape = Shape { l0: 64, h1: 8, h2: 8 };
        AnyNet::random(Architecture { features, shape }, Noise::ordinary(7))
    }

    fn packed() -> Vec<u8> {
        let mut bytes = Vec::new();
        net(FeatureKind::KP).write_packed(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_packed_net_reads_back_byte_for_byte_and_is_smaller() {
        for kind in [FeatureKind::KP, FeatureKind::MiniHalfKp] {
            let net = net(kind);
            let (mut raw, mut small) = (Vec::new(), Vec::new());
            net.write(&mut raw).unwrap();
            net.write_packed(&mut small).unwrap();
            assert!(small.len() * 10 < raw.len() * 7, "{} of {}", small.len(), raw.len());
            let mut again = Vec::new();
            AnyNet::from_bytes(&small).unwrap().write(&mut again).unwrap();
            assert!(raw == again);
        }
    }

    #[test]
    fn damage_is_told() {
        let whole = packed();
        for length in [0, 3, 11, 19, 20, 100, whole.len() - 1] {
            assert!(AnyNet::from_bytes(&whole[..length]).is_err(), "{length}");
        }
        let mut huge = whole.clone();
        huge[4..12].copy_from_slice(&u64::MAX.to_le_bytes());
        let error = AnyNet::from_bytes(&huge).unwrap_err();
        assert!(error.to_string().contains("holds 18446744073709551615 bytes"), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_wrong_byte_never_makes_another_net(at in 0usize..1 << 20, by in 1u8..) {
            static PACKED: LazyLock<Vec<u8>> = LazyLock::new(packed);
            let mut bytes = PACKED.clone();
            let at = at % bytes.len();
            bytes[at] ^= by;
            // The last byte of a stream has bits that mean nothing.
            if let Ok(read) = AnyNet::from_bytes(&bytes) {
                let (mut raw, mut damaged) = (Vec::new(), Vec::new());
                net(FeatureKind::KP).write(&mut raw).unwrap();
                read.write(&mut damaged).unwrap();
                prop_assert!(raw == damaged);
            }
        }
    }
}
