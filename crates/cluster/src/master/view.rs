//! How everything stands, for whoever looks on.

use super::Master;
use super::decision::value_of;
use crate::child::{Child, Purpose, State};
use crate::config::Role;
use std::time::Duration;

/// A master at one moment.
#[derive(Clone, PartialEq, Debug)]
pub struct View {
    pub name: String,
    /// The position that is thought or was last thought about, as a diagram, and its ply.
    pub diagram: String,
    pub ply: u32,
    /// What the master does, in words.
    pub doing: String,
    /// Since when, if it thinks about its move.
    pub elapsed: Option<Duration>,
    pub children: Vec<ChildView>,
    /// Likely replies, how likely each is, and which groups ponder on it.
    pub replies: Vec<(String, f64, Vec<String>)>,
}

/// A child at one moment.
#[derive(Clone, PartialEq, Debug)]
pub struct ChildView {
    pub name: String,
    pub role: &'static str,
    /// Loading, ready, started again …, in words.
    pub state: String,
    /// What it is asked, in words.
    pub doing: String,
    /// As it said.
    pub score: Option<String>,
    /// For the side to move where it thinks.
    pub win_rate: Option<f64>,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    pub nps: Option<u64>,
    /// The line it last told.
    pub pv: Vec<String>,
    /// What it may take to answer `stop`.
    pub slow: Duration,
}

impl Master {
    /// How everything stands.
    pub fn view(&self) -> View {
        let line = self.search.as_ref().map_or(&self.line, |search| &search.line);
        let doing = match (&self.search, &self.foresight) {
            (Some(search), _) if search.pondering => "pondering for the interface".to_owned(),
            (Some(search), _) => {
                let hit = if search.hit { ", foreseen" } else { "" };
                format!("thinking about our move{hit}")
            }
            (None, Some(_)) => "the opponent's turn".to_owned(),
            (None, None) => "nothing to do".to_owned(),
        };
        View {
            name: self.config.name.clone(),
            diagram: kifu::diagram(line.position()),
            ply: line.position().ply(),
            doing,
            elapsed: self.search.as_ref().map(|search| search.elapsed(self.now)),
            children: self.children.iter().map(|child| self.child_view(child)).collect(),
            replies: self.replies_view(),
        }
    }

    fn child_view(&self, child: &Child) -> ChildView {
        let question = child.questions.front();
        // Who has answered is still of the opinion.
        let vote =
            self.search.as_ref().and_then(|search| search.votes.get(&child.incarnation.child));
        let line = question.and_then(|question| question.lines.first());
        let info = line.or_else(|| vote.and_then(|vote| vote.info.as_ref()));
        let score = question.and_then(|question| question.score.clone());
        let score = score.or_else(|| vote.and_then(|vote| vote.score.clone()));
        let value = info.and_then(|info| value_of(child, info));
        ChildView {
            name: child.config.name.clone(),
            role: child.role().name(),
            state: self.state_in_words(child),
            doing: self.task_in_words(child, vote.is_some()),
            score,
            win_rate: value,
            depth: info.and_then(|info| info.depth),
            nodes: info.and_then(|info| info.nodes),
            nps: info.and_then(|info| info.nps),
            pv: info
                .map(|info| info.pv.iter().map(|m| m.usi(self.game)).collect())
                .unwrap_or_default(),
            slow: child.delays.slow_end(),
        }
    }

    fn state_in_words(&self, child: &Child) -> String {
        match child.state {
            State::Down { until } => {
                format!("starts in {} ms", until.saturating_sub(self.now).as_millis())
            }
            State::Starting { .. } => "starting".to_owned(),
            State::Introducing { .. } | State::Preparing { .. } => "loading".to_owned(),
            State::Ready => "ready".to_owned(),
            State::Out => "out for the rest of the game".to_owned(),
        }
    }

    fn task_in_words(&self, child: &Child, voted: bool) -> String {
        let Some(question) = child.questions.front() else {
            return if voted { "has answered".to_owned() } else { String::new() };
        };
        if question.stopped.is_some() {
            return "told to stop".to_owned();
        }
        let game = self.game;
        match &question.task.purpose {
            Purpose::Think => "thinks".to_owned(),
            Purpose::Predict => "predicts".to_owned(),
            Purpose::Mate => "looks for a mate".to_owned(),
            Purpose::Value(m) => format!("values {}", m.usi(game)),
            Purpose::Arbitrate(moves) => {
                let moves: Vec<String> = moves.iter().map(|m| m.usi(game)).collect();
                format!("decides between {}", moves.join(", "))
            }
            Purpose::Ponder => {
                let reply = question.task.line.line().rsplit(' ').next().unwrap_or_default();
                format!("ponders on {reply}")
            }
        }
    }

    fn replies_view(&self) -> Vec<(String, f64, Vec<String>)> {
        let Some(foresight) = &self.foresight else { return Vec::new() };
        let replies = foresight.replies().iter().map(|reply| {
            let groups =
                (0..self.groups.len()).filter(|&g| foresight.held_by(g) == Some(reply.reply));
            let names = groups.map(|group| self.config.groups[group].name.clone()).collect();
            (reply.reply.usi(self.game), reply.chance, names)
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
