//! A played game as a record: moves with times and evaluations, and how it ended.

use crate::ending::GameEnd;
use crate::game::{Played, PlayedMove};
use crate::opening::Opening;
use crate::time_control::TimeControl;
use kifu::{Evaluation, Key, NodeId, Record, Step, Termination};
use play::Reason;
use rules::{Color, Move};
use std::time::SystemTime;
use think::{Info, Score};

/// What is said about a game besides the moves.
#[derive(Clone, Debug, Default)]
pub struct Caption {
    pub names: [String; 2],
    pub controls: [TimeControl; 2],
    pub event: String,
    /// When it began, as CSA writes dates.
    pub began: Option<String>,
    /// The limit of moves; 0 for none.
    pub max_moves: u32,
}

/// The record of a game.
pub fn record(played: &Played, caption: &Caption) -> Record {
    let (mut record, mut at, turn) = so_far(&played.opening, &played.moves, caption);
    let (ending, remark) = ending(&played.end, turn);
    at = record.add(at, Step::End(ending));
    let node = record.node_mut(at);
    node.time = played.last.map(whole_millis);
    node.comments.extend(remark);
    record
}

/// The record of a game that goes on.
pub fn unfinished(opening: &Opening, moves: &[PlayedMove], caption: &Caption) -> Record {
    so_far(opening, moves, caption).0
}

/// The moves so far, the last of them, and who is to move.
fn so_far(opening: &Opening, moves: &[PlayedMove], caption: &Caption) -> (Record, NodeId, Color) {
    let mut record = Record::new(opening.start().clone());
    head(&mut record, caption);
    let mut at = NodeId::ROOT;
    for &m in opening.moves() {
        at = record.add(at, Step::Move(m));
    }
    let mut turn = opening.position().turn();
    for step in moves {
        at = record.add(at, Step::Move(step.played));
        let node = record.node_mut(at);
        node.time = Some(whole_millis(step.time));
        node.eval = step.info.as_ref().map(|info| evaluation(info, step.played, turn));
        turn = turn.opponent();
    }
    (record, at, turn)
}

/// CSA has milliseconds and no more.
fn whole_millis(time: std::time::Duration) -> std::time::Duration {
    std::time::Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

fn head(record: &mut Record, caption: &Caption) {
    let headers = &mut record.headers;
    let [black, white] = &caption.names;
    for (key, value) in [(Key::Black, black), (Key::White, white), (Key::Event, &caption.event)] {
        if !value.is_empty() {
            headers.set(key, value);
        }
    }
    if let Some(began) = &caption.began {
        headers.set(Key::StartTime, began);
    }
    if caption.max_moves > 0 {
        headers.set(Key::MaxMoves, &caption.max_moves.to_string());
    }
    for (name, control) in [("TIME+", caption.controls[0]), ("TIME-", caption.controls[1])] {
        if let Some(clock) = control.clock {
            let [main, byoyomi, increment] =
                [clock.main, clock.byoyomi, clock.increment].map(|t| t.as_secs_f64());
            headers.set(Key::named(name), &format!("{main}+{byoyomi}+{increment}"));
        }
    }
}

/// What a player thought, from Black's point of view and without the move it played.
fn evaluation(info: &Info, played: Move, turn: Color) -> Evaluation {
    let score = info.score.map(|(score, _)| match score {
        Score::Cp(cp) if turn == Color::Black => kifu::BlackScore::Cp(cp),
        Score::Cp(cp) => kifu::BlackScore::Cp(cp.saturating_neg()),
        Score::Mate(plies) => kifu::BlackScore::Mate { winner: turn, plies },
        Score::Mated(plies) => kifu::BlackScore::Mate { winner: turn.opponent(), plies },
    });
    // A line that begins otherwise belongs to an earlier opinion.
    let pv = match info.pv.split_first() {
        Some((first, rest)) if *first == played => rest.to_vec(),
        _ => Vec::new(),
    };
    Evaluation { score, pv, nodes: info.nodes, depth: info.depth, tail: String::new() }
}

/// The nearest word a record has, and what it leaves out. `turn` is the side to move at the end.
fn ending(end: &GameEnd, turn: Color) -> (Termination, Option<String>) {
    let reason = end.ending.reason;
    let termination = Termination::of(end.ending, turn).unwrap_or(Termination::Interrupted);
    if let Some((_, fault)) = end.fault() {
        let termination = match termination {
            Termination::IllegalMove(_) => Termination::IllegalMove(fault.received.clone()),
            other => other,
        };
        return (termination, Some(fault.to_string()));
    }
    let remark = (termination.reason() != reason).then(|| match reason {
        Reason::Try => "try rule".to_owned(),
        reason => reason.name().to_owned(),
    });
    (termination, remark)
}

/// A moment as CSA writes dates, in universal time.
pub fn date(time: SystemTime) -> String {
    let moment = jiff::Timestamp::try_from(time).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    moment.strftime(kifu::DATE_FORM).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, UNIX_EPOCH};

    #[test]
    fn dates_are_civil() {
        for (seconds, text) in [
            (0, "1970/01/01 00:00:00"),
            (951_782_399, "2000/02/28 23:59:59"),
            (951_782_400, "2000/02/29 00:00:00"),
            (1_709_210_096, "2024/02/29 12:34:56"),
            (4_107_542_400, "2100/03/01 00:00:00"),
        ] {
            assert_eq!(date(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
    }
}
