//! Self-play with a stand-in engine: what follows from the plan, and what must not.

use super::starts::{Set, Starts, entering_kings};
use super::*;
use crate::adjudication::ResignRule;
use crate::opening::Opening;
use rules::{AnyPosition, Color, Declaration, Move};
use seed::Rng;
use teacher::{Outcome, Reason};
use think::key::universal::MULTI_PV;
use think::{
    Answer, Best, Bound, Control, Engine, Info, Limits, OptionError, OptionSpec, Report, Score,
    WrongGame,
};

/// Values positions by a number that looks random but follows from the position, and remembers
/// how much it was asked, as a table would.
struct Oracle {
    position: AnyPosition,
    lines: usize,
    /// Ends every search with a bound, and says nothing at all with few nodes.
    stopped: bool,
    /// Says what a policy should learn.
    teaches: bool,
}

impl Oracle {
    fn value(position: &AnyPosition) -> i32 {
        Rng::new(position.key()).below(401) as i32 - 200
    }

    /// The legal moves, those that are worst for the other side first.
    fn ordered(position: &AnyPosition) -> Vec<Move> {
        let mut moves: Vec<_> = position.legal_moves().iter().copied().collect();
        let mut after = position.clone();
        moves.sort_by_cached_key(|&m| {
            after.play(m);
            let value = Self::value(&after);
            after.undo();
            value
        });
        moves
    }
}

impl Engine for Oracle {
    fn set_position(&mut self, position: AnyPosition) -> Result<(), WrongGame> {
        self.position = position;
        Ok(())
    }

    fn go(&mut self, _: Limits, _: Box<dyn Report>) {}

    fn think(&mut self, limits: Limits, report: &mut dyn Report) {
        let moves = Self::ordered(&self.position);
        let silent = self.stopped && limits.nodes < Some(40);
        for (i, &m) in moves.iter().take(if silent { 0 } else { self.lines }).enumerate() {
            report.info(&Info {
                multipv: (self.lines > 1).then_some(i as u32 + 1),
                score: Some((Score::Cp(Self::value(&self.position) - i as i32), Bound::Exact)),
                nodes: limits.nodes,
                pv: vec![m],
                ..Info::default()
            });
        }
        if self.stopped && !silent {
            let score = Some((Score::Cp(9_999), Bound::Lower));
            report.info(&Info { score, nodes: limits.nodes, ..Info::default() });
        }
        let wins = self.position.can_declare(Declaration::Points27H);
        let answer = if wins { Answer::Win } else { Answer::Move(moves[0]) };
        report.best(&Best { answer, ponder: None });
    }

    /// Half for the first move, a third for the second, next to nothing for the third.
    fn policy_target(&mut self) -> Vec<(Move, f32)> {
        let moves = self.position.legal_moves();
        let shares = if self.teaches { [0.5, 1.0 / 3.0, 1e-5] } else { return Vec::new() };
        moves.iter().copied().zip(shares).collect()
    }

    fn control(&self) -> Control {
        Control::default()
    }

    fn wait(&mut self) {}

    fn new_game(&mut self) {}

    fn is_ready(&mut self, _: &mut dyn FnMut(&str)) {}

    fn options(&self) -> Vec<OptionSpec> {
        Vec::new()
    }

    fn set_option(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        if name != MULTI_PV.name() {
            return Err(OptionError::Unknown { name: name.to_owned() });
        }
        self.lines = value.parse().unwrap();
        Ok(())
    }
}

fn plan(game: Game) -> SelfPlayPlan {
    let mut starts = Starts::default();
    starts.add(Set::Openings(vec![Opening::even(game)]), 1.0);
    SelfPlayPlan {
        game,
        starts,
        nodes: Some(10),
        depth: None,
        random: RandomMoves { count: 3, plies: PlyRange { first: 1, last: 5 } },
        near_best: None,
        policy: None,
        balance: None,
        rules: GameRules { max_moves: Some(60), ..GameRules::default() },
        adjudication: Adjudication::default(),
        seed: 7,
        separate: false,
        options: Vec::new(),
    }
}

fn produce(plan: &SelfPlayPlan, threads: usize, first: u64, count: usize) -> Vec<PlayedGame> {
    let mut made = Vec::new();
    let abandoned = AtomicBool::new(false);
    let factory: &EngineSource = &|game| {
        Ok(Box::new(Oracle {
            position: AnyPosition::startpos(game),
            lines: 1,
            stopped: false,
            teaches: false,
        }))
    };
    let production =
        Production { plan, factory, threads, first, abandoned: &abandoned, elsewhere: None };
    let mut seen = HashSet::new();
    production
        .run(&mut seen, &mut |game| {
            made.push(game.clone());
            if made.len() < count { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })
        .unwrap();
    made
}

fn games(plan: &SelfPlayPlan, threads: usize, first: u64, count: usize) -> Vec<teacher::Game> {
    produce(plan, threads, first, count).into_iter().map(|made| made.game).collect()
}

#[test]
fn the_same_games_on_any_number_of_threads_and_from_any_number_on() {
    for game in Game::ALL {
        let plan = plan(game);
        let one = games(&plan, 1, 0, 20);
        assert_eq!(one, games(&plan, 4, 0, 20));
        assert_eq!(one[12..], games(&plan, 3, 12, 8));
        let other = SelfPlayPlan { seed: 8, ..plan };
        assert_ne!(one, games(&other, 1, 0, 20));
    }
}

#[test]
fn random_moves_are_as_many_and_as_early_as_asked() {
    for game in games(&plan(Game::Shogi), 1, 0, 20) {
        let random: Vec<usize> =
            (0..game.plies.len()).filter(|&i| game.plies[i].flags.random).collect();
        assert_eq!(random.len(), 3);
        assert!(random.iter().all(|&i| i < 5));
        for (i, ply) in game.plies.iter().enumerate() {
            assert_eq!(ply.score.is_none(), ply.flags.random);
            // What was thought before the last of them is not for training.
            assert_eq!(ply.flags.skip, !ply.flags.random && i < random[2]);
        }
    }
}

#[test]
fn what_a_policy_should_learn_is_written_beside_the_moves() {
    let moves = ["7g7f", "3c3d"].map(|text| Move::from_usi(Game::Shogi, text).unwrap());
    let opening = Opening::new(AnyPosition::startpos(Game::Shogi), moves.to_vec()).unwrap();
    let mut plan = plan(Game::Shogi);
    plan.starts = Starts::default();
    plan.starts.add(Set::Openings(vec![opening]), 1.0);
    let factory: &EngineSource = &|game| {
        let position = AnyPosition::startpos(game);
        Ok(Box::new(Oracle { position, lines: 1, stopped: false, teaches: true }))
    };
    let mut player = SelfPlayer::new(&plan, factory).unwrap();
    let game = player.game(0, 0, &|| false).unwrap().unwrap().game;
    let mut position = game.start.clone();
    let mut candidates = game.candidates.iter();
    for (index, ply) in game.plies.iter().enumerate() {
        if ply.score.is_some() {
            let moves = position.legal_moves();
            for (&mv, visits) in moves.iter().zip([5000, 3333]) {
                let ply = index as u32;
                assert_eq!(candidates.next(), Some(&teacher::Candidate { ply, mv, visits }));
            }
        }
        position.play(ply.mv);
    }
    assert_eq!(candidates.next(), None);
    assert!(game.plies[..2].iter().all(|ply| ply.flags.random), "those of the opening");
}

#[test]
fn scores_are_exact_and_in_evaluation_units() {
    let plan = plan(Game::Shogi);
    let (mut plies, abandoned) = (0, AtomicBool::new(false));
    let factory: &EngineSource = &|game| {
        Ok(Box::new(Oracle {
            position: AnyPosition::startpos(game),
            lines: 1,
            stopped: true,
            teaches: false,
        }))
    };
    let production = Production {
        plan: &plan,
        factory,
        threads: 1,
        first: 0,
        abandoned: &abandoned,
        elsewhere: None,
    };
    let take = &mut |made: &PlayedGame| {
        let mut position = made.game.start.clone();
        let last_random = made.game.plies.iter().rposition(|ply| ply.flags.random).unwrap();
        for (i, ply) in made.game.plies.iter().enumerate() {
            assert_eq!(ply.score.is_none(), ply.flags.random);
            assert_eq!(ply.flags.skip, !ply.flags.random && i < last_random);
            assert!(last_random < 5);
            if let Some(score) = ply.score {
                let centipawns = Oracle::value(&position);
                assert_eq!(i32::from(score), think::to_units(centipawns), "{}", position.sfen());
                plies += 1;
            }
            position.play(ply.mv);
        }
        ControlFlow::Break(())
    };
    production.run(&mut HashSet::new(), take).unwrap();
    assert!(plies > 20, "{plies}");
}

#[test]
fn near_best_moves_are_within_the_margin() {
    let near = NearBest { lines: 4, margin: 2, last: 10 };
    let varied = SelfPlayPlan {
        near_best: Some(near),
        random: RandomMoves { count: 0, plies: PlyRange { first: 1, last: 0 } },
        ..plan(Game::Shogi)
    };
    let mut ranks = [0; 4];
    for game in games(&varied, 1, 0, 30) {
        let mut position = game.start.clone();
        for (i, ply) in game.plies.iter().enumerate() {
            let rank = Oracle::ordered(&position).iter().position(|&m| m == ply.mv).unwrap();
            assert!(rank <= if i < 10 { 2 } else { 0 }, "rank {rank} at {i}");
            ranks[rank] += 1;
            position.play(ply.mv);
        }
    }
    assert!(ranks[..3].iter().all(|&n| n > 30), "{ranks:?}");
}

#[test]
fn lines_become_a_policy() {
    let policy = Some(LinePolicy { lines: 3, scale: 50 });
    let taught = SelfPlayPlan { policy, ..plan(Game::Minishogi) };
    for game in games(&taught, 1, 0, 3) {
        let mut position = game.start.clone();
        for (number, ply) in game.plies.iter().enumerate() {
            let own: Vec<_> = game.candidates.iter().filter(|c| c.ply as usize == number).collect();
            let best = Oracle::ordered(&position);
            let wanted = if ply.flags.random { 0 } else { best.len().min(3) };
            assert_eq!(own.len(), wanted, "{}", position.sfen());
            assert!(own.iter().zip(&best).all(|(candidate, &mv)| candidate.mv == mv));
            assert!(own.windows(2).all(|pair| pair[0].visits >= pair[1].visits));
            let sum: u32 = own.iter().map(|candidate| u32::from(candidate.visits)).sum();
            assert!(own.is_empty() || sum.abs_diff(10_000) <= 3, "{sum}");
            position.play(ply.mv);
        }
    }
}

#[test]
fn unbalanced_beginnings_are_dropped() {
    let strict = SelfPlayPlan { balance: Some(20), ..plan(Game::Minishogi) };
    for game in games(&strict, 2, 0, 20) {
        let last_random = game.plies.iter().rposition(|ply| ply.flags.random).unwrap();
        let first = game.plies[last_random + 1].score.unwrap();
        assert!(first.abs() <= 20, "{first}");
    }
}

/// Without random moves there is one game only; a few moves at random make many.
#[test]
fn no_game_is_played_twice_while_there_are_others() {
    let few = SelfPlayPlan {
        random: RandomMoves { count: 1, plies: PlyRange { first: 1, last: 1 } },
        ..plan(Game::Minishogi)
    };
    let made = games(&few, 2, 0, 10);
    let different: HashSet<u64> = made.iter().map(teacher::Game::fingerprint).collect();
    assert_eq!(different.len(), made.len());
    // There are only 14 first moves: a plan that has no more games does not hang.
    assert_eq!(games(&few, 2, 0, 20).len(), 20);
}

#[test]
fn scores_end_games_and_results_are_told() {
    let mut ended = plan(Game::Shogi);
    // Of values at random one is soon below minus 150.
    ended.adjudication.resign = Some(ResignRule { score: 150, moves: 1, both: false });
    for game in games(&ended, 1, 0, 10) {
        assert_eq!(game.reason, Reason::Adjudicated);
        assert!(matches!(game.outcome, Outcome::Won(_)));
        assert!(game.plies.last().unwrap().score.unwrap().abs() >= 135);
    }
    let draws = games(&plan(Game::Shogi), 1, 0, 30);
    assert!(draws.iter().any(|g| g.reason == Reason::MaxMoves && g.outcome == Outcome::Draw));
}

#[test]
fn an_option_nobody_knows_is_an_error_not_a_hang() {
    let wrong = SelfPlayPlan {
        options: vec![("NoSuchOption".to_owned(), "1".to_owned())],
        ..plan(Game::Shogi)
    };
    let abandoned = AtomicBool::new(false);
    let factory: &EngineSource = &|game| {
        Ok(Box::new(Oracle {
            position: AnyPosition::startpos(game),
            lines: 1,
            stopped: false,
            teaches: false,
        }))
    };
    let production = Production {
        plan: &wrong,
        factory,
        threads: 2,
        first: 5,
        abandoned: &abandoned,
        elsewhere: None,
    };
    let result = production.run(&mut HashSet::new(), &mut |_| ControlFlow::Continue(()));
    assert!(matches!(result, Err(SelfPlayError::Option(_))));
}

#[test]
fn entering_king_positions_have_both_kings_in_the_camp_and_all_pieces() {
    let mut random = Rng::new(3);
    let made: Vec<_> = (0..400).filter_map(|_| entering_kings(&mut random)).collect();
    assert!(made.len() > 100, "{}", made.len());
    for opening in &made {
        let position = opening.position();
        let rank = |color| position.king(color).unwrap().rank(Game::Shogi);
        assert!(rank(Color::Black) <= 3 && rank(Color::White) >= 7, "{}", position.sfen());
        let letters = position.sfen();
        assert!(AnyPosition::from_sfen(Game::Shogi, &letters).is_ok());
    }
}

/// In a handicap game the giver declares with the points of what is missing: 17 on the board and in
/// hand, and the ten of a rook and a bishop. That is the rule where nobody names one.
#[test]
fn the_giver_of_a_handicap_declares_with_what_was_given() {
    let start = "4K4/9/9/9/9/9/gggg5/4k4/ssss+n+n3 b RB2N4L11P7p 1";
    let settings = |declaration| settings::SelfPlaySettings {
        starts: vec![start.to_owned()],
        random: RandomMoves { count: 0, plies: PlyRange { first: 1, last: 1 } },
        nodes: 10,
        resign: None,
        declaration,
        ..settings::SelfPlaySettings::default()
    };
    let usual = settings::SelfPlaySettings::default().declaration;
    let game = &games(&settings(usual).plan().unwrap(), 1, 0, 1)[0];
    assert_eq!((game.reason, game.outcome), (Reason::Declaration, Outcome::Won(Color::White)));
    // By the rule without a correction the same declaration loses.
    let plan = settings(Declaration::Points27).plan().unwrap();
    let abandoned = AtomicBool::new(false);
    let factory: &EngineSource = &|game| {
        Ok(Box::new(Oracle {
            position: AnyPosition::startpos(game),
            lines: 1,
            stopped: false,
            teaches: false,
        }))
    };
    let production = Production {
        plan: &plan,
        factory,
        threads: 1,
        first: 0,
        abandoned: &abandoned,
        elsewhere: None,
    };
    let result = production.run(&mut HashSet::new(), &mut |_| ControlFlow::Break(()));
    assert!(matches!(result, Err(SelfPlayError::Fault { .. })), "{result:?}");
}
