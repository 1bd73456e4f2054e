//! How fast games are played without a net: `selfplay [minishogi|shogi] [THREADS] [GAMES] [PLAYOUTS]`.

use balance::Temperature;
use features::{Labels, Planes};
use infer::{Backend, Shape, Uniform};
use reinforce::lots::{Assignments, Lots};
use reinforce::{PlaySettings, PlayerNet, SelfPlay};
use rules::Game;
use std::error::Error;
use std::io::Write;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let game: Game = words.next().as_deref().unwrap_or("minishogi").parse()?;
    let mut number = |usual: u64| words.next().map_or(Ok(usual), |word| word.parse::<u64>());
    let (threads, games, playouts) = (number(1)?, number(2000)?, number(32)?);
    let shape = match game {
        Game::Shogi => Shape { game, planes: Planes::Dlshogi, labels: Labels::Dlshogi },
        Game::Minishogi => Shape { game, planes: Planes::Minishogi, labels: Labels::Minishogi },
    };
    let settings =
        PlaySettings { playouts: playouts as u32, fast_share: 0.0, ..PlaySettings::usual(game) };
    let net = |_| Arc::new(Uniform::new(shape)) as Arc<dyn Backend>;
    let stop = AtomicBool::new(false);
    let pairs = vec![(Temperature::ZERO, Temperature::ZERO)];
    let assignments = Assignments::Paired { pairs, starts: 1 };
    let lots = Lots { assignments, seed: 1, played_out: 1.0 };
    let play = SelfPlay {
        settings: &settings,
        lots: &lots,
        resign: None,
        first: 0,
        last: games,
        net: PlayerNet::OnThreads((0..threads).map(net).collect()),
        other: None,
        threads: NonZeroUsize::new(threads as usize).ok_or("no threads")?,
        games: NonZeroUsize::MIN,
        stop: &stop,
    };
    let (began, mut evaluations, mut plies) = (Instant::now(), 0, 0);
    play.run(&mut |game| {
        evaluations += game.evaluations;
        plies += game.game.plies.len();
        ControlFlow::Continue(())
    })?;
    let seconds = began.elapsed().as_secs_f64();
    writeln!(
        std::io::stdout(),
        "{game}, {threads} threads, {playouts} playouts: {games} games of {:.1} plies in {seconds:.1} s, \
         {:.0} evaluations/s, {:.0} games/s",
        plies as f64 / games as f64,
        evaluations as f64 / seconds,
        games as f64 / seconds,
    )?;
    Ok(())
}
