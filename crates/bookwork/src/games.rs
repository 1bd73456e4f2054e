//! A book made by games: its side thinks longer than its opponents, and a move stays as long as its side never came
//! to have much less. Otherwise one goes back to the last position that was still good, and studies it.
//!
//! | file | holds |
//! |---|---|
//! | `game` | one game |
//! | `notes` | what searches found since the book was last looked back at, for games that are played at the same time |
//! | `timed` | an opponent that plays by the clock |

mod game;
mod notes;
mod timed;

use crate::args::{Play, Searching};
use crate::growing::Growing;
use crate::look::position;
use crate::searcher::{SearchSettings, Searcher};
use crate::{Console, WorkError};
use book::{BookMove, key_of};
use chart::grouped;
use game::{End, Finished, Played, doubtful};
use notes::Notes;
use rules::AnyPosition;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use timed::TimedSearcher;

/// Games of a round for each of those played at a time: so that few wait for the last one of a round.
const GAMES: u32 = 2;

/// Who plays one game at a time.
pub struct Players {
    /// The side of the book.
    pub book: Box<dyn Searcher>,
    /// The same, with more time, for positions that are looked at again.
    pub study: Box<dyn Searcher>,
    /// Who take turns.
    pub opponents: Vec<Box<dyn Searcher>>,
}

/// A position whose move turned out worse.
struct Doubt {
    position: AnyPosition,
    mv: rules::Move,
    /// What came of it.
    seen: i32,
}

/// What a run comes to.
#[derive(Default)]
struct GameCounts {
    ends: [u64; 4],
    studied: u64,
}

impl Play {
    /// Grows the book with our engine, here or by a fleet.
    pub fn run(&self, console: &mut Console<'_>) -> Result<(), WorkError> {
        let tables = 0..self.concurrency.max(1);
        let mut players =
            tables.map(|_| self.players(console)).collect::<Result<Vec<_>, WorkError>>()?;
        self.run_with(&mut players, console)
    }

    fn players(&self, console: &Console<'_>) -> Result<Players, WorkError> {
        let searcher = |nodes: u64| {
            let searching = Searching { nodes, ..self.searching.clone() };
            searching.searcher(console)
        };
        let settings = self.searching.settings();
        let nodes = settings.nodes;
        let opponents = match self.opponent_time {
            Some(milliseconds) => {
                let time = Duration::from_millis(milliseconds);
                let settings = SearchSettings { threads: 1, ..settings };
                vec![Box::new(TimedSearcher::new(&settings, time)?) as Box<dyn Searcher>]
            }
            None => {
                self.opponents.iter().map(|&nodes| searcher(nodes)).collect::<Result<_, _>>()?
            }
        };
        let study = searcher(nodes.saturating_mul(self.study.max(1)))?;
        Ok(Players { book: searcher(nodes)?, study, opponents })
    }

    /// Grows the book with whoever plays: as many games at a time as there are players.
    pub fn run_with(
        &self,
        players: &mut [Players],
        console: &mut Console<'_>,
    ) -> Result<(), WorkError> {
        if players.is_empty() || players.iter().any(|players| players.opponents.is_empty()) {
            return Err(WorkError::Position("somebody must play against the book".to_owned()));
        }
        let start = position(self.searching.game, &self.position, &[])?;
        let mut book = Growing::open(&self.book, self.searching.game)?;
        let made = format!("nue book play, {}", players[0].book.name());
        let round = if players.len() == 1 { 1 } else { GAMES * players.len() as u32 };
        let (mut counts, mut first) = (GameCounts::default(), 0);
        while first < self.games {
            console.check()?;
            let games = first..self.games.min(first + round);
            first = games.end;
            book.propagate([0, 0], self.searching.threads.max(players.len()))?;
            let notes = Notes::default();
            let played = self.round(games, &start, &book, &notes, players, console.stop);
            let looked = played
                .and_then(|games| self.look_back(&games, &mut book, players, &mut counts, console));
            if let Err(error) = looked {
                // What was searched until then is kept.
                for (position, moves) in notes.found() {
                    if !book.knows(&position)? {
                        book.put(&position, moves)?;
                    }
                }
                if !book.is_empty() {
                    book.save(&made)?;
                }
                return Err(error);
            }
            book.save(&made)?;
        }
        let [won, drawn, lost, open] = counts.ends.map(grouped);
        console.line(&format!(
            "{}: {} positions; games won {won}, drawn {drawn}, lost {lost}, not decided {open}; moves studied again {}",
            self.book.display(),
            grouped(book.len() as u64),
            grouped(counts.studied)
        ))
    }

    /// Plays some games with the book as it is, in their order.
    fn round(
        &self,
        games: std::ops::Range<u32>,
        start: &AnyPosition,
        book: &Growing,
        notes: &Notes,
        players: &mut [Players],
        stop: &AtomicBool,
    ) -> Result<Vec<Finished>, WorkError> {
        let next = AtomicU32::new(games.start);
        let finished = Mutex::new(BTreeMap::new());
        at_once(players, |players| {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= games.end {
                    return Ok(());
                }
                let game = self.game(number, start, book, notes, players, stop)?;
                finished.lock().unwrap_or_else(PoisonError::into_inner).insert(number, game);
            }
        })?;
        let finished = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(finished.into_values().collect())
    }

    /// Takes what games found into the book, counts their moves, and goes back where a move turned out worse.
    fn look_back(
        &self,
        games: &[Finished],
        book: &mut Growing,
        players: &mut [Players],
        counts: &mut GameCounts,
        console: &mut Console<'_>,
    ) -> Result<(), WorkError> {
        let mut doubts: Vec<Doubt> = Vec::new();
        for game in games {
            for (position, moves) in &game.noted {
                if !book.knows(position)? {
                    book.put(position, moves.clone())?;
                }
            }
            count(book, game)?;
            counts.ends[match game.end {
                End::Won => 0,
                End::Drawn => 1,
                End::Lost => 2,
                End::Open(_) => 3,
            }] += 1;
            let mut told = String::new();
            if let Some(index) = doubtful(&game.played, game.end, self.margin) {
                let Played { position, mv, .. } = &game.played[index];
                let seen = game.played.get(index + 1).map_or(game.end.worth(), |next| next.value);
                let usi = mv.usi(self.searching.game);
                told = format!("; {usi} at move {} is studied again", position.ply());
                let key = key_of(position)?;
                let known = doubts.iter_mut().find(|doubt| {
                    doubt.mv == *mv && key_of(&doubt.position).is_ok_and(|k| k == key)
                });
                match known {
                    Some(doubt) => doubt.seen = doubt.seen.min(seen),
                    None => doubts.push(Doubt { position: position.clone(), mv: *mv, seen }),
                }
            }
            let (number, size) = (game.number + 1, grouped(book.len() as u64));
            (console.tell)(&format!("game {number}: {:?}{told}; {size} positions", game.end));
        }
        counts.studied += doubts.len() as u64;
        self.go_back(&doubts, book, players, console.stop)
    }

    /// Studies positions again whose move turned out worse: what came of it is what it is worth.
    fn go_back(
        &self,
        doubts: &[Doubt],
        book: &mut Growing,
        players: &mut [Players],
        stop: &AtomicBool,
    ) -> Result<(), WorkError> {
        let (next, found) = (AtomicU32::new(0), Mutex::new(BTreeMap::new()));
        let lines = 2 * self.searching.multipv;
        at_once(players, |players| {
            loop {
                let place = next.fetch_add(1, Ordering::Relaxed) as usize;
                let Some(doubt) = doubts.get(place) else { return Ok(()) };
                let asked = std::slice::from_ref(&doubt.position);
                let moves = players.study.search(asked, lines, stop)?;
                let moves = moves.into_iter().next().unwrap_or_default();
                found.lock().unwrap_or_else(PoisonError::into_inner).insert(place, moves);
            }
        })?;
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (doubt, mut moves) in doubts.iter().zip(found.into_values()) {
            for m in moves.iter_mut().filter(|m| m.mv == doubt.mv) {
                m.value = Some(m.value.map_or(doubt.seen, |value| value.min(doubt.seen)));
            }
            if moves.iter().all(|m| m.mv != doubt.mv) {
                // It is still a move of the book's own, and named so.
                let source = Some(players[0].study.name().into());
                moves.push(BookMove { source, ..BookMove::valued(doubt.mv, doubt.seen, 0) });
            }
            book.put(&doubt.position, moves)?;
        }
        Ok(())
    }
}

/// Has everybody work at the same time, and waits for all; the first error of those in order.
fn at_once(
    players: &mut [Players],
    work: impl Fn(&mut Players) -> Result<(), WorkError> + Sync,
) -> Result<(), WorkError> {
    if let [alone] = players {
        return work(alone);
    }
    let work = &work;
    thread::scope(|scope| {
        let threads: Vec<_> =
            players.iter_mut().map(|players| scope.spawn(move || work(players))).collect();
        let done: Vec<_> = threads.into_iter().map(thread::ScopedJoinHandle::join).collect();
        done.into_iter()
            .try_for_each(|done| done.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Counts the moves of a game, with what became of whoever played them. So the book knows the replies of opponents as well, and
/// values are carried through them.
fn count(book: &mut Growing, game: &Finished) -> Result<(), WorkError> {
    let ours = game.played.iter().map(|played| (&played.position, played.mv));
    let theirs = game.replies.iter().map(|(position, mv)| (position, *mv));
    for (position, mv) in ours.chain(theirs) {
        let won = if position.turn() == game.owner { End::Won } else { End::Lost };
        let mut moves = book.found(position)?.map_or(Vec::new(), |entry| entry.moves);
        // One that propagation found leads back into the book, and is not listed.
        if moves.iter().all(|m| m.mv != mv) {
            moves.push(BookMove::new(mv));
        }
        for m in moves.iter_mut().filter(|m| m.mv == mv) {
            m.count += 1;
            m.wins += u64::from(game.end == won);
            m.draws += u64::from(game.end == End::Drawn);
        }
        book.put(position, moves)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
