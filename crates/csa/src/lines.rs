//! Bytes of a stream cut into lines.
//!
//! A packet may hold half a line, two lines, or a line that never ends. Lines end with LF; a CR
//! before it is not part of the line. However much a peer sends without ending a line, no more than
//! the limit is kept.

use std::collections::VecDeque;

/// One line as it came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Received {
    /// Text without its end.
    Line(String),
    /// Longer than allowed: its beginning, the rest was dropped.
    TooLong(String),
    /// Not text in UTF-8: what it says if it is Shift_JIS or EUC-JP, as comments and chat of older
    /// clients are.
    NotText(String),
}

/// Cuts a stream into lines.
#[derive(Debug)]
pub struct Splitter {
    longest: usize,
    partial: Vec<u8>,
    /// Inside a line that is too long already.
    overflow: bool,
    ready: VecDeque<Received>,
}

/// Longest line of a player that is kept whole: a move with a long evaluation comment fits.
pub const LONGEST_LINE: usize = 2048;

impl Default for Splitter {
    fn default() -> Self {
        Self::new(LONGEST_LINE)
    }
}

impl Splitter {
    /// Lines of at most that many bytes.
    pub fn new(longest: usize) -> Self {
        Self { longest, partial: Vec::new(), overflow: false, ready: VecDeque::new() }
    }

    /// Takes in what was read.
    pub fn feed(&mut self, mut bytes: &[u8]) {
        while let Some(end) = bytes.iter().position(|&b| b == b'\n') {
            self.keep(&bytes[..end]);
            self.end_line();
            bytes = &bytes[end + 1..];
        }
        self.keep(bytes);
    }

    /// The next whole line.
    pub fn next_line(&mut self) -> Option<Received> {
        self.ready.pop_front()
    }

    /// Bytes of a line that has not ended yet.
    pub fn pending(&self) -> usize {
        self.partial.len()
    }

    fn keep(&mut self, bytes: &[u8]) {
        // One byte more for the CR that may follow the longest line.
        let room = self.longest + 1 - self.partial.len();
        self.overflow |= bytes.len() > room;
        self.partial.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    fn end_line(&mut self) {
        if !self.overflow && self.partial.last() == Some(&b'\r') {
            self.partial.pop();
        }
        let received = if self.overflow || self.partial.len() > self.longest {
            self.partial.truncate(self.longest);
            Received::TooLong(beginning(&self.partial))
        } else {
            match std::str::from_utf8(&self.partial) {
                Ok(text) => Received::Line(text.to_owned()),
                Err(_) => Received::NotText(kifu::decode_text(&self.partial)),
            }
        };
        self.partial.clear();
        self.overflow = false;
        self.ready.push_back(received);
    }
}

/// The text of bytes that may have been cut within a character.
fn beginning(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.to_owned(),
        Err(error) if error.error_len().is_none() => {
            String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned()
        }
        Err(_) => kifu::decode_text(bytes),
    }
}

impl Iterator for Splitter {
    type Item = Received;

    fn next(&mut self) -> Option<Received> {
        self.next_line()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(bytes: &[u8], chunk: usize, longest: usize) -> Vec<Received> {
        let mut splitter = Splitter::new(longest);
        for part in bytes.chunks(chunk.max(1)) {
            splitter.feed(part);
        }
        splitter.collect()
    }

    fn line(text: &str) -> Received {
        Received::Line(text.to_owned())
    }

    #[test]
    fn two_lines_in_one_packet_and_one_line_in_many() {
        let bytes = b"+7776FU,T1\n-3334FU,T2\r\n\n%TORYO";
        for chunk in [1, 2, 5, 100] {
            let want = [line("+7776FU,T1"), line("-3334FU,T2"), line("")];
            assert_eq!(split(bytes, chunk, 100), want);
        }
    }

    #[test]
    fn only_the_carriage_return_at_the_end_goes() {
        assert_eq!(split(b"a\rb\r\r\n", 3, 100), [line("a\rb\r")]);
    }

    #[test]
    fn a_line_without_end_takes_no_memory_and_spoils_nothing_after_it() {
        let mut splitter = Splitter::new(10);
        for _ in 0..100_000 {
            splitter.feed(b"xxxxxxxxxxxx");
            assert!(splitter.pending() <= 11);
        }
        splitter.feed(b"\nLOGOUT\r\n0123456789\r\n01234567890\n");
        let cut = |text: &str| Received::TooLong(text.to_owned());
        let want = [cut("xxxxxxxxxx"), line("LOGOUT"), line("0123456789"), cut("0123456789")];
        assert_eq!(splitter.by_ref().collect::<Vec<_>>(), want);
    }

    #[test]
    fn bytes_that_are_no_text_are_told_apart() {
        let got = split(b"LOGIN \xff\xfe x\nok\n", 4, 100);
        assert!(matches!(&got[0], Received::NotText(text) if text.starts_with("LOGIN ")));
        assert_eq!(got[1], line("ok"));
        // 先手 in Shift_JIS and in EUC-JP, and a line cut within a character.
        for bytes in [&b"+7776FU,'\x90\xe6\x8e\xe8\n"[..], b"+7776FU,'\xc0\xe8\xbc\xea\n"] {
            assert_eq!(split(bytes, 3, 100), [Received::NotText("+7776FU,'先手".to_owned())]);
        }
        assert_eq!(split("先手\n".as_bytes(), 1, 4), [Received::TooLong("先".to_owned())]);
    }

    proptest! {
        #[test]
        fn packets_do_not_matter(bytes in any::<Vec<u8>>(), chunk in 1usize..9, longest in 0usize..12) {
            prop_assert_eq!(split(&bytes, chunk, longest), split(&bytes, usize::MAX, longest));
        }
    }
}
