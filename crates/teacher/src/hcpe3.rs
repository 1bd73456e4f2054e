//! hcpe3: whole games with the visits of a tree search, as dlshogi writes and reads them.

use crate::codes::as_stored;
use crate::error::{PackError, TeacherError};
use crate::game::{Candidate, Flags, Game, Ply};
use crate::header::fill;
use crate::labelled::{apery_bits, apery_code, apery_outcome, from_apery_bits};
use crate::packed::{Scheme, pack, unpack};
use crate::placement::Placement;
use play::{Outcome, Reason};
use rules::{AnyPosition, Color, Game as Rules, Move};
use std::io::Read;

/// Bytes of a game before its moves.
const HEAD: usize = 36;
/// Bytes of a move before its candidates.
const STEP: usize = 6;
/// Most moves of a game other programs read.
const MOST_MOVES: usize = 513;
/// Most candidates of a move: no position has more legal moves.
const MOST_CANDIDATES: usize = 593;

/// Bits of the result beside who won.
const REPETITION: u8 = 4;
const DECLARATION: u8 = 8;
const MAX_MOVES: u8 = 16;

/// Reads games one after another.
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    game: Rules,
    offset: u64,
    done: bool,
}

impl<R: Read> Reader<R> {
    /// Reads games of that game; the file does not say.
    pub const fn new(input: R, game: Rules) -> Self {
        Self { input, game, offset: 0, done: false }
    }

    /// How many bytes were read.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// Fills the buffer. `false`: there was nothing at all.
    fn take(&mut self, buffer: &mut [u8]) -> Result<bool, TeacherError> {
        let had = fill(&mut self.input, buffer)?;
        if had == 0 || had == buffer.len() {
            self.offset += had as u64;
            return Ok(had > 0 || buffer.is_empty());
        }
        Err(self.damaged("the file ends inside a game"))
    }

    fn damaged(&mut self, reason: &str) -> TeacherError {
        self.done = true;
        TeacherError::Damaged { offset: self.offset, reason: reason.to_owned() }
    }

    /// The next game. An error of the inner kind concerns this game alone; the next one can be
    /// read. After the outer kind there are no more.
    pub fn next_game(&mut self) -> Option<Result<Result<Game, PackError>, TeacherError>> {
        if self.done {
            return None;
        }
        let read = self.read();
        self.done |= !matches!(read, Ok(Some(_)));
        read.transpose()
    }

    /// Passes over the next game without looking at its moves, and says how many it has.
    pub fn skip_game(&mut self) -> Option<Result<usize, TeacherError>> {
        if self.done {
            return None;
        }
        let skipped = self.skip();
        self.done |= !matches!(skipped, Ok(Some(_)));
        skipped.transpose()
    }

    fn skip(&mut self) -> Result<Option<usize>, TeacherError> {
        let mut head = [0; HEAD];
        if !self.take(&mut head)? {
            return Ok(None);
        }
        let moves = usize::from(u16::from_le_bytes([head[32], head[33]]));
        let mut buffer = [0; 4 * MOST_CANDIDATES];
        for _ in 0..moves {
            self.take_step(&mut buffer)?;
        }
        Ok(Some(moves))
    }

    /// A move and its candidates, which come to lie in the buffer; how many there are.
    fn take_step(
        &mut self,
        buffer: &mut [u8; 4 * MOST_CANDIDATES],
    ) -> Result<([u8; STEP], usize), TeacherError> {
        let mut step = [0; STEP];
        if !self.take(&mut step)? {
            return Err(self.damaged("the file ends inside a game"));
        }
        let count = usize::from(u16::from_le_bytes([step[4], step[5]]));
        if count > MOST_CANDIDATES {
            return Err(self.damaged(&format!("{count} candidates of one move")));
        }
        if !self.take(&mut buffer[..4 * count])? {
            return Err(self.damaged("the file ends inside a game"));
        }
        Ok((step, count))
    }

    fn read(&mut self) -> Result<Option<Result<Game, PackError>>, TeacherError> {
        let mut head = [0; HEAD];
        if !self.take(&mut head)? {
            return Ok(None);
        }
        let moves = usize::from(u16::from_le_bytes([head[32], head[33]]));
        let mut steps = Vec::with_capacity(moves);
        let mut visits = Vec::new();
        let mut buffer = [0; 4 * MOST_CANDIDATES];
        for index in 0..moves {
            let ([m0, m1, s0, s1, _, _], count) = self.take_step(&mut buffer)?;
            let number = |low, high| u16::from_le_bytes([low, high]);
            steps.push((number(m0, m1), number(s0, s1) as i16, count > 0));
            visits.extend(
                buffer[..4 * count]
                    .as_chunks()
                    .0
                    .iter()
                    .map(|&[a, b, c, d]| (index, number(a, b), number(c, d))),
            );
        }
        Ok(Some(build(self.game, &head, &steps, &visits)))
    }
}

/// A game from what was read.
fn build(
    rules: Rules,
    head: &[u8; HEAD],
    steps: &[(u16, i16, bool)],
    visits: &[(usize, u16, u16)],
) -> Result<Game, PackError> {
    let Some(packed) = head.first_chunk() else { return Err(PackError::Record(String::new())) };
    let mut position = unpack(Scheme::Apery, rules, packed)?.position(1)?;
    let mut game = Game::new(position.clone());
    (game.outcome, game.reason) = result(head[34])?;
    game.guest = match head[35] {
        0 => None,
        1 => Some(Color::Black),
        2 => Some(Color::White),
        other => return Err(PackError::Record(format!("opponent {other}"))),
    };
    if steps.is_empty() {
        return Err(PackError::Record("a game without moves".to_owned()));
    }
    let legal = |position: &AnyPosition, bits: u16| -> Result<Move, PackError> {
        let mv = from_apery_bits(rules, bits);
        let mv = mv.ok_or(PackError::Move { bits, why: "not a move of this game" })?;
        position.why_illegal(mv).map_or(Ok(mv), |why| Err(PackError::Move { bits, why }))
    };
    let mut visits = visits;
    for (index, &(bits, score, trained)) in steps.iter().enumerate() {
        let mv = legal(&position, bits)?;
        let count = visits.iter().take_while(|(ply, ..)| *ply == index).count();
        let (here, rest) = visits.split_at(count);
        visits = rest;
        // One visit to the move itself is what a game without visits is written with.
        if here.len() != 1 || (here[0].1, here[0].2) != (bits, 1) {
            for &(_, bits, visits) in here {
                let mv = legal(&position, bits)?;
                game.candidates.push(Candidate { ply: index as u32, mv, visits });
            }
        }
        let flags = Flags { random: false, skip: !trained };
        game.plies.push(Ply { mv, score: Some(score), flags });
        position.play(mv);
    }
    Ok(game)
}

fn result(code: u8) -> Result<(Outcome, Reason), PackError> {
    let outcome = apery_outcome(code)?;
    let reason = match code & !3 {
        0 => Reason::Unknown,
        REPETITION if outcome == Outcome::Draw => Reason::Repetition,
        REPETITION => Reason::PerpetualCheck,
        DECLARATION => Reason::Declaration,
        MAX_MOVES => Reason::MaxMoves,
        _ => return Err(PackError::Result(code)),
    };
    Ok((outcome, reason))
}

/// A game as bytes. Fails where the format has no place for it: start positions without a king,
/// unknown results, more than 513 moves, none at all.
///
/// What has no place and is left out: move numbers, marks of random moves, the score of the last
/// position, endings other than repetition, declaration and the limit of moves.
pub fn encode(game: &Game) -> Result<Vec<u8>, PackError> {
    let moves = game.plies.len();
    if moves == 0 || moves > MOST_MOVES {
        return Err(PackError::Unfit(format!("{moves} moves, expected 1 to {MOST_MOVES}")));
    }
    let mut out = pack(Scheme::Apery, &Placement::of_any(&game.start))?.to_vec();
    out.extend((moves as u16).to_le_bytes());
    let how = match as_stored(game.reason) {
        Reason::Repetition | Reason::PerpetualCheck => REPETITION,
        Reason::Declaration => DECLARATION,
        Reason::MaxMoves => MAX_MOVES,
        _ => 0,
    };
    out.push(apery_code(game.outcome)? | how);
    out.push(match game.guest {
        None => 0,
        Some(Color::Black) => 1,
        Some(Color::White) => 2,
    });
    let mut candidates = game.candidates.as_slice();
    for (index, ply) in game.plies.iter().enumerate() {
        let count = candidates.iter().take_while(|c| c.ply as usize == index).count();
        let (here, rest) = candidates.split_at(count);
        candidates = rest;
        out.extend(apery_bits(ply.mv).to_le_bytes());
        out.extend(ply.score.unwrap_or(0).to_le_bytes());
        let own = [Candidate { ply: index as u32, mv: ply.mv, visits: 1 }];
        let trained = !ply.flags.skip && ply.score.is_some();
        let here: &[Candidate] = match here {
            _ if !trained => &[],
            [] => &own,
            some => some,
        };
        if here.len() > MOST_CANDIDATES {
            return Err(PackError::Unfit(format!("{} candidates", here.len())));
        }
        out.extend((here.len() as u16).to_le_bytes());
        for candidate in here {
            out.extend(apery_bits(candidate.mv).to_le_bytes());
            out.extend(candidate.visits.to_le_bytes());
        }
    }
    Ok(out)
}
