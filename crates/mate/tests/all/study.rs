//! Everything that may be asked about one problem.

use mate::{Bounds, Futile, Questions, study, verify};
use rules::{AnyPosition, Game, Kings};
use think::{Control, WallTime};

#[test]
fn all_questions_are_answered_in_words() {
    let sfen = "4k4/9/4P4/9/9/9/9/9/9 b G2P 1";
    let position = AnyPosition::from_sfen_with(Game::Shogi, sfen, Kings::Any).unwrap();
    let questions = Questions {
        bounds: Bounds { hash: 1 << 20, ..Bounds::default() },
        first_moves: true,
        cooks: true,
        futile: Some(Futile::Distance),
        proof: true,
    };
    let study = study(&position, &questions, &Control::new(false), &WallTime::start());
    assert!(!study.is_open());
    assert!(study.verdict().starts_with("mate in 1"), "{}", study.verdict());
    let text = study.solution_text();
    assert!(text.contains("    1. G*5b\n") && text.contains("left over: 2P\n"), "{text}");
    let details = study.details(true);
    assert!(details.contains("first move: G*5b mate in 1\n"), "{details}");
    assert!(details.contains("futile interpositions by \"distance\": mate in 1"), "{details}");
    assert!(study.proof.unwrap().is_ok_and(|bytes| verify(&bytes).is_ok()));
}
