//! What is kept of games: records, and a log of every line with its time.

use crate::error::Error;
use crate::session::FinishedGame;
use csa::record::{Finish, GameRecord, csa_file};
use csa::{ReasonWord, Verdict};
use durable::Draft;
use jiff::{SignedDuration, Timestamp};
use play::{Ending, Outcome};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A log of the conversation.
pub(crate) struct ConversationLog(Option<BufWriter<File>>);

impl ConversationLog {
    pub(crate) fn open(path: Option<&Path>) -> Result<Self, Error> {
        let open = |path: &Path| {
            let file = File::options().create(true).append(true).open(path);
            file.map_err(|error| Error::file(path, error))
        };
        Ok(Self(path.map(open).transpose()?.map(BufWriter::new)))
    }

    /// Writes a line: `>` sent, `<` received, `#` noted.
    pub(crate) fn write(&mut self, sign: char, text: &str) {
        let Some(file) = &mut self.0 else { return };
        let time = Timestamp::now().strftime("%Y/%m/%d %H:%M:%S%.3f");
        // A full disk must not cost the game.
        let _ = writeln!(file, "{time} {sign} {text}").and_then(|()| file.flush());
    }
}

/// Writes the record of a game into a folder; gives its path.
pub(crate) fn save(folder: &Path, game: &FinishedGame) -> Result<PathBuf, Error> {
    let now = Timestamp::now();
    let summary = &game.summary;
    let finish = game.end.map(|(reason, verdict)| Finish {
        ending: Ending {
            outcome: match verdict {
                Verdict::Win => Outcome::Won(summary.your_turn),
                Verdict::Lose => Outcome::Won(summary.your_turn.opponent()),
                Verdict::Chudan => Outcome::Unknown,
                Verdict::Draw | Verdict::Censored => Outcome::Draw,
            },
            reason: reason.meaning(),
        },
        last: game.last.clone().filter(|_| reason != ReasonWord::TimeUp),
    });
    let used: Duration = game.moves.iter().map(|m| Duration::from_secs(m.time.as_secs())).sum();
    let started = now.saturating_sub(SignedDuration::try_from(used).unwrap_or_default());
    let text = |time: Timestamp| time.strftime("%Y/%m/%d %H:%M:%S").to_string();
    let record = GameRecord {
        id: &summary.id,
        names: &summary.names,
        start: &summary.start,
        max_moves: summary.max_moves,
        moves: &game.moves,
        finish: finish.as_ref(),
        started: &text(started.unwrap_or(now)),
        ended: Some(&text(now)),
    };
    let safe = |c: char| if c.is_ascii_alphanumeric() || "+-_.@".contains(c) { c } else { '_' };
    let mut name: String = summary.id.chars().map(safe).take(150).collect();
    if name.is_empty() {
        name = now.strftime("%Y%m%d%H%M%S").to_string();
    }
    let path = folder.join(format!("{name}.csa"));
    let bytes = csa_file(&record.record()).map_err(|error| Error::file(&path, error))?;
    let written = Draft::new(&path).and_then(|mut draft| {
        draft.write_all(&bytes)?;
        // The record of a game taken up again replaces the one of its first part.
        draft.publish(true)
    });
    written.map_err(|error| Error::file(&path, error))?;
    Ok(path)
}
