//! Mate in one, found without playing a move.
//!
//! Every move that mates is found, whatever its kind: drops, promotions, deliberate
//! non-promotions, uncovered and double checks. The work is ordered by price. First the squares
//! next to the enemy king that nobody guards are counted; a candidate must cover them all. Only
//! what survives such necessary conditions is looked at exactly ([`Hunt::mates`]).
//!
//! A pawn dropped with check is never an answer: if it mates, the rules forbid it.

use rules::{Bits, Color, Kind, Move, Position, Square, Variant};

/// A move that mates at once, if there is one.
///
/// ```
/// use rules::{Position, Shogi};
/// let pos = Position::<Shogi>::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1").unwrap();
/// assert_eq!(mate::mate_in_one(&pos), pos.parse_usi("G*5b").ok());
/// ```
#[inline]
pub fn mate_in_one<V: Variant>(pos: &Position<V>) -> Option<Move> {
    let king = pos.king(pos.turn().opponent())?;
    let double = pos.checkers().many();
    let hunt = Hunt::new(pos, king);
    if !double {
        if let Some(m) = hunt.drops() {
            return Some(m);
        }
        if let Some(m) = hunt.contact_moves().or_else(|| hunt.distant_moves()) {
            return Some(m);
        }
    }
    hunt.uncovering_moves(double)
}

/// The surroundings of one enemy king.
struct Hunt<'a, V: Variant> {
    pos: &'a Position<V>,
    us: Color,
    them: Color,
    king: Square,
    own: V::Bits,
    occupied: V::Bits,
    /// The squares next to the king.
    ring: V::Bits,
    /// Squares of the ring we attack, the king taken off the board.
    guarded: V::Bits,
    /// Squares of the ring we attack twice or more, looking through our own pieces: a superset of
    /// what stays guarded after one of the attackers moved there.
    supported: V::Bits,
    /// Squares of the ring our sliders would attack if an own piece in front of them left.
    opened: V::Bits,
    /// Squares the king could step to now.
    flights: V::Bits,
    /// Where pieces may go: everywhere, or where they end a check to our own king.
    targets: V::Bits,
}

impl<'a, V: Variant> Hunt<'a, V> {
    #[inline]
    fn new(pos: &'a Position<V>, king: Square) -> Self {
        let us = pos.turn();
        let them = us.opponent();
        let (own, occupied) = (pos.pieces(us), pos.occupied());
        let mut targets = !own;
        let checkers = pos.checkers();
        if let (true, Some(home)) = (checkers.any(), pos.king(us)) {
            targets = V::between(home, checkers.first()) | checkers;
        }
        let mut hunt = Self {
            pos,
            us,
            them,
            king,
            own,
            occupied,
            ring: V::reach(us, Kind::King, king),
            guarded: V::Bits::EMPTY,
            supported: V::Bits::EMPTY,
            opened: V::Bits::EMPTY,
            flights: V::Bits::EMPTY,
            targets,
        };
        hunt.count_guards();
        hunt.flights = hunt.ring & !pos.pieces(them) & !hunt.guarded;
        hunt
    }

    /// Adds up what our pieces attack next to the king.
    #[inline]
    fn count_guards(&mut self) {
        let (pos, us, own, ring) = (self.pos, self.us, self.own, self.ring);
        let pawns = pos.kind(Kind::Pawn) & own;
        let advanced = if us == Color::Black { pawns.up() } else { pawns.down() };
        let mut once = advanced & ring;
        let mut twice = V::Bits::EMPTY;
        let steppers = V::near(self.king)
            & (pos.golds() | pos.kind(Kind::Silver) | pos.kind(Kind::King))
            | pos.kind(Kind::Knight);
        (steppers & own).each(|sq| {
            let a = reach(pos, us, sq) & ring;
            twice |= once & a;
            once |= a;
        });
        let mut opened = V::Bits::EMPTY;
        let occupied = self.occupied ^ V::Bits::of(self.king);
        let sliders = pos.kind(Kind::Lance)
            | pos.kind(Kind::Bishop)
            | pos.kind(Kind::Rook)
            | pos.kind(Kind::Horse)
            | pos.kind(Kind::Dragon);
        (sliders & own).each(|slider| {
            // Few squares of the ring lie on a slider's lines: cheaper one by one than its whole
            // attack.
            (reach(pos, us, slider) & ring).each(|sq| {
                let bit = V::Bits::of(sq);
                let blockers = V::between(slider, sq) & occupied;
                if blockers.is_empty() {
                    twice |= once & bit;
                    once |= bit;
                } else if !blockers.many() && (blockers & own).any() {
                    // What is seen only through a piece supports that piece, but guards nothing
                    // yet.
                    twice |= bit;
                    opened |= bit;
                }
            });
        });
        self.guarded = once;
        self.supported = twice;
        self.opened = opened;
    }

    /// Whether a piece of `kind` on `to` leaves no flight that is open now (necessary, not
    /// sufficient: the move may open others, or its leaving may close some).
    #[inline]
    fn covers(&self, kind: Kind, to: Square, opened: V::Bits) -> bool {
        let left = self.flights & !opened & !V::Bits::of(to);
        if left.is_empty() {
            return true;
        }
        // Most candidates fail on an empty board already.
        (left & !V::reach(self.us, kind, to)).is_empty() && {
            let occupied = self.occupied ^ V::Bits::of(self.king);
            (left & !V::attacks(self.us, kind, to, occupied)).is_empty()
        }
    }

    fn drops(&self) -> Option<Move> {
        let hand = self.pos.hand(self.us);
        if !hand.has_more_than_pawns() {
            return None;
        }
        let empty = self.targets & !self.occupied;
        let contact = empty & self.ring & self.guarded;
        let seen = |kind| V::reach(self.them, kind, self.king);
        let attempt = |kind: Kind, squares: V::Bits| {
            let mut squares = squares & !V::dead_zone(self.us, kind);
            while squares.any() {
                let to = squares.pop();
                let m = Move::drop(kind, to);
                if self.covers(kind, to, V::Bits::EMPTY) && self.mates(m, kind) {
                    return Some(m);
                }
            }
            None
        };
        if contact.any() {
            for kind in [Kind::Gold, Kind::Silver, Kind::Rook, Kind::Lance, Kind::Bishop] {
                if hand.has(kind)
                    && let Some(m) = attempt(kind, seen(kind) & contact)
                {
                    return Some(m);
                }
            }
        }
        // A knight covers no square next to the king it checks.
        if hand.has(Kind::Knight)
            && self.flights.is_empty()
            && let Some(m) = attempt(Kind::Knight, seen(Kind::Knight) & empty)
        {
            return Some(m);
        }
        // From afar: in vain if the enemy can put anything in between, or has more flights than the
        // two next to the king on the line.
        if self.flights.count() > 2 || self.interposes_anywhere() {
            return None;
        }
        let afar = empty & !self.ring;
        for kind in [Kind::Rook, Kind::Lance, Kind::Bishop] {
            if hand.has(kind) {
                let squares = V::attacks(self.them, kind, self.king, self.occupied) & afar;
                if let Some(m) = attempt(kind, squares) {
                    return Some(m);
                }
            }
        }
        None
    }

    /// Whether the enemy holds a piece that can be dropped on any empty square.
    #[inline]
    fn interposes_anywhere(&self) -> bool {
        let hand = self.pos.hand(self.them);
        [Kind::Gold, Kind::Silver, Kind::Bishop, Kind::Rook].iter().any(|&k| hand.has(k))
    }

    /// Moves of pieces other than the king to the squares next to the enemy king.
    fn contact_moves(&self) -> Option<Move> {
        let mut squares = self.ring & !self.own & self.targets & self.supported;
        while squares.any() {
            let to = squares.pop();
            let mut movers =
                self.pos.attackers_of(self.us, to, self.occupied) & !self.pos.kind(Kind::King);
            while movers.any() {
                let from = movers.pop();
                if let Some(m) = self.attempt(from, to) {
                    return Some(m);
                }
            }
        }
        None
    }

    /// Moves that give check from farther away: knights and sliders.
    fn distant_moves(&self) -> Option<Move> {
        let (pos, us, king) = (self.pos, self.us, self.king);
        let open = self.targets & !self.own & !self.ring;
        let flights = (self.flights & !self.opened).count();
        let mut squares = if flights == 0 {
            V::reach(self.them, Kind::Knight, king) & open
        } else {
            V::Bits::EMPTY
        };
        while squares.any() {
            let to = squares.pop();
            let mut movers =
                V::reach(self.them, Kind::Knight, to) & pos.pieces_of(us, Kind::Knight);
            while movers.any() {
                if let Some(m) = self.attempt(movers.pop(), to) {
                    return Some(m);
                }
            }
        }
        // Two squares of the line and two diagonal or straight ones: no slider covers more of the
        // ring from outside. What is put in between can be answered by a double check alone, and
        // that is an uncovering move.
        if flights > 4 || self.interposes_anywhere() {
            return None;
        }
        let aims = [
            (pos.kind(Kind::Rook) | pos.kind(Kind::Dragon), Kind::Rook),
            (pos.kind(Kind::Bishop) | pos.kind(Kind::Horse), Kind::Bishop),
            (pos.kind(Kind::Lance), Kind::Lance),
        ];
        for (sliders, line) in aims {
            let mut sliders = sliders & self.own;
            if sliders.is_empty() {
                continue;
            }
            let aim = V::attacks(self.them, line, king, self.occupied) & open;
            while sliders.any() {
                let from = sliders.pop();
                let Some(kind) = pos.piece_at(from).kind() else { continue };
                let mut squares = V::attacks(us, kind, from, self.occupied) & aim;
                while squares.any() {
                    if let Some(m) = self.attempt(from, squares.pop()) {
                        return Some(m);
                    }
                }
            }
        }
        None
    }

    /// Moves of pieces that stand between our slider and the enemy king; also our king's, the
    /// only piece that may move in double check.
    fn uncovering_moves(&self, king_only: bool) -> Option<Move> {
        let (pos, us) = (self.pos, self.us);
        let mut movers = pos.shields(us, self.king, us);
        if king_only {
            movers &= pos.kind(Kind::King);
        }
        while movers.any() {
            let from = movers.pop();
            let Some(kind) = pos.piece_at(from).kind() else { continue };
            let mut squares =
                V::attacks(us, kind, from, self.occupied) & !self.own & !V::line(self.king, from);
            if kind != Kind::King {
                squares &= self.targets;
            }
            while squares.any() {
                let to = squares.pop();
                let safe = kind != Kind::King || {
                    let occupied = self.occupied ^ V::Bits::of(from);
                    !pos.is_attacked(self.them, to, occupied)
                };
                if safe && let Some(m) = self.attempt(from, to) {
                    return Some(m);
                }
            }
        }
        None
    }

    /// The move from `from` to `to`, promoting or not, if it is legal and mates. In check, `to`
    /// is known to end the check; a king's step is known to be safe.
    #[inline]
    fn attempt(&self, from: Square, to: Square) -> Option<Move> {
        let (pos, us) = (self.pos, self.us);
        if pos.pinned().has(from)
            && let Some(home) = pos.king(us)
            && !V::line(home, from).has(to)
        {
            return None;
        }
        let kind = pos.piece_at(from).kind()?;
        let zone = V::promotion_zone(us);
        if let Some(promoted) = kind.promoted()
            && (zone.has(from) || zone.has(to))
            && self.covers(promoted, to, self.opened)
        {
            let m = Move::board(from, to, true);
            if self.mates(m, promoted) {
                return Some(m);
            }
        }
        let m = Move::board(from, to, false);
        let stays = !V::dead_zone(us, kind).has(to) && self.covers(kind, to, self.opened);
        (stays && self.mates(m, kind)).then_some(m)
    }

    /// Whether the legal move, after which our piece stands on its target as `kind`, mates. Exact.
    fn mates(&self, m: Move, kind: Kind) -> bool {
        let (us, king, to) = (self.us, self.king, m.to());
        let gone = if m.is_drop() { V::Bits::EMPTY } else { V::Bits::of(m.from()) };
        let placed = V::Bits::of(to);
        let after = After { m, kind, gone, placed, occupied: (self.occupied & !gone) | placed };
        let mut checkers = V::Bits::EMPTY;
        let mut pinned = V::Bits::EMPTY;
        let mut snipers = self.pos.snipers(us, king) & !gone;
        if V::reach(us, kind, to).has(king) {
            // A stepping piece is next to the king or a knight's jump away: nothing in between.
            snipers |= placed;
        }
        snipers.each(|s| {
            let shield = V::between(king, s) & after.occupied;
            if shield.is_empty() {
                checkers |= V::Bits::of(s);
            } else if !shield.many() {
                pinned |= shield;
            }
        });
        if checkers.is_empty() || self.king_steps_away(&after) {
            return false;
        }
        checkers.many() || !self.is_parried(&after, checkers.first(), pinned)
    }

    /// Whether the enemy king has a square to go to.
    fn king_steps_away(&self, after: &After<V>) -> bool {
        let pos = self.pos;
        let occupied = after.occupied ^ V::Bits::of(self.king);
        let covered = V::attacks(self.us, after.kind, after.m.to(), occupied);
        let still_own = self.own & !after.gone;
        let mut steps = self.ring & !(pos.pieces(self.them) & !after.placed) & !covered;
        while steps.any() {
            let step = steps.pop();
            if (pos.stepping_attackers(self.us, step) & still_own).any() {
                continue;
            }
            let mut attacked = false;
            (pos.snipers(self.us, step) & !after.gone)
                .each(|s| attacked |= (V::between(step, s) & occupied).is_empty());
            if !attacked {
                return true;
            }
        }
        false
    }

    /// Whether a piece other than the king ends the one check: takes the checker or goes between.
    fn is_parried(&self, after: &After<V>, checker: Square, pinned: V::Bits) -> bool {
        let (pos, them, king) = (self.pos, self.them, self.king);
        let reaches = |sq: Square| {
            let movers =
                pos.attackers_of(them, sq, after.occupied) & !after.placed & !V::Bits::of(king);
            // A pinned piece may move along its line.
            (movers & !(pinned & !V::line(king, sq))).any()
        };
        if reaches(checker) {
            return true;
        }
        let between = V::between(king, checker);
        let mut squares = between;
        while squares.any() {
            if reaches(squares.pop()) {
                return true;
            }
        }
        between.any() && self.drops_between(after, between)
    }

    /// Whether the enemy can drop something on one of these empty squares.
    fn drops_between(&self, after: &After<V>, between: V::Bits) -> bool {
        if self.interposes_anywhere() {
            return true;
        }
        let (pos, them) = (self.pos, self.them);
        let hand = pos.hand(them);
        for kind in [Kind::Lance, Kind::Knight] {
            if hand.has(kind) && (between & !V::dead_zone(them, kind)).any() {
                return true;
            }
        }
        if !hand.has(Kind::Pawn) {
            return false;
        }
        let pawns = pos.pieces_of(them, Kind::Pawn) & !after.placed;
        let mut squares = between & V::Bits::files_without(pawns) & !V::dead_zone(them, Kind::Pawn);
        // The one pawn that might be forbidden: it would mate our own king. The rules decide,
        // after all with the move played: this is too rare to be worth a line of bitboards.
        if let Some(home) = self.home(after) {
            let front = V::reach(self.us, Kind::Pawn, home) & squares;
            squares &= !front;
            return squares.any() || front.any() && self.pawn_may_be_dropped(after, front.first());
        }
        squares.any()
    }

    /// Where our king is after the move.
    fn home(&self, after: &After<V>) -> Option<Square> {
        let home = self.pos.king(self.us)?;
        Some(if after.gone.has(home) { after.placed.first() } else { home })
    }

    #[cold]
    fn pawn_may_be_dropped(&self, after: &After<V>, sq: Square) -> bool {
        let mut played = self.pos.clone();
        played.play(after.m);
        played.is_legal(Move::drop(Kind::Pawn, sq))
    }
}

/// Where the piece on `sq`, which is ours, would go on an empty board.
#[inline]
fn reach<V: Variant>(pos: &Position<V>, us: Color, sq: Square) -> V::Bits {
    pos.piece_at(sq).kind().map_or(V::Bits::EMPTY, |kind| V::reach(us, kind, sq))
}

/// What a candidate changes on the board.
struct After<V: Variant> {
    m: Move,
    /// What it stands there as.
    kind: Kind,
    /// The square it left; none for a drop.
    gone: V::Bits,
    /// The square it stands on.
    placed: V::Bits,
    occupied: V::Bits,
}
