//! The platforms, and how the executable of each is built here.
//!
//! | platform | runs on | built with |
//! |---|---|---|
//! | linux-x86_64, linux-aarch64 | glibc 2.17 (2012) and newer | `cargo zigbuild`, whose linker knows the symbols of every glibc |
//! | windows-x86_64 | Windows 10 and newer | MinGW-w64's linker; needs none of its libraries |
//!
//! Not statically: a static executable cannot load a library at run time, as `onnx` does. Where the toolchain
//! has no standard library for a target it is built from its source.

use super::Commit;
use super::archive::Kind;
use super::profile::{Profile, SHARED};
use super::toolchain::Toolchain;
use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A kind of machine that archives are made for.
pub(super) struct Platform {
    pub(super) name: &'static str,
    pub(super) triple: &'static str,
    pub(super) executable: &'static str,
    pub(super) archive: Kind,
    builder: Builder,
    /// Instructions that are taken for granted (docs/decisions/x86-64-baseline.md); the rest is chosen at run time.
    flags: &'static [&'static str],
    /// Optimised by what a run of it showed (`profile`): where the compiler has what counts, and what is built
    /// runs on the machine that builds it.
    pub(super) is_profiled: bool,
}

#[derive(Clone, Copy)]
enum Builder {
    /// Linked against that glibc.
    Zig {
        glibc: &'static str,
    },
    Plain {
        linker: &'static str,
    },
}

const X86_64: &str = "-Ctarget-cpu=x86-64-v2";

pub(super) static PLATFORMS: &[Platform] = &[
    Platform {
        name: "linux-x86_64",
        triple: "x86_64-unknown-linux-gnu",
        executable: "nue",
        archive: Kind::TarGz,
        builder: Builder::Zig { glibc: "2.17" },
        flags: &[X86_64],
        is_profiled: true,
    },
    Platform {
        name: "linux-aarch64",
        triple: "aarch64-unknown-linux-gnu",
        executable: "nue",
        archive: Kind::TarGz,
        builder: Builder::Zig { glibc: "2.17" },
        flags: &[],
        is_profiled: false,
    },
    Platform {
        name: "windows-x86_64",
        triple: "x86_64-pc-windows-gnu",
        executable: "nue.exe",
        archive: Kind::Zip,
        builder: Builder::Plain { linker: "x86_64-w64-mingw32-gcc" },
        // The time of linking would be in its head.
        flags: &[X86_64, "-Clink-arg=-Wl,--no-insert-timestamp"],
        is_profiled: false,
    },
];

/// Their names, for people.
pub(super) fn names() -> String {
    PLATFORMS.iter().map(|platform| platform.name).collect::<Vec<_>>().join(", ")
}

pub(super) fn named(name: &str) -> Option<&'static Platform> {
    PLATFORMS.iter().find(|platform| platform.name == name)
}

impl Platform {
    /// Whether its executables run on this machine as they are.
    pub(super) fn runs_here(&self) -> bool {
        self.name == format!("{}-{}", env::consts::OS, env::consts::ARCH)
    }

    /// Where its executable lies once it is built.
    pub(super) fn made(&self, root: &Path) -> PathBuf {
        target_folder(root).join(self.triple).join("dist").join(self.executable)
    }

    /// Builds the executable, as a profile says if there is one.
    pub(super) fn build(
        &self,
        root: &Path,
        commit: &Commit,
        profile: Option<&Profile>,
    ) -> Result<PathBuf, Box<dyn Error>> {
        let toolchain = Toolchain::for_target(self.triple)?;
        let target = target_folder(root);
        let mut command = self.command((root, &target), &toolchain, commit, &guided(profile));
        let missing = |error| format!("{error}: {}", self.advice());
        if !command.status().map_err(missing)?.success() {
            return Err(format!("building for {} failed; {}", self.name, self.advice()).into());
        }
        let made = self.made(root);
        if let Some(profile) = profile {
            profile.check(&made.with_file_name("deps"))?;
        }
        Ok(made)
    }

    /// What builds the executable, or more; `folders` are the root and where it is built.
    pub(super) fn command(
        &self,
        (root, target): (&Path, &Path),
        toolchain: &Toolchain,
        commit: &Commit,
        more_flags: &[String],
    ) -> Command {
        let mut command = Command::new(match self.builder {
            Builder::Zig { .. } => "cargo-zigbuild".into(),
            Builder::Plain { .. } => toolchain.cargo.clone(),
        });
        let triple = match self.builder {
            Builder::Zig { glibc } => {
                command.arg("zigbuild").env("CARGO", &toolchain.cargo);
                format!("{}.{glibc}", self.triple)
            }
            Builder::Plain { linker } => {
                let name = self.triple.to_uppercase().replace('-', "_");
                command.arg("build").env(format!("CARGO_TARGET_{name}_LINKER"), linker);
                self.triple.to_owned()
            }
        };
        command.args(["--locked", "--profile", "dist", "-p", "nue", "--target", &triple]);
        if toolchain.builds_library {
            command.arg("-Zbuild-std=std,panic_abort").env("RUSTC_BOOTSTRAP", "1");
        }
        let flags = [&[self.rust_flags(root, target, toolchain)], more_flags].concat();
        command.env("RUSTC", &toolchain.rustc).env("RUSTFLAGS", flags.join(" ")).current_dir(root);
        command.env("TARGET_CFLAGS", c_flags(root, target)).env("CARGO_TARGET_DIR", target);
        command.env("CARGO_PROFILE_DIST_STRIP", "symbols").env("CARGO_INCREMENTAL", "0");
        command.env("NUE_COMMIT", &commit.name).env("SOURCE_DATE_EPOCH", commit.time.to_string());
        command
    }

    fn advice(&self) -> &'static str {
        match self.builder {
            Builder::Zig { .. } => "it takes pip install ziglang cargo-zigbuild",
            Builder::Plain { .. } => "it takes the linker of MinGW-w64 (gcc-mingw-w64-x86-64)",
        }
    }

    /// Flags of the compiler: no path of this machine is in what it makes.
    fn rust_flags(&self, root: &Path, target: &Path, toolchain: &Toolchain) -> String {
        let source = toolchain.source();
        let replaced = replaced(root, target);
        let more = [(source.as_path(), "/rust")];
        let paths = replaced.iter().map(|(from, to)| (from.as_path(), *to)).chain(more);
        let remapped =
            paths.map(|(from, to)| format!("--remap-path-prefix={}={to}", from.display()));
        let flags = self.flags.iter().map(|&flag| flag.to_owned()).chain(remapped);
        flags.collect::<Vec<_>>().join(" ")
    }
}

/// Flags of a build that a profile guides, if one does.
fn guided(profile: Option<&Profile>) -> Vec<String> {
    let Some(profile) = profile else { return Vec::new() };
    let shared = SHARED.iter().map(ToString::to_string);
    shared.chain([format!("-Cprofile-use={}", profile.path.display())]).collect()
}

/// Folders of this machine, and what stands for them. Of two that fit, the later one counts: a folder stands
/// after those it lies in.
fn replaced(root: &Path, target: &Path) -> [(PathBuf, &'static str); 3] {
    let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let cargo = env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
    [(cargo, "/cargo"), (root.to_owned(), "/nue"), (target.to_owned(), "/target")]
}

/// Where cargo puts what it builds.
pub(super) fn target_folder(root: &Path) -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from)
}

fn c_flags(root: &Path, target: &Path) -> String {
    let mapped = replaced(root, target)
        .map(|(from, to)| format!("-ffile-prefix-map={}={to}", from.display()));
    mapped.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_one_may_run_here() {
        for platform in PLATFORMS {
            assert!(std::ptr::eq(named(platform.name).unwrap(), platform));
            assert!(platform.triple.starts_with(platform.name.rsplit('-').next().unwrap()));
        }
        assert!(PLATFORMS.iter().filter(|platform| platform.runs_here()).count() <= 1);
    }

    #[test]
    fn no_path_of_this_machine_stays() {
        let (root, target) = (Path::new("/src/me/nue"), Path::new("/src/me/nue/target"));
        let toolchain = Toolchain {
            cargo: "cargo".into(),
            rustc: "rustc".into(),
            builds_library: true,
            root: "/usr".into(),
        };
        for platform in PLATFORMS {
            let flags = platform.rust_flags(root, target, &toolchain);
            let order = ["/src/me/nue=/nue", "/src/me/nue/target=/target", "/usr/lib/rustlib/src"];
            let places: Vec<usize> = order.iter().map(|part| flags.find(part).unwrap()).collect();
            assert!(places.is_sorted(), "{flags}");
        }
        assert!(c_flags(root, target).ends_with("-ffile-prefix-map=/src/me/nue/target=/target"));
    }
}
