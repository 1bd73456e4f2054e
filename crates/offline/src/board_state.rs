//! Everything the page's visitor has, and what is to be done about it.

use crate::games::{Games, LiveGame};
use crate::searches::Searches;
use crate::task::{EngineMessage, EngineRequest};
use board::error::ApiError;
use board::hello::{EngineFacts, EvaluationNames, Hello, LimitFacts, Scales, Watchable};
use board::message::{ANALYSES, Answer, LINES, ServerMessage};
use board::study::KeptStudy;
use board::tsume::Solver;
use seed::Rng;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use think::Moment;

/// Games and studies that are kept, each.
pub(crate) const KEPT: usize = 1000;

/// Largest body of a request.
const BYTES: u32 = 2 << 20;

/// When something happens.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Now {
    /// By a clock that never goes back.
    pub at: Moment,
    /// Milliseconds since 1970.
    pub wall: i64,
}

/// What is to be done outside, in this order.
#[derive(Clone, PartialEq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Effect {
    /// The page is told.
    Send(Box<Answer>),
    /// The page is told something the engine has put into words.
    Pass(serde_json::Value),
    /// Kept by the browser, in place of what was kept under the key.
    Keep { key: String, value: String },
    /// Nothing is kept under the key any more.
    Forget { key: String },
    /// The engine is asked; it has nothing else to do.
    Ask(EngineRequest),
    /// The engine is to end what it does; nothing it still says counts.
    Stop,
}

/// What a site is made of, as whoever made it wrote it down.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Facts {
    pub version: String,
    /// What the engine evaluates each game with.
    pub evaluation: [String; 2],
    /// Scales of its win rates, for each game.
    pub scales: [f64; 2],
    /// MiB of the engine's table.
    pub hash: u32,
}

impl Facts {
    pub(crate) fn scales(&self) -> Scales {
        Scales { shogi: self.scales[0], minishogi: self.scales[1] }
    }
}

/// The board of one visitor.
pub struct Board {
    pub(crate) facts: Facts,
    pub(crate) rng: Rng,
    pub(crate) games: Games,
    pub(crate) live: BTreeMap<String, LiveGame>,
    pub(crate) studies: BTreeMap<String, KeptStudy>,
    pub(crate) solver: Solver,
    pub(crate) searches: Searches,
    effects: Vec<Effect>,
}

impl Board {
    /// A board on which nothing has happened yet. `seed` is what chance does.
    pub fn new(facts: Facts, seed: u64) -> Self {
        Self {
            facts,
            rng: Rng::new(seed),
            games: Games::default(),
            live: BTreeMap::new(),
            studies: BTreeMap::new(),
            solver: Solver::default(),
            searches: Searches::default(),
            effects: Vec::new(),
        }
    }

    /// Something was kept earlier, or by another window just now; `None` where it was deleted. What this
    /// program cannot have written is left out.
    pub fn load(&mut self, key: &str, value: Option<&str>, now: Now) -> Vec<Effect> {
        if let Some(id) = key.strip_prefix(GAME) {
            self.load_game(id, value, now);
        } else if let Some(id) = key.strip_prefix(STUDY) {
            match value.and_then(|text| serde_json::from_str(text).ok()) {
                Some(kept) => drop(self.studies.insert(id.to_owned(), kept)),
                None => drop(self.studies.remove(id)),
            }
        } else if key == SOLVER {
            self.solver =
                value.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
        }
        self.settled(now)
    }

    /// The page sends a message.
    pub fn receive(&mut self, text: &str, now: Now) -> Vec<Effect> {
        self.message(text, now);
        self.settled(now)
    }

    /// The engine says something.
    pub fn heard(&mut self, message: EngineMessage, now: Now) -> Vec<Effect> {
        self.hear(message, now);
        self.settled(now)
    }

    /// Time has passed: clocks are looked at, and the page is told what is new. Ten times a second is enough.
    pub fn tick(&mut self, now: Now) -> Vec<Effect> {
        self.look_at_clocks(now);
        self.tell_news();
        self.settled(now)
    }

    /// What is to be done, with the engine at what is most urgent.
    pub(crate) fn settled(&mut self, now: Now) -> Vec<Effect> {
        self.schedule(now);
        std::mem::take(&mut self.effects)
    }

    pub(crate) fn send(&mut self, message: impl Into<ServerMessage>) {
        self.reply(None, message);
    }

    pub(crate) fn reply(&mut self, id: Option<u64>, message: impl Into<ServerMessage>) {
        self.effect(Effect::Send(Box::new(Answer::new(id, message.into()))));
    }

    pub(crate) fn effect(&mut self, effect: Effect) {
        self.effects.push(effect);
    }

    pub(crate) fn keep(&mut self, key: String, value: &impl Serialize) -> Result<(), ApiError> {
        let text = serde_json::to_string(value);
        let value = text.map_err(|e| {
            ApiError::new(board::error::ErrorCode::Internal, format!("cannot be kept: {e}"))
        })?;
        self.effect(Effect::Keep { key, value });
        Ok(())
    }

    /// A name nothing else has.
    pub(crate) fn fresh_id(&mut self) -> String {
        const LETTERS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let mut bits = self.rng.bits();
        let mut letter = || {
            let letter = LETTERS[(bits & 63) as usize];
            bits >>= 6;
            char::from(letter)
        };
        (0..10).map(|_| letter()).collect()
    }

    /// What the page is told first.
    pub(crate) fn hello(&self) -> Hello {
        let [shogi, minishogi] = self.facts.evaluation.clone();
        let own = EngineFacts {
            id: "nue".to_owned(),
            name: "Nue".to_owned(),
            own: true,
            variants: rules::Game::ALL.map(Into::into).to_vec(),
            scale: self.facts.scales(),
            evaluation: Some(EvaluationNames { shogi, minishogi }),
        };
        let limits = LimitFacts {
            threads: 1,
            hash_mib: self.facts.hash,
            multipv: LINES,
            games: KEPT as u32,
            studies: KEPT as u32,
            bytes: BYTES,
            analyses: ANALYSES as u32,
        };
        let watch =
            Watchable { server: false, matches: false, learn: false, fleet: false, cluster: false };
        Hello::new(self.facts.version.clone(), vec![own], limits, watch)
    }
}

/// What keys of games begin with.
pub(crate) const GAME: &str = "game:";
/// What keys of studies begin with.
pub(crate) const STUDY: &str = "study:";
/// The key of progress with mate problems.
pub(crate) const SOLVER: &str = "solver";
