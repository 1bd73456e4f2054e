//! Tells the program which commit it is made of, where that is known.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=NUE_COMMIT");
    // A packager without the history may name the commit.
    let named = std::env::var("NUE_COMMIT").ok();
    let commit = named.or_else(|| {
        // The history may be that of something this source was unpacked into.
        git(&["ls-files", "--error-unmatch", "build.rs"])?;
        // Every commit and every checkout adds a line to it.
        let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
        if Path::new(&log).exists() {
            println!("cargo::rerun-if-changed={log}");
        }
        git(&["rev-parse", "--short=10", "HEAD"])
    });
    println!("cargo::rustc-env=NUE_COMMIT={}", commit.unwrap_or_default());
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
