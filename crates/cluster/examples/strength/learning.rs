//! What each vote of a council is worth, learned from games of it.

use crate::engines::{EngineChoice, EngineSet};
use crate::pairings::{Team, councils};
use crate::{Arguments, MOVETIME, in_threads, openings, print, settings};
use cluster::simulation::play_logged_duel;
use cluster::weights::{Votes, Weights, values, votes};
use std::sync::Mutex;

/// The first pair of games that `play` never comes to, with 400 games or less.
const FIRST_PAIR: usize = 200;

/// Plays every council that learns, and writes what it learned to a file of its name in the folder.
pub(crate) fn learn(arguments: &Arguments) {
    let (openings, folder) = (openings(arguments.path(1)), arguments.path(2));
    let (games, threads) = (arguments.number("games", 40), arguments.number("threads", 1));
    let judging = arguments.number("judge", 20_000) as u64;
    let speed = arguments.number("nodes", 1000) as f64 / MOVETIME as f64;
    let engines = EngineSet::load();
    let alone = Team::one(EngineChoice::Net, 1.0, false);
    std::fs::create_dir_all(folder).expect("a folder that can be made");
    for (name, members) in councils() {
        let team = Team::council(name, &members, "", false);
        let log = Mutex::new(String::new());
        in_threads(threads, games, |number| {
            let sides = [team.side(&engines, speed), alone.side(&engines, speed)];
            let mut own = String::new();
            let settings = settings(&openings, FIRST_PAIR * 2 + number);
            play_logged_duel(sides, &settings, &mut |place, entries| {
                if place == 0 {
                    entries.iter().for_each(|entry| own += &(entry.line() + "\n"));
                }
            });
            *log.lock().expect("no thread has failed") += &own;
        });
        let log = log.into_inner().expect("no thread has failed");
        let found = votes(&log, rules::Game::Shogi);
        assert_eq!(found.strange, 0, "these are logs of masters");
        let weights = judged(&found, &engines, judging);
        let count = found.disputes.len();
        let origin = format!("{games} games, {count} disagreements, {judging} nodes a move");
        let text = weights.text(&origin);
        std::fs::write(folder.join(format!("{name}.toml")), &text)
            .expect("a file that can be written");
        print(&format!("{name}\n{text}"));
    }
}

fn judged(found: &Votes, engines: &EngineSet, nodes: u64) -> Weights {
    let work = || {
        let mut judge = engines.engine(EngineChoice::Net);
        cluster::weights::learn(found, |position, moves| {
            values(&mut *judge, position, moves, nodes)
        })
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(think::STACK);
        thread.spawn_scoped(scope, work).expect("a thread").join().expect("a judge")
    })
}
