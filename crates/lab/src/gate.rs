//! The match that decides whether a new net replaces the current one.

use arena::progress::MatchProgress;
use arena::stats::{Estimate, MatchScore, Verdict};

/// What the gate found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Gate {
    pub accepted: bool,
    pub verdict: String,
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// Elo against the parent: low, middle and high end of the 95 % interval; empty where there is
    /// no estimate, or none that ends.
    pub elo: Vec<f64>,
}

impl Gate {
    /// There is nothing to judge: training found nothing better than what it began with.
    pub fn without_candidate() -> Self {
        let verdict = "no candidate: training found nothing better than the current net";
        Self { verdict: verdict.to_owned(), ..Self::default() }
    }

    /// What a match of the new net against the current one says.
    pub fn of(progress: &MatchProgress<'_>) -> Self {
        let verdict = progress.verdict().unwrap_or(Verdict::Undecided);
        progress.score().map_or_else(Self::default, |score| Self::judged(verdict, score))
    }

    fn judged(verdict: Verdict, score: &MatchScore) -> Self {
        let MatchScore { wins, draws, losses, .. } = *score;
        let rounded = |elo: f64| (elo * 10.0).round() / 10.0;
        let elo = Estimate::of(score).map(|e| [e.elo.low, e.elo.mid, e.elo.high]);
        let elo = elo.filter(|bounds| bounds.iter().all(|elo| elo.is_finite()));
        Self {
            // Where the games ran out before a decision, there is none: the current net stays.
            accepted: verdict == Verdict::Accepted,
            verdict: verdict.name().to_owned(),
            wins,
            draws,
            losses,
            elo: elo.into_iter().flatten().map(rounded).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_verdict_accepts() {
        let score = MatchScore { wins: 4, draws: 0, losses: 2, pairs: [0, 0, 2, 0, 1] };
        let gate = Gate::judged(Verdict::Accepted, &score);
        assert!(gate.accepted);
        assert_eq!((gate.verdict.as_str(), gate.wins, gate.losses), ("accepted", 4, 2));
        assert_eq!(gate.elo[1], 120.4);
        let open = Gate::judged(Verdict::Undecided, &score);
        assert_eq!((open.accepted, open.verdict.as_str()), (false, "undecided"));
        // Bounds that do not exist are left out, and the others with them.
        let all = MatchScore { wins: 2, draws: 0, losses: 0, pairs: [0, 0, 0, 0, 1] };
        assert!(Gate::judged(Verdict::Accepted, &all).elo.is_empty());
    }
}
