//! Why connections are closed: told to whoever is on them, logged and counted.

use super::{ConnId, Effect, Lobby};

/// Why the server closes a connection.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Closing {
    /// It said `LOGOUT`.
    LoggedOut,
    /// Its game is over, and the server keeps nobody after a game.
    GameOver,
    /// It did not log in.
    LoginTimeout,
    /// It sent more lines than anybody needs.
    Flood,
    /// It sent too much that makes no sense.
    Offences,
    /// Its player has logged in anew.
    Replaced,
    /// It did not answer a proposal.
    Silent,
    /// The referee sent it away.
    Kicked,
    /// The referee does not let it back in either.
    Banned,
}

impl Closing {
    pub const ALL: [Self; 9] = [
        Self::LoggedOut,
        Self::GameOver,
        Self::LoginTimeout,
        Self::Flood,
        Self::Offences,
        Self::Replaced,
        Self::Silent,
        Self::Kicked,
        Self::Banned,
    ];

    /// The word of logs and counters.
    pub const fn word(self) -> &'static str {
        match self {
            Self::LoggedOut => "logout",
            Self::GameOver => "game-over",
            Self::LoginTimeout => "login-timeout",
            Self::Flood => "flood",
            Self::Offences => "nonsense",
            Self::Replaced => "replaced",
            Self::Silent => "no-agreement",
            Self::Kicked => "kicked",
            Self::Banned => "banned",
        }
    }

    /// What is said before the connection is closed. Who leaves by its own wish, and who leaves
    /// after its game as floodgate's players do, needs no reason.
    pub const fn notice(self) -> Option<&'static str> {
        match self {
            Self::LoggedOut | Self::GameOver => None,
            Self::LoginTimeout => Some("closed: nobody logged in on this connection"),
            Self::Flood => Some("closed: too many lines in too short a time"),
            Self::Offences => Some("closed: too many lines that mean nothing here"),
            Self::Replaced => Some("closed: you have logged in on another connection"),
            Self::Silent => Some("closed: you did not answer a proposal with AGREE or REJECT"),
            Self::Kicked => Some("closed by the referee"),
            Self::Banned => Some("closed: the referee has banned you"),
        }
    }
}

impl Lobby {
    /// Closes a connection, once, after saying why.
    pub(super) fn close(&mut self, id: ConnId, why: Closing) {
        let Some(connection) = self.connections.get_mut(&id) else { return };
        if std::mem::replace(&mut connection.closing, true) {
            return;
        }
        if let Some(notice) = why.notice() {
            self.send(id, &format!("##[ERROR] {notice}"));
        }
        self.out.push(Effect::Close(id, why));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_reason_has_its_own_word() {
        let words: HashSet<&str> = Closing::ALL.iter().map(|why| why.word()).collect();
        assert_eq!(words.len(), Closing::ALL.len());
    }
}
