//! One conversation: what every command does, also at the wrong time.

use super::errand::Errand;
use super::ready::{INTERVAL, keep_alive};
use super::talk::{Progress, Talk};
use crate::assemble::{self, VARIANT, VARIANT_ALIAS};
use crate::input::{LONGEST_LINE, Line};
use crate::options;
use crate::output::Output;
use rules::{AnyPosition, Color, DEEPEST_PERFT, Game};
use std::sync::Arc;
use think::{Control, Engine, Moment, OptionError, PonderHit, TimeSource, quote};
use usi::{Command, Go, ParseError, Reply, SetPosition, Times};

/// Whether the conversation goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    Listen,
    End,
}

/// The state of a conversation.
pub(crate) struct Session {
    game: Game,
    time: Arc<dyn TimeSource>,
    output: Output,
    engine: Box<dyn Engine>,
    /// The position of the next `go`.
    position: AnyPosition,
    /// The latest search, as long as its answer is due.
    search: Option<(Control, Progress)>,
    errand: Option<Errand>,
    /// Every option that was set, for the engine of the other game.
    chosen: Vec<(String, String)>,
    /// Options set while thinking, for when it is over.
    deferred: Vec<(String, String)>,
}

impl Session {
    pub(crate) fn new(game: Game, time: Arc<dyn TimeSource>, output: Output) -> Self {
        Self {
            game,
            engine: assemble::engine(game, Arc::clone(&time)),
            time,
            output,
            position: AnyPosition::startpos(game),
            search: None,
            errand: None,
            chosen: Vec::new(),
            deferred: Vec::new(),
        }
    }

    /// Takes one line of input.
    pub(crate) fn hear(&mut self, line: &Line, at: Moment) -> Next {
        let text = match line {
            Line::Text(text) => text,
            Line::TooLong(bytes) => {
                let limit = format!("a line of {bytes} bytes is longer than {LONGEST_LINE}");
                self.output.note(&format!("{limit}: ignored"));
                return Next::Listen;
            }
            Line::NotText(text) => {
                self.output.note(&format!("a line is not UTF-8: ignored {}", quote(text)));
                return Next::Listen;
            }
        };
        match Command::parse(text) {
            Ok(Command::Quit) => return Next::End,
            Ok(command) => self.obey(command, at),
            // An empty line is how some servers and tools keep a connection alive.
            Err(ParseError::Empty) => {}
            Err(error) => self.output.note(&error.to_string()),
        }
        Next::Listen
    }

    /// The end: a search under way is stopped and its answer printed.
    pub(crate) fn end(mut self) {
        if let Some((control, _)) = &self.search {
            control.quit();
        }
        if let Some(errand) = self.errand.take() {
            errand.cancel();
            errand.wait();
        }
        self.engine.wait();
    }

    fn obey(&mut self, command: Command, at: Moment) {
        match command {
            Command::Usi => self.introduce(),
            Command::IsReady => self.prepare(),
            Command::SetOption { name, value } => {
                self.set_option(&name, &value.unwrap_or_default());
            }
            Command::UsiNewGame => {
                self.settle();
                self.engine.new_game();
            }
            Command::Position(position) => self.set_position(&position),
            Command::Go(go) => self.go(&go, at),
            Command::Stop | Command::GameOver(_) => self.stop(),
            Command::PonderHit(times) => self.ponderhit(&times, at),
            Command::Show => self.output.text(&kifu::diagram(&self.position)),
            Command::Eval => self.show_value(),
            Command::Moves => self.output.text(&kifu::move_list(&self.position)),
            Command::Bench(depth) => {
                self.settle();
                let errand = Errand::bench(self.game, depth, self.output.clone());
                self.set_off(errand);
            }
            Command::Quit => {}
        }
    }

    /// Whether an answer is due. A search that has been told to stop is waited for: it is about
    /// to answer.
    fn is_thinking(&mut self) -> bool {
        match &self.search {
            Some((control, progress)) if !progress.is_answered() => {
                if !control.is_stopped() {
                    return true;
                }
            }
            Some(_) => {}
            None => return false,
        }
        self.engine.wait();
        self.search = None;
        for (name, value) in std::mem::take(&mut self.deferred) {
            self.set_now(&name, &value);
        }
        false
    }

    /// Ends whatever is under way. The answer of a search is dropped: nobody waits for it.
    fn settle(&mut self) {
        if self.is_thinking()
            && let Some((control, progress)) = &self.search
        {
            progress.drop_answer();
            control.stop();
            self.output.note("the search under way is dropped, without bestmove");
            self.is_thinking();
        }
        if let Some(errand) = self.errand.take() {
            errand.cancel();
            errand.wait();
        }
    }

    fn introduce(&self) {
        let name = concat!("Nue ", env!("CARGO_PKG_VERSION"));
        self.output.say(&Reply::IdName(name.to_owned()));
        self.output.say(&Reply::IdAuthor(env!("CARGO_PKG_AUTHORS").to_owned()));
        for spec in options::of(self.game, &*self.engine) {
            self.output.say(&Reply::Option(spec));
        }
        self.output.say(&Reply::UsiOk);
    }

    fn prepare(&mut self) {
        if !self.is_thinking() {
            let (engine, output) = (&mut self.engine, &self.output);
            keep_alive(output, INTERVAL, || engine.is_ready(&mut |text| output.note(text)));
        }
        self.output.say(&Reply::ReadyOk);
    }

    fn set_position(&mut self, position: &SetPosition) {
        match position.resolve(self.game) {
            Ok(position) => self.position = position,
            Err(error) => self.output.note(&format!("position not changed: {error}")),
        }
    }

    fn set_option(&mut self, name: &str, value: &str) {
        if [VARIANT, VARIANT_ALIAS].iter().any(|v| v.eq_ignore_ascii_case(name)) {
            return self.set_game(value);
        }
        if !self.is_thinking() {
            return self.set_now(name, value);
        }
        // What is wrong is said at once; what is right waits for the end of the search.
        let unknown = || OptionError::Unknown { name: name.to_owned() };
        let specs = self.engine.options();
        let spec = specs.iter().find(|s| s.is_called(name)).ok_or_else(unknown);
        match spec.and_then(|s| s.parse(value)) {
            Ok(_) => self.deferred.push((name.to_owned(), value.to_owned())),
            Err(error) => self.complain(&error),
        }
    }

    fn set_now(&mut self, name: &str, value: &str) {
        match self.engine.set_option(name, value) {
            Ok(()) => {
                self.chosen.retain(|(earlier, _)| !earlier.eq_ignore_ascii_case(name));
                self.chosen.push((name.to_owned(), value.to_owned()));
            }
            Err(error) => self.complain(&error),
        }
    }

    fn complain(&self, error: &OptionError) {
        // Interfaces send these to every engine, declared or not.
        let always_sent = |name: &str| {
            ["USI_Hash", "USI_Ponder"].iter().any(|sent| sent.eq_ignore_ascii_case(name))
        };
        match error {
            OptionError::Unknown { name } if always_sent(name) => {}
            _ => self.output.note(&error.to_string()),
        }
    }

    fn set_game(&mut self, value: &str) {
        if self.is_thinking() {
            self.output.note("the game cannot be changed while thinking: send stop first");
            return;
        }
        let game: Game = match value.parse() {
            Ok(game) => game,
            Err(error) => return self.output.note(&error.to_string()),
        };
        self.position = AnyPosition::startpos(game);
        if game != self.game {
            self.game = game;
            self.engine = assemble::engine(game, Arc::clone(&self.time));
            for (name, value) in self.chosen.clone() {
                self.set_now(&name, &value);
            }
        }
    }

    fn go(&mut self, go: &Go, at: Moment) {
        if let Some(depth) = go.perft {
            return self.perft(depth);
        }
        let limits = match go.limits(&self.position, at) {
            Ok(limits) => limits,
            Err(error) => return self.output.note(&format!("not thinking: {error}")),
        };
        if !go.unknown.is_empty() {
            self.output.note(&format!("go: passing over {}", quote(&go.unknown.join(" "))));
        }
        self.settle();
        if let Err(error) = self.engine.set_position(self.position.clone()) {
            return self.output.note(&format!("not thinking: {error}"));
        }
        let progress = Progress::default();
        let talk = Talk::new(self.output.clone(), self.game, progress.clone());
        self.engine.go(limits, Box::new(talk));
        self.search = Some((self.engine.control(), progress));
    }

    fn perft(&mut self, depth: u32) {
        match u8::try_from(depth).ok().filter(|&depth| depth <= DEEPEST_PERFT) {
            Some(depth) => {
                self.settle();
                let errand = Errand::perft(self.position.clone(), depth, self.output.clone());
                self.set_off(errand);
            }
            None => self
                .output
                .note(&format!("perft of {depth} plies has no end: at most {DEEPEST_PERFT}")),
        }
    }

    fn set_off(&mut self, errand: std::io::Result<Errand>) {
        match errand {
            Ok(errand) => self.errand = Some(errand),
            Err(error) => self.output.note(&format!("no thread to be had: {error}")),
        }
    }

    /// Nothing under way is no mistake: the answer and the command crossed.
    fn stop(&mut self) {
        if let Some((control, _)) = &self.search {
            control.stop();
        }
        if let Some(errand) = self.errand.as_ref().filter(|errand| errand.is_running()) {
            errand.cancel();
        }
    }

    fn ponderhit(&mut self, times: &Times, at: Moment) {
        let hit = PonderHit { at, clocks: times.clocks() };
        let pondering = self.is_thinking()
            && self.search.as_ref().is_some_and(|(control, _)| control.ponderhit(hit));
        if !pondering {
            self.output.note("ponderhit without go ponder: ignored");
        }
    }

    fn show_value(&mut self) {
        let kings = Color::BOTH.iter().all(|&color| self.position.king(color).is_some());
        let position = self.position.clone();
        let value = (kings && self.engine.set_position(position).is_ok())
            .then(|| self.engine.static_value());
        self.output.text(&match value.flatten() {
            Some(value) => format!("static value for the side to move: {value} cp"),
            None => "no static value here".to_owned(),
        });
    }
}
