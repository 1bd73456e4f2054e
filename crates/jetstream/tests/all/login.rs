//! The broker as it is deployed: encrypted, with keys, everybody under subjects of their own.

use fixtures::nats::NatsServer;
use fleet::conformance::{batch, name, task};
use fleet::wire::{Call, Transport};
use fleet::{Finished, Pool, Queue, QueueError, Settings, Standing};
use jetstream::{Host, Options, StartError, join, new_nkey};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The settings of the deployment page, with keys and certificates of here.
fn settings(folder: &Path, keys: [&str; 3]) -> String {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/nats-server.conf");
    let text = std::fs::read_to_string(path).unwrap();
    let folder = folder.display().to_string();
    // Where it listens and where it stores is told by arguments here.
    let told =
        |line: &str| ["listen:", "store_dir:"].iter().any(|t| line.trim_start().starts_with(t));
    let kept = text.lines().filter(|line| !told(line));
    kept.map(|line| format!("{line}\n"))
        .collect::<String>()
        .replace("\"UCOORDINATOR\"", &format!("\"{}\"", keys[0]))
        .replace("\"UGATEWAY\"", &format!("\"{}\"", keys[1]))
        .replace("\"UBOX7\"", &format!("\"{}\"", keys[2]))
        .replace("/etc/nats", &folder)
}

struct Deployed {
    server: NatsServer,
    folder: tempfile::TempDir,
}

impl Deployed {
    fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let _ = fixtures::certificate(folder.path())?;
        let mut public = Vec::new();
        for user in ["coordinator", "gateway", "box-7"] {
            let (seed, key) = new_nkey().unwrap();
            std::fs::write(folder.path().join(user), format!("{seed}\n")).unwrap();
            public.push(key);
        }
        let file = folder.path().join("nats-server.conf");
        std::fs::write(&file, settings(folder.path(), [&public[0], &public[1], &public[2]]))
            .unwrap();
        let server = NatsServer::with(&["-c", file.to_str().unwrap()])?;
        Some(Self { server, folder })
    }

    fn options(&self, user: &str) -> Options {
        Options {
            nkey: Some(self.folder.path().join(user)),
            ca: Some(self.folder.path().join("certificate.pem")),
            name: user.to_owned(),
            patience: Duration::ZERO,
            ..Options::new(self.server.url())
        }
    }
}

#[test]
fn everybody_speaks_for_themselves() {
    let Some(deployed) = Deployed::start() else { return };
    let coordinator = deployed.options("coordinator");
    let host = Host::start(&coordinator, Settings::default()).unwrap();
    for worker in ["box-7", "volunteer"] {
        host.stand(&name(worker), Standing::Admitted).unwrap();
    }
    for id in 1..=3 {
        host.offer(&task(id)).unwrap();
    }
    for (user, worker) in [("box-7", "box-7"), ("gateway", "volunteer")] {
        let queue = join(&deployed.options(user)).unwrap();
        let wait = Duration::from_secs(5);
        let lease = queue.lease(&name(worker), &[Pool::any()], wait).unwrap().unwrap();
        assert_eq!(queue.finish(&lease.key, &batch(0)), Ok(Finished::Accepted), "{user}");
        let hash = queue.put_blob(user.as_bytes()).unwrap();
        assert_eq!(queue.get_blob(&hash, 0..100).unwrap(), user.as_bytes());
        let refused = |call: Call| {
            let answer = queue.transport().call(&call);
            assert!(matches!(answer, Err(QueueError::Unavailable { .. })), "{user}: {answer:?}");
        };
        refused(Call::Drain { draining: true });
        if user == "box-7" {
            refused(Call::Lease {
                worker: name("volunteer"),
                pools: vec![Pool::any()],
                wait_ms: 0,
            });
        }
    }
    assert_eq!(host.occupancy().unwrap().waiting, 1, "nobody else got one, nothing drains");
    drop(host);
    let host = Host::start(&coordinator, Settings::default()).unwrap();
    assert_eq!(host.occupancy().unwrap().events, 2, "read back with these permissions");
}

#[test]
fn strangers_are_not_let_in() {
    let Some(deployed) = Deployed::start() else { return };
    let good = deployed.options("box-7");
    let (seed, _) = new_nkey().unwrap();
    let stranger: PathBuf = deployed.folder.path().join("stranger");
    std::fs::write(&stranger, seed).unwrap();
    let refused = |options: &Options, what: &str| {
        let error = join(options).unwrap_err();
        assert!(matches!(error, StartError::Connect { .. }), "{what}: {error}");
    };
    refused(&Options { nkey: Some(stranger), ..good.clone() }, "another key");
    refused(&Options { nkey: None, ..good.clone() }, "no key");
    refused(&Options { ca: None, ..good.clone() }, "nobody vouches for the certificate");
    let error =
        join(&Options { nkey: Some(PathBuf::from("nowhere")), ..good.clone() }).unwrap_err();
    assert!(error.to_string().starts_with("nowhere: "), "{error}");
    let certificate = Some(deployed.folder.path().join("certificate.pem"));
    let error = join(&Options { nkey: certificate, ..good.clone() }).unwrap_err();
    assert!(error.to_string().contains("no seed of a user's nkey"), "{error}");
    let error = join(&Options { name: "a b".to_owned(), ..good }).unwrap_err();
    assert!(matches!(error, StartError::Name { .. }), "{error}");
}
