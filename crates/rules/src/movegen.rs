//! Legal moves, generated directly: pins and checks restrict the targets, nothing is tried out
//! except king steps and pawn drops that might mate.

use crate::bits::Bits;
use crate::position::Position;
use crate::{CheckInfo, Kind, Move, MoveList, Square, Variant};

/// Which legal moves to generate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gen {
    All,
    Captures,
    Quiets,
    /// Captures and promotions of pawns: what changes material most.
    Tactical,
    /// Everything that is not tactical.
    Positional,
    /// Ways out of check; nothing if there is no check.
    Evasions,
    /// Moves that give check.
    Checks,
    /// Moves that give check without capturing.
    QuietChecks,
}

// The same as constants, so that each kind of generation is compiled on its own.
const ALL: u8 = 0;
const CAPTURES: u8 = 1;
const QUIETS: u8 = 2;
const TACTICAL: u8 = 3;
const POSITIONAL: u8 = 4;
const CHECKS: u8 = 5;
const QUIET_CHECKS: u8 = 6;

const fn is_checks(g: u8) -> bool {
    g == CHECKS || g == QUIET_CHECKS
}

/// Appends legal moves of one kind: all, or those of [`Position::generate_useful`].
pub(crate) fn generate<V: Variant>(
    position: &Position<V>,
    what: Gen,
    full: bool,
    list: &mut MoveList,
) {
    if full {
        position.dispatch::<true>(what, list);
    } else {
        position.dispatch::<false>(what, list);
    }
}

impl<V: Variant> Position<V> {
    /// Every legal move.
    pub fn legal_moves(&self) -> MoveList {
        let mut list = MoveList::new();
        self.generate(Gen::All, &mut list);
        list
    }

    /// Whether the side to move has no legal move: mated, or stalemated, which loses too.
    pub fn is_mated(&self) -> bool {
        self.legal_moves().is_empty()
    }

    /// Appends legal moves of one kind, pointless ones included.
    #[inline]
    pub fn generate(&self, what: Gen, list: &mut MoveList) {
        V::generate(self, what, true, list);
    }

    /// Appends legal moves of one kind, leaving out those that are never better than their
    /// promoting twin: pawn, bishop and rook (and lance on the second rank) not promoting.
    #[inline]
    pub fn generate_useful(&self, what: Gen, list: &mut MoveList) {
        V::generate(self, what, false, list);
    }

    #[inline]
    fn dispatch<const FULL: bool>(&self, what: Gen, list: &mut MoveList) {
        match what {
            Gen::All => self.run::<ALL, FULL>(list),
            Gen::Captures => self.run::<CAPTURES, FULL>(list),
            Gen::Quiets => self.run::<QUIETS, FULL>(list),
            Gen::Tactical => self.run::<TACTICAL, FULL>(list),
            Gen::Positional => self.run::<POSITIONAL, FULL>(list),
            Gen::Evasions if self.in_check() => self.run::<ALL, FULL>(list),
            Gen::Evasions => {}
            Gen::Checks => self.run::<CHECKS, FULL>(list),
            Gen::QuietChecks => self.run::<QUIET_CHECKS, FULL>(list),
        }
    }

    fn run<const G: u8, const FULL: bool>(&self, list: &mut MoveList) {
        let us = self.turn();
        let own = self.pieces(us);
        let enemy = self.pieces(us.opponent());
        let empty = !self.occupied();
        let mut drop_targets = empty;
        let mut plain = match G {
            CAPTURES | TACTICAL => enemy,
            QUIETS | POSITIONAL | QUIET_CHECKS => empty,
            _ => !own,
        };
        let mut pawn_promotion = match G {
            TACTICAL => !own,
            POSITIONAL => V::Bits::EMPTY,
            _ => plain,
        };
        let king_targets = plain;
        let checkers = self.checkers();
        let double = checkers.many();
        if checkers.any() && !double {
            let king = self.kings[us.index()];
            let between = V::between(king, checkers.first());
            plain &= between | checkers;
            pawn_promotion &= between | checkers;
            drop_targets = between;
        }
        let info = if is_checks(G) { Some(self.check_info()) } else { None };
        let mut walk =
            Generator::<V, G, FULL> { pos: self, list, info, plain, pawn_promotion, drop_targets };
        if !double {
            walk.pawns();
            walk.pieces();
            if !matches!(G, CAPTURES | TACTICAL) {
                walk.drops();
            }
        }
        walk.king(king_targets);
    }
}

/// One pass of generation.
struct Generator<'a, V: Variant, const G: u8, const FULL: bool> {
    pos: &'a Position<V>,
    list: &'a mut MoveList,
    info: Option<CheckInfo<V>>,
    /// Where pieces other than the king may go.
    plain: V::Bits,
    /// Where pawns may go to promote.
    pawn_promotion: V::Bits,
    /// Where pieces may be dropped.
    drop_targets: V::Bits,
}

impl<V: Variant, const G: u8, const FULL: bool> Generator<'_, V, G, FULL> {
    /// Targets of a move of `kind` (as it will stand there) from `from` that give check.
    #[inline]
    fn checking(&self, from: Square, kind: Kind, targets: V::Bits) -> V::Bits {
        match &self.info {
            Some(info) if is_checks(G) => targets & info.checking_targets(from, kind),
            _ => targets,
        }
    }

    /// Where a piece on `from` may go in view of a pin.
    #[inline]
    fn unpinned(&self, from: Square, targets: V::Bits) -> V::Bits {
        let pos = self.pos;
        if pos.pinned().has(from) {
            targets & V::line(pos.kings[pos.turn().index()], from)
        } else {
            targets
        }
    }

    fn pawns(&mut self) {
        let pos = self.pos;
        let us = pos.turn();
        let mut pawns = pos.pieces_of(us, Kind::Pawn);
        if is_checks(G) {
            // Few of them check: one by one, like every other piece.
            pawns.each(|from| self.promotable(Kind::Pawn, from, V::reach(us, Kind::Pawn, from)));
            return;
        }
        // A pinned pawn moves only if the pin is along its file.
        let pinned = pawns & pos.pinned();
        if pinned.any() {
            let king = pos.kings[us.index()];
            pinned.each(|from| {
                if (V::line(king, from) & V::reach(us, Kind::Pawn, from)).is_empty() {
                    pawns ^= V::Bits::of(from);
                }
            });
        }
        // Pawns on the last rank (only a lenient set-up has them) must not leave their file.
        pawns &= !V::dead_zone(us, Kind::Pawn);
        let (targets, back) = match us {
            crate::Color::Black => (pawns.up(), 1isize),
            crate::Color::White => (pawns.down(), -1),
        };
        let zone = V::promotion_zone(us);
        let from = |to: Square| Square::new((to.index() as isize + back) as usize);
        (targets & self.pawn_promotion & zone)
            .each(|to| self.list.push(Move::board(from(to), to, true)));
        let stay = if FULL { !V::dead_zone(us, Kind::Pawn) } else { !zone };
        (targets & self.plain & stay).each(|to| self.list.push(Move::board(from(to), to, false)));
    }

    fn pieces(&mut self) {
        let pos = self.pos;
        let us = pos.turn();
        let own = pos.pieces(us);
        let occupied = pos.occupied();
        if V::PIECES[Kind::Lance.index()] > 0 {
            (pos.kind(Kind::Lance) & own).each(|from| {
                self.promotable(Kind::Lance, from, V::lance_attacks(us, from, occupied));
            });
            (pos.kind(Kind::Knight) & own).each(|from| {
                self.promotable(Kind::Knight, from, V::reach(us, Kind::Knight, from));
            });
        }
        (pos.kind(Kind::Silver) & own)
            .each(|from| self.promotable(Kind::Silver, from, V::reach(us, Kind::Silver, from)));
        (pos.kind(Kind::Bishop) & own)
            .each(|from| self.promotable(Kind::Bishop, from, V::bishop_attacks(from, occupied)));
        (pos.kind(Kind::Rook) & own)
            .each(|from| self.promotable(Kind::Rook, from, V::rook_attacks(from, occupied)));
        (pos.golds() & own)
            .each(|from| self.fixed(Kind::Gold, from, V::reach(us, Kind::Gold, from)));
        let great = (pos.kind(Kind::Horse) | pos.kind(Kind::Dragon)) & own;
        if great.any() {
            (pos.kind(Kind::Horse) & own).each(|from| {
                self.fixed(Kind::Horse, from, V::attacks(us, Kind::Horse, from, occupied));
            });
            (pos.kind(Kind::Dragon) & own).each(|from| {
                self.fixed(Kind::Dragon, from, V::attacks(us, Kind::Dragon, from, occupied));
            });
        }
    }

    /// Moves of a piece that can promote.
    #[inline]
    fn promotable(&mut self, kind: Kind, from: Square, attacks: V::Bits) {
        let us = self.pos.turn();
        let attacks = self.unpinned(from, attacks);
        let plain = attacks & self.plain;
        let zone = V::promotion_zone(us);
        let pawn = matches!(kind, Kind::Pawn);
        let promoting = if pawn { attacks & self.pawn_promotion } else { plain };
        let promoting = if zone.has(from) { promoting } else { promoting & zone };
        if promoting.any() {
            let promoted = kind.promoted().unwrap_or(kind);
            self.checking(from, promoted, promoting)
                .each(|to| self.list.push(Move::board(from, to, true)));
        }
        let staying = match kind {
            Kind::Pawn | Kind::Bishop | Kind::Rook if !FULL => {
                if zone.has(from) {
                    V::Bits::EMPTY
                } else {
                    plain & !zone
                }
            }
            // A lance that stays on the second rank attacks one square of what a gold would.
            Kind::Lance if !FULL => plain & !V::far_ranks(us, 2),
            _ => plain & !V::dead_zone(us, kind),
        };
        self.checking(from, kind, staying).each(|to| self.list.push(Move::board(from, to, false)));
    }

    /// Moves of a piece that cannot promote.
    #[inline]
    fn fixed(&mut self, kind: Kind, from: Square, attacks: V::Bits) {
        let targets = self.unpinned(from, attacks) & self.plain;
        self.checking(from, kind, targets).each(|to| self.list.push(Move::board(from, to, false)));
    }

    fn king(&mut self, targets: V::Bits) {
        let pos = self.pos;
        let us = pos.turn();
        let king = pos.kings[us.index()];
        if king.is_none() {
            return;
        }
        let targets = self.checking(king, Kind::King, V::reach(us, Kind::King, king) & targets);
        // Without the king on the board: it does not shield the squares behind itself.
        let occupied = pos.occupied() ^ V::Bits::of(king);
        targets.each(|to| {
            if !pos.is_attacked(us.opponent(), to, occupied) {
                self.list.push(Move::board(king, to, false));
            }
        });
    }

    fn drops(&mut self) {
        let pos = self.pos;
        let us = pos.turn();
        let hand = pos.hand(us);
        if hand.is_empty() || self.drop_targets.is_empty() {
            return;
        }
        if hand.has(Kind::Pawn) {
            let mut targets =
                self.drop_targets & pos.pawnless_files(us) & !V::dead_zone(us, Kind::Pawn);
            let enemy_king = pos.kings[us.opponent().index()];
            if !enemy_king.is_none() {
                let front = V::reach(us.opponent(), Kind::Pawn, enemy_king) & targets;
                if front.any() && pos.is_drop_pawn_mate(front.first()) {
                    targets ^= front;
                }
                if is_checks(G) {
                    targets &= V::reach(us.opponent(), Kind::Pawn, enemy_king);
                }
            } else if is_checks(G) {
                targets = V::Bits::EMPTY;
            }
            self.list.push_drops(targets, [Move::drop(Kind::Pawn, Square::new(0))]);
        }
        if !hand.has_more_than_pawns() {
            return;
        }
        if is_checks(G) {
            self.checking_drops();
        } else {
            self.piece_drops();
        }
    }

    /// Drops of everything but pawns, square by square with all kinds allowed there.
    #[inline]
    fn piece_drops(&mut self) {
        let us = self.pos.turn();
        let hand = self.pos.hand(us);
        // Knights first, then lances: the restricted kinds form a prefix that far ranks skip.
        let mut kinds = [Move::NONE; 6];
        let mut n = 0;
        let mut add = |kind: Kind, n: &mut usize| {
            if hand.has(kind) {
                kinds[*n] = Move::drop(kind, Square::new(0));
                *n += 1;
            }
        };
        let (mut after_knight, mut after_lance) = (0, 0);
        if V::PIECES[Kind::Lance.index()] > 0 {
            add(Kind::Knight, &mut n);
            after_knight = n;
            add(Kind::Lance, &mut n);
            after_lance = n;
        }
        for kind in [Kind::Silver, Kind::Bishop, Kind::Rook, Kind::Gold] {
            add(kind, &mut n);
        }
        let targets = self.drop_targets;
        if after_lance == 0 {
            self.drop_all(targets, &kinds[..n]);
            return;
        }
        let first = V::far_ranks(us, 1);
        let second = V::far_ranks(us, 2) ^ first;
        self.drop_all(targets & first, &kinds[after_lance..n]);
        self.drop_all(targets & second, &kinds[after_knight..n]);
        self.drop_all(targets & !(first | second), &kinds[..n]);
    }

    /// Every kind on every target.
    #[inline]
    fn drop_all(&mut self, targets: V::Bits, kinds: &[Move]) {
        // The number of kinds as a constant turns the inner loop into one or two stores.
        match *kinds {
            [] => {}
            [a] => self.list.push_drops(targets, [a]),
            [a, b] => self.list.push_drops(targets, [a, b]),
            [a, b, c] => self.list.push_drops(targets, [a, b, c]),
            [a, b, c, d] => self.list.push_drops(targets, [a, b, c, d]),
            [a, b, c, d, e] => self.list.push_drops(targets, [a, b, c, d, e]),
            [a, b, c, d, e, f, ..] => self.list.push_drops(targets, [a, b, c, d, e, f]),
        }
    }

    fn checking_drops(&mut self) {
        let pos = self.pos;
        let us = pos.turn();
        let Some(info) = &self.info else { return };
        for kind in Kind::HAND {
            if kind != Kind::Pawn && pos.hand(us).has(kind) {
                let targets = self.drop_targets & info.squares(kind) & !V::dead_zone(us, kind);
                targets.each(|to| self.list.push(Move::drop(kind, to)));
            }
        }
    }
}
