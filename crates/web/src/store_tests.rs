use super::*;
use crate::bout::Thinking;
use crate::setup::Wish;
use serde_json::json;

fn bout() -> Bout {
    let wish: Wish =
        serde_json::from_value(json!({ "opponent": { "human": true }, "clock": { "main": 60 } }))
            .unwrap();
    Bout::new(wish.resolve(&|_| None, 3).unwrap()).unwrap()
}

fn play(bout: &mut Bout, moves: &str) {
    for text in moves.split(' ') {
        bout.play(text, None, Duration::ZERO).unwrap();
    }
}

fn same(store: &Store, id: &str, bout: &Bout) {
    let kept = store.load(id, "me").unwrap().expect("stored");
    let view = |b: &Bout| b.view("x", Duration::ZERO, Thinking::No);
    assert_eq!(view(&kept.bout), view(bout));
}

#[test]
fn games_lie_in_the_file_as_they_are() {
    let mut store = Store::in_memory().unwrap();
    let mut bout = bout();
    store.save("a", "me", &bout, 1).unwrap();
    same(&store, "a", &bout);
    for text in ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"] {
        play(&mut bout, text);
        store.save("a", "me", &bout, 2).unwrap();
        same(&store, "a", &bout);
    }
    for other in ["2g2f", "1c1d"] {
        bout.take_back(Duration::ZERO).unwrap();
        store.save("a", "me", &bout, 3).unwrap();
        same(&store, "a", &bout);
        if other == "2g2f" {
            play(&mut bout, other);
            store.save("a", "me", &bout, 4).unwrap();
            same(&store, "a", &bout);
        }
    }
    bout.resign(Duration::ZERO).unwrap();
    store.save("a", "me", &bout, 5).unwrap();
    same(&store, "a", &bout);
    let list = store.list("me").unwrap();
    assert_eq!((list.len(), list[0].updated, list[0].created), (1, 5, 1));
    assert_eq!(list[0].ending, bout.ending());
}

#[test]
fn nobody_sees_what_is_not_his() {
    let mut store = Store::in_memory().unwrap();
    store.save("a", "me", &bout(), 1).unwrap();
    assert!(store.load("a", "you").unwrap().is_none());
    assert!(store.load("b", "me").unwrap().is_none());
    assert!(store.list("you").unwrap().is_empty());
    assert!(!store.forget("a", "you").unwrap());
    assert!(store.forget("a", "me").unwrap());
    assert!(store.list("me").unwrap().is_empty());
    assert!(store.moves("a").unwrap().is_empty());
}

#[test]
fn old_games_make_room() {
    let mut store = Store::in_memory().unwrap();
    let mut over = bout();
    over.resign(Duration::ZERO).unwrap();
    for number in 0..GAMES {
        let one = if number == 5 { over.clone() } else { bout() };
        store.save(&format!("g{number}"), "me", &one, number as i64).unwrap();
    }
    store.make_room("me").unwrap();
    assert!(store.load("g5", "me").unwrap().is_none());
    assert_eq!(store.list("me").unwrap().len(), GAMES - 1);
    store.save("more", "me", &bout(), 9).unwrap();
    assert_eq!(store.make_room("me").unwrap_err().code, Code::TooMany);
    store.make_room("you").unwrap();
}

#[test]
fn guests_stay_guests() {
    let mut store = Store::in_memory().unwrap();
    assert!(!store.is_admitted("x").unwrap());
    store.admit("x", 1).unwrap();
    store.admit("x", 2).unwrap();
    assert!(store.is_admitted("x").unwrap() && !store.is_admitted("y").unwrap());
}

#[test]
fn a_file_is_opened_again_and_a_foreign_one_left_alone() {
    let folder = std::env::temp_dir().join(format!("nue-web-store-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("games.db");
    {
        let mut store = Store::open(&path).unwrap();
        store.save("a", "me", &bout(), 1).unwrap();
    }
    same(&Store::open(&path).unwrap(), "a", &bout());
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(Store::open(&path).is_err());
    std::fs::write(folder.join("text.db"), "this is no database, it is a text file of some length")
        .unwrap();
    assert!(Store::open(&folder.join("text.db")).is_err());
    std::fs::remove_dir_all(&folder).unwrap();
}
