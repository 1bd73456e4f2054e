//! The options of the search, and what they mean to it.

use crate::shared::GameRules;
use crate::time::TimeOptions;
use crate::values;
use rules::Declaration;
use std::time::Duration;
use think::{OptionSpec, Settings};

/// What can be set.
pub(crate) fn specs() -> Vec<OptionSpec> {
    let mut specs = resources();
    specs.extend(time());
    specs.extend(rules());
    specs.extend(style());
    specs
}

fn resources() -> Vec<OptionSpec> {
    vec![
        OptionSpec::spin(
            "USI_Hash",
            256,
            1,
            33_554_432,
            "Memory in MiB for the table of positions already read.",
        ),
        OptionSpec::spin("Threads", 1, 1, 1024, "Threads that search at the same time."),
        OptionSpec::button("Clear_Hash", "Forget everything read so far."),
    ]
}

fn time() -> Vec<OptionSpec> {
    vec![
        OptionSpec::check("USI_Ponder", false, "Name the reply expected, to be pondered on."),
        OptionSpec::spin(
            "NetworkDelay",
            120,
            0,
            10_000,
            "Milliseconds a move usually loses on its way to the server and back.",
        ),
        OptionSpec::spin(
            "NetworkDelay2",
            1120,
            0,
            10_000,
            "Milliseconds it may lose at worst: kept back wherever overstepping loses the game, \
             but never most of the clock.",
        ),
        OptionSpec::spin(
            "MinimumThinkingTime",
            2000,
            0,
            100_000,
            "Milliseconds to think at least, when the clock allows.",
        ),
        OptionSpec::spin("SlowMover", 100, 1, 1000, "Percent of the usual share of the clock."),
        OptionSpec::check(
            "RoundUpToFullSecond",
            true,
            "Use the whole second that a server counting in seconds charges anyway.",
        ),
        OptionSpec::spin(
            "DepthLimit",
            0,
            0,
            245,
            "Plies of the deepest iteration; 0 for no limit.",
        ),
        OptionSpec::spin(
            "NodesLimit",
            0,
            0,
            i64::MAX,
            "Nodes of a search over all threads; 0 for no limit.",
        ),
    ]
}

fn rules() -> Vec<OptionSpec> {
    let names = Declaration::ALL.map(Declaration::name);
    vec![
        OptionSpec::combo(
            "EnteringKingRule",
            Declaration::Points27.name(),
            &names,
            "When a king in the enemy's camp wins by declaration. Without meaning in minishogi.",
        ),
        OptionSpec::spin(
            "MaxMovesToDraw",
            0,
            0,
            100_000,
            "The game is drawn after this many moves; 0 for no such rule.",
        ),
        OptionSpec::spin(
            "DrawValueBlack",
            -2,
            -30_000,
            30_000,
            "What a draw is worth when we play Black, in hundredths of a pawn.",
        ),
        OptionSpec::spin(
            "DrawValueWhite",
            -2,
            -30_000,
            30_000,
            "What a draw is worth when we play White, in hundredths of a pawn.",
        ),
        OptionSpec::spin(
            "ResignValue",
            99_999,
            1,
            99_999,
            "Resign when the value is worse than minus this, in hundredths of a pawn.",
        ),
        OptionSpec::check(
            "GenerateAllLegalMoves",
            false,
            "Also consider not promoting where promotion is never worse.",
        ),
    ]
}

fn style() -> Vec<OptionSpec> {
    vec![
        OptionSpec::spin("MultiPV", 1, 1, 600, "How many best lines to report."),
        OptionSpec::spin(
            "PvInterval",
            300,
            0,
            100_000,
            "Least milliseconds between two reports of lines.",
        ),
        OptionSpec::spin(
            "SkillLevel",
            20,
            0,
            20,
            "Strength: 20 is full, 0 suits a beginner. Lower levels read less and do not always \
             choose the best move.",
        ),
        OptionSpec::spin(
            "RootMateNodes",
            20_000,
            0,
            100_000_000,
            "Nodes of the search for a proven mate before every move; 0 for none. It never takes \
             more than a twentieth of the time.",
        ),
        OptionSpec::check(
            "AnalysisMode",
            false,
            "Values do not depend on how a position was reached: earlier moves, earlier searches \
             and shortcuts for repeated boards are left aside.",
        ),
    ]
}

fn millis(settings: &Settings, name: &str) -> Duration {
    Duration::from_millis(settings.number(name).max(0) as u64)
}

/// The options that bear on time.
pub(crate) fn time_options(settings: &Settings) -> TimeOptions {
    TimeOptions {
        delay: millis(settings, "NetworkDelay"),
        worst_delay: millis(settings, "NetworkDelay2"),
        minimum: millis(settings, "MinimumThinkingTime"),
        slow_mover: settings.number("SlowMover") as u32,
        whole_seconds: settings.flag("RoundUpToFullSecond"),
    }
}

/// The options that bear on the rules.
pub(crate) fn game_rules(settings: &Settings) -> GameRules {
    let draw = |name| values::from_cp(settings.number(name) as i32);
    GameRules {
        declaration: settings.text("EnteringKingRule").parse().unwrap_or_default(),
        max_moves: settings.number("MaxMovesToDraw") as u32,
        draw: [draw("DrawValueBlack"), draw("DrawValueWhite")],
        all_moves: settings.flag("GenerateAllLegalMoves"),
        analysis: settings.flag("AnalysisMode"),
    }
}
