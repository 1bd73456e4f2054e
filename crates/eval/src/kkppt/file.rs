//! The file of KKPPT tables. The layout is in docs/formats/kkppt.md.

use super::kings::KINGS;
use super::{FV_SCALE, KkpptTables};
use std::io::{self, Read, Write};

/// The name of the file inside an evaluation folder.
pub const KKPPT_FILE: &str = "kkppt.bin";
/// The first bytes of the file.
pub const KKPPT_MAGIC: [u8; 8] = *b"NueKKPPT";

const VERSION: u32 = 1;
const HEADER: usize = 36;
/// Bytes of the header the checksum covers: all before it.
const CHECKED: usize = 32;
/// A longer description is not read or written.
const LONGEST_DESCRIPTION: usize = 4096;
/// Numbers in the file.
const VALUES: usize = KINGS * (1 + KkpptTables::PIECES + KkpptTables::PAIRS) * 2;
/// No number takes more bytes than this.
const LONGEST_NUMBER: usize = 5;

/// Why a file does not hold KKPPT tables.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KkpptError {
    /// It cannot be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// It is some other file.
    #[error("it begins with {:?}, not with {:?}", .0.escape_ascii().to_string(), KKPPT_MAGIC.escape_ascii().to_string())]
    Magic(Vec<u8>),
    /// It was written by a later program.
    #[error("version {0}, expected {VERSION}")]
    Version(u32),
    /// Its numbers mean something else.
    #[error("made for {what} {found}, expected {expected}")]
    Kind {
        /// What does not fit.
        what: &'static str,
        /// In the file.
        found: u32,
        expected: u32,
    },
    /// It is shorter or longer than it says.
    #[error("{found} bytes, its header says {expected}")]
    Size {
        /// Bytes there are.
        found: u64,
        /// Bytes there should be.
        expected: u64,
    },
    /// Bytes were changed.
    #[error("damaged: checksum {found:#010x}, its header says {expected:#010x}")]
    Checksum {
        /// Of the bytes.
        found: u32,
        /// In the header.
        expected: u32,
    },
    /// The description is too long or not UTF-8.
    #[error("bad description: {0}")]
    Description(String),
    /// The numbers do not add up.
    #[error("bad number {index} of {VALUES}: {reason}")]
    Number {
        index: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
}

/// What the header says the numbers are for.
const KINDS: [(&str, u32); 3] = [
    ("places of kings:", KINGS as u32),
    ("piece numbers:", KkpptTables::PIECES as u32),
    ("units per value:", FV_SCALE as u32),
];

impl KkpptTables {
    /// Writes the file.
    pub fn write(&self, mut to: impl Write) -> Result<(), KkpptError> {
        let description = self.description.as_bytes();
        if description.len() > LONGEST_DESCRIPTION {
            let text = format!("{} bytes, at most {LONGEST_DESCRIPTION}", description.len());
            return Err(KkpptError::Description(text));
        }
        let mut numbers = Numbers::default();
        for place in 0..KINGS {
            numbers.pair(self.kk[place]);
            (0..Self::PIECES).for_each(|p| numbers.pair(self.kkp(place, p)));
            for a in 0..Self::PIECES {
                let row = self.row(place, a);
                row[..2 * (a + 1)].iter().for_each(|&x| numbers.add(i32::from(x)));
            }
        }
        let numbers = numbers.finish();
        let mut header = Vec::with_capacity(HEADER);
        header.extend(KKPPT_MAGIC);
        header.extend(VERSION.to_le_bytes());
        KINDS.iter().for_each(|(_, n)| header.extend(n.to_le_bytes()));
        header.extend((description.len() as u32).to_le_bytes());
        header.extend((numbers.len() as u32).to_le_bytes());
        let checksum = checksum(&header, description, &numbers);
        header.extend(checksum.to_le_bytes());
        to.write_all(&header)?;
        to.write_all(description)?;
        to.write_all(&numbers)?;
        to.flush()?;
        Ok(())
    }

    /// Reads a file. Nothing is believed before the checksum fits.
    pub fn read(mut from: impl Read) -> Result<Self, KkpptError> {
        let mut bytes = Vec::new();
        let longest = HEADER + LONGEST_DESCRIPTION + VALUES * LONGEST_NUMBER + 1;
        from.by_ref().take(longest as u64).read_to_end(&mut bytes)?;
        if !bytes.starts_with(&KKPPT_MAGIC) {
            bytes.truncate(KKPPT_MAGIC.len());
            return Err(KkpptError::Magic(bytes));
        }
        let short = KkpptError::Size { found: bytes.len() as u64, expected: HEADER as u64 };
        let Some((header, rest)) = bytes.split_at_checked(HEADER) else { return Err(short) };
        let field = |at: usize| {
            u32::from_le_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]])
        };
        if field(8) != VERSION {
            return Err(KkpptError::Version(field(8)));
        }
        for (i, &(what, expected)) in KINDS.iter().enumerate() {
            let found = field(12 + 4 * i);
            if found != expected {
                return Err(KkpptError::Kind { what, found, expected });
            }
        }
        let (described, expected) = (field(24) as usize, field(32));
        let size = (HEADER + described) as u64 + u64::from(field(28));
        if size != bytes.len() as u64 {
            return Err(KkpptError::Size { found: bytes.len() as u64, expected: size });
        }
        let (description, numbers) = rest.split_at(described);
        let found = checksum(&header[..CHECKED], description, numbers);
        if found != expected {
            return Err(KkpptError::Checksum { found, expected });
        }
        let description = String::from_utf8(description.to_vec())
            .map_err(|e| KkpptError::Description(e.to_string()))?;
        let mut tables = Self::zeroed();
        tables.description = description;
        tables.fill(&mut Reader { bytes: numbers, index: 0, zeros: 0 })?;
        Ok(tables)
    }

    fn fill(&mut self, from: &mut Reader<'_>) -> Result<(), KkpptError> {
        for place in 0..KINGS {
            self.kk[place] = [from.next()?, from.next()?];
            for piece in 0..Self::PIECES {
                self.kkp[place * Self::PIECES + piece] = [from.next()?, from.next()?];
            }
            for a in 0..Self::PIECES {
                let mut b = from.skip_pairs(a + 1);
                while b <= a {
                    self.set_kkpp(place, a, b, [from.short()?, from.short()?]);
                    b += 1;
                    b += from.skip_pairs(a + 1 - b);
                }
            }
        }
        match (from.bytes, from.zeros) {
            ([], 0) => Ok(()),
            _ => Err(from.error("more follows the last")),
        }
    }
}

fn checksum(header: &[u8], description: &[u8], numbers: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    [header, description, numbers].into_iter().for_each(|part| hasher.update(part));
    hasher.finalize()
}

/// Numbers being written: small ones take one byte, zeros are counted.
#[derive(Default)]
struct Numbers {
    bytes: Vec<u8>,
    zeros: u32,
}

impl Numbers {
    fn pair(&mut self, pair: [i32; 2]) {
        pair.into_iter().for_each(|x| self.add(x));
    }

    fn add(&mut self, x: i32) {
        if x == 0 {
            self.zeros += 1;
            return;
        }
        self.end_zeros();
        self.varint(((x << 1) ^ (x >> 31)) as u32);
    }

    fn end_zeros(&mut self) {
        if self.zeros > 0 {
            self.bytes.push(0);
            self.varint(self.zeros - 1);
            self.zeros = 0;
        }
    }

    fn varint(&mut self, mut x: u32) {
        while x >= 0x80 {
            self.bytes.push(x as u8 | 0x80);
            x >>= 7;
        }
        self.bytes.push(x as u8);
    }

    fn finish(mut self) -> Vec<u8> {
        self.end_zeros();
        self.bytes
    }
}

/// Numbers being read.
struct Reader<'a> {
    bytes: &'a [u8],
    /// Numbers given out.
    index: usize,
    /// Zeros still to come.
    zeros: u32,
}

impl Reader<'_> {
    fn error(&self, reason: &'static str) -> KkpptError {
        KkpptError::Number { index: self.index, reason }
    }

    fn varint(&mut self) -> Result<u32, KkpptError> {
        let mut x = 0u32;
        for shift in (0..).step_by(7).take(LONGEST_NUMBER) {
            let Some((&byte, rest)) = self.bytes.split_first() else {
                return Err(self.error("the file ends before it"));
            };
            self.bytes = rest;
            let part = u32::from(byte & 0x7F);
            if part << shift >> shift != part {
                break;
            }
            x |= part << shift;
            if byte < 0x80 {
                return Ok(x);
            }
        }
        Err(self.error("longer than 32 bits"))
    }

    fn next(&mut self) -> Result<i32, KkpptError> {
        if self.zeros > 0 {
            self.zeros -= 1;
            self.index += 1;
            return Ok(0);
        }
        let x = self.varint()?;
        if x == 0 {
            self.zeros = self.varint()?;
        }
        self.index += 1;
        Ok((x >> 1) as i32 ^ -((x & 1) as i32))
    }

    /// Passes over pairs of zeros: at most so many; the answer is how many.
    fn skip_pairs(&mut self, most: usize) -> usize {
        let pairs = most.min(self.zeros as usize / 2);
        self.zeros -= 2 * pairs as u32;
        self.index += 2 * pairs;
        pairs
    }

    fn short(&mut self) -> Result<i16, KkpptError> {
        let x = self.next()?;
        i16::try_from(x).map_err(|_| self.error("longer than 16 bits"))
    }
}
