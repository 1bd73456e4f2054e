//! Opening books over the wire: looked at, changed and undone, read and written, played, grown.

use crate::harness::{Answer, Browser, Settings, about, start};
use book::{Book, BookMove, Entry, Library};
use rules::{AnyPosition, Game, Move};
use serde_json::{Value, json};
use web::books::SharedBook;

async fn new_book(page: &mut Browser) -> String {
    let made = page.post("/api/books", &json!({ "name": "mine" })).await;
    assert_eq!(made.status, 201);
    made.json()["book"].as_str().unwrap().to_owned()
}

async fn look(page: &mut Browser, book: &str, moves: &[&str]) -> Value {
    let answer = page.post(&format!("/api/books/{book}/look"), &json!({ "moves": moves })).await;
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
    answer.json()
}

async fn edit(page: &mut Browser, book: &str, edit: Value) -> Answer {
    page.post(&format!("/api/books/{book}/edit"), &edit).await
}

fn moves(page: &Value) -> Vec<&str> {
    page["moves"].as_array().unwrap().iter().map(|m| m["move"].as_str().unwrap()).collect()
}

/// A book with one move at the start.
fn shared(mv: &str) -> SharedBook {
    let start = AnyPosition::startpos(Game::Shogi);
    let valued = BookMove::valued(Move::from_usi(Game::Shogi, mv).unwrap(), 60, 20);
    let entry = Entry { moves: vec![valued], ..Entry::of(&start).unwrap() };
    SharedBook::new("s", "theirs", Game::Shogi, Library::new(vec![Book::of_entries("s", [entry])]))
}

#[tokio::test]
async fn a_book_is_changed_and_every_change_undone() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("games.db");
    let settings = |seed| Settings { data: Some(data.clone()), seed, ..Settings::default() };
    let server = start(settings(1)).await;
    let mut page = server.visitor();
    let book = new_book(&mut page).await;
    assert_eq!(
        look(&mut page, &book, &[]).await["passed"]["en"],
        "the position is not in the book"
    );
    edit(&mut page, &book, json!({ "move": "7g7f", "value": 30 })).await;
    let told = edit(&mut page, &book, json!({ "move": "9g9f", "value": -200 })).await.json();
    assert_eq!((&told["undo"], &told["positions"]), (&json!(true), &json!(1)));
    let shown = look(&mut page, &book, &[]).await;
    assert_eq!(moves(&shown), ["7g7f", "9g9f"]);
    assert_eq!(
        (&shown["moves"][0]["chance"], &shown["moves"][1]["chance"]),
        (&json!(1.0), &json!(0.0))
    );
    assert!(shown["moves"][1]["refused"]["ja"].as_str().unwrap().contains("下限"));
    for (bad, status) in [
        (json!({ "move": "7g7c" }), 400),
        (json!({ "move": "5g5f", "remove": true }), 404),
        (json!({ "variant": "minishogi", "move": "2e2d" }), 400),
    ] {
        assert_eq!(edit(&mut page, &book, bad.clone()).await.status, status, "{bad}");
    }
    server.stop().await;
    let server = start(settings(2)).await;
    page.address = server.address;
    for left in [&["7g7f"][..], &[]] {
        let undone = page.post(&format!("/api/books/{book}/undo"), &json!({})).await;
        assert_eq!(undone.status, 200);
        assert_eq!(moves(&look(&mut page, &book, &[]).await), left);
    }
    assert_eq!(page.post(&format!("/api/books/{book}/undo"), &json!({})).await.status, 409);
    page.post(&format!("/api/books/{book}/redo"), &json!({})).await;
    assert_eq!(moves(&look(&mut page, &book, &[]).await), ["7g7f"]);
    let mut stranger = server.visitor();
    for path in ["look", "edit", "undo"] {
        let answer = stranger.post(&format!("/api/books/{book}/{path}"), &json!({})).await;
        assert_eq!(answer.status, 404, "{path}");
    }
    assert_eq!(page.ask("DELETE", &format!("/api/books/{book}"), b"").await.status, 204);
    let left = page.get("/api/books").await.json();
    assert!(left["books"].as_array().unwrap().iter().all(|b| b["own"] == false), "{left}");
    assert_eq!(page.post(&format!("/api/books/{book}/restore"), &json!({})).await.status, 204);
    assert_eq!(moves(&look(&mut page, &book, &[]).await), ["7g7f"]);
}

#[tokio::test]
async fn a_book_goes_through_a_file_and_back() {
    let server = start(Settings::default()).await;
    let mut page = server.visitor();
    let book = new_book(&mut page).await;
    edit(&mut page, &book, json!({ "line": true, "moves": ["7g7f", "3c3d"] })).await;
    edit(&mut page, &book, json!({ "move": "7g7f", "value": 45 })).await;
    for format in ["nbk", "db", "ybb", "sbk"] {
        let file = page.get(&format!("/api/books/{book}/file?format={format}")).await;
        assert_eq!(file.status, 200, "{format}");
        let name = format!("/api/books/read?name=joseki.{format}");
        let read = page.ask("POST", &name, &file.body).await;
        assert_eq!(read.status, 201, "{format}: {}", String::from_utf8_lossy(&read.body));
        let facts = read.json();
        assert_eq!((&facts["name"], &facts["positions"]), (&json!("joseki"), &json!(2)));
        let again = look(&mut page, facts["book"].as_str().unwrap(), &[]).await;
        assert_eq!(again["moves"][0]["score"]["cp"], 45, "{format}");
    }
    assert_eq!(page.get(&format!("/api/books/{book}/file?format=pgn")).await.status, 400);
    for (name, bytes) in [("x.db", &b"nonsense"[..]), ("x.nbk", b""), ("x", b"12345678")] {
        let read = page.ask("POST", &format!("/api/books/read?name={name}"), bytes).await;
        assert_eq!((read.status, read.code().as_str()), (422, "unreadable"), "{name}");
    }
}

#[tokio::test]
async fn levels_play_from_a_book_and_the_page_shows_the_game_in_it() {
    let server = start(Settings { books: vec![shared("1g1f")], ..Settings::default() }).await;
    let mut page = server.visitor();
    let listed = page.get("/api/books").await.json();
    assert_eq!(
        (&listed["books"][0]["book"], &listed["books"][0]["own"]),
        (&json!("s"), &json!(false))
    );
    assert_eq!(edit(&mut page, "s", json!({ "move": "7g7f" })).await.status, 409);
    let own = new_book(&mut page).await;
    edit(&mut page, &own, json!({ "move": "9g9f" })).await;
    let mut socket = page.connect().await.unwrap();
    for (book, expected) in [(json!(null), "1g1f"), (json!("s"), "1g1f"), (json!(own), "9g9f")] {
        let asked = json!({ "type": "game.new", "opponent": { "level": 1 }, "side": "white", "book": book });
        let game = socket.ask(asked).await;
        let played =
            socket.until("game", |g| g["game"] == game["game"] && g["may"]["move"] == true);
        assert_eq!(played.await["moves"][0]["usi"], expected, "{book}");
        socket.ask(about("game.resign", &game)).await;
    }
    let shown = look(&mut page, "s", &[]).await;
    let games = shown["games"].as_array().unwrap();
    assert_eq!(games.len(), 3, "{games:?}");
    assert!(games.iter().all(|g| g["result"] == json!(0.0)));
    assert_eq!(look(&mut page, "s", &["1g1f"]).await["games"], json!([]));
    let unknown = json!({ "type": "game.new", "opponent": { "level": 1 }, "book": "nothing" });
    assert_eq!(socket.ask(unknown).await["code"], "not_found");
}

#[tokio::test]
async fn the_small_books_can_be_looked_at() {
    let server = start(Settings::default()).await;
    let mut page = server.visitor();
    let shown = look(&mut page, "nue-shogi", &[]).await;
    assert!(shown["moves"].as_array().unwrap().len() > 1, "{shown}");
    assert_eq!(shown["book"]["own"], false);
    let other = json!({ "variant": "minishogi" });
    let small = page.post("/api/books/nue-minishogi/look", &other).await;
    assert!(!small.json()["moves"].as_array().unwrap().is_empty());
    assert_eq!(page.post("/api/books/nue-shogi/look", &other).await.status, 400);
}

#[tokio::test]
async fn a_book_grows_from_a_position_and_is_undone_at_once() {
    let server = start(Settings::default()).await;
    let mut page = server.visitor();
    let book = new_book(&mut page).await;
    edit(&mut page, &book, json!({ "move": "7g7f" })).await;
    let mut socket = page.connect().await.unwrap();
    let grow = |book: &str, positions: u32| {
        json!({ "type": "book.grow", "serial": 1, "book": book, "moves": ["7g7f"],
            "positions": positions, "effort": "quick" })
    };
    assert_eq!(socket.ask(grow(&book, 6)).await["state"], "queued");
    let done = socket.until("growth", |m| m["state"] == "done").await;
    assert_eq!((&done["done"], &done["total"]), (&json!(6), &json!(6)));
    let grown = look(&mut page, &book, &["7g7f"]).await;
    assert_eq!(grown["book"]["positions"], 7);
    assert!(grown["moves"].as_array().unwrap().len() >= 4);
    let start = look(&mut page, &book, &[]).await;
    assert_eq!(start["moves"][0]["score"], grown["moves"][0]["score"], "carried back");
    page.post(&format!("/api/books/{book}/undo"), &json!({})).await;
    assert_eq!(look(&mut page, &book, &[]).await["book"]["positions"], 1);
    assert_eq!(socket.ask(json!({ "type": "book.stop" })).await["state"], "stopped");
    assert_eq!(socket.ask(json!({ "type": "book.stop" })).await["type"], "ok");
    assert_eq!(socket.ask(grow("nothing", 6)).await["code"], "not_found");
    assert_eq!(socket.ask(grow(&book, 0)).await["code"], "bad_request");
}
