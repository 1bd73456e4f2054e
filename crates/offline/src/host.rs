//! The engine of the page: one question after another, answered on the calling thread.

use crate::task::{EngineMessage, EngineRequest, MessageBody, Task};
use assembly::Evaluation;
use board::question;
use nnue::{AnyNet, NetError};
use rules::Game;
use std::sync::Arc;
use std::time::Duration;
use think::key::universal::THREADS;
use think::{Best, Control, Engine, Info, MateAnswer, Report, TimeSource};
use usi::{Go, Reply};

/// An engine for each game whose net has come.
pub struct EngineHost {
    time: Arc<dyn TimeSource>,
    /// MiB of an engine's table, and of the mate solver's.
    hash: usize,
    engines: [Option<Box<dyn Engine>>; 2],
    nets: [Option<Evaluation>; 2],
}

const fn index(game: Game) -> usize {
    match game {
        Game::Shogi => 0,
        Game::Minishogi => 1,
    }
}

impl EngineHost {
    /// A host without nets, for tables of that many MiB.
    pub fn new(time: Arc<dyn TimeSource>, hash: usize) -> Self {
        Self { time, hash, engines: [None, None], nets: [None, None] }
    }

    /// The net of a game has come; which game it is.
    pub fn load(&mut self, bytes: &[u8]) -> Result<Game, NetError> {
        let net = AnyNet::from_bytes(bytes)?;
        let game = net.game();
        self.nets[index(game)] = Some(Evaluation::Net(net));
        self.engines[index(game)] = None;
        Ok(game)
    }

    /// Does what is asked; `tell` hears everything about it, the last is an answer or a failure.
    pub fn run(&mut self, request: &EngineRequest, tell: &mut (dyn FnMut(&EngineMessage) + Send)) {
        let number = request.number;
        let mut say = |body: MessageBody| tell(&EngineMessage { number, body });
        if let Err(why) = self.answer(&request.task, &mut say) {
            say(MessageBody::Failed(why));
        }
    }

    fn answer(
        &mut self,
        task: &Task,
        say: &mut (dyn FnMut(MessageBody) + Send),
    ) -> Result<(), String> {
        match task {
            Task::Search { at, options, go } => {
                let position = at.resolve()?;
                let game = position.game();
                let typed = Go::parse(go).map_err(|e| e.to_string())?;
                let limits = typed.limits(&position, self.time.now()).map_err(|e| e.to_string())?;
                let engine = self.engine(game)?;
                for (name, value) in options {
                    engine.set_option(name, value).map_err(|e| e.to_string())?;
                }
                engine.set_position(position).map_err(|e| e.to_string())?;
                engine.think(limits, &mut Reporter { game, say });
                Ok(())
            }
            Task::Mate { at, serial, seconds, shortest } => {
                let position = at.resolve()?;
                let bounds = mate::Bounds {
                    time: Some(Duration::from_secs(*seconds)),
                    nodes: None,
                    hash: self.hash << 20,
                    threads: 1,
                    shortest: *shortest,
                };
                let began = self.time.now();
                let solution =
                    mate::solve_any(&position, &bounds, &Control::default(), &*self.time);
                let spent = self.time.now().saturating_sub(began);
                let view = board::mate::solved(*serial, &position, &solution, spent);
                say(MessageBody::Mate(serde_json::to_value(view).map_err(|e| e.to_string())?));
                Ok(())
            }
        }
    }

    fn engine(&mut self, game: Game) -> Result<&mut Box<dyn Engine>, String> {
        let slot = &mut self.engines[index(game)];
        let engine = match slot.take() {
            Some(engine) => engine,
            None => {
                let net = self.nets[index(game)].as_ref();
                let net = net.ok_or_else(|| format!("the net of {game} has not been loaded"))?;
                let mut engine = assembly::search(game, net, Arc::clone(&self.time));
                let own = question::own_options(self.hash);
                for (name, value) in own.into_iter().chain([THREADS.to(1)]) {
                    engine.set_option(name, &value).map_err(|e| e.to_string())?;
                }
                engine.is_ready(&mut |_| ());
                engine
            }
        };
        Ok(slot.insert(engine))
    }

    /// The fixed positions of a game searched to a depth: nodes, and how long it took.
    pub fn bench(&self, game: Game, depth: u32) -> Result<(u64, Duration), String> {
        let net = self.nets[index(game)].clone();
        let net = net.ok_or_else(|| format!("the net of {game} has not been loaded"))?;
        let bench = assembly::bench::Bench::new(Some(depth), 1);
        let total = bench.run(&[(game, net)], &self.time, &mut |_| ());
        total.map(|total| (total.nodes, total.time)).ok_or_else(|| "cancelled".to_owned())
    }
}

/// Turns reports into lines.
struct Reporter<'a> {
    game: Game,
    say: &'a mut (dyn FnMut(MessageBody) + Send),
}

impl Reporter<'_> {
    fn line(&mut self, reply: &Reply) {
        (self.say)(MessageBody::Usi(reply.to_string()));
    }
}

impl Report for Reporter<'_> {
    fn info(&mut self, info: &Info) {
        self.line(&Reply::Info(usi::Info::from_thought(info, self.game)));
    }

    fn note(&mut self, _: &str) {}

    fn best(&mut self, best: &Best) {
        self.line(&Reply::best(best, self.game));
    }

    fn mate(&mut self, _: &MateAnswer) {}
}
