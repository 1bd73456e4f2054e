//! What the machine has: instruction sets, threads, memory, huge pages; and what is kept back of its
//! clock.

use super::Finding;
use nnue::Isa;
use os::memory::{self, Figures, HugePages};
use think::usual::{NETWORK_DELAY, NETWORK_DELAY_2};

/// What `USI_Hash` is by default, in MiB.
const USUAL_HASH: u64 = 256;

/// What the machine has.
pub fn look() -> Vec<Finding> {
    vec![
        build(),
        instructions(Isa::available()),
        threads(),
        judge_memory(memory::figures()),
        judge_huge_pages(memory::huge_pages()),
        clock(),
    ]
}

/// The machine in a few words, for whoever repeats what was measured on it.
pub fn name() -> String {
    let model = os::machine::processor().unwrap_or_else(|| std::env::consts::ARCH.to_owned());
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
         and 10, or of a byoyomi of one second 333 ms are kept back",
        usual.0, usual.1, worst.0, worst.1
    ))
}

fn judge_memory(figures: Option<Figures>) -> Finding {
    let Some(Figures { total_mib: total, free_mib: free }) = figures else {
        return Finding::note(
            "cannot tell how much memory there is",
            "keep option USI_Hash below half of the free memory",
        );
    };
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

fn judge_huge_pages(pages: HugePages) -> Finding {
    match pages {
        HugePages::Given(word) => {
            Finding::good(format!("huge pages are given ({word}): large tables are quick to reach"))
        }
        HugePages::Off(why, advice) => Finding::note(
            format!("huge pages are off ({why}): large tables cost some speed"),
            advice,
        ),
        HugePages::Unknown => Finding::good("huge pages: not looked at on this system"),
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
    fn huge_pages_are_given_or_advice_is() {
        let given = HugePages::Given("always".to_owned());
        check(&judge_huge_pages(given), Grade::Good, "always");
        let off = HugePages::Off("never".to_owned(), "switch them on");
        check(&judge_huge_pages(off), Grade::Note, "off (never)");
        check(&judge_huge_pages(HugePages::Unknown), Grade::Good, "not looked at");
    }

    #[test]
    fn memory_by_what_is_free() {
        let figures = |free_mib| Some(Figures { total_mib: 7812, free_mib });
        check(&judge_memory(figures(4199)), Grade::Good, "USI_Hash up to 2048");
        check(&judge_memory(figures(1024)), Grade::Good, "1024 MiB of 7812 MiB");
        check(&judge_memory(figures(300)), Grade::Note, "USI_Hash value 128");
        check(&judge_memory(figures(0)), Grade::Note, "USI_Hash value 1");
        check(&judge_memory(None), Grade::Note, "cannot tell");
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
