//! What a new position is before any net is asked: over, won, or open.

use crate::bounds::{Bounds, GameValue};
use play::SearchRules;
use play::searched::LOOK_BACK;
use rules::{GameRepetition, Gen, MoveList, Position, Recurrence, Variant};
use think::{Control, ManualTime};

/// What a leaf is judged by.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LeafRules {
    pub game: SearchRules,
    /// Whether moves that are never better than another are read too.
    pub all_moves: bool,
}

/// What a position is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Verdict {
    /// Settled by the rules.
    Proven(Bounds),
    /// Not settled, but nothing is gained by reading on: the line repeats itself.
    Ended(GameValue),
    /// To be evaluated.
    Open,
}

impl LeafRules {
    /// Judges a position that is so many plies below the root.
    pub fn judge<V: Variant>(&self, pos: &Position<V>, depth: usize) -> Verdict {
        let turn = pos.turn();
        // 1. The referee ends the game.
        if let Some(repetition) = pos.repetition() {
            return Verdict::Proven(match repetition {
                GameRepetition::Draw => Bounds::draw(0),
                GameRepetition::Lost(color) if color == turn => Bounds::loss(0),
                GameRepetition::Lost(_) => Bounds::win(0),
            });
        }
        // 2. The line repeats itself: it could go on like this. More in hand on the same board is
        //    as good as won.
        match pos.recurrence(depth + LOOK_BACK) {
            Some(Recurrence::Draw) => return Verdict::Ended(GameValue::Draw),
            Some(Recurrence::Win | Recurrence::Superior) => return Verdict::Ended(GameValue::Win),
            Some(Recurrence::Loss | Recurrence::Inferior) => {
                return Verdict::Ended(GameValue::Loss);
            }
            None => {}
        }
        // 3. The limit of moves; a mate by the last move counts.
        if let Some(outcome) = self.game.at_limit(pos) {
            let mated = outcome.winner().is_some();
            return Verdict::Proven(if mated { Bounds::loss(0) } else { Bounds::draw(0) });
        }
        // 4. Mate in one, declaration.
        if mate::mate_in_one(pos).is_some() || pos.can_declare(self.game.declaration) {
            return Verdict::Proven(Bounds::win(1));
        }
        Verdict::Open
    }

    /// The moves that are read.
    pub fn moves<V: Variant>(&self, pos: &Position<V>, list: &mut MoveList) {
        list.clear();
        if self.all_moves {
            pos.generate(Gen::All, list);
        } else {
            pos.generate_useful(Gen::All, list);
        }
    }
}

/// Bytes of the table of a search for a mate at a leaf: enough for a few thousand nodes.
const LEAF_HASH: usize = 1 << 17;

/// The plies of a mate that df-pn finds within so many nodes.
pub(crate) fn mate_within<V: Variant>(pos: &Position<V>, nodes: u64) -> Option<u16> {
    let mut checks = MoveList::new();
    pos.generate(Gen::Checks, &mut checks);
    if checks.is_empty() {
        return None;
    }
    let bounds = mate::Bounds {
        time: None,
        nodes: Some(nodes),
        hash: LEAF_HASH,
        threads: 1,
        shortest: false,
    };
    // It is bounded by its nodes alone: the same every time.
    let solution = mate::solve(pos, &bounds, &Control::new(false), &ManualTime::new());
    (solution.verdict == mate::Verdict::Mate).then_some(solution.line.len() as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::{Declaration, Minishogi, Shogi};

    const GAME: SearchRules = SearchRules { declaration: Declaration::Points27, max_moves: 0 };
    const RULES: LeafRules = LeafRules { game: GAME, all_moves: false };

    fn check<V: Variant>(rules: LeafRules, sfen: &str, moves: &str, depth: usize, is: Verdict) {
        let mut pos = Position::<V>::from_sfen(sfen).unwrap();
        for text in moves.split_whitespace() {
            let m = pos.parse_usi(text).unwrap();
            pos.play(m);
        }
        assert_eq!(rules.judge(&pos, depth), is, "{sfen} {moves}");
    }

    const CYCLE: &str = "2h3h 8b7b 3h2h 7b8b";

    #[test]
    fn repetition_is_judged_by_the_referees_rules() {
        let draw = Verdict::Ended(GameValue::Draw);
        check::<Shogi>(RULES, Shogi::START, "2h3h 8b7b 3h2h", 3, Verdict::Open);
        check::<Shogi>(RULES, Shogi::START, CYCLE, 4, draw);
        let fourth = [CYCLE; 3].join(" ");
        check::<Shogi>(RULES, Shogi::START, &fourth, 12, Verdict::Proven(Bounds::draw(0)));
        // Minishogi: any repetition is lost by Black, who is to move.
        let cycle = "5e4d 1a2b 4d5e 2b1a";
        let sfen = "4k/5/5/5/K4 b - 1";
        check::<Minishogi>(RULES, sfen, cycle, 4, Verdict::Ended(GameValue::Loss));
        let fourth = [cycle; 3].join(" ");
        check::<Minishogi>(RULES, sfen, &fourth, 12, Verdict::Proven(Bounds::loss(0)));
    }

    #[test]
    fn perpetual_check_loses_for_who_gives_it() {
        // The rook checks from two squares, the king steps to and fro.
        let sfen = "4k4/9/9/9/9/9/9/9/R3K4 b - 1";
        let cycle = "9i9a 5a5b 9a9b 5b5a";
        check::<Shogi>(RULES, sfen, cycle, 4, Verdict::Open);
        check::<Shogi>(RULES, sfen, "9i9a 5a5b 9a9b 5b5a 9b9a", 5, Verdict::Ended(GameValue::Win));
    }

    #[test]
    fn mates_are_found_within_their_nodes() {
        let found =
            |sfen: &str, nodes| mate_within(&Position::<Shogi>::from_sfen(sfen).unwrap(), nodes);
        let mate = "8k/9/9/6R2/9/9/9/9/4K4 b RG 1";
        assert!(found(mate, 2000).is_some_and(|plies| plies % 2 == 1));
        assert_eq!(found(mate, 1), None, "too few nodes");
        assert_eq!(found("8k/9/9/9/9/9/9/9/4K4 b P 1", 2000), None, "no check at all");
    }

    #[test]
    fn the_limit_draws_unless_the_last_move_mates() {
        let limited = LeafRules { game: SearchRules { max_moves: 2, ..GAME }, ..RULES };
        let draw = Verdict::Proven(Bounds::draw(0));
        check::<Shogi>(limited, Shogi::START, "2h3h", 1, Verdict::Open);
        check::<Shogi>(limited, Shogi::START, "2h3h 8b7b", 2, draw);
        let mate = "4k4/9/4P4/9/9/9/9/9/4K4 b G 2";
        check::<Shogi>(limited, mate, "G*5b", 1, Verdict::Proven(Bounds::loss(0)));
    }

    #[test]
    fn mates_and_declarations_are_wins() {
        let win = Verdict::Proven(Bounds::win(1));
        check::<Shogi>(RULES, "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "", 1, win);
        let entered = "K1+P+P+P+P+P+P+P/+P+P+P+P5/9/9/9/9/9/9/4k4 b 2R2B 1";
        check::<Shogi>(RULES, entered, "", 1, win);
        let without =
            LeafRules { game: SearchRules { declaration: Declaration::None, ..GAME }, ..RULES };
        check::<Shogi>(without, entered, "", 1, Verdict::Open);
    }
}
