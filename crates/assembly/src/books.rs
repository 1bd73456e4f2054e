//! Opening books in play: the options of the field, and moves played without thinking.
//!
//! A book answers in games only: not while a search is infinite, looks for a mate or is told which
//! moves to look at, and not in analysis. While the opponent thinks there is a search also where the
//! book knows the position; the book's move is played when it is our turn.

use alphabeta::options::ANALYSIS_MODE;
use book::choice::{self, Decision, Policy};
use book::{Book, BookError, Library, overlays, small};
use rules::{AnyPosition, Game};
use seed::Rng;
use std::path::{Path, PathBuf};
use std::thread;
use think::{
    Answer, Best, Bound, Control, Info, Limits, MateAnswer, OptionKey, OptionSpec, Report, Score,
    Settings,
};

/// The value of [`BOOK_FILE`] that asks for no book.
pub const NO_BOOK: &str = "no_book";
/// What separates files laid over each other.
const SEPARATOR: char = ';';

/// The master switch.
pub const OWN_BOOK: OptionKey<bool> =
    OptionKey::check("USI_OwnBook", true, "Play from the book named by BookFile.");

pub const BOOK_FILE: OptionKey<String> = OptionKey::filename(
    "BookFile",
    NO_BOOK,
    "The book: a file (nbk, db, ybb, bin, sbk), \"small_book\" for the one inside the executable, or \"no_book\" for none. Several separated by semicolons lie over each other, the first that knows a \
     position answers; so do patches X-000.db, X-001.db, … beside X.db.",
);

pub const BOOK_DIR: OptionKey<String> =
    OptionKey::text("BookDir", "book", "The folder of books that are named without one.");

/// How long it is used.
pub const BOOK_MOVES: OptionKey<u32> =
    OptionKey::spin("BookMoves", 200, 0, 10_000, "The last move of the game played from the book.");

/// How often it is passed over.
pub const BOOK_IGNORE_RATE: OptionKey<u32> = OptionKey::spin(
    "BookIgnoreRate",
    0,
    0,
    100,
    "Percent of positions in which the book is passed over.",
);

/// How much worse than the best a move may be.
pub const BOOK_EVAL_DIFF: OptionKey<i32> = OptionKey::spin(
    "BookEvalDiff",
    30,
    0,
    99_999,
    "How much worse than the best one a move of the book may be, in hundredths of a pawn.",
);

/// The least value for Black.
pub const BOOK_EVAL_BLACK_LIMIT: OptionKey<i32> = OptionKey::spin(
    "BookEvalBlackLimit",
    -100,
    -99_999,
    99_999,
    "The least value a move of the book may have when we play Black.",
);

/// The least value for White.
pub const BOOK_EVAL_WHITE_LIMIT: OptionKey<i32> = OptionKey::spin(
    "BookEvalWhiteLimit",
    -200,
    -99_999,
    99_999,
    "The least value a move of the book may have when we play White.",
);

/// The least depth.
pub const BOOK_DEPTH_LIMIT: OptionKey<u32> = OptionKey::spin(
    "BookDepthLimit",
    0,
    0,
    99_999,
    "The least depth of the first move of a position; with less the position is passed over. Books \
     made by propagation and books of games have small depths or none.",
);

/// Whether a text book stays on disk.
pub const BOOK_ON_THE_FLY: OptionKey<bool> = OptionKey::check(
    "BookOnTheFly",
    false,
    "Search a text book (db, which must be sorted) where it lies instead of loading it; nbk, ybb and bin \
     always are, sbk never.",
);

/// Whether counts decide.
pub const CONSIDER_BOOK_MOVE_COUNT: OptionKey<bool> = OptionKey::check(
    "ConsiderBookMoveCount",
    false,
    "Choose among the moves left by how often they were played, instead of all alike.",
);

/// Whether seldom moves are passed over.
pub const NARROW_BOOK: OptionKey<bool> = OptionKey::check(
    "NarrowBook",
    false,
    "Pass over moves that were played in less than a tenth of the games.",
);

/// How long lines of the book are told.
pub const BOOK_PV_MOVES: OptionKey<usize> =
    OptionKey::spin("BookPvMoves", 8, 1, 246, "How many moves of the book's lines are reported.");

/// Whether move numbers count.
pub const IGNORE_BOOK_PLY: OptionKey<bool> = OptionKey::check(
    "IgnoreBookPly",
    true,
    "Take positions of the book whatever the number of the move.",
);

/// Whether twins are looked up.
pub const FLIPPED_BOOK: OptionKey<bool> = OptionKey::check(
    "FlippedBook",
    true,
    "Also look positions up turned by 180 degrees with colours swapped.",
);

/// The options of books.
pub(crate) fn specs() -> Vec<OptionSpec> {
    vec![
        OWN_BOOK.spec(),
        BOOK_FILE.spec(),
        BOOK_DIR.spec(),
        BOOK_MOVES.spec(),
        BOOK_IGNORE_RATE.spec(),
        BOOK_EVAL_DIFF.spec(),
        BOOK_EVAL_BLACK_LIMIT.spec(),
        BOOK_EVAL_WHITE_LIMIT.spec(),
        BOOK_DEPTH_LIMIT.spec(),
        BOOK_ON_THE_FLY.spec(),
        CONSIDER_BOOK_MOVE_COUNT.spec(),
        NARROW_BOOK.spec(),
        BOOK_PV_MOVES.spec(),
        IGNORE_BOOK_PLY.spec(),
        FLIPPED_BOOK.spec(),
    ]
}

/// What the options ask of a book's moves.
pub(crate) fn policy(settings: &Settings) -> Policy {
    Policy {
        book_moves: settings.get(&BOOK_MOVES),
        ignore_rate: settings.get(&BOOK_IGNORE_RATE),
        eval_diff: settings.get(&BOOK_EVAL_DIFF),
        eval_limit: [settings.get(&BOOK_EVAL_BLACK_LIMIT), settings.get(&BOOK_EVAL_WHITE_LIMIT)],
        depth_limit: settings.get(&BOOK_DEPTH_LIMIT),
        by_count: settings.get(&CONSIDER_BOOK_MOVE_COUNT),
        narrow: settings.get(&NARROW_BOOK),
        ignore_ply: settings.get(&IGNORE_BOOK_PLY),
        flipped: settings.get(&FLIPPED_BOOK),
    }
}

/// What options given as `NAME=VALUE` ask of a book's moves; the rest have their defaults.
pub fn policy_of(options: &[String]) -> Result<Policy, String> {
    let mut settings = Settings::new(specs());
    for option in options {
        let (name, value) =
            option.split_once('=').ok_or_else(|| format!("{option:?} is not NAME=VALUE"))?;
        settings.set(name, value).map_err(|error| error.to_string())?;
    }
    Ok(policy(&settings))
}

/// What was loaded last: names, folder, and whether it stayed on disk.
type Wanted = (String, String, bool);

/// The books of an engine.
#[derive(Default)]
pub(crate) struct Books {
    library: Library,
    tried: Option<Wanted>,
    rng: Option<Rng>,
}

impl Books {
    /// Opens what the options name, if it is something else than was tried last.
    pub(crate) fn load(&mut self, game: Game, settings: &Settings, note: &mut dyn FnMut(&str)) {
        let wanted =
            (settings.get(&BOOK_FILE), settings.get(&BOOK_DIR), settings.get(&BOOK_ON_THE_FLY));
        if !settings.get(&OWN_BOOK) || self.tried.as_ref() == Some(&wanted) {
            return;
        }
        let (books, complaints) = open(game, &wanted);
        for complaint in complaints {
            note(&format!("book: {complaint}"));
        }
        self.library = Library::new(books);
        let names: Vec<&str> = self.library.names().collect();
        if !names.is_empty() {
            note(&format!("book: {}", names.join(", ")));
        }
        self.tried = Some(wanted);
    }

    /// What the book has to say about a position, if it is asked at all.
    pub(crate) fn decide(
        &mut self,
        position: &AnyPosition,
        limits: &Limits,
        settings: &Settings,
        analysing: bool,
        seed: u64,
    ) -> Option<Result<Decision, BookError>> {
        let asked = settings.get(&OWN_BOOK)
            && !analysing
            && !limits.infinite
            && limits.mate.is_none()
            && limits.searchmoves.is_empty();
        if !asked || self.library.is_empty() {
            return None;
        }
        let rng = self.rng.get_or_insert_with(|| Rng::new(seed));
        Some(choice::choose(&self.library, position, &policy(settings), rng))
    }

    /// Says what the book knows, move by move, and gives back the line of the move it chose. `seen` is what
    /// lines have in common: the time, and the score of moves without a value.
    pub(crate) fn tell(
        &self,
        position: &AnyPosition,
        decision: &Decision,
        settings: &Settings,
        seen: &Info,
        report: &mut dyn Report,
    ) -> Option<Info> {
        for text in sentences(position, decision) {
            report.note(&text);
        }
        let plies = settings.get(&BOOK_PV_MOVES);
        let flipped = settings.get(&FLIPPED_BOOK);
        let legal = decision.moves.iter().filter(|(m, _)| position.is_legal(m.mv));
        let mut chosen = None;
        for (index, (m, _)) in legal.enumerate() {
            let line = choice::line(&self.library, position, m, plies, flipped);
            let info = Info {
                depth: Some(m.depth),
                multipv: Some(index as u32 + 1),
                score: m.value.map(|value| (Score::Cp(value), Bound::Exact)).or(seen.score),
                // Nothing was read for it.
                nodes: Some(0),
                nps: Some(0),
                hashfull: Some(0),
                pv: line.unwrap_or_else(|_| vec![m.mv]),
                ..seen.clone()
            };
            report.info(&info);
            if decision.chosen.as_ref().is_some_and(|(best, _)| best.mv == m.mv) {
                chosen = Some(info);
            }
        }
        chosen
    }
}

/// Why each move was taken or refused, in words.
pub fn sentences(position: &AnyPosition, decision: &Decision) -> Vec<String> {
    let mut sentences = Vec::new();
    if let Some(passed) = &decision.passed {
        sentences.push(format!("book: {passed}"));
    }
    if let Some((name, flipped)) = &decision.found {
        let turned = if *flipped { ", turned by 180 degrees" } else { "" };
        sentences.push(format!("book: found in {name}{turned}"));
    }
    for (m, verdict) in &decision.moves {
        let value = m.value.map_or("no value".to_owned(), |value| format!("value {value}"));
        let remark = choice::remark(position, m.mv);
        let remark = remark.map_or(String::new(), |remark| format!("; {remark}"));
        let mv = m.mv.usi(position.game());
        sentences.push(format!(
            "book: {mv} ({value}, depth {}, count {}) {verdict}{remark}",
            m.depth, m.count
        ));
    }
    sentences
}

/// The answer of a decision.
pub(crate) fn best(decision: &Decision) -> Option<Best> {
    let (m, ponder) = decision.chosen.as_ref()?;
    Some(Best { answer: Answer::Move(m.mv), ponder: *ponder })
}

/// Opens the files that a name stands for.
fn open(game: Game, (names, folder, on_the_fly): &Wanted) -> (Vec<Book>, Vec<String>) {
    let (mut books, mut complaints) = (Vec::new(), Vec::new());
    for name in names.split(SEPARATOR).map(str::trim).filter(|name| !name.is_empty()) {
        if name == NO_BOOK || name == "<empty>" {
            continue;
        }
        if name == small::NAME {
            books.extend(small::book(game));
            continue;
        }
        for path in overlays(&find(name, folder)) {
            match Book::open(&path, game, *on_the_fly) {
                Ok(book) => books.push(book),
                Err(error) => complaints.push(format!("{}: {error}", path.display())),
            }
        }
    }
    (books, complaints)
}

/// Where a book lies: as named, in its folder, or in that folder beside the executable.
fn find(name: &str, folder: &str) -> PathBuf {
    let named = PathBuf::from(name);
    if named.is_absolute() {
        return named;
    }
    let inside = Path::new(folder).join(name);
    let executable = std::env::current_exe().ok();
    let beside = executable.as_deref().and_then(Path::parent).map(|parent| parent.join(&inside));
    let is_there = |path: &PathBuf| overlays(path).iter().any(|path| path.is_file());
    if is_there(&inside) {
        return inside;
    }
    match beside.filter(is_there) {
        Some(beside) => beside,
        None if named.is_file() => named,
        None => inside,
    }
}

/// A search on the opponent's time in a position whose move the book knows: when the opponent plays what
/// was expected, the book's move is the answer.
pub(crate) struct Pondering {
    pub(crate) report: Box<dyn Report>,
    pub(crate) best: Best,
    /// What the book said of that move: told again before it, because the search has told its own lines since.
    pub(crate) line: Option<Info>,
}

/// Ends a search on the opponent's time as soon as it is our turn: nothing is left to think about.
pub(crate) fn end_at_our_turn(control: Control) {
    let wait = move || {
        control.wait_until_answerable(false);
        control.stop();
    };
    // Without the thread the move is played a little later, when the search ends by itself.
    let _ = thread::Builder::new().name("book".to_owned()).spawn(wait);
}

impl Report for Pondering {
    fn info(&mut self, info: &Info) {
        self.report.info(info);
    }

    fn note(&mut self, text: &str) {
        self.report.note(text);
    }

    fn best(&mut self, _: &Best) {
        if let Some(line) = &self.line {
            self.report.info(&Info { multipv: None, ..line.clone() });
        }
        self.report.best(&self.best);
    }

    fn mate(&mut self, answer: &MateAnswer) {
        self.report.mate(answer);
    }
}

/// Whether an option says that positions are analysed, not played.
pub(crate) fn is_analysis(known: &Settings) -> bool {
    known.get(&ANALYSIS_MODE)
}

#[cfg(test)]
mod tests;
