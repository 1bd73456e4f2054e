use super::*;
use board::game::Viewer;
use board::setup::{GameSettings, VisitorSide};
use serde_json::json;

fn game() -> Game {
    let settings: GameSettings =
        serde_json::from_value(json!({ "opponent": { "human": true }, "clock": { "main": 60 } }))
            .unwrap();
    Game::new(settings.resolve(&|_| None, 3).unwrap()).unwrap()
}

fn play(game: &mut Game, moves: &str) {
    for text in moves.split(' ') {
        game.play(VisitorSide::Both, text, None, Duration::ZERO).unwrap();
    }
}

fn same(store: &Store, id: &str, game: &Game) {
    let kept = store.load(id).unwrap().expect("stored");
    let viewer = || Viewer { who: VisitorSide::Both, thinking: None, presence: None };
    let view = |b: &Game| b.view("x", Dates::default(), Duration::ZERO, viewer());
    assert_eq!(view(&kept.game), view(game));
}

#[test]
fn games_lie_in_the_file_as_they_are() {
    let mut store = Store::in_memory().unwrap();
    let mut game = game();
    store.save("a", "me", &game, 1).unwrap();
    same(&store, "a", &game);
    for text in ["7g7f", "3c3d", "8h2b+", "3a2b", "B*4e"] {
        play(&mut game, text);
        store.save("a", "me", &game, 2).unwrap();
        same(&store, "a", &game);
    }
    for other in ["2g2f", "1c1d"] {
        game.take_back(VisitorSide::Both, Duration::ZERO).unwrap();
        store.save("a", "me", &game, 3).unwrap();
        same(&store, "a", &game);
        if other == "2g2f" {
            play(&mut game, other);
            store.save("a", "me", &game, 4).unwrap();
            same(&store, "a", &game);
        }
    }
    game.resign(VisitorSide::Both, Duration::ZERO).unwrap();
    store.save("a", "me", &game, 5).unwrap();
    same(&store, "a", &game);
    let list = store.list("me", &Part::ALL).unwrap();
    assert_eq!((list.len(), list[0].dates.updated, list[0].dates.created), (1, 5, 1));
    assert_eq!(list[0].ending, game.ending());
}

#[test]
fn nobody_sees_what_is_not_his() {
    let mut store = Store::in_memory().unwrap();
    store.save("a", "me", &game(), 1).unwrap();
    assert_eq!(store.load("a").unwrap().unwrap().owner, "me");
    assert!(store.load("b").unwrap().is_none());
    assert!(store.list("you", &Part::ALL).unwrap().is_empty());
    assert!(!store.delete("a", "you", 2).unwrap());
    assert!(store.delete("a", "me", 2).unwrap());
    assert!(store.list("me", &Part::ALL).unwrap().is_empty());
    assert!(!store.restore("a", "you").unwrap());
}

#[test]
fn the_bin_gives_games_back_for_a_month() {
    let mut store = Store::in_memory().unwrap();
    let mut one = game();
    play(&mut one, "7g7f");
    store.save("a", "me", &one, 1).unwrap();
    assert!(store.delete("a", "me", 2).unwrap() && !store.delete("a", "me", 3).unwrap());
    assert!(store.load("a").unwrap().is_none());
    assert_eq!(store.counts("me").unwrap(), [0, 1]);
    let bin = Part { deleted: true, ..Part::ALL };
    assert_eq!(store.list("me", &bin).unwrap().len(), 1);
    assert!(store.restore("a", "me").unwrap() && !store.restore("a", "me").unwrap());
    same(&store, "a", &one);
    store.delete("a", "me", 4).unwrap();
    store.delete("none", "me", 4 + BIN).unwrap();
    assert_eq!(store.counts("me").unwrap(), [0, 1], "a month is not over");
    store.delete("none", "me", 5 + BIN).unwrap();
    assert_eq!(store.counts("me").unwrap(), [0, 0]);
    assert!(store.moves("a").unwrap().is_empty());
}

#[test]
fn games_are_listed_in_parts() {
    let mut store = Store::in_memory().unwrap();
    let mut over = game();
    over.resign(VisitorSide::Both, Duration::ZERO).unwrap();
    for number in 0..5 {
        let one = if number % 2 == 0 { over.clone() } else { game() };
        store.save(&format!("g{number}"), "me", &one, number).unwrap();
    }
    let ids = |offset, limit| -> Vec<String> {
        let part = Part { deleted: false, offset, limit };
        store.list("me", &part).unwrap().into_iter().map(|e| e.id).collect()
    };
    assert_eq!(ids(0, 3), ["g3", "g1", "g4"], "those under way come first");
    assert_eq!(ids(3, 3), ["g2", "g0"]);
    assert_eq!(ids(9, 3), [""; 0]);
}

#[test]
fn old_games_free_a_place() {
    let mut store = Store::in_memory().unwrap();
    let mut over = game();
    over.resign(VisitorSide::Both, Duration::ZERO).unwrap();
    for number in 0..GAMES {
        let one = if number == 5 { over.clone() } else { game() };
        store.save(&format!("g{number}"), "me", &one, number as i64).unwrap();
    }
    store.free_a_place("me", 7).unwrap();
    assert!(store.load("g5").unwrap().is_none());
    assert_eq!(store.list("me", &Part::ALL).unwrap().len(), GAMES - 1);
    store.save("more", "me", &game(), 9).unwrap();
    assert_eq!(store.free_a_place("me", 7).unwrap_err().code, ErrorCode::TooMany);
    store.free_a_place("you", 7).unwrap();
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
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.db");
    {
        let mut store = Store::open(&path).unwrap();
        store.save("a", "me", &game(), 1).unwrap();
    }
    same(&Store::open(&path).unwrap(), "a", &game());
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(Store::open(&path).is_err());
    std::fs::write(
        folder.path().join("text.db"),
        "this is no database, it is a text file of some length",
    )
    .unwrap();
    assert!(Store::open(&folder.path().join("text.db")).is_err());
}

#[test]
fn a_file_of_the_first_version_is_brought_up_to_date() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.db");
    let mut store = Store::open(&path).unwrap();
    store.save("a", "me", &game(), 1).unwrap();
    // As the first version had it: no studies, no bin.
    let old = "DROP TABLE studies; ALTER TABLE games DROP COLUMN deleted; PRAGMA user_version = 1";
    store.connection.execute_batch(old).unwrap();
    drop(store);
    let mut store = Store::open(&path).unwrap();
    same(&store, "a", &game());
    assert!(store.delete("a", "me", 2).unwrap());
    drop(store);
    assert_eq!(Store::open(&path).unwrap().counts("me").unwrap(), [0, 1]);
}
