//! Books made up for tests.

use crate::{BookMove, Entry, Key};
use rules::{AnyPosition, Game, Handicap};
use seed::Rng;
use std::collections::BTreeMap;

/// Bytes that live as long as the tests do.
pub(crate) fn leak(bytes: &[u8]) -> &'static [u8] {
    Box::leak(bytes.to_vec().into_boxed_slice())
}

/// Positions of random games, some of them handicap games, with everything a move can carry; sorted.
pub(crate) fn random_entries(game: Game, count: usize, seed: u64) -> Vec<Entry> {
    let mut rng = Rng::new(seed);
    let mut entries: BTreeMap<Key, Entry> = BTreeMap::new();
    while entries.len() < count {
        let mut position = match game {
            Game::Shogi if rng.below(4) == 0 => {
                AnyPosition::from_sfen(game, &Handicap::Rook.sfen()).unwrap()
            }
            _ => AnyPosition::startpos(game),
        };
        for _ in 0..20 {
            let moves = position.legal_moves();
            if moves.is_empty() || entries.len() == count {
                break;
            }
            let mut entry = Entry::of(&position).unwrap();
            for &mv in moves.iter().take(1 + rng.below(4)) {
                entry.moves.push(random_move(&mut rng, BookMove::new(mv), &position));
            }
            if rng.below(5) == 0 {
                entry.comment = Some("いい形".into());
            }
            position.play(moves[rng.below(moves.len())]);
            entries.entry(entry.key).or_insert(entry);
        }
    }
    entries.into_values().collect()
}

fn random_move(rng: &mut Rng, mut m: BookMove, position: &AnyPosition) -> BookMove {
    if rng.below(4) > 0 {
        m.value = Some(rng.below(4000) as i32 - 2000);
        m.depth = rng.below(40) as u32;
    }
    if rng.below(2) > 0 {
        m.count = rng.below(100_000) as u64;
        m.wins = m.count / 3;
        m.draws = m.count / 9;
    }
    if rng.below(3) == 0 {
        let mut after = position.clone();
        after.play(m.mv);
        m.reply = after.legal_moves().first().copied();
    }
    if rng.below(6) == 0 {
        m.comment = Some("狙いの一手".into());
    }
    if rng.below(2) == 0 {
        m.source = Some(["games", "search"][rng.below(2)].into());
    }
    m
}
