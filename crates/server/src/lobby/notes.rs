//! What the lobby must remember over a restart besides games and results: prepared openings, bans,
//! the seats of guests, who has been away since when, what the referee changed.
//!
//! A note has a kind, a key and fields of text; a note stored again replaces the one before, and one
//! without fields takes it away. Whoever stores them need not know what they mean.

use super::{Effect, Lobby, Now, Stored};

/// What a note is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NoteKind {
    /// A prepared opening, by the name of its game: game, start, games left, owner.
    Buoy,
    /// Who may not log in, by name or address: until when (empty for ever), why.
    Ban,
    /// Wrong passwords by address: how many, since when.
    Failures,
    /// The password a guest came with, by name, while it has a game to finish.
    Seat,
    /// Since when a game waits for its players, by its id.
    Waiting,
    /// The round of a tournament that is being played: stage, round, when it began, when the
    /// server was last known to run.
    Round,
    /// Who left a tournament, as `event/name`: stage and round.
    Withdrawal,
    /// How often a round was begun, as `event/stage/round`.
    Attempt,
    /// What the referee has stopped, by the id of a game or the name of a tournament: since when.
    Pause,
}

impl NoteKind {
    pub const ALL: [Self; 9] = [
        Self::Buoy,
        Self::Ban,
        Self::Failures,
        Self::Seat,
        Self::Waiting,
        Self::Round,
        Self::Withdrawal,
        Self::Attempt,
        Self::Pause,
    ];

    /// The word in the data file.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Buoy => "buoy",
            Self::Ban => "ban",
            Self::Failures => "failures",
            Self::Seat => "seat",
            Self::Waiting => "waiting",
            Self::Round => "round",
            Self::Withdrawal => "withdrawal",
            Self::Attempt => "attempt",
            Self::Pause => "pause",
        }
    }

    /// The kind of a word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }
}

/// Something to be remembered, or forgotten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    pub kind: NoteKind,
    pub key: String,
    /// `None`: there is nothing to remember any more.
    pub fields: Option<Vec<String>>,
}

impl Lobby {
    pub(super) fn note(&mut self, kind: NoteKind, key: &str, fields: &[&dyn ToString]) {
        let fields = Some(fields.iter().map(|field| field.to_string()).collect());
        let note = Note { kind, key: key.to_owned(), fields };
        self.out.push(Effect::Store(Stored::Note(note)));
    }

    pub(super) fn unnote(&mut self, kind: NoteKind, key: &str) {
        let note = Note { kind, key: key.to_owned(), fields: None };
        self.out.push(Effect::Store(Stored::Note(note)));
    }

    /// Takes in what was stored before a restart; to be called before games are restored and
    /// tournaments added. What cannot be read is forgotten.
    pub fn recall(&mut self, notes: Vec<Note>, now: Now) {
        for Note { kind, key, fields } in notes {
            let Some(fields) = fields else { continue };
            let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
            match kind {
                NoteKind::Buoy => self.recall_buoy(&key, &fields),
                NoteKind::Ban => self.recall_ban(&key, &fields, now),
                NoteKind::Failures => self.recall_failures(&key, &fields, now),
                NoteKind::Seat => {
                    if let [password] = fields[..] {
                        self.seats.insert(key, password.to_owned());
                    }
                }
                NoteKind::Waiting => {
                    if let [since] = fields[..]
                        && let Ok(since) = since.parse()
                    {
                        self.waiting_since.insert(key, since);
                    }
                }
                NoteKind::Pause => {
                    self.paused.insert(key);
                }
                NoteKind::Round | NoteKind::Withdrawal | NoteKind::Attempt => {
                    let fields = fields.iter().filter_map(|field| field.parse().ok()).collect();
                    self.of_events.push((kind, key, fields));
                }
            }
        }
    }
}
