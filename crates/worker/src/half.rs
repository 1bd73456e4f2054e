//! 16-bit floating-point numbers (IEEE 754 binary16), which GPUs answer in.

/// The number with these bits.
pub(crate) fn to_f32(bits: u16) -> f32 {
    let (sign, exponent, fraction) = (bits >> 15, bits >> 10 & 31, u32::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction as f32 / (1 << 24) as f32,
        31 if fraction == 0 => f32::INFINITY,
        31 => f32::NAN,
        _ => f32::from_bits((u32::from(exponent) + 112) << 23 | fraction << 13),
    };
    if sign == 1 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::to_f32;

    #[test]
    fn numbers_are_what_the_standard_says() {
        for (bits, number) in [
            (0x0000, 0.0),
            (0x0001, 2f32.powi(-24)),
            (0x03ff, 1023.0 * 2f32.powi(-24)),
            (0x0400, 2f32.powi(-14)),
            (0x3555, 0.333_251_95),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0xfc00, f32::NEG_INFINITY),
        ] {
            assert_eq!(to_f32(bits), number, "{bits:#06x}");
        }
        assert!(to_f32(0x7e00).is_nan());
    }
}
