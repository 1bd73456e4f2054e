//! What is proven about a position: the best and the worst that can come of it for the side to
//! move, and in how many plies.

/// The game-theoretic value for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum GameValue {
    Loss,
    Draw,
    Win,
}

impl GameValue {
    const fn of(bits: u64) -> Self {
        match bits & 3 {
            0 => Self::Loss,
            1 => Self::Draw,
            _ => Self::Win,
        }
    }

    /// The same for the other side.
    pub const fn reversed(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }

    /// Chances to win and to draw.
    pub const fn chances(self) -> (f32, f32) {
        match self {
            Self::Loss => (0.0, 0.0),
            Self::Draw => (0.0, 1.0),
            Self::Win => (1.0, 0.0),
        }
    }
}

/// At least `lower` and at most `upper`; the same when it is settled, in so many plies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bounds {
    pub lower: GameValue,
    pub upper: GameValue,
    pub plies: u16,
}

impl Bounds {
    /// Bits it is kept in.
    pub(crate) const BITS: u32 = 20;
    /// Nothing is known.
    pub const OPEN: Self = Self { lower: GameValue::Loss, upper: GameValue::Win, plies: 0 };

    const fn settled(outcome: GameValue, plies: u16) -> Self {
        Self { lower: outcome, upper: outcome, plies }
    }

    /// Won in so many plies.
    pub const fn win(plies: u16) -> Self {
        Self::settled(GameValue::Win, plies)
    }

    /// Lost in so many plies.
    pub const fn loss(plies: u16) -> Self {
        Self::settled(GameValue::Loss, plies)
    }

    /// Drawn in so many plies.
    pub const fn draw(plies: u16) -> Self {
        Self::settled(GameValue::Draw, plies)
    }

    /// How it ends, if that is settled.
    #[inline]
    pub fn outcome(self) -> Option<GameValue> {
        (self.lower == self.upper).then_some(self.lower)
    }

    pub(crate) const fn bits(self) -> u64 {
        self.lower as u64 | (self.upper as u64) << 2 | (self.plies as u64) << 4
    }

    #[inline]
    pub(crate) const fn of(bits: u64) -> Self {
        Self {
            lower: GameValue::of(bits),
            upper: GameValue::of(bits >> 2),
            plies: (bits >> 4) as u16,
        }
    }

    /// Both at once. What is settled stays as it is, but for a shorter win or a longer loss.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        if let Some(outcome) = self.outcome() {
            let plies = match (outcome, other.outcome() == Some(outcome)) {
                (GameValue::Win, true) => self.plies.min(other.plies),
                (GameValue::Loss, true) => self.plies.max(other.plies),
                _ => self.plies,
            };
            return Self { plies, ..self };
        }
        let (lower, upper) = (self.lower.max(other.lower), self.upper.min(other.upper));
        Self { lower, upper, plies: if lower == upper { other.plies } else { 0 } }
    }

    /// What follows for a position from what is known of those its moves lead to (seen by the side
    /// to move there); `all` says whether these are all its moves.
    pub fn of_moves(children: impl Iterator<Item = Self>, all: bool) -> Self {
        let (mut lower, mut upper) = (GameValue::Loss, GameValue::Loss);
        let (mut win, mut loss, mut draw) = (u16::MAX, 0, 0);
        for child in children {
            lower = lower.max(child.upper.reversed());
            upper = upper.max(child.lower.reversed());
            let plies = child.plies.saturating_add(1);
            match child.outcome() {
                Some(GameValue::Loss) => win = win.min(plies),
                Some(GameValue::Draw) => draw = draw.max(plies),
                Some(GameValue::Win) => loss = loss.max(plies),
                None => {}
            }
        }
        if !all {
            upper = GameValue::Win;
        }
        let plies = match (lower, upper) {
            (GameValue::Win, _) => win,
            (GameValue::Draw, GameValue::Draw) => draw,
            (_, GameValue::Loss) => loss,
            _ => 0,
        };
        Self { lower, upper: upper.max(lower), plies }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(children: &[Bounds], all: bool) -> Bounds {
        Bounds::of_moves(children.iter().copied(), all)
    }

    #[test]
    fn the_shortest_win_and_the_longest_loss() {
        let (open, two) = (Bounds::OPEN, [Bounds::loss(4), Bounds::loss(2)]);
        assert_eq!(of(&[open, two[0], two[1]], false), Bounds::win(3));
        assert_eq!(of(&[Bounds::win(1), Bounds::win(7)], true), Bounds::loss(8));
        assert_eq!(of(&[Bounds::win(1), Bounds::win(7)], false).upper, GameValue::Win);
        assert_eq!(of(&[Bounds::win(1), Bounds::draw(4)], true), Bounds::draw(5));
        let at_least = of(&[open, Bounds::draw(4)], true);
        assert_eq!((at_least.lower, at_least.upper), (GameValue::Draw, GameValue::Win));
        assert_eq!(of(&[], true), Bounds::loss(0));
        assert_eq!(of(&[open], true), Bounds::OPEN);
    }

    #[test]
    fn what_is_settled_stays_settled() {
        let win = Bounds::win(9);
        assert_eq!(win.and(Bounds::OPEN), win);
        assert_eq!(win.and(Bounds::win(5)), Bounds::win(5));
        assert_eq!(Bounds::loss(4).and(Bounds::loss(6)), Bounds::loss(6));
        let half = Bounds { lower: GameValue::Draw, ..Bounds::OPEN };
        assert_eq!(Bounds::OPEN.and(half).and(Bounds::win(3)), Bounds::win(3));
        let draw = half.and(Bounds { upper: GameValue::Draw, plies: 8, ..Bounds::OPEN });
        assert_eq!(draw, Bounds::draw(8));
        for bounds in [win, half, draw, Bounds::loss(65535), Bounds::OPEN] {
            assert_eq!(Bounds::of(bounds.bits()), bounds);
            assert!(bounds.bits() < 1 << Bounds::BITS);
        }
    }
}
