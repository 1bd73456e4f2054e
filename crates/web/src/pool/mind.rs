//! What thinks: an engine of this program, or a process that speaks USI. Both are asked the same
//! way and block until they have answered or were told to stop.

use rules::{AnyPosition, Move};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use think::{Answer, Best, Clocks, Engine, Info, Limits, MateAnswer, Report, TimeSource};

type Hook = Box<dyn Fn() + Send>;

/// Tells one search to end, from any thread, once.
#[derive(Clone, Default)]
pub struct Stop(Arc<(AtomicBool, Mutex<Option<Hook>>)>);

impl Stop {
    /// Ends the search, now or as soon as it begins.
    pub fn fire(&self) {
        let hook = self.0.1.lock().unwrap_or_else(PoisonError::into_inner);
        self.0.0.store(true, Ordering::SeqCst);
        if let Some(hook) = &*hook {
            hook();
        }
    }

    /// Whether it was told to.
    pub fn is_fired(&self) -> bool {
        self.0.0.load(Ordering::SeqCst)
    }

    /// What to do when it is told to; done at once if it has been.
    pub fn on(&self, act: impl Fn() + Send + 'static) {
        let mut hook = self.0.1.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_fired() {
            act();
        }
        *hook = Some(Box::new(act));
    }
}

/// A question about a position.
#[derive(Clone, Debug)]
pub struct Question {
    /// The position with its history.
    pub position: AnyPosition,
    /// Lines wanted.
    pub lines: u32,
    /// What bounds it: whichever is met first.
    pub nodes: Option<u64>,
    /// Plies.
    pub depth: Option<u32>,
    /// Time from when it begins.
    pub time: Option<Duration>,
    /// The clocks of the game, where it is to manage its time by itself.
    pub clocks: Option<Clocks>,
    /// Options of our own engine for this question.
    pub options: Vec<(&'static str, String)>,
}

impl Question {
    /// A question without bounds.
    pub const fn new(position: AnyPosition) -> Self {
        Self {
            position,
            lines: 1,
            nodes: None,
            depth: None,
            time: None,
            clocks: None,
            options: Vec::new(),
        }
    }
}

/// Why there is no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Broken(pub String);

/// Something that thinks.
pub trait Mind: Send {
    /// Thinks with that many threads until it has an answer or is stopped; lines of thought go to
    /// `hear`.
    fn ask(
        &mut self,
        question: &Question,
        threads: usize,
        stop: &Stop,
        hear: &mut (dyn FnMut(&Info) + Send),
    ) -> Result<Answer, Broken>;
}

/// An engine of this program.
pub struct Own {
    engine: Box<dyn Engine>,
    time: Arc<dyn TimeSource>,
    set: Vec<(&'static str, String)>,
}

impl Own {
    /// An engine with a table of that many MiB.
    pub fn new(mut engine: Box<dyn Engine>, time: Arc<dyn TimeSource>, mib: usize) -> Self {
        // A house player has no network between itself and its clock, and shows every line.
        for (name, value) in [
            ("USI_Hash", mib.to_string()),
            ("NetworkDelay", "0".to_owned()),
            ("NetworkDelay2", "200".to_owned()),
            ("MinimumThinkingTime", "100".to_owned()),
            ("RoundUpToFullSecond", "false".to_owned()),
            ("PvInterval", "0".to_owned()),
        ] {
            // An engine without one of them does without.
            let _ = engine.set_option(name, &value);
        }
        engine.is_ready(&mut |_| ());
        Self { engine, time, set: Vec::new() }
    }

    fn set(&mut self, name: &'static str, value: &str) {
        if let Some(known) = self.set.iter_mut().find(|(n, _)| *n == name) {
            if known.1 == value {
                return;
            }
            value.clone_into(&mut known.1);
        } else {
            self.set.push((name, value.to_owned()));
        }
        let _ = self.engine.set_option(name, value);
    }
}

/// Hands lines of thought on while the search runs elsewhere.
struct Relay {
    to: std::sync::mpsc::Sender<Told>,
}

enum Told {
    Info(Info),
    Best(Answer),
}

impl Report for Relay {
    fn info(&mut self, info: &Info) {
        let _ = self.to.send(Told::Info(info.clone()));
    }

    fn note(&mut self, _: &str) {}

    fn best(&mut self, best: &Best) {
        let _ = self.to.send(Told::Best(best.answer));
    }

    fn mate(&mut self, _: &MateAnswer) {}
}

impl Mind for Own {
    fn ask(
        &mut self,
        question: &Question,
        threads: usize,
        stop: &Stop,
        hear: &mut (dyn FnMut(&Info) + Send),
    ) -> Result<Answer, Broken> {
        self.set("Threads", &threads.to_string());
        self.set("MultiPV", &question.lines.max(1).to_string());
        for (name, value) in &question.options {
            self.set(name, value);
        }
        self.engine
            .set_position(question.position.clone())
            .map_err(|wrong| Broken(wrong.to_string()))?;
        let limits = Limits {
            start: self.time.now(),
            clocks: question.clocks,
            depth: question.depth,
            nodes: question.nodes,
            movetime: question.time,
            ..Limits::default()
        };
        let (to, from) = std::sync::mpsc::channel();
        self.engine.go(limits, Box::new(Relay { to }));
        let control = self.engine.control();
        stop.on(move || control.stop());
        let mut answer = None;
        for told in from {
            match told {
                Told::Info(info) => hear(&info),
                Told::Best(best) => answer = Some(best),
            }
        }
        self.engine.wait();
        answer.ok_or_else(|| Broken("the engine ended without an answer".to_owned()))
    }
}

/// The latest lines of a search, by rank.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lines {
    lines: Vec<Info>,
    /// What was said last, whichever line it was about.
    pub latest: Info,
}

impl Lines {
    /// Takes note of what was said.
    pub fn hear(&mut self, info: &Info) {
        let keep = std::mem::take(&mut self.latest);
        self.latest = Info {
            depth: info.depth.or(keep.depth),
            seldepth: info.seldepth.or(keep.seldepth),
            nodes: info.nodes.or(keep.nodes),
            nps: info.nps.or(keep.nps),
            hashfull: info.hashfull.or(keep.hashfull),
            time: info.time.or(keep.time),
            ..Info::default()
        };
        if info.score.is_none() || info.pv.is_empty() {
            return;
        }
        let rank = info.multipv.unwrap_or(1).clamp(1, 600) as usize;
        if self.lines.len() < rank {
            self.lines.resize(rank, Info::default());
        }
        self.lines[rank - 1] = info.clone();
        // While the ranks of a depth come in one after another, a move may still stand at its old
        // rank too: the newer place counts.
        let first = info.pv.first();
        for (i, line) in self.lines.iter_mut().enumerate() {
            if i != rank - 1 && line.pv.first() == first {
                *line = Info::default();
            }
        }
    }

    /// The lines heard, the best first.
    pub fn ranked(&self) -> impl Iterator<Item = &Info> {
        self.lines.iter().filter(|line| !line.pv.is_empty())
    }

    /// First moves with their scores, the best first.
    pub fn moves(&self) -> Vec<(Move, think::Score)> {
        let first = |line: &Info| Some((*line.pv.first()?, line.score?.0));
        self.ranked().filter_map(first).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game;
    use think::{Bound, Score, WallTime};

    fn own(game: Game) -> Own {
        let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
        Own::new(assembly::engine(game, Arc::clone(&time)), time, 4)
    }

    #[test]
    fn our_engine_answers_with_lines() {
        let mut own = own(Game::Shogi);
        let mut question = Question::new(AnyPosition::startpos(Game::Shogi));
        question.nodes = Some(2000);
        question.lines = 3;
        let mut lines = Lines::default();
        let answer = own.ask(&question, 1, &Stop::default(), &mut |i| lines.hear(i)).unwrap();
        assert_eq!(lines.ranked().count(), 3);
        let best = lines.moves()[0].0;
        assert_eq!(answer, Answer::Move(best));
    }

    #[test]
    fn a_search_told_to_stop_stops_also_before_it_begins() {
        let mut own = own(Game::Minishogi);
        let question = Question::new(AnyPosition::startpos(Game::Minishogi));
        let stop = Stop::default();
        stop.fire();
        assert!(own.ask(&question, 1, &stop, &mut |_| ()).is_ok());
        let stop = Stop::default();
        let other = stop.clone();
        let heard = own.ask(&question, 1, &stop, &mut |_| other.fire());
        assert!(heard.is_ok() && stop.is_fired());
    }

    #[test]
    fn the_wrong_game_is_an_error() {
        let question = Question::new(AnyPosition::startpos(Game::Shogi));
        let asked = own(Game::Minishogi).ask(&question, 1, &Stop::default(), &mut |_| ());
        assert!(asked.is_err());
    }

    #[test]
    fn a_move_stands_at_one_rank() {
        let position = AnyPosition::startpos(Game::Shogi);
        let m = |text: &str| position.parse_usi(text).unwrap();
        let line = |rank, text: &str, cp| Info {
            multipv: Some(rank),
            score: Some((Score::Cp(cp), Bound::Exact)),
            pv: vec![m(text)],
            ..Info::default()
        };
        let mut lines = Lines::default();
        lines.hear(&line(1, "7g7f", 30));
        lines.hear(&line(2, "2g2f", 20));
        lines.hear(&line(1, "2g2f", 40));
        assert_eq!(lines.moves(), [(m("2g2f"), Score::Cp(40))]);
        lines.hear(&line(2, "7g7f", 25));
        assert_eq!(lines.moves()[1].0, m("7g7f"));
        lines.hear(&Info { nodes: Some(9), ..Info::default() });
        assert_eq!((lines.latest.nodes, lines.ranked().count()), (Some(9), 2));
    }
}
