use super::*;
use rules::AnyPosition;
use std::collections::BTreeSet;

#[test]
fn levels_rise() {
    for (number, level) in LEVELS.iter().enumerate() {
        assert_eq!(level.id as usize, number + 1);
        assert_eq!(Level::find(level.id), Some(level));
        for text in [level.name.en, level.name.ja, level.text.en, level.text.ja] {
            assert!(!text.is_empty());
        }
    }
    for pair in LEVELS.windows(2) {
        assert!(pair[0].slips >= pair[1].slips && pair[0].blur >= pair[1].blur);
        assert!(pair[0].time <= pair[1].time);
        assert!(pair[0].nodes.unwrap_or(u64::MAX) < pair[1].nodes.unwrap_or(u64::MAX));
    }
    assert_eq!(Level::find(11), None);
}

fn drawn(level: usize, scores: &[i32]) -> Vec<usize> {
    let position = AnyPosition::startpos(rules::Game::Shogi);
    let legal = position.legal_moves();
    let lines: Vec<(Move, Score)> =
        scores.iter().zip(&legal).map(|(&cp, &m)| (m, Score::Cp(cp))).collect();
    let choose = |ply| choose(&LEVELS[level - 1], &legal, &lines, &mut rng(7, ply));
    (0..1000).map(|ply| legal.iter().position(|&m| Some(m) == choose(ply)).unwrap()).collect()
}

#[test]
fn strong_levels_play_the_best_and_weak_ones_vary() {
    assert!(drawn(10, &[10, 9, 8]).iter().all(|&i| i == 0));
    let weak: BTreeSet<usize> = drawn(1, &[0, -100, -200, -300]).into_iter().collect();
    assert!(weak.len() > 20, "also moves nobody read: {weak:?}");
    let casual = drawn(6, &[0, -20, -400]);
    let count = |n| casual.iter().filter(|&&i| i == n).count();
    assert!(count(0) > count(1) && count(1) > 100 && count(2) == 0);
}

#[test]
fn the_first_level_often_misses_what_hangs() {
    let best = drawn(1, &[900, 0, 0, 0, 0, 0]).iter().filter(|&&i| i == 0).count();
    assert!((300..700).contains(&best), "{best} of 1000");
    let best = drawn(5, &[900, 0, 0, 0, 0, 0]).iter().filter(|&&i| i == 0).count();
    assert!(best > 950, "{best} of 1000");
}

#[test]
fn openings_vary_without_being_strange() {
    let position = AnyPosition::startpos(rules::Game::Shogi);
    let legal = position.legal_moves();
    let scores = [30, 20, 5, -20, -80, -300];
    let lines: Vec<(Move, Score)> =
        scores.iter().zip(&legal).map(|(&cp, &m)| (m, Score::Cp(cp))).collect();
    let mut seen = [0; 6];
    for ply in 0..1000 {
        let m = choose_opening(LEVELS[0].opening(), &lines, &mut rng(3, ply)).unwrap();
        seen[lines.iter().position(|(known, _)| *known == m).unwrap()] += 1;
    }
    assert!(seen[..4].iter().all(|&n| n > 50), "{seen:?}");
    assert_eq!(seen[4..], [0, 0], "within 70 of the best");
    assert_eq!(choose_opening(LEVELS[0].opening(), &[], &mut rng(3, 1)), None);
}

/// The level for somebody with these results in even games, in an even game.
fn suited(results: &[(u32, f64)]) -> u32 {
    let game = |&(level, result): &(u32, f64)| LevelGame { level, advantage: 0.0, result };
    adapted(&results.iter().map(game).collect::<Vec<_>>(), 0.0)
}

#[test]
fn a_handicap_counts_for_what_it_is_worth() {
    // Whoever wins every second game with a handicap of a level is a level weaker than it.
    let step = worth::level_step().points();
    let games = [0.0, 1.0].map(|result| LevelGame { level: 5, advantage: step, result });
    let games = games.repeat(20);
    for (levels, level) in [(0.0, 4), (1.0, 5), (2.0, 6), (-1.0, 3), (36.0, 10), (-36.0, 1)] {
        assert_eq!(adapted(&games, levels * step), level, "{levels}");
    }
    let even = games.iter().map(|game| LevelGame { advantage: 0.0, ..*game });
    assert_eq!(adapted(&even.collect::<Vec<_>>(), 0.0), 5);
}

#[test]
fn levels_adapt_to_results() {
    assert_eq!(suited(&[]), 3);
    let after = |level, result, games| suited(&vec![(level, result); games]);
    assert!(after(3, 1.0, 1) > 3 && after(3, 0.0, 1) < 3);
    assert!(after(3, 0.5, 9) == 3);
    assert!(after(1, 0.0, 20) == 1 && after(10, 1.0, 20) == 10, "no lower and no higher");
    // Whoever wins at his level and loses at the next stays between them.
    let mut results = Vec::new();
    for _ in 0..20 {
        let level = suited(&results);
        results.push((level, if level <= 6 { 1.0 } else { 0.0 }));
    }
    assert!((6..=7).contains(&suited(&results)), "{results:?}");
}

/// What somebody whose strength lies between levels scores against a level.
fn expected(level: u32, strength: f64) -> f64 {
    let above = worth::level_step().points() * (f64::from(level) - strength);
    1.0 / (1.0 + 10f64.powf(above / 400.0))
}

/// Games of somebody whose strength lies between levels, against the level that adapts to the last 40 of them: the
/// levels met, and the points made.
fn season(strength: f64, games: usize, seed: u64) -> (Vec<u32>, Vec<f64>) {
    let mut rng = Rng::new(seed);
    let (mut levels, mut points): (Vec<u32>, Vec<f64>) = (Vec::new(), Vec::new());
    for number in 0..games {
        let window = number.saturating_sub(40);
        let known: Vec<(u32, f64)> =
            levels.iter().copied().zip(points.iter().copied()).skip(window).collect();
        let level = suited(&known);
        let wins = expected(level, strength);
        levels.push(level);
        points.push(if rng.unit() < wins { 1.0 } else { 0.0 });
    }
    (levels, points)
}

#[test]
fn the_level_finds_whoever_plays_it_and_stays_with_them() {
    for strength in [1.4, 2.0, 3.5, 5.0, 6.7, 8.2, 9.5] {
        let (mut apart, mut made, mut early, mut counted) = (0.0, 0.0, 0.0, 0.0);
        for seed in 0..60 {
            let (levels, points) = season(strength, 120, seed);
            for (number, (level, point)) in levels.iter().zip(&points).enumerate() {
                let distance = (f64::from(*level) - strength).abs();
                match number {
                    // What is known after a dozen games is enough to be near.
                    12..20 => early += distance / 8.0,
                    20.. => {
                        apart += distance;
                        made += point;
                        counted += 1.0;
                    }
                    _ => {}
                }
            }
        }
        assert!(early / 60.0 < 1.6, "{strength}: {} levels apart after twelve games", early / 60.0);
        assert!(apart / counted < 1.0, "{strength}: {} levels apart", apart / counted);
        assert!((0.42..0.58).contains(&(made / counted)), "{strength}: {}", made / counted);
    }
}

#[test]
fn somebody_who_learns_is_followed() {
    let mut moved = 0;
    for seed in 0..40 {
        let (levels, points) = season(3.0, 40, seed);
        let mut known: Vec<(u32, f64)> = levels.into_iter().zip(points).collect();
        let mut rng = Rng::new(seed ^ 1);
        for _ in 0..40 {
            let level = suited(&known[known.len() - 40..]);
            let wins = expected(level, 7.0);
            known.push((level, if rng.unit() < wins { 1.0 } else { 0.0 }));
        }
        moved += usize::from((6..=8).contains(&suited(&known[known.len() - 40..])));
    }
    assert!(moved >= 36, "{moved} of 40 are met where they play now");
}

#[test]
fn the_same_seed_gives_the_same_move() {
    assert_eq!(drawn(2, &[50, 40, 30]), drawn(2, &[50, 40, 30]));
    assert_ne!(rng(1, 1).bits(), rng(1, 2).bits());
    assert_ne!(rng(1, 1).bits(), rng(2, 1).bits());
}

#[test]
fn without_lines_there_is_still_a_move() {
    let position = AnyPosition::startpos(rules::Game::Minishogi);
    let legal = position.legal_moves();
    let mut rng = rng(0, 0);
    assert!(choose(&LEVELS[9], &legal, &[], &mut rng).is_some());
    assert_eq!(choose(&LEVELS[0], &[], &[], &mut rng), None);
}
