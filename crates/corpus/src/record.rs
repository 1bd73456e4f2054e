//! Records of games with evaluations, to and from games as teachers.

use kifu::{BlackScore, Evaluation, NodeId, Record, Step};
use rules::Color;
use teacher::{Flags, Game, MATE, Ply, Reason, as_stored, mate_score};

/// The main line of a record. `None` if it has no moves.
///
/// The evaluation of a move is what its player thought of the position it was played in, from
/// Black's point of view; teachers want the point of view of the side to move.
pub(crate) fn from_record(record: &Record) -> Option<Game> {
    let mut game = Game::new(record.start().clone());
    for id in record.line_from(NodeId::ROOT) {
        let node = record.node(id);
        if let Some(mv) = node.played() {
            let turn = record.turn_at(id);
            let score = node.eval.as_ref().and_then(|e| e.score).map(|s| value(s, turn));
            game.plies.push(Ply { mv, score, flags: Flags::default() });
        }
    }
    if game.plies.is_empty() {
        return None;
    }
    game.outcome = record.outcome();
    game.reason = as_stored(record.ending().map_or(Reason::Unknown, kifu::Termination::reason));
    Some(game)
}

/// Whether a record says more than [`from_record`] takes: names, times, comments, variations.
pub(crate) fn says_more(record: &Record) -> bool {
    let more = |id| {
        let node = record.node(id);
        node.time.is_some() || !node.comments.is_empty() || !node.remarks.is_empty()
    };
    !record.headers.is_empty() || record.variations() > 0 || record.ids().any(more)
}

/// A score for the side to move.
fn value(score: BlackScore, turn: Color) -> i16 {
    let sign = |color: Color| if color == turn { 1 } else { -1 };
    match score {
        BlackScore::Cp(cp) => {
            let cp = cp.clamp(-i32::from(MATE), i32::from(MATE)) as i16;
            sign(Color::Black) * cp
        }
        BlackScore::Mate { winner, plies } => sign(winner) * mate_score(plies),
    }
}

/// A game as a record. Marks of random moves, visits, and the score of the last position have no
/// place in it.
pub(crate) fn to_record(game: &Game) -> Record {
    let mut record = Record::new(game.start.clone());
    let mut at = NodeId::ROOT;
    for ply in &game.plies {
        at = record.add(at, Step::Move(ply.mv));
        if let Some(score) = ply.score {
            let turn = record.turn_at(at);
            let score = if turn == Color::Black { i32::from(score) } else { -i32::from(score) };
            let eval = Evaluation { score: Some(BlackScore::Cp(score)), ..Evaluation::default() };
            record.node_mut(at).eval = Some(eval);
        }
    }
    let turn = if game.plies.len().is_multiple_of(2) {
        game.start.turn()
    } else {
        game.start.turn().opponent()
    };
    if let Some(ending) = last_word(game, turn) {
        record.add(at, Step::End(ending));
    }
    record
}

/// The word a record ends with: one that gives the same winner. Records have none for a game that
/// was adjudicated; its loser is taken to have resigned.
fn last_word(game: &Game, turn: Color) -> Option<kifu::Termination> {
    let reason = match game.reason {
        Reason::Adjudicated => Reason::Resign,
        reason => reason,
    };
    kifu::Termination::of(play::Ending { outcome: game.outcome, reason }, turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use teacher::{MATE_BOUND, Outcome};

    #[test]
    fn evaluations_are_turned_to_the_side_to_move() {
        let text = "V3.0\nPI\n+\n+7776FU\n'** 30 -3334FU\n-3334FU\n'** -40\n+2726FU\n%TORYO\n";
        let options = kifu::ReadOptions::default();
        let record = kifu::Reader::new("a.csa", text.as_bytes(), options).next().unwrap().unwrap();
        let game = from_record(&record).unwrap();
        let scores: Vec<_> = game.plies.iter().map(|p| p.score).collect();
        assert_eq!(scores, [Some(30), Some(40), None]);
        assert_eq!((game.outcome, game.reason), (Outcome::Won(Color::Black), Reason::Resign));
        assert_eq!(from_record(&to_record(&game)), Some(game));
    }

    #[test]
    fn mates_and_absurd_scores_stay_in_range() {
        for (score, turn, wanted) in [
            (BlackScore::Cp(1_000_000), Color::White, -MATE),
            (BlackScore::Mate { winner: Color::White, plies: Some(7) }, Color::White, MATE - 7),
            (BlackScore::Mate { winner: Color::White, plies: None }, Color::Black, -MATE),
            (
                BlackScore::Mate { winner: Color::Black, plies: Some(u32::MAX) },
                Color::Black,
                MATE_BOUND,
            ),
        ] {
            assert_eq!(value(score, turn), wanted, "{score:?}");
        }
    }

    /// A game as floodgate keeps it: times, what each side thought with the line it expected, and
    /// a summary.
    #[test]
    fn floodgate_archives() {
        let text = "V2\nN+one\nN-two\n$EVENT:wdoor+floodgate-600-10F+one+two+20240101000000\n\
                    P1-KY-KE-GI-KI-OU-KI-GI-KE-KY\nP2 * -HI *  *  *  *  * -KA * \n\
                    P3-FU-FU-FU-FU-FU-FU-FU-FU-FU\nP4 *  *  *  *  *  *  *  *  * \n\
                    P5 *  *  *  *  *  *  *  *  * \nP6 *  *  *  *  *  *  *  *  * \n\
                    P7+FU+FU+FU+FU+FU+FU+FU+FU+FU\nP8 * +KA *  *  *  *  * +HI * \n\
                    P9+KY+KE+GI+KI+OU+KI+GI+KE+KY\nP+\nP-\n+\n\
                    'rating:one+x:two+y\n'black_rate:one+x:3000.0\n\
                    +7776FU\nT5\n'** 123 -3334FU +2726FU\n-3334FU\nT10\n'** 88 +2726FU\n\
                    +2726FU\nT2\n'* no score here\n-8384FU\nT1\n'** -32000 +2625FU\n\
                    %TORYO\n'summary:toryo:one lose:two win\n";
        let options = kifu::ReadOptions::default();
        let record = kifu::Reader::new("a.csa", text.as_bytes(), options).next().unwrap().unwrap();
        let game = from_record(&record).unwrap();
        let scores: Vec<_> = game.plies.iter().map(|p| p.score).collect();
        assert_eq!(scores, [Some(123), Some(-88), None, Some(32_000)]);
        assert_eq!((game.outcome, game.reason), (Outcome::Won(Color::White), Reason::Resign));
    }

    /// Real games of a championship, where they are at hand: every one is read to its end.
    #[test]
    fn a_real_archive() {
        let Some(folder) = fixtures::shared_data("records/wcsc28") else { return };
        let files = std::fs::read_dir(folder).unwrap();
        let mut games = 0;
        for file in files.filter_map(Result::ok) {
            let (name, bytes) = (file.file_name(), std::fs::read(file.path()).unwrap());
            let options =
                kifu::ReadOptions { format: Some(kifu::Format::Csa), ..Default::default() };
            for record in kifu::Reader::new(name.to_string_lossy(), &bytes[..], options) {
                let record = record.unwrap_or_else(|e| panic!("{name:?}: {e}"));
                let game = from_record(&record).unwrap();
                assert_eq!(game.plies.len(), record.moves().len(), "{name:?}");
                // What was played is the same after a journey through our own format.
                let mut writer =
                    teacher::Writer::new(Vec::new(), teacher::Header::new(rules::Game::Shogi))
                        .unwrap();
                writer.write(&game).unwrap();
                let bytes = writer.finish().unwrap();
                let back = teacher::Reader::new(&bytes[..]).unwrap().games().next().unwrap();
                assert_eq!(back.unwrap(), game, "{name:?}");
                games += 1;
            }
        }
        assert!(games > 100, "{games}");
    }
}
