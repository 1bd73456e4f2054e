//! Loops compiled for wider vectors.

use simd::{Task, widest};

struct Sum<'a>(&'a [f32], &'a mut [f32]);

impl Task for Sum<'_> {
    type Output = f32;

    #[inline(always)]
    fn run(self) -> f32 {
        self.1.iter_mut().zip(self.0).for_each(|(sum, x)| *sum += x * 0.1);
        self.1.iter().sum()
    }
}

#[test]
fn wide_and_narrow_give_the_same_bits() {
    let values: Vec<f32> = (0..1000).map(|i| 1.0 / (i as f32 + 0.3)).collect();
    let (mut a, mut b) = (vec![0.7; 1000], vec![0.7; 1000]);
    let (wide, narrow) = (widest(Sum(&values, &mut a)), Sum(&values, &mut b).run());
    assert_eq!((wide.to_bits(), &a), (narrow.to_bits(), &b));
}
