//! Requests: what is kept, read and written.

use crate::browser::Browser;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn mate_problems_are_solved_by_playing_and_come_back() {
    let mut browser = Browser::new(BTreeMap::new());
    let (_, next) = browser.json("GET", "tsume", &Value::Null);
    let id = next["problem"]["id"].as_str().unwrap().to_owned();
    let path = format!("tsume/{id}");
    let (status, given_up) = browser.json("POST", &path, &json!({ "giveUp": true }));
    assert_eq!((status, &given_up["state"]), (200, &json!("wrong")));
    let line = given_up["solution"]["line"].clone();
    let (_, solved) = browser.json("POST", &path, &json!({ "moves": line }));
    assert_eq!(solved["state"], "solved");
    let mut later = Browser::new(browser.kept.clone());
    let (_, next) = later.json("GET", "tsume", &Value::Null);
    assert_ne!(next["problem"]["id"], json!(id), "what was met comes back later");
    assert_eq!(next["progress"]["met"], 1);
    assert_eq!(browser.json("POST", "tsume/none", &json!({})).0, 404);
}

fn tree(moves: &[&str]) -> Value {
    let node = |(parent, usi): (usize, &&str)| json!({ "parent": parent, "move": usi });
    let nodes: Vec<Value> = std::iter::once(json!({ "parent": null }))
        .chain(moves.iter().enumerate().map(node))
        .collect();
    json!({ "variant": "shogi", "start": "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "headers": [], "nodes": nodes })
}

#[test]
fn studies_are_kept_found_moved_and_deleted() {
    let mut browser = Browser::new(BTreeMap::new());
    let new = json!({ "name": "First", "folder": "a/b", "tags": ["t"], "tree": tree(&["7g7f"]) });
    let (status, study) = browser.json("POST", "studies", &new);
    assert_eq!((status, &study["about"]["revision"]), (201, &json!(1)), "{study}");
    let path = format!("studies/{}", study["about"]["study"].as_str().unwrap());
    let change = json!({ "revision": 1, "tree": tree(&["7g7f", "3c3d"]) });
    assert_eq!(browser.json("PUT", &path, &change).1["plies"], 2);
    assert_eq!(browser.json("PUT", &path, &change).1["error"]["code"], "changed_elsewhere");
    assert_eq!(browser.json("POST", "studies/folder", &json!({ "from": "a", "to": "c" })).0, 204);
    let mut later = Browser::new(browser.kept.clone());
    let (_, list) = later.json("GET", "studies?q=first&folder=c&limit=5", &Value::Null);
    assert_eq!((&list["total"], &list["studies"][0]["folder"]), (&json!(1), &json!("c/b")));
    assert_eq!(
        later.json("GET", &path, &Value::Null).1["tree"]["nodes"].as_array().map(Vec::len),
        Some(3)
    );
    assert_eq!(later.json("DELETE", &path, &Value::Null).0, 204);
    assert_eq!(later.json("GET", "studies?deleted=true", &Value::Null).1["total"], 1);
    assert_eq!(later.json("POST", &format!("{path}/restore"), &json!({})).0, 204);
    for _ in 0..2 {
        assert_eq!(later.json("DELETE", &path, &Value::Null).0, 204);
    }
    assert!(!later.kept.keys().any(|key| key.starts_with("study:")), "gone for good");
    assert_eq!(later.json("GET", &path, &Value::Null).0, 404);
}

#[test]
fn records_are_read_and_written_in_every_encoding() {
    let mut browser = Browser::new(BTreeMap::new());
    let write = |encoding: &str| json!({ "format": "kif", "encoding": encoding, "tree": tree(&["7g7f", "3c3d"]) });
    let mut files = Vec::new();
    for encoding in ["utf-8", "shift_jis"] {
        let response =
            browser.request("POST", "record/write", write(encoding).to_string().as_bytes());
        assert_eq!(response.status, 200);
        let read = browser.request("POST", "record/read?variant=shogi&name=a.kif", &response.body);
        let trees: Value = serde_json::from_slice(&read.body).unwrap();
        assert_eq!(trees["games"][0]["nodes"][2]["move"], "3c3d", "{encoding}");
        files.push(response.body);
    }
    assert_ne!(files[0], files[1]);
    assert_eq!(browser.request("POST", "record/read", b"nothing of the kind").status, 422);
}

#[test]
fn games_are_listed_deleted_and_restored() {
    let mut browser = Browser::new(BTreeMap::new());
    let (status, game) = browser.json("POST", "games", &json!({ "opponent": { "human": true } }));
    assert_eq!(status, 201);
    let path = format!("games/{}", game["game"].as_str().unwrap());
    assert_eq!(browser.request("GET", &format!("{path}/record?format=csa"), b"").status, 200);
    assert_eq!(browser.json("GET", &format!("{path}/tree"), &Value::Null).0, 200);
    assert_eq!(browser.json("DELETE", &path, &Value::Null).0, 204);
    assert_eq!(browser.json("GET", &path, &Value::Null).0, 404);
    assert_eq!(browser.json("GET", "games?deleted=true", &Value::Null).1["total"], 1);
    assert_eq!(browser.json("POST", &format!("{path}/restore"), &json!({})).0, 204);
    assert_eq!(browser.json("GET", &path, &Value::Null).0, 200);
    assert_eq!(browser.json("GET", "games?offset=none", &Value::Null).0, 400);
}

/// Requests of a server's that this board does not answer, because they need one.
const SERVERS_OWN: [&str; 24] = [
    "GET /",
    "GET /api/health",
    "GET /api/openapi.json",
    "GET /api/qr",
    "GET /api/ws",
    "GET /api/watch",
    "GET /api/watch/server",
    "GET /api/watch/server/records/{id}",
    "GET /api/watch/match",
    "GET /api/watch/match/{name}/games/{number}",
    "GET /api/watch/learn",
    "GET /api/watch/fleet",
    "GET /api/watch/cluster",
    // Books are kept by a server: they outgrow what a browser keeps for a page.
    "GET /api/books",
    "POST /api/books",
    "POST /api/books/read",
    "PUT /api/books/{book}",
    "DELETE /api/books/{book}",
    "GET /api/books/{book}/file",
    "POST /api/books/{book}/edit",
    "POST /api/books/{book}/look",
    "POST /api/books/{book}/undo",
    "POST /api/books/{book}/redo",
    "POST /api/books/{book}/restore",
];

#[test]
fn every_request_of_the_contract_is_answered_or_named_as_a_servers_own() {
    let contract: Value =
        serde_json::from_str(include_str!("../../../web/src/openapi.json")).unwrap();
    let mut browser = Browser::new(BTreeMap::new());
    let mut unknown = BTreeSet::new();
    for (path, methods) in contract["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let request = format!("{} {path}", method.to_uppercase());
            let Some(path) = path.strip_prefix("/api/") else {
                unknown.insert(request);
                continue;
            };
            let path = path.split('?').next().unwrap_or_default();
            let answer = browser.request(&method.to_uppercase(), path, b"");
            if String::from_utf8_lossy(&answer.body).contains("without a server") {
                unknown.insert(request);
            }
        }
    }
    let known: BTreeSet<String> = SERVERS_OWN.iter().map(|&text| text.to_owned()).collect();
    let new: Vec<_> = unknown.difference(&known).collect();
    assert!(new.is_empty(), "answer these in requests.rs, or name them here: {new:?}");
}
