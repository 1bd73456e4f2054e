//! Who is let in, what is refused, and that nothing malformed does harm.

use crate::harness::{Settings, start};
use serde_json::{Value, json};

#[tokio::test]
async fn the_page_and_its_headers() {
    let server = start(Settings::default()).await;
    let mut me = server.visitor();
    let page = me.get("/").await;
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").unwrap().starts_with("text/html"));
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"));
    assert_eq!(page.header("x-content-type-options").unwrap(), "nosniff");
    assert!(me.cookie.is_some());
    let tag = page.header("etag").unwrap();
    let again = me.with("If-None-Match", &tag).get("/").await;
    assert_eq!((again.status, again.body.len()), (304, 0));
    let packed = me.with("Accept-Encoding", "gzip, br").get("/").await;
    if packed.header("content-encoding").is_some() {
        assert!(packed.body.starts_with(&[0x1f, 0x8b]));
    }
    for path in ["/nothing", "/../Cargo.toml", "/MANIFEST", "/api/nothing", "/%2e%2e/etc/passwd"] {
        let answer = me.get(path).await;
        assert_eq!((answer.status, answer.code().as_str()), (404, "not_found"), "{path}");
    }
    assert_eq!(me.ask("PUT", "/api/hello", b"").await.status, 405);
    assert_eq!(me.get("/api/health").await.body, b"ok\n");
}

#[tokio::test]
async fn foreign_origins_and_hosts_are_refused() {
    let server = start(Settings::default()).await;
    let me = server.visitor();
    let own = format!("http://{}", server.address);
    for (name, value, status) in [
        ("Origin", own.as_str(), 200),
        ("Origin", "http://evil.example", 403),
        ("Origin", "null", 403),
        ("Sec-Fetch-Site", "cross-site", 403),
        ("Sec-Fetch-Site", "same-site", 403),
        ("Sec-Fetch-Site", "same-origin", 200),
        ("Host", "evil.example", 403),
        ("Host", "localhost", 200),
    ] {
        let mut visitor = me.with(name, value);
        let answer = visitor.get("/api/hello").await;
        assert_eq!(answer.status, status, "{name}: {value}");
        if status == 403 {
            assert_eq!(answer.code(), "forbidden");
            assert_eq!(
                visitor.post("/api/games", &json!({ "opponent": { "level": 1 } })).await.status,
                403
            );
            assert!(visitor.cookie.is_none(), "no session for strangers");
        }
        let socket = me.with(name, value).connect().await;
        match status {
            200 => assert!(socket.is_ok(), "{name}: {value}"),
            _ => assert_eq!(socket.err(), Some(403), "{name}: {value}"),
        }
    }
    // A link from elsewhere may open the page, not ask for data.
    let linked = me.with("Sec-Fetch-Site", "cross-site").with("Sec-Fetch-Mode", "navigate");
    assert_eq!(linked.clone().get("/").await.status, 200);
    assert_eq!(linked.clone().get("/api/hello").await.status, 403);
}

#[tokio::test]
async fn a_token_opens_the_door_once() {
    let server = start(Settings { token: Some("right".to_owned()), ..Settings::default() }).await;
    let mut me = server.visitor();
    for path in ["/", "/api/hello", "/api/games", "/?token=wrong", "/?token="] {
        let answer = me.get(path).await;
        assert_eq!((answer.status, answer.code().as_str()), (401, "token_required"), "{path}");
    }
    // A person sees a page in words, a program what went wrong as data.
    let mut person = me.with("Accept", "text/html,*/*");
    let shown = person.get("/").await;
    assert_eq!(shown.status, 401);
    assert!(shown.header("content-type").unwrap().starts_with("text/html"));
    assert!(String::from_utf8_lossy(&shown.body).contains("?token="));
    assert_eq!(person.get("/api/hello").await.code(), "token_required");
    assert_eq!(me.connect().await.err(), Some(401));
    assert_eq!(me.get("/api/health").await.status, 200);
    let opened = me.get("/?token=right").await;
    assert_eq!((opened.status, opened.header("location").as_deref()), (303, Some("/")));
    assert_eq!(me.get("/api/hello").await.status, 200);
    assert!(me.connect().await.is_ok());
    assert_eq!(server.visitor().get("/api/hello").await.status, 401, "others are still outside");
}

/// Messages that mean nothing, and the code that says so.
fn malformed() -> Vec<(String, &'static str)> {
    let mut list: Vec<(String, &str)> = [
        "",
        "x",
        "[]",
        "7",
        "null",
        "\"game.new\"",
        "{",
        "{}",
        "{\"type\":7}",
        "{\"type\":\"nothing\"}",
        "{\"type\":\"game.new\"}",
        "{\"type\":\"game.new\",\"opponent\":{}}",
        "{\"type\":\"game.open\"}",
        "{\"type\":\"game.move\",\"game\":\"x\"}",
        "{\"type\":\"game.move\",\"game\":7,\"move\":\"7g7f\"}",
        "{\"type\":\"analysis.start\"}",
        "{\"type\":\"analysis.start\",\"slot\":\"\"}",
        "{\"type\":\"analysis.start\",\"slot\":\"a slot with a long name\"}",
        "{\"type\":\"analysis.start\",\"slot\":\"a\",\"multipv\":-1}",
        "{\"type\":\"analysis.start\",\"slot\":\"a\",\"variant\":\"chess\"}",
        "{\"type\":\"line\"}",
        "{\"type\":\"watch.start\",\"what\":\"tv\"}",
        "{\"type\":\"watch.start\"}",
        "{\"type\":\"position\",\"moves\":7}",
        "{\"type\":\"mate.start\",\"seconds\":\"x\"}",
    ]
    .map(|text| (text.to_owned(), "bad_request"))
    .to_vec();
    for (value, code) in [
        (json!({ "type": "game.open", "game": "none" }), "not_found"),
        (json!({ "type": "game.hint", "game": "none" }), "not_found"),
        (
            json!({ "type": "game.move", "game": "'; DROP TABLE games", "move": "7g7f" }),
            "not_found",
        ),
        (json!({ "type": "position", "sfen": "9/9" }), "bad_position"),
        (json!({ "type": "position", "moves": ["9z9z"] }), "illegal_move"),
        (json!({ "type": "analysis.start", "slot": "a", "moves": ["1a1b"] }), "illegal_move"),
        (json!({ "type": "watch.start", "what": "learn" }), "not_found"),
    ] {
        list.push((value.to_string(), code));
    }
    list.push(("[".repeat(5000), "bad_request"));
    list
}

#[tokio::test]
async fn malformed_messages_are_answered_and_do_no_harm() {
    let server = start(Settings::default()).await;
    let mut page = server.visitor().connect().await.unwrap();
    for (text, code) in malformed() {
        page.send(&text).await;
        let answer = page.receive().await.expect("still connected");
        assert_eq!((&answer["type"], &answer["code"]), (&json!("error"), &json!(code)), "{text}");
    }
    assert_eq!(page.ask(json!({ "type": "ping" })).await["type"], "pong");
    let wrong = page.ask(json!({ "type": "nothing" })).await;
    assert_eq!(wrong["code"], "bad_request", "with its id");
}

#[tokio::test]
async fn what_is_too_large_is_refused() {
    let server = start(Settings::default()).await;
    let mut me = server.visitor();
    let mut page = me.connect().await.unwrap();
    page.send(&format!("{{\"type\":\"ping\",\"x\":\"{}\"}}", "x".repeat(70_000))).await;
    assert_eq!(page.receive().await, None, "the connection is closed");
    let large = vec![b' '; (1 << 20) + 1];
    for path in ["/api/record/read", "/api/position", "/api/games", "/api/line"] {
        let answer = me.ask("POST", path, &large).await;
        assert_eq!((answer.status, answer.code().as_str()), (413, "too_large"), "{path}");
    }
    let larger = vec![b' '; (2 << 20) + 1];
    assert_eq!(me.ask("POST", "/api/record/write", &larger).await.status, 413);
    let moves = json!({ "moves": vec!["7g7f"; 2001] });
    assert_eq!(me.post("/api/position", &moves).await.code(), "too_large");
    assert_eq!(me.get("/api/hello").await.status, 200);
}

#[tokio::test]
async fn who_asks_too_fast_is_told_and_then_shown_out() {
    let server = start(Settings::default()).await;
    let mut me = server.visitor();
    let mut page = me.connect().await.unwrap();
    let (mut told, mut answered_first) = (0, 0);
    for _ in 0..2000 {
        page.send("{\"type\":\"ping\"}").await;
    }
    // Between refusals there may be answers: time passes, and some more is allowed.
    while let Some(answer) = page.receive().await {
        told += usize::from(answer["code"] == "too_fast");
        answered_first += usize::from(answer["type"] == "pong" && told == 0);
    }
    assert!(answered_first >= 120, "what is allowed is answered: {answered_first}");
    assert!(told > 0, "what is too fast is said to be");
    // Others are served meanwhile, and the same visitor may come again.
    assert_eq!(server.visitor().get("/api/hello").await.status, 200);
    assert_eq!(me.connect().await.unwrap().ask(json!({ "type": "ping" })).await["type"], "pong");
    let mut refused = 0;
    for _ in 0..400 {
        refused += usize::from(me.get("/api/health").await.status == 429);
    }
    assert!(refused < 400);
}

#[tokio::test]
async fn watching() {
    let server = start(Settings::default()).await;
    let mut me = server.visitor();
    assert_eq!(
        me.get("/api/watch").await.json(),
        json!({ "server": true, "match": false, "learn": false, "fleet": false, "cluster": false })
    );
    assert!(me.get("/api/watch/server").await.json()["at"].is_u64());
    assert_eq!(me.get("/api/watch/match").await.status, 404);
    assert_eq!(me.get("/api/watch/learn").await.status, 404);
    assert_eq!(me.get("/api/watch/server/records/a").await.json()["variant"], "shogi");
    assert_eq!(me.get("/api/watch/server/records/b").await.status, 404);
    assert_eq!(me.get("/api/watch/match/x/games/1").await.status, 404);
    let mut page = me.connect().await.unwrap();
    let first = page.ask(json!({ "type": "watch.start", "what": "server" })).await;
    let looks = |m: &Value| m["data"]["at"].as_u64().unwrap();
    let later = page.until("watch", |m| m.get("id").is_none()).await;
    assert_ne!(looks(&first), looks(&later));
    assert_eq!(page.ask(json!({ "type": "watch.stop", "what": "server" })).await["type"], "ok");
}

#[tokio::test]
async fn the_contract_names_every_address() {
    let server = start(Settings::default()).await;
    let document = server.visitor().get("/api/openapi.json").await.json();
    let paths = document["paths"].as_object().unwrap();
    let source = concat!(
        include_str!("../../src/http.rs"),
        include_str!("../../src/http/studies.rs"),
        include_str!("../../src/http/practice.rs"),
        include_str!("../../src/http/books.rs")
    );
    let pages = include_str!("../../../../docs/web-api.md");
    let mut count = 0;
    for rest in source.split(".route(\"").skip(1) {
        let (path, handlers) = rest.split_once('"').unwrap();
        assert!(pages.contains(path), "{path} is not in docs/web-api.md");
        // What is for eyes, not for programs, has no types.
        if !path.starts_with("/api/") {
            continue;
        }
        // One line, or up to the next call of the chain, or its end.
        let handlers = handlers.split("\n        .").next().unwrap();
        let handlers = handlers.split("\n}").next().unwrap();
        let known = paths.get(path).unwrap_or_else(|| panic!("{path} is not in the contract"));
        for method in ["get", "post", "put", "delete"] {
            let routed = handlers.contains(&format!("{method}("));
            assert_eq!(known.get(method).is_some(), routed, "{method} {path}");
        }
        count += 1;
    }
    assert_eq!(count, paths.len());
    let messages = &document["components"]["schemas"]["ClientMessage"]["oneOf"];
    let kinds = messages.as_array().unwrap().iter().map(|m| &m["properties"]["type"]["const"]);
    let kinds: Vec<&str> = kinds.map(|kind| kind.as_str().unwrap()).collect();
    assert!(kinds.len() > 15);
    for kind in kinds {
        assert!(pages.contains(kind), "{kind} is not in docs/web-api.md");
    }
}
