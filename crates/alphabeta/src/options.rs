//! The options of the search, and what they mean to it.

use crate::params::Params;
use crate::shared::Terms;
use crate::values;
use play::SearchRules;
use think::key::universal::{HASH, MULTI_PV, PONDER, THREADS};
use think::{OptionKey, OptionSpec, Settings, TimeOptions, TimePlan};

pub use think::usual::{
    ANALYSIS_MODE, CLEAR_HASH, DRAW_VALUE_BLACK, DRAW_VALUE_WHITE, ENTERING_KING_RULE,
    GENERATE_ALL_LEGAL_MOVES, MAX_MOVES_TO_DRAW, MINIMUM_THINKING_TIME, NETWORK_DELAY,
    NETWORK_DELAY_2, NODES_LIMIT, PV_INTERVAL, RESIGN_VALUE, ROOT_MATE_NODES,
    ROUND_UP_TO_FULL_SECOND, SKILL_LEVEL, SLOW_MOVER,
};

/// Plies of the deepest iteration.
pub const DEPTH_LIMIT: OptionKey<i32> =
    OptionKey::spin("DepthLimit", 0, 0, 245, "Plies of the deepest iteration; 0 for no limit.");

/// What can be set, in the order it is told.
pub(crate) fn specs() -> Vec<OptionSpec> {
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
        DEPTH_LIMIT.spec(),
        NODES_LIMIT.spec(),
        ENTERING_KING_RULE.spec(),
        MAX_MOVES_TO_DRAW.spec(),
        DRAW_VALUE_BLACK.spec(),
        DRAW_VALUE_WHITE.spec(),
        RESIGN_VALUE.spec(),
        GENERATE_ALL_LEGAL_MOVES.spec(),
        MULTI_PV.spec(),
        PV_INTERVAL.spec(),
        SKILL_LEVEL.spec(),
        ROOT_MATE_NODES.spec(),
        ANALYSIS_MODE.spec(),
    ]
}

/// The options that bear on time.
pub(crate) fn time_options(settings: &Settings, params: &Params) -> TimeOptions {
    let plan = TimePlan {
        game: params.time_game as u32,
        game_rest: params.time_game_rest as u32,
        shares: params.time_shares as u32,
        clock: params.time_clock as u32,
        byoyomi: params.time_byoyomi as u32,
    };
    think::usual::time_options(settings, plan)
}

/// The options that say what is read.
pub(crate) fn terms(settings: &Settings) -> Terms {
    let draw = |key| values::from_cp(settings.get(key));
    let rules = SearchRules {
        declaration: settings.get(&ENTERING_KING_RULE).parse().unwrap_or_default(),
        max_moves: settings.get(&MAX_MOVES_TO_DRAW),
    };
    Terms {
        rules,
        draw: [draw(&DRAW_VALUE_BLACK), draw(&DRAW_VALUE_WHITE)],
        all_moves: settings.get(&GENERATE_ALL_LEGAL_MOVES),
        analysis: settings.get(&ANALYSIS_MODE),
    }
}
