//! The endurance test in little.

use std::process::Command;

#[test]
fn a_little_of_everything_loses_nothing() {
    // The same as a long run: restarts, broken lines, hostile guests.
    let soak = Command::new(env!("CARGO_BIN_EXE_soak"))
        .args(["endurance", "--games", "40", "--at-once", "10", "--restarts", "3"])
        .args(["--hostile", "2", "--seed", "5"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&soak.stdout);
    assert!(soak.status.success(), "{text}{}", String::from_utf8_lossy(&soak.stderr));
    assert!(text.contains("no game lost, no clock wrong, no result wrong"), "{text}");
    assert!(text.contains("restarts       3"), "{text}");
}
