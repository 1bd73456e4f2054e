//! Static values of positions, a line of text each.

use play::win_rate;
use rules::{AnyPosition, Color, Game};
use think::{quote, to_centipawns};
use usi::SetPosition;

/// What values a position for the side to move; `None` for one of another game.
type Judge = Box<dyn FnMut(&AnyPosition) -> Option<i32>>;

/// Values the positions of one game that lines of text name.
pub struct Valuation {
    game: Game,
    judge: Judge,
    /// Of win rates, where they are wanted.
    scale: Option<f64>,
}

impl Valuation {
    /// Values by `judge`; with `scale`, win rates too.
    pub fn new(game: Game, judge: Judge, scale: Option<f64>) -> Self {
        Self { game, judge, scale }
    }

    /// The position of a line, a tab and its value; `None` for an empty line. What follows a tab is
    /// ignored.
    pub fn line(&mut self, line: &str) -> Option<Result<String, String>> {
        match line.split('\t').next().unwrap_or_default().trim() {
            "" => None,
            text => Some(self.value(text)),
        }
    }

    fn value(&mut self, text: &str) -> Result<String, String> {
        let position = self.position(text)?;
        let Some(value) = (self.judge)(&position) else {
            return Err(format!("no value for a position of {}", position.game()));
        };
        Ok(match self.scale {
            Some(scale) => {
                let rate = win_rate(f64::from(to_centipawns(value)), scale);
                format!("{text}\t{value}\t{rate:.4}")
            }
            None => format!("{text}\t{value}"),
        })
    }

    /// The position a line means. A net needs both kings.
    fn position(&self, text: &str) -> Result<AnyPosition, String> {
        let text = text.strip_prefix("position ").unwrap_or(text);
        let set = SetPosition::parse(text).map_err(|e| e.to_string())?;
        let position = set.resolve(self.game).map_err(|e| e.to_string())?;
        match Color::BOTH.into_iter().find(|&color| position.king(color).is_none()) {
            Some(color) => Err(format!("{color} has no king: {}", quote(text))),
            None => Ok(position),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_valued_and_what_is_none_is_told() {
        let judge = |p: &AnyPosition| (p.ply() < 3).then_some(90);
        let mut plain = Valuation::new(Game::Shogi, Box::new(judge), None);
        let mut check =
            |line: &str, want: Option<Result<&str, &str>>| match (plain.line(line), want) {
                (None, None) => {}
                (Some(Ok(got)), Some(Ok(want))) => assert_eq!(got, want),
                (Some(Err(got)), Some(Err(want))) => assert!(got.contains(want), "{got}"),
                (got, _) => panic!("{line:?}: {got:?}"),
            };
        check("", None);
        check(" \t7", None);
        check("startpos\tof the game", Some(Ok("startpos\t90")));
        check("position startpos moves 7g7f", Some(Ok("position startpos moves 7g7f\t90")));
        check("startpos moves 7g7f 3c3d", Some(Err("no value")));
        check("sfen 9/9/9/9/4k4/9/9/9/9 b - 1", Some(Err("no king")));
        check("nonsense", Some(Err("nonsense")));
        let mut rates = Valuation::new(Game::Shogi, Box::new(judge), Some(100.0));
        assert_eq!(rates.line("startpos"), Some(Ok("startpos\t90\t0.7311".to_owned())));
    }
}
