//! A list of feature numbers that never allocates.

/// Up to `N` feature numbers.
#[derive(Clone, Debug)]
pub struct List<const N: usize> {
    len: usize,
    items: [u32; N],
}

impl<const N: usize> List<N> {
    /// An empty list.
    pub const fn new() -> Self {
        Self { len: 0, items: [0; N] }
    }

    /// Empties the list.
    #[inline]
    pub fn clear(&mut self) {
        self.len = 0;
    }

    /// Adds a number.
    ///
    /// # Panics
    /// If the list is full.
    #[inline]
    pub fn push(&mut self, item: u32) {
        self.items[self.len] = item;
        self.len += 1;
    }
}

impl<const N: usize> Default for List<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> std::ops::Deref for List<N> {
    type Target = [u32];

    #[inline]
    fn deref(&self) -> &[u32] {
        &self.items[..self.len]
    }
}
