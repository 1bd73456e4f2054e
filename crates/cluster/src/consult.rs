//! How several opinions become one move. Pure functions: who asked and when is the master's
//! business.

use crate::config::Consult;
use rules::Move;
use think::Answer;

/// How far a value may be from the middle one of three or more before nobody believes it.
const WILD: f64 = 0.6;

/// What one child wants.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Opinion {
    pub child: usize,
    pub answer: Answer,
    /// The win rate it sees, by its own scale.
    pub value: Option<f64>,
    /// What its vote counts.
    pub weight: f64,
}

/// The place of the opinion that is followed; `None` if there is none. Nobody resigns against the
/// will of another, and who may declare a win declares it.
pub fn decide(mode: Consult, opinions: &[Opinion]) -> Option<usize> {
    if let Some(win) = opinions.iter().position(|o| o.answer == Answer::Win) {
        return Some(win);
    }
    let playing: Vec<usize> =
        (0..opinions.len()).filter(|&i| opinions[i].answer != Answer::Resign).collect();
    if playing.is_empty() {
        return (!opinions.is_empty()).then_some(0);
    }
    let values = believed(opinions);
    // The earlier of equals: `max_by` would take the later.
    let highest = |list: &[usize], key: &dyn Fn(usize) -> f64| {
        list.iter().copied().reduce(|best, i| if key(i) > key(best) { i } else { best })
    };
    match mode {
        Consult::Optimistic => highest(&playing, &|i| values[i]),
        Consult::Pessimistic => highest(&playing, &|i| -values[i]),
        Consult::Switch => playing.first().copied(),
        Consult::Majority | Consult::Exchange => {
            let votes = |i: usize| -> f64 {
                let same = opinions.iter().filter(|o| o.answer == opinions[i].answer);
                same.map(|o| o.weight).sum()
            };
            let most = playing.iter().map(|&i| votes(i)).fold(f64::MIN, f64::max);
            let first: Vec<usize> =
                playing.iter().copied().filter(|&i| votes(i) >= most - 1e-9).collect();
            highest(&first, &|i| values[i])
        }
    }
}

/// Values as far as they are believed: one that is far from everybody else's is taken for the
/// middle one, one that is missing for an even game.
fn believed(opinions: &[Opinion]) -> Vec<f64> {
    let mut told: Vec<f64> = opinions.iter().filter_map(|o| o.value).collect();
    told.sort_by(f64::total_cmp);
    let middle = told.get(told.len().saturating_sub(1) / 2).copied().unwrap_or(0.5);
    let believe = |value: f64| {
        if told.len() > 2 && (value - middle).abs() > WILD { middle } else { value }
    };
    opinions.iter().map(|o| o.value.map_or(middle, believe)).collect()
}

/// Whether a majority is certain, however the children that have not answered will: `open` is the
/// sum of their weights.
pub fn is_settled(opinions: &[Opinion], open: f64) -> bool {
    let Some(first) = decide(Consult::Majority, opinions) else { return false };
    let votes = |answer: Answer| -> f64 {
        opinions.iter().filter(|o| o.answer == answer).map(|o| o.weight).sum()
    };
    let answer = opinions[first].answer;
    let rest: f64 = opinions.iter().map(|o| o.weight).sum::<f64>() - votes(answer);
    matches!(answer, Answer::Move(_)) && votes(answer) > rest + open + 1e-9
}

/// The moves wanted, most wanted first.
pub fn candidates(opinions: &[Opinion]) -> Vec<Move> {
    let mut moves: Vec<(Move, f64)> = Vec::new();
    for opinion in opinions {
        let Answer::Move(m) = opinion.answer else { continue };
        match moves.iter_mut().find(|(known, _)| *known == m) {
            Some((_, weight)) => *weight += opinion.weight,
            None => moves.push((m, opinion.weight)),
        }
    }
    moves.sort_by(|a, b| b.1.total_cmp(&a.1));
    moves.into_iter().map(|(m, _)| m).collect()
}

/// The move whose values, exchanged among the children, are largest on the mean: a child that did
/// not get to value a move does not count for it.
pub fn by_sum(moves: &[Move], values: &[(usize, Move, f64)]) -> Option<Move> {
    let mean = |m: Move| {
        let of_it: Vec<f64> = values.iter().filter(|v| v.1 == m).map(|v| v.2).collect();
        if of_it.is_empty() { 0.0 } else { of_it.iter().sum::<f64>() / of_it.len() as f64 }
    };
    moves.iter().copied().reduce(|best, m| if mean(m) > mean(best) { m } else { best })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{AnyPosition, Game};

    fn m(text: &str) -> Move {
        AnyPosition::startpos(Game::Shogi).parse_usi(text).unwrap()
    }

    fn opinion(child: usize, text: &str, value: f64) -> Opinion {
        let answer = match text {
            "resign" => Answer::Resign,
            "win" => Answer::Win,
            text => Answer::Move(m(text)),
        };
        Opinion { child, answer, value: (value >= 0.0).then_some(value), weight: 1.0 }
    }

    fn check(mode: Consult, list: &[(&str, f64)], wanted: Option<usize>) {
        let opinions: Vec<Opinion> =
            list.iter().enumerate().map(|(i, &(text, value))| opinion(i, text, value)).collect();
        assert_eq!(decide(mode, &opinions), wanted, "{mode:?} {list:?}");
    }

    #[test]
    fn every_mode_follows_whom_it_should() {
        use Consult::{Majority, Optimistic, Pessimistic, Switch};
        let three = [("7g7f", 0.5), ("2g2f", 0.7), ("7g7f", 0.4)];
        check(Majority, &three, Some(0));
        check(Optimistic, &three, Some(1));
        check(Pessimistic, &three, Some(2));
        check(Switch, &three, Some(0));
        check(Majority, &[("7g7f", 0.5), ("2g2f", 0.7)], Some(1));
        check(Majority, &[("7g7f", 0.5), ("2g2f", 0.5)], Some(0));
        check(Majority, &[("7g7f", -1.0), ("2g2f", 0.6)], Some(0));
        check(Majority, &[], None);
        check(Majority, &[("resign", 0.0), ("resign", 0.0), ("7g7f", 0.1)], Some(2));
        check(Optimistic, &[("resign", 0.9)], Some(0));
        check(Majority, &[("7g7f", 0.5), ("7g7f", 0.5), ("win", 1.0)], Some(2));
    }

    #[test]
    fn a_wild_value_is_not_believed_among_three() {
        use Consult::Optimistic;
        check(Optimistic, &[("7g7f", 0.2), ("2g2f", 0.25), ("1g1f", 0.99)], Some(1));
        check(Optimistic, &[("7g7f", 0.2), ("1g1f", 0.99)], Some(1));
    }

    #[test]
    fn weights_count_and_a_majority_is_known_early() {
        let mut opinions = vec![opinion(0, "7g7f", 0.5), opinion(1, "2g2f", 0.9)];
        opinions[0].weight = 1.1;
        assert_eq!(decide(Consult::Majority, &opinions), Some(0));
        assert!(!is_settled(&opinions, 1.0) && is_settled(&opinions, 0.0));
        let two = [opinion(0, "7g7f", 0.5), opinion(1, "7g7f", 0.5)];
        assert!(is_settled(&two, 1.0) && !is_settled(&two, 2.0));
        assert!(!is_settled(&[opinion(0, "resign", 0.0)], 0.0));
        assert!(!is_settled(&[], 0.0));
    }

    #[test]
    fn exchanged_values_decide_by_their_mean() {
        let moves = candidates(&[
            opinion(0, "7g7f", 0.5),
            opinion(1, "2g2f", 0.9),
            opinion(2, "2g2f", 0.9),
            opinion(3, "resign", 0.9),
        ]);
        assert_eq!(moves, [m("2g2f"), m("7g7f")]);
        let values =
            [(0, m("7g7f"), 0.6), (0, m("2g2f"), 0.2), (1, m("2g2f"), 0.7), (1, m("7g7f"), 0.5)];
        assert_eq!(by_sum(&moves, &values), Some(m("7g7f")));
        assert_eq!(by_sum(&moves, &[]), Some(m("2g2f")));
        assert_eq!(by_sum(&[], &values), None);
    }
}
