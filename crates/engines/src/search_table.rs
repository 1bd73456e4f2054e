//! What a search says, as a table for people.

use crate::shell::Output;
use rules::{AnyPosition, Color, Move};
use think::{Answer, Best, Bound, Info, MateAnswer, Report, Score};

/// How moves are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Notation {
    /// ▲７六歩△３四歩
    Japanese,
    /// 7g7f 3c3d
    Usi,
}

/// Writes lines of thought as rows, and the answer below them.
pub struct SearchTable {
    output: Output,
    position: AnyPosition,
    notation: Notation,
    /// Whether rows tell their rank among several lines.
    ranked: bool,
    begun: bool,
    /// The score of the best line.
    score: Option<Score>,
    /// The score at which a side wins 73 % of its games.
    scale: f64,
}

impl SearchTable {
    /// A table of one search; `ranked` where it reports several lines. `scale` belongs to what
    /// evaluates ([`think::Engine::win_rate_scale`]).
    pub fn new(
        output: Output,
        position: AnyPosition,
        notation: Notation,
        ranked: bool,
        scale: f64,
    ) -> Self {
        Self { output, position, notation, ranked, begun: false, score: None, scale }
    }

    /// Moves from the position, in the notation asked for.
    fn line(&self, moves: &[Move]) -> String {
        match self.notation {
            Notation::Japanese => {
                let last = self.position.moves_played().last().copied();
                kifu::write_line(&self.position, last, moves)
            }
            Notation::Usi => {
                let words: Vec<_> = moves.iter().map(|m| m.usi(self.position.game())).collect();
                words.join(" ")
            }
        }
    }

    fn row(&self, rank: &str, cells: [&str; 4], line: &str) {
        let [depth, score, nodes, time] = cells;
        let rank = if self.ranked { format!("{rank:>3} ") } else { String::new() };
        self.output.text(&format!("{rank}{depth:>7} {score:>12} {nodes:>12} {time:>9}  {line}"));
    }
}

impl Report for SearchTable {
    fn info(&mut self, info: &Info) {
        let Some((score, bound)) = info.score else { return };
        if !self.begun {
            self.begun = true;
            self.row("#", ["depth", "score", "nodes", "time"], "line");
        }
        if info.multipv.is_none_or(|rank| rank == 1) {
            self.score = Some(score);
        }
        let rank = info.multipv.map_or_else(String::new, |rank| rank.to_string());
        let depth = match (info.depth, info.seldepth) {
            (Some(depth), Some(deepest)) => format!("{depth}/{deepest}"),
            (depth, _) => depth.map_or_else(String::new, |depth| depth.to_string()),
        };
        let nodes = info.nodes.map_or_else(String::new, |nodes| nodes.to_string());
        let time = info.time.map_or_else(String::new, |t| format!("{:.2} s", t.as_secs_f64()));
        self.row(&rank, [&depth, &words(score, bound), &nodes, &time], &self.line(&info.pv));
    }

    fn note(&mut self, text: &str) {
        self.output.text(text);
    }

    fn best(&mut self, best: &Best) {
        let turn = self.position.turn();
        let answer = match best.answer {
            Answer::Move(m) => match self.notation {
                Notation::Japanese => {
                    format!("best move: {} ({})", self.line(&[m]), m.usi(self.position.game()))
                }
                Notation::Usi => format!("best move: {}", self.line(&[m])),
            },
            Answer::Resign if self.position.is_mated() => {
                format!("no legal move: {turn} has lost")
            }
            Answer::Resign => format!("{turn} should resign"),
            Answer::Win => format!("{turn} can declare the win now"),
        };
        let verdict = self
            .score
            .map_or_else(String::new, |s| format!("\n{}\n", verdict(s, turn, self.scale)));
        self.output.text(&format!("{verdict}{answer}"));
    }

    fn mate(&mut self, _: &MateAnswer) {}
}

/// A score to the side to move in a few letters.
fn words(score: Score, bound: Bound) -> String {
    let text = match score {
        Score::Cp(value) => format!("{value:+}"),
        Score::Mate(Some(plies)) => format!("mate in {plies}"),
        Score::Mate(None) => "mates".to_owned(),
        Score::Mated(Some(plies)) => format!("mated in {plies}"),
        Score::Mated(None) => "mated".to_owned(),
    };
    match bound {
        Bound::Exact => text,
        Bound::Lower => format!("≥ {text}"),
        Bound::Upper => format!("≤ {text}"),
    }
}

/// What a score means, in a sentence.
fn verdict(score: Score, turn: Color, scale: f64) -> String {
    let (winner, plies) = match score {
        Score::Cp(value) => {
            let ahead = if value < 0 { !turn } else { turn };
            let size = f64::from(value.saturating_abs());
            // Win rates of 62, 79 and 92 %.
            let words = match size / scale {
                ..0.5 => "about even".to_owned(),
                ..1.333 => format!("{ahead} is slightly better"),
                ..2.5 => format!("{ahead} is better"),
                _ => format!("{ahead} is winning"),
            };
            let percent = 100.0 * play::win_rate(size, scale);
            return format!("{words} ({ahead} wins {percent:.0} % of such games)");
        }
        Score::Mate(plies) => (turn, plies),
        Score::Mated(plies) => (!turn, plies),
    };
    match plies {
        Some(1) => format!("{winner} mates with this move"),
        Some(plies) => format!("{winner} mates in {plies} moves, counting both sides"),
        None => format!("{winner} mates"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::output::tests::Memory;
    use rules::Game;
    use std::time::Duration;

    #[test]
    fn scores_are_told_in_words() {
        let games = |ahead: &str, percent| format!(" ({ahead} wins {percent} % of such games)");
        for (score, bound, short, long) in [
            (Score::Cp(0), Bound::Exact, "+0", "about even".to_owned() + &games("White", 50)),
            (
                Score::Cp(-299),
                Bound::Upper,
                "≤ -299",
                "about even".to_owned() + &games("Black", 62),
            ),
            (
                Score::Cp(300),
                Bound::Lower,
                "≥ +300",
                "White is slightly better".to_owned() + &games("White", 62),
            ),
            (
                Score::Cp(-800),
                Bound::Exact,
                "-800",
                "Black is better".to_owned() + &games("Black", 79),
            ),
            (
                Score::Cp(1501),
                Bound::Exact,
                "+1501",
                "White is winning".to_owned() + &games("White", 92),
            ),
            (
                Score::Cp(i32::MIN),
                Bound::Exact,
                "-2147483648",
                "Black is winning".to_owned() + &games("Black", 100),
            ),
            (
                Score::Mate(Some(1)),
                Bound::Exact,
                "mate in 1",
                "White mates with this move".to_owned(),
            ),
            (
                Score::Mated(Some(4)),
                Bound::Exact,
                "mated in 4",
                "Black mates in 4 moves, counting both sides".to_owned(),
            ),
            (Score::Mate(None), Bound::Exact, "mates", "White mates".to_owned()),
            (Score::Mated(None), Bound::Exact, "mated", "Black mates".to_owned()),
        ] {
            assert_eq!(words(score, bound), short);
            assert_eq!(verdict(score, Color::White, 600.0), long);
        }
        // Another net, another scale.
        let words = verdict(Score::Cp(300), Color::Black, 1200.0);
        assert_eq!(words, "about even".to_owned() + &games("Black", 56));
    }

    fn printed(notation: Notation, multipv: Option<u32>) -> String {
        let memory = Memory::default();
        let position = AnyPosition::startpos(Game::Shogi);
        let m = position.parse_usi("7g7f").unwrap();
        let output = Output::new(memory.clone(), || ());
        let mut table = SearchTable::new(output, position, notation, multipv.is_some(), 600.0);
        table.info(&Info {
            depth: Some(3),
            seldepth: Some(5),
            multipv,
            score: Some((Score::Cp(12), Bound::Exact)),
            nodes: Some(1234),
            time: Some(Duration::from_millis(1500)),
            pv: vec![m],
            ..Info::default()
        });
        table.best(&Best { answer: Answer::Move(m), ponder: None });
        memory.text()
    }

    #[test]
    fn the_table_has_a_head_rows_and_an_answer() {
        let japanese = "  depth        score        nodes      time  line\n    \
                        3/5          +12         1234    1.50 s  ▲７六歩\n\n\
                        about even (Black wins 50 % of such games)\nbest move: ▲７六歩 (7g7f)\n";
        assert_eq!(printed(Notation::Japanese, None), japanese);
        assert!(printed(Notation::Usi, None).ends_with("games)\nbest move: 7g7f\n"));
        assert!(printed(Notation::Usi, Some(1)).starts_with("  #   depth "));
    }
}
