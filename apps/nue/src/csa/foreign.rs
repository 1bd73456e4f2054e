//! A USI engine in a process of its own.
//!
//! Every `go` is answered by exactly one `bestmove`, and nothing is asked before that has come: a
//! new question waits until the earlier one, told to stop, is answered.

use super::mind::{Insight, Listener, Mind, Question, Thought, Ticket};
use rules::{AnyPosition, Game};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use think::{Answer, Clocks, quote};
use usi::option::choosing;
use usi::{BestMove, Reply, SetPosition};

/// Longest line of an engine that is read.
const LONGEST_LINE: u64 = 64 << 10;

/// How long an engine may take to end when asked to, in peace and when another takes its place.
const FAREWELL: Duration = Duration::from_secs(2);
const SHORT_FAREWELL: Duration = Duration::from_millis(200);

/// What is started.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) program: String,
    pub(super) args: Vec<String>,
    /// It knows `binc` and `winc`, as far as anybody knows.
    pub(super) increments: bool,
}

/// The engine.
pub(super) struct Foreign {
    program: Program,
    options: Vec<(String, String)>,
    listener: Listener,
    process: Option<Process>,
    /// Threads that see earlier processes off.
    farewells: Vec<thread::JoinHandle<()>>,
}

struct Process {
    child: Child,
    desk: Arc<Desk>,
}

/// What the reading thread and the rest share.
struct Desk {
    state: Mutex<State>,
    listener: Listener,
}

struct State {
    input: Option<ChildStdin>,
    /// Declared options.
    declared: Vec<String>,
    /// The question being thought about, and where it begins.
    running: Option<(Ticket, AnyPosition)>,
    /// The question to ask when the running one is answered.
    waiting: Option<Question>,
    /// Given up: what it still says is of no interest.
    closed: bool,
    game: Game,
    options: Vec<(String, String)>,
    /// Whether it is told of increments by their name.
    increments: bool,
    told_increments: bool,
    /// It has answered what it was told in these words.
    understood: bool,
    /// Its output has come to an end.
    ended: bool,
}

impl Foreign {
    pub(super) fn new(
        program: Program,
        options: Vec<(String, String)>,
        listener: Listener,
    ) -> Self {
        Self { program, options, listener, process: None, farewells: Vec::new() }
    }

    fn start(&mut self, game: Game) -> Result<(), String> {
        let mut command = Command::new(&self.program.program);
        command
            .args(&self.program.args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        #[cfg(unix)]
        // An interrupt typed at the terminal is for us, who then end the engine.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let cannot = |error: std::io::Error| {
            format!("{} cannot be started: {error}", quote(&self.program.program))
        };
        let mut child = command.spawn().map_err(cannot)?;
        let output = child.stdout.take().ok_or("the engine has no output")?;
        let state = State {
            input: child.stdin.take(),
            declared: Vec::new(),
            running: None,
            waiting: None,
            closed: false,
            game,
            options: self.options.clone(),
            increments: self.program.increments,
            told_increments: false,
            understood: false,
            ended: false,
        };
        let desk =
            Arc::new(Desk { state: Mutex::new(state), listener: Arc::clone(&self.listener) });
        let reading = Arc::clone(&desk);
        thread::Builder::new()
            .name("engine".to_owned())
            .spawn(move || reading.listen(output))
            .map_err(cannot)?;
        desk.send("usi\n");
        self.process = Some(Process { child, desk });
        Ok(())
    }

    /// Sees the process off aside: the game does not wait for it.
    fn dismiss(&mut self, patience: Duration) {
        let Some(process) = self.process.take() else { return };
        // Some engines end when they hear a word they do not know.
        let state = process.desk.lock();
        let died_of_it = state.ended && state.running.is_some() && !state.understood;
        if self.program.increments && state.told_increments && died_of_it {
            self.program.increments = false;
            let note = "the engine does not know increments: it is told them as byoyomi";
            (self.listener)(Thought::Note(note.to_owned()));
        }
        drop(state);
        let farewell = thread::Builder::new()
            .name("farewell".to_owned())
            .spawn(move || process.farewell(patience));
        // Where no thread can be made the process was ended by being dropped.
        self.farewells.extend(farewell);
        self.farewells.retain(|thread| !thread.is_finished());
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, text: &str) {
        self.lock().send(text);
    }

    /// Reads to the end.
    fn listen(&self, output: impl Read) {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        loop {
            line.clear();
            match output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => break,
                Ok(_) => {
                    let text = String::from_utf8_lossy(&line);
                    if let Some(thought) = self.hear(text.trim()) {
                        (self.listener)(thought);
                    }
                }
            }
        }
        let mut state = self.lock();
        state.ended = true;
        let closed = state.closed;
        drop(state);
        if !closed {
            (self.listener)(Thought::Failed("the engine has ended".to_owned()));
        }
    }

    fn hear(&self, line: &str) -> Option<Thought> {
        let mut state = self.lock();
        if state.closed {
            return None;
        }
        match Reply::parse(line) {
            Ok(Reply::Option(option)) => {
                state.declared.push(option.name.clone());
                None
            }
            Ok(Reply::UsiOk) => {
                let text = state.settings();
                state.send(&text);
                None
            }
            Ok(Reply::ReadyOk) => {
                state.send("usinewgame\n");
                Some(Thought::Ready)
            }
            Ok(Reply::Info(info)) => {
                let (ticket, position) = state.running.as_ref()?;
                if info.multipv.is_some_and(|rank| rank != 1)
                    || (info.score.is_none() && info.pv.is_empty())
                {
                    return None;
                }
                let mut at = position.clone();
                let mut line = Vec::new();
                for text in &info.pv {
                    let Ok(m) = at.parse_usi(text) else { break };
                    at.play(m);
                    line.push(m);
                }
                let score = info.score.map(|(score, _)| score);
                Some(Thought::Insight(*ticket, Insight { score, line }))
            }
            Ok(Reply::BestMove(best)) => {
                let (ticket, position) = state.running.take()?;
                state.understood |= state.told_increments;
                if let Some(next) = state.waiting.take() {
                    // The answer to a question nobody asks any more.
                    state.ask(&next);
                    return None;
                }
                Some(understood(ticket, &position, &best))
            }
            _ => None,
        }
    }
}

/// An answer in the terms of the rules.
fn understood(ticket: Ticket, position: &AnyPosition, best: &BestMove) -> Thought {
    match best {
        BestMove::Resign => Thought::Best(ticket, Answer::Resign, None),
        BestMove::Win => Thought::Best(ticket, Answer::Win, None),
        BestMove::Move { best, ponder } => match position.parse_usi(best) {
            Ok(m) => {
                let mut after = position.clone();
                after.play(m);
                let ponder = ponder.as_ref().and_then(|text| after.parse_usi(text).ok());
                Thought::Best(ticket, Answer::Move(m), ponder)
            }
            Err(why) => Thought::Failed(format!("the engine answered {}: {why}", quote(best))),
        },
    }
}

impl State {
    fn send(&mut self, text: &str) {
        // What is written to an engine that has died is lost; its death is noticed by the reader.
        if let Some(input) = &mut self.input {
            let _ = input.write_all(text.as_bytes()).and_then(|()| input.flush());
        }
    }

    /// Options and the question whether all is loaded.
    fn settings(&self) -> String {
        let mut text = String::new();
        let mut options = self.options.clone();
        let declares = |name: &str| self.declared.iter().any(|d| d.eq_ignore_ascii_case(name));
        if let Some(choice) = choosing(self.game, declares) {
            options.insert(0, choice);
        }
        for (name, value) in options {
            let command = usi::Command::SetOption { name, value: Some(value) };
            text += &format!("{command}\n");
        }
        text + "isready\n"
    }

    fn ask(&mut self, question: &Question) {
        let increments = self.increments;
        self.told_increments |= increments && has_increments(question);
        let position = SetPosition::of(&question.position);
        let text = format!("position {position}\n{}\n", go_line(question, increments));
        self.running = Some((question.ticket, question.position.clone()));
        self.send(&text);
    }
}

fn has_increments(question: &Question) -> bool {
    question.clocks.as_ref().is_some_and(|c| c.increment.iter().any(|i| !i.is_zero()))
}

fn go_line(question: &Question, increments: bool) -> String {
    let mut line = if question.ponder { "go ponder" } else { "go" }.to_owned();
    match &question.clocks {
        Some(clocks) if increments => line += &clock_words(clocks),
        Some(clocks) => {
            // What is added with this move can be used in this move, as byoyomi can.
            let own = clocks.increment[question.position.turn().index()];
            let byoyomi = clocks.byoyomi + own;
            line += &clock_words(&Clocks { increment: [Duration::ZERO; 2], byoyomi, ..*clocks });
        }
        None => line += " btime 0 wtime 0 byoyomi 1000",
    }
    line
}

fn clock_words(clocks: &Clocks) -> String {
    let ms = |time: Duration| time.as_millis();
    let mut words = format!(" btime {} wtime {}", ms(clocks.time[0]), ms(clocks.time[1]));
    if clocks.increment.iter().any(|i| !i.is_zero()) {
        words += &format!(" binc {} winc {}", ms(clocks.increment[0]), ms(clocks.increment[1]));
        // Some engines take byoyomi and increments for exclusive: told only where it is there.
        if clocks.byoyomi.is_zero() {
            return words;
        }
    }
    words + &format!(" byoyomi {}", ms(clocks.byoyomi))
}

impl Mind for Foreign {
    fn prepare(&mut self, game: Game) {
        let running = self.process.as_ref().is_some_and(|p| p.desk.lock().game == game);
        if running {
            if let Some(process) = &self.process {
                process.desk.send("isready\n");
            }
            return;
        }
        self.dismiss(FAREWELL);
        if let Err(error) = self.start(game) {
            (self.listener)(Thought::Failed(error));
        }
    }

    fn think(&mut self, question: Question) {
        let Some(process) = &self.process else {
            (self.listener)(Thought::Failed("the engine is not running".to_owned()));
            return;
        };
        let mut state = process.desk.lock();
        if state.running.is_some() {
            state.waiting = Some(question);
            state.send("stop\n");
        } else {
            state.ask(&question);
        }
    }

    fn ponderhit(&mut self, _: Option<Clocks>) {
        if let Some(process) = &self.process {
            process.desk.send("ponderhit\n");
        }
    }

    fn stop(&mut self) {
        if let Some(process) = &self.process {
            process.desk.send("stop\n");
        }
    }

    fn game_over(&mut self, result: Option<usi::GameResult>) {
        let Some(process) = &self.process else { return };
        let mut state = process.desk.lock();
        state.waiting = None;
        if state.running.is_some() {
            state.send("stop\n");
        }
        state.send(&format!("{}\n", usi::Command::GameOver(result)));
    }

    fn restart(&mut self, game: Game) {
        self.dismiss(SHORT_FAREWELL);
        self.prepare(game);
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        self.dismiss(FAREWELL);
        for farewell in self.farewells.drain(..) {
            // It has done what it could.
            let _ = farewell.join();
        }
    }
}

impl Process {
    /// Asks it to end, and ends it if it does not.
    fn farewell(mut self, patience: Duration) {
        {
            let mut state = self.desk.lock();
            state.closed = true;
            state.send("quit\n");
            state.input = None;
        }
        let deadline = Instant::now() + patience;
        while Instant::now() < deadline {
            if self.child.try_wait().is_ok_and(|status| status.is_some()) {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.desk.lock().closed = true;
        // Fails only if it has ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_in_the_words_of_usi() {
        let mut position = AnyPosition::startpos(Game::Shogi);
        position.play(position.parse_usi("7g7f").unwrap());
        let ms = Duration::from_millis;
        let clocks = |inc, byo| Clocks {
            time: [ms(1000), ms(2000)],
            increment: [ms(inc); 2],
            byoyomi: ms(byo),
        };
        for (clocks, ponder, want) in [
            (Some(clocks(0, 500)), false, "go btime 1000 wtime 2000 byoyomi 500"),
            (Some(clocks(50, 0)), true, "go ponder btime 1000 wtime 2000 binc 50 winc 50"),
            (Some(clocks(50, 500)), false, "go btime 1000 wtime 2000 binc 50 winc 50 byoyomi 500"),
            (None, false, "go btime 0 wtime 0 byoyomi 1000"),
        ] {
            let question = Question { ticket: 1, position: position.clone(), clocks, ponder };
            assert_eq!(go_line(&question, true), want);
        }
        let clocks =
            Clocks { time: [ms(1000), ms(2000)], increment: [ms(50), ms(70)], byoyomi: ms(10) };
        let clocks = Some(clocks);
        let question = Question { ticket: 1, position, clocks, ponder: false };
        let plain = "go btime 1000 wtime 2000 byoyomi 80";
        assert_eq!(go_line(&question, false), plain, "White's increment");
    }

    #[test]
    fn answers_in_the_terms_of_the_rules() {
        let position = AnyPosition::startpos(Game::Shogi);
        let best = |best: &str, ponder: Option<&str>| BestMove::Move {
            best: best.to_owned(),
            ponder: ponder.map(str::to_owned),
        };
        let thought = understood(3, &position, &best("7g7f", Some("3c3d")));
        assert!(matches!(thought, Thought::Best(3, Answer::Move(_), Some(_))));
        let thought = understood(3, &position, &best("7g7f", Some("7g7f")));
        assert!(matches!(thought, Thought::Best(3, Answer::Move(_), None)));
        assert!(matches!(understood(3, &position, &best("7g7e", None)), Thought::Failed(_)));
    }
}
