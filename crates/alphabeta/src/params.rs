//! Every number of the search that could be another, with its range, in one table. Automatic
//! tuning reads the table; the search reads plain fields.

/// One tunable number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ParamSpec {
    /// Name, as in the struct.
    pub name: &'static str,
    /// Value if nobody says otherwise.
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
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub struct Params {
            $(#[doc = $help] pub $name: i32,)*
        }

        impl Default for Params {
            fn default() -> Self {
                Self { $($name: $default,)* }
            }
        }

        impl Params {
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
    aspiration = 14, 5..=60, "first half-width of the window around the last score";
    aspiration_growth = 34, 10..=100, "percent by which the window grows when missed";
    razor_base = 420, 100..=1200, "razoring: margin at depth 0";
    razor_depth = 250, 50..=600, "razoring: margin per depth squared";
    rfp_margin = 135, 30..=250, "reverse futility: margin per depth";
    rfp_improving = 70, 0..=200, "reverse futility: margin taken off when improving";
    rfp_depth = 9, 4..=14, "reverse futility: deepest depth";
    null_margin = 20, 0..=60, "null move: how much of the margin a depth is worth";
    null_offset = 250, 0..=600, "null move: static value may be this much below beta at depth 0";
    null_base = 4, 2..=7, "null move: reduction at depth 0";
    null_eval = 160, 60..=400, "null move: one more ply for this much above beta";
    null_verify = 14, 8..=24, "null move: depth from which the result is verified";
    probcut_margin = 190, 60..=400, "probcut: how much above beta";
    probcut_improving = 50, 0..=150, "probcut: margin taken off when improving";
    lmp_base = 4, 1..=12, "late moves: how many are tried at depth 0";
    futility_base = 110, 20..=400, "futility: margin at depth 0";
    futility_depth = 105, 30..=250, "futility: margin per depth";
    capture_futility_base = 240, 50..=600, "futility of captures: margin at depth 0";
    capture_futility_depth = 230, 50..=500, "futility of captures: margin per depth";
    see_quiet = 40, 5..=80, "exchanges: what a quiet move may lose per depth squared";
    see_capture = 180, 50..=400, "exchanges: what a capture may lose per depth";
    history_prune = 4000, 1000..=10000, "quiet moves with a worse history per depth are left out";
    lmr_base = 1340, 500..=2500, "reductions: constant part, in 1024ths of a ply";
    lmr_scale = 2300, 1000..=3500, "reductions: logarithmic part, in hundredths";
    lmr_delta = 1050, 0..=2000, "reductions: how much a wide window takes off";
    lmr_history = 11000, 4000..=30000, "reductions: history worth one ply";
    singular_depth = 5, 4..=9, "singular moves: least depth";
    singular_margin = 64, 20..=160, "singular moves: margin per depth, in 64ths";
    double_margin = 18, 0..=80, "singular moves: extend twice when this much more singular";
    delta_margin = 280, 50..=500, "quiescence: what a capture may fall short of alpha";
    stat_bonus = 290, 50..=800, "history: bonus per depth";
    stat_max = 1900, 500..=6000, "history: greatest bonus";
    correction_weight = 130, 0..=400, "correction history: weight in 256ths";
    check_bonus = 8000, 0..=20000, "ordering: bonus of a quiet check that loses nothing";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_and_the_struct_agree() {
        let mut p = Params::default();
        for spec in Params::TABLE {
            assert!(spec.min <= spec.default && spec.default <= spec.max, "{}", spec.name);
            assert_eq!(p.get(spec.name), Some(spec.default));
            assert!(p.set(spec.name, spec.max) && p.get(spec.name) == Some(spec.max));
            assert!(p.set(spec.name, i32::MAX) && p.get(spec.name) == Some(spec.max));
        }
        assert!(!p.set("nothing", 1) && p.get("nothing").is_none());
    }
}
