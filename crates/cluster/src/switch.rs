//! Who plays when: by ply, phase or value.

use crate::config::{Phase, Switch};
use rules::{AnyPosition, Color, Kind};

impl Switch {
    /// Whether it says that its child plays here, our last move having had that win rate.
    pub(crate) fn is_met(&self, position: &AnyPosition, win_rate: Option<f64>) -> bool {
        let ply = position.ply();
        let percent = win_rate.map_or(50.0, |rate| 100.0 * rate);
        self.from_ply.is_none_or(|from| ply >= from)
            && self.to_ply.is_none_or(|to| ply <= to)
            && self.phase.is_none_or(|phase| phase == Phase::of(position))
            && self.from_win_rate.is_none_or(|from| percent >= from)
            && self.to_win_rate.is_none_or(|to| percent <= to)
    }
}

impl Phase {
    /// The phase of a position.
    pub fn of(position: &AnyPosition) -> Self {
        let in_hand = |color| -> usize {
            let hand = position.hand(color);
            Kind::HAND.iter().map(|&kind| hand.count(kind)).sum()
        };
        match in_hand(Color::Black) + in_hand(Color::White) {
            0..=3 => Self::Opening,
            4..=9 => Self::Middle,
            _ => Self::End,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Game;

    #[test]
    fn every_condition_given_must_hold() {
        let at = |hand: &str, ply: u32| {
            let sfen = format!("4k4/9/9/9/9/9/9/9/4K4 b {hand} {ply}");
            AnyPosition::from_sfen(Game::Shogi, &sfen).unwrap()
        };
        let all = Switch {
            child: "x".to_owned(),
            from_ply: Some(10),
            to_ply: Some(20),
            phase: Some(Phase::Middle),
            from_win_rate: Some(40.0),
            to_win_rate: Some(60.0),
        };
        for (hand, ply, rate, met) in [
            ("4P", 10, None, true),
            ("2P3p", 20, Some(0.6), true),
            ("4P", 9, None, false),
            ("4P", 21, None, false),
            ("3P", 10, None, false),
            ("10P", 10, None, false),
            ("4P", 10, Some(0.39), false),
            ("4P", 10, Some(0.61), false),
        ] {
            assert_eq!(all.is_met(&at(hand, ply), rate), met, "{hand} {ply} {rate:?}");
        }
        assert!(Switch::default().is_met(&at("-", 1), None));
    }
}
