//! KKPPT of 5×5: one table, its groups the 128 places of the kings.

use super::encoder::Sample;
use super::{FV_SCALE, LIST, Scheme, Size, TableModel, View, pair, pairs};
use eval::{KINGS, KkpptTables, king_view, stabilisers};
use features::Numbering;
use rules::{Game, Minishogi, Square};

const PIECES: usize = KkpptTables::PIECES;
const PAIRS: usize = KkpptTables::PAIRS;
/// Entries of a group: pairs, pieces, the kings alone.
const ENTRIES: usize = PAIRS + PIECES + 1;
/// Entries of a part of the shared table: pairs and pieces.
const PART: usize = PAIRS + PIECES;
/// Files up to the middle: other kings are seen mirrored.
const HALF: usize = 15;

/// The scheme of KKPPT.
///
/// Shared with factors: the same pieces wherever the kings are, and the same pieces with one of
/// the kings, be it the own or the enemy's.
pub struct FourPiece {
    pairs: Vec<[u16; 2]>,
    mirrored: [u16; PIECES],
    turned: [u16; PIECES],
    /// Views (turned, mirrored) in which a place of the kings looks the same.
    stabilisers: Vec<Vec<(bool, bool)>>,
    /// The kings of a place: the own square and the enemy's.
    kings: Vec<(usize, usize)>,
}

impl Default for FourPiece {
    fn default() -> Self {
        let numbering = Numbering::of(Game::Minishogi);
        let mut kings = vec![(0, 0); KINGS];
        for (a, b) in (0..25).flat_map(|a| (0..25).map(move |b| (a, b))) {
            if let Some(view) = king_view(a, b).filter(|view| !view.turned && !view.mirrored) {
                kings[usize::from(view.place)] = (a, b);
            }
        }
        Self {
            pairs: pairs(PIECES),
            mirrored: std::array::from_fn(|n| numbering.mirrored(n) as u16),
            turned: std::array::from_fn(|n| numbering.turned(n) as u16),
            stabilisers: (0..KINGS).map(|place| stabilisers(place).collect()).collect(),
            kings,
        }
    }
}

impl FourPiece {
    fn number(&self, n: u16, (turned, mirrored): (bool, bool)) -> usize {
        let n = if turned { self.turned[usize::from(n)] } else { n };
        usize::from(if mirrored { self.mirrored[usize::from(n)] } else { n })
    }

    /// An entry of pairs or pieces in another view.
    fn entry(&self, entry: usize, view: (bool, bool)) -> usize {
        match entry.checked_sub(PAIRS) {
            None => {
                let [a, b] = self.pairs[entry];
                pair(self.number(a, view), self.number(b, view))
            }
            Some(piece) if piece < PIECES => PAIRS + self.number(piece as u16, view),
            Some(_) => entry,
        }
    }

    /// The smallest of an entry's images under some views, and its sign: −1 if that view is
    /// turned, 0 if the entry is its own image turned.
    fn smallest(&self, entry: usize, views: &[(bool, bool)]) -> (usize, f32) {
        let (mut best, mut sign, mut opposed) = (entry, 1.0, false);
        for &view in views {
            let image = self.entry(entry, view);
            opposed |= image == entry && view.0;
            if image < best {
                (best, sign) = (image, if view.0 { -1.0 } else { 1.0 });
            }
        }
        (best, if opposed { 0.0 } else { sign })
    }

    /// The shared entry of pieces with a king that is the viewer's own.
    fn with_king(&self, king: usize, entry: usize) -> usize {
        let mirrored = Square::new(king).mirrored(Game::Minishogi).index();
        let image = self.entry(entry, (false, true));
        let (king, entry) = match king.cmp(&mirrored) {
            std::cmp::Ordering::Less => (king, entry),
            std::cmp::Ordering::Equal => (king, entry.min(image)),
            std::cmp::Ordering::Greater => (mirrored, image),
        };
        (1 + king) * PART + entry
    }
}

const ALL_VIEWS: [(bool, bool); 3] = [(false, true), (true, false), (true, true)];

impl Scheme for FourPiece {
    const RATE: f32 = 1.0;

    fn sizes(&self) -> Vec<Size> {
        let shared = (1 + HALF) * PART;
        vec![Size { groups: KINGS, entries: ENTRIES, width: 2, shared, limit: 1000 }]
    }

    fn name(&self) -> &'static str {
        "KKPPT"
    }

    #[inline(always)]
    fn views(&self, _: usize, sample: &Sample<'_>, mut each: impl FnMut(View)) {
        let (own, enemy) = sample.kings();
        // Kings that touch: no position of the game, material is all there is.
        let Some(view) = king_view(own, enemy) else { return };
        let mut numbers = [0; LIST];
        for (to, n) in numbers.iter_mut().zip(sample.numbers()) {
            *to = self.number(n, (view.turned, view.mirrored)) as u16;
        }
        let sign = if view.turned { -1.0 } else { 1.0 };
        each(View { group: view.place.into(), sign, numbers, len: sample.len(), extra: 0 });
    }

    #[inline(always)]
    fn entries(&self, _: usize, view: &View, mut each: impl FnMut(u32, f32)) {
        let same = &self.stabilisers[view.group][..];
        let mut call = |entry: usize| {
            if same.is_empty() {
                each(entry as u32, 1.0);
            } else {
                let (entry, sign) = self.smallest(entry, same);
                each(entry as u32, sign);
            }
        };
        let list = &view.numbers[..view.len];
        for (i, &a) in list.iter().enumerate() {
            for &b in &list[..i] {
                call(pair(a.into(), b.into()));
            }
            call(PAIRS + usize::from(a));
        }
        call(PAIRS + PIECES);
    }

    #[inline(always)]
    fn shared(&self, _: usize, group: usize, entry: u32, mut each: impl FnMut(u32, f32)) {
        let entry = entry as usize;
        if entry >= PART {
            return;
        }
        let (own, enemy) = self.kings[group];
        let (everywhere, sign) = self.smallest(entry, &ALL_VIEWS);
        each(everywhere as u32, sign);
        each(self.with_king(own, entry) as u32, 1.0);
        each(self.with_king(24 - enemy, self.entry(entry, (true, false))) as u32, -1.0);
    }
}

impl TableModel<Minishogi, FourPiece> {
    /// The tables, factors folded, and how many values had to be cut to their bounds.
    pub fn to_tables(&self) -> (KkpptTables, u64) {
        let scheme = self.scheme();
        let mut tables = KkpptTables::zeroed();
        let mut cut = 0;
        for place in 0..KINGS {
            let same = &scheme.stabilisers[place][..];
            for entry in 0..ENTRIES {
                let (smallest, sign) = scheme.smallest(entry, same);
                let [board, tempo] = self.folded(0, place, smallest as u32);
                let value = [sign * board, tempo].map(|x| (x * FV_SCALE).round());
                match entry.checked_sub(PAIRS) {
                    None if value != [0.0; 2] => {
                        let [a, b] = scheme.pairs[entry];
                        let value = value.map(|x| cut_to_i16(x, &mut cut));
                        tables.set_kkpp(place, a.into(), b.into(), value);
                    }
                    None => (),
                    Some(piece) if piece < PIECES => {
                        tables.kkp[place * PIECES + piece] = value.map(|x| x as i32);
                    }
                    Some(_) => tables.kk[place] = value.map(|x| x as i32),
                }
            }
        }
        (tables, cut)
    }

    /// Goes on from given tables. Entries that are the same by symmetry take their mean.
    pub fn set_tables(&mut self, tables: &KkpptTables) {
        let mut own = self.begin_set(0);
        for place in 0..KINGS {
            for entry in 0..ENTRIES {
                let value = match entry.checked_sub(PAIRS) {
                    None => {
                        let [a, b] = self.scheme().pairs[entry];
                        tables.kkpp(place, a.into(), b.into()).map(f32::from)
                    }
                    Some(piece) if piece < PIECES => tables.kkp(place, piece).map(|x| x as f32),
                    Some(_) => tables.kk[place].map(|x| x as f32),
                };
                let scheme = self.scheme();
                let (smallest, sign) = scheme.smallest(entry, &scheme.stabilisers[place]);
                own.add(place, smallest, [sign * value[0], value[1]].map(|x| x / FV_SCALE));
            }
        }
        self.end_set(0, own);
    }
}

/// A value as 16 bits hold it; counts those that have to be cut.
pub(super) fn cut_to_i16(x: f32, cut: &mut u64) -> i16 {
    let held = x.clamp(f32::from(i16::MIN), f32::from(i16::MAX));
    *cut += u64::from(held != x);
    held as i16
}
