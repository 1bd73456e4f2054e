//! Mate problems and games by opening over the wire.

use crate::harness::{Settings, about, start};
use serde_json::{Value, json};

#[tokio::test]
async fn problems_are_solved_and_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("games.db");
    let settings = |seed| Settings { data: Some(data.clone()), seed, ..Settings::default() };
    let server = start(settings(1)).await;
    let mut page = server.visitor();
    let next = page.get("/api/tsume").await.json();
    let id = next["problem"]["id"].as_str().unwrap().to_owned();
    assert_eq!((&next["again"], &next["progress"]["met"]), (&json!(false), &json!(0)));
    assert!(next["problem"].get("solution").is_none(), "not before it is solved");
    let path = format!("/api/tsume/{id}");
    for (body, status) in [
        (json!({ "moves": [] }), 400),
        (json!({ "moves": ["9z9z"] }), 400),
        (json!({ "moves": "x" }), 400),
    ] {
        assert_eq!(page.post(&path, &body).await.status, status, "{body}");
    }
    assert_eq!(page.post("/api/tsume/none", &json!({ "giveUp": true })).await.status, 404);
    let shown = page.post(&path, &json!({ "giveUp": true })).await.json();
    assert_eq!((&shown["progress"]["met"], &shown["progress"]["solved"]), (&json!(1), &json!(0)));
    let line: Vec<Value> = shown["solution"]["line"].as_array().unwrap().clone();
    // Whoever has seen the solution meets something else first.
    let other = page.get("/api/tsume").await.json();
    assert_ne!(other["problem"]["id"], id.as_str());
    let solved = page.post(&path, &json!({ "moves": line })).await.json();
    assert_eq!((&solved["state"], &solved["progress"]["solved"]), (&json!("solved"), &json!(1)));
    server.stop().await;
    let server = start(settings(2)).await;
    page.address = server.address;
    let kept = page.get("/api/tsume").await.json();
    assert_eq!(kept["progress"]["solved"], 1, "after a restart");
    let mut stranger = server.visitor();
    assert_eq!(stranger.get("/api/tsume").await.json()["progress"]["met"], 0);
}

#[tokio::test]
async fn games_are_sorted_by_opening() {
    let server = start(Settings::default()).await;
    let mut page = server.visitor();
    page.get("/api/hello").await;
    let mut socket = page.connect().await.unwrap();
    assert_eq!(page.get("/api/openings").await.json()["openings"], json!([]));
    let game = socket.ask(json!({ "type": "game.new", "opponent": { "human": true } })).await;
    for text in "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 5i6h 5a6b 6h7h 6b7b".split(' ') {
        let mut play = about("game.move", &game);
        play["move"] = text.into();
        assert_eq!(socket.ask(play).await["type"], "game");
    }
    assert_eq!(page.get("/api/openings").await.json()["openings"], json!([]), "not over yet");
    socket.ask(about("game.resign", &game)).await;
    let found = page.get("/api/openings").await.json();
    assert_eq!(found["openings"][0]["id"], "fourth");
    assert_eq!(
        (&found["openings"][0]["other"], &found["openings"][0]["games"][0]),
        (&json!(1), &game["game"])
    );
}
