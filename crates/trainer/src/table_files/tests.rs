use super::*;
use std::fs;
use tempfile::TempDir;

/// Small tables of 5×5 with some numbers in them: `by` times a pattern.
fn three_piece_folder<const TEMPO: bool>(folder: &Path, by: i32) {
    let mut tables = Tables::<Minishogi, TEMPO>::zeroed();
    tables.kk[0] = 100 * by;
    tables.kk[1] = -7 * by;
    tables.kkp[8] = 3000 * by;
    let pieces = Tables::<Minishogi, TEMPO>::PIECES;
    let width = Tables::<Minishogi, TEMPO>::WIDTH;
    // Every piece with every other, so that positions notice.
    for king in 0..Minishogi::SQUARES {
        for a in 0..pieces {
            for b in 0..=a {
                let value = ((king + 3 * a + 5 * b) % 41) as i32 - 20;
                for (a, b) in [(a, b), (b, a)] {
                    tables.kpp[((king * pieces + a) * pieces + b) * width] = (value * by) as i16;
                }
            }
        }
    }
    fs::create_dir_all(folder).unwrap();
    tables.save(folder).unwrap();
}

fn kkppt_file(path: &Path, by: i32) {
    let mut tables = KkpptTables::zeroed();
    tables.description = format!("times {by}");
    tables.kk[3] = [10 * by, by];
    for place in 0..KINGS {
        for a in 0..KkpptTables::PIECES {
            tables.set_kkpp(place, a, a / 2, [(a as i32 % 30 * by) as i16, 1]);
        }
    }
    let mut bytes = Vec::new();
    tables.write(&mut bytes).unwrap();
    fs::write(path, bytes).unwrap();
}

fn found(path: &Path) -> TableFiles {
    TableFiles::find(path).unwrap().unwrap()
}

/// The folders or files of each kind of tables, once and threefold.
fn both(folder: &Path, kind: TableKind) -> [PathBuf; 2] {
    let paths = ["one", "three"].map(|name| folder.join(name));
    for (path, by) in paths.iter().zip([1, 3]) {
        match kind {
            TableKind::Kppt => three_piece_folder::<true>(path, by),
            TableKind::KppKkpt => three_piece_folder::<false>(path, by),
            TableKind::Kkppt => kkppt_file(path, by),
        }
    }
    paths
}

const KINDS: [TableKind; 3] = [TableKind::Kppt, TableKind::KppKkpt, TableKind::Kkppt];

#[test]
fn tables_are_found_and_described() {
    for kind in KINDS {
        let folder = TempDir::new().unwrap();
        let [one, _] = both(folder.path(), kind);
        let tables = found(&one);
        assert_eq!((tables.kind(), tables.game()), (kind, Game::Minishogi));
        let info = tables.info().unwrap();
        let groups: Vec<&str> = info.spreads.iter().map(|(name, _)| *name).collect();
        let wanted = match kind {
            TableKind::Kppt => {
                &["KK board", "KK tempo", "KKP board", "KKP tempo", "KPP board", "KPP tempo"][..]
            }
            TableKind::KppKkpt => &["KK board", "KK tempo", "KKP board", "KKP tempo", "KPP board"],
            TableKind::Kkppt => {
                &["KK board", "KK tempo", "KKP board", "KKP tempo", "KKPP board", "KKPP tempo"]
            }
        };
        assert_eq!(groups, wanted);
        let kpp = info.spreads[4].1;
        let range = if kind == TableKind::Kkppt { (0, 29) } else { (-20, 20) };
        assert_eq!((kpp.min, kpp.max), range, "{kind}");
        let on_disk: u64 = match one.is_dir() {
            true => FILES.iter().map(|f| one.join(f).metadata().unwrap().len()).sum(),
            false => one.metadata().unwrap().len(),
        };
        assert_eq!(info.bytes, on_disk);
    }
    let folder = TempDir::new().unwrap();
    assert!(TableFiles::find(folder.path()).unwrap().is_none());
    fs::write(folder.path().join("nn.bin"), "a net").unwrap();
    assert!(TableFiles::find(&folder.path().join("nn.bin")).unwrap().is_none());
}

#[test]
fn a_mean_lies_between_and_mixing_with_itself_changes_nothing() {
    for kind in KINDS {
        let folder = TempDir::new().unwrap();
        let [one, three] = both(folder.path(), kind);
        let out = folder.path().join("out");
        TableFiles::mix(&[(found(&one), 1.0), (found(&three), 1.0)], &out, false).unwrap();
        let spreads = found(&out).info().unwrap().spreads;
        let before = found(&one).info().unwrap().spreads;
        // Once and threefold make twofold.
        for ((name, mixed), (_, one)) in spreads.iter().zip(&before) {
            let twofold = if kind == TableKind::Kkppt && *name == "KKPP tempo" { 1 } else { 2 };
            assert_eq!((mixed.min, mixed.max), (twofold * one.min, twofold * one.max), "{name}");
        }
        let same = folder.path().join("same");
        TableFiles::mix(&[(found(&one), 0.3), (found(&one), 0.7)], &same, false).unwrap();
        let differences = found(&same).difference(&found(&one)).unwrap();
        assert!(differences.iter().all(|(_, d)| d.different == 0 && d.correlation == 1.0));
        let differences = found(&three).difference(&found(&one)).unwrap();
        let kpp = differences[4].1;
        assert!(kpp.different > 0 && kpp.correlation > 0.999, "{kpp:?}");
        let values = found(&three).value_distance(&found(&one)).unwrap();
        assert!(values.positions > 900 && values.largest > 0.0, "{values:?}");
        assert_eq!(found(&same).value_distance(&found(&one)).unwrap().largest, 0.0);
        // Nothing is left beside the result.
        let names = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(names, 4);
    }
}

#[test]
fn sound_tables_and_such_as_are_not() {
    for kind in KINDS {
        let folder = TempDir::new().unwrap();
        let [one, _] = both(folder.path(), kind);
        let sound = found(&one).soundness().unwrap();
        assert!(sound.positions >= 1000 && sound.constant.is_none());
    }
    let folder = TempDir::new().unwrap();
    three_piece_folder::<true>(folder.path(), 1);
    let file = folder.path().join(FILES[2]);
    let mut bytes = fs::read(&file).unwrap();
    // King 0, pieces 0 and 1: not the same as 1 and 0.
    bytes[4] ^= 1;
    fs::write(&file, bytes).unwrap();
    let told = found(folder.path()).soundness().unwrap_err().to_string();
    assert!(told.contains("pieces 1 and 0"), "{told}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let folder = TempDir::new().unwrap();
    let (kppt, kpp) = (folder.path().join("kppt"), folder.path().join("kpp"));
    three_piece_folder::<true>(&kppt, 1);
    three_piece_folder::<false>(&kpp, 1);
    let out = folder.path().join("out");
    let mixed = TableFiles::mix(&[(found(&kppt), 1.0), (found(&kpp), 1.0)], &out, false);
    let told = mixed.unwrap_err().to_string();
    assert!(told.contains("KPP_KKPT") && told.contains("the first KPPT"), "{told}");
    let none = TableFiles::mix(&[(found(&kppt), 1.0), (found(&kppt), -1.0)], &out, false);
    assert!(none.unwrap_err().to_string().contains("add up to 0"));
    assert!(!out.exists());
    let cut = fs::OpenOptions::new().write(true).open(kppt.join(FILES[1])).unwrap();
    cut.set_len(100).unwrap();
    let told = TableFiles::find(&kppt).unwrap_err().to_string();
    assert!(told.contains("5000, 100 and 14440000 bytes"), "{told}");
}

/// The rows of the kings of a rank come from its tables, the rest from one of them.
#[test]
fn tables_are_assembled_by_rank() {
    use crate::by_rank::{RankPart, RankParts};
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    three_piece_folder::<true>(&path("one"), 1);
    three_piece_folder::<true>(&path("three"), 3);
    three_piece_folder::<false>(&path("plain"), 1);
    kkppt_file(&path("kkppt"), 1);
    let part = |ranks: &str, name: &str| RankPart::new(ranks, &path(name)).unwrap();
    let out = path("out");
    let assemble = |parts: &[RankPart], rest: Option<&Path>| match RankParts::load(parts, rest) {
        Ok(RankParts::Tables(parts)) => parts.assemble(&out).map_err(|e| e.to_string()),
        Ok(RankParts::Nets(_)) => panic!("these are tables"),
        Err(e) => Err(e.to_string()),
    };
    let parts = [part("1-2", "three"), part("3-5", "one")];
    let told = assemble(&parts, None).unwrap_err();
    assert!(told.contains("KK and KKP of the tables differ"), "{told}");
    assemble(&parts, Some(&path("one"))).unwrap();
    let load = |path: &Path| Tables::<Minishogi, true>::load(path).unwrap();
    let (whole, one, three) = (load(&out), load(&path("one")), load(&path("three")));
    assert!(whole.kk == one.kk && whole.kkp == one.kkp);
    for king in rules::Square::all(Game::Minishogi) {
        // Counted from the far side, as Black sees it.
        let from = if king.rank(Game::Minishogi) <= 2 { &three } else { &one };
        for (a, b) in [(1, 0), (200, 7), (300, 299)] {
            let king = king.index();
            assert_eq!(whole.kpp(king, a, b), from.kpp(king, a, b), "{king}");
        }
    }
    assert!(found(&out).soundness().is_ok());
    fs::remove_dir_all(&out).unwrap();
    for (parts, why) in [
        (vec![part("1-5", "kkppt")], "both kings"),
        (vec![part("1-2", "one"), part("3-5", "plain")], "the first KPPT"),
        (vec![part("1-4", "one")], "no net for rank 5"),
        (vec![part("1-5", "one"), part("2", "one")], "several nets for rank 2"),
        (vec![part("1-6", "one")], "no rank 6"),
        (vec![part("1-2", "one"), part("3-5", "nothing")], "nothing: not tables"),
    ] {
        let told = assemble(&parts, None).unwrap_err();
        assert!(told.contains(why), "{why}: {told}");
        assert!(!out.exists());
    }
    assert!(RankPart::new("5-2", &out).unwrap_err().contains("smaller rank first"));
    assert!(RankPart::new("0", &out).unwrap_err().contains("is not a rank"));
}

/// Two that write one folder at the same time would mix their files.
#[test]
fn a_folder_is_written_by_one_at_a_time() {
    let folder = TempDir::new().unwrap();
    let (one, out) = (folder.path().join("one"), folder.path().join("out"));
    three_piece_folder::<true>(&one, 1);
    let copy = |part: &Path| {
        FILES.iter().try_for_each(|file| fs::copy(one.join(file), part.join(file)).map(drop))
    };
    publish_folder(&out, &mut |part| {
        let second = publish_folder(&out, &mut |other| copy(other)).unwrap_err();
        assert!(second.to_string().contains("in use"), "{second}");
        copy(part)
    })
    .unwrap();
    assert!(out.join(FILES[2]).exists());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left beside it");
}
