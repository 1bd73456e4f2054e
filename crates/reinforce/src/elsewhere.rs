//! Games that somebody else plays: what travels to whoever does, and how they are played there.
//!
//! Game *n* follows from the order and *n* alone, so that it is the same game wherever it is played.

use crate::game::FinishedGame;
use crate::lots::Lots;
use crate::nets::without_net;
use crate::plan::shape;
use crate::pool::{PlayError, PlayerNet, SelfPlay};
use crate::review::check;
use crate::settings::PlaySettings;
use balance::WinRate;
use infer::Backend;
use infer::native::{Native, Net};
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use teacher::{Header, TeacherError, Writer};

/// Games of a generation, as they are asked for elsewhere.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GamesOrder {
    pub settings: PlaySettings,
    pub lots: Lots,
    /// The chance to win at which a side resigns; never, if there is none.
    pub resign: Option<WinRate>,
    /// The net, in integers; every move alike and every position even where there is none.
    pub net: Option<PathBuf>,
    /// What the net sees, by name.
    pub planes: String,
}

/// Who plays the games of a generation.
pub trait GamePlayer: Sync {
    /// Plays games and hands them over in order, until all are played or somebody says stop.
    fn play(
        &self,
        order: &GamesOrder,
        games: Range<u64>,
        stop: &AtomicBool,
        take: &mut dyn FnMut(FinishedGame) -> ControlFlow<()>,
    ) -> Result<(), PlayError>;
}

impl GamesOrder {
    /// A game that was played for the order elsewhere, if it is what it was to be and what the referee says.
    pub fn taken(
        &self,
        number: u64,
        game: teacher::Game,
        evaluations: u64,
    ) -> Result<FinishedGame, String> {
        let (lot, _) = self.lots.draw(number);
        check(&self.settings, &lot, &game)?;
        Ok(FinishedGame { number, start: lot.assignment.start, game, evaluations })
    }
}

/// Whoever plays games of an order, on one thread.
#[derive(Debug)]
pub struct OrderPlayer {
    order: GamesOrder,
    net: PlayerNet,
}

impl OrderPlayer {
    /// Loads the net.
    pub fn new(order: &GamesOrder) -> Result<Self, PlayError> {
        order.settings.check()?;
        let shape = shape(order.settings.game, &order.planes)?;
        let net = match &order.net {
            None => without_net(shape, 1),
            Some(path) => {
                let file = |e: &dyn std::fmt::Display| {
                    PlayError::Elsewhere(format!("{}: {e}", path.display()))
                };
                let net = Net::load(path).map_err(|e| file(&e))?;
                let native = Arc::new(Native::new(Arc::new(net))) as Arc<dyn Backend>;
                PlayerNet::OnThreads(vec![native])
            }
        };
        Ok(Self { order: order.clone(), net })
    }

    /// Plays these games; nothing if that was broken off.
    pub fn play(
        &self,
        games: Range<u64>,
        stop: &AtomicBool,
    ) -> Result<Option<Vec<FinishedGame>>, PlayError> {
        let one = NonZeroUsize::MIN;
        let play = SelfPlay {
            settings: &self.order.settings,
            lots: &self.order.lots,
            resign: self.order.resign,
            first: games.start,
            last: games.end,
            net: self.net.clone(),
            other: None,
            threads: one,
            games: one,
            stop,
        };
        let mut played = Vec::new();
        play.run(&mut |game| {
            played.push(game);
            ControlFlow::Continue(())
        })?;
        Ok((played.len() as u64 == games.end - games.start).then_some(played))
    }

    /// Games as they travel back.
    pub fn written(&self, games: &[FinishedGame]) -> Result<Vec<u8>, TeacherError> {
        let mut writer = Writer::new(Vec::new(), Header::new(self.order.settings.game))?;
        games.iter().try_for_each(|finished| writer.write(&finished.game))?;
        writer.finish()
    }
}
