//! The ways to a child: inside this process, a program here or over ssh, a socket, the broker of a fleet.
//!
//! A link takes lines without ever waiting and tells what happens as [`Event`]s. Dropped, it ends
//! what it leads to. Engines inside and programs are spoken with as everywhere else ([`engines::lines`]).

mod broker;
pub(crate) mod socket;

use crate::config::ChildConfig;
use crate::event::{Event, Incarnation};
use engines::lines::{LineEvent, LineLink, LineSink, start_inside, start_program};
use engines::{EngineFactory, ProgramCommand};
use rules::Game;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use think::TimeSource;

/// Where events go. It may hold up whoever calls it, so that a child that floods is not read.
pub(crate) type Sink = Arc<dyn Fn(Event) + Send + Sync>;

/// The events of one incarnation of a child.
pub(crate) fn events_of(incarnation: Incarnation, sink: &Sink) -> LineSink {
    let sink = Arc::clone(sink);
    Arc::new(move |event| {
        sink(match event {
            LineEvent::Started => Event::Started(incarnation),
            LineEvent::Line(line) => Event::Line(incarnation, line),
            LineEvent::Ended(why) => Event::Lost(incarnation, why),
        });
    })
}

/// What starting a child needs besides its configuration.
#[derive(Clone)]
pub(crate) struct ChildEnvironment {
    /// Where paths of the configuration are meant from.
    pub(crate) folder: std::path::PathBuf,
    pub(crate) factory: Arc<EngineFactory>,
    pub(crate) time: Arc<dyn TimeSource>,
}

/// Starts a child, or reaches it; that it runs is told through the sink.
pub(crate) fn start(
    config: &ChildConfig,
    game: Game,
    incarnation: Incarnation,
    around: &ChildEnvironment,
    sink: &Sink,
) -> io::Result<Box<dyn LineLink>> {
    let sink = &events_of(incarnation, sink);
    if let Some(url) = &config.nats {
        let options = broker_options(config, url, around);
        let engine = config.engine.as_deref().unwrap_or_default();
        return Ok(Box::new(broker::connect(&options, engine, sink)?));
    }
    if let Some(address) = &config.tcp {
        let from = |path: &Path| around.folder.join(path);
        let token = config.token_file.as_deref().map(from);
        let remote = socket::Remote {
            address: address.clone(),
            token: read_token(&token.unwrap_or_default())?,
            ca: config.ca.as_deref().map(from),
        };
        return Ok(Box::new(socket::connect(remote, sink)?));
    }
    match &config.program {
        Some(_) => start_program(&command(config)?, sink),
        None => start_inside(game, &around.factory, &around.time, sink),
    }
}

/// The broker of a child, and how to log in to it.
fn broker_options(
    config: &ChildConfig,
    url: &str,
    around: &ChildEnvironment,
) -> jetstream::Options {
    let usual = jetstream::Options::new(url);
    jetstream::Options {
        prefix: config.prefix.clone().unwrap_or(usual.prefix),
        nkey: config.nkey.as_ref().map(|path| around.folder.join(path)),
        ca: config.ca.as_ref().map(|path| around.folder.join(path)),
        // Connections of one master differ by the child they are for.
        name: format!("cluster-{}", config.name),
        patience: Duration::ZERO,
        ..usual
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
    args.extend(config.ssh_args.iter().cloned());
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
            ssh_args: vec!["-p".to_owned(), "2222".to_owned()],
            ..ChildConfig::default()
        };
        let there = command(&config).unwrap();
        assert_eq!(there.program, "ssh");
        assert_eq!(there.args[0], "-T");
        assert!(there.args.contains(&"BatchMode=yes".to_owned()));
        let last = &there.args[there.args.len() - 4..];
        assert_eq!(last, ["-p", "2222", "me@gpu", r"cd '/opt/it'\''s' && exec nue --game shogi"]);
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
