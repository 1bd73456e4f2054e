//! The server in virtual time.

mod conversations;
mod events;
mod extended;
mod faults;
mod random_sessions;
mod referee;
mod restarts;

use super::*;
use csa::{Received, Summary};

/// Moves as they were sent, each with the time it took.
type TimedMoves = Vec<(String, Duration)>;

/// A server, its time, and what everybody has been told.
pub(super) struct TestLobby {
    pub(super) lobby: Lobby,
    pub(super) now: Now,
    pub(super) said: HashMap<ConnId, Vec<String>>,
    pub(super) stored: Vec<Stored>,
    pub(super) closed: Vec<ConnId>,
    pub(super) reasons: Vec<Closing>,
    /// Names with a secret, learnt at their first login.
    pub(super) accounts: HashMap<String, String>,
    next: u64,
}

pub(super) const fn s(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

impl TestLobby {
    pub(super) fn new(settings: Settings) -> Self {
        let now = Now { at: s(100), wall: 1_790_000_000 };
        Self {
            lobby: Lobby::new(settings, now),
            now,
            said: HashMap::new(),
            stored: Vec::new(),
            closed: Vec::new(),
            reasons: Vec::new(),
            accounts: HashMap::new(),
            next: 0,
        }
    }

    pub(super) fn open() -> Self {
        Self::new(Settings::default())
    }

    /// Performs what the server wants, answering its questions.
    pub(super) fn settle(&mut self) {
        loop {
            let effects = self.lobby.take_effects();
            if effects.is_empty() {
                self.lobby.delivered(self.now.at);
                return;
            }
            for effect in effects {
                match effect {
                    Effect::Store(stored) => self.stored.push(stored),
                    Effect::Send(to, text) => {
                        assert!(text.ends_with('\n'));
                        if !self.closed.contains(&to) {
                            let lines = text.trim_end_matches('\n').split('\n').map(str::to_owned);
                            self.said.entry(to).or_default().extend(lines);
                        }
                    }
                    Effect::Close(id, why) => {
                        self.closed.push(id);
                        self.reasons.push(why);
                        self.lobby.disconnect(id, self.now);
                    }
                    Effect::Check { conn, name, secret, register, .. } => {
                        let checked = match (secret, self.accounts.get(name.as_str())) {
                            (None, None) => Checked::Guest,
                            (None, Some(_)) => Checked::Refused(Refusal::Account),
                            (Some(secret), None) if register => {
                                self.accounts.insert(name.to_string(), secret);
                                Checked::Known
                            }
                            (Some(secret), Some(known)) if secret == *known => Checked::Known,
                            (Some(_), None) => Checked::Refused(Refusal::Unknown),
                            (Some(_), Some(_)) => Checked::Refused(Refusal::Password),
                        };
                        self.lobby.checked(conn, checked, self.now);
                    }
                    Effect::Find { conn, fork } => {
                        let source = self.source(&fork.game);
                        self.lobby.found(conn, &fork, source.as_ref(), self.now);
                    }
                }
            }
        }
    }

    /// A game by what was stored of it.
    fn source(&self, id: &str) -> Option<Source> {
        let mut source = None;
        for stored in &self.stored {
            let Stored::Game { conditions, entry, .. } = stored else { continue };
            if conditions.id != id {
                continue;
            }
            let source = source.get_or_insert_with(|| Source {
                event: conditions.event.clone(),
                start: conditions.start.clone(),
                moves: Vec::new(),
            });
            if let Entry::Move { text, .. } = entry {
                source.moves.push(text.clone());
            }
        }
        source
    }

    pub(super) fn connect_from(&mut self, peer: &str) -> Option<ConnId> {
        self.next += 1;
        let id = ConnId(self.next);
        let welcome = self.lobby.connect(id, peer, self.now);
        welcome.then_some(id)
    }

    pub(super) fn say(&mut self, id: ConnId, line: &str) {
        self.lobby.line(id, &Received::Line(line.to_owned()), self.now);
        self.settle();
    }

    pub(super) fn login(&mut self, name: &str, password: &str) -> ConnId {
        let id = self.connect_from(&format!("address-of-{name}")).expect("there is room");
        self.say(id, &format!("LOGIN {name} {password}"));
        id
    }

    pub(super) fn drop_line(&mut self, id: ConnId) {
        self.lobby.disconnect(id, self.now);
        self.settle();
    }

    /// Lets time pass, waking the server whenever it wants to be.
    pub(super) fn wait(&mut self, time: Duration) {
        let end = self.now.at + time;
        while let Some(at) = self.lobby.next_wake().filter(|&at| at <= end) {
            self.step_to(at.max(self.now.at));
            self.lobby.wake(self.now);
            self.settle();
        }
        self.step_to(end);
    }

    fn step_to(&mut self, at: Moment) {
        let wall = 1_790_000_000 + at.saturating_sub(s(100)).as_secs() as i64;
        self.now = Now { at, wall };
    }

    /// Takes what somebody was told.
    pub(super) fn told(&mut self, id: ConnId) -> Vec<String> {
        self.said.remove(&id).unwrap_or_default()
    }

    pub(super) fn expect(&mut self, id: ConnId, lines: &[&str]) {
        assert_eq!(self.told(id), lines);
    }

    /// The proposal among what somebody was told.
    pub(super) fn proposal(&mut self, id: ConnId) -> Option<Summary> {
        let told = self.told(id);
        let begin = told.iter().position(|l| l == "BEGIN Game_Summary")?;
        let end = told.iter().position(|l| l == "END Game_Summary")?;
        Some(Summary::from_lines(told[begin + 1..end].iter().map(String::as_str)).unwrap())
    }

    /// Two who play a game of that name; Black first.
    pub(super) fn pair(&mut self, names: [&str; 2], game: &str) -> [ConnId; 2] {
        let black = self.login(names[0], &format!("{game}-B"));
        let white = self.login(names[1], &format!("{game}-W"));
        self.agree([black, white]);
        [black, white]
    }

    pub(super) fn agree(&mut self, players: [ConnId; 2]) {
        for id in players {
            self.say(id, "AGREE");
        }
        for id in players {
            assert!(self.told(id).last().is_some_and(|l| l.starts_with("START:")));
        }
    }

    /// Accounts that the organiser made, all with the password `pw`.
    pub(super) fn accounts(&mut self, names: &[&str]) {
        self.accounts.extend(names.iter().map(|name| ((*name).to_owned(), "pw".to_owned())));
    }

    /// The server killed and started again: what was stored is there, nobody is connected.
    pub(super) fn restarted(self, settings: Settings) -> Self {
        self.restarted_with(settings, None)
    }

    /// The same with a tournament.
    pub(super) fn restarted_with(self, settings: Settings, event: Option<EventSettings>) -> Self {
        let mut notes: Vec<Note> = Vec::new();
        let mut games = Vec::<(Arc<Conditions>, TimedMoves)>::new();
        let mut scores: Vec<TournamentResult> = Vec::new();
        for stored in &self.stored {
            match stored {
                Stored::Note(note) => {
                    notes.retain(|n| (n.kind, &n.key) != (note.kind, &note.key));
                    notes.push(note.clone());
                }
                Stored::Tournament(score) => scores.push(score.clone()),
                Stored::Game { conditions, entry, .. } => {
                    let found = games.iter_mut().find(|(c, _)| c.id == conditions.id);
                    match (entry, found) {
                        (Entry::Started, _) => games.push((Arc::clone(conditions), Vec::new())),
                        (Entry::Move { text, time, .. }, Some((_, moves))) => {
                            moves.push((text.clone(), *time));
                        }
                        (Entry::Ended(_), _) => games.retain(|(c, _)| c.id != conditions.id),
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        let mut server = Self::new(settings);
        server.now = self.now;
        server.lobby = Lobby::new(server.lobby.settings.clone(), server.now);
        server.accounts = self.accounts;
        server.stored = self.stored;
        server.next = self.next;
        server.lobby.recall(notes, server.now);
        let ids = server.stored.iter().filter_map(|stored| match stored {
            Stored::Game { conditions, entry: Entry::Started, .. } => Some(conditions.id.clone()),
            _ => None,
        });
        server.lobby.add_known_ids(&ids.collect::<Vec<_>>());
        if let Some(event) = event {
            server.lobby.add_event(event, &scores, server.now);
        }
        for (conditions, moves) in games {
            let moves = moves.iter().map(|(text, time)| (text.as_str(), *time));
            let room = Room::restore(conditions, None, moves, [0; 2]).unwrap();
            server.lobby.restore(room, server.now);
        }
        server.settle();
        server
    }

    pub(super) fn ends(&self) -> usize {
        let ended = |s: &&Stored| matches!(s, Stored::Game { entry: Entry::Ended(_), .. });
        self.stored.iter().filter(ended).count()
    }
}
