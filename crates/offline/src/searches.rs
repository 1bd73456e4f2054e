//! What the engine is asked next, and what its answers come to.
//!
//! There is one engine. Whatever waits for it is seen from the state of the board: a hint, a game in which it
//! is to move, a mate, a review, an analysis, in this order. Something more urgent ends what runs; an
//! analysis then goes on later.

use crate::board_state::{Board, Effect, Now};
use crate::games::HeldMove;
use crate::task::{EngineMessage, EngineRequest, MessageBody, Place, Task};
use board::analysis::{Analysis, Subject, WorkState};
use board::error::{ApiError, ErrorCode};
use board::mate::MateState;
use board::message::ServerMessage;
use board::opponent;
use board::question::{Lines, Question};
use board::review::Review;
use board::thinking;
use rules::AnyPosition;
use serde_json::Value;
use std::time::Duration;
use think::{Answer, Info, Moment};
use usi::{BestMove, Reply};

/// How long a hint takes.
const HINT: Duration = Duration::from_millis(600);

/// Everything that is searched or waits to be.
#[derive(Default)]
pub(crate) struct Searches {
    pub(crate) analyses: Vec<AnalysisRun>,
    pub(crate) review: Option<ReviewRun>,
    pub(crate) mate: Option<MateRun>,
    hint: Option<HintRun>,
    running: Option<Running>,
    /// Numbers given so far.
    numbers: u64,
}

/// An analysis in its slot.
pub(crate) struct AnalysisRun {
    number: u64,
    pub(crate) subject: Subject,
    analysis: Analysis,
    question: Question,
    over: bool,
    /// Whether the page has not been told how it stands.
    news: bool,
}

pub(crate) struct ReviewRun {
    number: u64,
    pub(crate) review: Review,
    /// The position to be searched.
    next: Option<(usize, Question)>,
    news: bool,
}

pub(crate) struct MateRun {
    number: u64,
    pub(crate) serial: u64,
    position: AnyPosition,
    seconds: u64,
    shortest: bool,
    over: bool,
}

struct HintRun {
    number: u64,
    /// The number of the request.
    id: Option<u64>,
    game: String,
    question: Question,
}

/// What the engine is at, by the numbers above.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Purpose {
    Hint(u64),
    /// The move of a game at a revision.
    Move(String, u64),
    Mate(u64),
    /// A position of a review.
    Review(u64, usize),
    Analysis(u64),
}

impl Purpose {
    /// What has a lower number is more urgent.
    const fn rank(&self) -> u8 {
        match self {
            Self::Hint(_) | Self::Move(..) => 0,
            Self::Mate(_) => 1,
            Self::Review(..) => 2,
            Self::Analysis(_) => 3,
        }
    }
}

struct Running {
    /// The number of the question.
    number: u64,
    purpose: Purpose,
    position: AnyPosition,
    lines: Lines,
    began: Moment,
}

impl Searches {
    fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    /// Whether the engine is at a move of that game.
    pub(crate) fn thinks_about(&self, id: &str) -> bool {
        let purpose = self.running.as_ref().map(|running| &running.purpose);
        matches!(purpose, Some(Purpose::Move(game, _)) if game == id)
    }

    /// Begins an analysis, in place of what was in its slot.
    pub(crate) fn analyse(&mut self, subject: Subject, question: Question) {
        self.end_analysis(&subject.slot);
        let (number, analysis) = (self.number(), Analysis::new(subject.clone()));
        let (over, news) = (false, false);
        self.analyses.push(AnalysisRun { number, subject, analysis, question, over, news });
    }

    /// Ends what is in a slot.
    pub(crate) fn end_analysis(&mut self, slot: &str) -> Option<Subject> {
        let index = self.analyses.iter().position(|run| run.subject.slot == slot)?;
        Some(self.analyses.remove(index).subject)
    }

    pub(crate) fn review(&mut self, mut review: Review) {
        let (number, next) = (self.number(), review.next_question());
        self.review = Some(ReviewRun { number, review, next, news: true });
    }

    pub(crate) fn look_for_mate(
        &mut self,
        serial: u64,
        position: AnyPosition,
        (seconds, shortest): (u64, bool),
    ) {
        let number = self.number();
        self.mate = Some(MateRun { number, serial, position, seconds, shortest, over: false });
    }
}

impl Board {
    /// A hint for the side to move; the answer comes later.
    pub(crate) fn ask_for_hint(&mut self, game: &str, id: Option<u64>) -> Result<(), ApiError> {
        let live = self.open(game)?;
        live.game.turn_of(live.game.setup().you)?;
        let mut question = Question::new(live.game.position().clone());
        question.time = Some(HINT);
        question.set_all(opponent::rule_options(&live.game));
        let number = self.searches.number();
        self.searches.hint = Some(HintRun { number, id, game: game.to_owned(), question });
        Ok(())
    }

    /// What the engine should be at now.
    fn most_urgent(&self) -> Option<(Purpose, Task, AnyPosition)> {
        let searches = &self.searches;
        let search = |question: &Question| (Task::search(question), question.position.clone());
        if let Some(hint) = &searches.hint {
            let (task, position) = search(&hint.question);
            return Some((Purpose::Hint(hint.number), task, position));
        }
        let to_move =
            self.live.iter().find(|(_, live)| live.held.is_none() && live.game.engine_to_move());
        if let Some((id, live)) = to_move {
            let asked = opponent::ask(&live.game)?;
            let (task, position) = search(&asked.question);
            return Some((Purpose::Move(id.clone(), live.game.revision()), task, position));
        }
        if let Some(mate) = searches.mate.as_ref().filter(|mate| !mate.over) {
            let (at, serial) = (Place::of(&mate.position), mate.serial);
            let (seconds, shortest) = (mate.seconds, mate.shortest);
            let task = Task::Mate { at, serial, seconds, shortest };
            return Some((Purpose::Mate(mate.number), task, mate.position.clone()));
        }
        let review = searches.review.as_ref().and_then(|r| Some((r.number, r.next.as_ref()?)));
        if let Some((number, (ply, question))) = review {
            let (task, position) = search(question);
            return Some((Purpose::Review(number, *ply), task, position));
        }
        let analysis = searches.analyses.iter().find(|run| !run.over)?;
        let (task, position) = search(&analysis.question);
        Some((Purpose::Analysis(analysis.number), task, position))
    }

    /// Sets the engine to what is most urgent.
    pub(crate) fn schedule(&mut self, now: Now) {
        let wanted = self.most_urgent();
        if let Some(running) = &self.searches.running {
            let goes_on = self.is_wanted(&running.purpose);
            let rank = running.purpose.rank();
            if goes_on && wanted.as_ref().is_none_or(|(purpose, ..)| purpose.rank() >= rank) {
                return;
            }
            self.pause();
            self.effect(Effect::Stop);
        }
        let Some((purpose, task, position)) = wanted else { return };
        let number = self.searches.number();
        match &purpose {
            Purpose::Analysis(wanted) => {
                if let Some(run) = self.searches.analyses.iter_mut().find(|r| r.number == *wanted) {
                    run.analysis.set_state(WorkState::Running);
                    run.news = true;
                }
            }
            Purpose::Mate(_) => {
                if let Some(mate) = &self.searches.mate {
                    let view = board::mate::in_state(mate.serial, MateState::Running);
                    self.send(view);
                }
            }
            _ => {}
        }
        let (lines, began) = (Lines::default(), now.at);
        self.searches.running = Some(Running { number, purpose, position, lines, began });
        self.effect(Effect::Ask(EngineRequest { number, task }));
    }

    /// Whether somebody still waits for it.
    fn is_wanted(&self, purpose: &Purpose) -> bool {
        let searches = &self.searches;
        match purpose {
            Purpose::Hint(number) => searches.hint.as_ref().is_some_and(|h| h.number == *number),
            Purpose::Move(id, revision) => self.live.get(id).is_some_and(|live| {
                live.game.engine_to_move() && live.game.revision() == *revision
            }),
            Purpose::Mate(number) => {
                searches.mate.as_ref().is_some_and(|mate| mate.number == *number && !mate.over)
            }
            Purpose::Review(number, ply) => searches.review.as_ref().is_some_and(|r| {
                r.number == *number && r.next.as_ref().is_some_and(|(next, _)| next == ply)
            }),
            Purpose::Analysis(number) => {
                searches.analyses.iter().any(|run| run.number == *number && !run.over)
            }
        }
    }

    /// What runs gives way to something else.
    fn pause(&mut self) {
        let Some(running) = self.searches.running.take() else { return };
        if let Purpose::Analysis(number) = running.purpose
            && let Some(run) = self.searches.analyses.iter_mut().find(|run| run.number == number)
        {
            run.analysis.pause();
            run.news = true;
        }
    }

    /// The engine says something; what is about a question before is passed over.
    pub(crate) fn hear(&mut self, message: EngineMessage, now: Now) {
        let current = self.searches.running.as_ref().map(|running| running.number);
        if current != Some(message.number) {
            return;
        }
        match message.body {
            MessageBody::Usi(line) => match Reply::parse(&line) {
                Ok(Reply::Info(info)) => self.hear_info(&info),
                Ok(Reply::BestMove(best)) => self.finish(Ok(best), now),
                Ok(_) => {}
                Err(error) => self.finish(Err(format!("{line:?}: {error}")), now),
            },
            MessageBody::Mate(view) => self.solved(view),
            MessageBody::Failed(why) => self.finish(Err(why), now),
        }
    }

    fn hear_info(&mut self, info: &usi::Info) {
        let searches = &mut self.searches;
        let Some(running) = &mut searches.running else { return };
        let info: Info = info.thought(&running.position);
        running.lines.update(&info);
        match &running.purpose {
            Purpose::Analysis(number) => {
                if let Some(run) = searches.analyses.iter_mut().find(|run| run.number == *number) {
                    run.analysis.update(&info);
                    run.news = true;
                }
            }
            Purpose::Move(id, _) if info.multipv.unwrap_or(1) == 1 && !info.pv.is_empty() => {
                if let Some(live) = self.live.get_mut(id) {
                    live.thought = Some(info);
                }
            }
            _ => {}
        }
    }

    /// The mate solver has ended; its words go to the page as they are.
    fn solved(&mut self, view: Value) {
        self.searches.running = None;
        if let Some(mate) = &mut self.searches.mate {
            mate.over = true;
        }
        if let Value::Object(mut fields) = view {
            fields.insert("type".to_owned(), Value::from("mate"));
            self.effect(Effect::Pass(Value::Object(fields)));
        }
    }

    /// A search has ended with an answer, or the engine broke down.
    fn finish(&mut self, end: Result<BestMove, String>, now: Now) {
        let Some(running) = self.searches.running.take() else { return };
        let answer = end.and_then(|best| answer(&best, &running.position));
        match &running.purpose {
            Purpose::Hint(_) => self.finish_hint(&running, answer.ok()),
            Purpose::Move(id, _) => self.finish_move(id, &running, answer, now),
            Purpose::Mate(_) => {
                if let (Some(mate), Err(why)) = (&mut self.searches.mate, answer) {
                    mate.over = true;
                    let view = board::mate::failed(mate.serial, why);
                    self.send(view);
                }
            }
            Purpose::Review(..) => self.finish_review(&running, answer),
            Purpose::Analysis(number) => {
                let runs = &mut self.searches.analyses;
                let Some(run) = runs.iter_mut().find(|run| run.number == *number) else { return };
                match answer {
                    Ok(_) => run.analysis.set_state(WorkState::Done),
                    Err(why) => run.analysis.fail(why),
                }
                (run.over, run.news) = (true, false);
                let view = run.analysis.view();
                self.send(view);
            }
        }
    }

    fn finish_hint(&mut self, running: &Running, answer: Option<Answer>) {
        let Some(hint) = self.searches.hint.take() else { return };
        let scale = self.facts.scales().of(running.position.game());
        let message: ServerMessage = match answer {
            Some(Answer::Move(m)) => ServerMessage::Hint(thinking::hint(
                hint.game,
                &running.position,
                m,
                &running.lines,
                scale,
            )),
            Some(Answer::Win) => ApiError::new(ErrorCode::NotAllowed, "declare the win").into(),
            _ => ApiError::new(ErrorCode::EngineFailed, "there is no hint").into(),
        };
        self.reply(hint.id, message);
    }

    fn finish_move(
        &mut self,
        id: &str,
        running: &Running,
        answer: Result<Answer, String>,
        now: Now,
    ) {
        let Some(live) = self.live.get_mut(id) else { return };
        let spent = now.at.saturating_sub(running.began);
        let lines = &running.lines;
        match answer.map(|answer| opponent::decide(&live.game, answer, lines)) {
            Ok(Answer::Move(m)) => {
                live.failures = 0;
                let pace = opponent::pace(&live.game, m, lines);
                if pace > spent {
                    let due = now.at + (pace - spent);
                    live.held = Some(HeldMove { m, since: now.at, due, spent });
                    return;
                }
                if live.game.answer(m, spent, now.at).is_err() {
                    live.game.engine_fails(now.at);
                }
            }
            Ok(Answer::Resign) => live.game.engine_ends(false, now.at),
            Ok(Answer::Win) => live.game.engine_ends(true, now.at),
            // Asked anew it may do better; twice is enough.
            Err(_) if live.failures == 0 => {
                live.failures = 1;
                return;
            }
            Err(_) => live.game.engine_fails(now.at),
        }
        self.changed_by_itself(id, now);
    }

    fn finish_review(&mut self, running: &Running, answer: Result<Answer, String>) {
        let Some(run) = &mut self.searches.review else { return };
        match (answer, run.next.take()) {
            (Ok(_), Some((ply, _))) => {
                run.review.judge(ply, &running.lines);
                run.next = run.review.next_question();
                run.news = true;
                if run.next.is_none() {
                    self.tell_news();
                }
            }
            (Err(why), _) => {
                let view = run.review.failed(why);
                self.searches.review = None;
                self.send(view);
            }
            (Ok(_), None) => {}
        }
    }

    /// Tells the page what has become known since it was last told.
    pub(crate) fn tell_news(&mut self) {
        let mut messages: Vec<ServerMessage> = Vec::new();
        for run in self.searches.analyses.iter_mut().filter(|run| run.news) {
            run.news = false;
            messages.push(run.analysis.view().into());
        }
        if let Some(run) = self.searches.review.as_mut().filter(|run| run.news) {
            run.news = false;
            messages.push(run.review.view().into());
        }
        for (id, live) in &mut self.live {
            let Some(info) = live.thought.take() else { continue };
            let (position, revision) = (live.game.position(), live.game.revision());
            let scale = self.facts.scales().of(position.game());
            let line = thinking::line(id.clone(), revision, position, &info, scale);
            messages.push(ServerMessage::Thinking(line));
        }
        messages.into_iter().for_each(|message| self.send(message));
    }
}

/// The answer meant by the words of `bestmove`.
fn answer(best: &BestMove, position: &AnyPosition) -> Result<Answer, String> {
    match best {
        BestMove::Move { best, .. } => {
            position.parse_usi(best).map(Answer::Move).map_err(|e| format!("{best:?}: {e}"))
        }
        BestMove::Resign => Ok(Answer::Resign),
        BestMove::Win => Ok(Answer::Win),
    }
}
