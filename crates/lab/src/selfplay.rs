//! Games of our own engine against itself, as somebody asks for them: who evaluates, what is played,
//! and the teacher file it goes to.

use crate::error::LabError;
use arena::selfplay::PlayElsewhere;
use arena::selfplay::file::{Ended, Existing, GameFile, Goal, Progress, Run};
use arena::selfplay::player::SelfPlayError;
use arena::selfplay::settings::SelfPlaySettings;
use assembly::OwnSearch;
use assembly::options::{
    ENTERING_KING_RULE, HASH, MAX_MOVES_TO_DRAW, PV_INTERVAL, ROOT_MATE_NODES, THREADS,
};
use nnue::{DEFAULT_FV_SCALE, Isa};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use think::TimeSource;

/// Self-play somebody asks for.
#[derive(Clone, PartialEq, Debug)]
pub struct SelfPlay {
    pub out: PathBuf,
    /// What to do with a file that is there already.
    pub existing: Existing,
    pub goal: Goal,
    /// A net, tables or `material`; what the engine would play with if missing.
    pub net: Option<PathBuf>,
    /// Divisor of the net's output.
    pub fv_scale: i32,
    pub isa: Isa,
    /// Games at a time; as many as processors if missing.
    pub threads: Option<usize>,
    /// MiB of table for each game under way.
    pub hash: u32,
    /// Positions after which a block of the file is closed: what a crash can lose.
    pub block: u64,
    /// What is played; its options are given to the engine after those every such engine gets.
    pub settings: SelfPlaySettings,
}

impl Default for SelfPlay {
    fn default() -> Self {
        Self {
            out: PathBuf::new(),
            existing: Existing::Refuse,
            goal: Goal::default(),
            net: None,
            fv_scale: DEFAULT_FV_SCALE,
            isa: Isa::best(),
            threads: None,
            hash: 4,
            block: 20_000,
            settings: SelfPlaySettings::default(),
        }
    }
}

/// Whoever looks on while games are played.
pub trait SelfPlayObserver {
    /// The file is open; `evaluation` says what plays.
    fn opened(&mut self, request: &SelfPlay, file: &GameFile, evaluation: &str);

    /// A game is in the file.
    fn played(&mut self, progress: &Progress);
}

impl SelfPlay {
    /// Plays until the goal is reached or somebody asks to stop; `None` where the file has all of
    /// it already.
    pub fn run(
        &self,
        time: &Arc<dyn TimeSource>,
        stop: &AtomicBool,
        observer: &mut dyn SelfPlayObserver,
    ) -> Result<Option<Ended>, LabError> {
        self.run_by(time, stop, None, observer)
    }

    /// The same with games played elsewhere, where somebody does.
    pub fn run_by(
        &self,
        time: &Arc<dyn TimeSource>,
        stop: &AtomicBool,
        elsewhere: Option<&PlayElsewhere<'_>>,
        observer: &mut dyn SelfPlayObserver,
    ) -> Result<Option<Ended>, LabError> {
        let game = self.settings.game;
        let settings = self.complete_settings();
        let net = (self.net.as_deref(), self.fv_scale);
        let (search, about) = OwnSearch::load(&settings.options, net, game, time)?;
        let search = search.with_isa(self.isa);
        let mut plan = settings.plan()?;
        plan.options = OwnSearch::rest(&plan.options);
        let fingerprint = search.fingerprint().map_err(|e| LabError::at(&self.out, &e))?;
        let header = settings.header(concat!("Nue ", env!("CARGO_PKG_VERSION")), &fingerprint);
        let file = GameFile::open(&self.out, self.existing, header)?;
        observer.opened(self, &file, &about);
        if file.has_reached(&self.goal, Duration::ZERO) {
            return Ok(None);
        }
        let for_engines = Arc::clone(time);
        let factory = move |game| {
            let engine = search.engine(game, &for_engines);
            engine.map_err(|e| SelfPlayError::Engine(e.to_string()))
        };
        let run = Run {
            plan: &plan,
            factory: &factory,
            threads: self.games_at_a_time(),
            goal: self.goal,
            block: self.block,
            time: &**time,
            abandoned: stop,
            elsewhere,
        };
        Ok(Some(file.play(&run, &mut |progress| observer.played(progress))?))
    }

    /// Games at a time.
    pub fn games_at_a_time(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.threads.unwrap_or_else(cores).clamp(1, 1024)
    }

    /// What is played, with all options the engine is given.
    pub fn complete_settings(&self) -> SelfPlaySettings {
        SelfPlaySettings { options: self.engine_options(), ..self.settings.clone() }
    }

    fn engine_options(&self) -> Vec<(String, String)> {
        let settings = &self.settings;
        let mut options: Vec<(String, String)> = [
            THREADS.to(1),
            HASH.to(self.hash as usize),
            // Only the last line of each search is wanted.
            PV_INTERVAL.to(100_000),
            // Every node is counted, and games are adjudicated: no extra search for mates.
            ROOT_MATE_NODES.to(0),
            ENTERING_KING_RULE.to(settings.declaration.name().to_owned()),
            MAX_MOVES_TO_DRAW.to(settings.max_moves),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        options.extend_from_slice(&settings.options);
        options
    }
}
