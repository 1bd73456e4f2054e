//! A cluster that runs, and what it says.

use cluster::{Cluster, ClusterSettings, Config, Input, Offered};
use engines::shell::Output;
use rules::Game;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;
use think::{TimeSource, WallTime};

/// What a cluster says.
#[derive(Clone, Default)]
pub(crate) struct Message(Arc<(Mutex<String>, Condvar)>);

impl Write for Message {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.0.lock().unwrap().push_str(&String::from_utf8_lossy(bytes));
        self.0.1.notify_all();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Message {
    /// Waits for a line that begins so, forgets everything up to it, and returns it.
    pub(crate) fn wait(&self, start: &str) -> String {
        self.wait_for_all(start).lines().next_back().unwrap().to_owned()
    }

    /// The same, and returns all that came up to it.
    pub(crate) fn wait_for_all(&self, start: &str) -> String {
        let found = |text: &str| text.lines().position(|line| line.starts_with(start));
        let text = self.0.0.lock().unwrap();
        let patience = Duration::from_secs(60);
        let waiting = |text: &mut String| found(text).is_none();
        let (mut text, late) = self.0.1.wait_timeout_while(text, patience, waiting).unwrap();
        assert!(!late.timed_out(), "no {start:?} in {text}");
        let place = found(&text).unwrap();
        let lines =
            |lines: &mut dyn Iterator<Item = &str>| lines.map(|l| format!("{l}\n")).collect();
        let came = lines(&mut text.lines().take(place + 1));
        *text = lines(&mut text.lines().skip(place + 1));
        came
    }
}

pub(crate) fn time() -> Arc<dyn TimeSource> {
    Arc::new(WallTime::start())
}

pub(crate) struct Running {
    input: Input,
    pub(crate) said: Message,
    thread: JoinHandle<()>,
}

pub(crate) fn start(config: &str, folder: &Path) -> Running {
    let said = Message::default();
    let time = time();
    let clock = Arc::clone(&time);
    let (cluster, input) = Cluster::new(ClusterSettings {
        config: Config::parse(config).unwrap(),
        folder: folder.to_owned(),
        game: Game::Shogi,
        author: "test".to_owned(),
        factory: Arc::new(move |game| assembly::engine(game, Arc::clone(&clock))),
        time,
        output: Output::new(said.clone(), || ()),
    });
    let thread = std::thread::spawn(move || cluster.run().unwrap());
    Running { input, said, thread }
}

impl Running {
    pub(crate) fn say(&self, line: &str) {
        assert!(self.input.line(line.to_owned()));
    }

    pub(crate) fn quit(self) {
        self.say("quit");
        self.thread.join().unwrap();
    }
}

/// An engine of this process, to be offered.
pub(crate) fn engine() -> Offered {
    let time = time();
    let clock = Arc::clone(&time);
    let factory = Arc::new(move |game| assembly::engine(game, Arc::clone(&clock)));
    Offered { program: None, game: Game::Shogi, factory, time }
}

/// An engine of a few lines that writes down its process number and plays one move.
#[cfg(unix)]
pub(crate) fn script(folder: &Path) -> String {
    let path = folder.join("engine.sh");
    let text = "echo $$ >> pids\nwhile read line; do case $line in \
        usi) echo id name Script; echo usiok ;; isready) echo readyok ;; \
        go*infinite*|go*ponder*) ;; go*) sleep 0.3; echo info score cp 5 pv 7g7f; echo bestmove 7g7f ;; \
        stop) echo bestmove 7g7f ;; quit) exit ;; esac; done\n";
    std::fs::write(&path, text).unwrap();
    format!("sh {}", path.display())
}
