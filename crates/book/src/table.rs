//! Positions by their hashes, in little memory.

/// Numbers by the hashes of positions: open addressing, with half of a hash beside the number.
pub(crate) struct Table {
    /// Hash in the upper half, number in the lower; all ones if free.
    slots: Vec<u64>,
    mask: u64,
}

const FREE: u64 = u64::MAX;

impl Table {
    pub(crate) fn new(count: usize) -> Self {
        let size = (2 * count).next_power_of_two().max(16);
        Self { slots: vec![FREE; size], mask: size as u64 - 1 }
    }

    /// The number that this hash may mean, if `is_it` says so.
    #[inline]
    pub(crate) fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let mut at = hash & self.mask;
        loop {
            let slot = self.slots[at as usize];
            if slot == FREE {
                return None;
            }
            if slot >> 32 == hash >> 32 && is_it(slot as u32) {
                return Some(slot as u32);
            }
            at = (at + 1) & self.mask;
        }
    }

    pub(crate) fn insert(&mut self, hash: u64, number: u32) {
        let mut at = hash & self.mask;
        while self.slots[at as usize] != FREE {
            at = (at + 1) & self.mask;
        }
        self.slots[at as usize] = hash >> 32 << 32 | u64::from(number);
    }
}
