//! Who is away, and what time does: flags, proposals refused and lapsed, games given up.

use super::{Effect, Moment, PROPOSAL, Phase, Refusal, Room, State};
use csa::ServerLine;
use play::{Ending, Reason};
use rules::Color;

impl Room {
    /// What was said last has been sent: the time of the side to move begins only now
    /// (section 2 of the protocol).
    pub fn delivered(&mut self, at: Moment) {
        if let Phase::Running { since } = &mut self.phase {
            *since = at.max(*since);
        }
    }

    /// A side's connection was lost. Its clock runs on.
    pub fn leave(&mut self, side: Color, now: Moment) -> Vec<Effect> {
        self.gone[side.index()] = Some(now);
        match self.phase {
            Phase::Proposed { .. } => self.reject(side, false),
            _ => Vec::new(),
        }
    }

    pub(super) fn reject(&mut self, by: Color, silent: bool) -> Vec<Effect> {
        self.refused = Some(Refusal { by, silent });
        self.drop_proposal(self.conditions.names[by.index()].clone())
    }

    /// The referee takes back a proposal: nobody has refused it.
    pub fn recall(&mut self) -> Vec<Effect> {
        match self.phase {
            Phase::Proposed { .. } => self.drop_proposal("referee".to_owned()),
            _ => Vec::new(),
        }
    }

    fn drop_proposal(&mut self, by: String) -> Vec<Effect> {
        let line = ServerLine::Rejected { game: self.conditions.id.clone(), by };
        // A game that had begun is not lost by it: it waits to be proposed again.
        let (phase, state) = if self.begun {
            (Phase::Suspended, State::Suspended)
        } else {
            (Phase::Dropped, State::Dropped)
        };
        self.phase = phase;
        let mut effects: Vec<Effect> =
            Color::BOTH.iter().map(|&to| Effect::Tell(to, line.to_string())).collect();
        effects.push(Effect::Now(state));
        effects
    }

    /// A side is back while the game goes on: it is shown the game and is to agree.
    pub fn come_back(&mut self, side: Color, now: Moment) -> Vec<Effect> {
        if !self.is_running() {
            return Vec::new();
        }
        self.gone[side.index()] = None;
        self.agreed[side.index()] = false;
        vec![Effect::Tell(side, self.summary(side, now))]
    }

    /// When [`Room::wake`] has something to do.
    pub fn deadline(&self) -> Option<Moment> {
        match self.phase {
            Phase::Proposed { since } => Some(since + PROPOSAL),
            Phase::Running { since } => {
                let flag = self.clocks[self.position.turn().index()].limit();
                let flag = flag.map(|limit| since.saturating_add(limit));
                flag.into_iter().chain(Color::BOTH.iter().filter_map(|&c| self.given_up(c))).min()
            }
            _ => None,
        }
    }

    fn given_up(&self, side: Color) -> Option<Moment> {
        Some(self.gone[side.index()]?.saturating_add(self.patience?))
    }

    /// Does what is due: flags fall without waiting for a move, proposals lapse.
    pub fn wake(&mut self, now: Moment) -> Vec<Effect> {
        match self.phase {
            Phase::Proposed { since } if now >= since + PROPOSAL => {
                let late = if self.agreed[0] { Color::White } else { Color::Black };
                self.reject(late, true)
            }
            Phase::Running { since } => {
                let turn = self.position.turn();
                let limit = self.clocks[turn.index()].limit();
                if limit.is_some_and(|limit| now >= since.saturating_add(limit)) {
                    return self.end(Ending::lost(turn, Reason::TimeUp), None);
                }
                let lost =
                    Color::BOTH.into_iter().find(|&c| self.given_up(c).is_some_and(|t| now >= t));
                match lost {
                    Some(side) => self.end(Ending::lost(side, Reason::Abandoned), None),
                    None => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }

    /// Ends a suspended game that will not be taken up: the side that stayed away has lost it; if
    /// both did, it has no result.
    pub fn give_up(&mut self, loser: Option<Color>) -> Vec<Effect> {
        match self.phase {
            Phase::Suspended if self.begun => {
                let reason = Reason::Abandoned;
                let ending =
                    loser.map_or(Ending::unknown(reason), |loser| Ending::lost(loser, reason));
                self.end(ending, None)
            }
            _ => Vec::new(),
        }
    }
}
