//! A browser without its page: what the workers do, on one thread and with a clock that is told the time.

use offline::task::{EngineMessage, EngineRequest};
use offline::{Board, Effect, EngineHost, Facts, Now, Request, Response};
use rules::Game;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use think::{ManualTime, TimeSource, WallTime};

/// A board with its engine, and everything the page was told.
pub(crate) struct Browser {
    board: Board,
    engine: EngineHost,
    time: Arc<ManualTime>,
    /// What the engine is at.
    asked: Option<EngineRequest>,
    /// What was told and not yet looked at.
    pub(crate) told: Vec<Value>,
    /// What the browser keeps.
    pub(crate) kept: BTreeMap<String, String>,
    /// How often the engine was told to stop.
    pub(crate) stops: usize,
}

const WALL: i64 = 1_700_000_000_000;

impl Browser {
    pub(crate) fn new(kept: BTreeMap<String, String>) -> Self {
        let facts = Facts {
            version: "test".to_owned(),
            evaluation: ["a net".to_owned(), "another".to_owned()],
            scales: [600.0, 500.0],
            hash: 1,
        };
        // The engine's own clock runs: some of what it is asked ends by time alone.
        let mut engine = EngineHost::new(Arc::new(WallTime::start()), 1);
        for game in Game::ALL {
            assert_eq!(engine.load(assembly::shipped_file(game)).unwrap(), game);
        }
        let (board, time) = (Board::new(facts, 7), Arc::new(ManualTime::new()));
        let (asked, told, stops) = (None, Vec::new(), 0);
        let mut browser = Self { board, engine, time, asked, told, kept, stops };
        for (key, value) in browser.kept.clone() {
            let now = browser.now();
            let effects = browser.board.load(&key, Some(&value), now);
            browser.perform(effects);
        }
        browser
    }

    fn now(&self) -> Now {
        let at = self.time.now();
        Now { at, wall: WALL + i64::try_from(at.as_millis()).unwrap() }
    }

    fn perform(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Send(answer) => self.told.push(json!(answer)),
                Effect::Pass(value) => self.told.push(value),
                Effect::Keep { key, value } => drop(self.kept.insert(key, value)),
                Effect::Forget { key } => drop(self.kept.remove(&key)),
                Effect::Ask(asked) => {
                    assert!(self.asked.is_none(), "one question at a time");
                    self.asked = Some(asked);
                }
                Effect::Stop => {
                    self.stops += 1;
                    assert!(self.asked.take().is_some(), "there is something to stop");
                }
            }
        }
    }

    /// The page sends a message; the answer with its number, if it came at once.
    pub(crate) fn send(&mut self, mut message: Value) -> Option<Value> {
        message["id"] = json!(99);
        let now = self.now();
        let effects = self.board.receive(&message.to_string(), now);
        self.perform(effects);
        let at = self.told.iter().position(|told| told["id"] == json!(99))?;
        Some(self.told.remove(at))
    }

    pub(crate) fn request(&mut self, method: &str, path: &str, body: &[u8]) -> Response {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let request = Request {
            method: method.to_owned(),
            path: path.split('/').map(str::to_owned).collect(),
            query: query.to_owned(),
            body: body.to_vec(),
        };
        let now = self.now();
        let (response, effects) = self.board.request(&request, now);
        self.perform(effects);
        response
    }

    /// A request with a body and an answer in JSON.
    pub(crate) fn json(&mut self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let body = if body.is_null() { Vec::new() } else { body.to_string().into_bytes() };
        let response = self.request(method, path, &body);
        (response.status, serde_json::from_slice(&response.body).unwrap_or_default())
    }

    /// The engine answers what it was asked, and everything that follows from it.
    pub(crate) fn think(&mut self) {
        while let Some(asked) = self.asked.take() {
            // Through text and back, as between two workers.
            let asked: EngineRequest = serde_json::from_str(&json!(asked).to_string()).unwrap();
            let mut messages: Vec<EngineMessage> = Vec::new();
            self.engine.run(&asked, &mut |one| messages.push(one.clone()));
            for one in messages {
                let one: EngineMessage = serde_json::from_str(&json!(one).to_string()).unwrap();
                let now = self.now();
                let effects = self.board.heard(one, now);
                self.perform(effects);
            }
            self.pass(Duration::ZERO);
        }
    }

    /// The engine's last word on its question, in words of a test.
    pub(crate) fn hear(&mut self, message: Value) {
        self.asked = None;
        self.hear_without_end(message);
    }

    /// A word of the engine's before its last.
    pub(crate) fn hear_without_end(&mut self, message: Value) {
        let message: EngineMessage = serde_json::from_value(message).unwrap();
        let now = self.now();
        let effects = self.board.heard(message, now);
        self.perform(effects);
    }

    /// Time passes.
    pub(crate) fn pass(&mut self, time: Duration) {
        self.time.advance(time);
        let now = self.now();
        let effects = self.board.tick(now);
        self.perform(effects);
    }

    /// Another window has kept something.
    pub(crate) fn load(&mut self, key: &str, value: Option<&str>) {
        let now = self.now();
        let effects = self.board.load(key, value, now);
        self.perform(effects);
    }

    /// The question the engine is at.
    pub(crate) fn question(&self) -> Option<&EngineRequest> {
        self.asked.as_ref()
    }

    /// The last message of a type; earlier ones are forgotten.
    pub(crate) fn last(&mut self, kind: &str) -> Option<Value> {
        let found = self.told.iter().rev().find(|told| told["type"] == kind).cloned();
        self.told.retain(|told| told["type"] != kind);
        found
    }
}
