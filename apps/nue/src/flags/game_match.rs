//! How games of a match are played and written down.

use super::GameEndFlags;
use arena::adjudication::ResignRule;
use arena::request::MatchRequest;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;

/// How games of a match are played.
#[derive(Args)]
#[command(args_override_self = true)]
pub(crate) struct MatchFlags {
    /// Pairs for every engine, which its own override
    #[arg(long, value_name = "KEY=VALUE,…")]
    each: Vec<String>,

    /// Positions, lines or game records to begin from, each from both sides; a folder of them too
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,

    /// Moves to take from each opening; by default all of USI lines, 24 of game records
    #[arg(long, value_name = "N")]
    plies: Option<usize>,

    /// Where games begin without --openings: startpos, a handicap or an SFEN
    #[arg(long, value_name = "POSITION", default_value_t = usual().start)]
    start: String,

    /// Give each game at a time processors of its own
    #[arg(long, num_args = 0..=1, require_equals = true, default_value_t = usual().pin, default_missing_value = "true", action = clap::ArgAction::Set)]
    pin: bool,

    /// End games that are lost by score: score=3000,moves=4[,both=false]
    #[arg(long, value_name = "KEY=VALUE,…")]
    resign: Option<ResignRule>,

    #[command(flatten)]
    end: GameEndFlags,

    /// Milliseconds a player may overstep its time
    #[arg(long, value_name = "MS", default_value_t = usual().margin.as_millis() as u64)]
    margin: u64,

    /// End the match when an engine loses this many games in a row by faults; 0 for never
    #[arg(long, value_name = "N", default_value_t = usual().give_up)]
    give_up: u64,
}

fn usual() -> MatchRequest {
    MatchRequest::default()
}

impl MatchFlags {
    /// Puts what the flags say into a request; pairs for every engine come after those it has.
    pub(crate) fn fill(&self, request: &mut MatchRequest) {
        request.each.extend_from_slice(&self.each);
        request.openings.clone_from(&self.openings);
        request.plies = self.plies;
        request.start.clone_from(&self.start);
        request.pin = self.pin;
        request.resign = self.resign;
        request.draw = self.end.draw;
        request.max_moves = self.end.max_moves;
        request.declaration = self.end.declaration;
        request.margin = Duration::from_millis(self.margin);
        request.give_up = self.give_up;
    }
}
