//! The checker of proof files: small, slow, obvious. It shares only the rules with the solver.
//!
//! A mate is checked by walking the tree: the attacker's move must be a legal check, every legal
//! reply must be answered, and what is answered by reference must be the very same position,
//! answered completely before. A refutation is checked by walking the set: for every check there
//! must be a legal reply, and every position reached is taken into the set in turn.

use rules::{AnyPosition, Game, Gen, Kings, Minishogi, Move, MoveList, Position, Shogi, Variant};
use std::collections::HashMap;
use std::fmt;

/// What a file claims and proves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Claim {
    /// The side to move mates within that many plies.
    Mate(u32),
    /// The side to move cannot force mate by checks.
    NoMate,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mate(plies) => write!(f, "mate in {plies}"),
            Self::NoMate => write!(f, "no mate"),
        }
    }
}

/// A checked proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Verified {
    /// The position it is about.
    pub position: AnyPosition,
    /// What is proven.
    pub claim: Claim,
    /// Positions of the attacker looked at.
    pub positions: usize,
}

/// Why a proof is refused.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofError(String);

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a valid proof: {}", self.0)
    }
}

impl std::error::Error for ProofError {}

fn refuse<T>(why: impl Into<String>) -> Result<T, ProofError> {
    Err(ProofError(why.into()))
}

/// The checksum at the end of a file: FNV-1a of everything before it.
pub fn checksum(bytes: &[u8]) -> u64 {
    seed::fnv1a(bytes.iter().copied())
}

/// Checks a proof file.
pub fn verify(file: &[u8]) -> Result<Verified, ProofError> {
    let Some((body, sum)) = file.split_last_chunk::<8>() else { return refuse("cut short") };
    if checksum(body) != u64::from_le_bytes(*sum) {
        return refuse("damaged: the checksum does not agree");
    }
    let Some(end) = body.windows(2).position(|w| w == b"\n\n") else {
        return refuse("no end of the header");
    };
    let Ok(header) = std::str::from_utf8(&body[..end]) else { return refuse("header not text") };
    let lines: Vec<&str> = header.lines().collect();
    let &["nue proof 1", game, sfen, claim] = lines.as_slice() else {
        return refuse("the header is not that of a proof");
    };
    let game = game.strip_prefix("game ").and_then(|g| g.parse::<Game>().ok());
    let (Some(game), Some(sfen)) = (game, sfen.strip_prefix("sfen ")) else {
        return refuse("no game or position");
    };
    let position = match AnyPosition::from_sfen_with(game, sfen, Kings::Any) {
        Ok(position) => position,
        Err(e) => return refuse(e.to_string()),
    };
    let data = Data { bytes: &body[end + 2..] };
    let positions;
    let claim = match claim.split(' ').collect::<Vec<_>>()[..] {
        ["claim", "mate", plies] => {
            let (n, found) = match &position {
                AnyPosition::Shogi(p) => mate::<Shogi>(p, data)?,
                AnyPosition::Minishogi(p) => mate::<Minishogi>(p, data)?,
            };
            if plies.parse() != Ok(found) {
                return refuse(format!("claims mate in {plies}, shows mate in {found}"));
            }
            positions = n;
            Claim::Mate(found)
        }
        ["claim", "nomate"] => {
            positions = match &position {
                AnyPosition::Shogi(p) => no_mate::<Shogi>(p, data)?,
                AnyPosition::Minishogi(p) => no_mate::<Minishogi>(p, data)?,
            };
            Claim::NoMate
        }
        _ => return refuse("unknown claim"),
    };
    Ok(Verified { position, claim, positions })
}

/// What follows the header.
struct Data<'a> {
    bytes: &'a [u8],
}

impl Data<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], ProofError> {
        let Some((head, rest)) = self.bytes.split_first_chunk::<N>() else {
            return refuse("it ends too early");
        };
        self.bytes = rest;
        Ok(*head)
    }

    fn number(&mut self) -> Result<u16, ProofError> {
        self.take().map(u16::from_le_bytes)
    }

    fn end(&self) -> Result<(), ProofError> {
        if self.bytes.is_empty() { Ok(()) } else { refuse("more than was needed") }
    }
}

/// Everything that makes two positions the same, move numbers aside.
fn name<V: Variant>(pos: &Position<V>) -> String {
    let text = pos.sfen();
    text[..text.rfind(' ').unwrap_or(text.len())].to_owned()
}

/// Legal moves in ascending order of their bits.
fn moves<V: Variant>(pos: &Position<V>, what: Gen) -> Vec<Move> {
    let mut list = MoveList::new();
    pos.generate(what, &mut list);
    let mut moves = list.to_vec();
    moves.sort_unstable();
    moves
}

/// Reads a move that must be legal here.
fn legal<V: Variant>(pos: &Position<V>, bits: u16) -> Result<Move, ProofError> {
    match Move::from_bits(V::GAME, bits).filter(|&m| pos.is_legal(m)) {
        Some(m) => Ok(m),
        None => refuse(format!("illegal move {bits:#06x} in {:?}", pos.sfen())),
    }
}

/// One position of the attacker on the path, its move played.
struct Level {
    /// Name of the position before the move.
    name: String,
    /// Replies not answered yet, the next one last.
    replies: Vec<Move>,
    /// Longest mate after a reply so far.
    longest: u32,
}

/// Walks the tree of a mate. Returns the positions answered and the plies of the mate.
fn mate<V: Variant>(pos: &Position<V>, mut data: Data<'_>) -> Result<(usize, u32), ProofError> {
    let mut pos = pos.clone();
    // Completed positions in order: name and plies.
    let mut done: Vec<(String, u32)> = Vec::new();
    let bits = data.number()?;
    let mut levels = vec![answer(&mut pos, bits)?];
    while let Some(level) = levels.last_mut() {
        if let Some(reply) = level.replies.pop() {
            pos.play(reply);
            let bits = data.number()?;
            if bits != 0 {
                levels.push(answer(&mut pos, bits)?);
                continue;
            }
            let number = u32::from_le_bytes(data.take()?) as usize;
            match done.get(number) {
                Some((other, plies)) if *other == name(&pos) => {
                    level.longest = level.longest.max(*plies);
                }
                _ => return refuse(format!("number {number} is not {:?}", pos.sfen())),
            }
            pos.undo();
            continue;
        }
        let plies = level.longest + if level.longest == 0 { 1 } else { 2 };
        pos.undo();
        done.push((std::mem::take(&mut level.name), plies));
        levels.pop();
        let Some(parent) = levels.last_mut() else {
            data.end()?;
            return Ok((done.len(), plies));
        };
        parent.longest = parent.longest.max(plies);
        pos.undo();
    }
    refuse("an empty tree")
}

/// Plays the attacker's move, which must give check, and lists the replies.
fn answer<V: Variant>(pos: &mut Position<V>, bits: u16) -> Result<Level, ProofError> {
    let m = legal(pos, bits)?;
    let name = name(pos);
    pos.play(m);
    if !pos.in_check() {
        return refuse(format!("a move that gives no check leads to {:?}", pos.sfen()));
    }
    let mut replies = moves(pos, Gen::All);
    replies.reverse();
    Ok(Level { name, replies, longest: 0 })
}

/// Walks the set of a refutation. Returns how many positions it has.
fn no_mate<V: Variant>(pos: &Position<V>, mut data: Data<'_>) -> Result<usize, ProofError> {
    let mut known = HashMap::from([(name(pos), ())]);
    let mut queue = vec![pos.clone()];
    let mut at = 0;
    while let Some(here) = queue.get(at) {
        let mut here = here.clone();
        for check in moves(&here, Gen::Checks) {
            here.play(check);
            let reply = legal(&here, data.number()?)?;
            here.play(reply);
            if known.insert(name(&here), ()).is_none() {
                queue.push(here.without_history());
            }
            here.undo();
            here.undo();
        }
        at += 1;
    }
    data.end()?;
    Ok(at)
}
