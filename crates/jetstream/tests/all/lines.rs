//! Conversations with engines through a real broker.

use fixtures::nats::NatsServer;
use jetstream::Options;
use jetstream::lines::{CallEvent, Conversation, Engine, LineOutput, Start, call, offer_until};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

/// Says everything back; ends at `die`.
struct Echo(Option<LineOutput>);

impl Engine for Echo {
    fn send(&mut self, line: &str) -> bool {
        match (line, &self.0) {
            ("die", _) => self.0 = None,
            (line, Some(output)) => {
                // As engines do: on a thread that may be held up.
                let text = format!("echo {line}");
                std::thread::scope(|scope| {
                    scope.spawn(|| output(text));
                });
            }
            _ => return false,
        }
        true
    }
}

fn options(server: &NatsServer, name: &str) -> Options {
    Options { name: name.to_owned(), patience: Duration::ZERO, ..Options::new(server.url()) }
}

fn called(server: &NatsServer, engine: &str) -> (Conversation, Receiver<CallEvent>) {
    let (heard, hearing) = channel();
    let conversation = call(&options(server, "master"), engine, move |what| {
        // Nobody listens after the end.
        let _ = heard.send(what);
    });
    (conversation.unwrap(), hearing)
}

fn ended(hearing: &Receiver<CallEvent>) -> String {
    loop {
        if let CallEvent::Ended(why) = hearing.recv_timeout(PATIENCE).unwrap() {
            return why;
        }
    }
}

#[test]
fn an_engine_is_spoken_with_by_one_at_a_time() {
    let Some(server) = NatsServer::start() else { return };
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let (told, notes) = channel();
    let offered = options(&server, "box-7");
    let offering = std::thread::spawn(move || {
        let start: Arc<Start> = Arc::new(|output| Ok(Box::new(Echo(Some(output)))));
        let over = async {
            // Dropped counts as well.
            let _ = stopped.await;
        };
        offer_until(&offered, "gpu", start, over, &mut |note| {
            let _ = told.send(note.to_owned());
        })
    });
    assert!(notes.recv_timeout(PATIENCE).unwrap().contains("fleet.engine.gpu"));
    let (first, hearing) = called(&server, "gpu");
    assert_eq!(hearing.recv_timeout(PATIENCE), Ok(CallEvent::Welcome));
    for number in 0..500 {
        assert!(first.send(&format!("line {number}")));
        let wanted = CallEvent::Line(format!("echo line {number}"));
        assert_eq!(hearing.recv_timeout(PATIENCE), Ok(wanted));
    }
    let (_second, refused) = called(&server, "gpu");
    assert!(ended(&refused).contains("in use"));
    let (_other, nobody) = called(&server, "no-such");
    assert!(ended(&nobody).contains("nobody offers"));
    // The engine ends: so does the conversation, and the next one has a new engine.
    assert!(first.send("die"));
    ended(&hearing);
    for _ in 0..50 {
        let (third, hearing) = called(&server, "gpu");
        if hearing.recv_timeout(PATIENCE) == Ok(CallEvent::Welcome) {
            assert!(third.send("again"));
            let wanted = CallEvent::Line("echo again".to_owned());
            assert_eq!(hearing.recv_timeout(PATIENCE), Ok(wanted));
            drop(third);
            ended(&hearing);
            // Lets it go, and whoever offers hears of it.
            assert!(notes.iter().any(|note| note.contains("hung up")));
            drop(stop);
            assert!(offering.join().unwrap().is_ok());
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("the engine stays in use");
}

/// A broker that is gone ends a conversation; nobody waits for ever.
#[test]
fn a_broker_that_dies_ends_the_conversation() {
    let Some(server) = NatsServer::start() else { return };
    let offered = options(&server, "box-7");
    std::thread::spawn(move || {
        let start: Arc<Start> = Arc::new(|output| Ok(Box::new(Echo(Some(output)))));
        offer_until(&offered, "gpu", start, std::future::pending(), &mut |_| ())
    });
    let (conversation, hearing) = loop {
        let (conversation, hearing) = called(&server, "gpu");
        match hearing.recv_timeout(PATIENCE).unwrap() {
            CallEvent::Welcome => break (conversation, hearing),
            _ => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    assert!(conversation.send("one"));
    assert_eq!(hearing.recv_timeout(PATIENCE), Ok(CallEvent::Line("echo one".to_owned())));
    drop(server);
    let why = ended(&hearing);
    assert!(
        why.contains("nothing heard") || why.contains("lost") || why.contains("closed"),
        "{why}"
    );
}
