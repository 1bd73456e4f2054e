//! How many go through which stage of the championship (articles 17 to 19).

/// Sizes of the stages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Plan {
    /// How many of the best seeds enter in the second stage; everybody, where there is no first.
    pub seeded: usize,
    /// How many go from the first to the second stage; 0 where there is no first.
    pub promoted: usize,
    /// How many go from the second stage to the final.
    pub finalists: usize,
    /// Games each in the first and second stage.
    pub rounds: [usize; 2],
}

impl Plan {
    /// The plan for so many entries.
    pub fn of(entries: usize) -> Self {
        let more = if entries >= 65 { (entries - 60) / 5 } else { 0 };
        let (seeded, promoted) = if entries <= 24 { (entries, 0) } else { (16 + more, 8 + more) };
        Self { seeded, promoted, finalists: 8.min(entries), rounds: [8, 9] }
    }

    /// The seeds of the second stage: the seeded in their order, then the promoted in theirs. This
    /// is also the order that settles the last ties there.
    pub fn second_stage(&self, entries: &[String], promoted: &[String]) -> Vec<String> {
        let seeded = entries.iter().take(self.seeded);
        seeded.chain(promoted.iter().take(self.promoted)).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_by_entries() {
        for (entries, seeded, promoted) in [
            (8, 8, 0),
            (24, 24, 0),
            (25, 16, 8),
            (56, 16, 8),
            (64, 16, 8),
            (65, 17, 9),
            (69, 17, 9),
            (70, 18, 10),
        ] {
            let plan = Plan::of(entries);
            assert_eq!((plan.seeded, plan.promoted), (seeded, promoted), "{entries}");
        }
        assert_eq!(Plan::of(5).finalists, 5);
    }

    #[test]
    fn the_seeded_come_before_the_promoted() {
        let entries: Vec<String> = (0..30).map(|i| format!("e{i}")).collect();
        let promoted: Vec<String> = ["e20", "e29"].map(str::to_owned).to_vec();
        let second = Plan::of(30).second_stage(&entries, &promoted);
        assert_eq!((second[0].as_str(), second[16].as_str(), second.len()), ("e0", "e20", 18));
    }
}
