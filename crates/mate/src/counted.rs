//! Mates as composed problems count them: length and line by a definition of futile replies.
//!
//! The search is the same, with moves that cost no plies (see [`crate::expand::Counting`]). What
//! comes out is a length and a line; proofs are about the rules of the game and count every reply.

use crate::budget::{Unknown, Watch};
use crate::dfpn::Searcher;
use crate::expand::{self, Counting};
use crate::futile::{self, Futile};
use crate::node::{Child, Interposition};
use crate::table::Table;
use rules::{Bits, Color, Move, MoveList, Position, Variant};
use std::cmp::Reverse;

/// A mate by a definition of futile interpositions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counted {
    pub futile: Futile,
    pub plies: u16,
    /// The longest defence; it ends where nothing that counts is left.
    pub line: Vec<Move>,
    /// Which moves of the line do not count: a futile drop that leads to the longest defence, and
    /// its capture.
    pub free: Vec<bool>,
    /// Whether it is certain that no mate is shorter by this definition.
    pub is_shortest: bool,
}

/// Finds lengths and lines.
pub(crate) struct Counter<'a, 'b, V: Variant> {
    pub(crate) table: &'a Table,
    pub(crate) watch: &'a mut Watch<'a, 'b>,
    pub(crate) futile: Futile,
    pub(crate) attacker: Color,
    pub(crate) pos: Position<V>,
    pub(crate) exact: bool,
}

impl<V: Variant> Counter<'_, '_, V> {
    /// The mate of a position known to be mate within `within` plies.
    pub(crate) fn count(mut self, within: u16) -> Result<Counted, Unknown> {
        let mut best = self.within(None, within)?.ok_or(Unknown::Memory)?;
        while self.exact && best > 1 {
            match self.within(None, best - 2)? {
                Some(shorter) => best = shorter,
                None => break,
            }
        }
        let (line, free) = self.line(best)?;
        let is_shortest = self.exact || best == 1;
        Ok(Counted { futile: self.futile, plies: best, line, free, is_shortest })
    }

    /// The plies of a mate within that many, of the position on the board.
    fn within(
        &mut self,
        interposition: Option<Interposition>,
        plies: u16,
    ) -> Result<Option<u16>, Unknown> {
        let mut searcher =
            Searcher::new(&self.pos, self.attacker, self.table, 0).counting(self.futile);
        match searcher.search_after(interposition, plies, self.watch) {
            Some(o) => Ok(o.is_proof().then_some(o.plies)),
            None => Err(self.watch.reason.unwrap_or(Unknown::Stopped)),
        }
    }

    /// The line of a mate of that many plies; the position is the same afterwards.
    fn line(&mut self, plies: u16) -> Result<(Vec<Move>, Vec<bool>), Unknown> {
        let (mut line, mut free) = (Vec::new(), Vec::<bool>::new());
        let (mut interposition, mut plies) = (None, plies);
        let found = loop {
            let (check, left, cost) = match self.attack(interposition, plies) {
                Ok(found) => found,
                Err(why) => break Err(why),
            };
            line.push(check);
            if let (0, Some(drop)) = (cost, free.last_mut()) {
                *drop = true;
            }
            free.push(cost == 0);
            self.pos.play(check);
            if left == 0 {
                break Ok(());
            }
            match self.defence(left) {
                Ok(Some((reply, next, after))) => {
                    line.push(reply);
                    free.push(false);
                    self.pos.play(reply);
                    (interposition, plies) = (next, after);
                }
                Ok(None) => break Ok(()),
                Err(why) => break Err(why),
            }
        };
        for _ in &line {
            self.pos.undo();
        }
        found.map(|()| (line, free))
    }

    fn children(&self, interposition: Option<Interposition>) -> Vec<Child> {
        let mut children = Vec::new();
        let counting = Counting { futile: self.futile, interposition };
        let list = &mut MoveList::new();
        expand::children(&self.pos, self.attacker, counting, list, &mut children);
        children
    }

    /// The attacker's move that mates within that many plies, the plies left after it, and what it
    /// costs.
    fn attack(
        &mut self,
        interposition: Option<Interposition>,
        plies: u16,
    ) -> Result<(Move, u16, u16), Unknown> {
        for again in [false, true] {
            if again {
                // The table has lost it.
                self.within(interposition, plies)?;
            }
            let mut best: Option<(u16, Move, u16)> = None;
            for c in self.children(interposition) {
                let Some(left) = plies.checked_sub(c.cost) else { continue };
                let known = self.table.shortest(c.key, c.hand, left).map(|e| e.plies);
                let after = if known.is_some() { known } else { self.ended(c.m) };
                if let Some(after) = after
                    && best.is_none_or(|b| after + c.cost < b.0)
                {
                    best = Some((after + c.cost, c.m, after));
                }
            }
            if let Some((whole, m, after)) = best {
                return Ok((m, after, whole - after));
            }
        }
        Err(Unknown::Memory)
    }

    /// No plies left after a check, if it mates.
    fn ended(&mut self, check: Move) -> Option<u16> {
        self.pos.play(check);
        let distance = self.futile == Futile::Distance;
        let mated = self.pos.is_mated() || distance && futile::is_mate_at_a_distance(&mut self.pos);
        self.pos.undo();
        mated.then_some(0)
    }

    /// The reply that lasts longest, the drop it may be, and the plies left after it; `None` if
    /// no reply counts.
    fn defence(
        &mut self,
        plies: u16,
    ) -> Result<Option<(Move, Option<Interposition>, u16)>, Unknown> {
        let mut replies = Vec::new();
        for c in self.children(None) {
            let Some(left) = plies.checked_sub(c.cost) else { continue };
            self.pos.play(c.m);
            let after = self.within(c.interposition, left);
            self.pos.undo();
            replies.push((after?.ok_or(Unknown::Memory)?, c, false));
        }
        loop {
            // Among equals what counts by itself, then the drop nearest to the king, then the first.
            let king = self.pos.king(self.attacker.opponent());
            let away = |interposition: Interposition| {
                king.map_or(0, |k| V::between(k, interposition.on).count())
            };
            let Some(best) = replies
                .iter_mut()
                .rev()
                .max_by_key(|(after, c, _)| (after + c.cost, Reverse(c.interposition.map(away))))
            else {
                return Ok(None);
            };
            let (after, c, certain) = *best;
            if after + c.cost == 0 {
                return Ok(None);
            }
            if certain || !self.exact || after < 2 {
                return Ok(Some((c.m, c.interposition, after)));
            }
            self.pos.play(c.m);
            let shorter = self.within(c.interposition, after - 2);
            self.pos.undo();
            match shorter? {
                Some(shorter) => best.0 = shorter,
                None => best.2 = true,
            }
        }
    }
}
