use super::*;
use Color::{Black, White};
use seed::Rng;

fn watch(rates: &[(Color, u16)], moves: u8) -> ResignWatch {
    let mut watch = ResignWatch::new(&ResignRule { moves, ..ResignRule::default() });
    for &(side, rate) in rates {
        watch.saw(side, WinRate::from_thousandths(rate));
    }
    watch
}

#[test]
fn a_side_gives_up_after_so_many_moves_running() {
    let rates = [(Black, 40), (White, 900), (Black, 90), (White, 950), (Black, 20)];
    let at = |rate: u16| Some(WinRate::from_thousandths(rate));
    for (moves, side, threshold, gives_up) in [
        (1, Black, at(20), true),
        (1, Black, at(19), false),
        (2, Black, at(89), false),
        (2, Black, at(90), true),
        (3, Black, at(90), true),
        (4, Black, at(1000), false),
        (1, White, at(500), false),
        (1, Black, None, false),
        (0, Black, at(20), true),
    ] {
        let found = watch(&rates, moves).resigns(side, threshold);
        assert_eq!(found, gives_up, "{moves} {side:?} {threshold:?}");
    }
}

#[test]
fn wrong_resignations_are_those_of_sides_that_did_not_lose() {
    let rule = ResignRule { moves: 1, ..ResignRule::default() };
    let mut found = ResignThreshold::new(rule);
    let game = watch(&[(Black, 100), (White, 200), (Black, 300)], 1);
    found.played_out(&game, Outcome::Won(White));
    found.played_out(&game, Outcome::Won(Black));
    found.played_out(&game, Outcome::Draw);
    found.played_out(&game, Outcome::Unknown);
    assert_eq!(found.games(), 3);
    let at = |rate| found.at(WinRate::from_thousandths(rate));
    assert_eq!([at(99), at(100), at(199), at(200)], [(0, 0), (3, 2), (3, 2), (3, 3)]);
}

#[test]
fn few_games_give_no_threshold() {
    let rule = ResignRule { moves: 1, ..ResignRule::default() };
    let mut found = ResignThreshold::new(rule);
    let game = watch(&[(Black, 10)], 1);
    let mut enough = 0;
    while found.threshold().is_none() {
        found.played_out(&game, Outcome::Won(White));
        enough += 1;
        assert!(enough < 200);
    }
    // Wilson's bound of none in 103 is just below one in twenty.
    assert_eq!(enough, 103);
    // And one game of many that would have been saved takes it back.
    found.played_out(&game, Outcome::Won(Black));
    assert_eq!(found.threshold(), None);
}

/// Games in which a side that was at v thousandths at its worst wins with a chance of exactly v thousandths:
/// then those given up at a threshold t are wrong in about t/2 of the cases, so that 5 % is at 100.
fn simulate(found: &mut ResignThreshold, games: u64, scale: f64, rng: &mut Rng) {
    for _ in 0..games {
        let worst = rng.below(500) as u16;
        let game = watch(&[(Black, worst)], 1);
        let saved = rng.unit() < scale * f64::from(worst) / 1000.0;
        found.played_out(&game, Outcome::Won(if saved { Black } else { White }));
    }
}

/// The highest of many thresholds is taken, so that in one or two runs of a hundred chance takes one too high: by little.
#[test]
fn the_true_share_of_wrong_resignations_stays_below_one_in_twenty() {
    let rule = ResignRule { moves: 1, ..ResignRule::default() };
    let mut too_high = 0;
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let mut found = ResignThreshold::new(rule);
        simulate(&mut found, 9999, 1.0, &mut rng);
        let threshold = found.threshold().expect("enough games").thousandths();
        assert!((35..=110).contains(&threshold), "{seed}: {threshold}");
        too_high += u32::from(threshold > 100);
    }
    assert!(too_high <= 2, "{too_high} of 40");
}

#[test]
fn what_was_true_long_ago_is_forgotten() {
    let rule = ResignRule { moves: 1, games: 10_000, ..ResignRule::default() };
    let mut rng = Rng::new(3);
    let mut found = ResignThreshold::new(rule);
    simulate(&mut found, 20_000, 2.0, &mut rng);
    let careful = found.threshold().expect("enough games").thousandths();
    simulate(&mut found, 20_000, 0.5, &mut rng);
    let bold = found.threshold().expect("enough games").thousandths();
    assert!((20..=50).contains(&careful) && (150..=200).contains(&bold), "{careful} {bold}");
    assert_eq!(found.games(), 10_000);
}

#[test]
fn stored_and_read_again_it_goes_on_as_it_was() {
    let mut rng = Rng::new(8);
    let mut found = ResignThreshold::new(ResignRule { moves: 1, ..ResignRule::default() });
    simulate(&mut found, 777, 1.0, &mut rng);
    let text = serde_json::to_string(&found).expect("plain data");
    let mut again: ResignThreshold = serde_json::from_str(&text).expect("what was written");
    let mut copy = rng;
    simulate(&mut found, 5000, 1.0, &mut rng);
    simulate(&mut again, 5000, 1.0, &mut copy);
    assert_eq!(found, again);
    let rate: WinRate = serde_json::from_str("60000").expect("a number");
    assert_eq!(rate.thousandths(), 1000);
}

#[test]
fn shares_become_thousandths() {
    for (share, thousandths) in [(0.0, 0), (0.0506, 51), (1.0, 1000), (7.0, 1000), (-1.0, 0)] {
        assert_eq!(WinRate::from_share(share).thousandths(), thousandths, "{share}");
    }
    assert_eq!(WinRate::from_share(f64::NAN).thousandths(), 0);
}
