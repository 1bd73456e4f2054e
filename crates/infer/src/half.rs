//! 16-bit floating-point numbers (IEEE 754 binary16), which GPUs compute and answer in.

/// The number with these bits.
pub fn to_f32(bits: u16) -> f32 {
    let (sign, exponent, fraction) = (bits >> 15, bits >> 10 & 31, u32::from(bits & 1023));
    let magnitude = match exponent {
        0 => fraction as f32 / (1 << 24) as f32,
        31 if fraction == 0 => f32::INFINITY,
        31 => f32::NAN,
        _ => f32::from_bits((u32::from(exponent) + 112) << 23 | fraction << 13),
    };
    if sign == 1 { -magnitude } else { magnitude }
}

/// The bits of the nearest number there is; of two as near, the one that ends in 0.
pub fn from_f32(number: f32) -> u16 {
    let sign = (number.to_bits() >> 16 & 0x8000) as u16;
    let magnitude = number.abs();
    if magnitude.is_nan() {
        return sign | 0x7e00;
    }
    // Below 2^-14 steps are of one size; above, dropping 13 bits rounds to the nearest by hand.
    if magnitude < 2f32.powi(-14) {
        return sign | (magnitude * 2f32.powi(24)).round_ties_even() as u16;
    }
    if magnitude >= 65520.0 {
        return sign | 0x7c00;
    }
    let bits = magnitude.to_bits();
    let rounded = bits + 0x0fff + (bits >> 13 & 1);
    sign | ((rounded >> 13) - (112 << 10)) as u16
}

#[cfg(test)]
mod tests {
    use super::{from_f32, to_f32};

    #[test]
    fn every_number_is_found_again() {
        for bits in 0..=u16::MAX {
            let number = to_f32(bits);
            if !number.is_nan() {
                assert_eq!(from_f32(number), bits, "{bits:#06x}");
            }
        }
        for (number, bits) in [
            (1.0 + 2f32.powi(-11), 0x3c00),
            (1.0 + 3.0 * 2f32.powi(-11), 0x3c02),
            (-1e-9, 0x8000),
            (65519.9, 0x7bff),
            (65520.0, 0x7c00),
            (2f32.powi(-14) - 2f32.powi(-26), 0x0400),
        ] {
            assert_eq!(from_f32(number), bits, "{number}");
        }
        assert!(to_f32(from_f32(f32::NAN)).is_nan());
    }

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
