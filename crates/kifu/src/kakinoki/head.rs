//! Headers and start position: everything before the first move.

use super::board::{self, Diagram};
use super::words::side;
use crate::error::{Located, Problem};
use crate::headers::{Headers, Key, line_of};
use crate::notation;
use crate::options::Encoding;
use crate::record::Record;
use rules::{AnyPosition, Color, Game, Handicap};

/// The 手合割 of minishogi, as Lishogi writes it.
const MINISHOGI: &str = "5五将棋";

/// What is known before the first move.
#[derive(Default)]
pub(super) struct Head {
    pub(super) headers: Headers,
    pub(super) comments: Vec<String>,
    pub(super) remarks: Vec<String>,
    pub(super) bookmark: Option<String>,
    /// 手合割 and its line.
    handicap: Option<(usize, String)>,
    diagram: Diagram,
    diagram_line: usize,
    /// Whether anything was understood at all.
    pub(super) anything: bool,
}

impl Head {
    /// Takes a line of the head; false if it is none.
    pub(super) fn line(&mut self, number: usize, line: &str) -> Result<bool, Located> {
        let text = line.trim();
        let located = |p: Problem| p.at(number);
        if text.starts_with(['|', '｜']) {
            if self.diagram.is_empty() {
                self.diagram_line = number;
            }
            self.diagram.row(text).map_err(located)?;
        } else if let Some(played) =
            text.strip_prefix("手数＝").or_else(|| text.strip_prefix("手数="))
        {
            let digits: String =
                played.chars().map_while(notation::digit).map(|d| d.to_string()).collect();
            self.diagram.played = digits.parse().unwrap_or(0);
        } else if let Some(turn) = turn(text) {
            self.diagram.turn = Some(turn);
        } else if is_decoration(text) {
            // Borders, file numbers, the line above the moves.
        } else if let Some((name, value)) = split_header(text) {
            match name {
                "手合割" => self.handicap = Some((number, value.to_owned())),
                "先手の持駒" | "下手の持駒" => {
                    self.diagram.hand(Color::Black, value).map_err(located)?;
                }
                "後手の持駒" | "上手の持駒" => {
                    self.diagram.hand(Color::White, value).map_err(located)?;
                }
                name => self.headers.set_line(Key::named(name), value),
            }
        } else {
            return Ok(false);
        }
        self.anything = true;
        Ok(true)
    }

    /// The start position: the diagram if there is one, else the handicap, else an even game.
    pub(super) fn start(&self, game: Option<Game>) -> Result<AnyPosition, Located> {
        if !self.diagram.is_empty() {
            return self.diagram.position().map_err(|p| p.at(self.diagram_line));
        }
        let Some((line, name)) = &self.handicap else {
            return Ok(AnyPosition::startpos(game.unwrap_or_default()));
        };
        if let Some(handicap) = Handicap::from_kanji(name) {
            if handicap == Handicap::Even {
                return Ok(AnyPosition::startpos(game.unwrap_or_default()));
            }
            return AnyPosition::from_sfen(Game::Shogi, &handicap.sfen())
                .map_err(|e| Problem::from(e).at(*line));
        }
        if is_minishogi(name) {
            return Ok(AnyPosition::startpos(Game::Minishogi));
        }
        Err(Problem::Handicap(name.clone()).at(*line))
    }
}

fn is_minishogi(name: &str) -> bool {
    name.replace('５', "5").starts_with("5五")
}

/// `後手番`
fn turn(text: &str) -> Option<Color> {
    match text {
        "先手番" | "下手番" => Some(Color::Black),
        "後手番" | "上手番" => Some(Color::White),
        _ => None,
    }
}

fn is_decoration(text: &str) -> bool {
    let digits = |c: char| c.is_whitespace() || ('１'..='９').contains(&c);
    text.starts_with("+--")
        || text.starts_with("手数--")
        || text.starts_with("盤面回転")
        || (!text.is_empty() && text.chars().all(digits))
}

/// `key：value`; a key has no spaces.
pub(super) fn split_header(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once(['：', ':'])?;
    let plain = !name.is_empty() && !name.contains(char::is_whitespace);
    plain.then_some((name, value.trim()))
}

/// Whether the sides are called 下手 and 上手.
pub(super) fn is_handicap(record: &Record) -> bool {
    record.handicap().is_some_and(|h| h != Handicap::Even)
}

/// The lines before the moves. `version` is the first word: `#KIF` or `#KI2`.
pub(super) fn write(record: &Record, version: &str, encoding: Encoding) -> Vec<String> {
    let handicap = is_handicap(record);
    let mut lines = vec![format!("{version} version=2.0 encoding={}", encoding.name())];
    for (key, value) in record.headers.iter() {
        let name = match key {
            Key::Black => side(Color::Black, handicap),
            Key::White => side(Color::White, handicap),
            key => key.kif(),
        };
        lines.push(format!("{name}：{}", line_of(key, value)));
    }
    let start = record.start();
    let usual = start.ply() == 1;
    match record.handicap() {
        Some(h) if usual => lines.push(format!("手合割：{}", h.kanji())),
        _ if record.game() == Game::Minishogi => {
            lines.push(format!("手合割：{MINISHOGI}"));
            if start.sfen() != AnyPosition::startpos(Game::Minishogi).sfen() {
                lines.extend(board::write(start));
            }
        }
        // No 手合割 beside a diagram: the official その他 makes some readers give up.
        _ => lines.extend(board::write(start)),
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_read_back() {
        let mut list: Vec<(Game, String)> =
            Handicap::ALL.iter().map(|h| (Game::Shogi, h.sfen())).collect();
        for (game, sfen) in [
            (Game::Shogi, "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 37"),
            (Game::Shogi, "3sks3/9/4S4/9/9/+B8/9/9/9 b S2rb4g4n4l18p 1"),
            (Game::Shogi, "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 7"),
            (Game::Minishogi, "rbsgk/4p/5/P4/KGSBR b - 1"),
            (Game::Minishogi, "r1s1k/P3b/1P3/5/K1SBR w 2G 1"),
        ] {
            list.push((game, sfen.to_owned()));
        }
        for (game, sfen) in list {
            let pos = AnyPosition::from_sfen_with(game, &sfen, rules::Kings::Any).unwrap();
            let mut record = Record::new(pos);
            record.headers.set(Key::Black, "甲");
            record.headers.set(Key::White, "乙：丙");
            let mut head = Head::default();
            for (i, line) in write(&record, "#KIF", Encoding::Utf8).iter().enumerate().skip(1) {
                assert!(head.line(i, line).is_ok_and(|taken| taken), "{line}");
            }
            assert_eq!(head.start(None).map(|p| p.sfen()).map_err(|e| e.reason), Ok(sfen));
            assert_eq!(head.headers, record.headers);
        }
    }

    #[test]
    fn bad_heads_say_why() {
        for (lines, want) in [
            (&["手合割：百枚落ち"][..], "unknown handicap"),
            (&["手合割：その他"], "unknown handicap"),
            (&["| ・ ・|一"], "unreadable board line"),
            (&["先手の持駒：二"], "unreadable board line"),
            (&["先手の持駒：玉", "| ・ ・ ・ ・ ・|一"], "rows"),
        ] {
            let mut head = Head::default();
            let read = lines.iter().enumerate().try_for_each(|(i, l)| head.line(i, l).map(|_| ()));
            let error = read.and_then(|()| head.start(None)).unwrap_err().reason.to_string();
            assert!(error.contains(want), "{lines:?}: {error}");
        }
    }
}
