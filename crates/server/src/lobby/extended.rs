//! The commands of extended mode.

use super::{ConnId, Effect, Lobby, Now, Place, RoomKey, Wait};
use csa::extended::Wish;
use csa::times::seconds_text;
use csa::{Extended, GameName};
use kifu::wire;
use rules::{AnyPosition, Color};
use std::fmt::Write as _;

/// An opening prepared under a game's name.
pub(super) struct Buoy {
    start: AnyPosition,
    left: u32,
    owner: String,
}

/// Buoys on the whole server, and games one of them may serve.
const BUOYS: usize = 1000;
const BUOY_GAMES: u32 = 1000;

/// Longest word to everybody.
const LONGEST_CHAT: usize = 400;

const HELP: &str = "##[HELP] available commands: %%GAME name +|-|*, %%CHALLENGE name +|-|*, %%LIST, %%WHO, \
                    %%SHOW id, %%MONITORON id, %%MONITOROFF id, %%MONITOR2ON id, %%MONITOR2OFF id, %%RATING, \
                    %%VERSION, %%CHAT text, %%SETBUOY name moves [count], %%DELETEBUOY name, \
                    %%GETBUOYCOUNT name, %%FORK id name [moves]\n##[HELP] +OK";

fn color_of(wish: Wish) -> Option<Color> {
    match wish {
        Wish::Black => Some(Color::Black),
        Wish::White => Some(Color::White),
        Wish::Any => None,
    }
}

impl Lobby {
    pub(super) fn command(&mut self, id: ConnId, command: Extended, now: Now) {
        let answer = match command {
            Extended::Game { name, wish } => self.game_command(id, &name, wish, false, now),
            Extended::Challenge { name, wish } => self.game_command(id, &name, wish, true, now),
            Extended::CancelGame => {
                let waiting = self.connections.get_mut(&id).and_then(|c| c.waiting.take());
                self.forget_wait(id, waiting.as_ref());
                Some("##[GAME] +OK".to_owned())
            }
            Extended::List => Some(self.list()),
            Extended::Who => Some(self.who()),
            Extended::Show(game) => Some(self.show_game(&game, now)),
            Extended::Monitor { game, on, moves_only } => {
                Some(self.monitor(id, &game, on, moves_only))
            }
            Extended::Rating => Some(self.rating_list()),
            Extended::Version => {
                Some(format!("##[VERSION] Nue {}\n##[VERSION] +OK", env!("CARGO_PKG_VERSION")))
            }
            Extended::Help => Some(HELP.to_owned()),
            Extended::Chat(text) => self.chat(id, &text),
            Extended::SetBuoy { name, moves, count } => {
                Some(self.set_buoy(id, &name, &moves, count))
            }
            Extended::DeleteBuoy(name) => Some(self.delete_buoy(id, &name)),
            Extended::GetBuoyCount(name) => {
                let left = self.buoys.get(&name).map_or(-1, |buoy| i64::from(buoy.left));
                Some(format!("##[GETBUOYCOUNT] {left}\n##[GETBUOYCOUNT] +OK"))
            }
            Extended::Fork { game, name, moves } => {
                Some(self.fork(id, &game, name.as_deref(), moves))
            }
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
        wish: Wish,
        only_waiting: bool,
        now: Now,
    ) -> Option<String> {
        let connection = self.connections.get(&id)?;
        if connection.place != Place::Hall {
            return Some("##[ERROR] you are playing".to_owned());
        }
        let Some(game) = GameName::parse(name).filter(|game| self.settings.plan(game).is_some())
        else {
            return Some("##[ERROR] no such game here".to_owned());
        };
        if self.settings.has_rounds(&game) && wish != Wish::Any {
            return Some("##[ERROR] rounds are played with either colour: use *".to_owned());
        }
        let wait = Wait { game, wish: color_of(wish) };
        if only_waiting && !self.waiting.contains_key(wait.game.as_str()) {
            return Some("##[ERROR] nobody waits for this game".to_owned());
        }
        if let Some(connection) = self.connections.get_mut(&id) {
            connection.wanted = Some(wait.clone());
        }
        self.wait_for(id, &wait, now);
        None
    }

    /// The room of a game's id.
    fn room_of(&self, id: &str) -> Option<RoomKey> {
        self.rooms.iter().find(|(_, seat)| seat.room.conditions().id == id).map(|(&key, _)| key)
    }

    fn list(&self) -> String {
        let mut games: Vec<&str> = self
            .rooms
            .values()
            .filter(|seat| seat.room.is_running())
            .map(|seat| seat.room.conditions().id.as_str())
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
                let doing = match (&connection.place, &connection.waiting) {
                    (Place::Table(key, _), _) => {
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

    fn show_game(&self, id: &str, now: Now) -> String {
        let Some(seat) = self.room_of(id).and_then(|key| self.rooms.get(&key)) else {
            return "##[SHOW] +OK".to_owned();
        };
        let room = &seat.room;
        let turn = room.position().turn();
        let left = |color| seconds_text(room.remaining(color));
        let more = vec![
            ("Remaining_Time+".to_owned(), left(Color::Black)),
            ("Remaining_Time-".to_owned(), left(Color::White)),
            ("Current_Turn".to_owned(), if turn == Color::Black { "+" } else { "-" }.to_owned()),
            ("Shown_At".to_owned(), now.wall.to_string()),
        ];
        let summary = room.conditions().summary(Color::Black, room.played(), &more).to_string();
        let mut text = String::new();
        for line in summary.lines().filter(|line| !line.starts_with("Your_Turn:")) {
            let _ = writeln!(text, "##[SHOW] {line}");
        }
        text.push_str("##[SHOW] +OK");
        text
    }

    fn monitor(&mut self, id: ConnId, game: &str, on: bool, moves_only: bool) -> String {
        let tag = if moves_only { "MONITOR2" } else { "MONITOR" };
        let answer = format!("##[{tag}] +OK");
        let Some(key) = self.room_of(game) else { return answer };
        let watched = self.settings.limits.watched;
        let (Some(seat), Some(connection)) =
            (self.rooms.get_mut(&key), self.connections.get_mut(&id))
        else {
            return answer;
        };
        seat.watchers.retain(|&(conn, _)| conn != id);
        connection.watching.retain(|&other| other != key);
        if on {
            if connection.watching.len() >= watched {
                return "##[ERROR] too many games at once".to_owned();
            }
            seat.watchers.push((id, moves_only));
            connection.watching.push(key);
        }
        answer
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

    fn set_buoy(&mut self, id: ConnId, name: &str, moves: &str, count: u32) -> String {
        let wrong = |why: &str| format!("##[SETBUOY] +NG {why}");
        let Some(game) = GameName::parse(name) else { return wrong("not a game name") };
        let Some(plan) = self.settings.plan(&game) else { return wrong("no such game here") };
        if count == 0 || count > BUOY_GAMES || self.buoys.len() >= BUOYS {
            return wrong("too many");
        }
        if self.buoys.contains_key(name) {
            return wrong("exists already");
        }
        let Some(start) = after_moves(plan.start, moves) else { return wrong("not legal moves") };
        let owner = self.name_of(id).unwrap_or_default();
        self.buoys.insert(name.to_owned(), Buoy { start, left: count, owner });
        "##[SETBUOY] +OK".to_owned()
    }

    fn delete_buoy(&mut self, id: ConnId, name: &str) -> String {
        let owner = self.name_of(id).unwrap_or_default();
        match self.buoys.get(name) {
            Some(buoy) if buoy.owner == owner => {
                self.buoys.remove(name);
                "##[DELETEBUOY] +OK".to_owned()
            }
            _ => "##[DELETEBUOY] +NG not yours".to_owned(),
        }
    }

    /// The start position prepared for a game, which is used up by it.
    pub(super) fn take_buoy(&mut self, name: &str) -> Option<AnyPosition> {
        let buoy = self.buoys.get_mut(name)?;
        let start = buoy.start.clone();
        buoy.left -= 1;
        if buoy.left == 0 {
            self.buoys.remove(name);
        }
        Some(start)
    }

    fn fork(&mut self, id: ConnId, game: &str, name: Option<&str>, moves: Option<u32>) -> String {
        let wrong = |why: &str| format!("##[FORK] +NG {why}");
        let Some(seat) = self.room_of(game).and_then(|key| self.rooms.get(&key)) else {
            return wrong("no such game");
        };
        let room = &seat.room;
        let Some(name) = name.map(str::to_owned).or_else(|| {
            let played = &room.conditions().event;
            GameName::parse(played).map(|game| format!("buoy_{game}"))
        }) else {
            return wrong("needs a name");
        };
        let keep = moves.map_or(room.played().len(), |n| n as usize).min(room.played().len());
        let mut start = room.conditions().start.clone();
        let mut text = String::new();
        for played in &room.played()[..keep] {
            text.push_str(&wire::write_move(&start, played.m));
            start.play(played.m);
        }
        match GameName::parse(&name).is_some()
            && self.buoys.len() < BUOYS
            && !self.buoys.contains_key(&name)
        {
            true => {
                let owner = self.name_of(id).unwrap_or_default();
                self.buoys.insert(name.clone(), Buoy { start: detached(&start), left: 1, owner });
                format!("##[FORK] new buoy game name: {name}\n##[FORK] +OK")
            }
            false => wrong("the name cannot be used"),
        }
    }
}

/// The position after moves written one after the other.
fn after_moves(start: AnyPosition, moves: &str) -> Option<AnyPosition> {
    let mut position = start;
    if !moves.is_ascii() || !moves.len().is_multiple_of(7) || moves.len() > 7 * 500 {
        return None;
    }
    for index in (0..moves.len()).step_by(7) {
        let m = wire::read_move(&position, &moves[index..index + 7]).ok()?;
        position.play(m);
    }
    Some(detached(&position))
}

fn detached(position: &AnyPosition) -> AnyPosition {
    match position {
        AnyPosition::Shogi(p) => p.without_history().into(),
        AnyPosition::Minishogi(p) => p.without_history().into(),
    }
}
