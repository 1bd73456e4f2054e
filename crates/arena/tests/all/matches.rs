//! Whole matches between engines that behave and engines that do not.

use crate::mocks::{engine, mock, plan, play, runner, spec};
use arena::adjudication::{Adjudication, DrawRule, ResignRule};
use arena::ending::GameEnd;
use arena::{EngineLogs, Event, Finished, Flow, MatchRunner, Opening};
use engines::{FaultKind, ProgramCommand};
use play::{Ending, Reason};
use rules::{AnyPosition, Color, Declaration, Game, Handicap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const LIMIT: &str = "byoyomi=500,stall=1,startup=10";

/// A flood takes as long to come as the machine is busy: it is not to be taken for silence.
const FLOOD_LIMIT: &str = "byoyomi=500,stall=60,startup=10";

fn limit(what: &str) -> &'static str {
    if what.starts_with("flood") { FLOOD_LIMIT } else { LIMIT }
}

fn won(winner: Color, reason: Reason) -> GameEnd {
    Ending::won(winner, reason).into()
}

fn lost(loser: Color, reason: Reason) -> GameEnd {
    Ending::lost(loser, reason).into()
}

fn drawn(reason: Reason) -> GameEnd {
    Ending::draw(reason).into()
}

/// The colour and cause of the fault a game ended with.
fn fault(game: &Finished) -> Option<(usize, FaultKind)> {
    let (color, fault) = game.played.end.fault()?;
    Some((game.scheduled.players[color.index()], fault.kind))
}

#[test]
fn sound_engines_finish_every_game_without_faults() {
    let plan = plan(vec![engine("a", "good", LIMIT), engine("b", "good", LIMIT)], 6);
    let games = play(&plan);
    assert_eq!(games.len(), 6);
    for game in &games {
        assert_eq!(fault(game), None, "{:?}", game.played.end);
        assert!(game.played.moves.iter().all(|m| m.time < Duration::from_millis(700)));
    }
}

/// Each kind of misbehaviour loses the game by its own cause, every time, and the match goes on
/// with an engine started anew.
#[test]
fn every_fault_is_told_from_the_others() {
    for (what, cause) in [
        ("crash 2", FaultKind::Crash),
        ("crash 1", FaultKind::Crash),
        ("die-on-newgame", FaultKind::Crash),
        ("hang 2", FaultKind::Stall),
        ("late 2", FaultKind::Time),
        ("lie 3", FaultKind::Illegal),
        ("win 2", FaultKind::Illegal),
        ("garble 1", FaultKind::Illegal),
        ("flood 2", FaultKind::Protocol),
    ] {
        let plan = plan(vec![engine("good", "good", LIMIT), engine("bad", what, limit(what))], 4);
        let games = play(&plan);
        assert_eq!(games.len(), 4, "{what}");
        for game in &games {
            assert_eq!(fault(game), Some((1, cause)), "{what}: {:?}", game.played.end);
        }
    }
}

#[test]
fn faults_tell_their_story() {
    let story = |what: &str| {
        let plan = plan(vec![engine("good", "good", LIMIT), engine("bad", what, limit(what))], 2);
        let games = play(&plan);
        games[0].played.end.fault().unwrap().1.to_string()
    };
    let crash = story("crash 1");
    assert!(crash.contains("134") && crash.contains("assertion failed"), "{crash}");
    assert!(story("lie 1").starts_with("illegal: \"1a1b+\": "));
    assert_eq!(story("flood 1"), "protocol: floods its output");
}

#[test]
fn an_engine_that_cannot_start_loses_at_once() {
    let missing = spec("cmd=no-such-engine-anywhere,nodes=1");
    let plan = plan(vec![engine("good", "good", LIMIT), missing], 2);
    assert_eq!(runner().try_out(&plan, 1).unwrap_err().kind, FaultKind::Crash);
    for game in play(&plan) {
        assert_eq!(fault(&game), Some((1, FaultKind::Crash)));
        assert!(game.played.moves.is_empty());
    }
}

#[test]
fn a_slow_starter_has_its_time_and_a_mute_one_has_not() {
    let slow = engine("slow", "slow-start 400", "byoyomi=500,startup=10");
    let ready = engine("ready", "slow-ready 300", "byoyomi=500,startup=10");
    let games = play(&plan(vec![slow, ready], 2));
    assert!(games.iter().all(|game| fault(game).is_none()), "{games:?}");
    let mute = engine("mute", "mute", "byoyomi=500,startup=0.3");
    let plan = plan(vec![engine("good", "good", LIMIT), mute], 2);
    assert_eq!(runner().try_out(&plan, 1).unwrap_err().kind, FaultKind::Stall);
    assert!(play(&plan).iter().all(|game| fault(game) == Some((1, FaultKind::Stall))));
}

#[test]
fn an_engine_without_a_clock_is_not_waited_for_for_ever() {
    let hanging = engine("hang", "hang 1", "nodes=100,stall=0.3");
    let plan = plan(vec![engine("good", "good", LIMIT), hanging], 2);
    assert!(play(&plan).iter().all(|game| fault(game) == Some((1, FaultKind::Stall))));
}

#[test]
fn chatter_between_the_lines_does_no_harm() {
    let plan = plan(vec![engine("a", "babble 1", LIMIT), engine("b", "good", LIMIT)], 2);
    assert!(play(&plan).iter().all(|game| fault(game).is_none()));
}

#[test]
fn resigning_loses_for_whoever_does_it() {
    let plan = plan(vec![engine("a", "resign 3", LIMIT), engine("b", "good", LIMIT)], 2);
    let games = play(&plan);
    assert_eq!(games[0].played.end, lost(Color::Black, Reason::Resign));
    assert_eq!(games[1].played.end, lost(Color::White, Reason::Resign));
    // A game's number of questions goes on in the same process: the second ends at the first.
    assert_eq!(games[0].played.plies(), 4);
}

#[test]
fn scores_end_games_where_both_agree() {
    let score = |n: u32| engine("x", &format!("score {n}"), LIMIT);
    let rules = Adjudication {
        resign: Some(ResignRule { score: 1000, moves: 3, both: true }),
        draw: Some(DrawRule { score: 10, moves: 3, from: 8 }),
    };
    let end = |n: u32| {
        let mut plan = plan(vec![score(n), score(n)], 2);
        plan.terms.adjudication = rules;
        play(&plan).remove(0).played
    };
    // The mock's scores are Black's: White's are their negatives.
    let decided = end(2000);
    assert_eq!((decided.end.clone(), decided.plies()), (won(Color::Black, Reason::Adjudicated), 6));
    let even = end(5);
    assert_eq!((even.end.clone(), even.plies()), (drawn(Reason::Adjudicated), 8));
    assert_eq!(end(500).end, drawn(Reason::MaxMoves));
}

#[test]
fn both_games_and_handicaps_are_played() {
    let mut small = plan(vec![engine("a", "good", LIMIT), engine("b", "good", LIMIT)], 2);
    small.game = Game::Minishogi;
    small.openings = vec![Opening::even(Game::Minishogi)];
    assert!(play(&small).iter().all(|game| fault(game).is_none()));
    let sfen = Handicap::Four.sfen();
    let start = AnyPosition::from_sfen(Game::Shogi, &sfen).unwrap();
    let mut handicap = plan(vec![engine("a", "good", LIMIT), engine("b", "good", LIMIT)], 2);
    handicap.openings = vec![Opening::new(start, Vec::new()).unwrap()];
    assert!(play(&handicap).iter().all(|game| fault(game).is_none()));
}

#[test]
fn our_own_engine_is_a_program_too_against_programs_on_the_clock() {
    // The mock stands for this program; the factory would refuse to make an engine inside.
    let own = spec(&format!("cmd=self,name=own,{LIMIT}"));
    let plan = plan(vec![own, engine("b", "good", LIMIT)], 2);
    let folder = tempfile::tempdir().unwrap();
    let logs = Arc::new(EngineLogs::in_folder(folder.path()).unwrap());
    let program = mock().to_string_lossy().into_owned();
    let own_program = Some(ProgramCommand { program, ..ProgramCommand::default() });
    let runner = MatchRunner { own_program, logs: Some(logs), ..runner() };
    assert!(runner.try_out(&plan, 0).is_ok());
    let mut games = Vec::new();
    runner.run(&plan, &|_| true, &mut |event| {
        if let Event::Finished(game) = event {
            games.push(fault(&game));
        }
        Flow::Continue
    });
    assert_eq!(games, [None, None]);
    assert!(folder.path().join("own-1.log").exists(), "it is spoken to in lines");
}

#[test]
fn it_stays_inside_where_no_clock_runs_or_all_are_inside() {
    let timed = |keys: [&str; 2], program: bool| {
        let other = if program { engine("b", "good", keys[1]) } else { spec(&own("b", keys[1])) };
        plan(vec![spec(&own("a", keys[0])), other], 2).is_timed_among_programs()
    };
    fn own(name: &str, keys: &str) -> String {
        format!("cmd=self,name={name},{keys}")
    }
    assert!(timed(["tc=1+0.1", "tc=1+0.1"], true));
    assert!(timed(["nodes=5", "movetime=10"], true));
    assert!(!timed(["nodes=5", "depth=3"], true));
    assert!(!timed(["tc=1+0.1", "tc=1+0.1"], false));
}

#[test]
fn declarations_are_checked_by_the_rule_in_force() {
    // Black's king has entered with enough pieces and points.
    let sfen = "4KRRBB/GGGGSSSS1/9/9/9/9/9/9/4k4 b 18P4L4N 1";
    let start = AnyPosition::from_sfen(Game::Shogi, sfen).unwrap();
    let opening = Opening::new(start, Vec::new()).unwrap();
    for (rule, right) in [(Declaration::Points27, true), (Declaration::None, false)] {
        let mut plan = plan(vec![engine("a", "win 1", LIMIT), engine("b", "win 1", LIMIT)], 2);
        plan.openings = vec![opening.clone()];
        plan.terms.rules.declaration = rule;
        let game = play(&plan).remove(0);
        match right {
            true => assert_eq!(game.played.end, won(Color::Black, Reason::Declaration)),
            false => assert_eq!(fault(&game), Some((0, FaultKind::Illegal))),
        }
    }
}

#[test]
fn a_stopped_match_ends_at_once_and_only_wanted_games_are_played() {
    let mut plan =
        plan(vec![engine("a", "delay 100", LIMIT), engine("b", "hang 9", "nodes=1")], 40);
    plan.terms.rules.max_moves = Some(10);
    let began = Instant::now();
    let seen = AtomicU64::new(0);
    runner().run(&plan, &|id| id >= 6, &mut |event| match event {
        Event::Finished(game) => {
            assert!(game.scheduled.id >= 6);
            seen.fetch_add(1, Ordering::Relaxed);
            Flow::Stop
        }
        Event::Started(_) | Event::Turn(..) => Flow::Continue,
    });
    assert!((1..=2).contains(&seen.load(Ordering::Relaxed)));
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
}

/// A long line that nobody reads must not hold up the runner.
#[test]
fn an_engine_that_does_not_read_is_noticed() {
    let long = format!("option.Text={},{LIMIT}", "x".repeat(300_000));
    let plan = plan(vec![engine("deaf", "deaf", &long), engine("b", "good", LIMIT)], 2);
    let games = play(&plan);
    assert!(games.iter().all(|game| fault(game) == Some((0, FaultKind::Stall))), "{games:?}");
}

/// Scores of an engine's moves, which say how the mock came to them: 777 after a ponder hit.
fn scores(game: &Finished, engine: usize) -> Vec<Option<i32>> {
    let first = usize::from(game.scheduled.players[0] != engine);
    let score = |info: &think::Info| match info.score {
        Some((think::Score::Cp(cp), _)) => Some(cp),
        _ => None,
    };
    let own = game.played.moves.iter().skip(first).step_by(2);
    own.map(|m| m.info.as_ref().and_then(score)).collect()
}

#[test]
fn a_player_ponders_where_it_is_told_to() {
    let limit = format!("{LIMIT},ponder=true");
    let first = || engine("first", "first", LIMIT);
    // What is expected is played: every move but the first follows a hit.
    let games = play(&plan(vec![engine("a", "foresee", &limit), first()], 2));
    for game in &games {
        assert_eq!(fault(game), None);
        let told = scores(game, 0);
        assert!(told.len() > 5 && told[0].is_none(), "{told:?}");
        assert!(told[1..].iter().all(|score| *score == Some(777)), "{told:?}");
    }
    // Something else is played: what was thought is dropped, and the question asked anew.
    let games = play(&plan(vec![engine("a", "misjudge", &limit), first()], 2));
    for game in &games {
        assert_eq!(fault(game), None);
        assert!(scores(game, 0).iter().filter(|score| score.is_none()).count() > 5);
    }
    // Who is not told to ponder never does.
    let games = play(&plan(vec![engine("a", "foresee", LIMIT), first()], 2));
    assert!(games.iter().all(|game| scores(game, 0).iter().all(Option::is_none)));
    // Both may.
    let both = vec![engine("a", "foresee", &limit), engine("b", "foresee", &limit)];
    assert!(play(&plan(both, 2)).iter().all(|game| fault(game).is_none()));
}

#[test]
fn one_that_answers_before_the_hit_is_taken_at_its_word_and_a_dreamer_loses() {
    let limit = format!("{LIMIT},ponder=true");
    let first = || engine("first", "first", LIMIT);
    let games = play(&plan(vec![engine("a", "hasty", &limit), first()], 2));
    for game in &games {
        assert_eq!(fault(game), None, "{:?}", game.played.end);
        assert!(scores(game, 0)[1..].iter().all(|score| *score == Some(500)));
    }
    // The opponent plays at random, so that sooner or later it must stop.
    let dreamer = engine("a", "dreamer", &limit);
    let games = play(&plan(vec![dreamer, engine("b", "good", LIMIT)], 2));
    assert!(games.iter().all(|game| fault(game) == Some((0, FaultKind::Stall))), "{games:?}");
}

#[test]
fn engines_are_told_the_rules_of_their_games() {
    let told = engine("told", "ruled 40", "nodes=1");
    let games = play(&plan(vec![told, engine("other", "good", "nodes=1")], 2));
    assert_eq!(games.len(), 2);
    for game in &games {
        assert!(game.played.end.fault().is_none(), "{:?}", game.played.end);
    }
    // A limit it was not told: it ends at the first question.
    let other_limit = engine("untold", "ruled 41", "nodes=1");
    let games = play(&plan(vec![other_limit, engine("other", "good", "nodes=1")], 2));
    assert!(games.iter().all(|game| game.played.end.fault().is_some()));
    let uses = arena::time_use::TimeUse::of(&games[0].played);
    assert_eq!(uses.iter().map(|time| time.moves).sum::<u64>(), games[0].played.moves.len() as u64);
}
