//! Gumbel's root: a choice that gets better with any number of playouts, even a few (Danihelka,
//! Guez, Schrittwieser and Silver, 2022).
//!
//! Every move gets a number g at random; the m moves with the greatest g + logit are considered, and
//! halved again and again by g + logit + σ(q), where σ(q) = (c + most visits)·q with c = 50. What was never
//! visited is thought to be worth what the net and the visited moves say together.

use crate::arena::Index;
use crate::edges::Edge;
use crate::node::Node;
use crate::root::Noise;
use crate::select::Pick;
use crate::tree::Tree;
use seed::Rng;

/// The plan of one search.
pub(crate) struct Gumbel {
    /// g + logit of every move; nothing where it is not considered.
    scores: Vec<Option<f32>>,
    /// How often the move of each playout must have been visited before.
    schedule: Vec<u32>,
    /// What is added to the most visits where a value is weighed.
    visits_ahead: f64,
}

impl Gumbel {
    pub(crate) fn new(
        priors: &[f32],
        allowed: &[bool],
        noise: &Noise,
        playouts: u64,
        rng: &mut Rng,
    ) -> Self {
        let considered = noise.gumbel;
        let mut scores: Vec<Option<f32>> = priors
            .iter()
            .zip(allowed)
            .map(|(&prior, &allowed)| {
                let g = gumbel_number(rng);
                allowed.then(|| prior.max(f32::MIN_POSITIVE).ln() + g)
            })
            .collect();
        let mut order: Vec<usize> = (0..scores.len()).filter(|&i| scores[i].is_some()).collect();
        order.sort_by(|&a, &b| scores[b].partial_cmp(&scores[a]).unwrap_or(a.cmp(&b)));
        for &left_out in order.iter().skip(considered.max(1)) {
            scores[left_out] = None;
        }
        let considered = order.len().min(considered.max(1));
        let schedule = schedule(considered, playouts.min(1 << 20) as usize);
        Self { scores, schedule, visits_ahead: noise.gumbel_visits }
    }

    fn score(&self, number: usize) -> Option<f32> {
        self.scores.get(number).copied().flatten()
    }

    fn schedule(&self, playout: usize) -> u32 {
        self.schedule.get(playout).or(self.schedule.last()).copied().unwrap_or(0)
    }
}

/// A number of the Gumbel distribution.
pub fn gumbel_number(rng: &mut Rng) -> f32 {
    -(-rng.positive_unit().ln()).max(f64::MIN_POSITIVE).ln() as f32
}

/// What a move never visited is thought to be worth: what the node is worth by itself and what its
/// visited moves are (prior, visits and value of each), together.
pub fn completed_value(own: f64, visited: impl Iterator<Item = (f64, f64, f64)>) -> f64 {
    let (mut visits, mut weight, mut sum) = (0.0, 0.0, 0.0);
    for (prior, times, value) in visited {
        visits += times;
        weight += prior;
        sum += prior * value;
    }
    if weight > 0.0 { (own + visits * sum / weight) / (1.0 + visits) } else { own }
}

/// Sequential halving, as the number of visits that the move of each playout has had.
pub fn schedule(considered: usize, playouts: usize) -> Vec<u32> {
    if considered <= 1 {
        return (0..playouts as u32).collect();
    }
    let rounds = considered.next_power_of_two().trailing_zeros() as usize;
    let (mut sequence, mut visits) = (Vec::new(), vec![0; considered]);
    let mut left = considered;
    while sequence.len() < playouts {
        let each = (playouts / (rounds * left)).max(1);
        for _ in 0..each {
            sequence.extend_from_slice(&visits[..left]);
            visits[..left].iter_mut().for_each(|visits| *visits += 1);
        }
        left = (left / 2).max(2);
    }
    sequence.truncate(playouts);
    sequence
}

/// A move as Gumbel's root sees it.
struct Candidate {
    edge: Edge,
    number: usize,
    child: Index,
    visits: u64,
    score: f32,
    /// Value to the side to move, if it was visited.
    value: Option<f64>,
}

impl Tree {
    /// The moves of a node that have a score.
    fn candidates(
        &self,
        node: Node<'_>,
        score: impl Fn(usize, Edge) -> Option<f32>,
        draw: f32,
    ) -> Vec<Candidate> {
        let candidate = |(number, edge): (usize, Edge)| {
            let score = score(number, edge)?;
            let child = self.arena.child(node, number);
            let stats = if child == 0 { Default::default() } else { self.node(child).stats() };
            let value = stats.mean(f64::from(draw));
            let visits = stats.visits + stats.in_flight;
            Some(Candidate { edge, number, child, visits, score, value })
        };
        self.edges(node).enumerate().filter_map(candidate).collect()
    }

    /// What a search would have the net say of its root: the softmax of logit + σ(q) over all moves,
    /// in their order.
    pub(crate) fn improved_policy(&self, node: Node<'_>, draw: f32, visits_ahead: f64) -> Vec<f32> {
        let logit = |_, edge: Edge| Some(edge.prior.max(f32::MIN_POSITIVE).ln());
        let candidates = self.candidates(node, logit, draw);
        let worths = self.worths(node, &candidates, draw, visits_ahead);
        let most = worths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = worths.iter().map(|worth| (worth - most).exp()).collect();
        let sum: f64 = weights.iter().sum();
        weights.iter().map(|weight| (weight / sum) as f32).collect()
    }

    /// What a candidate is worth: g + logit + σ(q).
    fn worths(
        &self,
        node: Node<'_>,
        candidates: &[Candidate],
        draw: f32,
        visits_ahead: f64,
    ) -> Vec<f64> {
        let most = candidates.iter().map(|c| c.visits).max().unwrap_or(0) as f64;
        let own = 1.0 - node.stats().mean(1.0 - f64::from(draw)).unwrap_or(0.5);
        let visited = candidates
            .iter()
            .filter_map(|c| Some((f64::from(c.edge.prior), c.visits as f64, c.value?)));
        let mixed = completed_value(own, visited);
        let worth =
            |c: &Candidate| f64::from(c.score) + (visits_ahead + most) * c.value.unwrap_or(mixed);
        candidates.iter().map(worth).collect()
    }

    /// The move of the next playout.
    pub(crate) fn select_by_gumbel(
        &self,
        node: Node<'_>,
        gumbel: &Gumbel,
        draw: f32,
    ) -> Option<Pick> {
        let candidates = self.candidates(node, |number, _| gumbel.score(number), draw);
        let playout = candidates.iter().map(|c| c.visits).sum::<u64>() as usize;
        let due = u64::from(gumbel.schedule(playout));
        let worths = self.worths(node, &candidates, draw, gumbel.visits_ahead);
        let best = |due: Option<u64>| {
            let of = |&i: &usize| due.is_none_or(|due| candidates[i].visits == due);
            (0..candidates.len()).filter(of).max_by(|&a, &b| worths[a].total_cmp(&worths[b]))
        };
        let chosen = &candidates[best(Some(due)).or_else(|| best(None))?];
        Some(Pick { edge: chosen.edge, number: chosen.number, child: chosen.child })
    }

    /// The move chosen in the end: the best of those visited most.
    pub(crate) fn choose_by_gumbel(
        &self,
        node: Node<'_>,
        gumbel: &Gumbel,
        draw: f32,
    ) -> Option<Index> {
        let candidates = self.candidates(node, |number, _| gumbel.score(number), draw);
        let worths = self.worths(node, &candidates, draw, gumbel.visits_ahead);
        let most = candidates.iter().map(|c| c.visits).max()?;
        (0..candidates.len())
            .filter(|&i| candidates[i].visits == most && candidates[i].child != 0)
            .max_by(|&a, &b| worths[a].total_cmp(&worths[b]))
            .map(|i| candidates[i].child)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schedule_halves() {
        // Four moves, 16 playouts: two visits each, then four more for each of two.
        assert_eq!(schedule(4, 16), [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
        assert_eq!(schedule(1, 3), [0, 1, 2]);
        for (considered, playouts) in [(16, 16), (16, 200), (3, 10), (7, 1)] {
            assert_eq!(schedule(considered, playouts).len(), playouts);
        }
    }

    #[test]
    fn only_the_best_are_considered() {
        let priors = [0.6, 0.3, 0.06, 0.04];
        let allowed = [true, false, true, true];
        let mut seen = [0; 4];
        let noise = Noise { gumbel: 2, ..Noise::default() };
        for seed in 0..1000 {
            let gumbel = Gumbel::new(&priors, &allowed, &noise, 8, &mut Rng::new(seed));
            assert_eq!(gumbel.scores.iter().flatten().count(), 2);
            for (count, score) in seen.iter_mut().zip(&gumbel.scores) {
                *count += usize::from(score.is_some());
            }
        }
        assert!(seen[0] > 950 && seen[1] == 0 && seen[2] > seen[3] && seen[3] > 100, "{seen:?}");
    }
}
