//! What an opening book has to say about the position on the page: every move with its value and counts, whether
//! it would be played, and why not.

use crate::error::{ApiError, ErrorCode};
use crate::notation;
use crate::position;
use crate::score::{self, ScoreView};
use crate::words::{Variant, Words};
use book::choice::{self, Decision, Passed, Policy, Refusal, Verdict};
use book::minimax::MATE;
use book::{Book, BookError, BookMove, Entry, Key, Library};
use rules::{AnyPosition, Move};
use seed::Rng;
use serde::Serialize;
use std::collections::HashMap;
use think::Score;

/// Moves of a book's line that are shown.
const LINE: usize = 8;

/// The books a visitor may look at.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Books {
    pub books: Vec<BookFacts>,
}

/// A book in the list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BookFacts {
    pub book: String,
    pub name: String,
    /// Whether it is the visitor's, who may change it.
    pub own: bool,
    pub variant: Variant,
    /// Positions, where that is known.
    pub positions: Option<u64>,
    /// Whether there is a change that can be undone, or done again.
    pub undo: bool,
    pub redo: bool,
}

/// What a book says of a position.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BookPage {
    pub book: BookFacts,
    /// Whether the book has the position turned by 180 degrees.
    pub flipped: bool,
    /// Why nothing is played from the book here.
    pub passed: Option<Words>,
    /// What the book remarks on the position.
    pub comment: Option<String>,
    pub moves: Vec<BookRow>,
    /// The visitor's own games that came through here, the latest first.
    pub games: Vec<OwnGame>,
}

/// A move of a book.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BookRow {
    #[serde(rename = "move")]
    pub usi: String,
    pub ja: String,
    pub en: String,
    /// From Black's point of view, as everywhere.
    pub score: Option<ScoreView>,
    /// Black's.
    pub winrate: Option<f64>,
    pub depth: u32,
    /// How often it was played; `wins` and `draws` are of whoever played it.
    pub count: u64,
    pub wins: u64,
    pub draws: u64,
    pub comment: Option<String>,
    pub source: Option<String>,
    /// How often it would be played, between 0 and 1; 0 where it is refused.
    pub chance: f64,
    /// Why it would not be played.
    pub refused: Option<Words>,
    /// What is worth saying besides.
    pub remark: Option<Words>,
    /// The book's line from here, this move first.
    pub line: BookLine,
}

/// A line in both notations.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BookLine {
    pub pv: Vec<String>,
    pub ja: Vec<String>,
    pub en: Vec<String>,
}

/// A game of the visitor's that came through a position.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OwnGame {
    pub game: String,
    /// What was played there.
    #[serde(rename = "move")]
    pub usi: String,
    pub ja: String,
    pub en: String,
    pub opponent: Words,
    /// The visitor's result: 1 won, 0 lost, 0.5 drawn; null where the game goes on or has no side of the visitor's.
    pub result: Option<f64>,
    pub updated: i64,
}

impl OwnGame {
    /// The move in both notations.
    #[must_use]
    pub fn with_move(mut self, at: &AnyPosition, m: Move) -> Self {
        self.usi = m.usi(at.game());
        self.ja = notation::japanese(at, position::last(at), m);
        self.en = notation::western(at, m);
        self
    }
}

/// What is wrong with a book, for the page.
#[expect(clippy::needless_pass_by_value, reason = "made for `map_err`")]
pub fn failed(error: BookError) -> ApiError {
    let code = match error {
        BookError::Io(_) | BookError::Interrupted => ErrorCode::Internal,
        BookError::Game { .. } | BookError::Unfit(_) => ErrorCode::BadRequest,
        _ => ErrorCode::Unreadable,
    };
    ApiError::new(code, error.to_string())
}

/// How the moves of a position are chosen: by value, and by how often they were played where nothing has a value.
pub fn policy(entry: Option<&Entry>) -> Policy {
    let valued = entry.is_some_and(|entry| entry.moves.iter().any(|m| m.value.is_some()));
    Policy { by_count: !valued, ..Policy::default() }
}

/// Finds the entry of a key.
pub type Find<'a> = &'a mut dyn FnMut(&Key) -> Result<Option<Entry>, ApiError>;

/// A small book of what lies around a position of a large one: the position, what follows each of its moves, and the
/// line of first moves. Turned positions are looked up too.
pub fn around(name: &str, at: &AnyPosition, find: Find<'_>) -> Result<Library, ApiError> {
    let mut entries: HashMap<Key, Entry> = HashMap::new();
    let mut look = |position: &AnyPosition| -> Result<Vec<Move>, ApiError> {
        let mut moves = Vec::new();
        let twin = book::rotated(position).map_err(failed)?;
        for (turned, position) in [(false, position), (true, &twin)] {
            let key = book::key_of(position).map_err(failed)?;
            if let Some(entry) = find(&key)? {
                let turn = |m: Move| if turned { m.rotated(position.game()) } else { m };
                moves.extend(entry.moves.iter().map(|m| turn(m.mv)));
                entries.insert(key, entry);
            }
        }
        moves.retain(|&m| position.is_legal(m));
        Ok(moves)
    };
    for m in look(at)? {
        let mut line = at.without_history();
        line.play(m);
        for _ in 1..LINE {
            let Some(&next) = look(&line)?.first() else { break };
            line.play(next);
        }
    }
    let entries = entries.into_values();
    Ok(Library::new(vec![Book::of_entries(name, entries)]))
}

/// The page of a book at a position.
pub fn page(
    facts: BookFacts,
    library: &Library,
    at: &AnyPosition,
    scale: f64,
    games: Vec<OwnGame>,
) -> Result<BookPage, ApiError> {
    let found = library.find(at, true).map_err(failed)?;
    let entry = found.as_ref().map(|found| &found.entry);
    let policy = policy(entry);
    let decision = choice::choose(library, at, &policy, &mut Rng::new(0)).map_err(failed)?;
    let comment = entry.and_then(|entry| entry.comment.as_deref()).map(str::to_owned);
    let mut moves = Vec::new();
    for ((m, verdict), chance) in decision.moves.iter().zip(chances(&decision, &policy)) {
        let line = choice::line(library, at, m, LINE, true).map_err(failed)?;
        moves.push(row(at, m, *verdict, chance, &line, scale));
    }
    let flipped = decision.found.is_some_and(|(_, flipped)| flipped);
    Ok(BookPage {
        book: facts,
        flipped,
        passed: decision.passed.as_ref().map(passed_words),
        comment,
        moves,
        games,
    })
}

/// How often each move of a decision is played.
fn chances(decision: &Decision, policy: &Policy) -> Vec<f64> {
    let is_played = |verdict: &Verdict| !matches!(verdict, Verdict::Refused(_));
    let played = || decision.moves.iter().filter(|(_, verdict)| is_played(verdict));
    let counted = policy.by_count && played().any(|(m, _)| m.count > 0);
    let weight = |m: &BookMove| if counted { m.count as f64 } else { 1.0 };
    let total: f64 = played().map(|(m, _)| weight(m)).sum();
    let chance = |(m, verdict): &(BookMove, Verdict)| {
        if is_played(verdict) && total > 0.0 && decision.passed.is_none() {
            score::rounded(weight(m) / total)
        } else {
            0.0
        }
    };
    decision.moves.iter().map(chance).collect()
}

/// The moves a book plays in a position of a game, each with how often.
pub fn weighted(library: &Library, at: &AnyPosition) -> Result<Vec<(Move, f64)>, ApiError> {
    let found = library.find(at, true).map_err(failed)?;
    let policy = policy(found.as_ref().map(|found| &found.entry));
    let decision = choice::choose(library, at, &policy, &mut Rng::new(0)).map_err(failed)?;
    let moves = decision.moves.iter().map(|(m, _)| m.mv).zip(chances(&decision, &policy));
    Ok(moves.filter(|(_, chance)| *chance > 0.0).collect())
}

/// A value of a book as a score; its largest are mates of a length nobody has kept.
pub fn value_score(value: i32) -> Score {
    if value >= MATE {
        Score::Mate(None)
    } else if value <= -MATE {
        Score::Mated(None)
    } else {
        Score::Cp(value)
    }
}

fn row(
    at: &AnyPosition,
    m: &BookMove,
    verdict: Verdict,
    chance: f64,
    line: &[Move],
    scale: f64,
) -> BookRow {
    let game = at.game();
    let (turn, last) = (at.turn(), position::last(at));
    let legal = at.is_legal(m.mv);
    let written = notation::line(at, last, line);
    let usi = m.mv.usi(game);
    let told = |text: Option<&String>| text.cloned().unwrap_or_else(|| usi.clone());
    let (ja, en) = if legal {
        (notation::japanese(at, last, m.mv), notation::western(at, m.mv))
    } else {
        (told(None), told(None))
    };
    let value = m.value.map(value_score);
    BookRow {
        usi,
        ja,
        en,
        score: value.map(|v| score::view(v, turn)),
        winrate: value.map(|v| score::rounded(score::black_wins(v, turn, scale))),
        depth: m.depth,
        count: m.count,
        wins: m.wins,
        draws: m.draws,
        comment: m.comment.as_deref().map(str::to_owned),
        source: m.source.as_deref().map(str::to_owned),
        chance,
        refused: match verdict {
            Verdict::Refused(why) => Some(refusal_words(why)),
            Verdict::Chosen | Verdict::Eligible { .. } => None,
        },
        remark: choice::remark(at, m.mv).map(|en| Words::new(en, "不成。成って損はない手です")),
        line: BookLine { pv: written.usi, ja: written.ja, en: written.en },
    }
}

/// A value in pawns, from Black's side.
fn pawns(value: i32, color: Option<rules::Color>) -> String {
    let value = if color == Some(rules::Color::White) { -value } else { value };
    format!("{value:+}")
}

/// Why a position is not played from a book.
fn passed_words(passed: &Passed) -> Words {
    let ja = match passed {
        Passed::NotInBook => "この局面は定跡にありません".to_owned(),
        Passed::Late { ply, limit } => format!("{ply}手目です。定跡は{limit}手目まで使います"),
        Passed::AtRandom { rate } => format!("{rate}％の局面では定跡を使いません"),
        Passed::OtherPly { book, game } => {
            format!("定跡では{book}手目の局面です（いまは{game}手目）")
        }
        Passed::Shallow { depth, limit } => {
            format!("最初の手の深さは{depth}です（{limit}以上が必要）")
        }
        Passed::NothingLeft => "指せる定跡手がありません".to_owned(),
    };
    let en = match passed {
        Passed::NothingLeft => "none of the book's moves would be played".to_owned(),
        other => other.to_string(),
    };
    Words::new(en, ja)
}

/// Why a move is not played, without the names of options nobody sees here.
fn refusal_words(refusal: Refusal) -> Words {
    let worse = |value: i32, least: i32, color| {
        let (value, least) = (pawns(value, color), pawns(least, color));
        Words::new(
            format!("its value {value} is below the limit of {least}"),
            format!("評価値{value}は下限{least}に届きません"),
        )
    };
    match refusal {
        Refusal::Illegal(why) => Words::new(format!("not legal here: {why}"), "指せない手です"),
        Refusal::PerpetualCheck => Words::new(
            "repeats the position by perpetual check, which loses",
            "連続王手の千日手になります",
        ),
        Refusal::Repetition { times } => Words::new(
            format!("the position would occur {times} times"),
            format!("同じ局面が{times}回になります"),
        ),
        Refusal::Seldom { percent } => Words::new(
            format!("played in {percent} % of the games only"),
            format!("採用率が{percent}％しかありません"),
        ),
        Refusal::WorseThanBest { value, least } => Words::new(
            format!("much worse than the best move ({value} for the mover, at least {least})"),
            format!("最善手よりかなり劣ります（手番側{value}、{least}以上が必要）"),
        ),
        Refusal::BelowLimit { value, least, color } => worse(value, least, Some(color)),
    }
}

/// Facts of a book for messages.
pub fn facts(book: &str, name: &str, own: bool, game: rules::Game) -> BookFacts {
    BookFacts {
        book: book.to_owned(),
        name: name.to_owned(),
        own,
        variant: game.into(),
        positions: None,
        undo: false,
        redo: false,
    }
}

/// A value as the page sends it, Black's, turned to the side to move.
pub const fn value_for(turn: rules::Color, black: i32) -> i32 {
    match turn {
        rules::Color::Black => black,
        rules::Color::White => -black,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game;

    fn entry(at: &AnyPosition, moves: &[(&str, Option<i32>, u64)]) -> Entry {
        let mut entry = Entry::of(at).unwrap();
        entry.moves = moves
            .iter()
            .map(|&(usi, value, count)| BookMove {
                value,
                count,
                wins: count / 2,
                ..BookMove::new(Move::from_usi(at.game(), usi).unwrap())
            })
            .collect();
        entry
    }

    fn after(moves: &[&str]) -> AnyPosition {
        let mut at = AnyPosition::startpos(Game::Shogi);
        for m in moves {
            at.play(at.parse_usi(m).unwrap());
        }
        at
    }

    fn shown(entries: Vec<Entry>, at: &AnyPosition) -> BookPage {
        let library = Library::new(vec![Book::of_entries("b", entries)]);
        let facts = facts("b", "b", true, Game::Shogi);
        page(facts, &library, at, 600.0, Vec::new()).unwrap()
    }

    #[test]
    fn moves_come_with_values_chances_and_reasons() {
        let start = after(&[]);
        let moves = [("7g7f", Some(40), 9), ("2g2f", Some(30), 3), ("9g9f", Some(-90), 1)];
        let page = shown(vec![entry(&start, &moves)], &start);
        let row = &page.moves[0];
        assert_eq!((row.ja.as_str(), row.en.as_str()), ("▲７六歩", "P-7f"));
        assert_eq!((row.score.unwrap().cp, row.count, row.wins), (Some(40), 9, 4));
        assert_eq!(page.moves.iter().map(|m| m.chance).collect::<Vec<_>>(), [0.5, 0.5, 0.0]);
        let why = page.moves[2].refused.as_ref().unwrap();
        assert!(why.en.contains("worse") && why.ja.contains("劣ります"), "{why:?}");
    }

    #[test]
    fn white_sees_blacks_values_and_turned_positions_are_found() {
        let at = after(&["7g7f"]);
        let page = shown(vec![entry(&at, &[("3c3d", Some(-30), 0)])], &at);
        assert_eq!(page.moves[0].score.unwrap().cp, Some(30));
        assert_eq!(page.moves[0].ja, "△３四歩");
        let twin = book::rotated(&after(&[])).unwrap();
        let page = shown(vec![entry(&after(&[]), &[("7g7f", Some(40), 0)])], &twin);
        assert!(page.flipped);
        assert_eq!(
            (page.moves[0].usi.as_str(), page.moves[0].score.unwrap().cp),
            ("3c3d", Some(-40))
        );
    }

    #[test]
    fn a_book_of_games_is_played_by_its_counts() {
        let start = after(&[]);
        let page = shown(vec![entry(&start, &[("7g7f", None, 30), ("2g2f", None, 10)])], &start);
        assert_eq!(page.moves.iter().map(|m| m.chance).collect::<Vec<_>>(), [0.75, 0.25]);
        assert!(page.moves.iter().all(|m| m.score.is_none()));
        let page = shown(Vec::new(), &start);
        assert_eq!(page.passed.unwrap().ja, "この局面は定跡にありません");
    }

    #[test]
    fn what_lies_around_a_position_is_enough_for_its_page() {
        let (start, next) = (after(&[]), after(&["7g7f"]));
        let all: HashMap<Key, Entry> = [
            entry(&start, &[("7g7f", Some(40), 0), ("2g2f", Some(35), 0)]),
            entry(&next, &[("3c3d", Some(-40), 0)]),
        ]
        .into_iter()
        .map(|entry| (entry.key, entry))
        .collect();
        let mut find = |key: &Key| Ok(all.get(key).cloned());
        let library = around("b", &start, &mut find).unwrap();
        let page =
            page(facts("b", "b", true, Game::Shogi), &library, &start, 600.0, Vec::new()).unwrap();
        assert_eq!(page.moves[0].line.en, ["P-7f", "P-3d"]);
        assert_eq!(weighted(&library, &start).unwrap().len(), 2);
    }

    #[test]
    fn mates_have_no_number() {
        assert_eq!(value_score(MATE), Score::Mate(None));
        assert_eq!(value_score(-MATE - 1), Score::Mated(None));
        assert_eq!(value_score(-120), Score::Cp(-120));
    }
}
