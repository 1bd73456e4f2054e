//! Many games at a time with clocks so short that any delay of the runner would lose games.

use crate::mocks::{engine, plan, play};
use arena::{Finished, Plan};
use engines::FaultKind;
use std::time::Duration;

fn crowd(concurrency: usize, games: u64, max_moves: u32) -> Plan {
    let keys = "tc=0.2+0.002";
    let mut plan = plan(vec![engine("a", "delay 2", keys), engine("b", "delay 2", keys)], games);
    plan.concurrency = concurrency;
    plan.terms.margin = Duration::from_millis(50);
    plan.terms.rules.max_moves = Some(max_moves);
    plan
}

fn lost_by_time(games: &[Finished]) -> usize {
    let by_time =
        |game: &&Finished| game.played.end.fault().is_some_and(|(_, f)| f.kind == FaultKind::Time);
    games.iter().filter(by_time).count()
}

fn check(concurrency: usize, games: u64, max_moves: u32) {
    let plan = crowd(concurrency, games, max_moves);
    let games = play(&plan);
    assert_eq!(games.len() as u64, plan.schedule.games());
    let starved: u32 = games.iter().map(|game| game.played.starved).sum();
    let faults: Vec<_> = games.iter().filter_map(|game| game.played.end.fault()).collect();
    assert_eq!(lost_by_time(&games), 0, "{faults:?}, {starved} moves starved");
    assert!(faults.is_empty(), "{faults:?}");
}

#[test]
fn twenty_at_a_time_lose_nothing_by_time() {
    check(20, 60, 60);
}

/// The whole crowd: minutes long, so only on demand.
#[test]
#[ignore = "two thousand games, one hundred at a time"]
fn a_hundred_at_a_time_lose_nothing_by_time() {
    check(100, 2000, 320);
}
