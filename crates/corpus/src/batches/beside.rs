//! Positions that no game came to but a search would: after a random move, where captures end.

use super::leaf::Leaf;
use rules::{Move, Position, Variant};
use seed::Rng;

/// Finds positions beside those of a game. Its memory is used again and again.
pub(super) struct Beside<V: Variant> {
    leaf: Leaf<V>,
    moves: Vec<Move>,
}

impl<V: Variant> Beside<V> {
    pub(super) fn new() -> Self {
        Self { leaf: Leaf::new(), moves: Vec::new() }
    }

    /// A position beside this one, and whether the other side is to move there; `None` if the move
    /// that was drawn was played, or if the side to move is in check where captures end: what a
    /// check is worth has to be searched.
    ///
    /// Drops and moves on the board are as likely as each other: with pieces in hand there are
    /// more drops than anything else, and few of them are of any use.
    pub(super) fn draw(
        &mut self,
        position: &Position<V>,
        played: Option<Move>,
        rng: &mut Rng,
    ) -> Option<(&Position<V>, bool)> {
        let drop = rng.bits() >> 63 == 1;
        let all = position.legal_moves();
        self.moves.clear();
        self.moves.extend(all.iter().copied().filter(|mv| mv.is_drop() == drop));
        if self.moves.is_empty() {
            self.moves.extend(all.iter().copied());
        }
        if self.moves.is_empty() {
            return None;
        }
        let chosen = self.moves[rng.below(self.moves.len())];
        if Some(chosen) == played {
            return None;
        }
        let mut after = position.without_history();
        after.play(chosen);
        let (found, turned) = self.leaf.find(&after);
        (!found.in_check()).then_some((found, !turned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Shogi;

    #[test]
    fn positions_beside_a_game_are_quiet_and_others_than_the_played_one() {
        // Two rooks that may take each other, pieces in hand: many captures, checks and drops.
        let sfen = "4k4/4r4/9/2p3p2/9/4P4/9/4R4/4K4 b GS2Pgs 41";
        let position = Position::<Shogi>::from_sfen(sfen).unwrap();
        let played = position.legal_moves().iter().next().copied();
        let mut beside = Beside::new();
        let (mut drops, mut seen) = (0, std::collections::BTreeSet::new());
        let mut rng = Rng::new(7);
        for _ in 0..400 {
            let Some((found, turned)) = beside.draw(&position, played, &mut rng) else { continue };
            assert!(!found.in_check() && found.ply() > position.ply());
            assert_eq!(turned, found.turn() != position.turn());
            assert!(Leaf::new().is_settled(found), "{}", found.sfen());
            drops += usize::from(found.sfen().matches(['G', 'S']).count() == 2 && turned);
            seen.insert(found.sfen());
        }
        assert!(seen.len() > 60 && drops > 40, "{} {drops}", seen.len());
        // The same numbers, the same positions: features and planes are sent of the same ones.
        let drawn = |beside: &mut Beside<Shogi>| {
            let mut rng = Rng::new(9);
            let mut draw = || beside.draw(&position, played, &mut rng).map(|(p, _)| p.sfen());
            (0..30).map(|_| draw()).collect::<Vec<_>>()
        };
        assert_eq!(drawn(&mut beside), drawn(&mut Beside::new()));
        // Who has no move has nothing beside it.
        let mated = Position::from_sfen("4k4/4G4/4G4/9/9/9/9/9/4K4 w - 2").unwrap();
        assert!(beside.draw(&mated, played, &mut rng).is_none());
    }
}
