//! Guests that mean no good.

use super::caller::Caller;
use super::script::Dice;
use super::{SharedState, StepError};
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::time::{sleep, timeout};

/// Misbehaves until the games are over.
pub(super) async fn misbehave_until_the_end(shared: &SharedState, seed: u64) {
    let mut dice = Dice::new(seed);
    while !shared.closing.load(Ordering::Relaxed) {
        let port = shared.port.load(Ordering::Relaxed);
        let visit = async {
            if let Ok(mut caller) = Caller::connect(port).await {
                // Whatever comes of it: thrown out, refused, ignored.
                let victim = shared.account(&mut dice);
                let _ = misbehave(&mut caller, victim.as_deref(), &mut dice).await;
                shared.counts.hostile.fetch_add(1, Ordering::Relaxed);
            }
        };
        let _ = timeout(Duration::from_secs(8), visit).await;
        sleep(Duration::from_millis(5 + dice.roll(30) as u64)).await;
    }
}

async fn misbehave(
    caller: &mut Caller,
    victim: Option<&str>,
    dice: &mut Dice,
) -> Result<(), StepError> {
    match dice.roll(9) {
        0 => {
            let noise: Vec<u8> = (0..4096).map(|_| dice.roll(256) as u8).collect();
            caller.raw(&noise).await
        }
        // A line without end.
        1 => caller.raw(&vec![b'x'; 300_000]).await,
        2 => caller.raw(&b"AGREE\n".repeat(500)).await,
        3 => caller.raw(b"LOGIN a\0b c\r\n\n\n\n\xff\xfe\nLOGIN\nLOGIN x\nLOGIN x y z w\n").await,
        // Somebody else's name.
        4 => {
            let name = victim.unwrap_or("鵺");
            caller.say(&format!("LOGIN {name} plain0-3-1,guess")).await?;
            caller.receive().await.map(|_| ())
        }
        // Floods, and never reads.
        5 => {
            caller.say(&format!("LOGIN deaf{} waits-9-9 x1", dice.roll(9))).await?;
            caller.raw(&b"%%HELP\n%%WHO\n%%LIST\n".repeat(200)).await
        }
        // Says nothing, or half a word.
        6 => {
            caller.raw(b"LOG").await?;
            sleep(Duration::from_millis(300)).await;
            Ok(())
        }
        // Waits for nobody, and talks out of turn.
        7 => {
            caller.say(&format!("LOGIN idle{} nobody{}-9-9", dice.roll(9), dice.roll(9))).await?;
            for line in ["+7776FU", "%TORYO", "%KACHI", "%CHUDAN", "REJECT", "%%GAME x", "LOGOUT"] {
                caller.say(line).await?;
            }
            while caller.receive().await.is_ok() {}
            Ok(())
        }
        _ => {
            caller.say("GET / HTTP/1.1").await?;
            caller.raw("鵺\n".repeat(50).as_bytes()).await
        }
    }
}
