//! The moves of the root: which are considered, and how likely they are taken to be.
//!
//! Noise is for self-play, so that games differ and every move is looked at now and then:
//! AlphaZero's Dirichlet noise, mixed into the priors once; dlshogi's, which lifts the prior of a
//! few moves in every playout. Gumbel's root (Danihelka et al., 2022) replaces the choice at the
//! root by sequential halving.

use crate::gumbel::Gumbel;
use seed::Rng;
use std::sync::atomic::{AtomicU64, Ordering};

/// How the root's priors are changed.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Noise {
    /// Weight of Dirichlet noise, from 0 to 1.
    pub(crate) dirichlet: f32,
    /// Sum of its parameters over all moves.
    pub(crate) concentration: f32,
    /// Chance that a playout sees a move with its prior half way to 1.
    pub(crate) lift: f32,
    /// Moves Gumbel's root considers; 0 for PUCT.
    pub(crate) gumbel: usize,
    /// What it adds to the most visits where it weighs a value.
    pub(crate) gumbel_visits: f64,
    pub(crate) seed: u64,
}

/// What playouts see at the root.
pub(crate) struct RootPolicy {
    priors: Vec<f32>,
    allowed: Vec<bool>,
    lift: f32,
    seed: u64,
    lifts: AtomicU64,
    pub(crate) gumbel: Option<Gumbel>,
}

impl RootPolicy {
    /// The policy of a root with these priors, of which some moves are considered; Gumbel's root is
    /// planned for so many playouts.
    pub(crate) fn new(
        mut priors: Vec<f32>,
        allowed: Vec<bool>,
        noise: &Noise,
        playouts: Option<u64>,
    ) -> Self {
        let mut rng = Rng::for_purpose(noise.seed, &[1]);
        if noise.dirichlet > 0.0 {
            mix_dirichlet(&mut priors, &allowed, noise.dirichlet, noise.concentration, &mut rng);
        }
        let gumbel = match playouts {
            Some(playouts) if noise.gumbel > 0 => {
                Some(Gumbel::new(&priors, &allowed, noise, playouts, &mut rng))
            }
            _ => None,
        };
        let lifts = AtomicU64::new(0);
        Self { priors, allowed, lift: noise.lift, seed: noise.seed, lifts, gumbel }
    }

    pub(crate) fn allows(&self, edge: usize) -> bool {
        self.allowed.get(edge).copied().unwrap_or(false)
    }

    /// How likely a move is taken to be.
    pub(crate) fn prior(&self, edge: usize) -> f32 {
        self.priors.get(edge).copied().unwrap_or(0.0)
    }

    /// The same as one playout sees it.
    pub(crate) fn playout_prior(&self, edge: usize) -> f32 {
        let prior = self.prior(edge);
        if self.lift > 0.0 {
            let number = self.lifts.fetch_add(1, Ordering::Relaxed);
            if (Rng::for_purpose(self.seed, &[2, number]).unit() as f32) < self.lift {
                return (prior + 1.0) / 2.0;
            }
        }
        prior
    }
}

/// Mixes Dirichlet noise into the priors of the moves that are allowed: its weight, and the sum of its
/// parameters over all of them.
pub fn mix_dirichlet(
    priors: &mut [f32],
    allowed: &[bool],
    weight: f32,
    concentration: f32,
    rng: &mut Rng,
) {
    let many = allowed.iter().filter(|&&allowed| allowed).count().max(1);
    let alpha = f64::from(concentration) / many as f64;
    let drawn: Vec<f64> =
        allowed.iter().map(|&allowed| if allowed { gamma(alpha, rng) } else { 0.0 }).collect();
    let sum: f64 = drawn.iter().sum();
    for (prior, drawn) in priors.iter_mut().zip(drawn) {
        let part = if sum > 0.0 { (drawn / sum) as f32 } else { 0.0 };
        *prior += weight * (part - *prior);
    }
}

/// A number of the gamma distribution (Marsaglia and Tsang, 2000).
fn gamma(alpha: f64, rng: &mut Rng) -> f64 {
    if alpha < 1.0 {
        let lift = rng.positive_unit().powf(1.0 / alpha.max(1e-6));
        return gamma(alpha + 1.0, rng) * lift;
    }
    let d = alpha - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let x = normal(rng);
        let v = (1.0 + c * x).powi(3);
        let u = rng.positive_unit();
        if v > 0.0 && u.ln() < 0.5 * x * x + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// A number of the normal distribution (Box and Muller).
fn normal(rng: &mut Rng) -> f64 {
    let radius = (-2.0 * rng.positive_unit().ln()).sqrt();
    radius * (std::f64::consts::TAU * rng.unit()).cos()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gamma_has_its_mean_and_variance() {
        for alpha in [0.15, 1.0, 4.0] {
            let mut rng = Rng::new(7);
            let drawn: Vec<f64> = (0..40_000).map(|_| gamma(alpha, &mut rng)).collect();
            let mean = drawn.iter().sum::<f64>() / drawn.len() as f64;
            let variance =
                drawn.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / drawn.len() as f64;
            assert!((mean - alpha).abs() < 0.05 * alpha + 0.01, "{alpha}: mean {mean}");
            assert!((variance - alpha).abs() < 0.1 * alpha + 0.02, "{alpha}: variance {variance}");
        }
    }

    #[test]
    fn dirichlet_noise_keeps_the_sum_and_leaves_out_what_is_not_allowed() {
        let noise = Noise { dirichlet: 0.25, concentration: 10.83, seed: 3, ..Noise::default() };
        let (priors, allowed) = (vec![0.7, 0.2, 0.1, 0.0], vec![true, true, true, false]);
        let policy = RootPolicy::new(priors.clone(), allowed.clone(), &noise, None);
        let sum: f32 = (0..4).map(|edge| policy.prior(edge)).sum();
        assert!((sum - 1.0).abs() < 1e-5, "{sum}");
        assert!(policy.prior(0) != 0.7 && policy.prior(0) >= 0.7 * 0.75);
        assert!(policy.prior(3) == 0.0 && !policy.allows(3) && !policy.allows(9));
        let again = RootPolicy::new(priors, allowed, &noise, None);
        assert_eq!(policy.prior(1), again.prior(1), "the same seed");
    }

    #[test]
    fn few_playouts_see_a_lifted_prior() {
        let noise = Noise { lift: 0.1, seed: 5, ..Noise::default() };
        let policy = RootPolicy::new(vec![0.2], vec![true], &noise, None);
        let seen: Vec<f32> = (0..10_000).map(|_| policy.playout_prior(0)).collect();
        let lifted = seen.iter().filter(|&&p| p == 0.6).count();
        assert!((800..1200).contains(&lifted), "{lifted}");
        assert!(seen.iter().all(|&p| p == 0.2 || p == 0.6));
    }
}
