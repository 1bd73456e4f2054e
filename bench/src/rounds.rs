//! Alternating rounds, so that a change of clock speed or a noisy neighbour hits both sides.

use std::time::Instant;

/// Seconds of every round of one contestant.
pub struct Times(Vec<f64>);

impl Times {
    pub fn best(&self) -> f64 {
        self.0[0]
    }

    pub fn median(&self) -> f64 {
        let n = self.0.len();
        (self.0[(n - 1) / 2] + self.0[n / 2]) / 2.0
    }
}

/// Runs the contestants in turn, `rounds` times over after one round to warm up. Gives the
/// checksum each one returned (`None` if it changed from round to round) and its times.
pub fn alternate(
    rounds: usize,
    contestants: &mut [&mut dyn FnMut() -> u64],
) -> Vec<(Option<u64>, Times)> {
    let mut sums: Vec<Option<u64>> = contestants.iter_mut().map(|run| Some(run())).collect();
    let mut seconds = vec![Vec::with_capacity(rounds); contestants.len()];
    for _ in 0..rounds {
        for (index, run) in contestants.iter_mut().enumerate() {
            let start = Instant::now();
            let sum = run();
            seconds[index].push(start.elapsed().as_secs_f64());
            sums[index] = sums[index].filter(|&first| first == sum);
        }
    }
    let sorted = seconds.into_iter().map(|mut seconds: Vec<f64>| {
        seconds.sort_by(f64::total_cmp);
        Times(seconds)
    });
    sums.into_iter().zip(sorted).collect()
}
