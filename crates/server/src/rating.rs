//! Ratings by the model of Bradley and Terry, as floodgate has them, with their errors.
//!
//! The chance that A beats B is 1 / (1 + 10^((b − a) / 400)). Ratings are the most likely ones
//! given the results, of which older ones weigh less. They exist only for players who have both
//! won and lost within one connected group, and mean something only for enough games. Errors are
//! standard errors against the mean of the group, from the curvature of the likelihood.

use rules::Color;
use std::collections::{BTreeMap, HashMap};

/// The result of a game.
#[derive(Clone, PartialEq, Debug)]
pub struct Result {
    /// Black and White.
    pub names: [String; 2],
    /// Who won.
    pub winner: Option<Color>,
    /// Days since.
    pub age: f64,
}

/// How ratings are made.
#[derive(Clone, PartialEq, Debug)]
pub struct Method {
    /// Days during which a result weighs fully.
    pub fresh: f64,
    /// Days after which, from then on, it weighs half.
    pub half_life: f64,
    /// Days after which it weighs nothing.
    pub oldest: f64,
    /// Weighted games somebody must have played.
    pub games: f64,
    /// Somebody's rating that is fixed; otherwise the mean is 1500.
    pub anchor: Option<(String, f64)>,
}

impl Default for Method {
    fn default() -> Self {
        Self { fresh: 7.0, half_life: 60.0, oldest: 730.0, games: 15.0, anchor: None }
    }
}

impl Method {
    /// What a result of that age weighs.
    pub fn weight(&self, age: f64) -> f64 {
        if age > self.oldest {
            return 0.0;
        }
        (-std::f64::consts::LN_2 * (age - self.fresh).max(0.0) / self.half_life).exp()
    }
}

/// Somebody's rating.
#[derive(Clone, PartialEq, Debug)]
pub struct Rating {
    /// Who.
    pub name: String,
    /// How strong.
    pub rating: f64,
    /// Standard error.
    pub error: f64,
    /// Wins, draws and losses, unweighted, that count.
    pub games: [u32; 3],
}

/// Rating points per unit of the logistic model.
const SCALE: f64 = 400.0 / std::f64::consts::LN_10;

/// The mean without an anchor.
const MEAN: f64 = 1500.0;

/// Largest group whose errors are computed exactly.
const EXACT: usize = 400;

/// The ratings, best first.
pub fn rate(results: &[Result], method: &Method) -> Vec<Rating> {
    let mut names: Vec<&str> =
        results.iter().flat_map(|r| r.names.iter().map(String::as_str)).collect();
    names.sort_unstable();
    names.dedup();
    let index: HashMap<&str, usize> = names.iter().enumerate().map(|(i, n)| (*n, i)).collect();
    let mut table = Table::new(names.len());
    for result in results {
        let [black, white] = result.names.each_ref().map(|n| index[n.as_str()]);
        if black != white {
            table.add(black, white, result.winner, method.weight(result.age));
        }
    }
    let group = table.main_group(method.games);
    let values = table.solve(&group);
    let errors = table.errors(&group, &values);
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    let mut ratings: Vec<Rating> = group
        .iter()
        .zip(values.iter().zip(errors))
        .map(|(&who, (value, error))| Rating {
            name: names[who].to_owned(),
            rating: MEAN + (value - mean) * SCALE,
            error: error * SCALE,
            games: table.counts[who],
        })
        .collect();
    if let Some((name, fixed)) = &method.anchor
        && let Some(shift) = ratings.iter().find(|r| r.name == *name).map(|r| fixed - r.rating)
    {
        ratings.iter_mut().for_each(|r| r.rating += shift);
    }
    ratings.sort_by(|a, b| b.rating.total_cmp(&a.rating).then(a.name.cmp(&b.name)));
    ratings
}

/// Weighted points won against each other.
struct Table {
    /// By player: opponent and weight won, weight played.
    against: Vec<BTreeMap<usize, (f64, f64)>>,
    counts: Vec<[u32; 3]>,
}

impl Table {
    fn new(players: usize) -> Self {
        Self { against: vec![BTreeMap::new(); players], counts: vec![[0; 3]; players] }
    }

    fn add(&mut self, black: usize, white: usize, winner: Option<Color>, weight: f64) {
        if weight <= 0.0 {
            return;
        }
        let share = match winner {
            Some(Color::Black) => 1.0,
            None => 0.5,
            Some(Color::White) => 0.0,
        };
        for (who, other, share) in [(black, white, share), (white, black, 1.0 - share)] {
            let entry = self.against[who].entry(other).or_insert((0.0, 0.0));
            entry.0 += weight * share;
            entry.1 += weight;
            let column = if share > 0.9 {
                0
            } else if share > 0.4 {
                1
            } else {
                2
            };
            self.counts[who][column] += 1;
        }
    }

    /// The largest group in which everybody is linked to everybody by wins in both directions and
    /// has enough games.
    fn main_group(&self, games: f64) -> Vec<usize> {
        let mut alive: Vec<bool> = vec![true; self.against.len()];
        loop {
            let played = |who: usize| -> f64 {
                self.against[who].iter().filter(|(o, _)| alive[**o]).map(|(_, (_, n))| n).sum()
            };
            // A hair's breadth for weights that should add up to a whole.
            let enough: Vec<bool> =
                (0..alive.len()).map(|who| alive[who] && played(who) >= games - 1e-9).collect();
            let group = self.largest_circle(&enough);
            let next: Vec<bool> = (0..alive.len()).map(|who| group.contains(&who)).collect();
            if next == alive {
                return group;
            }
            alive = next;
        }
    }

    /// The largest strongly connected part of "has won something against".
    fn largest_circle(&self, alive: &[bool]) -> Vec<usize> {
        let reach = |from: usize, forwards: bool| -> Vec<bool> {
            let mut seen = vec![false; alive.len()];
            let mut stack = vec![from];
            seen[from] = true;
            while let Some(who) = stack.pop() {
                for (&other, &(won, played)) in &self.against[who] {
                    let linked = if forwards { won > 0.0 } else { played - won > 1e-12 };
                    if linked && alive[other] && !seen[other] {
                        seen[other] = true;
                        stack.push(other);
                    }
                }
            }
            seen
        };
        let mut best: Vec<usize> = Vec::new();
        let mut done = vec![false; alive.len()];
        for from in (0..alive.len()).filter(|&who| alive[who]) {
            if done[from] {
                continue;
            }
            let (there, back) = (reach(from, true), reach(from, false));
            let group: Vec<usize> =
                (0..alive.len()).filter(|&w| alive[w] && there[w] && back[w]).collect();
            group.iter().for_each(|&who| done[who] = true);
            if group.len() > best.len() && group.len() > 1 {
                best = group;
            }
        }
        best
    }

    /// Natural-logarithm strengths of a group: Newton's step for each in turn until none moves.
    fn solve(&self, group: &[usize]) -> Vec<f64> {
        let place: HashMap<usize, usize> = group.iter().enumerate().map(|(i, &w)| (w, i)).collect();
        let mut values = vec![0.0f64; group.len()];
        for _ in 0..10_000 {
            let mut largest = 0.0f64;
            for (i, &who) in group.iter().enumerate() {
                let (mut slope, mut curve) = (0.0, 0.0);
                for (other, &(won, played)) in &self.against[who] {
                    let Some(&j) = place.get(other) else { continue };
                    let chance = 1.0 / (1.0 + (values[j] - values[i]).exp());
                    slope += won - played * chance;
                    curve += played * chance * (1.0 - chance);
                }
                let step = (slope / curve.max(1e-12)).clamp(-1.0, 1.0);
                values[i] += step;
                largest = largest.max(step.abs());
            }
            if largest < 1e-9 {
                break;
            }
        }
        values
    }

    /// Standard errors: the roots of the diagonal of the information's inverse, in which the mean
    /// is fixed.
    fn errors(&self, group: &[usize], values: &[f64]) -> Vec<f64> {
        let n = group.len();
        let place: HashMap<usize, usize> = group.iter().enumerate().map(|(i, &w)| (w, i)).collect();
        let mut matrix = vec![vec![0.0f64; n]; if n <= EXACT { n } else { 0 }];
        let mut diagonal = vec![0.0f64; n];
        for (i, &who) in group.iter().enumerate() {
            for (other, &(_, played)) in &self.against[who] {
                let Some(&j) = place.get(other) else { continue };
                let chance = 1.0 / (1.0 + (values[j] - values[i]).exp());
                let information = played * chance * (1.0 - chance);
                diagonal[i] += information;
                if n <= EXACT {
                    matrix[i][i] += information;
                    matrix[i][j] -= information;
                }
            }
        }
        if n > EXACT {
            return diagonal.iter().map(|d| (1.0 / d).sqrt()).collect();
        }
        // The sum of all strengths is free: fix it, invert, and take the fixing out again.
        let share = 1.0 / n as f64;
        matrix.iter_mut().flatten().for_each(|cell| *cell += share);
        let inverse = invert(matrix);
        (0..n).map(|i| (inverse[i][i] - share).max(0.0).sqrt()).collect()
    }
}

/// Inverts a positive definite matrix.
fn invert(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = matrix.len();
    let mut inverse: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for column in 0..n {
        let pivot = matrix[column][column];
        for j in 0..n {
            matrix[column][j] /= pivot;
            inverse[column][j] /= pivot;
        }
        let (lead, solved) = (matrix[column].clone(), inverse[column].clone());
        for row in (0..n).filter(|&row| row != column) {
            let factor = matrix[row][column];
            for j in 0..n {
                matrix[row][j] -= factor * lead[j];
                inverse[row][j] -= factor * solved[j];
            }
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(list: &[(&str, &str, u32, u32, u32)]) -> Vec<Result> {
        let mut all = Vec::new();
        for &(a, b, wins, draws, losses) in list {
            let mut add = |count: u32, winner| {
                for _ in 0..count {
                    let names = [a.to_owned(), b.to_owned()];
                    all.push(Result { names, winner, age: 0.0 });
                }
            };
            add(wins, Some(Color::Black));
            add(draws, None);
            add(losses, Some(Color::White));
        }
        all
    }

    fn of<'a>(ratings: &'a [Rating], name: &str) -> &'a Rating {
        ratings.iter().find(|r| r.name == name).unwrap()
    }

    #[test]
    fn two_players_by_hand() {
        // 75 % is 400 * log10(3) = 190.85 points; the error of each is half that of the difference,
        // 1 / sqrt(100 * 3 / 16) in natural units.
        let ratings = rate(&results(&[("a", "b", 75, 0, 25)]), &Method::default());
        let difference = ratings[0].rating - ratings[1].rating;
        assert!((difference - 190.848).abs() < 0.01, "{difference}");
        assert!((ratings[0].rating + ratings[1].rating - 3000.0).abs() < 1e-6);
        let error = 0.5 * SCALE / (100.0f64 * 0.75 * 0.25).sqrt();
        assert!((ratings[0].error - error).abs() < 1e-6, "{} {error}", ratings[0].error);
        assert_eq!(ratings[0].games, [75, 0, 25]);
    }

    #[test]
    fn a_draw_is_half_a_win_and_half_a_loss() {
        let ratings = rate(&results(&[("a", "b", 0, 40, 0)]), &Method::default());
        assert!(ratings.iter().all(|r| (r.rating - 1500.0).abs() < 1e-6));
    }

    #[test]
    fn strengths_add_up_along_a_chain() {
        let list = [("a", "b", 300, 0, 100), ("b", "c", 300, 0, 100)];
        let ratings = rate(&results(&list), &Method::default());
        let gap = of(&ratings, "a").rating - of(&ratings, "c").rating;
        assert!((gap - 2.0 * 190.848).abs() < 0.05, "{gap}");
        assert!(of(&ratings, "b").error < of(&ratings, "a").error);
    }

    #[test]
    fn only_who_has_won_and_lost_enough_within_the_group_is_rated() {
        let list = [
            ("a", "b", 20, 0, 20),
            ("winner", "a", 30, 0, 0),
            ("rookie", "a", 3, 0, 3),
            ("island1", "island2", 20, 0, 20),
            ("c", "b", 10, 0, 10),
        ];
        let ratings = rate(&results(&list), &Method::default());
        let mut names: Vec<&str> = ratings.iter().map(|r| r.name.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["a", "b", "c"]);
        assert!(rate(&[], &Method::default()).is_empty());
        assert!(rate(&results(&[("a", "a", 50, 0, 50)]), &Method::default()).is_empty());
    }

    #[test]
    fn old_results_weigh_less_and_an_anchor_sets_the_scale() {
        let method = Method { anchor: Some(("b".to_owned(), 2000.0)), ..Method::default() };
        assert!((method.weight(7.0) - 1.0).abs() < 1e-12);
        assert!((method.weight(67.0) - 0.5).abs() < 1e-12);
        assert!(method.weight(731.0) == 0.0);
        let mut list = results(&[("a", "b", 30, 0, 10)]);
        for mut old in results(&[("a", "b", 0, 0, 1000)]) {
            old.age = 731.0;
            list.push(old);
        }
        let ratings = rate(&list, &method);
        assert!((of(&ratings, "b").rating - 2000.0).abs() < 1e-9);
        assert!((of(&ratings, "a").rating - 2190.848).abs() < 0.01);
    }

    #[test]
    fn the_matrix_is_inverted() {
        let matrix = vec![vec![4.0, 1.0, 0.0], vec![1.0, 3.0, 1.0], vec![0.0, 1.0, 2.0]];
        let inverse = invert(matrix.clone());
        for (i, row) in matrix.iter().enumerate() {
            for j in 0..3 {
                let cell: f64 = row.iter().zip(&inverse).map(|(a, b)| a * b[j]).sum();
                assert!((cell - f64::from(u8::from(i == j))).abs() < 1e-12);
            }
        }
    }
}
