//! A WebSocket around a session: frames in, frames out, a ping now and then.

use crate::outbox::Next;
use crate::service::ConnectionGuard;
use crate::session::Session;
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
pub async fn serve(mut socket: WebSocket, connected: ConnectionGuard) {
    let service = Arc::clone(connected.service());
    let mut session = Session::new(connected);
    let outbox = Arc::clone(session.outbox());
    let mut pings = interval(PING);
    pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
    pings.tick().await;
    let mut silent = 0;
    loop {
        let wait = match outbox.next(service.now()) {
            Next::Send(answer) => {
                let Ok(text) = serde_json::to_string(&answer) else { continue };
                let sending = socket.send(Message::Text(text.into()));
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
                    Some(Ok(Message::Text(text))) => session.receive(text.as_str()),
                    Some(Ok(Message::Binary(_))) => session.receive("binary"),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                }
            }
            () = outbox.changed() => {}
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
