//! Fixed positions at a fixed depth. The total of nodes is the signature of search and evaluation: it
//! changes when, and only when, they do.

use crate::evaluation::Evaluation;
use crate::search::search;
use alphabeta::options::PV_INTERVAL;
use rules::{AnyPosition, Game};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use think::key::universal::{HASH, THREADS};
use think::{Best, Control, Engine, Info, Limits, MateAnswer, Report, TimeSource};

/// Depth where none is given: five to ten seconds.
pub const DEPTH: u32 = 16;
/// Table in MiB. Part of the signature: never to be taken from the machine.
const HASH_MIB: usize = 64;

/// Openings, a handicap, middle games, endings near mate and with entering kings.
const SHOGI: [&str; 12] = [
    "startpos",
    "startpos moves 7g7f 3c3d 2g2f 8c8d 2f2e 8d8e 6i7h 4a3b 2e2d 2c2d 2h2d",
    "startpos moves 7g7f 3c3d 8h2b+ 3a2b 7i8h 2b3c 8h7g 4a3b 4g4f 7a6b",
    "sfen lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1",
    "sfen ln1gk2nl/1r1s2gb1/p1pp1pspp/4p1p2/1p5P1/2P1P1P2/PPSP1PS1P/1BG2G1R1/LN2K2NL b - 25",
    "sfen 4k4/2G3G2/3P1P3/9/4p4/9/3p1p3/2g3g2/4K4 b RB2S2N2L6Prb2s2n2l7p 101",
    "sfen ln1g2snl/1r2k1gb1/2sppp2p/pP4RP1/2B6/P1p6/1pNPPPP1P/2KG5/L1S2GSNL b 3P 35",
    "sfen l5snl/1rgs1k1b1/2nppp1gp/pPR4P1/2BN5/P2P5/1SG1PPP1P/2K6/L4GSNL w 4Pp 52",
    "sfen l1S3snl/1RGnk4/3gpn1+Pp/pP3pB2/9/P2P5/1S2PPP1P/3+p1K3/L1r2GSNL w G5Pb 86",
    "sfen l4gsnl/4g1kb1/2s1pp1pp/p2p2p2/1pr6/3PP1P1P/PP3P1P1/1S1RGK1S1/LN1G3NL b Nb2p 35",
    "sfen l4gsnl/3sg1k2/4lp1pp/p1+r3p2/3p4P/1P2SBP2/P4P1P1/3RG2K1/+b2G3NL b N5Psnp 69",
    "sfen 5gsnl/4g2k1/4sp1lp/p6s1/3S2PNP/1P3+B1K1/P2G2LP1/3G5/2+rP4+r b B7P2nl2p 103",
];

const MINISHOGI: [&str; 6] = [
    "startpos",
    "startpos moves 3e4d 3a2b 2e3d 4a3b",
    "sfen r1s1k/2g1p/1b3/P1G2/K1SBR b - 9",
    "sfen 1bkg1/r1s1p/1S3/P2GB/K1R2 w - 18",
    "sfen r3k/1sbgp/5/PG1S1/1K1BR w - 18",
    "sfen 1r1k1/Bs2p/2gb1/P2s1/GK2R b - 35",
];

/// What a run comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Total {
    pub nodes: u64,
    /// Spent searching.
    pub time: Duration,
}

/// One run over the positions, which another thread may cancel.
#[derive(Clone)]
pub struct Bench {
    depth: u32,
    threads: u32,
    running: Arc<Mutex<Running>>,
}

#[derive(Default)]
struct Running {
    cancelled: bool,
    control: Control,
}

impl Bench {
    /// A run to a depth, the usual one if none is given.
    pub fn new(depth: Option<u32>, threads: u32) -> Self {
        Self { depth: depth.unwrap_or(DEPTH), threads, running: Arc::default() }
    }

    /// Ends the run as soon as the search in progress ends.
    pub fn cancel(&self) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.cancelled = true;
        running.control.stop();
    }

    fn is_cancelled(&self) -> bool {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).cancelled
    }

    /// Searches the positions of these games with fresh engines; `each` is told about every
    /// position. `None` if cancelled.
    pub fn run(
        &self,
        sets: &[(Game, Evaluation)],
        time: &Arc<dyn TimeSource>,
        each: &mut dyn FnMut(&str),
    ) -> Option<Total> {
        let mut total = Total::default();
        for (game, evaluation) in sets {
            each(&format!("{game}: {}", evaluation.describe()));
            let mut engine = search(*game, evaluation, Arc::clone(time));
            let threads = THREADS.to(self.threads as usize);
            // Every iteration is reported: which one is last must not depend on the clock.
            for (name, value) in [HASH.to(HASH_MIB), threads, PV_INTERVAL.to(0)] {
                engine.set_option(name, &value).expect("the search has these options");
            }
            engine.is_ready(&mut |text| each(text));
            let positions = positions(*game);
            for (index, position) in positions.iter().enumerate() {
                let started = time.now();
                let nodes = self.search(&mut *engine, position.clone(), started)?;
                total.time += time.now().saturating_sub(started);
                total.nodes += nodes;
                each(&format!("{game} {} of {}: {nodes} nodes", index + 1, positions.len()));
            }
        }
        Some(total)
    }

    /// Nodes of one search; `None` if cancelled.
    fn search(
        &self,
        engine: &mut dyn Engine,
        position: AnyPosition,
        start: Duration,
    ) -> Option<u64> {
        engine.new_game();
        engine.set_position(position).expect("the engine was made for this game");
        let nodes = Arc::new(Mutex::new(0));
        let limits = Limits { start, ..Limits::to_depth(self.depth) };
        if cfg!(target_family = "wasm") {
            // There are no threads, and so nobody who could cancel it.
            engine.think(limits, &mut NodeCount(Arc::clone(&nodes)));
        } else {
            let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
            if running.cancelled {
                return None;
            }
            engine.go(limits, Box::new(NodeCount(Arc::clone(&nodes))));
            running.control = engine.control();
        }
        engine.wait();
        let nodes = *nodes.lock().unwrap_or_else(PoisonError::into_inner);
        (!self.is_cancelled()).then_some(nodes)
    }
}

/// The positions searched, with the moves that led to them.
pub fn positions(game: Game) -> Vec<AnyPosition> {
    let texts: &[&str] = match game {
        Game::Shogi => &SHOGI,
        Game::Minishogi => &MINISHOGI,
    };
    texts.iter().map(|text| position(game, text)).collect()
}

/// A position as after the USI command `position`.
fn position(game: Game, text: &str) -> AnyPosition {
    let (start, moves) = text.split_once(" moves ").unwrap_or((text, ""));
    let mut position = match start.strip_prefix("sfen ") {
        Some(sfen) => AnyPosition::from_sfen(game, sfen).expect("bench positions are constants"),
        None => AnyPosition::startpos(game),
    };
    for text in moves.split_ascii_whitespace() {
        let m = position.parse_usi(text).expect("bench positions are constants");
        position.play(m);
    }
    position
}

/// Keeps the node count reported last.
struct NodeCount(Arc<Mutex<u64>>);

impl Report for NodeCount {
    fn info(&mut self, info: &Info) {
        if let Some(nodes) = info.nodes {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = nodes;
        }
    }

    fn note(&mut self, _: &str) {}

    fn best(&mut self, _: &Best) {}

    fn mate(&mut self, _: &MateAnswer) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use nnue::{AnyNet, Architecture, FeatureKind, Isa, Noise, Shape};
    use think::WallTime;

    fn wall() -> Arc<dyn TimeSource> {
        Arc::new(WallTime::start())
    }

    fn total(game: Game, evaluation: &Evaluation, depth: u32) -> u64 {
        let (mut lines, sets) = (Vec::new(), [(game, evaluation.clone())]);
        let total =
            Bench::new(Some(depth), 1).run(&sets, &wall(), &mut |line| lines.push(line.to_owned()));
        assert_eq!(lines.len(), 1 + positions(game).len(), "{game}");
        // A position that needs no search would test nothing.
        assert!(lines.iter().all(|line| !line.ends_with(": 0 nodes")), "{lines:?}");
        total.unwrap().nodes
    }

    #[test]
    fn every_bench_position_is_one_and_the_signature_is_stable() {
        for game in Game::ALL {
            let signature = || total(game, &Evaluation::Material, 3);
            assert_eq!(signature(), signature(), "{game}");
        }
    }

    /// The signature of a small bench, with piece values and with the nets inside: whoever changes
    /// search or evaluation changes these numbers, and says so.
    #[test]
    fn the_small_bench_has_its_signature() {
        for (game, material, net) in
            [(Game::Shogi, 229_660, 198_766), (Game::Minishogi, 18_798, 28_802)]
        {
            let found = [Evaluation::Material, crate::shipped(game)].map(|e| total(game, &e, 10));
            assert_eq!(found, [material, net], "{game}");
        }
    }

    #[test]
    fn every_instruction_set_has_the_same_signature() {
        let shape = Shape { l0: 32, h1: 8, h2: 16 };
        for features in [FeatureKind::KP, FeatureKind::MiniHalfKp] {
            let net = AnyNet::random(Architecture { features, shape }, Noise::ordinary(5));
            let signature =
                |isa| total(features.game(), &Evaluation::Net(net.clone()).with_isa(isa), 3);
            let scalar = signature(Isa::SCALAR);
            assert_ne!(scalar, total(features.game(), &Evaluation::Material, 3));
            for &isa in Isa::available() {
                assert_eq!(signature(isa), scalar, "{features:?} {isa}");
            }
        }
    }

    #[test]
    fn a_cancelled_run_ends_without_a_total() {
        let bench = Bench::new(Some(40), 1);
        let other = bench.clone();
        let sets = [(Game::Shogi, Evaluation::Material)];
        let running = std::thread::spawn(move || other.run(&sets, &wall(), &mut |_| ()));
        bench.cancel();
        assert_eq!(running.join().unwrap(), None);
    }
}
