//! Every command with its flags. A command is what is asked: it is carried out by `run`.

mod grow;

pub use grow::{Extend, Mine, Play, Searching};

use crate::searcher::ByFleet;
use crate::{Console, WorkError};
use book::{Combine, Format};
use rules::Game;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

/// Opening books: convert, probe, check, make, merge, prune, diff, stats, tree, minimax, mine, extend, play
#[derive(clap::Args, Debug)]
pub struct BookArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand, Debug)]
enum Command {
    Convert(Convert),
    Probe(Probe),
    Check(Check),
    Make(Make),
    Merge(Merge),
    Prune(Prune),
    Diff(Diff),
    Stats(Stats),
    Tree(Tree),
    Minimax(Propagate),
    Mine(Mine),
    Extend(Extend),
    Play(Play),
}

impl BookArgs {
    /// Carries the command out; `fleet` makes whoever searches by a fleet. That whoever read the output has gone
    /// is no error.
    pub fn carry_out<'a>(
        &self,
        output: &'a mut dyn Write,
        tell: &'a mut dyn FnMut(&str),
        stop: &'a AtomicBool,
        fleet: ByFleet<'a>,
    ) -> Result<(), WorkError> {
        match self.run(&mut Console { output, tell, stop, fleet }) {
            Err(WorkError::Io(error)) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            done => done,
        }
    }

    /// Carries the command out on a console.
    pub fn run(&self, console: &mut Console<'_>) -> Result<(), WorkError> {
        match &self.command {
            Command::Convert(args) => args.run(console),
            Command::Probe(args) => args.run(console),
            Command::Check(args) => args.run(console),
            Command::Make(args) => args.run(console),
            Command::Merge(args) => args.run(console),
            Command::Prune(args) => args.run(console),
            Command::Diff(args) => args.run(console),
            Command::Stats(args) => args.run(console),
            Command::Tree(args) => args.run(console),
            Command::Minimax(args) => args.run(console),
            Command::Mine(args) => args.run(console),
            Command::Extend(args) => args.run(console),
            Command::Play(args) => args.run(console),
        }
    }
}

/// How books are read.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Reading {
    /// Format of the input, instead of telling it from content and name: nbk, db, ybb, bin or sbk
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<Format>,
    /// Game of a book that does not say it (ybb): shogi or minishogi
    #[arg(long, default_value = "shogi", value_parser = |s: &str| s.parse::<Game>())]
    pub game: Game,
    /// Threads that read text
    #[arg(long, value_name = "N", default_value_t = usual_threads())]
    pub threads: usize,
    /// Moves outside an Apery book that may lead to the next position in it
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub astray: u32,
}

pub(crate) fn usual_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// How a book is written.
#[derive(clap::Args, Clone, Debug)]
pub struct Writing {
    /// File to write; its name says the format: nbk, db, ybb, bin or sbk
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// Format of the output, instead of its name's
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<Format>,
    /// Replace the file if it exists
    #[arg(long)]
    pub force: bool,
    /// Memory for sorting in MiB; what does not fit is sorted in temporary files beside the output
    #[arg(long, value_name = "MIB", default_value_t = 512)]
    pub memory: usize,
}

/// Convert a book; what the format has no place for is counted
#[derive(clap::Args, Debug)]
pub struct Convert {
    /// Book to read (nbk, db, ybb, bin, sbk)
    pub input: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub writing: Writing,
}

/// Make one book of several
#[derive(clap::Args, Debug)]
pub struct Merge {
    /// The books, the most important first
    #[arg(required = true, num_args = 2..)]
    pub inputs: Vec<PathBuf>,
    /// Where two know a position: "both" adds counts and keeps the deeper value, "first" keeps what
    /// came first, "deeper" takes the position whose first move is deeper
    #[arg(long, value_name = "both|first|deeper", default_value = "both", value_parser = combine)]
    pub rule: Combine,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub writing: Writing,
}

fn combine(word: &str) -> Result<Combine, String> {
    let known = Combine::ALL.iter().find(|(name, _)| *name == word);
    known.map(|(_, rule)| *rule).ok_or_else(|| "there are both, first and deeper".to_owned())
}

/// Leave out what is not wanted
#[derive(clap::Args, Debug)]
pub struct Prune {
    /// Book to read (nbk, db, ybb, bin, sbk)
    pub input: PathBuf,
    /// Moves that are worse than the best of their position by more than this
    #[arg(long, value_name = "CP")]
    pub eval_diff: Option<i32>,
    /// Moves below this value
    #[arg(long, value_name = "CP", allow_hyphen_values = true)]
    pub min_value: Option<i32>,
    /// Moves that were played less often
    #[arg(long, value_name = "N")]
    pub min_count: Option<u64>,
    /// Moves beyond so many in a position, the worst ones
    #[arg(long, value_name = "N")]
    pub keep: Option<usize>,
    /// All moves of a position but the one that "play" stays with: the most played of those less than this behind the best, with --source of that source
    #[arg(long, value_name = "CP")]
    pub most_played: Option<i32>,
    /// Positions after this move of the game
    #[arg(long, value_name = "N")]
    pub max_ply: Option<u32>,
    /// Positions of the other side: b keeps those with Black to move, w with White
    #[arg(long, value_name = "b|w", value_parser = side)]
    pub side: Option<rules::Color>,
    /// Positions without a move whose source contains this: "search" keeps those that a search has looked at
    #[arg(long, value_name = "TEXT")]
    pub source: Option<String>,
    /// Replies, comments and sources of moves
    #[arg(long)]
    pub plain: bool,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub writing: Writing,
}

fn side(word: &str) -> Result<rules::Color, String> {
    match word {
        "b" => Ok(rules::Color::Black),
        "w" => Ok(rules::Color::White),
        _ => Err("b or w".to_owned()),
    }
}

/// Make a book from records of games, or add games to one
#[derive(clap::Args, Debug)]
pub struct Make {
    /// Records (CSA, KIF, KI2, JKF, USI), or folders of them
    #[arg(required = true, value_name = "IN")]
    pub inputs: Vec<PathBuf>,
    /// Only games whose players both have this rating (black_rate and white_rate of floodgate)
    #[arg(long, value_name = "N")]
    pub min_rating: Option<f64>,
    /// Only moves of the winner
    #[arg(long)]
    pub winners: bool,
    /// Up to this move of the game
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub max_ply: u32,
    /// Add to the book that is there: games it has seen are left out
    #[arg(long)]
    pub add: bool,
    /// The game of records that do not say it: shogi or minishogi
    #[arg(long, default_value = "shogi", value_parser = |s: &str| s.parse::<Game>())]
    pub game: Game,
    #[command(flatten)]
    pub writing: Writing,
}

/// What a book has to say about a position, move by move, and why each is taken or refused
#[derive(clap::Args, Debug)]
pub struct Probe {
    /// The books, the most important first
    #[arg(required = true)]
    pub books: Vec<PathBuf>,
    /// "startpos", a handicap or an SFEN
    #[arg(long, default_value = "startpos")]
    pub position: String,
    /// Moves to play from there, in USI notation
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    pub moves: Vec<String>,
    /// Options of the engine that bear on books, as NAME=VALUE
    #[arg(long = "option", value_name = "NAME=VALUE")]
    pub options: Vec<String>,
    /// shogi or minishogi
    #[arg(long, default_value = "shogi", value_parser = |s: &str| s.parse::<Game>())]
    pub game: Game,
    /// Seed of the choice among moves left
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
}

/// Look for faults: damage, illegal moves, disorder, pointless non-promotions
#[derive(clap::Args, Debug)]
pub struct Check {
    /// Book to read (nbk, db, ybb, bin, sbk)
    pub input: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

/// Compare two books
#[derive(clap::Args, Debug)]
pub struct Diff {
    pub first: PathBuf,
    pub second: PathBuf,
    /// Differences told in words
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub show: usize,
    #[command(flatten)]
    pub reading: Reading,
}

/// Count what is in a book
#[derive(clap::Args, Debug)]
pub struct Stats {
    /// Book to read (nbk, db, ybb, bin, sbk)
    pub input: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

/// Show the lines of a book as a tree
#[derive(clap::Args, Debug)]
pub struct Tree {
    /// Book to read (nbk, db, ybb, bin, sbk)
    pub input: PathBuf,
    /// "startpos", a handicap or an SFEN
    #[arg(long, default_value = "startpos")]
    pub position: String,
    /// Moves to play from there, in USI notation
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    pub moves: Vec<String>,
    /// How many moves deep
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub depth: usize,
    /// How many moves of each position
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub width: usize,
    /// shogi or minishogi
    #[arg(long, default_value = "shogi", value_parser = |s: &str| s.parse::<Game>())]
    pub game: Game,
}

/// Carry values from the ends of lines to their beginnings
#[derive(clap::Args, Debug)]
pub struct Propagate {
    /// Book to read (nbk, db, ybb, bin, sbk)
    pub input: PathBuf,
    /// How much less than nothing a draw is worth when we are Black
    #[arg(long, value_name = "CP", default_value_t = 0, allow_hyphen_values = true)]
    pub contempt_black: i32,
    /// How much less than nothing a draw is worth when we are White
    #[arg(long, value_name = "CP", default_value_t = 0, allow_hyphen_values = true)]
    pub contempt_white: i32,
    /// Keep only the moves that are as good as the best
    #[arg(long)]
    pub shrink: bool,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub writing: Writing,
}
