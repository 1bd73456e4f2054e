//! The server as a whole: a listener, the addresses, and what has to be done from time to time.

use crate::connections::{BoundedListener, Bounds};
use crate::http::{HttpState, router};
use crate::service::BoardService;
use board::watch::{WatchData, WatchKind};
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;

/// How often clocks are looked at.
const TICK: Duration = Duration::from_millis(100);

/// How often what is watched is looked at.
const GLANCE: Duration = Duration::from_secs(1);

/// How long an ending server waits for its connections.
const FAREWELL: Duration = Duration::from_millis(500);

/// Serves until `end` comes. `token` is required of everybody unless it is missing.
pub async fn serve(
    listener: TcpListener,
    service: Arc<BoardService>,
    token: Option<String>,
    end: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let address = listener.local_addr()?;
    let loopback = address.ip().is_loopback();
    let origin = (!loopback).then(|| Arc::from(crate::start::origin(address)));
    let token = token.map(Arc::from);
    let state = HttpState { service: Arc::clone(&service), loopback, token, origin };
    let clocks = tokio::spawn(keep_clocks(Arc::clone(&service)));
    let glances: Vec<_> =
        WatchKind::ALL.map(|what| tokio::spawn(keep_watch(Arc::clone(&service), what))).into();
    let (told, mut ended) = tokio::sync::watch::channel(false);
    let stop = async move {
        end.await;
        let _ = told.send(true);
    };
    let listener = BoundedListener::new(listener, Bounds::USUAL);
    let serving = axum::serve(listener, router(state)).with_graceful_shutdown(stop);
    // Open sockets do not end by themselves: they are given a moment and then left.
    let outcome = tokio::select! {
        outcome = serving.into_future() => outcome,
        () = async {
            let _ = ended.wait_for(|ended| *ended).await;
            tokio::time::sleep(FAREWELL).await;
        } => Ok(()),
    };
    clocks.abort();
    glances.iter().for_each(tokio::task::JoinHandle::abort);
    service.pool().close();
    outcome
}

async fn keep_clocks(service: Arc<BoardService>) {
    let mut ticks = tokio::time::interval(TICK);
    loop {
        ticks.tick().await;
        service.look_at_clocks();
    }
}

/// Tells everybody who watches of every change.
async fn keep_watch(service: Arc<BoardService>, what: WatchKind) {
    if !service.watch().has(what) {
        return;
    }
    let mut ticks = tokio::time::interval(GLANCE);
    let mut shown: Option<Arc<WatchData>> = None;
    loop {
        ticks.tick().await;
        if !service.is_watched(what) {
            shown = None;
            continue;
        }
        let watch = Arc::clone(service.watch());
        let Ok(Ok(now)) = tokio::task::spawn_blocking(move || watch.look(what)).await else {
            continue;
        };
        if shown.as_deref() != Some(&now) {
            let now = Arc::new(now);
            service.show(what, &now);
            shown = Some(now);
        }
    }
}
