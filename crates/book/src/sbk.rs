//! ShogiGUI's books (docs/formats/book-sbk.md): Protocol Buffers, whole in memory.
//!
//! States know each other by number, which is their place in the file. The keys of boards and hands are
//! 0, as in the books of the converter by ShogiGUI's author: who reads such a book finds positions by
//! their text and by the moves that lead to them.

use crate::bytes::{Taker, put_number};
use crate::losses::{Losses, Problems};
use crate::{BookError, BookMove, Entry, Format, Header, Key};
use rules::{AnyPosition, Color, Game, Kind, Move, Square};
use std::collections::{HashMap, HashSet, VecDeque};

/// Kinds by their number in a move.
const KINDS: [Kind; 8] = [
    Kind::Pawn,
    Kind::Lance,
    Kind::Knight,
    Kind::Silver,
    Kind::Gold,
    Kind::Bishop,
    Kind::Rook,
    Kind::King,
];
/// What somebody thought of a move, by number, as comments say it.
const OPINIONS: [&str; 5] = ["", "forced", "good", "bad", "blunder"];

/// A field: its number and what it holds.
enum Field<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

#[derive(Default)]
struct State {
    games: u64,
    won: [u64; 2],
    sfen: String,
    comment: String,
    moves: Vec<StateMove>,
    evals: Vec<Eval>,
}

#[derive(Default)]
struct StateMove {
    code: u32,
    opinion: u64,
    weight: u64,
    next: i64,
}

#[derive(Default)]
struct Eval {
    value: i32,
    depth: u32,
    line: String,
    engine: String,
}

fn field<'a>(from: &mut Taker<'a>) -> Option<(u64, Field<'a>)> {
    let tag = from.number()?;
    let field = match tag & 7 {
        0 => Field::Number(from.number()?),
        1 => Field::Number(from.u64()?),
        2 => {
            let length = usize::try_from(from.number()?).ok()?;
            Field::Bytes(from.take(length)?)
        }
        5 => Field::Number(u64::from(from.u32()?)),
        _ => return None,
    };
    Some((tag >> 3, field))
}

/// Takes a message apart, field by field.
fn each<'a>(bytes: &'a [u8], mut take: impl FnMut(u64, Field<'a>) -> Option<()>) -> Option<()> {
    let mut from = Taker::new(bytes);
    while !from.is_empty() {
        let (number, field) = field(&mut from)?;
        take(number, field)?;
    }
    Some(())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn read_state(bytes: &[u8]) -> Option<(i64, State)> {
    let (mut id, mut state) = (0, State::default());
    each(bytes, |number, field| {
        match (number, field) {
            (1, Field::Number(n)) => id = i64::from(n as i32),
            (4, Field::Number(n)) => state.games = n,
            (5, Field::Number(n)) => state.won[0] = n,
            (6, Field::Number(n)) => state.won[1] = n,
            (7, Field::Bytes(bytes)) => state.sfen = text(bytes),
            (8, Field::Bytes(bytes)) => state.comment = text(bytes),
            (9, Field::Bytes(bytes)) => state.moves.push(read_move(bytes)?),
            (10, Field::Bytes(bytes)) => state.evals.push(read_eval(bytes)?),
            _ => {}
        }
        Some(())
    })?;
    Some((id, state))
}

fn read_move(bytes: &[u8]) -> Option<StateMove> {
    let mut m = StateMove { next: -1, ..StateMove::default() };
    each(bytes, |number, field| {
        match (number, field) {
            (1, Field::Number(n)) => m.code = n as u32,
            (2, Field::Number(n)) => m.opinion = n,
            (3, Field::Number(n)) => m.weight = n,
            (4, Field::Number(n)) => m.next = i64::from(n as i32),
            _ => {}
        }
        Some(())
    })?;
    Some(m)
}

fn read_eval(bytes: &[u8]) -> Option<Eval> {
    let mut eval = Eval::default();
    each(bytes, |number, field| {
        match (number, field) {
            (1, Field::Number(n)) => eval.value = n as i32,
            (2, Field::Number(n)) => eval.depth = n as u32,
            (5, Field::Bytes(bytes)) => eval.line = text(bytes),
            (6, Field::Bytes(bytes)) => eval.engine = text(bytes),
            _ => {}
        }
        Some(())
    })?;
    Some(eval)
}

/// The move of a code: bits 0–3 rank and 4–7 file it comes from (file 0: a drop), 8–11 and 12–15 where
/// it goes, 19 promotion, 24–27 the piece.
fn decode(code: u32) -> Option<Move> {
    let part = |shift: u32| (code >> shift & 15) as usize;
    let to = Square::at(Game::Shogi, part(12), part(8))?;
    if part(4) == 0 {
        let kind = *KINDS.get(part(24).checked_sub(1)?)?;
        return (kind != Kind::King).then(|| Move::drop(kind, to));
    }
    let from = Square::at(Game::Shogi, part(4), part(0))?;
    (from != to).then(|| Move::board(from, to, code >> 19 & 1 == 1))
}

fn encode(position: &AnyPosition, mv: Move) -> u32 {
    let game = Game::Shogi;
    let number = |kind: Kind| {
        let plain = KINDS.iter().position(|&k| k == kind.unpromoted()).map_or(0, |n| n + 1);
        (plain + if kind.is_promoted() { 8 } else { 0 }) as u32
    };
    let to = mv.to();
    let mut code = (to.rank(game) as u32) << 8 | (to.file(game) as u32) << 12;
    let piece = mv.dropped().or_else(|| position.piece_at(mv.from()).kind());
    code |= piece.map_or(0, number) << 24;
    if !mv.is_drop() {
        code |= mv.from().rank(game) as u32 | (mv.from().file(game) as u32) << 4;
        code |= u32::from(mv.is_promotion()) << 19;
        code |= position.piece_at(to).kind().map_or(0, number) << 20;
    }
    if position.turn() == Color::White { code | 1 << 28 | 1 << 31 } else { code }
}

/// Reads a book: what it says about itself, its positions, and what could not be read.
pub fn read(bytes: &[u8]) -> Result<(Header, Vec<Entry>, Problems), BookError> {
    let mut header = Header::new(Game::Shogi);
    let mut states: HashMap<i64, State> = HashMap::new();
    let mut order = Vec::new();
    let read = each(bytes, |number, field| {
        match (number, field) {
            (1, Field::Bytes(bytes)) => header.pairs.push(("author".to_owned(), text(bytes))),
            (2, Field::Bytes(bytes)) => header.pairs.push(("description".to_owned(), text(bytes))),
            (3, Field::Bytes(bytes)) => {
                let (id, state) = read_state(bytes)?;
                order.push(id);
                states.insert(id, state);
            }
            _ => {}
        }
        Some(())
    });
    if read.is_none() || bytes.is_empty() {
        return Err(BookError::not(Format::Sbk, "not a message of Protocol Buffers, or cut off"));
    }
    let mut problems = Problems::default();
    let entries = walk(&states, &order, &mut problems)?;
    Ok((header, entries, problems))
}

/// Gives every state its position: its own words, or the moves that lead to it.
fn walk(
    states: &HashMap<i64, State>,
    order: &[i64],
    problems: &mut Problems,
) -> Result<Vec<Entry>, BookError> {
    let mut queue = VecDeque::new();
    let mut seen = HashSet::new();
    for &id in order {
        let sfen = states[&id].sfen.trim();
        if sfen.is_empty() {
            continue;
        }
        let sfen = sfen.strip_prefix("sfen ").unwrap_or(sfen);
        match AnyPosition::from_sfen(Game::Shogi, sfen) {
            Ok(position) if seen.insert(id) => queue.push_back((id, position)),
            Ok(_) => problems.note(|| format!("state {id}: there are two")),
            Err(error) => problems.note(|| format!("state {id}: {error}")),
        }
    }
    if queue.is_empty()
        && let Some(&first) = order.first()
    {
        seen.insert(first);
        queue.push_back((first, AnyPosition::startpos(Game::Shogi)));
    }
    let mut entries = Vec::new();
    while let Some((id, position)) = queue.pop_front() {
        let state = &states[&id];
        let mut entry = Entry::of(&position)?;
        entry.comment = (!state.comment.is_empty()).then(|| state.comment.as_str().into());
        for m in &state.moves {
            let mv = decode(m.code).filter(|&mv| position.is_legal(mv) && entry.find(mv).is_none());
            let Some(mv) = mv else {
                problems.note(|| format!("state {id}: {:#010x} is not a legal move", m.code));
                continue;
            };
            entry.moves.push(book_move(states, m, mv, position.turn()));
            if states.contains_key(&m.next) && seen.insert(m.next) {
                let mut next = position.without_history();
                next.play(mv);
                queue.push_back((m.next, next.without_history()));
            }
        }
        add_evals(&mut entry, &position, &state.evals);
        entries.push(entry);
    }
    for id in order.iter().filter(|id| !seen.contains(id)) {
        problems.note(|| format!("state {id}: no position, and no move leads to it"));
    }
    Ok(entries)
}

fn book_move(states: &HashMap<i64, State>, m: &StateMove, mv: Move, turn: Color) -> BookMove {
    let mut book_move = BookMove { count: m.weight, ..BookMove::new(mv) };
    if let Some(next) = states.get(&m.next) {
        book_move.wins = next.won[turn.index()];
        let decided = next.won[0].saturating_add(next.won[1]);
        book_move.draws = next.games.saturating_sub(decided);
    }
    let opinion = OPINIONS.get(m.opinion as usize).filter(|word| !word.is_empty());
    book_move.comment = opinion.map(|&word| word.into());
    book_move
}

/// The value of a state is that of the first move of its line.
fn add_evals(entry: &mut Entry, position: &AnyPosition, evals: &[Eval]) {
    for eval in evals {
        let first = eval.line.split_ascii_whitespace().next().unwrap_or_default();
        let Ok(mv) = position.parse_usi(first) else { continue };
        if entry.find(mv).is_none() {
            entry.moves.push(BookMove::new(mv));
        }
        let Some(m) = entry.moves.iter_mut().find(|m| m.mv == mv) else { continue };
        if m.value.is_none() || eval.depth > m.depth {
            (m.value, m.depth) = (Some(eval.value), eval.depth);
            m.source = (!eval.engine.is_empty()).then(|| eval.engine.as_str().into());
        }
    }
}

fn put_field(out: &mut Vec<u8>, number: u64, value: u64) {
    put_number(out, number << 3);
    put_number(out, value);
}

fn put_bytes(out: &mut Vec<u8>, number: u64, bytes: &[u8]) {
    put_number(out, number << 3 | 2);
    put_number(out, bytes.len() as u64);
    out.extend(bytes);
}

/// Writes a book, and says what had no place in it.
pub fn write(header: &Header, entries: &[Entry]) -> Result<(Vec<u8>, Losses), BookError> {
    if header.game != Game::Shogi {
        return Err(BookError::Unfit("this format knows no minishogi".to_owned()));
    }
    let mut states = States {
        ids: entries.iter().enumerate().map(|(id, e)| (e.key, id)).collect(),
        first_end: entries.len(),
        ends: Vec::new(),
        losses: Losses::default(),
    };
    let mut out = Vec::new();
    put_bytes(&mut out, 1, header.get("author").unwrap_or_default().as_bytes());
    put_bytes(&mut out, 2, header.get("description").unwrap_or_default().as_bytes());
    for (id, entry) in entries.iter().enumerate() {
        let state = write_state(id, entry, &mut states)?;
        put_bytes(&mut out, 3, &state);
    }
    for (end, results) in states.ends.iter().enumerate() {
        put_bytes(&mut out, 3, &write_end(entries.len() + end, results));
    }
    Ok((out, states.losses))
}

/// What is known of states while they are written.
struct States {
    ids: HashMap<Key, usize>,
    /// The number of the first of the next.
    first_end: usize,
    /// States without moves, for results of moves that lead out of the book: games, won by Black, by White.
    ends: Vec<[u64; 3]>,
    losses: Losses,
}

/// Numbers are signed, of 32 bits.
fn small(number: u64) -> u64 {
    number.min(i32::MAX as u64)
}

fn write_end(id: usize, [games, black, white]: &[u64; 3]) -> Vec<u8> {
    let mut state = Vec::new();
    put_field(&mut state, 1, id as u64);
    put_field(&mut state, 2, 0);
    put_field(&mut state, 3, 0);
    put_field(&mut state, 4, small(*games));
    put_field(&mut state, 5, small(*black));
    put_field(&mut state, 6, small(*white));
    state
}

fn write_state(id: usize, entry: &Entry, states: &mut States) -> Result<Vec<u8>, BookError> {
    let position = entry.position(Game::Shogi)?;
    let mut state = Vec::new();
    put_field(&mut state, 1, id as u64);
    put_field(&mut state, 2, 0);
    put_field(&mut state, 3, 0);
    let sum = |of: fn(&BookMove) -> u64| entry.moves.iter().map(of).fold(0, u64::saturating_add);
    let (games, wins) = (sum(|m| m.count), sum(|m| m.wins));
    let lost = games.saturating_sub(wins).saturating_sub(sum(|m| m.draws));
    let won = if position.turn() == Color::Black { [wins, lost] } else { [lost, wins] };
    let known = wins > 0 || sum(|m| m.draws) > 0;
    put_field(&mut state, 4, small(games));
    put_field(&mut state, 5, if known { small(won[0]) } else { 0 });
    put_field(&mut state, 6, if known { small(won[1]) } else { 0 });
    put_bytes(&mut state, 7, position.sfen().as_bytes());
    if let Some(comment) = &entry.comment {
        put_bytes(&mut state, 8, comment.as_bytes());
    }
    for m in &entry.moves {
        let mut next = position.without_history();
        next.play(m.mv);
        let mut next = states.ids.get(&crate::model::key_of(&next)?).copied();
        let has_results = m.wins > 0 || m.draws > 0;
        if next.is_none() && has_results {
            let lost = m.count.saturating_sub(m.wins).saturating_sub(m.draws);
            let won = if position.turn() == Color::Black { [m.wins, lost] } else { [lost, m.wins] };
            next = Some(states.first_end + states.ends.len());
            states.ends.push([m.count, won[0], won[1]]);
        }
        let losses = &mut states.losses;
        let opinion = m.comment.as_deref().and_then(|c| OPINIONS.iter().position(|o| *o == c));
        losses.comments += u64::from(m.comment.is_some() && opinion.is_none());
        losses.replies += u64::from(m.reply.is_some());
        losses.cut_numbers += u64::from(m.count > i32::MAX as u64);
        let mut bytes = Vec::new();
        put_field(&mut bytes, 1, i64::from(encode(&position, m.mv) as i32) as u64);
        put_field(&mut bytes, 2, opinion.unwrap_or(0) as u64);
        put_field(&mut bytes, 3, small(m.count));
        put_field(&mut bytes, 4, next.map_or(-1i64 as u64, |id| id as u64));
        put_bytes(&mut state, 9, &bytes);
    }
    for m in entry.moves.iter().filter(|m| m.value.is_some()) {
        let mut bytes = Vec::new();
        put_field(&mut bytes, 1, i64::from(m.value.unwrap_or(0)) as u64);
        put_field(&mut bytes, 2, u64::from(m.depth));
        put_field(&mut bytes, 3, 0);
        put_field(&mut bytes, 4, 0);
        put_bytes(&mut bytes, 5, m.mv.usi(Game::Shogi).as_bytes());
        put_bytes(&mut bytes, 6, m.source.as_deref().unwrap_or_default().as_bytes());
        put_bytes(&mut state, 10, &bytes);
    }
    states.losses.sources +=
        entry.moves.iter().filter(|m| m.value.is_none() && m.source.is_some()).count() as u64;
    Ok(state)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::random_entries;

    #[test]
    fn what_is_written_is_read() {
        let entries = random_entries(Game::Shogi, 200, 41);
        let header = Header::new(Game::Shogi).with("author", "鵺");
        let (bytes, losses) = write(&header, &entries).unwrap();
        assert!(losses.replies > 0);
        let (header, read, problems) = read(&bytes).unwrap();
        assert_eq!((header.get("author"), problems.count), (Some("鵺"), 0));
        // Moves with results that lead out of the book lead to states without moves.
        let read: Vec<Entry> = read.into_iter().filter(|entry| !entry.moves.is_empty()).collect();
        assert_eq!(read.len(), entries.len());
        let keys: HashSet<Key> = entries.iter().map(|entry| entry.key).collect();
        for (read, entry) in read.iter().zip(&entries) {
            let position = entry.position(Game::Shogi).unwrap();
            for (read, m) in read.moves.iter().zip(&entry.moves) {
                let mut next = position.clone();
                next.play(m.mv);
                let leads_out = !keys.contains(&crate::model::key_of(&next).unwrap());
                if leads_out && (m.wins > 0 || m.draws > 0) {
                    assert_eq!((read.wins, read.draws), (m.wins, m.draws));
                }
            }
            assert_eq!((read.key, read.ply, &read.comment), (entry.key, entry.ply, &entry.comment));
            let facts = |e: &Entry| -> Vec<_> {
                e.moves.iter().map(|m| (m.mv, m.value, m.depth, m.count)).collect()
            };
            assert_eq!(facts(read), facts(entry));
        }
    }

    #[test]
    fn moves_have_the_bits_of_the_field() {
        let mut position = AnyPosition::startpos(Game::Shogi);
        let mv = position.parse_usi("7g7f").unwrap();
        assert_eq!(encode(&position, mv), 7 | 7 << 4 | 6 << 8 | 7 << 12 | 1 << 24);
        position.play(mv);
        let mv = position.parse_usi("3c3d").unwrap();
        assert_eq!(encode(&position, mv), 3 | 3 << 4 | 4 << 8 | 3 << 12 | 17 << 24 | 1 << 31);
        let sfen = "4k4/9/9/9/9/6p2/9/1B7/4K4 b G 1";
        let position = AnyPosition::from_sfen(Game::Shogi, sfen).unwrap();
        for &mv in &position.legal_moves() {
            assert_eq!(decode(encode(&position, mv)), Some(mv));
        }
    }

    #[test]
    fn states_without_position_are_walked_to() {
        let mut start = Vec::new();
        put_field(&mut start, 1, 5);
        let mut m = Vec::new();
        put_field(&mut m, 1, 7 | 7 << 4 | 6 << 8 | 7 << 12 | 1 << 24);
        put_field(&mut m, 2, 2);
        put_field(&mut m, 4, 9);
        put_bytes(&mut start, 9, &m);
        let state = |id| {
            let mut bytes = Vec::new();
            put_field(&mut bytes, 1, id);
            put_field(&mut bytes, 4, 10);
            put_field(&mut bytes, 5, 6);
            put_field(&mut bytes, 6, 3);
            bytes
        };
        let mut bytes = Vec::new();
        for state in [start, state(9), state(77)] {
            put_bytes(&mut bytes, 3, &state);
        }
        let (_, entries, problems) = read(&bytes).unwrap();
        assert_eq!((entries.len(), problems.count), (2, 1), "{problems}");
        let m = &entries[0].moves[0];
        assert_eq!((m.wins, m.draws, m.comment.as_deref()), (6, 1, Some("good")));
        assert_eq!(entries[1].turn(), Color::White);
    }

    #[test]
    fn hostile_files_are_refused() {
        let entries = random_entries(Game::Shogi, 20, 42);
        let (good, _) = write(&Header::new(Game::Shogi), &entries).unwrap();
        assert!(read(&[]).is_err());
        assert!(read(&good[..good.len() - 3]).is_err());
        assert!(read(&[0x1a, 0xff, 0xff, 0xff, 0xff, 0x0f]).is_err(), "longer than the file");
        let mut rng = seed::Rng::new(2);
        for _ in 0..500 {
            let mut bad = good.clone();
            let at = rng.below(bad.len());
            bad[at] = rng.below(256) as u8;
            let _ = read(&bad);
        }
    }
}
