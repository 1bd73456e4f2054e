//! Games over the wire: whole games, every message about them, several connections, restarts.

use crate::harness::{Settings, about, dummy, start, tree_search};
use serde_json::{Value, json};

#[tokio::test]
async fn a_minishogi_game_goes_to_its_end() {
    let server = start(Settings::default()).await;
    let mut page = server.visitor().connect().await.unwrap();
    let settings = json!({ "type": "game.new", "variant": "minishogi", "opponent": { "level": 2 },
        "side": "white", "maxMoves": 40 });
    let mut game = page.ask(settings).await;
    assert_eq!((&game["you"], &game["status"]), (&json!("white"), &json!("playing")));
    while game["status"] == "playing" {
        if game["may"]["move"] == false {
            let seen = game["revision"].as_u64();
            game = page.until("game", |g| g["revision"].as_u64() > seen).await;
            continue;
        }
        let legal = game["position"]["legal"].as_array().unwrap();
        let chosen = &legal[game["moves"].as_array().unwrap().len() % legal.len()];
        let play = json!({ "type": "game.move", "game": game["game"], "move": chosen,
            "ply": game["position"]["ply"] });
        game = page.ask(play).await;
        assert_eq!(game["type"], "game", "{game}");
    }
    let reason = game["ending"]["reason"].as_str().unwrap();
    assert!(["mate", "repetition", "perpetual_check", "move_limit"].contains(&reason), "{reason}");
    for (i, played) in game["moves"].as_array().unwrap().iter().enumerate() {
        assert_eq!(played["ply"], i + 1);
        assert!(played["ja"].as_str().unwrap().starts_with(if i % 2 == 0 { '▲' } else { '△' }));
    }
}

#[tokio::test]
async fn mate_is_named_and_taken_back() {
    let server = start(Settings::default()).await;
    let mut page = server.visitor().connect().await.unwrap();
    let start = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    let game =
        page.ask(json!({ "type": "game.new", "opponent": { "level": 1 }, "start": start })).await;
    let hint = page.ask(about("game.hint", &game)).await;
    assert_eq!(hint["move"], "G*5b", "{hint}");
    assert_eq!((&hint["score"]["mate"], &hint["winrate"]), (&json!(1), &json!(1.0)));
    let mut play = about("game.move", &game);
    play["move"] = "G*5b".into();
    let over = page.ask(play.clone()).await;
    assert_eq!(over["ending"], json!({ "reason": "mate", "winner": "black" }));
    assert_eq!(page.ask(play).await["code"], "game_over");
    assert_eq!(page.ask(about("game.hint", &game)).await["code"], "game_over");
    assert_eq!(page.ask(about("game.declare", &game)).await["code"], "game_over");
    let again = page.ask(about("game.takeback", &game)).await;
    assert_eq!((&again["status"], &again["moves"]), (&json!("playing"), &json!([])));
    assert_eq!(page.ask(about("game.declare", &game)).await["code"], "not_allowed");
    let over = page.ask(about("game.resign", &game)).await;
    assert_eq!(over["ending"], json!({ "reason": "resign", "winner": "white" }));
    assert_eq!(page.ask(about("game.close", &game)).await["type"], "ok");
}

#[tokio::test]
async fn every_handicap_is_played() {
    let server = start(Settings::default()).await;
    let mut page = server.visitor().connect().await.unwrap();
    for handicap in rules::Handicap::ALL {
        let settings =
            json!({ "type": "game.new", "handicap": handicap.name(), "opponent": { "level": 1 } });
        let game = page.ask(settings).await;
        assert_eq!(game["handicap"], handicap.name());
        if handicap != rules::Handicap::Even && game["may"]["move"] == false {
            let moved =
                page.until("game", |g| g["game"] == game["game"] && g["may"]["move"] == true).await;
            assert_eq!(moved["moves"][0]["side"], "white", "the giver moves first");
        }
    }
}

#[tokio::test]
async fn two_windows_see_the_same_game_and_two_visitors_do_not() {
    let server = start(Settings::default()).await;
    let mut me = server.visitor();
    me.get("/api/hello").await;
    let mut other = server.visitor();
    other.get("/api/hello").await;
    assert_ne!(me.cookie, other.cookie);
    let (mut left, mut right) = (me.connect().await.unwrap(), me.connect().await.unwrap());
    let game = left.ask(json!({ "type": "game.new", "opponent": { "human": true } })).await;
    assert_eq!(right.ask(about("game.open", &game)).await["revision"], 0);
    let mut play = about("game.move", &game);
    play["move"] = "7g7f".into();
    left.ask(play.clone()).await;
    let seen = right.until("game", |g| g["revision"] == 1).await;
    assert_eq!(seen["moves"][0]["usi"], "7g7f");
    assert!(seen.get("id").is_none());

    let mut stranger = other.connect().await.unwrap();
    let mut meddle = play.clone();
    meddle["move"] = "3c3d".into();
    for message in
        [meddle, about("game.open", &game), about("game.resign", &game), about("game.hint", &game)]
    {
        assert_eq!(stranger.ask(message).await["code"], "not_found");
    }
    let path = format!("/api/games/{}", game["game"].as_str().unwrap());
    for path in [path.clone(), format!("{path}/tree"), format!("{path}/record")] {
        assert_eq!(other.get(&path).await.status, 404);
        assert_eq!(me.get(&path).await.status, 200, "{path}");
    }
    assert_eq!(other.ask("DELETE", &path, &[]).await.status, 404);
    assert_eq!(other.get("/api/games").await.json()["games"], json!([]));
    assert_eq!(me.get("/api/games").await.json()["games"][0]["plies"], 1);
    assert_eq!(me.ask("DELETE", &path, &[]).await.status, 204);
    assert_eq!(me.get(&path).await.status, 404);
    assert_eq!(left.ask(play).await["code"], "not_found");
}

#[tokio::test]
async fn a_game_survives_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("games.db");
    let settings = |seed| Settings { data: Some(data.clone()), seed, ..Settings::default() };
    let server = start(settings(1)).await;
    let mut me = server.visitor();
    me.get("/api/hello").await;
    let mut page = me.connect().await.unwrap();
    let new = json!({ "type": "game.new", "opponent": { "level": 1 }, "clock": { "main": 600 } });
    let game = page.ask(new).await;
    let mut play = about("game.move", &game);
    play["move"] = "7g7f".into();
    page.ask(play).await;
    let before = page.until("game", |g| g["moves"].as_array().unwrap().len() == 2).await;
    let (clock, running) = (&before["clocks"]["white"], &before["clocks"]["running"]);
    assert_eq!((running, &clock["byoyomi"]), (&json!("black"), &json!(false)));
    // Its turn, and gone in the middle of it: the engine answers when the game is opened again.
    let reply = before["position"]["legal"][0].clone();
    let mut second = about("game.move", &game);
    second["move"] = reply;
    page.send(&second.to_string()).await;
    page.until("game", |g| g["moves"].as_array().unwrap().len() >= 3).await;
    drop(page);
    server.stop().await;

    let server = start(settings(2)).await;
    me.address = server.address;
    let listed = me.get("/api/games").await.json();
    assert_eq!(listed["games"][0]["game"], game["game"]);
    let mut page = me.connect().await.unwrap();
    let mut after = page.ask(about("game.open", &game)).await;
    if after["may"]["move"] == false {
        after = page.until("game", |g| g["may"]["move"] == true).await;
    }
    assert!(after["moves"].as_array().unwrap().len() >= 4);
    assert_eq!(after["moves"][0], before["moves"][0]);
    assert_eq!(after["moves"][1], before["moves"][1]);
    server.stop().await;
}

#[tokio::test]
async fn time_runs_out() {
    let server = start(Settings::default()).await;
    let mut page = server.visitor().connect().await.unwrap();
    let settings =
        json!({ "type": "game.new", "opponent": { "human": true }, "clock": { "main": 1 } });
    let game = page.ask(settings).await;
    assert_eq!(game["clocks"]["running"], "black");
    let over = page.until("game", |g| g["status"] == "over").await;
    assert_eq!(over["ending"], json!({ "reason": "time", "winner": "white" }));
    assert_eq!(over["clocks"]["running"], Value::Null);
}

#[tokio::test]
async fn other_engines_play_and_may_break_down() {
    let engines = vec![dummy("good"), dummy("crash"), dummy("lie")];
    let server = start(Settings { engines, ..Settings::default() }).await;
    let mut me = server.visitor();
    let hello = me.get("/api/hello").await.json();
    assert_eq!(hello["engines"].as_array().unwrap().len(), 4);
    let mut page = me.connect().await.unwrap();
    for variant in ["shogi", "minishogi"] {
        let settings = json!({ "type": "game.new", "opponent": { "engine": "good" }, "variant": variant,
            "side": "white" });
        let game = page.ask(settings).await;
        let moved = page.until("game", |g| g["game"] == game["game"] && g["revision"] == 1).await;
        assert_eq!(moved["moves"].as_array().unwrap().len(), 1);
        assert_eq!(moved["opponent"]["name"]["en"], "The good one");
    }
    for engine in ["crash", "lie"] {
        let settings =
            json!({ "type": "game.new", "opponent": { "engine": engine }, "side": "white" });
        let game = page.ask(settings).await;
        let over = page.until("game", |g| g["game"] == game["game"] && g["status"] == "over").await;
        assert_eq!(over["ending"], json!({ "reason": "engine_failed", "winner": null }));
    }
    assert_eq!(
        page.ask(json!({ "type": "game.new", "opponent": { "engine": "none" } })).await["code"],
        "not_found"
    );
}

#[tokio::test]
async fn the_tree_search_is_an_opponent_in_both_games() {
    let server = start(Settings { engines: vec![tree_search()], ..Settings::default() }).await;
    let mut me = server.visitor();
    let hello = me.get("/api/hello").await.json();
    assert_eq!(hello["engines"][1]["id"], "nue-tree", "{hello}");
    let mut page = me.connect().await.unwrap();
    for variant in ["shogi", "minishogi"] {
        let opponent = json!({ "engine": "nue-tree", "movetime": 300 });
        let settings = json!({ "type": "game.new", "opponent": opponent, "variant": variant,
            "side": "white" });
        let game = page.ask(settings).await;
        let is = |g: &Value, moves| g["game"] == game["game"] && g["revision"] == moves;
        let moved = page.until("game", |g| is(g, 1)).await;
        assert_eq!(moved["opponent"]["name"]["en"], "Nue, tree search");
        let mut play = about("game.move", &game);
        play["move"] = moved["position"]["legal"][0].clone();
        page.ask(play).await;
        let answered = page.until("game", |g| is(g, 3)).await;
        assert_eq!(answered["status"], moved["status"], "{answered}");
    }
}

#[tokio::test]
async fn games_by_rest() {
    let server = start(Settings::default()).await;
    let mut me = server.visitor();
    let made = me.post("/api/games", &json!({ "opponent": { "human": true } })).await;
    assert_eq!(made.status, 201);
    let game = made.json();
    let mut page = me.connect().await.unwrap();
    for text in ["7g7f", "3c3d"] {
        let mut play = about("game.move", &game);
        play["move"] = text.into();
        page.ask(play).await;
    }
    page.ask(about("game.resign", &game)).await;
    let id = game["game"].as_str().unwrap();
    let tree = me.get(&format!("/api/games/{id}/tree")).await.json();
    assert_eq!(tree["nodes"][3]["end"], json!({ "reason": "resign", "winner": "white" }));
    let kif = me.get(&format!("/api/games/{id}/record?format=kif")).await;
    assert!(String::from_utf8(kif.body.clone()).unwrap().contains("７六歩(77)"));
    assert_eq!(kif.header("content-disposition").unwrap(), "attachment; filename=\"game.kif\"");
    assert_eq!(me.get(&format!("/api/games/{id}/record?format=doc")).await.code(), "bad_request");
    assert_eq!(me.post("/api/games", &json!({ "opponent": 7 })).await.code(), "bad_request");
}
