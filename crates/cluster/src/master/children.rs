//! What children say, their incarnations and faults.

use super::Master;
use super::decision::Vote;
use crate::child::{Purpose, Question, STALL, STARTUP, State, Task};
use crate::event::{Action, Incarnation};
use crate::journal::Entry;
use engines::answers::{best_move, mate_answer};
use engines::{EngineFault, FaultKind};
use rules::Move;
use think::key::universal::{MULTI_PV, PONDER};
use think::{Answer, MateAnswer, Score, quote};
use usi::option::choosing;
use usi::{Command, Info, Reply};

/// Hundredths of a pawn from which on a score means a mate to who told it.
const MATE_SCORE: u32 = 30_000;

/// Hundredths of a pawn that no engine means.
const WILD_SCORE: u32 = 1_000_000;

impl Master {
    pub(super) fn started(&mut self, incarnation: Incarnation) {
        if self.is_current(incarnation)
            && matches!(self.children[incarnation.child].state, State::Starting { .. })
        {
            self.children[incarnation.child].state = State::Introducing { since: self.now };
            self.send(incarnation.child, &Command::Usi);
        }
    }

    pub(super) fn lost(&mut self, incarnation: Incarnation, why: &str) {
        if self.is_current(incarnation) {
            self.fault(incarnation.child, &EngineFault::new(FaultKind::Crash, why));
        }
    }

    fn is_current(&self, incarnation: Incarnation) -> bool {
        self.children.get(incarnation.child).is_some_and(|child| {
            child.incarnation == incarnation
                && !matches!(child.state, State::Down { .. } | State::Out)
        })
    }

    /// Starts who is due, gives up who takes too long.
    pub(super) fn watch_children(&mut self) {
        for index in 0..self.children.len() {
            let child = &self.children[index];
            if child.wake().is_none_or(|wake| wake > self.now) {
                continue;
            }
            match child.state {
                State::Down { .. } => {
                    let incarnation = self.children[index].begin(self.now);
                    self.actions.push(Action::Start(incarnation));
                }
                State::Ready => {
                    let detail = format!("no answer {} ms after stop", STALL.as_millis());
                    self.fault(index, &EngineFault::new(FaultKind::Stall, detail));
                }
                State::Out => {}
                _ => {
                    let detail = format!("not ready after {} s", STARTUP.as_secs());
                    self.fault(index, &EngineFault::new(FaultKind::Stall, detail));
                }
            }
        }
    }

    /// Cuts a child off. It is started again after a pause.
    pub(super) fn fault(&mut self, index: usize, fault: &EngineFault) {
        let child = &mut self.children[index];
        let (name, incarnation) = (child.config.name.clone(), child.incarnation);
        child.fail(self.now);
        let then = match child.state {
            State::Out => "out for the rest of the game",
            _ => "started again",
        };
        self.note(&format!("{name}: {fault}; {then}"));
        self.actions.push(Action::End(incarnation));
        self.actions.push(Action::Log(Entry::Fault {
            game: self.games,
            child: name,
            fault: fault.kind.name(),
            detail: fault.detail.clone(),
        }));
        if let Some(foresight) = &mut self.foresight {
            foresight.forget_child(index);
        }
    }

    pub(super) fn child_line(&mut self, incarnation: Incarnation, line: &str) {
        if !self.is_current(incarnation) {
            return;
        }
        let index = incarnation.child;
        if self.children[index].floods(self.now) {
            return self.fault(index, &EngineFault::protocol("floods its output"));
        }
        // What is not USI is chatter: engines greet and warn as they like.
        let Ok(reply) = Reply::parse(line) else { return };
        let child = &mut self.children[index];
        match (reply, child.state) {
            (Reply::IdName(name), State::Introducing { .. }) => child.name = Some(name),
            (Reply::Option(spec), State::Introducing { .. }) => {
                child.options.retain(|known| !known.is_called(&spec.name));
                child.options.push(spec);
            }
            (Reply::UsiOk, State::Introducing { .. }) => self.prepare_child(index),
            (Reply::ReadyOk, State::Preparing { .. }) => {
                child.state = State::Ready;
                self.send(index, &Command::UsiNewGame);
            }
            (Reply::Info(info), State::Ready) if info.string.is_none() => {
                self.child_info(index, &info);
            }
            (Reply::Info(info), _) => {
                let told = info.string.as_deref().and_then(told_scale);
                child.told_scale = told.or(child.told_scale);
            }
            (Reply::BestMove(_) | Reply::Checkmate(_), State::Ready) => {
                self.child_answer(index, line);
            }
            _ => {}
        }
    }

    /// Sets what is to be set and asks it to load.
    fn prepare_child(&mut self, index: usize) {
        let game = self.game;
        let child = &mut self.children[index];
        let mut options: Vec<(String, String)> = Vec::new();
        options.extend(choosing(game, |name| child.declares(name)));
        options.push((PONDER.name().to_owned(), true.to_string()));
        if let Some(inside) = child.config.inside {
            options.push(("Engine".to_owned(), inside.name().to_owned()));
        }
        options.extend(child.config.options.iter().map(|(n, v)| (n.clone(), v.to_string())));
        options.extend(child.set.iter().cloned());
        child.state = State::Preparing { since: self.now };
        let known = child.options.clone();
        self.actions.push(Action::Know { child: index, options: known });
        let child = &mut self.children[index];
        let (wanted, name) = (options, child.config.name.clone());
        for (option, value) in wanted {
            if self.children[index].declares(&option) {
                self.send(index, &Command::SetOption { name: option, value: Some(value) });
            } else if !PONDER.is_called(&option) {
                self.note(&format!("{name} has no option {}", quote(&option)));
            }
        }
        self.send(index, &Command::IsReady);
    }

    fn child_info(&mut self, index: usize, info: &Info) {
        let Some(question) = self.children[index].questions.front() else { return };
        let (rank, score) = (info.multipv.unwrap_or(1).max(1) as usize, info.score);
        if score.is_none() || rank > 64 {
            return;
        }
        if let Some((Score::Cp(cp), _)) = score
            && cp.unsigned_abs() > WILD_SCORE
        {
            let detail = format!("a score of {cp}");
            return self.fault(index, &EngineFault::protocol(detail));
        }
        let thought = info.thought(question.task.line.position());
        if thought.pv.is_empty() {
            // A line that begins with a move nobody can play is about another position.
            if let Some(text) = info.pv.first().filter(|text| is_move(self.game, text)) {
                let why = "the first move of its line, not legal here";
                self.fault(index, &EngineFault::illegal(text, why));
            }
            return;
        }
        let Some(question) = self.children[index].questions.front_mut() else { return };
        if rank == 1 {
            let bare = Info { score, ..Info::default() }.to_string();
            question.score = Some(bare.trim().trim_start_matches("score ").to_owned());
        }
        let first = thought.pv[0];
        if question.lines.len() < rank {
            question.lines.resize(rank, think::Info::default());
        }
        question.lines[rank - 1] = thought;
        let search = question.task.search;
        let purpose = question.task.purpose.clone();
        match purpose {
            Purpose::Predict => self.predicted(index),
            Purpose::Think | Purpose::Ponder if rank == 1 => {
                if claims_mate(score.map(|s| s.0)) {
                    self.verify(search, first);
                }
                self.show_line(index, info);
            }
            _ => {}
        }
    }

    /// A search has ended, as its child says.
    fn child_answer(&mut self, index: usize, text: &str) {
        let child = &mut self.children[index];
        let Some(question) = child.questions.pop_front() else {
            let detail = format!("answered {} to no question", quote(text));
            return self.fault(index, &EngineFault::protocol(detail));
        };
        if let Some(stopped) = question.stopped {
            child.delays.learn(self.now.saturating_sub(stopped));
        }
        let position = question.task.line.position();
        if question.task.purpose == Purpose::Mate {
            // Who does not know the question may answer it with a move.
            let answer = if text.trim_start().starts_with("checkmate") {
                mate_answer(text, position)
            } else {
                Ok(MateAnswer::NotImplemented)
            };
            match answer {
                Ok(answer) => self.mate_answered(index, &question, &answer, text),
                Err(fault) => return self.fault(index, &fault),
            }
        } else {
            match best_move(text, position) {
                Ok((Answer::Win, _)) if !position.can_declare(self.declaration) => {
                    let why = "a win declared without right";
                    return self.fault(index, &EngineFault::illegal("win", why));
                }
                Ok((answer, _)) if is_stray(&question, answer) => {
                    let detail = format!("answered {} while nobody asked", quote(text));
                    return self.fault(index, &EngineFault::protocol(detail));
                }
                Ok((answer, reply)) => self.answered(index, &question, answer, reply),
                Err(fault) => return self.fault(index, &fault),
            }
        }
        self.children[index].answered(self.now);
        self.serve(index);
    }

    fn answered(&mut self, index: usize, question: &Question, answer: Answer, reply: Option<Move>) {
        let vote = Vote::of(&self.children[index], question, answer, reply, self.now);
        let wanted = self.search.as_ref().is_some_and(|s| s.number == question.task.search);
        match &question.task.purpose {
            Purpose::Ponder => {
                // It may not, but some do: the answer counts if the reply is played.
                if let Some(foresight) =
                    self.foresight.as_mut().filter(|_| question.stopped.is_none())
                {
                    foresight.early(index, &question.task.line, vote.clone());
                }
                if wanted {
                    self.vote(index, vote);
                }
            }
            Purpose::Think | Purpose::Arbitrate(_) if wanted => self.vote(index, vote),
            Purpose::Value(m) if wanted => self.valued(index, *m, &vote),
            _ => {}
        }
    }

    /// Says what waited and asks what is next, if it is not thinking.
    fn serve(&mut self, index: usize) {
        if !self.children[index].questions.is_empty() {
            return;
        }
        for line in std::mem::take(&mut self.children[index].later) {
            let incarnation = self.children[index].incarnation;
            self.actions.push(Action::Send(incarnation, line));
        }
        if let Some(task) = self.children[index].next.take() {
            self.ask(index, task);
        }
    }

    /// Says something that may not be said while it thinks.
    pub(super) fn say_when_idle(&mut self, index: usize, line: String) {
        self.children[index].later.push(line);
        self.serve(index);
    }

    /// Asks a child, after what it is at. Whether it will.
    pub(super) fn assign(&mut self, index: usize, task: Task) -> bool {
        if !self.children[index].is_ready() {
            return false;
        }
        self.stop_child(index);
        if self.children[index].questions.is_empty() {
            self.ask(index, task);
        } else {
            self.children[index].next = Some(task);
        }
        true
    }

    fn ask(&mut self, index: usize, task: Task) {
        let Some(go) = self.go_for(&task) else { return };
        let child = &self.children[index];
        let lines = match (&task.purpose, &self.config.ponder) {
            (Purpose::Predict, Some(ponder)) => ponder.replies,
            _ => 1,
        };
        if lines != child.multipv && child.declares(MULTI_PV.name()) {
            let (name, value) = (MULTI_PV.name().to_owned(), Some(lines.to_string()));
            self.send(index, &Command::SetOption { name, value });
            self.children[index].multipv = lines;
        }
        let incarnation = self.children[index].incarnation;
        self.actions.push(Action::Send(incarnation, task.line.line().to_owned()));
        self.send(index, &Command::Go(go));
        self.children[index].questions.push_back(Question {
            task,
            sent: self.now,
            stopped: None,
            lines: Vec::new(),
            score: None,
        });
    }

    /// Tells a child to stop what it is at, once.
    pub(super) fn stop_child(&mut self, index: usize) {
        self.children[index].next = None;
        let now = self.now;
        if let Some(question) = self.children[index].current_mut() {
            question.stopped = Some(now);
            self.send(index, &Command::Stop);
        }
    }

    /// Ends whatever a child does.
    pub(super) fn release(&mut self, index: usize) {
        if self.children[index].is_ready() {
            self.stop_child(index);
        }
    }

    pub(super) fn send(&mut self, index: usize, command: &Command) {
        self.actions.push(Action::Send(self.children[index].incarnation, command.to_string()));
    }
}

/// Whether an answer to a question that nobody has ended is not even the move it was last at: then it
/// is most likely a second answer to the question before.
fn is_stray(question: &Question, answer: Answer) -> bool {
    let endless = matches!(question.task.purpose, Purpose::Ponder | Purpose::Predict);
    let at = question.lines.first().and_then(|info| info.pv.first()).map(|&m| Answer::Move(m));
    endless && question.stopped.is_none() && at != Some(answer)
}

/// What an engine of ours says its scores are worth ([`engines::lines::start_inside`]).
fn told_scale(text: &str) -> Option<f64> {
    let scale: f64 = text.trim().strip_prefix("win_rate_scale ")?.trim().parse().ok()?;
    (50.0..=10_000.0).contains(&scale).then_some(scale)
}

fn is_move(game: rules::Game, text: &str) -> bool {
    Move::from_usi(game, text).is_some()
}

/// Whether a score says that the side to move mates.
pub(super) fn claims_mate(score: Option<Score>) -> bool {
    match score {
        Some(Score::Mate(_)) => true,
        Some(Score::Cp(cp)) => cp > 0 && cp.unsigned_abs() >= MATE_SCORE,
        _ => false,
    }
}
