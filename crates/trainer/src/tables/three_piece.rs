//! KPPT and KPP_KKPT: a table of a king and two pieces, looked at by both sides, and one of both
//! kings with a piece or alone.

use super::encoder::Sample;
use super::four_piece::cut_to_i16;
use super::{FV_SCALE, LIST, Scheme, Size, TableModel, View, pair, pairs};
use eval::Tables;
use features::Numbering;
use rules::{Square, Variant};
use std::cmp::Ordering;
use std::marker::PhantomData;

/// The table of a king and two pieces.
const KPP: usize = 0;
/// The table of both kings and a piece; an entry more for the kings alone.
const KKP: usize = 1;

/// The scheme of three-piece evaluations; `TEMPO` as in [`Tables`].
///
/// Shared with factors: two pieces wherever the king is, and a piece with one of the kings.
pub struct ThreePiece<V, const TEMPO: bool> {
    pairs: Vec<[u16; 2]>,
    mirrored: Vec<u16>,
    turned: Vec<u16>,
    game: PhantomData<V>,
}

impl<V: Variant, const TEMPO: bool> Default for ThreePiece<V, TEMPO> {
    fn default() -> Self {
        let numbering = Numbering::of(V::GAME);
        let table = |of: &dyn Fn(usize) -> usize| (0..Self::PIECES).map(|n| of(n) as u16).collect();
        Self {
            pairs: pairs(Self::PIECES),
            mirrored: table(&|n| numbering.mirrored(n)),
            turned: table(&|n| numbering.turned(n)),
            game: PhantomData,
        }
    }
}

/// Views besides the plain one: turned, mirrored.
const VIEWS: [(bool, bool); 3] = [(false, true), (true, false), (true, true)];

impl<V: Variant, const TEMPO: bool> ThreePiece<V, TEMPO> {
    const PIECES: usize = Numbering::of(V::GAME).end();
    const PAIRS: usize = Self::PIECES * (Self::PIECES + 1) / 2;
    const FILES: usize = V::GAME.size();
    /// Squares up to the middle file: other kings are seen mirrored.
    const HALF: usize = V::SQUARES.div_ceil(2 * Self::FILES) * Self::FILES;
    /// Entries of a place of the enemy king.
    const WITH_ENEMY: usize = Self::PIECES + 1;

    fn mirror(king: usize) -> usize {
        Square::new(king).mirrored(V::GAME).index()
    }

    fn number(&self, n: usize, (turned, mirrored): (bool, bool)) -> usize {
        let n = if turned { self.turned[n].into() } else { n };
        if mirrored { self.mirrored[n].into() } else { n }
    }

    /// A king as its own table knows it, and whether the board must be mirrored for it.
    fn king(king: usize) -> (usize, bool) {
        let mirrored = Self::mirror(king);
        if mirrored < king { (mirrored, true) } else { (king, false) }
    }

    /// The entry of a pair: of two mirrored ones under a king in the middle, the smaller.
    #[inline(always)]
    fn pair_entry(&self, middle: bool, a: usize, b: usize) -> usize {
        let entry = pair(a, b);
        if middle {
            entry.min(pair(self.mirrored[a].into(), self.mirrored[b].into()))
        } else {
            entry
        }
    }

    fn see(own: usize, enemy: usize, (turned, mirrored): (bool, bool)) -> (usize, usize) {
        let last = V::SQUARES - 1;
        let (a, b) = if turned { (last - enemy, last - own) } else { (own, enemy) };
        if mirrored { (Self::mirror(a), Self::mirror(b)) } else { (a, b) }
    }

    /// The view in which two kings stand on the smallest squares, those squares, and a set of the
    /// views (bits in the order of `VIEWS`) that leave them there.
    fn both_kings(own: usize, enemy: usize) -> ((bool, bool), (usize, usize), usize) {
        let (mut view, mut kings) = ((false, false), (own, enemy));
        for other in VIEWS {
            let seen = Self::see(own, enemy, other);
            if seen < kings {
                (view, kings) = (other, seen);
            }
        }
        let stays =
            |(i, view): (usize, _)| usize::from(Self::see(kings.0, kings.1, view) == kings) << i;
        (view, kings, VIEWS.into_iter().enumerate().map(stays).sum())
    }

    /// The smallest of a piece's images under some views, and its sign (see `FourPiece`).
    /// `PIECES` stands for no piece.
    fn smallest(&self, piece: usize, same: usize) -> (usize, f32) {
        let (mut best, mut sign, mut opposed) = (piece, 1.0, false);
        for (i, view) in VIEWS.into_iter().enumerate().filter(|(i, _)| same >> i & 1 == 1) {
            let image = if piece < Self::PIECES { self.number(piece, view) } else { piece };
            debug_assert!(i < 3);
            opposed |= image == piece && view.0;
            if image < best {
                (best, sign) = (image, if view.0 { -1.0 } else { 1.0 });
            }
        }
        (best, if opposed { 0.0 } else { sign })
    }

    /// The shared entry of a piece with a king that is the viewer's own.
    fn with_king(&self, king: usize, piece: usize) -> usize {
        let mirrored = Self::mirror(king);
        let image = usize::from(self.mirrored[piece]);
        let (king, piece) = match king.cmp(&mirrored) {
            Ordering::Less => (king, piece),
            Ordering::Equal => (king, piece.min(image)),
            Ordering::Greater => (mirrored, image),
        };
        king * Self::PIECES + piece
    }

    fn kpp_view(&self, sample: &Sample<'_>, king: usize, turned: bool) -> View {
        let (group, mirrored) = Self::king(king);
        let mut numbers = [0; LIST];
        for (to, n) in numbers.iter_mut().zip(sample.numbers()) {
            *to = self.number(n.into(), (turned, mirrored)) as u16;
        }
        let sign = if turned { -1.0 } else { 1.0 };
        let middle = usize::from(Self::mirror(group) == group);
        View { group, sign, numbers, len: sample.len(), extra: middle }
    }
}

impl<V: Variant, const TEMPO: bool> Scheme for ThreePiece<V, TEMPO> {
    /// 9×9 has 1,445 relations, 5×5 about as many as KKPPT.
    const RATE: f32 = if V::SQUARES == 81 { 0.05 } else { 1.0 };

    fn sizes(&self) -> Vec<Size> {
        let kpp = Size {
            groups: Self::HALF,
            entries: Self::PAIRS,
            width: if TEMPO { 2 } else { 1 },
            shared: Self::PAIRS,
            limit: 1000,
        };
        let kkp = Size {
            groups: V::SQUARES,
            entries: V::SQUARES * Self::WITH_ENEMY,
            width: 2,
            shared: Self::HALF * Self::PIECES,
            limit: 30_000,
        };
        vec![kpp, kkp]
    }

    fn name(&self) -> &'static str {
        if TEMPO { "KPPT" } else { "KPP_KKPT" }
    }

    #[inline(always)]
    fn views(&self, table: usize, sample: &Sample<'_>, mut each: impl FnMut(View)) {
        let (own, enemy) = sample.kings();
        if table == KPP {
            each(self.kpp_view(sample, own, false));
            each(self.kpp_view(sample, V::SQUARES - 1 - enemy, true));
            return;
        }
        let (view, (group, enemy), same) = Self::both_kings(own, enemy);
        let mut numbers = [0; LIST];
        for (to, n) in numbers.iter_mut().zip(sample.numbers()) {
            *to = self.number(n.into(), view) as u16;
        }
        let sign = if view.0 { -1.0 } else { 1.0 };
        each(View { group, sign, numbers, len: sample.len(), extra: enemy << 3 | same });
    }

    #[inline(always)]
    fn entries(&self, table: usize, view: &View, mut each: impl FnMut(u32, f32)) {
        let list = &view.numbers[..view.len];
        if table == KPP {
            for (i, &a) in list.iter().enumerate() {
                for &b in &list[..i] {
                    each(self.pair_entry(view.extra != 0, a.into(), b.into()) as u32, 1.0);
                }
            }
            return;
        }
        let (enemy, same) = (view.extra >> 3, view.extra & 7);
        let alone = std::iter::once(Self::PIECES);
        for piece in list.iter().map(|&n| n.into()).chain(alone) {
            let (piece, sign) = if same == 0 { (piece, 1.0) } else { self.smallest(piece, same) };
            each((enemy * Self::WITH_ENEMY + piece) as u32, sign);
        }
    }

    #[inline(always)]
    fn shared(&self, table: usize, group: usize, entry: u32, mut each: impl FnMut(u32, f32)) {
        let entry = entry as usize;
        if table == KPP {
            let [a, b] = self.pairs[entry];
            return each(self.pair_entry(true, a.into(), b.into()) as u32, 1.0);
        }
        let (enemy, piece) = (entry / Self::WITH_ENEMY, entry % Self::WITH_ENEMY);
        if piece < Self::PIECES {
            each(self.with_king(group, piece) as u32, 1.0);
            let turned = usize::from(self.turned[piece]);
            each(self.with_king(V::SQUARES - 1 - enemy, turned) as u32, -1.0);
        }
    }
}

impl<V: Variant, const TEMPO: bool> ThreePiece<V, TEMPO> {
    /// Group and entry of the large table for an entry of the engine's.
    fn of_kpp(&self, king: usize, pieces: [u16; 2]) -> (usize, usize) {
        let (group, mirrored) = Self::king(king);
        let [a, b] = pieces.map(|n| self.number(n.into(), (false, mirrored)));
        (group, self.pair_entry(Self::mirror(group) == group, a, b))
    }

    /// Group, entry and sign of the other table for an entry of the engine's; `PIECES` stands for
    /// the kings alone.
    fn of_kkp(&self, black: usize, white: usize, piece: usize) -> (usize, usize, f32) {
        let (view, (group, enemy), same) = Self::both_kings(black, white);
        let seen = if piece < Self::PIECES { self.number(piece, view) } else { piece };
        let (piece, sign) = self.smallest(seen, same);
        (group, enemy * Self::WITH_ENEMY + piece, if view.0 { -sign } else { sign })
    }
}

impl<V: Variant, const TEMPO: bool> TableModel<V, ThreePiece<V, TEMPO>> {
    /// The tables, factors folded, and how many values had to be cut to their bounds.
    pub fn to_tables(&self) -> (Tables<V, TEMPO>, u64) {
        type Scheme<V, const TEMPO: bool> = ThreePiece<V, TEMPO>;
        let scheme = self.scheme();
        let (pieces, width) = (Scheme::<V, TEMPO>::PIECES, if TEMPO { 2 } else { 1 });
        let mut tables = Tables::<V, TEMPO>::zeroed();
        let mut cut = 0;
        for king in 0..V::SQUARES {
            for &[a, b] in &scheme.pairs {
                let (group, entry) = scheme.of_kpp(king, [a, b]);
                let value = self.folded(KPP, group, entry as u32).map(|x| (x * FV_SCALE).round());
                if value == [0.0; 2] {
                    continue;
                }
                let value = value.map(|x| cut_to_i16(x, &mut cut));
                for (a, b) in [(a, b), (b, a)] {
                    let at = (king * pieces + usize::from(a)) * pieces + usize::from(b);
                    tables.kpp[at * width..][..width].copy_from_slice(&value[..width]);
                }
            }
        }
        for (black, white) in (0..V::SQUARES).flat_map(|b| (0..V::SQUARES).map(move |w| (b, w))) {
            let place = black * V::SQUARES + white;
            for piece in 0..=pieces {
                let (group, entry, sign) = scheme.of_kkp(black, white, piece);
                let [board, tempo] = self.folded(KKP, group, entry as u32);
                let value = [sign * board, tempo].map(|x| (x * FV_SCALE).round() as i32);
                if piece == pieces {
                    tables.kk[2 * place..][..2].copy_from_slice(&value);
                } else if value != [0; 2] {
                    tables.kkp[2 * (place * pieces + piece)..][..2].copy_from_slice(&value);
                }
            }
        }
        (tables, cut)
    }

    /// Goes on from given tables. Entries that are the same by symmetry take their mean.
    pub fn set_tables(&mut self, tables: &Tables<V, TEMPO>) {
        let pieces = ThreePiece::<V, TEMPO>::PIECES;
        let mut kpp = self.begin_set(KPP);
        for king in 0..V::SQUARES {
            for &[a, b] in &self.scheme().pairs {
                let (group, entry) = self.scheme().of_kpp(king, [a, b]);
                let value = tables.kpp(king, a.into(), b.into());
                kpp.add(group, entry, value.map(|x| x as f32 / FV_SCALE));
            }
        }
        self.end_set(KPP, kpp);
        let mut kkp = self.begin_set(KKP);
        for (black, white) in (0..V::SQUARES).flat_map(|b| (0..V::SQUARES).map(move |w| (b, w))) {
            for piece in 0..=pieces {
                let value = match piece < pieces {
                    true => tables.kkp(black, white, piece),
                    false => tables.kk(black, white),
                };
                let (group, entry, sign) = self.scheme().of_kkp(black, white, piece);
                let [board, tempo] = value.map(|x| x as f32 / FV_SCALE);
                kkp.add(group, entry, [sign * board, tempo]);
            }
        }
        self.end_set(KKP, kkp);
    }
}
