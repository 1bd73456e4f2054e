//! Writing records, one or many to an output.

use crate::error::WriteError;
use crate::format::Format;
use crate::options::{Encoding, Losses, WriteOptions};
use crate::record::Record;
use crate::{csa, encoding, jkf, kakinoki, usi};
use std::io::Write;

/// The bytes of one record, and what the format had no room for.
pub fn to_bytes(
    record: &Record,
    format: Format,
    options: &WriteOptions,
) -> Result<(Vec<u8>, Losses), WriteError> {
    let mut losses = Losses::default();
    let text = match format {
        Format::Csa => csa::write(record, options, &mut losses),
        Format::Kif => kakinoki::write_kif(record, options, &mut losses),
        Format::Ki2 => kakinoki::write_ki2(record, options, &mut losses),
        Format::Jkf => jkf::write(record, &mut losses)?,
        Format::Usi => usi::write(record, &mut losses),
    };
    let encoding = match format {
        Format::Jkf | Format::Usi => Encoding::Utf8,
        _ => options.encoding,
    };
    let (bytes, missing) = encoding::encode(&text, encoding);
    losses.characters = missing;
    Ok((bytes, losses))
}

/// Writes records to one output, with whatever the format puts between them.
pub struct Writer<W> {
    output: W,
    format: Format,
    options: WriteOptions,
    written: usize,
}

impl<W: Write> Writer<W> {
    /// Writes to `output`.
    pub const fn new(output: W, format: Format, options: WriteOptions) -> Self {
        Self { output, format, options, written: 0 }
    }

    /// Writes one record.
    pub fn write(&mut self, record: &Record) -> Result<Losses, WriteError> {
        let (bytes, losses) = to_bytes(record, self.format, &self.options)?;
        let between: &[u8] = match self.format {
            Format::Csa => b"/\n",
            Format::Kif | Format::Ki2 => b"\n",
            Format::Jkf | Format::Usi => b"",
        };
        if self.written > 0 {
            self.output.write_all(between)?;
        }
        self.output.write_all(&bytes)?;
        self.written += 1;
        Ok(losses)
    }

    /// Records written so far.
    pub const fn written(&self) -> usize {
        self.written
    }

    /// Flushes and gives the output back.
    pub fn finish(mut self) -> Result<W, WriteError> {
        self.output.flush()?;
        Ok(self.output)
    }
}
