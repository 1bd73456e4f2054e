//! `cargo xtask dist`: the archives that are handed out, one for each platform.
//!
//! | file | holds |
//! |---|---|
//! | `platform` | the platforms, and how each executable is built |
//! | `toolchain` | the compiler of each |
//! | `profile`, `profdata` | how it runs, counted for the compiler; the program that puts counts together |
//! | `packages` | what is inside an executable, from `cargo metadata` |
//! | `notices` | its authors and licences, as text |
//! | `bill` | its bill of materials (CycloneDX) |
//! | `archive` | archives of the same bytes every time |
//!
//! The same commit gives the same bytes wherever and whenever it is built with the same tools: paths are
//! replaced, files sorted, times those of the commit.

mod archive;
mod bill;
mod notices;
mod packages;
mod platform;
mod profdata;
mod profile;
mod toolchain;

use crate::{CommandResult, cargo, workspace_root};
use archive::Entry;
use platform::{PLATFORMS, Platform};
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const USAGE: &str =
    "dist [PLATFORM…] [--out FOLDER] [--executable FILE] [--wasm FILE] [--without-profile]";

/// Shells whose completions are handed out: what `nue completions` calls them, and the file's name.
const SHELLS: &[(&str, &str)] =
    &[("bash", "nue.bash"), ("zsh", "_nue"), ("fish", "nue.fish"), ("powershell", "_nue.ps1")];

/// Files of the repository that go into every archive: where they lie, and their names there.
const DOCUMENTS: &[(&str, &str)] = &[
    ("LICENSE", "LICENSE"),
    ("README.md", "README.md"),
    ("README.ja.md", "README.ja.md"),
    ("CHANGELOG.md", "CHANGELOG.md"),
    ("docs/interfaces.md", "docs/interfaces.md"),
    ("docs/interfaces.ja.md", "docs/interfaces.ja.md"),
];

/// What was asked for.
struct Request {
    platforms: Vec<&'static Platform>,
    out: PathBuf,
    /// An executable that is there already, instead of building one.
    executable: Option<PathBuf>,
    /// The engine for browsers, of `cargo xtask wasm`, to lie beside the executable.
    wasm: Option<PathBuf>,
    /// No profile guides the compiler, on no platform.
    without_profile: bool,
}

pub(crate) fn run(arguments: &[String]) -> CommandResult {
    let request = parse(arguments)?;
    let root = workspace_root();
    fs::create_dir_all(&request.out)?;
    let mut sums = Vec::new();
    for platform in &request.platforms {
        let archive = make(&root, platform, &request)?;
        println!("{} ({} bytes)", archive.display(), fs::metadata(&archive)?.len());
        sums.push((file_name(&archive), sha256(&fs::read(&archive)?)));
    }
    let sums_file = request.out.join("SHA256SUMS");
    let before = fs::read_to_string(&sums_file).unwrap_or_default();
    fs::write(&sums_file, with_sums(&before, &sums))?;
    Ok(ExitCode::SUCCESS)
}

fn parse(arguments: &[String]) -> Result<Request, Box<dyn Error>> {
    let usage = || format!("usage: cargo xtask {USAGE}\nplatforms: {}", platform::names());
    let mut request = Request {
        platforms: Vec::new(),
        out: workspace_root().join("target/dist-archives"),
        executable: None,
        wasm: None,
        without_profile: false,
    };
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().map(PathBuf::from).ok_or_else(usage);
        match word.as_str() {
            "--out" => request.out = value()?,
            "--executable" => request.executable = Some(value()?),
            "--wasm" => request.wasm = Some(value()?),
            "--without-profile" => request.without_profile = true,
            name => request.platforms.push(platform::named(name).ok_or_else(usage)?),
        }
    }
    if request.platforms.is_empty() {
        request.platforms = PLATFORMS.iter().collect();
    }
    if request.executable.is_some() && request.platforms.len() != 1 {
        return Err("--executable is of one platform: name it".into());
    }
    Ok(request)
}

/// Builds for a platform and packs it: the archive.
fn make(root: &Path, platform: &Platform, request: &Request) -> Result<PathBuf, Box<dyn Error>> {
    let commit = Commit::of(root)?;
    let (executable, guide) = executable(root, platform, request, &commit)?;
    let packages = packages::inside(root, platform.triple)?;
    let version = packages.own_version().to_owned();
    let mut entries = vec![Entry::program(platform.executable, fs::read(&executable)?)];
    if let Some(path) = &request.wasm {
        let bytes = fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
        entries.push(Entry::file("nue.wasm", bytes));
    }
    for (path, name) in DOCUMENTS {
        entries.push(Entry::file(
            name,
            fs::read(root.join(path)).map_err(|e| format!("{path}: {e}"))?,
        ));
    }
    entries.push(Entry::file("THIRD-PARTY.txt", notices::text(&packages, root)?.into_bytes()));
    let bill = serde_json::to_string_pretty(&bill::of(&packages, root, guide.as_deref())?)? + "\n";
    entries.push(Entry::file("nue.cdx.json", bill.into_bytes()));
    let speaker = Speaker::of(root, platform, &executable, &commit)?;
    for (shell, name) in SHELLS {
        let text = speaker.say(&["completions", shell])?;
        entries.push(Entry::file(&format!("completions/{name}"), text));
    }
    let manual = speaker.say(&["completions", "man"])?;
    for command in commands_of(&String::from_utf8_lossy(&manual)) {
        let page = speaker.say(&["completions", "man", &command])?;
        entries.push(Entry::file(&format!("man/nue-{command}.1"), page));
    }
    entries.push(Entry::file("man/nue.1", manual));
    let folder = format!("nue-{version}-{}", platform.name);
    let bytes = archive::pack(platform.archive, &folder, entries, commit.time)?;
    let path = request.out.join(format!("{folder}.{}", platform.archive.extension()));
    fs::write(&path, bytes)?;
    Ok(path)
}

/// The executable, and what guided the compiler if that is known: the sum of a profile, or `none`.
fn executable(
    root: &Path,
    platform: &Platform,
    request: &Request,
    commit: &Commit,
) -> Result<(PathBuf, Option<String>), Box<dyn Error>> {
    if let Some(executable) = &request.executable {
        return Ok((executable.clone(), None));
    }
    if !platform.is_profiled || request.without_profile {
        return Ok((platform.build(root, commit, None)?, Some("none".to_owned())));
    }
    let profile = profile::gather(root, platform, commit)?;
    Ok((platform.build(root, commit, Some(&profile))?, Some(profile.sha256)))
}

/// The commit that is built.
struct Commit {
    name: String,
    /// Seconds since 1970.
    time: u64,
}

impl Commit {
    /// Of a working tree with nothing changed: else no name would say what was built.
    fn of(root: &Path) -> Result<Self, Box<dyn Error>> {
        let git = |arguments: &[&str]| -> Result<String, Box<dyn Error>> {
            let output = Command::new("git").args(arguments).current_dir(root).output()?;
            if !output.status.success() {
                return Err(format!("git {}: failed", arguments.join(" ")).into());
            }
            Ok(String::from_utf8(output.stdout)?.trim().to_owned())
        };
        if !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty() {
            return Err("there are changes that are not committed: commit them first".into());
        }
        let name = git(&["rev-parse", "--short=10", "HEAD"])?;
        Ok(Self { name, time: git(&["log", "-1", "--format=%ct"])?.parse()? })
    }
}

/// An executable that runs on this machine, to be asked for what is made from its flags.
struct Speaker(PathBuf);

impl Speaker {
    /// The one for the platform where it runs here; one of the same commit that was made for this machine just
    /// before; else one built for it.
    fn of(
        root: &Path,
        platform: &Platform,
        executable: &Path,
        commit: &Commit,
    ) -> Result<Self, Box<dyn Error>> {
        if platform.runs_here() {
            return Ok(Self(executable.to_owned()));
        }
        if let Some(here) = PLATFORMS.iter().find(|platform| platform.runs_here()) {
            let made = Self(here.made(root));
            let version = made.say(&["--version"]).unwrap_or_default();
            if String::from_utf8_lossy(&version).contains(&commit.name) {
                return Ok(made);
            }
        }
        let built = cargo().args(["build", "--locked", "-p", "nue"]).current_dir(root).status()?;
        if !built.success() {
            return Err("cargo build -p nue failed".into());
        }
        let target = platform::target_folder(root);
        Ok(Self(target.join("debug").join(format!("nue{}", std::env::consts::EXE_SUFFIX))))
    }

    fn say(&self, arguments: &[&str]) -> Result<Vec<u8>, Box<dyn Error>> {
        let output = Command::new(&self.0).args(arguments).output()?;
        if !output.status.success() {
            let told = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(format!("nue {}: {told}", arguments.join(" ")).into());
        }
        Ok(output.stdout)
    }
}

/// The commands that a manual page refers to, as `nue\-match(1)`.
fn commands_of(manual: &str) -> Vec<String> {
    let pages = manual.lines().filter_map(|line| line.strip_prefix("nue\\-")?.strip_suffix("(1)"));
    pages.filter(|name| *name != "help").map(|name| name.replace("\\-", "-")).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn sha256(bytes: &[u8]) -> String {
    let digest = ring::digest::digest(&ring::digest::SHA256, bytes);
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The lines of `sha256sum`, those of other files kept, sorted by name.
fn with_sums(before: &str, sums: &[(String, String)]) -> String {
    let kept = before.lines().filter_map(|line| {
        let (sum, name) = line.split_once("  ")?;
        let anew = sums.iter().any(|(other, _)| other == name);
        (!anew).then(|| (name.to_owned(), sum.to_owned()))
    });
    let mut all: Vec<(String, String)> = kept.chain(sums.iter().cloned()).collect();
    all.sort();
    all.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_kept_replaced_and_sorted() {
        let sum = |name: &str, sum: &str| (name.to_owned(), sum.to_owned());
        let first = with_sums("", &[sum("b.zip", "22"), sum("a.tar.gz", "11")]);
        assert_eq!(first, "11  a.tar.gz\n22  b.zip\n");
        assert_eq!(with_sums(&first, &[sum("b.zip", "33")]), "11  a.tar.gz\n33  b.zip\n");
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(sha256(b""), empty);
    }

    #[test]
    fn requests_name_platforms_that_exist() {
        let asked =
            |words: &[&str]| parse(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>());
        assert_eq!(asked(&[]).unwrap().platforms.len(), PLATFORMS.len());
        let one = asked(&["windows-x86_64", "--out", "x"]).unwrap();
        assert_eq!((one.platforms.len(), one.out), (1, PathBuf::from("x")));
        assert_eq!(asked(&["--wasm", "y"]).unwrap().wasm, Some(PathBuf::from("y")));
        assert!(asked(&["--without-profile"]).unwrap().without_profile);
        assert!(!asked(&[]).unwrap().without_profile);
        for wrong in [&["amiga"][..], &["--out"], &["--wasm"], &["--executable", "x"]] {
            assert!(asked(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn commands_are_those_the_manual_refers_to() {
        let manual = ".SH SUBCOMMANDS\n.TP\nnue\\-match(1)\nPlay a match\n.TP\nnue\\-help(1)\n";
        assert_eq!(commands_of(manual), ["match"]);
    }

    /// What is packed exists.
    #[test]
    fn documents_are_there() {
        for (path, _) in DOCUMENTS {
            assert!(workspace_root().join(path).is_file(), "{path}");
        }
    }
}
