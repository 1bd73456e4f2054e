//! Options that our searches have in common, each with one meaning: the clock, the rules of the
//! game, what is told and when to resign.

use crate::budget::{TimeOptions, TimePlan, USUAL_WORST_DELAY};
use crate::{OptionKey, Settings};
use rules::Declaration;
use std::time::Duration;

/// What a move usually loses on its way, in milliseconds.
pub const NETWORK_DELAY: OptionKey<u64> = OptionKey::spin(
    "NetworkDelay",
    120,
    0,
    10_000,
    "Milliseconds a move usually loses on its way to the server and back.",
);

/// What it may lose at worst, in milliseconds.
pub const NETWORK_DELAY_2: OptionKey<u64> = OptionKey::spin(
    "NetworkDelay2",
    USUAL_WORST_DELAY.as_millis() as i64,
    0,
    10_000,
    "Milliseconds it may lose at worst: kept back wherever overstepping loses the game, but never \
     most of the clock; as it is no more than a third, and a tenth below a second.",
);

/// How long to think at least, in milliseconds.
pub const MINIMUM_THINKING_TIME: OptionKey<u64> = OptionKey::spin(
    "MinimumThinkingTime",
    2000,
    0,
    100_000,
    "Milliseconds to think at least, when the clock allows.",
);

/// Percent of the usual share of the clock.
pub const SLOW_MOVER: OptionKey<u32> =
    OptionKey::spin("SlowMover", 100, 1, 1000, "Percent of the usual share of the clock.");

/// Whether whole seconds are used up.
pub const ROUND_UP_TO_FULL_SECOND: OptionKey<bool> = OptionKey::check(
    "RoundUpToFullSecond",
    true,
    "Use the whole second that a server counting in seconds charges anyway.",
);

/// Nodes of a search.
pub const NODES_LIMIT: OptionKey<u64> = OptionKey::spin(
    "NodesLimit",
    0,
    0,
    i64::MAX,
    "Nodes of a search over all threads; 0 for no limit.",
);

/// The rule of declaration, by name.
pub const ENTERING_KING_RULE: OptionKey<String> = OptionKey::combo(
    "EnteringKingRule",
    Declaration::Points27H.name(),
    &DECLARATIONS,
    "When a king in the enemy's camp wins by declaration. Without meaning in minishogi.",
);

/// The limit of moves.
pub const MAX_MOVES_TO_DRAW: OptionKey<u32> = OptionKey::spin(
    "MaxMovesToDraw",
    0,
    0,
    100_000,
    "The game is drawn after this many moves; 0 for no such rule.",
);

/// What a draw is worth to us as Black.
pub const DRAW_VALUE_BLACK: OptionKey<i32> = OptionKey::spin(
    "DrawValueBlack",
    -2,
    -30_000,
    30_000,
    "What a draw is worth when we play Black, in hundredths of a pawn.",
);

/// What a draw is worth to us as White.
pub const DRAW_VALUE_WHITE: OptionKey<i32> = OptionKey::spin(
    "DrawValueWhite",
    -2,
    -30_000,
    30_000,
    "What a draw is worth when we play White, in hundredths of a pawn.",
);

/// When to resign.
pub const RESIGN_VALUE: OptionKey<i32> = OptionKey::spin(
    "ResignValue",
    99_999,
    1,
    99_999,
    "Resign when the value is worse than minus this, in hundredths of a pawn.",
);

/// Whether pointless moves are considered too.
pub const GENERATE_ALL_LEGAL_MOVES: OptionKey<bool> = OptionKey::check(
    "GenerateAllLegalMoves",
    false,
    "Also consider not promoting where promotion is never worse.",
);

/// Least time between two reports, in milliseconds.
pub const PV_INTERVAL: OptionKey<u64> = OptionKey::spin(
    "PvInterval",
    300,
    0,
    100_000,
    "Least milliseconds between two reports of lines.",
);

/// Nodes of the search for a mate before every move.
pub const ROOT_MATE_NODES: OptionKey<u64> = OptionKey::spin(
    "RootMateNodes",
    20_000,
    0,
    100_000_000,
    "Nodes of the search for a proven mate before every move; 0 for none, and none beside the \
     search. It never takes more than a twentieth of the time.",
);

/// Forget everything read so far.
pub const CLEAR_HASH: OptionKey<()> =
    OptionKey::button("Clear_Hash", "Forget everything read so far.");

/// Strength.
pub const SKILL_LEVEL: OptionKey<u32> = OptionKey::spin(
    "SkillLevel",
    20,
    0,
    20,
    "Strength: 20 is full, 0 about the board's level 5. Lower levels read less and do not always \
     choose the best move.",
);

/// Whether a position is judged without what happened before.
pub const ANALYSIS_MODE: OptionKey<bool> = OptionKey::check(
    "AnalysisMode",
    false,
    "Values do not depend on how a position was reached: earlier moves, earlier searches and \
     shortcuts for repeated boards are left aside.",
);

const DECLARATIONS: [&str; Declaration::ALL.len()] = {
    let mut names = [""; Declaration::ALL.len()];
    let mut index = 0;
    while index < names.len() {
        names[index] = Declaration::ALL[index].name();
        index += 1;
    }
    names
};

fn millis(settings: &Settings, key: &OptionKey<u64>) -> Duration {
    Duration::from_millis(settings.get(key))
}

/// The options that bear on time.
pub fn time_options(settings: &Settings, plan: TimePlan) -> TimeOptions {
    TimeOptions {
        delay: millis(settings, &NETWORK_DELAY),
        worst_delay: millis(settings, &NETWORK_DELAY_2),
        minimum: millis(settings, &MINIMUM_THINKING_TIME),
        slow_mover: settings.get(&SLOW_MOVER),
        whole_seconds: settings.get(&ROUND_UP_TO_FULL_SECOND),
        plan,
    }
}
