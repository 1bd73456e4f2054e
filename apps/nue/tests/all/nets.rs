//! Nets over USI: `EvalDir` and `FV_SCALE`, and what happens when a net cannot be used.

use crate::gui::{Gui, weights};
use nnue::FeatureKind;

/// The static value of a position where nets differ.
fn value(gui: &mut Gui) -> String {
    let lines = gui.ask("position startpos moves 7g7f 3c3d 8h2b+\neval");
    lines.into_iter().last().unwrap()
}

fn choose(gui: &mut Gui, path: &str) -> Vec<String> {
    gui.ask(&format!("setoption name EvalDir value {path}"))
}

#[test]
fn a_net_is_used_from_isready_on_and_can_be_changed() {
    let mut gui = Gui::start(&[]);
    let material = value(&mut gui);
    let paths = [1, 2].map(|seed| {
        // Names that other programs stumble over.
        let name = format!("net {seed} 評価関数 é");
        weights::save(&name, &weights::bytes(FeatureKind::KP, 64, seed))
    });
    let mut seen = vec![material];
    for path in &paths {
        assert_eq!(choose(&mut gui, path), [""; 0]);
        let value = value(&mut gui);
        assert!(!seen.contains(&value), "{value}");
        seen.push(value);
        assert_ne!(gui.best("go depth 3"), "resign");
    }
    // Back to the first, named as a file; then with another divisor, in a game under way.
    choose(&mut gui, &format!("{}/nn.bin", paths[0]));
    assert_eq!(value(&mut gui), seen[1]);
    gui.ask("setoption name FV_SCALE value 1");
    assert_ne!(value(&mut gui), seen[1]);
    assert_eq!(gui.quit().1, 0);
}

#[test]
fn a_net_that_cannot_be_used_is_refused_with_reason_and_path_and_the_engine_goes_on() {
    let good = weights::bytes(FeatureKind::KP, 32, 3);
    let mini = weights::bytes(FeatureKind::MiniHalfKp, 32, 3);
    let other_kind = {
        let mut bytes = good.clone();
        let at = bytes.windows(4).position(|w| w == b"K+P[").unwrap();
        bytes[at..at + 3].copy_from_slice(b"HKA");
        bytes.truncate(bytes.len() - 7);
        bytes
    };
    let mut gui = Gui::start(&[]);
    choose(&mut gui, &weights::save("good", &good));
    let before = value(&mut gui);
    let size = good.len().to_string();
    let cases: [(&str, &[u8], &[&str]); 7] = [
        ("truncated", &good[..good.len() - 1], &["cut short", &size]),
        ("too long", &[&good[..], b"x"].concat(), &["too long", &size]),
        ("header only", &good[..100], &["100 bytes"]),
        ("empty", b"", &["0 bytes"]),
        ("foreign", &[0x55; 5000], &["not an NNUE file", "0x55555555", "0x7af32f16"]),
        ("unknown", &other_kind, &["unknown kind", "HKA", "HalfKP"]),
        ("minishogi", &mini, &["minishogi", "the game is shogi"]),
    ];
    for (name, bytes, parts) in cases {
        let path = weights::save(name, bytes);
        let lines = choose(&mut gui, &path);
        assert_eq!(lines.len(), 1, "{name}: {lines:?}");
        assert!(lines[0].starts_with("info string evaluation not changed: "), "{lines:?}");
        for part in parts.iter().chain(&[path.as_str()]) {
            assert!(lines[0].contains(part), "{part}: {lines:?}");
        }
        // Said once, and nothing has changed.
        assert_eq!(gui.ask(""), [""; 0], "{name}");
        assert_eq!(value(&mut gui), before, "{name}");
        assert_ne!(gui.best("go depth 2"), "resign");
    }
    for nothing in ["no such folder", weights::folder("bare").to_str().unwrap(), "<empty>", "\0"] {
        let lines = choose(&mut gui, nothing);
        assert!(lines.iter().any(|l| l.contains("expected nn.bin")), "{nothing:?}: {lines:?}");
        assert_eq!(value(&mut gui), before, "{nothing:?}");
    }
    assert_eq!(gui.quit().1, 0);
}

#[test]
fn a_bad_net_named_before_the_first_isready_leaves_material() {
    let mut gui = Gui::start(&[]);
    let path = weights::save("bad first", b"no net");
    gui.send(&format!("setoption name EvalDir value {path}"));
    // Some interfaces never send isready.
    gui.send("go depth 2");
    let (before, _) = gui.until("bestmove ");
    assert!(before.iter().any(|line| line.contains(&path)), "{before:?}");
    assert_eq!(gui.ask("position startpos\neval"), ["static value for the side to move: 0 cp"]);
}

#[test]
fn a_net_chosen_while_thinking_is_in_force_afterwards() {
    let path = weights::save("later", &weights::bytes(FeatureKind::KP, 32, 4));
    let mut gui = Gui::start(&[]);
    let material = value(&mut gui);
    gui.send("go infinite");
    gui.until("info depth");
    gui.send(&format!("setoption name EvalDir value {path}"));
    gui.send("stop");
    gui.until("bestmove ");
    gui.ask("");
    assert_ne!(value(&mut gui), material);
}

#[test]
fn a_net_for_the_small_game_is_used_there() {
    let path = weights::save("small", &weights::bytes(FeatureKind::MiniHalfKp, 32, 5));
    let mut gui = Gui::start(&["--game", "minishogi"]);
    let eval = "position startpos moves 2e3d\neval";
    let material = gui.ask(eval);
    assert_eq!(choose(&mut gui, &path), [""; 0]);
    assert_ne!(gui.ask(eval), material);
    assert_ne!(gui.best("go depth 3"), "resign");
}

#[test]
fn the_published_net_gives_the_reference_s_value() {
    let Some(folder) = weights::reference() else { return };
    let mut gui = Gui::start(&[]);
    choose(&mut gui, folder.to_str().unwrap());
    // 83 in the net's unit, of which 90 are a pawn.
    assert_eq!(gui.ask("eval"), ["static value for the side to move: 92 cp"]);
}
