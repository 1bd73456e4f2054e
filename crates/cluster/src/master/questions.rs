//! What children are asked, in which words, and what the interface is shown of it.

use super::Master;
use super::own_turn::Stage;
use crate::child::{Purpose, Task};
use crate::config::{Consult, Role};
use crate::deadline::{after_move, share, told};
use rules::Color;
use std::sync::Arc;
use std::time::Duration;
use usi::{Go, Info, MateTime, Reply};

/// Parts of the time for the first stage of a decision that may have a second.
const EXCHANGE: f64 = 0.45;
const BEFORE_ARBITER: f64 = 0.6;

impl Master {
    /// Whether the decision may have a second stage, so that the first has part of the time.
    pub(super) fn is_staged(&self) -> bool {
        let Some(search) = &self.search else { return false };
        let group = &self.config.groups[search.group];
        let several = search.voters.len() > 1;
        several && (group.consult == Consult::Exchange || group.arbiter.is_some())
    }

    /// The `go` of a task as of now; `None` if nobody wants the answer any more.
    pub(super) fn go_for(&self, task: &Task) -> Option<Go> {
        let reserve = self.reserve();
        if task.search == 0 {
            return Some(match task.purpose {
                Purpose::Predict => Go { infinite: true, ..Go::default() },
                _ => {
                    let position = task.line.position();
                    let at = (position.turn(), position.ply());
                    let times = self.times.map(|t| told(&t, at, Duration::ZERO, reserve));
                    Go { ponder: true, times: times.unwrap_or_default(), ..self.limits.clone() }
                }
            });
        }
        let search = self.search.as_ref().filter(|search| search.number == task.search)?;
        let used = search.elapsed(self.now);
        let left = search.deadline.map(|d| d.stop.saturating_sub(used));
        let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX).max(1);
        let group = &self.config.groups[search.group];
        let mut go = match &task.purpose {
            Purpose::Mate => {
                let left = left.map_or(MateTime::Infinite, |left| MateTime::Millis(millis(left)));
                Go { mate: Some(search.go.mate.unwrap_or(left)), ..Go::default() }
            }
            Purpose::Value(_) => {
                let each = search.voters.len().saturating_sub(1).clamp(1, 3) as f64;
                share(&search.go, search.deadline, EXCHANGE / each)
            }
            Purpose::Arbitrate(moves) => {
                let game = task.line.position().game();
                let moves = moves.iter().map(|m| m.usi(game)).collect();
                Go {
                    searchmoves: moves,
                    ..share(&search.go, search.deadline, 1.0 - BEFORE_ARBITER)
                }
            }
            _ if self.is_staged() => {
                let exchange = group.consult == Consult::Exchange;
                let part = if exchange { EXCHANGE } else { BEFORE_ARBITER };
                share(&search.go, search.deadline, part)
            }
            _ => Go { mate: None, ..search.go.clone() },
        };
        if let (Some(movetime), Some(left)) = (go.movetime, left) {
            go.movetime = Some(movetime.min(millis(left)));
        }
        if go.times.clocks().is_some() {
            let position = task.line.position();
            go.times = told(&go.times, (position.turn(), position.ply()), used, reserve);
        }
        go.ponder = search.pondering && matches!(task.purpose, Purpose::Think | Purpose::Ponder);
        Some(go)
    }

    /// Asks who has not been asked: at the beginning, and who joins later.
    pub(super) fn staff_search(&mut self) {
        let Some(search) = &self.search else { return };
        if search.stopping.is_some() {
            return;
        }
        let (number, line) = (search.number, Arc::clone(&search.line));
        let purpose = if search.pondering { Purpose::Ponder } else { Purpose::Think };
        let asked: Vec<usize> = match (&search.go.mate, &search.stage) {
            (Some(_), _) => Vec::new(),
            (None, Stage::Opinions) => {
                let guards = self.with_role(Role::Guard);
                search.voters.iter().copied().chain(guards).collect()
            }
            (None, _) => self.with_role(Role::Guard),
        };
        for index in asked {
            let voted = self.search.as_ref().is_some_and(|s| s.votes.contains_key(&index));
            if !voted && !self.children[index].works_for(number) {
                let task =
                    Task { purpose: purpose.clone(), line: Arc::clone(&line), search: number };
                self.assign(index, task);
            }
        }
        for index in self.with_role(Role::Mate) {
            let new = self.search.as_ref().is_some_and(|s| !s.asked_mate.contains(&index));
            if new && !self.children[index].works_for(number) {
                let task = Task { purpose: Purpose::Mate, line: Arc::clone(&line), search: number };
                if self.assign(index, task)
                    && let Some(search) = &mut self.search
                {
                    search.asked_mate.insert(index);
                }
            }
        }
    }

    /// A line of thought for the interface: that of the first who votes, with everybody's nodes.
    pub(super) fn show_line(&mut self, index: usize, info: &Info) {
        let Some(search) = &self.search else { return };
        let working = |i: &&usize| self.children[**i].works_for(search.number);
        if search.voters.iter().find(working) != Some(&index) {
            return;
        }
        let working = self.children.iter().flat_map(|child| &child.questions);
        let lines: Vec<&think::Info> = working
            .filter(|question| question.task.search == search.number)
            .filter_map(|question| question.lines.first())
            .collect();
        let sum = |count: &dyn Fn(&think::Info) -> Option<u64>| {
            Some(lines.iter().filter_map(|line| count(line)).sum()).filter(|&sum: &u64| sum > 0)
        };
        let time = u64::try_from(search.elapsed(self.now).as_millis()).unwrap_or(u64::MAX);
        let shown = Info {
            nodes: sum(&|line| line.nodes),
            nps: sum(&|line| line.nps),
            hashfull: lines.iter().filter_map(|line| line.hashfull).max(),
            time: Some(time),
            multipv: None,
            ..info.clone()
        };
        self.up(&Reply::Info(shown));
    }

    /// Remembers the clocks as they stand after our move.
    pub(super) fn remember_clocks(&mut self, go: &Go, turn: Color, used: Duration) {
        self.times = go.times.clocks().map(|_| after_move(&go.times, turn, used));
        self.limits =
            Go { nodes: go.nodes, depth: go.depth, movetime: go.movetime, ..Go::default() };
    }
}
