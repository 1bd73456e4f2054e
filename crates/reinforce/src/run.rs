//! Generations: play, review, train, swap.
//!
//! Everything a generation follows from is in its folder before it begins, every file appears whole, and
//! the entry is written last: a run that was killed at any point and is started again does what is missing
//! and ends with the same files.

mod entry;
mod learning;
mod measure;

use crate::elsewhere::{GamePlayer, GamesOrder};
use crate::error::RunError;
use crate::files::{read, write};
use crate::lots::Lots;
use crate::nets::{self, KeptWorkers, Players};
use crate::plan::{GenerationPlan, LoopSettings};
use crate::pool::{GROUPS, PlayerNet, SelfPlay};
use crate::records::{PlayProgress, play_to_file_by};
use crate::review::Review;
use crate::training::{KeptTrainer, Trainer};
use infer::Shape;
use lab::LabError;
use lab::folder::{GenerationFolder, LabFolder};
use lab::history::{self, Step};
use lab::ledger::Generation;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use teacher::Header;
use think::TimeSource;

/// Files of a run and of a generation.
const SETTINGS: &str = "reinforce.json";
const START: &str = "start";
pub(crate) const PLAN: &str = "plan.json";
pub(crate) const REVIEW: &str = "review.json";
pub(crate) const GAMES: &str = "games.teacher";
/// What temperatures cost the net of a generation.
const TABLE: &str = "table.json";
const NET: &str = "net.nuedf";
/// The net that plays next, under a name that stays.
const CURRENT: &str = "current.nuedf";

/// How the work is done on this machine: none of it changes what comes of it.
#[derive(Clone, Debug)]
pub struct Machine {
    pub threads: NonZeroUsize,
    /// Games at a time, where the net computes on a device; as many as suit it if nobody says.
    pub games: Option<NonZeroUsize>,
    pub players: Players,
    pub trainer: Trainer,
    pub version: String,
}

impl Machine {
    /// Games at a time: as somebody said, or such as fill large batches of every thread without filling the
    /// memory with large trees.
    pub(crate) fn at_a_time(&self, playouts: u32) -> NonZeroUsize {
        let each = if playouts <= LARGE_TREE { 512 } else { 128 };
        let usual = self.threads.saturating_mul(GROUPS);
        let usual = usual.saturating_mul(NonZeroUsize::new(each).unwrap_or(NonZeroUsize::MIN));
        self.games.unwrap_or(usual)
    }
}

/// Why a run came to an end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// All generations that were asked for are made.
    Generations,
    /// The time is over.
    Time,
}

/// What is measured in a generation has other games than it learns from.
const REVIEW_SEED: u64 = 1 << 63;
/// Playouts beyond which trees are large.
const LARGE_TREE: u32 = 256;
/// How often it is looked whether the time is over.
const LOOK: Duration = Duration::from_millis(100);

/// Whoever looks on.
pub trait Watcher {
    /// A step begins, told in a line.
    fn step(&mut self, line: &str);
    /// Something worth knowing.
    fn note(&mut self, line: &str);
    /// Another game is over.
    fn played(&mut self, progress: &PlayProgress);
    /// The step is over.
    fn step_over(&mut self);
}

/// Nobody looks on.
struct Nobody;

impl Watcher for Nobody {
    fn step(&mut self, _: &str) {}
    fn note(&mut self, _: &str) {}
    fn played(&mut self, _: &PlayProgress) {}
    fn step_over(&mut self) {}
}

/// A run of generations in a folder.
pub struct Run<'a> {
    settings: LoopSettings,
    machine: &'a Machine,
    lab: LabFolder,
    shape: Shape,
    time: Arc<dyn TimeSource>,
    stop: &'a AtomicBool,
    /// They stay from one generation to the next.
    trainer: KeptTrainer,
    workers: KeptWorkers,
    /// Who plays the games, if not this process itself.
    player: Option<Box<dyn GamePlayer + 'a>>,
}

impl<'a> Run<'a> {
    /// Opens the folder, or makes it. Settings must be those it was begun with.
    pub fn open(
        folder: &Path,
        settings: LoopSettings,
        machine: &'a Machine,
        time: Arc<dyn TimeSource>,
        stop: &'a AtomicBool,
    ) -> Result<Self, RunError> {
        settings.check()?;
        machine.players.can_play(&settings)?;
        let shape = settings.shape()?;
        let lab = LabFolder::open(folder)?;
        let path = folder.join(SETTINGS);
        match read::<LoopSettings>(&path)? {
            Some(there) => {
                if let Some(difference) = there.difference(&settings) {
                    return Err(RunError::Other { path, difference });
                }
            }
            None => write(&path, &settings)?,
        }
        let (trainer, workers) = (KeptTrainer::default(), KeptWorkers::default());
        let player = None;
        Ok(Self { settings, machine, lab, shape, time, stop, trainer, workers, player })
    }

    /// The same with games that somebody else plays, with the net in integers.
    #[must_use]
    pub fn played_by(self, player: Box<dyn GamePlayer + 'a>) -> Self {
        Self { player: Some(player), ..self }
    }

    /// The settings a folder was begun with, if it was.
    pub fn settings_of(folder: &Path) -> Result<Option<LoopSettings>, RunError> {
        read(&folder.join(SETTINGS))
    }

    /// Makes generations, up to so many, and begins none that would not be over by then as the last one went.
    /// What is under way at that time is broken off, and goes on when the same is asked for again.
    pub fn run(
        &self,
        generations: u32,
        until: Option<Duration>,
        watcher: &mut dyn Watcher,
    ) -> Result<Ended, RunError> {
        let over = AtomicBool::new(false);
        let is_late = || until.is_some_and(|until| self.time.now() >= until);
        let ended = thread::scope(|scope| {
            let alarm = || {
                while !over.load(Ordering::Relaxed) && !is_late() {
                    thread::sleep(LOOK);
                }
                if !over.load(Ordering::Relaxed) {
                    self.stop.store(true, Ordering::Relaxed);
                }
            };
            let set = until.map(|_| thread::Builder::new().spawn_scoped(scope, alarm)).transpose();
            let ended = set
                .map_err(|e| LabError::at(self.lab.path(), &e).into())
                .and_then(|_| self.all(generations, until, watcher));
            over.store(true, Ordering::Relaxed);
            ended
        });
        match ended {
            Err(RunError::Interrupted) if is_late() => Ok(Ended::Time),
            ended => ended,
        }
    }

    fn all(
        &self,
        generations: u32,
        until: Option<Duration>,
        watcher: &mut dyn Watcher,
    ) -> Result<Ended, RunError> {
        self.start(watcher)?;
        let mut last = Duration::ZERO;
        for number in 1..=generations {
            let began = self.time.now();
            if until.is_some_and(|until| began + last >= until) {
                return Ok(Ended::Time);
            }
            let entry = self.generation(number == generations, watcher)?;
            // The first one of a call has more to start than those after it.
            last = self.time.now().saturating_sub(began);
            let left = until.map_or_else(String::new, |until| {
                let left = until.saturating_sub(self.time.now()).as_secs();
                format!("; {left} s left")
            });
            let (number, seconds) = (entry.generation, entry.seconds);
            watcher.note(&format!("generation {number} is over after {seconds:.0} s{left}"));
        }
        Ok(Ended::Generations)
    }

    /// The next generation, from where it was left. Unless it is the last that is wanted now, the games of the
    /// one after it may be played while its net is trained.
    fn generation(&self, is_last: bool, watcher: &mut dyn Watcher) -> Result<Generation, RunError> {
        let folder = self.lab.next()?;
        let plan = self.plan(&folder)?;
        watcher.note(&self.told(&plan));
        self.play(&folder, &plan, watcher)?;
        self.measure_table(&folder, &plan, watcher)?;
        let review = self.review(&folder, &plan, watcher)?;
        let ahead = if self.settings.side_by_side && !is_last {
            self.learn_and_play_ahead(&folder, watcher)?
        } else {
            self.learn(&folder, watcher)?;
            Ok(())
        };
        let verdict = self.gate(&folder, watcher)?;
        let entry = self.entry(&folder, &plan, &review, verdict.as_ref())?;
        let net = folder.path().join(NET);
        self.lab.finish_with(&folder, &entry, &[(net, CURRENT)])?;
        // What was broken off in the next generation is no reason not to end this one.
        ahead.map(|()| entry)
    }

    /// Training of a generation, and the games of the next one meanwhile: how these went, if training went
    /// well.
    fn learn_and_play_ahead(
        &self,
        folder: &GenerationFolder,
        watcher: &mut dyn Watcher,
    ) -> Result<Result<(), RunError>, RunError> {
        let next = self.lab.generation(folder.number + 1);
        fs::create_dir_all(next.path()).map_err(|e| LabError::at(next.path(), &e))?;
        let plan = self.plan(&next)?;
        watcher.note(&format!("while generation {} learns: {}", folder.number, self.told(&plan)));
        thread::scope(|scope| {
            let learn = || self.learn(folder, &mut Nobody);
            let learning = thread::Builder::new().spawn_scoped(scope, learn);
            let learning = learning.map_err(|e| LabError::at(folder.path(), &e))?;
            let played = self.play(&next, &plan, watcher);
            let learned = learning.join();
            learned.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            Ok(played)
        })
    }

    /// Where the net of a generation is; that of the supervised start has number 0.
    fn net(&self, generation: u32) -> PathBuf {
        match generation {
            0 => self.lab.path().join(START).join(NET),
            number => self.lab.generation(number).path().join(NET),
        }
    }

    /// What a generation follows from: as written down, or from the one before.
    fn plan(&self, folder: &GenerationFolder) -> Result<GenerationPlan, RunError> {
        let path = folder.path().join(PLAN);
        if let Some(plan) = read(&path)? {
            return Ok(plan);
        }
        let seed = folder.seed(self.settings.seed);
        let plan = match folder.number {
            1 => GenerationPlan::first(&self.settings, seed, self.accepted(0)?)?,
            number => {
                let before = self.lab.generation(number - 1);
                let missing = |name| LabError::at(&before.path().join(name), &"is missing");
                let plan: GenerationPlan =
                    read(&before.path().join(PLAN))?.ok_or_else(|| missing(PLAN))?;
                let review: Review =
                    read(&before.path().join(REVIEW))?.ok_or_else(|| missing(REVIEW))?;
                let behind = if self.settings.side_by_side { 2 } else { 1 };
                let player = self.accepted(number - behind)?;
                let table = self.table(number - 1)?;
                plan.next(&self.settings, &review, table, seed, player)?
            }
        };
        write(&path, &plan)?;
        Ok(plan)
    }

    fn told(&self, plan: &GenerationPlan) -> String {
        let resign = match plan.resign_at() {
            Some(rate) => format!("resigning at {:.3} or less", rate.share()),
            None => "nobody resigns".to_owned(),
        };
        let hot = match plan.told_temperatures() {
            told if told.is_empty() => told,
            told => format!(", temperatures {told}"),
        };
        format!(
            "generation {}: {} games, {} playouts, {resign}{hot}",
            plan.generation, self.settings.games, self.settings.play.playouts
        )
    }

    fn play(
        &self,
        folder: &GenerationFolder,
        plan: &GenerationPlan,
        watcher: &mut dyn Watcher,
    ) -> Result<(), RunError> {
        let path = folder.path().join(GAMES);
        if path.exists() {
            return Ok(());
        }
        let (net, about) = self.player(plan, watcher)?;
        watcher.step(&format!("self-play: {}", net.describe()));
        let began = self.time.now();
        let lots = plan.lots(&self.settings);
        let mut play = SelfPlay {
            settings: &self.settings.play,
            lots: &lots,
            resign: plan.resign_at(),
            first: 0,
            last: self.settings.games,
            net,
            other: None,
            threads: self.machine.threads,
            games: self.machine.at_a_time(self.settings.play.playouts),
            stop: self.stop,
        };
        let header = self.header(plan, &about);
        let order = self.games_order(plan, &lots);
        let by = self.player.as_deref().map(|player| (player, &order));
        let played = play_to_file_by(by, &mut play, &path, header, &*self.time, &mut |progress| {
            watcher.played(progress);
        });
        watcher.step_over();
        if !played? {
            return Err(RunError::Interrupted);
        }
        self.done(folder, "self-play".to_owned(), began)
    }

    /// The games of a generation, as somebody else is asked for them.
    fn games_order(&self, plan: &GenerationPlan, lots: &Lots) -> GamesOrder {
        GamesOrder {
            settings: self.settings.play.clone(),
            lots: lots.clone(),
            resign: plan.resign_at(),
            net: plan.player.map(|number| self.net(number).with_extension("nued")),
            planes: self.settings.net.planes.clone(),
        }
    }

    /// The net that plays, and its name.
    fn player(
        &self,
        plan: &GenerationPlan,
        watcher: &mut dyn Watcher,
    ) -> Result<(PlayerNet, String), RunError> {
        let threads = self.machine.threads.get();
        let Some(generation) = plan.player else {
            return Ok((nets::without_net(self.shape, threads), "none".to_owned()));
        };
        let (path, game) = (self.net(generation), self.settings.play.game);
        let about = self.fingerprint(&path)?;
        let (players, mut note) = (&self.machine.players, |line: &str| watcher.note(line));
        let net = nets::open(players, &path, game, threads, &self.workers, &self.time, &mut note)?;
        Ok((net, about))
    }

    fn header(&self, plan: &GenerationPlan, net: &str) -> Header {
        Header::new(self.settings.play.game)
            .with("engine", format!("Nue {}", self.machine.version))
            .with("method", "reinforcement learning")
            .with("scores", "evaluation units")
            .with("net", net)
            .with("generation", plan.generation)
            .with("seed", plan.seed)
            .with("games", self.settings.games)
            .with("temperatures", plan.told_temperatures())
            .with("resign", plan.resign_at().map_or(0.0, balance::WinRate::share))
    }

    /// The games, replayed by the referee.
    fn review(
        &self,
        folder: &GenerationFolder,
        plan: &GenerationPlan,
        watcher: &mut dyn Watcher,
    ) -> Result<Review, RunError> {
        let path = folder.path().join(REVIEW);
        if let Some(review) = read(&path)? {
            return Ok(review);
        }
        watcher.step("review: every game replayed by the referee");
        let began = self.time.now();
        let review = Review::read(
            &folder.path().join(GAMES),
            &self.settings.play,
            &plan.lots(&self.settings),
            plan.resign.clone(),
        );
        watcher.step_over();
        let review = review?;
        watcher.note(&review.summary(&self.settings.play));
        write(&path, &review)?;
        self.done(folder, "review".to_owned(), began)?;
        Ok(review)
    }

    /// A step is over: it is written down.
    fn done(
        &self,
        folder: &GenerationFolder,
        command: String,
        began: Duration,
    ) -> Result<(), RunError> {
        let seconds = self.time.now().saturating_sub(began).as_secs_f64();
        Ok(history::add(folder, &Step { command, seconds })?)
    }
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Run").field("folder", &self.lab.path()).finish_non_exhaustive()
    }
}
