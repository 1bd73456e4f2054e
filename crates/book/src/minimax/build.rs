//! The graph of a book: every legal move is tried, so that lines meet wherever they can.

use super::graph::{Edge, Graph, OUTSIDE, UNKNOWN};
use super::solve::MATE;
use super::{Progress, Stage};
use crate::model::{key_of, position_of, rotated};
use crate::{BookError, Entry, Key, NativeBook};
use rules::{AnyPosition, Color, Game, Minishogi, Move, Position, Shogi, Variant};
use std::collections::HashMap;
use std::thread;

/// Blocks of the book that a thread takes at a time.
const BLOCKS: usize = 32;

/// Nodes by their positions: open addressing, with half of a hash beside the number of the node.
struct Table {
    /// Hash in the upper half, node in the lower; all ones if free.
    slots: Vec<u64>,
    mask: u64,
}

const FREE: u64 = u64::MAX;

impl Table {
    fn new(nodes: usize) -> Self {
        let size = (2 * nodes).next_power_of_two().max(16);
        Self { slots: vec![FREE; size], mask: size as u64 - 1 }
    }

    /// The node that this hash may mean, if `is_it` says so.
    #[inline]
    fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let mut at = hash & self.mask;
        loop {
            let slot = self.slots[at as usize];
            if slot == FREE {
                return None;
            }
            if slot >> 32 == hash >> 32 && is_it(slot as u32) {
                return Some(slot as u32);
            }
            at = (at + 1) & self.mask;
        }
    }

    fn insert(&mut self, hash: u64, node: u32) {
        let mut at = hash & self.mask;
        while self.slots[at as usize] != FREE {
            at = (at + 1) & self.mask;
        }
        self.slots[at as usize] = hash >> 32 << 32 | u64::from(node);
    }
}

/// A book as a graph, and which node each of its entries is.
pub(crate) struct Built {
    pub(crate) graph: Graph,
    /// By the number of the entry in the book.
    pub(crate) nodes: Vec<u32>,
    /// Edges that the book does not list.
    pub(crate) joined: u64,
}

/// A position with Black to move, and with White to move: one of them is the twin.
struct Sides {
    black: AnyPosition,
    white: AnyPosition,
    is_black: bool,
}

fn sides(entry: &Entry, game: Game) -> Result<Sides, BookError> {
    let position = position_of(game, &entry.key, 1)?;
    let twin = rotated(&position)?;
    Ok(match position.turn() {
        Color::Black => Sides { black: position, white: twin, is_black: true },
        Color::White => Sides { black: twin, white: position, is_black: false },
    })
}

/// Moves of an entry as Black would make them.
fn black_moves(entry: &Entry, game: Game, is_black: bool) -> Vec<(Move, i16)> {
    let value = |value: Option<i32>| value.map_or(UNKNOWN, |v| v.clamp(1 - MATE, MATE - 1) as i16);
    let turned = |mv: Move| if is_black { mv } else { mv.rotated(game) };
    entry.moves.iter().map(|m| (turned(m.mv), value(m.value))).collect()
}

/// Does something with the blocks of a book on several threads; results come in the order of the book.
fn by_blocks<T: Send>(
    book: &NativeBook,
    threads: usize,
    work: impl Fn(Vec<Entry>, u64) -> Result<T, BookError> + Sync,
    mut take: impl FnMut(T) -> Result<(), BookError>,
) -> Result<(), BookError> {
    let mut first = 0;
    let mut block = 0;
    while block < book.blocks() {
        let mut batches = Vec::new();
        while batches.len() < threads.max(1) && block < book.blocks() {
            let end = (block + BLOCKS).min(book.blocks());
            let mut entries = Vec::new();
            for block in block..end {
                entries.extend(book.entries_of(block)?);
            }
            block = end;
            let count = entries.len() as u64;
            batches.push((entries, first));
            first += count;
        }
        let work = &work;
        let results: Vec<Result<T, BookError>> = thread::scope(|scope| {
            let started: Vec<_> = batches
                .into_iter()
                .map(|(entries, first)| scope.spawn(move || work(entries, first)))
                .collect();
            let joined = started.into_iter().map(thread::ScopedJoinHandle::join);
            joined.map(|r| r.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        });
        for result in results {
            take(result?)?;
        }
    }
    Ok(())
}

/// Builds the graph.
pub(crate) fn build(
    book: &NativeBook,
    threads: usize,
    progress: &mut Progress<'_>,
) -> Result<Built, BookError> {
    let game = book.header().game;
    let positions = book.size().0;
    if positions >= u64::from(u32::MAX) {
        return Err(BookError::Unfit(format!("{positions} positions at once")));
    }
    // First: nodes, by the position with White to move, which is what follows a move of Black.
    let mut table = Table::new(positions as usize);
    let mut keys: Vec<Key> = Vec::with_capacity(positions as usize);
    let mut nodes: Vec<u32> = Vec::with_capacity(positions as usize);
    let mut twins: HashMap<u32, Vec<(Move, i16)>> = HashMap::new();
    let look = |entries: Vec<Entry>, _| -> Result<Vec<_>, BookError> {
        let mut found = Vec::with_capacity(entries.len());
        for entry in entries {
            let sides = sides(&entry, game)?;
            found.push((key_of(&sides.white)?, sides.white.key(), sides.is_black, entry));
        }
        Ok(found)
    };
    by_blocks(book, threads, look, |found| {
        for (key, hash, is_black, entry) in found {
            let known = table.find(hash, |node| keys[node as usize] == key);
            let node = known.unwrap_or(keys.len() as u32);
            if known.is_some() {
                twins.entry(node).or_default().extend(black_moves(&entry, game, is_black));
            } else {
                table.insert(hash, node);
                keys.push(key);
            }
            nodes.push(node);
        }
        progress.tell(Stage::Positions, nodes.len() as u64, positions)
    })?;
    // Then: their edges.
    let mut built = Built { graph: Graph::new(), nodes: Vec::new(), joined: 0 };
    let (table, keys_ref, nodes_ref) = (&table, &keys, &nodes);
    let connect = |entries: Vec<Entry>, first: u64| -> Result<(Vec<NodeEdges>, u64), BookError> {
        let (mut list, mut joined) = (Vec::new(), 0);
        // Of the nodes of this part, the first entry of each makes it.
        let mut scratch = Vec::new();
        for (index, entry) in entries.into_iter().enumerate() {
            let node = nodes_ref[first as usize + index];
            let sides = sides(&entry, game)?;
            let mut moves = black_moves(&entry, game, sides.is_black);
            for &(mv, value) in twins.get(&node).into_iter().flatten() {
                match moves.iter_mut().find(|known| known.0 == mv) {
                    Some(known) if known.1 == UNKNOWN => known.1 = value,
                    Some(_) => {}
                    None => moves.push((mv, value)),
                }
            }
            let found = match &sides.black {
                AnyPosition::Shogi(p) => edges::<Shogi>(p, &moves, table, keys_ref, &mut scratch)?,
                AnyPosition::Minishogi(p) => {
                    edges::<Minishogi>(p, &moves, table, keys_ref, &mut scratch)?
                }
            };
            joined += found.joined;
            list.push(NodeEdges { node, ..found });
        }
        Ok((list, joined))
    };
    let mut next = 0;
    by_blocks(book, threads, connect, |(list, joined)| {
        for found in list {
            // A twin came before: the node is made.
            if found.node == next {
                built.graph.push(&found.edges, found.in_check, found.mated);
                next += 1;
            }
        }
        built.joined += joined;
        progress.tell(Stage::Moves, u64::from(next), positions)
    })?;
    built.nodes = nodes;
    Ok(built)
}

struct NodeEdges {
    node: u32,
    edges: Vec<Edge>,
    in_check: bool,
    mated: bool,
    joined: u64,
}

/// Edges of a position with Black to move: the moves the book lists, and all others that lead back into
/// it.
fn edges<V: Variant>(
    position: &Position<V>,
    listed: &[(Move, i16)],
    table: &Table,
    keys: &[Key],
    scratch: &mut Vec<Edge>,
) -> Result<NodeEdges, BookError>
where
    AnyPosition: From<Position<V>>,
{
    scratch.clear();
    let legal = position.legal_moves();
    let mut joined = 0;
    for &(mv, value) in listed.iter().filter(|(mv, _)| legal.contains(mv)) {
        let to = follow(position, mv, table, keys)?.unwrap_or(OUTSIDE);
        scratch.push(Edge { to, mv, value });
    }
    let count = scratch.len();
    for &mv in &legal {
        if scratch[..count].iter().any(|edge| edge.mv == mv) {
            continue;
        }
        if let Some(to) = follow(position, mv, table, keys)? {
            scratch.push(Edge { to, mv, value: UNKNOWN });
            joined += 1;
        }
    }
    let (in_check, mated) = (position.in_check(), legal.is_empty());
    Ok(NodeEdges { node: 0, edges: scratch.clone(), in_check, mated, joined })
}

/// The node after a move; the hash finds it, the whole position confirms it.
fn follow<V: Variant>(
    position: &Position<V>,
    mv: Move,
    table: &Table,
    keys: &[Key],
) -> Result<Option<u32>, BookError>
where
    AnyPosition: From<Position<V>>,
{
    let mut key: Option<Result<Key, BookError>> = None;
    let found = table.find(position.key_after(mv), |node| {
        let key = key.get_or_insert_with(|| {
            let mut after = position.clone();
            after.play(mv);
            key_of(&AnyPosition::from(after))
        });
        key.as_ref().is_ok_and(|key| *key == keys[node as usize])
    });
    match key {
        Some(Err(error)) => Err(error),
        _ => Ok(found),
    }
}
