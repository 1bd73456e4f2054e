//! How a server is told to stop.

/// Hears when somebody interrupts the program or asks it to terminate.
pub struct Termination {
    #[cfg(unix)]
    signals: Option<[tokio::signal::unix::Signal; 2]>,
}

impl Termination {
    /// Hears from now on, before anybody waits: a request that comes while the server is still
    /// starting is kept. To be called inside a runtime.
    #[must_use]
    pub fn listen() -> Self {
        #[cfg(unix)]
        {
            use tokio::signal::unix::{SignalKind, signal};
            let signals = (signal(SignalKind::terminate()), signal(SignalKind::interrupt()));
            let (Ok(terminate), Ok(interrupt)) = signals else { return Self { signals: None } };
            Self { signals: Some([terminate, interrupt]) }
        }
        #[cfg(not(unix))]
        Self {}
    }

    /// Returns at the next request; never, where the system has no way to say so.
    pub async fn requested(&mut self) {
        #[cfg(unix)]
        if let Some([terminate, interrupt]) = &mut self.signals {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            return;
        }
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::Termination;
    use std::process::Command;
    use std::time::Duration;

    #[tokio::test]
    async fn a_request_before_anybody_waits_is_kept() {
        let mut termination = Termination::listen();
        let id = std::process::id().to_string();
        let sent = Command::new("kill").args(["-TERM", &id]).status().unwrap();
        assert!(sent.success());
        tokio::time::timeout(Duration::from_secs(60), termination.requested()).await.unwrap();
    }
}
