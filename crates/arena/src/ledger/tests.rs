use super::*;
use rules::{AnyPosition, Game};
use serde_json::json;
use std::fs;
use tempfile::TempDir;

/// A folder of its own for each test, removed at the end.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn games(&self) -> PathBuf {
        self.0.path().join("games.csa")
    }
}

fn entry(game: u64) -> Entry {
    Entry {
        game,
        players: ["a".to_owned(), "b".to_owned()],
        winner: "black".to_owned(),
        end: "resign".to_owned(),
        fault: None,
        plies: 0,
        millis: 5,
        time_use: Default::default(),
        length: 0,
    }
}

fn record(game: u64) -> Record {
    let mut record = Record::new(AnyPosition::startpos(Game::Shogi));
    record.headers.set(kifu::Key::Event, &format!("game {game}"));
    record.add(kifu::NodeId::ROOT, kifu::Step::End(kifu::Termination::Resign));
    record
}

fn write(path: &Path, plan: &Value, games: std::ops::Range<u64>) {
    let mut ledger = Ledger::create(path, plan).unwrap();
    for game in games {
        ledger.add(&record(game), entry(game)).unwrap();
    }
}

fn events(path: &Path) -> Vec<String> {
    let bytes = fs::read(path).unwrap();
    let options = kifu::ReadOptions { format: Some(Format::Csa), game: None };
    let records = kifu::read("games", &bytes, options);
    let event = |r: Record| r.headers.get(&kifu::Key::Event).unwrap().to_owned();
    records.into_iter().map(|read| event(read.unwrap())).collect()
}

fn numbers(entries: &[Entry]) -> Vec<u64> {
    entries.iter().map(|entry| entry.game).collect()
}

#[test]
fn a_match_is_continued_where_it_stood() {
    let folder = Folder::new();
    let plan = json!({ "seed": 1 });
    write(&folder.games(), &plan, 0..3);
    let (mut ledger, entries) = Ledger::resume(&folder.games(), &plan).unwrap();
    assert_eq!(numbers(&entries), [0, 1, 2]);
    ledger.add(&record(3), entry(3)).unwrap();
    drop(ledger);
    assert_eq!(numbers(&Ledger::resume(&folder.games(), &plan).unwrap().1), [0, 1, 2, 3]);
    assert_eq!(events(&folder.games()), ["game 0", "game 1", "game 2", "game 3"]);
}

/// Whatever is missing at the end of either file, what is left is whole, and every game the
/// journal still names is in the games file exactly once.
#[test]
fn files_cut_anywhere_are_cut_back_to_whole_games() {
    let plan = json!({ "seed": 1 });
    let folder = Folder::new();
    write(&folder.games(), &plan, 0..3);
    let games = fs::read(folder.games()).unwrap();
    let journal = fs::read(journal_path(&folder.games())).unwrap();
    for kept in 0..=journal.len() {
        let again = Folder::new();
        fs::write(again.games(), &games).unwrap();
        fs::write(journal_path(&again.games()), &journal[..kept]).unwrap();
        let (mut ledger, entries) = Ledger::resume(&again.games(), &plan).unwrap();
        let next = entries.len() as u64;
        assert_eq!(numbers(&entries), (0..next).collect::<Vec<_>>());
        if kept == journal.len() {
            assert_eq!(next, 3);
        }
        ledger.add(&record(next), entry(next)).unwrap();
        drop(ledger);
        let (_, entries) = Ledger::resume(&again.games(), &plan).unwrap();
        assert_eq!(entries.len() as u64, next + 1);
        // Without a first line nothing is known about the games file: it is left as it is.
        if journal[..kept].contains(&b'\n') {
            assert_eq!(events(&again.games()).len() as u64, next + 1, "cut at {kept}");
        }
    }
    for kept in (0..games.len()).step_by(7) {
        let again = Folder::new();
        fs::write(again.games(), &games[..kept]).unwrap();
        fs::write(journal_path(&again.games()), &journal).unwrap();
        let (_, entries) = Ledger::resume(&again.games(), &plan).unwrap();
        assert!(entries.len() < 3);
        if !entries.is_empty() {
            assert_eq!(events(&again.games()).len(), entries.len());
        }
    }
}

#[test]
fn games_that_were_there_before_stay() {
    let folder = Folder::new();
    let old = kifu::to_bytes(&record(99), Format::Csa, &WriteOptions::default()).unwrap().0;
    fs::write(folder.games(), &old).unwrap();
    write(&folder.games(), &json!({}), 0..1);
    assert_eq!(events(&folder.games()), ["game 99", "game 0"]);
    // The half game of a killed match goes, the old ones do not.
    let mut text = fs::read(folder.games()).unwrap();
    text.extend(b"/\nV3.0\n+");
    fs::write(folder.games(), text).unwrap();
    drop(Ledger::resume(&folder.games(), &json!({})).unwrap());
    assert_eq!(events(&folder.games()), ["game 99", "game 0"]);
}

#[test]
fn what_is_wrong_is_said() {
    let folder = Folder::new();
    let path = folder.games();
    let message = |result: Result<(Ledger, Vec<Entry>), LedgerError>| {
        let text = result.unwrap_err().to_string();
        text.replace(&*folder.0.path().to_string_lossy(), "").replace('\\', "/")
    };
    // Where nothing was begun, going on is beginning.
    let fresh = Folder::new();
    assert_eq!(Ledger::resume(&fresh.games(), &json!({})).unwrap().1.len(), 0);
    write(&path, &json!({ "seed": 1, "x": 2 }), 0..2);
    assert!(matches!(
        Ledger::create(&path, &json!({})),
        Err(LedgerError::Journal(JournalError::Exists(_)))
    ));
    assert_eq!(
        message(Ledger::resume(&path, &json!({ "seed": 2, "x": 2 }))),
        "/games.csa.journal has other settings: seed was 1, is 2"
    );
    let held = Ledger::resume(&path, &json!({ "seed": 1, "x": 2 })).unwrap();
    assert!(matches!(
        Ledger::resume(&path, &json!({ "seed": 1, "x": 2 })),
        Err(LedgerError::Journal(JournalError::InUse(_)))
    ));
    drop(held);
    let journal = fs::read_to_string(journal_path(&path)).unwrap();
    fs::write(journal_path(&path), journal.replacen("\"game\":0", "\"gone\":0", 1)).unwrap();
    let damaged = message(Ledger::resume(&path, &json!({ "seed": 1, "x": 2 })));
    assert!(damaged.starts_with("/games.csa.journal, line 2: "), "{damaged}");
    fs::write(journal_path(&path), "hello\n").unwrap();
    assert!(message(Ledger::resume(&path, &json!({}))).contains("line 1: "));
    fs::write(journal_path(&path), "{\"journal\":9,\"start\":0,\"plan\":{}}\n").unwrap();
    assert!(message(Ledger::resume(&path, &json!({}))).ends_with("a journal of form 9"));
}

/// Whoever replaces a match by force must not pull it away under a run that still writes it.
#[test]
fn a_match_that_is_being_written_is_not_replaced() {
    use crate::progress::{MatchOptions, MatchProgress, ProgressError};
    use crate::request::MatchRequest;
    let folder = Folder::new();
    let request = MatchRequest {
        engines: vec!["cmd=self,name=a,nodes=1".into(), "cmd=self,name=b,nodes=1".into()],
        ..MatchRequest::default()
    };
    let (plan, _) = request.plan().unwrap();
    let options = MatchOptions { out: Some(folder.games()), ..MatchOptions::default() };
    let running = MatchProgress::begin(&plan, options.clone()).unwrap();
    let replacing = MatchOptions { force: true, ..options };
    let refused = MatchProgress::begin(&plan, replacing.clone()).err().unwrap();
    let in_use =
        matches!(refused, ProgressError::Ledger(LedgerError::Journal(JournalError::InUse(_))));
    assert!(in_use && folder.games().exists(), "{refused}");
    drop(running);
    assert!(MatchProgress::begin(&plan, replacing).is_ok());
}

#[test]
fn a_game_is_told_in_a_line() {
    let won = Entry { plies: 87, millis: 12_340, ..entry(2) };
    assert_eq!(won.to_string(), "game 3: a - b 1-0, resign, 87 moves in 12.3 s");
    let fault = Some("time: 12 ms too late".to_owned());
    let lost = Entry { winner: "white".to_owned(), end: "time".to_owned(), fault, ..entry(0) };
    assert!(lost.to_string().starts_with("game 1: a - b 0-1, time"), "{lost}");
    assert!(lost.to_string().ends_with("(time: 12 ms too late)"), "{lost}");
    let drawn = Entry { winner: "draw".to_owned(), ..entry(0) };
    assert!(drawn.to_string().contains(" ½-½, "), "{drawn}");
}
