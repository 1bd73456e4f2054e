//! Tuning the options of a program that is not ours.

use crate::mocks::{mock, runner};
use arena::parameters::Tunable;
use arena::request::{OpeningSource, RequestError};
use arena::spec::escape;
use arena::spsa::Spsa;
use arena::tuning::{EnginePair, PlayGame, tune};
use arena::tuning_request::TuningRequest;
use arena::{Flow, MatchRunner};
use rules::{Declaration, Game};

/// A tuning of a mock that holds out longer the larger its option `Strength` is.
fn request(params: &str, keys: &str) -> TuningRequest {
    let program = escape(&mock().to_string_lossy());
    TuningRequest {
        engine: Some(format!("cmd={program},arg=tuned,{keys}")),
        params: params.to_owned(),
        set: Vec::new(),
        iterations: Some(30),
        games: None,
        pairs: 1,
        nodes: None,
        tc: None,
        options: Vec::new(),
        c: 0.2,
        r: 0.1,
        a: 0.1,
        openings: OpeningSource {
            game: Game::Shogi,
            file: None,
            plies: None,
            start: "startpos".to_owned(),
            max_moves: 40,
        },
        seed: 1,
        concurrency: 1,
        resign: None,
        draw: None,
        declaration: Declaration::default(),
        numbers: Vec::new(),
    }
}

fn table(request: &TuningRequest, runner: &MatchRunner) -> Vec<Tunable> {
    request.declared(runner).unwrap().unwrap()
}

#[test]
fn a_program_gets_stronger_by_its_own_option() {
    let (request, runner) = (request("Strength", "nodes=1"), runner());
    let table = table(&request, &runner);
    let strength = table.iter().find(|number| number.name == "Strength").unwrap();
    assert_eq!((strength.default, strength.min, strength.max), (10, 0, 100));
    let entered = request.plan(&table).unwrap();
    assert_eq!(entered.options, ["Strength"]);
    let mut spsa = Spsa::new(entered.parameters, entered.gains, 1);
    let player = |slot| -> PlayGame<'_> {
        let mut pair = EnginePair::new(&entered.plan, &runner, slot, entered.options.clone());
        Box::new(move |game| pair.play(game))
    };
    let mut faults = 0;
    tune(&mut spsa, 1, 1, &player, &mut |step| {
        faults += step.faults;
        Flow::Continue
    });
    assert_eq!((spsa.applied(), faults), (30, 0));
    assert!(spsa.values()[0] > 60.0, "{:?}", spsa.values());
}

#[test]
fn a_program_begins_where_its_options_are() {
    let request = request("Strength:max=50", "nodes=1,option.Strength=30");
    let entered = request.plan(&table(&request, &runner())).unwrap();
    let strength = &entered.parameters[0];
    assert_eq!((strength.start, strength.max, strength.c_end), (30.0, 50.0, 10.0));
}

#[test]
fn what_a_program_lacks_is_said() {
    let runner = runner();
    for (params, keys, part) in [
        ("Strength", "name=x", "has no limit"),
        ("all", "nodes=1", "some of its: Strength, Seed"),
        ("Contempt", "nodes=1", "there are Strength, Seed"),
    ] {
        let request = request(params, keys);
        let refused = request
            .declared(&runner)
            .and_then(|table| request.plan(&table.unwrap_or_default()).map(|_| ()));
        match refused {
            Err(RequestError::Usage(told)) => assert!(told.contains(part), "{told}"),
            other => panic!("{params} {keys}: {other:?}"),
        }
    }
    let missing =
        TuningRequest { engine: Some("cmd=/no/such,nodes=1".to_owned()), ..request("x", "") };
    assert!(matches!(missing.declared(&runner), Err(RequestError::Failed(_))));
}
