//! `nue go`: one search for people without a graphical interface.

use crate::assemble;
use crate::evaluation::EvaluationArgs;
use crate::failure::{CommandResult, Failure};
use crate::interrupt;
use crate::output;
use crate::start::{self, GameArg};
use assembly::options::{ANALYSIS_MODE, HASH, MULTI_PV, PV_INTERVAL, THREADS};
use clap::{Args, ValueEnum};
use engines::search_table::{Notation, SearchTable};
use rules::{AnyPosition, Color};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use think::{Control, Limits, TimeSource, WallTime};

/// Milliseconds where nothing bounds the search.
const USUAL_TIME: u64 = 5000;

/// How moves are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum NotationArg {
    /// ▲７六歩△３四歩
    Japanese,
    /// 7g7f 3c3d
    Usi,
}

/// Search one position and show what is found as a table, the best move last
#[derive(Args)]
pub(crate) struct GoArgs {
    /// "startpos", a handicap (lance, bishop, rook, rook-lance, 2, 4, 6, …) or an SFEN
    #[arg(default_value = "startpos")]
    position: Vec<String>,

    /// The same, as an option
    #[arg(long, conflicts_with = "position")]
    sfen: Option<String>,

    /// Moves to play from there, in USI notation
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    moves: Vec<String>,

    /// Think that many milliseconds (5000 if nothing bounds the search)
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    movetime: Option<u64>,

    /// Search that many nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    nodes: Option<u64>,

    /// Search that many plies deep
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    depth: Option<u32>,

    /// How many best lines to show
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=600))]
    multipv: u32,

    /// Threads that search
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: u32,

    /// Size of the transposition table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 256,
          value_parser = clap::value_parser!(u32).range(1..=1 << 25))]
    hash: u32,

    /// How moves are written
    #[arg(long, value_enum, default_value_t = NotationArg::Japanese)]
    notation: NotationArg,

    #[command(flatten)]
    evaluation: EvaluationArgs,

    #[command(flatten)]
    game: GameArg,
}

pub(crate) fn run(args: &GoArgs) -> CommandResult {
    let position = position(args)?;
    let game = position.game();
    let (evaluation, about) = args.evaluation.as_engine(game)?;
    let output = output::stdout();
    output.text(&format!("{}\nevaluation: {about}\n", kifu::diagram(&position)));
    let time: Arc<dyn TimeSource> = Arc::new(WallTime::start());
    let mut engine = assemble::search(game, &evaluation, Arc::clone(&time));
    for (name, value) in [
        HASH.to(args.hash as usize),
        THREADS.to(args.threads as usize),
        MULTI_PV.to(args.multipv as usize),
        // One position, one value, whatever moves led to it.
        ANALYSIS_MODE.to(true),
        // Every depth is worth a line here.
        PV_INTERVAL.to(0),
    ] {
        engine.set_option(name, &value).map_err(|error| Failure::usage(error.to_string()))?;
    }
    engine.is_ready(&mut |text| output.text(text));
    engine.set_position(position.clone()).map_err(|error| Failure::failed(error.to_string()))?;
    let notation = match args.notation {
        NotationArg::Japanese => Notation::Japanese,
        NotationArg::Usi => Notation::Usi,
    };
    let scale = evaluation.win_rate_scale();
    let table = SearchTable::new(output, position, notation, args.multipv > 1, scale);
    // Heard from the first line on: an interrupt that comes before there is a search to stop is made up for.
    let search = Arc::new(OnceLock::<Control>::new());
    let latest = Arc::clone(&search);
    let stop = move || latest.get().into_iter().for_each(Control::stop);
    let interrupted = interrupt::and_then(stop);
    engine.go(Limits { start: time.now(), ..limits(args) }, Box::new(table));
    let control = search.get_or_init(|| engine.control());
    if interrupted.load(Ordering::SeqCst) {
        control.stop();
    }
    engine.wait();
    interrupt::check(&interrupted, ": this is what was found so far")
}

fn position(args: &GoArgs) -> Result<AnyPosition, Failure> {
    let text = args.sfen.clone().unwrap_or_else(|| args.position.join(" "));
    let position = start::resolve(args.game.game, &text, &args.moves)?;
    match Color::BOTH.into_iter().find(|&color| position.king(color).is_none()) {
        Some(color) => Err(Failure::failed(format!(
            "{color} has no king: no game is played from here (for mate problems: nue mate)"
        ))),
        None => Ok(position),
    }
}

fn limits(args: &GoArgs) -> Limits {
    let bounded = args.movetime.is_some() || args.nodes.is_some() || args.depth.is_some();
    let movetime = if bounded { args.movetime } else { Some(USUAL_TIME) };
    Limits {
        movetime: movetime.map(Duration::from_millis),
        nodes: args.nodes,
        depth: args.depth,
        ..Limits::default()
    }
}
