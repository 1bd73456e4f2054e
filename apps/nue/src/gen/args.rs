//! The command line of `nue gen`.

use crate::failure::Failure;
use crate::flags::{FleetFlag, SelfPlayFlags};
use crate::start::GameArg;
use arena::selfplay::file::{Existing, Goal};
use arena::selfplay::settings::SelfPlaySettings;
use clap::Args;
use lab::selfplay::SelfPlay;
use std::path::PathBuf;

/// Make teacher data by self-play
///
/// One engine plays both sides with one table. The same settings and seed give the same games on
/// any number of threads; an interrupted run continues with --resume.
#[derive(Args)]
pub(crate) struct GenArgs {
    /// File to write
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,

    /// Stop after that many games
    #[arg(long, value_name = "N", required_unless_present_any = ["positions", "minutes"],
          value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,

    /// Stop after that many positions
    #[arg(long, value_name = "N", conflicts_with = "games",
          value_parser = clap::value_parser!(u64).range(1..))]
    positions: Option<u64>,

    /// Nodes for each move
    #[arg(long, value_name = "N", default_value_t = SelfPlaySettings::default().nodes,
          value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,

    /// Seed of the random moves: the same seed gives the same games
    #[arg(long, value_name = "N", default_value_t = SelfPlaySettings::default().seed)]
    seed: u64,

    /// Games at a time; as many as processors if missing
    #[arg(long, short = 'j', value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,

    /// A net file, or a folder with nn.bin, kkppt.bin or three-piece tables
    #[arg(long, value_name = "FILE|DIR")]
    net: Option<PathBuf>,

    /// Go on with the file
    #[arg(long, conflicts_with = "force")]
    resume: bool,

    /// Replace the file if it exists
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    flags: SelfPlayFlags,

    #[command(flatten)]
    pub(super) fleet: FleetFlag,

    #[command(flatten)]
    game: GameArg,
}

impl GenArgs {
    /// The self-play these flags ask for.
    pub(crate) fn request(&self) -> Result<SelfPlay, Failure> {
        let settings = SelfPlaySettings {
            game: self.game.game,
            nodes: self.nodes,
            seed: self.seed,
            ..SelfPlaySettings::default()
        };
        let mut request = SelfPlay {
            out: self.out.clone(),
            existing: self.existing(),
            goal: Goal { games: self.games, positions: self.positions, time: None },
            net: self.net.clone(),
            threads: self.threads.map(usize::from),
            settings,
            ..SelfPlay::default()
        };
        self.flags.fill(&mut request)?;
        Ok(request)
    }

    const fn existing(&self) -> Existing {
        match (self.resume, self.force) {
            (true, _) => Existing::Resume,
            (_, true) => Existing::Replace,
            _ => Existing::Refuse,
        }
    }
}
