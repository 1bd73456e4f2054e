//! What happens in a scripted game, settled by a seed.

use std::fmt::Write as _;

/// A small generator: the same seed, the same games.
pub(super) struct Dice(seed::Rng);

impl Dice {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed::Rng::new(seed))
    }

    /// From 0 to one less than the number of sides.
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0.below(sides.max(1))
    }

    /// Whether something happens that happens once in so many times.
    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.roll(times) == 0
    }
}

/// How a game is to end, if the rules do not end it before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ScriptedEnd {
    Resign,
    IllegalMove,
    Garbage,
    FalseDeclaration,
    OutOfTurn,
    TimeUp,
    MaxMoves,
    Repetition,
}

const ENDINGS: [(ScriptedEnd, usize); 8] = [
    (ScriptedEnd::Resign, 30),
    (ScriptedEnd::MaxMoves, 16),
    (ScriptedEnd::Repetition, 12),
    (ScriptedEnd::OutOfTurn, 11),
    (ScriptedEnd::IllegalMove, 11),
    (ScriptedEnd::Garbage, 8),
    (ScriptedEnd::FalseDeclaration, 8),
    (ScriptedEnd::TimeUp, 4),
];

/// Games are broken off after so many moves.
pub(super) const MAX_MOVES: u32 = 40;

/// A game.
pub(super) struct Script {
    pub(super) dice: Dice,
    /// The game's name on the server.
    pub(super) game: String,
    /// Moves before the end is brought about.
    pub(super) length: usize,
    pub(super) ending: ScriptedEnd,
    /// The move before which somebody interrupts it.
    pub(super) interruption: Option<usize>,
    /// The players have accounts.
    pub(super) accounts: bool,
}

/// Beginnings of the names of the games played, each with clocks of its own kind.
const KINDS: [&str; 4] = ["fine", "plain", "small", "odds"];

impl Script {
    /// The script of a game, played in one of the places.
    pub(super) fn new(seed: u64, index: u64, place: usize) -> Self {
        let mut dice = Dice::new(seed ^ index.wrapping_mul(0xd134_2543_de82_ef95));
        let kind = KINDS[dice.roll(KINDS.len())];
        let mut number = dice.roll(ENDINGS.iter().map(|(_, share)| share).sum());
        let mut ending = ScriptedEnd::Resign;
        for (candidate, share) in ENDINGS {
            if number < share {
                ending = candidate;
                break;
            }
            number -= share;
        }
        let length = 1 + dice.roll(MAX_MOVES as usize - 10);
        let interruption = dice.once_in(15).then(|| dice.roll(length));
        let accounts = dice.once_in(60);
        Self { game: name(kind, place), length, ending, interruption, accounts, dice }
    }
}

fn name(kind: &str, place: usize) -> String {
    let times = match kind {
        "plain" => "3-1",
        _ => "9-1F",
    };
    format!("{kind}{place}-{times}")
}

/// The server's settings for so many games at once.
pub(super) fn settings(places: usize) -> String {
    let mut text = format!(
        "status = \"\"\nmax_moves = {MAX_MOVES}\npatience = 600\n\
         [limits]\nconnections = 100000\nper_address = 100000\nfailures = 1000000000\nlogin_seconds = 5\n"
    );
    for place in 0..places {
        for (kind, rest) in [
            ("fine", "time = { unit = \"1msec\", total = 4000, increment = 200 }"),
            (
                "small",
                "start = \"minishogi\"\ntime = { unit = \"1msec\", total = 3000, increment = 100 }",
            ),
            (
                "odds",
                "start = \"2\"\nblack_time = { unit = \"10msec\", total = 300, byoyomi = 100, roundup = true }\n\
                 white_time = { unit = \"1msec\", total = 2500, delay = 300, increment = 100, least = 5 }",
            ),
        ] {
            let _ = write!(text, "[[game]]\nname = \"{}\"\n{rest}\n", name(kind, place));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serverd::Config;

    #[test]
    fn the_same_seed_is_the_same_script_and_every_ending_occurs() {
        let games: Vec<Script> = (0..2000).map(|index| Script::new(3, index, 1)).collect();
        for (index, game) in games.iter().enumerate() {
            let again = Script::new(3, index as u64, 1);
            assert_eq!((&again.game, again.length), (&game.game, game.length));
        }
        for (ending, share) in ENDINGS {
            let count = games.iter().filter(|g| g.ending == ending).count();
            assert!(count > share * 20 / 2, "{ending:?}: {count}");
        }
        for kind in KINDS {
            assert!(games.iter().filter(|g| g.game.starts_with(kind)).count() > 400, "{kind}");
        }
    }

    #[test]
    fn the_settings_are_understood() {
        let config = Config::parse(&settings(3), std::path::Path::new("x")).unwrap();
        assert_eq!(config.lobby.offers.len(), 9);
    }
}
