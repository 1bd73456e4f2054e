//! What a task asks of a worker.

use crate::names::Pool;
use crate::task::Spec;
use arena::tuning_request::HASH_MIB;
use assembly::options::UCT_THREADS;
use serde::{Deserialize, Serialize};
use think::key::OptionKey;
use think::key::universal::{HASH, THREADS};

/// MiB of an engine's table where nobody said how large.
const TABLE: u64 = 256;

/// MiB of the games that a task of reinforcement learning plays at a time, with large trees.
const TREES: u64 = 256;

/// What a task asks of a worker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Needs {
    /// Where it waits.
    pub pool: Pool,
    /// Processors: a worker's tasks together never ask for more than it has.
    pub cores: u32,
    /// Memory: the same.
    pub memory_mib: u64,
}

impl Default for Needs {
    fn default() -> Self {
        Self { pool: Pool::any(), cores: 1, memory_mib: 0 }
    }
}

impl Spec {
    /// Processors and MiB one task of it takes, as far as the spec says.
    pub fn needs(&self) -> Needs {
        let option = |options: &[(String, String)], key: &OptionKey<usize>, usual: u64| {
            let given = options.iter().rev().find(|(name, _)| key.is_called(name));
            given.and_then(|(_, value)| value.parse().ok()).unwrap_or(usual)
        };
        // The tree search may have a number of its own.
        let threads = |options: &[(String, String)]| {
            option(options, &THREADS, 1).max(option(options, &UCT_THREADS, 0))
        };
        let engine = |text: &str| {
            let pairs = arena::spec::pairs(text).into_iter();
            let options =
                pairs.filter_map(|(k, v)| Some((k.strip_prefix("option.")?.to_owned(), v)));
            options.collect::<Vec<_>>()
        };
        let (cores, memory) = match self {
            Self::Checksum { .. } => (1, 0),
            Self::Match(spec) => {
                let each: Vec<_> = spec.request.each.iter().flat_map(|text| engine(text)).collect();
                let of = |text: &String| [each.clone(), engine(text)].concat();
                let all: Vec<_> = spec.request.engines.iter().map(of).collect();
                let mut hashes: Vec<u64> = all.iter().map(|o| option(o, &HASH, TABLE)).collect();
                hashes.sort_unstable_by(|a, b| b.cmp(a));
                // One thinks while the other waits; both have their tables.
                let threads = all.iter().map(|o| threads(o)).max().unwrap_or(1);
                (threads, hashes.iter().take(2).sum())
            }
            Self::Tune(request) => {
                let pair = |text: &String| text.split_once('=').map(|(k, v)| (k.into(), v.into()));
                let given: Vec<(String, String)> =
                    request.options.iter().filter_map(pair).collect();
                let of_engine = request.engine.as_deref().map(engine).unwrap_or_default();
                let options = [of_engine, given].concat();
                let usual = if request.engine.is_some() { TABLE } else { HASH_MIB as u64 };
                (threads(&options), 2 * option(&options, &HASH, usual))
            }
            Self::SelfPlay(spec) => {
                let options = &spec.settings.options;
                (threads(options), option(options, &HASH, TABLE))
            }
            Self::Reinforce(_) => (1, TREES),
            Self::Rescore(spec) => (1, u64::from(spec.hash)),
            Self::Openings(settings) => {
                let options = engine(settings.judge());
                (threads(&options), option(&options, &HASH, TABLE))
            }
            Self::Leaves(spec) => (threads(&spec.options), u64::from(spec.hash)),
            Self::Mate(spec) => (u64::from(spec.threads.max(1)), u64::from(spec.hash)),
        };
        let cores = u32::try_from(cores.max(1)).unwrap_or(u32::MAX);
        Needs { cores, memory_mib: memory, ..Needs::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{MatchSpec, MateSpec, RescoreSpec};
    use arena::opening_maker::OpeningSettings;
    use arena::request::MatchRequest;

    #[test]
    fn threads_and_tables_are_needed() {
        let spec = |each: &[&str], engines: &[&str]| {
            let own = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect();
            let request =
                MatchRequest { engines: own(engines), each: own(each), ..MatchRequest::default() };
            let spec = Spec::Match(Box::new(MatchSpec { request, reference_speed: None }));
            let needs = spec.needs();
            (needs.cores, needs.memory_mib)
        };
        assert_eq!(spec(&[], &["cmd=self", "cmd=self"]), (1, 512));
        let small = ["option.USI_Hash=16"];
        assert_eq!(spec(&small, &["cmd=self", "cmd=self,option.usi_hash=64"]), (1, 80));
        assert_eq!(spec(&small, &["cmd=self,option.Threads=4", "cmd=self"]), (4, 32));
        assert_eq!(spec(&small, &["cmd=self,option.UCT_Threads=3", "cmd=self"]), (3, 32));
        let judged = |engine: Option<&str>| {
            let engine = engine.map(str::to_owned);
            let needs = Spec::Openings(Box::new(OpeningSettings { engine, ..Default::default() }));
            (needs.needs().cores, needs.needs().memory_mib)
        };
        assert_eq!(judged(None), (1, 16));
        assert_eq!(judged(Some("cmd=./x,option.Threads=3")), (3, 256));
        let mate = Spec::Mate(MateSpec { hash: 100, threads: 2, ..MateSpec::default() });
        assert_eq!((mate.needs().cores, mate.needs().memory_mib), (2, 100));
        let (game, limit) = ("shogi".to_owned(), corpus::Limit::Static);
        let (inputs, net) = (Vec::new(), None);
        let rescore =
            Spec::Rescore(RescoreSpec { game, inputs, limit, hash: 8, net, fv_scale: 16 });
        assert_eq!((rescore.needs().cores, rescore.needs().memory_mib), (1, 8));
    }
}
