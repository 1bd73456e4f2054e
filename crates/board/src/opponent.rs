//! What the engine of a game is asked, and what is made of its answer.

use crate::game::Game;
use crate::level::{self, Level, Opening};
use crate::question::{Lines, Question};
use crate::queue::Priority;
use crate::score::cp;
use crate::setup::{Opponent, Style};
use crate::style;
use alphabeta::options::{ANALYSIS_MODE, ENTERING_KING_RULE, MAX_MOVES_TO_DRAW, ROOT_MATE_NODES};
use rules::Move;
use std::time::Duration;
use think::{Answer, Score};

/// Shortest time worth thinking.
const LEAST: Duration = Duration::from_millis(20);

/// Nodes that are read in a moment.
const QUICK: u64 = 60_000;

/// A question about the position of a game, with who is to answer it.
#[derive(Debug)]
pub struct EngineTask {
    pub question: Question,
    /// The engine; `None` for our own.
    pub engine: Option<String>,
    /// Within this time, waiting included.
    pub within: Option<Duration>,
    /// How urgent it is.
    pub priority: Priority,
    /// Whether it may use more than one thread.
    pub wide: bool,
}

/// What an engine is told of the rules of a game.
pub fn rule_options(game: &Game) -> Vec<(&'static str, String)> {
    let setup = game.setup();
    // Moves before the game began: the engine counts from the start of the position.
    let before = game.position().ply() - 1 - game.played().len() as u32;
    vec![
        // In a game the moves before count: a fourth repetition ends it.
        ANALYSIS_MODE.to(false),
        ENTERING_KING_RULE.to(setup.declaration.clone()),
        MAX_MOVES_TO_DRAW.to(before + setup.max_moves),
    ]
}

/// What to ask in a game in which an engine is to move.
pub fn ask(game: &Game) -> Option<EngineTask> {
    let setup = game.setup();
    let mut question = Question::new(game.position().clone());
    question.set_all(rule_options(game));
    let turn = game.position().turn();
    let clocks = game.clock().for_engine();
    // A player with a clock does not spend it on one move.
    let sensible = clocks.map(|c| {
        let share = c.time(turn) / 25 + c.increment(turn) + c.byoyomi.mul_f64(0.8);
        share.min((c.time(turn) + c.byoyomi).mul_f64(0.8)).max(LEAST)
    });
    match &setup.opponent {
        Opponent::Level { level, .. } => {
            let level = Level::find(*level)?;
            let time = sensible.map_or(level.time, |s| s.min(level.time));
            question.nodes = level.nodes;
            question.depth = level.depth;
            question.lines = lines_wanted(game, level);
            question.time = Some(time);
            let mates = if level.blur > 0.0 { 0 } else { 20_000 };
            question.set(ROOT_MATE_NODES.to(mates));
            let quick = level.nodes.is_some_and(|nodes| nodes <= QUICK);
            let priority = if quick { Priority::Quick } else { Priority::Heavy };
            let wide = level.is_full();
            Some(EngineTask { question, engine: None, within: Some(time), priority, wide })
        }
        Opponent::Engine { engine, movetime } => {
            let time = Duration::from_millis(u64::from(*movetime));
            question.time = Some(sensible.map_or(time, |s| s.min(time)));
            let (engine, priority) = (Some(engine.clone()), Priority::Heavy);
            Some(EngineTask { question, engine, within: None, priority, wide: false })
        }
        Opponent::Human { .. } | Opponent::Friend { .. } => None,
    }
}

/// Moves of the game for which a strong level lets its style choose.
const STYLED: usize = 40;

/// The opening of a game, while it lasts: from a usual start, and quiet so far.
fn opening(game: &Game, level: &Level) -> Option<Opening> {
    let opening = level.opening();
    let quiet = game.setup().handicap.is_some() && !game.position().in_check();
    let large = game.setup().game() == rules::Game::Shogi;
    let plies = if large { opening.plies } else { opening.plies / 4 };
    (quiet && game.played().len() < plies).then_some(opening)
}

fn is_styled(game: &Game, level: &Level) -> bool {
    let styled = game.setup().style != Style::Any;
    styled && (level.blur > 0.0 || game.played().len() < STYLED)
}

/// Lines a level has to read to choose as it should.
fn lines_wanted(game: &Game, level: &Level) -> u32 {
    let opening = opening(game, level).map_or(1, |opening| opening.lines);
    let style = if is_styled(game, level) { 4 } else { 1 };
    level.lines.max(opening).max(style)
}

/// How long a person of that level would have thought: a recapture at once, a difficult move longer. Nothing where
/// it was not asked for.
pub fn pace(game: &Game, m: Move, lines: &Lines) -> Duration {
    let setup = game.setup();
    let Opponent::Level { level, .. } = setup.opponent else { return Duration::ZERO };
    let Some(level) = Level::find(level).filter(|level| setup.natural && level.can_pace()) else {
        return Duration::ZERO;
    };
    let position = game.position();
    let mut rng = level::rng(setup.seed ^ PACE, game.played().len() as u64);
    let retaken = game.played().last().is_some_and(|last| last.m.to() == m.to())
        && position.piece_at(m.to()).is_some();
    let scores = lines.moves();
    let gap = match scores.as_slice() {
        [(_, best), (_, second), ..] => cp(*best).saturating_sub(cp(*second)),
        _ => 1000,
    };
    let (least, most) = if retaken || position.legal_moves().len() == 1 {
        (400.0, 900.0)
    } else if opening(game, level).is_some() {
        (600.0, 1600.0)
    } else if gap > 300 {
        (700.0, 1800.0)
    } else {
        (900.0, 3200.0)
    };
    let thought = Duration::from_secs_f64((least + (most - least) * rng.positive_unit()) / 1000.0);
    let turn = position.turn();
    // A clock is not spent on manners.
    game.clock().for_engine().map_or(thought, |c| {
        thought.min(c.time(turn) / 60 + c.increment(turn) / 2 + c.byoyomi.mul_f64(0.3))
    })
}

/// The word for playing without a book.
pub const NO_BOOK: &str = "none";

/// Which book our engine plays from in a game: one by its id, or the usual one; nothing where it plays without, or
/// somebody else plays.
pub fn book_of(game: &Game) -> Option<OpeningBook<'_>> {
    let setup = game.setup();
    if !matches!(setup.opponent, Opponent::Level { .. }) {
        return None;
    }
    match setup.book.as_deref() {
        Some(NO_BOOK) => None,
        Some(id) => Some(OpeningBook::Named(id)),
        None => Some(OpeningBook::Usual),
    }
}

/// A book our engine plays from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpeningBook<'a> {
    /// What every level has.
    Usual,
    /// A book that was asked for, by its id.
    Named(&'a str),
}

/// The move our engine plays out of a book that has these moves here, each with how often; better liked ones more often.
pub fn book_move(game: &Game, moves: &[(Move, f64)]) -> Option<Move> {
    let (setup, position) = (game.setup(), game.position());
    let mut rng = level::rng(setup.seed ^ BOOK, game.played().len() as u64);
    let liked = |m: Move| (f64::from(style::liking(setup.style, position, m)) / LIKING).exp();
    let weighed: Vec<(Move, f64)> = moves
        .iter()
        .filter(|(m, weight)| *weight > 0.0 && position.is_legal(*m))
        .map(|&(m, weight)| (m, weight * liked(m)))
        .collect();
    let total: f64 = weighed.iter().map(|(_, weight)| weight).sum();
    let mut ticket = rng.unit() * total;
    for &(m, weight) in &weighed {
        ticket -= weight;
        if ticket < 0.0 {
            return Some(m);
        }
    }
    weighed.last().map(|&(m, _)| m)
}

/// A move is played e times as often for so many hundredths of a pawn that a style likes it.
const LIKING: f64 = 40.0;

/// Keeps the random numbers of books apart from those of moves.
const BOOK: u64 = 0x626f_6f6b;

/// Keeps the random numbers of manners apart from those of moves.
const PACE: u64 = 0x7061_6365;

/// What the opponent does: the engine's answer, or what its level makes of its lines.
pub fn decide(game: &Game, answer: Answer, lines: &Lines) -> Answer {
    let setup = game.setup();
    let Opponent::Level { level, .. } = setup.opponent else { return answer };
    let Some(level) = Level::find(level) else { return answer };
    let Answer::Move(best) = answer else { return answer };
    let mut rng = level::rng(setup.seed, game.played().len() as u64);
    let style = if is_styled(game, level) { setup.style } else { Style::Any };
    let lines = near_best(style::weighed(style, game.position(), &lines.moves()), level, lines);
    let legal = game.position().legal_moves();
    let chosen = match opening(game, level) {
        Some(opening) => level::choose_opening(opening, &lines, &mut rng),
        None if level.blur <= 0.0 && style == Style::Any => return answer,
        None => level::choose(level, &legal, &lines, &mut rng),
    };
    let is_legal = |m: &Move| game.position().is_legal(*m);
    Answer::Move(chosen.filter(is_legal).unwrap_or(best))
}

/// How much a strong level gives for its style, in hundredths of a pawn.
const TASTE: i32 = 60;

/// What a style has weighed, without lines that a strong level would not play for any taste.
fn near_best(weighed: Vec<(Move, Score)>, level: &Level, lines: &Lines) -> Vec<(Move, Score)> {
    if level.blur > 0.0 {
        return weighed;
    }
    let read = lines.moves();
    let Some(&(_, best)) = read.first() else { return weighed };
    let worth = |m: Move| read.iter().find(|(known, _)| *known == m).map(|(_, s)| cp(*s));
    let near = |(m, _): &(Move, Score)| worth(*m).is_some_and(|w| cp(best) - w <= TASTE);
    weighed.into_iter().filter(near).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::GameSettings;
    use serde_json::{Value, json};

    fn game(settings: Value) -> Game {
        let settings: GameSettings = serde_json::from_value(settings).unwrap();
        let plays = rules::Game::ALL.to_vec();
        Game::new(settings.resolve(&|_| Some(("X".to_owned(), plays.clone())), 2).unwrap()).unwrap()
    }

    #[test]
    fn levels_bound_the_question() {
        let weak = ask(&game(json!({ "opponent": { "level": 1 } }))).unwrap();
        assert_eq!((weak.question.depth, weak.wide), (Some(1), false));
        let full = ask(&game(json!({ "opponent": { "level": 10 } }))).unwrap();
        assert_eq!((full.question.nodes, full.wide), (None, true));
        assert!(ask(&game(json!({ "opponent": { "human": true } }))).is_none());
    }

    fn lines(game: &Game, read: &[(&str, i32)]) -> Lines {
        let mut lines = Lines::default();
        for (rank, (text, cp)) in (1..).zip(read) {
            lines.update(&think::Info {
                multipv: Some(rank),
                score: Some((Score::Cp(*cp), think::Bound::Exact)),
                pv: vec![game.position().parse_usi(text).unwrap()],
                ..think::Info::default()
            });
        }
        lines
    }

    fn decided(settings: Value, read: &[(&str, i32)]) -> String {
        let game = game(settings);
        let lines = lines(&game, read);
        let best = Answer::Move(lines.moves()[0].0);
        match decide(&game, best, &lines) {
            Answer::Move(m) => m.usi(rules::Game::Shogi),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_style_is_played_where_it_costs_little() {
        let settings = |level: u32, style: &str| json!({ "opponent": { "level": level }, "side": "white", "style": style });
        for level in [1, 5, 10] {
            let read = [("2g2f", 40), ("7g7f", 30), ("2h6h", 10)];
            assert_eq!(decided(settings(level, "ranging"), &read), "2h6h", "level {level}");
        }
        let read = [("2g2f", 200), ("2h6h", 10)];
        assert_eq!(decided(settings(10, "ranging"), &read), "2g2f", "not at that price");
        assert_ne!(decided(settings(10, "static"), &[("2h6h", 20), ("7g7f", 10)]), "2h6h");
    }

    #[test]
    fn games_do_not_all_begin_alike() {
        let read = [("7g7f", 30), ("2g2f", 25), ("5g5f", 20), ("9i9h", -400)];
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..40 {
            let settings: GameSettings =
                serde_json::from_value(json!({ "opponent": { "level": 1 }, "side": "white" }))
                    .unwrap();
            let game = Game::new(settings.resolve(&|_| None, seed).unwrap()).unwrap();
            let lines = lines(&game, &read);
            let Answer::Move(m) = decide(&game, Answer::Move(lines.moves()[0].0), &lines) else {
                panic!("no move");
            };
            seen.insert(m.usi(rules::Game::Shogi));
        }
        assert_eq!(Vec::from_iter(seen), ["2g2f", "5g5f", "7g7f"], "and none begins strangely");
    }

    fn from_book(seed: u64, settings: Value, moves: &[(&str, f64)]) -> Option<String> {
        let settings: GameSettings = serde_json::from_value(settings).unwrap();
        let game = Game::new(settings.resolve(&|_| None, seed).unwrap()).unwrap();
        let m = |text: &str| Move::from_usi(rules::Game::Shogi, text).unwrap();
        let moves: Vec<(Move, f64)> = moves.iter().map(|(text, w)| (m(text), *w)).collect();
        book_move(&game, &moves).map(|m| m.usi(rules::Game::Shogi))
    }

    #[test]
    fn books_are_played_as_often_as_they_say_and_as_styles_like() {
        let moves = [("7g7f", 0.6), ("2g2f", 0.3), ("2h6h", 0.1), ("9i9a", 5.0), ("5g5f", 0.0)];
        let count = |style: &str, wanted: &str| {
            let settings = json!({ "opponent": { "level": 3 }, "side": "white", "style": style });
            let played = |seed| from_book(seed, settings.clone(), &moves);
            (0..1000).filter(|&seed| played(seed).as_deref() == Some(wanted)).count()
        };
        assert!((520..680).contains(&count("any", "7g7f")), "{}", count("any", "7g7f"));
        assert!((60..150).contains(&count("any", "2h6h")), "{}", count("any", "2h6h"));
        assert_eq!(count("any", "9i9a") + count("any", "5g5f"), 0, "neither illegal nor refused");
        assert!(count("ranging", "2h6h") > 700, "{}", count("ranging", "2h6h"));
        assert!(count("static", "2h6h") < 10);
        assert_eq!(from_book(1, json!({ "opponent": { "level": 3 } }), &[]), None);
    }

    #[test]
    fn levels_have_a_book_unless_told_otherwise() {
        let of = |settings: Value| {
            let game = game(settings);
            match book_of(&game) {
                Some(OpeningBook::Named(id)) => id.to_owned(),
                Some(OpeningBook::Usual) => "usual".to_owned(),
                None => "-".to_owned(),
            }
        };
        assert_eq!(of(json!({ "opponent": { "level": 1 } })), "usual");
        assert_eq!(of(json!({ "opponent": { "level": 1 }, "book": "abc" })), "abc");
        assert_eq!(of(json!({ "opponent": { "level": 1 }, "book": "none" })), "-");
        assert_eq!(of(json!({ "opponent": { "human": true }, "book": "abc" })), "-");
    }

    #[test]
    fn low_levels_take_their_time_where_asked() {
        let paced = |settings: Value| {
            let game = game(settings);
            let lines = lines(&game, &[("7g7f", 30), ("2g2f", 25)]);
            pace(&game, lines.moves()[0].0, &lines)
        };
        let natural = json!({ "opponent": { "level": 2 }, "side": "white", "natural": true });
        let thought = paced(natural.clone());
        assert!((600..=1600).contains(&thought.as_millis()), "{thought:?}");
        assert_eq!(paced(natural), thought, "the same game again");
        let clock = json!({ "opponent": { "level": 2 }, "side": "white", "natural": true, "clock": { "main": 6 } });
        assert!(paced(clock) <= Duration::from_millis(100));
        for none in [
            json!({ "opponent": { "level": 2 } }),
            json!({ "opponent": { "level": 9 }, "natural": true }),
        ] {
            assert_eq!(paced(none), Duration::ZERO);
        }
    }

    #[test]
    fn nobody_spends_the_clock_on_one_move() {
        for (clock, most) in [
            (json!({ "main": 10 }), 400),
            (json!({ "main": 0, "byoyomi": 3 }), 2400),
            (json!({ "main": 600, "byoyomi": 30 }), 5000),
        ] {
            let game = game(json!({ "opponent": { "level": 10 }, "clock": clock }));
            let asked = ask(&game).unwrap();
            assert!(asked.within.unwrap() <= Duration::from_millis(most), "{clock}");
        }
        let other = game(json!({ "opponent": { "engine": "x", "movetime": 700 } }));
        let asked = ask(&other).unwrap();
        assert_eq!(asked.question.time, Some(Duration::from_millis(700)));
        assert_eq!(asked.engine.as_deref(), Some("x"));
    }
}
