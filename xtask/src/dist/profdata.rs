//! `llvm-profdata`, which puts counts of runs together. It must be of the compiler's own LLVM: the form of
//! what is counted changes between versions.

use super::toolchain::{Toolchain, asked};
use std::error::Error;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program.
#[derive(PartialEq, Debug)]
pub(super) struct Profdata(PathBuf);

impl Profdata {
    /// One that fits the compiler: its own (rustup's component llvm-tools), or the system's.
    pub(super) fn of(toolchain: &Toolchain) -> Result<Self, Box<dyn Error>> {
        let about = asked(&toolchain.rustc, &["-vV"]).unwrap_or_default();
        let (Some(wanted), Some(host)) = (version(&about), field(&about, "host: ")) else {
            let rustc = toolchain.rustc.display();
            return Err(format!("{rustc} -vV names no version of LLVM: {about:?}").into());
        };
        let beside = toolchain.root.join("lib/rustlib").join(host).join("bin/llvm-profdata");
        let named = [format!("llvm-profdata-{wanted}"), "llvm-profdata".to_owned()];
        let candidates = [beside].into_iter().chain(named.map(PathBuf::from));
        Ok(chosen(wanted, candidates, |path| asked(path, &["--version"]))?)
    }

    /// Puts counts into a file, in another form or fewer of them.
    pub(super) fn merge(
        &self,
        flags: &[&str],
        counts: &Path,
        out: &Path,
    ) -> Result<(), Box<dyn Error>> {
        // Sparse: without functions that never ran.
        let words = ["merge", "--sparse"].iter().chain(flags).map(OsStr::new);
        let mut command = Command::new(&self.0);
        command.args(words).arg(counts).arg("-o").arg(out);
        let output = command.output()?;
        if !output.status.success() {
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("{} merge: {told}", self.0.display()).into());
        }
        Ok(())
    }
}

/// The first candidate of a version of LLVM.
fn chosen(
    wanted: u32,
    candidates: impl Iterator<Item = PathBuf>,
    told: impl Fn(&Path) -> Option<String>,
) -> Result<Profdata, String> {
    let mut others = String::new();
    for candidate in candidates {
        match told(&candidate).map(|text| version(&text)) {
            Some(Some(found)) if found == wanted => return Ok(Profdata(candidate)),
            Some(Some(found)) => others += &format!("; {} is of LLVM {found}", candidate.display()),
            // Very old ones do not tell.
            Some(None) | None => {}
        }
    }
    Err(format!(
        "no llvm-profdata of LLVM {wanted}, which the compiler is made with{others}: rustup component add \
         llvm-tools, or install the system's package llvm-{wanted}; --without-profile does without"
    ))
}

/// The major version of LLVM that a program tells of itself: `LLVM version 22.1.2`, of rustc `LLVM version: 22.1.2`.
fn version(text: &str) -> Option<u32> {
    let rest = text.split_once("LLVM version")?.1.trim_start_matches([':', ' ']);
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_as_programs_tell_them() {
        for (text, major) in [
            ("rustc 1.95.0\nhost: x\nLLVM version: 22.1.2\n", Some(22)),
            ("Debian LLVM version 22.1.8\n  Optimized build.", Some(22)),
            ("LLVM (http://llvm.org/):\n  LLVM version 9.0.1", Some(9)),
            ("  LLVM version 22.1.2-rust-1.95.0-stable", Some(22)),
            ("LLVM version unknown", None),
            ("Unknown command!", None),
            ("", None),
        ] {
            assert_eq!(version(text), major, "{text:?}");
        }
        assert_eq!(field("rustc\nhost: here\n", "host: "), Some("here"));
    }

    #[test]
    fn the_first_that_fits_is_chosen_and_a_lack_says_what_to_install() {
        let chosen = |wanted, there: &[(&str, &str)]| {
            let names = there.iter().map(|(name, _)| PathBuf::from(name));
            chosen(wanted, names, |path| {
                let found = there.iter().find(|(name, _)| Path::new(name) == path)?;
                (!found.1.is_empty()).then(|| found.1.to_owned())
            })
        };
        let there = [("own", ""), ("p-22", "LLVM version 22.1.8"), ("p", "LLVM version 14.0.6")];
        assert_eq!(chosen(22, &there), Ok(Profdata("p-22".into())));
        assert_eq!(chosen(14, &there), Ok(Profdata("p".into())));
        let lack = chosen(23, &there).unwrap_err();
        for part in ["LLVM 23", "p is of LLVM 14", "llvm-tools", "llvm-23", "--without-profile"] {
            assert!(lack.contains(part), "{part}: {lack}");
        }
    }
}
