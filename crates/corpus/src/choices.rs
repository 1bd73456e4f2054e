//! Positions with all their moves, of which one was played: what models are asked to choose from.

use crate::batches::{Played, Units};
use crate::error::Error;
use rules::{Move, Position, Variant};
use std::ops::ControlFlow;

/// Gives about `count` positions from all over some files to `each`, with their legal moves and
/// which of them was played. Moves chosen at random do not count, nor positions that `each` does
/// not take.
pub fn each_choice<V: Variant>(
    units: &Units,
    count: usize,
    mut each: impl FnMut(&mut Position<V>, &[Move], usize) -> bool,
) -> Result<(), Error> {
    let every = (units.positions() / count.max(1) as u64).max(1);
    let (mut index, mut taken) = (0, 0);
    units.each_position::<V>(&mut |position, Played { mv, flags, .. }| {
        if taken >= count {
            return ControlFlow::Break(());
        }
        index += 1;
        if let Some(mv) = mv
            && index % every == 0
            && !flags.random
            && !flags.skip
        {
            let mut position = position.without_history();
            let moves = position.legal_moves();
            if let Some(played) = moves.iter().position(|&legal| legal == mv) {
                taken += usize::from(each(&mut position, &moves, played));
            }
        }
        ControlFlow::Continue(())
    })
}
