//! Many games in virtual time with children that do everything wrong:
//! `cargo run -p cluster --example soak -- GAMES [SEED] [THREADS]`. Ends with 1 if anything that must not be was.

use cluster::Config;
use cluster::simulation::{GameReport, GameSettings, Misbehaviour, play_game};
use play::{ClockRule, Credit, GameTime};
use rules::Game;
use std::collections::BTreeMap;
use std::io::Write;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const CONFIGS: [&str; 4] = [
    include_str!("configs/majority.toml"),
    include_str!("configs/exchange.toml"),
    include_str!("configs/arbiter.toml"),
    include_str!("configs/ponder.toml"),
];

fn clock(number: u64) -> ClockRule {
    let millis = Duration::from_millis;
    let (main, byoyomi, increment) = match number % 5 {
        0 => (0, 1000, 0),
        1 => (10_000, 0, 500),
        2 => (60_000, 3000, 0),
        3 => (30_000, 0, 0),
        _ => (0, 300, 0),
    };
    let game = GameTime {
        main: millis(main),
        byoyomi: millis(byoyomi),
        increment: millis(increment),
        credit: Credit::AfterMove,
        delay: Duration::ZERO,
    };
    ClockRule { game: Some(game), ..ClockRule::default() }
}

/// What came of many games.
#[derive(Default)]
struct Sum {
    games: u64,
    all: GameReport,
    misbehaviours: BTreeMap<Misbehaviour, u32>,
}

impl Sum {
    fn add(&mut self, report: GameReport) {
        self.games += 1;
        let all = &mut self.all;
        (all.moves, all.hits, all.own) =
            (all.moves + report.moves, all.hits + report.hits, all.own + report.own);
        all.faults += report.faults;
        all.failures.extend(report.failures);
        for (misbehaviour, count) in report.misbehaviours {
            *self.misbehaviours.entry(misbehaviour).or_default() += count;
        }
    }

    fn tell(&self) {
        let (all, misbehaviours) = (&self.all, &self.misbehaviours);
        let done: u32 = misbehaviours.values().sum();
        // Where nobody reads it there is nobody to tell.
        let _ = writeln!(
            std::io::stdout(),
            "{} games, {} moves ({} foreseen, {} of the master alone), {done} misbehaviours {misbehaviours:?}, \
             {} children cut off, {} failures",
            self.games,
            all.moves,
            all.hits,
            all.own,
            all.faults,
            all.failures.len()
        );
    }
}

fn main() -> ExitCode {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<u64>().unwrap_or(0));
    let (games, seed) = (args.next().unwrap_or(1000), args.next().unwrap_or(0));
    let threads = args.next().unwrap_or(1).max(1);
    let configs = CONFIGS.map(|text| Config::parse(text).expect("the examples are right"));
    let (next, sum) = (AtomicU64::new(seed), Mutex::new(Sum::default()));
    let work = || {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= seed + games {
                return;
            }
            let report = play_game(&GameSettings {
                config: configs[number as usize % configs.len()].clone(),
                game: if number % 8 == 7 { Game::Minishogi } else { Game::Shogi },
                seed: number,
                clock: clock(number / 4),
                misbehaviours: 0.05 + 0.25 * (number % 3) as f64,
                plies: 60,
            });
            for failure in &report.failures {
                let _ = writeln!(std::io::stdout(), "seed {number}: {failure}");
            }
            let mut sum = sum.lock().expect("no thread has failed");
            sum.add(report);
            if sum.games.is_multiple_of(1000) && sum.games < games {
                sum.tell();
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            let thread = std::thread::Builder::new().stack_size(think::STACK);
            thread.spawn_scoped(scope, work).expect("a thread");
        }
    });
    let sum = sum.into_inner().expect("no thread has failed");
    sum.tell();
    ExitCode::from(u8::from(!sum.all.failures.is_empty()))
}
