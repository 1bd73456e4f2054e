//! `nue net` on files: what is made, what is refused, and that refusing touches nothing.

use crate::gui::{nue, weights};
use features::{Labels, Planes};
use infer::{Shape, native};
use nnue::{AnyNet, Architecture, FeatureKind, Noise};
use rules::Game;
use std::fs;
use std::path::{Path, PathBuf};

/// Standard output, error output and exit code.
fn run(line: &str, folder: &Path) -> (String, String, i32) {
    let words: Vec<String> = line
        .split(' ')
        .map(|word| word.replace('@', &format!("{}/", folder.to_str().unwrap())))
        .collect();
    let words: Vec<&str> = ["net"].into_iter().chain(words.iter().map(String::as_str)).collect();
    let output = nue(&words).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (text(output.stdout), text(output.stderr), output.status.code().unwrap())
}

fn good(line: &str, folder: &Path) -> String {
    let (out, err, code) = run(line, folder);
    assert_eq!(code, 0, "{line}: {err}");
    out
}

fn bad(line: &str, folder: &Path, code: i32, parts: &[&str]) {
    let (_, err, got) = run(line, folder);
    assert_eq!(got, code, "{line}: {err}");
    for part in parts {
        assert!(err.contains(part), "{line}: {err}");
    }
}

/// A net whose numbers are as large as those of trained ones.
fn net(features: FeatureKind, l0: usize, seed: u64) -> AnyNet {
    let shape = nnue::Shape { l0, h1: 16, h2: 32 };
    let noise = Noise { seed, transformer: 30, weight: 12, bias: 4000 };
    AnyNet::random(Architecture { features, shape }, noise)
}

fn bytes(net: &AnyNet) -> Vec<u8> {
    let mut bytes = Vec::new();
    net.write(&mut bytes).unwrap();
    bytes
}

/// An empty folder with two K-P nets, two 5×5 nets and damaged files.
fn desk(name: &str) -> PathBuf {
    let folder = weights::folder(name);
    for entry in fs::read_dir(&folder).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).unwrap();
    let a = bytes(&net(FeatureKind::KP, 32, 1));
    write("a.bin", &a);
    write("b.bin", &bytes(&net(FeatureKind::KP, 32, 2)));
    write("wide.bin", &bytes(&net(FeatureKind::KP, 64, 2)));
    write("m.bin", &bytes(&net(FeatureKind::MiniHalfKp, 32, 3)));
    write("n.bin", &bytes(&net(FeatureKind::MiniHalfKp, 32, 4)));
    write("cut.bin", &a[..a.len() - 3]);
    write("text.bin", b"this is no net");
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let list = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        list.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn there_and_back_is_the_same_file() {
    let folder = desk("convert");
    for name in ["a", "m"] {
        good(&format!("convert @{name}.bin -o @{name}.nuef --fv-scale 24"), &folder);
        good(&format!("convert @{name}.nuef -o @{name}2.bin"), &folder);
        good(&format!("strip @{name}.bin -o @{name}3.bin"), &folder);
        good(&format!("strip @{name}.nuef -o @{name}4.nuef"), &folder);
        let read = |suffix: &str| fs::read(folder.join(format!("{name}{suffix}"))).unwrap();
        assert!(read(".bin") == read("2.bin") && read(".bin") == read("3.bin"));
        assert_eq!(read(".nuef"), read("4.nuef"));
        let out = good(&format!("import @{name}.nuef -o @{name}5.bin"), &folder);
        assert!(out.contains("1000 positions") && out.contains("FV_SCALE 24"), "{out}");
        assert_eq!(out.matches("written").count(), 1, "{out}");
        assert!(read(".bin") == read("5.bin"));
        let out = good(&format!("verify @{name}.bin --real @{name}.nuef"), &folder);
        assert!(out.contains("instruction sets agree: scalar"), "{out}");
        good(&format!("verify @{name}.nuef"), &folder);
    }
    bad("convert @a.bin -o @x.bin", &folder, 2, &["in integers already", ".nuef"]);
    bad("convert @a.nuef -o @x.nuef", &folder, 2, &["in real numbers already"]);
    bad("convert @a.nuef -o @x.bin --fv-scale 3", &folder, 2, &["--fv-scale"]);
    bad("import @a.bin -o @x.bin", &folder, 1, &["a net in integers", "nuef"]);
    bad("import @a.nuef -o @x.nuef", &folder, 2, &["nn.bin"]);
    bad("strip @a.nuef -o @x.bin", &folder, 2, &["convert"]);
    bad("verify @b.bin --real @m.nuef", &folder, 1, &["HalfKP", "K+P"]);
    bad("verify @b.bin --real @a.nuef", &folder, 1, &["largest", "--tolerance"]);
    bad("import @a.nuef -o @x.bin --tolerance 0", &folder, 1, &["allowed are 0"]);
    assert!(!names(&folder).iter().any(|name| name.starts_with('x') || name.contains("tmp")));
}

#[test]
fn mixtures_are_made_of_nets_that_fit() {
    let folder = desk("mix");
    good("average @a.bin @a.bin @a.bin -o @same.bin", &folder);
    good("mix @a.bin=2 @b.bin=0 -o @first.bin", &folder);
    good("average @a.bin @b.bin -o @half.bin", &folder);
    good("mix @a.bin=0.5 @b.bin=0.5 -o @half2.bin", &folder);
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    assert!(read("same.bin") == read("a.bin") && read("first.bin") == read("a.bin"));
    assert!(read("half.bin") == read("half2.bin") && read("half.bin") != read("a.bin"));
    for name in ["a", "b"] {
        good(&format!("convert @{name}.bin -o @{name}.nuef"), &folder);
    }
    good("mix @a.nuef=3 @b.nuef=1 -o @real.nuef", &folder);
    good("mix @a.bin=3 @b.bin=1 -o @whole.bin", &folder);
    good("convert @real.nuef -o @real.bin", &folder);
    let out = good("diff @real.bin @whole.bin", &folder);
    // Rounded once or rounded before: never more than one apart.
    let largest = out.lines().skip(2).filter_map(|line| line.split_whitespace().rev().nth(2));
    let largest: Vec<&str> = largest.take(8).collect();
    assert!(largest.iter().all(|n| ["0", "1"].contains(n)), "{out}");
    assert!(good("diff @a.bin @a.bin", &folder).contains("mean distance 0.0"));

    bad("average @a.bin @wide.bin -o @x.bin", &folder, 1, &["different kinds", "64x2"]);
    bad("average @a.bin @m.bin -o @x.bin", &folder, 1, &["K+P", "minishogi"]);
    bad("average @a.bin @a.nuef -o @x.bin", &folder, 2, &["convert first"]);
    bad("average @a.bin @b.bin -o @x.nuef", &folder, 2, &["in integers"]);
    bad("mix @a.bin=1 @b.bin=-1 -o @x.bin", &folder, 1, &["add up to 0"]);
    bad("mix @a.nuef=1 @b.nuef=-1 -o @x.nuef", &folder, 1, &["add up to 0"]);
    bad("mix @a.bin -o @x.bin", &folder, 2, &["FILE=WEIGHT"]);
    bad("mix @a.bin=much -o @x.bin", &folder, 2, &["\"much\""]);
    bad("mix @a.bin=inf -o @x.bin", &folder, 2, &["not a weight"]);
    bad("diff @a.bin @wide.bin", &folder, 1, &["different kinds"]);
    assert!(!names(&folder).iter().any(|name| name.starts_with('x') || name.contains("tmp")));
}

#[test]
fn a_net_is_put_together_by_rank() {
    let folder = desk("assemble");
    good("assemble --rank 1-5=@m.bin -o @same.bin", &folder);
    good("assemble --rank 1-2=@m.bin --rank 3-5=@n.bin --layers @n.bin -o @both.bin", &folder);
    let read = |name: &str| AnyNet::from_bytes(&fs::read(folder.join(name)).unwrap()).unwrap();
    assert!(bytes(&read("same.bin")) == bytes(&read("m.bin")));
    let (both, m, n) = (read("both.bin"), read("m.bin"), read("n.bin"));
    assert!(both.same_layers(&n));
    let rows = 380 * 32;
    for king in 0..25 {
        let source = if king % 5 < 2 { &m } else { &n };
        let part = |net: &AnyNet| net.transformer().weights[king * rows..][..rows].to_vec();
        assert!(part(&both) == part(source), "{king}");
    }
    good("verify @both.bin", &folder);
    bad("assemble --rank 1-2=@m.bin --rank 3-5=@n.bin -o @x.bin", &folder, 2, &["--layers"]);
    bad("assemble --rank 1-4=@m.bin -o @x.bin", &folder, 2, &["no net for rank 5"]);
    bad("assemble --rank 1-5=@m.bin --rank 2=@m.bin -o @x.bin", &folder, 2, &["several", "rank 2"]);
    bad("assemble --rank 1-9=@m.bin -o @x.bin", &folder, 2, &["no rank 9"]);
    bad("assemble --rank 1-9=@a.bin -o @x.bin", &folder, 1, &["K+P", "HalfKPKrank"]);
    bad("assemble --rank 5-1=@m.bin -o @x.bin", &folder, 2, &["smaller rank first"]);
    bad("assemble --rank 0=@m.bin -o @x.bin", &folder, 2, &["\"0\""]);
    bad("assemble --rank @m.bin -o @x.bin", &folder, 2, &["N=FILE"]);
    bad("assemble --krank --rank 1-5=@m.bin -o @x.bin", &folder, 1, &["HalfKPKrank"]);
    assert!(!names(&folder).iter().any(|name| name.starts_with('x') || name.contains("tmp")));
}

#[test]
fn nothing_is_overwritten_and_damage_is_told() {
    let folder = desk("damage");
    good("convert @a.bin -o @a.nuef", &folder);
    let real = fs::read(folder.join("a.nuef")).unwrap();
    fs::write(folder.join("cut.nuef"), &real[..real.len() - 1]).unwrap();
    let mut nan = real;
    let end = nan.len();
    nan[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    fs::write(folder.join("nan.nuef"), nan).unwrap();
    let before = fs::read(folder.join("b.bin")).unwrap();
    for line in [
        "import @a.nuef -o @b.bin",
        "convert @a.nuef -o @b.bin",
        "average @a.bin -o @b.bin",
        "mix @a.bin=1 -o @b.bin",
        "assemble --rank 1-5=@m.bin -o @b.bin",
        "strip @a.bin -o @b.bin",
    ] {
        bad(line, &folder, 2, &["b.bin", "exists", "--force"]);
        assert!(fs::read(folder.join("b.bin")).unwrap() == before);
    }
    for (file, part) in [
        ("cut.bin", "cut short"),
        ("text.bin", "not an NNUE file"),
        ("cut.nuef", "cut short"),
        ("nan.nuef", "NaN"),
        ("none.bin", "cannot open"),
    ] {
        for line in [
            format!("import @{file} -o @b.bin --force"),
            format!("verify @{file}"),
            format!("convert @{file} -o @b.bin --force"),
            format!("average @a.bin @{file} -o @b.bin --force"),
            format!("mix @{file}=1 -o @b.bin --force"),
            format!("assemble --rank 1-9=@{file} -o @b.bin --force"),
            format!("diff @a.bin @{file}"),
            format!("strip @{file} -o @b.bin --force"),
        ] {
            bad(&line, &folder, 1, &[file, part]);
        }
    }
    assert!(fs::read(folder.join("b.bin")).unwrap() == before);
    good("strip @a.bin -o @b.bin --force", &folder);
    assert!(fs::read(folder.join("b.bin")).unwrap() != before);
}

#[test]
fn a_packed_net_is_smaller_and_comes_back_byte_for_byte() {
    let folder = desk("packed");
    good("pack @a.bin -o @a.nnz", &folder);
    good("verify @a.nnz", &folder);
    good("unpack @a.nnz -o @again.bin", &folder);
    let size = |name: &str| fs::metadata(folder.join(name)).unwrap().len();
    assert!(size("a.nnz") < size("a.bin"));
    let read = |name: &str| fs::read(folder.join(name)).unwrap();
    assert!(read("a.bin") == read("again.bin"));
    bad("pack @a.bin -o @a.nnz", &folder, 2, &["a.nnz", "exists", "--force"]);
    good("convert @a.bin -o @a.nuef", &folder);
    bad("pack @a.nuef -o @b.nnz", &folder, 2, &["real numbers", "import"]);
}

#[test]
fn what_a_score_is_worth_is_written_and_shown() {
    let folder = desk("scale");
    assert!(good("scale @a.bin", &folder).contains("names no scale"));
    assert!(good("info @a.bin", &folder).contains("win rate      not said"));
    good("scale @a.bin --set 871.5 -o @told.bin", &folder);
    assert_eq!(good("scale @told.bin", &folder), "871.5\n");
    assert!(good("info @told.bin", &folder).contains("73 % at a score of 871.5"));
    good("verify @told.bin", &folder);
    // It goes through real numbers and through strip; the weights are the same.
    good("convert @told.bin -o @told.nuef", &folder);
    good("scale @told.nuef --set 700 -o @other.nuef", &folder);
    good("convert @other.nuef -o @other.bin", &folder);
    good("strip @other.bin -o @bare.bin", &folder);
    assert_eq!(good("scale @bare.bin", &folder), "700\n");
    assert!(good("diff @a.bin @bare.bin", &folder).contains('0'));
    let before = names(&folder);
    for (line, code, parts) in [
        ("scale @a.bin --set 5 -o @told.bin", 2, &["exists", "--force"][..]),
        ("scale @a.bin --set 0 -o @x.bin", 2, &["1 to 100,000"]),
        ("scale @a.bin --set nan -o @x.bin", 2, &["1 to 100,000"]),
        ("scale @a.bin --set 5", 2, &["--output"]),
        ("scale @a.bin -o @x.bin", 2, &["--set", "--fit"]),
        ("scale @a.bin --set 5 -o @x.nuef", 2, &["nue net convert"]),
        ("scale @cut.bin --set 5 -o @x.bin", 1, &["cut.bin"]),
        ("scale @a.bin --fit @none.teacher -o @x.bin", 1, &["none.teacher"]),
    ] {
        bad(line, &folder, code, parts);
    }
    assert_eq!(names(&folder), before);
    good("scale @a.bin --set 5 -o @told.bin --force", &folder);
    assert_eq!(good("scale @told.bin", &folder), "5\n");
}

#[test]
fn foreign_hashes_do_not_pass() {
    let folder = desk("hashes");
    let good_net = bytes(&net(FeatureKind::KP, 32, 1));
    // The hash of the file, that of the transformer behind the description.
    let behind = 12 + u32::from_le_bytes(good_net[8..12].try_into().unwrap()) as usize;
    for at in [4, behind] {
        let mut foreign = good_net.clone();
        foreign[at] ^= 0x10;
        fs::write(folder.join("foreign.bin"), &foreign).unwrap();
        bad("verify @foreign.bin", &folder, 1, &["foreign.bin", "hashes", "nue net strip"]);
        good("strip @foreign.bin -o @bare.bin --force", &folder);
        good("verify @bare.bin", &folder);
    }
}

#[test]
fn policy_value_nets_are_told_apart_by_their_first_bytes() {
    let folder = weights::folder("deep");
    let shape =
        Shape { game: Game::Minishogi, planes: Planes::Minishogi, labels: Labels::Minishogi };
    let sizes =
        native::Architecture { shape, blocks: 1, channels: 32, value_channels: 2, value_hidden: 8 };
    let mut file = Vec::new();
    native::Floats::random(sizes, 1).write(&mut file).unwrap();
    fs::write(folder.join("a.nuedf"), &file).unwrap();
    fs::write(folder.join("cut.nuedf"), &file[..file.len() - 4]).unwrap();
    let out = good("import @a.nuedf -o @a.nued --positions 8 --compared 9 --force", &folder);
    assert!(
        out.contains("1x32 (minishogi") && out.contains("over 9 positions: same best"),
        "{out}"
    );
    bad("import @a.nuedf -o @a.nued --positions 8", &folder, 2, &["--force"]);
    bad("import @cut.nuedf -o @b.nued", &folder, 1, &["cut.nuedf", "the tensors need"]);
    for (name, kind) in [("a.nuedf", "real numbers"), ("a.nued", "integers")] {
        let out = good(&format!("info @{name}"), &folder);
        for part in [kind, "1x32", "minishogi", "0x"] {
            assert!(out.contains(part), "{name}: {out}");
        }
    }
    let mut damaged = fs::read(folder.join("a.nued")).unwrap();
    damaged[200] ^= 1;
    fs::write(folder.join("damaged.nued"), damaged).unwrap();
    bad("info @damaged.nued", &folder, 1, &["damaged.nued", "the checksum is wrong"]);
}
