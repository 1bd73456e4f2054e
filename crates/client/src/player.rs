//! The engine that plays: our own in this process, or a USI program.

use crate::inputs::Events;
use crate::session::{Action, SearchRequest};
use engines::background::{BackgroundPlayer, EventSink};
use engines::{Increments, LocalPlayer, Player, PlayerSettings, ProgramCommand, UsiPlayer};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use think::{Clocks, Limits, Moment, PonderHit, TimeSource, WallTime};
use usi::Go;

/// Which engine plays.
#[derive(Clone, Debug, Default)]
pub struct EngineSettings {
    /// A USI program; our own engine if none is named.
    pub program: Option<ProgramCommand>,
    /// Options, as name and value.
    pub options: Vec<(String, String)>,
    /// Tell the program increments as byoyomi, from the beginning.
    pub no_increments: bool,
}

/// What is thought about one move where nothing limits the time.
const UNTIMED_MOVE: Duration = Duration::from_secs(1);

/// The engine of a session, and the clock both go by.
pub(crate) struct SessionEngine {
    player: BackgroundPlayer,
    time: Arc<dyn TimeSource>,
}

impl SessionEngine {
    pub(crate) fn start(settings: &EngineSettings, events: &Events) -> Self {
        let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
        Self { player: player(settings, &time, events.engine_sink()), time }
    }

    pub(crate) const fn time(&self) -> &Arc<dyn TimeSource> {
        &self.time
    }

    pub(crate) fn now(&self) -> Moment {
        self.time.now()
    }

    /// The game was broken off: nobody won.
    pub(crate) fn break_off(&mut self) {
        self.player.game_over(None);
    }

    /// Performs what concerns the engine; anything else comes back.
    pub(crate) fn perform(&mut self, action: Action) -> Option<Action> {
        match action {
            Action::Prepare(game) => self.player.prepare(game),
            Action::Think(request) => {
                let go = go(&request);
                self.player.think(request.id, request.position, go);
            }
            Action::PonderHit(clocks) => {
                self.player.ponderhit(PonderHit { at: self.time.now(), clocks });
            }
            Action::Stop => self.player.stop(),
            Action::Restart(game) => self.player.restart(game),
            Action::GameOver(result) => self.player.game_over(result),
            other => return Some(other),
        }
        None
    }
}

fn player(
    settings: &EngineSettings,
    time: &Arc<dyn TimeSource>,
    sink: EventSink,
) -> BackgroundPlayer {
    let player = PlayerSettings {
        options: settings.options.clone(),
        increments: Some(Increments::new(!settings.no_increments)),
        ..PlayerSettings::default()
    };
    let (program, time) = (settings.program.clone(), Arc::clone(time));
    let make = move || -> Box<dyn Player> {
        let (player, abandoned) = (player.clone(), Arc::new(AtomicBool::new(false)));
        match &program {
            Some(program) => {
                Box::new(UsiPlayer::new(program.clone(), player, Arc::clone(&time), abandoned))
            }
            None => {
                let clock = Arc::clone(&time);
                let engine = Arc::new(move |game| assembly::engine(game, Arc::clone(&clock)));
                Box::new(LocalPlayer::new(player, engine, Arc::clone(&time), abandoned))
            }
        }
    };
    BackgroundPlayer::new(Box::new(make), sink)
}

/// A request in the words of USI.
fn go(request: &SearchRequest) -> Go {
    let untimed =
        Clocks { time: [Duration::ZERO; 2], increment: [Duration::ZERO; 2], byoyomi: UNTIMED_MOVE };
    let clocks = Some(request.clocks.unwrap_or(untimed));
    let limits = Limits { clocks, ponder: request.ponder, ..Limits::default() };
    Go::of(&limits, request.position.game())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{AnyPosition, Game};

    #[test]
    fn requests_in_the_words_of_usi() {
        let ms = Duration::from_millis;
        let clocks = |inc, byo| Clocks {
            time: [ms(1000), ms(2000)],
            increment: [ms(inc); 2],
            byoyomi: ms(byo),
        };
        for (clocks, ponder, want) in [
            (Some(clocks(0, 500)), false, "btime 1000 wtime 2000 byoyomi 500"),
            (Some(clocks(50, 0)), true, "ponder btime 1000 wtime 2000 binc 50 winc 50"),
            (Some(clocks(50, 500)), false, "btime 1000 wtime 2000 byoyomi 500 binc 50 winc 50"),
            (None, false, "btime 0 wtime 0 byoyomi 1000"),
        ] {
            let position = AnyPosition::startpos(Game::Shogi);
            let request = SearchRequest { id: 1, position, clocks, ponder };
            assert_eq!(go(&request), Go::parse(want).unwrap(), "{want}");
        }
    }
}
