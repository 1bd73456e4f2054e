//! How fast a teacher file is read: `throughput FILE [PASSES]` decodes every position.

use rules::{Minishogi, Shogi, Variant};
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::time::Instant;
use teacher::{Block, Cursor, Reader, TeacherError};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let path = args.next().ok_or("usage: throughput FILE [PASSES]")?;
    let passes: u32 = args.next().map_or(Ok(1), |n| n.parse())?;
    let length = std::fs::metadata(&path)?.len();
    let begun = Instant::now();
    let (mut positions, mut keys) = (0u64, 0u64);
    for _ in 0..passes {
        let reader = Reader::new(BufReader::with_capacity(1 << 20, File::open(&path)?))?;
        let (n, k) = match reader.header().game {
            rules::Game::Shogi => decode::<Shogi>(reader)?,
            rules::Game::Minishogi => decode::<Minishogi>(reader)?,
        };
        positions += n;
        keys ^= k;
    }
    let rate = positions as f64 / begun.elapsed().as_secs_f64() / 1e6;
    let size = length as f64 * f64::from(passes) / positions as f64;
    let mut out = io::stdout();
    writeln!(out, "{positions} positions, {size:.3} bytes each, {rate:.2} M/s, keys {keys:016x}")?;
    Ok(())
}

/// Counts positions, and combines their keys so that nothing is left out.
fn decode<V: Variant>(mut reader: Reader<BufReader<File>>) -> Result<(u64, u64), TeacherError> {
    let (mut block, mut cursor) = (Block::new(), Cursor::<V>::new());
    let (mut positions, mut keys) = (0, 0);
    while reader.next_block(&mut block)? {
        cursor.open(&block)?;
        while cursor.next_game()? {
            while let Some(sample) = cursor.next_position()? {
                positions += 1;
                keys ^= sample.position.key();
            }
        }
    }
    Ok((positions, keys))
}
