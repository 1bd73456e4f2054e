//! The visitor's games: those on the board, and those that are kept.

use crate::board_state::{Board, Effect, GAME, KEPT, Now};
use board::ending;
use board::error::{ApiError, ErrorCode};
use board::game::{
    Dates, Game, GameSummary, GameView, OwnOpenings, StoredMove, Thinking, Viewer, status,
};
use board::level::{self, LevelGame};
use board::opening;
use board::setup::{GameSettings, Opponent, Setup, VisitorSide};
use board::words::{Color, millis};
use play::Ending;
use rules::Move;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;
use think::{Info, Moment};

/// How long the bin keeps what was deleted, in milliseconds.
pub(crate) const BIN: i64 = 30 * 24 * 3600 * 1000;

/// Games by which a level adapts.
const ADAPTING: usize = 40;

/// Everything that is kept of games.
pub(crate) type Games = BTreeMap<String, KeptGame>;

/// A game as it is kept.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct KeptGame {
    pub(crate) setup: Setup,
    moves: Vec<KeptMove>,
    reason: Option<String>,
    winner: Option<String>,
    revision: u64,
    sfen: String,
    pub(crate) created: i64,
    pub(crate) updated: i64,
    pub(crate) deleted: Option<i64>,
}

/// A move: USI, its milliseconds, what Black and White had left after it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
struct KeptMove(String, u64, u64, u64);

/// A game on the board.
pub(crate) struct LiveGame {
    pub(crate) game: Game,
    pub(crate) dates: Dates,
    /// A move the engine has found and takes its time to play.
    pub(crate) held: Option<HeldMove>,
    /// Times the engine broke down in a row.
    pub(crate) failures: u32,
    /// What the engine thinks, where the page has not been told.
    pub(crate) thought: Option<Info>,
}

pub(crate) struct HeldMove {
    pub(crate) m: Move,
    pub(crate) since: Moment,
    pub(crate) due: Moment,
    pub(crate) spent: Duration,
}

impl LiveGame {
    fn new(game: Game, dates: Dates) -> Self {
        Self { game, dates, held: None, failures: 0, thought: None }
    }
}

impl KeptGame {
    fn of(game: &Game, dates: Dates) -> Self {
        let ended = game.ending();
        let kept =
            |m: StoredMove| KeptMove(m.text, millis(m.spent), millis(m.left[0]), millis(m.left[1]));
        let winner = ended.and_then(Ending::winner);
        Self {
            setup: game.setup().clone(),
            moves: game.stored().map(kept).collect(),
            reason: ended.map(|e| ending::word(e.reason).to_owned()),
            winner: winner.map(|winner| Color::from(winner).word().to_owned()),
            revision: game.revision(),
            sfen: game.position().sfen(),
            created: dates.created,
            updated: dates.updated,
            deleted: None,
        }
    }

    pub(crate) fn ending(&self) -> Option<Ending> {
        let winner = self.winner.as_deref().and_then(Color::of_word).map(Into::into);
        ending::of_words(self.reason.as_deref()?, winner)
    }

    fn restored(&self) -> Result<Game, ApiError> {
        let stored = |KeptMove(text, ms, black, white): &KeptMove| StoredMove {
            text: text.clone(),
            spent: Duration::from_millis(*ms),
            left: [*black, *white].map(Duration::from_millis),
        };
        let moves: Vec<StoredMove> = self.moves.iter().map(stored).collect();
        Game::restore(self.setup.clone(), &moves, self.ending(), self.revision)
    }

    fn dates(&self) -> Dates {
        Dates { created: self.created, updated: self.updated }
    }

    fn summary(&self, id: &str) -> GameSummary {
        let ending = self.ending();
        GameSummary {
            game: id.to_owned(),
            variant: self.setup.game().into(),
            handicap: self.setup.handicap.clone(),
            you: self.setup.you,
            owned: true,
            opponent: self.setup.opponent_view(),
            status: status(ending),
            ending: ending.map(ending::view),
            plies: self.moves.len() as u32,
            sfen: self.sfen.clone(),
            last: self.moves.last().map(|m| m.0.clone()),
            created: self.created,
            updated: self.updated,
        }
    }
}

fn missing(id: &str) -> ApiError {
    ApiError::missing(format!("there is no game {id:?}"))
}

impl Board {
    /// Games in the bin or not: those under way, then the one that changed last first.
    fn listed(&self, deleted: bool) -> Vec<(&String, &KeptGame)> {
        let mut games: Vec<_> =
            self.games.iter().filter(|(_, game)| game.deleted.is_some() == deleted).collect();
        games.sort_by_key(|(_, game)| (game.reason.is_some(), std::cmp::Reverse(game.updated)));
        games
    }

    /// A page of the list.
    pub(crate) fn list(&self, deleted: bool, offset: usize, limit: usize) -> board::game::Games {
        let listed = self.listed(deleted);
        let page = listed.iter().skip(offset).take(limit);
        board::game::Games {
            games: page.map(|(id, game)| game.summary(id)).collect(),
            total: listed.len() as u32,
            deleted: self.games.values().filter(|game| game.deleted.is_some()).count() as u32,
            strength: level::strength(&self.level_games()),
        }
    }

    /// A new game, on the board.
    pub(crate) fn open_new(
        &mut self,
        settings: &GameSettings,
        now: Now,
    ) -> Result<String, ApiError> {
        if let Opponent::Friend { .. } = settings.opponent {
            let message = "a friend's browser can only be reached through a server";
            return Err(ApiError::new(ErrorCode::NotAllowed, message));
        }
        // What is drawn must survive a JavaScript number.
        let seed = self.rng.bits() >> 12;
        let mut settings = settings.clone();
        settings.adapt(&self.level_games(), &|_| None, seed)?;
        let setup = settings.resolve(&|_| None, seed)?;
        self.free_a_place(now)?;
        let (game, id) = (Game::new(setup)?, self.fresh_id());
        let dates = Dates { created: now.wall, updated: now.wall };
        self.live.insert(id.clone(), LiveGame::new(game, dates));
        self.store(&id)?;
        Ok(id)
    }

    /// The visitor's games against our levels, the oldest first.
    fn level_games(&self) -> Vec<LevelGame> {
        let mut latest: Vec<_> = self.listed(false).into_iter().take(ADAPTING).collect();
        latest.reverse();
        let played = |(_, game): &(&String, &KeptGame)| {
            game.setup.level_game(game.ending()?, game.moves.len())
        };
        latest.iter().filter_map(played).collect()
    }

    /// Makes room for another game: the oldest that is over goes into the bin; refused where none is.
    fn free_a_place(&mut self, now: Now) -> Result<(), ApiError> {
        let listed = self.listed(false);
        if listed.len() < KEPT {
            return Ok(());
        }
        let over = listed.iter().filter(|(_, game)| game.reason.is_some());
        match over.min_by_key(|(_, game)| game.updated).map(|(id, _)| (*id).clone()) {
            Some(id) => self.delete_game(&id, now),
            None => {
                let message = format!("{KEPT} games are under way: end or delete one first");
                Err(ApiError::new(ErrorCode::TooMany, message))
            }
        }
    }

    /// A game that was kept changed: here at the start, or in another window.
    pub(crate) fn load_game(&mut self, id: &str, value: Option<&str>, now: Now) {
        let Some(kept) = value.and_then(|text| serde_json::from_str::<KeptGame>(text).ok()) else {
            self.games.remove(id);
            self.live.remove(id);
            return;
        };
        let newer = self.live.get(id).is_some_and(|live| kept.revision > live.game.revision());
        if let (true, Ok(mut game)) = (newer, kept.restored()) {
            game.attend(now.at);
            self.live.insert(id.to_owned(), LiveGame::new(game, kept.dates()));
            if let Ok(view) = self.view(id, now) {
                self.send(view);
            }
        }
        self.games.insert(id.to_owned(), kept);
    }

    /// Puts a game on the board, if it is not there yet.
    pub(crate) fn open(&mut self, id: &str) -> Result<&mut LiveGame, ApiError> {
        if !self.live.contains_key(id) {
            let kept = self.games.get(id).filter(|game| game.deleted.is_none());
            let kept = kept.ok_or_else(|| missing(id))?;
            let live = LiveGame::new(kept.restored()?, kept.dates());
            self.live.insert(id.to_owned(), live);
        }
        self.live.get_mut(id).ok_or_else(|| missing(id))
    }

    /// Opens a game for somebody who looks at it: its clock runs.
    pub(crate) fn attend(&mut self, id: &str, now: Now) -> Result<GameView, ApiError> {
        self.open(id)?.game.attend(now.at);
        self.view(id, now)
    }

    /// Nobody looks at it any more.
    pub(crate) fn leave(&mut self, id: &str, now: Now) -> Result<(), ApiError> {
        if let Some(live) = self.live.get_mut(id) {
            live.game.leave(now.at);
            self.store(id)?;
            self.live.remove(id);
        }
        Ok(())
    }

    /// As the page sees it.
    pub(crate) fn view(&mut self, id: &str, now: Now) -> Result<GameView, ApiError> {
        let thinks = self.searches.thinks_about(id);
        let live = self.open(id)?;
        let thinking = match (live.held.is_some() || thinks, live.game.engine_to_move()) {
            (true, true) => Some(Thinking::Running),
            (false, true) => Some(Thinking::Queued),
            (_, false) => None,
        };
        let viewer = Viewer { who: live.game.setup().you, thinking, presence: None };
        Ok(live.game.view(id, live.dates, now.at, viewer))
    }

    /// The visitor changes a game; it is kept, and the page is answered with the value returned.
    pub(crate) fn change(
        &mut self,
        id: &str,
        now: Now,
        act: impl FnOnce(&mut Game, VisitorSide) -> Result<(), ApiError>,
    ) -> Result<GameView, ApiError> {
        let live = self.open(id)?;
        live.game.attend(now.at);
        let who = live.game.setup().you;
        act(&mut live.game, who)?;
        (live.held, live.thought, live.failures) = (None, None, 0);
        self.changed(id, now)?;
        // The engine is asked before the page is told, so that it sees who is thinking.
        self.schedule(now);
        self.view(id, now)
    }

    /// A game has changed.
    pub(crate) fn changed(&mut self, id: &str, now: Now) -> Result<(), ApiError> {
        if let Some(live) = self.live.get_mut(id) {
            live.dates.updated = now.wall;
            live.thought = None;
        }
        self.store(id)
    }

    /// Changed by the engine or a clock: the page hears of it by itself.
    pub(crate) fn changed_by_itself(&mut self, id: &str, now: Now) {
        let stored = self.changed(id, now);
        match stored.and_then(|()| self.view(id, now)) {
            Ok(view) => self.send(view),
            Err(error) => self.send(error),
        }
    }

    fn store(&mut self, id: &str) -> Result<(), ApiError> {
        let Some(live) = self.live.get(id) else { return Ok(()) };
        let kept = KeptGame::of(&live.game, live.dates);
        self.keep(format!("{GAME}{id}"), &kept)?;
        self.games.insert(id.to_owned(), kept);
        Ok(())
    }

    /// Looks at the clocks, and plays moves that have been held back long enough.
    pub(crate) fn look_at_clocks(&mut self, now: Now) {
        let mut changed = Vec::new();
        for (id, live) in &mut self.live {
            if live.game.flag(now.at) {
                live.held = None;
                changed.push(id.clone());
            }
            if let Some(held) = live.held.take_if(|held| held.due <= now.at) {
                let waited = now.at.saturating_sub(held.since);
                if live.game.answer(held.m, held.spent + waited, now.at).is_err() {
                    live.game.engine_fails(now.at);
                }
                changed.push(id.clone());
            }
        }
        for id in changed {
            self.changed_by_itself(&id, now);
        }
    }

    /// Puts a game into the bin, and empties that of what has lain there long.
    pub(crate) fn delete_game(&mut self, id: &str, now: Now) -> Result<(), ApiError> {
        let old = |game: &KeptGame| game.deleted.is_some_and(|at| at < now.wall - BIN);
        let gone: Vec<String> =
            self.games.iter().filter(|(_, game)| old(game)).map(|(id, _)| id.clone()).collect();
        for id in gone {
            self.games.remove(&id);
            self.effect(Effect::Forget { key: format!("{GAME}{id}") });
        }
        self.set_deleted(id, Some(now.wall))
    }

    /// Takes a game out of the bin.
    pub(crate) fn restore_game(&mut self, id: &str) -> Result<(), ApiError> {
        self.set_deleted(id, None)
    }

    fn set_deleted(&mut self, id: &str, deleted: Option<i64>) -> Result<(), ApiError> {
        self.live.remove(id);
        let known = self.games.get_mut(id);
        let game = known.filter(|game| game.deleted.is_some() != deleted.is_some());
        let game = game.ok_or_else(|| missing(id))?;
        game.deleted = deleted;
        let kept = game.clone();
        self.keep(format!("{GAME}{id}"), &kept)
    }

    /// Finished games by opening.
    pub(crate) fn own_openings(&self) -> OwnOpenings {
        let mut openings = OwnOpenings::default();
        for (id, kept) in self.listed(false) {
            let (Some(ending), Ok(game)) = (kept.ending(), kept.restored()) else { continue };
            if let Some(opening) = opening::of(game.position()) {
                openings.add(id, opening, kept.setup.you, ending);
            }
        }
        openings.sorted()
    }

    /// The record of a game.
    pub(crate) fn record(&mut self, id: &str) -> Result<kifu::Record, ApiError> {
        let kept = self.games.get(id).filter(|game| game.deleted.is_none());
        board::tree::of_game(&kept.ok_or_else(|| missing(id))?.restored()?)
    }
}
