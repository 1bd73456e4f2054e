//! What a command evaluates with, from its command line.

pub(crate) use assembly::evaluation::{Evaluation, LARGEST_FV_SCALE, Single, single};

use crate::failure::Failure;
use clap::Args;
use nnue::{DEFAULT_FV_SCALE, Isa};
use rules::Game;
use std::path::{Path, PathBuf};

/// What a command evaluates with.
#[derive(Args)]
pub(crate) struct EvaluationArgs {
    /// A net file, or a folder with nn.bin, kkppt.bin or three-piece tables
    #[arg(long, value_name = "FILE|DIR")]
    net: Option<PathBuf>,

    /// Divisor of the net's output
    #[arg(long, value_name = "N", default_value_t = DEFAULT_FV_SCALE,
          value_parser = clap::value_parser!(i32).range(1..=i64::from(LARGEST_FV_SCALE)))]
    fv_scale: i32,

    /// Instruction set for the net: auto, scalar, avx2, …; the values are the same with each
    #[arg(long, value_name = "NAME", default_value = "auto",
          value_parser = |s: &str| Isa::named(s))]
    isa: Isa,
}

impl EvaluationArgs {
    /// The file or folder that was named.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.net.as_deref()
    }

    /// Divisor of the net's output.
    pub(crate) const fn fv_scale(&self) -> i32 {
        self.fv_scale
    }

    /// What was named, for whichever game it is; material if nothing was.
    pub(crate) fn named(&self) -> Result<Evaluation, Failure> {
        let Some(path) = &self.net else { return Ok(Evaluation::Material) };
        let found =
            Evaluation::find(path, self.fv_scale).map_err(|e| Failure::failed(e.to_string()));
        Ok(found?.with_isa(self.isa))
    }

    /// What the engine would play with: what was named, else what lies in the usual folder, else
    /// what is shipped. Also says which.
    pub(crate) fn as_engine(&self, game: Game) -> Result<(Evaluation, String), Failure> {
        let found = Evaluation::as_engine(self.net.as_deref(), game, self.fv_scale);
        let (evaluation, about) = found.map_err(|e| Failure::failed(e.to_string()))?;
        Ok((evaluation.with_isa(self.isa), about))
    }
}
