//! How much a handicap is worth to whoever receives it: between levels of the board as it was measured here, and as
//! others have published it.
//!
//! Published figures are from table 1 of the paper: what made its seven starts even between a net and itself, and
//! what a server (将棋クエスト, ten minutes for the game) found to make them even between people. People
//! make much less of a handicap, and the less the weaker they are; so do levels that play like people.

mod levels;

pub use levels::{LevelResults, between_levels, level_results, level_step};

use crate::elo::Elo;
use rules::Handicap;

/// What was published of one handicap, in Elo.
struct Published {
    handicap: Handicap,
    between_nets: Option<i64>,
    /// Between people of about first dan (1,700 points of that server).
    between_people: Option<i64>,
}

const fn row(handicap: Handicap, nets: Option<i64>, people: Option<i64>) -> Published {
    Published { handicap, between_nets: nets, between_people: people }
}

const TABLE: [Published; 8] = [
    row(Handicap::Even, Some(29), None),
    row(Handicap::Lance, Some(119), None),
    row(Handicap::Bishop, Some(395), Some(130)),
    row(Handicap::Rook, Some(438), Some(168)),
    row(Handicap::RookLance, None, Some(181)),
    row(Handicap::Two, Some(610), Some(299)),
    row(Handicap::Four, Some(681), None),
    row(Handicap::Six, Some(809), None),
];

fn published(handicap: Handicap) -> Option<&'static Published> {
    TABLE.iter().find(|row| row.handicap == handicap)
}

/// What the paper found between a net and itself, where it did. That of the even start is the first move.
pub fn between_nets(handicap: Handicap) -> Option<Elo> {
    published(handicap)?.between_nets.map(points)
}

/// What a handicap is worth between people. Where the server tells none
/// it is what nets found, in the ratio of both at two pieces, which is the largest handicap both tell; a handicap
/// nobody has a figure for counts as the next smaller one that has. Nothing for an even start.
pub fn between_people(handicap: Handicap) -> Elo {
    if handicap == Handicap::Even {
        return Elo::ZERO;
    }
    let Some(row) = published(counted_as(handicap)) else { return Elo::ZERO };
    if let Some(people) = row.between_people {
        return points(people);
    }
    let two = published(Handicap::Two);
    let ratio = two.and_then(|two| Some((two.between_people?, two.between_nets?)));
    match (row.between_nets, ratio) {
        (Some(nets), Some((people, all))) => Elo::from_thousandths(nets * 1000 * people / all),
        _ => Elo::ZERO,
    }
}

/// The next smaller handicap that anybody has a figure for.
const fn counted_as(handicap: Handicap) -> Handicap {
    match handicap {
        Handicap::RightLance => Handicap::Lance,
        Handicap::Three => Handicap::Two,
        Handicap::Five | Handicap::LeftFive => Handicap::Four,
        Handicap::LeftSeven | Handicap::RightSeven | Handicap::Eight | Handicap::Ten => {
            Handicap::Six
        }
        known => known,
    }
}

fn points(points: i64) -> Elo {
    Elo::from_thousandths(points * 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn larger_handicaps_are_worth_more_to_people_than_smaller_ones() {
        let worths = Handicap::ALL.map(|handicap| between_people(handicap).points().round() as i64);
        let wanted = [0, 58, 58, 130, 168, 181, 299, 299, 334, 334, 334, 397, 397, 397, 397, 397];
        assert_eq!(worths, wanted);
        assert!(worths.is_sorted());
    }

    #[test]
    fn the_paper_has_a_figure_for_each_of_its_starts() {
        let figures: Vec<f64> = crate::Start::usual(rules::Game::Shogi)
            .iter()
            .map(|start| start.name.parse().expect("a handicap"))
            .map(|handicap| between_nets(handicap).expect("one of the seven").points())
            .collect();
        assert_eq!(figures, [29.0, 119.0, 395.0, 438.0, 610.0, 681.0, 809.0]);
        assert_eq!(between_nets(Handicap::Ten), None);
    }
}
