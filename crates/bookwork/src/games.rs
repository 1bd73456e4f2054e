//! A book made by games: its side thinks longer than its opponents, and a move stays as long as its side never came
//! to have much less. Otherwise one goes back to the last position that was still good, and studies it.

use crate::args::Play;
use crate::growing::Growing;
use crate::look::position;
use crate::searcher::{SearchSettings, Searcher};
use crate::{Console, WorkError};
use book::BookMove;
use chart::grouped;
use rules::{AnyPosition, Color, GameRepetition, Move};
use seed::Rng;

/// What a mate counts for.
const MATE: i32 = 32_000;

/// Who plays.
pub struct Players {
    /// The side of the book.
    pub book: Box<dyn Searcher>,
    /// The same, with more time, for positions that are looked at again.
    pub study: Box<dyn Searcher>,
    /// Who take turns.
    pub opponents: Vec<Box<dyn Searcher>>,
}

/// A move of the book's side.
struct Played {
    position: AnyPosition,
    mv: Move,
    /// What the book's side thought it had.
    value: i32,
}

/// How a game ended, for the book's side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Won,
    Drawn,
    Lost,
    /// After the last move asked for, with what the book's side thought it had.
    Open(i32),
}

impl End {
    const fn worth(self) -> i32 {
        match self {
            Self::Won => MATE,
            Self::Drawn => 0,
            Self::Lost => -MATE,
            Self::Open(value) => value,
        }
    }
}

impl Play {
    /// Grows the book with our engine, here or by a fleet.
    pub fn run(&self, console: &mut Console<'_>) -> Result<(), WorkError> {
        let searcher = |nodes: u64| {
            let searching = crate::args::Searching { nodes, ..self.searching.clone() };
            searching.searcher(console)
        };
        let SearchSettings { nodes, .. } = self.searching.settings();
        let opponents = self.opponents.iter().map(|&nodes| searcher(nodes));
        let mut players = Players {
            book: searcher(nodes)?,
            study: searcher(nodes.saturating_mul(self.study.max(1)))?,
            opponents: opponents.collect::<Result<_, _>>()?,
        };
        self.run_with(&mut players, console)
    }

    /// Grows the book with whoever plays.
    pub fn run_with(
        &self,
        players: &mut Players,
        console: &mut Console<'_>,
    ) -> Result<(), WorkError> {
        if players.opponents.is_empty() {
            return Err(WorkError::Position("somebody must play against the book".to_owned()));
        }
        let start = position(self.searching.game, &self.position, &[])?;
        let mut book = Growing::open(&self.book, self.searching.game)?;
        let made = format!("nue book play, {}", players.book.name());
        let (mut ends, mut studied) = ([0u64; 4], 0u64);
        for number in 0..self.games {
            console.check()?;
            book.propagate([0, 0], self.searching.threads)?;
            let owner = Color::BOTH[number as usize % 2];
            let (played, end) = self.game(number, owner, &start, &mut book, players, console)?;
            let doubtful = doubtful(&played, end, self.margin);
            self.count(&mut book, &played, end)?;
            if let Some(index) = doubtful {
                let seen = played.get(index + 1).map_or(end.worth(), |next| next.value);
                self.go_back(&mut book, &played[index], seen, players, console)?;
                studied += 1;
            }
            book.save(&made)?;
            ends[match end {
                End::Won => 0,
                End::Drawn => 1,
                End::Lost => 2,
                End::Open(_) => 3,
            }] += 1;
            let told = doubtful.map_or(String::new(), |index| {
                let mv = played[index].mv.usi(self.searching.game);
                format!("; {mv} at move {} studied again", played[index].position.ply())
            });
            let size = grouped(book.len() as u64);
            (console.tell)(&format!("game {}: {end:?}{told}; {size} positions", number + 1));
        }
        let [won, drawn, lost, open] = ends.map(grouped);
        console.line(&format!(
            "{}: {} positions; games won {won}, drawn {drawn}, lost {lost}, not decided {open}; moves studied again {}",
            self.book.display(),
            grouped(book.len() as u64),
            grouped(studied)
        ))
    }

    /// Plays a game; what the book's side played, and how it ended.
    fn game(
        &self,
        number: u32,
        owner: Color,
        start: &AnyPosition,
        book: &mut Growing,
        players: &mut Players,
        console: &Console<'_>,
    ) -> Result<(Vec<Played>, End), WorkError> {
        let mut at = start.clone();
        let mut played: Vec<Played> = Vec::new();
        // Every opponent meets the book as Black and as White.
        let opponent = (number / 2) as usize % players.opponents.len();
        let mut rng = Rng::for_purpose(self.seed, &[u64::from(number)]);
        loop {
            console.check()?;
            let is_ours = at.turn() == owner;
            if at.legal_moves().is_empty() {
                return Ok((played, if is_ours { End::Lost } else { End::Won }));
            }
            match at.repetition() {
                Some(GameRepetition::Lost(color)) => {
                    return Ok((played, if color == owner { End::Lost } else { End::Won }));
                }
                Some(_) => return Ok((played, End::Drawn)),
                None => {}
            }
            let last = played.last().map_or(0, |last| last.value);
            if at.ply() > self.max_ply {
                return Ok((played, End::Open(last)));
            }
            let mv = if is_ours {
                let Some(best) = self.book_move(book, &at, players, console)? else {
                    // Nothing to play and not mated: it declares.
                    return Ok((played, End::Won));
                };
                let (mv, value) = (best.mv, best.value.unwrap_or(last));
                if value.abs() >= self.max_value {
                    return Ok((played, if value > 0 { End::Won } else { End::Lost }));
                }
                played.push(Played { position: at.clone(), mv, value });
                mv
            } else {
                let asked = std::slice::from_ref(&at);
                let lines = self.searching.multipv;
                let found = players.opponents[opponent].search(asked, lines, console.stop)?;
                let Some(moves) = found.into_iter().next().filter(|moves| !moves.is_empty()) else {
                    return Ok((played, End::Lost));
                };
                let best = moves.iter().filter_map(|m| m.value).max().unwrap_or(0);
                let good = |m: &&BookMove| m.value.is_none_or(|v| best - v <= self.eval_diff);
                let good: Vec<&BookMove> = moves.iter().filter(good).collect();
                good[rng.below(good.len())].mv
            };
            at.play(mv);
        }
    }

    /// What the book plays: the best of what its lines come to, else what a search finds, which is noted.
    fn book_move(
        &self,
        book: &mut Growing,
        at: &AnyPosition,
        players: &mut Players,
        console: &Console<'_>,
    ) -> Result<Option<BookMove>, WorkError> {
        let first = |moves: Vec<BookMove>| moves.into_iter().find(|m| at.is_legal(m.mv));
        if let Some(entry) = book.find(at)?.or(book.found(at)?) {
            return Ok(first(entry.moves));
        }
        let lines = self.searching.multipv;
        let found = players.book.search(std::slice::from_ref(at), lines, console.stop)?;
        let moves = found.into_iter().next().unwrap_or_default();
        book.put(at, moves.clone())?;
        Ok(first(moves))
    }

    /// Counts the moves of a game.
    fn count(&self, book: &mut Growing, played: &[Played], end: End) -> Result<(), WorkError> {
        for Played { position, mv, .. } in played {
            let Some(mut entry) = book.found(position)? else { continue };
            // One that propagation found leads back into the book, and is not listed.
            if entry.find(*mv).is_none() {
                entry.moves.push(BookMove::new(*mv));
            }
            for m in entry.moves.iter_mut().filter(|m| m.mv == *mv) {
                m.count += 1;
                m.wins += u64::from(end == End::Won);
                m.draws += u64::from(end == End::Drawn);
            }
            book.put(position, entry.moves)?;
        }
        Ok(())
    }

    /// Studies a position again whose move turned out worse: what came of it is what it is worth.
    fn go_back(
        &self,
        book: &mut Growing,
        played: &Played,
        seen: i32,
        players: &mut Players,
        console: &Console<'_>,
    ) -> Result<(), WorkError> {
        let position = &played.position;
        let lines = 2 * self.searching.multipv;
        let found = players.study.search(std::slice::from_ref(position), lines, console.stop)?;
        let mut moves = found.into_iter().next().unwrap_or_default();
        for m in moves.iter_mut().filter(|m| m.mv == played.mv) {
            m.value = Some(m.value.map_or(seen, |value| value.min(seen)));
        }
        if moves.iter().all(|m| m.mv != played.mv) {
            moves.push(BookMove::valued(played.mv, seen, 0));
        }
        book.put(position, moves)
    }
}

/// The last move after which its side always had much less than it thought.
fn doubtful(played: &[Played], end: End, margin: i32) -> Option<usize> {
    let mut worst = end.worth();
    for (index, Played { value, .. }) in played.iter().enumerate().rev() {
        if value.saturating_sub(worst) >= margin {
            return Some(index);
        }
        worst = worst.min(*value);
    }
    None
}

#[cfg(test)]
mod tests;
