//! A game as a record.

use crate::calendar;
use crate::conditions::{Conditions, Finish};
use csa::Reason;
use kifu::{CsaVersion, Ending, Format, Key, NodeId, Record, Step, WriteOptions};
use std::time::Duration;

/// A move as it was stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredMove {
    /// The move in CSA text.
    pub text: String,
    pub time: Duration,
    /// What its player thought.
    pub comment: Option<String>,
}

/// The record of a game, finished or not. A move that does not fit ends it there.
pub fn record(
    conditions: &Conditions,
    moves: &[StoredMove],
    finish: Option<&Finish>,
    started: i64,
    ended: Option<i64>,
) -> Record {
    let mut record = Record::new(conditions.start.clone());
    let headers = &mut record.headers;
    headers.set(Key::Black, &conditions.names[0]);
    headers.set(Key::White, &conditions.names[1]);
    headers.set(Key::Event, &conditions.id);
    headers.set(Key::StartTime, &calendar::text(started));
    if let Some(ended) = ended {
        headers.set(Key::EndTime, &calendar::text(ended));
    }
    if let Some(limit) = conditions.max_moves {
        headers.set(Key::MaxMoves, &limit.to_string());
    }
    let mut position = conditions.start.clone();
    let mut at = NodeId::ROOT;
    for stored in moves {
        let Ok(m) = kifu::wire::read_move(&position, &stored.text) else { break };
        at = record.add(at, Step::Move(m));
        position.play(m);
        let node = record.node_mut(at);
        node.time = Some(stored.time);
        node.comments.extend(stored.comment.clone());
    }
    let Some(finish) = finish else { return record };
    let ending = ending(conditions, finish);
    let end = record.add(at, Step::End(ending));
    let node = record.node_mut(end);
    node.time = finish.last.as_ref().map(|(_, time)| *time);
    if finish.reason == Reason::MaxMoves
        && let Some(winner) = finish.winner
    {
        let name = &conditions.names[winner.index()];
        node.comments.push(format!("mate by the last move: {name} wins"));
    }
    record
}

fn ending(conditions: &Conditions, finish: &Finish) -> Ending {
    let loser = finish.winner.map(rules::Color::opponent);
    match (finish.reason, loser) {
        (Reason::Resign, _) => Ending::Resign,
        (Reason::Sennichite, Some(loser)) => Ending::Won(loser.opponent()),
        (Reason::Sennichite, None) => Ending::Repetition,
        (Reason::OuteSennichite, Some(loser)) => Ending::PerpetualCheck(loser),
        (Reason::OuteSennichite, None) => Ending::Repetition,
        (Reason::IllegalMove, _) => {
            Ending::IllegalMove(finish.last.as_ref().map(|(text, _)| text.trim().to_owned()))
        }
        (Reason::IllegalAction, Some(loser)) if finish.abandoned => Ending::Abandoned(Some(loser)),
        (Reason::IllegalAction, Some(loser)) => Ending::IllegalAction(loser),
        (Reason::IllegalAction, None) => Ending::Interrupted,
        (Reason::TimeUp, _) => Ending::TimeUp,
        (Reason::Jishogi, _) => Ending::Declaration,
        (Reason::MaxMoves, _) => {
            debug_assert!(conditions.max_moves.is_some());
            Ending::MaxMoves
        }
    }
}

/// The record as a CSA file: version 2.2, or 3.0 where times have fractions of a second.
pub fn csa_file(record: &Record) -> Result<Vec<u8>, kifu::WriteError> {
    let fine = record.ids().any(|id| record.node(id).time.is_some_and(|t| t.subsec_nanos() > 0));
    let csa = if fine { CsaVersion::V30 } else { CsaVersion::V22 };
    let options = WriteOptions { csa, ..WriteOptions::default() };
    kifu::to_bytes(record, Format::Csa, &options).map(|(bytes, _)| bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use csa::TimeRule;
    use kifu::{Outcome, ReadOptions};
    use rules::Color;

    fn stored(text: &str, seconds: u64, comment: Option<&str>) -> StoredMove {
        let comment = comment.map(str::to_owned);
        StoredMove { text: text.to_owned(), time: Duration::from_secs(seconds), comment }
    }

    fn finish(reason: Reason, winner: Option<Color>, last: Option<&str>) -> Finish {
        let last = last.map(|text| (text.to_owned(), Duration::from_secs(3)));
        Finish { reason, winner, last, abandoned: false }
    }

    fn back(bytes: &[u8]) -> Record {
        kifu::read("game.csa", bytes, ReadOptions::default()).remove(0).unwrap()
    }

    #[test]
    fn the_file_of_a_game() {
        let conditions = Conditions {
            max_moves: Some(320),
            ..Conditions::plain("nue+test+a+b+1", ["a", "b"], TimeRule::seconds(600, 10))
        };
        let moves = [
            stored("+7776FU", 12, Some("* 35 -3334FU")),
            stored("-3334FU", 0, None),
            stored("+2726FU", 1, Some("just a word")),
        ];
        let finish = finish(Reason::Resign, Some(Color::Black), Some("%TORYO"));
        let record = record(&conditions, &moves, Some(&finish), 0, Some(60));
        let bytes = csa_file(&record).unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        for line in [
            "V2.2",
            "N+a",
            "N-b",
            "$EVENT:nue+test+a+b+1",
            "$START_TIME:1970/01/01 00:00:00",
            "$END_TIME:1970/01/01 00:01:00",
            "$MAX_MOVES:320",
            "+7776FU",
            "T12",
            "'** 35 -3334FU",
            "'*just a word",
            "%TORYO",
            "T3",
        ] {
            assert!(text.lines().any(|l| l == line), "{line} in\n{text}");
        }
        let back = back(&bytes);
        assert_eq!(back.moves().len(), 3);
        assert_eq!(back.outcome(), Outcome::Won(Color::Black));
    }

    #[test]
    fn every_ending_keeps_its_winner() {
        let conditions = Conditions {
            max_moves: Some(2),
            ..Conditions::plain("g", ["a", "b"], TimeRule::default())
        };
        let moves = [stored("+7776FU", 0, None)];
        let (black, white) = (Some(Color::Black), Some(Color::White));
        for (reason, winner, last) in [
            (Reason::Resign, black, Some("%TORYO")),
            (Reason::Sennichite, None, None),
            (Reason::OuteSennichite, black, None),
            (Reason::OuteSennichite, white, None),
            (Reason::IllegalMove, black, Some("-3335FU")),
            (Reason::IllegalMove, black, Some("%KACHI")),
            (Reason::IllegalAction, white, None),
            (Reason::IllegalAction, black, None),
            (Reason::TimeUp, black, None),
            (Reason::Jishogi, white, Some("%KACHI")),
            (Reason::MaxMoves, None, None),
        ] {
            let finish = finish(reason, winner, last);
            let record = record(&conditions, &moves, Some(&finish), 0, None);
            let bytes = csa_file(&record).unwrap();
            let back = back(&bytes);
            let want = winner.map_or(Outcome::Draw, Outcome::Won);
            assert_eq!(back.outcome(), want, "{reason}");
        }
    }
}
