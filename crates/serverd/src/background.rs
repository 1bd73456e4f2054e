//! What can be done a little later, in a thread of its own: the log, the records, the ratings,
//! checkpoints of the data file.

use crate::config::Config;
use crate::error::Error;
use crate::server_loop::{Input, ServerClock};
use crate::store;
use durable::Draft;
use serde_json::{Value, json};
use server::calendar;
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
    let log: Box<dyn Write + Send> = match config.file.log.as_str() {
        "" => Box::new(std::io::sink()),
        "-" => terminal,
        path => {
            let file = File::options().create(true).append(true).open(path);
            Box::new(BufWriter::new(file.map_err(|error| Error::file(Path::new(path), error))?))
        }
    };
    let data = &config.file.data;
    let unreadable = |error| Error::file(data, error);
    let worker = Worker {
        jobs,
        inputs,
        log,
        reading: store::reader(data).map_err(unreadable)?,
        checkpointing: rusqlite::Connection::open(data).map_err(unreadable)?,
        records: config.file.records.clone(),
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
                self.rate();
            }
        }
        let _ = self.log.flush();
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
        let table = ratings.into_iter().map(|r| (r.name, r.rating)).collect();
        let _ = self.inputs.try_send(Input::Ratings(table));
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
    let bytes = csa::record::csa_file(&game.record()).map_err(|error| error.to_string())?;
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
