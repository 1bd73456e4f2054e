//! The formats of other programs, both ways.

use crate::{
    Candidate, Chain, Flags, Game, Outcome, PackError, Ply, Reason, TeacherError, hcpe, hcpe3, psv,
};
use proptest::prelude::*;
use rules::{AnyPosition, Color, Game as Rules, Handicap, Position, Shogi};

/// A game at random from one of the start positions.
fn game(start: usize, choices: &[(u16, i16)], outcome: u8) -> Game {
    let handicap = Handicap::ALL[start % Handicap::ALL.len()];
    let start = AnyPosition::from_sfen(Rules::Shogi, &handicap.sfen()).unwrap();
    let mut position = start.clone();
    let mut game = Game::new(start);
    for &(choice, score) in choices {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[usize::from(choice) % moves.len()];
        game.plies.push(Ply { mv, score: Some(score), flags: Flags::default() });
        position.play(mv);
    }
    game.outcome = [Outcome::Draw, Outcome::Won(Color::Black), Outcome::Won(Color::White)]
        [usize::from(outcome) % 3];
    game
}

fn games() -> impl Strategy<Value = Game> {
    let ply = (any::<u16>(), any::<i16>());
    (0usize..16, prop::collection::vec(ply, 1..60), 0u8..3).prop_map(|(s, c, o)| game(s, &c, o))
}

/// Calls `f` with every position of a game.
fn each(game: &Game, mut f: impl FnMut(&Position<Shogi>, &Ply)) {
    let AnyPosition::Shogi(start) = &game.start else { panic!("shogi only") };
    let mut position = start.clone();
    for ply in &game.plies {
        f(&position, ply);
        position.play(ply.mv);
    }
}

proptest! {
    #[test]
    fn psv_there_and_back(game in games()) {
        let mut chain = Chain::new(true);
        let mut records = Vec::new();
        each(&game, |p, ply| {
            records.push(psv::encode(p, Some(ply.mv), ply.score.unwrap(), game.outcome).unwrap());
        });
        for (record, ply) in records.iter().zip(&game.plies) {
            let read = psv::decode(Rules::Shogi, record).unwrap();
            prop_assert_eq!((read.mv, Some(read.score)), (Some(ply.mv), ply.score));
            prop_assert_eq!(psv::score(record), read.score);
            prop_assert_eq!(&psv::canonical(Rules::Shogi, record).unwrap()[..], &record[..32]);
            prop_assert!(chain.push(&read).is_none());
        }
        prop_assert_eq!(chain.finish(), Some(game));
    }

    #[test]
    fn hcpe_there_and_back(game in games()) {
        let mut chain = Chain::new(false);
        each(&game, |p, ply| {
            let record = hcpe::encode(p, Some(ply.mv), ply.score.unwrap(), game.outcome).unwrap();
            let read = hcpe::decode(Rules::Shogi, &record).unwrap();
            assert_eq!(hcpe::score(&record), read.score);
            assert_eq!(&hcpe::canonical(Rules::Shogi, &record).unwrap()[..], &record[..32]);
            assert!(chain.push(&read).is_none());
        });
        prop_assert_eq!(chain.finish(), Some(game));
    }

    #[test]
    fn hcpe3_there_and_back(
        list in prop::collection::vec(games(), 1..4),
        extras in prop::collection::vec(any::<u8>(), 60),
    ) {
        let mut list = list;
        for (i, game) in list.iter_mut().enumerate() {
            decorate(game, &extras[i..]);
        }
        let bytes: Vec<u8> = list.iter().flat_map(|g| hcpe3::encode(g).unwrap()).collect();
        let mut reader = hcpe3::Reader::new(&bytes[..], Rules::Shogi);
        for game in &list {
            prop_assert_eq!(&reader.next_game().unwrap().unwrap().unwrap(), game);
        }
        prop_assert!(reader.next_game().is_none());
        prop_assert_eq!(reader.offset(), bytes.len() as u64);
    }

    #[test]
    fn records_of_junk(junk in prop::collection::vec(any::<u8>(), 40), swap in any::<bool>()) {
        let mut record: psv::Record = junk.as_slice().try_into().unwrap();
        if swap {
            // A real position, so that moves and results are looked at too.
            let start = Position::<Shogi>::startpos();
            let good = psv::encode(&start, None, 0, Outcome::Draw).unwrap();
            record[..32].copy_from_slice(&good[..32]);
        }
        if let Ok(read) = psv::decode(Rules::Shogi, &record) {
            let AnyPosition::Shogi(position) = &read.position else { panic!("shogi") };
            prop_assert!(read.mv.is_none_or(|m| position.is_legal(m)));
        }
        for game in Rules::ALL {
            let _ = psv::decode(game, &record);
            let _ = hcpe::decode(game, record[..38].try_into().unwrap());
        }
    }

    #[test]
    fn hcpe3_of_junk(
        game in games(),
        cut in any::<prop::sample::Index>(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let mut bytes = hcpe3::encode(&game).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        bytes.truncate(cut.index(bytes.len()) + 1);
        let mut reader = hcpe3::Reader::new(&bytes[..], Rules::Shogi);
        let mut read = 0;
        while let Some(game) = reader.next_game() {
            read += 1;
            if game.is_err() {
                prop_assert!(reader.next_game().is_none());
            }
        }
        prop_assert!(read > 0);
    }
}

/// Everything hcpe3 has a place for.
fn decorate(game: &mut Game, extras: &[u8]) {
    let mut position = game.start.clone();
    let endings = match game.outcome {
        Outcome::Draw => [Reason::Unknown, Reason::Repetition, Reason::MaxMoves],
        _ => [Reason::Unknown, Reason::PerpetualCheck, Reason::Declaration],
    };
    game.reason = endings[usize::from(extras[0]) % 3];
    game.guest = [None, Some(Color::Black), Some(Color::White)][usize::from(extras[1]) % 3];
    for (index, ply) in game.plies.iter_mut().enumerate() {
        let extra = extras[index % extras.len()];
        ply.flags.skip = extra & 1 != 0;
        if extra & 3 == 2 {
            for &mv in position.legal_moves().iter().take(usize::from(extra >> 4) + 2) {
                let visits = u16::from(extra) * 3;
                game.candidates.push(Candidate { ply: index as u32, mv, visits });
            }
        }
        position.play(ply.mv);
    }
}

/// A record put together by hand from the published position and moves.
#[test]
fn records_byte_for_byte() {
    let start = Position::<Shogi>::startpos();
    let mv = start.parse_usi("7g7f").unwrap();
    let won = Outcome::Won(Color::Black);
    let psv = psv::encode(&start, Some(mv), -2, won).unwrap();
    assert_eq!(psv[..4], [0x58, 0xa4, 0x51, 0x22]);
    assert_eq!(psv[32..], [0xFE, 0xFF, 0x3B, 0x1E, 1, 0, 1, 0]);
    let hcpe = hcpe::encode(&start, Some(mv), 300, won).unwrap();
    assert_eq!(hcpe[..4], [0x58, 0xa4, 0x49, 0x21]);
    assert_eq!(hcpe[32..], [0x2C, 0x01, 0x3B, 0x1E, 1, 0]);
    let mut game = Game::new(start.clone().into());
    let flags = Flags { random: false, skip: true };
    game.plies.push(Ply { mv, score: Some(300), flags });
    game.plies.push(Ply { mv: mv.rotated(Rules::Shogi), score: Some(-2), flags: Flags::default() });
    (game.outcome, game.reason) = (Outcome::Draw, Reason::MaxMoves);
    let bytes = hcpe3::encode(&game).unwrap();
    assert_eq!(bytes[32..36], [2, 0, 16, 0]);
    assert_eq!(bytes[36..42], [0x3B, 0x1E, 0x2C, 0x01, 0, 0]);
    assert_eq!(bytes[44..], [0xFE, 0xFF, 1, 0, bytes[42], bytes[43], 1, 0]);
    let lost = psv::encode(&start, None, 0, Outcome::Won(Color::White)).unwrap();
    assert_eq!((lost[38] as i8, &lost[34..36]), (-1, &[0, 0][..]));
    assert_eq!(psv::decode(Rules::Shogi, &lost).unwrap().mv, None);
}

#[test]
fn what_has_no_place_is_refused() {
    let start = Position::<Shogi>::startpos();
    let unknown = Outcome::Unknown;
    assert!(matches!(psv::encode(&start, None, 0, unknown), Err(PackError::Unfit(_))));
    assert!(matches!(hcpe::encode(&start, None, 0, unknown), Err(PackError::Unfit(_))));
    let late = Position::<Shogi>::from_sfen(&start.sfen().replace(" 1", " 70000")).unwrap();
    assert!(matches!(psv::encode(&late, None, 0, Outcome::Draw), Err(PackError::Unfit(_))));
    assert!(hcpe::encode(&late, None, 0, Outcome::Draw).is_ok());
    let empty = Game::new(start.clone().into());
    assert!(matches!(hcpe3::encode(&empty), Err(PackError::Unfit(_))));
    let mut record = psv::encode(&start, None, 0, Outcome::Draw).unwrap();
    record[34] = 1;
    assert!(matches!(psv::decode(Rules::Shogi, &record), Err(PackError::Move { bits: 1, .. })));
    record[34] = 0;
    record[38] = 2;
    assert_eq!(psv::decode(Rules::Shogi, &record), Err(PackError::Result(2)));
}

#[test]
fn a_bad_game_of_hcpe3_does_not_stop_the_next() {
    let good = game(0, &[(1, 5), (2, 6), (3, 7)], 1);
    let bytes = hcpe3::encode(&good).unwrap();
    let mut bad = bytes.clone();
    bad[36..38].copy_from_slice(&[1, 1]);
    let all = [bytes.clone(), bad, bytes.clone(), vec![1, 2, 3]].concat();
    let mut reader = hcpe3::Reader::new(&all[..], Rules::Shogi);
    assert!(matches!(reader.next_game(), Some(Ok(Ok(_)))));
    assert!(matches!(reader.next_game(), Some(Ok(Err(PackError::Move { .. })))));
    assert!(matches!(reader.next_game(), Some(Ok(Ok(_)))));
    assert!(matches!(reader.next_game(), Some(Err(TeacherError::Damaged { .. }))));
    assert!(reader.next_game().is_none());
}
