//! Long searches of a connection: what the pool reports of them goes to their streams.

use crate::outbox::{Outbox, StreamHandle};
use crate::pool::{Job, JobHandle, JobResult, Listener, Pool, Task};
use board::analysis::{Analysis, Subject, WorkState};
use board::error::{ApiError, ErrorCode};
use board::mate::MateState;
use board::message::{Answer, ServerMessage};
use board::question::Lines;
use board::queue::Priority;
use board::review::{Review, ReviewView};
use board::thinking;
use rules::AnyPosition;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use think::Info;

/// Hears an analysis.
pub struct AnalysisListener {
    analysis: Arc<Mutex<Analysis>>,
    stream: StreamHandle,
}

impl AnalysisListener {
    /// A listener that tells that stream.
    pub fn new(subject: Subject, stream: StreamHandle) -> Self {
        Self { analysis: Arc::new(Mutex::new(Analysis::new(subject))), stream }
    }

    fn lock(&self) -> MutexGuard<'_, Analysis> {
        self.analysis.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, urgent: bool) {
        let analysis = Arc::clone(&self.analysis);
        self.stream.send(urgent, move || {
            Some(analysis.lock().unwrap_or_else(PoisonError::into_inner).view().into())
        });
    }
}

impl Listener for AnalysisListener {
    fn started(&mut self, _: usize) {
        self.lock().set_state(WorkState::Running);
        self.tell(false);
    }

    fn info(&mut self, info: &Info) {
        self.lock().update(info);
        self.tell(false);
    }

    fn paused(&mut self) {
        self.lock().pause();
    }

    fn finished(&mut self, result: JobResult) {
        match result {
            JobResult::Answered(..) | JobResult::Solved(..) => {
                self.lock().set_state(WorkState::Done);
            }
            JobResult::Failed(why) => self.lock().fail(why.to_string()),
            // Whoever cancelled it has been told; another analysis may be in its place.
            JobResult::Cancelled => return self.lock().set_state(WorkState::Stopped),
        }
        self.tell(true);
    }
}

/// A review under way: one search after another. Dropped, it is given up.
pub struct ReviewRun {
    engine: Option<String>,
    visitor: String,
    state: Mutex<ReviewState>,
    stream: StreamHandle,
    pool: Pool,
    myself: Weak<Self>,
}

struct ReviewState {
    review: Review,
    handle: Option<JobHandle>,
}

impl ReviewRun {
    /// Begins; the stream is told of progress. `engine` is `None` for our own.
    pub fn start(
        review: Review,
        engine: Option<String>,
        visitor: String,
        stream: StreamHandle,
        pool: Pool,
    ) -> Arc<Self> {
        let run = Arc::new_cyclic(|myself| Self {
            engine,
            visitor,
            state: Mutex::new(ReviewState { review, handle: None }),
            stream,
            pool,
            myself: myself.clone(),
        });
        run.tell(true);
        run.search_next();
        run
    }

    fn lock(&self) -> MutexGuard<'_, ReviewState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn search_next(&self) {
        let mut state = self.lock();
        let Some((ply, question)) = state.review.next_question() else {
            drop(state);
            return self.tell(true);
        };
        let listener = PositionListener { run: self.myself.clone(), ply, lines: Lines::default() };
        let job = Job {
            visitor: self.visitor.clone(),
            priority: Priority::Long,
            threads: 1,
            engine: self.engine.clone(),
            task: Task::Search(question),
            within: None,
            listener: Box::new(listener),
        };
        // The handle of the one before has been used up: dropping it ends nothing.
        let used_up = state.handle.replace(self.pool.submit(job));
        drop(state);
        drop(used_up);
    }

    fn tell(&self, urgent: bool) {
        let myself = self.myself.clone();
        self.stream
            .send(urgent, move || myself.upgrade().map(|run| run.lock().review.view().into()));
    }

    /// Says nothing more; the last message for the page.
    pub fn stop(&self) -> ReviewView {
        self.stream.cut();
        self.lock().review.stopped()
    }
}

/// Hears about one position of a review.
struct PositionListener {
    run: Weak<ReviewRun>,
    ply: usize,
    lines: Lines,
}

impl Listener for PositionListener {
    fn info(&mut self, info: &Info) {
        self.lines.update(info);
    }

    fn finished(&mut self, result: JobResult) {
        let Some(run) = self.run.upgrade() else { return };
        match result {
            JobResult::Answered(..) => {
                run.lock().review.judge(self.ply, &self.lines);
                run.tell(false);
                run.search_next();
            }
            JobResult::Failed(why) => {
                let message = run.lock().review.failed(why.to_string());
                run.stream.send(true, move || Some(message.into()));
            }
            JobResult::Solved(..) | JobResult::Cancelled => {}
        }
    }
}

/// Hears a search for a mate.
pub struct MateListener {
    pub(crate) serial: u64,
    pub(crate) problem: AnyPosition,
    pub(crate) stream: StreamHandle,
}

impl MateListener {
    fn tell(&self, message: impl Into<ServerMessage>) {
        let message = message.into();
        self.stream.send(true, move || Some(message));
    }
}

impl Listener for MateListener {
    fn started(&mut self, _: usize) {
        self.tell(board::mate::in_state(self.serial, MateState::Running));
    }

    fn finished(&mut self, result: JobResult) {
        self.tell(match result {
            JobResult::Solved(solution, spent) => {
                board::mate::solved(self.serial, &self.problem, &solution, spent)
            }
            JobResult::Failed(why) => board::mate::failed(self.serial, why.to_string()),
            // Whoever cancelled it has been told.
            JobResult::Answered(..) | JobResult::Cancelled => return,
        });
    }
}

/// Who answers a request for a hint.
pub(crate) struct HintListener {
    pub(crate) outbox: Arc<Outbox>,
    pub(crate) id: Option<u64>,
    pub(crate) game: String,
    pub(crate) position: AnyPosition,
    pub(crate) lines: Lines,
    pub(crate) scale: f64,
}

impl Listener for HintListener {
    fn info(&mut self, info: &Info) {
        self.lines.update(info);
    }

    fn finished(&mut self, outcome: JobResult) {
        let message = match outcome {
            JobResult::Answered(think::Answer::Move(m), _) => {
                let (game, position) = (self.game.clone(), &self.position);
                ServerMessage::Hint(thinking::hint(game, position, m, &self.lines, self.scale))
            }
            JobResult::Answered(think::Answer::Win, _) => {
                ApiError::new(ErrorCode::NotAllowed, "declare the win").into()
            }
            JobResult::Cancelled => return,
            _ => ApiError::new(ErrorCode::EngineFailed, "there is no hint").into(),
        };
        self.outbox.post(Answer::new(self.id, message));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbox::Next;
    use crate::pool::EngineFailure;
    use std::time::Duration;

    #[test]
    fn the_end_is_told_at_once() {
        let subject = Subject {
            slot: "a".to_owned(),
            serial: 4,
            engine: "nue".to_owned(),
            position: AnyPosition::startpos(rules::Game::Shogi),
            scale: 600.0,
        };
        let outbox = Arc::new(Outbox::default());
        let mut listener = AnalysisListener::new(subject, StreamHandle::new(&outbox, "a"));
        listener.started(1);
        let sent = |second| match outbox.next(Duration::from_secs(second)) {
            Next::Send(answer) => serde_json::json!(answer),
            other => panic!("{other:?}"),
        };
        assert_eq!(sent(1)["state"], "running");
        listener.finished(JobResult::Failed(EngineFailure("it died".to_owned())));
        let told = sent(1);
        assert_eq!(
            (told["state"].as_str(), told["message"].as_str()),
            (Some("failed"), Some("it died"))
        );
        listener.finished(JobResult::Cancelled);
        assert_eq!(outbox.next(Duration::from_secs(9)), Next::Idle);
    }
}
