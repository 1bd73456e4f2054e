//! The order in which a node tries its moves: the likeliest to cut first, each kind generated
//! only when the kinds before it did not cut.

use crate::history::{History, place};
use crate::params::Params;
use crate::stack::Buffer;
use eval::PIECE_VALUES;
use rules::{Bits, CheckInfo, Color, Gen, Kind, Move, Piece, Position, Variant};

/// What is being picked next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    TableMove,
    MakeCaptures,
    GoodCaptures,
    Refutations,
    MakeQuiets,
    Quiets,
    BadCaptures,
    MakeEvasions,
    Evasions,
    MakeQuiescence,
    Quiescence,
    MakeProbcut,
    Probcut,
    Done,
}

/// What a node brings to order its moves.
pub(crate) struct Hints {
    pub(crate) table_move: Move,
    pub(crate) killers: [Move; 2],
    pub(crate) counter: Move,
    /// Places one, two, four and six plies ago.
    pub(crate) earlier: [usize; 4],
    pub(crate) pawns: u64,
    /// Include moves that are pointless (`GenerateAllLegalMoves`).
    pub(crate) all_moves: bool,
}

/// Hands out the moves of one node.
pub(crate) struct Picker {
    stage: Stage,
    /// The stage that follows the table move.
    generated: Stage,
    hints: Hints,
    depth: i32,
    /// Exchanges must gain this much (probcut), or tells quiescence nothing.
    threshold: i32,
    next: usize,
    end: usize,
    /// Captures that lose material wait at the front of the buffer.
    bad: usize,
    bad_next: usize,
    refutations: [Move; 3],
    skip_quiets: bool,
}

impl Picker {
    /// The table move first, if there is one, then what is generated.
    fn start(generated: Stage, hints: Hints, depth: i32, threshold: i32) -> Self {
        let refutations = [hints.killers[0], hints.killers[1], hints.counter];
        let stage = if hints.table_move.is_some() { Stage::TableMove } else { generated };
        Self {
            stage,
            generated,
            hints,
            depth,
            threshold,
            next: 0,
            end: 0,
            bad: 0,
            bad_next: 0,
            refutations,
            skip_quiets: false,
        }
    }

    /// For an ordinary node. The table move must be pseudo-legal or none.
    pub(crate) fn main(hints: Hints, depth: i32, in_check: bool) -> Self {
        let generated = if in_check { Stage::MakeEvasions } else { Stage::MakeCaptures };
        Self::start(generated, hints, depth, 0)
    }

    /// For quiescence: evasions in check, else captures.
    pub(crate) fn quiescence(hints: Hints, in_check: bool) -> Self {
        let generated = if in_check { Stage::MakeEvasions } else { Stage::MakeQuiescence };
        Self::start(generated, hints, 0, 0)
    }

    /// For probcut: captures that gain at least `threshold`.
    pub(crate) fn probcut(hints: Hints, threshold: i32) -> Self {
        Self::start(Stage::MakeProbcut, hints, 0, threshold)
    }

    /// No more quiet moves from here on.
    #[inline]
    pub(crate) fn skip_quiets(&mut self) {
        self.skip_quiets = true;
    }

    /// The next move; `None` when there is none left. All are legal but the table move, which is
    /// pseudo-legal.
    pub(crate) fn next<V: Variant>(
        &mut self,
        pos: &Position<V>,
        history: &History,
        params: &Params,
        info: &CheckInfo<V>,
        buffer: &mut Buffer,
    ) -> Option<Move> {
        loop {
            match self.stage {
                Stage::TableMove => {
                    self.stage = self.generated;
                    return Some(self.hints.table_move);
                }
                Stage::MakeCaptures => {
                    self.make_captures(pos, history, params, buffer);
                    self.stage = Stage::GoodCaptures;
                }
                Stage::GoodCaptures => {
                    if let Some(m) = self.next_good_capture(pos, params, buffer) {
                        return Some(m);
                    }
                    self.stage = Stage::Refutations;
                    self.next = 0;
                }
                Stage::Refutations => {
                    if let Some(m) = self.next_refutation(pos) {
                        return Some(m);
                    }
                    self.stage = Stage::MakeQuiets;
                }
                Stage::MakeQuiets => {
                    if !self.skip_quiets {
                        self.make_quiets(pos, history, params, info, buffer);
                    }
                    self.stage = Stage::Quiets;
                }
                Stage::Quiets => {
                    while !self.skip_quiets && self.next < self.end {
                        let m = buffer.moves[self.next];
                        self.next += 1;
                        if m != self.hints.table_move && !self.refutations.contains(&m) {
                            return Some(m);
                        }
                    }
                    self.stage = Stage::BadCaptures;
                }
                Stage::BadCaptures => {
                    if self.bad_next < self.bad {
                        self.bad_next += 1;
                        return Some(buffer.moves[self.bad_next - 1]);
                    }
                    self.stage = Stage::Done;
                }
                Stage::MakeEvasions => {
                    self.make_evasions(pos, history, buffer);
                    self.stage = Stage::Evasions;
                }
                Stage::Evasions => return self.best(buffer),
                Stage::MakeQuiescence => {
                    self.make_captures(pos, history, params, buffer);
                    self.stage = Stage::Quiescence;
                }
                Stage::Quiescence => {
                    if let Some(m) = self.best(buffer) {
                        return Some(m);
                    }
                    self.stage = Stage::Done;
                }
                Stage::MakeProbcut => {
                    self.make_captures(pos, history, params, buffer);
                    self.stage = Stage::Probcut;
                }
                Stage::Probcut => {
                    while let Some(m) = self.best(buffer) {
                        if pos.see_at_least(m, self.threshold, &PIECE_VALUES) {
                            return Some(m);
                        }
                    }
                    self.stage = Stage::Done;
                }
                Stage::Done => return None,
            }
        }
    }

    /// The next capture that does not lose material; those that do are put aside.
    #[inline]
    fn next_good_capture<V: Variant>(
        &mut self,
        pos: &Position<V>,
        params: &Params,
        buffer: &mut Buffer,
    ) -> Option<Move> {
        while let Some(m) = self.best(buffer) {
            let least = -buffer.scores[self.next - 1] / params.capture_see;
            if pos.see_at_least(m, least.min(0), &PIECE_VALUES) {
                return Some(m);
            }
            buffer.moves.as_mut_slice()[self.bad] = m;
            self.bad += 1;
        }
        None
    }

    /// The next killer or counter move that can be played.
    #[inline]
    fn next_refutation<V: Variant>(&mut self, pos: &Position<V>) -> Option<Move> {
        while self.next < 3 {
            let m = self.refutations[self.next];
            self.next += 1;
            let again = self.refutations[..self.next - 1].contains(&m);
            if !again && self.fits_as_refutation(pos, m) {
                return Some(m);
            }
        }
        None
    }

    fn generate<V: Variant>(&self, pos: &Position<V>, what: Gen, buffer: &mut Buffer) {
        if self.hints.all_moves {
            pos.generate(what, &mut buffer.moves);
        } else {
            pos.generate_useful(what, &mut buffer.moves);
        }
    }

    /// Takes the best of the remaining moves, the table move left out.
    #[inline]
    fn best(&mut self, buffer: &mut Buffer) -> Option<Move> {
        while self.next < self.end {
            let mut best = self.next;
            for i in self.next + 1..self.end {
                if buffer.scores[i] > buffer.scores[best] {
                    best = i;
                }
            }
            buffer.swap(self.next, best);
            let m = buffer.moves[self.next];
            self.next += 1;
            if m != self.hints.table_move {
                return Some(m);
            }
        }
        None
    }

    fn make_captures<V: Variant>(
        &mut self,
        pos: &Position<V>,
        history: &History,
        params: &Params,
        buffer: &mut Buffer,
    ) {
        buffer.moves.clear();
        self.generate(pos, Gen::Tactical, buffer);
        (self.next, self.end) = (0, buffer.moves.len());
        for i in 0..self.end {
            let m = buffer.moves[i];
            let captured = pos.piece_at(m.to());
            let mover = moved_piece(pos, m);
            let promotion = if m.is_promotion() {
                PIECE_VALUES[mover.kind_index()] - PIECE_VALUES[pos.piece_at(m.from()).kind_index()]
            } else {
                0
            };
            buffer.scores[i] = params.order_captured * PIECE_VALUES[captured.kind_index()]
                + params.order_promotion * promotion
                + history.capture(place(mover, m.to()), captured);
        }
    }

    fn make_quiets<V: Variant>(
        &mut self,
        pos: &Position<V>,
        history: &History,
        params: &Params,
        info: &CheckInfo<V>,
        buffer: &mut Buffer,
    ) {
        // Captures that lose material stay at the front.
        let start = self.bad;
        buffer.moves.truncate(start);
        self.generate(pos, Gen::Positional, buffer);
        (self.next, self.end) = (start, buffer.moves.len());
        let us = pos.turn();
        let pawn = history.pawn_row(self.hints.pawns);
        let rows = self.hints.earlier.map(|p| history.continuation_row(p));
        let threats = (params.order_threat != 0).then(|| Threats::of(pos));
        for i in start..self.end {
            let m = buffer.moves[i];
            let mover = moved_piece(pos, m);
            let to = place(mover, m.to());
            let mut score = params.order_butterfly * history.butterfly(us, m)
                + params.order_pawns * i32::from(pawn[to])
                + params.order_reply * i32::from(rows[0][to])
                + params.order_follow_up * i32::from(rows[1][to])
                + params.order_earlier * i32::from(rows[2][to]) / 2
                + params.order_earlier * i32::from(rows[3][to]) / 2;
            if let Some(threats) = &threats {
                score += params.order_threat * threats.balance(m, mover);
            }
            if pos.gives_check_with(m, info)
                && pos.see_at_least(m, -params.check_see, &PIECE_VALUES)
            {
                score += params.check_bonus;
            }
            buffer.scores[i] = score;
        }
        sort_above(buffer, start, self.end, -params.quiet_sorted * self.depth);
    }

    fn make_evasions<V: Variant>(
        &mut self,
        pos: &Position<V>,
        history: &History,
        buffer: &mut Buffer,
    ) {
        buffer.moves.clear();
        self.generate(pos, Gen::Evasions, buffer);
        (self.next, self.end) = (0, buffer.moves.len());
        let us = pos.turn();
        let row = history.continuation_row(self.hints.earlier[0]);
        for i in 0..self.end {
            let m = buffer.moves[i];
            let captured = pos.piece_at(m.to());
            let mover = moved_piece(pos, m);
            buffer.scores[i] = if captured.is_some() {
                (1 << 28) + PIECE_VALUES[captured.kind_index()] * 16
                    - PIECE_VALUES[mover.kind_index()]
            } else {
                history.butterfly(us, m) + i32::from(row[place(mover, m.to())])
            };
        }
    }

    /// A killer or counter move that can be played here and is not tried elsewhere.
    fn fits_as_refutation<V: Variant>(&self, pos: &Position<V>, m: Move) -> bool {
        m.is_some()
            && m != self.hints.table_move
            && pos.piece_at(m.to()).is_none()
            && pos.is_legal(m)
            // Pawn promotions were among the captures.
            && !(m.is_promotion() && pos.piece_at(m.from()).kind() == Some(Kind::Pawn))
    }
}

/// What smaller pieces of the other side attack.
struct Threats<V: Variant> {
    /// Pieces of ours: those in front of a pawn, and large ones that a small one attacks.
    pieces: V::Bits,
    /// Squares in front of their pawns.
    squares: V::Bits,
}

impl<V: Variant> Threats<V> {
    fn of(pos: &Position<V>) -> Self {
        let (us, them) = (pos.turn(), pos.turn().opponent());
        let pawns = pos.pieces_of(them, Kind::Pawn) & !V::dead_zone(them, Kind::Pawn);
        let squares = if them == Color::Black { pawns.up() } else { pawns.down() };
        let mut pieces = squares & pos.pieces(us) & !pos.kind(Kind::Pawn);
        let all = |kinds: [Kind; 4]| kinds.map(|kind| pos.kind(kind));
        let [rooks, bishops, dragons, horses] =
            all([Kind::Rook, Kind::Bishop, Kind::Dragon, Kind::Horse]);
        let small =
            pos.kind(Kind::Lance) | pos.kind(Kind::Knight) | pos.kind(Kind::Silver) | pos.golds();
        ((rooks | bishops | dragons | horses) & pos.pieces(us)).each(|sq| {
            if (pos.attackers_of(them, sq, pos.occupied()) & small).any() {
                pieces |= V::Bits::of(sq);
            }
        });
        Self { pieces, squares }
    }

    /// What a quiet move saves less what it risks: the value of the piece, for leaving and for entering
    /// an attack.
    #[inline]
    fn balance(&self, m: Move, mover: Piece) -> i32 {
        let value = PIECE_VALUES[mover.kind_index()].min(LARGEST);
        let saved = !m.is_drop() && self.pieces.has(m.from());
        let risked = value > PIECE_VALUES[Kind::Pawn.index()] && self.squares.has(m.to());
        value * (i32::from(saved) - i32::from(risked))
    }
}

/// More than this no piece is worth to the order of moves.
const LARGEST: i32 = 1000;

/// The piece as it stands after the move.
#[inline]
pub(crate) fn moved_piece<V: Variant>(pos: &Position<V>, m: Move) -> Piece {
    match m.dropped() {
        Some(kind) => Piece::new(pos.turn(), kind),
        None => {
            let piece = pos.piece_at(m.from());
            if m.is_promotion() { piece.promoted() } else { piece }
        }
    }
}

/// Up to so many moves are sorted by insertion.
const FEW: usize = 12;

/// Sorts the moves that score at least `limit` to the front, equal ones in the order in which they
/// came; the others are hardly ever reached and are left where they are put. Scores do not follow.
fn sort_above(buffer: &mut Buffer, start: usize, end: usize, limit: i32) {
    let mut sorted = start;
    for i in start..end {
        if buffer.scores[i] >= limit {
            buffer.swap(i, sorted);
            sorted += 1;
        }
    }
    let moves = &mut buffer.moves.as_mut_slice()[start..sorted];
    let scores = &mut buffer.scores[start..sorted];
    if moves.len() <= FEW {
        for i in 1..moves.len() {
            let (m, score) = (moves[i], scores[i]);
            let mut at = i;
            while at > 0 && scores[at - 1] < score {
                (moves[at], scores[at]) = (moves[at - 1], scores[at - 1]);
                at -= 1;
            }
            (moves[at], scores[at]) = (m, score);
        }
        return;
    }
    // Best score first, then by number: one whole number says both, and no two are equal.
    let keys = &mut buffer.keys[..moves.len()];
    for (i, (key, &score)) in keys.iter_mut().zip(&*scores).enumerate() {
        let worse = (i64::from(i32::MAX) - i64::from(score)) as u64;
        *key = worse << 32 | (i as u64) << 16 | u64::from(moves[i].bits());
    }
    keys.sort_unstable();
    for (m, &key) in moves.iter_mut().zip(&*keys) {
        *m = Move::from_bits_unchecked(key as u16);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::PLACES;
    use rules::{Minishogi, Shogi};
    use std::collections::BTreeSet;

    fn hints(table_move: Move, killers: [Move; 2]) -> Hints {
        Hints {
            table_move,
            killers,
            counter: Move::NONE,
            earlier: [PLACES; 4],
            pawns: 0,
            all_moves: true,
        }
    }

    /// Every legal move comes out exactly once, whatever table move and killers say.
    fn check<V: Variant>(sfen: &str) {
        let pos = Position::<V>::from_sfen(sfen).unwrap();
        let (history, info) = (History::new(), pos.check_info());
        let mut buffer = Buffer::new();
        let legal = pos.legal_moves();
        for (i, &table) in legal.iter().enumerate().step_by(7).chain([(0, &Move::NONE)]) {
            let killers = [legal[i / 2], legal[legal.len() - 1 - i / 3]];
            let mut picker = Picker::main(hints(table, killers), 5, pos.in_check());
            let mut seen = BTreeSet::new();
            while let Some(m) = picker.next(&pos, &history, &Params::SHOGI, &info, &mut buffer) {
                assert!(seen.insert(m), "{m:?} twice in {sfen}");
            }
            assert_eq!(seen, legal.iter().copied().collect(), "{sfen}");
        }
    }

    #[test]
    fn every_legal_move_once() {
        check::<Shogi>(Shogi::START);
        check::<Shogi>("l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1");
        check::<Shogi>("4k4/3P1P3/9/9/9/9/9/9/4K2r1 b RB4G 1");
        check::<Shogi>("4k4/9/9/9/9/9/9/4r4/4K4 b P 1");
        check::<Minishogi>(Minishogi::START);
        check::<Minishogi>("4k/3gs/4P/R4/K3B b SPGrb 1");
    }

    #[test]
    fn threats_come_from_smaller_pieces() {
        let check = |sfen: &str, usi: &str, expected: i32| {
            let pos = Position::<Shogi>::from_sfen(sfen).unwrap();
            let m = pos.parse_usi(usi).unwrap();
            assert_eq!(
                Threats::of(&pos).balance(m, moved_piece(&pos, m)),
                expected,
                "{usi} in {sfen}"
            );
        };
        // A silver in front of a pawn, a rook a knight attacks, and one that only a rook does.
        let sfen = "4k4/9/9/4p1n2/4S4/5R3/9/9/4K4 b GP 1";
        check(sfen, "5e4d", PIECE_VALUES[Kind::Silver.index()]);
        check(sfen, "4f4h", PIECE_VALUES[Kind::Rook.index()]);
        check("4k4/9/9/9/9/9/9/R7r/4K4 b - 1", "9h9f", 0);
        // Into the pawn's attack, and out of one attack into another.
        check("4k4/9/9/4p4/9/9/9/9/4K4 b GP 1", "G*5e", -PIECE_VALUES[Kind::Gold.index()]);
        check("4k4/9/9/4p4/9/9/9/9/4K4 b GP 1", "P*5e", 0);
        check("4k4/9/5p3/4p4/4S4/9/9/9/4K4 b - 1", "5e4d", 0);
        // White's pawns and Black's are told apart.
        check("4k4/9/9/4s4/4P4/9/9/9/4K4 w - 1", "5d4c", PIECE_VALUES[Kind::Silver.index()]);
        check("4k4/9/9/4P4/4S4/9/9/9/4K4 b - 1", "5e4d", 0);
    }

    #[test]
    fn sorted_as_if_one_after_another_were_put_in_its_place() {
        let mut rng = seed::Rng::new(7);
        for len in (0..40).chain([100, 593]) {
            let mut buffer = Buffer::new();
            let moves: Vec<Move> =
                (0..len).map(|n| Move::from_bits_unchecked(n as u16 + 1)).collect();
            for (i, &m) in moves.iter().enumerate() {
                buffer.moves.push(m);
                // Few different scores: many are equal.
                buffer.scores[i] = rng.below(len / 2 + 3) as i32 * 5000 - 20_000;
            }
            let start = len / 7;
            let limit = -9000;
            let mut good: Vec<(i32, Move)> = (start..len)
                .map(|i| (buffer.scores[i], moves[i]))
                .filter(|&(score, _)| score >= limit)
                .collect();
            good.sort_by_key(|&(score, _)| std::cmp::Reverse(score));
            sort_above(&mut buffer, start, len, limit);
            assert_eq!(buffer.moves[..start], moves[..start], "{len}");
            let expected: Vec<Move> = good.iter().map(|&(_, m)| m).collect();
            assert_eq!(buffer.moves[start..start + expected.len()], expected, "{len}");
            let mut all = buffer.moves.to_vec();
            all.sort_unstable();
            assert_eq!(all, moves, "{len}");
        }
    }

    #[test]
    fn skipping_quiets_leaves_captures() {
        let sfen = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
        let pos = Position::<Shogi>::from_sfen(sfen).unwrap();
        let (history, info) = (History::new(), pos.check_info());
        let mut buffer = Buffer::new();
        let mut picker = Picker::main(hints(Move::NONE, [Move::NONE; 2]), 5, false);
        picker.skip_quiets();
        let mut count = 0;
        while let Some(m) = picker.next(&pos, &history, &Params::SHOGI, &info, &mut buffer) {
            assert!(pos.piece_at(m.to()).is_some() || m.is_promotion());
            count += 1;
        }
        assert!(count > 0);
    }
}
