//! Which move of a book is played, and for every other one why not.

use crate::model::is_pointless_non_promotion;
use crate::{BookError, BookMove, Entry, Found, Library};
use rules::{AnyPosition, Color, GameRepetition, Move, Recurrence};
use seed::Rng;
use std::fmt;

/// What is asked of a book's moves; the fields carry the names of the options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Policy {
    /// The last move of the game that the book may play (`BookMoves`).
    pub book_moves: u32,
    /// Percent of positions in which the book is passed over (`BookIgnoreRate`).
    pub ignore_rate: u32,
    /// How much worse than the best a move may be (`BookEvalDiff`).
    pub eval_diff: i32,
    /// The least value a move may have, by colour (`BookEvalBlackLimit`, `BookEvalWhiteLimit`).
    pub eval_limit: [i32; 2],
    /// The least depth of the first move (`BookDepthLimit`).
    pub depth_limit: u32,
    /// Choose by how often moves were played (`ConsiderBookMoveCount`).
    pub by_count: bool,
    /// Pass over moves that were played in less than a tenth of the games (`NarrowBook`).
    pub narrow: bool,
    /// Whether the move number in the book counts for nothing (`IgnoreBookPly`).
    pub ignore_ply: bool,
    /// Whether positions are looked up turned by 180 degrees too (`FlippedBook`).
    pub flipped: bool,
}

impl Default for Policy {
    /// What a book needs to be played from whoever made it: nothing is asked of depths and move
    /// numbers, which propagated books and books of games do not have.
    fn default() -> Self {
        Self {
            book_moves: 200,
            ignore_rate: 0,
            eval_diff: 30,
            eval_limit: [-100, -200],
            depth_limit: 0,
            by_count: false,
            narrow: false,
            ignore_ply: true,
            flipped: true,
        }
    }
}

/// Why a whole position is not played from the book.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Passed {
    NotInBook,
    Late { ply: u32, limit: u32 },
    AtRandom { rate: u32 },
    OtherPly { book: u32, game: u32 },
    Shallow { depth: u32, limit: u32 },
    NothingLeft,
}

impl fmt::Display for Passed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInBook => write!(f, "the position is not in the book"),
            Self::Late { ply, limit } => {
                write!(f, "move {ply} of the game, the book is used up to move {limit} (BookMoves)")
            }
            Self::AtRandom { rate } => {
                write!(f, "passed over at random, as in {rate} % of positions (BookIgnoreRate)")
            }
            Self::OtherPly { book, game } => write!(
                f,
                "the book has the position at move {book}, this is move {game} (IgnoreBookPly)"
            ),
            Self::Shallow { depth, limit } => write!(
                f,
                "the first move was searched to depth {depth}, at least {limit} is asked \
                 (BookDepthLimit)"
            ),
            Self::NothingLeft => write!(f, "every move of the book was refused"),
        }
    }
}

/// Why a move was not played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    Illegal(&'static str),
    /// The position would be repeated, and we have given check all the way.
    PerpetualCheck,
    /// The position would occur for the third time or more.
    Repetition {
        times: usize,
    },
    /// Played in so many percent of the games.
    Seldom {
        percent: u64,
    },
    /// Worse than the best move by more than is allowed.
    WorseThanBest {
        value: i32,
        least: i32,
    },
    /// Worse than is allowed at all.
    BelowLimit {
        value: i32,
        least: i32,
        color: Color,
    },
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Illegal(why) => write!(f, "not legal: {why}"),
            Self::PerpetualCheck => {
                write!(f, "repeats the position by perpetual check, which loses")
            }
            Self::Repetition { times } => write!(f, "the position would occur {times} times"),
            Self::Seldom { percent } => {
                write!(f, "played in {percent} % of the games, at least 10 % is asked (NarrowBook)")
            }
            Self::WorseThanBest { value, least } => {
                write!(f, "value {value} is below {least} (BookEvalDiff)")
            }
            Self::BelowLimit { value, least, color: Color::Black } => {
                write!(f, "value {value} is below {least} (BookEvalBlackLimit)")
            }
            Self::BelowLimit { value, least, color: Color::White } => {
                write!(f, "value {value} is below {least} (BookEvalWhiteLimit)")
            }
        }
    }
}

/// What became of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// It is played.
    Chosen,
    /// It could have been played as well, with this chance in percent.
    Eligible {
        percent: u64,
    },
    Refused(Refusal),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chosen => write!(f, "chosen"),
            Self::Eligible { percent } => write!(f, "could have been chosen ({percent} %)"),
            Self::Refused(why) => write!(f, "refused: {why}"),
        }
    }
}

/// What a book has to say about a position of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    /// The move to play and the reply expected.
    pub chosen: Option<(BookMove, Option<Move>)>,
    /// Why there is none.
    pub passed: Option<Passed>,
    /// Every move of the position with what became of it; none where the position was passed over.
    pub moves: Vec<(BookMove, Verdict)>,
    /// Where the position was found, by name, and whether turned by 180 degrees.
    pub found: Option<(String, bool)>,
}

impl Decision {
    fn pass(passed: Passed) -> Self {
        Self { chosen: None, passed: Some(passed), moves: Vec::new(), found: None }
    }
}

/// Asks the books for a move in a position of a game, with the history that led to it.
pub fn choose(
    library: &Library,
    position: &AnyPosition,
    policy: &Policy,
    rng: &mut Rng,
) -> Result<Decision, BookError> {
    if position.ply() > policy.book_moves {
        return Ok(Decision::pass(Passed::Late { ply: position.ply(), limit: policy.book_moves }));
    }
    if policy.ignore_rate > 0 && rng.below(100) < policy.ignore_rate as usize {
        return Ok(Decision::pass(Passed::AtRandom { rate: policy.ignore_rate }));
    }
    let Some(found) = library.find(position, policy.flipped)? else {
        return Ok(Decision::pass(Passed::NotInBook));
    };
    let mut decision = judge(&found, position, policy);
    if decision.passed.is_none() {
        pick(&mut decision, policy, rng);
    }
    if let Some((m, reply)) = &mut decision.chosen {
        *reply = expected(library, position, m, policy.flipped)?;
    }
    Ok(decision)
}

/// Judges every move; nothing is chosen yet.
pub(crate) fn judge(found: &Found, position: &AnyPosition, policy: &Policy) -> Decision {
    let entry = &found.entry;
    let mut decision = Decision {
        chosen: None,
        passed: None,
        moves: Vec::new(),
        found: Some((found.book.clone(), found.flipped)),
    };
    if !policy.ignore_ply && entry.ply != 0 && entry.ply != position.ply() {
        decision.passed = Some(Passed::OtherPly { book: entry.ply, game: position.ply() });
        return decision;
    }
    let mut refusals: Vec<Option<Refusal>> =
        entry.moves.iter().map(|m| forbidden(position, m.mv)).collect();
    if policy.narrow {
        refuse_seldom(entry, &mut refusals);
    }
    let first = entry.moves.iter().zip(&refusals).find(|(_, refusal)| refusal.is_none());
    if let Some((m, _)) = first.filter(|(m, _)| m.depth < policy.depth_limit) {
        let (depth, limit) = (m.depth, policy.depth_limit);
        decision.passed = Some(Passed::Shallow { depth, limit });
    }
    refuse_bad(entry, &mut refusals, position.turn(), policy);
    let verdict = |refusal: Option<Refusal>| {
        refusal.map_or(Verdict::Eligible { percent: 0 }, Verdict::Refused)
    };
    decision.moves = entry.moves.iter().cloned().zip(refusals.into_iter().map(verdict)).collect();
    let is_eligible = |(_, verdict): &(BookMove, Verdict)| !matches!(verdict, Verdict::Refused(_));
    if decision.passed.is_none() && !decision.moves.iter().any(is_eligible) {
        decision.passed = Some(Passed::NothingLeft);
    }
    decision
}

/// Moves that must not be played here, whatever the book thinks of them.
fn forbidden(position: &AnyPosition, mv: Move) -> Option<Refusal> {
    if let Some(why) = position.why_illegal(mv) {
        return Some(Refusal::Illegal(why));
    }
    let us = position.turn();
    let mut after = position.clone();
    after.play(mv);
    let recurrence = match &after {
        AnyPosition::Shogi(p) => p.recurrence(usize::MAX),
        AnyPosition::Minishogi(p) => p.recurrence(usize::MAX),
    };
    let times = after.occurrences();
    let lost = after.repetition() == Some(GameRepetition::Lost(us))
        || times > 1 && recurrence == Some(Recurrence::Win);
    if lost {
        return Some(Refusal::PerpetualCheck);
    }
    // A repetition that the opponent loses is welcome.
    (times > 2 && recurrence != Some(Recurrence::Loss)).then_some(Refusal::Repetition { times })
}

fn refuse_seldom(entry: &Entry, refusals: &mut [Option<Refusal>]) {
    let total: u64 = entry.moves.iter().map(|m| m.count).fold(0, u64::saturating_add);
    for (m, refusal) in entry.moves.iter().zip(refusals) {
        let percent = (u128::from(m.count) * 100).checked_div(u128::from(total)).unwrap_or(100);
        if refusal.is_none() && percent < 10 {
            *refusal = Some(Refusal::Seldom { percent: percent as u64 });
        }
    }
}

/// A move without value is judged by nobody.
fn refuse_bad(entry: &Entry, refusals: &mut [Option<Refusal>], color: Color, policy: &Policy) {
    let eligible = entry.moves.iter().zip(&*refusals).filter(|(_, refusal)| refusal.is_none());
    let best = eligible.filter_map(|(m, _)| m.value).max();
    let Some(best) = best else { return };
    let limit = policy.eval_limit[color.index()];
    let least = best.saturating_sub(policy.eval_diff);
    for (m, refusal) in entry.moves.iter().zip(refusals).filter(|(_, refusal)| refusal.is_none()) {
        let Some(value) = m.value else { continue };
        if value < limit {
            *refusal = Some(Refusal::BelowLimit { value, least: limit, color });
        } else if value < least {
            *refusal = Some(Refusal::WorseThanBest { value, least });
        }
    }
}

/// What each move weighs in the choice, in the order of the book; what was refused weighs nothing.
pub(crate) fn weights(moves: &[(BookMove, Verdict)], policy: &Policy) -> Vec<u64> {
    let is_eligible = |verdict: &Verdict| !matches!(verdict, Verdict::Refused(_));
    let mut eligible = moves.iter().filter(|(_, verdict)| is_eligible(verdict));
    let counted = policy.by_count && eligible.any(|(m, _)| m.count > 0);
    let weight = |m: &BookMove| if counted { m.count.min(1 << 40) } else { 1 };
    moves.iter().map(|(m, verdict)| if is_eligible(verdict) { weight(m) } else { 0 }).collect()
}

fn pick(decision: &mut Decision, policy: &Policy, rng: &mut Rng) {
    let weights = weights(&decision.moves, policy);
    let total: u64 = weights.iter().sum();
    let mut ticket = (rng.unit() * total as f64) as u64;
    let mut chosen = None;
    for (index, ((_, verdict), share)) in decision.moves.iter_mut().zip(weights).enumerate() {
        if matches!(verdict, Verdict::Refused(_)) {
            continue;
        }
        *verdict = Verdict::Eligible { percent: share * 100 / total.max(1) };
        if chosen.is_none() && ticket < share {
            chosen = Some(index);
        }
        ticket = ticket.saturating_sub(share);
    }
    if let Some((m, verdict)) = chosen.and_then(|index| decision.moves.get_mut(index)) {
        *verdict = Verdict::Chosen;
        decision.chosen = Some((m.clone(), None));
    }
}

/// The moves the books would play in a position, each with its weight in the choice: what an opponent
/// that wants variety draws from. None where the books are silent.
pub fn weighted(
    library: &Library,
    position: &AnyPosition,
    policy: &Policy,
) -> Result<Vec<(Move, u64)>, BookError> {
    if position.ply() > policy.book_moves {
        return Ok(Vec::new());
    }
    let Some(found) = library.find(position, policy.flipped)? else { return Ok(Vec::new()) };
    let decision = judge(&found, position, policy);
    if decision.passed.is_some() {
        return Ok(Vec::new());
    }
    let weights = weights(&decision.moves, policy);
    let moves = decision.moves.iter().map(|(m, _)| m.mv).zip(weights);
    Ok(moves.filter(|(_, weight)| *weight > 0).collect())
}

/// The reply a book expects to a move: the one it names, else its first move after it.
fn expected(
    library: &Library,
    position: &AnyPosition,
    m: &BookMove,
    flipped: bool,
) -> Result<Option<Move>, BookError> {
    let mut after = position.clone();
    after.play(m.mv);
    if let Some(reply) = m.reply.filter(|&reply| after.is_legal(reply)) {
        return Ok(Some(reply));
    }
    let found = library.find(&after, flipped)?;
    Ok(found
        .and_then(|found| found.entry.moves.iter().map(|m| m.mv).find(|&mv| after.is_legal(mv))))
}

/// The line of the books after a move: its reply, then first moves, so many plies at most (`BookPvMoves`).
pub fn line(
    library: &Library,
    position: &AnyPosition,
    first: &BookMove,
    plies: usize,
    flipped: bool,
) -> Result<Vec<Move>, BookError> {
    let mut line = Vec::new();
    let mut at = position.clone();
    let mut next = Some(first.clone());
    while let Some(m) = next.filter(|m| at.is_legal(m.mv)) {
        line.push(m.mv);
        if line.len() >= plies {
            break;
        }
        at.play(m.mv);
        if at.occurrences() > 1 {
            break;
        }
        let found = library.find(&at, flipped)?;
        let found = found.and_then(|found| found.entry.moves.into_iter().next());
        next = found.or_else(|| m.reply.map(BookMove::new));
    }
    Ok(line)
}

/// What is worth saying of a move besides its verdict.
pub fn remark(position: &AnyPosition, mv: Move) -> Option<&'static str> {
    (position.is_legal(mv) && is_pointless_non_promotion(position, mv))
        .then_some("stays unpromoted, which is never better")
}

#[cfg(test)]
mod tests;
