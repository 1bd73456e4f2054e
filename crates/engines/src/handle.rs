//! Influence on a player that thinks, from another thread.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use think::PonderHit;

type Hook = Box<dyn Fn(&Signals) + Send>;

/// What a search was told while it runs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Signals {
    pub(crate) stop: bool,
    pub(crate) hit: Option<PonderHit>,
    pub(crate) abandon: bool,
}

#[derive(Default)]
struct State {
    signals: Signals,
    /// What the player does when it is told something.
    hook: Option<Hook>,
}

/// Acts on one search, from any thread, before it begins as well as while it runs. Clones act on
/// the same search.
#[derive(Clone, Default)]
pub struct SearchHandle(Arc<Mutex<State>>);

impl fmt::Debug for SearchHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SearchHandle").field(&self.signals()).finish()
    }
}

impl SearchHandle {
    /// The handle of a search to be asked for.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the search: it answers with what it has.
    pub fn stop(&self) {
        self.tell(|signals| signals.stop = true);
    }

    /// The expected move was played: from now on the search runs on the player's own time.
    pub fn ponderhit(&self, hit: PonderHit) {
        self.tell(|signals| signals.hit = Some(hit));
    }

    /// Ends the search without an answer: [`crate::PlayerError::Abandoned`].
    pub fn abandon(&self) {
        self.tell(|signals| signals.abandon = true);
    }

    /// Whether it was told to stop, or to give up.
    pub fn is_stopped(&self) -> bool {
        let signals = self.signals();
        signals.stop || signals.abandon
    }

    pub(crate) fn signals(&self) -> Signals {
        self.lock().signals
    }

    /// Sets what to do when something is told; done at once if something has been.
    pub(crate) fn on_signal(&self, act: impl Fn(&Signals) + Send + 'static) {
        let mut state = self.lock();
        act(&state.signals);
        state.hook = Some(Box::new(act));
    }

    fn tell(&self, change: impl FnOnce(&mut Signals)) {
        let mut state = self.lock();
        change(&mut state.signals);
        if let Some(hook) = &state.hook {
            hook(&state.signals);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn what_is_told_early_is_heard_later() {
        let handle = SearchHandle::new();
        handle.clone().stop();
        assert!(handle.is_stopped());
        let heard = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&heard);
        handle.on_signal(move |signals| {
            count.fetch_add(u32::from(signals.stop) + u32::from(signals.abandon), Ordering::SeqCst);
        });
        assert_eq!(heard.load(Ordering::SeqCst), 1);
        handle.abandon();
        assert_eq!(heard.load(Ordering::SeqCst), 3);
    }
}
