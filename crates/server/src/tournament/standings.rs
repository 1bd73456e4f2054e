//! The order of the players by article 22 of the championship's rules.
//!
//! Points (a draw counts half), Solkoff (the points of all opponents), Sonneborn-Berger (of those
//! beaten; draws add nothing), median (of those beaten without the best and the worst of them),
//! wins less losses among those still equal, seed. That a draw adds nothing to Sonneborn-Berger
//! and that the median of two wins or fewer is zero is how the printed tables count.

use super::{Game, Seed};
use std::cmp::Reverse;

/// A player's line of the table. Points are counted in halves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    pub seed: Seed,
    /// Games won, drawn and lost.
    pub games: [u32; 3],
    /// Half points.
    pub points: u32,
    /// Half points of all opponents (Solkoff).
    pub solkoff: u32,
    /// Half points of the beaten (Sonneborn-Berger).
    pub berger: u32,
    /// The same without the best and the worst.
    pub median: u32,
    /// Wins less losses against those who are equal in all the above.
    pub direct: i32,
}

impl Row {
    fn tie(&self) -> [u32; 4] {
        [self.points, self.solkoff, self.berger, self.median]
    }
}

/// Half points of everybody.
pub fn points(entrants: usize, games: &[Game]) -> Vec<u32> {
    (0..entrants)
        .map(|who| games.iter().filter_map(|g| g.seen_by(who)).map(|(_, won)| won).sum())
        .collect()
}

/// The table, best first.
pub fn standings(entrants: usize, games: &[Game]) -> Vec<Row> {
    let points = points(entrants, games);
    let of = |who: Seed| points.get(who).copied().unwrap_or(0);
    let mut rows: Vec<Row> = (0..entrants)
        .map(|seed| {
            let seen: Vec<(Seed, u32)> = games.iter().filter_map(|g| g.seen_by(seed)).collect();
            let count = |value: u32| seen.iter().filter(|(_, won)| *won == value).count() as u32;
            let mut beaten: Vec<u32> =
                seen.iter().filter(|(_, won)| *won == 2).map(|&(who, _)| of(who)).collect();
            beaten.sort_unstable();
            let inner = if beaten.len() > 2 { &beaten[1..beaten.len() - 1] } else { &[] };
            Row {
                seed,
                games: [count(2), count(1), count(0)],
                points: of(seed),
                solkoff: seen.iter().map(|&(who, _)| of(who)).sum(),
                berger: beaten.iter().sum(),
                median: inner.iter().sum(),
                direct: 0,
            }
        })
        .collect();
    let all = rows.clone();
    for row in &mut rows {
        let equal = |who: Seed| all.get(who).is_some_and(|other| other.tie() == row.tie());
        let among = games.iter().filter_map(|g| g.seen_by(row.seed)).filter(|&(who, _)| equal(who));
        row.direct = among.map(|(_, won)| won as i32 - 1).sum();
    }
    rows.sort_by_key(|row| (Reverse(row.tie()), Reverse(row.direct), row.seed));
    rows
}

#[cfg(test)]
mod tests {
    use super::super::Pair;
    use super::*;
    use rules::Color;

    const TABLES: [(&str, usize); 3] = [
        (include_str!("../../tests/data/wcsc28-first.tsv"), 8),
        (include_str!("../../tests/data/wcsc28-second.tsv"), 9),
        (include_str!("../../tests/data/wcsc28-final.tsv"), 7),
    ];

    struct Line<'a> {
        name: &'a str,
        seed: Seed,
        results: Vec<(usize, u32)>,
        figures: Vec<u32>,
    }

    fn read(text: &str, rounds: usize) -> Vec<Line<'_>> {
        let halves = |text: &str| (text.parse::<f64>().unwrap() * 2.0) as u32;
        let result = |text: &str| {
            let (opponent, sign) = text.split_at(text.len() - 1);
            let won = match sign {
                "+" => 2,
                "=" => 1,
                "-" => 0,
                other => panic!("{other}"),
            };
            (opponent.parse::<usize>().unwrap() - 1, won)
        };
        text.lines()
            .filter(|line| !line.starts_with('#'))
            .map(|line| {
                let fields: Vec<&str> = line.split('\t').collect();
                Line {
                    name: fields[1],
                    seed: fields[2].parse::<usize>().unwrap() - 1,
                    results: fields[3..3 + rounds].iter().map(|f| result(f)).collect(),
                    figures: fields[3 + rounds..].iter().map(|f| halves(f)).collect(),
                }
            })
            .collect()
    }

    fn games(lines: &[Line<'_>]) -> Vec<Game> {
        let mut games = Vec::new();
        for (rank, line) in lines.iter().enumerate() {
            for (round, &(opponent, won)) in line.results.iter().enumerate() {
                let other = lines[opponent].results[round];
                assert_eq!(other, (rank, 2 - won), "{} round {}", line.name, round + 1);
                if line.seed < lines[opponent].seed {
                    let winner = [Some(Color::White), None, Some(Color::Black)][won as usize];
                    let pair = Pair { black: line.seed, white: lines[opponent].seed };
                    games.push(Game { round, pair, winner });
                }
            }
        }
        games
    }

    #[test]
    fn the_tables_of_the_28th_championship_row_by_row() {
        for (text, rounds) in TABLES {
            let lines = read(text, rounds);
            let rows = standings(lines.len(), &games(&lines));
            for (row, line) in rows.iter().zip(&lines) {
                assert_eq!(row.seed, line.seed, "{}", line.name);
                let all = [row.points, row.solkoff, row.berger, row.median];
                // The final's table has no Solkoff: it is the same for equal points.
                let figures = match line.figures.len() {
                    4 => all.to_vec(),
                    _ => vec![row.points, row.berger, row.median],
                };
                assert_eq!(figures, line.figures, "{}", line.name);
            }
        }
    }

    #[test]
    fn the_pairings_of_the_28th_championship_follow_the_rule_we_use() {
        use super::super::pairing;
        for (text, rounds) in &TABLES[..2] {
            let lines = read(text, *rounds);
            let games = games(&lines);
            for round in 0..2 {
                let mut held: Vec<(Seed, Seed)> = games
                    .iter()
                    .filter(|g| g.round == round)
                    .map(|g| (g.pair.black, g.pair.white))
                    .collect();
                let before: Vec<Game> = games.iter().filter(|g| g.round < round).copied().collect();
                let mut ours: Vec<(Seed, Seed)> =
                    pairing::championship(lines.len(), round, &before)
                        .iter()
                        .map(|p| (p.black.min(p.white), p.black.max(p.white)))
                        .collect();
                held.sort_unstable();
                ours.sort_unstable();
                assert_eq!(ours, held, "round {}", round + 1);
            }
            // The third round stays within the groups of the first one's results.
            let first: Vec<Game> = games.iter().filter(|g| g.round == 0).copied().collect();
            let points = points(lines.len(), &first);
            for game in games.iter().filter(|g| g.round == 2) {
                assert_eq!(points[game.pair.black], points[game.pair.white]);
            }
        }
    }

    #[test]
    fn the_final_was_scheduled_by_exclusive_or() {
        use super::super::pairing;
        let lines = read(TABLES[2].0, 7);
        let games = games(&lines);
        let schedule = pairing::round_robin(8);
        for game in &games {
            let met = schedule[game.round]
                .iter()
                .any(|p| p.has(game.pair.black) && p.has(game.pair.white));
            assert!(met, "{game:?}");
        }
    }

    #[test]
    fn head_to_head_then_seed() {
        let pair = |black, white| Pair { black, white };
        let game = |black, white, winner| Game { round: 0, pair: pair(black, white), winner };
        // Two beat the same opponent and each other's equal; 1 beat 0 directly.
        let games = [
            game(1, 0, Some(Color::Black)),
            game(0, 2, Some(Color::Black)),
            game(2, 1, Some(Color::Black)),
        ];
        let order: Vec<Seed> = standings(3, &games).iter().map(|r| r.seed).collect();
        assert_eq!(order, [0, 1, 2], "a circle: the seed decides");
        let games =
            [game(3, 1, None), game(2, 0, None), game(0, 1, Some(Color::White)), game(2, 3, None)];
        let rows = standings(4, &games);
        assert_eq!(rows[0].seed, 1);
        assert_eq!(rows.iter().map(|r| r.games.iter().sum::<u32>()).sum::<u32>(), 8);
    }
}
