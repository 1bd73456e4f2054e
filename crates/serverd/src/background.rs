//! What can be done a little later, in a thread of its own: the log, the records, the ratings,
//! checkpoints of the data file.

use crate::config::Config;
use crate::error::Error;
use crate::server_loop::{Input, ServerClock};
use crate::store;
use durable::Draft;
use serde_json::{Value, json};
use server::calendar;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Jobs that may wait. When the disk is that slow, lines of the log are lost; records are not:
/// they are found missing at the next start.
const QUEUE: usize = 20_000;

/// How often the log is written out, and ratings are made if games have ended.
const FLUSH: Duration = Duration::from_secs(2);
const RATE: Duration = Duration::from_secs(300);

/// Something to do.
pub(crate) enum Job {
    Log(String),
    Record(String),
    /// A line of a player's own log.
    PlayerLine {
        name: String,
        line: String,
    },
    /// Much has been stored: move it from the write-ahead log into the file proper.
    Checkpoint,
    /// Do what waits, and end.
    End,
}

/// The handle of the thread.
#[derive(Clone)]
pub(crate) struct Background(SyncSender<Job>);

impl Background {
    /// Hands in a job; whether there was room for it (see [`QUEUE`]).
    pub(crate) fn send(&self, job: Job) -> bool {
        self.0.try_send(job).is_ok()
    }

    /// Writes an event with its fields.
    pub(crate) fn log(&self, event: &str, fields: &Value) {
        let time = calendar::format(ServerClock::wall(), "%Y-%m-%dT%H:%M:%SZ");
        let mut line = json!({ "time": time, "event": event });
        if let (Some(line), Some(fields)) = (line.as_object_mut(), fields.as_object()) {
            line.extend(fields.iter().map(|(k, v)| (k.clone(), v.clone())));
        }
        self.send(Job::Log(line.to_string()));
    }

    /// Writes what a player said (`<`) or was told (`>`) into its own log.
    pub(crate) fn player(&self, name: &str, sign: char, text: &str) {
        let time = calendar::format(ServerClock::wall(), "%Y-%m-%dT%H:%M:%SZ");
        for line in text.lines() {
            let line = format!("{time} {sign} {line}");
            self.send(Job::PlayerLine { name: name.to_owned(), line });
        }
    }

    /// Ends the thread once it has done what it was given before.
    pub(crate) fn end(&self) {
        // Blocks while the queue is full: what waits in it is to be done.
        let _ = self.0.send(Job::End);
    }
}

/// Starts the thread; a log called `-` goes to `terminal`.
pub(crate) fn start(
    config: &Config,
    inputs: mpsc::Sender<Input>,
    terminal: Box<dyn Write + Send>,
) -> Result<(Background, std::thread::JoinHandle<()>), Error> {
    let (sender, jobs) = sync_channel(QUEUE);
    let path = &config.file.log;
    let log: Box<dyn Write + Send> = match path.to_str() {
        Some("") => Box::new(std::io::sink()),
        Some("-") => terminal,
        _ => {
            let file = File::options().create(true).append(true).open(path);
            Box::new(BufWriter::new(file.map_err(|error| Error::file(path, error))?))
        }
    };
    if let Some(folder) = &config.file.player_logs {
        std::fs::create_dir_all(folder).map_err(|error| Error::file(folder, error))?;
    }
    let data = &config.file.data;
    let unreadable = |error| Error::file(data, error);
    let worker = Worker {
        jobs,
        inputs,
        log,
        reading: store::reader(data).map_err(unreadable)?,
        checkpointing: rusqlite::Connection::open(data).map_err(unreadable)?,
        records: config.file.records.clone(),
        player_logs: PlayerLogs::new(config.file.player_logs.clone()),
        rating: config.rating.clone(),
        rated: None,
        fresh: true,
    };
    let thread = std::thread::Builder::new().name("background".to_owned());
    Ok((Background(sender), thread.spawn(move || worker.run())?))
}

struct Worker {
    jobs: Receiver<Job>,
    inputs: mpsc::Sender<Input>,
    log: Box<dyn Write + Send>,
    reading: rusqlite::Connection,
    checkpointing: rusqlite::Connection,
    records: PathBuf,
    player_logs: PlayerLogs,
    rating: server::rating::Method,
    rated: Option<Instant>,
    /// Games have ended since the ratings were made.
    fresh: bool,
}

impl Worker {
    fn run(mut self) {
        for id in store::unrecorded(&self.reading).unwrap_or_default() {
            self.record(&id, true);
        }
        let mut flushed = Instant::now();
        loop {
            match self.jobs.recv_timeout(FLUSH) {
                Ok(Job::Log(line)) => {
                    // A log that cannot be written cannot be complained about in the log.
                    let _ = writeln!(self.log, "{line}");
                }
                Ok(Job::Record(id)) => {
                    self.fresh = true;
                    self.record(&id, false);
                }
                Ok(Job::PlayerLine { name, line }) => self.player_logs.write(&name, &line),
                Ok(Job::Checkpoint) => {
                    self.checkpoint();
                    let _ = self.inputs.blocking_send(Input::Checkpointed);
                }
                Ok(Job::End) | Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            if flushed.elapsed() >= FLUSH {
                flushed = Instant::now();
                let _ = self.log.flush();
                self.player_logs.flush();
                self.rate();
            }
        }
        let _ = self.log.flush();
        self.player_logs.flush();
        let _ = store::checkpoint(&self.checkpointing);
    }

    fn checkpoint(&mut self) {
        if let Err(error) = store::checkpoint(&self.checkpointing) {
            let line = json!({ "event": "checkpoint-failed", "error": error.to_string() });
            let _ = writeln!(self.log, "{line}");
        }
    }

    /// Writes a record; one that was not written before the last end may lie there half done.
    fn record(&mut self, id: &str, again: bool) {
        let written = write_record(&self.reading, &self.records, id, again);
        match written {
            Ok(()) => {
                // If the server loop has ended it will be written again at the next start.
                let _ = self.inputs.try_send(Input::Recorded(id.to_owned()));
            }
            Err(error) => {
                let line = json!({ "event": "record-failed", "game": id, "error": error });
                let _ = writeln!(self.log, "{line}");
            }
        }
    }

    fn rate(&mut self) {
        if !self.fresh || self.rated.is_some_and(|last| last.elapsed() < RATE) {
            return;
        }
        self.fresh = false;
        self.rated = Some(Instant::now());
        let wall = ServerClock::wall();
        let Ok(results) = store::results(&self.reading, wall, self.rating.oldest) else { return };
        let ratings = server::rating::rate(&results, &self.rating);
        // Who brought a rating from elsewhere has it until there is one of here.
        let mut table: HashMap<String, f64> =
            store::imported(&self.reading).unwrap_or_default().into_iter().collect();
        table.extend(ratings.into_iter().map(|r| (r.name, r.rating)));
        let _ = self.inputs.try_send(Input::Ratings(table));
    }
}

/// A log for every player in a folder, as shogi-server can keep them.
struct PlayerLogs {
    folder: Option<PathBuf>,
    open: HashMap<String, BufWriter<File>>,
}

impl PlayerLogs {
    /// Files kept open at most.
    const OPEN: usize = 128;

    fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, open: HashMap::new() }
    }

    fn write(&mut self, name: &str, line: &str) {
        let Some(folder) = &self.folder else { return };
        if !self.open.contains_key(name) {
            if self.open.len() >= Self::OPEN {
                self.open.clear();
            }
            // Names have no character that could lead out of the folder.
            let path = folder.join(format!("{name}.log"));
            let Ok(file) = File::options().create(true).append(true).open(path) else { return };
            self.open.insert(name.to_owned(), BufWriter::new(file));
        }
        if let Some(file) = self.open.get_mut(name) {
            // A log that cannot be written costs nobody a game.
            let _ = writeln!(file, "{line}");
        }
    }

    fn flush(&mut self) {
        for file in self.open.values_mut() {
            let _ = file.flush();
        }
    }
}

/// Where a game's record lies: a folder a day.
pub(crate) fn record_path(folder: &Path, id: &str, started: i64) -> PathBuf {
    // Ids are made of names that were checked; whatever else is in them must not leave the folder.
    let safe = |c: char| if c.is_ascii_alphanumeric() || "+-_.@".contains(c) { c } else { '_' };
    let name: String = id.chars().map(safe).collect();
    folder.join(calendar::format(started, "%Y/%m/%d")).join(format!("{name}.csa"))
}

fn write_record(
    connection: &rusqlite::Connection,
    folder: &Path,
    id: &str,
    again: bool,
) -> Result<(), String> {
    let game = store::game(connection, id).map_err(|error| error.to_string())?;
    let game = game.ok_or("no such game")?;
    let bytes = game.file().map_err(|error| error.to_string())?;
    let path = record_path(folder, id, game.started);
    if again {
        sweep(&path);
    }
    let mut draft = Draft::new(&path).map_err(|error| error.to_string())?;
    draft.write_all(&bytes).map_err(|error| error.to_string())?;
    draft.publish(true).map_err(|error| error.to_string())
}

/// Removes what a server that was killed had written of a record.
fn sweep(path: &Path) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
    let begin = format!(".{}.", name.to_string_lossy());
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(&begin) && name.ends_with(".tmp") {
            // What cannot be removed lies there and harms nobody.
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_stay_in_their_folder() {
        let path = record_path(Path::new("r"), "../../etc/x+a+b", 0);
        assert_eq!(path, Path::new("r/1970/01/01/.._.._etc_x+a+b.csa"));
    }
}
