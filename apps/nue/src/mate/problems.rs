//! Problems from the command line, from lines of text and from game records.

use kifu::{Format, ReadOptions};
use rules::{AnyPosition, Game, Kings};
use std::io::Read;
use std::path::Path;

/// A position to solve, or why there is none.
pub(crate) struct Problem {
    /// What the source calls it.
    pub(crate) name: String,
    /// The position.
    pub(crate) position: Result<AnyPosition, String>,
}

/// Everything the arguments name, in order.
pub(crate) fn collect(arguments: &[String], game: Option<Game>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut rest = arguments;
    while let [first, more @ ..] = rest {
        rest = more;
        if first == "-" {
            let mut bytes = Vec::new();
            match std::io::stdin().lock().read_to_end(&mut bytes) {
                Ok(_) => from_file("-", &bytes, game, &mut problems),
                Err(e) => problems.push(bad("-", format!("cannot read: {e}"))),
            }
        } else if first.contains('/') && !Path::new(first).exists() && looks_like_sfen(first) {
            // An SFEN without quotes comes as several arguments.
            let mut text = first.clone();
            while let [next, more @ ..] = rest
                && text.split_ascii_whitespace().count() < 4
                && is_sfen_field(text.split_ascii_whitespace().count(), next)
            {
                text = format!("{text} {next}");
                rest = more;
            }
            problems.push(from_sfen(&text, &text, game));
        } else {
            match std::fs::read(first) {
                Ok(bytes) => from_file(first, &bytes, game, &mut problems),
                Err(e) => problems.push(bad(first, format!("neither an SFEN nor a file: {e}"))),
            }
        }
    }
    problems
}

fn bad(name: &str, why: String) -> Problem {
    Problem { name: name.to_owned(), position: Err(why) }
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

fn from_sfen(name: &str, text: &str, game: Option<Game>) -> Problem {
    let text = text.trim();
    let text = text.strip_prefix("position ").unwrap_or(text);
    let text = text.strip_prefix("sfen ").unwrap_or(text);
    // Boards of five ranks are minishogi.
    let ranks = text.split_ascii_whitespace().next().map_or(0, |b| b.split('/').count());
    let told = if ranks == 5 { Game::Minishogi } else { Game::Shogi };
    let position = AnyPosition::from_sfen_with(game.unwrap_or(told), text, Kings::Any);
    Problem { name: name.to_owned(), position: position.map_err(|e| e.to_string()) }
}

fn from_file(name: &str, bytes: &[u8], game: Option<Game>, problems: &mut Vec<Problem>) {
    let by_name = Format::from_file_name(name).filter(|f| *f != Format::Usi);
    let text = String::from_utf8_lossy(bytes);
    let lines = || text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    let sfens = lines().any(|l| l.split('\t').any(looks_like_sfen));
    if by_name.is_some() || !sfens {
        return from_records(name, bytes, game, problems);
    }
    for (number, line) in text.lines().enumerate() {
        let line = line.trim().trim_start_matches('\u{feff}');
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        let sfen = fields.iter().find(|f| looks_like_sfen(f));
        // The names of the columns.
        if number == 0 && sfen.is_none() && fields.len() > 1 {
            continue;
        }
        let place = format!("{name}:{}", number + 1);
        let title =
            if fields.len() > 1 && !looks_like_sfen(fields[0]) { fields[0] } else { &place };
        let mut problem = from_sfen(title, sfen.unwrap_or(&line), game);
        problem.position = problem.position.map_err(|e| format!("{place}: {e}"));
        problems.push(problem);
    }
}

/// Of a record that begins with a problem its start, of a game its last position.
fn from_records(name: &str, bytes: &[u8], game: Option<Game>, problems: &mut Vec<Problem>) {
    let options = ReadOptions { format: None, game };
    let records = kifu::read(name, bytes, options);
    let several = records.len() > 1;
    for (i, record) in records.into_iter().enumerate() {
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
        problems.push(Problem { name, position });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: &[&str]) -> Vec<(String, bool)> {
        let arguments: Vec<String> = arguments.iter().map(|s| (*s).to_owned()).collect();
        collect(&arguments, None).into_iter().map(|p| (p.name, p.position.is_ok())).collect()
    }

    #[test]
    fn sfens_come_whole_or_in_pieces() {
        let sfen = "4k4/9/4P4/9/9/9/9/9/9 b G 1";
        let pieces: Vec<&str> = sfen.split(' ').collect();
        assert_eq!(names(&[sfen]), [(sfen.to_owned(), true)]);
        assert_eq!(names(&pieces), [(sfen.to_owned(), true)]);
        assert_eq!(names(&[&pieces[..3], &[sfen]].concat()).len(), 2);
        let mini = "4k/5/4G/5/K4 b G 1";
        assert_eq!(names(&[mini, "nowhere.txt"])[1], ("nowhere.txt".to_owned(), false));
    }

    #[test]
    fn lines_have_names_comments_and_errors_of_their_own() {
        let text = "name\tplies\tsfen\n# a comment\none\t1\t4k4/9/4P4/9/9/9/9/9/9 b G 1\n\n\
                    4k4/9/4P4/9/9/9/9/9/9 b G\ntwo\t?\t9/9/9 b - 1\nsfen 4k/5/4G/5/K4 b G 1\n";
        let mut problems = Vec::new();
        from_file("x.tsv", text.as_bytes(), None, &mut problems);
        let got: Vec<_> = problems.iter().map(|p| (p.name.as_str(), p.position.is_ok())).collect();
        assert_eq!(got, [("one", true), ("x.tsv:5", true), ("two", false), ("x.tsv:7", true)]);
        let error = problems[2].position.as_ref().err().unwrap();
        assert!(error.starts_with("x.tsv:6: "), "{error}");
        assert_eq!(problems[3].position.as_ref().unwrap().game(), Game::Minishogi);
    }

    #[test]
    fn of_a_game_the_end_of_a_problem_the_start() {
        let mut problems = Vec::new();
        from_file("g.csa", b"V2.2\nPI\n+\n+7776FU\n-3334FU\n", None, &mut problems);
        assert_eq!(problems[0].position.as_ref().unwrap().ply(), 3);
    }

    proptest::proptest! {
        #[test]
        fn nothing_panics(bytes in proptest::prelude::any::<Vec<u8>>(), text in "[k9/ b\t1-]{0,60}") {
            let mut problems = Vec::new();
            from_file("x", &bytes, None, &mut problems);
            from_file("x.tsv", text.as_bytes(), None, &mut problems);
        }
    }
}
