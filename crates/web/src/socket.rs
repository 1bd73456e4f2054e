//! A WebSocket around a visit: frames in, frames out, a ping now and then.

use crate::hall::Presence;
use crate::mailbox::Next;
use crate::visit::Visit;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{MissedTickBehavior, interval, timeout};

/// How often a connection is asked whether it is still there.
const PING: Duration = Duration::from_secs(20);

/// Pings in a row without a sign of life.
const SILENCE: u32 = 3;

/// How long one frame may take to be sent.
const PATIENCE: Duration = Duration::from_secs(20);

/// Serves a connection to its end.
pub async fn serve(mut socket: WebSocket, presence: Presence) {
    let hall = Arc::clone(presence.hall());
    let mut visit = Visit::new(presence);
    let mailbox = Arc::clone(visit.mailbox());
    let mut pings = interval(PING);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    pings.tick().await;
    let mut silent = 0;
    loop {
        let wait = match mailbox.next(hall.now()) {
            Next::Send(value) => {
                let sending = socket.send(Message::Text(value.to_string().into()));
                match timeout(PATIENCE, sending).await {
                    Ok(Ok(())) => continue,
                    _ => return,
                }
            }
            Next::Close => {
                let frame = CloseFrame { code: close_code::POLICY, reason: "too fast".into() };
                let _ = timeout(PATIENCE, socket.send(Message::Close(Some(frame)))).await;
                return;
            }
            Next::Wait(time) => time,
            Next::Idle => Duration::from_secs(3600),
        };
        tokio::select! {
            message = socket.recv() => {
                silent = 0;
                match message {
                    Some(Ok(Message::Text(text))) => visit.hear(text.as_str()),
                    Some(Ok(Message::Binary(_))) => visit.hear("binary"),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                }
            }
            () = mailbox.changed() => {}
            () = tokio::time::sleep(wait) => {}
            _ = pings.tick() => {
                silent += 1;
                let ping = socket.send(Message::Ping(Vec::new().into()));
                if silent > SILENCE || !matches!(timeout(PATIENCE, ping).await, Ok(Ok(()))) {
                    return;
                }
            }
        }
    }
}
