//! The folder of a fleet: its ledger, the blobs, files that runs name, and where it stands.

use crate::error::FleetError;
use crate::export::export;
use crate::ledger::{Ledger, RunState};
use crate::orders::{Order, Reply};
use crate::pins::pin;
use crate::status::{self, Status};
use fleet::blobs::Blobs;
use fleet::files::{FileCache, reference};
use fleet::in_process::{InProcess, Kept};
use fleet::perform::Equipment;
use fleet::{BlobHash, Priority, Queue, RunId, Settings, Spec};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use think::{TimeSource, WallTime};

/// What every run waits for without a coordinator.
const NOBODY_SERVES: &str = "no coordinator is running: nue fleet serve starts one";

/// The folder of a fleet.
#[derive(Clone, Debug)]
pub struct DataFolder {
    folder: PathBuf,
}

/// What somebody wants a fleet to do.
#[derive(Clone, PartialEq, Debug)]
pub struct Request {
    pub name: String,
    pub spec: Spec,
    pub goal: Option<u64>,
    pub priority: Priority,
    pub share: f64,
}

/// A spec for other machines: without the files whoever asks wants to have here, and with the numbers of another engine
/// that is to be tuned. Whoever asks may start it; a coordinator does not.
fn for_elsewhere(mut spec: Spec, time: &Arc<dyn TimeSource>) -> Result<Spec, FleetError> {
    match &mut spec {
        Spec::Match(spec) => {
            let request = &mut spec.request;
            (request.out, request.log) = (None, None);
            (request.resume, request.force) = (false, false);
        }
        Spec::Tune(request) => {
            let runner = Equipment::own(Arc::clone(time), 1).runner;
            request.numbers = request.declared(&runner)?.unwrap_or_default();
        }
        _ => {}
    }
    Ok(spec)
}

impl DataFolder {
    /// The fleet in that folder.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// The ledger.
    pub fn ledger_path(&self) -> PathBuf {
        self.folder.join("fleet.db")
    }

    /// Where the coordinator says how everything stands, every few seconds.
    pub fn status_path(&self) -> PathBuf {
        self.folder.join("status.json")
    }

    /// The same as a page for browsers.
    pub fn page_path(&self) -> PathBuf {
        self.folder.join("fleet.html")
    }

    /// The same for Prometheus, as its text file collector reads it.
    pub fn metrics_path(&self) -> PathBuf {
        self.folder.join("fleet.prom")
    }

    /// The tokens of workers that come through a gateway.
    pub fn tokens_path(&self) -> PathBuf {
        self.folder.join("tokens")
    }

    /// The ledger, to read and to give orders beside its coordinator.
    pub fn beside(&self) -> Result<Ledger, FleetError> {
        Ledger::beside(&self.ledger_path())
    }

    /// The ledger with every token in it: those of a file that was kept by hand are taken in.
    pub(crate) fn keeping_tokens(&self) -> Result<Ledger, FleetError> {
        let ledger = Ledger::beside_or_new(&self.ledger_path())?;
        let text = std::fs::read_to_string(self.tokens_path()).unwrap_or_default();
        for line in text.lines().map(str::trim) {
            if !line.is_empty() && !line.starts_with('#') {
                ledger.add_token(line, 0)?;
            }
        }
        Ok(ledger)
    }

    /// Files that runs name.
    pub fn files(&self) -> Result<FileCache, FleetError> {
        FileCache::new(&self.folder.join("files")).map_err(FleetError::Refused)
    }

    fn blobs(&self, settings: &Settings) -> Result<Blobs, FleetError> {
        let folder = self.folder.join("blobs");
        Ok(Blobs::in_folder(&folder, settings.max_blob, settings.max_store)?)
    }

    /// A queue in this process with the fleet's blobs, whose events come after those the ledger has.
    pub fn queue(
        &self,
        ledger: &Ledger,
        settings: Settings,
        time: Arc<dyn TimeSource>,
    ) -> Result<InProcess, FleetError> {
        let blobs = self.blobs(&settings)?;
        let kept = Kept { cursor: ledger.cursor()?, ..Kept::default() };
        Ok(InProcess::restored(settings, time, blobs, kept))
    }

    /// Puts bytes into the fleet's store; what a spec names them by.
    pub fn keep(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, FleetError> {
        let ledger = self.beside()?;
        let store = self.queue(&ledger, Settings::default(), Arc::new(WallTime::start()))?;
        let hash = store.put_blob(bytes)?;
        self.stash(&hash, name, &store)?;
        Ok(reference(&hash, name).into())
    }

    /// Puts a blob where the coordinator looks for files, whatever its queue keeps blobs in.
    fn stash(&self, hash: &BlobHash, name: &str, store: &InProcess) -> Result<(), FleetError> {
        let fetched = self.files()?.fetch(hash, name, store);
        fetched.map(drop).map_err(|fault| FleetError::Refused(fault.to_string()))
    }

    /// A spec as the ledger has it: with references in the place of files, which are put into the fleet's store.
    pub(crate) fn pinned(&self, spec: &Spec) -> Result<Spec, FleetError> {
        let ledger = self.beside()?;
        let store = self.queue(&ledger, Settings::default(), Arc::new(WallTime::start()))?;
        pin(spec, &store).map(|(spec, _)| spec)
    }

    /// Asks the coordinator of this folder for a run: files it names are put into the fleet's store.
    pub fn submit(
        &self,
        request: Request,
        owner: &str,
        now: i64,
        wait: Duration,
    ) -> Result<Reply, FleetError> {
        let ledger = self.beside()?;
        let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
        let spec = for_elsewhere(request.spec, &time)?;
        let store = self.queue(&ledger, Settings::default(), time)?;
        let (spec, pins) = pin(&spec, &store)?;
        for hash in pins.files.values() {
            self.stash(hash, "pinned", &store)?;
        }
        let order = Order::Submit {
            name: request.name,
            owner: owner.to_owned(),
            spec: Box::new(spec),
            pins,
            goal: request.goal,
            priority: request.priority,
            share: request.share,
        };
        ledger.order(&order, now, wait)
    }

    /// Writes the games of a run to a file that is not there yet; how many.
    pub fn export(&self, run: RunId, path: &Path) -> Result<u64, FleetError> {
        let ledger = self.beside()?;
        export(&ledger, run, &self.resolved(&ledger, run)?, path, false)
    }

    /// The spec of a run with paths in the place of references.
    pub(crate) fn resolved(&self, ledger: &Ledger, run: RunId) -> Result<Spec, FleetError> {
        let store = self.queue(ledger, Settings::default(), Arc::new(WallTime::start()))?;
        let spec = self.files()?.resolve(&ledger.run(run)?.spec, &store);
        spec.map_err(|fault| FleetError::Refused(fault.to_string()))
    }

    /// Whether a coordinator is running.
    pub fn is_served(&self) -> bool {
        self.beside().is_ok_and(|ledger| ledger.is_served())
    }

    /// What a run waits for, where somebody can do something about it, as the coordinator last said it.
    pub(crate) fn obstacle(&self, ledger: &Ledger, run: RunId) -> Option<String> {
        if !ledger.is_served() {
            return Some(NOBODY_SERVES.to_owned());
        }
        let told = std::fs::read_to_string(self.status_path()).ok()?;
        let told: Status = serde_json::from_str(&told).ok()?;
        told.runs.into_iter().find(|told| told.id == run)?.obstacle
    }

    /// Where everything stands: as the coordinator last said it, or as far as the ledger knows.
    pub fn status(&self) -> Result<Status, FleetError> {
        let ledger = self.beside()?;
        let mut known = status::of_ledger(&ledger)?;
        if !ledger.is_served() {
            for run in known.runs.iter_mut().filter(|run| run.state == RunState::Active) {
                run.obstacle = Some(NOBODY_SERVES.to_owned());
            }
            return Ok(known);
        }
        let told = std::fs::read_to_string(self.status_path()).ok();
        let told = told.and_then(|text| serde_json::from_str::<Status>(&text).ok());
        let Some(mut told) = told else { return Ok(known) };
        // What has begun or ended since then is in the ledger.
        for run in known.runs {
            match told.runs.iter_mut().find(|earlier| earlier.id == run.id) {
                Some(earlier) if earlier.state != run.state => *earlier = run,
                Some(_) => {}
                None => told.runs.push(run),
            }
        }
        Ok(told)
    }
}
