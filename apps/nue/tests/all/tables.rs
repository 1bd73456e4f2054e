//! KKPPT tables as a user meets them: evaluating, looking at the file, playing, damage, learning.

use crate::gui::weights::{self, folder};
use crate::gui::{Gui, nue};
use eval::{KkpptTables, king_view};
use nnue::FeatureKind;
use rules::{AnyPosition, Color, Game, Minishogi, Position};
use std::fs;
use std::process::Output;
use teacher::{Flags, Header, Ply, Writer};

/// A folder with tables that like a black king on 5e when White's is on 1a.
fn tables(name: &str) -> String {
    let mut tables = KkpptTables::zeroed();
    tables.description = "for\ta test".to_owned();
    let view = king_view(24, 0).unwrap();
    let (place, sign) = (usize::from(view.place), if view.turned { -1 } else { 1 });
    tables.kk[place] = [sign * 32 * 100, 32 * 7];
    tables.set_kkpp(place, 379, 1, [-5, 12]);
    let folder = folder(name);
    let mut bytes = Vec::new();
    tables.write(&mut bytes).unwrap();
    fs::write(folder.join("kkppt.bin"), bytes).unwrap();
    folder.to_str().unwrap().to_owned()
}

fn run(arguments: &[&str]) -> (String, String, i32) {
    let Output { stdout, stderr, status } =
        nue(arguments).current_dir(folder("empty")).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (text(stdout), text(stderr), status.code().unwrap())
}

#[test]
fn positions_are_evaluated() {
    let path = tables("eval");
    let sfens = folder("eval").join("sfens");
    fs::write(&sfens, "rbsgk/4p/5/P4/KGSBR b - 1\nrbsgk/4p/5/P4/KGSBR w - 1\n").unwrap();
    let sfens = sfens.to_str().unwrap();
    for path in [path.clone(), format!("{path}/kkppt.bin")] {
        let (out, err, code) =
            run(&["eval", "--game", "minishogi", "--net", &path, "--sfens", sfens]);
        assert_eq!(code, 0, "{err}");
        assert!(err.contains("KKPPT"), "{err}");
        let values: Vec<_> = out.lines().map(|l| l.split('\t').nth(1).unwrap()).collect();
        assert_eq!(values, ["107", "-93"]);
    }
    let (_, err, code) = run(&["eval", "--net", &path, "--sfens", sfens]);
    assert_ne!(code, 0);
    assert!(err.contains("minishogi") && err.contains("the game is shogi"), "{err}");
}

#[test]
fn info_says_what_it_is() {
    let path = tables("info");
    let (out, err, code) = run(&["net", "info", &path]);
    assert_eq!(code, 0, "{err}");
    for part in ["KKPPT", "for?a test", "minishogi", "18629376", "KKPP board", "-5", "3200"] {
        assert!(out.contains(part), "{part}: {out}");
    }
}

/// A folder with three-piece tables of 5×5, `by` times a few numbers.
fn three_piece(name: &str, by: i32) -> String {
    let mut tables = eval::Tables::<Minishogi, true>::zeroed();
    (tables.kk[0], tables.kkp[5]) = (100 * by, -40 * by);
    tables.kpp[0] = (7 * by) as i16;
    let folder = folder(name);
    tables.save(&folder).unwrap();
    folder.to_str().unwrap().to_owned()
}

#[test]
fn three_piece_tables_are_looked_at_checked_compared_and_mixed() {
    let (one, three) = (three_piece("kppt-one", 1), three_piece("kppt-three", 3));
    let (out, err, code) = run(&["net", "info", &one]);
    assert_eq!(code, 0, "{err}");
    for part in
        ["KPPT", "minishogi", "25 x 25 squares", "16345000", "KPP tempo", "KKP board", "-40"]
    {
        assert!(out.contains(part), "{part}: {out}");
    }
    let (out, err, code) = run(&["net", "verify", &one]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("KPPT tables") && out.contains("instruction sets agree"), "{out}");
    let mean = folder("kppt-mean");
    let mean = mean.to_str().unwrap();
    let (_, err, code) = run(&["net", "average", &one, &three, "-o", mean]);
    assert!(code == 2 && err.contains("--force"), "{err}");
    let (out, err, code) = run(&["net", "average", &one, &three, "-o", mean, "--force"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("written"), "{out}");
    let two = three_piece("kppt-two", 2);
    let (out, err, code) = run(&["net", "diff", mean, &two]);
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("mean distance 0.0, largest 0"), "{out}");
    let (out, _, _) = run(&["net", "diff", &one, &three]);
    let kk = out.lines().find(|line| line.starts_with("KK board")).unwrap();
    assert!(kk.split_whitespace().any(|word| word == "200"), "{out}");
    // What makes no sense with tables says so.
    for command in ["strip", "scale", "pack"] {
        let (_, err, code) = run(&["net", command, &one, "-o", "x", "--force"]);
        assert_ne!(code, 0);
        assert!(err.contains("holds KPPT tables"), "{command}: {err}");
    }
    // Four-piece tables are mixed too, but not with these.
    let four = tables("kppt-four");
    let (_, err, code) = run(&["net", "average", &one, &four, "-o", "x"]);
    assert!(code == 1 && err.contains("holds KKPPT for minishogi, the first KPPT"), "{err}");
}

#[test]
fn the_engine_plays_with_it_and_bench_counts_other_nodes() {
    let path = tables("play");
    let mut gui = Gui::start(&[]);
    gui.ask("setoption name USI_Variant value minishogi");
    let lines = gui.ask(&format!("setoption name EvalDir value {path}"));
    assert_eq!(lines, [""; 0]);
    let value = gui.ask("position startpos\neval").pop().unwrap();
    // 107 units, a pawn being 90.
    assert!(value.contains(" 118 cp"), "{value}");
    assert_ne!(gui.best("go depth 4"), "resign");
    assert_eq!(gui.quit().1, 0);
    let signature = |net: &[&str]| {
        let args = [&["bench", "--depth", "4", "--game", "minishogi"], net].concat();
        run(&args).0.lines().find(|l| l.starts_with("signature")).unwrap().to_owned()
    };
    assert_ne!(signature(&["--net", &path]), signature(&[]));
}

#[test]
fn damaged_tables_are_refused_with_reason_and_path() {
    let path = tables("damage");
    let file = format!("{path}/kkppt.bin");
    let mut bytes = fs::read(&file).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&file, &bytes).unwrap();
    let (out, err, code) = run(&["net", "info", &path]);
    assert_eq!((out.as_str(), code), ("", 1));
    assert!(err.contains(&file) && err.contains("damaged: checksum"), "{err}");
    fs::write(&file, &bytes[..50]).unwrap();
    let (_, err, _) = run(&["net", "info", &path]);
    assert!(err.contains("50 bytes, its header says"), "{err}");
    // A net under that name is not one either.
    fs::write(&file, weights::bytes(FeatureKind::MiniHalfKp, 32, 1)).unwrap();
    let (_, err, _) = run(&["net", "info", &path]);
    assert!(err.contains("not with \"NueKKPPT\""), "{err}");
}

// training

/// Random games of minishogi whose scores are their material and 50 for the side to move.
fn games(name: &str, count: u64) -> String {
    let mut writer = Writer::new(Vec::new(), Header::new(Game::Minishogi)).unwrap();
    for number in 0..count {
        let mut random = seed::Rng::for_purpose(5, &[number, count]);
        let mut game = teacher::Game::new(AnyPosition::startpos(Game::Minishogi));
        let mut position = Position::<Minishogi>::startpos();
        for _ in 0..40 {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            let mv = moves[random.below(moves.len())];
            let material = eval::material(&position, &eval::PIECE_VALUES) as i16;
            let score = if position.turn() == Color::Black { material } else { -material } + 50;
            game.plies.push(Ply { mv, score: Some(score), flags: Flags::default() });
            position.play(mv);
        }
        game.outcome = teacher::Outcome::Draw;
        writer.write(&game).unwrap();
    }
    let path = folder("games").join(name);
    fs::write(&path, writer.finish().unwrap()).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn tables_learn_from_games() {
    let (data, held) = (games("data", 150), games("held", 30));
    let out = |name: &str| folder("learned").join(name).to_str().unwrap().to_owned();
    let train = |name: &str, more: &[&str]| {
        let out = out(name);
        let line = ["train", &data, "--validation", &held, "-o", &out, "--arch", "kkppt"];
        let rest = ["--force", "--batch", "200", "--epochs", "1", "--lambda", "1", "--lr", "0.1"];
        let (_, err, code) = run(&[&line[..], &rest, more].concat());
        assert_eq!(code, 0, "{err}");
        fs::read(out).unwrap()
    };
    // That threads change nothing is for the trainer's own tests.
    let one = train("one.bin", &["--threads", "3"]);
    let plain = train("plain.bin", &["--no-factors"]);
    assert!(one != plain);
    // It goes on from what there is.
    assert!(plain != train("further.bin", &["--no-factors", "--from", &out("plain.bin")]));
    let (_, err, code) =
        run(&["train", &data, "--validation", &held, "-o", &out("y"), "--from", &out("plain.bin")]);
    assert!(code != 0 && err.contains("nue train --from with --arch KKPPT"), "{err}");

    let sfens = folder("learned").join("sfens");
    fs::write(&sfens, "rbsgk/4p/5/P4/KGSBR b - 1\nrbsgk/4p/5/P4/KGSBR w - 1\n").unwrap();
    let (values, err, code) = run(&[
        "eval",
        "--game",
        "minishogi",
        "--net",
        &out("one.bin"),
        "--sfens",
        sfens.to_str().unwrap(),
    ]);
    assert_eq!(code, 0, "{err}");
    for line in values.lines() {
        let value: i32 = line.split('\t').nth(1).unwrap().parse().unwrap();
        assert!((20..80).contains(&value), "having the move is worth 50: {line}");
    }
    let (_, err, code) =
        run(&["train", &data, "--validation", &held, "-o", &out("x"), "--arch", "kppt"]);
    assert_ne!(code, 0);
    assert!(err.contains("for shogi") && err.contains("minishogi"), "{err}");
}
