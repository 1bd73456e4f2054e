//! A move when the engine has none.

use rules::{AnyPosition, Move};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;
use think::{Answer, Best, Info, Limits, MateAnswer, Report, TimeSource, WallTime};

/// A move within so long, when nobody else has one: the line last reported, else a very short
/// search of our own, else whatever is legal. `None` where nothing is.
pub(crate) fn fallback(position: &AnyPosition, report: &Info, within: Duration) -> Option<Move> {
    if let Some(&m) = report.pv.first()
        && position.is_legal(m)
    {
        return Some(m);
    }
    let legal = position.legal_moves();
    let first = legal.first().copied()?;
    let (sender, found) = channel();
    let start = position.clone();
    // Aside: on a busy machine even this can take longer than there is time.
    let searching = thread::Builder::new()
        .name("fallback".to_owned())
        .spawn(move || short_search(&start, sender));
    let found = searching.ok().and_then(|_| found.recv_timeout(within).ok());
    Some(found.filter(|&m| position.is_legal(m)).unwrap_or(first))
}

fn short_search(position: &AnyPosition, answer: Sender<Move>) {
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let mut engine = assembly::engine(position.game(), time);
    if engine.set_position(position.clone()).is_ok() {
        engine.go(Limits::to_depth(3), Box::new(OnlyBest(answer)));
        engine.wait();
    }
}

/// Passes on the best move.
struct OnlyBest(Sender<Move>);

impl Report for OnlyBest {
    fn info(&mut self, _: &Info) {}

    fn note(&mut self, _: &str) {}

    fn best(&mut self, best: &Best) {
        if let Answer::Move(m) = best.answer {
            // Whoever asked may not have waited.
            let _ = self.0.send(m);
        }
    }

    fn mate(&mut self, _: &MateAnswer) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game;

    #[test]
    fn there_is_always_a_move() {
        let position = AnyPosition::startpos(Game::Shogi);
        let m = position.parse_usi("7g7f").unwrap();
        let report = Info { pv: vec![m], ..Info::default() };
        let minute = Duration::from_secs(60);
        assert_eq!(fallback(&position, &report, minute), Some(m));
        let other = position.legal_moves()[0];
        let mut later = position.clone();
        later.play(m);
        let stale = Info { pv: vec![other], ..Info::default() };
        let found = fallback(&later, &stale, minute).unwrap();
        assert!(later.is_legal(found));
        let found = fallback(&later, &stale, Duration::ZERO).unwrap();
        assert!(later.is_legal(found), "also without any time");
        let mated = AnyPosition::from_sfen(Game::Shogi, "8k/8G/8G/9/9/9/9/9/4K4 w - 1").unwrap();
        assert_eq!(fallback(&mated, &Info::default(), minute), None);
    }
}
