//! A game between two masters whose children are real engines in virtual time.

use super::thinker::Thinker;
use super::world::World;
use crate::config::Config;
use crate::journal::Entry;
use crate::master::Master;
use play::{Action, Ending, GameRules, Outcome, Reason};
use rules::{AnyPosition, Color, Move};
use std::time::Duration;
use think::Moment;
use usi::{BestMove, Reply, SetPosition};

/// Moves in a row that somebody thinks hopeless before it gives up, and how hopeless.
const HOPELESS: (u32, f64) = (3, 0.03);

/// One of the two.
pub struct Side {
    pub config: Config,
    /// In the order of the configuration.
    pub children: Vec<Thinker>,
    /// Whether the interface lets it ponder.
    pub ponders: bool,
}

/// How a game is played.
#[derive(Clone, Debug)]
pub struct DuelSettings {
    pub start: AnyPosition,
    /// Of the first side.
    pub color: Color,
    /// Milliseconds of virtual time for every move.
    pub movetime: u64,
    pub plies: u32,
}

/// What one side did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SideReport {
    pub moves: u32,
    /// Of them, foreseen.
    pub hits: u32,
    /// Of them, those about which several had an opinion, and about which not the same.
    pub consulted: u32,
    pub disagreed: u32,
    /// Children cut off: there must be none.
    pub faults: u32,
}

/// What came of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DuelReport {
    /// For the first side: 2 won, 1 drawn, 0 lost.
    pub half_points: u8,
    pub plies: u32,
    pub sides: [SideReport; 2],
}

/// One side at the board.
struct Seat {
    world: World<Thinker>,
    report: SideReport,
    hopeless: u32,
}

impl Seat {
    fn new(side: Side, game: rules::Game) -> Self {
        let master = Master::new(side.config, game, "duel", Vec::new());
        let mut world = World::new(master, side.children);
        world.say(&format!("setoption name USI_Ponder value {}", side.ponders));
        world.say("usinewgame");
        // Everybody is ready before the game begins.
        let begun = world.now + Duration::from_secs(1);
        world.run(begun, |_| false);
        Self { world, report: SideReport::default(), hopeless: 0 }
    }

    /// Its move; `None` if it gives up.
    fn play(&mut self, position: &AnyPosition, movetime: u64) -> Option<Move> {
        let world = &mut self.world;
        world.up.clear();
        world.log.retain(|entry| matches!(entry, Entry::Fault { .. }));
        world.say(&format!("position {}", SetPosition::of(position)));
        world.say(&format!("go movetime {movetime}"));
        let limit = world.now + Duration::from_millis(movetime + 1000);
        let is_answer = |line: &String| line.starts_with("bestmove");
        world.run(limit, |up| up.iter().any(is_answer));
        let answer = world.up.iter().rev().find(|line| is_answer(line))?;
        let Ok(Reply::BestMove(BestMove::Move { best, .. })) = Reply::parse(answer) else {
            return None;
        };
        let chosen = position.parse_usi(&best).ok()?;
        self.count();
        (self.hopeless < HOPELESS.0).then_some(chosen)
    }

    fn count(&mut self) {
        self.report.moves += 1;
        let (mut opinions, mut wanted) = (0, None);
        let mut value = None;
        for entry in &self.world.log {
            match entry {
                Entry::Opinion { question: "think", answer: Some(_), child, win_rate, .. } => {
                    opinions += 1;
                    let first = wanted.is_none();
                    wanted = wanted.or(Some(child));
                    value = if first { *win_rate } else { value };
                }
                Entry::Decision { hit, moves, .. } => {
                    self.report.hits += u32::from(*hit);
                    self.report.consulted += u32::from(opinions > 1);
                    self.report.disagreed += u32::from(opinions > 1 && *moves > 1);
                }
                _ => {}
            }
        }
        let lost = value.is_some_and(|value| value < HOPELESS.1);
        self.hopeless = if lost { self.hopeless + 1 } else { 0 };
    }

    /// The other one thinks until then.
    fn wait(&mut self, until: Moment) {
        self.world.run(until, |_| false);
    }

    fn end(mut self) -> SideReport {
        let is_fault = |entry: &&Entry| matches!(entry, Entry::Fault { .. });
        self.report.faults = self.world.log.iter().filter(is_fault).count() as u32;
        self.report
    }
}

/// Plays a game. Searches run on the calling thread, which needs a stack of [`think::STACK`] bytes.
pub fn play_duel(sides: [Side; 2], settings: &DuelSettings) -> DuelReport {
    play_logged_duel(sides, settings, &mut |_, _| ())
}

/// The same; `log` is told after every move whose it was (0 or 1) and what that master wrote into its log.
pub fn play_logged_duel(
    sides: [Side; 2],
    settings: &DuelSettings,
    log: &mut dyn FnMut(usize, &[Entry]),
) -> DuelReport {
    let game = settings.start.game();
    let mut seats = sides.map(|side| Seat::new(side, game));
    let rules = GameRules { max_moves: Some(settings.plies), ..GameRules::default() };
    let mut position = settings.start.clone();
    let mut played = 0;
    let ending = loop {
        if let Some(ending) = rules.end_of(&position, played) {
            break ending;
        }
        let turn = position.turn();
        let place = usize::from(turn != settings.color);
        let action =
            seats[place].play(&position, settings.movetime).map_or(Action::Resign, Action::Move);
        log(place, &seats[place].world.log);
        let now = seats[place].world.now;
        seats[1 - place].wait(now);
        match rules.judge(&position, action) {
            Ok(m) => {
                played += 1;
                if let Some(ending) = rules.play(&mut position, m, played) {
                    break ending;
                }
            }
            Err(ending) => break ending,
        }
    };
    let half_points = half_points(ending, settings.color);
    DuelReport { half_points, plies: played, sides: seats.map(Seat::end) }
}

fn half_points(ending: Ending, color: Color) -> u8 {
    debug_assert_ne!(ending.reason, Reason::IllegalMove, "a master plays legal moves");
    match ending.outcome {
        Outcome::Won(winner) => 2 * u8::from(winner == color),
        Outcome::Draw | Outcome::Unknown => 1,
    }
}
