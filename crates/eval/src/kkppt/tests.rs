use super::kings::{KINGS, king_view, stabilisers};
use super::*;
use crate::{Evaluator, MAX_VALUE, PIECE_VALUES, material};
use features::Numbering;
use proptest::prelude::*;
use rules::{Color, Game, Kind, Minishogi, Position, Square, Variant};
use seed::Rng;
use simd::Isa;
use std::sync::{Arc, LazyLock};

const PIECES: usize = KkpptTables::PIECES;

/// A value for every entry: some function of its place.
fn mix(a: usize, b: usize, c: usize) -> i32 {
    let x = (a as u64) << 40 ^ (b as u64) << 20 ^ c as u64;
    let x = (x ^ 0x5DEE_CE66).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((x >> 40) as i32 & 0x3FF) - 512
}

static DENSE: LazyLock<Arc<KkpptTables>> = LazyLock::new(|| {
    let mut tables = KkpptTables::zeroed();
    tables.description = "some function of the place".to_owned();
    for place in 0..KINGS {
        tables.kk[place] = [100 * mix(place, 0, 3), 100 * mix(place, 1, 3)];
        for a in 0..PIECES {
            tables.kkp[place * PIECES + a] = [10 * mix(place, a, 1), 10 * mix(place, a, 2)];
            for b in 0..=a {
                let value = [mix(place, a * PIECES + b, 4), mix(place, a * PIECES + b, 5)];
                tables.set_kkpp(place, a, b, value.map(|x| x as i16));
            }
        }
    }
    Arc::new(tables)
});

/// The kings and the pieces of a position in a view, straight from the board.
fn seen(pos: &Position<Minishogi>, turned: bool, mirrored: bool) -> (usize, usize, Vec<usize>) {
    let (n, game) = (Numbering::of(Game::Minishogi), Game::Minishogi);
    let side = if turned { Color::White } else { Color::Black };
    let place = |sq: Square| if mirrored { sq.mirrored(game) } else { sq };
    let king = |color| n.orient(side, place(pos.king(color).unwrap()));
    let mut list = Vec::new();
    for sq in Square::all(game) {
        let piece = pos.piece_at(sq);
        if piece.is_some() && piece.kind() != Some(Kind::King) {
            list.push(n.board(side, piece, place(sq)));
        }
    }
    for owner in Color::BOTH {
        for kind in Kind::HAND {
            list.extend((1..=pos.hand(owner).count(kind)).map(|c| n.hand(side, owner, kind, c)));
        }
    }
    list.resize(10, 0);
    (king(side), king(side.opponent()), list)
}

/// The definition, word for word: of the four views that whose kings' squares are smallest.
fn by_definition(t: &KkpptTables, pos: &Position<Minishogi>) -> i32 {
    let views = [(false, false), (false, true), (true, false), (true, true)];
    let (turned, mirrored) = views
        .into_iter()
        .min_by_key(|&(turned, mirrored)| {
            let (own, enemy, _) = seen(pos, turned, mirrored);
            (own, enemy)
        })
        .unwrap();
    let (own, enemy, list) = seen(pos, turned, mirrored);
    let place = usize::from(king_view(own, enemy).unwrap().place);
    let part = |part: usize| -> i32 {
        let mut sum = t.kk[place][part];
        for (i, &a) in list.iter().enumerate() {
            sum += t.kkp(place, a)[part];
            for &b in &list[..i] {
                sum += i32::from(t.kkpp(place, a.max(b), a.min(b))[part]);
            }
        }
        sum
    };
    let board = if turned { -part(0) } else { part(0) } + 32 * material(pos, &PIECE_VALUES);
    let own = if pos.turn() == Color::Black { board } else { -board };
    ((own + part(1)) / 32).clamp(-MAX_VALUE, MAX_VALUE)
}

fn follow(start: &str, plies: usize, seed: u64) {
    let mut rng = Rng::new(seed);
    let mut pos = Position::<Minishogi>::from_sfen(start).unwrap();
    let mut all: Vec<_> =
        Isa::available().iter().map(|&isa| Kkppt::new(Arc::clone(&DENSE)).with_isa(isa)).collect();
    all.iter_mut().for_each(|e| e.refresh(&pos));
    let mut compared = 0;
    for _ in 0..plies {
        let moves = pos.legal_moves();
        if moves.is_empty() || pos.played() > 0 && rng.below(4) == 0 {
            if pos.played() == 0 {
                break;
            }
            pos.undo();
            all.iter_mut().for_each(Evaluator::pop);
        } else {
            let delta = pos.play(moves[rng.below(moves.len())]);
            all.iter_mut().for_each(|e| e.push(&delta));
        }
        if rng.below(2) == 0 {
            let expected = by_definition(&DENSE, &pos);
            for e in &mut all {
                assert_eq!(e.evaluate(&pos), expected, "{}", pos.sfen());
            }
            compared += 1;
        }
    }
    assert!(compared > 3);
}

#[test]
fn follows_games() {
    for seed in 0..40 {
        follow(Minishogi::START, 200, seed);
        follow("2k2/5/5/5/2K2 b RBGSPrb 1", 100, seed);
        follow("k4/5/5/5/4K w 2G2S2P 1", 100, seed);
    }
}

#[test]
fn zero_tables_are_material_and_touching_kings_are_too() {
    let mut e = Kkppt::new(Arc::new(KkpptTables::zeroed()));
    let pos = Position::from_sfen("4k/5/5/5/K4 b 2Pr 1").unwrap();
    e.refresh(&pos);
    assert_eq!(e.evaluate(&pos), 180 - 990);
    let mut e = Kkppt::new(Arc::clone(&DENSE));
    // A missing white king counts as on 5e.
    let pos = Position::from_sfen_with("5/5/5/5/K4 b P 1", rules::Kings::Any).unwrap();
    e.refresh(&pos);
    assert_eq!(e.evaluate(&pos), 90);
}

#[test]
fn places_of_kings() {
    let game = Game::Minishogi;
    let mirror = |sq: usize| Square::new(sq).mirrored(game).index();
    let mut legal = 0;
    for (b, w) in (0..25).flat_map(|b| (0..25).map(move |w| (b, w))) {
        let near = (b / 5usize).abs_diff(w / 5) < 2 && (b % 5usize).abs_diff(w % 5) < 2;
        assert_eq!(king_view(b, w).is_none(), near);
        let Some(view) = king_view(b, w) else { continue };
        legal += 1;
        for (b, w) in [(mirror(b), mirror(w)), (24 - w, 24 - b)] {
            assert_eq!(king_view(b, w).unwrap().place, view.place);
        }
        let fixed = [(false, true, (mirror(b), mirror(w))), (true, false, (24 - w, 24 - b))];
        for (turned, mirrored, image) in fixed {
            let stays = stabilisers(view.place.into()).any(|s| s == (turned, mirrored));
            assert_eq!(stays, image == (b, w));
        }
    }
    assert_eq!(legal, 456);
    assert_eq!(king_view(25, 0), None);
    assert_eq!(king_view(0, 25), None);
}

/// The position with files reversed.
fn mirrored(pos: &Position<Minishogi>) -> Position<Minishogi> {
    let sfen = pos.sfen();
    let (board, rest) = sfen.split_once(' ').unwrap();
    let mut ranks = Vec::new();
    for rank in board.split('/') {
        let mut squares: Vec<String> = Vec::new();
        let mut promoted = false;
        for c in rank.chars() {
            match (c, promoted) {
                ('+', _) => promoted = true,
                (c, true) => {
                    squares.push(format!("+{c}"));
                    promoted = false;
                }
                (c, false) => squares.push(c.to_string()),
            }
        }
        squares.reverse();
        ranks.push(squares.concat());
    }
    Position::from_sfen(&format!("{} {rest}", ranks.join("/"))).unwrap()
}

#[test]
fn mirrored_positions_have_the_same_value() {
    let mut compared = 0;
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let mut pos = Position::<Minishogi>::startpos();
        while let moves = pos.legal_moves()
            && !moves.is_empty()
            && pos.played() < 100
        {
            pos.play(moves[rng.below(moves.len())]);
            let kings = Color::BOTH.map(|c| pos.king(c).unwrap().index());
            let place = king_view(kings[0], kings[1]).unwrap().place;
            if stabilisers(place.into()).next().is_none() {
                let values = [&pos, &mirrored(&pos)].map(|pos| {
                    let mut e = Kkppt::new(Arc::clone(&DENSE));
                    e.refresh(pos);
                    e.evaluate(pos)
                });
                assert_eq!(values[0], values[1], "{}", pos.sfen());
                compared += 1;
            }
        }
    }
    assert!(compared > 100);
}

fn bytes(tables: &KkpptTables) -> Vec<u8> {
    let mut bytes = Vec::new();
    tables.write(&mut bytes).unwrap();
    bytes
}

/// A few entries only: a file of some dozen bytes.
fn sparse() -> KkpptTables {
    let mut tables = KkpptTables::zeroed();
    tables.description = "五五将棋".to_owned();
    tables.kk[3] = [i32::MAX, i32::MIN];
    tables.kkp[PIECES * KINGS - 1] = [-1, 1];
    tables.set_kkpp(0, 0, 0, [i16::MAX, i16::MIN]);
    tables.set_kkpp(KINGS - 1, PIECES - 1, PIECES - 1, [64, -64]);
    tables.set_kkpp(5, 17, 300, [0, 63]);
    tables
}

#[test]
fn files_round_trip() {
    for tables in [&*DENSE, &sparse(), &KkpptTables::zeroed()] {
        let bytes = bytes(tables);
        let again = KkpptTables::read(&bytes[..]).unwrap();
        assert!(again == *tables);
    }
    assert!(bytes(&sparse()).len() < 120);
}

#[test]
fn every_damage_is_refused() {
    let good = bytes(&sparse());
    for at in 0..good.len() {
        for bit in 0..8 {
            let mut bad = good.clone();
            bad[at] ^= 1 << bit;
            assert!(KkpptTables::read(&bad[..]).is_err(), "byte {at} bit {bit}");
        }
        assert!(KkpptTables::read(&good[..at]).is_err(), "cut at {at}");
    }
    let mut long = good.clone();
    long.push(0);
    let error = KkpptTables::read(&long[..]).unwrap_err().to_string();
    assert_eq!(error, format!("{} bytes, its header says {}", long.len(), good.len()));
    let error = KkpptTables::read(&b"some text"[..]).unwrap_err().to_string();
    assert_eq!(error, r#"it begins with "some tex", not with "NueKKPPT""#);
    let mut other = good.clone();
    other[12] ^= 1;
    let error = KkpptTables::read(&other[..]).unwrap_err().to_string();
    assert_eq!(error, "made for places of kings: 129, expected 128");
    let mut later = good;
    later[8] = 2;
    let error = KkpptTables::read(&later[..]).unwrap_err().to_string();
    assert_eq!(error, "version 2, expected 1");
}

/// A file with any bytes as numbers, its sums right.
fn with_numbers(numbers: &[u8]) -> Vec<u8> {
    static HEADER: LazyLock<Vec<u8>> =
        LazyLock::new(|| bytes(&KkpptTables::zeroed())[..28].to_vec());
    let mut file = HEADER.clone();
    file.extend((numbers.len() as u32).to_le_bytes());
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&file);
    hasher.update(numbers);
    file.extend(hasher.finalize().to_le_bytes());
    file.extend(numbers);
    file
}

#[test]
fn numbers_that_do_not_add_up_are_refused() {
    for (numbers, reason) in [
        (&[][..], "bad number 0 of 18629376: the file ends before it"),
        (&[2, 4, 6], "bad number 3 of 18629376: the file ends before it"),
        (&[0xFF; 9], "bad number 0 of 18629376: longer than 32 bits"),
        (&[0, 0xFF, 0xFF, 0xFF, 0x7F], "bad number 18629376 of 18629376: more follows the last"),
        // 762 zeros, then the first pair of pieces with a number of 17 bits.
        (&[0, 0xF9, 0x05, 0x80, 0x80, 0x04], "bad number 763 of 18629376: longer than 16 bits"),
    ] {
        let error = KkpptTables::read(&with_numbers(numbers)[..]).unwrap_err();
        assert_eq!(error.to_string(), reason);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    #[test]
    fn any_numbers_do_no_harm(numbers in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = KkpptTables::read(&with_numbers(&numbers)[..]);
    }

    #[test]
    fn any_bytes_do_no_harm(mut bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(KkpptTables::read(&bytes[..]).is_err());
        bytes.splice(0..0, KKPPT_MAGIC);
        prop_assert!(KkpptTables::read(&bytes[..]).is_err());
    }
}
