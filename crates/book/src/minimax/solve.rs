//! Values of a graph: from components that are reached to those that reach them, exactly also where
//! lines go in circles.
//!
//! Within a component lines may go on for ever, which is a draw, or a loss for whoever gives check all
//! the time. Values are found as endgame tables are: the most extreme first. At every level a node that
//! can reach the value has it, and a node whose moves are all decided has the best of them; what is
//! never decided goes in circles and is drawn. A side that can only go on by giving check must leave
//! the circle: as soon as all its ways out are decided, so is the whole circle.

use super::graph::{Components, Edge, Graph, OUTSIDE, UNKNOWN};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A mate, or a game lost by perpetual check.
pub const MATE: i32 = 32_000;
/// Values beyond are mates, which shrink by one with every ply.
const MATES: i32 = 30_000;
/// The depth of a line that goes in circles.
pub const CIRCLE: u16 = u16::MAX;

/// A value for the side to move, and how many plies of the book it rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Value {
    pub(crate) value: i16,
    pub(crate) depth: u16,
}

impl Value {
    pub(crate) const UNKNOWN: Self = Self { value: UNKNOWN, depth: 0 };

    pub(crate) const fn new(value: i32, depth: u16) -> Self {
        let value = if value > MATE {
            MATE
        } else if value < -MATE {
            -MATE
        } else {
            value
        };
        Self { value: value as i16, depth }
    }

    pub(crate) const fn is_known(self) -> bool {
        self.value != UNKNOWN
    }

    /// What it is worth to the other side, a ply earlier.
    pub(crate) const fn back(self) -> Self {
        let value = -(self.value as i32);
        let value = if value > MATES {
            value - 1
        } else if value < -MATES {
            value + 1
        } else {
            value
        };
        let depth = if self.depth == CIRCLE { CIRCLE } else { self.depth.saturating_add(1) };
        // Only a circle is as deep as a circle.
        let depth = if depth == CIRCLE && self.depth != CIRCLE { CIRCLE - 1 } else { depth };
        Self { value: value as i16, depth }
    }

    /// Whether this is preferred: the greater value, then what is good soon and what is bad late.
    pub(crate) const fn is_better(self, other: Self, draw: i32) -> bool {
        if !other.is_known() || !self.is_known() {
            return self.is_known() && !other.is_known();
        }
        if self.value != other.value {
            return self.value > other.value;
        }
        if self.value as i32 >= draw {
            return self.depth < other.depth;
        }
        // A bad end that is in sight is still rather met than a circle that leads to it.
        if self.depth == CIRCLE || other.depth == CIRCLE {
            return self.depth < other.depth;
        }
        self.depth > other.depth
    }
}

/// What circles are worth. There are two pairs of states: whoever owns the book is Black, or White; and
/// in each pair the side to move is the owner (the first) or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draws(pub(crate) [i32; 4]);

impl Draws {
    /// Draws are worth that much less than nothing to the owner, by its colour.
    pub(crate) const fn of_contempt(contempt: [i32; 2]) -> Self {
        Self([-contempt[0], contempt[0], -contempt[1], contempt[1]])
    }

    /// Circles are lost by Black.
    pub(crate) const fn lost_by_black() -> Self {
        Self([-MATE, MATE, MATE, -MATE])
    }
}

/// The state after a move.
pub(crate) const fn after(state: usize) -> usize {
    state ^ 1
}

/// The values of every node in every state.
pub(crate) struct Values {
    values: Vec<[Value; 4]>,
    pub(crate) draws: Draws,
}

impl Values {
    /// Solves a graph. `progress` is told how many nodes are done.
    pub(crate) fn of(graph: &Graph, draws: Draws, progress: &mut dyn FnMut(u64)) -> Self {
        let mut solved = Self { values: vec![[Value::UNKNOWN; 4]; graph.len()], draws };
        let components = Components::of(graph);
        let mut local = vec![u32::MAX; graph.len()];
        let mut done = 0;
        for component in components.iter() {
            match component {
                [node] if graph.edges(*node).iter().all(|edge| edge.to != *node) => {
                    solved.solve_one(graph, *node);
                }
                nodes => {
                    let mut members = nodes.to_vec();
                    members.sort_unstable();
                    for pair in [0, 2] {
                        Circle::solve(graph, &mut solved, &members, &mut local, pair);
                    }
                }
            }
            let before = done;
            done += component.len() as u64;
            if before >> 20 != done >> 20 {
                progress(done);
            }
        }
        solved
    }

    pub(crate) fn get(&self, node: u32, state: usize) -> Value {
        self.values[node as usize][state]
    }

    /// What a move is worth: what it leads to, else what somebody thought of it.
    pub(crate) fn of_edge(&self, edge: &Edge, state: usize) -> Value {
        let own = Value { value: edge.value, depth: 0 };
        if edge.to == OUTSIDE {
            return own;
        }
        let child = self.get(edge.to, after(state));
        if child.is_known() { child.back() } else { own }
    }

    fn solve_one(&mut self, graph: &Graph, node: u32) {
        let edges = graph.edges(node);
        for state in 0..4 {
            let draw = self.draws.0[state];
            let mut best = Value::UNKNOWN;
            if graph.is_mated(node) {
                best = Value::new(-MATE, 0);
            }
            for edge in edges.iter() {
                let value = self.of_edge(edge, state);
                if value.is_better(best, draw) {
                    best = value;
                }
            }
            self.values[node as usize][state] = best;
        }
    }
}

/// What waits for its level.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    /// How far from a draw.
    level: i32,
    /// What is near comes first, then what has the smaller number.
    depth: Reverse<u16>,
    node: Reverse<u32>,
    /// The value, or nothing where a circle of checks is to be looked at again.
    value: Option<i16>,
}

/// A component being solved. Its nodes are doubled: the member `i` with its owner to move is `2 * i`,
/// with the other side to move `2 * i + 1`.
struct Circle<'a> {
    graph: &'a Graph,
    /// In order.
    members: &'a [u32],
    /// Draws by the lowest bit of a node.
    draws: [i32; 2],
    /// The nodes a move earlier: begins, and the list.
    starts: Vec<u32>,
    earlier: Vec<u32>,
    best: Vec<Value>,
    is_final: Vec<bool>,
    /// Moves within the component that are not decided, and how many of them give no check.
    open: Vec<u32>,
    quiet: Vec<u32>,
    /// Nodes that can only go on by giving check.
    checkers: Vec<u32>,
    heap: BinaryHeap<Waiting>,
    /// Whether circles of checks are to be looked at.
    look: bool,
}

impl<'a> Circle<'a> {
    fn solve(
        graph: &'a Graph,
        solved: &mut Values,
        members: &'a [u32],
        local: &mut [u32],
        pair: usize,
    ) {
        for (index, &member) in members.iter().enumerate() {
            local[member as usize] = index as u32;
        }
        let draws = [solved.draws.0[pair], solved.draws.0[pair + 1]];
        let mut circle = Self::new(graph, solved, members, local, draws, pair);
        circle.run();
        for (index, &member) in members.iter().enumerate() {
            for side in 0..2 {
                solved.values[member as usize][pair + side] = circle.result(2 * index + side);
            }
        }
        for &member in members {
            local[member as usize] = u32::MAX;
        }
    }

    fn new(
        graph: &'a Graph,
        solved: &Values,
        members: &'a [u32],
        local: &[u32],
        draws: [i32; 2],
        pair: usize,
    ) -> Self {
        let size = 2 * members.len();
        let mut circle = Self {
            graph,
            members,
            draws,
            starts: vec![0; size + 1],
            earlier: Vec::new(),
            best: vec![Value::UNKNOWN; size],
            is_final: vec![false; size],
            open: vec![0; size],
            quiet: vec![0; size],
            checkers: Vec::new(),
            heap: BinaryHeap::new(),
            look: false,
        };
        let inside = |edge: &Edge| edge.to != OUTSIDE && local[edge.to as usize] != u32::MAX;
        // Where the moves of a member lead within the component.
        let arrows = |member: u32| -> Vec<u32> {
            let edges = graph.edges(member);
            edges.iter().filter(|edge| inside(edge)).map(|edge| local[edge.to as usize]).collect()
        };
        for to in members.iter().flat_map(|&member| arrows(member)) {
            circle.starts[2 * to as usize + 1] += 1;
            circle.starts[2 * to as usize + 2] += 1;
        }
        for node in 0..size {
            circle.starts[node + 1] += circle.starts[node];
        }
        circle.earlier = vec![0; circle.starts[size] as usize];
        let mut at = circle.starts.clone();
        for (from, &member) in members.iter().enumerate() {
            for to in arrows(member) {
                for side in 0..2 {
                    let slot = &mut at[(2 * to + side) as usize];
                    circle.earlier[*slot as usize] = 2 * from as u32 + (side ^ 1);
                    *slot += 1;
                }
            }
        }
        for (index, &member) in members.iter().enumerate() {
            for side in 0..2 {
                let node = 2 * index + side;
                for edge in graph.edges(member).iter() {
                    if inside(edge) {
                        circle.open[node] += 1;
                        circle.quiet[node] += u32::from(!graph.in_check(edge.to));
                    } else {
                        circle.offer(node as u32, solved.of_edge(edge, pair + side));
                    }
                }
                circle.note_checker(node as u32);
            }
        }
        circle
    }

    const fn draw(&self, node: u32) -> i32 {
        self.draws[(node & 1) as usize]
    }

    fn graph_node(&self, node: u32) -> u32 {
        self.members[node as usize / 2]
    }

    /// A move of the node is worth that much.
    fn offer(&mut self, node: u32, value: Value) {
        let draw = self.draw(node);
        if !value.is_better(self.best[node as usize], draw) {
            return;
        }
        self.best[node as usize] = value;
        let level = i32::from(value.value) - draw;
        if level > 0 {
            self.wait(level, node, value.depth, Some(value.value));
        }
    }

    fn wait(&mut self, level: i32, node: u32, depth: u16, value: Option<i16>) {
        self.heap.push(Waiting { level, depth: Reverse(depth), node: Reverse(node), value });
    }

    /// Whether all that is open to a side is to give check. Who is in check itself answers checks, and
    /// a circle of both is a draw.
    fn note_checker(&mut self, node: u32) {
        let index = node as usize;
        if self.is_final[index] || self.quiet[index] > 0 || self.open[index] == 0 {
            return;
        }
        if self.graph.in_check(self.graph_node(node)) {
            return;
        }
        self.checkers.push(node);
        self.look = true;
        let best = self.best[index];
        let below = self.draw(node) - i32::from(best.value);
        if best.is_known() && below > 0 {
            self.wait(below, node, 0, None);
        }
    }

    fn run(&mut self) {
        self.checkers.sort_unstable();
        self.checkers.dedup();
        for side in 0..2 {
            let level = self.draws[side as usize] + MATE;
            if level > 0 {
                self.close_checks(side, level);
            }
        }
        let mut level = i32::MAX;
        loop {
            let next = self.heap.peek().map_or(0, |waiting| waiting.level);
            if self.look && next < level && level != i32::MAX {
                self.look = false;
                if self.close_checks(0, level) | self.close_checks(1, level) {
                    continue;
                }
            }
            let Some(waiting) = self.heap.pop() else { break };
            level = waiting.level;
            let Reverse(node) = waiting.node;
            match waiting.value {
                None => self.look = true,
                Some(_) if self.is_final[node as usize] => {}
                Some(value) => self.decide(node, Value { value, depth: waiting.depth.0 }),
            }
        }
    }

    /// The value of a node is known; so may be those of nodes before it.
    fn decide(&mut self, node: u32, value: Value) {
        let mut work = vec![(node, value)];
        while let Some((node, value)) = work.pop() {
            if std::mem::replace(&mut self.is_final[node as usize], true) {
                continue;
            }
            self.best[node as usize] = value;
            let gives_check = self.graph.in_check(self.graph_node(node));
            let range = self.starts[node as usize]..self.starts[node as usize + 1];
            for slot in range {
                let parent = self.earlier[slot as usize];
                let index = parent as usize;
                if self.is_final[index] {
                    continue;
                }
                self.open[index] -= 1;
                self.quiet[index] -= u32::from(!gives_check);
                self.offer(parent, value.back());
                let best = self.best[index];
                if self.open[index] > 0 {
                    self.note_checker(parent);
                } else if i32::from(best.value) <= self.draw(parent) {
                    work.push((parent, best));
                }
            }
        }
    }

    /// Finds nodes of one side that can do nothing but give check for ever, or leave for this level or
    /// worse, and decides them. Whether there were any.
    fn close_checks(&mut self, side: u32, level: i32) -> bool {
        self.checkers.sort_unstable();
        self.checkers.dedup();
        self.checkers.retain(|&node| !self.is_final[node as usize]);
        let fits = |&node: &u32| {
            let best = self.best[node as usize];
            node & 1 == side
                && (!best.is_known() || i32::from(best.value) <= self.draw(node) - level)
        };
        let mut caught: Vec<u32> = self.checkers.iter().copied().filter(|n| fits(n)).collect();
        loop {
            let before = caught.len();
            let kept: Vec<u32> =
                caught.iter().copied().filter(|&node| self.is_held(node, &caught)).collect();
            caught = kept;
            if caught.len() == before {
                break;
            }
        }
        if caught.is_empty() {
            return false;
        }
        let holders: Vec<u32> = caught.iter().flat_map(|&node| self.open_replies(node)).collect();
        for node in caught {
            self.decide(node, self.best_or_circle(node, self.draw(node) - level));
        }
        for node in holders {
            self.decide(node, self.best_or_circle(node, self.draw(node) + level));
        }
        true
    }

    /// That value, by the move that gives it where there is one.
    fn best_or_circle(&self, node: u32, value: i32) -> Value {
        let best = self.best[node as usize];
        if i32::from(best.value) == value { best } else { Value::new(value, CIRCLE) }
    }

    /// Nodes after an open move.
    fn open_replies(&self, node: u32) -> Vec<u32> {
        let side = node & 1 ^ 1;
        let edges = self.graph.edges(self.graph_node(node));
        let reached = edges.iter().map(|edge| edge.to).filter(|&to| to != OUTSIDE);
        let members = reached.filter_map(|to| self.member(to));
        members.map(|index| 2 * index + side).filter(|&to| !self.is_final[to as usize]).collect()
    }

    fn member(&self, node: u32) -> Option<u32> {
        self.members.binary_search(&node).ok().map(|index| index as u32)
    }

    /// Whether the other side can answer every check so that only checks remain.
    fn is_held(&self, node: u32, caught: &[u32]) -> bool {
        self.open_replies(node).into_iter().all(|reply| {
            self.open_replies(reply).into_iter().any(|next| caught.binary_search(&next).is_ok())
        })
    }

    fn result(&self, node: usize) -> Value {
        let (best, draw) = (self.best[node], self.draw(node as u32));
        if self.is_final[node] || best.is_known() && i32::from(best.value) == draw {
            return best;
        }
        Value::new(draw, CIRCLE)
    }
}

#[cfg(test)]
mod tests;
