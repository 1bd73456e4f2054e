use super::*;
fn generator(first: usize, last: usize) -> OpeningGenerator {
    let start = Opening::even(Game::Shogi);
    OpeningGenerator { start, plies: PlyRange { first, last }, margin: 100, count: 10, seed: 7 }
}

#[test]
fn numbers_of_plies() {
    assert_eq!(parse_plies("8"), Ok(PlyRange { first: 8, last: 8 }));
    assert_eq!(parse_plies("6-10"), Ok(PlyRange { first: 6, last: 10 }));
    for wrong in ["", "-", "10-6", "x", "1-2-3", "201", "-5"] {
        assert!(parse_plies(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn candidates_follow_from_seed_and_number() {
    let generator = generator(4, 9);
    for number in 0..50 {
        let Some(opening) = generator.candidate(number) else { continue };
        assert_eq!(generator.candidate(number).as_ref(), Some(&opening));
        assert!((4..=9).contains(&opening.moves().len()));
        assert!(!opening.position().in_check());
    }
    let other = OpeningGenerator { seed: 8, ..generator.clone() };
    assert_ne!(generator.candidate(1), other.candidate(1));
}

#[test]
fn every_position_is_kept_once() {
    let settings = OpeningSettings { count: 100, ..OpeningSettings::default() };
    let mut collector = OpeningCollector::new(&settings).unwrap();
    let made = |moves: &[&str]| {
        let mut position = rules::AnyPosition::startpos(Game::Shogi);
        let start = position.clone();
        let mut played = Vec::new();
        for text in moves {
            let m = position.parse_usi(text).unwrap();
            position.play(m);
            played.push(m);
        }
        Some(JudgedOpening { opening: Opening::new(start, played).unwrap(), value: 0 })
    };
    collector.take(made(&["7g7f", "3c3d", "2g2f"]));
    collector.take(made(&["2g2f", "3c3d", "7g7f"]));
    // The same again two moves later.
    collector.take(made(&["2g2f", "3c3d", "7g7f", "5a5b", "5i5h", "5b5a", "5h5i"]));
    collector.take(None);
    assert_eq!((collector.made.len(), collector.taken, collector.failed_in_a_row), (1, 4, 3));
    assert!(!collector.is_over());
}

/// Whoever is quicker changes nothing, and what comes after the last opening is left.
#[test]
fn candidates_count_in_their_order() {
    let settings = OpeningSettings { count: 12, margin: 20, ..OpeningSettings::default() };
    let value = |number: u64| (!number.is_multiple_of(5)).then_some((number % 7 * 6) as i32);
    let text = |order: &mut dyn Iterator<Item = u64>| {
        let mut collector = OpeningCollector::new(&settings).unwrap();
        order.for_each(|number| collector.judged(number, value(number)));
        assert!(collector.is_over());
        collector.made().text
    };
    let straight = text(&mut (0..60));
    assert_eq!(straight.lines().count(), 13);
    assert_eq!(text(&mut (0..60).rev()), straight);
    assert_eq!(text(&mut (0..60).map(|n| n ^ 3)), straight);
}
