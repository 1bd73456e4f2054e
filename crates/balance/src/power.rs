//! Powers in integers: N^(1/τ) beside the largest, the same bits on every machine.
//!
//! Logarithms bit by bit, by squaring; powers of two by square roots of one half. 32 bits behind the
//! point of the logarithm are far more than visits can tell.

/// Bits behind the point of a logarithm.
const BITS: u32 = 32;

/// Bits behind the point of a power.
const POWER_BITS: u32 = 40;

/// 2 to the power of −2⁻ᵏ for k from 1, with 63 bits behind the point.
const ROOTS: [u64; BITS as usize] = {
    let mut roots = [0; BITS as usize];
    let mut last = 1u128 << 62;
    let mut k = 0;
    while k < BITS as usize {
        last = (last << 63).isqrt();
        roots[k] = last as u64;
        k += 1;
    }
    roots
};

/// The binary logarithm of a number from 1 on, with [`BITS`] bits behind the point.
pub(crate) fn log2(n: u32) -> u64 {
    let whole = n.max(1).ilog2();
    // From 1 to 2, with 63 bits behind the point.
    let mut x = u128::from(n.max(1)) << (63 - whole);
    let mut log = u64::from(whole);
    for _ in 0..BITS {
        x = (x * x) >> 63;
        log <<= 1;
        if x >= 1 << 64 {
            x >>= 1;
            log |= 1;
        }
    }
    log
}

/// 2 to the power of minus a logarithm, with [`POWER_BITS`] bits behind the point; 0 where too little is left.
pub(crate) fn halved(by: u64) -> u64 {
    let whole = by >> BITS;
    if whole > u64::from(POWER_BITS) {
        return 0;
    }
    let mut x = 1u128 << 63;
    for (k, root) in (1..=BITS).zip(ROOTS) {
        if by >> (BITS - k) & 1 == 1 {
            x = (x * u128::from(root)) >> 63;
        }
    }
    (x >> (u64::from(63 - POWER_BITS) + whole)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: u64 = 1 << POWER_BITS;

    #[test]
    fn logarithms_and_powers_are_right_to_the_last_bits() {
        for n in [1, 2, 3, 7, 10, 799, 800, 65_536, 1_000_003, u32::MAX] {
            let log = log2(n) as f64 / f64::from(BITS).exp2();
            assert!((log - f64::from(n).log2()).abs() < 1e-8, "{n}: {log}");
        }
        for by in [0.0, 0.25, 0.5, 1.0, 1.75, 7.3, 20.0, 39.0] {
            let fixed = (by * f64::from(BITS).exp2()) as u64;
            let wanted = FULL as f64 * (-by).exp2();
            assert!((halved(fixed) as f64 - wanted).abs() <= 2.0 + wanted * 1e-9, "{by}");
        }
        assert_eq!(halved(0), FULL);
        assert_eq!((halved(1 << 32), halved(2 << 32)), (FULL / 2, FULL / 4));
        assert_eq!((halved(41 << 32), halved(u64::MAX)), (0, 0));
    }

    /// Choices of stored games hang on these numbers: they may never change.
    #[test]
    fn numbers_are_fixed_for_all_time() {
        assert_eq!([log2(3), log2(800)], [6_807_362_105, 41_420_046_942]);
        assert_eq!(halved(log2(3)), 366_503_875_983);
    }
}
