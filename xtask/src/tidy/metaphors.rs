//! Trade words instead of metaphors: a name says what the field calls the thing.
//!
//! The words below were used once and made readers guess; docs/glossary.md has those that took
//! their place.

use super::code::{blanked, is_word, lines_with_word};
use super::tree::File;
use super::{Finding, Tree};

/// Types whose names do not say what they are, and what to say instead.
const TYPES: &[(&str, &str)] = &[
    ("Annex", "what it is"),
    ("Arrivals", "Acceptor"),
    ("Asked", "Request, or what is asked for"),
    ("Bait", "Interposition"),
    ("BookShelf", "BookList"),
    ("Bout", "Game"),
    ("Brain", "EngineChoice"),
    ("Crew", "WorkerPool"),
    ("Deed", "TimedAction"),
    ("Desk", "what it holds; TempDir in tests"),
    ("Door", "Accounts"),
    ("Doorkeeper", "GatewayState"),
    ("Ear", "UsiReader"),
    ("Errand", "Task"),
    ("Foreign", "UsiProcess"),
    ("Furniture", "Services"),
    ("GameAsked", "GameRequest"),
    ("Hall", "MatchRunner, ServerLoop or BoardService"),
    ("Harvest", "what is collected"),
    ("Heard", "LastReport"),
    ("Home", "DataFolder"),
    ("Hopes", "what could be found"),
    ("Mind", "EngineHandle"),
    ("Misdeed", "Misbehaviour"),
    ("MoveAsked", "MoveRequest"),
    ("Pile", "Bucket"),
    ("Pulse", "StopCheck"),
    ("Said", "Message, Reply or Record"),
    ("Say", "LogSink, LineOutput or Send"),
    ("Saying", "MessageBody"),
    ("Scribe", "RecordWriter"),
    ("Seam", "what it is"),
    ("Shelf", "IdleEngines"),
    ("Sights", "WatchSources"),
    ("Story", "what it holds"),
    ("Surroundings", "ChildEnvironment"),
    ("Tally", "what is counted"),
    ("Told", "Event, Reply or Reported"),
    ("Trouble", "ApiError"),
    ("Weather", "what it is"),
    ("Wish", "GameSettings"),
];

/// Turns of phrase in any text, and what to say instead. Put together here so that this file
/// passes its own rule.
const PHRASES: &[(&str, &str)] = &[
    (concat!("by ", "lot"), "at random"),
    (concat!("drawn by ", "lots"), "at random"),
    (concat!("the hall has ", "collapsed"), "what broke"),
    (concat!("is not gone ", "on with"), "what cannot be done, and what can"),
    (concat!("to be ", "had"), "what failed and why"),
];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    tree.files.iter().flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    let mut found = Vec::new();
    if matches!(file.extension(), "rs" | "ts" | "tsx" | "py" | "md") {
        for (phrase, better) in PHRASES {
            for line in lines_with_phrase(&file.text, phrase) {
                let message = format!("{phrase:?}: say {better}");
                found.push(Finding::new(&file.path, line, message));
            }
        }
    }
    if file.extension() != "rs" {
        return found;
    }
    let code = blanked(&file.text);
    for (name, better) in TYPES {
        for line in lines_with_word(&code, name) {
            found.push(Finding::new(&file.path, line, format!("{name}: say {better}")));
        }
    }
    let stem = file.name().trim_end_matches(".rs");
    if let Some((name, better)) = TYPES.iter().find(|(name, _)| snake(name) == stem) {
        let message = format!("the module is called after {name}: say {better}");
        found.push(Finding::new(&file.path, 0, message));
    }
    found
}

/// `MoveAsked` as a module is called: `move_asked`.
fn snake(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(c.to_lowercase());
    }
    text
}

/// Lines with the phrase, not inside longer words.
fn lines_with_phrase(text: &str, phrase: &str) -> Vec<usize> {
    let has = |line: &str| {
        line.match_indices(phrase).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + phrase.len()..].chars().next();
            !before.is_some_and(is_word) && !after.is_some_and(is_word)
        })
    };
    text.lines().enumerate().filter(|(_, line)| has(line)).map(|(index, _)| index + 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metaphors_are_found_in_code_and_phrases_in_any_text() {
        let phrase = PHRASES[0].0;
        for (path, text, wrong) in [
            ("a.rs", "struct Desk(u8);".to_owned(), 1),
            ("a.rs", "fn f(x: &Hall) -> Hallway {}".to_owned(), 1),
            ("a.rs", "// the Desk of old".to_owned(), 0),
            ("a.md", "A Desk.".to_owned(), 0),
            ("crates/a/src/scribe.rs", String::new(), 1),
            ("crates/a/src/move_asked.rs", String::new(), 1),
            ("crates/a/src/game.rs", "struct Game;".to_owned(), 0),
            ("a.rs", format!("// chosen {phrase}"), 1),
            ("a.md", format!("chosen {phrase}, then"), 1),
            ("a.md", format!("stand{phrase}s"), 0),
            ("a.csa", phrase.to_owned(), 0),
        ] {
            assert_eq!(check(&Tree::of(&[(path, &text)])).len(), wrong, "{path}: {text}");
        }
    }
}
