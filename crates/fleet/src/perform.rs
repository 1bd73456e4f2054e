//! A task done by the room that can: games by `arena`, scores by `corpus`.

use crate::batch::{Batch, Fault, FaultKind, Made, Product, Usage};
use crate::bytes::Bytes;
use crate::files::FileCache;
use crate::game_record::GameRecord;
use crate::leaves::searcher;
use crate::names::RunId;
use crate::queue::Queue;
use crate::signed::Sandbox;
use crate::task::{MatchSpec, Pins, RescoreSpec, SelfPlaySpec, Spec, Task};
use alphabeta::{ParamSpec, Params};
use arena::opening_maker::OpeningJudge;
use arena::parameters::Tunable;
use arena::request::RequestError;
use arena::selfplay::SelfPlayPlan;
use arena::selfplay::player::{SelfPlayError, SelfPlayer};
use arena::spec::Launch;
use arena::tuning::{EnginePair, TuningGame};
use arena::tuning_request::TuningRequest;
use arena::{Finished, MatchRunner, Plan, Seat};
use assembly::bench::Bench;
use assembly::leaves::LeafSearcher;
use assembly::{Evaluation, OwnSearch};
use corpus::rescore::{Piece, PieceScorer};
use engines::{PlayerError, ProgramCommand};
use mate::Questions;
use reinforce::FinishedGame;
use reinforce::elsewhere::OrderPlayer;
use rules::Game;
use seed::Rng;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use teacher::{Header, Writer};
use think::TimeSource;

mod positions;

use positions::{leaves, mates};

/// Depth of the bench before the first task: a second or so.
const BENCH_DEPTH: u32 = 10;

/// What a worker has to work with.
#[derive(Clone)]
pub struct Equipment {
    /// Plays games; its time is the worker's.
    pub runner: MatchRunner,
    /// Where files are kept that come with tasks; `None` where every file is at its place already.
    pub files: Option<FileCache>,
    /// Nodes a second of one thread, by the bench.
    pub speed: u64,
    /// Whether programs other than this one may be started.
    pub programs: bool,
    /// Where programs run that come with a task and are signed, if they may.
    pub sandbox: Option<Sandbox>,
    /// What self-play is played by, loaded once for all slots: games share a net's memory, and its batches.
    pub shared: Arc<Mutex<Option<(SelfPlaySpec, OwnSearch)>>>,
}

/// The numbers of our own search, as a tuner sees them.
pub fn own_numbers(game: Game) -> Vec<Tunable> {
    let params = Params::of(game);
    let tunable = |p: &ParamSpec| Tunable {
        name: p.name.into(),
        default: params.get(p.name).unwrap_or(p.default).into(),
        min: p.min.into(),
        max: p.max.into(),
    };
    Params::TABLE.iter().map(tunable).collect()
}

/// What this executable computes and how fast: the signature of a short bench of both games by material
/// alone, and nodes a second of one thread.
pub fn measure(time: &Arc<dyn TimeSource>) -> (u64, u64) {
    let sets = Game::ALL.map(|game| (game, Evaluation::Material.fitting(game)));
    let total = Bench::new(Some(BENCH_DEPTH), 1).run(&sets, time, &mut |_| ());
    let total = total.unwrap_or_default();
    let speed = total.nodes as f64 / total.time.as_secs_f64().max(1e-9);
    (total.nodes, speed as u64)
}

impl Equipment {
    /// A command's own work: whatever it was told to start.
    pub fn of_command(runner: &MatchRunner) -> Self {
        let runner = runner.clone();
        Self {
            runner,
            files: None,
            speed: 1,
            programs: true,
            sandbox: None,
            shared: Arc::default(),
        }
    }

    /// Our own engine and nothing else.
    pub fn own(time: Arc<dyn TimeSource>, speed: u64) -> Self {
        let for_engines = Arc::clone(&time);
        let factory = Arc::new(move |game| assembly::engine(game, Arc::clone(&for_engines)));
        let abandoned = Arc::new(AtomicBool::new(false));
        let own_program = ProgramCommand::of_this_process();
        let runner = MatchRunner { time, factory, own_program, abandoned, logs: None };
        Self { runner, files: None, speed, programs: false, sandbox: None, shared: Arc::default() }
    }
}

/// One task at a time, with engines kept from one to the next of the same run. Belongs to one thread.
pub struct Slot {
    equipment: Equipment,
    number: usize,
    /// Set from outside to break off the task under way.
    abandoned: Arc<AtomicBool>,
    ready: Option<(RunId, Arc<Spec>, Ready)>,
}

/// What is ready for tasks of one run.
enum Ready {
    Checksum(u64),
    Match(Box<Seat<Arc<Plan>, Arc<MatchRunner>>>, Arc<Plan>),
    Tune(Box<EnginePair<Arc<Plan>>>),
    SelfPlay(Box<SelfPlayer<Arc<SelfPlayPlan>>>),
    Reinforce(Box<OrderPlayer>),
    Rescore(Box<PieceScorer>, Game),
    Openings(Box<OpeningJudge>),
    Mate(Box<Questions>),
    Leaves(Box<LeafSearcher>),
}

#[allow(clippy::needless_pass_by_value, reason = "errors are handed over by value")]
fn wrong(reason: impl ToString) -> Fault {
    Fault::new(FaultKind::Spec, reason.to_string())
}

impl From<RequestError> for Fault {
    fn from(error: RequestError) -> Self {
        wrong(error)
    }
}

impl From<SelfPlayError> for Fault {
    fn from(error: SelfPlayError) -> Self {
        let kind = match error {
            SelfPlayError::Thread(_) => FaultKind::Machine,
            SelfPlayError::Fault { .. } => FaultKind::Executable,
            _ => FaultKind::Spec,
        };
        Self::new(kind, error.to_string())
    }
}

/// The fault of a task that was told to end.
fn broken_off() -> Fault {
    Fault::new(FaultKind::Leaving, "broken off")
}

impl Slot {
    /// The slot of that number. `abandoned` breaks off what is under way.
    pub fn new(equipment: &Equipment, number: usize, abandoned: Arc<AtomicBool>) -> Self {
        let mut equipment = equipment.clone();
        equipment.runner.abandoned = Arc::clone(&abandoned);
        Self { equipment, number, abandoned, ready: None }
    }

    /// Makes one batch of a task.
    pub fn batch(&mut self, task: &Task, number: u32, queue: &dyn Queue) -> Result<Batch, Fault> {
        let began = self.equipment.runner.time.now();
        self.prepare(task, queue)?;
        let range = task.unit.part(task.batches, number);
        let Some((_, _, ready)) = &mut self.ready else { return Err(broken_off()) };
        let mut nodes = 0;
        let product = match ready {
            Ready::Checksum(rounds) => checksum(*rounds, task.seed, range),
            Ready::Match(seat, plan) => {
                let mut games = Vec::new();
                for id in range {
                    let finished = match_game(seat, plan, id)?;
                    games.push(GameRecord::of(&finished));
                }
                Product::Games { games }
            }
            Ready::Tune(pair) => tuning_games(pair, task, range)?,
            Ready::SelfPlay(player) => {
                let product = self_play(player, task, range, &self.abandoned)?;
                if let Product::Teacher { made, .. } = &product {
                    nodes = made.iter().map(|made| made.nodes).sum();
                }
                product
            }
            Ready::Reinforce(player) => {
                let product = reinforced(player, range, &self.abandoned)?;
                if let Product::Teacher { made, .. } = &product {
                    nodes = made.iter().map(|made| made.nodes).sum();
                }
                product
            }
            Ready::Rescore(scorer, game) => rescore(scorer, *game, task, number)?,
            Ready::Openings(judge) => {
                let value = |candidate| judge.value(candidate).map_err(judgement);
                Product::Values { values: range.map(value).collect::<Result<_, Fault>>()? }
            }
            Ready::Mate(questions) => {
                let time = &*self.equipment.runner.time;
                let product = mates(questions, task, range, &self.abandoned, time)?;
                if let Product::Mates { answers } = &product {
                    nodes = answers.iter().map(|answer| answer.nodes).sum();
                }
                product
            }
            Ready::Leaves(searcher) => {
                let product = leaves(searcher, task, range, &self.abandoned)?;
                if let Product::Leaves { leaves } = &product {
                    nodes = leaves.iter().map(|leaf| leaf.nodes).sum();
                }
                product
            }
        };
        if let Product::Games { games } = &product {
            let steps = games.iter().flat_map(|game| &game.moves);
            nodes = steps.filter_map(|step| step.info.as_ref()?.nodes).sum();
        }
        let time = self.equipment.runner.time.now().saturating_sub(began);
        let millis = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Ok(Batch { number, product, usage: Usage { millis, nodes } })
    }

    /// Gets ready for tasks of the run.
    fn prepare(&mut self, task: &Task, queue: &dyn Queue) -> Result<(), Fault> {
        if let Some((run, spec, _)) = &self.ready
            && *run == task.run
            && (Arc::ptr_eq(spec, &task.spec) || *spec == task.spec)
        {
            return Ok(());
        }
        // Engines of another run give back their memory first.
        self.ready = None;
        if !matches!(&*task.spec, Spec::SelfPlay(_)) {
            *self.equipment.shared.lock().unwrap_or_else(PoisonError::into_inner) = None;
        }
        let resolved = match &self.equipment.files {
            Some(files) => Arc::new(files.resolve(&task.spec, queue)?),
            None => Arc::clone(&task.spec),
        };
        let ready = match &*resolved {
            Spec::Checksum { rounds, .. } => Ready::Checksum(*rounds),
            Spec::Match(spec) => self.for_match(spec, &task.pins)?,
            Spec::Tune(request) => self.for_tuning(request, &task.pins)?,
            Spec::SelfPlay(spec) => self.for_self_play(spec)?,
            Spec::Reinforce(order) => {
                Ready::Reinforce(Box::new(OrderPlayer::new(order).map_err(wrong)?))
            }
            Spec::Rescore(spec) => for_rescoring(spec)?,
            Spec::Openings(settings) => {
                let confined = |plan: &mut Plan| self.confine(plan, &task.pins);
                let runner = &self.equipment.runner;
                Ready::Openings(Box::new(OpeningJudge::permitted(settings, runner, confined)?))
            }
            Spec::Mate(spec) => Ready::Mate(Box::new(spec.questions().map_err(wrong)?)),
            Spec::Leaves(spec) => {
                self.check_options("the engine", &spec.options)?;
                let time = &self.equipment.runner.time;
                Ready::Leaves(Box::new(searcher(spec, time)?))
            }
        };
        self.ready = Some((task.run, Arc::clone(&task.spec), ready));
        Ok(())
    }

    fn for_match(&self, spec: &MatchSpec, pins: &Pins) -> Result<Ready, Fault> {
        let (mut plan, _) = spec.request.plan()?;
        self.confine(&mut plan, pins)?;
        self.scale(&mut plan, spec.reference_speed.or(pins.reference_speed));
        let plan = Arc::new(plan);
        let runner = Arc::new(self.equipment.runner.clone());
        let seat = Seat::new(Arc::clone(&plan), runner, self.number);
        Ok(Ready::Match(Box::new(seat), plan))
    }

    fn for_tuning(&self, request: &TuningRequest, pins: &Pins) -> Result<Ready, Fault> {
        let runner = &self.equipment.runner;
        let own = || own_numbers(request.openings.game);
        // To ask it would be to start it, as it is.
        let ask = request.engine.is_some() && request.numbers.is_empty();
        if ask && !self.equipment.programs {
            return Err(wrong("this worker starts no other program"));
        }
        let table = request.declared(runner)?.unwrap_or_else(own);
        let mut entered = request.plan(&table)?;
        self.confine(&mut entered.plan, pins)?;
        self.scale(&mut entered.plan, pins.reference_speed);
        let plan = Arc::new(entered.plan);
        Ok(Ready::Tune(Box::new(EnginePair::new(plan, runner, self.number, entered.options))))
    }

    /// Programs of a plan: in the sandbox if there is one, as they are if they may be started, else not at all.
    fn confine(&self, plan: &mut Plan, pins: &Pins) -> Result<(), Fault> {
        let sandbox = self.equipment.sandbox.as_ref().filter(|_| !self.equipment.programs);
        let Some(sandbox) = sandbox else { return self.check_programs(plan) };
        for engine in &mut plan.engines {
            if let Launch::Process(command) = &mut engine.launch {
                *command = sandbox.confined(command, pins, self.number)?;
            }
        }
        plan.engines.iter().try_for_each(|e| self.check_options(&e.name, &e.options))
    }

    /// Clocks are for a machine of that speed: here they run as much longer as this one is slower.
    fn scale(&self, plan: &mut Plan, reference: Option<u64>) {
        let Some(reference) = reference.filter(|speed| *speed > 0) else { return };
        let factor = reference as f64 / self.equipment.speed.max(1) as f64;
        for engine in &mut plan.engines {
            engine.control = engine.control.scaled(factor);
        }
    }

    fn check_programs(&self, plan: &Plan) -> Result<(), Fault> {
        plan.engines.iter().try_for_each(|e| self.check_options(&e.name, &e.options))?;
        let program = plan.engines.iter().find(|engine| engine.launch != Launch::Inside);
        match program.filter(|_| !self.equipment.programs) {
            None => Ok(()),
            Some(engine) => {
                let name = &engine.name;
                Err(wrong(format!("engine {name:?}: this worker starts no other program")))
            }
        }
    }

    /// Options can have our own engine start a program or load a library, too.
    fn check_options(&self, engine: &str, options: &[(String, String)]) -> Result<(), Fault> {
        match OwnSearch::others(options).filter(|_| !self.equipment.programs) {
            None => Ok(()),
            Some(other) => {
                let why = "this worker starts no other program and loads no library";
                Err(wrong(format!("engine {engine:?}: {why}: {other}")))
            }
        }
    }

    fn for_self_play(&self, spec: &SelfPlaySpec) -> Result<Ready, Fault> {
        let options = &spec.settings.options;
        self.check_options("self-play", options)?;
        let time = Arc::clone(&self.equipment.runner.time);
        let search = self.shared_search(spec, &time)?;
        let factory = move |game| {
            search.engine(game, &time).map_err(|e| SelfPlayError::Engine(e.to_string()))
        };
        let mut plan = spec.settings.plan()?;
        plan.options = OwnSearch::rest(&plan.options);
        Ok(Ready::SelfPlay(Box::new(SelfPlayer::new(Arc::new(plan), &factory)?)))
    }
}

impl Slot {
    /// The search of self-play, loaded by the first slot that needs it.
    fn shared_search(
        &self,
        spec: &SelfPlaySpec,
        time: &Arc<dyn TimeSource>,
    ) -> Result<OwnSearch, Fault> {
        let mut shared = self.equipment.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, search)) = &*shared
            && of == spec
        {
            return Ok(search.clone());
        }
        // What was loaded before gives its memory back first.
        *shared = None;
        let (net, settings) = ((spec.net.as_deref(), spec.fv_scale), &spec.settings);
        let (search, _) =
            OwnSearch::load(&settings.options, net, settings.game, time).map_err(wrong)?;
        *shared = Some((spec.clone(), search.clone()));
        Ok(search)
    }
}

fn for_rescoring(spec: &RescoreSpec) -> Result<Ready, Fault> {
    let game: Game = spec.game.parse().map_err(wrong)?;
    let (evaluation, _) =
        Evaluation::as_engine(spec.net.as_deref(), game, spec.fv_scale).map_err(wrong)?;
    let scorer = PieceScorer::new(game, &evaluation, spec.limit, spec.hash);
    Ok(Ready::Rescore(Box::new(scorer), game))
}

/// The sum everybody computes.
pub fn checksum(rounds: u64, seed: u64, range: Range<u64>) -> Product {
    let mut sum = 0_u64;
    for index in range {
        let mut stream = Rng::new(seed).split(index);
        let last = (0..rounds).fold(0, |_, _| stream.bits());
        sum = sum.wrapping_add(last);
    }
    Product::Checksum { sum }
}

fn match_game(
    seat: &mut Seat<Arc<Plan>, Arc<MatchRunner>>,
    plan: &Plan,
    id: u64,
) -> Result<Finished, Fault> {
    let scheduled = plan.schedule.game(id);
    let scheduled = scheduled.ok_or_else(|| wrong(format!("there is no game {id}")))?;
    seat.play(scheduled).map_err(|_| broken_off())
}

fn tuning_games(
    pair: &mut EnginePair<Arc<Plan>>,
    task: &Task,
    range: Range<u64>,
) -> Result<Product, Fault> {
    let probe = task.unit.probe.clone().ok_or_else(|| wrong("a tuning without values"))?;
    let probe = Arc::new(probe);
    let mut games = Vec::new();
    for number in range {
        let game = TuningGame { number, probe: Arc::clone(&probe) };
        let (scheduled, played) = pair.played(&game).ok_or_else(broken_off)?;
        let duration = played.moves.iter().map(|step| step.time).sum();
        games.push(GameRecord::of(&Finished { scheduled, played, duration }));
    }
    Ok(Product::Games { games })
}

fn self_play(
    player: &mut SelfPlayer<Arc<SelfPlayPlan>>,
    task: &Task,
    range: Range<u64>,
    abandoned: &AtomicBool,
) -> Result<Product, Fault> {
    let Spec::SelfPlay(spec) = &*task.spec else { return Err(wrong("no self-play")) };
    let header = Header::new(spec.settings.game);
    let mut writer = Writer::new(Vec::new(), header).map_err(wrong)?;
    let mut made = Vec::new();
    for number in range {
        let is_over = || abandoned.load(Ordering::Relaxed);
        let game = player.game(number, task.unit.retry, &is_over)?.ok_or_else(broken_off)?;
        writer.write(&game.game).map_err(wrong)?;
        made.push(Made { nodes: game.nodes, searches: game.searches });
    }
    let bytes = Bytes(writer.finish().map_err(wrong)?);
    Ok(Product::Teacher { bytes, made })
}

/// Games of reinforcement learning, with the positions evaluated and learned of each.
fn reinforced(
    player: &OrderPlayer,
    range: Range<u64>,
    abandoned: &AtomicBool,
) -> Result<Product, Fault> {
    let games = player.play(range, abandoned).map_err(wrong)?.ok_or_else(broken_off)?;
    let made = |finished: &FinishedGame| Made {
        nodes: finished.evaluations,
        searches: finished.game.positions() as u64,
    };
    let bytes = Bytes(player.written(&games).map_err(wrong)?);
    Ok(Product::Teacher { bytes, made: games.iter().map(made).collect() })
}

fn rescore(
    scorer: &mut PieceScorer,
    game: Game,
    task: &Task,
    number: u32,
) -> Result<Product, Fault> {
    let input = task.unit.input.as_ref().ok_or_else(|| wrong("nothing to score"))?;
    let format = input.format.parse().map_err(wrong)?;
    let bytes = input.piece(number as usize).ok_or_else(|| wrong("there is no such piece"))?;
    let piece = Piece { game, format, bytes: bytes.to_vec() };
    let scored = scorer.score(&piece).map_err(wrong)?;
    Ok(Product::Rescored {
        bytes: Bytes(scored.bytes),
        kept: scored.kept,
        problems: scored.problems,
    })
}

fn judgement(error: PlayerError) -> Fault {
    match error {
        PlayerError::Abandoned => broken_off(),
        PlayerError::Fault(fault) => Fault::new(FaultKind::Executable, fault.to_string()),
    }
}

#[cfg(test)]
mod tests;
