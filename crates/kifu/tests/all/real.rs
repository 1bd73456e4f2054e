//! Real records, where the data folder is at hand: nothing is lost on the way through.

use kifu::{
    Format, NodeId, Outcome, ReadOptions, Record, Termination, WriteOptions, read, to_bytes,
};
use rules::Color;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[track_caller]
fn folder() -> Option<PathBuf> {
    fixtures::shared_data("records")
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut list: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e != "md"))
        .collect();
    list.sort();
    list
}

fn read_file(path: &Path) -> Result<Record, String> {
    let bytes = std::fs::read(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let mut found = read(&name, &bytes, ReadOptions::default());
    assert_eq!(found.len(), 1, "{name}");
    found.remove(0).map_err(|e| e.to_string())
}

/// What must survive any format: moves of all lines, endings, winner, times in seconds.
fn gist(record: &Record, format: Format) -> Vec<String> {
    let mut list = vec![record.start().sfen(), format!("{:?}", record.outcome())];
    let lines: Vec<NodeId> = match format {
        Format::Csa | Format::Usi => vec![NodeId::ROOT],
        _ => record.lines().collect(),
    };
    for first in lines {
        for id in record.line_from(first) {
            let node = record.node(id);
            let time = node.time.filter(|_| format != Format::Ki2 && format != Format::Usi);
            if node.ending().is_some() && format == Format::Usi {
                continue;
            }
            list.push(format!("{:?} {time:?}", node.step));
        }
    }
    if format == Format::Usi {
        list.remove(1);
    }
    list
}

#[test]
fn every_record_survives_every_format() {
    let Some(folder) = folder() else { return };
    let mut count = 0;
    for path in files(&folder.join("wcsc28")).into_iter().chain(files(&folder.join("kifu"))) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let record = read_file(&path).unwrap_or_else(|e| panic!("{e}"));
        count += 1;
        for format in Format::ALL {
            let (bytes, losses) = to_bytes(&record, format, &WriteOptions::default()).unwrap();
            assert_eq!(losses.characters, 0);
            let back = read("back", &bytes, ReadOptions::default()).remove(0).unwrap();
            assert_eq!(gist(&back, format), gist(&record, format), "{name} as {format}");
        }
    }
    assert!(count >= 200, "only {count} records");
}

/// Lines of the source that are moves, counted without our reader.
#[test]
fn championship_games_are_read_to_the_last_move() {
    let Some(folder) = folder() else { return };
    for path in files(&folder.join("wcsc28")) {
        let text = String::from_utf8(std::fs::read(&path).unwrap()).unwrap();
        let is_move = |l: &&str| l.len() == 7 && l.starts_with(['+', '-']);
        let record = read_file(&path).unwrap();
        assert_eq!(record.moves().len(), text.lines().filter(is_move).count(), "{path:?}");
        let seconds: u64 =
            text.lines().filter_map(|l| l.strip_prefix('T')?.parse::<u64>().ok()).sum();
        let nodes = record.line_from(NodeId::ROOT).map(|id| record.node(id));
        let sum: Duration = nodes.filter_map(|n| n.time).sum();
        assert_eq!(sum, Duration::from_secs(seconds), "{path:?}");
        assert!(record.ending().is_some() && record.headers.iter().count() == 3);
    }
}

#[test]
fn one_game_in_three_formats() {
    let Some(folder) = folder() else { return };
    let kif = read_file(&folder.join("kifu/kif_ryuou201409020101.kif")).unwrap();
    let jkf = read_file(&folder.join("kifu/jkf_ryuou201409020101.jkf")).unwrap();
    assert_eq!(kif.moves().len(), 117);
    assert_eq!(kif.headers, jkf.headers);
    assert!(kif == jkf, "all comments and times too");
    let options = WriteOptions::default();
    let (bytes, _) = to_bytes(&kif, Format::Ki2, &options).unwrap();
    let ki2 = read("x.ki2", &bytes, ReadOptions::default()).remove(0).unwrap();
    assert_eq!(ki2.moves(), jkf.moves());
    for name in ["8mai", "chudan"] {
        let csa = read_file(&folder.join(format!("kifu/csa_{name}.csa"))).unwrap();
        let kif = read_file(&folder.join(format!("kifu/kif_{name}.kif"))).unwrap();
        assert_eq!(gist(&csa, Format::Csa), gist(&kif, Format::Csa), "{name}");
    }
    let csa = read_file(&folder.join("kifu/csa_8mai.csa")).unwrap();
    let ki2 = read_file(&folder.join("kifu/ki2_8mai.ki2")).unwrap();
    assert_eq!(csa.moves(), ki2.moves());
}

#[test]
fn endings_of_known_files() {
    let Some(folder) = folder() else { return };
    use Color::{Black, White};
    for (name, moves, ending, outcome) in [
        ("kifu/csa_illegal_lose.csa", 2, Termination::IllegalMove(None), Outcome::Won(White)),
        ("kifu/ki2_illegal.ki2", 2, Termination::IllegalMove(None), Outcome::Won(White)),
        ("kifu/kif_illegal.kif", 2, Termination::IllegalMove(None), Outcome::Won(White)),
        ("kifu/kif_taichitsume.kif", 7, Termination::Mate, Outcome::Won(Black)),
        ("kifu/kif_kifu_for_iphone.kif", 3, Termination::Mate, Outcome::Won(Black)),
        ("kifu/kif_meijinsen_20180508_M7_10034.kif", 52, Termination::Sealed, Outcome::Unknown),
        ("kifu/kif_shogidb2.kifu", 110, Termination::Resign, Outcome::Won(White)),
        ("kifu/ki2_20091203.ki2", 172, Termination::Resign, Outcome::Won(White)),
        ("kifu/ki2_denou3-1.ki2", 98, Termination::Resign, Outcome::Won(White)),
        ("kifu/ki2_noeol.ki2", 3, Termination::Interrupted, Outcome::Unknown),
        ("kifu/csa_noeol.csa", 2, Termination::Interrupted, Outcome::Unknown),
        ("wcsc28/utf8_WCSC28_U1_TSG_HFW.csa", 248, Termination::Declaration, Outcome::Won(Black)),
        ("wcsc28/utf8_WCSC28_U1_USA_NAN.csa", 99, Termination::Repetition, Outcome::Draw),
    ] {
        let record = read_file(&folder.join(name)).unwrap();
        assert_eq!(record.ending(), Some(&ending), "{name}");
        assert_eq!(record.outcome(), outcome, "{name}");
        assert_eq!(record.moves().len(), moves, "{name}");
    }
    let forks = read_file(&folder.join("kifu/kif_fork.kif")).unwrap();
    assert_eq!(forks.variations(), 7);
    let ends = forks.lines().map(|first| {
        let last = forks.line_from(first).last().unwrap();
        forks.node(last).ending().cloned()
    });
    let words: Vec<String> = ends.map(|e| e.map_or_else(String::new, |e| e.name())).collect();
    assert_eq!(words[0], "投了");
    assert!(words.iter().all(|w| !w.is_empty()));
}

/// The openings file: every line read, played and written as it was.
#[test]
fn opening_lines() {
    let Some(path) = fixtures::shared_data("openings/kamaitachi.usi") else { return };
    let bytes = std::fs::read(path).unwrap();
    let text = String::from_utf8(bytes.clone()).unwrap();
    let records = read("kamaitachi.usi", &bytes, ReadOptions::default());
    let lines: Vec<&str> = text.lines().filter(|l| !l.trim().is_empty()).collect();
    assert_eq!(records.len(), lines.len());
    for (record, line) in records.iter().zip(lines) {
        let (written, _) =
            to_bytes(record.as_ref().unwrap(), Format::Usi, &WriteOptions::default()).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert_eq!(format!("position {}", written.trim()), line.trim());
    }
}
