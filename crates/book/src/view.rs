//! What books say of a position, as plain values for a page or another program.

use crate::choice::{self, Passed, Policy, Verdict};
use crate::{BookError, BookMove, Library};
use rules::AnyPosition;
use serde::{Deserialize, Serialize};

/// What the books say of a position.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BookView {
    pub sfen: String,
    /// The book that knows the position, by name.
    pub book: Option<String>,
    /// Whether it has the position turned by 180 degrees.
    pub flipped: bool,
    /// Why nothing is played from the book here.
    pub passed: Option<String>,
    /// What somebody wrote about the position.
    pub comment: Option<String>,
    /// How often its moves were played, together.
    pub games: u64,
    /// In the order of the book.
    pub moves: Vec<MoveView>,
}

/// What the books say of a move.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MoveView {
    /// In USI notation.
    pub usi: String,
    /// For the side to move, in hundredths of a pawn.
    pub value: Option<i32>,
    pub depth: u32,
    /// How often it was played.
    pub count: u64,
    /// How often whoever played it won.
    pub wins: u64,
    pub draws: u64,
    pub comment: Option<String>,
    /// Where it comes from.
    pub source: Option<String>,
    /// The line of the books, the move itself first.
    pub line: Vec<String>,
    /// The chance that it is played, in percent; none where it is refused.
    pub percent: u64,
    /// Why it is refused.
    pub refused: Option<String>,
    /// What is worth knowing besides.
    pub remark: Option<String>,
}

/// What the books say of a position of a game, with lines of so many plies. Nothing is chosen, so
/// `BookIgnoreRate` counts for nothing.
pub fn view(
    library: &Library,
    position: &AnyPosition,
    policy: &Policy,
    plies: usize,
) -> Result<BookView, BookError> {
    let mut view = BookView {
        sfen: position.sfen(),
        book: None,
        flipped: false,
        passed: None,
        comment: None,
        games: 0,
        moves: Vec::new(),
    };
    let Some(found) = library.find(position, policy.flipped)? else {
        view.passed = Some(Passed::NotInBook.to_string());
        return Ok(view);
    };
    let decision = choice::judge(&found, position, policy);
    let (ply, limit) = (position.ply(), policy.book_moves);
    let late = (ply > limit).then_some(Passed::Late { ply, limit });
    view.passed = late.or(decision.passed).map(|passed| passed.to_string());
    let weights = choice::weights(&decision.moves, policy);
    let total: u64 = weights.iter().sum();
    for ((m, verdict), weight) in decision.moves.iter().zip(weights) {
        view.games = view.games.saturating_add(m.count);
        let percent = if view.passed.is_some() { 0 } else { weight * 100 / total.max(1) };
        let line = choice::line(library, position, m, plies, policy.flipped)?;
        let line = line.iter().map(|mv| mv.usi(position.game())).collect();
        view.moves.push(MoveView { percent, line, ..MoveView::of(m, *verdict, position) });
    }
    view.book = Some(found.book);
    view.flipped = found.flipped;
    view.comment = found.entry.comment.map(Into::into);
    Ok(view)
}

impl MoveView {
    fn of(m: &BookMove, verdict: Verdict, position: &AnyPosition) -> Self {
        let refused = match verdict {
            Verdict::Refused(why) => Some(why.to_string()),
            Verdict::Chosen | Verdict::Eligible { .. } => None,
        };
        Self {
            usi: m.mv.usi(position.game()),
            value: m.value,
            depth: m.depth,
            count: m.count,
            wins: m.wins,
            draws: m.draws,
            comment: m.comment.as_deref().map(Into::into),
            source: m.source.as_deref().map(Into::into),
            line: Vec::new(),
            percent: 0,
            refused,
            remark: choice::remark(position, m.mv).map(Into::into),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Book, Entry};
    use rules::{Game, Move};

    #[test]
    fn a_panel_sees_every_move_and_why_it_is_refused() {
        let start = AnyPosition::startpos(Game::Shogi);
        let mv = |text: &str| Move::from_usi(Game::Shogi, text).unwrap();
        let mut entry = Entry::of(&start).unwrap();
        entry.comment = Some("初手".into());
        let played = BookMove { count: 30, wins: 18, ..BookMove::valued(mv("7g7f"), 40, 20) };
        let reply = Some(mv("3c3d"));
        entry.moves = vec![
            BookMove { reply, ..played },
            BookMove { count: 10, ..BookMove::valued(mv("2g2f"), 35, 20) },
            BookMove::valued(mv("9i9h"), -300, 9),
        ];
        let library = Library::new(vec![Book::of_entries("mine", [entry])]);
        let by_count = Policy { by_count: true, ..Policy::default() };
        let seen = view(&library, &start, &by_count, 8).unwrap();
        assert_eq!((seen.book.as_deref(), seen.games, &seen.passed), (Some("mine"), 40, &None));
        assert_eq!(seen.comment.as_deref(), Some("初手"));
        assert_eq!(seen.moves.iter().map(|m| m.percent).collect::<Vec<_>>(), [75, 25, 0]);
        assert_eq!(seen.moves[0].line, ["7g7f", "3c3d"]);
        assert_eq!((seen.moves[0].wins, seen.moves[0].refused.as_ref()), (18, None));
        assert!(seen.moves[2].refused.as_ref().unwrap().contains("BookEvalBlackLimit"));
        let late = view(&library, &start, &Policy { book_moves: 0, ..by_count.clone() }, 8);
        let late = late.unwrap();
        assert!(late.passed.unwrap().contains("BookMoves"), "and its moves are shown all the same");
        assert_eq!(late.moves.iter().map(|m| m.percent).collect::<Vec<_>>(), [0, 0, 0]);
        let mut elsewhere = start;
        elsewhere.play(mv("1g1f"));
        let none = view(&library, &elsewhere, &by_count, 8).unwrap();
        assert!(none.moves.is_empty() && none.passed.unwrap().contains("not in the book"));
    }
}
