//! The ways to a child: inside this process, a program here or over ssh, a socket.
//!
//! A link takes lines without ever waiting and tells what happens as [`Event`]s. Dropped, it ends
//! what it leads to.

mod inside;
mod program;
pub(crate) mod socket;

pub(crate) use inside::start_inside;
pub(crate) use program::start_program;

use crate::config::ChildConfig;
use crate::event::{Event, Life};
use engines::{EngineFactory, ProgramCommand};
use rules::Game;
use std::io;
use std::path::Path;
use std::sync::Arc;
use think::TimeSource;

/// Where events go. It may hold up whoever calls it, so that a child that floods is not read.
pub(crate) type Sink = Arc<dyn Fn(Event) + Send + Sync>;

/// Lines that may wait to be taken by a child.
pub(crate) const WAITING: usize = 4096;

/// The way to a child.
pub(crate) trait Link: Send {
    /// Says a line; `false` if the child takes no more.
    fn send(&mut self, line: &str) -> bool;

    /// Whether the child has ended.
    fn is_gone(&mut self) -> bool;
}

/// What starting a child needs besides its configuration.
#[derive(Clone)]
pub(crate) struct Surroundings {
    /// Where paths of the configuration are meant from.
    pub(crate) folder: std::path::PathBuf,
    pub(crate) factory: Arc<EngineFactory>,
    pub(crate) time: Arc<dyn TimeSource>,
}

/// Starts a child, or reaches it; that it runs is told through the sink.
pub(crate) fn start(
    config: &ChildConfig,
    game: Game,
    life: Life,
    around: &Surroundings,
    sink: &Sink,
) -> io::Result<Box<dyn Link>> {
    if let Some(address) = &config.tcp {
        let from = |path: &Path| around.folder.join(path);
        let token = config.token_file.as_deref().map(from);
        let remote = socket::Remote {
            address: address.clone(),
            token: read_token(&token.unwrap_or_default())?,
            ca: config.ca.as_deref().map(from),
        };
        return Ok(Box::new(socket::connect(remote, life, sink)?));
    }
    match &config.program {
        Some(_) => Ok(Box::new(start_program(&command(config)?, life, sink)?)),
        None => Ok(Box::new(start_inside(game, life, around, sink)?)),
    }
}

/// The command that starts a program, here or by ssh.
fn command(config: &ChildConfig) -> io::Result<ProgramCommand> {
    let text = config.program.as_deref().unwrap_or_default();
    let Some(host) = &config.ssh else {
        let command = ProgramCommand::from_command_line(text).map_err(io::Error::other)?;
        return Ok(ProgramCommand { dir: config.dir.clone(), ..command });
    };
    // Nobody is there to be asked for a password, and a cut line is to be noticed.
    let options =
        ["BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=5", "ServerAliveCountMax=3"];
    let mut args = vec!["-T".to_owned()];
    args.extend(options.iter().flat_map(|option| ["-o".to_owned(), (*option).to_owned()]));
    args.push(host.clone());
    args.push(match &config.dir {
        Some(dir) => format!("cd '{}' && exec {text}", dir.replace('\'', r"'\''")),
        None => format!("exec {text}"),
    });
    Ok(ProgramCommand { program: "ssh".to_owned(), args, ..ProgramCommand::default() })
}

/// The token in a file: its first line.
pub(crate) fn read_token(path: &Path) -> io::Result<String> {
    let named = |error: &dyn std::fmt::Display| {
        io::Error::other(format!("token file {}: {error}", path.display()))
    };
    let text = std::fs::read_to_string(path).map_err(|error| named(&error))?;
    let token = text.lines().next().unwrap_or_default().trim();
    let fits = (8..=200).contains(&token.len()) && token.bytes().all(|b| b.is_ascii_graphic());
    if fits {
        Ok(token.to_owned())
    } else {
        Err(named(&"the first line is to be a token of 8 to 200 letters without spaces"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ssh_starts_the_program_there() {
        let config = ChildConfig {
            ssh: Some("me@gpu".to_owned()),
            program: Some("nue --game shogi".to_owned()),
            dir: Some("/opt/it's".to_owned()),
            ..ChildConfig::default()
        };
        let there = command(&config).unwrap();
        assert_eq!(there.program, "ssh");
        assert_eq!(there.args[0], "-T");
        assert!(there.args.contains(&"BatchMode=yes".to_owned()));
        let last = &there.args[there.args.len() - 2..];
        assert_eq!(last, ["me@gpu", r"cd '/opt/it'\''s' && exec nue --game shogi"]);
        let here = command(&ChildConfig { ssh: None, ..config }).unwrap();
        assert_eq!((here.program.as_str(), here.args.len()), ("nue", 2));
        assert_eq!(here.dir.as_deref(), Some("/opt/it's"));
    }

    #[test]
    fn tokens_are_the_first_line_of_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        for (text, fits) in [
            ("secret-token\n", true),
            ("  secret-token  \nmore", true),
            ("short", false),
            ("two words here", false),
            ("", false),
        ] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(read_token(&path).is_ok(), fits, "{text:?}");
        }
        let error = read_token(&folder.path().join("none")).unwrap_err().to_string();
        assert!(error.contains("none"), "{error}");
    }
}
