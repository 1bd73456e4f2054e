//! Games of reinforcement learning by the fleet of a folder: every generation is a run of it.

use crate::awaited::{ANSWER, run_of, wait_for};
use crate::data_folder::{DataFolder, Request};
use crate::error::FleetError;
use crate::export::{places, product};
use crate::ledger::{Ledger, RunState};
use crate::start::LogSink;
use fleet::exchange::{LocalPlayers, teacher_games};
use fleet::{Priority, RunId, Spec};
use reinforce::elsewhere::{GamePlayer, GamesOrder};
use reinforce::run::Machine;
use reinforce::{FinishedGame, PlayError};
use std::ops::{ControlFlow, Range};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use think::TimeSource;

/// What names the fleet of this process.
const SELF: &str = "self";
/// What a generation is called among the runs.
const NAME: &str = "reinforce";

/// Whoever plays games by the fleet of a folder, or by one in this process for `self`; refused where something else than
/// this program computes the net. `now` tells seconds since 1970; `log` is told what a run waits for.
pub fn players(
    fleet: &Path,
    machine: &Machine,
    time: Arc<dyn TimeSource>,
    now: fn() -> i64,
    log: LogSink,
) -> Result<Box<dyn GamePlayer>, String> {
    let local = LocalPlayers::of(machine, time)?;
    if fleet == Path::new(SELF) {
        return Ok(local);
    }
    Ok(Box::new(ServedPlayers { data: DataFolder::new(fleet), now, log }))
}

/// The fleet served in a folder.
struct ServedPlayers {
    data: DataFolder,
    now: fn() -> i64,
    log: LogSink,
}

impl GamePlayer for ServedPlayers {
    fn play(
        &self,
        order: &GamesOrder,
        games: Range<u64>,
        stop: &AtomicBool,
        take: &mut dyn FnMut(FinishedGame) -> ControlFlow<()>,
    ) -> Result<(), PlayError> {
        if games.is_empty() {
            return Ok(());
        }
        let played = self.played(order, games, stop, take);
        played.map_err(|error| PlayError::Elsewhere(error.to_string()))
    }
}

impl ServedPlayers {
    fn played(
        &self,
        order: &GamesOrder,
        games: Range<u64>,
        stop: &AtomicBool,
        take: &mut dyn FnMut(FinishedGame) -> ControlFlow<()>,
    ) -> Result<(), FleetError> {
        let ledger = self.data.beside()?;
        let run = self.run(&ledger, order, games.end)?;
        (self.log)(&format!("{run} plays the games; an interrupt ends the waiting, not the run"));
        // A worker that is caught has its games played again: they count when all are there.
        if !wait_for(&self.data, &ledger, run, stop, self.log)? {
            return Ok(());
        }
        let (places, mut last) = (places(&ledger, run)?, None);
        for number in games {
            let refused = |why: String| FleetError::Refused(format!("{run}, game {number}: {why}"));
            let place = *places.get(&number).ok_or_else(|| refused("is missing".to_owned()))?;
            let made = teacher_games(&product(&ledger, place, &mut last)?);
            let made = made.map_err(|fault| refused(fault.to_string()))?.into_iter().nth(place.3);
            let made = made.ok_or_else(|| refused("is not in its batch".to_owned()))?;
            let game = order.taken(number, made.game, made.nodes).map_err(refused)?;
            if take(game).is_break() {
                break;
            }
        }
        Ok(())
    }

    /// The run of these games: one that was asked for before and goes on or is over, else a new one.
    fn run(&self, ledger: &Ledger, order: &GamesOrder, goal: u64) -> Result<RunId, FleetError> {
        let request = Request {
            name: NAME.to_owned(),
            spec: Spec::Reinforce(Box::new(order.clone())),
            goal: Some(goal),
            priority: Priority::Normal,
            share: 1.0,
        };
        let wanted = self.data.pinned(&request.spec)?;
        for row in ledger.runs()? {
            let is_alive = row.state != RunState::Stopped;
            if is_alive && row.goal == request.goal && *row.spec == wanted {
                return Ok(row.id);
            }
        }
        run_of(self.data.submit(request, "local", (self.now)(), ANSWER)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::ServeRequest;
    use balance::{Balance, Start, Table};
    use reinforce::PlaySettings;
    use reinforce::elsewhere::OrderPlayer;
    use reinforce::lots::{Assignments, Lots};
    use rules::Game;

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

    /// With the coordinator of a folder, its own threads and everything.
    #[test]
    fn the_fleet_of_a_folder_plays_the_same_games_once() {
        let folder = tempfile::tempdir().unwrap();
        let data = &DataFolder::new(folder.path());
        let players = ServedPlayers { data: data.clone(), now: || 1, log: |_| () };
        let (on, order) = (AtomicBool::new(false), order());
        let play = |games: Range<u64>, broken_off: bool| {
            let mut all = Vec::new();
            let take = &mut |game: FinishedGame| {
                all.push(game);
                ControlFlow::Continue(())
            };
            let waiting = AtomicBool::new(broken_off);
            players.play(&order, games, &waiting, take).map(|()| all)
        };
        assert!(play(0..10, false).unwrap_err().to_string().contains("fleet"), "no ledger");
        let (all, rest, runs) = ServeRequest::beside_one(data, || {
            // Whoever is told to stop waits no longer, and finds the run again, with what is missing of it.
            play(0..70, true).unwrap();
            let (all, rest) = (play(0..70, false), play(50..70, false));
            (all.unwrap(), rest.unwrap(), data.beside().and_then(|ledger| ledger.runs()).unwrap())
        });
        let alone = OrderPlayer::new(&order).unwrap().play(0..70, &on).unwrap().unwrap();
        assert!(all == alone, "other games");
        assert!(rest == alone[50..], "other games");
        assert_eq!(runs.len(), 1, "one run for one generation");
    }
}
