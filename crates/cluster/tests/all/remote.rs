//! Children that are not here: through the broker of a fleet, and over ssh.

use crate::harness::{engine, start};
use cluster::{Broker, OfferSettings, Place, offer};
use fixtures::nats::NatsServer;
use std::sync::mpsc::channel;
use std::time::Duration;

#[test]
fn a_child_is_reached_through_the_broker() {
    let Some(server) = NatsServer::start() else { return };
    let url = server.url();
    let place = Place::Broker(Broker {
        url: url.clone(),
        name: "box-7".to_owned(),
        prefix: "fleet".to_owned(),
        nkey: None,
        ca: None,
    });
    let (told, heard) = channel();
    std::thread::spawn(move || {
        offer(OfferSettings { place, engine: engine() }, &mut |text| {
            // Nobody listens after the first line.
            let _ = told.send(text.to_owned());
        })
    });
    heard.recv_timeout(Duration::from_secs(20)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let child = |name: &str, engine: &str| {
        format!("[[child]]\nname = \"{name}\"\nnats = \"{url}\"\nengine = \"{engine}\"\n")
    };
    let running = start(&(child("far", "box-7") + &child("nobody", "box-8")), folder.path());
    let told = running.said.wait("info string nobody: crash");
    assert!(told.contains("nobody offers"), "{told}");
    running.say("setoption name far_USI_Hash value 16");
    running.say("go btime 0 wtime 0 byoyomi 8000");
    running.said.wait("info string far: ");
    running.said.wait("bestmove ");
    // The broker dies: the child is lost, the game is not.
    running.say("go btime 0 wtime 0 byoyomi 20000");
    drop(server);
    running.said.wait("info string far: crash");
    running.say("stop");
    running.said.wait("bestmove ");
    running.quit();
}

#[cfg(unix)]
mod ssh {
    use crate::harness::{script, start};
    use std::net::TcpListener;
    use std::path::Path;
    use std::process::{Child, Command, Stdio};
    use std::time::Duration;

    /// A server for ssh with keys of its own, ended when dropped.
    struct Server {
        process: Child,
        port: u16,
    }

    impl Drop for Server {
        fn drop(&mut self) {
            // Fails only if it has ended already.
            let _ = self.process.kill();
            let _ = self.process.wait();
        }
    }

    fn key(path: &Path) -> bool {
        let made = Command::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-f"])
            .arg(path)
            .stdout(Stdio::null())
            .status();
        made.is_ok_and(|status| status.success())
    }

    impl Server {
        fn start(folder: &Path) -> Option<Self> {
            let sshd = Path::new("/usr/sbin/sshd");
            if !sshd.exists() || !key(&folder.join("host")) || !key(&folder.join("user")) {
                fixtures::skipped("no sshd here (openssh-server)");
                return None;
            }
            // Where it wants a folder of the system, only root can make it.
            let _ = std::fs::create_dir_all("/run/sshd");
            std::fs::copy(folder.join("user.pub"), folder.join("authorized")).unwrap();
            // Free a moment ago, and nobody else asks for one by number.
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let mut start = Command::new(sshd);
            start.args(["-D", "-e", "-f", "/dev/null", "-p", &port.to_string(), "-h"]);
            start.arg(folder.join("host"));
            let authorized = folder.join("authorized").display().to_string();
            for option in [
                "ListenAddress=127.0.0.1".to_owned(),
                "PidFile=none".to_owned(),
                "StrictModes=no".to_owned(),
                "PasswordAuthentication=no".to_owned(),
                "PermitRootLogin=yes".to_owned(),
                format!("AuthorizedKeysFile={authorized}"),
            ] {
                start.args(["-o", &option]);
            }
            let process = start.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            let server = Self { process, port };
            for _ in 0..200 {
                if std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
                    return Some(server);
                }
                std::thread::sleep(Duration::from_millis(20));
            }
            fixtures::skipped("sshd does not start here");
            None
        }
    }

    #[test]
    fn a_child_runs_over_ssh_and_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let Some(server) = Server::start(folder.path()) else { return };
        let (program, dir) = (script(folder.path()), folder.path().display());
        let port = server.port;
        let config = format!(
            "margin = 50\n[[child]]\nname = \"far\"\nssh = \"127.0.0.1\"\nprogram = \"{program}\"\n\
             dir = \"{dir}\"\nssh_args = [\"-p\", \"{port}\", \"-i\", \"{dir}/user\", \"-o\", \
             \"UserKnownHostsFile={dir}/known\", \"-o\", \"StrictHostKeyChecking=no\", \"-o\", \
             \"IdentitiesOnly=yes\"]\n"
        );
        let running = start(&config, folder.path());
        running.say("go btime 0 wtime 0 byoyomi 20000");
        let told = running.said.wait("info string far: ");
        assert!(told.contains("7g7f cp 5"), "{told}");
        running.said.wait("bestmove ");
        // The connection is cut: the program ends there, and is started again.
        let pids = || std::fs::read_to_string(folder.path().join("pids")).unwrap_or_default();
        let first = pids().trim().to_owned();
        assert!(Command::new("kill").args(["-9", &first]).status().unwrap().success());
        assert!(running.said.wait("info string far: crash").contains("started again"));
        for _ in 0..1000 {
            if pids().lines().count() == 2 {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(pids().lines().count(), 2);
        running.say("go btime 0 wtime 0 byoyomi 20000");
        running.said.wait("info string far: 7g7f");
        running.said.wait("bestmove ");
        running.quit();
    }
}
