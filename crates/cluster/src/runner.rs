//! A master in real time: its children started, its timers kept, its lines written.

use crate::config::Config;
use crate::event::{Action, Event, Incarnation};
use crate::known::Known;
use crate::links::{self, ChildEnvironment, Sink};
use crate::master::Master;
use crate::onlookers::Onlookers;
use crate::verify::begins_mate;
use engines::EngineFactory;
use engines::lines::{LineLink, WAITING};
use engines::shell::{Output, shell_options};
use rules::{AnyPosition, Game, Move};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;
use think::{Control, OptionSpec, TimeSource, quote};

/// Nodes of a verification: under a second, and what takes longer is voted on like any move.
const VERIFY_NODES: u64 = 100_000;

/// How long children may take to end when asked to.
const FAREWELL: Duration = Duration::from_secs(2);

/// The longest wait where nothing is due.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// What a cluster needs.
pub struct ClusterSettings {
    pub config: Config,
    /// Where its paths are meant from.
    pub folder: PathBuf,
    pub game: Game,
    /// `id author`
    pub author: String,
    pub factory: Arc<EngineFactory>,
    pub time: Arc<dyn TimeSource>,
    pub output: Output,
}

/// Where lines of the interface go in.
#[derive(Clone)]
pub struct Input(SyncSender<Event>);

impl Input {
    /// A line was read; `false` if nobody wants any more.
    pub fn line(&self, line: String) -> bool {
        self.0.send(Event::Gui(line)).is_ok()
    }

    /// Takes lines as they come, on a thread of its own, to their end.
    pub fn read(self, lines: impl Iterator<Item = String> + Send + 'static) -> io::Result<()> {
        let work = move || {
            for line in lines {
                if !self.line(line) {
                    return;
                }
            }
            self.end();
        };
        thread::Builder::new().name("input".to_owned()).spawn(work).map(|_| ())
    }

    /// There are no more.
    pub fn end(&self) {
        // Nobody is there any more if the conversation is over already.
        let _ = self.0.send(Event::GuiClosed);
    }
}

/// A cluster that is about to run.
pub struct Cluster {
    settings: ClusterSettings,
    events: Receiver<Event>,
    sender: SyncSender<Event>,
}

impl Cluster {
    /// A cluster, and where the interface's lines go in. What waits is bounded: whoever sends too
    /// much waits.
    pub fn new(settings: ClusterSettings) -> (Self, Input) {
        let (sender, events) = sync_channel(WAITING);
        (Self { settings, events, sender: sender.clone() }, Input(sender))
    }

    /// Runs until `quit` or the end of input.
    pub fn run(self) -> io::Result<()> {
        let settings = self.settings;
        let log = match &settings.config.log {
            Some(path) => {
                let path = settings.folder.join(path);
                let named = |error| io::Error::other(format!("log {}: {error}", path.display()));
                let file = OpenOptions::new().create(true).append(true).open(&path);
                Some(file.map_err(named)?)
            }
            None => None,
        };
        let path = settings.config.known.as_ref().map(|path| settings.folder.join(path));
        let memory = Known::read(path);
        let known = known_options(&settings, &memory);
        let (config, game) = (settings.config.clone(), settings.game);
        let mut master = Master::new(config, game, &settings.author, known);
        let sender = self.sender;
        let sink: Sink = Arc::new(move |event| {
            // Nobody is there any more at the very end.
            let _ = sender.send(event);
        });
        let around = ChildEnvironment {
            folder: settings.folder.clone(),
            factory: Arc::clone(&settings.factory),
            time: Arc::clone(&settings.time),
        };
        let links = (0..settings.config.children.len()).map(|_| None).collect();
        let onlookers = settings.config.view.as_ref().map(|path| settings.folder.join(path));
        let onlookers = onlookers.and_then(|path| {
            // Nobody looks on then, which costs no game.
            let tell = |error: io::Error| settings.output.note(&quote(&error.to_string()));
            Onlookers::new(path).map_err(tell).ok()
        });
        let failed = Vec::new();
        let mut effects =
            EffectRunner { settings, around, links, log, memory, onlookers, sink, failed };
        let mut event = Event::Time;
        loop {
            let now = effects.settings.time.now();
            let actions = master.handle(event, now);
            if effects.perform(actions, master.game()) {
                break;
            }
            if let Some(failed) = effects.failed.pop() {
                event = failed;
                continue;
            }
            let now = effects.settings.time.now();
            let shown =
                effects.onlookers.as_mut().and_then(|onlookers| onlookers.show(&master, now));
            let wake = master.wake().into_iter().chain(shown).min();
            let wait = wake.map_or(LONGEST_WAIT, |wake| wake.saturating_sub(now));
            event = match self.events.recv_timeout(wait.min(LONGEST_WAIT)) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => Event::Time,
                Err(RecvTimeoutError::Disconnected) => Event::GuiClosed,
            };
        }
        effects.farewell(&self.events);
        Ok(())
    }
}

/// What children inside this process declare is known before they run, what others do from the last time.
fn known_options(settings: &ClusterSettings, memory: &Known) -> Vec<Vec<OptionSpec>> {
    let mut ours: Option<Vec<OptionSpec>> = None;
    let children = settings.config.children.iter().map(|child| match child.inside {
        None => memory.options(&child.name),
        Some(_) => {
            let make = || {
                let engine = (settings.factory)(settings.game);
                shell_options(settings.game).into_iter().chain(engine.options()).collect()
            };
            ours.get_or_insert_with(make).clone()
        }
    });
    children.collect()
}

/// Does what the master wants done.
struct EffectRunner {
    settings: ClusterSettings,
    around: ChildEnvironment,
    links: Vec<Option<(Incarnation, Box<dyn LineLink>)>>,
    log: Option<File>,
    memory: Known,
    onlookers: Option<Onlookers>,
    sink: Sink,
    /// Events of our own: what could not be done.
    failed: Vec<Event>,
}

impl EffectRunner {
    /// Whether it is over.
    fn perform(&mut self, actions: Vec<Action>, game: Game) -> bool {
        let mut over = false;
        for action in actions {
            match action {
                Action::Up(line) => self.settings.output.text(&line),
                Action::Send(incarnation, line) => self.send(incarnation, &line),
                Action::Start(incarnation) => self.start(incarnation, game),
                Action::End(incarnation) => {
                    let of_it = |link: &mut (Incarnation, Box<dyn LineLink>)| link.0 == incarnation;
                    drop(self.links[incarnation.child].take_if(of_it));
                }
                Action::Verify { number, position, first } => self.verify(number, *position, first),
                Action::Know { child, options } => {
                    let name = &self.settings.config.children[child].name;
                    self.memory.learn(name, &options);
                }
                Action::Log(entry) => {
                    self.write(&entry.line());
                    if let Some(onlookers) = &mut self.onlookers {
                        onlookers.note(&entry, game);
                    }
                }
                Action::Quit => over = true,
            }
        }
        over
    }

    fn send(&mut self, incarnation: Incarnation, line: &str) {
        let link = self.links[incarnation.child].as_mut().filter(|link| link.0 == incarnation);
        if link.is_some_and(|(_, link)| !link.send(line)) {
            let why = "does not read what it is told".to_owned();
            self.failed.push(Event::Lost(incarnation, why));
        }
    }

    fn start(&mut self, incarnation: Incarnation, game: Game) {
        let config = &self.settings.config.children[incarnation.child];
        match links::start(config, game, incarnation, &self.around, &self.sink) {
            Ok(link) => self.links[incarnation.child] = Some((incarnation, link)),
            Err(error) => self.failed.push(Event::Lost(incarnation, error.to_string())),
        }
    }

    fn verify(&mut self, number: u64, position: AnyPosition, first: Move) {
        let (sink, time) = (Arc::clone(&self.sink), Arc::clone(&self.settings.time));
        let work = move || {
            let control = Control::new(false);
            let mates = begins_mate(&position, first, VERIFY_NODES, &control, &*time);
            sink(Event::Verified { number, mates });
        };
        let name = "verify mate".to_owned();
        if thread::Builder::new().name(name).stack_size(think::STACK).spawn(work).is_err() {
            self.failed.push(Event::Verified { number, mates: false });
        }
    }

    /// Appends to the log. One that cannot be written ends with a remark; the game goes on.
    fn write(&mut self, line: &str) {
        let Some(file) = &mut self.log else { return };
        if let Err(error) = file.write_all(format!("{line}\n").as_bytes()) {
            self.log = None;
            let why = format!("the log cannot be written any more: {}", quote(&error.to_string()));
            self.settings.output.note(&why);
        }
    }

    /// Lets children that were told to quit do so for a while.
    fn farewell(mut self, events: &Receiver<Event>) {
        let begun = self.settings.time.now();
        let gone = |link: &mut Option<(Incarnation, Box<dyn LineLink>)>| {
            link.as_mut().is_none_or(|(_, link)| link.is_gone())
        };
        while self.settings.time.now().saturating_sub(begun) < FAREWELL
            && !self.links.iter_mut().all(gone)
        {
            // What they still say must not hold them up.
            while events.try_recv().is_ok() {}
            thread::sleep(Duration::from_millis(2));
        }
    }
}
