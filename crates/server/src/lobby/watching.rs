//! Looking at games: `%%SHOW`, `%%MONITORON` and `%%MONITOR2ON`.
//!
//! As on shogi-server, who begins to watch is shown the game so far, and every block of lines ends
//! with `+OK`. `MONITOR` shows the whole game after every move, `MONITOR2` only what is new, the
//! time of a move on a line of its own.

use super::{ConnId, Effect, Lobby, Now, OpenRoom, RoomKey};
use csa::times::seconds_text;
use rules::Color;
use std::fmt::Write as _;
use std::sync::Arc;

impl Lobby {
    /// The room of a game's id.
    pub(super) fn room_of(&self, id: &str) -> Option<RoomKey> {
        self.rooms.iter().find(|(_, open)| open.room.conditions().id == id).map(|(&key, _)| key)
    }

    pub(super) fn show_game(&self, id: &str, now: Now) -> String {
        let mut text = String::new();
        if let Some(open) = self.room_of(id).and_then(|key| self.rooms.get(&key)) {
            for line in shown(open, now) {
                let _ = writeln!(text, "##[SHOW] {line}");
            }
        }
        text.push_str("##[SHOW] +OK");
        text
    }

    pub(super) fn monitor(
        &mut self,
        id: ConnId,
        game: &str,
        on: bool,
        moves_only: bool,
        now: Now,
    ) -> String {
        let tag = if moves_only { "MONITOR2" } else { "MONITOR" };
        let answer = format!("##[{tag}] +OK");
        let Some(key) = self.room_of(game) else { return answer };
        let watched = self.settings.limits.watched;
        let (Some(open), Some(connection)) =
            (self.rooms.get_mut(&key), self.connections.get_mut(&id))
        else {
            return answer;
        };
        open.watchers.retain(|&(conn, _)| conn != id);
        connection.watching.retain(|&other| other != key);
        if !on {
            return answer;
        }
        if connection.watching.len() >= watched {
            return "##[ERROR] too many games at once".to_owned();
        }
        open.watchers.push((id, moves_only));
        connection.watching.push(key);
        let lines = if moves_only { so_far(open) } else { shown(open, now) };
        block(tag, game, &lines).trim_end().to_owned()
    }

    /// Shows what was said at a table to those who watch it.
    pub(super) fn show(&mut self, key: RoomKey, text: &str, now: Now) {
        let Some(open) = self.rooms.get(&key) else { return };
        if open.watchers.is_empty() {
            return;
        }
        let id = &open.room.conditions().id;
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let brief: Vec<String> = lines.iter().flat_map(|line| timed(line)).collect();
        if text.starts_with(['+', '-']) && lines.len() == 1 {
            lines = shown(open, now);
        }
        let (full, brief): (Arc<str>, Arc<str>) =
            (block("MONITOR", id, &lines).into(), block("MONITOR2", id, &brief).into());
        for &(conn, moves_only) in &open.watchers {
            let text = if moves_only { &brief } else { &full };
            self.out.push(Effect::Send(conn, Arc::clone(text)));
        }
    }
}

/// Lines for those who watch a game.
fn block(tag: &str, id: &str, lines: &[String]) -> String {
    let mut text = String::new();
    for line in lines.iter().map(String::as_str).chain(["+OK"]) {
        let _ = writeln!(text, "##[{tag}][{id}] {line}");
    }
    text
}

/// A move and its time, each on a line.
fn timed(line: &str) -> Vec<String> {
    match line.split_once(',') {
        Some((text, time)) => vec![text.to_owned(), time.to_owned()],
        None => vec![line.to_owned()],
    }
}

/// How a game stands: the proposal, and what has become of it.
fn shown(open: &OpenRoom, now: Now) -> Vec<String> {
    let room = &open.room;
    let turn = room.position().turn();
    let left = |color| seconds_text(room.remaining(color));
    let mut more = vec![
        ("Remaining_Time+".to_owned(), left(Color::Black)),
        ("Remaining_Time-".to_owned(), left(Color::White)),
        ("Current_Turn".to_owned(), if turn == Color::Black { "+" } else { "-" }.to_owned()),
        ("Shown_At".to_owned(), now.wall.to_string()),
    ];
    let summary = |more: &[(String, String)]| {
        room.conditions().summary(Color::Black, room.played(), more).to_string()
    };
    let last =
        summary(&[]).lines().rev().nth(2).filter(|_| !room.played().is_empty()).map(str::to_owned);
    more.extend(last.map(|last| ("Last_Move".to_owned(), last)));
    let lines = summary(&more);
    lines.lines().filter(|line| !line.starts_with("Your_Turn:")).map(str::to_owned).collect()
}

/// The game so far as a record has it.
fn so_far(open: &OpenRoom) -> Vec<String> {
    let conditions = open.room.conditions();
    let summary = conditions.summary(Color::Black, open.room.played(), &[]).to_string();
    let [black, white] = &conditions.names;
    let mut lines = vec!["V2.2".to_owned(), format!("N+{black}"), format!("N-{white}")];
    lines.push(format!("$EVENT:{}", conditions.id));
    let position = summary.lines().skip_while(|line| *line != "BEGIN Position").skip(1);
    lines.extend(position.take_while(|line| *line != "END Position").flat_map(timed));
    lines
}
