//! The commands of extended mode.

use super::buoys::Fork;
use super::{ConnId, ConnectionState, Effect, Event, GameRequest, Lobby, Now};
use csa::extended::ColorChoice;
use csa::{Extended, GameName};
use rules::Color;
use std::fmt::Write as _;

/// Longest word to everybody.
const LONGEST_CHAT: usize = 400;

const HELP: &str = "##[HELP] available commands: %%GAME name +|-|*, %%CHALLENGE name +|-|*, %%LIST, %%WHO, \
                    %%SHOW id, %%MONITORON id, %%MONITOROFF id, %%MONITOR2ON id, %%MONITOR2OFF id, %%RATING, \
                    %%VERSION, %%CHAT text, %%SETBUOY name moves [count], %%DELETEBUOY name, \
                    %%GETBUOYCOUNT name, %%FORK id [name] [moves]; for referees %%REFEREE\n##[HELP] +OK";

fn color_of(color: ColorChoice) -> Option<Color> {
    match color {
        ColorChoice::Black => Some(Color::Black),
        ColorChoice::White => Some(Color::White),
        ColorChoice::Any => None,
    }
}

impl Lobby {
    pub(super) fn command(&mut self, id: ConnId, command: Extended, now: Now) {
        let answer = match command {
            Extended::Game { name, color } => self.game_command(id, &name, color, false, now),
            Extended::Challenge { name, color } => self.game_command(id, &name, color, true, now),
            Extended::CancelGame => {
                let waiting = self.connections.get_mut(&id).and_then(|c| c.waiting.take());
                self.forget_wait(id, waiting.as_ref());
                Some("##[GAME] +OK".to_owned())
            }
            Extended::List => Some(self.list()),
            Extended::Who => Some(self.who()),
            Extended::Show(game) => Some(self.show_game(&game, now)),
            Extended::Monitor { game, on, moves_only } => {
                Some(self.monitor(id, &game, on, moves_only, now))
            }
            Extended::Rating => Some(self.rating_list()),
            Extended::Version => {
                Some(format!("##[VERSION] Nue {}\n##[VERSION] +OK", env!("CARGO_PKG_VERSION")))
            }
            Extended::Help => Some(HELP.to_owned()),
            Extended::Chat(text) => self.chat(id, &text),
            Extended::SetBuoy { name, moves, count } => {
                Some(self.set_buoy(id, &name, &moves, count, now))
            }
            Extended::DeleteBuoy(name) => Some(self.delete_buoy(id, &name)),
            Extended::GetBuoyCount(name) => {
                let left = self.buoys_left(&name);
                Some(format!("##[GETBUOYCOUNT] {left}\n##[GETBUOYCOUNT] +OK"))
            }
            Extended::Fork { game, name, moves } => {
                self.fork(id, Fork { game, name, moves }, now);
                None
            }
            Extended::Referee(order) => Some(self.referee_line(id, &order, now)),
            Extended::Other(_) => {
                self.offend(id, 1);
                Some("##[ERROR] unknown command".to_owned())
            }
        };
        if let Some(answer) = answer {
            self.send(id, &answer);
        }
    }

    fn game_command(
        &mut self,
        id: ConnId,
        name: &str,
        color: ColorChoice,
        only_waiting: bool,
        now: Now,
    ) -> Option<String> {
        let connection = self.connections.get(&id)?;
        if connection.state != ConnectionState::Idle {
            return Some("##[ERROR] you are playing".to_owned());
        }
        let known = connection.known;
        let Some(game) = GameName::parse(name) else {
            let meant = csa::names::meant_game(name, []);
            let form = meant.unwrap_or_else(|| "test-300-10F".to_owned());
            return Some(format!("##[ERROR] {name} is not the name of a game; one is {form}"));
        };
        if self.settings.plan(&game).is_none() {
            return Some(format!("##[ERROR] {}", self.not_played(&game)));
        }
        if self.settings.has_rounds(&game) && !known {
            return Some("##[ERROR] rated rounds are for accounts".to_owned());
        }
        if self.settings.has_rounds(&game) && color != ColorChoice::Any {
            return Some("##[ERROR] rounds are played with either colour: use *".to_owned());
        }
        let wait = GameRequest { game, color: color_of(color) };
        if only_waiting && !self.waiting.contains_key(wait.game.as_str()) {
            return Some("##[ERROR] nobody waits for this game".to_owned());
        }
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.wanted = Some(wait.clone());
        }
        if self.wait_for(id, &wait, now) {
            return None;
        }
        Some(format!("##[GAME] {}\n##[GAME] +OK", self.waiting_text(&wait, now)))
    }

    /// What somebody who does not play waits for, if anything.
    pub(super) fn waits_for(&self, id: ConnId, now: Now) -> Option<String> {
        let connection = self.connections.get(&id)?;
        if let Some(wait) = &connection.waiting {
            return Some(self.waiting_text(wait, now));
        }
        let name = connection.name.as_ref()?.as_str();
        let goes_on = |event: &&Event| event.has(name) && event.stage().current_round().is_some();
        let event = self.events.iter().find(goes_on)?;
        Some(format!("waiting for the next game of the tournament {}", event.name()))
    }

    /// For what and for whom somebody waits, in words.
    fn waiting_text(&self, wait: &GameRequest, now: Now) -> String {
        let game = &wait.game;
        let others = self.waiting.get(game.as_str()).map_or(0, Vec::len).saturating_sub(1);
        let tables = self.settings.timetables.iter().filter(|table| table.game == *game);
        if let Some(next) = tables.map(|table| table.next_after(now.wall)).min() {
            let at = crate::calendar::text(next);
            return format!("waiting for the round of {game} at {at} UTC, {others} others wait");
        }
        if self.lacks_buoy(game) {
            return format!("waiting for {game}, whose opening has to be set with %%SETBUOY");
        }
        format!("waiting for an opponent in {game}")
    }

    fn list(&self) -> String {
        let mut games: Vec<&str> = self
            .rooms
            .values()
            .filter(|open| open.room.is_running())
            .map(|open| open.room.conditions().id.as_str())
            .collect();
        games.sort_unstable();
        let mut text: String = games.iter().map(|id| format!("##[LIST] {id}\n")).collect();
        text.push_str("##[LIST] +OK");
        text
    }

    fn who(&self) -> String {
        let mut lines: Vec<String> = self
            .present
            .iter()
            .filter_map(|(name, id)| {
                let connection = self.connections.get(id)?;
                let doing = match (&connection.state, &connection.waiting) {
                    (ConnectionState::Playing(key, _), _) => {
                        format!("playing {}", self.rooms.get(key)?.room.conditions().id)
                    }
                    (_, Some(wait)) => format!("waiting {}", wait.game),
                    _ => "here".to_owned(),
                };
                Some(format!("##[WHO] {name} {doing}\n"))
            })
            .collect();
        lines.sort_unstable();
        format!("{}##[WHO] +OK", lines.concat())
    }

    fn rating_list(&self) -> String {
        let mut ratings: Vec<(&String, &f64)> = self.ratings.iter().collect();
        ratings.sort_by(|a, b| b.1.total_cmp(a.1).then(a.0.cmp(b.0)));
        let mut text = String::new();
        for (name, rating) in ratings {
            let _ = writeln!(text, "##[RATING] {name:<32} {rating:>6.0}");
        }
        text.push_str("##[RATING] +OK");
        text
    }

    fn chat(&mut self, id: ConnId, text: &str) -> Option<String> {
        if text.len() > LONGEST_CHAT {
            return Some("##[ERROR] too long".to_owned());
        }
        let name = self.name_of(id)?;
        let line: std::sync::Arc<str> = format!("##[CHAT][{name}] {text}\n").into();
        let mut heard: Vec<ConnId> =
            self.connections.iter().filter(|(_, c)| c.extended).map(|(&id, _)| id).collect();
        heard.sort_unstable();
        for conn in heard {
            self.out.push(Effect::Send(conn, std::sync::Arc::clone(&line)));
        }
        None
    }
}
