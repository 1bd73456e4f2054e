//! Games against levels and at one board.

use crate::browser::Browser;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

fn begin(browser: &mut Browser, settings: Value) -> String {
    let mut message = settings;
    message["type"] = json!("game.new");
    let game = browser.send(message).unwrap();
    assert_eq!(game["type"], "game", "{game}");
    game["game"].as_str().unwrap().to_owned()
}

fn play(browser: &mut Browser, game: &str, text: &str) -> Value {
    browser.send(json!({ "type": "game.move", "game": game, "move": text })).unwrap()
}

#[test]
fn a_game_against_a_level_goes_on_in_the_next_visit() {
    let mut browser = Browser::new(BTreeMap::new());
    let game = begin(&mut browser, json!({ "opponent": { "level": 1 } }));
    let view = play(&mut browser, &game, "7g7f");
    assert_eq!((&view["thinking"], &view["may"]["move"]), (&json!("running"), &json!(false)));
    browser.think();
    let view = browser.last("game").unwrap();
    assert_eq!(view["moves"].as_array().unwrap().len(), 2);
    assert_eq!((&view["thinking"], &view["may"]["move"]), (&Value::Null, &json!(true)));
    // Another visit: the same game, with the same moves.
    let mut later = Browser::new(browser.kept.clone());
    let again = later.send(json!({ "type": "game.open", "game": game })).unwrap();
    assert_eq!((&again["moves"], &again["revision"]), (&view["moves"], &view["revision"]));
    let back = later.send(json!({ "type": "game.takeback", "game": game })).unwrap();
    assert_eq!(back["moves"], json!([]));
    let over = later.send(json!({ "type": "game.resign", "game": game })).unwrap();
    assert_eq!((&over["status"], &over["ending"]["reason"]), (&json!("over"), &json!("resign")));
    let (status, list) = later.json("GET", "games", &Value::Null);
    assert_eq!(
        (status, &list["total"], &list["games"][0]["status"]),
        (200, &json!(1), &json!("over"))
    );
}

#[test]
fn an_engine_that_breaks_down_is_asked_again_once() {
    let mut browser = Browser::new(BTreeMap::new());
    let game = begin(&mut browser, json!({ "opponent": { "level": 3 }, "side": "white" }));
    for times in 1..=2 {
        let number = browser.question().unwrap().number;
        browser.hear(json!({ "number": number, "said": { "failed": "it died" } }));
        assert_eq!(browser.question().is_some(), times == 1, "asked again once");
    }
    let view = browser.send(json!({ "type": "game.open", "game": game })).unwrap();
    assert_eq!(view["ending"]["reason"], "engine_failed");
}

#[test]
fn what_an_engine_says_about_a_question_before_does_not_count() {
    let mut browser = Browser::new(BTreeMap::new());
    let game = begin(&mut browser, json!({ "opponent": { "level": 2 } }));
    play(&mut browser, &game, "7g7f");
    let number = browser.question().unwrap().number;
    // The move is taken back while the engine thinks.
    browser.send(json!({ "type": "game.takeback", "game": game })).unwrap();
    assert_eq!((browser.stops, browser.question().is_some()), (1, false));
    browser.hear(json!({ "number": number, "said": { "usi": "bestmove 3c3d" } }));
    let view = browser.send(json!({ "type": "game.open", "game": game })).unwrap();
    assert_eq!((&view["moves"], &view["thinking"]), (&json!([]), &Value::Null));
}

#[test]
fn a_natural_pace_takes_its_time_and_clocks_end_games() {
    let mut browser = Browser::new(BTreeMap::new());
    let natural = json!({ "opponent": { "level": 2 }, "side": "white", "natural": true });
    let game = begin(&mut browser, natural);
    browser.think();
    assert_eq!(browser.last("game"), None, "the move is found and held back");
    browser.pass(Duration::from_secs(5));
    assert_eq!(browser.last("game").unwrap()["moves"].as_array().unwrap().len(), 1);
    browser.send(json!({ "type": "game.close", "game": game })).unwrap();
    let clock = json!({ "opponent": { "human": true }, "clock": { "main": 3 } });
    let game = begin(&mut browser, clock);
    browser.pass(Duration::from_secs(2));
    // While nobody looks no clock runs.
    browser.send(json!({ "type": "game.close", "game": game })).unwrap();
    browser.pass(Duration::from_secs(60));
    let view = browser.send(json!({ "type": "game.open", "game": game })).unwrap();
    assert_eq!(view["status"], "playing");
    browser.pass(Duration::from_secs(4));
    assert_eq!(browser.last("game").unwrap()["ending"]["reason"], "time");
}

#[test]
fn a_hint_comes_for_the_side_to_move() {
    let mut browser = Browser::new(BTreeMap::new());
    let game =
        begin(&mut browser, json!({ "opponent": { "human": true }, "variant": "minishogi" }));
    assert_eq!(browser.send(json!({ "type": "game.hint", "game": game })), None, "it comes later");
    browser.think();
    let hint = browser.last("hint").unwrap();
    assert_eq!((&hint["game"], &hint["id"]), (&json!(game), &json!(99)));
    let played = play(&mut browser, &game, hint["move"].as_str().unwrap());
    assert_eq!(played["moves"].as_array().map(Vec::len), Some(1), "{played}");
}

#[test]
fn what_needs_a_server_is_refused_in_words() {
    let mut browser = Browser::new(BTreeMap::new());
    for message in [
        json!({ "type": "game.new", "opponent": { "friend": true } }),
        json!({ "type": "game.new", "opponent": { "engine": "other" } }),
        json!({ "type": "watch.start", "what": "server" }),
        json!({ "type": "analysis.start", "slot": "a", "engine": "other" }),
        json!({ "type": "game.open", "game": "none" }),
        json!({ "type": "game.fly" }),
        json!([]),
    ] {
        let now = offline::Now::default();
        let answer = if message.is_object() { browser.send(message.clone()) } else { None };
        let answer = answer.or_else(|| browser.last("error"));
        if message.is_object() {
            assert_eq!(answer.unwrap()["type"], "error", "{message} at {now:?}");
        }
    }
}

#[test]
fn a_game_another_window_has_changed_is_shown_as_it_is_now() {
    let mut one = Browser::new(BTreeMap::new());
    let game = begin(&mut one, json!({ "opponent": { "human": true } }));
    let mut other = Browser::new(one.kept.clone());
    other.send(json!({ "type": "game.open", "game": game })).unwrap();
    play(&mut one, &game, "7g7f");
    let key = format!("game:{game}");
    other.load(&key, one.kept.get(&key).map(String::as_str));
    assert_eq!(other.last("game").unwrap()["moves"].as_array().map(Vec::len), Some(1));
    other.load(&key, None);
    let gone = other.send(json!({ "type": "game.open", "game": game })).unwrap();
    assert_eq!(gone["code"], "not_found");
}
