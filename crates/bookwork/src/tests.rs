//! Commands as a user gives them.

use crate::searcher::no_fleet;
use crate::{BookArgs, Console, WorkError};
use clap::Parser;
use std::path::Path;
use std::sync::atomic::AtomicBool;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    args: BookArgs,
}

/// Runs a command; what it wrote and what it told.
fn run(line: &str) -> Result<(String, Vec<String>), WorkError> {
    let cli = Cli::try_parse_from(std::iter::once("book").chain(line.split_whitespace()))
        .unwrap_or_else(|error| panic!("{error}"));
    let (mut output, mut told, stop) = (Vec::new(), Vec::new(), AtomicBool::new(false));
    let mut tell = |text: &str| told.push(text.to_owned());
    cli.args.run(&mut Console {
        output: &mut output,
        tell: &mut tell,
        stop: &stop,
        fleet: &no_fleet,
    })?;
    Ok((String::from_utf8(output).unwrap(), told))
}

const GAMES: &str = "startpos moves 7g7f 3c3d 2g2f 8c8d\nstartpos moves 7g7f 8c8d\n\
                     startpos moves 2g2f 8c8d 7g7f\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("games.usi"), GAMES).unwrap();
    folder
}

fn at(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

#[test]
fn a_book_from_games_grows_with_them() {
    let folder = folder();
    let (games, out) = (at(folder.path(), "games.usi"), at(folder.path(), "b.nbk"));
    let (text, _) = run(&format!("make {games} --out {out}")).unwrap();
    assert!(text.contains("6 positions") && text.contains("3 taken"), "{text}");
    assert!(matches!(run(&format!("make {games} --out {out}")), Err(WorkError::Exists(_))));
    let more = at(folder.path(), "more.usi");
    std::fs::write(&more, "startpos moves 7g7f 3c3d 2g2f 8c8d\nstartpos moves 5g5f\n").unwrap();
    let (text, _) = run(&format!("make {more} --out {out} --add")).unwrap();
    assert!(text.contains("1 taken, 1 seen before"), "{text}");
    let (text, _) = run(&format!("tree {out} --depth 1")).unwrap();
    assert_eq!(text, "☗7g7f  ×2\n☗2g2f  ×1\n☗5g5f  ×1\n");
    let (text, _) = run(&format!("stats {out}")).unwrap();
    assert!(text.contains("positions  6"), "{text}");
}

#[test]
fn a_book_is_converted_compared_merged_and_pruned() {
    let folder = folder();
    let path = |name: &str| at(folder.path(), name);
    let (games, own) = (path("games.usi"), path("b.nbk"));
    run(&format!("make {games} --out {own}")).unwrap();
    for name in ["b.db", "b.ybb", "b.sbk", "b.bin"] {
        let (text, told) = run(&format!("convert {own} --out {}", path(name))).unwrap();
        assert!(text.contains("6 positions"), "{name}: {text}");
        assert_eq!(
            told.iter().any(|t| t.contains("unknown values")),
            ["b.ybb", "b.bin"].contains(&name)
        );
        let (text, _) =
            run(&format!("convert {} --out {} --force", path(name), path("back.nbk"))).unwrap();
        assert!(text.contains("6 positions"), "{name}: {text}");
    }
    let (text, _) = run(&format!("diff {own} {}", path("b.db"))).unwrap();
    assert!(text.starts_with("positions: 6 alike"), "{text}");
    run(&format!("merge {own} {} --out {}", path("b.db"), path("two.nbk"))).unwrap();
    let (text, _) = run(&format!("tree {} --depth 1", path("two.nbk"))).unwrap();
    assert_eq!(text, "☗7g7f  ×4\n☗2g2f  ×2\n");
    let (text, _) = run(&format!("prune {own} --side w --out {}", path("w.nbk"))).unwrap();
    assert!(text.contains("3 positions") && text.contains("left out: 3 positions"), "{text}");
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1";
    let text = format!("#YANEURAOU-DB2016 1.00\nsfen {start}\n7g7f 3c3d 5 9 1\n# good\n");
    std::fs::write(path("full.db"), text).unwrap();
    run(&format!("prune {} --plain --out {}", path("full.db"), path("plain.db"))).unwrap();
    let plain = std::fs::read_to_string(path("plain.db")).unwrap();
    assert!(plain.ends_with("\n7g7f none 5 9 1\n"), "{plain}");
}

#[test]
fn a_probe_says_why() {
    let folder = folder();
    let path = |name: &str| at(folder.path(), name);
    run(&format!("make {} --out {}", path("games.usi"), path("b.db"))).unwrap();
    let (text, _) = run(&format!("probe {} --option NarrowBook=true", path("b.db"))).unwrap();
    assert!(text.contains("found in") && text.contains("plays "), "{text}");
    let (text, _) = run(&format!("probe {} --option BookMoves=0", path("b.db"))).unwrap();
    assert!(text.contains("(BookMoves)"), "{text}");
    let wrong = run(&format!("probe {} --option Nonsense=1", path("b.db")));
    assert!(wrong.is_err_and(|error| error.to_string().contains("Nonsense")));
}

#[test]
fn faults_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.db");
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
    let text = format!(
        "#YANEURAOU-DB2016 1.00\nsfen {start} b - 1\n7g7f none 0 0 1\n7g7d none 0 0 1\n\
         sfen 4k4/9/9/2P6/9/9/9/9/4K4 b - 1\n7d7c none 0 0 1\n"
    );
    std::fs::write(&path, text).unwrap();
    let (mut output, mut told, stop) = (Vec::new(), Vec::new(), AtomicBool::new(false));
    let cli = Cli::try_parse_from(["book", "check", &path.display().to_string()]).unwrap();
    let mut tell = |text: &str| told.push(text.to_owned());
    let checked = cli.args.run(&mut Console {
        output: &mut output,
        tell: &mut tell,
        stop: &stop,
        fleet: &no_fleet,
    });
    assert!(checked.is_err_and(|error| error.to_string() == "1 faults"));
    let output = String::from_utf8(output).unwrap();
    assert!(
        output.contains("not sorted") && output.contains("1 moves that stay unpromoted"),
        "{output}"
    );
    assert!(told[0].contains("line 4"), "{told:?}");
}

#[test]
fn values_are_propagated_from_any_format() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| at(folder.path(), name);
    let start = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL";
    let after = "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL";
    let text = format!(
        "#YANEURAOU-DB2016 1.00\nsfen {after} w - 2\n3c3d none -45 9 1\nsfen {start} b - 1\n7g7f none 10 9 1\n"
    );
    std::fs::write(path("in.db"), text).unwrap();
    let (text, _) = run(&format!("minimax {} --out {}", path("in.db"), path("out.db"))).unwrap();
    assert!(text.contains("2 positions"), "{text}");
    let written = std::fs::read_to_string(path("out.db")).unwrap();
    assert!(written.contains("7g7f none 45 1 1"), "{written}");
}

#[test]
fn handicap_games_and_minishogi_go_through_every_format_that_knows_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| at(folder.path(), name);
    let first = "#YANEURAOU-DB2016 1.00\nsfen";
    let rook = "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1";
    std::fs::write(path("rook.db"), format!("{first} {rook}\n3c3d none 12 5 3\n")).unwrap();
    for name in ["rook.nbk", "rook.ybb", "rook.bin", "rook.sbk"] {
        let (text, _) = run(&format!("convert {} --out {}", path("rook.db"), path(name))).unwrap();
        assert!(text.contains("1 positions, 1 moves"), "{name}: {text}");
        let back = format!("convert {} --out {} --force", path(name), path("back.nbk"));
        assert!(run(&back).unwrap().0.contains("1 positions, 1 moves"), "{name}");
        let (text, _) = run(&format!("probe {} --position rook", path(name))).unwrap();
        assert!(text.contains("plays 3c3d"), "{name}: {text}");
    }
    let mini = "rbsgk/4p/5/P4/KGSBR b - 1";
    std::fs::write(path("mini.db"), format!("{first} {mini}\n3e3d none 12 5 3\n")).unwrap();
    for name in ["mini.nbk", "mini.ybb"] {
        run(&format!("convert {} --out {}", path("mini.db"), path(name))).unwrap();
        let (text, _) = run(&format!("probe {} --game minishogi", path(name))).unwrap();
        assert!(text.contains("plays 3e3d"), "{name}: {text}");
        let back = path("mini-back.db");
        run(&format!("convert {} --game minishogi --out {back} --force", path(name))).unwrap();
        assert!(std::fs::read_to_string(back).unwrap().contains(mini), "{name}");
    }
    for name in ["mini.bin", "mini.sbk"] {
        let refused = run(&format!("convert {} --out {}", path("mini.db"), path(name)));
        assert!(refused.is_err_and(|error| error.to_string().contains("minishogi")), "{name}");
    }
    let (text, _) = run(&format!("tree {} --position rook --depth 1", path("rook.db"))).unwrap();
    assert!(text.contains("☖3c3d"), "{text}");
}
