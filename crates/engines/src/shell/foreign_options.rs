//! Options that belong to the conversation, and options of other engines: interfaces send what they
//! once learned from those. They are mapped to ours where one means the same, else answered once.

use rules::Game;
use think::key::universal::{HASH, MULTI_PV, PONDER, THREADS};
use think::usual::{
    ANALYSIS_MODE, CLEAR_HASH, MAX_MOVES_TO_DRAW, NETWORK_DELAY_2, SKILL_LEVEL, SLOW_MOVER,
};
use think::{OptionKey, OptionSpec};
use usi::option::variant;

/// Where the conversation is written down.
pub const DEBUG_LOG_FILE: OptionKey<String> = OptionKey::filename(
    "DebugLogFile",
    "",
    "A file to which every line read and written is appended, with the time; empty for none.",
);

/// Options of the conversation, whatever engine plays.
pub fn shell_options(game: Game) -> Vec<OptionSpec> {
    vec![variant(game), DEBUG_LOG_FILE.spec()]
}

/// What an option of other engines means here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    /// As our option of that name.
    Same(&'static str),
    /// As [`DEBUG_LOG_FILE`].
    Log,
    /// Whether there is a log, in a file of that name.
    LogSwitch(&'static str),
    /// Nothing, for this reason.
    Nothing(&'static str),
}

const NO_SUCH_BOOK: &str =
    "unknown; books are set by USI_OwnBook, BookFile and the options beside them (docs/options.md)";
const NO_PLACING: &str = "where threads and memory lie is left to the system";
const AS_IT_IS: &str = "not needed: lines are reported whole, with bounds where a value is one";

const MEANINGS: [(&str, Meaning); 27] = [
    ("Hash", Meaning::Same(HASH.name())),
    ("Ponder", Meaning::Same(PONDER.name())),
    ("USI_MultiPV", Meaning::Same(MULTI_PV.name())),
    ("Thread", Meaning::Same(THREADS.name())),
    ("Clear Hash", Meaning::Same(CLEAR_HASH.name())),
    ("Skill Level", Meaning::Same(SKILL_LEVEL.name())),
    ("Move_Overhead", Meaning::Same(NETWORK_DELAY_2.name())),
    ("Move Overhead", Meaning::Same(NETWORK_DELAY_2.name())),
    ("Slow_Mover", Meaning::Same(SLOW_MOVER.name())),
    ("Draw_Ply", Meaning::Same(MAX_MOVES_TO_DRAW.name())),
    ("ConsiderationMode", Meaning::Same(ANALYSIS_MODE.name())),
    ("USI_AnalyseMode", Meaning::Same(ANALYSIS_MODE.name())),
    ("UCI_AnalyseMode", Meaning::Same(ANALYSIS_MODE.name())),
    ("Debug Log File", Meaning::Log),
    ("Debug_Log_File", Meaning::Log),
    ("WriteDebugLog", Meaning::LogSwitch("io_log.txt")),
    ("OwnBook", Meaning::Same("USI_OwnBook")),
    ("Book_File", Meaning::Same("BookFile")),
    ("Book_Moves", Meaning::Same("BookMoves")),
    ("Stochastic_Ponder", Meaning::Nothing("only the reply expected is pondered on")),
    ("OutputFailLHPV", Meaning::Nothing(AS_IT_IS)),
    ("NumaPolicy", Meaning::Nothing(NO_PLACING)),
    ("ThreadIdOffset", Meaning::Nothing(NO_PLACING)),
    ("LargePageEnable", Meaning::Nothing("huge pages are used where the system gives them")),
    ("EvalShare", Meaning::Nothing("a net is loaded once for all threads")),
    ("SkipLoadingEval", Meaning::Nothing("to count material alone set EvalDir to material")),
    ("Contempt", Meaning::Nothing("set DrawValueBlack and DrawValueWhite instead")),
];

/// Options of ours that those of other engines are mapped to. The engine that plays declares them.
pub fn foreign_targets() -> impl Iterator<Item = &'static str> {
    MEANINGS.iter().filter_map(|(_, meaning)| match meaning {
        Meaning::Same(name) => Some(*name),
        _ => None,
    })
}

impl Meaning {
    /// What an option of that name means here, unless it is one of ours.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let known = MEANINGS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        // There are dozens about books; ours were found before.
        let book = || name.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("Book"));
        known
            .map(|(_, meaning)| *meaning)
            .or_else(|| book().then_some(Meaning::Nothing(NO_SUCH_BOOK)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_interfaces_send_is_known() {
        for name in ["Book_Something", "Stochastic_Ponder", "OutputFailLHPV", "NumaPolicy"] {
            assert!(matches!(Meaning::of(name), Some(Meaning::Nothing(_))), "{name}");
        }
        assert_eq!(Meaning::of("ConsiderationMode"), Some(Meaning::Same("AnalysisMode")));
        assert_eq!(Meaning::of("debug log file"), Some(Meaning::Log));
        assert_eq!(Meaning::of("Book_File"), Some(Meaning::Same("BookFile")));
        assert_eq!(Meaning::of("BookSomething"), Some(Meaning::Nothing(NO_SUCH_BOOK)));
        assert_eq!(Meaning::of("Threads"), None);
        assert_eq!(Meaning::of("本"), None);
    }
}
