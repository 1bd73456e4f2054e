//! What the engine of a game is asked, and what is made of its answer.

use crate::game::Game;
use crate::level::{self, Level};
use crate::question::{Lines, Question};
use crate::queue::Priority;
use crate::setup::Opponent;
use alphabeta::options::{ENTERING_KING_RULE, MAX_MOVES_TO_DRAW, ROOT_MATE_NODES};
use rules::Move;
use std::time::Duration;
use think::Answer;

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

/// What to ask in a game in which an engine is to move.
pub fn ask(game: &Game) -> Option<EngineTask> {
    let setup = game.setup();
    let mut question = Question::new(game.position().clone());
    // Moves before the game began: the engine counts from the start of the position.
    let before = game.position().ply() - 1 - game.played().len() as u32;
    question.options = vec![
        ENTERING_KING_RULE.to(setup.declaration.clone()),
        MAX_MOVES_TO_DRAW.to(before + setup.max_moves),
    ];
    let turn = game.position().turn();
    let clocks = game.clock().for_engine();
    // A player with a clock does not spend it on one move.
    let sensible = clocks.map(|c| {
        let share = c.time(turn) / 25 + c.increment(turn) + c.byoyomi.mul_f64(0.8);
        share.min((c.time(turn) + c.byoyomi).mul_f64(0.8)).max(LEAST)
    });
    match &setup.opponent {
        Opponent::Level { level } => {
            let level = Level::find(*level)?;
            let time = sensible.map_or(level.time, |s| s.min(level.time));
            question.nodes = level.nodes;
            question.depth = level.depth;
            question.lines = level.lines;
            question.time = Some(time);
            let mates = if level.blur > 0.0 { 0 } else { 20_000 };
            question.options.push(ROOT_MATE_NODES.to(mates));
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
        Opponent::Human { .. } => None,
    }
}

/// What the opponent does: the engine's answer, or what its level makes of its lines.
pub fn decide(game: &Game, answer: Answer, lines: &Lines) -> Answer {
    let Opponent::Level { level } = game.setup().opponent else { return answer };
    let Some(level) = Level::find(level) else { return answer };
    let Answer::Move(best) = answer else { return answer };
    if level.blur <= 0.0 {
        return answer;
    }
    let legal = game.position().legal_moves();
    let mut rng = level::rng(game.setup().seed, game.played().len() as u64);
    let chosen = level::choose(level, &legal, &lines.moves(), &mut rng);
    let is_legal = |m: &Move| game.position().is_legal(*m);
    Answer::Move(chosen.filter(is_legal).unwrap_or(best))
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
