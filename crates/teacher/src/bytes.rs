//! Numbers as bytes: what the columns of a block are made of.

/// Bytes read from the front; `None` when they are at an end or make no sense.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes<'a>(pub(crate) &'a [u8]);

impl<'a> Bytes<'a> {
    #[inline]
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    pub(crate) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    /// Seven bits a byte, lowest first; the high bit says that more follow.
    #[inline]
    pub(crate) fn varint(&mut self) -> Option<u32> {
        let first = self.byte()?;
        if first < 128 {
            return Some(u32::from(first));
        }
        let mut value = u32::from(first & 127);
        for shift in [7, 14, 21, 28] {
            let byte = self.byte()?;
            if shift == 28 && byte > 15 {
                return None;
            }
            value |= u32::from(byte & 127) << shift;
            if byte < 128 {
                return Some(value);
            }
        }
        None
    }

    /// A signed number: 0, −1, 1, −2, … as 0, 1, 2, 3, …
    #[inline]
    pub(crate) fn signed(&mut self) -> Option<i32> {
        let n = self.varint()?;
        Some((n >> 1) as i32 ^ -((n & 1) as i32))
    }
}

/// A column that is read through.
#[derive(Debug, Default)]
pub(crate) struct ColumnReader {
    pub(crate) bytes: Vec<u8>,
    pub(crate) at: usize,
}

impl ColumnReader {
    #[inline]
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    /// Reads something longer; what could not be read is not passed over.
    #[inline]
    pub(crate) fn read<T>(&mut self, f: impl FnOnce(&mut Bytes<'_>) -> Option<T>) -> Option<T> {
        let mut rest = Bytes(self.bytes.get(self.at..)?);
        let value = f(&mut rest)?;
        self.at = self.bytes.len() - rest.0.len();
        Some(value)
    }
}

/// Appends what [`Bytes::varint`] reads.
pub(crate) fn put_varint(out: &mut Vec<u8>, mut n: u32) {
    while n >= 128 {
        out.push(n as u8 | 128);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Appends what [`Bytes::signed`] reads.
pub(crate) fn put_signed(out: &mut Vec<u8>, n: i32) {
    put_varint(out, (n << 1 ^ n >> 31) as u32);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn numbers_read_back(a in any::<u32>(), b in any::<i32>()) {
            let mut out = Vec::new();
            put_varint(&mut out, a);
            put_signed(&mut out, b);
            let mut bytes = Bytes(&out);
            prop_assert_eq!(bytes.varint(), Some(a));
            prop_assert_eq!(bytes.signed(), Some(b));
            prop_assert!(bytes.0.is_empty());
        }

        #[test]
        fn nonsense_is_none(junk in prop::collection::vec(any::<u8>(), 0..8)) {
            let mut bytes = Bytes(&junk);
            while bytes.varint().is_some() {}
        }
    }

    #[test]
    fn sizes() {
        for (n, size) in [(0, 1), (127, 1), (128, 2), (16_383, 2), (16_384, 3), (u32::MAX, 5)] {
            let mut out = Vec::new();
            put_varint(&mut out, n);
            assert_eq!(out.len(), size, "{n}");
        }
        assert_eq!(Bytes(&[0xFF, 0xFF, 0xFF, 0xFF, 0x1F]).varint(), None, "more than 32 bits");
    }
}
