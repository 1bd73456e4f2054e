//! How a server is told to stop.

use std::sync::Arc;
use tokio::sync::Notify;

/// Hears when somebody interrupts the program or asks it to terminate.
pub struct Termination {
    /// Told of every request; `None` where none can be heard.
    requests: Option<Arc<Notify>>,
}

impl Termination {
    /// Hears from now on, before anybody waits: a request that comes while the server is still
    /// starting is kept.
    #[must_use]
    pub fn listen() -> Self {
        let requests = Arc::new(Notify::new());
        let told = Arc::clone(&requests);
        let heard = os::signals::on_termination(move || told.notify_one());
        Self { requests: heard.is_ok().then_some(requests) }
    }

    /// Returns at the next request; never, where the system has no way to say so.
    pub async fn requested(&mut self) {
        match &self.requests {
            Some(requests) => requests.notified().await,
            None => std::future::pending().await,
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
