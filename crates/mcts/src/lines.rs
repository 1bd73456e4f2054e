//! What the tree says: the moves of the root in order, the line after each, the move to play.

use crate::arena::Index;
use crate::bounds::{Bounds, GameValue};
use crate::constants::Constants;
use crate::node::{ONE, Stats};
use crate::search::Search;
use crate::tree::Tree;
use rules::{Move, Position, Variant};
use std::cmp::Reverse;
use think::{Score, Wdl};

/// A move of the root and what is known about it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Line {
    pub(crate) mv: Move,
    pub(crate) prior: f32,
    /// Where it leads; 0 if it was never visited.
    pub(crate) child: Index,
    pub(crate) stats: Stats,
    /// Of the position it leads to.
    pub(crate) bounds: Bounds,
    /// What it is worth to the side to move, from 0 to 1, if it was visited.
    pub(crate) value: Option<f64>,
}

/// Longest line told, in plies.
const LONGEST: usize = 64;

/// How moves are put in order: wins, the shortest first; then by visits; losses, the longest first.
fn order(line: &Line) -> impl Ord + use<> {
    let (class, plies) = match line.bounds.outcome() {
        Some(GameValue::Loss) => (2, -i32::from(line.bounds.plies)),
        Some(GameValue::Win) => (0, i32::from(line.bounds.plies)),
        _ => (1, 0),
    };
    // Floats between 0 and 1 are ordered as their bits are.
    let value = line.value.unwrap_or(0.0).max(0.0).to_bits();
    Reverse((class, plies, line.stats.visits, value, line.prior.to_bits()))
}

impl Tree {
    /// The children of a node as lines, best first; moves never visited are not among them.
    fn ordered(&self, index: Index, draw: f32) -> Vec<Line> {
        let line = |(edge, child): (crate::edges::Edge, Index)| {
            let node = self.node(child);
            let (stats, bounds) = (node.stats(), node.bounds());
            let value = match bounds.outcome() {
                Some(outcome) => {
                    let (win, drawn) = outcome.reversed().chances();
                    Some(f64::from(win + drawn * draw))
                }
                None => stats.mean(f64::from(draw)),
            };
            Line { mv: edge.mv, prior: edge.prior, child, stats, bounds, value }
        };
        let mut lines: Vec<Line> = self.visited(index).into_iter().map(line).collect();
        lines.sort_by_key(order);
        lines
    }
}

impl<V: Variant> Search<V> {
    fn draw(&self, pos: &Position<V>) -> f32 {
        self.plan.draw_scores[pos.turn().index()]
    }

    /// The moves of the root, best first; all that are considered.
    pub(crate) fn lines(&self) -> Vec<Line> {
        // Nothing is recycled meanwhile.
        let _held = self.tree.arena.lock();
        let mut lines = self.tree.ordered(self.root, self.draw(&self.position));
        let node = self.tree.node(self.root);
        let asked = &self.plan.searchmoves;
        lines.retain(|line| asked.is_empty() || asked.contains(&line.mv));
        for edge in self.tree.edges(node) {
            let known = lines.iter().any(|line| line.mv == edge.mv);
            if !known && (asked.is_empty() || asked.contains(&edge.mv)) {
                lines.push(Line {
                    mv: edge.mv,
                    prior: edge.prior,
                    child: 0,
                    stats: Stats::default(),
                    bounds: Bounds::OPEN,
                    value: None,
                });
            }
        }
        lines.sort_by_key(order);
        lines
    }

    /// The line that begins with a move of the root.
    pub(crate) fn pv(&self, line: &Line) -> Vec<Move> {
        let _held = self.tree.arena.lock();
        let mut pos = self.position.clone();
        let mut moves = vec![line.mv];
        pos.play(line.mv);
        let mut index = line.child;
        while index != 0 && moves.len() < LONGEST {
            let Some(next) = self.tree.ordered(index, self.draw(&pos)).into_iter().next() else {
                break;
            };
            if next.stats.visits == 0 && next.bounds.outcome().is_none() {
                break;
            }
            moves.push(next.mv);
            pos.play(next.mv);
            index = next.child;
        }
        // What was proven without being read on: a mate on the spot.
        if index != 0 && self.tree.node(index).bounds().outcome() == Some(GameValue::Win) {
            moves.extend(mate::mate_in_three(&mut pos));
        }
        moves
    }

    /// The move to play among ordered lines: the first, or the one Gumbel's root or the confidence
    /// bound prefers.
    pub(crate) fn choice<'a>(&self, lines: &'a [Line], by_bound: bool) -> Option<&'a Line> {
        let first = lines.first()?;
        if first.bounds.outcome() == Some(GameValue::Loss) {
            return Some(first);
        }
        if let Some(gumbel) = self.known_policy().and_then(|policy| policy.gumbel.as_ref()) {
            let node = self.tree.node(self.root);
            let draw = self.draw(&self.position);
            let chosen = self.tree.choose_by_gumbel(node, gumbel, draw);
            return lines.iter().find(|line| Some(line.child) == chosen).or(Some(first));
        }
        if by_bound {
            by_lower_bound(lines, &self.plan.constants).or(Some(first))
        } else {
            Some(first)
        }
    }

    /// Chances of the side to move with a line, if it was visited.
    pub(crate) fn wdl(line: &Line) -> Option<Wdl> {
        let visits = line.stats.visits as f64 * ONE;
        match line.bounds.outcome() {
            Some(outcome) => {
                let (win, draw) = outcome.reversed().chances();
                Some(Wdl::new(f64::from(win), f64::from(draw)))
            }
            None => (visits > 0.0).then(|| {
                Wdl::new(line.stats.wins as f64 / visits, line.stats.draws as f64 / visits)
            }),
        }
    }

    /// What is told as the score of a line.
    pub(crate) fn score(&self, line: &Line, scale: f64) -> Score {
        let plies = u32::from(line.bounds.plies) + 1;
        match line.bounds.outcome() {
            Some(GameValue::Loss) => Score::Mate(Some(plies)),
            Some(GameValue::Win) => Score::Mated(Some(plies)),
            _ => Score::Cp(centipawns(line.value.unwrap_or(0.5), scale)),
        }
    }
}

/// A win rate as hundredths of a pawn.
pub(crate) fn centipawns(value: f64, scale: f64) -> i32 {
    play::score(value.clamp(1e-4, 1.0 - 1e-4), scale).round() as i32
}

/// The line whose value is surely the highest (KataGo's choice).
fn by_lower_bound<'a>(lines: &'a [Line], constants: &Constants) -> Option<&'a Line> {
    let most = lines.iter().map(|line| line.stats.visits).max()? as f64;
    let bound = |line: &Line| {
        let (n, mean) = (line.stats.visits as f64, line.value?);
        let square = line.stats.squares as f64 / ONE / n;
        let variance = (square - mean * mean).max(0.0) + 1.0 / (4.0 * n);
        Some(mean - constants.lcb_width * (variance / n).sqrt())
    };
    let open = |line: &&Line| {
        line.bounds.outcome().is_none() && line.stats.visits as f64 >= constants.lcb_share * most
    };
    let candidates = lines.iter().filter(open).filter_map(|line| Some((bound(line)?, line)));
    candidates.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, line)| line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Kind, Square};

    fn line(visits: u64, value: f64, bounds: Bounds) -> Line {
        let stats = Stats {
            visits,
            squares: (value * value * visits as f64 * ONE) as i64,
            ..Stats::default()
        };
        let mv = Move::drop(Kind::Pawn, Square::new(visits as usize % 81));
        Line { mv, prior: 0.1, child: 1, stats, bounds, value: Some(value) }
    }

    #[test]
    fn wins_come_first_and_losses_last() {
        let open = Bounds::OPEN;
        let mut lines = [
            line(5, 0.0, Bounds::win(3)),
            line(900, 0.4, open),
            line(9, 1.0, Bounds::loss(6)),
            line(6, 0.0, Bounds::win(9)),
            line(8, 1.0, Bounds::loss(2)),
            line(901, 0.3, open),
        ];
        lines.sort_by_key(order);
        let visits: Vec<u64> = lines.iter().map(|line| line.stats.visits).collect();
        assert_eq!(visits, [8, 9, 901, 900, 6, 5]);
    }

    #[test]
    fn the_bound_prefers_a_clearly_better_move_with_enough_visits() {
        let lines = [line(1000, 0.50, Bounds::OPEN), line(800, 0.60, Bounds::OPEN)];
        assert_eq!(by_lower_bound(&lines, &Constants::SHOGI).unwrap().stats.visits, 800);
        let lines = [line(1000, 0.50, Bounds::OPEN), line(100, 0.60, Bounds::OPEN)];
        assert_eq!(
            by_lower_bound(&lines, &Constants::SHOGI).unwrap().stats.visits,
            1000,
            "too few visits"
        );
    }

    #[test]
    fn scores_stay_finite() {
        assert_eq!(centipawns(0.5, 600.0), 0);
        assert!(centipawns(1.0, 600.0) < 6000 && centipawns(0.0, 600.0) > -6000);
    }
}
