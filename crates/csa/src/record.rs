//! A game played by the protocol, as a record.

use crate::times::TimeRule;
use kifu::{CsaVersion, Format, Key, NodeId, Record, Step, Termination, WriteOptions};
use play::Reason;
use rules::{AnyPosition, Color};
use std::time::Duration;

/// A move that was made in a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RecordedMove {
    /// In CSA text.
    pub text: String,
    pub time: Duration,
    /// What its player thought.
    pub comment: Option<String>,
}

/// How a game ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finish {
    /// At the limit of moves, who won is settled by the rules of the tournament.
    pub ending: play::Ending,
    /// What was said last instead of a legal move, and its recorded time.
    pub last: Option<(String, Duration)>,
}

impl Finish {
    /// The reason as the protocol has it. A referee's draw is a game broken off.
    pub const fn reason(&self) -> crate::ReasonWord {
        match (self.ending.reason, self.ending.outcome) {
            (Reason::Adjudicated, play::Outcome::Draw) => crate::ReasonWord::MaxMoves,
            (reason, _) => crate::ReasonWord::of(reason),
        }
    }

    /// Who won, if anybody did.
    pub const fn winner(&self) -> Option<Color> {
        self.ending.winner()
    }
}

/// What is known of a game, finished or not.
#[derive(Clone, Copy, Debug)]
pub struct GameRecord<'a> {
    pub id: &'a str,
    pub names: &'a [String; 2],
    pub start: &'a AnyPosition,
    /// Black's and White's clock.
    pub times: &'a [TimeRule; 2],
    /// Black's and White's rating when the game began.
    pub ratings: [Option<i32>; 2],
    pub max_moves: Option<u32>,
    pub moves: &'a [RecordedMove],
    pub finish: Option<&'a Finish>,
    /// Date and time as records have them.
    pub started: &'a str,
    pub ended: Option<&'a str>,
}

impl GameRecord<'_> {
    /// The record. A move that does not fit ends it there.
    pub fn record(&self) -> Record {
        let mut record = Record::new(self.start.clone());
        let headers = &mut record.headers;
        headers.set(Key::Black, &self.names[0]);
        headers.set(Key::White, &self.names[1]);
        headers.set(Key::Event, self.id);
        headers.set(Key::StartTime, self.started);
        if let Some(ended) = self.ended {
            headers.set(Key::EndTime, ended);
        }
        if let Some(limit) = self.max_moves {
            headers.set(Key::MaxMoves, &limit.to_string());
        }
        if let Some(limit) = time_limit(self.times) {
            headers.set(Key::TimeLimit, &limit);
        }
        let mut position = self.start.clone();
        let mut at = NodeId::ROOT;
        for made in self.moves {
            let Ok(m) = kifu::wire::read_move(&position, &made.text) else { break };
            at = record.add(at, Step::Move(m));
            position.play(m);
            let node = record.node_mut(at);
            node.time = Some(made.time);
            node.comments.extend(made.comment.clone());
        }
        let Some(finish) = self.finish else { return record };
        let end = record.add(at, Step::End(termination(finish, position.turn())));
        let node = record.node_mut(end);
        node.time = finish.last.as_ref().map(|(_, time)| *time);
        if finish.ending.reason == Reason::MaxMoves
            && let Some(winner) = finish.winner()
        {
            let name = &self.names[winner.index()];
            node.comments.push(format!("mate by the last move: {name} wins"));
        }
        record
    }
}

impl GameRecord<'_> {
    /// The game as a CSA file, with the lines that logs of shogi-server have besides: the clock,
    /// ratings, and a summary of how it ended.
    pub fn file(&self) -> Result<Vec<u8>, kifu::WriteError> {
        let bytes = csa_file(&self.record())?;
        let mut lines: Vec<String> =
            String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect();
        let names_end = lines.iter().rposition(|line| line.starts_with("N-"));
        let at = names_end.map_or(1, |at| at + 1).min(lines.len());
        lines.splice(at..at, self.log_lines());
        lines.extend(self.summary_line());
        lines.push(String::new());
        Ok(lines.join("\n").into_bytes())
    }

    fn log_lines(&self) -> Vec<String> {
        let [black, white] = self.times;
        let mut lines: Vec<String> = Vec::new();
        for (sign, rule) in [("", black), ("-", white)] {
            if sign.is_empty() || black != white {
                // One block where both have the same, else the second for White.
                lines.extend(rule.lines().iter().map(|line| {
                    let (key, value) = line.split_once(':').unwrap_or((line, ""));
                    format!("'{key}{sign}:{value}")
                }));
            }
        }
        for (word, name, rating) in [
            ("black_rate", &self.names[0], self.ratings[0]),
            ("white_rate", &self.names[1], self.ratings[1]),
        ] {
            lines.extend(rating.map(|rating| format!("'{word}:{name}:{rating}.0")));
        }
        lines
    }

    fn summary_line(&self) -> Option<String> {
        let finish = self.finish?;
        let word = match finish.ending.reason {
            Reason::Resign => "toryo",
            Reason::TimeUp => "time up",
            Reason::IllegalMove if finish.last.as_ref().is_some_and(|(l, _)| l == "%KACHI") => {
                "illegal kachi"
            }
            Reason::IllegalMove => "illegal move",
            Reason::Repetition => "sennichite",
            Reason::PerpetualCheck => "oute_sennichite",
            Reason::Declaration | Reason::Try => "kachi",
            Reason::MaxMoves => "max_moves",
            _ => "abnormal",
        };
        let results = match finish.ending.outcome {
            play::Outcome::Won(Color::Black) => ["win", "lose"],
            play::Outcome::Won(Color::White) => ["lose", "win"],
            play::Outcome::Draw => ["draw", "draw"],
            play::Outcome::Unknown => return None,
        };
        let [black, white] = self.names;
        Some(format!("'summary:{word}:{black} {}:{white} {}", results[0], results[1]))
    }
}

/// The clock as `$TIME_LIMIT` has it, `HH:MM+SS`, where that says all: the same for both, whole
/// minutes and byoyomi.
fn time_limit([black, white]: &[TimeRule; 2]) -> Option<String> {
    let plain = black == white && black.increment.is_none() && black.delay.is_none();
    let total = black.span(black.total.filter(|_| plain)?).as_secs();
    let byoyomi = black.span(black.byoyomi.unwrap_or(0)).as_secs();
    let fits = total.is_multiple_of(60) && total < 360_000 && byoyomi < 100;
    fits.then(|| format!("{:02}:{:02}+{byoyomi:02}", total / 3600, total / 60 % 60))
}

/// The record's last word, where `turn` is to move.
fn termination(finish: &Finish, turn: Color) -> Termination {
    let ending = match finish.ending.reason {
        // The protocol has one word for the limit, whoever is mated there.
        Reason::MaxMoves => play::Ending::draw(Reason::MaxMoves),
        // A king that has entered wins by one word as well, whatever counted.
        Reason::Try => play::Ending { reason: Reason::Declaration, ..finish.ending },
        _ => finish.ending,
    };
    match Termination::of(ending, turn) {
        Some(Termination::IllegalMove(_)) => {
            Termination::IllegalMove(finish.last.as_ref().map(|(text, _)| text.trim().to_owned()))
        }
        Some(termination) => termination,
        None => Termination::Interrupted,
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
    use kifu::ReadOptions;
    use rules::Game;

    fn made(text: &str, seconds: u64, comment: Option<&str>) -> RecordedMove {
        let comment = comment.map(str::to_owned);
        RecordedMove { text: text.to_owned(), time: Duration::from_secs(seconds), comment }
    }

    fn finish(reason: Reason, winner: Option<Color>, last: Option<&str>) -> Finish {
        let last = last.map(|text| (text.to_owned(), Duration::from_secs(3)));
        Finish { ending: play::Ending { outcome: play::Outcome::of(winner), reason }, last }
    }

    fn game<'a>(
        names: &'a [String; 2],
        start: &'a AnyPosition,
        moves: &'a [RecordedMove],
        finish: &'a Finish,
    ) -> GameRecord<'a> {
        static TIMES: std::sync::LazyLock<[TimeRule; 2]> =
            std::sync::LazyLock::new(|| [TimeRule::seconds(1500, 30), TimeRule::seconds(1500, 30)]);
        GameRecord {
            id: "nue+test+a+b+1",
            names,
            start,
            times: &TIMES,
            ratings: [Some(1612), None],
            max_moves: Some(320),
            moves,
            finish: Some(finish),
            started: "1970/01/01 00:00:00",
            ended: Some("1970/01/01 00:01:00"),
        }
    }

    fn names() -> [String; 2] {
        ["a", "b"].map(str::to_owned)
    }

    fn back(bytes: &[u8]) -> Record {
        kifu::read("game.csa", bytes, ReadOptions::default()).remove(0).unwrap()
    }

    #[test]
    fn the_file_of_a_game() {
        let (names, start) = (names(), AnyPosition::startpos(Game::Shogi));
        let moves = [
            made("+7776FU", 12, Some("* 35 -3334FU")),
            made("-3334FU", 0, None),
            made("+2726FU", 1, Some("just a word")),
        ];
        let finish = finish(Reason::Resign, Some(Color::Black), Some("%TORYO"));
        let bytes = game(&names, &start, &moves, &finish).file().unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        for line in [
            "$TIME_LIMIT:00:25+30",
            "'Total_Time:1500",
            "'Byoyomi:30",
            "'Increment:0",
            "'black_rate:a:1612.0",
            "'summary:toryo:a win:b lose",
            "V2.2",
            "N+a",
            "N-b",
            "$EVENT:nue+test+a+b+1",
            "$START_TIME:1970/01/01 00:00:00",
            "$END_TIME:1970/01/01 00:01:00",
            "'Max_Moves:320",
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
        assert_eq!(back.outcome(), kifu::Outcome::Won(Color::Black));
    }

    #[test]
    fn every_ending_keeps_its_winner() {
        let (names, start) = (names(), AnyPosition::startpos(Game::Shogi));
        let moves = [made("+7776FU", 0, None)];
        let (black, white) = (Some(Color::Black), Some(Color::White));
        for (reason, winner, last) in [
            (Reason::Resign, black, Some("%TORYO")),
            (Reason::Repetition, None, None),
            (Reason::PerpetualCheck, black, None),
            (Reason::PerpetualCheck, white, None),
            (Reason::IllegalMove, black, Some("-3335FU")),
            (Reason::IllegalMove, black, Some("%KACHI")),
            (Reason::IllegalAction, white, None),
            (Reason::IllegalAction, black, None),
            (Reason::TimeUp, black, None),
            (Reason::Declaration, white, Some("%KACHI")),
            (Reason::MaxMoves, None, None),
            (Reason::Adjudicated, white, None),
            (Reason::Adjudicated, None, None),
        ] {
            let finish = finish(reason, winner, last);
            let bytes = game(&names, &start, &moves, &finish).file().unwrap();
            let back = back(&bytes);
            let want = winner.map_or(kifu::Outcome::Draw, kifu::Outcome::Won);
            assert_eq!(back.outcome(), want, "{reason}");
        }
    }
}
