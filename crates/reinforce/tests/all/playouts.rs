use balance::{Exploration, Role};
use reinforce::nets::Players;
use reinforce::playouts::{MeasuredPlayouts, PlayoutMeasurement};
use reinforce::run::Machine;
use reinforce::training::Trainer;
use reinforce::{PlaySettings, RunError};
use rules::{Color, Game};
use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use teacher::Reader;
use think::{TimeSource, WallTime};

/// From two starts: two playouts against two, and against twelve.
fn measurement() -> PlayoutMeasurement {
    let game = Game::Minishogi;
    let exploration = Exploration { plies: 6, ..Exploration::default() };
    let mut play =
        PlaySettings { playouts: 2, max_moves: 30, exploration, ..PlaySettings::usual(game) };
    play.starts.truncate(2);
    PlayoutMeasurement { net: None, play, ratios: vec![1, 6], games: 2, seed: 5 }
}

fn run(
    measurement: &PlayoutMeasurement,
    out: &Path,
    threads: usize,
    after: u64,
) -> Result<MeasuredPlayouts, RunError> {
    let machine = Machine {
        threads: NonZeroUsize::new(threads).unwrap(),
        games: None,
        players: Players::Native { calibration: 8 },
        trainer: Trainer::default(),
        version: "0".to_owned(),
    };
    let stop = AtomicBool::new(false);
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    measurement.run(out, &machine, &time, &stop, &mut |progress| {
        stop.fetch_or(progress.new_games >= after, Ordering::Relaxed);
    })
}

fn games(out: &Path) -> Vec<teacher::Game> {
    let file = fs::File::open(PlayoutMeasurement::games_beside(out)).unwrap();
    Reader::new(file).unwrap().games().map(Result::unwrap).collect()
}

#[test]
fn broken_off_and_continued_it_is_the_same_measurement() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole.json"), folder.path().join("parts.json"));
    let measured = run(&measurement(), &whole, 2, u64::MAX).unwrap();
    assert!(matches!(run(&measurement(), &parts, 1, 5), Err(RunError::Interrupted)));
    assert_eq!(run(&measurement(), &parts, 2, u64::MAX).unwrap(), measured);
    assert_eq!(games(&whole), games(&parts));
    assert_eq!(fs::read(&whole).unwrap(), fs::read(&parts).unwrap());
    assert_eq!(MeasuredPlayouts::read(&whole).unwrap(), measured);
    // Two starts, three pairs, two games each.
    assert_eq!(games(&whole).len(), 12);
    let pairs: Vec<_> = measured
        .matches
        .iter()
        .map(|m| (&*m.start, m.giver.playouts, m.receiver.playouts))
        .collect();
    let from = |start| [(start, 2, 2), (start, 12, 2), (start, 2, 12)];
    assert_eq!(pairs, [from("even"), from("silver")].concat());
    assert!(measured.matches.iter().all(|m| m.score.games() == 2));
    assert!(measured.different.iter().all(|&games| (1..=2).contains(&games)));
    let told = run(&measurement(), &whole, 1, u64::MAX).unwrap_err().to_string();
    assert!(told.contains("is there already"), "{told}");
}

/// Whoever has two playouts looks at one move, whatever the other side has read.
#[test]
fn a_side_has_its_own_playouts_alone() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.json");
    run(&measurement(), &out, 2, u64::MAX).unwrap();
    let mut looked = [0, 0];
    for (number, game) in games(&out).iter().enumerate() {
        let few = [(2, 2), (12, 2), (2, 12)][number % 3];
        let mut side = game.start.turn();
        for ply in 0..game.plies.len() as u32 {
            let moves = game.candidates.iter().filter(|c| c.ply == ply).count();
            let playouts = if side == Color::White { few.0 } else { few.1 };
            assert!(moves < playouts, "game {number}, ply {ply}: {moves} moves");
            looked[usize::from(playouts == 12)] = moves.max(looked[usize::from(playouts == 12)]);
            side = side.opponent();
        }
    }
    assert!(looked[0] == 1 && looked[1] > 1, "{looked:?}");
}

#[test]
fn strengths_are_told_against_the_fewest_playouts() {
    let folder = tempfile::tempdir().unwrap();
    let measured = run(&measurement(), &folder.path().join("out.json"), 2, u64::MAX).unwrap();
    for role in [Role::Giver, Role::Receiver] {
        let rows = measured.strengths(role);
        let playouts: Vec<_> = rows.iter().map(|row| (&*row.start, row.player.playouts)).collect();
        assert_eq!(playouts, [("even", 2), ("even", 12), ("silver", 2), ("silver", 12)]);
        assert!(rows.iter().all(|row| row.opponent.playouts == 2));
    }
    let told = measured.told();
    assert!(told.contains("silver") && told.contains("of 12 games differ"), "{told}");
    assert!(measured.markdown().contains("| silver | 12 | 2 | 2 |"), "{}", measured.markdown());
    let none = PlayoutMeasurement { ratios: vec![0], ..measurement() };
    let refused = run(&none, &folder.path().join("none.json"), 1, u64::MAX).unwrap_err();
    assert!(refused.to_string().contains("ratio is 0"), "{refused}");
    let absent = MeasuredPlayouts::read(&folder.path().join("none.json")).unwrap_err().to_string();
    assert!(absent.contains("is missing"), "{absent}");
}
