//! Ratings by the model of Bradley and Terry, as floodgate has them, with their errors.
//!
//! The chance that A beats B is 1 / (1 + 10^((b − a) / 400)). Ratings are the most likely ones
//! given the results, of which older ones weigh less. They exist only for players who have both
//! won and lost within one connected group, and mean something only for enough games. Errors are
//! standard errors against the mean of the group. The arithmetic is crate `rating`'s; here are the
//! names, the ages and what the server's owner may set.

use rating::{Fit, Results, Terms};
use rules::Color;
use std::collections::HashMap;

/// A game that counts.
#[derive(Clone, PartialEq, Debug)]
pub struct RatedGame {
    pub names: [String; 2],
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
    pub name: String,
    pub rating: f64,
    /// Standard error.
    pub error: f64,
    /// Wins, draws and losses, unweighted, that count.
    pub games: [u32; 3],
}

/// The mean without an anchor.
const MEAN: f64 = 1500.0;

/// Who a name stands for: what follows an `@` tells only where somebody plays; `@NORATE` asks not
/// to be rated.
fn rated_as(name: &str) -> Option<&str> {
    let (who, rest) = name.split_once('@').unwrap_or((name, ""));
    (!rest.split('@').any(|word| word == "NORATE")).then_some(who)
}

/// The ratings, best first.
pub fn rate(results: &[RatedGame], method: &Method) -> Vec<Rating> {
    let mut names: Vec<&str> =
        results.iter().flat_map(|r| r.names.iter().filter_map(|n| rated_as(n))).collect();
    names.sort_unstable();
    names.dedup();
    let index: HashMap<&str, usize> = names.iter().enumerate().map(|(i, n)| (*n, i)).collect();
    let mut table = Results::new(names.len());
    let mut counts = vec![[0; 3]; names.len()];
    for result in results {
        let who = |side: usize| rated_as(&result.names[side]).map(|name| index[name]);
        let (Some(black), Some(white)) = (who(0), who(1)) else { continue };
        let weight = method.weight(result.age);
        if black == white || weight <= 0.0 {
            continue;
        }
        let (points, columns) = match result.winner {
            Some(Color::Black) => (1.0, [0, 2]),
            None => (0.5, [1, 1]),
            Some(Color::White) => (0.0, [2, 0]),
        };
        table.add((black, white), 1, points, weight);
        counts[black][columns[0]] += 1;
        counts[white][columns[1]] += 1;
    }
    // A hair's breadth for weights that should add up to a whole.
    let terms = Terms { least_games: method.games - 1e-9, anchor: None };
    let Some(fit) = Fit::new(&table, terms) else { return Vec::new() };
    let rated = names.iter().zip(counts).enumerate();
    let mut ratings: Vec<Rating> = rated
        .filter_map(|(who, (name, games))| {
            let found = fit.rating(who)?;
            let (rating, error) = (MEAN + found.elo, found.error);
            Some(Rating { name: (*name).to_owned(), rating, error, games })
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Rating points per unit of the logistic model.
    const SCALE: f64 = 400.0 / std::f64::consts::LN_10;

    fn results(list: &[(&str, &str, u32, u32, u32)]) -> Vec<RatedGame> {
        let mut all = Vec::new();
        for &(a, b, wins, draws, losses) in list {
            let mut add = |count: u32, winner| {
                for _ in 0..count {
                    let names = [a.to_owned(), b.to_owned()];
                    all.push(RatedGame { names, winner, age: 0.0 });
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
    fn what_follows_an_at_sign_is_no_part_of_the_name() {
        let list = [("a@home", "b", 20, 0, 10), ("a@work", "b", 10, 0, 10)];
        let ratings = rate(&results(&list), &Method::default());
        assert_eq!(of(&ratings, "a").games, [30, 0, 20]);
        let list = [("a", "b", 20, 0, 10), ("c@NORATE", "b", 20, 0, 20)];
        let ratings = rate(&results(&list), &Method::default());
        assert_eq!(ratings.len(), 2);
        assert_eq!(of(&ratings, "b").games, [10, 0, 20]);
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
}
