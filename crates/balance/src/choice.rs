//! A move chosen from the visits of a search.

use crate::power::{halved, log2};
use crate::temperature::Temperature;
use seed::Rng;

/// The index of the move that is played: move i with a chance of Nᵢ^(1/τ) beside the others. At
/// temperature 0 the first of those with most visits, without asking the generator. `None` if nothing was
/// visited.
///
/// Everything is integers: the same visits, temperature and generator give the same move on every
/// machine.
pub fn choose(visits: &[u32], temperature: Temperature, rng: &mut Rng) -> Option<usize> {
    let most = visits.iter().copied().max().filter(|&most| most > 0)?;
    if temperature == Temperature::ZERO {
        return visits.iter().position(|&n| n == most);
    }
    let weigh = Weighing::new(most, temperature);
    let total: u64 = visits.iter().map(|&n| weigh.weight(n)).sum();
    let mut at = ((u128::from(rng.bits()) * u128::from(total)) >> 64) as u64;
    for (index, &n) in visits.iter().enumerate() {
        let weight = weigh.weight(n);
        if at < weight {
            return Some(index);
        }
        at -= weight;
    }
    None
}

/// What turns visits into weights.
struct Weighing {
    most: u64,
    temperature: Temperature,
}

impl Weighing {
    fn new(most: u32, temperature: Temperature) -> Self {
        Self { most: log2(most), temperature }
    }

    fn weight(&self, visits: u32) -> u64 {
        if visits == 0 {
            return 0;
        }
        if self.temperature == Temperature::ONE {
            return u64::from(visits);
        }
        let below = self.most.saturating_sub(log2(visits));
        // A logarithm has 37 bits: a thousand times that is no overflow.
        halved(below * 1000 / u64::from(self.temperature.thousandths()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use seed::Rng;

    const VISITS: [u32; 6] = [10, 0, 400, 300, 89, 1];

    fn counts(thousandths: u32, times: u32) -> Vec<f64> {
        let mut rng = Rng::new(11);
        let mut counts = vec![0u32; VISITS.len()];
        for _ in 0..times {
            let at = choose(&VISITS, Temperature::from_thousandths(thousandths), &mut rng);
            counts[at.expect("there are visits")] += 1;
        }
        counts.into_iter().map(|n| f64::from(n) / f64::from(times)).collect()
    }

    #[test]
    fn shares_are_those_of_the_formula() {
        let times = 40_000;
        for thousandths in [200, 500, 999, 1000, 1001, 1300, 5000, 1_000_000] {
            let power = 1000.0 / f64::from(thousandths);
            let raised: Vec<f64> = VISITS
                .iter()
                .map(|&n| if n == 0 { 0.0 } else { f64::from(n).powf(power) })
                .collect();
            let sum: f64 = raised.iter().sum();
            for (share, raised) in counts(thousandths, times).into_iter().zip(raised) {
                let wanted = raised / sum;
                let error = (wanted * (1.0 - wanted) / f64::from(times)).sqrt();
                assert!((share - wanted).abs() <= 4.0 * error, "{thousandths}: {share} {wanted}");
            }
        }
    }

    #[test]
    fn without_temperature_the_first_of_the_most_visited_is_played() {
        let mut rng = Rng::new(1);
        for (visits, wanted) in
            [(&[3, 9, 9, 1][..], Some(1)), (&[0, 0, 1], Some(2)), (&[0, 0], None), (&[], None)]
        {
            assert_eq!(choose(visits, Temperature::ZERO, &mut rng), wanted, "{visits:?}");
        }
        assert_eq!(rng, Rng::new(1), "nothing was asked of the generator");
    }

    /// Games are played again from their seeds: these choices may never change.
    #[test]
    fn choices_are_fixed_for_all_time() {
        for (thousandths, wanted) in [
            (1000, [3, 2, 2, 2, 2, 3, 2, 3]),
            (1300, [3, 2, 2, 2, 2, 4, 2, 3]),
            (300, [3, 2, 2, 2, 2, 3, 2, 3]),
        ] {
            let mut rng = Rng::new(42);
            let temperature = Temperature::from_thousandths(thousandths);
            let chosen = [(); 8].map(|()| choose(&VISITS, temperature, &mut rng).expect("visits"));
            assert_eq!(chosen, wanted, "{thousandths}");
        }
    }

    proptest! {
        #[test]
        fn a_visited_move_is_always_found(
            visits in prop::collection::vec(any::<u32>(), 0..80),
            thousandths in any::<u32>(),
            seed in any::<u64>(),
        ) {
            let mut rng = Rng::new(seed);
            let chosen = choose(&visits, Temperature::from_thousandths(thousandths), &mut rng);
            prop_assert_eq!(chosen.is_some(), visits.iter().any(|&n| n > 0));
            prop_assert!(chosen.is_none_or(|index| visits[index] > 0));
        }
    }
}
