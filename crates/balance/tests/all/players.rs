//! Synthetic players: every start is worth so much, every temperature costs so much, games are coins.

use balance::Temperature;
use play::Outcome;
use rating::score_of;
use rules::Color;
use seed::Rng;

/// How much weaker a temperature makes a player, in truth.
pub(crate) type Law = fn(f64) -> f64;

/// A law with the shape of measured ones: flat at first, then steeper, then a random mover's.
pub(crate) fn curved(temperature: f64) -> f64 {
    2500.0 * (1.0 - libm::exp(-0.25 * libm::pow(temperature, 1.5)))
}

/// The published points with straight lines between them.
pub(crate) fn published(temperature: f64) -> f64 {
    if temperature < 1.0 { 443.0 * temperature } else { 443.0 + 830.0 * (temperature - 1.0) }
}

/// Everybody is the same player.
pub(crate) struct World {
    pub(crate) law: Law,
    /// Games drawn among equals.
    pub(crate) draws: f64,
}

impl World {
    /// The mean score of Black where the start is worth so much to it.
    pub(crate) fn expected(&self, worth: f64, black: Temperature, white: Temperature) -> f64 {
        score_of(worth - (self.law)(black.value()) + (self.law)(white.value()))
    }

    /// A game. Draws take as much from either side, so that the mean score stays what it is.
    pub(crate) fn play(
        &self,
        worth: f64,
        black: Temperature,
        white: Temperature,
        rng: &mut Rng,
    ) -> Outcome {
        let score = self.expected(worth, black, white);
        let draw = self.draws * 4.0 * score * (1.0 - score);
        let at = rng.unit();
        if at < draw {
            Outcome::Draw
        } else if at < draw + (score - draw / 2.0) {
            Outcome::Won(Color::Black)
        } else {
            Outcome::Won(Color::White)
        }
    }
}
