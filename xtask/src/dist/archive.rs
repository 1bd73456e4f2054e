//! Archives of the same bytes every time: files sorted, times given, owners nobody.

use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder};
use std::error::Error;
use std::io::{self, Write};

/// How files are packed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    TarGz,
    Zip,
}

impl Kind {
    pub(super) const fn extension(self) -> &'static str {
        match self {
            Self::TarGz => "tar.gz",
            Self::Zip => "zip",
        }
    }
}

/// A file of an archive.
pub(super) struct Entry {
    path: String,
    bytes: Vec<u8>,
    is_program: bool,
}

impl Entry {
    pub(super) fn file(path: &str, bytes: Vec<u8>) -> Self {
        Self { path: path.to_owned(), bytes, is_program: false }
    }

    pub(super) fn program(path: &str, bytes: Vec<u8>) -> Self {
        Self { path: path.to_owned(), bytes, is_program: true }
    }

    fn mode(&self) -> u32 {
        if self.is_program { 0o755 } else { 0o644 }
    }
}

/// Packs files into a folder; `time` is that of all of them, in seconds since 1970.
pub(super) fn pack(
    kind: Kind,
    folder: &str,
    mut entries: Vec<Entry>,
    time: u64,
) -> Result<Vec<u8>, Box<dyn Error>> {
    for entry in &mut entries {
        entry.path = format!("{folder}/{}", entry.path);
    }
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    match kind {
        Kind::TarGz => tar_gz(&entries, time),
        Kind::Zip => zip(&entries, time),
    }
}

const BLOCK: usize = 512;

fn tar_gz(entries: &[Entry], time: u64) -> Result<Vec<u8>, Box<dyn Error>> {
    // No name and no time in its head.
    let mut out = GzEncoder::new(Vec::new(), Compression::best());
    for entry in entries {
        out.write_all(&tar_head(entry, time)?)?;
        out.write_all(&entry.bytes)?;
        out.write_all(&vec![0; entry.bytes.len().next_multiple_of(BLOCK) - entry.bytes.len()])?;
    }
    out.write_all(&[0; 2 * BLOCK])?;
    Ok(out.finish()?)
}

/// The head of a file as POSIX has it (ustar).
fn tar_head(entry: &Entry, time: u64) -> Result<[u8; BLOCK], Box<dyn Error>> {
    let mut head = [0; BLOCK];
    let mut put =
        |at: usize, text: &str| head[at..at + text.len()].copy_from_slice(text.as_bytes());
    if entry.path.len() > 100 {
        return Err(format!("{}: a name of more than 100 bytes", entry.path).into());
    }
    put(0, &entry.path);
    put(100, &format!("{:07o}", entry.mode()));
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{:011o}", entry.bytes.len()));
    put(136, &format!("{time:011o}"));
    put(148, "        ");
    put(156, "0");
    put(257, "ustar\x0000");
    let sum: u32 = head.iter().map(|&byte| u32::from(byte)).sum();
    head[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(head)
}

fn zip(entries: &[Entry], time: u64) -> Result<Vec<u8>, Box<dyn Error>> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let offset = u32::try_from(out.len())?;
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&entry.bytes)?;
        let packed = packed.finish()?;
        let fields = zip_fields(entry, &packed, time)?;
        out.extend(b"PK\x03\x04");
        out.extend(&fields);
        out.extend(entry.path.as_bytes());
        out.extend(&packed);
        // Made by version 2.0 on Unix, so that programs stay programs where it is unpacked there.
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(&fields);
        directory.extend([0; 6]);
        directory.extend((entry.mode() << 16 | 0o100_000 << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(entry.path.as_bytes());
    }
    let (count, start) = (u16::try_from(entries.len())?, u32::try_from(out.len())?);
    out.extend(&directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    out.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    out.extend(u32::try_from(directory.len())?.to_le_bytes());
    out.extend(start.to_le_bytes());
    out.extend([0; 2]);
    Ok(out)
}

/// What the head of a file and its line of the directory have in common.
fn zip_fields(entry: &Entry, packed: &[u8], time: u64) -> io::Result<Vec<u8>> {
    let size = |bytes: &[u8]| u32::try_from(bytes.len()).map_err(io::Error::other);
    let mut fields = Vec::new();
    // Needs version 2.0; names are UTF-8; deflated.
    fields.extend([20u16, 1 << 11, 8].iter().flat_map(|field| field.to_le_bytes()));
    fields.extend(dos_time(time));
    fields.extend(crc32fast::hash(&entry.bytes).to_le_bytes());
    fields.extend(size(packed)?.to_le_bytes());
    fields.extend(size(&entry.bytes)?.to_le_bytes());
    fields.extend(u16::try_from(entry.path.len()).map_err(io::Error::other)?.to_le_bytes());
    fields.extend([0; 2]);
    Ok(fields)
}

/// A time as zip has it: steps of two seconds since 1980, in Greenwich.
fn dos_time(time: u64) -> [u8; 4] {
    let (days, second) = (time / 86_400, time % 86_400);
    let (year, month, day) = date(days);
    let clock = second / 3600 << 11 | second / 60 % 60 << 5 | second % 60 / 2;
    let calendar = year.saturating_sub(1980) << 9 | month << 5 | day;
    let ([a, b, ..], [c, d, ..]) = (clock.to_le_bytes(), calendar.to_le_bytes());
    [a, b, c, d]
}

/// Year, month and day of a number of days since 1970.
fn date(days: u64) -> (u64, u64, u64) {
    // Counted from the first of March of the year 0, years that end with February.
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let calendar_month = if month < 10 { month + 3 } else { month - 9 };
    (400 * era + year + u64::from(calendar_month <= 2), calendar_month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    fn entries() -> Vec<Entry> {
        let long = b"nue ".repeat(1000);
        vec![Entry::program("nue", long), Entry::file("docs/将棋.txt", b"text".to_vec())]
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (days, wanted) in [
            (0, (1970, 1, 1)),
            (58, (1970, 2, 28)),
            (59, (1970, 3, 1)),
            (11_016, (2000, 2, 29)),
            (20_773, (2026, 11, 16)),
        ] {
            assert_eq!(date(days), wanted, "{days}");
        }
        assert_eq!(dos_time(0)[2..], [0b0010_0001, 0], "never before 1980");
    }

    #[test]
    fn the_order_of_files_makes_no_difference() {
        for kind in [Kind::TarGz, Kind::Zip] {
            let mut reversed = entries();
            reversed.reverse();
            let one = pack(kind, "nue-1", entries(), 1_700_000_000).unwrap();
            assert_eq!(one, pack(kind, "nue-1", reversed, 1_700_000_000).unwrap());
            assert_ne!(one, pack(kind, "nue-1", entries(), 1_700_000_002).unwrap());
        }
    }

    #[test]
    fn what_is_packed_can_be_unpacked() {
        let tar = pack(Kind::TarGz, "nue-1", entries(), 1_700_000_000).unwrap();
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(&*tar).read_to_end(&mut plain).unwrap();
        assert_eq!(&plain[..17], "nue-1/docs/将棋".as_bytes());
        assert_eq!(&plain[BLOCK..BLOCK + 4], b"text");
        assert_eq!(&plain[2 * BLOCK..2 * BLOCK + 9], b"nue-1/nue");
        assert_eq!(&plain[2 * BLOCK + 100..2 * BLOCK + 107], b"0000755");
        assert_eq!(plain.len() % BLOCK, 0);
        // Both, where a system has the programs, by somebody else's hands.
        let Some(python) = fixtures::python() else { return };
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path();
        let zip = pack(Kind::Zip, "nue-1", entries(), 1_700_000_000).unwrap();
        std::fs::write(folder.join("a.zip"), zip).unwrap();
        std::fs::write(folder.join("a.tar.gz"), tar).unwrap();
        let script = "import tarfile, zipfile\n\
                      z = zipfile.ZipFile('a.zip')\n\
                      assert z.testzip() is None\n\
                      assert z.namelist() == ['nue-1/docs/将棋.txt', 'nue-1/nue'], z.namelist()\n\
                      assert z.read('nue-1/nue') == b'nue ' * 1000\n\
                      t = tarfile.open('a.tar.gz')\n\
                      assert t.getnames() == z.namelist(), t.getnames()\n\
                      assert t.extractfile('nue-1/nue').read() == b'nue ' * 1000\n";
        let asked = std::process::Command::new(python)
            .args(["-X", "utf8", "-c", script])
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
    }

    #[test]
    fn names_that_do_not_fit_are_refused() {
        let long = vec![Entry::file(&"x".repeat(100), Vec::new())];
        assert!(pack(Kind::TarGz, "nue-1", long, 0).is_err());
    }
}
