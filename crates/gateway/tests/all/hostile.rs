//! A hostile worker changes nothing and is named.

use fleet::conformance::{batch, name, task};
use fleet::wire::{Call, Remote, Transport};
use fleet::{
    Batch, BlobHash, Cursor, Event, Finished, InProcess, Lease, LeaseKey, Pool, Product, Queue,
    QueueError, RunId, Settings, Standing, Worker,
};
use gateway::client::ClientOptions;
use gateway::refusals::Reason;
use gateway::{Config, Gateway, Https, Identity, Limits, Refusal, Tokens, connect, tokens};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use think::WallTime;

/// A fleet with an honest worker and another one.
struct Fleet {
    queue: Arc<InProcess>,
    gateway: Gateway,
    log: Arc<Mutex<Vec<Refusal>>>,
    honest: Remote<Https>,
    hostile: Remote<Https>,
    token: String,
    folder: TempDir,
}

fn fleet(limits: Limits) -> Fleet {
    let folder = tempfile::tempdir().unwrap();
    let identity = |worker: &str, owner: &str| Identity {
        worker: name(worker),
        owner: owner.parse().unwrap(),
    };
    let (honest, first) = tokens::issue(&identity("honest", "me")).unwrap();
    let (hostile, second) = tokens::issue(&identity("hostile", "them")).unwrap();
    let file = folder.path().join("tokens");
    std::fs::write(&file, first + &second).unwrap();
    let settings = Settings { max_batch: 10_000, max_blob: 1 << 20, ..Settings::default() };
    let queue = Arc::new(InProcess::new(settings, Arc::new(WallTime::start())));
    for worker in ["honest", "hostile"] {
        queue.stand(&name(worker), Standing::Admitted).unwrap();
    }
    let log = Arc::<Mutex<Vec<Refusal>>>::default();
    let noted = Arc::clone(&log);
    let config = Config { listen: ([127, 0, 0, 1], 0).into(), tls: None, limits };
    let known = Tokens::load(&file).unwrap();
    let served = Arc::clone(&queue) as Arc<dyn Queue>;
    let note = move |refusal: &Refusal| noted.lock().unwrap().push(refusal.clone());
    let gateway = Gateway::start(&config, served, known, Arc::new(note)).unwrap();
    let url = format!("http://{}", gateway.address());
    let client = |token: &str| {
        let options = ClientOptions { url: url.clone(), token: token.to_owned(), ca: None };
        connect(&options).unwrap()
    };
    let (honest, token) = (client(&honest), hostile.clone());
    let hostile = client(&hostile);
    Fleet { queue, gateway, log, honest, hostile, token, folder }
}

impl Fleet {
    fn refused(&self, reason: Reason) -> u64 {
        self.gateway.refusals().count(Some(&name("hostile")), reason)
    }

    fn results(&self) -> usize {
        let events = self.queue.watch(Cursor(0), 1000, Duration::ZERO).unwrap();
        events.iter().filter(|(_, event)| matches!(event, Event::Finished { .. })).count()
    }

    fn lease(&self, worker: &Remote<Https>, who: &str) -> Lease {
        let wait = Duration::from_secs(2);
        worker.lease(&name(who), &[Pool::any()], wait).unwrap().unwrap()
    }

    /// Says something by hand; the status of the answer, 0 for none.
    fn say(&self, head: &str, body: &[u8]) -> u16 {
        let mut stream = TcpStream::connect(self.gateway.address()).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let length = body.len();
        let head = format!(
            "{head} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}\r\n\
             authorization: Bearer {}\r\n\r\n",
            self.token
        );
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        let mut answer = [0; 12];
        let _ = stream.read_exact(&mut answer);
        let text = String::from_utf8_lossy(&answer).into_owned();
        text.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
    }
}

#[test]
fn anothers_lease_is_of_no_use() {
    let fleet = fleet(Limits::default());
    fleet.queue.offer(&task(1)).unwrap();
    let key = fleet.lease(&fleet.honest, "honest").key;
    // In its own name, with a secret it has learned somewhere; in the other's name, with everything.
    let own = LeaseKey { worker: name("hostile"), ..key.clone() };
    let not_held = Err(QueueError::NotHeld { task: key.task, worker: name("hostile") });
    assert_eq!(fleet.hostile.finish(&own, &batch(0)), not_held);
    for attempt in [
        fleet.hostile.finish(&key, &batch(0)).map(drop),
        fleet.hostile.extend(&key),
        fleet.hostile.lease(&name("honest"), &[Pool::any()], Duration::ZERO).map(drop),
    ] {
        let said = attempt.unwrap_err().to_string();
        assert!(said.contains("anothers-name"), "{said}");
    }
    assert_eq!(fleet.results(), 0);
    assert_eq!((fleet.refused(Reason::NotHeld), fleet.refused(Reason::AnothersName)), (1, 3));
    assert_eq!(fleet.honest.finish(&key, &batch(0)), Ok(Finished::Accepted));
    let log = fleet.log.lock().unwrap();
    assert!(log.iter().all(|refusal| refusal.worker == Some(name("hostile"))), "{log:?}");
    assert!(log[1].said.contains("in the name of honest"), "{log:?}");
}

#[test]
fn replayed_results_count_once() {
    let fleet = fleet(Limits::default());
    fleet.queue.offer(&task(1)).unwrap();
    let key = fleet.lease(&fleet.hostile, "hostile").key;
    assert_eq!(fleet.hostile.finish(&key, &batch(0)), Ok(Finished::Accepted));
    let other = Batch { product: Product::Checksum { sum: 8 }, ..batch(0) };
    for _ in 0..10 {
        assert_eq!(fleet.hostile.finish(&key, &other), Ok(Finished::Duplicate));
    }
    assert_eq!((fleet.results(), fleet.refused(Reason::Repeated)), (1, 10));
}

#[test]
fn the_coordinators_calls_are_not_for_workers() {
    let fleet = fleet(Limits::default());
    fleet.queue.offer(&task(1)).unwrap();
    let hostile = fleet.hostile.transport();
    for call in [
        Call::Offer { task: Box::new(task(2)) },
        Call::Withdraw { run: RunId(1) },
        Call::Stand { worker: name("honest"), standing: Standing::Barred },
        Call::Drain { draining: true },
        Call::Acknowledge { upto: Cursor(u64::MAX) },
        Call::Watch { after: Cursor(0), most: 10, wait_ms: 0 },
        Call::Occupancy,
        Call::Leases,
    ] {
        let said = hostile.call(&call).unwrap_err().to_string();
        assert!(said.contains("coordinators-call"), "{said}");
    }
    assert_eq!(fleet.refused(Reason::CoordinatorsCall), 8);
    let mut worker = Worker {
        id: name("hostile"),
        owner: "me".parse().unwrap(),
        cores: 1,
        memory_mib: 1,
        speed: 1,
        bench: 1,
        version: String::new(),
        pools: Vec::new(),
        holding: None,
    };
    assert!(fleet.hostile.announce(&worker).is_err(), "of another owner");
    worker.owner = "them".parse().unwrap();
    fleet.hostile.announce(&worker).unwrap();
    assert_eq!(fleet.lease(&fleet.honest, "honest").task.id, task(1).id);
}

#[test]
fn what_is_too_large_or_not_what_it_says_is_not_kept() {
    let fleet = fleet(Limits::default());
    let large = fleet.hostile.put_blob(&vec![7; (1 << 20) + 1]);
    assert_eq!(large, Err(QueueError::TooLarge { bytes: (1 << 20) + 1, most: 1 << 20 }));
    let hash = BlobHash::of(b"something");
    assert_eq!(fleet.say(&format!("PUT /v1/blobs/{hash}"), b"something else"), 400);
    assert_eq!(fleet.say("PUT /v1/blobs/../../etc/passwd", b"x"), 404);
    assert_eq!(fleet.say("PUT /v1/blobs/12", b"x"), 400);
    fleet.queue.offer(&task(1)).unwrap();
    let key = fleet.lease(&fleet.hostile, "hostile").key;
    let text =
        |length: usize| Batch { product: Product::Text { text: "x".repeat(length) }, ..batch(0) };
    let refused = fleet.hostile.finish(&key, &text(11_000));
    assert!(matches!(refused, Err(QueueError::TooLarge { most: 10_000, .. })), "{refused:?}");
    let call = Call::Finish { key: key.clone(), batch: Box::new(text(5_000_000)) };
    let body = serde_json::to_vec(&call).unwrap();
    assert!([0, 413].contains(&fleet.say("POST /v1/call", &body)));
    assert!(matches!(
        fleet.hostile.finish(&key, &Batch { number: 5, ..batch(0) }),
        Err(QueueError::NoSuchBatch { batches: 1, number: 5, .. })
    ));
    assert_eq!((fleet.results(), fleet.queue.occupancy().unwrap().stored), (0, 0));
    assert_eq!(fleet.refused(Reason::TooLarge), 3);
    assert_eq!((fleet.refused(Reason::WrongHash), fleet.refused(Reason::NoSuchBatch)), (1, 1));
}

#[test]
fn nonsense_is_refused() {
    let fleet = fleet(Limits::default());
    for body in [&b""[..], b"{", b"null", b"{\"lease\":{}}", &[0xff; 100], b"[[[[[[[[[[[["] {
        assert_eq!(fleet.say("POST /v1/call", body), 400, "{body:?}");
    }
    assert_eq!(fleet.refused(Reason::Malformed), 6);
    for head in ["GET /", "GET /v1/call", "DELETE /v1/blobs/x", "\0\0\0"] {
        let status = fleet.say(head, b"");
        assert!((400..500).contains(&status) || status == 0, "{head:?}: {status}");
    }
    fleet.queue.offer(&task(1)).unwrap();
    fleet.lease(&fleet.honest, "honest");
}

#[test]
fn a_flood_of_requests_keeps_nobody_out() {
    // An allowance that does not fill up again while the test runs, however slow the machine is.
    let limits = Limits { requests_per_second: 0.01, requests_burst: 20.0, ..Limits::default() };
    let fleet = fleet(limits);
    let ask = || fleet.hostile.lease(&name("hostile"), &[Pool::any()], Duration::ZERO);
    let full = (0..60).filter(|_| matches!(ask(), Err(QueueError::Full { .. }))).count();
    assert!(full >= 20, "{full}");
    assert_eq!(fleet.refused(Reason::Rate), full as u64);
    fleet.queue.offer(&task(1)).unwrap();
    fleet.lease(&fleet.honest, "honest");
}

#[test]
fn uploads_have_their_allowance() {
    let limits = Limits { upload_per_second: 1.0, upload_burst: 100_000.0, ..Limits::default() };
    let fleet = fleet(limits);
    fleet.hostile.put_blob(&[1; 60_000]).unwrap();
    assert!(matches!(fleet.hostile.put_blob(&[2; 60_000]), Err(QueueError::Full { .. })));
    fleet.honest.put_blob(&[3; 60_000]).unwrap();
    assert_eq!(fleet.queue.occupancy().unwrap().stored, 120_000);
    assert_eq!(fleet.refused(Reason::Rate), 1);
}

#[test]
fn tokens_cannot_be_guessed() {
    let fleet = fleet(Limits { wrong_tokens_per_minute: 5.0, ..Limits::default() });
    let url = format!("http://{}", fleet.gateway.address());
    for attempt in 0..8 {
        let options = ClientOptions { url: url.clone(), token: format!("nue-{attempt}"), ca: None };
        let said = connect(&options).unwrap_err().to_string();
        let known = if attempt < 5 { "unknown token" } else { "too many wrong tokens" };
        assert!(said.contains(known), "{attempt}: {said}");
    }
    assert_eq!(fleet.gateway.refusals().count(None, Reason::Token), 8);
    // Many stand behind one address: whoever has a token is let in all the same.
    fleet.honest.lease(&name("honest"), &[Pool::any()], Duration::ZERO).unwrap();
}

/// Whoever was given a token just now need not wait until the gateway looks at its file again: a worker that is refused ends.
#[test]
fn a_new_token_is_known_at_once() {
    let fleet = fleet(Limits::default());
    let file = fleet.folder.path().join("tokens");
    let url = format!("http://{}", fleet.gateway.address());
    for number in 0..5 {
        let (worker, owner) = (name(&format!("new-{number}")), "me".parse().unwrap());
        let (token, line) = tokens::issue(&Identity { worker, owner }).unwrap();
        let known = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, known + &line).unwrap();
        let joined = connect(&ClientOptions { url: url.clone(), token, ca: None });
        assert!(joined.is_ok(), "{number}: {:?}", joined.err());
    }
    assert_eq!(fleet.gateway.refusals().count(None, Reason::Token), 0);
}

/// A worker whose token is taken back is told so, for good.
#[test]
fn a_token_that_is_taken_back_is_nobodys() {
    let fleet = fleet(Limits::default());
    let lease =
        |queue: &Remote<Https>, who: &str| queue.lease(&name(who), &[Pool::any()], Duration::ZERO);
    assert_eq!(lease(&fleet.hostile, "hostile"), Ok(None));
    let file = fleet.folder.path().join("tokens");
    let text = std::fs::read_to_string(&file).unwrap();
    let left: String = text.lines().filter(|line| line.contains("honest")).collect();
    std::fs::write(&file, left + "\n").unwrap();
    let begun = Instant::now();
    let refused = loop {
        match lease(&fleet.hostile, "hostile") {
            Ok(_) if begun.elapsed() < Duration::from_secs(10) => {
                std::thread::sleep(Duration::from_millis(100));
            }
            told => break told,
        }
    };
    assert!(matches!(refused, Err(QueueError::Refused { .. })), "{refused:?}");
    assert!(refused.is_err_and(|e| !e.is_passing()), "it would ask for ever");
    assert_eq!(lease(&fleet.honest, "honest"), Ok(None));
}

#[test]
fn connections_without_requests_are_closed_and_bounded() {
    let idle = Duration::from_millis(700);
    let fleet = fleet(Limits { connections: 12, idle, ..Limits::default() });
    let mut open: Vec<TcpStream> = Vec::new();
    for _ in 0..30 {
        let mut stream = TcpStream::connect(fleet.gateway.address()).unwrap();
        let _ = stream.write_all(b"POST /v1/call HTTP/1.1\r\nhost: ");
        open.push(stream);
    }
    let begun = Instant::now();
    while fleet.gateway.refusals().count(None, Reason::Connections) < 10 {
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", fleet.gateway.refusals());
        std::thread::sleep(Duration::from_millis(20));
    }
    // One byte now and then is no request either.
    let slow = open.last_mut().unwrap();
    for _ in 0..8 {
        let _ = slow.write_all(b"x");
        std::thread::sleep(idle / 4);
    }
    for stream in &mut open {
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut rest = Vec::new();
        let ended = stream.read_to_end(&mut rest);
        let kind = ended.as_ref().err().map(std::io::Error::kind);
        assert_ne!(kind, Some(std::io::ErrorKind::WouldBlock), "still open");
    }
    fleet.queue.offer(&task(1)).unwrap();
    fleet.lease(&fleet.honest, "honest");
}
