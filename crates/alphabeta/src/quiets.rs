//! The order of a node's quiet moves: what is known of each, and the best of them first.

use crate::alarm::may_parry;
use crate::history::{NEAR, SQUARES, of_piece, place};
use crate::picker::{Hints, Known};
use crate::stack::{Buffer, DropScores};
use eval::PIECE_VALUES;
use rules::{Bits, CheckInfo, Color, Kind, Move, Piece, Position, Variant};

/// Scores the moves of a buffer from `start` on: the likelier one is good, the more.
pub(crate) fn score<V: Variant>(
    known: &Known<'_, V>,
    info: &CheckInfo<V>,
    hints: &Hints,
    buffer: &mut Buffer,
    start: usize,
    drops: &mut DropScores,
) {
    let &Known { pos, history, params, attacked, .. } = known;
    let us = pos.turn();
    let pawn = history.pawn_row(hints.pawns);
    let rows = hints.earlier.map(|p| history.continuation_row(p));
    let threats = (params.order_threat != 0).then(|| Threats::of(pos, params.order_threat_most));
    let safe_check = |m: Move| pos.see_at_least(m, -params.check_see, &PIECE_VALUES);
    let (by_itself, by_pawns) = (params.order_butterfly, params.order_pawns);
    let (first, second, later) = (params.order_reply, params.order_follow_up, params.order_earlier);
    let score = |butterfly: i16, rows: [i16; 4]| {
        let [reply, follow_up, four, six] = rows.map(i32::from);
        by_itself * i32::from(butterfly)
            + first * reply
            + second * follow_up
            + later * four / 2
            + later * six / 2
    };
    // Drops of a kind go to squares that lie side by side in every table: all of them at once, then
    // the few that check or can be taken by a pawn.
    let empty = !pos.occupied();
    // Ones in all bits for a square that is attacked, if that is asked for.
    let mut entered = [0i16; SQUARES];
    if params.heed_attacked & 1 != 0 && !pos.hand(us).is_empty() {
        attacked.squares(pos).each(|sq| entered[sq.index()] = -1);
    }
    for kind in Kind::HAND.into_iter().filter(|&kind| pos.hand(us).has(kind)) {
        let piece = Piece::new(us, kind);
        let [elsewhere, there] = [0, 1].map(|heed| history.butterfly_drops(us, kind, heed));
        let [reply, follow_up, four, six] = rows.map(|row| of_piece(row, piece));
        let scores = &mut drops[kind.index()];
        pawn.of_piece(piece, by_pawns, scores);
        for sq in 0..V::SQUARES {
            let rows = [reply[sq], follow_up[sq], four[sq], six[sq]];
            let butterfly = elsewhere[sq] & !entered[sq] | there[sq] & entered[sq];
            scores[sq] += score(butterfly, rows);
        }
        if let Some(threats) = &threats {
            threats.squares.each(|sq| {
                let balance = threats.balance(Move::drop(kind, sq), piece);
                scores[sq.index()] += params.order_threat * balance;
            });
        }
        (info.squares(kind) & empty).each(|sq| {
            if safe_check(Move::drop(kind, sq)) {
                scores[sq.index()] += params.check_bonus;
            }
        });
    }
    for i in start..buffer.moves.len() {
        let m = buffer.moves[i];
        if let Some(kind) = m.dropped() {
            buffer.scores[i] = drops[kind.index() & 7][m.to().index()];
            continue;
        }
        let mover = pos.moved_piece(m);
        let to = place(mover, m.to());
        let heed = attacked.heed(pos, m, params.heed_attacked);
        let mut sum = by_pawns * i32::from(pawn.of(mover, m.to()))
            + score(history.butterfly(us, m, heed), rows.map(|row| row[to]));
        if let Some(threats) = &threats {
            sum += params.order_threat * threats.balance(m, mover);
        }
        if pos.gives_check_as(m, mover, info) && safe_check(m) {
            sum += params.check_bonus;
        }
        buffer.scores[i] = sum;
    }
    if hints.ply < NEAR && params.order_near != 0 {
        prefer_near(known, hints.ply, buffer, start);
    }
    if hints.threat.is_some() && params.order_parry != 0 {
        prefer_parries(pos, hints.threat, params.order_parry, buffer, start);
    }
}

/// Moves that were good at this ply next to the root score more.
#[inline(never)]
fn prefer_near<V: Variant>(known: &Known<'_, V>, ply: usize, buffer: &mut Buffer, start: usize) {
    let us = known.pos.turn();
    for i in start..buffer.moves.len() {
        let near = i32::from(known.history.near(ply, us, buffer.moves[i]));
        buffer.scores[i] += known.params.order_near * near / (1 + ply as i32);
    }
}

/// Moves that may parry a mate score more.
#[inline(never)]
fn prefer_parries<V: Variant>(
    pos: &Position<V>,
    threat: Move,
    bonus: i32,
    buffer: &mut Buffer,
    start: usize,
) {
    for i in start..buffer.moves.len() {
        let m = buffer.moves[i];
        if may_parry(pos, threat, m, pos.moved_piece(m)) {
            buffer.scores[i] += bonus;
        }
    }
}

/// What smaller pieces of the other side attack.
struct Threats<V: Variant> {
    /// Pieces of ours: those in front of a pawn, and large ones that a small one attacks.
    pieces: V::Bits,
    /// Squares in front of their pawns.
    squares: V::Bits,
    /// More than this no piece is worth to the order of moves.
    most: i32,
}

impl<V: Variant> Threats<V> {
    fn of(pos: &Position<V>, most: i32) -> Self {
        let (us, them) = (pos.turn(), pos.turn().opponent());
        let pawns = pos.pieces_of(them, Kind::Pawn) & !V::dead_zone(them, Kind::Pawn);
        let squares = if them == Color::Black { pawns.up() } else { pawns.down() };
        let mut pieces = squares & pos.pieces(us) & !pos.kind(Kind::Pawn);
        let all = |kinds: [Kind; 4]| kinds.map(|kind| pos.kind(kind));
        let [rooks, bishops, dragons, horses] =
            all([Kind::Rook, Kind::Bishop, Kind::Dragon, Kind::Horse]);
        // One of theirs attacks a square from wherever one of ours, standing on it, would attack.
        ((rooks | bishops | dragons | horses) & pos.pieces(us)).each(|sq| {
            let small = V::reach(us, Kind::Knight, sq) & pos.kind(Kind::Knight)
                | V::reach(us, Kind::Silver, sq) & pos.kind(Kind::Silver)
                | V::reach(us, Kind::Gold, sq) & pos.golds()
                | V::lance_attacks(us, sq, pos.occupied()) & pos.kind(Kind::Lance);
            if (small & pos.pieces(them)).any() {
                pieces |= V::Bits::of(sq);
            }
        });
        Self { pieces, squares, most }
    }

    /// What a quiet move saves less what it risks: the value of the piece, for leaving and for entering
    /// an attack.
    #[inline]
    fn balance(&self, m: Move, mover: Piece) -> i32 {
        let value = PIECE_VALUES[mover.kind_index()].min(self.most);
        let saved = !m.is_drop() && self.pieces.has(m.from());
        let risked = value > PIECE_VALUES[Kind::Pawn.index()] && self.squares.has(m.to());
        value * (i32::from(saved) - i32::from(risked))
    }
}

/// Up to so many moves are sorted by insertion.
const FEW: usize = 12;

/// Brings the moves that score at least `limit` to the front and says where they end; the others are
/// hardly ever reached and are left where they are put.
pub(crate) fn bring_above(buffer: &mut Buffer, start: usize, end: usize, limit: i32) -> usize {
    let mut above = start;
    for i in start..end {
        if buffer.scores[i] >= limit {
            buffer.swap(i, above);
            above += 1;
        }
    }
    above
}

/// Puts moves in order, the best first and equal ones as they came: the first so many, or all where that is
/// as cheap. Says where the ordered ones end; [`order_rest`] does the others. Scores do not follow.
pub(crate) fn order(buffer: &mut Buffer, start: usize, end: usize, first: usize) -> usize {
    let moves = &mut buffer.moves.as_mut_slice()[start..end];
    let scores = &mut buffer.scores[start..end];
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
        return end;
    }
    // Best score first, then by number: one whole number says both, and no two are equal.
    let keys = &mut buffer.keys[..moves.len()];
    for (i, (key, &score)) in keys.iter_mut().zip(&*scores).enumerate() {
        let worse = (i64::from(i32::MAX) - i64::from(score)) as u64;
        *key = worse << 32 | (i as u64) << 16 | u64::from(moves[i].bits());
    }
    let ordered = if 2 * first < keys.len() { first } else { keys.len() };
    if ordered < keys.len() {
        keys.select_nth_unstable(ordered);
    }
    keys[..ordered].sort_unstable();
    for (m, &key) in moves.iter_mut().zip(&*keys) {
        *m = Move::from_bits_unchecked(key as u16);
    }
    start + ordered
}

/// Puts the moves in order that [`order`] has left, of those from `start` on.
pub(crate) fn order_rest(buffer: &mut Buffer, start: usize, ordered: usize, end: usize) {
    let keys = &mut buffer.keys[ordered - start..end - start];
    keys.sort_unstable();
    let moves = &mut buffer.moves.as_mut_slice()[ordered..end];
    for (m, &key) in moves.iter_mut().zip(&*keys) {
        *m = Move::from_bits_unchecked(key as u16);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heed::Attacked;
    use crate::history::{Common, History, PLACES};
    use crate::params::Params;
    use rules::{Gen, Minishogi, Shogi};
    use std::sync::Arc;

    /// Every move has the score that its parts give, one by one; says how many are safe checks.
    fn check_scores<V: Variant>(sfen: &str, params: &Params) -> usize {
        let pos = Position::<V>::from_sfen(sfen).unwrap();
        let (us, info) = (pos.turn(), pos.check_info());
        let attacked = &Attacked::new();
        let mut history = History::new(Arc::new(Common::new()));
        let mut buffer = Buffer::new();
        let mut rng = seed::Rng::new(3);
        let hints = Hints {
            table_move: Move::NONE,
            killers: [Move::NONE; 2],
            counter: Move::NONE,
            earlier: [700, 1500, 20, PLACES],
            pawns: 77,
            threat: Move::NONE,
            ply: NEAR,
            all_moves: false,
        };
        pos.generate_useful(Gen::Positional, &mut buffer.moves);
        for &m in &buffer.moves {
            let mover = pos.moved_piece(m);
            let mut bonus = || rng.below(8000) as i32 - 4000;
            for heed in 0..4 {
                history.update_butterfly(us, m, heed, bonus(), params);
            }
            history.update_pawn(hints.pawns, place(mover, m.to()), bonus(), params);
            for row in hints.earlier {
                history.update_continuation(row, place(mover, m.to()), bonus(), params);
            }
        }
        let known = Known { pos: &pos, history: &history, params, info: Some(&info), attacked };
        score(&known, &info, &hints, &mut buffer, 0, &mut [[-1; SQUARES]; 8]);
        let threats = Threats::of(&pos, params.order_threat_most);
        let (mut checks, mut drops) = (0, 0);
        for (i, &m) in buffer.moves.iter().enumerate() {
            let mover = pos.moved_piece(m);
            let to = place(mover, m.to());
            let heed = attacked.heed(&pos, m, params.heed_attacked);
            let row = |n: usize| i32::from(history.continuation_row(hints.earlier[n])[to]);
            let mut expected = params.order_butterfly * i32::from(history.butterfly(us, m, heed))
                + params.order_pawns * i32::from(history.pawn_row(hints.pawns).get(to))
                + params.order_reply * row(0)
                + params.order_follow_up * row(1)
                + params.order_earlier * row(2) / 2
                + params.order_earlier * row(3) / 2
                + params.order_threat * threats.balance(m, mover);
            if pos.gives_check(m) && pos.see_at_least(m, -params.check_see, &PIECE_VALUES) {
                expected += params.check_bonus;
                checks += 1;
            }
            drops += usize::from(m.is_drop());
            assert_eq!(buffer.scores[i], expected, "{m:?} in {sfen}");
        }
        assert!(drops > 20 && drops < buffer.moves.len(), "{sfen}");
        checks
    }

    #[test]
    fn drops_are_scored_like_other_moves() {
        let middle = "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1";
        let together = Params { heed_attacked: 0, ..Params::SHOGI };
        for params in [&Params::SHOGI, &together] {
            let open = "4k4/9/4pp3/9/9/3b5/4P4/9/4K4 b RBGSNLP 1";
            let checks = check_scores::<Shogi>(middle, params)
                + check_scores::<Shogi>(open, params)
                + check_scores::<Minishogi>("4k/5/4P/2p2/K3B b SGR 1", params);
            assert!(checks > 0);
        }
    }

    #[test]
    fn threats_come_from_smaller_pieces() {
        let check = |sfen: &str, usi: &str, expected: i32| {
            let pos = Position::<Shogi>::from_sfen(sfen).unwrap();
            let m = pos.parse_usi(usi).unwrap();
            assert_eq!(
                Threats::of(&pos, 1000).balance(m, pos.moved_piece(m)),
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
            let above = bring_above(&mut buffer, start, len, limit);
            let first = rng.below(40) + 1;
            let ordered = order(&mut buffer, start, above, first);
            assert!(ordered == above || ordered == start + first, "{len}");
            let expected: Vec<Move> = good.iter().map(|&(_, m)| m).collect();
            assert_eq!(buffer.moves[start..ordered], expected[..ordered - start], "{len}");
            if ordered < above {
                order_rest(&mut buffer, start, ordered, above);
            }
            assert_eq!(buffer.moves[..start], moves[..start], "{len}");
            assert_eq!(buffer.moves[start..above], expected, "{len}");
            let mut all = buffer.moves.to_vec();
            all.sort_unstable();
            assert_eq!(all, moves, "{len}");
        }
    }
}
