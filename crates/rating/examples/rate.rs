//! Ratings of everybody who played, by one fit.
//!
//! On standard input a line for games that belong together, such as two from one opening: the names of both players, the
//! number of games, the points of the first, with tabs between them. On standard output a line for each player, in
//! the order in which they came: name, rating, its standard error, games. The mean of the ratings is 0.
//!
//! Everybody is taken to have drawn one game with one player more, who is nobody: so that all can be compared, and
//! who won or lost everything has a rating too, with an error that says how little is known.

use rating::{Fit, Results, Terms};
use std::fmt::Write as _;
use std::io::{self, BufRead, Write as _};
use std::process::ExitCode;

fn main() -> ExitCode {
    let lines: Result<Vec<String>, _> = io::stdin().lock().lines().collect();
    let told =
        lines.map_err(|error| format!("standard input: {error}")).and_then(|lines| ratings(&lines));
    let written = match &told {
        Ok(text) => io::stdout().write_all(text.as_bytes()),
        Err(message) => writeln!(io::stderr(), "rate: {message}"),
    };
    ExitCode::from(u8::from(told.is_err() || written.is_err()))
}

/// Who plays how many games, and the sets of games between them by number.
#[derive(Default)]
struct Played {
    names: Vec<String>,
    games: Vec<u64>,
    sets: Vec<((usize, usize), u32, f64)>,
}

impl Played {
    /// The number of a player, who may be new.
    fn number(&mut self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.games.push(0);
            self.names.len() - 1
        })
    }

    /// Reads a line; `None` if it is not one.
    fn add(&mut self, line: &str) -> Option<()> {
        let parts: Vec<&str> = line.split('\t').collect();
        let [first, second, games, points] = parts[..] else { return None };
        let (games, points) = (games.parse::<u32>().ok()?, points.parse::<f64>().ok()?);
        let sense = !first.is_empty() && !second.is_empty() && first != second && games > 0;
        if !sense || !(0.0..=f64::from(games)).contains(&points) {
            return None;
        }
        let pair = (self.number(first), self.number(second));
        for player in [pair.0, pair.1] {
            self.games[player] += u64::from(games);
        }
        self.sets.push((pair, games, points));
        Some(())
    }
}

/// The ratings as lines.
fn ratings(lines: &[String]) -> Result<String, String> {
    let mut played = Played::default();
    for (index, line) in lines.iter().enumerate() {
        played.add(line).ok_or_else(|| {
            let number = index + 1;
            format!("line {number}: {line:?} is not two names, games and points of the first, with tabs between them")
        })?;
    }
    let nobody = played.names.len();
    let mut results = Results::new(nobody + 1);
    for &(pair, games, points) in &played.sets {
        results.add(pair, games, points, 1.0);
    }
    for player in 0..nobody {
        results.add((player, nobody), 1, 0.5, 1.0);
    }
    let Some(fit) = Fit::new(&results, Terms::default()) else { return Ok(String::new()) };
    let elo: Vec<f64> =
        (0..nobody).filter_map(|n| fit.rating(n)).map(|rating| rating.elo).collect();
    let mean = elo.iter().sum::<f64>() / elo.len().max(1) as f64;
    let errors = errors(&fit, nobody);
    let mut text = String::new();
    for (player, name) in played.names.iter().enumerate() {
        let (elo, error, games) = (elo[player] - mean, errors[player], played.games[player]);
        let _ = writeln!(text, "{name}\t{elo:.2}\t{error:.2}\t{games}");
    }
    Ok(text)
}

/// Standard errors against the mean of the players alone: nobody's own rating is hardly known. From how well differences
/// are known: with weights w that sum to 0, the variance of Σ wᵢ rᵢ is −½ ΣΣ wᵢ wⱼ Var(rᵢ − rⱼ).
fn errors(fit: &Fit, players: usize) -> Vec<f64> {
    let square = |a, b| fit.difference(a, b).map_or(0.0, |difference| difference.error.powi(2));
    let count = players as f64;
    let means: Vec<f64> =
        (0..players).map(|a| (0..players).map(|b| square(a, b)).sum::<f64>() / count).collect();
    let all = means.iter().sum::<f64>() / count;
    means.iter().map(|mean| (mean - all / 2.0).max(0.0).sqrt()).collect()
}
