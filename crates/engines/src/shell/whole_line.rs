//! A whole line before every answer: depth, score, nodes, nodes a second, use of the table, time and moves.
//!
//! Engines tell lines as they think. Some answers come without one: a move from a book, a declared
//! win, a search that was stopped before it had read anything. Whoever listens may rely on a line all the
//! same, so what is missing is made up for here, once for every engine.

use rules::Game;
use std::time::Duration;
use think::{Answer, Best, Bound, Info, Score};

/// The lines a search has told last.
#[derive(Default)]
pub(crate) struct LastLines {
    /// Those of the last iteration, the best first.
    lines: Vec<Info>,
    /// The figures told last, whatever the line.
    figures: Info,
}

impl LastLines {
    /// Takes note of a line.
    pub(crate) fn add(&mut self, info: &Info) {
        let figures = &mut self.figures;
        figures.nodes = info.nodes.or(figures.nodes);
        figures.nps = info.nps.or(figures.nps);
        figures.hashfull = info.hashfull.or(figures.hashfull);
        if info.pv.is_empty() {
            return;
        }
        if info.multipv.is_none_or(|rank| rank == 1) {
            self.lines.clear();
        }
        self.lines.push(info.clone());
    }

    /// The line that is still missing before this answer.
    pub(crate) fn missing(&self, best: &Best, game: Game, elapsed: Duration) -> Option<usi::Info> {
        let (known, score, word) = match best.answer {
            Answer::Move(m) => {
                let told = self.lines.iter().rfind(|line| line.pv.first() == Some(&m));
                let known = told.cloned().unwrap_or(Info { pv: vec![m], ..Info::default() });
                (known, Score::Cp(0), None)
            }
            // Given up after a search: its lines say why.
            Answer::Resign if self.lines.iter().any(is_whole) => return None,
            Answer::Resign => (Info::default(), Score::Mated(Some(0)), Some("resign")),
            Answer::Win => (Info::default(), Score::Mate(Some(1)), Some("win")),
        };
        if is_whole(&known) {
            return None;
        }
        let figures = &self.figures;
        let whole = Info {
            depth: known.depth.or(Some(0)),
            score: known.score.or(Some((score, Bound::Exact))),
            nodes: known.nodes.or(figures.nodes).or(Some(0)),
            nps: known.nps.or(figures.nps).or(Some(0)),
            hashfull: known.hashfull.or(figures.hashfull).or(Some(0)),
            time: known.time.or(Some(elapsed)),
            ..known
        };
        let mut whole = usi::Info::from_thought(&whole, game);
        whole.pv.extend(word.map(str::to_owned));
        Some(whole)
    }
}

/// Whether a line says all that is expected of one.
fn is_whole(info: &Info) -> bool {
    let figures = info.nodes.is_some() && info.nps.is_some() && info.hashfull.is_some();
    figures
        && info.depth.is_some()
        && info.score.is_some()
        && info.time.is_some()
        && !info.pv.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Move;

    const AFTER: Duration = Duration::from_millis(40);

    fn m(usi: &str) -> Move {
        Move::from_usi(Game::Shogi, usi).unwrap()
    }

    fn line(usi: &str, rank: Option<u32>) -> Info {
        Info {
            depth: Some(5),
            multipv: rank,
            score: Some((Score::Cp(30), Bound::Exact)),
            nodes: Some(900),
            nps: Some(1000),
            hashfull: Some(2),
            time: Some(Duration::from_millis(9)),
            pv: vec![m(usi)],
            ..Info::default()
        }
    }

    /// What is said before an answer, after these lines.
    fn said(told: &[Info], answer: Answer) -> Option<String> {
        let mut lines = LastLines::default();
        told.iter().for_each(|info| lines.add(info));
        let best = Best { answer, ponder: None };
        lines.missing(&best, Game::Shogi, AFTER).map(|info| info.to_string().trim().to_owned())
    }

    #[test]
    fn nothing_is_added_to_a_whole_line() {
        let answer = Answer::Move(m("7g7f"));
        assert_eq!(said(&[line("2g2f", None), line("7g7f", None)], answer), None);
        // One of several lines will do: a weak player chooses among them.
        let several = [line("2g2f", Some(1)), line("7g7f", Some(2))];
        assert_eq!(said(&several, answer), None);
        // Nor to a game given up after a search.
        assert_eq!(said(&[line("2g2f", None)], Answer::Resign), None);
    }

    #[test]
    fn what_nobody_told_is_made_up_for() {
        let rest = "nodes 0 nps 0 hashfull 0 time 40 pv";
        let answers = [
            (Answer::Move(m("7g7f")), format!("depth 0 score cp 0 {rest} 7g7f")),
            (Answer::Win, format!("depth 0 score mate 1 {rest} win")),
            (Answer::Resign, format!("depth 0 score mate -0 {rest} resign")),
        ];
        for (answer, whole) in answers {
            assert_eq!(said(&[], answer), Some(whole));
        }
    }

    #[test]
    fn what_was_told_in_part_is_completed() {
        let answer = Answer::Move(m("7g7f"));
        // A book's move has a value; a search beside it has counted.
        let book =
            Info { nodes: None, nps: None, hashfull: None, time: None, ..line("7g7f", None) };
        let counted = Info { nodes: Some(70), nps: Some(7), ..Info::default() };
        let whole = "depth 5 score cp 30 nodes 70 nps 7 hashfull 0 time 40 pv 7g7f";
        assert_eq!(said(&[book, counted], answer).as_deref(), Some(whole));
        // A line of an earlier iteration is not that of the answer.
        let another = said(&[line("7g7f", None), line("2g2f", None)], answer).unwrap();
        assert!(another.starts_with("depth 0 score cp 0 nodes 900 "), "{another}");
    }
}
