//! Where minds stand while nobody asks them: kept warm, within the memory allowed.

use super::handle::{EngineFailure, EngineHandle, LocalEngine};
use super::process::UsiProcess;
use super::{EngineFactory, PoolConfig};
use crate::pool::handle::Stop;
use crate::pool::process::Registered;
use board::question::Question;
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

/// A mind taken from the idle.
pub(super) struct Lease {
    label: Label,
    owner: String,
    mib: usize,
    mind: Box<dyn EngineHandle>,
}

impl Lease {
    pub(super) fn ask(
        &mut self,
        question: &Question,
        threads: usize,
        stop: &Stop,
        hear: &mut (dyn FnMut(&Info) + Send),
    ) -> Result<Answer, EngineFailure> {
        self.mind.ask(question, threads, stop, hear)
    }
}

/// The idle.
pub(super) struct IdleEngines {
    standing: Mutex<Vec<Lease>>,
    factory: EngineFactory,
    engines: Vec<Registered>,
    time: Arc<dyn TimeSource>,
    /// MiB of a large table. As many as there are seats may be out at a time.
    large: usize,
    small: usize,
    /// Minds that may stand here without more memory than is allowed.
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

    /// A mind for a question: one that stands ready, best the one that visitor had, or a new one.
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
        // What stands idle makes capacity for what is needed now; the oldest goes first.
        let mut gone = Vec::new();
        while !standing.is_empty()
            && standing.iter().map(|b| b.mib).sum::<usize>() + mib > self.capacity
        {
            gone.push(standing.remove(0));
        }
        drop(standing);
        drop(gone);
        let mind = self.make(&label, mib)?;
        Ok(Lease { label, owner: visitor.to_owned(), mib, mind })
    }

    fn make(&self, label: &Label, mib: usize) -> Result<Box<dyn EngineHandle>, EngineFailure> {
        let time = Arc::clone(&self.time);
        match &label.engine {
            None => Ok(Box::new(LocalEngine::new((self.factory)(label.game), time, mib))),
            Some(id) => {
                let found = self.engines.iter().find(|e| e.id == *id);
                let found = found
                    .ok_or_else(|| EngineFailure(format!("no engine {id:?} is registered")))?;
                Ok(Box::new(UsiProcess::new(found, time, mib)))
            }
        }
    }

    /// Puts a mind back, to be asked again.
    pub(super) fn put_back(&self, mind: Lease) {
        let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        standing.push(mind);
    }

    /// Makes a small mind ready.
    pub(super) fn warm(&self, game: rules::Game) {
        if let Ok(mind) = self.take(None, game, true, "") {
            self.put_back(mind);
        }
    }
}
