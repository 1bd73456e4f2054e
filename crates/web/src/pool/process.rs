//! An engine the owner registered: a process that speaks USI. It is judged by what it sends and never
//! trusted: it may crash, hang, lie or flood, and costs its visitor one question by that.

use super::handle::{EngineFailure, EngineHandle, Stop};
use board::question::Question;
use rules::AnyPosition;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;
use think::{Answer, Clocks, Info, Moment, TimeSource, quote};
use usi::option::{VARIANTS, choosing};
use usi::{BestMove, Go, Reply, SetPosition, Times};

/// How an engine is started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registered {
    /// The page's name for it.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// The folder it runs in.
    pub dir: Option<PathBuf>,
    /// Environment variables beside those it inherits.
    pub env: Vec<(String, String)>,
    /// USI options.
    pub options: Vec<(String, String)>,
    /// Games it plays.
    pub plays: Vec<rules::Game>,
}

/// Longest line that is read.
const LONGEST_LINE: u64 = 64 << 10;

/// How long an engine may take to introduce itself and to load.
const STARTUP: Duration = Duration::from_secs(30);

/// How long an engine may go on after it was told to stop, or past its time.
const STALL: Duration = Duration::from_secs(5);

/// How long it may take to end when asked to.
const FAREWELL: Duration = Duration::from_secs(1);

enum Heard {
    Line(String),
    Closed,
    Stop,
}

struct Process {
    child: Child,
    input: Option<ChildStdin>,
    heard: Receiver<Heard>,
    wake: SyncSender<Heard>,
    declared: Vec<String>,
    game: rules::Game,
    threads: usize,
    lines: u32,
}

/// The engine; its process is started when it is first asked.
pub(super) struct UsiProcess {
    registered: Registered,
    time: Arc<dyn TimeSource>,
    mib: usize,
    process: Option<Process>,
}

impl UsiProcess {
    pub(super) const fn new(registered: Registered, time: Arc<dyn TimeSource>, mib: usize) -> Self {
        Self { registered, time, mib, process: None }
    }

    fn start(&mut self, game: rules::Game) -> Result<Process, EngineFailure> {
        let mut process = self.spawn(game)?;
        process.introduce(&self.registered, self.mib, self.time.now() + STARTUP, &*self.time)?;
        Ok(process)
    }

    fn spawn(&mut self, game: rules::Game) -> Result<Process, EngineFailure> {
        let cannot = |e: std::io::Error| {
            EngineFailure(format!("{} cannot be started: {e}", quote(&self.registered.name)))
        };
        let mut command = Command::new(&self.registered.program);
        command.args(&self.registered.args);
        command.envs(self.registered.env.iter().map(|(name, value)| (name, value)));
        if let Some(dir) = &self.registered.dir {
            command.current_dir(dir);
        }
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        #[cfg(unix)]
        // An interrupt typed at the terminal is for us, who then end the engine.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn().map_err(cannot)?;
        let (wake, heard) = sync_channel(1024);
        if let Some(output) = child.stdout.take() {
            let to = wake.clone();
            thread::Builder::new()
                .name("ear".to_owned())
                .stack_size(256 << 10)
                .spawn(move || listen(output, &to))
                .map_err(cannot)?;
        }
        let input = child.stdin.take();
        let declared = Vec::new();
        Ok(Process { child, input, heard, wake, declared, game, threads: 0, lines: 0 })
    }
}

/// Starts an engine, asks what it is, and ends it: the games it plays.
pub fn probe(
    registered: &Registered,
    time: &Arc<dyn TimeSource>,
) -> Result<Vec<rules::Game>, EngineFailure> {
    let mut process = UsiProcess::new(registered.clone(), Arc::clone(time), 1);
    let mut process = process.spawn(rules::Game::Shogi)?;
    let options = process.usi(time.now() + STARTUP, &**time)?;
    let both = options.iter().any(|option| {
        let variant = VARIANTS.iter().any(|name| option.is_called(name));
        let words = match &option.kind {
            think::OptionKind::Combo { choices, .. } => choices.as_slice(),
            _ => &[],
        };
        variant && words.iter().any(|word| word.eq_ignore_ascii_case(rules::Game::Minishogi.name()))
    });
    Ok(if both { rules::Game::ALL.to_vec() } else { vec![rules::Game::Shogi] })
}

fn listen(output: impl Read, to: &SyncSender<Heard>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        match output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => break,
            Ok(_) => {
                let text = String::from_utf8_lossy(&line).trim().to_owned();
                if to.send(Heard::Line(text)).is_err() {
                    return;
                }
            }
        }
    }
    let _ = to.send(Heard::Closed);
}

impl Process {
    fn send(&mut self, text: &str) -> Result<(), EngineFailure> {
        let sent =
            self.input.as_mut().map(|i| i.write_all(text.as_bytes()).and_then(|()| i.flush()));
        match sent {
            Some(Ok(())) => Ok(()),
            _ => Err(self.gone()),
        }
    }

    fn gone(&mut self) -> EngineFailure {
        // Its exit status is known a moment after its pipes are closed.
        for _ in 0..20 {
            if let Ok(Some(status)) = self.child.try_wait() {
                return EngineFailure(format!("the engine ended ({status})"));
            }
            thread::sleep(Duration::from_millis(5));
        }
        EngineFailure("the engine closed its output".to_owned())
    }

    /// The next reply until the deadline.
    fn reply(&mut self, deadline: Moment, time: &dyn TimeSource) -> Result<Reply, EngineFailure> {
        loop {
            let left = deadline.saturating_sub(time.now());
            match self.heard.recv_timeout(left) {
                Ok(Heard::Line(line)) => {
                    if let Ok(reply) = Reply::parse(&line) {
                        return Ok(reply);
                    }
                }
                Ok(Heard::Stop) => {}
                Ok(Heard::Closed) | Err(RecvTimeoutError::Disconnected) => return Err(self.gone()),
                Err(RecvTimeoutError::Timeout) => {
                    return Err(EngineFailure("the engine does not answer".to_owned()));
                }
            }
        }
    }

    /// The options it declares.
    fn usi(
        &mut self,
        deadline: Moment,
        time: &dyn TimeSource,
    ) -> Result<Vec<think::OptionSpec>, EngineFailure> {
        self.send("usi\n")?;
        let mut options = Vec::new();
        loop {
            match self.reply(deadline, time)? {
                Reply::Option(option) if options.len() < 1000 => options.push(option),
                Reply::UsiOk => return Ok(options),
                _ => {}
            }
        }
    }

    fn introduce(
        &mut self,
        registered: &Registered,
        mib: usize,
        deadline: Moment,
        time: &dyn TimeSource,
    ) -> Result<(), EngineFailure> {
        self.declared = self.usi(deadline, time)?.into_iter().map(|option| option.name).collect();
        let mut text = String::new();
        let mut set = |name: &str, value: String| {
            let command = usi::Command::SetOption { name: name.to_owned(), value: Some(value) };
            text += &format!("{command}\n");
        };
        if self.declares("USI_Hash") {
            set("USI_Hash", mib.to_string());
        }
        if let Some((name, value)) = choosing(self.game, |name| self.declares(name)) {
            set(&name, value);
        }
        for (name, value) in &registered.options {
            set(name, value.clone());
        }
        self.send(&(text + "isready\n"))?;
        while self.reply(deadline, time)? != Reply::ReadyOk {}
        self.send("usinewgame\n")
    }

    fn declares(&self, name: &str) -> bool {
        self.declared.iter().any(|d| d.eq_ignore_ascii_case(name))
    }

    /// Sets what changes from question to question.
    fn adjust(&mut self, threads: usize, lines: u32) -> Result<(), EngineFailure> {
        let mut text = String::new();
        if self.threads != threads && self.declares("Threads") {
            text += &format!("setoption name Threads value {threads}\n");
        }
        if self.lines != lines && self.declares("MultiPV") {
            text += &format!("setoption name MultiPV value {lines}\n");
        }
        (self.threads, self.lines) = (threads, lines);
        if text.is_empty() { Ok(()) } else { self.send(&text) }
    }

    fn search(
        &mut self,
        question: &Question,
        time: &dyn TimeSource,
        stop: &Stop,
        hear: &mut (dyn FnMut(&Info) + Send),
    ) -> Result<Answer, EngineFailure> {
        while let Ok(old) = self.heard.try_recv() {
            if matches!(old, Heard::Closed) {
                return Err(self.gone());
            }
        }
        let position = SetPosition::of(&question.position);
        self.send(&format!("position {position}\ngo{}\n", go(question)))?;
        let wake = self.wake.clone();
        // A full channel is about to be read anyway; the flag is looked at with every line.
        stop.on(move || drop(wake.try_send(Heard::Stop)));
        let bounded = question.time.or(question.clocks.map(|c| c.byoyomi + c.time[0] + c.time[1]));
        let mut deadline = bounded.map(|t| time.now() + t + STALL);
        let mut stopped = false;
        loop {
            if stop.is_fired() && !stopped {
                stopped = true;
                deadline = Some(time.now() + STALL);
                self.send("stop\n")?;
            }
            let left = deadline.map(|d| d.saturating_sub(time.now()));
            let patience = left.unwrap_or(STALL).min(Duration::from_millis(500));
            match self.heard.recv_timeout(patience) {
                Ok(Heard::Line(line)) => match Reply::parse(&line) {
                    Ok(Reply::Info(info)) => hear(&info.thought(&question.position)),
                    Ok(Reply::BestMove(best)) => return answer(&best, &question.position),
                    _ => {}
                },
                Ok(Heard::Stop) => {}
                Ok(Heard::Closed) | Err(RecvTimeoutError::Disconnected) => return Err(self.gone()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if deadline.is_some_and(|d| time.now() >= d) {
                return Err(EngineFailure(
                    "the engine does not answer, not even to stop".to_owned(),
                ));
            }
        }
    }
}

fn go(question: &Question) -> Go {
    let mut go = Go { nodes: question.nodes, depth: question.depth, ..Go::default() };
    if let Some(clocks) = question.clocks {
        go.times = Times::of(&clocks);
    } else if let Some(time) = question.time {
        // Understood by every engine, which "movetime" is not.
        go.times = Times::of(&Clocks { byoyomi: time, ..Clocks::default() });
    } else {
        go.infinite = question.nodes.is_none() && question.depth.is_none();
    }
    go
}

fn answer(best: &BestMove, position: &AnyPosition) -> Result<Answer, EngineFailure> {
    match best {
        BestMove::Resign => Ok(Answer::Resign),
        BestMove::Win => Ok(Answer::Win),
        BestMove::Move { best, .. } => position
            .parse_usi(best)
            .map(Answer::Move)
            .map_err(|why| EngineFailure(format!("the engine answered {}: {why}", quote(best)))),
    }
}

impl EngineHandle for UsiProcess {
    fn ask(
        &mut self,
        question: &Question,
        threads: usize,
        stop: &Stop,
        hear: &mut (dyn FnMut(&Info) + Send),
    ) -> Result<Answer, EngineFailure> {
        let game = question.position.game();
        let mut process = match self.process.take() {
            Some(process) if process.game == game => process,
            _ => self.start(game)?,
        };
        let searched = process
            .adjust(threads, question.lines)
            .and_then(|()| process.search(question, &*self.time, stop, hear));
        // One that broke down is ended here and started anew for the next question.
        if searched.is_ok() {
            self.process = Some(process);
        }
        searched
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.send_quietly("quit\n");
        self.input = None;
        let step = Duration::from_millis(10);
        let mut waited = Duration::ZERO;
        while waited < FAREWELL {
            // Whatever it still says is read, lest it blocks on a full pipe.
            while self.heard.try_recv().is_ok() {}
            if self.child.try_wait().is_ok_and(|status| status.is_some()) {
                return;
            }
            thread::sleep(step);
            waited += step;
        }
        #[cfg(unix)]
        if let Some(group) =
            i32::try_from(self.child.id()).ok().and_then(rustix::process::Pid::from_raw)
        {
            // Fails only if nobody is left in it.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    fn send_quietly(&mut self, text: &str) -> std::io::Result<()> {
        self.input
            .as_mut()
            .map_or(Ok(()), |i| i.write_all(text.as_bytes()).and_then(|()| i.flush()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_in_the_words_of_usi() {
        let mut position = AnyPosition::startpos(rules::Game::Shogi);
        position.play(position.parse_usi("7g7f").unwrap());
        let mut question = Question::new(position);
        assert_eq!(go(&question).to_string(), " infinite");
        question.time = Some(Duration::from_millis(300));
        assert_eq!(go(&question).to_string(), " btime 0 wtime 0 byoyomi 300");
        question.clocks = Some(Clocks {
            time: [Duration::from_secs(1); 2],
            increment: [Duration::from_secs(2); 2],
            byoyomi: Duration::ZERO,
        });
        assert_eq!(go(&question).to_string(), " btime 1000 wtime 1000 binc 2000 winc 2000");
    }

    #[test]
    fn answers_are_judged() {
        let position = AnyPosition::startpos(rules::Game::Shogi);
        let best = |text: &str| BestMove::Move { best: text.to_owned(), ponder: None };
        assert!(matches!(answer(&best("7g7f"), &position), Ok(Answer::Move(_))));
        assert!(answer(&best("7g7e"), &position).is_err());
        assert_eq!(answer(&BestMove::Resign, &position), Ok(Answer::Resign));
    }
}
