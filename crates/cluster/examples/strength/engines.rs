//! The engines that play: alpha-beta with the net inside and with disturbed copies of it, and the tree
//! search.

use assembly::Evaluation;
use assembly::options::{HASH, PV_INTERVAL, THREADS};
use nnue::{AnyNet, Transformer};
use rules::Game;
use seed::Rng;
use std::sync::Arc;
use think::{Engine, TimeSource, WallTime};

/// How much the weights of a disturbed net are changed, as a part of their usual size.
const NOISE: f64 = 0.10;

/// Which engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum EngineChoice {
    /// Alpha-beta with the net inside.
    Net,
    /// Alpha-beta with that disturbed copy of it.
    Disturbed(usize),
    /// The tree search with the policy-value net inside.
    Tree,
}

/// What all of them share.
pub(crate) struct EngineSet {
    net: Evaluation,
    disturbed: Vec<Evaluation>,
    time: Arc<dyn TimeSource>,
}

impl EngineSet {
    pub(crate) fn load() -> Self {
        let net = assembly::shipped(Game::Shogi);
        let Evaluation::Net(inside) = &net else { panic!("the executable has no net") };
        Self {
            disturbed: (1..=2).map(|seed| Evaluation::Net(disturbed(inside, seed))).collect(),
            time: Arc::new(WallTime::start()),
            net,
        }
    }

    pub(crate) fn engine(&self, choice: EngineChoice) -> Box<dyn Engine> {
        let time = Arc::clone(&self.time);
        let search = |net| assembly::search(Game::Shogi, net, Arc::clone(&time));
        let (mut engine, options) = match choice {
            EngineChoice::Net => (search(&self.net), vec![HASH.to(8), PV_INTERVAL.to(0)]),
            EngineChoice::Disturbed(place) => {
                (search(&self.disturbed[place]), vec![HASH.to(8), PV_INTERVAL.to(0)])
            }
            EngineChoice::Tree => {
                // One for each search: whoever asks a back-end gets whatever is finished.
                let net = assembly::deep::load("", Game::Shogi).expect("the executable has a net");
                (assembly::tree_search(net, time), vec![HASH.to(64)])
            }
        };
        for (name, value) in options.into_iter().chain([THREADS.to(1)]) {
            engine.set_option(name, &value).expect("an option of ours");
        }
        engine.is_ready(&mut |_| ());
        engine
    }
}

/// A net whose first layer is not quite that of another: as strong, nearly, and of its own opinion.
fn disturbed(net: &AnyNet, seed: u64) -> AnyNet {
    let mut rng = Rng::new(seed);
    let mut transformer: Transformer = net.transformer().clone();
    let squares = transformer.weights.iter().map(|&w| f64::from(w) * f64::from(w));
    let usual = (squares.sum::<f64>() / transformer.weights.len() as f64).sqrt();
    for weight in transformer.weights.iter_mut() {
        // Twelve dice make a bell.
        let bell = (0..12).map(|_| rng.unit()).sum::<f64>() - 6.0;
        let changed = f64::from(*weight) + NOISE * usual * bell;
        *weight = changed.round().clamp(f64::from(i16::MIN), f64::from(i16::MAX)) as i16;
    }
    let made = AnyNet::from_parts(net.architecture(), transformer, net.parameters().clone());
    let made = made.expect("the parts of a net");
    net.win_rate_scale().map_or(made.clone(), |scale| made.with_win_rate_scale(scale))
}
