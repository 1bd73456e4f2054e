//! The master: a USI engine made of engines, as a state machine.
//!
//! | file | holds |
//! |---|---|
//! | `gui` | what the interface says |
//! | `children` | what children say, their incarnations and faults |
//! | `own_turn` | a search for our move: who is asked what, and when it ends |
//! | `questions` | in which words they are asked |
//! | `decision` | votes, exchanged values, the arbiter, the move that is played |
//! | `foresee` | the opponent's replies and who ponders on which |
//! | `view` | how everything stands, for whoever looks on |
//!
//! Nothing here waits, reads a clock or starts anything: [`Master::handle`] takes what happened and
//! when, and returns what is to be done; [`Master::wake`] says when it wants to be asked again.

mod children;
mod decision;
mod foresee;
mod gui;
mod own_turn;
mod questions;
mod view;

pub(crate) use view::choices;

use crate::child::Child;
use crate::config::{Config, Role};
use crate::deadline::Reserve;
use crate::event::{Action, Event};
use engines::GameLine;
use foresee::Foresight;
use own_turn::Search;
use rules::{AnyPosition, Declaration, Game, Move};
use std::sync::Arc;
use std::time::Duration;
use think::{Moment, OptionSpec};
use usi::{Reply, Times};

/// How often replies are looked at again while the opponent thinks.
const GLANCE: Duration = Duration::from_millis(200);

/// The state of everything.
pub struct Master {
    config: Config,
    author: String,
    game: Game,
    now: Moment,
    actions: Vec<Action>,
    children: Vec<Child>,
    /// The players of each group.
    groups: Vec<Vec<usize>>,
    /// The position of the next `go`.
    line: Arc<GameLine>,
    search: Option<Search>,
    foresight: Option<Foresight>,
    /// The group that thought about our last move: its hash table knows most of what comes next.
    last_group: usize,
    /// Whether the opponent's time is used.
    ponders: bool,
    declaration: Declaration,
    /// What keeps back part of every move, as the interface may have set it.
    margin: Duration,
    /// The clocks after our last move, for questions on the opponent's time.
    times: Option<Times>,
    /// The limits of our last move that are no clocks.
    limits: usi::Go,
    /// The win rate of our last move.
    win_rate: Option<f64>,
    /// Games begun, and questions asked.
    games: u32,
    searches: u64,
    /// Moves whose mates are being verified.
    claims: Vec<Claim>,
    claimed: u64,
}

/// A mate that somebody says begins with a move.
struct Claim {
    number: u64,
    search: u64,
    first: Move,
}

impl Master {
    /// A master for children that are known to declare those options, in the order of the
    /// configuration; an empty list where nothing is known.
    pub fn new(config: Config, game: Game, author: &str, known: Vec<Vec<OptionSpec>>) -> Self {
        let mut known = known.into_iter();
        let children = config.children.iter().enumerate().map(|(index, child)| {
            Child::new(index, child.clone(), known.next().unwrap_or_default())
        });
        Self {
            author: author.to_owned(),
            game,
            now: Moment::ZERO,
            actions: Vec::new(),
            children: children.collect(),
            groups: (0..config.groups.len()).map(|group| config.members(group)).collect(),
            line: Arc::new(GameLine::new(AnyPosition::startpos(game))),
            search: None,
            foresight: None,
            last_group: 0,
            ponders: false,
            declaration: Declaration::default(),
            margin: Duration::from_millis(config.margin),
            times: None,
            limits: usi::Go::default(),
            win_rate: None,
            games: 1,
            searches: 0,
            claims: Vec::new(),
            claimed: 0,
            config,
        }
    }

    /// Takes what happened at that moment; what is to be done, in that order.
    pub fn handle(&mut self, event: Event, at: Moment) -> Vec<Action> {
        self.now = self.now.max(at);
        match event {
            Event::Gui(line) => self.gui(&line),
            Event::GuiClosed => self.quit(),
            Event::Started(incarnation) => self.started(incarnation),
            Event::Line(incarnation, line) => self.child_line(incarnation, &line),
            Event::Lost(incarnation, why) => self.lost(incarnation, &why),
            Event::Verified { number, mates } => self.verified(number, mates),
            Event::Time => {}
        }
        self.watch_children();
        self.step_search();
        self.step_foresight();
        std::mem::take(&mut self.actions)
    }

    /// When [`Event::Time`] is wanted.
    pub fn wake(&self) -> Option<Moment> {
        let children = self.children.iter().filter_map(Child::wake);
        let search = self.search.as_ref().and_then(|search| search.wake(self.now));
        let foresight = self.foresight.as_ref().map(|_| self.now + GLANCE);
        children.chain(search).chain(foresight).min()
    }

    /// The game that is played.
    pub fn game(&self) -> Game {
        self.game
    }

    fn up(&mut self, reply: &Reply) {
        self.actions.push(Action::Up(reply.to_string()));
    }

    fn note(&mut self, text: &str) {
        let clean: String =
            text.chars().take(500).map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.up(&Reply::note(clean));
    }

    /// What is kept back for the slowest of the children that may be asked.
    fn reserve(&self) -> Reserve {
        let asked = self.children.iter().filter(|child| child.role() == Role::Player);
        let slow =
            asked.filter(|child| child.is_ready()).map(|child| child.delays.slow_end()).max();
        Reserve { margin: self.margin, slow: slow.unwrap_or(Duration::from_millis(20)) }
    }

    fn with_role(&self, role: Role) -> Vec<usize> {
        (0..self.children.len()).filter(|&i| self.children[i].role() == role).collect()
    }
}

/// Whether two positions are the same for who thinks about them: board, hands, turn, number of
/// the move, and how often it has stood.
fn is_same(a: &AnyPosition, b: &AnyPosition) -> bool {
    a.key() == b.key()
        && a.turn() == b.turn()
        && a.ply() == b.ply()
        && a.occurrences() == b.occurrences()
}

#[cfg(test)]
mod tests;
