//! Who plays a game between two browsers.

use super::{Entry, Store, failed};
use crate::live_game::Seat;
use board::error::ApiError;
use board::setup::VisitorSide;
use rules::Color;
use rusqlite::params;

impl Store {
    /// Notes who plays which side of a game.
    pub fn save_seats(&mut self, id: &str, seats: &[Seat; 2]) -> Result<(), ApiError> {
        let mut work = || -> rusqlite::Result<()> {
            let transaction = self.connection.transaction()?;
            for (color, seat) in (0i64..).zip(seats) {
                let (visitor, name) = seat.player.clone().unzip();
                transaction.execute(
                    "INSERT OR REPLACE INTO seats (game, color, key, visitor, name) VALUES (?1, ?2, ?3, ?4, ?5)",
                    params![id, color, seat.key, visitor, name],
                )?;
            }
            transaction.commit()
        };
        work().map_err(failed)
    }

    /// Who plays which side; `None` where the game is not between two browsers.
    pub(super) fn seats(&self, id: &str) -> rusqlite::Result<Option<[Seat; 2]>> {
        let sql = "SELECT key, visitor, name FROM seats WHERE game = ?1 ORDER BY color";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([id], |row| {
            let visitor: Option<String> = row.get(1)?;
            let name: Option<String> = row.get(2)?;
            Ok(Seat { key: row.get(0)?, player: visitor.map(|v| (v, name.unwrap_or_default())) })
        })?;
        let seats: Vec<Seat> = rows.collect::<rusqlite::Result<_>>()?;
        Ok(seats.try_into().ok())
    }
}

impl Entry {
    /// The side a visitor plays.
    pub fn side(&self, visitor: &str) -> VisitorSide {
        let Some(seats) = &self.seats else { return self.setup.you };
        let sits = |color: &Color| {
            seats[color.index()].player.as_ref().is_some_and(|(who, _)| who == visitor)
        };
        [Color::Black, Color::White]
            .iter()
            .find(|color| sits(color))
            .map_or(VisitorSide::Watch, |&c| VisitorSide::of(c))
    }

    /// How the other player is called, where somebody at another browser is.
    pub fn name_against(&self, you: VisitorSide) -> Option<&str> {
        let other = you.color()?.opponent();
        let (_, name) = self.seats.as_ref()?[other.index()].player.as_ref()?;
        (!name.is_empty()).then_some(name.as_str())
    }
}
