//! Whole messages out of a server's lines: a `Game_Summary` block is one message.

use crate::server::ServerLine;
use crate::summary::{Summary, SummaryError};

/// Lines a block may have: a resumed game lists all its moves.
const LONGEST_BLOCK: usize = 20_000;

/// What a server says.
#[derive(Clone, PartialEq, Debug)]
pub enum Message {
    /// A line.
    Line(ServerLine),
    /// A game is proposed.
    Summary(Box<Summary>),
    /// A game is proposed that cannot be understood.
    BadSummary(SummaryError),
}

/// Puts messages together.
#[derive(Debug, Default)]
pub struct MessageReader {
    block: Option<Vec<String>>,
}

impl MessageReader {
    /// Takes a line in; a message if it completes one.
    pub fn line(&mut self, line: &str) -> Option<Message> {
        let Some(block) = &mut self.block else {
            if line == "BEGIN Game_Summary" {
                self.block = Some(Vec::new());
                return None;
            }
            return Some(Message::Line(ServerLine::parse(line)));
        };
        if line == "END Game_Summary" {
            let lines = self.block.take()?;
            return Some(match Summary::from_lines(lines.iter().map(String::as_str)) {
                Ok(summary) => Message::Summary(Box::new(summary)),
                Err(error) => Message::BadSummary(error),
            });
        }
        if block.len() >= LONGEST_BLOCK {
            self.block = None;
            return Some(Message::BadSummary(SummaryError::TooLong(LONGEST_BLOCK)));
        }
        block.push(line.to_owned());
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ending::Verdict;

    #[test]
    fn a_block_without_end_does_not_grow_for_ever() {
        let mut reader = MessageReader::default();
        assert_eq!(reader.line("BEGIN Game_Summary"), None);
        let message = (0..=LONGEST_BLOCK).find_map(|_| reader.line("x"));
        assert_eq!(message, Some(Message::BadSummary(SummaryError::TooLong(LONGEST_BLOCK))));
        let after = reader.line("#WIN");
        assert_eq!(after, Some(Message::Line(ServerLine::Verdict(Verdict::Win))));
    }

    #[test]
    fn a_bad_block_is_one_message() {
        let mut reader = MessageReader::default();
        for line in ["BEGIN Game_Summary", "Game_ID:x", "BEGIN Time", "END Time"] {
            assert_eq!(reader.line(line), None);
        }
        let message = reader.line("END Game_Summary");
        assert_eq!(message, Some(Message::BadSummary(SummaryError::Missing("Protocol_Version"))));
    }
}
