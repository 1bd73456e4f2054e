//! A node: one cell, read and written as eight words.
//!
//! | word | holds |
//! |---|---|
//! | 0 | visited since the sweep last passed (1 bit), visits (39), visits in flight (24) |
//! | 1 | wins of the side that moved here, in fixed point |
//! | 2 | draws |
//! | 3 | squares of the scores, for the spread |
//! | 4 | first cell of the children |
//! | 5 | first cell of the moves, their number |
//! | 6 | playouts that ended here |
//! | 7 | state, bounds, plies to the end; above them priors chosen so far |
//!
//! Sums are integers: the same whatever order threads add in, and exact after any number of visits.

use crate::arena::{Cell, IS_NODE, Index};
use crate::bounds::{Bounds, GameValue};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};

/// One in fixed point.
pub(crate) const ONE: f64 = (1u64 << 24) as f64;

const RECENT: u64 = 1 << 63;
const VISIT: u64 = 1 << 24;
const IN_FLIGHT: u64 = VISIT - 1;

/// What a node is in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum State {
    /// Not evaluated, or its moves were recycled.
    New,
    /// Somebody evaluates it.
    Pending,
    /// Its moves are there.
    Expanded,
    /// Its subtree is being recycled.
    Collapsing,
    /// The game is over here for the search, though not proven by the rules.
    Ended(GameValue),
}

/// What a proof added to what was known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum News {
    None,
    /// A bound, or another number of plies.
    Tighter,
    /// How it ends is known now.
    Settled,
}

const STATE: u64 = 0b111;
const ENDED: u64 = 4;

impl State {
    const fn bits(self) -> u64 {
        match self {
            Self::New => 0,
            Self::Pending => 1,
            Self::Expanded => 2,
            Self::Collapsing => 3,
            Self::Ended(outcome) => ENDED + outcome as u64,
        }
    }

    const fn of(bits: u64) -> Self {
        match bits & STATE {
            0 => Self::New,
            1 => Self::Pending,
            2 => Self::Expanded,
            3 => Self::Collapsing,
            4 => Self::Ended(GameValue::Loss),
            5 => Self::Ended(GameValue::Draw),
            _ => Self::Ended(GameValue::Win),
        }
    }
}

const BOUNDS_SHIFT: u32 = 3;
const BOUNDS: u64 = ((1 << Bounds::BITS) - 1) << BOUNDS_SHIFT;
const PRIORS_SHIFT: u32 = 32;
/// Priors chosen are counted in 65536ths up to this many, far above what matters.
const PRIORS_ONE: f32 = 65536.0;
const MOST_PRIORS: u64 = 60_000 << 16;

/// Visits and sums, read together.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Stats {
    pub(crate) visits: u64,
    pub(crate) in_flight: u64,
    /// Sums in fixed point; corrections may leave one a rounding below nothing.
    pub(crate) wins: i64,
    pub(crate) draws: i64,
    pub(crate) squares: i64,
}

impl Stats {
    /// The sum of scores of the side that moved here, a draw counted as `draw`.
    #[inline]
    pub(crate) fn total(&self, draw: f64) -> f64 {
        (self.wins as f64 + draw * self.draws as f64) * (1.0 / ONE)
    }

    /// The mean score of the side that moved here.
    #[inline]
    pub(crate) fn mean(&self, draw: f64) -> Option<f64> {
        (self.visits > 0).then(|| self.total(draw) / self.visits as f64)
    }
}

/// What choosing among children needs of each, read with as little work as possible.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Glance {
    /// Counts and sums as they are converted fastest: signed, and never near 2⁶³.
    pub(crate) visits: i64,
    pub(crate) in_flight: i64,
    pub(crate) wins: i64,
    pub(crate) draws: i64,
    pub(crate) outcome: Option<GameValue>,
}

/// What one playout brings a node: chances of the side that moved there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Gain {
    pub(crate) win: f32,
    pub(crate) draw: f32,
    /// The same as one number.
    pub(crate) score: f32,
}

/// What playouts bring a node, added up in fixed point: the same sums as one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Credit {
    playouts: u64,
    wins: u64,
    draws: u64,
    squares: u64,
}

impl Credit {
    /// What one playout brings.
    #[inline]
    pub(crate) fn of(gain: Gain) -> Self {
        let fixed = |x: f32| (f64::from(x) * ONE) as u64;
        let squares = fixed(gain.score * gain.score);
        Self { playouts: 1, wins: fixed(gain.win), draws: fixed(gain.draw), squares }
    }

    /// One more playout.
    #[inline]
    pub(crate) fn add(&mut self, gain: Gain) {
        let more = Self::of(gain);
        self.playouts += more.playouts;
        self.wins += more.wins;
        self.draws += more.draws;
        self.squares += more.squares;
    }
}

/// A view of a node.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a>(pub(crate) &'a Cell);

impl Node<'_> {
    /// Makes a cell a node of which nothing is known.
    pub(crate) fn create(self) {
        let cell = self.0;
        for word in 0..7 {
            cell.set_word(word, 0);
        }
        cell.0[7].store(IS_NODE | Bounds::OPEN.bits() << BOUNDS_SHIFT, SeqCst);
    }

    pub(crate) fn is_node(self) -> bool {
        self.0.word(7) & IS_NODE != 0
    }

    /// A playout passes through: until it is back the node cannot be recycled. Says how many were back
    /// before.
    #[inline]
    pub(crate) fn enter(self) -> u64 {
        let before = self.0.0[0].fetch_add(1, SeqCst);
        if before & RECENT == 0 {
            self.0.0[0].fetch_or(RECENT, Relaxed);
        }
        (before & !RECENT) / VISIT
    }

    /// A playout that passed through came to nothing.
    #[inline]
    pub(crate) fn leave(self) {
        self.0.0[0].fetch_sub(1, SeqCst);
    }

    /// Playouts that passed through are back.
    #[inline]
    pub(crate) fn credit(self, credit: Credit) {
        self.0.0[1].fetch_add(credit.wins, Relaxed);
        if credit.draws > 0 {
            self.0.0[2].fetch_add(credit.draws, Relaxed);
        }
        self.0.0[3].fetch_add(credit.squares, Relaxed);
        // As many more visits and as many fewer in flight.
        self.0.0[0].fetch_add(credit.playouts * (VISIT - 1), SeqCst);
    }

    /// What was counted as won and drawn is corrected by so much, in fixed point.
    pub(crate) fn correct(self, wins: i64, draws: i64) {
        self.0.0[1].fetch_add(wins as u64, Relaxed);
        self.0.0[2].fetch_add(draws as u64, Relaxed);
    }

    /// The playout ended here.
    pub(crate) fn count_end(self) {
        self.0.0[6].fetch_add(1, Relaxed);
    }

    /// Its children are gone: their visits count as ended here.
    pub(crate) fn adopt_visits(self) {
        self.0.0[6].store(self.visits(), Relaxed);
    }

    /// Playouts that ended here: visits that no child has.
    pub(crate) fn ends(self) -> u64 {
        self.0.word(6)
    }

    #[inline]
    pub(crate) fn visits(self) -> u64 {
        (self.0.word(0) & !RECENT) / VISIT
    }

    #[inline]
    pub(crate) fn in_flight(self) -> u64 {
        self.0.0[0].load(SeqCst) & IN_FLIGHT
    }

    /// Whether it was visited since this was last asked.
    pub(crate) fn was_recent(self) -> bool {
        self.0.word(0) & RECENT != 0 && self.0.0[0].fetch_and(!RECENT, Relaxed) & RECENT != 0
    }

    /// Visits, those in flight included.
    #[inline]
    pub(crate) fn tries(self) -> i64 {
        let count = (self.0.word(0) & !RECENT) as i64;
        (count >> VISIT.trailing_zeros()) + (count & IN_FLIGHT as i64)
    }

    /// What a choice among siblings needs.
    #[inline]
    pub(crate) fn glance(self) -> Glance {
        let count = (self.0.word(0) & !RECENT) as i64;
        Glance {
            visits: count >> VISIT.trailing_zeros(),
            in_flight: count & IN_FLIGHT as i64,
            wins: self.0.word(1) as i64,
            draws: self.0.word(2) as i64,
            outcome: Bounds::of(self.0.word(7) >> BOUNDS_SHIFT).outcome(),
        }
    }

    #[inline]
    pub(crate) fn stats(self) -> Stats {
        let count = self.0.word(0) & !RECENT;
        Stats {
            visits: count / VISIT,
            in_flight: count & IN_FLIGHT,
            wins: self.0.word(1) as i64,
            draws: self.0.word(2) as i64,
            squares: self.0.word(3) as i64,
        }
    }

    /// The first cell of its children; 0 if it has none.
    #[inline]
    pub(crate) fn first_children(self) -> Index {
        self.0.0[4].load(Acquire) as u32
    }

    /// Sets that cell, unless there is one.
    pub(crate) fn begin_children(self, cell: Index) -> bool {
        self.0.0[4].compare_exchange(0, u64::from(cell), AcqRel, Acquire).is_ok()
    }

    /// Cuts its children off and says where they begin.
    pub(crate) fn take_children(self) -> Index {
        self.0.0[4].swap(0, AcqRel) as u32
    }

    /// The first cell of its moves and their number.
    #[inline]
    pub(crate) fn moves(self) -> (Index, usize) {
        let word = self.0.0[5].load(Acquire);
        (word as u32, (word >> 32) as usize)
    }

    /// Sets its moves; to nothing when they are recycled. Only while it is pending or collapsing.
    pub(crate) fn set_moves(self, first: Index, count: usize) {
        self.0.0[5].store((count as u64) << 32 | u64::from(first), SeqCst);
    }

    #[inline]
    pub(crate) fn state(self) -> State {
        State::of(self.0.0[7].load(SeqCst))
    }

    /// Goes from one state to another; fails if it is in a third.
    pub(crate) fn change(self, from: State, to: State) -> bool {
        let change = |word: u64| (word & STATE == from.bits()).then_some(word & !STATE | to.bits());
        self.0.0[7].fetch_update(SeqCst, SeqCst, change).is_ok()
    }

    /// What is proven.
    #[inline]
    pub(crate) fn bounds(self) -> Bounds {
        Bounds::of(self.0.0[7].load(SeqCst) >> BOUNDS_SHIFT)
    }

    /// Adds what was proven to what is known; says what that changed.
    pub(crate) fn prove(self, found: Bounds) -> News {
        let change = |word: u64| {
            let known = Bounds::of(word >> BOUNDS_SHIFT);
            let both = known.and(found);
            (both != known).then_some(word & !BOUNDS | both.bits() << BOUNDS_SHIFT)
        };
        let Ok(before) = self.0.0[7].fetch_update(SeqCst, SeqCst, change) else {
            return News::None;
        };
        let known = Bounds::of(before >> BOUNDS_SHIFT);
        let settles = known.outcome().is_none() && known.and(found).outcome().is_some();
        if settles { News::Settled } else { News::Tighter }
    }

    /// A child with this prior was chosen (see [`crate::constants::Fpu::Chosen`]); beyond `most` they are
    /// not counted, so that threads do not take a much visited node from each other for nothing.
    #[inline]
    pub(crate) fn add_prior(self, prior: f32, most: f32) {
        let known = self.0.word(7) >> PRIORS_SHIFT;
        if known < MOST_PRIORS && known as f32 <= most * PRIORS_ONE {
            let fixed = (prior * PRIORS_ONE) as u64;
            self.0.0[7].fetch_add(fixed << PRIORS_SHIFT, Relaxed);
        }
    }

    /// The sum of priors chosen.
    #[inline]
    pub(crate) fn priors(self) -> f32 {
        (self.0.word(7) >> PRIORS_SHIFT) as f32 / PRIORS_ONE
    }

    /// Begins that sum anew, with its moves.
    pub(crate) fn forget_priors(self) {
        self.0.0[7].fetch_and((1 << PRIORS_SHIFT) - 1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_do_not_disturb_each_other() {
        let cell = Cell::default();
        let node = Node(&cell);
        node.create();
        assert_eq!((node.state(), node.bounds()), (State::New, Bounds::OPEN));
        node.enter();
        node.enter();
        assert!(node.was_recent() && !node.was_recent());
        node.credit(Credit::of(Gain { win: 0.25, draw: 0.5, score: 0.5 }));
        let stats = node.stats();
        assert_eq!((stats.visits, stats.in_flight, node.in_flight()), (1, 1, 1));
        assert_eq!((stats.total(0.0), stats.total(1.0), stats.mean(0.5)), (0.25, 0.75, Some(0.5)));
        assert!(
            node.change(State::New, State::Pending) && !node.change(State::New, State::Pending)
        );
        node.set_moves(77, 593);
        assert!(node.change(State::Pending, State::Expanded));
        assert_eq!(node.moves(), (77, 593));
        node.add_prior(0.5, 16.0);
        node.add_prior(0.25, 16.0);
        let news = [Bounds::win(17), Bounds::OPEN, Bounds::win(15)].map(|found| node.prove(found));
        assert_eq!(news, [News::Settled, News::None, News::Tighter]);
        assert_eq!(
            (node.priors(), node.bounds(), node.state()),
            (0.75, Bounds::win(15), State::Expanded)
        );
        assert!(node.begin_children(5) && !node.begin_children(6));
        assert_eq!((node.take_children(), node.first_children()), (5, 0));
        node.leave();
        assert_eq!((node.visits(), node.in_flight()), (1, 0));
        let half = (ONE / 2.0) as i64;
        node.correct(half, -half);
        assert_eq!(node.stats().mean(0.5), Some(0.75));
    }

    #[test]
    fn states_survive_their_bits() {
        for state in [
            State::New,
            State::Pending,
            State::Expanded,
            State::Collapsing,
            State::Ended(GameValue::Loss),
            State::Ended(GameValue::Draw),
            State::Ended(GameValue::Win),
        ] {
            assert_eq!(State::of(state.bits()), state);
        }
    }

    #[test]
    fn chosen_priors_stop_counting_before_they_overflow() {
        let cell = Cell::default();
        let node = Node(&cell);
        node.create();
        for _ in 0..70_000 {
            node.add_prior(1.0, f32::INFINITY);
        }
        assert_eq!((node.priors(), node.bounds()), (60_000.0, Bounds::OPEN));
        node.forget_priors();
        (0..100).for_each(|_| node.add_prior(0.5, 3.0));
        assert_eq!(node.priors(), 3.5);
    }
}
