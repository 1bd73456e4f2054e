//! The graph of a book: every legal move is tried, so that lines meet wherever they can.

use super::graph::{Edge, Graph, OUTSIDE, UNKNOWN};
use super::solve::MATE;
use super::work::{WorkFile, each_node, put_node};
use super::{Progress, Stage};
use crate::bytes::ReadAt;
use crate::model::{key_of, position_of, rotated};
use crate::parallel::in_order;
use crate::table::Table;
use crate::{BookError, Entry, Key, NativeBook};
use rules::{AnyPosition, Color, Game, Minishogi, Move, Position, Shogi, Variant};
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// Blocks of the book that a thread takes at a time: a part.
const BLOCKS: usize = 32;

/// A book as a graph, and which node each of its entries is.
pub(crate) struct Built {
    pub(crate) graph: Graph,
    /// By the number of the entry in the book.
    pub(crate) nodes: Vec<u32>,
    /// The number of the first entry of each part.
    pub(crate) firsts: Vec<usize>,
    /// Edges that the book does not list.
    pub(crate) joined: u64,
}

/// The keys of nodes: in memory, or in a temporary file where that takes too much.
enum Keys {
    Memory(Vec<Key>),
    File { output: BufWriter<File>, input: File, count: u32 },
}

impl Keys {
    fn new(positions: usize, memory: usize) -> io::Result<Self> {
        if positions.saturating_mul(size_of::<Key>()) <= memory / 2 {
            return Ok(Self::Memory(Vec::with_capacity(positions)));
        }
        let input = tempfile::tempfile()?;
        let output = BufWriter::with_capacity(1 << 18, input.try_clone()?);
        Ok(Self::File { output, input, count: 0 })
    }

    fn len(&self) -> u32 {
        match self {
            Self::Memory(keys) => keys.len() as u32,
            Self::File { count, .. } => *count,
        }
    }

    fn push(&mut self, key: Key) -> io::Result<()> {
        match self {
            Self::Memory(keys) => keys.push(key),
            Self::File { output, count, .. } => {
                output.write_all(&key)?;
                *count += 1;
            }
        }
        Ok(())
    }

    /// From now on keys can be read.
    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Memory(_) => Ok(()),
            Self::File { output, .. } => output.flush(),
        }
    }

    fn is(&self, node: u32, key: &Key) -> io::Result<bool> {
        match self {
            Self::Memory(keys) => Ok(keys[node as usize] == *key),
            Self::File { input, .. } => {
                let mut found = Key::default();
                input.read_at(u64::from(node) * size_of::<Key>() as u64, &mut found)?;
                Ok(found == *key)
            }
        }
    }
}

/// The position of an entry, or its twin: the one where that side is to move.
fn with_turn(entry: &Entry, game: Game, turn: Color) -> Result<AnyPosition, BookError> {
    let position = position_of(game, &entry.key, 1)?;
    if position.turn() == turn { Ok(position) } else { rotated(&position) }
}

/// Moves of an entry as Black would make them.
fn black_moves(entry: &Entry, game: Game) -> impl Iterator<Item = (Move, i16)> {
    let value = |value: Option<i32>| value.map_or(UNKNOWN, |v| v.clamp(1 - MATE, MATE - 1) as i16);
    let is_black = entry.turn() == Color::Black;
    let turned = move |mv: Move| if is_black { mv } else { mv.rotated(game) };
    entry.moves.iter().map(move |m| (turned(m.mv), value(m.value)))
}

/// The nodes of a book.
struct Nodes {
    table: Table,
    keys: Keys,
    /// By the number of the entry in the book.
    of_entries: Vec<u32>,
    /// Moves of the second of two twins, by their node.
    twins: HashMap<u32, Vec<(Move, i16)>>,
    /// The number of the first entry of each part.
    firsts: Vec<usize>,
    /// How many nodes the parts before each part have.
    before: Vec<u32>,
}

/// What the nodes of a part are found by.
#[derive(Default)]
struct Seen {
    /// Key and hash of the position with White to move, and how many moves there are so far.
    entries: Vec<(Key, u64, u32)>,
    moves: Vec<(Move, i16)>,
}

/// How many parts a book has.
pub(crate) fn parts(book: &NativeBook) -> usize {
    book.blocks().div_ceil(BLOCKS)
}

/// The entries of a part.
pub(crate) fn entries_of(book: &NativeBook, part: usize) -> Result<Vec<Entry>, BookError> {
    let mut entries = Vec::new();
    for block in part * BLOCKS..((part + 1) * BLOCKS).min(book.blocks()) {
        entries.extend(book.entries_of(block)?);
    }
    Ok(entries)
}

/// Finds the nodes, by the position with White to move, which is what follows a move of Black.
fn nodes(
    book: &NativeBook,
    threads: usize,
    memory: usize,
    progress: &mut Progress<'_>,
) -> Result<Nodes, BookError> {
    let game = book.header().game;
    let positions = book.size().0;
    if positions >= u64::from(u32::MAX) {
        return Err(BookError::Unfit(format!("{positions} positions at once")));
    }
    let mut found = Nodes {
        table: Table::new(positions as usize),
        keys: Keys::new(positions as usize, memory)?,
        of_entries: Vec::with_capacity(positions as usize),
        twins: HashMap::new(),
        firsts: Vec::with_capacity(parts(book)),
        before: Vec::with_capacity(parts(book)),
    };
    let look = |part: usize| -> Result<Seen, BookError> {
        let mut seen = Seen::default();
        for entry in entries_of(book, part)? {
            let white = with_turn(&entry, game, Color::White)?;
            seen.moves.extend(black_moves(&entry, game));
            seen.entries.push((key_of(&white)?, white.key(), seen.moves.len() as u32));
        }
        Ok(seen)
    };
    in_order(threads, (0..parts(book)).map(Ok), look, |seen| {
        found.firsts.push(found.of_entries.len());
        found.before.push(found.keys.len());
        let mut first = 0;
        for (key, hash, end) in seen.entries {
            let moves = &seen.moves[first..end as usize];
            first = end as usize;
            let (keys, mut failed) = (&mut found.keys, None);
            let known = found.table.find(hash, |node| {
                let is = keys.flush().and_then(|()| keys.is(node, &key));
                is.unwrap_or_else(|error| {
                    failed = Some(error);
                    false
                })
            });
            if let Some(error) = failed {
                return Err(error.into());
            }
            let node = known.unwrap_or(found.keys.len());
            if known.is_some() {
                found.twins.entry(node).or_default().extend(moves);
            } else {
                found.table.insert(hash, node);
                found.keys.push(key)?;
            }
            found.of_entries.push(node);
        }
        progress.tell(Stage::Positions, found.of_entries.len() as u64, positions)
    })?;
    found.keys.flush()?;
    Ok(found)
}

/// Builds the graph; with a work file, by way of it.
pub(crate) fn build(
    book: &NativeBook,
    threads: usize,
    memory: usize,
    mut work: Option<&mut WorkFile>,
    progress: &mut Progress<'_>,
) -> Result<Built, BookError> {
    let (game, positions) = (book.header().game, book.size().0);
    let nodes = nodes(book, threads, memory, progress)?;
    let connect = |part: usize| -> Result<Connected, BookError> {
        let (mut found, mut scratch) = (Connected::default(), Vec::new());
        let mut next = nodes.before[part];
        for (index, entry) in entries_of(book, part)?.into_iter().enumerate() {
            // Of the entries of a node the first makes it.
            if nodes.of_entries[nodes.firsts[part] + index] == next {
                nodes.connect(&entry, next, game, &mut scratch, &mut found)?;
                next += 1;
            }
        }
        Ok(found)
    };
    let reached = work.as_ref().map_or_else(Default::default, |work| work.reached);
    let (mut graph, mut joined, mut done) =
        (Graph::new(), reached.joined, u64::from(reached.nodes));
    let jobs = (reached.parts as usize..parts(book)).map(Ok);
    in_order(threads, jobs, connect, |part| {
        joined += part.joined;
        done += u64::from(part.nodes);
        if let Some(work) = &mut work {
            work.push(&part.bytes, part.nodes, part.edges)?;
            work.checkpoint(part.joined)?;
        } else {
            each_node(&*part.bytes, part.nodes, |edges, in_check, mated| {
                graph.push(edges, in_check, mated);
            })?;
        }
        progress.tell(Stage::Moves, done, positions)
    })?;
    let Nodes { of_entries, firsts, table, keys, .. } = nodes;
    // Their place is needed for what follows.
    drop((table, keys));
    if let Some(work) = work {
        graph = work.graph(memory)?;
    }
    Ok(Built { graph, nodes: of_entries, firsts, joined })
}

impl Nodes {
    /// Adds a node with its edges, those of the entry and of its twin.
    fn connect(
        &self,
        entry: &Entry,
        node: u32,
        game: Game,
        scratch: &mut Vec<Edge>,
        found: &mut Connected,
    ) -> Result<(), BookError> {
        let mut moves: Vec<(Move, i16)> = black_moves(entry, game).collect();
        for &(mv, value) in self.twins.get(&node).into_iter().flatten() {
            match moves.iter_mut().find(|known| known.0 == mv) {
                Some(known) if known.1 == UNKNOWN => known.1 = value,
                Some(_) => {}
                None => moves.push((mv, value)),
            }
        }
        match &with_turn(entry, game, Color::Black)? {
            AnyPosition::Shogi(p) => self.edges::<Shogi>(p, &moves, scratch, found),
            AnyPosition::Minishogi(p) => self.edges::<Minishogi>(p, &moves, scratch, found),
        }
    }

    /// Edges of a position with Black to move: the moves the book lists, and all others that lead back into
    /// it.
    fn edges<V: Variant>(
        &self,
        position: &Position<V>,
        listed: &[(Move, i16)],
        scratch: &mut Vec<Edge>,
        found: &mut Connected,
    ) -> Result<(), BookError>
    where
        AnyPosition: From<Position<V>>,
    {
        scratch.clear();
        let legal = position.legal_moves();
        for &(mv, value) in listed.iter().filter(|(mv, _)| legal.contains(mv)) {
            let to = self.follow(position, mv)?.unwrap_or(OUTSIDE);
            scratch.push(Edge { to, mv, value });
        }
        let count = scratch.len();
        for &mv in &legal {
            if scratch[..count].iter().any(|edge| edge.mv == mv) {
                continue;
            }
            if let Some(to) = self.follow(position, mv)? {
                scratch.push(Edge { to, mv, value: UNKNOWN });
            }
        }
        found.nodes += 1;
        found.edges += scratch.len() as u64;
        found.joined += (scratch.len() - count) as u64;
        put_node(&mut found.bytes, scratch, position.in_check(), legal.is_empty());
        Ok(())
    }

    /// The node after a move; the hash finds it, the whole position confirms it.
    fn follow<V: Variant>(&self, position: &Position<V>, mv: Move) -> Result<Option<u32>, BookError>
    where
        AnyPosition: From<Position<V>>,
    {
        let (mut key, mut failed) = (None, None);
        let found = self.table.find(position.key_after(mv), |node| {
            let key = key.get_or_insert_with(|| {
                let mut after = position.clone();
                after.play(mv);
                key_of(&AnyPosition::from(after))
            });
            let is = match key {
                Ok(key) => self.keys.is(node, key).map_err(BookError::from),
                Err(_) => Ok(false),
            };
            is.unwrap_or_else(|error| {
                failed = Some(error);
                false
            })
        });
        match (key, failed) {
            (Some(Err(error)), _) | (_, Some(error)) => Err(error),
            _ => Ok(found),
        }
    }
}

/// The nodes of a part, as they stand in a work file.
#[derive(Default)]
struct Connected {
    bytes: Vec<u8>,
    nodes: u32,
    edges: u64,
    joined: u64,
}
