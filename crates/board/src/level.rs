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
mod tests;
