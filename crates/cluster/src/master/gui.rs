//! What the interface says.

use super::Master;
use crate::child::State;
use crate::config::Role;
use crate::event::Action;
use engines::GameLine;
use rules::{AnyPosition, Game};
use std::sync::Arc;
use std::time::Duration;
use think::key::universal::{PONDER, is_always_sent};
use think::usual::ENTERING_KING_RULE;
use think::{OptionKey, OptionSpec, quote};
use usi::option::{chooses_game, variant};
use usi::{Checkmate, Command, GameResult, Go, ParseError, Reply, Times};

/// What of every move is kept back, in milliseconds.
const MARGIN: OptionKey<u64> = OptionKey::spin(
    "Margin",
    200,
    0,
    60_000,
    "Milliseconds of every move kept back for the way to the interface.",
);

impl Master {
    pub(super) fn gui(&mut self, line: &str) {
        match Command::parse(line) {
            Ok(Command::Usi) => self.introduce(),
            // What is not loaded yet joins when it is.
            Ok(Command::IsReady) => self.up(&Reply::ReadyOk),
            Ok(Command::SetOption { name, value }) => {
                self.set_option(&name, &value.unwrap_or_default());
            }
            Ok(Command::UsiNewGame) => self.new_game(),
            Ok(Command::Position(position)) => match position.resolve(self.game) {
                Ok(position) => self.line = Arc::new(GameLine::new(position)),
                Err(error) => self.note(&format!("position not changed: {error}")),
            },
            Ok(Command::Go(go)) => self.go(&go),
            Ok(Command::Stop) => self.stop_search(),
            Ok(Command::PonderHit(times)) => self.ponderhit(&times),
            Ok(Command::GameOver(result)) => self.game_over(result),
            Ok(Command::Quit) => self.quit(),
            Ok(Command::Show | Command::Eval | Command::Moves | Command::Bench(_)) => {
                self.note("a cluster has no such command: ask one of its engines");
            }
            Err(ParseError::Empty) => {}
            Err(error) => self.note(&error.to_string()),
        }
    }

    fn introduce(&mut self) {
        self.up(&Reply::IdName(self.config.name.clone()));
        self.up(&Reply::IdAuthor(self.author.clone()));
        let margin = u64::try_from(self.margin.as_millis()).unwrap_or(u64::MAX);
        let own = [
            variant(self.game),
            PONDER.spec(),
            ENTERING_KING_RULE.spec(),
            OptionSpec { default: margin.to_string(), ..MARGIN.spec() },
        ];
        for spec in own {
            self.up(&Reply::Option(spec));
        }
        let mut declared = Vec::new();
        for child in &self.children {
            for spec in &child.options {
                // What the cluster itself sets is not the interface's to set.
                if chooses_game(&spec.name) || PONDER.is_called(&spec.name) {
                    continue;
                }
                let name = format!("{}_{}", child.config.name, spec.name);
                let configured = child.config.options.iter().find(|(n, _)| spec.is_called(n));
                let default = configured.map_or(spec.default.clone(), |(_, v)| v.to_string());
                declared.push(OptionSpec { name, default, ..spec.clone() });
            }
        }
        for spec in declared {
            self.up(&Reply::Option(spec));
        }
        self.up(&Reply::UsiOk);
    }

    fn set_option(&mut self, name: &str, value: &str) {
        if chooses_game(name) {
            return match value.parse::<Game>() {
                Ok(game) => self.set_game(game),
                Err(error) => self.note(&error.to_string()),
            };
        }
        if PONDER.is_called(name) {
            self.ponders = value.eq_ignore_ascii_case("true");
            return;
        }
        if MARGIN.is_called(name) {
            return match value.parse::<u64>().ok().filter(|&ms| ms <= 60_000) {
                Some(ms) => self.margin = Duration::from_millis(ms),
                None => self.note(&format!("Margin is 0 to 60000, not {}", quote(value))),
            };
        }
        if ENTERING_KING_RULE.is_called(name) {
            match value.parse() {
                Ok(rule) => self.declaration = rule,
                Err(_) => return self.note(&format!("{name}: no rule is called {}", quote(value))),
            }
            for index in 0..self.children.len() {
                self.set_child_option(index, name, value);
            }
            return;
        }
        let child = self.children.iter().position(|child| {
            let prefix = &child.config.name;
            name.len() > prefix.len() + 1
                && name.get(..prefix.len()).is_some_and(|p| p.eq_ignore_ascii_case(prefix))
                && name.as_bytes().get(prefix.len()) == Some(&b'_')
        });
        match child {
            Some(index) => {
                let option = name[self.children[index].config.name.len() + 1..].to_owned();
                self.set_child_option(index, &option, value);
            }
            None if is_always_sent(name) => {}
            None => {
                let named = quote(name);
                self.note(&format!(
                    "no option is called {named}: those of a child begin with its name"
                ));
            }
        }
    }

    fn set_child_option(&mut self, index: usize, name: &str, value: &str) {
        let child = &mut self.children[index];
        child.set.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        child.set.push((name.to_owned(), value.to_owned()));
        if child.is_ready() && child.declares(name) {
            let value = if value.is_empty() { "<empty>" } else { value };
            self.say_when_idle(index, format!("setoption name {name} value {value}"));
        }
    }

    fn set_game(&mut self, game: Game) {
        if self.search.is_some() {
            return self.note("the game cannot be changed while thinking: send stop first");
        }
        self.line = Arc::new(GameLine::new(AnyPosition::startpos(game)));
        if game == self.game {
            return;
        }
        self.game = game;
        self.end_foresight();
        // Engines choose their game when they start.
        for index in 0..self.children.len() {
            let incarnation = self.children[index].incarnation;
            if !matches!(self.children[index].state, State::Down { .. }) {
                self.actions.push(Action::End(incarnation));
            }
            self.children[index].fail(self.now);
            self.children[index].forgive(self.now);
            self.children[index].state = State::Down { until: self.now };
        }
    }

    fn new_game(&mut self) {
        if self.search.take().is_some() {
            self.note("the search under way is dropped, without bestmove");
        }
        self.end_foresight();
        (self.times, self.win_rate, self.last_group) = (None, None, 0);
        self.games += 1;
        for index in 0..self.children.len() {
            self.children[index].forgive(self.now);
            self.release(index);
            if self.children[index].is_ready() {
                self.say_when_idle(index, Command::UsiNewGame.to_string());
            }
        }
    }

    fn game_over(&mut self, result: Option<GameResult>) {
        self.end_foresight();
        self.stop_search();
        for index in 0..self.children.len() {
            if self.children[index].is_ready() {
                self.say_when_idle(index, Command::GameOver(result).to_string());
            }
        }
    }

    pub(super) fn quit(&mut self) {
        // Whoever waits for a move gets it.
        self.decide_now();
        self.foresight = None;
        for child in &self.children {
            if !matches!(child.state, State::Down { .. } | State::Out) {
                self.actions.push(Action::Send(child.incarnation, Command::Quit.to_string()));
            }
        }
        self.actions.push(Action::Quit);
    }

    fn go(&mut self, go: &Go) {
        if go.perft.is_some() {
            return self.note("a cluster cannot run perft; send it to one of its engines");
        }
        if let Err(error) = go.limits(self.line.position(), self.now) {
            return self.note(&format!("not thinking: {error}"));
        }
        if self.search.take().is_some() {
            self.note("the search under way is dropped, without bestmove");
        }
        if go.mate.is_some() && self.with_role(Role::Mate).is_empty() {
            return self.up(&Reply::Checkmate(Checkmate::NotImplemented));
        }
        self.begin_search(go);
    }

    fn ponderhit(&mut self, times: &Times) {
        if !self.hit_of_interface(times) {
            self.note("ponderhit without go ponder: ignored");
        }
    }
}
