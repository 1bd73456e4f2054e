use super::*;
use board::setup::GameSettings;
use serde_json::json;

fn game() -> Game {
    let settings: GameSettings =
        serde_json::from_value(json!({ "opponent": { "human": true }, "clock": { "main": 60 } }))
            .unwrap();
    Game::new(settings.resolve(&|_| None, 3).unwrap()).unwrap()
}

fn play(game: &mut Game, moves: &str) {
    for text in moves.split(' ') {
        game.play(text, None, Duration::ZERO).unwrap();
    }
}

fn same(store: &Store, id: &str, game: &Game) {
    let kept = store.load(id, "me").unwrap().expect("stored");
    let view = |b: &Game| b.view("x", Dates::default(), Duration::ZERO, None);
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
        game.take_back(Duration::ZERO).unwrap();
        store.save("a", "me", &game, 3).unwrap();
        same(&store, "a", &game);
        if other == "2g2f" {
            play(&mut game, other);
            store.save("a", "me", &game, 4).unwrap();
            same(&store, "a", &game);
        }
    }
    game.resign(Duration::ZERO).unwrap();
    store.save("a", "me", &game, 5).unwrap();
    same(&store, "a", &game);
    let list = store.list("me").unwrap();
    assert_eq!((list.len(), list[0].dates.updated, list[0].dates.created), (1, 5, 1));
    assert_eq!(list[0].ending, game.ending());
}

#[test]
fn nobody_sees_what_is_not_his() {
    let mut store = Store::in_memory().unwrap();
    store.save("a", "me", &game(), 1).unwrap();
    assert!(store.load("a", "you").unwrap().is_none());
    assert!(store.load("b", "me").unwrap().is_none());
    assert!(store.list("you").unwrap().is_empty());
    assert!(!store.forget("a", "you").unwrap());
    assert!(store.forget("a", "me").unwrap());
    assert!(store.list("me").unwrap().is_empty());
    assert!(store.moves("a").unwrap().is_empty());
}

#[test]
fn old_games_free_a_place() {
    let mut store = Store::in_memory().unwrap();
    let mut over = game();
    over.resign(Duration::ZERO).unwrap();
    for number in 0..GAMES {
        let one = if number == 5 { over.clone() } else { game() };
        store.save(&format!("g{number}"), "me", &one, number as i64).unwrap();
    }
    store.free_a_place("me").unwrap();
    assert!(store.load("g5", "me").unwrap().is_none());
    assert_eq!(store.list("me").unwrap().len(), GAMES - 1);
    store.save("more", "me", &game(), 9).unwrap();
    assert_eq!(store.free_a_place("me").unwrap_err().code, ErrorCode::TooMany);
    store.free_a_place("you").unwrap();
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
