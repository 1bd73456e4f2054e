//! What all threads of one search share.

use crate::history::Common;
use crate::params::Params;
use crate::prove::MateMemory;
use crate::table::Table;
use crate::values;
use play::SearchRules;
use play::searched::LOOK_BACK;
use rules::{Color, Move, Position, Recurrence, Variant};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use think::{Control, TimeSource};

/// What is read, and by which rules.
#[derive(Clone, Debug)]
pub(crate) struct Terms {
    pub(crate) rules: SearchRules,
    /// Value of a draw to Black and to White as the root player, in evaluation units.
    pub(crate) draw: [i32; 2],
    /// Whether moves that are never better than another are read too.
    pub(crate) all_moves: bool,
    /// Values must not depend on how the position was reached.
    pub(crate) analysis: bool,
}

/// Everything the threads of one search have in common. Read-only but for the atomics.
pub(crate) struct Shared {
    pub(crate) table: Arc<Table>,
    /// Statistics of all threads.
    pub(crate) common: Arc<Common>,
    pub(crate) params: Params,
    pub(crate) reductions: Reductions,
    pub(crate) terms: Terms,
    pub(crate) control: Control,
    /// Set by the first thread when time or nodes are used up, or when it is done.
    pub(crate) stop: AtomicBool,
    /// Whether something has been read that can be answered with. Until then only a limit of nodes
    /// or the end of the program stops the search: the first iteration takes less than a
    /// millisecond, and a move that was not read may lose the game.
    pub(crate) answerable: AtomicBool,
    pub(crate) time: Arc<dyn TimeSource>,
    /// Nanoseconds of that source at which the search must end: any thread may be the one that
    /// has a processor then.
    pub(crate) deadline: AtomicU64,
    /// Nodes of each thread, published now and then.
    pub(crate) nodes: Vec<AtomicU64>,
    pub(crate) root_color: Color,
    /// What the solver has read in this game.
    pub(crate) mates: Arc<MateMemory>,
    /// Nodes of its look before the search.
    pub(crate) glanced: AtomicU64,
    /// A mate proven at the root, and whether there is one.
    pub(crate) proven: Mutex<Option<Vec<Move>>>,
    pub(crate) is_proven: AtomicBool,
}

impl Shared {
    #[inline]
    pub(crate) fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.control.is_stopped() && self.may_answer()
    }

    /// Whether the search may be ended by a clock or by a command.
    pub(crate) fn may_answer(&self) -> bool {
        self.answerable.load(Ordering::Relaxed) || self.control.is_quitting()
    }

    /// Ends the search if its time is over.
    pub(crate) fn keep_deadline(&self) {
        let deadline = Duration::from_nanos(self.deadline.load(Ordering::Relaxed));
        if self.may_answer() && self.time.now() >= deadline {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    /// A mate at the root has been proven. The shortest stays.
    pub(crate) fn prove(&self, line: &[Move]) {
        let mut proven = self.proven.lock().unwrap_or_else(PoisonError::into_inner);
        if proven.as_ref().is_none_or(|known| line.len() < known.len()) {
            *proven = Some(line.to_vec());
            self.is_proven.store(true, Ordering::Release);
        }
    }

    /// Whether a mate at the root has been proven.
    #[inline]
    pub(crate) fn is_proven(&self) -> bool {
        self.is_proven.load(Ordering::Acquire)
    }

    /// The mate proven at the root, if there is one.
    pub(crate) fn proven(&self) -> Option<Vec<Move>> {
        self.proven.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Nodes of all threads.
    pub(crate) fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(|n| n.load(Ordering::Relaxed)).sum()
    }

    /// The value of a draw to the side to move.
    #[inline]
    pub(crate) fn draw_value(&self, turn: Color) -> i32 {
        let to_root = self.terms.draw[self.root_color.index()];
        values::DRAW + if turn == self.root_color { to_root } else { -to_root }
    }

    /// The value of a position that ends the game or repeats, to the side to move. None if it has to be read, as for a
    /// window that a shortcut does not settle.
    #[inline]
    pub(crate) fn ended<V: Variant>(
        &self,
        pos: &Position<V>,
        ply: usize,
        alpha: i32,
        beta: i32,
    ) -> Option<i32> {
        // In a game every earlier position counts; an analysis sees only its own line.
        let reach = if self.terms.analysis { ply } else { ply + LOOK_BACK };
        if let Some(what) = pos.recurrence(reach) {
            match what {
                Recurrence::Draw => return Some(self.draw_value(pos.turn())),
                Recurrence::Win => return Some(values::RULE_WIN - ply as i32),
                Recurrence::Loss => return Some(-values::RULE_WIN + ply as i32),
                // These are shortcuts of the search, not rules of the game: whoever has more in hand than when he was
                // here before need not come back. They cut, but are no value: where every other move of the loser is
                // a mate he would take this one for a way out, and no mate would be found any more.
                Recurrence::Superior if !self.terms.analysis && values::SUPERIOR >= beta => {
                    return Some(values::SUPERIOR);
                }
                Recurrence::Inferior if !self.terms.analysis && -values::SUPERIOR <= alpha => {
                    return Some(-values::SUPERIOR);
                }
                Recurrence::Superior | Recurrence::Inferior => {}
            }
        }
        let outcome = self.terms.rules.at_limit(pos)?;
        let mated = outcome.winner().is_some();
        Some(if mated { values::mated_in(ply) } else { self.draw_value(pos.turn()) })
    }
}

/// 1024 times the natural logarithm, as integers: the same on every machine.
const LOG: [i32; 128] = [
    0, 0, 710, 1125, 1420, 1648, 1835, 1993, 2129, 2250, 2358, 2455, 2545, 2627, 2702, 2773, 2839,
    2901, 2960, 3015, 3068, 3118, 3165, 3211, 3254, 3296, 3336, 3375, 3412, 3448, 3483, 3516, 3549,
    3580, 3611, 3641, 3670, 3698, 3725, 3751, 3777, 3803, 3827, 3851, 3875, 3898, 3921, 3943, 3964,
    3985, 4006, 4026, 4046, 4066, 4085, 4104, 4122, 4140, 4158, 4175, 4193, 4210, 4226, 4243, 4259,
    4275, 4290, 4306, 4321, 4336, 4350, 4365, 4379, 4393, 4407, 4421, 4435, 4448, 4461, 4474, 4487,
    4500, 4512, 4525, 4537, 4549, 4561, 4573, 4585, 4596, 4608, 4619, 4630, 4641, 4652, 4663, 4674,
    4685, 4695, 4705, 4716, 4726, 4736, 4746, 4756, 4766, 4775, 4785, 4795, 4804, 4813, 4823, 4832,
    4841, 4850, 4859, 4868, 4876, 4885, 4894, 4902, 4911, 4919, 4928, 4936, 4944, 4952, 4960,
];

/// Reductions of late moves by depth and number, in 1024ths of a ply.
pub(crate) struct Reductions([i32; 128]);

impl Reductions {
    pub(crate) fn new(params: &Params) -> Self {
        Self(LOG.map(|log| params.lmr_scale * log / 102_400))
    }

    /// The product of both logarithms.
    #[inline]
    pub(crate) fn product(&self, depth: i32, number: u32) -> i32 {
        self.0[(depth.max(0) as usize).min(127)] * self.0[(number as usize).min(127)]
    }
}
