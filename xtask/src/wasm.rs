//! `cargo xtask wasm`: the board and its engine for browsers, as target/wasm/nue.wasm.
//!
//! The module is not committed: it changes with every change of search or evaluation, and a plain clone on
//! base tools cannot make it. `nue web --export` takes the one beside the executable, or the one that is named.
//!
//! It needs a compiler with a standard library for wasm32-unknown-unknown: rustup's target, or a compiler
//! of the system that has the library's source and makes it (Debian: rustc-web, cargo-web, rust-web-src).

use crate::{CommandResult, workspace_root};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const TARGET: &str = "wasm32-unknown-unknown";

/// Vectors, and the stack a search needs (`think::STACK`).
const FLAGS: &str =
    "-C target-feature=+simd128,+bulk-memory,+sign-ext -C link-arg=-zstack-size=33554432";

/// Runs the command.
pub(crate) fn run(arguments: &[String]) -> CommandResult {
    if let Some(word) = arguments.first() {
        return Err(format!("unexpected {word:?}: wasm takes no arguments").into());
    }
    let target = target_folder();
    let (made, build) = (target.join("wasm/nue.wasm"), target.join("wasm-build"));
    let mut cargo = compiler()?;
    cargo
        .current_dir(workspace_root())
        .args(["rustc", "--quiet", "--package", "offline", "--lib", "--crate-type", "cdylib"])
        .args(["--profile", "wasm", "--target", TARGET, "--target-dir"])
        .arg(&build)
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", FLAGS);
    if let Some(linker) = linker() {
        cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
    }
    if !cargo.status()?.success() {
        return Err("the module could not be built".into());
    }
    fs::create_dir_all(target.join("wasm"))?;
    let bytes = fs::copy(build.join(TARGET).join("wasm/offline.wasm"), &made)?;
    println!("{}: {} KiB", made.display(), bytes / 1024);
    Ok(ExitCode::SUCCESS)
}

fn target_folder() -> PathBuf {
    let chosen = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    workspace_root().join(chosen.unwrap_or_else(|| "target".into()))
}

/// A cargo that can build for browsers.
fn compiler() -> Result<Command, Box<dyn Error>> {
    if library_of("rustc").is_some_and(|folder| folder.is_dir()) {
        return Ok(crate::cargo());
    }
    let (rustc, cargo) = (Path::new("/usr/bin/rustc"), Path::new("/usr/bin/cargo"));
    let source = sysroot(rustc).map(|root| root.join("lib/rustlib/src/rust/library/Cargo.lock"));
    if cargo.exists() && source.is_some_and(|lock| lock.exists()) {
        let mut command = Command::new(cargo);
        command
            .env("RUSTC", rustc)
            .env("RUSTDOC", "/usr/bin/rustdoc")
            .env_remove("RUSTUP_TOOLCHAIN");
        // The library is made from its source, which only an unstable flag asks for.
        command.env("RUSTC_BOOTSTRAP", "1").arg("-Zbuild-std=std,panic_abort");
        return Ok(command);
    }
    let install = "install it with \"rustup target add wasm32-unknown-unknown\", or on Debian the packages \
                   rustc-web, cargo-web and rust-web-src";
    Err(format!("there is no standard library for {TARGET}: {install}").into())
}

fn says(program: &Path, arguments: &[&str]) -> Option<PathBuf> {
    let output = Command::new(program).args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| PathBuf::from(text.trim()))
}

fn sysroot(rustc: &Path) -> Option<PathBuf> {
    says(rustc, &["--print", "sysroot"])
}

fn library_of(rustc: &str) -> Option<PathBuf> {
    says(Path::new(rustc), &["--print", "target-libdir", "--target", TARGET])
}

/// The linker, where the compiler has none of its own: rustup's, or one of the system.
fn linker() -> Option<PathBuf> {
    let root = sysroot(Path::new("rustc"))?.join("lib/rustlib");
    let hosts = fs::read_dir(root).ok()?.flatten().map(|entry| entry.path().join("bin/rust-lld"));
    let own = hosts.into_iter().find(|path| path.exists());
    own.or_else(|| Some(PathBuf::from("/usr/bin/wasm-ld")).filter(|path| path.exists()))
}
