//! The commands that rooms write down are those this program understands: typed again they ask for
//! the very same work.

mod deployment;

use super::{Cli, Command};
use arena::adjudication::{DrawRule, ResignRule};
use arena::opening::PlyRange;
use arena::opening_maker::OpeningSettings;
use arena::request::MatchRequest;
use arena::selfplay::file::{Existing, Goal};
use arena::selfplay::settings::SelfPlaySettings;
use arena::selfplay::{LinePolicy, NearBest, RandomMoves};
use clap::Parser;
use corpus::Sieve;
use corpus::batches::Selection;
use lab::commands::{self, CommandLine};
use lab::selfplay::SelfPlay;
use nnue::Isa;
use rules::{Declaration, Game};
use std::path::PathBuf;
use std::time::Duration;
use trainer::{Objective, Optimiser, Schedule, TrainingOptions, TrainingRequest};

/// What a user gets who types the line into a shell.
fn typed(line: &CommandLine) -> Command {
    let text = line.to_string();
    let words = shlex::split(&text).unwrap();
    let cli = Cli::try_parse_from(words).unwrap_or_else(|e| panic!("{text}: {e}"));
    cli.command.unwrap()
}

#[test]
fn self_play_is_repeated_by_its_command() {
    let plain = SelfPlay {
        out: "a b/games".into(),
        goal: Goal { games: Some(7), ..Goal::default() },
        ..SelfPlay::default()
    };
    let settings = SelfPlaySettings {
        game: Game::Minishogi,
        starts: vec!["even:90".into(), "entering:5".into()],
        openings: vec!["it's here:2".into()],
        plies: Some(3),
        nodes: 60,
        depth: Some(4),
        random: RandomMoves { count: 3, plies: PlyRange { first: 2, last: 9 } },
        near_best: Some(NearBest { lines: 3, margin: 20, last: 12 }),
        policy: Some(LinePolicy { lines: 4, scale: 120 }),
        balance: Some(800),
        resign: None,
        draw: Some(DrawRule { score: 10, moves: 20, from: 100 }),
        max_moves: 100,
        declaration: Declaration::Points24,
        seed: 9,
        separate: true,
        options: vec![("ProbCut".into(), "a = b".into())],
    };
    let all = SelfPlay {
        existing: Existing::Resume,
        goal: Goal { positions: Some(5), time: Some(Duration::from_secs(90)), games: None },
        net: Some("nets/mini.bin".into()),
        fv_scale: 20,
        isa: Isa::SCALAR,
        threads: Some(2),
        hash: 1,
        block: 200,
        settings: settings.clone(),
        ..plain.clone()
    };
    let resign = Some(ResignRule { score: 900, moves: 2, both: false });
    let other = SelfPlay {
        existing: Existing::Replace,
        settings: SelfPlaySettings { resign, ..settings },
        ..all.clone()
    };
    for request in [plain, all, other] {
        let Command::Gen(args) = typed(&commands::selfplay(&request)) else { panic!() };
        assert_eq!(args.request().unwrap(), request);
    }
}

#[test]
fn training_is_repeated_by_its_command() {
    let plain = TrainingRequest {
        data: vec!["a b".into(), "c".into()],
        validation: vec!["d".into(), "e".into()],
        game: Game::Shogi,
        out: "nn.bin".into(),
        architecture: Some("halfkp-256x2-32-32".into()),
        from: None,
        seed: 3,
        threads: None,
        resume: true,
        force: false,
        options: TrainingOptions::default(),
    };
    let options = TrainingOptions {
        objective: Objective { lambda: 0.35, scale: 532.0 },
        selection: Selection {
            sieve: Sieve { no_check: false, quiet: false, no_random: false, ..Sieve::TRAINING },
            limit: 2000,
            mirror: false,
            leaf: true,
            settled: false,
            ..Selection::default()
        },
        epochs: 3,
        batch: 256,
        optimiser: Some(Optimiser::AdaGrad),
        rate: Some(0.005),
        schedule: Schedule::Cosine,
        rate_end: Some(0.0002),
        lambda_end: Some(0.9),
        patience: 2,
        halvings: 1,
        validate_every: Some(20_000),
        validation_positions: 1000,
        agreement: 20,
        factors: false,
        subspace: 50,
        fv_scale: Some(24),
        buffer: 4096,
        float: Some("nn.nuef".into()),
        log: Some("log".into()),
        curve: Some("curve.svg".into()),
        checkpoint: Some("check point".into()),
        checkpoint_every: Duration::from_secs(5),
    };
    let all = TrainingRequest {
        game: Game::Minishogi,
        architecture: None,
        from: Some("old.bin".into()),
        threads: std::num::NonZeroUsize::new(2),
        resume: false,
        force: true,
        options,
        ..plain.clone()
    };
    for request in [plain, all] {
        let Command::Train(args) = typed(&commands::training(&request)) else { panic!() };
        assert_eq!(args.request(), request);
    }
}

#[test]
fn matches_and_openings_are_repeated_by_their_commands() {
    let engine = "cmd=self,name=new,option.EvalDir=a\\,b/net.bin";
    let plain = MatchRequest {
        engines: vec![engine.into(), "cmd=self".into()],
        each: vec!["nodes=5000".into(), "option.MultiPV=1".into()],
        ..MatchRequest::default()
    };
    let all = MatchRequest {
        game: Game::Minishogi,
        openings: Some("gate openings".into()),
        plies: Some(8),
        start: "4".into(),
        games: 300,
        format: arena::Format::Gauntlet,
        seed: 1001,
        concurrency: 2,
        pin: true,
        sprt: Some("elo0=0,elo1=2.5,alpha=0.01".parse().unwrap()),
        resign: Some(ResignRule { score: 900, moves: 2, both: true }),
        draw: Some(DrawRule { score: 10, moves: 20, from: 100 }),
        max_moves: 0,
        declaration: Declaration::Try,
        margin: Duration::from_millis(7),
        give_up: 0,
        out: Some("gate.csa".into()),
        resume: true,
        ..plain.clone()
    };
    for request in [plain, all] {
        let Command::Match(args) = typed(&commands::game_match(&request)) else { panic!() };
        assert_eq!(args.request(), request);
    }
    let settings = OpeningSettings {
        game: Game::Minishogi,
        count: 3,
        plies: PlyRange { first: 6, last: 10 },
        margin: 200,
        nodes: 2000,
        engine: Some("cmd=self".into()),
        start: "4".into(),
        seed: 7,
        concurrency: 2,
    };
    for settings in [settings, OpeningSettings::default()] {
        let out = PathBuf::from("out file");
        let Command::Openings(args) = typed(&commands::openings(&settings, &out, true)) else {
            panic!()
        };
        let super::openings::Command::Make(args) = &args.command;
        assert_eq!((args.settings(), &args.out, args.force), (settings, &Some(out), true));
    }
}

#[test]
fn the_other_steps_are_commands() {
    let net = typed(&commands::net("convert", &PathBuf::from("a"), &PathBuf::from("b.nuef")));
    assert!(matches!(net, Command::Net(_)));
    let net = typed(&commands::net("import", &PathBuf::from("a.nuef"), &PathBuf::from("b")));
    assert!(matches!(net, Command::Net(_)));
    let target = |path: &str| corpus::Target { path: path.into(), force: true, resume: false };
    let inputs = corpus::Inputs {
        paths: vec!["games".into()],
        format: None,
        game: Game::Minishogi,
        damaged: corpus::Damaged::Stop,
        stop: None,
    };
    let split = corpus::split::Split {
        inputs,
        train: target("a"),
        validation: target("b"),
        share: 0.05,
        seed: 4,
    };
    assert!(matches!(typed(&commands::split(&split)), Command::Data(_)));
}
