//! A slow, obvious implementation of the rules: squares in a grid, every move tried out, every
//! question answered by looking. It shares only the vocabulary with the crate under test.

use rules::{Color, Declaration, Game, Kind, Move, Square};
use std::collections::BTreeSet;

type Cell = Option<(Color, Kind)>;

/// Board, hands, side to move and what was seen before.
#[derive(Clone)]
pub(crate) struct Slow {
    game: Game,
    n: i32,
    board: Vec<Cell>,
    hands: [[usize; 8]; 2],
    pub(crate) turn: Color,
    given: [usize; 2],
    /// Text of every position so far, and whether the move that led to it gave check.
    seen: Vec<(String, bool)>,
}

/// How a game ended by repetition.
#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub(crate) enum Ending {
    Draw,
    Lost(Color),
}

impl Slow {
    pub(crate) fn from_sfen(game: Game, sfen: &str) -> Self {
        let n = game.size() as i32;
        let mut fields = sfen.split(' ');
        let mut s = Self {
            game,
            n,
            board: vec![None; (n * n) as usize],
            hands: [[0; 8]; 2],
            turn: Color::Black,
            given: [0; 2],
            seen: Vec::new(),
        };
        for (rank, row) in fields.next().unwrap().split('/').enumerate() {
            let mut file = n;
            let mut promoted = false;
            for c in row.chars() {
                if let Some(d) = c.to_digit(10) {
                    file -= d as i32;
                } else if c == '+' {
                    promoted = true;
                } else {
                    let color = if c.is_lowercase() { Color::White } else { Color::Black };
                    let mut kind = Kind::from_letter(c.to_ascii_uppercase()).unwrap();
                    if promoted {
                        kind = kind.promoted().unwrap();
                    }
                    promoted = false;
                    let i = s.index(file, rank as i32 + 1);
                    s.board[i] = Some((color, kind));
                    file -= 1;
                }
            }
        }
        if fields.next().unwrap() == "w" {
            s.turn = Color::White;
        }
        let mut count = 0;
        for c in fields.next().unwrap().chars().filter(|&c| c != '-') {
            if let Some(d) = c.to_digit(10) {
                count = count * 10 + d as usize;
            } else {
                let color = usize::from(c.is_lowercase());
                let kind = Kind::from_letter(c.to_ascii_uppercase()).unwrap();
                s.hands[color][kind.index()] += count.max(1);
                count = 0;
            }
        }
        let missing = 54usize.saturating_sub(s.points_of(Color::Black) + s.points_of(Color::White));
        s.given[1] = missing;
        let check = s.in_check(s.turn);
        s.seen.push((s.text(), check));
        s
    }

    fn index(&self, file: i32, rank: i32) -> usize {
        ((file - 1) * self.n + rank - 1) as usize
    }

    fn text(&self) -> String {
        format!("{:?}{:?}{:?}", self.board, self.hands, self.turn)
    }

    fn on_board(&self, file: i32, rank: i32) -> bool {
        (1..=self.n).contains(&file) && (1..=self.n).contains(&rank)
    }

    /// Steps `(file, rank, slides)` of a piece, forward being towards rank 1 for Black.
    fn directions(color: Color, kind: Kind) -> Vec<(i32, i32, bool)> {
        let gold = vec![(0, -1), (1, -1), (-1, -1), (1, 0), (-1, 0), (0, 1)];
        let diagonal = [(1, -1), (-1, -1), (1, 1), (-1, 1)];
        let straight = [(0, -1), (0, 1), (1, 0), (-1, 0)];
        let step = |v: &[(i32, i32)]| v.iter().map(|&(f, r)| (f, r, false)).collect::<Vec<_>>();
        let slide = |v: &[(i32, i32)]| v.iter().map(|&(f, r)| (f, r, true)).collect::<Vec<_>>();
        let mut d = match kind {
            Kind::Pawn => step(&[(0, -1)]),
            Kind::Lance => slide(&[(0, -1)]),
            Kind::Knight => step(&[(1, -2), (-1, -2)]),
            Kind::Silver => step(&[(0, -1), (1, -1), (-1, -1), (1, 1), (-1, 1)]),
            Kind::Bishop => slide(&diagonal),
            Kind::Rook => slide(&straight),
            Kind::King => [step(&diagonal), step(&straight)].concat(),
            Kind::Horse => [slide(&diagonal), step(&straight)].concat(),
            Kind::Dragon => [slide(&straight), step(&diagonal)].concat(),
            _ => step(&gold),
        };
        if color == Color::White {
            for s in &mut d {
                s.1 = -s.1;
            }
        }
        d
    }

    /// Squares the piece on a square attacks.
    fn attacks(&self, file: i32, rank: i32) -> Vec<usize> {
        let Some((color, kind)) = self.board[self.index(file, rank)] else { return vec![] };
        let mut out = Vec::new();
        for (df, dr, slides) in Self::directions(color, kind) {
            let (mut f, mut r) = (file + df, rank + dr);
            while self.on_board(f, r) {
                out.push(self.index(f, r));
                if !slides || self.board[self.index(f, r)].is_some() {
                    break;
                }
                f += df;
                r += dr;
            }
        }
        out
    }

    pub(crate) fn in_check(&self, color: Color) -> bool {
        let Some(king) = self.board.iter().position(|&c| c == Some((color, Kind::King))) else {
            return false;
        };
        self.attacked(color.opponent(), king)
    }

    fn attacked(&self, by: Color, sq: usize) -> bool {
        (1..=self.n).any(|f| {
            (1..=self.n).any(|r| {
                matches!(self.board[self.index(f, r)], Some((c, _)) if c == by)
                    && self.attacks(f, r).contains(&sq)
            })
        })
    }

    /// Rank counted from the far side of the player's board, from 1.
    fn far_rank(&self, color: Color, sq: usize) -> i32 {
        let rank = sq as i32 % self.n + 1;
        if color == Color::Black { rank } else { self.n + 1 - rank }
    }

    fn dead(&self, color: Color, kind: Kind, sq: usize) -> bool {
        match kind {
            Kind::Pawn | Kind::Lance => self.far_rank(color, sq) == 1,
            Kind::Knight => self.far_rank(color, sq) <= 2,
            _ => false,
        }
    }

    pub(crate) fn play(&mut self, m: Move) {
        let us = self.turn;
        let to = m.to().index();
        if let Some(kind) = m.dropped() {
            self.hands[us.index()][kind.index()] -= 1;
            self.board[to] = Some((us, kind));
        } else {
            let (_, kind) = self.board[m.from().index()].take().unwrap();
            if let Some((_, taken)) = self.board[to] {
                self.hands[us.index()][taken.unpromoted().index()] += 1;
            }
            let kind = if m.is_promotion() { kind.promoted().unwrap() } else { kind };
            self.board[to] = Some((us, kind));
        }
        self.turn = us.opponent();
        let check = self.in_check(self.turn);
        self.seen.push((self.text(), check));
    }

    fn after(&self, m: Move) -> Self {
        let mut s = self.clone();
        s.play(m);
        s
    }

    /// Moves that obey everything but king safety and drop-pawn mate.
    fn candidates(&self) -> Vec<Move> {
        let us = self.turn;
        let zone = if self.game == Game::Shogi { 3 } else { 1 };
        let mut out = Vec::new();
        for file in 1..=self.n {
            for rank in 1..=self.n {
                let from = self.index(file, rank);
                let Some((color, kind)) = self.board[from] else { continue };
                if color != us {
                    continue;
                }
                for to in self.attacks(file, rank) {
                    if matches!(self.board[to], Some((c, _)) if c == us) {
                        continue;
                    }
                    let (f, t) = (Square::new(from), Square::new(to));
                    if !self.dead(us, kind, to) {
                        out.push(Move::board(f, t, false));
                    }
                    let near = self.far_rank(us, to) <= zone || self.far_rank(us, from) <= zone;
                    if kind.can_promote() && near {
                        out.push(Move::board(f, t, true));
                    }
                }
            }
        }
        for kind in Kind::HAND {
            if self.hands[us.index()][kind.index()] == 0 {
                continue;
            }
            for to in 0..self.board.len() {
                let file = to as i32 / self.n;
                let second_pawn = kind == Kind::Pawn
                    && (0..self.n).any(|r| {
                        self.board[(file * self.n + r) as usize] == Some((us, Kind::Pawn))
                    });
                if self.board[to].is_none() && !self.dead(us, kind, to) && !second_pawn {
                    out.push(Move::drop(kind, Square::new(to)));
                }
            }
        }
        out
    }

    /// Every legal move.
    pub(crate) fn legal(&self) -> BTreeSet<Move> {
        let us = self.turn;
        self.candidates()
            .into_iter()
            .filter(|&m| {
                let next = self.after(m);
                if next.in_check(us) {
                    return false;
                }
                let pawn_check = m.dropped() == Some(Kind::Pawn) && next.in_check(next.turn);
                // After a pawn drop with check no answer can itself be a pawn drop that mates:
                // an adjacent pawn cannot be interposed against. So one level suffices.
                !pawn_check
                    || next.candidates().into_iter().any(|a| !next.after(a).in_check(next.turn))
            })
            .collect()
    }

    pub(crate) fn gives_check(&self, m: Move) -> bool {
        let next = self.after(m);
        next.in_check(next.turn)
    }

    /// The referee's verdict on the present position.
    pub(crate) fn repetition(&self) -> Option<Ending> {
        let now = &self.seen.last().unwrap().0;
        let same: Vec<usize> = (0..self.seen.len()).filter(|&i| &self.seen[i].0 == now).collect();
        if same.len() < 4 {
            return None;
        }
        let first = same[same.len() - 4];
        let last = self.seen.len() - 1;
        // The move into seen[i] was made by the side that moves at seen[i - 1].
        let all_checks = |c: Color| {
            (first + 1..=last).all(|i| {
                let mover =
                    if (last - i).is_multiple_of(2) { self.turn.opponent() } else { self.turn };
                mover != c || self.seen[i].1
            })
        };
        Some(match (all_checks(Color::Black), all_checks(Color::White)) {
            (true, false) => Ending::Lost(Color::Black),
            (false, true) => Ending::Lost(Color::White),
            _ if self.game == Game::Minishogi => Ending::Lost(Color::Black),
            _ => Ending::Draw,
        })
    }

    fn worth(kind: Kind) -> usize {
        match kind.unpromoted() {
            Kind::King => 0,
            Kind::Bishop | Kind::Rook => 5,
            _ => 1,
        }
    }

    fn hand_points(&self, color: Color) -> usize {
        let hand = &self.hands[color.index()];
        Kind::HAND.iter().map(|&k| hand[k.index()] * Self::worth(k)).sum()
    }

    fn points_of(&self, color: Color) -> usize {
        let board = self.board.iter().flatten().filter(|(c, _)| *c == color);
        board.map(|&(_, k)| Self::worth(k)).sum::<usize>() + self.hand_points(color)
    }

    /// Whether the side to move may declare.
    pub(crate) fn can_declare(&self, rule: Declaration) -> bool {
        let us = self.turn;
        if self.game != Game::Shogi {
            return false;
        }
        let base = match rule {
            Declaration::None => return false,
            Declaration::Try => {
                let goal = if us == Color::Black { 36 } else { 44 };
                return self.legal().iter().any(|m| {
                    !m.is_drop()
                        && m.to().index() == goal
                        && self.board[m.from().index()] == Some((us, Kind::King))
                });
            }
            Declaration::Points24 | Declaration::Points24H => 31,
            _ if us == Color::Black => 28,
            _ => 27,
        };
        let handicap = matches!(rule, Declaration::Points24H | Declaration::Points27H);
        let needed = if handicap { base - self.given[us.index()].min(base) } else { base };
        let inside: Vec<Kind> = (0..81)
            .filter(|&sq| self.far_rank(us, sq) <= 3)
            .filter_map(|sq| self.board[sq].filter(|(c, _)| *c == us).map(|(_, k)| k))
            .collect();
        let points: usize = inside.iter().map(|&k| Self::worth(k)).sum();
        !self.in_check(us)
            && inside.contains(&Kind::King)
            && inside.len() > 10
            && points + self.hand_points(us) >= needed
    }
}
