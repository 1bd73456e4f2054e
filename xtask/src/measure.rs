//! What building and testing cost, and what a slower build gains in speed of play.
//!
//! The tables it prints are those of docs/results/build.md. To be run on a quiet machine: a clean
//! build of each profile into a folder of its own, then `nue bench` of both executables in turn,
//! so that a machine that warms up or is disturbed disturbs both.

use crate::{CommandResult, cargo, workspace_root};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// The profiles compared unless others are named: what `cargo build --release` gives, and what is
/// handed out.
const PROFILES: &[&str] = &["release", "dist"];

/// How often each executable runs the bench.
const ROUNDS: usize = 7;

/// What is tested after a change of one line: the file that is touched, the package tested.
const TOUCHED: &[(&str, &str)] = &[
    ("crates/rules/src/lib.rs", "rules"),
    ("crates/alphabeta/src/lib.rs", "alphabeta"),
    ("crates/kifu/src/lib.rs", "kifu"),
    ("crates/server/src/lib.rs", "server"),
    ("crates/web/src/lib.rs", "web"),
    ("apps/nue/src/main.rs", "nue"),
];

const USAGE: &str = "measure build [PROFILE…] | measure edit";

pub(crate) fn run(arguments: &[String]) -> CommandResult {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["build"] => build(PROFILES)?,
        ["build", profiles @ ..] => build(profiles)?,
        ["edit"] => edit()?,
        _ => return Err(format!("usage: cargo xtask {USAGE}").into()),
    }
    Ok(ExitCode::SUCCESS)
}

/// A profile, how long its clean build took, and what its executable did.
struct Measured {
    profile: String,
    built: Duration,
    size: u64,
    executable: PathBuf,
    rates: Vec<u64>,
    signature: String,
}

fn build(profiles: &[&str]) -> Result<(), Box<dyn Error>> {
    let mut all = Vec::new();
    for profile in profiles {
        all.push(clean_build(profile)?);
    }
    for round in 0..ROUNDS {
        for measured in &mut all {
            let (signature, rate) = bench(&measured.executable)?;
            eprintln!("round {}: {} {rate} nodes/s", round + 1, measured.profile);
            if measured.rates.is_empty() {
                measured.signature = signature;
            } else if measured.signature != signature {
                return Err(format!("{}: another signature {signature}", measured.profile).into());
            }
            measured.rates.push(rate);
        }
    }
    print!("{}", table(&all));
    Ok(())
}

/// Builds into an empty folder, with cargo's own report of where the time went.
fn clean_build(profile: &str) -> Result<Measured, Box<dyn Error>> {
    let folder = target_folder().join("measure").join(profile);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    let started = Instant::now();
    let status = cargo()
        .args(["build", "--package", "nue", "--timings", "--profile", profile])
        .env("CARGO_TARGET_DIR", &folder)
        .current_dir(workspace_root())
        .status()?;
    let built = started.elapsed();
    if !status.success() {
        return Err(format!("the build with profile {profile} failed").into());
    }
    let executable = folder.join(profile).join(format!("nue{}", std::env::consts::EXE_SUFFIX));
    eprintln!("{profile}: {:.0} s; see {}", built.as_secs_f64(), timings(&folder).display());
    Ok(Measured {
        profile: profile.to_owned(),
        built,
        size: fs::metadata(&executable)?.len(),
        executable,
        rates: Vec::new(),
        signature: String::new(),
    })
}

fn timings(folder: &Path) -> PathBuf {
    folder.join("cargo-timings/cargo-timing.html")
}

/// Signature and nodes a second of one run.
pub(crate) fn bench(executable: &Path) -> Result<(String, u64), Box<dyn Error>> {
    let output = Command::new(executable).arg("bench").stderr(Stdio::null()).output()?;
    if !output.status.success() {
        return Err(format!("{} bench failed", executable.display()).into());
    }
    let text = String::from_utf8(output.stdout)?;
    read_bench(&text).ok_or_else(|| format!("no signature and speed in {text:?}").into())
}

fn read_bench(text: &str) -> Option<(String, u64)> {
    let field = |name: &str| text.lines().rev().find_map(|line| line.strip_prefix(name));
    Some((field("signature: ")?.to_owned(), field("nps: ")?.parse().ok()?))
}

fn table(all: &[Measured]) -> String {
    let first = all.first().map_or(0, |measured| median(&measured.rates));
    let mut text = String::from(
        "| profile | clean build | executable | nodes/s (median) | against the first | signature |\n\
         |---|---:|---:|---:|---:|---:|\n",
    );
    for measured in all {
        let rate = median(&measured.rates);
        let against = rate as f64 / first.max(1) as f64;
        text += &format!(
            "| `{}` | {:.0} s | {:.1} MB | {rate} | {against:.3} | {} |\n",
            measured.profile,
            measured.built.as_secs_f64(),
            measured.size as f64 / 1e6,
            measured.signature,
        );
    }
    text
}

fn median(rates: &[u64]) -> u64 {
    let mut sorted = rates.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or(0)
}

/// How long the tests of a package take after a change of one line, the second time: everything
/// else is built.
fn edit() -> Result<(), Box<dyn Error>> {
    println!("| changed | tested | build and tests |\n|---|---|---:|");
    for (file, package) in TOUCHED {
        nextest(package)?;
        let path = workspace_root().join(file);
        let text = fs::read(&path)?;
        fs::write(&path, [text.as_slice(), b"// touched\n"].concat())?;
        let started = Instant::now();
        let tested = nextest(package);
        let took = started.elapsed();
        fs::write(&path, text)?;
        tested?;
        println!("| `{file}` | `{package}` | {:.0} s |", took.as_secs_f64());
    }
    Ok(())
}

fn nextest(package: &str) -> Result<(), Box<dyn Error>> {
    let status = cargo()
        .args(["nextest", "run", "--package", package, "--status-level", "fail"])
        .current_dir(workspace_root())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    if status.success() { Ok(()) } else { Err(format!("tests of {package} failed").into()) }
}

fn target_folder() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    named.unwrap_or_else(|| workspace_root().join("target"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bench_is_read_and_a_table_made() {
        let text = "1 x 5\nsignature: 123\nnps: 1000\n";
        assert_eq!(read_bench(text), Some(("123".to_owned(), 1000)));
        assert_eq!(read_bench("nothing"), None);
        let measured = |profile: &str, rates: &[u64]| Measured {
            profile: profile.to_owned(),
            built: Duration::from_secs(100),
            size: 12_000_000,
            executable: PathBuf::new(),
            rates: rates.to_vec(),
            signature: "123".to_owned(),
        };
        let table = table(&[measured("release", &[900, 1000, 5000]), measured("dist", &[1050])]);
        assert!(table.ends_with("| `dist` | 100 s | 12.0 MB | 1050 | 1.050 | 123 |\n"), "{table}");
    }

    #[test]
    fn wrong_usage_is_refused() {
        assert!(run(&[]).is_err());
        assert!(run(&["nonsense".to_owned()]).is_err());
    }

    #[test]
    fn what_is_touched_exists() {
        for (file, _) in TOUCHED {
            assert!(workspace_root().join(file).is_file(), "{file}");
        }
    }
}
