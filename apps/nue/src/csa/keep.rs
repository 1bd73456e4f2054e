//! What is kept of games: records, and a log of every line with its time.

use super::session::Finished;
use crate::draft::Draft;
use ::csa::{Reason, Verdict};
use ::server::calendar;
use ::server::conditions::{Conditions, Finish};
use rules::{Color, Declaration};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Now, in seconds and milliseconds since the beginning of 1970.
fn wall() -> (i64, u32) {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_millis())
}

/// A log of the conversation.
pub(super) struct Log(Option<BufWriter<File>>);

impl Log {
    pub(super) fn open(path: Option<&Path>) -> std::io::Result<Self> {
        let file =
            path.map(|path| File::options().create(true).append(true).open(path)).transpose()?;
        Ok(Self(file.map(BufWriter::new)))
    }

    /// Writes a line: `>` sent, `<` received, `#` noted.
    pub(super) fn write(&mut self, sign: char, text: &str) {
        let Some(file) = &mut self.0 else { return };
        let (seconds, millis) = wall();
        let time = calendar::text(seconds);
        // A full disk must not cost the game.
        let _ = writeln!(file, "{time}.{millis:03} {sign} {text}").and_then(|()| file.flush());
    }
}

/// Writes the record of a game into a folder; gives its path.
pub(super) fn save(folder: &Path, game: &Finished) -> Result<PathBuf, String> {
    let (now, _) = wall();
    let summary = &game.summary;
    let conditions = Conditions {
        id: summary.id.clone(),
        event: String::new(),
        names: summary.names.clone(),
        times: Color::BOTH.map(|c| summary.times.of(c)),
        start: summary.start.clone(),
        max_moves: summary.max_moves,
        declaration: Declaration::Points27,
        rated: false,
        interruptions: 0,
    };
    let finish = game.end.map(|(reason, verdict)| Finish {
        reason,
        winner: match verdict {
            Verdict::Win => Some(summary.your_turn),
            Verdict::Lose => Some(summary.your_turn.opponent()),
            _ => None,
        },
        last: game.last.clone().filter(|_| reason != Reason::TimeUp),
        abandoned: false,
    });
    let used: u64 = game.moves.iter().map(|m| m.time.as_secs()).sum();
    let started = now - i64::try_from(used).unwrap_or(0);
    let record =
        ::server::record::record(&conditions, &game.moves, finish.as_ref(), started, Some(now));
    let bytes = ::server::record::csa_file(&record).map_err(|error| error.to_string())?;
    let safe = |c: char| if c.is_ascii_alphanumeric() || "+-_.@".contains(c) { c } else { '_' };
    let mut name: String = summary.id.chars().map(safe).take(150).collect();
    if name.is_empty() {
        name = calendar::digits(now);
    }
    let path = folder.join(format!("{name}.csa"));
    let mut draft = Draft::new(&path).map_err(|error| error.to_string())?;
    draft.write_all(&bytes).map_err(|error| error.to_string())?;
    // The record of a game taken up again replaces the one of its first part.
    draft.publish(true).map_err(|error| error.to_string())?;
    Ok(path)
}
