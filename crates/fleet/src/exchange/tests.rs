use super::*;
use crate::task::{LeavesSpec, RescoreSpec, SelfPlaySpec};
use arena::selfplay::settings::SelfPlaySettings;
use arena::selfplay::{NearBest, Production};
use arena::spsa::Parameter;
use arena::tuning::EnginePair;
use assembly::OwnSearch;
use corpus::Limit;
use rules::Game;
use std::collections::HashSet;
use std::ops::ControlFlow;
use think::WallTime;

fn equipment() -> Equipment {
    Equipment::own(Arc::new(WallTime::start()), 1_000_000)
}

fn request(games: u64) -> MatchRequest {
    let engine = |name: &str, nodes: u32| {
        format!("cmd=self,name={name},nodes={nodes},option.USI_Hash=1,option.Threads=1")
    };
    MatchRequest {
        engines: vec![engine("a", 60), engine("b", 90)],
        game: Game::Minishogi,
        games,
        concurrency: 2,
        max_moves: 60,
        resign: Some(arena::adjudication::ResignRule { score: 1500, moves: 2, both: true }),
        ..MatchRequest::default()
    }
}

/// What does not depend on the clock.
type Essence = (u64, Vec<String>, String, Vec<Option<u64>>);

fn essence(finished: &arena::Finished) -> Essence {
    let played = &finished.played;
    let moves = played.moves.iter().map(|m| m.played.usi(Game::Minishogi)).collect();
    let nodes = played.moves.iter().map(|m| m.info.as_ref().and_then(|i| i.nodes)).collect();
    (finished.scheduled.id, moves, played.end.name().to_owned(), nodes)
}

fn collect(games: &mut Vec<Essence>, event: arena::Event) {
    if let arena::Event::Finished(finished) = event {
        games.push(essence(&finished));
    }
}

#[test]
fn a_match_by_the_fleet_is_the_same_games() {
    let request = request(6);
    let (plan, _) = request.plan().unwrap();
    let equipment = equipment();
    let mut plain = Vec::new();
    equipment.runner.run(&plan, &|_| true, &mut |event| {
        collect(&mut plain, event);
        Flow::Continue
    });
    let spec = Spec::Match(Box::new(MatchSpec { request, reference_speed: None }));
    let mut by_fleet = Vec::new();
    let stop = AtomicBool::new(false);
    with_local_fleet(spec, 2, &equipment, |exchange| {
        play_match(exchange, &plan, &stop, &|_| true, &mut |event| {
            collect(&mut by_fleet, event);
            Flow::Continue
        })
    })
    .unwrap()
    .unwrap();
    plain.sort();
    by_fleet.sort();
    assert_eq!(plain.len(), 6);
    assert_eq!(plain, by_fleet);
}

#[test]
fn a_match_that_is_stopped_ends_soon_and_a_wrong_one_says_why() {
    let request = request(10_000);
    let (plan, _) = request.plan().unwrap();
    let spec = |request| Spec::Match(Box::new(MatchSpec { request, reference_speed: None }));
    let stop = AtomicBool::new(false);
    let mut seen = 0;
    let run = |spec, watch: &mut dyn FnMut(arena::Event) -> Flow| {
        with_local_fleet(spec, 2, &equipment(), |exchange| {
            play_match(exchange, &plan, &stop, &|_| true, watch)
        })
        .unwrap()
    };
    let ended = run(spec(request.clone()), &mut |event| {
        seen += u32::from(matches!(event, arena::Event::Finished(_)));
        if seen >= 3 { Flow::Stop } else { Flow::Continue }
    });
    assert_eq!(ended, Ok(()));
    assert!((3..10).contains(&seen), "{seen}");
    // Programs are not started by a worker that was not told that it may.
    let wrong =
        MatchRequest { engines: vec!["cmd=x,nodes=1".into(), "cmd=y,nodes=1".into()], ..request };
    let fault = run(spec(wrong), &mut |_| Flow::Continue).unwrap_err();
    assert_eq!(fault.kind, FaultKind::Spec);
    assert!(fault.reason.contains("starts no other program"), "{fault}");
}

#[test]
fn self_play_by_the_fleet_is_the_same_games() {
    same_games(&[("Threads", "1")], 60);
}

/// The tree search teaches a policy besides.
#[test]
fn self_play_of_the_tree_search_is_the_same_games() {
    let tree = [("Engine", "puct"), ("Threads", "1"), ("RootMateNodes", "0")];
    for options in [&tree[..], &[&tree[..], &[("Gumbel_Moves", "4")]].concat()] {
        let games = same_games(options, 24);
        assert!(games.iter().all(|game| !game.candidates.is_empty()), "{options:?}");
    }
    assert!(same_games(&tree[1..], 24).iter().all(|game| game.candidates.is_empty()));
}

/// The same games without a fleet, on one thread and on two, and with one.
fn same_games(options: &[(&str, &str)], nodes: u64) -> Vec<teacher::Game> {
    let given = options.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
    let settings = SelfPlaySettings {
        game: Game::Minishogi,
        nodes,
        max_moves: 40,
        near_best: Some(NearBest { lines: 2, margin: 50, last: 6 }),
        options: [("USI_Hash".to_owned(), "1".to_owned())].into_iter().chain(given).collect(),
        ..SelfPlaySettings::default()
    };
    let equipment = equipment();
    let mut plan = settings.plan().unwrap();
    plan.options = OwnSearch::rest(&plan.options);
    let time = Arc::clone(&equipment.runner.time);
    let loaded = OwnSearch::load(&settings.options, (None, 16), Game::Minishogi, &time);
    let (search, _) = loaded.unwrap();
    let factory = move |game| Ok(search.engine(game, &time).unwrap());
    let abandoned = AtomicBool::new(false);
    let made = |threads: usize, elsewhere: Option<&arena::selfplay::PlayElsewhere<'_>>| {
        let (mut games, mut seen) = (Vec::new(), HashSet::new());
        let production = Production {
            plan: &plan,
            factory: &factory,
            threads,
            first: 3,
            abandoned: &abandoned,
            elsewhere,
        };
        production
            .run(&mut seen, &mut |made| {
                games.push((made.game.clone(), made.nodes, made.searches));
                if games.len() == 5 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })
            .unwrap();
        games
    };
    let plain = made(1, None);
    assert!(made(2, None) == plain, "two threads play other games");
    let spec = Spec::SelfPlay(Box::new(SelfPlaySpec { settings, net: None, fv_scale: 16 }));
    let by_fleet = with_local_fleet(spec, 2, &equipment, |exchange| {
        made(2, Some(&|order| play_self(exchange, order)))
    });
    assert!(by_fleet.unwrap() == plain, "the fleet plays other games");
    plain.into_iter().map(|(game, _, _)| game).collect()
}

/// A run cannot have a worker start a program or load a library by an option either.
#[test]
fn options_start_no_program() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("started");
    let worker = format!("touch {}", mark.display());
    let given = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let engine = |option: &str| format!("cmd=self,name=a,nodes=1,option.Engine=puct,{option}");
    for (name, value) in [("DNN_Worker", worker.as_str()), ("dnn_library", "/tmp/evil.so")] {
        let options = vec![given("Engine", "puct"), given(name, value)];
        let text = engine(&format!("option.{name}={value}"));
        let engines = vec![text, "cmd=self,name=b,nodes=1".to_owned()];
        let request = MatchRequest { engines, ..request(2) };
        let (settings, net) =
            (SelfPlaySettings { options: options.clone(), ..Default::default() }, None);
        let engine = Some(format!("cmd=touch,arg={}", mark.display()));
        let openings = OpeningSettings { engine, nodes: 1, ..OpeningSettings::default() };
        let specs = [
            Spec::Openings(Box::new(openings)),
            Spec::Match(Box::new(MatchSpec { request, reference_speed: None })),
            Spec::SelfPlay(Box::new(SelfPlaySpec { settings, net, fv_scale: 16 })),
            Spec::Leaves(LeavesSpec { nodes: Some(1), options, ..LeavesSpec::default() }),
        ];
        assert!(name == "dnn_library" || specs.iter().all(|spec| !spec.is_reproducible()));
        for spec in specs {
            let kind = spec.kind();
            let position = AnyPosition::startpos(Game::Shogi);
            let input = Some(Input::of("sfen", &[problem_text(&position).into_bytes()]));
            let unit = Unit { input, ..Unit::new(0, 1) };
            let told = with_local_fleet(spec, 1, &equipment(), |exchange| exchange.call(unit));
            let fault = told.unwrap().unwrap_err();
            assert_eq!(fault.kind, FaultKind::Spec, "{kind}: {fault}");
            assert!(fault.reason.contains("starts no other program"), "{kind}: {fault}");
        }
    }
    assert!(!mark.exists());
}

#[test]
fn a_tuning_by_the_fleet_goes_the_same_way() {
    let request = arena::tuning_request::TuningRequest {
        engine: None,
        params: crate::perform::own_numbers(Game::Minishogi)[0].name.to_string(),
        set: Vec::new(),
        iterations: Some(4),
        games: None,
        pairs: 1,
        nodes: Some("60".into()),
        tc: None,
        options: vec!["USI_Hash=1".into()],
        c: 0.05,
        r: 0.002,
        a: 0.1,
        openings: arena::request::OpeningSource {
            game: Game::Minishogi,
            file: None,
            plies: None,
            start: "startpos".into(),
            max_moves: 40,
        },
        seed: 5,
        concurrency: 2,
        resign: None,
        draw: None,
        declaration: rules::Declaration::default(),
        numbers: Vec::new(),
    };
    let equipment = equipment();
    let entered = request.plan(&crate::perform::own_numbers(Game::Minishogi)).unwrap();
    let parameters: Vec<Parameter> = entered.parameters.clone();
    let start = || Spsa::new(parameters.clone(), entered.gains, request.seed);
    let plain = steps(start(), &|slot| {
        let names = entered.options.clone();
        let mut pair = EnginePair::new(&entered.plan, &equipment.runner, slot, names);
        Box::new(move |game| pair.play(game))
    });
    let spec = Spec::Tune(Box::new(request.clone()));
    let by_fleet = with_local_fleet(spec, 2, &equipment, |exchange| {
        steps(start(), &|_| {
            let plan = &entered.plan;
            Box::new(move |game| play_tuning(exchange, plan, game)?.ok())
        })
    });
    assert_eq!(plain.len(), 4);
    assert_eq!(plain, by_fleet.unwrap());
}

fn steps<'a>(mut spsa: Spsa, player: &(dyn Fn(usize) -> PlayGame<'a> + Sync)) -> Vec<Step> {
    let mut steps = Vec::new();
    tune(&mut spsa, 1, 2, player, &mut |step| {
        steps.push(step.clone());
        Flow::Continue
    });
    steps
}

/// A piece comes back as the very bytes it would have been.
#[test]
fn pieces_are_scored_alike() {
    let (evaluation, _) = assembly::Evaluation::as_engine(None, Game::Minishogi, 16).unwrap();
    let limit = Limit::Nodes(50);
    let mut writer =
        teacher::Writer::new(Vec::new(), teacher::Header::new(Game::Minishogi)).unwrap();
    let mut game = teacher::Game::new(AnyPosition::startpos(Game::Minishogi));
    let mut position = game.start.clone();
    for _ in 0..6 {
        let mv = position.legal_moves()[0];
        let flags = teacher::Flags::default();
        game.plies.push(teacher::Ply { mv, score: Some(1), flags });
        position.play(mv);
    }
    writer.write(&game).unwrap();
    let bytes = writer.finish().unwrap();
    let piece = Piece { game: Game::Minishogi, format: corpus::Format::Teacher, bytes };
    let mut scorer = corpus::rescore::PieceScorer::new(Game::Minishogi, &evaluation, limit, 1);
    let plain = scorer.score(&piece).unwrap();
    assert_ne!(plain.bytes, piece.bytes);
    let game = "minishogi".to_owned();
    let (inputs, net) = (Vec::new(), None);
    let spec = Spec::Rescore(RescoreSpec { game, inputs, limit, hash: 1, net, fv_scale: 16 });
    let scored = with_local_fleet(spec, 1, &equipment(), |exchange| {
        [score_piece(exchange, piece.clone()), score_piece(exchange, piece.clone())]
    });
    assert_eq!(scored.unwrap(), [Ok(plain.clone()), Ok(plain)]);
}

#[test]
fn openings_by_the_fleet_are_the_same() {
    let settings = OpeningSettings {
        game: Game::Minishogi,
        count: 12,
        plies: arena::opening::PlyRange { first: 2, last: 4 },
        nodes: 60,
        concurrency: 2,
        ..OpeningSettings::default()
    };
    let runner = equipment().runner;
    let plain = settings.make(&runner, &mut |_, _| ()).unwrap();
    let by_fleet = make_openings(&settings, &runner, &mut |_, _| ()).unwrap();
    assert_eq!(plain.count, 12);
    assert_eq!(plain, by_fleet);
}

#[test]
fn mates_by_the_fleet_are_the_same() {
    let spec =
        crate::MateSpec { hash: 1, threads: 1, proof: true, cooks: true, ..Default::default() };
    let questions = spec.questions().unwrap();
    assert_eq!(crate::MateSpec::of(&questions), spec);
    let solved = with_local_fleet(Spec::Mate(spec), 1, &equipment(), |exchange| {
        for sfen in ["shogi 4k4/9/4P4/9/9/9/9/9/9 b G 1", "shogi 3gk4/9/4P4/9/9/9/9/9/9 b 2G 1"] {
            let position = crate::mates::problem(sfen.as_bytes()).unwrap();
            let control = Control::new(false);
            let plain = mate::study(&position, &questions, &control, &WallTime::start());
            let came = solve_mate(exchange, &position, &control).unwrap();
            assert_eq!(came.solution_text(), plain.solution_text());
            assert_eq!((came.solution.nodes, came.proof), (plain.solution.nodes, plain.proof));
        }
        // One that is told to stop does.
        let control = Control::new(false);
        control.stop();
        let hard = b"shogi 9/9/9/9/4k4/9/9/9/9 b RB2G2S2N2L9Prb2g2s2n2l9p 1";
        let hard = crate::mates::problem(hard).unwrap();
        assert_eq!(solve_mate(exchange, &hard, &control).unwrap_err().kind, FaultKind::Leaving);
    });
    solved.unwrap();
}

/// What is written down and read again is the same request.
#[test]
fn specs_survive_being_written_down() {
    let plain = request(6);
    let sprt = "elo0=0,elo1=5".parse().ok();
    let request = MatchRequest { sprt, ..plain };
    let spec = Spec::Match(Box::new(MatchSpec { request, reference_speed: Some(5) }));
    let text = serde_json::to_string(&spec).unwrap();
    assert_eq!(serde_json::from_str::<Spec>(&text).unwrap(), spec);
    assert_eq!((spec.kind(), spec.is_reproducible()), ("sprt", true));
    let wrong = text.replace("\"games\":6", "\"gamez\":6");
    assert!(serde_json::from_str::<Spec>(&wrong).is_err());
    let timed = text.replace("nodes=60", "nodes=60,tc=1");
    assert!(!serde_json::from_str::<Spec>(&timed).unwrap().is_reproducible());
}
