//! What is kept of games: records, and a log of every line with its time.

use crate::error::Error;
use crate::session::FinishedGame;
use csa::names::ID_TIME_FORM;
use csa::record::{Finish, GameRecord};
use csa::{ReasonWord, Verdict};
use durable::Draft;
use jiff::{SignedDuration, Timestamp};
use play::{Ending, Outcome};
use rules::Color;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

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
        let now = Timestamp::now();
        let time = now.strftime(kifu::DATE_FORM);
        let millis = now.subsec_millisecond();
        // A full disk must not cost the game.
        let _ = writeln!(file, "{time}.{millis:03} {sign} {text}").and_then(|()| file.flush());
    }
}

/// When a game began by the server's own words: ids end with date and time, as shogi-server makes
/// them (`…+20261120100000`).
fn start_in(id: &str) -> Option<String> {
    let digits = id.rsplit('+').next().filter(|last| last.len() == 14)?;
    let time = jiff::civil::DateTime::strptime(ID_TIME_FORM, digits).ok()?;
    Some(time.strftime(kifu::DATE_FORM).to_string())
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
    let lasted = SignedDuration::try_from(game.lasted).unwrap_or_default();
    let started = now.saturating_sub(lasted).unwrap_or(now);
    let text = |time: Timestamp| time.strftime(kifu::DATE_FORM).to_string();
    let record = GameRecord {
        id: &summary.id,
        names: &summary.names,
        start: &summary.start,
        times: &Color::BOTH.map(|color| summary.times.of(color)),
        ratings: [None; 2],
        max_moves: summary.max_moves,
        moves: &game.moves,
        finish: finish.as_ref(),
        started: &start_in(&summary.id).unwrap_or_else(|| text(started)),
        ended: Some(&text(now)),
    };
    let safe = |c: char| if c.is_ascii_alphanumeric() || "+-_.@".contains(c) { c } else { '_' };
    let mut name: String = summary.id.chars().map(safe).take(150).collect();
    if name.is_empty() {
        name = now.strftime(ID_TIME_FORM).to_string();
    }
    let path = folder.join(format!("{name}.csa"));
    let bytes = record.file().map_err(|error| Error::file(&path, error))?;
    let written = Draft::new(&path).and_then(|mut draft| {
        draft.write_all(&bytes)?;
        // The record of a game taken up again replaces the one of its first part.
        draft.publish(true)
    });
    written.map_err(|error| Error::file(&path, error))?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_says_when_a_game_began() {
        let id = "wdoor+floodgate-300-10F+a+b+20261120100030";
        assert_eq!(start_in(id).as_deref(), Some("2026/11/20 10:00:30"));
        for other in ["", "20150505-CSA25-3-5-7", "a+b+20261320100030", "a+b+2026112010003"] {
            assert_eq!(start_in(other), None, "{other}");
        }
    }
}
