//! Profile-guided optimisation: the compiler is told how often each branch is taken.
//!
//! 1. Fixed work ([`WORKLOAD`]) is built with counters in it, into a folder of its own.
//! 2. It is done: the search of both games, mates, perft.
//! 3. The counts of the rooms that compute ([`ROOMS`]) are put together (`profdata`).
//! 4. The executable that is handed out is built with them.
//!
//! The counts must be the same every time and on every machine, or the archives would not be. So the work is done
//! twice and compared, what differs for a reason is left out ([`LEFT_OUT`]), and what is called through pointers,
//! the vector kernels of a machine, is not recorded. What never ran is not told to the compiler either: it would
//! make it small and slow, and training or serving are no less worth their speed for not being part of the work.

use super::platform::{Platform, target_folder};
use super::profdata::Profdata;
use super::toolchain::Toolchain;
use super::{Commit, sha256};
use std::env;
use std::error::Error;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Flags of both builds: names of functions that tell their crates, also of what the compiler made for types of
/// ours; and what is called through pointers is not recorded.
pub(super) const SHARED: [&str; 2] = ["-Csymbol-mangling-version=v0", "-Cllvm-args=-disable-vp"];

/// Flags of the build that counts. It is not optimised together with everything else, which comes after the counters
/// are set, and takes half of the time. Zig's linker does not take the runtime of the counters; the system's will do
/// for what is not handed out.
const COUNTING: [&str; 4] =
    ["-Cprofile-generate", "-Clto=off", "-Clinker-plugin-lto=no", "-Clinker=cc"];

/// The program whose runs are counted: an example of a room (see its file).
const WORKLOAD: [&str; 2] = ["assembly", "workload"];

/// The rooms whose counts are used: those that search. Not the tree search's: its threads wait for one another.
const ROOMS: &[&str] = &["alphabeta", "eval", "features", "mate", "nnue", "rules"];

/// What of them is counted differently on other machines, or every time.
const LEFT_OUT: &[&str] = &[
    // Each processor has its own.
    "simd",
    // Threads wait as long as they wait, and tables with a key of their own every time differ.
    "std::sync",
    "std::thread",
    "std::hash",
    // Clears a table by as many threads as there are processors.
    "alphabeta::memory",
    "Table::sweep",
    // Takes the mate out of the table, with such tables.
    "mate::solve",
    "mate::tree",
];

/// How often the work is done: more than once, to see that the counts are the same.
const ROUNDS: usize = 2;

/// Counts of runs, as the compiler reads them.
pub(super) struct Profile {
    pub(super) path: PathBuf,
    pub(super) sha256: String,
    /// The rooms and what their crates are called in names of functions.
    crates: Vec<(&'static str, String)>,
}

impl Profile {
    /// Whether what was built has the functions that were counted. Their names depend on features, on profiles and on
    /// what else cargo is told; the compiler says nothing of counts that it has no use for.
    pub(super) fn check(&self, libraries: &Path) -> Result<(), Box<dyn Error>> {
        let files: Vec<PathBuf> =
            fs::read_dir(libraries)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        for (room, name) in &self.crates {
            let is_of_room = |path: &&PathBuf| {
                let file = path.file_name().unwrap_or_default().to_string_lossy();
                file.starts_with(&format!("lib{room}-")) && file.ends_with(".rlib")
            };
            let mut found = false;
            for file in files.iter().filter(is_of_room) {
                found |= contains(&fs::read(file)?, name.as_bytes());
            }
            if !found {
                return Err(format!(
                    "no function of {name} is in the library of room {room} below {}: what was counted is not what \
                     was built; --without-profile does without",
                    libraries.display()
                )
                .into());
            }
        }
        Ok(())
    }
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

/// Builds the work with counters for a platform, does it and keeps what was counted.
pub(super) fn gather(
    root: &Path,
    platform: &Platform,
    commit: &Commit,
) -> Result<Profile, Box<dyn Error>> {
    if !platform.runs_here() {
        let name = platform.name;
        return Err(format!(
            "what is built for {name} cannot be run here to count: --without-profile does without"
        )
        .into());
    }
    let toolchain = Toolchain::for_target(platform.triple)?;
    let profdata = Profdata::of(&toolchain)?;
    let folder = root.join(target_folder(root)).join("profile");
    let program = build(root, platform, commit, &toolchain, &folder)?;
    let counts = folder.join("counts");
    if counts.exists() {
        fs::remove_dir_all(&counts)?;
    }
    fs::create_dir_all(&counts)?;
    let mut rounds = Vec::new();
    for round in 1..=ROUNDS {
        println!("counting what runs how often: {round} of {ROUNDS}");
        rounds.push(count(&program, &profdata, &counts.join(round.to_string()))?);
    }
    let text = agreed(&rounds)?;
    let crates = crates(text)?;
    let (counted, made) = (counts.join("counts.txt"), counts.join("counts.profdata"));
    fs::write(&counted, text)?;
    profdata.merge(&[], &counted, &made)?;
    let sha256 = sha256(&fs::read(&made)?);
    // Named by what it holds: with other counts everything is built anew, with the same nothing.
    let path = folder.join(format!("{sha256}.profdata"));
    if !path.exists() {
        fs::rename(made, &path)?;
    }
    println!("counts of {} functions: {}", functions(text).count(), path.display());
    Ok(Profile { path, sha256, crates })
}

/// Builds what counts: the work alone, but chosen beside the executable and by the same program, so that its crates
/// are those of the executable ([`Profile::check`]).
fn build(
    root: &Path,
    platform: &Platform,
    commit: &Commit,
    toolchain: &Toolchain,
    folder: &Path,
) -> Result<PathBuf, Box<dyn Error>> {
    let target = folder.join("build");
    let flags: Vec<String> = SHARED.iter().chain(&COUNTING).map(ToString::to_string).collect();
    let [room, example] = WORKLOAD;
    let mut command = platform.command((root, &target), toolchain, commit, &flags);
    command.args(["-p", room, "--example", example]);
    if !command.status()?.success() {
        return Err("building with counters failed; --without-profile does without".into());
    }
    let folder = target.join(platform.triple).join("dist/examples");
    Ok(folder.join(format!("{example}{}", env::consts::EXE_SUFFIX)))
}

/// Does the work once: the counts, as text.
fn count(program: &Path, profdata: &Profdata, out: &Path) -> Result<String, Box<dyn Error>> {
    let (counted, text) = (out.with_extension("profraw"), out.with_extension("txt"));
    let mut command = Command::new(program);
    let output = command.env("LLVM_PROFILE_FILE", &counted).stdin(Stdio::null()).output()?;
    if !output.status.success() {
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("{}: {}: {told}", program.display(), output.status).into());
    }
    let kept = format!("--function={}", of_crates(ROOMS));
    let left_out = format!("--no-function={}", of_paths(LEFT_OUT));
    profdata.merge(&["--text", &kept, &left_out], &counted, &text)?;
    Ok(fs::read_to_string(text)?)
}

/// A pattern for the names of functions that belong to crates, or were made for their types.
fn of_crates(names: &[&str]) -> String {
    format!("Cs[0-9A-Za-z]*_({})", of_paths(names))
}

/// A pattern for names that such a path is part of: every word after its length.
fn of_paths(paths: &[&str]) -> String {
    let word = |word: &str| format!("{}{word}", word.len());
    let path = |path: &&str| path.split("::").map(word).collect::<String>();
    paths.iter().map(path).collect::<Vec<_>>().join("|")
}

/// The counts, if every round gave the same.
fn agreed(rounds: &[String]) -> Result<&str, String> {
    let (first, others) = rounds.split_first().ok_or("nothing was counted")?;
    for other in others {
        let pairs = functions(first).zip(functions(other));
        let differing = pairs.filter(|(a, b)| a != b).map(|(a, _)| name_of(a)).collect::<Vec<_>>();
        if first != other {
            return Err(format!(
                "the same work was counted differently, so that archives would differ: {} functions, {:?} \
                 first; --without-profile does without",
                differing.len(),
                differing.first().unwrap_or(&"some of them missing"),
            ));
        }
    }
    Ok(first)
}

/// What the crates of the rooms are called in names of functions, as `Cs2UeZ24oFDAO_5rules`.
fn crates(text: &str) -> Result<Vec<(&'static str, String)>, String> {
    let named = |&room: &&'static str| {
        let end = format!("_{}{room}", room.len());
        let name = functions(text).find_map(|function| {
            let (before, _) = name_of(function).split_once(&end)?;
            let start = before.rfind("Cs")?;
            let is_number = before[start..].chars().all(|c| c.is_ascii_alphanumeric());
            is_number.then(|| format!("{}{end}", &before[start..]))
        });
        Ok((room, name.ok_or_else(|| format!("nothing of room {room} was counted"))?))
    };
    ROOMS.iter().map(named).collect()
}

/// The functions of a profile that is text: a paragraph each, the name first.
fn functions(text: &str) -> impl Iterator<Item = &str> {
    text.split("\n\n").filter(|part| part.contains("# Func Hash:"))
}

fn name_of(function: &str) -> &str {
    let mut lines = function.lines();
    lines.find(|line| !line.starts_with([':', '#'])).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNTED: &str = ":ir\n_RNvMs_NtCs3K_5rules4play\n# Func Hash:\n77\n# Num Counters:\n1\n# Counter Values:\n5\n\n\
                           assembly.1-cgu.0;_RINvCs1_4core4sortNtCs2_9alphabeta4MoveE\n# Func Hash:\n78\n# Num Counters:\n2\n# Counter Values:\n6\n7\n\n";

    #[test]
    fn functions_are_found_in_text() {
        let names: Vec<&str> = functions(COUNTED).map(name_of).collect();
        let second = "assembly.1-cgu.0;_RINvCs1_4core4sortNtCs2_9alphabeta4MoveE";
        assert_eq!(names, ["_RNvMs_NtCs3K_5rules4play", second]);
        assert!(crates(COUNTED).unwrap_err().contains("room eval"));
        assert!(crates("").unwrap_err().contains("room alphabeta"));
        let all: Vec<String> = ROOMS
            .iter()
            .map(|room| format!("_RNvCs1_{}{room}1f\n# Func Hash:\n1\n\n", room.len()))
            .collect();
        let crates = crates(&all.concat()).unwrap();
        assert_eq!(crates.len(), ROOMS.len());
        assert_eq!(crates[0], ("alphabeta", "Cs1_9alphabeta".to_owned()));
    }

    #[test]
    fn rounds_that_differ_are_refused_by_name() {
        let same = [COUNTED.to_owned(), COUNTED.to_owned()];
        assert_eq!(agreed(&same), Ok(COUNTED));
        let other = [COUNTED.to_owned(), COUNTED.replace("6\n7", "6\n8")];
        let error = agreed(&other).unwrap_err();
        assert!(error.contains("1 functions") && error.contains("9alphabeta4Move"), "{error}");
        let fewer = functions(COUNTED).next().unwrap().to_owned() + "\n\n";
        assert!(agreed(&[COUNTED.to_owned(), fewer]).is_err());
        assert!(agreed(&[]).is_err());
    }

    #[test]
    fn patterns_give_words_after_their_lengths() {
        assert_eq!(of_crates(&["mate", "rules"]), "Cs[0-9A-Za-z]*_(4mate|5rules)");
        assert_eq!(of_paths(&["simd", "mcts::job"]), "4simd|4mcts3job");
    }

    #[test]
    fn counts_of_other_functions_are_refused() {
        let folder = tempfile::TempDir::new().unwrap();
        let profile = Profile {
            path: PathBuf::new(),
            sha256: String::new(),
            crates: vec![("rules", "Cs2_5rules".to_owned())],
        };
        assert!(profile.check(folder.path()).is_err());
        fs::write(folder.path().join("librules-1.rlib"), "_RNvCs3_5rules1f").unwrap();
        fs::write(folder.path().join("liba-1.rlib"), "_RNvCs2_5rules1f").unwrap();
        assert!(profile.check(folder.path()).is_err());
        fs::write(folder.path().join("librules-1.rlib"), "_RNvCs2_5rules1f").unwrap();
        assert!(profile.check(folder.path()).is_ok());
    }

    /// What is named here exists: else it would be built, or left out, in vain.
    #[test]
    fn the_work_and_its_rooms_exist() {
        let crates = crate::workspace_root().join("crates");
        let [room, example] = WORKLOAD;
        assert!(crates.join(room).join(format!("examples/{example}.rs")).is_file());
        for room in ROOMS {
            assert!(crates.join(room).is_dir(), "{room}");
        }
        let own = LEFT_OUT.iter().filter_map(|path| path.split_once("::"));
        for (room, module) in own.filter(|(room, _)| ROOMS.contains(room)) {
            let sources = crates.join(room).join("src");
            assert!(sources.join(format!("{module}.rs")).is_file(), "{room}::{module}");
        }
    }
}
