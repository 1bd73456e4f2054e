//! Long arrays of which most are zeros, in checkpoints.

use std::io::{self, Read, Write};

/// Numbers that are zero or not together.
const BLOCK: usize = 256;

/// Writes an array: for every block a byte that says whether anything is in it, and if so all of
/// it.
pub(super) fn write(to: &mut dyn Write, values: &[f32]) -> io::Result<()> {
    let mut bytes = Vec::with_capacity(1 + 4 * BLOCK);
    for block in values.chunks(BLOCK) {
        bytes.clear();
        // The bits, not the values: −0.0 must come back as it was.
        let used = block.iter().any(|x| x.to_bits() != 0);
        bytes.push(used.into());
        if used {
            bytes.extend(block.iter().flat_map(|x| x.to_le_bytes()));
        }
        to.write_all(&bytes)?;
    }
    Ok(())
}

/// Reads what [`write`] wrote into an array of the same length.
pub(super) fn read(from: &mut dyn Read, values: &mut [f32]) -> io::Result<()> {
    let mut bytes = [0; 4 * BLOCK];
    for block in values.chunks_mut(BLOCK) {
        let mut used = [0];
        from.read_exact(&mut used)?;
        match used[0] {
            // What nobody touched stays so: untouched memory costs nothing.
            0 if block.iter().all(|x| x.to_bits() == 0) => (),
            0 => block.fill(0.0),
            1 => {
                let bytes = &mut bytes[..4 * block.len()];
                from.read_exact(bytes)?;
                for (x, bytes) in block.iter_mut().zip(bytes.as_chunks().0) {
                    *x = f32::from_le_bytes(*bytes);
                }
            }
            other => {
                let reason = format!("a block of a table begins with {other}, not with 0 or 1");
                return Err(io::Error::new(io::ErrorKind::InvalidData, reason));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_round_trip() {
        for len in [0, 1, 255, 256, 257, 5000] {
            let mut values = vec![0.0f32; len];
            for i in (0..len).filter(|i| i % 700 == 3) {
                values[i] = if i % 2 == 0 { -0.0 } else { i as f32 + 0.1 };
            }
            let mut bytes = Vec::new();
            write(&mut bytes, &values).unwrap();
            let mut again = vec![7.0; len];
            read(&mut &bytes[..], &mut again).unwrap();
            let bits = |v: &[f32]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&again), bits(&values));
            if len > 0 {
                assert!(read(&mut &bytes[..bytes.len() - 1], &mut again).is_err());
                bytes[0] = 9;
                assert!(read(&mut &bytes[..], &mut again).is_err());
            }
        }
    }
}
