//! Games between masters on a virtual clock.

use crate::harness::time;
use cluster::Config;
use cluster::simulation::{DuelReport, DuelSettings, Side, Thinker, play_duel};
use rules::{AnyPosition, Color, Game};

fn thinker(speed: f64) -> Thinker {
    let game = Game::Minishogi;
    let mut engine = assembly::search(game, &assembly::shipped(game), time());
    for (name, value) in [("USI_Hash", "4"), ("Threads", "1"), ("PvInterval", "0")] {
        engine.set_option(name, value).unwrap();
    }
    engine.is_ready(&mut |_| ());
    Thinker::new(engine, game, speed)
}

fn children(count: usize) -> String {
    (0..count).map(|i| format!("[[child]]\nname = \"c{i}\"\ninside = \"alphabeta\"\n")).collect()
}

fn play(config: &str, count: usize, speeds: [f64; 2], ponders: bool) -> DuelReport {
    let settings = DuelSettings {
        start: AnyPosition::startpos(Game::Minishogi),
        color: Color::Black,
        movetime: 1000,
        plies: 120,
    };
    let (config, one) = (config.to_owned(), children(1));
    let work = move || {
        let side = |config: &str, count, speed, ponders| Side {
            config: Config::parse(config).unwrap(),
            children: (0..count).map(|_| thinker(speed)).collect(),
            ponders,
        };
        let sides = [side(&config, count, speeds[0], ponders), side(&one, 1, speeds[1], false)];
        play_duel(sides, &settings)
    };
    let thread = std::thread::Builder::new().stack_size(think::STACK).spawn(work).unwrap();
    thread.join().unwrap()
}

/// Sixteen times the nodes win, from either side of the table; and a game can be repeated.
#[test]
fn time_is_counted_in_nodes() {
    let fast = play(&children(1), 1, [8.0, 0.1], false);
    assert_eq!(fast.half_points, 2, "{fast:?}");
    assert_eq!(fast, play(&children(1), 1, [8.0, 0.1], false));
    let slow = play(&children(1), 1, [0.1, 8.0], false);
    assert_eq!(slow.half_points, 0, "{slow:?}");
    assert_eq!(fast.sides[0].faults + slow.sides[0].faults, 0);
}

#[test]
fn groups_that_ponder_foresee_and_groups_that_consult_disagree() {
    let seer = "role = \"predictor\"\n";
    let ponder = "[ponder]\npredictor = \"c4\"\ndwell = 200\n";
    let config = format!("{ponder}{}{seer}", children(5));
    let report = play(&config, 5, [1.0, 1.0], true);
    let own = report.sides[0];
    assert!(own.moves > 5 && own.hits * 3 > own.moves, "{report:?}");
    assert_eq!(own.faults, 0);
    // Two groups of two, and both kinds of modes at once.
    let groups = "[[group]]\nname = \"a\"\nchildren = [\"c0\", \"c1\"]\nconsult = \"optimistic\"\n\
        [[group]]\nname = \"b\"\nchildren = [\"c2\", \"c3\"]\nconsult = \"exchange\"\n";
    let report = play(&format!("{config}{groups}"), 5, [1.0, 1.0], true);
    let own = report.sides[0];
    assert!(own.hits > 0 && own.consulted > 0, "{report:?}");
    assert_eq!(own.faults, 0);
}
