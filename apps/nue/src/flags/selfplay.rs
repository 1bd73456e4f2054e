//! How games of self-play are played.

use super::GameEndFlags;
use crate::failure::Failure;
use arena::adjudication::Resignation;
use arena::opening::PlyRange;
use arena::selfplay::settings::{SelfPlaySettings, parse_plies};
use arena::selfplay::{LinePolicy, NearBest, RandomMoves};
use assembly::evaluation::LARGEST_FV_SCALE;
use clap::Args;
use lab::selfplay::SelfPlay;
use nnue::Isa;
use std::time::Duration;

/// How games of self-play are played.
#[derive(Args)]
pub(crate) struct SelfPlayFlags {
    /// Stop after that many minutes of this run
    #[arg(long, value_name = "N")]
    minutes: Option<f64>,

    /// Depth for each move, instead of nodes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    depth: Option<u32>,

    /// Moves chosen at random in each game
    #[arg(long, value_name = "N", default_value_t = usual().random.count)]
    random: usize,

    /// Plies after the opening among which they are: FIRST-LAST
    #[arg(long, value_name = "RANGE", default_value_t = usual().random.plies, value_parser = parse_plies)]
    random_plies: PlyRange,

    /// Choose among near-best moves: lines=4,margin=50,until=30
    #[arg(long, value_name = "KEY=VALUE,…")]
    near_best: Option<NearBest>,

    /// Read several lines at every move and write their scores down as a policy: lines=5,scale=100
    #[arg(long, value_name = "KEY=VALUE,…")]
    policy: Option<LinePolicy>,

    /// Begin anew where the first value after the random moves is further than this from zero
    #[arg(long, value_name = "CP")]
    balance: Option<u32>,

    /// Where games begin, with shares ("even:90"): even, a handicap, "handicaps", "entering", an SFEN,
    /// or in earlier games: "entering=FILE" where a king entered, "late=FILE" late in open ones
    #[arg(long = "start", value_name = "START[:SHARE]")]
    starts: Vec<String>,

    /// Positions, lines or records to begin from, with a share: FILE[:SHARE]
    #[arg(long, value_name = "FILE[:SHARE]")]
    openings: Vec<String>,

    /// Moves to take from each opening; by default all of USI lines, 24 of game records
    #[arg(long, value_name = "N")]
    plies: Option<usize>,

    /// End games that are lost by score: score=3000,moves=4[,both=false]; "never" plays them out
    #[arg(long, value_name = "KEY=VALUE,…", default_value_t = Resignation(usual().resign))]
    resign: Resignation,

    #[command(flatten)]
    end: GameEndFlags,

    /// MiB of table for each game under way
    #[arg(long, value_name = "MIB", default_value_t = SelfPlay::default().hash, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    hash: u32,

    /// Positions after which a block of the file is closed: what a crash can lose
    #[arg(long, value_name = "N", default_value_t = SelfPlay::default().block, value_parser = clap::value_parser!(u64).range(1..))]
    block: u64,

    /// Each side with a table of its own, for comparison
    #[arg(long)]
    separate: bool,

    /// Option of the engine: NAME=VALUE
    #[arg(long = "option", value_name = "NAME=VALUE")]
    options: Vec<String>,

    /// Divisor of the net's output
    #[arg(long, value_name = "N", default_value_t = SelfPlay::default().fv_scale,
          value_parser = clap::value_parser!(i32).range(1..=i64::from(LARGEST_FV_SCALE)))]
    fv_scale: i32,

    /// Instruction set for the net: auto, scalar, avx2, …; the values are the same with each
    #[arg(long, value_name = "NAME", default_value = "auto",
          value_parser = |s: &str| Isa::named(s))]
    isa: Isa,
}

fn usual() -> SelfPlaySettings {
    SelfPlaySettings::default()
}

impl SelfPlayFlags {
    /// Puts what the flags say into a request.
    pub(crate) fn fill(&self, request: &mut SelfPlay) -> Result<(), Failure> {
        // A time that is no time is over at once; one without end never is.
        let time = |minutes: f64| Duration::try_from_secs_f64((minutes * 60.0).max(0.0)).ok();
        request.goal.time = self.minutes.and_then(time);
        request.fv_scale = self.fv_scale;
        request.isa = self.isa;
        request.hash = self.hash;
        request.block = self.block;
        let SelfPlaySettings { game, nodes, seed, .. } = request.settings;
        request.settings = SelfPlaySettings {
            game,
            nodes,
            seed,
            starts: self.starts.clone(),
            openings: self.openings.clone(),
            plies: self.plies,
            depth: self.depth,
            random: RandomMoves { count: self.random, plies: self.random_plies },
            near_best: self.near_best,
            policy: self.policy,
            balance: self.balance,
            resign: self.resign.0,
            draw: self.end.draw,
            max_moves: self.end.max_moves,
            declaration: self.end.declaration,
            separate: self.separate,
            options: self.engine_options()?,
        };
        Ok(())
    }

    fn engine_options(&self) -> Result<Vec<(String, String)>, Failure> {
        let wrong = |text: &str| Failure::usage(format!("--option {text}: expected NAME=VALUE"));
        let option = |text: &String| {
            let (name, value) = text.split_once('=').ok_or_else(|| wrong(text))?;
            Ok((name.to_owned(), value.to_owned()))
        };
        self.options.iter().map(option).collect()
    }
}
