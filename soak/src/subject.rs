//! A server in a process of its own, to be measured or maltreated.

use crate::Failure;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// What is started as the server.
pub(super) struct Program {
    /// An executable `nue`; this program itself if none is named.
    pub(super) nue: Option<PathBuf>,
}

/// The process.
pub(super) struct Subject {
    child: Child,
    pub(super) port: u16,
}

impl Drop for Subject {
    fn drop(&mut self) {
        // It has ended if it cannot be ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Subject {
    /// Starts a server on the data in a folder, at a port (0 for any), with these settings.
    pub(super) fn start(
        program: &Program,
        folder: &Path,
        port: u16,
        settings: &str,
    ) -> Result<Self, Failure> {
        let config = folder.join("server.toml");
        std::fs::write(&config, format!("listen = \"127.0.0.1:{port}\"\n{settings}"))?;
        let program = match &program.nue {
            Some(nue) => nue.clone(),
            None => std::env::current_exe()?,
        };
        let mut child = Command::new(program)
            .args(["server", "--config"])
            .arg(&config)
            .stdout(Stdio::piped())
            .spawn()?;
        let mut line = String::new();
        if let Some(out) = child.stdout.take() {
            BufReader::new(out).read_line(&mut line)?;
        }
        let port = line.trim().rsplit(':').next().and_then(|port| port.parse().ok());
        let port = port.ok_or_else(|| Failure::Failed("the server did not start".to_owned()))?;
        Ok(Self { child, port })
    }

    /// Ends it as a crash would.
    pub(super) fn kill(mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Asks it to end, and waits until it has; whether it ended well.
    #[cfg(unix)]
    pub(super) fn terminate(mut self) -> bool {
        let asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        asked.is_ok_and(|status| status.success())
            && self.child.wait().is_ok_and(|status| status.success())
    }

    /// Where processes cannot be asked, they are ended.
    #[cfg(not(unix))]
    pub(super) fn terminate(self) -> bool {
        self.kill();
        true
    }

    /// Memory in use, in KiB, where the system tells.
    pub(super) fn memory(&self) -> Option<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
        line.split_ascii_whitespace().nth(1)?.parse().ok()
    }
}
