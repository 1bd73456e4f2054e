//! Levels: from somebody who has just learnt the moves to the engine at its best.
//!
//! A weak level is weak in the way of weak players: it looks ahead little, mistakes the worth of
//! moves, and now and then plays a random move. The lowest can be beaten by a
//! beginner. Everything is drawn from a seed: the same game gives the same moves.

use crate::score;
use crate::words::Words;
use balance::worth;
use rules::{Handicap, Move};
use seed::Rng;
use std::time::Duration;
use think::Score;

/// How a level plays.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Level {
    /// From 1.
    pub id: u32,
    /// A short name.
    pub name: Label,
    /// What to expect.
    pub text: Label,
    /// Within this time it answers.
    pub time: Duration,
    /// Nodes it reads; `None` for all it has time for.
    pub nodes: Option<u64>,
    /// Plies it looks ahead.
    pub depth: Option<u32>,
    /// Moves it weighs against each other.
    pub lines: u32,
    /// By how much it misjudges a move, in hundredths of a pawn.
    pub blur: f64,
    /// How often, in a hundred moves, it plays a random move.
    pub slips: u32,
}

impl Level {
    /// Whether it plays as well as it can.
    pub const fn is_full(&self) -> bool {
        self.nodes.is_none()
    }

    /// The level of that number.
    pub fn find(id: u32) -> Option<&'static Self> {
        LEVELS.iter().find(|level| level.id == id)
    }
}

/// A text of the table, in both languages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Label {
    pub en: &'static str,
    pub ja: &'static str,
}

impl Label {
    /// Both languages, for a message.
    pub fn words(self) -> Words {
        Words::new(self.en, self.ja)
    }
}

const fn words(en: &'static str, ja: &'static str) -> Label {
    Label { en, ja }
}

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

/// Every level, the weakest first.
pub const LEVELS: [Level; 10] = [
    Level {
        id: 1,
        name: words("First steps", "はじめて"),
        text: words(
            "Knows how the pieces move and little else. Often plays at random and leaves pieces hanging: a beginner wins.",
            "駒の動かし方を覚えたばかり。でたらめな手が多く、駒をただで取られます。初めての人でも勝てます。",
        ),
        time: ms(500),
        nodes: Some(6_000),
        depth: Some(1),
        lines: 600,
        blur: 450.0,
        slips: 45,
    },
    Level {
        id: 2,
        name: words("Beginner", "入門"),
        text: words(
            "Takes what is offered, seldom sees what is threatened. Every third move is a slip.",
            "取れる駒は取りますが、狙われていることにはなかなか気づきません。三手に一手は悪手です。",
        ),
        time: ms(500),
        nodes: Some(8_000),
        depth: Some(1),
        lines: 600,
        blur: 250.0,
        slips: 30,
    },
    Level {
        id: 3,
        name: words("Learner", "初級"),
        text: words(
            "Looks one exchange ahead and still overlooks a lot. For those who know the rules well.",
            "駒の取り合いを一度だけ読みます。見落としはまだ多め。ルールに慣れた人向け。",
        ),
        time: ms(500),
        nodes: Some(10_000),
        depth: Some(2),
        lines: 64,
        blur: 150.0,
        slips: 16,
    },
    Level {
        id: 4,
        name: words("Casual", "初級の上"),
        text: words(
            "Guards its pieces and punishes gross mistakes, with a slip now and then.",
            "駒を守り、大きなミスはとがめます。ときどき間違えます。",
        ),
        time: ms(500),
        nodes: Some(12_000),
        depth: Some(3),
        lines: 24,
        blur: 90.0,
        slips: 8,
    },
    Level {
        id: 5,
        name: words("Club player", "中級"),
        text: words(
            "Plays sensible moves and finds short mates. Slips rarely.",
            "手堅く指し、短い詰みは見つけます。間違いはまれです。",
        ),
        time: ms(800),
        nodes: Some(16_000),
        depth: Some(5),
        lines: 12,
        blur: 50.0,
        slips: 2,
    },
    Level {
        id: 6,
        name: words("Strong club player", "中級の上"),
        text: words(
            "Reads several moves ahead, prefers good moves to best ones.",
            "数手先まで読みます。最善ではないこともあります。",
        ),
        time: ms(1000),
        nodes: Some(25_000),
        depth: None,
        lines: 6,
        blur: 25.0,
        slips: 0,
    },
    Level {
        id: 7,
        name: words("Expert", "上級"),
        text: words("Hardly makes a mistake in a fight.", "戦いではほとんど間違えません。"),
        time: ms(1500),
        nodes: Some(60_000),
        depth: None,
        lines: 3,
        blur: 10.0,
        slips: 0,
    },
    Level {
        id: 8,
        name: words("Master", "有段"),
        text: words(
            "The best move it finds in a fraction of a second.",
            "一秒足らずで読める最善の手を指します。",
        ),
        time: ms(2000),
        nodes: Some(200_000),
        depth: None,
        lines: 1,
        blur: 0.0,
        slips: 0,
    },
    Level {
        id: 9,
        name: words("Grandmaster", "高段"),
        text: words(
            "The best move it finds in a second or two.",
            "一、二秒で読める最善の手を指します。",
        ),
        time: ms(3000),
        nodes: Some(1_000_000),
        depth: None,
        lines: 1,
        blur: 0.0,
        slips: 0,
    },
    Level {
        id: 10,
        name: words("Full strength", "最強"),
        text: words(
            "Everything the engine can do within five seconds, or by the clock of the game.",
            "五秒まで、または持ち時間に合わせて、全力で指します。",
        ),
        time: ms(5000),
        nodes: None,
        depth: None,
        lines: 1,
        blur: 0.0,
        slips: 0,
    },
];

/// How the opening is played: without slips, among moves nearly as good as the best, so that no two games begin alike
/// and none begins strangely.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Opening {
    /// Moves of the game, of both sides, it lasts.
    pub plies: usize,
    /// Moves it weighs against each other.
    pub lines: u32,
    /// By how much the best may be better, in hundredths of a pawn.
    pub near: i32,
}

impl Level {
    /// How this level plays the opening.
    pub const fn opening(&self) -> Opening {
        match self.id {
            ..=5 => Opening { plies: 16, lines: 12, near: 70 },
            6..=8 => Opening { plies: 12, lines: 6, near: 45 },
            _ => Opening { plies: 8, lines: 4, near: 25 },
        }
    }

    /// Whether it takes its time as people do, where that is wanted: stronger levels use theirs anyway.
    pub const fn can_pace(&self) -> bool {
        self.id <= 7
    }
}

/// A move of the opening: one of the lines near the best, better ones more often.
pub fn choose_opening(opening: Opening, lines: &[(Move, Score)], rng: &mut Rng) -> Option<Move> {
    let &(_, best) = lines.first()?;
    let near = lines.iter().take_while(|(_, s)| score::cp(best) - score::cp(*s) <= opening.near);
    let blur = f64::from(opening.near) / 2.0;
    drawn(near, blur, rng)
}

/// The level of somebody nobody knows yet.
const FIRST: f64 = 3.0;

/// A finished game of somebody against a level.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LevelGame {
    pub level: u32,
    /// What the handicap was worth to them, in Elo; below zero where they gave it.
    pub advantage: f64,
    /// 1 for a win, 0 for a loss.
    pub result: f64,
}

/// What a handicap is worth to a level, in levels.
pub fn worth_in_levels(handicap: Handicap, level: u32) -> f64 {
    worth::between_levels(handicap, level.into()).points() / worth::level_step().points()
}

/// As which level somebody plays who has these games against levels, the oldest first; `None` without any.
pub fn strength(games: &[LevelGame]) -> Option<f64> {
    let mut strength = f64::from(games.first()?.level);
    let step_up = worth::level_step().points();
    for (number, game) in games.iter().enumerate() {
        let above = step_up * (f64::from(game.level) - strength) - game.advantage;
        let expected = 1.0 / (1.0 + 10f64.powf(above / 400.0));
        // Large steps first, while little is known.
        let step = if number < 5 { 1.6 } else { 0.8 };
        strength = (strength + step * (game.result - expected)).clamp(1.0, LEVELS.len() as f64);
    }
    Some(strength)
}

/// The level that suits somebody with these games, the oldest first, in a game in which a handicap is worth
/// so much to them.
pub fn adapted(games: &[LevelGame], advantage: f64) -> u32 {
    let strength = strength(games).unwrap_or(FIRST);
    let wanted = strength + advantage / worth::level_step().points();
    let wanted = wanted.clamp(1.0, LEVELS.len() as f64);
    // Between one and ten: the clamp above says so.
    wanted.round() as u32
}

/// The random numbers of one move of one game: the same seed gives the same move.
pub const fn rng(seed: u64, ply: u64) -> Rng {
    Rng::new(seed ^ ply.wrapping_mul(seed::GAMMA))
}

/// The move a level plays: `lines` are the first moves of the lines read with their scores for the
/// side to move, the best first; `legal` every legal move.
pub fn choose(
    level: &Level,
    legal: &[Move],
    lines: &[(Move, Score)],
    rng: &mut Rng,
) -> Option<Move> {
    if level.slips > 0 && !legal.is_empty() && rng.bits() % 100 < u64::from(level.slips) {
        let number = rng.bits() as usize % legal.len();
        return Some(legal[number]);
    }
    let Some(&(first, _)) = lines.first() else { return legal.first().copied() };
    if level.blur <= 0.0 {
        return Some(first);
    }
    drawn(lines.iter(), level.blur, rng)
}

/// One of the lines. Every value is misjudged by Gumbel noise: the best misjudged one is then drawn as
/// if by odds that fall by e for each `blur` hundredths it is worse.
fn drawn<'a>(
    lines: impl Iterator<Item = &'a (Move, Score)>,
    blur: f64,
    rng: &mut Rng,
) -> Option<Move> {
    let mut best: Option<(f64, Move)> = None;
    for &(m, score) in lines {
        let worth = f64::from(score::cp(score)).clamp(-3000.0, 3000.0);
        let misjudged = worth / blur - (-rng.positive_unit().ln()).ln();
        if best.is_none_or(|(most, _)| misjudged > most) {
            best = Some((misjudged, m));
        }
    }
    best.map(|(_, m)| m)
}

#[cfg(test)]
mod tests {
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
            assert!(
                early / 60.0 < 1.6,
                "{strength}: {} levels apart after twelve games",
                early / 60.0
            );
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
}
