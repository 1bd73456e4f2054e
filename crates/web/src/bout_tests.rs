use super::*;
use crate::setup::Wish;
use rules::Game;

fn bout(wish: Value) -> Bout {
    let wish: Wish = serde_json::from_value(wish).unwrap();
    Bout::new(wish.resolve(&|_| Some(("X".to_owned(), Game::ALL.to_vec())), 2).unwrap()).unwrap()
}

fn s(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn engine(bout: &mut Bout, text: &str, spent: u64) {
    let m = bout.position().parse_usi(text).unwrap();
    bout.answer(m, s(spent), s(0)).unwrap();
}

fn ended(bout: &Bout) -> (Reason, Option<Color>) {
    let ending = bout.ending().expect("over");
    (ending.reason, ending.winner)
}

#[test]
fn turns_are_kept() {
    let mut bout = bout(json!({ "opponent": { "level": 1 } }));
    assert!(!bout.engine_to_move());
    assert_eq!(bout.play("7g7e", None, s(0)).unwrap_err().code, Code::IllegalMove);
    assert_eq!(bout.play("7g7f", Some(2), s(0)).unwrap_err().code, Code::NotYourTurn);
    bout.play("7g7f", Some(1), s(0)).unwrap();
    assert_eq!(bout.play("7g7f", Some(1), s(0)).unwrap_err().code, Code::NotYourTurn);
    assert!(bout.engine_to_move());
    let mine = bout.position().parse_usi("3c3d").unwrap();
    bout.answer(mine, s(0), s(0)).unwrap();
    assert_eq!(bout.answer(mine, s(0), s(0)).unwrap_err().code, Code::NotYourTurn);
    let view = bout.view("id", s(0), Thinking::No);
    assert_eq!(view["moves"][1]["ja"], "△３四歩");
    assert_eq!(view["moves"][0]["en"], "P-7f");
    assert_eq!((&view["revision"], &view["status"]), (&json!(2), &json!("playing")));
    assert!(!view["position"]["legal"].as_array().unwrap().is_empty());
}

#[test]
fn no_moves_are_shown_while_the_engine_thinks() {
    let mut bout = bout(json!({ "opponent": { "level": 1 }, "side": "white" }));
    let view = bout.view("id", s(0), Thinking::Queued);
    assert_eq!(view["position"]["legal"], json!([]));
    assert_eq!((&view["thinking"], &view["may"]["move"]), (&json!("queued"), &json!(false)));
    assert_eq!(bout.play("3c3d", None, s(0)).unwrap_err().code, Code::NotYourTurn);
    assert_eq!(bout.take_back(s(0)).unwrap_err().code, Code::NotAllowed);
}

#[test]
fn mate_ends_the_game_and_can_be_taken_back() {
    let start = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    let mut bout = bout(json!({ "opponent": { "level": 1 }, "start": start }));
    bout.play("G*5b", None, s(0)).unwrap();
    assert_eq!(ended(&bout), (Reason::Mate, Some(Color::Black)));
    assert_eq!(bout.play("5i5h", None, s(0)).unwrap_err().code, Code::GameOver);
    assert!(!bout.engine_to_move());
    bout.take_back(s(0)).unwrap();
    assert_eq!((bout.ending(), bout.played().len()), (None, 0));
    bout.play("5i5h", None, s(0)).unwrap();
}

#[test]
fn taking_back_returns_to_the_last_own_turn() {
    let mut bout = bout(json!({ "opponent": { "level": 1 }, "clock": { "main": 100 } }));
    bout.attend(s(0));
    bout.play("7g7f", None, s(10)).unwrap();
    engine(&mut bout, "3c3d", 5);
    bout.play("2g2f", None, s(30)).unwrap();
    bout.take_back(s(31)).unwrap();
    assert_eq!(bout.played().len(), 2, "the engine had not answered");
    assert_eq!(bout.clock().left(), [s(90), s(95)]);
    bout.take_back(s(40)).unwrap();
    assert_eq!((bout.played().len(), bout.clock().left()), (0, [s(100), s(100)]));
    assert_eq!(bout.take_back(s(40)).unwrap_err().code, Code::NotAllowed);
}

#[test]
fn two_people_take_back_one_move() {
    let mut bout = bout(json!({ "opponent": { "human": true } }));
    bout.play("7g7f", None, s(0)).unwrap();
    bout.play("3c3d", None, s(0)).unwrap();
    bout.take_back(s(0)).unwrap();
    assert_eq!(bout.played().len(), 1);
    bout.resign(s(0)).unwrap();
    assert_eq!(ended(&bout), (Reason::Resign, Some(Color::Black)));
    assert_eq!(bout.resign(s(0)).unwrap_err().code, Code::GameOver);
}

#[test]
fn time_runs_out_only_while_somebody_looks() {
    let clock = json!({ "main": 10, "byoyomi": 5 });
    let mut bout = bout(json!({ "opponent": { "level": 1 }, "clock": clock }));
    assert!(!bout.flag(s(1000)), "nobody has opened it");
    bout.attend(s(1000));
    bout.leave(s(1008));
    assert!(!bout.flag(s(9000)));
    bout.attend(s(9000));
    assert!(!bout.flag(s(9006)));
    assert!(bout.flag(s(9007)));
    assert_eq!(ended(&bout), (Reason::Time, Some(Color::White)));
    assert!(!bout.flag(s(9008)), "only once");
}

#[test]
fn a_move_after_the_flag_comes_too_late() {
    let mut bout = bout(json!({ "opponent": { "level": 1 }, "clock": { "main": 10 } }));
    bout.attend(s(0));
    bout.play("7g7f", None, s(10)).unwrap();
    assert_eq!(ended(&bout), (Reason::Time, Some(Color::White)));
    assert_eq!(bout.played().len(), 0);
}

#[test]
fn engines_and_their_time() {
    let wish = |opponent: Value| json!({ "opponent": opponent, "clock": { "main": 10 } });
    let mut own = bout(wish(json!({ "level": 1 })));
    own.play("7g7f", None, s(0)).unwrap();
    engine(&mut own, "3c3d", 99);
    assert_eq!(own.ending(), None, "a busy machine is not its fault");
    let mut other = bout(wish(json!({ "engine": "x" })));
    other.play("7g7f", None, s(0)).unwrap();
    engine(&mut other, "3c3d", 99);
    assert_eq!(ended(&other), (Reason::Time, Some(Color::Black)));
}

#[test]
fn repetition_perpetual_check_and_the_limit() {
    let mut plain = bout(json!({ "opponent": { "human": true } }));
    for _ in 0..3 {
        for text in ["2h3h", "8b7b", "3h2h", "7b8b"] {
            plain.play(text, None, s(0)).unwrap();
        }
    }
    assert_eq!(ended(&plain), (Reason::Repetition, None));

    let start = "3k5/9/9/9/9/9/9/9/R3K4 b - 1";
    let mut checks = bout(json!({ "opponent": { "human": true }, "start": start }));
    for text in ["9i9a", "6a6b"] {
        checks.play(text, None, s(0)).unwrap();
    }
    for _ in 0..3 {
        for text in ["9a9b", "6b6a", "9b9a", "6a6b"] {
            if checks.ending().is_none() {
                checks.play(text, None, s(0)).unwrap();
            }
        }
    }
    assert_eq!(ended(&checks), (Reason::PerpetualCheck, Some(Color::White)));

    let mut mini = bout(json!({ "opponent": { "human": true }, "variant": "minishogi" }));
    for _ in 0..3 {
        for text in ["1e1d", "5a5b", "1d1e", "5b5a"] {
            mini.play(text, None, s(0)).unwrap();
        }
    }
    assert_eq!(ended(&mini), (Reason::Repetition, Some(Color::White)));

    let mut short = bout(json!({ "opponent": { "human": true }, "maxMoves": 2 }));
    short.play("7g7f", None, s(0)).unwrap();
    short.play("3c3d", None, s(0)).unwrap();
    assert_eq!(ended(&short), (Reason::MoveLimit, None));
}

/// Black's king has entered with ten pieces and more points than it needs.
const ENTERED: &str = "+R+R+B+BK+P+P+P+P/+P+P+P6/9/9/9/9/9/9/4k4 b 4G4S 1";

#[test]
fn declarations() {
    let mut entered = bout(json!({ "opponent": { "level": 1 }, "start": ENTERED }));
    assert_eq!(entered.view("", s(0), Thinking::No)["may"]["declare"], true);
    entered.declare(s(0)).unwrap();
    assert_eq!(ended(&entered), (Reason::Declaration, Some(Color::Black)));
    let mut fresh = bout(json!({ "opponent": { "level": 1 } }));
    assert_eq!(fresh.declare(s(0)).unwrap_err().code, Code::NotAllowed);
    let none =
        json!({ "opponent": { "level": 1 }, "start": ENTERED, "declaration": "NoEnteringKing" });
    assert_eq!(bout(none).declare(s(0)).unwrap_err().code, Code::NotAllowed);
}

#[test]
fn engines_resign_declare_and_break() {
    let white = |start: Option<&str>| json!({ "opponent": { "level": 1 }, "side": "white", "start": start });
    let mut one = bout(white(None));
    one.engine_ends(false, s(0));
    assert_eq!(ended(&one), (Reason::Resign, Some(Color::White)));
    let mut one = bout(white(Some(ENTERED)));
    one.engine_ends(true, s(0));
    assert_eq!(ended(&one), (Reason::Declaration, Some(Color::Black)));
    let mut one = bout(white(None));
    one.engine_ends(true, s(0));
    assert_eq!(ended(&one), (Reason::EngineFailed, None), "it had no right to");
    let mut one = bout(white(None));
    one.engine_fails(s(0));
    assert_eq!(ended(&one), (Reason::EngineFailed, None));
}

#[test]
fn what_is_stored_is_the_game() {
    let mut bout = bout(
        json!({ "opponent": { "level": 2 }, "clock": { "main": 60 }, "handicap": "2", "side": "white" }),
    );
    bout.attend(s(0));
    bout.play("3c3d", None, s(7)).unwrap();
    engine(&mut bout, "7g7f", 1);
    bout.leave(s(20));
    let moves: Vec<StoredMove> = bout.stored().collect();
    let again =
        Bout::restore(bout.setup().clone(), &moves, bout.ending(), bout.revision()).unwrap();
    assert_eq!(
        again.view("x", s(500), Thinking::No)["moves"],
        bout.view("x", s(20), Thinking::No)["moves"]
    );
    assert_eq!(again.clock().left(), bout.clock().left());
    let broken = [StoredMove { text: "9z9z".to_owned(), spent: s(0), left: [s(0); 2] }];
    assert!(Bout::restore(bout.setup().clone(), &broken, None, 1).is_err());
}
