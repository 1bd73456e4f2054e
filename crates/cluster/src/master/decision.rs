//! Votes, exchanged values, the arbiter, and the move that is played.

use super::children::claims_mate;
use super::own_turn::{Search, Stage};
use super::{Claim, Master};
use crate::child::{Child, Purpose, Question, Task};
use crate::config::{Consult, Role};
use crate::consult::{Opinion, by_sum, candidates, decide};
use crate::deadline::win_rate;
use crate::event::Action;
use crate::fallback::own_move;
use crate::journal::Entry;
use rules::Move;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use think::{Answer, Best, Info, Moment, Score};
use usi::Reply;

/// The win rate of a mate that nobody has verified.
const CLAIMED: f64 = 0.97;

/// Moves that are valued by everybody where values are exchanged.
const MOST_EXCHANGED: usize = 3;

/// What a child wants.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Vote {
    pub(super) answer: Answer,
    pub(super) reply: Option<Move>,
    pub(super) value: Option<f64>,
    pub(super) score: Option<String>,
    pub(super) info: Option<Info>,
    /// Whether it had ended.
    pub(super) answered: bool,
    pub(super) time: Duration,
}

impl Vote {
    pub(super) fn of(
        child: &Child,
        question: &Question,
        answer: Answer,
        reply: Option<Move>,
        now: Moment,
    ) -> Self {
        let info = question.lines.first().cloned();
        let value = info.as_ref().and_then(|info| value_of(child, info));
        let follows =
            info.as_ref().filter(|info| info.pv.first().map(|&m| Answer::Move(m)) == Some(answer));
        let reply = reply.or_else(|| follows.and_then(|info| info.pv.get(1).copied()));
        let time = now.saturating_sub(question.sent);
        Self { answer, reply, value, score: question.score.clone(), info, answered: true, time }
    }

    /// What a child that has not answered would say.
    fn so_far(child: &Child, search: u64, now: Moment) -> Option<Self> {
        let question = child.questions.iter().find(|q| {
            let about_move = matches!(q.task.purpose, Purpose::Think | Purpose::Ponder);
            q.task.search == search && about_move
        })?;
        let &first = question.lines.first()?.pv.first()?;
        let vote = Self::of(child, question, Answer::Move(first), None, now);
        Some(Self { answered: false, ..vote })
    }
}

/// The win rate that a line of a child tells, by its own scale.
pub(super) fn value_of(child: &Child, info: &Info) -> Option<f64> {
    Some(match info.score?.0 {
        claim if claims_mate(Some(claim)) => CLAIMED,
        Score::Mate(_) => CLAIMED,
        Score::Mated(_) => 1.0 - CLAIMED,
        Score::Cp(cp) => win_rate(cp, child.scale()).clamp(1.0 - CLAIMED, CLAIMED),
    })
}

/// What is played, and why.
struct Decision {
    answer: Answer,
    by: Option<usize>,
    why: &'static str,
}

impl Master {
    /// A child wants a move.
    pub(super) fn vote(&mut self, index: usize, vote: Vote) {
        let text = self.text_of(vote.answer);
        let name = &self.children[index].config.name;
        let score = vote.score.as_deref().unwrap_or("no score");
        let (depth, millis) = (vote.info.as_ref().and_then(|i| i.depth), vote.time.as_millis());
        let depth = depth.map_or(String::new(), |depth| format!(" depth {depth}"));
        let shown = format!("{name}: {text} {score}{depth} {millis} ms");
        let now = self.now;
        let Some(search) = &mut self.search else { return };
        if search.voters.contains(&index) {
            search.first_vote.get_or_insert(now);
        }
        search.votes.insert(index, vote);
        self.note(&shown);
    }

    /// A child has valued another's move: it looked at it from the opponent's side.
    pub(super) fn valued(&mut self, index: usize, m: Move, vote: &Vote) {
        let value = match vote.answer {
            Answer::Resign => Some(1.0),
            Answer::Win => Some(0.0),
            Answer::Move(_) => vote.value.map(|value| 1.0 - value),
        };
        let Some(search) = &mut self.search else { return };
        if let Some(value) = value {
            search.values.push((index, m, value));
        }
        self.value_next(index);
    }

    /// Asks a child for the next value it has to give.
    fn value_next(&mut self, index: usize) {
        let Some(search) = &mut self.search else { return };
        let Stage::Exchange(rest) = &mut search.stage else { return };
        let Some(m) = rest.get_mut(&index).and_then(Vec::pop) else { return };
        let mut line = (*search.line).clone();
        line.play(m);
        let number = search.number;
        if line.position().is_mated() {
            search.values.push((index, m, 1.0));
            return self.value_next(index);
        }
        let task = Task { purpose: Purpose::Value(m), line: Arc::new(line), search: number };
        self.assign(index, task);
    }

    /// The opinions of who votes and has answered.
    pub(super) fn opinions(&self) -> Vec<Opinion> {
        let Some(search) = &self.search else { return Vec::new() };
        let voted = search.voters.iter().filter_map(|i| search.votes.get(i).map(|vote| (*i, vote)));
        voted.map(|(child, vote)| self.opinion(child, vote)).collect()
    }

    fn opinion(&self, child: usize, vote: &Vote) -> Opinion {
        let weight = self.children[child].config.weight;
        Opinion { child, answer: vote.answer, value: vote.value, weight }
    }

    /// Everybody has an opinion: whether something is to be asked about them.
    pub(super) fn next_stage(&mut self) -> bool {
        let opinions = self.opinions();
        let wanted = candidates(&opinions);
        let Some(search) = &self.search else { return false };
        if search.stage != Stage::Opinions || wanted.len() < 2 {
            return false;
        }
        let late = search
            .deadline
            .is_some_and(|d| search.elapsed(self.now) + d.usual.mul_f64(0.1) >= d.stop);
        if late {
            return false;
        }
        let group = &self.config.groups[search.group];
        let (number, line) = (search.number, Arc::clone(&search.line));
        if group.consult == Consult::Exchange {
            let moves = &wanted[..wanted.len().min(MOST_EXCHANGED)];
            let own = |o: &Opinion| {
                let others = moves.iter().copied().filter(|&m| o.answer != Answer::Move(m));
                (o.child, others.collect::<Vec<Move>>())
            };
            let rest: BTreeMap<usize, Vec<Move>> = opinions.iter().map(own).collect();
            let known = opinions.iter().filter_map(|o| match (o.answer, o.value) {
                (Answer::Move(m), Some(value)) => Some((o.child, m, value)),
                _ => None,
            });
            let (known, children) = (known.collect(), rest.keys().copied().collect::<Vec<_>>());
            if let Some(search) = &mut self.search {
                (search.values, search.stage) = (known, Stage::Exchange(rest));
            }
            for index in 0..self.children.len() {
                // Who has not answered by now is not waited for.
                if self.children[index].works_for(number) && !self.is_guard(index) {
                    self.stop_child(index);
                }
            }
            children.into_iter().for_each(|index| self.value_next(index));
            return true;
        }
        let arbiter = group.arbiter.as_ref().and_then(|name| self.config.child(name));
        let Some(arbiter) = arbiter.filter(|&index| self.children[index].is_ready()) else {
            return false;
        };
        let task = Task { purpose: Purpose::Arbitrate(wanted), line, search: number };
        if !self.assign(arbiter, task) {
            return false;
        }
        if let Some(search) = &mut self.search {
            search.stage = Stage::Arbiter(arbiter);
        }
        true
    }

    fn is_guard(&self, index: usize) -> bool {
        matches!(self.children[index].role(), Role::Guard | Role::Mate)
    }

    /// Asks whether a move begins a mate, once.
    pub(super) fn verify(&mut self, number: u64, first: Move) {
        let Some(search) = self.search.as_ref().filter(|search| search.number == number) else {
            return;
        };
        let asked = self.claims.iter().any(|claim| claim.first == first && claim.search == number);
        if asked || self.claims.len() >= 8 {
            return;
        }
        let position = Box::new(search.line.position().clone());
        self.claimed += 1;
        self.claims.push(Claim { number: self.claimed, search: number, first });
        self.actions.push(Action::Verify { number: self.claimed, position, first });
    }

    pub(super) fn verified(&mut self, number: u64, mates: bool) {
        let Some(claim) = self.claims.iter().find(|claim| claim.number == number) else { return };
        let (of, first) = (claim.search, claim.first);
        if let Some(search) = self.search.as_mut().filter(|search| search.number == of && mates) {
            search.proven = Some(first);
        }
    }

    /// Answers with what there is.
    pub(super) fn decide_now(&mut self) {
        if self.search.as_ref().is_some_and(|search| search.go.mate.is_some()) {
            return self.give_up_mate();
        }
        let now = self.now;
        let Some(search) = &mut self.search else { return };
        for (index, child) in self.children.iter().enumerate() {
            if !search.votes.contains_key(&index)
                && let Some(vote) = Vote::so_far(child, search.number, now)
            {
                search.votes.insert(index, vote);
            }
        }
        let decision = self.decision();
        let Some(search) = self.search.take() else { return };
        self.log(&search, &decision);
        self.show_decision(&search, &decision);
        let vote = decision.by.and_then(|by| search.votes.get(&by));
        self.win_rate = vote.and_then(|vote| vote.value).or(self.win_rate);
        let own_time = !search.pondering;
        let best = Best { answer: decision.answer, ponder: None };
        self.up(&Reply::best(&best, self.game));
        for index in 0..self.children.len() {
            if self.children[index].works_for(search.number) {
                self.release(index);
            }
        }
        let turn = search.line.position().turn();
        self.remember_clocks(&search.go, turn, search.elapsed(now));
        if let (Answer::Move(m), true, true) = (decision.answer, self.ponders, own_time) {
            let reply = vote.filter(|vote| vote.answer == decision.answer).and_then(|v| v.reply);
            let mut base = (*search.line).clone();
            base.play(m);
            self.begin_foresight(Arc::new(base), reply);
        } else {
            self.end_foresight();
        }
    }

    /// What to play, from all there is.
    fn decision(&self) -> Decision {
        let own = |search: Option<&Search>| {
            let m = search.and_then(|search| own_move(search.line.position()));
            Decision { answer: m.map_or(Answer::Resign, Answer::Move), by: None, why: "own" }
        };
        let Some(search) = &self.search else { return own(None) };
        if let Some(first) = search.proven {
            let wanted = Answer::Move(first);
            let by = search.votes.iter().find(|(_, vote)| vote.answer == wanted);
            return Decision { answer: wanted, by: by.map(|(&by, _)| by), why: "mate" };
        }
        let opinions = self.opinions();
        let group = &self.config.groups[search.group];
        let by_opinion = |opinion: &Opinion, why| Decision {
            answer: opinion.answer,
            by: Some(opinion.child),
            why,
        };
        match &search.stage {
            Stage::Arbiter(arbiter) => {
                let said = search.votes.get(arbiter).filter(|vote| vote.answered);
                if let Some(vote) = said
                    && let Some(opinion) = opinions.iter().find(|o| o.answer == vote.answer)
                {
                    return by_opinion(opinion, "arbiter");
                }
            }
            Stage::Exchange(_) => {
                if let Some(m) = by_sum(&candidates(&opinions), &search.values)
                    && let Some(opinion) = opinions.iter().find(|o| o.answer == Answer::Move(m))
                {
                    return by_opinion(opinion, "exchange");
                }
            }
            Stage::Opinions => {}
        }
        if let Some(chosen) = decide(group.consult, &opinions) {
            let why = match group.consult {
                _ if opinions.len() == 1 => "only",
                Consult::Majority | Consult::Exchange => "majority",
                Consult::Optimistic => "optimistic",
                Consult::Pessimistic => "pessimistic",
                Consult::Switch => "switch",
            };
            return by_opinion(&opinions[chosen], why);
        }
        let rest: Vec<Opinion> =
            search.votes.iter().map(|(&child, vote)| self.opinion(child, vote)).collect();
        match decide(Consult::Majority, &rest) {
            Some(chosen) => by_opinion(&rest[chosen], "guard"),
            None => own(Some(search)),
        }
    }

    /// A line with the score before the move, and who wanted it.
    fn show_decision(&mut self, search: &Search, decision: &Decision) {
        let vote = decision.by.and_then(|by| search.votes.get(&by));
        let info = vote.and_then(|vote| vote.info.clone());
        let starts =
            |info: &Info| info.pv.first().map(|&m| Answer::Move(m)) == Some(decision.answer);
        let mut shown = info.filter(starts).unwrap_or_else(|| match decision.answer {
            Answer::Move(m) => Info { pv: vec![m], ..Info::default() },
            _ => Info::default(),
        });
        if decision.why == "mate" && !claims_mate(shown.score.map(|score| score.0)) {
            shown.score = Some((Score::Mate(None), think::Bound::Exact));
        }
        shown.time = Some(search.elapsed(self.now));
        shown.multipv = None;
        if !shown.pv.is_empty() {
            self.up(&Reply::Info(usi::Info::from_thought(&shown, self.game)));
        }
        let by = decision.by.map_or("own", |by| self.children[by].config.name.as_str());
        let hit = if search.hit { ", foreseen" } else { "" };
        let text = format!("{}: {} of {by}{hit}", decision.why, self.text_of(decision.answer));
        self.note(&text);
    }

    fn log(&mut self, search: &Search, decision: &Decision) {
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let (game, ply) = (self.games, search.line.position().ply());
        let others = search.votes.keys().copied().filter(|index| !search.voters.contains(index));
        let asked: Vec<usize> = search.voters.iter().copied().chain(others).collect();
        for index in asked {
            let vote = search.votes.get(&index);
            let info = vote.and_then(|vote| vote.info.as_ref());
            let question = match self.children[index].role() {
                Role::Guard => "guard",
                Role::Arbiter => "arbitrate",
                _ => "think",
            };
            self.actions.push(Action::Log(Entry::Opinion {
                game,
                ply,
                child: self.children[index].config.name.clone(),
                question,
                answer: vote.map(|vote| self.text_of(vote.answer)),
                answered: vote.is_some_and(|vote| vote.answered),
                score: vote.and_then(|vote| vote.score.clone()),
                win_rate: vote.and_then(|vote| vote.value).map(|v| (v * 1e4).round() / 1e4),
                depth: info.and_then(|info| info.depth),
                nodes: info.and_then(|info| info.nodes),
                time: millis(vote.map_or(search.elapsed(self.now), |vote| vote.time)),
            }));
        }
        for &(child, m, value) in &search.values {
            self.actions.push(Action::Log(Entry::Opinion {
                game,
                ply,
                child: self.children[child].config.name.clone(),
                question: "value",
                answer: Some(m.usi(self.game)),
                answered: true,
                score: None,
                win_rate: Some((value * 1e4).round() / 1e4),
                depth: None,
                nodes: None,
                time: millis(search.elapsed(self.now)),
            }));
        }
        let wanted: Vec<Opinion> = search
            .voters
            .iter()
            .filter_map(|i| search.votes.get(i).map(|vote| self.opinion(*i, vote)))
            .collect();
        self.actions.push(Action::Log(Entry::Decision {
            game,
            ply,
            position: search.line.position().sfen(),
            answer: self.text_of(decision.answer),
            by: decision.by.map_or("own", |by| self.children[by].config.name.as_str()).to_owned(),
            why: decision.why,
            hit: search.hit,
            moves: candidates(&wanted).len(),
            time: millis(search.elapsed(self.now)),
        }));
    }
}
