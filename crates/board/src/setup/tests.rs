use super::*;
use crate::level::worth_in_levels;
use serde_json::{Value, json};

fn settings(value: Value) -> Result<Setup, ApiError> {
    let settings: GameSettings =
        serde_json::from_value(value).map_err(|e| ApiError::bad(e.to_string()))?;
    settings.resolve(&|id| (id == "x").then(|| ("X".to_owned(), vec![rules::Game::Shogi])), 4)
}

#[test]
fn little_needs_to_be_said() {
    let setup = settings(json!({ "opponent": { "level": 3 } })).unwrap();
    assert_eq!((setup.variant.as_str(), setup.you), ("shogi", VisitorSide::Black));
    assert_eq!((setup.handicap.as_deref(), setup.rule()), (Some("even"), Declaration::Points27));
    assert_eq!((setup.max_moves, setup.clock), (500, None));
    let again: Setup = serde_json::from_value(json!(setup)).unwrap();
    assert_eq!(again, setup, "as it is stored");
}

#[test]
fn an_adapting_level_knows_what_a_handicap_is_worth() {
    let level = |handicap: &str, side: &str, seed| {
        let mut settings: GameSettings = serde_json::from_value(json!({
            "opponent": { "level": 1, "adaptive": true }, "handicap": handicap, "side": side,
        }))
        .expect("settings");
        let game = LevelGame { level: 5, advantage: 0.0, result: 0.5 };
        settings.adapt(&[game; 9], &|_| None, seed).expect("sensible");
        let setup = settings.resolve(&|_| None, seed).expect("sensible");
        let Opponent::Level { level, adaptive: true } = setup.opponent else {
            panic!("{:?}", setup.opponent)
        };
        assert!(setup.name.en.starts_with(&format!("Level {level} ")), "{}", setup.name.en);
        level
    };
    let worth = |name: &str| worth_in_levels(name.parse().expect("a handicap"), 5);
    for handicap in ["even", "rook", "6"] {
        for (side, sign) in [("black", 1.0), ("white", -1.0)] {
            let wanted = (5.0 + sign * worth(handicap)).round() as u32;
            assert_eq!(level(handicap, side, 1), wanted, "{handicap} {side}");
        }
    }
    // Whichever side chance gives.
    let [black, white] = ["black", "white"].map(|side| level("6", side, 1));
    assert_eq!([level("6", "random", 0), level("6", "random", 1)], [black, white]);
}

#[test]
fn only_games_against_levels_say_how_strong_somebody_is() {
    let setup = |asked| settings(asked).expect("sensible");
    let asked = json!({ "opponent": { "level": 4 }, "handicap": "2", "side": "white" });
    let given = setup(asked);
    let won = Ending::won(Color::White, play::Reason::Mate);
    let game = given.level_game(won, 40).expect("a level");
    let worth = worth::between_levels(Handicap::Two, 4.0).points();
    assert_eq!((game.level, game.advantage, game.result), (4, -worth, 1.0));
    let lost = Ending::won(Color::Black, play::Reason::Mate);
    assert_eq!(given.level_game(lost, 40).map(|game| game.result), Some(0.0));
    let drawn = Ending::draw(play::Reason::Repetition);
    assert_eq!(given.level_game(drawn, 40).map(|game| game.result), Some(0.5));
    assert_eq!(given.level_game(won, 4), None, "nothing was played");
    let people = setup(json!({ "opponent": { "human": true } }));
    assert_eq!(people.level_game(won, 40), None);
}

#[test]
fn all_handicaps_and_both_games() {
    for handicap in Handicap::ALL {
        let setup =
            settings(json!({ "opponent": { "level": 1 }, "handicap": handicap.name() })).unwrap();
        assert_eq!(setup.start, handicap.sfen());
    }
    let mini = json!({ "variant": "minishogi", "opponent": { "level": 1 }, "side": "random" });
    let setup = settings(mini).unwrap();
    assert_eq!((setup.rule(), setup.you), (Declaration::None, VisitorSide::Black));
    let two = settings(json!({ "opponent": { "human": true }, "side": "white" })).unwrap();
    assert!(two.you.has(Color::Black) && two.you.has(Color::White));
}

#[test]
fn what_cannot_be_played_is_refused() {
    for wrong in [
        json!({}),
        json!({ "opponent": { "level": 0 } }),
        json!({ "opponent": { "level": 11 } }),
        json!({ "opponent": { "level": "x" } }),
        json!({ "opponent": { "human": false } }),
        json!({ "opponent": { "engine": "y" } }),
        json!({ "opponent": { "engine": "x" }, "variant": "minishogi" }),
        json!({ "opponent": { "engine": "x", "movetime": 1 } }),
        json!({ "opponent": { "level": 1 }, "variant": "chess" }),
        json!({ "opponent": { "level": 1 }, "handicap": "everything" }),
        json!({ "opponent": { "level": 1 }, "handicap": "2", "variant": "minishogi" }),
        json!({ "opponent": { "level": 1 }, "start": "9/9" }),
        json!({ "opponent": { "level": 1 }, "start": "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 1" }),
        json!({ "opponent": { "level": 1 }, "side": "red" }),
        json!({ "opponent": { "level": 1 }, "maxMoves": 0 }),
        json!({ "opponent": { "level": 1 }, "declaration": "x" }),
        json!({ "opponent": { "level": 1 }, "clock": { "main": 0 } }),
        json!({ "opponent": { "level": 1 }, "clock": { "main": -1 } }),
    ] {
        assert!(settings(wrong.clone()).is_err(), "{wrong}");
    }
}
