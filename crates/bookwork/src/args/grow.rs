//! Commands that make books grow: what they search, and how.

use crate::mine::Way;
use rules::Game;
use std::path::PathBuf;

/// How positions are searched.
#[derive(clap::Args, Clone, Debug)]
pub struct Searching {
    /// Nodes of a search
    #[arg(long, value_name = "N", default_value_t = 100_000)]
    pub nodes: u64,
    /// Moves valued in a search
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub multipv: usize,
    /// As many moves more while the last one is worse than the best by at most this; 0 for never
    #[arg(long, value_name = "CP", default_value_t = 30)]
    pub widen: i32,
    /// Evaluation of the search, as EvalDir
    #[arg(long, value_name = "FOLDER")]
    pub eval: Option<String>,
    /// Threads: of the search, or with --fleet as many searches at a time
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub threads: usize,
    /// shogi or minishogi
    #[arg(long, default_value = "shogi", value_parser = |s: &str| s.parse::<Game>())]
    pub game: Game,
    /// Through the queue of a fleet in this process; --fleet=FOLDER by the fleet served there
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true, default_missing_value = "self")]
    pub fleet: Option<PathBuf>,
}

/// Grow a book: choose leaves, search them, propagate, again. Started again it goes on
#[derive(clap::Args, Debug)]
pub struct Mine {
    /// The book to grow (nbk); made if it is not there
    pub book: PathBuf,
    /// Where lines begin: "startpos", a handicap or an SFEN
    #[arg(long, default_value = "startpos")]
    pub position: String,
    /// Rounds of choosing, searching and propagating
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub rounds: u32,
    /// Leaves searched in a round
    #[arg(long, value_name = "N", default_value_t = 16)]
    pub leaves: usize,
    /// How leaves are chosen, in turn: best-line, refutation, rejoin, lost, rival
    #[arg(long, value_name = "WAY,…", value_delimiter = ',', default_value = "best-line")]
    pub by: Vec<Way>,
    /// For "lost": records of games, or folders of them
    #[arg(long, value_name = "IN", num_args = 1..)]
    pub games: Vec<PathBuf>,
    /// For "lost": only games lost by players whose name contains this
    #[arg(long, value_name = "NAME")]
    pub player: Option<String>,
    /// For "rival": the book to play against
    #[arg(long, value_name = "FILE")]
    pub rival: Option<PathBuf>,
    /// Moves of the other side that are followed: so much worse for it than the beginning at most
    #[arg(long, value_name = "CP", default_value_t = 30)]
    pub eval_diff: i32,
    /// For "refutation": a move counts as refuted when propagation took so much from it
    #[arg(long, value_name = "CP", default_value_t = 100)]
    pub margin: i32,
    /// Lines that are worth more than this to either side are not followed
    #[arg(long, value_name = "CP", default_value_t = 400)]
    pub max_value: i32,
    /// Lines are not followed beyond this move of the game
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub max_ply: u32,
    /// Go on from every leaf along its best moves, so many plies
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub extend: u32,
    #[arg(long, value_name = "CP", default_value_t = 0, allow_hyphen_values = true)]
    /// How much less than nothing a draw is worth when we are Black
    pub contempt_black: i32,
    /// How much less than nothing a draw is worth when we are White
    #[arg(long, value_name = "CP", default_value_t = 0, allow_hyphen_values = true)]
    pub contempt_white: i32,
    #[command(flatten)]
    pub searching: Searching,
}

/// Extend a book from one position along its best moves, so many plies beyond what it knows
#[derive(clap::Args, Debug)]
pub struct Extend {
    /// The book to grow (nbk); made if it is not there
    pub book: PathBuf,
    /// "startpos", a handicap or an SFEN
    #[arg(long, default_value = "startpos")]
    pub position: String,
    /// Moves to play from there, in USI notation
    #[arg(long, num_args = 1.., value_name = "MOVE")]
    pub moves: Vec<String>,
    /// Positions to search, one after the other
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub plies: u32,
    /// The line ends where it is worth more than this to either side
    #[arg(long, value_name = "CP", default_value_t = 400)]
    pub max_value: i32,
    #[command(flatten)]
    pub searching: Searching,
}

/// Grow a book by games: the book's side thinks longer, a move stays as long as it never turned out worse
#[derive(clap::Args, Debug)]
pub struct Play {
    /// The book to grow (nbk); made if it is not there
    pub book: PathBuf,
    /// Where games begin: "startpos", a handicap or an SFEN
    #[arg(long, default_value = "startpos")]
    pub position: String,
    /// Games, the book's side Black and White in turn
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub games: u32,
    /// Nodes of the opponents, who take turns; --nodes is what the book's side has
    #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "10000,5000,20000")]
    pub opponents: Vec<u64>,
    /// Instead of --opponents one that plays as in a match: so much time for a move, and it remembers the game
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub opponent_time: Option<u64>,
    /// Games at a time; those of a round, twice as many, are played with the same book
    #[arg(short = 'j', long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub concurrency: u32,
    /// Opponents play what is worse than their best by at most this, drawn at random
    #[arg(long, value_name = "CP", default_value_t = 40)]
    pub eval_diff: i32,
    /// A move has turned out worse when its side came to have so much less
    #[arg(long, value_name = "CP", default_value_t = 100)]
    pub margin: i32,
    /// Nodes of a study, as a multiple of --nodes
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub study: u64,
    /// A game is decided when it is worth this to one side
    #[arg(long, value_name = "CP", default_value_t = 600)]
    pub max_value: i32,
    /// Games end after this move
    #[arg(long, value_name = "N", default_value_t = 60)]
    pub max_ply: u32,
    /// A game ends when it has met so many positions that the book did not know: those that games come to often are searched first
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub new: Option<u32>,
    /// Seed of the opponents' choice
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    #[command(flatten)]
    pub searching: Searching,
}
