//! What happens to a client: the network, the engine, the user.

use crate::connection::ConnectionEvent;
use engines::PlayerEvent;
use engines::background::EventSink;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) enum Event {
    Connection(u32, ConnectionEvent),
    Engine(PlayerEvent),
    Interrupt,
    /// A typed line; `None` at the end of input.
    Typed(Option<String>),
}

/// The events of one client.
pub struct Events {
    sender: Sender<Event>,
    receiver: Receiver<Event>,
}

/// The user's way to a running client, from any thread.
#[derive(Clone, Debug)]
pub struct UserInput(Sender<Event>);

impl std::fmt::Debug for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Event")
    }
}

impl Default for Events {
    fn default() -> Self {
        let (sender, receiver) = channel();
        Self { sender, receiver }
    }
}

impl Events {
    /// For whoever passes on what the user does.
    pub fn user_input(&self) -> UserInput {
        UserInput(self.sender.clone())
    }

    pub(crate) fn sender(&self) -> Sender<Event> {
        self.sender.clone()
    }

    pub(crate) fn engine_sink(&self) -> EventSink {
        let sender = Mutex::new(self.sender.clone());
        Arc::new(move |event| {
            if let Ok(sender) = sender.lock() {
                // The client has ended: nobody listens.
                let _ = sender.send(Event::Engine(event));
            }
        })
    }

    pub(crate) fn receive(&self, wait: Duration) -> Result<Event, RecvTimeoutError> {
        self.receiver.recv_timeout(wait)
    }
}

impl UserInput {
    /// The user wants to leave: after the game if one runs, at once the second time.
    pub fn interrupt(&self) {
        // The client has ended: nobody listens.
        let _ = self.0.send(Event::Interrupt);
    }

    /// The user typed a line (`None`: the end of input); whether the client still listens.
    pub fn typed(&self, line: Option<String>) -> bool {
        self.0.send(Event::Typed(line)).is_ok()
    }
}
