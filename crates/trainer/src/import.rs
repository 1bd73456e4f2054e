//! A net in real numbers becomes one the engine plays with: rounded, compared with what was trained,
//! and tried on every instruction set.

use crate::floatnet::{Clipped, FloatNet, FloatNetError};
use crate::soundness::{COMPARED, Rounding, Sound, Unsound, soundness};
use nnue::AnyNet;

/// A net in integers, and what its making showed.
#[derive(Clone, Debug)]
pub struct Imported {
    pub net: AnyNet,
    /// Numbers that did not fit.
    pub clipped: Clipped,
    pub rounding: Rounding,
    pub sound: Sound,
}

/// Why a net in real numbers cannot be played with.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error(transparent)]
    Quantise(#[from] FloatNetError),
    #[error(
        "{rounding}; allowed are {tolerance} and {} (--tolerance)",
        Rounding::single(*tolerance)
    )]
    Rounding { rounding: Rounding, tolerance: f64 },
    #[error(transparent)]
    Unsound(#[from] Unsound),
}

impl std::fmt::Display for Rounding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "integers against real numbers on {COMPARED} positions: mean {:.1}; win rate: mean \
             {:.4}, largest {:.4}",
            self.mean, self.mean_rate, self.largest_rate
        )
    }
}

/// Makes the net. `tolerance`: the largest mean distance of win rates that is forgiven.
pub fn import(real: &FloatNet, tolerance: f64) -> Result<Imported, ImportError> {
    let quantised = real.quantise()?;
    let rounding = Rounding::of(&quantised.net, real);
    if !rounding.is_within(tolerance) {
        return Err(ImportError::Rounding { rounding, tolerance });
    }
    let sound = soundness(&quantised.net)?;
    Ok(Imported { net: quantised.net, clipped: quantised.clipped, rounding, sound })
}
