//! The contract of queues, kept over a real broker.

use fixtures::nats::NatsServer;
use fleet::conformance::{Harness, TESTS};
use fleet::{Queue, Settings};
use jetstream::{Host, Options, join};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

struct Real {
    server: NatsServer,
    fleets: AtomicU32,
    hosts: Mutex<Vec<Host>>,
    /// Whether queues are spoken to through the broker, or where they are.
    joined: bool,
}

impl Harness for Real {
    fn queue(&self, settings: Settings) -> Arc<dyn Queue> {
        let number = self.fleets.fetch_add(1, Ordering::Relaxed);
        let prefix = format!("fleet-{number}");
        let options =
            Options { prefix, max_event_bytes: 8 << 20, ..Options::new(self.server.url()) };
        let host = Host::start(&options, settings).unwrap();
        if !self.joined {
            return Arc::new(host);
        }
        let queue = Arc::new(join(&options).unwrap());
        self.hosts.lock().unwrap().push(host);
        queue
    }

    fn settings(&self) -> Settings {
        let (lease, retry) = (Duration::from_secs(2), Duration::from_secs(1));
        Settings { lease, retry, ..Settings::default() }
    }

    fn pass(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

/// All tests at the same time: they wait more than they work.
fn keeps_the_contract(joined: bool) {
    let Some(server) = NatsServer::start() else { return };
    let (fleets, hosts) = (AtomicU32::new(0), Mutex::default());
    let real = &Real { server, fleets, hosts, joined };
    std::thread::scope(|scope| {
        for &(name, test) in TESTS {
            let named = std::thread::Builder::new().name(name.to_owned());
            named.spawn_scoped(scope, move || test(real)).unwrap();
        }
    });
}

#[test]
fn the_host_keeps_the_contract() {
    keeps_the_contract(false);
}

#[test]
fn a_joined_queue_keeps_the_contract() {
    keeps_the_contract(true);
}
