//! Words for endings: on a numbered line of KIF (`投了`), and in the sentence that closes a line
//! (`まで98手で後手の勝ち`).

use crate::movetext;
use crate::termination::Termination;
use rules::{Color, Game};

/// The ending of a word on a numbered line; an unknown word is kept.
pub(super) fn ending(word: &str, turn: Color) -> Termination {
    match word {
        "投了" => Termination::Resign,
        "中断" => Termination::Interrupted,
        "持将棋" => Termination::Impasse,
        "千日手" => Termination::Repetition,
        "詰み" | "詰" => Termination::Mate,
        "不詰" | "不詰み" => Termination::NoMate,
        "切れ負け" | "時間切れ" => Termination::TimeUp,
        "反則負け" => Termination::IllegalMove(None),
        "反則勝ち" => Termination::IllegalAction(turn.opponent()),
        "入玉勝ち" | "宣言勝ち" | "入玉宣言" => Termination::Declaration,
        "不戦勝" | "不戦勝ち" => Termination::DefaultWin,
        "不戦敗" | "不戦負け" => Termination::DefaultLoss,
        "封じ手" => Termination::Sealed,
        "引き分け" | "引分け" | "引分" => Termination::Draw,
        "最大手数" => Termination::MaxMoves,
        "待った" => Termination::TakenBack,
        "エラー" => Termination::Error,
        other => Termination::other(other),
    }
}

/// The word nearest to an ending among those every program knows.
pub(super) fn word(end: &Termination, turn: Color, game: Game) -> String {
    let foul = |loser: Color| if loser == turn { "反則負け" } else { "反則勝ち" };
    let text = match end {
        Termination::Resign => "投了",
        Termination::Repetition => "千日手",
        Termination::Impasse | Termination::Draw | Termination::MaxMoves => "持将棋",
        Termination::Mate => "詰み",
        Termination::NoMate => "不詰",
        Termination::TimeUp => "切れ負け",
        Termination::IllegalMove(_) => "反則負け",
        Termination::PerpetualCheck(loser)
        | Termination::IllegalAction(loser)
        | Termination::Abandoned(Some(loser)) => foul(*loser),
        Termination::Won(winner) if *winner == turn => "反則勝ち",
        Termination::Won(_) => "投了",
        Termination::Declaration => "入玉勝ち",
        Termination::DefaultWin => "不戦勝",
        Termination::DefaultLoss => "不戦敗",
        Termination::Sealed => "封じ手",
        Termination::Other(text) if stands_alone(text, turn, game) => text,
        Termination::Interrupted
        | Termination::TakenBack
        | Termination::Error
        | Termination::Abandoned(None)
        | Termination::Other(_) => "中断",
    };
    text.to_owned()
}

/// Whether an unknown word can be written on a numbered line and read back as itself.
fn stands_alone(text: &str, turn: Color, game: Game) -> bool {
    let plain = |c: char| c.is_alphanumeric() || c == 'ー';
    !text.is_empty()
        && text.chars().all(plain)
        && !movetext::looks_like_a_move(game, text)
        && ending(text, turn) == Termination::Other(text.to_owned())
}

/// The names of the two sides.
pub(super) const fn side(color: Color, handicap: bool) -> &'static str {
    match (color, handicap) {
        (Color::Black, false) => "先手",
        (Color::White, false) => "後手",
        (Color::Black, true) => "下手",
        (Color::White, true) => "上手",
    }
}

/// The side a text begins with, and what follows.
fn split_side(text: &str) -> Option<(Color, &str)> {
    let names = [("先手", 0), ("下手", 0), ("後手", 1), ("上手", 1)];
    names.iter().find_map(|&(name, index)| {
        Some((Color::BOTH[index], text.strip_prefix(name)?.trim_start_matches('の')))
    })
}

/// The sentence that closes a line of `count` moves.
pub(super) fn sentence(
    end: &Termination,
    turn: Color,
    count: u32,
    handicap: bool,
    game: Game,
) -> String {
    let (next, last) = (side(turn, handicap), side(turn.opponent(), handicap));
    let text = match word(end, turn, game).as_str() {
        "投了" => format!("{last}の勝ち"),
        "切れ負け" => format!("時間切れにより{last}の勝ち"),
        "反則負け" => format!("{next}の反則負け"),
        "反則勝ち" => format!("{next}の反則勝ち"),
        "入玉勝ち" => format!("{next}の入玉勝ち"),
        "詰み" => return format!("まで{count}手詰"),
        other => other.to_owned(),
    };
    format!("まで{count}手で{text}")
}

/// The ending such a sentence tells.
pub(super) fn read_sentence(text: &str, turn: Color) -> Option<Termination> {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let rest = text.strip_prefix("まで")?.trim_start_matches(['、', '，']);
    let rest = rest.trim_start_matches(|c: char| crate::notation::digit(c).is_some());
    let rest = rest.strip_prefix('手').unwrap_or(rest).trim_start_matches('で');
    let (in_time, rest) = match rest.strip_prefix("時間切れにより") {
        Some(rest) => (false, rest),
        None => (true, rest),
    };
    if let Some((color, what)) = split_side(rest) {
        return Some(match what {
            "反則負け" if color == turn => Termination::IllegalMove(None),
            "反則負け" => Termination::IllegalAction(color),
            "反則勝ち" if color == turn => Termination::IllegalAction(turn.opponent()),
            "反則勝ち" => Termination::IllegalMove(None),
            "入玉勝ち" if color == turn => Termination::Declaration,
            "勝ち" if color != turn && in_time => Termination::Resign,
            "勝ち" if color != turn => Termination::TimeUp,
            "勝ち" | "入玉勝ち" => Termination::Won(color),
            _ => Termination::other(rest),
        });
    }
    (!rest.is_empty()).then(|| ending(rest, turn))
}

#[cfg(test)]
mod tests {
    use super::*;
    use play::Outcome;

    #[test]
    fn words_and_sentences_keep_the_winner() {
        for end in Termination::samples() {
            for turn in Color::BOTH {
                let text = word(&end, turn, Game::Shogi);
                assert_eq!(ending(&text, turn).outcome(turn), end.outcome(turn), "{end:?} {turn}");
                for handicap in [false, true] {
                    let text = sentence(&end, turn, 12, handicap, Game::Shogi);
                    let read = read_sentence(&text, turn).unwrap();
                    assert_eq!(read.outcome(turn), end.outcome(turn), "{text}");
                }
            }
        }
    }

    #[test]
    fn sentences_of_real_files() {
        use Color::{Black, White};
        for (text, turn, want) in [
            ("まで98手で後手の勝ち", Black, Termination::Resign),
            ("まで98手で先手の勝ち", Black, Termination::Won(Black)),
            ("まで3手で時間切れにより先手の勝ち", White, Termination::TimeUp),
            ("まで2手で先手の反則負け", Black, Termination::IllegalMove(None)),
            ("まで2手で先手の反則勝ち", Black, Termination::IllegalAction(White)),
            ("まで61手詰", White, Termination::Mate),
            ("まで3手で詰", White, Termination::Mate),
            ("まで3手で不詰", White, Termination::NoMate),
            ("まで25手で中断", White, Termination::Interrupted),
            ("まで、52手で封じ手", Black, Termination::Sealed),
            ("まで 10 手で千日手", Black, Termination::Repetition),
        ] {
            assert_eq!(read_sentence(text, turn), Some(want), "{text}");
        }
        assert_eq!(read_sentence("まで10手", Black), None);
        assert_eq!(ending("持将棋", Black).outcome(Black), Outcome::Draw);
    }
}
