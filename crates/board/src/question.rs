//! What an engine is asked, and the lines it has reported so far.

use alphabeta::options::{
    ANALYSIS_MODE, ENTERING_KING_RULE, MAX_MOVES_TO_DRAW, MINIMUM_THINKING_TIME, NETWORK_DELAY,
    NETWORK_DELAY_2, PV_INTERVAL, ROOT_MATE_NODES, ROUND_UP_TO_FULL_SECOND,
};
use rules::{AnyPosition, Move};
use std::time::Duration;
use think::key::universal::HASH;
use think::{Clocks, Info};

/// What our own engine is set to before it is asked anything, with a table of that many MiB: there is no
/// network between it and its clock, and every line is shown.
pub fn own_options(mib: usize) -> Vec<(&'static str, String)> {
    vec![
        HASH.to(mib),
        NETWORK_DELAY.to(0),
        NETWORK_DELAY_2.to(200),
        MINIMUM_THINKING_TIME.to(100),
        ROUND_UP_TO_FULL_SECOND.to(false),
        PV_INTERVAL.to(0),
    ]
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
    /// Options for this question, for engines that declare them. Every option that any question sets is among
    /// them: an engine that answered another question before must not answer by its options.
    options: Vec<(&'static str, String)>,
}

impl Question {
    /// A question without bounds.
    pub fn new(position: AnyPosition) -> Self {
        let options = vec![
            ENTERING_KING_RULE.to_default(),
            MAX_MOVES_TO_DRAW.to_default(),
            ROOT_MATE_NODES.to_default(),
            ANALYSIS_MODE.to_default(),
        ];
        Self { position, lines: 1, nodes: None, depth: None, time: None, clocks: None, options }
    }

    /// A question about what a position is worth, however it was reached.
    pub fn analysis(position: AnyPosition) -> Self {
        let mut question = Self::new(position);
        question.set(ANALYSIS_MODE.to(true));
        question
    }

    /// Sets an option for this question.
    pub fn set(&mut self, (name, value): (&'static str, String)) {
        match self.options.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => debug_assert!(false, "{name} would stay set for later questions"),
        }
    }

    /// Sets several options.
    pub fn set_all(&mut self, options: Vec<(&'static str, String)>) {
        options.into_iter().for_each(|option| self.set(option));
    }

    /// All options of the question, those at their defaults too.
    pub fn options(&self) -> &[(&'static str, String)] {
        &self.options
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
    pub fn update(&mut self, info: &Info) {
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

    /// The lines reported, the best first.
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
    use think::{Bound, Score};

    #[test]
    fn a_move_stands_at_one_rank() {
        let position = AnyPosition::startpos(rules::Game::Shogi);
        let m = |text: &str| position.parse_usi(text).unwrap();
        let line = |rank, text: &str, cp| Info {
            multipv: Some(rank),
            score: Some((Score::Cp(cp), Bound::Exact)),
            pv: vec![m(text)],
            ..Info::default()
        };
        let mut lines = Lines::default();
        lines.update(&line(1, "7g7f", 30));
        lines.update(&line(2, "2g2f", 20));
        lines.update(&line(1, "2g2f", 40));
        assert_eq!(lines.moves(), [(m("2g2f"), Score::Cp(40))]);
        lines.update(&line(2, "7g7f", 25));
        assert_eq!(lines.moves()[1].0, m("7g7f"));
        lines.update(&Info { nodes: Some(9), ..Info::default() });
        assert_eq!((lines.latest.nodes, lines.ranked().count()), (Some(9), 2));
    }
}
