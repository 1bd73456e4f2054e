//! Starts held even: the temperature of Black, who has the advantage, start by start.
//!
//! After every generation half of the difference in Elo that was measured is corrected, so that noise is
//! not chased. How many Elo a temperature costs is a guess here; it needs only the right sign for the
//! scores to go to one half.

use crate::review::StartScore;

/// Elo that a temperature of 1 is taken to cost.
const ELO_PER_TEMPERATURE: f64 = 400.0;
/// Games of a start below which nothing is concluded.
const FEWEST: u64 = 50;
/// No temperature is above this: moves are all but equally likely then.
const HOTTEST: f64 = 20.0;
/// The part of a difference that is corrected at once.
const PART: f64 = 0.5;

/// The temperatures of the next generation, from those of the last and how its games went.
pub fn adjusted(temperatures: &[f64], scores: &[StartScore]) -> Vec<f64> {
    let one = |(number, score): (usize, &StartScore)| {
        let now = temperatures.get(number).copied().unwrap_or(0.0);
        let step = PART * elo(score).unwrap_or(0.0) / ELO_PER_TEMPERATURE;
        (now + step).clamp(0.0, HOTTEST)
    };
    scores.iter().enumerate().map(one).collect()
}

/// Black's advantage in Elo, half a game added to either side; nothing where there are too few games.
fn elo(score: &StartScore) -> Option<f64> {
    let games = score.games();
    let share = (score.score()? * games as f64 + 0.5) / (games as f64 + 1.0);
    (games >= FEWEST).then(|| 400.0 * (share / (1.0 - share)).log10())
}

#[cfg(test)]
mod tests {
    use super::*;
    use seed::Rng;

    /// Players of known strength, whose temperature costs something else than is guessed.
    #[test]
    fn scores_go_to_one_half() {
        for (advantage, cost) in [(600.0, 250.0), (300.0, 700.0), (100.0, 400.0)] {
            let (mut temperatures, mut rng) = (vec![0.0], Rng::new(5));
            let mut last = StartScore::default();
            for _ in 0..40 {
                let share = 1.0 / (1.0 + 10f64.powf((cost * temperatures[0] - advantage) / 400.0));
                let wins = (0..1000).filter(|_| rng.unit() < share).count() as u64;
                last = StartScore { wins, draws: 0, losses: 1000 - wins };
                temperatures = adjusted(&temperatures, &[last]);
            }
            assert!((last.score().unwrap() - 0.5).abs() < 0.06, "{advantage} {cost}: {last:?}");
            let wanted = advantage / cost;
            assert!((temperatures[0] - wanted).abs() < 0.15, "{temperatures:?} for {wanted}");
        }
    }

    #[test]
    fn few_games_and_a_weaker_black_change_nothing() {
        let few = StartScore { wins: 10, draws: 0, losses: 0 };
        assert_eq!(adjusted(&[1.5], &[few]), [1.5]);
        let weak = StartScore { wins: 100, draws: 0, losses: 900 };
        assert_eq!(adjusted(&[0.0], &[weak]), [0.0], "White is never weakened");
    }
}
