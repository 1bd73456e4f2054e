//! Games of reinforcement learning through a queue of this process: the same as without.

use super::{Exchange, teacher_games, with_local_fleet};
use crate::batch::{Fault, FaultKind};
use crate::perform::Equipment;
use crate::task::{Spec, Unit};
use reinforce::elsewhere::{GamePlayer, GamesOrder};
use reinforce::nets::Players;
use reinforce::run::Machine;
use reinforce::{FinishedGame, PlayError};
use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;
use think::TimeSource;

/// Games of a task, at most: a net is asked for many positions at once, and little is lost with a task.
const GAMES: u64 = 256;
/// How often it is looked whether somebody said stop.
const GLANCE: Duration = Duration::from_millis(50);

/// Workers of this process that play the games of a generation, each a task at a time.
pub struct LocalPlayers {
    pub slots: usize,
    pub time: Arc<dyn TimeSource>,
}

impl LocalPlayers {
    /// As many as a machine has threads for; refused where something else than this program computes the net.
    pub fn of(machine: &Machine, time: Arc<dyn TimeSource>) -> Result<Box<Self>, String> {
        match machine.players {
            Players::Native { .. } => Ok(Box::new(Self { slots: machine.threads.get(), time })),
            Players::Worker { .. } => {
                Err("--fleet plays with the net in integers: without --players torch".to_owned())
            }
        }
    }
}

impl std::fmt::Debug for LocalPlayers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalPlayers").field("slots", &self.slots).finish_non_exhaustive()
    }
}

type Played = Result<(u64, Vec<FinishedGame>), Fault>;

impl GamePlayer for LocalPlayers {
    fn play(
        &self,
        order: &GamesOrder,
        games: Range<u64>,
        stop: &AtomicBool,
        take: &mut dyn FnMut(FinishedGame) -> ControlFlow<()>,
    ) -> Result<(), PlayError> {
        let slots = self.slots.max(1);
        let all = games.end.saturating_sub(games.start);
        // Four tasks for every worker, so that none waits long for the last one.
        let each = (all / (4 * slots as u64)).clamp(1, GAMES);
        let equipment = Equipment::own(Arc::clone(&self.time), 1);
        let spec = Spec::Reinforce(Box::new(order.clone()));
        let played = with_local_fleet(spec, slots, &equipment, |exchange| {
            let next = AtomicU64::new(games.start);
            let over = AtomicBool::new(false);
            thread::scope(|scope| {
                let (sender, told) = channel();
                for _ in 0..slots {
                    let (sender, next, over) = (sender.clone(), &next, &over);
                    let last = games.end;
                    scope.spawn(move || {
                        while !over.load(Ordering::Relaxed) {
                            let first = next.fetch_add(each, Ordering::Relaxed);
                            if first >= last {
                                return;
                            }
                            let played = ask(exchange, order, first..last.min(first + each));
                            let failed = played.is_err();
                            if sender.send(played).is_err() || failed {
                                return;
                            }
                        }
                    });
                }
                drop(sender);
                let result = in_order(games.start, &told, stop, take);
                over.store(true, Ordering::Relaxed);
                exchange.break_off();
                result
            })
        });
        played.unwrap_or_else(|error| Err(PlayError::Elsewhere(error.to_string())))
    }
}

/// Has games played, and replayed by the referee.
fn ask(exchange: &Exchange<'_>, order: &GamesOrder, games: Range<u64>) -> Played {
    let dishonest = |why: String| Fault::new(FaultKind::Dishonest, why);
    let count = games.end - games.start;
    let made = teacher_games(&exchange.call(Unit::new(games.start, count))?)?;
    if made.len() as u64 != count {
        return Err(dishonest(format!("games {games:?} were asked for, {} came", made.len())));
    }
    let take = |(number, made): (u64, arena::selfplay::player::PlayedGame)| {
        let taken = order.taken(number, made.game, made.nodes);
        taken.map_err(|why| dishonest(format!("game {number}: {why}")))
    };
    let first = games.start;
    Ok((first, games.zip(made).map(take).collect::<Result<_, _>>()?))
}

/// Hands games over in the order of their numbers.
fn in_order(
    first: u64,
    told: &Receiver<Played>,
    stop: &AtomicBool,
    take: &mut dyn FnMut(FinishedGame) -> ControlFlow<()>,
) -> Result<(), PlayError> {
    let (mut next, mut waiting) = (first, BTreeMap::new());
    while !stop.load(Ordering::Relaxed) {
        match told.recv_timeout(GLANCE) {
            Ok(Ok((number, games))) => waiting.insert(number, games),
            Ok(Err(fault)) => return Err(PlayError::Elsewhere(fault.to_string())),
            Err(RecvTimeoutError::Timeout) => continue,
            // All are played.
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        while let Some(games) = waiting.remove(&next) {
            next += games.len() as u64;
            for game in games {
                if take(game).is_break() {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::{introduced, name, task};
    use crate::driver::driver;
    use crate::in_process::InProcess;
    use crate::names::Pool;
    use crate::perform::Slot;
    use crate::queue::{Cursor, Event, Queue, Settings};
    use crate::task::Task;
    use crate::worker::Standing;
    use balance::{Balance, Start, Table};
    use reinforce::PlaySettings;
    use reinforce::elsewhere::OrderPlayer;
    use reinforce::lots::{Assignments, Lots};
    use rules::Game;
    use think::{ManualTime, WallTime};

    fn order() -> GamesOrder {
        let game = Game::Minishogi;
        let settings = PlaySettings {
            playouts: 8,
            fast_playouts: 3,
            max_moves: 40,
            ..PlaySettings::usual(game)
        };
        let rule = balance::Settings::default();
        let balance = Balance::new(game, Start::usual(game), rule, Table::published(), 7).unwrap();
        let assignments = Assignments::Balanced { balance, first: 100 };
        let lots = Lots { assignments, seed: 7, played_out: 0.1 };
        GamesOrder { settings, lots, resign: None, net: None, planes: "minishogi".to_owned() }
    }

    fn players(slots: usize) -> LocalPlayers {
        LocalPlayers { slots, time: Arc::new(WallTime::start()) }
    }

    #[test]
    fn the_fleet_plays_the_same_games() {
        let (order, on) = (order(), AtomicBool::new(false));
        let plain = OrderPlayer::new(&order).unwrap().play(3..40, &on).unwrap().unwrap();
        for slots in [1, 3] {
            let mut games = Vec::new();
            let take = &mut |game: FinishedGame| {
                games.push(game);
                ControlFlow::Continue(())
            };
            players(slots).play(&order, 3..40, &on, take).unwrap();
            assert!(games == plain, "{slots} workers play other games");
        }
        // As it travels it is the same order.
        let text = serde_json::to_string(&Spec::Reinforce(Box::new(order.clone()))).unwrap();
        let read: Spec = serde_json::from_str(&text).unwrap();
        assert_eq!(read, Spec::Reinforce(Box::new(order)));
    }

    #[test]
    fn who_says_stop_is_heard_and_what_is_wrong_is_told() {
        let mut taken = 0;
        let stop = AtomicBool::new(false);
        let take = &mut |_: FinishedGame| {
            taken += 1;
            stop.store(true, Ordering::Relaxed);
            ControlFlow::Break(())
        };
        players(2).play(&order(), 0..1_000_000, &stop, take).unwrap();
        assert_eq!(taken, 1);
        let absent = GamesOrder { net: Some("/nowhere/net.nued".into()), ..order() };
        let on = AtomicBool::new(false);
        let none = &mut |_: FinishedGame| ControlFlow::Continue(());
        let told = players(1).play(&absent, 0..4, &on, none).unwrap_err().to_string();
        assert!(told.contains("/nowhere/net.nued"), "{told}");
    }

    /// A worker that leased games and was never heard of again holds nobody up: another plays the same ones.
    #[test]
    fn games_of_a_worker_that_is_gone_come_back() {
        let spec = Spec::Reinforce(Box::new(order()));
        let time = Arc::new(ManualTime::new());
        let queue = InProcess::new(Settings::default(), Arc::clone(&time) as Arc<dyn TimeSource>);
        let mut run = driver(&spec, Some(10)).unwrap();
        let part = run.next(1).unwrap().unwrap();
        let offered = Task {
            batches: part.batches,
            spec: Arc::new(spec.clone()),
            unit: part.unit.clone(),
            ..task(1)
        };
        for worker in ["gone", "here"] {
            queue.stand(&name(worker), Standing::Admitted).unwrap();
            queue.announce(&introduced(worker)).unwrap();
        }
        queue.offer(&offered).unwrap();
        let lease =
            |worker: &str| queue.lease(&name(worker), &[Pool::any()], Duration::ZERO).unwrap();
        assert!(lease("gone").is_some() && lease("here").is_none());
        time.advance(queue.settings().lease + Duration::from_secs(1));
        let again = lease("here").expect("the task waits again");
        assert_eq!(again.task.unit, part.unit);
        let equipment = Equipment::own(Arc::new(WallTime::start()), 1);
        let mut slot = Slot::new(&equipment, 0, Arc::default());
        let made = slot.batch(&again.task, 0, &queue).unwrap();
        queue.finish(&again.key, &made).unwrap();
        let events = queue.watch(Cursor::default(), 9, Duration::ZERO).unwrap();
        let came = events.into_iter().find_map(|(_, event)| match event {
            Event::Finished { batch, .. } => Some(batch.product),
            _ => None,
        });
        let came = came.expect("what was played");
        // A game in the place of another is not what was to be played.
        let lied = run.accept(&part.unit, 1..11, &came).unwrap_err();
        assert!(lied.reason.contains("game "), "{lied}");
        assert_eq!(run.progress().done, 0);
        assert_eq!(run.accept(&part.unit, 0..10, &came).unwrap().games, 10);
        assert_eq!(run.verdict().as_deref(), Some("all games are played"));
    }
}
