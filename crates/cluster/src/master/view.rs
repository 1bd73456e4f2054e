//! How everything stands, for whoever looks on.

use super::Master;
use super::decision::value_of;
use crate::child::{Child, Purpose, Question, State};
use crate::config::Role;
use board::notation;
use board::watch_cluster::{
    ClusterChild, ClusterChildState, ClusterDoing, ClusterMoves, ClusterReply, ClusterTask,
    ClusterView,
};
use rules::{AnyPosition, Move};
use std::time::Duration;

/// Moves of a line that are shown.
const LONGEST_LINE: usize = 12;

/// Milliseconds, as they are written down.
fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Moves that could each be played in a position.
pub(crate) fn choices(position: &AnyPosition, moves: &[Move]) -> ClusterMoves {
    let mut all = ClusterMoves::default();
    for m in moves {
        let one = notation::line(position, None, &[*m]);
        all.usi.extend(one.usi);
        all.ja.extend(one.ja);
        all.en.extend(one.en);
    }
    all
}

impl Master {
    /// How everything stands; what was decided and what went wrong is in the log.
    pub fn view(&self) -> ClusterView {
        let line = self.search.as_ref().map_or(&self.line, |search| &search.line);
        let doing = match (&self.search, &self.foresight) {
            (Some(search), _) if search.pondering => ClusterDoing::Pondering,
            (Some(_), _) => ClusterDoing::Thinking,
            (None, Some(_)) => ClusterDoing::Waiting,
            (None, None) => ClusterDoing::Idle,
        };
        ClusterView {
            name: self.config.name.clone(),
            sfen: line.position().sfen(),
            ply: line.position().ply(),
            doing,
            foreseen: self.search.as_ref().is_some_and(|search| search.hit),
            elapsed: self.search.as_ref().map(|search| millis(search.elapsed(self.now))),
            children: self.children.iter().map(|child| self.child_view(child)).collect(),
            replies: self.replies_view(),
            decisions: Vec::new(),
            faults: Vec::new(),
        }
    }

    fn child_view(&self, child: &Child) -> ClusterChild {
        let question = child.questions.front();
        // Who has answered is still of the opinion.
        let search = self.search.as_ref();
        let vote = search.and_then(|search| search.votes.get(&child.incarnation.child));
        let told = question.and_then(|q| Some((q.lines.first()?, q.task.line.position())));
        let voted = || vote.and_then(|vote| Some((vote.info.as_ref()?, search?.line.position())));
        let told = told.or_else(voted);
        let info = told.map(|(info, _)| info);
        let line = told.map(|(info, position)| {
            let moves = &info.pv[..info.pv.len().min(LONGEST_LINE)];
            ClusterMoves::from(notation::line(position, None, moves))
        });
        let score = question.and_then(|question| question.score.clone());
        let (state, again) = self.state_of(child);
        let (task, about) = self.task_of(question, vote.is_some());
        ClusterChild {
            name: child.config.name.clone(),
            role: child.role().name().to_owned(),
            state,
            again,
            task,
            about,
            score: score.or_else(|| vote.and_then(|vote| vote.score.clone())),
            win_rate: info.and_then(|info| value_of(child, info)).filter(|rate| rate.is_finite()),
            depth: info.and_then(|info| info.depth),
            nodes: info.and_then(|info| info.nodes),
            nps: info.and_then(|info| info.nps),
            line: line.unwrap_or_default(),
            slow: millis(child.delays.slow_end()),
        }
    }

    fn state_of(&self, child: &Child) -> (ClusterChildState, Option<u64>) {
        match child.state {
            State::Down { until } => {
                (ClusterChildState::Down, Some(millis(until.saturating_sub(self.now))))
            }
            State::Starting { .. } => (ClusterChildState::Starting, None),
            State::Introducing { .. } | State::Preparing { .. } => {
                (ClusterChildState::Loading, None)
            }
            State::Ready => (ClusterChildState::Ready, None),
            State::Out => (ClusterChildState::Out, None),
        }
    }

    fn task_of(&self, question: Option<&Question>, voted: bool) -> (ClusterTask, ClusterMoves) {
        let nothing = ClusterMoves::default();
        let Some(question) = question else {
            let task = if voted { ClusterTask::Answered } else { ClusterTask::Nothing };
            return (task, nothing);
        };
        if question.stopped.is_some() {
            return (ClusterTask::Stopping, nothing);
        }
        let here = self.search.as_ref().map_or(&self.line, |search| &search.line).position();
        match &question.task.purpose {
            Purpose::Think => (ClusterTask::Thinks, nothing),
            Purpose::Predict => (ClusterTask::Predicts, nothing),
            Purpose::Mate => (ClusterTask::Mate, nothing),
            Purpose::Value(m) => (ClusterTask::Values, choices(here, &[*m])),
            Purpose::Arbitrate(moves) => (ClusterTask::Decides, choices(here, moves)),
            Purpose::Ponder => {
                let held = self.foresight.as_ref().and_then(|f| f.held_as(&question.task.line));
                let about = held.map(|(position, reply)| choices(position, &[reply]));
                (ClusterTask::Ponders, about.unwrap_or_default())
            }
        }
    }

    fn replies_view(&self) -> Vec<ClusterReply> {
        let Some(foresight) = &self.foresight else { return Vec::new() };
        let replies = foresight.replies().iter().map(|reply| {
            let groups =
                (0..self.groups.len()).filter(|&g| foresight.held_by(g) == Some(reply.reply));
            ClusterReply {
                reply: choices(foresight.position(), &[reply.reply]),
                chance: reply.chance,
                groups: groups.map(|group| self.config.groups[group].name.clone()).collect(),
            }
        });
        replies.collect()
    }
}

impl Role {
    /// As the file says it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Player => "player",
            Self::Guard => "guard",
            Self::Arbiter => "arbiter",
            Self::Predictor => "predictor",
            Self::Mate => "mate",
        }
    }
}
