//! Numbers and texts as bytes, and reading at a place.

use crate::BookError;
use std::fs::File;
use std::io;

/// Longest comment or source.
pub(crate) const LONGEST_TEXT: usize = 1 << 20;

/// Bytes that can be read anywhere without a cursor, so that several threads may: a file, or a book
/// inside the executable.
pub trait ReadAt: Send + Sync {
    /// Fills the buffer from there on.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// How many bytes there are.
    fn length(&self) -> io::Result<u64>;
}

impl ReadAt for File {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        os::files::read_exact_at(self, buffer, offset)
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

impl ReadAt for &[u8] {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let from = usize::try_from(offset).ok();
        let part = from.and_then(|from| self.get(from..from.checked_add(buffer.len())?));
        buffer.copy_from_slice(part.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }
}

/// Reads that many bytes at a place.
pub(crate) fn bytes_at(input: &dyn ReadAt, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    input.read_at(offset, &mut bytes)?;
    Ok(bytes)
}

/// A number in groups of seven bits, the lowest first.
#[inline]
pub(crate) fn put_number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A signed number, small ones of either sign in few bytes.
pub(crate) fn put_signed(out: &mut Vec<u8>, number: i64) {
    put_number(out, (number << 1 ^ number >> 63) as u64);
}

/// A text with its length before it.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) -> Result<(), BookError> {
    if text.len() > LONGEST_TEXT {
        return Err(BookError::Unfit(format!("a text of {} bytes", text.len())));
    }
    put_number(out, text.len() as u64);
    out.extend(text.as_bytes());
    Ok(())
}

/// Bytes being taken apart; `None` wherever they end too early or make no sense.
pub(crate) struct Taker<'a> {
    bytes: &'a [u8],
    /// Bytes taken.
    pub(crate) at: usize,
}

impl<'a> Taker<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.at == self.bytes.len()
    }

    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let part = self.bytes.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        Some(part)
    }

    #[inline]
    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    #[inline]
    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.array().map(|[byte]| byte)
    }

    #[inline]
    pub(crate) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    #[inline]
    pub(crate) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    #[inline]
    pub(crate) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    #[inline]
    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            if shift == 63 && byte > 1 {
                return None;
            }
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(number);
            }
        }
        None
    }

    #[inline]
    pub(crate) fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1) as i64 ^ -((number & 1) as i64))
    }

    pub(crate) fn skip_text(&mut self) -> Option<()> {
        let length = usize::try_from(self.number()?).ok().filter(|&n| n <= LONGEST_TEXT)?;
        self.take(length).map(drop)
    }

    pub(crate) fn text(&mut self) -> Option<&'a str> {
        let length = usize::try_from(self.number()?).ok().filter(|&n| n <= LONGEST_TEXT)?;
        std::str::from_utf8(self.take(length)?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_texts_come_back() {
        let mut out = Vec::new();
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let signed = [0, -1, 1, 63, -64, -65, i64::MAX, i64::MIN];
        numbers.iter().for_each(|&n| put_number(&mut out, n));
        signed.iter().for_each(|&n| put_signed(&mut out, n));
        put_text(&mut out, "定跡").unwrap();
        let mut taker = Taker::new(&out);
        assert!(numbers.iter().all(|&n| taker.number() == Some(n)));
        assert!(signed.iter().all(|&n| taker.signed() == Some(n)));
        assert_eq!(taker.text(), Some("定跡"));
        assert!(taker.is_empty());
    }

    #[test]
    fn nonsense_is_nothing() {
        for bytes in
            [&[128u8; 3][..], &[255; 10], &[255, 255, 255, 255, 255, 255, 255, 255, 255, 2]]
        {
            assert_eq!(Taker::new(bytes).number(), None, "{bytes:?}");
        }
        assert_eq!(Taker::new(&[5, b'a']).text(), None, "too short");
        assert_eq!(Taker::new(&[1, 255]).text(), None, "not UTF-8");
        assert_eq!(Taker::new(&[255, 255, 255, 127]).text(), None, "absurdly long");
        let mut buffer = [0; 4];
        assert!((&[0u8; 4][..]).read_at(1, &mut buffer).is_err());
        assert!((&[0u8; 4][..]).read_at(u64::MAX, &mut buffer).is_err());
    }
}
