//! How a player is set up, and how its process is started.

use crate::traffic::TrafficLog;
use os::process::Running;
use play::GameRules;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use think::quote;

/// How to start a program.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProgramCommand {
    pub program: String,
    /// Its arguments, one each.
    pub args: Vec<String>,
    /// The folder it runs in.
    pub dir: Option<String>,
    /// Environment variables beside those it inherits.
    pub env: Vec<(String, String)>,
}

/// Why a command line names no program.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CommandLineError {
    /// A quotation mark is not closed, or a backslash ends the line.
    #[error("unbalanced quotation marks in {}", quote(.0))]
    Quotes(String),
    /// There is nothing in it.
    #[error("an empty command line")]
    Empty,
}

impl ProgramCommand {
    /// The program that runs, to be started once more. Where the system can tell, it is this very
    /// program even if its file has been replaced since, as by a new build.
    pub fn of_this_process() -> Option<Self> {
        let program = os::process::this_program().ok()?.to_str()?.to_owned();
        Some(Self { program, ..Self::default() })
    }

    /// Splits a command line the way a POSIX shell does; nothing in it is expanded.
    pub fn from_command_line(text: &str) -> Result<Self, CommandLineError> {
        let words = shlex::split(text).ok_or_else(|| CommandLineError::Quotes(text.to_owned()))?;
        let mut words = words.into_iter();
        let program = words.next().filter(|word| !word.is_empty());
        let program = program.ok_or(CommandLineError::Empty)?;
        Ok(Self { program, args: words.collect(), ..Self::default() })
    }

    /// The file to start. A relative path is meant from here, not from the folder it runs in.
    pub fn executable(&self) -> PathBuf {
        let path = Path::new(&self.program);
        let names_a_file = path.components().count() > 1 && path.is_relative();
        match std::path::absolute(path) {
            Ok(absolute) if names_a_file && absolute.exists() => absolute,
            _ => path.to_owned(),
        }
    }

    /// Starts it: all three streams are pipes, and it ends together with what it starts.
    pub fn start(&self) -> io::Result<Running> {
        let mut start = Command::new(self.executable());
        start.args(&self.args).envs(self.env.iter().map(|(k, v)| (k, v)));
        if let Some(folder) = &self.dir {
            start.current_dir(folder);
        }
        start.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Running::start(&mut start)
    }
}

/// Whether a program is told of increments by `binc` and `winc`. Some programs end at words they do
/// not know: one that dies of its first increment is told them as byoyomi from then on. Clones are
/// one and the same, so that a program started again is not asked to die again.
#[derive(Clone, Debug)]
pub struct Increments(Arc<AtomicBool>);

impl Increments {
    /// Told by name until it dies of it, or never.
    pub fn new(by_name: bool) -> Self {
        Self(Arc::new(AtomicBool::new(by_name)))
    }

    /// Whether they are told by name now.
    pub fn by_name(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    pub(crate) fn give_up(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// How a player is set up.
#[derive(Clone, Debug)]
pub struct PlayerSettings {
    /// Options it is given, in order. One it refuses is a fault.
    pub options: Vec<(String, String)>,
    /// Options it is given before those, each only if it declares it.
    pub optional: Vec<(String, String)>,
    /// The rules of its games, told by the options it declares for them; what it is given above
    /// counts more.
    pub rules: Option<GameRules>,
    /// Whether it thinks on the opponent's time ([`crate::Player::ponder`]).
    pub ponder: bool,
    /// How long it may take to answer `usi` and `isready`.
    pub startup: Duration,
    /// How long past its limit, or after the question if there is none, before it counts as hung.
    pub stall: Option<Duration>,
    /// How long it may take to end when asked to.
    pub farewell: Duration,
    /// Processors it may run on; empty to leave that to the system.
    pub cpus: Vec<usize>,
    /// `None`: always by name.
    pub increments: Option<Increments>,
    /// Where a program's conversation is written down.
    pub log: Option<Arc<TrafficLog>>,
}

impl Default for PlayerSettings {
    fn default() -> Self {
        Self {
            options: Vec::new(),
            optional: Vec::new(),
            rules: None,
            ponder: false,
            startup: Duration::from_secs(60),
            stall: None,
            farewell: Duration::from_secs(2),
            cpus: Vec::new(),
            increments: None,
            log: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_lines_are_split_as_a_shell_does() {
        let split = |text| ProgramCommand::from_command_line(text);
        let command = split("/opt/my\\ engine/run --net 'a b.bin' -x").unwrap();
        assert_eq!(command.program, "/opt/my engine/run");
        assert_eq!(command.args, ["--net", "a b.bin", "-x"]);
        assert_eq!(split("  "), Err(CommandLineError::Empty));
        assert_eq!(split("''"), Err(CommandLineError::Empty));
        let open = split("run 'x").unwrap_err();
        assert_eq!(open.to_string(), "unbalanced quotation marks in \"run 'x\"");
    }
}
