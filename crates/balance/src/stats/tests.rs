use super::*;
use play::Outcome;
use seed::Rng;

/// A game of random moves from a start.
fn random_game(game: Game, start: &Start, plies: usize, rng: &mut Rng) -> Vec<Move> {
    let mut position = position_of(game, start).expect("a position");
    let mut moves = Vec::new();
    while moves.len() < plies {
        let legal = position.legal_moves();
        let Some(&m) = legal.as_slice().get(rng.below(legal.as_slice().len())) else { break };
        position.play(m);
        moves.push(m);
    }
    moves
}

fn settings() -> StatisticsSettings {
    StatisticsSettings {
        distinct_ply: 4,
        opening_plies: 2,
        games_each: 10,
        ..StatisticsSettings::default()
    }
}

fn counted(games: u64) -> Statistics {
    let game = Game::Minishogi;
    let starts = Start::usual(game);
    let mut statistics = Statistics::new(game, starts.clone(), settings());
    play_on(&mut statistics, &starts, 0..games);
    statistics
}

fn play_on(statistics: &mut Statistics, starts: &[Start], games: std::ops::Range<u64>) {
    for number in games {
        let mut rng = Rng::new(number);
        let start = rng.below(starts.len());
        let moves = random_game(statistics.game(), &starts[start], 8, &mut rng);
        let ending = match rng.below(4) {
            0 => Ending::draw(Reason::MaxMoves),
            1 => Ending::won(Color::White, Reason::Resign),
            2 => Ending::unknown(Reason::Interrupted),
            _ => Ending::won(Color::Black, Reason::Mate),
        };
        statistics.add(start, &moves, ending).expect("legal");
    }
}

#[test]
fn scores_and_ends_are_counted_by_start() {
    let statistics = counted(3000);
    let games: u64 = statistics.starts().iter().map(StartStatistics::games).sum();
    assert_eq!(games, 3000);
    for start in statistics.starts() {
        let ends = [Reason::MaxMoves, Reason::Resign, Reason::Interrupted, Reason::Mate];
        let [drawn, lost, open, won] = ends.map(|reason| start.ended_by(reason));
        assert_eq!(*start.score(), Wdl { wins: won, draws: drawn, losses: lost });
        assert_eq!(start.games(), drawn + lost + open + won);
        assert_eq!(start.ended_by(Reason::Declaration), 0);
        assert!(start.mean_plies() > 7.0 && start.mean_plies() <= 8.0);
        let curve = start.score_over_time();
        assert_eq!(curve.len() as u64, start.score().games() / 10);
        assert!(curve.iter().zip(1..).all(|(&(games, _), n)| games == 10 * n));
        let mean = curve.iter().map(|(_, share)| share).sum::<f64>() / curve.len() as f64;
        assert!((mean - start.score().share()).abs() < 0.02, "{mean}");
    }
}

#[test]
fn positions_and_lines_are_those_of_the_games() {
    let game = Game::Shogi;
    let starts = Start::usual(game);
    let mut statistics = Statistics::new(game, starts, settings());
    let line = |text: &str| -> Vec<Move> {
        text.split(' ').map(|usi| Move::from_usi(game, usi).expect("a move")).collect()
    };
    let won = Ending { outcome: Outcome::Won(Color::Black), reason: Reason::Mate };
    for (text, times) in [
        ("7g7f 3c3d 2g2f 8c8d", 3),
        ("2g2f 8c8d 7g7f 3c3d", 2), // the same position after four plies, not after two
        ("7g7f 8c8d 2g2f 3c3d 6i7h", 1),
        ("7g7f 3c3d 2g2f", 1), // too short to be compared
    ] {
        for _ in 0..times {
            statistics.add(0, &line(text), won).expect("legal");
        }
    }
    let even = &statistics.starts()[0];
    assert_eq!(even.distinct().different(), 1);
    assert_eq!(even.distinct().different_share(), Some(1.0 / 6.0));
    let lines = |most| statistics.lines(0, most).expect("a known start");
    assert_eq!(lines(1), [(line("7g7f 3c3d"), 4)]);
    assert_eq!((lines(9).len(), even.lines_missed()), (3, 0));
    let rule = OpeningRule { most: 2, apart: 4 };
    let set = statistics.opening_set(0, rule).expect("legal");
    assert_eq!(set.iter().map(|opening| opening.count).collect::<Vec<_>>(), [4, 2]);
    assert!(statistics.opening_set(1, rule).expect("no games").is_empty());
}

#[test]
fn what_cannot_be_a_game_is_refused_and_not_counted() {
    let mut statistics = counted(10);
    let before = statistics.clone();
    let wrong = Move::from_usi(Game::Minishogi, "5a5e").expect("a move");
    let ending = Ending::draw(Reason::Repetition);
    let error = statistics.add(0, &[wrong], ending).expect_err("not legal");
    assert!(error.to_string().contains("move 1 of a game from \"even\" is not legal: 5a5e"));
    let other = Move::from_usi(Game::Shogi, "9i9h").expect("a move of shogi");
    let error = statistics.add(0, &[other], ending).expect_err("not on this board");
    assert!(error.to_string().contains("is not legal: bits 0x"), "{error}");
    let error = statistics.add(9, &[], ending).expect_err("no such start");
    assert_eq!(error, StatisticsError::UnknownStart { start: 9, starts: 7 });
    assert!(statistics.opening_set(9, OpeningRule::default()).is_err());
    assert!(statistics.lines(9, 1).is_err());
    assert_eq!(statistics, before);
}

#[test]
fn stored_and_read_again_it_goes_on_as_it_was() {
    let text = serde_json::to_string(&counted(500)).expect("plain data");
    let mut again: Statistics = serde_json::from_str(&text).expect("what was written");
    play_on(&mut again, &Start::usual(Game::Minishogi), 500..900);
    assert_eq!(again, counted(900));
}

#[test]
fn memory_is_bounded_whatever_comes() {
    let game = Game::Minishogi;
    let starts = Start::usual(game);
    let small = StatisticsSettings { distinct_most: 50, openings_most: 40, ..settings() };
    let mut statistics = Statistics::new(game, starts.clone(), small);
    play_on(&mut statistics, &starts, 0..5000);
    for (number, start) in statistics.starts().iter().enumerate() {
        assert!(statistics.lines(number, usize::MAX).expect("a known start").len() <= 40);
        assert!(start.lines_missed() > 0 && !start.distinct().is_exact());
    }
    let size = serde_json::to_string(&statistics).expect("plain data").len();
    assert!(size < 7 * 12_000, "{size}");
}
