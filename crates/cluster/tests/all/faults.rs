//! Games in virtual time with children that do everything wrong.

use cluster::Config;
use cluster::simulation::{GameSettings, Misbehaviour, play_game};
use play::{ClockRule, Credit, GameTime};
use rules::Game;
use std::collections::BTreeSet;
use std::time::Duration;

fn games(text: &str, count: u64, game: Game) -> (u32, BTreeSet<Misbehaviour>) {
    let config = Config::parse(text).unwrap();
    let (mut hits, mut seen) = (0, BTreeSet::new());
    for seed in 0..count {
        let millis = |ms: u64| Duration::from_millis(ms);
        let (main, byoyomi, increment) =
            [(0, 1000, 0), (10_000, 0, 500), (20_000, 0, 0), (0, 300, 0)][seed as usize % 4];
        let time = GameTime {
            main: millis(main),
            byoyomi: millis(byoyomi),
            increment: millis(increment),
            credit: Credit::AfterMove,
            delay: Duration::ZERO,
        };
        let report = play_game(&GameSettings {
            config: config.clone(),
            game,
            seed,
            clock: ClockRule { game: Some(time), ..ClockRule::default() },
            misbehaviours: 0.3,
            plies: 40,
        });
        assert_eq!(report.failures, Vec::<String>::new(), "seed {seed}");
        assert!(report.moves > 0);
        hits += report.hits;
        seen.extend(report.misbehaviours.into_keys());
    }
    (hits, seen)
}

#[test]
fn voters_that_fail_lose_no_game() {
    let (_, seen) = games(include_str!("../../examples/configs/majority.toml"), 60, Game::Shogi);
    let all: BTreeSet<Misbehaviour> = Misbehaviour::ALL.into_iter().collect();
    let missing: Vec<_> = all.difference(&seen).collect();
    assert!(missing.len() <= 1, "what nobody did is not tested: {missing:?}");
}

#[test]
fn exchange_and_arbiter_survive_faults() {
    games(include_str!("../../examples/configs/exchange.toml"), 40, Game::Shogi);
    games(include_str!("../../examples/configs/arbiter.toml"), 40, Game::Minishogi);
}

#[test]
fn pondering_groups_survive_faults_and_foresee() {
    let (hits, _) = games(include_str!("../../examples/configs/ponder.toml"), 60, Game::Shogi);
    assert!(hits > 100, "{hits} moves foreseen");
}

/// The same seed plays the same game: whatever fails can be looked at again.
#[test]
fn games_can_be_repeated() {
    let config = Config::parse(include_str!("../../examples/configs/ponder.toml")).unwrap();
    let time = GameTime { byoyomi: Duration::from_secs(1), ..GameTime::default() };
    let settings = GameSettings {
        config,
        game: Game::Shogi,
        seed: 9,
        clock: ClockRule { game: Some(time), ..ClockRule::default() },
        misbehaviours: 0.3,
        plies: 30,
    };
    assert_eq!(play_game(&settings), play_game(&settings));
}
