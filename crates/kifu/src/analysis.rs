//! Evaluations in comments: the conventions of floodgate, ShogiHome and ShogiGUI.
//!
//! Only CSA 3.0 has an official place for what an engine thought, and even that is a comment
//! (`'** 123 -3334FU #4567`). Everywhere else programs write lines of text. All conventions are
//! understood in all formats. Lines this program would write itself are taken out of the comments
//! when read; any other wording stays among the comments, and the evaluation is not written twice.

use crate::csa;
use crate::evaluation::{BlackScore, Evaluation};
use crate::movetext;
use crate::record::Record;
use crate::replay::Replay;
use rules::{AnyPosition, Color, Move};

/// The score floodgate's clients send for a mate.
const FLOODGATE_MATE: i32 = 100_000;

/// Where a line of moves starts: the position after the move the comment belongs to.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) position: &'a AnyPosition,
    pub(crate) last: Option<Move>,
}

/// Understands the evaluations among the comments of a whole record.
pub(crate) fn lift(record: &mut Record) {
    let mut replay = Replay::new(record);
    for id in record.ids() {
        if !record.node(id).comments.iter().any(|c| may_be_evaluation(c)) {
            continue;
        }
        replay.go_to(record, id);
        let last = replay.last_move(record);
        let place = Place { position: replay.position(), last };
        let node = record.node_mut(id);
        let (eval, used) = extract(&node.comments, place);
        if eval.is_empty() {
            continue;
        }
        let lines: Vec<&String> = used.iter().map(|&i| &node.comments[i]).collect();
        let ours = |written: Vec<String>| written.iter().eq(lines.iter().copied());
        if ours(csa_lines(&eval, place)) || ours(japanese_lines(&eval, place)) {
            let mut index = 0;
            node.comments.retain(|_| {
                index += 1;
                !used.contains(&(index - 1))
            });
        }
        node.eval = Some(eval);
    }
}

/// The comment lines to write for a node's evaluation, unless its comments already say it.
pub(crate) fn lines_for(
    eval: Option<&Evaluation>,
    comments: &[String],
    place: Place<'_>,
    write: fn(&Evaluation, Place<'_>) -> Vec<String>,
) -> Vec<String> {
    let Some(eval) = eval else { return Vec::new() };
    let said = comments.iter().any(|c| may_be_evaluation(c)) && extract(comments, place).0 == *eval;
    if said { Vec::new() } else { write(eval, place) }
}

fn may_be_evaluation(comment: &str) -> bool {
    comment.starts_with(['*', '#']) || comment.contains("評価値") || comment.contains("読み筋")
}

/// The evaluation the comments tell, and the indices of the lines that told it.
fn extract(comments: &[String], place: Place<'_>) -> (Evaluation, Vec<usize>) {
    let mut eval = Evaluation::default();
    let mut used = Vec::new();
    for (index, comment) in comments.iter().enumerate() {
        let before = eval.clone();
        if let Some(found) = floodgate(comment, place)
            .or_else(|| labelled(comment, place))
            .or_else(|| spaced(comment, place))
            && merge(&mut eval, found)
        {
            used.push(index);
        } else {
            eval = before;
        }
    }
    (eval, used)
}

/// Adds what is new; false if `found` says again what is already known, or nothing.
fn merge(eval: &mut Evaluation, found: Evaluation) -> bool {
    let mate = |s: Option<BlackScore>| matches!(s, Some(BlackScore::Mate { .. }));
    let more_exact = matches!(
        (eval.score, found.score),
        (Some(BlackScore::Mate { winner: a, plies: None }), Some(BlackScore::Mate { winner: b, .. })) if a == b
    ) || (mate(found.score) && !mate(eval.score));
    let again = (eval.score.is_some() && found.score.is_some() && !more_exact)
        || (!eval.pv.is_empty() && !found.pv.is_empty())
        || (!eval.tail.is_empty() && !found.tail.is_empty())
        || (eval.nodes.is_some() && found.nodes.is_some())
        || (eval.depth.is_some() && found.depth.is_some());
    if again || found.is_empty() {
        return false;
    }
    eval.score = found.score.or(eval.score);
    eval.nodes = found.nodes.or(eval.nodes);
    eval.depth = found.depth.or(eval.depth);
    if !found.pv.is_empty() || !found.tail.is_empty() {
        (eval.pv, eval.tail) = (found.pv, found.tail);
    }
    true
}

/// `* 123 -3334FU +2726FU #4567`
fn floodgate(comment: &str, place: Place<'_>) -> Option<Evaluation> {
    let mut words = comment.strip_prefix('*')?.split_ascii_whitespace();
    let score: i32 = words.next()?.parse().ok()?;
    let mut eval = Evaluation { score: Some(floodgate_score(score)), ..Evaluation::default() };
    let mut pos = place.position.without_history();
    let mut tail: Vec<&str> = Vec::new();
    for word in words {
        if let Some(nodes) = word.strip_prefix('#').and_then(|n| n.parse().ok()) {
            eval.nodes = Some(nodes);
            continue;
        }
        match csa::read_move(&pos, word) {
            Ok(m) if tail.is_empty() => {
                pos.play(m);
                eval.pv.push(m);
            }
            _ => tail.push(word),
        }
    }
    eval.tail = tail.join(" ");
    Some(eval)
}

const fn floodgate_score(cp: i32) -> BlackScore {
    match cp {
        FLOODGATE_MATE => BlackScore::Mate { winner: Color::Black, plies: None },
        n if n == -FLOODGATE_MATE => BlackScore::Mate { winner: Color::White, plies: None },
        n => BlackScore::Cp(n),
    }
}

/// `*評価値=123`, `*読み筋=…`, `*詰み=先手勝ち:7手`, `*深さ=20`, `*ノード数=4567` of ShogiHome.
fn labelled(comment: &str, place: Place<'_>) -> Option<Evaluation> {
    let (label, value) = comment.trim_start_matches(['*', '#']).split_once('=')?;
    let mut eval = Evaluation::default();
    match label {
        "評価値" => eval.score = Some(BlackScore::Cp(value.parse().ok()?)),
        "詰み" => eval.score = Some(mate(value)?),
        "読み筋" => {
            (eval.pv, eval.tail) = movetext::read_line(place.position, place.last, value);
        }
        "深さ" => eval.depth = Some(value.parse().ok()?),
        "ノード数" => eval.nodes = Some(value.parse().ok()?),
        _ => return None,
    }
    Some(eval)
}

fn mate(value: &str) -> Option<BlackScore> {
    let (who, plies) = match value.split_once(':') {
        Some((who, n)) => (who, Some(n.strip_suffix('手')?.parse().ok()?)),
        None => (value, None),
    };
    let winner = match who {
        "先手勝ち" => Color::Black,
        "後手勝ち" => Color::White,
        _ => return None,
    };
    Some(BlackScore::Mate { winner, plies })
}

/// `*対局 時間 00:01 深さ 12/20 ノード数 4567 評価値 123 読み筋 △３四歩 …` of ShogiGUI.
fn spaced(comment: &str, place: Place<'_>) -> Option<Evaluation> {
    let text = comment.trim_start_matches('*').trim_start();
    if !text.starts_with("対局") && !text.starts_with("解析") && !comment.starts_with("* ") {
        return None;
    }
    let after = |label: &str| {
        let (_, rest) = text.split_once(&format!(" {label} "))?;
        rest.split([' ', '/']).next()
    };
    let mut eval = Evaluation {
        score: after("評価値").and_then(|v| v.parse().ok()).map(BlackScore::Cp),
        depth: after("深さ").and_then(|v| v.parse().ok()),
        nodes: after("ノード数").and_then(|v| v.parse().ok()),
        ..Evaluation::default()
    };
    eval.score?;
    if let Some((_, line)) = text.split_once(" 読み筋 ") {
        (eval.pv, eval.tail) = movetext::read_line(place.position, place.last, line);
    }
    Some(eval)
}

/// The lines CSA gets: floodgate's line first, then what it has no room for.
pub(crate) fn csa_lines(eval: &Evaluation, place: Place<'_>) -> Vec<String> {
    let (score, exact_mate) = match eval.score {
        Some(BlackScore::Cp(cp)) => (cp, None),
        Some(BlackScore::Mate { winner, plies }) => {
            let sign = if winner == Color::Black { 1 } else { -1 };
            (sign * FLOODGATE_MATE, plies.map(|_| mate_line(eval.score)))
        }
        None => return japanese_lines(eval, place),
    };
    let mut line = format!("* {score}");
    let mut pos = place.position.without_history();
    for &m in &eval.pv {
        line.push(' ');
        line.push_str(&csa::write_move(&pos, m));
        pos.play(m);
    }
    if !eval.tail.is_empty() {
        line.push(' ');
        line.push_str(&eval.tail);
    }
    if let Some(nodes) = eval.nodes {
        line.push_str(&format!(" #{nodes}"));
    }
    let depth = eval.depth.map(|d| format!("*深さ={d}"));
    [Some(line), exact_mate, depth].into_iter().flatten().collect()
}

fn mate_line(score: Option<BlackScore>) -> String {
    let Some(BlackScore::Mate { winner, plies }) = score else { return String::new() };
    let who = if winner == Color::Black { "先手勝ち" } else { "後手勝ち" };
    let count = plies.map_or_else(String::new, |n| format!(":{n}手"));
    format!("*詰み={who}{count}")
}

/// The lines the Japanese formats get.
pub(crate) fn japanese_lines(eval: &Evaluation, place: Place<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    match eval.score {
        Some(BlackScore::Cp(cp)) => lines.push(format!("*評価値={cp}")),
        Some(BlackScore::Mate { .. }) => lines.push(mate_line(eval.score)),
        None => {}
    }
    if !eval.pv.is_empty() || !eval.tail.is_empty() {
        let line = movetext::write_line(place.position, place.last, &eval.pv);
        let gap = if eval.pv.is_empty() || eval.tail.is_empty() { "" } else { " " };
        lines.push(format!("*読み筋={line}{gap}{}", eval.tail));
    }
    lines.extend(eval.depth.map(|d| format!("*深さ={d}")));
    lines.extend(eval.nodes.map(|n| format!("*ノード数={n}")));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game;

    fn check(comments: &[&str]) -> Evaluation {
        let pos = AnyPosition::startpos(Game::Shogi);
        let comments: Vec<String> = comments.iter().map(|&c| c.to_owned()).collect();
        extract(&comments, Place { position: &pos, last: None }).0
    }

    #[test]
    fn all_conventions() {
        let floodgate = check(&["* 123 +7776FU -3334FU %TORYO #4567"]);
        assert_eq!(floodgate.score, Some(BlackScore::Cp(123)));
        assert_eq!((floodgate.pv.len(), floodgate.tail.as_str()), (2, "%TORYO"));
        assert_eq!(floodgate.nodes, Some(4567));
        let home =
            check(&["互角", "*評価値=-5", "*読み筋=▲７六歩△３四歩", "*深さ=9", "*ノード数=7"]);
        assert_eq!((home.score, home.pv.len()), (Some(BlackScore::Cp(-5)), 2));
        assert_eq!((home.depth, home.nodes), (Some(9), Some(7)));
        let gui = check(&[
            "*対局 時間 00:01 深さ 12/20 ノード数 33 評価値 123 読み筋 ▲７六歩(77) △３四歩(33)",
        ]);
        assert_eq!((gui.score, gui.pv.len(), gui.depth), (Some(BlackScore::Cp(123)), 2, Some(12)));
        let mate = check(&["*詰み=後手勝ち:7手"]);
        assert_eq!(mate.score, Some(BlackScore::Mate { winner: Color::White, plies: Some(7) }));
        for nothing in ["評価値は高い", "* hello", "*評価値=", "# 1", ""] {
            assert!(check(&[nothing]).is_empty(), "{nothing}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let pos = AnyPosition::startpos(Game::Shogi);
        let place = Place { position: &pos, last: None };
        let pv = vec![Move::from_usi(Game::Shogi, "7g7f").unwrap()];
        let scores = [
            None,
            Some(BlackScore::Cp(-12)),
            Some(BlackScore::Mate { winner: Color::Black, plies: Some(5) }),
            Some(BlackScore::Mate { winner: Color::White, plies: None }),
        ];
        for score in scores {
            for pv in [Vec::new(), pv.clone()] {
                for tail in ["", "+PASS %TORYO"] {
                    for (nodes, depth) in [(None, None), (Some(3), Some(4)), (None, Some(5))] {
                        let tail = tail.to_owned();
                        let eval = Evaluation { score, pv: pv.clone(), tail, nodes, depth };
                        for write in [csa_lines, japanese_lines] {
                            let lines = write(&eval, place);
                            let (read, used) = extract(&lines, place);
                            assert_eq!(read, eval, "{lines:?}");
                            assert_eq!(used.len(), lines.len());
                        }
                    }
                }
            }
        }
    }
}
