//! Linear tables on disk: what they hold, their mixtures and differences, and whether they work.
//!
//! Three-piece tables take most of a gigabyte: what can be done number by number is done on the
//! files, without loading them.

mod folder;
mod numbers;

pub(crate) use folder::publish_folder;

use crate::run::TableKind;
use crate::sample;
use crate::soundness::{COMPARED, SEED, Sound, Unsound, ValueDistance, sound_evaluator};
use crate::stored::{StoredError, failed};
use durable::Draft;
use eval::{
    Evaluator, FILES, KINGS, KKPPT_FILE, KKPPT_MAGIC, Kkppt, KkpptTables, Tables, ThreePiece,
};
use nnue::{Difference, Isa, Spread};
use numbers::{FileNumbers, difference, mix_file};
use rules::{Game, Minishogi, Shogi, Variant};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Tables in their files.
#[derive(Clone, Debug)]
pub struct TableFiles {
    /// The folder of three-piece tables, the file of others.
    path: PathBuf,
    held: Held,
}

#[derive(Clone, Debug)]
enum Held {
    ThreePiece(Layout),
    Kkppt(Arc<KkpptTables>),
}

/// How the three files of a folder are laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Layout {
    game: Game,
    tempo: bool,
    bytes: [u64; 3],
}

impl Layout {
    const fn of<V: Variant, const TEMPO: bool>() -> Self {
        Self { game: V::GAME, tempo: TEMPO, bytes: Tables::<V, TEMPO>::BYTES }
    }

    const ALL: [Self; 4] = [
        Self::of::<Shogi, true>(),
        Self::of::<Shogi, false>(),
        Self::of::<Minishogi, true>(),
        Self::of::<Minishogi, false>(),
    ];
}

/// What tables are.
#[derive(Clone, PartialEq, Debug)]
pub struct TableInfo {
    pub kind: TableKind,
    pub game: Game,
    /// What their maker says; three-piece tables have no place for it.
    pub description: Option<String>,
    /// Places of the kings the entries are for.
    pub kings: String,
    /// Piece numbers.
    pub pieces: usize,
    pub bytes: u64,
    /// The numbers by group.
    pub spreads: Vec<(&'static str, Spread)>,
}

/// A group of numbers: its name, its file (of three), and its place among those of an entry.
#[derive(Clone, Copy)]
struct Group {
    name: &'static str,
    file: usize,
    part: usize,
}

const fn group(name: &'static str, file: usize, part: usize) -> Group {
    Group { name, file, part }
}

const THREE_PIECE: [Group; 6] = [
    group("KK board", 0, 0),
    group("KK tempo", 0, 1),
    group("KKP board", 1, 0),
    group("KKP tempo", 1, 1),
    group("KPP board", 2, 0),
    group("KPP tempo", 2, 1),
];

const FOUR_PIECE: [Group; 6] = [
    group("KK board", 0, 0),
    group("KK tempo", 0, 1),
    group("KKP board", 1, 0),
    group("KKP tempo", 1, 1),
    group("KKPP board", 2, 0),
    group("KKPP tempo", 2, 1),
];

impl TableFiles {
    /// The tables at a path: a folder with three files or with `kkppt.bin`, or such a file. `None`
    /// if there is something else, or nothing.
    pub fn find(path: &Path) -> Result<Option<Self>, StoredError> {
        if path.is_dir() && path.join(FILES[2]).is_file() {
            return three_piece(path).map(Some);
        }
        let inside = path.join(KKPPT_FILE);
        let file = if path.is_dir() { &inside } else { path };
        if !is_kkppt(file) {
            return Ok(None);
        }
        let tables = File::open(file)
            .map_err(|e| failed(file, &format_args!("cannot open: {e}")))
            .and_then(|open| KkpptTables::read(open).map_err(|e| failed(file, &e)))?;
        Ok(Some(Self { path: file.to_owned(), held: Held::Kkppt(Arc::new(tables)) }))
    }

    /// Where they are.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which tables they are.
    pub fn kind(&self) -> TableKind {
        match &self.held {
            Held::ThreePiece(layout) if layout.tempo => TableKind::Kppt,
            Held::ThreePiece(_) => TableKind::KppKkpt,
            Held::Kkppt(_) => TableKind::Kkppt,
        }
    }

    /// The game they are for.
    pub fn game(&self) -> Game {
        match &self.held {
            Held::ThreePiece(layout) => layout.game,
            Held::Kkppt(_) => Game::Minishogi,
        }
    }

    fn groups(&self) -> &'static [Group] {
        match &self.held {
            Held::ThreePiece(layout) if layout.tempo => &THREE_PIECE,
            Held::ThreePiece(_) => &THREE_PIECE[..5],
            Held::Kkppt(_) => &FOUR_PIECE,
        }
    }

    fn numbers(&self, group: Group) -> io::Result<Box<dyn Iterator<Item = io::Result<i32>> + '_>> {
        let Group { file, part, .. } = group;
        Ok(match &self.held {
            Held::ThreePiece(layout) => {
                let (size, width) = entry(file, layout.tempo);
                let open = File::open(self.path.join(FILES[file]))?;
                Box::new(FileNumbers::new(open, size, width, part))
            }
            Held::Kkppt(tables) => match file {
                0 => Box::new(tables.kk.iter().map(move |pair| Ok(pair[part]))),
                1 => Box::new(tables.kkp.iter().map(move |pair| Ok(pair[part]))),
                _ => Box::new(tables.pairs().map(move |(_, pair)| Ok(i32::from(pair[part])))),
            },
        })
    }

    /// What they are.
    pub fn info(&self) -> Result<TableInfo, StoredError> {
        let mut spreads = Vec::new();
        for group in self.groups() {
            let mut failure = None;
            let numbers = self.numbers(*group).map_err(|e| failed(&self.path, &e))?;
            let whole = numbers.map_while(|read| read.map_err(|e| failure = Some(e)).ok());
            spreads.push((group.name, Spread::of(whole)));
            if let Some(e) = failure {
                return Err(failed(&self.path, &e));
            }
        }
        let (kings, pieces, bytes) = match &self.held {
            Held::ThreePiece(layout) => {
                let (squares, bytes) = (layout.game.squares(), layout.bytes.iter().sum());
                let pieces = features::Numbering::of(layout.game).end();
                (format!("{squares} x {squares} squares"), pieces, bytes)
            }
            Held::Kkppt(_) => {
                let bytes = self.path.metadata().map_err(|e| failed(&self.path, &e))?.len();
                (format!("{KINGS} places"), KkpptTables::PIECES, bytes)
            }
        };
        let description = match &self.held {
            Held::ThreePiece(_) => None,
            Held::Kkppt(tables) => Some(tables.description.clone()),
        };
        let (kind, game) = (self.kind(), self.game());
        Ok(TableInfo { kind, game, description, kings, pieces, bytes, spreads })
    }

    /// The weighted mean of tables of one kind, written to a folder or file. Weights are scaled to a
    /// sum of one; single ones may be below zero. What leaves the range of its integers is cut.
    pub fn mix(tables: &[(Self, f64)], output: &Path, force: bool) -> Result<(), StoredError> {
        let Some((first, _)) = tables.first() else { return Ok(()) };
        for (other, _) in tables {
            first.same_kind(other)?;
        }
        let sum: f64 = tables.iter().map(|(_, weight)| weight).sum();
        if !(sum.is_finite() && sum > 0.0) {
            let why = format!("the weights add up to {sum}: a sum above zero is needed");
            return Err(failed(output, &why));
        }
        let weights: Vec<f64> = tables.iter().map(|(_, weight)| weight / sum).collect();
        let written = match &first.held {
            Held::ThreePiece(layout) => {
                let folders: Vec<&Path> = tables.iter().map(|(t, _)| &*t.path).collect();
                publish_folder(output, &mut |part| mix_folder(*layout, &folders, &weights, part))
            }
            Held::Kkppt(_) => {
                let all: Vec<&KkpptTables> = tables.iter().filter_map(|(t, _)| t.kkppt()).collect();
                Draft::new(output).and_then(|mut draft| {
                    mix_kkppt(&all, &weights).write(&mut draft).map_err(io::Error::other)?;
                    draft.publish(force)
                })
            }
        };
        written.map_err(|e| failed(output, &format_args!("cannot write: {e}")))
    }

    /// Whether some of their numbers belong to one king alone.
    pub(crate) const fn belongs_to_single_kings(&self) -> bool {
        matches!(self.held, Held::ThreePiece(_))
    }

    /// Whether the numbers for both kings, KK and KKP, are the same.
    pub(crate) fn same_for_both_kings(&self, other: &Self) -> Result<bool, StoredError> {
        for file in &FILES[..2] {
            let (ours, theirs) = (self.path.join(file), other.path.join(file));
            if !numbers::same_bytes(&ours, &theirs).map_err(|e| failed(&theirs, &e))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Tables whose KPP comes from others, by the rank of the own king from the far side, and whose KK
    /// and KKP are those of `rest`. All are three-piece tables of one kind.
    pub(crate) fn assemble_by_rank(
        rest: &Self,
        by_rank: &[&Self],
        output: &Path,
    ) -> Result<(), StoredError> {
        let squares = rest.game().squares();
        let written = publish_folder(output, &mut |part| {
            for file in &FILES[..2] {
                let mut draft = Draft::new(&part.join(file))?;
                io::copy(&mut File::open(rest.path.join(file))?, &mut draft)?;
                draft.publish(true)?;
            }
            let mut draft = Draft::new(&part.join(FILES[2]))?;
            let open = by_rank.iter().map(|tables| File::open(tables.path.join(FILES[2])));
            let mut open = open.collect::<io::Result<Vec<File>>>()?;
            let size = open[0].metadata()?.len() / squares as u64;
            for king in 0..squares {
                let from = &mut open[king % by_rank.len()];
                from.seek(SeekFrom::Start(king as u64 * size))?;
                io::copy(&mut from.take(size), &mut draft)?;
            }
            draft.publish(true)
        });
        written.map_err(|e| failed(output, &format_args!("cannot write: {e}")))
    }

    /// How the numbers of two tables of one kind differ, by group.
    pub fn difference(&self, other: &Self) -> Result<Vec<(&'static str, Difference)>, StoredError> {
        self.same_kind(other)?;
        let read = |tables: &Self, e: io::Error| failed(&tables.path, &e);
        let mut found = Vec::new();
        for group in self.groups() {
            let a = self.numbers(*group).map_err(|e| read(self, e))?;
            let b = other.numbers(*group).map_err(|e| read(other, e))?;
            found.push((group.name, difference(a, b).map_err(|e| read(self, e))?));
        }
        Ok(found)
    }

    /// How differently two tables of one game think.
    pub fn value_distance(&self, other: &Self) -> Result<ValueDistance, StoredError> {
        Ok(ValueDistance::between(&self.values()?, &other.values()?))
    }

    /// Whether they give the same values on every way to them, and are as symmetric as they must be.
    pub fn soundness(&self) -> Result<Sound, StoredError> {
        self.visit(Soundness)?.map_err(|e| failed(&self.path, &e))
    }

    fn values(&self) -> Result<Vec<f64>, StoredError> {
        self.visit(Values)
    }

    fn visit<T: Task>(&self, task: T) -> Result<T::Output, StoredError> {
        Ok(match &self.held {
            Held::Kkppt(tables) => {
                let make = |isa| Kkppt::new(Arc::clone(tables)).with_isa(isa);
                task.run::<Minishogi, _>(None, &make)
            }
            Held::ThreePiece(layout) => match (layout.game, layout.tempo) {
                (Game::Shogi, true) => self.three_piece::<Shogi, true, T>(task)?,
                (Game::Shogi, false) => self.three_piece::<Shogi, false, T>(task)?,
                (Game::Minishogi, true) => self.three_piece::<Minishogi, true, T>(task)?,
                (Game::Minishogi, false) => self.three_piece::<Minishogi, false, T>(task)?,
            },
        })
    }

    fn three_piece<V: Variant, const TEMPO: bool, T: Task>(
        &self,
        task: T,
    ) -> Result<T::Output, StoredError> {
        let tables = Tables::<V, TEMPO>::load(&self.path).map_err(|e| failed(&self.path, &e))?;
        let lopsided = T::LOOKS_AT_NUMBERS.then(|| lopsided(&tables)).flatten();
        let tables = Arc::new(tables);
        let make = |isa| ThreePiece::<V, TEMPO>::new(Arc::clone(&tables)).with_isa(isa);
        Ok(task.run::<V, _>(lopsided, &make))
    }

    fn kkppt(&self) -> Option<&KkpptTables> {
        match &self.held {
            Held::Kkppt(tables) => Some(tables),
            Held::ThreePiece(_) => None,
        }
    }

    pub(crate) fn same_kind(&self, other: &Self) -> Result<(), StoredError> {
        let of = |tables: &Self| format!("{} for {}", tables.kind(), tables.game());
        if (self.kind(), self.game()) == (other.kind(), other.game()) {
            return Ok(());
        }
        let (first, found) = (of(self), of(other));
        Err(failed(&other.path, &format_args!("holds {found}, the first {first}")))
    }
}

/// Bytes of a number of a file, and numbers of an entry.
const fn entry(file: usize, tempo: bool) -> (usize, usize) {
    match file {
        0 | 1 => (4, 2),
        _ if tempo => (2, 2),
        _ => (2, 1),
    }
}

fn three_piece(folder: &Path) -> Result<TableFiles, StoredError> {
    let size = |name: &str| {
        let path = folder.join(name);
        path.metadata().map(|m| m.len()).map_err(|e| failed(&path, &e))
    };
    let found = [size(FILES[0])?, size(FILES[1])?, size(FILES[2])?];
    match Layout::ALL.into_iter().find(|layout| layout.bytes == found) {
        Some(layout) => Ok(TableFiles { path: folder.to_owned(), held: Held::ThreePiece(layout) }),
        None => {
            let [kk, kkp, kpp] = found;
            let why = format!("files of {kk}, {kkp} and {kpp} bytes are neither KPPT nor KPP_KKPT");
            Err(failed(folder, &why))
        }
    }
}

/// Whether a file begins as KKPPT tables do, or is named like them.
fn is_kkppt(path: &Path) -> bool {
    let mut magic = [0; KKPPT_MAGIC.len()];
    let begins = File::open(path).is_ok_and(|mut f| f.read_exact(&mut magic).is_ok());
    let named = path.is_file() && path.file_name().is_some_and(|name| name == KKPPT_FILE);
    begins && magic == KKPPT_MAGIC || named
}

fn mix_folder(layout: Layout, folders: &[&Path], weights: &[f64], part: &Path) -> io::Result<()> {
    for (file, name) in FILES.into_iter().enumerate() {
        let (size, _) = entry(file, layout.tempo);
        let open = folders.iter().map(|folder| File::open(folder.join(name)));
        let mut draft = Draft::new(&part.join(name))?;
        mix_file(open.collect::<io::Result<_>>()?, weights, size, &mut draft)?;
        draft.publish(true)?;
    }
    Ok(())
}

fn mix_kkppt(tables: &[&KkpptTables], weights: &[f64]) -> KkpptTables {
    let mean = |value: &dyn Fn(&KkpptTables) -> i32| {
        let values = tables.iter().zip(weights);
        values.map(|(t, weight)| f64::from(value(t)) * weight).sum::<f64>().round()
    };
    let mut mixed = KkpptTables::zeroed();
    mixed.description = concat!("mixed by nue ", env!("CARGO_PKG_VERSION")).to_owned();
    for part in 0..2 {
        for i in 0..mixed.kk.len() {
            mixed.kk[i][part] = mean(&|t| t.kk[i][part]) as i32;
        }
        for i in 0..mixed.kkp.len() {
            mixed.kkp[i][part] = mean(&|t| t.kkp[i][part]) as i32;
        }
    }
    for ([place, a, b], _) in tables[0].pairs() {
        let word = |part: usize| mean(&|t| i32::from(t.kkpp(place, a, b)[part])) as i16;
        let value = [word(0), word(1)];
        if value != [0; 2] {
            mixed.set_kkpp(place, a, b, value);
        }
    }
    mixed
}

/// An entry of the large table that is not the same both ways round.
fn lopsided<V: Variant, const TEMPO: bool>(tables: &Tables<V, TEMPO>) -> Option<Unsound> {
    let pieces = Tables::<V, TEMPO>::PIECES;
    let entries = (0..V::SQUARES).flat_map(|king| (0..pieces).map(move |a| (king, a)));
    let mut pairs = entries.flat_map(|(king, a)| (0..a).map(move |b| (king, a, b)));
    let found = pairs.find(|&(king, a, b)| tables.kpp(king, a, b) != tables.kpp(king, b, a));
    found.map(|(king, a, b)| Unsound::Lopsided { king, a, b })
}

/// Something done with evaluators, whichever they are.
trait Task {
    type Output;
    /// Whether it wants to know what is wrong with the numbers themselves.
    const LOOKS_AT_NUMBERS: bool = false;

    fn run<V: Variant, E: Evaluator<V>>(
        self,
        wrong: Option<Unsound>,
        make: &dyn Fn(Isa) -> E,
    ) -> Self::Output;
}

struct Soundness;

impl Task for Soundness {
    type Output = Result<Sound, Unsound>;
    const LOOKS_AT_NUMBERS: bool = true;

    fn run<V: Variant, E: Evaluator<V>>(
        self,
        wrong: Option<Unsound>,
        make: &dyn Fn(Isa) -> E,
    ) -> Self::Output {
        wrong.map_or_else(|| sound_evaluator::<V, E>(make), Err)
    }
}

struct Values;

impl Task for Values {
    type Output = Vec<f64>;

    fn run<V: Variant, E: Evaluator<V>>(
        self,
        _: Option<Unsound>,
        make: &dyn Fn(Isa) -> E,
    ) -> Self::Output {
        let positions = sample::positions(V::GAME, COMPARED, SEED);
        let values = sample::values_of::<V, E>(&mut make(Isa::best()), &positions);
        values.into_iter().flatten().map(f64::from).collect()
    }
}

#[cfg(test)]
mod tests;
