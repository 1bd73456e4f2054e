//! An engine of the pool: our own, or a program the owner registered. Both are asked the same way
//! and block until they have answered or were told to stop.

use board::hello::Scales;
use board::question::{self, Question};
use engines::game_rules::in_its_words;
use engines::{
    Allowed, EngineFactory, GameLine, LocalPlayer, Player, PlayerError, PlayerSettings,
    ProgramCommand, SearchHandle, SearchRequest, UsiPlayer,
};
use rules::Game;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use think::key::universal::{HASH, MULTI_PV, THREADS};
use think::{Answer, Clocks, Info, TimeSource};
use usi::{Go, Times};

/// How long an engine may take to introduce itself and to load.
const STARTUP: Duration = Duration::from_secs(30);

/// How long an engine may go on after it was told to stop, or past its time.
const STALL: Duration = Duration::from_secs(5);

/// How long it may take to end when asked to.
const FAREWELL: Duration = Duration::from_secs(1);

/// The page's name for our tree search.
pub(crate) const TREE_SEARCH: &str = "nue-tree";

/// Where an engine comes from.
#[derive(Clone)]
pub enum Origin {
    /// A program of its own.
    Program(ProgramCommand),
    /// This program.
    Inside(Arc<EngineFactory>),
}

/// An engine the owner registered, or a second one of this program.
#[derive(Clone)]
pub struct Registered {
    /// The page's name for it.
    pub id: String,
    /// Its name for people.
    pub name: String,
    pub origin: Origin,
    /// USI options.
    pub options: Vec<(String, String)>,
    /// Games it plays.
    pub plays: Vec<Game>,
    /// Of its win rates.
    pub scale: Scales,
}

impl Registered {
    /// The tree search of this program, beside its other search.
    pub fn tree_search(factory: Arc<EngineFactory>) -> Self {
        let scale = |game| factory(game).win_rate_scale();
        Self {
            id: TREE_SEARCH.to_owned(),
            name: "Nue, tree search".to_owned(),
            scale: Scales { shogi: scale(Game::Shogi), minishogi: scale(Game::Minishogi) },
            origin: Origin::Inside(factory),
            options: Vec::new(),
            plays: Game::ALL.to_vec(),
        }
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct EngineFailure(pub String);

impl From<PlayerError> for EngineFailure {
    fn from(error: PlayerError) -> Self {
        Self(error.to_string())
    }
}

/// An engine and what it was last told.
pub struct PoolEngine {
    player: Box<dyn Player>,
    is_own: bool,
    prepared: bool,
    options: Vec<(&'static str, String)>,
    /// Options its owner has chosen.
    chosen: Vec<String>,
}

fn settings(optional: Vec<(&'static str, String)>) -> PlayerSettings {
    PlayerSettings {
        optional: optional.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        startup: STARTUP,
        stall: Some(STALL),
        farewell: FAREWELL,
        ..PlayerSettings::default()
    }
}

impl PoolEngine {
    /// Our own engine with a table of that many MiB.
    pub fn own(factory: Arc<EngineFactory>, time: Arc<dyn TimeSource>, mib: usize) -> Self {
        let settings = settings(question::own_options(mib));
        let player = LocalPlayer::new(settings, factory, time, Arc::new(AtomicBool::new(false)));
        Self::new(Box::new(player), true)
    }

    /// An engine that was registered; a program is started when it is first asked.
    pub(super) fn registered(found: &Registered, time: Arc<dyn TimeSource>, mib: usize) -> Self {
        let command = match &found.origin {
            Origin::Inside(factory) => return Self::own(Arc::clone(factory), time, mib),
            Origin::Program(command) => command.clone(),
        };
        let settings =
            PlayerSettings { options: found.options.clone(), ..settings(vec![HASH.to(mib)]) };
        let chosen = found.options.iter().map(|(name, _)| name.clone()).collect();
        let player = Box::new(usi_player(command, settings, time));
        Self { chosen, ..Self::new(player, false) }
    }

    fn new(player: Box<dyn Player>, is_own: bool) -> Self {
        Self { player, is_own, prepared: false, options: Vec::new(), chosen: Vec::new() }
    }

    /// Thinks with that many threads until it has an answer or is stopped; lines of thought go to
    /// `on_info`. One that failed is of no use any more.
    pub fn ask(
        &mut self,
        question: &Question,
        threads: usize,
        handle: &SearchHandle,
        on_info: &mut dyn FnMut(&Info),
    ) -> Result<Answer, EngineFailure> {
        if !self.prepared {
            self.player.prepare(question.position.game(), &mut |_| ())?;
            self.prepared = true;
        }
        self.set(THREADS.to(threads))?;
        self.set(MULTI_PV.to(question.lines.max(1) as usize))?;
        for option in question.options() {
            self.set(option.clone())?;
        }
        let game = GameLine::new(question.position.clone());
        let request = SearchRequest {
            game: &game,
            go: go(question, self.is_own),
            allowed: allowed(question),
            handle: handle.clone(),
        };
        Ok(self.player.think(&request, Some(on_info))?.answer)
    }

    /// Sets what changes from question to question; an engine without the option does without.
    fn set(&mut self, (name, value): (&'static str, String)) -> Result<(), EngineFailure> {
        match self.options.iter_mut().find(|(n, _)| *n == name) {
            Some((_, known)) if *known == value => return Ok(()),
            Some((_, known)) => known.clone_from(&value),
            None => self.options.push((name, value.clone())),
        }
        let Some((name, value)) = in_its_words(name, &value, &self.player.options()) else {
            return Ok(());
        };
        // What the owner registered a program with is not changed.
        if !self.chosen.iter().any(|chosen| chosen.eq_ignore_ascii_case(&name)) {
            self.player.set_option(&name, &value)?;
        }
        Ok(())
    }
}

fn usi_player(
    command: ProgramCommand,
    settings: PlayerSettings,
    time: Arc<dyn TimeSource>,
) -> UsiPlayer {
    UsiPlayer::new(command, settings, time, Arc::new(AtomicBool::new(false)))
}

/// Starts a program, asks what it is, and ends it: the games it plays.
pub fn probe(
    command: ProgramCommand,
    time: &Arc<dyn TimeSource>,
) -> Result<Vec<Game>, EngineFailure> {
    let mut player = usi_player(command, settings(Vec::new()), Arc::clone(time));
    Ok(player.introduce()?.games())
}

fn allowed(question: &Question) -> Allowed {
    let clocks = question.clocks.map(|c| c.byoyomi + c.time[0] + c.time[1]);
    question.time.or(clocks).map_or(Allowed::UntilStopped, Allowed::Within)
}

fn go(question: &Question, is_own: bool) -> Go {
    let mut go = Go { nodes: question.nodes, depth: question.depth, ..Go::default() };
    if let Some(clocks) = question.clocks {
        go.times = Times::of(&clocks);
    } else if let Some(time) = question.time {
        if is_own {
            go.movetime = Some(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
        } else {
            // Understood by every engine, which "movetime" is not.
            go.times = Times::of(&Clocks { byoyomi: time, ..Clocks::default() });
        }
    } else {
        go.infinite = question.nodes.is_none() && question.depth.is_none();
    }
    go
}

#[cfg(test)]
mod tests {
    use super::*;
    use alphabeta::options::{ANALYSIS_MODE, MAX_MOVES_TO_DRAW};
    use board::question::Lines;
    use rules::{AnyPosition, Game};
    use think::WallTime;

    fn own() -> PoolEngine {
        let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
        let clock = Arc::clone(&time);
        let factory = move |game| assembly::engine(game, Arc::clone(&clock));
        PoolEngine::own(Arc::new(factory), time, 4)
    }

    #[test]
    fn our_engine_answers_with_lines() {
        let mut question = Question::new(AnyPosition::startpos(Game::Shogi));
        question.nodes = Some(2000);
        question.lines = 3;
        let mut lines = Lines::default();
        let handle = SearchHandle::new();
        let answer = own().ask(&question, 1, &handle, &mut |i| lines.update(i)).unwrap();
        assert_eq!(lines.ranked().count(), 3);
        let best = lines.moves()[0].0;
        assert_eq!(answer, Answer::Move(best));
    }

    #[test]
    fn a_search_told_to_stop_stops_also_before_it_begins() {
        let mut own = own();
        let question = Question::new(AnyPosition::startpos(Game::Minishogi));
        let handle = SearchHandle::new();
        handle.stop();
        assert!(own.ask(&question, 1, &handle, &mut |_| ()).is_ok());
        let handle = SearchHandle::new();
        let other = handle.clone();
        let answer = own.ask(&question, 1, &handle, &mut |_| other.stop());
        assert!(answer.is_ok() && handle.is_stopped());
    }

    #[test]
    fn an_analysis_knows_nothing_of_the_game_asked_about_before() {
        let mut own = own();
        let position = AnyPosition::startpos(Game::Shogi);
        let mut game = Question::new(position.clone());
        game.set(MAX_MOVES_TO_DRAW.to(4));
        game.nodes = Some(50);
        let mut analysis = Question::analysis(position);
        analysis.nodes = Some(50);
        for (question, set) in [
            (&game, [MAX_MOVES_TO_DRAW.to(4), ANALYSIS_MODE.to(false)]),
            (&analysis, [MAX_MOVES_TO_DRAW.to_default(), ANALYSIS_MODE.to(true)]),
            (&game, [MAX_MOVES_TO_DRAW.to(4), ANALYSIS_MODE.to(false)]),
        ] {
            own.ask(question, 1, &SearchHandle::new(), &mut |_| ()).unwrap();
            for option in set {
                assert!(own.options.contains(&option), "{option:?} in {:?}", own.options);
            }
        }
    }

    #[test]
    fn a_position_is_worth_the_same_however_it_was_reached() {
        let value = |moves: &[&str]| {
            let mut position = AnyPosition::startpos(Game::Shogi);
            for text in moves {
                position.play(position.parse_usi(text).unwrap());
            }
            let mut question = Question::analysis(position);
            question.nodes = Some(20_000);
            let mut lines = Lines::default();
            own().ask(&question, 1, &SearchHandle::new(), &mut |i| lines.update(i)).unwrap();
            lines.moves()
        };
        let direct = value(&["7g7f", "3c3d"]);
        let round = ["5i5h", "5a5b", "5h5i", "5b5a"];
        assert_eq!(value(&[&["7g7f", "3c3d"][..], &round, &round].concat()), direct);
    }

    #[test]
    fn the_wrong_game_is_an_error() {
        let mut own = own();
        let mut question = Question::new(AnyPosition::startpos(Game::Minishogi));
        question.nodes = Some(10);
        assert!(own.ask(&question, 1, &SearchHandle::new(), &mut |_| ()).is_ok());
        question.position = AnyPosition::startpos(Game::Shogi);
        assert!(own.ask(&question, 1, &SearchHandle::new(), &mut |_| ()).is_err());
    }

    #[test]
    fn questions_in_the_words_of_usi() {
        let mut position = AnyPosition::startpos(Game::Shogi);
        position.play(position.parse_usi("7g7f").unwrap());
        let mut question = Question::new(position);
        assert_eq!(go(&question, false).to_string(), " infinite");
        question.time = Some(Duration::from_millis(300));
        assert_eq!(go(&question, false).to_string(), " btime 0 wtime 0 byoyomi 300");
        assert_eq!(go(&question, true).to_string(), " movetime 300");
        question.clocks = Some(Clocks {
            time: [Duration::from_secs(1); 2],
            increment: [Duration::from_secs(2); 2],
            byoyomi: Duration::ZERO,
        });
        assert_eq!(go(&question, false).to_string(), " btime 1000 wtime 1000 binc 2000 winc 2000");
    }
}
