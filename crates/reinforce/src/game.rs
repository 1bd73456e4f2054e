//! One game in play: what it asks of the net, one position at a time, and what it became.
//!
//! A game has its own stream of random numbers and depends on its own answers alone: which other games
//! are in a batch, and which thread plays it, changes nothing.

use crate::lots::{Lot, Lots};
use crate::root::{self, Gumbel, parts};
use crate::settings::PlaySettings;
use crate::tree::{ROOT, State, Step, Tree};
use balance::{Assignment, ResignWatch, StartError, Temperature, WinRate};
use infer::{Batch, Shape, Value};
use mcts::constants::Constants;
use mcts::{Bounds, GameValue, LeafRules, MoveOrder, Verdict, information_gain, net_key};
use play::{Ending, Outcome, Reason, winrate};
use rules::{AnyPosition, Bits, Color, Move, MoveList, Position, Variant};
use seed::Rng;
use std::cmp::Reverse;
use teacher::{Candidate, Flags, Ply};

/// Playouts after which it is asked what they have told.
const GAIN_STEP: u32 = 100;
/// No chance is written as nearer to 0 or 1 than this.
const SURE: f64 = 1e-4;

/// How many games are played, and what they all share.
pub(crate) struct Table<V: Variant> {
    pub(crate) settings: PlaySettings,
    pub(crate) constants: Constants,
    rules: LeafRules,
    pub(crate) shape: Shape,
    starts: Vec<Position<V>>,
    /// The same, as records have them.
    openings: Vec<AnyPosition>,
    lots: Lots,
    /// The chance to win at which a side resigns.
    resign: Option<WinRate>,
    /// Each side has a net of its own.
    is_match: bool,
}

/// What a thread needs to play, and uses again for every game.
#[derive(Default)]
pub(crate) struct Scratch {
    order: MoveOrder,
    list: MoveList,
    spare: Tree,
    labels: Vec<u16>,
}

/// What a game does next.
pub(crate) enum Next {
    /// A position of it is in the batch of that net.
    Waiting(usize),
    Over(Box<FinishedGame>),
}

/// A game that is over.
#[derive(Clone, PartialEq, Debug)]
pub struct FinishedGame {
    pub number: u64,
    /// Number of its start.
    pub start: usize,
    pub game: teacher::Game,
    /// Positions that were evaluated for it.
    pub evaluations: u64,
}

/// A game in play.
pub(crate) struct GameInPlay<V: Variant> {
    number: u64,
    lot: Lot,
    rng: Rng,
    pos: Position<V>,
    tree: Tree,
    /// Of the position that is being evaluated.
    path: Vec<Step>,
    leaf: u32,
    moves: Vec<Move>,
    search: Option<MoveSearch>,
    plies: Vec<Ply>,
    candidates: Vec<Candidate>,
    watch: ResignWatch,
    /// What was thought of the position in which the game was given up or declared won.
    last: Option<i16>,
    evaluations: u64,
}

/// The search for one move.
#[derive(Default)]
struct MoveSearch {
    playouts: u32,
    /// With noise, and to be learned from.
    is_full: bool,
    /// The root has what it needs of noise and plans.
    is_prepared: bool,
    gumbel: Option<Gumbel>,
    /// Visits of the root, and of its moves, when it was last asked what was told.
    told: (u32, Vec<u64>),
    /// It tells nothing any more.
    is_over: bool,
}

impl<V: Variant> Table<V> {
    pub(crate) fn new(
        settings: &PlaySettings,
        shape: Shape,
        lots: &Lots,
        resign: Option<WinRate>,
        is_match: bool,
    ) -> Result<Self, crate::SettingsError> {
        settings.check()?;
        let (mut starts, mut openings) = (Vec::new(), Vec::new());
        for start in &settings.starts {
            openings.push(start.position(settings.game)?);
            let parsed = Position::<V>::from_sfen(&start.sfen);
            starts.push(parsed.map_err(|e| StartError {
                name: start.name.clone(),
                game: settings.game,
                why: e.to_string(),
            })?);
        }
        Ok(Self {
            constants: settings.constants()?,
            rules: settings.leaf_rules(),
            settings: settings.clone(),
            shape,
            starts,
            openings,
            lots: lots.clone(),
            resign,
            is_match,
        })
    }

    /// The temperature of a move: that of the settings, or the side's own where it is higher.
    fn temperature(&self, assignment: &Assignment, turn: Color, ply: usize) -> Temperature {
        let own = assignment.temperature(turn).max(self.settings.later_temperature);
        self.settings.exploration.at(ply as u32, own)
    }
}

impl<V: Variant> GameInPlay<V> {
    pub(crate) fn new(table: &Table<V>, number: u64) -> Self {
        let (lot, rng) = table.lots.draw(number);
        let mut tree = Tree::default();
        tree.clear();
        Self {
            number,
            lot,
            rng,
            pos: table.starts[lot.assignment.start].clone(),
            tree,
            path: Vec::new(),
            leaf: ROOT,
            moves: Vec::new(),
            search: None,
            plies: Vec::new(),
            candidates: Vec::new(),
            watch: ResignWatch::new(&table.settings.resign),
            last: None,
            evaluations: 0,
        }
    }

    /// Plays on until a position is to be evaluated, which is put into the batch of the net whose move it is,
    /// or the game is over.
    pub(crate) fn advance(
        &mut self,
        table: &Table<V>,
        scratch: &mut Scratch,
        batches: &mut [Batch],
    ) -> Next {
        loop {
            let net = self.net(batches.len());
            let over = match self.search.take() {
                None => self.begin_move(table),
                Some(search) if self.is_enough(&search) => self.end_move(table, scratch, &search),
                Some(mut search) => {
                    self.prepare(table, &mut search);
                    let asked = self.playout(table, scratch, &mut search, &mut batches[net]);
                    self.search = Some(search);
                    if asked {
                        return Next::Waiting(net);
                    }
                    None
                }
            };
            if let Some(ending) = over {
                return Next::Over(Box::new(self.finish(table, ending)));
            }
        }
    }

    /// Which of one or two nets finds the move: of two the first has Black in games with even numbers.
    fn net(&self, nets: usize) -> usize {
        let is_first = self.number.is_multiple_of(2) == (self.pos.turn() == Color::Black);
        usize::from(nets > 1 && !is_first)
    }

    /// The position that was asked for has its answer.
    pub(crate) fn answer(
        &mut self,
        table: &Table<V>,
        scratch: &mut Scratch,
        logits: &[f32],
        value: Value,
    ) {
        let edges = scratch.order.order(logits, &self.moves, table.constants.temperature);
        self.tree.open(self.leaf, edges);
        self.tree.back_up(&self.path, self.leaf, value.win + 0.5 * value.draw);
        self.evaluations += 1;
    }

    /// A move is to be found; the end of the game if that needs no search.
    fn begin_move(&mut self, table: &Table<V>) -> Option<Ending> {
        if self.pos.can_declare(table.rules.game.declaration) {
            self.last = Some(score(1.0));
            return Some(Ending::won(self.pos.turn(), Reason::Declaration));
        }
        if let Some(mv) = mate::mate_in_one(&self.pos) {
            let ply = Ply { mv, score: Some(score(1.0)), flags: Flags::default() };
            let ending = self.play(table, ply, &[(mv, 1.0)]);
            self.tree.clear();
            return ending;
        }
        let settings = &table.settings;
        let is_full = settings.fast_share <= 0.0 || self.rng.unit() >= settings.fast_share;
        let own = self.lot.playouts.map(|each| each[self.pos.turn().index()]);
        let usual = if is_full { settings.playouts } else { settings.fast_playouts };
        let playouts = own.unwrap_or(usual);
        // Nobody profits from what the other side has read where that reads more or is another net.
        let is_shared = own.is_none() && !table.is_match;
        if !is_shared || settings.gumbel > 0 || self.tree.node(ROOT).bounds.outcome().is_some() {
            // Gumbel's root counts its own visits; a root that is settled may have no move to play.
            self.tree.clear();
        }
        self.search = Some(MoveSearch { playouts, is_full, ..MoveSearch::default() });
        None
    }

    fn is_enough(&self, search: &MoveSearch) -> bool {
        let root = self.tree.node(ROOT);
        let moves = usize::from(root.state == State::Open) * self.tree.links(ROOT).len();
        root.state == State::Open
            && (root.visits >= search.playouts.max(2)
                || root.bounds.outcome().is_some()
                || search.is_over
                || moves == 1 && root.visits > 1)
    }

    /// Noise and plans, once the moves of the root are known.
    fn prepare(&mut self, table: &Table<V>, search: &mut MoveSearch) {
        if search.is_prepared || self.tree.node(ROOT).state != State::Open {
            return;
        }
        search.is_prepared = true;
        let settings = &table.settings;
        let has_noise = search.is_full && settings.noise > 0.0;
        if settings.gumbel > 0 {
            let rng = has_noise.then_some(&mut self.rng);
            let playouts = search.playouts.saturating_sub(1).max(1);
            let (considered, constants) = (settings.gumbel, &table.constants);
            search.gumbel = Some(Gumbel::new(&self.tree, considered, playouts, constants, rng));
        } else if has_noise {
            root::add_noise(&mut self.tree, settings.noise, &table.constants, &mut self.rng);
        }
    }

    fn select_at_root(&self, table: &Table<V>, search: &MoveSearch) -> Option<u16> {
        if let Some(gumbel) = &search.gumbel {
            return gumbel.select(&self.tree);
        }
        let forced = table.settings.forced;
        let owed =
            if search.is_full && forced > 0.0 { root::forced(&self.tree, forced) } else { None };
        owed.or_else(|| self.tree.select_at_root(&table.constants.root))
    }

    /// One playout; whether a position of it is to be evaluated.
    fn playout(
        &mut self,
        table: &Table<V>,
        scratch: &mut Scratch,
        search: &mut MoveSearch,
        batch: &mut Batch,
    ) -> bool {
        self.path.clear();
        let mut index = ROOT;
        let ended = loop {
            let node = *self.tree.node(index);
            if index != ROOT
                && let Some(outcome) = node.bounds.outcome()
            {
                break Some(outcome);
            }
            match node.state {
                State::Ended(outcome) if index != ROOT => break Some(outcome),
                State::New | State::Ended(_) => break self.look(table, scratch, index),
                State::Open => {}
            }
            let number = match index {
                ROOT => self.select_at_root(table, search),
                _ => self.tree.select(index, &table.constants.inner),
            };
            // Where every move loses that is proven, and the position above was not entered.
            let Some(number) = number else { break Some(GameValue::Loss) };
            self.pos.play(self.tree.links(index)[usize::from(number)].mv);
            self.path.push((index, number));
            index = self.tree.follow(index, number);
        };
        self.leaf = index;
        if ended.is_none() {
            self.ask(table, scratch, batch);
        }
        for _ in 0..self.path.len() {
            self.pos.undo();
        }
        if let Some(outcome) = ended {
            let (win, draw) = outcome.chances();
            self.tree.back_up(&self.path, index, win + 0.5 * draw);
        }
        self.consider_gain(table, search);
        ended.is_none()
    }

    /// What a new position is by the rules; nothing if the net is to be asked, with its moves in the
    /// list.
    fn look(&mut self, table: &Table<V>, scratch: &mut Scratch, index: u32) -> Option<GameValue> {
        let depth = self.path.len();
        let verdict = if depth == 0 { Verdict::Open } else { table.rules.judge(&self.pos, depth) };
        let proven = match verdict {
            Verdict::Proven(bounds) => Some(bounds),
            Verdict::Ended(outcome) => {
                self.tree.set_state(index, State::Ended(outcome));
                return Some(outcome);
            }
            Verdict::Open => {
                table.rules.moves(&self.pos, &mut scratch.list);
                scratch.list.is_empty().then(|| Bounds::loss(0))
            }
        };
        let bounds = proven?;
        self.tree.prove(&self.path, index, bounds);
        bounds.outcome()
    }

    fn ask(&mut self, table: &Table<V>, scratch: &mut Scratch, batch: &mut Batch) {
        let (shape, turn, pos) = (table.shape, self.pos.turn(), &self.pos);
        let moves = scratch.list.as_slice();
        self.moves.clear();
        self.moves.extend_from_slice(moves);
        scratch.labels.clear();
        scratch.labels.extend(moves.iter().map(|&mv| shape.labels.label(mv, turn)));
        let key = net_key(pos, shape.planes);
        batch.push(key, |out| shape.planes.pack(pos, out), scratch.labels.iter().copied());
    }

    fn consider_gain(&self, table: &Table<V>, search: &mut MoveSearch) {
        let (least, done) = (table.settings.least_gain, self.tree.node(ROOT).visits);
        if least <= 0.0 || done < search.told.0 + GAIN_STEP {
            return;
        }
        let visits: Vec<u64> =
            self.tree.links(ROOT).iter().map(|link| u64::from(link.visits)).collect();
        let gain = information_gain(&search.told.1, &visits);
        let playouts = f64::from(done - search.told.0);
        search.is_over = gain.is_some_and(|gain| gain / playouts < least);
        search.told = (done, visits);
    }

    /// Plays the move that was found.
    fn end_move(
        &mut self,
        table: &Table<V>,
        scratch: &mut Scratch,
        search: &MoveSearch,
    ) -> Option<Ending> {
        let settings = &table.settings;
        let constants = &table.constants;
        let (shown, target) = match &search.gumbel {
            Some(_) => {
                let of = |temperature| root::improved_policy(&self.tree, constants, temperature);
                (of(1.0), of(settings.target_temperature))
            }
            None => {
                let forced = if search.is_full { settings.forced } else { 0.0 };
                let target = root::visit_target(&self.tree, forced, &constants.root);
                (target.clone(), target)
            }
        };
        let turn = self.pos.turn();
        let temperature = table.temperature(&self.lot.assignment, turn, self.plies.len());
        let number = root::drawn(&shown, temperature, &mut self.rng);
        let value = self.value();
        if self.resigns(table, turn, value) {
            self.last = Some(score(value));
            return Some(Ending::lost(turn, Reason::Resign));
        }
        let links = self.tree.links(ROOT);
        let shares: Vec<(Move, f32)> = match search.is_full {
            true => links.iter().zip(&target).map(|(link, &share)| (link.mv, share)).collect(),
            false => Vec::new(),
        };
        let flags = Flags { random: false, skip: !search.is_full };
        let ply = Ply { mv: links[usize::from(number)].mv, score: Some(score(value)), flags };
        let ending = self.play(table, ply, &shares);
        self.tree.go_on(number, &mut scratch.spare);
        ending
    }

    /// What the search thinks of the position, for the side to move.
    fn value(&self) -> f32 {
        match self.tree.node(ROOT).bounds.outcome() {
            Some(outcome) => {
                let (win, draw) = outcome.chances();
                win + 0.5 * draw
            }
            None => self.tree.value(ROOT),
        }
    }

    /// Whether the side to move gives up: not in games that are played out, and not while a king is in
    /// the enemy's camp, where a declaration may come.
    fn resigns(&mut self, table: &Table<V>, turn: Color, value: f32) -> bool {
        self.watch.saw(turn, rate(score(value)));
        self.watch.resigns(turn, table.resign)
            && !self.lot.is_played_out
            && !Color::BOTH.iter().any(|&side| has_entered(&self.pos, side))
    }

    /// Plays a move and writes it down with what is to be learned; the end of the game, if it is one.
    fn play(&mut self, table: &Table<V>, ply: Ply, shares: &[(Move, f32)]) -> Option<Ending> {
        let number = self.plies.len() as u32;
        let mut told: Vec<Candidate> = shares
            .iter()
            .map(|&(mv, share)| Candidate { ply: number, mv, visits: parts(share) })
            .filter(|candidate| candidate.visits > 0)
            .collect();
        told.sort_by_key(|candidate| Reverse(candidate.visits));
        self.candidates.extend(told);
        self.plies.push(ply);
        self.pos.play(ply.mv);
        end_of(&self.pos, &table.rules)
    }

    fn finish(&mut self, table: &Table<V>, ending: Ending) -> FinishedGame {
        let mut game = teacher::Game::new(table.openings[self.lot.assignment.start].clone());
        game.plies = std::mem::take(&mut self.plies);
        game.candidates = std::mem::take(&mut self.candidates);
        game.last = self.last;
        (game.outcome, game.reason) = (ending.outcome, ending.reason);
        let start = self.lot.assignment.start;
        FinishedGame { number: self.number, start, game, evaluations: self.evaluations }
    }
}

/// How a game has ended where it stands, as the referee of room `play` would say.
fn end_of<V: Variant>(pos: &Position<V>, rules: &LeafRules) -> Option<Ending> {
    if pos.is_mated() {
        return Some(Ending::lost(pos.turn(), Reason::Mate));
    }
    if let Some(repetition) = pos.repetition() {
        return Some(play::referee::repeated(V::GAME, repetition));
    }
    let outcome: Outcome = rules.game.at_limit(pos)?;
    Some(Ending { outcome, reason: Reason::MaxMoves })
}

/// Whether a king stands where its side's pieces promote.
fn has_entered<V: Variant>(pos: &Position<V>, side: Color) -> bool {
    pos.king(side).is_some_and(|king| V::promotion_zone(side).has(king))
}

/// A chance to win as a score of teacher files.
pub(crate) fn score(value: f32) -> i16 {
    let sure = f64::from(value).clamp(SURE, 1.0 - SURE);
    winrate::score(sure, winrate::TRAINING_SCALE).round() as i16
}

/// A score of teacher files as the chance to win it was made of.
pub(crate) fn rate(score: i16) -> WinRate {
    WinRate::from_share(winrate::win_rate(f64::from(score), winrate::TRAINING_SCALE))
}
