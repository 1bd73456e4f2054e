//! Positions of earlier games to begin new ones from.
//!
//! Kings enter rarely, and few games are still open late: what such positions are worth is learned
//! from few games. So those there are serve again.

use crate::opening::Opening;
use play::{Outcome, Reason};
use rules::{AnyPosition, Color, Game};
use seed::Rng;
use std::collections::HashSet;
use std::path::Path;
use teacher::{Reader, TeacherError};

/// Plies before the entry from which a position is taken, at most; and as many after it.
const AROUND: usize = 20;

/// A game that was given up counts as won where the last score was at least this, in evaluation
/// units.
const CLEAR: i16 = 1800;

/// So many plies of a game are not late.
const EARLY: usize = 80;

/// Of so many plies that are late one is taken.
const SPAN: usize = 20;

/// A game is open where the score is no further from zero, in evaluation units.
const OPEN: i16 = 600;

/// Positions kept of a file: each is a board in memory.
const MOST: usize = 50_000;

/// Which positions of a game are taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Around every king's first entry: one from before it, one from after it. Only of games that
    /// came to a clear end.
    KingEntries,
    /// Late in games that are still open there: one of every [`SPAN`] plies.
    Late,
}

impl Kind {
    /// What to say of a file that has none.
    pub fn nothing(self) -> String {
        match self {
            Self::KingEntries => {
                "no king enters in a game that was won by mate or declaration".to_owned()
            }
            Self::Late => format!("no game is still open after {EARLY} moves"),
        }
    }

    /// The plies before the positions that a game has to give, in order.
    fn plies(self, game: &teacher::Game, random: &mut Rng) -> Vec<usize> {
        match self {
            Self::KingEntries => around_entries(game, random),
            Self::Late => late(game, random),
        }
    }
}

/// Positions of a teacher file to begin from, no position twice. The same file and seed give the
/// same.
pub fn read(path: &Path, kind: Kind, game: Game, seed: u64) -> Result<Vec<Opening>, String> {
    let failed = |e: TeacherError| e.to_string();
    let file = std::fs::File::open(path).map_err(|e| e.to_string())?;
    let reader = Reader::new(std::io::BufReader::new(file)).map_err(failed)?;
    let found = reader.header().game;
    if found != game {
        return Err(format!("games of {found}, not of {game}"));
    }
    let mut earlier = EarlierPositions::new(kind, seed);
    for game in reader.games() {
        earlier.add(&game.map_err(failed)?);
    }
    Ok(earlier.openings)
}

/// Positions to begin from, as far as games were added.
#[derive(Debug)]
pub struct EarlierPositions {
    kind: Kind,
    random: Rng,
    games: u64,
    /// Keys of all positions that were ever taken.
    seen: HashSet<u64>,
    /// At most [`MOST`]: each that was taken is among them equally likely.
    pub openings: Vec<Opening>,
}

impl EarlierPositions {
    pub fn new(kind: Kind, seed: u64) -> Self {
        let (random, openings) = (Rng::new(seed), Vec::new());
        Self { kind, random, games: 0, seen: HashSet::new(), openings }
    }

    /// Gathers what a game has to give.
    pub fn add(&mut self, game: &teacher::Game) {
        let mut random = self.random.split(self.games);
        self.games += 1;
        let wanted = self.kind.plies(game, &mut random);
        let Some(&last) = wanted.last() else { return };
        let mut position = game.start.clone();
        for (ply, played) in game.plies.iter().enumerate().take(last + 1) {
            if wanted.contains(&ply) {
                self.take(&position, &mut random);
            }
            position.play(played.mv);
        }
    }

    fn take(&mut self, position: &AnyPosition, random: &mut Rng) {
        let Some(opening) = beginning(position) else { return };
        if !self.seen.insert(opening.position().key()) {
            return;
        }
        if self.openings.len() < MOST {
            self.openings.push(opening);
        } else if let Some(place) = self.openings.get_mut(random.below(self.seen.len())) {
            *place = opening;
        }
    }
}

/// Plies on both sides of every king's first entry, of a game that came to a clear end.
fn around_entries(game: &teacher::Game, random: &mut Rng) -> Vec<usize> {
    let mut wanted: Vec<usize> = Vec::new();
    if !is_clear(game) {
        return wanted;
    }
    for entry in Color::BOTH.into_iter().filter_map(|color| entry(game, color)) {
        let before = random.below(AROUND.min(entry) + 1);
        let after = 1 + random.below(AROUND);
        wanted.extend([entry - before, entry + after]);
    }
    wanted.sort_unstable();
    wanted.dedup();
    wanted
}

/// One ply of every [`SPAN`] late ones, among those where the game is open.
fn late(game: &teacher::Game, random: &mut Rng) -> Vec<usize> {
    let is_open = |ply: &teacher::Ply| ply.score.is_some_and(|score| score.abs() <= OPEN);
    let late = game.plies.get(EARLY..).unwrap_or_default();
    let mut wanted = Vec::new();
    for (number, span) in late.chunks(SPAN).enumerate() {
        let open: Vec<usize> = (0..span.len()).filter(|&at| is_open(&span[at])).collect();
        if !open.is_empty() {
            wanted.push(EARLY + SPAN * number + open[random.below(open.len())]);
        }
    }
    wanted
}

/// Whether a game was won by mate or declaration, or given up in a position that leaves no doubt.
fn is_clear(game: &teacher::Game) -> bool {
    if !matches!(game.outcome, Outcome::Won(_)) {
        return false;
    }
    let last = || game.last.or_else(|| game.plies.iter().rev().find_map(|ply| ply.score));
    match game.reason {
        Reason::Mate | Reason::Declaration | Reason::Try => true,
        Reason::Resign | Reason::Adjudicated => last().is_some_and(|score| score.abs() >= CLEAR),
        _ => false,
    }
}

/// The number of plies before the move by which a king first enters the ranks where its own pieces
/// promote; `None` if it never does, or stood there from the beginning.
fn entry(game: &teacher::Game, color: Color) -> Option<usize> {
    let rules = game.start.game();
    let far = match rules {
        Game::Shogi => 3,
        Game::Minishogi => 1,
    };
    let is_far = |square: rules::Square| match color {
        Color::Black => square.rank(rules) <= far,
        Color::White => square.rank(rules) > rules.size() - far,
    };
    let king = game.start.king(color)?;
    if is_far(king) {
        return None;
    }
    // Only a king's own move moves it, so that no position is needed to follow it.
    let mut at = king;
    let turn = game.start.turn();
    for (ply, played) in game.plies.iter().enumerate() {
        let moves = (ply % 2 == 0) == (color == turn);
        if moves && !played.mv.is_drop() && played.mv.from() == at {
            at = played.mv.to();
            if is_far(at) {
                return Some(ply);
            }
        }
    }
    None
}

/// The position as the first of a game: the limit of moves counts from here.
fn beginning(position: &AnyPosition) -> Option<Opening> {
    let text = position.sfen();
    let (text, _) = text.rsplit_once(' ')?;
    let start = AnyPosition::from_sfen(position.game(), &format!("{text} 1")).ok()?;
    // Where there is one move the game goes on as it did.
    let choice = start.legal_moves().len() > 1;
    Opening::new(start, Vec::new()).ok().filter(|_| choice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rules::Move;
    use teacher::{Flags, Header, Ply, Writer};

    /// Black's king walks up the far side, White's steps to and fro.
    fn walk(game: Game, file: usize) -> teacher::Game {
        let start = match (game, file) {
            (Game::Shogi, 9) => "8k/9/9/9/9/9/9/9/K8 b RG 1",
            (Game::Shogi, _) => "8k/9/9/9/9/9/9/9/1K7 b RG 1",
            (Game::Minishogi, _) => "4k/5/5/5/K4 b RG 1",
        };
        let mut walk = teacher::Game::new(AnyPosition::from_sfen(game, start).unwrap());
        let ranks = b"abcdefghi";
        let last = game.size() - 1;
        for step in 0..last {
            let (from, to) = (ranks[last - step] as char, ranks[last - step - 1] as char);
            let there = if step % 2 == 0 { "1a1b" } else { "1b1a" };
            for text in [&*format!("{file}{from}{file}{to}"), there] {
                let mv = Move::from_usi(game, text).unwrap();
                walk.plies.push(Ply { mv, score: Some(900), flags: Flags::default() });
            }
        }
        walk.outcome = Outcome::Won(Color::Black);
        walk.reason = Reason::Mate;
        walk
    }

    fn gathered(games: &[teacher::Game], seed: u64) -> Vec<String> {
        let mut earlier = EarlierPositions::new(Kind::KingEntries, seed);
        games.iter().for_each(|game| earlier.add(game));
        earlier.openings.iter().map(|opening| opening.position().sfen()).collect()
    }

    #[test]
    fn positions_lie_on_both_sides_of_the_entry() {
        let game = walk(Game::Shogi, 9);
        // From 9d to 9c is Black's sixth move.
        assert_eq!((entry(&game, Color::Black), entry(&game, Color::White)), (Some(10), None));
        let mut sides = [0, 0];
        for seed in 0..40 {
            let found = gathered(std::slice::from_ref(&game), seed);
            assert!((1..=2).contains(&found.len()), "{found:?}");
            for sfen in &found {
                let position = AnyPosition::from_sfen(Game::Shogi, sfen).unwrap();
                assert!(sfen.ends_with(" 1"), "{sfen}");
                let king = position.king(Color::Black).unwrap();
                sides[usize::from(king.rank(Game::Shogi) <= 3)] += 1;
            }
            assert_eq!(found, gathered(std::slice::from_ref(&game), seed));
        }
        assert!(sides.iter().all(|&n| n > 5), "{sides:?}");
    }

    #[test]
    fn only_games_with_a_clear_end_are_taken_and_no_position_twice() {
        let won = walk(Game::Shogi, 9);
        let end = |outcome, reason, last| teacher::Game { outcome, reason, last, ..won.clone() };
        let black = Outcome::Won(Color::Black);
        for (game, taken) in [
            (end(black, Reason::Declaration, None), true),
            (end(black, Reason::Adjudicated, Some(-2000)), true),
            (end(black, Reason::Resign, Some(-2000)), true),
            (end(black, Reason::Adjudicated, None), false),
            (end(black, Reason::PerpetualCheck, Some(-2000)), false),
            (end(Outcome::Draw, Reason::MaxMoves, Some(2000)), false),
            (end(Outcome::Unknown, Reason::Mate, None), false),
        ] {
            let found = gathered(std::slice::from_ref(&game), 1);
            assert_eq!(!found.is_empty(), taken, "{:?} {:?}", game.outcome, game.reason);
        }
        let many = vec![won; 300];
        let mut found = gathered(&many, 1);
        let count = found.len();
        assert!(count > 8 && count <= many[0].plies.len(), "{count}");
        found.sort();
        found.dedup();
        assert_eq!(found.len(), count);
    }

    #[test]
    fn a_file_is_read_for_its_own_game() {
        let folder = tempfile::tempdir().unwrap();
        for game in Game::ALL {
            let path = folder.path().join(game.name());
            let file = std::fs::File::create(&path).unwrap();
            let mut writer = Writer::new(file, Header::new(game)).unwrap();
            writer.write(&walk(game, game.size())).unwrap();
            writer.finish().unwrap();
            let found = read(&path, Kind::KingEntries, game, 3).unwrap();
            assert!(!found.is_empty(), "{game}");
            assert!(found.iter().all(|opening| opening.game() == game));
            assert_eq!(found, read(&path, Kind::KingEntries, game, 3).unwrap());
            let other = if game == Game::Shogi { Game::Minishogi } else { Game::Shogi };
            assert!(read(&path, Kind::KingEntries, other, 3).unwrap_err().contains(game.name()));
        }
        let path = folder.path().join("text");
        std::fs::write(&path, "no games").unwrap();
        assert!(read(&path, Kind::KingEntries, Game::Shogi, 1).is_err());
        assert!(read(&folder.path().join("none"), Kind::Late, Game::Shogi, 1).is_err());
    }

    /// A game of both kings to and fro, with these scores.
    fn long(scores: impl Iterator<Item = Option<i16>>) -> teacher::Game {
        let start = AnyPosition::from_sfen(Game::Shogi, "8k/9/9/9/9/9/9/9/K8 b RG 1").unwrap();
        let mut game = teacher::Game::new(start);
        for (ply, score) in scores.enumerate() {
            let text = ["9i9h", "1a1b", "9h9i", "1b1a"][ply % 4];
            let mv = Move::from_usi(Game::Shogi, text).unwrap();
            game.plies.push(Ply { mv, score, flags: Flags::default() });
        }
        game
    }

    #[test]
    fn late_positions_are_those_of_open_games() {
        let plies = |game: &teacher::Game, seed| late(game, &mut Rng::new(seed));
        assert_eq!(plies(&long((0..80).map(|_| Some(0))), 1), [] as [usize; 0]);
        // From the hundredth ply on it is decided, but for one score; a random move has none.
        let game = long((0..150).map(|ply| match ply {
            0..90 => Some(600),
            90..100 => None,
            131 => Some(-600),
            _ => Some(601),
        }));
        let mut first = HashSet::new();
        for seed in 0..60 {
            let [open, one] = plies(&game, seed)[..] else { panic!("{:?}", plies(&game, seed)) };
            assert!((80..90).contains(&open) && one == 131, "{open} {one}");
            first.insert(open);
        }
        assert!(first.len() > 6, "{first:?}");
        // A game that ends in a span gives one of what there is of it.
        assert_eq!(plies(&long((0..81).map(|_| Some(0))), 5), [80]);
        // However it ended: what came of it is not asked.
        let mut earlier = EarlierPositions::new(Kind::Late, 1);
        (0..9).for_each(|_| earlier.add(&game));
        assert!((1..=4).contains(&earlier.openings.len()), "no position twice");
    }

    /// Games of our own engine: kings do enter, some games are open late, and every position taken
    /// can be played on.
    #[test]
    fn games_of_our_own_have_positions_to_give() {
        let Some(path) = fixtures::shared_data("selfplay/s9101.teacher") else { return };
        for kind in [Kind::KingEntries, Kind::Late] {
            let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
            let mut earlier = EarlierPositions::new(kind, 1);
            for game in Reader::new(file).unwrap().games().take(2000) {
                earlier.add(&game.unwrap());
            }
            let found = &earlier.openings;
            assert!(found.len() > 20, "{}", found.len());
            for opening in found {
                assert_eq!(opening.position().ply(), 1);
                assert!(opening.position().legal_moves().len() > 1);
            }
        }
    }
}
