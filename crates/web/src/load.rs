//! How fast many players are answered: a server in this process, and as many players as asked for,
//! each in a game of its own over a WebSocket of its own. Here and not among the tools, because an
//! owner asks it (`nue web bench`) about the machine and the net the board will run with.

use crate::start::{EngineSettings, StartError, bare_service, runtime};
use board::level::LEVELS;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::fmt;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

/// Who plays, and how much.
#[derive(Clone, Copy, Debug)]
pub struct Load {
    /// Players at the same time.
    pub players: u32,
    /// Moves each of them makes.
    pub moves: u32,
    /// Level they play against; each in turn if not said.
    pub level: Option<u32>,
}

/// What one move took.
#[derive(Clone, Copy, Debug)]
struct Sample {
    level: u32,
    /// Until the first line of thought.
    first: Option<Duration>,
    /// Until the answer.
    answer: Duration,
}

/// What was measured; a table when printed.
#[derive(Clone, Debug)]
pub struct LoadReport {
    load: Load,
    samples: Vec<Sample>,
}

/// Plays and measures.
pub fn measure(load: Load, engines: EngineSettings) -> Result<LoadReport, StartError> {
    let service = bare_service(engines)?;
    for game in rules::Game::ALL {
        service.pool().warm(game);
    }
    let runtime = runtime()?;
    let samples = runtime.block_on(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        tokio::spawn(crate::serve(listener, service, None, std::future::pending()));
        let players: Vec<_> = (0..load.players)
            .map(|number| {
                let level = load.level.unwrap_or(number % 10 + 1);
                tokio::spawn(player(address, level, number, load.moves))
            })
            .collect();
        let mut samples = Vec::new();
        for player in players {
            match player.await {
                Ok(Ok(list)) => samples.extend(list),
                Ok(Err(error)) => return Err(StartError::failed(error)),
                Err(error) => return Err(StartError::failed(error.to_string())),
            }
        }
        Ok(samples)
    })?;
    runtime.shutdown_background();
    Ok(LoadReport { load, samples })
}

type Link = WebSocketStream<TcpStream>;

async fn receive(link: &mut Link) -> Result<Value, String> {
    loop {
        match link.next().await {
            Some(Ok(Message::Text(text))) => {
                return serde_json::from_str(text.as_str()).map_err(|e| e.to_string());
            }
            Some(Ok(Message::Close(_)) | Err(_)) | None => {
                return Err("the connection was closed".to_owned());
            }
            Some(Ok(_)) => {}
        }
    }
}

async fn send(link: &mut Link, message: &Value) -> Result<(), String> {
    let text = message.to_string();
    link.send(Message::Text(text.into())).await.map_err(|e| e.to_string())
}

/// One player: legal moves as they come, and how long each answer takes.
async fn player(
    address: SocketAddr,
    level: u32,
    number: u32,
    moves: u32,
) -> Result<Vec<Sample>, String> {
    let stream = TcpStream::connect(address).await.map_err(|e| e.to_string())?;
    stream.set_nodelay(true).map_err(|e| e.to_string())?;
    let connected = tokio_tungstenite::client_async(format!("ws://{address}/api/ws"), stream).await;
    let (mut link, _) = connected.map_err(|e| e.to_string())?;
    let mut samples = Vec::new();
    let settings = json!({ "type": "game.new", "opponent": { "level": level }, "side": "black" });
    send(&mut link, &settings).await?;
    let mut game = receive(&mut link).await?;
    while samples.len() < moves as usize {
        if game["status"] != "playing" {
            send(&mut link, &settings).await?;
            game = loop {
                let told = receive(&mut link).await?;
                if told["type"] == "game" && told["game"] != game["game"] {
                    break told;
                }
            };
        }
        let legal = game["position"]["legal"].as_array().cloned().unwrap_or_default();
        let Some(chosen) = legal.get((samples.len() * 7 + number as usize) % legal.len().max(1))
        else {
            return Err(format!("no move to make: {game}"));
        };
        send(&mut link, &json!({ "type": "game.move", "game": game["game"], "move": chosen }))
            .await?;
        let asked = Instant::now();
        let mut first = None;
        game = loop {
            let told = receive(&mut link).await?;
            match told["type"].as_str() {
                Some("thinking") => first = first.or(Some(asked.elapsed())),
                Some("game") if told["status"] != "playing" || told["may"]["move"] == true => {
                    break told;
                }
                Some("error") => return Err(told.to_string()),
                _ => {}
            }
        };
        samples.push(Sample { level, first, answer: asked.elapsed() });
    }
    Ok(samples)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// The value below which that share of a list lies.
fn share(sorted: &[Duration], part: f64) -> f64 {
    let place = ((sorted.len() as f64 * part).ceil() as usize).clamp(1, sorted.len().max(1));
    sorted.get(place - 1).copied().map_or(0.0, millis)
}

impl fmt::Display for LoadReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let samples = &self.samples;
        let (players, moves) = (self.load.players, self.load.moves);
        writeln!(out, "{players} players, {moves} moves each; milliseconds")?;
        writeln!(out, "level  answers   median      95 %     worst   allowed")?;
        let mut late = 0;
        for level in &LEVELS {
            let of: Vec<&Sample> = samples.iter().filter(|s| s.level == level.id).collect();
            let mut times: Vec<Duration> = of.iter().map(|s| s.answer).collect();
            if times.is_empty() {
                continue;
            }
            times.sort_unstable();
            late += times.iter().filter(|t| **t > level.time).count();
            writeln!(
                out,
                "{:>5} {:>8} {:>8.1} {:>9.1} {:>9.1} {:>9.1}",
                level.id,
                times.len(),
                share(&times, 0.5),
                share(&times, 0.95),
                share(&times, 1.0),
                millis(level.time),
            )?;
        }
        let mut firsts: Vec<Duration> = samples.iter().filter_map(|s| s.first).collect();
        firsts.sort_unstable();
        writeln!(
            out,
            "first line of thought: median {:.1}, 95 % {:.1}, worst {:.1} ({} moves)",
            share(&firsts, 0.5),
            share(&firsts, 0.95),
            share(&firsts, 1.0),
            firsts.len()
        )?;
        writeln!(out, "answers later than their level's time: {late} of {}", samples.len())
    }
}
