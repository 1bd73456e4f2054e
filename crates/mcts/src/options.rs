//! The options of the search, and what they mean to it. Names that interfaces know from dlshogi
//! mean here what they mean there.

use crate::constants::{Constants, Fpu};
use crate::leaf::LeafRules;
use crate::root::Noise;
use crate::tree::DrawScores;
use play::SearchRules;
use rules::{Color, Game};
use think::key::universal::{HASH, MULTI_PV, PONDER, THREADS};
use think::usual::{
    CLEAR_HASH, DRAW_VALUE_BLACK, DRAW_VALUE_WHITE, ENTERING_KING_RULE, GENERATE_ALL_LEGAL_MOVES,
    MAX_MOVES_TO_DRAW, MINIMUM_THINKING_TIME, NETWORK_DELAY, NETWORK_DELAY_2, NODES_LIMIT,
    PV_INTERVAL, RESIGN_VALUE, ROOT_MATE_NODES, ROUND_UP_TO_FULL_SECOND, SLOW_MOVER,
};
use think::{OptionKey, OptionSpec, Settings};

/// Threads of the tree search.
pub const UCT_THREADS: OptionKey<usize> = OptionKey::spin(
    "UCT_Threads",
    0,
    0,
    256,
    "Threads of the tree search; 0 for as many as its net keeps busy, or as Threads says where the \
     net computes on them.",
);

/// Positions in a batch.
pub const DNN_BATCH_SIZE: OptionKey<usize> = OptionKey::spin(
    "DNN_Batch_Size",
    0,
    0,
    4096,
    "Positions the net is given at once; 0 for as many as suit it.",
);

/// Share of the memory for answers.
pub const CACHE_SHARE: OptionKey<usize> = OptionKey::spin(
    "DNN_Cache_Share",
    12,
    0,
    50,
    "Percent of USI_Hash in which answers of the net are kept for positions that come again.",
);

/// Whose constants.
pub const PUCT_CONSTANTS: OptionKey<String> = OptionKey::combo(
    "PUCT_Constants",
    "Nue",
    &["Nue", "dlshogi", "lc0", "AlphaZero"],
    "Whose constants the tree search goes by, where the options below do not say otherwise; Nue's own \
     differ from game to game.",
);

const HUNDREDTHS: i64 = 10_000;

/// Exploration below the root.
pub const C_INIT: OptionKey<u32> = OptionKey::spin(
    "C_init",
    0,
    0,
    HUNDREDTHS,
    "Exploration below the root, in hundredths; 0 as the constants say.",
);

/// Visits over which exploration grows, below the root.
pub const C_BASE: OptionKey<u32> = OptionKey::spin(
    "C_base",
    0,
    0,
    10_000_000,
    "Visits over which exploration grows below the root; 0 as the constants say.",
);

/// Reduction of unvisited moves below the root.
pub const C_FPU_REDUCTION: OptionKey<i32> = OptionKey::spin(
    "C_fpu_reduction",
    -1,
    -1,
    100,
    "What is taken off the value of moves not visited below the root, in hundredths; -1 as the \
     constants say.",
);

/// Exploration at the root.
pub const C_INIT_ROOT: OptionKey<u32> = OptionKey::spin(
    "C_init_root",
    0,
    0,
    HUNDREDTHS,
    "Exploration at the root, in hundredths; 0 as the constants say.",
);

/// Visits over which exploration grows, at the root.
pub const C_BASE_ROOT: OptionKey<u32> = OptionKey::spin(
    "C_base_root",
    0,
    0,
    10_000_000,
    "Visits over which exploration grows at the root; 0 as the constants say.",
);

/// Reduction of unvisited moves at the root.
pub const C_FPU_REDUCTION_ROOT: OptionKey<i32> = OptionKey::spin(
    "C_fpu_reduction_root",
    -1,
    -1,
    100,
    "What is taken off the value of moves not visited at the root, in hundredths; -1 as the \
     constants say.",
);

/// Temperature of the policy.
pub const SOFTMAX_TEMPERATURE: OptionKey<u32> = OptionKey::spin(
    "Softmax_Temperature",
    0,
    0,
    1000,
    "What the net's policy is softened by, in hundredths; 0 as the constants say.",
);

/// Win rate to score. A net of this kind says win rates: this is no number to be measured, only what
/// scores are told in.
pub const EVAL_COEF: OptionKey<u32> = OptionKey::spin(
    "Eval_Coef",
    play::USUAL_SCALE as i64,
    1,
    10_000,
    "The score in hundredths of a pawn that is told for a win rate of 73 %.",
);

/// Whether the subtree of what was played is kept.
pub const REUSE_SUBTREE: OptionKey<bool> = OptionKey::check(
    "ReuseSubtree",
    true,
    "Go on with what was read below the moves that were played.",
);

/// Whether the final choice is by confidence bound.
pub const LCB: OptionKey<bool> = OptionKey::check(
    "LCB_Choice",
    false,
    "Choose the move with the best lower confidence bound instead of the most visits.",
);

/// Whether leaves are looked at for mates of three plies.
pub const LEAF_MATES: OptionKey<bool> = OptionKey::check(
    "Leaf_Mate_Search",
    true,
    "Look for mates of three plies in every new position while the net computes.",
);

/// Nodes of a search for a longer mate at a leaf.
pub const LEAF_MATE_NODES: OptionKey<u64> = OptionKey::spin(
    "Leaf_Mate_Nodes",
    0,
    0,
    100_000,
    "Nodes of the search for a longer mate in every new position that has none in three plies; 0 for \
     none. Worth it where cores wait for a device.",
);

/// Threads that look for mates along the best line.
pub const PV_MATE_THREADS: OptionKey<usize> = OptionKey::spin(
    "PV_Mate_Search_Threads",
    0,
    0,
    64,
    "Threads that look for mates along the best line while the search runs.",
);

/// Nodes of each of those searches.
pub const PV_MATE_NODES: OptionKey<u64> = OptionKey::spin(
    "PV_Mate_Search_Nodes",
    100_000,
    1,
    1_000_000_000,
    "Nodes of a search for a mate along the best line.",
);

/// Whether chances are told beside scores.
pub const SHOW_WDL: OptionKey<bool> = OptionKey::check(
    "USI_ShowWDL",
    false,
    "Tell how likely the side to move wins, draws and loses, in thousandths, beside every score.",
);

/// Whether the use of the net is told.
pub const REPORT_USAGE: OptionKey<bool> = OptionKey::check(
    "DNN_Report_Usage",
    false,
    "Tell after every search how full the net's batches were and how many playouts collided.",
);

/// Least gain of a playout.
pub const LEAST_GAIN: OptionKey<u64> = OptionKey::spin(
    "Least_Gain",
    0,
    0,
    1_000_000_000,
    "End the search when a playout changes the distribution of visits by less than this, in \
     billionths of its information; 0 for never.",
);

/// Weight of Dirichlet noise.
pub const DIRICHLET_NOISE: OptionKey<u32> = OptionKey::spin(
    "Dirichlet_Noise",
    0,
    0,
    100,
    "Percent of noise in the root's policy, for self-play.",
);

/// Chance of dlshogi's noise.
pub const EDGE_NOISE: OptionKey<u32> = OptionKey::spin(
    "Edge_Noise",
    0,
    0,
    1000,
    "Chance in thousandths that a playout sees a move of the root as much likelier, for self-play.",
);

/// Moves considered by Gumbel's root.
pub const GUMBEL_MOVES: OptionKey<usize> = OptionKey::spin(
    "Gumbel_Moves",
    0,
    0,
    600,
    "Moves considered at the root by sequential halving, for self-play with a limit of nodes; 0 for \
     the usual way.",
);

/// Seed of all noise.
pub const NOISE_SEED: OptionKey<u64> =
    OptionKey::spin("Noise_Seed", 0, 0, i64::MAX, "Seed of all noise at the root.");

/// What can be set, in the order it is told.
pub fn specs() -> Vec<OptionSpec> {
    vec![
        HASH.spec(),
        THREADS.spec(),
        CLEAR_HASH.spec(),
        PONDER.spec(),
        NETWORK_DELAY.spec(),
        NETWORK_DELAY_2.spec(),
        MINIMUM_THINKING_TIME.spec(),
        SLOW_MOVER.spec(),
        ROUND_UP_TO_FULL_SECOND.spec(),
        NODES_LIMIT.spec(),
        ENTERING_KING_RULE.spec(),
        MAX_MOVES_TO_DRAW.spec(),
        DRAW_VALUE_BLACK.spec(),
        DRAW_VALUE_WHITE.spec(),
        RESIGN_VALUE.spec(),
        GENERATE_ALL_LEGAL_MOVES.spec(),
        MULTI_PV.spec(),
        PV_INTERVAL.spec(),
        ROOT_MATE_NODES.spec(),
        UCT_THREADS.spec(),
        DNN_BATCH_SIZE.spec(),
        CACHE_SHARE.spec(),
        PUCT_CONSTANTS.spec(),
        C_INIT.spec(),
        C_BASE.spec(),
        C_FPU_REDUCTION.spec(),
        C_INIT_ROOT.spec(),
        C_BASE_ROOT.spec(),
        C_FPU_REDUCTION_ROOT.spec(),
        SOFTMAX_TEMPERATURE.spec(),
        EVAL_COEF.spec(),
        REUSE_SUBTREE.spec(),
        LCB.spec(),
        LEAF_MATES.spec(),
        LEAF_MATE_NODES.spec(),
        PV_MATE_THREADS.spec(),
        PV_MATE_NODES.spec(),
        SHOW_WDL.spec(),
        REPORT_USAGE.spec(),
        LEAST_GAIN.spec(),
        DIRICHLET_NOISE.spec(),
        EDGE_NOISE.spec(),
        GUMBEL_MOVES.spec(),
        NOISE_SEED.spec(),
    ]
}

/// Whether trees read under another value of this option are still true.
pub(crate) fn leaves_the_tree(name: &str) -> bool {
    [
        PONDER.name(),
        THREADS.name(),
        NETWORK_DELAY.name(),
        NETWORK_DELAY_2.name(),
        MINIMUM_THINKING_TIME.name(),
        SLOW_MOVER.name(),
        ROUND_UP_TO_FULL_SECOND.name(),
        NODES_LIMIT.name(),
        RESIGN_VALUE.name(),
        MULTI_PV.name(),
        PV_INTERVAL.name(),
        ROOT_MATE_NODES.name(),
        UCT_THREADS.name(),
        DNN_BATCH_SIZE.name(),
        EVAL_COEF.name(),
        LCB.name(),
        SHOW_WDL.name(),
        REPORT_USAGE.name(),
        LEAST_GAIN.name(),
    ]
    .iter()
    .any(|known| known.eq_ignore_ascii_case(name))
}

/// The constants the options ask for.
pub(crate) fn constants(settings: &Settings, game: Game) -> Constants {
    let named = settings.get(&PUCT_CONSTANTS);
    let mut constants = Constants::by_name(&named, game).unwrap_or(Constants::of(game));
    let hundredths = |number: u32| number as f32 / 100.0;
    let places = [
        (&mut constants.inner, &C_INIT, &C_BASE, &C_FPU_REDUCTION),
        (&mut constants.root, &C_INIT_ROOT, &C_BASE_ROOT, &C_FPU_REDUCTION_ROOT),
    ];
    for (exploration, init, base, reduction) in places {
        if let number @ 1.. = settings.get(init) {
            exploration.init = hundredths(number);
        }
        if let number @ 1.. = settings.get(base) {
            exploration.base = number as f32;
        }
        if let Ok(number) = u32::try_from(settings.get(reduction)) {
            match &mut exploration.fpu {
                Fpu::Visited { reduction } | Fpu::Chosen { reduction } => {
                    *reduction = hundredths(number);
                }
                fpu @ Fpu::Loss => *fpu = Fpu::Visited { reduction: hundredths(number) },
            }
        }
    }
    if let number @ 1.. = settings.get(&SOFTMAX_TEMPERATURE) {
        constants.temperature = hundredths(number);
    }
    constants
}

/// The options that bear on the rules.
pub(crate) fn leaf_rules(settings: &Settings) -> LeafRules {
    let game = SearchRules {
        declaration: settings.get(&ENTERING_KING_RULE).parse().unwrap_or_default(),
        max_moves: settings.get(&MAX_MOVES_TO_DRAW),
    };
    LeafRules { game, all_moves: settings.get(&GENERATE_ALL_LEGAL_MOVES) }
}

/// What a draw is worth by colour, where the engine plays for this one.
pub(crate) fn draw_scores(settings: &Settings, ours: Color) -> DrawScores {
    let key = if ours == Color::Black { &DRAW_VALUE_BLACK } else { &DRAW_VALUE_WHITE };
    let scale = f64::from(settings.get(&EVAL_COEF));
    let score = play::win_rate(f64::from(settings.get(key)), scale) as f32;
    let mut scores = [score; 2];
    scores[ours.opponent().index()] = 1.0 - score;
    scores
}

/// The options that bear on the root.
pub(crate) fn noise(settings: &Settings, constants: &Constants, position: u64) -> Noise {
    let seed = settings.get(&NOISE_SEED);
    Noise {
        dirichlet: settings.get(&DIRICHLET_NOISE) as f32 / 100.0,
        concentration: constants.concentration,
        lift: settings.get(&EDGE_NOISE) as f32 / 1000.0,
        gumbel: settings.get(&GUMBEL_MOVES),
        gumbel_visits: constants.gumbel_visits,
        seed: seed::Rng::for_purpose(seed, &[position]).bits(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_named_but_for_what_is_set() {
        let mut settings = Settings::new(specs());
        for game in Game::ALL {
            assert_eq!(constants(&settings, game), Constants::of(game));
        }
        for (name, value) in [
            ("PUCT_Constants", "alphazero"),
            ("C_init", "200"),
            ("C_base_root", "9"),
            ("C_fpu_reduction", "10"),
            ("Softmax_Temperature", "150"),
        ] {
            settings.set(name, value).unwrap();
        }
        let found = constants(&settings, Game::Shogi);
        assert_eq!((found.inner.init, found.root.base, found.temperature), (2.0, 9.0, 1.5));
        assert_eq!(found.inner.fpu, Fpu::Visited { reduction: 0.1 });
        assert_eq!(found.root.fpu, Fpu::Loss);
        assert_eq!(found.root.init, Constants::ALPHA_ZERO.root.init);
    }

    #[test]
    fn every_option_is_declared_once() {
        let specs = specs();
        for (index, spec) in specs.iter().enumerate() {
            assert!(!specs[..index].iter().any(|other| other.is_called(&spec.name)), "{spec:?}");
            assert!(spec.parse(&spec.default).is_ok(), "{spec:?}");
        }
    }
}
