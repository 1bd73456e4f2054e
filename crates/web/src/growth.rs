//! A visitor's book that grows: one search after another, each written into the book as soon as it is done.

use crate::outbox::StreamHandle;
use crate::pool::{Job, JobHandle, JobResult, Listener, Task};
use crate::service::BoardService;
use crate::store::{BookNote, KeptBook};
use board::analysis::WorkState;
use board::book_growth::{GrowRequest, Growth, GrowthView, propagated};
use board::error::{ApiError, ErrorCode};
use board::question::Lines;
use board::queue::Priority;
use rules::Kings;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use think::Info;

/// A growth under way. Dropped, it is given up; what it has found is kept.
pub struct GrowthRun {
    visitor: String,
    book: KeptBook,
    state: Mutex<State>,
    stream: StreamHandle,
    service: Weak<BoardService>,
    myself: Weak<Self>,
}

struct State {
    growth: Growth,
    handle: Option<JobHandle>,
    /// All that is found is one change of the book.
    note: Option<BookNote>,
}

impl GrowthRun {
    /// Begins; the stream is told of progress.
    pub fn start(
        service: &Arc<BoardService>,
        visitor: &str,
        asked: &GrowRequest,
        stream: StreamHandle,
    ) -> Result<(Arc<Self>, GrowthView), ApiError> {
        let book = service.store().book(&asked.book, visitor)?;
        let missing = || ApiError::missing(format!("there is no book {:?} of yours", asked.book));
        let book = book.ok_or_else(missing)?;
        let root = asked.position.resolve(Kings::Both)?;
        if root.game() != book.game {
            let message = format!("the book has no positions of {}", root.game());
            return Err(ApiError::bad(message));
        }
        let growth = Growth::new(asked, root)?;
        let queued = growth.view(WorkState::Queued);
        let run = Arc::new_cyclic(|myself| Self {
            visitor: visitor.to_owned(),
            book,
            state: Mutex::new(State { growth, handle: None, note: None }),
            stream,
            service: Arc::downgrade(service),
            myself: myself.clone(),
        });
        run.search_next();
        Ok((run, queued))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, view: GrowthView) {
        let urgent = view.state != WorkState::Running;
        self.stream.send(urgent, move || Some(view.into()));
    }

    fn search_next(&self) {
        let Some(service) = self.service.upgrade() else { return };
        let mut state = self.lock();
        let next = {
            let store = service.store();
            state.growth.next_question(&mut |key| store.book_entry(&self.book, key))
        };
        let question = match next {
            Ok(Some(question)) => question,
            Ok(None) => {
                let told = match self.settle(&mut state, &service) {
                    Ok(()) => state.growth.view(WorkState::Done),
                    Err(error) => state.growth.failed(error),
                };
                drop(state);
                return self.tell(told);
            }
            Err(error) => {
                let told = state.growth.failed(error);
                drop(state);
                return self.tell(told);
            }
        };
        let listener = LeafListener { run: self.myself.clone(), lines: Lines::default() };
        let job = Job {
            visitor: self.visitor.clone(),
            priority: Priority::Long,
            threads: 1,
            engine: None,
            task: Task::Search(question),
            within: None,
            listener: Box::new(listener),
        };
        // The handle of the one before has been used up: dropping it ends nothing.
        let used_up = state.handle.replace(service.pool().submit(job));
        drop(state);
        drop(used_up);
    }

    /// The values of the whole book are carried to the beginnings of its lines.
    fn settle(&self, state: &mut State, service: &BoardService) -> Result<(), ApiError> {
        let entries = service.store().book_entries(&self.book)?;
        let changed = propagated(self.book.game, entries)?;
        let mut store = service.store();
        let mut written = Vec::new();
        for (before, after) in changed {
            // What somebody has changed meanwhile stays as it is.
            if store.book_entry(&self.book, &before.key)?.as_ref() == Some(&before) {
                written.push(after);
            }
        }
        if !written.is_empty() {
            let note = store.change_book(&self.book, &written, state.note, service.wall())?;
            state.note = Some(note);
        }
        Ok(())
    }

    fn take(&self, lines: &Lines) -> Result<GrowthView, ApiError> {
        let gone = || ApiError::new(ErrorCode::Unavailable, "the server is ending");
        let service = self.service.upgrade().ok_or_else(gone)?;
        let mut state = self.lock();
        let mut store = service.store();
        let changed = state.growth.take(lines, &mut |key| store.book_entry(&self.book, key))?;
        if !changed.is_empty() {
            let note = store.change_book(&self.book, &changed, state.note, service.wall())?;
            state.note = Some(note);
        }
        Ok(state.growth.view(WorkState::Running))
    }

    /// Says nothing more; the last message for the page.
    pub fn stop(&self) -> GrowthView {
        self.stream.cut();
        let mut state = self.lock();
        if let Some(service) = self.service.upgrade() {
            // What was found so far is made consistent; where that fails the values found stand as they are.
            let _ = self.settle(&mut state, &service);
        }
        state.growth.view(WorkState::Stopped)
    }
}

/// Hears about one leaf.
struct LeafListener {
    run: Weak<GrowthRun>,
    lines: Lines,
}

impl Listener for LeafListener {
    fn paused(&mut self) {
        self.lines = Lines::default();
    }

    fn info(&mut self, info: &Info) {
        self.lines.update(info);
    }

    fn finished(&mut self, result: JobResult) {
        let Some(run) = self.run.upgrade() else { return };
        let failed = |error| run.lock().growth.failed(error);
        match result {
            JobResult::Answered(..) => match run.take(&self.lines) {
                Ok(view) => {
                    run.tell(view);
                    run.search_next();
                }
                Err(error) => run.tell(failed(error)),
            },
            JobResult::Failed(why) => {
                run.tell(failed(ApiError::new(ErrorCode::EngineFailed, why.to_string())));
            }
            JobResult::Solved(..) | JobResult::Cancelled => {}
        }
    }
}
