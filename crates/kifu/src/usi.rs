//! One game, or one position, per line: `startpos moves 7g7f …`, `sfen … moves …`, a bare SFEN.
//!
//! No headers, times or comments. The end of the game is a last word such as `resign`.

use crate::error::Problem;
use crate::movetext::NotAMove;
use crate::options::Losses;
use crate::placement::set_up;
use crate::record::{NodeId, Record};
use crate::replay::{Builder, Replay};
use crate::termination::Termination;
use rules::{AnyPosition, Game, Move};

/// Reads a line; `None` if there is nothing on it. `game` is what `startpos` means.
pub(crate) fn read(line: &str, game: Game) -> Option<Result<Record, Problem>> {
    let mut words = line.split_ascii_whitespace().peekable();
    words.next_if_eq(&"position");
    let first = *words.peek()?;
    if first.starts_with('#') {
        return None;
    }
    let start = match first {
        "startpos" => {
            words.next();
            Ok(AnyPosition::startpos(game))
        }
        // A list of moves from the start position.
        _ if Move::from_usi(game, first).is_some() => Ok(AnyPosition::startpos(game)),
        _ => {
            words.next_if_eq(&"sfen");
            let mut fields: Vec<&str> = Vec::new();
            while let Some(field) = words.next_if(|w| *w != "moves") {
                fields.push(field);
            }
            position(&fields)
        }
    };
    words.next_if_eq(&"moves");
    Some(start.and_then(|start| play(start, words)))
}

/// A position from the fields of a SFEN; the number of ranks tells the game.
fn position(fields: &[&str]) -> Result<AnyPosition, Problem> {
    let ranks = fields.first().map_or(0, |board| board.split('/').count());
    let game = if ranks == Game::Minishogi.size() { Game::Minishogi } else { Game::Shogi };
    Ok(set_up(game, &fields.join(" "))?)
}

fn play<'a>(start: AnyPosition, words: impl Iterator<Item = &'a str>) -> Result<Record, Problem> {
    let mut game = Builder::new(Record::new(start));
    // What ended the game though it cannot be played: another move after it is damage.
    let mut foul: Option<Problem> = None;
    for word in words {
        let why = match Move::from_usi(game.position().game(), word) {
            Some(_) => NotAMove::Illegal,
            None => NotAMove::Unreadable,
        };
        let number = game.position().ply();
        if game.is_over() {
            if let Some(foul) = foul.take_if(|_| why == NotAMove::Illegal) {
                return Err(foul);
            }
            game.node().remarks.push(word.to_owned());
        } else if let Ok(m) = game.position().parse_usi(word) {
            game.play(m);
        } else if why == NotAMove::Illegal {
            game.end(Termination::illegal(word));
            foul = Some(Problem::Move { number, text: word.to_owned(), why });
        } else {
            let ending = ending(word);
            if matches!(ending, Termination::Other(_)) {
                foul = Some(Problem::Move { number, text: word.to_owned(), why });
            }
            game.end(ending);
        }
    }
    Ok(game.finish())
}

fn ending(word: &str) -> Termination {
    match word {
        "resign" => Termination::Resign,
        "win" => Termination::Declaration,
        "draw" => Termination::Draw,
        "rep_draw" => Termination::Repetition,
        "timeup" | "timeout" => Termination::TimeUp,
        "interrupt" | "abort" => Termination::Interrupted,
        other => Termination::other(other),
    }
}

/// The line of a record's main line.
pub(crate) fn write(record: &Record, losses: &mut Losses) -> String {
    let game = record.game();
    let sfen = record.start().sfen();
    let mut line = if sfen == AnyPosition::startpos(Game::Shogi).sfen() {
        "startpos".to_owned()
    } else {
        format!("sfen {sfen}")
    };
    let last_word = record.ending().and_then(|end| last_word(record, end));
    losses.endings += usize::from(record.ending().is_some() && last_word.is_none());
    let moves = record.moves();
    if !moves.is_empty() || last_word.is_some() {
        line.push_str(" moves");
    }
    for word in moves.iter().map(|m| m.usi(game)).chain(last_word) {
        line.push(' ');
        line.push_str(&word);
    }
    line.push('\n');
    count_losses(record, losses);
    line
}

/// The word an ending is read back from, if there is one.
fn last_word(record: &Record, end: &Termination) -> Option<String> {
    let game = record.game();
    match end {
        Termination::Resign => Some("resign".to_owned()),
        Termination::Declaration => Some("win".to_owned()),
        Termination::IllegalMove(Some(text)) if Move::from_usi(game, text).is_some() => {
            let mut replay = Replay::new(record);
            replay.go_to(record, record.line_from(NodeId::ROOT).last()?);
            replay.position().parse_usi(text).is_err().then(|| text.clone())
        }
        Termination::Other(text) => {
            let a_move = Game::ALL.iter().any(|&g| Move::from_usi(g, text).is_some());
            let a_word = !text.is_empty() && !text.contains(char::is_whitespace);
            let plain = a_word && !a_move && text != "moves" && ending(text) == *end;
            plain.then(|| text.clone())
        }
        _ => None,
    }
}

fn count_losses(record: &Record, losses: &mut Losses) {
    losses.variations += record.variations();
    losses.headers += record.headers.iter().count();
    for id in record.line_from(NodeId::ROOT) {
        let node = record.node(id);
        losses.comments += node.comments.len() + node.remarks.len();
        losses.bookmarks += usize::from(node.bookmark.is_some());
        losses.times += usize::from(node.time.is_some());
        losses.evaluations += usize::from(node.eval.is_some());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_what_they_hold() {
        let mini = "sfen rbsgk/4p/5/P4/KGSBR b - 1 moves 4e3d";
        for (line, moves, end) in [
            ("startpos", 0, None),
            ("startpos moves 7g7f 3c3d", 2, None),
            ("position startpos moves 7g7f resign", 1, Some(Termination::Resign)),
            ("7g7f 3c3d win", 2, Some(Termination::Declaration)),
            ("startpos moves 7g7e", 0, Some(Termination::IllegalMove(Some("7g7e".to_owned())))),
            ("startpos moves 7g7f hello", 1, Some(Termination::Other("hello".to_owned()))),
            ("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b -", 0, None),
            ("3sks3/9/4S4/9/9/B8/9/9/9 b S2rb4g4n4l18p 1", 0, None),
            (mini, 1, None),
        ] {
            let record = read(line, Game::Shogi).unwrap().unwrap();
            assert_eq!((record.moves().len(), record.ending()), (moves, end.as_ref()), "{line}");
        }
        assert!(read("", Game::Shogi).is_none() && read("# x", Game::Shogi).is_none());
        for bad in [
            "sfen",
            "hello",
            "sfen 9/9 b - 1",
            "position",
            "startpos moves 7g7e 3c3d",
            "startpos moves 7g7f hello 3c3d",
        ] {
            assert!(read(bad, Game::Shogi).is_none_or(|r| r.is_err()), "{bad}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        for line in [
            "startpos\n",
            "startpos moves 7g7f 3c3d resign\n",
            "startpos moves 7g7f 3c3e\n",
            "sfen 3sks3/9/4S4/9/9/B8/9/9/9 b S2rb4g4n4l18p 1 moves 9f6c+\n",
            "sfen rbsgk/4p/5/P4/KGSBR b - 1 moves 4e3d win\n",
        ] {
            let record = read(line, Game::Shogi).unwrap().unwrap();
            assert_eq!(write(&record, &mut Losses::default()), *line);
        }
    }
}
