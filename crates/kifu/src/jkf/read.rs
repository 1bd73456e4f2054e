//! Reading JKF.

use super::PRESETS;
use crate::csa;
use crate::error::{Located, Problem};
use crate::headers::{Headers, Key};
use crate::movetext::NotAMove;
use crate::placement::Placement;
use crate::record::{NodeId, Record};
use crate::relative::{self, Relative};
use crate::replay::Builder;
use crate::termination::Termination;
use rules::{AnyPosition, Color, Game, Kind, Move, Piece, Square};
use serde_json::{Map, Value};
use std::time::Duration;

/// Reads every record of a text: objects one after another, or an array of them.
pub(crate) fn read_all(text: &str) -> Vec<Result<Value, Located>> {
    let mut found = Vec::new();
    let stream = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    for value in stream {
        match value {
            Ok(Value::Array(list)) => found.extend(list.into_iter().map(Ok)),
            Ok(value) => found.push(Ok(value)),
            Err(e) => {
                let line = e.line().saturating_sub(1);
                found.push(Err(Problem::Json(e.to_string()).at(line)));
                break;
            }
        }
    }
    found
}

fn shape(path: impl Into<String>, expected: &'static str) -> Problem {
    Problem::Shape { path: path.into(), expected }
}

/// Reads one record.
pub(crate) fn read(value: &Value) -> Result<Record, Problem> {
    let object = value.as_object().ok_or_else(|| shape("/", "an object"))?;
    let moves = object.get("moves").and_then(Value::as_array);
    let moves = moves.ok_or_else(|| shape("/moves", "an array"))?;
    let (headers, handicap) = headers(object.get("header"));
    let mut record = Record::new(start(object.get("initial"), handicap.as_deref())?);
    record.headers = headers;
    let mut game = Builder::new(record);
    let mut waiting: Vec<(NodeId, &[Value])> = vec![(NodeId::ROOT, moves)];
    while let Some((parent, list)) = waiting.pop() {
        game.go_to(parent);
        let mut forks: Vec<(NodeId, &[Value])> = Vec::new();
        for element in list {
            let Some(element) = element.as_object() else {
                return Err(shape("/moves/…", "an object"));
            };
            let before = game.at();
            let alternatives = element.get("forks").and_then(Value::as_array);
            for fork in alternatives.into_iter().flatten() {
                let fork = fork.as_array().ok_or_else(|| shape("/moves/…/forks/…", "an array"))?;
                forks.push((before, fork));
            }
            step(&mut game, element)?;
        }
        // The last pushed is read first: siblings keep their order.
        waiting.extend(forks.into_iter().rev());
    }
    Ok(game.finish())
}

/// The headers, and 手合割 apart: it names the start position.
fn headers(value: Option<&Value>) -> (Headers, Option<String>) {
    let mut headers = Headers::new();
    let mut handicap = None;
    for (name, value) in value.and_then(Value::as_object).into_iter().flatten() {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        };
        if name == "手合割" {
            handicap = Some(text.trim().to_owned());
        } else {
            headers.set(Key::named(name), &text);
        }
    }
    (headers, handicap)
}

fn start(initial: Option<&Value>, handicap: Option<&str>) -> Result<AnyPosition, Problem> {
    let preset = initial.and_then(|i| i.get("preset"));
    let small = handicap.is_some_and(|h| h.replace('５', "5").starts_with("5五"));
    let game = if small { Game::Minishogi } else { Game::Shogi };
    let name = match preset {
        None | Some(Value::Null) => "HIRATE".to_owned(),
        Some(Value::String(name)) => name.clone(),
        Some(Value::Number(n)) => n.to_string(),
        Some(_) => return Err(shape("/initial/preset", "a string")),
    };
    if name == "OTHER" {
        return other(initial.and_then(|i| i.get("data")));
    }
    if name == "HIRATE" {
        return Ok(AnyPosition::startpos(game));
    }
    let found = PRESETS.iter().find(|(_, n)| *n == name);
    let (handicap, _) = found.ok_or(Problem::Handicap(name))?;
    Ok(AnyPosition::from_sfen(Game::Shogi, &handicap.sfen())?)
}

/// A position given square by square.
fn other(data: Option<&Value>) -> Result<AnyPosition, Problem> {
    let data =
        data.and_then(Value::as_object).ok_or_else(|| shape("/initial/data", "an object"))?;
    let bad_board = || shape("/initial/data/board", "9 files of 9 squares (or 5 of 5)");
    let files = data.get("board").and_then(Value::as_array).ok_or_else(bad_board)?;
    let game = Game::ALL.into_iter().find(|g| g.size() == files.len()).ok_or_else(bad_board)?;
    let mut board = Placement::empty(game);
    for (x, file) in files.iter().enumerate() {
        let squares = file.as_array().filter(|f| f.len() == game.size()).ok_or_else(bad_board)?;
        for (y, cell) in squares.iter().enumerate() {
            let Some(name) = cell.get("kind").and_then(Value::as_str) else { continue };
            let kind = csa::kind(name).ok_or_else(|| Problem::Board(name.to_owned()))?;
            let color = color(cell.get("color")).ok_or_else(bad_board)?;
            if let Some(sq) = Square::at(game, x + 1, y + 1) {
                board.put(sq, Piece::new(color, kind));
            }
        }
    }
    let hands = data.get("hands").and_then(Value::as_array);
    for (color, hand) in Color::BOTH.into_iter().zip(hands.into_iter().flatten()) {
        for (name, count) in hand.as_object().into_iter().flatten() {
            let kind = csa::kind(name).ok_or_else(|| Problem::Board(name.clone()))?;
            let count = count.as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
            if count > 0 {
                board.give(color, kind, count)?;
            }
        }
    }
    board.turn = color(data.get("color")).unwrap_or(Color::Black);
    board.position()
}

fn color(value: Option<&Value>) -> Option<Color> {
    let index = value?.as_u64().and_then(|n| usize::try_from(n).ok())?;
    Color::BOTH.get(index).copied()
}

/// Adds one element of a line of moves.
fn step(game: &mut Builder, element: &Map<String, Value>) -> Result<(), Problem> {
    let over = game.is_over();
    if let Some(m) = element.get("move").and_then(Value::as_object) {
        if over {
            let text = text_of(game.position().game(), m);
            // An illegal move may end a game; where the game goes on it is damage.
            let number = game.position().ply();
            if let Some(Termination::IllegalMove(Some(illegal))) = game.node().ending() {
                let (text, why) = (illegal.clone(), NotAMove::Illegal);
                return Err(Problem::Move { number, text, why });
            }
            game.node().remarks.push(text);
        } else {
            match find(game.position(), game.last_move(), m) {
                Ok(m) => game.play(m),
                Err(NotAMove::Unreadable) => {
                    return Err(shape("/moves/…/move", "piece and destination of a move"));
                }
                Err(_) => {
                    let text = text_of(game.position().game(), m);
                    game.end(Termination::illegal(&text));
                }
            }
        }
    }
    if let Some(word) = element.get("special").and_then(Value::as_str)
        && !game.is_over()
    {
        game.end(csa::special(word));
    }
    let node = game.node();
    match element.get("comments") {
        Some(Value::Array(list)) => {
            let lines = list.iter().filter_map(Value::as_str);
            node.comments.extend(lines.flat_map(lines_or_empty));
        }
        Some(Value::String(text)) => node.comments.extend(text.lines().map(str::to_owned)),
        _ => {}
    }
    if !over && let Some(now) = element.get("time").and_then(|t| t.get("now")) {
        node.time = node.time.or_else(|| time(now));
    }
    Ok(())
}

/// Lines of a text, where an empty text is one empty line.
fn lines_or_empty(text: &str) -> Vec<String> {
    if text.is_empty() { vec![String::new()] } else { text.lines().map(str::to_owned).collect() }
}

fn time(now: &Value) -> Option<Duration> {
    let part = |name: &str| now.get(name).and_then(Value::as_f64).unwrap_or(0.0);
    now.as_object()?;
    let seconds = part("h") * 3600.0 + part("m") * 60.0 + part("s");
    let valid = (0.0..f64::from(u32::MAX)).contains(&seconds);
    // Rounded: 12.345 is not exact in binary.
    valid.then(|| Duration::from_millis((seconds * 1000.0).round() as u64))
}

fn place(game: Game, value: Option<&Value>) -> Option<Square> {
    let number = |name: &str| value?.get(name)?.as_u64().and_then(|n| usize::try_from(n).ok());
    Square::at(game, number("x")?, number("y")?)
}

/// The move an object describes: by its origin, or by relative words where it has none.
fn find(pos: &AnyPosition, last: Option<Move>, m: &Map<String, Value>) -> Result<Move, NotAMove> {
    let game = pos.game();
    let name = m.get("piece").and_then(Value::as_str).ok_or(NotAMove::Unreadable)?;
    let kind = csa::kind(name).ok_or(NotAMove::Unreadable)?;
    let same = m.get("same").and_then(Value::as_bool).unwrap_or(false);
    let to = match m.get("to") {
        Some(Value::Object(_)) => place(game, m.get("to")).ok_or(NotAMove::Illegal)?,
        _ if same => last.map(Move::to).ok_or(NotAMove::Illegal)?,
        _ => return Err(NotAMove::Unreadable),
    };
    if color(m.get("color")).is_some_and(|c| c != pos.turn()) {
        return Err(NotAMove::Illegal);
    }
    let promote = m.get("promote").and_then(Value::as_bool).unwrap_or(false);
    if let Some(Value::Object(_)) = m.get("from") {
        let from = place(game, m.get("from")).ok_or(NotAMove::Illegal)?;
        let found = Move::board(from, to, promote);
        let named = pos.piece_at(from).kind() == Some(kind);
        return if named && pos.is_legal(found) { Ok(found) } else { Err(NotAMove::Illegal) };
    }
    let mut words = Relative::default();
    for c in m.get("relative").and_then(Value::as_str).unwrap_or_default().chars() {
        words.read(c);
    }
    relative::resolve(pos, kind, to, words, promote).map_err(|_| NotAMove::Illegal)
}

/// A move that cannot be played, written as CSA would.
fn text_of(game: Game, m: &Map<String, Value>) -> String {
    let sign = if color(m.get("color")) == Some(Color::White) { '-' } else { '+' };
    let square = |name: &str| {
        place(game, m.get(name))
            .map_or_else(|| "00".to_owned(), |s| format!("{}{}", s.file(game), s.rank(game)))
    };
    let kind = m.get("piece").and_then(Value::as_str).and_then(csa::kind).unwrap_or(Kind::Pawn);
    let promote = m.get("promote").and_then(Value::as_bool).unwrap_or(false);
    let after = if promote { kind.promoted().unwrap_or(kind) } else { kind };
    format!("{sign}{}{}{}", square("from"), square("to"), csa::name(after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use play::Outcome;

    fn read_text(text: &str) -> Result<Record, Problem> {
        read(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn moves_by_origin_and_by_words() {
        let record = read_text(
            r#"{"header":{"先手":"甲","手合割":"平手　　"},"initial":{"preset":"HIRATE"},"moves":[
            {"comments":["始め"]},
            {"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":6},"piece":"FU","color":0},"time":{"now":{"m":1,"s":2}}},
            {"move":{"to":{"x":3,"y":4},"piece":"FU"}},
            {"move":{"from":{"x":8,"y":8},"to":{"x":2,"y":2},"piece":"KA","promote":true,"capture":"KA"}},
            {"move":{"same":true,"piece":"GI"},"forks":[[{"special":"CHUDAN"}],
               [{"move":{"from":{"x":8,"y":2},"to":{"x":2,"y":2},"piece":"HI"}},{"special":"TORYO"}]]},
            {"move":{"to":{"x":5,"y":8},"piece":"KI","relative":"R"}},
            {"special":"TORYO"}]}"#,
        )
        .unwrap();
        assert_eq!(record.moves().len(), 5);
        assert_eq!(record.outcome(), Outcome::Won(Color::Black));
        assert_eq!(record.variations(), 2);
        assert_eq!(record.headers.iter().count(), 1);
        let first = record.node(record.line_from(NodeId::ROOT).nth(1).unwrap());
        assert_eq!(first.time, Some(Duration::from_secs(62)));
    }

    #[test]
    fn illegal_moves_are_kept_and_wrong_shapes_reported() {
        let record = read_text(
            r#"{"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":5},"piece":"FU","color":0}}]}"#,
        );
        let ending = Termination::IllegalMove(Some("+7775FU".to_owned()));
        assert_eq!(record.unwrap().ending(), Some(&ending));
        for bad in [
            "1",
            "{}",
            r#"{"moves":[1]}"#,
            r#"{"moves":[{"move":{}}]}"#,
            r#"{"moves":[{},{"move":{"from":{"x":7,"y":7},"to":{"x":7,"y":5},"piece":"FU"}},
                {"move":{"from":{"x":3,"y":3},"to":{"x":3,"y":4},"piece":"FU"}}]}"#,
            r#"{"moves":[],"initial":{"preset":"99"}}"#,
            r#"{"moves":[],"initial":{"preset":"OTHER"}}"#,
            r#"{"moves":[],"initial":{"preset":"OTHER","data":{"board":[[]]}}}"#,
        ] {
            assert!(read_text(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn several_values_and_a_broken_end() {
        let found = read_all("{\"moves\":[]}\n[{\"moves\":[]},{}]\n{\"moves\"");
        assert_eq!(found.len(), 4);
        assert_eq!(found[3].as_ref().unwrap_err().line, 2);
    }
}
