//! What the last line of a search means.

use crate::fault::EngineFault;
use rules::{AnyPosition, Move};
use think::{Answer, MateAnswer};
use usi::{BestMove, Checkmate, Reply};

pub(crate) fn first_word(line: &str) -> &str {
    line.split_ascii_whitespace().next().unwrap_or_default()
}

/// What a `bestmove` line means, and the reply it expects, which may be any move.
pub fn best_move(
    line: &str,
    position: &AnyPosition,
) -> Result<(Answer, Option<Move>), EngineFault> {
    match Reply::parse(line) {
        Ok(Reply::BestMove(BestMove::Resign)) => Ok((Answer::Resign, None)),
        Ok(Reply::BestMove(BestMove::Win)) => Ok((Answer::Win, None)),
        Ok(Reply::BestMove(BestMove::Move { best, ponder })) => {
            let m = position.parse_usi(&best).map_err(|why| EngineFault::illegal(&best, why))?;
            let reply = ponder.and_then(|text| Move::from_usi(position.game(), &text));
            Ok((Answer::Move(m), reply))
        }
        _ => Err(EngineFault::unexpected("bestmove", line)),
    }
}

/// What a `checkmate` line means; the moves are checked.
pub fn mate_answer(line: &str, position: &AnyPosition) -> Result<MateAnswer, EngineFault> {
    match Reply::parse(line) {
        Ok(Reply::Checkmate(Checkmate::Moves(texts))) => {
            let mut at = position.clone();
            let mut moves = Vec::new();
            for text in texts {
                let m = at.parse_usi(&text).map_err(|why| EngineFault::illegal(&text, why))?;
                at.play(m);
                moves.push(m);
            }
            Ok(MateAnswer::Mate(moves))
        }
        Ok(Reply::Checkmate(Checkmate::NoMate)) => Ok(MateAnswer::NoMate),
        Ok(Reply::Checkmate(Checkmate::Timeout)) => Ok(MateAnswer::Timeout),
        Ok(Reply::Checkmate(Checkmate::NotImplemented)) => Ok(MateAnswer::NotImplemented),
        _ => Err(EngineFault::unexpected("checkmate", line)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::FaultKind;
    use rules::Game;

    #[test]
    fn answers_are_understood_and_judged() {
        let position = AnyPosition::startpos(Game::Shogi);
        let m = |text: &str| position.parse_usi(text).unwrap();
        let (answer, ponder) = best_move("bestmove 7g7f ponder 3c3d", &position).unwrap();
        assert_eq!(answer, Answer::Move(m("7g7f")));
        assert_eq!(ponder, Move::from_usi(Game::Shogi, "3c3d"));
        assert_eq!(best_move("bestmove win", &position), Ok((Answer::Win, None)));
        assert_eq!(best_move("bestmove resign", &position), Ok((Answer::Resign, None)));
        let fault = best_move("bestmove 7g7e", &position).unwrap_err();
        assert_eq!((fault.kind, fault.received.as_deref()), (FaultKind::Illegal, Some("7g7e")));
        let fault = best_move("usiok", &position).unwrap_err();
        assert_eq!((fault.kind, fault.expected), (FaultKind::Protocol, Some("bestmove")));
    }

    #[test]
    fn mates_are_read_and_checked() {
        let mate = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
        let position = AnyPosition::from_sfen(Game::Shogi, mate).unwrap();
        let m = position.parse_usi("G*5b").unwrap();
        let answer = |line| mate_answer(line, &position);
        assert_eq!(answer("checkmate G*5b"), Ok(MateAnswer::Mate(vec![m])));
        assert_eq!(answer("checkmate nomate"), Ok(MateAnswer::NoMate));
        assert_eq!(answer("checkmate timeout"), Ok(MateAnswer::Timeout));
        assert_eq!(answer("checkmate notimplemented"), Ok(MateAnswer::NotImplemented));
        assert_eq!(answer("checkmate G*9b 1a1b").unwrap_err().kind, FaultKind::Illegal);
        assert_eq!(answer("bestmove 7g7f").unwrap_err().kind, FaultKind::Protocol);
    }
}
