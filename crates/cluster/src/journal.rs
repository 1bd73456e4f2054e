//! What is written down: every child's move, value and time, what was decided, and every fault.

use serde::Serialize;

/// A line of the log, as JSON.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Entry {
    /// What one child had to say when a move was decided.
    Opinion {
        game: u32,
        ply: u32,
        child: String,
        /// `think`, `guard`, `arbitrate`, `value` or `mate`.
        question: &'static str,
        /// A move, `resign`, `win`, or nothing if it had not answered.
        #[serde(rename = "move")]
        answer: Option<String>,
        /// Whether it had ended, or the move is the first of the line it last reported.
        answered: bool,
        /// As it said.
        score: Option<String>,
        win_rate: Option<f64>,
        depth: Option<u32>,
        nodes: Option<u64>,
        /// Milliseconds from the question.
        time: u64,
    },
    /// The move that was played.
    Decision {
        game: u32,
        ply: u32,
        /// Where, as SFEN.
        position: String,
        #[serde(rename = "move")]
        answer: String,
        /// Who wanted it, or `own` for the move that is always ready.
        by: String,
        /// Why: `majority`, `mate`, `arbiter` …
        why: &'static str,
        /// Whether a group had pondered on this position.
        hit: bool,
        /// Different moves that were wanted.
        moves: usize,
        /// Milliseconds from the question.
        time: u64,
    },
    /// What a child did wrong.
    Fault {
        game: u32,
        child: String,
        /// `crash`, `stall`, `illegal`, `protocol` or `time`.
        fault: &'static str,
        detail: String,
    },
}

impl Entry {
    /// One line of JSON.
    pub fn line(&self) -> String {
        // Plain values under fixed names: this cannot fail.
        serde_json::to_string(self).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_lines_of_json() {
        let fault = Entry::Fault {
            game: 1,
            child: "a".to_owned(),
            fault: "crash",
            detail: "line\n\"two\"".to_owned(),
        };
        let wanted =
            r#"{"kind":"fault","game":1,"child":"a","fault":"crash","detail":"line\n\"two\""}"#;
        assert_eq!(fault.line(), wanted);
    }
}
