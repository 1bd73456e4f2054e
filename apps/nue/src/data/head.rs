//! `nue data head`: the first games or positions, as text or as a file.

use super::args::InputArgs;
use super::summary::report;
use crate::failure::CommandResult;
use chart::grouped;
use corpus::Target;
use corpus::head::{self, Head, Item};
use display::InputBar;
use std::io::{self, Write};
use std::path::PathBuf;
use teacher::{Game, Labelled};

/// Show the first games (of PSV and hcpe: positions), or write them to a file
#[derive(clap::Args)]
pub(crate) struct HeadArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Number of games or records to show
    #[arg(short, long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    number: u64,
    /// File to write them to, instead of showing them
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Replace the file if it exists
    #[arg(long, requires = "output")]
    force: bool,
}

pub(crate) fn run(args: &HeadArgs) -> CommandResult {
    let request = Head { inputs: args.input.interruptible(), number: args.number };
    let bar = InputBar::new();
    let Some(path) = &args.output else {
        let mut out = io::stdout().lock();
        let mut take = |item: &Item<'_>| match item {
            Item::Game(game) => show_game(&mut out, game),
            Item::Position(read) => show_position(&mut out, read),
        };
        // A bar would be drawn into the text.
        return report(&head::show(&request, &mut take, &|_| ())?, "");
    };
    let target = Target { path: path.clone(), force: args.force, resume: false };
    let counts = head::write(&request, &target, &|progress| bar.show(progress))?;
    bar.rate();
    report(&counts, &format!("{}: {} positions", path.display(), grouped(counts.positions)))
}

fn show_game(out: &mut impl Write, game: &Game) -> io::Result<()> {
    writeln!(out, "{}  {}, {}", game.start.sfen(), game.outcome, game.reason)?;
    let rules = game.start.game();
    for ply in &game.plies {
        let random = if ply.flags.random { "?" } else { "" };
        let skip = if ply.flags.skip { "x" } else { "" };
        let score = ply.score.map_or("-".to_owned(), |s| s.to_string());
        write!(out, "  {}{random}{skip} {score}", ply.mv.usi(rules))?;
    }
    let last = game.last.map_or(String::new(), |s| format!("  … {s}"));
    writeln!(out, "{last}")
}

fn show_position(out: &mut impl Write, read: &Labelled) -> io::Result<()> {
    let position = &read.position;
    let mv = read.mv.map_or("-".to_owned(), |m| m.usi(position.game()));
    let (sfen, score, outcome) = (position.sfen(), read.score, read.outcome);
    writeln!(out, "{sfen}  {mv} {score}  {outcome}")
}
