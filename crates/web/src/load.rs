//! How fast many players are answered: a server in this process, and as many players as asked for,
//! each in a game of its own over a WebSocket of its own. Here and not among the tools, because an
//! owner asks it (`nue web bench`) about the machine and the net the board will run with.

use crate::start::{EngineSettings, StartError, bare_service, runtime};
use board::game::{GameStatus, Permissions};
use board::level::LEVELS;
use board::message::{ClientMessage, MoveRequest};
use board::setup::{GameSettings, Opponent};
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
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

/// What a player listens to, of all that the server says.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum ServerEvent {
    Game(GameState),
    Thinking,
    Error {
        message: String,
    },
    #[serde(other)]
    Else,
}

/// How the player's game stands.
#[derive(Deserialize)]
struct GameState {
    game: String,
    status: GameStatus,
    may: Permissions,
    position: Moves,
}

#[derive(Deserialize)]
struct Moves {
    legal: Vec<String>,
}

impl GameState {
    fn is_over(&self) -> bool {
        self.status == GameStatus::Over
    }
}

async fn receive(link: &mut Link) -> Result<ServerEvent, String> {
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

/// The next that is said of a game, with the time of the first line of thought before it.
async fn next_game(
    link: &mut Link,
    asked: Instant,
) -> Result<(GameState, Option<Duration>), String> {
    let mut first = None;
    loop {
        match receive(link).await? {
            ServerEvent::Game(game) => return Ok((game, first)),
            ServerEvent::Thinking => first = first.or(Some(asked.elapsed())),
            ServerEvent::Error { message } => return Err(message),
            ServerEvent::Else => {}
        }
    }
}

async fn send(link: &mut Link, message: &ClientMessage) -> Result<(), String> {
    let text = serde_json::to_string(message).map_err(|e| e.to_string())?;
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
    let settings = ClientMessage::NewGame(GameSettings {
        opponent: Opponent::Level { level, adaptive: false },
        side: Some("black".to_owned()),
        ..GameSettings::default()
    });
    send(&mut link, &settings).await?;
    let (mut game, _) = next_game(&mut link, Instant::now()).await?;
    while samples.len() < moves as usize {
        if game.is_over() {
            send(&mut link, &settings).await?;
            let before = game.game.clone();
            while game.game == before {
                (game, _) = next_game(&mut link, Instant::now()).await?;
            }
        }
        let legal = &game.position.legal;
        let Some(chosen) = legal.get((samples.len() * 7 + number as usize) % legal.len().max(1))
        else {
            return Err(format!("game {}: no move to make", game.game));
        };
        let text = chosen.clone();
        let played = MoveRequest { game: game.game.clone(), text, ply: None };
        send(&mut link, &ClientMessage::Move(played)).await?;
        let (asked, mut first) = (Instant::now(), None);
        loop {
            let (told, thought) = next_game(&mut link, asked).await?;
            (game, first) = (told, first.or(thought));
            if game.is_over() || game.may.play {
                break;
            }
        }
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
