//! Analysis over the wire: streams, whole games, mates, engines that break down, records.

use crate::harness::{Settings, dummy, start, tree_search};
use serde_json::{Value, json};

fn analyse(slot: &str, serial: u64, engine: &str, more: Value) -> Value {
    let mut message = json!({ "type": "analysis.start", "slot": slot, "serial": serial,
        "engine": engine, "multipv": 3, "seconds": 600 });
    if let Value::Object(more) = more {
        for (key, value) in more {
            message[key] = value;
        }
    }
    message
}

#[tokio::test]
async fn lines_stream_and_a_new_position_replaces_the_old() {
    let server = start(Settings::default()).await;
    let mut page = server.visitor().connect().await.unwrap();
    let told = page.ask(analyse("a", 1, "nue", json!({}))).await;
    assert_eq!((&told["type"], &told["state"]), (&json!("analysis"), &json!("queued")));
    let deep = page
        .until("analysis", |m| {
            m["depth"].as_u64() >= Some(4) && m["lines"].as_array().unwrap().len() == 3
        })
        .await;
    assert_eq!((&deep["serial"], &deep["state"]), (&json!(1), &json!("running")));
    for (i, line) in deep["lines"].as_array().unwrap().iter().enumerate() {
        assert_eq!(line["rank"], i + 1);
        assert_eq!(line["pv"].as_array().unwrap().len(), line["ja"].as_array().unwrap().len());
        assert!(line["score"]["cp"].is_i64() && line["winrate"].is_f64());
    }
    page.ask(analyse("a", 2, "nue", json!({ "moves": ["7g7f"] }))).await;
    // What is heard from now on is about the new position alone.
    let next = page.until("analysis", |m| !m["lines"].as_array().unwrap().is_empty()).await;
    assert_eq!(next["serial"], 2);
    assert!(next["lines"][0]["ja"][0].as_str().unwrap().starts_with('△'));
    let stopped = page.ask(json!({ "type": "analysis.stop", "slot": "a" })).await;
    assert_eq!((&stopped["state"], &stopped["serial"]), (&json!("stopped"), &json!(2)));
    assert_eq!(page.ask(json!({ "type": "analysis.stop", "slot": "a" })).await["type"], "ok");
}

#[tokio::test]
async fn engines_are_compared_side_by_side() {
    let server = start(Settings { engines: vec![dummy("good")], ..Settings::default() }).await;
    let mut page = server.visitor().connect().await.unwrap();
    page.ask(analyse("ours", 1, "nue", json!({ "variant": "minishogi" }))).await;
    page.ask(analyse("theirs", 2, "good", json!({ "variant": "minishogi" }))).await;
    let mut seen = [false; 2];
    while seen != [true; 2] {
        let told = page.until("analysis", |m| m["lines"].as_array().unwrap().len() == 3).await;
        let other = told["slot"] == "theirs";
        assert_eq!(told["engine"], if other { "good" } else { "nue" });
        seen[usize::from(other)] = true;
    }
    for slot in ["3", "4"] {
        page.ask(analyse(slot, 1, "nue", json!({}))).await;
    }
    assert_eq!(page.ask(analyse("5", 1, "nue", json!({}))).await["code"], "too_many");
}

#[tokio::test]
async fn the_tree_search_analyses_beside_the_other_search() {
    let server = start(Settings { engines: vec![tree_search()], ..Settings::default() }).await;
    let mut page = server.visitor().connect().await.unwrap();
    for (slot, engine) in [("left", "nue"), ("right", "nue-tree")] {
        page.ask(analyse(slot, 1, engine, json!({ "variant": "minishogi" }))).await;
    }
    for (slot, engine) in [("left", "nue"), ("right", "nue-tree")] {
        let has_lines = |m: &Value| m["slot"] == slot && m["lines"].as_array().unwrap().len() == 3;
        assert_eq!(page.until("analysis", has_lines).await["engine"], engine);
    }
}

#[tokio::test]
async fn an_engine_that_crashes_fails_its_analysis_and_nothing_else() {
    let engines = vec![dummy("crash"), dummy("flood"), dummy("hang"), dummy("good")];
    let server = start(Settings { engines, ..Settings::default() }).await;
    let mut page = server.visitor().connect().await.unwrap();
    page.ask(analyse("a", 1, "crash", json!({}))).await;
    let failed = page.until("analysis", |m| m["state"] == "failed").await;
    assert_eq!(failed["code"], "engine_failed");
    assert!(failed["message"].as_str().unwrap().contains("exit status: 3"), "{failed}");
    // The same slot, the same engine: it is started anew and crashes anew.
    page.ask(analyse("a", 2, "crash", json!({}))).await;
    page.until("analysis", |m| m["state"] == "failed" && m["serial"] == 2).await;
    page.ask(analyse("a", 3, "flood", json!({}))).await;
    page.until("analysis", |m| m["serial"] == 3 && !m["lines"].as_array().unwrap().is_empty())
        .await;
    page.ask(analyse("b", 4, "hang", json!({}))).await;
    page.until("analysis", |m| m["serial"] == 4 && !m["lines"].as_array().unwrap().is_empty())
        .await;
    for slot in ["a", "b"] {
        let stopped = page.ask(json!({ "type": "analysis.stop", "slot": slot })).await;
        assert_eq!(stopped["state"], "stopped");
    }
    page.ask(analyse("a", 5, "good", json!({}))).await;
    page.until("analysis", |m| m["serial"] == 5 && m["lines"].as_array().unwrap().len() == 3).await;
    assert_eq!(page.ask(analyse("x", 1, "none", json!({}))).await["code"], "not_found");
}

#[tokio::test]
async fn analyses_share_one_seat_with_games() {
    let server = start(Settings { threads: 1, ..Settings::default() }).await;
    let mut page = server.visitor().connect().await.unwrap();
    let mut other = server.visitor().connect().await.unwrap();
    page.ask(analyse("a", 1, "nue", json!({}))).await;
    page.until("analysis", |m| m["state"] == "running").await;
    other.ask(analyse("a", 9, "nue", json!({}))).await;
    let game =
        other.ask(json!({ "type": "game.new", "opponent": { "level": 1 }, "side": "white" })).await;
    if game["may"]["move"] == false {
        other.until("game", |g| g["may"]["move"] == true).await;
    }
    other.until("analysis", |m| !m["lines"].as_array().unwrap().is_empty()).await;
    // Both go on in turn: each is heard again after the other.
    for _ in 0..2 {
        page.until("analysis", |m| m["state"] == "running").await;
        other.until("analysis", |m| m["state"] == "running").await;
    }
}

#[tokio::test]
async fn what_is_over_is_not_analysed() {
    let server = start(Settings::default()).await;
    let mut page = server.visitor().connect().await.unwrap();
    let mated = json!({ "sfen": "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1" });
    let told = page.ask(analyse("a", 1, "nue", mated)).await;
    assert_eq!((&told["state"], &told["ending"]["reason"]), (&json!("over"), &json!("mate")));
    let kingless = json!({ "sfen": "4k4/9/4P4/9/9/9/9/9/9 b G 1" });
    assert_eq!(page.ask(analyse("a", 1, "nue", kingless)).await["code"], "bad_position");
}

#[tokio::test]
async fn a_game_is_reviewed() {
    let server = start(Settings::default()).await;
    let mut page = server.visitor().connect().await.unwrap();
    // Black gives its bishop for a pawn.
    let moves = ["7g7f", "3c3d", "8h3c+", "2a3c", "2g2f"];
    let told = page
        .ask(json!({ "type": "review.start", "serial": 7, "moves": moves, "effort": "quick" }))
        .await;
    assert_eq!((&told["total"], &told["serial"]), (&json!(6), &json!(7)));
    let mut plies = Vec::new();
    let done = loop {
        let told = page.until("review", |_| true).await;
        plies.extend(
            told["evaluations"].as_array().unwrap().iter().map(|e| e["ply"].as_u64().unwrap()),
        );
        if told["state"] == "done" {
            break told;
        }
    };
    plies.sort_unstable();
    assert_eq!(plies, [0, 1, 2, 3, 4, 5], "each once");
    let mistakes = done["mistakes"].as_array().unwrap();
    let worst = mistakes.iter().find(|m| m["ply"] == 3).expect("the bishop is lost");
    assert_eq!((&worst["side"], &worst["played"]["usi"]), (&json!("black"), &json!("8h3c+")));
    assert!(!worst["better"]["pv"].as_array().unwrap().is_empty());
    assert_eq!(done["summary"]["black"]["moves"], 3);
    page.ask(json!({ "type": "review.start", "serial": 8, "moves": moves, "effort": "deep" }))
        .await;
    let stopped = page.ask(json!({ "type": "review.stop" })).await;
    assert_eq!((&stopped["state"], &stopped["serial"]), (&json!("stopped"), &json!(8)));
    for (wrong, code) in [
        (json!({ "type": "review.start", "moves": moves, "effort": "heroic" }), "bad_request"),
        (json!({ "type": "review.start", "moves": ["7g7e"] }), "illegal_move"),
        (json!({ "type": "review.start", "moves": vec!["7g7f"; 1001] }), "too_large"),
    ] {
        assert_eq!(page.ask(wrong).await["code"], code);
    }
}

#[tokio::test]
async fn mates_are_found() {
    let server = start(Settings::default()).await;
    let mut page = server.visitor().connect().await.unwrap();
    let ask = |sfen: &str, serial: u64| {
        json!({ "type": "mate.start", "serial": serial, "sfen": sfen,
        "seconds": 30, "shortest": true })
    };
    page.ask(ask("7lk/9/8G/9/9/9/9/9/9 b G2r2b2g4s4n3l18p 1", 1)).await;
    let mate = page.until("mate", |m| m["state"] != "running").await;
    assert_eq!((&mate["state"], &mate["serial"]), (&json!("mate"), &json!(1)));
    assert_eq!(mate["plies"], mate["line"].as_array().unwrap().len());
    assert_eq!(mate["ja"].as_array().unwrap().len(), mate["en"].as_array().unwrap().len());
    page.ask(ask("4k4/9/9/9/9/9/9/9/4K4 b P 1", 2)).await;
    let none = page.until("mate", |m| m["state"] != "running").await;
    assert_eq!(none["state"], "nomate");
    assert_eq!(page.ask(ask("9/9/9/9/9/9/9/9/4K4 b P 1", 3)).await["code"], "bad_position");
    assert_eq!(page.ask(json!({ "type": "mate.stop" })).await["state"], "stopped");
    assert_eq!(page.ask(json!({ "type": "mate.stop" })).await["type"], "ok");
}

#[tokio::test]
async fn positions_lines_and_records() {
    let server = start(Settings::default()).await;
    let mut me = server.visitor();
    let mut page = me.connect().await.unwrap();
    let told = page.ask(json!({ "type": "position", "moves": ["7g7f", "3c3d"] })).await;
    let rest = me.post("/api/position", &json!({ "moves": ["7g7f", "3c3d"] })).await.json();
    assert_eq!(told["position"], rest);
    assert_eq!(rest["promotions"]["may"], json!(["8h2b", "8h3c"]));
    let line = page.ask(json!({ "type": "line", "line": ["7g7f", "3c3d", "9z9z"] })).await;
    let rest = me.post("/api/line", &json!({ "line": ["7g7f", "3c3d", "9z9z"] })).await.json();
    assert_eq!(
        (&line["en"], &rest["ja"]),
        (&json!(["P-7f", "P-3d"]), &json!(["▲７六歩", "△３四歩"]))
    );
    assert_eq!(rest["sfens"].as_array().unwrap().len(), 2);
    let check = |sfen: &str, purpose: &str| json!({ "sfen": sfen, "purpose": purpose });
    let kingless = "4k4/9/4P4/9/9/9/9/9/9 b G 1";
    assert_eq!(me.post("/api/position/check", &check(kingless, "game")).await.json()["ok"], false);
    assert_eq!(me.post("/api/position/check", &check(kingless, "mate")).await.json()["ok"], true);
    assert_eq!(me.post("/api/position/check", &check(kingless, "x")).await.code(), "bad_request");

    let text = "▲７六歩 △３四歩 ▲２六歩";
    let read = me.ask("POST", "/api/record/read?name=x.ki2", text.as_bytes()).await.json();
    let tree = &read["games"][0];
    assert_eq!((&read["format"], tree["nodes"].as_array().unwrap().len()), (&json!("ki2"), 4));
    for format in ["kif", "ki2", "csa", "jkf", "usi", "sfen"] {
        let body = json!({ "format": format, "tree": tree });
        let file = me.post("/api/record/write", &body).await;
        assert_eq!(file.status, 200, "{format}");
        assert!(file.header("nue-losses").is_some());
    }
    assert_eq!(me.ask("POST", "/api/record/read", b"?!").await.code(), "unreadable");
    let wrong = json!({ "format": "kif", "tree": { "nodes": [{ "parent": 3 }] } });
    assert_eq!(me.post("/api/record/write", &wrong).await.code(), "bad_request");
}
