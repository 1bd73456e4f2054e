//! How often the search does what: counted only where it is compiled with the feature `counts`, as
//! `cargo xtask bench counts` does. Elsewhere nothing of it is left.

use std::fmt;

/// What one thread has counted in one search.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Counts {
    /// Nodes of quiescence, of all nodes.
    pub(crate) quiescence: u64,
    /// Nodes of the main search at which a move was enough, and how often the first one was.
    pub(crate) cuts: u64,
    pub(crate) first: u64,
    /// Late moves read less deep, and how often one of them was read again.
    pub(crate) reduced: u64,
    pub(crate) again: u64,
}

impl Counts {
    /// Whether anything is counted.
    pub(crate) const ON: bool = cfg!(feature = "counts");

    /// A move was enough at a node of the main search.
    #[inline]
    pub(crate) fn cut(&mut self, first: bool) {
        if Self::ON {
            self.cuts += 1;
            self.first += u64::from(first);
        }
    }

    /// Counts one, where counting is on.
    #[inline]
    pub(crate) fn count(&mut self, which: impl Fn(&mut Self) -> &mut u64) {
        if Self::ON {
            *which(self) += 1;
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { quiescence, cuts, first, reduced, again } = self;
        write!(
            f,
            "counts: quiescence {quiescence} cuts {cuts} first {first} reduced {reduced} again {again}"
        )
    }
}
