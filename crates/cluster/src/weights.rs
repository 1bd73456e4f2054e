//! What the vote of each child is worth, learned from past disagreements.
//!
//! The log of a cluster says what every child wanted and where. Where they did not want the same, an engine
//! that is given more time than they had values their moves; who wanted the best, or one hardly worse, was
//! right. Votes that are right with a chance `p` among `k` moves decide best with the weight
//! `ln((k − 1) p / (1 − p))`, if they err independently of each other. The chance is that of all their moves,
//! and where nobody objected a child counts as right: of disputes alone everybody is right in about half,
//! and the formula would make the luckiest of three decide alone.

use rules::{AnyPosition, Game, Move};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use think::{Answer, Best, Engine, Info, Limits, MateAnswer, Report, Score};

/// How much worse than the best a move may be to count as right, in win rate.
const AS_GOOD: f64 = 0.01;

/// The least that a vote counts: nobody is sure to be wrong.
const LEAST: f64 = 0.05;

/// A position about which children wanted different moves.
#[derive(Clone, PartialEq, Debug)]
pub struct Dispute {
    pub position: AnyPosition,
    /// Who wanted what.
    pub wanted: Vec<(String, Move)>,
}

impl Dispute {
    /// The moves, each once.
    pub fn moves(&self) -> Vec<Move> {
        let mut moves: Vec<Move> = Vec::new();
        for &(_, m) in &self.wanted {
            if !moves.contains(&m) {
                moves.push(m);
            }
        }
        moves
    }
}

/// What the text of a log says about votes.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Votes {
    pub disputes: Vec<Dispute>,
    /// How often several wanted the same and nobody anything else. It counts for everybody: who has not
    /// answered when a majority is certain is not waited for.
    pub agreed: u32,
    /// How many lines are none that a cluster writes.
    pub strange: usize,
}

impl Votes {
    /// Adds what was wanted in a position by several.
    fn count(&mut self, position: AnyPosition, opinions: &[(String, String)]) {
        let wanted = opinions
            .iter()
            .filter_map(|(child, text)| Some((child.clone(), position.parse_usi(text).ok()?)));
        let wanted: Vec<(String, Move)> = wanted.collect();
        let dispute = Dispute { position, wanted };
        match (dispute.moves().len(), dispute.wanted.len()) {
            (_, 0 | 1) => {}
            (1, _) => self.agreed += 1,
            _ => self.disputes.push(dispute),
        }
    }
}

/// The votes in the text of a log.
pub fn votes(log: &str, game: Game) -> Votes {
    let mut found = Votes::default();
    let mut opinions: Vec<(String, String)> = Vec::new();
    for line in log.lines().filter(|line| !line.trim().is_empty()) {
        let Ok(entry) = serde_json::from_str::<Value>(line) else {
            found.strange += 1;
            continue;
        };
        let text = |name: &str| entry.get(name).and_then(Value::as_str);
        match (text("kind"), text("question")) {
            (Some("opinion"), Some("think")) => {
                if let (Some(child), Some(wanted)) = (text("child"), text("move")) {
                    opinions.push((child.to_owned(), wanted.to_owned()));
                }
            }
            (Some("decision"), _) => {
                let opinions = std::mem::take(&mut opinions);
                // Logs of before had no positions: there is nothing to learn from them.
                let Some(sfen) = text("position") else { continue };
                match AnyPosition::from_sfen(game, sfen) {
                    Ok(position) => found.count(position, &opinions),
                    Err(_) => found.strange += 1,
                }
            }
            (Some("opinion" | "fault"), _) => {}
            _ => found.strange += 1,
        }
    }
    found
}

/// A child and how often it was right.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weight {
    pub child: String,
    /// What its vote counts; 1 on the mean.
    pub weight: f64,
    /// Disputes it was part of, and those in which it was right.
    #[serde(default)]
    pub disputes: u32,
    #[serde(default)]
    pub right: u32,
}

/// A file of learned weights.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weights {
    #[serde(default, rename = "weight")]
    pub weights: Vec<Weight>,
}

impl Weights {
    /// Reads a file's text.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: Self = toml::from_str(text).map_err(|e| e.message().replace('\n', "; "))?;
        match file.weights.iter().find(|w| !(w.weight.is_finite() && w.weight > 0.0)) {
            Some(w) => Err(format!("weight of {} = {}: a number above 0", w.child, w.weight)),
            None => Ok(file),
        }
    }

    /// The text of a file, with where it comes from above it.
    pub fn text(&self, origin: &str) -> String {
        // Plain values under fixed names: this cannot fail.
        let body = toml::to_string(self).unwrap_or_default();
        format!("# {}\n{body}", origin.replace('\n', " "))
    }

    /// The weight of a child, if any was learned.
    pub fn of(&self, child: &str) -> Option<f64> {
        self.weights.iter().find(|weight| weight.child == child).map(|weight| weight.weight)
    }
}

/// Learns from votes; `judge` values moves of a position, as win rates for the side to move.
pub fn learn(votes: &Votes, mut judge: impl FnMut(&AnyPosition, &[Move]) -> Vec<f64>) -> Weights {
    let mut agreed = votes.agreed;
    let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let (mut moves, mut decided) = (0, 0);
    for dispute in &votes.disputes {
        let candidates = dispute.moves();
        let values = judge(&dispute.position, &candidates);
        let best = values.iter().copied().fold(f64::MIN, f64::max);
        let is_right = |m: Move| {
            let place = candidates.iter().position(|&candidate| candidate == m);
            place.and_then(|place| values.get(place)).is_some_and(|&v| v >= best - AS_GOOD)
        };
        if candidates.iter().all(|&m| is_right(m)) {
            agreed += 1;
            continue;
        }
        (moves, decided) = (moves + candidates.len(), decided + 1);
        for (child, m) in &dispute.wanted {
            let (asked, right) = counts.entry(child).or_default();
            *asked += 1;
            *right += u32::from(is_right(*m));
        }
    }
    let choices = if decided == 0 { 2.0 } else { moves as f64 / f64::from(decided) };
    let weight = |asked: u32, right: u32| {
        // As if it had been right once and wrong once before.
        let chance = f64::from(agreed + right + 1) / f64::from(agreed + asked + 2);
        ((choices - 1.0) * chance / (1.0 - chance)).ln().max(0.0)
    };
    let raw: Vec<f64> = counts.values().map(|&(asked, right)| weight(asked, right)).collect();
    let mean = raw.iter().sum::<f64>() / raw.len().max(1) as f64;
    let scaled = |raw: f64| if mean > 0.0 { (raw / mean).max(LEAST) } else { 1.0 };
    let weights = counts.iter().zip(raw).map(|((&child, &(disputes, right)), raw)| {
        let weight = (scaled(raw) * 1000.0).round() / 1000.0;
        Weight { child: child.to_owned(), weight, disputes, right }
    });
    Weights { weights: weights.collect() }
}

/// The values of moves by an engine that reads so many nodes after each. The calling thread needs a
/// stack of [`think::STACK`] bytes.
pub fn values(
    engine: &mut dyn Engine,
    position: &AnyPosition,
    moves: &[Move],
    nodes: u64,
) -> Vec<f64> {
    let value = |m: &Move| {
        let mut after = position.clone();
        after.play(*m);
        if after.is_mated() {
            return 1.0;
        }
        let mut last = Last::default();
        if engine.set_position(after).is_err() {
            return 0.5;
        }
        engine.think(Limits { nodes: Some(nodes), ..Limits::default() }, &mut last);
        1.0 - match (last.answer, last.score) {
            (Some(Answer::Resign), None) | (_, Some(Score::Mated(_))) => 0.0,
            (Some(Answer::Win), _) | (_, Some(Score::Mate(_))) => 1.0,
            (_, Some(Score::Cp(cp))) => play::win_rate(f64::from(cp), engine.win_rate_scale()),
            _ => 0.5,
        }
    };
    moves.iter().map(value).collect()
}

/// What a search said last.
#[derive(Default)]
struct Last {
    score: Option<Score>,
    answer: Option<Answer>,
}

impl Report for Last {
    fn info(&mut self, info: &Info) {
        if info.multipv.unwrap_or(1) == 1 {
            self.score = info.score.map(|score| score.0).or(self.score);
        }
    }

    fn note(&mut self, _: &str) {}

    fn best(&mut self, best: &Best) {
        self.answer = Some(best.answer);
    }

    fn mate(&mut self, _: &MateAnswer) {}
}

/// Learns from a log and writes the weights to a file, which must not be there unless `force`; what was
/// learned, in words.
pub fn learn_from(
    log: &Path,
    to: &Path,
    force: bool,
    mut engine: Box<dyn Engine>,
    (game, nodes): (Game, u64),
) -> io::Result<String> {
    let named =
        |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", log.display()));
    let bytes = std::fs::read(log).map_err(named)?;
    let votes = votes(&String::from_utf8_lossy(&bytes), game);
    let (count, strange) = (votes.disputes.len(), votes.strange);
    let moves = count + votes.agreed as usize;
    // Searches recurse deeply.
    let thread = std::thread::Builder::new().stack_size(think::STACK).spawn(move || {
        learn(&votes, |position, moves| values(&mut *engine, position, moves, nodes))
    });
    let weights = thread?.join().map_err(|_| io::Error::other("the engine failed"))?;
    if weights.weights.is_empty() {
        let what = format!(
            "{}: {} disagreements, none of which teaches anything; {strange} lines are no log of a cluster",
            log.display(),
            count
        );
        return Err(io::Error::other(what));
    }
    let origin =
        format!("{count} disagreements in {moves} moves, {nodes} nodes for every move wanted");
    durable::write_whole(to, weights.text(&origin).as_bytes(), force)?;
    let mut told = format!("{origin}:");
    for w in &weights.weights {
        told += &format!(" {} {:.2} (right in {} of {})", w.child, w.weight, w.right, w.disputes);
    }
    if strange > 0 {
        told += &format!("; {strange} lines are no log of a cluster");
    }
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opinion(child: &str, text: &str) -> String {
        format!(
            "{{\"kind\":\"opinion\",\"question\":\"think\",\"child\":\"{child}\",\"move\":\"{text}\"}}\n"
        )
    }

    fn decision(text: &str) -> String {
        let sfen = AnyPosition::startpos(Game::Shogi).sfen();
        format!("{{\"kind\":\"decision\",\"move\":\"{text}\",\"position\":\"{sfen}\"}}\n")
    }

    /// A wants the pawn before the rook, b the one before the bishop, c what a wants half of the time.
    fn log() -> String {
        let mut log = String::new();
        for number in 0..40 {
            log += &opinion("a", "2g2f");
            log += &opinion("b", "7g7f");
            log += &opinion("c", if number % 2 == 0 { "2g2f" } else { "7g7f" });
            log += &decision("2g2f");
        }
        log += &(opinion("a", "2g2f") + &opinion("b", "2g2f") + &decision("2g2f"));
        log + "{\"kind\":\"fault\"}\nnonsense\n{}\n"
    }

    #[test]
    fn who_is_right_more_often_counts_more() {
        let found = votes(&log(), Game::Shogi);
        assert_eq!((found.disputes.len(), found.strange), (40, 2), "agreement is no dispute");
        assert_eq!(found.agreed, 1);
        let rook = found.disputes[0].position.parse_usi("2g2f").unwrap();
        let learned = learn(&found, |_, moves| {
            moves.iter().map(|&m| if m == rook { 0.6 } else { 0.4 }).collect()
        });
        let of = |child| learned.of(child).unwrap();
        assert!(of("a") > of("c") && of("c") >= of("b"), "{learned:?}");
        assert_eq!(of("b"), LEAST);
        assert_eq!((learned.weights[0].disputes, learned.weights[0].right), (40, 40));
        let text = learned.text("here\nand there");
        assert_eq!(Weights::parse(&text), Ok(learned));
    }

    /// Two who are hardly better than a third in what they dispute do not lose to the luckiest of them.
    #[test]
    fn nobody_decides_alone_by_a_little_luck() {
        let mut text = String::new();
        for number in 0..300 {
            // All agree in two of three; of a hundred disputes a is right in 49, b in 44, c in 54.
            let right =
                |from: usize, share: usize| number % 3 != 0 || (number / 3 + from) % 100 < share;
            for (child, from, share) in [("a", 0, 49), ("b", 33, 44), ("c", 66, 54)] {
                text += &opinion(child, if right(from, share) { "2g2f" } else { "7g7f" });
            }
            text += &decision("2g2f");
        }
        let found = votes(&text, Game::Shogi);
        let rook = found.disputes[0].position.parse_usi("2g2f").unwrap();
        let learned = learn(&found, |_, moves| {
            moves.iter().map(|&m| if m == rook { 0.6 } else { 0.4 }).collect()
        });
        let of = |child| learned.of(child).unwrap();
        assert!(of("c") > of("a") && of("a") > of("b"), "{learned:?}");
        assert!(of("a") + of("b") > 1.5 * of("c"), "{learned:?}");
    }

    #[test]
    fn moves_that_are_as_good_teach_nothing() {
        let found = votes(&log(), Game::Shogi);
        assert_eq!(learn(&found, |_, moves| vec![0.5; moves.len()]), Weights::default());
        assert_eq!(learn(&Votes::default(), |_, _| Vec::new()), Weights::default());
    }

    #[test]
    fn what_is_no_weight_is_refused() {
        for text in ["[[weight]]\nchild = \"a\"\nweight = 0\n", "x = 1", "[[weight]]\nchild = 3\n"]
        {
            assert!(Weights::parse(text).is_err(), "{text}");
        }
        assert_eq!(Weights::parse(""), Ok(Weights::default()));
    }
}
