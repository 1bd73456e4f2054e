//! Analysis, review and mates.

use crate::browser::Browser;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn analyse(browser: &mut Browser, serial: u64, moves: &Value) -> Value {
    let message = json!({ "type": "analysis.start", "slot": "a", "serial": serial, "multipv": 2, "seconds": 1, "moves": moves });
    browser.send(message).unwrap()
}

#[test]
fn an_analysis_has_lines_and_comes_to_its_end() {
    let mut browser = Browser::new(BTreeMap::new());
    assert_eq!(analyse(&mut browser, 1, &json!(["7g7f"]))["state"], "queued");
    browser.think();
    let done = browser.last("analysis").unwrap();
    assert_eq!(
        (&done["state"], &done["serial"], &done["engine"]),
        (&json!("done"), &json!(1), &json!("nue"))
    );
    let lines = done["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 2, "{done}");
    assert!(lines[0]["ja"][0].as_str().unwrap().starts_with('△'), "{done}");
    let mated = json!({ "type": "analysis.start", "slot": "a", "serial": 3, "sfen": "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1" });
    assert_eq!(browser.send(mated).unwrap()["state"], "over");
}

#[test]
fn another_analysis_in_the_slot_ends_the_one_before() {
    let mut browser = Browser::new(BTreeMap::new());
    analyse(&mut browser, 1, &json!([]));
    let first = browser.question().unwrap().clone();
    analyse(&mut browser, 2, &json!(["7g7f"]));
    let second = browser.question().unwrap().clone();
    assert_eq!(browser.stops, 1);
    assert!(second.number > first.number && second.task != first.task);
    browser.send(json!({ "type": "analysis.stop", "slot": "a" })).unwrap();
    assert_eq!((browser.stops, browser.question()), (2, None));
}

#[test]
fn a_game_is_answered_before_an_analysis_goes_on() {
    let mut browser = Browser::new(BTreeMap::new());
    analyse(&mut browser, 1, &json!([]));
    let number = browser.question().unwrap().number;
    let info = "info depth 3 multipv 1 score cp 10 nodes 40 time 5 pv 7g7f";
    browser.hear_without_end(json!({ "number": number, "said": { "usi": info } }));
    let game = json!({ "type": "game.new", "opponent": { "level": 2 }, "side": "white" });
    let game = browser.send(game).unwrap()["game"].clone();
    assert_eq!(browser.stops, 1, "the analysis gives way");
    let asked = browser.question().unwrap().clone();
    browser.hear(json!({ "number": asked.number, "said": { "usi": "bestmove 2g2f" } }));
    assert!(browser.question().is_some(), "and goes on");
    let view = browser.send(json!({ "type": "game.open", "game": game })).unwrap();
    assert_eq!(view["moves"].as_array().map(Vec::len), Some(1));
    browser.think();
    assert_eq!(browser.last("analysis").unwrap()["state"], "done");
}

#[test]
fn a_review_judges_every_position() {
    let mut browser = Browser::new(BTreeMap::new());
    let moves = json!(["7g7f", "3c3d", "8h2b+"]);
    let review = json!({ "type": "review.start", "serial": 5, "effort": "quick", "moves": moves });
    assert_eq!(browser.send(review).unwrap()["state"], "queued");
    browser.think();
    let told: Vec<Value> =
        browser.told.iter().filter(|told| told["type"] == "review").cloned().collect();
    let evaluations: usize =
        told.iter().map(|told| told["evaluations"].as_array().unwrap().len()).sum();
    assert_eq!(evaluations, 4, "each position once");
    let last = told.last().unwrap();
    assert_eq!(
        (&last["state"], &last["done"], &last["total"]),
        (&json!("done"), &json!(4), &json!(4))
    );
    assert!(last["mistakes"].is_array() && last["summary"].is_object());
}

#[test]
fn a_mate_is_found_and_one_that_is_none_is_said_so() {
    let mut browser = Browser::new(BTreeMap::new());
    for (sfen, state) in [
        ("4k4/9/4P4/9/9/9/9/9/9 b G2r2b3g4s4n4l17p 1", "mate"),
        ("4k4/9/9/9/9/9/9/9/9 b P2r2b4g4s4n4l17p 1", "nomate"),
    ] {
        let message = json!({ "type": "mate.start", "serial": 8, "sfen": sfen, "shortest": true });
        assert_eq!(browser.send(message).unwrap()["state"], "queued");
        assert_eq!(browser.last("mate").unwrap()["state"], "running");
        browser.think();
        let told = browser.last("mate").unwrap();
        assert_eq!((&told["state"], &told["serial"]), (&json!(state), &json!(8)), "{told}");
        if state == "mate" {
            assert_eq!((&told["line"], &told["plies"]), (&json!(["G*5b"]), &json!(1)));
        }
    }
    let none = json!({ "type": "mate.start", "sfen": "9/9/9/9/9/9/9/9/4K4 b - 1" });
    assert_eq!(browser.send(none).unwrap()["code"], "bad_position");
}

#[test]
fn the_signature_of_the_engine_is_that_of_every_other_build() {
    // The numbers stand in crates/assembly/src/bench.rs; the browser's are compared with them there.
    let mut host = offline::EngineHost::new(std::sync::Arc::new(think::WallTime::start()), 1);
    assert!(
        host.bench(rules::Game::Shogi, 3).is_err(),
        "without a net there is nothing to search by"
    );
    host.load(assembly::shipped_file(rules::Game::Minishogi)).unwrap();
    assert_eq!(host.bench(rules::Game::Minishogi, 10).unwrap().0, 28_802);
    assert!(host.load(b"no net").is_err());
}
