//! The ratings under which results are likeliest.

use crate::group::{main_group, within};
use crate::matrix::Matrix;
use crate::results::Results;

/// Elo points of one unit of the natural scale: 400 / ln 10.
const SCALE: f64 = 173.717_792_761_300_73;

/// Steps of Newton's method; a dozen are usual.
const MOST_STEPS: usize = 200;

/// The longest step, in units of the natural scale: further away the second derivatives of where
/// it began say nothing.
const LONGEST: f64 = 2.0;

/// Largest group that is solved by matrices: their cost grows with the cube of its size.
const LARGEST_EXACT: usize = 400;

/// What ratings are to be.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Terms {
    /// Weighted games a player needs.
    pub least_games: f64,
    /// A player whose rating is given; else their mean is 0.
    pub anchor: Option<(usize, f64)>,
}

/// A player's rating.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rating {
    pub elo: f64,
    /// Standard error against the mean, or against the anchor.
    pub error: f64,
}

/// Ratings of players that can be compared.
#[derive(Clone, PartialEq, Debug)]
pub struct Fit {
    group: Vec<usize>,
    /// By place in the group.
    elo: Vec<f64>,
    covariance: Covariance,
    anchor: Option<usize>,
}

/// How ratings scatter, in Elo.
#[derive(Clone, PartialEq, Debug)]
enum Covariance {
    /// Of all with all.
    Exact(Matrix),
    /// Of each by itself, in groups too large for more.
    Alone(Vec<f64>),
}

impl Covariance {
    fn get(&self, a: usize, b: usize) -> f64 {
        match self {
            Self::Exact(matrix) => matrix.get(a, b),
            Self::Alone(variances) if a == b => variances[a],
            Self::Alone(_) => 0.0,
        }
    }
}

impl Fit {
    /// The ratings; `None` if no two players can be compared, or none with the anchor.
    pub fn new(results: &Results, terms: Terms) -> Option<Self> {
        let group = main_group(results, terms.least_games);
        let anchor = match terms.anchor {
            None => None,
            Some((player, _)) => Some(group.binary_search(&player).ok()?),
        };
        if group.len() < 2 {
            return None;
        }
        let problem = Problem::new(results, &group);
        let (strengths, covariance) = if group.len() <= LARGEST_EXACT {
            let strengths = problem.solve()?;
            let covariance = Covariance::Exact(problem.covariance(&strengths)?);
            (strengths, covariance)
        } else {
            let strengths = problem.solve_in_turn()?;
            let variances = problem.variances(&strengths);
            (strengths, Covariance::Alone(variances))
        };
        let mut elo: Vec<f64> = strengths.iter().map(|s| s * SCALE).collect();
        let zero = match (anchor, terms.anchor) {
            (Some(index), Some((_, given))) => elo[index] - given,
            _ => elo.iter().sum::<f64>() / elo.len() as f64,
        };
        elo.iter_mut().for_each(|e| *e -= zero);
        Some(Self { group, elo, covariance, anchor })
    }

    /// A player's rating; `None` if it cannot be compared with the others.
    pub fn rating(&self, player: usize) -> Option<Rating> {
        let index = self.group.binary_search(&player).ok()?;
        let error = match self.anchor {
            Some(anchor) => self.spread(index, anchor),
            None => self.covariance.get(index, index).max(0.0).sqrt(),
        };
        Some(Rating { elo: self.elo[index], error })
    }

    /// How far one player is above another, with its standard error.
    pub fn difference(&self, a: usize, b: usize) -> Option<Rating> {
        let a = self.group.binary_search(&a).ok()?;
        let b = self.group.binary_search(&b).ok()?;
        Some(Rating { elo: self.elo[a] - self.elo[b], error: self.spread(a, b) })
    }

    fn spread(&self, a: usize, b: usize) -> f64 {
        let c = |i, j| self.covariance.get(i, j);
        (c(a, a) + c(b, b) - 2.0 * c(a, b)).max(0.0).sqrt()
    }
}

/// Meetings by places in the group.
struct Problem<'a> {
    size: usize,
    meetings: Vec<(usize, usize, &'a crate::results::Meeting)>,
}

fn expected(difference: f64) -> f64 {
    1.0 / (1.0 + (-difference).exp())
}

impl<'a> Problem<'a> {
    fn new(results: &'a Results, group: &'a [usize]) -> Self {
        let place = |player: usize| group.binary_search(&player).unwrap_or_default();
        let meetings =
            within(results, group).map(|((a, b), meeting)| (place(a), place(b), meeting));
        Self { size: group.len(), meetings: meetings.collect() }
    }

    fn likelihood(&self, strengths: &[f64]) -> f64 {
        let each = self.meetings.iter().map(|&(a, b, meeting)| {
            let difference = strengths[a] - strengths[b];
            // Logarithms of both shares, without losing the small one.
            let (win, loss) = (-(-difference).exp().ln_1p(), -difference.exp().ln_1p());
            meeting.points * win + (meeting.games - meeting.points) * loss
        });
        each.sum()
    }

    /// Newton's method, its steps shortened until they help.
    fn solve(&self) -> Option<Vec<f64>> {
        let mut strengths = vec![0.0; self.size];
        let mut likelihood = self.likelihood(&strengths);
        for _ in 0..MOST_STEPS {
            let mut slope = vec![0.0; self.size];
            for &(a, b, meeting) in &self.meetings {
                let surprise =
                    meeting.points - meeting.games * expected(strengths[a] - strengths[b]);
                slope[a] += surprise;
                slope[b] -= surprise;
            }
            let inverse = self.curvature(&strengths).inverse()?;
            let step: Vec<f64> = (0..self.size)
                .map(|i| (0..self.size).map(|j| inverse.get(i, j) * slope[j]).sum())
                .collect();
            let longest = step.iter().fold(0.0f64, |most, s: &f64| most.max(s.abs()));
            if longest < 1e-10 {
                break;
            }
            let mut share = (LONGEST / longest).min(1.0);
            let mut moved: Vec<f64>;
            loop {
                moved = strengths.iter().zip(&step).map(|(s, d)| s + share * d).collect();
                let now = self.likelihood(&moved);
                if now >= likelihood || share < 1e-6 {
                    likelihood = now;
                    break;
                }
                share /= 2.0;
            }
            strengths = moved;
        }
        strengths.iter().all(|s| s.is_finite()).then_some(strengths)
    }

    /// Newton's step for each in turn until none moves: many quick rounds instead of few slow ones.
    fn solve_in_turn(&self) -> Option<Vec<f64>> {
        let mut by_player = vec![Vec::new(); self.size];
        for &(a, b, meeting) in &self.meetings {
            by_player[a].push((b, meeting.points, meeting.games));
            by_player[b].push((a, meeting.games - meeting.points, meeting.games));
        }
        let mut strengths = vec![0.0f64; self.size];
        for _ in 0..10_000 {
            let mut longest = 0.0f64;
            for (player, opponents) in by_player.iter().enumerate() {
                let (mut slope, mut curve) = (0.0, 0.0);
                for &(other, points, games) in opponents {
                    let p = expected(strengths[player] - strengths[other]);
                    slope += points - games * p;
                    curve += games * p * (1.0 - p);
                }
                let step = (slope / curve.max(1e-12)).clamp(-1.0, 1.0);
                strengths[player] += step;
                longest = longest.max(step.abs());
            }
            if longest < 1e-9 {
                break;
            }
        }
        strengths.iter().all(|s| s.is_finite()).then_some(strengths)
    }

    /// The diagonal of the covariance, as if everybody else's rating were known.
    fn variances(&self, strengths: &[f64]) -> Vec<f64> {
        let (mut curve, mut scatter) = (vec![0.0; self.size], vec![0.0; self.size]);
        for &(a, b, meeting) in &self.meetings {
            let p = expected(strengths[a] - strengths[b]);
            for player in [a, b] {
                curve[player] += meeting.games * p * (1.0 - p);
                scatter[player] += meeting.scatter(p);
            }
        }
        let variance = |(curve, scatter): (&f64, &f64)| scatter * (SCALE / curve).powi(2);
        curve.iter().zip(&scatter).map(variance).collect()
    }

    /// Minus the second derivatives; the mean of all, which no result tells, is held fast.
    fn curvature(&self, strengths: &[f64]) -> Matrix {
        let mut matrix = Matrix::filled(self.size, 1.0 / self.size as f64);
        for &(a, b, meeting) in &self.meetings {
            let p = expected(strengths[a] - strengths[b]);
            matrix.tie(a, b, meeting.games * p * (1.0 - p));
        }
        matrix
    }

    /// Covariance of the ratings in Elo: curvature around the scatter of the observations ("the
    /// sandwich": Huber, 1967), which holds whatever the share of draws is and however the games
    /// of one observation hang together.
    fn covariance(&self, strengths: &[f64]) -> Option<Matrix> {
        let inverse = self.curvature(strengths).inverse()?;
        let mut scatter = Matrix::filled(self.size, 0.0);
        for &(a, b, meeting) in &self.meetings {
            let p = expected(strengths[a] - strengths[b]);
            scatter.tie(a, b, meeting.scatter(p) * SCALE * SCALE);
        }
        Some(inverse.times(&scatter).times(&inverse))
    }
}

#[cfg(test)]
mod tests;
