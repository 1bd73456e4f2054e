//! Every format gives back what it has room for.

use crate::generator::{cook, recipes};
use encoding_rs::SHIFT_JIS;
use kifu::{
    CsaVersion, Encoding, Format, Headers, Key, NodeId, ReadOptions, Record, Termination,
    WriteOptions, read, to_bytes,
};
use proptest::prelude::*;
use std::time::Duration;

fn through(record: &Record, format: Format, options: WriteOptions) -> Record {
    let (bytes, _) = to_bytes(record, format, &options).expect("written");
    let mut read = read("test", &bytes, ReadOptions::default());
    let text = String::from_utf8_lossy(&bytes).into_owned();
    assert_eq!(read.len(), 1, "{text}");
    read.remove(0).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Changes every node.
fn each(record: &Record, mut change: impl FnMut(&mut kifu::Node)) -> Record {
    let mut record = record.clone();
    for id in record.ids() {
        change(record.node_mut(id));
    }
    record
}

/// Without what the format cannot hold.
fn whole_seconds(node: &mut kifu::Node) {
    node.time = node.time.map(|t| Duration::from_secs(t.as_secs()));
}

fn main_line(record: &Record) -> Record {
    let mut main = Record::new(record.start().clone());
    main.headers = record.headers.clone();
    let mut at = NodeId::ROOT;
    for id in record.line_from(NodeId::ROOT) {
        let node = record.node(id);
        if id != NodeId::ROOT {
            at = main.add(at, node.step.clone());
        }
        let copy = main.node_mut(at);
        copy.time = node.time;
        copy.comments.clone_from(&node.comments);
        copy.remarks.clone_from(&node.remarks);
        copy.eval.clone_from(&node.eval);
    }
    main
}

/// CSA puts the names first.
fn sorted(headers: &Headers) -> Vec<(Key, String)> {
    let mut list: Vec<_> = headers.iter().map(|(k, v)| (k.clone(), v.to_owned())).collect();
    list.sort();
    list
}

fn check(got: &Record, want: &Record, text: impl FnOnce() -> String) {
    if sorted(&got.headers) != sorted(&want.headers) {
        panic!("{:?}\n{:?}\n{}", got.headers, want.headers, text());
    }
    let mut got = got.clone();
    got.headers = want.headers.clone();
    if got == *want {
        return;
    }
    for (a, b) in got.lines().zip(want.lines()) {
        let line = |r: &Record, id| r.line_from(id).map(|i| r.node(i).clone()).collect::<Vec<_>>();
        for (x, y) in line(&got, a).iter().zip(&line(want, b)) {
            let brief = |n: &kifu::Node| {
                format!(
                    "{:?} {:?} {:?} {:?} {:?} {:?} {}",
                    n.step,
                    n.time,
                    n.comments,
                    n.remarks,
                    n.bookmark,
                    n.eval,
                    n.children().len()
                )
            };
            assert_eq!(brief(x), brief(y), "\n{}", text());
        }
    }
    panic!("differ\n{}\n{}\n{}", got.start().sfen(), want.start().sfen(), text());
}

fn shown(record: &Record, format: Format) -> String {
    let (bytes, losses) = to_bytes(record, format, &WriteOptions::default()).unwrap();
    format!("{losses}\n{}", String::from_utf8_lossy(&bytes))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn kif(recipe in recipes()) {
        let record = cook(&recipe);
        let want = each(&record, whole_seconds);
        let got = through(&record, Format::Kif, WriteOptions::default());
        check(&got, &want, || shown(&record, Format::Kif));
        prop_assert_eq!(got.outcome(), record.outcome());
    }

    #[test]
    fn ki2(recipe in recipes()) {
        let record = cook(&recipe);
        let want = each(&record, |node| node.time = None);
        let got = through(&record, Format::Ki2, WriteOptions::default());
        check(&got, &want, || shown(&record, Format::Ki2));
    }

    #[test]
    fn jkf(recipe in recipes()) {
        let record = cook(&recipe);
        let want = each(&record, |node| {
            whole_seconds(node);
            node.bookmark = None;
            node.remarks.clear();
        });
        let got = through(&record, Format::Jkf, WriteOptions::default());
        check(&got, &want, || shown(&record, Format::Jkf));
    }

    #[test]
    fn csa(recipe in recipes()) {
        let record = cook(&recipe);
        let want = main_line(&record);
        let v30 = WriteOptions { csa: CsaVersion::V30, ..WriteOptions::default() };
        for options in [WriteOptions::default(), v30] {
            let got = through(&record, Format::Csa, options);
            check(&got, &want, || shown(&record, Format::Csa));
        }
        let v22 = WriteOptions { csa: CsaVersion::V22, ..WriteOptions::default() };
        let got = through(&record, Format::Csa, v22);
        check(&got, &each(&want, whole_seconds), || shown(&record, Format::Csa));
    }

    #[test]
    fn usi(recipe in recipes()) {
        let record = cook(&recipe);
        let got = through(&record, Format::Usi, WriteOptions::default());
        prop_assert_eq!(got.start().sfen(), record.start().sfen());
        prop_assert_eq!(got.moves(), record.moves());
        if matches!(record.ending(), Some(Termination::Resign | Termination::Declaration)) {
            prop_assert_eq!(got.outcome(), record.outcome());
        }
    }

    /// Shift_JIS lacks characters but never breaks a line: moves, times and shape survive.
    #[test]
    fn shift_jis(recipe in recipes()) {
        let record = cook(&recipe);
        let options = WriteOptions { encoding: Encoding::ShiftJis, ..WriteOptions::default() };
        for format in [Format::Kif, Format::Ki2, Format::Csa] {
            let (_, losses) = to_bytes(&record, format, &options).unwrap();
            let got = through(&record, format, options);
            prop_assert_eq!(got.moves(), record.moves());
            prop_assert_eq!(got.outcome(), record.outcome());
            if format != Format::Csa {
                prop_assert_eq!(got.len(), record.len());
            }
            let texts = recipe.texts.concat();
            let (bytes, ..) = SHIFT_JIS.encode(&texts);
            let exact = SHIFT_JIS.decode_without_bom_handling(&bytes).0 == texts;
            prop_assert!(!exact || losses.characters == 0);
            if exact && format == Format::Kif {
                check(&got, &each(&record, whole_seconds), || shown(&record, format));
            }
        }
    }

    /// What one format can hold survives the way through all others that can hold it too.
    #[test]
    fn chains(recipe in recipes()) {
        let record = through(&cook(&recipe), Format::Jkf, WriteOptions::default());
        let mut at = record.clone();
        for format in [Format::Kif, Format::Jkf, Format::Kif, Format::Jkf] {
            at = through(&at, format, WriteOptions::default());
        }
        check(&at, &record, || shown(&record, Format::Kif));
        let main = through(&main_line(&record), Format::Csa, WriteOptions::default());
        let back = through(&through(&main, Format::Kif, WriteOptions::default()), Format::Csa,
            WriteOptions::default());
        check(&back, &main, || shown(&main, Format::Csa));
    }
}
