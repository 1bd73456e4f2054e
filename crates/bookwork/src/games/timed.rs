//! An opponent that plays as in a match: so much time for a move, remembering the game.

use crate::WorkError;
use crate::searcher::{SearchSettings, Searcher};
use book::BookMove;
use rules::AnyPosition;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use think::{Answer, Best, Engine, Info, Limits, MateAnswer, Report, TimeSource, WallTime};

/// MiB of its table.
const TABLE: usize = 64;

/// The opponent. What it plays depends on the machine and on what else runs there.
pub(super) struct TimedSearcher {
    engine: Box<dyn Engine>,
    clock: Arc<WallTime>,
    time: Duration,
    name: String,
    /// Moves of the game it was asked about last.
    played: usize,
}

impl TimedSearcher {
    /// An opponent with so much time for a move.
    pub(super) fn new(settings: &SearchSettings, time: Duration) -> Result<Self, WorkError> {
        let clock = Arc::new(WallTime::start());
        let (engine, evaluation) = settings.player(Arc::clone(&clock), TABLE)?;
        let name = format!("search {} ms, {evaluation}", time.as_millis());
        Ok(Self { engine, clock, time, name, played: 0 })
    }
}

impl Searcher for TimedSearcher {
    fn name(&self) -> &str {
        &self.name
    }

    /// One move, whatever is asked for, without value.
    fn search(
        &mut self,
        positions: &[AnyPosition],
        _: usize,
        stop: &AtomicBool,
    ) -> Result<Vec<Vec<BookMove>>, WorkError> {
        let mut found = Vec::new();
        for position in positions {
            if stop.load(std::sync::atomic::Ordering::Relaxed) {
                return Err(WorkError::interrupted());
            }
            if position.played() <= self.played {
                self.engine.new_game();
            }
            self.played = position.played();
            self.engine.set_position(position.clone()).map_err(WorkError::search)?;
            let answer = Arc::new(Mutex::new(None));
            let (start, movetime) = (self.clock.now(), Some(self.time));
            let limits = Limits { start, movetime, ..Limits::default() };
            self.engine.go(limits, Box::new(Listener(Arc::clone(&answer))));
            self.engine.wait();
            let answer = answer.lock().unwrap_or_else(PoisonError::into_inner).take();
            found.push(match answer {
                Some(Answer::Move(mv)) => vec![BookMove::new(mv)],
                _ => Vec::new(),
            });
        }
        Ok(found)
    }
}

/// Hears what is played.
struct Listener(Arc<Mutex<Option<Answer>>>);

impl Report for Listener {
    fn info(&mut self, _: &Info) {}

    fn note(&mut self, _: &str) {}

    fn best(&mut self, best: &Best) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(best.answer);
    }

    fn mate(&mut self, _: &MateAnswer) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game;

    #[test]
    fn it_plays_legal_moves_game_after_game() {
        let (game, eval) = (Game::Minishogi, Some("material".to_owned()));
        let settings = SearchSettings { game, nodes: 1, threads: 1, eval };
        let mut opponent = TimedSearcher::new(&settings, Duration::from_millis(5)).unwrap();
        assert!(opponent.name().starts_with("search 5 ms"));
        let (on, off) = (AtomicBool::new(false), AtomicBool::new(true));
        for _ in 0..2 {
            let mut position = AnyPosition::startpos(game);
            for _ in 0..4 {
                let found = opponent.search(std::slice::from_ref(&position), 3, &on).unwrap();
                assert!(position.is_legal(found[0][0].mv));
                assert_eq!((found[0].len(), found[0][0].value), (1, None));
                position.play(found[0][0].mv);
            }
        }
        let start = [AnyPosition::startpos(game)];
        assert!(opponent.search(&start, 1, &off).is_err_and(|error| error.is_interrupt()));
    }
}
