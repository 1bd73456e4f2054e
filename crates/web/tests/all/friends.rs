//! Games between two browsers: invitations, spectators, clocks, offers, reloads and restarts.

use crate::harness::{Settings, about, start};
use serde_json::{Value, json};

fn with(mut message: Value, more: &Value) -> Value {
    for (key, value) in more.as_object().into_iter().flatten() {
        message[key] = value.clone();
    }
    message
}

#[tokio::test]
async fn two_browsers_play_and_a_third_looks_on() {
    let server = start(Settings::default()).await;
    let (mut host, mut guest, mut third) = (server.visitor(), server.visitor(), server.visitor());
    for visitor in [&mut host, &mut guest, &mut third] {
        visitor.get("/api/hello").await;
    }
    let mut black = host.connect().await.unwrap();
    let mut white = guest.connect().await.unwrap();
    let mut watching = third.connect().await.unwrap();
    let new = json!({ "type": "game.new", "opponent": { "friend": true }, "name": "Tsuru",
        "clock": { "main": 600 } });
    let game = black.ask(new).await;
    assert_eq!((&game["you"], &game["may"]["move"]), (&json!("black"), &json!(false)));
    assert_eq!(
        (&game["friends"]["black"]["taken"], &game["clocks"]["running"]),
        (&json!(true), &Value::Null)
    );
    assert!(game["friends"]["black"].get("key").is_none(), "that seat is taken");
    let key = game["friends"]["white"]["key"].clone();

    let seen = watching.ask(about("game.open", &game)).await;
    assert_eq!((&seen["you"], &seen["friends"]["spectators"]), (&json!("watch"), &json!(1)));
    assert!(seen["friends"]["white"].get("key").is_none(), "invitations are the host's");
    let wrong = with(about("game.join", &game), &json!({ "key": "no such key" }));
    assert_eq!(watching.ask(wrong).await["code"], "not_found");

    let join = with(about("game.join", &game), &json!({ "key": key, "name": "Kame" }));
    let joined = white.ask(join.clone()).await;
    assert_eq!(
        (&joined["you"], &joined["opponent"]["name"]["en"]),
        (&json!("white"), &json!("Tsuru"))
    );
    // Of what streams only the latest is sure to come.
    let told = black.until("game", |g| g["clocks"]["running"] == "black").await;
    assert_eq!(
        (&told["may"]["move"], &told["friends"]["white"]["name"]),
        (&json!(true), &json!("Kame"))
    );
    assert_eq!(told["friends"]["white"]["here"], true);
    assert_eq!(watching.ask(join).await["code"], "not_allowed", "the seat is taken");

    let play = |text: &str| with(about("game.move", &game), &json!({ "move": text }));
    assert_eq!(white.ask(play("3c3d")).await["code"], "not_your_turn");
    assert_eq!(watching.ask(play("7g7f")).await["code"], "not_your_turn");
    black.ask(play("7g7f")).await;
    let seen = white.until("game", |g| g["may"]["move"] == true).await;
    assert_eq!(seen["moves"][0]["usi"], "7g7f");
    let seen = watching.until("game", |g| g["moves"].as_array().unwrap().len() == 1).await;
    assert_eq!((&seen["you"], &seen["may"]["move"]), (&json!("watch"), &json!(false)));
    assert_eq!(white.ask(about("game.hint", &game)).await["code"], "not_allowed");
    assert_eq!(watching.ask(about("game.resign", &game)).await["code"], "not_allowed");

    white.ask(with(about("game.offer", &game), &json!({ "what": "draw" }))).await;
    black.until("game", |g| g["may"]["reply"] == true).await;
    let over = black.ask(with(about("game.reply", &game), &json!({ "agree": true }))).await;
    assert_eq!(over["ending"], json!({ "reason": "draw", "winner": null }));
    for (visitor, you, owned) in [(&mut host, "black", true), (&mut guest, "white", false)] {
        let list = visitor.get("/api/games").await.json();
        assert_eq!((&list["total"], &list["games"][0]["you"]), (&json!(1), &json!(you)));
        assert_eq!(list["games"][0]["owned"], owned);
    }
    assert_eq!(third.get("/api/games").await.json()["total"], 0);
    let path = format!("/api/games/{}", game["game"].as_str().unwrap());
    let record = third.get(&format!("{path}/record?format=csa")).await;
    let record = String::from_utf8(record.body).unwrap();
    assert!(record.contains("N+Tsuru") && record.contains("N-Kame"), "{record}");
    assert_eq!(guest.ask("DELETE", &path, &[]).await.status, 404, "somebody else's to delete");
    assert_eq!(host.ask("DELETE", &path, &[]).await.status, 204);
}

#[tokio::test]
async fn seats_survive_reloads_and_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("games.db");
    let settings = |seed| Settings { data: Some(data.clone()), seed, ..Settings::default() };
    let server = start(settings(1)).await;
    let (mut host, mut guest) = (server.visitor(), server.visitor());
    host.get("/api/hello").await;
    guest.get("/api/hello").await;
    let mut page = host.connect().await.unwrap();
    // Somebody who only arranges the game: both sides are invited.
    let new = json!({ "type": "game.new", "opponent": { "friend": true }, "side": "watch" });
    let game = page.ask(new).await;
    assert_eq!(game["you"], "watch");
    let key = |side: &str| json!({ "key": game["friends"][side]["key"] });
    let mut other = guest.connect().await.unwrap();
    other.ask(with(about("game.join", &game), &key("white"))).await;
    drop(other);
    let again = guest.connect().await.unwrap().ask(about("game.open", &game)).await;
    assert_eq!(again["you"], "white", "after a reload");
    drop(page);
    server.stop().await;

    let server = start(settings(2)).await;
    (host.address, guest.address) = (server.address, server.address);
    let mut page = guest.connect().await.unwrap();
    assert_eq!(page.ask(about("game.open", &game)).await["you"], "white");
    let mut third = server.visitor();
    third.get("/api/hello").await;
    let mut black = third.connect().await.unwrap();
    let joined = black.ask(with(about("game.join", &game), &key("black"))).await;
    assert_eq!((&joined["you"], &joined["may"]["move"]), (&json!("black"), &json!(true)));
    let play = with(about("game.move", &game), &json!({ "move": "2g2f" }));
    assert_eq!(black.ask(play).await["moves"][0]["usi"], "2g2f");
}

#[tokio::test]
async fn low_levels_take_their_time() {
    let server = start(Settings::default()).await;
    let mut page = server.visitor().connect().await.unwrap();
    let new =
        json!({ "type": "game.new", "opponent": { "level": 1 }, "side": "white", "natural": true });
    let begun = std::time::Instant::now();
    let game = page.ask(new).await;
    assert_eq!(game["natural"], true);
    let moved = page.until("game", |g| g["may"]["move"] == true).await;
    assert!(begun.elapsed().as_millis() >= 600, "{:?}", begun.elapsed());
    assert!(moved["moves"][0]["ms"].as_u64().unwrap() >= 600, "{moved}");
}

#[tokio::test]
async fn the_level_follows_results() {
    let server = start(Settings::default()).await;
    let mut page = server.visitor();
    page.get("/api/hello").await;
    let mut socket = page.connect().await.unwrap();
    let adaptive = json!({ "type": "game.new", "opponent": { "level": 9, "adaptive": true } });
    let first = socket.ask(adaptive.clone()).await;
    assert_eq!(
        (&first["opponent"]["level"], &first["opponent"]["adaptive"]),
        (&json!(3), &json!(true))
    );
    // Mated at once, after moves enough to count.
    let start = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
    for _ in 0..2 {
        let game = socket
            .ask(json!({ "type": "game.new", "opponent": { "level": 3 }, "start": start }))
            .await;
        let mut now = game.clone();
        for text in ["5i5h", "5h5i", "5i5h"] {
            now = socket.ask(with(about("game.move", &game), &json!({ "move": text }))).await;
            if now["may"]["move"] == false {
                now = socket
                    .until("game", |g| g["game"] == game["game"] && g["may"]["move"] == true)
                    .await;
            }
        }
        assert!(now["moves"].as_array().unwrap().len() > 4);
        socket.ask(about("game.resign", &game)).await;
    }
    let next = socket.ask(adaptive).await;
    assert!(next["opponent"]["level"].as_u64().unwrap() < 3, "{next}");
}
