//! Writing proofs; the format is described in docs/formats/proof.md. Reading them is the
//! business of [`crate::verify`], which shares nothing with this file but the rules.

use crate::refutation::{Refutation, in_order};
use crate::tree::{Tree, place};
use rules::{Color, Gen, Move, Position, Variant};
use std::collections::HashMap;

fn header<V: Variant>(pos: &Position<V>, claim: &str) -> Vec<u8> {
    let game = V::GAME;
    format!("nue proof 1\ngame {game}\nsfen {}\nclaim {claim}\n\n", pos.sfen()).into_bytes()
}

/// Marks the end against cut files and flipped bits.
fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let sum = crate::verify::checksum(&bytes);
    bytes.extend(sum.to_le_bytes());
    bytes
}

/// Follows the tree from the root. A position answered before is named by its number.
pub(crate) fn of_mate<V: Variant>(pos: &Position<V>, tree: &Tree) -> Vec<u8> {
    let attacker = pos.turn();
    let plies = tree.step(pos, attacker).map_or(0, |s| s.plies);
    let mut bytes = header(pos, &format!("mate {plies}"));
    let mut pos = pos.without_history();
    let mut done: HashMap<_, u32> = HashMap::new();
    // Replies still to be answered at every level, the next one last.
    let mut levels: Vec<Vec<Move>> = Vec::new();
    open(&mut pos, attacker, tree, &mut levels, &mut bytes);
    while let Some(replies) = levels.last_mut() {
        if let Some(reply) = replies.pop() {
            pos.play(reply);
            if let Some(&number) = done.get(&place(&pos, attacker)) {
                bytes.extend(0u16.to_le_bytes());
                bytes.extend(number.to_le_bytes());
                pos.undo();
            } else {
                open(&mut pos, attacker, tree, &mut levels, &mut bytes);
            }
            continue;
        }
        levels.pop();
        pos.undo();
        let number = done.len() as u32;
        done.insert(place(&pos, attacker), number);
        if !levels.is_empty() {
            pos.undo();
        }
    }
    seal(bytes)
}

fn open<V: Variant>(
    pos: &mut Position<V>,
    attacker: Color,
    tree: &Tree,
    levels: &mut Vec<Vec<Move>>,
    bytes: &mut Vec<u8>,
) {
    // A tree answers every position it leads to; if it did not, the file would say "no move"
    // here and be refused.
    let m = tree.step(pos, attacker).map_or(Move::NONE, |s| s.m);
    bytes.extend(m.bits().to_le_bytes());
    if !pos.is_legal(m) {
        levels.push(Vec::new());
        pos.play_null();
        return;
    }
    pos.play(m);
    let mut replies = in_order(pos, Gen::Evasions);
    replies.reverse();
    levels.push(replies);
}

/// The replies, position after position.
pub(crate) fn of_no_mate<V: Variant>(pos: &Position<V>, set: &Refutation) -> Vec<u8> {
    let mut bytes = header(pos, "nomate");
    for replies in &set.replies {
        for m in replies {
            bytes.extend(m.bits().to_le_bytes());
        }
    }
    seal(bytes)
}
