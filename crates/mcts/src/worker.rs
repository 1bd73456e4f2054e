//! One thread of a search: takes finished batches, else sends out playouts.

use crate::arena::{Index, Magazine};
use crate::bounds::{Bounds, GameValue};
use crate::edges::{self, MoveOrder};
use crate::flight::{Cargo, Claim, Polled};
use crate::leaf::{self, Verdict};
use crate::leaves::{Leaf, Leaves};
use crate::node::{Node, State};
use crate::search::Search;
use crate::select::Pick;
use crate::tree::Credits;
use infer::Batch;
use rules::{Color, MoveList, Position, Variant};
use std::ops::Range;
use std::time::Duration;

/// Plies of the longest line.
const DEEPEST: usize = 1000;
/// How long to wait for the net at once: somebody may want the search to end.
const WAIT: Duration = Duration::from_millis(1);
/// How long to wait while another thread asks the net; it says when something has come.
const PAUSE: Duration = Duration::from_micros(500);
/// How often a net is waited for after the search has ended before it counts as gone: ten seconds.
const PATIENCE: u32 = if cfg!(test) { 200 } else { 10_000 };

/// How a playout went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Played {
    /// It is back, or its leaf is on its way.
    Fine,
    /// Its leaf is on its way already.
    Collided,
    /// There is no memory until others are back.
    NoMemory,
    /// There are to be no more.
    NoMore,
    /// How the root ends is known.
    Settled,
}

/// One thread of a search.
pub(crate) struct Worker<'a, V: Variant> {
    search: &'a Search<V>,
    /// Its number; the first one has a few duties.
    number: usize,
    pos: Position<V>,
    path: Vec<Index>,
    /// Playouts that collided: they keep others off until something is back.
    collided: Vec<Vec<Index>>,
    /// What playouts that are back bring the first nodes, until it is written.
    credits: Credits,
    magazine: Magazine,
    list: MoveList,
    planes: Vec<u8>,
    labels: Vec<u16>,
    order: MoveOrder,
    playouts: u32,
    /// Visits of the root when this thread was last there.
    visits: u64,
    /// Leaves in the batch it fills, if nobody else does.
    filled: usize,
    /// Priors chosen beyond this many change nothing, here or when a node has become the root.
    most_chosen: f32,
}

impl<'a, V: Variant> Worker<'a, V> {
    pub(crate) fn new(search: &'a Search<V>, number: usize) -> Self {
        let constants = &search.plan.constants;
        Self {
            search,
            number,
            pos: search.position.clone(),
            path: Vec::new(),
            collided: Vec::new(),
            credits: Credits::default(),
            magazine: Magazine::default(),
            list: MoveList::new(),
            planes: vec![0; search.flight.shape().planes.bytes()],
            labels: Vec::new(),
            order: MoveOrder::default(),
            playouts: 0,
            visits: search.tree.node(search.root).visits(),
            filled: 0,
            most_chosen: constants.root.fpu.most_chosen().max(constants.inner.fpu.most_chosen()),
        }
    }

    /// Searches until the end, and leaves nothing in flight.
    pub(crate) fn run(&mut self) {
        while !self.search.is_stopped() && !self.search.is_over() {
            self.step();
        }
        self.wind_up();
    }

    fn step(&mut self) {
        let (search, flight) = (self.search, &self.search.flight);
        if let Some(claim) = flight.claim() {
            return self.take(claim);
        }
        self.playouts = self.playouts.wrapping_add(1);
        if flight.is_time_to_ask(self.playouts) && self.ask(Duration::ZERO) {
            return;
        }
        if flight.is_lost() {
            return search.finish();
        }
        // The root's own line is looked at in the playout alone: it is everybody's.
        if !flight.has_room(self.visits, self.filled) {
            return self.wait();
        }
        match self.playout() {
            Played::Fine if flight.is_idle() => {
                self.hand_over();
            }
            Played::Fine => {}
            Played::Collided if self.collided.len() < flight.collisions(self.visits) => {}
            Played::Collided | Played::NoMemory => self.wait(),
            Played::NoMore => {
                let limit = search.plan.playouts.unwrap_or(u64::MAX);
                if search.playouts() >= limit { search.finish() } else { self.wait() }
            }
            Played::Settled => search.finish(),
        }
    }

    /// Asks the net for something finished; says whether there was.
    fn ask(&mut self, wait: Duration) -> bool {
        match self.search.flight.poll(wait) {
            Polled::Nothing => return false,
            Polled::Landed => {}
            Polled::Lost(leaves) => self.cancel(&leaves),
        }
        true
    }

    /// Hands over the batch being filled, if it is time to; says whether it did. What this thread has
    /// computed itself is there at once.
    fn hand_over(&mut self) -> bool {
        let flight = &self.search.flight;
        if let Some(mut own) = flight.own(self.number) {
            self.compute(&mut own);
            self.filled = 0;
            return true;
        }
        let done = flight.flush(self.number);
        if done {
            self.filled = 0;
        }
        if done && flight.at_once() {
            self.ask(Duration::ZERO);
        }
        done
    }

    /// Has its own batch answered where it lies and sees to it.
    fn compute(&mut self, own: &mut Cargo) {
        let flight = &self.search.flight;
        if flight.answer(own) {
            self.see_to(own, 0..own.leaves.len());
            self.after_answers();
        } else {
            self.give_back(&own.leaves);
        }
        own.batch.clear();
        own.leaves.clear();
        flight.done();
    }

    /// Nothing can be sent out: hand over what there is, or wait for what is under way.
    fn wait(&mut self) {
        self.release_collided();
        if self.search.is_settled() {
            return self.search.finish();
        }
        self.visits = self.search.tree.node(self.search.root).visits();
        if !self.hand_over() && !self.ask(WAIT) {
            self.search.flight.wait(PAUSE);
        }
    }

    fn release_collided(&mut self) {
        for path in self.collided.drain(..) {
            self.search.tree.back_out(&path);
        }
    }

    /// Waits for what is under way and gives back what was not begun.
    fn wind_up(&mut self) {
        self.release_collided();
        let flight = &self.search.flight;
        flight.abandon().for_each(|leaves| self.cancel(&leaves));
        let mut waited = 0;
        while flight.is_waiting() {
            if let Some(claim) = flight.claim() {
                self.take(claim);
            } else if self.ask(WAIT) {
            } else if waited > PATIENCE || self.search.is_broken() {
                flight.give_up().iter().for_each(|leaves| self.cancel(leaves));
                break;
            } else {
                waited += 1;
                // A leaf another thread queued at the last moment.
                flight.abandon().for_each(|leaves| self.cancel(&leaves));
                flight.wait(PAUSE);
            }
        }
        self.search.tree.arena.take_back(&mut self.magazine);
    }

    /// These leaves, which were handed over, will not be evaluated.
    fn cancel(&self, leaves: &Leaves) {
        self.give_back(leaves);
        self.search.flight.cancel(leaves.len());
    }

    /// The playouts to these leaves come to nothing.
    fn give_back(&self, leaves: &Leaves) {
        let tree = &self.search.tree;
        for leaf in leaves.iter() {
            if let Some(&last) = leaf.path.last() {
                tree.node(last).change(State::Pending, State::New);
            }
            tree.back_out(leaf.path);
            self.search.forgo_playout();
        }
    }

    /// Sees to leaves of a batch that came back.
    fn take(&mut self, claim: Claim) {
        self.see_to(&claim.cargo, claim.range.clone());
        self.search.flight.finish(claim);
        self.after_answers();
    }

    /// Sees to leaves that have their values.
    fn see_to(&mut self, cargo: &Cargo, range: Range<usize>) {
        let (mut deepest, many) = (0, range.len() as u64);
        for index in range {
            let leaf = cargo.leaves.get(index);
            self.expand(&cargo.batch, index, leaf);
            deepest = deepest.max(leaf.path.len() - 1);
        }
        self.search.tree.settle(&mut self.credits);
        self.search.count(many, deepest);
    }

    /// Something is known that was not before.
    fn after_answers(&mut self) {
        self.release_collided();
        if self.number == 0 {
            self.search.consider_gain();
        }
    }

    /// A leaf has its value: it gets its moves, and its path what it is worth.
    fn expand(&mut self, batch: &Batch, index: usize, leaf: Leaf<'_>) {
        let (tree, plan) = (&self.search.tree, &self.search.plan);
        let Some(&last) = leaf.path.last() else { return };
        let node = tree.node(last);
        let mut value = (batch.value(index).win, batch.value(index).draw);
        if let Some(outcome) = node.bounds().outcome() {
            // A mate was found in the meantime: nobody will go on from here.
            node.change(State::Pending, State::New);
            value = outcome.chances();
            // What follows above is counted with what is known.
            tree.settle(&mut self.credits);
            tree.propagate(leaf.path);
        } else {
            let temperature = plan.constants.temperature;
            let ordered = self.order.order(batch.policy(index), leaf.moves, temperature);
            let cells = edges::cells(ordered.len());
            let first = tree
                .arena
                .ensure(&mut self.magazine, cells)
                .then(|| edges::write(&tree.arena, &mut self.magazine, ordered))
                .flatten();
            match first {
                Some(first) => {
                    node.set_moves(first, ordered.len());
                    node.change(State::Pending, State::Expanded);
                }
                // No memory: it counts all the same, and is evaluated again if it matters.
                None => {
                    node.change(State::Pending, State::New);
                }
            }
        }
        tree.back_up(&mut self.credits, leaf.path, leaf.turn, value, plan.draw_scores);
    }

    /// One playout, from the root to a leaf.
    fn playout(&mut self) -> Played {
        if !self.search.begin_playout() {
            return Played::NoMore;
        }
        self.path.clear();
        let played = self.descend();
        for _ in 1..self.path.len() {
            self.pos.undo();
        }
        match played {
            Played::Collided => {
                self.search.forgo_playout();
                self.search.count_collision();
                self.collided.push(std::mem::take(&mut self.path));
            }
            Played::NoMemory | Played::Settled => {
                self.search.forgo_playout();
                self.search.tree.back_out(&self.path);
            }
            Played::Fine | Played::NoMore => {}
        }
        played
    }

    fn descend(&mut self) -> Played {
        let search = self.search;
        let mut index = search.root;
        loop {
            let node = search.tree.node(index);
            let visits = node.enter();
            self.path.push(index);
            let at_root = self.path.len() == 1;
            if at_root {
                self.visits = visits;
            }
            if let Some(outcome) = node.bounds().outcome() {
                return if at_root { Played::Settled } else { self.ended(outcome) };
            }
            match node.state() {
                State::Ended(outcome) => return self.ended(outcome),
                State::New if node.change(State::New, State::Pending) => {
                    return self.evaluate(node);
                }
                State::New | State::Pending | State::Collapsing => return Played::Collided,
                State::Expanded if self.path.len() > DEEPEST => return self.ended(GameValue::Draw),
                State::Expanded => {}
            }
            let (child, pick) = match self.go_on(node) {
                Ok(found) => found,
                Err(played) => return played,
            };
            node.add_prior(pick.edge.prior, self.most_chosen);
            self.pos.play(pick.edge.mv);
            index = child;
        }
    }

    /// The child a playout goes on with, made if it is the first to come there.
    fn go_on(&mut self, node: Node<'_>) -> Result<(Index, Pick), Played> {
        let (tree, plan) = (&self.search.tree, &self.search.plan);
        let draw = plan.draw_scores[self.pos.turn().index()];
        loop {
            let pick = if self.path.len() == 1 {
                let policy = self.search.policy();
                tree.select_at_root(node, &plan.constants, draw, policy)
            } else {
                tree.select(node, &plan.constants, draw)
            };
            // All moves lose: another thread is about to say so.
            let pick = pick.ok_or(Played::Collided)?;
            if pick.child != 0 {
                return Ok((pick.child, pick));
            }
            let cells = 1 + tree.arena.cells_to_adopt(node, pick.number);
            if !tree.arena.ensure(&mut self.magazine, cells) {
                return Err(Played::NoMemory);
            }
            let Some(child) = self.magazine.pop(&tree.arena) else { return Err(Played::NoMemory) };
            tree.node(child).create();
            if tree.arena.adopt(node, pick.number, child, &mut self.magazine) {
                return Ok((child, pick));
            }
            // Another thread was faster.
            self.magazine.push(&tree.arena, child);
        }
    }

    /// The playout ends where the game does.
    fn ended(&mut self, outcome: GameValue) -> Played {
        let (search, turn) = (self.search, self.pos.turn());
        let (tree, scores) = (&search.tree, search.plan.draw_scores);
        tree.back_up(&mut self.credits, &self.path, turn, outcome.chances(), scores);
        tree.settle(&mut self.credits);
        search.count(1, self.path.len() - 1);
        Played::Fine
    }

    /// Something is proven about a node that this thread has claimed.
    fn proven(&mut self, node: Node<'_>, bounds: Bounds) -> Played {
        node.change(State::Pending, State::New);
        self.search.tree.prove(&self.path, bounds);
        self.ended(bounds.upper)
    }

    /// A new position: settled by the rules, or sent to the net.
    fn evaluate(&mut self, node: Node<'_>) -> Played {
        let (search, depth) = (self.search, self.path.len() - 1);
        let rules = &search.plan.rules;
        if depth > 0 {
            match rules.judge(&self.pos, depth) {
                Verdict::Proven(bounds) => return self.proven(node, bounds),
                Verdict::Ended(outcome) => {
                    node.change(State::Pending, State::Ended(outcome));
                    return self.ended(outcome);
                }
                Verdict::Open => {}
            }
        }
        if depth == 0 && !search.plan.searchmoves.is_empty() {
            // Somebody may ask for a move that is usually left out.
            self.list = self.pos.legal_moves();
        } else {
            rules.moves(&self.pos, &mut self.list);
        }
        if self.list.is_empty() {
            return self.proven(node, Bounds::loss(0));
        }
        if search.flight.at_once() {
            // Nothing computes meanwhile, and a mate needs no net.
            if depth > 0
                && let Some(plies) = self.leaf_mate()
            {
                return self.proven(node, Bounds::win(plies));
            }
            if self.queue(self.pos.turn()) {
                self.hand_over();
            }
            return Played::Fine;
        }
        // Its value may be back before a mate is found: until then nobody takes the line away.
        for &index in &self.path {
            search.tree.node(index).enter();
        }
        let full = self.queue(self.pos.turn());
        if depth > 0
            && let Some(plies) = self.leaf_mate()
        {
            search.tree.prove(&self.path, Bounds::win(plies));
        }
        search.tree.back_out(&self.path);
        if full {
            self.hand_over();
        }
        Played::Fine
    }

    /// The plies of a mate in the position of a leaf, looked for while the net computes.
    fn leaf_mate(&mut self) -> Option<u16> {
        let plan = &self.search.plan;
        if !plan.leaf_mates || !plan.rules.game.leaves_time(&self.pos, 3) {
            return None;
        }
        if mate::mate_in_three(&mut self.pos).is_some() {
            return Some(3);
        }
        let nodes = plan.leaf_mate_nodes;
        let plies = (nodes > 0).then(|| leaf::mate_within(&self.pos, nodes)).flatten()?;
        plan.rules.game.leaves_time(&self.pos, u32::from(plies)).then_some(plies)
    }

    fn queue(&mut self, turn: Color) -> bool {
        let flight = &self.search.flight;
        let shape = flight.shape();
        self.planes.fill(0);
        shape.planes.pack(&self.pos, &mut self.planes);
        self.labels.clear();
        self.labels.extend(self.list.iter().map(|&m| shape.labels.label(m, turn)));
        let leaf = (self.path.as_slice(), &self.list[..], turn);
        let key = net_key(&self.pos, shape.planes);
        self.filled = flight.push(self.number, key, &self.planes, &self.labels, leaf);
        flight.is_full(self.filled)
    }
}

/// The key of everything a net sees.
pub fn net_key<V: Variant>(pos: &Position<V>, planes: features::Planes) -> u64 {
    if planes != features::Planes::Aoba {
        return pos.key();
    }
    // These see earlier positions and the number of the move.
    let moves = pos.moves_played();
    let recent = moves.iter().rev().take(8).map(|m| u64::from(m.bits()));
    let purpose: Vec<u64> = recent.chain([u64::from(pos.ply())]).collect();
    seed::Rng::for_purpose(pos.key(), &purpose).bits()
}
