//! Questions to the engine and what is done with its answers.

use super::super::mind::{Insight, Question, Thought, fallback};
use super::play::Asked;
use super::{Action, Session, Stage};
use ::csa::{ClientLine, Special};
use kifu::wire;
use rules::Move;
use std::time::Duration;
use think::{Answer, Clocks, Moment};

/// How long a move without the engine may take.
const FALLBACK: Duration = Duration::from_secs(1);

impl Session {
    /// Thinks on the opponent's time about the reply expected.
    pub(super) fn begin_pondering(&mut self) -> Vec<Action> {
        let margin = self.play().map(|play| self.reserves(play).stop).unwrap_or_default();
        let Stage::Playing(play) = &mut self.stage else { return Vec::new() };
        let Some(expected) =
            play.expected.take().filter(|&m| self.wishes.ponder && play.position.is_legal(m))
        else {
            return Vec::new();
        };
        let mut position = play.position.clone();
        position.play(expected);
        if position.is_mated() || position.repetition().is_some() {
            return Vec::new();
        }
        self.ticket += 1;
        play.asked = Some(Asked { ticket: self.ticket, ponder: Some(expected), stopped: false });
        play.insight = Insight::default();
        play.early = None;
        vec![Action::Think(Box::new(Question {
            ticket: self.ticket,
            position,
            clocks: play.budget.clocks(play.us, margin, Duration::ZERO),
            ponder: true,
        }))]
    }

    /// It may be our turn, after that move of the opponent.
    pub(super) fn begin_turn(&mut self, after: Option<Move>, now: Moment) -> Vec<Action> {
        let margin = self.play().map(|play| self.reserves(play).stop).unwrap_or_default();
        let Stage::Playing(play) = &mut self.stage else { return Vec::new() };
        if play.position.turn() != play.us {
            return Vec::new();
        }
        if play.may_declare() {
            play.asked = None;
            let mut actions = vec![Action::Stop, Action::Note("the win is declared".to_owned())];
            actions.extend(self.say_special(Special::Declare, now));
            return actions;
        }
        if play.position.is_mated() {
            play.asked = None;
            return self.say_special(Special::Resign, now);
        }
        let clocks = play.budget.clocks(play.us, margin, play.passed);
        if let Some(asked) = &mut play.asked
            && asked.ponder.is_some()
            && asked.ponder == after
        {
            asked.ponder = None;
            return match play.early.take() {
                Some((answer, ponder)) => self.act(answer, ponder, now),
                None => vec![Action::PonderHit(clocks)],
            };
        }
        self.ask(clocks)
    }

    fn ask(&mut self, clocks: Option<Clocks>) -> Vec<Action> {
        let Stage::Playing(play) = &mut self.stage else { return Vec::new() };
        self.ticket += 1;
        play.asked = Some(Asked { ticket: self.ticket, ponder: None, stopped: false });
        play.insight = Insight::default();
        play.early = None;
        vec![Action::Think(Box::new(Question {
            ticket: self.ticket,
            position: play.position.clone(),
            clocks,
            ponder: false,
        }))]
    }

    fn say_special(&mut self, special: Special, now: Moment) -> Vec<Action> {
        self.send(&ClientLine::Special { special, comment: None }, now)
    }

    /// Something was thought.
    pub(in crate::csa) fn thought(&mut self, thought: Thought, now: Moment) -> Vec<Action> {
        match thought {
            Thought::Note(text) => vec![Action::Note(text)],
            Thought::Ready => self.ready(now),
            Thought::Insight(ticket, insight) => {
                if let Stage::Playing(play) = &mut self.stage
                    && play.asked.is_some_and(|asked| asked.ticket == ticket)
                {
                    play.insight = insight;
                }
                Vec::new()
            }
            Thought::Best(ticket, answer, ponder) => {
                let Stage::Playing(play) = &mut self.stage else { return Vec::new() };
                match play.asked {
                    Some(asked) if asked.ticket == ticket && asked.ponder.is_none() => {
                        self.act(answer, ponder, now)
                    }
                    Some(asked) if asked.ticket == ticket => {
                        play.early = Some((answer, ponder));
                        Vec::new()
                    }
                    _ => Vec::new(),
                }
            }
            Thought::Failed(why) => self.failed(why, now),
        }
    }

    fn ready(&mut self, now: Moment) -> Vec<Action> {
        match std::mem::replace(&mut self.stage, Stage::Waiting) {
            Stage::Preparing(play) => {
                let id = Some(play.summary.id.clone()).filter(|id| !id.is_empty());
                self.stage = Stage::Agreed(play);
                self.send(&ClientLine::Agree(id), now)
            }
            // It was restarted in the middle of a game.
            Stage::Playing(play) if play.is_our_move() && play.asked.is_none() => {
                let margin = self.reserves(&play).stop;
                let passed = play.passed + now.saturating_sub(play.turn_since);
                let clocks = play.budget.clocks(play.us, margin, passed);
                self.stage = Stage::Playing(play);
                self.ask(clocks)
            }
            other => {
                self.stage = other;
                Vec::new()
            }
        }
    }

    /// The engine cannot go on: a move is made without it, and it is started again.
    fn failed(&mut self, why: String, now: Moment) -> Vec<Action> {
        let mut actions = vec![Action::Note(why)];
        match &mut self.stage {
            Stage::Playing(play) => {
                let ours = play.is_our_move();
                let game = play.position.game();
                if ours {
                    actions.extend(self.play_fallback(now));
                } else {
                    play.asked = None;
                }
                actions.push(Action::Restart(game));
            }
            Stage::Preparing(play) => {
                // Without an engine there is no game.
                let id = Some(play.summary.id.clone()).filter(|id| !id.is_empty());
                self.stage = Stage::Waiting;
                actions.extend(self.send(&ClientLine::Reject(id), now));
            }
            _ => {}
        }
        actions
    }

    pub(super) fn play_fallback(&mut self, now: Moment) -> Vec<Action> {
        // The way to the server has taken two thirds of the margin at worst.
        let way = self.margin.now() * 2 / 3;
        let Stage::Playing(play) = &mut self.stage else { return Vec::new() };
        play.asked = None;
        let left = play.end_of_time().map_or(FALLBACK, |end| end.saturating_sub(now + way));
        match fallback(&play.position, &play.insight, left.min(FALLBACK)) {
            Some(m) => {
                let text = wire::write_move(&play.position, m);
                let mut actions =
                    vec![Action::Note(format!("{text} is played without the engine"))];
                actions.extend(self.send_move(m, None, now));
                actions
            }
            None => self.say_special(Special::Resign, now),
        }
    }

    /// Does what the engine says, if it may be done.
    fn act(&mut self, answer: Answer, ponder: Option<Move>, now: Moment) -> Vec<Action> {
        let Stage::Playing(play) = &mut self.stage else { return Vec::new() };
        match answer {
            Answer::Move(m) if play.position.is_legal(m) => self.send_move(m, ponder, now),
            Answer::Resign => {
                play.asked = None;
                self.say_special(Special::Resign, now)
            }
            Answer::Win if play.may_declare() => {
                play.asked = None;
                self.say_special(Special::Declare, now)
            }
            Answer::Move(_) | Answer::Win => {
                let mut actions =
                    vec![Action::Note(format!("the engine's answer {answer:?} is not possible"))];
                actions.extend(self.play_fallback(now));
                actions
            }
        }
    }

    fn send_move(&mut self, m: Move, ponder: Option<Move>, now: Moment) -> Vec<Action> {
        let comments = self.wishes.comments;
        let Stage::Playing(play) = &mut self.stage else { return Vec::new() };
        let text = wire::write_move(&play.position, m);
        let comment = if comments { play.comment(m) } else { None };
        play.asked = None;
        play.expected = ponder;
        play.sent = Some((now, comment.clone()));
        self.send(&ClientLine::Move { text, comment }, now)
    }
}
