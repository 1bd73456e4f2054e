//! The contract of queues, kept over HTTPS: every worker with a token of its own, the coordinator beside the queue.

use fleet::conformance::{Harness, TESTS, name};
use fleet::wire::{Answer, Call, Remote, Transport, answer_to};
use fleet::{BlobHash, InProcess, OwnerName, Queue, QueueError, Settings, WorkerId};
use gateway::client::ClientOptions;
use gateway::{Config, Gateway, Https, Identity, Limits, Tokens, connect, tokens};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use think::WallTime;

/// Workers of the suite.
const WORKERS: [&str; 6] = ["a", "b", "c", "d", "new", "bad"];

/// Workers speak over HTTPS, each with its token; the coordinator calls the queue itself.
struct Volunteers {
    queue: Arc<InProcess>,
    workers: HashMap<WorkerId, Remote<Https>>,
    _gateway: Gateway,
    _folder: TempDir,
}

impl Volunteers {
    fn some(&self) -> &Https {
        self.workers[&name("a")].transport()
    }
}

impl Transport for Volunteers {
    fn call(&self, call: &Call) -> Result<Answer, QueueError> {
        match call.worker() {
            Some(worker) => self.workers[worker].transport().call(call),
            None => answer_to(&*self.queue, call.clone()),
        }
    }

    fn put_blob(&self, bytes: &[u8]) -> Result<BlobHash, QueueError> {
        self.some().put_blob(bytes)
    }

    fn blob_length(&self, hash: &BlobHash) -> Result<Option<u64>, QueueError> {
        self.some().blob_length(hash)
    }

    fn get_blob(&self, hash: &BlobHash, range: Range<u64>) -> Result<Vec<u8>, QueueError> {
        self.some().get_blob(hash, range)
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(1)
    }
}

struct OverHttp {
    encrypted: bool,
}

impl Harness for OverHttp {
    fn queue(&self, settings: Settings) -> Arc<dyn Queue> {
        let folder = tempfile::tempdir().unwrap();
        let owner: OwnerName = "me".parse().unwrap();
        let (mut lines, mut given) = (String::new(), HashMap::new());
        for worker in WORKERS {
            let identity = Identity { worker: name(worker), owner: owner.clone() };
            let (token, line) = tokens::issue(&identity).unwrap();
            lines.push_str(&line);
            given.insert(name(worker), token);
        }
        let file = folder.path().join("tokens");
        std::fs::write(&file, lines).unwrap();
        let queue = Arc::new(InProcess::new(settings, Arc::new(WallTime::start())));
        let tls = self.encrypted.then(|| fixtures::certificate(folder.path()).unwrap());
        let ca = tls.as_ref().map(|(certificate, _)| certificate.clone());
        let many = 1e9;
        let limits = Limits {
            requests_per_second: many,
            requests_burst: many,
            upload_burst: 1e6,
            upload_per_second: 1e9,
            ..Limits::default()
        };
        let config = Config { listen: ([127, 0, 0, 1], 0).into(), tls, limits };
        let known = Tokens::load(&file).unwrap();
        let served = Arc::clone(&queue) as Arc<dyn Queue>;
        let gateway = Gateway::start(&config, served, known, Arc::new(|_| ())).unwrap();
        let scheme = if ca.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://localhost:{}", gateway.address().port());
        let connected = given.into_iter().map(|(worker, token)| {
            let options = ClientOptions { url: url.clone(), token, ca: ca.clone() };
            (worker, connect(&options).unwrap())
        });
        let workers = connected.collect();
        Arc::new(
            Remote::new(Volunteers { queue, workers, _gateway: gateway, _folder: folder }).unwrap(),
        )
    }

    fn settings(&self) -> Settings {
        // Long enough for a dozen requests on a busy machine.
        let (lease, retry) = (Duration::from_secs(4), Duration::from_secs(1));
        Settings { lease, retry, ..Settings::default() }
    }

    fn pass(&self, time: Duration) {
        std::thread::sleep(time);
    }
}

fn keeps_the_contract(harness: &OverHttp) {
    std::thread::scope(|scope| {
        for &(name, test) in TESTS {
            let named = std::thread::Builder::new().name(name.to_owned());
            named.spawn_scoped(scope, move || test(harness)).unwrap();
        }
    });
}

#[test]
fn a_queue_over_http_keeps_the_contract() {
    keeps_the_contract(&OverHttp { encrypted: false });
}

#[test]
fn a_queue_over_https_keeps_the_contract() {
    if fixtures::program("openssl").is_some() {
        keeps_the_contract(&OverHttp { encrypted: true });
    }
}
