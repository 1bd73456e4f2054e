//! The root of a move: noise, forced playouts, Gumbel's root, and what a search teaches.

use crate::tree::{Link, ROOT, Tree};
use balance::Temperature;
use mcts::constants::{Constants, Exploration};
use mcts::{GameValue, completed_value, gumbel_number, mix_dirichlet, schedule};
use seed::Rng;

/// Candidates of a position add up to this.
const WHOLE: f32 = 10_000.0;

/// A share of the visits as it is written, and drawn by.
pub(crate) fn parts(share: f32) -> u16 {
    (share * WHOLE).round() as u16
}

/// The move that is played: drawn by its share with a temperature; at 0 the one with the greatest, to which small
/// temperatures tend.
pub(crate) fn drawn(shares: &[f32], temperature: Temperature, rng: &mut Rng) -> u16 {
    let parts: Vec<u32> = shares.iter().map(|&share| u32::from(parts(share))).collect();
    balance::choose(&parts, temperature, rng).unwrap_or(0) as u16
}

/// Mixes Dirichlet noise into the priors of the root.
pub(crate) fn add_noise(tree: &mut Tree, weight: f32, constants: &Constants, rng: &mut Rng) {
    let mut priors: Vec<f32> = tree.links(ROOT).iter().map(|link| link.prior).collect();
    let allowed = vec![true; priors.len()];
    mix_dirichlet(&mut priors, &allowed, weight, constants.concentration, rng);
    for (link, prior) in tree.root_links_mut().iter_mut().zip(priors) {
        link.prior = prior;
    }
}

/// A move that is owed a playout: one that was tried and has fewer than √(k·P·N) visits.
pub(crate) fn forced(tree: &Tree, k: f32) -> Option<u16> {
    let all = tree.node(ROOT).visits as f32;
    let owed = |link: &Link| {
        link.visits > 0 && !link.loses() && (link.visits as f32) < (k * link.prior * all).sqrt()
    };
    tree.links(ROOT).iter().position(owed).map(|number| number as u16)
}

/// The visits of the root's moves as a target: moves proven to lose are left out, a proven win is all
/// there is; forced playouts that PUCT would not have made are taken out again (Wu, 2019).
pub(crate) fn visit_target(tree: &Tree, k: f32, exploration: &Exploration) -> Vec<f32> {
    let links = tree.links(ROOT);
    if let Some(target) = proven_target(tree) {
        return target;
    }
    let mut visits: Vec<f32> =
        links.iter().map(|link| if link.loses() { 0.0 } else { link.visits as f32 }).collect();
    if visits.iter().all(|&visits| visits == 0.0) {
        visits = links.iter().map(|link| link.visits as f32).collect();
    }
    if k > 0.0 {
        take_out_forced(tree, k, exploration, &mut visits);
    }
    let sum: f32 = visits.iter().sum();
    visits.iter().map(|visits| visits / sum.max(1.0)).collect()
}

/// A proven win, by the shortest way: all there is to learn.
fn proven_target(tree: &Tree) -> Option<Vec<f32>> {
    let links = tree.links(ROOT);
    let wins = |link: &&Link| link.outcome == Some(GameValue::Loss);
    let shortest = links.iter().filter(wins).map(|link| tree.plies(link)).min()?;
    let number = links.iter().position(|link| wins(&link) && tree.plies(link) == shortest)?;
    Some((0..links.len()).map(|n| if n == number { 1.0 } else { 0.0 }).collect())
}

fn take_out_forced(tree: &Tree, k: f32, exploration: &Exploration, visits: &mut [f32]) {
    let links = tree.links(ROOT);
    let all = tree.node(ROOT).visits.saturating_sub(1) as f32;
    let scale = exploration.at(f64::from(all)) * all.sqrt();
    let worth = |link: &Link, visits: f32| {
        link.value().unwrap_or(0.0) + scale * link.prior / (1.0 + visits)
    };
    let Some(best) =
        (0..visits.len()).max_by(|&a, &b| visits[a].total_cmp(&visits[b]).then(b.cmp(&a)))
    else {
        return;
    };
    let wanted = worth(&links[best], visits[best]);
    for (number, link) in links.iter().enumerate() {
        if number == best || visits[number] == 0.0 {
            continue;
        }
        // So many at most were forced; PUCT would have stopped where the move is worth the best.
        let mut left = (k * link.prior * all).sqrt().floor();
        while left >= 1.0 && visits[number] >= 1.0 && worth(link, visits[number] - 1.0) < wanted {
            visits[number] -= 1.0;
            left -= 1.0;
        }
        if visits[number] <= 1.0 {
            visits[number] = 0.0;
        }
    }
}

/// Gumbel's root (Danihelka et al., 2022): some moves with the greatest g + logit, halved again and
/// again by g + logit + σ(q). It says where playouts go; what is played and learned is [`improved_policy`], in which
/// there is no g.
#[derive(Clone, Debug)]
pub(crate) struct Gumbel {
    /// g + logit of every move; nothing where it is not considered.
    scores: Vec<Option<f32>>,
    schedule: Vec<u32>,
    visits_ahead: f64,
}

impl Gumbel {
    /// A plan for so many playouts; g is 0 where there is nobody to draw it.
    pub(crate) fn new(
        tree: &Tree,
        considered: usize,
        playouts: u32,
        constants: &Constants,
        mut rng: Option<&mut Rng>,
    ) -> Self {
        let mut noise = || rng.as_deref_mut().map_or(0.0, gumbel_number);
        let mut scores: Vec<Option<f32>> =
            tree.links(ROOT).iter().map(|link| Some(logit(link) + noise())).collect();
        let mut order: Vec<usize> = (0..scores.len()).collect();
        order.sort_by(|&a, &b| scores[b].partial_cmp(&scores[a]).unwrap_or(a.cmp(&b)));
        for &left_out in order.iter().skip(considered) {
            scores[left_out] = None;
        }
        let schedule = schedule(considered.min(scores.len()), playouts as usize);
        Self { scores, schedule, visits_ahead: constants.gumbel_visits }
    }

    /// The move of the next playout.
    pub(crate) fn select(&self, tree: &Tree) -> Option<u16> {
        let links = tree.links(ROOT);
        let considered = || (0..links.len()).filter(|&n| self.scores[n].is_some());
        let playout: u32 = considered().map(|n| links[n].visits).sum();
        let due = self.schedule.get(playout as usize).or(self.schedule.last()).copied();
        let values = judged(tree, self.visits_ahead);
        // g + logit + σ(q).
        let worth = |n: usize| f64::from(self.scores[n].unwrap_or(f32::NEG_INFINITY)) + values[n];
        let best = |due: Option<u32>| {
            considered()
                .filter(|&n| due.is_none_or(|due| links[n].visits == due))
                .max_by(|&a, &b| worth(a).total_cmp(&worth(b)).then(b.cmp(&a)))
        };
        best(due).or_else(|| best(None)).map(|number| number as u16)
    }
}

/// What a search at Gumbel's root would have the net say: the softmax of (logit + σ(q)) / temperature. Moves proven to
/// lose are left out, a proven win is all there is.
pub(crate) fn improved_policy(tree: &Tree, constants: &Constants, temperature: f32) -> Vec<f32> {
    if let Some(target) = proven_target(tree) {
        return target;
    }
    let links = tree.links(ROOT);
    let is_lost = links.iter().all(Link::loses);
    let values = judged(tree, constants.gumbel_visits);
    let worths: Vec<f64> = (links.iter().zip(values))
        .map(|(link, value)| match link.loses() && !is_lost {
            true => f64::NEG_INFINITY,
            false => f64::from(logit(link)) + value,
        })
        .collect();
    let most = worths.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weight = |worth: &f64| ((worth - most) / f64::from(temperature)).exp();
    let weights: Vec<f64> = worths.iter().map(weight).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| (weight / sum) as f32).collect()
}

fn logit(link: &Link) -> f32 {
    link.prior.max(f32::MIN_POSITIVE).ln()
}

/// σ(q) of every move of the root, q completed where it was never visited.
fn judged(tree: &Tree, visits_ahead: f64) -> Vec<f64> {
    let links = tree.links(ROOT);
    let most = links.iter().map(|link| link.visits).max().unwrap_or(0);
    let value = |link: &Link| link.value().map(f64::from);
    let visited = links
        .iter()
        .filter_map(|link| Some((f64::from(link.prior), f64::from(link.visits), value(link)?)));
    let completed = completed_value(f64::from(tree.value(ROOT)), visited);
    let scale = visits_ahead + f64::from(most);
    links.iter().map(|link| scale * value(link).unwrap_or(completed)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mcts::Edge;
    use rules::{Kind, Move, Square};

    /// A root whose moves have these priors and values, after so many playouts by `select`.
    fn searched(
        moves: &[(f32, f32)],
        playouts: usize,
        select: impl Fn(&Tree) -> Option<u16>,
    ) -> Tree {
        let mv = |at| Move::drop(Kind::Gold, Square::new(at));
        let edges: Vec<Edge> =
            (0..moves.len()).map(|at| Edge { mv: mv(at), prior: moves[at].0 }).collect();
        let mut tree = Tree::default();
        tree.clear();
        tree.open(ROOT, &edges);
        tree.back_up(&[], ROOT, 0.5);
        for _ in 0..playouts {
            let number = select(&tree).unwrap();
            let leaf = tree.follow(ROOT, number);
            tree.back_up(&[(ROOT, number)], leaf, 1.0 - moves[usize::from(number)].1);
        }
        tree
    }

    const MOVES: [(f32, f32); 4] = [(0.55, 0.6), (0.25, 0.4), (0.15, 0.1), (0.05, 0.05)];

    #[test]
    fn forced_playouts_are_made_and_taken_out_again() {
        let exploration = Constants::LC0.root;
        let plain = |tree: &Tree| tree.select_at_root(&exploration);
        let with = |tree: &Tree| forced(tree, 2.0).or_else(|| plain(tree));
        let (without, forced) = (searched(&MOVES, 200, plain), searched(&MOVES, 200, with));
        let visits =
            |tree: &Tree| tree.links(ROOT).iter().map(|link| link.visits).collect::<Vec<_>>();
        let (few, many) = (visits(&without), visits(&forced));
        assert!(many[2] > few[2] && many[2] >= 7, "{few:?} {many:?}");
        let target = visit_target(&forced, 2.0, &exploration);
        let plain_target = visit_target(&without, 0.0, &exploration);
        assert!(target[2] < many[2] as f32 / 200.0, "{target:?}");
        assert!((target[0] - plain_target[0]).abs() < 0.1, "{target:?} {plain_target:?}");
        assert!((target.iter().sum::<f32>() - 1.0).abs() < 1e-5);
    }

    #[test]
    fn gumbel_halves_and_teaches_better_moves() {
        for seed in 0..20 {
            let moves = [(0.4, 0.3), (0.3, 0.8), (0.2, 0.3), (0.1, 0.3)];
            let start = searched(&moves, 0, |_| None);
            let constants = Constants::LC0;
            let gumbel = Gumbel::new(&start, 4, 16, &constants, Some(&mut Rng::new(seed)));
            let tree = searched(&moves, 16, |tree| gumbel.select(tree));
            let visits: Vec<u32> = tree.links(ROOT).iter().map(|link| link.visits).collect();
            assert_eq!(visits.iter().sum::<u32>(), 16);
            assert!(visits.iter().all(|&visits| visits >= 2), "{visits:?}");
            let target = improved_policy(&tree, &constants, 1.0);
            assert!(target[1] > 0.9 && (target.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            let flat = improved_policy(&tree, &constants, 4.0);
            for n in [0, 2, 3] {
                let (sharp, flat) = ((target[1] / target[n]).ln(), (flat[1] / flat[n]).ln());
                assert!((sharp / flat - 4.0).abs() < 0.01, "{sharp} {flat}");
            }
            let two = Gumbel::new(&start, 2, 8, &constants, Some(&mut Rng::new(seed)));
            assert_eq!(two.scores.iter().flatten().count(), 2);
        }
    }

    /// At temperature 0 there is no chance in the choice, and small temperatures tend to it.
    #[test]
    fn the_choice_at_gumbels_root_tends_to_that_of_temperature_zero() {
        let constants = Constants::LC0;
        let moves = [(0.4, 0.52), (0.3, 0.55), (0.2, 0.5), (0.1, 0.5)];
        let start = searched(&moves, 0, |_| None);
        let mut chosen = std::collections::BTreeSet::new();
        for seed in 0..20 {
            let gumbel = Gumbel::new(&start, 3, 16, &constants, Some(&mut Rng::new(seed)));
            let tree = searched(&moves, 16, |tree| gumbel.select(tree));
            let policy = improved_policy(&tree, &constants, 1.0);
            let cold = drawn(&policy, Temperature::ZERO, &mut Rng::new(seed));
            chosen.insert(cold);
            // The share of draws that are not the one of temperature 0.
            let others = |thousandths| {
                let rng = &mut Rng::new(seed);
                let temperature = Temperature::from_thousandths(thousandths);
                (0..200).filter(|_| drawn(&policy, temperature, rng) != cold).count()
            };
            let falling = [1000, 300, 100, 10, 1].map(others);
            assert!(falling.is_sorted_by(|hot, cool| hot >= cool), "{falling:?}");
            assert!(falling[0] > 0 && falling[4] == 0, "{falling:?}");
        }
        // Which moves are looked at is drawn where somebody draws; without, everything follows from the position.
        assert!(chosen.len() > 1, "{chosen:?}");
        let still = || Gumbel::new(&start, 3, 16, &constants, None);
        assert_eq!(still().scores, still().scores);
        let kept: Vec<bool> = still().scores.iter().map(Option::is_some).collect();
        assert_eq!(kept, [true, true, true, false], "the likeliest");
    }

    #[test]
    fn moves_proven_to_lose_are_not_taught() {
        let moves = [(0.9, 0.02), (0.1, 0.02)];
        let mut tree = searched(&moves, 0, |_| None);
        let first = tree.follow(ROOT, 0);
        tree.prove(&[(ROOT, 0)], first, mcts::Bounds::win(3));
        tree.back_up(&[(ROOT, 0)], first, 1.0);
        assert_eq!(improved_policy(&tree, &Constants::LC0, 1.0), [0.0, 1.0]);
        let second = tree.follow(ROOT, 1);
        tree.prove(&[(ROOT, 1)], second, mcts::Bounds::win(3));
        tree.back_up(&[(ROOT, 1)], second, 1.0);
        let lost = improved_policy(&tree, &Constants::LC0, 1.0);
        assert!((lost[0] - 0.9).abs() < 1e-5, "{lost:?}");
    }
}
