//! Iterative deepening, negamax with alpha-beta, quiescence on captures.

use crate::budget::Budget;
use crate::order::order;
use rules::{Declaration, GameRepetition, Gen, Move, MoveList, Position, Recurrence, Variant};
use std::time::Duration;
use think::{
    Answer, Best, Bound, Clocks, Control, Info, Limits, Moment, Report, Score, TimeSource,
};

/// Longest line that is read.
const MAX_PLY: usize = 96;
/// Value of being mated now; mates further away are worth one less per ply.
const MATE: i32 = 30_000;
/// Values beyond this are mates.
const MATE_BOUND: i32 = MATE - 1000;
const INFINITE: i32 = MATE + 1;

/// What a search needs to know beside position and limits.
pub(crate) struct Rules {
    pub(crate) declaration: Declaration,
    /// The game is drawn after this many moves; 0 for no such rule.
    pub(crate) max_moves: u32,
    /// Resign at this value or worse.
    pub(crate) resign: i32,
    /// Name the reply expected.
    pub(crate) ponder: bool,
    /// What the way to the server and back may cost.
    pub(crate) delay: Duration,
}

/// Static value of a position for the side to move.
pub(crate) type Evaluate<V> = fn(&Position<V>) -> i32;

/// One search, from `go` to its answer.
pub(crate) struct Search<'a, V: Variant> {
    position: Position<V>,
    limits: &'a Limits,
    rules: &'a Rules,
    control: &'a Control,
    time: &'a dyn TimeSource,
    evaluate: Evaluate<V>,
    /// Time in force and the moment it counts from; `None` while nothing limits time.
    clock: Option<(Moment, Budget)>,
    pondering: bool,
    nodes: u64,
    seldepth: usize,
    ended: bool,
    /// Best line from each ply on.
    lines: Vec<Vec<Move>>,
    /// Best line of the root so far: survives whatever happens to the search.
    pub(crate) best: Vec<Move>,
    value: i32,
}

impl<'a, V: Variant> Search<'a, V> {
    pub(crate) fn new(
        position: Position<V>,
        limits: &'a Limits,
        rules: &'a Rules,
        control: &'a Control,
        time: &'a dyn TimeSource,
        evaluate: Evaluate<V>,
    ) -> Self {
        let mut search = Self {
            position,
            limits,
            rules,
            control,
            time,
            evaluate,
            clock: None,
            pondering: limits.ponder,
            nodes: 0,
            seldepth: 0,
            ended: false,
            lines: vec![Vec::new(); MAX_PLY + 1],
            best: Vec::new(),
            value: 0,
        };
        if !limits.ponder {
            search.set_clock(limits.start, limits.clocks.as_ref());
        }
        search
    }

    /// Thinks until a limit is met.
    pub(crate) fn run(&mut self, report: &mut dyn Report) -> Best {
        let mut answer = None;
        if self.rules.declaration == Declaration::Try {
            answer = self.position.try_move().map(Answer::Move);
        } else if self.position.can_declare(self.rules.declaration) {
            answer = Some(Answer::Win);
        }
        let mut moves = self.position.legal_moves();
        if moves.is_empty() {
            answer = Some(Answer::Resign);
        }
        if let Some(answer) = answer {
            return Best { answer, ponder: None };
        }
        if !self.limits.searchmoves.is_empty() {
            moves.retain(|m| self.limits.searchmoves.contains(&m));
        }
        self.deepen(&mut moves, report);
        let ponder = self.best.get(1).copied().filter(|_| self.rules.ponder);
        match self.best.first() {
            Some(_) if self.value <= -self.rules.resign => {
                Best { answer: Answer::Resign, ponder: None }
            }
            Some(&m) => Best { answer: Answer::Move(m), ponder },
            None => Best { answer: Answer::Resign, ponder: None },
        }
    }

    fn deepen(&mut self, moves: &mut MoveList, report: &mut dyn Report) {
        order(&self.position, moves.as_mut_slice(), Move::NONE);
        self.best = moves.first().map(|&m| vec![m]).unwrap_or_default();
        let deepest =
            self.limits.depth.map_or(MAX_PLY as u32 / 2, |d| d.clamp(1, MAX_PLY as u32 / 2));
        for depth in 1..=deepest {
            self.iterate(depth, moves, report);
            if self.ended || self.is_decided(depth, moves.len()) {
                return;
            }
            let first = self.best.first().copied().unwrap_or(Move::NONE);
            order(&self.position, moves.as_mut_slice(), first);
        }
    }

    /// Whether another iteration is not worth its time.
    fn is_decided(&mut self, depth: u32, moves: usize) -> bool {
        self.follow_ponderhit();
        if self.value.abs() > MATE_BOUND && depth as i32 >= MATE - self.value.abs() {
            return true;
        }
        let Some((start, budget)) = self.clock else { return false };
        let forced = moves == 1 && self.limits.movetime.is_none();
        forced || self.time.now().saturating_sub(start) >= budget.soft
    }

    fn iterate(&mut self, depth: u32, moves: &MoveList, report: &mut dyn Report) {
        let mut alpha = -INFINITE;
        self.seldepth = 0;
        for &m in moves {
            self.position.play(m);
            let value = -self.negamax(depth as i32 - 1, -INFINITE, -alpha, 1);
            self.position.undo();
            if self.ended {
                return;
            }
            if value > alpha {
                alpha = value;
                self.value = value;
                self.best = line(m, &self.lines[1]);
            }
        }
        report.info(&self.thought(depth));
    }

    fn thought(&self, depth: u32) -> Info {
        let time = self.time.now().saturating_sub(self.limits.start);
        let nps = (self.nodes as f64 / time.as_secs_f64().max(0.001)) as u64;
        Info {
            depth: Some(depth),
            seldepth: Some(self.seldepth.max(depth as usize) as u32),
            multipv: None,
            score: Some((score(self.value), Bound::Exact)),
            nodes: Some(self.nodes),
            nps: Some(nps),
            hashfull: None,
            time: Some(time),
            pv: self.best.clone(),
        }
    }

    fn negamax(&mut self, depth: i32, mut alpha: i32, beta: i32, ply: usize) -> i32 {
        // 1. Endings that need no reading.
        if let Some(value) = self.enter(ply) {
            return value;
        }
        if let Some(value) = self.ending(ply) {
            return value;
        }
        // 2. Read on while in check, then only captures.
        let depth = if self.position.in_check() { depth + 1 } else { depth };
        if depth <= 0 {
            return self.captures(alpha, beta, ply);
        }
        // 3. Every move.
        let mut moves = self.position.legal_moves();
        if moves.is_empty() {
            return ply as i32 - MATE;
        }
        if self.rules.max_moves != 0 && self.position.ply() > self.rules.max_moves {
            return 0;
        }
        order(&self.position, moves.as_mut_slice(), Move::NONE);
        let mut best = -INFINITE;
        for &m in &moves {
            self.position.play(m);
            let value = -self.negamax(depth - 1, -beta, -alpha, ply + 1);
            self.position.undo();
            if self.ended {
                return 0;
            }
            best = best.max(value);
            if value > alpha {
                alpha = value;
                self.lines[ply] = line(m, &self.lines[ply + 1]);
                if alpha >= beta {
                    break;
                }
            }
        }
        best
    }

    fn quiesce(&mut self, alpha: i32, beta: i32, ply: usize) -> i32 {
        match self.enter(ply) {
            Some(value) => value,
            None => self.captures(alpha, beta, ply),
        }
    }

    /// Only captures, and every way out of check.
    fn captures(&mut self, mut alpha: i32, beta: i32, ply: usize) -> i32 {
        let mut moves = MoveList::new();
        let mut best = -INFINITE;
        if self.position.in_check() {
            self.position.generate(Gen::Evasions, &mut moves);
            if moves.is_empty() {
                return ply as i32 - MATE;
            }
        } else {
            best = (self.evaluate)(&self.position);
            if best >= beta {
                return best;
            }
            alpha = alpha.max(best);
            self.position.generate(Gen::Captures, &mut moves);
        }
        order(&self.position, moves.as_mut_slice(), Move::NONE);
        for &m in &moves {
            self.position.play(m);
            let value = -self.quiesce(-beta, -alpha, ply + 1);
            self.position.undo();
            if self.ended {
                return 0;
            }
            best = best.max(value);
            if value > alpha {
                alpha = value;
                self.lines[ply] = line(m, &self.lines[ply + 1]);
                if alpha >= beta {
                    break;
                }
            }
        }
        best
    }

    /// Counts a node; a value if the line must not go on.
    fn enter(&mut self, ply: usize) -> Option<i32> {
        self.nodes += 1;
        self.seldepth = self.seldepth.max(ply);
        self.lines[ply].clear();
        if self.must_end() {
            self.ended = true;
            return Some(0);
        }
        (ply >= MAX_PLY).then(|| (self.evaluate)(&self.position))
    }

    /// Value of a position in which the game is over by repetition or declaration.
    fn ending(&self, ply: usize) -> Option<i32> {
        let win = MATE - ply as i32;
        match self.position.repetition() {
            Some(GameRepetition::Draw) => return Some(0),
            Some(GameRepetition::Lost(c)) => {
                return Some(if c == self.position.turn() { -win } else { win });
            }
            None => {}
        }
        match self.position.recurrence(ply) {
            Some(Recurrence::Draw) => return Some(0),
            Some(Recurrence::Win) => return Some(win),
            Some(Recurrence::Loss) => return Some(-win),
            _ => {}
        }
        self.position.can_declare(self.rules.declaration).then_some(win - 1)
    }

    fn must_end(&mut self) -> bool {
        if self.control.is_stopped() || self.limits.nodes.is_some_and(|n| self.nodes > n) {
            return true;
        }
        if !self.nodes.is_multiple_of(128) {
            return false;
        }
        self.follow_ponderhit();
        let now = || self.time.now();
        self.clock.is_some_and(|(start, budget)| now().saturating_sub(start) >= budget.hard)
    }

    /// After a ponder hit the own clock runs, from the moment of the hit.
    fn follow_ponderhit(&mut self) {
        if self.pondering && !self.control.is_pondering() {
            self.pondering = false;
            if let Some(hit) = self.control.hit() {
                let clocks = hit.clocks.or(self.limits.clocks);
                self.set_clock(hit.at, clocks.as_ref());
            }
        }
    }

    fn set_clock(&mut self, start: Moment, clocks: Option<&Clocks>) {
        let chance = self.time.now().subsec_micros();
        let us = self.position.turn();
        let budget = Budget::new(self.limits, clocks, us, self.rules.delay, chance);
        self.clock = budget.map(|budget| (start, budget));
    }
}

fn line(m: Move, rest: &[Move]) -> Vec<Move> {
    std::iter::once(m).chain(rest.iter().copied()).collect()
}

fn score(value: i32) -> Score {
    if value > MATE_BOUND {
        Score::Mate(Some((MATE - value) as u32))
    } else if value < -MATE_BOUND {
        Score::Mated(Some((MATE + value) as u32))
    } else {
        Score::Cp(value)
    }
}
