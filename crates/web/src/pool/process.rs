//! An engine the owner registered: a program that speaks USI. It is judged by what it sends and never
//! trusted: it may crash, hang, lie or flood, and costs its visitor one question by that.

use super::handle::{EngineFailure, EngineHandle, Stop};
use board::question::Question;
use engines::{
    Allowed, Conclusion, GameLine, Introduction, Player, PlayerError, PlayerSettings,
    ProgramCommand, SearchHandle, SearchRequest, UsiPlayer,
};
use rules::Game;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use think::key::universal::{HASH, MULTI_PV, THREADS};
use think::{Answer, Clocks, Info, TimeSource};
use usi::{Go, Times};

/// How an engine is started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registered {
    /// The page's name for it.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// The folder it runs in.
    pub dir: Option<PathBuf>,
    /// Environment variables beside those it inherits.
    pub env: Vec<(String, String)>,
    /// USI options.
    pub options: Vec<(String, String)>,
    /// Games it plays.
    pub plays: Vec<Game>,
}

/// How long an engine may take to introduce itself and to load.
const STARTUP: Duration = Duration::from_secs(30);

/// How long an engine may go on after it was told to stop, or past its time.
const STALL: Duration = Duration::from_secs(5);

/// How long it may take to end when asked to.
const FAREWELL: Duration = Duration::from_secs(1);

/// The engine; its process is started when it is first asked.
pub(super) struct UsiProcess {
    player: UsiPlayer,
    /// The game it was made ready for.
    ready: Option<Game>,
    /// Threads and lines it was told last.
    told: (usize, u32),
}

impl UsiProcess {
    pub(super) fn new(registered: &Registered, time: Arc<dyn TimeSource>, mib: usize) -> Self {
        let (name, value) = HASH.to(mib);
        let command = ProgramCommand {
            program: registered.program.to_string_lossy().into_owned(),
            args: registered.args.clone(),
            dir: registered.dir.as_ref().map(|dir| dir.to_string_lossy().into_owned()),
            env: registered.env.clone(),
        };
        let settings = PlayerSettings {
            options: registered.options.clone(),
            optional: vec![(name.to_owned(), value)],
            startup: STARTUP,
            stall: Some(STALL),
            farewell: FAREWELL,
            ..PlayerSettings::default()
        };
        let player = UsiPlayer::new(command, settings, time, Arc::default());
        Self { player, ready: None, told: (0, 0) }
    }

    /// Starts what is not running, and sets what changes from question to question.
    fn prepare(&mut self, game: Game, threads: usize, lines: u32) -> Result<(), PlayerError> {
        if self.ready != Some(game) {
            self.player.prepare(game, &mut |_| ())?;
            (self.ready, self.told) = (Some(game), (0, 0));
        }
        if self.told.0 != threads {
            self.player.set_option(THREADS.name(), &threads.to_string())?;
        }
        if self.told.1 != lines {
            self.player.set_option(MULTI_PV.name(), &lines.to_string())?;
        }
        self.told = (threads, lines);
        Ok(())
    }

    fn search(
        &mut self,
        question: &Question,
        stop: &Stop,
        hear: &mut (dyn FnMut(&Info) + Send),
    ) -> Result<Answer, PlayerError> {
        let game = GameLine::new(question.position.clone());
        let bounded = question.time.or(question.clocks.map(|c| c.byoyomi + c.time[0] + c.time[1]));
        let allowed = bounded.map_or(Allowed::UntilStopped, Allowed::Within);
        let handle = SearchHandle::new();
        let request = SearchRequest { game: &game, go: go(question), allowed, handle };
        let handle = request.handle.clone();
        stop.on(move || handle.stop());
        let decision = self.player.think(&request, Some(&mut |info| hear(info)))?;
        Ok(decision.answer)
    }
}

/// Starts an engine, asks what it is, and ends it: the games it plays.
pub fn probe(
    registered: &Registered,
    time: &Arc<dyn TimeSource>,
) -> Result<Vec<Game>, EngineFailure> {
    let mut process = UsiProcess::new(registered, Arc::clone(time), 1);
    let introduction = process.player.introduce();
    introduction.map(Introduction::games).map_err(|error| EngineFailure(error.to_string()))
}

fn go(question: &Question) -> Go {
    let mut go = Go { nodes: question.nodes, depth: question.depth, ..Go::default() };
    if let Some(clocks) = question.clocks {
        go.times = Times::of(&clocks);
    } else if let Some(time) = question.time {
        // Understood by every engine, which "movetime" is not.
        go.times = Times::of(&Clocks { byoyomi: time, ..Clocks::default() });
    } else {
        go.infinite = question.nodes.is_none() && question.depth.is_none();
    }
    go
}

impl EngineHandle for UsiProcess {
    fn ask(
        &mut self,
        question: &Question,
        threads: usize,
        stop: &Stop,
        hear: &mut (dyn FnMut(&Info) + Send),
    ) -> Result<Answer, EngineFailure> {
        let searched = self
            .prepare(question.position.game(), threads, question.lines)
            .and_then(|()| self.search(question, stop, hear));
        searched.map_err(|error| {
            // One that broke down is ended here and started anew for the next question.
            self.ready = None;
            let conclusion = match &error {
                PlayerError::Fault(fault) => Conclusion::OwnFault(fault),
                PlayerError::Abandoned => Conclusion::Abandoned,
            };
            self.player.finish(conclusion);
            EngineFailure(error.to_string())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::AnyPosition;

    #[test]
    fn questions_in_the_words_of_usi() {
        let mut position = AnyPosition::startpos(Game::Shogi);
        position.play(position.parse_usi("7g7f").unwrap());
        let mut question = Question::new(position);
        assert_eq!(go(&question).to_string(), " infinite");
        question.time = Some(Duration::from_millis(300));
        assert_eq!(go(&question).to_string(), " btime 0 wtime 0 byoyomi 300");
        question.clocks = Some(Clocks {
            time: [Duration::from_secs(1); 2],
            increment: [Duration::from_secs(2); 2],
            byoyomi: Duration::ZERO,
        });
        assert_eq!(go(&question).to_string(), " btime 1000 wtime 1000 binc 2000 winc 2000");
    }
}
