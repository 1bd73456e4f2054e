//! Attacks by table look-up, indexed by PEXT or by magic multiplication.
//!
//! A slider's relevant squares (its rays without their last squares) never share a bit when the
//! two halves of the board are laid over each other, so one 64-bit word holds them all and one
//! PEXT or one multiplication makes the index.

use super::{Method, Set};
use rules::{Color, Square};

/// How relevant occupied squares become a number.
pub trait Index: Sized {
    const NAME: &'static str;
    /// Prepares the index for a mask, given every subset of it with its attacks.
    fn new(mask: u64, subsets: &[(u64, u128)]) -> Self;
    /// How many cells the table of this square has.
    fn cells(&self, mask: u64) -> usize;
    /// Below [`Index::cells`]; different for subsets with different attacks.
    fn of(&self, mask: u64, relevant: u64) -> usize;
}

/// The bits picked out by an instruction of BMI2.
#[cfg(target_feature = "bmi2")]
pub struct Pext;

#[cfg(target_feature = "bmi2")]
impl Index for Pext {
    const NAME: &'static str = "pext";

    fn new(_: u64, _: &[(u64, u128)]) -> Self {
        Self
    }

    fn cells(&self, mask: u64) -> usize {
        1 << mask.count_ones()
    }

    #[inline(always)]
    fn of(&self, mask: u64, relevant: u64) -> usize {
        // SAFETY: this code exists only when the build has BMI2.
        unsafe { std::arch::x86_64::_pext_u64(relevant, mask) as usize }
    }
}

/// A multiplication that happens to send the subsets where they do not collide.
pub struct Magic {
    factor: u64,
    shift: u32,
}

impl Index for Magic {
    const NAME: &'static str = "magic";

    fn new(mask: u64, subsets: &[(u64, u128)]) -> Self {
        let mut random = Random(mask);
        let mut bits = mask.count_ones();
        loop {
            if let Some(found) = Self::search(64 - bits, subsets, &mut random) {
                return found;
            }
            bits += 1;
        }
    }

    fn cells(&self, _: u64) -> usize {
        1 << (64 - self.shift)
    }

    #[inline(always)]
    fn of(&self, _: u64, relevant: u64) -> usize {
        (relevant.wrapping_mul(self.factor) >> self.shift) as usize
    }
}

/// Factors tried before the square gets a table of twice the size.
const ATTEMPTS: u32 = 20_000;

impl Magic {
    fn search(shift: u32, subsets: &[(u64, u128)], random: &mut Random) -> Option<Self> {
        let mut seen = vec![(0, 0); 1 << (64 - shift)];
        (1..=ATTEMPTS).find_map(|attempt| {
            // Few bits set make good factors.
            let factor = random.next() & random.next() & random.next();
            let fits = subsets.iter().all(|&(subset, attacks)| {
                let cell = &mut seen[(subset.wrapping_mul(factor) >> shift) as usize];
                if cell.0 != attempt {
                    *cell = (attempt, attacks);
                }
                cell.1 == attacks
            });
            fits.then_some(Self { factor, shift })
        })
    }
}

/// Numbers for the search of factors and for playouts: splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

struct Entry<I> {
    lo: u64,
    hi: u64,
    mask: u64,
    index: I,
    offset: usize,
}

struct Slider<I> {
    entries: Vec<Entry<I>>,
    attacks: Vec<Set>,
}

const DIAGONAL: [(i32, i32); 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
const STRAIGHT: [(i32, i32); 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];

impl<I: Index> Slider<I> {
    fn new(directions: [(i32, i32); 4]) -> Self {
        let mut entries = Vec::with_capacity(81);
        let mut attacks = Vec::new();
        for sq in 0..81 {
            let relevant = relevant(sq, &directions);
            let (lo, hi) = (relevant as u64, (relevant >> 64) as u64);
            assert_eq!(lo & hi, 0, "the halves must not overlap on square {sq}");
            let mask = lo | hi;
            let subsets = subsets(relevant)
                .into_iter()
                .map(|subset| {
                    (subset as u64 | (subset >> 64) as u64, walked(sq, &directions, subset))
                })
                .collect::<Vec<_>>();
            let entry =
                Entry { lo, hi, mask, index: I::new(mask, &subsets), offset: attacks.len() };
            attacks.resize(attacks.len() + entry.index.cells(mask), Set::from_raw(0));
            for &(subset, attack) in &subsets {
                attacks[entry.offset + entry.index.of(mask, subset)] = Set::from_raw(attack);
            }
            entries.push(entry);
        }
        Self { entries, attacks }
    }

    #[inline(always)]
    fn attacks(&self, sq: Square, occupied: Set) -> Set {
        // SAFETY: a square is below 81; an index stays inside the part laid out for its square,
        // which `new` filled for every subset of the mask.
        unsafe {
            let entry = self.entries.get_unchecked(sq.index());
            let relevant = occupied.lo & entry.lo | occupied.hi & entry.hi;
            *self.attacks.get_unchecked(entry.offset + entry.index.of(entry.mask, relevant))
        }
    }
}

/// Tables of lance, bishop and rook.
pub struct Tables<I> {
    /// By colour, square and the seven inner squares of its file.
    lance: Vec<[[Set; 128]; 81]>,
    bishop: Slider<I>,
    rook: Slider<I>,
}

impl<I: Index> Tables<I> {
    pub fn new() -> Self {
        let lance = [-1, 1].map(|rank_step| {
            let mut table = [[Set::from_raw(0); 128]; 81];
            for (sq, row) in table.iter_mut().enumerate() {
                for (inner, cell) in row.iter_mut().enumerate() {
                    let occupied = (inner as u128) << (bit(sq / 9 * 9).trailing_zeros() + 1);
                    *cell = Set::from_raw(walked(sq, &[(0, rank_step)], occupied));
                }
            }
            table
        });
        Self { lance: lance.into(), bishop: Slider::new(DIAGONAL), rook: Slider::new(STRAIGHT) }
    }

    pub fn name(&self) -> &'static str {
        I::NAME
    }

    pub fn bytes(&self) -> usize {
        let sets =
            self.lance.len() * 81 * 128 + self.bishop.attacks.len() + self.rook.attacks.len();
        sets * size_of::<Set>()
    }
}

impl<I: Index> Method for Tables<I> {
    #[inline(always)]
    fn lance(&self, color: Color, sq: Square, occupied: Set) -> Set {
        let index = sq.index();
        let (half, file) =
            if index < 63 { (occupied.lo, index / 9) } else { (occupied.hi, index / 9 - 7) };
        let inner = (half >> (file * 9 + 1)) as usize & 127;
        // SAFETY: two colours, 81 squares, and `inner` has seven bits.
        unsafe {
            *self.lance.get_unchecked(color.index()).get_unchecked(index).get_unchecked(inner)
        }
    }

    #[inline(always)]
    fn bishop(&self, sq: Square, occupied: Set) -> Set {
        self.bishop.attacks(sq, occupied)
    }

    #[inline(always)]
    fn rook(&self, sq: Square, occupied: Set) -> Set {
        self.rook.attacks(sq, occupied)
    }
}

/// The bit of a square in the wide form of `rules`: bit 63 stays free.
fn bit(sq: usize) -> u128 {
    1 << if sq < 63 { sq } else { sq + 1 }
}

/// Squares of the rays of `sq` in order, until the edge.
fn ray(sq: usize, step: (i32, i32)) -> impl Iterator<Item = usize> {
    let (file, rank) = ((sq / 9) as i32, (sq % 9) as i32);
    (1..9).map_while(move |n| {
        let (file, rank) = (file + step.0 * n, rank + step.1 * n);
        ((0..9).contains(&file) && (0..9).contains(&rank)).then_some((file * 9 + rank) as usize)
    })
}

/// Squares whose occupation matters: the rays without their last squares.
fn relevant(sq: usize, directions: &[(i32, i32)]) -> u128 {
    let mut set = 0;
    for &step in directions {
        let squares: Vec<usize> = ray(sq, step).collect();
        for &square in squares.iter().rev().skip(1) {
            set |= bit(square);
        }
    }
    set
}

/// The attacks found square by square: what every method must give.
fn walked(sq: usize, directions: &[(i32, i32)], occupied: u128) -> u128 {
    let mut set = 0;
    for &step in directions {
        for square in ray(sq, step) {
            set |= bit(square);
            if occupied & bit(square) != 0 {
                break;
            }
        }
    }
    set
}

fn subsets(mask: u128) -> Vec<u128> {
    let mut all = vec![0u128];
    let mut subset = mask & mask.wrapping_neg();
    while subset != 0 {
        all.push(subset);
        subset = subset.wrapping_sub(mask) & mask;
    }
    all
}
