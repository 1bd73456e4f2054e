//! One stage: its entrants, rounds and results.

use super::pairing;
use super::standings::{Row, standings};
use super::{Game, Pair, Seed};
use rules::Color;

/// Somebody who takes part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entrant {
    /// Its name on the server.
    pub name: String,
    /// Not there at all: added to make the field even, loses every game.
    pub imaginary: bool,
    /// Gave up before this round (from 0).
    pub withdrawn: Option<usize>,
}

impl Entrant {
    /// A player.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), imaginary: false, withdrawn: None }
    }
}

/// How a stage is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// The championship's preliminaries.
    Championship {
        /// Games each.
        rounds: usize,
    },
    /// Swiss from the first round.
    Swiss {
        /// Games each.
        rounds: usize,
    },
    /// Everybody against everybody.
    RoundRobin,
}

/// A stage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    entrants: Vec<Entrant>,
    format: Format,
    games: Vec<Game>,
    /// The round that is not complete, and who plays whom in it.
    current: Option<(usize, Vec<Pair>)>,
}

/// The name of the entrant that is not there.
pub const IMAGINARY: &str = "imaginary";

impl Stage {
    /// A stage of these players in the order of their seeds. An odd field gets an imaginary one,
    /// unless everybody meets everybody.
    pub fn new(names: &[String], format: Format) -> Self {
        let mut entrants: Vec<Entrant> = names.iter().map(|n| Entrant::new(n)).collect();
        if entrants.len() % 2 == 1 && format != Format::RoundRobin {
            entrants.push(Entrant { imaginary: true, ..Entrant::new(IMAGINARY) });
        }
        let mut stage = Self { entrants, format, games: Vec::new(), current: None };
        stage.pair();
        stage
    }

    /// Who takes part.
    pub fn entrants(&self) -> &[Entrant] {
        &self.entrants
    }

    /// The seed of a name.
    pub fn seed(&self, name: &str) -> Option<Seed> {
        self.entrants.iter().position(|e| e.name == name && !e.imaginary)
    }

    /// What was played.
    pub fn games(&self) -> &[Game] {
        &self.games
    }

    /// How many rounds there are.
    pub fn rounds(&self) -> usize {
        match self.format {
            Format::Championship { rounds } | Format::Swiss { rounds } => rounds,
            Format::RoundRobin => pairing::round_robin(self.entrants.len()).len(),
        }
    }

    /// The pairs of a round. What has been played stays as it was, also if an earlier version of
    /// this program paired it in another way.
    pub fn pairs(&self, round: usize) -> Vec<Pair> {
        match &self.current {
            Some((current, pairs)) if *current == round => pairs.clone(),
            _ if self.is_complete(round) => {
                self.games.iter().filter(|g| g.round == round).map(|g| g.pair).collect()
            }
            _ => self.paired_by_results(round),
        }
    }

    /// The pairs of a round from the results of those before it. The same every time.
    fn paired_by_results(&self, round: usize) -> Vec<Pair> {
        let before: Vec<Game> = self.games.iter().filter(|g| g.round < round).copied().collect();
        match self.format {
            Format::Championship { .. } => {
                pairing::championship(self.entrants.len(), round, &before)
            }
            Format::Swiss { .. } => pairing::swiss(self.entrants.len(), &before),
            Format::RoundRobin => {
                pairing::round_robin(self.entrants.len()).into_iter().nth(round).unwrap_or_default()
            }
        }
    }

    /// Somebody gives up before that round.
    pub fn withdraw(&mut self, who: Seed, round: usize) {
        if let Some(entrant) = self.entrants.get_mut(who) {
            entrant.withdrawn = Some(entrant.withdrawn.map_or(round, |r| r.min(round)));
        }
    }

    /// The result of a pair that need not play, if it need not: who is not there loses, and if
    /// nobody is there it is a draw.
    pub fn settled(&self, pair: Pair, round: usize) -> Option<Option<Color>> {
        let away = |who: Seed| {
            self.entrants
                .get(who)
                .is_none_or(|e| e.imaginary || e.withdrawn.is_some_and(|from| round >= from))
        };
        match (away(pair.black), away(pair.white)) {
            (false, false) => None,
            (true, true) => Some(None),
            (true, false) => Some(Some(Color::White)),
            (false, true) => Some(Some(Color::Black)),
        }
    }

    /// A game is over. A result given again replaces the one before.
    pub fn record(&mut self, round: usize, pair: Pair, winner: Option<Color>) {
        let same =
            |g: &&mut Game| g.round == round && g.pair.has(pair.black) && g.pair.has(pair.white);
        match self.games.iter_mut().find(same) {
            Some(game) => *game = Game { round, pair, winner },
            None => self.games.push(Game { round, pair, winner }),
        }
        if self.current.as_ref().is_none_or(|(current, _)| round < *current)
            || self.is_complete(round)
        {
            self.pair();
        }
    }

    /// Forgets the results of a round and of those after it.
    pub fn annul(&mut self, round: usize) {
        self.games.retain(|game| game.round < round);
        self.pair();
    }

    /// Whether every game of a round is over.
    pub fn is_complete(&self, round: usize) -> bool {
        let over = self.games.iter().filter(|g| g.round == round).count();
        over >= self.entrants.len() / 2
    }

    /// The first round that is not complete; `None` when the stage is over.
    pub fn current_round(&self) -> Option<usize> {
        self.current.as_ref().map(|(round, _)| *round)
    }

    /// Pairs the first round that is not complete.
    fn pair(&mut self) {
        let round = (0..self.rounds()).find(|&round| !self.is_complete(round));
        self.current = round.map(|round| (round, self.paired_by_results(round)));
    }

    /// The table.
    pub fn standings(&self) -> Vec<Row> {
        standings(self.entrants.len(), &self.games)
    }

    /// The names of the best, without whoever is imaginary or gave up.
    pub fn best(&self, count: usize) -> Vec<String> {
        let there = |row: &Row| {
            let entrant = &self.entrants[row.seed];
            (!entrant.imaginary && entrant.withdrawn.is_none()).then(|| entrant.name.clone())
        };
        self.standings().iter().filter_map(there).take(count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(n: usize) -> Vec<String> {
        (1..=n).map(|i| format!("p{i}")).collect()
    }

    /// Plays a stage in which the higher seed wins.
    fn play(stage: &mut Stage) {
        while let Some(round) = stage.current_round() {
            for pair in stage.pairs(round) {
                let better = if pair.black < pair.white { Color::Black } else { Color::White };
                let winner = stage.settled(pair, round).unwrap_or(Some(better));
                stage.record(round, pair, winner);
            }
        }
    }

    #[test]
    fn an_odd_field_gets_an_imaginary_player_that_never_qualifies() {
        let mut stage = Stage::new(&names(7), Format::Championship { rounds: 4 });
        play(&mut stage);
        assert_eq!(stage.entrants().len(), 8);
        assert!(stage.games().iter().all(|g| !g.pair.has(7) || g.seen_by(7).unwrap().1 == 0));
        assert_eq!(stage.best(8).len(), 7);
        assert_eq!(stage.best(1), ["p1"]);
        assert_eq!(stage.seed(IMAGINARY), None);
    }

    #[test]
    fn who_withdraws_loses_and_two_of_them_draw() {
        let mut stage = Stage::new(&names(4), Format::RoundRobin);
        stage.withdraw(0, 1);
        stage.withdraw(1, 1);
        play(&mut stage);
        let of = |a, b| stage.games().iter().find(|g| g.pair.has(a) && g.pair.has(b)).unwrap();
        assert_eq!(of(0, 1).winner, None);
        assert_eq!(of(0, 3).seen_by(0), Some((3, 2)), "the first round was played");
        assert_eq!(of(0, 2).seen_by(0), Some((2, 0)));
        assert_eq!(stage.best(4), ["p3", "p4"]);
    }

    #[test]
    fn an_odd_round_robin_gives_everybody_one_free_round() {
        let mut stage = Stage::new(&names(5), Format::RoundRobin);
        assert_eq!(stage.rounds(), 5);
        play(&mut stage);
        assert_eq!(stage.games().len(), 10);
        assert_eq!(stage.best(5), names(5));
    }

    /// A tournament goes on with an executable that pairs otherwise: what was played counts.
    #[test]
    fn rounds_paired_otherwise_before_stay_as_they_were() {
        let mut stage = Stage::new(&names(4), Format::Swiss { rounds: 3 });
        assert!(!stage.pairs(0).contains(&Pair { black: 0, white: 1 }));
        stage.record(0, Pair { black: 0, white: 1 }, Some(Color::Black));
        stage.record(0, Pair { black: 3, white: 2 }, Some(Color::Black));
        assert_eq!(stage.current_round(), Some(1));
        assert!(stage.pairs(0)[1].has(3) && stage.pairs(0)[1].has(2));
        assert!(stage.pairs(1).iter().any(|pair| pair.has(0) && pair.has(3)));
        stage.annul(0);
        assert_eq!(stage.current_round(), Some(0));
    }

    #[test]
    fn a_result_given_again_replaces_the_one_before() {
        let mut stage = Stage::new(&names(2), Format::Swiss { rounds: 1 });
        let pair = stage.pairs(0)[0];
        stage.record(0, pair, None);
        stage.record(0, pair, Some(Color::Black));
        assert_eq!(stage.games().len(), 1);
        assert_eq!(stage.current_round(), None);
    }
}
