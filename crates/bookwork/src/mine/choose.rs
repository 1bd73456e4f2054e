//! Which leaves are searched next. A leaf is a position that is not in the book, nor its twin: both are
//! leased together, so that nothing is searched twice.

use crate::WorkError;
use crate::growing::Growing;
use book::choice::{Policy, weighted};
use book::{Entry, Key, Library, key_of, position_of, rotated};
use rules::{AnyPosition, Color, Move};
use std::collections::{HashSet, VecDeque};
use std::str::FromStr;

/// How leaves are found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Way {
    /// Our best moves against everything that is nearly as good as the best.
    BestLine,
    /// After moves that are best only since propagation refuted what was.
    Refutation,
    /// From which a move leads back into the book.
    Rejoin,
    /// At the ends of the best lines from the positions of lost games.
    Lost,
    /// Our best moves against another book.
    Rival,
}

impl Way {
    /// Every way with the name it has on a command line.
    pub const ALL: [(&'static str, Self); 5] = [
        ("best-line", Self::BestLine),
        ("refutation", Self::Refutation),
        ("rejoin", Self::Rejoin),
        ("lost", Self::Lost),
        ("rival", Self::Rival),
    ];
}

impl FromStr for Way {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        let known = Self::ALL.iter().find(|(name, _)| *name == word);
        known.map(|(_, way)| *way).ok_or_else(|| {
            let names: Vec<&str> = Self::ALL.iter().map(|(name, _)| *name).collect();
            format!("there are {}", names.join(", "))
        })
    }
}

/// What lines are followed to leaves.
#[derive(Default)]
pub struct Leaves {
    /// In turn.
    pub ways: Vec<Way>,
    pub count: usize,
    /// How much worse than the beginning of all lines a move of the other side may be for it.
    pub eval_diff: i32,
    /// How much propagation must have taken from a move that counts as refuted.
    pub margin: i32,
    pub max_value: i32,
    pub max_ply: u32,
    /// Lost games, as positions with their history.
    pub lost: Vec<AnyPosition>,
    /// The book to play against.
    pub rival: Library,
}

/// Chooses leaves, in every way that is asked for in turn.
pub fn choose(
    book: &Growing,
    root: &AnyPosition,
    leaves: &Leaves,
) -> Result<Vec<AnyPosition>, WorkError> {
    let mut found = Vec::new();
    for way in &leaves.ways {
        let list = match way {
            Way::BestLine => lines(book, root, leaves, &Opponent::Book)?,
            Way::Rival => lines(book, root, leaves, &Opponent::Rival(&leaves.rival))?,
            Way::Refutation => refuted(book, leaves)?,
            Way::Rejoin => rejoining(book, root, leaves)?,
            Way::Lost => lost(book, leaves)?,
        };
        found.push(VecDeque::from(list));
    }
    // One of each way in turn.
    let mut all = Vec::new();
    while found.iter().any(|list| !list.is_empty()) {
        all.extend(found.iter_mut().filter_map(VecDeque::pop_front));
    }
    leased(book, all, leaves.count)
}

/// Those of the positions that are leaves, each once, so many at most.
pub(super) fn leased(
    book: &Growing,
    positions: Vec<AnyPosition>,
    most: usize,
) -> Result<Vec<AnyPosition>, WorkError> {
    let mut taken = HashSet::new();
    let mut leased = Vec::new();
    for position in positions {
        if leased.len() == most {
            break;
        }
        let (key, twin) = (key_of(&position)?, key_of(&rotated(&position)?)?);
        if !book.knows(&position)?
            && !position.legal_moves().is_empty()
            && taken.insert(key.min(twin))
        {
            leased.push(position);
        }
    }
    Ok(leased)
}

/// Who plays against the owner of the book.
enum Opponent<'a> {
    /// Everything in the book that is nearly as good as the beginning of all lines.
    Book,
    Rival(&'a Library),
}

/// Follows lines to leaves, nearest first: the owner of the book, once Black and once White in turn, plays its best
/// moves.
fn lines(
    book: &Growing,
    root: &AnyPosition,
    leaves: &Leaves,
    opponent: &Opponent<'_>,
) -> Result<Vec<AnyPosition>, WorkError> {
    let Some(value) = value_of(book, root)? else { return Ok(vec![root.clone()]) };
    let mut queues =
        Color::BOTH.map(|owner| (owner, VecDeque::from([root.clone()]), HashSet::new()));
    let (mut found, mut taken) = (Vec::new(), HashSet::new());
    while found.len() < leaves.count && queues.iter().any(|(_, queue, _)| !queue.is_empty()) {
        for (owner, queue, seen) in &mut queues {
            let Some(position) = queue.pop_front() else { continue };
            let key = key_of(&position)?;
            if !seen.insert(key) {
                continue;
            }
            let Some(entry) = book.find(&position)? else {
                if !book.knows(&position)? && taken.insert(key) {
                    found.push(position);
                }
                continue;
            };
            let least = if position.turn() == *owner {
                None
            } else if position.turn() == root.turn() {
                Some(value.saturating_sub(leaves.eval_diff))
            } else {
                Some((-value).saturating_sub(leaves.eval_diff))
            };
            let moves = match (least, opponent) {
                (Some(_), Opponent::Rival(rival)) => rivals(rival, &position, &entry)?,
                (least, _) => within(&entry, least),
            };
            queue.extend(after(&entry, &position, &moves, leaves));
        }
    }
    Ok(found)
}

/// What the side to move has at a position.
fn value_of(book: &Growing, position: &AnyPosition) -> Result<Option<i32>, WorkError> {
    let entry = book.find(position)?;
    Ok(entry.and_then(|entry| entry.moves.iter().filter_map(|m| m.value).max()))
}

/// The best moves of an entry; with a least value all that have it.
fn within(entry: &Entry, least: Option<i32>) -> Vec<Move> {
    let best = entry.moves.iter().filter_map(|m| m.value).max();
    let least = least.or(best);
    let good = |value: Option<i32>| value.zip(least).is_some_and(|(value, least)| value >= least);
    entry.moves.iter().filter(|m| good(m.value)).map(|m| m.mv).collect()
}

/// What the rival's book plays; where it is silent, the best of ours.
fn rivals(rival: &Library, position: &AnyPosition, entry: &Entry) -> Result<Vec<Move>, WorkError> {
    let policy = Policy { eval_limit: [i32::MIN, i32::MIN], ..Policy::default() };
    let moves = weighted(rival, position, &policy)?;
    Ok(if moves.is_empty() {
        within(entry, None)
    } else {
        moves.into_iter().map(|(mv, _)| mv).collect()
    })
}

/// The positions after moves, where the line goes on.
fn after(
    entry: &Entry,
    position: &AnyPosition,
    moves: &[Move],
    leaves: &Leaves,
) -> Vec<AnyPosition> {
    let best = entry.moves.iter().filter_map(|m| m.value).max();
    let decided = best.is_none_or(|best| best.abs() > leaves.max_value);
    if decided || position.ply() >= leaves.max_ply {
        return Vec::new();
    }
    let legal = moves.iter().filter(|&&mv| position.is_legal(mv));
    let played = legal.map(|&mv| {
        let mut after = position.clone();
        after.play(mv);
        after
    });
    played.filter(|after| after.occurrences() == 1).collect()
}

/// Leaves after moves that are best only since propagation took a margin from what a search thought best; where it
/// took most first.
fn refuted(book: &Growing, leaves: &Leaves) -> Result<Vec<AnyPosition>, WorkError> {
    let mut found: Vec<(i32, Key, AnyPosition)> = Vec::new();
    for (key, raw) in &book.raw {
        let Some(valued) = book.valued.get(key) else { continue };
        let thought = raw.moves.iter().filter(|m| m.value.is_some()).max_by_key(|m| m.value);
        let (Some(thought), Some(best)) = (thought, valued.moves.first()) else { continue };
        let Some(now) = valued.find(thought.mv).and_then(|m| m.value) else { continue };
        let taken = thought.value.unwrap_or(now).saturating_sub(now);
        let decided = best.value.is_none_or(|value| value.abs() > leaves.max_value);
        if best.mv == thought.mv || taken < leaves.margin || decided || raw.ply > leaves.max_ply {
            continue;
        }
        let mut position = position_of(book.game(), key, raw.ply.max(1))?;
        if position.is_legal(best.mv) {
            position.play(best.mv);
            if !book.knows(&position)? {
                found.push((-taken, *key, position));
            }
        }
    }
    found.sort_by_key(|(taken, key, _)| (*taken, *key));
    Ok(found.into_iter().map(|(_, _, position)| position).collect())
}

/// Leaves, after moves nearly as good as the best of either side, from which a move leads back into the book.
fn rejoining(
    book: &Growing,
    root: &AnyPosition,
    leaves: &Leaves,
) -> Result<Vec<AnyPosition>, WorkError> {
    let mut queue = VecDeque::from([root.clone()]);
    let (mut seen, mut found) = (HashSet::new(), Vec::new());
    while let Some(position) = queue.pop_front() {
        if found.len() == leaves.count {
            break;
        }
        if !seen.insert(key_of(&position)?) {
            continue;
        }
        match book.find(&position)? {
            Some(entry) => {
                let best = entry.moves.iter().filter_map(|m| m.value).max();
                let least = best.map(|best| best.saturating_sub(leaves.eval_diff));
                queue.extend(after(&entry, &position, &within(&entry, least), leaves));
            }
            None if leads_back(book, &position)? => found.push(position),
            None => {}
        }
    }
    Ok(found)
}

fn leads_back(book: &Growing, position: &AnyPosition) -> Result<bool, WorkError> {
    for &mv in &position.legal_moves() {
        let mut after = position.without_history();
        after.play(mv);
        if book.find(&after)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// From the positions of lost games, the last first, the ends of the lines of best moves; and where the game left
/// the book.
fn lost(book: &Growing, leaves: &Leaves) -> Result<Vec<AnyPosition>, WorkError> {
    let mut found = Vec::new();
    for game in &leaves.lost {
        let mut position = game.clone();
        let mut left = None;
        loop {
            if book.find(&position)?.is_none() {
                // Going back, the one met last is the first outside the book.
                left = Some(position.clone());
            } else {
                found.extend(left.take());
                found.extend(end_of_line(book, &position, leaves)?);
            }
            if position.played() == 0 {
                break;
            }
            position.undo();
        }
        found.extend(left);
    }
    found.retain(|position| position.ply() <= leaves.max_ply);
    Ok(found)
}

/// Where the line of best moves from a position leaves the book.
fn end_of_line(
    book: &Growing,
    position: &AnyPosition,
    leaves: &Leaves,
) -> Result<Option<AnyPosition>, WorkError> {
    let mut at = position.clone();
    loop {
        let Some(entry) = book.find(&at)? else { return Ok(Some(at)) };
        let Some(best) = within(&entry, None).into_iter().next() else { return Ok(None) };
        match after(&entry, &at, &[best], leaves).pop() {
            Some(next) => at = next,
            None => return Ok(None),
        }
    }
}
