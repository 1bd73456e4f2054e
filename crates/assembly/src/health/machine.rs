//! What the machine has: instruction sets, threads, memory, huge pages; and what is kept back of its
//! clock.

use super::Finding;
use nnue::Isa;
use std::fs;
use think::usual::{NETWORK_DELAY, NETWORK_DELAY_2};

/// What `USI_Hash` is by default, in MiB.
const USUAL_HASH: u64 = 256;

/// What the machine has.
pub fn look() -> Vec<Finding> {
    vec![build(), instructions(Isa::available()), threads(), memory(), huge_pages(), clock()]
}

/// The machine in a few words, for whoever repeats what was measured on it.
pub fn name() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == "model name").then(|| value.trim().to_owned())
    });
    let model = model.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}, {cores} threads, nets on {}", Isa::best().name())
}

fn build() -> Finding {
    let version = env!("CARGO_PKG_VERSION");
    if cfg!(debug_assertions) {
        return Finding::note(
            format!("Nue {version}, a build for testing: several times slower than it could be"),
            "cargo build --release, and use target/release/nue",
        );
    }
    Finding::good(format!("Nue {version}"))
}

fn instructions(available: &[Isa]) -> Finding {
    let names: Vec<&str> = available.iter().map(|isa| isa.name()).collect();
    let arch = std::env::consts::ARCH;
    match names.last() {
        Some(&best) if !["scalar", "sse4.1"].contains(&best) => {
            Finding::good(format!("{arch} with {}: nets run on {best}", names.join(", ")))
        }
        best => Finding::note(
            format!(
                "{arch} with nothing better than {}: nets run slowly",
                best.unwrap_or(&"scalar")
            ),
            "use a machine with AVX2 (x86-64) or NEON (ARM); in a virtual machine, let it see \
             the processor of its host",
        ),
    }
}

fn threads() -> Finding {
    match std::thread::available_parallelism() {
        Ok(count) => Finding::good(format!("{count} threads: set option Threads up to {count}")),
        Err(error) => Finding::note(
            format!("cannot tell how many threads there are ({error})"),
            "set option Threads to the number of cores",
        ),
    }
}

/// Nothing is wrong with the defaults, but who plays on one machine loses time by them.
fn clock() -> Finding {
    let [usual, worst] = [NETWORK_DELAY.to_default(), NETWORK_DELAY_2.to_default()];
    Finding::good(format!(
        "clock: {} {} and {} {} ms are for games over networks; against a program on this machine set 0 \
         and 10, or of a byoyomi of one second 600 ms are kept back",
        usual.0, usual.1, worst.0, worst.1
    ))
}

fn memory() -> Finding {
    if !cfg!(target_os = "linux") {
        return Finding::good("memory: not looked at on this system");
    }
    let limit = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let used = fs::read_to_string("/sys/fs/cgroup/memory.current").ok();
    match fs::read_to_string("/proc/meminfo") {
        Ok(text) => judge_memory(&text, limit.as_deref().zip(used.as_deref())),
        Err(error) => Finding::note(
            format!("cannot tell how much memory there is ({error})"),
            "keep option USI_Hash below half of the free memory",
        ),
    }
}

/// Judges by the text of `/proc/meminfo` and by limit and use of the group of processes.
fn judge_memory(meminfo: &str, group: Option<(&str, &str)>) -> Finding {
    let field = |name: &str| -> Option<u64> {
        let line = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim_start_matches(':').split_ascii_whitespace().next()?.parse().ok()
    };
    let (Some(total), Some(mut free)) = (field("MemTotal"), field("MemAvailable")) else {
        return Finding::note(
            "cannot tell how much memory there is",
            "keep option USI_Hash below half of the free memory",
        );
    };
    if let Some((limit, used)) = group
        && let (Ok(limit), Ok(used)) = (limit.trim().parse::<u64>(), used.trim().parse::<u64>())
    {
        free = free.min(limit.saturating_sub(used) / 1024);
    }
    let (free, total) = (free / 1024, total / 1024);
    // Half of what is free, as a power of two: the rest is for the net and for others.
    let hash = (free / 2).checked_ilog2().map_or(1, |bits| 1u64 << bits);
    let text = format!("{free} MiB of {total} MiB memory free");
    if hash < USUAL_HASH {
        return Finding::note(
            format!("{text}: little for the usual table of {USUAL_HASH} MiB"),
            format!("setoption name USI_Hash value {hash}"),
        );
    }
    Finding::good(format!("{text}: set option USI_Hash up to {hash}"))
}

fn huge_pages() -> Finding {
    if !cfg!(target_os = "linux") {
        return Finding::good("huge pages: not looked at on this system");
    }
    judge_huge_pages(
        fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled").ok().as_deref(),
    )
}

/// Judges by the text of the kernel's switch, which has the choice in brackets.
fn judge_huge_pages(switch: Option<&str>) -> Finding {
    let chosen = switch.and_then(|text| text.split(['[', ']']).nth(1));
    match chosen {
        Some(word @ ("always" | "madvise")) => {
            Finding::good(format!("huge pages are given ({word}): large tables are quick to reach"))
        }
        Some(word) => Finding::note(
            format!("huge pages are off ({word}): large tables cost some speed"),
            "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
        ),
        None => Finding::note(
            "this kernel gives no huge pages: large tables cost some speed",
            "nothing that Nue could do; a kernel with CONFIG_TRANSPARENT_HUGEPAGE gives them",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::Grade;

    fn check(finding: &Finding, grade: Grade, part: &str) {
        assert_eq!(finding.grade, grade, "{finding:?}");
        let all = format!("{} {}", finding.text, finding.advice.as_deref().unwrap_or_default());
        assert!(all.contains(part), "{part}: {all}");
        assert_eq!(finding.advice.is_some(), grade != Grade::Good);
    }

    #[test]
    fn huge_pages_by_the_kernel_s_switch() {
        for (text, grade, part) in [
            (Some("[always] madvise never\n"), Grade::Good, "always"),
            (Some("always [madvise] never\n"), Grade::Good, "madvise"),
            (Some("always madvise [never]\n"), Grade::Note, "sudo tee"),
            (Some("nonsense"), Grade::Note, "kernel"),
            (None, Grade::Note, "kernel"),
        ] {
            check(&judge_huge_pages(text), grade, part);
        }
    }

    #[test]
    fn memory_by_the_system_s_figures_and_the_group_s_limit() {
        let meminfo = "MemTotal:        8000000 kB\nMemFree: 1 kB\nMemAvailable:    4300000 kB\n";
        let gib = (1u64 << 30).to_string();
        for (text, group, grade, part) in [
            (meminfo, None, Grade::Good, "USI_Hash up to 2048"),
            (meminfo, Some(("max\n", "5\n")), Grade::Good, "up to 2048"),
            (meminfo, Some((gib.as_str(), "0")), Grade::Good, "1024 MiB of 7812 MiB"),
            (meminfo, Some((gib.as_str(), "800000000")), Grade::Note, "USI_Hash value 128"),
            (meminfo, Some(("0", "5")), Grade::Note, "USI_Hash value 1"),
            ("", None, Grade::Note, "cannot tell"),
            ("MemTotal: x\nMemAvailable: y\n", None, Grade::Note, "cannot tell"),
        ] {
            check(&judge_memory(text, group), grade, part);
        }
    }

    #[test]
    fn what_the_clock_s_defaults_cost_is_said() {
        check(&clock(), Grade::Good, "NetworkDelay 120 and NetworkDelay2 1120 ms");
        check(&clock(), Grade::Good, "0 and 10");
    }

    #[test]
    fn instruction_sets() {
        check(&instructions(&[Isa::SCALAR]), Grade::Note, "AVX2");
        if let Ok(sse) = Isa::named("sse4.1") {
            check(&instructions(&[Isa::SCALAR, sse]), Grade::Note, "better than sse4.1");
        }
        let best = Isa::best();
        if ![Ok(Isa::SCALAR), Isa::named("sse4.1")].contains(&Ok(best)) {
            check(&instructions(Isa::available()), Grade::Good, best.name());
        }
    }
}
