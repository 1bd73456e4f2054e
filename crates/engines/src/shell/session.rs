//! One conversation: what every command does, also at the wrong time.

use super::foreign_options::{DEBUG_LOG_FILE, Meaning, shell_options};
use super::keep_alive::{INTERVAL, keep_alive};
use super::output::Output;
use super::reports::{LineReport, Progress};
use super::task::Task;
use crate::local::EngineFactory;
use rules::{AnyPosition, Color, DEEPEST_PERFT, Game};
use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use think::key::universal::{MULTI_PV, is_always_sent};
use think::{Control, Engine, Moment, OptionError, PonderHit, TimeSource, quote};
use usi::option::chooses_game;
use usi::{Command, Go, ParseError, Reply, SetPosition, Times};

/// Options about which something is said; after so many different ones nobody reads on.
const MOST_TOLD: usize = 1000;

/// Whether the conversation goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    Listen,
    End,
}

/// Searches the bench positions of a game to a depth, the usual one if none is given, and writes
/// about it.
pub type BenchStarter = dyn Fn(Game, Option<u32>, Output) -> io::Result<Task> + Send;

/// What a conversation needs.
pub struct ShellSettings {
    /// `id name`
    pub name: String,
    /// `id author`
    pub author: String,
    pub factory: Arc<EngineFactory>,
    pub bench: Box<BenchStarter>,
    pub output: Output,
    /// For the moments in a log of the conversation.
    pub time: Arc<dyn TimeSource>,
}

/// The state of a conversation.
pub struct Session {
    settings: ShellSettings,
    game: Game,
    output: Output,
    engine: Box<dyn Engine>,
    /// The position of the next `go`.
    position: AnyPosition,
    /// The latest search, as long as its answer is due.
    search: Option<(Control, Progress)>,
    task: Option<Task>,
    /// Every option that was set, for the engine of the other game.
    chosen: Vec<(String, String)>,
    /// Options set while thinking, for when it is over.
    deferred: Vec<(String, String)>,
    /// Options that do nothing here, about which that was said.
    told: HashSet<String>,
}

impl Session {
    /// A conversation that begins with that game.
    pub fn new(game: Game, settings: ShellSettings) -> Self {
        Self {
            game,
            engine: (settings.factory)(game),
            output: settings.output.clone(),
            settings,
            position: AnyPosition::startpos(game),
            search: None,
            task: None,
            chosen: Vec::new(),
            deferred: Vec::new(),
            told: HashSet::new(),
        }
    }

    /// Takes one line, read at that moment.
    pub fn receive(&mut self, line: &str, at: Moment) -> Next {
        self.output.log_input(line, at);
        match Command::parse(line) {
            Ok(Command::Quit) => return Next::End,
            Ok(command) => self.execute(command, at),
            // An empty line is how some servers and tools keep a connection alive.
            Err(ParseError::Empty) => {}
            Err(error) => self.output.note(&error.to_string()),
        }
        Next::Listen
    }

    /// What a score is worth by what is loaded: [`Engine::win_rate_scale`].
    pub fn win_rate_scale(&self) -> f64 {
        self.engine.win_rate_scale()
    }

    /// The end: a search under way is stopped and its answer printed.
    pub fn end(mut self) {
        if let Some((control, _)) = &self.search {
            control.quit();
        }
        if let Some(task) = self.task.take() {
            task.cancel();
            task.wait();
        }
        self.engine.wait();
    }

    fn execute(&mut self, command: Command, at: Moment) {
        match command {
            Command::Usi => self.introduce(),
            Command::IsReady => self.prepare(),
            Command::SetOption { name, value } => {
                self.set_option(&name, &value.unwrap_or_default());
            }
            Command::UsiNewGame => {
                self.settle();
                self.engine.new_game();
            }
            Command::Position(position) => self.set_position(&position),
            Command::Go(go) => self.go(&go, at),
            Command::Stop | Command::GameOver(_) => self.stop(),
            Command::PonderHit(times) => self.ponderhit(&times, at),
            Command::Show => self.output.text(&kifu::diagram(&self.position)),
            Command::Eval => self.show_value(),
            Command::Moves => self.output.text(&kifu::move_list(&self.position)),
            Command::Bench(depth) => {
                self.settle();
                let task = (self.settings.bench)(self.game, depth, self.output.clone());
                self.set_off(task);
            }
            Command::Quit => {}
        }
    }

    /// Whether an answer is due. A search that has been told to stop is waited for: it is about
    /// to answer.
    fn is_thinking(&mut self) -> bool {
        match &self.search {
            Some((control, progress)) if !progress.is_answered() => {
                if !control.is_stopped() {
                    return true;
                }
            }
            Some(_) => {}
            None => return false,
        }
        self.engine.wait();
        self.search = None;
        for (name, value) in std::mem::take(&mut self.deferred) {
            self.set_now(&name, &value);
        }
        false
    }

    /// Ends whatever is under way. The answer of a search is dropped: nobody waits for it.
    fn settle(&mut self) {
        if self.is_thinking()
            && let Some((control, progress)) = &self.search
        {
            progress.drop_answer();
            control.stop();
            self.output.note("the search under way is dropped, without bestmove");
            self.is_thinking();
        }
        if let Some(task) = self.task.take() {
            task.cancel();
            task.wait();
        }
    }

    fn introduce(&self) {
        self.output.say(&Reply::IdName(self.settings.name.clone()));
        self.output.say(&Reply::IdAuthor(self.settings.author.clone()));
        for spec in shell_options(self.game).into_iter().chain(self.engine.options()) {
            self.output.say(&Reply::Option(spec));
        }
        self.output.say(&Reply::UsiOk);
    }

    fn prepare(&mut self) {
        if !self.is_thinking() {
            let (engine, output) = (&mut self.engine, &self.output);
            keep_alive(output, INTERVAL, || engine.is_ready(&mut |text| output.note(text)));
        }
        self.output.say(&Reply::ReadyOk);
    }

    fn set_position(&mut self, position: &SetPosition) {
        match position.resolve(self.game) {
            Ok(position) => self.position = position,
            Err(error) => self.output.note(&format!("position not changed: {error}")),
        }
    }

    fn set_option(&mut self, name: &str, value: &str) {
        if chooses_game(name) {
            return self.set_game(value);
        }
        if DEBUG_LOG_FILE.is_called(name) {
            return self.set_log(value);
        }
        let declared = self.engine.options().iter().any(|option| option.is_called(name));
        let name = match Meaning::of(name).filter(|_| !declared) {
            Some(Meaning::Same(ours)) => ours,
            Some(Meaning::Log) => return self.set_log(value),
            Some(Meaning::LogSwitch(file)) => {
                let on = value.eq_ignore_ascii_case("true");
                return self.set_log(if on { file } else { "" });
            }
            Some(Meaning::Nothing(why)) => return self.tell_once(name, &format!("{name}: {why}")),
            None => name,
        };
        // How many lines are told may change at any time.
        if !self.is_thinking() || MULTI_PV.is_called(name) {
            return self.set_now(name, value);
        }
        // What is wrong is said at once; what is right waits for the end of the search.
        let unknown = || OptionError::Unknown { name: name.to_owned() };
        let specs = self.engine.options();
        let spec = specs.iter().find(|s| s.is_called(name)).ok_or_else(unknown);
        match spec.and_then(|s| s.parse(value)) {
            Ok(_) => self.deferred.push((name.to_owned(), value.to_owned())),
            Err(error) => self.complain(&error),
        }
    }

    fn set_now(&mut self, name: &str, value: &str) {
        match self.engine.set_option(name, value) {
            Ok(()) => {
                self.chosen.retain(|(earlier, _)| !earlier.eq_ignore_ascii_case(name));
                self.chosen.push((name.to_owned(), value.to_owned()));
            }
            Err(error) => self.complain(&error),
        }
    }

    fn complain(&mut self, error: &OptionError) {
        match error {
            OptionError::Unknown { name } if is_always_sent(name) => {}
            // Interfaces send what they know before every game.
            OptionError::Unknown { name } => self.tell_once(name, &error.to_string()),
            _ => self.output.note(&error.to_string()),
        }
    }

    /// Says something about an option unless it has been said.
    fn tell_once(&mut self, name: &str, text: &str) {
        if self.told.len() < MOST_TOLD && self.told.insert(name.to_ascii_lowercase()) {
            self.output.note(text);
        }
    }

    fn set_log(&mut self, path: &str) {
        let path = if path == "<empty>" { "" } else { path };
        if let Err(error) = self.output.log_to(path, &self.settings.time) {
            self.output.note(&format!("{}: {}: {error}", DEBUG_LOG_FILE.name(), quote(path)));
        }
    }

    fn set_game(&mut self, value: &str) {
        if self.is_thinking() {
            self.output.note("the game cannot be changed while thinking: send stop first");
            return;
        }
        let game: Game = match value.parse() {
            Ok(game) => game,
            Err(error) => return self.output.note(&error.to_string()),
        };
        self.position = AnyPosition::startpos(game);
        if game != self.game {
            self.game = game;
            self.engine = (self.settings.factory)(game);
            for (name, value) in self.chosen.clone() {
                self.set_now(&name, &value);
            }
        }
    }

    fn go(&mut self, go: &Go, at: Moment) {
        if let Some(depth) = go.perft {
            return self.perft(depth);
        }
        let limits = match go.limits(&self.position, at) {
            Ok(limits) => limits,
            Err(error) => return self.output.note(&format!("not thinking: {error}")),
        };
        if !go.unknown.is_empty() {
            self.output.note(&format!("go: ignored {}", quote(&go.unknown.join(" "))));
        }
        self.settle();
        if let Err(error) = self.engine.set_position(self.position.clone()) {
            return self.output.note(&format!("not thinking: {error}"));
        }
        let progress = Progress::default();
        let begun = (at, Arc::clone(&self.settings.time));
        let report = LineReport::new(self.output.clone(), self.game, progress.clone(), begun);
        self.engine.go(limits, Box::new(report));
        self.search = Some((self.engine.control(), progress));
    }

    fn perft(&mut self, depth: u32) {
        match u8::try_from(depth).ok().filter(|&depth| depth <= DEEPEST_PERFT) {
            Some(depth) => {
                self.settle();
                let task = Task::perft(self.position.clone(), depth, self.output.clone());
                self.set_off(task);
            }
            None => self.output.note(&format!(
                "perft of {depth} plies would take forever: at most {DEEPEST_PERFT}"
            )),
        }
    }

    fn set_off(&mut self, task: io::Result<Task>) {
        match task {
            Ok(task) => self.task = Some(task),
            Err(error) => self.output.note(&format!("could not start a thread: {error}")),
        }
    }

    /// Nothing under way is no mistake: the answer and the command crossed.
    fn stop(&mut self) {
        if let Some((control, _)) = &self.search {
            control.stop();
        }
        if let Some(task) = self.task.as_ref().filter(|task| task.is_running()) {
            task.cancel();
        }
    }

    fn ponderhit(&mut self, times: &Times, at: Moment) {
        let hit = PonderHit { at, clocks: times.clocks() };
        let pondering = self.is_thinking()
            && self.search.as_ref().is_some_and(|(control, _)| control.ponderhit(hit));
        if !pondering {
            self.output.note("ponderhit without go ponder: ignored");
        }
    }

    fn show_value(&mut self) {
        let kings = Color::BOTH.iter().all(|&color| self.position.king(color).is_some());
        let position = self.position.clone();
        let value = (kings && self.engine.set_position(position).is_ok())
            .then(|| self.engine.static_value());
        self.output.text(&match value.flatten() {
            Some(value) => format!("static value for the side to move: {value} cp"),
            None => "no static value here".to_owned(),
        });
    }
}
