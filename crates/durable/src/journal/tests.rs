use super::*;
use proptest::prelude::*;
use serde_json::json;
use std::fs;

fn resume(path: &Path, plan: &Value) -> Result<(Journal, Vec<u64>), JournalError> {
    let (journal, held) = Journal::resume::<u64>(path, plan, 5)?;
    let entries = held.map_or(Vec::new(), |held| held.entries);
    Ok((journal, entries.into_iter().map(|(entry, _)| entry).collect()))
}

#[test]
fn entries_are_read_again_and_appended_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let plan = json!({ "seed": 1 });
    let mut journal = Journal::create(&path, &plan, 3).unwrap();
    journal.append(&10u64).unwrap();
    journal.append(&11u64).unwrap();
    drop(journal);
    let (mut journal, held) = Journal::resume::<u64>(&path, &plan, 0).unwrap();
    let held = held.unwrap();
    assert_eq!(held.start, 3);
    let (first, _) = held.entries[0];
    assert_eq!(first, 10);
    journal.cut(held.entries[0].1).unwrap();
    journal.append(&12u64).unwrap();
    drop(journal);
    assert_eq!(resume(&path, &plan).unwrap().1, [10, 12]);
    assert!(matches!(Journal::create(&path, &plan, 0), Err(JournalError::Exists(_))));
}

/// Killed after any byte: what was complete is there, the rest is as if never written.
#[test]
fn a_torn_line_is_cut_off_wherever_it_was_torn() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let plan = json!({ "seed": 1 });
    let mut journal = Journal::create(&path, &plan, 5).unwrap();
    for entry in 10u64..13 {
        journal.append(&entry).unwrap();
    }
    drop(journal);
    let whole = fs::read(&path).unwrap();
    for length in 0..=whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let lines = whole[..length].iter().filter(|&&b| b == b'\n').count();
        let (mut journal, entries) = resume(&path, &plan).unwrap();
        let kept: Vec<u64> = (10..13).take(lines.saturating_sub(1)).collect();
        assert_eq!(entries, kept, "{length} bytes");
        (10 + kept.len() as u64..13).for_each(|entry| journal.append(&entry).unwrap());
        drop(journal);
        assert_eq!(fs::read(&path).unwrap(), whole, "{length} bytes");
    }
}

#[test]
fn a_journal_that_cannot_be_resumed_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let plan = json!({ "seed": 1, "games": 8 });
    let held = Journal::create(&path, &plan, 0).unwrap();
    assert!(matches!(resume(&path, &plan), Err(JournalError::InUse(_))));
    drop(held);
    let other = json!({ "seed": 2, "games": 8, "new": true });
    let error = resume(&path, &other).unwrap_err().to_string();
    assert!(error.ends_with("seed was 1, is 2; new was none, is true"), "{error}");
    for (text, line, reason) in [
        ("{}\n", 1, "missing field"),
        ("{\"journal\":9,\"start\":0,\"plan\":{}}\n", 1, "a journal of form 9"),
        ("{\"journal\":1,\"start\":0,\"plan\":{}}\nx\n5\n", 2, "expected value"),
    ] {
        fs::write(&path, text).unwrap();
        let error = resume(&path, &json!({})).unwrap_err();
        let JournalError::Damaged { line: found, reason: why, .. } = &error else {
            panic!("{error}")
        };
        assert_eq!(*found, line, "{error}");
        assert!(why.contains(reason), "{error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let path = Path::new("/dev/full");
    let file = OpenOptions::new().write(true).open(path).unwrap();
    let mut journal = Journal { file, path: path.to_owned() };
    let JournalError::Io { source, .. } = journal.append(&1u64).unwrap_err() else { panic!() };
    assert_eq!(source.kind(), io::ErrorKind::StorageFull);
}

proptest! {
    #[test]
    fn no_journal_panics(bytes in any::<Vec<u8>>()) {
        let _ = read::<Value>(&bytes, Path::new("x"));
        let head = b"{\"journal\":1,\"start\":0,\"plan\":{}}\n";
        let told = read::<Value>(&[head, &bytes[..]].concat(), Path::new("x"));
        if let Ok(Some((_, held))) = told {
            let whole = held.entries.last().map_or(held.head, |(_, end)| *end);
            prop_assert!(whole as usize <= head.len() + bytes.len());
        }
    }
}

/// Whoever goes on with nothing begins.
#[test]
fn a_journal_that_is_not_there_begins() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let plan = json!({ "seed": 1 });
    let (mut journal, held) = Journal::resume::<u64>(&path, &plan, 7).unwrap();
    assert!(held.is_none());
    journal.append(&5u64).unwrap();
    drop(journal);
    let (_, held) = Journal::resume::<u64>(&path, &plan, 0).unwrap();
    let held = held.unwrap();
    assert_eq!((held.start, held.entries.len()), (7, 1));
}
