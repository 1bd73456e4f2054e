//! The numbers as text with small charts, and as JSON.

use super::{LENGTH_END, LENGTH_STEP, Report, Results, SCORE_END, SCORE_STEP, Stats};
use crate::calibration;
use balance::stats::Distinct;
use chart::{Bar, bars, grouped};
use serde_json::{Value, json};
use std::fmt::Write;
use teacher::Reason;

/// Start positions listed, the most frequent first.
const STARTS: usize = 20;

impl Results {
    fn json(&self) -> Value {
        let Self { black, white, draws, unknown } = self;
        json!({ "black": black, "white": white, "draws": draws, "unknown": unknown })
    }

    fn text(&self) -> String {
        let share = |n: u64| 100.0 * n as f64 / self.total().max(1) as f64;
        let (black, white, draws) = (share(self.black), share(self.white), share(self.draws));
        let mut text = format!("Black {black:.1} %, White {white:.1} %, draws {draws:.1} %");
        if self.unknown > 0 {
            let _ = write!(text, ", unknown {:.1} %", share(self.unknown));
        }
        text
    }
}

impl Report {
    /// The scores as calibration wants them.
    pub fn samples(&self) -> Vec<calibration::Sample> {
        self.stats.samples()
    }

    /// For machines: rows of charts are given by where they begin.
    pub fn json(&self) -> Value {
        let stats = &self.stats;
        let entries: serde_json::Map<String, Value> =
            self.header.entries.iter().map(|(key, value)| (key.clone(), json!(value))).collect();
        let endings: serde_json::Map<String, Value> =
            stats.endings.iter().map(|(ending, n)| (ending.name().to_owned(), json!(n))).collect();
        let starts: Vec<Value> = stats
            .starts
            .iter()
            .map(|(name, results)| json!({ "start": name, "results": results.json() }))
            .collect();
        let lengths: Vec<Value> = stats
            .lengths
            .iter()
            .map(|(row, games)| json!({ "from": row * LENGTH_STEP, "games": games }))
            .collect();
        let scores: Vec<Value> = stats
            .scores
            .iter()
            .map(|(row, band)| {
                let share = (band.known > 0).then(|| band.points / band.known as f64);
                let (from, positions) = (row * SCORE_STEP, band.positions);
                json!({ "from": from, "positions": positions, "points": share })
            })
            .collect();
        let repeated = |d: &Distinct| json!({ "share": d.repeated_share(), "exact": d.is_exact() });
        json!({
            "interrupted": self.interrupted,
            "game": self.header.game.name(),
            "header": entries,
            "files": self.files,
            "bytes": self.bytes,
            "games": stats.games,
            "positions": stats.positions,
            "random": stats.random,
            "skipped": stats.skipped,
            "unscored": stats.unscored,
            "mates": stats.mates,
            "visits": stats.candidates,
            "repeated": {
                "games": repeated(&stats.repeated_games),
                "positions": repeated(&stats.repeated_positions),
            },
            "results": stats.results.json(),
            "endings": endings,
            "starts": starts,
            "plies": { "shortest": stats.shortest, "longest": stats.longest, "all": stats.plies },
            "lengths": lengths,
            "scores": scores,
            "scale": calibration::fit(&stats.samples()),
        })
    }

    /// For people.
    pub fn text(&self) -> String {
        let stats = &self.stats;
        let mut out = String::new();
        let _ = writeln!(out, "game       {}", self.header.game);
        for (key, value) in &self.header.entries {
            let _ = writeln!(out, "{key:<10} {value}");
        }
        let bytes = self.bytes;
        let (files, size) = (grouped(self.files as u64), grouped(bytes));
        let _ = match self.interrupted {
            true => writeln!(out, "files      {files}, {size} bytes, not read to their end"),
            false => {
                let each = bytes as f64 / stats.positions.max(1) as f64;
                writeln!(out, "files      {files}, {size} bytes, {each:.2} a position")
            }
        };
        let _ = writeln!(out, "games      {}", grouped(stats.games));
        let _ = writeln!(out, "positions  {}", grouped(stats.positions));
        for (name, n) in [
            ("random", stats.random),
            ("skipped", stats.skipped),
            ("no score", stats.unscored),
            ("mates", stats.mates),
            ("visits", stats.candidates),
        ] {
            if n > 0 {
                let _ = writeln!(out, "  {name:<8} {}", grouped(n));
            }
        }
        let repeated = |d: &Distinct| {
            let about = if d.is_exact() { "" } else { "about " };
            format!("{about}{:.1} %", 100.0 * d.repeated_share())
        };
        let (games, positions) =
            (repeated(&stats.repeated_games), repeated(&stats.repeated_positions));
        let _ = writeln!(out, "repeated   {games} of games, {positions} of positions");
        let _ = writeln!(out, "results    {}", stats.results.text());
        stats.write_endings(&mut out);
        stats.write_starts(&mut out);
        stats.write_lengths(&mut out);
        stats.write_scores(&mut out);
        if self.from_positions {
            out.push_str("\nGames were put together from positions that follow each other.\n");
        }
        out
    }
}

impl Stats {
    fn write_endings(&self, out: &mut String) {
        if self.endings.keys().all(|&e| e == Reason::Unknown) {
            return;
        }
        let mut endings: Vec<_> = self.endings.iter().collect();
        endings.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
        let shares = endings.iter().map(|(ending, n)| {
            format!("{ending} {:.1} %", 100.0 * **n as f64 / self.games.max(1) as f64)
        });
        let _ = writeln!(out, "endings    {}", shares.collect::<Vec<_>>().join(", "));
    }

    fn write_starts(&self, out: &mut String) {
        let mut starts: Vec<_> = self.starts.iter().collect();
        starts.sort_by_key(|(_, results)| std::cmp::Reverse(results.total()));
        out.push_str("\nBy start position:\n");
        for (name, results) in starts.iter().take(STARTS) {
            let _ =
                writeln!(out, "  {name}: {} games, {}", grouped(results.total()), results.text());
        }
        if starts.len() > STARTS {
            let _ = writeln!(out, "  … and {} more", grouped((starts.len() - STARTS) as u64));
        }
    }

    fn write_lengths(&self, out: &mut String) {
        let shortest = self.shortest.unwrap_or(0);
        let mean = self.plies as f64 / self.games.max(1) as f64;
        let longest = self.longest;
        let _ = writeln!(out, "\nMoves a game: {shortest} to {longest}, mean {mean:.1}");
        let rows: Vec<Bar> = (0..=LENGTH_END / LENGTH_STEP)
            .map(|i| {
                let from = i * LENGTH_STEP;
                let more = from == LENGTH_END;
                let to = from + LENGTH_STEP - 1;
                let name = if more { format!("{from}…") } else { format!("{from}–{to}") };
                let count = self.lengths.get(&i).copied().unwrap_or(0);
                Bar { name, count, remark: String::new() }
            })
            .collect();
        out.push_str(&bars(&rows));
    }

    fn write_scores(&self, out: &mut String) {
        if self.scores.is_empty() {
            return;
        }
        out.push_str("\nScores for the side to move, and what it scored in the end:\n");
        let end = SCORE_END / SCORE_STEP;
        let rows: Vec<Bar> = (-end..=end)
            .map(|i| {
                let from = i * SCORE_STEP;
                let band = self.scores.get(&i).copied().unwrap_or_default();
                let remark = if band.known > 0 {
                    format!("{:.1} %", 100.0 * band.points / band.known as f64)
                } else {
                    String::new()
                };
                Bar { name: format!("{from}…"), count: band.positions, remark }
            })
            .collect();
        out.push_str(&bars(&rows));
        if let Some(scale) = calibration::fit(&self.samples()) {
            let _ = writeln!(out, "Points are best told by sigmoid(score / {scale:.0}).");
        }
    }
}
