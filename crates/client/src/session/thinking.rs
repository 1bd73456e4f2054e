//! What the engine is asked, and what is done with its answers.

use super::game::PendingSearch;
use super::{Action, SearchRequest, Session, Stage};
use crate::fallback::fallback;
use csa::{ClientLine, Special};
use engines::PlayerEvent;
use kifu::wire;
use rules::Move;
use std::time::Duration;
use think::{Answer, Best, Clocks, Info, Moment};

/// How long a move without the engine may take.
const FALLBACK: Duration = Duration::from_secs(1);

impl Session {
    /// Thinks on the opponent's time about the reply expected.
    pub(crate) fn begin_pondering(&mut self) -> Vec<Action> {
        let margin = self.game().map(|play| self.reserves(play).stop).unwrap_or_default();
        let Stage::Playing(play) = &mut self.stage else { return Vec::new() };
        let Some(expected) =
            play.expected.take().filter(|&m| self.settings.ponder && play.position.is_legal(m))
        else {
            return Vec::new();
        };
        let mut position = play.position.clone();
        position.play(expected);
        if position.is_mated() || position.repetition().is_some() {
            return Vec::new();
        }
        self.search_id += 1;
        play.search =
            Some(PendingSearch { id: self.search_id, ponder: Some(expected), stopped: false });
        play.report = Info::default();
        play.early = None;
        vec![Action::Think(Box::new(SearchRequest {
            id: self.search_id,
            position,
            clocks: play.budget.clocks(play.us, margin, Duration::ZERO),
            ponder: true,
        }))]
    }

    /// It may be our turn, after that move of the opponent.
    pub(crate) fn begin_turn(&mut self, after: Option<Move>, now: Moment) -> Vec<Action> {
        let margin = self.game().map(|play| self.reserves(play).stop).unwrap_or_default();
        let Stage::Playing(play) = &mut self.stage else { return Vec::new() };
        if play.position.turn() != play.us {
            return Vec::new();
        }
        if play.may_declare() {
            play.search = None;
            let mut actions = vec![Action::Stop, Action::Note("the win is declared".to_owned())];
            actions.extend(self.say_special(Special::Declare, now));
            return actions;
        }
        if play.position.is_mated() {
            play.search = None;
            return self.say_special(Special::Resign, now);
        }
        let clocks = play.budget.clocks(play.us, margin, play.passed);
        if let Some(search) = &mut play.search
            && search.ponder.is_some()
            && search.ponder == after
        {
            search.ponder = None;
            return match play.early.take() {
                Some(best) => self.act(best, now),
                None => vec![Action::PonderHit(clocks)],
            };
        }
        self.ask(clocks)
    }

    fn ask(&mut self, clocks: Option<Clocks>) -> Vec<Action> {
        let Stage::Playing(play) = &mut self.stage else { return Vec::new() };
        self.search_id += 1;
        play.search = Some(PendingSearch { id: self.search_id, ponder: None, stopped: false });
        play.report = Info::default();
        play.early = None;
        vec![Action::Think(Box::new(SearchRequest {
            id: self.search_id,
            position: play.position.clone(),
            clocks,
            ponder: false,
        }))]
    }

    fn say_special(&mut self, special: Special, now: Moment) -> Vec<Action> {
        self.send(&ClientLine::Special { special, comment: None }, now)
    }

    /// The engine said something.
    pub(crate) fn engine(&mut self, event: PlayerEvent, now: Moment) -> Vec<Action> {
        match event {
            PlayerEvent::Note(text) => vec![Action::Note(text)],
            PlayerEvent::Ready => self.ready(now),
            PlayerEvent::Report(id, info) => {
                let tells = info.multipv.is_none_or(|rank| rank == 1)
                    && (info.score.is_some() || !info.pv.is_empty());
                if let Stage::Playing(play) = &mut self.stage
                    && tells
                    && play.search.is_some_and(|search| search.id == id)
                {
                    play.report = info;
                }
                Vec::new()
            }
            PlayerEvent::Best(id, best) => {
                let Stage::Playing(play) = &mut self.stage else { return Vec::new() };
                match play.search {
                    Some(search) if search.id == id && search.ponder.is_none() => {
                        self.act(best, now)
                    }
                    Some(search) if search.id == id => {
                        play.early = Some(best);
                        Vec::new()
                    }
                    _ => Vec::new(),
                }
            }
            PlayerEvent::Failed(why) => self.failed(why, now),
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
            Stage::Playing(play) if play.is_our_move() && play.search.is_none() => {
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
                    play.search = None;
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

    pub(crate) fn play_fallback(&mut self, now: Moment) -> Vec<Action> {
        // The way to the server has taken two thirds of the margin at worst.
        let way = self.margin.now() * 2 / 3;
        let Stage::Playing(play) = &mut self.stage else { return Vec::new() };
        play.search = None;
        let left = play.end_of_time().map_or(FALLBACK, |end| end.saturating_sub(now + way));
        match fallback(&play.position, &play.report, left.min(FALLBACK)) {
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
    fn act(&mut self, best: Best, now: Moment) -> Vec<Action> {
        let Stage::Playing(play) = &mut self.stage else { return Vec::new() };
        // By the try rule a win is not declared but played.
        if best.answer == Answer::Win
            && let Some(m) = play.try_move()
        {
            return self.send_move(m, None, now);
        }
        match best.answer {
            Answer::Move(m) if play.position.is_legal(m) => self.send_move(m, best.ponder, now),
            Answer::Resign => {
                play.search = None;
                self.say_special(Special::Resign, now)
            }
            Answer::Win if play.may_declare() => {
                play.search = None;
                self.say_special(Special::Declare, now)
            }
            Answer::Move(_) | Answer::Win => {
                let wrong = match best.answer {
                    Answer::Win => "declares a win that it does not have",
                    _ => "answers with an illegal move",
                };
                let mut actions = vec![Action::Note(format!("the engine {wrong}"))];
                actions.extend(self.play_fallback(now));
                actions
            }
        }
    }

    fn send_move(&mut self, m: Move, ponder: Option<Move>, now: Moment) -> Vec<Action> {
        let comments = self.settings.comments;
        let Stage::Playing(play) = &mut self.stage else { return Vec::new() };
        let text = wire::write_move(&play.position, m);
        let comment = if comments { play.comment(m) } else { None };
        play.search = None;
        play.expected = ponder;
        play.sent = Some((now, comment.clone()));
        self.send(&ClientLine::Move { text, comment }, now)
    }
}
