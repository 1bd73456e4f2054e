//! Sliding attacks: Nue's byte-reverse-and-subtract (Qugiy) against look-up tables.
//!
//! Two measurements. *Hot*: a short list of queries again and again, every table in the nearest
//! cache: the best case for tables. *Walk*: the queries arise while moves are generated and
//! played, as in a search, and tables compete for the cache; what the walk costs without any
//! query is taken off.

mod queries;
mod tables;

use crate::rounds::{Times, alternate};
use queries::{Kind, Query};
use rules::{Color, Position, Shogi, Square, Variant};
use std::hint::black_box;
use tables::{Index, Tables};

/// A set of squares, as `rules` has it.
pub type Set = <Shogi as Variant>::Bits;

/// A way to compute attacks.
pub trait Method {
    fn lance(&self, color: Color, sq: Square, occupied: Set) -> Set;
    fn bishop(&self, sq: Square, occupied: Set) -> Set;
    fn rook(&self, sq: Square, occupied: Set) -> Set;
}

/// What the product uses.
struct Qugiy;

impl Method for Qugiy {
    #[inline(always)]
    fn lance(&self, color: Color, sq: Square, occupied: Set) -> Set {
        Shogi::lance_attacks(color, sq, occupied)
    }

    #[inline(always)]
    fn bishop(&self, sq: Square, occupied: Set) -> Set {
        Shogi::bishop_attacks(sq, occupied)
    }

    #[inline(always)]
    fn rook(&self, sq: Square, occupied: Set) -> Set {
        Shogi::rook_attacks(sq, occupied)
    }
}

/// Answers without work: what a walk costs by itself.
struct Nothing;

impl Method for Nothing {
    #[inline(always)]
    fn lance(&self, _: Color, _: Square, occupied: Set) -> Set {
        occupied
    }

    #[inline(always)]
    fn bishop(&self, _: Square, occupied: Set) -> Set {
        occupied
    }

    #[inline(always)]
    fn rook(&self, _: Square, occupied: Set) -> Set {
        occupied
    }
}

/// Queries of the hot loop: they and the entries they touch fit the first-level cache.
const HOT: usize = 256;
const HOT_REPEATS: usize = 4_000;

/// Prints the tables; false if the methods disagree.
pub fn run(rounds: usize) -> bool {
    let (positions, origin) = queries::positions();
    println!("sliding attacks, occupancies from {origin}");
    let magic = Tables::<tables::Magic>::new();
    let all = queries::of(&positions);
    #[cfg(target_feature = "bmi2")]
    {
        let pext = Tables::<tables::Pext>::new();
        agree(&all, &pext)
            && agree(&all, &magic)
            && measure(rounds, &positions, &all, &pext, &magic)
    }
    #[cfg(not(target_feature = "bmi2"))]
    {
        println!("this processor has no PEXT: the magic tables stand on both sides");
        agree(&all, &magic) && measure(rounds, &positions, &all, &magic, &magic)
    }
}

/// Whether a method gives what `rules` gives, on every query and every square of each occupancy.
fn agree(all: &[Query], method: &impl Method) -> bool {
    let same = all.iter().all(|query| {
        let occupied = query.occupied;
        (0..81).map(Square::new).all(|sq| {
            method.bishop(sq, occupied) == Qugiy.bishop(sq, occupied)
                && method.rook(sq, occupied) == Qugiy.rook(sq, occupied)
                && Color::BOTH.iter().all(|&color| {
                    method.lance(color, sq, occupied) == Qugiy.lance(color, sq, occupied)
                })
        })
    });
    if !same {
        println!("WRONG: tables and rules disagree");
    }
    same
}

fn measure<A: Index, B: Index>(
    rounds: usize,
    positions: &[Position<Shogi>],
    all: &[Query],
    first: &Tables<A>,
    second: &Tables<B>,
) -> bool {
    let heads = [
        "nue: no table".to_owned(),
        format!("{}: {} KiB", first.name(), first.bytes() / 1024),
        format!("{}: {} KiB", second.name(), second.bytes() / 1024),
    ];
    println!("{:18}{:>18}{:>18}{:>18}", "ns a call, b./m.", heads[0], heads[1], heads[2]);
    let mut agreed = true;
    for kind in [Kind::Lance, Kind::Bishop, Kind::Rook] {
        // Every n-th query, so that openings and endings are both there.
        let of_kind: Vec<Query> = all.iter().filter(|query| query.kind == kind).copied().collect();
        let step = (of_kind.len() / HOT).max(1);
        let hot: Vec<Query> = of_kind.into_iter().step_by(step).take(HOT).collect();
        let results = alternate(
            rounds,
            &mut [&mut || hot_loop(&hot, &Qugiy), &mut || hot_loop(&hot, first), &mut || {
                hot_loop(&hot, second)
            }],
        );
        let calls = (hot.len() * HOT_REPEATS) as f64;
        let cells = results.iter().map(|(_, times)| (times.best() / calls, times.median() / calls));
        agreed &= row(&format!("hot {}", kind.name()), cells, differ(&results));
    }
    let calls = calls_of_walk(positions) as f64;
    let mut walks = Walks::default();
    for part in positions.chunks(WALK_PART) {
        walks.add(alternate(
            rounds,
            &mut [
                &mut || walk(part, &Qugiy),
                &mut || walk(part, first),
                &mut || walk(part, second),
                &mut || walk(part, &Nothing),
            ],
        ));
    }
    agreed & walks.print(calls)
}

/// Positions walked in one go: some two milliseconds, short enough that every part meets a quiet
/// moment of the machine in one of its rounds.
const WALK_PART: usize = 20;

/// Sums over the parts of the walk: the three methods, then the walk by itself.
#[derive(Default)]
struct Walks {
    best: [f64; 4],
    median: [f64; 4],
    disagreed: bool,
}

impl Walks {
    fn add(&mut self, results: Vec<(Option<u64>, Times)>) {
        self.disagreed |= differ(&results[..3]);
        for (index, (_, times)) in results.iter().enumerate() {
            self.best[index] += times.best();
            self.median[index] += times.median();
        }
    }

    fn print(&self, calls: f64) -> bool {
        let less = |sums: &[f64; 4], index: usize| (sums[index] - sums[3]) / calls;
        let cells = (0..3).map(|index| (less(&self.best, index), less(&self.median, index)));
        row("walk, all kinds", cells, self.disagreed)
    }
}

fn differ(results: &[(Option<u64>, Times)]) -> bool {
    results.iter().any(|(sum, _)| sum.is_none() || *sum != results[0].0)
}

/// Prints one line of seconds a call, best and median; false if the checksums differed.
fn row(name: &str, cells: impl Iterator<Item = (f64, f64)>, differed: bool) -> bool {
    if differed {
        println!("{name}: WRONG, the checksums differ");
        return false;
    }
    print!("{name:18}");
    for (best, median) in cells {
        print!("{:>18}", format!("{:.2} / {:.2}", best * 1e9, median * 1e9));
    }
    println!();
    true
}

#[inline(always)]
fn answer(query: &Query, method: &impl Method) -> u128 {
    match query.kind {
        Kind::Lance => method.lance(query.color, query.sq, query.occupied).raw(),
        Kind::Bishop => method.bishop(query.sq, query.occupied).raw(),
        Kind::Rook => method.rook(query.sq, query.occupied).raw(),
    }
}

fn folded(sum: u128) -> u64 {
    sum as u64 ^ (sum >> 64) as u64
}

#[inline(never)]
fn hot_loop(queries: &[Query], method: &impl Method) -> u64 {
    let mut sum = 0u128;
    for _ in 0..HOT_REPEATS {
        for query in black_box(queries) {
            sum = sum.wrapping_add(answer(query, method));
        }
    }
    folded(sum)
}

/// Plays every legal move of every position, asks for the attacks of all sliders after it, and
/// makes the list of replies.
#[inline(never)]
fn walk(positions: &[Position<Shogi>], method: &impl Method) -> u64 {
    let mut sum = 0u128;
    for position in positions {
        let mut position = position.clone();
        for &m in position.legal_moves().as_slice() {
            position.play(m);
            queries::each(&position, |query| sum = sum.wrapping_add(answer(&query, method)));
            sum = sum.wrapping_add(position.legal_moves().len() as u128);
            position.undo();
        }
    }
    folded(sum)
}

fn calls_of_walk(positions: &[Position<Shogi>]) -> u64 {
    let mut calls = 0;
    for position in positions {
        let mut position = position.clone();
        for &m in position.legal_moves().as_slice() {
            position.play(m);
            queries::each(&position, |_| calls += 1);
            position.undo();
        }
    }
    calls
}
