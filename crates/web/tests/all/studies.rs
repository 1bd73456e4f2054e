//! Studies over the wire: kept, changed, found, deleted, restored; and what is refused.

use crate::harness::{Browser, Settings, start};
use serde_json::{Value, json};

fn tree(moves: &[&str]) -> Value {
    let start = json!({ "parent": null, "comments": ["矢倉 to be"] });
    let nodes = std::iter::once(start)
        .chain(moves.iter().enumerate().map(|(i, m)| json!({ "parent": i, "move": m })));
    json!({ "variant": "shogi", "black": "Aoi", "nodes": nodes.collect::<Vec<_>>() })
}

async fn put(page: &mut Browser, id: &str, body: &Value) -> (u16, Value) {
    let path = format!("/api/studies/{id}");
    let answer = page.ask("PUT", &path, body.to_string().as_bytes()).await;
    (answer.status, answer.json())
}

#[tokio::test]
async fn a_study_is_kept_changed_and_found_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let data = Some(folder.path().join("web.db"));
    let server = start(Settings { data: data.clone(), ..Settings::default() }).await;
    let mut page = server.visitor();
    let body = json!({ "name": "First", "folder": "Openings", "tags": ["mine"],
        "source": "game:x", "at": ["7g7f"], "tree": tree(&["7g7f", "3c3d"]) });
    let made = page.post("/api/studies", &body).await;
    assert_eq!(made.status, 201);
    let made = made.json();
    let id = made["about"]["study"].as_str().unwrap().to_owned();
    assert_eq!((&made["about"]["plies"], &made["about"]["revision"]), (&json!(2), &json!(1)));
    assert_eq!(made["tree"]["nodes"][1]["ja"], "▲７六歩");

    let change = json!({ "revision": 1, "tree": tree(&["7g7f", "3c3d", "2g2f"]) });
    let (status, about) = put(&mut page, &id, &change).await;
    assert_eq!((status, &about["revision"]), (200, &json!(2)));
    // Made from what is no longer there: another window was faster.
    let (status, refused) = put(&mut page, &id, &change).await;
    assert_eq!((status, &refused["error"]["code"]), (409, &json!("changed_elsewhere")));
    let (status, about) = put(&mut page, &id, &json!({ "name": "Renamed" })).await;
    assert_eq!((status, &about["name"], &about["revision"]), (200, &json!("Renamed"), &json!(2)));
    server.stop().await;

    let server = start(Settings { data, seed: 2, ..Settings::default() }).await;
    page.address = server.address;
    let study = page.get(&format!("/api/studies/{id}")).await.json();
    assert_eq!(study["about"]["name"], "Renamed");
    assert_eq!(study["tree"]["nodes"][3]["move"], "2g2f");
    assert_eq!(study["at"], json!(["7g7f"]));
    for (query, found) in [
        ("q=renamed", 1),
        ("q=%E7%9F%A2%E5%80%89", 1),
        ("q=nothing", 0),
        ("folder=Openings", 1),
        ("tag=mine&q=aoi", 1),
        ("tag=yours", 0),
        ("source=game:x", 1),
        ("deleted=true", 0),
    ] {
        let list = page.get(&format!("/api/studies?{query}")).await.json();
        assert_eq!(list["total"], found, "{query}");
    }
    let rename = json!({ "from": "Openings", "to": "Books/Openings" });
    assert_eq!(page.post("/api/studies/folder", &rename).await.status, 204);
    assert_eq!(page.post("/api/studies/folder", &rename).await.status, 404);
    let list = page.get("/api/studies?folder=Books").await.json();
    assert_eq!(list["folders"], json!([{ "name": "Books/Openings", "count": 1 }]));
}

#[tokio::test]
async fn deleting_can_be_undone() {
    let server = start(Settings::default()).await;
    let mut page = server.visitor();
    let made = page.post("/api/studies", &json!({ "tree": tree(&[]) })).await.json();
    let path = format!("/api/studies/{}", made["about"]["study"].as_str().unwrap());
    let restore = format!("{path}/restore");
    assert_eq!(page.post(&restore, &json!({})).await.status, 404);
    assert_eq!(page.ask("DELETE", &path, b"").await.status, 204);
    let list = page.get("/api/studies").await.json();
    assert_eq!((&list["total"], &list["deleted"]), (&json!(0), &json!(1)));
    assert_eq!(page.get("/api/studies?deleted=true").await.json()["total"], 1);
    assert_eq!(page.post(&restore, &json!({})).await.status, 204);
    assert_eq!(page.get("/api/studies").await.json()["total"], 1);
    for _ in 0..2 {
        assert_eq!(page.ask("DELETE", &path, b"").await.status, 204);
    }
    assert_eq!(page.get(&path).await.status, 404);

    let game = page.post("/api/games", &json!({ "opponent": { "human": true } })).await.json();
    let path = format!("/api/games/{}", game["game"].as_str().unwrap());
    assert_eq!(page.ask("DELETE", &path, b"").await.status, 204);
    assert_eq!(page.get(&path).await.status, 404);
    let bin = page.get("/api/games?deleted=true").await.json();
    assert_eq!((&bin["total"], bin["games"].as_array().unwrap().len()), (&json!(1), 1));
    assert_eq!(page.post(&format!("{path}/restore"), &json!({})).await.status, 204);
    assert_eq!(page.get(&path).await.status, 200);
}

#[tokio::test]
async fn what_is_no_study_is_refused_and_nobody_reads_anothers() {
    let server = start(Settings::default()).await;
    let mut page = server.visitor();
    for (body, code) in [
        (json!({}), "bad_request"),
        (json!({ "tree": tree(&["7g7e"]) }), "illegal_move"),
        (json!({ "name": "x".repeat(200), "tree": tree(&[]) }), "too_large"),
    ] {
        assert_eq!(page.post("/api/studies", &body).await.code(), code, "{body}");
    }
    assert_eq!(page.post("/api/studies", &json!("no")).await.code(), "bad_request");
    assert_eq!(page.get("/api/studies?offset=x").await.code(), "bad_request");
    assert_eq!(page.get("/api/games?limit=-1").await.code(), "bad_request");
    let made = page.post("/api/studies", &json!({ "tree": tree(&["7g7f"]) })).await.json();
    let id = made["about"]["study"].as_str().unwrap();
    let (status, _) = put(&mut page, id, &json!({ "tree": tree(&[]) })).await;
    assert_eq!(status, 400, "a record needs the revision it was made from");
    let mut other = server.visitor();
    assert_eq!(other.get(&format!("/api/studies/{id}")).await.status, 404);
    assert_eq!(put(&mut other, id, &json!({ "name": "mine" })).await.0, 404);
    assert_eq!(other.ask("DELETE", &format!("/api/studies/{id}"), b"").await.status, 404);
    assert_eq!(other.get("/api/studies").await.json()["total"], 0);
}
