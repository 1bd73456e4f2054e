//! What is different where two browsers play each other: who has come, what they offer each other.

use super::{Game, only_watching};
use crate::error::{ApiError, ErrorCode};
use crate::setup::{OpponentView, VisitorSide};
use crate::words::{self, Words};
use play::{Ending, Reason};
use rules::Color;
use serde::{Deserialize, Serialize};
use think::Moment;

/// Longest name of a player.
const NAME: usize = 24;

/// What a player may ask the other for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum OfferKind {
    Draw,
    Takeback,
}

/// What a player has asked the other for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Offer {
    pub by: words::Color,
    pub what: OfferKind,
}

/// Both players and those who look on, as the page sees them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FriendsView {
    pub black: FriendSeat,
    pub white: FriendSeat,
    pub offer: Option<Offer>,
    /// Visitors who look on now.
    pub spectators: u32,
}

/// One side of a game between friends.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct FriendSeat {
    /// Whether somebody plays it.
    pub taken: bool,
    /// Whether that somebody has the game open now.
    pub here: bool,
    pub name: Option<String>,
    /// What an invitation to this side carries; for whoever began the game, while nobody plays it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// What only the adapter knows of the players, by colour.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Presence {
    pub here: [bool; 2],
    pub keys: [Option<String>; 2],
    pub spectators: u32,
}

/// What the game knows of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Friends {
    /// Who plays each side: the name, which may be empty.
    seats: [Option<String>; 2],
    offer: Option<Offer>,
    /// Whether both have been at the board together: the clock runs from then on.
    pub(super) begun: bool,
}

/// A name as it may stand beside the board.
fn player_name(text: &str) -> String {
    let line = crate::ending::one_line(text);
    line.chars().take(NAME).collect::<String>().trim().to_owned()
}

impl Game {
    /// Somebody plays that side from now on.
    pub fn take_seat(&mut self, color: Color, name: &str) {
        if let Some(friends) = &mut self.friends {
            friends.seats[color.index()] = Some(player_name(name));
            self.revision += 1;
        }
    }

    /// Both players are at the board: their clock runs from now on, whoever leaves.
    pub fn begin(&mut self, now: Moment) {
        if let Some(friends) = &mut self.friends {
            friends.begun = true;
            self.wind(now);
        }
    }

    /// Whether a player is still to come.
    pub fn is_waiting(&self) -> bool {
        self.friends.as_ref().is_some_and(|friends| friends.seats.iter().any(Option::is_none))
    }

    /// Whether its clock runs on when nobody looks.
    pub fn runs_by_itself(&self) -> bool {
        self.friends.is_some() && self.setup.clock.is_some() && self.clock.is_running()
    }

    /// The name of who plays a side, where friends play and one was given.
    pub fn name_of(&self, color: Color) -> Option<&str> {
        let name = self.friends.as_ref()?.seats[color.index()].as_deref()?;
        (!name.is_empty()).then_some(name)
    }

    /// The opponent as somebody at that side sees it.
    pub fn opponent_for(&self, who: VisitorSide) -> OpponentView {
        let mut view = self.setup.opponent_view();
        let name = match who {
            VisitorSide::Black => self.name_of(Color::White),
            VisitorSide::White => self.name_of(Color::Black),
            VisitorSide::Both | VisitorSide::Watch => None,
        };
        if let Some(name) = name {
            view.name = Words::new(name, name);
        }
        view
    }

    pub(super) fn friends_view(&self, presence: Option<Presence>) -> Option<FriendsView> {
        let friends = self.friends.as_ref()?;
        let presence = presence.unwrap_or_default();
        let seat = |color: Color| FriendSeat {
            taken: friends.seats[color.index()].is_some(),
            here: presence.here[color.index()],
            name: self.name_of(color).map(str::to_owned),
            key: presence.keys[color.index()].clone(),
        };
        Some(FriendsView {
            black: seat(Color::Black),
            white: seat(Color::White),
            offer: friends.offer,
            spectators: presence.spectators,
        })
    }

    fn offered(&self) -> Option<Offer> {
        self.friends.as_ref().and_then(|friends| friends.offer)
    }

    pub(super) const fn withdraw_offer(&mut self) {
        if let Some(friends) = &mut self.friends {
            friends.offer = None;
        }
    }

    pub(super) fn may_offer(&self, who: VisitorSide) -> bool {
        self.friends.is_some()
            && self.ending.is_none()
            && !self.is_waiting()
            && who.color().is_some()
            && self.offered().is_none()
    }

    pub(super) fn may_reply(&self, who: VisitorSide) -> bool {
        let other = |offer: Offer| who.color().is_some_and(|own| Color::from(offer.by) != own);
        self.ending.is_none() && self.offered().is_some_and(other)
    }

    /// A player asks the other for something.
    pub fn offer(&mut self, who: VisitorSide, what: OfferKind) -> Result<(), ApiError> {
        self.goes_on()?;
        let by = who.color().ok_or_else(only_watching)?;
        if what == OfferKind::Takeback && self.undone(who).is_none() {
            return Err(ApiError::new(ErrorCode::NotAllowed, "there is nothing to take back"));
        }
        if !self.may_offer(who) {
            let message = "there is nobody to offer it to, or another offer is open";
            return Err(ApiError::new(ErrorCode::NotAllowed, message));
        }
        if let Some(friends) = &mut self.friends {
            friends.offer = Some(Offer { by: by.into(), what });
        }
        self.revision += 1;
        Ok(())
    }

    /// A player says yes or no to what the other has asked for.
    pub fn reply(&mut self, who: VisitorSide, agreed: bool, now: Moment) -> Result<(), ApiError> {
        self.goes_on()?;
        let Some(offer) = self.offered().filter(|_| self.may_reply(who)) else {
            return Err(ApiError::new(ErrorCode::NotAllowed, "nothing has been offered to you"));
        };
        self.withdraw_offer();
        match (agreed, offer.what) {
            (false, _) => self.revision += 1,
            (true, OfferKind::Draw) => self.end(Ending::draw(Reason::Agreed), now),
            (true, OfferKind::Takeback) => self.back(VisitorSide::of(offer.by.into()), now)?,
        }
        Ok(())
    }
}
