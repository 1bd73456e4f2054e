//! Numbers of headerless files, one after another.

use nnue::Difference;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;

/// Bytes read at a time.
const BUFFER: usize = 1 << 20;

/// One number of every entry of a file of signed little-endian numbers.
pub(super) struct FileNumbers {
    file: BufReader<File>,
    size: usize,
    width: usize,
    part: usize,
}

impl FileNumbers {
    /// Numbers of `size` bytes, `width` of them in an entry, of which `part` is given.
    pub(super) fn new(file: File, size: usize, width: usize, part: usize) -> Self {
        Self { file: BufReader::with_capacity(BUFFER, file), size, width, part }
    }
}

impl Iterator for FileNumbers {
    type Item = io::Result<i32>;

    fn next(&mut self) -> Option<io::Result<i32>> {
        let mut entry = [0; 8];
        let entry = &mut entry[..self.size * self.width];
        match self.file.read_exact(entry) {
            Ok(()) => Some(Ok(number(&entry[self.part * self.size..][..self.size]))),
            // Sizes were looked at before: there are whole entries up to the end.
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => None,
            Err(e) => Some(Err(e)),
        }
    }
}

fn number(bytes: &[u8]) -> i32 {
    match *bytes {
        [a, b] => i32::from(i16::from_le_bytes([a, b])),
        [a, b, c, d] => i32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

/// Writes the weighted mean of files of numbers of `size` bytes; what leaves their range is cut.
pub(super) fn mix_file(
    files: Vec<File>,
    weights: &[f64],
    size: usize,
    output: &mut impl Write,
) -> io::Result<()> {
    let one = |file| FileNumbers::new(file, size, 1, 0);
    let mut files: Vec<FileNumbers> = files.into_iter().map(one).collect();
    let mut output = BufWriter::with_capacity(BUFFER, output);
    loop {
        let mut sum = 0.0;
        for (file, weight) in files.iter_mut().zip(weights) {
            match file.next() {
                Some(value) => sum += f64::from(value?) * weight,
                None => return output.flush(),
            }
        }
        let mean = sum.round();
        match size {
            2 => output.write_all(&(mean as i16).to_le_bytes())?,
            _ => output.write_all(&(mean as i32).to_le_bytes())?,
        }
    }
}

/// Whether two files hold the same.
pub(super) fn same_bytes(one: &Path, other: &Path) -> io::Result<bool> {
    let open = |path| Ok::<_, io::Error>(BufReader::with_capacity(BUFFER, File::open(path)?));
    let (mut one, mut other) = (open(one)?, open(other)?);
    loop {
        let (a, b) = (one.fill_buf()?, other.fill_buf()?);
        let count = a.len().min(b.len());
        if a[..count] != b[..count] {
            return Ok(false);
        }
        if count == 0 {
            return Ok(a.len() == b.len());
        }
        one.consume(count);
        other.consume(count);
    }
}

/// How two groups of numbers differ.
pub(super) fn difference(
    a: impl Iterator<Item = io::Result<i32>>,
    b: impl Iterator<Item = io::Result<i32>>,
) -> io::Result<Difference> {
    let mut found = Difference::default();
    let mut distances = 0u64;
    // Sums of a, b, aa, ab and bb.
    let mut sums = [0f64; 5];
    for (a, b) in a.zip(b) {
        let (a, b) = (a?, b?);
        let distance = u64::from(a.abs_diff(b));
        found.count += 1;
        found.different += u64::from(distance > 0);
        found.largest = found.largest.max(distance);
        distances += distance;
        let (a, b) = (f64::from(a), f64::from(b));
        for (sum, term) in sums.iter_mut().zip([a, b, a * a, a * b, b * b]) {
            *sum += term;
        }
    }
    let count = (found.count as f64).max(1.0);
    found.mean = distances as f64 / count;
    let [a, b, aa, ab, bb] = sums;
    let spread = (aa - a * a / count) * (bb - b * b / count);
    found.correlation = match found.different {
        0 => 1.0,
        _ if spread > 0.0 => (ab - a * b / count) / spread.sqrt(),
        _ => 0.0,
    };
    Ok(found)
}
