//! Reading one game.

use super::position::Setup;
use super::words::{special, summary};
use super::{moves, read_move};
use crate::error::{Located, Problem};
use crate::headers::{Headers, Key};
use crate::movetext::NotAMove;
use crate::record::{Record, Step};
use crate::replay::Builder;
use crate::termination::Termination;
use rules::{Color, Game};
use std::time::Duration;

/// Whether a line ends one game of an archive.
pub(crate) fn separates(line: &[u8]) -> bool {
    line.trim_ascii() == b"/"
}

/// Whether a line begins a game: the version.
pub(crate) fn begins_game(line: &[u8]) -> bool {
    matches!(line, [b'V', b'0'..=b'9', ..])
}

/// What shogi-server calls its last line about a game, and we the header it becomes.
pub(super) const SUMMARY: &str = "summary";

/// What is known before the first move.
#[derive(Default)]
struct Head {
    headers: Headers,
    setup: Setup,
    comments: Vec<String>,
    remarks: Vec<String>,
    anything: bool,
}

/// What shogi-server's log says about the end.
#[derive(Default)]
struct Log {
    summary: Option<String>,
    illegal: Option<String>,
}

struct Reader {
    head: Head,
    log: Log,
    game: Option<Builder>,
    /// The move that ended the game because it cannot be played, and its line. It may only be
    /// followed by words that say so: anything else tells that the text is damaged.
    foul: Option<Located>,
}

/// Reads the text of one game; `game` is taken where the text does not say.
pub(crate) fn read(text: &str, game: Option<Game>) -> Result<Record, Located> {
    let mut reader = Reader { head: Head::default(), log: Log::default(), game: None, foul: None };
    reader.head.setup.game = game.filter(|&g| g != Game::Shogi);
    for (number, line) in text.lines().enumerate() {
        reader.line(number, line)?;
    }
    reader.finish()
}

impl Reader {
    fn line(&mut self, number: usize, line: &str) -> Result<(), Located> {
        if let Some(text) = line.strip_prefix('\'') {
            self.comment(text);
            return Ok(());
        }
        let mut rest = line.trim_end();
        while !rest.is_empty() {
            if rest.starts_with(['\'', '$']) || rest.starts_with("N+") || rest.starts_with("N-") {
                self.whole_line(rest);
                return Ok(());
            }
            let (statement, after) = rest.split_once(',').unwrap_or((rest, ""));
            self.statement(number, statement.trim_end())?;
            rest = after.trim_start();
        }
        Ok(())
    }

    /// Comments, names and headers: a comma in them separates nothing.
    fn whole_line(&mut self, line: &str) {
        if let Some(text) = line.strip_prefix('\'') {
            self.comment(text);
        } else if let Some(text) = line.strip_prefix('$') {
            match text.split_once(':') {
                Some(("GAME", value)) => {
                    self.head.setup.game = value.trim().parse().ok().or(self.head.setup.game);
                }
                Some((name, value)) => self.header(name, value),
                None => self.remark(line),
            }
        } else {
            self.header(&line[..2], &line[2..]);
        }
    }

    fn header(&mut self, name: &str, value: &str) {
        self.head.anything = true;
        let key = match name {
            "TIMET+" => Key::named("TIME+"),
            "TIMET-" => Key::named("TIME-"),
            name => Key::named(name),
        };
        let headers = match &mut self.game {
            Some(game) => &mut game.record.headers,
            None => &mut self.head.headers,
        };
        headers.set_line(key, value);
    }

    fn comment(&mut self, text: &str) {
        if let Some(text) = text.strip_prefix('*') {
            // See `write::comment`.
            let star = text.trim_start_matches(' ').starts_with('*');
            let text = if star { text.strip_prefix(' ').unwrap_or(text) } else { text };
            match &mut self.game {
                Some(game) => game.node().comments.push(text.to_owned()),
                None => self.head.comments.push(text.to_owned()),
            }
        } else if let Some(text) = text.strip_prefix("summary:") {
            self.log.summary = Some(text.trim().to_owned());
            self.header(SUMMARY, text);
        } else if let Some(text) = text.strip_prefix("ILLEGAL_MOVE(") {
            self.log.illegal = Some(text.trim_end_matches(')').to_owned());
        } else if let Some((name, value)) = log_header(text) {
            self.header(name, value);
        } else if !is_encoding(text) && (self.game.is_none() || !is_final_board(text)) {
            self.remark(text);
        }
    }

    fn remark(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match &mut self.game {
            Some(game) => game.node().remarks.push(text.to_owned()),
            None => self.head.remarks.push(text.to_owned()),
        }
    }

    fn statement(&mut self, number: usize, text: &str) -> Result<(), Located> {
        match text.as_bytes() {
            [] => {}
            [b'+'] => self.begin(Color::Black)?,
            [b'-'] => self.begin(Color::White)?,
            [b'P', ..] if self.game.is_none() => self.head.setup.add(number, text),
            [b'V', b'0'..=b'9', ..] => self.head.anything = true,
            [b'%', ..] => self.special(&text[1..])?,
            [b'T', rest @ ..] if rest.first().is_some_and(u8::is_ascii_digit) => self.time(text),
            [b'+' | b'-', ..] => self.play(number, text)?,
            // A sign or a letter was damaged: what follows would be another game.
            _ if self.game.as_ref().is_some_and(|game| !game.is_over()) => {
                return Err(Problem::Statement(text.to_owned()).at(number));
            }
            _ => self.remark(text),
        }
        Ok(())
    }

    /// Everything needed to play is known.
    fn begin(&mut self, turn: Color) -> Result<(), Located> {
        if self.game.is_some() {
            return Ok(());
        }
        let mut record = Record::new(self.head.setup.position(turn)?);
        record.headers = std::mem::take(&mut self.head.headers);
        let mut game = Builder::new(record);
        game.node().comments = std::mem::take(&mut self.head.comments);
        game.node().remarks = std::mem::take(&mut self.head.remarks);
        self.game = Some(game);
        Ok(())
    }

    fn play(&mut self, number: usize, text: &str) -> Result<(), Located> {
        let first = if text.starts_with('+') { Color::Black } else { Color::White };
        self.begin(first)?;
        let Some(game) = &mut self.game else { return Ok(()) };
        if let Some(foul) = self.foul.take_if(|_| moves::looks_like_a_move(text)) {
            return Err(foul);
        }
        if game.is_over() {
            game.node().remarks.push(text.to_owned());
            return Ok(());
        }
        match read_move(game.position(), text) {
            Ok(m) => game.play(m),
            Err(why) => {
                let (ply, text) = (game.position().ply(), text.to_owned());
                if why == NotAMove::Unreadable {
                    return Err(Problem::Statement(text).at(number));
                }
                game.end(Termination::illegal(&text));
                self.foul = Some(Problem::Move { number: ply, text, why }.at(number));
            }
        }
        Ok(())
    }

    fn special(&mut self, word: &str) -> Result<(), Located> {
        self.begin(Color::Black)?;
        let Some(game) = &mut self.game else { return Ok(()) };
        let ending = special(word);
        let says_so = matches!(
            ending,
            Termination::IllegalMove(_)
                | Termination::IllegalAction(_)
                | Termination::Interrupted
                | Termination::Error
        );
        if let Some(foul) = self.foul.take_if(|_| !says_so) {
            return Err(foul);
        }
        if !game.is_over() {
            game.end(ending);
        } else if !matches!(ending, Termination::IllegalMove(_)) {
            game.node().remarks.push(format!("%{word}"));
        }
        Ok(())
    }

    fn time(&mut self, text: &str) {
        match (&mut self.game, seconds(&text[1..])) {
            (Some(game), Some(time)) if game.record.node(game.at()).parent().is_some() => {
                let node = game.node();
                node.time = node.time.or(Some(time));
            }
            _ => self.remark(text),
        }
    }

    fn finish(mut self) -> Result<Record, Located> {
        let head = &self.head;
        if self.game.is_none() && head.setup.is_empty() && !head.anything {
            return Err(Problem::Nothing.at(0));
        }
        self.begin(Color::Black)?;
        let Some(mut game) = self.game else { return Err(Problem::Nothing.at(0)) };
        end_from_log(&mut game, &self.log);
        Ok(game.finish())
    }
}

/// Fills in what only the log's comments say about the end.
fn end_from_log(game: &mut Builder, log: &Log) {
    let turn = game.position().turn();
    let told = log.summary.as_deref().and_then(|s| summary(s, turn));
    if !game.is_over() {
        match told {
            Some(ending) => game.end(ending),
            None => return,
        }
    } else if let Some(better @ (Termination::PerpetualCheck(_) | Termination::Abandoned(_))) = told
        && let Step::End(
            Termination::Interrupted | Termination::IllegalAction(_) | Termination::IllegalMove(_),
        ) = game.node().step
    {
        game.node().step = Step::End(better);
    }
    if let (Some(text), Step::End(Termination::IllegalMove(None))) =
        (&log.illegal, &game.node().step)
    {
        game.node().step = Step::End(Termination::illegal(text));
    }
}

/// Headers shogi-server writes as comments.
fn log_header(text: &str) -> Option<(&str, &str)> {
    const NAMES: [&str; 6] =
        ["Max_Moves", "Least_Time_Per_Move", "Increment", "rating", "black_rate", "white_rate"];
    let (name, value) = text.split_once(':')?;
    match name {
        "Max_Moves" => Some(("MAX_MOVES", value)),
        "$END_TIME" => Some(("END_TIME", value)),
        _ => NAMES.contains(&name).then_some((name, value)),
    }
}

/// Whether the text after `'` is more than a remark.
pub(super) fn means_something(text: &str) -> bool {
    text.starts_with('*')
        || text.starts_with("summary:")
        || text.starts_with("ILLEGAL_MOVE(")
        || log_header(text).is_some()
        || is_final_board(text)
}

fn is_encoding(text: &str) -> bool {
    text.trim_start_matches("CSA").trim_start().to_ascii_lowercase().starts_with("encoding=")
}

/// Lines of the board shogi-server prints as a comment at the end.
fn is_final_board(text: &str) -> bool {
    match text.as_bytes() {
        [b'+' | b'-'] => true,
        [b'P', b'1'..=b'9', rest @ ..] => rest.len() >= 15,
        [b'P', b'+' | b'-', rest @ ..] => rest.iter().all(u8::is_ascii_alphanumeric),
        _ => false,
    }
}

/// Seconds, to the millisecond.
fn seconds(text: &str) -> Option<Duration> {
    let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) {
        return None;
    }
    let millis = format!("{fraction:0<3}")[..3].parse::<u64>().ok()?;
    let whole = whole.parse::<u64>().ok().filter(|&s| s < u64::from(u32::MAX))?;
    Some(Duration::from_millis(whole * 1000 + millis))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::NodeId;
    use play::Outcome;

    fn read_ok(text: &str) -> Record {
        read(text, None).unwrap_or_else(|e| panic!("line {}: {}", e.line, e.reason))
    }

    #[test]
    fn a_log_of_shogi_server() {
        let record = read_ok(
            "V2\nN+a\nN-b\n'Max_Moves:256\n'Increment:10\n$EVENT:wdoor+x\nPI\n+\n\
             'black_rate:a+1:3912.0\n+7776FU\nT3\n'** 123 -3334FU\n-3334FU,T5\n+2726FU,'* hello, you\n\
             'P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\n'summary:time up:a win:b lose\n'$END_TIME:2020/01/01 00:00:00\n",
        );
        assert_eq!(record.moves().len(), 3);
        assert_eq!(record.ending(), Some(&Termination::TimeUp));
        assert_eq!(record.outcome(), Outcome::Won(Color::Black));
        assert_eq!(record.headers.get(&Key::MaxMoves), Some("256"));
        assert_eq!(record.headers.get(&Key::EndTime), Some("2020/01/01 00:00:00"));
        let nodes: Vec<_> = record.line_from(NodeId::ROOT).map(|id| record.node(id)).collect();
        assert_eq!(nodes[1].time, Some(Duration::from_secs(3)));
        assert_eq!(nodes[1].eval.as_ref().map(|e| e.pv.len()), Some(1));
        assert!(nodes[1].comments.is_empty());
        assert_eq!(nodes[3].comments, [" hello, you"]);
        assert!(nodes.iter().all(|n| n.remarks.is_empty()));
    }

    #[test]
    fn an_illegal_move_ends_the_line_and_is_kept() {
        for (text, want) in [
            ("PI\n+\n+7776FU\n-3335FU\nT9\n%ILLEGAL_MOVE\n", Some("-3335FU")),
            ("PI\n+\n+7776FU\n%ILLEGAL_MOVE\n'ILLEGAL_MOVE(-3335FU)\n", Some("-3335FU")),
            ("PI\n+\n+7776FU\n%ILLEGAL_MOVE\n", None),
            ("PI\n+\n+7776FU\n-3335FU\n", Some("-3335FU")),
        ] {
            let record = read_ok(text);
            let want = Termination::IllegalMove(want.map(str::to_owned));
            assert_eq!(record.ending(), Some(&want), "{text}");
            assert_eq!((record.moves().len(), record.outcome()), (1, Outcome::Won(Color::Black)));
        }
    }

    /// A move that cannot be played where the game goes on is damage, not an ending.
    #[test]
    fn damaged_moves_are_reported_with_their_line() {
        for (text, line, part) in [
            ("V2.2\nPI\n+\n+7776FU\nT1\n-3335FU\nT2\n+2726FU\n%TORYO\n", 5, "not legal"),
            ("PI\n+\n+7776FU\n-3335FU\n%SENNICHITE\n", 3, "not legal"),
            ("PI\n+\n+7776FU,-3335FU,+2726FU\n", 2, "not legal"),
        ] {
            let error = read(text, None).unwrap_err();
            let reason = error.reason.to_string();
            assert_eq!(error.line, line, "{text}: {reason}");
            assert!(reason.contains(part) && reason.contains("move 2"), "{reason}");
        }
        // What is no move at all is damage also where the text ends with it.
        for damaged in [
            "-33x4FU\n+2726FU",
            "-3334FV\n%TORYO",
            "?3334FU\n%TORYO",
            "XYZ\n-3334FU",
            "-3334F",
            "-33",
            "-9999XX\n'* so it goes\n%CHUDAN",
        ] {
            let text = format!("PI\n+\n+7776FU\n{damaged}\n");
            let error = read(&text, None).unwrap_err();
            let first = damaged.lines().next().unwrap();
            assert_eq!(error.line, 3, "{text}");
            assert!(error.reason.to_string().contains(first), "{}", error.reason);
        }
        assert!(read("PI\n+\n+7776FU\n-3335FU\n%TORYOO\n", None).is_err());
        // After the end of a game anything may stand.
        read_ok("PI\n+\n+7776FU\n%TORYO\nEND\n");
        // The rest of a game that was stopped at once by the referee is no damage.
        for end in ["%-ILLEGAL_ACTION", "%CHUDAN", "%ILLEGAL_MOVE", "'** 5 +2726FU"] {
            read_ok(&format!("PI\n+\n+7776FU\n-3335FU\nT3\n{end}\n"));
        }
    }

    #[test]
    fn times_to_the_millisecond() {
        for (text, want) in [
            ("12", Some(12_000)),
            ("12.345", Some(12_345)),
            ("0.5", Some(500)),
            ("1.23456", Some(1_234)),
            ("1.", Some(1_000)),
            ("x", None),
            ("1x", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(seconds(text), want.map(Duration::from_millis), "{text}");
        }
    }

    #[test]
    fn nothing_is_reported_and_a_bare_position_is_a_record() {
        assert!(read("", None).is_err());
        assert!(read("hello\nworld", None).is_err());
        assert!(read("P1-KZ\n+\n", None).is_err());
        let record = read_ok("P-11OU\nP+12KI13FU\n-\n");
        assert!(record.is_empty() && record.start().turn() == Color::White);
    }
}
