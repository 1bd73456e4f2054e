//! Where a match stands, in words and in JSON.

use crate::runner::Plan;
use crate::standings::Standings;
use crate::stats::{CI95, Estimate, Interval, MatchScore, Sprt, Verdict};
use rating::Rating;
use serde_json::{Value, json};
use std::time::Duration;

/// Where a match stands.
pub struct Summary<'a> {
    pub plan: &'a Plan,
    pub standings: &'a Standings,
    pub sprt: Option<&'a Sprt>,
    /// The runner's greatest delay in reading an answer.
    pub worst_lag: Duration,
    /// Moves that came late because the machine was too busy.
    pub starved: u64,
    /// Why the match ended before its last game.
    pub ended: Option<String>,
}

impl Summary<'_> {
    fn name(&self, index: usize) -> &str {
        &self.plan.engines[index].name
    }

    /// Every pairing in one line, for logs.
    pub fn line(&self) -> String {
        let pairings: Vec<String> = self
            .standings
            .pairings()
            .map(|((a, b), score)| {
                format!("{} {} {}{}", self.name(a), wdl(score), self.name(b), elo_part(score))
            })
            .collect();
        let sprt = self.sprt_text().map_or_else(String::new, |text| format!(", {text}"));
        format!("{}{sprt}", pairings.join("; "))
    }

    /// The whole table.
    pub fn text(&self) -> String {
        let mut text = String::new();
        if self.plan.engines.len() > 2 {
            text += &self.ranking();
        }
        for ((a, b), score) in self.standings.pairings() {
            text += &format!("{} - {}: {}\n", self.name(a), self.name(b), score_text(score));
            if let Some(estimate) = Estimate::of(score) {
                text += &format!("  {}\n", estimate_text(&estimate, score));
            }
        }
        if let Some(sprt) = self.sprt_text() {
            text += &format!("{sprt}\n");
        }
        let [black, white, drawn] = self.standings.colors();
        text += &format!("Black won {black}, White won {white}, drawn {drawn}");
        text += &format!("; slowest reading of an answer {:.1} ms\n", millis(self.worst_lag));
        if self.starved > 0 {
            let moves = self.starved;
            text += &format!("{moves} moves came late from a machine too busy; not charged\n");
        }
        text += &self.time_text();
        text += &self.faults_text();
        if let Some(ended) = &self.ended {
            text += &format!("{ended} after {} games\n", self.standings.games());
        }
        text
    }

    /// All engines by rating, which all pairings give together; who cannot be rated comes last.
    fn ranking(&self) -> String {
        let fit = self.standings.ratings();
        let rating = |index: usize| fit.as_ref().and_then(|fit| fit.rating(index));
        let mut rows: Vec<(usize, MatchScore)> =
            (0..self.plan.engines.len()).map(|i| (i, self.standings.score(i))).collect();
        let place = |(index, score): &(usize, MatchScore)| {
            (rating(*index).map_or(f64::NEG_INFINITY, |r| r.elo), score.ratio())
        };
        rows.sort_by(|a, b| {
            let (a, b) = (place(a), place(b));
            b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1))
        });
        let width = self.plan.engines.iter().map(|e| e.name.chars().count()).max().unwrap_or(0);
        let mut text = String::new();
        for (rank, (index, score)) in rows.iter().enumerate() {
            let name = self.name(*index);
            let pad = " ".repeat(width - name.chars().count());
            let rated = rating(*index).map_or_else(
                || ", rating ?".to_owned(),
                |r| format!(", rating {}", interval(&within(r))),
            );
            text += &format!("{:2} {name}{pad} {}{rated}\n", rank + 1, score_text(score));
        }
        text
    }

    /// Time used by each engine: where clocks are equal it should be too.
    fn time_text(&self) -> String {
        let used = (0..self.plan.engines.len())
            .map(|index| (index, self.standings.time_use(index)))
            .filter(|(_, time)| time.moves > 0);
        used.map(|(index, time)| {
            let games = self.standings.score(index).games();
            format!("time of {}: {}\n", self.name(index), time.text(games))
        })
        .collect()
    }

    fn faults_text(&self) -> String {
        let mut text = String::new();
        for (index, engine) in self.plan.engines.iter().enumerate() {
            let faults = self.standings.faults(index);
            if !faults.is_empty() {
                let parts: Vec<String> =
                    faults.iter().map(|(cause, count)| format!("{count} {cause}")).collect();
                text += &format!("faults of {}: {}\n", engine.name, parts.join(", "));
            }
        }
        text
    }

    fn sprt_text(&self) -> Option<String> {
        let sprt = self.sprt?;
        let (_, score) = self.standings.pairings().next()?;
        let ((low, high), (elo0, elo1)) = (sprt.bounds(), sprt.elos());
        let verdict = match sprt.verdict(score) {
            Verdict::Undecided => "",
            Verdict::Accepted => " accepted",
            Verdict::Rejected => " rejected",
        };
        let ratio = sprt.ratio(score);
        let unit = sprt.model().unit();
        Some(format!("SPRT [{elo0}, {elo1}] {unit}: LLR {ratio:.2} ({low:.2}, {high:.2}){verdict}"))
    }

    /// The whole as one object.
    pub fn json(&self) -> Value {
        let fit = self.standings.ratings();
        let engines: Vec<Value> = (0..self.plan.engines.len())
            .map(|i| {
                let faults: serde_json::Map<String, Value> = self
                    .standings
                    .faults(i)
                    .iter()
                    .map(|(cause, count)| (cause.name().to_owned(), json!(count)))
                    .collect();
                let mut value = score_json(&self.standings.score(i));
                value["name"] = json!(self.name(i));
                let rating = fit.as_ref().and_then(|fit| fit.rating(i)).map(within);
                value["rating"] = bounds(rating);
                value["faults"] = Value::Object(faults);
                value["time"] = self.standings.time_use(i).json();
                value
            })
            .collect();
        let pairings: Vec<Value> = self
            .standings
            .pairings()
            .map(|((a, b), score)| {
                let mut value = score_json(score);
                value["engines"] = json!([self.name(a), self.name(b)]);
                value
            })
            .collect();
        let [black, white, drawn] = self.standings.colors();
        json!({
            "games": self.standings.games(),
            "planned": self.plan.schedule.games(),
            "ended": self.ended,
            "engines": engines,
            "pairings": pairings,
            "sprt": self.sprt_json(),
            "black": black,
            "white": white,
            "draws": drawn,
            "worst_lag_ms": millis(self.worst_lag),
            "starved_moves": self.starved,
        })
    }

    fn sprt_json(&self) -> Value {
        let Some((sprt, (_, score))) = self.sprt.zip(self.standings.pairings().next()) else {
            return Value::Null;
        };
        let ((low, high), (elo0, elo1)) = (sprt.bounds(), sprt.elos());
        let verdict = sprt.verdict(score).name();
        json!({
            "elo0": elo0, "elo1": elo1, "model": sprt.model().name(), "lower": low, "upper": high,
            "llr": sprt.ratio(score), "verdict": verdict,
        })
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn wdl(score: &MatchScore) -> String {
    format!("{}-{}-{}", score.wins, score.draws, score.losses)
}

fn score_text(score: &MatchScore) -> String {
    format!("{} (W-D-L), {:.1} % of {}", wdl(score), 100.0 * score.ratio(), score.games())
}

fn elo_part(score: &MatchScore) -> String {
    Estimate::of(score).map_or_else(String::new, |e| format!(", Elo {}", interval(&e.elo)))
}

fn interval(interval: &Interval) -> String {
    let Interval { low, mid, high } = *interval;
    if low.is_finite() && high.is_finite() {
        return format!("{mid:+.1} ± {:.1}", interval.error());
    }
    format!("{} ({} to {})", signed(mid), signed(low), signed(high))
}

/// A number with its sign, infinite or not.
fn signed(number: f64) -> String {
    if number.is_finite() {
        format!("{number:+.1}")
    } else {
        format!("{}∞", if number > 0.0 { '+' } else { '-' })
    }
}

fn estimate_text(estimate: &Estimate, score: &MatchScore) -> String {
    format!(
        "Elo {}, nElo {}, LOS {:.1} %, pairs 0-½-1-1½-2: {:?}",
        interval(&estimate.elo),
        interval(&estimate.normalised),
        100.0 * estimate.superiority,
        score.pairs
    )
}

fn score_json(score: &MatchScore) -> Value {
    let estimate = Estimate::of(score);
    json!({
        "wins": score.wins,
        "draws": score.draws,
        "losses": score.losses,
        "score": score.ratio(),
        "pairs": score.pairs,
        "elo": bounds(estimate.map(|e| e.elo)),
        "nelo": bounds(estimate.map(|e| e.normalised)),
        "los": estimate.map(|e| e.superiority),
    })
}

/// JSON has no infinity: a bound that does not exist is null.
fn bounds(interval: Option<Interval>) -> Value {
    interval.map_or(Value::Null, |i| json!([finite(i.low), finite(i.mid), finite(i.high)]))
}

/// The 95 % interval of a rating.
fn within(rating: Rating) -> Interval {
    let half = CI95 * rating.error;
    Interval { low: rating.elo - half, mid: rating.elo, high: rating.elo + half }
}

fn finite(number: f64) -> Option<f64> {
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_in_words() {
        let shown = |low, mid, high| interval(&Interval { low, mid, high });
        assert_eq!(shown(-10.0, 2.5, 15.0), "+2.5 ± 12.5");
        assert_eq!(shown(100.0, 200.0, f64::INFINITY), "+200.0 (+100.0 to +∞)");
        assert_eq!(shown(-12.0, f64::INFINITY, f64::INFINITY), "+∞ (-12.0 to +∞)");
        let lost = f64::NEG_INFINITY;
        assert_eq!(shown(lost, lost, 12.0), "-∞ (-∞ to +12.0)");
    }

    #[test]
    fn one_pair_is_not_told_as_if_it_were_certain() {
        let score = MatchScore { wins: 2, pairs: [0, 0, 0, 0, 1], ..MatchScore::default() };
        let text = estimate_text(&Estimate::of(&score).unwrap(), &score);
        assert!(text.starts_with("Elo +∞ (-") && text.contains("to +∞), nElo +"), "{text}");
        assert!(!text.contains("± 0.0") && !text.contains("LOS 100"), "{text}");
    }
}
