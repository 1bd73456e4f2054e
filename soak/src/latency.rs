//! How fast moves are relayed.
//!
//! A server in a process of its own, on loopback, with its data on disk; many games at once, each
//! with a move in every interval. Measured is the time from before a move is written until both
//! players have read it.

use crate::Failure;
use crate::subject::{Program, Subject};
use rules::{AnyPosition, Game};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufStream};
use tokio::net::TcpStream;

#[derive(clap::Args)]
pub(crate) struct LatencyArgs {
    /// Numbers of games at once.
    #[arg(long, value_delimiter = ',', default_value = "20,100,1000,3000")]
    games: Vec<usize>,
    /// How long to measure each.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Time between the moves of a game.
    #[arg(long, default_value_t = 1000, value_name = "MILLISECONDS")]
    interval: u64,
    /// What a stored move survives.
    #[arg(long, default_value = "process", value_parser = ["process", "power"])]
    durability: String,
    /// The folder in which the data lies while it is measured.
    #[arg(long)]
    folder: Option<PathBuf>,
}

/// Moves of the game played before it is measured.
const WARM: usize = 50;

/// How long a game may take to get going.
const PATIENCE: Duration = Duration::from_secs(120);

pub(super) fn run(args: &LatencyArgs, program: &Program) -> Result<(), Failure> {
    if let Some(parent) = &args.folder {
        std::fs::create_dir_all(parent)?;
    }
    let mut out = std::io::stdout().lock();
    writeln!(out, "games  moves   mean ms  p50 ms  p99 ms  max ms  KiB/game")?;
    for &games in &args.games {
        // Every number begins with an empty file.
        let mut builder = tempfile::Builder::new();
        builder.prefix("soak-");
        let folder =
            args.folder.as_ref().map_or_else(|| builder.tempdir(), |f| builder.tempdir_in(f))?;
        writeln!(out, "{}", measure(games, args, program, folder.path())?)?;
        out.flush()?;
    }
    Ok(())
}

fn measure(
    games: usize,
    args: &LatencyArgs,
    program: &Program,
    folder: &Path,
) -> Result<String, Failure> {
    let settings = format!(
        "status = \"\"\nmax_moves = 0\ndurability = \"{}\"\n\
         [limits]\nconnections = 100000\nper_address = 100000\n",
        args.durability
    );
    let server = Subject::start(program, folder, 0, &settings)?;
    let interval = Duration::from_millis(args.interval.max(1));
    let length =
        usize::try_from(args.seconds * 1000 / args.interval.max(1)).unwrap_or(usize::MAX).max(1);
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let (times, before, after) = runtime.block_on(async {
        // What the first game needs once and for all is not counted to every game.
        let alone = std::sync::Arc::new(tokio::sync::Barrier::new(1));
        let first = line_of_play(u64::MAX, WARM);
        let quick = Duration::from_millis(10);
        play(server.port, games, first, alone, Duration::ZERO, quick)
            .await
            .map_err(|error| Failure::Failed(error.to_string()))?;
        let before = server.memory();
        let ready = std::sync::Arc::new(tokio::sync::Barrier::new(games + 1));
        let mut tasks = Vec::with_capacity(games);
        for index in 0..games {
            let ready = std::sync::Arc::clone(&ready);
            let offset = interval.mul_f64(index as f64 / games as f64);
            let moves = line_of_play(index as u64, length);
            tasks.push(tokio::spawn(play(server.port, index, moves, ready, offset, interval)));
            // Not all at the same moment: the queue of new connections is short.
            if index % 50 == 49 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
        let started = tokio::time::timeout(PATIENCE, ready.wait()).await;
        if started.is_err() {
            return Err(Failure::Failed("the games did not begin in time".to_owned()));
        }
        let mut times: Vec<Duration> = Vec::new();
        let mut after = None;
        for task in tasks {
            let measured = task.await.map_err(|error| Failure::Failed(error.to_string()))?;
            times.extend(measured.map_err(|error| Failure::Failed(error.to_string()))?);
            after = after.max(server.memory());
        }
        Ok((times, before, after))
    })?;
    Ok(row(games, times, before.zip(after)))
}

fn row(games: usize, mut times: Vec<Duration>, memory: Option<(u64, u64)>) -> String {
    times.sort_unstable();
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    let at = |share: f64| {
        times.get(((times.len() as f64 * share) as usize).min(times.len().saturating_sub(1)))
    };
    let of = |share: f64| at(share).map_or(0.0, |&time| ms(time));
    let mean = ms(times.iter().sum::<Duration>()) / times.len().max(1) as f64;
    let memory = memory.map_or("-".to_owned(), |(before, after)| {
        format!("{:.1}", after.saturating_sub(before) as f64 / games.max(1) as f64)
    });
    format!(
        "{games:>5}  {:>6}  {mean:>7.3}  {:>6.3}  {:>6.3}  {:>6.3}  {memory:>8}",
        times.len(),
        of(0.5),
        of(0.99),
        of(1.0)
    )
}

/// Moves that can be played, at random but always the same.
fn line_of_play(seed: u64, length: usize) -> Vec<String> {
    let mut random = seed::Rng::new(seed);
    loop {
        let mut position = AnyPosition::startpos(Game::Shogi);
        let mut moves = Vec::with_capacity(length);
        while moves.len() < length {
            let legal = position.legal_moves();
            if legal.is_empty() {
                break;
            }
            let m = legal[random.below(legal.len())];
            moves.push(kifu::wire::write_move(&position, m));
            position.play(m);
            if position.repetition().is_some() {
                break;
            }
        }
        if moves.len() == length && position.repetition().is_none() {
            return moves;
        }
    }
}

struct Player {
    stream: BufStream<TcpStream>,
    line: String,
}

impl Player {
    async fn login(port: u16, name: &str, password: &str) -> std::io::Result<Self> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await?;
        stream.set_nodelay(true)?;
        let mut player =
            Self { stream: BufStream::with_capacity(512, 128, stream), line: String::new() };
        player.say(&format!("LOGIN {name} {password}\n")).await?;
        Ok(player)
    }

    async fn say(&mut self, text: &str) -> std::io::Result<()> {
        self.stream.write_all(text.as_bytes()).await?;
        self.stream.flush().await
    }

    async fn receive(&mut self) -> std::io::Result<&str> {
        self.line.clear();
        if self.stream.read_line(&mut self.line).await? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        Ok(self.line.trim_end())
    }

    async fn until(&mut self, begin: &str) -> std::io::Result<()> {
        while !self.receive().await?.starts_with(begin) {}
        Ok(())
    }
}

async fn play(
    port: u16,
    index: usize,
    moves: Vec<String>,
    ready: std::sync::Arc<tokio::sync::Barrier>,
    offset: Duration,
    interval: Duration,
) -> std::io::Result<Vec<Duration>> {
    let game = format!("bench{index}-100000-0");
    let mut black = Player::login(port, &format!("b{index}"), &format!("{game}-B")).await?;
    let mut white = Player::login(port, &format!("w{index}"), &format!("{game}-W")).await?;
    for player in [&mut black, &mut white] {
        player.until("END Game_Summary").await?;
        player.say("AGREE\n").await?;
    }
    black.until("START:").await?;
    white.until("START:").await?;
    ready.wait().await;
    let mut tick = tokio::time::interval_at(tokio::time::Instant::now() + offset, interval);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut times = Vec::with_capacity(moves.len());
    for (number, text) in moves.iter().enumerate() {
        tick.tick().await;
        let line = format!("{text}\n");
        let before = Instant::now();
        let (mover, other) =
            if number % 2 == 0 { (&mut black, &mut white) } else { (&mut white, &mut black) };
        mover.say(&line).await?;
        let (mine, theirs) = tokio::join!(mover.receive(), other.receive());
        if !mine?.starts_with(text.as_str()) || !theirs?.starts_with(text.as_str()) {
            return Err(std::io::Error::other("the game went wrong"));
        }
        times.push(before.elapsed());
    }
    Ok(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_play_are_legal_and_the_same_every_time() {
        let moves = line_of_play(7, 40);
        assert_eq!(moves, line_of_play(7, 40));
        assert_ne!(moves, line_of_play(8, 40));
        let mut position = AnyPosition::startpos(Game::Shogi);
        for text in moves {
            position.play(kifu::wire::read_move(&position, &text).unwrap());
        }
    }

    #[test]
    fn the_table() {
        let times = (1..=100).map(Duration::from_millis).collect();
        let text = row(2, times, Some((100, 164)));
        let words: Vec<&str> = text.split_whitespace().collect();
        assert_eq!(words, ["2", "100", "50.500", "51.000", "100.000", "100.000", "32.0"]);
    }
}
