//! What the opening of a game is called: where the rooks went, and the names the field has for it.

use crate::castle::{self, Castle};
use crate::level::Label;
use crate::words::Words;
use rules::{AnyPosition, Color, Game, Handicap, Kind, Move, Square};
use serde::Serialize;

/// Moves of both sides by which an opening is over.
const OVER: usize = 44;

/// Moves of both sides within which castles are looked for.
const CASTLED: usize = 90;

/// The opening of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Opening"))]
pub struct OpeningView {
    /// The same for the same opening.
    pub id: String,
    pub name: Words,
    pub black: SidePlan,
    pub white: SidePlan,
}

/// What one side built.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SidePlan {
    /// Where its rook went.
    pub rook: Words,
    /// The castle it had longest.
    pub castle: Option<Words>,
}

/// Where a rook went, by its file as its owner sees it.
const ROOKS: [(&str, Label); 9] = [
    ("static", label("static rook", "居飛車")),
    ("static", label("static rook", "居飛車")),
    ("sleeve", label("sleeve rook", "袖飛車")),
    ("right-fourth", label("right fourth-file rook", "右四間飛車")),
    ("central", label("central rook", "中飛車")),
    ("fourth", label("fourth-file rook", "四間飛車")),
    ("third", label("third-file rook", "三間飛車")),
    ("opposing", label("opposing rook", "向かい飛車")),
    ("opposing", label("opposing rook", "向かい飛車")),
];

const fn label(en: &'static str, ja: &'static str) -> Label {
    Label { en, ja }
}

/// What happened in the first moves.
struct OpeningFacts {
    /// The file of each rook, as its owner sees it, when the opening was over.
    rooks: [usize; 2],
    /// A rook took the pawn beside the enemy bishop's line.
    side_pawn: bool,
    /// The ply at which bishops were exchanged, and whether the bishop taken had not moved.
    bishops: Option<(usize, bool)>,
    /// Each side's rook pawn went to its fifth rank or beyond.
    rook_pawns: [bool; 2],
    /// A silver climbed behind its rook pawn.
    climbing: bool,
    /// The side with the central rook kept its bishop's line open.
    open_central: bool,
    /// A rook behind its seventh-file pawn.
    ishida: bool,
    castles: [Option<&'static Castle>; 2],
}

/// A square as its owner sees it.
fn own(color: Color, square: Square) -> (usize, usize) {
    let square = if color == Color::Black { square } else { square.rotated(Game::Shogi) };
    (square.file(Game::Shogi), square.rank(Game::Shogi))
}

/// What stands on a square as a side sees it, if it is its own.
fn stands(position: &AnyPosition, color: Color, file: usize, rank: usize) -> Option<Kind> {
    let square = Square::at(Game::Shogi, file, rank)?;
    let square = if color == Color::Black { square } else { square.rotated(Game::Shogi) };
    let piece = position.piece_at(square);
    piece.kind().filter(|_| piece.is_of(color))
}

const SIDES: [Color; 2] = [Color::Black, Color::White];

impl OpeningFacts {
    fn of(start: &AnyPosition, moves: &[Move]) -> Self {
        let mut facts = Self {
            rooks: [2; 2],
            side_pawn: false,
            bishops: None,
            rook_pawns: [false; 2],
            climbing: false,
            open_central: false,
            ishida: false,
            castles: [None; 2],
        };
        let mut stood = [[0u32; castle::CASTLES.len()]; 2];
        let mut at = start.without_history();
        for (ply, &m) in moves.iter().enumerate().take(CASTLED) {
            if ply < OVER {
                facts.look(&at, ply, m);
            }
            at.play(m);
            for color in SIDES {
                if let Some(found) = castle::of(&at, color)
                    && let Some(number) = castle::CASTLES.iter().position(|c| c == found)
                {
                    stood[color.index()][number] += 1;
                }
                if ply < OVER {
                    facts.ishida |= stands(&at, color, 7, 6) == Some(Kind::Rook)
                        && stands(&at, color, 7, 5) == Some(Kind::Pawn);
                }
            }
        }
        for color in SIDES {
            let counts = stood[color.index()].iter().enumerate();
            let longest = counts.max_by_key(|(number, count)| (**count, usize::MAX - number));
            facts.castles[color.index()] = longest
                .filter(|(_, count)| **count > 0)
                .map(|(number, _)| &castle::CASTLES[number]);
        }
        facts
    }

    /// Takes note of a move before it is played.
    fn look(&mut self, at: &AnyPosition, ply: usize, m: Move) {
        if m.is_drop() {
            return;
        }
        let color = at.turn();
        let side = color.index();
        let Some(kind) = at.piece_at(m.from()).kind() else { return };
        let taken = at.piece_at(m.to()).kind();
        let (file, rank) = own(color, m.to());
        let (from_file, from_rank) = own(color, m.from());
        match kind {
            Kind::Rook if rank == 8 && from_rank == 8 => self.rooks[side] = file,
            Kind::Rook if (file, rank) == (3, 4) && taken == Some(Kind::Pawn) => {
                self.side_pawn = true;
            }
            Kind::Bishop if taken == Some(Kind::Bishop) && self.bishops.is_none() => {
                self.bishops = Some((ply, (file, rank) == (2, 2)));
            }
            Kind::Pawn if file == 2 && rank <= 5 => self.rook_pawns[side] = true,
            Kind::Silver if file <= 2 && rank <= 6 && from_file >= file => self.climbing = true,
            _ => {}
        }
        if kind == Kind::Rook && self.rooks[side] == 5 {
            let advanced = stands(at, color, 7, 6) == Some(Kind::Pawn);
            let open = stands(at, color, 6, 7) == Some(Kind::Pawn);
            self.open_central |= advanced && open;
        }
    }

    const fn ranges(&self, color: Color) -> bool {
        self.rooks[color.index()] >= 5
    }

    fn has(&self, ids: &[&str]) -> bool {
        self.castles.iter().flatten().any(|castle| ids.contains(&castle.id))
    }

    /// The name of the opening, and what it is called in data.
    fn name(&self) -> (String, Words) {
        let plain = |id: &str, en: &str, ja: &str| (id.to_owned(), Words::new(en, ja));
        let (black, white) = (self.ranges(Color::Black), self.ranges(Color::White));
        if black && white {
            return plain("double-ranging", "Double ranging rook", "相振り飛車");
        }
        if black || white {
            let side = if black { Color::Black } else { Color::White };
            let (id, rook) = ROOKS[self.rooks[side.index()] - 1];
            return match id {
                "central" if self.open_central => {
                    plain("gokigen", "Cheerful central rook", "ゴキゲン中飛車")
                }
                "third" if self.ishida => plain("ishida", "Ishida", "石田流"),
                id => (id.to_owned(), capitalized(rook)),
            };
        }
        if self.side_pawn {
            return plain("side-pawn", "Side pawn picker", "横歩取り");
        }
        match self.bishops {
            // By White, who has lost a move by it: the bishop taken had spent none.
            Some((ply, true)) if ply % 2 == 1 && ply <= 14 => {
                return plain("tempo-loss", "Bishop exchange, one turn lost", "一手損角換わり");
            }
            Some((ply, _)) if ply <= 34 => {
                return plain("bishop-exchange", "Bishop exchange", "角換わり");
            }
            _ => {}
        }
        if self.has(&["gangi"]) {
            return plain("gangi", "Snow roof", "雁木");
        }
        if self.has(&["yagura", "full-yagura", "silver-yagura", "half-yagura"]) {
            return plain("yagura", "Yagura", "矢倉");
        }
        if self.rooks.contains(&4) {
            return plain("right-fourth", "Right fourth-file rook", "右四間飛車");
        }
        if self.climbing {
            return plain("climbing-silver", "Climbing silver", "棒銀");
        }
        if self.rook_pawns == [true; 2] {
            return plain("double-wing", "Double wing attack", "相掛かり");
        }
        plain("double-static", "Double static rook", "相居飛車")
    }
}

fn capitalized(label: Label) -> Words {
    let mut en = label.en.to_owned();
    if let Some(first) = en.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    Words::new(en, label.ja)
}

/// The opening of the game that led to a position; `None` where it began somewhere unusual or has hardly begun.
pub fn of(end: &AnyPosition) -> Option<OpeningView> {
    let moves = end.moves_played();
    if end.game() != Game::Shogi || moves.len() < 8 {
        return None;
    }
    let mut start = end.clone();
    for _ in &moves {
        start.undo();
    }
    let handicap = Handicap::from_sfen(&start.sfen())?;
    let facts = OpeningFacts::of(&start, &moves);
    let (id, name) = match handicap {
        Handicap::Even => facts.name(),
        given => (
            format!("handicap-{}", given.name()),
            Words::new(format!("Handicap ({})", given.name()), given.kanji()),
        ),
    };
    let side = |color: Color| SidePlan {
        rook: ROOKS[facts.rooks[color.index()] - 1].1.words(),
        castle: facts.castles[color.index()].map(|castle| castle.name.words()),
    };
    Some(OpeningView { id, name, black: side(Color::Black), white: side(Color::White) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opening(moves: &str) -> Option<OpeningView> {
        let mut position = AnyPosition::startpos(Game::Shogi);
        for text in moves.split(' ') {
            position.play(position.parse_usi(text).unwrap_or_else(|e| panic!("{text}: {e}")));
        }
        of(&position)
    }

    #[test]
    fn openings_have_their_names() {
        for (moves, id, ja) in [
            ("7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 5i6h 5a6b 6h7h 6b7b", "fourth", "四間飛車"),
            ("7g7f 3c3d 7f7e 8b4b 2h7h 5a6b 5i4h 6b7b 4h3h 7b8b", "double-ranging", "相振り飛車"),
            ("7g7f 3c3d 2g2f 5c5d 2f2e 8b5b 4i5h 5d5e 3i4h 2b3c", "gokigen", "ゴキゲン中飛車"),
            ("5g5f 8c8d 2h5h 8d8e 7g7f 6a5b 8h7g 5a4b", "central", "中飛車"),
            ("7g7f 3c3d 7f7e 8c8d 2h7h 8d8e 5i4h 7a6b 7h7f 6a5b", "ishida", "石田流"),
            (
                "7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d 8e8f 8g8f 8b8f 2d3d 2b3c",
                "side-pawn",
                "横歩取り",
            ),
            ("7g7f 3c3d 2g2f 2b8h+ 7i8h 3a2b 3i4h 2b3c 4g4f 4a3b", "tempo-loss", "一手損角換わり"),
            (
                "7g7f 8c8d 2g2f 4a3b 6i7h 8d8e 8h7g 3c3d 7i6h 2b7g+ 6h7g 3a2b 3i4h 2b3c",
                "bishop-exchange",
                "角換わり",
            ),
            ("2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 3i3h 7a7b 9g9f 1c1d", "double-wing", "相掛かり"),
            ("7g7f 8c8d 7i6h 3c3d 6h7g 7a6b 2g2f 3a4b", "double-static", "相居飛車"),
        ] {
            let found = opening(moves).expect(id);
            assert_eq!((found.id.as_str(), found.name.ja.as_str()), (id, ja), "{moves}");
        }
        assert_eq!(opening("7g7f 3c3d"), None, "hardly begun");
    }

    #[test]
    fn castles_are_named_for_both_sides() {
        let moves = "7g7f 3c3d 2g2f 4c4d 3i4h 8b4b 5i6h 5a6b 6h7h 6b7b 5g5f 7b8b 4i5h 7a7b 9g9f 9c9d 2f2e 2b3c";
        let found = opening(moves).unwrap();
        assert_eq!(found.black.castle.map(|c| c.ja).as_deref(), Some("舟囲い"));
        assert_eq!(found.white.castle.map(|c| c.ja).as_deref(), Some("片美濃囲い"));
        assert_eq!(
            (found.black.rook.ja.as_str(), found.white.rook.ja.as_str()),
            ("居飛車", "四間飛車")
        );
    }

    #[test]
    fn handicaps_and_odd_starts() {
        let game = Game::Shogi;
        let start = rules::start_sfen(game, "2").unwrap();
        let mut position = AnyPosition::from_sfen(game, &start).unwrap();
        for text in ["7a6b", "7g7f", "5c5d", "2g2f", "6b5c", "2f2e", "4a3b", "3i4h"] {
            position.play(position.parse_usi(text).unwrap());
        }
        assert_eq!(of(&position).unwrap().id, "handicap-2");
        let mut odd = AnyPosition::from_sfen(game, "4k4/9/9/9/9/9/9/9/4K4 b R 1").unwrap();
        for text in ["5i5h", "5a5b", "5h5i", "5b5a", "5i5h", "5a5b", "5h5g", "5b5a"] {
            odd.play(odd.parse_usi(text).unwrap());
        }
        assert_eq!(of(&odd), None);
    }
}
