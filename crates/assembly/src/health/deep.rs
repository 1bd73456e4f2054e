//! Policy-value nets: those of the executable, and what else could compute one here.

use super::Finding;
use crate::deep;
use onnx::{Library, Search};
use rules::Game;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Looks at the nets of the executable, at ONNX Runtime, at Python for workers, at devices.
pub fn look() -> Vec<Finding> {
    let mut findings: Vec<Finding> = Game::ALL.into_iter().map(inside).collect();
    let pythons = pythons();
    findings.push(runtime(&Search::usual(""), &pythons));
    findings.push(judge_python(&pythons.iter().filter_map(|p| asked(p)).collect::<Vec<_>>()));
    findings.push(judge_devices(devices().as_deref()));
    findings
}

fn inside(game: Game) -> Finding {
    match deep::load("", game) {
        Ok(net) => Finding::good(format!("inside the executable: {}", net.describe())),
        Err(error) => Finding::problem(
            error.to_string(),
            "this should never be: get the executable again, or build it again",
        ),
    }
}

/// The interpreters a user may mean, each once.
fn pythons() -> Vec<PathBuf> {
    let named = std::env::var_os("PYTHON").map(PathBuf::from);
    let usual = ["python3", "python", "/usr/bin/python3"].map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    each_once(named.into_iter().chain(usual), &std::env::split_paths(&path).collect::<Vec<_>>())
}

/// Those that are there. The same file under two names in one folder is one interpreter; a link to it from
/// another folder is not: that is how a virtual environment finds its own libraries.
fn each_once(programs: impl Iterator<Item = PathBuf>, folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut known = HashSet::new();
    let place = |program: &PathBuf| -> Option<(PathBuf, PathBuf)> {
        let found = match program.components().count() {
            1 => folders.iter().map(|folder| folder.join(program)).find(|file| file.is_file())?,
            _ => program.clone(),
        };
        Some((found.parent()?.canonicalize().ok()?, found.canonicalize().ok()?))
    };
    programs.filter(|program| place(program).is_some_and(|place| known.insert(place))).collect()
}

fn runtime(search: &Search, pythons: &[PathBuf]) -> Finding {
    let needed = "needed only for nets in .onnx files";
    match Library::find(search) {
        Ok(library) => {
            let has = library.providers();
            let names = has.iter().map(|name| name.trim_end_matches("ExecutionProvider"));
            let names = names.collect::<Vec<_>>().join(", ");
            let (version, place) = (library.version(), library.place().display());
            Finding::good(format!("ONNX Runtime {version} ({place}) with {names}"))
        }
        // Somebody means to use it.
        Err(error) if search.variable.is_some() => {
            Finding::problem(error.to_string(), "correct ORT_DYLIB_PATH, or remove it")
        }
        Err(_) => match pythons.iter().find_map(|python| onnx::of_python(python)) {
            Some(folder) => Finding::good(format!(
                "ONNX Runtime is in a Python's package, {needed}: setoption name DNN_Library value {}",
                folder.display()
            )),
            None => Finding::good(format!("no ONNX Runtime: {needed} (docs/onnx.md)")),
        },
    }
}

/// What a Python says about PyTorch: its command, then version, CUDA it was built for, and whether
/// our trainer can be imported. Nothing is imported for that.
const ASK: &str = "import importlib.util as u, runpy, os\n\
                   s = u.find_spec('torch')\n\
                   v = runpy.run_path(os.path.join(os.path.dirname(s.origin), 'version.py'))\n\
                   print(v['__version__'], v.get('cuda') or '-', bool(u.find_spec('nue_trainer')))";

fn asked(python: &Path) -> Option<(String, String)> {
    let mut command = Command::new(python);
    command.args(["-c", ASK]).stdin(Stdio::null()).stderr(Stdio::null());
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some((python.display().to_string(), String::from_utf8_lossy(&output.stdout).into_owned()))
}

fn judge_python(told: &[(String, String)]) -> Finding {
    let parsed = told.iter().filter_map(|(python, text)| {
        let words: Vec<&str> = text.split_whitespace().collect();
        let &[version, cuda, trainer] = &words[..] else { return None };
        Some((python, version, cuda, trainer == "True"))
    });
    let parsed: Vec<_> = parsed.collect();
    // One that can do it all before one that cannot.
    let best = parsed.iter().max_by_key(|(_, _, cuda, trainer)| (*trainer, *cuda != "-"));
    let Some((python, version, cuda, trainer)) = best else {
        return Finding::good("no Python with PyTorch: needed only for DNN_Worker and nue_trainer");
    };
    let built = match *cuda {
        "-" => "for the processor only".to_owned(),
        cuda => format!("for CUDA {cuda}"),
    };
    let text = format!("{python} has PyTorch {version}, {built}");
    if *trainer {
        return Finding::good(format!(
            "{text}: setoption name DNN_Worker value {python} -m nue_trainer serve"
        ));
    }
    Finding::good(format!("{text}; DNN_Worker also needs Nue's folder python in PYTHONPATH"))
}

/// NVIDIA's devices, a line each.
fn devices() -> Option<String> {
    let mut command = Command::new("nvidia-smi");
    command.args(["--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]);
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn judge_devices(told: Option<&str>) -> Finding {
    let lines = told.unwrap_or_default().lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.collect();
    if lines.is_empty() {
        return Finding::good("no CUDA device: policy-value nets are computed by the processor");
    }
    Finding::good(format!("CUDA: {}", lines.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::Grade;

    #[test]
    fn nets_of_the_executable_are_named() {
        for game in Game::ALL {
            let found = inside(game);
            assert_eq!(found.grade, Grade::Good);
            let parts = ["5x64", &game.to_string(), "integers on", simd_name()];
            assert!(parts.iter().all(|part| found.text.contains(part)), "{}", found.text);
        }
    }

    #[cfg(unix)]
    #[test]
    fn an_interpreter_is_asked_once() {
        let folder = tempfile::tempdir().unwrap();
        let [real, other] = ["real", "venv"].map(|name| folder.path().join(name));
        for place in [&real, &other] {
            std::fs::create_dir(place).unwrap();
        }
        std::fs::write(real.join("python3.13"), "").unwrap();
        for link in [real.join("python3"), real.join("python"), other.join("python3")] {
            std::os::unix::fs::symlink(real.join("python3.13"), link).unwrap();
        }
        let programs = || ["python3", "python", "pypy"].map(PathBuf::from).into_iter();
        let whole = real.join("python3");
        let asked = |folders: &[&PathBuf]| {
            let folders: Vec<PathBuf> = folders.iter().map(|&folder| folder.clone()).collect();
            each_once(programs().chain([whole.clone()]), &folders)
        };
        assert_eq!(asked(&[&real]), [PathBuf::from("python3")]);
        assert_eq!(asked(&[&other, &real]), ["python3", "python"].map(PathBuf::from));
        assert_eq!(asked(&[&other]), [PathBuf::from("python3"), whole.clone()]);
        assert_eq!(asked(&[]), [whole]);
    }

    fn simd_name() -> &'static str {
        nnue::Isa::best().name()
    }

    #[test]
    fn what_the_environment_names_must_be_there() {
        let search = Search { variable: Some("/nowhere/ort.so".into()), ..Search::default() };
        let found = runtime(&search, &[]);
        assert_eq!(found.grade, Grade::Problem);
        assert!(found.text.contains("/nowhere/ort.so"), "{}", found.text);
        let search = Search { named: Some("/nowhere/ort.so".into()), ..Search::default() };
        let found = runtime(&search, &[PathBuf::from("/nowhere/python")]);
        assert_eq!(found.grade, Grade::Good);
        assert!(found.text.contains("no ONNX Runtime"), "{}", found.text);
    }

    #[test]
    fn pythons_are_judged_by_what_they_say() {
        let told = |texts: &[&str]| {
            let pairs = texts.iter().enumerate().map(|(n, t)| (format!("p{n}"), (*t).to_owned()));
            judge_python(&pairs.collect::<Vec<_>>())
        };
        for (texts, part) in [
            (&[][..], "no Python with PyTorch"),
            (&["Traceback"], "no Python with PyTorch"),
            (&["2.11.0 12.8 False\n"], "for CUDA 12.8; DNN_Worker also needs"),
            (&["1.13 - False", "2.1 - True\n"], "p1 -m nue_trainer serve"),
            (&["2.1 - True", "2.1 12.4 True"], "p1 has PyTorch 2.1, for CUDA 12.4"),
        ] {
            let found = told(texts);
            assert_eq!(found.grade, Grade::Good, "{found:?}");
            assert!(found.text.contains(part), "{found:?}");
        }
    }

    #[test]
    fn devices_are_named() {
        for told in [None, Some(""), Some("\n")] {
            assert!(judge_devices(told).text.contains("no CUDA device"));
        }
        let two = judge_devices(Some("NVIDIA H200, 570.1, 143771 MiB\nNVIDIA L4, 570.1, 1 MiB\n"));
        assert!(two.text.contains("H200") && two.text.contains("; NVIDIA L4"), "{}", two.text);
    }

    #[test]
    fn nothing_here_is_a_problem() {
        let found = look();
        assert_eq!(found.len(), 5);
        if std::env::var_os("ORT_DYLIB_PATH").is_none() {
            assert!(found.iter().all(|finding| finding.grade != Grade::Problem), "{found:?}");
        }
    }
}
