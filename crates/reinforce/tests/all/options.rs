//! What a run begins with and how it learns: options that are part of the run.

use crate::generations::{Place, trainer};
use reinforce::RunError;
use reinforce::plan::LabelledStart;
use reinforce::run::Ended;
use std::fs;

/// A run that begins with a net of random numbers, and has every option that flattens, mixes or averages.
fn place(threads: usize) -> Place {
    let mut place = Place::new(threads);
    let folder = place.folder.path();
    // The net that the trainer has is the one to begin with, too.
    trainer(folder);
    let labelled = folder.join("labelled.teacher");
    fs::write(&labelled, "").unwrap();
    let net = folder.join("given.nuedf");
    fs::copy(folder.join("random.nuedf"), &net).unwrap();
    let settings = &mut place.settings;
    settings.from_net = Some(net.display().to_string());
    let files = vec![labelled.display().to_string()];
    settings.labelled = Some(LabelledStart { files, epochs: 1, rate: 0.1 });
    settings.training.labelled_share = 0.25;
    settings.training.average = 0.5;
    settings.play.gumbel = 4;
    settings.play.policy_temperature = 1.5;
    settings.play.target_temperature = 1.25;
    place
}

#[test]
fn a_run_begins_with_the_net_it_is_given_and_is_the_same_run_when_broken_off() {
    let (whole, parts) = (place(1), place(2));
    assert_eq!(whole.run(2, u64::MAX, None).unwrap(), Ended::Generations);
    let given = parts.folder.path().join("given.nuedf");
    assert!(matches!(parts.run(2, 5, None), Err(RunError::Interrupted)));
    // It has its own copy by now.
    fs::remove_file(&given).unwrap();
    assert!(matches!(parts.run(2, 13, None), Err(RunError::Interrupted)));
    assert_eq!(parts.run(1, u64::MAX, None).unwrap(), Ended::Generations);
    for generation in 1..=2 {
        assert_eq!(parts.files(generation), whole.files(generation));
        let plan = whole.files(generation).0;
        assert!(plan.contains(&format!("\"player\": {},", generation - 1)), "{plan}");
    }
    let read = |name: &str| fs::read(whole.lab().join(name)).unwrap();
    assert_eq!(read("start/net.nuedf"), fs::read(whole.folder.path().join("given.nuedf")).unwrap());
    let asked = fs::read_to_string(whole.folder.path().join("asked")).unwrap();
    let lines: Vec<&str> = asked.lines().collect();
    assert_eq!(lines.len(), 2, "nothing is learned before the first games: {asked}");
    for (line, init) in
        lines.iter().zip(["start/net.nuedf ", "generation-0001/net.nuedf.checkpoint "])
    {
        let wanted = format!("--init {init}--mixed-share 0.25 --mixed /");
        assert!(line.contains(&wanted), "{line}");
        assert!(line.contains("/labelled.teacher --across 0.5 --epochs"), "{line}");
    }
    let settings = whole.text("reinforce.json");
    for told in ["\"from_net\": \"/", "\"labelled_share\": 0.25", "\"target_temperature\": 1.25"] {
        assert!(settings.contains(told), "{settings}");
    }
}

/// Flatter targets are what is written, and flatter priors change the games.
#[test]
fn temperatures_of_policy_and_target_change_what_is_learned() {
    let games = |policy, target| {
        let mut place = place(1);
        place.settings.play.policy_temperature = policy;
        place.settings.play.target_temperature = target;
        place.run(1, u64::MAX, None).unwrap();
        place.files(1).2
    };
    let (plain, flat) = (games(1.0, 1.0), games(1.0, 3.0));
    let moves = |games: &[teacher::Game]| -> Vec<Vec<_>> {
        games.iter().map(|game| game.plies.iter().map(|ply| ply.mv).collect()).collect()
    };
    assert_eq!(moves(&plain), moves(&flat), "what is played does not depend on what is learned");
    let greatest = |games: &[teacher::Game]| -> f64 {
        let most = |game: &teacher::Game, ply: usize| {
            let own = game.candidates.iter().filter(|c| c.ply as usize == ply);
            own.map(|c| f64::from(c.visits)).fold(0.0, f64::max)
        };
        let each = games.iter().flat_map(|game| (0..game.plies.len()).map(|ply| most(game, ply)));
        each.sum()
    };
    assert!(greatest(&flat) < 0.9 * greatest(&plain), "flatter");
    assert_ne!(moves(&games(3.0, 1.0)), moves(&plain));
}

#[test]
fn a_run_goes_on_with_the_options_it_began_with() {
    let mut place = place(1);
    place.run(1, u64::MAX, None).unwrap();
    let settings = place.settings.clone();
    type Change = fn(&mut reinforce::plan::LoopSettings);
    let changes: [(Change, &str); 5] = [
        (|s| s.from_net = None, "from_net is \"/"),
        (|s| s.training.labelled_share = 0.5, "training.labelled_share is 0.25 there and 0.5 here"),
        (|s| s.training.average = 0.0, "training.average is 0.5 there and 0.0 here"),
        (|s| s.play.policy_temperature = 1.0, "play.policy_temperature is 1.5 there and 1.0 here"),
        (|s| s.play.target_temperature = 1.0, "play.target_temperature is 1.25 there"),
    ];
    for (change, why) in changes {
        place.settings = settings.clone();
        change(&mut place.settings);
        let told = place.run(1, u64::MAX, None).unwrap_err().to_string();
        assert!(told.contains(why), "{told}");
    }
}

/// A net that is none, or another one than those of the run.
#[test]
fn a_net_that_cannot_be_begun_with_is_told() {
    let told = |change: &dyn Fn(&mut Place)| {
        let mut place = place(1);
        change(&mut place);
        let told = place.run(1, u64::MAX, None).unwrap_err().to_string();
        assert!(!place.lab().join("start/net.nuedf").exists());
        told
    };
    let other = told(&|place| place.settings.net.blocks = 2);
    assert!(
        other.contains("1x32") && other.contains("2x32") && other.contains("--net-size"),
        "{other}"
    );
    let given = |place: &Place| place.folder.path().join("given.nuedf");
    let damaged = told(&|place| {
        let mut bytes = fs::read(given(place)).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(given(place), bytes).unwrap();
    });
    assert!(damaged.contains("given.nuedf"), "{damaged}");
    let empty = told(&|place| fs::write(given(place), "").unwrap());
    assert!(empty.contains("given.nuedf"), "{empty}");
    let absent = told(&|place| fs::remove_file(given(place)).unwrap());
    assert!(absent.contains("given.nuedf"), "{absent}");
}
