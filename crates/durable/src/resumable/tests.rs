use super::*;
use serde_json::json;
use std::io::{Read, Seek, SeekFrom, Write};

/// Writes the numbers up to 20 as lines, a checkpoint after every third.
fn lines(opened: Opened<File, State>, stop_before: u64) -> (Resumable, File) {
    let Opened { mut resumable, mut output, state } = opened;
    let mut length = resumable.kept();
    for number in state.map_or(0, |s| s.items)..20 {
        if number == stop_before {
            return (resumable, output);
        }
        let line = format!("{number}\n");
        output.write_all(line.as_bytes()).unwrap();
        length += line.len() as u64;
        if number % 3 == 2 {
            resumable.checkpoint(length, &State { items: number + 1 }).unwrap();
        }
    }
    (resumable, output)
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct State {
    items: u64,
}

fn attach(mut file: File, length: u64) -> io::Result<(File, u64)> {
    file.seek(SeekFrom::End(0))?;
    Ok((file, length))
}

fn open(target: &Path, mode: Mode) -> Result<Opened<File, State>, ResumableError> {
    Resumable::open(target, &json!({ "of": "numbers" }), mode, attach)
}

fn finish(opened: Opened<File, State>) {
    let (resumable, output) = lines(opened, 99);
    resumable.publish(&output, false).unwrap();
}

fn whole() -> String {
    (0..20).map(|n| format!("{n}\n")).collect()
}

#[test]
fn an_output_killed_anywhere_is_resumed_to_the_same_bytes() {
    for stop in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("numbers");
        // Dropping everything without a word is what a kill does.
        drop(lines(open(&target, Mode::New).unwrap(), stop));
        assert!(!target.exists());
        let opened = open(&target, Mode::Resume).unwrap();
        let done = stop / 3 * 3;
        assert_eq!(opened.state.as_ref().map_or(0, |s| s.items), done, "{stop}");
        finish(opened);
        assert_eq!(fs::read_to_string(&target).unwrap(), whole(), "{stop}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
    }
}

#[test]
fn what_an_earlier_run_left_is_not_touched_unasked() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("numbers");
    drop(lines(open(&target, Mode::New).unwrap(), 10));
    assert!(matches!(open(&target, Mode::New), Err(ResumableError::Interrupted(_))));
    let other = Resumable::open::<_, State>(&target, &json!({ "of": 1 }), Mode::Resume, attach);
    assert!(matches!(other, Err(ResumableError::Journal(JournalError::OtherPlan { .. }))));
    let opened = open(&target, Mode::Restart).unwrap();
    assert_eq!(opened.state, None);
    finish(opened);
    assert_eq!(fs::read_to_string(&target).unwrap(), whole());
}

#[test]
fn a_second_run_is_kept_away() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("numbers");
    let opened = open(&target, Mode::New).unwrap();
    assert!(matches!(open(&target, Mode::Restart), Err(ResumableError::InUse(_))));
    let resumed = open(&target, Mode::Resume);
    assert!(matches!(resumed, Err(ResumableError::Journal(JournalError::InUse(_)))));
    drop(opened);
    assert!(open(&target, Mode::Restart).is_ok());
}

#[test]
fn damage_before_a_checkpoint_goes_back_to_an_earlier_one() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("numbers");
    drop(lines(open(&target, Mode::New).unwrap(), 14));
    // The second stretch of three lines cannot be trusted.
    let attach = |mut file: File, length: u64| {
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        Ok((file, length.min(8)))
    };
    let opened =
        Resumable::open::<_, State>(&target, &json!({ "of": "numbers" }), Mode::Resume, attach);
    let opened = opened.unwrap();
    assert_eq!(opened.state, Some(State { items: 3 }));
    assert_eq!(opened.resumable.kept(), 6);
    finish(opened);
    assert_eq!(fs::read_to_string(&target).unwrap(), whole());
}

#[test]
fn a_shorter_output_than_its_journal_says() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("numbers");
    drop(lines(open(&target, Mode::New).unwrap(), 14));
    let part = folder.path().join(".numbers.part");
    File::options().write(true).open(&part).unwrap().set_len(7).unwrap();
    let opened = open(&target, Mode::Resume).unwrap();
    assert_eq!(opened.state, Some(State { items: 3 }));
    finish(opened);
    assert_eq!(fs::read_to_string(&target).unwrap(), whole());
}

#[test]
fn giving_up_keeps_only_what_can_be_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("numbers");
    let left = || fs::read_dir(folder.path()).unwrap().count();
    let (resumable, _) = lines(open(&target, Mode::New).unwrap(), 2);
    assert!(!resumable.give_up());
    assert_eq!(left(), 0);
    let (resumable, _) = lines(open(&target, Mode::New).unwrap(), 3);
    assert!(resumable.give_up());
    assert_eq!(left(), 2);
}

#[test]
fn an_existing_target_stays_unless_forced() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("numbers");
    fs::write(&target, "old").unwrap();
    let (resumable, output) = lines(open(&target, Mode::New).unwrap(), 99);
    let error = resumable.publish(&output, false).unwrap_err();
    assert!(error.to_string().contains("cannot write"), "{error}");
    assert_eq!(fs::read_to_string(&target).unwrap(), "old");
    finish_forced(open(&target, Mode::Resume).unwrap());
    assert_eq!(fs::read_to_string(&target).unwrap(), whole());
}

fn finish_forced(opened: Opened<File, State>) {
    let (resumable, output) = lines(opened, 99);
    resumable.publish(&output, true).unwrap();
}

#[test]
fn a_target_without_a_name_or_a_folder() {
    assert!(matches!(open(Path::new("/"), Mode::New), Err(ResumableError::NoName(_))));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(matches!(open(&file.join("below"), Mode::New), Err(ResumableError::Io { .. })));
}

#[test]
fn what_cannot_be_published_stays_only_if_there_is_something_to_go_on_from() {
    for (stop, files) in [(2, 1), (10, 3)] {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("numbers");
        let (resumable, output) = lines(open(&target, Mode::New).unwrap(), stop);
        fs::write(&target, "somebody else's").unwrap();
        assert!(resumable.publish(&output, false).is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), files, "stopped before {stop}");
    }
    // Nor does one that could not even begin leave anything.
    let folder = tempfile::tempdir().unwrap();
    let full = |_: File, _: u64| Err::<(File, u64), _>(io::Error::other("no room"));
    let target = folder.path().join("numbers");
    assert!(Resumable::open::<_, State>(&target, &json!({}), Mode::New, full).is_err());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_is_no_longer_needed_goes() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("numbers");
    let (resumable, output) = lines(open(&target, Mode::New).unwrap(), 99);
    resumable.discard(output);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}
