//! Lines of standard input, whatever they are: bounded in length, not trusted to be text.

use std::io::{self, BufRead};

/// Longest line that is read. A `position` command with a hundred thousand moves fits.
pub const LONGEST_LINE: usize = 1 << 20;

/// What came in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// A line of text, without its end.
    Text(String),
    /// A line of that many bytes, more than are read.
    TooLong(u64),
    /// A line that is not UTF-8; what can be read of it.
    NotText(String),
}

/// Reads the next line; `None` at the end of input or when reading fails for good.
pub fn next_line(input: &mut impl BufRead) -> Option<Line> {
    let mut line: Vec<u8> = Vec::new();
    let mut length = 0u64;
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return None,
        };
        if chunk.is_empty() {
            return (length > 0).then(|| finish(line, length));
        }
        let end = chunk.iter().position(|&b| b == b'\n');
        let content = &chunk[..end.unwrap_or(chunk.len())];
        let room = LONGEST_LINE.saturating_sub(line.len());
        line.extend_from_slice(&content[..content.len().min(room)]);
        length += content.len() as u64;
        let used = content.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Some(finish(line, length));
        }
    }
}

fn finish(line: Vec<u8>, length: u64) -> Line {
    if length > LONGEST_LINE as u64 {
        return Line::TooLong(length);
    }
    let text = String::from_utf8(line)
        .or_else(|error| os::names::in_code_page(error.as_bytes()).ok_or(error));
    text.map_or_else(
        |error| Line::NotText(String::from_utf8_lossy(error.as_bytes()).into_owned()),
        Line::Text,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::BufReader;

    fn lines(bytes: &[u8], buffer: usize) -> Vec<Line> {
        let mut input = BufReader::with_capacity(buffer, bytes);
        std::iter::from_fn(|| next_line(&mut input)).collect()
    }

    #[test]
    fn lines_are_split_whatever_ends_them() {
        let text = |s: &str| Line::Text(s.to_owned());
        assert_eq!(
            lines(b"usi\nquit\r\n\nlast", 3),
            [text("usi"), text("quit\r"), text(""), text("last")]
        );
        assert_eq!(lines(b"", 3), []);
    }

    #[test]
    fn long_lines_and_bytes_that_are_no_text_are_told_apart_from_text() {
        let mut bytes = vec![b'a'; LONGEST_LINE];
        bytes.push(b'\n');
        bytes.extend(vec![b'b'; LONGEST_LINE + 1]);
        bytes.extend(b"\nusi\n\xff\xfe go\n");
        let got = lines(&bytes, 4096);
        assert!(matches!(&got[0], Line::Text(line) if line.len() == LONGEST_LINE));
        assert_eq!(got[1], Line::TooLong(LONGEST_LINE as u64 + 1));
        assert_eq!(got[2], Line::Text("usi".to_owned()));
        assert_eq!(got[3], Line::NotText("\u{fffd}\u{fffd} go".to_owned()));
    }

    proptest! {
        #[test]
        fn no_bytes_panic_and_every_line_is_seen(bytes in any::<Vec<u8>>(), buffer in 1usize..9) {
            let ends = bytes.iter().filter(|&&b| b == b'\n').count();
            let open = bytes.last().is_some_and(|&b| b != b'\n');
            prop_assert_eq!(lines(&bytes, buffer).len(), ends + usize::from(open));
        }
    }
}
