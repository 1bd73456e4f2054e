//! Depth-first proof-number search.
//!
//! The attacker only gives check, the defender does whatever is legal. A mate is a finite tree,
//! so a proof never depends on how the position was reached. A disproof may: a position that
//! recurs on the path (with the same or a smaller hand of the attacker) helps nobody but the
//! defender. Such a disproof carries the smallest depth of the positions it rests on. Where that
//! is above the node itself it is remembered for this very path only; where everything it rests on
//! lies in the node's own subtree it holds always, because the defender can go round forever.
//!
//! In a search limited to a number of plies every position counts together with the plies left.
//! There too a position that recurs is of no use: in the shortest mate the plies to go fall with
//! every move, and a smaller hand needs no fewer. So the same rule cuts the loops, with the same
//! care for the path.
//!
//! Thresholds are extended where a child was met before closer to the root (Kishimoto's TCA),
//! else searches of graphs with loops may stand still. The path is a list on the heap: depth is
//! bounded by memory alone.

use crate::expand::{self, Counting};
use crate::futile::{self, Futile};
use crate::hands;
use crate::leaf;
use crate::node::{Child, Frame, Interposition, NO_LOOP, NodeValue, ProofNumbers, left};
use crate::table::{Entry, INFINITE, Table, UNLIMITED};
use rules::{Color, Hand, Move, MoveList, Position, Variant};

/// Slots of the filter for recurring positions.
const FILTER: usize = 1 << 14;

/// What a search asks every few nodes while it runs.
pub(crate) trait StopCheck {
    /// Whether to stop, after that many nodes of this searcher.
    fn stops(&mut self, nodes: u64) -> bool;
}

/// One searcher: one thread's path through a position's tree.
pub(crate) struct Searcher<'a, V: Variant> {
    pub(crate) pos: Position<V>,
    attacker: Color,
    table: &'a Table,
    /// Which replies do not count.
    futile: Futile,
    /// Frames of the path, and beyond `depth` frames kept for their memory.
    frames: Vec<Frame>,
    depth: usize,
    filter: Vec<u16>,
    list: MoveList,
    /// Makes searchers of several threads prefer different moves among equals.
    salt: u64,
    pub(crate) nodes: u64,
    /// The number of nodes at which to ask again whether to stop.
    next_check: u64,
}

/// Nodes between two questions whether to stop: some microseconds each.
pub(crate) const CHECK_EVERY: u64 = 16;

fn mix(a: u64, b: u64) -> u64 {
    let z = (a ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (z ^ z >> 29).wrapping_mul(0x94d0_49bb_1331_11eb)
}

fn filter_slot(key: u64) -> usize {
    (key >> 40) as usize % FILTER
}

impl<'a, V: Variant> Searcher<'a, V> {
    /// A searcher for that attacker, whoever is to move.
    pub(crate) fn new(pos: &Position<V>, attacker: Color, table: &'a Table, salt: u64) -> Self {
        Self {
            pos: pos.without_history(),
            attacker,
            table,
            futile: Futile::None,
            frames: Vec::new(),
            depth: 0,
            filter: vec![0; FILTER],
            list: MoveList::new(),
            salt,
            nodes: 0,
            next_check: 0,
        }
    }

    /// Makes lengths those of a definition of futile replies. For searches of limited plies.
    pub(crate) fn counting(mut self, futile: Futile) -> Self {
        self.futile = futile;
        self
    }

    /// Searches the position until it is settled for that many plies; `None` if stopped.
    pub(crate) fn search(
        &mut self,
        plies: u16,
        stop_check: &mut dyn StopCheck,
    ) -> Option<NodeValue> {
        self.search_after(None, plies, stop_check)
    }

    /// The same after a drop that may be futile.
    pub(crate) fn search_after(
        &mut self,
        interposition: Option<Interposition>,
        plies: u16,
        stop_check: &mut dyn StopCheck,
    ) -> Option<NodeValue> {
        self.depth = 0;
        self.filter.fill(0);
        let counting = Counting { futile: self.futile, interposition };
        let (key, hand) =
            (self.pos.board_key() ^ counting.key(interposition), self.pos.hand(self.attacker));
        if let Some(e) = self.table.look(key, hand, plies)
            && (e.pn == 0 || e.dn == 0)
        {
            return Some(settled(&e));
        }
        self.enter(key, hand, (plies, interposition), (INFINITE, INFINITE), false);
        loop {
            let frame = &self.frames[self.depth - 1];
            let numbers = frame.proof_numbers();
            let done = numbers.pn >= frame.pn_limit || numbers.dn >= frame.dn_limit;
            if done {
                let value = self.leave(&numbers);
                if self.depth == 0 {
                    return Some(value);
                }
                self.pos.undo();
                self.settle_child(value);
                continue;
            }
            if self.nodes >= self.next_check {
                self.next_check = self.nodes + CHECK_EVERY;
                if stop_check.stops(self.nodes) {
                    self.give_up();
                    return None;
                }
            }
            self.descend(&numbers);
        }
    }

    /// Goes back to the root. What the nodes of the path have come to is remembered, so that a search that goes
    /// on later goes on from here.
    fn give_up(&mut self) {
        loop {
            let numbers = self.frames[self.depth - 1].proof_numbers();
            let value = self.leave(&numbers);
            if self.depth == 0 {
                return;
            }
            self.pos.undo();
            self.settle_child(value);
        }
    }

    /// Plays the best child's move and opens it.
    fn descend(&mut self, numbers: &ProofNumbers) {
        let frame = &mut self.frames[self.depth - 1];
        frame.at = numbers.best;
        let child = frame.children[numbers.best];
        let (chosen, other) = if frame.attacks {
            (frame.pn_limit, frame.dn_limit)
        } else {
            (frame.dn_limit, frame.pn_limit)
        };
        // A little more than the next best: fewer changes of mind, each of which costs a way
        // back down.
        let chosen = chosen.min(numbers.second.saturating_add(1 + numbers.second / 16));
        let other = if other == INFINITE { INFINITE } else { other.saturating_sub(numbers.others) };
        let limits = if frame.attacks { (chosen, other) } else { (other, chosen) };
        let plies = left(frame.plies, child.cost).unwrap_or(0);
        let extends = frame.extends;
        self.pos.play(child.m);
        self.enter(child.key, child.hand, (plies, child.interposition), limits, extends);
    }

    /// Opens the node the position stands at.
    fn enter(
        &mut self,
        key: u64,
        hand: Hand,
        (plies, interposition): (u16, Option<Interposition>),
        (pn_limit, dn_limit): (u32, u32),
        extends: bool,
    ) {
        self.nodes += 1;
        if self.frames.len() == self.depth {
            self.frames.push(Frame::default());
        }
        // What a loop means depends on the plies asked about too.
        let path =
            if self.depth == 0 { u64::from(plies) } else { self.frames[self.depth - 1].path };
        let mut frame = std::mem::take(&mut self.frames[self.depth]);
        self.filter[filter_slot(key)] += 1;
        frame.attacks = self.pos.turn() == self.attacker;
        frame.key = key;
        frame.hand = hand;
        (frame.plies, frame.interposition) = (plies, interposition);
        frame.path = path
            .wrapping_add(mix(key ^ u64::from(hand.bits()).rotate_left(32), self.depth as u64 + 1));
        frame.entered = self.nodes;
        let known = self.table.look(key, hand, plies).filter(|e| e.amount > 0);
        frame.amount = known.map_or(0, |e| e.amount);
        frame.min_depth = known.map_or(u16::MAX, |e| e.depth).min(short(self.depth));
        (frame.pn_limit, frame.dn_limit) = (pn_limit, dn_limit);
        frame.kept_limits = None;
        self.depth += 1;
        self.expand(&mut frame, known.is_none());
        let old = frame.children.iter().any(|c| c.old && !c.waits && !c.value.is_final());
        // A first visit has done something: no need to insist further.
        frame.extends = old || extends && known.is_some();
        if frame.extends {
            let numbers = frame.proof_numbers();
            if numbers.pn > 0 && numbers.dn > 0 {
                frame.kept_limits = Some((pn_limit, dn_limit));
                frame.pn_limit = pn_limit.max((numbers.pn + 1).min(INFINITE));
                frame.dn_limit = dn_limit.max((numbers.dn + 1).min(INFINITE));
            }
        }
        let top = self.depth - 1;
        self.frames[top] = frame;
    }

    /// Lists the children with what is known of them.
    fn expand(&mut self, frame: &mut Frame, first_visit: bool) {
        let mut children = std::mem::take(&mut frame.children);
        if frame.plies == 0 && frame.attacks && frame.interposition.is_none() {
            children.clear();
        } else {
            let counting = Counting { futile: self.futile, interposition: frame.interposition };
            expand::children(&self.pos, self.attacker, counting, &mut self.list, &mut children);
        }
        for c in &children {
            self.table.prefetch(c.key);
        }
        frame.children = children;
        for i in 0..frame.children.len() {
            if !frame.children[i].waits {
                let mut child = frame.children[i];
                self.look_up(frame, &mut child, first_visit);
                frame.children[i] = child;
            }
        }
        self.release(frame);
    }

    /// Lets waiting children in once those they wait for are settled and did not end the node.
    fn release(&mut self, frame: &mut Frame) {
        for i in 0..frame.children.len() {
            let mut c = frame.children[i];
            if !c.waits {
                continue;
            }
            let before = &frame.children[c.after as usize];
            let o = &before.value;
            let passed = if frame.attacks { o.is_disproof() } else { o.is_proof() };
            if passed && !before.waits {
                c.waits = false;
                self.look_up(frame, &mut c, true);
                frame.children[i] = c;
            }
        }
    }

    fn look_up(&mut self, frame: &Frame, child: &mut Child, first_visit: bool) {
        let Some(plies) = left(frame.plies, child.cost) else {
            // The defender has a reply where mate was due.
            child.value = NodeValue::disproof(child.hand, 0, NO_LOOP);
            return;
        };
        let recurs = self
            .recurs(child.key, child.hand)
            .or_else(|| self.table.look_loop(loop_key(frame.path, child.key, child.hand)));
        if let Some(depth) = recurs {
            child.value = NodeValue::disproof(child.hand, plies, depth);
            return;
        }
        let known = self.table.look(child.key, child.hand, plies);
        if let Some(e) = known.filter(|e| e.amount > 0 || e.pn == 0 || e.dn == 0) {
            child.value =
                if e.pn == 0 || e.dn == 0 { settled(&e) } else { NodeValue::open(e.pn, e.dn) };
            child.old = e.depth < short(self.depth - 1);
            return;
        }
        if let Some(value) = self.end(frame, child, plies, first_visit) {
            self.remember(child.key, &value, 1, short(self.depth));
            child.value = value;
            return;
        }
        let (mut pn, mut dn) = expand::first_numbers(&self.pos, self.attacker, child.m);
        if self.salt != 0 {
            pn += (mix(child.key, self.salt) % 3) as u32;
        }
        if let Some(e) = known {
            (pn, dn) = (pn.max(e.pn), dn.max(e.dn));
        }
        child.value = NodeValue::open(pn, dn);
    }

    /// What can be said of a child without opening it.
    fn end(
        &mut self,
        frame: &Frame,
        child: &Child,
        plies: u16,
        first_visit: bool,
    ) -> Option<NodeValue> {
        let counts_all = self.futile == Futile::None;
        let near_the_end = counts_all && !frame.attacks && plies <= leaf::PLIES;
        let at_a_distance = self.futile == Futile::Distance && frame.attacks;
        let first = first_visit && !frame.attacks && child.interposition.is_none();
        if !(near_the_end || at_a_distance || first) {
            return None;
        }
        self.pos.play(child.m);
        let end = if near_the_end {
            let (value, seen) = leaf::settle(&mut self.pos, plies, &mut self.list);
            self.nodes += seen;
            Some(value)
        } else if at_a_distance {
            futile::is_mate_at_a_distance(&mut self.pos)
                .then(|| NodeValue::proof(child.hand, 0, Move::NONE))
        } else {
            expand::end_seen_at_once(&mut self.pos, &mut self.list, UNLIMITED)
                .filter(|o| !o.is_proof() || plies >= 1)
        };
        self.pos.undo();
        end
    }

    /// The depth at which this board stood on the path with a hand at least as good for the
    /// attacker.
    fn recurs(&self, key: u64, hand: Hand) -> Option<u32> {
        if self.filter[filter_slot(key)] == 0 {
            return None;
        }
        // The frame being opened is not in place yet, but no child is its own parent's board.
        let path = &self.frames[..self.depth - 1];
        path.iter().rposition(|f| f.key == key && f.hand.covers(hand)).map(|d| d as u32)
    }

    /// Takes the result of the child just searched into its parent.
    fn settle_child(&mut self, value: NodeValue) {
        let top = self.depth - 1;
        let mut frame = std::mem::take(&mut self.frames[top]);
        frame.children[frame.at].value = value;
        frame.children[frame.at].old = false;
        if value.is_final() {
            self.release(&mut frame);
        }
        self.frames[top] = frame;
        let frame = &mut self.frames[top];
        frame.extends = false;
        if let Some((pn, dn)) = frame.kept_limits.take() {
            (frame.pn_limit, frame.dn_limit) = (pn, dn);
        }
    }

    /// Closes the node: what it came to, remembered.
    fn leave(&mut self, numbers: &ProofNumbers) -> NodeValue {
        self.depth -= 1;
        let frame = &self.frames[self.depth];
        let slot = filter_slot(frame.key);
        self.filter[slot] -= 1;
        let value = if numbers.pn == 0 {
            self.proof(frame)
        } else if numbers.dn == 0 {
            self.disproof(frame)
        } else {
            NodeValue::open(numbers.pn, numbers.dn)
        };
        let spent = u32::try_from(self.nodes - frame.entered + 1).unwrap_or(u32::MAX);
        let amount = frame.amount.saturating_add(spent);
        if value.is_disproof() && value.loop_depth < self.depth as u32 {
            if self.depth > 0 {
                let parent = self.frames[self.depth - 1].path;
                self.table.store_loop(loop_key(parent, frame.key, frame.hand), value.loop_depth);
            }
            return value;
        }
        let mut entry = entry_of(&value, amount, frame.min_depth);
        if !value.is_final() {
            (entry.hand, entry.plies) = (frame.hand, frame.plies);
        }
        self.table.store(frame.key, &entry);
        NodeValue { loop_depth: NO_LOOP, ..value }
    }

    fn remember(&self, key: u64, value: &NodeValue, amount: u32, depth: u16) {
        self.table.store(key, &entry_of(value, amount, depth));
    }

    fn proof(&self, frame: &Frame) -> NodeValue {
        let plies = |c: &Child| c.value.plies.saturating_add(c.cost).min(UNLIMITED - 1);
        if frame.attacks {
            let mated = frame.children.iter().filter(|c| c.value.is_proof());
            let Some(best) = mated.min_by_key(|c| plies(c)) else {
                return NodeValue::open(INFINITE - 1, 1);
            };
            let hand = hands::needed_before(&self.pos, best.value.hand, best.m);
            return NodeValue::proof(hand, plies(best), best.m);
        }
        let mut hand = hands::kept_from_defender(&self.pos, self.attacker);
        for c in &frame.children {
            hand = hands::most(hand, c.value.hand);
        }
        NodeValue::proof(hand, frame.children.iter().map(plies).max().unwrap_or(0), Move::NONE)
    }

    fn disproof(&self, frame: &Frame) -> NodeValue {
        // Where a move costs more than is left, nothing is known beyond that.
        let plies = |c: &Child| match left(frame.plies, c.cost) {
            Some(_) => c.value.plies.saturating_add(c.cost),
            None => c.cost - 1,
        };
        if !frame.attacks {
            let saved = frame.children.iter().filter(|c| c.value.is_disproof());
            let best = saved.max_by_key(|c| (c.value.loop_depth, plies(c)));
            let Some(best) = best else { return NodeValue::open(1, INFINITE - 1) };
            let o = &best.value;
            return NodeValue::disproof(o.hand, plies(best), o.loop_depth);
        }
        let mut hand = hands::without_new_kinds(&self.pos, self.attacker);
        let mut least = UNLIMITED;
        let mut loop_depth = NO_LOOP;
        for c in &frame.children {
            let mut after = c.value.hand;
            if let Some(kind) = c.m.dropped() {
                after.add(kind);
            } else if let Some(kind) = self.pos.piece_at(c.m.to()).kind() {
                after.remove(kind.unpromoted());
            }
            hand = hands::least(hand, after);
            least = least.min(plies(c));
            loop_depth = loop_depth.min(c.value.loop_depth);
        }
        if frame.plies == 0 && frame.interposition.is_none() {
            (hand, least) = (sum_of_hands(&self.pos), 0);
        }
        NodeValue::disproof(hand, least, loop_depth)
    }
}

fn sum_of_hands<V: Variant>(pos: &Position<V>) -> Hand {
    hands::sum(pos.hand(Color::Black), pos.hand(Color::White))
}

fn settled(e: &Entry) -> NodeValue {
    if e.pn == 0 {
        NodeValue::proof(e.hand, e.plies, e.best)
    } else {
        NodeValue::disproof(e.hand, e.plies, NO_LOOP)
    }
}

fn entry_of(o: &NodeValue, amount: u32, depth: u16) -> Entry {
    Entry { hand: o.hand, pn: o.pn, dn: o.dn, plies: o.plies, best: o.best, depth, amount }
}

fn loop_key(path: u64, key: u64, hand: Hand) -> u64 {
    mix(path ^ key, u64::from(hand.bits()) | 1 << 40)
}

fn short(depth: usize) -> u16 {
    u16::try_from(depth).unwrap_or(u16::MAX)
}
