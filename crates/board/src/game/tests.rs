use super::*;
use crate::setup::GameSettings;
use serde_json::{Value, json};

fn game(settings: Value) -> Game {
    let settings: GameSettings = serde_json::from_value(settings).unwrap();
    Game::new(settings.resolve(&|_| Some(("X".to_owned(), rules::Game::ALL.to_vec())), 2).unwrap())
        .unwrap()
}

fn view(game: &Game, now: Moment, thinking: Option<Thinking>) -> Value {
    seen_by(game, game.setup().you, now, thinking)
}

fn seen_by(game: &Game, who: VisitorSide, now: Moment, thinking: Option<Thinking>) -> Value {
    let viewer = Viewer { who, thinking, presence: None };
    json!(game.view("id", Dates::default(), now, viewer))
}

fn you(game: &Game) -> VisitorSide {
    game.setup().you
}

fn s(n: u64) -> Duration {
    Duration::from_secs(n)
}

fn engine(game: &mut Game, text: &str, spent: u64) {
    let m = game.position().parse_usi(text).unwrap();
    game.answer(m, s(spent), s(0)).unwrap();
}

fn ended(game: &Game) -> (Reason, Option<Color>) {
    let ending = game.ending().expect("over");
    (ending.reason, ending.winner())
}

#[test]
fn turns_are_kept() {
    let mut game = game(json!({ "opponent": { "level": 1 } }));
    assert!(!game.engine_to_move());
    assert_eq!(game.play(you(&game), "7g7e", None, s(0)).unwrap_err().code, ErrorCode::IllegalMove);
    assert_eq!(
        game.play(you(&game), "7g7f", Some(2), s(0)).unwrap_err().code,
        ErrorCode::NotYourTurn
    );
    game.play(you(&game), "7g7f", Some(1), s(0)).unwrap();
    assert_eq!(
        game.play(you(&game), "7g7f", Some(1), s(0)).unwrap_err().code,
        ErrorCode::NotYourTurn
    );
    assert!(game.engine_to_move());
    let mine = game.position().parse_usi("3c3d").unwrap();
    game.answer(mine, s(0), s(0)).unwrap();
    assert_eq!(game.answer(mine, s(0), s(0)).unwrap_err().code, ErrorCode::NotYourTurn);
    let view = view(&game, s(0), None);
    assert_eq!(view["moves"][1]["ja"], "△３四歩");
    assert_eq!(view["moves"][0]["en"], "P-7f");
    assert_eq!((&view["revision"], &view["status"]), (&json!(2), &json!("playing")));
    assert!(!view["position"]["legal"].as_array().unwrap().is_empty());
}

#[test]
fn no_moves_are_shown_while_the_engine_thinks() {
    let mut game = game(json!({ "opponent": { "level": 1 }, "side": "white" }));
    let view = view(&game, s(0), Some(Thinking::Queued));
    assert_eq!(view["position"]["legal"], json!([]));
    assert_eq!((&view["thinking"], &view["may"]["move"]), (&json!("queued"), &json!(false)));
    assert_eq!(game.play(you(&game), "3c3d", None, s(0)).unwrap_err().code, ErrorCode::NotYourTurn);
    assert_eq!(game.take_back(you(&game), s(0)).unwrap_err().code, ErrorCode::NotAllowed);
}

#[test]
fn mate_ends_the_game_and_can_be_taken_back() {
    let start = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    let mut game = game(json!({ "opponent": { "level": 1 }, "start": start }));
    game.play(you(&game), "G*5b", None, s(0)).unwrap();
    assert_eq!(ended(&game), (Reason::Mate, Some(Color::Black)));
    assert_eq!(game.play(you(&game), "5i5h", None, s(0)).unwrap_err().code, ErrorCode::GameOver);
    assert!(!game.engine_to_move());
    game.take_back(you(&game), s(0)).unwrap();
    assert_eq!((game.ending(), game.played().len()), (None, 0));
    game.play(you(&game), "5i5h", None, s(0)).unwrap();
}

#[test]
fn taking_back_returns_to_the_last_own_turn() {
    let mut game = game(json!({ "opponent": { "level": 1 }, "clock": { "main": 100 } }));
    game.attend(s(0));
    game.play(you(&game), "7g7f", None, s(10)).unwrap();
    engine(&mut game, "3c3d", 5);
    game.play(you(&game), "2g2f", None, s(30)).unwrap();
    game.take_back(you(&game), s(31)).unwrap();
    assert_eq!(game.played().len(), 2, "the engine had not answered");
    assert_eq!(game.clock().left(), [s(90), s(95)]);
    game.take_back(you(&game), s(40)).unwrap();
    assert_eq!((game.played().len(), game.clock().left()), (0, [s(100), s(100)]));
    assert_eq!(game.take_back(you(&game), s(40)).unwrap_err().code, ErrorCode::NotAllowed);
}

#[test]
fn two_people_take_back_one_move() {
    let mut game = game(json!({ "opponent": { "human": true } }));
    game.play(you(&game), "7g7f", None, s(0)).unwrap();
    game.play(you(&game), "3c3d", None, s(0)).unwrap();
    game.take_back(you(&game), s(0)).unwrap();
    assert_eq!(game.played().len(), 1);
    game.resign(you(&game), s(0)).unwrap();
    assert_eq!(ended(&game), (Reason::Resign, Some(Color::Black)));
    assert_eq!(game.resign(you(&game), s(0)).unwrap_err().code, ErrorCode::GameOver);
}

#[test]
fn time_runs_out_only_while_somebody_looks() {
    let clock = json!({ "main": 10, "byoyomi": 5 });
    let mut game = game(json!({ "opponent": { "level": 1 }, "clock": clock }));
    assert!(!game.flag(s(1000)), "nobody has opened it");
    game.attend(s(1000));
    game.leave(s(1008));
    assert!(!game.flag(s(9000)));
    game.attend(s(9000));
    assert!(!game.flag(s(9006)));
    assert!(game.flag(s(9007)));
    assert_eq!(ended(&game), (Reason::TimeUp, Some(Color::White)));
    assert!(!game.flag(s(9008)), "only once");
}

#[test]
fn a_move_after_the_flag_comes_too_late() {
    let mut game = game(json!({ "opponent": { "level": 1 }, "clock": { "main": 10 } }));
    game.attend(s(0));
    game.play(you(&game), "7g7f", None, s(10)).unwrap();
    assert_eq!(ended(&game), (Reason::TimeUp, Some(Color::White)));
    assert_eq!(game.played().len(), 0);
}

#[test]
fn engines_and_their_time() {
    let settings = |opponent: Value| json!({ "opponent": opponent, "clock": { "main": 10 } });
    let mut own = game(settings(json!({ "level": 1 })));
    own.play(you(&own), "7g7f", None, s(0)).unwrap();
    engine(&mut own, "3c3d", 99);
    assert_eq!(own.ending(), None, "a busy machine is not its fault");
    let mut other = game(settings(json!({ "engine": "x" })));
    other.play(you(&other), "7g7f", None, s(0)).unwrap();
    engine(&mut other, "3c3d", 99);
    assert_eq!(ended(&other), (Reason::TimeUp, Some(Color::Black)));
}

#[test]
fn repetition_perpetual_check_and_the_limit() {
    let mut plain = game(json!({ "opponent": { "human": true } }));
    for _ in 0..3 {
        for text in ["2h3h", "8b7b", "3h2h", "7b8b"] {
            plain.play(VisitorSide::Both, text, None, s(0)).unwrap();
        }
    }
    assert_eq!(ended(&plain), (Reason::Repetition, None));

    let start = "3k5/9/9/9/9/9/9/9/R3K4 b - 1";
    let mut checks = game(json!({ "opponent": { "human": true }, "start": start }));
    for text in ["9i9a", "6a6b"] {
        checks.play(VisitorSide::Both, text, None, s(0)).unwrap();
    }
    for _ in 0..3 {
        for text in ["9a9b", "6b6a", "9b9a", "6a6b"] {
            if checks.ending().is_none() {
                checks.play(VisitorSide::Both, text, None, s(0)).unwrap();
            }
        }
    }
    assert_eq!(ended(&checks), (Reason::PerpetualCheck, Some(Color::White)));

    let mut mini = game(json!({ "opponent": { "human": true }, "variant": "minishogi" }));
    for _ in 0..3 {
        for text in ["1e1d", "5a5b", "1d1e", "5b5a"] {
            mini.play(VisitorSide::Both, text, None, s(0)).unwrap();
        }
    }
    assert_eq!(ended(&mini), (Reason::Repetition, Some(Color::White)));

    let mut short = game(json!({ "opponent": { "human": true }, "maxMoves": 2 }));
    short.play(you(&short), "7g7f", None, s(0)).unwrap();
    short.play(you(&short), "3c3d", None, s(0)).unwrap();
    assert_eq!(ended(&short), (Reason::MaxMoves, None));
}

/// Black's king has entered with ten pieces and more points than it needs.
const ENTERED: &str = "+R+R+B+BK+P+P+P+P/+P+P+P6/9/9/9/9/9/9/4k4 b 4G4S 1";

#[test]
fn declarations() {
    let mut entered = game(json!({ "opponent": { "level": 1 }, "start": ENTERED }));
    assert_eq!(view(&entered, s(0), None)["may"]["declare"], true);
    entered.declare(you(&entered), s(0)).unwrap();
    assert_eq!(ended(&entered), (Reason::Declaration, Some(Color::Black)));
    let mut fresh = game(json!({ "opponent": { "level": 1 } }));
    assert_eq!(fresh.declare(you(&fresh), s(0)).unwrap_err().code, ErrorCode::NotAllowed);
    let none =
        json!({ "opponent": { "level": 1 }, "start": ENTERED, "declaration": "NoEnteringKing" });
    assert_eq!(
        game(none).declare(VisitorSide::Black, s(0)).unwrap_err().code,
        ErrorCode::NotAllowed
    );
}

#[test]
fn engines_resign_declare_and_break() {
    let white = |start: Option<&str>| json!({ "opponent": { "level": 1 }, "side": "white", "start": start });
    let mut one = game(white(None));
    one.engine_ends(false, s(0));
    assert_eq!(ended(&one), (Reason::Resign, Some(Color::White)));
    let mut one = game(white(Some(ENTERED)));
    one.engine_ends(true, s(0));
    assert_eq!(ended(&one), (Reason::Declaration, Some(Color::Black)));
    let mut one = game(white(None));
    one.engine_ends(true, s(0));
    assert_eq!(ended(&one), (Reason::Crash, None), "it had no right to");
    let mut one = game(white(None));
    one.engine_fails(s(0));
    assert_eq!(ended(&one), (Reason::Crash, None));
}

#[test]
fn what_is_stored_is_the_game() {
    let mut game = game(
        json!({ "opponent": { "level": 2 }, "clock": { "main": 60 }, "handicap": "2", "side": "white" }),
    );
    game.attend(s(0));
    game.play(you(&game), "3c3d", None, s(7)).unwrap();
    engine(&mut game, "7g7f", 1);
    game.leave(s(20));
    let moves: Vec<StoredMove> = game.stored().collect();
    let again =
        Game::restore(game.setup().clone(), &moves, game.ending(), game.revision()).unwrap();
    assert_eq!(view(&again, s(500), None)["moves"], view(&game, s(20), None)["moves"]);
    assert_eq!(again.clock().left(), game.clock().left());
    let broken = [StoredMove { text: "9z9z".to_owned(), spent: s(0), left: [s(0); 2] }];
    assert!(Game::restore(game.setup().clone(), &broken, None, 1).is_err());
}

/// A game between two browsers in which both have come.
fn friends() -> Game {
    let mut game = game(json!({ "opponent": { "friend": true }, "clock": null }));
    game.take_seat(Color::Black, "Tsuru");
    assert!(game.is_waiting());
    game.take_seat(Color::White, "  a name\nthat is much too long to stand beside a board ");
    game
}

#[test]
fn a_game_waits_for_a_friend() {
    let mut game = game(json!({ "opponent": { "friend": true }, "clock": { "main": 10 } }));
    game.take_seat(Color::Black, "");
    game.attend(s(0));
    let alone = game.play(VisitorSide::Black, "7g7f", None, s(1)).unwrap_err();
    assert_eq!(alone.code, ErrorCode::NotYourTurn);
    assert!(!game.flag(s(1000)), "no clock runs before both are there");
    assert_eq!(seen_by(&game, VisitorSide::Black, s(0), None)["may"]["move"], false);
    let mut called_off = game.clone();
    called_off.resign(VisitorSide::Black, s(2)).unwrap();
    assert_eq!(ended(&called_off), (Reason::Interrupted, None));
    game.take_seat(Color::White, "");
    game.begin(s(1000));
    assert!(game.runs_by_itself());
    game.leave(s(1001));
    assert!(game.flag(s(1010)), "who leaves loses time");
}

#[test]
fn each_friend_moves_their_own_side() {
    let mut game = friends();
    assert_eq!(
        game.play(VisitorSide::White, "7g7f", None, s(0)).unwrap_err().code,
        ErrorCode::NotYourTurn
    );
    assert_eq!(
        game.play(VisitorSide::Watch, "7g7f", None, s(0)).unwrap_err().code,
        ErrorCode::NotYourTurn
    );
    game.play(VisitorSide::Black, "7g7f", None, s(0)).unwrap();
    assert!(!game.engine_to_move());
    let black = seen_by(&game, VisitorSide::Black, s(0), None);
    let white = seen_by(&game, VisitorSide::White, s(0), None);
    assert_eq!((&black["may"]["move"], &white["may"]["move"]), (&json!(false), &json!(true)));
    assert_eq!(white["opponent"]["name"]["en"], "Tsuru");
    assert_eq!(black["opponent"]["name"]["en"], "a name that is much too");
    let watching = seen_by(&game, VisitorSide::Watch, s(0), None);
    for right in ["move", "takeback", "draw", "reply", "hint", "resign", "declare"] {
        assert_eq!(watching["may"][right], false, "{right}");
    }
    assert_eq!(white["may"]["hint"], false, "no engine helps");
    assert_eq!(game.resign(VisitorSide::Watch, s(0)).unwrap_err().code, ErrorCode::NotAllowed);
    game.resign(VisitorSide::White, s(0)).unwrap();
    assert_eq!(ended(&game), (Reason::Resign, Some(Color::Black)));
}

#[test]
fn friends_agree_on_draws_and_on_taking_back() {
    let mut game = friends();
    assert!(game.offer(VisitorSide::Black, OfferKind::Takeback).is_err(), "nothing was played");
    game.play(VisitorSide::Black, "7g7f", None, s(0)).unwrap();
    game.play(VisitorSide::White, "3c3d", None, s(0)).unwrap();
    assert_eq!(game.take_back(VisitorSide::White, s(0)).unwrap_err().code, ErrorCode::NotAllowed);
    game.offer(VisitorSide::Black, OfferKind::Takeback).unwrap();
    assert!(game.offer(VisitorSide::White, OfferKind::Draw).is_err(), "one at a time");
    assert!(game.reply(VisitorSide::Black, true, s(0)).is_err(), "not by oneself");
    assert!(game.reply(VisitorSide::Watch, true, s(0)).is_err());
    let view = seen_by(&game, VisitorSide::White, s(0), None);
    assert_eq!(view["friends"]["offer"], json!({ "by": "black", "what": "takeback" }));
    assert_eq!((&view["may"]["reply"], &view["may"]["draw"]), (&json!(true), &json!(false)));
    game.reply(VisitorSide::White, true, s(0)).unwrap();
    assert_eq!(game.played().len(), 0, "back to Black's turn");
    game.play(VisitorSide::Black, "2g2f", None, s(0)).unwrap();
    game.offer(VisitorSide::White, OfferKind::Draw).unwrap();
    game.reply(VisitorSide::Black, false, s(0)).unwrap();
    assert_eq!((game.ending(), game.friends_view(None).unwrap().offer), (None, None));
    game.offer(VisitorSide::Black, OfferKind::Draw).unwrap();
    game.play(VisitorSide::White, "8c8d", None, s(0)).unwrap();
    assert_eq!(game.friends_view(None).unwrap().offer, None, "a move is an answer");
    game.offer(VisitorSide::Black, OfferKind::Draw).unwrap();
    game.reply(VisitorSide::White, true, s(0)).unwrap();
    assert_eq!(ended(&game), (Reason::Agreed, None));
    assert!(game.offer(VisitorSide::White, OfferKind::Draw).is_err());
}
