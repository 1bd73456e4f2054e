use super::*;

fn at(game: Game, sfen: &str) -> AnyPosition {
    AnyPosition::from_sfen(game, sfen).unwrap()
}

/// Plays moves, the last of which may end the game; nothing else may.
fn after(rules: GameRules, position: &mut AnyPosition, moves: &[&str]) -> Option<Ending> {
    let mut ending = None;
    for (number, text) in moves.iter().enumerate() {
        assert_eq!(ending, None, "before {text}");
        let m = position.parse_usi(text).unwrap();
        ending = rules.play(position, m, number as u32 + 1);
    }
    ending
}

const MATE_IN_ONE: &str = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";

#[test]
fn a_mate_ends_the_game_or_waits_for_the_resignation() {
    let rules = GameRules::default();
    let mut position = at(Game::Shogi, MATE_IN_ONE);
    let mated = Ending::won(Color::Black, Reason::Mate);
    assert_eq!(after(rules, &mut position, &["G*5b"]), Some(mated));
    let waiting = GameRules { mate_ends: false, ..rules };
    let mut position = at(Game::Shogi, MATE_IN_ONE);
    assert_eq!(after(waiting, &mut position, &["G*5b"]), None);
    let resigned = Ending::won(Color::Black, Reason::Resign);
    assert_eq!(waiting.judge(&position, Action::Resign), Err(resigned));
}

#[test]
fn the_limit_of_moves() {
    let quiet = ["2g2f", "8c8d"];
    let rules = GameRules { max_moves: Some(2), ..GameRules::default() };
    let drawn = Ending::draw(Reason::MaxMoves);
    let mut position = AnyPosition::startpos(Game::Shogi);
    assert_eq!(after(rules, &mut position, &quiet), Some(drawn));
    let free = GameRules { max_moves: None, ..rules };
    let mut position = AnyPosition::startpos(Game::Shogi);
    assert_eq!(after(free, &mut position, &quiet), None);
    // Mated by the last move: by the mate, by rule 27-3, or drawn without it.
    for (mate_ends, mated_at_limit_loses, want) in [
        (true, true, Ending::won(Color::Black, Reason::Mate)),
        (true, false, Ending::won(Color::Black, Reason::Mate)),
        (false, true, Ending::won(Color::Black, Reason::MaxMoves)),
        (false, false, drawn),
    ] {
        let rules = GameRules {
            max_moves: Some(1),
            mate_ends,
            mated_at_limit_loses,
            ..GameRules::default()
        };
        let mut position = at(Game::Shogi, MATE_IN_ONE);
        assert_eq!(after(rules, &mut position, &["G*5b"]), Some(want));
    }
}

#[test]
fn repetition_by_game_and_by_check() {
    use Color::{Black, White};
    let rules = GameRules::default();
    let cycle = |moves: [&'static str; 4]| moves.repeat(3);
    let mut position = AnyPosition::startpos(Game::Shogi);
    let ending = after(rules, &mut position, &cycle(["2h3h", "8b7b", "3h2h", "7b8b"]));
    assert_eq!(ending, Some(Ending::draw(Reason::Repetition)));
    // Black's rook gives check with every move.
    let mut position = at(Game::Shogi, "4k4/R8/9/9/9/9/9/9/4K4 b - 1");
    let checks: Vec<&str> = ["9b9a", "5a5b", "9a9b", "5b5a"].repeat(3);
    let ending = after(rules, &mut position, &checks);
    assert_eq!(ending, Some(Ending::lost(Black, Reason::PerpetualCheck)));
    // In minishogi Black loses any repetition, and White the one it forces by checks.
    let mut position = AnyPosition::startpos(Game::Minishogi);
    let ending = after(rules, &mut position, &cycle(["1e1d", "5a5b", "1d1e", "5b5a"]));
    assert_eq!(ending, Some(Ending::lost(Black, Reason::Repetition)));
    let mut position = at(Game::Minishogi, "k4/5/5/r4/4K w - 1");
    let checks: Vec<&str> = ["5d5e", "1e1d", "5e5d", "1d1e"].repeat(3);
    let ending = after(rules, &mut position, &checks);
    assert_eq!(ending, Some(Ending::lost(White, Reason::PerpetualCheck)));
}

#[test]
fn declarations_by_every_rule() {
    // Black's king and ten pieces in White's camp: 28 points with the hand.
    let entered = "+R+R+B1K4/PPPPPP3/1S7/9/9/9/9/9/4k4 b BP 1";
    let position = at(Game::Shogi, entered);
    for (declaration, wins) in [
        (Declaration::None, false),
        (Declaration::Points27, true),
        (Declaration::Points24, false),
        (Declaration::Try, false),
    ] {
        let rules = GameRules { declaration, ..GameRules::default() };
        let want = if wins {
            Ending::won(Color::Black, Reason::Declaration)
        } else {
            Ending::lost(Color::Black, Reason::IllegalMove)
        };
        assert_eq!(rules.judge(&position, Action::Declare), Err(want), "{declaration}");
        assert_eq!(rules.can_declare(&position), wins, "{declaration}");
    }
}

#[test]
fn handicap_points_count_for_the_giver() {
    // White gave rook and bishop, 10 points: its 18 win where those count.
    let sfen = "8K/9/9/9/9/9/1s1s5/pppppp3/g2gk4 w RB2G2S2N2L8P2l2n4p 1";
    let position = at(Game::Shogi, sfen);
    let can =
        |declaration| GameRules { declaration, ..GameRules::default() }.can_declare(&position);
    let count = |declaration| {
        let AnyPosition::Shogi(p) = &position else { unreachable!() };
        p.declaration_count(Color::White, declaration).unwrap()
    };
    let (plain, corrected) = (count(Declaration::Points27), count(Declaration::Points27H));
    assert!(corrected.needed < plain.needed && plain.points < plain.needed);
    assert!(corrected.points >= corrected.needed);
    assert!(!can(Declaration::Points27) && can(Declaration::Points27H));
}

#[test]
fn the_try_rule() {
    let mut position = at(Game::Shogi, "9/4K4/9/9/9/9/9/9/k8 b - 1");
    let m = position.parse_usi("5b5a").unwrap();
    let rules = GameRules { declaration: Declaration::Try, ..GameRules::default() };
    assert!(rules.wins_by_try(&position, m));
    assert!(!GameRules::default().wins_by_try(&position, m));
    let declared = Ending::won(Color::Black, Reason::Declaration);
    assert_eq!(rules.judge(&position, Action::Declare), Err(declared));
    let tried = Ending::won(Color::Black, Reason::Try);
    assert_eq!(rules.play(&mut position, m, 1), Some(tried));
}

#[test]
fn illegal_moves_lose_and_legal_ones_are_given_back() {
    let rules = GameRules::default();
    let position = AnyPosition::startpos(Game::Shogi);
    let legal = position.parse_usi("7g7f").unwrap();
    assert_eq!(rules.judge(&position, Action::Move(legal)), Ok(legal));
    let mut other = position.clone();
    other.play(legal);
    let foreign = other.parse_usi("3c3d").unwrap();
    let lost = Ending::lost(Color::Black, Reason::IllegalMove);
    assert_eq!(rules.judge(&position, Action::Move(foreign)), Err(lost));
}
