//! What handicaps are worth between levels of the board, measured: levels that give them to themselves, and levels that
//! meet the next one, by `script/handicaps`. The table beside this file has the games; what they come to follows here.

use super::counted_as;
use crate::elo::Elo;
use crate::table::isotonic::rising;
use crate::wdl::Wdl;
use rules::Handicap;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// The table, as `script/handicaps` prints it.
const TABLE: &str = include_str!("levels.tsv");

/// Elo that a game is worth to the error of a score of one half.
const SPREAD: f64 = 800.0 / std::f64::consts::LN_10;

/// Games of a level from a start.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LevelResults {
    pub start: Handicap,
    /// The level on both sides; from the even start that of the first side, which meets the level below it.
    pub level: u32,
    /// Black's; from the even start the higher level's.
    pub score: Wdl,
}

/// What follows from the table.
struct Worths {
    results: Vec<LevelResults>,
    /// Levels that gave handicaps, the lowest first, with what each of these was worth to them.
    levels: Vec<(u32, Vec<(Handicap, f64)>)>,
    step: f64,
}

static WORTHS: LazyLock<Worths> = LazyLock::new(|| {
    // A test reads the table: it is never without rows.
    let results = read(TABLE).unwrap_or_default();
    let given = || results.iter().filter(|row| row.start != Handicap::Even);
    let all: BTreeSet<u32> = given().map(|row| row.level).collect();
    let of_level = |level: u32| {
        let rows: Vec<LevelResults> = given().filter(|row| row.level == level).copied().collect();
        (level, curve(&rows))
    };
    let levels = all.into_iter().map(of_level).collect();
    let even = results.iter().filter(|row| row.start == Handicap::Even);
    let even = even.fold(Wdl::default(), |sum, row| sum.plus(row.score));
    Worths { levels, step: even.moderated_difference(), results }
});

/// What handicaps were worth to one level, smaller ones first; none is worth less than the one before.
fn curve(rows: &[LevelResults]) -> Vec<(Handicap, f64)> {
    let score = |handicap: Handicap| {
        let of_start = rows.iter().filter(|row| row.start == handicap);
        of_start.fold(Wdl::default(), |sum, row| sum.plus(row.score))
    };
    let all = Handicap::ALL.into_iter().map(|handicap| (handicap, score(handicap)));
    let measured: Vec<(Handicap, Wdl)> = all.filter(|(_, score)| score.games() > 0).collect();
    let points = measured.iter().map(|(_, score)| (score.moderated_difference(), error(score)));
    let worths = rising(points).into_iter().map(|elo| elo.max(0.0));
    measured.iter().map(|&(handicap, _)| handicap).zip(worths).collect()
}

/// The standard error of a difference, as if one more game had been drawn.
fn error(score: &Wdl) -> f64 {
    let games = score.games() as f64 + 1.0;
    let share = (score.share() * (games - 1.0) + 0.5) / games;
    SPREAD / 2.0 / (share * (1.0 - share) * games).sqrt()
}

/// All that was played.
pub fn level_results() -> &'static [LevelResults] {
    &WORTHS.results
}

/// What a handicap is worth to a level that receives it from one as strong: between levels that were measured as if it
/// grew evenly, beyond them as to the nearest. A handicap that was not measured counts as the next smaller one that was.
pub fn between_levels(handicap: Handicap, level: f64) -> Elo {
    let wanted = match counted_as(handicap) {
        Handicap::RookLance => Handicap::Rook,
        other => other,
    };
    let at = |(level, curve): &(u32, Vec<(Handicap, f64)>)| {
        let found = curve.iter().find(|(known, _)| *known == wanted);
        (f64::from(*level), found.map_or(0.0, |&(_, elo)| elo))
    };
    let points: Vec<(f64, f64)> = WORTHS.levels.iter().map(at).collect();
    let above = points.iter().position(|&(known, _)| known >= level);
    let elo = match (above, points.last()) {
        (Some(0), _) => points[0].1,
        (Some(number), _) => {
            let ((low, less), (high, more)) = (points[number - 1], points[number]);
            less + (more - less) * (level - low) / (high - low)
        }
        (None, last) => last.map_or(0.0, |&(_, elo)| elo),
    };
    Elo::from_points(elo)
}

/// How far a level is above the one before, on average.
pub fn level_step() -> Elo {
    Elo::from_points(WORTHS.step)
}

/// Reads the table; a line that cannot be read is told.
fn read(text: &str) -> Result<Vec<LevelResults>, String> {
    let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let row = |line: &str| {
        let mut words = line.split('\t');
        let start = words.next()?.parse().ok()?;
        let level = words.next()?.parse().ok()?;
        let mut count = || words.next()?.parse().ok();
        let score = Wdl { wins: count()?, draws: count()?, losses: count()? };
        words.next().is_none().then_some(LevelResults { start, level, score })
    };
    lines.map(|line| row(line).ok_or_else(|| format!("no row of the table: {line:?}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_games_of_every_usual_start() {
        let results = read(TABLE).expect("a table");
        assert_eq!(results, level_results());
        for start in crate::Start::usual(rules::Game::Shogi) {
            let handicap: Handicap = start.name.parse().expect("a handicap");
            assert!(results.iter().any(|row| row.start == handicap), "{}", start.name);
        }
        for bad in
            ["rook\t2\t1\t2", "rook\t2\t1\t2\t3\t4", "queen\t2\t1\t2\t3", "rook\t-2\t1\t2\t3"]
        {
            let told = read(bad).expect_err(bad);
            assert!(told.contains(bad.split('\t').next().unwrap_or_default()), "{told}");
        }
    }

    #[test]
    fn larger_handicaps_are_worth_no_less() {
        for level in [1.0, 2.0, 3.5, 5.0, 10.0] {
            let worth = |handicap| between_levels(handicap, level).points();
            let worths = Handicap::ALL.map(worth);
            assert_eq!(worths[0], 0.0, "an even start");
            assert!(worths.is_sorted(), "{worths:?}");
            assert_eq!(worth(Handicap::Ten), worth(Handicap::Six));
            assert_eq!(worth(Handicap::RookLance), worth(Handicap::Rook));
        }
        let six = |level| between_levels(Handicap::Six, level).points();
        assert!(six(5.0) > 0.0, "{}", six(5.0));
        assert!((six(3.5) - (six(2.0) + six(5.0)) / 2.0).abs() < 0.01, "half way between");
        assert_eq!((six(1.0), six(9.0)), (six(2.0), six(5.0)), "no further than was measured");
        let step = level_step().points();
        assert!((50.0..2000.0).contains(&step), "{step}");
    }

    #[test]
    fn errors_are_those_of_scores() {
        // Half of 99 games and one more: 0.05 of a point, which is 34.7 Elo.
        let score = Wdl { wins: 49, draws: 1, losses: 49 };
        assert!((error(&score) - 34.7).abs() < 0.1, "{}", error(&score));
        assert!(error(&Wdl { wins: 99, ..Wdl::default() }) > 200.0);
    }
}
