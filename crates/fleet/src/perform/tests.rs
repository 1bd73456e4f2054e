use super::*;
use crate::signed::{new_key, sign};
use crate::{BlobHash, Unit};
use arena::request::{MatchRequest, OpeningSource};
use think::WallTime;

fn slot(speed: u64, sandbox: Option<Sandbox>) -> Slot {
    let own = Equipment::own(Arc::new(WallTime::start()), speed);
    Slot::new(&Equipment { sandbox, ..own }, 0, Arc::default())
}

fn tuning(engine: Option<String>) -> TuningRequest {
    TuningRequest {
        params: own_numbers(Game::Minishogi)[0].name.to_string(),
        engine,
        set: Vec::new(),
        iterations: Some(2),
        games: None,
        pairs: 1,
        nodes: None,
        tc: Some("10+1".into()),
        options: Vec::new(),
        c: 0.05,
        r: 0.002,
        a: 0.1,
        openings: OpeningSource {
            game: Game::Minishogi,
            file: None,
            plies: None,
            start: "startpos".into(),
            max_moves: 40,
        },
        seed: 5,
        concurrency: 1,
        resign: None,
        draw: None,
        declaration: rules::Declaration::default(),
        numbers: Vec::new(),
    }
}

/// On a machine half as fast as the one that is meant, clocks run twice as long; nodes stay.
#[test]
fn clocks_are_scaled_by_speed() {
    let request = MatchRequest {
        engines: vec!["cmd=self,name=a,tc=10+1".into(), "cmd=self,name=b,nodes=7".into()],
        game: Game::Minishogi,
        ..MatchRequest::default()
    };
    let seconds = |reference_speed: Option<u64>, pinned: Option<u64>| {
        let spec = MatchSpec { request: request.clone(), reference_speed };
        let pins = Pins { reference_speed: pinned, ..Pins::default() };
        let Ok(Ready::Match(_, plan)) = slot(500, None).for_match(&spec, &pins) else { panic!() };
        assert_eq!(plan.engines[1].control.nodes, Some(7));
        let clock = plan.engines[0].control.clock.unwrap();
        (clock.main.as_secs(), clock.increment.as_millis())
    };
    assert_eq!(seconds(None, None), (10, 1000), "as they are said");
    assert_eq!(seconds(None, Some(1000)), (20, 2000), "for the coordinator");
    assert_eq!(seconds(Some(250), Some(1000)), (5, 500), "what the run says goes first");
    assert_eq!(seconds(Some(0), Some(1000)), (10, 1000), "asked to be left alone");
    let pins = Pins { reference_speed: Some(1000), ..Pins::default() };
    let mut entered = tuning(None).plan(&own_numbers(Game::Minishogi)).unwrap();
    let slot = slot(500, None);
    assert!(matches!(slot.for_tuning(&tuning(None), &pins), Ok(Ready::Tune(_))));
    slot.scale(&mut entered.plan, pins.reference_speed);
    assert_eq!(entered.plan.engines[1].control.clock.unwrap().main.as_secs(), 20);
}

/// Another engine is tuned where its signature is trusted, its numbers are known, and it runs in the sandbox.
#[test]
fn another_engine_is_tuned_only_in_the_sandbox() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("engine");
    std::fs::write(&program, "#!/bin/sh\n").unwrap();
    let hash = BlobHash::of(b"#!/bin/sh\n");
    let (secret, public) = new_key().unwrap();
    let numbers = own_numbers(Game::Minishogi);
    let unasked = tuning(Some(format!("cmd={}", program.display())));
    let asked = TuningRequest { numbers, ..unasked.clone() };
    let signed = Pins {
        signatures: [(hash.to_string(), sign(&secret, &hash).unwrap())].into(),
        ..Pins::default()
    };
    let refused = |slot: &Slot, request: &TuningRequest, pins: &Pins| {
        slot.for_tuning(request, pins).err().map(|fault| fault.reason).unwrap_or_default()
    };
    let without = slot(1, None);
    assert!(refused(&without, &asked, &signed).contains("starts no other program"));
    let signers = vec![public.parse().unwrap()];
    let sandbox = match Sandbox::new(&folder.path().join("box"), signers) {
        Ok(sandbox) => sandbox,
        Err(why) => return fixtures::skipped(&why),
    };
    let with = slot(1, Some(sandbox));
    assert!(refused(&with, &asked, &Pins::default()).contains("nobody has signed it"));
    assert!(refused(&with, &unasked, &signed).contains("starts no other program"));
    assert_eq!(refused(&with, &asked, &signed), "");
    // A coordinator does not ask it either.
    let driven =
        |request: TuningRequest| crate::driver::driver(&Spec::Tune(Box::new(request)), None);
    assert!(driven(unasked).is_err_and(|e| e.to_string().contains("nobody has asked")));
    let part = driven(asked).unwrap().next(1).unwrap().unwrap();
    assert_eq!((part.unit.first, part.unit.count), (0, 2));
    assert_ne!(part.unit, Unit::new(0, 2), "with values");
}
