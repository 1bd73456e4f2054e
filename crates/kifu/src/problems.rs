//! Positions that somebody set: mate problems from SFENs, from lines of text and from records.

use crate::{Format, ReadOptions, read};
use rules::{AnyPosition, Game, Kings};
use std::ffi::OsString;
use std::io::Read;
use std::path::Path;

/// A position to solve, or why there is none.
#[derive(Clone, Debug)]
pub struct MateProblem {
    /// What the source calls it.
    pub name: String,
    pub position: Result<AnyPosition, String>,
}

impl MateProblem {
    /// A source that holds no problem.
    pub fn unreadable(name: &str, reason: impl Into<String>) -> Self {
        Self { name: name.to_owned(), position: Err(reason.into()) }
    }

    /// The problem an SFEN sets, with or without `position` and `sfen` before it. Boards of five
    /// ranks are minishogi unless a game is named.
    pub fn from_sfen(name: &str, text: &str, game: Option<Game>) -> Self {
        let text = text.trim();
        let text = text.strip_prefix("position ").unwrap_or(text);
        let text = text.strip_prefix("sfen ").unwrap_or(text);
        let ranks = text.split_ascii_whitespace().next().map_or(0, |b| b.split('/').count());
        let told = if ranks == 5 { Game::Minishogi } else { Game::Shogi };
        let position = AnyPosition::from_sfen_with(game.unwrap_or(told), text, Kings::Any);
        Self { name: name.to_owned(), position: position.map_err(|e| e.to_string()) }
    }

    /// All problems of a file: one per line that has an SFEN, or one per record. Of a record that
    /// begins with a problem its start is taken, of a game its last position.
    pub fn from_file(name: &str, bytes: &[u8], game: Option<Game>) -> Vec<Self> {
        let by_name = Format::from_file_name(name).filter(|f| *f != Format::Usi);
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.lines().map(str::trim).filter(|l| !is_remark(l));
        let sfens = lines.any(|l| l.split('\t').any(looks_like_sfen));
        if by_name.is_some() || !sfens {
            return from_records(name, bytes, game);
        }
        text.lines().enumerate().filter_map(|(i, line)| from_line(name, i, line, game)).collect()
    }

    /// Everything that words name, in order: SFENs, files, and `-` for `input`. What is none of them is
    /// among the problems too, with the reason.
    pub fn collect(words: &[OsString], game: Option<Game>, input: &mut dyn Read) -> Vec<Self> {
        let mut problems = Vec::new();
        let mut rest = words;
        while let [first, more @ ..] = rest {
            let is_input = first == "-";
            if !is_input
                && !Path::new(first).exists()
                && let Some(sfen) = take_sfen(&mut rest)
            {
                problems.push(Self::from_sfen(&sfen, &sfen, game));
                continue;
            }
            rest = more;
            let mut bytes = Vec::new();
            let read = match is_input {
                true => input.read_to_end(&mut bytes).map(|_| bytes),
                false => std::fs::read(first),
            };
            let name = first.to_string_lossy();
            match read {
                Ok(bytes) => problems.extend(Self::from_file(&name, &bytes, game)),
                Err(e) if is_input => {
                    problems.push(Self::unreadable(&name, format!("cannot read: {e}")));
                }
                Err(e) => {
                    let reason = format!("neither an SFEN nor a file: {e}");
                    problems.push(Self::unreadable(&name, reason));
                }
            }
        }
        problems
    }
}

/// Takes the words of an SFEN from the front of a list: without quotes it comes as several
/// arguments. `None` if the first word does not look like a board.
fn take_sfen(words: &mut &[OsString]) -> Option<String> {
    let (first, mut rest) = words.split_first()?;
    let mut text = first.to_str().filter(|text| looks_like_sfen(text))?.to_owned();
    while let [next, more @ ..] = rest
        && let fields = text.split_ascii_whitespace().count()
        && fields < 4
        && let Some(next) = next.to_str().filter(|word| is_sfen_field(fields, word))
    {
        text = format!("{text} {next}");
        rest = more;
    }
    *words = rest;
    Some(text)
}

/// Whether a text begins like a board of either size.
fn looks_like_sfen(text: &str) -> bool {
    let text = text.trim_start_matches("position ").trim_start_matches("sfen ");
    let board = text.split_ascii_whitespace().next().unwrap_or("");
    let ranks = board.split('/').count();
    (ranks == 9 || ranks == 5)
        && board.chars().all(|c| c.is_ascii_digit() || "/+PLNSGBRKplnsgbrk".contains(c))
}

/// Whether a word can be that field of an SFEN (1 is the side to move).
fn is_sfen_field(number: usize, word: &str) -> bool {
    match number {
        1 => matches!(word, "b" | "w"),
        2 => word == "-" || word.chars().all(|c| c.is_ascii_alphanumeric()),
        _ => word.parse::<u32>().is_ok(),
    }
}

/// An empty line or a comment.
fn is_remark(line: &str) -> bool {
    line.is_empty() || line.starts_with('#')
}

fn from_line(name: &str, index: usize, line: &str, game: Option<Game>) -> Option<MateProblem> {
    let line = line.trim().trim_start_matches('\u{feff}');
    if is_remark(line) {
        return None;
    }
    let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
    let sfen = fields.iter().find(|f| looks_like_sfen(f));
    // The names of the columns.
    if index == 0 && sfen.is_none() && fields.len() > 1 {
        return None;
    }
    let place = format!("{name}:{}", index + 1);
    let title = if fields.len() > 1 && !looks_like_sfen(fields[0]) { fields[0] } else { &place };
    let mut problem = MateProblem::from_sfen(title, sfen.unwrap_or(&line), game);
    problem.position = problem.position.map_err(|e| format!("{place}: {e}"));
    Some(problem)
}

fn from_records(name: &str, bytes: &[u8], game: Option<Game>) -> Vec<MateProblem> {
    let records = read(name, bytes, ReadOptions { format: None, game });
    let several = records.len() > 1;
    let problem = |(i, record): (usize, Result<crate::Record, crate::ReadError>)| {
        let name = if several { format!("{name} ({})", i + 1) } else { name.to_owned() };
        let position = record.map_err(|e| e.to_string()).map(|record| {
            let mut position = record.start().clone();
            let usual =
                position == AnyPosition::startpos(position.game()) || record.handicap().is_some();
            if usual {
                for m in record.moves() {
                    position.play(m);
                }
            }
            position
        });
        MateProblem { name, position }
    };
    records.into_iter().enumerate().map(problem).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sfens_come_whole_or_in_pieces() {
        let sfen = "4k4/9/4P4/9/9/9/9/9/9 b G 1";
        let words: Vec<OsString> = sfen.split(' ').map(OsString::from).collect();
        let taken = |words: &[OsString]| {
            let mut rest = words;
            (take_sfen(&mut rest), rest.len())
        };
        assert_eq!(taken(&[sfen.into()]), (Some(sfen.to_owned()), 0));
        assert_eq!(taken(&words), (Some(sfen.to_owned()), 0));
        let next = [&words[..3], &[sfen.into()]].concat();
        assert_eq!(taken(&next), (Some("4k4/9/4P4/9/9/9/9/9/9 b G".to_owned()), 1));
        assert_eq!(taken(&["nowhere.txt".into()]), (None, 1));
        assert!(MateProblem::from_sfen("x", "4k/5/4G/5/K4 b G 1", None).position.is_ok());
    }

    #[test]
    fn words_are_sfens_files_or_the_input() {
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join("two.txt");
        let sfen = "4k4/9/4P4/9/9/9/9/9/9 b G 1";
        std::fs::write(&file, format!("{sfen}\n{sfen}\n")).unwrap();
        let mut words: Vec<OsString> = sfen.split(' ').map(OsString::from).collect();
        words.extend([file.into_os_string(), "nowhere.txt".into(), "-".into()]);
        let mut input = format!("{sfen}\n").into_bytes();
        input.extend(b"no SFEN\n");
        let problems = MateProblem::collect(&words, None, &mut &*input);
        let whole: Vec<bool> = problems.iter().map(|p| p.position.is_ok()).collect();
        assert_eq!(whole, [true, true, true, false, true, false]);
        assert_eq!((&*problems[0].name, &*problems[3].name), (sfen, "nowhere.txt"));
    }

    /// A file whose name is no text is read like any other.
    #[cfg(unix)]
    #[test]
    fn names_need_not_be_text() {
        use std::os::unix::ffi::OsStringExt;
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join(OsString::from_vec(b"mate\xff.txt".to_vec()));
        std::fs::write(&file, "4k4/9/4P4/9/9/9/9/9/9 b G 1\n").unwrap();
        let problems = MateProblem::collect(&[file.into_os_string()], None, &mut std::io::empty());
        assert!(problems.len() == 1 && problems[0].position.is_ok(), "{problems:?}");
    }

    #[test]
    fn lines_have_names_comments_and_errors_of_their_own() {
        let text = "name\tplies\tsfen\n# a comment\none\t1\t4k4/9/4P4/9/9/9/9/9/9 b G 1\n\n\
                    4k4/9/4P4/9/9/9/9/9/9 b G\ntwo\t?\t9/9/9 b - 1\nsfen 4k/5/4G/5/K4 b G 1\n";
        let problems = MateProblem::from_file("x.tsv", text.as_bytes(), None);
        let got: Vec<_> = problems.iter().map(|p| (p.name.as_str(), p.position.is_ok())).collect();
        assert_eq!(got, [("one", true), ("x.tsv:5", true), ("two", false), ("x.tsv:7", true)]);
        let error = problems[2].position.as_ref().err().unwrap();
        assert!(error.starts_with("x.tsv:6: "), "{error}");
        assert_eq!(problems[3].position.as_ref().unwrap().game(), Game::Minishogi);
    }

    #[test]
    fn of_a_game_the_end_of_a_problem_the_start() {
        let record = b"V2.2\nPI\n+\n+7776FU\n-3334FU\n";
        let problems = MateProblem::from_file("g.csa", record, None);
        assert_eq!(problems[0].position.as_ref().unwrap().ply(), 3);
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(bytes in proptest::prelude::any::<Vec<u8>>(), text in "[k9/ b\t1-]{0,60}") {
            let _ = MateProblem::from_file("x", &bytes, None);
            let _ = MateProblem::from_file("x.tsv", text.as_bytes(), None);
        }
    }
}
