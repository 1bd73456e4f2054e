//! A position as words: kings, material and pieces as the side to move sees them.

use super::LIST;
use crate::model::Encoder;
use eval::{PIECE_VALUES, material};
use features::Numbering;
use rules::{Color, Kind, Position, Square, Variant};
use std::marker::PhantomData;

/// Words before the pieces: kings, material.
const HEAD: usize = 2;

/// Pieces besides kings of a game.
pub(super) fn list_len<V: Variant>() -> usize {
    V::PIECES[1..Kind::King.index()].iter().sum::<usize>().min(LIST)
}

/// Encodes for tables of game `V`. Mirrored positions are the same to these models, so nothing
/// is ever mirrored.
pub(super) struct TableEncoder<V>(pub(super) PhantomData<V>);

impl<V: Variant> Encoder<V> for TableEncoder<V> {
    fn words(&self) -> usize {
        HEAD + list_len::<V>().div_ceil(2)
    }

    fn encode(&self, position: &Position<V>, _mirrored: bool, words: &mut [u32]) -> bool {
        let numbering = Numbering::of(V::GAME);
        let us = position.turn();
        let (Some(own), Some(enemy)) = (position.king(us), position.king(us.opponent())) else {
            return false;
        };
        words.fill(0);
        words[0] = (numbering.orient(us, own) | numbering.orient(us, enemy) << 8) as u32;
        let material = material(position, &PIECE_VALUES);
        words[1] = (if us == Color::Black { material } else { -material }) as u32;
        let mut count = 0;
        let mut add = |number: usize| {
            // There are never more pieces than the game has.
            if let Some(word) = words.get_mut(HEAD + count / 2) {
                *word |= (number as u32) << (16 * (count % 2));
            }
            count += 1;
        };
        for sq in Square::all(V::GAME) {
            let piece = position.piece_at(sq);
            if piece.kind().is_some_and(|kind| kind != Kind::King) {
                add(numbering.board(us, piece, sq));
            }
        }
        for owner in Color::BOTH {
            for kind in Kind::HAND {
                for copy in 1..=position.hand(owner).count(kind) {
                    add(numbering.hand(us, owner, kind, copy));
                }
            }
        }
        true
    }
}

/// An encoded position.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    words: &'a [u32],
    len: usize,
}

impl<'a> Sample<'a> {
    pub(super) fn new(words: &'a [u32], len: usize) -> Self {
        Self { words, len }
    }

    /// The squares of the own and of the enemy king, as the side to move sees them.
    #[inline(always)]
    pub fn kings(&self) -> (usize, usize) {
        ((self.words[0] & 0xFF) as usize, (self.words[0] >> 8) as usize)
    }

    /// Material of the side to move less that of the enemy.
    #[inline(always)]
    pub fn material(&self) -> i32 {
        self.words[1] as i32
    }

    /// How many pieces there are besides kings, absent ones included.
    pub fn len(&self) -> usize {
        self.len
    }

    /// A game always has pieces.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The pieces as the side to move numbers them; absent ones are 0.
    #[inline(always)]
    pub fn numbers(&self) -> impl Iterator<Item = u16> {
        self.words[HEAD..].iter().flat_map(|w| [*w as u16, (w >> 16) as u16]).take(self.len)
    }
}
