use super::*;

fn write(target: &Path, text: &str, force: bool) -> io::Result<()> {
    let mut draft = Draft::new(target)?;
    draft.write_all(text.as_bytes())?;
    draft.publish(force)
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn a_draft_appears_when_it_is_published_and_not_before() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("new/folder/file");
    let mut draft = Draft::new(&target).unwrap();
    draft.write_all(b"text").unwrap();
    draft.flush().unwrap();
    assert!(!target.exists());
    draft.publish(false).unwrap();
    assert_eq!(fs::read_to_string(&target).unwrap(), "text");
    assert_eq!(names(target.parent().unwrap()), ["file"]);
}

#[test]
fn a_draft_given_up_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("file");
    drop(Draft::new(&target).unwrap());
    assert!(names(folder.path()).is_empty());
}

#[test]
fn an_existing_file_stays_unless_forced() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("file");
    write(&target, "first", false).unwrap();
    let error = write(&target, "second", false).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read_to_string(&target).unwrap(), "first");
    assert_eq!(names(folder.path()), ["file"], "the refused draft is gone");
    write(&target, "third", true).unwrap();
    assert_eq!(fs::read_to_string(&target).unwrap(), "third");
}

#[test]
fn two_drafts_of_one_file_do_not_meet() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("file");
    let (mut one, mut two) = (Draft::new(&target).unwrap(), Draft::new(&target).unwrap());
    one.write_all(b"one").unwrap();
    two.write_all(b"two").unwrap();
    two.publish(false).unwrap();
    assert_eq!(one.publish(false).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read_to_string(&target).unwrap(), "two");
}

#[test]
fn places_that_cannot_be_written_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    assert!(Draft::new(&file.join("below a file")).is_err());
    assert!(
        Draft::new(Path::new("/")).unwrap_err().to_string().contains("is not the name of a file")
    );
}

/// A disk that is full: the error arrives with the write or with the publication, and the target
/// stays away.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_leaves_nothing() {
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("file");
    let temporary = folder.path().join(".file.tmp");
    fs::write(&temporary, "").unwrap();
    let output = Some(BufWriter::new(full));
    let mut draft = Draft { target: target.clone(), temporary: temporary.clone(), output };
    draft.write_all(b"buffered").unwrap();
    let error = draft.publish(false).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    assert!(!target.exists() && !temporary.exists());
}

#[cfg(unix)]
#[test]
fn a_secret_is_its_owners_only() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("key");
    let mut draft = Draft::private(&target).unwrap();
    draft.write_all(b"secret").unwrap();
    draft.publish(false).unwrap();
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
}
