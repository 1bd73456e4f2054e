//! Logging in. Whoever is not let in is told why, on a line after the protocol's own answer.

use super::{Closing, ConnId, ConnectionState, Effect, GameRequest, Lobby, NoteKind, Now, RoomKey};
use crate::conditions::Conditions;
use csa::names::{LONGEST_PASSWORD, meant_game};
use csa::{GameName, Secret, ServerLine, UserName};

/// Whether somebody may log in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checked {
    /// With the right secret: results count.
    Known,
    /// Without one.
    Guest,
    Refused(Refusal),
}

/// Why somebody is not let in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The secret is wrong.
    Password,
    /// There is no such account, and none is made.
    Unknown,
    /// A guest with the name of an account.
    Account,
    /// Guests are not let in.
    Guests,
    /// Too many log in at once.
    Busy,
}

impl Refusal {
    /// Whether it counts as an attempt to guess a password.
    const fn is_guess(self) -> bool {
        matches!(self, Self::Password | Self::Unknown)
    }
}

impl Lobby {
    pub(super) fn log_in(
        &mut self,
        id: ConnId,
        name: &str,
        password: &str,
        extended: bool,
        now: Now,
    ) {
        let Some(connection) = self.connections.get(&id) else { return };
        let peer = connection.peer.clone();
        let name = match UserName::new(name) {
            Ok(name) => name,
            Err(error) => return self.refuse(id, &error.to_string()),
        };
        if password.len() > LONGEST_PASSWORD {
            let why = format!(
                "the password has {} characters, {LONGEST_PASSWORD} are allowed",
                password.len()
            );
            return self.refuse(id, &why);
        }
        if !password.bytes().all(|b| b.is_ascii_graphic()) {
            return self.refuse(id, "a password has letters, digits and signs of ASCII only");
        }
        if let Some(why) = self.shut_out(name.as_str(), &peer, now) {
            return self.refuse(id, &why);
        }
        let secret = Secret::parse(password);
        let entrant = self.events.iter().any(|e| e.has(name.as_str()));
        if let Some(why) = self.unsuitable(&name, entrant, &secret, password) {
            return self.refuse(id, &why);
        }
        let wait = secret.game.map(|(game, color)| {
            // Nobody may choose the colour in a round.
            let color = color.filter(|_| !self.settings.has_rounds(&game));
            GameRequest { game, color }
        });
        let register =
            !entrant && self.slip(password).is_none() && !self.seats.contains_key(name.as_str());
        let failures = self.failures_of(&peer, now);
        let Some(connection) = self.connections.get_mut(&id) else { return };
        let password = password.to_owned();
        connection.state =
            ConnectionState::Checking { name: name.clone(), wait, extended, password };
        let secret = secret.secret;
        self.out.push(Effect::Check { conn: id, name, secret, register, peer, failures });
    }

    /// The games that are played here under names of their own.
    fn known_games(&self) -> impl Iterator<Item = &str> {
        let settings = &self.settings;
        let offers = settings.offers.iter().map(|offer| offer.name.as_str());
        let rounds = settings.timetables.iter().map(|table| table.game.as_str());
        offers.chain(rounds).chain([settings.default_game.as_str()])
    }

    /// The game that was meant by a password that looks like the name of one, or has before its comma
    /// what is none: nobody becomes an account by a slip.
    fn slip(&self, password: &str) -> Option<String> {
        let (first, comma) = match password.split_once(',') {
            Some((first, _)) => (first, true),
            None => (password, false),
        };
        let meant = meant_game(first, self.known_games());
        let no_game = comma && GameName::parse_with_color(first).is_none();
        meant.or_else(|| no_game.then(|| self.settings.default_game.to_string()))
    }

    /// What is wrong with what somebody asks for, whether or not it knows a secret.
    fn unsuitable(
        &self,
        name: &UserName,
        entrant: bool,
        secret: &Secret,
        password: &str,
    ) -> Option<String> {
        if entrant && secret.secret.is_none() {
            return Some(format!("{name} takes part in a tournament: log in with its password"));
        }
        if let Some(seat) = self.seats.get(name.as_str())
            && seat != password
        {
            return Some(format!(
                "{name} has a game to finish here: come back with the same password"
            ));
        }
        let (game, _) = secret.game.as_ref()?;
        if self.settings.plan(game).is_none() && !entrant {
            return Some(self.not_played(game));
        }
        (self.settings.has_rounds(game) && secret.secret.is_none()).then(|| {
            format!("{game} is played in rated rounds, for accounts: LOGIN {name} {game},password")
        })
    }

    pub(super) fn not_played(&self, game: &GameName) -> String {
        let games: Vec<&str> = self.known_games().collect();
        format!("{game} is not played here; there is {}", games.join(", "))
    }

    /// A line that begins as a login and is none.
    pub(super) fn malformed_login(&mut self, id: ConnId) {
        let form =
            "LOGIN takes a name and a password with one space before each: LOGIN name password";
        self.refuse(id, form);
    }

    fn refuse(&mut self, id: ConnId, why: &str) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        connection.state = ConnectionState::New;
        self.send(id, &format!("{}\n##[ERROR] {why}", ServerLine::LoginIncorrect));
        self.offend(id, 10);
    }

    /// Tells somebody who was checked and not let in why that is.
    fn refuse_checked(&mut self, id: ConnId, name: &UserName, password: &str, refusal: Refusal) {
        let why = match refusal {
            Refusal::Password | Refusal::Unknown => match self.slip(password) {
                Some(meant) => format!(
                    "the name or the password is wrong; if you meant a game, its name is {meant}; \
                     a new account needs a password that does not look like a game"
                ),
                None if self.events.iter().any(|e| e.has(name.as_str())) => {
                    format!(
                        "the password is wrong; {name} takes part in a tournament, whose organiser sets it"
                    )
                }
                None => "the name or the password is wrong".to_owned(),
            },
            Refusal::Account => format!("{name} is an account: LOGIN {name} GAME,password"),
            Refusal::Guests => {
                format!("guests are not let in here: LOGIN {name} GAME,password")
            }
            Refusal::Busy => "too many log in at once: try again in a moment".to_owned(),
        };
        self.refuse(id, &why);
    }

    /// The answer to [`Effect::Check`].
    pub fn checked(&mut self, id: ConnId, checked: Checked, now: Now) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        let ConnectionState::Checking { name, wait, extended, password } = connection.state.clone()
        else {
            return;
        };
        let peer = connection.peer.clone();
        if let Checked::Refused(refusal) = checked {
            // Who mistypes a game guesses at nobody's password.
            let slip = refusal == Refusal::Unknown && self.slip(&password).is_some();
            if refusal.is_guess() && !slip {
                self.count_failure(&peer, now);
            }
            self.refuse_checked(id, &name, &password, refusal);
            return;
        }
        if let Some(&other) = self.present.get(&name) {
            // Who knows the secret is the same player, back after a broken connection. A guest
            // must come from where the other came from, with the same password.
            let same = self.connections.get(&other).is_some_and(|c| match checked {
                Checked::Known => c.known,
                _ => !c.known && c.peer == peer && c.password == password,
            });
            if !same {
                self.refuse(id, &format!("{name} is logged in already"));
                return;
            }
            self.close(other, Closing::Replaced);
            self.disconnect(other, now);
        }
        let Some(connection) = self.connections.get_mut(&id) else { return };
        connection.state = ConnectionState::Idle;
        connection.name = Some(name.clone());
        connection.known = checked == Checked::Known;
        connection.password = if connection.known { String::new() } else { password };
        connection.extended = extended;
        connection.ready = now.at;
        self.present.insert(name.clone(), id);
        self.send(id, &ServerLine::LoginOk(name.to_string()).to_string());
        if extended {
            self.send(id, "##[LOGIN] +OK x1");
        }
        let in_event = self.events.iter().any(|e| e.has(name.as_str()));
        let usual = GameRequest { game: self.settings.default_game.clone(), color: None };
        let wanted = match wait {
            Some(wait) if self.settings.plan(&wait.game).is_some() => Some(wait),
            Some(_) => None,
            None => (!extended && !in_event).then_some(usual),
        };
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.wanted.clone_from(&wanted);
        }
        if self.find_game(id, now) {
            return;
        }
        if let Some(wait) = wanted
            && self.wait_for(id, &wait, now)
        {
            return;
        }
        // To others the protocol has nothing to say before a game is proposed.
        if extended && let Some(text) = self.waits_for(id, now) {
            self.send(id, &format!("##[GAME] {text}\n##[GAME] +OK"));
        }
    }

    /// A game has begun: guests among its players may come back to it with the same password, and
    /// nobody else in their name.
    pub(super) fn keep_seats(&mut self, key: RoomKey) {
        let players = self.rooms.get(&key).map(|open| open.players).unwrap_or_default();
        for id in players.into_iter().flatten() {
            let Some(connection) = self.connections.get(&id).filter(|c| !c.known) else { continue };
            let Some(name) = connection.name.as_ref().map(ToString::to_string) else { continue };
            let password = connection.password.clone();
            self.note(NoteKind::Seat, &name, &[&password]);
            self.seats.insert(name, password);
        }
    }

    pub(super) fn give_up_seats(&mut self, conditions: &Conditions) {
        for name in &conditions.names {
            let unfinished = self
                .rooms
                .values()
                .any(|open| open.room.has_begun() && open.room.conditions().names.contains(name));
            if !unfinished && self.seats.remove(name).is_some() {
                self.unnote(NoteKind::Seat, name);
            }
        }
    }
}
