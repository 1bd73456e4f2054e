use super::*;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const GAME: &str = "V2.2\nN+a\nPI\n+\n+7776FU\nT1\n-3334FU\nT2\n%TORYO\n";
const BROKEN: &str = "V2.2\nP1-XX\n+\n+7776FU\n";

/// A folder of records, and conversions in it, which do that about damage.
struct Archive(TempDir, Damaged);

impl Archive {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path();
        fs::create_dir_all(path.join("in/deep")).unwrap();
        fs::write(path.join("in/a.csa"), GAME).unwrap();
        fs::write(path.join("in/deep/b.csa"), format!("{GAME}/\n{BROKEN}/\n{GAME}")).unwrap();
        fs::write(path.join("in/notes.txt"), "not a record").unwrap();
        Self(folder, Damaged::Skip)
    }

    /// Converts, with paths below the folder; a slash at the end of the output is kept.
    fn convert(
        &self,
        inputs: &[&str],
        to: Format,
        output: &str,
        force: bool,
    ) -> Result<Converted, ConvertError> {
        let path = |name: &str| PathBuf::from(format!("{}/{name}", self.0.path().display()));
        let conversion = Conversion {
            inputs: inputs.iter().map(|name| path(name)).collect(),
            output: Some(path(output)),
            from: ReadOptions::default(),
            to,
            options: WriteOptions::default(),
            damaged: self.1,
            force,
            stop: Arc::default(),
        };
        let streams = Streams { input: &mut io::empty(), output: &mut io::sink() };
        conversion.run(streams, &|_, _| ())
    }

    /// Whether everything was converted.
    fn is_whole(&self, inputs: &[&str], to: Format, output: &str, force: bool) -> bool {
        self.convert(inputs, to, output, force).is_ok_and(|done| done.errors.is_empty())
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.0.path().join(name)).unwrap()
    }

    fn files(&self, folder: &str) -> Vec<String> {
        let mut list = Vec::new();
        let mut waiting = vec![self.0.path().join(folder)];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    waiting.push(path);
                } else {
                    let name = path.strip_prefix(self.0.path()).unwrap_or(Path::new(""));
                    list.push(name.to_string_lossy().replace('\\', "/"));
                }
            }
        }
        list.sort();
        list
    }
}

#[test]
fn a_folder_into_a_folder_and_errors_at_the_end() {
    let archive = Archive::new();
    let done = archive.convert(&["in"], Format::Kif, "out", false).unwrap();
    assert_eq!((done.games, done.files, done.errors.len()), (3, 2, 1), "{:?}", done.errors);
    let files = ["out/a.kifu", "out/deep/b-00001.kifu", "out/deep/b-00002.kifu"];
    assert_eq!(archive.files("out"), files);
    assert!(archive.is_whole(&["in/a.csa"], Format::Jkf, "out", false));
    assert!(archive.is_whole(&["out"], Format::Csa, "all.csa", false), "one file of all");
    assert_eq!(archive.text("all.csa").matches("%TORYO").count(), 4);
    assert_eq!(archive.files("in"), ["in/a.csa", "in/deep/b.csa", "in/notes.txt"]);
}

#[test]
fn nothing_is_replaced_unasked_and_no_input_ever() {
    let archive = Archive::new();
    fs::write(archive.0.path().join("x.kif"), "mine").unwrap();
    let refused = archive.convert(&["in/a.csa"], Format::Kif, "x.kif", false);
    assert!(matches!(refused, Err(ConvertError::InTheWay(_))));
    assert_eq!(archive.text("x.kif"), "mine");
    assert!(archive.is_whole(&["in/a.csa"], Format::Kif, "x.kif", true));
    assert!(archive.text("x.kif").contains("７六歩(77)"));
    let refused = archive.convert(&["in/a.csa"], Format::Csa, "in/a.csa", true);
    assert!(matches!(refused, Err(ConvertError::InTheWay(_))));
    assert!(!archive.is_whole(&["in/a.csa"], Format::Csa, "in", true));
    assert_eq!(archive.text("in/a.csa"), GAME);
    // Two inputs of one name: the second must not take the place of the first.
    fs::write(archive.0.path().join("in/a.usi"), "startpos moves 2g2f\n").unwrap();
    assert!(!archive.is_whole(&["in/a.csa", "in/a.usi"], Format::Jkf, "one/", true));
    assert_eq!(archive.files("one"), ["one/a.jkf"]);
    assert!(archive.files(".").iter().all(|f| !f.ends_with(".tmp")));
}

#[test]
fn what_is_not_there_is_reported() {
    let archive = Archive::new();
    assert!(!archive.is_whole(&["nothing.csa"], Format::Kif, "x.kif", false));
    assert!(!archive.is_whole(&["in/notes.txt"], Format::Kif, "x.kif", false));
    assert!(!archive.0.path().join("x.kif").exists());
}

#[test]
fn standard_input_and_output_are_streams_like_others() {
    let conversion = Conversion {
        inputs: vec![PathBuf::from("-")],
        output: None,
        from: ReadOptions::default(),
        to: Format::Usi,
        options: WriteOptions::default(),
        damaged: Damaged::Skip,
        force: false,
        stop: Arc::default(),
    };
    let mut output = Vec::new();
    let streams = Streams { input: &mut GAME.as_bytes(), output: &mut output };
    let done = conversion.run(streams, &|_, _| ()).unwrap();
    assert_eq!((done.games, done.losses.times), (1, 2));
    assert_eq!(String::from_utf8(output).unwrap().trim(), "startpos moves 7g7f 3c3d resign");
}

#[test]
fn told_to_stop_the_first_damaged_game_is_the_last() {
    let archive = Archive(Archive::new().0, Damaged::Stop);
    for (to, output) in [(Format::Csa, "all.csa"), (Format::Usi, "all.usi")] {
        let stopped = archive.convert(&["in"], to, output, false).unwrap_err();
        assert!(matches!(stopped, ConvertError::Damaged(_)), "{stopped}");
        let told = stopped.to_string();
        assert!(told.contains("b.csa:") && told.contains("unreadable board line"), "{told}");
        assert!(!archive.0.path().join(output).exists());
    }
    assert_eq!(archive.files("in"), ["in/a.csa", "in/deep/b.csa", "in/notes.txt"]);
    assert!(archive.files(".").iter().all(|f| !f.ends_with(".tmp")));
    // What is whole is converted as ever.
    assert!(archive.is_whole(&["in/a.csa"], Format::Csa, "whole.csa", false));
}

#[test]
fn interrupted_it_ends_after_a_game_and_leaves_no_half_file() {
    let archive = Archive::new();
    let path = |name: &str| archive.0.path().join(name);
    fs::write(path("in/z.csa"), GAME).unwrap();
    for (output, files) in [(Some("all.csa"), 0), (Some("out/"), 2), (None, 0)] {
        let conversion = Conversion {
            inputs: vec![path("in")],
            output: output
                .map(|name| PathBuf::from(format!("{}/{name}", archive.0.path().display()))),
            from: ReadOptions::default(),
            to: Format::Csa,
            options: WriteOptions::default(),
            damaged: Damaged::Skip,
            force: false,
            stop: Arc::default(),
        };
        let mut written = Vec::new();
        let streams = Streams { input: &mut io::empty(), output: &mut written };
        // When the last of three files is begun.
        let interrupt = |source: &Source, _: u64| {
            conversion.stop.fetch_or(source.name.ends_with("z.csa"), Ordering::Relaxed);
        };
        let ended = conversion.run(streams, &interrupt).unwrap_err();
        let ConvertError::Interrupted(done) = ended else { panic!("{ended}") };
        assert_eq!((done.games, done.files, done.errors.len()), (3, 2, 1));
        let there =
            archive.files(".").iter().filter(|f| f.contains("all") || f.contains("out/")).count();
        assert_eq!(there, files, "{output:?}");
        let games = String::from_utf8(written).unwrap().matches("%TORYO").count();
        assert_eq!(games, if output.is_none() { 3 } else { 0 });
        let _ = fs::remove_dir_all(path("out"));
    }
}
