//! What ends a game before mate, beside resignation.

use arena::adjudication::DrawRule;
use arena::request::MatchRequest;
use clap::Args;
use rules::Declaration;

/// What ends a game before mate, beside resignation.
#[derive(Args, Clone, Copy)]
pub(crate) struct GameEndFlags {
    /// End games that are drawn by score: score=10,moves=20[,from=100]
    #[arg(long, value_name = "KEY=VALUE,…")]
    pub(crate) draw: Option<DrawRule>,

    /// Moves after which a game is drawn; 0 for no limit
    #[arg(long, value_name = "N", default_value_t = MatchRequest::default().max_moves)]
    pub(crate) max_moves: u32,

    /// Entering-king rule
    #[arg(long, value_name = "RULE", default_value_t = MatchRequest::default().declaration, value_parser = |s: &str| s.parse::<Declaration>())]
    pub(crate) declaration: Declaration,
}
