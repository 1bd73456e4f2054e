//! `nue completions`: made from the flags, so that nothing is missing.

use std::process::Command;

fn made(what: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
    let output = command.arg("completions").args(what).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_shell_knows_commands_and_flags() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let text = made(&[shell]);
        for word in ["match", "cluster", "no-open", "watch-match"] {
            assert!(text.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn the_manual_names_every_command() {
    let manual = made(&["man"]);
    assert!(manual.contains(".TH nue 1"), "{}", &manual[..manual.len().min(400)]);
    for command in ["perft", "doctor", "completions"] {
        assert!(manual.contains(&format!("nue\\-{command}(1)")), "{command}");
    }
    let page = made(&["man", "match"]);
    assert!(page.contains("nue\\-match") && page.contains("\\-\\-concurrency"), "{page}");
}

#[test]
fn what_cannot_be_made_is_refused() {
    for wrong in [&["cmd.exe"][..], &["man", "attic"]] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_nue"));
        let status = command.arg("completions").args(wrong).output().unwrap().status;
        assert_eq!(status.code(), Some(2), "{wrong:?}");
    }
}
