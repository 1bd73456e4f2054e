//! Mate in one, found without playing a move.
//!
//! Every move that mates is found, whatever its kind: drops, promotions, deliberate
//! non-promotions, uncovered and double checks. The work is ordered by price. First the squares
//! next to the enemy king that nobody guards are counted; a candidate must cover them all. Only
//! what survives such necessary conditions is looked at exactly ([`Hunt::mates`]).
//!
//! A pawn dropped with check is never an answer: if it mates, the rules forbid it.

mod guards;

use guards::{Guards, MateSources, interposes_anywhere};
use rules::{Bits, Color, Kind, Minishogi, Move, Position, Shogi, Square, Variant};

/// A move that mates at once, if there is one.
///
/// ```
/// use rules::{Position, Shogi};
/// let pos = Position::<Shogi>::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1").unwrap();
/// assert_eq!(mate::mate_in_one(&pos), pos.parse_usi("G*5b").ok());
/// ```
#[inline]
pub fn mate_in_one<V: Variant>(pos: &Position<V>) -> Option<Move> {
    V::by_game(pos, in_shogi, in_minishogi)
}

// Every search calls these: compiled here, not in each of them.
#[inline(never)]
fn in_shogi(pos: &Position<Shogi>) -> Option<Move> {
    find(pos)
}

#[inline(never)]
fn in_minishogi(pos: &Position<Minishogi>) -> Option<Move> {
    find(pos)
}

#[inline]
fn find<V: Variant>(pos: &Position<V>) -> Option<Move> {
    let king = pos.king(pos.turn().opponent())?;
    let guards = Guards::<V>::count(pos, pos.turn(), king);
    let hopes = guards.hopes(pos, king)?;
    Hunt::new(pos, king, guards, hopes).mate()
}

/// A move with which the other side would mate at once if the side to move passed. Nothing in check, where nobody
/// may pass.
///
/// ```
/// use rules::{Position, Shogi};
/// let mut pos = Position::<Shogi>::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 w G 1").unwrap();
/// let before = pos.clone();
/// assert_eq!(mate::mate_threat(&mut pos).map(|m| m.usi(rules::Game::Shogi)), Some("G*5b".to_owned()));
/// assert_eq!(pos.sfen(), before.sfen());
/// ```
pub fn mate_threat<V: Variant>(pos: &mut Position<V>) -> Option<Move> {
    if pos.in_check() {
        return None;
    }
    pos.play_null();
    let threat = mate_in_one(pos);
    pos.undo();
    threat
}

/// How hard a king is pressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Pressure {
    /// Squares next to it that the other side attacks.
    pub attacked: u32,
    /// Squares it could step to.
    pub flights: u32,
}

/// How hard the king of a player is pressed; not at all where there is none.
///
/// ```
/// use mate::Pressure;
/// use rules::{Color, Position, Shogi};
/// let pos = Position::<Shogi>::from_sfen("4k4/9/4P4/9/9/9/9/9/4K4 b G 1").unwrap();
/// assert_eq!(mate::pressure(&pos, Color::White), Pressure { attacked: 1, flights: 4 });
/// assert_eq!(mate::pressure(&pos, Color::Black), Pressure { attacked: 0, flights: 5 });
/// ```
pub fn pressure<V: Variant>(pos: &Position<V>, color: Color) -> Pressure {
    let Some(king) = pos.king(color) else { return Pressure::default() };
    let guards = Guards::<V>::count(pos, color.opponent(), king);
    Pressure { attacked: guards.once.count(), flights: guards.flights.count() }
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
    guards: Guards<V>,
    hopes: MateSources<V::Bits>,
    /// Where pieces may go: everywhere, or where they end a check to our own king.
    targets: V::Bits,
}

/// A piece dropped next to the king covers at most that many of its flights: a gold in front.
const MOST_BY_DROP: u32 = 4;
impl<'a, V: Variant> Hunt<'a, V> {
    #[inline]
    fn new(
        pos: &'a Position<V>,
        king: Square,
        guards: Guards<V>,
        hopes: MateSources<V::Bits>,
    ) -> Self {
        let us = pos.turn();
        let them = us.opponent();
        let (own, occupied) = (pos.pieces(us), pos.occupied());
        let mut targets = !own;
        let checkers = pos.checkers();
        if let (true, Some(home)) = (checkers.any(), pos.king(us)) {
            targets = V::between(home, checkers.first()) | checkers;
        }
        let ring = guards.ring;
        Self { pos, us, them, king, own, occupied, ring, guards, hopes, targets }
    }

    fn mate(&self) -> Option<Move> {
        let double = self.pos.checkers().many();
        if !double {
            if let Some(m) = self.drops() {
                return Some(m);
            }
            if let Some(m) = self.contact_moves().or_else(|| self.distant_moves()) {
                return Some(m);
            }
        }
        if self.guards.shields.is_empty() { None } else { self.uncovering_moves(double) }
    }

    /// Whether a piece of `kind` on `to` covers these flights, itself aside (necessary, not
    /// sufficient: the move may open others).
    #[inline]
    fn covers(&self, kind: Kind, to: Square, flights: V::Bits) -> bool {
        let left = flights & !V::Bits::of(to);
        if left.is_empty() {
            return true;
        }
        // Most candidates fail on an empty board already.
        (left & !V::reach(self.us, kind, to)).is_empty() && {
            let occupied = self.occupied ^ V::Bits::of(self.king);
            (left & !V::attacks(self.us, kind, to, occupied)).is_empty()
        }
    }

    #[inline]
    fn drops(&self) -> Option<Move> {
        let hand = self.pos.hand(self.us);
        let flights = self.guards.flights.count();
        if !hand.has_more_than_pawns() || flights > MOST_BY_DROP {
            return None;
        }
        let empty = self.targets & !self.occupied;
        let contact = empty & self.guards.once & self.hopes.sites;
        if contact.any() {
            for kind in [Kind::Gold, Kind::Silver, Kind::Rook, Kind::Lance, Kind::Bishop] {
                if hand.has(kind)
                    && let Some(m) = self.drop(kind, V::reach(self.them, kind, self.king) & contact)
                {
                    return Some(m);
                }
            }
        }
        // A knight covers no square next to the king it checks.
        if flights == 0
            && hand.has(Kind::Knight)
            && let Some(m) =
                self.drop(Kind::Knight, V::reach(self.them, Kind::Knight, self.king) & empty)
        {
            return Some(m);
        }
        // From afar: in vain with more flights than the two next to the king on the line.
        if flights > 2 || self.hopes.gates.is_empty() {
            return None;
        }
        self.drops_from_afar(empty & !self.ring)
    }

    fn drops_from_afar(&self, afar: V::Bits) -> Option<Move> {
        let hand = self.pos.hand(self.us);
        [Kind::Rook, Kind::Lance, Kind::Bishop].into_iter().find_map(|kind| {
            if !hand.has(kind) {
                return None;
            }
            self.drop(kind, V::attacks(self.them, kind, self.king, self.occupied) & afar)
        })
    }

    /// A drop of that kind on one of the squares that mates.
    #[inline]
    fn drop(&self, kind: Kind, squares: V::Bits) -> Option<Move> {
        let mut squares = squares & !V::dead_zone(self.us, kind);
        while squares.any() {
            let to = squares.pop();
            let m = Move::drop(kind, to);
            if self.covers(kind, to, self.guards.flights) && self.mates(m, kind) {
                return Some(m);
            }
        }
        None
    }

    /// Moves of pieces other than the king to the squares next to the enemy king.
    #[inline]
    fn contact_moves(&self) -> Option<Move> {
        let mut squares = self.hopes.sites & self.guards.twice & self.targets;
        while squares.any() {
            let to = squares.pop();
            let mut movers =
                self.attackers(self.us, to, self.occupied) & self.own & !self.pos.kind(Kind::King);
            while movers.any() {
                let from = movers.pop();
                if let Some(m) = self.attempt(from, to) {
                    return Some(m);
                }
            }
        }
        None
    }

    /// Pieces of one player that attack `sq`: like [`Position::attackers_of`], cheaper where few
    /// sliders share a line with the square. Stepping pieces of the other player may be among
    /// them.
    #[inline]
    fn attackers(&self, color: Color, sq: Square, occupied: V::Bits) -> V::Bits {
        let mut set = self.pos.stepping_attackers(color, sq);
        self.pos.snipers(color, sq).each(|s| {
            if (V::between(sq, s) & occupied).is_empty() {
                set |= V::Bits::of(s);
            }
        });
        set
    }

    /// Moves that give check from farther away: knights and sliders.
    #[inline]
    fn distant_moves(&self) -> Option<Move> {
        let open = self.targets & !self.own & !self.ring;
        if self.hopes.stuck.is_empty()
            && let Some(m) = self.knight_moves(open)
        {
            return Some(m);
        }
        // What is put in between can be answered by a double check alone, and that is an
        // uncovering move.
        if self.hopes.gates.is_empty() {
            return None;
        }
        let mut aim = V::Bits::EMPTY;
        self.hopes.gates.each(|gate| aim |= V::line(self.king, gate));
        self.slider_moves(open & aim)
    }

    fn knight_moves(&self, open: V::Bits) -> Option<Move> {
        let knights = self.pos.pieces_of(self.us, Kind::Knight);
        let mut squares = V::reach(self.them, Kind::Knight, self.king) & open;
        while squares.any() {
            let to = squares.pop();
            let mut movers = V::reach(self.them, Kind::Knight, to) & knights;
            while movers.any() {
                if let Some(m) = self.attempt(movers.pop(), to) {
                    return Some(m);
                }
            }
        }
        None
    }

    fn slider_moves(&self, open: V::Bits) -> Option<Move> {
        let (pos, us, king) = (self.pos, self.us, self.king);
        let aims = [
            (pos.kind(Kind::Rook) | pos.kind(Kind::Dragon), Kind::Rook),
            (pos.kind(Kind::Bishop) | pos.kind(Kind::Horse), Kind::Bishop),
            (pos.kind(Kind::Lance), Kind::Lance),
        ];
        for (sliders, line) in aims {
            let mut sliders = sliders & self.own;
            let aim = V::reach(self.them, line, king) & open;
            while sliders.any() {
                let from = sliders.pop();
                let Some(kind) = pos.piece_at(from).kind() else { continue };
                let mut squares = V::reach(us, kind, from) & aim;
                while squares.any() {
                    let to = squares.pop();
                    let way = V::between(from, to) | V::between(to, king);
                    if (way & self.occupied).is_empty()
                        && let Some(m) = self.attempt(from, to)
                    {
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
        let mut movers = self.guards.shields;
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
            && self.covers(promoted, to, self.hopes.stuck)
        {
            let m = Move::board(from, to, true);
            if self.mates(m, promoted) {
                return Some(m);
            }
        }
        let m = Move::board(from, to, false);
        let stays = !V::dead_zone(us, kind).has(to) && self.covers(kind, to, self.hopes.stuck);
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
            let movers = self.attackers(them, sq, after.occupied)
                & pos.pieces(them)
                & !after.placed
                & !V::Bits::of(king);
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
        if interposes_anywhere(self.pos, self.them, self.ring) {
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
        let mut squares = between
            & pos.pawnless_files_after(them, after.placed)
            & !V::dead_zone(them, Kind::Pawn);
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
