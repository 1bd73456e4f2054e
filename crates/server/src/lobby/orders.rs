//! Orders while the server runs: `%%REFEREE order` from the accounts named in the settings, and from
//! whoever runs the server on its own computer. Every order is stored with who gave it and what came
//! of it.

use super::{ConnId, Effect, Lobby, Now, Stored};
use std::fmt::Write as _;

/// An order that was given, for the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Order {
    /// When, in seconds since 1970.
    pub wall: i64,
    pub referee: String,
    pub text: String,
    /// What the referee was answered.
    pub answer: String,
}

/// The orders there are.
pub const ORDERS: &str = "list, adjudicate GAME black|white|draw, annul GAME, \
                          pause GAME|TOURNAMENT, resume GAME|TOURNAMENT, kick NAME, \
                          ban NAME|ADDRESS [MINUTES] [WHY], unban NAME|ADDRESS, \
                          withdraw TOURNAMENT NAME, restart TOURNAMENT";

/// Who gives the orders that come from the server's own computer; no player can have this name.
const LOCAL: &str = "(local)";

/// What came of an order, or why nothing did.
pub(super) type OrderResult = Result<String, String>;

impl Lobby {
    /// `%%REFEREE`: the lines to answer with.
    pub(super) fn referee_line(&mut self, id: ConnId, text: &str, now: Now) -> String {
        let connection = self.connections.get(&id);
        let name = connection.filter(|c| c.known).and_then(|c| c.name.clone());
        let referee = name.filter(|name| self.settings.referees.iter().any(|r| r == name.as_str()));
        let Some(referee) = referee else {
            self.offend(id, 5);
            return "##[ERROR] you are not a referee here".to_owned();
        };
        match self.order(referee.as_str(), text, now) {
            Ok(done) => {
                let mut answer = String::new();
                for line in done.lines() {
                    let _ = writeln!(answer, "##[REFEREE] {line}");
                }
                answer + "##[REFEREE] +OK"
            }
            Err(why) => format!("##[ERROR] {why}"),
        }
    }

    /// An order of whoever runs the server: what came of it, or why nothing did.
    pub fn local_order(&mut self, text: &str, now: Now) -> Result<String, String> {
        self.order(LOCAL, text, now)
    }

    fn order(&mut self, referee: &str, text: &str, now: Now) -> OrderResult {
        let words: Vec<&str> = text.split_whitespace().collect();
        if words == ["list"] {
            return Ok(self.what_there_is());
        }
        let outcome = self.execute(&words, now);
        let order = Order {
            wall: now.wall,
            referee: referee.to_owned(),
            text: words.join(" "),
            answer: outcome.clone().unwrap_or_else(|why| format!("refused: {why}")),
        };
        self.out.push(Effect::Store(Stored::Order(order)));
        outcome
    }

    fn execute(&mut self, words: &[&str], now: Now) -> OrderResult {
        match *words {
            ["adjudicate", game, result] => self.adjudicate(game, result, now),
            ["annul", game] => self.annul(game, now),
            ["pause", what] => self.pause(what, now),
            ["resume", what] => self.end_pause_by_order(what, now),
            ["kick", name] => self.kick(name, super::Closing::Kicked),
            ["ban", who] => self.ban_order(who, None, "", now),
            ["ban", who, minutes, ..] if minutes.parse::<u32>().is_ok() => {
                self.ban_order(who, minutes.parse().ok(), &words[3..].join(" "), now)
            }
            ["ban", who, ..] => self.ban_order(who, None, &words[2..].join(" "), now),
            ["unban", who] => match self.unban(who) {
                true => Ok(format!("{who} may log in again")),
                false => Err(format!("{who} was not banned")),
            },
            ["withdraw", event, name] => self.withdraw_order(event, name, now),
            ["restart", event] => self.restart_round(event, now),
            _ => Err(format!("the orders are: {ORDERS}")),
        }
    }

    /// What orders can be about: tournaments, games, bans.
    fn what_there_is(&self) -> String {
        let mut lines = Vec::new();
        for event in &self.events {
            let (name, stage) = (event.name(), event.stage_number() + 1);
            let state = if self.paused.contains(name) { ", stopped" } else { "" };
            lines.push(match event.stage().current_round() {
                Some(round) => {
                    format!("tournament {name}: stage {stage}, round {}{state}", round + 1)
                }
                None => format!("tournament {name}: over"),
            });
        }
        let mut games: Vec<String> = Vec::new();
        for open in self.rooms.values() {
            let (room, [black, white]) = (&open.room, &open.room.conditions().names);
            let state = if self.is_paused(open) {
                "stopped"
            } else if room.is_running() {
                "running"
            } else if room.has_begun() {
                "waits for its players"
            } else {
                "proposed"
            };
            let (id, moves) = (&room.conditions().id, room.played().len());
            games.push(format!("game {id}: {black} - {white}, {moves} moves, {state}"));
        }
        games.sort();
        lines.append(&mut games);
        let mut bans: Vec<String> = self.bans.keys().map(|who| format!("banned: {who}")).collect();
        bans.sort();
        lines.append(&mut bans);
        if lines.is_empty() {
            return "no tournaments, games or bans".to_owned();
        }
        lines.join("\n")
    }
}
