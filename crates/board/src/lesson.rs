//! Why a move was a mistake, in words: what it lost, what it missed, whether a mate was there.

use crate::words::Words;
use mate::{Bounds, Verdict};
use rules::{AnyPosition, Color, Kind, Move};
use serde::Serialize;
use think::{Control, ManualTime, Score};

/// What kind of mistake a move was.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum ReasonKind {
    /// There was a mate.
    Missed,
    /// It lets itself be mated.
    Mated,
    /// It loses material.
    Loses,
    /// It does not take what it could.
    Misses,
    /// Nothing that can be counted.
    Worse,
}

/// Why a move was a mistake.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Reason {
    pub kind: ReasonKind,
    pub text: Words,
    /// Whether the mate was proven by the solver.
    pub proven: bool,
}

/// What is known about a mistake: the move, what answers it, what was better, and what each is worth to the side that
/// was to move.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    pub position: &'a AnyPosition,
    pub played: Move,
    /// The best line after it.
    pub refutation: &'a [Move],
    /// The best line in its place.
    pub better: &'a [Move],
    /// Before the move.
    pub was: Score,
    /// After it, for the other side.
    pub is: Score,
}

/// Moves of a line in which exchanges are counted, and how many more while they go on.
const COUNTED: usize = 6;
const MORE: usize = 4;

/// From how much a difference is worth speaking of, in hundredths of a pawn.
const MUCH: i32 = 250;

/// Nodes a proof may take.
const PROOF: u64 = 60_000;

const fn worth(kind: Kind) -> i32 {
    match kind.unpromoted() {
        Kind::Pawn => 100,
        Kind::Lance => 300,
        Kind::Knight => 350,
        Kind::Silver => 500,
        Kind::Gold => 600,
        Kind::Bishop => 850,
        Kind::Rook => 1000,
        _ => 0,
    }
}

/// What a line takes from each side, by colour of who takes it.
fn taken(position: &AnyPosition, line: &[Move]) -> [Vec<Kind>; 2] {
    let mut at = position.without_history();
    let mut all = [Vec::new(), Vec::new()];
    for (number, &m) in line.iter().enumerate().take(COUNTED + MORE) {
        if !at.is_legal(m) {
            break;
        }
        let kind = at.piece_at(m.to()).kind();
        if number >= COUNTED && kind.is_none() {
            break;
        }
        if let Some(kind) = kind {
            all[at.turn().index()].push(kind.unpromoted());
        }
        at.play(m);
    }
    // What both have taken of the same kind is an exchange.
    for kind in all[0].clone() {
        if let Some(other) = all[1].iter().position(|k| *k == kind)
            && let Some(own) = all[0].iter().position(|k| *k == kind)
        {
            all[0].remove(own);
            all[1].remove(other);
        }
    }
    all.iter_mut().for_each(|kinds| kinds.sort_by_key(|kind| -worth(*kind)));
    all
}

fn balance(taken: &[Vec<Kind>; 2], color: Color) -> i32 {
    let sum = |side: Color| taken[side.index()].iter().map(|k| worth(*k)).sum::<i32>();
    sum(color) - sum(color.opponent())
}

fn piece(kind: Kind) -> (&'static str, &'static str) {
    match kind {
        Kind::Pawn => ("pawn", "歩"),
        Kind::Lance => ("lance", "香"),
        Kind::Knight => ("knight", "桂"),
        Kind::Silver => ("silver", "銀"),
        Kind::Gold => ("gold", "金"),
        Kind::Bishop => ("bishop", "角"),
        Kind::Rook => ("rook", "飛車"),
        _ => ("king", "玉"),
    }
}

/// The pieces worth naming, in both languages.
fn pieces(kinds: &[Kind]) -> Option<(String, String)> {
    let named: Vec<_> = kinds
        .iter()
        .filter(|k| kinds.len() == 1 || **k != Kind::Pawn)
        .take(3)
        .map(|k| piece(*k))
        .collect();
    let named =
        if named.is_empty() { kinds.iter().take(1).map(|k| piece(*k)).collect() } else { named };
    let (last, before) = named.split_last()?;
    let en = if before.is_empty() {
        format!("a {}", last.0)
    } else {
        let list: Vec<String> = before.iter().map(|(en, _)| format!("a {en}")).collect();
        format!("{} and a {}", list.join(", "), last.0)
    };
    let ja: Vec<&str> = named.iter().map(|(_, ja)| *ja).collect();
    Some((en, ja.join("と")))
}

/// A mate for the side to move, if a few nodes prove one: its line.
pub fn proven_mate(position: &AnyPosition) -> Option<Vec<Move>> {
    let bounds = Bounds { nodes: Some(PROOF), hash: 16 << 20, shortest: true, ..Bounds::default() };
    let time = ManualTime::default();
    let solution = mate::solve_any(position, &bounds, &Control::new(false), &time);
    (solution.verdict == Verdict::Mate).then_some(solution.line)
}

/// Why a move was a mistake; a mate it missed by the solver's line, if one was proven.
pub fn reason(evidence: &Evidence<'_>) -> (Reason, Option<Vec<Move>>) {
    let Evidence { position, played, refutation, better, was, is } = *evidence;
    let said = |kind, text, proven| Reason { kind, text, proven };
    if let Score::Mate(plies) = was {
        let line = proven_mate(position);
        let plies = line.as_ref().map(|line| line.len() as u32).or(plies);
        let text = plies.map_or_else(
            || Words::new("There was a forced mate.", "詰みがありました。"),
            |n| Words::new(format!("There was a mate in {n}."), format!("{n}手詰がありました。")),
        );
        return (said(ReasonKind::Missed, text, line.is_some()), line);
    }
    let mut after = position.without_history();
    after.play(played);
    if let Score::Mate(plies) = is {
        let line = proven_mate(&after);
        let plies = line.as_ref().map(|line| line.len() as u32).or(plies);
        let text = plies.map_or_else(
            || Words::new("It lets the king be mated.", "玉が詰まされます。"),
            |n| Words::new(format!("It allows a mate in {n}."), format!("{n}手で詰まされます。")),
        );
        return (said(ReasonKind::Mated, text, line.is_some()), None);
    }
    let color = position.turn();
    let line: Vec<Move> = std::iter::once(played).chain(refutation.iter().copied()).collect();
    let (real, best) = (taken(position, &line), taken(position, better));
    let (lost, gained) = (balance(&real, color), balance(&best, color));
    let reason = if gained - lost < MUCH {
        let text = Words::new(
            "It loses ground without losing a piece.",
            "駒損はありませんが、形勢を損ねます。",
        );
        said(ReasonKind::Worse, text, false)
    } else if lost <= -MUCH / 2 {
        said(ReasonKind::Loses, loss(&real, color), false)
    } else {
        let text = pieces(&best[color.index()]).map_or_else(
            || Words::new("It misses something better.", "よりよい手を逃しました。"),
            |(en, ja)| {
                Words::new(
                    format!("It misses the chance to win {en}."),
                    format!("{ja}を取る手を逃しました。"),
                )
            },
        );
        said(ReasonKind::Misses, text, false)
    };
    (reason, None)
}

/// What is lost, and what for.
fn loss(taken: &[Vec<Kind>; 2], color: Color) -> Words {
    let lost = pieces(&taken[color.opponent().index()]);
    let won = pieces(&taken[color.index()]);
    match (lost, won) {
        (Some((en, ja)), None) => {
            Words::new(format!("It loses {en}."), format!("{ja}を取られます。"))
        }
        (Some((en, ja)), Some((for_en, for_ja))) => Words::new(
            format!("It loses {en} for {for_en}."),
            format!("{ja}を取られ、{for_ja}しか取れません。"),
        ),
        (None, _) => Words::new("It loses material.", "駒損になります。"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game;

    fn tell(
        sfen: &str,
        played: &str,
        refutation: &str,
        better: &str,
        was: Score,
        is: Score,
    ) -> Reason {
        let position = AnyPosition::from_sfen(Game::Shogi, sfen).unwrap();
        let moves = |text: &str| -> Vec<Move> {
            text.split_whitespace().map(|m| Move::from_usi(Game::Shogi, m).unwrap()).collect()
        };
        let played = position.parse_usi(played).unwrap();
        let (refutation, better) = (moves(refutation), moves(better));
        let evidence = Evidence {
            position: &position,
            played,
            refutation: &refutation,
            better: &better,
            was,
            is,
        };
        reason(&evidence).0
    }

    #[test]
    fn a_missed_mate_is_proven() {
        let sfen = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
        let told = tell(sfen, "5i5h", "", "G*5b", Score::Mate(Some(1)), Score::Cp(0));
        assert_eq!((told.kind, told.proven), (ReasonKind::Missed, true));
        assert_eq!(told.text, Words::new("There was a mate in 1.", "1手詰がありました。"));
        let told =
            tell("4k4/9/9/9/9/9/9/9/4K4 b G 1", "5i5h", "", "", Score::Mate(Some(7)), Score::Cp(0));
        assert!(!told.proven, "nothing is called proven that is not");
    }

    #[test]
    fn being_mated_is_told() {
        let sfen = "4k4/9/9/9/9/4p4/9/9/3KL4 b g 1";
        let told = tell(sfen, "5i5h", "", "", Score::Cp(0), Score::Mate(Some(5)));
        assert_eq!(
            (told.kind, told.text.en.as_str()),
            (ReasonKind::Mated, "It allows a mate in 5.")
        );
    }

    #[test]
    fn what_is_lost_is_named() {
        // The bishop walks in front of a pawn.
        let sfen = "4k4/9/4p4/9/9/9/9/9/B3K4 b - 1";
        let told = tell(sfen, "9i5e", "5c5d", "5i5h", Score::Cp(500), Score::Cp(-450));
        assert_eq!(told.kind, ReasonKind::Worse, "nothing was taken yet");
        let sfen = "4k4/9/9/4p4/9/9/9/9/B3K4 b - 1";
        let told = tell(sfen, "9i5e", "5d5e", "5i5h", Score::Cp(500), Score::Cp(400));
        assert_eq!((told.kind, told.text.en.as_str()), (ReasonKind::Loses, "It loses a bishop."));
        assert_eq!(told.text.ja, "角を取られます。");
        // An exchange is none, a bad one is.
        let sfen = "4k4/9/4s4/4p4/9/9/9/9/B3K4 b - 1";
        let told = tell(sfen, "9i5e", "5d5e", "5i5h", Score::Cp(500), Score::Cp(400));
        assert_eq!(told.kind, ReasonKind::Loses);
        let sfen = "4k4/9/9/4p4/4s4/9/9/4R4/4K4 b - 1";
        let told = tell(sfen, "5h5e", "5d5e", "5i6h", Score::Cp(0), Score::Cp(600));
        assert_eq!(told.text.en, "It loses a rook for a silver.");
        assert_eq!(told.text.ja, "飛車を取られ、銀しか取れません。");
    }

    #[test]
    fn what_could_have_been_taken_is_named() {
        let sfen = "4k4/9/9/9/4g4/9/9/4R4/4K4 b - 1";
        let told = tell(sfen, "5i6i", "5e5f", "5h5e", Score::Cp(600), Score::Cp(0));
        assert_eq!(
            (told.kind, told.text.en.as_str()),
            (ReasonKind::Misses, "It misses the chance to win a gold.")
        );
    }
}
