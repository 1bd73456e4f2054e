//! Every number of the search that could be another, with its range, in one table. Automatic
//! tuning reads the table; the search reads plain fields.

use rules::Game;

/// One tunable number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParamSpec {
    pub name: &'static str,
    /// Value in shogi if nobody says otherwise.
    pub default: i32,
    /// Least sensible value.
    pub min: i32,
    /// Greatest sensible value.
    pub max: i32,
    /// What it does.
    pub help: &'static str,
}

macro_rules! params {
    ($($name:ident = $default:literal, $min:literal ..= $max:literal, $help:literal;)*) => {
        /// The numbers of the search.
        #[derive(Clone, PartialEq, Eq, Debug)]
        pub struct Params {
            $(#[doc = $help] pub $name: i32,)*
        }

        impl Params {
            /// Those of shogi.
            pub const SHOGI: Self = Self { $($name: $default,)* };

            /// All of them.
            pub const TABLE: &'static [ParamSpec] = &[
                $(ParamSpec {
                    name: stringify!($name),
                    default: $default,
                    min: $min,
                    max: $max,
                    help: $help,
                },)*
            ];

            /// The value with that name.
            pub fn get(&self, name: &str) -> Option<i32> {
                match name {
                    $(stringify!($name) => Some(self.$name),)*
                    _ => None,
                }
            }

            /// Sets the value with that name, kept inside its range; `false` if there is none.
            pub fn set(&mut self, name: &str, value: i32) -> bool {
                match name {
                    $(stringify!($name) => self.$name = value.clamp($min, $max),)*
                    _ => return false,
                }
                true
            }
        }
    };
}

params! {
    aspiration = 38, 5..=60, "first half-width of the window around the last score";
    aspiration_growth = 34, 10..=100, "percent by which the window grows when missed";
    aspiration_average = 40, 10..=100, "the window is wider by this fraction of the average score";
    aspiration_squared = 0, 0..=100000, "the window is wider by the squared average score over this instead; 0: not";
    aspiration_thread = 0, 0..=8, "the window is wider by this for every thread before it, up to seven";
    aspiration_low = 2, 0..=4, "when the score falls out of the window: quarters of the way from its upper to its lower edge that the upper one moves";
    aspiration_high = 0, 0..=1, "when the score rises out of the window: 1 its lower edge follows";
    aspiration_from = 4, 2..=10, "first depth with a window";
    average_latest = 2, 1..=8, "average score of a root move: weight of the latest score beside all before it";
    razor_base = 550, 100..=1200, "razoring: margin at depth 0";
    razor_depth = 320, 50..=600, "razoring: margin per depth squared";
    razor_mate = 0, 0..=1, "razoring: 1 not before a mate in three has been looked for";
    rfp_margin = 125, 30..=250, "reverse futility: margin per depth";
    rfp_improving = 95, 0..=200, "reverse futility: margin taken off when improving";
    rfp_opponent = 0, 0..=150, "reverse futility: margin taken off when the last move made things worse for who played it";
    rfp_unknown = 0, 0..=60, "reverse futility: margin per depth taken off where the table knows nothing";
    rfp_worsened = 0, 0..=200, "reverse futility: percent of what the evaluation lost in two plies that the margin grows by";
    rfp_worsened_most = 200, 50..=600, "the same: no loss counts more than this";
    rfp_depth = 8, 4..=14, "reverse futility: deepest depth";
    rfp_return = 3, 1..=6, "reverse futility: the value returned is this fraction of the way up from beta";
    excluded_pruned = 0, 0..=1, "razoring and reverse futility: 1 also while a move is left out";
    null_margin = 16, 0..=60, "null move: how much of the margin a depth is worth";
    null_offset = 350, 0..=800, "null move: static value must be this much above beta at depth 0";
    null_improving = 53, 0..=200, "null move: taken off that when improving";
    null_base = 6, 2..=10, "null move: reduction at depth 0";
    null_depth = 3, 2..=6, "null move: one more ply for so many plies of depth";
    null_surplus = 0, 0..=1000, "null move: one more ply for so much evaluation above beta; 0: none";
    null_surplus_most = 4, 1..=8, "the same: most plies";
    null_verify = 14, 8..=24, "null move: depth from which the result is verified";
    null_verify_plies = 75, 25..=100, "null move: percent of the reduced depth verified without another one";
    iir_pv = 1, 0..=4, "unknown nodes: plies taken off in the principal variation";
    iir_unknown = 0, 0..=3, "unknown nodes: plies taken off at expected cuts beside one, where no move is known";
    iir_cut_depth = 7, 4..=12, "unknown nodes: least depth at expected cuts";
    iir_reduced = 0, 0..=8, "unknown nodes: none taken off at expected cuts after a move read less deep by more; 0: always";
    hindsight_deeper = 3, 1..=6, "hindsight: a ply more where the last move was read so much less deep and the evaluation did not agree";
    hindsight_less = 2, 1..=6, "hindsight: a ply less where it was read so much less deep";
    hindsight_sum = 180, 50..=500, "hindsight: and both evaluations together are above this";
    probcut_margin = 172, 60..=400, "probcut: how much above beta";
    probcut_improving = 50, 0..=150, "probcut: margin taken off when improving";
    probcut_depth = 2, 2..=6, "probcut: least depth";
    probcut_reduction = 4, 3..=6, "probcut: plies taken off the search that confirms";
    probcut_reduction_improving = 0, 0..=3, "probcut: more plies taken off when improving";
    probcut_table = 3, 0..=6, "probcut: plies by which a table entry may be less deep and still be believed";
    probcut_return = 100, 0..=100, "probcut: percent of the margin taken off the value";
    small_probcut_margin = 460, 100..=900, "probcut by the table alone: how much above beta";
    small_probcut_table = 4, 0..=8, "probcut by the table alone: plies by which the entry may be less deep";
    threat_depth = 3, 1..=12, "threats: least depth at which a mate by the other side after a pass is looked for, and a king in danger";
    threat_margin = 0, 0..=2000, "threats of mate: added to the margins of razoring, reverse futility and null move";
    lmr_threat = 0, 0..=3072, "threats of mate: taken off the reductions of all moves";
    order_parry = 0, 0..=40000, "threats of mate: ordering bonus of quiet moves that may parry one";
    danger_from = 3, 0..=10, "danger: attacked squares next to a king and pieces in hand against it, less its flights, from which it is in danger";
    danger_margin = 0, 0..=1000, "danger of the own king: added to the margins of razoring, reverse futility and null move";
    lmr_danger = 0, 0..=3072, "danger of the own king: taken off the reductions of all moves";
    lmr_attack = 0, 0..=3072, "danger of the other king: taken off the reductions of all moves";
    line_followed = 0, 0..=3, "on the line of the last iteration: 1 no plies taken off unknown nodes, 2 no quiet move left out, 3 both";
    refutations = 1, 0..=1, "killers and replies to the last move: 1 tried before all other quiet moves, 0 in their order";
    killers_kept = 2, 1..=2, "killers: plies below a node at which they are forgotten";
    lmp_base = 7, 1..=12, "late moves: how many are tried at depth 0";
    lmp_growth = 115, 20..=300, "late moves: how many more by depth squared, in percent";
    futility_base = 110, 20..=400, "futility: margin at depth 0";
    futility_unfound = 0, 0..=400, "futility: margin added while no move has raised alpha";
    futility_depth = 105, 30..=250, "futility: margin per depth";
    futility_history = 8000, 4000..=30000, "futility: history worth one ply";
    futility_butterfly = 1, 0..=8, "futility: weight of a quiet move's own history";
    futility_floor = -6, -20..=0, "futility: least depth that history leaves";
    futility_max = 12, 6..=16, "futility: deepest reduced depth";
    capture_futility_base = 240, 50..=600, "futility of captures: margin at depth 0";
    capture_futility_depth = 230, 50..=500, "futility of captures: margin per depth";
    capture_futility_history = 8, 4..=32, "futility of captures: divisor of their history";
    capture_futility_max = 7, 4..=12, "futility of captures: deepest reduced depth";
    see_quiet = 45, 5..=80, "exchanges: what a quiet move may lose per depth squared";
    see_capture_history = 0, 0..=200, "exchanges: what a capture may lose more, in 1024ths of its history";
    see_capture = 180, 50..=400, "exchanges: what a capture may lose per depth";
    history_prune = 3500, 1000..=10000, "quiet moves with a worse history per depth are left out";
    history_prune_max = 6, 3..=10, "the same: deepest reduced depth";
    lmr_least_depth = 2, 1..=6, "reductions: least depth";
    lmr_moves = 1, 1..=4, "reductions: moves of a node that are not reduced; one more at the root";
    lmr_base = 1340, 500..=2500, "reductions: constant part, in 1024ths of a ply";
    lmr_scale = 2155, 1000..=3500, "reductions: logarithmic part, in hundredths";
    lmr_delta = 880, 0..=2000, "reductions: how much a wide window takes off";
    lmr_number = 0, 0..=200, "reductions: taken off for every move tried before";
    lmr_deepest = 1, 0..=3, "reductions: plies by which a move may be read deeper instead";
    lmr_history = 11000, 4000..=30000, "reductions: history worth one ply";
    lmr_was_pv = 1180, 0..=3072, "reductions: taken off where a principal variation was";
    lmr_was_pv_above = 1200, 0..=3072, "reductions: taken off there if the table is above alpha";
    lmr_cut = 2270, 0..=4096, "reductions: added at expected cuts";
    lmr_cut_was_pv = 1260, 0..=3072, "reductions: taken off that where a principal variation was";
    lmr_cut_unknown = 0, 0..=3072, "reductions: added at expected cuts where no move is known";
    lmr_all = 0, 0..=1024, "reductions: where no cut is expected they grow by this fraction of 256 for every ply of depth";
    lmr_correction = 0, 0..=30, "reductions: taken off for every unit that the evaluation is corrected by";
    lmr_singular = 0, 0..=3072, "reductions: added to the other moves where the table's is better by far";
    lmr_singular_margin = 185, 20..=600, "reductions: what far is";
    lmr_check = 1250, 0..=3072, "reductions: taken off for a check";
    lmr_table_capture = 840, 0..=3072, "reductions: added if the table's move is a capture";
    lmr_pv = 840, 0..=3072, "reductions: taken off in the principal variation";
    lmr_cutoffs = 2000, 0..=3072, "reductions: added if the next ply cuts often";
    lmr_cutoffs_from = 3, 1..=8, "reductions: how many cuts are not yet often";
    lmr_cutoffs_unknown = 1, 0..=3, "reductions: a cut counts so much more where no move was known";
    lmr_table_move = 2048, 0..=4096, "reductions: taken off for the table's move";
    lmr_butterfly = 1, 0..=8, "reductions: weight of a quiet move's own history";
    lmr_captures = 2, 0..=8, "reductions: weight of a capture's history";
    lmr_quiet_offset = 4000, 0..=10000, "reductions: history of a usual quiet move";
    lmr_capture_offset = 5000, 0..=10000, "reductions: history of a usual capture";
    lmr_capture_value = 8, 0..=16, "reductions: weight of the captured piece beside its history";
    lmr_worsening = 1024, 0..=3072, "reductions: added if the position does not improve";
    lmr_worsening_share = 0, 0..=100, "reductions: percent of the logarithmic part added if the position does not improve";
    lmr_worsening_from = 900, 0..=3072, "reductions: least reduction for that";
    lmr_less = 3072, 1024..=6144, "reductions: from here unknown moves lose a ply at full depth";
    lmr_less_known = 0, 0..=8192, "reductions: from here all others lose a ply at full depth, too; 0: never";
    deeper_base = 30, 0..=150, "read again deeper: margin at depth 0";
    deeper_depth = 2, 0..=10, "read again deeper: margin per depth";
    shallower = 11, 0..=50, "read again less deep: margin";
    singular_depth = 5, 4..=9, "singular moves: least depth";
    singular_margin = 80, 20..=160, "singular moves: margin per depth, in 64ths";
    singular_table = 3, 1..=6, "singular moves: plies by which the table entry may be less deep";
    singular_fraction = 2, 2..=4, "singular moves: the others are read to this fraction of the depth";
    singular_was_pv = 58, 0..=160, "singular moves: added where a principal variation was";
    double_margin = 23, 0..=80, "singular moves: extend twice when this much more singular";
    double_quiet = 0, 0..=300, "singular moves: taken off the margins of two and three plies for a quiet move, off the principal variation";
    double_pv = 0, 0..=600, "singular moves: the same in the principal variation; 0: never";
    triple_margin = 0, 0..=600, "singular moves: extend three times when this much more singular; 0: never";
    singular_deeper = 0, 0..=30, "singular moves: below this depth the other moves are read a ply deeper too";
    double_most = 12, 0..=30, "singular moves: most double extensions of a line";
    singular_less = 3, 0..=4, "singular moves: plies taken off a table move that is not singular";
    extension_reach = 2, 1..=4, "extensions: none beyond so many times the depth of the iteration";
    check_extension_depth = 9, 4..=16, "checks that lose nothing are extended above this depth";
    raised_above = 2, 1..=6, "after alpha was raised: deepest depth at which nothing is taken off";
    raised_depth = 14, 6..=20, "after alpha was raised: shallowest depth that is not reduced";
    raised_reduction = 0, 0..=3, "after alpha was raised: plies taken off the other moves";
    beta_weight = 1, 0..=8, "values above beta: weight of beta beside the value, which counts once for every ply of depth";
    was_pv_depth = 3, 0..=12, "principal variation: above this depth a node that failed low below one counts as part of it";
    delta_margin = 250, 50..=600, "quiescence: what a capture may fall short of alpha";
    quiescence_moves = 2, 1..=8, "quiescence: moves tried before only checks and recaptures are";
    quiescence_promotion = 300, 100..=600, "quiescence: what a promotion may gain";
    quiescence_see = 73, 0..=200, "quiescence: what an exchange may lose";
    quiescence_mates = 40, 0..=40, "quiescence: plies in which mates in one are looked for";
    quiescence_return = 2, 0..=4, "quiescence: quarters of a value above beta that are kept";
    stat_bonus = 350, 50..=800, "history: bonus per depth";
    stat_offset = 145, 0..=400, "history: taken off every bonus";
    stat_table = 0, 0..=2000, "history: added to the bonus of the table's move";
    stat_max = 2300, 500..=6000, "history: greatest bonus";
    stat_malus = 140, 20..=400, "history: what tried quiet moves lose, in percent of the bonus";
    stat_malus_kept = 100, 50..=100, "history: percent of that for every further move";
    malus_depth = 0, 0..=2000, "history: what tried quiet moves lose per depth instead of a share of the bonus; 0: the share";
    malus_max = 2100, 200..=8000, "history: the most they lose then";
    stat_capture_malus = 100, 0..=300, "history: what tried captures lose, in percent of the bonus";
    stat_refuted = 100, 0..=300, "history: what a quiet move loses that was refuted at once, in percent of the bonus";
    stat_failed = 0, 0..=200, "history: percent of the bonus more for a quiet move that refuted everything for each of: many moves before it, a value far below the evaluation, far below the one before";
    stat_failed_capture = 0, 0..=2000, "history: bonus of a capture that refuted everything";
    stat_tried = 0, 0..=64, "history: 1024ths of the bonus more for every move tried before, off the principal variation";
    stat_two = 100, 0..=200, "history: percent of the bonus that goes to what followed the move two plies back";
    stat_four = 100, 0..=200, "history: percent of the bonus for that four plies back";
    stat_six = 100, 0..=200, "history: percent of the bonus for that six plies back";
    stat_pawns = 100, 0..=200, "history: percent of a bonus for a move in its pawn structure";
    stat_pawns_malus = 100, 0..=200, "history: percent of a malus there";
    stat_swing = 3, 0..=64, "history: weight of how the evaluation changed with a quiet move";
    swing_loss = 300, 50..=800, "history: no loss of evaluation counts more than this";
    swing_gain = 240, 50..=800, "history: no gain counts more than this";
    swing_offset = 60, 0..=300, "history: what a move gains that changes nothing";
    stat_margin = 100, 0..=300, "history: one more ply for a value this much above beta";
    stat_depth = 3, 0..=8, "history: up to this depth a best move tried first says nothing about others";
    stat_previous = 2, 1..=8, "history: divisor of the bonus of a move that refuted everything";
    history_bits = 13, 11..=14, "history: bound of a move's own statistics, as a power of two";
    heed_attacked = 3, 0..=3, "history: a move's own statistics told apart by whether it enters an attacked square (1), leaves one (2)";
    history_kept = 100, 0..=100, "history: percent of a move's own statistics kept from one search to the next";
    pawn_bits = 9, 9..=12, "history: pawn structures told apart, as a power of two";
    continuation_bits = 14, 11..=14, "history: bound of the statistics of what followed a move, as a power of two";
    correction_bits = 10, 8..=14, "corrections: bound of each, as a power of two";
    correction_most = 256, 32..=4096, "corrections: most that one error counts";
    correction_pawns = 132, 0..=300, "corrections: weight of those by pawn structure, in 1024ths";
    correction_minor = 94, 0..=300, "corrections: weight of those by minor pieces, in 1024ths";
    correction_sides = 134, 0..=300, "corrections: weight of those by one side's pieces, in 1024ths";
    correction_moves = 88, 0..=300, "corrections: weight of those by two moves of the line, in 1024ths";
    correction_rate = 16, 2..=40, "corrections: how fast they follow an error when a move was found, in 128ths";
    correction_rate_open = 22, 2..=40, "corrections: the same when none was";
    correction_minor_rate = 154, 20..=400, "corrections: by minor pieces, share of that, in 128ths";
    correction_sides_rate = 187, 20..=400, "corrections: by one side's pieces, in 128ths";
    correction_reply_rate = 125, 20..=400, "corrections: by the last two moves, in 128ths";
    correction_plan_rate = 63, 20..=400, "corrections: by the last move and that four plies back, in 128ths";
    check_bonus = 17000, 0..=20000, "ordering: bonus of a quiet check that loses nothing";
    check_see = 90, 0..=300, "ordering: what such a check may lose";
    quiet_sorted = 3500, 500..=8000, "ordering: quiet moves with a worse score per depth stay unsorted";
    quiets_end = 0, 0..=8, "ordering: up to this depth quiet moves that stay unsorted are left out, off the principal variation";
    quiets_last = 0, 0..=60000, "ordering: quiet moves that score so far below zero come after captures that lose; 0: none";
    capture_see = 32, 8..=128, "ordering: a good capture may lose this fraction of its score";
    order_threat = 8, 0..=64, "ordering: weight of a piece that leaves, or enters, an attack by a smaller one";
    order_threat_most = 1000, 300..=2000, "ordering: no piece under attack counts more than this";
    order_evasion = 16, 1..=64, "ordering: weight of the captured piece beside the capturing one, in check";
    order_captured = 7, 1..=16, "ordering: weight of the captured piece beside its history";
    order_promotion = 3, 0..=16, "ordering: weight of what a promotion gains";
    order_butterfly = 3, 0..=8, "ordering: weight of a quiet move's own history";
    order_pawns = 2, 0..=8, "ordering: weight of its history in this pawn structure";
    order_reply = 2, 0..=8, "ordering: weight of its history after the last move";
    order_follow_up = 1, 0..=8, "ordering: weight of its history after the move before that";
    order_earlier = 1, 0..=8, "ordering: weight of its histories after moves four and six plies back, in halves";
    order_near = 0, 0..=32, "ordering: weight of what was good near the root in this search, less the farther away";
    table_age = 4, 0..=16, "table: plies by which an entry is worth less for every search since it was written";
    table_pv = 2, 0..=8, "table: plies by which an entry of a principal variation is worth more";
    table_shallower = 4, 0..=16, "table: an entry gives way to one of the same position that is less than so much shallower";
    table_move_kept = 0, 0..=1, "table: 1 an entry that stays takes over a newer move";
    table_blocked = 0, 0..=3, "table: plies that an entry loses which would cut but for its bound";
    vote_least = 14, 1..=200, "several threads: what the vote of the one with the lowest score still counts";
    mate_entry = 6, 0..=20, "mates: plies by which what is known of one outlives what was read";
    mate_line = 12, 0..=40, "mates: plies of the expected line that the solver looks at";
    mate_line_least = 100, 10..=10000, "mates: with fewer nodes the solver does not look at a position of that line";
    mate_line_share = 4, 1..=20, "mates: the line gets so many times fewer nodes than the root, until the root is settled";
    mate_time = 4, 1..=20, "mates: fraction of the time left that the solver may take between two iterations";
    mate_glance = 14, 2..=200, "mates: fraction of the time or of the nodes for a look before the search";
    mate_glance_least = 250, 0..=100000, "mates: with fewer microseconds there is no such look";
    mate_share = 4, 2..=100, "mates: nodes of an analysis for one of the solver, in one thread";
    mate_share_beside = 2, 1..=100, "mates: nodes of all threads of an analysis for one of the solver in the last";
    mate_play = 64, 2..=1000, "mates: nodes in a game for one of the solver, in one thread";
    mate_slice = 1000, 100..=100000, "mates: nodes of one look beside the search";
    mate_odds_from = 4000, 500..=100000, "mates: nodes at the root after which the odds count";
    mate_odds = 10, 1..=1000, "mates: disproof by proof number at the root that is usual; the more above it the more nodes for the solver";
    mate_share_likely = 1, 1..=100, "mates: nodes of an analysis for one of the solver where a mate is most likely";
    mate_play_likely = 2, 1..=1000, "mates: nodes in a game for one of the solver where a mate is most likely";
    mate_likely_most = 1000000, 10000..=100000000, "mates: nodes at the root in a game after which one is likely no more";
    mate_play_beside = 16, 1..=1000, "mates: nodes of all threads in a game for one of the solver in the last";
    time_fall = 300, 100..=900, "time: fall of the score that doubles it";
    time_unstable = 80, 0..=200, "time: percent more for every change of the best move";
    time_settled = 70, 30..=100, "time: percent of it when the best move is settled";
    time_settled_after = 8, 3..=20, "time: plies without change after which it is";
    time_obvious = 70, 30..=100, "time: percent of it when nearly all nodes go into one move";
    time_obvious_share = 95, 70..=100, "time: percent of the nodes that are nearly all";
    time_obvious_depth = 10, 4..=20, "time: least depth for that";
    time_fall_least = 60, 30..=100, "time: least percent of it when the score rises";
    time_fall_most = 170, 100..=300, "time: most percent of it when the score falls";
    time_changes = 3, 1..=8, "time: most changes of the best move that count";
    time_changes_kept = 50, 0..=100, "time: percent of earlier changes that still count after another iteration";
    time_only_move = 4, 1..=20, "time: depth that is enough where there is only one move";
    time_mate = 8, 0..=40, "time: plies read beyond a mate's length that are enough";
    time_game = 160, 60..=400, "time: plies of a usual game";
    time_game_rest = 40, 10..=120, "time: plies still planned for in a long game";
    time_shares = 5, 2..=12, "time: shares of the clock a hard decision may take";
    time_clock = 3, 2..=10, "time: fraction of the clock it may take at most";
    time_byoyomi = 20, 0..=100, "time: percent above the byoyomi at which the clock counts as used up";
    skill_lines = 6, 1..=20, "playing weaker: lines chosen among";
    skill_nodes = 60, 1..=1000, "playing weaker: nodes at level 0";
    skill_growth = 50, 10..=200, "playing weaker: percent more nodes for every level";
    skill_margin = 12, 0..=100, "playing weaker: how much worse than the best a move may be, for every level below full strength";
}

impl Params {
    /// Those of minishogi: its own set, equal to the other wherever nothing else was measured.
    pub const MINISHOGI: Self = Self {
        aspiration: 14,
        check_bonus: 11500,
        correction_minor: 68,
        correction_moves: 62,
        correction_pawns: 95,
        correction_rate: 12,
        correction_rate_open: 17,
        correction_sides: 96,
        deeper_base: 58,
        delta_margin: 328,
        double_margin: 24,
        futility_butterfly: 2,
        futility_floor: -1,
        futility_history: 12000,
        hindsight_sum: 173,
        history_prune: 3300,
        iir_pv: 2,
        iir_unknown: 1,
        killers_kept: 1,
        lmp_growth: 135,
        lmr_capture_value: 7,
        lmr_check: 0,
        lmr_cut: 2048,
        lmr_cut_was_pv: 1250,
        lmr_cutoffs: 750,
        lmr_delta: 1225,
        lmr_history: 13000,
        lmr_pv: 1024,
        lmr_quiet_offset: 3250,
        lmr_scale: 2100,
        lmr_table_capture: 1024,
        lmr_was_pv: 1024,
        lmr_was_pv_above: 1240,
        mate_glance: 20,
        null_base: 7,
        null_offset: 378,
        order_butterfly: 2,
        order_threat: 0,
        probcut_depth: 3,
        probcut_margin: 190,
        probcut_return: 0,
        quiets_last: 14000,
        raised_reduction: 2,
        razor_base: 420,
        razor_depth: 250,
        razor_mate: 1,
        rfp_improving: 87,
        rfp_margin: 122,
        see_capture: 230,
        see_quiet: 40,
        shallower: 8,
        singular_less: 2,
        singular_margin: 64,
        small_probcut_margin: 416,
        stat_bonus: 290,
        stat_malus: 100,
        stat_max: 1900,
        stat_swing: 0,
        ..Self::SHOGI
    };

    /// Whether a move is read less deep first, by the depth of its node and its number.
    #[inline]
    pub(crate) fn reduces(&self, depth: i32, number: u32, root: bool) -> bool {
        depth >= self.lmr_least_depth && number > self.lmr_moves as u32 + u32::from(root)
    }

    /// Whether a node is read less deep after alpha was raised in it.
    #[inline]
    pub(crate) const fn is_raised(&self, depth: i32) -> bool {
        depth > self.raised_above && depth < self.raised_depth
    }

    /// By how much a position must stand above beta to be left unread; `lost` is what its evaluation has lost
    /// since two plies ago.
    #[inline]
    pub(crate) fn rfp(&self, depth: i32, improving: bool, lost: i32) -> i32 {
        let worsened = self.rfp_worsened * lost.clamp(0, self.rfp_worsened_most) / 100;
        self.rfp_margin * depth - self.rfp_improving * i32::from(improving) + worsened
    }

    /// A value above beta as far as it is believed: the more the deeper it was read.
    #[inline]
    pub(crate) const fn tempered(&self, value: i32, beta: i32, depth: i32) -> i32 {
        (value * depth + self.beta_weight * beta) / (depth + self.beta_weight)
    }

    /// What quiet moves lose that were tried before the one with this bonus.
    #[inline]
    pub(crate) fn malus(&self, bonus: i32, depth: i32) -> i32 {
        if self.malus_depth == 0 {
            bonus * self.stat_malus / 100
        } else {
            (self.malus_depth * depth).min(self.malus_max)
        }
    }

    /// Whether a move with that reduction loses a ply even where it is not reduced.
    #[inline]
    pub(crate) const fn is_hopeless(&self, reduction: i32) -> bool {
        self.lmr_less_known > 0 && reduction > self.lmr_less_known
    }

    /// How many moves of a node are tried before quiet ones are left out, if it improves.
    #[inline]
    pub(crate) const fn late(&self, depth: i32) -> i32 {
        self.lmp_base + depth * depth * self.lmp_growth / 100
    }

    /// Plies that a pass is read less deep; `surplus` is what the evaluation is above beta.
    #[inline]
    pub(crate) fn null_reduction(&self, depth: i32, surplus: i32) -> i32 {
        let more = if self.null_surplus > 0 {
            (surplus / self.null_surplus).clamp(0, self.null_surplus_most)
        } else {
            0
        };
        depth / self.null_depth + self.null_base + more
    }

    /// The first half-width of the window around an average score.
    #[inline]
    pub(crate) fn window(&self, average: i32, thread: usize) -> i32 {
        let by_average = if self.aspiration_squared > 0 {
            let squared = i64::from(average) * i64::from(average);
            (squared / i64::from(self.aspiration_squared)).min(1000) as i32
        } else {
            average.abs() / self.aspiration_average
        };
        self.aspiration + by_average + self.aspiration_thread * (thread % 8) as i32
    }

    /// The numbers a game is searched with.
    pub const fn of(game: Game) -> Self {
        match game {
            Game::Shogi => Self::SHOGI,
            Game::Minishogi => Self::MINISHOGI,
        }
    }
}

#[cfg(test)]
mod tests;
