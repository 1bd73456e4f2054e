//! A visitor's book grown from the position on the page: the leaf at the end of the most promising line is searched,
//! its moves enter the book with their values, and the values are carried back to where the growing began.

use crate::analysis::WorkState;
use crate::book_edit::{kept, located};
use crate::book_panel::{Find, failed};
use crate::error::{ApiError, ErrorCode};
use crate::position::PositionRequest;
use crate::question::{Lines, Question};
use crate::score::cp;
use book::minimax::{MATE, Minimax, Progress};
use book::{BookMove, Entry, Header, Key, NativeBook, ReadAt};
use rules::{AnyPosition, Game, Move};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

/// The most positions of one growth.
pub const MOST: u32 = 1000;

/// Moves of a new position that enter the book.
const WIDTH: u32 = 4;

/// How much less a move is worth for each time it was followed, in hundredths of a pawn: so other lines get their turn.
const WIDEN: i32 = 12;

/// Plies a line may have.
const LONGEST: usize = 60;

/// Lines tried for a leaf before a book is taken to be complete.
const TRIES: u32 = 200;

/// A growth to begin.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GrowRequest {
    pub serial: u64,
    /// A book of the visitor's.
    pub book: String,
    #[serde(flatten)]
    pub position: PositionRequest,
    /// Positions to search.
    pub positions: u32,
    #[serde(default)]
    pub effort: GrowEffort,
}

/// How thoroughly each position is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum GrowEffort {
    Quick,
    #[default]
    Normal,
    Deep,
}

impl GrowEffort {
    const fn bounds(self) -> (u64, Duration) {
        match self {
            Self::Quick => (30_000, Duration::from_millis(500)),
            Self::Normal => (200_000, Duration::from_secs(2)),
            Self::Deep => (2_000_000, Duration::from_secs(20)),
        }
    }
}

/// How a growth stands.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Growth"))]
pub struct GrowthView {
    pub serial: u64,
    pub book: String,
    pub state: WorkState,
    pub done: u32,
    pub total: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// A growth under way.
pub struct Growth {
    serial: u64,
    book: String,
    root: AnyPosition,
    effort: GrowEffort,
    done: u32,
    total: u32,
    /// How often a move of a position was followed.
    followed: HashMap<(Key, Move), i32>,
    /// Positions that have nothing to be searched.
    closed: HashSet<Key>,
    /// The line to the leaf that is being searched.
    line: Vec<Move>,
}

impl Growth {
    /// A growth as it was asked for.
    pub fn new(asked: &GrowRequest, root: AnyPosition) -> Result<Self, ApiError> {
        if !(1..=MOST).contains(&asked.positions) {
            return Err(ApiError::bad(format!(
                "positions {} is not between 1 and {MOST}",
                asked.positions
            )));
        }
        Ok(Self {
            serial: asked.serial,
            book: asked.book.clone(),
            root,
            effort: asked.effort,
            done: 0,
            total: asked.positions,
            followed: HashMap::new(),
            closed: HashSet::new(),
            line: Vec::new(),
        })
    }

    /// Shogi or minishogi.
    pub fn game(&self) -> Game {
        self.root.game()
    }

    /// How it stands.
    pub fn view(&self, state: WorkState) -> GrowthView {
        GrowthView {
            serial: self.serial,
            book: self.book.clone(),
            state,
            done: self.done,
            total: self.total,
            code: None,
            message: None,
        }
    }

    /// It cannot go on.
    pub fn failed(&self, error: ApiError) -> GrowthView {
        let mut view = self.view(WorkState::Failed);
        (view.code, view.message) = (Some(error.code), Some(error.message));
        view
    }

    /// What to search next; nothing when all is done.
    pub fn next_question(&mut self, find: Find<'_>) -> Result<Option<Question>, ApiError> {
        if self.done >= self.total {
            return Ok(None);
        }
        for _ in 0..TRIES {
            if let Some(leaf) = self.descend(find)? {
                let mut question = Question::analysis(leaf);
                let (nodes, time) = self.effort.bounds();
                (question.nodes, question.time) = (Some(nodes), Some(time));
                question.lines = WIDTH;
                return Ok(Some(question));
            }
        }
        Ok(None)
    }

    /// Follows the best line to a position that is not in the book; nothing where the line ends otherwise.
    fn descend(&mut self, find: Find<'_>) -> Result<Option<AnyPosition>, ApiError> {
        let mut at = self.root.clone();
        self.line.clear();
        loop {
            let (entry, _) = located(&at, find)?;
            if entry.moves.is_empty() {
                let ended = at.legal_moves().is_empty();
                if ended {
                    self.closed.insert(entry.key);
                }
                return Ok((!ended).then_some(at));
            }
            let worth = |m: &BookMove| {
                let often = self.followed.get(&(entry.key, m.mv)).copied().unwrap_or(0);
                m.value.unwrap_or(0).clamp(-MATE, MATE) - WIDEN * often
            };
            let open = entry.moves.iter().filter(|m| at.is_legal(m.mv));
            let best = open.max_by_key(|m| (worth(m), std::cmp::Reverse(m.mv.bits())));
            let Some(best) = best.map(|m| m.mv).filter(|_| self.line.len() < LONGEST) else {
                return Ok(None);
            };
            *self.followed.entry((entry.key, best)).or_default() += 1;
            at.play(best);
            self.line.push(best);
            let key = book::key_of(&at).map_err(failed)?;
            if at.occurrences() > 1 || self.closed.contains(&key) {
                return Ok(None);
            }
        }
    }

    /// The leaf has been searched: the entries that changed, as the book keeps them, the leaf first.
    pub fn take(&mut self, lines: &Lines, find: Find<'_>) -> Result<Vec<Entry>, ApiError> {
        self.done += 1;
        let game = self.game();
        let mut along = vec![self.root.clone()];
        for &m in &self.line {
            let mut next = along[along.len() - 1].clone();
            next.play(m);
            along.push(next);
        }
        let Some(leaf) = along.pop() else { return Ok(Vec::new()) };
        let (mut entry, turned) = located(&leaf, find)?;
        let depth = lines.latest.depth.unwrap_or(0);
        for line in lines.ranked() {
            let (Some(&first), Some((score, _))) = (line.pv.first(), line.score) else { continue };
            if !leaf.is_legal(first) || entry.find(first).is_some() {
                continue;
            }
            let value = cp(score).clamp(-MATE, MATE);
            entry.moves.push(BookMove {
                reply: line.pv.get(1).copied(),
                source: Some(Arc::from("Nue")),
                ..BookMove::valued(first, value, line.depth.unwrap_or(depth))
            });
        }
        if entry.moves.is_empty() {
            self.closed.insert(entry.key);
            return Ok(Vec::new());
        }
        entry.sort_by_value();
        let mut best = (best_value(&entry), entry.moves[0].depth);
        let mut changed = vec![kept(entry, turned, game)?];
        for (at, &m) in along.iter().zip(&self.line).rev() {
            let (mut entry, turned) = located(at, find)?;
            let Some(parent) = entry.moves.iter_mut().find(|known| known.mv == m) else { break };
            (parent.value, parent.depth) = (Some(-best.0), best.1 + 1);
            parent.reply = None;
            entry.sort_by_value();
            best = (best_value(&entry), entry.moves[0].depth);
            changed.push(kept(entry, turned, game)?);
        }
        Ok(changed)
    }
}

fn best_value(entry: &Entry) -> i32 {
    entry.moves.iter().filter_map(|m| m.value).max().unwrap_or(0)
}

/// Bytes in memory as a book reads them.
struct Bytes(Vec<u8>);

impl ReadAt for Bytes {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        self.0.as_slice().read_at(offset, buffer)
    }

    fn length(&self) -> std::io::Result<u64> {
        self.0.as_slice().length()
    }
}

/// The values of a whole book carried from the ends of its lines to their beginnings: the entries that changed, each
/// with what it was before.
pub fn propagated(game: Game, mut entries: Vec<Entry>) -> Result<Vec<(Entry, Entry)>, ApiError> {
    entries.retain(|entry| !entry.moves.is_empty());
    entries.sort_by_key(|entry| entry.key);
    let write = || {
        let mut writer = book::native::Writer::new(Vec::new(), Header::new(game))?;
        entries.iter().try_for_each(|entry| writer.write(entry))?;
        NativeBook::open(Box::new(Bytes(writer.finish()?)))
    };
    let whole = write().map_err(failed)?;
    let mut before = entries.iter();
    let mut changed = Vec::new();
    let mut take = |after: Entry| {
        if let Some(before) = before.next().filter(|before| **before != after) {
            changed.push((before.clone(), after));
        }
        Ok(())
    };
    let progress = Progress(&mut |_, _, _| true);
    Minimax::default().run(&whole, &mut take, progress).map_err(failed)?;
    Ok(changed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use think::{Bound, Info, Score};

    type Kept = HashMap<Key, Entry>;

    fn growth(positions: u32) -> Growth {
        let asked = json!({ "serial": 1, "book": "b", "positions": positions, "effort": "quick" });
        let asked: GrowRequest = serde_json::from_value(asked).unwrap();
        Growth::new(&asked, asked.position.resolve(rules::Kings::Both).unwrap()).unwrap()
    }

    /// An engine that likes its first legal moves, the first one most.
    fn searched(question: &Question) -> Lines {
        let mut lines = Lines::default();
        for (rank, &m) in (1..=question.lines).zip(&question.position.legal_moves()) {
            lines.update(&Info {
                multipv: Some(rank),
                depth: Some(9),
                score: Some((Score::Cp(30 - 20 * rank as i32), Bound::Exact)),
                pv: vec![m],
                ..Info::default()
            });
        }
        lines
    }

    fn grow(growth: &mut Growth, book: &mut Kept) -> u32 {
        let mut count = 0;
        while let Some(question) =
            growth.next_question(&mut |key| Ok(book.get(key).cloned())).unwrap()
        {
            let lines = searched(&question);
            let changed = growth.take(&lines, &mut |key| Ok(book.get(key).cloned())).unwrap();
            assert!(!changed.is_empty());
            book.extend(changed.into_iter().map(|entry| (entry.key, entry)));
            count += 1;
        }
        count
    }

    #[test]
    fn a_book_grows_by_as_many_positions_as_were_asked_for() {
        let (mut growth, mut book) = (growth(40), Kept::new());
        assert_eq!(grow(&mut growth, &mut book), 40);
        assert_eq!(book.len(), 40);
        let root = &book[&book::key_of(&AnyPosition::startpos(Game::Shogi)).unwrap()];
        assert_eq!(root.moves.len(), WIDTH as usize);
        let deep = root.moves.iter().filter(|m| m.depth > 9).count();
        assert!(deep >= 3, "several lines were followed: {root:?}");
        assert_eq!(growth.view(WorkState::Done).done, 40);
    }

    #[test]
    fn in_the_end_values_are_carried_through_the_whole_book() {
        let mut book = Kept::new();
        grow(&mut growth(25), &mut book);
        let settled =
            |book: &Kept| propagated(Game::Shogi, book.values().cloned().collect()).unwrap();
        let changed = settled(&book);
        book.extend(changed.into_iter().map(|(_, after)| (after.key, after)));
        let values = |entry: &Entry| -> Vec<_> { entry.moves.iter().map(|m| m.value).collect() };
        let again = settled(&book);
        assert!(again.iter().all(|(b, a)| values(b) == values(a)), "once is enough: {again:?}");
        let mut inner = 0;
        for entry in book.values() {
            let at = entry.position(Game::Shogi).unwrap();
            for m in &entry.moves {
                let mut after = at.clone();
                after.play(m.mv);
                let (child, _) = located(&after, &mut |key| Ok(book.get(key).cloned())).unwrap();
                if !child.moves.is_empty() {
                    assert_eq!(m.value, Some(-best_value(&child)), "{}", at.sfen());
                    inner += 1;
                }
            }
        }
        assert!(inner >= 24, "{inner} moves lead to positions of the book");
    }

    #[test]
    fn growing_goes_on_where_a_book_ended() {
        let mut book = Kept::new();
        grow(&mut growth(10), &mut book);
        grow(&mut growth(10), &mut book);
        assert_eq!(book.len(), 20);
    }

    #[test]
    fn a_mated_position_ends_the_growing() {
        let sfen = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1";
        let asked: GrowRequest = serde_json::from_value(
            json!({ "serial": 1, "book": "b", "positions": 5, "sfen": sfen }),
        )
        .unwrap();
        let root = asked.position.resolve(rules::Kings::Both).unwrap();
        let mut growth = Growth::new(&asked, root).unwrap();
        assert!(growth.next_question(&mut |_| Ok(None)).unwrap().is_none());
        for wrong in [0, MOST + 1] {
            let asked = GrowRequest { positions: wrong, ..asked.clone() };
            assert!(Growth::new(&asked, AnyPosition::startpos(Game::Shogi)).is_err());
        }
    }
}
