//! Who scored what against whom.

use std::collections::BTreeMap;

/// Results of two players against each other, seen by the first.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(crate) struct Meeting {
    /// Weighted games.
    pub(crate) games: f64,
    /// Weighted points.
    pub(crate) points: f64,
    /// Sums over observations of weight² times points², points × games, games²: what is needed to
    /// know their scatter around any expectation.
    squares: [f64; 3],
}

impl Meeting {
    /// The sum of squared surprises, if a game is expected to bring `p` points.
    pub(crate) fn scatter(&self, p: f64) -> f64 {
        let [points, mixed, games] = self.squares;
        (points - 2.0 * p * mixed + p * p * games).max(0.0)
    }
}

/// Results of some players, known by number.
#[derive(Clone, Debug, Default)]
pub struct Results {
    players: usize,
    /// By pairs of players, the lower number first.
    meetings: BTreeMap<(usize, usize), Meeting>,
}

impl Results {
    /// No results of that many players.
    pub const fn new(players: usize) -> Self {
        Self { players, meetings: BTreeMap::new() }
    }

    /// Number of players.
    pub const fn players(&self) -> usize {
        self.players
    }

    /// Adds an observation: so many games between `a` and `b`, of which `a` scored so many points.
    /// Games that belong together, as two from one opening do, are one observation. What makes no
    /// sense is left aside: unknown players, one against itself, points that are not of the games.
    pub fn add(&mut self, pair: (usize, usize), games: u32, points: f64, weight: f64) {
        self.add_times(1, pair, games, points, weight);
    }

    /// Adds the same observation so many times.
    pub fn add_times(
        &mut self,
        times: u64,
        (a, b): (usize, usize),
        games: u32,
        points: f64,
        weight: f64,
    ) {
        let count = f64::from(games);
        let sense = a != b
            && a.max(b) < self.players
            && games > 0
            && times > 0
            && (0.0..=count).contains(&points)
            && weight.is_finite()
            && weight > 0.0;
        if !sense {
            return;
        }
        let times = times as f64;
        let (key, points) = if a < b { ((a, b), points) } else { ((b, a), count - points) };
        let meeting = self.meetings.entry(key).or_default();
        meeting.games += times * weight * count;
        meeting.points += times * weight * points;
        let squares = [points * points, points * count, count * count];
        for (sum, square) in meeting.squares.iter_mut().zip(squares) {
            *sum += times * weight * weight * square;
        }
    }

    /// Pairs of players that met, the lower number first.
    pub(crate) fn meetings(&self) -> impl Iterator<Item = ((usize, usize), &Meeting)> {
        self.meetings.iter().map(|(key, meeting)| (*key, meeting))
    }
}
