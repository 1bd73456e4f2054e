//! One game: agreement, moves, clocks, every ending of the protocol, interruption and resumption.
//!
//! A room takes lines and the time; it answers with effects in the order in which they
//! must happen. What is stored stands before what is told, so that nobody ever learns of a move the
//! server could forget.

use crate::conditions::Conditions;
use csa::record::Finish;
use csa::{ClientLine, Played, ServerLine, Special, Verdict};
use play::{Clock, Ending, Outcome, Reason};
use rules::{AnyPosition, Color};
use std::sync::Arc;
use std::time::Duration;

mod absence;
mod misplaced;

/// A moment: time passed since the server's origin.
pub type Moment = Duration;

/// What a room wants done.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Make this durable before going on.
    Store(Entry),
    /// Say this to one side: one or more whole lines without the last line's end.
    Tell(Color, String),
    /// Say this to those who watch.
    Show(String),
    /// The room changed what it is doing.
    Now(State),
}

/// What must not be forgotten about a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Entry {
    /// Both agreed: the game begins.
    Started,
    /// A move, counted from 1.
    Move {
        number: u32,
        /// The move in CSA text.
        text: String,
        time: Duration,
        /// What its player thought.
        comment: Option<String>,
    },
    /// Interrupted by that side (by the server if none).
    Interrupted(Option<Color>),
    /// Taken up again.
    Resumed,
    Ended(Finish),
}

/// What a room is doing, as the lobby needs to know it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    Running,
    /// Nobody plays until both are back.
    Suspended,
    /// Never began: somebody rejected it.
    Dropped,
    Over,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Phase {
    /// Both have been told and are to agree.
    Proposed {
        since: Moment,
    },
    /// The turn of the side to move began then.
    Running {
        since: Moment,
    },
    /// Waits for both players.
    Suspended,
    Dropped,
    Over(Finish),
}

/// How long a proposal waits for both to agree.
const PROPOSAL: Duration = Duration::from_secs(120);

/// Who did not agree to a proposal, and how.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refusal {
    pub by: Color,
    /// It said nothing at all until the proposal lapsed.
    pub silent: bool,
}

/// One game.
#[derive(Clone, Debug)]
pub struct Room {
    conditions: Arc<Conditions>,
    position: AnyPosition,
    played: Vec<Played>,
    clocks: [Clock; 2],
    phase: Phase,
    /// Has begun before: agreement takes it up again.
    begun: bool,
    agreed: [bool; 2],
    /// Who did not agree to the last proposal.
    refused: Option<Refusal>,
    /// Since when each side's connection has been gone.
    gone: [Option<Moment>; 2],
    interruptions: [u8; 2],
    /// How long a side may stay away.
    patience: Option<Duration>,
}

impl Room {
    /// A game to be proposed; `patience` says how long a player may be away once it runs.
    pub fn new(conditions: Arc<Conditions>, patience: Option<Duration>) -> Self {
        let clocks = conditions.times.each_ref().map(|rule| Clock::new(rule.clock_rule()));
        Self {
            position: conditions.start.clone(),
            played: Vec::new(),
            clocks,
            phase: Phase::Suspended,
            begun: false,
            agreed: [false; 2],
            refused: None,
            gone: [None; 2],
            interruptions: [0; 2],
            patience,
            conditions,
        }
    }

    /// A game that had begun, from what was stored: moves as text with their times, and how often
    /// each side interrupted it. `None` if a move does not fit.
    pub fn restore<'a>(
        conditions: Arc<Conditions>,
        patience: Option<Duration>,
        moves: impl IntoIterator<Item = (&'a str, Duration)>,
        interruptions: [u8; 2],
    ) -> Option<Self> {
        let mut room = Self::new(conditions, patience);
        for (text, time) in moves {
            let m = kifu::wire::read_move(&room.position, text).ok()?;
            room.clocks[room.position.turn().index()].replay(time);
            room.position.play(m);
            room.played.push(Played { m, time: Some(time) });
        }
        room.begun = true;
        room.interruptions = interruptions;
        Some(room)
    }

    /// What it is played under.
    pub fn conditions(&self) -> &Arc<Conditions> {
        &self.conditions
    }

    /// Where the game stands, with its history.
    pub const fn position(&self) -> &AnyPosition {
        &self.position
    }

    /// The moves so far.
    pub fn played(&self) -> &[Played] {
        &self.played
    }

    /// Time left to a side, byoyomi not counted, the running turn not yet taken off but its
    /// increment included.
    pub fn remaining(&self, color: Color) -> Duration {
        let clock = &self.clocks[color.index()];
        let in_turn = self.is_running() && self.position.turn() == color;
        if in_turn { clock.left_in_turn() } else { clock.left() }
    }

    /// How long the turn that runs has lasted.
    pub const fn elapsed(&self, now: Moment) -> Option<Duration> {
        match self.phase {
            Phase::Running { since } => Some(now.saturating_sub(since)),
            _ => None,
        }
    }

    /// How it ended, if it has.
    pub const fn finish(&self) -> Option<&Finish> {
        match &self.phase {
            Phase::Over(finish) => Some(finish),
            _ => None,
        }
    }

    /// Whether the clock of somebody runs.
    pub const fn is_running(&self) -> bool {
        matches!(self.phase, Phase::Running { .. })
    }

    /// Whether the next word is that side's: it is to agree, or to move. What it says then is never
    /// too much.
    pub fn awaits(&self, side: Color) -> bool {
        match self.phase {
            Phase::Proposed { .. } => !self.agreed[side.index()],
            Phase::Running { .. } => self.agreed[side.index()] && self.position.turn() == side,
            _ => false,
        }
    }

    /// Who did not agree to the last proposal.
    pub const fn refused(&self) -> Option<Refusal> {
        self.refused
    }

    /// Whether moves have been or may have been played.
    pub const fn has_begun(&self) -> bool {
        self.begun
    }

    /// Proposes the game to both, or proposes to take it up again.
    pub fn propose(&mut self, now: Moment) -> Vec<Effect> {
        if !matches!(self.phase, Phase::Suspended) {
            return Vec::new();
        }
        self.phase = Phase::Proposed { since: now };
        self.agreed = [false; 2];
        self.refused = None;
        self.gone = [None; 2];
        Color::BOTH.iter().map(|&to| Effect::Tell(to, self.summary(to, now))).collect()
    }

    fn summary(&self, to: Color, now: Moment) -> String {
        let mut more = Vec::new();
        if let Phase::Running { since } = self.phase {
            // Not of the protocol: a player that comes back can know how long the turn has run.
            let elapsed = csa::times::seconds_text(now.saturating_sub(since));
            more.push(("Elapsed_Time".to_owned(), elapsed));
        }
        self.conditions.summary(to, &self.played, &more).to_string()
    }

    /// Takes a line. Empty lines, commands of extended mode and what is [misplaced](Room::misplaced)
    /// are the lobby's business.
    pub fn receive(&mut self, from: Color, line: &ClientLine, now: Moment) -> Vec<Effect> {
        if self.misplaced(from, line).is_some() {
            return Vec::new();
        }
        match self.phase {
            Phase::Proposed { .. } => self.agreement_line(from, line, now),
            Phase::Running { .. } if !self.agreed[from.index()] => self.return_line(from, line),
            Phase::Running { since } => {
                self.player_line(from, line, now.saturating_sub(since), now)
            }
            // A line that crossed the end of the game on its way means nothing.
            Phase::Suspended | Phase::Dropped | Phase::Over(_) => Vec::new(),
        }
    }

    fn is_this(&self, id: Option<&String>) -> bool {
        id.is_none_or(|id| *id == self.conditions.id)
    }

    fn agreement_line(&mut self, from: Color, line: &ClientLine, now: Moment) -> Vec<Effect> {
        match line {
            ClientLine::Agree(id) if self.is_this(id.as_ref()) => {
                self.agreed[from.index()] = true;
                if self.agreed == [true; 2] { self.begin(now) } else { Vec::new() }
            }
            ClientLine::Reject(id) if self.is_this(id.as_ref()) => self.reject(from, false),
            _ => Vec::new(),
        }
    }

    fn begin(&mut self, now: Moment) -> Vec<Effect> {
        let entry = if self.begun { Entry::Resumed } else { Entry::Started };
        self.begun = true;
        self.phase = Phase::Running { since: now };
        let start = ServerLine::Start(self.conditions.id.clone()).to_string();
        let mut effects = vec![Effect::Store(entry), Effect::Now(State::Running)];
        effects.extend(Color::BOTH.map(|to| Effect::Tell(to, start.clone())));
        effects.push(Effect::Show(start));
        effects
    }

    /// A player that came back while the game went on agrees to what it was shown.
    fn return_line(&mut self, from: Color, line: &ClientLine) -> Vec<Effect> {
        match line {
            ClientLine::Agree(id) if self.is_this(id.as_ref()) => {
                self.agreed[from.index()] = true;
                let start = ServerLine::Start(self.conditions.id.clone());
                vec![Effect::Tell(from, start.to_string())]
            }
            // Not taking up the game again loses it (rule 27-1-8 of the championship).
            ClientLine::Reject(id) if self.is_this(id.as_ref()) => {
                self.end(Ending::lost(from, Reason::IllegalAction), None)
            }
            _ => Vec::new(),
        }
    }

    fn player_line(
        &mut self,
        from: Color,
        line: &ClientLine,
        elapsed: Duration,
        now: Moment,
    ) -> Vec<Effect> {
        // Some clients send a move twice; once was enough, as on shogi-server.
        if from != self.position.turn()
            && matches!(line, ClientLine::Move { text, .. } if self.last_text().as_deref() == Some(text))
        {
            return Vec::new();
        }
        if from != self.position.turn() {
            return self.end(Ending::lost(from, Reason::IllegalAction), None);
        }
        let before = self.clocks[from.index()];
        let Ok(time) = self.clocks[from.index()].end_turn(elapsed) else {
            return self.end(Ending::lost(from, Reason::TimeUp), None);
        };
        match line {
            ClientLine::Move { text, comment } => self.move_line(text, comment.clone(), time, now),
            ClientLine::Special { special, .. } => {
                let last = Some((special.word().to_owned(), time));
                match special {
                    Special::Resign => self.end(Ending::lost(from, Reason::Resign), last),
                    Special::Declare if self.conditions.rules().can_declare(&self.position) => {
                        self.end(Ending::won(from, Reason::Declaration), last)
                    }
                    Special::Interrupt if self.may_interrupt(from) => {
                        // The clocks stay as the moves say: both sides know them from these.
                        self.clocks[from.index()] = before;
                        self.interrupt(Some(from))
                    }
                    Special::Declare | Special::Interrupt => {
                        self.end(Ending::lost(from, Reason::IllegalMove), last)
                    }
                }
            }
            // Nobody leaves a game like that.
            other => {
                let last = Some((quoted(&other.to_string()), time));
                self.end(Ending::lost(from, Reason::IllegalMove), last)
            }
        }
    }

    fn move_line(
        &mut self,
        text: &str,
        comment: Option<String>,
        time: Duration,
        now: Moment,
    ) -> Vec<Effect> {
        let mover = self.position.turn();
        let Ok(m) = kifu::wire::read_move(&self.position, text) else {
            let last = Some((quoted(text), time));
            return self.end(Ending::lost(mover, Reason::IllegalMove), last);
        };
        self.played.push(Played { m, time: Some(time) });
        let number = u32::try_from(self.played.len()).unwrap_or(u32::MAX);
        let ending = self.conditions.rules().play(&mut self.position, m, number);
        let line = ServerLine::Move { text: text.to_owned(), time: Some(time) }.to_string();
        let store = Effect::Store(Entry::Move { number, text: text.to_owned(), time, comment });
        let Some(ending) = ending else {
            self.phase = Phase::Running { since: now };
            return vec![
                store,
                Effect::Tell(mover.opponent(), line.clone()),
                Effect::Tell(mover, line.clone()),
                Effect::Show(line),
            ];
        };
        // The move and what it brought about are told together, once both are stored.
        let mut effects = vec![store];
        for effect in self.end(ending, None) {
            effects.push(match effect {
                Effect::Tell(to, text) => Effect::Tell(to, format!("{line}\n{text}")),
                Effect::Show(text) => Effect::Show(format!("{line}\n{text}")),
                other => other,
            });
        }
        effects
    }

    /// The last move in CSA text.
    fn last_text(&self) -> Option<String> {
        let m = self.played.last()?.m;
        let mut before = self.position.clone();
        before.undo();
        Some(kifu::wire::write_move(&before, m))
    }

    /// The referee ends a game that has begun: for one side, or as a draw.
    pub fn adjudicate(&mut self, winner: Option<Color>) -> Vec<Effect> {
        match self.phase {
            Phase::Running { .. } | Phase::Suspended if self.begun => {
                let outcome = Outcome::of(winner);
                self.end(Ending { outcome, reason: Reason::Adjudicated }, None)
            }
            _ => Vec::new(),
        }
    }

    /// The referee takes back a game that has begun: it has no result.
    pub fn annul(&mut self) -> Vec<Effect> {
        match self.phase {
            Phase::Running { .. } | Phase::Suspended if self.begun => {
                self.end(Ending::unknown(Reason::Adjudicated), None)
            }
            _ => Vec::new(),
        }
    }

    fn may_interrupt(&self, side: Color) -> bool {
        self.interruptions[side.index()] < self.conditions.interruptions
    }

    /// Interrupts the game, asked by a side or by the server itself. It can be proposed again.
    pub fn interrupt(&mut self, by: Option<Color>) -> Vec<Effect> {
        if !matches!(self.phase, Phase::Running { .. }) {
            return Vec::new();
        }
        if let Some(side) = by {
            self.interruptions[side.index()] += 1;
        }
        self.rewind();
        self.phase = Phase::Suspended;
        let line = Verdict::Chudan.to_string();
        let mut effects = vec![Effect::Store(Entry::Interrupted(by))];
        effects.extend(Color::BOTH.map(|to| Effect::Tell(to, line.clone())));
        effects.push(Effect::Show(line));
        effects.push(Effect::Now(State::Suspended));
        effects
    }

    /// The clocks as after the last move, without the turn that was interrupted: both sides know
    /// these from the moves alone.
    fn rewind(&mut self) {
        self.clocks = self.conditions.times.each_ref().map(|rule| Clock::new(rule.clock_rule()));
        let mut turn = self.conditions.start.turn();
        for played in &self.played {
            self.clocks[turn.index()].replay(played.time.unwrap_or_default());
            turn = turn.opponent();
        }
    }

    fn end(&mut self, ending: Ending, last: Option<(String, Duration)>) -> Vec<Effect> {
        let finish = Finish { ending, last };
        let head = finish.last.as_ref().map_or_else(String::new, |(text, time)| {
            format!("{text},T{}\n", csa::times::seconds_text(*time))
        });
        let reason = finish.reason();
        // Whoever is told of a game without a result is told that it was broken off.
        let without_winner = match (ending.reason, ending.outcome) {
            (Reason::MaxMoves, _) => Some(Verdict::Censored),
            (_, Outcome::Unknown) => Some(Verdict::Chudan),
            // The protocol has no word for a referee's draw; this one says that what the game
            // counts is settled elsewhere.
            (Reason::Adjudicated, Outcome::Draw) => Some(Verdict::Censored),
            (_, Outcome::Draw) => Some(Verdict::Draw),
            (_, Outcome::Won(_)) => None,
        };
        let verdict = |to: Color| match without_winner {
            Some(verdict) => verdict,
            None if ending.winner() == Some(to) => Verdict::Win,
            None => Verdict::Lose,
        };
        let mut effects = vec![Effect::Store(Entry::Ended(finish.clone()))];
        self.phase = Phase::Over(finish);
        let tell = |to| Effect::Tell(to, format!("{head}{reason}\n{}", verdict(to)));
        effects.extend(Color::BOTH.map(tell));
        let sign = if ending.winner() == Some(Color::Black) { '+' } else { '-' };
        let shown =
            without_winner.map_or_else(|| format!("#WIN({sign})"), |verdict| verdict.to_string());
        effects.push(Effect::Show(format!("{head}{reason}\n{shown}")));
        effects.push(Effect::Now(State::Over));
        effects
    }
}

/// A text that is no move, as it is sent on: what can be used of its first seven characters.
fn quoted(text: &str) -> String {
    text.chars().take(7).filter(|c| matches!(c, ' '..='~') && *c != ',').collect()
}

#[cfg(test)]
mod tests;
