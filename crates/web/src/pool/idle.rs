//! Engines nobody asks just now: kept ready, within the memory allowed.

use super::engine::{EngineFailure, PoolEngine, Registered};
use super::{EngineFactory, PoolConfig};
use board::question::Question;
use engines::SearchHandle;
use std::sync::{Arc, Mutex, PoisonError};
use think::{Answer, Info, TimeSource};

/// MiB of a table for short questions: a weak player needs no more.
const SMALL: usize = 16;

#[derive(Clone, PartialEq, Eq, Debug)]
struct Label {
    /// `None` for our own engine.
    engine: Option<String>,
    game: rules::Game,
    small: bool,
}

/// An engine taken from those that stand ready.
pub(super) struct Lease {
    label: Label,
    owner: String,
    mib: usize,
    engine: PoolEngine,
}

impl Lease {
    pub(super) fn ask(
        &mut self,
        question: &Question,
        threads: usize,
        handle: &SearchHandle,
        on_info: &mut dyn FnMut(&Info),
    ) -> Result<Answer, EngineFailure> {
        self.engine.ask(question, threads, handle, on_info)
    }
}

/// Engines that stand ready.
pub(super) struct IdleEngines {
    standing: Mutex<Vec<Lease>>,
    factory: EngineFactory,
    engines: Vec<Registered>,
    time: Arc<dyn TimeSource>,
    /// MiB of a large table. As many as there are seats may be out at a time.
    large: usize,
    small: usize,
    /// MiB of all that may stand here.
    capacity: usize,
}

impl IdleEngines {
    pub(super) fn new(config: &PoolConfig) -> Self {
        let seats = config.threads.max(1);
        let share = (config.hash / seats).max(1);
        Self {
            standing: Mutex::new(Vec::new()),
            factory: Arc::clone(&config.factory),
            engines: config.engines.clone(),
            time: Arc::clone(&config.time),
            large: share,
            small: share.min(SMALL),
            capacity: seats * share,
        }
    }

    /// An engine for a question: one that stands ready, best the one that visitor had, or a new one.
    pub(super) fn take(
        &self,
        engine: Option<&str>,
        game: rules::Game,
        small: bool,
        visitor: &str,
    ) -> Result<Lease, EngineFailure> {
        let label = Label { engine: engine.map(str::to_owned), game, small };
        let mib = if small { self.small } else { self.large };
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |b: &&Lease| b.label == label;
        let place = standing
            .iter()
            .position(|b| fits(&b) && b.owner == visitor)
            .or_else(|| standing.iter().position(|b| fits(&b)));
        if let Some(place) = place {
            let mut found = standing.remove(place);
            visitor.clone_into(&mut found.owner);
            return Ok(found);
        }
        // What stands idle makes room for what is needed now; the oldest goes first.
        let mut gone = Vec::new();
        while !standing.is_empty()
            && standing.iter().map(|b| b.mib).sum::<usize>() + mib > self.capacity
        {
            gone.push(standing.remove(0));
        }
        drop(standing);
        drop(gone);
        let engine = self.make(&label, mib)?;
        Ok(Lease { label, owner: visitor.to_owned(), mib, engine })
    }

    fn make(&self, label: &Label, mib: usize) -> Result<PoolEngine, EngineFailure> {
        let time = Arc::clone(&self.time);
        match &label.engine {
            None => Ok(PoolEngine::own(Arc::clone(&self.factory), time, mib)),
            Some(id) => {
                let unknown = || EngineFailure(format!("no engine {id:?} is registered"));
                let found = self.engines.iter().find(|e| e.id == *id).ok_or_else(unknown)?;
                Ok(PoolEngine::registered(found, time, mib))
            }
        }
    }

    /// Puts an engine back, to be asked again.
    pub(super) fn put_back(&self, lease: Lease) {
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        standing.push(lease);
    }

    /// Makes a small engine ready.
    pub(super) fn warm(&self, game: rules::Game) {
        if let Ok(lease) = self.take(None, game, true, "") {
            self.put_back(lease);
        }
    }
}
