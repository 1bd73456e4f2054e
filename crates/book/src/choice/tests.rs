use super::*;
use crate::Book;
use rules::Game;

const GAME: Game = Game::Shogi;

fn mv(text: &str) -> Move {
    Move::from_usi(GAME, text).unwrap()
}

fn start() -> AnyPosition {
    AnyPosition::startpos(GAME)
}

fn library(position: &AnyPosition, moves: Vec<BookMove>) -> Library {
    let entry = Entry { moves, ..Entry::of(position).unwrap() };
    Library::new(vec![Book::of_entries("test", [entry])])
}

fn valued(text: &str, value: i32, count: u64) -> BookMove {
    BookMove { count, ..BookMove::valued(mv(text), value, 20) }
}

fn ask(library: &Library, position: &AnyPosition, policy: &Policy) -> Decision {
    choose(library, position, policy, &mut Rng::new(1)).unwrap()
}

/// The refusal of each move, in the order of the book.
fn refusals(decision: &Decision) -> Vec<Option<Refusal>> {
    let refusal = |verdict: &Verdict| match verdict {
        Verdict::Refused(why) => Some(*why),
        _ => None,
    };
    decision.moves.iter().map(|(_, verdict)| refusal(verdict)).collect()
}

#[test]
fn values_decide_and_say_so() {
    let moves = vec![
        valued("7g7f", 40, 5),
        valued("2g2f", 15, 5),
        valued("5g5f", 5, 1),
        valued("9i9h", -300, 1),
    ];
    let decision = ask(&library(&start(), moves), &start(), &Policy::default());
    assert_eq!(
        refusals(&decision),
        [
            None,
            None,
            Some(Refusal::WorseThanBest { value: 5, least: 10 }),
            Some(Refusal::BelowLimit { value: -300, least: -100, color: Color::Black }),
        ]
    );
    assert!(["7g7f", "2g2f"].contains(&decision.chosen.unwrap().0.mv.usi(GAME).as_str()));
    let said: Vec<String> = decision.moves.iter().map(|(_, verdict)| verdict.to_string()).collect();
    assert_eq!(said[2], "refused: value 5 is below 10 (BookEvalDiff)");
    assert_eq!(said[3], "refused: value -300 is below -100 (BookEvalBlackLimit)");
}

#[test]
fn the_limit_of_the_other_colour_is_its_own() {
    let mut position = start();
    position.play(mv("7g7f"));
    let library = library(&position, vec![valued("3c3d", -150, 1)]);
    assert!(ask(&library, &position, &Policy::default()).chosen.is_some());
    let strict = Policy { eval_limit: [-1000, -140], ..Policy::default() };
    let decision = ask(&library, &position, &strict);
    assert_eq!(decision.passed, Some(Passed::NothingLeft));
    assert!(decision.moves[0].1.to_string().contains("BookEvalWhiteLimit"));
}

#[test]
fn whole_positions_are_passed_over() {
    let library = library(&start(), vec![valued("7g7f", 0, 1)]);
    let usual = Policy::default();
    for (policy, passed) in [
        (Policy { book_moves: 0, ..usual.clone() }, Passed::Late { ply: 1, limit: 0 }),
        (Policy { ignore_rate: 100, ..usual.clone() }, Passed::AtRandom { rate: 100 }),
        (Policy { depth_limit: 21, ..usual.clone() }, Passed::Shallow { depth: 20, limit: 21 }),
    ] {
        let decision = ask(&library, &start(), &policy);
        assert_eq!((decision.passed, decision.chosen), (Some(passed), None));
    }
    let later = AnyPosition::from_sfen(GAME, &start().sfen().replace(" 1", " 5")).unwrap();
    assert!(ask(&library, &later, &usual).chosen.is_some());
    let strict = Policy { ignore_ply: false, ..usual.clone() };
    assert_eq!(ask(&library, &later, &strict).passed, Some(Passed::OtherPly { book: 1, game: 5 }));
    let mut elsewhere = start();
    elsewhere.play(mv("1g1f"));
    assert_eq!(ask(&library, &elsewhere, &usual).passed, Some(Passed::NotInBook));
}

#[test]
fn counts_choose_and_narrow() {
    let moves = vec![valued("7g7f", 0, 90), valued("2g2f", 0, 9), valued("5g5f", 0, 1)];
    let library = library(&start(), moves);
    let by_count = Policy { by_count: true, ..Policy::default() };
    let mut rng = Rng::new(3);
    let mut times = [0; 3];
    for _ in 0..1000 {
        let decision = choose(&library, &start(), &by_count, &mut rng).unwrap();
        let chosen = decision.moves.iter().position(|(_, verdict)| *verdict == Verdict::Chosen);
        times[chosen.unwrap()] += 1;
    }
    assert!((850..950).contains(&times[0]) && (60..120).contains(&times[1]), "{times:?}");
    let uniform = ask(&library, &start(), &Policy::default());
    assert!(uniform.moves.iter().any(|(_, v)| *v == Verdict::Eligible { percent: 33 }));
    let narrow = ask(&library, &start(), &Policy { narrow: true, ..Policy::default() });
    assert_eq!(
        refusals(&narrow),
        [None, Some(Refusal::Seldom { percent: 9 }), Some(Refusal::Seldom { percent: 1 })]
    );
}

#[test]
fn an_opponent_draws_from_what_may_be_played() {
    let moves = vec![valued("7g7f", 10, 90), valued("2g2f", 0, 10), valued("5g5f", -90, 500)];
    let library = library(&start(), moves);
    let by_count = Policy { by_count: true, ..Policy::default() };
    let drawn = weighted(&library, &start(), &by_count).unwrap();
    assert_eq!(drawn, [(mv("7g7f"), 90), (mv("2g2f"), 10)], "the bad one is left out");
    let alike = weighted(&library, &start(), &Policy::default()).unwrap();
    assert_eq!(alike, [(mv("7g7f"), 1), (mv("2g2f"), 1)]);
    for silent in [
        Policy { book_moves: 0, ..Policy::default() },
        Policy { depth_limit: 50, ..Policy::default() },
    ] {
        assert!(weighted(&library, &start(), &silent).unwrap().is_empty());
    }
    let mut elsewhere = start();
    elsewhere.play(mv("1g1f"));
    assert!(weighted(&library, &elsewhere, &by_count).unwrap().is_empty());
}

#[test]
fn moves_nobody_valued_are_played_all_the_same() {
    let moves = vec![BookMove::new(mv("7g7f")), BookMove::new(mv("7g7d"))];
    let decision = ask(&library(&start(), moves), &start(), &Policy::default());
    assert_eq!(decision.chosen.as_ref().unwrap().0.mv, mv("7g7f"));
    assert!(decision.moves[1].1.to_string().starts_with("refused: not legal"));
}

#[test]
fn a_twin_is_answered_in_its_own_squares() {
    let twin = crate::rotated(&start()).unwrap();
    let library =
        library(&start(), vec![BookMove { reply: Some(mv("3c3d")), ..valued("7g7f", 0, 1) }]);
    let decision = ask(&library, &twin, &Policy::default());
    let (m, reply) = decision.chosen.unwrap();
    assert_eq!((m.mv, reply), (mv("3c3d"), Some(mv("7g7f"))));
    let straight = Policy { flipped: false, ..Policy::default() };
    assert_eq!(ask(&library, &twin, &straight).passed, Some(Passed::NotInBook));
}

#[test]
fn the_reply_is_the_one_named_or_the_next_in_the_book() {
    let mut after = start();
    after.play(mv("7g7f"));
    let next = Entry { moves: vec![valued("8c8d", 0, 1)], ..Entry::of(&after).unwrap() };
    let first = Entry { moves: vec![valued("7g7f", 0, 1)], ..Entry::of(&start()).unwrap() };
    let library = Library::new(vec![Book::of_entries("test", [first, next])]);
    let decision = ask(&library, &start(), &Policy::default());
    let (m, reply) = decision.chosen.unwrap();
    assert_eq!(reply, Some(mv("8c8d")));
    assert_eq!(line(&library, &start(), &m, 8, true).unwrap(), [mv("7g7f"), mv("8c8d")]);
    assert_eq!(line(&library, &start(), &m, 1, true).unwrap(), [mv("7g7f")]);
}

#[test]
fn repetitions_are_seen() {
    let mut position = start();
    for _ in 0..2 {
        for m in ["2h3h", "8b7b", "3h2h", "7b8b"] {
            position.play(mv(m));
        }
    }
    let moves = ["2h3h", "8b7b", "3h2h"];
    for m in moves {
        position.play(mv(m));
    }
    let library = library(&position, vec![valued("7b8b", 0, 1), valued("3c3d", 0, 1)]);
    let decision = ask(&library, &position, &Policy::default());
    assert_eq!(refusals(&decision), [Some(Refusal::Repetition { times: 4 }), None]);
}

#[test]
fn a_perpetual_check_of_ours_is_refused_and_theirs_is_not() {
    // A rook that follows the king gives check with every move.
    let sfen = "3k5/9/9/9/9/9/9/4R4/K8 b - 1";
    let mut position = AnyPosition::from_sfen(GAME, sfen).unwrap();
    for m in ["5h6h", "6a5a", "6h5h", "5a6a", "5h6h", "6a5a", "6h5h", "5a6a"] {
        position.play(mv(m));
    }
    let library = library(&position, vec![valued("5h6h", 0, 1), valued("5h5g", 0, 1)]);
    let decision = ask(&library, &position, &Policy::default());
    assert_eq!(refusals(&decision), [Some(Refusal::PerpetualCheck), None]);
    let mut defender = position.clone();
    defender.play(mv("5h6h"));
    assert!(forbidden(&defender, mv("6a5a")).is_none());
}

#[test]
fn pointless_non_promotions_are_playable_and_remarked() {
    let position = AnyPosition::from_sfen(GAME, "4k4/9/9/2P6/9/9/9/9/4K4 b - 1").unwrap();
    let library = library(&position, vec![valued("7d7c", 0, 1)]);
    assert!(ask(&library, &position, &Policy::default()).chosen.is_some());
    assert!(remark(&position, mv("7d7c")).is_some() && remark(&position, mv("7d7c+")).is_none());
}
