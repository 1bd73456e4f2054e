//! The toolchain that compiles for a target.

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What compiles for a target.
pub(super) struct Toolchain {
    pub(super) cargo: PathBuf,
    pub(super) rustc: PathBuf,
    /// It has no standard library for the target, but its source.
    pub(super) builds_library: bool,
    pub(super) root: PathBuf,
}

impl Toolchain {
    /// The one that runs us where it can; else the system's, which may have the source of its library.
    pub(super) fn for_target(triple: &str) -> Result<Self, Box<dyn Error>> {
        let own = env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from);
        let beside = own.with_file_name("rustc");
        let own_rustc = if beside.is_file() { beside } else { "rustc".into() };
        let system = ["/usr/bin/cargo", "/usr/bin/rustc"].map(PathBuf::from);
        for (cargo, rustc) in [(own, own_rustc), (system[0].clone(), system[1].clone())] {
            let Some(root) = asked(&rustc, &["--print", "sysroot"]) else { continue };
            let root = PathBuf::from(root);
            let library = root.join("lib/rustlib").join(triple).join("lib");
            let toolchain = Self { cargo, rustc, builds_library: !library.is_dir(), root };
            if !toolchain.builds_library || toolchain.source().join("library").is_dir() {
                return Ok(toolchain);
            }
        }
        Err(format!(
            "no toolchain has a standard library for {triple}: rustup target add {triple}, or install \
             rustc-web, cargo-web and rust-web-src"
        )
        .into())
    }

    /// Where the source of the standard library lies, if it does.
    pub(super) fn source(&self) -> PathBuf {
        self.root.join("lib/rustlib/src/rust")
    }
}

/// What a program answers, if it does.
pub(super) fn asked(program: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
