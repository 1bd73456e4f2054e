//! The storm in little.

use std::process::Command;

#[test]
fn a_little_storm_loses_nothing() {
    if fixtures::program("nats-server").is_none() {
        return;
    }
    let soak = Command::new(env!("CARGO_BIN_EXE_soak"))
        .args(["storm", "--results", "1000", "--workers", "6", "--every", "1500"])
        .args(["--seed", "3", "--limit", "300"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&soak.stdout);
    assert!(soak.status.success(), "{text}{}", String::from_utf8_lossy(&soak.stderr));
    assert!(text.contains("no result lost, none counted twice, none wrong"), "{text}");
    assert!(text.contains("killed"), "{text}");
}
