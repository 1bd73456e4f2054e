//! Random subspaces (after Ho 1998): from each batch only a share of the features may learn, drawn
//! anew every time, so that none can lean on the same others all the time.

use seed::Rng;

/// Which features may learn from a batch: all, or a share at random.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subspace {
    /// Of a hundred.
    pub(crate) share: u8,
    /// Tells one batch from another.
    pub(crate) key: u64,
}

impl Subspace {
    /// Whether the feature with that name may learn. The same answer for the same name and batch,
    /// whoever asks.
    #[inline(always)]
    pub(crate) fn picks(self, name: &[u64]) -> bool {
        self.share >= 100 || Rng::for_purpose(self.key, name).below(100) < usize::from(self.share)
    }

    /// For people: what to add to the words about a model.
    pub(crate) fn describe(share: u8, what: &str) -> String {
        match share {
            100.. => String::new(),
            share => format!(", {share} % of {what} at a time"),
        }
    }
}
